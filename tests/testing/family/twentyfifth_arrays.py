"""Hold a twenty-fifth family: transposes, products, softmax, norms, sums and maxima of rows.

Of the 68 wrong ones two are wrong by reasoning:

    xxv_transpose_blog_int_sides  of 2^31 doubles or more, in matrices that fit
    xxv_norm_less_one_no_stream   if `stream` does not wait for the default stream

Two never end (xxv_product_scores_until_zero, xxv_rows_unrolled_never_on). One is wrong only for
a slice that begins two bytes after a round address (xxv_transpose_words_address_of_halves).
"""

# ruff: noqa: E501 (a line of a kernel stands in one line)
from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong

# A reader of blog posts: a thread brings several numbers of a tile, and all tiles lie in a row.
BLOG = """\
constexpr int kTile = 32, kLines = 8;

__global__ void transpose(double* __restrict__ out, const double* __restrict__ in, int64_t rows, int64_t cols) {
    __shared__ double tile[kTile][kTile + 1];
    const int64_t across = (cols + kTile - 1) / kTile;
    const int64_t left = blockIdx.x % across * kTile, top = blockIdx.x / across * kTile;
    for (int r = threadIdx.y; r < kTile; r += kLines) {
        const int64_t y = top + r, x = left + threadIdx.x;
        if (y < rows && x < cols) tile[r][threadIdx.x] = in[y * cols + x];
    }
    __syncthreads();
    for (int r = threadIdx.y; r < kTile; r += kLines) {
        const int64_t y = left + r, x = top + threadIdx.x;
        if (y < cols && x < rows) out[y * rows + x] = tile[threadIdx.x][r];
    }
}

extern "C" void launch(const double* in /* [rows, cols] */, double* out /* [cols, rows] */, int64_t rows, int64_t cols, cudaStream_t stream = 0) {
    const int64_t across = (cols + kTile - 1) / kTile, down = (rows + kTile - 1) / kTile;
    transpose<<<(unsigned)(across * down), dim3(kTile, kLines), 0, stream>>>(out, in, rows, cols);
}
"""

# A C programmer: 4 x 4 bytes are turned in registers, if sides and addresses allow it.
WORDS = """\
__global__ void by_words(const uint32_t *in, uint32_t *out, int64_t r4, int64_t c4)
{
    const int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < r4 * c4; i += step) {
        const int64_t y = i / c4, x = i % c4;
        const uint32_t *p = in + y * 4 * c4 + x;
        const uint32_t a = p[0], b = p[c4], c = p[2 * c4], d = p[3 * c4];
        const uint32_t ab = __byte_perm(a, b, 0x5140), AB = __byte_perm(a, b, 0x7362);
        const uint32_t cd = __byte_perm(c, d, 0x5140), CD = __byte_perm(c, d, 0x7362);
        uint32_t *q = out + x * 4 * r4 + y;
        q[0] = __byte_perm(ab, cd, 0x5410);
        q[r4] = __byte_perm(ab, cd, 0x7632);
        q[2 * r4] = __byte_perm(AB, CD, 0x5410);
        q[3 * r4] = __byte_perm(AB, CD, 0x7632);
    }
}

__global__ void by_bytes(const uint8_t *in, uint8_t *out, int64_t r, int64_t c)
{
    const int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < r * c; i += step)
        out[i] = in[i % r * c + i / r];
}

extern "C" void launch(const uint8_t *in /* [r, c] */, uint8_t *out /* [c, r] */, int64_t r, int64_t c, int block_size = 96, cudaStream_t stream = 0)
{
    const int whole = r % 4 == 0 && c % 4 == 0;
    if (whole && ((uintptr_t)in | (uintptr_t)out) % 4 == 0)
        by_words<<<5, block_size, 0, stream>>>((const uint32_t *)in, (uint32_t *)out, r / 4, c / 4);
    else
        by_bytes<<<5, block_size, 0, stream>>>(in, out, r, c);
}
"""

# A beginner who ports from Numba: pictures become planes, and the grid has three dimensions.
PLANES = """\
__global__ void to_planes(const int16_t* in, int16_t* out, int64_t n, int64_t pixels, int64_t c) {
    const int64_t x = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;  // cuda.grid(3)
    const int64_t y = (int64_t)blockIdx.y * blockDim.y + threadIdx.y;
    const int64_t dx = (int64_t)gridDim.x * blockDim.x, dy = (int64_t)gridDim.y * blockDim.y;
    for (int64_t b = blockIdx.z; b < n; b += gridDim.z) {
        for (int64_t k = y; k < c; k += dy) {
            for (int64_t p = x; p < pixels; p += dx) out[(b * c + k) * pixels + p] = in[(b * pixels + p) * c + k];
        }
    }
}

extern "C" void launch(const int16_t* in /* [n, h, w, c] */, int16_t* out /* [n, c, h, w] */, int64_t n, int64_t h, int64_t w, int64_t c, int block_size = 64, cudaStream_t stream = 0) {
    const dim3 threads((block_size + 3) / 4, 4), blocks(3, 2, n < 5 ? n : 5);
    to_planes<<<blocks, threads, 0, stream>>>(in, out, n, h * w, c);
}
"""

# A user of BLAS: the first matrix comes transposed, and a tile is loaded as another is used.
GEMM = """\
constexpr int T = 16;

__global__ void gemm_tn(const float* A, const float* B, const float* C, float* out, int64_t m, int64_t n, int64_t k, float alpha, float beta) {
    __shared__ float a[2][T][T], b[2][T][T];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int64_t across = (n + T - 1) / T, tiles = across * ((m + T - 1) / T);
    for (int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const int64_t row0 = tile / across * T, col0 = tile % across * T;
        auto load = [&](int buffer, int64_t s) {
            a[buffer][ty][tx] = s + ty < k && row0 + tx < m ? A[(s + ty) * m + row0 + tx] : 0.0f;
            b[buffer][ty][tx] = s + ty < k && col0 + tx < n ? B[(s + ty) * n + col0 + tx] : 0.0f;
        };
        float sum = 0.0f;
        int now = 0;
        load(0, 0);
        __syncthreads();  // the first tile is there
        for (int64_t s = 0; s < k; s += T) {
            if (s + T < k) load(1 - now, s + T);
            for (int i = 0; i < T; ++i) sum += a[now][i][ty] * b[now][i][tx];
            __syncthreads();  // this tile is used, and the next one is there
            now = 1 - now;
        }
        if (row0 + ty < m && col0 + tx < n) {
            const int64_t at = (row0 + ty) * n + col0 + tx;
            out[at] = beta == 0.0f ? alpha * sum : alpha * sum + beta * C[at];
        }
    }
}

extern "C" void launch(const float* A /* [k, m] */, const float* B /* [k, n] */, const float* C /* [m, n] */, float* out /* [m, n] */, int64_t m, int64_t n, int64_t k, float alpha = 1.0f, float beta = 1.0f, cudaStream_t stream = 0) {
    gemm_tn<<<6, dim3(T, T), 0, stream>>>(A, B, C, out, m, n, k, alpha, beta);
}
"""

# Somebody who serves language models: queries times keys, a warp a number, by pairs.
SCORES = """\
__global__ void scores(const half* q, const half* keys, half* out, int64_t batch, int64_t m, int64_t n, int64_t d, float scale, bool pairs) {
    const int lane = threadIdx.x % 32, warps = blockDim.x / 32;
    const int64_t total = batch * m * n;
    for (int64_t w = (int64_t)blockIdx.x * warps + threadIdx.x / 32; w < total; w += (int64_t)gridDim.x * warps) {
        const int64_t b = w / (m * n), y = w / n % m, x = w % n;
        const half *u = q + (b * m + y) * d, *v = keys + (b * n + x) * d;
        float sum = 0.0f;
        if (pairs) {
            for (int64_t i = lane; i < d / 2; i += 32) {
                const float2 s = __half22float2(((const half2*)u)[i]), t = __half22float2(((const half2*)v)[i]);
                sum += s.x * t.x + s.y * t.y;
            }
        } else {
            for (int64_t i = lane; i < d; i += 32) sum += __half2float(u[i]) * __half2float(v[i]);
        }
        for (int o = 16; o > 0; o /= 2) sum += __shfl_down_sync(0xffffffffu, sum, o);
        if (lane == 0) out[w] = __float2half(sum * scale);
    }
}

extern "C" void launch(const half* q /* [batch, m, d] */, const half* keys /* [batch, n, d] */, half* out /* [batch, m, n] */, int64_t batch, int64_t m, int64_t n, int64_t d, float scale = 1.0f, int block_size = 128, cudaStream_t stream = 0) {
    const bool pairs = d % 2 == 0 && (uintptr_t)q % 4 == 0 && (uintptr_t)keys % 4 == 0;
    scores<<<7, (block_size + 31) / 32 * 32, 0, stream>>>(q, keys, out, batch, m, n, d, scale, pairs);
}
"""

# Somebody from Fortran: a vector times a matrix; eight lines of threads share out the rows.
COLUMNS = """\
constexpr int kLines = 8;

__global__ void vecmat(const double* x, const double* A, double* y, int64_t m, int64_t n) {
    __shared__ double part[kLines][32];
    const int tx = threadIdx.x, ty = threadIdx.y;
    for (int64_t first = (int64_t)blockIdx.x * 32; first < n; first += (int64_t)gridDim.x * 32) {
        const int64_t col = first + tx;
        double sum = 0.0;
        if (col < n) {
            for (int64_t r = ty; r < m; r += kLines) sum += x[r] * A[r * n + col];
        }
        part[ty][tx] = sum;
        __syncthreads();  // the parts are there
        if (ty == 0 && col < n) {
            for (int g = 1; g < kLines; ++g) sum += part[g][tx];
            y[col] = sum;
        }
        __syncthreads();  // the parts are used
    }
}

extern "C" void launch(const double* x /* [m] */, const double* A /* [m, n] */, double* y /* [n] */, int64_t m, int64_t n, cudaStream_t stream = 0) {
    vecmat<<<4, dim3(32, kLines), 0, stream>>>(x, A, y, m, n);
}
"""

# A reader of papers on online softmax: maximum and sum in one pass, in pairs that are joined.
ONLINE = """\
struct Pair {
    float top, sum;
};

__device__ Pair join(Pair a, Pair b) {
    const float top = fmaxf(a.top, b.top);
    if (a.top == -INFINITY && b.top == -INFINITY) return {top, a.sum + b.sum};
    return {top, a.sum * expf(a.top - top) + b.sum * expf(b.top - top)};
}

__global__ void softmax(const float* x, float* y, int64_t rows, int64_t cols) {
    extern __shared__ Pair part[];
    const int t = threadIdx.x;
    for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
        const float* in = x + row * cols;
        Pair mine = {-INFINITY, 0.0f};
        for (int64_t i = t; i < cols; i += blockDim.x) mine = join(mine, {in[i], 1.0f});
        part[t] = mine;
        __syncthreads();  // the pairs are there
        for (int width = blockDim.x; width > 1;) {
            const int rest = (width + 1) / 2;
            if (t + rest < width) part[t] = join(part[t], part[t + rest]);
            __syncthreads();  // of this step
            width = rest;
        }
        const Pair all = part[0];
        for (int64_t i = t; i < cols; i += blockDim.x) y[row * cols + i] = expf(in[i] - all.top) / all.sum;
        __syncthreads();  // all have the row's pair
    }
}

extern "C" void launch(const float* x /* [rows, cols] */, float* y /* [rows, cols] */, int64_t rows, int64_t cols, int block_size = 128, cudaStream_t stream = 0) {
    softmax<<<(unsigned)(rows < 5 ? rows : 5), block_size, block_size * sizeof(Pair), stream>>>(x, y, rows, cols);
}
"""

# Somebody who writes attention: a query sees the keys up to its own place; a warp a row.
CAUSAL = """\
__global__ void causal(const half* x, half* y, int64_t rows, int64_t queries, int64_t keys) {
    const int lane = threadIdx.x % 32, warps = blockDim.x / 32;
    for (int64_t row = (int64_t)blockIdx.x * warps + threadIdx.x / 32; row < rows; row += (int64_t)gridDim.x * warps) {
        const half* in = x + row * keys;
        const int64_t q = row % queries;
        const int64_t seen = q + 1 < keys ? q + 1 : keys;
        float top = -INFINITY;
        for (int64_t j = lane; j < seen; j += 32) top = fmaxf(top, __half2float(in[j]));
        for (int o = 16; o > 0; o /= 2) top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, o));
        float sum = 0.0f;
        for (int64_t j = lane; j < seen; j += 32) sum += expf(__half2float(in[j]) - top);
        for (int o = 16; o > 0; o /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, o);
        for (int64_t j = lane; j < keys; j += 32) {
            const float p = j < seen ? expf(__half2float(in[j]) - top) / sum : 0.0f;
            y[row * keys + j] = __float2half(p);
        }
    }
}

extern "C" void launch(const half* x /* [heads, queries, keys] */, half* y /* [heads, queries, keys] */, int64_t heads, int64_t queries, int64_t keys, int block_size = 96, cudaStream_t stream = 0) {
    causal<<<5, (block_size + 31) / 32 * 32, 0, stream>>>(x, y, heads * queries, queries, keys);
}
"""

# A beginner with doubles: log-softmax, a thread a row.
LOGS = """\
__global__ void logSoftmax(const double* x, double* y, int64_t rows, int64_t cols) {
    int64_t row = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    const double* in = x + row * cols;
    double* out = y + row * cols;
    double top = -INFINITY;
    for (int64_t j = 0; j < cols; j++) top = fmax(top, in[j]);
    double sum = 0;
    for (int64_t j = 0; j < cols; j++) sum += exp(in[j] - top);
    double logSum = log(sum);
    for (int64_t j = 0; j < cols; j++) out[j] = in[j] - top - logSum;
}

extern "C" void launch(const double* x /* [rows, cols] */, double* y /* [rows, cols] */, int64_t rows, int64_t cols, int block_size = 64, cudaStream_t stream = 0) {
    int64_t blocks = (rows + block_size - 1) / block_size;
    logSoftmax<<<(unsigned)blocks, block_size, 0, stream>>>(x, y, rows, cols);
}
"""

# A beginner who found shared atomics: layer norm in two passes, a block a row.
ATOMICS = """\
__global__ void layer_norm(const float* x, const float* gamma, const float* beta, float* y, int64_t rows, int64_t d, float eps) {
    __shared__ float sum, squares;
    for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
        if (threadIdx.x == 0) sum = squares = 0.0f;
        __syncthreads();  // both are 0
        float mine = 0.0f;
        for (int64_t i = threadIdx.x; i < d; i += blockDim.x) mine += x[row * d + i];
        atomicAdd(&sum, mine);
        __syncthreads();  // the sum is whole
        const float mean = sum / d;
        mine = 0.0f;
        for (int64_t i = threadIdx.x; i < d; i += blockDim.x) {
            const float off = x[row * d + i] - mean;
            mine += off * off;
        }
        atomicAdd(&squares, mine);
        __syncthreads();  // the squares are whole
        const float scale = rsqrtf(squares / d + eps);
        for (int64_t i = threadIdx.x; i < d; i += blockDim.x) {
            y[row * d + i] = (x[row * d + i] - mean) * scale * gamma[i] + beta[i];
        }
        __syncthreads();  // all have read
    }
}

extern "C" void launch(const float* x /* [rows, d] */, const float* gamma /* [d] */, const float* beta /* [d] */, float* y /* [rows, d] */, int64_t rows, int64_t d, float eps = 1e-5f, int block_size = 128, cudaStream_t stream = 0) {
    const unsigned blocks = rows < 6 ? rows : 6;
    layer_norm<<<blocks, block_size, 0, stream>>>(x, gamma, beta, y, rows, d, eps);
}
"""

# Somebody who ports a model: RMS norm of halves, whose weights are stored less 1; by pairs.
LESS_ONE = """\
__global__ void rms_norm(const half* x, const half* w, half* y, int64_t rows, int64_t d, float eps, bool pairs) {
    const int lane = threadIdx.x, line = threadIdx.y, lines = blockDim.y;
    for (int64_t row = (int64_t)blockIdx.x * lines + line; row < rows; row += (int64_t)gridDim.x * lines) {
        const half* in = x + row * d;
        half* out = y + row * d;
        float total = 0.0f;
        if (pairs) {
            for (int64_t i = lane; i < d / 2; i += 32) {
                const float2 v = __half22float2(((const half2*)in)[i]);
                total += v.x * v.x + v.y * v.y;
            }
        } else {
            for (int64_t i = lane; i < d; i += 32) total += __half2float(in[i]) * __half2float(in[i]);
        }
        for (int o = 1; o < 32; o *= 2) total += __shfl_xor_sync(0xffffffffu, total, o);
        const float scale = rsqrtf(total / d + eps);
        for (int64_t i = lane; i < d; i += 32) {
            const float weight = 1.0f + __half2float(w[i]);
            out[i] = __float2half(__half2float(in[i]) * scale * weight);
        }
    }
}

extern "C" void launch(const half* x /* [rows, d] */, const half* w /* [d] */, half* y /* [rows, d] */, int64_t rows, int64_t d, float eps = 1e-6f, int block_size = 128, cudaStream_t stream = 0) {
    const bool pairs = d % 2 == 0 && (uintptr_t)x % 4 == 0;
    const dim3 threads(32, (block_size + 31) / 32);
    rms_norm<<<4, threads, 0, stream>>>(x, w, y, rows, d, eps, pairs);
}
"""

# A careful engineer: layer norm of bfloat16 in one pass, as doubles have room for the squares.
STATS = """\
__global__ void layer_norm(const __nv_bfloat16* x, const __nv_bfloat16* weight, const __nv_bfloat16* bias, __nv_bfloat16* y, float* means, float* rstds, int64_t rows, int64_t d, float eps) {
    const int lane = threadIdx.x % 32, warps = blockDim.x / 32;
    for (int64_t row = (int64_t)blockIdx.x * warps + threadIdx.x / 32; row < rows; row += (int64_t)gridDim.x * warps) {
        double sum = 0.0, squares = 0.0;
        for (int64_t i = lane; i < d; i += 32) {
            const double v = __bfloat162float(x[row * d + i]);
            sum += v;
            squares += v * v;
        }
        for (int o = 16; o > 0; o /= 2) {
            sum += __shfl_xor_sync(0xffffffffu, sum, o);
            squares += __shfl_xor_sync(0xffffffffu, squares, o);
        }
        const double mean = sum / d, var = squares / d - mean * mean;
        const double rstd = 1.0 / sqrt((var < 0.0 ? 0.0 : var) + eps);
        for (int64_t i = lane; i < d; i += 32) {
            const double v = (__bfloat162float(x[row * d + i]) - mean) * rstd;
            y[row * d + i] = __float2bfloat16(v * __bfloat162float(weight[i]) + __bfloat162float(bias[i]));
        }
        if (lane == 0) {
            means[row] = mean;
            rstds[row] = rstd;
        }
    }
}

extern "C" void launch(const __nv_bfloat16* x /* [rows, d] */, const __nv_bfloat16* weight /* [d] */, const __nv_bfloat16* bias /* [d] */, __nv_bfloat16* y /* [rows, d] */, float* means /* [rows] */, float* rstds /* [rows] */, int64_t rows, int64_t d, float eps = 1e-5f, int block_size = 64, cudaStream_t stream = 0) {
    const int threads = (block_size + 31) / 32 * 32;
    layer_norm<<<5, threads, 0, stream>>>(x, weight, bias, y, means, rstds, rows, d, eps);
}
"""

# A user of PyTorch: each row's maximum and its place; NaN is the largest, the first one counts.
PLACES = """\
struct Best {
    float value;
    long long place;
};

__device__ Best better(Best a, Best b) {
    const bool an = isnan(a.value), bn = isnan(b.value);
    if (an != bn) return an ? a : b;
    if (an || a.value == b.value) return a.place < b.place ? a : b;
    return a.value > b.value ? a : b;
}

__global__ void row_max(const float* x, float* values, int64_t* places, int64_t m, int64_t n) {
    const int lane = threadIdx.x % 32, warps = blockDim.x / 32;
    for (int64_t row = (int64_t)blockIdx.x * warps + threadIdx.x / 32; row < m; row += (int64_t)gridDim.x * warps) {
        const float* in = x + row * n;
        Best best = {-INFINITY, INT64_MAX};
        for (int64_t j = lane; j < n; j += 32) best = better(best, {in[j], j});
        for (int o = 16; o > 0; o /= 2) {
            Best other;
            other.value = __shfl_down_sync(0xffffffffu, best.value, o);
            other.place = __shfl_down_sync(0xffffffffu, best.place, o);
            best = better(best, other);
        }
        if (lane == 0) {
            values[row] = best.value;
            places[row] = best.place;
        }
    }
}

extern "C" void launch(const float* x /* [m, n] */, float* values /* [m] */, int64_t* places /* [m] */, int64_t m, int64_t n, int block_size = 96, cudaStream_t stream = 0) {
    row_max<<<4, (block_size + 31) / 32 * 32, 0, stream>>>(x, values, places, m, n);
}
"""

# A C programmer who unrolls by hand: sums of rows of integers, a block a row.
UNROLLED = """\
__global__ void row_sums(const int32_t *x, int64_t *y, int64_t m, int64_t n)
{
    __shared__ long long part[32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    const int64_t step = blockDim.x;
    for (int64_t row = blockIdx.x; row < m; row += gridDim.x) {
        const int32_t *in = x + row * n;
        long long s0 = 0, s1 = 0, s2 = 0, s3 = 0;
        int64_t j = threadIdx.x;
        for (; j + 3 * step < n; j += 4 * step) {
            s0 += in[j];
            s1 += in[j + step];
            s2 += in[j + 2 * step];
            s3 += in[j + 3 * step];
        }
        for (; j < n; j += step) s0 += in[j];
        long long sum = s0 + s1 + s2 + s3;
        for (int o = 16; o > 0; o /= 2) sum += __shfl_down_sync(0xffffffffu, sum, o);
        if (lane == 0) part[warp] = sum;
        __syncthreads();  /* the warps' sums are there */
        if (warp == 0) {
            sum = lane < warps ? part[lane] : 0;
            for (int o = 16; o > 0; o >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, o);
            if (lane == 0) y[row] = sum;
        }
        __syncthreads();  /* they are used */
    }
}

extern "C" void launch(const int32_t *x /* [m, n] */, int64_t *y /* [m] */, int64_t m, int64_t n, int block_size = 64, cudaStream_t stream = 0)
{
    const unsigned blocks = m < 6 ? m : 6;
    row_sums<<<blocks, (block_size + 31) / 32 * 32, 0, stream>>>(x, y, m, n);
}
"""

SHAPES = ((1, 1), (1, 5), (11, 1), (6, 32), (9, 47), (2, 333), (3, 1100), (300, 7))
BLOCKS = (64, 33, 320, 1, 1024)
# m, n and k: results down and across, and the numbers that are added.
PRODUCTS = (1, 1, 1), (4, 6, 3), (16, 32, 16), (50, 7, 41), (23, 70, 90), (2, 3, 700)
HALF, FLOAT, DOUBLE = (torch.float16,), (torch.float32,), (torch.float64,)
INF, NAN = float("inf"), float("nan")


def _whole(*size: int, limit: int = 40) -> torch.Tensor:
    generator = torch.Generator().manual_seed(sum(size) + limit)
    return torch.randint(-limit, limit + 1, size, generator=generator).float()


def _case(words: str, x: tuple, right, dtypes: tuple, scalars=None, **options):
    sizes = ", ".join(" x ".join(map(str, tensor.shape)) for tensor in x)
    right = right if isinstance(right, tuple) else (right,)
    label = f"{sizes} {words} {scalars or ''}".strip()
    return Case(label, x, right, *([scalars] if scalars else []), dtypes=dtypes, **options)


def turned(launcher: Launcher) -> Iterator[Case]:
    """Turn doubles that need more bits than a float has."""
    for size in ((1, 1), (32, 32), (5, 70), (70, 5), (100, 3), (33, 64), (130, 50), (8, 8)):
        x = _whole(*size).double() * 9_876_543_211 + 1
        yield _case("", (x,), x.T.contiguous(), DOUBLE)


def turned_bytes(launcher: Launcher) -> Iterator[Case]:
    """Turn bytes, in fours and not in fours."""
    sizes = (1, 1), (4, 4), (8, 4), (12, 44), (40, 16), (4, 7), (9, 8), (31, 50), (128, 24)
    for size in sizes:
        for block_size in BLOCKS:
            x = (_whole(*size, limit=127) + 128).to(torch.uint8)
            yield _case("", (x,), x.T.contiguous(), (torch.uint8,), {"block_size": block_size})


def planes(launcher: Launcher) -> Iterator[Case]:
    """Bring channels before pixels, in few, in many and in very many pictures."""
    usual = (1, 1, 1, 1), (1, 2, 3, 3), (2, 9, 7, 4), (1, 5, 5, 20), (12, 1, 1, 9)
    for size in (*usual, (3, 16, 16, 3), (6, 3, 50, 2), (70_000, 1, 1, 2)):
        for block_size in BLOCKS[: 5 if size[0] < 99 else 1]:
            x = _whole(*size, limit=32_000).short()
            right = x.permute(0, 3, 1, 2).contiguous()
            yield _case("", (x,), right, (torch.int16,), {"block_size": block_size})


def gemm(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole numbers and add others; with a beta of 0 these may be broken."""
    for m, n, k in PRODUCTS:
        a, b, c = _whole(k, m), _whole(k, n), _whole(m, n, limit=90)
        product = a.double().T @ b.double()
        broken = c.clone()
        broken[m // 2, n // 2], broken[-1, 0] = NAN, INF
        spoilt = b.clone()
        spoilt[-1, n // 2], spoilt[k // 2, -1] = INF, NAN
        for alpha, beta in ((1.0, 1.0), (2.0, -3.0), (0.5, 0.25)):
            right, scalars = alpha * product + beta * c.double(), {"alpha": alpha, "beta": beta}
            yield _case("", (a, b, c), right, FLOAT, scalars)
        yield _case("C broken", (a, b, broken), 2 * product, FLOAT, {"alpha": 2.0, "beta": 0.0})
        right = a.double().T @ spoilt.double() + c
        yield _case("B broken", (a, spoilt, c), right, FLOAT, {"alpha": 1.0, "beta": 1.0})


def scores(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole halves, whose sums are exact until they are stored; some are large."""
    sizes = (1, 1, 1, 1), (2, 3, 5, 8), (3, 5, 2, 33), (2, 4, 4, 64), (1, 9, 11, 130)
    for batch, m, n, d in sizes:
        for scale in (1.0, 0.125, 0.75):
            for words, shift in (("small", 0), ("large", 60)):
                q, keys = _whole(batch, m, d) + shift, _whole(batch, n, d) + shift
                right = q.double() @ keys.double().transpose(1, 2) * scale
                scalars = {"scale": scale, "block_size": BLOCKS[(m + shift) % 5]}
                yield _case(words, (q.half(), keys.half()), right, HALF, scalars)


def columns(launcher: Launcher) -> Iterator[Case]:
    """Multiply a vector by a matrix, in doubles that need more bits than a float has."""
    for m, n in (*SHAPES, (17, 200), (100, 130)):
        x, a = _whole(m, limit=30).double(), _whole(m, n).double() * 123_457 + 1
        yield _case("", (x, a), x @ a, DOUBLE)


def _scores(*size: int) -> Iterator[tuple[str, torch.Tensor]]:
    near, n, m = _whole(*size) / 16, size[-1], size[-2]
    yield from (("near 0", near), ("800 less", near - 800), ("times 250", near * 250))
    late, middle = (..., slice((n + 1) // 2, None)), (..., m // 2, n // 3)
    early = (..., slice(0, n // 2))
    for words, place, value in (
        ("late ones masked", late, -INF),
        ("early ones masked", early, -INF),
        ("a row masked", (..., m // 2, slice(None)), -INF),
        ("a NaN", middle, NAN),
        ("an infinity", middle, INF),
    ):
        odd = near.clone()
        odd[place] = value
        yield words, odd


def online(launcher: Launcher) -> Iterator[Case]:
    """Take rows near to and far from 0, with infinities and NaN."""
    for m, n in SHAPES:
        for words, x in _scores(m, n):
            right = torch.softmax(x.double(), dim=1)
            scalars = {"block_size": BLOCKS[(m + len(words)) % 5]}
            options = {"ulp": 12, "within": (2.0**-18 * right.nan_to_num(0) + 2.0**-122,)}
            yield _case(words, (x,), right, FLOAT, scalars, **options)


def causal(launcher: Launcher) -> Iterator[Case]:
    """Take the same rows as scores of queries that do not see later keys."""
    for size in ((1, 1, 1), (2, 5, 5), (1, 40, 40), (3, 9, 70), (2, 70, 9), (4, 1, 33)):
        for words, x in _scores(*size):
            hidden = torch.ones(size, dtype=torch.bool).triu(1)
            right = torch.softmax(x.half().double().masked_fill(hidden, -INF), dim=2).tril()
            scalars = {"block_size": BLOCKS[(size[1] + len(words)) % 5]}
            options = {"ulp": 1, "within": (2.0**-24 + 0 * right.nan_to_num(0),)}
            yield _case(words, (x.half(),), right, HALF, scalars, **options)


def logs(launcher: Launcher) -> Iterator[Case]:
    """Take the same rows for log-softmax."""
    for m, n in SHAPES:
        for words, x in _scores(m, n):
            right = torch.log_softmax(x.double(), dim=1)
            scalars = {"block_size": BLOCKS[(m + len(words)) % 5]}
            options = {"ulp": 8, "within": (2.0**-48 * (1 + right.nan_to_num(0, 0, 0).abs()),)}
            yield _case(words, (x.double(),), right, DOUBLE, scalars, **options)


def _layer(dtype: torch.dtype) -> Iterator[tuple]:
    for m, n in SHAPES:
        for scale, shift in ((1.0, 0.0), (1.0, 1000.0), (2.0**-9, 0.0), (0.0, 3.0)):
            x = (_whole(m, n, limit=6) * scale + shift).to(dtype)
            w, b = (_whole(n, limit=3) + 6).to(dtype), _whole(n, limit=5).to(dtype)
            scalars = {"eps": 2.0**-13, "block_size": BLOCKS[(m + n) % 5]}
            mean = x.double().mean(dim=1, keepdim=True)
            var = (x.double() - mean).square().mean(dim=1, keepdim=True)
            rstd = 1 / torch.sqrt(var + scalars["eps"])
            right = (x.double() - mean) * rstd * w.double() + b.double()
            large = x.double().abs().amax(dim=1, keepdim=True)
            slack = large * rstd * w.double() + right.abs() + b.double().abs()
            words = f"about {shift}, times {scale}"
            yield words, (x, w, b), (right, mean, rstd), scalars, slack


def layer(launcher: Launcher) -> Iterator[Case]:
    """Norm rows of small, of usual, of distant and of equal floats."""
    for words, x, right, scalars, slack in _layer(torch.float32):
        yield _case(words, x, right[0], FLOAT, scalars, ulp=1, within=(2.0**-19 * slack,))


def stats(launcher: Launcher) -> Iterator[Case]:
    """Norm rows of the same numbers as bfloat16, and tell mean and scale."""
    dtypes = (torch.bfloat16, torch.float32, torch.float32)
    for words, x, (right, mean, rstd), scalars, slack in _layer(torch.bfloat16):
        mean, rstd = mean.squeeze(1), rstd.squeeze(1)
        within = (2.0**-22 * slack, 2.0**-22 * mean.abs(), 2.0**-22 * rstd)
        yield _case(words, x, (right, mean, rstd), dtypes, scalars, ulp=1, within=within)


def less_one(launcher: Launcher) -> Iterator[Case]:
    """Norm rows of zeros, of very small, of usual and of large halves."""
    for m, n in (*SHAPES, (7, 64), (3, 700)):
        for scale in (0.0, 2.0**-14, 1.0, 500.0):
            x, w = (_whole(m, n, limit=9) * scale).half(), (_whole(n, limit=99) / 128).half()
            for eps in (2.0**-12, 2.0e-8):
                scalars = {"eps": eps, "block_size": BLOCKS[(m + n) % 5]}
                root = torch.sqrt(x.double().square().mean(dim=1, keepdim=True) + eps)
                right = x.double() / root * (1 + w.double())
                slack = (2.0**-24 + 0 * right,)
                yield _case(f"times {scale}", (x, w), right, HALF, scalars, ulp=1, within=slack)


def places(launcher: Launcher) -> Iterator[Case]:
    """Find the first largest of mixed, negative, equal, very low and broken rows."""
    for m, n in SHAPES:
        x = _whole(m, n, limit=99) / 8
        broken, low = x.clone(), x - 500
        broken[m // 2, n // 2 :: 2], low[m // 3], low[m // 2, : n // 2] = NAN, -INF, -INF
        named = {"mixed": x, "negative": x - 200, "NaN": broken, "low": low}
        for words, rows in (named | {"equal": x.clamp(max=0)}).items():
            scalars = {"block_size": BLOCKS[(m + n + len(words)) % 5]}
            order = torch.where(rows.isnan(), INF, rows)  # as none of them holds an infinity
            top = order.amax(dim=1, keepdim=True)
            first = torch.where(order == top, torch.arange(n), n).amin(dim=1)
            right = rows.gather(1, first[:, None])[:, 0], first
            yield _case(words, (rows,), right, (torch.float32, torch.int64), scalars)


def sums(launcher: Launcher) -> Iterator[Case]:
    """Add up rows of small and of large integers."""
    for m, n in (*SHAPES, (2, 4096), (3, 260)):
        for words, factor, shift in (("small", 1, 400), ("large", 53_000_000, 7)):
            for block_size in (64, BLOCKS[(m + n + 1) % 5]):
                x = (_whole(m, n).long() * factor + shift).int()
                right, scalars = x.long().sum(dim=1), {"block_size": block_size}
                yield _case(words, (x,), right, (torch.int64,), scalars)


BASES = {
    "xxv_transpose_blog": Base(HEADER + BLOG, {"cases": turned}),
    "xxv_transpose_words": Base(HEADER + WORDS, {"cases": turned_bytes}),
    "xxv_transpose_planes": Base(HEADER + PLANES, {"cases": planes}),
    "xxv_product_gemm": Base(HEADER + GEMM, {"cases": gemm}),
    "xxv_product_scores": Base(HEADER + SCORES, {"cases": scores}),
    "xxv_product_columns": Base(HEADER + COLUMNS, {"cases": columns}),
    "xxv_softmax_online": Base(HEADER + ONLINE, {"cases": online}),
    "xxv_softmax_causal": Base(HEADER + CAUSAL, {"cases": causal}),
    "xxv_softmax_logs": Base(HEADER + LOGS, {"cases": logs}),
    "xxv_norm_atomics": Base(HEADER + ATOMICS, {"cases": layer}),
    "xxv_norm_less_one": Base(HEADER + LESS_ONE, {"cases": less_one}),
    "xxv_norm_stats": Base(HEADER + STATS, {"cases": stats}),
    "xxv_rows_places": Base(HEADER + PLACES, {"cases": places}),
    "xxv_rows_unrolled": Base(HEADER + UNROLLED, {"cases": sums}),
}

WRONG = (
    # The loop over lines goes on by the other side of the block, and loads a quarter.
    Wrong(
        "xxv_transpose_blog_other_side_of_block",
        "xxv_transpose_blog",
        "left out / unwritten / block size / swapped | sides / state / start / other element / tail",
        (
            "kLines) {\n        const int64_t y = top",
            "blockDim.x) {\n        const int64_t y = top",
        ),
    ),
    # A thread outside of the matrix goes home before the barrier; it had to store, too.
    Wrong(
        "xxv_transpose_blog_early_return",
        "xxv_transpose_blog",
        "unwritten / left out / tail / race | sides / grid",
        ("if (y < rows && x < cols) tile", "if (y >= rows || x >= cols) return;\n        tile"),
    ),
    # The barrier between loads and stores is forgotten.
    Wrong(
        "xxv_transpose_blog_without_barrier",
        "xxv_transpose_blog",
        "race | other element / unwritten / left out / sides / state / start",
        ("    __syncthreads();\n", ""),
    ),
    # The tiles down are rounded down.
    Wrong(
        "xxv_transpose_blog_rounded_down",
        "xxv_transpose_blog",
        "tail / grid / unwritten / left out / refused | sides",
        ("down = (rows + kTile - 1) / kTile", "down = rows / kTile"),
    ),
    # The numbers of lines are 32 bits wide, and so is their product.
    Wrong(
        "xxv_transpose_blog_int_sides",
        "xxv_transpose_blog",
        "narrow | bounds / other element / whole range / left out / sides / twice / unwritten",
        ("in[y * cols + x];", "in[(int)y * (int)cols + (int)x];"),
    ),
    # In one line the operands are in the other order.
    Wrong(
        "xxv_transpose_words_operands",
        "xxv_transpose_words",
        "swapped / other element | alignment / sides / function",
        ("q[r4] = __byte_perm(ab, cd, 0x7632);", "q[r4] = __byte_perm(cd, ab, 0x7632);"),
    ),
    # Three lines were copied from the first, and in one of them the selector was not changed.
    Wrong(
        "xxv_transpose_words_line_copied",
        "xxv_transpose_words",
        "other element / twice / left out | alignment / sides / function",
        (
            "q[3 * r4] = __byte_perm(AB, CD, 0x7632);",
            "q[3 * r4] = __byte_perm(AB, CD, 0x5410);",
        ),
    ),
    # Only one side is tested for fours.
    Wrong(
        "xxv_transpose_words_one_side_in_fours",
        "xxv_transpose_words",
        "sides / tail / other element / left out | unwritten / alignment / bounds / swapped",
        ("int whole = r % 4 == 0 && c % 4 == 0;", "int whole = r % 4 == 0;"),
    ),
    # The last bit of the address is tested, as if a word were two bytes.
    Wrong(
        "xxv_transpose_words_address_of_halves",
        "xxv_transpose_words",
        "alignment",
        ("(uintptr_t)out) % 4 == 0)", "(uintptr_t)out) % 2 == 0)"),
    ),
    # The grid is as large as the device allows for the depth, it is thought.
    Wrong(
        "xxv_transpose_planes_deep_grid",
        "xxv_transpose_planes",
        "grid / refused | unwritten / left out / sides",
        ("blocks(3, 2, n < 5 ? n : 5);", "blocks(3, 2, n);"),
    ),
    # Four lines of so many threads each may be more than 1,024.
    Wrong(
        "xxv_transpose_planes_block_of_four_times",
        "xxv_transpose_planes",
        "refused / block size | unwritten / left out / grid",
        ("threads((block_size + 3) / 4, 4)", "threads(block_size, 4)"),
    ),
    # The line for x was copied for y, and a .x stayed.
    Wrong(
        "xxv_transpose_planes_x_stayed",
        "xxv_transpose_planes",
        "block size / left out / unwritten / grid | sides / tail / swapped / other element",
        ("blockIdx.y * blockDim.y + threadIdx.y;", "blockIdx.y * blockDim.x + threadIdx.y;"),
    ),
    # A picture is thought to be one plane.
    Wrong(
        "xxv_transpose_planes_picture_is_plane",
        "xxv_transpose_planes",
        "other element / unwritten / left out / sides / function | twice / race / swapped",
        ("out[(b * c + k) * pixels + p]", "out[(b + k) * pixels + p]"),
    ),
    # With a beta of 0 the old numbers are multiplied all the same.
    Wrong(
        "xxv_product_gemm_zero_times_nan",
        "xxv_product_gemm",
        "nan / infinity | numbers / function",
        ("= beta == 0.0f ? alpha * sum :", "="),
    ),
    # Alpha is drawn before the whole sum.
    Wrong(
        "xxv_product_gemm_alpha_of_all",
        "xxv_product_gemm",
        "function | numbers / twice",
        (": alpha * sum + beta * C[at];", ": alpha * (sum + beta * C[at]);"),
    ),
    # The two factors are passed in the other order.
    Wrong(
        "xxv_product_gemm_beta_for_alpha",
        "xxv_product_gemm",
        "swapped / function | numbers / nan / infinity",
        ("m, n, k, alpha, beta);", "m, n, k, beta, alpha);"),
    ),
    # Past the end, the last line is taken again and again.
    Wrong(
        "xxv_product_gemm_clamped",
        "xxv_product_gemm",
        "twice / tail / sides | bounds / other element / numbers / function",
        ("s + ty < k && row0 + tx < m ? A[(s + ty)", "row0 + tx < m ? A[min(s + ty, k - 1)"),
        ("s + ty < k && col0 + tx < n ? B[(s + ty)", "col0 + tx < n ? B[min(s + ty, k - 1)"),
    ),
    # The barrier in the loop is thought to be superfluous with two tiles.
    Wrong(
        "xxv_product_gemm_two_tiles_no_barrier",
        "xxv_product_gemm",
        "race | other element / left out / twice / sides / state / start / unwritten",
        ("            __syncthreads();  // this tile is used, and the next one is there\n", ""),
    ),
    # What is in no pair is multiplied as halves.
    Wrong(
        "xxv_product_scores_multiplied_in_halves",
        "xxv_product_scores",
        "precision / rounding / infinity | numbers / whole range / alignment / narrow / sides",
        ("__half2float(u[i]) * __half2float(v[i]);", "__half2float(__hmul(u[i], v[i]));"),
    ),
    # There are as many keys as queries, it is thought.
    Wrong(
        "xxv_product_scores_keys_like_queries",
        "xxv_product_scores",
        "sides / other element / bounds | swapped / left out / function / twice",
        ("keys + (b * n + x) * d;", "keys + (b * m + x) * d;"),
    ),
    # The sum is stored as a half and scaled then.
    Wrong(
        "xxv_product_scores_scaled_late",
        "xxv_product_scores",
        "rounding / infinity / precision | numbers / whole range / narrow / function",
        ("__float2half(sum * scale);", "__hmul(__float2half(sum), __float2half(scale));"),
    ),
    # The number of threads is rounded down: for small blocks there is none.
    Wrong(
        "xxv_product_scores_no_threads",
        "xxv_product_scores",
        "refused / block size / unwritten | left out / grid",
        ("(block_size + 31) / 32 * 32,", "block_size / 32 * 32,"),
    ),
    # The loop includes 0, and 0 / 2 is 0.
    Wrong(
        "xxv_product_scores_until_zero",
        "xxv_product_scores",
        "timeout | unwritten / left out",
        ("int o = 16; o > 0; o /= 2", "int o = 16; o >= 0; o /= 2"),
    ),
    # A thread without a column does not come to the barrier.
    Wrong(
        "xxv_product_columns_barrier_in_if",
        "xxv_product_columns",
        "race / timeout | sides / tail / left out / unwritten",
        ("__syncthreads();  // the parts are there", "if (col < n) __syncthreads();"),
    ),
    # The first part is in the sum already.
    Wrong(
        "xxv_product_columns_first_part_again",
        "xxv_product_columns",
        "twice | function / other element / numbers / sides",
        ("int g = 1; g < kLines", "int g = 0; g < kLines"),
    ),
    # Each line of threads has its eighth of the rows, and nobody has the rest.
    Wrong(
        "xxv_product_columns_eighths",
        "xxv_product_columns",
        "tail / left out | sides / function / other element",
        ("r = ty; r < m; r += kLines)", "r = m / kLines * ty; r < m / kLines * (ty + 1); ++r)"),
    ),
    # In Fortran, columns are what lies together.
    Wrong(
        "xxv_product_columns_column_major",
        "xxv_product_columns",
        "swapped / sides / other element / function | numbers / left out",
        ("A[r * n + col]", "A[col * m + r]"),
    ),
    # Only the newer sum is brought down to the common maximum.
    Wrong(
        "xxv_softmax_online_old_sum_kept",
        "xxv_softmax_online",
        "function / numbers / left out | precision / other element / infinity / nan / twice / sides",
        ("a.sum * expf(a.top - top) +", "a.sum +"),
    ),
    # With an odd width the pair in the middle is lost.
    Wrong(
        "xxv_softmax_online_middle_lost",
        "xxv_softmax_online",
        "left out / block size | sides / numbers / nan / function / infinity / other element / tail",
        ("rest = (width + 1) / 2;", "rest = width / 2;"),
        ("if (t + rest < width)", "if (t < rest)"),
    ),
    # Threads without a number go home, and their pairs are joined all the same.
    Wrong(
        "xxv_softmax_online_idle_threads_leave",
        "xxv_softmax_online",
        "unwritten / race / block size / sides / start | state / left out / other element / nan / infinity / numbers / tail",
        ("t = threadIdx.x;\n", "t = threadIdx.x;\n    if (t >= cols) return;\n"),
    ),
    # A query does not see its own key.
    Wrong(
        "xxv_softmax_causal_not_itself",
        "xxv_softmax_causal",
        "left out / function | sides / numbers / other element / nan / infinity / tail",
        ("seen = q + 1 < keys ? q + 1 : keys;", "seen = q < keys ? q : keys;"),
    ),
    # What is hidden is never set to 0.
    Wrong(
        "xxv_softmax_causal_hidden_not_set",
        "xxv_softmax_causal",
        "unwritten / left out / zero before | sides / tail / state / start",
        ("j < keys; j += 32) {", "j < seen; j += 32) {"),
    ),
    # The heads are forgotten: from the second one on all is seen.
    Wrong(
        "xxv_softmax_causal_first_head_only",
        "xxv_softmax_causal",
        "function / sides / other element / left out | numbers / nan / infinity / twice / start",
        ("q = row % queries;", "q = row;"),
    ),
    # The mask comes after the softmax: the hidden keys count in the sum.
    Wrong(
        "xxv_softmax_causal_masked_late",
        "xxv_softmax_causal",
        "function / other element | numbers / infinity / nan / sides / twice / left out / start",
        ("j < seen; j += 32) top =", "j < keys; j += 32) top ="),
        ("j < seen; j += 32) sum +=", "j < keys; j += 32) sum +="),
    ),
    # With shuffles down only lane 0 has the maximum of all.
    Wrong(
        "xxv_softmax_causal_maximum_of_lane",
        "xxv_softmax_causal",
        "function / left out / other element | infinity / nan / numbers / sides / tail / start",
        ("fmaxf(top, __shfl_xor_sync(", "fmaxf(top, __shfl_down_sync("),
    ),
    # The maximum is thought to be needless.
    Wrong(
        "xxv_softmax_causal_without_maximum",
        "xxv_softmax_causal",
        "infinity / nan / numbers / whole range | subnormal / precision / function / left out",
        ("sum += expf(__half2float(in[j]) - top);", "sum += expf(__half2float(in[j]));"),
        ("expf(__half2float(in[j]) - top) / sum", "expf(__half2float(in[j])) / sum"),
    ),
    # DBL_MIN is taken for the lowest double; it is the smallest one above 0.
    Wrong(
        "xxv_softmax_logs_from_dbl_min",
        "xxv_softmax_logs",
        "start / numbers / infinity | nan / precision / function / whole range / subnormal",
        ("double top = -INFINITY;", "double top = DBL_MIN;"),
    ),
    # The functions of floats are called with doubles.
    Wrong(
        "xxv_softmax_logs_functions_of_floats",
        "xxv_softmax_logs",
        "precision / rounding | numbers / infinity / whole range / subnormal / narrow / function",
        ("sum += exp(in[j] - top);", "sum += expf(in[j] - top);"),
    ),
    # The maximum may start with the first number, and the loop at 1; the sum may not.
    Wrong(
        "xxv_softmax_logs_sum_from_second",
        "xxv_softmax_logs",
        "left out / start | numbers / function / infinity / nan / sides / other element",
        ("int64_t j = 0; j < cols; j++) sum +=", "int64_t j = 1; j < cols; j++) sum +="),
    ),
    # The differences are kept in the input, to spare a subtraction.
    Wrong(
        "xxv_softmax_logs_differences_in_input",
        "xxv_softmax_logs",
        "input | state / nan",
        ("sum += exp(in[j] - top);", "sum += exp(const_cast<double*>(in)[j] -= top);"),
        ("= in[j] - top - logSum;", "= in[j] - logSum;"),
    ),
    # The number of blocks is that of the first call.
    Wrong(
        "xxv_softmax_logs_static_blocks",
        "xxv_softmax_logs",
        "state / grid | unwritten / left out / tail / sides / block size",
        ("    int64_t blocks = (rows", "    static int64_t blocks = (rows"),
    ),
    # The variance is that of a sample.
    Wrong(
        "xxv_norm_atomics_sample",
        "xxv_norm_atomics",
        "function / sides | numbers / precision / nan / infinity",
        ("rsqrtf(squares / d + eps)", "rsqrtf(squares / (d - 1) + eps)"),
    ),
    # Epsilon is added to the root.
    Wrong(
        "xxv_norm_atomics_eps_outside",
        "xxv_norm_atomics",
        "function | numbers / precision / rounding",
        ("rsqrtf(squares / d + eps)", "1.0f / (sqrtf(squares / d) + eps)"),
    ),
    # Bias and weight are passed in the other order.
    Wrong(
        "xxv_norm_atomics_bias_first",
        "xxv_norm_atomics",
        "swapped / function | numbers / other element",
        ("(x, gamma, beta, y, rows", "(x, beta, gamma, y, rows"),
    ),
    # Thread 0 sets both to 0 while a slow one still has to read them.
    Wrong(
        "xxv_norm_atomics_set_too_early",
        "xxv_norm_atomics",
        "race | numbers / start / state / zero before / left out / function / infinity / nan / sides / grid",
        ("        __syncthreads();  // all have read\n", ""),
    ),
    # The model was ported without the 1.
    Wrong(
        "xxv_norm_less_one_without_one",
        "xxv_norm_less_one",
        "function / left out | numbers / copy / sign of zero",
        ("weight = 1.0f + __half2float(w[i]);", "weight = __half2float(w[i]);"),
    ),
    # The squares of what is in no pair are formed as halves.
    Wrong(
        "xxv_norm_less_one_squares_are_halves",
        "xxv_norm_less_one",
        "infinity / precision / rounding / whole range / subnormal | numbers / sides / function / narrow / alignment",
        ("__half2float(in[i]) * __half2float(in[i]);", "__half2float(__hmul(in[i], in[i]));"),
    ),
    # The second term is a copy of the first.
    Wrong(
        "xxv_norm_less_one_copied_term",
        "xxv_norm_less_one",
        "left out / twice / other element | function / numbers / sides / alignment",
        ("v.x * v.x + v.y * v.y;", "v.x * v.x + v.x * v.x;"),
    ),
    # The last number of a row of an odd length is in no pair.
    Wrong(
        "xxv_norm_less_one_odd_rows",
        "xxv_norm_less_one",
        "tail / left out / alignment | sides / function / numbers / bounds",
        ("d % 2 == 0 && (uintptr_t)x", "(uintptr_t)x"),
    ),
    # Epsilon becomes a half like all the rest.
    Wrong(
        "xxv_norm_less_one_eps_is_half",
        "xxv_norm_less_one",
        "precision / rounding / subnormal / narrow / numbers / nan | function / left out / whole range / infinity",
        ("total / d + eps", "total / d + __half2float(__float2half(eps))"),
    ),
    # The launch names no stream.
    Wrong(
        "xxv_norm_less_one_no_stream",
        "xxv_norm_less_one",
        "stream | race",
        ("<<<4, threads, 0, stream>>>", "<<<4, threads>>>"),
    ),
    # Floats have no room for the squares of distant numbers.
    Wrong(
        "xxv_norm_stats_floats",
        "xxv_norm_stats",
        "precision / rounding / numbers | nan / infinity / whole range / narrow / function",
        ("double sum = 0.0, squares = 0.0;", "float sum = 0.0f, squares = 0.0f;"),
    ),
    # The root is told, and not what is multiplied by.
    Wrong(
        "xxv_norm_stats_root_told",
        "xxv_norm_stats",
        "function | numbers",
        ("rstds[row] = rstd;", "rstds[row] = 1.0 / rstd;"),
    ),
    # A warp tells its mean where the block's would be.
    Wrong(
        "xxv_norm_stats_place_of_block",
        "xxv_norm_stats",
        "unwritten / left out / other element / race / grid | sides / twice / function / block size",
        ("means[row] = mean;", "means[blockIdx.x] = mean;"),
    ),
    # The bias comes before the weight.
    Wrong(
        "xxv_norm_stats_bias_weighted",
        "xxv_norm_stats",
        "function / swapped | numbers / twice / other element",
        ("v * __bfloat162float(weight[i]) +", "__bfloat162float(weight[i]) * (v +"),
        ("float(bias[i]));", "float(bias[i])));"),
    ),
    # Of equal numbers a lane's or a later one wins.
    Wrong(
        "xxv_rows_places_any_of_equal",
        "xxv_rows_places",
        "other element / numbers / function | sides / nan / start / infinity",
        ("    if (an || a.value == b.value) return a.place < b.place ? a : b;\n", ""),
    ),
    # NaN is not thought of: all comparisons with it are false.
    Wrong(
        "xxv_rows_places_nan_forgotten",
        "xxv_rows_places",
        "nan | numbers / left out / function / other element",
        ("    if (an != bn) return an ? a : b;\n", ""),
    ),
    # The maximum starts with the first number of all.
    Wrong(
        "xxv_rows_places_from_first_row",
        "xxv_rows_places",
        "start / other element / numbers | function / nan / left out / sides / infinity / copy",
        ("{-INFINITY, INT64_MAX};", "{x[0], 0};"),
    ),
    # The place is one of the whole matrix.
    Wrong(
        "xxv_rows_places_in_the_matrix",
        "xxv_rows_places",
        "function / other element / sides | start / numbers / whole range",
        ("{in[j], j});", "{in[j], row * n + j});"),
    ),
    # The values travel from lane to lane, and their places stay.
    Wrong(
        "xxv_rows_places_stay",
        "xxv_rows_places",
        "other element / left out / function | sides / numbers / start",
        ("__shfl_down_sync(0xffffffffu, best.place, o);", "best.place;"),
    ),
    # Lanes without a number do not shuffle, and all are named in the mask.
    Wrong(
        "xxv_rows_places_lanes_missing",
        "xxv_rows_places",
        "race / timeout / sides / tail | other element / left out / unwritten",
        ("const float* in =", "if (lane >= n) continue;\n        const float* in ="),
    ),
    # Places travel as 32 bits.
    Wrong(
        "xxv_rows_places_int_shuffle",
        "xxv_rows_places",
        "narrow / whole range / start / infinity | other element / numbers / function / sides / tail",
        ("best.place, o);", "(int)best.place, o);"),
    ),
    # The condition of the unrolled loop is that of a step of 1.
    Wrong(
        "xxv_rows_unrolled_three_more",
        "xxv_rows_unrolled",
        "bounds / other element / tail | sides / function / block size / twice",
        ("j + 3 * step < n;", "j + 3 < n;"),
    ),
    # Of up to three that are left, the first is added.
    Wrong(
        "xxv_rows_unrolled_one_left",
        "xxv_rows_unrolled",
        "tail / left out | sides / function / block size / numbers",
        ("for (; j < n; j += step) s0 += in[j];", "if (j < n) s0 += in[j];"),
    ),
    # The loop for what is left does not go on.
    Wrong(
        "xxv_rows_unrolled_never_on",
        "xxv_rows_unrolled",
        "timeout | unwritten / left out / tail",
        ("for (; j < n; j += step) s0", "for (; j < n;) s0"),
    ),
    # The last warp adds numbers that no warp has left.
    Wrong(
        "xxv_rows_unrolled_all_32_parts",
        "xxv_rows_unrolled",
        "start / block size / unwritten / state / zero before | numbers / other element / function / sides",
        ("sum = lane < warps ? part[lane] : 0;", "sum = part[lane];"),
    ),
    # Four integers are added before the sum becomes wider.
    Wrong(
        "xxv_rows_unrolled_int_sums",
        "xxv_rows_unrolled",
        "narrow / whole range | numbers / sides / function / left out",
        ("long long s0 = 0,", "int32_t s0 = 0,"),
    ),
    # The second stage goes down from half a warp of warps.
    Wrong(
        "xxv_rows_unrolled_sixteen_warps",
        "xxv_rows_unrolled",
        "block size / left out | numbers / sides / function",
        ("int o = 16; o > 0; o >>= 1", "int o = 8; o > 0; o >>= 1"),
    ),
)

RIGHT = (
    # Tiles of 13 in three lines.
    Right(
        "xxv_transpose_blog_thirteen",
        "xxv_transpose_blog",
        ("32, kLines = 8;", "13, kLines = 3;"),
    ),
    # The diagonal is brought in first: the columns of a tile go round.
    Right(
        "xxv_transpose_blog_goes_round",
        "xxv_transpose_blog",
        ("tile[r][threadIdx.x] = in", "tile[r][(threadIdx.x + r) % kTile] = in"),
        ("tile[threadIdx.x][r];", "tile[threadIdx.x][(r + threadIdx.x) % kTile];"),
    ),
    # Shifts in place of a selection, for one of the words.
    Right(
        "xxv_transpose_words_shifted",
        "xxv_transpose_words",
        ("q[0] = __byte_perm(ab, cd, 0x5410);", "q[0] = (ab & 0xffffu) | cd << 16;"),
    ),
    # Neighbours go down and not across.
    Right(
        "xxv_transpose_words_down",
        "xxv_transpose_words",
        ("y = i / c4, x = i % c4;", "y = i % r4, x = i / r4;"),
    ),
    # The last pixel comes first.
    Right(
        "xxv_transpose_planes_backwards",
        "xxv_transpose_planes",
        ("int64_t p = x; p < pixels; p += dx)", "int64_t p = pixels - 1 - x; p >= 0; p -= dx)"),
    ),
    # Tiles of eleven.
    Right("xxv_product_gemm_eleven", "xxv_product_gemm", ("T = 16;", "T = 11;")),
    # Alpha and beta come to the sum one after the other.
    Right(
        "xxv_product_gemm_asked_first",
        "xxv_product_gemm",
        (
            "out[at] = beta == 0.0f ? alpha * sum : alpha * sum + beta * C[at];",
            "sum *= alpha;\n            out[at] = beta ? sum + beta * C[at] : sum;",
        ),
    ),
    # With exchanges all lanes have the sum, and lane 7 stores it.
    Right(
        "xxv_product_scores_lane_seven",
        "xxv_product_scores",
        ("__shfl_down_sync(", "__shfl_xor_sync("),
        ("if (lane == 0) out", "if (lane == 7) out"),
    ),
    # Three lines of threads.
    Right(
        "xxv_product_columns_three_lines", "xxv_product_columns", ("kLines = 8;", "kLines = 3;")
    ),
    # The lowest finite number: a hidden row is NaN all the same.
    Right(
        "xxv_softmax_online_from_lowest",
        "xxv_softmax_online",
        ("Pair mine = {-INFINITY, 0.0f};", "Pair mine = {-FLT_MAX, 0.0f};"),
    ),
    # All is set to 0 first, and then what is seen.
    Right(
        "xxv_softmax_causal_zeros_first",
        "xxv_softmax_causal",
        (
            "float sum = 0.0f;",
            "for (int64_t j = lane; j < keys; j += 32) y[row * keys + j] = 0.0f;\n        float sum = 0.0f;",
        ),
        ("j < keys; j += 32) {", "j < seen; j += 32) {"),
    ),
    # The maximum starts with the first number, and a NaN there stays.
    Right(
        "xxv_softmax_logs_from_first",
        "xxv_softmax_logs",
        ("double top = -INFINITY;", "double top = in[0];"),
        ("top = fmax(top, in[j]);", "top = in[j] > top ? in[j] : top;"),
    ),
    # Each number is added to the block's at once.
    Right(
        "xxv_norm_atomics_at_once",
        "xxv_norm_atomics",
        ("mine += off * off;", "atomicAdd(&squares, off * off);"),
        ("        atomicAdd(&squares, mine);\n", ""),
    ),
    # Pairs only for whole warps of pairs.
    Right(
        "xxv_norm_less_one_whole_warps",
        "xxv_norm_less_one",
        ("pairs = d % 2 == 0", "pairs = d % 64 == 0"),
    ),
    # What is neither above 0 nor NaN becomes 0.
    Right(
        "xxv_norm_stats_above_zero",
        "xxv_norm_stats",
        ("(var < 0.0 ? 0.0 : var)", "(var > 0.0 || isnan(var) ? var : 0.0)"),
    ),
    # The last number comes first; its place decides.
    Right(
        "xxv_rows_places_backwards",
        "xxv_rows_places",
        ("int64_t j = lane; j < n; j += 32)", "int64_t j = n - 1 - lane; j >= 0; j -= 32)"),
    ),
    # Unsigned sums wrap, and come out right all the same.
    Right(
        "xxv_rows_unrolled_unsigned",
        "xxv_rows_unrolled",
        ("long long s0 = 0,", "unsigned long long s0 = 0,"),
    ),
)
