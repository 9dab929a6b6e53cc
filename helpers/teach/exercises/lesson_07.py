"""Exercises of lesson 07: The benchmark."""

from helpers import specs
from helpers.model.dtypes import ITEM_BYTES as BYTES
from helpers.teach.exercises import technique
from helpers.teach.exercises.marking import Code, Number

REPORTED_BYTES_PER_US = 550e9 / 1e6  # what the colleague of the question reports


EXERCISES = {
    "07.1": Number(
        statement=(
            "What is the working set of `D = A * B + C` with 2²² float16 elements, in MiB?"
        ),
        answer=lambda: 4 * BYTES["float16"] * (1 << 22) / specs.MIB,
        unit="MiB",
        hint="four tensors of 2 bytes an element: three are read and one is written",
        tolerance=0,
        wrong={
            8: "that is one tensor: four are in use",
            24: "the tensor that is written counts, too",
            64: "a float16 has two bytes",
        },
    ),
    "07.2": Code(
        statement=(
            "A benchmark of your own, first the kernel. Its fast path lacks one line: "
            "the store. Complete it: `out = x`, four floats a thread."
        ),
        launcher="copy",
        takes=("float32",),
        gives=("float32",),
        solution="solution_copy4",
        reference=lambda x: x.clone(),
        hint="the store is the load turned round: `out + i` seen as a `float4*`",
        technique=(technique.bytes_per_lane(16),),
        as_given="out[i] = pack.x;",
        wrong={
            ("*reinterpret_cast<float4*>(out + i) = pack;", "out[i + 3] = pack.w;"): "WRONG",
            ("if (i + 4 <= n)", "if (i + 4 < 0)"): "16 are asked",
        },
    ),
    "07.3": Code(
        statement=(
            "Write `kernels/mine/fma8.cu`: `out = a * b + c` in float16, eight elements a "
            "thread through 16-byte words as in V6, rounded once (`__hfma2`, and `__hfma` in "
            "the tail): `multiply_add(const half* a, const half* b, const half* c, half* out, "
            "int64_t n, ...)`, 16-byte aligned, right for every n."
        ),
        launcher="multiply_add",
        takes=("float16", "float16", "float16"),
        gives=("float16",),
        solution="solution_fma8",
        reference=lambda a, b, c: a * b + c,
        hint="start from V6's file: one more pointer, one more pack, `__hfma2` for `__hadd2`",
        technique=(technique.bytes_per_lane(16), technique.elements_a_thread(8)),
        wrong={
            ("__hfma(a[k], b[k], c[k])", "__hadd(__hmul(a[k], b[k]), c[k])"): "WRONG",
        },
    ),
    "07.4": Number(
        statement=(
            "A colleague times `torch.add` of 2¹⁸ float32 elements on an H200 by "
            'wall clock and reports "550 GB/s, so this GPU is bad at small '
            'tensors". About how many microseconds did the host need for a call?'
        ),
        answer=lambda: 3 * BYTES["float32"] * (1 << 18) / REPORTED_BYTES_PER_US,
        unit="us",
        hint=(
            "the bytes of the call over the bandwidth that was reported; GB/s are 1e9 bytes "
            "a second"
        ),
        tolerance=0.02,
        wrong={
            1.9065: "three tensors move, not one",
        },
    ),
}
