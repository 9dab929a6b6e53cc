"""What a trace counted: requests, sectors, wavefronts, branches, barriers and races.

A request is one instruction of one warp. The words are those of Nsight Compute; the counters
that they stand for are in `helpers.measure.trace_counters`. `trace_tables` fills these classes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from helpers.emulator.traced import Line
from helpers.errors import KernelFault
from helpers.specs import SECTOR_BYTES

SUMS = (  # the counts of a `Traffic` that are sums over requests
    *("requests", "lanes", "bytes_asked", "sectors", "lines"),
    *("wavefronts", "ideal_wavefronts", "collisions"),
)


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
        """Bytes asked for over bytes in the sectors touched, 0 to 1; 0 without a request."""
        return self.bytes_asked / max(1, self.sectors * SECTOR_BYTES)

    @property
    def sectors_per_request(self) -> float:
        """Sectors of one request on average; 0 without a request."""
        return self.sectors / max(1, self.requests)

    @property
    def wavefronts_per_request(self) -> float:
        """Wavefronts of one request to shared memory on average; 0 without a request."""
        return self.wavefronts / max(1, self.requests)

    @property
    def lanes_per_request(self) -> float:
        """Active lanes of one request on average, up to 32; 0 without a request."""
        return self.lanes / max(1, self.requests)

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
            **{name: getattr(self, name) + getattr(other, name) for name in SUMS},
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

    rule: "race"; "unwritten"; "copying": of what an asynchronous copy may still write or read;
    "unfenced": an atomic tells of the other access, but no fence behind it orders this one;
    "behind": an atomic of the same word came between, and its result is not used;
    "unpublished": a count of blocks says that a volatile word is written, but no fence stands
    between the write and the count; "outside": no race, but an access that ends `past` bytes
    behind the end of memory that cudaMalloc, malloc or new gave, with no other one; "foreign":
    no race either, but an access to a local variable of another thread. The first access is
    the one that came later on the emulator. scope: what holds the threads of
    every such pair: "warp", "block" or "grid". update: both threads read the bytes and then
    write them, so that one update may be lost. between: a shuffle or a vote at which the two
    met, which does not order memory; of "behind" and "unpublished", the atomic.
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
    scope: str = "block"
    update: bool = False
    between: Line | None = None
    past: int = 0


@dataclass(frozen=True, repr=False)
class Trace:
    """What a call of a launcher did, by lines of the learner's files."""

    traffic: tuple[Traffic, ...] = ()
    branches: tuple[Branch, ...] = ()
    barriers: tuple[Barrier, ...] = ()
    steps: tuple[Step, ...] = ()
    races: tuple[Race, ...] = ()
    arrays: tuple[SharedArray, ...] = field(default=(), repr=False)
    faults: tuple[KernelFault, ...] = ()  # the races in words
    blocks: int = 0  # of all launches of the call
    threads: int = 0
    writing_threads: int = 0  # of these, the ones that wrote to global memory
    untraced: int = 0  # launches that were not counted, as their blocks run at the same time
    stopped: bool = False  # before its end, after the seconds that it was given

    def __str__(self) -> str:
        """Say what each line did, then the divergent branches and the races."""
        words = []
        for one in self.traffic:
            cost = (
                f"{one.wavefronts_per_request:.3g} wavefronts"
                if one.space == "shared"
                else f"{one.sectors_per_request:.3g} sectors"
            )
            words.append(
                f"{one.line}: {one.requests:,} {one.space} {one.kind} requests of "
                f"{one.lanes_per_request:.3g} lanes, {cost} each"
            )
        words += [
            f"{one.line}: {one.divergent:,} of {one.executed:,} branches divergent"
            for one in self.branches
            if one.divergent
        ]
        return "\n".join([*words, *map(str, self.faults)])

    def __repr__(self) -> str:
        return f"Trace(blocks={self.blocks}, threads={self.threads})\n{self}".rstrip()

    @property
    def loads(self) -> Traffic:
        """The loads from global memory; all counts are 0 if there are none."""
        return self._sum("load", "global")

    @property
    def stores(self) -> Traffic:
        """The stores to global memory, atomics apart; all counts are 0 if there are none."""
        return self._sum("store", "global")

    @property
    def atomics(self) -> Traffic:
        """The atomics on global memory; all counts are 0 if there are none."""
        return self._sum("atomic", "global")

    @property
    def shared_loads(self) -> Traffic:
        """The loads from shared memory; all counts are 0 if there are none."""
        return self._sum("load", "shared")

    @property
    def shared_stores(self) -> Traffic:
        """The stores to shared memory; all counts are 0 if there are none."""
        return self._sum("store", "shared")

    @property
    def bank_conflicts(self) -> int:
        """Wavefronts of shared memory beyond those that the number of bytes needs."""
        return sum(one.conflicts for one in self.traffic if one.space == "shared")

    @property
    def divergent_branches(self) -> int:
        """Executions of branches after which the lanes of a warp went different ways."""
        return sum(one.divergent for one in self.branches)

    @property
    def branch_efficiency(self) -> float:
        """The share of executed branches that were not divergent, 0 to 1; 1 without any."""
        executed = sum(one.executed for one in self.branches)
        return 1 - self.divergent_branches / max(1, executed)

    def uses(self, kind: str) -> bool:
        """Say whether some warp came to a "barrier" or a "warp operation" (shuffle, vote)."""
        return any(one.kind == kind for one in self.barriers)

    def _sum(self, kind: str, space: str) -> Traffic:
        zeros = dict.fromkeys((*SUMS, "bytes_per_lane", "worst_cost"), 0)
        nothing = Traffic(Line("", 0), kind, space, worst=Request((), 0), **zeros)
        return self.of(kind, space) or nothing

    def of(self, kind: str, space: str = "global", line: int | None = None) -> Traffic | None:
        """Add up the traffic of a kind in a space, on one line or on all; None without any.

        The line of a sum of several lines is that of the first.
        """
        total = None
        for one in self.traffic:
            if one.kind == kind and one.space == space and line in (None, one.line.number):
                total = one if total is None else total + one
        return total
