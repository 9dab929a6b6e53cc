"""Describe a warp's program and a schedule: who did what in every cycle of one SM.

`helpers.model.scheduler.simulate` makes the second from the first.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import IntEnum

import numpy as np

from helpers.specs import WARP_SIZE


@dataclass(frozen=True)
class Program:
    """What each warp does `iterations` times: load, wait for all of the data, compute.

    `loads` instructions that do not wait for each other, then `alu` instructions of which each
    waits for the one before it, the first also for all the data. The next iteration's loads may
    issue right after the last of them. Raises ValueError for a count that is not a whole
    number.
    """

    loads: int = 1  # independent load instructions: instruction-level parallelism
    bytes_per_load: int = WARP_SIZE * 4  # of the whole warp
    latency: int = (
        500  # cycles from a load's issue to its data, if the memory is otherwise idle
    )
    alu: int = 1  # arithmetic instructions
    alu_latency: int = 4  # cycles until the next instruction can use a result
    iterations: int = 10

    def __post_init__(self):
        for entry in fields(self):
            value = getattr(self, entry.name)
            lowest = 0 if entry.name in ("loads", "alu") else 1
            if not isinstance(value, (int, np.integer)) or value < lowest:
                raise ValueError(
                    f"Program.{entry.name} is {value!r}:"
                    f" it must be a whole number of at least {lowest}"
                )
        if self.loads + self.alu == 0:
            raise ValueError(
                "a program without loads and without arithmetic does nothing: set loads or alu"
            )

    @property
    def instructions(self) -> int:
        """Instructions that one warp issues in all its iterations."""
        return (self.loads + self.alu) * self.iterations

    @property
    def bytes(self) -> int:
        """Bytes that one warp loads in all its iterations."""
        return self.loads * self.bytes_per_load * self.iterations

    @property
    def period(self) -> int:
        """Cycles of one iteration of a warp that is alone on the SM.

        loads + latency + (alu - 1) alu_latency; without arithmetic loads - 1 + latency; without
        loads alu x alu_latency. Exact if a load takes at least as long as an arithmetic
        instruction.
        """
        if self.loads == 0:
            return self.alu * self.alu_latency
        if self.alu == 0:
            return self.loads - 1 + self.latency
        return self.loads + self.latency + (self.alu - 1) * self.alu_latency

    @property
    def alone(self) -> int:
        """Cycles until a warp that is alone on the SM has its last result."""
        if self.alu == 0:
            return self.iterations * self.period
        last = self.iterations * self.period - (self.alu_latency if self.loads == 0 else 1)
        return last + self.alu_latency


class State(IntEnum):
    """What a warp does in one cycle."""

    STALLED = 0  # it waits for data, for a result, or for room in the memory system
    READY = 1  # it could issue, but its scheduler chose another warp
    ISSUED = 2  # it issued an instruction in this cycle
    DONE = 3


@dataclass(frozen=True, eq=False)
class Schedule:
    """A run of `simulate`: every warp's state in every cycle, and every load."""

    program: Program
    schedulers: int
    state: np.ndarray  # uint8 [warps, cycles], values of State
    in_flight: np.ndarray  # int64 [cycles], bytes asked for that have not arrived
    load_issued: np.ndarray  # int64 [loads], the cycle of each load's issue, in order
    load_arrived: np.ndarray  # int64 [loads], the first cycle in which its data are there

    @property
    def warps(self) -> int:
        """Warps that ran."""
        return self.state.shape[0]

    @property
    def cycles(self) -> int:
        """Cycles until the last warp had its last result."""
        return self.state.shape[1]

    def count(self, state: State) -> np.ndarray:
        """Count the warps in a state, in every cycle: int64 [cycles]."""
        return (self.state == state).sum(axis=0)

    @property
    def bytes_moved(self) -> int:
        """Bytes that all warps loaded."""
        return self.load_issued.size * self.program.bytes_per_load

    @property
    def bytes_per_cycle(self) -> float:
        """Achieved bandwidth of this SM."""
        return self.bytes_moved / self.cycles

    @property
    def issue_utilisation(self) -> float:
        """Instructions issued over the issue slots: schedulers x cycles."""
        return int((self.state == State.ISSUED).sum()) / (self.schedulers * self.cycles)

    @property
    def mean_bytes_in_flight(self) -> float:
        """Bytes in flight, averaged over the cycles."""
        return float(self.in_flight.mean())
