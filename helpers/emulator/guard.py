"""CPU tensors whose memory ends, or begins, at an inaccessible page, so that a step outside is seen at once."""

from __future__ import annotations

import ctypes
import mmap
import weakref

import torch

CANARY = 0xCB
_libc = ctypes.CDLL(None, use_errno=True)
_libc.mmap.restype = ctypes.c_void_p
_libc.mmap.argtypes = [
    ctypes.c_void_p,
    ctypes.c_size_t,
    ctypes.c_int,
    ctypes.c_int,
    ctypes.c_int,
    ctypes.c_long,
]
_libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
_libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
_PROT_NONE, _FAILED = 0, ctypes.c_void_p(-1).value
_gaps: dict[
    int, tuple[int, int]
] = {}  # by a tensor's address: where its canary lies, and how many bytes


def _map(pages: int) -> int:
    """The address of `pages` usable pages between two inaccessible ones."""
    size = (pages + 2) * mmap.PAGESIZE
    base = _libc.mmap(None, size, _PROT_NONE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, 0)
    if base == _FAILED:
        raise MemoryError(f"no memory for {size:,} bytes")
    if pages and _libc.mprotect(
        base + mmap.PAGESIZE, pages * mmap.PAGESIZE, mmap.PROT_READ | mmap.PROT_WRITE
    ):
        _libc.munmap(base, size)
        raise MemoryError(f"no memory for {size:,} bytes")
    return base + mmap.PAGESIZE


def _release(begin: int, pages: int, address: int) -> None:
    _gaps.pop(address, None)
    _libc.munmap(begin - mmap.PAGESIZE, (pages + 2) * mmap.PAGESIZE)


def guarded(
    numel: int, dtype: torch.dtype, alignment: int, front: bool = False
) -> torch.Tensor:
    """An uninitialised 1-D CPU tensor [numel] of `dtype` with an inaccessible page behind its last element.

    With `front`, the page lies before the first element instead. `alignment` (bytes, a power of two) is the
    address's; where the size is no multiple of it, fewer than `alignment` bytes stay between the last element
    and the page, and hold a pattern that `guarded_intact` checks. The memory is unmapped with the tensor's storage.

    Raises ValueError for a negative size or an alignment that is no power of two, MemoryError where there is none.
    """
    if numel < 0:
        raise ValueError(f"numel is {numel}; it must not be negative")
    if alignment < 1 or alignment & (alignment - 1) or alignment > mmap.PAGESIZE:
        raise ValueError(
            f"alignment is {alignment}; it must be a power of two up to {mmap.PAGESIZE}"
        )
    alignment = max(alignment, dtype.itemsize & -dtype.itemsize)
    size = numel * dtype.itemsize
    room = -(-size // alignment) * alignment
    pages = -(-max(room, 1) // mmap.PAGESIZE)
    begin = _map(pages)
    end = begin + pages * mmap.PAGESIZE
    address = begin if front else end - room
    gap_begin, gap = address + size, (end - address - size if front else room - size)
    gap = min(gap, mmap.PAGESIZE)
    ctypes.memset(gap_begin, CANARY, gap)
    # One byte at least, as a buffer of none has no address; an empty tensor is a slice of none of it.
    buffer = (ctypes.c_uint8 * max(size, 1)).from_address(address if size else begin)
    weakref.finalize(buffer, _release, begin, pages, address)
    whole = torch.frombuffer(buffer, dtype=torch.uint8)
    tensor = whole[:size].view(dtype)
    _gaps[address] = (gap_begin, gap)
    return tensor


def guarded_intact(tensor: torch.Tensor) -> bool:
    """Whether the pattern between a guarded tensor's last element and its page is untouched.

    Raises ValueError for a tensor that `guarded` did not make.
    """
    address = tensor.data_ptr()
    if tensor.numel() == 0:
        return True
    if address not in _gaps:
        raise ValueError("not a tensor that guarded() made")
    begin, size = _gaps[address]
    return ctypes.string_at(begin, size) == bytes([CANARY]) * size
