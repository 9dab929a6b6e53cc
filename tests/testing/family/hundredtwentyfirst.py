"""Hold a hundred-and-twenty-first family: a course's plain operators, and plain mistakes.

Its bases are a factor times x plus y, halves to floats in packs, floats to bytes with a scale,
leaky ReLU of bfloat16 in pairs, SiLU of floats, the sum of floats in two launches, the largest
of integers, the sum of each row of halves, the sum of each column of doubles, softmax under a
mask, rows less their means, a batch of transposes, a matrix times a vector, and a product with
the first matrix transposed. They have 16 to 51 lines. Five wrong members and a right one belong
to each. The causes were written before a member was judged. On the emulator each was run on the
cases, called twice on the same tensors, with NaN, 1e3 and -5.5 in floating outputs (-1, 77 and
0 in others), with tensors at either end of their pages and at addresses of their own, the bytes
behind them and the inputs looked at afterwards, on a stream that is not the default one, with
threads in order, from the last to the first and in a random order. Bases and right ones ran all
cases and are right; wrong ones ran until they were wrong often enough. nvcc 13.0 compiles all
members of each base for 8.0; none was run on a GPU:

    hundredtwentyone_axpy_out_for_y             unless the output held y already
    hundredtwentyone_axpy_256_apart             of other block sizes, from a second stretch on
    hundredtwentyone_axpy_whole_factor          of factors that are not whole
    hundredtwentyone_axpy_three_of_four         beyond 3 block sizes, in each fourth stretch
    hundredtwentyone_axpy_whole_fours           of some counts not divided by 4; below 4 refused
    hundredtwentyone_widen_no_promise           by the address of the floats alone
    hundredtwentyone_widen_bits_by_hand         of infinities and NaN, in packs
    hundredtwentyone_widen_first_word_again     from 4 numbers on
    hundredtwentyone_widen_rest_of_first        unless 4 divides n, from 5 numbers on
    hundredtwentyone_widen_pack_number          from 8 numbers on
    hundredtwentyone_quant_limits_first         beyond a limit before or after the scale
    hundredtwentyone_quant_half_up              of ties, where the even number is below
    hundredtwentyone_quant_address_of_8         by the address of the floats alone
    hundredtwentyone_quant_first_byte_high      of nearly all, where packs are taken
    hundredtwentyone_quant_rest_not_scaled      of other scales than 1, outside of packs
    hundredtwentyone_leaky_larger_of_two        of slopes above 1, where pairs are taken
    hundredtwentyone_leaky_narrow_slope         of slopes of many bits, where pairs are taken
    hundredtwentyone_leaky_sign_of_first        of pairs with two signs, where pairs are taken
    hundredtwentyone_leaky_upper_bits           of inexact products, where pairs are taken
    hundredtwentyone_leaky_threads_for_pairs    from 129 numbers on, where no pairs are taken
    hundredtwentyone_silu_addresses_and         by two addresses that have no bit in common
    hundredtwentyone_silu_rest_after_packs      unless 4 divides n, where packs are taken
    hundredtwentyone_silu_one_minus             of numbers below 0
    hundredtwentyone_silu_blocks_by_bytes       from 1,028 numbers on, where packs are taken
    hundredtwentyone_silu_none_below_88         of NaN, -infinity; the sign of zero below -88
    hundredtwentyone_total_all_places           after a call that had more blocks
    hundredtwentyone_total_second_no_stream     on another stream than the default one
    hundredtwentyone_total_some_wait            always: part of a block waits
    hundredtwentyone_total_step_of_block        from 257 numbers on
    hundredtwentyone_total_one_step_less        from 257 numbers on
    hundredtwentyone_peak_bytes_of_255          if all are below -1
    hundredtwentyone_peak_atomic_no_sign        if one is 0 or above
    hundredtwentyone_peak_leave_early           of warps that are not full: lanes are missing
    hundredtwentyone_peak_set_once              of a second call, if the output holds more
    hundredtwentyone_peak_shuffles_from_8       if it is in the upper half of a warp
    hundredtwentyone_rowsum_half_sum            of sums that are not halves
    hundredtwentyone_rowsum_row_not_tested      unless 4 divides the rows
    hundredtwentyone_rowsum_all_lanes_store     of nearly all: the last lane to store wins
    hundredtwentyone_rowsum_row_of_16_bits      from 65,537 rows on
    hundredtwentyone_rowsum_blocks_of_32        from 5 rows on
    hundredtwentyone_colsum_own_part_twice      of nearly all
    hundredtwentyone_colsum_no_barrier          where threads do not wait for another
    hundredtwentyone_colsum_part_sides          of nearly all, by the order of threads
    hundredtwentyone_colsum_adds_to_out         unless the output is 0 already
    hundredtwentyone_colsum_blocks_in_y         from 33 columns on
    hundredtwentyone_masked_largest_of_all      if a masked number is far above the others
    hundredtwentyone_masked_not_stored          where the mask is false
    hundredtwentyone_masked_fills_input         where the mask is false: x is overwritten
    hundredtwentyone_masked_mask_of_row_0       of rows with other masks than the first
    hundredtwentyone_masked_minus_10000         of rows that are far below 0
    hundredtwentyone_center_bytes_for_floats    always: shared memory is too small
    hundredtwentyone_center_mean_of_threads     unless there are as many columns as threads
    hundredtwentyone_center_halved_threads      of block sizes that are no power of two
    hundredtwentyone_center_next_row_too_early  from 61 rows on, if threads do not wait
    hundredtwentyone_center_sum_goes_on         from 61 rows on
    hundredtwentyone_batch_all_to_first         from 2 matrices on
    hundredtwentyone_batch_square_matrices      from 2 matrices on, unless square
    hundredtwentyone_batch_steps_of_16          from 9 columns on
    hundredtwentyone_batch_tile_not_turned      from 2 numbers a matrix on
    hundredtwentyone_batch_tile_stays           from a second tile on
    hundredtwentyone_matvec_same_x_twice        from 33 columns on
    hundredtwentyone_matvec_half_the_warps      from 5 rows on
    hundredtwentyone_matvec_mask_of_16          always: the mask lacks lanes
    hundredtwentyone_matvec_zeros_skipped       of infinities and NaN in A, where x is 0
    hundredtwentyone_matvec_odd_turn_lost       unless 64 divides the columns
    hundredtwentyone_atb_a_not_transposed       of nearly all, unless m or k is 1
    hundredtwentyone_atb_sum_of_last_tile       from k = 17 on
    hundredtwentyone_atb_edges_kept             unless 16 divides k
    hundredtwentyone_atb_pitch_of_a             unless m and n are alike
    hundredtwentyone_atb_no_first_barrier       where threads do not wait for another
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import whole

# a*x + y, four elements a thread, a block apart.
AXPY = (
    HEADER
    + """\
#define PER_THREAD 4

__global__ void axpy(const float* x, const float* y, float* out, float a, int n) {
  int first = blockIdx.x * blockDim.x * PER_THREAD + threadIdx.x;
#pragma unroll
  for (int k = 0; k < PER_THREAD; k++) {
    int i = first + k * blockDim.x;
    if (i < n) out[i] = a * x[i] + y[i];
  }
}

extern "C" void launch(const float* x,  // [n]
                       const float* y,  // [n]
                       float* out,      // [n]
                       float a, int n, int block_size = 256, cudaStream_t stream = 0) {
  int per_block = block_size * PER_THREAD;
  int blocks = (n + per_block - 1) / per_block;
  axpy<<<blocks, block_size, 0, stream>>>(x, y, out, a, n);
}
"""
)

# Halves to floats: eight bytes are read at once, 16 written.
WIDEN = (
    HEADER
    + """\
__device__ __forceinline__ float widen(uint32_t bits)
{
    return __half2float(__ushort_as_half((unsigned short)bits));
}

__global__ void half_to_float(const half *__restrict__ src, float *__restrict__ dst, int n)
{
    const int at = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (at >= n)
        return;
    if (at + 4 <= n) {
        const uint2 raw = *reinterpret_cast<const uint2 *>(src + at);
        float4 f;
        f.x = widen(raw.x & 0xffff);
        f.y = widen(raw.x >> 16);
        f.z = widen(raw.y & 0xffff);
        f.w = widen(raw.y >> 16);
        *reinterpret_cast<float4 *>(dst + at) = f;
    } else {
        for (int i = at; i < n; i++)
            dst[i] = __half2float(src[i]);
    }
}

extern "C" void launch(const half *src,  // [n] 8-byte aligned
                       float *dst,       // [n] 16-byte aligned
                       int n, int block_size = 192, cudaStream_t stream = 0)
{
    const int packs = (n + 3) / 4;
    const int blocks = (packs + block_size - 1) / block_size;
    if (blocks > 0)
        half_to_float<<<blocks, block_size, 0, stream>>>(src, dst, n);
}
"""
)

# Floats to bytes, scaled, rounded and limited; four bytes make a word where addresses allow it.
QUANT = (
    HEADER
    + """\
__device__ uint32_t quantize(float x, float scale) {
    float v = rintf(x * scale);
    return (uint32_t)fminf(fmaxf(v, 0.0f), 255.0f);
}

__global__ void quantizePacks(const float* in, uint8_t* out, float scale, int64_t packs) {
    int64_t p = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= packs) return;
    float4 f = ((const float4*)in)[p];
    uint32_t word = quantize(f.x, scale);
    word |= quantize(f.y, scale) << 8;
    word |= quantize(f.z, scale) << 16;
    word |= quantize(f.w, scale) << 24;
    ((uint32_t*)out)[p] = word;
}

__global__ void quantizeRest(const float* in, uint8_t* out, float scale, int64_t from,
                             int64_t n) {
    int64_t i = from + (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = (uint8_t)quantize(in[i], scale);
}

static unsigned blocksFor(int64_t threads, int block_size) {
    return (unsigned)((threads + block_size - 1) / block_size);
}

extern "C" void launch(const float* in,  // [n]
                       uint8_t* out,     // [n]
                       float scale, int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    bool fits = (uintptr_t)in % 16 == 0 && (uintptr_t)out % 4 == 0;
    int64_t packs = fits ? n / 4 : 0;
    int64_t rest = n - 4 * packs;
    if (packs > 0) {
        unsigned blocks = blocksFor(packs, block_size);
        quantizePacks<<<blocks, block_size, 0, stream>>>(in, out, scale, packs);
    }
    if (rest > 0) {
        unsigned blocks = blocksFor(rest, block_size);
        quantizeRest<<<blocks, block_size, 0, stream>>>(in, out, scale, 4 * packs, n);
    }
}
"""
)

# Leaky ReLU of bfloat16, in pairs where both addresses allow it.
LEAKY = (
    HEADER
    + """\
typedef __nv_bfloat16 bf16;
typedef __nv_bfloat162 bf162;

__global__ void leaky_pairs(const bf16 *x, bf16 *y, float slope, int n)
{
        int p = blockIdx.x * blockDim.x + threadIdx.x;
        if (p < n / 2) {
                bf162 two = ((const bf162 *)x)[p];
                float lo = __low2float(two);
                float hi = __high2float(two);
                float below_lo = slope * lo;
                float below_hi = slope * hi;
                lo = lo > 0.0f ? lo : below_lo;
                hi = hi > 0.0f ? hi : below_hi;
                ((bf162 *)y)[p] = __floats2bfloat162_rn(lo, hi);
        } else if (2 * p < n) {
                float v = __bfloat162float(x[n - 1]);
                y[n - 1] = __float2bfloat16(v > 0.0f ? v : slope * v);
        }
}

__global__ void leaky_singles(const bf16 *x, bf16 *y, float slope, int n)
{
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) {
                float v = __bfloat162float(x[i]);
                y[i] = __float2bfloat16(v > 0.0f ? v : slope * v);
        }
}

extern "C" void launch(const __nv_bfloat16 *x,  // [n]
                       __nv_bfloat16 *y,        // [n]
                       float slope, int n, cudaStream_t stream = 0)
{
        if (n == 0)
                return;
        if (((uintptr_t)x | (uintptr_t)y) % 4 == 0)
                leaky_pairs<<<(n / 2 + 128) / 128, 128, 0, stream>>>(x, y, slope, n);
        else
                leaky_singles<<<(n + 127) / 128, 128, 0, stream>>>(x, y, slope, n);
}
"""
)

# SiLU of floats, a float4 a thread, and a second launch for what is left.
SILU = (
    HEADER
    + """\
__device__ inline float silu(float v) { return v / (1.0f + expf(-v)); }

__global__ void silu_packs(const float4* __restrict__ x, float4* __restrict__ y, size_t packs) {
  size_t p = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (p < packs) {
    float4 q = x[p];
    y[p] = make_float4(silu(q.x), silu(q.y), silu(q.z), silu(q.w));
  }
}

__global__ void silu_rest(const float* x, float* y, size_t count) {
  size_t step = gridDim.x * (size_t)blockDim.x;
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += step) {
    y[i] = silu(x[i]);
  }
}

extern "C" void launch(const float* x,  // [n]
                       float* y,        // [n]
                       int64_t n, cudaStream_t stream = 0) {
  uintptr_t both = (uintptr_t)x | (uintptr_t)y;
  size_t packs = both % 16 == 0 ? n / 4 : 0;
  if (packs > 0) {
    unsigned blocks = (unsigned)((packs + 255) / 256);
    silu_packs<<<blocks, 256, 0, stream>>>((const float4*)x, (float4*)y, packs);
  }
  size_t done = 4 * packs, rest = n - done;
  if (rest > 0) silu_rest<<<12, 128, 0, stream>>>(x + done, y + done, rest);
}
"""
)

# The sum of floats: a partial sum a block, then one block adds those.
TOTAL = (
    HEADER
    + """\
#define THREADS 256
#define MOST 64

__device__ float partials[MOST];

__global__ void sum_parts(const float *x, int n)
{
    __shared__ float s[THREADS];
    int t = threadIdx.x;
    float sum = 0.0f;
    for (int i = blockIdx.x * THREADS + t; i < n; i += gridDim.x * THREADS)
        sum += x[i];
    s[t] = sum;
    __syncthreads();
    for (int h = THREADS / 2; h > 0; h /= 2) {
        if (t < h)
            s[t] += s[t + h];
        __syncthreads();
    }
    if (t == 0)
        partials[blockIdx.x] = s[0];
}

__global__ void sum_partials(float *out, int count)
{
    __shared__ float p[MOST];
    int t = threadIdx.x;
    p[t] = t < count ? partials[t] : 0.0f;
    __syncthreads();
    for (int d = MOST / 2; d >= 1; d /= 2) {
        if (t < d)
            p[t] += p[t + d];
        __syncthreads();
    }
    if (t == 0)
        *out = p[0];
}

extern "C" void launch(const float *x,  // [n]
                       float *out,      // [1]
                       int n, cudaStream_t stream = 0)
{
    int blocks = (n + THREADS - 1) / THREADS;
    if (blocks > MOST)
        blocks = MOST;
    sum_parts<<<blocks, THREADS, 0, stream>>>(x, n);
    sum_partials<<<1, MOST, 0, stream>>>(out, blocks);
}
"""
)

# The largest of integers: in each warp by shuffles, then an atomic.
PEAK = (
    HEADER
    + """\
__global__ void set_least(int* out) { *out = INT32_MIN; }

__global__ void largest(const int* x, int* out, int n) {
  int best = INT32_MIN;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  while (i < n) {
    best = max(best, x[i]);
    i += gridDim.x * blockDim.x;
  }
  for (int d = 16; d > 0; d >>= 1) {
    best = max(best, __shfl_down_sync(0xffffffffu, best, d));
  }
  if (threadIdx.x % 32 == 0) atomicMax(out, best);
}

extern "C" void launch(const int* x,  // [n]
                       int* out,      // [1]
                       int n, cudaStream_t stream = 0) {
  int blocks = min((n + 255) / 256, 80);
  set_least<<<1, 1, 0, stream>>>(out);
  largest<<<blocks, 256, 0, stream>>>(x, out, n);
}
"""
)

# The sum of each row of halves, a warp a row, four rows a block.
ROWSUM = (
    HEADER
    + """\
__global__ void row_sums(const half* x, float* sums, int rows, int cols) {
    const int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    const half* p = x + (size_t)row * cols;
    float sum = 0.0f;
    for (int c = threadIdx.x; c < cols; c += 32) sum += __half2float(p[c]);
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
    if (threadIdx.x == 0) sums[row] = sum;
}

extern "C" void launch(const half* x,  // [rows, cols]
                       float* sums,    // [rows]
                       int rows, int cols, cudaStream_t stream = 0) {
    dim3 block(32, 4);
    row_sums<<<(rows + 3) / 4, block, 0, stream>>>(x, sums, rows, cols);
}
"""
)

# The sum of each column of doubles: eight threads a column, which meet in shared memory.
COLSUM = (
    HEADER
    + """\
constexpr int W = 32, H = 8;

__global__ void column_sums(const double *m, double *out, int rows, int cols)
{
    __shared__ double part[H][W];
    int tx = threadIdx.x, ty = threadIdx.y;
    int col = blockIdx.x * W + tx;
    double sum = 0.0;
    if (col < cols)
        for (int r = ty; r < rows; r += H)
            sum += m[(size_t)r * cols + col];
    part[ty][tx] = sum;
    __syncthreads();
    if (ty == 0 && col < cols) {
        for (int k = 1; k < H; k++)
            sum += part[k][tx];
        out[col] = sum;
    }
}

extern "C" void launch(const double *m,  // [rows, cols]
                       double *out,      // [cols]
                       int rows, int cols, cudaStream_t stream = 0)
{
    int blocks = (cols + W - 1) / W;
    column_sums<<<blocks, dim3(W, H), 0, stream>>>(m, out, rows, cols);
}
"""
)

# Softmax of what a mask keeps of each row, a block a row; 0 elsewhere.
MASKED = (
    HEADER
    + """\
#define WARPS 4
#define THREADS (32 * WARPS)

__device__ float score(const float *x, const bool *keep, int c)
{
    return keep[c] ? x[c] : -INFINITY;
}

__global__ void masked_softmax(const float *x, const bool *mask, float *y, int cols)
{
    __shared__ float box[2][WARPS];
    const int t = threadIdx.x;
    const size_t begin = (size_t)blockIdx.x * cols;
    const float *in = x + begin;
    const bool *keep = mask + begin;
    float *out = y + begin;

    float top = -INFINITY;
    for (int c = t; c < cols; c += THREADS)
        top = fmaxf(top, score(in, keep, c));
    for (int d = 16; d > 0; d /= 2)
        top = fmaxf(top, __shfl_xor_sync(0xffffffff, top, d));
    if (t % 32 == 0)
        box[0][t / 32] = top;
    __syncthreads();
    for (int w = 0; w < WARPS; w++)
        top = fmaxf(top, box[0][w]);

    float sum = 0.0f;
    for (int c = t; c < cols; c += THREADS)
        sum += expf(score(in, keep, c) - top);
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, d);
    if (t % 32 == 0)
        box[1][t / 32] = sum;
    __syncthreads();
    sum = 0.0f;
    for (int w = 0; w < WARPS; w++)
        sum += box[1][w];

    for (int c = t; c < cols; c += THREADS)
        out[c] = expf(score(in, keep, c) - top) / sum;
}

extern "C" void launch(const float *x,    // [rows, cols]
                       const bool *mask,  // [rows, cols]
                       float *y,          // [rows, cols]
                       int rows, int cols, cudaStream_t stream = 0)
{
    masked_softmax<<<rows, THREADS, 0, stream>>>(x, mask, y, cols);
}
"""
)

# Each row less its mean, at most 60 blocks, of any size, that go from row to row.
CENTER = (
    HEADER
    + """\
__global__ void center_rows(const float* x, float* y, int rows, int cols) {
  extern __shared__ float buf[];
  int t = threadIdx.x, threads = blockDim.x;
  for (int row = blockIdx.x; row < rows; row += gridDim.x) {
    const float* in = x + (int64_t)row * cols;
    float sum = 0.0f;
    for (int c = t; c < cols; c += threads) sum += in[c];
    buf[t] = sum;
    __syncthreads();
    for (int s = 1; s < threads; s *= 2) {
      if (t % (2 * s) == 0 && t + s < threads) buf[t] += buf[t + s];
      __syncthreads();
    }
    float mean = buf[0] / cols;
    for (int c = t; c < cols; c += threads) y[(int64_t)row * cols + c] = in[c] - mean;
    __syncthreads();
  }
}

extern "C" void launch(const float* x,  // [rows, cols]
                       float* y,        // [rows, cols]
                       int rows, int cols, int block_size = 128, cudaStream_t stream = 0) {
  int blocks = rows < 60 ? rows : 60;
  size_t bytes = block_size * sizeof(float);
  center_rows<<<blocks, block_size, bytes, stream>>>(x, y, rows, cols);
}
"""
)

# Transpose of each matrix of a batch, by tiles of 32.
BATCH = (
    HEADER
    + """\
const int TILE = 32, ROWS = 8;

__global__ void transpose_batch(const float *in, float *out, int rows, int cols)
{
    __shared__ float tile[TILE][TILE + 1];
    const float *a = in + (size_t)blockIdx.z * rows * cols;
    float *b = out + (size_t)blockIdx.z * rows * cols;

    int c = blockIdx.x * TILE + threadIdx.x;
    int r = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        if (r + j < rows && c < cols)
            tile[threadIdx.y + j][threadIdx.x] = a[(size_t)(r + j) * cols + c];
    __syncthreads();

    int to_c = blockIdx.y * TILE + threadIdx.x;
    int to_r = blockIdx.x * TILE + threadIdx.y;
    for (int k = 0; k < TILE; k += ROWS)
        if (to_r + k < cols && to_c < rows)
            b[(size_t)(to_r + k) * rows + to_c] = tile[threadIdx.x][threadIdx.y + k];
}

extern "C" void launch(const float *in,  // [batch, rows, cols]
                       float *out,       // [batch, cols, rows]
                       int batch, int rows, int cols, cudaStream_t stream = 0)
{
    dim3 grid((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE, batch);
    transpose_batch<<<grid, dim3(TILE, ROWS), 0, stream>>>(in, out, rows, cols);
}
"""
)

# Matrix times vector, a warp a row, two products a turn.
MATVEC = (
    HEADER
    + """\
__global__ void matvec(const float* A, const float* x, float* y, int rows, int cols) {
  int lane = threadIdx.x & 31;
  int row = blockIdx.x * 8 + (threadIdx.x >> 5);
  if (row >= rows) return;
  const float* a = A + (size_t)row * cols;
  float sum = 0.0f;
  int j = lane;
  for (; j + 32 < cols; j += 64) {
    sum += a[j] * x[j];
    sum += a[j + 32] * x[j + 32];
  }
  if (j < cols) sum += a[j] * x[j];
  for (int d = 1; d < 32; d *= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
  if (lane == 0) y[row] = sum;
}

extern "C" void launch(const float* A,  // [rows, cols]
                       const float* x,  // [cols]
                       float* y,        // [rows]
                       int rows, int cols, cudaStream_t stream = 0) {
  const int threads = 256;
  matvec<<<(rows + 7) / 8, threads, 0, stream>>>(A, x, y, rows, cols);
}
"""
)

# A transposed times B, in tiles of 16.
ATB = (
    HEADER
    + """\
#define TS 16

__global__ void atb(const float *A, const float *B, float *out, int k, int m, int n)
{
    __shared__ float ta[TS][TS];
    __shared__ float tb[TS][TS];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * TS + ty;
    const int col = blockIdx.x * TS + tx;
    const int acol = blockIdx.y * TS + tx;
    float acc = 0.0f;
    for (int t = 0; t < k; t += TS) {
        const int r = t + ty;
        ta[ty][tx] = r < k && acol < m ? A[(size_t)r * m + acol] : 0.0f;
        tb[ty][tx] = r < k && col < n ? B[(size_t)r * n + col] : 0.0f;
        __syncthreads();
        for (int j = 0; j < TS; j++)
            acc += ta[j][ty] * tb[j][tx];
        __syncthreads();
    }
    if (row < m && col < n)
        out[(size_t)row * n + col] = acc;
}

extern "C" void launch(const float *A,  // [k, m]
                       const float *B,  // [k, n]
                       float *out,      // [m, n]
                       int k, int m, int n, cudaStream_t stream = 0)
{
    dim3 threads(TS, TS);
    dim3 blocks((n + TS - 1) / TS, (m + TS - 1) / TS);
    atb<<<blocks, threads, 0, stream>>>(A, B, out, k, m, n);
}
"""
)

NAN, INF = float("nan"), float("inf")
LENGTHS = (*range(1, 70), 96, 127, 128, 129, 255, 256, 257, 511, 513, 768, 769, 1000, 1023)
LENGTHS += (1024, 1025, 1026, 2048, 2049, 4096, 4099, 6001, 16_385, 20_481, 50_003, 3, 300)
SIDES = ((1, 1), (1, 2), (2, 1), (3, 2), (4, 31), (5, 32), (6, 33), (33, 6), (2, 63), (3, 64))
SIDES += ((64, 3), (7, 65), (9, 70), (70, 9), (1, 1000), (1000, 1), (2, 2049), (500, 2))
SIDES += ((40, 50), (50, 40), (32, 32), (61, 7), (121, 4), (8, 129), (128, 128), (17, 15))
FLOAT, DOUBLE, BFLOAT = (torch.float32,), (torch.float64,), (torch.bfloat16,)
WHOLE, BYTE = (torch.int32,), (torch.uint8,)


def axpys(launcher: Launcher) -> Iterator[Case]:
    """Add whole numbers and a times others, so that all is exact: any, large, strange."""
    for n in LENGTHS:
        x, y = whole(-999, 1000, n, n).float(), whole(-999, 1000, n, n + 1).float()
        j = torch.arange(n)
        for label, p, q, a in (
            ("any", x, y, 3.0),
            ("a fraction", x, y, -0.75),
            ("a is 0", x, y, 0.0),
            ("large", x * 4096, y, 1.5),
            ("infinities", torch.where(j % 3 == 1, INF, x), y, -2.0),
            ("NaN", x, torch.where(j % 4 == 2, NAN, y), 2.25),
        ):
            right = a * p.double() + q.double()
            for block_size in (256, 128, 512):
                scalars = {"a": a, "block_size": block_size}
                options = {"dtypes": FLOAT, "quick": n > 5000}
                yield Case(
                    f"n = {n:,}, {scalars}, {label}", (p, q), (right,), scalars, **options
                )


def bytes_of(launcher: Launcher) -> Iterator[Case]:
    """Quantize quarters, scaled by powers of two: any, ties, large, infinite; slices."""
    for n in LENGTHS:
        x = whole(-300, 1300, n, n).float() / 4
        j = torch.arange(n)
        for label, v, scale in (
            ("any", x, 1.0),
            ("ties", j.float() % 256 + 0.5, 1.0),
            ("small", x / 64, 64.0),
            ("large", x * 16, 0.25),
            ("far too large", x * 2.0**40, 2.0),
            ("below 0", -x.abs() - 1, 0.5),
            ("infinities", torch.where(j % 3 == 1, torch.where(j % 2 == 1, INF, -INF), x), 1.0),
        ):
            right = (v.double() * scale).round().clamp(0, 255)
            for block_size in (256, 96):
                scalars = {"scale": scale, "block_size": block_size}
                options = {"dtypes": BYTE, "quick": n > 5000}
                yield Case(f"n = {n:,}, {scalars}, {label}", (v,), (right,), scalars, **options)
            if n < 300 and label in ("any", "small"):
                for offset in ((1, 0), (2, 4), (0, 1), (4, 2), (4, 4), (3, 3)):
                    words = f"n = {n:,}, scale = {scale}, {label}, slices from {offset}"
                    options = {"dtypes": BYTE, "offset": offset}
                    yield Case(words, (v,), (right,), {"scale": scale}, **options)


def slopes(launcher: Launcher) -> Iterator[Case]:
    """Take numbers of few bits, so that all products are exact floats; slices."""
    for n in LENGTHS:
        x, j = whole(1, 200, n, n).double(), torch.arange(n)
        x = torch.where(whole(0, 2, n, n + 1) == 0, -x, x)
        for label, v, slope in (
            ("any", x, 0.125),
            ("many bits", x, 1283 / 4096),
            ("steep", x, 1.5),
            ("falling", x, -0.75),
            ("flat", x.abs() * torch.where(j % 5 == 1, -1, 1), 2.0**-6),
            ("strange", torch.where(j % 3 == 1, -INF, torch.where(j % 4 == 2, NAN, x)), 0.25),
        ):
            v = v.bfloat16()
            right = torch.where(v > 0, v.double(), slope * v.double())
            words, scalars = f"n = {n:,}, slope = {slope}, {label}", {"slope": slope}
            options = {"dtypes": BFLOAT, "quick": n > 5000}
            yield Case(words, (v,), (right,), scalars, **options)
            if n < 600 and label in ("any", "falling"):
                for offset in ((1, 1), (1, 2), (2, 1), (2, 2)):
                    more = {"dtypes": BFLOAT, "offset": offset}
                    yield Case(
                        f"{words}, slices from {offset}", (v,), (right,), scalars, **more
                    )


def silu(x: torch.Tensor) -> torch.Tensor:
    """Compute x times its sigmoid."""
    return x * torch.sigmoid(x)


def totals(launcher: Launcher) -> Iterator[Case]:
    """Add whole numbers, so that all is exact: any, ones, one alone, infinity, NaN."""
    for n in LENGTHS:
        x, j = whole(-99, 100, n, n).double(), torch.arange(n)
        for label, v in (
            ("any", x),
            ("ones", x * 0 + 1),
            ("below 0", -x.abs() - 1),
            ("counted", j % 100 + 1.0),
            ("the last alone", torch.where(j == n - 1, 7.0, 0.0)),
            ("infinity", torch.where(j == n // 2, INF, x)),
            ("NaN", torch.where(j == n // 3, NAN, x)),
        ):
            options = {"dtypes": FLOAT, "quick": n > 5000}
            right = v.sum().reshape(1)
            yield Case(f"n = {n:,}, {label}", (v.float(),), (right,), **options)


def peaks(launcher: Launcher) -> Iterator[Case]:
    """Look for the largest integer: any, above and below 0, the ends, every size."""
    for n in LENGTHS:
        x, j = whole(-9999, 10_000, n, n), torch.arange(n)
        for label, v in (
            ("any", x),
            ("above 0", x.abs() + 1),
            ("below 0", -x.abs() - 2),
            ("rising", j - 5),
            ("falling", -j - 5),
            ("the last", torch.where(j == n - 1, 20_000, x)),
            ("the middle", torch.where(j == n // 2, 20_000, x)),
            ("of every size", whole(-(2**31), 2**31, n, n + 1)),
            ("the least", x * 0 - 2**31),
        ):
            right = v.max().reshape(1)
            options = {"dtypes": WHOLE, "quick": n > 5000}
            yield Case(f"n = {n:,}, {label}", (v.int(),), (right,), **options)


def row_sums(launcher: Launcher) -> Iterator[Case]:
    """Add whole numbers, so that all is exact in floats: any, large, the last; many rows."""
    for rows, cols in (*SIDES, (3, 4099), (65_541, 1), (70_003, 2)):
        n = rows * cols
        x, c = whole(-99, 100, n, n).reshape(rows, cols).double(), torch.arange(cols)
        for label, y in (
            ("any", x),
            ("ones", x * 0 + 1),
            ("large", x.sign() * 60_000 + x),
            ("the last alone", torch.where(c == cols - 1, 7.0, 0.0) + x * 0),
            ("below 0", -x.abs() - 1025),
            ("infinity", torch.where((c == cols // 2) & (x > 50), INF, x)),
            ("NaN", torch.where((c == cols // 2) & (x > 50), NAN, x)),
        ):
            y = y.half()
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            options = {"dtypes": FLOAT, "quick": n > 5000}
            yield Case(words, (y,), (y.double().sum(1),), **options)


def column_sums(launcher: Launcher) -> Iterator[Case]:
    """Add whole numbers, so that all is exact in doubles: any, large, the ends."""
    for rows, cols in (*SIDES, (2, 10_001), (10_001, 2), (300, 70)):
        n = rows * cols
        x, r = whole(-99, 100, n, n).reshape(rows, cols).double(), torch.arange(rows)[:, None]
        for label, y in (
            ("any", x),
            ("ones", x * 0 + 1),
            ("large", x * 2.0**30 + 1),
            ("the first row alone", torch.where(r == 0, 7.0, 0.0) + x * 0),
            ("the last row alone", torch.where(r == rows - 1, 7.0, 0.0) + x * 0),
            ("infinity", torch.where((r == rows // 2) & (x > 50), -INF, x)),
            ("NaN", torch.where((r == rows // 2) & (x > 50), NAN, x)),
        ):
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y,), (y.sum(0),), dtypes=DOUBLE, quick=n > 5000)


def masks(launcher: Launcher) -> Iterator[Case]:
    """Take softmax of what masks keep: any, all, one, halves; what is masked is any number."""
    for rows, cols in SIDES:
        n = rows * cols
        x, c = whole(-80, 81, n, n).reshape(rows, cols) / 8.0, torch.arange(cols)
        keep = whole(0, 2, n, n + 1).reshape(rows, cols) == 1
        keep |= c == torch.arange(rows)[:, None] % cols
        for label, v, m in (
            ("any", x, keep),
            ("all kept", x, keep | True),
            ("one kept", x, c == torch.arange(rows)[:, None] % cols),
            ("the first half kept", x, (c <= cols // 2) & (keep | True)),
            ("equal", x * 0 + 3, keep),
            ("far below 0", x - 20_000, keep),
            ("far above 0", x + 20_000, keep),
            ("masked ones above the others", torch.where(keep, x, x + 300), keep),
            ("masked NaN", torch.where(keep, x, NAN), keep),
            ("masked infinity", torch.where(keep, x, INF), keep),
        ):
            right = v.double().masked_fill(~m, -INF).softmax(1)
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            slack = (2.0**-18 * right + 2.0**-140 * m,)
            inputs = (v.float(), m.contiguous())
            yield Case(words, inputs, (right,), dtypes=FLOAT, within=slack, quick=n > 5000)


def centered(launcher: Launcher) -> Iterator[Case]:
    """Take the mean off rows of whole numbers: any, equal, large, one apart, a NaN."""
    for rows, cols in SIDES:
        n = rows * cols
        x, c = whole(-99, 100, n, n).reshape(rows, cols).double(), torch.arange(cols)
        for label, v in (
            ("any", x),
            ("equal", x * 0 + 5),
            ("by row", torch.arange(rows)[:, None] - x * 0 - 7.0),
            ("large", x + 3000),
            ("the last apart", torch.where(c == cols - 1, 4000.0, x)),
            ("infinity", torch.where((c == cols // 2) & (x > 60), INF, x)),
            ("NaN", torch.where((c == cols // 2) & (x > 60), NAN, x)),
        ):
            mean = v.mean(1, keepdim=True)
            slack = ((2.0**-22 * (v.abs() + mean.abs())).nan_to_num(0.0, 0.0, 0.0),)
            for block_size in (128, 96, 256):
                scalars = {"block_size": block_size}
                words = f"rows = {rows:,}, cols = {cols:,}, {scalars}, {label}"
                options = {"dtypes": FLOAT, "within": slack, "quick": n > 5000}
                yield Case(words, (v.float(),), (v - mean,), scalars, **options)


def batches(launcher: Launcher) -> Iterator[Case]:
    """Transpose batches of one, two, and many: long, thin, odd and square matrices."""
    for rows, cols in (*SIDES, (1, 5003), (5003, 1), (129, 65)):
        for batch in (1, 2, 5):
            n = batch * rows * cols
            x = whole(-99_999, 100_000, n, n).reshape(batch, rows, cols).float()
            for label, v in (
                ("any", x),
                ("counted", torch.arange(n).reshape(batch, rows, cols) + 0.5),
                ("strange", torch.where(x % 3 == 1, NAN, torch.where(x % 3 == 2, -INF, -0.0))),
            ):
                words = f"batch = {batch}, rows = {rows:,}, cols = {cols:,}, {label}"
                right = v.double().transpose(1, 2).contiguous()
                yield Case(words, (v.float(),), (right,), dtypes=FLOAT, quick=n > 5000)


def vectors(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole numbers, so that all is exact: any, ones, the last, zeros at a NaN."""
    for rows, cols in (*SIDES, (20, 95), (20, 97), (3, 4099)):
        n = rows * cols
        a, x = (
            whole(-20, 21, n, n).reshape(rows, cols).double(),
            whole(-20, 21, cols, n).double(),
        )
        c = torch.arange(cols)
        for label, p, q in (
            ("any", a, x),
            ("ones", a * 0 + 1, x * 0 + 1),
            ("below 0", -a.abs() - 1, x.abs() + 1),
            ("the last alone", a.abs() + 1, torch.where(c == cols - 1, 3.0, 0.0)),
            ("counted", a * 0 + 1, c % 50 + 1.0),
            ("NaN in A", torch.where((c == cols // 2) & (a > 0), NAN, a), x),
            (
                "infinity in A, where x is 0",
                torch.where((c == 0) & (a > 0), INF, a),
                x * (c > 0),
            ),
        ):
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            inputs = (p.float(), q.float())
            right = p.double() @ q.double()
            yield Case(words, inputs, (right,), dtypes=FLOAT, quick=n > 5000)


def products(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole numbers, so that all is exact: any, ones, the ends, a NaN."""
    sides = ((1, 1, 1), (1, 2, 3), (40, 2, 1), (7, 3, 5), (16, 16, 16), (33, 17, 15))
    sides += ((65, 15, 17), (1, 5, 40), (2, 40, 5), (20, 33, 31), (31, 1, 70), (32, 70, 1))
    sides += ((48, 20, 65), (5, 65, 20), (1000, 3, 2), (32, 32, 32), (17, 2, 300), (48, 48, 48))
    for k, m, n in (*sides, *((k, 9, 7) for k in range(2, 64, 3))):
        a = whole(-20, 21, k * m, k + m).reshape(k, m).double()
        b = whole(-20, 21, k * n, k + 1).reshape(k, n).double()
        h = torch.arange(k)[:, None]
        for label, p, q in (
            ("any", a, b),
            ("ones", a * 0 + 1, b * 0 + 1),
            ("below 0", -a.abs() - 1, b.abs() + 1),
            ("the first alone", torch.where(h == 0, 3.0, 0.0) + a * 0, b.abs() + 1),
            ("the last alone", torch.where(h == k - 1, 3.0, 0.0) + a * 0, b.abs() + 1),
            ("NaN in a column", torch.where(torch.arange(m) == m // 2, NAN, a), b),
        ):
            words = f"k = {k:,}, m = {m}, n = {n}, {label}"
            yield Case(words, (p.float(), q.float()), (p.T @ q,), dtypes=FLOAT)


BASES = {
    "hundredtwentyone_axpy": Base(AXPY, {"cases": axpys}),
    "hundredtwentyone_widen": Base(WIDEN, {"reference": "cast"}),
    "hundredtwentyone_quant": Base(QUANT, {"cases": bytes_of}),
    "hundredtwentyone_leaky": Base(LEAKY, {"cases": slopes}),
    "hundredtwentyone_silu": Base(SILU, {"reference": silu, "ulp": 6}),
    "hundredtwentyone_total": Base(TOTAL, {"cases": totals}),
    "hundredtwentyone_peak": Base(PEAK, {"cases": peaks}),
    "hundredtwentyone_rowsum": Base(ROWSUM, {"cases": row_sums}),
    "hundredtwentyone_colsum": Base(COLSUM, {"cases": column_sums}),
    "hundredtwentyone_masked": Base(MASKED, {"cases": masks}),
    "hundredtwentyone_center": Base(CENTER, {"cases": centered}),
    "hundredtwentyone_batch": Base(BATCH, {"cases": batches}),
    "hundredtwentyone_matvec": Base(MATVEC, {"cases": vectors}),
    "hundredtwentyone_atb": Base(ATB, {"cases": products}),
}

WRONG = (
    # ---- axpy
    # What is added is what the output held.
    Wrong(
        "hundredtwentyone_axpy_out_for_y",
        "hundredtwentyone_axpy",
        "left out / zero before / state | unwritten / nan / numbers / function",
        ("+ y[i];", "+ out[i];"),
    ),
    # The four elements stand as far apart as in blocks of 256.
    Wrong(
        "hundredtwentyone_axpy_256_apart",
        "hundredtwentyone_axpy",
        "block size | unwritten / left out / race / twice / tail",
        ("first + k * blockDim.x", "first + k * 256"),
    ),
    # The factor is an integer.
    Wrong(
        "hundredtwentyone_axpy_whole_factor",
        "hundredtwentyone_axpy",
        "rounding / function / precision | numbers / whole range / left out / copy",
        ("float* out, float a, int n) {", "float* out, int a, int n) {"),
    ),
    # Three of the four are taken.
    Wrong(
        "hundredtwentyone_axpy_three_of_four",
        "hundredtwentyone_axpy",
        "unwritten / left out | tail",
        ("k < PER_THREAD; k++", "k < PER_THREAD - 1; k++"),
    ),
    # The fours are rounded down before the blocks are rounded up.
    Wrong(
        "hundredtwentyone_axpy_whole_fours",
        "hundredtwentyone_axpy",
        "grid / tail / unwritten / refused | left out",
        (
            "  int per_block = block_size * PER_THREAD;\n"
            "  int blocks = (n + per_block - 1) / per_block;",
            "  int threads = n / PER_THREAD;\n"
            "  int blocks = (threads + block_size - 1) / block_size;",
        ),
    ),
    # ---- widen
    # The floats' address is not promised any more.
    Wrong(
        "hundredtwentyone_widen_no_promise",
        "hundredtwentyone_widen",
        "alignment",
        ("// [n] 16-byte aligned", "// [n]"),
    ),
    # The bits are moved by hand, without a thought for infinity and NaN.
    Wrong(
        "hundredtwentyone_widen_bits_by_hand",
        "hundredtwentyone_widen",
        "infinity / nan | numbers / function / whole range / precision",
        (
            "    return __half2float(__ushort_as_half((unsigned short)bits));",
            "    float f = __uint_as_float((bits & 0x7fff) << 13) * 5.192296858534828e33f;\n"
            "    return bits & 0x8000 ? -f : f;",
        ),
    ),
    # The third number is made of the first word.
    Wrong(
        "hundredtwentyone_widen_first_word_again",
        "hundredtwentyone_widen",
        "other element / neighbour / twice | numbers / left out / copy",
        ("f.z = widen(raw.y & 0xffff);", "f.z = widen(raw.x & 0xffff);"),
    ),
    # The last elements are made of the first ones.
    Wrong(
        "hundredtwentyone_widen_rest_of_first",
        "hundredtwentyone_widen",
        "tail / other element / neighbour | numbers / left out / copy",
        ("dst[i] = __half2float(src[i]);", "dst[i] = __half2float(src[i - at]);"),
    ),
    # The number of an element is taken for that of a pack.
    Wrong(
        "hundredtwentyone_widen_pack_number",
        "hundredtwentyone_widen",
        "bounds | other element / numbers / tail",
        (
            "*reinterpret_cast<const uint2 *>(src + at)",
            "reinterpret_cast<const uint2 *>(src)[at]",
        ),
    ),
    # ---- quant
    # The limits are set before the scale.
    Wrong(
        "hundredtwentyone_quant_limits_first",
        "hundredtwentyone_quant",
        "whole range / function | numbers / other element / neighbour / infinity / alignment",
        (
            "    float v = rintf(x * scale);\n"
            "    return (uint32_t)fminf(fmaxf(v, 0.0f), 255.0f);",
            "    float v = fminf(fmaxf(x, 0.0f), 255.0f);\n"
            "    return (uint32_t)rintf(v * scale);",
        ),
    ),
    # Half a unit is added, and the rest cut off.
    Wrong(
        "hundredtwentyone_quant_half_up",
        "hundredtwentyone_quant",
        "rounding | numbers",
        ("rintf(x * scale)", "floorf(x * scale + 0.5f)"),
    ),
    # An address that 8 divides is taken for good enough.
    Wrong(
        "hundredtwentyone_quant_address_of_8",
        "hundredtwentyone_quant",
        "alignment",
        ("(uintptr_t)in % 16 == 0", "(uintptr_t)in % 8 == 0"),
    ),
    # The first byte comes to the upper end of the word.
    Wrong(
        "hundredtwentyone_quant_first_byte_high",
        "hundredtwentyone_quant",
        "other element / neighbour / swapped | numbers / alignment / tail",
        ("quantize(f.w, scale) << 24;", "quantize(f.w, scale);"),
        ("quantize(f.z, scale) << 16;", "quantize(f.z, scale) << 8;"),
        ("quantize(f.y, scale) << 8;", "quantize(f.y, scale) << 16;"),
        (
            "uint32_t word = quantize(f.x, scale);",
            "uint32_t word = quantize(f.x, scale) << 24;",
        ),
    ),
    # What is left is not scaled.
    Wrong(
        "hundredtwentyone_quant_rest_not_scaled",
        "hundredtwentyone_quant",
        "tail / left out / function | numbers / alignment",
        ("(uint8_t)quantize(in[i], scale)", "(uint8_t)quantize(in[i], 1.0f)"),
    ),
    # ---- leaky
    # The larger of the two is taken.
    Wrong(
        "hundredtwentyone_leaky_larger_of_two",
        "hundredtwentyone_leaky",
        "function / numbers | alignment / left out / copy",
        ("lo = lo > 0.0f ? lo : below_lo;", "lo = fmaxf(lo, below_lo);"),
        ("hi = hi > 0.0f ? hi : below_hi;", "hi = fmaxf(hi, below_hi);"),
    ),
    # The slope is a bfloat16.
    Wrong(
        "hundredtwentyone_leaky_narrow_slope",
        "hundredtwentyone_leaky",
        "precision / rounding | numbers / function / alignment",
        (
            "                float below_lo = slope * lo;\n"
            "                float below_hi = slope * hi;\n",
            "                bf162 below = __hmul2(__float2bfloat162_rn(slope), two);\n"
            "                float below_lo = __low2float(below);\n"
            "                float below_hi = __high2float(below);\n",
        ),
    ),
    # The sign of the first decides for both.
    Wrong(
        "hundredtwentyone_leaky_sign_of_first",
        "hundredtwentyone_leaky",
        "other element / neighbour / numbers / function | alignment / copy / left out",
        ("hi = hi > 0.0f ? hi :", "hi = lo > 0.0f ? hi :"),
    ),
    # The upper 16 bits are stored, and the others dropped.
    Wrong(
        "hundredtwentyone_leaky_upper_bits",
        "hundredtwentyone_leaky",
        "rounding | numbers / precision / alignment",
        (
            "((bf162 *)y)[p] = __floats2bfloat162_rn(lo, hi);",
            "uint32_t first = __float_as_uint(lo) >> 16;\n                "
            "((uint32_t *)y)[p] = first | (__float_as_uint(hi) & 0xffff0000u);",
        ),
    ),
    # There are threads for pairs where each takes one number.
    Wrong(
        "hundredtwentyone_leaky_threads_for_pairs",
        "hundredtwentyone_leaky",
        "grid / unwritten / left out | tail / alignment",
        (
            "leaky_singles<<<(n + 127) / 128, 128, 0, stream>>>",
            "leaky_singles<<<(n / 2 + 128) / 128, 128, 0, stream>>>",
        ),
    ),
    # ---- silu
    # Addresses are joined by "and".
    Wrong(
        "hundredtwentyone_silu_addresses_and",
        "hundredtwentyone_silu",
        "alignment",
        ("(uintptr_t)x | (uintptr_t)y", "(uintptr_t)x & (uintptr_t)y"),
    ),
    # The rest begins where it would if packs were elements.
    Wrong(
        "hundredtwentyone_silu_rest_after_packs",
        "hundredtwentyone_silu",
        "tail / unwritten | left out / race / twice / alignment",
        ("(x + done, y + done, rest)", "(x + packs, y + packs, rest)"),
    ),
    # The sigmoid is 1 less that of the other sign.
    Wrong(
        "hundredtwentyone_silu_one_minus",
        "hundredtwentyone_silu",
        "precision | numbers / subnormal / rounding / sign of zero / function",
        (
            "return v / (1.0f + expf(-v));",
            "return v * (1.0f - 1.0f / (1.0f + expf(v)));",
        ),
    ),
    # A block is thought to need 4,096 elements, not bytes.
    Wrong(
        "hundredtwentyone_silu_blocks_by_bytes",
        "hundredtwentyone_silu",
        "grid / unwritten / left out | tail / alignment",
        ("(unsigned)((packs + 255) / 256)", "(unsigned)((n + 4095) / 4096)"),
    ),
    # 0 where the exponential is too large, and of NaN.
    Wrong(
        "hundredtwentyone_silu_none_below_88",
        "hundredtwentyone_silu",
        "nan | infinity / sign of zero / subnormal / numbers / precision",
        (
            "return v / (1.0f + expf(-v));",
            "return v > -88.0f ? v / (1.0f + expf(-v)) : 0.0f;",
        ),
    ),
    # ---- total
    # All places are added, also those of an earlier call.
    Wrong(
        "hundredtwentyone_total_all_places",
        "hundredtwentyone_total",
        "state | numbers / other element / unwritten / twice / zero before",
        ("p[t] = t < count ? partials[t] : 0.0f;", "p[t] = partials[t];"),
    ),
    # The second launch names no stream.
    Wrong(
        "hundredtwentyone_total_second_no_stream",
        "hundredtwentyone_total",
        "stream | race",
        ("<<<1, MOST, 0, stream>>>", "<<<1, MOST>>>"),
    ),
    # Only the threads that add wait.
    Wrong(
        "hundredtwentyone_total_some_wait",
        "hundredtwentyone_total",
        "race | timeout / left out / numbers / refused",
        (
            "        if (t < h)\n            s[t] += s[t + h];\n        __syncthreads();\n",
            "        if (t < h) {\n            s[t] += s[t + h];\n"
            "            __syncthreads();\n        }\n",
        ),
    ),
    # A thread goes on by a block.
    Wrong(
        "hundredtwentyone_total_step_of_block",
        "hundredtwentyone_total",
        "twice / grid | numbers / other element",
        ("i += gridDim.x * THREADS", "i += THREADS"),
    ),
    # The last two partial sums are not added.
    Wrong(
        "hundredtwentyone_total_one_step_less",
        "hundredtwentyone_total",
        "left out | numbers / other element",
        ("d >= 1; d /= 2", "d > 1; d /= 2"),
    ),
    # ---- peak
    # All bytes are set to 255.
    Wrong(
        "hundredtwentyone_peak_bytes_of_255",
        "hundredtwentyone_peak",
        "start | numbers",
        (
            "set_least<<<1, 1, 0, stream>>>(out);",
            "cudaMemsetAsync(out, 0xff, sizeof(int), stream);",
        ),
    ),
    # The atomic has no sign.
    Wrong(
        "hundredtwentyone_peak_atomic_no_sign",
        "hundredtwentyone_peak",
        "whole range / start / numbers / function | left out / copy",
        ("atomicMax(out, best);", "atomicMax((unsigned*)out, (unsigned)best);"),
    ),
    # Threads without an element leave before the shuffles.
    Wrong(
        "hundredtwentyone_peak_leave_early",
        "hundredtwentyone_peak",
        "race | left out / bounds / timeout / refused / numbers",
        ("  while (i < n) {", "  if (i >= n) return;\n  while (i < n) {"),
    ),
    # The result is set once for all calls.
    Wrong(
        "hundredtwentyone_peak_set_once",
        "hundredtwentyone_peak",
        "state / start / zero before | unwritten / numbers",
        (
            "  set_least<<<1, 1, 0, stream>>>(out);\n",
            "  static bool is_set = false;\n"
            "  if (!is_set) set_least<<<1, 1, 0, stream>>>(out);\n"
            "  is_set = true;\n",
        ),
    ),
    # The shuffles begin with 8.
    Wrong(
        "hundredtwentyone_peak_shuffles_from_8",
        "hundredtwentyone_peak",
        "left out | numbers / other element",
        ("int d = 16; d > 0", "int d = 8; d > 0"),
    ),
    # ---- rowsum
    # The sum is a half.
    Wrong(
        "hundredtwentyone_rowsum_half_sum",
        "hundredtwentyone_rowsum",
        "precision / rounding / infinity | numbers",
        ("float sum = 0.0f;", "half sum = __float2half(0.0f);"),
        ("sum += __half2float(p[c]);", "sum = __hadd(sum, p[c]);"),
        (
            "sum += __shfl_down_sync(0xffffffff, sum, d);",
            "sum = __hadd(sum, __shfl_down_sync(0xffffffff, sum, d));",
        ),
        ("sums[row] = sum;", "sums[row] = __half2float(sum);"),
    ),
    # The row is not tested.
    Wrong(
        "hundredtwentyone_rowsum_row_not_tested",
        "hundredtwentyone_rowsum",
        "bounds | tail",
        ("    if (row >= rows) return;\n", ""),
    ),
    # Every lane stores what it has.
    Wrong(
        "hundredtwentyone_rowsum_all_lanes_store",
        "hundredtwentyone_rowsum",
        "race | left out / twice / numbers / other element",
        ("if (threadIdx.x == 0) sums[row] = sum;", "sums[row] = sum;"),
    ),
    # The row has 16 bits.
    Wrong(
        "hundredtwentyone_rowsum_row_of_16_bits",
        "hundredtwentyone_rowsum",
        "narrow / unwritten / whole range | left out / other element / tail / race / twice",
        ("const int row = blockIdx.x", "const uint16_t row = blockIdx.x"),
    ),
    # The blocks are those for 32 rows each.
    Wrong(
        "hundredtwentyone_rowsum_blocks_of_32",
        "hundredtwentyone_rowsum",
        "grid / unwritten / left out | tail",
        ("(rows + 3) / 4", "(rows + 31) / 32"),
    ),
    # ---- colsum
    # The first thread adds its own part again.
    Wrong(
        "hundredtwentyone_colsum_own_part_twice",
        "hundredtwentyone_colsum",
        "twice | numbers / other element",
        ("int k = 1; k < H", "int k = 0; k < H"),
    ),
    # Parts are read before all are there.
    Wrong(
        "hundredtwentyone_colsum_no_barrier",
        "hundredtwentyone_colsum",
        "race | unwritten / left out / numbers / state / nan",
        ("    __syncthreads();\n", ""),
    ),
    # The sides of the parts change places.
    Wrong(
        "hundredtwentyone_colsum_part_sides",
        "hundredtwentyone_colsum",
        "race / other element / sides / bounds | numbers / left out / twice / swapped",
        ("double part[H][W];", "double part[W][H];"),
    ),
    # The sum is added to what the output held.
    Wrong(
        "hundredtwentyone_colsum_adds_to_out",
        "hundredtwentyone_colsum",
        "zero before / state | unwritten / nan / twice",
        ("out[col] = sum;", "out[col] += sum;"),
    ),
    # The blocks stand in y, where no index looks.
    Wrong(
        "hundredtwentyone_colsum_blocks_in_y",
        "hundredtwentyone_colsum",
        "grid / unwritten / left out | swapped / race / tail / twice",
        ("<<<blocks, dim3(W, H), 0, stream>>>", "<<<dim3(1, blocks), dim3(W, H), 0, stream>>>"),
    ),
    # ---- masked
    # The largest of all is taken off, masked or not.
    Wrong(
        "hundredtwentyone_masked_largest_of_all",
        "hundredtwentyone_masked",
        "left out / nan / numbers / infinity | precision / subnormal / function / start",
        ("top = fmaxf(top, score(in, keep, c));", "top = fmaxf(top, in[c]);"),
    ),
    # Nothing is stored where the mask is false.
    Wrong(
        "hundredtwentyone_masked_not_stored",
        "hundredtwentyone_masked",
        "unwritten | left out / nan",
        (
            "        out[c] = expf(score(in, keep, c) - top) / sum;",
            "        if (keep[c])\n            out[c] = expf(in[c] - top) / sum;",
        ),
    ),
    # What is masked is overwritten in the input.
    Wrong(
        "hundredtwentyone_masked_fills_input",
        "hundredtwentyone_masked",
        "input | state",
        (
            "__device__ float score(const float *x, const bool *keep, int c)\n"
            "{\n    return keep[c] ? x[c] : -INFINITY;",
            "__device__ float score(float *x, const bool *keep, int c)\n"
            "{\n    if (!keep[c])\n        x[c] = -INFINITY;\n    return x[c];",
        ),
        ("masked_softmax(const float *x,", "masked_softmax(float *x,"),
        ("const float *in = x + begin;", "float *in = x + begin;"),
        ("(x, mask, y, cols);", "((float *)x, mask, y, cols);"),
    ),
    # The mask of the first row serves for all.
    Wrong(
        "hundredtwentyone_masked_mask_of_row_0",
        "hundredtwentyone_masked",
        "other element / left out | numbers / nan / sides / function",
        ("const bool *keep = mask + begin;", "const bool *keep = mask;"),
    ),
    # What is masked counts as -10000.
    Wrong(
        "hundredtwentyone_masked_minus_10000",
        "hundredtwentyone_masked",
        "start / numbers / function / infinity | left out / other element / precision / copy",
        ("? x[c] : -INFINITY;", "? x[c] : -1e4f;"),
    ),
    # ---- center
    # Shared memory has as many bytes as it needs floats.
    Wrong(
        "hundredtwentyone_center_bytes_for_floats",
        "hundredtwentyone_center",
        "bounds",
        ("size_t bytes = block_size * sizeof(float);", "size_t bytes = block_size;"),
    ),
    # The sum is divided by the number of threads.
    Wrong(
        "hundredtwentyone_center_mean_of_threads",
        "hundredtwentyone_center",
        "function / block size | numbers / sides",
        ("float mean = buf[0] / cols;", "float mean = buf[0] / threads;"),
    ),
    # The tree is for powers of two.
    Wrong(
        "hundredtwentyone_center_halved_threads",
        "hundredtwentyone_center",
        "block size / left out | numbers / other element",
        (
            "    for (int s = 1; s < threads; s *= 2) {\n"
            "      if (t % (2 * s) == 0 && t + s < threads) buf[t] += buf[t + s];\n",
            "    for (int s = threads / 2; s > 0; s /= 2) {\n"
            "      if (t < s) buf[t] += buf[t + s];\n",
        ),
    ),
    # The next row begins while some read the mean.
    Wrong(
        "hundredtwentyone_center_next_row_too_early",
        "hundredtwentyone_center",
        "race | numbers / other element / state",
        ("= in[c] - mean;\n    __syncthreads();\n", "= in[c] - mean;\n"),
    ),
    # The sum goes on from row to row.
    Wrong(
        "hundredtwentyone_center_sum_goes_on",
        "hundredtwentyone_center",
        "start / other element / twice | numbers / function / grid / state / sides",
        ("    float sum = 0.0f;\n", ""),
        (
            "  int t = threadIdx.x, threads = blockDim.x;\n",
            "  int t = threadIdx.x, threads = blockDim.x;\n  float sum = 0.0f;\n",
        ),
    ),
    # ---- batch
    # All results go to the first matrix.
    Wrong(
        "hundredtwentyone_batch_all_to_first",
        "hundredtwentyone_batch",
        "other element / unwritten / race | left out / twice / sides / numbers",
        ("float *b = out + (size_t)blockIdx.z * rows * cols;", "float *b = out;"),
    ),
    # A matrix is thought to be square.
    Wrong(
        "hundredtwentyone_batch_square_matrices",
        "hundredtwentyone_batch",
        "sides / bounds / other element | numbers",
        ("in + (size_t)blockIdx.z * rows * cols;", "in + (size_t)blockIdx.z * cols * cols;"),
    ),
    # Half of the rows are stored.
    Wrong(
        "hundredtwentyone_batch_steps_of_16",
        "hundredtwentyone_batch",
        "unwritten / left out | tail",
        ("k += ROWS)", "k += 2 * ROWS)"),
    ),
    # Tiles change places, what is in them does not.
    Wrong(
        "hundredtwentyone_batch_tile_not_turned",
        "hundredtwentyone_batch",
        "other element / function / sides / swapped | unwritten / numbers / copy / neighbour",
        ("tile[threadIdx.x][threadIdx.y + k]", "tile[threadIdx.y + k][threadIdx.x]"),
    ),
    # A tile is turned where it stands.
    Wrong(
        "hundredtwentyone_batch_tile_stays",
        "hundredtwentyone_batch",
        "other element / unwritten / sides | left out / swapped / numbers / function",
        ("int to_c = blockIdx.y * TILE", "int to_c = blockIdx.x * TILE"),
        ("int to_r = blockIdx.x * TILE", "int to_r = blockIdx.y * TILE"),
    ),
    # ---- matvec
    # The second product takes the first number of x.
    Wrong(
        "hundredtwentyone_matvec_same_x_twice",
        "hundredtwentyone_matvec",
        "other element / neighbour / twice | numbers / left out",
        ("a[j + 32] * x[j + 32]", "a[j + 32] * x[j]"),
    ),
    # Half of the warps are launched.
    Wrong(
        "hundredtwentyone_matvec_half_the_warps",
        "hundredtwentyone_matvec",
        "unwritten / left out / grid / block size | tail",
        ("const int threads = 256;", "const int threads = 128;"),
    ),
    # The mask names 16 lanes.
    Wrong(
        "hundredtwentyone_matvec_mask_of_16",
        "hundredtwentyone_matvec",
        "race | left out / numbers",
        ("0xffffffffu", "0xffffu"),
    ),
    # Where x is 0, nothing is multiplied.
    Wrong(
        "hundredtwentyone_matvec_zeros_skipped",
        "hundredtwentyone_matvec",
        "nan | infinity / numbers / left out",
        (
            "    sum += a[j] * x[j];\n    sum += a[j + 32] * x[j + 32];\n",
            "    if (x[j] != 0.0f) sum += a[j] * x[j];\n"
            "    if (x[j + 32] != 0.0f) sum += a[j + 32] * x[j + 32];\n",
        ),
        ("  if (j < cols) sum +=", "  if (j < cols && x[j] != 0.0f) sum +="),
    ),
    # The last odd turn is forgotten.
    Wrong(
        "hundredtwentyone_matvec_odd_turn_lost",
        "hundredtwentyone_matvec",
        "tail / left out | numbers",
        ("  if (j < cols) sum += a[j] * x[j];\n", ""),
    ),
    # ---- atb
    # A is read as if it were not transposed.
    Wrong(
        "hundredtwentyone_atb_a_not_transposed",
        "hundredtwentyone_atb",
        "other element / function / sides / swapped | numbers",
        ("A[(size_t)r * m + acol]", "A[(size_t)acol * k + r]"),
    ),
    # Each tile begins the sum anew.
    Wrong(
        "hundredtwentyone_atb_sum_of_last_tile",
        "hundredtwentyone_atb",
        "left out / start | numbers / other element / tail",
        (
            "        const int r = t + ty;\n",
            "        const int r = t + ty;\n        acc = 0.0f;\n",
        ),
    ),
    # Beyond the edges the tiles keep what they held.
    Wrong(
        "hundredtwentyone_atb_edges_kept",
        "hundredtwentyone_atb",
        "unwritten / tail / other element / twice / start | numbers / nan / state / sides",
        (
            "ta[ty][tx] = r < k && acol < m ? A[(size_t)r * m + acol] : 0.0f;",
            "if (r < k && acol < m)\n            ta[ty][tx] = A[(size_t)r * m + acol];",
        ),
        (
            "tb[ty][tx] = r < k && col < n ? B[(size_t)r * n + col] : 0.0f;",
            "if (r < k && col < n)\n            tb[ty][tx] = B[(size_t)r * n + col];",
        ),
    ),
    # Rows of the result have the length of those of A.
    Wrong(
        "hundredtwentyone_atb_pitch_of_a",
        "hundredtwentyone_atb",
        "sides / bounds / other element / unwritten | numbers / race / twice",
        ("out[(size_t)row * n + col]", "out[(size_t)row * m + col]"),
    ),
    # Tiles are read before they are filled.
    Wrong(
        "hundredtwentyone_atb_no_first_barrier",
        "hundredtwentyone_atb",
        "race | numbers / other element / left out / nan / unwritten / state",
        ("        __syncthreads();\n        for (int j", "        for (int j"),
    ),
)

RIGHT = (
    # From the last of the four to the first, each rounded once.
    Right(
        "hundredtwentyone_axpy_backwards",
        "hundredtwentyone_axpy",
        ("int k = 0; k < PER_THREAD; k++", "int k = PER_THREAD - 1; k >= 0; k--"),
        ("a * x[i] + y[i]", "fmaf(a, x[i], y[i])"),
    ),
    # The bits are moved by hand, with those of infinity and NaN.
    Right(
        "hundredtwentyone_widen_by_hand",
        "hundredtwentyone_widen",
        (
            "    return __half2float(__ushort_as_half((unsigned short)bits));",
            "    uint32_t m = (bits & 0x7fff) << 13;\n"
            "    float f = __uint_as_float(m) * 5.192296858534828e33f;\n"
            "    if (m >= 0x0f800000u)\n        f = __uint_as_float(m | 0x7f800000u);\n"
            "    return bits & 0x8000 ? -f : f;",
        ),
    ),
    # The conversion to an integer rounds and limits.
    Right(
        "hundredtwentyone_quant_whole_limits",
        "hundredtwentyone_quant",
        (
            "    float v = rintf(x * scale);\n"
            "    return (uint32_t)fminf(fmaxf(v, 0.0f), 255.0f);",
            "    return (uint32_t)min(max(__float2int_rn(x * scale), 0), 255);",
        ),
    ),
    # A factor of 1 or the slope; and the test turned round.
    Right(
        "hundredtwentyone_leaky_not_above",
        "hundredtwentyone_leaky",
        ("float below_lo = slope * lo;", "float factor = lo > 0.0f ? 1.0f : slope;"),
        ("lo = lo > 0.0f ? lo : below_lo;", "lo = factor * lo;"),
        ("hi = hi > 0.0f ? hi : below_hi;", "if (!(hi > 0.0f)) hi = below_hi;"),
    ),
    # The exponential is that of doubles.
    Right(
        "hundredtwentyone_silu_by_doubles",
        "hundredtwentyone_silu",
        ("return v / (1.0f + expf(-v));", "return (float)(v / (1.0 + exp(-(double)v)));"),
    ),
    # One thread adds the partial sums.
    Right(
        "hundredtwentyone_total_one_thread_ends",
        "hundredtwentyone_total",
        (
            "    p[t] = t < count ? partials[t] : 0.0f;\n    __syncthreads();\n"
            "    for (int d = MOST / 2; d >= 1; d /= 2) {\n        if (t < d)\n"
            "            p[t] += p[t + d];\n        __syncthreads();\n    }\n",
            "    if (t == 0) {\n        p[0] = 0.0f;\n"
            "        for (int b = 0; b < count; b++)\n"
            "            p[0] += partials[b];\n    }\n",
        ),
    ),
    # Every lane makes the atomic.
    Right(
        "hundredtwentyone_peak_all_lanes",
        "hundredtwentyone_peak",
        ("  if (threadIdx.x % 32 == 0) atomicMax(out, best);", "  atomicMax(out, best);"),
    ),
    # All lanes get the sum, and the last one stores it.
    Right(
        "hundredtwentyone_rowsum_last_lane",
        "hundredtwentyone_rowsum",
        ("__shfl_down_sync(", "__shfl_xor_sync("),
        ("if (threadIdx.x == 0) sums", "if (threadIdx.x == 31) sums"),
    ),
    # Threads from the bottom row up.
    Right(
        "hundredtwentyone_colsum_upwards",
        "hundredtwentyone_colsum",
        ("int r = ty; r < rows; r += H", "int r = rows - 1 - ty; r >= 0; r -= H"),
    ),
    # What is masked is passed over, and stored as 0.
    Right(
        "hundredtwentyone_masked_passed_over",
        "hundredtwentyone_masked",
        (
            "        sum += expf(score(in, keep, c) - top);",
            "        if (keep[c])\n            sum += expf(in[c] - top);",
        ),
        (
            "        out[c] = expf(score(in, keep, c) - top) / sum;",
            "        out[c] = keep[c] ? expf(in[c] - top) / sum : 0.0f;",
        ),
    ),
    # A block for each row.
    Right(
        "hundredtwentyone_center_block_a_row",
        "hundredtwentyone_center",
        ("int blocks = rows < 60 ? rows : 60;", "int blocks = rows;"),
    ),
    # A whole tile of threads.
    Right(
        "hundredtwentyone_batch_1024_threads",
        "hundredtwentyone_batch",
        ("const int TILE = 32, ROWS = 8;", "const int TILE = 32, ROWS = 32;"),
    ),
    # The sums are doubles.
    Right(
        "hundredtwentyone_matvec_double_sums",
        "hundredtwentyone_matvec",
        ("float sum = 0.0f;", "double sum = 0.0;"),
        ("if (lane == 0) y[row] = sum;", "if (lane == 0) y[row] = (float)sum;"),
    ),
    # Tiles one column wider than needed, and a fused sum.
    Right(
        "hundredtwentyone_atb_padded",
        "hundredtwentyone_atb",
        ("float ta[TS][TS];", "float ta[TS][TS + 1];"),
        ("float tb[TS][TS];", "float tb[TS][TS + 1];"),
        ("acc += ta[j][ty] * tb[j][tx];", "acc = fmaf(ta[j][ty], tb[j][tx], acc);"),
    ),
)
