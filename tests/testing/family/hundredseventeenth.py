"""Hold a hundred-and-seventeenth family: the plain operators of a course, and their mistakes.

Its bases are a number added to shorts in short4, doubles to floats, floats to bfloat16 in
pairs, GELU of doubles, sigmoid in float4, a weighted sum of two vectors, a choice by a mask of
bytes, the sum of absolute values, the largest of each column, the product of each row, softmax
of a row times a scale, RMS norm by a warp a row, bytes turned in tiles, and a matrix product
with a bias. Their mistakes are spread over alignment, sizes, grids, values, rounding, NaN and
infinity, inputs that are written, sums, matrices, order, streams and what is left of an earlier
call. The causes were written before a member was judged. There are 70 wrong members and 14
right ones. On the emulator each ran beside PyTorch, compared as a case does, called twice on
the same tensors, with NaN and with 1e3 in floating outputs (-1, 7 and 77 in others), with
tensors at either end of their pages, the bytes behind them and their inputs looked at
afterwards, on a stream that is not the default one, with threads in order, from the last to the
first and in a random order, and in the slices that the cases name. Bases and right ones ran all
cases; wrong ones until they were wrong often enough. Of those that lack a barrier not each is
wrong in every order of threads. The absolute sum was tried beyond 2^31 numbers, too. nvcc 13.0
compiles each member for 8.0; none was run on a GPU. Bases and right ones are right, and all
others wrong or refused by a fault:

    hundredseventeen_shorts_y_anywhere            from 4 numbers on, by the address of y
    hundredseventeen_shorts_last_left_out         unless 4 divides n
    hundredseventeen_shorts_third_from_second     from 4 numbers on, unless neighbours are alike
    hundredseventeen_shorts_saturates             beyond 16 bits, from 4 numbers on
    hundredseventeen_shorts_always_256            of other block sizes, from a second block on
    hundredseventeen_narrow_cut_off               of half of what floats do not hold
    hundredseventeen_narrow_no_loop               from 20,481 numbers on at 128
    hundredseventeen_narrow_limited               of infinity and beyond the largest float
    hundredseventeen_narrow_one_too_many          unless all threads have a number
    hundredseventeen_narrow_small_are_zero        of subnormals
    hundredseventeen_pairs_cut_off                of half of what bfloat16 does not hold
    hundredseventeen_pairs_turned                 from 2 numbers on
    hundredseventeen_pairs_rest_through_half      if n is odd, of the last number
    hundredseventeen_pairs_no_stream              on another stream
    hundredseventeen_pairs_last_is_one            if n is even, of the last number
    hundredseventeen_gelu_tanh                    of nearly all
    hundredseventeen_gelu_float_root              of nearly all
    hundredseventeen_gelu_256_blocks              from 65,537 numbers on at 256
    hundredseventeen_gelu_blocks_rounded_down     unless the block size divides n
    hundredseventeen_gelu_halved_in_place         unless all are 0: x is overwritten
    hundredseventeen_sigmoid_only_x_tested        by the address of y alone
    hundredseventeen_sigmoid_quotient             from about 88.7 on
    hundredseventeen_sigmoid_one_block_for_rest   if y or x is odd and n beyond a block
    hundredseventeen_sigmoid_nan_limited          of NaN, and below -30
    hundredseventeen_sigmoid_packs_rounded_up     unless 4 divides n
    hundredseventeen_axby_factors_swapped         unless a and b are alike
    hundredseventeen_axby_b_ignored               unless b is 1
    hundredseventeen_axby_half_the_blocks         from 65 numbers on at 32
    hundredseventeen_axby_zero_is_nothing         if a is 0, of NaN and infinities
    hundredseventeen_axby_first_a                 if an earlier call had another a
    hundredseventeen_where_equal_to_one           of masks beyond 1
    hundredseventeen_where_blended                of NaN and infinities that are not taken
    hundredseventeen_where_threads_rounded_down   if a rest follows whole blocks, or is all
    hundredseventeen_where_signed                 of masks from 128 on
    hundredseventeen_where_rest_swapped           unless 4 divides n
    hundredseventeen_abssum_not_set               unless the total is 0 before
    hundredseventeen_abssum_half_a_tree           from 516 numbers on
    hundredseventeen_abssum_sign_kept             of numbers below 0, from 4 on
    hundredseventeen_abssum_no_barrier            where threads do not wait for another
    hundredseventeen_abssum_tail_in_each_block    from 2 blocks on, unless 4 divides n
    hundredseventeen_colmax_starts_at_0           if all are below 0
    hundredseventeen_colmax_pitch                 unless the sides are alike
    hundredseventeen_colmax_one_left_out          from 8 rows on
    hundredseventeen_colmax_whole_steps           unless 8 divides the rows
    hundredseventeen_colmax_of_floats             beyond 2^24
    hundredseventeen_rowprod_starts_at_0          unless the product is 0
    hundredseventeen_rowprod_float                of products that are no floats
    hundredseventeen_rowprod_one_barrier          where threads do not wait for another
    hundredseventeen_rowprod_zeros_skipped        if a row has a zero
    hundredseventeen_rowprod_last_step_missing    from 2 columns on
    hundredseventeen_softmax_starts_at_0          of rows far below 0
    hundredseventeen_softmax_no_last_barrier      where threads do not wait for another
    hundredseventeen_softmax_scale_outside        unless the scale is 1
    hundredseventeen_softmax_one_column_a_thread  from 129 columns on
    hundredseventeen_softmax_largest_unscaled     of wide rows, if the scale is below 0
    hundredseventeen_rms_eps_outside              of nearly all
    hundredseventeen_rms_shuffles_down            from 2 columns on
    hundredseventeen_rms_one_row_too_many         unless 4 divides the rows
    hundredseventeen_rms_gain_of_lane             from 33 columns on
    hundredseventeen_rms_one_less                 unless eps hides it
    hundredseventeen_turn_pitch                   unless the sides are alike
    hundredseventeen_turn_limits_swapped          unless the sides are alike
    hundredseventeen_turn_tile_not_turned         unless sides are 1
    hundredseventeen_turn_grid_swapped            unless the tiles are as many each way
    hundredseventeen_turn_quarter_not_loaded      from 25 rows on
    hundredseventeen_linear_bias_of_row           unless bias and place are alike
    hundredseventeen_linear_pitch                 unless n and k are alike
    hundredseventeen_linear_last_left_out         unless the last of k is 0
    hundredseventeen_linear_bias_in_each_step     unless k is 1 or the bias 0
    hundredseventeen_linear_whole_sums            of sums that are not whole
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case, ElementwiseMaker, elementwise_cases
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import whole

# A number added to shorts, in short4, the rest by the first threads.
SHORTS = (
    HEADER
    + """\
__global__ void addToShorts(const int16_t* x, int16_t* y, int s, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  int packs = n / 4;
  if (t < packs) {
    short4 v = reinterpret_cast<const short4*>(x)[t];
    v.x += s;
    v.y += s;
    v.z += s;
    v.w += s;
    reinterpret_cast<short4*>(y)[t] = v;
  }
  int rest = 4 * packs + t;
  if (rest < n) y[rest] = x[rest] + s;
}

extern "C" void launch(const int16_t* x,  // [n] 8-byte aligned
                       int16_t* y,        // [n] 8-byte aligned
                       int s, int n, int block_size = 256, cudaStream_t stream = 0) {
  int blocks = n / 4 / block_size + 1;
  addToShorts<<<blocks, block_size, 0, stream>>>(x, y, s, n);
}
"""
)

# Doubles to floats, one at a time in a loop over the grid.
NARROW = (
    HEADER
    + """\
__global__ void to_float(const double *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int step = blockDim.x * gridDim.x;
    while (i < n) {
        double v = in[i];
        out[i] = (float)v;
        i += step;
    }
}

extern "C" void launch(const double *in,  // [n]
                       float *out,        // [n]
                       int n, int block_size = 128, cudaStream_t stream = 0)
{
    int blocks = (n + block_size - 1) / block_size;
    if (blocks == 0)
        return;
    if (blocks > 160)
        blocks = 160;
    to_float<<<blocks, block_size, 0, stream>>>(in, out, n);
}
"""
)

# Floats to bfloat16, two a thread.
PAIRS = (
    HEADER
    + """\
__global__ void castPairs(const float* src, __nv_bfloat16* dst, int n) {
    int p = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (p + 1 < n) {
        float2 f = *(const float2*)(src + p);
        *(__nv_bfloat162*)(dst + p) = __floats2bfloat162_rn(f.x, f.y);
    } else if (p < n) {
        dst[p] = __float2bfloat16(src[p]);
    }
}

extern "C" void launch(const float* src,    // [n] 8-byte aligned
                       __nv_bfloat16* dst,  // [n] 4-byte aligned
                       int n, cudaStream_t stream = 0) {
    const int threads = 256;
    int blocks = (n + 2 * threads - 1) / (2 * threads);
    if (blocks > 0) castPairs<<<blocks, threads, 0, stream>>>(src, dst, n);
}
"""
)

# GELU of doubles by erfc, one a thread.
GELU = (
    HEADER
    + """\
#define ROOT_HALF 0.70710678118654752440

__device__ double gelu_of(double v) {
  return 0.5 * v * erfc(-v * ROOT_HALF);
}

__global__ void gelu_kernel(const double* __restrict__ x, double* __restrict__ y, int n) {
  int idx = threadIdx.x + blockIdx.x * blockDim.x;
  if (idx < n) {
    y[idx] = gelu_of(x[idx]);
  }
}

extern "C" void launch(const double* x,  // [n]
                       double* y,        // [n]
                       int n, int block_size = 256, cudaStream_t stream = 0) {
  int blocks = (n + block_size - 1) / block_size;
  if (n > 0) {
    gelu_kernel<<<blocks, block_size, 0, stream>>>(x, y, n);
  }
}
"""
)

# Sigmoid in float4 where both addresses allow it, single numbers elsewhere.
SIGMOID = (
    HEADER
    + """\
__device__ float sigmoid(float v)
{
    return 1.0f / (1.0f + expf(-v));
}

__global__ void sigmoid_vec(const float4 *x, float4 *y, int packs)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= packs)
        return;
    float4 v = x[p];
    y[p] = make_float4(sigmoid(v.x), sigmoid(v.y), sigmoid(v.z), sigmoid(v.w));
}

__global__ void sigmoid_one(const float *x, float *y, int first, int n)
{
    int i = first + blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = sigmoid(x[i]);
}

static bool fits(const void *p) { return (uintptr_t)p % sizeof(float4) == 0; }

extern "C" void launch(const float *x,  // [n]
                       float *y,        // [n]
                       int n, int block_size = 128, cudaStream_t stream = 0)
{
    int packs = fits(x) && fits(y) ? n / 4 : 0;
    int rest = n - 4 * packs;
    if (packs > 0)
        sigmoid_vec<<<(packs + block_size - 1) / block_size, block_size, 0, stream>>>(
            (const float4 *)x, (float4 *)y, packs);
    if (rest > 0)
        sigmoid_one<<<(rest + block_size - 1) / block_size, block_size, 0, stream>>>(
            x, y, 4 * packs, n);
}
"""
)

# A weighted sum of two vectors, two neighbours a thread.
AXBY = (
    HEADER
    + """\
__global__ void axbyKernel(float a, const float* x, float b, const float* y, float* z, int n) {
  const int i0 = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
  for (int i = i0; i < i0 + 2; ++i) {
    if (i < n) z[i] = a * x[i] + b * y[i];
  }
}

extern "C" void launch(const float* x,  // [n]
                       const float* y,  // [n]
                       float* z,        // [n]
                       float a, float b, int n, int block_size = 192, cudaStream_t stream = 0) {
  const int each = 2 * block_size;
  const int blocks = (n + each - 1) / each;
  if (blocks == 0) return;
  axbyKernel<<<blocks, block_size, 0, stream>>>(a, x, b, y, z, n);
}
"""
)

# One of two floats by a mask of bytes, four a thread.
WHERE = (
    HEADER
    + """\
__device__ float pick(uint8_t m, float x, float y) { return m != 0 ? x : y; }

__global__ void where4(const uint8_t* m, const float* x, const float* y, float* o, int n) {
    int i = (blockDim.x * blockIdx.x + threadIdx.x) * 4;
    if (i + 4 <= n) {
        uchar4 c = *(const uchar4*)&m[i];
        float4 u = *(const float4*)&x[i];
        float4 v = *(const float4*)&y[i];
        float4 w;
        w.x = pick(c.x, u.x, v.x);
        w.y = pick(c.y, u.y, v.y);
        w.z = pick(c.z, u.z, v.z);
        w.w = pick(c.w, u.w, v.w);
        *(float4*)&o[i] = w;
        return;
    }
    while (i < n) {
        o[i] = pick(m[i], x[i], y[i]);
        i++;
    }
}

extern "C" void launch(const uint8_t* m,  // [n] 4-byte aligned
                       const float* x,    // [n] 16-byte aligned
                       const float* y,    // [n] 16-byte aligned
                       float* o,          // [n] 16-byte aligned
                       int n, int block_size = 64, cudaStream_t stream = 0) {
    int threads = (n + 3) / 4;
    int blocks = (threads + block_size - 1) / block_size;
    if (blocks > 0) where4<<<blocks, block_size, 0, stream>>>(m, x, y, o, n);
}
"""
)

# The sum of absolute values: float4, a tail, a tree a block and an atomic each.
ABSSUM = (
    HEADER
    + """\
#define THREADS 256

__global__ void abs_sum(const float *x, float *total, int64_t n)
{
    __shared__ float part[THREADS];
    int t = threadIdx.x;
    int64_t id = (int64_t)blockIdx.x * THREADS + t;
    float s = 0.0f;
    for (int64_t p = id; p < n / 4; p += gridDim.x * THREADS) {
        float4 v = ((const float4 *)x)[p];
        s += fabsf(v.x) + fabsf(v.y) + fabsf(v.z) + fabsf(v.w);
    }
    int64_t i = n / 4 * 4 + id;
    if (i < n)
        s += fabsf(x[i]);
    part[t] = s;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half)
            part[t] += part[t + half];
        __syncthreads();
    }
    if (t == 0)
        atomicAdd(total, part[0]);
}

extern "C" void launch(const float *x,  // [n] 16-byte aligned
                       float *total,    // [1]
                       int64_t n, cudaStream_t stream = 0)
{
    int64_t blocks = n / (4 * THREADS) + 1;
    if (blocks > 48)
        blocks = 48;
    cudaMemsetAsync(total, 0, sizeof(float), stream);
    abs_sum<<<blocks, THREADS, 0, stream>>>(x, total, n);
}
"""
)

# The largest of each column: 32 columns a block, whose rows are shared by DEEP threads.
COLMAX = (
    HEADER
    + """\
#define DEEP 8
#define LEAST (-2147483647 - 1)

__global__ void colMax(const int* x, int* y, int rows, int cols) {
  __shared__ int best[DEEP][32];
  int c = blockIdx.x * 32 + threadIdx.x;
  int m = LEAST;
  if (c < cols) {
    for (int r = threadIdx.y; r < rows; r += DEEP) {
      m = max(m, x[(size_t)r * cols + c]);
    }
  }
  best[threadIdx.y][threadIdx.x] = m;
  __syncthreads();
  if (threadIdx.y == 0 && c < cols) {
    for (int k = 1; k < DEEP; k++) m = max(m, best[k][threadIdx.x]);
    y[c] = m;
  }
}

extern "C" void launch(const int* x,  // [rows, cols]
                       int* y,        // [cols]
                       int rows, int cols, cudaStream_t stream = 0) {
  dim3 block(32, DEEP);
  colMax<<<(cols + 31) / 32, block, 0, stream>>>(x, y, rows, cols);
}
"""
)

# The product of each row of doubles, a block a row.
ROWPROD = (
    HEADER
    + """\
enum { TPB = 64 };

__global__ void row_prod(const double *a, double *out, int cols)
{
    __shared__ double sh[TPB];
    const int tid = threadIdx.x;
    const double *row = a + (int64_t)blockIdx.x * cols;
    double p = 1.0;
    for (int j = tid; j < cols; j += TPB) {
        p *= row[j];
    }
    sh[tid] = p;
    for (int w = TPB / 2; w >= 1; w >>= 1) {
        __syncthreads();
        if (tid < w) {
            sh[tid] *= sh[tid + w];
        }
    }
    if (tid == 0) {
        out[blockIdx.x] = sh[0];
    }
}

extern "C" void launch(const double *a,  // [rows, cols]
                       double *out,      // [rows]
                       int rows, int cols, cudaStream_t stream = 0)
{
    row_prod<<<rows, TPB, 0, stream>>>(a, out, cols);
}
"""
)

# Softmax of a row times a scale, a block a row.
SOFTMAX = (
    HEADER
    + """\
#define BLOCK 128

__device__ float blockMax(float v, float* s) {
    s[threadIdx.x] = v;
    __syncthreads();
    for (int d = BLOCK / 2; d > 0; d /= 2) {
        if (threadIdx.x < d) s[threadIdx.x] = fmaxf(s[threadIdx.x], s[threadIdx.x + d]);
        __syncthreads();
    }
    float most = s[0];
    __syncthreads();
    return most;
}

__device__ float blockSum(float v, float* s) {
    s[threadIdx.x] = v;
    __syncthreads();
    for (int d = BLOCK / 2; d > 0; d /= 2) {
        if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
        __syncthreads();
    }
    return s[0];
}

__global__ void scaledSoftmax(const float* x, float* y, float scale, int cols) {
    __shared__ float s[BLOCK];
    const float* row = x + (size_t)blockIdx.x * cols;
    float* out = y + (size_t)blockIdx.x * cols;
    float m = -INFINITY;
    for (int c = threadIdx.x; c < cols; c += BLOCK) m = fmaxf(m, scale * row[c]);
    float top = blockMax(m, s);
    float sum = 0.0f;
    for (int c = threadIdx.x; c < cols; c += BLOCK) sum += expf(scale * row[c] - top);
    float all = blockSum(sum, s);
    for (int c = threadIdx.x; c < cols; c += BLOCK) {
        out[c] = expf(scale * row[c] - top) / all;
    }
}

extern "C" void launch(const float* x,  // [rows, cols]
                       float* y,        // [rows, cols]
                       float scale, int rows, int cols, cudaStream_t stream = 0) {
    scaledSoftmax<<<rows, BLOCK, 0, stream>>>(x, y, scale, cols);
}
"""
)

# RMS norm with a gain, a warp a row.
RMS = (
    HEADER
    + """\
#define WARPS 4

__global__ void rms_norm(const float *x, const float *g, float *y, float eps, int rows,
                         int cols)
{
    int r = blockIdx.x * WARPS + threadIdx.y;
    if (r >= rows)
        return;
    const float *in = x + (size_t)r * cols;
    float *out = y + (size_t)r * cols;
    float sq = 0.0f;
    for (int c = threadIdx.x; c < cols; c += 32)
        sq += in[c] * in[c];
    for (int d = 16; d > 0; d >>= 1)
        sq += __shfl_xor_sync(0xffffffffu, sq, d);
    float f = 1.0f / sqrtf(sq / cols + eps);
    for (int c = threadIdx.x; c < cols; c += 32)
        out[c] = in[c] * f * g[c];
}

extern "C" void launch(const float *x,  // [rows, cols]
                       const float *g,  // [cols]
                       float *y,        // [rows, cols]
                       float eps, int rows, int cols, cudaStream_t stream = 0)
{
    dim3 threads(32, WARPS);
    rms_norm<<<(rows + WARPS - 1) / WARPS, threads, 0, stream>>>(x, g, y, eps, rows, cols);
}
"""
)

# Bytes turned in tiles of 32, of which a thread moves several.
TURN = (
    HEADER
    + """\
#define TILE 32
#define HIGH 8

__global__ void transposeBytes(const uint8_t* x, uint8_t* y, int rows, int cols) {
  __shared__ uint8_t tile[TILE][TILE + 4];
  int r0 = blockIdx.y * TILE;
  int c0 = blockIdx.x * TILE;
  int tx = threadIdx.x;
  for (int k = threadIdx.y; k < TILE; k += HIGH) {
    if (r0 + k < rows && c0 + tx < cols) {
      tile[k][tx] = x[(size_t)(r0 + k) * cols + c0 + tx];
    }
  }
  __syncthreads();
  for (int q = threadIdx.y; q < TILE; q += HIGH) {
    if (c0 + q < cols && r0 + tx < rows) {
      y[(size_t)(c0 + q) * rows + r0 + tx] = tile[tx][q];
    }
  }
}

extern "C" void launch(const uint8_t* x,  // [rows, cols]
                       uint8_t* y,        // [cols, rows]
                       int rows, int cols, cudaStream_t stream = 0) {
  dim3 grid((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
  dim3 block(TILE, HIGH);
  transposeBytes<<<grid, block, 0, stream>>>(x, y, rows, cols);
}
"""
)

# A matrix product and a bias, a thread an element.
LINEAR = (
    HEADER
    + """\
__global__ void linear(const float *a, const float *b, const float *bias, float *c, int m,
                       int n, int k)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < m && col < n) {
        float acc = 0.0f;
        for (int i = 0; i < k; i++) {
            acc += a[(size_t)row * k + i] * b[(size_t)i * n + col];
        }
        c[(size_t)row * n + col] = acc + bias[col];
    }
}

extern "C" void launch(const float *a,     // [m, k]
                       const float *b,     // [k, n]
                       const float *bias,  // [n]
                       float *c,           // [m, n]
                       int m, int n, int k, cudaStream_t stream = 0)
{
    dim3 block(16, 16);
    dim3 grid((n + 15) / 16, (m + 15) / 16);
    linear<<<grid, block, 0, stream>>>(a, b, bias, c, m, n, k);
}
"""
)

NAN, INF = float("nan"), float("inf")
LENGTHS = (*range(1, 71), 95, 96, 97, 127, 128, 129, 191, 192, 193, 255, 256, 257, 383, 384)
LENGTHS += (385, 511, 512, 513, 767, 768, 769, 1000, 1023, 1024, 1025, 2047, 2049, 4096, 4099)
SIDES = ((1, 1), (2, 1), (1, 2), (3, 2), (4, 31), (5, 32), (8, 33), (33, 8), (2, 64), (65, 3))
SIDES += ((9, 70), (70, 1), (3, 1000), (1, 4099), (64, 70), (130, 6), (40, 50), (32, 32))
SIDES += ((301, 2), (3, 129), (7, 128), (5, 63), (65, 65), (6, 6), (7, 10), (2, 130))
FLOAT, DOUBLE = (torch.float32,), (torch.float64,)


def gelu(x: torch.Tensor) -> torch.Tensor:
    """Compute the GELU by erfc."""
    return 0.5 * x * torch.special.erfc(-x * 0.5**0.5)


def where(m: torch.Tensor, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Take x where the mask is not 0."""
    return torch.where(m != 0, x, y)


def absolute_sum(x: torch.Tensor) -> torch.Tensor:
    """Add absolute values."""
    return x.abs().sum()


def shorts(launcher: Launcher) -> Iterator[Case]:
    """Add numbers of both signs: usual shorts, and those at the ends of their range."""
    for s in (7, -300, 0):
        make = ElementwiseMaker.of(launcher, lambda x, s=s: x + s, 0, {"s": s})
        yield from elementwise_cases(launcher, make)
    for n in (*LENGTHS, 9_001):
        x = whole(-32768, 32768, n, n)
        for label, y, s in (
            ("any", x, 123),
            ("near the largest", 32767 - x % 9, 5),
            ("near the least", x % 9 - 32768, -5),
        ):
            right = (y + s + 32768) % 65536 - 32768
            words = f"n = {n:,}, s = {s}, {label}"
            options = {"dtypes": (torch.int16,), "quick": n > 5000}
            yield Case(words, (y.short(),), (right.double(),), {"s": s}, **options)


def sigmoids(launcher: Launcher) -> Iterator[Case]:
    """Try the usual values, and slices of which one alone may begin at an odd place."""
    make = ElementwiseMaker.of(launcher, torch.sigmoid, 4)
    yield from elementwise_cases(launcher, make)
    for n in (3, 4, 9, 64, 257, 1000, 4099):
        for offset in ((4, 1), (1, 4), (8, 2), (3, 3), (4, 8)):
            yield make.shifted(n, 8, offset)


def axbys(launcher: Launcher) -> Iterator[Case]:
    """Add whole numbers with factors of all kinds, exactly; NaN and infinities."""
    for n in (*LENGTHS, 9_001, 70_001):
        x, y = (whole(-999, 1000, n, 2 * n + k).float() for k in range(2))
        j = torch.arange(n)
        for label, p, q, a, b in (
            ("usual", x, y, 0.5, -3.0),
            ("one", x, y, 1.0, 1.0),
            ("a is 0", x, y, 0.0, 2.0),
            ("b is 0", x, y, 2.0, 0.0),
            ("a is 0, NaN", torch.where(j % 3 == 1, NAN, x), y, 0.0, 2.0),
            ("a is 0, infinities", torch.where(j % 3 == 1, INF, x), y, 0.0, 2.0),
            ("NaN", x, torch.where(j % 3 == 1, NAN, y), 4.0, 0.25),
        ):
            right = a * p.double() + b * q.double()
            for block_size in (192, 32):
                scalars = {"a": a, "b": b, "block_size": block_size}
                words = f"n = {n:,}, {scalars}, {label}"
                options = {"dtypes": FLOAT, "quick": n > 5000}
                yield Case(words, (p, q), (right,), scalars, **options)


def column_maxima(launcher: Launcher) -> Iterator[Case]:
    """Seek the largest of columns: any, below 0, the least integer, beyond 2^24, zeros."""
    for rows, cols in (*SIDES, (1000, 3), (4099, 1), (8, 32), (9, 33), (15, 31), (301, 301)):
        n = rows * cols
        x = whole(-(2**31), 2**31, n, n).reshape(rows, cols)
        for label, y in (
            ("any", x),
            ("small", x % 99 - 50),
            ("below 0", -1 - x % 1000),
            ("the least", x * 0 - 2**31),
            ("beyond 2^24", 2**24 + x % 999),
            ("zeros", x * 0),
        ):
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            right = y.amax(0).double()
            yield Case(words, (y.int(),), (right,), dtypes=(torch.int32,))


def row_products(launcher: Launcher) -> Iterator[Case]:
    """Multiply rows: powers of two, odd numbers, near 1, zeros, NaN and infinities."""
    for rows, cols in (*SIDES, (1000, 3), (2, 4099)):
        n = rows * cols
        x = whole(0, 1000, n, n).reshape(rows, cols)
        j = torch.arange(n).reshape(rows, cols)
        two = 2.0 ** (x % 3 - 1) * (1 - 2 * (x % 2))
        for label, y, ulp in (
            ("powers of two", two, 0),
            ("below 0", -(2.0 ** (x % 3 - 1)), 0),
            ("odd numbers", torch.where(j % cols < 20, 1.0 + 2 * (x % 3), 1.0), 0),
            ("near 1", 0.9 + x / 5000, cols),
            ("a zero in a row", torch.where(j % cols == j // cols % cols, 0.0, two), 0),
            ("zeros", two.abs() * 0, 0),
            ("NaN", torch.where((j // cols % 2 == 0) & (j % cols == cols // 2), NAN, two), 0),
            ("infinities", torch.where(j % cols == cols - 1, INF, two), 0),
        ):
            y = y.double()
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y,), (y.prod(1),), {}, ulp, dtypes=DOUBLE)


def softmaxes(launcher: Launcher) -> Iterator[Case]:
    """Scale and normalise rows: usual, wide, far below 0, far above, alike, NaN, -infinity."""
    for rows, cols in (*SIDES, (257, 12), (20, 300)):
        n = rows * cols
        x = whole(-64, 65, n, n).reshape(rows, cols) / 16
        j = torch.arange(n).reshape(rows, cols)
        for label, y, scale in (
            ("usual", x, 1.0),
            ("half", x, 0.5),
            ("a scale below 0", x, -2.0),
            ("no scale", x, 0.0),
            ("wide", x * 64, 1.0),
            ("wide, a scale below 0", x * 64, -1.0),
            ("far below 0", x - 500, 1.0),
            ("far above 0", x + 500, 0.5),
            ("alike", x * 0 + 3, 0.25),
            ("NaN", torch.where((j // cols % 2 == 0) & (j % cols == cols // 2), NAN, x), 0.5),
            ("-infinity", torch.where(j % cols % 3 == 1, -INF, x), 0.5),
        ):
            y = y.float()
            right = torch.softmax(scale * y.double(), 1)
            words = f"rows = {rows:,}, cols = {cols:,}, scale = {scale}, {label}"
            within = (torch.full_like(right, 1e-30),)
            arguments = {"scale": scale}
            yield Case(words, (y,), (right,), arguments, 64, dtypes=FLOAT, within=within)


def rms_norms(launcher: Launcher) -> Iterator[Case]:
    """Normalise rows: usual, small beside eps, large, zeros, a NaN in a row."""
    for rows, cols in (*SIDES, (257, 12), (20, 300)):
        n = rows * cols
        x = whole(-99, 100, n, n).reshape(rows, cols) / 16
        g = whole(1, 40, cols, n + 1).float() / 8
        j = torch.arange(n).reshape(rows, cols)
        for label, y, eps in (
            ("usual", x, 1e-5),
            ("a large eps", x, 2.0),
            ("small", x / 4096, 1e-3),
            ("large", x * 4096, 1e-5),
            ("below 0", -x.abs() - 1, 1e-5),
            ("zeros", x * 0, 1e-2),
            ("NaN", torch.where((j // cols % 2 == 0) & (j % cols == cols // 2), NAN, x), 1e-5),
        ):
            y = y.float()
            z = y.double()
            right = z / (z.square().mean(1, keepdim=True) + eps).sqrt() * g.double()
            words = f"rows = {rows:,}, cols = {cols:,}, eps = {eps}, {label}"
            yield Case(words, (y, g), (right,), {"eps": eps}, 16 + cols / 16, dtypes=FLOAT)


def turned_bytes(launcher: Launcher) -> Iterator[Case]:
    """Turn bytes of all values in matrices that are thin, odd, square and large."""
    more = ((1, 3001), (3001, 1), (31, 33), (32, 33), (97, 65), (64, 64), (515, 129), (96, 32))
    for rows, cols in (*SIDES, *more):
        n = rows * cols
        x = whole(0, 256, n, n).reshape(rows, cols)
        for label, y in (("any", x), ("counted", torch.arange(n).reshape(rows, cols) % 251)):
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            right = y.T.contiguous().double()
            options = {"dtypes": (torch.uint8,), "quick": n > 5000}
            yield Case(words, (y.to(torch.uint8),), (right,), **options)


def linears(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole numbers and add a bias: odd and thin sides, no bias, a NaN in a row."""
    sides = ((1, 1, 1), (1, 2, 3), (3, 1, 2), (5, 7, 3), (16, 16, 16), (17, 15, 33), (4, 40, 9))
    sides += ((40, 4, 9), (33, 17, 1), (1, 100, 5), (100, 1, 5), (2, 3, 300), (70, 31, 20))
    sides += ((31, 70, 20), (15, 16, 17), (32, 48, 64), (65, 33, 7), (1, 1, 100), (130, 20, 6))
    for m, n, k in sides:
        a = whole(-20, 21, m * k, m + 1).reshape(m, k).float()
        b = whole(-20, 21, k * n, n + 2).reshape(k, n).float()
        bias = whole(-500, 501, n, k + 3).float()
        bad = a.clone()
        bad[m // 2, k // 2] = NAN
        for label, p, q, d in (
            ("usual", a, b, bias),
            ("fractions", a / 4, b / 8, bias / 16),
            ("no bias", a, b, bias * 0),
            ("positive", a.abs() + 1, b.abs() + 1, bias.abs()),
            ("a NaN in a", bad, b, bias),
            ("zeros", a * 0, b, bias),
        ):
            right = p.double() @ q.double() + d.double()
            words = f"m = {m}, n = {n}, k = {k}, {label}"
            yield Case(words, (p, q, d), (right,), dtypes=FLOAT)


BASES = {
    "hundredseventeen_shorts": Base(SHORTS, {"cases": shorts}),
    "hundredseventeen_narrow": Base(NARROW, {"reference": "cast"}),
    "hundredseventeen_pairs": Base(PAIRS, {"reference": "cast"}),
    "hundredseventeen_gelu": Base(GELU, {"reference": gelu, "ulp": 16}),
    "hundredseventeen_sigmoid": Base(SIGMOID, {"cases": sigmoids}),
    "hundredseventeen_axby": Base(AXBY, {"cases": axbys}),
    "hundredseventeen_where": Base(WHERE, {"reference": where}),
    "hundredseventeen_abssum": Base(ABSSUM, cases="whole_array", function=absolute_sum),
    "hundredseventeen_colmax": Base(COLMAX, {"cases": column_maxima}),
    "hundredseventeen_rowprod": Base(ROWPROD, {"cases": row_products}),
    "hundredseventeen_softmax": Base(SOFTMAX, {"cases": softmaxes}),
    "hundredseventeen_rms": Base(RMS, {"cases": rms_norms}),
    "hundredseventeen_turn": Base(TURN, {"cases": turned_bytes}),
    "hundredseventeen_linear": Base(LINEAR, {"cases": linears}),
}

WRONG = (
    # ---- shorts
    # The result may lie anywhere.
    Wrong(
        "hundredseventeen_shorts_y_anywhere",
        "hundredseventeen_shorts",
        "alignment",
        ("int16_t* y,        // [n] 8-byte aligned", "int16_t* y,        // [n]"),
    ),
    # The last of the rest is not reached.
    Wrong(
        "hundredseventeen_shorts_last_left_out",
        "hundredseventeen_shorts",
        "tail / unwritten / left out | numbers",
        ("if (rest < n)", "if (rest < n - 1)"),
    ),
    # The third of a pack is made of the second.
    Wrong(
        "hundredseventeen_shorts_third_from_second",
        "hundredseventeen_shorts",
        "other element / neighbour / left out | numbers / twice",
        ("v.z += s;", "v.z = v.y;"),
    ),
    # The last of a pack saturates.
    Wrong(
        "hundredseventeen_shorts_saturates",
        "hundredseventeen_shorts",
        "whole range / infinity | numbers",
        ("v.w += s;", "v.w = max(-32768, min(32767, v.w + s));"),
    ),
    # The block size is a number.
    Wrong(
        "hundredseventeen_shorts_always_256",
        "hundredseventeen_shorts",
        "block size | unwritten / left out / tail / other element / bounds",
        ("blockIdx.x * blockDim.x", "blockIdx.x * 256"),
    ),
    # ---- narrow
    # The cast cuts off.
    Wrong(
        "hundredseventeen_narrow_cut_off",
        "hundredseventeen_narrow",
        "rounding | numbers / infinity / subnormal / precision",
        ("(float)v", "__double2float_rz(v)"),
    ),
    # There is no loop, though the grid is limited.
    Wrong(
        "hundredseventeen_narrow_no_loop",
        "hundredseventeen_narrow",
        "grid / unwritten / left out | nan / tail",
        ("while (i < n) {", "if (i < n) {"),
    ),
    # What is too large becomes the largest float.
    Wrong(
        "hundredseventeen_narrow_limited",
        "hundredseventeen_narrow",
        "infinity | numbers / whole range",
        (
            "        out[i] =",
            "        if (v > FLT_MAX)\n            v = FLT_MAX;\n        out[i] =",
        ),
    ),
    # One too many is allowed.
    Wrong(
        "hundredseventeen_narrow_one_too_many",
        "hundredseventeen_narrow",
        "bounds / tail",
        ("while (i < n)", "while (i <= n)"),
    ),
    # Small numbers become 0.
    Wrong(
        "hundredseventeen_narrow_small_are_zero",
        "hundredseventeen_narrow",
        "subnormal | numbers / precision",
        ("(float)v", "(float)(fabs(v) < FLT_MIN ? copysign(0.0, v) : v)"),
    ),
    # ---- pairs
    # A pair is cut off.
    Wrong(
        "hundredseventeen_pairs_cut_off",
        "hundredseventeen_pairs",
        "rounding | numbers / infinity / nan / precision / subnormal",
        (
            "__floats2bfloat162_rn(f.x, f.y)",
            "__halves2bfloat162(__float2bfloat16_rz(f.x), __float2bfloat16_rz(f.y))",
        ),
    ),
    # The two of a pair change places.
    Wrong(
        "hundredseventeen_pairs_turned",
        "hundredseventeen_pairs",
        "swapped / other element / neighbour | numbers",
        ("(f.x, f.y)", "(f.y, f.x)"),
    ),
    # The rest passes through a half.
    Wrong(
        "hundredseventeen_pairs_rest_through_half",
        "hundredseventeen_pairs",
        "infinity / rounding / precision / tail | whole range / subnormal / numbers",
        ("__float2bfloat16(src[p])", "__float2bfloat16(__half2float(__float2half(src[p])))"),
    ),
    # The launch forgets the stream.
    Wrong(
        "hundredseventeen_pairs_no_stream",
        "hundredseventeen_pairs",
        "stream",
        ("<<<blocks, threads, 0, stream>>>", "<<<blocks, threads>>>"),
    ),
    # The last pair counts as a rest of one.
    Wrong(
        "hundredseventeen_pairs_last_is_one",
        "hundredseventeen_pairs",
        "tail / unwritten / left out | nan / numbers",
        ("if (p + 1 < n)", "if (p + 2 < n)"),
    ),
    # ---- gelu
    # The approximation by tanh is taken.
    Wrong(
        "hundredseventeen_gelu_tanh",
        "hundredseventeen_gelu",
        "precision / function | numbers / nan / subnormal / sign of zero",
        (
            "0.5 * v * erfc(-v * ROOT_HALF)",
            "0.5 * v * (1.0 + tanh(0.7978845608028654 * (v + 0.044715 * v * v * v)))",
        ),
    ),
    # The root of a half is a float.
    Wrong(
        "hundredseventeen_gelu_float_root",
        "hundredseventeen_gelu",
        "precision | function / numbers",
        ("0.70710678118654752440", "0.70710678f"),
    ),
    # More than 256 blocks are not launched.
    Wrong(
        "hundredseventeen_gelu_256_blocks",
        "hundredseventeen_gelu",
        "grid / unwritten | nan / left out / tail",
        ("  if (n > 0) {", "  if (blocks > 256) blocks = 256;\n  if (n > 0) {"),
    ),
    # The number of blocks is rounded down.
    Wrong(
        "hundredseventeen_gelu_blocks_rounded_down",
        "hundredseventeen_gelu",
        "grid / unwritten / tail / left out | nan / refused",
        ("(n + block_size - 1) / block_size", "n / block_size"),
        ("  if (n > 0) {", "  if (blocks > 0) {"),
    ),
    # The half is multiplied into the input.
    Wrong(
        "hundredseventeen_gelu_halved_in_place",
        "hundredseventeen_gelu",
        "input | state / numbers",
        ("(const double* __restrict__ x, double*", "(double* __restrict__ x, double*"),
        (
            "y[idx] = gelu_of(x[idx]);",
            "double g = gelu_of(x[idx]);\n    x[idx] *= 0.5;\n    y[idx] = g;",
        ),
        (">>>(x, y, n)", ">>>((double*)x, y, n)"),
    ),
    # ---- sigmoid
    # Only one address is tested.
    Wrong(
        "hundredseventeen_sigmoid_only_x_tested",
        "hundredseventeen_sigmoid",
        "alignment",
        ("fits(x) && fits(y)", "fits(x)"),
    ),
    # It is written with a quotient of exponentials.
    Wrong(
        "hundredseventeen_sigmoid_quotient",
        "hundredseventeen_sigmoid",
        "infinity / nan | numbers / function",
        ("return 1.0f / (1.0f + expf(-v));", "return expf(v) / (1.0f + expf(v));"),
    ),
    # One block takes the rest, which is all where addresses are odd.
    Wrong(
        "hundredseventeen_sigmoid_one_block_for_rest",
        "hundredseventeen_sigmoid",
        "unwritten / grid / left out | alignment / nan / tail",
        (
            "sigmoid_one<<<(rest + block_size - 1) / block_size, block_size",
            "sigmoid_one<<<1, block_size",
        ),
    ),
    # The argument is limited against overflow, too early, and NaN is lost.
    Wrong(
        "hundredseventeen_sigmoid_nan_limited",
        "hundredseventeen_sigmoid",
        "nan / infinity | numbers / subnormal / precision",
        ("expf(-v)", "expf(-fmaxf(v, -30.0f))"),
    ),
    # The number of packs is rounded up.
    Wrong(
        "hundredseventeen_sigmoid_packs_rounded_up",
        "hundredseventeen_sigmoid",
        "bounds / tail | alignment",
        ("? n / 4 : 0;", "? (n + 3) / 4 : 0;"),
    ),
    # ---- axby
    # The factors are given in the other order.
    Wrong(
        "hundredseventeen_axby_factors_swapped",
        "hundredseventeen_axby",
        "swapped / function | numbers / nan / infinity",
        (">>>(a, x, b, y, z, n)", ">>>(b, x, a, y, z, n)"),
    ),
    # The second factor is left out.
    Wrong(
        "hundredseventeen_axby_b_ignored",
        "hundredseventeen_axby",
        "left out / function | numbers / nan / infinity",
        ("+ b * y[i]", "+ y[i]"),
    ),
    # Half of the blocks are launched.
    Wrong(
        "hundredseventeen_axby_half_the_blocks",
        "hundredseventeen_axby",
        "grid / unwritten / tail / left out | nan",
        ("(n + each - 1) / each", "(n + 2 * each - 1) / (2 * each)"),
    ),
    # A factor of 0 hides NaN and infinities.
    Wrong(
        "hundredseventeen_axby_zero_is_nothing",
        "hundredseventeen_axby",
        "nan / infinity | numbers / left out",
        ("a * x[i] +", "(a != 0.0f ? a * x[i] : 0.0f) +"),
    ),
    # The first factor is that of the first call.
    Wrong(
        "hundredseventeen_axby_first_a",
        "hundredseventeen_axby",
        "state | numbers / function",
        ("  const int each", "  static const float factor = a;\n  const int each"),
        (">>>(a, x,", ">>>(factor, x,"),
    ),
    # ---- where
    # Only a 1 counts.
    Wrong(
        "hundredseventeen_where_equal_to_one",
        "hundredseventeen_where",
        "numbers / function / whole range",
        ("return m != 0 ? x : y;", "return m == 1 ? x : y;"),
    ),
    # The two are blended.
    Wrong(
        "hundredseventeen_where_blended",
        "hundredseventeen_where",
        "nan / infinity | numbers / sign of zero / function",
        ("return m != 0 ? x : y;", "float f = m != 0;\n    return f * x + (1.0f - f) * y;"),
    ),
    # Threads are counted without one for the rest.
    Wrong(
        "hundredseventeen_where_threads_rounded_down",
        "hundredseventeen_where",
        "tail / unwritten / grid / left out | nan",
        ("int threads = (n + 3) / 4;", "int threads = n / 4;"),
    ),
    # Bytes have a sign.
    Wrong(
        "hundredseventeen_where_signed",
        "hundredseventeen_where",
        "whole range / numbers | function",
        ("return m != 0 ?", "return (int8_t)m > 0 ?"),
    ),
    # In the rest the two change places.
    Wrong(
        "hundredseventeen_where_rest_swapped",
        "hundredseventeen_where",
        "swapped / tail | numbers",
        ("pick(m[i], x[i], y[i])", "pick(m[i], y[i], x[i])"),
    ),
    # ---- abssum
    # The total is not set.
    Wrong(
        "hundredseventeen_abssum_not_set",
        "hundredseventeen_abssum",
        "zero before | state / nan / unwritten",
        ("    cudaMemsetAsync(total, 0, sizeof(float), stream);\n", ""),
    ),
    # The tree starts a step late.
    Wrong(
        "hundredseventeen_abssum_half_a_tree",
        "hundredseventeen_abssum",
        "left out | numbers",
        ("int half = THREADS / 2;", "int half = THREADS / 4;"),
    ),
    # The last of a pack keeps its sign.
    Wrong(
        "hundredseventeen_abssum_sign_kept",
        "hundredseventeen_abssum",
        "function / numbers | left out",
        ("+ fabsf(v.w)", "+ v.w"),
    ),
    # The tree starts before all have stored.
    Wrong(
        "hundredseventeen_abssum_no_barrier",
        "hundredseventeen_abssum",
        "race | numbers / left out / unwritten",
        ("    part[t] = s;\n    __syncthreads();\n", "    part[t] = s;\n"),
    ),
    # Each block adds the tail.
    Wrong(
        "hundredseventeen_abssum_tail_in_each_block",
        "hundredseventeen_abssum",
        "tail / twice | numbers",
        ("i = n / 4 * 4 + id;", "i = n / 4 * 4 + t;"),
    ),
    # ---- colmax
    # The largest starts with 0.
    Wrong(
        "hundredseventeen_colmax_starts_at_0",
        "hundredseventeen_colmax",
        "start | numbers",
        ("int m = LEAST;", "int m = 0;"),
    ),
    # Rows have the pitch of columns.
    Wrong(
        "hundredseventeen_colmax_pitch",
        "hundredseventeen_colmax",
        "sides / other element / bounds | numbers / left out",
        ("(size_t)r * cols + c", "(size_t)r * rows + c"),
    ),
    # The last thread of a column is forgotten.
    Wrong(
        "hundredseventeen_colmax_one_left_out",
        "hundredseventeen_colmax",
        "left out | numbers",
        ("k < DEEP;", "k < DEEP - 1;"),
    ),
    # Rows that do not fill a step are left out.
    Wrong(
        "hundredseventeen_colmax_whole_steps",
        "hundredseventeen_colmax",
        "tail / left out | numbers / start",
        ("r < rows;", "r < rows / DEEP * DEEP;"),
    ),
    # The comparison is of floats.
    Wrong(
        "hundredseventeen_colmax_of_floats",
        "hundredseventeen_colmax",
        "precision | numbers / rounding / whole range",
        (
            "m = max(m, x[(size_t)r * cols + c]);",
            "m = (int)fmaxf((float)m, (float)x[(size_t)r * cols + c]);",
        ),
    ),
    # ---- rowprod
    # The product starts with 0.
    Wrong(
        "hundredseventeen_rowprod_starts_at_0",
        "hundredseventeen_rowprod",
        "start | numbers / nan / function / infinity / copy",
        ("double p = 1.0;", "double p = 0.0;"),
    ),
    # A thread's product is a float.
    Wrong(
        "hundredseventeen_rowprod_float",
        "hundredseventeen_rowprod",
        "precision | numbers / rounding / infinity",
        ("    double p = 1.0;", "    float p = 1.0f;"),
    ),
    # There is one barrier before the tree and none in it.
    Wrong(
        "hundredseventeen_rowprod_one_barrier",
        "hundredseventeen_rowprod",
        "race | numbers / left out / other element",
        (
            "    for (int w = TPB / 2; w >= 1; w >>= 1) {\n        __syncthreads();\n",
            "    __syncthreads();\n    for (int w = TPB / 2; w >= 1; w >>= 1) {\n",
        ),
    ),
    # Zeros are skipped.
    Wrong(
        "hundredseventeen_rowprod_zeros_skipped",
        "hundredseventeen_rowprod",
        "left out / numbers / function",
        ("        p *= row[j];", "        if (row[j] != 0.0)\n            p *= row[j];"),
    ),
    # The last step of the tree is missing.
    Wrong(
        "hundredseventeen_rowprod_last_step_missing",
        "hundredseventeen_rowprod",
        "left out | numbers / other element",
        ("w >= 1;", "w > 1;"),
    ),
    # ---- softmax
    # The largest starts with 0.
    Wrong(
        "hundredseventeen_softmax_starts_at_0",
        "hundredseventeen_softmax",
        "start | numbers / nan / infinity / precision / subnormal",
        ("float m = -INFINITY;", "float m = 0.0f;"),
    ),
    # The sums are stored while others read the largest.
    Wrong(
        "hundredseventeen_softmax_no_last_barrier",
        "hundredseventeen_softmax",
        "race | numbers / other element / nan / infinity",
        ("    float most = s[0];\n    __syncthreads();\n", "    float most = s[0];\n"),
    ),
    # The scale is applied to the exponential.
    Wrong(
        "hundredseventeen_softmax_scale_outside",
        "hundredseventeen_softmax",
        "function | numbers / nan / infinity / precision",
        ("sum += expf(scale * row[c] - top);", "sum += scale * expf(row[c] - top);"),
        (
            "out[c] = expf(scale * row[c] - top) / all;",
            "out[c] = scale * expf(row[c] - top) / all;",
        ),
    ),
    # A thread writes one column.
    Wrong(
        "hundredseventeen_softmax_one_column_a_thread",
        "hundredseventeen_softmax",
        "unwritten / left out | nan / tail / numbers",
        (
            "    for (int c = threadIdx.x; c < cols; c += BLOCK) {\n        out[c]",
            "    int c = threadIdx.x;\n    if (c < cols) {\n        out[c]",
        ),
    ),
    # The largest is sought before the scale is applied.
    Wrong(
        "hundredseventeen_softmax_largest_unscaled",
        "hundredseventeen_softmax",
        "infinity / nan | numbers / function / precision / subnormal / left out",
        ("m = fmaxf(m, scale * row[c]);", "m = fmaxf(m, row[c]);"),
        ("float top = blockMax(m, s);", "float top = scale * blockMax(m, s);"),
    ),
    # ---- rms
    # The small number is added outside the root.
    Wrong(
        "hundredseventeen_rms_eps_outside",
        "hundredseventeen_rms",
        "function | numbers / precision",
        ("sqrtf(sq / cols + eps)", "(sqrtf(sq / cols) + eps)"),
    ),
    # Shuffles go down, and all lanes use what they have.
    Wrong(
        "hundredseventeen_rms_shuffles_down",
        "hundredseventeen_rms",
        "left out / other element / race / twice | numbers / function",
        ("__shfl_xor_sync", "__shfl_down_sync"),
    ),
    # One row too many is allowed.
    Wrong(
        "hundredseventeen_rms_one_row_too_many",
        "hundredseventeen_rms",
        "bounds / tail",
        ("if (r >= rows)", "if (r > rows)"),
    ),
    # The gain is that of the lane.
    Wrong(
        "hundredseventeen_rms_gain_of_lane",
        "hundredseventeen_rms",
        "other element / left out | numbers",
        ("* g[c];", "* g[threadIdx.x];"),
    ),
    # The mean is that of one less.
    Wrong(
        "hundredseventeen_rms_one_less",
        "hundredseventeen_rms",
        "function | numbers / infinity / nan / precision",
        ("sqrtf(sq / cols + eps)", "sqrtf(sq / (cols - 1) + eps)"),
    ),
    # ---- turn
    # The result has the pitch of the other side.
    Wrong(
        "hundredseventeen_turn_pitch",
        "hundredseventeen_turn",
        "sides / other element / bounds / unwritten | numbers / twice",
        ("y[(size_t)(c0 + q) * rows", "y[(size_t)(c0 + q) * cols"),
    ),
    # The limits of the way out are swapped.
    Wrong(
        "hundredseventeen_turn_limits_swapped",
        "hundredseventeen_turn",
        "swapped / sides / bounds / unwritten | tail / other element / numbers / left out",
        ("c0 + q < cols && r0 + tx < rows", "c0 + q < rows && r0 + tx < cols"),
    ),
    # The tile is not turned.
    Wrong(
        "hundredseventeen_turn_tile_not_turned",
        "hundredseventeen_turn",
        "other element / swapped / sides | numbers / unwritten",
        ("tile[tx][q]", "tile[q][tx]"),
    ),
    # Rows are counted in x of the grid.
    Wrong(
        "hundredseventeen_turn_grid_swapped",
        "hundredseventeen_turn",
        "grid / sides / swapped / unwritten / left out | tail / numbers",
        (
            "dim3 grid((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE);",
            "dim3 grid((rows + TILE - 1) / TILE, (cols + TILE - 1) / TILE);",
        ),
    ),
    # The last quarter of a tile is not loaded.
    Wrong(
        "hundredseventeen_turn_quarter_not_loaded",
        "hundredseventeen_turn",
        "unwritten / left out | numbers / other element / race / state",
        ("k < TILE; k += HIGH", "k < TILE - HIGH; k += HIGH"),
    ),
    # ---- linear
    # The bias is that of the row.
    Wrong(
        "hundredseventeen_linear_bias_of_row",
        "hundredseventeen_linear",
        "other element / bounds / sides / swapped | numbers",
        ("bias[col]", "bias[row]"),
    ),
    # Rows of a have the pitch of b.
    Wrong(
        "hundredseventeen_linear_pitch",
        "hundredseventeen_linear",
        "sides / other element / bounds | numbers",
        ("a[(size_t)row * k + i]", "a[(size_t)row * n + i]"),
    ),
    # The last of k is left out.
    Wrong(
        "hundredseventeen_linear_last_left_out",
        "hundredseventeen_linear",
        "left out / tail | numbers / nan",
        ("i < k;", "i < k - 1;"),
    ),
    # The bias is added in each step.
    Wrong(
        "hundredseventeen_linear_bias_in_each_step",
        "hundredseventeen_linear",
        "twice / function | numbers",
        ("* n + col];\n        }", "* n + col] + bias[col];\n        }"),
        ("acc + bias[col];", "acc;"),
    ),
    # Sums are whole.
    Wrong(
        "hundredseventeen_linear_whole_sums",
        "hundredseventeen_linear",
        "rounding / precision | numbers / nan / infinity",
        ("float acc = 0.0f;", "int acc = 0;"),
    ),
)

RIGHT = (
    # Sizes and indices have 64 bits.
    Right(
        "hundredseventeen_shorts_int64",
        "hundredseventeen_shorts",
        ("int s, int n) {", "int s, int64_t n) {"),
        (
            "int t = blockIdx.x * blockDim.x + threadIdx.x;",
            "int64_t t = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;",
        ),
        ("int packs = n / 4;", "int64_t packs = n / 4;"),
        ("int rest = 4", "int64_t rest = 4"),
        ("int s, int n, int block_size", "int s, int64_t n, int block_size"),
    ),
    # Indices are unsigned.
    Right(
        "hundredseventeen_narrow_uint32",
        "hundredseventeen_narrow",
        ("double *in, float *out, int n)\n{", "double *in, float *out, uint32_t n)\n{"),
        ("    int i = ", "    uint32_t i = "),
        ("const int step", "const uint32_t step"),
    ),
    # Blocks have 96 threads.
    Right(
        "hundredseventeen_pairs_other_block",
        "hundredseventeen_pairs",
        ("threads = 256;", "threads = 96;"),
    ),
    # There are idle blocks.
    Right(
        "hundredseventeen_gelu_idle_blocks",
        "hundredseventeen_gelu",
        ("(n + block_size - 1) / block_size;", "n / block_size + 3;"),
    ),
    # The exponential is that of what is not above 0.
    Right(
        "hundredseventeen_sigmoid_no_overflow",
        "hundredseventeen_sigmoid",
        (
            "    return 1.0f / (1.0f + expf(-v));",
            "    float e = expf(-fabsf(v));\n"
            "    return v < 0.0f ? e / (1.0f + e) : 1.0f / (1.0f + e);",
        ),
    ),
    # The arguments come in another order.
    Right(
        "hundredseventeen_axby_other_order",
        "hundredseventeen_axby",
        (
            "launch(const float* x,  // [n]\n"
            "                       const float* y,  // [n]\n"
            "                       float* z,        // [n]\n"
            "                       float a, float b, int n,",
            "launch(int n, float b, float a,\n"
            "                       const float* x,  // [n]\n"
            "                       const float* y,  // [n]\n"
            "                       float* z,        // [n]\n"
            "                      ",
        ),
    ),
    # Sizes and indices have 64 bits.
    Right(
        "hundredseventeen_where_int64",
        "hundredseventeen_where",
        ("float* o, int n) {", "float* o, int64_t n) {"),
        (
            "int i = (blockDim.x * blockIdx.x + threadIdx.x) * 4;",
            "int64_t i = ((int64_t)blockDim.x * blockIdx.x + threadIdx.x) * 4;",
        ),
        (
            "                       int n, int block",
            "                       int64_t n, int block",
        ),
        ("int threads = (n + 3) / 4;", "int64_t threads = (n + 3) / 4;"),
    ),
    # Always 48 blocks, most of which are idle for few numbers.
    Right(
        "hundredseventeen_abssum_48_blocks",
        "hundredseventeen_abssum",
        (
            "    int64_t blocks = n / (4 * THREADS) + 1;\n"
            "    if (blocks > 48)\n"
            "        blocks = 48;\n",
            "    int blocks = 48;\n",
        ),
    ),
    # A column is shared by 16 threads.
    Right(
        "hundredseventeen_colmax_deeper",
        "hundredseventeen_colmax",
        ("#define DEEP 8", "#define DEEP 16"),
    ),
    # The barrier is at the end of a step.
    Right(
        "hundredseventeen_rowprod_barrier_at_end",
        "hundredseventeen_rowprod",
        ("    sh[tid] = p;\n", "    sh[tid] = p;\n    __syncthreads();\n"),
        ("w >>= 1) {\n        __syncthreads();\n", "w >>= 1) {\n"),
        ("sh[tid + w];\n        }\n", "sh[tid + w];\n        }\n        __syncthreads();\n"),
    ),
    # The exponentials are kept in the result until they are divided.
    Right(
        "hundredseventeen_softmax_kept_in_result",
        "hundredseventeen_softmax",
        (
            "sum += expf(scale * row[c] - top);",
            "{\n        out[c] = expf(scale * row[c] - top);\n        sum += out[c];\n    }",
        ),
        ("out[c] = expf(scale * row[c] - top) / all;", "out[c] /= all;"),
    ),
    # A block has two warps.
    Right(
        "hundredseventeen_rms_two_warps",
        "hundredseventeen_rms",
        ("#define WARPS 4", "#define WARPS 2"),
    ),
    # Sides have 64 bits.
    Right(
        "hundredseventeen_turn_int64",
        "hundredseventeen_turn",
        (
            "const uint8_t* x, uint8_t* y, int rows, int cols) {",
            "const uint8_t* x, uint8_t* y, int64_t rows, int64_t cols) {",
        ),
        ("int r0 = blockIdx.y", "int64_t r0 = (int64_t)blockIdx.y"),
        ("int c0 = blockIdx.x", "int64_t c0 = (int64_t)blockIdx.x"),
        ("int tx =", "int64_t tx ="),
        ("int k = threadIdx.y", "int64_t k = threadIdx.y"),
        ("int q = threadIdx.y", "int64_t q = threadIdx.y"),
        (
            "                       int rows, int cols, cuda",
            "                       int64_t rows, int64_t cols, cuda",
        ),
    ),
    # Blocks are 32 wide and 4 high.
    Right(
        "hundredseventeen_linear_other_block",
        "hundredseventeen_linear",
        ("dim3 block(16, 16);", "dim3 block(32, 4);"),
        ("dim3 grid((n + 15) / 16, (m + 15) / 16);", "dim3 grid((n + 31) / 32, (m + 3) / 4);"),
    ),
)
