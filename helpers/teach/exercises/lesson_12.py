"""Exercises of lesson 12: Warps: thirty-two threads, one instruction."""

from collections.abc import Iterator

import torch

from helpers.model import warps
from helpers.run.launcher import Launcher
from helpers.specs import WARP_SIZE
from helpers.teach.exercises import technique
from helpers.teach.exercises.marking import Code, Number
from helpers.testing.cases import Case


def warps_in_both_rows() -> int:
    """Return how many warps of a block of 48 x 2 hold threads of both rows."""
    first, second = warps.thread_layout((48, 2)).warp[0]
    return len({*first.tolist()} & {*second.tolist()})


def mirrored(x: torch.Tensor) -> torch.Tensor:
    """Reverse the elements of each warp, and the shorter group at the end."""
    return torch.cat([group.flip(0) for group in x.split(WARP_SIZE)])


def next_lanes(x: torch.Tensor) -> torch.Tensor:
    """Return the next element of each warp's; the last of a warp keeps its own."""
    return torch.cat([torch.cat([group[1:], group[-1:]]) for group in x.split(WARP_SIZE)])


def warp_numbers(launcher: Launcher) -> Iterator[Case]:
    """Count the warps of a grid through, in blocks of whole and of partly empty warps."""
    for block_size in (32, 33, 64, 100, 256, 1024):
        per_block = warps.thread_layout(block_size).warps
        for n in (1, 32, 33, 70, 1000, 4099):
            i = torch.arange(n)
            number = i // block_size * per_block + i % block_size // WARP_SIZE
            arguments = {"block_size": block_size}
            label = f"n = {n:,}, block_size = {block_size}"
            yield Case(label, (), (number.double(),), arguments, dtypes=(torch.int32,))


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
    "12.3": Code(
        statement=(
            "Complete one line: number the warps of the whole grid from 0 on, those of block 0 "
            "first. Each thread writes the number of its warp. Block sizes need not be "
            "multiples of 32."
        ),
        launcher="warp_number",
        takes=(),
        gives=("int32",),
        solution="solution_warp_number",
        reference=warp_numbers,
        cases=warp_numbers,
        hint=(
            "a block has (blockDim.x + 31) / 32 warps; those of the blocks before come first, "
            "then threadIdx.x / 32"
        ),
        as_given="out[i] = 0;",
        wrong={
            ("blockIdx.x * ((blockDim.x + 31) / 32) + threadIdx.x / 32", "i / 32"): "33",
            ("(blockDim.x + 31) / 32", "blockDim.x / 32"): "33",
        },
    ),
    "12.4": Code(
        statement=(
            "Change the kernel so that all 32 lanes of a warp come to the shuffle. Block sizes "
            "are multiples of 32."
        ),
        launcher="next_lane",
        takes=("float32",),
        gives=("float32",),
        solution="solution_next_lane",
        reference=next_lanes,
        hint=(
            "let only the load and the store depend on i < n; a lane without an element gives "
            "the shuffle a 0"
        ),
        as_given="if (i < n) { const float next",
        technique=(technique.parallel, technique.shuffles, technique.no_shared_memory),
        wrong={
            ("i + 1 < n ? next : own", "next"): "out[",
            (
                "const float next = __shfl_down_sync(0xffffffffu, own, 1);",
                "float next = own;\n"
                "    if (i < n) next = __shfl_down_sync(__activemask(), own, 1);",
            ): "does not name",
        },
    ),
    "12.5": Code(
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
        solution="solution_mirror",
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
