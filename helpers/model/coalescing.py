"""Count the memory traffic of a warp's load or store from the addresses of its lanes.

A load instruction of a warp is one *request*. The load/store unit turns its 32 addresses into
*sectors* of 32 bytes, the unit in which the caches and DRAM move data; four sectors make a
*line* of 128 bytes, for which there is one tag in the cache. Which lane asks for which sector
does not matter, only how many sectors there are: a request is fully coalesced if every byte of
every sector that it touches is asked for.

The counts are what Nsight Compute calls `l1tex__t_requests` and `l1tex__t_sectors` for global
loads or stores. They say what a request asks of L1, not what comes from DRAM: a sector asked
for by four requests in a row is normally fetched once (`distinct_sectors`). No torch and no GPU
needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import index

from helpers.model.arguments import Count, Whole, checked
from helpers.model.ladder import version as version_of
from helpers.specs import LINE_BYTES, SECTOR_BYTES, WARP_SIZE

WIDTHS = (1, 2, 4, 8, 16, 32)  # bytes of one lane at once; 32 from compute capability 10.0 on


@dataclass(frozen=True)
class Coalescing:
    """The traffic of one or more requests of a warp."""

    requests: int
    sectors: int  # 32 bytes each, summed over the requests
    lines: int  # 128 bytes each, summed over the requests
    distinct_sectors: int  # a sector that several requests touch counts once
    bytes_requested: int  # a byte that several lanes of a request ask for counts once

    @property
    def bytes_moved(self) -> int:
        """Bytes in the sectors of all requests."""
        return self.sectors * SECTOR_BYTES

    @property
    def efficiency(self) -> float:
        """Bytes asked for over bytes moved, 0 to 1."""
        return self.bytes_requested / self.bytes_moved

    @property
    def sectors_per_request(self) -> float:
        """Sectors of one request on average: 4 for a coalesced 4-byte load."""
        return self.sectors / self.requests


@checked
def coalesce(addresses: Sequence[int], bytes_per_lane: int) -> Coalescing:
    """Count the traffic of one warp instruction.

    `addresses` holds the byte address of each active lane (1 to 32 of them), `bytes_per_lane`
    what each loads or stores: 1, 2, 4, 8, 16 or 32. Raises ValueError for other widths and
    numbers of lanes, and for an address that is not a multiple of the width, which on a GPU is
    the error "misaligned address".
    """
    _check(addresses, bytes_per_lane)
    sectors = _units(addresses, bytes_per_lane, SECTOR_BYTES)
    return Coalescing(
        requests=1,
        sectors=len(sectors),
        lines=len(_units(addresses, bytes_per_lane, LINE_BYTES)),
        distinct_sectors=len(sectors),
        bytes_requested=len(set(addresses)) * bytes_per_lane,
    )


@checked
def coalesce_all(requests: Iterable[Sequence[int]], bytes_per_lane: int) -> Coalescing:
    """Count the traffic of several instructions of one warp, such as the four loads of V5.

    Raises ValueError without requests; else as `coalesce`.
    """
    requests = list(requests)
    if not requests:
        raise ValueError("no requests: give at least one list of addresses")
    each = [coalesce(addresses, bytes_per_lane) for addresses in requests]
    distinct = set().union(
        *(_units(addresses, bytes_per_lane, SECTOR_BYTES) for addresses in requests)
    )
    return Coalescing(
        requests=len(each),
        sectors=sum(one.sectors for one in each),
        lines=sum(one.lines for one in each),
        distinct_sectors=len(distinct),
        bytes_requested=sum(one.bytes_requested for one in each),
    )


@checked
def lane_sectors(addresses: Sequence[int], bytes_per_lane: int) -> list[tuple[int, ...]]:
    """List each lane's sectors, counted from the line in which the lowest address lies."""
    _check(addresses, bytes_per_lane)
    first = min(addresses) // LINE_BYTES * (LINE_BYTES // SECTOR_BYTES)
    return [
        tuple(
            range(
                a // SECTOR_BYTES - first, (a + bytes_per_lane - 1) // SECTOR_BYTES - first + 1
            )
        )
        for a in addresses
    ]


@dataclass(frozen=True)
class SectorGrid:
    """A table of lanes against touched sectors, with the bytes taken in each cell."""

    sectors: tuple[int, ...]  # counted from the line in which the lowest address lies
    cells: tuple[tuple[int, ...], ...]  # cells[lane][column]: bytes, 0 to 32


@checked
def sector_grid(addresses: Sequence[int], bytes_per_lane: int) -> SectorGrid:
    """Tabulate the lanes against the sectors of one request; see `SectorGrid`."""
    # Widths are powers of two and addresses multiples of them: a lane touches exactly one
    # sector.
    rows = lane_sectors(addresses, bytes_per_lane)
    columns = sorted({sector for row in rows for sector in row})
    cells = tuple(
        tuple(bytes_per_lane if sector in row else 0 for sector in columns) for row in rows
    )
    return SectorGrid(tuple(columns), cells)


# ---- access patterns -------------------------------------------------------------------------


@checked
def contiguous(bytes_per_lane: Count, start: Whole = 0) -> list[int]:
    """Place lane i at start + i x width: neighbours side by side."""
    return strided(bytes_per_lane, start)


@checked
def strided(stride: Whole, start: Whole = 0) -> list[int]:
    """Place lane i at start + i x stride, in bytes."""
    return [start + lane * stride for lane in range(WARP_SIZE)]


@dataclass(frozen=True)
class Pattern:
    """A warp's requests of one input by a version of the ladder, each with 32 addresses."""

    name: str
    bytes_per_lane: int  # in one request
    requests: tuple[tuple[int, ...], ...]

    def coalescing(self) -> Coalescing:
        """Count the traffic of all its requests."""
        return coalesce_all(self.requests, self.bytes_per_lane)


@checked
def ladder(version: str, start: Whole = 0) -> Pattern:
    """Return the loads of a version ("V1") by a warp from an input beginning at byte `start`.

    Raises ValueError for a name that is not a version of the ladder.
    """
    it = version_of(version)
    starts = range(start, start + it.bytes_per_thread, it.bytes_per_load)
    requests = tuple(tuple(strided(it.bytes_per_thread, first)) for first in starts)
    return Pattern(it.label, it.bytes_per_load, requests)


# ---- the parts -------------------------------------------------------------------------------


def _units(addresses: Sequence[int], bytes_per_lane: int, size: int) -> set[int]:
    """Find the aligned units of `size` bytes that an access touches."""
    touched = set()
    for address in addresses:
        touched.update(range(address // size, (address + bytes_per_lane - 1) // size + 1))
    return touched


def _check(addresses: Sequence[int], bytes_per_lane: int) -> None:
    if bytes_per_lane not in WIDTHS:
        raise ValueError(
            f"{bytes_per_lane} bytes a lane: an instruction moves {', '.join(map(str, WIDTHS))}"
        )
    if not 1 <= len(addresses) <= WARP_SIZE:
        raise ValueError(
            f"{len(addresses)} addresses: a warp has 1 to {WARP_SIZE} active lanes"
        )
    for lane, address in enumerate(addresses):
        if index(address) < 0 or address % bytes_per_lane:
            raise ValueError(
                f"lane {lane} is at byte {address}, which is not a multiple of"
                f" {bytes_per_lane}: a GPU stops with 'misaligned address'"
            )
