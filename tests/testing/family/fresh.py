"""Hold a second family of the same classes, written and committed before `check` saw it."""

# ruff: noqa: E501 (a line of a kernel stands in one line)
from __future__ import annotations

import torch

from helpers.testing.base_kernels import elementwise
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.whole import INCLUDES

PAIRS = (
    HEADER
    + """\
__device__ bool even(const void* p) { return (reinterpret_cast<uintptr_t>(p) & 3) == 0; }

__global__ void kernel(const half* a, const half* b, half* out, int64_t n) {
    const int64_t t = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const int64_t k = 2 * t;
    if (k >= n) return;
    if (even(a) && even(b) && even(out) && k + 1 < n) {
        const half2 x = *reinterpret_cast<const half2*>(a + k), y = *reinterpret_cast<const half2*>(b + k);
        *reinterpret_cast<half2*>(out + k) = __hmul2(x, y);
        return;
    }
    out[k] = __hmul(a[k], b[k]);
    if (k + 1 < n) out[k + 1] = __hmul(a[k + 1], b[k + 1]);
}

extern "C" void launch(const half* a,  // [n]
                       const half* b,  // [n]
                       half* out,      // [n]
                       int64_t n, int block_size = 128, cudaStream_t stream = 0) {
    const int64_t pairs = (n + 1) / 2;
    kernel<<<static_cast<unsigned>((pairs + block_size - 1) / block_size), block_size, 0, stream>>>(a, b, out, n);
}
"""
)
SUM = (
    INCLUDES
    + """\
__device__ float parts[96];

__device__ float block_sum(float value) {
    __shared__ float tile[256];
    tile[threadIdx.x] = value;
    for (int width = 128; width > 0; width >>= 1) {
        __syncthreads();
        if (threadIdx.x < width) tile[threadIdx.x] += tile[threadIdx.x + width];
    }
    __syncthreads();
    return tile[0];
}

__global__ void first_pass(const float* x, int64_t n) {
    float value = 0.0f;
    for (int64_t i = static_cast<int64_t>(blockIdx.x) * 256 + threadIdx.x; i < n; i += 96 * 256) value += x[i];
    value = block_sum(value);
    if (threadIdx.x == 0) parts[blockIdx.x] = value;
}

__global__ void second_pass(float* total) {
    const float value = block_sum(threadIdx.x < 96 ? parts[threadIdx.x] : 0.0f);
    if (threadIdx.x == 0) *total = value;
}

extern "C" void launch(const float* x,  // [n]
                       float* total,    // [1]
                       int64_t n, cudaStream_t stream = 0) {
    first_pass<<<96, 256, 0, stream>>>(x, n);
    second_pass<<<1, 256, 0, stream>>>(total);
}
"""
)
MIN = (
    INCLUDES
    + """\
__global__ void kernel(const float* x, float* least, int64_t n) {
    __shared__ float of_warp[8];
    float value = INFINITY;
    for (int64_t i = threadIdx.x; i < n; i += 256) value = fminf(value, x[i]);
    for (int lanes = 16; lanes; lanes >>= 1) value = fminf(value, __shfl_down_sync(~0u, value, lanes));
    if ((threadIdx.x & 31) == 0) of_warp[threadIdx.x >> 5] = value;
    __syncthreads();
    if (threadIdx.x) return;
    for (int w = 1; w < 8; ++w) value = fminf(value, of_warp[w]);
    *least = value;
}

extern "C" void launch(const float* x,  // [n]
                       float* least,    // [1]
                       int64_t n, cudaStream_t stream = 0) {
    kernel<<<1, 256, 0, stream>>>(x, least, n);
}
"""
)
TRANSPOSE = (
    INCLUDES
    + """\
__global__ void kernel(const float* x, float* out, int64_t rows, int64_t cols, int64_t tiles_across) {
    __shared__ float tile[16][17];
    const int64_t down = blockIdx.x / tiles_across, across = blockIdx.x % tiles_across;
    const int tx = threadIdx.x, ty = threadIdx.y;
    if (down * 16 + ty < rows && across * 16 + tx < cols) tile[ty][tx] = x[(down * 16 + ty) * cols + across * 16 + tx];
    __syncthreads();
    const int64_t r = across * 16 + ty, c = down * 16 + tx;
    if (r < cols && c < rows) out[r * rows + c] = tile[tx][ty];
}

extern "C" void launch(const float* x,  // [rows, cols]
                       float* out,      // [cols, rows]
                       int64_t rows, int64_t cols, cudaStream_t stream = 0) {
    const int64_t across = (cols + 15) / 16, down = (rows + 15) / 16;
    kernel<<<static_cast<unsigned>(across * down), dim3(16, 16), 0, stream>>>(x, out, rows, cols, across);
}
"""
)
MATMUL = (
    INCLUDES
    + """\
__global__ void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= m * n) return;
    const int64_t row = i / n, col = i % n;
    float sum = 0.0f;
    for (int64_t j = 0; j < k; ++j) sum += a[row * k + j] * b[j * n + col];
    c[i] = sum;
}

extern "C" void launch(const float* a,  // [m, k]
                       const float* b,  // [k, n]
                       float* c,        // [m, n]
                       int64_t m, int64_t n, int64_t k, cudaStream_t stream = 0) {
    kernel<<<static_cast<unsigned>((m * n + 127) / 128), 128, 0, stream>>>(a, b, c, m, n, k);
}
"""
)
LANES = (
    INCLUDES
    + """\
__device__ float of_all(float value, bool largest) {
    for (int lanes = 16; lanes; lanes >>= 1) {
        const float other = __shfl_xor_sync(~0u, value, lanes);
        value = largest ? fmaxf(value, other) : value + other;
    }
    return value;
}

"""
)
LAUNCH_ROWS = """
extern "C" void launch(const float* x,  // [m, n]
                       float* out,      // [m, n]
                       int64_t m, int64_t n, cudaStream_t stream = 0) {
    kernel<<<static_cast<unsigned>((m + 3) / 4), dim3(32, 4), 0, stream>>>(x, out, m, n);
}
"""
SOFTMAX = LANES + """\
__global__ void kernel(const float* x, float* out, int64_t m, int64_t n) {
    const int64_t row = static_cast<int64_t>(blockIdx.x) * 4 + threadIdx.y;
    if (row >= m) return;
    float top = -INFINITY, sum = 0.0f;
    for (int64_t j = threadIdx.x; j < n; j += 32) top = fmaxf(top, x[row * n + j]);
    top = of_all(top, true);
    for (int64_t j = threadIdx.x; j < n; j += 32) sum += expf(x[row * n + j] - top);
    sum = of_all(sum, false);
    for (int64_t j = threadIdx.x; j < n; j += 32) out[row * n + j] = expf(x[row * n + j] - top) / sum;
}
""" + LAUNCH_ROWS  # fmt: skip
NORM = LANES + """\
__global__ void kernel(const float* x, float* out, int64_t m, int64_t n) {
    const int64_t row = static_cast<int64_t>(blockIdx.x) * 4 + threadIdx.y;
    if (row >= m) return;
    float sum = 0.0f, squares = 0.0f;
    for (int64_t j = threadIdx.x; j < n; j += 32) sum += x[row * n + j];
    const float mean = of_all(sum, false) / n;
    for (int64_t j = threadIdx.x; j < n; j += 32) {
        const float d = x[row * n + j] - mean;
        squares += d * d;
    }
    const float scale = rsqrtf(of_all(squares, false) / n + 1e-5f);
    for (int64_t j = threadIdx.x; j < n; j += 32) out[row * n + j] = (x[row * n + j] - mean) * scale;
}
""" + LAUNCH_ROWS  # fmt: skip
BASES = {
    "g_mul": Base(
        elementwise("float a, float b", "float", "a[i] * b[i]"), {"reference": "multiply"}
    ),
    "g_pairs": Base(PAIRS, {"reference": "multiply"}),
    "g_bf16": Base(
        elementwise("__nv_bfloat16 a, __nv_bfloat16 b", "__nv_bfloat16", "__hadd(a[i], b[i])"),
        {"reference": "add"},
    ),
    "g_narrow": Base(
        elementwise("double x", "float", "static_cast<float>(x[i])"), {"reference": "cast"}
    ),
    "g_long": Base(
        elementwise("int64_t a, int64_t b", "int64_t", "a[i] - b[i]"), {"reference": "subtract"}
    ),
    "g_sigmoid": Base(
        elementwise("float x", "float", "1.0f / (1.0f + expf(-x[i]))"),
        {"reference": lambda x: 1 / (1 + torch.exp(-x)), "ulp": 4},
    ),
    "g_sum": Base(SUM, cases="sums"),
    "g_min": Base(MIN, cases="whole_array", function=torch.min),
    "g_transpose": Base(TRANSPOSE, cases="transpose"),
    "g_matmul": Base(MATMUL, cases="matmul"),
    "g_softmax": Base(SOFTMAX, cases="softmax"),
    "g_norm": Base(NORM, cases="layer_norm"),
}

STORE = "if (i < n) out[i] = a[i] * b[i];"
INDEX = "const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;"
LAUNCH = "kernel<<<static_cast<unsigned>(blocks), block_size, 0, stream>>>(a, b, out, n);"
ALIGNED = "even(a) && even(b) && even(out) && k + 1 < n"
SIGMOID = "1.0f / (1.0f + expf(-x[i]))"


def mul_with(statements: str) -> tuple[str, str]:
    """Replace the plain product by other statements that see i and n."""
    return (STORE, statements)


WRONG = (
    # ---- grids, sizes, residues
    Wrong("g_capped_at_32768", "g_mul", "grid | tail/unwritten/narrow", ("static_cast<unsigned>(blocks)", "static_cast<unsigned>(blocks > 32768 ? 32768 : blocks)")),
    Wrong("g_block_in_16_bits", "g_mul", "narrow/grid | unwritten/twice", (INDEX, "const unsigned short block = blockIdx.x;\n    const int64_t i = static_cast<int64_t>(block) * blockDim.x + threadIdx.x;")),
    Wrong("g_loses_63_of_64", "g_mul", "unwritten/tail", mul_with("if (i < n && !(n % 64 == 63 && i + 1 == n)) out[i] = a[i] * b[i];")),
    Wrong("g_half_a_large_block", "g_mul", "block size | unwritten/tail", mul_with("if (threadIdx.x < 512 && i < n) out[i] = a[i] * b[i];")),
    Wrong("g_last_is_a_copy", "g_mul", "tail", mul_with("if (i < n) out[i] = n % 32 == 31 && i == n - 1 ? a[i] : a[i] * b[i];")),
    Wrong("g_unsigned_bytes", "g_mul", "narrow | bounds/grid", mul_with("const unsigned at = static_cast<unsigned>(i) * 4u;\n    if (i < n) *reinterpret_cast<float*>(reinterpret_cast<char*>(out) + at) = a[i] * b[i];")),
    # ---- side effects and order
    Wrong("g_first_grid_stays", "g_mul", "state | unwritten/tail", (LAUNCH, "static int64_t kept = blocks;\n    kernel<<<static_cast<unsigned>(kept), block_size, 0, stream>>>(a, b, out, n);")),
    Wrong("g_through_the_mirror", "g_mul", "race | nan", mul_with("if (i >= n) return;\n    out[n - 1 - i] = a[n - 1 - i];\n    out[i] *= b[i];")),
    Wrong("g_scales_the_input", "g_mul", "input", mul_with("if (i >= n) return;\n    const_cast<float*>(b)[i] *= a[i];\n    out[i] = b[i];")),
    Wrong("g_times_equals", "g_mul", "zero before/numbers/function/nan | unwritten/state", mul_with("if (i < n) out[i] = out[i] * 0.0f + a[i] * b[i];")),
    Wrong("g_no_stream", "g_mul", "stream", ("block_size, 0, stream>>>", "block_size>>>")),
    # ---- values
    Wrong("g_flushes_products", "g_mul", "subnormal", mul_with("if (i >= n) return;\n    const float p = a[i] * b[i];\n    out[i] = fabsf(p) < FLT_MIN ? copysignf(0.0f, p) : p;")),
    Wrong("g_zero_shortcut", "g_mul", "nan/sign of zero | infinity", mul_with("if (i < n) out[i] = a[i] == 0.0f || b[i] == 0.0f ? 0.0f : a[i] * b[i];")),
    Wrong("g_product_in_half", "g_mul", "precision | infinity/subnormal", mul_with("if (i < n) out[i] = __half2float(__float2half(a[i])) * __half2float(__float2half(b[i]));")),
    Wrong("g_product_toward_0", "g_mul", "rounding", mul_with("if (i < n) out[i] = __fmul_rz(a[i], b[i]);")),
    Wrong("g_bf16_truncated", "g_bf16", "rounding | nan", ("__hadd(a[i], b[i])", "__float2bfloat16_rz(__bfloat162float(a[i]) + __bfloat162float(b[i]))")),
    Wrong("g_bf16_in_half", "g_bf16", "precision | infinity/subnormal/rounding", ("__hadd(a[i], b[i])", "__float2bfloat16(__half2float(__float2half(__bfloat162float(a[i]) + __bfloat162float(b[i]))))")),
    Wrong("g_narrow_toward_0", "g_narrow", "rounding | infinity", ("static_cast<float>(x[i])", "fabs(static_cast<double>(static_cast<float>(x[i]))) > fabs(x[i]) ? nextafterf(static_cast<float>(x[i]), 0.0f) : static_cast<float>(x[i])")),
    Wrong("g_narrow_clamped", "g_narrow", "infinity", ("static_cast<float>(x[i])", "static_cast<float>(x[i] > FLT_MAX ? FLT_MAX : x[i] < -FLT_MAX ? -FLT_MAX : x[i])")),
    Wrong("g_narrow_flushed", "g_narrow", "subnormal", ("static_cast<float>(x[i])", "static_cast<float>(fabs(x[i]) < FLT_MIN ? 0.0 * x[i] : x[i])")),
    Wrong("g_long_in_double", "g_long", "precision | whole range", ("a[i] - b[i]", "static_cast<int64_t>(static_cast<float>(a[i]) - static_cast<float>(b[i]))")),
    Wrong("g_long_in_int", "g_long", "whole range | narrow", ("a[i] - b[i]", "static_cast<int>(a[i]) - static_cast<int>(b[i])")),
    Wrong("g_long_swapped", "g_long", "swapped", ("a[i] - b[i]", "b[i] - a[i]")),
    Wrong("g_sigmoid_mirrored", "g_sigmoid", "function/numbers | infinity/nan", (SIGMOID, "1.0f / (1.0f + expf(x[i]))")),
    Wrong("g_sigmoid_to_10", "g_sigmoid", "numbers/function/infinity/precision", (SIGMOID, "1.0f / (1.0f + expf(-fmaxf(-10.0f, fminf(10.0f, x[i]))))")),
    Wrong("g_sigmoid_half", "g_sigmoid", "precision | infinity/subnormal", (SIGMOID, "__half2float(__float2half(1.0f / (1.0f + expf(-x[i]))))")),
    Wrong("g_sigmoid_exp_form", "g_sigmoid", "nan/infinity/numbers", (SIGMOID, "expf(x[i]) / (1.0f + expf(x[i]))")),
    # ---- alignment, packs
    Wrong("g_pairs_untested", "g_pairs", "alignment", (ALIGNED, "k + 1 < n")),
    Wrong("g_pairs_a_and_b", "g_pairs", "alignment", ("even(a) && even(b) && even(out)", "even(a) && even(b)")),
    Wrong("g_pairs_sum_of_bits", "g_pairs", "alignment", ("even(a) && even(b) && even(out)", "((uintptr_t(a) ^ uintptr_t(b) ^ uintptr_t(out)) & 3) == 0")),
    Wrong("g_pairs_odd_lost", "g_pairs", "tail/unwritten", ("if (k >= n) return;", "if (k + 1 >= n) return;")),
    Wrong("g_pairs_one_past", "g_pairs", "bounds", ("even(out) && k + 1 < n", "even(out)")),
    Wrong("g_pairs_int", "g_pairs", "narrow | bounds/grid", ("const int64_t k = 2 * t;", "const int k = 2 * t;")),
    # ---- sums and minima
    Wrong("g_sum_64_parts", "g_sum", "left out", ("threadIdx.x < 96 ?", "threadIdx.x < 64 ?")),
    Wrong("g_sum_no_barrier", "g_sum", "race", ("        __syncthreads();\n        if (threadIdx.x < width)", "        if (threadIdx.x < width)")),
    Wrong("g_sum_short_stride", "g_sum", "twice", ("i += 96 * 256", "i += 48 * 256")),
    Wrong("g_sum_long_stride", "g_sum", "left out", ("i += 96 * 256", "i += 128 * 256")),
    Wrong("g_sum_begins_with_x0", "g_sum", "twice/start/function/numbers", ("float value = 0.0f;\n    for", "float value = blockIdx.x == 0 && threadIdx.x == 0 ? x[0] : 0.0f;\n    for")),
    Wrong("g_sum_of_ints", "g_sum", "rounding/precision", ("value += x[i];", "value += static_cast<int>(x[i]);")),
    Wrong("g_sum_int_n", "g_sum", "narrow/left out | grid", ("const float* x, int64_t n) {", "const float* x, int n) {")),
    Wrong("g_sum_adds_up", "g_sum", "zero before/state | nan", ("*total = value;", "*total += value;")),
    Wrong("g_min_starts_at_1e30", "g_min", "start", ("float value = INFINITY;", "float value = 1e30f;")),
    Wrong("g_min_starts_at_flt_min", "g_min", "start", ("float value = INFINITY;", "float value = FLT_MIN;")),
    Wrong("g_min_starts_at_100", "g_min", "start", ("float value = INFINITY;", "float value = 100.0f;")),
    Wrong("g_min_six_warps", "g_min", "left out", ("w < 8; ++w", "w < 6; ++w")),
    Wrong("g_min_no_lane_16", "g_min", "left out", ("int lanes = 16;", "int lanes = 8;")),
    Wrong("g_min_no_barrier", "g_min", "race", ("    __syncthreads();\n", "")),
    Wrong("g_min_of_sizes", "g_min", "function/numbers", ("value = fminf(value, x[i]);", "value = fminf(value, fabsf(x[i]));")),
    Wrong("g_min_in_ints", "g_min", "rounding/precision", ("value = fminf(value, x[i]);", "value = fminf(value, floorf(x[i]));")),
    # ---- transposes and products
    Wrong("g_t_no_barrier", "g_transpose", "race", ("    __syncthreads();\n", "")),
    Wrong("g_t_tile_straight", "g_transpose", "numbers/sides/function/copy/neighbour | nan/race", ("tile[tx][ty];", "tile[ty][tx];")),
    Wrong("g_t_grid_of_rows", "g_transpose", "unwritten/sides/grid | tail", ("static_cast<unsigned>(across * down)", "static_cast<unsigned>(down * down)")),
    Wrong("g_t_stride_of_cols", "g_transpose", "sides/bounds | unwritten", ("out[r * rows + c]", "out[r * cols + c]")),
    Wrong("g_t_int_source", "g_transpose", "narrow | bounds/grid", ("x[(down * 16 + ty) * cols + across * 16 + tx]", "x[static_cast<int>(down * 16 + ty) * static_cast<int>(cols) + static_cast<int>(across * 16 + tx)]")),
    Wrong("g_p_by_four", "g_matmul", "left out/tail", ("j < k; ++j", "j < (k < 4 ? k : k / 4 * 4); ++j")),
    Wrong("g_p_first_left_out", "g_matmul", "left out", ("int64_t j = 0;", "int64_t j = k > 1;")),
    Wrong("g_p_byte_k", "g_matmul", "left out/narrow/twice", ("j < k; ++j", "j < (k > 1024 ? 1024 : k); ++j")),
    Wrong("g_p_row_of_n", "g_matmul", "bounds/sides/numbers | unwritten/nan", ("a[row * k + j]", "a[row * n + j]")),
    Wrong("g_p_adds_to_c", "g_matmul", "zero before", ("c[i] = sum;", "c[i] = c[i] + sum;")),
    Wrong("g_p_int_product", "g_matmul", "narrow | bounds/grid/unwritten", ("if (i >= m * n) return;", "if (i >= static_cast<int>(m) * static_cast<int>(n)) return;")),
    Wrong("g_p_half_inputs", "g_matmul", "precision", ("a[row * k + j] * b[j * n + col]", "__half2float(__float2half(a[row * k + j])) * b[j * n + col]")),
    # ---- softmax and layer norm
    Wrong("g_x_no_maximum", "g_softmax", "nan/infinity", ("top = of_all(top, true);", "top = 0.0f;")),
    Wrong("g_x_starts_at_minus_1", "g_softmax", "start/nan/infinity | left out", ("top = -INFINITY", "top = -1.0f")),
    Wrong("g_x_lane_sums", "g_softmax", "left out/numbers/function/infinity", ("    sum = of_all(sum, false);\n", "")),
    Wrong("g_x_first_32", "g_softmax", "unwritten/tail", ("j += 32) out", "j += n) out")),
    Wrong("g_x_base_2", "g_softmax", "function/numbers", ("sum += expf(x[row * n + j] - top)", "sum += exp2f(x[row * n + j] - top)")),
    Wrong("g_x_fourth_row", "g_softmax", "unwritten", ("if (row >= m) return;", "if (row >= m || threadIdx.y == 3) return;")),
    Wrong("g_n_eps_1e_3", "g_norm", "function/numbers/precision", ("1e-5f", "1e-3f")),
    Wrong("g_n_bessel", "g_norm", "function/numbers/precision | nan/infinity", ("of_all(squares, false) / n", "of_all(squares, false) / (n - 1)")),
    Wrong("g_n_one_row", "g_norm", "left out/numbers/function/neighbour", ("sum += x[row * n + j];", "sum += x[j];")),
    Wrong("g_n_four_rounds", "g_norm", "left out/numbers/function", ("int lanes = 16;", "int lanes = 8;")),
    Wrong("g_n_not_centred", "g_norm", "function/numbers", ("(x[row * n + j] - mean) * scale", "x[row * n + j] * scale")),
)  # fmt: skip

RIGHT = (
    *(Right(f"r_{name}", name) for name in BASES),
    Right("r_mul_from_the_end", "g_mul", (INDEX, INDEX.replace("= static_cast", "= n - 1 - (static_cast").replace(";", ");")), (STORE, STORE.replace("i < n", "i >= 0"))),
    Right("r_mul_swapped", "g_mul", mul_with("if (i < n) out[i] = b[i] * a[i];")),
    Right("r_mul_blocks_of_33", "g_mul", ("(blocks), block_size", "((n + 32) / 33), 33")),
    Right("r_mul_in_z", "g_mul", ("(blocks), block_size", "((n + 255) / 256), dim3(1, 1, 64)"), (INDEX, "const int64_t i = static_cast<int64_t>(blockIdx.x) * 256 + threadIdx.z * 4;"), mul_with("for (int64_t k = i; k < i + 4 && k < n; ++k) out[k] = a[k] * b[k];")),
    Right("r_mul_two_kernels", "g_mul", ("extern", "__global__ void copy(const float* a, float* out, int64_t n) {\n    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;\n    if (i < n) out[i] = a[i];\n}\n\nextern"), (STORE, "if (i < n) out[i] *= b[i];"), (LAUNCH, "copy<<<static_cast<unsigned>(blocks), block_size, 0, stream>>>(a, out, n);\n    " + LAUNCH)),
    Right("r_pairs_each", "g_pairs", (ALIGNED, "false")),
    Right("r_narrow_by_intrinsic", "g_narrow", ("static_cast<float>(x[i])", "__double2float_rn(x[i])")),
    Right("r_long_unsigned", "g_long", ("a[i] - b[i]", "static_cast<int64_t>(static_cast<uint64_t>(a[i]) - static_cast<uint64_t>(b[i]))")),
    Right("r_sigmoid_division", "g_sigmoid", (SIGMOID, "__fdiv_rn(1.0f, 1.0f + expf(-x[i]))")),
    Right("r_sum_in_double_2", "g_sum", ("float value = 0.0f;", "double value = 0.0;")),
    Right("r_sum_static_parts", "g_sum", ("__device__ float parts[96];", "__device__ float parts[4096];")),
    Right("r_min_one_warp", "g_min", ("i += 256) value", "i += 256) if (true) value")),
    Right("r_min_by_comparison", "g_min", ("value = fminf(value, x[i]);", "value = x[i] < value ? x[i] : value;")),
    Right("r_t_unpadded", "g_transpose", ("tile[16][17]", "tile[16][16]")),
    Right("r_p_backwards", "g_matmul", ("int64_t j = 0; j < k; ++j", "int64_t j = k - 1; j >= 0; --j")),
    Right("r_p_two_sums", "g_matmul", ("float sum = 0.0f;", "float odd = 0.0f, sum = 0.0f;"), ("++j) sum +=", "++j) (j % 2 ? odd : sum) +="), ("c[i] = sum;", "c[i] = sum + odd;")),
    Right("r_x_from_flt_max", "g_softmax", ("top = -INFINITY", "top = -FLT_MAX")),
    Right("r_n_by_root", "g_norm", ("rsqrtf(of_all(squares, false) / n + 1e-5f)", "1.0f / sqrtf(of_all(squares, false) / n + 1e-5f)")),
)  # fmt: skip
