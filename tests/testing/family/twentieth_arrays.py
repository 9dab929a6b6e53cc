"""Hold a twentieth family, of other operators: transposes, products, softmax and norms of rows.

Of the 72 wrong ones six are wrong by reasoning, as no run on the emulator shows them:

    xx_flip_int, xx_log_soft_int               from 2^31 elements on
    xx_gram_other_stream, xx_rms_no_stream     if the caller's stream is not the default one
    xx_gram_first_stores                       if another part comes before the first one
    xx_byte_sums_late_zero                     if another thread comes before the first one
"""

# ruff: noqa: E501 (a line of a kernel stands in one line)
from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from helpers.testing.kernel_cases import whole_numbers
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong

# Somebody who comes from OpenCL: work-items, a local buffer, few groups that walk down.
TURN = (
    HEADER
    + """\
#define get_local_id(d) ((d) == 0 ? (int)threadIdx.x : (int)threadIdx.y)
#define SIDE 16
#define PITCH (SIDE + 1)
#define GROUPS_DOWN 2

__global__ void turn(const float* __restrict__ in, float* __restrict__ out, int64_t height, int64_t width) {
    extern __shared__ float local[];  // SIDE rows of PITCH
    const int lx = get_local_id(0), ly = get_local_id(1);
    const int64_t tiles = (height + SIDE - 1) / SIDE;
    const int64_t x0 = (int64_t)blockIdx.x * SIDE;
    for (int64_t tile = blockIdx.y; tile < tiles; tile += gridDim.y) {
        const int64_t y0 = tile * SIDE;
        if (y0 + ly < height && x0 + lx < width) {
            local[ly * PITCH + lx] = in[(y0 + ly) * width + x0 + lx];
        }
        __syncthreads();  // the tile is full
        const int64_t row = x0 + ly, col = y0 + lx;
        if (row < width && col < height) out[row * height + col] = local[lx * PITCH + ly];
        __syncthreads();  // the tile may be filled again
    }
}

extern "C" void launch(const float* in,  // [height, width]
                       float* out,       // [width, height]
                       int64_t height, int64_t width, cudaStream_t stream = 0) {
    const int64_t tiles = (height + SIDE - 1) / SIDE;
    const dim3 groups((unsigned)((width + SIDE - 1) / SIDE), tiles < GROUPS_DOWN ? (unsigned)tiles : GROUPS_DOWN);
    const dim3 items(SIDE, SIDE);
    turn<<<groups, items, SIDE * PITCH * sizeof(float), stream>>>(in, out, height, width);
}
"""
)

# A C programmer: a batch of matrices of half, one number that is divided again and again.
FLIP = (
    HEADER
    + """\
#include <cuda_fp16.h>

typedef struct {
    int64_t batch, rows, cols;
} dims_t;

static __device__ int64_t source(int64_t i, dims_t d) {
    int64_t plane = d.rows * d.cols;
    int64_t inside = i % plane;
    int64_t r = inside / d.rows;  /* of the result */
    int64_t c = inside % d.rows;
    return i - inside + c * d.cols + r;
}

__global__ void flip(const half *x, half *out, dims_t d) {
    int64_t total = d.batch * d.rows * d.cols;
    int64_t step = (int64_t)gridDim.x * blockDim.x;
    int64_t i;
    for (i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < total; i += step)
        out[i] = x[source(i, d)];
}

extern "C" void launch(const half *x,  /* [batch, rows, cols] */
                       half *out,      /* [batch, cols, rows] */
                       int64_t batch, int64_t rows, int64_t cols, int block_size = 256, cudaStream_t stream = 0) {
    dims_t d = {batch, rows, cols};
    int64_t total = batch * rows * cols;
    int64_t blocks = (total + block_size - 1) / block_size;
    if (blocks > 24) blocks = 24;
    flip<<<(unsigned)blocks, block_size, 0, stream>>>(x, out, d);
}
"""
)

# A careful engineer: 64 x 64 results a block, 4 x 4 a thread, a's tile lies on its side.
PRODUCT = (
    HEADER
    + """\
constexpr int kSide = 64;
constexpr int kDeep = 8;
constexpr int kEach = 4;
constexpr int kThreads = (kSide / kEach) * (kSide / kEach);

__global__ void __launch_bounds__(kThreads)
    product(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int64_t m, int64_t n, int64_t k) {
    __shared__ float left[kDeep][kSide];
    __shared__ float right[kDeep][kSide];
    const int t = threadIdx.x;
    const int tx = t % (kSide / kEach), ty = t / (kSide / kEach);
    const int64_t tiles = (n + kSide - 1) / kSide;
    const int64_t row0 = blockIdx.x / tiles * kSide;
    const int64_t col0 = blockIdx.x % tiles * kSide;
    float acc[kEach][kEach] = {};
    for (int64_t k0 = 0; k0 < k; k0 += kDeep) {
        for (int e = t; e < kSide * kDeep; e += kThreads) {
            const int64_t ar = row0 + e / kDeep, ak = k0 + e % kDeep;
            left[e % kDeep][e / kDeep] = ar < m && ak < k ? a[ar * k + ak] : 0.0f;
            const int64_t bk = k0 + e / kSide, bc = col0 + e % kSide;
            right[e / kSide][e % kSide] = bk < k && bc < n ? b[bk * n + bc] : 0.0f;
        }
        __syncthreads();  // filled
        for (int p = 0; p < kDeep; ++p) {
            for (int i = 0; i < kEach; ++i) {
                for (int j = 0; j < kEach; ++j) {
                    acc[i][j] += left[p][ty * kEach + i] * right[p][tx * kEach + j];
                }
            }
        }
        __syncthreads();  // used up
    }
    for (int i = 0; i < kEach; ++i) {
        for (int j = 0; j < kEach; ++j) {
            const int64_t row = row0 + ty * kEach + i, col = col0 + tx * kEach + j;
            if (row < m && col < n) c[row * n + col] = acc[i][j];
        }
    }
}

extern "C" void launch(const float* a,  // [m, k]
                       const float* b,  // [k, n]
                       float* c,        // [m, n]
                       int64_t m, int64_t n, int64_t k, cudaStream_t stream = 0) {
    const int64_t blocks = ((m + kSide - 1) / kSide) * ((n + kSide - 1) / kSide);
    product<<<static_cast<unsigned>(blocks), kThreads, 0, stream>>>(a, b, c, m, n, k);
}
"""
)

# A beginner who wants a torch.nn.Linear: a thread an element, four products at a time.
LINEAR = (
    HEADER
    + """\
// out = x w^T + bias
__global__ void linear(const float* x, const float* w, const float* bias, float* out, int64_t m, int64_t n, int64_t k) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= m * n) return;
    int64_t row = i / n;
    int64_t col = i % n;
    const float* xs = x + row * k;
    const float* ws = w + col * k;
    float sum = bias[col];
    int64_t p = 0;
    for (; p + 4 <= k; p += 4) {
        sum += xs[p] * ws[p];
        sum += xs[p + 1] * ws[p + 1];
        sum += xs[p + 2] * ws[p + 2];
        sum += xs[p + 3] * ws[p + 3];
    }
    for (; p < k; p++) sum += xs[p] * ws[p];  // the rest
    out[i] = sum;
}

extern "C" void launch(const float* x,     // [m, k]
                       const float* w,     // [n, k]
                       const float* bias,  // [n]
                       float* out,         // [m, n]
                       int64_t m, int64_t n, int64_t k, int block_size = 128, cudaStream_t stream = 0) {
    int64_t blocks = (m * n + block_size - 1) / block_size;
    linear<<<blocks, block_size, 0, stream>>>(x, w, bias, out, m, n, k);
}
"""
)

# Somebody who comes from Numba: the product with a transposed, in parts that atomics add up.
GRAM = (
    HEADER
    + """\
constexpr int PARTS = 4;
constexpr int TPB_X = 32;
constexpr int TPB_Y = 8;

// out = a.T @ b; the grid's z takes a part of the rows of both
__global__ void gram(const float* a, const float* b, float* out, int64_t m, int64_t n, int64_t k) {
    const int64_t j = (int64_t)blockIdx.x * TPB_X + threadIdx.x;
    if (j >= n) return;
    const int64_t part = (k + PARTS - 1) / PARTS;
    const int64_t start = blockIdx.z * part;
    const int64_t stop = start + part < k ? start + part : k;
    for (int64_t i = (int64_t)blockIdx.y * TPB_Y + threadIdx.y; i < m; i += (int64_t)gridDim.y * TPB_Y) {
        float tmp = 0.0f;
        for (int64_t p = start; p < stop; ++p) tmp += a[p * m + i] * b[p * n + j];
        atomicAdd(&out[i * n + j], tmp);
    }
}

extern "C" void launch(const float* a,  // [k, m]
                       const float* b,  // [k, n]
                       float* out,      // [m, n]
                       int64_t m, int64_t n, int64_t k, cudaStream_t stream = 0) {
    const int64_t across = (n + TPB_X - 1) / TPB_X;
    int64_t down = (m + TPB_Y - 1) / TPB_Y;
    if (down > 65535) down = 65535;
    cudaMemsetAsync(out, 0, m * n * sizeof(float), stream);
    gram<<<dim3(across, down, PARTS), dim3(TPB_X, TPB_Y), 0, stream>>>(a, b, out, m, n, k);
}
"""
)

# A reader of blog posts: a warp a row, float4 where everything is aligned.
TIMES = (
    HEADER
    + """\
constexpr int WARPS = 4;

__device__ __forceinline__ float dot(float4 u, float4 v) {
    return u.x * v.x + u.y * v.y + u.z * v.z + u.w * v.w;
}

__global__ void times(const float* a, const float* x, float* y, int64_t m, int64_t n, bool wide) {
    const int lane = threadIdx.x & 31;
    const int64_t row = (int64_t)blockIdx.x * WARPS + threadIdx.x / 32;
    if (row >= m) return;
    const float* r = a + row * n;
    float sum = 0.0f;
    int64_t done = 0;
    if (wide) {
        const float4* r4 = reinterpret_cast<const float4*>(r);
        const float4* x4 = reinterpret_cast<const float4*>(x);
        const int64_t packs = n / 4;
        for (int64_t q = lane; q < packs; q += 32) sum += dot(r4[q], x4[q]);
        done = packs * 4;
    }
    for (int64_t j = done + lane; j < n; j += 32) sum += r[j] * x[j];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
    if (lane == 0) y[row] = sum;
}

extern "C" void launch(const float* a,  // [m, n]
                       const float* x,  // [n]
                       float* y,        // [m]
                       int64_t m, int64_t n, cudaStream_t stream = 0) {
    const bool a_fits = reinterpret_cast<uintptr_t>(a) % 16 == 0;
    const bool x_fits = reinterpret_cast<uintptr_t>(x) % 16 == 0;
    const bool wide = n % 4 == 0 && a_fits && x_fits;
    times<<<(m + WARPS - 1) / WARPS, 32 * WARPS, 0, stream>>>(a, x, y, m, n, wide);
}
"""
)

# Somebody who writes C++ for a living: a fold over the block that takes an operator.
SOFT = (
    HEADER
    + """\
struct Larger {
    __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};
struct Plus {
    __device__ float operator()(float a, float b) const { return a + b; }
};

// Over a block of any size; all of its threads get the result.
template <typename Op>
__device__ float fold(float* cells, float mine, Op op) {
    const int tid = threadIdx.x, all = blockDim.x;
    __syncthreads();  // the last result has been read
    cells[tid] = mine;
    __syncthreads();  // all cells are there
    for (int gap = 1; gap < all; gap *= 2) {
        if (tid % (2 * gap) == 0 && tid + gap < all) cells[tid] = op(cells[tid], cells[tid + gap]);
        __syncthreads();  // this level is done
    }
    return cells[0];
}

__global__ void soft(const float* x, float* out, int64_t n) {
    extern __shared__ float cells[];
    const int tid = threadIdx.x, nt = blockDim.x;
    const float* row = x + static_cast<int64_t>(blockIdx.x) * n;
    float* to = out + static_cast<int64_t>(blockIdx.x) * n;
    float top = -INFINITY;
    for (int64_t j = tid; j < n; j += nt) top = fmaxf(top, row[j]);
    top = fold(cells, top, Larger{});
    float sum = 0.0f;
    for (int64_t j = tid; j < n; j += nt) sum += expf(row[j] - top);
    sum = fold(cells, sum, Plus{});
    for (int64_t j = tid; j < n; j += nt) to[j] = expf(row[j] - top) / sum;
}

extern "C" void launch(const float* x,  // [m, n]
                       float* out,      // [m, n]
                       int64_t m, int64_t n, int block_size = 128, cudaStream_t stream = 0) {
    const size_t bytes = block_size * sizeof(float);
    soft<<<static_cast<unsigned>(m), block_size, bytes, stream>>>(x, out, n);
}
"""
)

# A veteran: log-softmax, a warp a row, few blocks that take every so many rows.
LOG_SOFT = (
    HEADER
    + """\
constexpr unsigned ALL = 0xffffffffu;
constexpr int MOST_BLOCKS = 6;

__device__ float warp_max(float v) {
    for (int d = 16; d >= 1; d /= 2) v = fmaxf(v, __shfl_xor_sync(ALL, v, d));
    return v;
}

__device__ float warp_sum(float v) {
    for (int d = 1; d < 32; d *= 2) v += __shfl_xor_sync(ALL, v, d);
    return v;
}

__global__ void log_soft(const float* x, float* out, int64_t rows, int64_t cols) {
    const int lane = threadIdx.x % 32;
    const int64_t first = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const int64_t warps = (int64_t)gridDim.x * (blockDim.x / 32);
    for (int64_t row = first; row < rows; row += warps) {
        const float* in = x + row * cols;
        float top = -INFINITY;
        for (int64_t c = lane; c < cols; c += 32) top = fmaxf(top, in[c]);
        top = warp_max(top);
        float sum = 0.0f;
        for (int64_t c = lane; c < cols; c += 32) sum += expf(in[c] - top);
        const float log_sum = logf(warp_sum(sum));
        for (int64_t c = lane; c < cols; c += 32) out[row * cols + c] = (in[c] - top) - log_sum;
    }
}

extern "C" void launch(const float* x,  // [rows, cols]
                       float* out,      // [rows, cols]
                       int64_t rows, int64_t cols, int block_size = 64, cudaStream_t stream = 0) {
    const int threads = (block_size + 31) / 32 * 32;  // whole warps
    const int64_t per_block = threads / 32;
    int64_t blocks = (rows + per_block - 1) / per_block;
    if (blocks > MOST_BLOCKS) blocks = MOST_BLOCKS;
    log_soft<<<(unsigned)blocks, threads, 0, stream>>>(x, out, rows, cols);
}
"""
)

# A reader of papers: mean and squares about it in one pass, and how two parts are merged.
NORM = (
    HEADER
    + """\
constexpr int T = 128;

struct Moments {
    float mean;
    float m2;  // the squares of the deviations
    int64_t count;
};

__device__ Moments merge(Moments a, Moments b) {
    const int64_t count = a.count + b.count;
    if (count == 0) return a;
    const float share = (float)b.count / (float)count;
    const float d = b.mean - a.mean;
    return Moments{a.mean + d * share, a.m2 + b.m2 + d * d * a.count * share, count};
}

__global__ void norm(const float* x, const float* weight, const float* bias, float* out, int64_t n, float eps) {
    __shared__ Moments part[T];
    const int t = threadIdx.x;
    const int64_t begin = (int64_t)blockIdx.x * n;
    Moments mine = {0.0f, 0.0f, 0};
    for (int64_t j = t; j < n; j += T) {
        const float v = x[begin + j];
        mine.count += 1;
        const float d = v - mine.mean;
        mine.mean += d / (float)mine.count;
        mine.m2 += d * (v - mine.mean);
    }
    part[t] = mine;
    __syncthreads();
    for (int s = T / 2; s > 0; s /= 2) {
        if (t < s) part[t] = merge(part[t], part[t + s]);
        __syncthreads();  // merged
    }
    const float mean = part[0].mean;
    const float inv = rsqrtf(part[0].m2 / n + eps);
    for (int64_t j = t; j < n; j += T) out[begin + j] = (x[begin + j] - mean) * inv * weight[j] + bias[j];
}

extern "C" void launch(const float* x,       // [m, n]
                       const float* weight,  // [n]
                       const float* bias,    // [n]
                       float* out,           // [m, n]
                       int64_t m, int64_t n, float eps = 1e-5f, cudaStream_t stream = 0) {
    norm<<<m, T, 0, stream>>>(x, weight, bias, out, n, eps);
}
"""
)

# A careful engineer who serves language models: RMS norm of half, in pairs where they fit.
RMS = (
    HEADER
    + """\
#include <cuda_fp16.h>

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;

__device__ float warp_sum(float v) {
    for (int d = 16; d > 0; d >>= 1) v += __shfl_xor_sync(0xffffffffu, v, d);
    return v;
}

__device__ float block_sum(float v) {
    __shared__ float of_warps[32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    v = warp_sum(v);
    if (lane == 0) of_warps[warp] = v;
    __syncthreads();
    return warp_sum(lane < kWarps ? of_warps[lane] : 0.0f);
}

__global__ void rms(const half* x, const half* w, half* out, int64_t n, float eps, bool pairs) {
    const int64_t begin = static_cast<int64_t>(blockIdx.x) * n;
    const half2* x2 = reinterpret_cast<const half2*>(x + begin);
    const half2* w2 = reinterpret_cast<const half2*>(w);
    half2* out2 = reinterpret_cast<half2*>(out + begin);
    const int64_t count = pairs ? n / 2 : n;
    float squares = 0.0f;
    for (int64_t j = threadIdx.x; j < count; j += kThreads) {
        if (pairs) {
            const float2 v = __half22float2(x2[j]);
            squares += v.x * v.x + v.y * v.y;
        } else {
            const float v = __half2float(x[begin + j]);
            squares += v * v;
        }
    }
    const float scale = rsqrtf(block_sum(squares) / n + eps);
    for (int64_t j = threadIdx.x; j < count; j += kThreads) {
        if (pairs) {
            const float2 v = __half22float2(x2[j]);
            const float2 g = __half22float2(w2[j]);
            out2[j] = __floats2half2_rn(v.x * scale * g.x, v.y * scale * g.y);
        } else {
            out[begin + j] = __float2half_rn(__half2float(x[begin + j]) * scale * __half2float(w[j]));
        }
    }
}

static bool fits(const void* p) { return reinterpret_cast<uintptr_t>(p) % sizeof(half2) == 0; }

extern "C" void launch(const half* x,  // [m, n]
                       const half* w,  // [n]
                       half* out,      // [m, n]
                       int64_t m, int64_t n, float eps = 1e-5f, cudaStream_t stream = 0) {
    const bool pairs = n % 2 == 0 && fits(x) && fits(w) && fits(out);
    rms<<<static_cast<unsigned>(m), kThreads, 0, stream>>>(x, w, out, n, eps, pairs);
}
"""
)

# A student: four rows a block, a row of threads for each, and one of them adds up.
ROW_SUMS = (
    HEADER
    + """\
#define ACROSS 32
#define ROWS 4

__global__ void row_sums(const float* x, float* sums, int64_t m, int64_t n) {
    __shared__ float cell[ROWS][ACROSS];
    int tx = threadIdx.x, ty = threadIdx.y;
    int64_t r = (int64_t)blockIdx.x * ROWS + ty;
    float s = 0.0f;
    if (r < m) {
        for (int64_t j = tx; j < n; j += ACROSS) s += x[r * n + j];
    }
    cell[ty][tx] = s;
    __syncthreads();
    if (tx == 0 && r < m) {
        float all = 0.0f;
        for (int k = 0; k < ACROSS; k++) all += cell[ty][k];
        sums[r] = all;
    }
}

extern "C" void launch(const float* x,  // [m, n]
                       float* sums,     // [m]
                       int64_t m, int64_t n, cudaStream_t stream = 0) {
    dim3 block(ACROSS, ROWS);
    row_sums<<<(m + ROWS - 1) / ROWS, block, 0, stream>>>(x, sums, m, n);
}
"""
)

# An engineer who knows PyTorch: a NaN in a row is its maximum.
ROW_MAX = (
    HEADER
    + """\
__device__ float larger(float a, float b) {
    return a != a || a > b ? a : b;  // a NaN of a by the first test, one of b by the second
}

__global__ void row_max(const float* x, float* top, int64_t m, int64_t n) {
    const int lane = threadIdx.x & 31;
    const int64_t r = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    if (r >= m) return;
    float best = -INFINITY;
    for (int64_t j = lane; j < n; j += 32) best = larger(best, x[r * n + j]);
    for (int d = 16; d; d >>= 1) best = larger(best, __shfl_down_sync(~0u, best, d));
    if (lane == 0) top[r] = best;
}

extern "C" void launch(const float* x,  // [m, n]
                       float* top,      // [m]
                       int64_t m, int64_t n, int block_size = 128, cudaStream_t stream = 0) {
    const int threads = (block_size + 31) / 32 * 32;
    const int64_t rows = threads / 32;
    row_max<<<(m + rows - 1) / rows, threads, 0, stream>>>(x, top, m, n);
}
"""
)

# Somebody who writes for microcontrollers: rows of bytes, a word at a time once words begin.
BYTE_SUMS = (
    HEADER
    + """\
// the sum of the four signed bytes of a word
__device__ int four(unsigned p) {
    return ((int)(p << 24) >> 24) + ((int)(p << 16) >> 24) + ((int)(p << 8) >> 24) + ((int)p >> 24);
}

__global__ void byte_sums(const int8_t* x, int64_t* sums, int64_t n) {
    __shared__ unsigned long long total;
    const int tid = threadIdx.x, nt = blockDim.x;
    const int8_t* row = x + (int64_t)blockIdx.x * n;
    if (tid == 0) total = 0;
    __syncthreads();  // the total is 0
    int64_t lead = (4 - (uintptr_t)row % 4) % 4;
    if (lead > n) lead = n;
    const int64_t words = (n - lead) / 4;
    const unsigned* word = (const unsigned*)(row + lead);
    int64_t s = 0;
    for (int64_t i = tid; i < lead; i += nt) s += row[i];
    for (int64_t i = tid; i < words; i += nt) s += four(word[i]);
    for (int64_t i = lead + 4 * words + tid; i < n; i += nt) s += row[i];
    atomicAdd(&total, (unsigned long long)s);
    __syncthreads();  // all have added
    if (tid == 0) sums[blockIdx.x] = (int64_t)total;
}

extern "C" void launch(const int8_t* x,  // [m, n]
                       int64_t* sums,    // [m]
                       int64_t m, int64_t n, int block_size = 64, cudaStream_t stream = 0) {
    byte_sums<<<m, block_size, 0, stream>>>(x, sums, n);
}
"""
)

SHAPES = (
    (1, 1),
    (1, 9),
    (6, 1),
    (3, 32),
    (4, 33),
    (34, 17),
    (20, 64),
    (7, 150),
    (2, 700),
    (90, 5),
)


def _draw(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def batches(launcher: Launcher) -> Iterator[Case]:
    """Transpose the matrices of a batch, with several block sizes."""
    shapes = ((1, 1, 1), (1, 1, 9), (1, 40, 7), (3, 5, 8), (2, 33, 33), (5, 1, 20), (4, 70, 90))
    for batch, rows, cols in shapes:
        for block_size in (256, 64, 96, 1024):
            x = whole_numbers(batch * rows, cols, seed=rows + cols).half()
            x = x.reshape(batch, rows, cols)
            yield Case(
                f"{batch} matrices of {rows} x {cols}, block_size = {block_size}",
                (x,),
                (x.double().transpose(1, 2).contiguous(),),
                {"block_size": block_size},
                dtypes=(torch.float16,),
            )


PRODUCTS = ((1, 1, 1), (1, 5, 9), (7, 1, 2), (3, 4, 33), (17, 18, 5), (40, 33, 20), (65, 3, 70))


def linear(launcher: Launcher) -> Iterator[Case]:
    """Multiply by a transposed matrix of quarters, and add a row of eighths."""
    for m, n, k in PRODUCTS:
        x = whole_numbers(m, k, seed=m + k, limit=8) / 2
        w = whole_numbers(n, k, seed=n + 3 * k, limit=8) / 4
        bias = whole_numbers(n, seed=n, limit=20) / 8
        right = x.double() @ w.double().T + bias.double()
        yield Case(
            f"m = {m}, n = {n}, k = {k}", (x, w, bias), (right,), dtypes=(torch.float32,)
        )


def gram(launcher: Launcher) -> Iterator[Case]:
    """Multiply a transposed matrix by another one, of whole numbers."""
    for m, n, k in PRODUCTS:
        a = whole_numbers(k, m, seed=m + k, limit=9)
        b = whole_numbers(k, n, seed=n + 3 * k, limit=9)
        right = a.double().T @ b.double()
        yield Case(f"m = {m}, n = {n}, k = {k}", (a, b), (right,), dtypes=(torch.float32,))


def times(launcher: Launcher) -> Iterator[Case]:
    """Multiply a matrix by a vector, of whole numbers."""
    for m, n in SHAPES:
        a = whole_numbers(m, n, seed=m + n, limit=9)
        x = whole_numbers(n, seed=n, limit=9)
        right = a.double() @ x.double()
        yield Case(f"m = {m}, n = {n}", (a, x), (right,), dtypes=(torch.float32,))


def log_softmax(launcher: Launcher) -> Iterator[Case]:
    """Take numbers near and far from each other, and from 0; several block sizes."""
    for m, n in SHAPES:
        for scale, shift in ((1.0, 0.0), (60.0, 0.0), (2.0, -1000.0), (2.0, 1000.0)):
            for block_size in (64, 96, 40):
                x = torch.randn(m, n, generator=_draw(m + n)) * scale + shift
                right = torch.log_softmax(x.double(), dim=1)
                yield Case(
                    f"{m} x {n}, about {shift} +- {scale}, block_size = {block_size}",
                    (x,),
                    (right,),
                    {"block_size": block_size},
                    ulp=8,
                    dtypes=(torch.float32,),
                    within=(2.0**-20 * (1 + right.abs()),),
                )


def norm(launcher: Launcher) -> Iterator[Case]:
    """Norm rows near 0, rows far from 0, and rows not far from the root of eps."""
    for m, n in SHAPES:
        for scale, shift in ((1.0, 0.0), (1.0, 256.0), (2.0**-10, 0.0)):
            x = (whole_numbers(m, n, seed=m + n, limit=4) + shift) * scale
            weight = 1 + torch.randint(6, (n,), generator=_draw(n)).float()
            bias = whole_numbers(n, seed=n, limit=4)
            eps = 2.0**-16
            d = x.double() - x.double().mean(dim=1, keepdim=True)
            root = torch.sqrt(d.square().mean(dim=1, keepdim=True) + eps)
            scaled = d / root * weight.double()
            # The mean is right to some units of the numbers themselves, and the sum may cancel.
            of_mean = x.double().abs().amax(dim=1, keepdim=True) / root * weight.double()
            within = 2.0**-19 * of_mean + 2.0**-19 * (scaled.abs() + bias.double().abs())
            yield Case(
                f"m = {m}, n = {n}, numbers about {shift * scale} times {scale}",
                (x, weight, bias),
                (scaled + bias.double(),),
                {"eps": eps},
                ulp=12,
                dtypes=(torch.float32,),
                within=(within,),
            )


def rms(launcher: Launcher) -> Iterator[Case]:
    """Norm rows of small and large halves, and very many rows."""
    for m, n in (*SHAPES, (66_000, 2)):
        for scale in (1.0, 2.0**-8, 100.0)[: 1 if m > 1000 else 3]:
            x = (whole_numbers(m, n, seed=m + n, limit=8) * scale).half()
            w = (1 + torch.randint(6, (n,), generator=_draw(n)) / 4).half()
            eps = 2.0**-16
            root = torch.sqrt(x.double().square().mean(dim=1, keepdim=True) + eps)
            right = x.double() / root * w.double()
            yield Case(
                f"m = {m:,}, n = {n}, numbers times {scale}",
                (x, w),
                (right,),
                {"eps": eps},
                ulp=2,
                dtypes=(torch.float16,),
            )


def row_sums(launcher: Launcher) -> Iterator[Case]:
    """Add up rows of whole numbers."""
    for m, n in SHAPES:
        x = whole_numbers(m, n, seed=m + n)
        yield Case(f"m = {m}, n = {n}", (x,), (x.double().sum(dim=1),), dtypes=(torch.float32,))


def row_max(launcher: Launcher) -> Iterator[Case]:
    """Find the largest numbers of rows: of any sign, negative, with NaN and infinities."""
    for m, n in SHAPES:
        x = whole_numbers(m, n, seed=m + n)
        odd = x.clone()
        odd[m // 2, n // 2], odd[0, -1] = float("nan"), float("-inf")
        both = x.clone()
        both[:, 0], both[:, -1] = float("inf"), float("-inf")
        kinds = (("", x), (", negative", x - 1000), (", a NaN", odd), (", infinities", both))
        for words, values in kinds:
            label = f"m = {m}, n = {n}{words}"
            yield Case(label, (values,), (values.amax(dim=1),), dtypes=(torch.float32,))


def byte_sums(launcher: Launcher) -> Iterator[Case]:
    """Add up rows of bytes: of all, and of the least and the largest one only."""
    for m, n in SHAPES:
        generator = torch.Generator().manual_seed(m + n)
        x = torch.randint(-128, 128, (m, n), dtype=torch.int8, generator=generator)
        for words, values in (("", x), (", -128", x * 0 - 128), (", 127", x * 0 + 127)):
            right = values.long().sum(dim=1)
            yield Case(f"m = {m}, n = {n}{words}", (values,), (right,), dtypes=(torch.int64,))


BASES = {
    "xx_turn": Base(TURN, cases="transpose"),
    "xx_flip": Base(FLIP, {"cases": batches}),
    "xx_product": Base(PRODUCT, cases="matmul"),
    "xx_linear": Base(LINEAR, {"cases": linear}),
    "xx_gram": Base(GRAM, {"cases": gram}),
    "xx_times": Base(TIMES, {"cases": times}),
    "xx_soft": Base(SOFT, cases="softmax"),
    "xx_log_soft": Base(LOG_SOFT, {"cases": log_softmax}),
    "xx_norm": Base(NORM, {"cases": norm}),
    "xx_rms": Base(RMS, {"cases": rms}),
    "xx_row_sums": Base(ROW_SUMS, {"cases": row_sums}),
    "xx_row_max": Base(ROW_MAX, {"cases": row_max}),
    "xx_byte_sums": Base(BYTE_SUMS, {"cases": byte_sums}),
}

WRONG = (
    # The next tile is filled while others still read this one.
    Wrong(
        "xx_turn_refilled",
        "xx_turn",
        "race | other element / sides",
        ("        __syncthreads();  // the tile may be filled again\n", ""),
    ),
    # The launch asks for a buffer without the padding.
    Wrong(
        "xx_turn_small_buffer",
        "xx_turn",
        "bounds | sides",
        ("SIDE * PITCH * sizeof(float)", "SIDE * SIDE * sizeof(float)"),
    ),
    # "Or" for "and" in the test before the result is written.
    Wrong(
        "xx_turn_or",
        "xx_turn",
        "bounds / tail | sides / other element / race / unwritten / start",
        ("row < width && col < height", "row < width || col < height"),
    ),
    # Only the threads inside of the matrix come to the barrier.
    Wrong(
        "xx_turn_barrier_inside",
        "xx_turn",
        "race | timeout / tail / sides",
        (
            "x0 + lx];\n        }\n        __syncthreads();  // the tile is full\n",
            "x0 + lx];\n            __syncthreads();\n        }\n",
        ),
    ),
    # Written with the padding, read without it.
    Wrong(
        "xx_turn_two_pitches",
        "xx_turn",
        "other element / function | unwritten / sides / start",
        ("local[lx * PITCH + ly]", "local[lx * SIDE + ly]"),
    ),
    # The few groups take one tile each, and do not walk on.
    Wrong(
        "xx_turn_no_walk",
        "xx_turn",
        "unwritten / grid / left out | tail / sides",
        (
            "for (int64_t tile = blockIdx.y; tile < tiles; tile += gridDim.y) {",
            "if (const int64_t tile = blockIdx.y; tile < tiles) {",
        ),
    ),
    # Threads right of the matrix leave, though the result has elements for them.
    Wrong(
        "xx_turn_leaves",
        "xx_turn",
        "unwritten / left out | tail / sides / race",
        (
            "        const int64_t y0 = tile * SIDE;\n",
            "        const int64_t y0 = tile * SIDE;\n        if (x0 + lx >= width) return;\n",
        ),
    ),
    # An int counts the elements of a tensor that may have more.
    Wrong(
        "xx_flip_int",
        "xx_flip",
        "narrow | bounds / left out / unwritten / timeout",
        ("    int64_t i;\n", "    int i;\n"),
    ),
    # A matrix is taken for a square one.
    Wrong(
        "xx_flip_square",
        "xx_flip",
        "sides | other element / bounds / function",
        ("plane = d.rows * d.cols", "plane = d.rows * d.rows"),
    ),
    # The result's rows are as long as those of x.
    Wrong(
        "xx_flip_by_cols",
        "xx_flip",
        "sides | other element / bounds / function / swapped",
        ("inside / d.rows;", "inside / d.cols;"),
        ("inside % d.rows;", "inside % d.cols;"),
    ),
    # Each matrix of the batch becomes the first one.
    Wrong(
        "xx_flip_first_only",
        "xx_flip",
        "other element / left out / sides | function / twice",
        ("return i - inside + c", "return c"),
    ),
    # Fewer elements than a block has threads: no block at all.
    Wrong(
        "xx_flip_no_block",
        "xx_flip",
        "refused / grid / unwritten | block size / sides / left out",
        ("(total + block_size - 1) / block_size;", "total / block_size;"),
    ),
    # Whatever the block size is, a block begins at a multiple of 256.
    Wrong(
        "xx_flip_256",
        "xx_flip",
        "block size | left out / unwritten / twice / race",
        (
            "(int64_t)blockIdx.x * blockDim.x + threadIdx.x;",
            "(int64_t)blockIdx.x * 256 + threadIdx.x;",
        ),
    ),
    # A static variable keeps the sizes of the first call.
    Wrong(
        "xx_flip_static",
        "xx_flip",
        "state | sides / bounds / unwritten / other element / left out",
        ("    dims_t d = {batch", "    static dims_t d = {batch"),
    ),
    # A thread's four columns are neighbours in the sums, and 16 apart where they are written.
    Wrong(
        "xx_product_columns_apart",
        "xx_product",
        "other element / swapped / function | sides / neighbour",
        ("col = col0 + tx * kEach + j;", "col = col0 + tx + j * (kSide / kEach);"),
    ),
    # a goes through half.
    Wrong(
        "xx_product_half",
        "xx_product",
        "precision / rounding / infinity / whole range | numbers / subnormal / nan",
        ("constexpr int kSide = 64;", "#include <cuda_fp16.h>\n\nconstexpr int kSide = 64;"),
        ("__shared__ float left", "__shared__ half left"),
        ("? a[ar * k + ak] : 0.0f;", "? __float2half(a[ar * k + ak]) : __float2half(0.0f);"),
        ("+= left[p][ty * kEach + i] *", "+= __half2float(left[p][ty * kEach + i]) *"),
    ),
    # Behind the end of k the last element is read again, where it must be 0.
    Wrong(
        "xx_product_clamped",
        "xx_product",
        "twice / tail | other element / sides / numbers / function",
        ("ak = k0 + e % kDeep;", "ak = min((long long)k0 + e % kDeep, (long long)k - 1);"),
        ("bk = k0 + e / kSide,", "bk = min((long long)k0 + e / kSide, (long long)k - 1),"),
    ),
    # A thread whose first element is inside writes all of its 16.
    Wrong(
        "xx_product_first_tested",
        "xx_product",
        "bounds / tail | race / sides / other element",
        ("if (row < m && col < n) c[", "if (row - i < m && col - j < n) c["),
    ),
    # A copied line of which one index was not changed.
    Wrong(
        "xx_linear_copied_line",
        "xx_linear",
        "other element / left out / function / twice | neighbour / numbers / sides",
        ("xs[p + 3] * ws[p + 3]", "xs[p + 3] * ws[p + 2]"),
    ),
    # The bias of the row is added.
    Wrong(
        "xx_linear_bias_of_row",
        "xx_linear",
        "sides / bounds / other element | function / swapped",
        ("bias[col]", "bias[row]"),
    ),
    # The sum is an integer.
    Wrong(
        "xx_linear_int",
        "xx_linear",
        "rounding / precision / whole range | numbers / nan / infinity / narrow",
        ("float sum = bias", "int sum = bias"),
    ),
    # ">" for ">=": one thread too many.
    Wrong(
        "xx_linear_one_more",
        "xx_linear",
        "bounds | tail / block size",
        ("if (i >= m * n) return;", "if (i > m * n) return;"),
    ),
    # As many bytes are set to 0 as the result has elements.
    Wrong(
        "xx_gram_bytes",
        "xx_gram",
        "zero before / state / start | twice / left out / unwritten / numbers",
        ("m * n * sizeof(float), stream", "m * n, stream"),
    ),
    # Parts are rounded down, and the last rows belong to none.
    Wrong(
        "xx_gram_parts_down",
        "xx_gram",
        "left out / tail | sides / numbers / copy",
        ("part = (k + PARTS - 1) / PARTS;", "part = k / PARTS;"),
    ),
    # The last part ends behind the matrices.
    Wrong(
        "xx_gram_past_k",
        "xx_gram",
        "bounds / tail | sides",
        ("stop = start + part < k ? start + part : k;", "stop = start + part;"),
    ),
    # The result is set to 0 in another stream.
    Wrong(
        "xx_gram_other_stream",
        "xx_gram",
        "stream | zero before / race / state / start",
        (
            "cudaMemsetAsync(out, 0, m * n * sizeof(float), stream);",
            "cudaMemsetAsync(out, 0, m * n * sizeof(float));",
        ),
    ),
    # The first part is stored and the others are added, in whatever order they come.
    Wrong(
        "xx_gram_first_stores",
        "xx_gram",
        "race / zero before | state / start / left out / twice",
        (
            "        atomicAdd(&out[i * n + j], tmp);\n",
            "        if (blockIdx.z == 0) {\n            out[i * n + j] = tmp;\n        } else {\n            atomicAdd(&out[i * n + j], tmp);\n        }\n",
        ),
        ("    cudaMemsetAsync(out, 0, m * n * sizeof(float), stream);\n", ""),
    ),
    # Each row begins where the one before ends, which need not be a multiple of 16 bytes.
    Wrong(
        "xx_times_any_length",
        "xx_times",
        "alignment | sides",
        ("wide = n % 4 == 0 && a_fits", "wide = a_fits"),
    ),
    # Lanes without an element leave before the shuffles that name them.
    Wrong(
        "xx_times_lanes_leave",
        "xx_times",
        "race | sides / left out / start",
        ("if (row >= m) return;", "if (row >= m || lane >= n) return;"),
    ),
    # One thread of the block writes, for four rows.
    Wrong(
        "xx_times_first_warp",
        "xx_times",
        "unwritten / left out | sides / other element",
        ("if (lane == 0) y[row]", "if (threadIdx.x == 0) y[row]"),
    ),
    # The rest begins at the number of packs, not at that of elements.
    Wrong(
        "xx_times_packs_done",
        "xx_times",
        "twice | function / numbers / alignment / sides / tail / other element",
        ("done = packs * 4;", "done = packs;"),
    ),
    # The cells of the maximum are overwritten while threads still read it.
    Wrong(
        "xx_soft_cells_reused",
        "xx_soft",
        "race | other element / sides",
        ("    __syncthreads();  // the last result has been read\n", ""),
    ),
    # A partner is taken to exist, as in blocks of a power of two.
    Wrong(
        "xx_soft_powers_only",
        "xx_soft",
        "bounds / block size | race / start / unwritten",
        (" == 0 && tid + gap < all)", " == 0)"),
    ),
    # The maximum is not subtracted.
    Wrong(
        "xx_soft_no_maximum",
        "xx_soft",
        "infinity / nan / numbers | function / whole range / subnormal / precision / left out",
        ("sum += expf(row[j] - top);", "sum += expf(row[j]);"),
        ("to[j] = expf(row[j] - top) /", "to[j] = expf(row[j]) /"),
    ),
    # The largest of the absolute values is subtracted.
    Wrong(
        "xx_soft_absolute",
        "xx_soft",
        "numbers / nan / function | subnormal / precision / infinity",
        ("top = fmaxf(top, row[j]);", "top = fmaxf(top, fabsf(row[j]));"),
    ),
    # Never more than 65,535 blocks, and each takes one row.
    Wrong(
        "xx_soft_65535",
        "xx_soft",
        "grid / unwritten / left out | sides / tail",
        (
            "static_cast<unsigned>(m), block_size",
            "m < 65535 ? static_cast<unsigned>(m) : 65535u, block_size",
        ),
    ),
    # The last columns are written only if there is one for each thread.
    Wrong(
        "xx_soft_whole_steps",
        "xx_soft",
        "tail / unwritten / left out | block size / sides",
        ("j < n; j += nt) to[j]", "j < n / nt * nt; j += nt) to[j]"),
    ),
    # Blocks need not be whole warps.
    Wrong(
        "xx_log_soft_part_of_warp",
        "xx_log_soft",
        "race / block size | left out / other element / unwritten / twice / start",
        (
            "threads = (block_size + 31) / 32 * 32;",
            "threads = block_size < 32 ? 32 : block_size;",
        ),
    ),
    # The logarithm to base 2.
    Wrong(
        "xx_log_soft_base_two",
        "xx_log_soft",
        "function | numbers / precision",
        ("logf(warp_sum(sum))", "log2f(warp_sum(sum))"),
    ),
    # The maximum is subtracted for the sum, and not for the result.
    Wrong(
        "xx_log_soft_top_kept",
        "xx_log_soft",
        "function / left out | numbers",
        ("(in[c] - top) - log_sum", "in[c] - log_sum"),
    ),
    # The logarithm of a softmax, which may be 0.
    Wrong(
        "xx_log_soft_of_softmax",
        "xx_log_soft",
        "infinity / numbers / subnormal / precision | whole range / function",
        ("(in[c] - top) - log_sum", "logf(expf(in[c] - top) / expf(log_sum))"),
    ),
    # The exchange between the halves of a warp is missing.
    Wrong(
        "xx_log_soft_half_warp",
        "xx_log_soft",
        "left out | numbers / function / sides / other element",
        ("for (int d = 1; d < 32; d *= 2)", "for (int d = 1; d < 16; d *= 2)"),
    ),
    # A warp's next row begins with the sum of its last one.
    Wrong(
        "xx_log_soft_old_sum",
        "xx_log_soft",
        "start / zero before / other element | numbers / sides / grid / twice / function",
        (
            "    for (int64_t row = first; row < rows; row += warps) {\n",
            "    float sum = 0.0f;\n    for (int64_t row = first; row < rows; row += warps) {\n",
        ),
        ("        float sum = 0.0f;\n", ""),
    ),
    # The product of row and length is an int.
    Wrong(
        "xx_log_soft_int",
        "xx_log_soft",
        "narrow | bounds",
        ("in = x + row * cols;", "in = x + int(row) * int(cols);"),
    ),
    # Welford with the old mean in both places.
    Wrong(
        "xx_norm_old_mean",
        "xx_norm",
        "function | numbers / precision / sides",
        ("mine.m2 += d * (v - mine.mean);", "mine.m2 += d * d;"),
    ),
    # Two parts are merged as if their means were the same.
    Wrong(
        "xx_norm_between_left_out",
        "xx_norm",
        "function / left out | numbers / sides",
        ("a.m2 + b.m2 + d * d * a.count * share, count", "a.m2 + b.m2, count"),
    ),
    # The mean of two means, however many numbers each is of.
    Wrong(
        "xx_norm_half_way",
        "xx_norm",
        "function / sides / numbers | tail / other element / left out",
        ("a.mean + d * share, a", "a.mean + d * 0.5f, a"),
    ),
    # The mean of the squares less the square of the mean.
    Wrong(
        "xx_norm_difference",
        "xx_norm",
        "precision / numbers | rounding / nan / function",
        ("mine.m2 += d * (v - mine.mean);", "mine.m2 += v * v;"),
        ("a.m2 + b.m2 + d * d * a.count * share, count", "a.m2 + b.m2, count"),
        ("rsqrtf(part[0].m2 / n + eps)", "rsqrtf(part[0].m2 / n - mean * mean + eps)"),
    ),
    # The bias is multiplied by the weight.
    Wrong(
        "xx_norm_bias_first",
        "xx_norm",
        "function / swapped | numbers / twice",
        (
            "(x[begin + j] - mean) * inv * weight[j] + bias[j];",
            "((x[begin + j] - mean) * inv + bias[j]) * weight[j];",
        ),
    ),
    # The caller's epsilon is not used.
    Wrong(
        "xx_norm_own_eps",
        "xx_norm",
        "left out / function / numbers | copy / precision",
        ("rsqrtf(part[0].m2 / n + eps)", "rsqrtf(part[0].m2 / n + 1e-5f)"),
    ),
    # A barrier of the warp, where the partner is in another one.
    Wrong(
        "xx_norm_syncwarp",
        "xx_norm",
        "race | left out / sides",
        ("        __syncthreads();  // merged\n", "        __syncwarp();\n"),
    ),
    # The squares are halves, and end at 65,504.
    Wrong(
        "xx_rms_half_squares",
        "xx_rms",
        "infinity / precision / whole range / rounding / subnormal | numbers / sides / function",
        (
            "            squares += v.x * v.x + v.y * v.y;\n",
            "            const half2 s = __float22half2_rn(v);\n            const float2 q = __half22float2(__hmul2(s, s));\n            squares += q.x + q.y;\n",
        ),
    ),
    # The address of the weights is not looked at.
    Wrong(
        "xx_rms_weights_anywhere",
        "xx_rms",
        "alignment",
        (" && fits(w)", ""),
    ),
    # 32 sums are added up, of which 8 were written.
    Wrong(
        "xx_rms_all_lanes",
        "xx_rms",
        "start / unwritten | numbers / nan / infinity / zero before / state",
        ("lane < kWarps ? of_warps[lane] : 0.0f", "of_warps[lane]"),
    ),
    # The weights of another model, which are stored less 1.
    Wrong(
        "xx_rms_one_more",
        "xx_rms",
        "function | numbers / sides",
        (
            "v.x * scale * g.x, v.y * scale * g.y",
            "v.x * scale * (1 + g.x), v.y * scale * (1 + g.y)",
        ),
        ("* scale * __half2float(w[j])", "* scale * (1 + __half2float(w[j]))"),
    ),
    # The kernel does not run in the caller's stream.
    Wrong(
        "xx_rms_no_stream",
        "xx_rms",
        "stream | race",
        ("kThreads, 0, stream>>>", "kThreads>>>"),
    ),
    # The grid's y has 65,535 blocks at most.
    Wrong(
        "xx_rms_grid_y",
        "xx_rms",
        "grid / refused | unwritten / sides",
        ("(blockIdx.x) * n", "(blockIdx.y) * n"),
        ("<<<static_cast<unsigned>(m), ", "<<<dim3(1, static_cast<unsigned>(m)), "),
    ),
    # The second of a pair has the weight of the first.
    Wrong(
        "xx_rms_same_weight",
        "xx_rms",
        "other element / neighbour / left out | function / twice / numbers / sides / alignment",
        ("v.y * scale * g.y", "v.y * scale * g.x"),
    ),
    # One row of cells for the four rows.
    Wrong(
        "xx_row_sums_one_row",
        "xx_row_sums",
        "race / other element | left out / sides / twice",
        ("cell[ROWS][ACROSS]", "cell[ACROSS]"),
        ("cell[ty][tx] = s;", "cell[tx] = s;"),
        ("+= cell[ty][k];", "+= cell[k];"),
    ),
    # "<=" for "<": a cell of the next row is added.
    Wrong(
        "xx_row_sums_one_more",
        "xx_row_sums",
        "bounds / other element | sides / numbers / twice / function",
        ("k < ACROSS; k++", "k <= ACROSS; k++"),
    ),
    # Two columns at a time, though the last may be alone.
    Wrong(
        "xx_row_sums_two_at_once",
        "xx_row_sums",
        "bounds / other element / tail | sides / twice / neighbour",
        (
            "j = tx; j < n; j += ACROSS) s += x[r * n + j];",
            "j = 2 * tx; j < n; j += 2 * ACROSS) s += x[r * n + j] + x[r * n + j + 1];",
        ),
    ),
    # Blocks for a thread a row, where a row takes 32.
    Wrong(
        "xx_row_sums_thread_a_row",
        "xx_row_sums",
        "grid / unwritten / left out | sides / tail",
        ("<<<(m + ROWS - 1) / ROWS,", "<<<(m + ACROSS * ROWS - 1) / (ACROSS * ROWS),"),
    ),
    # fmaxf passes over a NaN.
    Wrong(
        "xx_row_max_fmaxf",
        "xx_row_max",
        "nan",
        ("return a != a || a > b ? a : b;", "return fmaxf(a, b);"),
    ),
    # A sum shows whether one of two is a NaN, but also that of two infinities is none.
    Wrong(
        "xx_row_max_nan_of_sum",
        "xx_row_max",
        "infinity / nan | start / numbers",
        ("return a != a || a > b ? a : b;", "return isnan(a + b) ? a + b : fmaxf(a, b);"),
    ),
    # Each row begins with the first element of the first row.
    Wrong(
        "xx_row_max_first_of_all",
        "xx_row_max",
        "start / other element | numbers / nan",
        ("float best = -INFINITY;", "float best = x[0];"),
    ),
    # Bits are compared as integers, among which negative numbers have the other order.
    Wrong(
        "xx_row_max_as_int",
        "xx_row_max",
        "numbers / function / start | nan / infinity / sign of zero",
        ("a != a || a > b ?", "__float_as_int(a) > __float_as_int(b) ?"),
    ),
    # The shuffles stay in each half of the warp.
    Wrong(
        "xx_row_max_half_warp",
        "xx_row_max",
        "left out | numbers / sides / tail / nan / other element",
        ("__shfl_down_sync(~0u, best, d)", "__shfl_down_sync(~0u, best, d, 16)"),
    ),
    # Bytes without a sign.
    Wrong(
        "xx_byte_sums_unsigned",
        "xx_byte_sums",
        "numbers / whole range / function | sides / alignment",
        (
            "return ((int)(p << 24) >> 24) + ((int)(p << 16) >> 24) + ((int)(p << 8) >> 24) + ((int)p >> 24);",
            "return (p & 0xff) + (p >> 8 & 0xff) + (p >> 16 & 0xff) + (p >> 24);",
        ),
    ),
    # Shared memory is taken to begin with 0.
    Wrong(
        "xx_byte_sums_no_zero",
        "xx_byte_sums",
        "start / zero before / state | unwritten / numbers",
        ("    if (tid == 0) total = 0;\n", ""),
    ),
    # The first thread may set the total to 0 after others have added to it.
    Wrong(
        "xx_byte_sums_late_zero",
        "xx_byte_sums",
        "race | start / zero before / left out",
        ("    __syncthreads();  // the total is 0\n", ""),
    ),
    # Every row is taken to begin with a whole word.
    Wrong(
        "xx_byte_sums_no_lead",
        "xx_byte_sums",
        "alignment | sides",
        ("lead = (4 - (uintptr_t)row % 4) % 4;", "lead = 0;"),
    ),
    # The sum has the type of the elements.
    Wrong(
        "xx_byte_sums_of_bytes",
        "xx_byte_sums",
        "whole range / narrow / infinity | numbers / sides",
        ("    int64_t s = 0;\n", "    int8_t s = 0;\n"),
    ),
)

RIGHT = (
    # No padding: the columns of a tile are exchanged, each row in another way.
    Right(
        "xx_turn_exclusive_or",
        "xx_turn",
        ("local[ly * PITCH + lx]", "local[ly * SIDE + (lx ^ ly)]"),
        ("local[lx * PITCH + ly]", "local[lx * SIDE + (ly ^ lx)]"),
    ),
    # The tile is turned when it is filled, and not when it is read.
    Right(
        "xx_turn_on_the_way_in",
        "xx_turn",
        ("local[ly * PITCH + lx]", "local[lx * PITCH + ly]"),
        ("col] = local[lx * PITCH + ly]", "col] = local[ly * PITCH + lx]"),
    ),
    # From the last element to the first.
    Right(
        "xx_flip_backwards",
        "xx_flip",
        (
            "for (i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < total; i += step)",
            "for (i = total - 1 - ((int64_t)blockIdx.x * blockDim.x + threadIdx.x); i >= 0; i -= step)",
        ),
    ),
    # Halves move as numbers of 16 bits.
    Right(
        "xx_flip_bits",
        "xx_flip",
        (
            "out[i] = x[source(i, d)];",
            "((unsigned short *)out)[i] = ((const unsigned short *)x)[source(i, d)];",
        ),
    ),
    # Two tiles in turn, so that one barrier is enough.
    Right(
        "xx_product_two_tiles",
        "xx_product",
        ("float left[kDeep][kSide];", "float lefts[2][kDeep][kSide];"),
        ("float right[kDeep][kSide];", "float rights[2][kDeep][kSide];"),
        (
            "k0 += kDeep) {\n",
            "k0 += kDeep) {\n        auto& left = lefts[k0 / kDeep % 2];\n        auto& right = rights[k0 / kDeep % 2];\n",
        ),
        ("        __syncthreads();  // used up\n", ""),
    ),
    # Tiles that are seven deep.
    Right(
        "xx_product_seven_deep",
        "xx_product",
        ("constexpr int kDeep = 8;", "constexpr int kDeep = 7;"),
    ),
    # A switch that falls through takes the rest.
    Right(
        "xx_linear_falls_through",
        "xx_linear",
        (
            "    for (; p < k; p++) sum += xs[p] * ws[p];  // the rest\n",
            "    switch (k - p) {\n        case 3: sum += xs[p + 2] * ws[p + 2];\n        case 2: sum += xs[p + 1] * ws[p + 1];\n        case 1: sum += xs[p] * ws[p];\n    }\n",
        ),
    ),
    # More parts than rows, some of which are empty.
    Right(
        "xx_gram_eleven_parts",
        "xx_gram",
        ("constexpr int PARTS = 4;", "constexpr int PARTS = 11;"),
    ),
    # Every fourth row belongs to a part.
    Right(
        "xx_gram_every_fourth",
        "xx_gram",
        (
            "for (int64_t p = start; p < stop; ++p)",
            "for (int64_t p = blockIdx.z; p < k; p += PARTS)",
        ),
    ),
    # Each row decides whether it is aligned.
    Right(
        "xx_times_row_decides",
        "xx_times",
        ("    if (wide) {\n", "    if ((((uintptr_t)r | (uintptr_t)x) & 15) == 0) {\n"),
    ),
    # The exponentials wait in the result until the sum is known.
    Right(
        "xx_soft_kept",
        "xx_soft",
        ("sum += expf(row[j] - top);", "sum += to[j] = expf(row[j] - top);"),
        ("to[j] = expf(row[j] - top) / sum;", "to[j] /= sum;"),
    ),
    # The last warp takes the first row.
    Right(
        "xx_log_soft_upwards",
        "xx_log_soft",
        (
            "for (int64_t row = first; row < rows; row += warps) {",
            "for (int64_t row = rows - 1 - first; row >= 0; row -= warps) {",
        ),
    ),
    # A sum of double.
    Right(
        "xx_log_soft_double",
        "xx_log_soft",
        ("__device__ float warp_sum(float v)", "__device__ double warp_sum(double v)"),
        ("        float sum = 0.0f;\n", "        double sum = 0.0;\n"),
        ("logf(warp_sum(sum))", "(float)log(warp_sum(sum))"),
    ),
    # The first thread merges all parts, one after the other.
    Right(
        "xx_norm_one_merges",
        "xx_norm",
        (
            "    for (int s = T / 2; s > 0; s /= 2) {\n        if (t < s) part[t] = merge(part[t], part[t + s]);\n        __syncthreads();  // merged\n    }\n",
            "    if (t == 0) {\n        for (int s = 1; s < T; s++) part[0] = merge(part[0], part[s]);\n    }\n    __syncthreads();\n",
        ),
    ),
    # Blocks of thirteen warps.
    Right("xx_rms_thirteen_warps", "xx_rms", ("kThreads = 256;", "kThreads = 13 * 32;")),
    # The thread on the diagonal adds up.
    Right(
        "xx_row_sums_diagonal",
        "xx_row_sums",
        ("if (tx == 0 && r < m)", "if (tx == ty && r < m)"),
    ),
    # Integers of the same order, which one instruction compares in the whole warp.
    Right(
        "xx_row_max_reduce",
        "xx_row_max",
        (
            "    for (int d = 16; d; d >>= 1) best = larger(best, __shfl_down_sync(~0u, best, d));\n",
            "    const int bits = __float_as_int(best);\n    const int key = best != best ? 0x7fffffff : bits ^ (bits >> 31 & 0x7fffffff);\n    const int most = __reduce_max_sync(~0u, key);\n    best = __int_as_float(most ^ (most >> 31 & 0x7fffffff));\n",
        ),
    ),
    # Bytes that are moved up by 128 have no sign, and are added two at a time.
    Right(
        "xx_byte_sums_moved",
        "xx_byte_sums",
        (
            "return ((int)(p << 24) >> 24) + ((int)(p << 16) >> 24) + ((int)(p << 8) >> 24) + ((int)p >> 24);",
            "p ^= 0x80808080u;\n    const unsigned two = (p & 0x00ff00ffu) + (p >> 8 & 0x00ff00ffu);\n    return (int)((two & 0xffffu) + (two >> 16)) - 512;",
        ),
    ),
)
