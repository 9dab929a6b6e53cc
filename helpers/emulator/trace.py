"""Read what the tracer counted: requests, sectors, wavefronts, branches, barriers and races.

A request is one instruction of one warp. The words are those of Nsight Compute; the counters
that they stand for are in `helpers.measure.trace_counters`.
"""

from __future__ import annotations

import ctypes
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from helpers.emulator.runtime import Library
from helpers.emulator.traced import Line, lines
from helpers.errors import KernelFault
from helpers.specs import SECTOR_BYTES, WARP_SIZE

KINDS = ("block", "load", "store", "atomic", "barrier", "warp operation", "end")
SPACES = ("global", "shared", "local")
RULES = ("race", "unwritten")
THREADS = 1024  # a thread's number in a race is its block's times this, plus its own

_U32, _U64, _BYTE = ctypes.c_uint32, ctypes.c_uint64, ctypes.c_uint8
_SUMS = (
    "requests lanes bytes_asked sectors lines wavefronts ideal_wavefronts collisions".split()
)


class _Access(ctypes.Structure):
    _fields_ = (
        ("pc", _U32),
        *((name, _BYTE) for name in ("kind", "space", "bytes", "unused")),
        *((name, _U64) for name in _SUMS),
        *(("worst_mask", _U32), ("worst_cost", _U32), ("worst", _U64 * WARP_SIZE)),
    )


class _Branch(ctypes.Structure):
    _fields_ = (
        *((name, _U32) for name in ("pc", "block", "first_target", "targets")),
        *((name, _U64) for name in ("executed", "divergent", "lanes")),
    )


class _Sync(ctypes.Structure):
    _fields_ = (("pc", _U32), ("kind", _U32), ("executed", _U64), ("lanes", _U64))


class _Step(ctypes.Structure):
    _fields_ = (
        *(("pc", _U32), ("mask", _U32)),
        *((name, _BYTE) for name in ("kind", "space", "bytes")),
        *(("unused", _BYTE * 5), ("address", _U64 * WARP_SIZE)),
    )


class _Race(ctypes.Structure):
    _fields_ = (
        *((name, _U32) for name in ("pc", "other_pc", "space", "rule", "kind", "other_kind")),
        *((name, _U64) for name in ("address", "thread", "other_thread")),
        *(("bytes", _U32), ("count", _U32)),
    )


class _Array(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char * 64),
        *((name, _U64) for name in ("begin", "bytes", "element")),
    )


_PIECES = 4  # of a merge


class _Counts(ctypes.Structure):
    _fields_ = tuple((name, _U64) for name in _SUMS)


class _Merge(ctypes.Structure):
    _fields_ = (
        *(("pc", _U32 * _PIECES), ("replaced", _Counts * _PIECES)),
        ("merged", _Access),
    )


# By their numbers in trace.cpp.
TABLES = (_Access, _Branch, _Sync, _Step, _Race, _Array, _Merge)


@dataclass(frozen=True)
class Request:
    """The addresses of one request; those of lanes that take no part are None."""

    addresses: tuple[int | None, ...]
    bytes_per_lane: int

    @classmethod
    def of(cls, mask: int, addresses: Iterable[int], bytes_per_lane: int) -> Request:
        """Make one of a mask and 32 addresses."""
        lanes = enumerate(addresses)
        return cls(tuple(a if mask >> i & 1 else None for i, a in lanes), bytes_per_lane)


@dataclass(frozen=True)
class Traffic:
    """All requests of one kind that a line makes: sums over warps.

    kind: "load", "store" or "atomic"; space: "global", "shared" or "local". worst: the request
    of most sectors, or most wavefronts in shared memory.
    """

    line: Line
    kind: str
    space: str
    bytes_per_lane: int  # the widest of its instructions
    requests: int
    lanes: int
    bytes_asked: int  # a byte that several lanes of a request ask for counts once
    sectors: int
    lines: int  # of 128 bytes
    wavefronts: int
    ideal_wavefronts: int
    collisions: int  # of atomics: lanes that meet another lane's address
    worst: Request
    worst_cost: int

    @property
    def efficiency(self) -> float:
        """Bytes asked for over bytes in the sectors touched, 0 to 1."""
        return self.bytes_asked / (self.sectors * SECTOR_BYTES)

    @property
    def sectors_per_request(self) -> float:
        """Sectors of one request on average."""
        return self.sectors / self.requests

    @property
    def lanes_per_request(self) -> float:
        """Active lanes of one request on average, up to 32."""
        return self.lanes / self.requests

    @property
    def conflicts(self) -> int:
        """Wavefronts beyond those that the number of bytes needs: bank conflicts."""
        return self.wavefronts - self.ideal_wavefronts

    def __add__(self, other: Traffic) -> Traffic:
        worst = max(self, other, key=lambda one: one.worst_cost)
        return replace(
            self,
            bytes_per_lane=max(self.bytes_per_lane, other.bytes_per_lane),
            worst=worst.worst,
            worst_cost=worst.worst_cost,
            **{name: getattr(self, name) + getattr(other, name) for name in _SUMS},
        )


@dataclass(frozen=True)
class Branch:
    """A comparison after which the lanes of a warp may go different ways."""

    line: Line
    executed: int  # by warps
    divergent: int  # of these, with lanes that went different ways
    lanes: int

    @property
    def efficiency(self) -> float:
        """The share of executions in which all lanes went the same way, 0 to 1."""
        return 1 - self.divergent / self.executed


@dataclass(frozen=True)
class Barrier:
    """A line at which the lanes of a warp wait: kind is "barrier" or "warp operation"."""

    line: Line
    kind: str
    executed: int  # by warps
    lanes: int


@dataclass(frozen=True)
class Step:
    """What the followed warp did at once: mask, line, and for an access its request."""

    line: Line
    kind: str
    space: str
    mask: int
    request: Request | None


@dataclass(frozen=True)
class SharedArray:
    """A shared array: its name in the source ("" if it is dynamic) and where it lies."""

    name: str
    begin: int
    bytes: int
    element: int  # bytes

    def place(self, address: int) -> str:
        """Return the element behind an address, such as "tile[33]"."""
        index, rest = divmod(address - self.begin, self.element)
        name = self.name or "dynamic shared memory"
        return f"{name}[{index}]" + (f" (byte {rest} of it)" if rest else "")


@dataclass(frozen=True)
class Race:
    """Two accesses that nothing orders, or a read of shared memory that nobody has written.

    rule: "race" or "unwritten". The first access is the one that came later on the emulator.
    """

    rule: str
    line: Line
    kind: str
    thread: int  # its block's number times 1024, plus its own in the block
    other_line: Line | None
    other_kind: str
    other_thread: int
    space: str
    address: int
    bytes: int
    count: int


@dataclass(frozen=True)
class Trace:
    """What a call of a launcher did, by lines of the learner's files."""

    traffic: tuple[Traffic, ...] = ()
    branches: tuple[Branch, ...] = ()
    barriers: tuple[Barrier, ...] = ()
    steps: tuple[Step, ...] = ()
    races: tuple[Race, ...] = ()
    arrays: tuple[SharedArray, ...] = field(default=(), repr=False)
    faults: tuple[KernelFault, ...] = ()  # the races in words

    def of(self, kind: str, space: str = "global", line: int | None = None) -> Traffic | None:
        """Add up the traffic of a kind in a space, on one line or on all; None without any.

        The line of a sum of several lines is that of the first.
        """
        total = None
        for one in self.traffic:
            if one.kind == kind and one.space == space and line in (None, one.line.number):
                total = one if total is None else total + one
        return total


def start(library: Library, block: int = 0, warp: int = 0) -> None:
    """Count from now on; keep the steps of one warp of one block."""
    library.dll.emulator_trace_start(ctypes.c_uint64(block), ctypes.c_int(warp))


def stop(library: Library, path: Path, files: Mapping[str, str]) -> Trace:
    """End the counting and read it. path: of the library; files: its sources by name."""
    dll = library.dll
    dll.emulator_trace_stop()
    accesses, branches, syncs, steps, races, arrays, merges = (
        _table(dll, number, kind) for number, kind in enumerate(TABLES)
    )
    places = {row.pc for rows in (accesses, branches, syncs, steps, races) for row in rows}
    places |= {row.other_pc for row in races}
    at = lines(path, places, files)
    return Trace(
        _traffic(_merged(accesses, merges, at, files), at),
        _branches(branches, at),
        _barriers(syncs, at),
        tuple(_step(row, at[row.pc]) for row in steps if row.pc in at),
        tuple(_race(row, at) for row in races if row.pc in at),
        tuple(SharedArray(a.name.decode(), a.begin, a.bytes, a.element) for a in arrays),
    )


def _table(dll: ctypes.CDLL, number: int, kind: type) -> list:
    rows = ctypes.c_uint64()
    dll.emulator_trace_table.restype = ctypes.c_void_p
    pointer = dll.emulator_trace_table(ctypes.c_int(number), ctypes.byref(rows))
    if not rows.value:
        return []
    return list(
        (kind * rows.value).from_buffer_copy(
            ctypes.string_at(pointer, rows.value * ctypes.sizeof(kind))
        )
    )


def _merged(
    rows: list[_Access], merges: Iterable[_Merge], at: dict[int, Line], files: Mapping[str, str]
) -> list[_Access]:
    """Put one read of 16 bytes in the place of four, where nvcc does (tracing/merges.h).

    It does not in a loop that it must not unroll.
    """
    reads = {
        row.pc: row
        for row in rows
        if (KINDS[row.kind], SPACES[row.space], row.bytes) == ("load", "shared", 4)
    }
    made = []
    for merge in merges:
        if any(pc not in at or _stays_rolled(at[pc], files) for pc in merge.pc):
            continue
        for pc, replaced in zip(merge.pc, merge.replaced, strict=True):
            for name in _SUMS:
                setattr(reads[pc], name, getattr(reads[pc], name) - getattr(replaced, name))
        made.append(merge.merged)
    return [row for row in rows if row.requests] + made


def _stays_rolled(line: Line, files: Mapping[str, str]) -> bool:
    """Say whether the loop that begins last before a line stands below `#pragma unroll 1`."""
    above = files[line.file].splitlines()[: line.number]
    loops = [k for k, text in enumerate(above) if re.search(r"\b(for|while|do)\b", text)]
    pragma = above[loops[-1] - 1] if loops and loops[-1] else ""
    return bool(re.match(r"\s*#\s*pragma\s+(unroll\s*\(?\s*1\b|nounroll)", pragma))


def _traffic(rows: Iterable[_Access], at: dict[int, Line]) -> tuple[Traffic, ...]:
    found: dict[tuple, Traffic] = {}
    for row in rows:
        if row.pc not in at or _in_registers(row):
            continue
        one = Traffic(
            line=at[row.pc],
            kind=KINDS[row.kind],
            space=SPACES[row.space],
            bytes_per_lane=row.bytes,
            **{name: getattr(row, name) for name in _SUMS},
            worst=Request.of(row.worst_mask, row.worst, row.bytes),
            worst_cost=row.worst_cost,
        )
        key = (one.line, one.kind, one.space)
        found[key] = found[key] + one if key in found else one
    return tuple(sorted(found.values(), key=lambda one: (one.line.file, one.line.number)))


def _in_registers(row: _Access) -> bool:
    """Say whether a local variable needs no memory: all lanes always want the same element.

    A compiler that knows the index keeps an array in registers; one that differs between the
    lanes it cannot know.
    """
    return SPACES[row.space] == "local" and row.collisions == row.lanes - row.requests


def _branches(rows: Iterable[_Branch], at: dict[int, Line]) -> tuple[Branch, ...]:
    """Add up the branches of each line; a block without a comparison has one successor."""
    sums: dict[Line, list[int]] = defaultdict(lambda: [0, 0, 0])
    for row in rows:
        place = row.pc if row.pc in at else row.block
        if place not in at or at[place].inner or (not row.pc and row.targets < 2):
            continue
        for k, value in enumerate((row.executed, row.divergent, row.lanes)):
            sums[at[place]][k] += value
    ordered = sorted(sums.items(), key=lambda item: (item[0].file, item[0].number))
    return tuple(Branch(line, *values) for line, values in ordered)


def _barriers(rows: Iterable[_Sync], at: dict[int, Line]) -> tuple[Barrier, ...]:
    return tuple(
        Barrier(at[row.pc], KINDS[row.kind], row.executed, row.lanes)
        for row in rows
        if row.pc in at
    )


def _step(row: _Step, line: Line) -> Step:
    kind = KINDS[row.kind]
    is_access = kind in ("load", "store", "atomic")
    request = Request.of(row.mask, row.address, row.bytes) if is_access else None
    return Step(line, kind, SPACES[row.space], row.mask, request)


def _race(row: _Race, at: dict[int, Line]) -> Race:
    return Race(
        RULES[row.rule],
        at[row.pc],
        KINDS[row.kind],
        row.thread - THREADS,
        at.get(row.other_pc),
        KINDS[row.other_kind],
        row.other_thread - THREADS,
        SPACES[row.space],
        row.address,
        row.bytes,
        row.count,
    )
