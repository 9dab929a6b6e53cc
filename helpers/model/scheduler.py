"""Simulate how one SM's schedulers issue its resident warps' instructions, cycle by cycle.

`simulate(16, Program(latency=500))` runs 16 warps, each of which loads, waits and computes, to
their end. Cycles are clock cycles of one multiprocessor (SM), bandwidths bytes per cycle of one
SM. No GPU and no torch needed.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from helpers.model.arguments import Amount, checked, finite, positive, whole_number
from helpers.model.schedule import Program, Schedule, State
from helpers.specs import Gpu

MOST_CYCLES = 20_000_000  # of all warps together: a minute
POLICIES = ("oldest", "round robin")


# ---- the parts of the machine ----------------------------------------------------------------


class _Memory:
    """Serve loads in order, each `latency` cycles after its transfer began, and no faster.

    At most `bytes_per_cycle` are transferred, at most `max_outstanding` loads are in flight.
    None: no such limit.
    """

    def __init__(
        self, latency: int, max_outstanding: int | None, bytes_per_cycle: float | None
    ):
        self.latency = latency
        self.max_outstanding = max_outstanding
        self.bytes_per_cycle = bytes_per_cycle
        self.free_at = 0.0  # when the next transfer may begin
        self.arrivals: list[int] = []  # of the loads in flight, a heap

    def retire(self, now: int) -> None:
        """Forget the loads that have arrived."""
        while self.arrivals and self.arrivals[0] <= now:
            heapq.heappop(self.arrivals)

    def has_room(self, now: int) -> bool:
        self.retire(now)
        return self.max_outstanding is None or len(self.arrivals) < self.max_outstanding

    def load(self, now: int, size: int) -> int:
        """Accept a load of `size` bytes; return the first cycle in which its data are there."""
        begin = max(float(now), self.free_at)
        self.free_at = begin + (size / self.bytes_per_cycle if self.bytes_per_cycle else 0.0)
        arrival = math.ceil(max(begin + self.latency, self.free_at))
        heapq.heappush(self.arrivals, arrival)
        return arrival


class _Warp:
    """One warp's position in its program, and the first cycle in which it may issue again."""

    def __init__(self, number: int, program: Program):
        self.number = number
        self.program = program
        self.left = program.instructions
        self.step = 0  # of this iteration
        self.wants_load = program.loads > 0
        self.may_issue: float = 0
        self.data_at = 0
        self.result_at = 0

    @property
    def done_at(self) -> int:
        return max(self.data_at, self.result_at)

    def issue(self, now: int, arrival: int | None) -> None:
        """Issue the next instruction: a load that arrives then, or arithmetic (None)."""
        if arrival is None:
            self.result_at = now + self.program.alu_latency
        else:
            self.data_at = max(self.data_at, arrival)
        self.left -= 1
        self.step = (self.step + 1) % (self.program.loads + self.program.alu)
        self.wants_load = self.step < self.program.loads
        self.may_issue = now + 1
        waits_for_data = self.step == self.program.loads or self.program.alu == 0 == self.step
        if waits_for_data:
            self.may_issue = max(self.may_issue, self.data_at)
        if not self.wants_load:
            self.may_issue = max(self.may_issue, self.result_at)
        if self.left == 0:
            self.may_issue = math.inf


class _Scheduler:
    """Choose one ready warp a cycle: the first in `warps`, which "round robin" rotates."""

    def __init__(self, warps: Sequence[_Warp], policy: str):
        self.warps = list(warps)
        self.rotates = policy == "round robin"
        self.wakes_at: float = 0  # before, none of its warps may issue

    def ready(self, now: int, memory: _Memory) -> list[_Warp]:
        """List the warps that could issue, the chosen one first."""
        if now < self.wakes_at:
            return []
        awake = [warp for warp in self.warps if warp.may_issue <= now]
        if not awake:
            self.wakes_at = min(warp.may_issue for warp in self.warps)
        elif not memory.has_room(now):
            return [warp for warp in awake if not warp.wants_load]
        return awake

    def chose(self, warp: _Warp) -> None:
        if self.rotates:
            after = self.warps.index(warp) + 1
            self.warps = self.warps[after:] + self.warps[:after]


@dataclass
class _Log:
    """What happened, to be drawn as a `Schedule`."""

    issued: list[tuple[int, int]] = field(default_factory=list)  # (warp, cycle)
    ready: list[tuple[int, int]] = field(default_factory=list)  # (warp, cycle), not chosen
    loads: list[tuple[int, int]] = field(default_factory=list)  # (issued, arrived)


# ---- the simulation --------------------------------------------------------------------------


@checked
def simulate(
    warps: int,
    program: Program | None = None,
    schedulers: int = 4,
    max_outstanding: int | None = None,
    bytes_per_cycle: float | None = None,
    policy: str = "oldest",
) -> Schedule:
    """Run `warps` warps of one SM to the end of their program, cycle by cycle.

    Warp w belongs to scheduler w % schedulers. In each cycle each scheduler issues one
    instruction of one of its ready warps: of the lowest number ("oldest"), or of the next after
    the last one ("round robin", which keeps the warps in step, so that they also wait
    together). NVIDIA does not publish its own policy. Switching costs nothing.
    `max_outstanding` limits the loads in flight on the SM, `bytes_per_cycle` the memory's
    bandwidth for this SM, with requests served in order; None means no limit. Deterministic.

    Left out: caches, pipes that take two cycles an instruction, instruction fetch, other SMs.
    Raises ValueError or TypeError for counts below 1, fractions, and unknown policies.
    """
    program = program or Program()
    warps, schedulers = whole_number("warps", warps), whole_number("schedulers", schedulers)
    if max_outstanding is not None:
        max_outstanding = whole_number("max_outstanding", max_outstanding)
    if bytes_per_cycle is not None:
        bytes_per_cycle = positive("bytes_per_cycle", bytes_per_cycle)
    if policy not in POLICIES:
        raise ValueError(f"policy is {policy!r}: choose one of {', '.join(POLICIES)}")

    cycles = warps * program.iterations * program.period
    if cycles > MOST_CYCLES:
        raise ValueError(
            f"warps is {warps}: {warps} warps of {program.iterations} iterations are too much "
            f"to simulate, some {cycles:,.0f} cycles; {MOST_CYCLES:,} are the most"
        )
    memory = _Memory(program.latency, max_outstanding, bytes_per_cycle)
    pool = [_Warp(number, program) for number in range(warps)]
    used = [_Scheduler(pool[s::schedulers], policy) for s in range(min(schedulers, warps))]
    log = _Log()
    now, left = 0, warps * program.instructions
    while left:
        # The first scheduler rotates, in case the memory has room for one load only.
        first = now % len(used)
        issued = [_issue(one, now, memory, log) for one in (*used[first:], *used[:first])]
        left -= sum(issued)
        now = now + 1 if any(issued) else _next_event(now, pool, memory)
    return _schedule(program, schedulers, pool, log)


def _issue(scheduler: _Scheduler, now: int, memory: _Memory, log: _Log) -> bool:
    """Issue one instruction of one warp; return False if none is ready."""
    ready = scheduler.ready(now, memory)
    if not ready:
        return False
    chosen, *others = ready
    arrival = None
    if chosen.wants_load:
        arrival = memory.load(now, chosen.program.bytes_per_load)
        log.loads.append((now, arrival))
    chosen.issue(now, arrival)
    scheduler.chose(chosen)
    log.issued.append((chosen.number, now))
    log.ready.extend((warp.number, now) for warp in others)
    return True


def _next_event(now: int, pool: Iterable[_Warp], memory: _Memory) -> int:
    """Find the next cycle in which a warp may issue, or a load arrives and leaves room."""
    memory.retire(now)
    return min([w.may_issue for w in pool if w.may_issue > now] + memory.arrivals[:1])


def _schedule(program: Program, schedulers: int, pool: Sequence[_Warp], log: _Log) -> Schedule:
    cycles = max(warp.done_at for warp in pool)
    state = np.full((len(pool), cycles), State.STALLED, dtype=np.uint8)
    for value, marks in ((State.READY, log.ready), (State.ISSUED, log.issued)):
        if marks:
            state[tuple(np.array(marks).T)] = value
    for row, warp in zip(state, pool, strict=True):
        row[warp.done_at :] = State.DONE
    start, stop = np.array(log.loads, dtype=np.int64).reshape(-1, 2).T
    change = np.zeros(cycles + 1, dtype=np.int64)
    np.add.at(change, start, program.bytes_per_load)
    np.add.at(change, stop, -program.bytes_per_load)
    return Schedule(program, schedulers, state, change.cumsum()[:-1], start, stop)


# ---- bounds ----------------------------------------------------------------------------------


@checked
def issue_time_us(gpu: Gpu, warps: Amount, instructions: Amount) -> float:
    """Return the least microseconds in which a GPU issues `instructions` of `warps` warps each.

    Each of an SM's schedulers issues one instruction a cycle, at the boost clock.
    Raises ValueError where the clock is unknown.
    """
    if gpu.boost_MHz is None:
        raise ValueError(
            f"the clock of {gpu.name} is unknown, so its issue rate is, too;"
            " add it to data/gpus.csv"
        )
    slots_per_us = gpu.sm_count * gpu.capability.sm_subpartitions_schedulers * gpu.boost_MHz
    return finite("warps", warps) * finite("instructions", instructions) / slots_per_us
