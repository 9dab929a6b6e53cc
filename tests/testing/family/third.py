"""Hold a third family of the same classes, written and committed before `check` saw it."""

# ruff: noqa: E501 (a line of a kernel stands in one line)
from __future__ import annotations

import torch

from helpers.testing.base_kernels import elementwise
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.whole import INCLUDES

# Packs of 8 halves in a grid-stride loop; what is left goes to the first threads.
PACKS = (
    HEADER
    + """\
struct alignas(16) Pack { half value[8]; };

__device__ bool fits(const void* p) { return (reinterpret_cast<uintptr_t>(p) & 15) == 0; }

__global__ void kernel(const half* a, const half* b, half* out, int64_t n) {
    const int64_t threads = static_cast<int64_t>(gridDim.x) * blockDim.x;
    const int64_t t = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const int64_t packs = fits(a) && fits(b) && fits(out) ? n / 8 : 0;
    for (int64_t p = t; p < packs; p += threads) {
        const Pack x = reinterpret_cast<const Pack*>(a)[p], y = reinterpret_cast<const Pack*>(b)[p];
        Pack z;
        for (int k = 0; k < 8; ++k) z.value[k] = __hsub(x.value[k], y.value[k]);
        reinterpret_cast<Pack*>(out)[p] = z;
    }
    for (int64_t i = 8 * packs + t; i < n; i += threads) out[i] = __hsub(a[i], b[i]);
}

extern "C" void launch(const half* a,  // [n]
                       const half* b,  // [n]
                       half* out,      // [n]
                       int64_t n, int block_size = 192, cudaStream_t stream = 0) {
    const int64_t wanted = (n + 8 * block_size - 1) / (8 * block_size);
    const int blocks = static_cast<int>(wanted < 512 ? wanted : 512);
    kernel<<<blocks, block_size, 0, stream>>>(a, b, out, n);
}
"""
)
SUM = (
    INCLUDES
    + """\
__global__ void kernel(const float* x, float* total, int64_t n) {
    float value = 0.0f;
    const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
    for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) value += x[i];
    for (int lanes = 1; lanes < 32; lanes *= 2) value += __shfl_xor_sync(0xffffffffu, value, lanes);
    __shared__ float of_warp[4];
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = value;
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(total, of_warp[0] + of_warp[1] + of_warp[2] + of_warp[3]);
}

extern "C" void launch(const float* x,  // [n]
                       float* total,    // [1]
                       int64_t n, cudaStream_t stream = 0) {
    cudaMemsetAsync(total, 0, sizeof(float), stream);
    kernel<<<80, 128, 0, stream>>>(x, total, n);
}
"""
)
# The largest absolute value: bits of floats that are not negative are in the order of integers.
LARGEST = (
    INCLUDES
    + """\
__global__ void kernel(const float* x, unsigned* bits, int64_t n) {
    unsigned most = 0;
    const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
    for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) {
        const unsigned one = __float_as_uint(fabsf(x[i]));
        most = one > most ? one : most;
    }
    most = __reduce_max_sync(0xffffffffu, most);
    if (threadIdx.x % 32 == 0) atomicMax(bits, most);
}

extern "C" void launch(const float* x,  // [n]
                       float* largest,  // [1]
                       int64_t n, cudaStream_t stream = 0) {
    cudaMemsetAsync(largest, 0, sizeof(float), stream);
    kernel<<<60, 160, 0, stream>>>(x, reinterpret_cast<unsigned*>(largest), n);
}
"""
)
TRANSPOSE = (
    INCLUDES
    + """\
__global__ void kernel(const float* x, float* out, int64_t rows, int64_t cols) {
    const int64_t threads = static_cast<int64_t>(gridDim.x) * blockDim.x;
    for (int64_t to = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; to < rows * cols; to += threads) {
        const int64_t to_row = to / rows, to_col = to - to_row * rows;
        out[to] = x[to_col * cols + to_row];
    }
}

extern "C" void launch(const float* x,  // [rows, cols]
                       float* out,      // [cols, rows]
                       int64_t rows, int64_t cols, cudaStream_t stream = 0) {
    const int64_t wanted = (rows * cols + 127) / 128;
    kernel<<<static_cast<unsigned>(wanted < 100000 ? wanted : 100000), 128, 0, stream>>>(x, out, rows, cols);
}
"""
)
# A warp makes one element of c; its lanes share out the products.
MATMUL = (
    INCLUDES
    + """\
__global__ void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
    const int64_t element = static_cast<int64_t>(blockIdx.x) * 4 + threadIdx.y;
    if (element >= m * n) return;
    const int64_t row = element / n, col = element % n;
    float sum = 0.0f;
    for (int64_t j = threadIdx.x; j < k; j += 32) sum = fmaf(a[row * k + j], b[j * n + col], sum);
    for (int lanes = 16; lanes; lanes /= 2) sum += __shfl_down_sync(0xffffffffu, sum, lanes);
    if (threadIdx.x == 0) c[element] = sum;
}

extern "C" void launch(const float* a,  // [m, k]
                       const float* b,  // [k, n]
                       float* c,        // [m, n]
                       int64_t m, int64_t n, int64_t k, cudaStream_t stream = 0) {
    kernel<<<static_cast<unsigned>((m * n + 3) / 4), dim3(32, 4), 0, stream>>>(a, b, c, m, n, k);
}
"""
)
BLOCK = (
    INCLUDES
    + """\
__device__ float of_block(float value, bool largest) {
    __shared__ float of_warp[4];
    for (int lanes = 16; lanes; lanes /= 2) {
        const float other = __shfl_xor_sync(0xffffffffu, value, lanes);
        value = largest ? fmaxf(value, other) : value + other;
    }
    __syncthreads();
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = value;
    __syncthreads();
    value = of_warp[0];
    for (int w = 1; w < 4; ++w) value = largest ? fmaxf(value, of_warp[w]) : value + of_warp[w];
    return value;
}

"""
)
LAUNCH_ROWS = """
extern "C" void launch(const float* x,  // [m, n]
                       float* out,      // [m, n]
                       int64_t m, int64_t n, cudaStream_t stream = 0) {
    kernel<<<static_cast<unsigned>(m), 128, 0, stream>>>(x, out, n);
}
"""
SOFTMAX = BLOCK + """\
__global__ void kernel(const float* x, float* out, int64_t n) {
    const float* from = x + blockIdx.x * n;
    float* to = out + blockIdx.x * n;
    float top = -INFINITY, sum = 0.0f;
    for (int64_t j = threadIdx.x; j < n; j += 128) {
        const float now = fmaxf(top, from[j]);
        sum = sum * expf(top - now) + expf(from[j] - now);
        top = now;
    }
    const float all = of_block(top, true);
    sum = of_block(top == -INFINITY ? 0.0f : sum * expf(top - all), false);
    for (int64_t j = threadIdx.x; j < n; j += 128) to[j] = expf(from[j] - all) / sum;
}
""" + LAUNCH_ROWS  # fmt: skip
NORM = BLOCK + """\
__global__ void kernel(const float* x, float* out, int64_t n) {
    const float* from = x + blockIdx.x * n;
    float sum = 0.0f, squares = 0.0f;
    for (int64_t j = threadIdx.x; j < n; j += 128) sum += from[j];
    const float mean = of_block(sum, false) / n;
    for (int64_t j = threadIdx.x; j < n; j += 128) squares += (from[j] - mean) * (from[j] - mean);
    const float deviation = sqrtf(of_block(squares, false) / n + 1e-5f);
    for (int64_t j = threadIdx.x; j < n; j += 128) out[blockIdx.x * n + j] = (from[j] - mean) / deviation;
}
""" + LAUNCH_ROWS  # fmt: skip
BASES = {
    "h_sub": Base(
        elementwise("float a, float b", "float", "a[i] - b[i]"), {"reference": "subtract"}
    ),
    "h_packs": Base(PACKS, {"reference": "subtract"}),
    "h_ints": Base(elementwise("int a, int b", "int", "a[i] + b[i]"), {"reference": "add"}),
    "h_to_half": Base(
        elementwise("float x", "half", "__float2half(x[i])"), {"reference": "cast"}
    ),
    "h_elu": Base(
        elementwise("float x", "float", "x[i] > 0.0f ? x[i] : expm1f(x[i])"),
        {"reference": lambda x: torch.where(x > 0, x, torch.expm1(x)), "ulp": 4},
    ),
    "h_sum": Base(SUM, cases="sums"),
    "h_largest": Base(LARGEST, cases="whole_array", function=lambda x: x.abs().max()),
    "h_transpose": Base(TRANSPOSE, cases="transpose"),
    "h_matmul": Base(MATMUL, cases="matmul"),
    "h_softmax": Base(SOFTMAX, cases="softmax"),
    "h_norm": Base(NORM, cases="layer_norm"),
}
STORE = "if (i < n) out[i] = a[i] - b[i];"
INDEX = "const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;"
LAUNCH = "kernel<<<static_cast<unsigned>(blocks), block_size, 0, stream>>>(a, b, out, n);"
FITS = "fits(a) && fits(b) && fits(out) ? n / 8 : 0"
SUM_LOOP = "i < n; i += step) value += x[i];"
ELU = "x[i] > 0.0f ? x[i] : expm1f(x[i])"


def sub_with(statements: str) -> tuple[str, str]:
    """Replace the plain difference by other statements that see i and n."""
    return (STORE, statements)


WRONG = (
    # ---- sizes, grids, order, side effects
    Wrong("h_rounds_down", "h_sub", "tail/unwritten", ("(n + block_size - 1) / block_size", "n < block_size ? 1 : n / block_size")),
    Wrong("h_guard_of_blocks", "h_sub", "bounds", sub_with("if (blockIdx.x < gridDim.x) out[i] = a[i] - b[i];")),
    Wrong("h_float_of_i", "h_sub", "narrow | unwritten/grid", sub_with("const int64_t j = static_cast<int64_t>(static_cast<float>(i));\n    if (j < n) out[j] = a[j] - b[j];")),
    Wrong("h_grid_of_50000", "h_sub", "grid | unwritten/tail/narrow", ("static_cast<unsigned>(blocks)", "static_cast<unsigned>(blocks < 50000 ? blocks : 50000)")),
    Wrong("h_one_too_far", "h_sub", "neighbour/bounds", sub_with("if (i < n) out[i] = a[i] - b[i + 1 < n ? i + 1 : i];")),
    Wrong("h_adds_to_out", "h_sub", "zero before | nan", sub_with("if (i < n) out[i] += a[i] - b[i];")),
    Wrong("h_second_call_halves", "h_sub", "state | function", ("__global__ void kernel", "__device__ int done;\n__global__ void kernel"), sub_with("if (i < n) out[i] = (a[i] - b[i]) * (done ? 0.5f : 1.0f);\n    if (i == 0) done = 1;")),
    Wrong("h_passes_through_b", "h_sub", "input", sub_with("if (i >= n) return;\n    float* y = const_cast<float*>(b);\n    y[i] = -y[i];\n    out[i] = a[i] + y[i];\n    y[i] = -y[i];")),
    Wrong("h_default_stream", "h_sub", "stream", ("block_size, 0, stream>>>", "block_size, 0, 0>>>")),
    Wrong("h_only_b", "h_sub", "left out/copy/swapped/function", sub_with("if (i < n) out[i] = b[i] - b[i];")),
    # ---- values
    Wrong("h_zero_if_equal", "h_sub", "nan/infinity | sign of zero", sub_with("if (i < n) out[i] = __float_as_uint(a[i]) == __float_as_uint(b[i]) ? 0.0f : a[i] - b[i];")),
    Wrong("h_minus_zero", "h_sub", "sign of zero", sub_with("if (i < n) out[i] = -(b[i] - a[i]);")),
    Wrong("h_through_bf16", "h_sub", "precision | infinity/subnormal", sub_with("if (i < n) out[i] = __bfloat162float(__float2bfloat16(a[i])) - __bfloat162float(__float2bfloat16(b[i]));")),
    Wrong("h_rounds_up", "h_sub", "rounding | sign of zero", sub_with("if (i < n) out[i] = __fsub_ru(a[i], b[i]);")),
    Wrong("h_ints_through_short", "h_ints", "whole range | narrow", ("a[i] + b[i]", "static_cast<short>(a[i]) + b[i]")),
    Wrong("h_ints_minus", "h_ints", "function/swapped/numbers", ("a[i] + b[i]", "a[i] - b[i]")),
    Wrong("h_half_by_bf16", "h_to_half", "rounding/precision | subnormal/infinity", ("__float2half(x[i])", "__float2half(__bfloat162float(__float2bfloat16(x[i])))")),
    Wrong("h_half_at_most_65504", "h_to_half", "infinity | nan", ("__float2half(x[i])", "__float2half(x[i] > 65504.0f ? 65504.0f : x[i] < -65504.0f ? -65504.0f : x[i])")),
    Wrong("h_elu_no_expm1", "h_elu", "precision/sign of zero/subnormal", ("expm1f(x[i])", "(expf(x[i]) - 1.0f)")),
    Wrong("h_elu_alpha", "h_elu", "function/numbers", ("expm1f(x[i])", "0.5f * expm1f(x[i])")),
    Wrong("h_elu_nan_is_zero", "h_elu", "nan", (ELU, "x[i] > 0.0f ? x[i] : x[i] <= 0.0f ? expm1f(x[i]) : 0.0f")),
    # ---- alignment, packs
    Wrong("h_packs_out_untested", "h_packs", "alignment", (FITS, "fits(a) && fits(b) ? n / 8 : 0")),
    Wrong("h_packs_of_8_bytes", "h_packs", "alignment", ("(p) & 15) == 0", "(p) & 7) == 0")),
    Wrong("h_packs_rest_to_8", "h_packs", "tail/unwritten/left out", ("i < n; i += threads", "i < n && t < 6; i += threads")),
    Wrong("h_packs_int_times_8", "h_packs", "narrow/bounds | grid", ("for (int64_t p = t; p < packs; p += threads) {\n", "for (int64_t p = t; p < packs; p += threads) {\n        const int at = static_cast<int>(p) * 8;\n"), ("reinterpret_cast<Pack*>(out)[p] = z;", "*reinterpret_cast<Pack*>(out + at) = z;")),
    Wrong("h_packs_seven", "h_packs", "unwritten/left out/numbers | nan", ("k < 8; ++k", "k < 7; ++k")),
    # ---- sums, largest values
    Wrong("h_sum_three_warps", "h_sum", "left out", (" + of_warp[3]", "")),
    Wrong("h_sum_no_barrier", "h_sum", "race | nan", ("    __syncthreads();\n", "")),
    Wrong("h_sum_every_warp_adds", "h_sum", "twice", ("if (threadIdx.x == 0) atomicAdd", "if (threadIdx.x % 64 == 0) atomicAdd")),
    Wrong("h_sum_not_atomic", "h_sum", "race | left out", ("atomicAdd(total, of_warp[0] + of_warp[1] + of_warp[2] + of_warp[3])", "*total += of_warp[0] + of_warp[1] + of_warp[2] + of_warp[3]")),
    Wrong("h_sum_two_lanes_lost", "h_sum", "left out", ("lanes < 32; lanes *= 2", "lanes < 16; lanes *= 2")),
    Wrong("h_sum_not_cleared", "h_sum", "zero before/start/state | nan", ("    cudaMemsetAsync(total, 0, sizeof(float), stream);\n", "")),
    Wrong("h_sum_even_only", "h_sum", "tail/left out", (SUM_LOOP, "i < (n > 1 ? n / 2 * 2 : n); i += step) value += x[i];")),
    Wrong("h_largest_signed", "h_largest", "function/numbers/start/left out", ("fabsf(x[i])", "fmaxf(x[i], 0.0f)")),
    Wrong("h_largest_of_halves", "h_largest", "precision | infinity/rounding", ("fabsf(x[i])", "fabsf(__half2float(__float2half(x[i])))")),
    Wrong("h_largest_first_warp", "h_largest", "left out", ("if (threadIdx.x % 32 == 0) atomicMax", "if (threadIdx.x == 0) atomicMax")),
    Wrong("h_largest_by_float", "h_largest", "nan", ("const unsigned one = __float_as_uint(fabsf(x[i]));", "const unsigned one = __float_as_uint(fmaxf(fabsf(x[i]), 0.0f));")),
    # ---- matrices
    Wrong("h_t_cols_for_rows", "h_transpose", "sides/bounds/numbers", ("to / rows, to_col = to - to_row * rows", "to / cols, to_col = to - to_row * cols")),
    Wrong("h_t_last_row", "h_transpose", "unwritten/tail", ("to < rows * cols;", "to < rows * cols - (cols > 40 ? rows : 0);")),
    Wrong("h_t_copies", "h_transpose", "copy/sides", ("x[to_col * cols + to_row]", "x[to]")),
    Wrong("h_p_one_round", "h_matmul", "left out", ("j < k; j += 32)", "j < k && j < 32; j += 32)")),
    Wrong("h_p_lane_0", "h_matmul", "left out", ("    for (int lanes = 16; lanes; lanes /= 2) sum += __shfl_down_sync(0xffffffffu, sum, lanes);\n", "")),
    Wrong("h_p_b_transposed", "h_matmul", "sides/bounds/numbers", ("b[j * n + col]", "b[col * k + j]")),
    Wrong("h_p_skips_zeros", "h_matmul", "nan", ("sum = fmaf(a[row * k + j], b[j * n + col], sum);", "if (a[row * k + j] != 0.0f) sum = fmaf(a[row * k + j], b[j * n + col], sum);")),
    Wrong("h_x_old_sum_kept", "h_softmax", "function/numbers/left out/infinity | nan", ("sum = sum * expf(top - now) +", "sum = sum +")),
    Wrong("h_x_no_shift", "h_softmax", "nan/infinity", ("const float all = of_block(top, true);", "const float all = 0.0f * of_block(top, true);")),
    Wrong("h_x_last_warp", "h_softmax", "left out/numbers/function/infinity", ("for (int w = 1; w < 4; ++w)", "for (int w = 1; w < 3; ++w)")),
    Wrong("h_x_next_row", "h_softmax", "neighbour/numbers/bounds/function", ("const float* from = x + blockIdx.x * n;", "const float* from = x + (blockIdx.x + 1 < gridDim.x ? blockIdx.x + 1 : blockIdx.x) * n;")),
    Wrong("h_x_64_columns", "h_softmax", "unwritten | tail", ("j < n; j += 128) to[j]", "j < n && j < 64; j += 128) to[j]")),
    Wrong("h_n_squares_of_x", "h_norm", "function/numbers/precision", ("squares += (from[j] - mean) * (from[j] - mean)", "squares += from[j] * from[j]")),
    Wrong("h_n_no_epsilon", "h_norm", "nan/infinity/numbers/function", (" + 1e-5f", "")),
    Wrong("h_n_barrier_before", "h_norm", "race | nan", ("of_warp[threadIdx.x / 32] = value;\n    __syncthreads();", "of_warp[threadIdx.x / 32] = value;")),
    Wrong("h_n_half_a_row", "h_norm", "left out/numbers/function", ("j < n; j += 128) sum", "j < (n > 1 ? n / 2 : n); j += 128) sum")),
)  # fmt: skip

RIGHT = (
    *(Right(f"r_{name}", name) for name in BASES),
    Right("r_h_sub_unrolled", "h_sub", ("(n + block_size - 1) / block_size", "(n + 4 * block_size - 1) / (4 * block_size)"), (INDEX, "const int64_t first = static_cast<int64_t>(blockIdx.x) * blockDim.x * 4 + threadIdx.x;"), sub_with("#pragma unroll\n    for (int k = 0; k < 4; ++k) {\n        const int64_t i = first + k * blockDim.x;\n        if (i < n) out[i] = a[i] - b[i];\n    }")),
    Right("r_h_sub_negated", "h_sub", sub_with("if (i < n) out[i] = a[i] + -b[i];")),
    Right("r_h_sub_by_fma", "h_sub", sub_with("if (i < n) out[i] = fmaf(-1.0f, b[i], a[i]);")),
    Right("r_h_sub_in_blocks_of_7", "h_sub", ("(blocks), block_size", "((n + 6) / 7), 7")),
    Right("r_h_sub_two_halves", "h_sub", (LAUNCH, "const int64_t half_n = n / 2;\n    if (half_n) kernel<<<static_cast<unsigned>((half_n + block_size - 1) / block_size), block_size, 0, stream>>>(a, b, out, half_n);\n    kernel<<<static_cast<unsigned>((n - half_n + block_size - 1) / block_size), block_size, 0, stream>>>(a + half_n, b + half_n, out + half_n, n - half_n);")),
    Right("r_h_packs_two_blocks", "h_packs", ("wanted < 512 ? wanted : 512", "wanted < 2 ? wanted : 2")),
    Right("r_h_packs_by_words", "h_packs", ("fits(a) && fits(b) && fits(out) ? n / 8 : 0", "fits(a) & fits(b) & fits(out) ? n >> 3 : 0")),
    Right("r_h_ints_unsigned", "h_ints", ("a[i] + b[i]", "static_cast<int>(static_cast<unsigned>(a[i]) + static_cast<unsigned>(b[i]))")),
    Right("r_h_half_rn", "h_to_half", ("__float2half(x[i])", "__float2half_rn(x[i])")),
    Right("r_h_elu_branch", "h_elu", (ELU, "fmaxf(x[i], 0.0f) == x[i] ? x[i] : expm1f(x[i])")),
    Right("r_h_sum_shared_tree", "h_sum", ("of_warp[0] + of_warp[1] + of_warp[2] + of_warp[3]", "(of_warp[0] + of_warp[2]) + (of_warp[1] + of_warp[3])")),
    Right("r_h_sum_zero_kernel", "h_sum", ("__global__ void kernel(", "__global__ void zero(float* total) { *total = 0.0f; }\n\n__global__ void kernel("), ("cudaMemsetAsync(total, 0, sizeof(float), stream);", "zero<<<1, 1, 0, stream>>>(total);")),
    Right("r_h_largest_shuffles", "h_largest", ("most = __reduce_max_sync(0xffffffffu, most);", "for (int lanes = 16; lanes; lanes /= 2) most = max(most, __shfl_xor_sync(0xffffffffu, most, lanes));")),
    Right("r_h_t_small_grid", "h_transpose", ("wanted < 100000 ? wanted : 100000", "wanted < 300 ? wanted : 300")),
    Right("r_h_p_in_double", "h_matmul", ("float sum = 0.0f;", "double sum = 0.0;"), ("sum = fmaf(a[row * k + j], b[j * n + col], sum);", "sum += static_cast<double>(a[row * k + j]) * b[j * n + col];")),
    Right("r_h_x_times_inverse", "h_softmax", ("expf(from[j] - all) / sum;", "expf(from[j] - all) * (1.0f / sum);")),
    Right("r_h_n_rsqrt", "h_norm", ("const float deviation = sqrtf(of_block(squares, false) / n + 1e-5f);", "const float scale = rsqrtf(of_block(squares, false) / n + 1e-5f);"), ("(from[j] - mean) / deviation", "(from[j] - mean) * scale")),
)  # fmt: skip
