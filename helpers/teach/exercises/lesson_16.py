"""Exercises of lesson 16: Occupancy is not speed."""

from helpers import specs
from helpers.model import occupancy, shared_memory
from helpers.teach.exercises import technique
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
        statement=(
            "A kernel has blocks of 256 threads, 96 registers a thread and 40 KB of"
            " shared memory a block. Its occupancy on compute capability 9.0, in "
            "per cent?"
        ),
        answer=lambda: 100 * occupancy.occupancy("9.0", 256, 96, 40 * 1024).fraction,
        unit="%",
        hint=(
            "`occupancy.occupancy('9.0', 256, 96, 40 * 1024)`; compare what the registers "
            "and the shared memory allow"
        ),
        wrong={
            62.5: "that is what the shared memory allows; the registers allow less",
        },
    ),
    "16.2": Number(
        statement=(
            "A thread makes 4 × 4 results instead of 8 × 8. What is the "
            "shared-memory roof on the H200, in TFLOP/s?"
        ),
        answer=shared_memory_roof,
        unit="TFLOP/s",
        hint=(
            "a step reads 4 + 4 numbers of 4 bytes and makes 16 products of 2 FLOP; an SM "
            "reads 128 bytes a cycle"
        ),
        wrong={
            66.9: "that is the arithmetic peak; shared memory allows less",
        },
    ),
    "16.3": Code(
        statement=(
            "Write `kernels/mine/four_results.cu`: `matmul(const float* a, const "
            "float* b, float* c, ...)` with the shapes of `matmul_tile16`, tiles of"
            " 32 × 32, and blocks of 32 × 8 threads that make four results each. "
            "What is its roof, by the bytes from shared memory and by wavefronts?"
        ),
        launcher="matmul",
        takes=("float32", "float32"),
        gives=("float32",),
        solution="solution_four_results",
        reference=lambda a, b: a @ b,
        hint=(
            "start from tile_kernel<32, 0>: 32 x 8 threads, each fills and computes the rows "
            "y, y + 8, y + 16 and y + 24"
        ),
        cases=kernel_cases.matmul,
        technique=(technique.parallel, technique.shared_memory, technique.elements_a_thread(4)),
        wrong={
            ("start + x < k", "start + x < k - 1"): "WRONG",
        },
    ),
    "16.4": Code(
        statement=(
            "This transpose reads columns that lie in one bank. Change one number so that it "
            "has no bank conflict."
        ),
        launcher="transpose",
        takes=("float32",),
        gives=("float32",),
        solution="solution_tile_transpose",
        reference=lambda x: x.T,
        hint="one unused word at the end of each row of the tile",
        cases=kernel_cases.transpose,
        as_given="float tile[32][32];",
        technique=(
            technique.parallel,
            technique.shared_memory,
            technique.no_bank_conflicts,
            technique.coalesced,
        ),
        wrong={
            ("tile[32][33]", "tile[33][32]"): "bank conflicts",
            ("tile[32][33]", "tile[32][34]"): "bank conflicts",
            ("tile[threadIdx.x][y]", "tile[y][threadIdx.x]"): "WRONG",
        },
    ),
}
