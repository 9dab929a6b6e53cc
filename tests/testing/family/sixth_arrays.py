"""Hold the sixth family's sums, maxima and kernels on matrices."""

# ruff: noqa: E501 (a line of a kernel stands in one line)
from __future__ import annotations

from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.whole import INCLUDES

# 160 threads: the tree halves odd numbers, too.
SUM = (
    INCLUDES
    + """\
constexpr int kThreads = 160;

__global__ void clear(float* total) { total[0] = 0.0f; }

__global__ void kernel(const float* x, float* total, int64_t n) {
    __shared__ float part[kThreads];
    const int64_t begin = (static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x) * 24;
    float mine = 0.0f;
    for (int k = 0; k < 24 && begin + k < n; ++k) mine += x[begin + k];
    part[threadIdx.x] = mine;
    for (int left = kThreads; left > 1;) {
        const int kept = (left + 1) / 2;
        __syncthreads();
        if (threadIdx.x + kept < left) part[threadIdx.x] += part[threadIdx.x + kept];
        left = kept;
    }
    if (threadIdx.x == 0) atomicAdd(total, part[0]);
}

extern "C" void launch(const float* x,  // [n]
                       float* total,    // [1]
                       int64_t n, cudaStream_t stream = 0) {
    const int64_t of_block = 24 * kThreads;
    clear<<<1, 1, 0, stream>>>(total);
    kernel<<<static_cast<unsigned>((n + of_block - 1) / of_block), kThreads, 0, stream>>>(x, total, n);
}
"""
)
# The distance of the largest number from the smallest one, in two kernels.
SPREAD = (
    INCLUDES
    + """\
constexpr int kBlocks = 44;
__device__ float2 ends_of_block[kBlocks];

__device__ float2 over_warp(float2 ends) {
    for (int far = 16; far > 0; far >>= 1) {
        ends.x = fminf(ends.x, __shfl_xor_sync(0xffffffffu, ends.x, far));
        ends.y = fmaxf(ends.y, __shfl_xor_sync(0xffffffffu, ends.y, far));
    }
    return ends;
}

__global__ void first_pass(const float* x, int64_t n) {
    __shared__ float2 of_warp[4];
    float2 ends = make_float2(INFINITY, -INFINITY);
    for (int64_t i = static_cast<int64_t>(blockIdx.x) * 128 + threadIdx.x; i < n; i += 128 * kBlocks) {
        ends.x = fminf(ends.x, x[i]);
        ends.y = fmaxf(ends.y, x[i]);
    }
    ends = over_warp(ends);
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = ends;
    __syncthreads();
    if (threadIdx.x > 0) return;
    for (int w = 1; w < 4; ++w) ends = make_float2(fminf(ends.x, of_warp[w].x), fmaxf(ends.y, of_warp[w].y));
    ends_of_block[blockIdx.x] = ends;
}

__global__ void second_pass(float* out) {
    float2 ends = ends_of_block[threadIdx.x];
    for (int k = threadIdx.x + 32; k < kBlocks; k += 32) {
        ends.x = fminf(ends.x, ends_of_block[k].x);
        ends.y = fmaxf(ends.y, ends_of_block[k].y);
    }
    ends = over_warp(ends);
    if (threadIdx.x == 0) *out = ends.y - ends.x;
}

extern "C" void launch(const float* x,  // [n]
                       float* out,      // [1]
                       int64_t n, cudaStream_t stream = 0) {
    first_pass<<<kBlocks, 128, 0, stream>>>(x, n);
    second_pass<<<1, 32, 0, stream>>>(out);
}
"""
)
# A thread turns a square of two by two.
TRANSPOSE = (
    INCLUDES
    + """\
__global__ void kernel(const float* x, float* out, int64_t rows, int64_t cols, int64_t across) {
    const int64_t square = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const int64_t row = square / across * 2, col = square % across * 2;
    for (int r = 0; r < 2; ++r) {
        for (int c = 0; c < 2; ++c) {
            if (row + r < rows && col + c < cols) out[(col + c) * rows + row + r] = x[(row + r) * cols + col + c];
        }
    }
}

extern "C" void launch(const float* x,  // [rows, cols]
                       float* out,      // [cols, rows]
                       int64_t rows, int64_t cols, cudaStream_t stream = 0) {
    const int64_t across = (cols + 1) / 2, squares = across * ((rows + 1) / 2);
    kernel<<<static_cast<unsigned>((squares + 127) / 128), 128, 0, stream>>>(x, out, rows, cols, across);
}
"""
)
# Four blocks share the summands of an element; an atomic puts them together.
MATMUL = (
    INCLUDES
    + """\
constexpr int kSlices = 4;

__global__ void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const int64_t share = (k + kSlices - 1) / kSlices;
    const int64_t begin = blockIdx.y * share, end = begin + share < k ? begin + share : k;
    if (i >= m * n || begin >= end) return;
    float part = 0.0f;
    for (int64_t j = begin; j < end; ++j) part += a[i / n * k + j] * b[j * n + i % n];
    atomicAdd(&c[i], part);
}

extern "C" void launch(const float* a,  // [m, k]
                       const float* b,  // [k, n]
                       float* c,        // [m, n]
                       int64_t m, int64_t n, int64_t k, cudaStream_t stream = 0) {
    cudaMemsetAsync(c, 0, static_cast<size_t>(m * n) * sizeof(float), stream);
    const dim3 grid(static_cast<unsigned>((m * n + 255) / 256), kSlices);
    kernel<<<grid, 256, 0, stream>>>(a, b, c, m, n, k);
}
"""
)
# Maximum and sum in one pass: when the maximum grows, the sum so far shrinks. A warp a row.
SOFTMAX = (
    INCLUDES
    + """\
__device__ float times(float sum, float old_top, float top) { return old_top == -INFINITY ? 0.0f : sum * expf(old_top - top); }

__global__ void kernel(const float* x, float* out, int64_t m, int64_t n) {
    const int64_t row = static_cast<int64_t>(blockIdx.x) * blockDim.y + threadIdx.y;
    if (row >= m) return;
    const int lane = threadIdx.x;
    float top = -INFINITY, sum = 0.0f;
    for (int64_t j = lane; j < n; j += 32) {
        const float value = x[row * n + j], larger = fmaxf(top, value);
        sum = times(sum, top, larger) + expf(value - larger);
        top = larger;
    }
    for (int far = 16; far > 0; far >>= 1) {
        const float other_top = __shfl_xor_sync(0xffffffffu, top, far), other_sum = __shfl_xor_sync(0xffffffffu, sum, far);
        const float larger = fmaxf(top, other_top);
        sum = times(sum, top, larger) + times(other_sum, other_top, larger);
        top = larger;
    }
    for (int64_t j = lane; j < n; j += 32) out[row * n + j] = expf(x[row * n + j] - top) / sum;
}

extern "C" void launch(const float* x,  // [m, n]
                       float* out,      // [m, n]
                       int64_t m, int64_t n, cudaStream_t stream = 0) {
    kernel<<<static_cast<unsigned>((m + 5) / 6), dim3(32, 6), 0, stream>>>(x, out, m, n);
}
"""
)
# The row is kept in shared memory, as much as it needs.
NORM = (
    INCLUDES
    + """\
__device__ float over_block(float value, float* of_warp) {
    for (int far = 16; far > 0; far >>= 1) value += __shfl_down_sync(0xffffffffu, value, far);
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = value;
    __syncthreads();
    value = of_warp[0] + of_warp[1] + of_warp[2];
    __syncthreads();
    return value;
}

__global__ void kernel(const float* x, float* out, int64_t n) {
    extern __shared__ float kept[];
    __shared__ float of_warp[3];
    const float* from = x + static_cast<int64_t>(blockIdx.x) * n;
    float sum = 0.0f, squares = 0.0f;
    for (int j = threadIdx.x; j < n; j += 96) sum += kept[j] = from[j];
    const float mean = over_block(sum, of_warp) / static_cast<float>(n);
    for (int j = threadIdx.x; j < n; j += 96) {
        kept[j] -= mean;
        squares += kept[j] * kept[j];
    }
    const float variance = over_block(squares, of_warp) / static_cast<float>(n);
    for (int j = threadIdx.x; j < n; j += 96) out[static_cast<int64_t>(blockIdx.x) * n + j] = kept[j] / sqrtf(variance + 1e-5f);
}

extern "C" void launch(const float* x,  // [m, n]
                       float* out,      // [m, n]
                       int64_t m, int64_t n, cudaStream_t stream = 0) {
    kernel<<<static_cast<unsigned>(m), 96, n * sizeof(float), stream>>>(x, out, n);
}
"""
)

BASES = {
    "l_sum": Base(SUM, cases="sums"),
    "l_spread": Base(SPREAD, cases="whole_array", function=lambda x: x.max() - x.min()),
    "l_transpose": Base(TRANSPOSE, cases="transpose"),
    "l_matmul": Base(MATMUL, cases="matmul"),
    "l_softmax": Base(SOFTMAX, cases="softmax"),
    "l_norm": Base(NORM, cases="layer_norm"),
}

WRONG = (
    # ---- one number of many
    Wrong("l_sum_odd_halves", "l_sum", "left out/race", ("const int kept = (left + 1) / 2;", "const int kept = left / 2;")),
    Wrong("l_sum_block_0_clears", "l_sum", "race/zero before/state", ("    clear<<<1, 1, 0, stream>>>(total);\n", ""), ("    float mine = 0.0f;", "    if (blockIdx.x == 0 && threadIdx.x == 0) *total = 0.0f;\n    float mine = 0.0f;")),
    Wrong("l_sum_25_of_24", "l_sum", "twice", ("k < 24 && begin + k < n", "k <= 24 && begin + k < n")),
    Wrong("l_spread_least_from_0", "l_spread", "start", ("make_float2(INFINITY, -INFINITY)", "make_float2(0.0f, -INFINITY)")),
    Wrong("l_spread_first_32", "l_spread", "left out", ("k < kBlocks; k += 32", "k < 32; k += 32")),
    # ---- transposes, products
    Wrong("l_t_odd_columns", "l_transpose", "unwritten/sides/refused | tail", ("const int64_t across = (cols + 1) / 2,", "const int64_t across = cols / 2,")),
    Wrong("l_t_column_unguarded", "l_transpose", "bounds/sides/numbers", ("row + r < rows && col + c < cols", "row + r < rows")),
    Wrong("l_t_diagonal_twice", "l_transpose", "sides/numbers/function", ("x[(row + r) * cols + col + c]", "x[(row + c) * cols + col + r]")),
    Wrong("l_p_no_memset", "l_matmul", "zero before", ("    cudaMemsetAsync(c, 0, static_cast<size_t>(m * n) * sizeof(float), stream);\n", "")),
    Wrong("l_p_share_down", "l_matmul", "left out", ("(k + kSlices - 1) / kSlices", "k < kSlices ? 1 : k / kSlices")),
    Wrong("l_p_plain", "l_matmul", "race", ("atomicAdd(&c[i], part);", "c[i] += part;")),
    # ---- softmax, layer norm
    Wrong("l_x_sums_as_they_are", "l_softmax", "left out/function/numbers", ("times(sum, top, larger) + times(other_sum, other_top, larger)", "sum + other_sum")),
    Wrong("l_x_idle_lanes", "l_softmax", "nan | infinity", ("return old_top == -INFINITY ? 0.0f : sum * expf(old_top - top);", "return sum * expf(old_top - top);")),
    Wrong("l_n_room_in_elements", "l_norm", "bounds", ("96, n * sizeof(float), stream", "96, n, stream")),
    Wrong("l_n_two_warps", "l_norm", "left out/function/numbers", ("of_warp[0] + of_warp[1] + of_warp[2]", "of_warp[0] + of_warp[1]")),
)  # fmt: skip

RIGHT = (
    Right("r_l_sum_of_256", "l_sum", ("kThreads = 160", "kThreads = 256")),
    Right("r_l_t_by_square", "l_transpose", ("row + r < rows && col + c < cols", "!(row + r >= rows || col + c >= cols)")),
    Right("r_l_p_two_slices", "l_matmul", ("kSlices = 4", "kSlices = 2")),
    Right("r_l_x_by_exp2", "l_softmax", ("expf(x[row * n + j] - top) / sum", "exp2f((x[row * n + j] - top) * 1.44269504f) / sum")),
    Right("r_l_n_inverse", "l_norm", ("kept[j] / sqrtf(variance + 1e-5f)", "kept[j] * (1.0f / sqrtf(variance + 1e-5f))")),
)  # fmt: skip
