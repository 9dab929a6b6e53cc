"""Hold the fifth family's sums, maxima and kernels on matrices."""

# ruff: noqa: E501 (a line of a kernel stands in one line)
from __future__ import annotations

import torch

from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.whole import INCLUDES

# The block that ends last adds what all blocks have left behind.
SUM = (
    INCLUDES
    + """\
constexpr unsigned kMost = 48;
__device__ float of_block[kMost];
__device__ unsigned done;

__device__ float over_block(float value) {
    __shared__ float tile[128];
    tile[threadIdx.x] = value;
    __syncthreads();
    for (int far = 64; far > 0; far /= 2) {
        if (threadIdx.x < far) tile[threadIdx.x] += tile[threadIdx.x + far];
        __syncthreads();
    }
    value = tile[0];
    __syncthreads();
    return value;
}

__global__ void kernel(const float* x, float* total, int64_t n) {
    __shared__ bool is_last;
    float value = 0.0f;
    const int64_t begin = n * blockIdx.x / gridDim.x, end = n * (blockIdx.x + 1) / gridDim.x;
    for (int64_t i = begin + threadIdx.x; i < end; i += 128) value += x[i];
    value = over_block(value);
    if (threadIdx.x == 0) {
        of_block[blockIdx.x] = value;
        __threadfence();
        is_last = atomicAdd(&done, 1u) + 1 == gridDim.x;
    }
    __syncthreads();
    if (!is_last) return;
    __threadfence();
    value = threadIdx.x < gridDim.x ? of_block[threadIdx.x] : 0.0f;
    value = over_block(value);
    if (threadIdx.x == 0) {
        *total = value;
        done = 0;
    }
}

extern "C" void launch(const float* x,  // [n]
                       float* total,    // [1]
                       int64_t n, cudaStream_t stream = 0) {
    kernel<<<kMost, 128, 0, stream>>>(x, total, n);
}
"""
)
# Packs of four squares, a warp a block; an atomic puts the blocks together.
SQUARES = (
    INCLUDES
    + """\
__global__ void kernel(const float* x, float* out, int64_t n) {
    const bool whole = (reinterpret_cast<uintptr_t>(x) & 15) == 0;
    const int64_t packs = whole ? n / 4 : 0, warps = gridDim.x;
    float value = 0.0f;
    for (int64_t p = blockIdx.x * 32 + threadIdx.x; p < packs; p += warps * 32) {
        const float4 q = reinterpret_cast<const float4*>(x)[p];
        value += (q.x * q.x + q.y * q.y) + (q.z * q.z + q.w * q.w);
    }
    for (int64_t i = 4 * packs + blockIdx.x * 32 + threadIdx.x; i < n; i += warps * 32) value += x[i] * x[i];
    for (int far = 1; far < 32; far <<= 1) value += __shfl_xor_sync(0xffffffff, value, far);
    if (threadIdx.x == 0) atomicAdd(out, value);
}

extern "C" void launch(const float* x,  // [n]
                       float* out,      // [1]
                       int64_t n, cudaStream_t stream = 0) {
    cudaMemsetAsync(out, 0, sizeof(float), stream);
    kernel<<<64, 32, 0, stream>>>(x, out, n);
}
"""
)
# A maximum that keeps a NaN: 416 threads of one block, 13 warps.
MAX = (
    INCLUDES
    + """\
__device__ float larger(float a, float b) { return a > b || a != a ? a : b; }

__global__ void kernel(const float* x, float* out, int64_t n) {
    __shared__ float of_warp[13];
    float most = -INFINITY;
    for (int64_t i = threadIdx.x; i < n; i += blockDim.x) most = larger(most, x[i]);
    for (int far = 16; far > 0; far /= 2) most = larger(most, __shfl_down_sync(0xffffffffu, most, far));
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = most;
    __syncthreads();
    if (threadIdx.x >= 32) return;
    most = threadIdx.x < 13 ? of_warp[threadIdx.x] : -INFINITY;
    for (int far = 8; far > 0; far /= 2) most = larger(most, __shfl_down_sync(0xffffffffu, most, far));
    if (threadIdx.x == 0) *out = most;
}

extern "C" void launch(const float* x,  // [n]
                       float* out,      // [1]
                       int64_t n, cudaStream_t stream = 0) {
    kernel<<<1, 416, 0, stream>>>(x, out, n);
}
"""
)
# Square matrices are copied and turned in place; others go straight to their places.
TRANSPOSE = (
    INCLUDES
    + """\
__global__ void copy(const float* x, float* out, int64_t count) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * 256 + threadIdx.x;
    if (i < count) out[i] = x[i];
}

__global__ void turn(float* out, int64_t side) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * 256 + threadIdx.x;
    const int64_t row = i / side, col = i % side;
    if (row >= side || row >= col) return;
    const float upper = out[row * side + col];
    out[row * side + col] = out[col * side + row];
    out[col * side + row] = upper;
}

__global__ void place(const float* x, float* out, int64_t rows, int64_t cols) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * 256 + threadIdx.x;
    if (i >= rows * cols) return;
    out[i % cols * rows + i / cols] = x[i];
}

extern "C" void launch(const float* x,  // [rows, cols]
                       float* out,      // [cols, rows]
                       int64_t rows, int64_t cols, cudaStream_t stream = 0) {
    const unsigned blocks = static_cast<unsigned>((rows * cols + 255) / 256);
    if (rows != cols) {
        place<<<blocks, 256, 0, stream>>>(x, out, rows, cols);
        return;
    }
    copy<<<blocks, 256, 0, stream>>>(x, out, rows * cols);
    turn<<<blocks, 256, 0, stream>>>(out, rows);
}
"""
)
# Pointers walk along a row of a and down a column of b.
WALK = (
    INCLUDES
    + """\
__global__ void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= m * n) return;
    const float* left = a + i / n * k;
    const float* right = b + i % n;
    const float* const end = left + k;
    float sum = 0.0f;
    while (left != end) {
        sum = fmaf(*left, *right, sum);
        left += 1;
        right += n;
    }
    c[i] = sum;
}

extern "C" void launch(const float* a,  // [m, k]
                       const float* b,  // [k, n]
                       float* c,        // [m, n]
                       int64_t m, int64_t n, int64_t k, cudaStream_t stream = 0) {
    kernel<<<static_cast<unsigned>((m * n + 191) / 192), 192, 0, stream>>>(a, b, c, m, n, k);
}
"""
)
TILES = (
    INCLUDES
    + """\
constexpr int kSide = 8;

__global__ void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k, int64_t across) {
    __shared__ float left[kSide][kSide], right[kSide][kSide];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int64_t row = blockIdx.x / across * kSide + ty, col = blockIdx.x % across * kSide + tx;
    const int64_t steps = (k + kSide - 1) / kSide;
    float sum = 0.0f;
    for (int64_t step = 0; step < steps; ++step) {
        const int64_t from_a = step * kSide + tx, from_b = step * kSide + ty;
        left[ty][tx] = row < m && from_a < k ? a[row * k + from_a] : 0.0f;
        right[ty][tx] = from_b < k && col < n ? b[from_b * n + col] : 0.0f;
        __syncthreads();
        const int count = static_cast<int>(min(static_cast<int64_t>(kSide), k - step * kSide));
        for (int j = 0; j < count; ++j) sum += left[ty][j] * right[j][tx];
        __syncthreads();
    }
    if (row < m && col < n) c[row * n + col] = sum;
}

extern "C" void launch(const float* a,  // [m, k]
                       const float* b,  // [k, n]
                       float* c,        // [m, n]
                       int64_t m, int64_t n, int64_t k, cudaStream_t stream = 0) {
    const int64_t across = (n + kSide - 1) / kSide, down = (m + kSide - 1) / kSide;
    kernel<<<static_cast<unsigned>(across * down), dim3(kSide, kSide), 0, stream>>>(a, b, c, m, n, k, across);
}
"""
)
# A thread a row: no thread needs another.
LAUNCH_ROWS = """
extern "C" void launch(const float* x,  // [m, n]
                       float* out,      // [m, n]
                       int64_t m, int64_t n, cudaStream_t stream = 0) {
    kernel<<<static_cast<unsigned>((m + 63) / 64), 64, 0, stream>>>(x, out, m, n);
}
"""
SOFTMAX = INCLUDES + """\
__global__ void kernel(const float* x, float* out, int64_t m, int64_t n) {
    const int64_t row = static_cast<int64_t>(blockIdx.x) * 64 + threadIdx.x;
    if (row >= m) return;
    const float* from = x + row * n;
    float* to = out + row * n;
    float top = from[0], sum = 0.0f;
    for (int64_t j = 1; j < n; ++j) top = fmaxf(top, from[j]);
    for (int64_t j = 0; j < n; ++j) {
        to[j] = expf(from[j] - top);
        sum += to[j];
    }
    for (int64_t j = 0; j < n; ++j) to[j] /= sum;
}
""" + LAUNCH_ROWS  # fmt: skip
# Welford's formulas: the mean and the squares in one pass.
NORM = INCLUDES + """\
__global__ void kernel(const float* x, float* out, int64_t m, int64_t n) {
    const int64_t row = static_cast<int64_t>(blockIdx.x) * 64 + threadIdx.x;
    if (row >= m) return;
    const float* from = x + row * n;
    float mean = 0.0f, squares = 0.0f;
    for (int64_t j = 0; j < n; ++j) {
        const float before = from[j] - mean;
        mean += before / (j + 1);
        squares += before * (from[j] - mean);
    }
    const float scale = 1.0f / sqrtf(squares / n + 1e-5f);
    for (int64_t j = 0; j < n; ++j) out[row * n + j] = (from[j] - mean) * scale;
}
""" + LAUNCH_ROWS  # fmt: skip

BASES = {
    "k_sum": Base(SUM, cases="sums"),
    "k_squares": Base(SQUARES, cases="whole_array", function=lambda x: (x * x).sum()),
    "k_max": Base(MAX, cases="whole_array", function=torch.max),
    "k_transpose": Base(TRANSPOSE, cases="transpose"),
    "k_walk": Base(WALK, cases="matmul"),
    "k_tiles": Base(TILES, cases="matmul"),
    "k_softmax": Base(SOFTMAX, cases="softmax"),
    "k_norm": Base(NORM, cases="layer_norm"),
}
PARTS = "begin = n * blockIdx.x / gridDim.x, end = n * (blockIdx.x + 1) / gridDim.x;"

WRONG = (
    # ---- sums
    Wrong("k_sum_done_stays", "k_sum", "state/unwritten", ("        done = 0;\n", "")),
    Wrong("k_sum_never_last", "k_sum", "unwritten | state", ("atomicAdd(&done, 1u) + 1 == gridDim.x", "atomicAdd(&done, 1u) == gridDim.x")),
    Wrong("k_sum_no_ticket_barrier", "k_sum", "race | unwritten", ("        is_last = atomicAdd(&done, 1u) + 1 == gridDim.x;\n    }\n    __syncthreads();", "        is_last = atomicAdd(&done, 1u) + 1 == gridDim.x;\n    }")),
    Wrong("k_sum_parts_rounded", "k_sum", "left out/tail/twice", (PARTS, "share = n / gridDim.x, begin = share * blockIdx.x, end = begin + share + (n < gridDim.x && blockIdx.x < n);")),
    Wrong("k_sum_parts_overlap", "k_sum", "twice", (PARTS, "begin = n * blockIdx.x / gridDim.x, end = min(n, n * (blockIdx.x + 1) / gridDim.x + 1);")),
    Wrong("k_sum_idle_ones", "k_sum", "start/function/numbers", ("of_block[threadIdx.x] : 0.0f", "of_block[threadIdx.x] : 1.0f")),
    Wrong("k_sum_int_product", "k_sum", "narrow/left out | bounds/twice/grid", (PARTS, "begin = static_cast<int>(n) * static_cast<int>(blockIdx.x) / static_cast<int>(gridDim.x), end = static_cast<int>(n) * static_cast<int>(blockIdx.x + 1) / static_cast<int>(gridDim.x);")),
    Wrong("k_squares_tail_of_all", "k_squares", "twice/tail", ("i = 4 * packs + blockIdx.x * 32 + threadIdx.x; i < n; i += warps * 32", "i = 4 * packs + threadIdx.x; i < n; i += 32")),
    Wrong("k_squares_unaligned", "k_squares", "alignment", ("(reinterpret_cast<uintptr_t>(x) & 15) == 0", "n > 0")),
    Wrong("k_squares_half_mask", "k_squares", "left out", ("far < 32; far <<= 1", "far < 16; far <<= 1")),
    Wrong("k_squares_of_sums", "k_squares", "function/numbers", ("(q.x * q.x + q.y * q.y) + (q.z * q.z + q.w * q.w)", "(q.x + q.y) * (q.x + q.y) + (q.z + q.w) * (q.z + q.w)")),
    Wrong("k_squares_lane_31", "k_squares", "left out", ("if (threadIdx.x == 0) atomicAdd(out, value);", "if (threadIdx.x == 0 && blockIdx.x < 63) atomicAdd(out, value);")),
    # ---- maxima
    Wrong("k_max_reads_16", "k_max", "race/bounds/left out/start", ("threadIdx.x < 13 ? of_warp[threadIdx.x] : -INFINITY", "threadIdx.x < 12 ? of_warp[threadIdx.x] : -INFINITY")),
    Wrong("k_max_smallest_normal", "k_max", "start", ("float most = -INFINITY;", "float most = FLT_MIN;")),
    Wrong("k_max_by_size", "k_max", "function/numbers", ("return a > b || a != a ? a : b;", "return fabsf(a) > fabsf(b) || a != a ? a : b;")),
    Wrong("k_max_from_4", "k_max", "left out", ("for (int far = 8; far > 0;", "for (int far = 4; far > 0;")),
    # ---- transposes
    Wrong("k_t_turned_twice", "k_transpose", "copy/race/numbers/sides", ("if (row >= side || row >= col) return;", "if (row >= side) return;")),
    Wrong("k_t_lost_half", "k_transpose", "numbers/copy/sides/left out/twice", ("    out[col * side + row] = upper;\n", "")),
    Wrong("k_t_rows_for_cols", "k_transpose", "sides/bounds/numbers | unwritten", ("i % cols * rows + i / cols", "i % rows * cols + i / rows")),
    Wrong("k_t_stride_one_more", "k_transpose", "sides/bounds/unwritten | neighbour", ("out[i % cols * rows + i / cols]", "out[i % cols * (rows + 1) + i / cols]")),
    # ---- products
    Wrong("k_walk_down_by_k", "k_walk", "bounds/sides/numbers", ("right += n;", "right += k;")),
    Wrong("k_walk_row_of_m", "k_walk", "bounds/sides/numbers | neighbour", ("a + i / n * k", "a + i / m * k")),
    Wrong("k_walk_stays", "k_walk", "numbers/sides/left out", ("        right += n;\n", "")),
    Wrong("k_tiles_steps_down", "k_tiles", "left out", ("(k + kSide - 1) / kSide;\n    float", "(k < kSide ? 1 : k / kSide);\n    float")),
    Wrong("k_tiles_no_last_barrier", "k_tiles", "race", ("right[j][tx];\n        __syncthreads();", "right[j][tx];")),
    Wrong("k_tiles_b_turned", "k_tiles", "sides/numbers/bounds | race / swapped", ("sum += left[ty][j] * right[j][tx]", "sum += left[ty][j] * right[tx][j]")),
    Wrong("k_tiles_sum_in_half", "k_tiles", "precision | infinity", ("float sum = 0.0f;", "half sum = __float2half(0.0f);"), ("sum += left[ty][j] * right[j][tx]", "sum = __float2half(__half2float(sum) + left[ty][j] * right[j][tx])"), ("c[row * n + col] = sum;", "c[row * n + col] = __half2float(sum);")),
    # ---- softmax, layer norm
    Wrong("k_x_no_top", "k_softmax", "nan/infinity", ("to[j] = expf(from[j] - top);", "to[j] = expf(from[j]);")),
    Wrong("k_x_top_of_sizes", "k_softmax", "nan/function/numbers/infinity", ("top = fmaxf(top, from[j]);", "top = fmaxf(top, fabsf(from[j]));")),
    Wrong("k_x_sum_from_1", "k_softmax", "left out/function/numbers", ("    for (int64_t j = 0; j < n; ++j) {\n        to[j]", "    to[0] = expf(from[0] - top);\n    for (int64_t j = n > 1; j < n; ++j) {\n        to[j]")),
    Wrong("k_x_epsilon", "k_softmax", "function/numbers/precision", ("to[j] /= sum;", "to[j] /= sum + 1e-3f;")),
    Wrong("k_n_counts_from_0", "k_norm", "nan/infinity/function/numbers", ("mean += before / (j + 1);", "mean += before / (j > 0 ? j : 1);")),
    Wrong("k_n_old_delta_twice", "k_norm", "function/numbers", ("squares += before * (from[j] - mean);", "squares += before * before;")),
    Wrong("k_n_mean_of_squares", "k_norm", "precision/numbers/nan | infinity/function", ("        const float before = from[j] - mean;\n        mean += before / (j + 1);\n        squares += before * (from[j] - mean);\n    }\n    const float scale = 1.0f / sqrtf(squares / n + 1e-5f);", "        mean += from[j];\n        squares += from[j] * from[j];\n    }\n    mean /= n;\n    const float scale = 1.0f / sqrtf(squares / n - mean * mean + 1e-5f);")),
    Wrong("k_n_no_root", "k_norm", "function/numbers", ("1.0f / sqrtf(squares / n + 1e-5f)", "1.0f / (squares / n + 1e-5f)")),
    Wrong("k_n_eps_after_root", "k_norm", "function/numbers", ("1.0f / sqrtf(squares / n + 1e-5f)", "1.0f / (sqrtf(squares / n) + 1e-5f)")),
)  # fmt: skip

RIGHT = (
    Right("r_k_sum_eleven_blocks", "k_sum", ("kernel<<<kMost, 128", "kernel<<<11, 128")),
    Right("r_k_sum_increments", "k_sum", ("atomicAdd(&done, 1u) + 1 == gridDim.x", "atomicInc(&done, gridDim.x - 1) == gridDim.x - 1"), ("        done = 0;\n", "")),
    Right("r_k_squares_fma", "k_squares", ("value += (q.x * q.x + q.y * q.y) + (q.z * q.z + q.w * q.w);", "value = fmaf(q.w, q.w, fmaf(q.z, q.z, fmaf(q.y, q.y, fmaf(q.x, q.x, value))));")),
    Right("r_k_max_xor", "k_max", ("for (int far = 8; far > 0; far /= 2) most = larger(most, __shfl_down_sync(0xffffffffu, most, far));", "for (int far = 16; far > 0; far /= 2) most = larger(most, __shfl_xor_sync(0xffffffffu, most, far));")),
    Right("r_k_t_memcpy", "k_transpose", ("copy<<<blocks, 256, 0, stream>>>(x, out, rows * cols);", "cudaMemcpyAsync(out, x, rows * cols * sizeof(float), cudaMemcpyDeviceToDevice, stream);")),
    Right("r_k_walk_for", "k_walk", ("while (left != end) {", "for (; left < end;) {")),
    Right("r_k_tiles_of_16", "k_tiles", ("kSide = 8", "kSide = 16")),
    Right("r_k_x_two_passes", "k_softmax", ("        to[j] = expf(from[j] - top);\n        sum += to[j];", "        sum += expf(from[j] - top);"), ("to[j] /= sum;", "to[j] = expf(from[j] - top) / sum;")),
    Right("r_k_n_of_values", "k_norm", ("mean += before / (j + 1);", "mean = mean + (from[j] - mean) / static_cast<float>(j + 1);")),
)  # fmt: skip
