"""Exercises of lesson 12: Warps: thirty-two threads, one instruction."""

import torch

from helpers.model import warps
from helpers.specs import WARP_SIZE
from helpers.teach.exercises.marking import Code, Number


def warps_in_both_rows() -> int:
    """Return how many warps of a block of 48 x 2 hold threads of both rows."""
    first, second = warps.thread_layout((48, 2)).warp[0]
    return len({*first.tolist()} & {*second.tolist()})


def mirrored(x: torch.Tensor) -> torch.Tensor:
    """Reverse the elements of each warp, and the shorter group at the end."""
    return torch.cat([group.flip(0) for group in x.split(WARP_SIZE)])


EXERCISES = {
    "12.1": Number(
        answer=lambda: warps.thread_layout((33, 3)).idle_lanes,
        unit="idle lanes",
        hint="warps = threads / 32 rounded up; all their lanes minus the threads are idle",
        tolerance=0,
    ),
    "12.2": Number(
        answer=lambda: int(warps.thread_layout((8, 4, 2)).lane[1, 2, 5]),
        unit="(lane)",
        hint="linear id = x + y Dx + z Dx Dy; the lane is what is left after division by 32",
        tolerance=0,
    ),
    "12.3": Number(
        answer=warps_in_both_rows,
        unit="warps",
        hint=(
            "row 0 holds the linear ids 0 to 47; which warp starts in row 0 and ends in row 1?"
        ),
        tolerance=0,
    ),
    "12.4": Code(
        reference=mirrored,
        hint=(
            "the last group may be short: with `count` elements in it, lane l wants the one "
            "of lane count - 1 - l; all 32 lanes must reach the shuffle, also those without "
            "an element"
        ),
    ),
}
