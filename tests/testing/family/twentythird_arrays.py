"""Hold a twenty-third family: transposes, products, softmax, norms, sums and maxima of rows.

Of the 65 wrong ones three are wrong by reasoning, as the emulator runs one thing after another:

    xxiii_transpose_bytes_int           of 2^31 bytes or more, whose sides are not all fours
    xxiii_product_vector_own_stream     if `stream` has not yet written the input
    xxiii_rows_slices_first_one_stores  if a later slice is added before the first one's store
"""

# ruff: noqa: E501 (a line of a kernel stands in one line)
from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong

# A reader of the well-known post: 32 x 8 threads turn 32 x 32 doubles, page by page.
PAGES = (
    HEADER
    + """\
#define TILE_DIM 32
#define BLOCK_ROWS 8

__global__ void transposePages(double* odata, const double* idata, int64_t rows, int64_t cols, int64_t across, int64_t down, int64_t tiles) {
    __shared__ double tile[TILE_DIM][TILE_DIM + 1];
    const int tx = threadIdx.x;
    for (int64_t id = blockIdx.x; id < tiles; id += gridDim.x) {
        const int64_t page = id / (across * down), here = id % (across * down);
        const int64_t x0 = here % across * TILE_DIM, y0 = here / across * TILE_DIM;
        const double* in = idata + page * rows * cols;
        double* out = odata + page * rows * cols;
        for (int j = threadIdx.y; j < TILE_DIM; j += BLOCK_ROWS) {
            if (x0 + tx < cols && y0 + j < rows) tile[j][tx] = in[(y0 + j) * cols + x0 + tx];
        }
        __syncthreads();
        for (int i = threadIdx.y; i < TILE_DIM; i += BLOCK_ROWS) {
            if (y0 + tx < rows && x0 + i < cols) out[(x0 + i) * rows + y0 + tx] = tile[tx][i];
        }
        __syncthreads();
    }
}

extern "C" void launch(const double* idata /* [batch, rows, cols] */, double* odata /* [batch, cols, rows] */, int64_t batch, int64_t rows, int64_t cols, cudaStream_t stream = 0) {
    const int64_t across = (cols + TILE_DIM - 1) / TILE_DIM, down = (rows + TILE_DIM - 1) / TILE_DIM;
    const int64_t tiles = batch * across * down;
    const unsigned blocks = tiles < 5 ? tiles : 5;
    transposePages<<<blocks, dim3(TILE_DIM, BLOCK_ROWS), 0, stream>>>(odata, idata, rows, cols, across, down, tiles);
}
"""
)

# A C programmer who turns pictures: four by four bytes in registers, if all sides allow it.
BYTES = (
    HEADER
    + """\
__global__ void turn4(const uint32_t *in, uint32_t *out, int64_t h4, int64_t w4)  /* sides in fours */
{
    int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < h4 * w4; i += step) {
        int64_t y = i / w4, x = i % w4;
        const uint32_t *p = in + 4 * y * w4 + x;
        uint32_t *q = out + 4 * x * h4 + y;
        uint32_t a = p[0], b = p[w4], c = p[2 * w4], d = p[3 * w4];
        uint32_t ab = __byte_perm(a, b, 0x5140), AB = __byte_perm(a, b, 0x7362);
        uint32_t cd = __byte_perm(c, d, 0x5140), CD = __byte_perm(c, d, 0x7362);
        q[0] = __byte_perm(ab, cd, 0x5410);
        q[h4] = __byte_perm(ab, cd, 0x7632);
        q[2 * h4] = __byte_perm(AB, CD, 0x5410);
        q[3 * h4] = __byte_perm(AB, CD, 0x7632);
    }
}

__global__ void turn1(const uint8_t *in, uint8_t *out, int64_t h, int64_t w)
{
    int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t k = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; k < h * w; k += step) out[k % w * h + k / w] = in[k];
}

extern "C" void launch(const uint8_t *in /* [h, w] */, uint8_t *out /* [w, h] */, int64_t h, int64_t w, int block_size = 128, cudaStream_t stream = 0)
{
    if (h % 4 == 0 && w % 4 == 0 && (uintptr_t)in % 4 == 0 && (uintptr_t)out % 4 == 0)
        turn4<<<3, block_size, 0, stream>>>((const uint32_t *)in, (uint32_t *)out, h / 4, w / 4);
    else
        turn1<<<7, block_size, 0, stream>>>(in, out, h, w);
}
"""
)

# Somebody who replaces BLAS: out = alpha A B + beta D, and D is not looked at if beta is 0.
ADDMM = (
    HEADER
    + """\
#define T 16

__global__ void addmm(const float* A, const float* B, const float* D, float* out, int64_t m, int64_t n, int64_t k, float alpha, float beta, int64_t across) {
    __shared__ float As[T][T], Bs[T][T];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int64_t row = blockIdx.x / across * T + ty, col = blockIdx.x % across * T + tx;
    float sum = 0.0f;
    for (int64_t p = 0; p < k; p += T) {
        As[ty][tx] = row < m && p + tx < k ? A[row * k + p + tx] : 0.0f;
        Bs[ty][tx] = p + ty < k && col < n ? B[(p + ty) * n + col] : 0.0f;
        __syncthreads();
        for (int i = 0; i < T; ++i) sum += As[ty][i] * Bs[i][tx];
        __syncthreads();
    }
    if (row < m && col < n) {
        float value = alpha * sum;
        if (beta != 0.0f) value += beta * D[row * n + col];
        out[row * n + col] = value;
    }
}

extern "C" void launch(const float* A /* [m, k] */, const float* B /* [k, n] */, const float* D /* [m, n] */, float* out /* [m, n] */, int64_t m, int64_t n, int64_t k, float alpha = 1.0f, float beta = 1.0f, cudaStream_t stream = 0) {
    const int64_t across = (n + T - 1) / T, down = (m + T - 1) / T;
    addmm<<<(unsigned)(across * down), dim3(T, T), 0, stream>>>(A, B, D, out, m, n, k, alpha, beta, across);
}
"""
)

# A careful engineer: the first matrix is transposed, and the next tile is loaded meanwhile.
TN = (
    HEADER
    + """\
constexpr int kSide = 16;
constexpr int kTiles = 2;  // one is used, one is loaded

__device__ float value(__nv_bfloat16 v) { return __bfloat162float(v); }

__global__ void tn(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c, int64_t m, int64_t n, int64_t k, int64_t across) {
    __shared__ float of_a[kTiles][kSide][kSide];
    __shared__ float of_b[kTiles][kSide][kSide];
    const int x = threadIdx.x, y = threadIdx.y;
    const int64_t top = blockIdx.x / across * kSide, left = blockIdx.x % across * kSide;
    const auto load = [&](int64_t s) {
        const int64_t r = s * kSide + y;
        of_a[s % kTiles][y][x] = r < k && top + x < m ? value(a[r * m + top + x]) : 0.0f;
        of_b[s % kTiles][y][x] = r < k && left + x < n ? value(b[r * n + left + x]) : 0.0f;
    };
    float sum = 0.0f;
    load(0);
    for (int64_t s = 0; s * kSide < k; ++s) {
        __syncthreads();  // tile s is there, and tile s - 1 is used up
        load(s + 1);
        for (int i = 0; i < kSide; ++i) sum += of_a[s % kTiles][i][y] * of_b[s % kTiles][i][x];
    }
    if (top + y < m && left + x < n) c[(top + y) * n + left + x] = sum;
}

extern "C" void launch(const __nv_bfloat16* a /* [k, m] */, const __nv_bfloat16* b /* [k, n] */, float* c /* [m, n] */, int64_t k, int64_t m, int64_t n, cudaStream_t stream = 0) {
    const int64_t across = (n + kSide - 1) / kSide, down = (m + kSide - 1) / kSide;
    tn<<<static_cast<unsigned>(across * down), dim3(kSide, kSide), 0, stream>>>(a, b, c, m, n, k, across);
}
"""
)

# Somebody who comes from Numba: a transposed matrix times a vector, which is shared in chunks.
VECTOR = (
    HEADER
    + """\
const int CHUNK = 96;

__global__ void at_x(const float* a, const float* x, float* y, int64_t rows, int64_t cols) {
    __shared__ float part[CHUNK];
    for (int64_t left = (int64_t)blockIdx.x * blockDim.x; left < cols; left += (int64_t)gridDim.x * blockDim.x) {
        const int64_t col = left + threadIdx.x;
        float sum = 0;
        for (int64_t r0 = 0; r0 < rows; r0 += CHUNK) {
            const int64_t here = min((int64_t)CHUNK, rows - r0);
            for (int j = threadIdx.x; j < here; j += blockDim.x) part[j] = x[r0 + j];
            __syncthreads();
            if (col < cols) {
                for (int j = 0; j < here; j++) sum += a[(r0 + j) * cols + col] * part[j];
            }
            __syncthreads();
        }
        if (col < cols) y[col] = sum;
    }
}

extern "C" void launch(const float* a /* [rows, cols] */, const float* x /* [rows] */, float* y /* [cols] */, int64_t rows, int64_t cols, int block_size = 128, cudaStream_t stream = 0) {
    const int64_t blocks = (cols + block_size - 1) / block_size;
    at_x<<<(unsigned)(blocks < 32 ? blocks : 32), block_size, 0, stream>>>(a, x, y, rows, cols);
}
"""
)

# A reader of papers on attention: maximum and sum of a row in one pass, then merged.
ONLINE = (
    HEADER
    + """\
struct Run {
    float top;
    float sum;  // of exp(v - top)
};

__device__ Run join(Run a, Run b) {
    if (b.top > a.top) {
        const Run c = a;
        a = b;
        b = c;
    }
    a.sum += b.sum * (b.top == a.top ? 1.0f : expf(b.top - a.top));
    return a;
}

__global__ void online(const float* x, float* out, int64_t rows, int64_t cols) {
    __shared__ Run of_warps[32];
    const int t = threadIdx.x;
    for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
        const float* in = x + row * cols;
        Run run = {-INFINITY, 0.0f};
        for (int64_t i = t; i < cols; i += blockDim.x) {
            const float v = in[i];
            if (v == -INFINITY) continue;
            if (v > run.top) {
                run.sum = run.sum * expf(run.top - v) + expf(v - v);  // NaN if v is infinite
                run.top = v;
            } else {
                run.sum += expf(v - run.top);
            }
        }
        for (int hop = 16; hop > 0; hop /= 2) {
            const float top = __shfl_xor_sync(0xffffffff, run.top, hop);
            const float sum = __shfl_xor_sync(0xffffffff, run.sum, hop);
            run = join(run, Run{top, sum});
        }
        if (t % 32 == 0) of_warps[t / 32] = run;
        __syncthreads();
        run = of_warps[0];
        for (int w = 1; w < blockDim.x / 32; ++w) run = join(run, of_warps[w]);
        for (int64_t i = t; i < cols; i += blockDim.x) out[row * cols + i] = expf(in[i] - run.top) / run.sum;
        __syncthreads();
    }
}

extern "C" void launch(const float* x /* [rows, cols] */, float* out /* [rows, cols] */, int64_t rows, int64_t cols, int block_size = 128, cudaStream_t stream = 0) {
    const int threads = (block_size + 31) / 32 * 32;
    online<<<(unsigned)(rows < 6 ? rows : 6), threads, 0, stream>>>(x, out, rows, cols);
}
"""
)

# Somebody who writes attention by hand: query i sees the keys up to i, and a warp has a row.
CAUSAL = (
    HEADER
    + """\
#define ALL 0xffffffff

__device__ float score(const half* row, int64_t j, int64_t i, float scale) {
    return j <= i ? scale * __half2float(row[j]) : -INFINITY;
}

__global__ void causal(const half* x, half* out, int64_t rows, int64_t q, int64_t k, float scale) {
    const int lane = threadIdx.x;
    for (int64_t r = (int64_t)blockIdx.x * 4 + threadIdx.y; r < rows; r += (int64_t)gridDim.x * 4) {
        const half* row = x + r * k;
        const int64_t i = r % q;
        float top = -INFINITY, sum = 0.0f;
        for (int64_t j = lane; j < k; j += 32) top = fmaxf(top, score(row, j, i, scale));
        for (int o = 16; o; o >>= 1) top = fmaxf(top, __shfl_xor_sync(ALL, top, o));
        for (int64_t j = lane; j < k; j += 32) sum += expf(score(row, j, i, scale) - top);
        for (int o = 16; o; o >>= 1) sum += __shfl_xor_sync(ALL, sum, o);
        for (int64_t j = lane; j < k; j += 32) {
            const float p = expf(score(row, j, i, scale) - top) / sum;
            out[r * k + j] = __float2half(p);
        }
    }
}

extern "C" void launch(const half* x /* [batch, q, k] */, half* out /* [batch, q, k] */, int64_t batch, int64_t q, int64_t k, float scale = 0.125f, cudaStream_t stream = 0) {
    causal<<<10, dim3(32, 4), 0, stream>>>(x, out, batch * q, q, k, scale);
}
"""
)

# A beginner: log-softmax, a thread a row.
LOGS = (
    HEADER
    + """\
__global__ void logSoftmax(const float* x, float* y, int64_t rows, int64_t cols) {
    int64_t row = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float biggest = -INFINITY;
    for (int64_t j = 0; j < cols; j++) {
        if (x[row * cols + j] > biggest) biggest = x[row * cols + j];
    }
    double total = 0;
    for (int64_t j = 0; j < cols; j++) {
        total += exp((double)x[row * cols + j] - biggest);
    }
    float logTotal = log(total);
    for (int64_t j = 0; j < cols; j++) {
        y[row * cols + j] = x[row * cols + j] - biggest - logTotal;
    }
}

extern "C" void launch(const float* x /* [rows, cols] */, float* y /* [rows, cols] */, int64_t rows, int64_t cols, cudaStream_t stream = 0) {
    logSoftmax<<<(rows + 63) / 64, 64, 0, stream>>>(x, y, rows, cols);
}
"""
)

# Somebody who will need it for training: layer norm that keeps mean and 1 / deviation.
LAYER = (
    HEADER
    + """\
__device__ float block_sum(float v, float* part) {
    for (int hop = 16; hop > 0; hop >>= 1) v += __shfl_xor_sync(0xffffffffu, v, hop);
    __syncthreads();  // the sum before has been read
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
    __syncthreads();
    float s = 0.0f;
    for (int w = 0; w < blockDim.x / 32; ++w) s += part[w];
    return s;
}

__global__ void layer_norm(const float* x, const float* w, const float* b, float* y, float* mean, float* rstd, int64_t rows, int64_t d, float eps) {
    __shared__ float part[32];
    for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
        const float* in = x + row * d;
        float sum = 0.0f, squares = 0.0f;
        for (int64_t i = threadIdx.x; i < d; i += blockDim.x) sum += in[i];
        const float mu = block_sum(sum, part) / d;
        for (int64_t i0 = 0; i0 < d; i0 += blockDim.x) {
            const int64_t i = i0 + threadIdx.x;
            const float dist = i < d ? in[i] - mu : 0.0f;
            squares += dist * dist;
        }
        const float var = block_sum(squares, part) / d;
        const float r = rsqrtf(var + eps);
        for (int64_t i = threadIdx.x; i < d; i += blockDim.x) y[row * d + i] = (in[i] - mu) * r * w[i] + b[i];
        if (threadIdx.x == 0) {
            mean[row] = mu;
            rstd[row] = r;
        }
    }
}

extern "C" void launch(const float* x,  // [rows, d]
                       const float* w,  // [d]
                       const float* b,  // [d]
                       float* y,        // [rows, d]
                       float* mean,     // [rows]
                       float* rstd,     // [rows]
                       int64_t rows, int64_t d, float eps = 1e-5f, int block_size = 128, cudaStream_t stream = 0) {
    const int threads = (block_size + 31) / 32 * 32;
    layer_norm<<<(unsigned)(rows < 8 ? rows : 8), threads, 0, stream>>>(x, w, b, y, mean, rstd, rows, d, eps);
}
"""
)

# Somebody with short rows and a liking for cooperative groups: RMS norm, eight lanes a row.
RMS = (
    HEADER
    + """\
#include <cooperative_groups.h>

namespace cg = cooperative_groups;
constexpr int kLanes = 8;  // of a row

__global__ void rms(const __nv_bfloat16* x, const float* w, __nv_bfloat16* y, int64_t rows, int64_t n, float eps) {
    const auto lanes = cg::tiled_partition<kLanes>(cg::this_thread_block());
    const int64_t row = (int64_t{blockIdx.x} * blockDim.x + threadIdx.x) / kLanes;
    if (row >= rows) return;  // all lanes of a row, or none
    x += row * n;
    y += row * n;
    float q = 0.0f;
    for (int64_t i = lanes.thread_rank(); i < n; i += kLanes) {
        const float v = __bfloat162float(x[i]);
        q += v * v;
    }
    for (int hop = kLanes / 2; hop > 0; hop /= 2) q += lanes.shfl_xor(q, hop);
    const float scale = rsqrtf(q / n + eps);
    for (int64_t i = lanes.thread_rank(); i < n; i += kLanes) {
        const float v = __bfloat162float(x[i]) * scale;
        y[i] = __float2bfloat16(v * w[i]);
    }
}

extern "C" void launch(const __nv_bfloat16* x /* [rows, n] */, const float* w /* [n] */, __nv_bfloat16* y /* [rows, n] */, int64_t rows, int64_t n, float eps = 1e-5f, int block_size = 64, cudaStream_t stream = 0) {
    const int64_t threads = (block_size + 31) / 32 * 32;
    const int64_t blocks = (rows * kLanes + threads - 1) / threads;
    rms<<<(unsigned)blocks, (unsigned)threads, 0, stream>>>(x, w, y, rows, n, eps);
}
"""
)

# Somebody who writes samplers: a row's maximum and its first place; NaN is more than all.
FIRST = (
    HEADER
    + """\
struct Best {
    float value;
    long long at;
};

__device__ bool beats(Best b, Best a) {
    if (isnan(b.value) || isnan(a.value)) return isnan(b.value) && (!isnan(a.value) || b.at < a.at);
    return b.value > a.value || (b.value == a.value && b.at < a.at);
}

__global__ void first_max(const float* x, float* value, int64_t* at, int64_t m, int64_t n) {
    const int lane = threadIdx.x;
    for (int64_t r = (int64_t)blockIdx.x * 8 + threadIdx.y; r < m; r += (int64_t)gridDim.x * 8) {
        Best best = {-INFINITY, INT64_MAX};
        for (int64_t i = lane; i < n; i += 32) {
            const Best b = {x[r * n + i], i};
            if (beats(b, best)) best = b;
        }
        for (int o = 16; o > 0; o /= 2) {
            Best b;
            b.value = __shfl_down_sync(0xffffffff, best.value, o);
            b.at = __shfl_down_sync(0xffffffff, best.at, o);
            if (beats(b, best)) best = b;
        }
        if (lane == 0) {
            value[r] = best.value;
            at[r] = best.at;
        }
    }
}

extern "C" void launch(const float* x /* [m, n] */, float* value /* [m] */, int64_t* at /* [m] */, int64_t m, int64_t n, cudaStream_t stream = 0) {
    first_max<<<3, dim3(32, 8), 0, stream>>>(x, value, at, m, n);
}
"""
)

# Somebody with few and long rows: each warp adds up a slice of a row, and atomics join them.
SLICES = (
    HEADER
    + """\
constexpr int SLICE = 160;

__global__ void clear(float* y, int64_t m) {
    const int64_t r = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (r < m) y[r] = 0.0f;
}

__global__ void add_slices(const half* x, float* y, int64_t n, int64_t slices, int64_t items) {
    const int lane = threadIdx.x;
    for (int64_t item = int64_t{blockIdx.x} * 4 + threadIdx.y; item < items; item += int64_t{gridDim.x} * 4) {
        const int64_t row = item / slices, begin = item % slices * SLICE;
        const int64_t end = begin + SLICE < n ? begin + SLICE : n;
        float s = 0.0f;
        for (int64_t i = begin + lane; i < end; i += 32) s += __half2float(x[row * n + i]);
        for (int o = 1; o < 32; o *= 2) s += __shfl_xor_sync(0xffffffff, s, o);
        if (lane == 0) atomicAdd(&y[row], s);
    }
}

extern "C" void launch(const half* x /* [m, n] */, float* y /* [m] */, int64_t m, int64_t n, cudaStream_t stream = 0) {
    clear<<<(unsigned)((m + 127) / 128), 128, 0, stream>>>(y, m);
    const int64_t slices = (n + SLICE - 1) / SLICE;
    add_slices<<<16, dim3(32, 4), 0, stream>>>(x, y, n, slices, m * slices);
}
"""
)

# A careful engineer of databases: maxima of rows of long integers, with a tree.
PEAKS = (
    HEADER
    + """\
__device__ int64_t more(int64_t a, int64_t b) { return a < b ? b : a; }

__global__ void peaks(const int64_t* x, int64_t* y, int64_t m, int64_t n) {
    extern __shared__ int64_t seen[];
    const int t = threadIdx.x;
    for (int64_t row = blockIdx.x; row < m; row += gridDim.x) {
        int64_t top = INT64_MIN;
        for (int64_t i = t; i < n; i += blockDim.x) top = more(top, x[row * n + i]);
        seen[t] = top;
        __syncthreads();
        for (int left = blockDim.x; left > 1;) {
            const int half = (left + 1) / 2;
            if (t + half < left) seen[t] = more(seen[t], seen[t + half]);
            __syncthreads();
            left = half;
        }
        if (t == 0) y[row] = seen[0];
    }
}

extern "C" void launch(const int64_t* x /* [m, n] */, int64_t* y /* [m] */, int64_t m, int64_t n, int block_size = 96, cudaStream_t stream = 0) {
    const size_t bytes = block_size * sizeof(int64_t);
    peaks<<<(unsigned)(m < 5 ? m : 5), block_size, bytes, stream>>>(x, y, m, n);
}
"""
)

SHAPES = ((1, 1), (1, 7), (13, 1), (3, 31), (4, 32), (20, 45), (2, 290), (3, 1030), (300, 6))
BLOCKS = (32, 100, 256)
# m, n and k: results down and across, and the numbers that are added.
PRODUCTS = ((1, 1, 1), (3, 5, 2), (16, 32, 48), (37, 5, 63), (20, 61, 101), (3, 130, 220))
HALF, FLOAT = (torch.float16,), (torch.float32,)
INF, NAN = float("inf"), float("nan")


def _whole(*size: int, seed: int, limit: int = 50) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(-limit, limit + 1, size, generator=generator).float()


def _case(size: tuple, words: str, x: tuple, right, dtypes: tuple, scalars=None, **options):
    label = f"{' x '.join(map(str, size))} {words} {scalars or ''}".strip()
    right = right if isinstance(right, tuple) else (right,)
    return Case(label, x, right, *([scalars] if scalars else []), dtypes=dtypes, **options)


def pages(launcher: Launcher) -> Iterator[Case]:
    """Turn pages of doubles that need all their bits, and of zeros and ones."""
    for size in ((1, 1, 1), (1, 40, 40), (3, 5, 7), (2, 64, 32), (4, 33, 20), (7, 66, 3)):
        x = _whole(*size, seed=sum(size), limit=9999).double()
        for words, values in (("long", 1.0 + x * 2.0**-40), ("short", x % 2)):
            right = values.transpose(1, 2).contiguous()
            yield _case(size, words, (values,), right, (torch.float64,))


def turned_bytes(launcher: Launcher) -> Iterator[Case]:
    """Turn bytes: sides of fours, and others."""
    sizes = (1, 1), (4, 4), (8, 12), (5, 8), (8, 5), (16, 64), (33, 44), (40, 20), (4, 300)
    for h, w in sizes:
        for block_size in (32, 128, 200):
            x = (_whole(h, w, seed=h + 3 * w, limit=127) + 127).to(torch.uint8)
            right, scalars = x.T.contiguous(), {"block_size": block_size}
            yield _case((h, w), "", (x,), right, (torch.uint8,), scalars)


def addmm(launcher: Launcher) -> Iterator[Case]:
    """Multiply and add, with factors; what is added is NaN where it does not count."""
    for m, n, k in PRODUCTS:
        for alpha, beta in ((1.0, 1.0), (-2.0, 0.5), (0.5, 0.0)):
            a, b = _whole(m, k, seed=m + k, limit=15), _whole(k, n, seed=k + n, limit=15)
            d = _whole(m, n, seed=m + n) if beta else torch.full((m, n), NAN)
            right = alpha * (a.double() @ b.double()) + (beta * d.double() if beta else 0.0)
            scalars = {"alpha": alpha, "beta": beta}
            yield _case((m, k, n), "", (a, b, d), right, FLOAT, scalars)


def tn(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole bfloat16 numbers and eighths."""
    for m, n, k in PRODUCTS:
        for words, scale, shift in (("whole", 1.0, 0), ("eighths", 0.125, 2)):
            a = (_whole(k, m, seed=k + m, limit=15) * scale + shift).bfloat16()
            b = (_whole(k, n, seed=k + n, limit=15) * scale + shift).bfloat16()
            yield _case((m, k, n), words, (a, b), a.double().T @ b.double(), FLOAT)


def at_x(launcher: Launcher) -> Iterator[Case]:
    """Multiply a transposed matrix by a vector."""
    for cols, rows in SHAPES:
        for block_size in BLOCKS:
            a, x = _whole(rows, cols, seed=rows + cols), _whole(rows, seed=rows)
            right, scalars = a.double().T @ x.double(), {"block_size": block_size}
            yield _case((rows, cols), "", (a, x), right, FLOAT, scalars)


def _kinds(m: int, n: int) -> Iterator[tuple[str, torch.Tensor]]:
    near = _whole(m, n, seed=m + n) / 16
    yield from (("near 0", near), ("900 less", near - 900), ("times 300", near * 300))
    yield "times 2^33", near * 2.0**33
    half, middle = (slice(None), slice((n + 1) // 2)), (m // 2, n // 2)
    for words, place, value in (
        ("masked", half, -INF),
        ("a row masked", m // 2, -INF),
        ("a NaN", middle, NAN),
        ("an infinity", middle, INF),
    ):
        odd = near.clone()
        odd[place] = value
        yield words, odd


def online(launcher: Launcher) -> Iterator[Case]:
    """Take rows near to and far from 0, with infinities and NaN."""
    for m, n in SHAPES:
        for words, x in _kinds(m, n):
            right = torch.softmax(x.double(), dim=1)
            scalars = {"block_size": BLOCKS[(m + len(words)) % 3]}
            options = {"ulp": 12, "within": (2.0**-18 * right.nan_to_num(0) + 2.0**-122,)}
            yield _case((m, n), words, (x,), right, FLOAT, scalars, **options)


def causal(launcher: Launcher) -> Iterator[Case]:
    """Take near, wide, very negative, masked and broken scores."""
    for size in ((1, 1, 1), (2, 3, 3), (2, 5, 9), (3, 4, 40), (2, 33, 70), (1, 70, 33)):
        near = _whole(*size, seed=sum(size)) / 8
        masked, broken = near.clone(), near.clone()
        masked[..., : size[1] // 2 + 1], broken[-1, -1, 0] = -INF, NAN
        kinds = [("near", near, 0.125), ("wide", near * 60, 0.5), ("turned", near * 60, -1.0)]
        kinds += [
            ("least", near / 8 - 40000, 1.0),
            ("masked", masked, 1.0),
            ("NaN", broken, 2.0),
        ]
        for words, x, scale in kinds:
            seen = torch.ones(size[1:], dtype=torch.bool).tril()
            right = torch.softmax((x.half().double() * scale).masked_fill(~seen, -INF), dim=2)
            yield _case(size, words, (x.half(),), right, HALF, {"scale": scale}, ulp=1)


def logs(launcher: Launcher) -> Iterator[Case]:
    """Take the same rows as for softmax, without their exponentials."""
    for m, n in SHAPES:
        for words, x in _kinds(m, n):
            right = torch.log_softmax(x.double(), dim=1)
            options = {"ulp": 8, "within": (2.0**-20 * (1 + right.nan_to_num(0, 0, 0).abs()),)}
            yield _case((m, n), words, (x,), right, FLOAT, **options)


def layer(launcher: Launcher) -> Iterator[Case]:
    """Norm rows of small, of usual, of distant and of equal numbers."""
    for m, n in SHAPES:
        for scale, shift in ((1.0, 0.0), (1.0, 3000.0), (2.0**-9, 0.0), (0.0, 3.0)):
            x = _whole(m, n, seed=m + n, limit=6) * scale + shift
            w, b = _whole(n, seed=n, limit=3) + 6, _whole(n, seed=n + 1, limit=5)
            scalars = {"eps": 2.0**-13, "block_size": BLOCKS[(m + n) % 3]}
            mean = x.double().mean(dim=1, keepdim=True)
            var = (x.double() - mean).square().mean(dim=1, keepdim=True)
            rstd = 1 / torch.sqrt(var + scalars["eps"])
            right = (x.double() - mean) * rstd * w.double() + b.double()
            large = x.double().abs().amax(dim=1, keepdim=True)
            slack = 2.0**-19 * (large * rstd * w.double() + right.abs() + b.double().abs())
            within = (slack, 2.0**-20 * large[:, 0], 2.0**-17 * rstd[:, 0])
            words, right = f"about {shift}, times {scale}", (right, mean[:, 0], rstd[:, 0])
            options = {"ulp": 12, "within": within}
            yield _case((m, n), words, (x, w, b), right, FLOAT * 3, scalars, **options)


def rms(launcher: Launcher) -> Iterator[Case]:
    """Norm rows of zeros, of small, of usual and of large numbers."""
    for m, n in SHAPES:
        for scale in (0.0, 2.0**-8, 1.0, 500.0):
            x = ((_whole(m, n, seed=m + n, limit=9) + 0.5) * scale).bfloat16()
            w = (_whole(n, seed=n, limit=6) + 9) / 4
            scalars = {"eps": 2.0**-12, "block_size": BLOCKS[(m + n) % 3]}
            root = torch.sqrt(x.double().square().mean(dim=1, keepdim=True) + scalars["eps"])
            right, words, dtypes = x.double() / root * w, f"times {scale}", (torch.bfloat16,)
            yield _case((m, n), words, (x, w), right, dtypes, scalars, ulp=1)


def first(launcher: Launcher) -> Iterator[Case]:
    """Find the first of the largest: equal ones, NaN and infinities."""
    for m, n in SHAPES:
        x = _whole(m, n, seed=m + n, limit=9)
        broken, low = x.clone(), x - 100
        broken[:, n // 3 :: 2], low[m // 2] = NAN, -INF
        for words, rows in (("equal ones", x), ("NaN", broken), ("-infinity", low)):
            at = torch.where(rows.isnan(), INF, rows).argmax(dim=1)
            right = rows.gather(1, at[:, None])[:, 0], at
            yield _case((m, n), words, (rows,), right, (torch.float32, torch.int64))


def slices(launcher: Launcher) -> Iterator[Case]:
    """Add up rows of small and of large halves, whose sums are exact."""
    for m, n in SHAPES:
        for words, shift in (("small", 0), ("large", 1900)):
            x = _whole(m, n, seed=m + n) + shift
            yield _case((m, n), words, (x.half(),), x.double().sum(dim=1), FLOAT)


def peaks(launcher: Launcher) -> Iterator[Case]:
    """Find the largest of small, of huge and of very negative integers."""
    for m, n in SHAPES:
        x = _whole(m, n, seed=m + n, limit=999).long()
        for words, shift in (("small", 0), ("huge", 2**61), ("very negative", -(2**62) - 999)):
            scalars = {"block_size": (7, 64, 96, 300, 1000)[(m + n + len(words)) % 5]}
            right = (x + shift).amax(dim=1)
            yield _case((m, n), words, (x + shift,), right, (torch.int64,), scalars)


BASES = {
    "xxiii_transpose_pages": Base(PAGES, {"cases": pages}),
    "xxiii_transpose_bytes": Base(BYTES, {"cases": turned_bytes}),
    "xxiii_product_addmm": Base(ADDMM, {"cases": addmm}),
    "xxiii_product_tn": Base(TN, {"cases": tn}),
    "xxiii_product_vector": Base(VECTOR, {"cases": at_x}),
    "xxiii_softmax_online": Base(ONLINE, {"cases": online}),
    "xxiii_softmax_causal": Base(CAUSAL, {"cases": causal}),
    "xxiii_softmax_logs": Base(LOGS, {"cases": logs}),
    "xxiii_norm_layer": Base(LAYER, {"cases": layer}),
    "xxiii_norm_rms": Base(RMS, {"cases": rms}),
    "xxiii_rows_first": Base(FIRST, {"cases": first}),
    "xxiii_rows_slices": Base(SLICES, {"cases": slices}),
    "xxiii_rows_peaks": Base(PEAKS, {"cases": peaks}),
}

WRONG = (
    # Every page is written over the first one.
    Wrong(
        "xxiii_transpose_pages_on_the_first",
        "xxiii_transpose_pages",
        "left out / unwritten / other element | race / twice / sides",
        ("double* out = odata + page * rows * cols;", "double* out = odata;"),
    ),
    # A page is thought to be as large as its tiles.
    Wrong(
        "xxiii_transpose_pages_of_whole_tiles",
        "xxiii_transpose_pages",
        "bounds / other element / sides | tail / left out",
        ("idata + page * rows * cols;", "idata + page * across * down * TILE_DIM * TILE_DIM;"),
    ),
    # The tile was written for floats, and the pointers were changed to double only.
    Wrong(
        "xxiii_transpose_pages_float_tile",
        "xxiii_transpose_pages",
        "precision / rounding | numbers / infinity / whole range / subnormal / narrow",
        ("__shared__ double tile", "__shared__ float tile"),
    ),
    # The quotient of integers is rounded down before ceil can round it up.
    Wrong(
        "xxiii_transpose_pages_ceil",
        "xxiii_transpose_pages",
        "tail / unwritten / grid / left out | sides / rounding / refused",
        ("across = (cols + TILE_DIM - 1) / TILE_DIM,", "across = ceil(cols / TILE_DIM),"),
    ),
    # The stores are those of a version with 16 rows of threads.
    Wrong(
        "xxiii_transpose_pages_step_16",
        "xxiii_transpose_pages",
        "unwritten / left out | sides / tail / block size",
        ("i < TILE_DIM; i += BLOCK_ROWS", "i < TILE_DIM; i += 16"),
    ),
    # One column too many is loaded, which nobody needs.
    Wrong(
        "xxiii_transpose_pages_one_column_more",
        "xxiii_transpose_pages",
        "bounds | tail / sides",
        ("if (x0 + tx < cols && y0 + j", "if (x0 + tx <= cols && y0 + j"),
    ),
    # Zeros are not stored, as if the output held them already.
    Wrong(
        "xxiii_transpose_pages_no_zeros",
        "xxiii_transpose_pages",
        "unwritten / left out / numbers | sign of zero / state / start / zero before",
        (
            "if (y0 + tx < rows && x0 + i < cols) out",
            "if (y0 + tx < rows && x0 + i < cols && tile[tx][i] != 0) out",
        ),
    ),
    # The result's rows are taken to be as long as those of the input.
    Wrong(
        "xxiii_transpose_pages_input_pitch",
        "xxiii_transpose_pages",
        "sides / other element / bounds / swapped / unwritten | twice / race / left out",
        ("out[(x0 + i) * rows + y0", "out[(x0 + i) * cols + y0"),
    ),
    # The selector of the last step stands in the first one.
    Wrong(
        "xxiii_transpose_bytes_selector",
        "xxiii_transpose_bytes",
        "swapped / other element / function | sides / alignment / twice / left out",
        ("AB = __byte_perm(a, b, 0x7362);", "AB = __byte_perm(a, b, 0x7632);"),
    ),
    # The line for a and b was copied, and one name was not changed.
    Wrong(
        "xxiii_transpose_bytes_line_copied",
        "xxiii_transpose_bytes",
        "other element / left out / twice | sides / alignment / function / swapped",
        ("cd = __byte_perm(c, d,", "cd = __byte_perm(a, d,"),
    ),
    # Fours are read across, so only the width is thought to matter.
    Wrong(
        "xxiii_transpose_bytes_any_height",
        "xxiii_transpose_bytes",
        "sides / tail / other element / left out / unwritten / alignment | bounds / function",
        ("if (h % 4 == 0 && w % 4 == 0", "if (w % 4 == 0"),
    ),
    # The fourth line goes down by the step of the input.
    Wrong(
        "xxiii_transpose_bytes_input_step",
        "xxiii_transpose_bytes",
        "sides / bounds / other element / unwritten / swapped | twice / race / left out / function",
        ("q[3 * h4] =", "q[3 * w4] ="),
    ),
    # An int counts bytes, of which there may be more than 2^31.
    Wrong(
        "xxiii_transpose_bytes_int",
        "xxiii_transpose_bytes",
        "narrow | bounds / whole range / unwritten / left out / other element / timeout / sides",
        ("for (int64_t k = (int64_t)blockIdx.x", "for (int k = (int64_t)blockIdx.x"),
    ),
    # Zero times NaN is NaN: what does not count is read all the same.
    Wrong(
        "xxiii_product_addmm_nan_times_zero",
        "xxiii_product_addmm",
        "nan / infinity | numbers",
        ("if (beta != 0.0f) value +=", "value +="),
    ),
    # The factor has been moved into the loop, and stands behind it as well.
    Wrong(
        "xxiii_product_addmm_alpha_twice",
        "xxiii_product_addmm",
        "twice / function | numbers",
        ("++i) sum += As", "++i) sum += alpha * As"),
    ),
    # Only whole tiles of the common side are added up.
    Wrong(
        "xxiii_product_addmm_whole_tiles",
        "xxiii_product_addmm",
        "tail / left out | sides",
        ("p = 0; p < k; p += T", "p = 0; p + T <= k; p += T"),
    ),
    # The kernel takes the second factor as an integer.
    Wrong(
        "xxiii_product_addmm_int_beta",
        "xxiii_product_addmm",
        "rounding / left out / whole range / function / numbers / narrow | nan / precision",
        ("float beta, int64_t across)", "int beta, int64_t across)"),
    ),
    # The result is added to what the output held before.
    Wrong(
        "xxiii_product_addmm_added_to_output",
        "xxiii_product_addmm",
        "zero before / state / start | nan / twice / infinity / numbers",
        ("out[row * n + col] = value;", "out[row * n + col] += value;"),
    ),
    # With two tiles in turn, only the first one is thought to need a barrier.
    Wrong(
        "xxiii_product_tn_first_barrier_only",
        "xxiii_product_tn",
        "race | left out / unwritten / other element / sides / numbers / twice / start",
        (
            "        __syncthreads();  // tile s",
            "        if (s == 0) __syncthreads();  // tile s",
        ),
    ),
    # The first matrix is read as if it were not transposed.
    Wrong(
        "xxiii_product_tn_not_transposed",
        "xxiii_product_tn",
        "swapped / sides / other element / function | numbers",
        ("a[r * m + top + x]", "a[(top + x) * k + r]"),
    ),
    # The 16 bits are taken for those of a half.
    Wrong(
        "xxiii_product_tn_bits_of_half",
        "xxiii_product_tn",
        "function / numbers / whole range / precision | infinity / nan / subnormal / narrow / rounding",
        (
            "return __bfloat162float(v);",
            "return __half2float(__ushort_as_half(__bfloat16_as_ushort(v)));",
        ),
    ),
    # The sum is rounded to the inputs' type after each product.
    Wrong(
        "xxiii_product_tn_short_sum",
        "xxiii_product_tn",
        "precision / rounding | numbers / sides / left out / narrow",
        ("sum += of_a[s % kTiles][i][y] *", "sum = value(sum + of_a[s % kTiles][i][y] *"),
        ("of_b[s % kTiles][i][x];", "of_b[s % kTiles][i][x]);"),
    ),
    # Each thread brings one number of the chunk, and a block may have fewer threads.
    Wrong(
        "xxiii_product_vector_one_each",
        "xxiii_product_vector",
        "block size / unwritten / start / left out | bounds / nan / numbers / state / other element / sides / tail / race / infinity",
        (
            "for (int j = threadIdx.x; j < here; j += blockDim.x) part[j]",
            "const int j = threadIdx.x;\n            if (j < here) part[j]",
        ),
    ),
    # The last chunk is taken to be whole.
    Wrong(
        "xxiii_product_vector_whole_chunks",
        "xxiii_product_vector",
        "bounds / tail | sides / other element",
        ("here = min((int64_t)CHUNK, rows - r0);", "here = CHUNK;"),
    ),
    # The sum begins again with every chunk.
    Wrong(
        "xxiii_product_vector_last_chunk",
        "xxiii_product_vector",
        "left out / start | sides / numbers / zero before / function",
        ("        float sum = 0;\n", "        float sum;\n"),
        (
            "            const int64_t here =",
            "            sum = 0;\n            const int64_t here =",
        ),
    ),
    # The launch goes to the thread's own stream, and not to the caller's.
    Wrong(
        "xxiii_product_vector_own_stream",
        "xxiii_product_vector",
        "stream | race",
        ("block_size, 0, stream>>>", "block_size, 0, cudaStreamPerThread>>>"),
    ),
    # What was added before a larger number came is not made smaller.
    Wrong(
        "xxiii_softmax_online_not_rescaled",
        "xxiii_softmax_online",
        "function / left out / numbers | sides / precision / block size / infinity",
        ("run.sum = run.sum * expf(run.top - v) +", "run.sum = run.sum +"),
    ),
    # What is masked meets the first maximum: -infinity less -infinity is NaN.
    Wrong(
        "xxiii_softmax_online_masked_first",
        "xxiii_softmax_online",
        "nan / infinity | numbers / start",
        ("            if (v == -INFINITY) continue;\n", ""),
    ),
    # Two threads that have seen nothing merge to NaN.
    Wrong(
        "xxiii_softmax_online_two_empty_parts",
        "xxiii_softmax_online",
        "nan / infinity / start / sides / block size | numbers / tail",
        ("(b.top == a.top ? 1.0f : expf(b.top - a.top))", "expf(b.top - a.top)"),
    ),
    # A block need not be whole warps any more, and the shuffles name all lanes.
    Wrong(
        "xxiii_softmax_online_part_of_a_warp",
        "xxiii_softmax_online",
        "block size / race / left out | unwritten / start / sides / numbers / refused / timeout / bounds / nan / infinity / other element / function",
        ("threads = (block_size + 31) / 32 * 32;", "threads = block_size;"),
    ),
    # A query does not see its own key.
    Wrong(
        "xxiii_softmax_causal_not_itself",
        "xxiii_softmax_causal",
        "left out / nan / neighbour / function | bounds / sides / numbers / infinity",
        ("return j <= i ?", "return j < i ?"),
    ),
    # A number that stands for -infinity, as one that a half can hold.
    Wrong(
        "xxiii_softmax_causal_minus_ten_thousand",
        "xxiii_softmax_causal",
        "numbers / start / infinity / function | nan / whole range / left out / precision",
        (": -INFINITY;", ": -10000.0f;"),
    ),
    # The maximum is that of the scores before they are scaled.
    Wrong(
        "xxiii_softmax_causal_unscaled_top",
        "xxiii_softmax_causal",
        "infinity / nan / numbers / function / subnormal / precision | whole range / left out / sides",
        (
            "top = fmaxf(top, score(row, j, i, scale));",
            "top = fmaxf(top, score(row, j, i, 1.0f));",
        ),
    ),
    # The mask goes by the row of the whole batch.
    Wrong(
        "xxiii_softmax_causal_row_of_batch",
        "xxiii_softmax_causal",
        "left out / other element / function / sides | numbers / twice",
        ("i = r % q;", "i = r;"),
    ),
    # What is masked counts in the sum.
    Wrong(
        "xxiii_softmax_causal_sum_of_all",
        "xxiii_softmax_causal",
        "function / left out / numbers | infinity / nan / precision / sides / other element",
        (
            "sum += expf(score(row, j, i, scale) - top);",
            "sum += expf(scale * __half2float(row[j]) - top);",
        ),
    ),
    # The formula of the book, without the maximum.
    Wrong(
        "xxiii_softmax_logs_by_the_book",
        "xxiii_softmax_logs",
        "infinity / numbers / whole range | nan / precision / subnormal / function",
        ("exp((double)x[row * cols + j] - biggest);", "exp((double)x[row * cols + j]);"),
        ("x[row * cols + j] - biggest - logTotal;", "x[row * cols + j] - logTotal;"),
    ),
    # FLT_MIN is the smallest number above zero.
    Wrong(
        "xxiii_softmax_logs_flt_min",
        "xxiii_softmax_logs",
        "start / infinity / numbers | nan / precision / subnormal / whole range / function",
        ("biggest = -INFINITY;", "biggest = FLT_MIN;"),
    ),
    # The maximum is kept in an int.
    Wrong(
        "xxiii_softmax_logs_int_maximum",
        "xxiii_softmax_logs",
        "narrow / whole range / rounding / numbers / infinity | start / precision / nan / function",
        ("float biggest = -INFINITY;", "int biggest = INT32_MIN;"),
    ),
    # The result is stored by columns, as in Fortran.
    Wrong(
        "xxiii_softmax_logs_by_columns",
        "xxiii_softmax_logs",
        "swapped / other element / sides / function | neighbour",
        ("y[row * cols + j] =", "y[j * rows + row] ="),
    ),
    # The variance is the mean of squares less the square of the mean.
    Wrong(
        "xxiii_norm_layer_difference_of_squares",
        "xxiii_norm_layer",
        "precision / numbers / nan | function / rounding / infinity / whole range / subnormal",
        ("dist = i < d ? in[i] - mu : 0.0f;", "dist = i < d ? in[i] : 0.0f;"),
        ("block_sum(squares, part) / d;", "block_sum(squares, part) / d - mu * mu;"),
    ),
    # The variance of a sample, as statisticians have it.
    Wrong(
        "xxiii_norm_layer_of_a_sample",
        "xxiii_norm_layer",
        "function | numbers / sides / nan / infinity",
        ("block_sum(squares, part) / d;", "block_sum(squares, part) / (d - 1);"),
    ),
    # The launch hands on bias and weight in the wrong order.
    Wrong(
        "xxiii_norm_layer_bias_for_weight",
        "xxiii_norm_layer",
        "swapped / function | other element / numbers",
        ("(x, w, b, y,", "(x, b, w, y,"),
    ),
    # Epsilon is added to the root.
    Wrong(
        "xxiii_norm_layer_eps_outside",
        "xxiii_norm_layer",
        "function / numbers | precision / infinity / sides",
        ("rsqrtf(var + eps);", "1.0f / (sqrtf(var) + eps);"),
    ),
    # Threads past the row's end add the distance of a zero from the mean.
    Wrong(
        "xxiii_norm_layer_zeros_have_distance",
        "xxiii_norm_layer",
        "tail / function / numbers / block size | sides / other element / start / bounds / twice",
        ("i < d ? in[i] - mu : 0.0f;", "(i < d ? in[i] : 0.0f) - mu;"),
    ),
    # Nobody waits until the sum before has been read.
    Wrong(
        "xxiii_norm_layer_sums_collide",
        "xxiii_norm_layer",
        "race | other element / numbers / left out / function / nan / infinity / sides / block size",
        ("    __syncthreads();  // the sum before has been read\n", ""),
    ),
    # The warps' sums are added up in the first warp, and not handed on.
    Wrong(
        "xxiii_norm_layer_first_warp_knows",
        "xxiii_norm_layer",
        "left out / other element / block size / function | sides / numbers / start / race / nan / infinity",
        ("    for (int w = 0;", "    if (threadIdx.x < 32) for (int w = 0;"),
    ),
    # A block was a row once, and has several now.
    Wrong(
        "xxiii_norm_layer_mean_of_block",
        "xxiii_norm_layer",
        "unwritten / other element / grid / left out | twice / sides / race / numbers",
        ("mean[row] = mu;", "mean[blockIdx.x] = mu;"),
    ),
    # The root is taken before the division by n.
    Wrong(
        "xxiii_norm_rms_root_before",
        "xxiii_norm_rms",
        "function | sides / numbers / infinity / precision",
        ("rsqrtf(q / n + eps);", "n / sqrtf(q + eps);"),
    ),
    # Epsilon is a lower bound, and is not added.
    Wrong(
        "xxiii_norm_rms_lower_bound",
        "xxiii_norm_rms",
        "function / numbers | precision / nan / left out / subnormal",
        ("rsqrtf(q / n + eps);", "rsqrtf(fmaxf(q / n, eps));"),
    ),
    # After shuffles downwards only the first lane has the sum.
    Wrong(
        "xxiii_norm_rms_first_lane_knows",
        "xxiii_norm_rms",
        "left out / other element / function | sides / numbers / twice / race",
        ("q += lanes.shfl_xor(q, hop);", "q += lanes.shfl_down(q, hop);"),
    ),
    # The usual sum of a warp, which has four rows here.
    Wrong(
        "xxiii_norm_rms_four_rows_at_once",
        "xxiii_norm_rms",
        "other element / function / twice | race / sides / numbers / left out / tail / timeout",
        (
            "int hop = kLanes / 2; hop > 0; hop /= 2) q += lanes.shfl_xor(q, hop);",
            "int hop = 16; hop > 0; hop /= 2) q += __shfl_xor_sync(0xffffffff, q, hop);",
        ),
    ),
    # The reciprocal of an integer is 0.
    Wrong(
        "xxiii_norm_rms_integer_reciprocal",
        "xxiii_norm_rms",
        "function / left out / rounding / sides | numbers / infinity / precision",
        ("rsqrtf(q / n + eps);", "rsqrtf(q * (1 / n) + eps);"),
    ),
    # Of equal numbers the last one is taken.
    Wrong(
        "xxiii_rows_first_takes_last",
        "xxiii_rows_first",
        "other element / numbers / function / swapped | left out / start / sides / infinity",
        ("b.value == a.value && b.at < a.at", "b.value == a.value && b.at > a.at"),
    ),
    # The place is counted in the whole matrix.
    Wrong(
        "xxiii_rows_first_flat_place",
        "xxiii_rows_first",
        "function / other element | sides / numbers",
        ("at[r] = best.at;", "at[r] = r * n + best.at;"),
    ),
    # The maximum is taken out of the input, as was right for the k largest ones.
    Wrong(
        "xxiii_rows_first_taken_out",
        "xxiii_rows_first",
        "input | state / race",
        (
            "at[r] = best.at;",
            "at[r] = best.at, const_cast<float*>(x)[r * n + best.at] = -INFINITY;",
        ),
    ),
    # The place travels as an int, also the one that stands for none.
    Wrong(
        "xxiii_rows_first_int_place",
        "xxiii_rows_first",
        "narrow / start / whole range / infinity | other element / numbers / bounds / sides / tail",
        (
            "__shfl_down_sync(0xffffffff, best.at, o);",
            "__shfl_down_sync(0xffffffff, (int)best.at, o);",
        ),
    ),
    # One block sets the first 128 sums to zero.
    Wrong(
        "xxiii_rows_slices_few_zeros",
        "xxiii_rows_slices",
        "zero before / state / start / grid | unwritten / left out / twice / tail / sides / numbers / nan / block size",
        ("clear<<<(unsigned)((m + 127) / 128), 128,", "clear<<<1, 128,"),
    ),
    # The first slice stores its sum, and the others are thought to come later.
    Wrong(
        "xxiii_rows_slices_first_one_stores",
        "xxiii_rows_slices",
        "race / zero before | left out / state / start / sides / numbers / other element / unwritten",
        ("    clear<<<(unsigned)((m + 127) / 128), 128, 0, stream>>>(y, m);\n", ""),
        (
            "if (lane == 0) atomicAdd(",
            "if (lane == 0 && begin == 0) y[row] = s;\n        if (lane == 0 && begin > 0) atomicAdd(",
        ),
    ),
    # A slice ends with the first number of the next one.
    Wrong(
        "xxiii_rows_slices_overlap",
        "xxiii_rows_slices",
        "twice / bounds / neighbour / tail / other element | sides / numbers",
        ("i < end; i += 32", "i <= end; i += 32"),
    ),
    # All 32 lanes have the sum, and all add it.
    Wrong(
        "xxiii_rows_slices_all_lanes_add",
        "xxiii_rows_slices",
        "twice / function | numbers / other element",
        ("if (lane == 0) atomicAdd(", "atomicAdd("),
    ),
    # The maximum of floating point was at hand.
    Wrong(
        "xxiii_rows_peaks_through_double",
        "xxiii_rows_peaks",
        "precision / rounding / numbers | whole range / narrow / function",
        ("return a < b ? b : a;", "return (int64_t)fmax((double)a, (double)b);"),
    ),
    # The least number of an int, from before the type was changed.
    Wrong(
        "xxiii_rows_peaks_from_int32_min",
        "xxiii_rows_peaks",
        "start / numbers / whole range / narrow | function",
        ("top = INT64_MIN;", "top = INT32_MIN;"),
    ),
    # Of an odd number of threads the last one is lost.
    Wrong(
        "xxiii_rows_peaks_odd_halves",
        "xxiii_rows_peaks",
        "block size / left out | sides / numbers / other element / tail",
        ("half = (left + 1) / 2;", "half = left / 2;"),
    ),
    # The barrier stands behind the test that only some of the threads pass.
    Wrong(
        "xxiii_rows_peaks_barrier_of_some",
        "xxiii_rows_peaks",
        "race / timeout | block size / left out / sides / numbers",
        (
            "            if (t + half < left) seen[t] = more(seen[t], seen[t + half]);\n            __syncthreads();\n",
            "            if (t + half < left) {\n                seen[t] = more(seen[t], seen[t + half]);\n                __syncthreads();\n            }\n",
        ),
    ),
    # The shared memory is that for the first call's block.
    Wrong(
        "xxiii_rows_peaks_static_bytes",
        "xxiii_rows_peaks",
        "state / bounds / block size | race / left out / refused",
        ("    const size_t bytes =", "    static const size_t bytes ="),
    ),
)

RIGHT = (
    # Tiles of 17, and the last step of eight has one row.
    Right(
        "xxiii_transpose_pages_seventeens",
        "xxiii_transpose_pages",
        ("TILE_DIM 32", "TILE_DIM 17"),
    ),
    # No padding: the rows of the tile are turned round instead.
    Right(
        "xxiii_transpose_pages_swizzled",
        "xxiii_transpose_pages",
        ("tile[TILE_DIM][TILE_DIM + 1];", "tile[TILE_DIM][TILE_DIM];"),
        ("tile[j][tx] =", "tile[j][(tx + j) % TILE_DIM] ="),
        ("= tile[tx][i];", "= tile[tx][(i + tx) % TILE_DIM];"),
    ),
    # Addresses and sides are tested at once.
    Right(
        "xxiii_transpose_bytes_tested_at_once",
        "xxiii_transpose_bytes",
        (
            "if (h % 4 == 0 && w % 4 == 0 && (uintptr_t)in % 4 == 0 && (uintptr_t)out % 4 == 0)",
            "if ((((uintptr_t)in | (uintptr_t)out | (uintptr_t)h | (uintptr_t)w) & 3) == 0)",
        ),
    ),
    # Tiles of five, in blocks of 25 threads.
    Right("xxiii_product_addmm_fives", "xxiii_product_addmm", ("#define T 16", "#define T 5")),
    # The factor of D comes in without being rounded.
    Right(
        "xxiii_product_addmm_fused",
        "xxiii_product_addmm",
        (
            "if (beta != 0.0f) value += beta * D[row * n + col];",
            "if (beta != 0.0f) value = fmaf(beta, D[row * n + col], value);",
        ),
    ),
    # Three tiles in turn, of which two would do.
    Right("xxiii_product_tn_three_tiles", "xxiii_product_tn", ("kTiles = 2;", "kTiles = 3;")),
    # A chunk is one number, and two barriers come with each.
    Right(
        "xxiii_product_vector_chunks_of_one",
        "xxiii_product_vector",
        ("CHUNK = 96;", "CHUNK = 1;"),
    ),
    # The sum is a double, and the last number of a chunk comes first.
    Right(
        "xxiii_product_vector_backwards",
        "xxiii_product_vector",
        ("float sum = 0;", "double sum = 0;"),
        ("for (int j = 0; j < here; j++) sum", "for (int j = here - 1; j >= 0; j--) sum"),
    ),
    # A thread starts with its first number, which it then meets again.
    Right(
        "xxiii_softmax_online_from_the_first",
        "xxiii_softmax_online",
        ("Run run = {-INFINITY, 0.0f};", "Run run = {t < cols ? in[t] : -INFINITY, 0.0f};"),
    ),
    # Powers of two, of numbers that are 1 / ln 2 times as large.
    Right(
        "xxiii_softmax_causal_powers_of_two",
        "xxiii_softmax_causal",
        (
            "sum += expf(score(row, j, i, scale) - top);",
            "sum += exp2f((score(row, j, i, scale) - top) * 1.44269504f);",
        ),
        (
            "p = expf(score(row, j, i, scale) - top) / sum;",
            "p = exp2f((score(row, j, i, scale) - top) * 1.44269504f) / sum;",
        ),
    ),
    # The maximum starts with the row's first number, which may be NaN.
    Right(
        "xxiii_softmax_logs_from_the_first",
        "xxiii_softmax_logs",
        ("biggest = -INFINITY;", "biggest = x[row * cols];"),
        (
            "int64_t j = 0; j < cols; j++) {\n        if",
            "int64_t j = 1; j < cols; j++) {\n        if",
        ),
    ),
    # Each warp adds up the warps' sums from its own on, so that the last bits may differ.
    Right(
        "xxiii_norm_layer_own_warp_first",
        "xxiii_norm_layer",
        ("s += part[w];", "s += part[(threadIdx.x / 32 + w) % (blockDim.x / 32)];"),
    ),
    # Two lanes a row, and one shuffle.
    Right("xxiii_norm_rms_two_lanes", "xxiii_norm_rms", ("kLanes = 8;", "kLanes = 2;")),
    # The mask names all lanes; those that have left need not take part.
    Right(
        "xxiii_norm_rms_mask_of_the_warp",
        "xxiii_norm_rms",
        ("lanes.shfl_xor(q, hop);", "__shfl_xor_sync(0xffffffff, q, hop);"),
    ),
    # Place 0 may stand for none: if nothing is more than -infinity, it is the right one.
    Right("xxiii_rows_first_from_place_0", "xxiii_rows_first", ("INT64_MAX};", "0};")),
    # A slice is one number: as many atomics as numbers.
    Right("xxiii_rows_slices_of_one", "xxiii_rows_slices", ("SLICE = 160;", "SLICE = 1;")),
    # Only the last quarter of the threads is joined at a time.
    Right(
        "xxiii_rows_peaks_last_quarter",
        "xxiii_rows_peaks",
        ("half = (left + 1) / 2;", "half = left - (left + 3) / 4;"),
    ),
)
