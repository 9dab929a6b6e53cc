"""Hold a sixth family, small, written and committed before `check` saw it."""

# ruff: noqa: E501 (a line of a kernel stands in one line)
from __future__ import annotations

from helpers.testing.base_kernels import elementwise
from tests.testing.family import sixth_arrays
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong

# Pairs of float16 where all three tensors start at an even place, else single elements.
PAIRS = (
    HEADER
    + """\
__global__ void kernel(const half* a, const half* b, half* out, int64_t n, bool even) {
    const int64_t t = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const int64_t threads = static_cast<int64_t>(gridDim.x) * blockDim.x;
    const int64_t pairs = even ? n / 2 : 0;
    for (int64_t p = t; p < pairs; p += threads) {
        reinterpret_cast<half2*>(out)[p] = __hmul2(reinterpret_cast<const half2*>(a)[p], reinterpret_cast<const half2*>(b)[p]);
    }
    for (int64_t i = 2 * pairs + t; i < n; i += threads) out[i] = __hmul(a[i], b[i]);
}

static bool is_even(const half* p) { return reinterpret_cast<size_t>(p) % sizeof(half2) == 0; }

extern "C" void launch(const half* a,  // [n]
                       const half* b,  // [n]
                       half* out,      // [n]
                       int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    const bool even = is_even(a) && is_even(b) && is_even(out);
    const int64_t wanted = (n + block_size - 1) / block_size;
    const int blocks = wanted > 333 ? 333 : static_cast<int>(wanted);
    kernel<<<blocks, block_size, 0, stream>>>(a, b, out, n, even);
}
"""
)
# Two results of the same two numbers.
BOTH = (
    HEADER
    + """\
__global__ void kernel(const double* a, const double* b, double* sum, double* difference, int64_t n) {
    const int64_t i = threadIdx.x + static_cast<int64_t>(blockIdx.x) * blockDim.x;
    if (i >= n) return;
    const double x = a[i], y = b[i];
    sum[i] = x + y;
    difference[i] = x - y;
}

extern "C" void launch(const double* a,     // [n]
                       const double* b,     // [n]
                       double* sum,         // [n]
                       double* difference,  // [n]
                       int64_t n, cudaStream_t stream = 0) {
    kernel<<<static_cast<unsigned>((n + 223) / 224), 224, 0, stream>>>(a, b, sum, difference, n);
}
"""
)
SOFTSIGN = "x[i] / (1.0f + fabsf(x[i]))"

BASES = {
    "l_pairs": Base(PAIRS, {"reference": "multiply"}),
    "l_both": Base(BOTH, {"reference": lambda a, b: (a + b, a - b)}),
    "l_from_long": Base(elementwise("int64_t x", "float", "__ll2float_rn(x[i])"), {"reference": lambda x: x}),
    "l_softsign": Base(
        elementwise("float x", "float", SOFTSIGN),
        {"reference": lambda x: x / (1 + x.abs()), "ulp": 2},
    ),
    **sixth_arrays.BASES,
}  # fmt: skip

WRONG = (
    # ---- pairs
    Wrong("l_pairs_no_last", "l_pairs", "unwritten/tail", ("    for (int64_t i = 2 * pairs + t;", "    if (!even) for (int64_t i = t;")),
    Wrong("l_pairs_out_untested", "l_pairs", "alignment", (" && is_even(out)", "")),
    Wrong("l_pairs_saturate", "l_pairs", "function/numbers | nan", ("__hmul2(", "__hmul2_sat(")),
    Wrong("l_pairs_count_in_int", "l_pairs", "narrow | bounds/unwritten/tail/grid", ("for (int64_t p = t; p < pairs;", "for (int p = static_cast<int>(t); p < static_cast<int>(pairs);")),
    # ---- two outputs
    Wrong("l_both_exchanged", "l_both", "swapped/function/numbers", ("sum[i] = x + y;", "sum[i] = x - y;"), ("difference[i] = x - y;", "difference[i] = x + y;")),
    Wrong("l_both_from_the_sum", "l_both", "precision/function/numbers/rounding | infinity", ("difference[i] = x - y;", "difference[i] = sum[i] - 2.0 * y;")),
    Wrong("l_both_second_short", "l_both", "unwritten/tail", ("difference[i] = x - y;", "if (i + 1 < n) difference[i] = x - y;")),
    # ---- casts, activations
    Wrong("l_long_by_double", "l_from_long", "rounding", ("__ll2float_rn(x[i])", "static_cast<float>(static_cast<double>(x[i]))")),
    Wrong("l_long_unsigned", "l_from_long", "whole range/numbers/function", ("__ll2float_rn(x[i])", "__ull2float_rn(static_cast<unsigned long long>(x[i]))")),
    Wrong("l_sign_of_root", "l_softsign", "function/numbers", (SOFTSIGN, "x[i] * rsqrtf(1.0f + x[i] * x[i])")),
    Wrong("l_sign_of_infinity", "l_softsign", "infinity/nan", (SOFTSIGN, "isinf(x[i]) ? copysignf(1.0f, x[i]) : x[i] / (1.0f + fabsf(x[i]))")),
    *sixth_arrays.WRONG,
)  # fmt: skip

RIGHT = (
    *(Right(f"r_{name}", name) for name in BASES),
    Right("r_l_pairs_lowest_bits", "l_pairs", ("is_even(a) && is_even(b) && is_even(out)", "((reinterpret_cast<size_t>(a) | reinterpret_cast<size_t>(b) | reinterpret_cast<size_t>(out)) & 3) == 0")),
    Right("r_l_both_two_kernels", "l_both", ("extern \"C\"", "__global__ void minus(const double* a, const double* b, double* difference, int64_t n) {\n    for (int64_t i = static_cast<int64_t>(blockIdx.x) * 64 + threadIdx.x; i < n; i += static_cast<int64_t>(gridDim.x) * 64) difference[i] = a[i] - b[i];\n}\n\nextern \"C\""), ("    difference[i] = x - y;\n", ""), ("(a, b, sum, difference, n);", "(a, b, sum, difference, n);\n    minus<<<777, 64, 0, stream>>>(a, b, difference, n);")),
    *sixth_arrays.RIGHT,
)  # fmt: skip
