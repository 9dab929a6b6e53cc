"""Read what a launch of an emulated kernel left, and set how the next one runs.

Every C function that the emulator adds to a kernel's library is declared here and nowhere else.
"""

from __future__ import annotations

import _ctypes
import contextlib
import ctypes
import math
import weakref
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from helpers.emulator.card import CardFacts
from helpers.emulator.memory import CANARY
from helpers.errors import FaultKind, KernelFault

# In the order of `Rule` and of `Access` in include/emulator_error.h.
KINDS = (
    FaultKind.OTHER,
    FaultKind.OUT_OF_BOUNDS,
    FaultKind.MISALIGNED,
    FaultKind.SHARED_OUT_OF_BOUNDS,
    FaultKind.TIMEOUT,
    FaultKind.BARRIER,
    FaultKind.WARP,
    FaultKind.ASSERT,
    FaultKind.TRAP,
    FaultKind.STACK_OVERFLOW,
    FaultKind.ARITHMETIC,
    FaultKind.EXCEPTION,
    FaultKind.HOST,
)
ACCESSES = ("", "read", "write")
FORWARD, REVERSE, SHUFFLED = 0, 1, 2  # the order of a grid's blocks and of a block's threads
GARBAGE = 0xFF  # the byte that fills fresh memory: NaN as a float, -1 as an integer
REVERSE_COLUMNS = 3  # as REVERSE, but the block after the last one is that above it


class _Fault(ctypes.Structure):
    """`EmulatorFault` of include/emulator_error.h."""

    _fields_ = (
        ("rule", ctypes.c_int),
        ("access", ctypes.c_int),
        ("address", ctypes.c_ulonglong),
        ("words", ctypes.c_char_p),
        ("place", ctypes.c_char_p),
        ("thread", ctypes.c_char_p),
    )


class _Refusal(ctypes.Structure):
    """`EmulatorRefusal` of include/emulator_error.h."""

    _fields_ = (
        ("words", ctypes.c_char_p),
        ("side", ctypes.c_char_p),
        ("size", ctypes.c_uint),
    )


@dataclass(frozen=True)
class Refusal:
    """Why a launch was refused: in words, and by which side of the grid or the block."""

    words: str
    side: str = ""  # "grid.x", if its size is the reason
    size: int = 0  # of that side


# name: (what it returns, what it takes)
FUNCTIONS = {
    "cudaGetLastError": (ctypes.c_int, ()),
    "cudaGetErrorString": (ctypes.c_char_p, (ctypes.c_int,)),
    "cudaGetErrorName": (ctypes.c_char_p, (ctypes.c_int,)),
    "emulator_take_fault": (ctypes.POINTER(_Fault), ()),
    "emulator_take_refusal": (ctypes.POINTER(_Refusal), ()),
    "emulator_take_printf": (ctypes.c_char_p, ()),
    "emulator_has_report": (ctypes.c_int, ()),
    "emulator_last_stream": (ctypes.c_void_p, ()),
    "emulator_trim": (None, ()),
    "emulator_add_sparse": (None, (ctypes.c_void_p, ctypes.c_size_t)),
    "emulator_clear_sparse": (None, ()),
    "emulator_add_device_memory": (
        None,
        (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t),
    ),
    "emulator_clear_device_memory": (None, ()),
    "emulator_set_schedule": (None, (ctypes.c_int, ctypes.c_uint)),
    "emulator_set_streams_as_asked": (None, (ctypes.c_int,)),
    "emulator_take_overtaking": (ctypes.c_char_p, ()),
    "emulator_set_shared_front": (None, (ctypes.c_int,)),
    "emulator_set_garbage": (None, (ctypes.c_int, ctypes.c_int)),
    "emulator_set_shared_byte": (None, (ctypes.c_int,)),
    "emulator_set_grid_turned": (None, (ctypes.c_int,)),
    "emulator_set_timeout": (ctypes.c_double, (ctypes.c_double,)),
    "emulator_take_blocks_abreast": (ctypes.c_int64, ()),
    "emulator_take_largest_launch": (None, (ctypes.POINTER(ctypes.c_int64 * 6),)),
    "emulator_set_workers": (ctypes.c_int, (ctypes.c_int,)),
    "emulator_set_card": (None, (ctypes.POINTER(CardFacts),)),
}


@dataclass(frozen=True)
class LaunchSize:
    """The blocks of a grid and the threads of a block, in x, y and z; str() says how many."""

    grid: tuple[int, ...] = (0, 0, 0)
    block: tuple[int, ...] = (0, 0, 0)

    @property
    def blocks(self) -> int:
        """All blocks of the grid."""
        return math.prod(self.grid)

    @property
    def threads(self) -> int:
        """All threads of a block."""
        return math.prod(self.block)

    @property
    def total(self) -> int:
        """All threads of all blocks."""
        return self.blocks * self.threads

    def __str__(self) -> str:
        s = ("s" * (self.blocks != 1), "s" * (self.threads != 1))
        sides = [x for x in self.block if x > 1]
        threads = " x ".join(f"{x:,}" for x in sides or (self.threads,))
        return f"{self.blocks:,} block{s[0]} of {threads} thread{s[1]}"


_loaded: weakref.WeakSet[ctypes.CDLL] = weakref.WeakSet()


def load(path: str | Path) -> ctypes.CDLL:
    """Load an emulated kernel's library; it is closed when nothing refers to it any more.

    What libraries that were loaded before keep for their next launch, some thousand mappings
    of stacks, is given back: a process may have 65,530 mappings. Raises OSError if the file
    cannot be loaded.
    """
    for other in list(_loaded):
        other["emulator_trim"]()
    dll = ctypes.CDLL(str(path))
    weakref.finalize(dll, _ctypes.dlclose, dll._handle).atexit = False
    _loaded.add(dll)
    return dll


def _text(value: bytes | None) -> str:
    return (value or b"").decode(errors="replace")


class Library:
    """The library of an emulated kernel: its launchers in `dll`, the emulator's functions here.

    library: the .so file, or what ctypes made of it.
    """

    def __init__(self, library: ctypes.CDLL | str | Path):
        self.dll = library if isinstance(library, ctypes.CDLL) else load(library)
        for name, (result, arguments) in FUNCTIONS.items():
            function = getattr(self.dll, name)
            function.restype, function.argtypes = result, arguments

    def has_report(self) -> bool:
        """Say whether the last launch left an error, a fault or printed lines."""
        return bool(self.dll.emulator_has_report())

    def take_fault(self, file: str = "") -> KernelFault | None:
        """Return the fault of the last launch, if there was one, and forget it.

        file: the name of the .cu file, with which the message then begins.
        """
        found = self.dll.emulator_take_fault()
        if not found:
            return None
        fault = found.contents
        return KernelFault(
            f"{file}: {_text(fault.words)}" if file else _text(fault.words),
            kind=KINDS[fault.rule],
            address=fault.address or None,
            access=ACCESSES[fault.access],
            thread=_text(fault.thread),
            place=_text(fault.place),
        )

    def take_printf(self) -> str:
        """Return what kernels have printed since the last call."""
        return _text(self.dll.emulator_take_printf())

    def take_error(self) -> int:
        """Return CUDA's number of the last error, 0 if there was none, and forget it."""
        return self.dll.cudaGetLastError()

    def take_refusal(self) -> Refusal | None:
        """Return why the last launch was refused, if it was, and forget it."""
        found = self.dll.emulator_take_refusal()
        if not found:
            return None
        refusal = found.contents
        return Refusal(_text(refusal.words), _text(refusal.side), refusal.size)

    def error_words(self, error: int) -> str:
        """Return CUDA's words for an error number."""
        return _text(self.dll.cudaGetErrorString(error))

    def error_name(self, error: int) -> str:
        """Return CUDA's name of an error number, such as "cudaErrorInvalidValue"."""
        return _text(self.dll.cudaGetErrorName(error))

    def take_blocks_abreast(self) -> int:
        """Return how many blocks have run in their kernel's second form since the last call."""
        return self.dll.emulator_take_blocks_abreast()

    def take_largest_launch(self) -> LaunchSize:
        """Return the size of the launch of the most threads since the last call.

        That of no threads if there was none.
        """
        its = (ctypes.c_int64 * 6)()
        self.dll.emulator_take_largest_launch(its)
        return LaunchSize(tuple(its[:3]), tuple(its[3:]))

    @property
    def last_stream(self) -> int | None:
        """The stream of the last launch, as an address.

        None for the default one, and where the launcher asked that for another launch, a copy
        or the like, and did not wait for it.
        """
        return self.dll.emulator_last_stream()

    def take_overtaking(self) -> str:
        """Return which work of a stream was done before earlier work of another, in words.

        Of the last launcher; "" if no work was: such as has the same memory is named first.
        """
        return _text(self.dll.emulator_take_overtaking())

    def set_card(self, facts: CardFacts) -> None:
        """Tell launchers from now on that the device is this card.

        A launcher may keep what it was told first: give a library its card before it runs.
        """
        self.dll.emulator_set_card(facts)

    @contextlib.contextmanager
    def schedule(self, mode: int, seed: int = 1) -> Iterator[None]:
        """Run blocks and threads FORWARD, in REVERSE or SHUFFLED while the context is open.

        Or in REVERSE_COLUMNS, for grids of two or three dimensions.
        """
        self.dll.emulator_set_schedule(mode, seed)
        try:
            yield
        finally:
            self.dll.emulator_set_schedule(FORWARD, 0)

    @contextlib.contextmanager
    def streams_as_asked(self) -> Iterator[None]:
        """Do the work of all streams at once, in the order in which it is asked for.

        Otherwise it is done in the order that is worst for a launcher which forgets an event.
        """
        self.dll.emulator_set_streams_as_asked(True)
        try:
            yield
        finally:
            self.dll.emulator_set_streams_as_asked(False)

    @contextlib.contextmanager
    def shared_front(self, front: bool) -> Iterator[None]:
        """Put shared memory behind its inaccessible page, instead of before it.

        Then a read or write before an array's start is a fault, instead of one past its end.
        """
        self.dll.emulator_set_shared_front(front)
        try:
            yield
        finally:
            self.dll.emulator_set_shared_front(False)

    @contextlib.contextmanager
    def shared_garbage(self, byte: int) -> Iterator[None]:
        """Fill shared memory with a byte for each block; NaN and -1 are usual, GARBAGE."""
        self.dll.emulator_set_shared_byte(byte)
        try:
            yield
        finally:
            self.dll.emulator_set_shared_byte(GARBAGE)

    @contextlib.contextmanager
    def grid_turned(self) -> Iterator[None]:
        """Launch each grid with its x and y exchanged while the context is open."""
        self.dll.emulator_set_grid_turned(True)
        try:
            yield
        finally:
            self.dll.emulator_set_grid_turned(False)

    @contextlib.contextmanager
    def garbage(self, byte: int = GARBAGE, behind: int = CANARY) -> Iterator[None]:
        """Fill the memory that cudaMalloc gives with a byte; NaN and -1 are usual, GARBAGE.

        behind: the byte that lies between its end and the gap behind it.
        """
        self.dll.emulator_set_garbage(byte, behind)
        try:
            yield
        finally:
            self.dll.emulator_set_garbage(GARBAGE, CANARY)

    @contextlib.contextmanager
    def sparse(self, regions: Iterable[tuple[int, int]]) -> Iterator[None]:
        """Let cudaMemset and cudaMemcpy touch only the last MB of what they write there.

        regions: (address, bytes) of tensors of which only the ends are looked at.
        """
        for address, size in regions:
            self.dll.emulator_add_sparse(address, size)
        try:
            yield
        finally:
            self.dll.emulator_clear_sparse()

    @contextlib.contextmanager
    def device_memory(self, pages: Iterable[tuple[int, int, bool, int, int]]) -> Iterator[None]:
        """Make an access of a launcher's own code there a fault, as it is on a GPU.

        pages: of guarded tensors, (address, bytes, whether a kernel may write, the tensor's
        address, its bytes), as `memory.pages` returns them.
        """
        for each in pages:
            self.dll.emulator_add_device_memory(*each)
        try:
            yield
        finally:
            self.dll.emulator_clear_device_memory()

    @contextlib.contextmanager
    def timeout(self, seconds: float, at_most: bool = False) -> Iterator[None]:
        """End a kernel with a TIMEOUT fault after so many seconds of its own CPU time.

        at_most: a shorter time that is set already stays.
        """
        before = self.dll.emulator_set_timeout(seconds)
        if at_most and 0 < before < seconds:
            self.dll.emulator_set_timeout(before)
        try:
            yield
        finally:
            self.dll.emulator_set_timeout(before)

    @contextlib.contextmanager
    def workers(self, count: int) -> Iterator[None]:
        """Run kernels on `count` OS threads while the context is open."""
        before = self.dll.emulator_set_workers(count)
        try:
            yield
        finally:
            self.dll.emulator_set_workers(before)
