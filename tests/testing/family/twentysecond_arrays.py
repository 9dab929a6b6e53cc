"""Hold a twenty-second family: transposes, products, softmax, norms, sums, maxima of rows.

Of the 65 wrong ones four are wrong by reasoning, as the emulator runs one thing after another:

    xxii_heads_default_stream    if `stream` has not yet written the input
    xxii_int8_memset_elsewhere  if the zeros come after what `stream` adds
    xxii_int8_plain_add         if two blocks read a number before either has written its sum
    xxii_rowsum_narrow_begin      of rows that begin at element 2^31 or later

xxii_turn_tall_grid is wrong from 1,048,561 rows on.
"""

# ruff: noqa: E501 (a line of a kernel stands in one line)
from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong

# Somebody who comes from OpenCL: work items of two dimensions, and a flat local array.
TURN = (
    HEADER
    + """\
#define get_local_id(d) ((d) == 0 ? threadIdx.x : threadIdx.y)
#define get_group_id(d) ((d) == 0 ? blockIdx.x : blockIdx.y)
#define TILE 16
#define PITCH (TILE + 1)

__global__ void turn(const float* src, float* dst, int64_t height, int64_t width, int64_t bands) {
    __shared__ float local[TILE * PITCH];
    const int lx = get_local_id(0), ly = get_local_id(1);
    const int64_t left = (int64_t)get_group_id(0) * TILE;
    for (int64_t band = get_group_id(1); band < bands; band += gridDim.y) {
        const int64_t x = left + lx, y = band * TILE + ly;
        if (x < width && y < height) local[ly * PITCH + lx] = src[y * width + x];
        __syncthreads();  // the tile is there
        const int64_t to_x = band * TILE + lx, to_y = left + ly;
        if (to_x < height && to_y < width) dst[to_y * height + to_x] = local[lx * PITCH + ly];
        __syncthreads();  // and may be overwritten
    }
}

extern "C" void launch(const float* src,  // [height, width]
                       float* dst,        // [width, height]
                       int64_t height, int64_t width, cudaStream_t stream = 0) {
    const int64_t bands = (height + TILE - 1) / TILE;
    const dim3 groups((unsigned)((width + TILE - 1) / TILE), (unsigned)(bands < 4 ? bands : 4));
    turn<<<groups, dim3(TILE, TILE), 0, stream>>>(src, dst, height, width, bands);
}
"""
)

# A careful engineer: the heads of attention come before the places, eight halves at a time.
HEADS = (
    HEADER
    + """\
#include <algorithm>

template <typename T>
__global__ void heads_first(const T* in, T* out, int64_t seq, int64_t heads, int64_t dim, int64_t total) {
    const int64_t stride = int64_t{gridDim.x} * blockDim.x;
    for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < total; i += stride) {
        const int64_t d = i % dim;
        const int64_t h = i / dim % heads;
        const int64_t s = i / dim / heads % seq;
        const int64_t b = i / dim / heads / seq;
        out[((b * heads + h) * seq + s) * dim + d] = in[i];
    }
}

static bool round16(const void* p) { return reinterpret_cast<uintptr_t>(p) % 16 == 0; }

extern "C" void launch(const half* in,  // [batch, seq, heads, dim]
                       half* out,       // [batch, heads, seq, dim]
                       int64_t batch, int64_t seq, int64_t heads, int64_t dim, int block_size = 256, cudaStream_t stream = 0) {
    int64_t total = batch * seq * heads * dim;
    const bool wide = dim % 8 == 0 && round16(in) && round16(out);
    if (wide) total /= 8;
    const auto blocks = static_cast<unsigned>(std::min<int64_t>((total + block_size - 1) / block_size, 12));
    if (wide) {
        heads_first<<<blocks, block_size, 0, stream>>>((const uint4*)in, (uint4*)out, seq, heads, dim / 8, total);
    } else {
        heads_first<<<blocks, block_size, 0, stream>>>((const uint16_t*)in, (uint16_t*)out, seq, heads, dim, total);
    }
}
"""
)

# A reader of blog posts on fast products: 64 threads make 32 x 32 numbers, 4 x 4 each.
REGS = (
    HEADER
    + """\
constexpr int BM = 32;  // a block's numbers, down and across
constexpr int BK = 8;
constexpr int TM = 4;   // a thread's numbers, down and across
constexpr int STEP = BM / TM;

__global__ void sgemm(const float* A, const float* B, float* C, int64_t M, int64_t N, int64_t K, int64_t across) {
    __shared__ float As[BK][BM];  // on its side
    __shared__ float Bs[BK][BM];
    const int tx = threadIdx.x % STEP, ty = threadIdx.x / STEP;
    const int64_t top = blockIdx.x / across * BM, left = blockIdx.x % across * BM;
    float acc[TM][TM] = {};
    for (int64_t k0 = 0; k0 < K; k0 += BK) {
        for (int e = threadIdx.x; e < BK * BM; e += STEP * STEP) {
            const int64_t r = top + e / BK, ka = k0 + e % BK;
            As[e % BK][e / BK] = r < M && ka < K ? A[r * K + ka] : 0.0f;
            const int64_t kb = k0 + e / BM, c = left + e % BM;
            Bs[e / BM][e % BM] = kb < K && c < N ? B[kb * N + c] : 0.0f;
        }
        __syncthreads();
        for (int k = 0; k < BK; ++k) {
            for (int i = 0; i < TM; ++i) {
                for (int j = 0; j < TM; ++j) acc[i][j] += As[k][ty + STEP * i] * Bs[k][tx + STEP * j];
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < TM; ++i) {
        for (int j = 0; j < TM; ++j) {
            const int64_t row = top + ty + STEP * i, col = left + tx + STEP * j;
            if (row < M && col < N) C[row * N + col] = acc[i][j];
        }
    }
}

extern "C" void launch(const float* A,  // [M, K]
                       const float* B,  // [K, N]
                       float* C,        // [M, N]
                       int64_t M, int64_t N, int64_t K, cudaStream_t stream = 0) {
    const int64_t across = (N + BM - 1) / BM;
    const int64_t down = (M + BM - 1) / BM;
    sgemm<<<(unsigned)(across * down), STEP * STEP, 0, stream>>>(A, B, C, M, N, K, across);
}
"""
)

# Somebody who writes layers for inference: x times a transposed weight, a warp a number.
LINEAR = (
    HEADER
    + """\
#include <algorithm>

#define WARPS 4

__global__ void linear(const half* x, const half* w, const float* bias, half* y, int64_t m, int64_t n, int64_t k, bool pairs) {
    const int lane = threadIdx.x;
    for (int64_t o = (int64_t)blockIdx.x * WARPS + threadIdx.y; o < m * n; o += (int64_t)gridDim.x * WARPS) {
        const half* a = x + o / n * k;
        const half* b = w + o % n * k;
        float dot = 0.0f;
        if (pairs) {
            const half2 *a2 = (const half2*)a, *b2 = (const half2*)b;
            for (int64_t p = lane; p < k / 2; p += 32) {
                const float2 u = __half22float2(a2[p]), v = __half22float2(b2[p]);
                dot += u.x * v.x;
                dot += u.y * v.y;
            }
        } else {
            for (int64_t i = lane; i < k; i += 32) dot += __half2float(a[i]) * __half2float(b[i]);
        }
        for (int d = 16; d > 0; d /= 2) dot += __shfl_down_sync(0xffffffff, dot, d);
        if (lane == 0) y[o] = __float2half(dot + bias[o % n]);
    }
}

extern "C" void launch(const half* x,      // [m, k]
                       const half* w,      // [n, k]
                       const float* bias,  // [n]
                       half* y,            // [m, n]
                       int64_t m, int64_t n, int64_t k, cudaStream_t stream = 0) {
    const bool pairs = k % 2 == 0 && (uintptr_t)x % 4 == 0 && (uintptr_t)w % 4 == 0;
    const unsigned blocks = (unsigned)std::min<int64_t>((m * n + WARPS - 1) / WARPS, 24);
    linear<<<blocks, dim3(32, WARPS), 0, stream>>>(x, w, bias, y, m, n, k, pairs);
}
"""
)

# A veteran of vector machines: a matrix times a vector, in fours from a round address on.
PEEL = (
    HEADER
    + """\
__global__ void peel(const float *a, const float *x, float *y, int64_t n)
{
    extern __shared__ float part[];
    const int t = threadIdx.x, T = blockDim.x;
    const float *row = a + (int64_t)blockIdx.x * n;
    int64_t head = (16 - (uintptr_t)row % 16) % 16 / 4;  /* before a round address */
    if (head > n) head = n;
    const int64_t packs = (n - head) / 4;
    float s = 0;
    for (int64_t i = t; i < head; i += T) s += row[i] * x[i];
    for (int64_t p = t; p < packs; p += T) {
        const float4 f = ((const float4 *)(row + head))[p];
        const float *v = x + head + 4 * p;
        s += f.x * v[0] + f.y * v[1] + f.z * v[2] + f.w * v[3];
    }
    for (int64_t i = head + 4 * packs + t; i < n; i += T) s += row[i] * x[i];
    part[t] = s;
    for (int w = 1; w < T; w *= 2) {
        __syncthreads();
        if (t % (2 * w) == 0 && t + w < T) part[t] += part[t + w];
    }
    if (t == 0) y[blockIdx.x] = part[0];
}

extern "C" void launch(const float *a,  /* [m, n] */
                       const float *x,  /* [n] */
                       float *y,        /* [m] */
                       int64_t m, int64_t n, int block_size = 128, cudaStream_t stream = 0)
{
    peel<<<(unsigned)m, block_size, block_size * sizeof(float), stream>>>(a, x, y, n);
}
"""
)

# Somebody who puts models on phones: bytes with a zero point, the first matrix transposed.
QUANT = (
    HEADER
    + """\
constexpr int SLICE = 24;  // of the common side, for a block

__global__ void quant(const int8_t* a, const int8_t* b, int32_t* c, int64_t k, int64_t m, int64_t n, int64_t slices, int zero) {
    const int64_t slice = blockIdx.x % slices;
    const int64_t o = blockIdx.x / slices * blockDim.x + threadIdx.x;
    if (o >= m * n) return;
    const int64_t i = o / n, j = o % n;
    const int64_t begin = slice * SLICE, end = begin + SLICE < k ? begin + SLICE : k;
    int32_t sum = 0;
    for (int64_t p = begin; p < end; ++p) {
        const int centered = a[p * m + i] - zero;
        sum += centered * b[p * n + j];
    }
    atomicAdd(&c[o], sum);
}

extern "C" void launch(const int8_t* a,  // [k, m]
                       const int8_t* b,  // [k, n]
                       int32_t* c,       // [m, n]
                       int64_t k, int64_t m, int64_t n, int zero = 3, int block_size = 64, cudaStream_t stream = 0) {
    cudaMemsetAsync(c, 0, m * n * sizeof(int32_t), stream);
    const int64_t slices = (k + SLICE - 1) / SLICE;
    const int64_t blocks = (m * n + block_size - 1) / block_size * slices;
    if (blocks > 0) quant<<<(unsigned)blocks, block_size, 0, stream>>>(a, b, c, k, m, n, slices, zero);
}
"""
)

# Somebody who comes from Triton: a warp is a program, and the exponentials wait in the output.
SOFT = (
    HEADER
    + """\
#include <algorithm>

constexpr unsigned kAll = 0xffffffffu;
constexpr int kPrograms = 4;

__device__ float all_max(float v) {
    for (int bit = 1; bit < 32; bit *= 2) v = fmaxf(v, __shfl_xor_sync(kAll, v, bit));
    return v;
}

__device__ float all_sum(float v) {
    for (int hop = 16; hop > 0; hop /= 2) v += __shfl_xor_sync(kAll, v, hop);
    return v;
}

__global__ void soft(const float* x, float* out, int64_t rows, int64_t cols) {
    const int lane = threadIdx.x;
    for (int64_t pid = int64_t{blockIdx.x} * kPrograms + threadIdx.y; pid < rows; pid += int64_t{gridDim.x} * kPrograms) {
        const float* from = x + pid * cols;
        float* to = out + pid * cols;
        float most = -INFINITY;
        for (int64_t c = lane; c < cols; c += 32) most = fmaxf(most, from[c]);
        most = all_max(most);
        float sum = 0.0f;
        for (int64_t c = lane; c < cols; c += 32) sum += to[c] = expf(from[c] - most);
        sum = all_sum(sum);
        for (int64_t c = lane; c < cols; c += 32) to[c] /= sum;
    }
}

extern "C" void launch(const float* x,  // [rows, cols]
                       float* out,      // [rows, cols]
                       int64_t rows, int64_t cols, cudaStream_t stream = 0) {
    const auto blocks = static_cast<unsigned>(std::min<int64_t>((rows + kPrograms - 1) / kPrograms, 6));
    soft<<<blocks, dim3(32, kPrograms), 0, stream>>>(x, out, rows, cols);
}
"""
)

# Somebody who comes from Numba: log-softmax of half, a block a row, and room for 1,024 threads.
LOGS = (
    HEADER
    + """\
__global__ void logs(const half* x, float* out, int64_t n) {
    __shared__ float sh[1024];  // cuda.shared.array(1024, float32)
    int tid = threadIdx.x;
    int bd = blockDim.x;
    const half* row = x + (int64_t)blockIdx.x * n;
    float* res = out + (int64_t)blockIdx.x * n;
    int top = 1;
    while (top < bd) top *= 2;

    float m = -INFINITY;
    for (int64_t i = tid; i < n; i += bd) m = fmaxf(m, __half2float(row[i]));
    sh[tid] = m;
    __syncthreads();
    for (int s = top / 2; s > 0; s /= 2) {
        if (tid < s && tid + s < bd) sh[tid] = fmaxf(sh[tid], sh[tid + s]);
        __syncthreads();
    }
    m = sh[0];
    __syncthreads();  // all have read it

    float acc = 0;
    for (int64_t i = tid; i < n; i += bd) acc += expf(__half2float(row[i]) - m);
    sh[tid] = acc;
    __syncthreads();
    for (int s = top / 2; s > 0; s /= 2) {
        if (tid < s && tid + s < bd) sh[tid] += sh[tid + s];
        __syncthreads();
    }
    float total = sh[0];
    float lg = logf(total);
    for (int64_t i = tid; i < n; i += bd) {
        float v = __half2float(row[i]);
        res[i] = v - m - lg;
    }
}

extern "C" void launch(const half* x,  // [m, n]
                       float* out,     // [m, n]
                       int64_t m, int64_t n, int block_size = 128, cudaStream_t stream = 0) {
    logs<<<m, block_size, 0, stream>>>(x, out, n);
}
"""
)

# A reader of papers: layer norm whose mean and squares are updated by each number, then merged.
LAYER = (
    HEADER
    + """\
struct Stats {
    int64_t n;
    float mean;
    float m2;  // squares of the distances from the mean, added up
};

__device__ Stats merge(Stats a, Stats b) {
    const int64_t n = a.n + b.n;
    if (a.n == 0 || b.n == 0) return a.n == 0 ? b : a;
    const float d = b.mean - a.mean, share = (float)b.n / n;
    return Stats{n, a.mean + d * share, a.m2 + b.m2 + d * d * (a.n * share)};
}

__global__ void layer(const float* x, const float* w, const float* b, float* y, int64_t d, float eps) {
    extern __shared__ Stats all[];
    const int t = threadIdx.x;
    const float* in = x + (int64_t)blockIdx.x * d;
    float* to = y + (int64_t)blockIdx.x * d;
    Stats mine = {0, 0.0f, 0.0f};
    for (int64_t i = t; i < d; i += blockDim.x) {
        const float v = in[i], delta = v - mine.mean;
        mine.n++;
        mine.mean += delta / mine.n;
        mine.m2 += delta * (v - mine.mean);
    }
    all[t] = mine;
    __syncthreads();
    for (int left = blockDim.x; left > 1;) {
        const int half = (left + 1) / 2;
        if (t + half < left) all[t] = merge(all[t], all[t + half]);
        __syncthreads();
        left = half;
    }
    const float mean = all[0].mean;
    const float rstd = 1.0f / sqrtf(all[0].m2 / d + eps);
    for (int64_t i = t; i < d; i += blockDim.x) to[i] = (in[i] - mean) * rstd * w[i] + b[i];
}

extern "C" void launch(const float* x,  // [rows, d]
                       const float* w,  // [d]
                       const float* b,  // [d]
                       float* y,        // [rows, d]
                       int64_t rows, int64_t d, float eps = 1e-5f, int block_size = 64, cudaStream_t stream = 0) {
    const size_t bytes = block_size * sizeof(Stats);
    layer<<<(unsigned)rows, block_size, bytes, stream>>>(x, w, b, y, d, eps);
}
"""
)

# Somebody who joins kernels of a transformer: a residual is added, and RMS norm follows.
FUSED = (
    HEADER
    + """\
__global__ void add_rms(const half* x, const half* res, const half* w, half* added, half* out, int64_t n, float eps) {
    __shared__ float of_warps[32];
    const int t = threadIdx.x;
    const int64_t base = (int64_t)blockIdx.x * n;
    float q = 0.0f;
    for (int64_t i = t; i < n; i += blockDim.x) {
        const half s = __float2half(__half2float(x[base + i]) + __half2float(res[base + i]));
        added[base + i] = s;
        const float f = __half2float(s);
        q += f * f;
    }
    for (int o = 16; o > 0; o >>= 1) q += __shfl_xor_sync(0xffffffff, q, o);
    if (t % 32 == 0) of_warps[t / 32] = q;
    __syncthreads();
    q = 0.0f;
    for (int k = 0; k < blockDim.x / 32; ++k) q += of_warps[k];
    const float scale = rsqrtf(q / n + eps);
    for (int64_t i = t; i < n; i += blockDim.x) {
        const float v = __half2float(added[base + i]);
        out[base + i] = __float2half(v * scale * __half2float(w[i]));
    }
}

extern "C" void launch(const half* x,    // [m, n]
                       const half* res,  // [m, n]
                       const half* w,    // [n]
                       half* added,      // [m, n]
                       half* out,        // [m, n]
                       int64_t m, int64_t n, float eps = 1e-5f, int block_size = 256, cudaStream_t stream = 0) {
    const int threads = (block_size + 31) / 32 * 32;
    add_rms<<<m, threads, 0, stream>>>(x, res, w, added, out, n, eps);
}
"""
)

# A C programmer who writes accounts: sums of rows of int, a warp a row.
TOTAL = (
    HEADER
    + """\
enum { ROWS = 8 };

__global__ void total(const int *x, int64_t *y, int64_t m, int64_t n)
{
    int lane = threadIdx.x, o;
    int64_t r = (int64_t)blockIdx.x * ROWS + threadIdx.y, i;
    if (r >= m) return;
    const int *row = x + r * n;
    long long s = 0;
    for (i = lane; i < n; i += 32) s += row[i];
    for (o = 16; o; o >>= 1) s += __shfl_down_sync(~0u, s, o);
    if (lane == 0) y[r] = s;
}

extern "C" void launch(const int *x,  /* [m, n] */
                       int64_t *y,    /* [m] */
                       int64_t m, int64_t n, cudaStream_t stream = 0)
{
    total<<<(unsigned)((m + ROWS - 1) / ROWS), dim3(32, ROWS), 0, stream>>>(x, y, m, n);
}
"""
)

# A beginner who has read of coalescing: a thread a row, but the numbers come through a square.
SQUARE = (
    HEADER
    + """\
#define W 32

__global__ void rowSums(const double* x, double* y, int64_t m, int64_t n) {
    __shared__ double square[W][W + 1];
    int me = threadIdx.x;
    int64_t first = (int64_t)blockIdx.x * W;
    double s = 0;
    for (int64_t c = 0; c < n; c += W) {
        for (int k = 0; k < W; k++) {
            square[k][me] = first + k < m && c + me < n ? x[(first + k) * n + c + me] : 0;
        }
        __syncthreads();  // loaded
        for (int k = 0; k < W; k++) s += square[me][k];
        __syncthreads();  // added
    }
    if (first + me < m) y[first + me] = s;
}

extern "C" void launch(const double* x,  // [m, n]
                       double* y,        // [m]
                       int64_t m, int64_t n, cudaStream_t stream = 0) {
    rowSums<<<(m + W - 1) / W, W, 0, stream>>>(x, y, m, n);
}
"""
)

# Somebody who likes bits: maxima of rows of half, as integers of that order; NaN is above all.
PEAK = (
    HEADER
    + """\
#include <algorithm>

__device__ unsigned key(half h) {
    const unsigned b = __half_as_ushort(h);
    if ((b & 0x7fffu) > 0x7c00u) return 0xffffu;  // a NaN
    return b & 0x8000u ? 0xffffu - b : b + 0x8000u;
}

__device__ half back(unsigned k) {
    return __ushort_as_half((unsigned short)(k & 0x8000u ? k - 0x8000u : 0xffffu - k));
}

__global__ void peak(const half* x, half* y, int64_t m, int64_t n) {
    __shared__ unsigned best;
    for (int64_t r = blockIdx.x; r < m; r += gridDim.x) {
        if (threadIdx.x == 0) best = 0u;
        __syncthreads();  // it is set
        unsigned mine = 0u;
        for (int64_t i = threadIdx.x; i < n; i += blockDim.x) mine = max(mine, key(x[r * n + i]));
        atomicMax(&best, mine);
        __syncthreads();  // all have joined
        if (threadIdx.x == 0) y[r] = back(best);
    }
}

extern "C" void launch(const half* x,  // [m, n]
                       half* y,        // [m]
                       int64_t m, int64_t n, int block_size = 64, cudaStream_t stream = 0) {
    peak<<<(unsigned)std::min<int64_t>(m, 7), block_size, 0, stream>>>(x, y, m, n);
}
"""
)

SHAPES = ((1, 1), (1, 6), (11, 1), (3, 30), (4, 33), (21, 41), (2, 260), (2, 1100), (90, 5))
BLOCKS = (64, 96, 512)
# m, n and k: results down and across, and the numbers that are added.
PRODUCTS = (
    (1, 1, 1),
    (2, 7, 1),
    (8, 3, 5),
    (4, 33, 50),
    (35, 6, 64),
    (21, 60, 99),
    (2, 140, 210),
)


def _whole(*size: int, seed: int, limit: int = 50) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(-limit, limit + 1, size, generator=generator).float()


def _case(label: str, x: tuple, right: torch.Tensor, dtype: torch.dtype, *scalars, **options):
    return Case(label, x, (right,), *scalars, dtypes=(dtype,), **options)


def heads_first(launcher: Launcher) -> Iterator[Case]:
    """Exchange places and heads: sides of eights, and others."""
    for size in (
        (1, 1, 1, 1),
        (1, 5, 3, 8),
        (2, 3, 4, 16),
        (3, 7, 2, 5),
        (2, 9, 6, 64),
        (2, 4, 70, 11),
    ):
        for block_size in (64, 256, 512):
            x = _whole(*size, seed=sum(size), limit=2000).half()
            right = x.transpose(1, 2).contiguous()
            label = f"{' x '.join(map(str, size))}, block_size = {block_size}"
            yield _case(label, (x,), right, torch.float16, {"block_size": block_size})


def linear(launcher: Launcher) -> Iterator[Case]:
    """Multiply by a transposed weight: whole numbers, fractions and large ones."""
    for m, n, k in PRODUCTS:
        for words, scale, shift in (("whole", 1, 0), ("eighths", 0.125, 1), ("large", 32, 0)):
            x = (_whole(m, k, seed=m + k, limit=15) * scale + shift).half()
            w = (_whole(n, k, seed=n + 2 * k, limit=15) + shift / 8).half()
            bias = _whole(n, seed=n)
            right = x.double() @ w.double().T + bias.double()
            label = f"m = {m}, n = {n}, k = {k}, {words} numbers"
            yield _case(label, (x, w, bias), right, torch.float16, ulp=1)


def peel(launcher: Launcher) -> Iterator[Case]:
    """Multiply a matrix by a vector."""
    for m, n in SHAPES:
        for block_size in BLOCKS:
            a, x = _whole(m, n, seed=m + n), _whole(n, seed=n)
            right, label = (
                a.double() @ x.double(),
                f"m = {m}, n = {n}, block_size = {block_size}",
            )
            yield _case(label, (a, x), right, torch.float32, {"block_size": block_size})


def quant(launcher: Launcher) -> Iterator[Case]:
    """Multiply all bytes, with several zero points."""
    for m, n, k in PRODUCTS:
        for zero, block_size in ((0, 64), (3, 32), (-100, 256)):
            a = _whole(k, m, seed=k + m, limit=127).to(torch.int8)
            b = _whole(k, n, seed=k + n, limit=127).to(torch.int8)
            right = ((a.double() - zero).T @ b.double()).to(torch.int32)
            label = f"m = {m}, n = {n}, k = {k}, zero = {zero}, block_size = {block_size}"
            scalars = {"zero": zero, "block_size": block_size}
            yield _case(label, (a, b), right, torch.int32, scalars)


def logs(launcher: Launcher) -> Iterator[Case]:
    """Take halves near to and far from 0, with infinities and NaN."""
    for m, n in SHAPES:
        near = _whole(m, n, seed=m + n) / 16
        masked, broken = near.clone(), near.clone()
        masked[:, n // 2] = float("-inf")
        broken[m // 2, 0] = float("nan")
        far = (("700 less", near - 700), ("times 3,000", near * 3000), ("fine", near / 37))
        for words, x in (("near 0", near), *far, ("masked", masked), ("a NaN", broken)):
            right = torch.log_softmax(x.half().double(), dim=1)
            scalars = {"block_size": BLOCKS[(m + len(words)) % 3]}
            options = {"ulp": 8, "within": (2.0**-20 * (1 + right.nan_to_num(0, 0, 0).abs()),)}
            label = f"{m} x {n}, {words}, {scalars}"
            yield _case(label, (x.half(),), right, torch.float32, scalars, **options)


def layer(launcher: Launcher) -> Iterator[Case]:
    """Norm rows of small, of usual, of distant and of equal numbers."""
    for m, n in SHAPES:
        for scale, shift in ((1.0, 0.0), (1.0, 200.0), (2.0**-9, 0.0), (0.0, 3.0)):
            x = _whole(m, n, seed=m + n, limit=6) * scale + shift
            w, b = _whole(n, seed=n, limit=3) + 6, _whole(n, seed=n + 1, limit=5)
            scalars = {"eps": 2.0**-13, "block_size": BLOCKS[(m + n) % 3]}
            d = x.double() - x.double().mean(dim=1, keepdim=True)
            root = torch.sqrt(d.square().mean(dim=1, keepdim=True) + scalars["eps"])
            right = d / root * w.double() + b.double()
            large = x.double().abs().amax(dim=1, keepdim=True) / root * w.double()
            options = {
                "ulp": 12,
                "within": (2.0**-19 * (large + right.abs() + b.double().abs()),),
            }
            label = f"{m} x {n}, about {shift}, times {scale}, {scalars}"
            yield _case(label, (x, w, b), right, torch.float32, scalars, **options)


def fused(launcher: Launcher) -> Iterator[Case]:
    """Add and norm rows of zeros, of small, of usual and of large halves."""
    for m, n in SHAPES:
        for scale in (0.0, 2.0**-7, 1.0, 100.0):
            x = (_whole(m, n, seed=m + n, limit=9) * scale).half()
            res = ((_whole(m, n, seed=m + n + 1, limit=9) + 0.25) * scale).half()
            w = ((_whole(n, seed=n, limit=6) + 8) / 4).half()
            scalars = {"eps": 2.0**-12, "block_size": (32, 128, 200, 512)[(m + n) % 4]}
            added = (x.float() + res.float()).half()
            mean = added.double().square().mean(dim=1, keepdim=True)
            right = added.double() / torch.sqrt(mean + scalars["eps"]) * w.double()
            label, dtypes = f"{m} x {n}, numbers times {scale}, {scalars}", (torch.float16,) * 2
            yield Case(label, (x, res, w), (added, right), scalars, ulp=1, dtypes=dtypes)


def total(launcher: Launcher) -> Iterator[Case]:
    """Add up rows of small and of very large int."""
    for m, n in SHAPES:
        x = _whole(m, n, seed=m + n).int()
        for words, values in (
            ("small", x),
            ("large", 2**31 - 100 + x),
            ("least", x - 2**31 + 99),
        ):
            yield _case(f"{m} x {n}, {words}", (values,), values.sum(dim=1), torch.int64)


def square(launcher: Launcher) -> Iterator[Case]:
    """Add up rows of doubles, whose sums are exact."""
    for m, n in (*SHAPES, (64, 64)):
        x = 1.0 + _whole(m, n, seed=m + n).double() * 2.0**-30
        yield _case(f"m = {m}, n = {n}", (x,), x.sum(dim=1), torch.float64)


def peak(launcher: Launcher) -> Iterator[Case]:
    """Find the largest of rows of half: negative ones, NaN and infinities too."""
    for m, n in SHAPES:
        x = _whole(m, n, seed=m + n, limit=300)
        odd = x.clone()
        odd[m // 2, n // 2] = float("nan")
        kinds = (
            (" ", x),
            (", negative", x - 400),
            (", NaN", odd),
            (", -inf", x - float("inf")),
        )
        for words, values in kinds:
            label, values = f"m = {m}, n = {n}{words}", values.half()
            yield _case(label, (values,), values.amax(dim=1), torch.float16)


BASES = {
    "xxii_turn": Base(TURN, cases="transpose"),
    "xxii_heads": Base(HEADS, {"cases": heads_first}),
    "xxii_regs": Base(REGS, cases="matmul"),
    "xxii_linear": Base(LINEAR, {"cases": linear}),
    "xxii_peel": Base(PEEL, {"cases": peel}),
    "xxii_int8": Base(QUANT, {"cases": quant}),
    "xxii_soft": Base(SOFT, cases="softmax"),
    "xxii_logs": Base(LOGS, {"cases": logs}),
    "xxii_layer": Base(LAYER, {"cases": layer}),
    "xxii_fused": Base(FUSED, {"cases": fused}),
    "xxii_rowsum": Base(TOTAL, {"cases": total}),
    "xxii_square": Base(SQUARE, {"cases": square}),
    "xxii_rowpeak": Base(PEAK, {"cases": peak}),
}

WRONG = (
    # The second barrier is missing: the next tile overwrites the one that others still read.
    Wrong(
        "xxii_turn_one_barrier",
        "xxii_turn",
        "race | other element / left out / sides / twice",
        ("        __syncthreads();  // and may be overwritten\n", ""),
    ),
    # The padding was added to the line that reads, and not to the one that writes.
    Wrong(
        "xxii_turn_padding_forgotten",
        "xxii_turn",
        "other element / function / neighbour / swapped | unwritten / start / race / twice / left out / sides",
        ("local[ly * PITCH + lx] =", "local[ly * TILE + lx] ="),
    ),
    # The test of the first half was copied to the second, where the sides are exchanged.
    Wrong(
        "xxii_turn_same_test",
        "xxii_turn",
        "bounds / unwritten / left out / sides / swapped | tail / other element / twice / race / start",
        ("if (to_x < height && to_y < width)", "if (x < width && y < height)"),
    ),
    # Threads without an element to load leave, though they would have one to store.
    Wrong(
        "xxii_turn_leave_early",
        "xxii_turn",
        "unwritten / left out / tail / race / bounds | sides / start / timeout",
        (
            "if (x < width && y < height) local[",
            "if (x >= width || y >= height) return;\n        local[",
        ),
    ),
    # The loop was taken out, and the launch still asks for four groups at most.
    Wrong(
        "xxii_turn_four_bands",
        "xxii_turn",
        "unwritten / left out / grid | tail / sides / bounds",
        (
            "    for (int64_t band = get_group_id(1); band < bands; band += gridDim.y) {\n",
            "    const int64_t band = get_group_id(1);\n    if (band < bands) {\n",
        ),
    ),
    # The local array was copied from a kernel for integers.
    Wrong(
        "xxii_turn_local_int",
        "xxii_turn",
        "rounding / whole range / numbers / precision | nan / infinity / copy / function / sign of zero / subnormal / narrow",
        ("__shared__ float local[", "__shared__ int local["),
    ),
    # A grid may have 65,535 blocks downwards, and gets as many as there are bands.
    Wrong(
        "xxii_turn_tall_grid",
        "xxii_turn",
        "grid / refused | unwritten / sides / left out",
        ("(unsigned)(bands < 4 ? bands : 4)", "(unsigned)bands"),
    ),
    # The index is taken apart as if heads came before places already: a plain copy.
    Wrong(
        "xxii_heads_copied",
        "xxii_heads",
        "copy / swapped / function / other element | sides",
        ("h = i / dim % heads;", "h = i / dim / seq % heads;"),
        ("s = i / dim / heads % seq;", "s = i / dim % seq;"),
    ),
    # The other side of a batch is multiplied.
    Wrong(
        "xxii_heads_batch_stride",
        "xxii_heads",
        "bounds / sides / other element / unwritten / swapped | left out / twice / race / tail / function",
        ("((b * heads + h) * seq + s)", "((b * seq + h) * seq + s)"),
    ),
    # The number of halves is kept where packs are counted.
    Wrong(
        "xxii_heads_halves_counted",
        "xxii_heads",
        "bounds | tail / sides / alignment / twice / other element",
        ("    if (wide) total /= 8;\n", ""),
    ),
    # The step is that of the default block size.
    Wrong(
        "xxii_heads_step_256",
        "xxii_heads",
        "block size / unwritten / left out | tail / sides / grid",
        ("int64_t{gridDim.x} * blockDim.x;", "int64_t{gridDim.x} * 256;"),
    ),
    # Only the address that is read is looked at.
    Wrong(
        "xxii_heads_output_anywhere",
        "xxii_heads",
        "alignment | sides",
        (" && round16(in) && round16(out);", " && round16(in);"),
    ),
    # One of the two launches has lost its stream.
    Wrong(
        "xxii_heads_default_stream",
        "xxii_heads",
        "stream | race / alignment / sides",
        (", 0, stream>>>((const uint4*)in", ">>>((const uint4*)in"),
    ),
    # Past the last column the last one is taken again, as a texture does.
    Wrong(
        "xxii_regs_clamped",
        "xxii_regs",
        "tail / twice | sides / numbers / other element / function",
        ("r < M && ka < K ? A[r * K + ka]", "r < M ? A[r * K + (ka < K ? ka : K - 1)]"),
        ("kb < K && c < N ? B[kb * N + c]", "c < N ? B[(kb < K ? kb : K - 1) * N + c]"),
    ),
    # The first matrix has zeros there, so that the second one need not be tested.
    Wrong(
        "xxii_regs_zeros_are_enough",
        "xxii_regs",
        "bounds / tail | sides / nan / infinity / other element / numbers",
        ("kb < K && c < N ?", "c < N ?"),
    ),
    # Numbers that were made in steps of eight are stored side by side.
    Wrong(
        "xxii_regs_stored_side_by_side",
        "xxii_regs",
        "other element / swapped / function | neighbour / sides",
        ("col = left + tx + STEP * j;", "col = left + tx * TM + j;"),
    ),
    # The number of tiles is computed in the first call only.
    Wrong(
        "xxii_regs_static_across",
        "xxii_regs",
        "state | unwritten / left out / sides / bounds / other element / grid / twice / start",
        ("    const int64_t across = (N", "    static const int64_t across = (N"),
    ),
    # The bias is taken by the row of the result.
    Wrong(
        "xxii_linear_bias_of_row",
        "xxii_linear",
        "bounds / sides / other element / swapped | function / numbers",
        ("bias[o % n]", "bias[o / n]"),
    ),
    # Each of the 32 lanes starts with the bias.
    Wrong(
        "xxii_linear_bias_of_lanes",
        "xxii_linear",
        "twice / start / function | numbers / other element",
        ("float dot = 0.0f;", "float dot = bias[o % n];"),
        ("__float2half(dot + bias[o % n]);", "__float2half(dot);"),
    ),
    # Two halves at a time are read of rows of any length.
    Wrong(
        "xxii_linear_odd_rows",
        "xxii_linear",
        "alignment / tail / left out | sides",
        ("pairs = k % 2 == 0 && ", "pairs = "),
    ),
    # The products are those of halves.
    Wrong(
        "xxii_linear_half_products",
        "xxii_linear",
        "precision / rounding / infinity / whole range | numbers / function / subnormal / narrow / nan / sides / alignment",
        (
            "__half22float2(a2[p]), v = __half22float2(b2[p]);",
            "__half22float2(__hmul2(a2[p], b2[p]));",
        ),
        ("dot += u.x * v.x;", "dot += u.x;"),
        ("dot += u.y * v.y;", "dot += u.y;"),
    ),
    # Bytes before the round address are taken for numbers.
    Wrong(
        "xxii_peel_bytes",
        "xxii_peel",
        "alignment | sides / bounds",
        ("% 16) % 16 / 4;", "% 16) % 16;"),
    ),
    # A row may end before its first round address.
    Wrong(
        "xxii_peel_short_rows",
        "xxii_peel",
        "bounds / tail / other element | alignment / sides / twice / function",
        ("    if (head > n) head = n;\n", ""),
    ),
    # The last numbers are counted from the begin of the row, without those before the packs.
    Wrong(
        "xxii_peel_tail_too_early",
        "xxii_peel",
        "twice / tail | alignment / other element / sides / numbers / function",
        ("i = head + 4 * packs + t;", "i = 4 * packs + t;"),
    ),
    # As many bytes are cleared as there are numbers.
    Wrong(
        "xxii_int8_bytes_cleared",
        "xxii_int8",
        "zero before / start / state | numbers / twice / left out / tail / sides / unwritten",
        ("m * n * sizeof(int32_t), stream", "m * n, stream"),
    ),
    # The distance from the zero point is kept in a byte again.
    Wrong(
        "xxii_int8_byte_distance",
        "xxii_int8",
        "whole range / narrow | numbers / function / infinity / rounding",
        ("const int centered =", "const int8_t centered ="),
    ),
    # Slices add to the same number without an atomic.
    Wrong(
        "xxii_int8_plain_add",
        "xxii_int8",
        "race | left out / numbers / sides / other element",
        ("atomicAdd(&c[o], sum);", "c[o] += sum;"),
    ),
    # The zeros come in the default stream, which the other one need not wait for.
    Wrong(
        "xxii_int8_memset_elsewhere",
        "xxii_int8",
        "stream | race / zero before / state / start",
        ("cudaMemsetAsync(c", "cudaMemset(c"),
        ("sizeof(int32_t), stream)", "sizeof(int32_t))"),
    ),
    # Each lane goes on with the largest of its own numbers.
    Wrong(
        "xxii_soft_own_maximum",
        "xxii_soft",
        "left out / function / numbers / other element | nan / infinity / sides / precision",
        ("        most = all_max(most);\n", ""),
    ),
    # Every lane divides the whole row.
    Wrong(
        "xxii_soft_all_divide",
        "xxii_soft",
        "twice / race | function / numbers / sides / subnormal / precision",
        ("c = lane; c < cols; c += 32) to[c] /= sum;", "c = 0; c < cols; ++c) to[c] /= sum;"),
    ),
    # The largest absolute value is taken off, as for a scale.
    Wrong(
        "xxii_soft_absolute",
        "xxii_soft",
        "function / numbers / nan / infinity | start / precision / subnormal / whole range",
        ("most = fmaxf(most, from[c]);", "most = fmaxf(most, fabsf(from[c]));"),
    ),
    # Something small is added, so that nobody divides by zero.
    Wrong(
        "xxii_soft_epsilon",
        "xxii_soft",
        "function / precision / numbers | rounding / sides",
        ("to[c] /= sum;", "to[c] /= sum + 1e-5f;"),
    ),
    # The butterfly of the sum begins with half of a half.
    Wrong(
        "xxii_soft_hop_of_eight",
        "xxii_soft",
        "left out / function | sides / numbers / other element",
        ("for (int hop = 16; hop > 0;", "for (int hop = 8; hop > 0;"),
    ),
    # A number that seemed small enough.
    Wrong(
        "xxii_soft_from_minus_999",
        "xxii_soft",
        "start / numbers / nan | precision / subnormal / whole range / function / infinity",
        ("float most = -INFINITY;", "float most = -999.0f;"),
    ),
    # The logarithm with the base 2, as exponentials are fast with it.
    Wrong(
        "xxii_logs_base_two",
        "xxii_logs",
        "function | numbers / precision",
        ("lg = logf(total);", "lg = log2f(total);"),
    ),
    # The partner of a thread need not exist, if the block is no power of two.
    Wrong(
        "xxii_logs_no_partner",
        "xxii_logs",
        "block size / start / unwritten / bounds / other element | nan / numbers / race / state / infinity / left out / tail / zero before / refused",
        ("if (tid < s && tid + s < bd) sh[tid] +=", "if (tid < s) sh[tid] +="),
    ),
    # The logarithm of softmax, which may be 0.
    Wrong(
        "xxii_logs_of_softmax",
        "xxii_logs",
        "infinity / precision / numbers / subnormal | function / rounding / whole range",
        ("res[i] = v - m - lg;", "res[i] = logf(expf(v - m) / total);"),
    ),
    # What is masked is passed over, also where the result should be -infinity.
    Wrong(
        "xxii_logs_masked_unwritten",
        "xxii_logs",
        "unwritten / infinity / left out | numbers / nan / state",
        ("        res[i] = v", "        if (isinf(v)) continue;\n        res[i] = v"),
    ),
    # The maximum is taken off among halves.
    Wrong(
        "xxii_logs_half_difference",
        "xxii_logs",
        "rounding / precision / infinity | numbers / whole range / narrow / subnormal / function",
        ("v - m - lg;", "__half2float(__hsub(row[i], __float2half(m))) - lg;"),
    ),
    # Room for the threads that the author's block has.
    Wrong(
        "xxii_logs_room_for_256",
        "xxii_logs",
        "block size / bounds | refused",
        ("__shared__ float sh[1024];", "__shared__ float sh[256];"),
    ),
    # The square of the distance counts whole, whatever was merged.
    Wrong(
        "xxii_layer_merge_without_share",
        "xxii_layer",
        "function / left out / numbers / block size | sides / precision / twice",
        ("d * d * (a.n * share)};", "d * d};"),
    ),
    # Epsilon is handed on and not used.
    Wrong(
        "xxii_layer_no_eps",
        "xxii_layer",
        "left out / function / nan / infinity / numbers | precision / sides",
        ("sqrtf(all[0].m2 / d + eps);", "sqrtf(all[0].m2 / d);"),
    ),
    # The weight multiplies the bias too.
    Wrong(
        "xxii_layer_bias_first",
        "xxii_layer",
        "function / swapped | numbers",
        ("(in[i] - mean) * rstd * w[i] + b[i];", "((in[i] - mean) * rstd + b[i]) * w[i];"),
    ),
    # The weight is taken by the thread, and a row may be longer than a block.
    Wrong(
        "xxii_layer_weight_of_thread",
        "xxii_layer",
        "other element / block size / sides | twice / left out / function / numbers",
        ("rstd * w[i] +", "rstd * w[t] +"),
    ),
    # The launch asks for the shared memory of floats.
    Wrong(
        "xxii_layer_bytes_of_floats",
        "xxii_layer",
        "bounds / block size | race / unwritten / start / left out",
        ("block_size * sizeof(Stats);", "block_size * sizeof(float);"),
    ),
    # Both factors are the distance from the mean before it was updated.
    Wrong(
        "xxii_layer_old_distance_twice",
        "xxii_layer",
        "function / numbers / precision | sides / left out / twice / block size / other element",
        ("delta * (v - mine.mean);", "delta * delta;"),
    ),
    # The squares are those of x alone.
    Wrong(
        "xxii_fused_without_residual",
        "xxii_fused",
        "function / left out / other element | numbers / swapped",
        ("const float f = __half2float(s);", "const float f = __half2float(x[base + i]);"),
    ),
    # The residual stream is updated in place as well, as a caller once wanted.
    Wrong(
        "xxii_fused_residual_updated",
        "xxii_fused",
        "input | state / twice / race",
        ("added[base + i] = s;", "added[base + i] = const_cast<half*>(res)[base + i] = s;"),
    ),
    # The mean is taken over the threads.
    Wrong(
        "xxii_fused_mean_of_threads",
        "xxii_fused",
        "block size / function / sides | numbers",
        ("rsqrtf(q / n + eps);", "rsqrtf(q / blockDim.x + eps);"),
    ),
    # Four warps, whatever the block has.
    Wrong(
        "xxii_fused_four_warps",
        "xxii_fused",
        "block size / left out / start / unwritten | bounds / sides / numbers / nan / race / state / other element",
        ("k < blockDim.x / 32; ++k)", "k < 4; ++k)"),
    ),
    # The squares are those of halves, which end at 65,504.
    Wrong(
        "xxii_fused_half_squares",
        "xxii_fused",
        "infinity / whole range / precision / rounding | numbers / subnormal / narrow / function",
        ("q += f * f;", "q += __half2float(__hmul(s, s));"),
        ("        const float f = __half2float(s);\n", ""),
    ),
    # Weights about 0, as another model has them.
    Wrong(
        "xxii_fused_one_more",
        "xxii_fused",
        "function | numbers / start / twice",
        ("scale * __half2float(w[i])", "scale * (1.0f + __half2float(w[i]))"),
    ),
    # A sum of int in an int.
    Wrong(
        "xxii_rowsum_int",
        "xxii_rowsum",
        "whole range / narrow | numbers / infinity / sides / function / rounding",
        ("    long long s = 0;\n", "    int s = 0;\n"),
    ),
    # The shuffle works within half a warp.
    Wrong(
        "xxii_rowsum_width_16",
        "xxii_rowsum",
        "left out / function / twice | sides / numbers / other element",
        ("__shfl_down_sync(~0u, s, o);", "__shfl_down_sync(~0u, s, o, 16);"),
    ),
    # The last number of a row does not count.
    Wrong(
        "xxii_rowsum_one_less",
        "xxii_rowsum",
        "tail / left out / bounds | sides / numbers",
        ("i < n; i += 32)", "i < n - 1; i += 32)"),
    ),
    # The last lane writes, though the sum has gone down to the first.
    Wrong(
        "xxii_rowsum_last_lane",
        "xxii_rowsum",
        "other element / left out / function / twice | sides / numbers / swapped",
        ("if (lane == 0) y[r] = s;", "if (lane == 31) y[r] = s;"),
    ),
    # The begin of a row is an int, which ends at 2^31.
    Wrong(
        "xxii_rowsum_narrow_begin",
        "xxii_rowsum",
        "narrow | bounds / whole range / infinity / sides / other element",
        ("*row = x + r * n;", "*row = x + (int)(r * n);"),
    ),
    # The square is read down its columns.
    Wrong(
        "xxii_square_columns",
        "xxii_square",
        "swapped / function / other element | sides / left out / numbers / race",
        ("s += square[me][k];", "s += square[k][me];"),
    ),
    # Only the rows are tested: a row goes on with the begin of the next one.
    Wrong(
        "xxii_square_columns_not_tested",
        "xxii_square",
        "bounds / tail / other element / twice / sides | neighbour / function",
        ("first + k < m && c + me < n ?", "first + k < m ?"),
    ),
    # A block is one warp, and a warp is thought to need no barrier.
    Wrong(
        "xxii_square_no_barriers",
        "xxii_square",
        "race | start / unwritten / left out / numbers / sides / tail / zero before / other element",
        ("        __syncthreads();  // loaded\n", ""),
        ("        __syncthreads();  // added\n", ""),
    ),
    # The step is the pitch of the square, with its padding.
    Wrong(
        "xxii_square_padded_step",
        "xxii_square",
        "left out | sides / tail / numbers / function",
        ("c < n; c += W)", "c < n; c += W + 1)"),
    ),
    # The maximum is set before a block's first row only.
    Wrong(
        "xxii_rowpeak_set_once",
        "xxii_rowpeak",
        "start / other element / zero before / grid | state / numbers / sides / race / twice",
        ("        if (threadIdx.x == 0) best = 0u;\n", ""),
        ("unsigned best;\n", "unsigned best;\n    if (threadIdx.x == 0) best = 0u;\n"),
    ),
    # Negative numbers keep the order of their bits, in which -2 is more than -1.
    Wrong(
        "xxii_rowpeak_negative_order",
        "xxii_rowpeak",
        "numbers / function / swapped | infinity / whole range / other element / left out",
        ("? 0xffffu - b : b + 0x8000u;", "? b - 0x8000u : b + 0x8000u;"),
        ("? k - 0x8000u : 0xffffu - k));", "? k - 0x8000u : k + 0x8000u));"),
    ),
    # A NaN is below all.
    Wrong(
        "xxii_rowpeak_nan_below",
        "xxii_rowpeak",
        "nan | left out / numbers",
        ("return 0xffffu;  // a NaN", "return 0u;  // a NaN"),
    ),
    # The result is stored before all have joined.
    Wrong(
        "xxii_rowpeak_stored_early",
        "xxii_rowpeak",
        "race | left out / numbers / other element / start / sides",
        ("        __syncthreads();  // all have joined\n", ""),
    ),
)

RIGHT = (
    # Tiles of seven, in blocks of 49 threads.
    Right("xxii_turn_sevens", "xxii_turn", ("#define TILE 16", "#define TILE 7")),
    # One group goes down all bands, and no padding.
    Right(
        "xxii_turn_one_down",
        "xxii_turn",
        ("(unsigned)(bands < 4 ? bands : 4)", "1u"),
        ("#define PITCH (TILE + 1)", "#define PITCH TILE"),
    ),
    # The index is the result's, and the input is read with steps.
    Right(
        "xxii_heads_gathered",
        "xxii_heads",
        ("h = i / dim % heads;", "h = i / dim / seq % heads;"),
        ("s = i / dim / heads % seq;", "s = i / dim % seq;"),
        (
            "out[((b * heads + h) * seq + s) * dim + d] = in[i];",
            "out[i] = in[((b * seq + s) * heads + h) * dim + d];",
        ),
    ),
    # The first thread takes the last element.
    Right(
        "xxii_heads_backwards",
        "xxii_heads",
        (
            "int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < total; i += stride)",
            "int64_t i = total - 1 - (int64_t{blockIdx.x} * blockDim.x + threadIdx.x); i >= 0; i -= stride)",
        ),
    ),
    # Three columns at a time.
    Right(
        "xxii_regs_three_deep", "xxii_regs", ("constexpr int BK = 8;", "constexpr int BK = 3;")
    ),
    # A thread's numbers stand side by side, in the loop and in the store.
    Right(
        "xxii_regs_side_by_side",
        "xxii_regs",
        (
            "As[k][ty + STEP * i] * Bs[k][tx + STEP * j];",
            "As[k][ty * TM + i] * Bs[k][tx * TM + j];",
        ),
        (
            "row = top + ty + STEP * i, col = left + tx + STEP * j;",
            "row = top + ty * TM + i, col = left + tx * TM + j;",
        ),
    ),
    # The bias comes in through one lane.
    Right(
        "xxii_linear_bias_of_one_lane",
        "xxii_linear",
        ("float dot = 0.0f;", "float dot = lane == 5 ? bias[o % n] : 0.0f;"),
        ("__float2half(dot + bias[o % n]);", "__float2half(dot);"),
    ),
    # All lanes have the sum, and the 18th writes it.
    Right(
        "xxii_linear_lane_17",
        "xxii_linear",
        ("__shfl_down_sync(0xffffffff, dot, d);", "__shfl_xor_sync(0xffffffff, dot, d);"),
        ("if (lane == 0) y[o]", "if (lane == 17) y[o]"),
    ),
    # Four numbers more are taken off than there must be.
    Right("xxii_peel_four_more", "xxii_peel", ("% 16) % 16 / 4;", "% 16) % 16 / 4 + 4;")),
    # A slice is one number: as many atomics as products.
    Right("xxii_int8_slices_of_one", "xxii_int8", ("SLICE = 24;", "SLICE = 1;")),
    # The exponentials are computed twice, and the output is written once.
    Right(
        "xxii_soft_computed_twice",
        "xxii_soft",
        ("sum += to[c] = expf(from[c] - most);", "sum += expf(from[c] - most);"),
        ("to[c] /= sum;", "to[c] = expf(from[c] - most) / sum;"),
    ),
    # The partners' distance starts far too large, which the test catches.
    Right(
        "xxii_logs_far_partners", "xxii_logs", ("    int top = 1;\n", "    int top = 2048;\n")
    ),
    # The last thread of the block merges the others' numbers the other way round.
    Right(
        "xxii_layer_merged_backwards",
        "xxii_layer",
        ("all[t] = merge(all[t], all[t + half]);", "all[t] = merge(all[t + half], all[t]);"),
    ),
    # Mean and squares are counted from the thread's first number.
    Right(
        "xxii_layer_from_the_first",
        "xxii_layer",
        ("Stats mine = {0, 0.0f, 0.0f};", "Stats mine = {0, t < d ? in[t] : 0.0f, 0.0f};"),
    ),
    # The sum is computed again, and not read back.
    Right(
        "xxii_fused_added_again",
        "xxii_fused",
        (
            "const float v = __half2float(added[base + i]);",
            "const float v = __half2float(__float2half(__half2float(x[base + i]) + __half2float(res[base + i])));",
        ),
    ),
    # Sums without a sign, which wrap around to the right ones.
    Right(
        "xxii_rowsum_unsigned",
        "xxii_rowsum",
        ("    long long s = 0;\n", "    unsigned long long s = 0;\n"),
    ),
    # Squares of eight, in blocks of eight threads.
    Right("xxii_square_eights", "xxii_square", ("#define W 32", "#define W 8")),
    # The key of -infinity is the least one that a number has.
    Right(
        "xxii_rowpeak_from_infinity",
        "xxii_rowpeak",
        ("unsigned mine = 0u;", "unsigned mine = 0x3ffu;"),
    ),
)
