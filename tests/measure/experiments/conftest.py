"""A GPU without a clock: the emulator poses as a small card, and each call is made once."""

import dataclasses
import sys
from contextlib import nullcontext
from types import SimpleNamespace

import pytest
import torch

from helpers.measure import bench, experiments, roofs, store, timing
from helpers.measure.measurement import DIALS, Measurement
from helpers.run import jit, machine
from helpers.run.kernel import Kernel
from helpers.run.signature import declarations

TIMES = {"time_us": 10.0, "low_us": 9.0, "high_us": 11.0, "repeats": 12}


class _Gpu(timing.Gpu):
    """A GPU on which every call takes half a millisecond."""

    def intervals(self, work, look=lambda: None):
        for call in work:
            call()
        return [500.0] * len(work)

    def use_new_stream(self, call):
        call()


@pytest.fixture(autouse=True)
def without_forks(in_this_process):
    """Launch the course's own kernels in this process, in every test of this folder."""


@pytest.fixture
def gpu(monkeypatch):
    """Pose as an H200 of two SMs and 64 KiB of L2; `calls` has what was measured."""
    present = machine.present()
    if present.is_gpu:
        pytest.skip("the real experiments run on a GPU")
    card = dataclasses.replace(
        present, name="NVIDIA H200", cc="9.0", sm_count=2, l2_bytes=1 << 16
    )
    calls = []

    def measure_calls(functions, **arguments):
        calls.append(SimpleNamespace(functions=functions, **arguments))
        functions[0]()
        what = {name: value for name, value in arguments.items() if name != "precision"}
        return Measurement(**{"method": "graph hot", "gpu": card.name} | what | TIMES)

    def measure_copy(x):
        return measure_calls(
            [x.clone], kernel="copy", elements=x.numel(), dtype="", bytes_moved=8 * x.numel()
        )

    monkeypatch.setattr(bench, "require_gpu", lambda: card)
    monkeypatch.setattr(bench, "measure_calls", measure_calls)
    monkeypatch.setattr(roofs, "measure_copy", measure_copy)
    monkeypatch.setattr(bench, "gpu_to_itself", nullcontext)
    monkeypatch.setattr(timing, "GPU", _Gpu())
    return SimpleNamespace(card=card, calls=calls)


@pytest.fixture
def no_check(monkeypatch):
    """Take every kernel as right: its own tests check it."""
    from helpers.testing import check

    monkeypatch.setattr(check, "check", lambda kernel, *_, **__: kernel)


class UnbuiltLauncher:
    """A launcher by its declaration: a call does nothing."""

    def __init__(self, declaration):
        self.declaration = declaration

    def __call__(self, *tensors, **arguments):
        pass


class UnbuiltKernel(Kernel):
    """A kernel by the declarations of its file, right and never built."""

    def __init__(self, name):
        self.path = jit.source_path(name)
        self.name = self.path.stem
        self.declarations = declarations(self.path.read_text(encoding="utf-8"), self.name)
        self.launchers = {k: UnbuiltLauncher(own) for k, own in self.declarations.items()}
        self.verdict = SimpleNamespace(ok=True)
        self._by_first_dtype = {}
        for launcher in self.launchers.values():
            for tensor in launcher.declaration.tensors[:1]:
                self._by_first_dtype.setdefault(tensor.dtype, launcher)
        self._first = next(iter(self.launchers.values()))
        self._several = False


# Words of progress bars that are not the experiment's name.
BARS = {
    "checking",
    "reading",
    "chasing",
    "sides",
    *(f"{1 << n:,} elements" for n in (20, 24, 28)),
}
WHAT = ("kernel", "elements", "dtype", "block_size", "method", "bytes_moved", "flops")


@pytest.fixture
def compare_with_the_record(monkeypatch, no_check):
    """Make an experiment's measurements on tensors without memory, and look for their rows.

    Pose as the H200. Every measurement of an experiment (its kernel, elements, dtype, block
    size, method, bytes, FLOPs, parameter and dials) must have a row in data/runs.csv, unless
    its kernel is new and waits for its first record; returns how many have one.
    Progress bars are named, and leave no line.
    """
    card = machine.Machine(
        "gpu",
        "NVIDIA H200",
        "made up",
        torch.__version__,
        cc="9.0",
        sm_count=132,
        l2_bytes=60 << 20,
        memory_bytes=150_000_000_000,
        index=0,
    )

    def measure_calls(functions, precision=0.005, **arguments):
        return Measurement(**{"method": "graph hot", "gpu": card.name} | arguments | TIMES)

    def rows_of(table):
        columns = [*WHAT, "parameter", *DIALS]
        cells = table[columns].astype(object)
        cells = cells.where(cells.notna(), None)
        return set(cells.itertuples(index=False, name=None))

    def compare(name):
        bars = []

        def bar(iterable, desc, leave):
            bars.append((desc in BARS | {name}, leave))
            return iterable

        module = sys.modules[experiments.find(name).__module__]
        monkeypatch.setattr(module, "tqdm", bar, raising=False)
        made = rows_of(store._rows(experiments.find(name)(), name))
        recorded = rows_of(store.RUNS.load(experiment=name, gpu="NVIDIA H200"))
        kernels = {kernel for kernel, *_ in recorded}
        assert [row for row in made - recorded if row[0] in kernels] == []
        assert set(bars) <= {(True, False)}
        return len(made & recorded)

    monkeypatch.setattr(bench, "require_gpu", lambda: card)
    monkeypatch.setattr(machine, "present", lambda: card)
    monkeypatch.setattr(machine.Machine, "device", "meta")
    monkeypatch.setattr(bench, "measure_calls", measure_calls)
    monkeypatch.setattr(bench, "gpu_to_itself", nullcontext)
    monkeypatch.setattr(timing, "GPU", _Gpu())
    monkeypatch.setattr(jit, "load", UnbuiltKernel)
    monkeypatch.setattr(torch.Tensor, "item", lambda self: 1000)
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda: (1 << 40, 1 << 40))
    monkeypatch.setattr(torch.cuda, "memory_reserved", lambda: 0)
    monkeypatch.setattr(torch.cuda, "memory_allocated", lambda: 0)
    # PyTorch's own takes seconds to import what it needs for tensors without memory.
    monkeypatch.setattr(torch, "randn", lambda *shape, **more: torch.empty(*shape, **more))
    monkeypatch.setattr(
        torch, "randint", lambda low, high, *shape, **more: torch.empty(*shape, **more)
    )
    monkeypatch.setattr(
        torch,
        "empty_like",
        lambda x, dtype=None: torch.empty(x.shape, dtype=dtype or x.dtype, device="meta"),
    )
    monkeypatch.setattr(
        roofs,
        "random_chain",
        lambda links, stride, device: torch.empty(links * stride, device=device),
    )
    return compare
