"""Make CPU tensors that lie between inaccessible gaps, and name the element behind an address.

`guarded` is for small tensors: an inaccessible gap begins right behind the last element, or
ends right before the first, so a step outside is a fault, and a far one as well. `sparse` is
for tensors of more than 2^31 elements: they take memory only where they are written, and a
wrapped 32-bit index leads into a gap. `Regions` turns the address of such a fault into
`x[1000], but x has 1,000 elements`.
"""

from __future__ import annotations

import contextlib
import ctypes
import mmap
import sys
import weakref
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from helpers.errors import KernelFault

if TYPE_CHECKING:
    import torch

CANARY = 0xCB  # fills the bytes between a guarded tensor's end and its gap
PAGE = mmap.PAGESIZE
# Inaccessible bytes on either side of a guarded tensor: address space alone. A kernel that is
# wrong by a stride steps far outside, where another tensor would answer.
GAP = 1 << 30
_PROT_NONE = 0
_READ_WRITE = mmap.PROT_READ | mmap.PROT_WRITE
_PRIVATE = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
# Python has no name for it before 3.11.
_NORESERVE = getattr(mmap, "MAP_NORESERVE", 0x40 if sys.platform == "darwin" else 0x4000)
_FAILED = ctypes.c_void_p(-1).value

_libc = ctypes.CDLL(None, use_errno=True)
_libc.mmap.restype = ctypes.c_void_p
_libc.mmap.argtypes = (
    ctypes.c_void_p,
    ctypes.c_size_t,
    ctypes.c_int,
    ctypes.c_int,
    ctypes.c_int,
    ctypes.c_long,
)
_libc.mprotect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
_libc.munmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t)
_libc.madvise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)

# By a guarded tensor's address: where its canary lies, and how many bytes it has.
_canaries: dict[int, tuple[int, int, int]] = {}
# By the same address: where the tensor's usable pages begin, and how many bytes they have.
_pages: dict[int, tuple[int, int]] = {}


def _round_up(number: int, multiple: int) -> int:
    return -(-number // multiple) * multiple


def _map(data: int, gap: int, flags: int = 0) -> int:
    """Map `data` usable bytes between two gaps of inaccessible ones; return their address."""
    whole = gap + data + gap
    base = _libc.mmap(None, whole, _PROT_NONE, _PRIVATE | flags, -1, 0)
    if base == _FAILED:
        raise MemoryError(f"no address space for {whole:,} bytes")
    if data and _libc.mprotect(base + gap, data, _READ_WRITE):
        _libc.munmap(base, whole)
        raise MemoryError(f"no memory for {data:,} bytes")
    return base + gap


def _unmap(begin: int, data: int, gap: int, address: int) -> None:
    _canaries.pop(address, None)
    _pages.pop(address, None)
    _libc.munmap(begin - gap, gap + data + gap)


def _tensor(address: int, size: int, dtype: torch.dtype, begin: int, data: int, gap: int):
    """Make a tensor of `size` bytes at an address of a mapping, which goes with its storage."""
    import torch  # here, as a process that only looks for an element should start without it

    # One byte at least: a buffer of none has no address. An empty tensor is a slice of none of
    # it.
    buffer = (ctypes.c_uint8 * max(size, 1)).from_address(address if size else begin)
    weakref.finalize(buffer, _unmap, begin, data, gap, address)
    return torch.frombuffer(buffer, dtype=torch.uint8)[:size].view(dtype)


def guarded(
    numel: int,
    dtype: torch.dtype,
    alignment: int,
    front: bool = False,
    pattern: int = CANARY,
) -> torch.Tensor:
    """Make an uninitialised CPU tensor [numel] that ends at an inaccessible gap of GAP bytes.

    With `front`, it begins behind one instead; another one is on the other side of its pages.
    `alignment` (bytes, a power of two) is the address's. Where the size is not a multiple of
    it, fewer than `alignment` bytes stay between the last element and the gap, and hold the
    byte `pattern`, which `guarded_intact` checks. The memory is unmapped with the tensor's
    storage. Where address space is limited (`ulimit -v`), the gaps are of one page.

    Raises ValueError if numel is negative or the alignment is not a power of two up to a page,
    MemoryError if there is no memory.
    """
    if numel < 0:
        raise ValueError(f"numel is {numel}; it must not be negative")
    if alignment < 1 or alignment & (alignment - 1) or alignment > PAGE:
        raise ValueError(f"alignment is {alignment}; it must be a power of two up to {PAGE}")
    alignment = max(alignment, dtype.itemsize & -dtype.itemsize)
    size = numel * dtype.itemsize
    room = _round_up(size, alignment)
    data = _round_up(max(room, 1), PAGE)
    gap = GAP
    try:
        begin = _map(data, gap, _NORESERVE)
    except MemoryError:
        gap = PAGE
        begin = _map(data, gap)
    address = begin if front else begin + data - room
    canary = min((data if front else room) - size, PAGE)
    ctypes.memset(address + size, pattern, canary)
    tensor = _tensor(address, size, dtype, begin, data, gap)
    _canaries[address] = (address + size, canary, pattern)
    _pages[address] = (begin, data)
    return tensor


def pages(tensor: torch.Tensor, writable: bool = True) -> list[tuple[int, int, bool, int, int]]:
    """Return where the pages of a guarded tensor lie, as `runtime.Library.device_memory` asks.

    [(address, bytes, writable, the tensor's address, its bytes)]; [] for an empty tensor.
    """
    if not tensor.numel():
        return []
    address = tensor.data_ptr()
    return [(*_pages[address], writable, address, tensor.nbytes)]


@contextlib.contextmanager
def read_only(tensors: Iterable[torch.Tensor]) -> Iterator[None]:
    """Make a write to these guarded tensors a fault while the context is open."""
    pages = [_pages[tensor.data_ptr()] for tensor in tensors if tensor.numel()]
    try:
        for begin, data in pages:
            _libc.mprotect(begin, data, mmap.PROT_READ)
        yield
    finally:
        for begin, data in pages:
            _libc.mprotect(begin, data, _READ_WRITE)


def guarded_intact(tensor: torch.Tensor) -> bool:
    """Say whether the pattern between a guarded tensor's end and its page is untouched.

    Raises ValueError if `guarded` did not make the tensor.
    """
    return guarded_changed(tensor) is None


def guarded_changed(tensor: torch.Tensor) -> int | None:
    """Return which byte behind a guarded tensor's end is the first that was overwritten.

    None if none was. Raises ValueError if `guarded` did not make the tensor.
    """
    address = tensor.data_ptr()
    if tensor.numel() == 0:
        return None
    if address not in _canaries:
        raise ValueError("not a tensor that guarded() made")
    begin, size, pattern = _canaries[address]
    found = ctypes.string_at(begin, size)
    if found == bytes([pattern]) * size:
        return None
    return next(k for k, byte in enumerate(found) if byte != pattern)


def sparse(
    numel: int, dtype: torch.dtype, alignment: int, only_read: bool = False
) -> torch.Tensor:
    """Make a CPU tensor [numel] of zeros that takes memory only where it is written.

    only_read: reading all of it is to be fast. Linux then maps zeros in pages of 2 MiB, so that
    a first read every 4 KiB is no fault; a write takes 2 MiB.
    An inaccessible gap of 2^31 elements lies before it, where a negative index leads, and one
    behind it. It ends at that gap, up to its alignment (bytes). Raises MemoryError if so much
    address space cannot be had.
    """
    gap, size = dtype.itemsize << 31, numel * dtype.itemsize
    room = _round_up(size, alignment)
    data = _round_up(room, PAGE)
    begin = _map(data, gap, _NORESERVE)
    if only_read and hasattr(mmap, "MADV_HUGEPAGE"):
        _libc.madvise(begin, data, mmap.MADV_HUGEPAGE)  # refused, it is only slower
    return _tensor(begin + data - room, size, dtype, begin, data, gap)


@dataclass(frozen=True)
class Region:
    """Where a tensor lies: its name, its address, its size and its elements' size in bytes."""

    name: str
    address: int
    bytes: int
    itemsize: int

    @classmethod
    def of(cls, name: str, tensor: torch.Tensor) -> Region:
        """Describe where a tensor lies."""
        return cls(name, tensor.data_ptr(), tensor.nbytes, tensor.element_size())

    def distance(self, address: int) -> int:
        """Return the bytes between an address and the tensor; 0 for an address inside."""
        return max(self.address - address, address - (self.address + self.bytes - 1), 0)

    def element(self, address: int) -> str:
        """Name the element at an address: `x[3]`, or `x[5], but x has 5 elements`."""
        index, count = (address - self.address) // self.itemsize, self.bytes // self.itemsize
        if 0 <= index < count:
            return f"{self.name}[{index:,}]"
        return (
            f"{self.name}[{index:,}], but {self.name} has {count:,} element{'s' * (count != 1)}"
        )


class Regions:
    """The tensors of a launch, to find the one behind an address.

    reach: how many bytes outside of a tensor an address still counts as that tensor's. None:
    as many as the tensor has, and a page at least.
    """

    def __init__(self, regions: Iterable[Region], reach: int | None = None):
        self.regions = tuple(regions)
        self.reach = reach

    @classmethod
    def of(cls, tensors: Mapping[str, torch.Tensor], reach: int | None = None) -> Regions:
        """Note where tensors lie, by their names."""
        return cls([Region.of(name, tensor) for name, tensor in tensors.items()], reach)

    def _reaches(self, region: Region, address: int) -> bool:
        reach = max(region.bytes, PAGE) if self.reach is None else self.reach
        return region.distance(address) <= reach

    def nearest(self, address: int) -> Region | None:
        """Return the region closest to an address, if one is within reach."""
        near = [region for region in self.regions if self._reaches(region, address)]
        return min(near, key=lambda region: region.distance(address), default=None)

    def named(self, fault: KernelFault) -> KernelFault:
        """Return the fault with the tensor's element in the place of the address.

        It is the same fault if no tensor is near, or if its message names no address.
        """
        near = self.nearest(fault.address) if fault.place and fault.address else None
        return fault.with_place(near.element(fault.address)) if near else fault
