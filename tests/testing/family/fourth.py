"""Hold a fourth family of the same classes, written and committed before `check` saw it."""

# ruff: noqa: E501 (a line of a kernel stands in one line)
from __future__ import annotations

import torch

from helpers.testing.base_kernels import elementwise
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.whole import INCLUDES

# Packs of four floats by one kernel, what is left by another.
QUADS = (
    HEADER
    + """\
__global__ void quads(const float4* a, const float4* b, float4* out, int64_t packs) {
    const int64_t p = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (p >= packs) return;
    const float4 x = a[p], y = b[p];
    out[p] = make_float4(x.x * y.x, x.y * y.y, x.z * y.z, x.w * y.w);
}

__global__ void rest(const float* a, const float* b, float* out, int64_t first, int64_t n) {
    const int64_t i = first + static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] * b[i];
}

bool starts_a_pack(const void* p) { return reinterpret_cast<uintptr_t>(p) % sizeof(float4) == 0; }

extern "C" void launch(const float* a,  // [n]
                       const float* b,  // [n]
                       float* out,      // [n]
                       int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    const bool whole = starts_a_pack(a) && starts_a_pack(b) && starts_a_pack(out);
    const int64_t packs = whole ? n / 4 : 0, left = n - 4 * packs;
    if (packs) {
        const int64_t blocks = (packs + block_size - 1) / block_size;
        quads<<<static_cast<unsigned>(blocks), block_size, 0, stream>>>(
            reinterpret_cast<const float4*>(a), reinterpret_cast<const float4*>(b), reinterpret_cast<float4*>(out), packs);
    }
    if (left) {
        const int64_t blocks = (left + block_size - 1) / block_size;
        rest<<<static_cast<unsigned>(blocks), block_size, 0, stream>>>(a, b, out, 4 * packs, n);
    }
}
"""
)
# Partial sums of 120 blocks in device memory, and one block that adds them.
SUM = (
    INCLUDES
    + """\
constexpr int kBlocks = 120;
__device__ double of_block[kBlocks];

__device__ double over_block(double value) {
    __shared__ double of_warp[8];
    for (int far = 16; far; far >>= 1) value += __shfl_down_sync(0xffffffffu, value, far);
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = value;
    __syncthreads();
    double all = 0.0;
    for (int w = 0; w < 8; ++w) all += of_warp[w];
    return all;
}

__global__ void parts(const float* x, int64_t n) {
    double value = 0.0;
    const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
    for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) value += x[i];
    value = over_block(value);
    if (threadIdx.x == 0) of_block[blockIdx.x] = value;
}

__global__ void total_of(float* total) {
    const double value = over_block(threadIdx.x < kBlocks ? of_block[threadIdx.x] : 0.0);
    if (threadIdx.x == 0) *total = static_cast<float>(value);
}

extern "C" void launch(const float* x,  // [n]
                       float* total,    // [1]
                       int64_t n, cudaStream_t stream = 0) {
    parts<<<kBlocks, 256, 0, stream>>>(x, n);
    total_of<<<1, 256, 0, stream>>>(total);
}
"""
)
# Floats as integers: from 0 up in the order of int, below in that of unsigned, turned round.
MAX = (
    INCLUDES
    + """\
__device__ void keep_larger(float* most, float value) {
    value += 0.0f;  // not -0
    if (value >= 0.0f) {
        atomicMax(reinterpret_cast<int*>(most), __float_as_int(value));
    } else {
        atomicMin(reinterpret_cast<unsigned*>(most), __float_as_uint(value));
    }
}

__global__ void start(float* most) { *most = -INFINITY; }

__global__ void kernel(const float* x, float* most, int64_t n) {
    __shared__ float of_block;
    if (threadIdx.x == 0) of_block = -INFINITY;
    __syncthreads();
    float value = -INFINITY;
    const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
    for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) value = fmaxf(value, x[i]);
    keep_larger(&of_block, value);
    __syncthreads();
    if (threadIdx.x == 0) keep_larger(most, of_block);
}

extern "C" void launch(const float* x,  // [n]
                       float* most,     // [1]
                       int64_t n, cudaStream_t stream = 0) {
    start<<<1, 1, 0, stream>>>(most);
    kernel<<<72, 96, 0, stream>>>(x, most, n);
}
"""
)
# Tiles of 32 x 32 by 32 x 4 threads; a block takes one tile after another.
TRANSPOSE = (
    INCLUDES
    + """\
__global__ void kernel(const float* x, float* out, int64_t rows, int64_t cols) {
    __shared__ float tile[32][33];
    const int64_t across = (cols + 31) / 32, tiles = across * ((rows + 31) / 32);
    for (int64_t t = blockIdx.x; t < tiles; t += gridDim.x) {
        const int64_t row = t / across * 32, col = t % across * 32;
        for (int k = threadIdx.y; k < 32; k += 4) {
            if (row + k < rows && col + threadIdx.x < cols) tile[k][threadIdx.x] = x[(row + k) * cols + col + threadIdx.x];
        }
        __syncthreads();
        for (int k = threadIdx.y; k < 32; k += 4) {
            if (col + k < cols && row + threadIdx.x < rows) out[(col + k) * rows + row + threadIdx.x] = tile[threadIdx.x][k];
        }
        __syncthreads();
    }
}

extern "C" void launch(const float* x,  // [rows, cols]
                       float* out,      // [cols, rows]
                       int64_t rows, int64_t cols, cudaStream_t stream = 0) {
    const int64_t tiles = ((rows + 31) / 32) * ((cols + 31) / 32);
    kernel<<<static_cast<unsigned>(tiles < 8192 ? tiles : 8192), dim3(32, 4), 0, stream>>>(x, out, rows, cols);
}
"""
)
# A thread makes two neighbours in a row of c; a row of a goes through shared memory.
MATMUL = (
    INCLUDES
    + """\
__global__ void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k, int64_t across) {
    __shared__ float of_row[64];
    const int64_t row = blockIdx.x / across, col = (blockIdx.x % across * 64 + threadIdx.x) * 2;
    float first = 0.0f, second = 0.0f;
    for (int64_t begin = 0; begin < k; begin += 64) {
        of_row[threadIdx.x] = begin + threadIdx.x < k ? a[row * k + begin + threadIdx.x] : 0.0f;
        __syncthreads();
        const int count = static_cast<int>(k - begin < 64 ? k - begin : 64);
        for (int j = 0; j < count; ++j) {
            if (col < n) first = fmaf(of_row[j], b[(begin + j) * n + col], first);
            if (col + 1 < n) second = fmaf(of_row[j], b[(begin + j) * n + col + 1], second);
        }
        __syncthreads();
    }
    if (col < n) c[row * n + col] = first;
    if (col + 1 < n) c[row * n + col + 1] = second;
}

extern "C" void launch(const float* a,  // [m, k]
                       const float* b,  // [k, n]
                       float* c,        // [m, n]
                       int64_t m, int64_t n, int64_t k, cudaStream_t stream = 0) {
    const int64_t across = (n + 127) / 128;
    kernel<<<static_cast<unsigned>(m * across), 64, 0, stream>>>(a, b, c, m, n, k, across);
}
"""
)
OVER_64 = INCLUDES + """\
__device__ float largest_of(float value, float* tile) {
    tile[threadIdx.x] = value;
    __syncthreads();
    for (int far = 32; far; far >>= 1) {
        if (threadIdx.x < far) tile[threadIdx.x] = fmaxf(tile[threadIdx.x], tile[threadIdx.x + far]);
        __syncthreads();
    }
    value = tile[0];
    __syncthreads();
    return value;
}

__device__ float sum_of(float value, float* tile) {
    tile[threadIdx.x] = value;
    __syncthreads();
    for (int far = 32; far; far >>= 1) {
        if (threadIdx.x < far) tile[threadIdx.x] += tile[threadIdx.x + far];
        __syncthreads();
    }
    value = tile[0];
    __syncthreads();
    return value;
}

"""  # fmt: skip
LAUNCH_ROWS = """
extern "C" void launch(const float* x,  // [m, n]
                       float* out,      // [m, n]
                       int64_t m, int64_t n, cudaStream_t stream = 0) {
    kernel<<<static_cast<unsigned>(m < 30000 ? m : 30000), 64, 0, stream>>>(x, out, m, n);
}
"""
SOFTMAX = OVER_64 + """\
__global__ void kernel(const float* x, float* out, int64_t m, int64_t n) {
    __shared__ float tile[64];
    for (int64_t row = blockIdx.x; row < m; row += gridDim.x) {
        const float* from = x + row * n;
        float* to = out + row * n;
        float top = -INFINITY, sum = 0.0f;
        for (int64_t j = threadIdx.x; j < n; j += 64) top = fmaxf(top, from[j]);
        top = largest_of(top, tile);
        for (int64_t j = threadIdx.x; j < n; j += 64) sum += to[j] = expf(from[j] - top);
        sum = sum_of(sum, tile);
        for (int64_t j = threadIdx.x; j < n; j += 64) to[j] /= sum;
    }
}
""" + LAUNCH_ROWS  # fmt: skip
NORM = OVER_64 + """\
__global__ void kernel(const float* x, float* out, int64_t m, int64_t n) {
    __shared__ float tile[64];
    for (int64_t row = blockIdx.x; row < m; row += gridDim.x) {
        const float* from = x + row * n;
        float sum = 0.0f, squares = 0.0f;
        for (int64_t j = threadIdx.x; j < n; j += 64) sum += from[j];
        const float mean = sum_of(sum, tile) / n;
        for (int64_t j = threadIdx.x; j < n; j += 64) squares += (from[j] - mean) * (from[j] - mean);
        const float scale = rsqrtf(sum_of(squares, tile) / n + 1e-5f);
        for (int64_t j = threadIdx.x; j < n; j += 64) out[row * n + j] = (from[j] - mean) * scale;
    }
}
""" + LAUNCH_ROWS  # fmt: skip


def hard_swish(x):
    return x * ((x + 3).clamp(0, 6) / 6)


BASES = {
    "i_fma": Base(
        elementwise("float a, float b, float c", "float", "fmaf(a[i], b[i], c[i])"),
        {"reference": "multiply_add"},
    ),
    "i_quads": Base(QUADS, {"reference": "multiply"}),
    "i_bytes": Base(
        elementwise("uint8_t a, uint8_t b", "uint8_t", "a[i] + b[i]"), {"reference": "add"}
    ),
    "i_to_half": Base(
        elementwise("__nv_bfloat16 x", "half", "__float2half(__bfloat162float(x[i]))"),
        {"reference": "cast"},
    ),
    "i_to_bf16": Base(
        elementwise("half x", "__nv_bfloat16", "__float2bfloat16(__half2float(x[i]))"),
        {"reference": "cast"},
    ),
    "i_tanh": Base(
        elementwise("float x", "float", "tanhf(x[i])"), {"reference": torch.tanh, "ulp": 4}
    ),
    "i_swish": Base(
        elementwise(
            "float x", "float", "x[i] * (fminf(fmaxf(x[i] + 3.0f, 0.0f), 6.0f) / 6.0f)"
        ),
        {"reference": hard_swish, "ulp": 4},
    ),
    "i_sum": Base(SUM, cases="sums"),
    "i_max": Base(MAX, cases="whole_array", function=torch.max),
    "i_transpose": Base(TRANSPOSE, cases="transpose"),
    "i_matmul": Base(MATMUL, cases="matmul"),
    "i_softmax": Base(SOFTMAX, cases="softmax"),
    "i_norm": Base(NORM, cases="layer_norm"),
}
STORE = "if (i < n) out[i] = fmaf(a[i], b[i], c[i]);"
INDEX = "const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;"
GRID = "const int64_t blocks = (n + block_size - 1) / block_size;"
LAUNCH = "kernel<<<static_cast<unsigned>(blocks), block_size, 0, stream>>>(a, b, c, out, n);"
WHOLE = "starts_a_pack(a) && starts_a_pack(b) && starts_a_pack(out)"
TANH = "tanhf(x[i])"
SWISH = "x[i] * (fminf(fmaxf(x[i] + 3.0f, 0.0f), 6.0f) / 6.0f)"
ROW_OF_C = "of_row[threadIdx.x] = begin"


def fma_with(statements: str) -> tuple[str, str]:
    """Replace the plain statement by others that see i and n."""
    return (STORE, statements)


WRONG = (
    # ---- sizes, grids
    Wrong("i_guard_n_minus_1", "i_fma", "tail/unwritten", fma_with("if (i < n - 1 || n < 300) { if (i < n) out[i] = fmaf(a[i], b[i], c[i]); }")),
    Wrong("i_guard_or_equal", "i_fma", "bounds", fma_with("if (i <= n) out[i] = fmaf(a[i], b[i], c[i]);")),
    Wrong("i_no_guard", "i_fma", "bounds", fma_with("out[i] = fmaf(a[i], b[i], c[i]);")),
    Wrong("i_short_block_number", "i_fma", "narrow/grid | unwritten", (INDEX, "const int64_t i = static_cast<int64_t>(static_cast<uint16_t>(blockIdx.x)) * blockDim.x + threadIdx.x;")),
    Wrong("i_unsigned_index", "i_fma", "narrow | bounds/grid", (INDEX, "const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;")),
    Wrong("i_fixed_block_dim", "i_fma", "block size | bounds", ("* blockDim.x +", "* 256 +")),
    Wrong("i_grid_of_1024", "i_fma", "grid | unwritten/tail", ("static_cast<unsigned>(blocks)", "static_cast<unsigned>(blocks < 1024 ? blocks : 1024)")),
    Wrong("i_blocks_of_floor", "i_fma", "tail/unwritten/grid", (GRID, "const int64_t blocks = n / block_size + (n < block_size);")),
    Wrong("i_stride_of_one_block", "i_fma", "unwritten/grid/left out", ("static_cast<unsigned>(blocks)", "static_cast<unsigned>((blocks + 1) / 2)"), fma_with("for (int64_t k = i; k < n; k += static_cast<int64_t>(gridDim.x) * blockDim.x * 2) out[k] = fmaf(a[k], b[k], c[k]);")),
    # ---- alignment, packs
    Wrong("i_quads_untested", "i_quads", "alignment", (WHOLE, "true")),
    Wrong("i_quads_output_only", "i_quads", "alignment", (WHOLE, "starts_a_pack(out)")),
    Wrong("i_quads_to_8", "i_quads", "alignment", ("% sizeof(float4) == 0", "% 8 == 0")),
    Wrong("i_quads_ored", "i_quads", "alignment", (WHOLE, "starts_a_pack(a) || starts_a_pack(b) || starts_a_pack(out)")),
    Wrong("i_quads_no_rest", "i_quads", "tail/unwritten", ("if (left) {", "if (left && !whole) {")),
    Wrong("i_quads_rest_from_0", "i_quads", "tail/unwritten", ("(a, b, out, 4 * packs, n)", "(a, b, out, 0, left)")),
    Wrong("i_quads_w_is_z", "i_quads", "left out/numbers/function/neighbour", ("x.w * y.w", "x.w * y.z")),
    Wrong("i_quads_all_up", "i_quads", "bounds", ("whole ? n / 4 : 0", "whole ? (n + 3) / 4 : 0")),
    # ---- values
    Wrong("i_fma_c_dropped", "i_fma", "left out", fma_with("if (i < n) out[i] = a[i] * b[i];")),
    Wrong("i_fma_if_finite", "i_fma", "nan/infinity", fma_with("if (i >= n) return;\n    const float y = fmaf(a[i], b[i], c[i]);\n    out[i] = isfinite(y) ? y : 0.0f;")),
    Wrong("i_fma_in_bf16", "i_fma", "precision | infinity/subnormal", fma_with("if (i < n) out[i] = __bfloat162float(__float2bfloat16(fmaf(a[i], b[i], c[i])));")),
    Wrong("i_bytes_saturate", "i_bytes", "whole range", ("a[i] + b[i]", "a[i] + b[i] > 255 ? 255 : a[i] + b[i]")),
    Wrong("i_bytes_of_7_bits", "i_bytes", "whole range | narrow", ("a[i] + b[i]", "(a[i] & 127) + b[i]")),
    Wrong("i_to_half_clamps", "i_to_half", "infinity | nan", ("__float2half(__bfloat162float(x[i]))", "__float2half(fminf(fmaxf(__bfloat162float(x[i]), -65504.0f), 65504.0f))")),
    Wrong("i_to_half_toward_0", "i_to_half", "rounding | infinity/subnormal", ("__float2half(__bfloat162float(x[i]))", "__float2half_rz(__bfloat162float(x[i]))")),
    Wrong("i_to_half_flushes", "i_to_half", "subnormal", ("__float2half(__bfloat162float(x[i]))", "fabsf(__bfloat162float(x[i])) < 6.103515625e-05f ? __float2half(0.0f * __bfloat162float(x[i])) : __float2half(__bfloat162float(x[i]))")),
    Wrong("i_to_bf16_cuts", "i_to_bf16", "rounding", ("__float2bfloat16(__half2float(x[i]))", "__float2bfloat16_rz(__half2float(x[i]))")),
    Wrong("i_to_bf16_half_up", "i_to_bf16", "rounding | nan/infinity", ("__float2bfloat16(__half2float(x[i]))", "__ushort_as_bfloat16(static_cast<unsigned short>((__float_as_uint(__half2float(x[i])) + 0x8000u) >> 16))")),
    Wrong("i_to_bf16_loses_nan", "i_to_bf16", "nan", ("__float2bfloat16(__half2float(x[i]))", "__hisnan(x[i]) ? __float2bfloat16(0.0f) : __float2bfloat16(__half2float(x[i]))")),
    Wrong("i_tanh_by_exp", "i_tanh", "nan/infinity/precision/numbers", (TANH, "(expf(2.0f * x[i]) - 1.0f) / (expf(2.0f * x[i]) + 1.0f)")),
    Wrong("i_tanh_of_half", "i_tanh", "precision | infinity/subnormal", (TANH, "__half2float(__float2half(tanhf(x[i])))")),
    Wrong("i_swish_5_for_6", "i_swish", "function/numbers", ("0.0f), 6.0f)", "0.0f), 5.0f)")),
    Wrong("i_swish_no_lower_end", "i_swish", "function/numbers/infinity", (SWISH, "x[i] * (fminf(x[i] + 3.0f, 6.0f) / 6.0f)")),
    Wrong("i_swish_nan_to_0", "i_swish", "nan", (SWISH, "x[i] == x[i] ? x[i] * (fminf(fmaxf(x[i] + 3.0f, 0.0f), 6.0f) / 6.0f) : 0.0f")),
    # ---- side effects
    Wrong("i_adds_twice", "i_fma", "zero before | nan/unwritten", fma_with("if (i < n) { out[i] += c[i]; out[i] = fmaf(a[i], b[i], out[i]); }")),
    Wrong("i_scratch_in_c", "i_fma", "input", fma_with("if (i >= n) return;\n    float* keep = const_cast<float*>(c);\n    keep[i] = fmaf(a[i], b[i], keep[i]);\n    out[i] = keep[i];")),
    Wrong("i_first_a_remembered", "i_fma", "state/bounds", ("extern", "static const float* first_a = nullptr;\n\nextern"), (LAUNCH, "if (!first_a || n > 1000) first_a = a;\n    " + LAUNCH.replace("(a, b", "(first_a, b"))),
    Wrong("i_own_stream", "i_fma", "stream", (LAUNCH, "static cudaStream_t own = nullptr;\n    if (!own) cudaStreamCreate(&own);\n    " + LAUNCH.replace("stream>>>", "own>>>"))),
    Wrong("i_writes_past", "i_fma", "bounds", fma_with("if (i < n) out[i] = fmaf(a[i], b[i], c[i]);\n    if (i == n - 1) out[n] = 0.0f;")),
    # ---- sums, maxima
    Wrong("i_sum_100_parts", "i_sum", "left out", ("threadIdx.x < kBlocks ?", "threadIdx.x < 100 ?")),
    Wrong("i_sum_no_barrier", "i_sum", "race | nan", ("    __syncthreads();\n    double all", "    double all")),
    Wrong("i_sum_seven_warps", "i_sum", "left out", ("w < 8; ++w", "w < 7; ++w")),
    Wrong("i_sum_in_half", "i_sum", "precision/rounding | infinity", ("value += x[i];", "value += __half2float(__float2half(x[i]));")),
    Wrong("i_sum_first_call_only", "i_sum", "state/zero before/twice", ("of_block[blockIdx.x] = value;", "of_block[blockIdx.x] += value;")),
    Wrong("i_sum_order_turned", "i_sum", "state", ("    parts<<<kBlocks, 256, 0, stream>>>(x, n);\n    total_of<<<1, 256, 0, stream>>>(total);", "    total_of<<<1, 256, 0, stream>>>(total);\n    parts<<<kBlocks, 256, 0, stream>>>(x, n);")),
    Wrong("i_sum_plain_total", "i_sum", "race | left out", ("if (threadIdx.x == 0) of_block[blockIdx.x] = value;", "if (threadIdx.x == 0) of_block[0] += value;"), ("constexpr", "__global__ void clear();\nconstexpr"), ("__global__ void parts(", "__global__ void clear() { of_block[threadIdx.x] = 0.0; }\n\n__global__ void parts("), ("    parts<<<", "    clear<<<1, kBlocks, 0, stream>>>();\n    parts<<<")),
    Wrong("i_max_from_0", "i_max", "start", ("__global__ void start(float* most) { *most = -INFINITY; }", "__global__ void start(float* most) { *most = 0.0f; }")),
    Wrong("i_max_no_start", "i_max", "zero before/start/state", ("    start<<<1, 1, 0, stream>>>(most);\n", "")),
    Wrong("i_max_signed_only", "i_max", "start/function/numbers/left out", ("    if (value >= 0.0f) {", "    if (true) {")),
    Wrong("i_max_shared_late", "i_max", "race", ("    if (threadIdx.x == 0) of_block = -INFINITY;\n    __syncthreads();\n", "    if (threadIdx.x == 0) of_block = -INFINITY;\n")),
    Wrong("i_max_read_early", "i_max", "race/left out", ("    keep_larger(&of_block, value);\n    __syncthreads();", "    keep_larger(&of_block, value);")),
    Wrong("i_max_plain", "i_max", "race", ("    keep_larger(&of_block, value);", "    if (value > of_block) of_block = value;")),
    # ---- matrices
    Wrong("i_t_no_second_barrier", "i_transpose", "race", ("        }\n        __syncthreads();\n    }\n}", "        }\n    }\n}")),
    Wrong("i_t_across_of_rows", "i_transpose", "sides/unwritten/bounds/numbers", ("const int64_t across = (cols + 31) / 32,", "const int64_t across = (rows + 31) / 32,")),
    Wrong("i_t_8192_tiles", "i_transpose", "unwritten/grid | tail", ("t < tiles; t += gridDim.x", "t < tiles; t += tiles")),
    Wrong("i_t_every_4th_lost", "i_transpose", "unwritten/left out", ("if (col + k < cols && row", "if (k % 4 < 3 && col + k < cols && row")),
    Wrong("i_p_64_of_k", "i_matmul", "left out", ("begin < k; begin += 64", "begin < k && begin < 64; begin += 64")),
    Wrong("i_p_no_barrier", "i_matmul", "race | nan", ("0.0f;\n        __syncthreads();\n        const", "0.0f;\n        const")),
    Wrong("i_p_odd_lost", "i_matmul", "unwritten/sides", ("    if (col < n) c[row * n + col] = first;", "    if (col + 1 < n) c[row * n + col] = first;")),
    Wrong("i_p_b_of_col", "i_matmul", "numbers/neighbour/function/left out", ("b[(begin + j) * n + col + 1], second", "b[(begin + j) * n + col], second")),
    Wrong("i_x_other_rows", "i_softmax", "unwritten/grid", ("row += gridDim.x", "row += m")),
    Wrong("i_x_half_precision", "i_softmax", "precision", ("to[j] /= sum;", "to[j] = __half2float(__float2half(to[j] / sum));")),
    Wrong("i_x_sum_of_one", "i_softmax", "left out/numbers/function/infinity", ("sum = sum_of(sum, tile);", "")),
    Wrong("i_x_tree_from_16", "i_softmax", "left out/numbers/function/infinity/nan", ("__device__ float sum_of(float value, float* tile) {\n    tile[threadIdx.x] = value;\n    __syncthreads();\n    for (int far = 32;", "__device__ float sum_of(float value, float* tile) {\n    tile[threadIdx.x] = value;\n    __syncthreads();\n    for (int far = 16;")),
    Wrong("i_n_deviation", "i_norm", "function/numbers", ("rsqrtf(sum_of(squares, tile) / n + 1e-5f)", "1.0f / (sqrtf(sum_of(squares, tile) / n) + 1e-5f)")),
    Wrong("i_n_by_64", "i_norm", "function/numbers", ("sum_of(sum, tile) / n", "sum_of(sum, tile) / 64")),
    Wrong("i_n_one_pass", "i_norm", "precision/function/numbers/nan/infinity", ("squares += (from[j] - mean) * (from[j] - mean)", "squares += from[j] * from[j] - mean * mean")),
    Wrong("i_n_no_barrier", "i_norm", "race | nan", ("if (threadIdx.x < far) tile[threadIdx.x] += tile[threadIdx.x + far];\n        __syncthreads();", "if (threadIdx.x < far) tile[threadIdx.x] += tile[threadIdx.x + far];")),
)  # fmt: skip

RIGHT = (
    *(Right(f"r_{name}", name) for name in BASES),
    Right("r_i_size_t", "i_fma", ("int64_t n, int block_size", "size_t n, int block_size"), ("float* out, int64_t n) {", "float* out, size_t n) {"), ("const int64_t i = static_cast<int64_t>(blockIdx.x)", "const size_t i = static_cast<size_t>(blockIdx.x)")),
    Right("r_i_template", "i_fma", ("__global__ void kernel(const float* a, const float* b, const float* c, float* out, int64_t n) {", "template <typename T, int UNUSED = 3>\n__global__ void kernel(const T* a, const T* b, const T* c, T* __restrict__ out, int64_t n) {"), ("    kernel<<<", "    kernel<float><<<")),
    Right("r_i_lambda_grid", "i_fma", (GRID, "auto up = [](int64_t x, int64_t y) { return (x + y - 1) / y; };\n    const auto blocks = up(n, block_size);")),
    Right("r_i_launch_kernel", "i_fma", (LAUNCH, "void* arguments[] = {&a, &b, &c, &out, &n};\n    cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(static_cast<unsigned>(blocks)), dim3(block_size), arguments, 0, stream);")),
    Right("r_i_early_return", "i_fma", (LAUNCH, "if (n == 0) return;\n    " + LAUNCH)),
    Right("r_i_out_in_middle", "i_fma", ("const float* c,  // [n]\n                       float* out,  // [n]", "float* out,  // [n]\n                       const float* c,  // [n]")),
    Right("r_i_dim3_named", "i_fma", (LAUNCH, "dim3 grid, block;\n    grid.x = static_cast<unsigned>(blocks);\n    block.x = static_cast<unsigned>(block_size);\n    " + LAUNCH.replace("static_cast<unsigned>(blocks), block_size", "grid, block"))),
    Right("r_i_unroll_4", "i_fma", (GRID, "const int64_t blocks = (n + 4LL * block_size - 1) / (4LL * block_size);"), (INDEX, "const int64_t first = 4 * (static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x);"), fma_with("for (int64_t i = first; i < first + 4; ++i) {\n        if (i < n) out[i] = fmaf(a[i], b[i], c[i]);\n    }")),
    Right("r_i_grid_stride", "i_fma", ("static_cast<unsigned>(blocks)", "static_cast<unsigned>(blocks < 111 ? blocks : 111)"), fma_with("for (int64_t k = i; k < n; k += static_cast<int64_t>(gridDim.x) * blockDim.x) out[k] = fmaf(a[k], b[k], c[k]);")),
    Right("r_i_idle_half", "i_fma", ("static_cast<unsigned>(blocks)", "static_cast<unsigned>(2 * blocks + 5)")),
    Right("r_i_memset_2", "i_fma", (LAUNCH, "cudaMemsetAsync(out, 0xff, n * sizeof *out, stream);\n    " + LAUNCH)),
    Right("r_i_two_steps", "i_fma", (LAUNCH, LAUNCH + "\n    " + LAUNCH)),
    Right("r_i_shared_stage", "i_fma", fma_with("__shared__ float stage[1024];\n    if (i < n) stage[threadIdx.x] = a[i];\n    __syncthreads();\n    if (i < n) out[i] = fmaf(stage[threadIdx.x], b[i], c[i]);")),
    Right("r_i_dynamic_shared", "i_fma", ("block_size, 0, stream>>>", "block_size, block_size * sizeof(float), stream>>>"), fma_with("extern __shared__ float stage[];\n    if (i < n) stage[threadIdx.x] = c[i];\n    __syncwarp();\n    if (i < n) out[i] = fmaf(a[i], b[i], stage[threadIdx.x]);")),
    Right("r_i_ldg", "i_fma", fma_with("if (i < n) out[i] = fmaf(__ldg(a + i), __ldg(b + i), __ldg(&c[i]));")),
    Right("r_i_in_double", "i_quads", ("out[i] = a[i] * b[i];", "out[i] = static_cast<float>(static_cast<double>(a[i]) * b[i]);")),
    Right("r_i_quads_never", "i_quads", (WHOLE, "n < 0")),
    Right("r_i_quads_masks", "i_quads", (WHOLE, "((reinterpret_cast<uintptr_t>(a) | reinterpret_cast<uintptr_t>(b) | reinterpret_cast<uintptr_t>(out)) & 15) == 0")),
    Right("r_i_bytes_cast", "i_bytes", ("a[i] + b[i]", "static_cast<uint8_t>(static_cast<unsigned>(a[i]) + b[i])")),
    Right("r_i_words", "i_bytes", ("uint8_t* out,  // [n]\n                       int64_t n", "uint8_t* out,  // [n]\n                       long long n")),
    Right("r_i_bf16_member", "i_to_bf16", ("__float2bfloat16(__half2float(x[i]))", "__nv_bfloat16(__half2float(x[i]))")),
    Right("r_i_sum_of_doubles", "i_sum", ("for (int w = 0; w < 8; ++w) all += of_warp[w];", "for (int w = 7; w >= 0; --w) all = all + of_warp[w];")),
    Right("r_i_sum_zeroed_symbol", "i_sum", ("    parts<<<", "    static void* where = nullptr;\n    if (!where) cudaGetSymbolAddress(&where, of_block);\n    cudaMemsetAsync(where, 0, sizeof(double) * kBlocks, stream);\n    parts<<<")),
    Right("r_i_max_few_threads", "i_max", ("kernel<<<72, 96, 0, stream>>>", "kernel<<<3, 33, 0, stream>>>")),
    Right("r_i_max_every_thread", "i_max", ("    keep_larger(&of_block, value);", "    if (value > -INFINITY) keep_larger(&of_block, value);")),
    Right("r_i_t_one_block", "i_transpose", ("tiles < 8192 ? tiles : 8192", "tiles < 7 ? tiles : 7")),
    Right("r_i_t_straight_tile", "i_transpose", ("tile[32][33]", "tile[32][32]")),
    Right("r_i_p_twice_rounded", "i_matmul", ("first = fmaf(of_row[j], b[(begin + j) * n + col], first);", "first += of_row[j] * b[(begin + j) * n + col];")),
    Right("r_i_x_reread", "i_softmax", ("sum += to[j] = expf(from[j] - top);", "sum += expf(from[j] - top);"), ("to[j] /= sum;", "to[j] = expf(from[j] - top) / sum;")),
    Right("r_i_n_division", "i_norm", ("rsqrtf(sum_of(squares, tile) / n + 1e-5f)", "1.0f / sqrtf(sum_of(squares, tile) / n + 1e-5f)")),
)  # fmt: skip
