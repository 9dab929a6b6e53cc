"""Exercises of lesson 06: V6: the pack."""

from helpers.model.dtypes import ITEM_BYTES as BYTES
from helpers.teach.exercises import technique
from helpers.teach.exercises.marking import Code, Number

PACK_BYTES = 16
DRAM_BYTES_PER_US = 4400e9 / 1e6  # the rate that the question gives

EXERCISES = {
    "06.1": Number(
        statement="How many int8 elements fit into one 16-byte pack?",
        answer=lambda: PACK_BYTES // 1,
        unit="elements",
        hint="an int8 has one byte",
        tolerance=0,
        wrong={
            8: "that is float16: an int8 has one byte",
            128: "those are the pack's bits",
        },
    ),
    "06.2": Code(
        statement=("`C = A - B` in bfloat16 by packs: complete the fast path of this kernel."),
        launcher="subtract_pack",
        takes=("bfloat16", "bfloat16"),
        gives=("bfloat16",),
        solution="solution_subtract_pack",
        reference=lambda a, b: a - b,
        as_given="alignas(16) __nv_bfloat162 x[4], y[4]; } else {",
        hint="the four lines of V6's fast path below its array, with __hsub2",
        technique=(technique.bytes_per_lane(16), technique.elements_a_thread(8)),
        wrong={
            ("__hsub2(x[k], y[k])", "__hsub2(y[k], x[k])"): "WRONG",
            ("k < 4; ++k) x[k]", "k < 3; ++k) x[k]"): "WRONG",
        },
    ),
    "06.3": Code(
        statement=(
            "Write V6's idea for `out = |x|` in float16: eight elements a thread, "
            "one 16-byte load, `__habs2` for each pair, `__habs` in the tail. "
            "Launcher `absolute(const half* x, half* out, ...)`, file "
            "`kernels/mine/absolute.cu`, both pointers `16-byte aligned`."
        ),
        launcher="absolute",
        takes=("float16",),
        gives=("float16",),
        solution="solution_absolute",
        reference=lambda x: x.abs(),
        hint=(
            "start from V6, drop y, and use __habs2 on each of the four pairs; __habs in the "
            "tail"
        ),
        technique=(technique.bytes_per_lane(16),),
        wrong={
            ("__habs(x[k])", "x[k]"): "WRONG",
        },
    ),
    "06.4": Number(
        statement=(
            "`|x|` reads one tensor and writes one. Predict its time at 2²⁸ "
            "float16 elements on a DRAM that delivers 4,400 GB/s, in microseconds."
        ),
        answer=lambda: 2 * BYTES["float16"] * (1 << 28) / DRAM_BYTES_PER_US,
        unit="us",
        hint=(
            "2 bytes are read and 2 are written for each element; GB/s are 1e9 bytes a second"
        ),
        wrong={
            122.016: "what is written counts, too",
            366.047: "only one tensor is read",
        },
    ),
}
