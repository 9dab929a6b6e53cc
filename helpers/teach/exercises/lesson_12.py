"""Exercises of lesson 12: Warps: thirty-two threads, one instruction."""

import torch

from helpers.model import warps
from helpers.specs import WARP_SIZE
from helpers.teach.exercises import technique
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
        statement="How many lanes are idle in a block of 33 × 3 threads?",
        answer=lambda: warps.thread_layout((33, 3)).idle_lanes,
        unit="idle lanes",
        hint="warps = threads / 32 rounded up; all their lanes minus the threads are idle",
        tolerance=0,
        wrong={
            3: "those are the lanes of the last warp that have a thread",
        },
    ),
    "12.2": Number(
        statement="In which lane sits thread (x = 5, y = 2, z = 1) of a block of 8 × 4 × 2?",
        answer=lambda: int(warps.thread_layout((8, 4, 2)).lane[1, 2, 5]),
        unit="(lane)",
        hint="linear id = x + y Dx + z Dx Dy; the lane is what is left after division by 32",
        tolerance=0,
        wrong={
            53: "that is the linear id; the lane is what is left after division by 32",
        },
    ),
    "12.3": Number(
        statement="A block of 48 × 2. How many of its warps have threads of both rows?",
        answer=warps_in_both_rows,
        unit="warps",
        hint=(
            "row 0 holds the linear ids 0 to 47; which warp starts in row 0 and ends in row 1?"
        ),
        tolerance=0,
        wrong={
            3: "that is the number of the block's warps",
        },
    ),
    "12.4": Code(
        statement=(
            "Write `kernels/mine/mirror.cu`: in every group of 32 neighbouring "
            "elements the order is reversed, and a last, shorter group is reversed "
            "in itself. `mirror(const float* x, float* out, int64_t n, int "
            "block_size = 256, ...)`, with `__shfl_sync` and no shared memory; "
            "block sizes are multiples of 32. Load it into `answer`."
        ),
        launcher="mirror",
        takes=("float32",),
        gives=("float32",),
        solution="mirror",
        reference=mirrored,
        hint=(
            "the last group may be short: with `count` elements in it, lane l wants the one "
            "of lane count - 1 - l; all 32 lanes must reach the shuffle, also those without "
            "an element"
        ),
        technique=(technique.parallel, technique.shuffles, technique.no_shared_memory),
        wrong={
            ("left < 32 ?", "left < 16 ?"): "WRONG",
        },
    ),
}
