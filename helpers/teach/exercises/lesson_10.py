"""Exercises of lesson 10: Occupancy: what fits on a multiprocessor."""

from helpers import specs
from helpers.model import occupancy
from helpers.teach.exercises.marking import Choice, Number


def most_shared_bytes() -> int:
    """Return the most shared memory of a block of 256 threads at 100% occupancy on 12.0."""
    sm = specs.compute_capability("12.0")
    blocks, unit = sm.max_threads_per_sm // 256, sm.smem_alloc_unit_bytes
    return sm.smem_per_sm_bytes // blocks // unit * unit - sm.reserved_smem_per_block_bytes


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
    "10.3": Number(
        statement=(
            "`__launch_bounds__(128, 12)` for compute capability 8.0: how many "
            "registers may a thread have?"
        ),
        answer=lambda: occupancy.max_registers_for("8.0", 128, 12),
        unit="registers",
        hint=(
            "how many warps is that in one sub-partition of 16,384 registers? A warp gets a "
            "multiple of 256"
        ),
        tolerance=0,
        wrong={
            42: ("a warp gets its registers in units of 256: 42 x 32 is no multiple of that"),
        },
    ),
    "10.4": Choice(
        statement=(
            "Which resource binds for blocks of 32 threads, 24 registers and no "
            'shared memory on an A100 (8.0)? Answer with a string: `"warps"`, '
            '`"registers"`, `"shared memory"` or `"block slots"`.'
        ),
        choices=("warps", "registers", "shared memory", "block slots"),
        answer=lambda: occupancy.occupancy("8.0", 32, 24).binding[0],
        hint=(
            "`occupancy.occupancy('8.0', 32, 24).limits` says how many blocks each resource "
            "allows"
        ),
        wrong={
            "warps": "32 of 64 warps are there: something else runs out before",
        },
    ),
}
