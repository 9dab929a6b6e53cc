"""Compute what a divergent branch costs: warps whose threads disagree run both sides.

The model (CUDA C++ Programming Guide, "SIMT Architecture"): a warp runs side A if any of its
threads takes A, then side B if any takes B, with the other threads masked off. It leaves out
the branch instruction itself and what other warps do meanwhile. Times are cycles of one warp.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from helpers.model.arguments import Count, checked, finite, probability, whole_number
from helpers.specs import WARP_SIZE


@dataclass(frozen=True)
class BranchCost:
    """The cost of a two-way branch for a set of warps."""

    warps: int
    divergent: int  # warps with threads on both sides
    cycles: float  # summed over the warps: each side once for each warp with a thread on it
    useful: float  # thread-cycles: each thread's own side
    warp_size: int = WARP_SIZE

    @property
    def utilisation(self) -> float:
        """Useful thread-cycles over those that the warps occupied, 0 to 1."""
        return self.useful / (self.warp_size * self.cycles) if self.cycles else 1.0


@checked
def split(threads_a: int, warp_size: Count = WARP_SIZE) -> np.ndarray:
    """Return one warp whose first `threads_a` lanes take side A: booleans [warp_size].

    Raises ValueError for fewer than no threads, or more than a warp.
    """
    if not 0 <= threads_a <= warp_size:
        raise ValueError(
            f"threads_a is {threads_a}: a warp has 0 to {warp_size} threads on a side"
        )
    return np.arange(warp_size) < threads_a


@checked
def branch_cost(
    takes_a, cycles_a: float, cycles_b: float, warp_size: Count = WARP_SIZE
) -> BranchCost:
    """Count the cycles of `if (takes_a[i]) A else B` over all threads i.

    `takes_a` is an array of booleans [n], in warps of `warp_size` neighbours; the missing
    threads of a last, partial warp idle. Raises TypeError for other dtypes, ValueError for no
    threads or for cycles below 0.
    """
    takes_a = _booleans("takes_a", takes_a)
    cycles_a, cycles_b = finite("cycles_a", cycles_a), finite("cycles_b", cycles_b)
    warp_size = whole_number("warp_size", warp_size)
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


# ---- independent threads, each on side A with probability p ----------------------------------


@checked
def divergence_probability(p: float, warp_size: Count = WARP_SIZE) -> float:
    """Return the chance that a warp diverges: 1 - p^32 - (1 - p)^32.

    That is, some threads take A and some take B.
    """
    p = probability("p", p)
    return max(0.0, 1.0 - p**warp_size - (1.0 - p) ** warp_size)


@checked
def mixed_cycles(
    p: float, cycles_a: float, cycles_b: float, warp_size: Count = WARP_SIZE
) -> float:
    """Return the expected cycles of a warp whose threads are mixed at random.

    (1 - (1 - p)^32) cycles(A) + (1 - p^32) cycles(B): a side runs unless no thread takes it.
    """
    p = probability("p", p)
    a = (1.0 - (1.0 - p) ** warp_size) * finite("cycles_a", cycles_a)
    return a + (1.0 - p**warp_size) * finite("cycles_b", cycles_b)


@checked
def sorted_cycles(p: float, cycles_a: float, cycles_b: float) -> float:
    """Return the mean cycles of a warp after sorting: p cycles(A) + (1 - p) cycles(B).

    At most one warp of the whole array then diverges; it is left out.
    """
    p = probability("p", p)
    return p * finite("cycles_a", cycles_a) + (1.0 - p) * finite("cycles_b", cycles_b)


@checked
def sorted_speedup(
    p: float, cycles_a: float, cycles_b: float, warp_size: Count = WARP_SIZE
) -> float:
    """Return the speedup of sorting the data: `mixed_cycles` / `sorted_cycles`.

    An upper limit for a measured one, since loads, stores and the launch do not diverge.
    """
    after = sorted_cycles(p, cycles_a, cycles_b)
    return mixed_cycles(p, cycles_a, cycles_b, warp_size) / after if after else 1.0


# ---- active masks ----------------------------------------------------------------------------


@dataclass(frozen=True)
class MaskSpan:
    """A stretch of cycles, `start` included and `stop` not, in which a warp runs one side."""

    start: float
    stop: float
    side: str  # "A" or "B"
    mask: tuple[bool, ...]  # active lanes, lane 0 first

    @property
    def active(self) -> int:
        """Active lanes."""
        return sum(self.mask)


@checked
def mask_timeline(takes_a, cycles_a: float, cycles_b: float) -> list[MaskSpan]:
    """List one warp's active masks in order: A's threads, then B's; empty sides are skipped.

    `takes_a` holds one warp's booleans, lane 0 first. That A comes first is the model's choice;
    hardware promises no order. Errors as in `branch_cost`.
    """
    takes_a = _booleans("takes_a", takes_a)
    sides = (
        ("A", takes_a, finite("cycles_a", cycles_a)),
        ("B", ~takes_a, finite("cycles_b", cycles_b)),
    )
    spans, now = [], 0
    for side, mask, cycles in sides:
        if mask.any():
            spans.append(MaskSpan(now, now + cycles, side, tuple(mask.tolist())))
            now += cycles
    return spans


@checked
def mask_text(mask) -> str:
    """Write a mask in binary digits, lane 0 at the right, as `__activemask()` returns it."""
    return "".join("1" if active else "0" for active in _booleans("mask", mask)[::-1])


def _booleans(name: str, mask) -> np.ndarray:
    mask = np.asarray(mask)
    if mask.dtype != np.bool_:
        raise TypeError(
            f"{name}: give booleans, one for each thread, such as `x >= 0`; not {mask.dtype}"
        )
    if mask.size == 0:
        raise ValueError(f"{name} has no thread: give at least one boolean")
    return mask.ravel()
