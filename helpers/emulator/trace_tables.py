"""Start and stop the tracer of a traced library, and read its tables (tracing/trace.cpp)."""

from __future__ import annotations

import ctypes
import itertools
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

from helpers.emulator.runtime import Library
from helpers.emulator.trace import (
    SUMS,
    Barrier,
    Branch,
    Race,
    Request,
    SharedArray,
    Step,
    Trace,
    Traffic,
)
from helpers.emulator.trace_source import (
    are_together,
    asks_for_the_last,
    can_merge,
    drops_result,
    is_before_the_loop,
    is_one_for_the_warp,
    takes_a_number,
)
from helpers.emulator.traced import Line, lines
from helpers.specs import WARP_SIZE

KINDS = ("block", "load", "store", "atomic", "barrier", "warp operation", "end")
SPACES = ("global", "shared", "local")
# Of a race: two accesses without an order; of shared memory that nobody has written; before the
# wait for an asynchronous copy; behind an atomic, without a fence; behind an atomic of the same
# word, of which only a used result says that it was first; a volatile word that is read where
# only a count says that it is written, with no fence between the two; no race, but an access
# past the end of memory, or to another thread's local variable.
RULES = (
    "race",
    "unwritten",
    "copying",
    "unfenced",
    "behind",
    "unpublished",
    "outside",
    "foreign",
)
SCOPES = ("warp", "block", "grid")
THREADS = 1024  # a thread's number in a race is its block's times this, plus its own

_U32, _U64, _BYTE = ctypes.c_uint32, ctypes.c_uint64, ctypes.c_uint8


class _Access(ctypes.Structure):
    _fields_ = (
        ("pc", _U32),
        *((name, _BYTE) for name in ("kind", "space", "bytes")),
        *(("is_sum", _BYTE, 1), ("has_place", _BYTE, 1)),
        *((name, _U64) for name in SUMS),
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
        *((name, _U32) for name in ("bytes", "count", "scope", "update", "between", "past")),
    )


class _Array(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char * 64),
        *((name, _U64) for name in ("begin", "bytes", "element")),
    )


_PIECES = 4  # of a merge


class _Counts(ctypes.Structure):
    _fields_ = tuple((name, _U64) for name in SUMS)


class _Merge(ctypes.Structure):
    _fields_ = (
        *(("pc", _U32 * _PIECES), ("pieces", _U32), ("unused", _U32)),
        *(("replaced", _Counts * _PIECES), ("merged", _Access)),
    )


class _Again(ctypes.Structure):
    _fields_ = (
        *((name, _U32) for name in ("pc", "first_pc", "bytes", "space")),
        ("counts", _Counts),
    )


class _Launched(ctypes.Structure):
    _fields_ = tuple((name, _U64) for name in ("blocks", "threads", "writers", "together"))


# By their numbers in trace.cpp.
TABLES = (_Access, _Branch, _Sync, _Step, _Race, _Array, _Merge, _Again)


def start(library: Library, block: int = 0, warp: int = 0) -> None:
    """Count from now on; keep the steps of one warp of one block."""
    library.dll.emulator_trace_start(ctypes.c_uint64(block), ctypes.c_int(warp))


def stop(library: Library, path: Path, files: Mapping[str, str]) -> Trace:
    """End the counting and read it. path: of the library; files: its sources by name."""
    dll = library.dll
    dll.emulator_trace_stop()
    accesses, branches, syncs, steps, races, arrays, merges, again = (
        _table(dll, number, kind) for number, kind in enumerate(TABLES)
    )
    places = {row.pc for rows in (accesses, branches, syncs, steps, races) for row in rows}
    places |= {pc for row in races for pc in (row.other_pc, row.between)}
    at = lines(path, places, files)
    return Trace(
        _traffic(_compiled(accesses, again, merges, at, files), at),
        _branches(branches, at),
        _barriers(syncs, at),
        tuple(_step(row, at[row.pc]) for row in steps if row.pc in at),
        tuple(_race(row, at) for row in races if row.pc in at and _counts(row, at, files)),
        tuple(SharedArray(a.name.decode(), a.begin, a.bytes, a.element) for a in arrays),
        **_launched(dll),
    )


def _launched(dll: ctypes.CDLL) -> dict[str, int]:
    dll.emulator_trace_launched.restype = ctypes.POINTER(_Launched)
    counted = dll.emulator_trace_launched().contents
    return {
        "blocks": counted.blocks,
        "threads": counted.threads,
        "writing_threads": counted.writers,
        "untraced": counted.together,
    }


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


def _compiled(
    rows: list[_Access],
    again: Iterable[_Again],
    merges: Iterable[_Merge],
    at: dict[int, Line],
    files: Mapping[str, str],
) -> list[_Access]:
    """Make of the accesses that the source asks for those that nvcc makes of them."""
    return _combined(_merged(_hoisted(rows, again, at, files), merges, at, files), at, files)


def _hoisted(
    rows: list[_Access], again: Iterable[_Again], at: dict[int, Line], files: Mapping[str, str]
) -> list[_Access]:
    """Take out the reads of a loop that nvcc does before it (`is_before_the_loop`).

    A line may have other reads, whose addresses are the same from time to time.
    """
    reads = {(row.pc, row.bytes, row.space): row for row in rows if KINDS[row.kind] == "load"}
    repeated = defaultdict(list)
    for one in again:
        if one.pc in at and at[one.pc] == at.get(one.first_pc):
            repeated[one.pc, one.bytes, one.space].append(one.counts)
    for place, counts in repeated.items():
        row = reads[place]
        often = 2 * sum(one.requests for one in counts) >= row.requests
        if often and is_before_the_loop(at[row.pc], files):
            for one, name in itertools.product(counts, SUMS):
                setattr(row, name, getattr(row, name) - getattr(one, name))
    return [row for row in rows if row.requests]


def _merged(
    rows: list[_Access], merges: Iterable[_Merge], at: dict[int, Line], files: Mapping[str, str]
) -> list[_Access]:
    """Put one access of 16 or 8 bytes in the place of several, where nvcc does (merges.h).

    It does not in a loop that it must not unroll, and where it cannot know the place. merges:
    the widest first; a place that is part of one is of no other.
    """
    found = {
        (row.pc, row.kind, row.bytes): row for row in rows if SPACES[row.space] != "global"
    }
    made, taken = [], {}  # the width of the access that a place is part of
    for merge in merges:
        pcs, kind, whole = merge.pc[: merge.pieces], merge.merged.kind, merge.merged.bytes
        in_loop = len({*pcs}) < merge.pieces
        wide = (kind, whole)
        if any(
            taken.get(pc, wide) != wide or pc not in at or not can_merge(at[pc], files, in_loop)
            for pc in pcs
        ) or not are_together([at[pc] for pc in pcs], files):
            continue
        for pc, replaced in zip(pcs, merge.replaced, strict=False):
            row = found[pc, kind, whole // merge.pieces]
            for name in SUMS:
                setattr(row, name, getattr(row, name) - getattr(replaced, name))
        taken |= dict.fromkeys(pcs, wide)
        made.append(merge.merged)
    return [row for row in rows if row.requests] + made


def _combined(
    rows: list[_Access], at: dict[int, Line], files: Mapping[str, str]
) -> list[_Access]:
    """Let one lane do a warp's atomic where nvcc does (`is_one_for_the_warp`)."""
    for row in rows:
        together = row.collisions == row.lanes - row.requests  # all lanes at one address
        if not (row.is_sum and SPACES[row.space] == "global" and together):
            continue
        if row.pc in at and is_one_for_the_warp(at[row.pc], files):
            row.lanes = row.sectors = row.requests
            row.collisions, row.worst_cost = 0, 1
    return rows


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
            **{name: getattr(row, name) for name in SUMS},
            worst=Request.of(row.worst_mask, row.worst, row.bytes),
            worst_cost=row.worst_cost,
        )
        key = (one.line, one.kind, one.space)
        found[key] = found[key] + one if key in found else one
    return tuple(sorted(found.values(), key=lambda one: (one.line.file, one.line.number)))


def _in_registers(row: _Access) -> bool:
    """Say whether a local variable needs no memory: all lanes always want the same element.

    A compiler that knows the index keeps an array in registers; one that differs between the
    lanes it cannot know, nor one that comes from data (`local_arrays`).
    """
    same = row.collisions == row.lanes - row.requests
    return SPACES[row.space] == "local" and same and not row.has_place


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


def _counts(row: _Race, at: dict[int, Line], files: Mapping[str, str]) -> bool:
    """Say whether a race is one.

    Not where an atomic's result may say that it came last; nor where a count told the last
    block of what the others wrote behind a fence. The memory model asks for a second fence
    there, but kernels in wide use have none (threadFenceReduction of NVIDIA's samples).
    """
    rule, told_by = RULES[row.rule], at.get(row.between)
    if rule == "behind":
        return told_by is not None and drops_result(told_by, files)
    if rule == "unpublished":
        return told_by is not None and asks_for_the_last(told_by, files)
    return rule != "unfenced" or told_by is None or not takes_a_number(told_by, files)


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
        SCOPES[row.scope],
        bool(row.update),
        at.get(row.between),
        row.past,
    )
