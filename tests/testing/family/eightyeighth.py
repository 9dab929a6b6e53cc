"""Hold an eighty-eighth family: the plain operators of a course in a first half year.

Its bases are the sum of two arrays of halves with a loop over the grid, scale and shift in
float4, floats to bfloat16, floats to the nearest int, softplus, mish, the sum of an array in
two kernels, the largest of an array with atomics, the sum of each row by a thread, layer norm
with gain and bias by a block a row, a transpose of doubles by a tile and one of halves in half2
tiles, a product of matrices of halves whose sums are floats, and softmax of halves by a warp a
row. The mistakes are spread over alignment, sizes, block sizes, grids, values, rounding, NaN,
infinity, writes, sums, starts, matrices, order, streams, operands and what is left of an
earlier call. The causes were written before a member was judged. There are 70 wrong members and
14 right ones. On the emulator each was compared as a case does, called twice on the same
tensors, with NaN and with 1e3 in floating outputs (-1 and 77 in others), with tensors at either
end of their pages, the bytes behind them and their inputs looked at afterwards, on a stream
that is not the default one, with threads in order, from the last to the first and in a random
order, and in the slices that the cases name. Bases and right ones ran all cases; wrong ones
until they were wrong often enough. Of those that lack a barrier or an atomic not each is wrong
in every order of threads, and the one without an atomic, whose blocks the emulator ran one
after another, was wrong in none that was tried. nvcc 13.0 compiles bases and right ones for
8.0. None was run on a GPU. Bases and right ones are right, and all others wrong or refused by a
fault:

    eightyeight_halves_step_of_256               with fewer threads, from a second step on
    eightyeight_halves_one_too_many              of all sizes: memory beyond the end
    eightyeight_halves_no_infinity               of sums beyond 65,504, and of NaN
    eightyeight_halves_added_in_place            unless y is 0: x is overwritten
    eightyeight_halves_no_stream                 on another stream than the default one
    eightyeight_line_x_alone_tested              from 4 numbers on, by the address of y alone
    eightyeight_line_rest_rounded_away           unless 4 divides n, where fours are taken
    eightyeight_line_scalars_swapped             unless both scalars are alike
    eightyeight_line_third_again                 from 4 numbers on, where fours are taken
    eightyeight_line_first_scale                 if an earlier call had another scale
    eightyeight_brain_cut_off                    of numbers that lie nearer to the next one
    eightyeight_brain_through_half               of what a half does not hold
    eightyeight_brain_second_untested            unless two blocks divide n
    eightyeight_brain_blocks_rounded_to_nearest  if the last block is half full at most
    eightyeight_brain_next_for_second            from a block and 2 numbers on
    eightyeight_nearest_truncated                of nearly all fractions
    eightyeight_nearest_ties_away                of every other tie
    eightyeight_nearest_sixteen_bits             beyond 16 bits
    eightyeight_nearest_nan_is_least             of NaN
    eightyeight_nearest_blocks_rounded_down      unless the block size divides n
    eightyeight_soft_log_of_one_and              of numbers below about -1
    eightyeight_soft_overflows                   far below 0
    eightyeight_soft_nan_is_zero                 of NaN
    eightyeight_soft_taken_away                  of nearly all
    eightyeight_soft_untested                    unless the block size divides n
    eightyeight_mish_no_limit                    from about 44 on
    eightyeight_mish_other_constant              of nearly all
    eightyeight_mish_whole_fours                 unless 4 divides n
    eightyeight_mish_blocks_of_64                with 32 threads, from 129 numbers on
    eightyeight_mish_first_of_four               from 2 numbers on
    eightyeight_total_starts_at_a_quarter        from 65 numbers on
    eightyeight_total_first_32_parts             from 33 blocks on
    eightyeight_total_no_barrier                 where threads do not wait for another
    eightyeight_total_parts_no_stream            on another stream than the default one
    eightyeight_total_step_of_a_block            with several blocks, from 257 numbers on
    eightyeight_peak_not_set                     if the output holds what is larger
    eightyeight_peak_starts_at_0                 if all are below 0
    eightyeight_peak_last_warp                   if the largest is of the last warp of a block
    eightyeight_peak_no_atomic                   with several blocks, by their order
    eightyeight_peak_unsigned                    unless all are below 0
    eightyeight_rows_pitch_of_rows               unless the matrix is square or of one row
    eightyeight_rows_whole_sums                  of fractions and NaN
    eightyeight_rows_one_row_too_many            unless the block size divides the rows
    eightyeight_rows_odd_column                  of an odd number of columns
    eightyeight_rows_added_to_output             unless the output holds 0
    eightyeight_norm_one_less                    of nearly all
    eightyeight_norm_gain_of_row                 from 2 columns on
    eightyeight_norm_no_first_barrier            where threads do not wait for another
    eightyeight_norm_two_warps                   from 65 columns on
    eightyeight_norm_gain_and_bias_swapped       unless gain and bias are alike
    eightyeight_flip_pitch_of_input              unless the matrix is square
    eightyeight_flip_no_barrier                  where threads do not wait for another
    eightyeight_flip_tile_not_turned             of nearly all
    eightyeight_flip_tests_of_way_out            unless the matrix is square
    eightyeight_flip_tile_of_floats              of what a float does not hold
    eightyeight_pairs_odd_rows_in_pairs          of an odd number of columns
    eightyeight_pairs_y_not_tested               of an even number of rows, by the address of y
    eightyeight_pairs_first_rows                 from 9 rows on
    eightyeight_pairs_next_row_too               of an odd number of rows
    eightyeight_pairs_pair_swapped               of an even number of rows
    eightyeight_product_sums_of_halves           of sums beyond 2,048, on the way
    eightyeight_product_whole_tiles              unless 16 divides k
    eightyeight_product_tile_of_b_sideways       of nearly all
    eightyeight_product_grid_swapped             unless the tiles are as many each way
    eightyeight_product_pitch_of_b               unless n and k are alike
    eightyeight_shares_starts_at_0               of rows that are far below 0
    eightyeight_shares_sum_of_lane_0             from 2 columns on
    eightyeight_shares_four_warps                with other block sizes, by the row
    eightyeight_shares_divided_as_halves         of many shares
    eightyeight_shares_exponentials_in_x         of nearly all: x is overwritten
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import whole

# The sum of two arrays of halves, with a loop over the grid.
HALVES = (
    HEADER
    + """\
__global__ void add_halves(const half* x, const half* y, half* z, int n) {
  int step = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
    z[i] = __hadd(x[i], y[i]);
}

extern "C" void launch(const half* x,  // [n]
                       const half* y,  // [n]
                       half* z,        // [n]
                       int n, int block_size = 256, cudaStream_t stream = 0) {
  if (n == 0) return;
  int blocks = (n + block_size - 1) / block_size;
  if (blocks > 64) blocks = 64;
  add_halves<<<blocks, block_size, 0, stream>>>(x, y, z, n);
}
"""
)

# Scale and shift, in float4 where both addresses allow it.
LINE = (
    HEADER
    + """\
__global__ void line(const float *x, float *y, float a, float b, bool fours, int n)
{
    int me = blockIdx.x * blockDim.x + threadIdx.x;
    int all = gridDim.x * blockDim.x;
    int done = 0;
    if (fours) {
        const float4 *x4 = (const float4 *)x;
        float4 *y4 = (float4 *)y;
        for (int p = me; p < n / 4; p += all) {
            float4 v = x4[p], w;
            w.x = a * v.x + b;
            w.y = a * v.y + b;
            w.z = a * v.z + b;
            w.w = a * v.w + b;
            y4[p] = w;
        }
        done = n / 4 * 4;
    }
    for (int i = done + me; i < n; i += all)
        y[i] = a * x[i] + b;
}

extern "C" void launch(const float *x,  // [n]
                       float *y,        // [n]
                       float a, float b, int n, int block_size = 128,
                       cudaStream_t stream = 0)
{
    bool fours = ((uintptr_t)x | (uintptr_t)y) % 16 == 0;
    int blocks = n / (4 * block_size) + 1;
    if (blocks > 48)
        blocks = 48;
    line<<<blocks, block_size, 0, stream>>>(x, y, a, b, fours, n);
}
"""
)

# Floats become bfloat16, two a thread, a block apart.
BRAIN = (
    HEADER
    + """\
__device__ __nv_bfloat16 brain(float v) {
  return __float2bfloat16(v);
}

__global__ void to_brain(const float* in, __nv_bfloat16* out, int64_t n) {
  int64_t i = 2 * (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  int64_t j = i + blockDim.x;
  if (i < n) out[i] = brain(in[i]);
  if (j < n) out[j] = brain(in[j]);
}

extern "C" void launch(const float* in,     // [n]
                       __nv_bfloat16* out,  // [n]
                       int64_t n, int block_size = 256, cudaStream_t stream = 0) {
  if (n < 1) return;
  int64_t each = 2 * block_size;
  to_brain<<<(unsigned)((n + each - 1) / each), block_size, 0, stream>>>(in, out, n);
}
"""
)

# Floats become the nearest int, of two the even one; NaN is 0 and large ones stop at the ends.
NEAREST = (
    HEADER
    + """\
__device__ int nearest(float v)
{
    if (isnan(v))
        return 0;
    v = fmaxf(v, -2147483648.0f);
    if (v >= 2147483648.0f)
        return 2147483647;
    return (int)rintf(v);
}

__global__ void all_nearest(const float *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    out[i] = nearest(in[i]);
}

extern "C" void launch(const float *in,  // [n]
                       int *out,         // [n]
                       int n, int block_size = 128, cudaStream_t stream = 0)
{
    int blocks = (n + block_size - 1) / block_size;
    all_nearest<<<blocks, block_size, 0, stream>>>(in, out, n);
}
"""
)

# Softplus that does not overflow, a number a thread.
SOFT = (
    HEADER
    + """\
__global__ void softplus(const float* __restrict__ x, float* __restrict__ y, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float v = x[i];
    float small = expf(-fabsf(v));
    y[i] = fmaxf(v, 0.0f) + log1pf(small);
  }
}

extern "C" void launch(const float* x,  // [n]
                       float* y,        // [n]
                       unsigned n, int block_size = 256, cudaStream_t stream = 0) {
  if (n == 0) return;
  unsigned blocks = (n + block_size - 1) / block_size;
  softplus<<<blocks, block_size, 0, stream>>>(x, y, n);
}
"""
)

# Mish without tanh, four neighbours a thread.
MISH = (
    HEADER
    + """\
__device__ float mish(float v)
{
    float e = expf(fminf(v, 20.0f));
    float w = e * (e + 2.0f);
    return v * (w / (w + 2.0f));
}

__global__ void mish_fours(const float *x, float *y, int n)
{
    int first = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    int end = min(first + 4, n);
    for (int i = first; i < end; i++)
        y[i] = mish(x[i]);
}

extern "C" void launch(const float *x,  // [n]
                       float *y,        // [n]
                       int n, int block_size = 64, cudaStream_t stream = 0)
{
    int blocks = n / (4 * block_size) + 1;
    mish_fours<<<blocks, block_size, 0, stream>>>(x, y, n);
}
"""
)

# The sum of an array: a part a block, and one warp for the parts.
TOTAL = (
    HEADER
    + """\
#define T 256

__global__ void add_numbers(const float* x, float* parts, int n) {
  __shared__ float s[T];
  int t = threadIdx.x;
  float mine = 0.0f;
  for (int i = blockIdx.x * T + t; i < n; i += gridDim.x * T) mine += x[i];
  s[t] = mine;
  for (int h = T / 2; h > 0; h /= 2) {
    __syncthreads();
    if (t < h) s[t] += s[t + h];
  }
  if (t == 0) parts[blockIdx.x] = s[0];
}

__global__ void add_parts(const float* parts, float* sum, int count) {
  float mine = 0.0f;
  for (int k = threadIdx.x; k < count; k += 32) mine += parts[k];
  for (int d = 16; d > 0; d /= 2) mine += __shfl_down_sync(0xffffffff, mine, d);
  if (threadIdx.x == 0) sum[0] = mine;
}

extern "C" void launch(const float* x,  // [n]
                       float* parts,    // [blocks]
                       float* sum,      // [1]
                       int n, int blocks, cudaStream_t stream = 0) {
  add_numbers<<<blocks, T, 0, stream>>>(x, parts, n);
  add_parts<<<1, 32, 0, stream>>>(parts, sum, blocks);
}
"""
)

# The largest of an array of int: an atomic a block.
PEAK = (
    HEADER
    + """\
#define WARPS 8
#define LEAST (-2147483647 - 1)

__global__ void set_least(int *peak)
{
    *peak = LEAST;
}

__global__ void find_peak(const int *x, int *peak, int n)
{
    __shared__ int of_warp[WARPS];
    int step = gridDim.x * blockDim.x;
    int best = LEAST;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        best = max(best, x[i]);
    for (int d = 16; d > 0; d /= 2)
        best = max(best, __shfl_xor_sync(0xffffffffu, best, d));
    if (threadIdx.x % 32 == 0)
        of_warp[threadIdx.x / 32] = best;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < WARPS; w++)
            best = max(best, of_warp[w]);
        atomicMax(peak, best);
    }
}

extern "C" void launch(const int *x,  // [n]
                       int *peak,     // [1]
                       int n, cudaStream_t stream = 0)
{
    int each = 32 * WARPS;
    int blocks = min((n + each - 1) / each, 40);
    set_least<<<1, 1, 0, stream>>>(peak);
    find_peak<<<blocks, each, 0, stream>>>(x, peak, n);
}
"""
)

# The sum of each row, a thread a row, which adds even and odd columns apart.
ROWS = (
    HEADER
    + """\
__global__ void row_sums(const float* a, float* sums, int m, int n) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= m) return;
  const float* row = a + (size_t)r * n;
  float even = 0.0f, odd = 0.0f;
  int c = 0;
  for (; c + 1 < n; c += 2) {
    even += row[c];
    odd += row[c + 1];
  }
  if (c < n) even += row[c];
  sums[r] = even + odd;
}

extern "C" void launch(const float* a,  // [m, n]
                       float* sums,     // [m]
                       int m, int n, int block_size = 128, cudaStream_t stream = 0) {
  row_sums<<<(m + block_size - 1) / block_size, block_size, 0, stream>>>(a, sums, m, n);
}
"""
)

# Layer norm with gain and bias, a block a row.
NORM = (
    HEADER
    + """\
#define T 128

__device__ float sum_of_block(float v, float *of_warp)
{
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_xor_sync(0xffffffffu, v, d);
    __syncthreads();  // all have read what an earlier sum left
    if (threadIdx.x % 32 == 0)
        of_warp[threadIdx.x / 32] = v;
    __syncthreads();
    return of_warp[0] + of_warp[1] + of_warp[2] + of_warp[3];
}

__global__ void norm(const float *x, const float *gain, const float *bias, float *y, float eps,
                     int cols)
{
    __shared__ float of_warp[T / 32];
    size_t at = (size_t)blockIdx.x * cols;
    float sum = 0.0f, squares = 0.0f;
    for (int c = threadIdx.x; c < cols; c += T)
        sum += x[at + c];
    float mean = sum_of_block(sum, of_warp) / cols;
    for (int c = threadIdx.x; c < cols; c += T) {
        float d = x[at + c] - mean;
        squares += d * d;
    }
    float variance = sum_of_block(squares, of_warp) / cols;
    float scale = rsqrtf(variance + eps);
    for (int c = threadIdx.x; c < cols; c += T)
        y[at + c] = (x[at + c] - mean) * scale * gain[c] + bias[c];
}

extern "C" void launch(const float *x,     // [rows, cols]
                       const float *gain,  // [cols]
                       const float *bias,  // [cols]
                       float *y,           // [rows, cols]
                       float eps, int rows, int cols, cudaStream_t stream = 0)
{
    norm<<<rows, T, 0, stream>>>(x, gain, bias, y, eps, cols);
}
"""
)

# A transpose of doubles by a tile.
FLIP = (
    HEADER
    + """\
const int SIDE = 16;

__global__ void flip(const double* in, double* out, int height, int width) {
  __shared__ double tile[SIDE][SIDE + 1];
  int col = blockIdx.x * SIDE + threadIdx.x;
  int row = blockIdx.y * SIDE + threadIdx.y;
  if (row < height && col < width)
    tile[threadIdx.y][threadIdx.x] = in[(size_t)row * width + col];
  __syncthreads();
  int to_col = blockIdx.y * SIDE + threadIdx.x;
  int to_row = blockIdx.x * SIDE + threadIdx.y;
  if (to_row < width && to_col < height)
    out[(size_t)to_row * height + to_col] = tile[threadIdx.x][threadIdx.y];
}

extern "C" void launch(const double* in,  // [height, width]
                       double* out,       // [width, height]
                       int height, int width, cudaStream_t stream = 0) {
  dim3 grid((width + SIDE - 1) / SIDE, (height + SIDE - 1) / SIDE);
  flip<<<grid, dim3(SIDE, SIDE), 0, stream>>>(in, out, height, width);
}
"""
)

# A transpose of halves by a tile, in half2 on either side where that is possible.
PAIRS = (
    HEADER
    + """\
#define S 32

__global__ void turn(const half *x, half *y, int rows, int cols, bool in2, bool out2)
{
    __shared__ __align__(4) half tile[S][S + 2];
    int top = blockIdx.y * S, left = blockIdx.x * S;
    int a = 2 * threadIdx.x;
    for (int b = threadIdx.y; b < S; b += blockDim.y) {
        if (top + b >= rows || left + a >= cols)
            continue;
        const half *p = x + (size_t)(top + b) * cols + left + a;
        if (in2) {
            *(half2 *)&tile[b][a] = *(const half2 *)p;
        } else {
            tile[b][a] = p[0];
            if (left + a + 1 < cols)
                tile[b][a + 1] = p[1];
        }
    }
    __syncthreads();
    for (int b = threadIdx.y; b < S; b += 8) {
        if (left + b >= cols || top + a >= rows)
            continue;
        half *q = y + (size_t)(left + b) * rows + top + a;
        half u = tile[a][b];
        half v = tile[a + 1][b];
        if (out2) {
            *(half2 *)q = __halves2half2(u, v);
        } else {
            q[0] = u;
            if (top + a + 1 < rows)
                q[1] = v;
        }
    }
}

extern "C" void launch(const half *x,  // [rows, cols]
                       half *y,        // [cols, rows]
                       int rows, int cols, cudaStream_t stream = 0)
{
    bool in2 = cols % 2 == 0 && (uintptr_t)x % 4 == 0;
    bool out2 = rows % 2 == 0 && (uintptr_t)y % 4 == 0;
    dim3 grid((cols + S - 1) / S, (rows + S - 1) / S);
    turn<<<grid, dim3(S / 2, 8), 0, stream>>>(x, y, rows, cols, in2, out2);
}
"""
)

# A product of matrices of halves, whose sums are floats.
PRODUCT = (
    HEADER
    + """\
#define TILE 16

__global__ void product(const half* a, const half* b, half* c, int m, int n, int k) {
  __shared__ half as[TILE][TILE], bs[TILE][TILE];
  int x = threadIdx.x, y = threadIdx.y;
  int i = blockIdx.y * TILE + y;
  int j = blockIdx.x * TILE + x;
  half zero = __float2half(0.0f);
  float sum = 0.0f;
  for (int q = 0; q < k; q += TILE) {
    as[y][x] = i < m && q + x < k ? a[(size_t)i * k + q + x] : zero;
    bs[y][x] = q + y < k && j < n ? b[(size_t)(q + y) * n + j] : zero;
    __syncthreads();
    for (int h = 0; h < TILE; h++) {
      float term = __half2float(as[y][h]) * __half2float(bs[h][x]);
      sum += term;
    }
    __syncthreads();
  }
  if (i < m && j < n) c[(size_t)i * n + j] = __float2half(sum);
}

extern "C" void launch(const half* a,  // [m, k]
                       const half* b,  // [k, n]
                       half* c,        // [m, n]
                       int m, int n, int k, cudaStream_t stream = 0) {
  dim3 grid((n + TILE - 1) / TILE, (m + TILE - 1) / TILE);
  product<<<grid, dim3(TILE, TILE), 0, stream>>>(a, b, c, m, n, k);
}
"""
)

# Softmax of halves, a warp a row.
SHARES = (
    HEADER
    + """\
#define ALL 0xffffffffu

__global__ void shares(const half *x, half *y, int rows, int cols)
{
    int r = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    int lane = threadIdx.x % 32;
    if (r >= rows)
        return;
    const half *row = x + (size_t)r * cols;
    half *out = y + (size_t)r * cols;
    float top = -FLT_MAX;
    for (int c = lane; c < cols; c += 32)
        top = fmaxf(top, __half2float(row[c]));
    for (int d = 16; d > 0; d >>= 1)
        top = fmaxf(top, __shfl_xor_sync(ALL, top, d));
    float sum = 0.0f;
    for (int c = lane; c < cols; c += 32)
        sum += expf(__half2float(row[c]) - top);
    for (int d = 16; d > 0; d >>= 1)
        sum += __shfl_xor_sync(ALL, sum, d);
    for (int c = lane; c < cols; c += 32) {
        float e = expf(__half2float(row[c]) - top);
        out[c] = __float2half(e / sum);
    }
}

extern "C" void launch(const half *x,  // [rows, cols]
                       half *y,        // [rows, cols]
                       int rows, int cols, int block_size = 128, cudaStream_t stream = 0)
{
    int each = block_size / 32;
    shares<<<(rows + each - 1) / each, block_size, 0, stream>>>(x, y, rows, cols);
}
"""
)

NAN, INF = float("nan"), float("inf")
LENGTHS = (*range(1, 71), 95, 96, 97, 127, 128, 129, 255, 256, 257, 258, 259, 383, 384, 385)
LENGTHS += (511, 512, 513, 1000, 1023, 1024, 1025, 2047, 2048, 2049, 4099)
SIDES = ((1, 1), (2, 1), (1, 2), (3, 2), (4, 31), (5, 32), (8, 33), (33, 8), (2, 64), (65, 3))
SIDES += ((9, 70), (70, 1), (3, 1000), (1, 4099), (64, 70), (130, 6), (40, 50), (32, 32))
SIDES += ((301, 2), (3, 129), (7, 128), (5, 63), (65, 65), (6, 6), (16, 16), (17, 15))
FLOAT, HALF, INT = (torch.float32,), (torch.float16,), (torch.int32,)


def softplus(x: torch.Tensor) -> torch.Tensor:
    """Compute log(1 + exp(x)) without overflow."""
    return x.clamp(min=0) + torch.log1p(torch.exp(-x.abs()))


def lines(launcher: Launcher) -> Iterator[Case]:
    """Scale and shift whole numbers, so that all is exact; slices and other block sizes."""
    for n in (*LENGTHS, 30_001, 100_002):
        x, j = whole(-999, 1000, n, n).float(), torch.arange(n)
        for label, v, a, b in (
            ("usual", x, 0.5, 3.0),
            ("no scale", x, 0.0, -2.5),
            ("no shift", x, -4.0, 0.0),
            ("infinities", torch.where(j % 3 == 1, INF * (1 - j % 2 * 2), x), 2.0, 1.0),
            ("NaN", torch.where(j % 4 == 3, NAN, x), 1.5, -1.0),
        ):
            right = a * v.double() + b
            for block_size in (128, 32, 256):
                if n > 5000 and (label != "usual" or block_size == 256):
                    continue
                scalars = {"a": a, "b": b, "block_size": block_size}
                words = f"n = {n:,}, {scalars}, {label}"
                options = {"dtypes": FLOAT, "quick": n > 5000}
                yield Case(words, (v,), (right,), scalars, **options)
            if n < 300 and label == "usual":
                for offset in ((4, 1), (1, 4), (1, 1), (2, 8), (4, 4)):
                    words = f"n = {n:,}, slices from {offset}"
                    more = {"dtypes": FLOAT, "offset": offset}
                    yield Case(words, (v,), (right,), {"a": a, "b": b}, **more)


def nearests(launcher: Launcher) -> Iterator[Case]:
    """Round: any, ties, small, large, beyond the ends, infinities, NaN."""
    for n in (*LENGTHS, 9_001, 65_537):
        x, j = whole(-9999, 10_000, n, n), torch.arange(n)
        for label, v in (
            ("any", x / 16),
            ("ties", x + 0.5),
            ("between -1 and 1", x / 10_000),
            ("large", x.double() * 131_072),
            ("beyond the ends", x.double() * 3e5),
            ("at the ends", torch.where(j % 2 == 0, 2.0**31, -(2.0**31))),
            ("infinities", torch.where(j % 2 == 1, INF * (1 - j % 4), x / 4)),
            ("NaN", torch.where(j % 3 == 1, NAN, x / 4)),
        ):
            v = v.float()
            right = v.double().round().nan_to_num(0.0, INF, -INF).clamp(-(2**31), 2**31 - 1)
            for block_size in (128, 64):
                if n > 5000 and label not in ("any", "ties"):
                    continue
                words = f"n = {n:,}, block_size = {block_size}, {label}"
                options = {"dtypes": INT, "quick": n > 5000}
                yield Case(words, (v,), (right,), {"block_size": block_size}, **options)


def mishes(launcher: Launcher) -> Iterator[Case]:
    """Compute mish: usual, small, far from 0, infinity, zeros, NaN; other block sizes."""
    for n in (*LENGTHS, 20_003):
        x, j = whole(-999, 1000, n, n).float() / 128, torch.arange(n)
        for label, v in (
            ("usual", x),
            ("small", x / 8192),
            ("large", x.abs() * 16 + 10),
            ("huge", x.abs() * 1e30),
            ("below 0", -x.abs() * 5),
            ("infinity", torch.where(j % 2 == 1, INF, x)),
            ("zeros", torch.where(j % 2 == 1, 0.0, -0.0)),
            ("NaN", torch.where(j % 3 == 1, NAN, x)),
        ):
            right = v.double() * softplus(v.double()).tanh()
            slack = (2.0**-19 * right.abs()).nan_to_num(0.0, 0.0)
            for block_size in (64, 256, 32):
                if n > 5000 and label != "usual":
                    continue
                words = f"n = {n:,}, block_size = {block_size}, {label}"
                options = {"dtypes": FLOAT, "within": (slack,), "quick": n > 5000}
                yield Case(words, (v,), (right,), {"block_size": block_size}, **options)


def peaks(launcher: Launcher) -> Iterator[Case]:
    """Look for the largest: any, below 0, above 0, the least of all, the last, the first."""
    for n in (*LENGTHS, 9_001, 50_003):
        x, j = whole(-9999, 10_000, n, n), torch.arange(n)
        for label, y in (
            ("any", x),
            ("all below 0", -x.abs() - 1),
            ("all above 0", x.abs() + 1),
            ("large", x * 200_000),
            ("the least of all", x * 0 - 2**31),
            ("the last", torch.where(j == n - 1, 20_000, x)),
            ("the first", torch.where(j == 0, -1, -x.abs() - 7)),
            ("one in 97", torch.where(j % 97 == 96, x.abs(), -5)),
        ):
            words = f"n = {n:,}, {label}"
            options = {"dtypes": INT, "quick": n > 5000}
            yield Case(words, (y.int(),), (y.amax().reshape(1),), **options)


def norms(launcher: Launcher) -> Iterator[Case]:
    """Norm whole numbers: any, plain, small, about a mean, zeros, below 0, a NaN."""
    for rows, cols in (*SIDES, (3, 2_001), (129, 130)):
        n = rows * cols
        x, c = whole(-99, 100, n, n).reshape(rows, cols), torch.arange(cols)
        gain, bias = (whole(-9, 10, cols, cols + k).double() / 4 for k in range(2))
        for label, v, g, b, eps in (
            ("any", x, gain, bias, 1.0),
            ("plain", x, gain * 0 + 1, bias * 0, 0.001),
            ("small", x / 1024, gain, bias, 0.25),
            ("about 1,024", 1024 + x // 10, gain, bias, 0.5),
            ("zeros", x * 0, gain, bias, 0.125),
            ("below 0", -x.abs() - 1, gain, bias, 0.5),
            ("NaN", torch.where((x % 9 == 4) & (c == cols // 2), NAN, x), gain, bias, 1.0),
        ):
            v = v.float().double()
            d = v - v.mean(1, keepdim=True)
            f = 1 / ((d * d).mean(1, keepdim=True) + eps).sqrt()
            right = d * f * g + b
            fine = 2.0**-15 * (d * f * g).abs() + 2.0**-21 * f * v.abs().amax(1, True) * g.abs()
            slack = ((2.0**-21 * (right.abs() + b.abs()) + fine + 2.0**-24).nan_to_num(0.0),)
            words = f"rows = {rows:,}, cols = {cols:,}, eps = {eps}, {label}"
            inputs = (v.float(), g.float(), b.float())
            yield Case(words, inputs, (right,), {"eps": eps}, dtypes=FLOAT, within=slack)


def flips(launcher: Launcher) -> Iterator[Case]:
    """Turn matrices: any numbers, large ones, fine fractions, special ones."""
    for height, width in (*SIDES, (31, 200), (200, 31), (4099, 1), (15, 48), (48, 15)):
        n = height * width
        x, j = whole(-9999, 10_000, n, n).double(), torch.arange(n)
        for label, y in (
            ("any", x),
            ("large", x * 1e300),
            ("thirds", x / 3),
            ("special", torch.where(j % 3 == 1, INF, torch.where(j % 3 == 2, NAN, -0.0))),
        ):
            y = y.double().reshape(height, width)
            words = f"height = {height:,}, width = {width:,}, {label}"
            yield Case(words, (y,), (y.T.contiguous(),), dtypes=(torch.float64,))


def turns(launcher: Launcher) -> Iterator[Case]:
    """Turn matrices of halves: any, special ones, in slices."""
    for rows, cols in (*SIDES, (31, 200), (200, 31), (4099, 1), (34, 36), (35, 36), (36, 35)):
        n = rows * cols
        x, j = whole(-2000, 2001, n, n), torch.arange(n)
        for label, y in (
            ("any", x / 8),
            ("places", j % 2048),
            ("special", torch.where(j % 3 == 1, INF, torch.where(j % 3 == 2, NAN, -0.0))),
        ):
            y = y.half().reshape(rows, cols)
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            right = (y.double().T.contiguous(),)
            yield Case(words, (y,), right, dtypes=HALF)
            if n < 3000 and label == "any":
                for offset in ((1, 2), (2, 1), (1, 1), (2, 4)):
                    words = f"rows = {rows:,}, cols = {cols:,}, slices from {offset}"
                    yield Case(words, (y,), right, dtypes=HALF, offset=offset)


def products(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole numbers, so that sums are exact: any, ones, large sums, the last, NaN."""
    sides = ((1, 1, 1), (1, 2, 3), (2, 1, 40), (3, 5, 7), (16, 16, 16), (17, 15, 33))
    sides += ((15, 17, 65), (5, 40, 1), (40, 5, 2), (33, 31, 20), (1, 70, 31), (70, 1, 32))
    sides += ((20, 65, 48), (65, 20, 5), (3, 2, 1000), (2, 3, 300), (50, 3, 17), (3, 50, 16))
    for m, n, k in (*sides, *((7, 9, k) for k in range(2, 70, 3))):
        a = whole(-30, 31, m * k, m + k).reshape(m, k).double()
        b = whole(-30, 31, k * n, n).reshape(k, n).double()
        h = torch.arange(k)
        for label, s, t in (
            ("any", a, b),
            ("ones", a * 0 + 1, b * 0 + 1),
            ("fives", a * 0 + 5, b * 0 + 7),
            ("sums that come back", a * 30, b * 30 * (1 - 2 * (h % 2))[:, None]),
            ("the last alone", torch.where(h == k - 1, 3.0, a * 0), b),
            ("NaN in a", torch.where((h == k // 2) & (a > 9), NAN, a), b),
            ("NaN in b", a, torch.where(b > 28, NAN, b)),
        ):
            s, t = s.half(), t.half()
            words = f"m = {m}, n = {n}, k = {k}, {label}"
            yield Case(words, (s, t), (s.double() @ t.double(),), dtypes=HALF)


def shares(launcher: Launcher) -> Iterator[Case]:
    """Share: any, equal, far above and below 0, rising, a mask, a NaN; other block sizes."""
    for rows, cols in (*SIDES, (3, 2_001), (513, 3)):
        n = rows * cols
        x, c = whole(-40, 41, n, n).reshape(rows, cols) / 8.0, torch.arange(cols)
        for label, y in (
            ("any", x),
            ("equal", x * 0 + 3),
            ("zeros", x * 0),
            ("far above 0", x + 1000),
            ("far below 0", x - 1000),
            ("rising", x * 0 + c / 32.0),
            ("a mask", torch.where((c % 3 == 1) & (c > 0), -INF, x)),
            ("NaN", torch.where((c == cols // 2) & (x > 0), NAN, x)),
        ):
            y = y.half()
            right = y.double().softmax(1)
            for block_size in (128, 64, 256):
                words = f"rows = {rows:,}, cols = {cols:,}, block_size = {block_size}, {label}"
                options = {"dtypes": HALF, "ulp": 1}
                yield Case(words, (y,), (right,), {"block_size": block_size}, **options)


BASES = {
    "eightyeight_halves": Base(HALVES, {"reference": "add"}),
    "eightyeight_line": Base(LINE, {"cases": lines}),
    "eightyeight_brain": Base(BRAIN, {"reference": "cast"}),
    "eightyeight_nearest": Base(NEAREST, {"cases": nearests}),
    "eightyeight_soft": Base(SOFT, {"reference": softplus, "ulp": 4}),
    "eightyeight_mish": Base(MISH, {"cases": mishes}),
    "eightyeight_total": Base(TOTAL, cases="sums"),
    "eightyeight_peak": Base(PEAK, {"cases": peaks}),
    "eightyeight_rows": Base(ROWS, cases="promises"),
    "eightyeight_norm": Base(NORM, {"cases": norms}),
    "eightyeight_flip": Base(FLIP, {"cases": flips}),
    "eightyeight_pairs": Base(PAIRS, {"cases": turns}),
    "eightyeight_product": Base(PRODUCT, {"cases": products}),
    "eightyeight_shares": Base(SHARES, {"cases": shares}),
}

WRONG = (
    # ---- halves
    # The step takes a block of 256 for granted.
    Wrong(
        "eightyeight_halves_step_of_256",
        "eightyeight_halves",
        "block size | unwritten / left out / nan / tail / twice / grid",
        ("gridDim.x * blockDim.x;", "gridDim.x * 256;"),
    ),
    # One too many is added.
    Wrong(
        "eightyeight_halves_one_too_many",
        "eightyeight_halves",
        "bounds / tail",
        ("i < n; i += step", "i <= n; i += step"),
    ),
    # Sums are held below infinity.
    Wrong(
        "eightyeight_halves_no_infinity",
        "eightyeight_halves",
        "infinity / nan | numbers",
        (
            "__hadd(x[i], y[i]);",
            "__float2half(fminf(__half2float(__hadd(x[i], y[i])), 65504.0f));",
        ),
    ),
    # The sum is made in x.
    Wrong(
        "eightyeight_halves_added_in_place",
        "eightyeight_halves",
        "input | state / numbers",
        ("  for (int i = blockIdx", ("  half* sum = (half*)x;\n  for (int i = blockIdx")),
        ("    z[i] = __hadd(x[i], y[i]);", "    z[i] = sum[i] = __hadd(sum[i], y[i]);"),
    ),
    # The stream is not passed on.
    Wrong(
        "eightyeight_halves_no_stream",
        "eightyeight_halves",
        "stream",
        ("<<<blocks, block_size, 0, stream>>>", "<<<blocks, block_size>>>"),
    ),
    # ---- line
    # One address of two is tested.
    Wrong(
        "eightyeight_line_x_alone_tested",
        "eightyeight_line",
        "alignment",
        ("((uintptr_t)x | (uintptr_t)y) % 16", "(uintptr_t)x % 16"),
    ),
    # The rest begins behind a pack that was not taken.
    Wrong(
        "eightyeight_line_rest_rounded_away",
        "eightyeight_line",
        "tail / unwritten / left out | nan / numbers",
        ("done = n / 4 * 4;", "done = (n + 3) / 4 * 4;"),
    ),
    # Scale and shift change places.
    Wrong(
        "eightyeight_line_scalars_swapped",
        "eightyeight_line",
        "swapped / function | numbers / infinity / nan",
        ("(x, y, a, b, fours, n);", "(x, y, b, a, fours, n);"),
    ),
    # The fourth result is that of the third number.
    Wrong(
        "eightyeight_line_third_again",
        "eightyeight_line",
        "other element / neighbour | numbers / twice / left out / nan / infinity",
        ("w.w = a * v.w + b;", "w.w = a * v.z + b;"),
    ),
    # The scale is that of the first call.
    Wrong(
        "eightyeight_line_first_scale",
        "eightyeight_line",
        "state | numbers / function",
        ("    int blocks = n", ("    static const float scale = a;\n    int blocks = n")),
        ("(x, y, a, b, fours, n);", "(x, y, scale, b, fours, n);"),
    ),
    # ---- brain
    # The lower bits are cut off.
    Wrong(
        "eightyeight_brain_cut_off",
        "eightyeight_brain",
        "rounding | nan / infinity / numbers / subnormal",
        (
            "  return __float2bfloat16(v);",
            (
                "  unsigned short high = __float_as_uint(v) >> 16;\n"
                "  return *(__nv_bfloat16*)&high;"
            ),
        ),
    ),
    # The way leads through half.
    Wrong(
        "eightyeight_brain_through_half",
        "eightyeight_brain",
        "precision / rounding / infinity / whole range / subnormal | numbers / sign of zero",
        ("__float2bfloat16(v);", "__float2bfloat16(__half2float(__float2half(v)));"),
    ),
    # The second number is not tested.
    Wrong(
        "eightyeight_brain_second_untested",
        "eightyeight_brain",
        "bounds / tail",
        ("  if (j < n) out[j]", "  out[j]"),
    ),
    # The number of blocks is not rounded up.
    Wrong(
        "eightyeight_brain_blocks_rounded_to_nearest",
        "eightyeight_brain",
        "grid / unwritten / tail / left out | nan / refused",
        ("((n + each - 1) / each)", "((n + block_size - 1) / each)"),
    ),
    # The second number is the next one, not that a block away.
    Wrong(
        "eightyeight_brain_next_for_second",
        "eightyeight_brain",
        "unwritten / left out / other element / twice | nan / tail / block size / race",
        ("int64_t j = i + blockDim.x;", "int64_t j = i + 1;"),
    ),
    # ---- nearest
    # What follows the point is cut off.
    Wrong(
        "eightyeight_nearest_truncated",
        "eightyeight_nearest",
        "rounding | numbers",
        ("(int)rintf(v)", "(int)v"),
    ),
    # Ties go away from 0.
    Wrong(
        "eightyeight_nearest_ties_away",
        "eightyeight_nearest",
        "rounding | numbers",
        ("(int)rintf(v)", "(int)roundf(v)"),
    ),
    # The number goes through a short.
    Wrong(
        "eightyeight_nearest_sixteen_bits",
        "eightyeight_nearest",
        "whole range / narrow | numbers / infinity",
        ("return (int)rintf(v);", "return (short)(int)rintf(v);"),
    ),
    # NaN is not asked for.
    Wrong(
        "eightyeight_nearest_nan_is_least",
        "eightyeight_nearest",
        "nan",
        (("    if (isnan(v))\n        return 0;\n"), ""),
    ),
    # The number of blocks is rounded down.
    Wrong(
        "eightyeight_nearest_blocks_rounded_down",
        "eightyeight_nearest",
        "grid / unwritten / tail / left out | nan",
        (
            "int blocks = (n + block_size - 1) / block_size;",
            "int blocks = max(n / block_size, 1);",
        ),
    ),
    # ---- soft
    # 1 is added before the logarithm.
    Wrong(
        "eightyeight_soft_log_of_one_and",
        "eightyeight_soft",
        "precision | numbers / subnormal / rounding / function",
        ("log1pf(small)", "logf(1.0f + small)"),
    ),
    # The exponential may overflow.
    Wrong(
        "eightyeight_soft_overflows",
        "eightyeight_soft",
        "infinity / precision / nan | numbers",
        ("expf(-fabsf(v))", "expf(-v)"),
        ("fmaxf(v, 0.0f) + log1pf", "v + log1pf"),
    ),
    # What is not above a limit is 0, also NaN.
    Wrong(
        "eightyeight_soft_nan_is_zero",
        "eightyeight_soft",
        "nan",
        (
            "    float small",
            (
                "    if (!(v > -104.0f)) {\n"
                "      y[i] = 0.0f;\n"
                "      return;\n"
                "    }\n"
                "    float small"
            ),
        ),
    ),
    # The logarithm is taken away.
    Wrong(
        "eightyeight_soft_taken_away",
        "eightyeight_soft",
        "function | numbers / sign of zero / subnormal / swapped",
        ("fmaxf(v, 0.0f) + log1pf", "fmaxf(v, 0.0f) - log1pf"),
    ),
    # No thread is sent home.
    Wrong(
        "eightyeight_soft_untested",
        "eightyeight_soft",
        "bounds / tail",
        ("  if (i < n) {", "  {"),
    ),
    # ---- mish
    # The exponential is not limited.
    Wrong(
        "eightyeight_mish_no_limit",
        "eightyeight_mish",
        "infinity / nan | numbers",
        ("expf(fminf(v, 20.0f))", "expf(v)"),
    ),
    # A constant of the formula is another.
    Wrong(
        "eightyeight_mish_other_constant",
        "eightyeight_mish",
        "function | numbers / precision",
        ("w / (w + 2.0f)", "w / (w + 1.0f)"),
    ),
    # A thread with fewer than four goes home.
    Wrong(
        "eightyeight_mish_whole_fours",
        "eightyeight_mish",
        "tail / unwritten / left out | nan / numbers",
        ("    int end = min", ("    if (first + 4 > n)\n        return;\n    int end = min")),
    ),
    # The blocks are counted for 64 threads.
    Wrong(
        "eightyeight_mish_blocks_of_64",
        "eightyeight_mish",
        "block size / grid / unwritten | nan / tail / left out",
        ("n / (4 * block_size) + 1", "n / (4 * 64) + 1"),
    ),
    # Each of four takes the first.
    Wrong(
        "eightyeight_mish_first_of_four",
        "eightyeight_mish",
        "other element / neighbour | numbers / nan / infinity / twice / left out",
        ("y[i] = mish(x[i]);", "y[i] = mish(x[first]);"),
    ),
    # ---- total
    # The tree starts with a quarter.
    Wrong(
        "eightyeight_total_starts_at_a_quarter",
        "eightyeight_total",
        "left out | numbers / nan / infinity",
        ("h = T / 2;", "h = T / 4;"),
    ),
    # Only one part a lane is added.
    Wrong(
        "eightyeight_total_first_32_parts",
        "eightyeight_total",
        "left out | numbers / grid / nan / infinity / tail",
        (
            "  for (int k = threadIdx.x; k < count; k += 32) mine",
            ("  int k = threadIdx.x;\n  if (k < count) mine"),
        ),
    ),
    # The tree has no barrier.
    Wrong(
        "eightyeight_total_no_barrier",
        "eightyeight_total",
        "race | numbers / left out / unwritten / other element / state",
        (("    __syncthreads();\n    if (t < h)"), "    if (t < h)"),
    ),
    # The parts are added on the default stream.
    Wrong(
        "eightyeight_total_parts_no_stream",
        "eightyeight_total",
        "stream | race / state",
        ("add_parts<<<1, 32, 0, stream>>>", "add_parts<<<1, 32>>>"),
    ),
    # Each block goes on by one block.
    Wrong(
        "eightyeight_total_step_of_a_block",
        "eightyeight_total",
        "twice / grid / other element | numbers",
        ("i += gridDim.x * T)", "i += T)"),
    ),
    # ---- peak
    # The output is not set before the atomics.
    Wrong(
        "eightyeight_peak_not_set",
        "eightyeight_peak",
        "zero before / start / state | numbers / unwritten",
        ("    set_least<<<1, 1, 0, stream>>>(peak);\n", ""),
    ),
    # The largest starts at 0.
    Wrong(
        "eightyeight_peak_starts_at_0",
        "eightyeight_peak",
        "start | numbers",
        ("    int best = LEAST;", "    int best = 0;"),
    ),
    # The last warp is left out.
    Wrong(
        "eightyeight_peak_last_warp",
        "eightyeight_peak",
        "left out | numbers / other element",
        ("w < WARPS; w++", "w < WARPS - 1; w++"),
    ),
    # Blocks compare and store without an atomic.
    Wrong(
        "eightyeight_peak_no_atomic",
        "eightyeight_peak",
        "race | numbers / left out / state",
        (
            "        atomicMax(peak, best);",
            ("        if (best > *peak)\n            *peak = best;"),
        ),
    ),
    # The atomic compares without a sign.
    Wrong(
        "eightyeight_peak_unsigned",
        "eightyeight_peak",
        "whole range / numbers / function | start / unwritten / infinity",
        ("atomicMax(peak, best);", "atomicMax((unsigned *)peak, (unsigned)best);"),
    ),
    # ---- rows
    # The pitch is the number of rows.
    Wrong(
        "eightyeight_rows_pitch_of_rows",
        "eightyeight_rows",
        "sides / other element / bounds | numbers",
        ("(size_t)r * n", "(size_t)r * m"),
    ),
    # The sums are whole numbers.
    Wrong(
        "eightyeight_rows_whole_sums",
        "eightyeight_rows",
        "rounding / precision / whole range | numbers / nan / infinity",
        ("float even = 0.0f, odd = 0.0f;", "int even = 0, odd = 0;"),
    ),
    # One row too many is added.
    Wrong(
        "eightyeight_rows_one_row_too_many",
        "eightyeight_rows",
        "bounds / tail",
        ("if (r >= m) return;", "if (r > m) return;"),
    ),
    # The last of an odd number of columns is left out.
    Wrong(
        "eightyeight_rows_odd_column",
        "eightyeight_rows",
        "tail / left out | numbers / sides",
        ("  if (c < n) even += row[c];\n", ""),
    ),
    # The sum is added to what the output holds.
    Wrong(
        "eightyeight_rows_added_to_output",
        "eightyeight_rows",
        "zero before / state | nan / numbers / start / unwritten",
        ("sums[r] = even + odd;", "sums[r] += even + odd;"),
    ),
    # ---- norm
    # The variance is divided by one less.
    Wrong(
        "eightyeight_norm_one_less",
        "eightyeight_norm",
        "function | numbers / nan / infinity / precision",
        (
            "sum_of_block(squares, of_warp) / cols",
            "sum_of_block(squares, of_warp) / (cols - 1)",
        ),
    ),
    # The gain is that of the row's number.
    Wrong(
        "eightyeight_norm_gain_of_row",
        "eightyeight_norm",
        "other element / bounds / sides | numbers",
        ("gain[c] + bias[c]", "gain[blockIdx.x] + bias[c]"),
    ),
    # A second sum may overwrite the first before all have read it.
    Wrong(
        "eightyeight_norm_no_first_barrier",
        "eightyeight_norm",
        "race | numbers / state / other element / nan / left out",
        ("    __syncthreads();  // all have read what an earlier sum left\n", ""),
    ),
    # Two warps of four are added.
    Wrong(
        "eightyeight_norm_two_warps",
        "eightyeight_norm",
        "left out | numbers / nan / infinity",
        ("of_warp[0] + of_warp[1] + of_warp[2] + of_warp[3]", "of_warp[0] + of_warp[1]"),
    ),
    # Gain and bias change places.
    Wrong(
        "eightyeight_norm_gain_and_bias_swapped",
        "eightyeight_norm",
        "swapped | function / numbers / nan",
        ("(x, gain, bias, y, eps, cols);", "(x, bias, gain, y, eps, cols);"),
    ),
    # ---- flip
    # The output has the pitch of the input.
    Wrong(
        "eightyeight_flip_pitch_of_input",
        "eightyeight_flip",
        "sides / other element / bounds / unwritten | numbers / nan / race / twice / left out",
        ("(size_t)to_row * height", "(size_t)to_row * width"),
    ),
    # No barrier is between the ways.
    Wrong(
        "eightyeight_flip_no_barrier",
        "eightyeight_flip",
        "race | numbers / unwritten / other element / state",
        ("  __syncthreads();\n", ""),
    ),
    # The tile is not turned.
    Wrong(
        "eightyeight_flip_tile_not_turned",
        "eightyeight_flip",
        "other element / sides / swapped | numbers / unwritten / left out / state",
        ("tile[threadIdx.x][threadIdx.y]", "tile[threadIdx.y][threadIdx.x]"),
    ),
    # The load is tested against the other sides.
    Wrong(
        "eightyeight_flip_tests_of_way_out",
        "eightyeight_flip",
        "sides / bounds / swapped / unwritten / left out | numbers / nan / tail / state",
        ("row < height && col < width", "row < width && col < height"),
    ),
    # The tile holds floats.
    Wrong(
        "eightyeight_flip_tile_of_floats",
        "eightyeight_flip",
        "precision / infinity / rounding | numbers / whole range",
        ("__shared__ double tile", "__shared__ float tile"),
    ),
    # ---- pairs
    # Pairs are loaded from odd rows, too.
    Wrong(
        "eightyeight_pairs_odd_rows_in_pairs",
        "eightyeight_pairs",
        "alignment / bounds / sides | tail",
        ("bool in2 = cols % 2 == 0 && (uintptr_t)x", "bool in2 = (uintptr_t)x"),
    ),
    # The address of the output is not tested.
    Wrong(
        "eightyeight_pairs_y_not_tested",
        "eightyeight_pairs",
        "alignment",
        ("rows % 2 == 0 && (uintptr_t)y % 4 == 0", "rows % 2 == 0"),
    ),
    # Eight rows of a tile are loaded.
    Wrong(
        "eightyeight_pairs_first_rows",
        "eightyeight_pairs",
        "left out / unwritten / other element | numbers / nan / state / race",
        ("b < S; b += blockDim.y", "b < 8; b += blockDim.y"),
    ),
    # The second of a pair is stored beyond the row.
    Wrong(
        "eightyeight_pairs_next_row_too",
        "eightyeight_pairs",
        "bounds / race / tail | other element / numbers / nan / twice / neighbour",
        (
            ("            if (top + a + 1 < rows)\n                q[1] = v;"),
            "            q[1] = v;",
        ),
    ),
    # The two of a pair change places.
    Wrong(
        "eightyeight_pairs_pair_swapped",
        "eightyeight_pairs",
        "swapped / neighbour / other element | numbers",
        ("__halves2half2(u, v)", "__halves2half2(v, u)"),
    ),
    # ---- product
    # The sum is a half.
    Wrong(
        "eightyeight_product_sums_of_halves",
        "eightyeight_product",
        "precision / rounding / infinity | numbers / nan",
        ("sum += term;", "sum = __half2float(__float2half(sum + term));"),
    ),
    # The last tile of k is left out.
    Wrong(
        "eightyeight_product_whole_tiles",
        "eightyeight_product",
        "tail / left out | numbers / nan",
        ("for (int q = 0; q < k; q += TILE)", "for (int q = 0; q + TILE <= k; q += TILE)"),
    ),
    # The tile of b is read sideways.
    Wrong(
        "eightyeight_product_tile_of_b_sideways",
        "eightyeight_product",
        "other element / swapped / sides / function | numbers / nan / left out / unwritten",
        ("bs[h][x]", "bs[x][h]"),
    ),
    # The grid's sides change places.
    Wrong(
        "eightyeight_product_grid_swapped",
        "eightyeight_product",
        "grid / sides / swapped / unwritten / left out | numbers / tail / nan",
        (
            "dim3 grid((n + TILE - 1) / TILE, (m + TILE - 1) / TILE);",
            "dim3 grid((m + TILE - 1) / TILE, (n + TILE - 1) / TILE);",
        ),
    ),
    # The pitch of b is k.
    Wrong(
        "eightyeight_product_pitch_of_b",
        "eightyeight_product",
        "sides / other element / bounds / swapped | numbers / nan",
        ("(size_t)(q + y) * n + j]", "(size_t)(q + y) * k + j]"),
    ),
    # ---- shares
    # The largest starts at 0.
    Wrong(
        "eightyeight_shares_starts_at_0",
        "eightyeight_shares",
        "start | numbers / nan / infinity / precision / subnormal",
        ("float top = -FLT_MAX;", "float top = 0.0f;"),
    ),
    # Only one lane has the whole sum.
    Wrong(
        "eightyeight_shares_sum_of_lane_0",
        "eightyeight_shares",
        "left out / other element / race / twice | numbers / function / infinity",
        ("__shfl_xor_sync(ALL, sum, d)", "__shfl_down_sync(ALL, sum, d)"),
    ),
    # A block has four warps for granted.
    Wrong(
        "eightyeight_shares_four_warps",
        "eightyeight_shares",
        "block size | unwritten / left out / bounds / nan / tail / other element / twice",
        ("blockIdx.x * (blockDim.x / 32)", "blockIdx.x * 4"),
    ),
    # Both numbers are rounded before the division.
    Wrong(
        "eightyeight_shares_divided_as_halves",
        "eightyeight_shares",
        "rounding / precision | numbers / infinity / subnormal",
        ("__float2half(e / sum)", "__hdiv(__float2half(e), __float2half(sum))"),
    ),
    # Each exponential is kept in x.
    Wrong(
        "eightyeight_shares_exponentials_in_x",
        "eightyeight_shares",
        "input | state / numbers / precision / rounding",
        (
            "        out[c] = __float2half(e / sum);",
            (
                "        ((half *)row)[c] = __float2half(e);\n"
                "        out[c] = __float2half(e / sum);"
            ),
        ),
    ),
)

RIGHT = (
    # Numbers are taken from the last to the first.
    Right(
        "eightyeight_halves_from_the_end",
        "eightyeight_halves",
        (
            "for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)",
            "for (int i = n - 1 - blockIdx.x * blockDim.x - threadIdx.x; i >= 0; i -= step)",
        ),
    ),
    # There are more blocks than packs.
    Right(
        "eightyeight_line_idle_blocks",
        "eightyeight_line",
        ("n / (4 * block_size) + 1;", "n / block_size + 3;"),
    ),
    # The bits are rounded by hand.
    Right(
        "eightyeight_brain_rounds_by_hand",
        "eightyeight_brain",
        (
            "  return __float2bfloat16(v);",
            (
                "  unsigned bits = __float_as_uint(v);\n"
                "  bits += 0x7fff + (bits >> 16 & 1);\n"
                "  unsigned short high = isnan(v) ? 0x7fff : bits >> 16;\n"
                "  return *(__nv_bfloat16*)&high;"
            ),
        ),
    ),
    # One instruction does the whole.
    Right(
        "eightyeight_nearest_by_instruction",
        "eightyeight_nearest",
        (
            (
                "    v = fmaxf(v, -2147483648.0f);\n"
                "    if (v >= 2147483648.0f)\n"
                "        return 2147483647;\n"
                "    return (int)rintf(v);"
            ),
            "    return __float2int_rn(v);",
        ),
    ),
    # Numbers above and below 0 go apart.
    Right(
        "eightyeight_soft_two_branches",
        "eightyeight_soft",
        ("fmaxf(v, 0.0f) + log1pf(small);", "v > 0.0f ? v + log1pf(small) : log1pf(expf(v));"),
    ),
    # The formula is that of the paper.
    Right(
        "eightyeight_mish_with_tanh",
        "eightyeight_mish",
        (
            (
                "    float e = expf(fminf(v, 20.0f));\n"
                "    float w = e * (e + 2.0f);\n"
                "    return v * (w / (w + 2.0f));"
            ),
            ("    float plus = v > 20.0f ? v : log1pf(expf(v));\n    return v * tanhf(plus);"),
        ),
    ),
    # The tree adds the last to the first.
    Right(
        "eightyeight_total_tree_from_both_ends",
        "eightyeight_total",
        ("s[t] += s[t + h];", "s[t] += s[2 * h - 1 - t];"),
    ),
    # Each warp has an atomic of its own.
    Right(
        "eightyeight_peak_atomic_a_warp",
        "eightyeight_peak",
        (
            (
                "        of_warp[threadIdx.x / 32] = best;\n"
                "    __syncthreads();\n"
                "    if (threadIdx.x == 0) {\n"
                "        for (int w = 1; w < WARPS; w++)\n"
                "            best = max(best, of_warp[w]);\n"
                "        atomicMax(peak, best);\n"
                "    }\n"
            ),
            "        atomicMax(peak, best);\n",
        ),
        ("    __shared__ int of_warp[WARPS];\n", ""),
    ),
    # A block may have nothing to do.
    Right(
        "eightyeight_rows_one_block_more",
        "eightyeight_rows",
        ("(m + block_size - 1) / block_size", "m / block_size + 1"),
    ),
    # A block has 64 threads.
    Right(
        "eightyeight_norm_two_warps_a_row",
        "eightyeight_norm",
        ("#define T 128", "#define T 64"),
        ("of_warp[0] + of_warp[1] + of_warp[2] + of_warp[3]", "of_warp[0] + of_warp[1]"),
    ),
    # Nothing is shared.
    Right(
        "eightyeight_flip_no_tile",
        "eightyeight_flip",
        ("  __shared__ double tile[SIDE][SIDE + 1];\n", ""),
        (
            (
                "    tile[threadIdx.y][threadIdx.x] = in[(size_t)row * width + col];\n"
                "  __syncthreads();\n"
                "  int to_col = blockIdx.y * SIDE + threadIdx.x;\n"
                "  int to_row = blockIdx.x * SIDE + threadIdx.y;\n"
                "  if (to_row < width && to_col < height)\n"
                "    out[(size_t)to_row * height + to_col] = tile[threadIdx.x][threadIdx.y];\n"
            ),
            "    out[(size_t)col * height + row] = in[(size_t)row * width + col];\n",
        ),
    ),
    # A block has half as many threads.
    Right(
        "eightyeight_pairs_four_rows_of_threads",
        "eightyeight_pairs",
        ("b < S; b += 8)", "b < S; b += blockDim.y)"),
        ("dim3(S / 2, 8)", "dim3(S / 2, 4)"),
    ),
    # The sum is a double.
    Right(
        "eightyeight_product_sums_of_doubles",
        "eightyeight_product",
        ("float sum = 0.0f;", "double sum = 0.0;"),
        ("__float2half(sum)", "__float2half((float)sum)"),
    ),
    # The sum is divided once, and there may be a block more.
    Right(
        "eightyeight_shares_times_the_reciprocal",
        "eightyeight_shares",
        ("(rows + each - 1) / each, block_size", "rows / each + 1, block_size"),
        ("e / sum", "e * (1.0f / sum)"),
    ),
)
