"""Tell from how often each element counts that all lanes of a warp add, where one must.

After a tree of shuffles the first lane has the sum of all; each other one has its own and
those behind it, and what a shuffle reads behind the last lane is the lane's own once more.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

from helpers.specs import WARP_SIZE

PERIODS = (WARP_SIZE, 16, 8, 4)  # lanes, or warps of a block, each with its elements
DISTANCES = ((16, 8, 4, 2, 1), (1, 2, 4, 8, 16))
LEAST = 3  # different weights, of which chance hardly makes such a row
MOST = 1024  # threads of a block


def _counted(lanes: int, distances: Sequence[int]) -> list[int]:
    """Count how often each of so many lanes' numbers is added, if all lanes of a warp add.

    The lanes behind them hold 0, as those of a last warp that has one number for each warp.
    """
    held = [{lane: 1} if lane < lanes else {} for lane in range(WARP_SIZE)]
    for distance in distances:
        held = [
            _sum(its, held[lane + distance] if lane + distance < WARP_SIZE else its)
            for lane, its in enumerate(held)
        ]
    return [sum(its.get(lane, 0) for its in held) for lane in range(lanes)]


def _sum(a: dict[int, int], b: dict[int, int]) -> dict[int, int]:
    return {lane: a.get(lane, 0) + b.get(lane, 0) for lane in a.keys() | b.keys()}


def all_lanes_add(weights: Mapping[int, float], name: str = "x") -> str | None:
    """Say so, if the weights of the elements at some places are what then comes out.

    weights: by place, how often the element there counts.
    """
    if len(set(weights.values())) == 1 and len(weights) > 1:
        return _each_as_often(next(iter(weights.values())))
    if sentence := _shuffled_up(weights, name):
        return sentence
    unit = next((place for place in sorted(weights) if weights[place] == 2), 0)
    if not unit or len(set(weights.values())) < LEAST:
        return None
    if sentence := _of_a_short_step(weights, unit, name):
        return sentence
    for lanes, distances in itertools.product(PERIODS, DISTANCES):
        counted = _counted(lanes, distances)
        if all(w == counted[place // unit % lanes] for place, w in weights.items()):
            return (
                f"{_each_more_often(unit, name)}: do all lanes of a warp add what they have, "
                "of which only that of the first is the sum? Let lane 0 alone add it"
            )
    return None


def _each_more_often(unit: int, name: str) -> str:
    counts = f"{name}[0] counts once, {name}[{unit:,}] twice, {name}[{2 * unit:,}] 3 times"
    return f"{counts}, and so on"


def _of_a_short_step(weights: Mapping[int, float], unit: int, name: str) -> str | None:
    """Say that threads go on by less than there are of them, if the weights are of that.

    Each element is then that of one thread more than the one a step before, until all have it.
    Of few elements it may be that all lanes of a warp add.
    """
    most = max(weights.values())
    if any(
        w != place // unit + 1 and not (w in (most - 1, most) and w <= place // unit)
        for place, w in weights.items()
    ):
        return None
    if any(w <= place // unit for place, w in weights.items()):
        return (
            f"{_each_more_often(unit, name)}: does a loop go on by {unit:,} elements, fewer "
            "than the threads that share it?"
        )
    return (
        f"{_each_more_often(unit, name)}: does each thread take those of the next ones, too, "
        "as by a step of a loop that is too short or by an end that is too far, or do all "
        "lanes of a warp add what they have?"
    )


def _each_as_often(times: float) -> str | None:
    """Ask who adds the sum of all, where one must; None for a fraction, or of once."""
    if times < 2 or times != int(times):
        return None
    counts = f"each element counts more than once, {times:,.0f} times"
    if times % WARP_SIZE == 0 and times <= MOST:
        of = "warp" if times == WARP_SIZE else "block"
        return (
            f"{counts}: do all {times:,.0f} threads of a {of} add the sum, which each of them "
            "has, where one of them must?"
        )
    return (
        f"{counts}: do so many threads, warps or blocks add the same, where one of them must? "
        "Or is the formula another one?"
    )


def _shuffled_up(weights: Mapping[int, float], name: str) -> str | None:
    """Say that shuffles go the wrong way, if just the first lane's numbers count, 32 times."""
    unit = next((place for place in sorted(weights) if weights[place] == 0), 0)
    lanes = {place: place // unit % WARP_SIZE for place in weights} if unit else {}
    if len(set(lanes.values())) < LEAST:
        return None
    if any(weights[place] != WARP_SIZE * (lane == 0) for place, lane in lanes.items()):
        return None
    what = f"{name}[0] counts" if unit == 1 else f"each of the first {unit:,} elements counts"
    return (
        f"{what} {WARP_SIZE} times, and those of the other lanes of its warp not at all: do "
        "the shuffles go the wrong way, so that the first lane takes its own number again and "
        "again (__shfl_up_sync in the place of __shfl_down_sync)?"
    )


def subtracted(weights: dict[int, float], tried: str, name: str = "x") -> str | None:
    """Say which of an input's elements count -1 times, if not all of them do."""
    negative = [i for i, w in weights.items() if w == -1]
    if not 0 < len(negative) < len(weights):
        return None
    which = (
        f"{len(negative):,} of {tried} elements are" if len(negative) > 1 else "an element is"
    )
    return (
        f"{which} subtracted, the first is {name}[{negative[0]:,}]: must its sign be the other "
        "one, + in the place of -?"
    )
