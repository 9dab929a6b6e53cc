"""Guarded and sparse tensors, and the element behind an address."""

import ctypes
import gc
import subprocess
import sys

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.emulator import (
    Region,
    Regions,
    guarded,
    guarded_changed,
    guarded_intact,
    memory,
    sparse,
)
from helpers.emulator.memory import GAP, PAGE
from helpers.errors import FaultKind, KernelFault

DTYPES = [
    torch.float32,
    torch.float16,
    torch.bfloat16,
    torch.float64,
    torch.int8,
    torch.int64,
]


def mapped(address):
    """Return the permissions of the page at an address, or "" where nothing is mapped."""
    with open("/proc/self/maps") as maps:
        for line in maps:
            begin, end = (int(x, 16) for x in line.split()[0].split("-"))
            if begin <= address < end:
                return line.split()[1]
    return ""


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("numel", [0, 1, 5, 4096, 100_003])
@pytest.mark.parametrize("front", [False, True])
def test_guarded_tensors(dtype, numel, front):
    tensor = guarded(numel, dtype, 16, front)
    assert tensor.shape == (numel,) and tensor.dtype == dtype and tensor.is_contiguous()
    assert numel == 0 or tensor.data_ptr() % 16 == 0
    tensor.fill_(1)
    assert bool((tensor == 1).all())
    assert guarded_intact(tensor)
    if numel and not front and tensor.nbytes % 16:
        ctypes.memset(tensor.data_ptr() + tensor.nbytes, 0, 1)
        assert not guarded_intact(tensor) and guarded_changed(tensor) == 0


@pytest.mark.parametrize("numel", [1, 3, 1024, 1025])
def test_the_page_begins_at_the_last_element(numel):
    begin = guarded(numel, torch.float32, 4).data_ptr()
    behind = guarded(numel, torch.float32, 4)
    assert (behind.data_ptr() + behind.nbytes) % PAGE == 0
    assert mapped(behind.data_ptr() + behind.nbytes).startswith("---")
    assert mapped(behind.data_ptr() + behind.nbytes - 1).startswith("rw")
    before = guarded(numel, torch.float32, 4, front=True)
    assert before.data_ptr() % PAGE == 0 and begin
    assert mapped(before.data_ptr() - 1).startswith("---")


@pytest.mark.parametrize("front", [False, True])
def test_a_far_step_meets_no_other_tensor(front):
    several = [guarded(1000, torch.float32, 16, front) for _ in range(4)]
    for one in several:
        end = one.data_ptr() + one.nbytes
        for step in (PAGE, 400_000, GAP - 1):
            assert mapped(one.data_ptr() - step).startswith("---")
            assert mapped(end + step).startswith("---")


def test_where_address_space_is_limited_the_gaps_are_short(monkeypatch):
    real = memory._map

    def limited(data, gap, flags=0):
        if gap > PAGE:
            raise MemoryError("no address space")
        return real(data, gap, flags)

    monkeypatch.setattr(memory, "_map", limited)
    tensor = guarded(1000, torch.float32, 16)
    assert mapped(tensor.data_ptr() + tensor.nbytes).startswith("---")
    assert tensor.fill_(1).sum() == 1000


def test_the_canary_fills_what_the_alignment_leaves():
    tensor = guarded(5, torch.float32, 16)
    assert tensor.data_ptr() % PAGE == PAGE - 32
    end = tensor.data_ptr() + tensor.nbytes
    assert ctypes.string_at(end, 12) == b"\xcb" * 12
    for byte in range(12):
        ctypes.memset(end + byte, 0, 1)
        assert not guarded_intact(tensor)
        ctypes.memset(end + byte, 0xCB, 1)
    assert guarded_intact(tensor)


@pytest.mark.parametrize("make", [guarded, sparse])
def test_memory_is_given_back(make):
    addresses = []
    for _ in range(50):
        tensor = make(1000, torch.float32, 16)
        addresses.append(tensor.data_ptr())
        tensor = tensor[3:].view(torch.int32)
        assert mapped(tensor.data_ptr())
    with open("/proc/self/maps") as maps:
        before = len(maps.readlines())
    many = [make(1000, torch.float32, 16) for _ in range(50)]
    del many, tensor
    gc.collect()
    with open("/proc/self/maps") as maps:
        assert len(maps.readlines()) < before + 20
    assert len(set(addresses)) < 50


def test_guarded_refuses():
    for arguments in (
        (-1, torch.float32, 16),
        (1, torch.float32, 12),
        (1, torch.float32, 0),
        (1, torch.float32, 2 * PAGE),
    ):
        with pytest.raises(ValueError):
            guarded(*arguments)
    assert guarded(1, torch.float32, PAGE).data_ptr() % PAGE == 0
    with pytest.raises(ValueError, match="not a tensor that guarded"):
        guarded_intact(torch.zeros(3))


def test_too_much_memory_is_an_error():
    with pytest.raises(MemoryError):
        guarded(1 << 60, torch.float64, 16)
    with pytest.raises(MemoryError):
        sparse(1 << 60, torch.int8, 16)


def test_a_sparse_tensor_costs_nothing():
    tensor = sparse((1 << 31) + 5, torch.float16, 16)
    tensor[-1] = 3
    assert tensor.numel() == (1 << 31) + 5
    assert (tensor[0].item(), tensor[-1].item(), tensor[1 << 30].item()) == (0, 3, 0)
    assert tensor.data_ptr() % 16 == 0
    end = tensor.data_ptr() + tensor.nbytes
    for outside in (end + 16, end + (2 << 31) - 16, tensor.data_ptr() - (2 << 31)):
        assert mapped(outside).startswith("---")
    assert mapped(end - 1).startswith("rw")


# ---- the element behind an address -----------------------------------------------------------


def fault_at(address, message="k.cu: read from address A, outside: is it?"):
    return KernelFault(
        message,
        kind=FaultKind.OUT_OF_BOUNDS,
        address=address,
        access="read",
        thread="block (0, 0, 0), thread (1, 0, 0)",
        place="address A, outside",
    )


@pytest.mark.parametrize(
    ("offset", "words"),
    [
        (0, "x[0]"),
        (19, "x[4]"),
        (20, "x[5], but x has 5 elements"),
        (-1, "x[-1], but x has 5 elements"),
        (-4, "x[-1], but x has 5 elements"),
        (4000, "x[1,000], but x has 5 elements"),
    ],
)
def test_an_element_is_named(offset, words):
    assert Region("x", 1 << 40, 20, 4).element((1 << 40) + offset) == words


def test_one_element_is_singular():
    assert Region("a", 64, 4, 4).element(68) == "a[1], but a has 1 element"


def test_a_region_is_where_the_tensor_lies():
    x = torch.zeros(3, 5, dtype=torch.float64)
    assert Region.of("x", x) == Region("x", x.data_ptr(), 120, 8)
    assert Regions.of({"x": x[1:]}).regions == (Region("x", x.data_ptr() + 40, 80, 8),)


def test_the_distance_is_in_bytes():
    region = Region("x", 1000, 20, 4)
    assert [region.distance(at) for at in (990, 999, 1000, 1019, 1020, 1030)] == [
        10,
        1,
        0,
        0,
        1,
        11,
    ]


def test_the_nearest_region_within_reach():
    x, y = Region("x", 100_000, 400, 4), Region("y", 200_000, 40_000, 8)
    by_size = Regions([x, y])
    assert by_size.nearest(100_399 + PAGE) is x and by_size.nearest(100_400 + PAGE) is None
    assert by_size.nearest(239_999 + 40_000) is y and by_size.nearest(240_000 + 40_000) is None
    assert by_size.nearest(160_000) is y and by_size.nearest(159_999) is None
    by_bytes = Regions([x, y], reach=12)
    assert by_bytes.nearest(100_000 - 12) is x and by_bytes.nearest(100_000 - 13) is None
    assert by_bytes.nearest(200_000 - 12) is y and by_bytes.nearest(200_000 - 13) is None
    close = Regions([Region("a", 0, 100, 4), Region("b", 200, 100, 4)], reach=1000)
    assert (close.nearest(149).name, close.nearest(151).name) == ("a", "b")
    assert close.nearest(200).name == "b" and Regions([]).nearest(5) is None


def test_a_fault_gets_the_element_and_keeps_the_rest():
    x = torch.zeros(5)
    fault = fault_at(x.data_ptr() + 20)
    named = Regions.of({"x": x}).named(fault)
    assert str(named) == "k.cu: read from x[5], but x has 5 elements: is it?"
    assert named.place == "x[5], but x has 5 elements"
    for name in ("kind", "address", "access", "thread"):
        assert getattr(named, name) == getattr(fault, name)


def test_a_fault_that_names_no_address_near_stays():
    x = torch.zeros(5)
    regions = Regions.of({"x": x}, reach=100)
    far = fault_at(x.data_ptr() + 4000)
    assert regions.named(far) is far
    for other in (KernelFault("timeout", address=x.data_ptr()), KernelFault("x", place="x")):
        assert regions.named(other) is other


@given(st.integers(-50, 250), st.integers(1, 50), st.integers(1, 50))
@settings(max_examples=200, deadline=None)
def test_an_address_inside_a_tensor_belongs_to_it(at, first, second):
    one, other = Region("a", 0, first, 1), Region("b", 100, second, 1)
    near = Regions([one, other], reach=1 << 20).nearest(at)
    if 0 <= at < first:
        assert near is one
    elif 100 <= at < 100 + second:
        assert near is other
    assert near.distance(at) == min(one.distance(at), other.distance(at))


def test_finding_an_element_needs_no_torch():
    code = (
        "import sys\nfrom helpers.emulator import Region, Regions, Library\n"
        "Regions([Region('x', 0, 4, 4)]).nearest(3)\nsys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
