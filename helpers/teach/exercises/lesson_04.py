"""Exercises of lesson 04: V4: half2, and the price of a block."""

from helpers.teach.exercises import technique
from helpers.teach.exercises.marking import Code, Number

# The rates that the questions give.
BLOCKS_PER_US = 1.66e9 / 1e6
DRAM_BYTES_PER_US = 4400e9 / 1e6

EXERCISES = {
    "04.1": Code(
        statement=(
            "Write `C = A * B` in float16 by pairs (`__hmul2`, and `__hmul` for the"
            " odd one at the end) in `kernels/mine/multiply_f16x2.cu`, launcher "
            "`multiply(const half* a, const half* b, half* out, ...)`, and load it "
            "into `answer`."
        ),
        launcher="multiply",
        takes=("float16", "float16"),
        gives=("float16",),
        solution="solution_multiply_f16x2",
        reference=lambda a, b: a * b,
        hint=(
            "start from V4: __hmul2 in the place of __hadd2, __hmul for the odd one at the end"
        ),
        technique=(technique.bytes_per_lane(4),),
        wrong={
            ("__hmul(a[i], b[i])", "__hadd(a[i], b[i])"): "WRONG",
        },
    ),
    "04.2": Number(
        statement=(
            "At 1.66e9 blocks a second, how many microseconds does a GPU need to "
            "start the blocks of V1 (256 elements a block) for 2²⁶ elements?"
        ),
        answer=lambda: (1 << 26) / 256 / BLOCKS_PER_US,
        unit="us",
        hint="262,144 blocks; 1.66e9 a second are 1,660 a microsecond",
        wrong={
            40427.0: "that is one element a block: a block has 256",
        },
    ),
    "04.3": Number(
        statement=(
            "At that rate and with a DRAM that delivers 4,400 GB/s, how many "
            "*bytes* must a block move at least, so that blocks are not the "
            "ceiling?"
        ),
        answer=lambda: DRAM_BYTES_PER_US / BLOCKS_PER_US,
        unit="bytes",
        hint=(
            "in a second 1.66e9 blocks start and 4,400e9 bytes move: how many bytes are that "
            "for each block?"
        ),
        wrong={
            0.000377273: (
                "that is upside down: bytes a block are bytes a second over blocks a second"
            ),
        },
    ),
    "04.4": Code(
        statement=(
            "Fewer blocks without larger ones: complete this kernel, so that a thread adds "
            "two pairs. The second pair lies `2 * blockDim.x` elements after the first."
        ),
        launcher="add",
        takes=("float16", "float16"),
        gives=("float16",),
        solution="solution_two_pairs",
        reference=lambda a, b: a + b,
        as_given="add_pair(a, b, out, first, n); }",
        hint="call add_pair once more, with first + 2 * blockDim.x in the place of first",
        technique=(
            technique.bytes_per_lane(4, 4),
            technique.coalesced,
            technique.elements_a_thread(4),
        ),
        wrong={
            ("first + 2 * blockDim.x", "first + blockDim.x"): "WRONG",
            "v4_f16x2": "a thread writes 2 elements; 4 are asked",
        },
    ),
}
