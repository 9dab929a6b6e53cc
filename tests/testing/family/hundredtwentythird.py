"""Hold a hundred-and-twenty-third family: a course's plain operators, and plain mistakes.

Its bases are a multiply-add of halves, int32 to float in packs, float to int16, a sigmoid with
a grid of 64 blocks, GELU of bfloat16 by tanh, mish, a sum of amounts with partial sums in
memory of its own, the largest amount of each row of halves, a count of what is positive in each
row, a transpose of doubles by tiles, a product of batches of matrices, the dot product of each
pair of rows, softmax of halves by a warp, and an RMS norm of bfloat16 by a block. Five wrong
members and a right one belong to each. The causes were written before a member was judged. On
the emulator each was run on the cases, called twice on the same tensors, with NaN, 1e3 and 0.5
in floating outputs (-1 and 77 in others), with tensors at either end of their pages, the bytes
around them and the inputs looked at afterwards, on a stream that is not the default one, with
threads in order, from the last to the first and in a random order; the elementwise ones at
addresses of slices, too. Bases and right ones ran all cases and are right; wrong ones ran until
they were wrong often enough. nvcc 13.0 compiles each base, with its members, for 8.0; none was
run on a GPU:

    hundredtwentythree_fma_two_roundings        of inexact products
    hundredtwentythree_fma_b_for_c              of nearly all, where packs are taken
    hundredtwentythree_fma_c_anywhere           from 8 numbers on, by the address of c alone
    hundredtwentythree_fma_three_pairs          of the last two of eight, where packs are taken
    hundredtwentythree_fma_rest_from_c_0        of the rest behind packs
    hundredtwentythree_ints_cut_off             of some beyond 24 bits
    hundredtwentythree_ints_step_of_numbers     from 24,577 numbers on, with blocks of 128
    hundredtwentythree_ints_out_on_8            from 4 numbers on, by the address of dst
    hundredtwentythree_ints_no_sign             below 0, from 4 numbers on
    hundredtwentythree_ints_rest_no_stream      unless 4 divides n, on another stream
    hundredtwentythree_pcm_ties_away            of some halfway between two integers
    hundredtwentythree_pcm_even_limits          of -32,768 and below
    hundredtwentythree_pcm_limits_too_late      beyond 16 bits
    hundredtwentythree_pcm_step_of_1            from 260 numbers on, with blocks of 256
    hundredtwentythree_pcm_first_tested         unless a block's numbers divide n
    hundredtwentythree_sigmoid_step_for_256     of smaller blocks, from 64 of them on
    hundredtwentythree_sigmoid_power_of_2       of all but 0
    hundredtwentythree_sigmoid_by_tanh          of many below 0
    hundredtwentythree_sigmoid_limits_eat_nan   of NaN
    hundredtwentythree_sigmoid_whole_fours      unless 4 divides n
    hundredtwentythree_gelu_2_by_root_pi        of nearly all
    hundredtwentythree_gelu_narrow_u            of some
    hundredtwentythree_gelu_no_such_block       of odd counts, where pairs are taken
    hundredtwentythree_gelu_high_first          from 2 numbers on, where pairs are taken
    hundredtwentythree_gelu_one_good_address    from 2 numbers on, by the address of one alone
    hundredtwentythree_mish_log_of_1_and_e      of some below 0
    hundredtwentythree_mish_no_upper_limit      from about 44 on
    hundredtwentythree_mish_w_and_1             of nearly all
    hundredtwentythree_mish_smaller_half        of odd counts
    hundredtwentythree_mish_blocks_down         unless the block size divides the lower half
    hundredtwentythree_asum_bytes_for_parts     always
    hundredtwentythree_asum_first_no_stream     on another stream than the default one
    hundredtwentythree_asum_idle_blocks_leave   up to 24,448 numbers
    hundredtwentythree_asum_one_part_each       from 16,385 numbers on
    hundredtwentythree_asum_amounts_of_sums     of numbers of both signs in a block
    hundredtwentythree_peaks_from_least_normal  of rows of subnormal halves and zeros
    hundredtwentythree_peaks_fmaxf              of NaN
    hundredtwentythree_peaks_row_too_many       unless 4 divides the rows
    hundredtwentythree_peaks_odd_pitch          of odd numbers of columns
    hundredtwentythree_peaks_last_lane_writes   unless the largest is the last lane's
    hundredtwentythree_positive_with_zero       of zeros
    hundredtwentythree_positive_no_barrier      where threads do not wait for another
    hundredtwentythree_positive_some_vote       unless 32 divides the columns
    hundredtwentythree_positive_stored_as_int   always
    hundredtwentythree_positive_rows_in_y       from 65,536 rows on
    hundredtwentythree_turn_4_for_8             from 5 rows or 5 columns on
    hundredtwentythree_turn_corner_stays        from 33 rows or 33 columns on
    hundredtwentythree_turn_narrower_tile       from 2 rows on
    hundredtwentythree_turn_sides_of_input      unless square
    hundredtwentythree_turn_places_of_16_bits   from 65,537 rows or columns on
    hundredtwentythree_batch_b_like_a           from 2 matrices on, unless m and n are alike
    hundredtwentythree_batch_room_for_one_tile  always
    hundredtwentythree_batch_no_barrier         where threads do not wait for another
    hundredtwentythree_batch_adds_to_c          unless the result is 0 already
    hundredtwentythree_batch_last_again         unless 16 divides k
    hundredtwentythree_pairs_shuffles_from_16   of all but 0
    hundredtwentythree_pairs_first_row_of_b     from 2 rows on
    hundredtwentythree_pairs_second_untested    unless 16 divides the columns
    hundredtwentythree_pairs_32_rows_a_block    from 17 rows on
    hundredtwentythree_pairs_products_in_a      always: a is overwritten
    hundredtwentythree_softmax_top_of_lane      from 2 columns on
    hundredtwentythree_softmax_half_sum         of sums that are not halves
    hundredtwentythree_softmax_kept_as_halves   of some
    hundredtwentythree_softmax_blocks_of_first  of more rows than in the first call
    hundredtwentythree_softmax_whole_warps      unless 32 divides the columns
    hundredtwentythree_rms_no_eps               unless the mean is far above the small number
    hundredtwentythree_rms_mean_of_threads      unless there are as many columns as threads
    hundredtwentythree_rms_sums_of_32_warps     of blocks below 1,024
    hundredtwentythree_rms_room_for_8_warps     of blocks above 256
    hundredtwentythree_rms_weight_of_thread     of more columns than threads
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

# a*b + c of halves, eight a thread where all four addresses allow it; the rest one by one.
FMA = (
    HEADER
    + """\
static bool on16(const void* p) { return (uintptr_t)p % 16 == 0; }

__global__ void fma_packs(const uint4* a, const uint4* b, const uint4* c, uint4* out,
                          int packs) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= packs) return;
  uint4 x = a[t], y = b[t], z = c[t];
  const half2* p = (const half2*)&x;
  const half2* q = (const half2*)&y;
  half2* r = (half2*)&z;
  for (int j = 0; j < 4; ++j) r[j] = __hfma2(p[j], q[j], r[j]);
  out[t] = z;
}

__global__ void fma_ones(const half* a, const half* b, const half* c, half* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = __hfma(a[i], b[i], c[i]);
}

extern "C" void launch(const half* a,  // [n]
                       const half* b,  // [n]
                       const half* c,  // [n]
                       half* out,      // [n]
                       int n, cudaStream_t stream = 0) {
  bool fits = on16(a) && on16(b) && on16(c) && on16(out);
  int packs = fits ? n / 8 : 0;
  int done = 8 * packs;
  int rest = n - done;
  if (packs > 0) {
    fma_packs<<<(packs + 127) / 128, 128, 0, stream>>>((const uint4*)a, (const uint4*)b,
                                                       (const uint4*)c, (uint4*)out, packs);
  }
  if (rest > 0) {
    fma_ones<<<(rest + 127) / 128, 128, 0, stream>>>(a + done, b + done, c + done, out + done,
                                                     rest);
  }
}
"""
)

# int32 to float, an int4 at a time in a loop over the grid; a second kernel for the rest.
INTS = (
    HEADER
    + """\
#define MAX_GRID 48

static __global__ void quadsToFloat(const int4 *__restrict__ src, float4 *__restrict__ dst,
                                    int quads)
{
    const int step = gridDim.x * blockDim.x;
    for (int q = blockIdx.x * blockDim.x + threadIdx.x; q < quads; q += step) {
        const int4 v = src[q];
        float4 w;
        w.x = (float)v.x;
        w.y = (float)v.y;
        w.z = (float)v.z;
        w.w = (float)v.w;
        dst[q] = w;
    }
}

static __global__ void restToFloat(const int *src, float *dst, int from, int n)
{
    const int i = from + threadIdx.x;
    if (i < n)
        dst[i] = (float)src[i];
}

extern "C" void launch(const int *src,  // [n] 16-byte aligned
                       float *dst,      // [n] 16-byte aligned
                       int n, int block_size = 128, cudaStream_t stream = 0)
{
    const int quads = n / 4;
    if (quads > 0) {
        int grid = (quads - 1) / block_size + 1;
        if (grid > MAX_GRID)
            grid = MAX_GRID;
        quadsToFloat<<<grid, block_size, 0, stream>>>((const int4 *)src, (float4 *)dst, quads);
    }
    if (n % 4 != 0)
        restToFloat<<<1, 4, 0, stream>>>(src, dst, 4 * quads, n);
}
"""
)

# float to int16: to the nearest, between the limits; NaN becomes 0. Four numbers a thread.
PCM = (
    HEADER
    + """\
constexpr int PER_THREAD = 4;

__device__ __forceinline__ int16_t to_pcm(float s) {
    int v = __float2int_rn(s);
    if (v > 32767) v = 32767;
    if (v < -32768) v = -32768;
    return (int16_t)v;
}

__global__ void pcm_kernel(const float* samples, int16_t* pcm, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * (blockDim.x * PER_THREAD) + threadIdx.x;
#pragma unroll
    for (int k = 0; k < PER_THREAD; ++k) {
        if (i < n) pcm[i] = to_pcm(samples[i]);
        i += blockDim.x;
    }
}

extern "C" void launch(const float* samples,  // [n]
                       int16_t* pcm,          // [n]
                       int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    const int64_t per_block = (int64_t)block_size * PER_THREAD;
    const int64_t blocks = (n + per_block - 1) / per_block;
    if (blocks > 0) pcm_kernel<<<(unsigned)blocks, block_size, 0, stream>>>(samples, pcm, n);
}
"""
)

# Sigmoid of floats by 64 blocks, whatever n is.
SIGMOID = (
    HEADER
    + """\
static const int BLOCKS = 64;

__global__ void sigmoid_kernel(const float *in, float *out, int64_t count)
{
  const int64_t stride = (int64_t)BLOCKS * blockDim.x;
  int64_t k = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  while (k < count) {
    const float v = in[k];
    const float e = expf(-v);
    out[k] = 1.0f / (1.0f + e);
    k += stride;
  }
}

extern "C" void launch(const float *in,  // [n]
                       float *out,       // [n]
                       int64_t n, int block_size = 256, cudaStream_t stream = 0)
{
  sigmoid_kernel<<<BLOCKS, block_size, 0, stream>>>(in, out, n);
}
"""
)

# GELU by tanh, bfloat16 in pairs: (1 + tanh(u)) / 2 is 1 / (1 + exp(-2u)).
GELU = (
    HEADER
    + """\
using bf16 = __nv_bfloat16;
using bf16x2 = __nv_bfloat162;

__device__ float gelu_tanh(float x) {
  const float u = 0.7978845608f * (x + 0.044715f * x * x * x);
  const float e = expf(-2.0f * fabsf(u));
  const float s = 1.0f / (1.0f + e);
  return x * (u < 0.0f ? e * s : s);
}

__global__ void gelu_pairs(const bf16* x, bf16* y, int pairs, int n) {
  const int p = blockDim.x * blockIdx.x + threadIdx.x;
  if (p < pairs) {
    const float2 v = __bfloat1622float2(reinterpret_cast<const bf16x2*>(x)[p]);
    const bf16 first = __float2bfloat16(gelu_tanh(v.x));
    const bf16 second = __float2bfloat16(gelu_tanh(v.y));
    reinterpret_cast<bf16x2*>(y)[p] = __halves2bfloat162(first, second);
  }
  const int left = n - 2 * pairs;
  if (blockIdx.x == 0 && threadIdx.x < left)
    y[n - 1] = __float2bfloat16(gelu_tanh(__bfloat162float(x[n - 1])));
}

__global__ void gelu_each(const bf16* x, bf16* y, int n) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < n) y[i] = __float2bfloat16(gelu_tanh(__bfloat162float(x[i])));
}

extern "C" void launch(const __nv_bfloat16* x,  // [n]
                       __nv_bfloat16* y,        // [n]
                       int n, int block_size = 128, cudaStream_t stream = 0) {
  if (n < 1) return;
  const uintptr_t ends = ((uintptr_t)x | (uintptr_t)y) & 3;
  const int pairs = n / 2;
  if (ends == 0)
    gelu_pairs<<<pairs / block_size + 1, block_size, 0, stream>>>(x, y, pairs, n);
  else
    gelu_each<<<(n - 1) / block_size + 1, block_size, 0, stream>>>(x, y, n);
}
"""
)

# Mish of floats, x * tanh(log(1 + exp(x))); a thread takes one of each half of the array.
MISH = (
    HEADER
    + """\
__device__ float mish(float x)
{
        if (x > 20.0f)
                return x;
        if (x < -20.0f) {
                float h = expf(0.5f * x);
                return x * h * h;
        }
        float e = expf(x);
        float w = e * (e + 2.0f);
        return x * (w / (w + 2.0f));
}

__global__ void mish_halves(const float *x, float *y, int lower, int n)
{
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i >= lower)
                return;
        y[i] = mish(x[i]);
        int j = i + lower;
        if (j < n)
                y[j] = mish(x[j]);
}

extern "C" void launch(const float *x,  // [n]
                       float *y,        // [n]
                       int n, int block_size = 192, cudaStream_t stream = 0)
{
        int lower = n - n / 2;
        int blocks = (lower + block_size - 1) / block_size;
        if (blocks > 0)
                mish_halves<<<blocks, block_size, 0, stream>>>(x, y, lower, n);
}
"""
)

# The sum of the absolute values: 192 blocks write partial sums, one block adds them.
ASUM = (
    HEADER
    + """\
#define PARTS 192
#define NT 128

__device__ float block_sum(float v)
{
    __shared__ float s[NT];
    int t = threadIdx.x;
    s[t] = v;
    __syncthreads();
    for (int h = NT / 2; h > 0; h /= 2) {
        if (t < h)
            s[t] += s[t + h];
        __syncthreads();
    }
    return s[0];
}

__global__ void abs_parts(const float *x, float *parts, int n)
{
    int first = blockIdx.x * NT + threadIdx.x;
    float v = 0.0f;
    for (int i = first; i < n; i += PARTS * NT)
        v += fabsf(x[i]);
    float all = block_sum(v);
    if (threadIdx.x == 0)
        parts[blockIdx.x] = all;
}

__global__ void add_parts(const float *parts, float *total)
{
    float v = 0.0f;
    for (int p = threadIdx.x; p < PARTS; p += NT)
        v += parts[p];
    v = block_sum(v);
    if (threadIdx.x == 0)
        *total = v;
}

extern "C" void launch(const float *x,  // [n]
                       float *total,    // [1]
                       int n, cudaStream_t stream = 0)
{
    float *parts = nullptr;
    if (cudaMallocAsync(&parts, PARTS * sizeof(float), stream) != cudaSuccess)
        return;
    abs_parts<<<PARTS, NT, 0, stream>>>(x, parts, n);
    add_parts<<<1, NT, 0, stream>>>(parts, total);
    cudaFreeAsync(parts, stream);
}
"""
)

# The largest absolute value of each row of halves, a warp a row; a NaN stays.
PEAKS = (
    HEADER
    + """\
#define WARPS 4
#define ALL 0xffffffffu

__device__ float larger(float a, float b) { return b > a || isnan(b) ? b : a; }

__global__ void row_peaks(const half* x, half* peak, int rows, int cols, bool two) {
  const int lane = threadIdx.x & 31;
  const int row = blockIdx.x * WARPS + (threadIdx.x >> 5);
  if (row >= rows) return;
  const half* r = x + (size_t)row * cols;
  float m = 0.0f;
  if (two) {
    const half2* r2 = (const half2*)r;
    for (int p = lane; p < cols / 2; p += 32) {
      const float2 v = __half22float2(r2[p]);
      m = larger(m, fabsf(v.x));
      m = larger(m, fabsf(v.y));
    }
  } else {
    for (int c = lane; c < cols; c += 32) m = larger(m, fabsf(__half2float(r[c])));
  }
  for (int d = 16; d > 0; d >>= 1) m = larger(m, __shfl_down_sync(ALL, m, d));
  if (lane == 0) peak[row] = __float2half(m);
}

extern "C" void launch(const half* x,  // [rows, cols]
                       half* peak,     // [rows]
                       int rows, int cols, cudaStream_t stream = 0) {
  const bool two = (uintptr_t)x % sizeof(half2) == 0 && cols % 2 == 0;
  const int blocks = (rows + WARPS - 1) / WARPS;
  row_peaks<<<blocks, 32 * WARPS, 0, stream>>>(x, peak, rows, cols, two);
}
"""
)

# How many of each row are above 0: a block a row, votes of warps, a sum in shared memory.
POSITIVE = (
    HEADER
    + """\
const int T = 128;

__global__ void count_positive(const float *x, int64_t *counts, int cols)
{
    __shared__ int total;
    const int row = blockIdx.x;
    if (threadIdx.x == 0)
        total = 0;
    __syncthreads();
    const float *v = x + (int64_t)row * cols;
    for (int from = 0; from < cols; from += T) {
        const int c = from + threadIdx.x;
        const unsigned votes = __ballot_sync(0xffffffff, c < cols && v[c] > 0.0f);
        if (threadIdx.x % 32 == 0)
            atomicAdd(&total, __popc(votes));
    }
    __syncthreads();
    if (threadIdx.x == 0)
        counts[row] = total;
}

extern "C" void launch(const float *x,   // [rows, cols]
                       int64_t *counts,  // [rows]
                       int rows, int cols, cudaStream_t stream = 0)
{
    if (rows > 0)
        count_positive<<<rows, T, 0, stream>>>(x, counts, cols);
}
"""
)

# Transpose of doubles through a tile of 32 times 32 in shared memory, one column wider.
TURN = (
    HEADER
    + """\
#define SIDE 32
#define STEP 8
#define PITCH (SIDE + 1)

__global__ void transpose_tiles(const double* in, double* out, int rows, int cols) {
    __shared__ double tile[SIDE * PITCH];
    int c = blockIdx.x * SIDE + threadIdx.x;
    int r = blockIdx.y * SIDE + threadIdx.y;
    for (int k = 0; k < SIDE; k += STEP) {
        if (r + k < rows && c < cols)
            tile[(threadIdx.y + k) * PITCH + threadIdx.x] = in[(size_t)(r + k) * cols + c];
    }
    __syncthreads();
    // From here on a row and a column of the output.
    c = blockIdx.y * SIDE + threadIdx.x;
    r = blockIdx.x * SIDE + threadIdx.y;
    for (int k = 0; k < SIDE; k += STEP) {
        if (r + k < cols && c < rows)
            out[(size_t)(r + k) * rows + c] = tile[threadIdx.x * PITCH + threadIdx.y + k];
    }
}

extern "C" void launch(const double* in,  // [rows, cols]
                       double* out,       // [cols, rows]
                       int rows, int cols, cudaStream_t stream = 0) {
    const dim3 block(SIDE, STEP);
    const dim3 grid((cols + SIDE - 1) / SIDE, (rows + SIDE - 1) / SIDE);
    transpose_tiles<<<grid, block, 0, stream>>>(in, out, rows, cols);
}
"""
)

# A product of matrices for each z of the grid, tiles in dynamic shared memory.
BATCH = (
    HEADER
    + """\
#define TS 16

__global__ void bmm(const float *A, const float *B, float *C, int m, int n, int k)
{
    extern __shared__ float tiles[];
    float *ta = tiles;
    float *tb = tiles + TS * TS;
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * TS + ty;
    const int col = blockIdx.x * TS + tx;
    const float *a = A + (size_t)blockIdx.z * m * k;
    const float *b = B + (size_t)blockIdx.z * k * n;
    float *c = C + (size_t)blockIdx.z * m * n;
    float sum = 0.0f;
    for (int k0 = 0; k0 < k; k0 += TS) {
        ta[ty * TS + tx] = row < m && k0 + tx < k ? a[row * k + k0 + tx] : 0.0f;
        tb[ty * TS + tx] = k0 + ty < k && col < n ? b[(k0 + ty) * n + col] : 0.0f;
        __syncthreads();
        for (int j = 0; j < TS; ++j)
            sum += ta[ty * TS + j] * tb[j * TS + tx];
        __syncthreads();
    }
    if (row < m && col < n)
        c[row * n + col] = sum;
}

extern "C" void launch(const float *A,  // [batch, m, k]
                       const float *B,  // [batch, k, n]
                       float *C,        // [batch, m, n]
                       int batch, int m, int n, int k, cudaStream_t stream = 0)
{
    dim3 threads(TS, TS);
    dim3 blocks((n + TS - 1) / TS, (m + TS - 1) / TS, batch);
    size_t shared = 2 * TS * TS * sizeof(float);
    bmm<<<blocks, threads, shared, stream>>>(A, B, C, m, n, k);
}
"""
)

# The dot product of row i of a with row i of b, eight threads a row, two columns a step.
PAIRS = (
    HEADER
    + """\
#define LANES 8

__global__ void dot_rows(const float* a, const float* b, float* out, int rows, int cols) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  int row = thread / LANES;
  int lane = thread % LANES;
  float acc = 0.0f;
  if (row < rows) {
    const float* p = a + (size_t)row * cols;
    const float* q = b + (size_t)row * cols;
    for (int j = lane; j < cols; j += 2 * LANES) {
      acc += p[j] * q[j];
      int next = j + LANES;
      if (next < cols) acc += p[next] * q[next];
    }
  }
  for (int d = LANES / 2; d > 0; d /= 2) acc += __shfl_down_sync(0xffffffff, acc, d, LANES);
  if (row < rows && lane == 0) out[row] = acc;
}

extern "C" void launch(const float* a,  // [rows, cols]
                       const float* b,  // [rows, cols]
                       float* out,      // [rows]
                       int rows, int cols, cudaStream_t stream = 0) {
  const int threads = 128;
  const int rows_a_block = threads / LANES;
  int blocks = (rows + rows_a_block - 1) / rows_a_block;
  dot_rows<<<blocks, threads, 0, stream>>>(a, b, out, rows, cols);
}
"""
)

# Softmax of halves, a warp a row, sums of floats.
SOFTMAX = (
    HEADER
    + """\
__global__ void softmax_warp(const half *x, half *y, int rows, int cols)
{
    const int lane = threadIdx.x % 32;
    const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    if (row >= rows)
        return;
    const half *in = x + (int64_t)row * cols;
    half *out = y + (int64_t)row * cols;

    float top = -INFINITY;
    for (int c = lane; c < cols; c += 32)
        top = fmaxf(top, __half2float(in[c]));
    for (int d = 16; d > 0; d /= 2)
        top = fmaxf(top, __shfl_xor_sync(0xffffffff, top, d));

    float sum = 0.0f;
    for (int c = lane; c < cols; c += 32)
        sum += expf(__half2float(in[c]) - top);
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, d);

    for (int c = lane; c < cols; c += 32)
        out[c] = __float2half(expf(__half2float(in[c]) - top) / sum);
}

extern "C" void launch(const half *x,  // [rows, cols]
                       half *y,        // [rows, cols]
                       int rows, int cols, cudaStream_t stream = 0)
{
    int blocks = (rows + 3) / 4;
    softmax_warp<<<blocks, 4 * 32, 0, stream>>>(x, y, rows, cols);
}
"""
)

# RMS norm of bfloat16 with a weight for each column, a block a row.
RMS = (
    HEADER
    + """\
__global__ void rms_norm(const __nv_bfloat16* x, const __nv_bfloat16* weight,
                         __nv_bfloat16* y, float eps, int cols) {
    __shared__ float part[32];
    const size_t start = (size_t)blockIdx.x * cols;
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    const int warps = blockDim.x / 32;

    float squares = 0.0f;
    for (int j = threadIdx.x; j < cols; j += blockDim.x) {
        const float v = __bfloat162float(x[start + j]);
        squares += v * v;
    }
    for (int d = 16; d > 0; d >>= 1) squares += __shfl_xor_sync(0xffffffffu, squares, d);
    if (lane == 0) part[warp] = squares;
    __syncthreads();
    float all = lane < warps ? part[lane] : 0.0f;
    for (int d = 16; d > 0; d >>= 1) all += __shfl_xor_sync(0xffffffffu, all, d);

    const float scale = rsqrtf(all / cols + eps);
    for (int j = threadIdx.x; j < cols; j += blockDim.x) {
        const float v = __bfloat162float(x[start + j]) * scale;
        y[start + j] = __float2bfloat16(v * __bfloat162float(weight[j]));
    }
}

extern "C" void launch(const __nv_bfloat16* x,       // [rows, cols]
                       const __nv_bfloat16* weight,  // [cols]
                       __nv_bfloat16* y,             // [rows, cols]
                       float eps, int rows, int cols, int block_size = 128,
                       cudaStream_t stream = 0) {
    rms_norm<<<rows, block_size, 0, stream>>>(x, weight, y, eps, cols);
}
"""
)

NAN, INF = float("nan"), float("inf")
LENGTHS = (*range(1, 71), 95, 97, 127, 128, 129, 255, 256, 257, 383, 385, 511, 512, 513)
LENGTHS += (1000, 1023, 1024, 1025, 2047, 2049, 4099, 10_241, 16_385, 24_577, 50_003, 100_003)
SIDES = ((1, 1), (2, 1), (1, 2), (3, 2), (4, 31), (5, 32), (8, 33), (33, 8), (2, 64), (65, 3))
SIDES += ((9, 70), (70, 1), (3, 1000), (1, 2049), (64, 70), (130, 6), (40, 50), (32, 32))
SIDES += ((301, 2), (3, 129), (7, 128), (5, 63), (65, 65), (16, 16), (17, 15), (2, 300))
SIDES += ((1000, 3), (2049, 1), (15, 49), (49, 15), (129, 5), (2, 4099), (31, 9), (18, 7))
FLOAT, HALF, DOUBLE = (torch.float32,), (torch.float16,), (torch.float64,)
WHOLE, BF16 = (torch.int64,), (torch.bfloat16,)


def rounded_to_pcm(x: torch.Tensor) -> torch.Tensor:
    """Round to the nearest integer, to an even one of two, between the limits of 16 bits."""
    return x.round().clamp(-32_768, 32_767).nan_to_num(0.0)


def gelu(x: torch.Tensor) -> torch.Tensor:
    """Compute GELU by tanh, of which (1 + tanh(u)) / 2 is the sigmoid of 2u."""
    u = (2 / torch.pi) ** 0.5 * (x + 0.044715 * x**3)
    return x * torch.sigmoid(2 * u)


def multiply_adds(launcher: Launcher) -> Iterator[Case]:
    """Multiply and add as an operator does, and at addresses of their own."""
    make = ElementwiseMaker.of(launcher, REFERENCES["multiply_add"])
    yield from elementwise_cases(launcher, make)
    for n in range(1, 71):
        yield make.random(n, 3)
    for n in (8, 9, 67, 264):
        for offset in ((8, 8, 8, 1), (8, 8, 1, 8), (8, 4, 8, 8), (2, 8, 8, 8), (8, 8, 8, 8)):
            yield make.shifted(n, 5, offset)


def samples(launcher: Launcher) -> Iterator[Case]:
    """Round numbers as an operator does, and: of all sizes, halves, the limits, NaN."""
    make = ElementwiseMaker.of(launcher, rounded_to_pcm)
    yield from elementwise_cases(launcher, make)
    for n in LENGTHS:
        x, j = whole(-40_000, 40_001, n, n).double(), torch.arange(n)
        for label, y in (
            ("of all sizes", x * 0.75),
            ("halves", (x % 999) / 2),
            ("large", x * 1e5),
            ("at the limits", torch.where(j % 2 == 0, 32_766.5, -32_768.5) + (x % 5) / 4),
            ("infinities", torch.where(j % 3 == 1, INF, torch.where(j % 3 == 0, -INF, x))),
            ("NaN", torch.where(j % 5 == 2, NAN, x)),
        ):
            yield make.case(f"n = {n:,}, {label}", (y.float(),))


def sums(launcher: Launcher) -> Iterator[Case]:
    """Add the amounts of whole numbers, so that all is exact."""
    for n in LENGTHS:
        x, j = whole(-99, 100, n, n).double(), torch.arange(n)
        for label, y in (
            ("any", x),
            ("ones", x * 0 + 1),
            ("zeros", x * 0),
            ("below 0", -x.abs() - 1),
            ("signs in turn", torch.where(j % 2 == 0, 3.0, -3.0)),
            ("the first alone", torch.where(j == 0, -5.0, 0.0)),
            ("the last alone", torch.where(j == n - 1, -7.0, 0.0)),
            ("-infinity", torch.where(j == n // 2, -INF, x)),
            ("NaN", torch.where(j == n // 3, NAN, x)),
        ):
            right = (y.abs().sum().reshape(1),)
            options = {"dtypes": FLOAT, "quick": n > 5000}
            yield Case(f"n = {n:,}, {label}", (y.float(),), right, **options)


def row_peaks(launcher: Launcher) -> Iterator[Case]:
    """Look for the largest amounts: of any, of small ones, at the ends, infinities, NaN."""
    for rows, cols in SIDES:
        n = rows * cols
        x, c = whole(-999, 1000, n, n).reshape(rows, cols).double(), torch.arange(cols)
        for label, y in (
            ("any", x),
            ("above 0", x.abs() + 1),
            ("below 0", -x.abs() - 1),
            ("zeros", x * 0),
            ("subnormal", (x % 5 - 2) * 2.0**-20),
            ("in the first column", torch.where(c == 0, -2000.0, x)),
            ("in the last column", torch.where(c == cols - 1, -2000.0, x)),
            ("-infinity", torch.where(c == cols // 2, -INF, x)),
            ("NaN", torch.where((c == cols // 2) & (x > 0), NAN, x)),
        ):
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y.half(),), (y.abs().amax(1),), dtypes=HALF)
            if n < 300 and label == "any":
                words += ", the input from 1 on"
                more = {"dtypes": HALF, "offset": (1, 2)}
                yield Case(words, (y.half(),), (y.abs().amax(1),), **more)


def row_counts(launcher: Launcher) -> Iterator[Case]:
    """Count what is above 0: of any, of few values, all, none, at the ends, NaN."""
    for rows, cols in (*SIDES, (2, 40_003), (70_001, 1)):
        n = rows * cols
        x, c = whole(-99, 100, n, n).reshape(rows, cols).double(), torch.arange(cols)
        for label, y in (
            ("any", x),
            ("few values", x % 3 - 1),
            ("all", x.abs() + 1),
            ("none", -x.abs() - 1),
            ("zeros", x * 0),
            ("small", x * 1e-40),
            ("the last alone", torch.where(c == cols - 1, 1.0, -1.0) + x * 0),
            ("infinities and NaN", torch.where(x > 50, INF, torch.where(x < -50, NAN, x))),
        ):
            y = y.float()
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            right = ((y > 0).sum(1),)
            yield Case(words, (y,), right, dtypes=WHOLE, quick=n > 5000)


def turns(launcher: Launcher) -> Iterator[Case]:
    """Transpose: long, thin, odd and square shapes, with strange values."""
    for rows, cols in (*SIDES, (1, 70_003), (70_003, 1), (700, 130)):
        n = rows * cols
        x = whole(-99_999, 100_000, n, n).reshape(rows, cols).double()
        for label, y in (
            ("any", x),
            ("counted", torch.arange(n).reshape(rows, cols) + 0.5),
            ("strange", torch.where(x % 5 == 1, NAN, torch.where(x % 5 == 2, -INF, -0.0))),
        ):
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            y = y.double()
            yield Case(words, (y,), (y.T.contiguous(),), dtypes=DOUBLE, quick=n > 5000)


def products(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole numbers, so that all is exact: any, ones, the last, one matrix, NaN."""
    sides = ((1, 1, 1, 1), (2, 1, 2, 3), (3, 2, 1, 40), (2, 3, 5, 7), (4, 16, 16, 16))
    sides += ((2, 17, 15, 33), (3, 15, 17, 65), (5, 5, 40, 1), (2, 40, 5, 2), (1, 33, 31, 20))
    sides += ((3, 1, 70, 31), (2, 70, 1, 32), (2, 20, 65, 48), (1, 3, 2, 1000), (70, 2, 3, 4))
    for batch, m, n, k in (*sides, *((3, 7, 9, k) for k in range(2, 50, 3))):
        a = whole(-20, 21, batch * m * k, m + k).reshape(batch, m, k).double()
        b = whole(-20, 21, batch * k * n, n + 1).reshape(batch, k, n).double()
        which, h = torch.arange(batch)[:, None, None], torch.arange(k)
        for label, p, q in (
            ("any", a, b),
            ("ones", a * 0 + 1, b * 0 + 1),
            ("below 0", -a.abs() - 1, b.abs() + 1),
            ("the last alone", torch.where(h == k - 1, 3.0, 0.0) + a * 0, b.abs() + 1),
            ("the last of the batch", torch.where(which == batch - 1, a, 0.0), b),
            ("NaN in a row", torch.where(torch.arange(m)[:, None] == m // 2, NAN, a), b),
        ):
            words = f"batch = {batch}, m = {m}, n = {n}, k = {k}, {label}"
            yield Case(words, (p.float(), q.float()), (p @ q,), dtypes=FLOAT)


def row_products(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole numbers row by row, so that all is exact: any, ones, the ends, NaN."""
    for rows, cols in (*SIDES, *((5, k) for k in range(4, 40)), (4099, 3)):
        n = rows * cols
        a = whole(-20, 21, n, n).reshape(rows, cols).double()
        b = whole(-20, 21, n, n + 1).reshape(rows, cols).double()
        c, r = torch.arange(cols), torch.arange(rows)[:, None]
        for label, p, q in (
            ("any", a, b),
            ("ones", a * 0 + 1, b * 0 + 1),
            ("rising rows", a * 0 + 1, b * 0 + r % 100),
            ("below 0", -a.abs() - 1, b.abs() + 1),
            ("the last column alone", torch.where(c == cols - 1, 3.0, 0.0) + a * 0, b),
            ("infinity", torch.where(c == cols // 2, INF, a.abs()), b.abs() + 1),
            ("NaN", a, torch.where((c == cols // 2) & (r == rows // 2), NAN, b)),
        ):
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            right = ((p * q).sum(1),)
            more = {"dtypes": FLOAT, "quick": n > 5000}
            yield Case(words, (p.float(), q.float()), right, **more)


def softmaxes(launcher: Launcher) -> Iterator[Case]:
    """Take softmax: any, equal, far above and below 0, rising, a mask, a NaN."""
    for rows, cols in SIDES:
        n = rows * cols
        x, c = whole(-80, 81, n, n).reshape(rows, cols) / 16.0, torch.arange(cols)
        for label, y in (
            ("any", x),
            ("equal", x * 0 + 3),
            ("far above 0", x + 1000),
            ("far below 0", x - 1000),
            ("rising", x * 0 + (c % 200) / 16.0),
            ("a mask", torch.where((c % 3 == 1) & (c > 0), -INF, x)),
            ("NaN", torch.where(c == cols // 2, NAN, x)),
        ):
            v = y.half()
            p = v.double().softmax(1)
            slack = ((2.0**-11 + 2.0**-14) * p).nan_to_num(0.0) + 2.0**-25 + 2.0**-28
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (v,), (p,), dtypes=HALF, within=(slack,))


def norms(launcher: Launcher) -> Iterator[Case]:
    """Norm whole numbers with weights: any, plain, large, zeros, one apart, a NaN."""
    for rows, cols in SIDES:
        n = rows * cols
        x, c = whole(-99, 100, n, n).reshape(rows, cols).double(), torch.arange(cols)
        weight = whole(-16, 17, cols, cols + 1).double() / 8
        for k, (label, y, w, eps) in enumerate(
            (
                ("any", x, weight, 1.0),
                ("plain", x, weight * 0 + 1, 2.0**-10),
                ("small", x / 64, weight, 0.25),
                ("large", x * 64, weight, 1.0),
                ("zeros", x * 0, weight, 0.5),
                ("below 0", -x.abs() - 1, weight.abs() + 1, 0.125),
                ("one apart", torch.where(c == cols // 3, 700.0, x * 0 + 1), weight, 0.5),
                ("NaN", torch.where((x % 9 == 4) & (c == cols // 2), NAN, x), weight, 1.0),
            )
        ):
            v, w = y.bfloat16(), w.bfloat16()
            right = v.double() / ((v.double() ** 2).mean(1, keepdim=True) + eps).sqrt()
            right = right * w.double()
            scalars = {"eps": eps, "block_size": (128, 64, 512, 32, 1024)[(k + rows) % 5]}
            slack = (((2.0**-9 + 2.0**-13) * right.abs()).nan_to_num(0.0) + 2.0**-100,)
            words = f"rows = {rows:,}, cols = {cols:,}, {scalars}, {label}"
            yield Case(words, (v, w), (right,), scalars, dtypes=BF16, within=slack)


BASES = {
    "hundredtwentythree_fma": Base(FMA, {"cases": multiply_adds}),
    "hundredtwentythree_ints": Base(INTS, {"reference": "cast"}),
    "hundredtwentythree_pcm": Base(PCM, {"cases": samples}),
    "hundredtwentythree_sigmoid": Base(SIGMOID, {"reference": torch.sigmoid, "ulp": 4}),
    "hundredtwentythree_gelu": Base(GELU, {"reference": gelu, "ulp": 1}),
    "hundredtwentythree_mish": Base(MISH, {"reference": torch.nn.functional.mish, "ulp": 8}),
    "hundredtwentythree_asum": Base(ASUM, {"cases": sums}),
    "hundredtwentythree_peaks": Base(PEAKS, {"cases": row_peaks}),
    "hundredtwentythree_positive": Base(POSITIVE, {"cases": row_counts}),
    "hundredtwentythree_turn": Base(TURN, {"cases": turns}),
    "hundredtwentythree_batch": Base(BATCH, {"cases": products}),
    "hundredtwentythree_pairs": Base(PAIRS, {"cases": row_products}),
    "hundredtwentythree_softmax": Base(SOFTMAX, {"cases": softmaxes}),
    "hundredtwentythree_rms": Base(RMS, {"cases": norms}),
}

WRONG = (
    # ---- fma
    # The product is rounded to a half before it is added.
    Wrong(
        "hundredtwentythree_fma_two_roundings",
        "hundredtwentythree_fma",
        "rounding / precision | numbers / infinity / subnormal",
        ("__hfma2(p[j], q[j], r[j])", "__hadd2_rn(__hmul2_rn(p[j], q[j]), r[j])"),
        ("__hfma(a[i], b[i], c[i])", "__hadd_rn(__hmul_rn(a[i], b[i]), c[i])"),
    ),
    # A factor and the summand change places on the way to the packs.
    Wrong(
        "hundredtwentythree_fma_b_for_c",
        "hundredtwentythree_fma",
        "swapped / function | numbers / alignment",
        (
            "(const uint4*)a, (const uint4*)b,\n"
            "                                                       (const uint4*)c,",
            "(const uint4*)a, (const uint4*)c,\n"
            "                                                       (const uint4*)b,",
        ),
    ),
    # The address of c is not looked at.
    Wrong(
        "hundredtwentythree_fma_c_anywhere",
        "hundredtwentythree_fma",
        "alignment",
        ("on16(b) && on16(c) && on16(out)", "on16(b) && on16(out)"),
    ),
    # The last pair of a pack stays what c was.
    Wrong(
        "hundredtwentythree_fma_three_pairs",
        "hundredtwentythree_fma",
        "left out / copy / function | numbers / alignment / other element",
        ("j < 4; ++j", "j < 3; ++j"),
    ),
    # The rest begins with the first number of c.
    Wrong(
        "hundredtwentythree_fma_rest_from_c_0",
        "hundredtwentythree_fma",
        "tail / other element | numbers / alignment",
        ("b + done, c + done,", "b + done, c,"),
    ),
    # ---- ints
    # What does not fit is cut off.
    Wrong(
        "hundredtwentythree_ints_cut_off",
        "hundredtwentythree_ints",
        "rounding | numbers / precision",
        ("(float)v.x", "__int2float_rz(v.x)"),
        ("(float)v.y", "__int2float_rz(v.y)"),
        ("(float)v.z", "__int2float_rz(v.z)"),
        ("(float)v.w", "__int2float_rz(v.w)"),
    ),
    # The step counts numbers, the loop packs.
    Wrong(
        "hundredtwentythree_ints_step_of_numbers",
        "hundredtwentythree_ints",
        "unwritten / left out / grid | tail",
        ("step = gridDim.x * blockDim.x;", "step = 4 * gridDim.x * blockDim.x;"),
    ),
    # The result is declared to begin at any multiple of 8 bytes.
    Wrong(
        "hundredtwentythree_ints_out_on_8",
        "hundredtwentythree_ints",
        "alignment",
        ("float *dst,      // [n] 16-byte", "float *dst,      // [n] 8-byte"),
    ),
    # The numbers are taken as such without a sign.
    Wrong(
        "hundredtwentythree_ints_no_sign",
        "hundredtwentythree_ints",
        "whole range | numbers / function",
        ("const int4 v = src[q];", "const uint4 v = ((const uint4 *)src)[q];"),
    ),
    # The rest is launched without the stream.
    Wrong(
        "hundredtwentythree_ints_rest_no_stream",
        "hundredtwentythree_ints",
        "stream",
        ("restToFloat<<<1, 4, 0, stream>>>", "restToFloat<<<1, 4>>>"),
    ),
    # ---- pcm
    # Of two nearest integers the one farther from 0 is taken.
    Wrong(
        "hundredtwentythree_pcm_ties_away",
        "hundredtwentythree_pcm",
        "rounding | numbers",
        ("__float2int_rn(s)", "(int)roundf(s)"),
    ),
    # The lower limit is the upper one with the other sign.
    Wrong(
        "hundredtwentythree_pcm_even_limits",
        "hundredtwentythree_pcm",
        "whole range / function / infinity | numbers",
        ("if (v < -32768) v = -32768;", "if (v < -32767) v = -32767;"),
    ),
    # The limits come when the number has 16 bits already.
    Wrong(
        "hundredtwentythree_pcm_limits_too_late",
        "hundredtwentythree_pcm",
        "whole range / narrow | numbers / infinity / left out",
        ("int v = __float2int_rn(s);", "int16_t v = (int16_t)__float2int_rn(s);"),
    ),
    # The next number of a thread is the neighbour's.
    Wrong(
        "hundredtwentythree_pcm_step_of_1",
        "hundredtwentythree_pcm",
        "unwritten / left out | tail / twice / race / other element",
        ("i += blockDim.x;", "i += 1;"),
    ),
    # Only the first of four is tested.
    Wrong(
        "hundredtwentythree_pcm_first_tested",
        "hundredtwentythree_pcm",
        "bounds / tail",
        ("#pragma unroll\n", "    if (i >= n) return;\n#pragma unroll\n"),
        ("if (i < n) pcm[i]", "pcm[i]"),
    ),
    # ---- sigmoid
    # The step is that of blocks of 256.
    Wrong(
        "hundredtwentythree_sigmoid_step_for_256",
        "hundredtwentythree_sigmoid",
        "block size / grid / unwritten | left out / tail",
        ("(int64_t)BLOCKS * blockDim.x;", "(int64_t)BLOCKS * 256;"),
    ),
    # A power of 2 in place of one of e.
    Wrong(
        "hundredtwentythree_sigmoid_power_of_2",
        "hundredtwentythree_sigmoid",
        "function | numbers",
        ("expf(-v)", "exp2f(-v)"),
    ),
    # A half and a half of tanh, which is nothing far below 0.
    Wrong(
        "hundredtwentythree_sigmoid_by_tanh",
        "hundredtwentythree_sigmoid",
        "precision | numbers / rounding / subnormal / function",
        ("    const float e = expf(-v);\n", ""),
        ("1.0f / (1.0f + e)", "0.5f + 0.5f * tanhf(0.5f * v)"),
    ),
    # The limits make a number of NaN.
    Wrong(
        "hundredtwentythree_sigmoid_limits_eat_nan",
        "hundredtwentythree_sigmoid",
        "nan",
        ("const float v = in[k];", "const float v = fminf(fmaxf(in[k], -100.0f), 100.0f);"),
    ),
    # The count is made a multiple of 4.
    Wrong(
        "hundredtwentythree_sigmoid_whole_fours",
        "hundredtwentythree_sigmoid",
        "bounds / tail",
        ("(in, out, n);", "(in, out, (n + 3) / 4 * 4);"),
    ),
    # ---- gelu
    # Two by the root of pi, in place of the root of two by pi.
    Wrong(
        "hundredtwentythree_gelu_2_by_root_pi",
        "hundredtwentythree_gelu",
        "function | numbers",
        ("0.7978845608f", "1.1283791671f"),
    ),
    # The argument of tanh is a bfloat16.
    Wrong(
        "hundredtwentythree_gelu_narrow_u",
        "hundredtwentythree_gelu",
        "precision / rounding | numbers",
        (
            "const float u = 0.7978845608f * (x + 0.044715f * x * x * x);",
            "const float u = __bfloat162float(\n"
            "      __float2bfloat16(0.7978845608f * (x + 0.044715f * x * x * x)));",
        ),
    ),
    # The last number is left to a block that there is not.
    Wrong(
        "hundredtwentythree_gelu_no_such_block",
        "hundredtwentythree_gelu",
        "tail / unwritten | left out / alignment",
        ("if (blockIdx.x == 0 &&", "if (blockIdx.x == gridDim.x &&"),
    ),
    # The pair is put together the wrong way round.
    Wrong(
        "hundredtwentythree_gelu_high_first",
        "hundredtwentythree_gelu",
        "swapped / neighbour / other element | numbers / alignment",
        ("__halves2bfloat162(first, second)", "__halves2bfloat162(second, first)"),
    ),
    # One good address is enough.
    Wrong(
        "hundredtwentythree_gelu_one_good_address",
        "hundredtwentythree_gelu",
        "alignment",
        ("((uintptr_t)x | (uintptr_t)y) & 3", "((uintptr_t)x & (uintptr_t)y) & 3"),
    ),
    # ---- mish
    # 1 is added to what is small, and the logarithm taken.
    Wrong(
        "hundredtwentythree_mish_log_of_1_and_e",
        "hundredtwentythree_mish",
        "precision | numbers / rounding / subnormal / function",
        (
            "        float w = e * (e + 2.0f);\n        return x * (w / (w + 2.0f));",
            "        return x * tanhf(logf(1.0f + e));",
        ),
    ),
    # Far above 0 the square of the power is infinite.
    Wrong(
        "hundredtwentythree_mish_no_upper_limit",
        "hundredtwentythree_mish",
        "infinity / nan | numbers",
        ("        if (x > 20.0f)\n                return x;\n", ""),
    ),
    # The denominator has 1 in place of 2.
    Wrong(
        "hundredtwentythree_mish_w_and_1",
        "hundredtwentythree_mish",
        "function | numbers",
        ("(w / (w + 2.0f))", "(w / (w + 1.0f))"),
    ),
    # The lower half is the smaller one.
    Wrong(
        "hundredtwentythree_mish_smaller_half",
        "hundredtwentythree_mish",
        "tail / unwritten | left out",
        ("int lower = n - n / 2;", "int lower = n / 2;"),
    ),
    # The blocks are rounded down.
    Wrong(
        "hundredtwentythree_mish_blocks_down",
        "hundredtwentythree_mish",
        "grid / tail / unwritten | left out / block size",
        ("(lower + block_size - 1) / block_size", "lower / block_size"),
    ),
    # ---- asum
    # The memory has a byte for each part.
    Wrong(
        "hundredtwentythree_asum_bytes_for_parts",
        "hundredtwentythree_asum",
        "bounds",
        ("&parts, PARTS * sizeof(float), stream", "&parts, PARTS, stream"),
    ),
    # The first kernel is launched without the stream.
    Wrong(
        "hundredtwentythree_asum_first_no_stream",
        "hundredtwentythree_asum",
        "stream",
        ("abs_parts<<<PARTS, NT, 0, stream>>>", "abs_parts<<<PARTS, NT>>>"),
    ),
    # Blocks without a number leave, and write no part.
    Wrong(
        "hundredtwentythree_asum_idle_blocks_leave",
        "hundredtwentythree_asum",
        "unwritten / zero before | state / nan / numbers / infinity / start / left out",
        (
            "    int first = blockIdx.x * NT + threadIdx.x;\n",
            "    if (blockIdx.x * NT >= n)\n        return;\n"
            "    int first = blockIdx.x * NT + threadIdx.x;\n",
        ),
    ),
    # A thread adds one part, and there are more parts than threads.
    Wrong(
        "hundredtwentythree_asum_one_part_each",
        "hundredtwentythree_asum",
        "left out | numbers / tail",
        ("for (int p = threadIdx.x; p < PARTS; p += NT)", "int p = threadIdx.x;"),
    ),
    # The amount of a block's sum is taken.
    Wrong(
        "hundredtwentythree_asum_amounts_of_sums",
        "hundredtwentythree_asum",
        "function / numbers | left out",
        ("v += fabsf(x[i]);", "v += x[i];"),
        ("float all = block_sum(v);", "float all = fabsf(block_sum(v));"),
    ),
    # ---- peaks
    # The largest begins with the least normal half.
    Wrong(
        "hundredtwentythree_peaks_from_least_normal",
        "hundredtwentythree_peaks",
        "start | numbers / subnormal",
        ("float m = 0.0f;", "float m = 6.103515625e-5f;"),
    ),
    # NaN is passed over.
    Wrong(
        "hundredtwentythree_peaks_fmaxf",
        "hundredtwentythree_peaks",
        "nan",
        ("return b > a || isnan(b) ? b : a;", "return fmaxf(a, b);"),
    ),
    # A warp takes the row behind the last.
    Wrong(
        "hundredtwentythree_peaks_row_too_many",
        "hundredtwentythree_peaks",
        "bounds | tail",
        ("if (row >= rows) return;", "if (row > rows) return;"),
    ),
    # Pairs are taken in rows of odd length, too.
    Wrong(
        "hundredtwentythree_peaks_odd_pitch",
        "hundredtwentythree_peaks",
        "alignment / left out / tail | numbers / sides",
        (" % sizeof(half2) == 0 && cols % 2 == 0;", " % sizeof(half2) == 0;"),
    ),
    # The last lane writes, and the first has the result.
    Wrong(
        "hundredtwentythree_peaks_last_lane_writes",
        "hundredtwentythree_peaks",
        "left out / other element | numbers / start",
        ("if (lane == 0) peak[row]", "if (lane == 31) peak[row]"),
    ),
    # ---- positive
    # 0 counts as well.
    Wrong(
        "hundredtwentythree_positive_with_zero",
        "hundredtwentythree_positive",
        "numbers / function | sign of zero",
        ("v[c] > 0.0f", "v[c] >= 0.0f"),
    ),
    # Warps add before the total is 0.
    Wrong(
        "hundredtwentythree_positive_no_barrier",
        "hundredtwentythree_positive",
        "race | numbers / left out / start / zero before / unwritten / state",
        ("        total = 0;\n    __syncthreads();\n", "        total = 0;\n"),
    ),
    # The last step of the loop has not all lanes that are asked to vote.
    Wrong(
        "hundredtwentythree_positive_some_vote",
        "hundredtwentythree_positive",
        "race | timeout / left out / tail / numbers",
        (
            "    for (int from = 0; from < cols; from += T) {\n"
            "        const int c = from + threadIdx.x;\n",
            "    for (int c = threadIdx.x; c < cols; c += T) {\n",
        ),
        ("c < cols && v[c] > 0.0f", "v[c] > 0.0f"),
    ),
    # Counts are stored as integers of 32 bits.
    Wrong(
        "hundredtwentythree_positive_stored_as_int",
        "hundredtwentythree_positive",
        "narrow / unwritten / other element | left out / numbers / sides / whole range",
        (
            "const float *x, int64_t *counts, int cols)",
            "const float *x, int *counts, int cols)",
        ),
        ("stream>>>(x, counts, cols)", "stream>>>(x, (int *)counts, cols)"),
    ),
    # The rows are blocks in y, of which there may be 65,535.
    Wrong(
        "hundredtwentythree_positive_rows_in_y",
        "hundredtwentythree_positive",
        "grid / refused | unwritten",
        ("row = blockIdx.x;", "row = blockIdx.y;"),
        ("<<<rows, T, 0, stream>>>", "<<<dim3(1, rows), T, 0, stream>>>"),
    ),
    # ---- turn
    # A block has half of the rows that the loop steps over.
    Wrong(
        "hundredtwentythree_turn_4_for_8",
        "hundredtwentythree_turn",
        "unwritten / left out / block size | tail / nan / numbers",
        ("block(SIDE, STEP)", "block(SIDE, 4)"),
    ),
    # The tile is stored where it was read.
    Wrong(
        "hundredtwentythree_turn_corner_stays",
        "hundredtwentythree_turn",
        "other element / sides / swapped / bounds / unwritten"
        " | numbers / nan / left out / tail",
        (
            "    c = blockIdx.y * SIDE + threadIdx.x;\n"
            "    r = blockIdx.x * SIDE + threadIdx.y;\n",
            "",
        ),
    ),
    # Rows of the tile are read as if it were not wider.
    Wrong(
        "hundredtwentythree_turn_narrower_tile",
        "hundredtwentythree_turn",
        "other element | unwritten / numbers / sides / nan",
        ("tile[threadIdx.x * PITCH +", "tile[threadIdx.x * SIDE +"),
    ),
    # Places of the result are tested against the sides of the input.
    Wrong(
        "hundredtwentythree_turn_sides_of_input",
        "hundredtwentythree_turn",
        "bounds / sides / unwritten / swapped | left out / tail / other element / race",
        ("if (r + k < cols && c < rows)", "if (r + k < rows && c < cols)"),
    ),
    # Row and column have 16 bits.
    Wrong(
        "hundredtwentythree_turn_places_of_16_bits",
        "hundredtwentythree_turn",
        "narrow | bounds / unwritten / left out / other element / whole range / race / twice",
        ("int c = blockIdx.x * SIDE", "unsigned short c = blockIdx.x * SIDE"),
        ("int r = blockIdx.y * SIDE", "unsigned short r = blockIdx.y * SIDE"),
    ),
    # ---- batch
    # A matrix of B is as long as one of A.
    Wrong(
        "hundredtwentythree_batch_b_like_a",
        "hundredtwentythree_batch",
        "sides / bounds / other element | numbers",
        ("(size_t)blockIdx.z * k * n", "(size_t)blockIdx.z * m * k"),
    ),
    # There is room for one of two tiles.
    Wrong(
        "hundredtwentythree_batch_room_for_one_tile",
        "hundredtwentythree_batch",
        "bounds",
        ("shared = 2 * TS * TS", "shared = TS * TS"),
    ),
    # Tiles are read before all is there.
    Wrong(
        "hundredtwentythree_batch_no_barrier",
        "hundredtwentythree_batch",
        "race | numbers / other element / left out / nan / unwritten",
        ("        __syncthreads();\n        for (int j", "        for (int j"),
    ),
    # The product is added to what is there.
    Wrong(
        "hundredtwentythree_batch_adds_to_c",
        "hundredtwentythree_batch",
        "zero before | state / nan / unwritten",
        ("c[row * n + col] = sum;", "c[row * n + col] += sum;"),
    ),
    # Behind the last of k the last comes again.
    Wrong(
        "hundredtwentythree_batch_last_again",
        "hundredtwentythree_batch",
        "twice / tail / other element | numbers / sides",
        (
            "row < m && k0 + tx < k ? a[row * k + k0 + tx] : 0.0f;",
            "a[min(row, m - 1) * k + min(k0 + tx, k - 1)];",
        ),
        (
            "k0 + ty < k && col < n ? b[(k0 + ty) * n + col] : 0.0f;",
            "b[min(k0 + ty, k - 1) * n + min(col, n - 1)];",
        ),
    ),
    # ---- pairs
    # Shuffles begin as for a whole warp: a lane without a partner gets its own.
    Wrong(
        "hundredtwentythree_pairs_shuffles_from_16",
        "hundredtwentythree_pairs",
        "twice / function / other element | numbers",
        ("int d = LANES / 2;", "int d = 16;"),
    ),
    # All rows meet the first of b.
    Wrong(
        "hundredtwentythree_pairs_first_row_of_b",
        "hundredtwentythree_pairs",
        "other element | numbers / sides / left out",
        ("b + (size_t)row * cols;", "b;"),
    ),
    # The second of two columns is not tested.
    Wrong(
        "hundredtwentythree_pairs_second_untested",
        "hundredtwentythree_pairs",
        "bounds / other element / tail | numbers / sides",
        ("if (next < cols) acc +=", "acc +="),
    ),
    # Blocks are counted as if one took 32 rows.
    Wrong(
        "hundredtwentythree_pairs_32_rows_a_block",
        "hundredtwentythree_pairs",
        "grid / unwritten / left out | tail",
        ("rows_a_block = threads / LANES;", "rows_a_block = 32;"),
    ),
    # Products are put into a.
    Wrong(
        "hundredtwentythree_pairs_products_in_a",
        "hundredtwentythree_pairs",
        "input | state / numbers",
        ("dot_rows(const float* a,", "dot_rows(float* a,"),
        ("    const float* p = a +", "    float* p = a +"),
        ("acc += p[j] * q[j];", "p[j] *= q[j];\n      acc += p[j];"),
        ("stream>>>(a, b, out", "stream>>>((float*)a, b, out"),
    ),
    # ---- softmax
    # Each lane takes away the largest of its own columns.
    Wrong(
        "hundredtwentythree_softmax_top_of_lane",
        "hundredtwentythree_softmax",
        "left out / other element / function | numbers / infinity / nan",
        (
            "    for (int d = 16; d > 0; d /= 2)\n"
            "        top = fmaxf(top, __shfl_xor_sync(0xffffffff, top, d));\n",
            "",
        ),
    ),
    # The sum is a half.
    Wrong(
        "hundredtwentythree_softmax_half_sum",
        "hundredtwentythree_softmax",
        "precision / rounding / narrow | numbers / infinity / subnormal / left out",
        ("float sum = 0.0f;", "half sum = __float2half(0.0f);"),
        (
            "sum += expf(__half2float(in[c]) - top);",
            "sum = __hadd(sum, __float2half(expf(__half2float(in[c]) - top)));",
        ),
        (
            "sum += __shfl_xor_sync(0xffffffff, sum, d);",
            "sum = __hadd(sum, __shfl_xor_sync(0xffffffff, sum, d));",
        ),
        ("- top) / sum);", "- top) / __half2float(sum));"),
    ),
    # Exponentials are kept as halves, and divided when they are rounded.
    Wrong(
        "hundredtwentythree_softmax_kept_as_halves",
        "hundredtwentythree_softmax",
        "rounding / precision | numbers / subnormal",
        (
            "    for (int c = lane; c < cols; c += 32)\n"
            "        sum += expf(__half2float(in[c]) - top);\n",
            "    for (int c = lane; c < cols; c += 32) {\n"
            "        float e = expf(__half2float(in[c]) - top);\n"
            "        out[c] = __float2half(e);\n"
            "        sum += e;\n"
            "    }\n",
        ),
        (
            "__float2half(expf(__half2float(in[c]) - top) / sum)",
            "__float2half(__half2float(out[c]) / sum)",
        ),
    ),
    # The blocks are counted in the first call.
    Wrong(
        "hundredtwentythree_softmax_blocks_of_first",
        "hundredtwentythree_softmax",
        "state / grid / unwritten | left out / tail",
        ("int blocks = (rows", "static int blocks = (rows"),
    ),
    # Columns behind the last whole warp are not stored.
    Wrong(
        "hundredtwentythree_softmax_whole_warps",
        "hundredtwentythree_softmax",
        "tail / unwritten | left out / sides",
        (
            "c < cols; c += 32)\n        out[c]",
            "c < cols - cols % 32; c += 32)\n        out[c]",
        ),
    ),
    # ---- rms
    # The small number is forgotten.
    Wrong(
        "hundredtwentythree_rms_no_eps",
        "hundredtwentythree_rms",
        "left out / function | nan / infinity / numbers",
        ("rsqrtf(all / cols + eps)", "rsqrtf(all / cols)"),
    ),
    # The mean is taken over the threads.
    Wrong(
        "hundredtwentythree_rms_mean_of_threads",
        "hundredtwentythree_rms",
        "function / block size | numbers",
        ("all / cols + eps", "all / blockDim.x + eps"),
    ),
    # Sums are read of warps that there are not.
    Wrong(
        "hundredtwentythree_rms_sums_of_32_warps",
        "hundredtwentythree_rms",
        "unwritten | nan / infinity / numbers / state / start / block size / zero before",
        ("lane < warps ? part[lane] : 0.0f;", "part[lane];"),
    ),
    # There is room for the sums of 8 warps.
    Wrong(
        "hundredtwentythree_rms_room_for_8_warps",
        "hundredtwentythree_rms",
        "bounds / block size",
        ("float part[32];", "float part[8];"),
    ),
    # A thread has one weight for all of its columns.
    Wrong(
        "hundredtwentythree_rms_weight_of_thread",
        "hundredtwentythree_rms",
        "other element | numbers / block size / left out",
        ("weight[j])", "weight[threadIdx.x])"),
    ),
)

RIGHT = (
    # By way of doubles, in which the sum is exact, or far from a tie.
    Right(
        "hundredtwentythree_fma_doubles",
        "hundredtwentythree_fma",
        (
            "if (i < n) out[i] = __hfma(a[i], b[i], c[i]);",
            "if (i < n) {\n"
            "    double x = __half2float(a[i]), y = __half2float(b[i]);\n"
            "    out[i] = __double2half(x * y + (double)__half2float(c[i]));\n"
            "  }",
        ),
    ),
    # A whole warp for the rest.
    Right(
        "hundredtwentythree_ints_warp_for_rest",
        "hundredtwentythree_ints",
        ("restToFloat<<<1, 4, 0", "restToFloat<<<1, 32, 0"),
        ("dst[i] = (float)src[i];", "dst[i] = __int2float_rn(src[i]);"),
    ),
    # Rounded as a float.
    Right(
        "hundredtwentythree_pcm_rintf",
        "hundredtwentythree_pcm",
        ("__float2int_rn(s)", "(int)rintf(s)"),
    ),
    # The exponential never is large.
    Right(
        "hundredtwentythree_sigmoid_two_sides",
        "hundredtwentythree_sigmoid",
        ("expf(-v)", "expf(-fabsf(v))"),
        ("1.0f / (1.0f + e)", "(v < 0.0f ? e : 1.0f) / (1.0f + e)"),
    ),
    # Never in pairs.
    Right(
        "hundredtwentythree_gelu_never_pairs",
        "hundredtwentythree_gelu",
        (
            "  if (ends == 0)\n"
            "    gelu_pairs<<<pairs / block_size + 1, block_size, 0, stream>>>"
            "(x, y, pairs, n);\n"
            "  else\n"
            "    gelu_each",
            "  gelu_each",
        ),
        ("  const uintptr_t ends = ((uintptr_t)x | (uintptr_t)y) & 3;\n", ""),
        ("  const int pairs = n / 2;\n", ""),
    ),
    # By functions that are good near 0.
    Right(
        "hundredtwentythree_mish_log1p",
        "hundredtwentythree_mish",
        ("        float w = e * (e + 2.0f);\n", ""),
        ("x * (w / (w + 2.0f))", "x * tanhf(log1pf(e))"),
    ),
    # Memory that is given and taken back at once, twice as much as needed.
    Right(
        "hundredtwentythree_asum_plain_malloc",
        "hundredtwentythree_asum",
        (
            "cudaMallocAsync(&parts, PARTS * sizeof(float), stream)",
            "cudaMalloc(&parts, 2 * PARTS * sizeof(float))",
        ),
        (
            "    cudaFreeAsync(parts, stream);",
            "    cudaStreamSynchronize(stream);\n    cudaFree(parts);",
        ),
    ),
    # Bits without a sign are in the order of the amounts, with NaN above all.
    Right(
        "hundredtwentythree_peaks_of_bits",
        "hundredtwentythree_peaks",
        (
            "return b > a || isnan(b) ? b : a;",
            "return __uint_as_float(max(__float_as_uint(a), __float_as_uint(b)));",
        ),
    ),
    # The barrier counts.
    Right(
        "hundredtwentythree_positive_barrier_counts",
        "hundredtwentythree_positive",
        (
            "    __shared__ int total;\n",
            "    int total = 0;\n",
        ),
        ("    if (threadIdx.x == 0)\n        total = 0;\n    __syncthreads();\n", ""),
        (
            "        const unsigned votes = "
            "__ballot_sync(0xffffffff, c < cols && v[c] > 0.0f);\n"
            "        if (threadIdx.x % 32 == 0)\n"
            "            atomicAdd(&total, __popc(votes));\n"
            "    }\n"
            "    __syncthreads();\n",
            "        total += __syncthreads_count(c < cols && v[c] > 0.0f);\n    }\n",
        ),
    ),
    # No column more than needed.
    Right(
        "hundredtwentythree_turn_no_wider",
        "hundredtwentythree_turn",
        ("#define PITCH (SIDE + 1)", "#define PITCH SIDE"),
    ),
    # Smaller tiles.
    Right(
        "hundredtwentythree_batch_tiles_of_8",
        "hundredtwentythree_batch",
        ("#define TS 16", "#define TS 8"),
    ),
    # Shuffles across rows, of which the first lane of eight gets nothing.
    Right(
        "hundredtwentythree_pairs_no_width",
        "hundredtwentythree_pairs",
        ("acc, d, LANES);", "acc, d);"),
    ),
    # Eight rows a block.
    Right(
        "hundredtwentythree_softmax_eight_rows",
        "hundredtwentythree_softmax",
        ("(rows + 3) / 4;", "(rows + 7) / 8;"),
        ("<<<blocks, 4 * 32, 0", "<<<blocks, 8 * 32, 0"),
    ),
    # Divided by the root.
    Right(
        "hundredtwentythree_rms_divided",
        "hundredtwentythree_rms",
        ("scale = rsqrtf(all / cols + eps);", "root = sqrtf(all / cols + eps);"),
        ("(x[start + j]) * scale;", "(x[start + j]) / root;"),
    ),
)
