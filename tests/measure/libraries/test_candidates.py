"""The candidates compute the operation; a library that is missing is said once."""

import pytest
import torch

from helpers.measure import store
from helpers.measure.libraries import candidates
from helpers.measure.libraries.candidates import TRITON_CONFIGS as CONFIGS
from helpers.measure.libraries.candidates import Candidate
from helpers.measure.libraries.operations import OPERATIONS, Operation, same_bits
from helpers.run import machine

ADD = Operation("add", torch.float32)


@pytest.fixture(autouse=True)
def nothing_said_yet(monkeypatch):
    monkeypatch.setattr(candidates, "_missing", set())


def candidate(name, variant="", version="1"):
    return Candidate(name, version, lambda inputs, out: None, variant)


@pytest.mark.parametrize("operation", OPERATIONS, ids=str)
def test_ours_and_eager_pytorch_agree(operation):
    inputs, out = operation.buffers(3000, machine.present().device)
    own = [
        candidates.course(operation, path=2),
        candidates.template(operation),
        *candidates._eager(operation),
    ]
    assert [one.name for one in own] == ["course", "template", "torch"]
    assert own[2].version == torch.__version__
    for one in own:
        out.fill_(float("nan"))
        one.bind(inputs, out)()
        assert same_bits(out, operation.reference(inputs)), one.name


def test_a_variant_of_the_course_keeps_its_arguments():
    one = candidates.course(ADD, "packs 512", path=1, threads=512)
    assert (one.name, one.variant, one.version) == ("course", "packs 512", "")
    inputs, out = ADD.buffers(10, machine.present().device)
    assert one.bind(inputs, out).keywords == {"path": 1, "threads": 512, "programmatic": 1}


def test_ours_must_be_right():
    assert candidate("course").is_ours and candidate("template").is_ours
    assert not candidate("torch").is_ours


def test_a_candidate_as_text():
    assert str(candidate("CUB")) == "CUB"
    assert (
        str(candidate("Triton", "1024 elements, 4 warps")) == "Triton, 1024 elements, 4 warps"
    )


def test_a_missing_library_is_said_once(monkeypatch, capsys):
    def missing(operation):
        raise ImportError("no module named cupy " + 300 * "x")

    libraries = {"CuPy": missing, "torch": lambda operation: [candidate("torch")]}
    monkeypatch.setattr(candidates, "LIBRARIES", libraries)
    for _ in range(2):
        assert [one.name for one in candidates.libraries(ADD)] == ["torch"]
    out = capsys.readouterr().out
    assert out.count("CuPy is not measured: ImportError: no module named cupy") == 1
    assert len(out) < 250


def test_torch_compile_is_given_the_operation(monkeypatch):
    pytest.importorskip("torch._dynamo")
    monkeypatch.setattr(torch, "compile", lambda function, dynamic: function)
    for operation in (ADD, Operation("cast", torch.float16)):
        (one,) = candidates._compiled(operation)
        inputs, out = operation.buffers(10, "cpu")
        one.bind(inputs, out)()
        assert same_bits(out, operation.reference(inputs))
        assert (one.name, one.version) == ("torch.compile", torch.__version__)


@pytest.mark.parametrize(
    ("header", "version"),
    [
        ("#define CUB_VERSION 300001\n", "3.0.1"),
        ("#define CUB_VERSION 201205 // 2.12.5", "2.12.5"),
        ("", ""),
    ],
)
def test_the_version_of_cub(header, version, monkeypatch, tmp_path):
    folder = tmp_path / "include" / "cub"
    folder.mkdir(parents=True)
    (folder / "version.cuh").write_text(header)
    nvcc = type("Nvcc", (), {"home": tmp_path})
    monkeypatch.setattr(candidates, "find_nvcc", lambda: nvcc)
    assert candidates.cub_version() == version
    monkeypatch.setattr(candidates, "find_nvcc", lambda: None)
    assert candidates.cub_version() == ""


def test_every_library_has_a_maker():
    assert list(candidates.LIBRARIES) == ["torch", "torch.compile", "Triton", "CUB", "CuPy"]


def test_the_recorded_variants_are_configurations_of_triton():
    rows = store.LIBRARIES.load()
    variants = set(rows[rows.candidate == "Triton"].variant)
    configurations = {f"{block} elements, {warps} warps" for block, warps in CONFIGS}
    assert variants <= configurations and len(variants) > 1
