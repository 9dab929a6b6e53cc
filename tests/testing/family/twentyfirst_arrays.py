"""Hold a twenty-first family: transposes, products, softmax, norms, sums and maxima of rows.

Of the 65 wrong ones two are wrong by reasoning, as the emulator's threads run in order:

    xxi_online_read_early    if a thread is there before the first one has joined the last two
    xxi_most_no_atomic       if another thread writes between a thread's look and its write

A run of xxi_top_place_in_float shows its fault only from 2^24 columns on.
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

# A reader of blog posts: 32 x 32 numbers a block, four of them a thread; blocks in one row.
SPIN = (
    HEADER
    + """\
constexpr int TILE_DIM = 32;
constexpr int BLOCK_ROWS = 8;

__global__ void spin(const float* __restrict__ idata, float* __restrict__ odata, int64_t rows, int64_t cols, int64_t across) {
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];
    const int64_t block = blockIdx.x;
    const int64_t top = block / across * TILE_DIM;
    const int64_t left = block % across * TILE_DIM;
    int64_t x = left + threadIdx.x, y = top + threadIdx.y;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS) {
        if (x < cols && y + j < rows) tile[threadIdx.y + j][threadIdx.x] = idata[(y + j) * cols + x];
    }
    __syncthreads();
    x = top + threadIdx.x;
    y = left + threadIdx.y;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS) {
        if (x < rows && y + j < cols) odata[(y + j) * rows + x] = tile[threadIdx.x][threadIdx.y + j];
    }
}

extern "C" void launch(const float* idata,  // [rows, cols]
                       float* odata,        // [cols, rows]
                       int64_t rows, int64_t cols, cudaStream_t stream = 0) {
    const int64_t across = (cols + TILE_DIM - 1) / TILE_DIM;
    const int64_t down = (rows + TILE_DIM - 1) / TILE_DIM;
    spin<<<across * down, dim3(TILE_DIM, BLOCK_ROWS), 0, stream>>>(idata, odata, rows, cols, across);
}
"""
)

# Somebody who works with pictures: bytes of pixels become planes, four channels at a time.
PLANES = (
    HEADER
    + """\
#include <algorithm>

__global__ void planes(const uint8_t* in, uint8_t* out, int64_t height, int64_t width, int64_t channels) {
    const int64_t pixels = height * width;
    const int64_t stride = (int64_t)blockDim.x * gridDim.x;
    const bool four = channels == 4 && (uintptr_t)in % 4 == 0;
    for (int64_t p = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; p < pixels; p += stride) {
        if (four) {
            const uchar4 bgra = ((const uchar4*)in)[p];
            out[p] = bgra.x;
            out[pixels + p] = bgra.y;
            out[2 * pixels + p] = bgra.z;
            out[3 * pixels + p] = bgra.w;
        } else {
            for (int64_t c = 0; c < channels; c++) {
                out[c * pixels + p] = in[p * channels + c];
            }
        }
    }
}

extern "C" void launch(const uint8_t* in,  // [height, width, channels]
                       uint8_t* out,       // [channels, height, width]
                       int64_t height, int64_t width, int64_t channels, int block_size = 256, cudaStream_t stream = 0) {
    const int64_t pixels = height * width;
    const int64_t blocks = std::min<int64_t>((pixels + block_size - 1) / block_size, 30);
    planes<<<(unsigned)blocks, block_size, 0, stream>>>(in, out, height, width, channels);
}
"""
)

# Somebody who comes from Numba: squares of both matrices, and blocks that walk down in bands.
MUL = (
    HEADER
    + """\
constexpr int TPB = 16;

__global__ void fast_matmul(const float* A, const float* B, float* C, int64_t m, int64_t n, int64_t k) {
    __shared__ float sA[TPB][TPB];
    __shared__ float sB[TPB][TPB];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int64_t x = (int64_t)blockIdx.x * TPB + tx;
    const int64_t bands = (m + TPB - 1) / TPB;
    for (int64_t band = blockIdx.y; band < bands; band += gridDim.y) {
        const int64_t y = band * TPB + ty;
        float tmp = 0.0f;
        for (int64_t i = 0; i < k; i += TPB) {
            sA[ty][tx] = 0.0f;
            sB[ty][tx] = 0.0f;
            if (y < m && i + tx < k) sA[ty][tx] = A[y * k + i + tx];
            if (x < n && i + ty < k) sB[ty][tx] = B[(i + ty) * n + x];
            __syncthreads();  // preloaded
            for (int j = 0; j < TPB; ++j) tmp += sA[ty][j] * sB[j][tx];
            __syncthreads();  // computed
        }
        if (y < m && x < n) C[y * n + x] = tmp;
    }
}

extern "C" void launch(const float* A,  // [m, k]
                       const float* B,  // [k, n]
                       float* C,        // [m, n]
                       int64_t m, int64_t n, int64_t k, cudaStream_t stream = 0) {
    const int64_t bands = (m + TPB - 1) / TPB;
    const dim3 blocks((unsigned)((n + TPB - 1) / TPB), bands < 3 ? (unsigned)bands : 3);
    fast_matmul<<<blocks, dim3(TPB, TPB), 0, stream>>>(A, B, C, m, n, k);
}
"""
)

# Somebody who trains transformers: the scores of attention, a strip of a row a block.
SCORES = (
    HEADER
    + """\
constexpr int CHUNK = 96;  // of a query that waits in shared memory

__global__ void scores(const half* q, const half* keys, float* out, int64_t n, int64_t d, int64_t strips, float scale) {
    __shared__ float part[CHUNK];
    const int64_t row = blockIdx.x / strips;
    const int64_t col = blockIdx.x % strips * blockDim.x + threadIdx.x;
    float dot = 0.0f;
    for (int64_t c0 = 0; c0 < d; c0 += CHUNK) {
        const int len = d - c0 < CHUNK ? (int)(d - c0) : CHUNK;
        for (int e = threadIdx.x; e < len; e += blockDim.x) part[e] = __half2float(q[row * d + c0 + e]);
        __syncthreads();  // the chunk is there
        if (col < n) {
            const half* key = keys + col * d + c0;
            for (int e = 0; e < len; ++e) dot += part[e] * __half2float(key[e]);
        }
        __syncthreads();  // and may be overwritten
    }
    if (col < n) out[row * n + col] = dot * scale;
}

extern "C" void launch(const half* q,     // [m, d]
                       const half* keys,  // [n, d]
                       float* out,        // [m, n]
                       int64_t m, int64_t n, int64_t d, float scale = 0.125f, int block_size = 64, cudaStream_t stream = 0) {
    const int64_t strips = (n + block_size - 1) / block_size;
    scores<<<(unsigned)(m * strips), block_size, 0, stream>>>(q, keys, out, n, d, strips, scale);
}
"""
)

# A physicist who writes C: a transposed matrix of double times a vector.
PULL = (
    HEADER
    + """\
#define WIDE 32
#define HIGH 8

/* y = A' x */
__global__ void pull(const double *a, const double *x, double *y, int64_t m, int64_t n)
{
    __shared__ double cell[HIGH][WIDE];
    int tx = threadIdx.x, ty = threadIdx.y, h;
    int64_t j = (int64_t)blockIdx.x * WIDE + tx, i;
    double s = 0;
    if (j < n)
        for (i = ty; i < m; i += HIGH) s += a[i * n + j] * x[i];
    cell[ty][tx] = s;
    for (h = HIGH / 2; h > 0; h /= 2) {
        __syncthreads();
        if (ty < h) cell[ty][tx] += cell[ty + h][tx];
    }
    if (ty == 0 && j < n) y[j] = cell[0][tx];
}

extern "C" void launch(const double *a,  /* [m, n] */
                       const double *x,  /* [m] */
                       double *y,        /* [n] */
                       int64_t m, int64_t n, cudaStream_t stream = 0)
{
    dim3 block(WIDE, HIGH);
    pull<<<(n + WIDE - 1) / WIDE, block, 0, stream>>>(a, x, y, m, n);
}
"""
)

# A reader of papers: softmax whose sum is corrected when a larger number comes.
ONLINE = (
    HEADER
    + """\
struct Run {
    float top;
    float sum;  // of exp(x - top)
};

__device__ Run join(Run a, Run b) {
    const float top = fmaxf(a.top, b.top);
    if (top == -INFINITY) return Run{top, a.sum + b.sum};
    return Run{top, a.sum * expf(a.top - top) + b.sum * expf(b.top - top)};
}

__global__ void online(const float* x, float* out, int64_t cols) {
    extern __shared__ Run runs[];
    const int t = threadIdx.x;
    const float* row = x + blockIdx.x * cols;
    float* to = out + blockIdx.x * cols;
    Run mine = {-INFINITY, 0.0f};
    for (int64_t j = t; j < cols; j += blockDim.x) {
        const float v = row[j];
        if (v > mine.top) {
            mine.sum = mine.sum * expf(mine.top - v) + expf(v - v);  // 1, or NaN for an infinity
            mine.top = v;
        } else if (v != -INFINITY) {
            mine.sum += expf(v - mine.top);
        }
    }
    runs[t] = mine;
    for (int left = blockDim.x; left > 1;) {
        const int half = (left + 1) / 2;
        __syncthreads();
        if (t + half < left) runs[t] = join(runs[t], runs[t + half]);
        left = half;
    }
    __syncthreads();  // the first one is whole
    const Run all = runs[0];
    for (int64_t j = t; j < cols; j += blockDim.x) to[j] = expf(row[j] - all.top) / all.sum;
}

extern "C" void launch(const float* x,  // [rows, cols]
                       float* out,      // [rows, cols]
                       int64_t rows, int64_t cols, int block_size = 64, cudaStream_t stream = 0) {
    const size_t bytes = block_size * sizeof(Run);
    online<<<static_cast<unsigned>(rows), block_size, bytes, stream>>>(x, out, cols);
}
"""
)

# A beginner: log-softmax, a thread a row.
CLASSES = (
    HEADER
    + """\
__global__ void log_softmax(const float* x, float* y, int64_t m, int64_t n) {
    int64_t r = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= m) return;
    const float* in = x + r * n;
    float* to = y + r * n;
    float big = -INFINITY;
    for (int64_t j = 0; j < n; j++) {
        if (in[j] > big) big = in[j];
    }
    float sum = 0.0f;
    for (int64_t j = 0; j < n; j++) sum += expf(in[j] - big);
    float lg = logf(sum);
    for (int64_t j = 0; j < n; j++) to[j] = (in[j] - big) - lg;
}

extern "C" void launch(const float* x,  // [m, n]
                       float* y,        // [m, n]
                       int64_t m, int64_t n, int block_size = 32, cudaStream_t stream = 0) {
    int64_t blocks = (m + block_size - 1) / block_size;
    log_softmax<<<blocks, block_size, 0, stream>>>(x, y, m, n);
}
"""
)

# Somebody who writes extensions of PyTorch: two passes, few blocks that take several rows.
LAYER = (
    HEADER
    + """\
#include <algorithm>

__device__ float warp_sum(float v) {
    for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
    return v;
}

__device__ float block_sum(float v) {
    __shared__ float part[32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    v = warp_sum(v);
    if (lane == 0) part[warp] = v;
    __syncthreads();  // every warp has its sum
    if (warp == 0) {
        v = warp_sum(lane < warps ? part[lane] : 0.0f);
        if (lane == 0) part[0] = v;
    }
    __syncthreads();  // the total is there
    v = part[0];
    __syncthreads();  // and has been read
    return v;
}

__global__ void layer(const float* x, const float* gamma, const float* beta, float* y, int64_t rows, int64_t d, float eps) {
    for (int64_t r = blockIdx.x; r < rows; r += gridDim.x) {
        const float* in = x + r * d;
        float s = 0.0f;
        for (int64_t i = threadIdx.x; i < d; i += blockDim.x) s += in[i];
        const float mu = block_sum(s) / d;
        float q = 0.0f;
        for (int64_t i = threadIdx.x; i < d; i += blockDim.x) {
            const float e = in[i] - mu;
            q += e * e;
        }
        const float var = block_sum(q) / d;
        const float rstd = 1.0f / sqrtf(var + eps);
        for (int64_t i = threadIdx.x; i < d; i += blockDim.x) {
            y[r * d + i] = (in[i] - mu) * rstd * gamma[i] + beta[i];
        }
    }
}

extern "C" void launch(const float* x,      // [rows, d]
                       const float* gamma,  // [d]
                       const float* beta,   // [d]
                       float* y,            // [rows, d]
                       int64_t rows, int64_t d, float eps = 1e-5f, int block_size = 128, cudaStream_t stream = 0) {
    const int threads = (block_size + 31) / 32 * 32;
    const unsigned blocks = (unsigned)std::min<int64_t>(rows, 8);
    layer<<<blocks, threads, 0, stream>>>(x, gamma, beta, y, rows, d, eps);
}
"""
)

# A careful engineer: RMS norm of bfloat16, a warp a row, four numbers at a time.
ROOT = (
    HEADER
    + """\
constexpr int kRows = 4;

struct alignas(8) Four {
    __nv_bfloat16 v[4];
};

__global__ void root(const __nv_bfloat16* x, const float* w, __nv_bfloat16* out, int64_t m, int64_t n, float eps, bool fours) {
    const int lane = threadIdx.x;
    const int64_t r = int64_t{blockIdx.x} * kRows + threadIdx.y;
    if (r >= m) return;
    x += r * n;
    out += r * n;
    const int64_t packs = fours ? n / 4 : 0;
    float sq = 0.0f;
    for (int64_t p = lane; p < packs; p += 32) {
        const Four f = reinterpret_cast<const Four*>(x)[p];
        for (int i = 0; i < 4; ++i) sq += __bfloat162float(f.v[i]) * __bfloat162float(f.v[i]);
    }
    for (int64_t i = packs * 4 + lane; i < n; i += 32) sq += __bfloat162float(x[i]) * __bfloat162float(x[i]);
    for (int o = 1; o < 32; o <<= 1) sq += __shfl_xor_sync(0xffffffffu, sq, o);
    const float scale = rsqrtf(sq / n + eps);
    for (int64_t p = lane; p < packs; p += 32) {
        Four f = reinterpret_cast<const Four*>(x)[p];
        for (int i = 0; i < 4; ++i) f.v[i] = __float2bfloat16(__bfloat162float(f.v[i]) * scale * w[p * 4 + i]);
        reinterpret_cast<Four*>(out)[p] = f;
    }
    for (int64_t i = packs * 4 + lane; i < n; i += 32) out[i] = __float2bfloat16(__bfloat162float(x[i]) * scale * w[i]);
}

static bool fits(const void* p) { return reinterpret_cast<uintptr_t>(p) % sizeof(Four) == 0; }

extern "C" void launch(const __nv_bfloat16* x,  // [m, n]
                       const float* w,          // [n]
                       __nv_bfloat16* out,      // [m, n]
                       int64_t m, int64_t n, float eps = 1e-5f, cudaStream_t stream = 0) {
    const bool fours = n % 4 == 0 && fits(x) && fits(out);
    const unsigned blocks = static_cast<unsigned>((m + kRows - 1) / kRows);
    root<<<blocks, dim3(32, kRows), 0, stream>>>(x, w, out, m, n, eps, fours);
}
"""
)

# A veteran: sums of rows of half, two sums a thread, and the last warp on its own.
SUMS = (
    HEADER
    + """\
#define BS 256

__global__ void sums(const half *x, float *y, int64_t m, int64_t n) {
    __shared__ float s[BS];
    const int t = threadIdx.x;
    for (int64_t r = blockIdx.x; r < m; r += gridDim.x) {
        const half *row = x + r * n;
        float a = 0, b = 0;
        int64_t i = t;
        for (; i + BS < n; i += 2 * BS) {
            a += __half2float(row[i]);
            b += __half2float(row[i + BS]);
        }
        if (i < n) a += __half2float(row[i]);
        s[t] = a + b;
        __syncthreads();
        for (int h = BS / 2; h >= 32; h >>= 1) {
            if (t < h) s[t] += s[t + h];
            __syncthreads();
        }
        if (t < 32) {
            float v = s[t];
            for (int o = 16; o; o >>= 1) v += __shfl_down_sync(0xffffffff, v, o);
            if (t == 0) y[r] = v;
        }
        __syncthreads();  // before the next row
    }
}

extern "C" void launch(const half *x,  // [m, n]
                       float *y,       // [m]
                       int64_t m, int64_t n, cudaStream_t stream = 0) {
    sums<<<m < 20 ? m : 20, BS, 0, stream>>>(x, y, m, n);
}
"""
)

# An engineer who knows torch.max: the first of the largest numbers, or the first NaN.
TOP = (
    HEADER
    + """\
// Whether v at place i comes before w at place j.
__device__ bool beats(float v, int64_t i, float w, int64_t j) {
    const bool v_nan = v != v, w_nan = w != w;
    if (v_nan || w_nan) return v_nan && (!w_nan || i < j);
    return v > w || (v == w && i < j);
}

__global__ void top(const float* x, float* value, int64_t* place, int64_t m, int64_t n) {
    const int lane = threadIdx.x % 32;
    const int64_t r = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (r >= m) return;
    float v = -INFINITY;
    int64_t at = n;  // none so far
    for (int64_t j = lane; j < n; j += 32) {
        const float w = x[r * n + j];
        if (beats(w, j, v, at)) v = w, at = j;
    }
    for (int o = 16; o > 0; o /= 2) {
        const float w = __shfl_down_sync(~0u, v, o);
        const int64_t j = __shfl_down_sync(~0u, (long long)at, o);
        if (beats(w, j, v, at)) v = w, at = j;
    }
    if (lane == 0) {
        value[r] = v;
        place[r] = at;
    }
}

extern "C" void launch(const float* x,  // [m, n]
                       float* value,    // [m]
                       int64_t* place,  // [m]
                       int64_t m, int64_t n, int block_size = 128, cudaStream_t stream = 0) {
    const int threads = (block_size + 31) / 32 * 32;
    top<<<(m * 32 + threads - 1) / threads, threads, 0, stream>>>(x, value, place, m, n);
}
"""
)

# Somebody who comes from OpenCL: maxima of rows of int, in pieces, with an atomic.
MOST = (
    HEADER
    + """\
#define LEN 300
#define LEAST (-2147483647 - 1)

__global__ void fill(int* out, int64_t m) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < m) out[i] = LEAST;
}

__global__ void most(const int* x, int* out, int64_t n, int64_t pieces) {
    const int64_t row = blockIdx.x / pieces;
    const int64_t begin = blockIdx.x % pieces * LEN;
    const int64_t end = begin + LEN < n ? begin + LEN : n;
    int best = LEAST;
    for (int64_t i = begin + threadIdx.x; i < end; i += blockDim.x) best = max(best, x[row * n + i]);
    atomicMax(&out[row], best);
}

extern "C" void launch(const int* x,  // [m, n]
                       int* out,      // [m]
                       int64_t m, int64_t n, int block_size = 64, cudaStream_t stream = 0) {
    const int64_t pieces = (n + LEN - 1) / LEN;
    fill<<<(m + 255) / 256, 256, 0, stream>>>(out, m);
    most<<<m * pieces, block_size, 0, stream>>>(x, out, n, pieces);
}
"""
)

SHAPES = ((1, 1), (1, 7), (9, 1), (2, 31), (5, 32), (23, 40), (3, 257), (2, 900), (70, 6))
BLOCKS = (64, 96, 256)
PRODUCTS = (
    (1, 1, 1),
    (2, 9, 1),
    (9, 2, 7),
    (5, 33, 48),
    (34, 5, 96),
    (20, 70, 97),
    (3, 130, 200),
)


def _draw(*size: int, seed: int) -> torch.Tensor:
    return torch.randn(*size, generator=torch.Generator().manual_seed(seed))


def planes(launcher: Launcher) -> Iterator[Case]:
    """Take pictures apart: few and many channels."""
    sizes = ((1, 1, 1), (4, 6, 4), (7, 9, 3), (33, 40, 4), (2, 3, 130), (90, 100, 1))
    for height, width, channels in sizes:
        for block_size in BLOCKS:
            generator = torch.Generator().manual_seed(height + width)
            x = torch.randint(0, 256, (height, width, channels), generator=generator)
            x = x.to(torch.uint8)
            yield Case(
                f"{height} x {width} pixels, {channels} channels, block_size = {block_size}",
                (x,),
                (x.permute(2, 0, 1).contiguous(),),
                {"block_size": block_size},
                dtypes=(torch.uint8,),
            )


def scores(launcher: Launcher) -> Iterator[Case]:
    """Multiply halves by transposed ones and by a quarter or by 3."""
    for m, n, d in PRODUCTS:
        for scale, block_size in ((0.25, 64), (3.0, 32), (1.0, 128)):
            q = whole_numbers(m, d, seed=m + d, limit=9).half()
            keys = whole_numbers(n, d, seed=n + 3 * d, limit=9).half()
            right = q.double() @ keys.double().T * scale
            yield Case(
                f"m = {m}, n = {n}, d = {d}, scale = {scale}, block_size = {block_size}",
                (q, keys),
                (right,),
                {"scale": scale, "block_size": block_size},
                dtypes=(torch.float32,),
            )


def pull(launcher: Launcher) -> Iterator[Case]:
    """Multiply a transposed matrix by a vector: numbers that float has, and that it has not."""
    for m, n in (*SHAPES, (50, 70)):
        for step in (1.0, 2.0**-30):
            a = 1.0 + whole_numbers(m, n, seed=m + n, limit=9).double() * step
            x = whole_numbers(m, seed=n, limit=9).double()
            yield Case(f"m = {m}, n = {n}", (a, x), (a.T @ x,), dtypes=(torch.float64,))


def log_softmax(launcher: Launcher) -> Iterator[Case]:
    """Take numbers near to and far from 0, with infinities and NaN."""
    for m, n in SHAPES:
        near = _draw(m, n, seed=m + n)
        masked, broken = near.clone(), near.clone()
        masked[:, n // 2] = float("-inf")
        broken[m // 2, 0] = float("nan")
        far = (
            ("3,000 less", near - 3000),
            ("3,000 more", near + 3000),
            ("times 50", near * 50),
        )
        for words, x in (("near 0", near), *far, ("masked", masked), ("a NaN", broken)):
            right = torch.log_softmax(x.double(), dim=1)
            finite = torch.nan_to_num(right, 0.0, 0.0, 0.0)
            yield Case(
                f"{m} x {n}, {words}",
                (x,),
                (right,),
                ulp=8,
                dtypes=(torch.float32,),
                within=(2.0**-20 * (1 + finite.abs()),),
            )


def layer(launcher: Launcher) -> Iterator[Case]:
    """Norm rows of small, of usual and of distant numbers."""
    for m, n in SHAPES:
        for scale, shift in ((1.0, 0.0), (1.0, 64.0), (2.0**-8, 0.0)):
            x = (whole_numbers(m, n, seed=m + n, limit=4) + shift) * scale
            gamma = whole_numbers(n, seed=n, limit=3) + 5
            beta = whole_numbers(n, seed=n + 1, limit=4)
            eps, block_size = 2.0**-12, BLOCKS[(m + n) % 3]
            d = x.double() - x.double().mean(dim=1, keepdim=True)
            root = torch.sqrt(d.square().mean(dim=1, keepdim=True) + eps)
            right = d / root * gamma.double() + beta.double()
            large = x.double().abs().amax(dim=1, keepdim=True) / root * gamma.double()
            yield Case(
                f"{m} x {n}, about {shift * scale} times {scale}, block_size = {block_size}",
                (x, gamma, beta),
                (right,),
                {"eps": eps, "block_size": block_size},
                ulp=12,
                dtypes=(torch.float32,),
                within=(2.0**-19 * (large + right.abs() + beta.double().abs()),),
            )


def root(launcher: Launcher) -> Iterator[Case]:
    """Norm rows of bfloat16 of several sizes."""
    for m, n in (*SHAPES, (3, 2048)):
        for scale in (1.0, 2.0**-6, 1000.0):
            x = ((whole_numbers(m, n, seed=m + n, limit=8) + 1) * scale).bfloat16()
            w = (whole_numbers(n, seed=n, limit=6) + 8) / 4
            eps = 2.0**-12
            mean = x.double().square().mean(dim=1, keepdim=True)
            right = x.double() / torch.sqrt(mean + eps) * w.double()
            yield Case(
                f"m = {m}, n = {n}, numbers times {scale}",
                (x, w),
                (right,),
                {"eps": eps},
                ulp=1,
                dtypes=(torch.bfloat16,),
            )


def sums(launcher: Launcher) -> Iterator[Case]:
    """Add up rows of whole halves."""
    for m, n in (*SHAPES, (25, 512), (2, 3000)):
        x = whole_numbers(m, n, seed=m + n).half()
        yield Case(f"m = {m}, n = {n}", (x,), (x.double().sum(dim=1),), dtypes=(torch.float32,))


def top(launcher: Launcher) -> Iterator[Case]:
    """Find the largest numbers and their places: few values, negative ones, NaN, infinities."""
    for m, n in SHAPES:
        x = whole_numbers(m, n, seed=m + n, limit=30)
        odd = x.clone()
        odd[m // 2, n // 2], odd[0, -1] = float("nan"), float("nan")
        kinds = (
            ("", x),
            (", negative", x - 99),
            (", NaN", odd),
            (", -infinity", x - float("inf")),
        )
        for words, values in kinds:
            nan_first = torch.where(values.isnan(), float("inf"), values.double())
            places = nan_first.argmax(dim=1)
            right = values.gather(1, places[:, None])[:, 0]
            yield Case(
                f"m = {m}, n = {n}{words}",
                (values,),
                (right, places),
                dtypes=(torch.float32, torch.int64),
            )


def most(launcher: Launcher) -> Iterator[Case]:
    """Find the largest of rows of int, also of very negative and of large ones."""
    for m, n in (*SHAPES, (300, 2)):
        x = whole_numbers(m, n, seed=m + n).int()
        least, large = -(2**31), 2**31 - 1000
        for words, values in (
            ("", x),
            (", least", least + x.abs()),
            (", large", large + x.abs()),
        ):
            label = f"m = {m}, n = {n}{words}"
            yield Case(label, (values,), (values.amax(dim=1),), dtypes=(torch.int32,))


BASES = {
    "xxi_spin": Base(SPIN, cases="transpose"),
    "xxi_planes": Base(PLANES, {"cases": planes}),
    "xxi_mul": Base(MUL, cases="matmul"),
    "xxi_scores": Base(SCORES, {"cases": scores}),
    "xxi_pull": Base(PULL, {"cases": pull}),
    "xxi_online": Base(ONLINE, cases="softmax"),
    "xxi_classes": Base(CLASSES, {"cases": log_softmax}),
    "xxi_layer": Base(LAYER, {"cases": layer}),
    "xxi_root": Base(ROOT, {"cases": root}),
    "xxi_sums": Base(SUMS, {"cases": sums}),
    "xxi_top": Base(TOP, {"cases": top}),
    "xxi_most": Base(MOST, {"cases": most}),
}

WRONG = (
    # A fence orders a thread's own writes, and waits for nobody.
    Wrong(
        "xxi_spin_fence",
        "xxi_spin",
        "race | unwritten / other element / start",
        ("    __syncthreads();\n", "    __threadfence_block();\n"),
    ),
    # The numbers of a tile are turned, and the tiles stay where they were.
    Wrong(
        "xxi_spin_tiles_stay",
        "xxi_spin",
        "swapped / other element / sides / unwritten / left out | function / start / race / tail",
        (
            "    x = top + threadIdx.x;\n    y = left",
            "    x = left + threadIdx.x;\n    y = top",
        ),
    ),
    # The tiles are exchanged, and the numbers within each are not.
    Wrong(
        "xxi_spin_inside_stays",
        "xxi_spin",
        "swapped / other element / function | sides / unwritten / start / tail / race / neighbour",
        ("tile[threadIdx.x][threadIdx.y + j]", "tile[threadIdx.y + j][threadIdx.x]"),
    ),
    # The sides of the block are exchanged in the launch.
    Wrong(
        "xxi_spin_block_on_its_side",
        "xxi_spin",
        "bounds / swapped / block size / unwritten / left out | sides / tail / race / twice / start / other element",
        ("dim3(TILE_DIM, BLOCK_ROWS)", "dim3(BLOCK_ROWS, TILE_DIM)"),
    ),
    # The test looks at the first of a thread's four rows only.
    Wrong(
        "xxi_spin_first_row_tested",
        "xxi_spin",
        "bounds / tail | sides / left out",
        ("if (x < cols && y + j < rows)", "if (x < cols && y < rows)"),
    ),
    # The kernel is given the number of tiles of the other side.
    Wrong(
        "xxi_spin_down_for_across",
        "xxi_spin",
        "sides / swapped / unwritten / left out | bounds / other element / twice / grid",
        ("rows, cols, across);", "rows, cols, down);"),
    ),
    # The order of OpenCV: blue and red change places, where four channels are read at once.
    Wrong(
        "xxi_planes_red_and_blue",
        "xxi_planes",
        "swapped / other element | function / numbers / sides / alignment",
        ("out[p] = bgra.x;", "out[p] = bgra.z;"),
        ("out[2 * pixels + p] = bgra.z;", "out[2 * pixels + p] = bgra.x;"),
    ),
    # Words of four bytes are read from any address.
    Wrong(
        "xxi_planes_any_address",
        "xxi_planes",
        "alignment",
        ("channels == 4 && (uintptr_t)in % 4 == 0;", "channels == 4;"),
    ),
    # Every picture is taken to have three channels.
    Wrong(
        "xxi_planes_three",
        "xxi_planes",
        "bounds / left out / unwritten / sides | twice / other element / race / tail / alignment",
        ("c < channels; c++", "c < 3; c++"),
    ),
    # Lines are taken to begin at multiples of four bytes, as in a bitmap file.
    Wrong(
        "xxi_planes_padded_lines",
        "xxi_planes",
        "sides / bounds / other element / alignment | left out / tail / neighbour",
        (
            "in[p * channels + c];",
            "in[p / width * ((width * channels + 3) / 4 * 4) + p % width * channels + c];",
        ),
    ),
    # The number of channels is handed on as a signed byte, which ends at 127.
    Wrong(
        "xxi_planes_byte_counts",
        "xxi_planes",
        "narrow / whole range / unwritten / left out | sides / tail",
        ("int64_t channels) {", "signed char channels) {"),
    ),
    # All channels of a line, and then the next line.
    Wrong(
        "xxi_planes_line_by_line",
        "xxi_planes",
        "function / other element / sides / swapped | unwritten / alignment / race / tail",
        ("out[c * pixels + p] =", "out[(p / width * channels + c) * width + p % width] ="),
    ),
    # The last columns, if they are no whole square, do not count.
    Wrong(
        "xxi_mul_whole_squares",
        "xxi_mul",
        "tail / left out | sides / numbers / copy / function",
        ("i < k; i += TPB", "i + TPB <= k; i += TPB"),
    ),
    # Outside of the matrices the squares keep what they held.
    Wrong(
        "xxi_mul_not_cleared",
        "xxi_mul",
        "start / tail / zero before / other element / twice / unwritten | nan / sides / numbers / state / left out / infinity / race",
        ("            sA[ty][tx] = 0.0f;\n            sB[ty][tx] = 0.0f;\n", ""),
    ),
    # The first square is read down its columns.
    Wrong(
        "xxi_mul_down_the_columns",
        "xxi_mul",
        "swapped / other element / function | sides / numbers / left out / neighbour",
        ("sA[ty][j] *", "sA[j][ty] *"),
    ),
    # The product is added to what the result held.
    Wrong(
        "xxi_mul_added",
        "xxi_mul",
        "zero before / state / start | twice / unwritten / numbers / nan / function",
        ("C[y * n + x] = tmp;", "C[y * n + x] += tmp;"),
    ),
    # Ten bits behind the point, as the tensor cores take.
    Wrong(
        "xxi_mul_tf32",
        "xxi_mul",
        "precision / rounding | numbers / function / whole range / narrow / subnormal",
        (
            "= A[y * k + i + tx];",
            "= __uint_as_float(__float_as_uint(A[y * k + i + tx]) & 0xffffe000u);",
        ),
    ),
    # The scale is handed on as an int.
    Wrong(
        "xxi_scores_int_scale",
        "xxi_scores",
        "rounding / function / numbers / whole range / left out | copy / precision / narrow / sign of zero",
        ("int64_t strips, float scale)", "int64_t strips, int scale)"),
    ),
    # One element a thread is loaded, also if the block has fewer threads than a chunk elements.
    Wrong(
        "xxi_scores_one_load",
        "xxi_scores",
        "block size / unwritten / start / left out | other element / sides / nan / tail / numbers / state",
        (
            "for (int e = threadIdx.x; e < len; e += blockDim.x) part[e]",
            "if (const int e = threadIdx.x; e < len) part[e]",
        ),
    ),
    # The keys are read as if they had been transposed.
    Wrong(
        "xxi_scores_keys_turned",
        "xxi_scores",
        "swapped / sides / other element / function | bounds / twice / numbers / neighbour",
        ("keys + col * d + c0;", "keys + c0 * n + col;"),
        ("__half2float(key[e])", "__half2float(key[e * n])"),
    ),
    # Each chunk multiplies by the scale, also what was multiplied before.
    Wrong(
        "xxi_scores_scaled_again",
        "xxi_scores",
        "twice / function | sides / numbers / left out",
        ("__half2float(key[e]);\n", "__half2float(key[e]);\n            dot *= scale;\n"),
        ("= dot * scale;", "= dot;"),
    ),
    # The last chunk is taken to be as long as the others.
    Wrong(
        "xxi_scores_full_chunks",
        "xxi_scores",
        "bounds / tail | other element / sides / twice",
        ("len = d - c0 < CHUNK ? (int)(d - c0) : CHUNK;", "len = CHUNK;"),
    ),
    # A sum of doubles in a float.
    Wrong(
        "xxi_pull_float",
        "xxi_pull",
        "precision / rounding | infinity / whole range / subnormal / numbers / narrow / sides",
        ("    double s = 0;\n", "    float s = 0;\n"),
    ),
    # The step is the other side of the block.
    Wrong(
        "xxi_pull_wide_steps",
        "xxi_pull",
        "left out / swapped | sides / tail / copy / numbers / function",
        ("i < m; i += HIGH", "i < m; i += WIDE"),
    ),
    # Somebody tried another constant, which cannot be halved to the end.
    Wrong(
        "xxi_pull_six",
        "xxi_pull",
        "left out / block size | sides / numbers / tail / copy / function",
        ("#define HIGH 8", "#define HIGH 6"),
    ),
    # Matrices that lie column after column, as in Fortran.
    Wrong(
        "xxi_pull_fortran",
        "xxi_pull",
        "swapped / sides / other element / function | numbers / neighbour",
        ("a[i * n + j] *", "a[j * m + i] *"),
    ),
    # The sum is not corrected when a larger number comes.
    Wrong(
        "xxi_online_not_corrected",
        "xxi_online",
        "function / left out / numbers | sides / precision / block size",
        ("mine.sum * expf(mine.top - v) + ", "mine.sum + "),
    ),
    # Only one of two sums is brought to the common maximum.
    Wrong(
        "xxi_online_one_corrected",
        "xxi_online",
        "function / left out / numbers | sides / block size / swapped / precision",
        ("b.sum * expf(b.top - top)};", "b.sum};"),
    ),
    # FLT_MIN is the least positive number, and not the least one.
    Wrong(
        "xxi_online_flt_min",
        "xxi_online",
        "start / numbers / nan | infinity / subnormal / precision / whole range / function",
        ("Run mine = {-INFINITY, 0.0f};", "Run mine = {FLT_MIN, 0.0f};"),
    ),
    # Two threads without a number subtract an infinity from an infinity.
    Wrong(
        "xxi_online_idle_threads",
        "xxi_online",
        "nan / infinity / start / block size | sides / tail / numbers",
        ("    if (top == -INFINITY) return Run{top, a.sum + b.sum};\n", ""),
    ),
    # The exponentials are kept in the input.
    Wrong(
        "xxi_online_in_place",
        "xxi_online",
        "input | race / state",
        (
            "    for (int64_t j = t; j < cols; j += blockDim.x) to[j] = expf(row[j] - all.top) / all.sum;\n",
            "    for (int64_t j = t; j < cols; j += blockDim.x) {\n        const_cast<float*>(row)[j] = expf(row[j] - all.top);\n        to[j] = row[j] / all.sum;\n    }\n",
        ),
    ),
    # The last barrier is missing: the result is read while the first thread still makes it.
    Wrong(
        "xxi_online_read_early",
        "xxi_online",
        "race | numbers / left out",
        ("    __syncthreads();  // the first one is whole\n", ""),
    ),
    # Maximum and logarithm are added first, and that sum is rounded to the maximum's digits.
    Wrong(
        "xxi_classes_added_first",
        "xxi_classes",
        "precision / rounding / numbers | function",
        ("float lg = logf(sum);", "float lg = big + logf(sum);"),
        ("(in[j] - big) - lg;", "in[j] - lg;"),
    ),
    # The maximum starts with 0.
    Wrong(
        "xxi_classes_start_zero",
        "xxi_classes",
        "start / numbers / infinity | nan / precision / subnormal / function / whole range",
        ("float big = -INFINITY;", "float big = 0.0f;"),
    ),
    # A row is taken to be as long as there are rows.
    Wrong(
        "xxi_classes_wrong_side",
        "xxi_classes",
        "sides / bounds / other element / swapped | function / left out",
        ("in = x + r * n;", "in = x + r * m;"),
    ),
    # The first element is left out of the sum, as the loop was copied from one for a maximum.
    Wrong(
        "xxi_classes_from_one",
        "xxi_classes",
        "left out | infinity / numbers / function / sides / start / precision",
        (
            "for (int64_t j = 0; j < n; j++) sum +=",
            "for (int64_t j = 1; j < n; j++) sum +=",
        ),
    ),
    # The loss is wanted, which has the other sign.
    Wrong(
        "xxi_classes_loss",
        "xxi_classes",
        "function / swapped | numbers / sign of zero / infinity",
        ("(in[j] - big) - lg;", "lg - (in[j] - big);"),
    ),
    # A NaN does not count.
    Wrong(
        "xxi_classes_nan_skipped",
        "xxi_classes",
        "nan | left out / numbers / infinity",
        ("sum += expf(in[j] - big);", "sum += isnan(in[j]) ? 0.0f : expf(in[j] - big);"),
    ),
    # The squares are divided by one less, as for a sample.
    Wrong(
        "xxi_layer_sample",
        "xxi_layer",
        "function / numbers / sides | nan / infinity / precision",
        ("block_sum(q) / d;", "block_sum(q) / (d - 1);"),
    ),
    # Epsilon is added to the root.
    Wrong(
        "xxi_layer_eps_outside",
        "xxi_layer",
        "function / numbers / precision | sides / infinity / nan",
        ("sqrtf(var + eps);", "(sqrtf(var) + eps);"),
    ),
    # Weight and bias are handed on in the wrong order.
    Wrong(
        "xxi_layer_exchanged",
        "xxi_layer",
        "swapped / function | numbers / other element",
        ("stream>>>(x, gamma, beta, y,", "stream>>>(x, beta, gamma, y,"),
    ),
    # Each row has weights of its own.
    Wrong(
        "xxi_layer_weights_of_rows",
        "xxi_layer",
        "bounds / sides / other element | function",
        ("rstd * gamma[i] +", "rstd * gamma[r * d + i] +"),
    ),
    # A quotient of two integers, which is 0.
    Wrong(
        "xxi_layer_inverse_int",
        "xxi_layer",
        "rounding / function / numbers / left out / whole range | sides / narrow / precision",
        ("mu = block_sum(s) / d;", "mu = block_sum(s) * (1 / d);"),
    ),
    # Every thread goes on with the sum that the shuffles left it.
    Wrong(
        "xxi_layer_not_shared",
        "xxi_layer",
        "left out / other element / function / block size / race | numbers / sides / nan / tail / twice / start",
        ("    v = part[0];\n", ""),
    ),
    # Rows of an even length need not begin where four numbers may be read at once.
    Wrong(
        "xxi_root_even",
        "xxi_root",
        "alignment | sides / tail",
        ("fours = n % 4 == 0 &&", "fours = n % 2 == 0 &&"),
    ),
    # The sum of the squares is not divided by their number.
    Wrong(
        "xxi_root_no_mean",
        "xxi_root",
        "function / left out | numbers / sides / precision",
        ("rsqrtf(sq / n + eps)", "rsqrtf(sq + eps)"),
    ),
    # The sum of the squares has the type of the elements.
    Wrong(
        "xxi_root_short_sum",
        "xxi_root",
        "precision / rounding / left out | numbers / sides / whole range / function / tail / narrow",
        (
            "i < n; i += 32) sq += __bfloat162float(x[i]) * __bfloat162float(x[i]);",
            "i < n; i += 32) sq = __bfloat162float(__float2bfloat16(sq + __bfloat162float(x[i]) * __bfloat162float(x[i])));",
        ),
        (
            "++i) sq += __bfloat162float(f.v[i]) * __bfloat162float(f.v[i]);",
            "++i) sq = __bfloat162float(__float2bfloat16(sq + __bfloat162float(f.v[i]) * __bfloat162float(f.v[i])));",
        ),
    ),
    # Only the first lane gets the whole sum, and all use theirs.
    Wrong(
        "xxi_root_shuffled_down",
        "xxi_root",
        "left out / function / other element / twice | numbers / sides / tail / precision",
        ("__shfl_xor_sync(", "__shfl_down_sync("),
    ),
    # The number of the pack is taken for that of its first element.
    Wrong(
        "xxi_root_weight_of_pack",
        "xxi_root",
        "other element / neighbour / function | numbers / alignment / sides / twice / left out",
        ("w[p * 4 + i]", "w[p + i]"),
    ),
    # Only one of two pointers was moved on to the row.
    Wrong(
        "xxi_root_all_in_first",
        "xxi_root",
        "unwritten / other element / left out / race | sides / twice",
        ("    out += r * n;\n", ""),
    ),
    # The last warp adds without barriers, as was done fifteen years ago.
    Wrong(
        "xxi_sums_volatile",
        "xxi_sums",
        "race | left out / twice / numbers",
        (
            "            float v = s[t];\n            for (int o = 16; o; o >>= 1) v += __shfl_down_sync(0xffffffff, v, o);\n            if (t == 0) y[r] = v;\n",
            "            volatile float *w = s;\n            for (int o = 16; o; o >>= 1) w[t] += w[t + o];\n            if (t == 0) y[r] = w[0];\n",
        ),
    ),
    # The mask names half of the warp.
    Wrong(
        "xxi_sums_half_mask",
        "xxi_sums",
        "race | left out / timeout / numbers",
        ("__shfl_down_sync(0xffffffff,", "__shfl_down_sync(0x0000ffff,"),
    ),
    # The second of two elements is not tested.
    Wrong(
        "xxi_sums_second_not_tested",
        "xxi_sums",
        "bounds / tail / other element | sides / twice",
        ("for (; i + BS < n;", "for (; i < n;"),
    ),
    # The launch was tuned, and the constant was forgotten.
    Wrong(
        "xxi_sums_128_launched",
        "xxi_sums",
        "block size / unwritten / left out / start / bounds | sides / tail / numbers / nan / state / zero before",
        ("20, BS, 0, stream", "20, 128, 0, stream"),
    ),
    # Of equal numbers a later one wins.
    Wrong(
        "xxi_top_later",
        "xxi_top",
        "other element / function / numbers / swapped | rounding / left out / sides / infinity",
        ("return v > w || (v == w && i < j);", "return v >= w;"),
    ),
    # The value is exchanged with the other lane, the place is not.
    Wrong(
        "xxi_top_place_stays",
        "xxi_top",
        "other element / left out / function | sides / numbers",
        ("const int64_t j = __shfl_down_sync(~0u, (long long)at, o);", "const int64_t j = at;"),
    ),
    # No comparison with a NaN is true.
    Wrong(
        "xxi_top_nan_loses",
        "xxi_top",
        "nan | other element / left out / numbers",
        ("    if (v_nan || w_nan) return v_nan && (!w_nan || i < j);\n", ""),
    ),
    # The place is counted from the begin of the whole matrix.
    Wrong(
        "xxi_top_place_in_all",
        "xxi_top",
        "function / other element / sides | numbers / bounds",
        ("place[r] = at;", "place[r] = r * n + at;"),
    ),
    # Without braces the second line is for all lanes.
    Wrong(
        "xxi_top_no_braces",
        "xxi_top",
        "race / other element / twice | function / numbers / sides",
        (
            "    if (lane == 0) {\n        value[r] = v;\n        place[r] = at;\n    }\n",
            "    if (lane == 0)\n        value[r] = v;\n        place[r] = at;\n",
        ),
    ),
    # The place goes through a float, which has 24 bits for it.
    Wrong(
        "xxi_top_place_in_float",
        "xxi_top",
        "precision / narrow / rounding / whole range | numbers / sides / other element / tail",
        ("__shfl_down_sync(~0u, (long long)at, o);", "__shfl_down_sync(~0u, (float)at, o);"),
    ),
    # Every byte is set to 0x80, which is not the least int.
    Wrong(
        "xxi_most_bytes_of_80",
        "xxi_most",
        "start / numbers / whole range | function / zero before / copy",
        (
            "fill<<<(m + 255) / 256, 256, 0, stream>>>(out, m);",
            "cudaMemsetAsync(out, 0x80, m * sizeof(int), stream);",
        ),
    ),
    # The atomic compares numbers without a sign.
    Wrong(
        "xxi_most_unsigned",
        "xxi_most",
        "numbers / function / whole range / start | narrow / copy",
        ("atomicMax(&out[row], best);", "atomicMax((unsigned*)&out[row], (unsigned)best);"),
    ),
    # Threads look and write, and others may do so in between.
    Wrong(
        "xxi_most_no_atomic",
        "xxi_most",
        "race | numbers / left out / other element",
        ("atomicMax(&out[row], best);", "if (best > out[row]) out[row] = best;"),
    ),
    # The result is set before the first call only.
    Wrong(
        "xxi_most_filled_once",
        "xxi_most",
        "state / start / zero before | unwritten / numbers / sides",
        (
            "    fill<<<(m + 255) / 256, 256, 0, stream>>>(out, m);\n",
            "    static bool filled = false;\n    if (!filled) fill<<<(m + 255) / 256, 256, 0, stream>>>(out, m);\n    filled = true;\n",
        ),
    ),
    # The maximum of two floats.
    Wrong(
        "xxi_most_fmaxf",
        "xxi_most",
        "precision / rounding / whole range / numbers | narrow / infinity",
        ("best = max(best, x[row * n + i]);", "best = fmaxf(best, x[row * n + i]);"),
    ),
)

RIGHT = (
    # One row of threads, each of which takes a whole column of the tile.
    Right("xxi_spin_one_row", "xxi_spin", ("BLOCK_ROWS = 8;", "BLOCK_ROWS = 1;")),
    # The first block takes the last tile.
    Right(
        "xxi_spin_from_the_end",
        "xxi_spin",
        ("block = blockIdx.x;", "block = gridDim.x - 1 - blockIdx.x;"),
    ),
    # The last channel comes first.
    Right(
        "xxi_planes_downwards",
        "xxi_planes",
        ("for (int64_t c = 0; c < channels; c++)", "for (int64_t c = channels; c-- > 0;)"),
    ),
    # A block more than are needed, also if the last one is full.
    Right(
        "xxi_planes_one_more_block",
        "xxi_planes",
        ("(pixels + block_size - 1) / block_size,", "pixels / block_size + 1,"),
    ),
    # The second square lies on its side.
    Right(
        "xxi_mul_second_on_its_side",
        "xxi_mul",
        ("            sB[ty][tx] = 0.0f;\n", "            sB[tx][ty] = 0.0f;\n"),
        ("sB[ty][tx] = B", "sB[tx][ty] = B"),
        ("sB[j][tx];", "sB[tx][j];"),
    ),
    # Squares of eleven: blocks of 121 threads.
    Right("xxi_mul_eleven", "xxi_mul", ("TPB = 16;", "TPB = 11;")),
    # The first thread brings the whole chunk.
    Right(
        "xxi_scores_one_brings",
        "xxi_scores",
        (
            "        for (int e = threadIdx.x; e < len; e += blockDim.x) part[e]",
            "        for (int e = 0; threadIdx.x == 0 && e < len; ++e) part[e]",
        ),
    ),
    # Threads behind the last column compute it once more, and do not write.
    Right(
        "xxi_scores_last_again",
        "xxi_scores",
        ("        if (col < n) {\n", "        {\n"),
        ("keys + col * d + c0;", "keys + (col < n ? col : n - 1) * d + c0;"),
    ),
    # A single row of threads, which has nothing to add up.
    Right("xxi_pull_one_high", "xxi_pull", ("#define HIGH 8", "#define HIGH 1")),
    # The last thread joins all, one after the other.
    Right(
        "xxi_online_last_joins",
        "xxi_online",
        (
            "    for (int left = blockDim.x; left > 1;) {\n        const int half = (left + 1) / 2;\n        __syncthreads();\n        if (t + half < left) runs[t] = join(runs[t], runs[t + half]);\n        left = half;\n    }\n",
            "    __syncthreads();\n    if (t == blockDim.x - 1) {\n        for (int k = 1; k < blockDim.x; ++k) runs[0] = join(runs[0], runs[k]);\n    }\n",
        ),
    ),
    # A pass for the maximum, made of the loop for both: the sum is started again.
    Right(
        "xxi_online_two_passes",
        "xxi_online",
        (
            "    Run mine = {-INFINITY, 0.0f};\n",
            "    Run mine = {-INFINITY, 0.0f};\n    for (int64_t j = t; j < cols; j += blockDim.x) mine.top = fmaxf(mine.top, row[j]);\n",
        ),
    ),
    # The exponentials are those of double.
    Right(
        "xxi_classes_double",
        "xxi_classes",
        ("sum += expf(in[j] - big);", "sum += (float)exp((double)in[j] - (double)big);"),
    ),
    # The result waits in the output, and the logarithm is taken off from the last to the first.
    Right(
        "xxi_classes_in_output",
        "xxi_classes",
        ("sum += expf(in[j] - big);", "sum += expf(to[j] = in[j] - big);"),
        (
            "for (int64_t j = 0; j < n; j++) to[j] = (in[j] - big) - lg;",
            "for (int64_t j = n; j > 0;) to[--j] -= lg;",
        ),
    ),
    # Distances from the first number are added up.
    Right(
        "xxi_layer_from_the_first",
        "xxi_layer",
        ("s += in[i];", "s += in[i] - in[0];"),
        ("mu = block_sum(s) / d;", "mu = (d > 0 ? in[0] : 0.0f) + block_sum(s) / d;"),
    ),
    # A butterfly of turns: each lane adds what the lane that stands so many further on has.
    Right(
        "xxi_root_turns",
        "xxi_root",
        ("__shfl_xor_sync(0xffffffffu, sq, o)", "__shfl_sync(0xffffffffu, sq, lane + o)"),
    ),
    # Blocks of 1,024 threads.
    Right("xxi_root_thousand", "xxi_root", ("kRows = 4;", "kRows = 32;")),
    # The first warp reads only what its own threads overwrite, so that nobody need wait.
    Right(
        "xxi_sums_no_last_barrier",
        "xxi_sums",
        ("        __syncthreads();  // before the next row\n", ""),
    ),
    # A block is a warp, and has nothing to halve.
    Right("xxi_sums_one_warp", "xxi_sums", ("#define BS 256", "#define BS 32")),
    # All lanes get the result, and the last one writes it.
    Right(
        "xxi_top_last_lane",
        "xxi_top",
        ("w = __shfl_down_sync(~0u, v, o);", "w = __shfl_xor_sync(~0u, v, o);"),
        ("__shfl_down_sync(~0u, (long long)at, o);", "__shfl_xor_sync(~0u, (long long)at, o);"),
        ("if (lane == 0) {", "if (lane == 31) {"),
    ),
    # Pieces of seven elements, for blocks of more threads than that.
    Right("xxi_most_sevens", "xxi_most", ("#define LEN 300", "#define LEN 7")),
)
