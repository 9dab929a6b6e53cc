"""Hold a hundred-ninth family: plain operators of a course, and what goes wrong in them.

Its bases are a column's number subtracted from each element of a float matrix, the product of
two int16 arrays, halves as doubles, floats as uint16 within the limits, softsign of floats,
leaky relu of bfloat16, swish of halves, the mean of doubles, the smallest of each row of ints,
the variance of each row of floats, softmax of floats with a mask of bytes, layer norm of
bfloat16 with a gain, the transpose of floats, and a matrix product of which the first matrix
lies transposed. They have 12 to 50 lines. They use a thread an element, four numbers a thread
where addresses allow it or are declared so, a loop over a limited grid, two numbers a thread a
block apart, pairs with single numbers after them, one block with a tree, a warp a row with
shuffles down or across, sums of four warps in shared memory, a tree for a maximum and a sum, a
grid of two sides with a loop down, and tiles of 16 x 16. Their mistakes are spread over
alignment, sizes, grids, block sizes, rounding, limits, NaN, the sign of zero, overflow,
precision, sums, barriers, pitches, tiles, inputs that are written, what is left in the output,
and streams. The causes were written before a member was judged. There are 70 wrong members and
14 right ones. On the emulator each was run beside PyTorch and compared as a case does, called
twice on the same tensors, with NaN and with 1e3 in floating outputs (-1 and 77 in others), with
tensors at either end of their pages, the bytes around them and their inputs looked at
afterwards, on a stream that is not the default one, with threads in order, from the last to the
first and in a random order, and in the slices that the cases name. Bases and right ones ran all
cases; wrong ones until they were wrong often enough. nvcc 13.0 compiles each base and right
one; none was run on a GPU. Bases and right ones are right, and all others wrong or refused by a
fault:

    hundrednine_level_number_of_row             from 2 columns on, or from 2 rows on
    hundrednine_level_other_way_round           of nearly all
    hundrednine_level_always_256                of other block sizes, from a second block on
    hundrednine_level_blocks_rounded_down       unless the block size divides n
    hundrednine_level_one_too_many              unless the block size divides n
    hundrednine_shorts_third_not_asked          by the address of c alone
    hundrednine_shorts_limited                  of products beyond 16 bits
    hundrednine_shorts_through_float            of odd products beyond 2^24
    hundrednine_shorts_three_are_a_pack         if 3 numbers are left
    hundrednine_shorts_third_for_fourth         from 4 numbers on, where packs are taken
    hundrednine_widen_no_loop                   of more numbers than 32 blocks have threads
    hundrednine_widen_nan_is_zero               of NaN
    hundrednine_widen_zero_without_sign         of -0.0
    hundrednine_widen_step_of_128               of smaller blocks, beyond 32 blocks
    hundrednine_widen_no_stream                 on another stream than the default one
    hundrednine_squeeze_cut_off                 of fractions from a half on
    hundrednine_squeeze_nan_at_the_top          of NaN
    hundrednine_squeeze_limit_is_65536          from 65,535.5 on
    hundrednine_squeeze_threads_rounded_down    if n is 1 to 3 above a multiple of 512
    hundrednine_squeeze_dst_anywhere            from 4 numbers on, by the address of dst
    hundrednine_softsign_no_magnitude           below 0
    hundrednine_softsign_by_difference          of numbers near 0
    hundrednine_softsign_second_not_tested      unless the last block has all its numbers
    hundrednine_softsign_blocks_rounded_down    if at most a block size is left
    hundrednine_softsign_held_within_1          of NaN
    hundrednine_leak_cut_off                    of numbers below 0 that are not in pairs
    hundrednine_leak_slope_of_bfloat16          below 0
    hundrednine_leak_two_limits                 of NaN and of -0.0
    hundrednine_leak_y_not_asked                by the address of y alone
    hundrednine_leak_odd_forgotten              of odd counts, where pairs are taken
    hundrednine_swish_grows                     from about 89 on
    hundrednine_swish_exponential_of_half       of numbers far below 0
    hundrednine_swish_sigmoid_alone             of nearly all
    hundrednine_swish_first_of_pair_again       from 2 numbers on
    hundrednine_swish_last_is_a_pair            of odd counts
    hundrednine_mean_sum_of_float               of small parts of large numbers
    hundrednine_mean_half_a_tree                from 129 numbers on
    hundrednine_mean_no_barrier                 where threads do not wait for another
    hundrednine_mean_one_less                   unless the mean is 0
    hundrednine_mean_added_to_out               unless 0 is there
    hundrednine_least_starts_at_0               of rows above 0
    hundrednine_least_one_column_a_lane         from 33 columns on
    hundrednine_least_through_float             of large numbers that are near another
    hundrednine_least_rows_not_tested           unless 4 divides the rows
    hundrednine_least_pitch_of_rows             from 2 rows on, unless the matrix is square
    hundrednine_spread_last_warp                from 97 columns on
    hundrednine_spread_no_second_barrier        where threads do not wait for another
    hundrednine_spread_squares_less_square      about a large mean
    hundrednine_spread_sum_goes_on              unless the sum is 0
    hundrednine_spread_steps_of_a_warp          from 33 columns on
    hundrednine_masked_first_mask               from 2 rows on
    hundrednine_masked_all_in_sum               where a mask keeps not all
    hundrednine_masked_not_shifted              of numbers that are far from 0
    hundrednine_masked_rest_not_written         where a mask keeps not all
    hundrednine_masked_starts_at_0              of rows that are far below 0
    hundrednine_norm_gain_of_lane               from 33 columns on
    hundrednine_norm_sum_of_bfloat16            of longer rows
    hundrednine_norm_shuffles_down              from 2 columns on
    hundrednine_norm_root                       of nearly all
    hundrednine_norm_in_place                   unless the mean is 0: in is overwritten
    hundrednine_flip_pitch_of_x                 unless the matrix is square
    hundrednine_flip_copied                     unless a side is 1
    hundrednine_flip_grid_swapped               if too few blocks are then across or down
    hundrednine_flip_too_tall                   from 524,281 rows on
    hundrednine_flip_one_column_more            unless 32 divides the columns
    hundrednine_cross_pitch_of_product          unless m and k are alike
    hundrednine_cross_tile_not_turned           of nearly all
    hundrednine_cross_whole_tiles               unless 16 divides k
    hundrednine_cross_no_last_barrier           from k = 17 on, where threads do not wait
    hundrednine_cross_rest_not_set              unless 16 divides k
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case, ElementwiseMaker, elementwise_cases
from helpers.testing.references import REFERENCES
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import whole

# A column's number is subtracted from each element of a matrix, a thread an element.
LEVEL = (
    HEADER
    + """\
__global__ void level(const float* x, const float* b, float* y, int n, int cols) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] - b[i % cols];
}

extern "C" void launch(const float* x,  // [rows, cols]
                       const float* b,  // [cols]
                       float* y,        // [rows, cols]
                       int rows, int cols, int block_size = 256, cudaStream_t stream = 0) {
  int n = rows * cols;
  int blocks = (n + block_size - 1) / block_size;
  level<<<blocks, block_size, 0, stream>>>(x, b, y, n, cols);
}
"""
)

# The product of two arrays of int16, four a thread where all addresses allow it.
SHORTS = (
    HEADER
    + """\
__device__ int16_t times(int p, int q)
{
    return (int16_t)(p * q);
}

__global__ void shorts(const int16_t *a, const int16_t *b, int16_t *c, int n, bool by_four)
{
    int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (by_four && i + 4 <= n) {
        short4 u = *(const short4 *)(a + i);
        short4 v = *(const short4 *)(b + i);
        *(short4 *)(c + i) = make_short4(times(u.x, v.x), times(u.y, v.y),
                                         times(u.z, v.z), times(u.w, v.w));
        return;
    }
    for (int k = i; k < n && k < i + 4; k++)
        c[k] = times(a[k], b[k]);
}

static bool on8(const void *p)
{
    return (uintptr_t)p % 8 == 0;
}

extern "C" void launch(const int16_t *a,  // [n]
                       const int16_t *b,  // [n]
                       int16_t *c,        // [n]
                       int n, int block_size = 128, cudaStream_t stream = 0)
{
    bool by_four = on8(a) && on8(b) && on8(c);
    int blocks = (n + 4 * block_size - 1) / (4 * block_size);
    if (n > 0)
        shorts<<<blocks, block_size, 0, stream>>>(a, b, c, n, by_four);
}
"""
)

# Halves become doubles, in a loop over a grid of at most 32 blocks.
WIDEN = (
    HEADER
    + """\
__global__ void widen(const half* in, double* out, int n) {
  int step = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
    float v = __half2float(in[i]);
    out[i] = v;
  }
}

extern "C" void launch(const half* in,  // [n]
                       double* out,     // [n]
                       int n, int block_size = 128, cudaStream_t stream = 0) {
  if (n == 0) return;
  int blocks = (n + block_size - 1) / block_size;
  if (blocks > 32) blocks = 32;
  widen<<<blocks, block_size, 0, stream>>>(in, out, n);
}
"""
)

# Floats become uint16, to the nearest and within the limits; four a thread.
SQUEEZE = (
    HEADER
    + """\
#define TOP 65535.0f

// NaN becomes 0.
__device__ unsigned short level16(float v)
{
    float w = fminf(fmaxf(v, 0.0f), TOP);
    return (unsigned short)__float2uint_rn(w);
}

__global__ void squeeze(const float *src, uint16_t *dst, int n)
{
    int at = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    if (at + 3 < n) {
        float4 f = *(const float4 *)&src[at];
        ushort4 q;
        q.x = level16(f.x);
        q.y = level16(f.y);
        q.z = level16(f.z);
        q.w = level16(f.w);
        *(ushort4 *)&dst[at] = q;
    } else {
        while (at < n) {
            dst[at] = level16(src[at]);
            at++;
        }
    }
}

extern "C" void launch(const float *src,  // [n] 16-byte aligned
                       uint16_t *dst,     // [n] 8-byte aligned
                       int n, cudaStream_t stream = 0)
{
    const int threads = (n + 3) / 4;
    const int per_block = 128;
    squeeze<<<(threads + per_block - 1) / per_block, per_block, 0, stream>>>(src, dst, n);
}
"""
)

# Softsign of floats, two a thread, a block's width apart.
SOFTSIGN = (
    HEADER
    + """\
__device__ float soft_sign(float v) {
  return v / (1.0f + fabsf(v));
}

__global__ void softsign_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
  int first = blockIdx.x * blockDim.x * 2 + threadIdx.x;
  int second = first + blockDim.x;
  if (first < n) y[first] = soft_sign(x[first]);
  if (second < n) y[second] = soft_sign(x[second]);
}

extern "C" void launch(const float* x,  // [n]
                       float* y,        // [n]
                       int n, int block_size = 256, cudaStream_t stream = 0) {
  int each = 2 * block_size;
  int blocks = (n + each - 1) / each;
  if (blocks == 0 && n == 0) return;
  softsign_kernel<<<blocks, block_size, 0, stream>>>(x, y, n);
}
"""
)

# Leaky relu of bfloat16, by pairs where both addresses allow it.
LEAK = (
    HEADER
    + """\
#define SLOPE 0.2f
typedef __nv_bfloat16 bf16;
typedef __nv_bfloat162 bf162;

__device__ float leak(float v)
{
    return v < 0.0f ? SLOPE * v : v;
}

__global__ void leaky_bf16(const bf16 *x, bf16 *y, int n, int pairs)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int all = gridDim.x * blockDim.x;
    for (int p = t; p < pairs; p += all) {
        float2 v = __bfloat1622float2(((const bf162 *)x)[p]);
        ((bf162 *)y)[p] = __floats2bfloat162_rn(leak(v.x), leak(v.y));
    }
    for (int i = 2 * pairs + t; i < n; i += all)
        y[i] = __float2bfloat16(leak(__bfloat162float(x[i])));
}

extern "C" void launch(const __nv_bfloat16 *x,  // [n]
                       __nv_bfloat16 *y,        // [n]
                       int n, int block_size = 64, cudaStream_t stream = 0)
{
    bool even = (uintptr_t)x % 4 == 0 && (uintptr_t)y % 4 == 0;
    int pairs = even ? n / 2 : 0;
    int blocks = n / block_size + 1;
    if (blocks > 128)
        blocks = 128;
    leaky_bf16<<<blocks, block_size, 0, stream>>>(x, y, n, pairs);
}
"""
)

# Swish of halves in half2; a thread takes a pair or the last number.
SWISH = (
    HEADER
    + """\
__device__ float swish(float v) {
  float e = expf(-v);
  return v / (1.0f + e);
}

__global__ void swish_pairs(const half* x, half* y, int n) {
  int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (i + 1 < n) {
    float2 f = __half22float2(*reinterpret_cast<const half2*>(x + i));
    half2 h = __floats2half2_rn(swish(f.x), swish(f.y));
    *reinterpret_cast<half2*>(y + i) = h;
  } else if (i < n) {
    y[i] = __float2half(swish(__half2float(x[i])));
  }
}

extern "C" void launch(const half* x,  // [n] 4-byte aligned
                       half* y,        // [n] 4-byte aligned
                       int n, int block_size = 256, cudaStream_t stream = 0) {
  if (n < 1) return;
  int threads = (n + 1) / 2;
  int blocks = (threads + block_size - 1) / block_size;
  swish_pairs<<<blocks, block_size, 0, stream>>>(x, y, n);
}
"""
)

# The mean of an array of doubles, by one block with a tree.
MEAN = (
    HEADER
    + """\
#define THREADS 256

__global__ void mean_kernel(const double *x, double *out, int n)
{
    __shared__ double part[THREADS];
    int t = threadIdx.x;
    double sum = 0.0;
    for (int i = t; i < n; i += THREADS)
        sum += x[i];
    part[t] = sum;
    __syncthreads();
    for (int half_of = THREADS / 2; half_of >= 1; half_of >>= 1) {
        if (t < half_of)
            part[t] += part[t + half_of];
        __syncthreads();
    }
    if (t == 0)
        out[0] = part[0] / n;
}

extern "C" void launch(const double *x,  // [n]
                       double *out,      // [1]
                       int n, cudaStream_t stream = 0)
{
    mean_kernel<<<1, THREADS, 0, stream>>>(x, out, n);
}
"""
)

# The smallest of each row of ints, a warp a row.
LEAST = (
    HEADER
    + """\
#include <climits>

__global__ void row_min(const int* m, int* out, int rows, int cols) {
  int lane = threadIdx.x % 32;
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (row >= rows) return;
  const int* from = m + (long long)row * cols;
  int least = INT_MAX;
  for (int c = lane; c < cols; c += 32) least = min(least, from[c]);
  for (int d = 16; d; d >>= 1) {
    int other = __shfl_down_sync(0xffffffffu, least, d);
    least = min(least, other);
  }
  if (lane == 0) out[row] = least;
}

extern "C" void launch(const int* m,  // [rows, cols]
                       int* out,      // [rows]
                       int rows, int cols, cudaStream_t stream = 0) {
  const int warps = 4;
  row_min<<<(rows + warps - 1) / warps, 32 * warps, 0, stream>>>(m, out, rows, cols);
}
"""
)

# The variance of each row of floats, in two passes, a block of four warps a row.
SPREAD = (
    HEADER
    + """\
#define T 128

__device__ float sum_of_block(float v)
{
    __shared__ float of_warp[T / 32];
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_xor_sync(0xffffffff, v, d);
    if (threadIdx.x % 32 == 0)
        of_warp[threadIdx.x / 32] = v;
    __syncthreads();
    float all = 0.0f;
    for (int w = 0; w < T / 32; w++)
        all += of_warp[w];
    __syncthreads();
    return all;
}

__global__ void spread(const float *x, float *var, int cols)
{
    const float *row = x + (size_t)blockIdx.x * cols;
    float acc = 0.0f;
    for (int c = threadIdx.x; c < cols; c += T)
        acc += row[c];
    float mean = sum_of_block(acc) / cols;
    acc = 0.0f;
    for (int k = threadIdx.x; k < cols; k += T)
        acc += (row[k] - mean) * (row[k] - mean);
    float total = sum_of_block(acc);
    if (threadIdx.x == 0)
        var[blockIdx.x] = total / cols;
}

extern "C" void launch(const float *x,  // [rows, cols]
                       float *var,      // [rows]
                       int rows, int cols, cudaStream_t stream = 0)
{
    spread<<<rows, T, 0, stream>>>(x, var, cols);
}
"""
)

# Softmax of what a mask of bytes keeps, a block a row; 0 elsewhere.
MASKED = (
    HEADER
    + """\
#define T 64

__global__ void masked(const float* x, const uint8_t* keep, float* y, int cols) {
  __shared__ float s[T];
  int t = threadIdx.x;
  size_t start = (size_t)blockIdx.x * cols;
  x += start;
  keep += start;
  y += start;
  float top = -FLT_MAX;
  for (int c = t; c < cols; c += T)
    if (keep[c]) top = fmaxf(top, x[c]);
  s[t] = top;
  __syncthreads();
  for (int h = T / 2; h > 0; h /= 2) {
    if (t < h) s[t] = fmaxf(s[t], s[t + h]);
    __syncthreads();
  }
  top = s[0];
  __syncthreads();  // all have read it
  float sum = 0.0f;
  for (int k = t; k < cols; k += T) {
    if (keep[k]) sum += expf(x[k] - top);
  }
  s[t] = sum;
  __syncthreads();
  for (int g = T / 2; g > 0; g /= 2) {
    if (t < g) s[t] += s[t + g];
    __syncthreads();
  }
  for (int j = t; j < cols; j += T) {
    y[j] = keep[j] ? expf(x[j] - top) / s[0] : 0.0f;
  }
}

extern "C" void launch(const float* x,       // [rows, cols]
                       const uint8_t* keep,  // [rows, cols]
                       float* y,             // [rows, cols]
                       int rows, int cols, cudaStream_t stream = 0) {
  masked<<<rows, T, 0, stream>>>(x, keep, y, cols);
}
"""
)

# Layer norm of bfloat16 with a gain, a warp a row.
NORM = (
    HEADER
    + """\
#define WARPS 4

__device__ float warp_sum(float v)
{
    for (int d = 1; d < 32; d *= 2)
        v += __shfl_xor_sync(~0u, v, d);
    return v;
}

__global__ void norm_rows(const __nv_bfloat16 *in, const __nv_bfloat16 *gain,
                          __nv_bfloat16 *out, float eps, int rows, int cols)
{
    int lane = threadIdx.x;
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows)
        return;
    const __nv_bfloat16 *x = in + (size_t)row * cols;
    __nv_bfloat16 *y = out + (size_t)row * cols;
    float sum = 0.0f;
    for (int c = lane; c < cols; c += 32)
        sum += __bfloat162float(x[c]);
    float mean = warp_sum(sum) / cols;
    float squares = 0.0f;
    for (int c = lane; c < cols; c += 32) {
        float d = __bfloat162float(x[c]) - mean;
        squares += d * d;
    }
    float scale = rsqrtf(warp_sum(squares) / cols + eps);
    for (int c = lane; c < cols; c += 32) {
        float v = (__bfloat162float(x[c]) - mean) * scale;
        y[c] = __float2bfloat16(v * __bfloat162float(gain[c]));
    }
}

extern "C" void launch(const __nv_bfloat16 *in,    // [rows, cols]
                       const __nv_bfloat16 *gain,  // [cols]
                       __nv_bfloat16 *out,         // [rows, cols]
                       float eps, int rows, int cols, cudaStream_t stream = 0)
{
    dim3 block(32, WARPS);
    norm_rows<<<(rows + WARPS - 1) / WARPS, block, 0, stream>>>(in, gain, out, eps, rows, cols);
}
"""
)

# The transpose of a matrix of floats, a thread an element, in a grid of two sides.
FLIP = (
    HEADER
    + """\
const int BX = 32;
const int BY = 8;

__global__ void flip(const float* x, float* y, int rows, int cols) {
  int c = blockIdx.x * BX + threadIdx.x;
  if (c >= cols) return;
  for (int r = blockIdx.y * BY + threadIdx.y; r < rows; r += gridDim.y * BY) {
    y[(size_t)c * rows + r] = x[(size_t)r * cols + c];
  }
}

extern "C" void launch(const float* x,  // [rows, cols]
                       float* y,        // [cols, rows]
                       int rows, int cols, cudaStream_t stream = 0) {
  int across = (cols + BX - 1) / BX;
  int down = (rows + BY - 1) / BY;
  if (down > 65535) down = 65535;
  flip<<<dim3(across, down), dim3(BX, BY), 0, stream>>>(x, y, rows, cols);
}
"""
)

# The product of a matrix that lies transposed and another, in tiles of 16 x 16.
CROSS = (
    HEADER
    + """\
#define TILE 16

// c = a^T b
__global__ void cross_kernel(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ float ta[TILE][TILE];
    __shared__ float tb[TILE][TILE];
    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int i0 = blockIdx.y * TILE;
    int j = blockIdx.x * TILE + tx;
    float sum = 0.0f;
    for (int p = 0; p < k; p += TILE) {
        int l = p + ty;
        ta[ty][tx] = l < k && i0 + tx < m ? a[(size_t)l * m + i0 + tx] : 0.0f;
        tb[ty][tx] = l < k && j < n ? b[(size_t)l * n + j] : 0.0f;
        __syncthreads();
        for (int q = 0; q < TILE; q++)
            sum += ta[q][ty] * tb[q][tx];
        __syncthreads();  // before the tiles are filled again
    }
    if (i0 + ty < m && j < n)
        c[(size_t)(i0 + ty) * n + j] = sum;
}

extern "C" void launch(const float *a,  // [k, m]
                       const float *b,  // [k, n]
                       float *c,        // [m, n]
                       int m, int n, int k, cudaStream_t stream = 0)
{
    dim3 grid((n + TILE - 1) / TILE, (m + TILE - 1) / TILE);
    cross_kernel<<<grid, dim3(TILE, TILE), 0, stream>>>(a, b, c, m, n, k);
}
"""
)

NAN, INF = float("nan"), float("inf")
LENGTHS = (*range(1, 71), 127, 128, 129, 255, 256, 257, 511, 512, 513, 1000, 1023, 1024, 1025)
LENGTHS += (2047, 2048, 2049, 4099, 9001)
SIDES = ((1, 1), (2, 1), (1, 2), (3, 2), (2, 3), (4, 31), (5, 32), (6, 33), (33, 6), (2, 64))
SIDES += ((65, 3), (9, 70), (70, 9), (3, 1000), (1, 4099), (4099, 1), (7, 127), (8, 128))
SIDES += ((3, 129), (5, 257), (40, 50), (32, 32), (65, 65), (257, 4))
PRODUCTS = ((1, 1, 1), (3, 5, 7), (5, 3, 2), (16, 16, 16), (16, 16, 32), (17, 15, 16))
PRODUCTS += ((33, 17, 40), (1, 131, 33), (130, 1, 9), (31, 70, 20), (64, 48, 48), (2, 3, 1030))
PRODUCTS += ((301, 2, 3), (2, 301, 3), (20, 20, 1), (35, 66, 47))  # m, n, k
FLOAT, DOUBLE, BF16 = (torch.float32,), (torch.float64,), (torch.bfloat16,)
SLOPE = float(torch.tensor(0.2))


def leaky(x: torch.Tensor) -> torch.Tensor:
    """Multiply what is below 0."""
    return torch.where(x < 0, SLOPE * x, x)


def softsign(x: torch.Tensor) -> torch.Tensor:
    """Divide by 1 and the magnitude."""
    return x / (1 + x.abs())


def swish(x: torch.Tensor) -> torch.Tensor:
    """Multiply by the sigmoid."""
    return x / (1 + torch.exp(-x))


def products(launcher: Launcher) -> Iterator[Case]:
    """Multiply what an elementwise operator is tried with, large numbers, and slices."""
    make = ElementwiseMaker.of(launcher, REFERENCES["multiply"])
    yield from elementwise_cases(launcher, make)
    for n in LENGTHS:
        a, b = (whole(-(2**15), 2**15, n, 2 * n + k).short() for k in range(2))
        yield make.case(f"n = {n:,}, of 16 bits", (a, b))
        if n < 300:
            for offset in ((4, 8, 1), (4, 4, 2), (2, 4, 4), (8, 1, 4), (3, 3, 3)):
                yield make.shifted(n, n, offset)


def leaks(launcher: Launcher) -> Iterator[Case]:
    """Try what an elementwise operator is tried with, and slices."""
    make = ElementwiseMaker.of(launcher, leaky)
    yield from elementwise_cases(launcher, make)
    for n in LENGTHS[:76]:
        for offset in ((2, 1), (1, 2), (1, 1), (4, 2), (2, 3)):
            yield make.shifted(n, n, offset)


def levels(launcher: Launcher) -> Iterator[Case]:
    """Subtract from whole numbers, so that all is exact: any, fractions, NaN, infinities."""
    for rows, cols in (*SIDES, (100, 1000)):
        n = rows * cols
        x, b = whole(-999, 1000, n, n).reshape(rows, cols).float(), whole(-99, 100, cols, n + 1)
        b, c = b.float(), torch.arange(cols)
        for label, p, q in (
            ("any", x, b),
            ("fractions", x / 64, b / 16),
            ("equal", x * 0 + b, b),
            ("NaN", x, torch.where(c == cols // 2, NAN, b)),
            ("infinities", torch.where(x % 7 == 3, INF, x), b),
        ):
            for block_size in (256, 64, 512):
                scalars = {"block_size": block_size}
                words = f"rows = {rows:,}, cols = {cols:,}, {scalars}, {label}"
                right = (p.double() - q.double(),)
                quick = n > 5000
                yield Case(words, (p, q), right, scalars, dtypes=FLOAT, quick=quick)


def squeezes(launcher: Launcher) -> Iterator[Case]:
    """Round and limit: any, between two, ties, below 0, beyond the limit, special values."""
    special = torch.tensor(
        [0.0, -0.0, INF, -INF, NAN, 65535, 65535.5, 65536, 1e30, -1, 0.5, 1.5]
    )
    for n in (*LENGTHS, 30_001):
        x = whole(0, 65536, n, n).double()
        for label, y in (
            ("any", x),
            ("fractions", x / 64),
            ("ties", x // 2 + 0.5),
            ("below 0", -x),
            ("beyond the limit", x * 8),
            ("near the limit", 65535 + (x % 9 - 4) / 4),
            ("special values", special.double().repeat(n // 12 + 1)[:n]),
        ):
            y = y.float()
            right = y.double().nan_to_num(0.0, 65535.0, 0.0).clamp(0, 65535).round()
            words = f"n = {n:,}, {label}"
            options = {"dtypes": (torch.uint16,), "quick": n > 5000}
            yield Case(words, (y,), (right,), **options)
            if n < 300 and label == "any":
                words = f"n = {n:,}, slices from (4, 4)"
                yield Case(words, (y,), (right,), offset=(4, 4), **options)


def means(launcher: Launcher) -> Iterator[Case]:
    """Take the mean: whole numbers, zeros, below 0, fractions beside large ones, special."""
    for n in (*LENGTHS, 30_001):
        x = whole(-99, 100, n, n).double()
        for label, y in (
            ("any", x),
            ("zeros", x * 0),
            ("below 0", -x.abs() - 1),
            ("about 2^30", x / 1024 + 2.0**30),
            ("large", x * 1e200),
            ("NaN", torch.where(torch.arange(n) == n // 2, NAN, x)),
            ("infinity", torch.where(torch.arange(n) == n - 1, INF, x)),
        ):
            slack = 2.0**-48 * y.abs().mean().reshape(1).nan_to_num(0.0, 0.0)
            options = {"dtypes": DOUBLE, "within": (slack,), "quick": n > 5000}
            yield Case(f"n = {n:,}, {label}", (y,), (y.mean().reshape(1),), **options)


def leasts(launcher: Launcher) -> Iterator[Case]:
    """Find the smallest: any, above 0, below 0, equal, falling, large ones that are near."""
    for rows, cols in (*SIDES, (3, 30_001), (2_001, 7)):
        n = rows * cols
        x, c = whole(-(10**6), 10**6, n, n).reshape(rows, cols), torch.arange(cols)
        for label, y in (
            ("any", x),
            ("above 0", x.abs() + 1),
            ("below 0", -x.abs() - 1),
            ("equal", x * 0 + 7),
            ("falling", x * 0 - c),
            ("the largest int", x * 0 + 2**31 - 1),
            ("large", 2**30 + x % 50 + 1),
            ("the least int", torch.where(c == cols - 1, -(2**31), x)),
        ):
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            options = {"dtypes": (torch.int32,), "quick": n > 5000}
            yield Case(words, (y.int(),), (y.amin(1),), **options)


def spreads(launcher: Launcher) -> Iterator[Case]:
    """Take the variance: any, small, about a large mean, equal, zeros, below 0, a NaN."""
    for rows, cols in (*SIDES, (3, 5_001)):
        n = rows * cols
        x, c = whole(-99, 100, n, n).reshape(rows, cols).double(), torch.arange(cols)
        for label, y in (
            ("any", x),
            ("small", x / 4096),
            ("about 8,192", x / 16 + 8192),
            ("equal", x * 0 + 5),
            ("zeros", x * 0),
            ("below 0", -x.abs() - 1),
            ("NaN", torch.where((c == cols // 2) & (x % 2 == 1), NAN, x)),
        ):
            y = y.float()
            v = y.double()
            right = v.var(1, unbiased=False)
            far = 2.0**-19 * v.mean(1).abs()
            slack = (2.0**-18 * right + far * far + far * right.sqrt() * 2.0**-2).nan_to_num(
                0.0
            )
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            options = {"dtypes": FLOAT, "within": (slack,), "quick": n > 5000}
            yield Case(words, (y,), (right,), **options)


def masks(launcher: Launcher) -> Iterator[Case]:
    """Keep some, all, one, none of a row; far above and below 0, a NaN."""
    for rows, cols in (*SIDES, (2, 3_001)):
        n = rows * cols
        x = whole(-40, 41, n, n).reshape(rows, cols) / 8.0
        some = whole(0, 3, n, n + 1).reshape(rows, cols) > 0
        r, c = torch.arange(rows)[:, None], torch.arange(cols)
        for label, y, keep in (
            ("some", x, some),
            ("all", x, some | True),
            ("one", x, (c == (r + cols // 2) % cols)),
            ("none in some rows", x, some & (r % 2 == 1)),
            ("the larger are not kept", torch.where(some, x, x + 60), some),
            ("far above 0", x + 1000, some),
            ("far below 0", x - 1000, some),
            ("NaN", torch.where((c == cols // 2) & (r % 2 == 0), NAN, x), some),
        ):
            y = y.float()
            left = torch.where(keep, y.double(), -INF)
            top = left.amax(1, True)
            e = torch.exp(left - torch.where(top == -INF, 0.0, top))
            p = torch.where(keep, e / e.sum(1, keepdim=True), 0.0)
            slack = ((2.0**-17 * p + 2.0**-126).nan_to_num(0.0),)
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            options = {"dtypes": FLOAT, "within": slack, "quick": n > 5000}
            yield Case(words, (y, keep.to(torch.uint8)), (p,), **options)


def norms(launcher: Launcher) -> Iterator[Case]:
    """Norm bfloat16: any, small, about a mean, equal, zeros, a NaN; with gains."""
    for rows, cols in (*SIDES, (3, 2_001)):
        n = rows * cols
        x, c = whole(-99, 100, n, n).reshape(rows, cols).double(), torch.arange(cols)
        gain = whole(-9, 10, cols, cols).double() / 4
        for label, y, g, eps in (
            ("any", x, gain, 1.0),
            ("plain", x, gain * 0 + 1, 0.001),
            ("small", x / 1024, gain, 0.25),
            ("about 128", 128 + x // 10, gain, 0.5),
            ("equal", x * 0 + 3, gain, 0.5),
            ("zeros", x * 0, gain, 0.01),
            ("NaN", torch.where((x % 9 == 4) & (c == cols // 2), NAN, x), gain, 1.0),
        ):
            y, g = y.bfloat16(), g.bfloat16()
            v = y.double()
            d = v - v.mean(1, keepdim=True)
            f = 1 / ((d * d).mean(1, keepdim=True) + eps).sqrt()
            right = d * f * g.double()
            fine = 2.0**-20 * f * v.abs().amax(1, True) * g.double().abs()
            slack = ((2.0**-7 * right.abs() + fine).nan_to_num(0.0),)
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            options = {"dtypes": BF16, "within": slack, "quick": n > 5000}
            yield Case(words, (y, g), (right,), {"eps": eps}, **options)


def crosses(launcher: Launcher) -> Iterator[Case]:
    """Multiply small whole numbers, so that all is exact; a NaN, an infinity, ones, zeros."""
    for m, n, k in PRODUCTS:
        a = whole(-50, 51, k * m, m + k).reshape(k, m).float()
        b = whole(-50, 51, k * n, n + k + 1).reshape(k, n).float()
        far = b.clone()
        far[k - 1, n - 1] = NAN
        last = a.clone()
        last[k - 1, m // 2] = INF
        for label, p, q in (
            ("any", a, b),
            ("ones", a * 0 + 1, b * 0 + 1),
            ("zeros", a * 0, b),
            ("a NaN in b", a, far),
            ("an infinity in a", last, b),
        ):
            right = (p.double().T @ q.double() + 0.0,)  # no -0.0
            words = f"m = {m:,}, n = {n:,}, k = {k:,}, {label}"
            yield Case(words, (p, q), right, dtypes=FLOAT)


BASES = {
    "hundrednine_level": Base(LEVEL, {"cases": levels}),
    "hundrednine_shorts": Base(SHORTS, {"cases": products}),
    "hundrednine_widen": Base(WIDEN, {"reference": "cast"}),
    "hundrednine_squeeze": Base(SQUEEZE, {"cases": squeezes}),
    "hundrednine_softsign": Base(SOFTSIGN, {"reference": softsign, "ulp": 2}),
    "hundrednine_leak": Base(LEAK, {"cases": leaks}),
    "hundrednine_swish": Base(SWISH, {"reference": swish, "ulp": 1}),
    "hundrednine_mean": Base(MEAN, {"cases": means}),
    "hundrednine_least": Base(LEAST, {"cases": leasts}),
    "hundrednine_spread": Base(SPREAD, {"cases": spreads}),
    "hundrednine_masked": Base(MASKED, {"cases": masks}),
    "hundrednine_norm": Base(NORM, {"cases": norms}),
    "hundrednine_flip": Base(FLIP, cases="transpose"),
    "hundrednine_cross": Base(CROSS, {"cases": crosses}),
}

WRONG = (
    # ---- level
    # The number is that of the row.
    Wrong(
        "hundrednine_level_number_of_row",
        "hundrednine_level",
        "sides / other element / bounds | numbers / nan / swapped",
        ("b[i % cols]", "b[i / cols]"),
    ),
    # The element is subtracted from the number.
    Wrong(
        "hundrednine_level_other_way_round",
        "hundrednine_level",
        "swapped | numbers / sign of zero / infinity / function",
        ("x[i] - b[i % cols]", "b[i % cols] - x[i]"),
    ),
    # The block size is a number.
    Wrong(
        "hundrednine_level_always_256",
        "hundrednine_level",
        "block size | unwritten / left out / bounds / nan / tail / other element / twice",
        ("blockIdx.x * blockDim.x + threadIdx.x", "blockIdx.x * 256 + threadIdx.x"),
    ),
    # The number of blocks is rounded down.
    Wrong(
        "hundrednine_level_blocks_rounded_down",
        "hundrednine_level",
        "grid / unwritten / tail / left out | refused / nan",
        ("(n + block_size - 1) / block_size", "n / block_size"),
    ),
    # One too many is allowed.
    Wrong(
        "hundrednine_level_one_too_many",
        "hundrednine_level",
        "bounds / tail",
        ("if (i < n)", "if (i <= n)"),
    ),
    # ---- shorts
    # The address of the result is not asked.
    Wrong(
        "hundrednine_shorts_third_not_asked",
        "hundrednine_shorts",
        "alignment",
        ("on8(a) && on8(b) && on8(c)", "on8(a) && on8(b)"),
    ),
    # Products are held within the limits.
    Wrong(
        "hundrednine_shorts_limited",
        "hundrednine_shorts",
        "whole range / infinity | numbers",
        ("return (int16_t)(p * q);", "return (int16_t)max(-32768, min(p * q, 32767));"),
    ),
    # The product is one of floats.
    Wrong(
        "hundrednine_shorts_through_float",
        "hundrednine_shorts",
        "precision / rounding | whole range / numbers",
        (
            "return (int16_t)(p * q);",
            "float f = (float)p * (float)q;\n    return (int16_t)(int)f;",
        ),
    ),
    # A pack is taken where three numbers are left.
    Wrong(
        "hundrednine_shorts_three_are_a_pack",
        "hundrednine_shorts",
        "bounds / tail",
        ("i + 4 <= n)", "i + 3 <= n)"),
    ),
    # The fourth is multiplied by the third of b.
    Wrong(
        "hundrednine_shorts_third_for_fourth",
        "hundrednine_shorts",
        "neighbour / other element | numbers",
        ("times(u.w, v.w)", "times(u.w, v.z)"),
    ),
    # ---- widen
    # A thread takes one number only.
    Wrong(
        "hundrednine_widen_no_loop",
        "hundrednine_widen",
        "grid / unwritten / left out | tail / nan",
        (
            "for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {",
            "int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n && step > 0) {",
        ),
    ),
    # NaN becomes 0.
    Wrong(
        "hundrednine_widen_nan_is_zero",
        "hundrednine_widen",
        "nan",
        ("    out[i] = v;", "    out[i] = v == v ? v : 0.0f;"),
    ),
    # Zero has no sign.
    Wrong(
        "hundrednine_widen_zero_without_sign",
        "hundrednine_widen",
        "sign of zero",
        ("    out[i] = v;", "    out[i] = v == 0.0f ? 0.0f : v;"),
    ),
    # The step counts blocks of 128 threads.
    Wrong(
        "hundrednine_widen_step_of_128",
        "hundrednine_widen",
        "block size / unwritten / left out | grid / tail / nan / other element",
        ("gridDim.x * blockDim.x;", "gridDim.x * 128;"),
    ),
    # The launch forgets the stream.
    Wrong(
        "hundrednine_widen_no_stream",
        "hundrednine_widen",
        "stream",
        ("widen<<<blocks, block_size, 0, stream>>>", "widen<<<blocks, block_size>>>"),
    ),
    # ---- squeeze
    # What follows the point is cut off.
    Wrong(
        "hundrednine_squeeze_cut_off",
        "hundrednine_squeeze",
        "rounding | numbers",
        ("__float2uint_rn(w)", "__float2uint_rz(w)"),
    ),
    # The limits are taken in the other order, so that NaN is the upper one.
    Wrong(
        "hundrednine_squeeze_nan_at_the_top",
        "hundrednine_squeeze",
        "nan",
        ("fminf(fmaxf(v, 0.0f), TOP)", "fmaxf(fminf(v, TOP), 0.0f)"),
    ),
    # The limit is one too large.
    Wrong(
        "hundrednine_squeeze_limit_is_65536",
        "hundrednine_squeeze",
        "whole range / infinity | numbers / function",
        ("#define TOP 65535.0f", "#define TOP 65536.0f"),
    ),
    # No thread is counted for the rest.
    Wrong(
        "hundrednine_squeeze_threads_rounded_down",
        "hundrednine_squeeze",
        "tail / unwritten / grid / left out | refused / nan",
        ("const int threads = (n + 3) / 4;", "const int threads = n / 4;"),
    ),
    # The result may lie anywhere.
    Wrong(
        "hundrednine_squeeze_dst_anywhere",
        "hundrednine_squeeze",
        "alignment",
        ("uint16_t *dst,     // [n] 8-byte aligned", "uint16_t *dst,     // [n]"),
    ),
    # ---- softsign
    # The magnitude is left out.
    Wrong(
        "hundrednine_softsign_no_magnitude",
        "hundrednine_softsign",
        "function | numbers / infinity / nan / sign of zero",
        ("1.0f + fabsf(v)", "1.0f + v"),
    ),
    # The small ones are a difference of two that are near 1.
    Wrong(
        "hundrednine_softsign_by_difference",
        "hundrednine_softsign",
        "precision | numbers / nan / infinity / subnormal / sign of zero",
        (
            "return v / (1.0f + fabsf(v));",
            "float rest = 1.0f / (1.0f + fabsf(v));\n  return copysignf(1.0f - rest, v);",
        ),
    ),
    # The second number is taken with the first.
    Wrong(
        "hundrednine_softsign_second_not_tested",
        "hundrednine_softsign",
        "bounds / tail",
        ("if (second < n)", "if (first < n)"),
    ),
    # The number of blocks is rounded up by one number, not by two.
    Wrong(
        "hundrednine_softsign_blocks_rounded_down",
        "hundrednine_softsign",
        "grid / unwritten / tail / left out | refused / nan",
        ("(n + each - 1) / each", "(n + block_size - 1) / each"),
    ),
    # To be sure, the result is held within 1.
    Wrong(
        "hundrednine_softsign_held_within_1",
        "hundrednine_softsign",
        "nan | infinity / numbers",
        (
            "return v / (1.0f + fabsf(v));",
            "return fminf(1.0f, fmaxf(-1.0f, v / (1.0f + fabsf(v))));",
        ),
    ),
    # ---- leak
    # The last number is cut off, not rounded.
    Wrong(
        "hundrednine_leak_cut_off",
        "hundrednine_leak",
        "rounding | numbers / precision / tail",
        ("y[i] = __float2bfloat16(leak", "y[i] = __float2bfloat16_rz(leak"),
    ),
    # The slope is a bfloat16.
    Wrong(
        "hundrednine_leak_slope_of_bfloat16",
        "hundrednine_leak",
        "precision / rounding / function | numbers",
        (
            "return v < 0.0f ? SLOPE * v : v;",
            "const float slope = __bfloat162float(__float2bfloat16(SLOPE));\n"
            "    return v < 0.0f ? slope * v : v;",
        ),
    ),
    # A maximum and a minimum are added.
    Wrong(
        "hundrednine_leak_two_limits",
        "hundrednine_leak",
        "nan / sign of zero | numbers",
        ("return v < 0.0f ? SLOPE * v : v;", "return fmaxf(v, 0.0f) + SLOPE * fminf(v, 0.0f);"),
    ),
    # The address of y is not asked.
    Wrong(
        "hundrednine_leak_y_not_asked",
        "hundrednine_leak",
        "alignment",
        (
            "bool even = (uintptr_t)x % 4 == 0 && (uintptr_t)y % 4 == 0;",
            "bool even = (uintptr_t)x % 4 == 0;",
        ),
    ),
    # The last number of an odd count is left.
    Wrong(
        "hundrednine_leak_odd_forgotten",
        "hundrednine_leak",
        "tail / unwritten / left out | nan / numbers",
        ("int i = 2 * pairs + t; i < n;", "int i = t; pairs == 0 && i < n;"),
    ),
    # ---- swish
    # The exponential grows with the number.
    Wrong(
        "hundrednine_swish_grows",
        "hundrednine_swish",
        "infinity / nan | numbers",
        (
            "float e = expf(-v);\n  return v / (1.0f + e);",
            "float e = expf(v);\n  return v * e / (1.0f + e);",
        ),
    ),
    # The exponential is a half.
    Wrong(
        "hundrednine_swish_exponential_of_half",
        "hundrednine_swish",
        "precision / rounding / infinity | numbers / subnormal / sign of zero",
        ("float e = expf(-v);", "float e = __half2float(__float2half(expf(-v)));"),
    ),
    # The factor is left out.
    Wrong(
        "hundrednine_swish_sigmoid_alone",
        "hundrednine_swish",
        "function | numbers / sign of zero / infinity / nan",
        ("return v / (1.0f + e);", "return 1.0f / (1.0f + e);"),
    ),
    # The first of a pair comes out twice.
    Wrong(
        "hundrednine_swish_first_of_pair_again",
        "hundrednine_swish",
        "neighbour / other element / twice | numbers / nan",
        ("swish(f.x), swish(f.y)", "swish(f.x), swish(f.x)"),
    ),
    # The last number is taken for a pair.
    Wrong(
        "hundrednine_swish_last_is_a_pair",
        "hundrednine_swish",
        "bounds / tail",
        ("if (i + 1 < n)", "if (i + 1 <= n)"),
    ),
    # ---- mean
    # A thread adds floats.
    Wrong(
        "hundrednine_mean_sum_of_float",
        "hundrednine_mean",
        "precision / infinity | numbers / rounding / nan",
        ("double sum = 0.0;", "float sum = 0.0f;"),
    ),
    # The tree begins a step too late.
    Wrong(
        "hundrednine_mean_half_a_tree",
        "hundrednine_mean",
        "left out | numbers / nan / infinity",
        ("half_of = THREADS / 2;", "half_of = THREADS / 4;"),
    ),
    # The tree begins before all have stored.
    Wrong(
        "hundrednine_mean_no_barrier",
        "hundrednine_mean",
        "race | numbers / left out / unwritten / state",
        ("    part[t] = sum;\n    __syncthreads();\n", "    part[t] = sum;\n"),
    ),
    # One less is divided by.
    Wrong(
        "hundrednine_mean_one_less",
        "hundrednine_mean",
        "function | numbers / nan / infinity",
        ("part[0] / n;", "part[0] / (n - 1);"),
    ),
    # The mean is added to what is there.
    Wrong(
        "hundrednine_mean_added_to_out",
        "hundrednine_mean",
        "zero before / state / unwritten | numbers / nan / start",
        ("out[0] = part", "out[0] += part"),
    ),
    # ---- least
    # The smallest begins with 0.
    Wrong(
        "hundrednine_least_starts_at_0",
        "hundrednine_least",
        "start | numbers",
        ("int least = INT_MAX;", "int least = 0;"),
    ),
    # A lane takes one number.
    Wrong(
        "hundrednine_least_one_column_a_lane",
        "hundrednine_least",
        "left out | numbers / other element",
        ("for (int c = lane; c < cols; c += 32) least", "int c = lane;\n  if (c < cols) least"),
    ),
    # Numbers are compared as floats.
    Wrong(
        "hundrednine_least_through_float",
        "hundrednine_least",
        "precision | numbers / whole range",
        ("least = min(least, other);", "least = (int)fminf(least, other);"),
    ),
    # The row is not tested.
    Wrong(
        "hundrednine_least_rows_not_tested",
        "hundrednine_least",
        "bounds",
        ("  if (row >= rows) return;\n", ""),
    ),
    # Rows are as long as columns.
    Wrong(
        "hundrednine_least_pitch_of_rows",
        "hundrednine_least",
        "sides / other element / bounds | numbers / left out",
        ("(long long)row * cols", "(long long)row * rows"),
    ),
    # ---- spread
    # The last warp is left out.
    Wrong(
        "hundrednine_spread_last_warp",
        "hundrednine_spread",
        "left out | numbers / nan / function",
        ("w < T / 32; w++", "w < T / 32 - 1; w++"),
    ),
    # The sums of the mean may be overwritten before all have read them.
    Wrong(
        "hundrednine_spread_no_second_barrier",
        "hundrednine_spread",
        "race | numbers / state / left out / other element / twice",
        ("        all += of_warp[w];\n    __syncthreads();\n", "        all += of_warp[w];\n"),
    ),
    # The square of the mean is subtracted from the mean of squares.
    Wrong(
        "hundrednine_spread_squares_less_square",
        "hundrednine_spread",
        "precision | numbers / function / sign of zero",
        ("acc += (row[k] - mean) * (row[k] - mean);", "acc += row[k] * row[k];"),
        ("var[blockIdx.x] = total / cols;", "var[blockIdx.x] = total / cols - mean * mean;"),
    ),
    # The second sum goes on from the first.
    Wrong(
        "hundrednine_spread_sum_goes_on",
        "hundrednine_spread",
        "start | numbers / function / twice / nan / state",
        ("    acc = 0.0f;\n", ""),
    ),
    # Steps of the mean are those of a warp.
    Wrong(
        "hundrednine_spread_steps_of_a_warp",
        "hundrednine_spread",
        "twice / block size | numbers / function / other element / race",
        ("c < cols; c += T)", "c < cols; c += 32)"),
    ),
    # ---- masked
    # Each row has the mask of the first.
    Wrong(
        "hundrednine_masked_first_mask",
        "hundrednine_masked",
        "other element / left out | numbers / nan",
        ("  keep += start;\n", ""),
    ),
    # The sum has what the mask does not keep.
    Wrong(
        "hundrednine_masked_all_in_sum",
        "hundrednine_masked",
        "function / left out | numbers / infinity / nan / other element",
        ("if (keep[k]) sum +=", "sum +="),
    ),
    # The exponential is of the number itself.
    Wrong(
        "hundrednine_masked_not_shifted",
        "hundrednine_masked",
        "infinity / nan | numbers / start / function",
        ("sum += expf(x[k] - top);", "sum += expf(x[k]);"),
        ("expf(x[j] - top) / s[0]", "expf(x[j]) / s[0]"),
    ),
    # What is not kept is not written.
    Wrong(
        "hundrednine_masked_rest_not_written",
        "hundrednine_masked",
        "unwritten / left out | nan / numbers",
        (
            "    y[j] = keep[j] ? expf(x[j] - top) / s[0] : 0.0f;",
            "    if (keep[j]) y[j] = expf(x[j] - top) / s[0];",
        ),
    ),
    # The maximum begins with 0.
    Wrong(
        "hundrednine_masked_starts_at_0",
        "hundrednine_masked",
        "start | numbers / nan / infinity / function",
        ("float top = -FLT_MAX;", "float top = 0.0f;"),
    ),
    # ---- norm
    # The gain is that of the lane.
    Wrong(
        "hundrednine_norm_gain_of_lane",
        "hundrednine_norm",
        "other element | numbers / left out",
        ("gain[c]", "gain[lane]"),
    ),
    # The sum is rounded to bfloat16 at each step.
    Wrong(
        "hundrednine_norm_sum_of_bfloat16",
        "hundrednine_norm",
        "precision / rounding | numbers",
        (
            "        sum += __bfloat162float(x[c]);",
            "        sum = __bfloat162float(__float2bfloat16(sum + __bfloat162float(x[c])));",
        ),
    ),
    # Shuffles go down, so that only lane 0 has the sum.
    Wrong(
        "hundrednine_norm_shuffles_down",
        "hundrednine_norm",
        "other element / left out | numbers / nan / infinity / twice",
        ("__shfl_xor_sync(~0u, v, d)", "__shfl_down_sync(~0u, v, d)"),
    ),
    # The root multiplies.
    Wrong(
        "hundrednine_norm_root",
        "hundrednine_norm",
        "function | numbers / infinity",
        ("rsqrtf(", "sqrtf("),
    ),
    # Differences are stored where the numbers were.
    Wrong(
        "hundrednine_norm_in_place",
        "hundrednine_norm",
        "input | state / rounding / precision / numbers",
        (
            "        float d = __bfloat162float(x[c]) - mean;",
            "        float d = __bfloat162float(x[c]) - mean;\n"
            "        ((__nv_bfloat16 *)x)[c] = __float2bfloat16(d);",
        ),
        (
            "float v = (__bfloat162float(x[c]) - mean) * scale;",
            "float v = __bfloat162float(x[c]) * scale;",
        ),
    ),
    # ---- flip
    # Rows of the result are as long as those of x.
    Wrong(
        "hundrednine_flip_pitch_of_x",
        "hundrednine_flip",
        "sides / bounds / other element / unwritten | numbers / nan / left out / twice",
        ("y[(size_t)c * rows + r]", "y[(size_t)c * cols + r]"),
    ),
    # The result is stored where it was read.
    Wrong(
        "hundrednine_flip_copied",
        "hundrednine_flip",
        "swapped / sides / copy / other element | numbers",
        ("y[(size_t)c * rows + r]", "y[(size_t)r * cols + c]"),
    ),
    # Blocks down and across are in the other order.
    Wrong(
        "hundrednine_flip_grid_swapped",
        "hundrednine_flip",
        "grid / sides / swapped / unwritten / left out | tail / nan / refused",
        ("dim3(across, down)", "dim3(down, across)"),
    ),
    # The grid has no limit down.
    Wrong(
        "hundrednine_flip_too_tall",
        "hundrednine_flip",
        "grid / refused | unwritten",
        ("  if (down > 65535) down = 65535;\n", ""),
    ),
    # One column too many is allowed.
    Wrong(
        "hundrednine_flip_one_column_more",
        "hundrednine_flip",
        "bounds / tail | other element / nan",
        ("if (c >= cols)", "if (c > cols)"),
    ),
    # ---- cross
    # Rows of a are as long as columns.
    Wrong(
        "hundrednine_cross_pitch_of_product",
        "hundrednine_cross",
        "sides / bounds / other element | numbers / nan / infinity",
        ("a[(size_t)l * m + i0 + tx]", "a[(size_t)l * k + i0 + tx]"),
    ),
    # The tile of a is read along its rows.
    Wrong(
        "hundrednine_cross_tile_not_turned",
        "hundrednine_cross",
        "swapped / other element / function | numbers / sides / nan / infinity",
        ("ta[q][ty]", "ta[ty][q]"),
    ),
    # Only whole tiles of k are taken.
    Wrong(
        "hundrednine_cross_whole_tiles",
        "hundrednine_cross",
        "left out / tail | numbers / nan / infinity",
        ("p < k; p += TILE", "p + TILE <= k; p += TILE"),
    ),
    # Tiles may be filled while they are read.
    Wrong(
        "hundrednine_cross_no_last_barrier",
        "hundrednine_cross",
        "race | numbers / other element / twice / nan / infinity",
        ("        __syncthreads();  // before the tiles are filled again\n", ""),
    ),
    # What lies beyond k is left in the tiles as it was.
    Wrong(
        "hundrednine_cross_rest_not_set",
        "hundrednine_cross",
        "unwritten / tail | numbers / nan / other element / state / twice / infinity / bounds",
        (
            "        ta[ty][tx] = l < k && i0 + tx < m ? a[(size_t)l * m + i0 + "
            "tx] : 0.0f;\n"
            "        tb[ty][tx] = l < k && j < n ? b[(size_t)l * n + j] : 0.0f;",
            "        if (l < k && i0 + tx < m)\n"
            "            ta[ty][tx] = a[(size_t)l * m + i0 + tx];\n"
            "        if (l < k && j < n)\n"
            "            tb[ty][tx] = b[(size_t)l * n + j];",
        ),
    ),
)

RIGHT = (
    # All counts have 64 bits.
    Right(
        "hundrednine_level_int64",
        "hundrednine_level",
        ("int n, int cols) {", "int64_t n, int64_t cols) {"),
        (
            "  int i = blockIdx.x * blockDim.x + threadIdx.x;",
            "  int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;",
        ),
        ("int rows, int cols, int block_size", "int64_t rows, int64_t cols, int block_size"),
        ("  int n = rows * cols;", "  int64_t n = rows * cols;"),
        ("int blocks = (n", "int64_t blocks = (n"),
    ),
    # Blocks are rounded down, and one more is launched.
    Right(
        "hundrednine_shorts_a_block_more",
        "hundrednine_shorts",
        ("(n + 4 * block_size - 1) / (4 * block_size)", "n / (4 * block_size) + 1"),
    ),
    # Indices are unsigned.
    Right(
        "hundrednine_widen_unsigned",
        "hundrednine_widen",
        ("double* out, int n) {", "double* out, uint32_t n) {"),
        ("int step = grid", "uint32_t step = grid"),
        ("for (int i =", "for (uint32_t i ="),
    ),
    # Blocks have 96 threads.
    Right(
        "hundrednine_squeeze_blocks_of_96",
        "hundrednine_squeeze",
        ("per_block = 128", "per_block = 96"),
    ),
    # As many blocks as if a thread took one number.
    Right(
        "hundrednine_softsign_idle_blocks",
        "hundrednine_softsign",
        ("int each = 2 * block_size;", "int each = block_size;"),
    ),
    # The larger of the number and its part is taken.
    Right(
        "hundrednine_leak_larger_of_two",
        "hundrednine_leak",
        ("return v < 0.0f ? SLOPE * v : v;", "return v != v ? v : fmaxf(v, SLOPE * v);"),
    ),
    # The result is set to 0 before.
    Right(
        "hundrednine_swish_set_before",
        "hundrednine_swish",
        (
            "  int threads = (n + 1) / 2;",
            "  cudaMemsetAsync(y, 0, n * sizeof(half), stream);\n  int threads = (n + 1) / 2;",
        ),
    ),
    # The block has 512 threads.
    Right(
        "hundrednine_mean_of_512",
        "hundrednine_mean",
        ("#define THREADS 256", "#define THREADS 512"),
    ),
    # The result is the first argument, and columns stand before rows.
    Right(
        "hundrednine_least_out_first",
        "hundrednine_least",
        (
            "launch(const int* m,  // [rows, cols]\n"
            "                       int* out,      // [rows]\n"
            "                       int rows, int cols,",
            "launch(int* out,      // [rows]\n"
            "                       const int* m,  // [rows, cols]\n"
            "                       int cols, int rows,",
        ),
    ),
    # Two blocks more than rows are launched.
    Right(
        "hundrednine_spread_idle_blocks",
        "hundrednine_spread",
        (
            "float *var, int cols)\n{",
            "float *var, int rows, int cols)\n{\n    if (blockIdx.x >= rows)\n        return;",
        ),
        (
            "spread<<<rows, T, 0, stream>>>(x, var, cols);",
            "spread<<<rows + 2, T, 0, stream>>>(x, var, rows, cols);",
        ),
    ),
    # The block has 128 threads.
    Right(
        "hundrednine_masked_of_128",
        "hundrednine_masked",
        ("#define T 64", "#define T 128"),
    ),
    # A block has two warps.
    Right(
        "hundrednine_norm_two_warps",
        "hundrednine_norm",
        ("#define WARPS 4", "#define WARPS 2"),
    ),
    # Blocks are 16 x 16.
    Right(
        "hundrednine_flip_square_blocks",
        "hundrednine_flip",
        ("const int BX = 32;", "const int BX = 16;"),
        ("const int BY = 8;", "const int BY = 16;"),
    ),
    # The result is set to 0 first, and added to.
    Right(
        "hundrednine_cross_added_to_zeros",
        "hundrednine_cross",
        ("* n + j] = sum;", "* n + j] += sum;"),
        (
            "    dim3 grid(",
            "    cudaMemsetAsync(c, 0, sizeof(float) * m * n, stream);\n    dim3 grid(",
        ),
    ),
)
