"""Exercises of lesson 05: V5: eight loads in flight."""

from helpers.model import coalescing, ladder
from helpers.teach.exercises import technique
from helpers.teach.exercises.marking import Code, Number

EXERCISES = {
    "05.1": Number(
        statement="V5 with 128 threads a block: how many blocks for 2²⁸ elements?",
        answer=lambda: (1 << 28) / (128 * ladder.version("V5").elements_per_thread),
        unit="blocks",
        hint="a block covers its threads times eight elements",
        tolerance=0,
        wrong={
            524288: "that is four elements a thread; V5 takes eight",
            2097152: "that is one element a thread; V5 takes eight",
        },
    ),
    "05.2": Code(
        statement=(
            "This kernel finishes each pair before it begins the next, so that a thread "
            "waits four times. Let all eight loads come before the first store."
        ),
        launcher="add",
        takes=("float16", "float16"),
        gives=("float16",),
        solution="solution_loads_first",
        reference=lambda a, b: a + b,
        as_given=(  # with the parameters: a promise of __restrict__ is an attempt, too
            "add_one_by_one(const half* a, const half* b, half* out, int64_t n) { "
            "const int64_t i = 8 * (static_cast<int64_t>(blockIdx.x) * blockDim.x "
            "+ threadIdx.x); if (i + 8 <= n) { "
            "const half2* x = reinterpret_cast<const half2*>(a + i); "
            "const half2* y = reinterpret_cast<const half2*>(b + i); "
            "half2* sum = reinterpret_cast<half2*>(out + i); #pragma unroll "
            "for (int k = 0; k < 4; ++k) sum[k] = __hadd2(x[k], y[k]);"
        ),
        hint="two small arrays of half2 and three loops, as in V5",
        technique=(
            technique.bytes_per_lane(4, 4),
            technique.elements_a_thread(8),
            technique.loads_before_store(8),
        ),
        wrong={
            ("q[k] = y[k]", "q[k] = y[0]"): "WRONG",
            "v4_f16x2": "a thread writes 2 elements; 8 are asked",
        },
    ),
    "05.3": Number(
        statement=(
            "A warp loads 4 bytes per lane with lanes 32 bytes apart. How many "
            "32-byte sectors does that load touch?"
        ),
        answer=lambda: coalescing.coalesce(coalescing.strided(32), 4).sectors,
        unit="sectors",
        hint="two lanes that are 32 bytes apart never share a sector of 32 bytes",
        tolerance=0,
        wrong={
            4: "four are enough for neighbouring lanes; these are 32 bytes apart",
        },
    ),
    "05.4": Code(
        statement=(
            "Rewrite V5 so that it stays eight elements a thread and four `half2` "
            "loads, but each *load* of a warp is coalesced: lane *t* of a warp "
            "takes pair *t*, then pair *t* + 32, and so on. Put it in "
            "`kernels/mine/coalesced.cu`, launcher `add(a, b, out)` for half, and "
            "load it."
        ),
        launcher="add",
        takes=("float16", "float16"),
        gives=("float16",),
        solution="solution_coalesced",
        reference=lambda a, b: a + b,
        hint=(
            "a warp covers 256 elements: pair k of lane t starts at element 256 * warp + 2 * "
            "(32 * k + t). Warps that do not have 256 elements left add one element at a "
            "time"
        ),
        technique=(
            technique.bytes_per_lane(4, 4),
            technique.coalesced,
            technique.elements_a_thread(8),
        ),
        wrong={
            ("i += 32", "i += 64"): "WRONG",
            "v5_f16x8": "touches 16 sectors and uses 25%",
            "v6_f16x8_pack": "16 bytes a lane; 4 are asked",
        },
    ),
}
