"""Hold kernels that reduce a whole array to one number: sums, maxima; right and wrong."""

# ruff: noqa: E501 (a line of a kernel stands in one line)
from __future__ import annotations

import torch

from tests.testing.family.table import Base, Right, Wrong

INCLUDES = """\
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cfloat>
#include <cmath>
#include <cstdint>

"""


def reduction(start: str, take: str, combine: str, zero: str, join: str) -> str:
    """Write a reduction by warps: shuffles, warps' results through shared memory, an atomic.

    take: combines `value` with the number `x[i]`; combine: `value` with the number `other`.
    """
    return f"""{INCLUDES}\
__device__ void join(float* address, float value) {{
{join}
}}

__device__ float warp_result(float value) {{
    for (int offset = 16; offset > 0; offset /= 2) {{
        const float other = __shfl_xor_sync(0xffffffffu, value, offset);
        {combine}
    }}
    return value;
}}

__global__ void first(float* out) {{ *out = {zero}; }}

__global__ void kernel(const float* x, float* out, int64_t n) {{
    __shared__ float warps[32];
    const int64_t threads = static_cast<int64_t>(gridDim.x) * blockDim.x;
    float value = {start};
    for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += threads) {{
        {take}
    }}
    value = warp_result(value);
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = value;
    __syncthreads();
    if (threadIdx.x >= 32) return;
    value = threadIdx.x < blockDim.x / 32 ? warps[threadIdx.x] : {start};
    value = warp_result(value);
    if (threadIdx.x == 0) join(out, value);
}}

extern "C" void launch(const float* x,  // [n]
                       float* out,      // [1]
                       int64_t n, cudaStream_t stream = 0) {{
    const int64_t blocks = (n + 255) / 256;
    first<<<1, 1, 0, stream>>>(out);
    kernel<<<static_cast<unsigned>(blocks < 64 ? blocks : 64), 256, 0, stream>>>(x, out, n);
}}
"""


SUM = reduction(
    "0.0f", "value += x[i];", "value += other;", "0.0f", "    atomicAdd(address, value);"
)
MAX_JOIN = """\
    int* bits = reinterpret_cast<int*>(address);
    int old = *bits;
    while (__int_as_float(old) < value) {
        const int seen = atomicCAS(bits, old, __float_as_int(value));
        if (seen == old) break;
        old = seen;
    }"""
MAX = reduction(
    "-INFINITY",
    "value = fmaxf(value, x[i]);",
    "value = fmaxf(value, other);",
    "-INFINITY",
    MAX_JOIN,
)
TREE = (
    INCLUDES
    + """\
__global__ void kernel(const float* x, float* out, int64_t n) {
    __shared__ float tile[512];
    const int t = threadIdx.x;
    float value = -INFINITY;
    for (int64_t i = t; i < n; i += 512) value = fmaxf(value, x[i]);
    tile[t] = value;
    __syncthreads();
    for (int half = 256; half > 0; half /= 2) {
        if (t < half) tile[t] = fmaxf(tile[t], tile[t + half]);
        __syncthreads();
    }
    if (t == 0) *out = tile[0];
}

extern "C" void launch(const float* x,  // [n]
                       float* out,      // [1]
                       int64_t n, cudaStream_t stream = 0) {
    kernel<<<1, 512, 0, stream>>>(x, out, n);
}
"""
)
PASSES = (
    INCLUDES
    + """\
__global__ void partial(const float* x, float* out, int64_t n) {
    __shared__ float tile[256];
    const int t = threadIdx.x;
    float value = -INFINITY;
    for (int64_t i = static_cast<int64_t>(blockIdx.x) * 256 + t; i < n; i += static_cast<int64_t>(gridDim.x) * 256) {
        value = fmaxf(value, x[i]);
    }
    tile[t] = value;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half) tile[t] = fmaxf(tile[t], tile[t + half]);
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = tile[0];
}

__device__ float parts[1024];

__global__ void last(float* out, int count) {
    float value = -INFINITY;
    for (int i = 0; i < count; ++i) value = fmaxf(value, parts[i]);
    *out = value;
}

extern "C" void launch(const float* x,  // [n]
                       float* out,      // [1]
                       int64_t n, cudaStream_t stream = 0) {
    void* address = nullptr;
    cudaGetSymbolAddress(&address, parts);
    const int64_t needed = (n + 255) / 256;
    const int blocks = static_cast<int>(needed < 1024 ? needed : 1024);
    partial<<<blocks, 256, 0, stream>>>(x, static_cast<float*>(address), n);
    last<<<1, 1, 0, stream>>>(out, blocks);
}
"""
)
TWO_STEP_SUM = (
    INCLUDES
    + """\
__global__ void kernel(const float* x, float* out, int64_t n) {
    __shared__ float tile[256];
    const int t = threadIdx.x;
    float value = 0.0f;
    const int64_t packs = n / 4;
    for (int64_t p = t; p < packs; p += 256) {
        for (int k = 0; k < 4; ++k) value += x[4 * p + k];
    }
    if (t < n - 4 * packs) value += x[4 * packs + t];
    tile[t] = value;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half) tile[t] += tile[t + half];
        __syncthreads();
    }
    if (t == 0) *out = tile[0];
}

extern "C" void launch(const float* x,  // [n]
                       float* out,      // [1]
                       int64_t n, cudaStream_t stream = 0) {
    kernel<<<1, 256, 0, stream>>>(x, out, n);
}
"""
)
BASES = {
    "f_sum": Base(SUM, cases="sums"),
    "f_sum_packs": Base(TWO_STEP_SUM, cases="sums"),
    "f_max": Base(MAX, cases="whole_array", function=torch.max),
    "f_max_tree": Base(TREE, cases="whole_array", function=torch.max),
    "f_max_passes": Base(PASSES, cases="whole_array", function=torch.max),
    "f_min": Base(
        TREE.replace("-INFINITY", "INFINITY").replace("fmaxf", "fminf"),
        cases="whole_array",
        function=torch.min,
    ),
    "f_largest_size": Base(
        TREE.replace("-INFINITY", "0.0f").replace("x[i])", "fabsf(x[i]))"),
        cases="whole_array",
        function=lambda x: x.abs().max(),
    ),
}
LOOP = "for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += threads)"
WARPS = "value = threadIdx.x < blockDim.x / 32 ? warps[threadIdx.x] : "
WRONG = (
    # ---- sums
    Wrong("s_not_cleared", "f_sum", "zero before", ("    first<<<1, 1, 0, stream>>>(out);\n", "")),
    Wrong("s_no_barrier", "f_sum", "race", ("    __syncthreads();\n", "")),
    Wrong("s_no_atomic", "f_sum", "race", ("atomicAdd(address, value);", "*address += value;")),
    Wrong("s_last_lost", "f_sum", "left out/tail", ("i < n; i += threads", "i < n - 1; i += threads")),
    Wrong("s_first_lost", "f_sum", "left out/tail", ("float value = 0.0f;\n    for", "float value = 0.0f;\n    if (n > 1 && blockIdx.x == 0 && threadIdx.x == 0) value = -x[0];\n    for")),
    Wrong("s_warp_7_lost", "f_sum", "left out", ("threadIdx.x < blockDim.x / 32 ?", "threadIdx.x < blockDim.x / 32 - 1 ?")),
    Wrong("s_half_warps", "f_sum", "left out", ("threadIdx.x < blockDim.x / 32 ?", "threadIdx.x < 4 ?")),
    Wrong("s_four_rounds", "f_sum", "left out", ("int offset = 16", "int offset = 8")),
    Wrong("s_block_0_only", "f_sum", "left out", ("if (threadIdx.x == 0) join", "if (threadIdx.x == 0 && blockIdx.x == 0) join")),
    Wrong("s_no_stride", "f_sum", "left out", ("i < n; i += threads) {", "i < n; i += n) {")),
    Wrong("s_stride_of_block", "f_sum", "twice", ("i += threads", "i += blockDim.x")),
    Wrong("s_count_in_16_bits", "f_sum", "narrow/left out", ("float* out, int64_t n) {\n    __shared__", "float* out, uint16_t n) {\n    __shared__")),
    Wrong("s_index_in_float", "f_sum", "narrow/left out/twice | timeout", (LOOP, "for (float i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads)"), ("value += x[i];", "value += x[static_cast<int64_t>(i)];")),
    Wrong("s_int_index", "f_sum", "narrow | bounds/grid", (LOOP, "for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += static_cast<int>(threads))")),
    Wrong("s_in_half", "f_sum", "precision | infinity", ("value += x[i];", "value = __half2float(__float2half(value + x[i]));")),
    Wrong("s_inputs_in_half", "f_sum", "precision | infinity", ("value += x[i];", "value += __half2float(__float2half(x[i]));")),
    Wrong("s_in_whole_numbers", "f_sum", "rounding/precision", ("value += x[i];", "value += truncf(x[i]);")),
    Wrong("s_absolute", "f_sum", "function/numbers", ("value += x[i];", "value += fabsf(x[i]);")),
    Wrong("s_mean", "f_sum", "function/numbers", ("join(out, value);", "join(out, value / n);")),
    Wrong("s_drops_nan", "f_sum", "nan", ("value += x[i];", "if (x[i] == x[i]) value += x[i];")),
    Wrong("s_keeps_calls", "f_sum", "state | zero before", ("__global__ void first(float* out) { *out = 0.0f; }", "__device__ float total;\n__global__ void first(float* out) { total += 0.0f; *out = total; }"), ("if (threadIdx.x == 0) join(out, value);", "if (threadIdx.x == 0) join(out, value), join(&total, value);")),
    Wrong("s_other_stream", "f_sum", "stream", ("64), 256, 0, stream>>>", "64), 256, 0, 0>>>")),
    Wrong("s_one_past", "f_sum", "bounds", ("i < n; i += threads", "i <= n; i += threads")),
    Wrong("s_overwrites", "f_sum", "input", ("value += x[i];", "value += x[i];\n        const_cast<float*>(x)[i] = 0.0f;")),
    Wrong("s_starts_at_1", "f_sum", "start/function", ("*out = 0.0f;", "*out = 1.0f;")),
    Wrong("s_tail_lost", "f_sum_packs", "left out/tail", ("if (t < n - 4 * packs) value", "if (false) value")),
    Wrong("s_tail_of_one", "f_sum_packs", "left out/tail", ("t < n - 4 * packs", "t < (n - 4 * packs > 0)")),
    Wrong("s_tail_per_thread", "f_sum_packs", "twice | tail", ("if (t < n - 4 * packs) value += x[4 * packs + t];", "for (int64_t i = 4 * packs; i < n; ++i) value += x[i];")),
    Wrong("s_tree_no_barrier", "f_sum_packs", "race", ("tile[t] += tile[t + half];\n        __syncthreads();", "tile[t] += tile[t + half];")),
    Wrong("s_tree_stops", "f_sum_packs", "left out", ("half > 0;", "half > 1;")),
    # ---- maxima
    Wrong("m_starts_at_0", "f_max", "start", ("float value = -INFINITY;", "float value = 0.0f;")),
    Wrong("m_starts_at_minus_10", "f_max_tree", "start", ("float value = -INFINITY;", "float value = -10.0f;")),
    Wrong("m_starts_at_minus_1e6", "f_max_tree", "start", ("float value = -INFINITY;", "float value = -1e6f;")),
    Wrong("m_starts_at_flt_min", "f_max_tree", "start", ("float value = -INFINITY;", "float value = FLT_MIN;")),
    Wrong("m_starts_at_minus_65504", "f_max", "start", ("float value = -INFINITY;", "float value = -65504.0f;")),
    Wrong("m_idle_warps_0", "f_max", "start", (WARPS + "-INFINITY;", WARPS + "0.0f;")),
    Wrong("m_second_pass_16", "f_max", "left out", ("threadIdx.x < blockDim.x / 32 ?", "threadIdx.x < 6 ?")),
    Wrong("m_four_rounds", "f_max", "left out", ("int offset = 16", "int offset = 8")),
    Wrong("m_no_barrier", "f_max", "race", ("    __syncthreads();\n", "")),
    Wrong("m_not_cleared", "f_max", "zero before/state/numbers/start", ("    first<<<1, 1, 0, stream>>>(out);\n", "")),
    Wrong("m_int_compare", "f_max", "numbers/function/start", (MAX_JOIN, "    atomicMax(reinterpret_cast<int*>(address), __float_as_int(value));")),
    Wrong("m_no_loop", "f_max_tree", "left out", ("for (int64_t i = t; i < n; i += 512)", "for (int64_t i = t; i < n && i < 512; i += 512)")),
    Wrong("m_last_lost", "f_max_tree", "left out/tail", ("i < n; i += 512", "i < n - (n > 1); i += 512")),
    Wrong("m_tree_no_barrier", "f_max_tree", "race", ("tile[t] = fmaxf(tile[t], tile[t + half]);\n        __syncthreads();", "tile[t] = fmaxf(tile[t], tile[t + half]);")),
    Wrong("m_tree_stops", "f_max_tree", "left out", ("half > 0;", "half > 1;")),
    Wrong("m_tree_short", "f_max_tree", "left out", ("int half = 256;", "int half = 128;")),
    Wrong("m_truncates", "f_max_tree", "rounding/precision", ("x[i]);", "truncf(x[i]));")),
    Wrong("m_in_half", "f_max_tree", "precision", ("x[i]);", "__half2float(__float2half(x[i])));")),
    Wrong("m_is_min", "f_max_tree", "function/numbers", ("*out = tile[0];", "*out = -tile[0];")),
    Wrong("m_1024_parts", "f_max_passes", "left out", ("i < n; i += static_cast<int64_t>(gridDim.x) * 256) {", "i < n && i < 262144; i += static_cast<int64_t>(gridDim.x) * 256) {")),
    Wrong("m_parts_short", "f_max_passes", "left out", ("i < count;", "i < count && i < 128;")),
    Wrong("m_parts_all", "f_max_passes", "state/left out | start", ("i < count; ++i", "i < 1024; ++i")),
    Wrong("m_last_first", "f_max_passes", "state | zero before", ("    partial<<<blocks, 256, 0, stream>>>(x, static_cast<float*>(address), n);\n    last<<<1, 1, 0, stream>>>(out, blocks);", "    last<<<1, 1, 0, stream>>>(out, blocks);\n    partial<<<blocks, 256, 0, stream>>>(x, static_cast<float*>(address), n);")),
    Wrong("m_min_starts_at_0", "f_min", "start", ("float value = INFINITY;", "float value = 0.0f;")),
    Wrong("m_min_starts_at_10", "f_min", "start", ("float value = INFINITY;", "float value = 10.0f;")),
    Wrong("m_size_forgets_sign", "f_largest_size", "function/numbers | start", ("fabsf(x[i])", "x[i]")),
)  # fmt: skip

RIGHT = (
    *(Right(f"r_{name}", name) for name in BASES),
    Right("r_sum_kahan", "f_sum", (LOOP, "float lost = 0.0f;\n    " + LOOP), ("value += x[i];", "const float y = x[i] - lost, t = value + y;\n        lost = isfinite(t) ? (t - value) - y : 0.0f;\n        value = t;")),
    Right("r_sum_memset", "f_sum", ("first<<<1, 1, 0, stream>>>(out);", "cudaMemsetAsync(out, 0, sizeof(float), stream);")),
    Right("r_sum_1024", "f_sum", ("64), 256,", "64), 1024,")),
    Right("r_sum_one_warp", "f_sum", ("64), 256,", "64), 32,")),
    Right("r_sum_down", "f_sum", ("__shfl_xor_sync", "__shfl_down_sync")),
    Right("r_sum_in_double", "f_sum_packs", ("float value = 0.0f;", "double value = 0.0;")),
    Right("r_max_flt_max", "f_max", ("float value = -INFINITY;", "float value = -INFINITY, least = -FLT_MAX;\n    if (false) value = least;")),
    Right("r_max_no_idle", "f_max", (WARPS + "-INFINITY;", "value = warps[threadIdx.x % (blockDim.x / 32)];")),
    Right("r_max_comparison", "f_max_tree", ("value = fmaxf(value, x[i]);", "value = x[i] > value ? x[i] : value;")),
    Right("r_max_one_thread", "f_max_tree", ("int64_t i = t; i < n; i += 512", "int64_t i = t; i < n && t == 0; ++i")),
    Right("r_max_from_first", "f_max_tree", ("float value = -INFINITY;", "float value = x[0];")),
    Right("r_max_many_blocks", "f_max", ("blocks < 64 ? blocks : 64", "blocks < 1 ? 1 : blocks")),
)  # fmt: skip
