"""Exercises of lesson 08: What the machine executes."""

from helpers.measure import sass
from helpers.specs import WARP_SIZE
from helpers.teach.exercises import technique
from helpers.teach.exercises.marking import Code, Number

EXERCISES = {
    "08.1": Number(
        statement=(
            "How many global load instructions does V5 hold for sm_120, fast path "
            "and tail together?"
        ),
        answer=lambda: sum(sass.read("v5_f16x8", "sm_120").kernel().loads().values()),
        unit="loads",
        hint=(
            "`sass.read('v5_f16x8', 'sm_120').kernel().loads()` gives {bits: instructions}; "
            "add the instructions"
        ),
        tolerance=0,
        wrong={
            8: "those are the loads of the fast path; the tail loads, too",
        },
    ),
    "08.2": Number(
        statement=(
            "V6 moves 8 halves a thread. How many bytes of its three tensors does "
            "one *warp* move on the fast path for each `LDG` or `STG` that it "
            "executes?"
        ),
        answer=lambda: WARP_SIZE * 16,
        unit="bytes",
        hint=(
            "each of its three instructions moves the same: the lanes of a warp times the "
            "bytes of one lane"
        ),
        tolerance=0,
        wrong={
            16: "those are the bytes of one lane; a warp has 32",
        },
    ),
    "08.3": Code(
        statement=(
            "One width is missing in the ladder: 64 bits. Change the fast path of this "
            "kernel, so that a thread moves its two floats as one `float2`."
        ),
        launcher="add",
        takes=("float32", "float32"),
        gives=("float32",),
        solution="solution_pairs_f32",
        reference=lambda a, b: a + b,
        hint="V2's two loads and its store, with float2 and make_float2",
        technique=(technique.bytes_per_lane(8, 8), technique.elements_a_thread(2)),
        as_given="if (i + 2 <= n) { out[i] = a[i] + b[i]; out[i + 1] = a[i + 1] + b[i + 1]; }",
        wrong={
            ("make_float2(x.x + y.x, x.y + y.y)", "make_float2(x.x + y.x, x.y + y.x)"): "WRONG",
            "v2_f32x4": "8 are asked",
        },
    ),
    "08.4": Number(
        statement=(
            "A kernel contains `HFMA2 R4, R4, 1, 1, R8`, `HFMA2 R3, -RZ, RZ, 0, 0` "
            "and `HADD2 R5, R5, R9`. How many additions of half2 does it do?"
        ),
        answer=lambda: 2,
        unit="additions",
        hint="x * 1 + y is an addition; zero times zero is none",
        tolerance=0,
        wrong={
            3: "one of the three adds nothing: zero times zero",
            1: "`HFMA2` with a factor of 1 adds as well",
        },
    ),
    "08.5": Code(
        statement=(
            "This kernel promises nothing, and its loads go in order: load, load, store, "
            "load, load, store. Change only its parameters so that all loads go first."
        ),
        launcher="subtract",
        takes=("float32", "float32"),
        gives=("float32",),
        solution="solution_overlap",
        reference=lambda a, b: a - b,
        hint="say __restrict__ of each pointer of the kernel: const float* __restrict__ a",
        technique=(technique.elements_a_thread(4),),
        as_given="subtract_f32(const float* a, const float* b, float* out, int64_t n)",
        wrong={
            ("a[i + k] - b[i + k]", "a[i + k] + b[i + k]"): "WRONG",
        },
    ),
    "08.6": Code(
        statement=(
            "Write `kernels/mine/scale8.cu`: `out = 2 * x` in float16 with a 16-byte load"
            " and store (`scale(const half* x, half* out, int64_t n, ...)`, 16-byte "
            "aligned, right for every n). Its results are marked, and the bytes of its "
            "loads and stores; look at its `loads()` yourself."
        ),
        launcher="scale",
        takes=("float16",),
        gives=("float16",),
        solution="solution_scale8",
        reference=lambda x: 2 * x,
        hint=(
            "start from V6: `half2 pack[4]`, filled and emptied through `uint4`, `__hmul2` "
            "in between, and the tail loop"
        ),
        technique=(technique.bytes_per_lane(16),),
        wrong={
            ("__hmul(x[k], __float2half(2.0f))", "x[k]"): "WRONG",
        },
    ),
}
