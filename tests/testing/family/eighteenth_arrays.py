"""Hold an eighteenth family, in several hands: rows, columns, windows, tables and products."""

# ruff: noqa: E501 (a line of a kernel stands in one line)
from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from helpers.testing.kernel_cases import whole_numbers
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong

# A macro writer: the log of a sum of exponentials, a block for each row.
LOGSUMEXP = (
    HEADER
    + """\
#define THREADS 128
#define FOR_ROW(c) for (int64_t c = threadIdx.x; c < cols; c += THREADS)
#define FOLD(buf, op)                                         \\
    for (int w = THREADS / 2; w > 0; w >>= 1) {               \\
        __syncthreads();                                      \\
        if (threadIdx.x < w) buf[threadIdx.x] = op(buf[threadIdx.x], buf[threadIdx.x + w]); \\
    }                                                         \\
    __syncthreads()
#define ADD(a, b) ((a) + (b))

__global__ void logsumexp(const float* x, float* out, int64_t cols) {
    __shared__ float buf[THREADS];
    const float* row = x + blockIdx.x * cols;
    float most = -INFINITY;
    FOR_ROW(c) most = fmaxf(most, row[c]);
    buf[threadIdx.x] = most;
    FOLD(buf, fmaxf);
    most = buf[0];
    __syncthreads();
    float sum = 0.0f;
    FOR_ROW(c) sum += expf(row[c] - most);
    buf[threadIdx.x] = sum;
    FOLD(buf, ADD);
    if (threadIdx.x == 0) out[blockIdx.x] = most + logf(buf[0]);
}

extern "C" void launch(const float* x,  // [rows, cols]
                       float* out,      // [rows]
                       int64_t rows, int64_t cols, cudaStream_t stream = 0) {
    logsumexp<<<rows, THREADS, 0, stream>>>(x, out, cols);
}
"""
)

# An expert in warps: the running maximum of each row, 32 columns at a time.
CUMMAX = (
    HEADER
    + """\
constexpr unsigned kFull = 0xffffffffu;

template <typename T>
__device__ T larger(T a, T b) {
    return a < b ? b : a;
}

__global__ void cummax(const float* __restrict__ x, float* __restrict__ y, int64_t rows, int64_t cols) {
    const int lane = threadIdx.x & 31;
    const int64_t row = blockIdx.x * int64_t(blockDim.x >> 5) + (threadIdx.x >> 5);
    if (row >= rows) return;
    float carry = -INFINITY;
    for (int64_t base = 0; base < cols; base += 32) {
        const int64_t c = base + lane;
        float v = c < cols ? x[row * cols + c] : -INFINITY;
#pragma unroll
        for (int d = 1; d < 32; d *= 2) {
            const float left = __shfl_up_sync(kFull, v, d);
            if (lane >= d) v = larger(v, left);
        }
        v = larger(v, carry);
        if (c < cols) y[row * cols + c] = v;
        carry = __shfl_sync(kFull, v, 31);
    }
}

extern "C" void launch(const float* x,  // [rows, cols]
                       float* y,        // [rows, cols]
                       int64_t rows, int64_t cols, cudaStream_t stream = 0) {
    constexpr int warps = 4;
    cummax<<<(rows + warps - 1) / warps, 32 * warps, 0, stream>>>(x, y, rows, cols);
}
"""
)

# A beginner: the sums of columns, 50 rows for each thread, then an atomic addition.
COLUMNS = (
    HEADER
    + """\
#define ROWS 50

__global__ void column_sums(const float* x, float* total, int64_t m, int64_t n) {
    int64_t c = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    int64_t first = (int64_t)blockIdx.y * ROWS;
    int64_t last = first + ROWS;
    if (last > m) last = m;
    if (c >= n) return;
    float sum = 0;
    for (int64_t r = first; r < last; r++) {
        sum = sum + x[r * n + c];
    }
    atomicAdd(&total[c], sum);
}

extern "C" void launch(const float* x,  // [m, n]
                       float* total,    // [n]
                       int64_t m, int64_t n, cudaStream_t stream = 0) {
    cudaMemsetAsync(total, 0, n * sizeof(float), stream);
    dim3 grid((n + 63) / 64, (m + ROWS - 1) / ROWS);
    column_sums<<<grid, 64, 0, stream>>>(x, total, m, n);
}
"""
)

# A signal processor: the outer product of 16-bit samples, in 32 bits.
OUTER = (
    HEADER
    + """\
__global__ void outer(const int16_t* u, const int16_t* v, int32_t* out, int64_t m, int64_t n)
{
    int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t k = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; k < m * n; k += step)
    {
        int64_t r = k / n;
        int64_t c = k % n;
        int32_t product = u[r] * v[c];
        out[k] = product;
    }
}

extern "C" void launch(const int16_t* u,  // [m]
                       const int16_t* v,  // [n]
                       int32_t* out,      // [m, n]
                       int64_t m, int64_t n, cudaStream_t stream = 0)
{
    int64_t blocks = (m * n + 255) / 256;
    outer<<<blocks < 32 ? blocks : 32, 256, 0, stream>>>(u, v, out, m, n);
}
"""
)

# With cooperative groups: y = L x for a lower triangle, a tile of 32 for each row.
TRIANGLE = (
    HEADER
    + """\
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void trmv(const float* L, const float* x, float* y, int64_t n) {
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    const int64_t row = blockIdx.x * (int64_t)tile.meta_group_size() + tile.meta_group_rank();
    if (row >= n) return;
    float sum = 0.0f;
    for (int64_t j = tile.thread_rank(); j <= row; j += tile.size()) sum += L[row * n + j] * x[j];
    for (int d = tile.size() / 2; d > 0; d /= 2) sum += tile.shfl_down(sum, d);
    if (tile.thread_rank() == 0) y[row] = sum;
}

extern "C" void launch(const float* L,  // [n, n]
                       const float* x,  // [n]
                       float* y,        // [n]
                       int64_t n, cudaStream_t stream = 0) {
    trmv<<<(n + 3) / 4, 128, 0, stream>>>(L, x, y, n);
}
"""
)

# A C programmer: means of up to three whole numbers around each second one.
POOL = (
    HEADER
    + """\
__global__ void avg_pool(const int32_t *in, float *out, int64_t c, int64_t n, int64_t k)
{
    int64_t o = (int64_t) blockIdx.x * blockDim.x + threadIdx.x;
    int64_t channel, left, right, i;
    int64_t sum = 0;

    if (o >= c * k)
        return;
    channel = o / k;
    left = 2 * (o % k) - 1;
    right = left + 3;
    if (left < 0)
        left = 0;
    if (right > n)
        right = n;
    for (i = left; i < right; i++)
        sum += in[channel * n + i];
    out[o] = (float) sum / (right - left);
}

extern "C" void launch(const int32_t *in,  // [c, n]
                       float *out,         // [c, k]
                       int64_t c, int64_t n, int64_t k, cudaStream_t stream = 0)
{
    avg_pool<<<(c * k + 127) / 128, 128, 0, stream>>>(in, out, c, n, k);
}
"""
)

# Ported from a blog: a dilated second difference through shared memory with a halo.
STENCIL = (
    HEADER
    + """\
constexpr int DILATION = 3;

__global__ void second_difference(const float* x, float* y, int64_t n) {
    extern __shared__ float tile[];  // blockDim.x + 2 * DILATION
    const int64_t start = (int64_t)blockIdx.x * blockDim.x - DILATION;
    for (int k = threadIdx.x; k < blockDim.x + 2 * DILATION; k += blockDim.x) {
        const int64_t i = start + k;
        tile[k] = i >= 0 && i < n ? x[i] : 0.0f;
    }
    __syncthreads();
    const int64_t i = start + DILATION + threadIdx.x;
    const int mid = threadIdx.x + DILATION;
    if (i < n) y[i] = tile[mid - DILATION] - 2.0f * tile[mid] + tile[mid + DILATION];
}

extern "C" void launch(const float* x,  // [n]
                       float* y,        // [n]
                       int64_t n, int block_size = 64, cudaStream_t stream = 0) {
    const size_t bytes = (block_size + 2 * DILATION) * sizeof(float);
    second_difference<<<(n + block_size - 1) / block_size, block_size, bytes, stream>>>(x, y, n);
}
"""
)

# A student of machine learning: squared distances of all pairs, by tiles of 8 x 8.
PAIRS = (
    HEADER
    + """\
const int TILE = 8;

__global__ void cdist2(const half* a, const half* b, float* out, int64_t m, int64_t n, int64_t d) {
    __shared__ float A[TILE][TILE], B[TILE][TILE + 1];
    int tx = threadIdx.x, ty = threadIdx.y;
    int64_t i = (int64_t)blockIdx.y * TILE + ty, j = (int64_t)blockIdx.x * TILE + tx;
    int64_t other = (int64_t)blockIdx.x * TILE + ty;
    float dist = 0;
    for (int64_t k = 0; k < d; k += TILE) {
        A[ty][tx] = (i < m && k + tx < d) ? __half2float(a[i * d + k + tx]) : 0.0f;
        B[ty][tx] = (other < n && k + tx < d) ? __half2float(b[other * d + k + tx]) : 0.0f;
        __syncthreads();
        for (int q = 0; q < TILE; q++) {
            float diff = A[ty][q] - B[tx][q];
            dist += diff * diff;
        }
        __syncthreads();
    }
    if (i < m && j < n) out[i * n + j] = dist;
}

extern "C" void launch(const half* a,  // [m, d]
                       const half* b,  // [n, d]
                       float* out,     // [m, n]
                       int64_t m, int64_t n, int64_t d, cudaStream_t stream = 0) {
    dim3 block(TILE, TILE), grid((n + TILE - 1) / TILE, (m + TILE - 1) / TILE);
    cdist2<<<grid, block, 0, stream>>>(a, b, out, m, n, d);
}
"""
)

# A PyTorch user: torch.zeros(n, classes).scatter_(1, index, 1) in bytes.
ONEHOT = (
    HEADER
    + """\
__global__ void scatter_ones(const int64_t* index, uint8_t* out, int64_t n, int64_t classes) {
    int64_t row = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (row < n) {
        int64_t k = index[row];
        out[row * classes + k] = 1;
    }
}

extern "C" void launch(const int64_t* index,  // [n]
                       uint8_t* out,          // [n, classes]
                       int64_t n, int64_t classes, cudaStream_t stream = 0) {
    cudaMemsetAsync(out, 0, n * classes, stream);
    scatter_ones<<<(n + 63) / 64, 64, 0, stream>>>(index, out, n, classes);
}
"""
)

# Someone who writes structs: rotary embedding, the halves of each row turned by an angle.
ROTARY = (
    HEADER
    + """\
struct Pair {
    float first, second;
    __device__ Pair turned(float c, float s) const {
        return {first * c - second * s, second * c + first * s};
    }
};

__global__ void rotary(const float* x, const float* cosine, const float* sine, float* y, int64_t m, int64_t n, int64_t h) {
    const int64_t row = blockIdx.x;
    const int64_t k = (int64_t)blockIdx.y * blockDim.x + threadIdx.x;
    if (k >= h) return;
    const float* from = x + row * n;
    float* to = y + row * n;
    const Pair p{from[k], from[k + h]};
    const Pair q = p.turned(cosine[k], sine[k]);
    to[k] = q.first;
    to[k + h] = q.second;
}

extern "C" void launch(const float* x,       // [m, n]
                       const float* cosine,  // [h]
                       const float* sine,    // [h]
                       float* y,             // [m, n]
                       int64_t m, int64_t n, int64_t h, cudaStream_t stream = 0) {
    rotary<<<dim3(m, (h + 31) / 32), 32, 0, stream>>>(x, cosine, sine, y, m, n, h);
}
"""
)

# A PyTorch user: F.glu, the left half of each row times the sigmoid of its right half.
GLU = (
    HEADER
    + """\
__device__ float gated(float value, float gate) { return value / (1.0f + expf(-gate)); }

__global__ void glu_kernel(const half* x, half* out, int64_t m, int64_t n, int64_t h) {
    for (int64_t r = blockIdx.x; r < m; r += gridDim.x) {
        for (int64_t c = threadIdx.x; c < h; c += blockDim.x) {
            float value = __half2float(x[r * n + c]);
            float gate = __half2float(x[r * n + h + c]);
            out[r * h + c] = __float2half(gated(value, gate));
        }
    }
}

extern "C" void launch(const half* x,  // [m, n]
                       half* out,      // [m, h]
                       int64_t m, int64_t n, int64_t h, cudaStream_t stream = 0) {
    int blocks = m < 16 ? m : 16;
    glu_kernel<<<blocks, 64, 0, stream>>>(x, out, m, n, h);
}
"""
)

# A framework's author: group norm without weights, a block of warps for each group.
GROUPNORM = (
    HEADER
    + """\
constexpr float kEps = 1e-3f;
constexpr int kWarps = 4;

__device__ float all_of_block(float v) {
    __shared__ float part[kWarps];
    for (int d = 16; d; d >>= 1) v += __shfl_xor_sync(~0u, v, d);
    __syncthreads();
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
    __syncthreads();
    v = 0.0f;
    for (int w = 0; w < kWarps; ++w) v += part[w];
    return v;
}

__global__ void group_norm(const float* x, float* y, int64_t size) {
    const float* from = x + blockIdx.x * size;
    float* to = y + blockIdx.x * size;
    float sum = 0.0f;
    for (int64_t i = threadIdx.x; i < size; i += blockDim.x) sum += from[i];
    const float mean = all_of_block(sum) / size;
    float squares = 0.0f;
    for (int64_t i = threadIdx.x; i < size; i += blockDim.x) squares += (from[i] - mean) * (from[i] - mean);
    const float var = all_of_block(squares) / size;
    const float scale = 1.0f / sqrtf(var + kEps);
    for (int64_t i = threadIdx.x; i < size; i += blockDim.x) to[i] = (from[i] - mean) * scale;
}

extern "C" void launch(const float* x,  // [groups, size]
                       float* y,        // [groups, size]
                       int64_t groups, int64_t size, cudaStream_t stream = 0) {
    group_norm<<<groups, 32 * kWarps, 0, stream>>>(x, y, size);
}
"""
)

# A Python programmer: (x - x.min(1)) / (x.max(1) - x.min(1)), two kernels and a scratch buffer.
MINMAX = (
    HEADER
    + """\
__global__ void find(const float* x, float* lo_hi, int64_t m, int64_t n) {
    int64_t r = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= m) return;
    float lo = FLT_MAX;
    float hi = -FLT_MAX;
    for (int64_t c = 0; c < n; c++) {
        lo = min(lo, x[r * n + c]);
        hi = max(hi, x[r * n + c]);
    }
    lo_hi[2 * r] = lo;
    lo_hi[2 * r + 1] = hi;
}

__global__ void rescale(const float* x, const float* lo_hi, float* y, int64_t m, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= m * n) return;
    int64_t r = i / n;
    float lo = lo_hi[2 * r];
    float hi = lo_hi[2 * r + 1];
    y[i] = (x[i] - lo) / (hi - lo);
}

extern "C" void launch(const float* x,  // [m, n]
                       float* y,        // [m, n]
                       int64_t m, int64_t n, cudaStream_t stream = 0) {
    float* lo_hi = nullptr;
    cudaMallocAsync(&lo_hi, 2 * m * sizeof(float), stream);
    find<<<(m + 31) / 32, 32, 0, stream>>>(x, lo_hi, m, n);
    rescale<<<(m * n + 127) / 128, 128, 0, stream>>>(x, lo_hi, y, m, n);
    cudaFreeAsync(lo_hi, stream);
}
"""
)

# A games programmer: the best of each row and where it is, the first of equals.
TOP1 = (
    HEADER
    + """\
struct Best {
    float score;
    int64_t place;
};

__device__ Best better(Best a, Best b) {
    if (b.score > a.score) return b;
    if (b.score == a.score && b.place < a.place) return b;
    return a;
}

__global__ void top1(const float* x, float* score, int64_t* place, int64_t n) {
    __shared__ Best shared[64];
    int t = threadIdx.x;
    const float* row = x + blockIdx.x * n;
    Best best{-INFINITY, INT64_MAX};
    for (int64_t c = t; c < n; c += 64) best = better(best, Best{row[c], c});
    shared[t] = best;
    __syncthreads();
    for (int s = 32; s >= 1; s /= 2) {
        if (t < s) shared[t] = better(shared[t], shared[t + s]);
        __syncthreads();
    }
    if (t == 0) {
        score[blockIdx.x] = shared[0].score;
        place[blockIdx.x] = shared[0].place;
    }
}

extern "C" void launch(const float* x,  // [m, n]
                       float* score,    // [m]
                       int64_t* place,  // [m]
                       int64_t m, int64_t n, cudaStream_t stream = 0) {
    top1<<<m, 64, 0, stream>>>(x, score, place, n);
}
"""
)

# A database engineer: sums of segments of the same length, a half-warp for each.
SEGMENTS = (
    HEADER
    + """\
#define HALF 16

__global__ void segment_sums(const int32_t* amount, int64_t* total, int64_t s, int64_t len) {
    const int64_t thread = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const int64_t seg = thread / HALF;
    const int lane = thread % HALF;
    long long sum = 0;
    if (seg < s)
        for (int64_t k = lane; k < len; k += HALF) sum += amount[seg * len + k];
    for (int d = HALF / 2; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d, HALF);
    if (seg < s && lane == 0) total[seg] = sum;
}

extern "C" void launch(const int32_t* amount,  // [s, len]
                       int64_t* total,         // [s]
                       int64_t s, int64_t len, cudaStream_t stream = 0) {
    segment_sums<<<(s * HALF + 127) / 128, 128, 0, stream>>>(amount, total, s, len);
}
"""
)

# A hobbyist in radio: the real and the imaginary parts of complex samples, apart.
SPLIT = (
    HEADER
    + """\
__global__ void split(const float* iq, float* re, float* im, int64_t n) {
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < n; i += (int64_t)gridDim.x * blockDim.x) {
        re[i] = iq[2 * i];
        im[i] = iq[2 * i + 1];
    }
}

extern "C" void launch(const float* iq,  // [n, 2]
                       float* re,        // [n]
                       float* im,        // [n]
                       int64_t n, int block_size = 128, cudaStream_t stream = 0) {
    int64_t blocks = (n + block_size - 1) / block_size;
    split<<<blocks < 20 ? blocks : 20, block_size, 0, stream>>>(iq, re, im, n);
}
"""
)

# A PyTorch user: table[index], where a negative index counts from the end.
EMBED = (
    HEADER
    + """\
__global__ void embedding(const float* table, const int64_t* index, float* out, int64_t v, int64_t d, int64_t n) {
    const int64_t token = blockIdx.x;
    int64_t id = index[token];
    if (id < 0) id += v;
    const float* src = table + id * d;
    float* dst = out + token * d;
    if (d % 4 == 0 && (uintptr_t)table % 16 == 0 && (uintptr_t)out % 16 == 0) {
        for (int64_t k = threadIdx.x; k < d / 4; k += blockDim.x) ((float4*)dst)[k] = ((const float4*)src)[k];
    } else {
        for (int64_t k = threadIdx.x; k < d; k += blockDim.x) dst[k] = src[k];
    }
}

extern "C" void launch(const float* table,    // [v, d]
                       const int64_t* index,  // [n]
                       float* out,            // [n, d]
                       int64_t v, int64_t d, int64_t n, cudaStream_t stream = 0) {
    embedding<<<n, 32, 0, stream>>>(table, index, out, v, d, n);
}
"""
)

# An image processor: how often each of 256 bytes occurs, counted in shared memory first.
HISTOGRAM = (
    HEADER
    + """\
__global__ void histogram(const uint8_t* image, int32_t* bins, int64_t n) {
    __shared__ int part[256];
    for (int b = threadIdx.x; b < 256; b += blockDim.x) part[b] = 0;
    __syncthreads();
    const int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) atomicAdd(&part[image[i]], 1);
    __syncthreads();
    for (int b = threadIdx.x; b < 256; b += blockDim.x)
        if (part[b]) atomicAdd(&bins[b], part[b]);
}

extern "C" void launch(const uint8_t* image,  // [n]
                       int32_t* bins,         // [256]
                       int64_t n, cudaStream_t stream = 0) {
    cudaMemsetAsync(bins, 0, 256 * sizeof(int32_t), stream);
    const int64_t blocks = (n + 511) / 512;
    histogram<<<blocks < 8 ? blocks : 8, 128, 0, stream>>>(image, bins, n);
}
"""
)

# From a lecture: products of a batch of matrices, tiles of 8 x 8, the batch in z.
BATCHED = (
    HEADER
    + """\
template <int T>
__global__ void bmm(const float* A, const float* B, float* C, int64_t m, int64_t k, int64_t n) {
    __shared__ float As[T][T];
    __shared__ float Bs[T][T];
    const float* a = A + blockIdx.z * m * k;
    const float* b = B + blockIdx.z * k * n;
    float* c = C + blockIdx.z * m * n;
    const int64_t row = (int64_t)blockIdx.y * T + threadIdx.y;
    const int64_t col = (int64_t)blockIdx.x * T + threadIdx.x;
    const int64_t tiles = (k + T - 1) / T;
    float acc = 0.0f;
    for (int64_t t = 0; t < tiles; ++t) {
        const int64_t ka = t * T + threadIdx.x, kb = t * T + threadIdx.y;
        As[threadIdx.y][threadIdx.x] = row < m && ka < k ? a[row * k + ka] : 0.0f;
        Bs[threadIdx.y][threadIdx.x] = kb < k && col < n ? b[kb * n + col] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < T; ++i) acc += As[threadIdx.y][i] * Bs[i][threadIdx.x];
        __syncthreads();
    }
    if (row < m && col < n) c[row * n + col] = acc;
}

extern "C" void launch(const float* A,  // [batch, m, k]
                       const float* B,  // [batch, k, n]
                       float* C,        // [batch, m, n]
                       int64_t batch, int64_t m, int64_t k, int64_t n, cudaStream_t stream = 0) {
    constexpr int T = 8;
    bmm<T><<<dim3((n + T - 1) / T, (m + T - 1) / T, batch), dim3(T, T), 0, stream>>>(A, B, C, m, k, n);
}
"""
)

SHAPES = ((1, 1), (1, 40), (6, 1), (3, 32), (5, 33), (31, 17), (2, 300), (130, 7))


def _integers(low: int, high: int, *shape: int, seed: int) -> torch.Tensor:
    """Return integers from low to high - 1, as int64."""
    return torch.randint(low, high, shape, generator=torch.Generator().manual_seed(seed))


def _case(label: str, inputs: tuple[torch.Tensor, ...], right: torch.Tensor, **more) -> Case:
    """Return a case of one output, of float32 if nothing else is said."""
    return Case(label, inputs, (right.double(),), **{"dtypes": (torch.float32,), **more})


def logsumexp(launcher: Launcher) -> Iterator[Case]:
    """Take rows of eighths around 10, and around -300, whose exponentials are no floats."""
    for m, n in SHAPES:
        for around in (10, -300):
            x = around + whole_numbers(m, n, seed=m + n) / 8
            right = torch.logsumexp(x.double(), dim=1)
            yield _case(f"m = {m}, n = {n}, around {around}", (x,), right, ulp=16)


def cummax(launcher: Launcher) -> Iterator[Case]:
    """Take rows of whole numbers, also negative ones only, and rising and falling ones."""
    for m, n in SHAPES:
        x = whole_numbers(m, n, seed=m * n)
        falling = torch.arange(m * n, 0, -1, dtype=torch.float32).reshape(m, n)
        kinds = {"any": x, "negative": x - 60, "falling": falling, "rising": -falling}
        for kind, values in kinds.items():
            right = values.cummax(dim=1).values
            yield _case(f"m = {m}, n = {n}, {kind}", (values,), right)


def columns(launcher: Launcher) -> Iterator[Case]:
    """Add the columns of whole numbers, of fewer and of more rows than 50."""
    for m, n in (*SHAPES, (50, 3), (51, 64), (120, 65), (400, 2)):
        x = whole_numbers(m, n, seed=m + n)
        yield _case(f"m = {m}, n = {n}", (x,), x.double().sum(dim=0))


def outer(launcher: Launcher) -> Iterator[Case]:
    """Multiply 16-bit numbers, small ones and all there are."""
    for m, n in (*SHAPES, (150, 150)):
        for limit in (100, 1 << 15):
            u = _integers(-limit, limit, m, seed=m).short()
            v = _integers(-limit, limit, n, seed=n + 1).short()
            right = torch.outer(u.double(), v.double())
            label = f"m = {m}, n = {n}, numbers below {limit}"
            yield _case(label, (u, v), right, dtypes=(torch.int32,))


def triangle(launcher: Launcher) -> Iterator[Case]:
    """Multiply by a lower triangle; what is stored above it is not zero and must not count."""
    for n in (1, 2, 7, 31, 32, 33, 64, 100, 131):
        matrix, x = whole_numbers(n, n, seed=n, limit=9), whole_numbers(n, seed=n + 1, limit=9)
        yield _case(f"n = {n}", (matrix, x), matrix.double().tril() @ x.double())


def pool(launcher: Launcher) -> Iterator[Case]:
    """Average windows of 3 at a stride of 2, padded by 1 that does not count."""
    for c, n in SHAPES:
        x = _integers(-1000, 1000, c, n, seed=c + n).int()
        right = torch.nn.functional.avg_pool1d(
            x.double()[:, None], 3, 2, padding=1, count_include_pad=False
        )[:, 0]
        yield _case(f"c = {c}, n = {n}, k = {right.shape[1]}", (x,), right, ulp=1)


def stencil(launcher: Launcher) -> Iterator[Case]:
    """Difference whole numbers three apart, for several block sizes; zeros lie around them."""
    for n in (1, 2, 3, 4, 7, 31, 63, 64, 65, 66, 67, 68, 130, 500):
        x = whole_numbers(n, seed=n)
        wide = torch.nn.functional.pad(x.double(), (3, 3))
        right = wide[:-6] - 2 * wide[3:-3] + wide[6:]
        for block_size in (64, 32, 256):
            label = f"n = {n}, block_size = {block_size}"
            yield _case(label, (x,), right, arguments={"block_size": block_size})


def pairs(launcher: Launcher) -> Iterator[Case]:
    """Take squared distances of points of whole numbers, which come to more than 2048."""
    for m, n, d in ((1, 1, 1), (8, 8, 8), (3, 5, 7), (9, 4, 17), (4, 21, 64), (20, 20, 33)):
        a = whole_numbers(m, d, seed=m + d).half()
        b = whole_numbers(n, d, seed=n + d + 1).half()
        right = (a.double()[:, None] - b.double()[None]).square().sum(dim=2)
        yield _case(f"m = {m}, n = {n}, d = {d}", (a, b), right)


def onehot(launcher: Launcher) -> Iterator[Case]:
    """Write a one into each row, of few classes, of more than 256, and of very many rows."""
    for n, classes in ((1, 1), (1, 9), (7, 3), (64, 10), (100, 33), (50, 300), (70_000, 2)):
        index = _integers(0, classes, n, seed=n)
        right = torch.nn.functional.one_hot(index, classes)
        label = f"n = {n:,}, classes = {classes}"
        yield _case(label, (index,), right, dtypes=(torch.uint8,))


def rotary(launcher: Launcher) -> Iterator[Case]:
    """Turn by whole numbers in place of sines, so that all is exact."""
    for m, h in SHAPES:
        x = whole_numbers(m, 2 * h, seed=m + h)
        c, s = whole_numbers(h, seed=h), whole_numbers(h, seed=h + 1)
        first, second = x.double().chunk(2, dim=1)
        c64, s64 = c.double(), s.double()
        right = torch.cat((first * c64 - second * s64, second * c64 + first * s64), dim=1)
        yield _case(f"m = {m}, n = {2 * h}, h = {h}", (x, c, s), right)


def glu(launcher: Launcher) -> Iterator[Case]:
    """Gate eighths by eighths."""
    for m, h in SHAPES:
        x = (whole_numbers(m, 2 * h, seed=m + h) / 8).half()
        right = torch.nn.functional.glu(x.double(), dim=1)
        label = f"m = {m}, n = {2 * h}, h = {h}"
        yield _case(label, (x,), right, dtypes=(torch.float16,), ulp=1)


def groupnorm(launcher: Launcher) -> Iterator[Case]:
    """Normalise whole numbers around 0 and around 10,000, and groups of equal numbers."""
    for groups, size in ((1, 1), (3, 2), (5, 16), (2, 31), (4, 128), (3, 700)):
        x = whole_numbers(groups, size, seed=groups + size)
        kinds = {"around 0": x, "around 10,000": x + 10_000, "all 7": torch.full_like(x, 7)}
        for kind, values in kinds.items():
            wide = values.double()
            middle = wide.mean(dim=1, keepdim=True)
            var = (wide - middle).square().mean(dim=1, keepdim=True)
            right = (wide - middle) / (var + 1e-3).sqrt()
            # A mean around 10,000 is right to half a unit, 0.0005, of a deviation of 29.
            within = (torch.full_like(right, 2e-4),)
            label = f"groups = {groups}, size = {size}, {kind}"
            yield _case(label, (values,), right, ulp=8, within=within)


def minmax(launcher: Launcher) -> Iterator[Case]:
    """Scale rows of whole numbers, also negative ones only; no row's numbers are all equal."""
    for m, n in ((1, 2), (1, 40), (6, 2), (5, 33), (31, 17), (40, 40), (130, 7)):
        x = whole_numbers(m, n, seed=m + n)
        x[:, 0], x[:, 1] = -51, 52
        for kind, values in (("any", x), ("negative", x - 70), ("positive", x + 70)):
            wide = values.double()
            low, high = wide.amin(dim=1, keepdim=True), wide.amax(dim=1, keepdim=True)
            label = f"m = {m}, n = {n}, {kind}"
            yield _case(label, (values,), (wide - low) / (high - low), ulp=1)


def top1(launcher: Launcher) -> Iterator[Case]:
    """Take rows of few different numbers, so that the best one often occurs again."""
    for m, n in (*SHAPES, (4, 64), (3, 129)):
        for kind, shift in (("any", 0), ("negative", -20)):
            x = whole_numbers(m, n, seed=m + n, limit=4) + shift
            best = x.amax(dim=1)
            place = (x == best[:, None]).int().argmax(dim=1)
            yield Case(
                f"m = {m}, n = {n}, {kind}",
                (x,),
                (best.double(), place.double()),
                dtypes=(torch.float32, torch.int64),
            )


def segments(launcher: Launcher) -> Iterator[Case]:
    """Add small numbers, and such as soon come to more than 2^31."""
    for s, n in (*SHAPES, (9, 16), (20, 15)):
        for limit in (100, 1 << 30):
            x = _integers(-limit // 4, limit, s, n, seed=s + n).int()
            label = f"s = {s}, len = {n}, numbers below {limit:,}"
            yield _case(label, (x,), x.double().sum(dim=1), dtypes=(torch.int64,))


def split(launcher: Launcher) -> Iterator[Case]:
    """Take numbered samples."""
    for n in (1, 2, 3, 31, 127, 128, 129, 1000, 3001):
        x = torch.arange(2 * n, dtype=torch.float32).reshape(n, 2) + 1
        parts = (x[:, 0].double(), x[:, 1].double())
        yield Case(f"n = {n:,}", (x,), parts, dtypes=(torch.float32, torch.float32))


def embed(launcher: Launcher) -> Iterator[Case]:
    """Look up rows from both ends of a table, whose addresses are odd ones, too."""
    for v, d, n in ((1, 1, 1), (5, 4, 9), (7, 3, 2), (40, 16, 33), (33, 30, 6), (9, 200, 5)):
        table = torch.arange(v * d, dtype=torch.float32).reshape(v, d)
        index = _integers(-v, v, n, seed=v + n)
        for offset in (0, 1):
            label = f"v = {v}, d = {d}, n = {n}, offset {offset}"
            yield _case(label, (table, index), table[index], offset=offset)


def histogram(launcher: Launcher) -> Iterator[Case]:
    """Count bytes of all values, and of one only."""
    for n in (1, 5, 127, 128, 129, 600, 5000):
        kinds = {"any": _integers(0, 256, n, seed=n), "all 200": torch.full((n,), 200)}
        for kind, image in kinds.items():
            right = torch.bincount(image, minlength=256)
            yield _case(f"n = {n:,}, {kind}", (image.byte(),), right, dtypes=(torch.int32,))


def batched(launcher: Launcher) -> Iterator[Case]:
    """Multiply batches of matrices of whole numbers, of odd sides."""
    for batch, m, k, n in (
        (1, 1, 1, 1),
        (1, 8, 8, 8),
        (3, 8, 16, 8),
        (2, 5, 7, 3),
        (4, 9, 20, 17),
    ):
        a = whole_numbers(batch, m, k, seed=m + k, limit=9)
        b = whole_numbers(batch, k, n, seed=k + n + 1, limit=9)
        label = f"batch = {batch}, m = {m}, k = {k}, n = {n}"
        yield _case(label, (a, b), a.double() @ b.double())


BASES = {
    "xviii_logsumexp": Base(LOGSUMEXP, {"cases": logsumexp}),
    "xviii_cummax": Base(CUMMAX, {"cases": cummax}),
    "xviii_columns": Base(COLUMNS, {"cases": columns}),
    "xviii_outer": Base(OUTER, {"cases": outer}),
    "xviii_triangle": Base(TRIANGLE, {"cases": triangle}),
    "xviii_pool": Base(POOL, {"cases": pool}),
    "xviii_stencil": Base(STENCIL, {"cases": stencil}),
    "xviii_pairs": Base(PAIRS, {"cases": pairs}),
    "xviii_onehot": Base(ONEHOT, {"cases": onehot}),
    "xviii_rotary": Base(ROTARY, {"cases": rotary}),
    "xviii_glu": Base(GLU, {"cases": glu}),
    "xviii_groupnorm": Base(GROUPNORM, {"cases": groupnorm}),
    "xviii_minmax": Base(MINMAX, {"cases": minmax}),
    "xviii_top1": Base(TOP1, {"cases": top1}),
    "xviii_segments": Base(SEGMENTS, {"cases": segments}),
    "xviii_split": Base(SPLIT, {"cases": split}),
    "xviii_embed": Base(EMBED, {"cases": embed}),
    "xviii_histogram": Base(HISTOGRAM, {"cases": histogram}),
    "xviii_batched": Base(BATCHED, {"cases": batched}),
}

WRONG = (
    # A maximum that starts at 0 is too large for negative rows: every exponential is 0.
    Wrong(
        "xviii_logsumexp_from_zero",
        "xviii_logsumexp",
        "start / infinity | numbers",
        ("float most = -INFINITY;", "float most = 0.0f;"),
    ),
    # buf[0] is overwritten by thread 0 while others still read the maximum from it.
    Wrong(
        "xviii_logsumexp_no_second_wait",
        "xviii_logsumexp",
        "race",
        ("    most = buf[0];\n    __syncthreads();\n", "    most = buf[0];\n"),
    ),
    # What was subtracted is not added again.
    Wrong(
        "xviii_logsumexp_not_added",
        "xviii_logsumexp",
        "function / left out | numbers",
        ("= most + logf(buf[0])", "= logf(buf[0])"),
    ),
    # Negative rows have a maximum of 0.
    Wrong(
        "xviii_cummax_from_zero",
        "xviii_cummax",
        "start | numbers",
        ("float carry = -INFINITY;", "float carry = 0.0f;"),
    ),
    # Each lane keeps its own last value, not that of the last lane.
    Wrong(
        "xviii_cummax_own_carry",
        "xviii_cummax",
        "left out | numbers / function",
        ("carry = __shfl_sync(kFull, v, 31);", "carry = v;"),
    ),
    # Lane d has a left neighbour at distance d, too.
    Wrong(
        "xviii_cummax_lane_d",
        "xviii_cummax",
        "left out | numbers / function",
        ("lane >= d", "lane > d"),
    ),
    # The mask names 16 lanes, and 32 take part.
    Wrong(
        "xviii_cummax_half_mask",
        "xviii_cummax",
        "race",
        ("kFull = 0xffffffffu", "kFull = 0xffffu"),
    ),
    # Bytes, not elements: three quarters keep what they had.
    Wrong(
        "xviii_columns_quarter_cleared",
        "xviii_columns",
        "zero before / state / start",
        ("n * sizeof(float)", "n"),
    ),
    # Blocks of other rows add to the same column.
    Wrong(
        "xviii_columns_plain_sum",
        "xviii_columns",
        "race",
        ("atomicAdd(&total[c], sum);", "total[c] += sum;"),
    ),
    # A row is n numbers, not m.
    Wrong(
        "xviii_columns_row_of_m",
        "xviii_columns",
        "sides / bounds | other element",
        ("x[r * n + c]", "x[r * m + c]"),
    ),
    # The last, incomplete part of the rows is rounded away.
    Wrong(
        "xviii_columns_whole_parts",
        "xviii_columns",
        "left out / tail / grid",
        ("(m + ROWS - 1) / ROWS", "(m < ROWS ? 1 : m / ROWS)"),
    ),
    # The product of two shorts is stored in one.
    Wrong(
        "xviii_outer_short",
        "xviii_outer",
        "whole range / narrow",
        ("int32_t product = u[r] * v[c];", "int16_t product = u[r] * v[c];"),
    ),
    # Row and column from the wrong side of the matrix.
    Wrong(
        "xviii_outer_by_m",
        "xviii_outer",
        "sides / bounds | other element",
        ("int64_t r = k / n;", "int64_t r = k / m;"),
        ("int64_t c = k % n;", "int64_t c = k % m;"),
    ),
    # Without the diagonal.
    Wrong(
        "xviii_triangle_strict",
        "xviii_triangle",
        "left out",
        ("j <= row", "j < row"),
    ),
    # The steps of the sum begin at 8, so that lanes from 16 on never reach lane 0.
    Wrong(
        "xviii_triangle_quarter",
        "xviii_triangle",
        "left out",
        ("d = tile.size() / 2", "d = tile.size() / 4"),
    ),
    # Always by three, at the borders too.
    Wrong(
        "xviii_pool_by_three",
        "xviii_pool",
        "function | numbers / neighbour",
        ("(float) sum / (right - left)", "(float) sum / 3"),
    ),
    # Both are integers, and the cast comes too late.
    Wrong(
        "xviii_pool_integers",
        "xviii_pool",
        "rounding",
        ("(float) sum / (right - left)", "(float) (sum / (right - left))"),
    ),
    # A stride of 1 in place of 2.
    Wrong(
        "xviii_pool_stride",
        "xviii_pool",
        "other element / left out / neighbour | function",
        ("left = 2 * (o % k) - 1", "left = (o % k) - 1"),
    ),
    # The halo is read before it is there.
    Wrong(
        "xviii_stencil_no_wait",
        "xviii_stencil",
        "race",
        ("    __syncthreads();\n", ""),
    ),
    # The first block's left halo lies before the array.
    Wrong(
        "xviii_stencil_before_start",
        "xviii_stencil",
        "bounds",
        ("i >= 0 && i < n ?", "i < n ?"),
    ),
    # Bytes for one halo, not for two.
    Wrong(
        "xviii_stencil_one_halo",
        "xviii_stencil",
        "bounds",
        (
            "const size_t bytes = (block_size + 2 * DILATION)",
            "const size_t bytes = (block_size + DILATION)",
        ),
    ),
    # The accumulator is half, as the inputs are.
    Wrong(
        "xviii_pairs_half",
        "xviii_pairs",
        "precision / infinity / rounding | numbers",
        ("float dist = 0;", "half dist = __float2half(0.0f);"),
        ("dist += diff * diff;", "dist = __float2half(__half2float(dist) + diff * diff);"),
        ("= dist;", "= __half2float(dist);"),
    ),
    # The next tile is loaded over one that is still read.
    Wrong(
        "xviii_pairs_no_second_wait",
        "xviii_pairs",
        "race",
        ("        }\n        __syncthreads();\n", "        }\n"),
    ),
    # The result's row is as long as the other side.
    Wrong(
        "xviii_pairs_row_of_m",
        "xviii_pairs",
        "sides / bounds | unwritten / race",
        ("out[i * n + j]", "out[i * m + j]"),
    ),
    # Only the ones are written.
    Wrong(
        "xviii_onehot_no_zeros",
        "xviii_onehot",
        "unwritten / zero before / state",
        ("    cudaMemsetAsync(out, 0, n * classes, stream);\n", ""),
    ),
    # A class is a byte: 256 and more become others.
    Wrong(
        "xviii_onehot_byte",
        "xviii_onehot",
        "whole range / narrow | other element / numbers",
        ("int64_t k = index[row];", "uint8_t k = index[row];"),
    ),
    # A block row for each row: y goes to 65,535 only.
    Wrong(
        "xviii_onehot_rows_in_y",
        "xviii_onehot",
        "grid / refused",
        ("(int64_t)blockIdx.x * blockDim.x + threadIdx.x", "blockIdx.y"),
        ("<<<(n + 63) / 64, 64, 0, stream>>>", "<<<dim3(1, n), 1, 0, stream>>>"),
    ),
    # The one lands in the next class, in the next row after the last one.
    Wrong(
        "xviii_onehot_next_class",
        "xviii_onehot",
        "bounds / neighbour / other element",
        ("out[row * classes + k] = 1", "out[row * classes + k + 1] = 1"),
    ),
    # Pairs of neighbours, as in the other convention.
    Wrong(
        "xviii_rotary_neighbours",
        "xviii_rotary",
        "other element / numbers / function / sides | neighbour / left out",
        ("p{from[k], from[k + h]}", "p{from[2 * k], from[2 * k + 1]}"),
        ("to[k] = q.first;", "to[2 * k] = q.first;"),
        ("to[k + h] = q.second;", "to[2 * k + 1] = q.second;"),
    ),
    # Sine and cosine in the other order.
    Wrong(
        "xviii_rotary_sine_first",
        "xviii_rotary",
        "swapped | function / numbers",
        ("p.turned(cosine[k], sine[k])", "p.turned(sine[k], cosine[k])"),
    ),
    # The gate is the left half.
    Wrong(
        "xviii_glu_gate_first",
        "xviii_glu",
        "swapped | function / numbers / other element",
        ("gated(value, gate)", "gated(gate, value)"),
    ),
    # A row of the input is h long, as one of the output is.
    Wrong(
        "xviii_glu_row_of_h",
        "xviii_glu",
        "sides / other element | numbers",
        ("x[r * n + c]", "x[r * h + c]"),
        ("x[r * n + h + c]", "x[r * h + h + c]"),
    ),
    # The mean of squares less the square of the mean: nothing of it is left around 10,000.
    Wrong(
        "xviii_groupnorm_of_squares",
        "xviii_groupnorm",
        "precision / nan | numbers",
        ("squares += (from[i] - mean) * (from[i] - mean);", "squares += from[i] * from[i];"),
        ("all_of_block(squares) / size;", "all_of_block(squares) / size - mean * mean;"),
    ),
    # Equal numbers: 0 times infinity.
    Wrong(
        "xviii_groupnorm_no_epsilon",
        "xviii_groupnorm",
        "nan | numbers / precision / function",
        ("sqrtf(var + kEps)", "sqrtf(var)"),
    ),
    # FLT_MIN is the smallest positive number, not the lowest.
    Wrong(
        "xviii_minmax_flt_min",
        "xviii_minmax",
        "start | numbers",
        ("float hi = -FLT_MAX;", "float hi = FLT_MIN;"),
    ),
    # The buffer is that of the first call, however many rows there are later.
    Wrong(
        "xviii_minmax_kept_buffer",
        "xviii_minmax",
        "state / bounds",
        ("float* lo_hi = nullptr;", "static float* lo_hi = nullptr;"),
        ("    cudaMallocAsync(&lo_hi,", "    if (!lo_hi) cudaMallocAsync(&lo_hi,"),
        ("    cudaFreeAsync(lo_hi, stream);\n", ""),
    ),
    # The difference above the line has no parentheses.
    Wrong(
        "xviii_minmax_precedence",
        "xviii_minmax",
        "function | numbers",
        ("(x[i] - lo) / (hi - lo)", "x[i] - lo / (hi - lo)"),
    ),
    # Of equal ones the threads' later one wins.
    Wrong(
        "xviii_top1_last_of_equals",
        "xviii_top1",
        "numbers / other element / function",
        ("if (b.score > a.score) return b;", "if (b.score >= a.score) return b;"),
    ),
    # Scores below 0 never win.
    Wrong(
        "xviii_top1_from_zero",
        "xviii_top1",
        "start | numbers",
        ("best{-INFINITY, INT64_MAX}", "best{0.0f, 0}"),
    ),
    # The sum is an int, as the numbers are.
    Wrong(
        "xviii_segments_int",
        "xviii_segments",
        "whole range / narrow",
        ("long long sum = 0;", "int sum = 0;"),
    ),
    # A sum over 32 lanes, of which each segment has 16.
    Wrong(
        "xviii_segments_steps_of_16",
        "xviii_segments",
        "other element / twice",
        (
            "d = HALF / 2; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d, HALF)",
            "d = HALF; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d)",
        ),
    ),
    # The imaginary part comes first.
    Wrong(
        "xviii_split_turned",
        "xviii_split",
        "swapped / neighbour / other element",
        ("re[i] = iq[2 * i];", "re[i] = iq[2 * i + 1];"),
        ("im[i] = iq[2 * i + 1];", "im[i] = iq[2 * i];"),
    ),
    # -1 is the row before the table.
    Wrong(
        "xviii_embed_negative",
        "xviii_embed",
        "bounds",
        ("    if (id < 0) id += v;\n", ""),
    ),
    # A width that is no multiple of 4 is cut down to one.
    Wrong(
        "xviii_embed_quads_only",
        "xviii_embed",
        "alignment / unwritten / tail",
        ("d % 4 == 0 && (uintptr_t)table", "(uintptr_t)table"),
    ),
    # One thread for each bin, and a block has half as many.
    Wrong(
        "xviii_histogram_half_cleared",
        "xviii_histogram",
        "start / block size / zero before / state / race / unwritten",
        (
            "for (int b = threadIdx.x; b < 256; b += blockDim.x) part[b] = 0;",
            "if (threadIdx.x < 256) part[threadIdx.x] = 0;",
        ),
    ),
    # Some count before others have cleared.
    Wrong(
        "xviii_histogram_no_wait",
        "xviii_histogram",
        "race",
        ("part[b] = 0;\n    __syncthreads();", "part[b] = 0;"),
    ),
    # Two threads add each bin to the result.
    Wrong(
        "xviii_histogram_flushed_twice",
        "xviii_histogram",
        "twice | function",
        (
            "    __syncthreads();\n    for (int b = threadIdx.x; b < 256; b += blockDim.x)\n",
            "    __syncthreads();\n    for (int b = threadIdx.x % 64; b < 256; b += 64)\n",
        ),
    ),
    # All products have the first of the second matrices.
    Wrong(
        "xviii_batched_first_b",
        "xviii_batched",
        "other element / left out | numbers / function / sides",
        ("B + blockIdx.z * k * n", "B"),
    ),
    # A depth that is no multiple of 8 is cut down to one.
    Wrong(
        "xviii_batched_whole_tiles",
        "xviii_batched",
        "left out / tail | sides / copy",
        ("(k + T - 1) / T", "k / T"),
    ),
)

RIGHT = (
    # A block is a single warp, and the exponentials are powers of two.
    Right(
        "xviii_logsumexp_one_warp",
        "xviii_logsumexp",
        ("#define THREADS 128", "#define THREADS 32"),
        ("sum += expf(row[c] - most)", "sum += exp2f((row[c] - most) * 1.44269504f)"),
    ),
    # The carry joins before the steps, in the first lane.
    Right(
        "xviii_cummax_carry_first",
        "xviii_cummax",
        ("#pragma unroll\n", "        if (lane == 0) v = larger(v, carry);\n#pragma unroll\n"),
        ("        v = larger(v, carry);\n        if (c < cols)", "        if (c < cols)"),
    ),
    # The rows of a thread lie apart.
    Right(
        "xviii_columns_rows_apart",
        "xviii_columns",
        ("int64_t first = (int64_t)blockIdx.y * ROWS;", "int64_t first = blockIdx.y;"),
        ("    int64_t last = first + ROWS;\n    if (last > m) last = m;\n", ""),
        ("r < last; r++", "r < m; r += gridDim.y"),
    ),
    # The sum goes to all lanes, of which the last writes.
    Right(
        "xviii_triangle_xor",
        "xviii_triangle",
        ("tile.shfl_down(sum, d)", "tile.shfl_xor(sum, d)"),
        ("tile.thread_rank() == 0", "tile.thread_rank() == 31"),
    ),
    # Without shared memory at all.
    Right(
        "xviii_stencil_from_global",
        "xviii_stencil",
        (
            "y[i] = tile[mid - DILATION] - 2.0f * tile[mid] + tile[mid + DILATION];",
            "y[i] = (i >= DILATION ? x[i - DILATION] : 0.0f) - 2.0f * tile[mid] + (n - i > DILATION ? x[i + DILATION] : 0.0f);",
        ),
    ),
    # The square is spelled out with fma, and the tile is padded on both sides.
    Right(
        "xviii_pairs_fma",
        "xviii_pairs",
        ("dist += diff * diff;", "dist = fmaf(diff, diff, dist);"),
        ("float A[TILE][TILE], B", "float A[TILE][TILE + 3], B"),
    ),
    # The kernel writes every byte of its row, so that nothing is cleared before.
    Right(
        "xviii_onehot_all_written",
        "xviii_onehot",
        ("    cudaMemsetAsync(out, 0, n * classes, stream);\n", ""),
        (
            "out[row * classes + k] = 1;",
            "for (int64_t c = 0; c < classes; c++) out[row * classes + c] = c == k;",
        ),
    ),
    # The scratch is filled first, and both extremes start at infinities.
    Right(
        "xviii_minmax_infinities",
        "xviii_minmax",
        ("float lo = FLT_MAX;", "float lo = INFINITY;"),
        ("float hi = -FLT_MAX;", "float hi = -INFINITY;"),
        (
            "    find<<<",
            "    cudaMemsetAsync(lo_hi, 0xff, 2 * m * sizeof(float), stream);\n    find<<<",
        ),
    ),
    # Chunks in place of strides: later threads have later places.
    Right(
        "xviii_top1_in_chunks",
        "xviii_top1",
        (
            "for (int64_t c = t; c < n; c += 64) best",
            "for (int64_t c = t * ((n + 63) / 64), end = min((t + 1) * ((n + 63) / 64), n); c < end; c++) best",
        ),
    ),
    # A sample as one load, where the address allows it.
    Right(
        "xviii_split_float2",
        "xviii_split",
        (
            "        re[i] = iq[2 * i];\n        im[i] = iq[2 * i + 1];",
            """\
        if ((uintptr_t)iq % 8 == 0) {
            const float2 z = ((const float2*)iq)[i];
            re[i] = z.x;
            im[i] = z.y;
        } else {
            re[i] = iq[2 * i];
            im[i] = iq[2 * i + 1];
        }""",
        ),
    ),
    # One global atomic an element, without shared memory.
    Right(
        "xviii_histogram_global",
        "xviii_histogram",
        ("atomicAdd(&part[image[i]], 1)", "atomicAdd(bins + image[i], 1)"),
    ),
)
