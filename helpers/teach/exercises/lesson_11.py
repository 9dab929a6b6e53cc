"""Exercises of lesson 11: Which block size?"""

from collections.abc import Callable
from functools import partial

from helpers.model import ceilings
from helpers.model.launch_shape import MOST_THREADS
from helpers.specs import WARP_SIZE
from helpers.teach.exercises import technique
from helpers.teach.exercises.functions import Function
from helpers.teach.exercises.marking import Code, Number


def three_filters(threads: int, blocks: int, passes: Callable) -> str:
    """Compare whole warps, the floor and whole blocks for every block size."""
    for size in range(1, MOST_THREADS + 1):
        right = size % WARP_SIZE == 0 and size * blocks >= threads and threads % size == 0
        if bool(passes(size, threads, blocks)) != right:
            verb = "refuses" if right else "passes"
            return f"on an SM of {threads:,} threads and {blocks} blocks it {verb} {size}"
    return ""


EXERCISES = {
    "11.1": Number(
        statement=(
            "A GPU of the future holds 3,072 threads and 24 blocks on an SM. What is its floor?"
        ),
        answer=lambda: 3072 // 24,
        unit="threads",
        hint=(
            "the smallest block with which the block slots do not run out before the threads do"
        ),
        tolerance=0,
        wrong={
            96: "24 blocks of 96 threads are 2,304 threads: the slots run out first",
        },
    ),
    "11.2": Function(
        statement=(
            "Write a function of `size`, `threads` and `blocks`: does a block size pass "
            "filters A, B and C, on an SM that holds so many threads and blocks?"
        ),
        takes="size, threads and blocks",
        trials=tuple(
            partial(three_filters, threads, blocks)
            for threads, blocks in (
                *((1024, 16), (1536, 16), (1536, 24), (2048, 32)),  # SMs of today
                (1536, 48),  # where 48 threads pass the last two
            )
        ),
        hint="size % 32 == 0, size at least threads / blocks, threads % size == 0: all three",
        wrong={
            "it passes 96": lambda size, threads, blocks: size % 32 == 0 and size >= 64,
            "it refuses 64": lambda size, threads, blocks: (
                threads % size == 0 and size > threads / blocks
            ),
            "it passes 48": lambda size, threads, blocks: (
                threads % size == 0 and size >= threads / blocks
            ),
            "it passes 32": lambda size, threads, blocks: (
                size % 32 == 0 and threads % size == 0
            ),
        },
    ),
    "11.3": Code(
        statement=(
            "This kernel is right in blocks of 256 threads alone. Mend it, so that every block "
            "size is right."
        ),
        launcher="triple",
        takes=("float32",),
        gives=("float32",),
        solution="solution_any_block",
        reference=lambda x: 3 * x,
        hint="the kernel must use blockDim.x, and the launcher block_size, in the place of 256",
        as_given=("(n + 255) / 256", "* 256 + threadIdx.x"),
        technique=(technique.parallel, technique.elements_a_thread(1)),
        wrong={
            ("* blockDim.x + threadIdx.x", "* 256 + threadIdx.x"): "WRONG",
            ("(n + block_size - 1) / block_size", "n / block_size"): "WRONG",
        },
    ),
    "11.4": Number(
        statement=(
            "Predict, in microseconds: V1 on 2²⁸ elements in blocks of 96, on the "
            'H200, if the block rate (`ceilings.card("H200 SXM").block_rate`, per '
            "second) is the ceiling. Compare with the sweep."
        ),
        answer=lambda: -(-(1 << 28) // 96) / ceilings.card("H200 SXM").block_rate * 1e6,
        unit="us",
        hint="blocks = elements / 96, rounded up; a block rate is per second",
        wrong={
            630.9: "that is blocks of 256 threads; here they have 96",
        },
    ),
    "11.5": Code(
        statement=(
            "This kernel launches one block for 128 elements, 1,024 bytes. Without changing "
            "the launcher's `block_size`, make each thread copy four neighbouring floats as "
            "one `float4`, so that a block moves four times as much. It must stay right for "
            "every n."
        ),
        launcher="negate",
        takes=("float32",),
        gives=("float32",),
        solution="solution_wider_blocks",
        reference=lambda x: -x,
        hint="i and per_block count four times as much; V2 shows the float4 and the tail",
        technique=(technique.bytes_per_lane(16), technique.elements_a_thread(4)),
        as_given=("const int64_t per_block = block_size;", "if (i < n) out[i] = -x[i];"),
        wrong={
            ("i + 4 <= n", "i + 4 < n + 4"): "WRONG",
        },
    ),
}
