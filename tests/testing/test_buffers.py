"""Buffers start where they should, and every write beside them is found."""

import contextlib
import mmap

import pytest
import torch

from helpers import emulator
from helpers.errors import FaultKind, KernelFault
from helpers.run import machine
from helpers.testing import buffers
from helpers.testing.buffers import ROOM, Buffers, poison, with_room
from tests.testing.conftest import FakeEmulator

FLOAT = torch.float32
BESIDE = "memory just outside of x was overwritten"


@pytest.fixture
def on_gpu(monkeypatch):
    """Buffers as on a GPU, in CPU memory."""
    device = type("Device", (), {"device": "cpu"})
    monkeypatch.setattr(machine, "present", lambda: device)
    return Buffers(on_gpu=True, front=False)


# ---- what outputs hold before


@pytest.mark.parametrize(
    ("dtype", "patterns"),
    [
        (torch.float16, [0x7FDA, 0x7FDA, 0x4BAD, 0]),
        (torch.float32, [0x7FC0DEAD, 0x7FC0DEAD, 0x4BADBAD0, 0]),
        (torch.float64, [0x7FF8DEADDEADDEAD] * 2 + [0x4BADBADBADBADBAD, 0]),
        (torch.int8, [0x5A] * 3 + [0]),
    ],
)
def test_poison(dtype, patterns):
    assert [poison(dtype, mode) for mode in range(4)] == patterns
    assert buffers.ZEROS == 3


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_the_first_two_poisons_are_quiet_nans_and_the_third_is_a_number(dtype):
    integer = {2: torch.int16, 4: torch.int32, 8: torch.int64}[dtype.itemsize]
    values = [torch.tensor(poison(dtype, mode), dtype=integer).view(dtype) for mode in range(3)]
    assert values[0].isnan() and values[1].isnan()
    assert values[2].isfinite()


# ---- on the emulator


@pytest.mark.parametrize("front", [False, True])
@pytest.mark.parametrize("numel", [1, 7, 257])
@pytest.mark.parametrize(("offset", "dtype"), [(1, FLOAT), (4, FLOAT), (3, torch.float16)])
def test_a_shifted_tensor_starts_past_a_multiple_of_256_bytes(front, numel, offset, dtype):
    tensor = Buffers(False, front).allocate("x", numel, dtype, offset, dtype.itemsize)
    assert tensor.shape == (numel,) and tensor.dtype is dtype
    assert tensor.data_ptr() % 256 == offset * dtype.itemsize


@pytest.mark.parametrize("alignment", [1, 4, 16])
def test_a_tensor_ends_at_a_page_or_begins_at_one(alignment):
    behind = Buffers(False, False).allocate("x", 7, FLOAT, 0, alignment)
    assert behind.data_ptr() % max(alignment, 4) == 0
    gap = -(behind.data_ptr() + 28) % mmap.PAGESIZE
    assert gap == (4 if alignment == 16 else 0)
    front = Buffers(False, True).allocate("x", 7, FLOAT, 0, alignment)
    assert front.data_ptr() % mmap.PAGESIZE == 0


def byte_at(tensor, offset):
    """One byte beside a tensor, by its distance from the first element."""
    import ctypes

    return ctypes.c_uint8.from_address(tensor.data_ptr() + offset)


@pytest.mark.parametrize("front", [False, True])
def test_a_write_beside_a_shifted_tensor_is_found(front):
    some = Buffers(False, front)
    some.allocate("w", 5, FLOAT, 3, 4)
    x = some.allocate("x", 5, FLOAT, 3, 4)
    x.fill_(1.0)
    assert some.overrun() is None
    before = byte_at(x, -1)
    before.value ^= 1
    assert some.overrun() == "memory before the start of x was overwritten"
    before.value ^= 1
    assert some.overrun() is None
    byte_at(x, 20).value ^= 1
    assert some.overrun() == f"{BESIDE}, at x[5]"


def test_a_write_between_a_tensor_and_its_page_is_found():
    some = Buffers(False, False)
    x = some.allocate("x", 5, FLOAT, 0, 16)
    byte_at(x, 20).value ^= 1
    assert some.overrun() == f"{BESIDE}, at x[5]"
    byte_at(x, 20).value ^= 1
    byte_at(x, 29).value ^= 1
    assert some.overrun() == f"{BESIDE}, at x[7]"


@pytest.mark.parametrize("offset", [0, 3])
def test_what_is_copied_from_past_the_end_of_one_tensor_is_found_behind_another(offset):
    some = Buffers(False, front=offset > 0)
    x, out = (some.allocate(name, 5, FLOAT, offset, 16) for name in ("x", "out"))
    x.fill_(1.0)
    for k in range(12):  # as a vector of four floats that begins with the last one
        byte_at(out, 20 + k).value = byte_at(x, 20 + k).value
    assert some.overrun() == "memory just outside of out was overwritten, at out[5]"


def test_what_is_copied_past_the_end_is_found_on_a_gpu(on_gpu):
    x, out = (on_gpu.allocate(name, 5, FLOAT, 0, 16) for name in ("x", "out"))
    assert on_gpu.overrun() is None
    byte_at(out, 20).value = byte_at(x, 20).value
    assert on_gpu.overrun() == "memory past the end of out was overwritten"


def test_an_empty_tensor_has_nothing_beside_it():
    some = Buffers(False, False)
    assert some.allocate("x", 0, FLOAT, 0, 16).numel() == 0
    assert some.overrun() is None


# ---- on a GPU


def test_on_a_gpu_a_pattern_lies_on_both_sides(on_gpu):
    x = on_gpu.allocate("x", 5, FLOAT, 3, 4)
    whole = x._base
    assert (x.storage_offset(), whole.numel()) == (64 + 3, 64 + 3 + 5 + 64)
    pattern = whole.view(torch.int32)
    assert (pattern[:67] == 0x7FC0DEAD).all() and (pattern[72:] == 0x7FC0DEAD).all()
    x.fill_(1.0)
    assert on_gpu.overrun() is None
    long = on_gpu.allocate("y", 1000, FLOAT, 3, 4)
    assert (long._base.view(torch.int32)[-64:] == 0x7FC0DEAD ^ 1).all()


@pytest.mark.parametrize(
    ("at", "words"),
    [
        (0, "memory before the start of x was overwritten"),
        (66, "memory before the start of x was overwritten"),
        (72, "memory past the end of x was overwritten"),
        (135, "memory past the end of x was overwritten"),
    ],
)
def test_on_a_gpu_a_write_beside_a_tensor_is_found(on_gpu, at, words):
    on_gpu.allocate("w", 5, FLOAT, 3, 4)
    x = on_gpu.allocate("x", 5, FLOAT, 3, 4)
    x._base[at] = 0.0
    assert on_gpu.overrun() == words


# ---- what a fault says


def fault(tensor, offset, kind=FaultKind.OUT_OF_BOUNDS, access="read"):
    address = tensor.data_ptr() + offset
    place, words = f"address {address:#x}", {"read": "read from", "write": "write to"}[access]
    return KernelFault(
        f"{words} {place}", kind=kind, address=address, place=place, access=access
    )


def test_an_address_becomes_an_element_and_a_question():
    some = Buffers(False, False)
    x = some.allocate("x", 5, FLOAT, 0, 4)
    question = "is the index tested against n?"
    assert some.explain(fault(x, 20)) == f"read from x[5], but x has 5 elements: {question}"
    before = "the index is below 0, so look at what is subtracted in it, and "
    words = f"read from x[-1], but x has 5 elements: {before}"
    assert some.explain(fault(x, -1)).startswith(words)
    assert some.explain(fault(x, -4 * 256)).startswith("read from x[-256], but")
    advice = "far outside of it, so look at how the index is computed"
    words = "read from x[100,004], but x has 5 elements"
    assert some.explain(fault(x, 4 * 100_004)) == f"{words}: {advice}"
    assert some.explain(fault(x, -4 * 257)).endswith(advice)
    farther = fault(x, 2 * emulator.GAP)
    assert some.explain(farther) == str(farther)


def test_a_misaligned_access_is_explained():
    some = Buffers(False, False)
    x = some.allocate("x", 5, FLOAT, 0, 4)
    advice = (
        "A slice may start anywhere: declare what the kernel needs (`// [n] 16-byte aligned`)"
    )
    misaligned = fault(x, 4, FaultKind.MISALIGNED)
    assert some.explain(misaligned) == f"read from x[1]. {advice}"
    at_16 = some.allocate("y", 5, FLOAT, 0, 16)
    for tensor, is_round in ((at_16, True), (some.allocate("z", 5, FLOAT, 1, 4), False)):
        words = "a read: the address must be a multiple of 16 bytes"
        address = tensor.data_ptr() + 12
        misaligned = KernelFault(words, kind=FaultKind.MISALIGNED, address=address)
        said = (
            "y itself lies at such an address, so look at the index: it must be a multiple of 4"
        )
        assert some.explain(misaligned).startswith(f"{words}. {said if is_round else advice}")
    unknown = KernelFault("misaligned", kind=FaultKind.MISALIGNED)
    assert some.explain(unknown) == f"misaligned. {advice}"


def test_a_write_to_an_input_is_one_inside_of_it():
    some = Buffers(False, False)
    x = some.allocate("x", 5, FLOAT, 0, 4)
    inside = some.explain(fault(x, 8, access="write"))
    assert inside == (
        "write to x[2]: the input x was written, even if it is restored later: a const tensor "
        "is read-only"
    )
    question = "is the index tested against n?"
    behind = some.explain(fault(x, 20, access="write"))
    assert behind == f"write to x[5], but x has 5 elements: {question}"
    assert some.explain(fault(x, 8)) == f"read from x[2]: {question}"


def test_the_launcher_s_own_access_names_the_element_only():
    some = Buffers(False, False)
    x = some.allocate("x", 5, FLOAT, 0, 4)
    for access, words in (("read", "read from x[2]"), ("write", "write to x[2]")):
        assert some.explain(fault(x, 8, FaultKind.HOST, access)) == words
    without = KernelFault("somewhere", kind=FaultKind.OUT_OF_BOUNDS, access="write")
    assert some.explain(without) == "somewhere"


def test_kernels_may_write_what_is_not_read_only_and_host_code_nothing(monkeypatch):
    some, held, library = Buffers(False, False), [], FakeEmulator()
    a, out = (some.allocate(name, 5, FLOAT, 0, 4) for name in ("a", "out"))

    @contextlib.contextmanager
    def read_only(tensors):
        held.append([x.data_ptr() for x in tensors])
        yield
        held.append("released")

    def pages(whole, writable):
        return [(whole.data_ptr(), writable)]

    monkeypatch.setattr(buffers.emulator, "read_only", read_only)
    monkeypatch.setattr(buffers.emulator, "pages", pages)
    with some.protected(library, {"a"}):
        assert held == [[a.data_ptr()]]
        assert library.pages == [(a.data_ptr(), False), (out.data_ptr(), True)]
    assert held[1:] == ["released"]


def test_on_a_gpu_a_fault_speaks_for_itself(on_gpu):
    x = on_gpu.allocate("x", 5, FLOAT, 0, 4)
    assert on_gpu.explain(fault(x, 20)) == str(fault(x, 20))


def test_a_negative_index_that_is_the_last_bits_of_a_right_one():
    of = "block (255, 0, 0), thread (254, 0, 0): read from a[-2], but a has {} elements"
    told = buffers.wrapped(of.format("65,535"))
    assert told.endswith("thread (254, 0, 0): read from a[-2], which is a[65,534] less 2^16")
    assert not buffers.wrapped(of.format("30,000"))  # it has no such element
    assert not buffers.wrapped(of.format("65,535").replace("255", "0"))
    assert not buffers.wrapped("read past the end")


def test_a_negative_index_of_packs_is_that_of_the_thread_that_is_named():
    of = "block (130, 0, 0), thread ({}, 0, 0): read from x[-129,024], but x has {} elements"
    told = buffers.wrapped(of.format(0, "150,000"))  # 4 * (130 * 256 - 2^16)
    assert told.endswith("x[-129,024], as a number of packs gives that wraps in 16 bits")
    assert not buffers.wrapped(of.format(1, "150,000"))  # it has another pack
    assert not buffers.wrapped(of.format(0, "100,000"))  # it has no such pack


CUT = "is an index of 16 bits too narrow?"


def rows_by_number(ids, rows=50_000, dtype=torch.int32):
    """Return buffers of a table x of rows of 4, and of numbers of rows; x."""
    some = Buffers(False, False)
    x = some.allocate("x", 4 * rows, FLOAT, 0, 4)
    some.allocate("ids", len(ids), dtype, 0, 4).copy_(torch.tensor(ids))
    return some, x


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64])
def test_a_row_whose_number_was_cut_to_16_bits(dtype):
    some, x = rows_by_number([7, 45_000, 40_000], dtype=dtype)
    row = 40_000 - 65_536
    assert some.explain(fault(x, 4 * 4 * row)) == (
        "read from x[-102,144], but x has 200,000 elements: that is row -25,536, and ids has "
        f"40,000, 2^16 more: {CUT}"
    )


def test_a_row_before_the_first_that_no_number_explains():
    row = 40_000 - 65_536
    some, x = rows_by_number([7, 40_000])
    for index in (4 * row + 1, 4 * (row - 1), 3 * row):  # within a row; another; of other rows
        assert CUT not in some.explain(fault(x, 4 * index))
    for ids, rows, dtype in (
        ([7, 39_999], 50_000, torch.int32),
        ([7, 40_000 + 65_536], 50_000, torch.int32),
        ([7, 40_000], 40_000, torch.int32),  # there is no such row
        ([7, 40_000], 50_000, FLOAT),
    ):
        some, x = rows_by_number(ids, rows, dtype)
        assert CUT not in some.explain(fault(x, 4 * 4 * row))
    some, x = rows_by_number([7, 40_000], 40_001)  # the last one
    assert CUT in some.explain(fault(x, 4 * 4 * row))


def test_the_last_number_that_16_bits_hold_and_the_next_one():
    some, x = rows_by_number([7, 65_535], 70_000)
    assert "that is row -1, and ids has 65,535" in some.explain(fault(x, -4 * 4))
    some, x = rows_by_number([7, 65_536], 70_000)  # of which the last 16 bits are row 0
    assert "ids has" not in some.explain(fault(x, -4 * 4))
    some, x = rows_by_number([7, 32_768], 70_000)
    assert "that is row -32,768" in some.explain(fault(x, -4 * 4 * 32_768))


def test_memory_of_the_launcher_that_is_too_short():
    some = Buffers(False, False)
    words = "read from byte 512 of 328 bytes that cudaMalloc gave"
    outside = KernelFault(words, kind=FaultKind.OUT_OF_BOUNDS)
    assert some.explain(outside) == (
        f"{words}, which is outside of it: what limits the index (n, the blocks of the launch, "
        "the threads of one), and is the memory made for as many?"
    )
    freed = KernelFault(f"{words} and that are freed", kind=FaultKind.OUT_OF_BOUNDS)
    assert some.explain(freed) == str(freed)


@pytest.mark.parametrize("dtype", [torch.float32, torch.int8, torch.float16])
def test_a_copy_with_room_has_zeros_beside_it(dtype):
    x = torch.arange(1, 7).reshape(2, 3).to(dtype)
    copy = with_room(x, "cpu")
    assert torch.equal(copy, x) and copy.data_ptr() % 64 == 0
    whole = torch.as_strided(copy, (6 + 2 * ROOM,), (1,), 0)
    assert whole.sum() == x.sum() and copy.storage_offset() == ROOM
