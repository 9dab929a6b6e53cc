"""Exercises of lesson 16: Occupancy is not speed."""

from helpers import specs
from helpers.model import occupancy, shared_memory
from helpers.teach.exercises.marking import Code, Number
from helpers.testing import kernel_cases

H200 = specs.gpu("H200 SXM")


def shared_memory_roof() -> float:
    """Return the TFLOP/s that the H200's shared memory allows a thread of 4 x 4 results.

    A step reads 4 + 4 numbers of 4 bytes and makes 16 products of 2 FLOP: one FLOP a byte.
    An SM reads 32 banks of 4 bytes in a cycle.
    """
    flop_per_byte = (4 * 4 * 2) / ((4 + 4) * 4)
    bytes_per_cycle = H200.sm_count * shared_memory.BANKS * shared_memory.WORD_BYTES
    bytes_per_s = bytes_per_cycle * H200.boost_MHz * 1e6
    return min(H200.fp32_TFLOPS, flop_per_byte * bytes_per_s / 1e12)


EXERCISES = {
    "16.1": Number(
        answer=lambda: 100 * occupancy.occupancy("9.0", 256, 96, 40 * 1024).fraction,
        unit="%",
        hint=(
            "`occupancy.occupancy('9.0', 256, 96, 40 * 1024)`; compare what the registers "
            "and the shared memory allow"
        ),
    ),
    "16.2": Number(
        answer=lambda: shared_memory.bank_conflict(shared_memory.column_addresses(0, pitch=36)),
        unit="turns",
        hint=(
            "lane r reads the word 36 r: in which banks, of 32, do the words 0, 36, 72, ... "
            "lie?"
        ),
        tolerance=0,
    ),
    "16.3": Number(
        answer=shared_memory_roof,
        unit="TFLOP/s",
        hint=(
            "a step reads 4 + 4 numbers of 4 bytes and makes 16 products of 2 FLOP; an SM "
            "reads 128 bytes a cycle"
        ),
    ),
    "16.4": Code(
        reference=lambda a, b: a @ b,
        hint=(
            "start from tile_kernel<32, 0>: 32 x 8 threads, each fills and computes the rows "
            "y, y + 8, y + 16 and y + 24"
        ),
        cases=kernel_cases.matmul,
    ),
}
