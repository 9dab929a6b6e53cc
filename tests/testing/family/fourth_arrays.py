"""Hold the fourth family's sums, maxima and kernels on matrices."""

# ruff: noqa: E501 (a line of a kernel stands in one line)
from __future__ import annotations

import torch

from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.whole import INCLUDES

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

BASES = {
    "i_sum": Base(SUM, cases="sums"),
    "i_max": Base(MAX, cases="whole_array", function=torch.max),
    "i_transpose": Base(TRANSPOSE, cases="transpose"),
    "i_matmul": Base(MATMUL, cases="matmul"),
    "i_softmax": Base(SOFTMAX, cases="softmax"),
    "i_norm": Base(NORM, cases="layer_norm"),
}

WRONG = (
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
