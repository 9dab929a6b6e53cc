"""Exercises of lesson 01: V1: one thread, one element."""

from helpers.teach.exercises.marking import Code, Number

EXERCISES = {
    "01.1": Number(
        answer=lambda: -1_000_003 % 256,
        unit="idle threads",
        hint=(
            "blocks = elements / 256 rounded up; all their threads minus the elements are idle"
        ),
        tolerance=0,
    ),
    "01.2": Code(
        reference=lambda a, b: a * b,
        hint="start from V1: one thread, one element, the test i < n, and * in the place of +",
    ),
    "01.3": Code(
        reference=lambda x: 2 * x,
        hint=(
            "the launcher is `scale(const float* x, float* out, int64_t n, ...)`, so only "
            "one tensor is read"
        ),
    ),
}
