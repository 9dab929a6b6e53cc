"""Make kernels that are known to be wrong, each a right one with an edit; and odd right ones.

The checker is tested with them, and lesson 19 plays with them. All that start from the same
base are built as one .cu file, each in a namespace of its own:

    add = wrong_kernels.load(folder, "add")
    wrong_kernels.judge(wrong_kernels.FAMILY["no_guard"], add)
"""

# ruff: noqa: E501 (an edit stands in one line, as in the kernel)
from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from helpers.run import jit
from helpers.run.kernel import Kernel
from helpers.testing import check
from helpers.testing.base_kernels import BASES


@dataclass(frozen=True)
class Variant:
    """A base with edits, each (old, new).

    what: what is wrong or unusual. words: what the checker's sentence must hold; "" if the
    kernel is right. needs_gpu: the emulator cannot see the fault.
    """

    name: str
    base: str
    what: str
    edits: tuple[tuple[str, str], ...]
    words: str = ""
    needs_gpu: bool = False

    @property
    def text(self) -> str:
        """The whole .cu file, with a launcher `launch`; ValueError if an edit does not fit."""
        text = BASES[self.base].text
        for old, new in self.edits:
            if text.count(old) != 1:
                raise ValueError(
                    f"{self.name}: {old!r} is {text.count(old)} times in {self.base}"
                )
            text = text.replace(old, new)
        return text


STORE = "if (i < n) out[i] = a[i] + b[i];"
BLOCKS = "(n + block_size - 1) / block_size"
LAUNCH = "kernel<<<static_cast<unsigned>(blocks), block_size, 0, stream>>>(a, b, out, n);"
INDEX = "const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;"

WRONG = (
    # ---- which elements
    Variant("no_guard", "add", "no test of the index against n", ((STORE, STORE[11:]),), "a has 1 element"),
    Variant("no_tail", "packs", "the elements after the last whole pack are left out",
            (("k < n; ++k", "k < n / kWidth * kWidth; ++k"),), "is the tail handled"),
    Variant("reads_one_past", "add", "looks for an end mark behind the last element",
            ((STORE, "if (i < n && a[i + 1] != -12345.0f) out[i] = a[i] + b[i];"),), "a[1], but a has 1 element"),
    Variant("reads_one_before", "add", "looks for a mark before the first element",
            ((STORE, "if (i < n && a[i - 1] != -12345.0f) out[i] = a[i] + b[i];"),), "a[-1], but a has"),
    Variant("writes_one_past", "add", "i <= n",
            ((STORE, "if (i < n) out[i] = a[i] + b[i];\n    if (i == n) out[i] = 0.0f;"),), "out[1], but out has"),
    Variant("writes_a_whole_pack", "packs", "the last pack is written whole, however few of its elements there are",
            (("else {", "else if (i < n) {\n        float sum[4] = {};"),
             ("for (int64_t k = i; k < n; ++k) out[k] = a[k] + b[k];",
              "for (int64_t k = i; k < n; ++k) sum[k - i] = a[k] + b[k];\n"
              "        *reinterpret_cast<float4*>(out + i) = make_float4(sum[0], sum[1], sum[2], sum[3]);")),
            "outside of out"),
    Variant("off_by_one_vector", "packs", "the first pack is number 1",
            (("blockDim.x + threadIdx.x)", "blockDim.x + threadIdx.x + 1)"),), "never written"),
    Variant("wrong_stride", "strided", "strides over twice as many elements as there are threads",
            (("i += threads", "i += 2 * threads"),), "never written"),
    Variant("neighbour", "add", "takes the elements of the right neighbour",
            ((STORE, "const int64_t j = i + 1 < n ? i + 1 : i;\n    if (i < n) out[i] = a[j] + b[j];"),), "index i + 1"),
    Variant("powers_of_two", "add", "wraps the index by a mask of bits",
            ((STORE, "const int64_t j = i & (n - 1);\n    if (i < n) out[j] = a[j] + b[j];"),), "never written"),
    Variant("multiples_of_the_block", "add", "a grid that is rounded down",
            ((BLOCKS, "n / block_size + (n < block_size)"),), "rounded down"),
    Variant("below_2_16", "add", "an index of 16 bits", ((INDEX, INDEX.replace("const int64_t", "const uint16_t")),),
            "below index 65,536"),
    Variant("past_2_31", "add", "an index that is an int",
            ((INDEX, "const int i = blockIdx.x * blockDim.x + threadIdx.x;"),), "int64_t"),
    Variant("past_2_31_int_n", "strided", "a size that is an int in the kernel",
            (("float* out, int64_t n) {", "float* out, int n) {"),), "int64_t"),
    Variant("past_2_32", "add", "a product of two unsigned numbers that is widened too late",
            ((INDEX, "const int64_t i = blockIdx.x * blockDim.x + threadIdx.x;"),), "int64_t"),
    Variant("too_many_blocks", "add", "a block for each element, in a number of 32 bits",
            ((BLOCKS, "n"), ("static_cast<unsigned>(blocks), block_size, 0", "static_cast<unsigned>(blocks), 1, 0")),
            "number of blocks"),
    Variant("one_block_size", "add", "256 in the place of blockDim.x",
            ((INDEX, INDEX.replace("blockDim.x", "256")),), "default block size"),
    Variant("aligned_only", "packs", "16-byte loads from tensors that may start anywhere",
            (("a,  // [n] 16-byte aligned", "a,  // [n]"), ("b,  // [n] 16-byte aligned", "b,  // [n]"),
             ("out,      // [n] 16-byte aligned", "out,      // [n]")), "misaligned"),
    Variant("wrong_sides", "transpose", "rows and columns change places in the bounds",
            (("if (to_row < cols && to_col < rows)", "if (to_row < rows && to_col < cols)"),), "but out has"),
    Variant("one_short", "matmul", "leaves out the last product of each sum", (("i < k; ++i", "i < k - 1; ++i"),), "left out"),
    # ---- what is written
    Variant("nothing", "add", "launches nothing", ((LAUNCH, "(void)a, (void)b, (void)out, (void)blocks, (void)stream;"),),
            "nothing was written"),
    Variant("constant", "add", "writes 1 everywhere", ((STORE, "if (i < n) out[i] = 1.0f;"),), "a constant"),
    Variant("copy", "add", "forgets b", ((STORE, "if (i < n) out[i] = a[i];"),), "copy of input 1"),
    Variant("swapped", "subtract", "b - a", (("a[i] - b[i]", "b[i] - a[i]"),), "swapped"),
    Variant("overwrites_an_input", "add", "keeps the sum in a as well",
            ((STORE, "if (i < n) out[i] = const_cast<float*>(a)[i] = a[i] + b[i];"),), "a was overwritten"),
    Variant("only_where_needed", "add", "takes a + 0 to be there already",
            ((STORE, "if (i < n && b[i] != 0.0f) out[i] = a[i] + b[i];"),), "never written"),
    Variant("needs_zeros", "add", "adds to what the output holds", ((STORE, STORE.replace("=", "+=")),), "zero before"),
    Variant("sum_needs_zero", "sum", "a total that nobody sets to zero",
            (("    zero<<<1, 1, 0, stream>>>(total);\n", ""),), "zero before"),
    Variant("tail_twice", "sum", "the last n % 4 elements are added once more",
            (("    shared[threadIdx.x] = sum;\n",
              "    if (blockIdx.x == 0 && threadIdx.x == 0) {\n"
              "        for (int64_t i = n / 4 * 4; i < n; ++i) sum += x[i];\n    }\n"
              "    shared[threadIdx.x] = sum;\n"),), "added twice"),
    # ---- on which call, in which order
    Variant("first_call_only", "add", "does its work once for all",
            ((LAUNCH, f"static bool done = false;\n    if (done) return;\n    done = true;\n    {LAUNCH}"),), "first call"),
    Variant("remembers", "add", "keeps the first a of each size and takes it for all later ones",
            (("__global__ void kernel(",
              "__device__ float kept[1000][1000];\n__device__ bool has[1000];\n\n__global__ void kernel("),
             (STORE, "if (i >= n) return;\n    const bool keeps = n < 1000;\n"
                     "    if (keeps && !has[n]) kept[n][i] = a[i];\n    if (keeps && i == n - 1) has[n] = true;\n"
                     "    out[i] = (keeps ? kept[n][i] : a[i]) + b[i];")), "first call"),
    Variant("one_seed", "add", "right where the first number is not negative",
            ((STORE, "if (i < n) out[i] = a[0] < 0.0f ? a[i] - b[i] : a[i] + b[i];"),), "other numbers"),
    Variant("ignores_the_stream", "add", "launches on the default stream",
            (("block_size, 0, stream>>>", "block_size>>>"),), "stream"),
    Variant("race", "add", "clears its neighbour's element, maybe after the neighbour has written it",
            ((STORE, "if (i + 1 < n) out[i + 1] = 0.0f;\n    if (i < n) out[i] = a[i] + b[i];"),), "race"),
    Variant("no_barrier", "transpose", "reads the tile without waiting for it", (("    __syncthreads();\n", ""),), "__syncthreads"),
    Variant("lost_updates", "sum", "blocks add to the total without an atomic",
            (("atomicAdd(total, shared[0])", "*total += shared[0]"),), "WRONG", needs_gpu=True),
    # ---- floating point
    Variant("drops_nan", "clamp", "fmaxf drops a NaN",
            (("x[i] < -1.0f ? -1.0f : x[i] > 1.0f ? 1.0f : x[i]", "fminf(fmaxf(x[i], -1.0f), 1.0f)"),), "only NaN"),
    Variant("infinity", "add", "the largest number in the place of infinity",
            ((STORE, "if (i >= n) return;\n    const float sum = a[i] + b[i];\n"
                     "    out[i] = isinf(sum) ? copysignf(FLT_MAX, sum) : sum;"),), "an infinite result"),
    Variant("negative_zero", "add", "a sum that starts at 0", ((STORE, STORE.replace("a[i] +", "0.0f + a[i] +")),),
            "sign of zero"),
    Variant("subnormals", "add", "flushes subnormal results to zero, as --use_fast_math does",
            ((STORE, "if (i >= n) return;\n    const float sum = a[i] + b[i];\n"
                     "    out[i] = fabsf(sum) < FLT_MIN ? copysignf(0.0f, sum) : sum;"),), "subnormal"),
    Variant("double_rounding", "to_half", "float64 to float16 by way of float32",
            (("__double2half(x[i])", "__float2half(static_cast<float>(x[i]))"),), "rounded twice"),
    Variant("two_steps", "multiply_add", "a product and a sum, each rounded to half",
            (("__hfma(a[i], b[i], c[i])", "__hadd(__hmul(a[i], b[i]), c[i])"),), "rounded"),
    Variant("truncates", "to_bfloat16", "drops the lower 16 bits in the place of rounding",
            (("__float2bfloat16(x[i])", "__float2bfloat16_rz(x[i])"),), "toward zero"),
    Variant("ties_away", "to_bfloat16", "adds half a unit and drops the rest: right but for ties",
            (("__float2bfloat16(x[i])",
              "!(fabsf(x[i]) < 1e38f) ? __float2bfloat16(x[i]) : __float2bfloat16_rz(__uint_as_float(__float_as_uint(x[i]) + 0x8000u))"),
             ), "tie to even"),
    Variant("sum_in_half", "sum", "sums in float16",
            (("float sum = 0.0f;", "half sum = __float2half(0.0f);"), ("sum += x[i];", "sum = __hadd(sum, __float2half(x[i]));"),
             ("shared[threadIdx.x] = sum;", "shared[threadIdx.x] = __half2float(sum);")), "narrower precision"),
    Variant("product_in_half", "matmul", "multiplies in float16",
            (("a[row * k + i] * b[i * n + col]",
              "__half2float(__hmul(__float2half(a[row * k + i]), __float2half(b[i * n + col])))"),), "narrower precision"),
)  # fmt: skip

RIGHT = (
    *(Variant(f"right_{name}", name, "as it should be", ()) for name in BASES),
    Variant("one_thread_a_block", "strided", "blocks of one thread, whatever was asked for",
            (("blocks < 40 ? blocks : 40), block_size", "blocks < 40 ? blocks : 40), 1"),)),
    Variant("backwards", "add", "from the last element to the first",
            ((INDEX, INDEX.replace("= static", "= n - 1 - (static").replace(";", ");")),
             (STORE, STORE.replace("i < n", "i >= 0")))),
    Variant("idle_blocks", "add", "three blocks too many", ((BLOCKS, f"{BLOCKS} + 3"),)),
    Variant("two_launches", "add", "a launch for the first half and one for the rest",
            ((LAUNCH, "const int64_t half = n / 2;\n"
                      "    if (half) kernel<<<static_cast<unsigned>(blocks), block_size, 0, stream>>>(a, b, out, half);\n"
                      "    kernel<<<static_cast<unsigned>(blocks), block_size, 0, stream>>>(\n"
                      "        a + half, b + half, out + half, n - half);"),)),
    Variant("twice_over", "add", "every element is written twice, with the same number",
            ((STORE, f"{STORE}\n    const int64_t j = n - 1 - i;\n    if (i < n) out[j] = a[j] + b[j];"),)),
    Variant("int_within_a_block", "add", "64 bits where they are needed, an int within the block",
            ((INDEX, "const int t = threadIdx.x;\n    const int64_t i = int64_t(blockIdx.x) * blockDim.x + t;"),)),
    Variant("cleared_first", "add", "the output is set to zero before the numbers are added to it",
            ((STORE, "if (i >= n) return;\n    out[i] = -0.0f;\n    out[i] += a[i];\n    out[i] += b[i];"),)),
    Variant("one_block_strides", "strided", "one block does it all", (("blocks < 40 ? blocks : 40", "blocks < 1 ? blocks : 1"),)),
    Variant("warp_strides", "strided", "each warp takes 128 elements, a lane every 32nd of them",
            (("for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += threads) out[i]",
              "const int64_t t = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;\n"
              "    for (int64_t p = t; p < (n + 127) / 128 * 32; p += threads)\n"
              "        for (int64_t k = 0, i; k < 4; ++k)\n"
              "            if ((i = p / 32 * 128 + 32 * k + p % 32) < n) out[i]"),)),
    Variant("branch_on_alignment", "packs", "packs where the addresses allow them, else one at a time",
            (("a,  // [n] 16-byte aligned", "a,  // [n]"), ("b,  // [n] 16-byte aligned", "b,  // [n]"),
             ("out,      // [n] 16-byte aligned", "out,      // [n]"),
             ("if (i + kWidth <= n) {",
              "const bool even = ((uintptr_t(a) | uintptr_t(b) | uintptr_t(out)) & 15) == 0;\n    if (even && i + kWidth <= n) {"),
             ("k < n; ++k", "k < n && k < i + kWidth; ++k"))),
    Variant("sum_one_thread", "sum", "one thread adds all numbers in order",
            (("blocks < 64 ? blocks : 64", "blocks < 1 ? blocks : 1"),
             ("for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += threads) sum += x[i];",
              "for (int64_t i = 0; i < n && threadIdx.x == 0 && threads; ++i) sum += x[i];"))),
    Variant("sum_in_double", "sum", "sums in float64", (("    float sum = 0.0f;", "    double sum = 0.0;"),)),
)  # fmt: skip

FAMILY = {variant.name: variant for variant in (*WRONG, *RIGHT)}


def combined(texts: Mapping[str, str]) -> str:
    """Write one .cu file of many, by name: each in a namespace, its launchers renamed.

    A launcher `launch` gets the name; any other gets the name before its own: `name_add`. What
    a text defines ends with it.
    """
    includes = {
        line
        for text in texts.values()
        for line in text.splitlines()
        if line.startswith("#include")
    }
    parts = []
    for name, text in texts.items():
        body = re.sub(r"^#include.*\n", "", text, flags=re.M)
        for launcher in re.findall(r'extern "C" \w+ (\w+)\(', body):
            own = name if launcher == "launch" else f"{name}_{launcher}"
            body = re.sub(rf"\b{launcher}(?=\()", own, body)  # calls of it, too
        macros = dict.fromkeys(re.findall(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", body, flags=re.M))
        ends = "".join(f"#undef {macro}\n" for macro in macros)
        parts.append(
            f"namespace in_{name} {{\n{body.strip()}\n}}  // namespace in_{name}\n{ends}"
        )
    return "\n".join([*sorted(includes), "", *parts])


def load(folder: Path, base: str) -> Kernel:
    """Build all variants of a base in one file that is written to `folder`."""
    file = folder / f"known_{base}.cu"
    variants = [variant for variant in FAMILY.values() if variant.base == base]
    text = combined({variant.name: variant.text for variant in variants})
    file.write_text(text, encoding="utf-8")
    return jit.load(file)


def judge(variant: Variant, kernel: Kernel) -> check.Verdict:
    """Check one variant; `kernel` is what `load` returned for its base."""
    return check.verdict(kernel, only=variant.name, **BASES[variant.base].options)
