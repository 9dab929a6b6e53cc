"""Hold a hundred-and-seventh family: a course's plain operators, and their plainest mistakes.

Its bases are the average of two float arrays, the sum of three half arrays, integers of 16 bits
to halves, bfloat16 to float, mish, the sign of doubles, the exponential of what is at most a
limit, the dot product, how many of each row are above 0, the smallest of all, softmax of a
scaled row, layer norm of doubles with a gain, bytes transposed, and a product of halves with a
bias. They have 12 to 50 lines, and are of people in their first half year of CUDA. They use
float4 whose addresses a thread looks at, half2 in a loop over the grid, packs of four and one
more thread for the rest, words that hold two bfloat16, a number a thread, a template with two
numbers a block apart, a loop over at most 40 blocks, shuffles and an atomic behind a memset, a
tree in shared memory, two kernels one after the other, a warp a row, a block a row whose sums a
function makes, a tile of 32 by 32 x 8 threads, and tiles of 16. Their mistakes are spread over
alignment, sizes, grids, block sizes, integers, values, rounding, NaN, infinity and the sign of
zero, inputs that are written, sums, start values, transposes, products, order, streams and what
is left of an earlier call. The causes were written before a member was judged. On the emulator
each ran beside PyTorch, compared as a case does, called twice on the same tensors, with NaN and
with 1e3 in floating outputs (-1 and 77 in others), with tensors at either end of their pages,
the bytes behind them and their inputs looked at afterwards, on a stream that is not the default
one, with threads in order, from the last to the first and in a random order, and in the slices
that the cases name. Bases and right ones ran all cases, except that those of 2^31 numbers and
more did not end in a second; wrong ones ran until they were wrong often enough. Of those that
lack a barrier not each is wrong in every order of threads, and dot_no_atomic, whose blocks must
meet, seldom is. nvcc 13.0 compiles each base for 8.0; none was run on a GPU. Bases and right
ones are right, and all others wrong or refused by a fault:

    hundredseven_mean_b_anywhere                 from 4 numbers on, by the address of b alone
    hundredseven_mean_sum_first                  of sums beyond the range
    hundredseven_mean_one_too_many               unless the last block is full
    hundredseven_mean_z_with_y                   from 4 numbers on, where packs are taken
    hundredseven_mean_three_of_four              from 4 numbers on, where packs are not taken
    hundredseven_add3_even_addresses             from 2 numbers on, by any address
    hundredseven_add3_in_halves                  of first sums that are not halves
    hundredseven_add3_rest_of_pairs_always       from 2 numbers on, where pairs are not taken
    hundredseven_add3_steps_of_pairs             from 32,770 numbers on, at the latest
    hundredseven_add3_no_stream                  on another stream than the default one
    hundredseven_shorts_toward_zero              of about half of those beyond 2,048
    hundredseven_shorts_no_thread_for_rest       unless 4 divides n, of 0, 128, 256, ... packs
    hundredseven_shorts_unsigned_packs           of numbers below 0, from 4 numbers on
    hundredseven_shorts_pairs_overlap            from 8 numbers on
    hundredseven_shorts_blocks_of_256            from a second block on: 512 numbers
    hundredseven_unpack_halves_of_words_swapped  from 8 numbers on, where packs are taken
    hundredseven_unpack_no_mask                  from 8 numbers on, where packs are taken
    hundredseven_unpack_dst_anywhere             from 8 numbers on, by the address of dst alone
    hundredseven_unpack_seven_are_a_pack         if 7 numbers are left, where packs are taken
    hundredseven_unpack_limit_of_blocks          from 8,193 numbers on at 64
    hundredseven_mish_log_of_one_more            far below 0
    hundredseven_mish_by_exponentials            from about 44.4 on
    hundredseven_mish_one_too_many               unless the block size divides n
    hundredseven_mish_always_256                 of other block sizes, from a second block on
    hundredseven_mish_limited_softplus           of nearly all below 20
    hundredseven_sign_zero_for_the_rest          of NaN and -0.0
    hundredseven_sign_by_float                   of numbers too small for a float
    hundredseven_sign_copied_sign                of zeros and NaN
    hundredseven_sign_last_not_written           of all
    hundredseven_sign_grid_rounded_down          if half or less of the last block is needed
    hundredseven_capped_nan_is_the_limit         of NaN
    hundredseven_capped_after_exponential        of nearly all around the limit
    hundredseven_capped_from_below               of all but those at the limit
    hundredseven_capped_input_is_capped          of those above the limit: in is overwritten
    hundredseven_capped_grid_for_block           from 259 numbers on
    hundredseven_dot_not_set                     unless out is 0 before
    hundredseven_dot_half_of_warps               from 129 numbers on
    hundredseven_dot_no_atomic                   from a second block on, as they meet
    hundredseven_dot_no_barrier                  where warps do not wait for another
    hundredseven_dot_starts_with_first           unless the first product is 0
    hundredseven_count_zeros_too                 of rows with a 0
    hundredseven_count_nan_counts                of rows with a NaN
    hundredseven_count_no_barrier_in_tree        where threads do not wait for another
    hundredseven_count_tree_starts_low           from 33 columns on
    hundredseven_count_bytes                     from 256 of a row on
    hundredseven_least_starts_at_0               if all numbers are above 0
    hundredseven_least_all_parts                 if a part that is not set is below
    hundredseven_least_second_no_stream          on another stream than the default one
    hundredseven_least_last_step_missing         unless an even place has the smallest
    hundredseven_least_by_size                   with numbers below 0
    hundredseven_softmax_top_not_scaled          if a scale moves the largest by far
    hundredseven_softmax_sixteen_lanes_apart     from 17 columns on, of unequal halves
    hundredseven_softmax_sums_go_down            from 2 columns on
    hundredseven_softmax_one_row_too_many        unless 4 divides the rows
    hundredseven_softmax_top_starts_at_0         of rows that are far below 0
    hundredseven_norm_one_less                   of nearly all
    hundredseven_norm_sum_of_floats              of sums that a float does not hold
    hundredseven_norm_gain_of_row                unless all gains are alike
    hundredseven_norm_no_last_barrier            where threads do not wait for another
    hundredseven_norm_half_steps                 from 65 columns on
    hundredseven_bytes_pitch_of_way_in           unless the matrix is square
    hundredseven_bytes_tile_not_turned           of nearly all
    hundredseven_bytes_no_barrier                where threads do not wait for another
    hundredseven_bytes_every_other_step          from 9 columns on
    hundredseven_bytes_blocks_stay               from a second tile on
    hundredseven_linear_bias_of_row              unless all of the bias are alike
    hundredseven_linear_whole_tiles_of_k         unless 16 divides k
    hundredseven_linear_no_second_barrier        from k = 17 on, where threads do not wait
    hundredseven_linear_sum_of_halves            of sums on the way that are not halves
    hundredseven_linear_grid_swapped             unless the tiles are as many each way
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case, ElementwiseMaker, elementwise_cases
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import whole

# The average of two arrays: four floats at once where all addresses allow it.
MEAN = (
    HEADER
    + """\
#define PACK 4

__device__ bool fits(const void *p) { return (uintptr_t)p % 16 == 0; }

__device__ float middle(float a, float b) { return 0.5f * a + 0.5f * b; }

__global__ void average(const float *a, const float *b, float *out, int n)
{
    int first = PACK * (blockIdx.x * blockDim.x + threadIdx.x);
    if (first + PACK <= n && fits(a) && fits(b) && fits(out)) {
        float4 p = *(const float4 *)(a + first);
        float4 q = *(const float4 *)(b + first);
        float4 r;
        r.x = middle(p.x, q.x);
        r.y = middle(p.y, q.y);
        r.z = middle(p.z, q.z);
        r.w = middle(p.w, q.w);
        *(float4 *)(out + first) = r;
        return;
    }
    for (int i = first; i < n && i < first + PACK; i++)
        out[i] = middle(a[i], b[i]);
}

extern "C" void launch(const float *a,  // [n]
                       const float *b,  // [n]
                       float *out,      // [n]
                       int n, int block_size = 128, cudaStream_t stream = 0)
{
    int each = PACK * block_size;
    int blocks = (n + each - 1) / each;
    if (blocks > 0)
        average<<<blocks, block_size, 0, stream>>>(a, b, out, n);
}
"""
)

# Three arrays of halves, two at once, in a loop over the grid.
ADD3 = (
    HEADER
    + """\
__global__ void add3(const half* a, const half* b, const half* c, half* sum, int pairs, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  int step = gridDim.x * blockDim.x;
  for (int p = t; p < pairs; p += step) {
    float2 u = __half22float2(((const half2*)a)[p]);
    float2 v = __half22float2(((const half2*)b)[p]);
    float2 w = __half22float2(((const half2*)c)[p]);
    ((half2*)sum)[p] = __floats2half2_rn(u.x + v.x + w.x, u.y + v.y + w.y);
  }
  for (int i = 2 * pairs + t; i < n; i += step) {
    float s = __half2float(a[i]) + __half2float(b[i]) + __half2float(c[i]);
    sum[i] = __float2half_rn(s);
  }
}

extern "C" void launch(const half* a,  // [n]
                       const half* b,  // [n]
                       const half* c,  // [n]
                       half* sum,      // [n]
                       int n, cudaStream_t stream = 0) {
  uintptr_t addresses = (uintptr_t)a | (uintptr_t)b | (uintptr_t)c | (uintptr_t)sum;
  int pairs = addresses % 4 == 0 ? n / 2 : 0;
  int blocks = (n + 255) / 256;
  if (blocks > 64) blocks = 64;
  if (n > 0) add3<<<blocks, 256, 0, stream>>>(a, b, c, sum, pairs, n);
}
"""
)

# Integers of 16 bits to halves: a pack of four a thread, and one more thread for the rest.
SHORTS = (
    HEADER
    + """\
#define BLOCK 128

__device__ half to_half(short v) { return __float2half_rn((float)v); }

__global__ void shorts_to_halves(const int16_t *x, half *y, int n)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p < n / 4) {
        short4 v = ((const short4 *)x)[p];
        half2 *pairs = (half2 *)y;
        pairs[2 * p] = __halves2half2(to_half(v.x), to_half(v.y));
        pairs[2 * p + 1] = __halves2half2(to_half(v.z), to_half(v.w));
    } else if (p == n / 4) {
        for (int i = 4 * p; i < n; i++)
            y[i] = to_half(x[i]);
    }
}

extern "C" void launch(const int16_t *x,  // [n] 8-byte aligned
                       half *y,           // [n] 8-byte aligned
                       int n, cudaStream_t stream = 0)
{
    int blocks = n / 4 / BLOCK + 1;
    shorts_to_halves<<<blocks, BLOCK, 0, stream>>>(x, y, n);
}
"""
)

# bfloat16 to float, eight a thread: a word holds two, of which each is the upper half.
UNPACK = (
    HEADER
    + """\
namespace {
constexpr int kEach = 8;

__device__ float low(uint32_t word) { return __uint_as_float(word << 16); }
__device__ float high(uint32_t word) { return __uint_as_float(word & 0xffff0000u); }

__global__ void unpack(const __nv_bfloat16* src, float* dst, bool wide, int n) {
  const int begin = (blockIdx.x * blockDim.x + threadIdx.x) * kEach;
  if (wide && begin + kEach <= n) {
    const uint4 w = *reinterpret_cast<const uint4*>(src + begin);
    float4* to = reinterpret_cast<float4*>(dst + begin);
    to[0] = make_float4(low(w.x), high(w.x), low(w.y), high(w.y));
    to[1] = make_float4(low(w.z), high(w.z), low(w.w), high(w.w));
  } else {
    for (int i = begin; i < n && i < begin + kEach; ++i) dst[i] = __bfloat162float(src[i]);
  }
}
}  // namespace

extern "C" void launch(const __nv_bfloat16* src,  // [n]
                       float* dst,                // [n]
                       int n, int block_size = 64, cudaStream_t stream = 0) {
  const bool wide = (uintptr_t)src % 16 == 0 && (uintptr_t)dst % 16 == 0;
  int blocks = (n + kEach * block_size - 1) / (kEach * block_size);
  if (blocks == 0) return;
  unpack<<<blocks, block_size, 0, stream>>>(src, dst, wide, n);
}
"""
)

# Mish, one a thread.
MISH = (
    HEADER
    + """\
static __device__ float softplus(float t)
{
    return log1pf(expf(t));
}

__global__ void mish_forward(const float *__restrict__ in, float *__restrict__ out, int n)
{
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx >= n)
        return;
    const float v = in[idx];
    out[idx] = v * tanhf(softplus(v));
}

extern "C" void launch(const float *in,  // [n]
                       float *out,       // [n]
                       int n, int block_size = 256, cudaStream_t stream = 0)
{
    if (n == 0)
        return;
    dim3 grid((n + block_size - 1) / block_size);
    mish_forward<<<grid, block_size, 0, stream>>>(in, out, n);
}
"""
)

# The sign of doubles, two a thread a block apart; zeros and NaN stay what they are.
SIGN = (
    HEADER
    + """\
template <typename T>
__device__ T sign_of(T v) {
  if (v > 0) return 1;
  if (v < 0) return -1;
  return v;
}

template <int EACH>
__global__ void signs(const double* x, double* y, int n) {
  int i = EACH * blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll
  for (int k = 0; k < EACH; k++, i += blockDim.x) {
    if (i < n) y[i] = sign_of(x[i]);
  }
}

extern "C" void launch(const double* x,  // [n]
                       double* y,        // [n]
                       int n, int block_size = 128, cudaStream_t stream = 0) {
  int per_block = 2 * block_size;
  int blocks = (n + per_block - 1) / per_block;
  if (blocks > 0) signs<2><<<blocks, block_size, 0, stream>>>(x, y, n);
}
"""
)

# The exponential of what is at most `top`, in a loop over at most 40 blocks.
CAPPED = (
    HEADER
    + """\
__global__ void capped_exp(const float *in, float *out, float top, int n)
{
    int start = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = start; i < n; i += gridDim.x * blockDim.x) {
        float v = in[i];
        if (v > top)
            v = top;
        out[i] = expf(v);
    }
}

extern "C" void launch(const float *in,  // [n]
                       float *out,       // [n]
                       float top, int n, cudaStream_t stream = 0)
{
    const int threads = 256;
    int blocks = (n + threads - 1) / threads;
    if (blocks > 40)
        blocks = 40;
    capped_exp<<<blocks, threads, 0, stream>>>(in, out, top, n);
}
"""
)

# The dot product: warps by shuffles, blocks by an atomic addition.
DOT = (
    HEADER
    + """\
#define THREADS 256
#define WARPS (THREADS / 32)

__global__ void dot(const float* a, const float* b, float* out, int n) {
  __shared__ float of_warp[WARPS];
  int t = threadIdx.x;
  float s = 0.0f;
  for (int i = blockIdx.x * THREADS + t; i < n; i += gridDim.x * THREADS) s += a[i] * b[i];
  for (int d = 16; d > 0; d /= 2) s += __shfl_down_sync(0xffffffffu, s, d);
  if (t % 32 == 0) of_warp[t / 32] = s;
  __syncthreads();
  if (t < 32) {
    s = t < WARPS ? of_warp[t] : 0.0f;
    for (int d = WARPS / 2; d > 0; d /= 2) s += __shfl_down_sync(0xffffffffu, s, d);
    if (t == 0) atomicAdd(out, s);
  }
}

extern "C" void launch(const float* a,  // [n]
                       const float* b,  // [n]
                       float* out,      // [1]
                       int n, cudaStream_t stream = 0) {
  int blocks = (n + THREADS - 1) / THREADS;
  if (blocks > 80) blocks = 80;
  cudaMemsetAsync(out, 0, sizeof(float), stream);
  dot<<<blocks, THREADS, 0, stream>>>(a, b, out, n);
}
"""
)

# How many numbers of each row are above 0: a block a row, a tree in shared memory.
COUNT = (
    HEADER
    + """\
constexpr int SIZE = 64;

__global__ void positives(const float *x, int *count, int cols)
{
    __shared__ int part[SIZE];
    const float *row = x + (size_t)blockIdx.x * cols;
    int tid = threadIdx.x;

    int mine = 0;
    for (int c = tid; c < cols; c += SIZE)
        if (row[c] > 0.0f)
            mine++;
    part[tid] = mine;
    __syncthreads();

    for (int half_size = SIZE / 2; half_size > 0; half_size >>= 1) {
        if (tid < half_size)
            part[tid] += part[tid + half_size];
        __syncthreads();
    }
    if (tid == 0)
        count[blockIdx.x] = part[0];
}

extern "C" void launch(const float *x,  // [rows, cols]
                       int *count,      // [rows]
                       int rows, int cols, cudaStream_t stream = 0)
{
    positives<<<rows, SIZE, 0, stream>>>(x, count, cols);
}
"""
)

# The smallest of all: one kernel for the blocks' own, one for the smallest of these.
LEAST = (
    HEADER
    + """\
#define T 128
#define BLOCKS 48

__device__ float of_block[BLOCKS];

__device__ float less(float a, float b) { return b < a || b != b ? b : a; }

__global__ void least_of_blocks(const float* x, int64_t n) {
  __shared__ float s[T];
  int t = threadIdx.x;
  float m = __int_as_float(0x7f800000);  // infinity
  int64_t step = (int64_t)gridDim.x * T;
  for (int64_t i = (int64_t)blockIdx.x * T + t; i < n; i += step) m = less(m, x[i]);
  s[t] = m;
  __syncthreads();
  for (int h = T / 2; h > 0; h /= 2) {
    if (t < h) s[t] = less(s[t], s[t + h]);
    __syncthreads();
  }
  if (t == 0) of_block[blockIdx.x] = s[0];
}

__global__ void least_of_all(float* out, int blocks) {
  float m = of_block[0];
  for (int k = 1; k < blocks; k++) m = less(m, of_block[k]);
  out[0] = m;
}

extern "C" void launch(const float* x,  // [n]
                       float* out,      // [1]
                       int64_t n, cudaStream_t stream = 0) {
  int blocks = n < BLOCKS * T ? (int)((n + T - 1) / T) : BLOCKS;
  least_of_blocks<<<blocks, T, 0, stream>>>(x, n);
  least_of_all<<<1, 1, 0, stream>>>(out, blocks);
}
"""
)

# Softmax of a scaled row, a warp a row.
SOFTMAX = (
    HEADER
    + """\
#define WARPS 4

__device__ float warp_max(float v)
{
    for (int d = 16; d > 0; d /= 2)
        v = fmaxf(v, __shfl_xor_sync(0xffffffff, v, d));
    return v;
}

__device__ float warp_sum(float v)
{
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_xor_sync(0xffffffff, v, d);
    return v;
}

__global__ void scaled_softmax(const float *x, float *y, float scale, int rows, int cols)
{
    int lane = threadIdx.x % 32;
    int row = blockIdx.x * WARPS + threadIdx.x / 32;
    if (row >= rows)
        return;
    x += (size_t)row * cols;
    y += (size_t)row * cols;
    float top = scale * x[0];
    for (int c = lane; c < cols; c += 32)
        top = fmaxf(top, scale * x[c]);
    top = warp_max(top);
    float sum = 0.0f;
    for (int c = lane; c < cols; c += 32)
        sum += expf(scale * x[c] - top);
    sum = warp_sum(sum);
    for (int c = lane; c < cols; c += 32)
        y[c] = expf(scale * x[c] - top) / sum;
}

extern "C" void launch(const float *x,  // [rows, cols]
                       float *y,        // [rows, cols]
                       float scale, int rows, int cols, cudaStream_t stream = 0)
{
    int blocks = (rows + WARPS - 1) / WARPS;
    scaled_softmax<<<blocks, 32 * WARPS, 0, stream>>>(x, y, scale, rows, cols);
}
"""
)

# Layer norm of doubles with a gain for each column, a block a row.
NORM = (
    HEADER
    + """\
#define NT 128

__device__ double block_sum(double v, double* s) {
  int t = threadIdx.x;
  s[t] = v;
  __syncthreads();
  for (int h = NT / 2; h > 0; h /= 2) {
    if (t < h) s[t] += s[t + h];
    __syncthreads();
  }
  double total = s[0];
  __syncthreads();
  return total;
}

__global__ void norm(const double* x, const double* gain, double* y, double eps, int cols) {
  __shared__ double s[NT];
  const double* in = x + (size_t)blockIdx.x * cols;
  double* out = y + (size_t)blockIdx.x * cols;
  double sum = 0.0;
  for (int c = threadIdx.x; c < cols; c += NT) sum += in[c];
  double mean = block_sum(sum, s) / cols;
  double squares = 0.0;
  for (int c = threadIdx.x; c < cols; c += NT) {
    double d = in[c] - mean;
    squares += d * d;
  }
  double inverse = 1.0 / sqrt(block_sum(squares, s) / cols + eps);
  for (int c = threadIdx.x; c < cols; c += NT) out[c] = (in[c] - mean) * inverse * gain[c];
}

extern "C" void launch(const double* x,     // [rows, cols]
                       const double* gain,  // [cols]
                       double* y,           // [rows, cols]
                       double eps, int rows, int cols, cudaStream_t stream = 0) {
  norm<<<rows, NT, 0, stream>>>(x, gain, y, eps, cols);
}
"""
)

# Bytes transposed: a tile of 32 x 32 by 32 x 8 threads.
BYTES = (
    HEADER
    + """\
#define TILE 32
#define STEP 8

__global__ void transpose_bytes(const uint8_t *in, uint8_t *out, int rows, int cols)
{
    __shared__ uint8_t tile[TILE][TILE + 4];
    int tx = threadIdx.x, ty = threadIdx.y;
    int col = blockIdx.x * TILE + tx;
    int row = blockIdx.y * TILE + ty;
    for (int j = 0; j < TILE; j += STEP)
        if (col < cols && row + j < rows)
            tile[ty + j][tx] = in[(size_t)(row + j) * cols + col];
    __syncthreads();
    int out_col = blockIdx.y * TILE + tx;
    int out_row = blockIdx.x * TILE + ty;
    for (int j = 0; j < TILE; j += STEP)
        if (out_col < rows && out_row + j < cols)
            out[(size_t)(out_row + j) * rows + out_col] = tile[tx][ty + j];
}

extern "C" void launch(const uint8_t *in,  // [rows, cols]
                       uint8_t *out,       // [cols, rows]
                       int rows, int cols, cudaStream_t stream = 0)
{
    dim3 grid((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
    transpose_bytes<<<grid, dim3(TILE, STEP), 0, stream>>>(in, out, rows, cols);
}
"""
)

# A product of halves in tiles of 16 x 16, summed as float, and a bias for each column.
LINEAR = (
    HEADER
    + """\
#define S 16

__global__ void linear(const half* a, const half* b, const half* bias, half* c, int m, int n,
                       int k) {
  __shared__ half as[S][S];
  __shared__ half bs[S][S];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * S + ty;
  int col = blockIdx.x * S + tx;
  const half zero = __float2half(0.0f);
  float acc = 0.0f;
  for (int k0 = 0; k0 < k; k0 += S) {
    as[ty][tx] = row < m && k0 + tx < k ? a[(size_t)row * k + k0 + tx] : zero;
    bs[ty][tx] = k0 + ty < k && col < n ? b[(size_t)(k0 + ty) * n + col] : zero;
    __syncthreads();
    for (int q = 0; q < S; q++) acc += __half2float(as[ty][q]) * __half2float(bs[q][tx]);
    __syncthreads();
  }
  if (row < m && col < n)
    c[(size_t)row * n + col] = __float2half(acc + __half2float(bias[col]));
}

extern "C" void launch(const half* a,     // [m, k]
                       const half* b,     // [k, n]
                       const half* bias,  // [n]
                       half* c,           // [m, n]
                       int m, int n, int k, cudaStream_t stream = 0) {
  dim3 threads(S, S);
  dim3 blocks((n + S - 1) / S, (m + S - 1) / S);
  linear<<<blocks, threads, 0, stream>>>(a, b, bias, c, m, n, k);
}
"""
)

NAN, INF = float("nan"), float("inf")
LENGTHS = (*range(1, 71), 95, 96, 97, 127, 128, 129, 191, 192, 193, 255, 256, 257, 383, 384)
LENGTHS += (385, 511, 512, 513, 1000, 1023, 1024, 1025, 2047, 2049, 4096, 4099)
SIDES = ((1, 1), (2, 1), (1, 2), (3, 2), (4, 31), (5, 32), (8, 33), (33, 8), (2, 64), (65, 3))
SIDES += ((9, 70), (70, 1), (3, 1000), (1, 4099), (64, 70), (130, 6), (40, 50), (32, 32))
SIDES += ((301, 2), (3, 129), (7, 128), (5, 63), (65, 65), (6, 6), (7, 10), (2, 130), (3, 257))
SHAPES = ((1, 1, 1), (1, 5, 3), (7, 1, 4), (16, 16, 16), (17, 15, 16), (15, 17, 31), (3, 40, 2))
SHAPES += ((40, 3, 17), (33, 20, 33), (20, 33, 15), (64, 32, 48), (5, 70, 100), (70, 5, 9))
SHAPES += ((1, 300, 20), (300, 1, 20), (2, 3, 515), (31, 47, 65), (48, 48, 1))
FLOAT, DOUBLE, HALF, WHOLE = (
    (torch.float32,),
    (torch.float64,),
    (torch.float16,),
    (torch.int32,),
)


def average(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Halve the sum."""
    return (a + b) / 2


def add3(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
    """Add three."""
    return a + b + c


def mish(x: torch.Tensor) -> torch.Tensor:
    """Multiply by the tanh of the softplus."""
    return x * x.exp().log1p().tanh()


def sign(x: torch.Tensor) -> torch.Tensor:
    """Return 1 above 0, -1 below, and x itself elsewhere."""
    return torch.where(x > 0, 1.0, torch.where(x < 0, -1.0, x))


def averages(launcher: Launcher) -> Iterator[Case]:
    """Average as operators are checked, with more lengths and slices that are not aligned."""
    make = ElementwiseMaker.of(launcher, average, 1)
    yield from elementwise_cases(launcher, make)
    for n in LENGTHS:
        yield make.random(n, 2)
    for n in (4, 7, 33, 514, 1000):
        for offsets in ((4, 4, 4), (1, 4, 4), (4, 2, 4), (4, 4, 3), (4, 1, 8), (2, 2, 2)):
            yield make.shifted(n, 3, offsets)


def unpacks(launcher: Launcher) -> Iterator[Case]:
    """Cast as casts are checked, with more lengths and slices that are not aligned."""
    make = ElementwiseMaker.of(launcher, lambda x: x)
    yield from elementwise_cases(launcher, make)
    for n in LENGTHS:
        yield make.random(n, 2)
    for n in (8, 15, 33, 514, 1000):
        for offsets in ((8, 4), (8, 1), (4, 4), (16, 2), (1, 8), (3, 3)):
            yield make.shifted(n, 3, offsets)


def capped(launcher: Launcher) -> Iterator[Case]:
    """Raise: usual, all above the limit, far off, large limits, infinities, zeros, NaN."""
    for n in (*LENGTHS, 9_001, 10_241, 30_011, 100_003):
        x, j = whole(-999, 1000, n, n).float() / 128, torch.arange(n)
        for label, y, top in (
            ("usual", x, 2.0),
            ("all above", x.abs() + 1, 0.5),
            ("far off", x * 64, 20.0),
            ("a large limit", x * 16, 80.0),
            ("a limit below 0", x, -1.5),
            ("infinities", torch.where(j % 3 == 1, INF * (1 - j % 2 * 2), x), 10.0),
            ("zeros", torch.where(j % 2 == 1, 0.0, -0.0), 3.0),
            ("NaN", torch.where(j % 3 == 1, NAN, x), 4.0),
        ):
            v = y.double()
            right = torch.where(v > top, top, v).exp()
            slack = ((2.0**-20 * right + 2.0**-126).nan_to_num(0.0),)
            options = {"dtypes": FLOAT, "within": slack, "quick": n > 5000}
            yield Case(
                f"n = {n:,}, top = {top}, {label}", (y,), (right,), {"top": top}, **options
            )


def dots(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole numbers, so that all is exact: any, ones, signs, one, infinity, NaN."""
    for n in (*LENGTHS, 9_001, 20_481, 50_003):
        a, b = (whole(-9, 10, n, 2 * n + k).double() for k in range(2))
        j = torch.arange(n)
        for label, p, q in (
            ("any", a, b),
            ("ones", a * 0 + 1, b * 0 + 1),
            ("squares", a, a),
            ("negative only", a.abs() + 1, -b.abs() - 1),
            ("zeros", a * 0, b),
            ("the last alone", torch.where(j == n - 1, 3.0, 0.0), b * 0 + 2),
            ("an infinity", torch.where(j == n // 2, INF, a), b * 0 + 1),
            ("a NaN", a, torch.where(j == n // 3, NAN, b)),
        ):
            right = (p * q).sum().reshape(1)
            more = {"dtypes": FLOAT, "quick": n > 5000}
            yield Case(f"n = {n:,}, {label}", (p.float(), q.float()), (right,), **more)


def counts(launcher: Launcher) -> Iterator[Case]:
    """Count: any, all, none, zeros, tiny, one alone, infinities, NaN."""
    for rows, cols in (*SIDES, (3, 2_001), (513, 3)):
        n = rows * cols
        x, c = whole(-9, 10, n, n).reshape(rows, cols).double(), torch.arange(cols)
        for label, y in (
            ("any", x),
            ("all", x.abs() + 1),
            ("none", -x.abs() - 1),
            ("zeros", torch.where(c % 2 == 1, 0.0, -0.0) + x * 0),
            ("tiny", x * 2.0**-148),
            ("the last alone", torch.where(c == cols - 1, 1.0, x * 0)),
            ("infinities", torch.where(c % 3 == 1, INF, -x.abs())),
            ("NaN", torch.where(c % 4 == 0, NAN, x)),
        ):
            y = y.float()
            right = (y > 0).sum(1)
            yield Case(
                f"rows = {rows:,}, cols = {cols:,}, {label}", (y,), (right,), dtypes=WHOLE
            )


def shares(launcher: Launcher) -> Iterator[Case]:
    """Share out: any, equal, far above and below 0, one apart, a mask, NaN; scales."""
    for rows, cols in (*SIDES, (3, 2_001), (513, 3)):
        n = rows * cols
        x, c = whole(-40, 41, n, n).reshape(rows, cols) / 8.0, torch.arange(cols)
        for label, y, scale in (
            ("any", x, 1.0),
            ("a small scale", x, 0.125),
            ("a scale below 0", x, -2.0),
            ("equal", x * 0 + 3, 0.5),
            ("far above 0", x + 1000, 0.5),
            ("far below 0", x - 1000, 1.0),
            ("large and turned", x + 500, -1.0),
            ("one apart", torch.where(c == cols // 2, 9.0, x * 0), 1.0),
            ("a mask", torch.where((c % 3 == 1) & (c > 0), -INF, x), 0.25),
            ("NaN", torch.where((c == cols // 3) & (x > -3), NAN, x), 1.0),
        ):
            y = y.float()
            right = (scale * y.double()).softmax(1)
            slack = ((2.0**-17 * right + 2.0**-126).nan_to_num(0.0),)
            words = f"rows = {rows:,}, cols = {cols:,}, scale = {scale}, {label}"
            more = {"dtypes": FLOAT, "within": slack}
            yield Case(words, (y,), (right,), {"scale": scale}, **more)


def norms(launcher: Launcher) -> Iterator[Case]:
    """Norm whole numbers: any, plain, small, about a large mean, one apart, equal, NaN."""
    for rows, cols in (*SIDES, (3, 2_001), (129, 130)):
        n = rows * cols
        x, c = whole(-99, 100, n, n).reshape(rows, cols).double(), torch.arange(cols)
        gain = whole(-9, 10, cols, cols).double() / 4
        for label, y, g, eps in (
            ("any", x, gain, 1.0),
            ("plain", x, gain * 0 + 1, 0.001),
            ("small", x / 1024, gain, 0.25),
            ("about 3,000,000", x + 3_000_000, gain, 0.5),
            ("one apart", torch.where(c == cols // 3, 8.0, x * 0), gain, 0.125),
            ("equal", x * 0 + 5, gain, 0.25),
            ("negative only", -x.abs() - 1, gain, 0.5),
            ("NaN", torch.where((x > 0) & (c == cols // 2), NAN, x), gain, 1.0),
        ):
            d = y - y.mean(1, keepdim=True)
            right = d / ((d * d).mean(1, keepdim=True) + eps).sqrt() * g
            slack = 2.0**-40 * right.abs() + 2.0**-40 * g.abs() * y.abs().amax(1, True)
            words = f"rows = {rows:,}, cols = {cols:,}, eps = {eps}, {label}"
            more = {"dtypes": DOUBLE, "within": (slack.nan_to_num(0.0),)}
            yield Case(words, (y, g), (right,), {"eps": eps}, **more)


def turns(launcher: Launcher) -> Iterator[Case]:
    """Transpose bytes: any, and the index of the column or of the row."""
    for rows, cols in (*SIDES, (3, 2_001), (2_001, 2), (31, 97), (97, 31), (128, 64)):
        n = rows * cols
        x = whole(0, 256, n, n).reshape(rows, cols)
        for label, y in (
            ("any", x),
            ("columns", x * 0 + torch.arange(cols) % 251),
            ("rows", x * 0 + torch.arange(rows)[:, None] % 251),
        ):
            right = y.T.contiguous()
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y.to(torch.uint8),), (right,), dtypes=(torch.uint8,))


def linears(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole numbers, so that only the result rounds: any, no bias, large, NaN."""
    for m, n, k in SHAPES:
        a, b = whole(-9, 10, m * k, m + k).reshape(m, k), whole(-9, 10, k * n, n).reshape(k, n)
        bias = whole(-99, 100, n, n + 1)
        for label, p, q, r in (
            ("any", a, b, bias),
            ("no bias", a, b, bias * 0),
            ("a bias alone", a * 0, b, bias),
            ("ones", a * 0 + 1, b * 0 + 1, bias),
            ("large", a * 16, b * 16, bias * 8),
            ("much and little", a.abs() + 7, b * 0 + 3, bias),
            ("a NaN", torch.where(a == a[0, 0], NAN, a.double()), b, bias),
        ):
            p, q, r = p.half(), q.half(), r.half()
            right = p.double() @ q.double() + r.double()
            yield Case(f"m = {m}, n = {n}, k = {k}, {label}", (p, q, r), (right,), dtypes=HALF)


BASES = {
    "hundredseven_mean": Base(MEAN, {"cases": averages}),
    "hundredseven_add3": Base(ADD3, {"reference": add3, "ulp": 1}),
    "hundredseven_shorts": Base(SHORTS, {"reference": "cast"}),
    "hundredseven_unpack": Base(UNPACK, {"cases": unpacks}),
    "hundredseven_mish": Base(MISH, {"reference": mish, "ulp": 64}),
    "hundredseven_sign": Base(SIGN, {"reference": sign}),
    "hundredseven_capped": Base(CAPPED, {"cases": capped}),
    "hundredseven_dot": Base(DOT, {"cases": dots}),
    "hundredseven_count": Base(COUNT, {"cases": counts}),
    "hundredseven_least": Base(LEAST, cases="whole_array", function=torch.min),
    "hundredseven_softmax": Base(SOFTMAX, {"cases": shares}),
    "hundredseven_norm": Base(NORM, {"cases": norms}),
    "hundredseven_bytes": Base(BYTES, {"cases": turns}),
    "hundredseven_linear": Base(LINEAR, {"cases": linears}),
}

WRONG = (
    # ---- mean
    # The address of b is not looked at.
    Wrong(
        "hundredseven_mean_b_anywhere",
        "hundredseven_mean",
        "alignment",
        (("fits(a) && fits(b) && fits(out)"), ("fits(a) && fits(out)")),
    ),
    # The sum is made before it is halved.
    Wrong(
        "hundredseven_mean_sum_first",
        "hundredseven_mean",
        "infinity | numbers",
        (("return 0.5f * a + 0.5f * b;"), ("return 0.5f * (a + b);")),
    ),
    # The loop for the rest takes one more.
    Wrong(
        "hundredseven_mean_one_too_many",
        "hundredseven_mean",
        "bounds / tail",
        (("i < n && i < first + PACK;"), ("i <= n && i < first + PACK;")),
    ),
    # The third of a pack takes the second of b.
    Wrong(
        "hundredseven_mean_z_with_y",
        "hundredseven_mean",
        "other element / neighbour | numbers",
        (("middle(p.z, q.z)"), ("middle(p.z, q.y)")),
    ),
    # The loop for the rest takes three, also where the addresses are odd.
    Wrong(
        "hundredseven_mean_three_of_four",
        "hundredseven_mean",
        "unwritten / left out / alignment | nan / tail",
        (("i < first + PACK;"), ("i < first + PACK - 1;")),
    ),
    # ---- add3
    # Addresses need only be even to 2.
    Wrong(
        "hundredseven_add3_even_addresses",
        "hundredseven_add3",
        "alignment",
        (("addresses % 4 == 0"), ("addresses % 2 == 0")),
    ),
    # Pairs are added as halves, which rounds twice.
    Wrong(
        "hundredseven_add3_in_halves",
        "hundredseven_add3",
        "rounding / precision / infinity | numbers",
        (
            (
                "    float2 u = __half22float2(((const half2*)a)[p]);\n"
                "    float2 v = __half22float2(((const half2*)b)[p]);\n"
                "    float2 w = __half22float2(((const half2*)c)[p]);\n"
                "    ((half2*)sum)[p] = __floats2half2_rn(u.x + v.x + w.x, u.y + "
                "v.y + w.y);\n"
            ),
            (
                "    half2 u = ((const half2*)a)[p];\n"
                "    half2 v = ((const half2*)b)[p];\n"
                "    half2 w = ((const half2*)c)[p];\n"
                "    ((half2*)sum)[p] = __hadd2(__hadd2(u, v), w);\n"
            ),
        ),
    ),
    # The rest begins behind the pairs, even if none were taken.
    Wrong(
        "hundredseven_add3_rest_of_pairs_always",
        "hundredseven_add3",
        "unwritten / left out / alignment | nan / tail",
        (("int i = 2 * pairs + t;"), ("int i = n / 2 * 2 + t;")),
    ),
    # The loop goes two grids on.
    Wrong(
        "hundredseven_add3_steps_of_pairs",
        "hundredseven_add3",
        "left out / unwritten | nan / tail / grid",
        (("int step = gridDim.x * blockDim.x;"), ("int step = 2 * gridDim.x * blockDim.x;")),
    ),
    # The stream is not handed on.
    Wrong(
        "hundredseven_add3_no_stream",
        "hundredseven_add3",
        "stream",
        (("<<<blocks, 256, 0, stream>>>"), ("<<<blocks, 256>>>")),
    ),
    # ---- shorts
    # The conversion rounds toward zero.
    Wrong(
        "hundredseven_shorts_toward_zero",
        "hundredseven_shorts",
        "rounding | numbers",
        (("__float2half_rn((float)v)"), ("__float2half_rz((float)v)")),
    ),
    # The grid does not count the thread that takes the rest.
    Wrong(
        "hundredseven_shorts_no_thread_for_rest",
        "hundredseven_shorts",
        "grid / tail / unwritten / left out | nan / refused",
        (("int blocks = n / 4 / BLOCK + 1;"), ("int blocks = (n / 4 + BLOCK - 1) / BLOCK;")),
    ),
    # Packs are read as unsigned numbers.
    Wrong(
        "hundredseven_shorts_unsigned_packs",
        "hundredseven_shorts",
        "whole range | numbers / infinity / function / sign of zero",
        (
            ("        short4 v = ((const short4 *)x)[p];"),
            ("        ushort4 v = ((const ushort4 *)x)[p];"),
        ),
        (("half to_half(short v)"), ("half to_half(int v)")),
    ),
    # The two pairs of a thread begin where its number says.
    Wrong(
        "hundredseven_shorts_pairs_overlap",
        "hundredseven_shorts",
        ("unwritten / other element / left out / race / neighbour | nan / numbers / tail"),
        (("pairs[2 * p] ="), ("pairs[p] =")),
        (("pairs[2 * p + 1] ="), ("pairs[p + 1] =")),
    ),
    # Threads are counted as if a block had 256.
    Wrong(
        "hundredseven_shorts_blocks_of_256",
        "hundredseven_shorts",
        "block size | unwritten / left out / nan / tail / other element",
        (("blockIdx.x * blockDim.x + threadIdx.x"), ("blockIdx.x * 256 + threadIdx.x")),
    ),
    # ---- unpack
    # The upper half of a word is taken for the first.
    Wrong(
        "hundredseven_unpack_halves_of_words_swapped",
        "hundredseven_unpack",
        "swapped / neighbour / other element | numbers / nan",
        (("__uint_as_float(word << 16)"), ("__uint_as_float(word & 0xffff0000u)")),
        (
            ("float high(uint32_t word) { return __uint_as_float(word & 0xffff0000u); }"),
            ("float high(uint32_t word) { return __uint_as_float(word << 16); }"),
        ),
    ),
    # The lower half of a word stays below the upper one.
    Wrong(
        "hundredseven_unpack_no_mask",
        "hundredseven_unpack",
        "precision / rounding / other element | numbers / nan / infinity",
        (
            ("float high(uint32_t word) { return __uint_as_float(word & 0xffff0000u); }"),
            ("float high(uint32_t word) { return __uint_as_float(word); }"),
        ),
    ),
    # The address of the output is not looked at.
    Wrong(
        "hundredseven_unpack_dst_anywhere",
        "hundredseven_unpack",
        "alignment",
        (
            ("(uintptr_t)src % 16 == 0 && (uintptr_t)dst % 16 == 0"),
            ("(uintptr_t)src % 16 == 0"),
        ),
    ),
    # Seven numbers are taken for a pack.
    Wrong(
        "hundredseven_unpack_seven_are_a_pack",
        "hundredseven_unpack",
        "bounds / tail",
        (("begin + kEach <= n"), ("begin + kEach - 1 <= n")),
    ),
    # The grid has at most 16 blocks, and no loop.
    Wrong(
        "hundredseven_unpack_limit_of_blocks",
        "hundredseven_unpack",
        "grid / unwritten / left out | nan / tail",
        (
            ("  if (blocks == 0) return;"),
            ("  if (blocks > 16) blocks = 16;\n  if (blocks == 0) return;"),
        ),
    ),
    # ---- mish
    # The logarithm is that of 1 and the exponential, added first.
    Wrong(
        "hundredseven_mish_log_of_one_more",
        "hundredseven_mish",
        "precision | numbers / rounding / function",
        (("log1pf(expf(t))"), ("logf(1.0f + expf(t))")),
    ),
    # The square of the exponential overflows.
    Wrong(
        "hundredseven_mish_by_exponentials",
        "hundredseven_mish",
        "infinity / nan | numbers / function",
        (
            ("    out[idx] = v * tanhf(softplus(v));"),
            (
                "    const float e = expf(v), f = e * (e + 2.0f);\n"
                "    out[idx] = v * f / (f + 2.0f);"
            ),
        ),
        (
            (
                "static __device__ float softplus(float t)\n"
                "{\n"
                "    return log1pf(expf(t));\n"
                "}\n"
                "\n"
            ),
            (""),
        ),
    ),
    # One thread too many goes on.
    Wrong(
        "hundredseven_mish_one_too_many",
        "hundredseven_mish",
        "bounds / tail",
        (("idx >= n"), ("idx > n")),
    ),
    # The block size is typed in.
    Wrong(
        "hundredseven_mish_always_256",
        "hundredseven_mish",
        "block size | unwritten / left out / bounds / nan / tail / other element",
        (("blockIdx.x * blockDim.x"), ("blockIdx.x * 256")),
    ),
    # From 20 on the exponential stands for its softplus, with the wrong sign of the test.
    Wrong(
        "hundredseven_mish_limited_softplus",
        "hundredseven_mish",
        "function | numbers / infinity / precision / nan",
        (("    return log1pf(expf(t));"), ("    return t < 20.0f ? t : log1pf(expf(t));")),
    ),
    # ---- sign
    # What is neither above nor below 0 is 0.
    Wrong(
        "hundredseven_sign_zero_for_the_rest",
        "hundredseven_sign",
        "nan / sign of zero",
        (("  return v;\n"), ("  return 0;\n")),
    ),
    # Numbers are read as float.
    Wrong(
        "hundredseven_sign_by_float",
        "hundredseven_sign",
        "precision / subnormal / whole range / rounding | numbers / sign of zero",
        (("sign_of(x[i])"), ("sign_of((float)x[i])")),
    ),
    # A zero has the sign of 1.
    Wrong(
        "hundredseven_sign_copied_sign",
        "hundredseven_sign",
        "function / sign of zero / nan | numbers",
        (
            ("  if (v > 0) return 1;\n  if (v < 0) return -1;\n  return v;"),
            ("  return copysign((T)1, v);"),
        ),
    ),
    # The last number is left out.
    Wrong(
        "hundredseven_sign_last_not_written",
        "hundredseven_sign",
        "tail / unwritten / left out | nan / bounds",
        (("if (i < n) y"), ("if (i < n - 1) y")),
    ),
    # The number of blocks is not rounded up to whole ones.
    Wrong(
        "hundredseven_sign_grid_rounded_down",
        "hundredseven_sign",
        "grid / tail / unwritten / left out | nan",
        (("(n + per_block - 1) / per_block;"), ("(n + block_size - 1) / per_block;")),
    ),
    # ---- capped
    # The smaller of NaN and the limit is the limit.
    Wrong(
        "hundredseven_capped_nan_is_the_limit",
        "hundredseven_capped",
        "nan",
        (("        if (v > top)\n            v = top;\n"), ("        v = fminf(v, top);\n")),
    ),
    # The limit is that of the exponential.
    Wrong(
        "hundredseven_capped_after_exponential",
        "hundredseven_capped",
        "function | numbers / infinity",
        (
            ("        if (v > top)\n            v = top;\n        out[i] = expf(v);"),
            ("        v = expf(v);\n        out[i] = v > top ? top : v;"),
        ),
    ),
    # The limit is one from below.
    Wrong(
        "hundredseven_capped_from_below",
        "hundredseven_capped",
        "function / swapped | numbers / infinity",
        (("if (v > top)"), ("if (v < top)")),
    ),
    # The limited number is stored where it was read.
    Wrong(
        "hundredseven_capped_input_is_capped",
        "hundredseven_capped",
        "input | state",
        (("capped_exp(const float *in,"), ("capped_exp(float *in,")),
        (("            v = top;"), ("            in[i] = v = top;")),
        (("(in, out, top, n);"), ("((float *)in, out, top, n);")),
    ),
    # A block begins at its number times the number of blocks.
    Wrong(
        "hundredseven_capped_grid_for_block",
        "hundredseven_capped",
        ("unwritten / left out / other element / block size | nan / grid / tail / twice"),
        (("blockIdx.x * blockDim.x + threadIdx.x"), ("blockIdx.x * gridDim.x + threadIdx.x")),
    ),
    # ---- dot
    # The output is not set to 0.
    Wrong(
        "hundredseven_dot_not_set",
        "hundredseven_dot",
        "zero before | state / nan / numbers / start",
        (("  cudaMemsetAsync(out, 0, sizeof(float), stream);\n"), ("")),
    ),
    # The last tree begins at half of its height.
    Wrong(
        "hundredseven_dot_half_of_warps",
        "hundredseven_dot",
        "left out | numbers / nan / tail",
        (("int d = WARPS / 2; d > 0"), ("int d = WARPS / 4; d > 0")),
    ),
    # Blocks add without an atomic.
    Wrong(
        "hundredseven_dot_no_atomic",
        "hundredseven_dot",
        "race | left out / numbers / state",
        (("atomicAdd(out, s);"), ("*out += s;")),
    ),
    # The sums of the warps are read before all are stored.
    Wrong(
        "hundredseven_dot_no_barrier",
        "hundredseven_dot",
        "race | numbers / unwritten / left out / nan / state / other element",
        (("of_warp[t / 32] = s;\n  __syncthreads();\n"), ("of_warp[t / 32] = s;\n")),
    ),
    # Each thread begins with the first product.
    Wrong(
        "hundredseven_dot_starts_with_first",
        "hundredseven_dot",
        "start / twice | numbers / function / nan / infinity",
        (("float s = 0.0f;"), ("float s = a[0] * b[0];")),
    ),
    # ---- count
    # Zeros count.
    Wrong(
        "hundredseven_count_zeros_too",
        "hundredseven_count",
        "function | numbers / sign of zero",
        (("row[c] > 0.0f"), ("row[c] >= 0.0f")),
    ),
    # What is not at most 0 counts, and NaN is not.
    Wrong(
        "hundredseven_count_nan_counts",
        "hundredseven_count",
        "nan",
        (("if (row[c] > 0.0f)"), ("if (!(row[c] <= 0.0f))")),
    ),
    # Levels of the tree do not wait for another.
    Wrong(
        "hundredseven_count_no_barrier_in_tree",
        "hundredseven_count",
        "race | numbers / left out / other element / unwritten",
        (("part[tid + half_size];\n        __syncthreads();\n"), ("part[tid + half_size];\n")),
    ),
    # The tree begins at a quarter.
    Wrong(
        "hundredseven_count_tree_starts_low",
        "hundredseven_count",
        "left out | numbers / tail",
        (("half_size = SIZE / 2;"), ("half_size = SIZE / 4;")),
    ),
    # Counts have 8 bits.
    Wrong(
        "hundredseven_count_bytes",
        "hundredseven_count",
        "whole range / narrow | numbers / infinity",
        (("__shared__ int part[SIZE];"), ("__shared__ unsigned char part[SIZE];")),
    ),
    # ---- least
    # The smallest begins with 0.
    Wrong(
        "hundredseven_least_starts_at_0",
        "hundredseven_least",
        "start | numbers",
        (("float m = __int_as_float(0x7f800000);  // infinity"), ("float m = 0.0f;")),
    ),
    # The second kernel reads the parts of all blocks, also of earlier calls.
    Wrong(
        "hundredseven_least_all_parts",
        "hundredseven_least",
        "state / start / unwritten / other element | numbers",
        (("int k = 1; k < blocks; k++"), ("int k = 1; k < BLOCKS; k++")),
    ),
    # The second kernel is launched on the default stream.
    Wrong(
        "hundredseven_least_second_no_stream",
        "hundredseven_least",
        "stream | race / state",
        (("least_of_all<<<1, 1, 0, stream>>>"), ("least_of_all<<<1, 1>>>")),
    ),
    # The tree ends one step early.
    Wrong(
        "hundredseven_least_last_step_missing",
        "hundredseven_least",
        "left out | numbers / other element",
        (("h > 0; h /= 2"), ("h > 1; h /= 2")),
    ),
    # Sizes are compared, not numbers.
    Wrong(
        "hundredseven_least_by_size",
        "hundredseven_least",
        "function | numbers / infinity / sign of zero",
        (("return b < a ||"), ("return fabsf(b) < fabsf(a) ||")),
    ),
    # ---- softmax
    # The largest is that of the row before it is scaled.
    Wrong(
        "hundredseven_softmax_top_not_scaled",
        "hundredseven_softmax",
        "infinity / nan / function / precision | numbers / subnormal",
        (("float top = scale * x[0];"), ("float top = x[0];")),
        (("top = fmaxf(top, scale * x[c]);"), ("top = fmaxf(top, x[c]);")),
    ),
    # The largest is looked for among lanes up to 8 apart.
    Wrong(
        "hundredseven_softmax_sixteen_lanes_apart",
        "hundredseven_softmax",
        "left out / function / other element | numbers / infinity / nan / race",
        (
            ("    for (int d = 16; d > 0; d /= 2)\n        v = fmaxf("),
            ("    for (int d = 8; d > 0; d /= 2)\n        v = fmaxf("),
        ),
    ),
    # Sums go down, and all lanes use what they have.
    Wrong(
        "hundredseven_softmax_sums_go_down",
        "hundredseven_softmax",
        ("left out / other element / race / twice | numbers / function / infinity / nan"),
        (
            ("v += __shfl_xor_sync(0xffffffff, v, d);"),
            ("v += __shfl_down_sync(0xffffffff, v, d);"),
        ),
    ),
    # A warp behind the last row goes on.
    Wrong(
        "hundredseven_softmax_one_row_too_many",
        "hundredseven_softmax",
        "bounds",
        (("row >= rows"), ("row > rows")),
    ),
    # The largest begins with 0.
    Wrong(
        "hundredseven_softmax_top_starts_at_0",
        "hundredseven_softmax",
        "start | numbers / nan / infinity / precision / subnormal",
        (("float top = scale * x[0];"), ("float top = 0.0f;")),
    ),
    # ---- norm
    # Squares are divided by one less than the columns.
    Wrong(
        "hundredseven_norm_one_less",
        "hundredseven_norm",
        "function | numbers / nan / infinity",
        (("block_sum(squares, s) / cols + eps"), ("block_sum(squares, s) / (cols - 1) + eps")),
    ),
    # The sum is a float.
    Wrong(
        "hundredseven_norm_sum_of_floats",
        "hundredseven_norm",
        "precision / rounding / narrow | numbers",
        (("double sum = 0.0;"), ("float sum = 0.0f;")),
    ),
    # The gain is that of the row.
    Wrong(
        "hundredseven_norm_gain_of_row",
        "hundredseven_norm",
        "other element / sides / bounds | numbers",
        (("* gain[c];"), ("* gain[blockIdx.x];")),
    ),
    # The second sum is stored while others read the first.
    Wrong(
        "hundredseven_norm_no_last_barrier",
        "hundredseven_norm",
        "race | numbers / other element / state / nan / left out",
        (("  double total = s[0];\n  __syncthreads();\n"), ("  double total = s[0];\n")),
    ),
    # The loop of the first sum goes on by half a block.
    Wrong(
        "hundredseven_norm_half_steps",
        "hundredseven_norm",
        "twice | numbers / other element",
        (("c < cols; c += NT) sum += in[c];"), ("c < cols; c += NT / 2) sum += in[c];")),
    ),
    # ---- bytes
    # Rows that are written have the length of those that are read.
    Wrong(
        "hundredseven_bytes_pitch_of_way_in",
        "hundredseven_bytes",
        "sides / other element / bounds / unwritten | numbers / twice / race",
        (("* rows + out_col] ="), ("* cols + out_col] =")),
    ),
    # The tile is read as it was stored.
    Wrong(
        "hundredseven_bytes_tile_not_turned",
        "hundredseven_bytes",
        (
            "function / other element / swapped / unwritten | sides / numbers"
            " / neighbour / state"
        ),
        (("tile[tx][ty + j];"), ("tile[ty + j][tx];")),
    ),
    # The tile is read before all have stored it.
    Wrong(
        "hundredseven_bytes_no_barrier",
        "hundredseven_bytes",
        "race | numbers / unwritten / other element / state",
        (("    __syncthreads();\n"), ("")),
    ),
    # Every other row of threads' steps is left out as they write.
    Wrong(
        "hundredseven_bytes_every_other_step",
        "hundredseven_bytes",
        "unwritten / left out | nan / tail / numbers / sides",
        (("j += STEP)\n        if (out_col"), ("j += 2 * STEP)\n        if (out_col")),
    ),
    # A tile is written where it was read, not across the diagonal.
    Wrong(
        "hundredseven_bytes_blocks_stay",
        "hundredseven_bytes",
        ("other element / swapped / sides / unwritten / left out | numbers / bounds / twice"),
        (("int out_col = blockIdx.y * TILE + tx;"), ("int out_col = blockIdx.x * TILE + tx;")),
        (("int out_row = blockIdx.x * TILE + ty;"), ("int out_row = blockIdx.y * TILE + ty;")),
    ),
    # ---- linear
    # The bias is that of the row.
    Wrong(
        "hundredseven_linear_bias_of_row",
        "hundredseven_linear",
        "other element / sides / bounds | numbers",
        (("bias[col]"), ("bias[row]")),
    ),
    # Only whole tiles of k are taken.
    Wrong(
        "hundredseven_linear_whole_tiles_of_k",
        "hundredseven_linear",
        "tail / left out | numbers / nan / function",
        (("k0 < k; k0 += S"), ("k0 + S <= k; k0 += S")),
    ),
    # Tiles are filled while they are read.
    Wrong(
        "hundredseven_linear_no_second_barrier",
        "hundredseven_linear",
        "race | numbers / other element / left out",
        (("__half2float(bs[q][tx]);\n    __syncthreads();\n"), ("__half2float(bs[q][tx]);\n")),
    ),
    # The sum is a half.
    Wrong(
        "hundredseven_linear_sum_of_halves",
        "hundredseven_linear",
        "precision / rounding / infinity | numbers",
        (("float acc = 0.0f;"), ("half acc = zero;")),
        (
            ("acc += __half2float(as[ty][q]) * __half2float(bs[q][tx]);"),
            ("acc = __hfma(as[ty][q], bs[q][tx], acc);"),
        ),
        (("__float2half(acc + __half2float(bias[col]))"), ("__hadd(acc, bias[col])")),
    ),
    # The two sides of the grid are swapped.
    Wrong(
        "hundredseven_linear_grid_swapped",
        "hundredseven_linear",
        "grid / sides / swapped / unwritten / left out | numbers / tail / nan",
        (
            ("dim3 blocks((n + S - 1) / S, (m + S - 1) / S);"),
            ("dim3 blocks((m + S - 1) / S, (n + S - 1) / S);"),
        ),
    ),
)

RIGHT = (
    # The size and all indices have 64 bits.
    Right(
        "hundredseven_mean_long_n",
        "hundredseven_mean",
        (
            ("int first = PACK * (blockIdx.x * blockDim.x + threadIdx.x);"),
            ("int64_t first = PACK * ((int64_t)blockIdx.x * blockDim.x + threadIdx.x);"),
        ),
        (("float *out, int n)\n{"), ("float *out, int64_t n)\n{")),
        (("for (int i = first;"), ("for (int64_t i = first;")),
        (
            ("                       int n, int block_size"),
            ("                       int64_t n, int block_size"),
        ),
        (
            ("    int each = PACK * block_size;\n    int blocks ="),
            ("    int64_t each = PACK * block_size;\n    int64_t blocks ="),
        ),
        (("average<<<blocks,"), ("average<<<(unsigned)blocks,")),
    ),
    # There are always 64 blocks of 128 threads, some of them idle.
    Right(
        "hundredseven_add3_idle_blocks",
        "hundredseven_add3",
        (("  int blocks = (n + 255) / 256;\n  if (blocks > 64) blocks = 64;\n"), ("")),
        (("<<<blocks, 256, 0, stream>>>"), ("<<<64, 128, 0, stream>>>")),
    ),
    # Indices are uint32_t, and the blocks are counted otherwise.
    Right(
        "hundredseven_shorts_unsigned_indices",
        "hundredseven_shorts",
        (("    int p = blockIdx.x * blockDim.x"), ("    uint32_t p = blockIdx.x * blockDim.x")),
        (("if (p < n / 4)"), ("if (p < (uint32_t)n / 4)")),
        (("else if (p == n / 4)"), ("else if (p == (uint32_t)n / 4)")),
        (("for (int i = 4 * p; i < n;"), ("for (uint32_t i = 4 * p; i < (uint32_t)n;")),
        (("int blocks = n / 4 / BLOCK + 1;"), ("int blocks = (n + 3) / 4 / BLOCK + 1;")),
    ),
    # A thread goes through its words in a loop.
    Right(
        "hundredseven_unpack_by_words",
        "hundredseven_unpack",
        (
            (
                "    const uint4 w = *reinterpret_cast<const uint4*>(src + begin);\n"
                "    float4* to = reinterpret_cast<float4*>(dst + begin);\n"
                "    to[0] = make_float4(low(w.x), high(w.x), low(w.y), high(w.y));\n"
                "    to[1] = make_float4(low(w.z), high(w.z), low(w.w), high(w.w));\n"
            ),
            (
                "    const uint32_t* words = reinterpret_cast<const uint32_t*>(sr"
                "c + begin);\n"
                "    float2* to = reinterpret_cast<float2*>(dst + begin);\n"
                "    for (int k = 0; k < kEach / 2; ++k) to[k] = make_float2(low("
                "words[k]), high(words[k]));\n"
            ),
        ),
    ),
    # From 20 on softplus is its argument.
    Right(
        "hundredseven_mish_linear_from_20",
        "hundredseven_mish",
        (("    return log1pf(expf(t));"), ("    return t > 20.0f ? t : log1pf(expf(t));")),
    ),
    # A thread has four, and the block half as many threads by default.
    Right(
        "hundredseven_sign_four_each",
        "hundredseven_sign",
        (("int per_block = 2 * block_size;"), ("int per_block = 4 * block_size;")),
        (("signs<2>"), ("signs<4>")),
        (("int block_size = 128"), ("int block_size = 64")),
    ),
    # The loop goes from the end to the start.
    Right(
        "hundredseven_capped_backwards",
        "hundredseven_capped",
        (
            ("    for (int i = start; i < n; i += gridDim.x * blockDim.x) {"),
            (
                "    int step = gridDim.x * blockDim.x;\n"
                "    for (int i = n - 1 - start; i >= 0; i -= step) {"
            ),
        ),
        (
            ("        if (v > top)\n            v = top;\n        out[i] = expf(v);"),
            ("        out[i] = v > top ? expf(top) : expf(v);"),
        ),
    ),
    # Each warp adds its own sum.
    Right(
        "hundredseven_dot_one_atomic_a_warp",
        "hundredseven_dot",
        (("  __shared__ float of_warp[WARPS];\n"), ("")),
        (
            (
                "  if (t % 32 == 0) of_warp[t / 32] = s;\n"
                "  __syncthreads();\n"
                "  if (t < 32) {\n"
                "    s = t < WARPS ? of_warp[t] : 0.0f;\n"
                "    for (int d = WARPS / 2; d > 0; d /= 2) s += __shfl_down_sync"
                "(0xffffffffu, s, d);\n"
                "    if (t == 0) atomicAdd(out, s);\n"
                "  }\n"
            ),
            ("  if (t % 32 == 0) atomicAdd(out, s);\n"),
        ),
    ),
    # Barriers count.
    Right(
        "hundredseven_count_by_barriers",
        "hundredseven_count",
        (("    __shared__ int part[SIZE];\n"), ("")),
        (
            (
                "    int mine = 0;\n"
                "    for (int c = tid; c < cols; c += SIZE)\n"
                "        if (row[c] > 0.0f)\n"
                "            mine++;\n"
                "    part[tid] = mine;\n"
                "    __syncthreads();\n"
                "\n"
                "    for (int half_size = SIZE / 2; half_size > 0; half_size >>= 1) {\n"
                "        if (tid < half_size)\n"
                "            part[tid] += part[tid + half_size];\n"
                "        __syncthreads();\n"
                "    }\n"
                "    if (tid == 0)\n"
                "        count[blockIdx.x] = part[0];\n"
            ),
            (
                "    int all = 0;\n"
                "    for (int c0 = 0; c0 < cols; c0 += SIZE)\n"
                "        all += __syncthreads_count(c0 + tid < cols && row[c0 + t"
                "id] > 0.0f);\n"
                "    if (tid == 0)\n"
                "        count[blockIdx.x] = all;\n"
            ),
        ),
    ),
    # A warp looks through the parts.
    Right(
        "hundredseven_least_warp_of_parts",
        "hundredseven_least",
        (
            (
                "  float m = of_block[0];\n"
                "  for (int k = 1; k < blocks; k++) m = less(m, of_block[k]);\n"
                "  out[0] = m;\n"
            ),
            (
                "  float m = of_block[0];\n"
                "  for (int k = threadIdx.x; k < blocks; k += 32) m = less(m, of_"
                "block[k]);\n"
                "  for (int d = 16; d > 0; d /= 2) m = less(m, __shfl_xor_sync(0x"
                "ffffffff, m, d));\n"
                "  if (threadIdx.x == 0) out[0] = m;\n"
            ),
        ),
        (("<<<1, 1, 0, stream>>>"), ("<<<1, 32, 0, stream>>>")),
    ),
    # A block has two warps, and exponentials are stored before they are divided.
    Right(
        "hundredseven_softmax_two_warps",
        "hundredseven_softmax",
        (("#define WARPS 4"), ("#define WARPS 2")),
        (
            (
                "    for (int c = lane; c < cols; c += 32)\n"
                "        sum += expf(scale * x[c] - top);"
            ),
            (
                "    for (int c = lane; c < cols; c += 32) {\n"
                "        y[c] = expf(scale * x[c] - top);\n"
                "        sum += y[c];\n"
                "    }"
            ),
        ),
        (("        y[c] = expf(scale * x[c] - top) / sum;"), ("        y[c] /= sum;")),
    ),
    # The root is inverted at once, and the arguments have another order; 64 threads.
    Right(
        "hundredseven_norm_rsqrt",
        "hundredseven_norm",
        (("#define NT 128"), ("#define NT 64")),
        (
            ("1.0 / sqrt(block_sum(squares, s) / cols + eps)"),
            ("rsqrt(block_sum(squares, s) / cols + eps)"),
        ),
        (
            ("double eps, int rows, int cols, cudaStream_t"),
            ("int rows, int cols, double eps, cudaStream_t"),
        ),
    ),
    # Each thread writes the byte that it has stored, and the output is cleared before.
    Right(
        "hundredseven_bytes_own_byte",
        "hundredseven_bytes",
        (
            (
                "    int out_col = blockIdx.y * TILE + tx;\n"
                "    int out_row = blockIdx.x * TILE + ty;\n"
            ),
            (""),
        ),
        (
            (
                "        if (out_col < rows && out_row + j < cols)\n"
                "            out[(size_t)(out_row + j) * rows + out_col] = tile[t"
                "x][ty + j];"
            ),
            (
                "        if (col < cols && row + j < rows)\n"
                "            out[(size_t)col * rows + row + j] = tile[ty + j][tx];"
            ),
        ),
        (
            ("    dim3 grid("),
            ("    cudaMemsetAsync(out, 0, (size_t)rows * cols, stream);\n    dim3 grid("),
        ),
    ),
    # Tiles hold floats, and the sum begins with the bias.
    Right(
        "hundredseven_linear_tiles_of_floats",
        "hundredseven_linear",
        (
            ("  __shared__ half as[S][S];\n  __shared__ half bs[S][S];"),
            ("  __shared__ float as[S][S + 1];\n  __shared__ float bs[S][S + 1];"),
        ),
        (
            ("  const half zero = __float2half(0.0f);\n  float acc = 0.0f;"),
            ("  float acc = col < n ? __half2float(bias[col]) : 0.0f;"),
        ),
        (
            ("? a[(size_t)row * k + k0 + tx] : zero;"),
            ("? __half2float(a[(size_t)row * k + k0 + tx]) : 0.0f;"),
        ),
        (
            ("? b[(size_t)(k0 + ty) * n + col] : zero;"),
            ("? __half2float(b[(size_t)(k0 + ty) * n + col]) : 0.0f;"),
        ),
        (("__half2float(as[ty][q]) * __half2float(bs[q][tx])"), ("as[ty][q] * bs[q][tx]")),
        (("__float2half(acc + __half2float(bias[col]))"), ("__float2half(acc)")),
    ),
)
