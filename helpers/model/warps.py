"""How a GPU executes threads, as arithmetic: warps, divergence, shuffles, bank conflicts, scheduling, Little's law.

Everything here is pure: no GPU and no torch needed, the same answer on every machine. Cycles are clock cycles of
one multiprocessor (SM), bandwidths are bytes per cycle or GB/s (1e9 bytes per second) as the name says.

* layout      `thread_layout((16, 16))`: the warp and the lane of every thread of a block;
* divergence  `branch_cost(mask, 100, 1)`: what a branch costs warps that disagree; `sorted_speedup`, `mask_timeline`;
* shuffles    `down_sum_rounds(values)`: every lane's value after each round of a warp sum;
* banks       `bank_conflict(column_addresses(0, pitch=32))`: turns that a warp's access to shared memory takes;
* scheduling  `simulate(warps, Program(...))`: one SM's schedulers, cycle by cycle; `throughput_bounds`;
* Little      `bytes_in_flight`, `latency_bound_GBps`, `bytes_to_fill`: how much must be asked for at once.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from enum import IntEnum
from itertools import pairwise
from operator import index

import numpy as np

from helpers.specs import WARP_SIZE, Gpu

BANKS = 32  # of shared memory, one 4-byte word a cycle each
BANK_BYTES = 4
MAX_BLOCK = (1024, 1024, 64)  # threads along x, y, z; together at most 1,024
MAX_THREADS = 1024


# ---- which thread is in which warp --------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class ThreadLayout:
    """Every thread of a block: int arrays of shape (z, y, x), so that `warp[z, y, x]` reads as CUDA names it."""

    block: tuple[int, int, int]  # blockDim.x, .y, .z
    warp_size: int
    linear: np.ndarray  # the thread's number in the block
    warp: np.ndarray
    lane: np.ndarray

    @property
    def threads(self) -> int:
        return math.prod(self.block)

    @property
    def warps(self) -> int:
        """Warps that the block takes; the last may be partly empty."""
        return math.ceil(self.threads / self.warp_size)

    @property
    def idle_lanes(self) -> int:
        """Lanes of the last warp that no thread sits in."""
        return self.warps * self.warp_size - self.threads


def thread_layout(block: int | Sequence[int], warp_size: int = WARP_SIZE) -> ThreadLayout:
    """The linear id, warp and lane of every thread of a block of shape `(x,)`, `(x, y)` or `(x, y, z)`.

    Threads fill warps by their linear id, x fastest: id = x + y Dx + z Dx Dy, warp = id // 32, lane = id % 32
    (CUDA C++ Programming Guide, "Thread Hierarchy" and "SIMT Architecture").

    Raises ValueError for a shape that no GPU launches: more than 1,024 threads, or 64 along z.
    """
    shape = (block,) if np.ndim(block) == 0 else tuple(block)
    if not 1 <= len(shape) <= 3:
        raise ValueError(f"a block has 1 to 3 dimensions (x, y, z), not {len(shape)}: {shape}")
    dx, dy, dz = (_positive("each dimension of a block", size) for size in (*shape, 1, 1)[:3])
    warp_size = _positive("warp_size", warp_size)
    if dx * dy * dz > MAX_THREADS or dz > MAX_BLOCK[2]:
        raise ValueError(
            f"a block of {dx} x {dy} x {dz} = {dx * dy * dz} threads cannot be launched: the limits are {MAX_THREADS} "
            f"in all and {MAX_BLOCK[2]} along z; make the block smaller and the grid larger"
        )
    z, y, x = np.indices((dz, dy, dx))
    linear = x + y * dx + z * dx * dy
    return ThreadLayout(
        (dx, dy, dz), warp_size, linear, linear // warp_size, linear % warp_size
    )


# ---- divergence ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class BranchCost:
    """What a two-way branch costs a set of warps, by the model of `branch_cost`."""

    warps: int
    divergent: int  # warps with threads on both sides
    cycles: float  # summed over the warps: each side counts once for each warp that has a thread on it
    useful: float  # thread-cycles: each thread's own side
    warp_size: int = WARP_SIZE

    @property
    def utilisation(self) -> float:
        """Useful thread-cycles over the thread-cycles that the warps occupied, 0 to 1."""
        return self.useful / (self.warp_size * self.cycles) if self.cycles else 1.0


def split(threads_a: int, warp_size: int = WARP_SIZE) -> np.ndarray:
    """One warp whose first `threads_a` lanes take side A: a bool array [warp_size]."""
    if not 0 <= index(threads_a) <= warp_size:
        raise ValueError(
            f"threads_a is {threads_a}: a warp has 0 to {warp_size} threads on a side"
        )
    return np.arange(warp_size) < threads_a


def branch_cost(
    takes_a, cycles_a: float, cycles_b: float, warp_size: int = WARP_SIZE
) -> BranchCost:
    """The cost of `if (takes_a[i]) A else B` over all threads i, in warps of `warp_size` neighbours.

    The model: a warp runs A if any of its threads takes A, then B if any takes B, the other threads masked off;
    so a warp takes cycles(A), cycles(B) or their sum. `takes_a` is any array of booleans [n]; n need be no multiple
    of the warp size (the last warp's missing threads idle).

    Source of the model: CUDA C++ Programming Guide, "SIMT Architecture". It leaves out the branch itself, and what
    other warps do meanwhile.
    """
    takes_a = _booleans(takes_a)
    cycles_a, cycles_b = _cycles("cycles_a", cycles_a), _cycles("cycles_b", cycles_b)
    warp_size = _positive("warp_size", warp_size)
    starts = np.arange(0, takes_a.size, warp_size)
    in_a = np.add.reduceat(takes_a, starts, dtype=np.int64)
    in_warp = np.minimum(warp_size, takes_a.size - starts)
    runs_a, runs_b = in_a > 0, in_a < in_warp
    return BranchCost(
        warps=starts.size,
        divergent=int((runs_a & runs_b).sum()),
        cycles=int(runs_a.sum()) * cycles_a + int(runs_b.sum()) * cycles_b,
        useful=int(in_a.sum()) * cycles_a + int((in_warp - in_a).sum()) * cycles_b,
        warp_size=warp_size,
    )


def divergence_probability(p: float, warp_size: int = WARP_SIZE) -> float:
    """The chance that a warp diverges if each thread takes side A with probability `p`, independently.

    1 - p^32 - (1 - p)^32: all but "all take A" and "all take B".
    """
    p = _probability(p)
    return max(0.0, 1.0 - p**warp_size - (1.0 - p) ** warp_size)


def mixed_cycles(
    p: float, cycles_a: float, cycles_b: float, warp_size: int = WARP_SIZE
) -> float:
    """Expected cycles of a warp whose threads take A at random with probability `p`.

    A runs unless nobody takes it, B likewise: (1 - (1 - p)^32) cycles(A) + (1 - p^32) cycles(B).
    """
    p = _probability(p)
    return (1.0 - (1.0 - p) ** warp_size) * _cycles("cycles_a", cycles_a) + (
        1.0 - p**warp_size
    ) * _cycles("cycles_b", cycles_b)


def sorted_cycles(p: float, cycles_a: float, cycles_b: float) -> float:
    """Mean cycles of a warp when the same data are sorted: a share `p` of the warps runs A, the rest B.

    p cycles(A) + (1 - p) cycles(B). At most one warp of the whole array still diverges; it is left out.
    """
    p = _probability(p)
    return p * _cycles("cycles_a", cycles_a) + (1.0 - p) * _cycles("cycles_b", cycles_b)


def sorted_speedup(
    p: float, cycles_a: float, cycles_b: float, warp_size: int = WARP_SIZE
) -> float:
    """How many times faster the same data run sorted than mixed at random: `mixed_cycles` / `sorted_cycles`.

    An upper limit for a measured time, in which loads, stores and the launch do not diverge.
    """
    after = sorted_cycles(p, cycles_a, cycles_b)
    return mixed_cycles(p, cycles_a, cycles_b, warp_size) / after if after else 1.0


def issue_time_us(gpu: Gpu, warps: float, instructions: float) -> float:
    """Microseconds that a GPU needs at least to issue `instructions` for each of `warps` warps.

    Each of an SM's schedulers issues one instruction of one warp a cycle, at the boost clock. Raises ValueError where
    the clock is unknown.
    """
    if gpu.boost_MHz is None:
        raise ValueError(
            f"the clock of {gpu.name} is unknown, so its issue rate is, too; add it to data/gpus.csv"
        )
    slots_per_us = gpu.sm_count * gpu.capability.sm_subpartitions_schedulers * gpu.boost_MHz
    return _cycles("warps", warps) * _cycles("instructions", instructions) / slots_per_us


@dataclass(frozen=True)
class MaskSpan:
    """From cycle `start` up to, not including, `stop` the warp runs `side` with the lanes of `mask` active."""

    start: float
    stop: float
    side: str  # "A" or "B"
    mask: tuple[bool, ...]  # lane 0 first

    @property
    def active(self) -> int:
        return sum(self.mask)


def mask_timeline(takes_a, cycles_a: float, cycles_b: float) -> list[MaskSpan]:
    """One warp's active masks in order: A's threads, then B's under the complementary mask; empty sides are skipped.

    `takes_a` holds one warp's booleans, lane 0 first. That A comes first is the model's choice: hardware promises
    no order.
    """
    takes_a = _booleans(takes_a)
    spans, now = [], 0
    sides = (
        ("A", takes_a, _cycles("cycles_a", cycles_a)),
        ("B", ~takes_a, _cycles("cycles_b", cycles_b)),
    )
    for side, mask, cycles in sides:
        if mask.any():
            spans.append(MaskSpan(now, now + cycles, side, tuple(mask.tolist())))
            now += cycles
    return spans


def mask_text(mask) -> str:
    """A mask as digits with lane 0 at the right, as the number is written that `__activemask()` returns."""
    return "".join("1" if active else "0" for active in _booleans(mask)[::-1])


# ---- shuffles -----------------------------------------------------------------------------------------------------


def down_sources(offset: int, warp_size: int = WARP_SIZE) -> np.ndarray:
    """The lane that each lane reads in `__shfl_down_sync(..., offset)`: lane + offset, or itself beyond the end."""
    lanes = np.arange(warp_size)
    return np.where(lanes + offset < warp_size, lanes + offset, lanes)


def xor_sources(lane_mask: int, warp_size: int = WARP_SIZE) -> np.ndarray:
    """The lane that each lane reads in `__shfl_xor_sync(..., lane_mask)`: lane ^ lane_mask, or itself past the end."""
    lanes = np.arange(warp_size)
    return np.where(lanes ^ lane_mask < warp_size, lanes ^ lane_mask, lanes)


def down_sum_rounds(values) -> np.ndarray:
    """Every lane's value before and after each round of `value += __shfl_down_sync(mask, value, offset)`.

    `values` [32] (any power of two) gives an array [6, 32] of the same dtype: row 0 as given, row r after the round
    with offset 32 >> r. Lane 0 ends with the sum; a lane that reads beyond the end gets its own value back and so
    doubles it (CUDA C++ Programming Guide, "Warp Shuffle Functions"): only lane 0 is of use.
    """
    return _rounds(values, down_sources)


def butterfly_rounds(values) -> np.ndarray:
    """The same for `value += __shfl_xor_sync(mask, value, offset)`: in the end every lane has the sum."""
    return _rounds(values, xor_sources)


def round_offsets(warp_size: int = WARP_SIZE) -> list[int]:
    """The offsets of a warp sum's rounds: 16, 8, 4, 2, 1."""
    if warp_size < 1 or warp_size & (warp_size - 1):
        raise ValueError(f"a warp sum by halves needs a power of two of lanes, not {warp_size}")
    return [warp_size >> r for r in range(1, warp_size.bit_length())]


def _rounds(values, sources) -> np.ndarray:
    rows = [np.asarray(values)]
    if rows[0].ndim != 1:
        raise ValueError(
            f"give one value for each lane, a 1-D array, not one of shape {rows[0].shape}"
        )
    for offset in round_offsets(rows[0].size):
        rows.append(rows[-1] + rows[-1][sources(offset, rows[0].size)])
    return np.stack(rows)


# ---- banks of shared memory ---------------------------------------------------------------------------------------


def banks_of(addresses) -> np.ndarray:
    """The bank of each byte address in shared memory: neighbouring 4-byte words lie in neighbouring banks, of 32."""
    return _word_addresses(addresses) // BANK_BYTES % BANKS


def bank_conflict(addresses) -> int:
    """The turns that one 4-byte access by a warp takes: 1 without a conflict, up to 32. No lanes: 0.

    `addresses` are byte addresses [up to 32], one for each active lane. A bank serves one word a turn; lanes that
    want the same word share it (a broadcast). So the answer is the largest number of different words in one bank
    (CUDA C++ Programming Guide, "Shared Memory", compute capability 5.0 and later).
    """
    words = _word_addresses(addresses) // BANK_BYTES
    if words.size > WARP_SIZE:
        raise ValueError(
            f"{words.size} addresses: one access has at most {WARP_SIZE}, one for each lane"
        )
    return int(np.bincount(np.unique(words) % BANKS).max()) if words.size else 0


def column_addresses(column: int, pitch: int = 32, rows: int = 32) -> np.ndarray:
    """Byte addresses of a column of a float tile whose rows are `pitch` elements apart: lane r reads row r."""
    return BANK_BYTES * (np.arange(rows) * pitch + column)


def row_addresses(row: int, pitch: int = 32, columns: int = 32) -> np.ndarray:
    """Byte addresses of a row of the same tile: lane c reads column c."""
    return BANK_BYTES * (row * pitch + np.arange(columns))


def tile_banks(pitch: int = 32, rows: int = 32, columns: int = 32) -> np.ndarray:
    """The bank of every element of a tile, [rows, columns]: with pitch 32 a column is one bank, with 33 all 32."""
    return banks_of(np.stack([row_addresses(row, pitch, columns) for row in range(rows)]))


# ---- a chain of loads ---------------------------------------------------------------------------------------------


def random_cycle(count: int, stride: int = 1, seed: int = 0) -> np.ndarray:
    """Indices for a pointer chase: int32 [count * stride], where `next[i]` is the index to go to from i.

    Starting at 0, the chase visits each of the `count` multiples of `stride` once, in random order, and comes back:
    so it touches `count` places, `4 * stride` bytes apart, and no prefetcher can guess the next. Elements between
    the places point at themselves and are never read.
    """
    count, stride = _positive("count", count), _positive("stride", stride)
    if count * stride > np.iinfo(np.int32).max:
        raise ValueError(
            f"{count} x {stride} indices do not fit an int32; use fewer places or a smaller stride"
        )
    order = (
        np.concatenate([[0], 1 + np.random.default_rng(seed).permutation(count - 1)]) * stride
    )
    following = np.arange(count * stride, dtype=np.int32)
    following[order] = np.roll(order, -1)
    return following


# ---- the schedulers of one SM -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Program:
    """What each warp does `iterations` times: ask for data, wait for all of them, compute.

    `loads` instructions that do not wait for each other, then `alu` instructions of which each waits for the one
    before it, the first also for all the data. The next iteration's loads may issue right after the last of them.
    """

    loads: int = 1  # load instructions in a row: instruction-level parallelism
    bytes_per_load: int = 128  # of the whole warp: 32 lanes of 4 bytes
    latency: int = (
        500  # cycles from issuing a load to its data, when memory has nothing else to do
    )
    alu: int = 1
    alu_latency: int = 4  # cycles until the next instruction can use a result
    iterations: int = 10

    def __post_init__(self):
        for field in fields(self):
            value = getattr(self, field.name)
            lowest = 0 if field.name in ("loads", "alu") else 1
            if not isinstance(value, (int, np.integer)) or value < lowest:
                raise ValueError(
                    f"Program.{field.name} is {value!r}: it must be a whole number of at least {lowest}"
                )
        if self.loads + self.alu == 0:
            raise ValueError(
                "a program without loads and without arithmetic does nothing: set loads or alu"
            )

    @property
    def instructions(self) -> int:
        return (self.loads + self.alu) * self.iterations

    @property
    def bytes(self) -> int:
        """Bytes that one warp loads in all its iterations."""
        return self.loads * self.bytes_per_load * self.iterations

    @property
    def period(self) -> int:
        """Cycles of one iteration of a warp that is alone on the SM.

        loads + latency + (alu - 1) alu_latency; with no arithmetic one less than loads + latency; with no loads
        alu x alu_latency. Exact if a load takes at least as long as an arithmetic instruction.
        """
        if self.loads == 0:
            return self.alu * self.alu_latency
        if self.alu == 0:
            return self.loads - 1 + self.latency
        return self.loads + self.latency + (self.alu - 1) * self.alu_latency

    @property
    def alone(self) -> int:
        """Cycles until a warp that is alone has finished: its iterations and the last instruction's result."""
        if self.alu == 0:
            return self.iterations * self.period
        last_issue = self.iterations * self.period - (
            self.alu_latency if self.loads == 0 else 1
        )
        return last_issue + self.alu_latency


POLICIES = ("oldest", "round robin")


class State(IntEnum):
    """What a warp is doing in one cycle."""

    STALLED = 0  # it waits for data, for a result, or for room in the memory system
    READY = 1  # it could issue, but its scheduler chose another warp
    ISSUED = 2  # it issued an instruction in this cycle
    DONE = 3


@dataclass(frozen=True, eq=False)
class Schedule:
    """A run of `simulate`: who did what in every cycle, and the totals."""

    program: Program
    schedulers: int
    state: np.ndarray  # uint8 [warps, cycles], values of State
    in_flight: np.ndarray  # int64 [cycles], bytes asked for and not yet there
    load_issued: (
        np.ndarray
    )  # int64 [loads in all], the cycle of each load's issue, in issue order
    load_arrived: (
        np.ndarray
    )  # int64 [loads in all], the first cycle in which its data are there

    @property
    def warps(self) -> int:
        return self.state.shape[0]

    @property
    def cycles(self) -> int:
        return self.state.shape[1]

    def count(self, state: State) -> np.ndarray:
        """Warps in that state in every cycle: int64 [cycles]."""
        return (self.state == state).sum(axis=0)

    @property
    def bytes_moved(self) -> int:
        return self.load_issued.size * self.program.bytes_per_load

    @property
    def bytes_per_cycle(self) -> float:
        return self.bytes_moved / self.cycles

    @property
    def issue_utilisation(self) -> float:
        """Instructions issued over the issue slots there were: schedulers x cycles."""
        return int((self.state == State.ISSUED).sum()) / (self.schedulers * self.cycles)

    @property
    def mean_bytes_in_flight(self) -> float:
        return float(self.in_flight.mean())

    @property
    def mean_latency(self) -> float:
        """Cycles that a load took on average, queueing included; nan without loads."""
        return (
            float((self.load_arrived - self.load_issued).mean())
            if self.load_issued.size
            else math.nan
        )

    def timeline(self, warp: int) -> list[tuple[int, int, State]]:
        """(start, stop, state) of one warp's stretches in order; together they cover every cycle once."""
        row = self.state[warp]
        edges = [0, *(np.flatnonzero(np.diff(row)) + 1).tolist(), row.size]
        return [(start, stop, State(row[start])) for start, stop in pairwise(edges)]


class _Memory:
    """A memory that serves requests in order, at most `bytes_per_cycle`, each `latency` cycles after its turn."""

    def __init__(
        self, latency: int, max_outstanding: int | None, bytes_per_cycle: float | None
    ):
        self.latency, self.max_outstanding, self.bytes_per_cycle = (
            latency,
            max_outstanding,
            bytes_per_cycle,
        )
        self.free_at = 0.0
        self.waiting: list[int] = []  # arrivals of the loads in flight, a heap

    def retire(self, now: int) -> None:
        while self.waiting and self.waiting[0] <= now:
            heapq.heappop(self.waiting)

    def has_room(self, now: int) -> bool:
        self.retire(now)
        return self.max_outstanding is None or len(self.waiting) < self.max_outstanding

    def load(self, now: int, size: int) -> int:
        """The first cycle in which the data are there."""
        turn = max(float(now), self.free_at)
        self.free_at = turn + (size / self.bytes_per_cycle if self.bytes_per_cycle else 0.0)
        arrival = math.ceil(max(turn + self.latency, self.free_at))
        heapq.heappush(self.waiting, arrival)
        return arrival


class _Warp:
    """One warp's place in its program, and the first cycle in which it may issue its next instruction."""

    def __init__(self, program: Program):
        self.program = program
        self.left = program.instructions
        self.step = 0  # of this iteration
        self.may_issue = 0
        self.data_at = 0
        self.result_at = 0

    @property
    def wants_load(self) -> bool:
        return self.step < self.program.loads

    @property
    def done_at(self) -> int:
        return max(self.data_at, self.result_at)

    def issue(self, now: int, arrival: int | None) -> None:
        if arrival is None:
            self.result_at = now + self.program.alu_latency
        else:
            self.data_at = max(self.data_at, arrival)
        self.left -= 1
        self.step = (self.step + 1) % (self.program.loads + self.program.alu)
        self.may_issue = now + 1
        waits_for_data = self.step == self.program.loads or self.program.alu == 0 == self.step
        if waits_for_data:
            self.may_issue = max(self.may_issue, self.data_at)
        if not self.wants_load:
            self.may_issue = max(self.may_issue, self.result_at)


def simulate(
    warps: int,
    program: Program | None = None,
    schedulers: int = 4,
    max_outstanding: int | None = None,
    bytes_per_cycle: float | None = None,
    policy: str = "oldest",
) -> Schedule:
    """Run `warps` warps of one SM to the end of their program, cycle by cycle.

    Warp w belongs to scheduler w % schedulers for ever. In each cycle each scheduler issues one instruction of one
    of its ready warps: the one with the lowest number ("oldest"), or the next in turn ("round robin", which keeps
    the warps in step, so that they also wait together). NVIDIA does not publish its own policy. Switching
    costs nothing. `max_outstanding` caps the loads in flight on the SM; `bytes_per_cycle` is the memory's bandwidth
    for this SM: requests are served in order. None means no such limit. Deterministic: the same arguments give the
    same schedule.

    What it leaves out: caches, dual use of pipes, instruction fetch, and other SMs.
    """
    program = program or Program()
    warps, schedulers = _positive("warps", warps), _positive("schedulers", schedulers)
    if max_outstanding is not None:
        max_outstanding = _positive("max_outstanding", max_outstanding)
    if bytes_per_cycle is not None and not bytes_per_cycle > 0:
        raise ValueError(
            f"bytes_per_cycle is {bytes_per_cycle}: give a bandwidth above 0, or None for no limit"
        )
    if policy not in POLICIES:
        raise ValueError(f"policy is {policy!r}: choose one of {', '.join(POLICIES)}")

    memory = _Memory(program.latency, max_outstanding, bytes_per_cycle)
    pool = [_Warp(program) for _ in range(warps)]
    turn = list(range(min(schedulers, warps)))  # the warp that each scheduler looks at first
    issued: list[tuple[int, int]] = []  # (warp, cycle)
    ready: list[tuple[int, int]] = []
    loads: list[tuple[int, int]] = []  # (issued, arrived)

    now = 0
    unfinished = set(range(warps))
    while unfinished:
        candidates = {w for w in unfinished if pool[w].may_issue <= now}
        progress = False
        for s in range(len(turn)):
            s = (s + now) % len(
                turn
            )  # each scheduler comes first in its turn when room in memory is short
            chosen = None
            mine = range(s, warps, schedulers)
            first = (turn[s] - s) // schedulers
            for w in (*mine[first:], *mine[:first]):
                if w in candidates and not (pool[w].wants_load and not memory.has_room(now)):
                    if chosen is None:
                        chosen = w
                    else:
                        ready.append((w, now))
            if chosen is None:
                continue
            progress = True
            arrival = (
                memory.load(now, program.bytes_per_load) if pool[chosen].wants_load else None
            )
            if arrival is not None:
                loads.append((now, arrival))
            pool[chosen].issue(now, arrival)
            issued.append((chosen, now))
            if policy == "round robin":
                turn[s] = chosen + schedulers if chosen + schedulers < warps else s
            if pool[chosen].left == 0:
                unfinished.discard(chosen)
        now = (
            now + 1
            if progress
            else _next_event(now, (pool[w].may_issue for w in unfinished), memory)
        )

    return _schedule(program, schedulers, pool, issued, ready, loads)


def _next_event(now: int, may_issue, memory: _Memory) -> int:
    """The next cycle in which anything can change: a warp may issue, or a load comes back and leaves room."""
    memory.retire(now)
    times = [cycle for cycle in may_issue if cycle > now] + memory.waiting[:1]
    return min(times)


def _schedule(program, schedulers, pool, issued, ready, loads) -> Schedule:
    cycles = max(warp.done_at for warp in pool)
    state = np.full((len(pool), cycles), State.STALLED, dtype=np.uint8)
    for value, marks in ((State.READY, ready), (State.ISSUED, issued)):
        if marks:
            state[tuple(np.array(marks).T)] = value
    for row, warp in zip(state, pool, strict=True):
        row[warp.done_at :] = State.DONE
    start, stop = np.array(loads, dtype=np.int64).reshape(-1, 2).T
    change = np.zeros(cycles + 1, dtype=np.int64)
    np.add.at(change, start, program.bytes_per_load)
    np.add.at(change, stop, -program.bytes_per_load)
    return Schedule(program, schedulers, state, change.cumsum()[:-1], start, stop)


def throughput_bounds(
    warps: int,
    program: Program,
    schedulers: int = 4,
    max_outstanding: int | None = None,
    bytes_per_cycle: float | None = None,
) -> dict[str, float]:
    """Bytes per cycle of one SM that no schedule can exceed, by what sets the limit.

    "latency": each warp moves its iteration's bytes once per `period`, Little's law with warps x loads in flight;
    "issue": the fullest scheduler issues one instruction a cycle; "outstanding": Little's law for the cap;
    "bandwidth": the memory's own. The lowest holds, and near two of them at once a real schedule stays below both.
    """
    warps, schedulers = _positive("warps", warps), _positive("schedulers", schedulers)
    per_iteration = warps * program.loads * program.bytes_per_load
    fullest = math.ceil(warps / schedulers)
    bounds = {
        "latency": per_iteration / program.period,
        "issue": per_iteration / (fullest * (program.loads + program.alu)),
    }
    if max_outstanding is not None:
        bounds["outstanding"] = (
            _positive("max_outstanding", max_outstanding)
            * program.bytes_per_load
            / program.latency
        )
    if bytes_per_cycle is not None:
        bounds["bandwidth"] = float(bytes_per_cycle)
    return bounds


# ---- Little's law -------------------------------------------------------------------------------------------------


def bytes_in_flight(gpu: Gpu, resident_threads: int, bytes_per_thread: float) -> float:
    """Bytes that a whole GPU has asked for at once: SMs x resident threads of an SM x bytes that each waits for.

    Raises ValueError for more threads than an SM holds.
    """
    limit = gpu.capability.max_threads_per_sm
    if not 0 < resident_threads <= limit:
        raise ValueError(
            f"{resident_threads} resident threads: an SM of {gpu.name} holds 1 to {limit}"
        )
    return gpu.sm_count * resident_threads * bytes_per_thread


def latency_bound_GBps(
    gpu: Gpu,
    resident_threads: int,
    bytes_per_thread: float,
    latency_ns: float,
    roof_GBps: float | None = None,
) -> float:
    """The read bandwidth that a number of bytes in flight can reach, in GB/s: bytes in flight / latency, or the roof.

    Little's law, L = lambda W (J. D. C. Little, Operations Research 9, 1961), read for memory: bytes in flight =
    bandwidth x latency. One byte per nanosecond is 1 GB/s. `roof_GBps` is the memory's bandwidth, by default the
    card's DRAM bandwidth of `data/gpus.csv`. The latency is the loaded one: it grows as the memory fills.
    """
    _cycles("latency_ns", latency_ns)
    reached = bytes_in_flight(gpu, resident_threads, bytes_per_thread) / latency_ns
    return min(reached, gpu.dram_GBps if roof_GBps is None else roof_GBps)


def bytes_to_fill(bandwidth_GBps: float, latency_ns: float) -> float:
    """Bytes that must be in flight to reach a bandwidth: GB/s x ns = bytes (Little's law)."""
    return _cycles("bandwidth_GBps", bandwidth_GBps) * _cycles("latency_ns", latency_ns)


# ---- checks of arguments ------------------------------------------------------------------------------------------


def _positive(name: str, value) -> int:
    try:
        value = index(value)
    except TypeError:
        raise TypeError(f"{name} is {value!r}: give a whole number") from None
    if value < 1:
        raise ValueError(f"{name} is {value}: it must be at least 1")
    return value


def _cycles(name: str, value: float) -> float:
    if not value >= 0 or math.isinf(value):
        raise ValueError(f"{name} is {value}: give a finite number, 0 or more")
    return value


def _probability(p: float) -> float:
    if not 0.0 <= p <= 1.0:
        raise ValueError(f"p is {p}: a fraction of the threads lies between 0 and 1")
    return p


def _booleans(mask) -> np.ndarray:
    mask = np.asarray(mask)
    if mask.dtype != np.bool_:
        raise TypeError(
            f"give booleans, one for each thread, such as `x >= 0`; not {mask.dtype}"
        )
    if mask.size == 0:
        raise ValueError("there is no thread: give at least one boolean")
    return mask.ravel()


def _word_addresses(addresses) -> np.ndarray:
    addresses = np.asarray(addresses)
    if addresses.size and (
        not np.issubdtype(addresses.dtype, np.integer) or addresses.min() < 0
    ):
        raise ValueError(
            "addresses are byte offsets in shared memory: whole numbers, 0 or more"
        )
    if (addresses % BANK_BYTES).any():
        raise ValueError(
            f"a 4-byte access needs addresses that are multiples of {BANK_BYTES}; multiply indices by 4"
        )
    return addresses
