"""Exercises of lesson 09: Coalescing: a warp pays by the sector."""

from helpers.model import coalescing
from helpers.teach.exercises import technique
from helpers.teach.exercises.marking import Code, Number
from helpers.testing import matrices

EXERCISES = {
    "09.1": Number(
        statement=(
            "A warp reads 32 neighbouring doubles (8 bytes each), the first at byte"
            " 8. How many sectors?"
        ),
        answer=lambda: coalescing.coalesce(coalescing.contiguous(8, start=8), 8).sectors,
        unit="sectors",
        hint=(
            "draw the first and the last byte: 32 x 8 bytes from byte 8 on; which multiples "
            "of 32 do they pass?"
        ),
        tolerance=0,
        wrong={
            8: "eight would do if the first byte lay at a multiple of 32",
        },
    ),
    "09.2": Number(
        statement=(
            "An array of `struct { float x, y, z; }`, and every lane reads the `x` "
            "of its own element. How many sectors does the request touch?"
        ),
        answer=lambda: coalescing.coalesce(coalescing.strided(12), 4).sectors,
        unit="sectors",
        hint="from lane to lane the address grows by the size of the struct",
        tolerance=0,
        wrong={
            32: "lanes that are 12 bytes apart share sectors",
            4: "that is a stride of 4 bytes; the struct has 12",
        },
    ),
    "09.3": Code(
        statement=(
            "Mend V5 without wider loads. A warp owns 256 neighbouring halves; let "
            "it take them in four requests of 64 neighbouring halves each, a "
            "`half2` a lane. Write `kernels/mine/interleaved.cu` with `add(const "
            "half* a, const half* b, half* out, int64_t n, ...)`, 4-byte aligned, "
            "right for every n."
        ),
        launcher="add",
        takes=("float16", "float16"),
        gives=("float16",),
        solution="solution_interleaved",
        reference=lambda a, b: a + b,
        hint=(
            "lane l of a warp takes the pairs l, l + 32, l + 64 and l + 96 of the warp's "
            "128; test each pair against n"
        ),
        technique=(
            technique.bytes_per_lane(4, 4),
            technique.coalesced,
            technique.elements_a_thread(8),
        ),
        wrong={
            ("else if (i < n)", "else if (i < n - 1)"): "WRONG",
            "v5_f16x8": "it is not coalesced",
        },
    ),
    "09.4": Code(
        statement=(
            "Here every thread copies four neighbouring floats, one after another, as V5 "
            "does. Change the index so that neighbouring lanes copy neighbours; a thread "
            "still copies four."
        ),
        launcher="copy",
        takes=("float32",),
        gives=("float32",),
        solution="solution_neighbours",
        reference=lambda x: x.clone(),
        hint="threadIdx.x must count single elements; a step k is a block's width away",
        technique=(technique.coalesced, technique.elements_a_thread(4)),
        as_given="block_starts + 4 * threadIdx.x + k;",
        wrong={
            (
                "k * blockDim.x + threadIdx.x",
                "threadIdx.x * 4 + (3 - k)",
            ): "it is not coalesced",
            ("k * blockDim.x + threadIdx.x", "threadIdx.x + k"): "WRONG",
        },
    ),
    "09.5": Number(
        statement=(
            "How many per cent of the bytes moved in sectors are asked for when a warp walks "
            "down a column of a float32 matrix of 1,000 columns, a lane to a row?"
        ),
        answer=lambda: 100 * coalescing.coalesce(coalescing.strided(4000), 4).efficiency,
        unit="% of the bytes moved",
        hint=(
            "how far apart are two rows in bytes, and how much of a 32-byte sector does a "
            "lane want?"
        ),
        wrong={
            100: "neighbouring lanes read different rows",
        },
    ),
    "09.6": Code(
        statement=(
            "This kernel doubles a matrix, and its results are right. But the lanes of a "
            "warp, which have neighbouring `threadIdx.x`, walk down a column. Let them walk "
            "along a row: change the kernel and the grid. (CUDA allows 65,535 blocks in `y`, "
            "so the result ends at 524,280 rows.)"
        ),
        launcher="twice",
        takes=("float32",),
        gives=("float32",),
        solution="solution_twice_matrix",
        reference=lambda x: 2 * x,
        cases=matrices.moved(lambda x: 2 * x),
        hint="threadIdx.x counts columns, and the grid's first number covers the columns",
        technique=(technique.coalesced, technique.elements_a_thread(1)),
        as_given=(
            "row = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;",
            "grid((rows + 31) / 32, (columns + 7) / 8);",
        ),
        wrong={
            ("(columns + 31) / 32, (rows + 7) / 8", "(rows + 31) / 32, (columns + 7) / 8"): (
                "WRONG"
            ),
        },
    ),
}
