"""Hold a seventh family: other operators and forms; committed before `check` saw it."""

# ruff: noqa: E501 (a line of a kernel stands in one line)
from __future__ import annotations

import torch

from helpers.testing.base_kernels import elementwise
from tests.testing.family import seventh_arrays
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong

# Prefix sums: one block, a chunk after the other, and what is carried on.
SCAN = (
    HEADER
    + """\
constexpr int kThreads = 256;

__global__ void kernel(const int* x, int* out, int64_t n) {
    __shared__ unsigned sums[2][kThreads];
    __shared__ unsigned carry;
    const int t = threadIdx.x;
    if (t == 0) carry = 0;
    for (int64_t begin = 0; begin < n; begin += kThreads) {
        int from = 0;
        sums[0][t] = begin + t < n ? static_cast<unsigned>(x[begin + t]) : 0u;
        __syncthreads();
        for (int far = 1; far < kThreads; far *= 2) {
            sums[1 - from][t] = sums[from][t] + (t >= far ? sums[from][t - far] : 0u);
            from = 1 - from;
            __syncthreads();
        }
        if (begin + t < n) out[begin + t] = static_cast<int>(carry + sums[from][t]);
        __syncthreads();
        if (t == kThreads - 1) carry += sums[from][t];
    }
}

extern "C" void launch(const int* x,  // [n]
                       int* out,      // [n]
                       int64_t n, cudaStream_t stream = 0) {
    kernel<<<1, kThreads, 0, stream>>>(x, out, n);
}
"""
)
# Left neighbour - 2 x + right neighbour, with the ends repeated; a tile with a halo.
STENCIL = (
    HEADER
    + """\
constexpr int kTile = 128;

__global__ void kernel(const int* x, int* out, int64_t n) {
    __shared__ int tile[kTile + 2];
    const int64_t i = static_cast<int64_t>(blockIdx.x) * kTile + threadIdx.x;
    const int t = threadIdx.x + 1;
    if (i < n) tile[t] = x[i];
    if (threadIdx.x == 0) tile[0] = x[i > 0 ? i - 1 : 0];
    if (i < n && (threadIdx.x == kTile - 1 || i == n - 1)) tile[t + 1] = x[i + 1 < n ? i + 1 : n - 1];
    __syncthreads();
    if (i >= n) return;
    const unsigned left = tile[t - 1], middle = tile[t], right = tile[t + 1];
    out[i] = static_cast<int>(left - 2u * middle + right);
}

extern "C" void launch(const int* x,  // [n]
                       int* out,      // [n]
                       int64_t n, cudaStream_t stream = 0) {
    kernel<<<static_cast<unsigned>((n + kTile - 1) / kTile), kTile, 0, stream>>>(x, out, n);
}
"""
)
MASKED = "hide[i] ? -10000.0f : x[i]"
QUANTISED = "static_cast<int8_t>(fminf(fmaxf(rintf(x[i] * 16.0f), -128.0f), 127.0f))"


def second_difference(x):
    return torch.cat([x[:1], x[:-1]]) - 2 * x + torch.cat([x[1:], x[-1:]])


BASES = {
    "m_scan": Base(SCAN, {"reference": lambda x: x.cumsum(0)}),
    "m_stencil": Base(STENCIL, {"reference": second_difference}),
    "m_masked": Base(
        elementwise("float x, uint8_t hide", "float", MASKED),
        {"reference": lambda x, hide: torch.where(hide != 0, torch.full_like(x, -10000.0), x)},
    ),
    "m_quantised": Base(
        elementwise("float x", "int8_t", QUANTISED),
        {"reference": lambda x: (16 * x).round().clamp(-128, 127)},
    ),
    **seventh_arrays.BASES,
}

WRONG = (
    # ---- prefix sums
    Wrong("m_scan_exclusive", "m_scan", "neighbour/left out/function/numbers", ("carry + sums[from][t]", "carry + (t ? sums[from][t - 1] : 0u)")),
    Wrong("m_scan_no_barrier", "m_scan", "race", ("            from = 1 - from;\n            __syncthreads();\n", "            from = 1 - from;\n")),
    Wrong("m_scan_no_carry", "m_scan", "left out/function/grid/numbers", ("        if (t == kThreads - 1) carry += sums[from][t];\n", "")),
    Wrong("m_scan_of_32", "m_scan", "left out/function/numbers", ("far < kThreads;", "far < 32;")),
    Wrong("m_scan_carry_early", "m_scan", "race", ("(carry + sums[from][t]);\n        __syncthreads();", "(carry + sums[from][t]);")),
    # ---- stencils
    Wrong("m_stencil_no_barrier", "m_stencil", "race", ("    __syncthreads();\n", "")),
    Wrong("m_stencil_no_right_halo", "m_stencil", "unwritten/left out/race/function/numbers", ("threadIdx.x == kTile - 1 || ", "")),
    Wrong("m_stencil_past_the_end", "m_stencil", "bounds", ("x[i + 1 < n ? i + 1 : n - 1]", "x[i + 1]")),
    Wrong("m_stencil_left_twice", "m_stencil", "neighbour/function/numbers/twice", ("right = tile[t + 1]", "right = tile[t - 1]")),
    # ---- masks, int8
    Wrong("m_masked_lowest_bit", "m_masked", "function/numbers/whole range", (MASKED, "hide[i] & 1 ? -10000.0f : x[i]")),
    Wrong("m_masked_by_factor", "m_masked", "infinity/nan", (MASKED, "x[i] * (hide[i] ? 0.0f : 1.0f) - (hide[i] ? 10000.0f : 0.0f)")),
    Wrong("m_masked_signed", "m_masked", "whole range/function/numbers", (MASKED, "static_cast<int8_t>(hide[i]) > 0 ? -10000.0f : x[i]")),
    Wrong("m_masked_plus_zero", "m_masked", "sign of zero", (MASKED, "hide[i] ? -10000.0f : x[i] + 0.0f")),
    Wrong("m_quant_half_up", "m_quantised", "rounding", ("rintf(x[i] * 16.0f)", "floorf(x[i] * 16.0f + 0.5f)")),
    Wrong("m_quant_toward_zero", "m_quantised", "rounding", ("rintf(x[i] * 16.0f)", "x[i] * 16.0f")),
    Wrong("m_quant_wraps", "m_quantised", "whole range", (QUANTISED, "static_cast<int8_t>(static_cast<int>(rintf(x[i] * 16.0f)))")),
    Wrong("m_quant_from_minus_127", "m_quantised", "infinity/whole range/function/numbers", ("-128.0f", "-127.0f")),
    Wrong("m_quant_in_half", "m_quantised", "precision/rounding", ("x[i] * 16.0f", "__half2float(__float2half(x[i])) * 16.0f")),
    *seventh_arrays.WRONG,
)  # fmt: skip

RIGHT = (
    *(Right(f"r_{name}", name) for name in BASES),
    Right("r_m_scan_of_1024", "m_scan", ("kThreads = 256", "kThreads = 1024")),
    Right("r_m_scan_long_carry", "m_scan", ("__shared__ unsigned carry;", "__shared__ unsigned long long carry;")),
    Right("r_m_stencil_two_loads", "m_stencil", ("if (threadIdx.x == 0) tile[0] = x[i > 0 ? i - 1 : 0];", "if (threadIdx.x < 1) tile[0] = i == 0 ? x[0] : x[i - 1];")),
    Right("r_m_masked_by_bits", "m_masked", (MASKED, "__uint_as_float(hide[i] == 0 ? __float_as_uint(x[i]) : 0xc61c4000u)")),
    Right("r_m_quant_int_clamp", "m_quantised", (QUANTISED, "static_cast<int8_t>(max(-128, min(127, __float2int_rn(x[i] * 16.0f))))")),
    *seventh_arrays.RIGHT,
)  # fmt: skip
