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
        answer=lambda: occupancy.occupancy("9.0", 128, 72).warps,
        unit="warps",
        hint=(
            "first the registers of a warp, then the warps of one sub-partition (16,384 "
            "registers), then whole blocks"
        ),
        tolerance=0,
    ),
    "10.2": Number(
        answer=most_shared_bytes,
        unit="bytes",
        hint=(
            "how many such blocks make 48 warps? They share 102,400 bytes, in units of 128, "
            "and 1 KB of each is taken"
        ),
        tolerance=0,
    ),
    "10.3": Number(
        answer=lambda: occupancy.max_registers_for("8.0", 128, 12),
        unit="registers",
        hint=(
            "how many warps is that in one sub-partition of 16,384 registers? A warp gets a "
            "multiple of 256"
        ),
        tolerance=0,
    ),
    "10.4": Choice(
        answer=lambda: occupancy.occupancy("8.0", 32, 24).binding[0],
        hint=(
            "`occupancy.occupancy('8.0', 32, 24).limits` says how many blocks each resource "
            "allows"
        ),
    ),
}
