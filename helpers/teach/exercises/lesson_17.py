"""Exercises of lesson 17: One template for every elementwise operator."""

from collections.abc import Iterable

from helpers.model.dtypes import ITEM_BYTES as BYTES
from helpers.run.launcher import Launcher
from helpers.teach.exercises import technique
from helpers.teach.exercises.marking import Code, Number
from helpers.testing.cases import Case, ElementwiseMaker, elementwise_cases


def increments(launcher: Launcher) -> Iterable[Case]:
    """Yield the checker's cases of x + 1, without the sizes past 2^31."""
    return elementwise_cases(launcher, ElementwiseMaker.of(launcher, lambda x: x + 1))


EXERCISES = {
    "17.1": Number(
        statement=(
            "An operator reads `a` (float32) and `x[2:]` (float16) and writes "
            "float32. How many elements has a pack, where a load moves at most 16 "
            "bytes and every tensor starts at a multiple of 16 bytes?"
        ),
        answer=lambda: min(16 // BYTES["float32"], 4 // BYTES["float16"]),
        unit="elements a pack",
        hint=(
            "float32 allows 4 elements of 16 bytes; x[2:] of float16 starts 4 bytes behind a "
            "round address"
        ),
        tolerance=0,
        wrong={
            4: "four float32 make 16 bytes, but x[2:] is aligned to 4 bytes only",
        },
    ),
    "17.2": Code(
        statement=(
            "Complete two bodies of this chain: `SimpleFactory` gives the functor that it "
            "holds, and `unary` launches such a factory."
        ),
        launcher="increment",
        takes=("float16",),
        gives=("float16",),
        solution="solution_chain",
        reference=lambda x: x + 1,
        cases=increments,
        hint="`return functor;` in one, `launch(SimpleFactory<F>{f}, ...)` in the other",
        technique=(technique.bytes_per_lane(16),),
        as_given=("operator()() const { return {}; }", "cudaStream_t stream) {}"),
        wrong={
            ("return functor;", "return {};"): "WRONG",
            ("last < n", "last < n - 1"): "WRONG",
        },
    ),
    "17.3": Code(
        statement="Write `out = |a - b|` for float32 with the template.",
        launcher="distance",
        takes=("float32", "float32"),
        gives=("float32",),
        solution="solution_distance",
        reference=lambda a, b: (a - b).abs(),
        hint=(
            "a struct with `__device__ float operator()(float a, float b) const` and "
            "`elementwise::binary(...)`; fabsf"
        ),
        technique=(technique.bytes_per_lane(16),),
        wrong={
            ("fabsf(a - b)", "a - b"): "WRONG",
        },
    ),
    "17.4": Code(
        statement=(
            "Write a linear interpolation of three float16 tensors, `out = a + "
            "weight * (b - a)`, as a whole file: `lerp(const half* a, const half* "
            "b, const half* weight, half* out, int64_t n, ...)`. Round once, at the"
            " end."
        ),
        launcher="lerp",
        takes=("float16", "float16", "float16"),
        gives=("float16",),
        solution="solution_lerp",
        reference=lambda a, b, weight: a + weight * (b - a),
        hint=(
            "compute in float32: to_float each argument, from_float<__half> the result; "
            "`elementwise::ternary`"
        ),
        ulp=1,
        wrong={
            ("to_float(b) - to_float(a)", "to_float(a) - to_float(b)"): "WRONG",
        },
    ),
    "17.5": Number(
        statement=(
            "Eager PyTorch computes `relu(a * b + c)` with a multiplication, an "
            "addition and a ReLU, each a kernel of its own. How many times faster "
            "is a fused kernel, for large tensors?"
        ),
        answer=lambda: ((2 + 1) + (2 + 1) + (1 + 1)) / (3 + 1),
        unit="times faster",
        hint=(
            "eager: a product (2 read, 1 written), a sum (2, 1) and a relu (1, 1); fused: 3 "
            "read, 1 written"
        ),
        wrong={
            8: (
                "eight tensors move in eager PyTorch: divide by those that the "
                "fused kernel moves"
            ),
        },
    ),
}
