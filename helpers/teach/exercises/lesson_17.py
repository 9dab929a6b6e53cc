"""Exercises of lesson 17: One template for every elementwise operator."""

from helpers.model.dtypes import ITEM_BYTES as BYTES
from helpers.teach.exercises.marking import Code, Number

EXERCISES = {
    "17.1": Number(
        answer=lambda: min(16 // BYTES["float32"], 4 // BYTES["float16"]),
        unit="elements a pack",
        hint=(
            "float32 allows 4 elements of 16 bytes; x[2:] of float16 starts 4 bytes behind a "
            "round address"
        ),
        tolerance=0,
    ),
    "17.2": Number(
        answer=lambda: ((2 + 1) + (2 + 1) + (1 + 1)) / (3 + 1),
        unit="times faster",
        hint=(
            "eager: a product (2 read, 1 written), a sum (2, 1) and a relu (1, 1); fused: 3 "
            "read, 1 written"
        ),
    ),
    "17.3": Code(
        reference=lambda a, b: (a - b).abs(),
        hint=(
            "a struct with `__device__ float operator()(float a, float b) const` and "
            "`elementwise::binary(...)`; fabsf"
        ),
    ),
    "17.4": Code(
        reference=lambda a, b, weight: a + weight * (b - a),
        hint=(
            "compute in float32: to_float each argument, from_float<__half> the result; "
            "`elementwise::ternary`"
        ),
        ulp=1,
    ),
}
