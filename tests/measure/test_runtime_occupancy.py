"""The CUDA runtime's answers beside the prediction; its table of kernels is read by name."""

import re
from types import SimpleNamespace

import pytest
import torch

from helpers import paths
from helpers.errors import NoGpuError
from helpers.measure import runtime_occupancy, store
from helpers.measure.runtime_occupancy import Resources
from helpers.model.ladder import NAMES
from helpers.run import jit, machine

OTHERS = (
    "launch_bounds plain",
    "launch_bounds for_4",
    "launch_bounds for_6",
    "launch_bounds for_8",
    "matmul tiles of 16",
    "matmul tiles of 32",
    "sums tree",
    "sums block",
)
MISSING = (
    "kernels/occupancy_api.cu: give each version of helpers/model/ladder.py a namespace and a "
    "line of `entries`, in the ladder's order, before the others"
)
without_gpu = pytest.mark.skipif(machine.present().is_gpu, reason="for machines without a GPU")


def test_the_kernel_file_has_every_version_of_the_ladder_and_more():
    assert runtime_occupancy.kernel_names() == (*NAMES, *OTHERS), MISSING


def test_each_version_is_asked_by_the_kernel_of_its_own_file():
    text = (paths.KERNELS / "occupancy_api.cu").read_text(encoding="utf-8")
    entries = dict(re.findall(r'\{"([^"]+)", FUNCTION\((.+)\)\},', text))
    namespaces = dict(re.findall(r"namespace (\w+) \{\n#include \"(\w+)\.cu\"", text))
    assert set(NAMES) <= set(entries), MISSING
    for name in NAMES:
        namespace, kernel = re.fullmatch(r"(\w+)::(\w+)(?:<.*>)?", entries[name]).groups()
        assert namespaces[namespace] == name
        source = (paths.KERNELS / f"{name}.cu").read_text(encoding="utf-8")
        assert re.search(rf"__global__ .*\b{kernel}\(", source)


@without_gpu
def test_a_kernel_that_is_not_there_has_no_name():
    for index in (-1, len(NAMES) + len(OTHERS)):
        out = torch.full((32,), 7, dtype=torch.int8)
        jit.load("occupancy_api").kernel_name(out, index)
        assert out.tolist() == [0] * 32


@without_gpu
def test_the_runtime_is_not_asked_without_a_gpu():
    out = torch.zeros(4, dtype=torch.int32)
    jit.load("occupancy_api").resources(out, 0, 256)
    assert out.tolist() == [-1] * 4
    with pytest.raises(NoGpuError, match="no CUDA runtime"):
        runtime_occupancy.compare()


@pytest.fixture
def runtime(fake_gpu, monkeypatch):
    """Put a runtime that knows two kernels in place; collect what it is asked."""
    asked = []

    def resources(out, kernel, block_size, shared_bytes):
        asked.append((kernel, block_size, shared_bytes))
        blocks = -1 if block_size > 1024 else 3
        out.copy_(torch.tensor([32, 40000 * kernel, 512, blocks]))

    api = SimpleNamespace(resources=resources)
    monkeypatch.setattr(runtime_occupancy.jit, "load", lambda name: api)
    monkeypatch.setattr(runtime_occupancy, "kernel_names", lambda: ("first", "second"))
    return asked


def test_a_question_by_name(runtime):
    answer = runtime_occupancy.resources("second", 64, 128)
    assert runtime == [(1, 64, 128)]
    assert answer == Resources(32, 40000, 512, 3)
    with pytest.raises(ValueError, match="'third' is not one of first, second"):
        runtime_occupancy.resources("third", 64)
    with pytest.raises(ValueError, match="refuses first with 2048 threads and 5 bytes"):
        runtime_occupancy.resources("first", 2048, 5)


def test_only_launches_that_the_kernel_allows_are_compared(runtime):
    rows = runtime_occupancy.compare(block_sizes=(32, 512, 1024))
    assert list(rows.columns) == list(store.RUNTIME_OCCUPANCY.columns)
    assert set(rows.block_size) == {32, 512}  # at most 512 threads
    first, second = rows[rows.kernel == "first"], rows[rows.kernel == "second"]
    assert first.shared_bytes.tolist() == 2 * [0, 1, 4096, 8192, 16384, 32768]
    assert second.shared_bytes.tolist() == 2 * [40000, 40001, 44096, 48192]  # of 49,152
    assert (1, 512, 8192) in runtime  # the runtime is told the dynamic bytes only
    row = first[(first.block_size == 512) & (first.shared_bytes == 32768)].iloc[0]
    assert (row.registers, row.predicted, row.runtime) == (32, 4, 3)
    assert set(rows.gpu) == {"NVIDIA H200"}


def test_some_kernels_only(runtime):
    assert set(runtime_occupancy.compare(["second"], [32]).kernel) == {"second"}


@pytest.mark.gpu
def test_prediction_and_runtime_agree():
    rows = runtime_occupancy.compare()
    assert len(rows) > 500
    assert rows[rows.predicted != rows.runtime].empty


def test_the_recorded_answers_agree():
    rows = runtime_occupancy.load()
    assert (rows.predicted == rows.runtime).all()
    recorded = set(rows.kernel)
    # A version after the first six waits for `make record`.
    assert {*NAMES[:6], *OTHERS} <= recorded <= set(runtime_occupancy.kernel_names())


@without_gpu
def test_without_a_gpu_the_record_serves(capsys):
    rows = runtime_occupancy.compared_or_recorded()
    assert len(rows) > 500
    assert capsys.readouterr().out.startswith("no GPU here: recorded on NVIDIA H200, 20")


def test_on_a_gpu_it_is_asked_now(runtime, capsys):
    assert len(runtime_occupancy.compared_or_recorded()) > 50
    assert capsys.readouterr().out == "asked now on NVIDIA H200\n"


def test_the_record_is_of_the_default_launches():
    rows = runtime_occupancy.load()
    assert set(rows.block_size) == set(runtime_occupancy.BLOCK_SIZES)
    without_static = rows[rows.kernel == "v1_f32"]
    assert set(without_static.shared_bytes) == set(runtime_occupancy.SHARED_BYTES)
    assert rows.shared_bytes.max() <= runtime_occupancy.DEFAULT_SHARED_LIMIT == 49152
