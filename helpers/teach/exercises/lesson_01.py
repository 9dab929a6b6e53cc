"""Exercises of lesson 01: V1: one thread, one element."""

from helpers.teach.exercises.marking import Code, Number

EXERCISES = {
    "01.1": Number(
        statement="V1 runs on 1,000,003 elements in blocks of 256. How many threads are idle?",
        answer=lambda: -1_000_003 % 256,
        unit="idle threads",
        hint=(
            "blocks = elements / 256 rounded up; all their threads minus the elements are idle"
        ),
        tolerance=0,
        wrong={
            67: (
                "those are the threads of the last block that have an element; the "
                "others are idle"
            ),
        },
    ),
    "01.2": Code(
        statement="Write `C = A * B`. The file below is nearly V1; complete the kernel.",
        launcher="multiply",
        takes=("float32", "float32"),
        gives=("float32",),
        solution="solution_multiply",
        reference=lambda a, b: a * b,
        hint="start from V1: one thread, one element, the test i < n, and * in the place of +",
        wrong={
            ("a[i] * b[i]", "a[i] * a[i]"): "WRONG",
            "v1_f32": "WRONG",
        },
    ),
    "01.3": Code(
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
