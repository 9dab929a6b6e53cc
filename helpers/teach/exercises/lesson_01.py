"""Exercises of lesson 01: V1: one thread, one element."""

from helpers import specs
from helpers.model.dtypes import ITEM_BYTES as BYTES
from helpers.teach.exercises.marking import Code, Number

EXERCISES = {
    "01.1": Code(
        statement="Write `C = A * B`. The file below is nearly V1; complete the kernel.",
        launcher="multiply",
        takes=("float32", "float32"),
        gives=("float32",),
        solution="solution_multiply",
        reference=lambda a, b: a * b,
        hint="start from V1: one thread, one element, the test i < n, and * in the place of +",
        as_given="int64_t n) {}",
        wrong={
            ("a[i] * b[i]", "a[i] * a[i]"): "WRONG",
            "v1_f32": "WRONG",
        },
    ),
    "01.2": Number(
        statement="How many bytes does one element of `out = a * b + c` move in float16?",
        answer=lambda: 4 * BYTES["float16"],
        unit="bytes per element",
        hint=(
            "three float16 tensors are read and one is written; how many bytes has a float16?"
        ),
        tolerance=0,
        wrong={
            6: "that is read and written for a + b; here three tensors are read",
            16: "those are the bytes in float32",
        },
    ),
    "01.3": Number(
        statement=(
            "What is the DRAM roof's time, in microseconds, for adding 2²⁶ float32"
            " elements on an `A100 40GB SXM`? Look the card up with `specs.gpu`."
        ),
        answer=lambda: 12 * (1 << 26) / specs.gpu("A100 40GB SXM").dram_GBps / 1e3,
        unit="us",
        hint=(
            "bytes = 12 x elements; GB/s are 1e9 bytes a second, so bytes / (GB/s) / 1e3 is "
            "in microseconds"
        ),
        wrong={
            345.254: "the sum is written, too: three tensors move",
        },
    ),
    "01.4": Code(
        statement=(
            "Write `out = 2 * x` as a whole file, `kernels/mine/scale.cu`, launcher"
            " included: `scale(const float* x, float* out, int64_t n, ...)`. Then "
            "load it into `answer`. How does its time compare with V1's, by the "
            "bytes?"
        ),
        launcher="scale",
        takes=("float32",),
        gives=("float32",),
        solution="solution_scale",
        reference=lambda x: 2 * x,
        hint=(
            "the launcher is `scale(const float* x, float* out, int64_t n, ...)`, so only "
            "one tensor is read"
        ),
        wrong={
            ("if (i < n)", "if (i < n - 1)"): "WRONG",
        },
    ),
}
