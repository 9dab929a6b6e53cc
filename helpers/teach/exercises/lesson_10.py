"""Exercises of lesson 10: Occupancy: what fits on a multiprocessor."""

from collections.abc import Iterator

import torch

from helpers import specs
from helpers.model import occupancy
from helpers.run.launcher import Launcher
from helpers.teach.exercises import functions, technique
from helpers.teach.exercises.functions import Function
from helpers.teach.exercises.marking import Code, Number
from helpers.testing.cases import Case

# Block size and blocks: the last two have a warp that is not full, and more than 255 registers.
LAUNCHES = ((128, 12), (256, 4), (256, 8), (96, 5), (1024, 2), (32, 31), (100, 12), (128, 1))


def most_shared_bytes() -> int:
    """Return the most shared memory of a block of 256 threads at 100% occupancy on 12.0."""
    sm = specs.compute_capability("12.0")
    blocks, unit = sm.max_threads_per_sm // 256, sm.smem_alloc_unit_bytes
    return sm.smem_per_sm_bytes // blocks // unit * unit - sm.reserved_smem_per_block_bytes


def column_ranges(launcher: Launcher) -> Iterator[Case]:
    """Yield cases of the range of each column, for matrices [40, n] of whole numbers."""
    for n, block_size in ((1, 256), (31, 32), (257, 64), (1003, 256)):
        generator = torch.Generator().manual_seed(n)
        x = torch.randint(-500, 500, (40, n), generator=generator).float()
        x[:, 0] = torch.arange(40.0)  # the extremes at the ends
        exact = (x.amax(0) - x.amin(0)).double()
        arguments = {"block_size": block_size}
        yield Case(f"n = {n:,}", (x,), (exact,), arguments, dtypes=(torch.float32,))


def turned_blocks(launcher: Launcher) -> Iterator[Case]:
    """Reverse the elements of each block, in blocks of 1 to 1,024 threads."""
    for n, block_size in ((1, 256), (255, 32), (1000, 256), (1003, 100), (4099, 1024)):
        x = torch.arange(n, dtype=torch.float32)
        exact = torch.cat([part.flip(0) for part in x.split(block_size)]).double()
        arguments = {"block_size": block_size}
        label = f"n = {n:,}, block_size = {block_size}"
        yield Case(label, (x,), (exact,), arguments, dtypes=(torch.float32,))


def room_for_all_warps(seen: technique.Seen) -> str:
    """Require that shared memory leaves 100% occupancy to blocks of 256 threads on 12.0."""
    taken = sum(array.bytes for array in seen.trace.arrays)
    found = occupancy.occupancy("12.0", 256, 32, taken)
    if found.fraction == 1:
        return ""
    return f"{taken:,} bytes of shared memory a block allow {found}"


EXERCISES = {
    "10.1": Number(
        statement=(
            "By hand: compute capability 9.0, blocks of 128 threads, 72 registers, "
            "no shared memory. How many warps does an SM hold?"
        ),
        answer=lambda: occupancy.occupancy("9.0", 128, 72).warps,
        unit="warps",
        hint=(
            "first the registers of a warp, then the warps of one sub-partition (16,384 "
            "registers), then whole blocks"
        ),
        tolerance=0,
        wrong={
            32: "that is 64 registers a thread; 72 take more of a sub-partition's 16,384",
        },
    ),
    "10.2": Number(
        statement=(
            "What is the most shared memory (in bytes) that a block of 256 threads "
            "with 32 registers may use on an RTX 5090 (12.0), if 100% occupancy is "
            "to stay?"
        ),
        answer=most_shared_bytes,
        unit="bytes",
        hint=(
            "how many such blocks make 48 warps? They share 102,400 bytes, in units of 128, "
            "and 1 KB of each is taken"
        ),
        tolerance=0,
        wrong={
            17024: "1 KB of each block's shared memory is taken",
            17066: (
                "shared memory is given in units of 128 bytes, and 1 KB of each block is taken"
            ),
        },
    ),
    "10.3": Code(
        statement=(
            "This kernel reverses the elements of each block in shared memory, and takes 16 KB "
            "for that. Change one number so that blocks of 256 threads have 100% occupancy on "
            "an RTX 5090 (12.0). It must stay right for blocks of up to 1,024 threads."
        ),
        launcher="turn_blocks",
        takes=("float32",),
        gives=("float32",),
        solution="solution_turn_blocks",
        reference=turned_blocks,
        cases=turned_blocks,
        hint="a block has at most 1,024 threads, and each of them needs one float",
        as_given="__shared__ float part[4096];",
        technique=(technique.parallel, technique.shared_memory, room_for_all_warps),
        wrong={
            ("part[1024]", "part[256]"): "block_size = 1024",
            ("part[1024]", "part[4095]"): "83.3%",
        },
    ),
    "10.4": Function(
        statement=(
            "Write a function of `block_size` and `blocks`: how many registers may a thread "
            "have at most, so that so many blocks fit on an SM whose four sub-partitions have "
            "16,384 registers each? A thread never has more than 255."
        ),
        takes="block_size and blocks",
        trials=tuple(
            functions.returns(
                occupancy.max_registers_for("8.0", size, blocks), block_size=size, blocks=blocks
            )
            for size, blocks in LAUNCHES
        ),
        hint=(
            "how many warps is that in the fullest sub-partition? Each gets a multiple of 256 "
            "of its 16,384 registers, for 32 threads, and a thread has at most 255"
        ),
        wrong={
            "block_size = 128 and blocks = 12 it returns 42": (
                lambda block_size, blocks: 65536 // (block_size * blocks)
            ),
            "block_size = 96 and blocks = 5 it returns 136": (
                lambda block_size, blocks: 65536 // (block_size // 32 * blocks) // 256 * 8
            ),
            "block_size = 100 and blocks = 12 it returns 56": (
                lambda block_size, blocks: min(
                    255, 16384 // -(-(block_size // 32 * blocks) // 4) // 256 * 8
                )
            ),
            "block_size = 128 and blocks = 1 it returns 512": (
                lambda block_size, blocks: (
                    16384 // -(-(-(-block_size // 32) * blocks) // 4) // 256 * 8
                )
            ),
        },
    ),
    "10.5": Code(
        statement=(
            "This kernel keeps 40 values to compute the range (largest minus smallest) of each "
            "column. Rewrite its body so that it keeps two."
        ),
        launcher="column_range",
        takes=("float32",),
        gives=("float32",),
        solution="solution_column_range",
        reference=lambda x: x.amax(0) - x.amin(0),
        cases=column_ranges,
        hint="bring `least` and `most` up to date in one loop, with the value just read",
        as_given="float column[kRows];",
        wrong={
            ("int k = 1;", "int k = 2;"): "WRONG",
            ("most - least", "most"): "WRONG",
        },
    ),
}
