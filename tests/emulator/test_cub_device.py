"""CUB's functions for the whole GPU: what they leave, and the words of mistakes."""

import ctypes
from pathlib import Path

import pytest
import torch

from helpers import emulator
from helpers.emulator import FORWARD, REVERSE, SHUFFLED, Library
from helpers.errors import FaultKind

SOURCE = Path(__file__).parent / "kernels" / "cub_device.cu"
N = 1000
UNWRITTEN = -12345


@pytest.fixture(scope="module")
def library(tmp_path_factory, headers):
    output = tmp_path_factory.mktemp("cub") / "cub_device.so"
    emulator.build(SOURCE, output, headers)
    return Library(output)


@pytest.fixture
def given():
    """Return numbers with runs of equal ones, and floats."""
    generator = torch.Generator().manual_seed(3)
    x = torch.randint(-60, 60, (N // 2,), generator=generator, dtype=torch.int32)
    x = x.repeat_interleave(torch.randint(1, 4, (N // 2,), generator=generator))[:N]
    assert len(x) == N
    return x, torch.randn(N, generator=generator)


def call(library, name, given, mode=FORWARD):
    """Call a launcher; return its numbers, floats and count, and its fault, if it has one."""
    x, y, out, floats, count = (
        emulator.guarded(size, dtype, 256, False)
        for size, dtype in (
            (N, torch.int32),
            (N, torch.float32),
            (2 * N, torch.int32),
            (N, torch.float32),
            (1, torch.int32),
        )
    )
    x.copy_(given[0])
    y.copy_(given[1])
    for one in (out, floats, count):
        one.fill_(UNWRITTEN)
    pages = [page for one in (x, y, out, floats, count) for page in emulator.pages(one)]
    pointers = [ctypes.c_void_p(one.data_ptr()) for one in (x, y, out, floats, count)]
    with library.device_memory(pages), library.schedule(mode):
        returned = library.dll[name](*pointers, N, None)
    error, fault = library.take_error(), library.take_fault("cub_device.cu")
    assert fault or not (returned or error)
    return out, floats, count, fault


def runs(x):
    """Return the values, lengths and first places of runs of equal numbers."""
    values, lengths = torch.unique_consecutive(x, return_counts=True)
    return values, lengths, torch.cumsum(lengths, 0) - lengths


def expected(name, x, y):
    """Return what a launcher leaves as numbers, as floats, and as its count."""
    wide = x.long()
    values, lengths, places = runs(x)
    by_key = torch.zeros(len(values), dtype=torch.int32)
    which = torch.repeat_interleave(torch.arange(len(values)), lengths)
    by_key.index_add_(0, which, x)
    odd = x[x % 2 != 0]
    order = torch.argsort(x, stable=True, descending=True)
    down = torch.argsort(y, stable=True, descending=True)
    _, tens_lengths, _ = runs((x.abs() // 10) * x.sign())
    starts = torch.repeat_interleave(torch.cumsum(tens_lengths, 0) - tens_lengths, tens_lengths)
    sums = torch.cumsum(wide, 0)
    before = torch.cat([torch.zeros(1, dtype=torch.int64), sums[:-1]])
    long_ones = lengths > 1
    inside = wide[(wide >= -50) & (wide < 50)]
    return {
        "sum": ([wide.sum()],),
        "least": ([x.min()],),
        "most": (None, [y.max()]),
        "place_of_least": ([x.min()], None, (x == x.min()).nonzero()[0]),
        "squares": ([(wide**2).sum() + 7, 0],),
        "sums_by_key": ({0: values, N: by_key}, None, len(values)),
        "running": (sums,),
        "running_in_place": (before,),
        "greatest_before": (torch.cummax(torch.cat([torch.tensor([-1000]), wide]), 0)[0][:-1],),
        "from_later": (before + 5, None, 5),
        "running_by_key": (sums - before[starts],),
        "selected": (odd, None, len(odd)),
        "selected_late": (x[5:][x[5:] >= 0], None, (x[5:] >= 0).sum()),
        "unique": (values, None, len(values)),
        "unique_by_key": (values, y[places], len(values)),
        "parted": (torch.cat([odd, x[x % 2 == 0].flip(0)]), None, len(odd)),
        "lengths": ({0: values, N: lengths}, None, len(values)),
        "long_runs": ({0: places[long_ones], N: lengths[long_ones]}, None, long_ones.sum()),
        "sorted_keys": (x.sort()[0],),
        "sorted_floats_down": (x[down], y[down]),
        "sorted_by_bits": (x[torch.argsort((x >> 1) & 3, stable=True)],),
        "sorted_buffers": (x.sort()[0],),
        "merged_down": (x[order], y[order]),
        "merged_two": (torch.cat([torch.arange(500), torch.arange(3, 503)]).sort()[0],),
        "rows": (x.view(-1, 10).sum(1),),
        "sorted_rows": (x.view(-1, 10).sort(1, descending=True)[0].flatten(),),
        "bins": (torch.bincount((inside + 50) // 10, minlength=10),),
        "bins_of_floats": (torch.histc(y[(y >= -1) & (y < 1)].double(), 4, -1, 1),),
        "differences": (torch.cat([x[:1], x[1:] - x[:-1]]),),
        "twice": (2 * x,),
        "added": (x + x.flip(0),),
        "many_copies": (torch.cat([x[500:], x[:500]]),),
    }[name]


NAMES = [
    line.removeprefix("LAUNCHER(").split(",")[0]
    for line in SOURCE.read_text(encoding="utf-8").splitlines()
    if line.startswith("LAUNCHER(")
]


@pytest.mark.parametrize("name", [name for name in NAMES if not name.startswith("wrong_")])
def test_what_a_function_leaves(library, given, name):
    for mode in (FORWARD, REVERSE, SHUFFLED):
        out, floats, count, fault = call(library, name, given, mode)
        assert fault is None
        numbers, sorted_floats, number = (*expected(name, *given), None, None)[:3]
        if name == "squares":
            out = out[:2].view(torch.int64)
            numbers = numbers[:1]
        parts = numbers if isinstance(numbers, dict) else {0: numbers}
        for first, part in parts.items():
            if part is not None:
                part = torch.as_tensor(part).to(out.dtype)
                assert torch.equal(out[first : first + len(part)], part)
        if sorted_floats is not None:
            part = torch.as_tensor(sorted_floats)
            assert torch.equal(floats[: len(part)], part)
        assert number is None or count.item() == int(number)


@pytest.mark.parametrize(
    ("name", "kind", "words"),
    [
        (
            "too_small",
            FaultKind.HOST,
            "DeviceReduce::Sum with 8 bytes of temporary storage, and",
        ),
        ("shorter_than_told", FaultKind.HOST, "SortKeys with temporary storage of"),
        (
            "hosts_storage",
            FaultKind.HOST,
            "cub::DeviceReduce::Sum, as argument 1, memory of the",
        ),
        (
            "hosts_sum",
            FaultKind.HOST,
            "cub::DeviceReduce::Sum, as argument 4, memory of the host",
        ),
        ("hosts_buffer", FaultKind.HOST, "cub::DeviceScan::InclusiveSum, as argument"),
        (
            "past_the_end",
            FaultKind.OUT_OF_BOUNDS,
            "cub::DeviceScan::InclusiveSum, block (0, 0, 0)",
        ),
        ("counts_from_one", FaultKind.OUT_OF_BOUNDS, "cub::DeviceReduce::Sum, block (0, 0, 0)"),
    ],
)
def test_a_mistake_is_a_fault_with_the_functions_name(library, given, name, kind, words):
    *_, fault = call(library, f"wrong_{name}", given)
    assert fault is not None
    assert fault.kind == kind
    assert words in str(fault)


def test_a_stream_that_does_not_wait_has_another_sum(library, given):
    total = int(given[0].sum())
    found = {}
    for mode in (FORWARD, REVERSE, SHUFFLED):
        out, *_, fault = call(library, "wrong_without_event", given, mode)
        found[mode] = fault is None and out[0].item() == total
    assert not all(found.values())
