"""Hold a forty-second family: mixes, casts, GELU, sums, a peak, transposes, products, norms.

Its styles are those of an audio programmer, a soft-float library, a template library, a
numerical analyst, a port from NumPy, a physicist, a vendor's BLAS, a mobile inference library,
an inference server, a framework and a port of a model for CPUs. The causes were written before
a member was judged. On the emulator each member ran beside PyTorch, compared as a case does,
twice with other numbers in the outputs and around all tensors. nvcc compiles each for 8.0; none
was run on a GPU. Bases and right ones are right, and all wrong ones but three wrong, refused by
a fault or for their launch, some only so:

    xlii_mix_wraps              of sums that 16 bits do not hold
    xlii_mix_truncates          of sums that are nearer to the next integer from 0
    xlii_mix_half_up            of ties, each second one
    xlii_mix_planar             if there are several frames and channels, and factors differ
    xlii_mix_dry_sample         if 16 bits do not hold the sum of voice and effect
    xlii_mix_symmetric          of sums that are rounded to -32,768 or less
    xlii_i64f_no_sticky         from 2^56 on, up and down, of numbers little above a tie
    xlii_i64f_no_carry          of numbers that are rounded up to a power of 2
    xlii_i64f_by_double         from 2^53 on, up and down, of numbers next to a tie
    xlii_i64f_clz               from 2^32 on, up and down
    xlii_i64f_full_blocks       from 257 elements on, if the count is no multiple of 256
    xlii_gelu_tanh              of sums that are neither nearly 0 nor large
    xlii_gelu_cancels           of sums below 0
    xlii_gelu_bias_of_thread    from 33 columns on, if terms differ
    xlii_gelu_integer_half      unless GELU is 0
    xlii_gelu_grid_y            from 262,141 rows on
    xlii_compsum_lost_in_tree   if a thread's or a block's sum was rounded, and it counts
    xlii_compsum_fast_two_sum   if the second of two is larger, and what is lost counts
    xlii_compsum_infinity       if a number is infinite
    xlii_compsum_three_warps    from three elements on, unless what is left out is 0
    xlii_reduce_leaves          if inner is above 32 and no multiple of it, from 6 strips on
    xlii_reduce_place_of_strip  if inner is no multiple of 32 and outer is above 1
    xlii_reduce_adds            unless the outputs are 0 before
    xlii_peak_negative_order    if all are negative and not equal
    xlii_peak_nan_bits          of NaNs with a sign, and of NaNs with several bits
    xlii_peak_zeros_differ      if zeros are the largest, and the first one is -0.0
    xlii_peak_stays             from the second call on, if the largest was larger before
    xlii_peak_first_warp        if the largest is not in the first warp of a block
    xlii_omatcopy_square_order  unless as many tiles are above as beside each other
    xlii_omatcopy_half_swizzle  from two rows on
    xlii_omatcopy_real_factor   if ALPHA is no float
    xlii_omatcopy_factor_twice  if ALPHA is neither 0 nor 1
    xlii_omatcopy_short_tile    from 9 rows on
    xlii_omatcopy_no_barrier    unless M and N are 1
    xlii_qgemm_outside          if the depth is no multiple of 16, and no zero point is 0
    xlii_qgemm_zeros_swapped    if the zero points differ
    xlii_qgemm_byte_tile        of bytes that are 128 and more above the left zero point, or
                                129 and more below it
    xlii_qgemm_last_term        if no zero point is 0
    xlii_qgemm_float_sum        of sums, or parts of sums, that no float has
    xlii_qgemm_short_depth      from a depth of 32,753 on
    xlii_lensm_scaled_first     of logits that are far from 0
    xlii_lensm_flt_min          of rows with no token's logit above about -80
    xlii_lensm_length_of_block  from 21 rows on, if lengths differ
    xlii_lensm_empty_rows       of rows without a token
    xlii_lensm_any_length       if a row's length is above the number of columns, the last one's
                                on the emulator, of others where blocks run at once
    xlii_lsm_to_256             of rows of 129 to 256
    xlii_lsm_zero_for_nothing   of rows that leave registers free, if they are not far above 0
    xlii_lsm_log_of_all         of rows that are far from 0
    xlii_lsm_max_of_warp        from rows of 129 on, unless all warps have the same largest
    xlii_rms_plain_weight       of rows that are not 0
    xlii_rms_even_is_aligned    of even rows, if a tensor begins at an odd element
    xlii_rms_half_squares       of pairs, if squares are no halves
    xlii_rms_no_eps             if epsilon counts beside the mean square
    xlii_rms_mean_of_pairs      of pairs, if they are not all 0
    xlii_rms_first_thread       of rows for several threads that are not 0

Three are right on the emulator, and wrong by reasoning:

    xlii_compsum_second_stream  on every stream but the default one
    xlii_lensm_one_barrier      where warps run at once
    xlii_lsm_int_start          from nearly 2^31 elements on, in rows of up to 128
"""

# ruff: noqa: E501 (a line of a kernel stands in one line)
from __future__ import annotations

import math
from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import whole

# An audio programmer's mix of three buses of 16-bit samples, of which one is turned down.
MIX = (
    HEADER
    + """\
/* Mixer: interleaved 16-bit PCM. Voice and effects as they are, music ducked per channel. */
typedef int16_t s16;

enum { MIX_BLOCKS = 12, MIX_THREADS = 160 };

static __device__ s16 clip_s16(float v)
{
    int r = __float2int_rn(v);      /* nearest, ties to even */
    if (r > 32767) r = 32767;
    if (r < -32768) r = -32768;
    return (s16)r;
}

__global__ void mix_buses(const s16 *voice, const s16 *effects, const s16 *music, const float *duck, s16 *bus, int64_t frames, int channels)
{
    const int64_t samples = frames * channels;
    const int64_t hop = (int64_t)gridDim.x * blockDim.x;

    for (int64_t s = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; s < samples; s += hop) {
        const int ch = (int)(s % channels);
        const int dry = voice[s] + effects[s];
        const float wet = duck[ch] * music[s];
        bus[s] = clip_s16(dry + wet);
    }
}

extern "C" void launch(const s16 *voice /* [frames, channels] */, const s16 *effects /* [frames, channels] */, const s16 *music /* [frames, channels] */,
                       const float *duck /* [channels] */, s16 *bus /* [frames, channels] */, int64_t frames, int channels, cudaStream_t stream = 0)
{
    mix_buses<<<MIX_BLOCKS, MIX_THREADS, 0, stream>>>(voice, effects, music, duck, bus, frames, channels);
}
"""
)

# A port of a soft-float library's conversion of 64-bit integers, four elements a thread.
I64F = (
    HEADER
    + """\
/*----------------------------------------------------------------------------
| The float that is nearest to `a', of two that are equally near the even one.
*----------------------------------------------------------------------------*/
static __device__ uint32_t i64_to_f32(int64_t a)
{
    const bool sign = a < 0;
    const uint64_t absA = sign ? 0 - (uint64_t)a : (uint64_t)a;
    if (absA == 0) return 0;

    const int shiftDist = __clzll((long long)absA);
    const uint64_t sig = absA << shiftDist;             /* the highest bit is set */
    uint32_t mant = (uint32_t)(sig >> 40);              /* 24 bits */
    const uint64_t roundBits = sig << 24;               /* what is behind them */
    const uint64_t halfway = 0x8000000000000000;
    if (roundBits > halfway || (roundBits == halfway && (mant & 1))) ++mant;

    /* The hidden bit adds 1 to the exponent, and so does a carry. */
    const uint32_t exp = 127 + 63 - shiftDist - 1;
    return ((uint32_t)sign << 31) | ((exp << 23) + mant);
}

enum { THREADS = 64, ITEMS = 4 };

__global__ void convert(const int64_t *in, uint32_t *out, int64_t count)
{
    const int64_t base = (int64_t)blockIdx.x * (THREADS * ITEMS) + threadIdx.x;

    for (int k = 0; k < ITEMS; ++k) {
        const int64_t i = base + k * THREADS;
        if (i < count) out[i] = i64_to_f32(in[i]);
    }
}

extern "C" void launch(const int64_t *in /* [count] */, float *out /* [count] */, int64_t count, cudaStream_t stream = 0)
{
    const int64_t blocks = (count + THREADS * ITEMS - 1) / (THREADS * ITEMS);
    convert<<<(unsigned)blocks, THREADS, 0, stream>>>(in, (uint32_t *)out, count);
}
"""
)

# A template library's epilogue of a product: bias and GELU, a thread goes down a column.
GELU = (
    HEADER
    + """\
namespace epilogue {

/// GELU(v) = v * Phi(v), with the complementary error function, as nothing cancels there.
struct GeluErf {
  __device__ __forceinline__ float operator()(float v) const {
    float const kAlpha = 0.70710678118654752f;
    return 0.5f * v * erfcf(-v * kAlpha);
  }
};

/// D = activation(accumulators + bias)
template <typename ElementBias, typename Activation>
__global__ void bias_activation(float const* accumulators, ElementBias const* bias, float* D, int64_t m, int64_t n, Activation activation) {
  int64_t const column = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (column >= n) {
    return;
  }
  float const b = float(bias[column]);

  for (int64_t row = int64_t(blockIdx.y) * blockDim.y + threadIdx.y; row < m; row += int64_t(gridDim.y) * blockDim.y) {
    int64_t const offset = row * n + column;
    D[offset] = activation(accumulators[offset] + b);
  }
}

}  // namespace epilogue

extern "C" void launch(float const* accumulators,  // [m, n]
                       __nv_bfloat16 const* bias,  // [n]
                       float* D,                   // [m, n]
                       int64_t m, int64_t n, cudaStream_t stream = 0) {
  dim3 const threads(32, 4);
  int64_t const down = (m + threads.y - 1) / threads.y;
  dim3 const grid(unsigned((n + threads.x - 1) / threads.x), unsigned(down < 8 ? down : 8));
  epilogue::bias_activation<<<grid, threads, 0, stream>>>(accumulators, bias, D, m, n, epilogue::GeluErf());
}
"""
)

# A numerical analyst's sum of floats, as good as if it were added up in twice the precision.
COMPSUM = (
    HEADER
    + """\
#define N_THREADS 128
#define N_BLOCKS 24

/* s is the sum as it was rounded, c what was lost by that. */
struct Accum { float s, c; };

/* TwoSum (Knuth): a + b == s + *err, exactly, whichever is the larger one. */
__device__ float two_sum(float a, float b, float *err)
{
    const float s = a + b;
    const float z = s - a;
    *err = (a - (s - z)) + (b - z);
    return s;
}

__device__ Accum plus(Accum x, Accum y)
{
    Accum r;
    float err;
    r.s = two_sum(x.s, y.s, &err);
    r.c = (x.c + y.c) + err;
    return r;
}

/* The sum over all threads, for thread 0. */
__device__ Accum block_total(Accum mine)
{
    __shared__ Accum tree[N_THREADS];
    tree[threadIdx.x] = mine;
    __syncthreads();
    for (int half = N_THREADS / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            tree[threadIdx.x] = plus(tree[threadIdx.x], tree[threadIdx.x + half]);
        __syncthreads();
    }
    return tree[0];
}

__global__ void sum_of_parts(const float *x, Accum *parts, int64_t n)
{
    Accum mine = {0.0f, 0.0f};
    for (int64_t i = (int64_t)blockIdx.x * N_THREADS + threadIdx.x; i < n; i += (int64_t)N_BLOCKS * N_THREADS)
        mine = plus(mine, Accum{x[i], 0.0f});
    mine = block_total(mine);
    if (threadIdx.x == 0)
        parts[blockIdx.x] = mine;
}

__global__ void sum_of_blocks(const Accum *parts, float *total)
{
    Accum mine = {0.0f, 0.0f};
    if (threadIdx.x < N_BLOCKS)
        mine = parts[threadIdx.x];
    mine = block_total(mine);
    if (threadIdx.x == 0)
        *total = isfinite(mine.s) ? mine.s + mine.c : mine.s;    /* inf - inf is in c */
}

extern "C" void launch(const float *x /* [n] */, float *total /* [1] */, int64_t n, cudaStream_t stream = 0)
{
    Accum *parts;
    cudaMallocAsync((void **)&parts, N_BLOCKS * sizeof(Accum), stream);
    sum_of_parts<<<N_BLOCKS, N_THREADS, 0, stream>>>(x, parts, n);
    sum_of_blocks<<<1, N_THREADS, 0, stream>>>(parts, total);
    cudaFreeAsync(parts, stream);
}
"""
)

# A port of NumPy's add.reduce along the middle one of three axes.
REDUCE = (
    HEADER
    + """\
// out = numpy.add.reduce(a, axis=1, dtype=numpy.float64)      a.shape == (outer, mid, inner)
#define TX 32
#define TY 6

__global__ void add_reduce(const float* a, double* out, int64_t outer, int64_t mid, int64_t inner) {
  __shared__ double partial[TY][TX];
  const int64_t strips = (inner + TX - 1) / TX;

  // A block takes strip after strip: 32 numbers of the last axis, TY rows at a time.
  for (int64_t strip = blockIdx.x; strip < outer * strips; strip += gridDim.x) {
    const int64_t o = strip / strips;
    const int64_t i = strip % strips * TX + threadIdx.x;

    double acc = 0.0;
    if (i < inner) {
      for (int64_t m = threadIdx.y; m < mid; m += TY) {
        acc += a[(o * mid + m) * inner + i];
      }
    }
    partial[threadIdx.y][threadIdx.x] = acc;
    __syncthreads();

    if (threadIdx.y == 0 && i < inner) {
      for (int k = 1; k < TY; ++k) acc += partial[k][threadIdx.x];
      out[o * inner + i] = acc;
    }
    __syncthreads();  // before the next strip
  }
}

extern "C" void launch(const float* a /* [outer, mid, inner] */, double* out /* [outer, inner] */, int64_t outer, int64_t mid, int64_t inner, cudaStream_t stream = 0) {
  add_reduce<<<5, dim3(TX, TY), 0, stream>>>(a, out, outer, mid, inner);
}
"""
)

# A physicist's largest number with its place: both in 64 bits, which one atomic compares.
PEAK = (
    HEADER
    + """\
using u32 = uint32_t;
using u64 = unsigned long long;

// Integers that compare as the floats do; any NaN is above all of them, 0.0 and -0.0 are equal.
__device__ u32 orderedBits(float v)
{
    if (v != v) return 0xffffffffu;
    const u32 bits = __float_as_uint(v + 0.0f);  // -0.0 + 0.0 is 0.0
    return (bits & 0x80000000u) ? ~bits : (bits | 0x80000000u);
}

// The value above, so that it decides; the place below, turned, so that the first one is the largest.
__device__ u64 pack(float v, u32 place)
{
    return ((u64)orderedBits(v) << 32) | (u32)~place;
}

__global__ void findPeak(const float* signal, u64* best, u32 n)
{
    u64 mine = 0;
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const u64 next = pack(signal[i], i);
        mine = next > mine ? next : mine;
    }
    for (int lanes = 16; lanes > 0; lanes >>= 1) {
        const u64 other = __shfl_xor_sync(0xffffffffu, mine, lanes);
        mine = other > mine ? other : mine;
    }
    if (threadIdx.x % 32 == 0) atomicMax(best, mine);
}

__global__ void unpackPeak(const float* signal, const u64* best, float* height, int* where)
{
    const u32 place = ~(u32)*best;
    *where = (int)place;
    *height = signal[place];
}

extern "C" void launch(const float* signal,  // [n]
                       float* height,        // [1]
                       int* where,           // [1]
                       int n, cudaStream_t stream = 0)
{
    u64* best;
    cudaMallocAsync((void**)&best, sizeof(u64), stream);
    cudaMemsetAsync(best, 0, sizeof(u64), stream);
    findPeak<<<9, 96, 0, stream>>>(signal, best, (u32)n);
    unpackPeak<<<1, 1, 0, stream>>>(signal, best, height, where);
    cudaFreeAsync(best, stream);
}
"""
)

# A vendor's extension of the BLAS: B = ALPHA * A**T, tiles in diagonal order, banks by XOR.
OMATCOPY = (
    HEADER
    + """\
/*
 *  DOMATCOPY('R', 'T', M, N, ALPHA, A, B)      A is M by N, B is N by M, both by rows.
 */
#define NB 16
#define NROWS 4

__global__ void domatcopy_t(int64_t M, int64_t N, double ALPHA, const double *A, double *B)
{
    /* Column C of row R is kept at C ^ R: neither rows nor columns meet in a bank. */
    __shared__ double TILE[NB][NB];

    const int64_t MT = (M + NB - 1) / NB;
    const int64_t NT = (N + NB - 1) / NB;
    const int TX = threadIdx.x;

    for (int64_t IT = blockIdx.x; IT < MT * NT; IT += gridDim.x) {
        /* Blocks that run at once work along a diagonal of tiles. */
        const int64_t I0 = IT % MT * NB;
        const int64_t J0 = (IT / MT + IT % MT) % NT * NB;

        for (int R = threadIdx.y; R < NB; R += NROWS) {
            if (I0 + R < M && J0 + TX < N)
                TILE[R][TX ^ R] = A[(I0 + R) * N + J0 + TX];
        }
        __syncthreads();
        for (int R = threadIdx.y; R < NB; R += NROWS) {
            if (J0 + R < N && I0 + TX < M)
                B[(J0 + R) * M + I0 + TX] = ALPHA * TILE[TX][R ^ TX];
        }
        __syncthreads();
    }
}

extern "C" void launch(int64_t M, int64_t N, double ALPHA, const double *A /* [M, N] */, double *B /* [N, M] */, cudaStream_t stream = 0)
{
    const dim3 threads(NB, NROWS);
    domatcopy_t<<<14, threads, 0, stream>>>(M, N, ALPHA, A, B);
}
"""
)

# A mobile inference library's product of bytes with zero points and a bias; sums wrap.
QGEMM = (
    HEADER
    + """\
namespace quant {

constexpr int kTile = 16;

// dst = bias + (lhs - lhs_zero) * (rhs - rhs_zero)
__global__ void matmul_u8_i32(const uint8_t* lhs, const uint8_t* rhs, const int32_t* bias, int32_t* dst, int lhs_zero, int rhs_zero, int rows, int depth, int cols) {
  __shared__ int16_t lhs_tile[kTile][kTile];
  __shared__ int16_t rhs_tile[kTile][kTile];
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int64_t col = static_cast<int64_t>(blockIdx.x) * kTile + tx;

  for (int64_t top = static_cast<int64_t>(blockIdx.y) * kTile; top < rows; top += static_cast<int64_t>(gridDim.y) * kTile) {
    const int64_t row = top + ty;
    uint32_t acc = col < cols ? bias[col] : 0;  // unsigned, as it may wrap
    for (int64_t d0 = 0; d0 < depth; d0 += kTile) {
      // What is outside counts as the zero point.
      lhs_tile[ty][tx] = row < rows && d0 + tx < depth ? lhs[row * depth + d0 + tx] - lhs_zero : 0;
      rhs_tile[ty][tx] = d0 + ty < depth && col < cols ? rhs[(d0 + ty) * cols + col] - rhs_zero : 0;
      __syncthreads();
      for (int p = 0; p < kTile; ++p) {
        acc += lhs_tile[ty][p] * rhs_tile[p][tx];
      }
      __syncthreads();
    }
    if (row < rows && col < cols) dst[row * cols + col] = static_cast<int32_t>(acc);
  }
}

}  // namespace quant

extern "C" void launch(const uint8_t* lhs,   // [rows, depth]
                       const uint8_t* rhs,   // [depth, cols]
                       const int32_t* bias,  // [cols]
                       int32_t* dst,         // [rows, cols]
                       uint8_t lhs_zero, uint8_t rhs_zero, int rows, int depth, int cols, cudaStream_t stream = 0) {
  using quant::kTile;
  const unsigned across = (static_cast<unsigned>(cols) + kTile - 1) / kTile;
  const unsigned down = (static_cast<unsigned>(rows) + kTile - 1) / kTile;
  const dim3 grid(across, down < 4096 ? down : 4096);
  quant::matmul_u8_i32<<<grid, dim3(kTile, kTile), 0, stream>>>(lhs, rhs, bias, dst, lhs_zero, rhs_zero, rows, depth, cols);
}
"""
)

# An inference server's softmax of sequences of several lengths; the output keeps exponentials.
LENSM = (
    HEADER
    + """\
namespace serving {

constexpr int kWarps = 4;
constexpr int kMaxBlocks = 20;
constexpr float kLog2e = 1.4426950408889634f;

struct Max { __device__ float operator()(float a, float b) const { return fmaxf(a, b); } };
struct Sum { __device__ float operator()(float a, float b) const { return a + b; } };

// All threads get the result.
template <typename Op>
__device__ float BlockAllReduce(float v, float* scratch, Op op) {
  for (int offset = 16; offset > 0; offset >>= 1) v = op(v, __shfl_xor_sync(0xffffffffu, v, offset));
  __syncthreads();  // scratch may still be in use
  if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = v;
  __syncthreads();
  v = scratch[0];
  for (int w = 1; w < kWarps; ++w) v = op(v, scratch[w]);
  return v;
}

// Tokens from lengths[row] on are padding, and get 0.
__global__ void SoftmaxWithLengths(const float* logits, const int* lengths, float* probs, int rows, int cols) {
  __shared__ float scratch[kWarps];
  for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
    const float* in = logits + row * cols;
    float* out = probs + row * cols;
    const int64_t len = min(max(lengths[row], 0), cols);

    float largest = -INFINITY;
    for (int64_t i = threadIdx.x; i < len; i += blockDim.x) largest = fmaxf(largest, in[i]);
    largest = BlockAllReduce(largest, scratch, Max{});

    float sum = 0.0f;
    for (int64_t i = threadIdx.x; i < cols; i += blockDim.x) {
      const float e = i < len ? exp2f((in[i] - largest) * kLog2e) : 0.0f;
      out[i] = e;
      sum += e;
    }
    sum = BlockAllReduce(sum, scratch, Sum{});

    const float inv = 1.0f / sum;
    for (int64_t i = threadIdx.x; i < len; i += blockDim.x) out[i] *= inv;
  }
}

}  // namespace serving

extern "C" void launch(const float* logits,  // [rows, cols]
                       const int* lengths,   // [rows]
                       float* probs,         // [rows, cols]
                       int rows, int cols, cudaStream_t stream = 0) {
  const int blocks = rows < serving::kMaxBlocks ? rows : serving::kMaxBlocks;
  serving::SoftmaxWithLengths<<<blocks, serving::kWarps * 32, 0, stream>>>(logits, lengths, probs, rows, cols);
}
"""
)

# A framework's log-softmax of halves: a warp keeps a short row, a block takes a long one.
LSM = (
    HEADER
    + """\
namespace native {

constexpr int kRowsPerBlock = 4;
constexpr int kBlockThreads = 128;

template <typename acc_t>
__device__ acc_t warp_max(acc_t v) {
  for (int m = 16; m > 0; m /= 2) v = fmaxf(v, __shfl_xor_sync(0xffffffff, v, m));
  return v;
}

template <typename acc_t>
__device__ acc_t warp_sum(acc_t v) {
  for (int m = 16; m > 0; m /= 2) v += __shfl_xor_sync(0xffffffff, v, m);
  return v;
}

// Rows of up to 32 * ITEMS elements.
template <int ITEMS>
__global__ void log_softmax_warp(const half* src, float* dst, int rows, int cols) {
  const int64_t row = static_cast<int64_t>(blockIdx.x) * kRowsPerBlock + threadIdx.y;
  if (row >= rows) return;
  const int64_t start = row * cols;

  float elements[ITEMS];
  float max_value = -INFINITY;
#pragma unroll
  for (int it = 0; it < ITEMS; ++it) {
    const int col = it * 32 + threadIdx.x;
    elements[it] = col < cols ? __half2float(src[start + col]) : -INFINITY;
    max_value = fmaxf(max_value, elements[it]);
  }
  max_value = warp_max(max_value);

  float sum = 0.0f;
#pragma unroll
  for (int it = 0; it < ITEMS; ++it) sum += expf(elements[it] - max_value);
  const float log_sum = logf(warp_sum(sum));

#pragma unroll
  for (int it = 0; it < ITEMS; ++it) {
    const int col = it * 32 + threadIdx.x;
    if (col < cols) dst[start + col] = elements[it] - max_value - log_sum;
  }
}

__global__ void log_softmax_block(const half* src, float* dst, int cols) {
  __shared__ float of_warps[kBlockThreads / 32];
  src += blockIdx.x * static_cast<int64_t>(cols);
  dst += blockIdx.x * static_cast<int64_t>(cols);

  float max_value = -INFINITY;
  for (int64_t c = threadIdx.x; c < cols; c += kBlockThreads) max_value = fmaxf(max_value, __half2float(src[c]));
  max_value = warp_max(max_value);
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = max_value;
  __syncthreads();
  max_value = warp_max(of_warps[threadIdx.x % (kBlockThreads / 32)]);
  __syncthreads();

  float sum = 0.0f;
  for (int64_t c = threadIdx.x; c < cols; c += kBlockThreads) sum += expf(__half2float(src[c]) - max_value);
  sum = warp_sum(sum);
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = sum;
  __syncthreads();
  sum = of_warps[0];
  for (int w = 1; w < kBlockThreads / 32; ++w) sum += of_warps[w];

  const float log_sum = logf(sum);
  for (int64_t c = threadIdx.x; c < cols; c += kBlockThreads) dst[c] = __half2float(src[c]) - max_value - log_sum;
}

}  // namespace native

extern "C" void launch(const half* src,  // [rows, cols]
                       float* dst,       // [rows, cols]
                       int rows, int cols, cudaStream_t stream = 0) {
  using namespace native;
  const dim3 block(32, kRowsPerBlock);
  const unsigned grid = (static_cast<unsigned>(rows) + kRowsPerBlock - 1) / kRowsPerBlock;
  if (cols <= 32) {
    log_softmax_warp<1><<<grid, block, 0, stream>>>(src, dst, rows, cols);
  } else if (cols <= 64) {
    log_softmax_warp<2><<<grid, block, 0, stream>>>(src, dst, rows, cols);
  } else if (cols <= 128) {
    log_softmax_warp<4><<<grid, block, 0, stream>>>(src, dst, rows, cols);
  } else {
    log_softmax_block<<<rows, kBlockThreads, 0, stream>>>(src, dst, cols);
  }
}
"""
)

# A port of a model for CPUs: RMS norm with one plus the weight, in pairs where it can.
RMS = (
    HEADER
    + """\
// RMSNorm(x) = x / sqrt(mean(x^2) + eps) * (1 + w)
static constexpr int kThreads = 160;
static constexpr int kNumWarps = kThreads / 32;

static __device__ float ReduceSum(float v) {
  __shared__ float per_warp[kNumWarps];
  __shared__ float total;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int d = 16; d >= 1; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
  if (lane == 0) per_warp[warp] = v;
  __syncthreads();
  if (warp == 0) {
    v = lane < kNumWarps ? per_warp[lane] : 0.0f;
    for (int d = 16; d >= 1; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
    if (lane == 0) total = v;
  }
  __syncthreads();
  return total;
}

template <bool kPairs>
__global__ void RMSNorm(const half* x, const float* w, half* y, float eps, int dim) {
  x += (int64_t)blockIdx.x * dim;
  y += (int64_t)blockIdx.x * dim;

  float ss = 0.0f;
  if (kPairs) {
    const half2* x2 = (const half2*)x;
    for (int64_t i = threadIdx.x; i < dim / 2; i += kThreads) {
      const float2 v = __half22float2(x2[i]);
      ss += v.x * v.x + v.y * v.y;
    }
  } else {
    for (int64_t i = threadIdx.x; i < dim; i += kThreads) {
      const float v = __half2float(x[i]);
      ss += v * v;
    }
  }
  const float mul = 1.0f / sqrtf(ReduceSum(ss) / dim + eps);

  if (kPairs) {
    const half2* x2 = (const half2*)x;
    half2* y2 = (half2*)y;
    for (int64_t i = threadIdx.x; i < dim / 2; i += kThreads) {
      const float2 v = __half22float2(x2[i]);
      y2[i] = __floats2half2_rn(v.x * mul * (1.0f + w[2 * i]), v.y * mul * (1.0f + w[2 * i + 1]));
    }
  } else {
    for (int64_t i = threadIdx.x; i < dim; i += kThreads) {
      y[i] = __float2half(__half2float(x[i]) * mul * (1.0f + w[i]));
    }
  }
}

extern "C" void launch(const half* x,   // [rows, dim]
                       const float* w,  // [dim]
                       half* y,         // [rows, dim]
                       float eps, int rows, int dim, cudaStream_t stream = 0) {
  const bool pairs = dim % 2 == 0 && (uintptr_t)x % 4 == 0 && (uintptr_t)y % 4 == 0;
  if (pairs) {
    RMSNorm<true><<<rows, kThreads, 0, stream>>>(x, w, y, eps, dim);
  } else {
    RMSNorm<false><<<rows, kThreads, 0, stream>>>(x, w, y, eps, dim);
  }
}
"""
)

INF, NAN = float("inf"), float("nan")


def _half_unit(right: torch.Tensor) -> torch.Tensor:
    """Return half a unit in the last place of the float16 next to each number."""
    return 2.0 ** (torch.frexp(right)[1].clamp(min=-13) - 12) * (right != 0)


def mixes(launcher: Launcher) -> Iterator[Case]:
    """Mix quiet samples, ties and loud ones, which are clipped; all is exact in float."""
    sides = ((1, 1), (1, 3), (5, 2), (2, 7), (33, 2), (100, 6), (640, 3), (1931, 1), (2000, 2))
    for frames, channels in sides:
        n = frames * channels
        voice, effects, music = (
            whole(-(2**15), 2**15, n, n + k).reshape(frames, channels) for k in range(3)
        )
        duck = whole(-128, 129, channels, n + 3).float() / 64
        for label, (v, e, m), factor in (
            ("quiet", (voice // 16, effects // 16, music // 16), duck),
            ("ties", (voice // 8, effects // 8, music // 16 * 2 + 1), duck * 0 + 0.5),
            ("loud", (voice, effects, music), duck),
            ("below all", (-voice.abs(), -effects.abs(), -music.abs()), duck.abs()),
            ("voice and effects off", (voice * 0, effects * 0, music), duck),
        ):
            exact = (v + e).double() + factor.double() * m
            right = torch.round(exact).clamp(-(2.0**15), 2.0**15 - 1)
            inputs = (v.short(), e.short(), m.short(), factor)
            words = f"frames = {frames:,}, channels = {channels}, {label}"
            yield Case(words, inputs, (right,), dtypes=(torch.int16,))


def conversions(launcher: Launcher) -> Iterator[Case]:
    """Convert integers of every length, ties and their neighbours, and those about 2^k."""
    edges = [0, 1, -1, 2**24, 2**24 + 1, -(2**24) - 1, 2**31, -(2**31), 2**32, 2**40, 2**63 - 1]
    edges += [-(2**63), 2**62 + 2**38, 2**62 + 2**38 + 1, 2**53 + 1, 2**32 - 1, 2**60 - 1]
    for n in (1, 2, 17, 63, 64, 65, 200, 255, 256, 257, 700, 3001):
        bits, more, k = whole(0, 2**62, n, n), whole(0, 2**62, n, n + 1), torch.arange(n)
        sign = 1 - 2 * (more % 2)
        ties = ((bits >> 38) | 2**23) * 2 + 1  # 25 bits
        shift = more // 2 % 38
        for label, x in (
            ("any", (bits * 2 + more % 2) * sign),
            ("small", bits % 100_000 * sign),
            ("of every length", (bits >> (more % 62)) * sign),
            ("ties", ties * 2**shift * sign),
            ("next to ties", (ties * 2 ** (shift + 1) + more // 128 % 3 - 1) * sign),
            ("below a power of 2", (2 ** (25 + more % 37) - 1 - bits % 3) * sign),
            ("edges", torch.tensor(edges)[(k + n) % len(edges)]),
        ):
            right = (_nearest(x),)
            yield Case(f"count = {n:,}, {label}", (x,), right, dtypes=(torch.float32,))


def _nearest(x: torch.Tensor) -> torch.Tensor:
    """Return the floats that are nearest to integers of 64 bits, as float64."""
    made = []
    for number in x.tolist():
        extra = max(abs(number).bit_length() - 24, 0)
        low = number >> extra  # of the float below and the next one
        rest, half = number - (low << extra), (1 << extra) / 2
        low += rest > half or (rest == half and extra > 0 and low % 2 == 1)
        made.append(float(low << extra))
    return torch.tensor(made, dtype=torch.float64)


def gelus(launcher: Launcher) -> Iterator[Case]:
    """Take GELU of usual, small, far negative and large sums."""
    sides = ((1, 1), (1, 40), (3, 31), (4, 32), (5, 33), (33, 7), (70, 3), (2, 200))
    for m, n in (*sides, (262_200, 1)):
        count = m * n
        x = whole(-1000, 1001, count, count).float().reshape(m, n)
        bias = (whole(-64, 65, n, count + 1).float() / 32).bfloat16()
        for label, y in (
            ("usual", x / 256),
            ("small", x / 2**14),
            ("far below 0", -x.abs() / 256 - 4),
            ("large", x / 16),
        ):
            z = y.double() + bias.double()
            right = z * 0.5 * torch.special.erfc(-z / math.sqrt(2))
            near = z.clamp(min=-12)
            slack = (1 + near.square()) * 2.0**-20 * right.abs() + 1e-38
            words = f"m = {m:,}, n = {n}, {label}"
            options = {"dtypes": (torch.float32,), "within": (slack,), "quick": m > 1000}
            if m < 1000 or label == "usual":
                yield Case(words, (y, bias), (right,), **options)


def compensated(launcher: Launcher) -> Iterator[Case]:
    """Add what cancels, what is small beside it, and infinities."""
    for n in (1, 2, 5, 96, 100, 127, 128, 129, 1000, 3071, 3073, 10_001):
        x, y = whole(-(2**24) + 1, 2**24, n, n).float(), whole(-999, 1000, n, n + 1).float()
        k = torch.arange(n)
        # Large numbers, which the other end of the array takes away again, and small ones.
        cancelling = torch.where(k % 2 == 0, x, -x.flip(0)) if n % 2 == 0 else x - x.flip(0)
        for label, z in (
            ("usual", y / 8),
            ("positive", x.abs() / 2**10 + y.abs() / 2**16),
            ("of every size", x * 2.0 ** (-(k % 5) * 9).double().float()),
            ("cancelling", cancelling * 256 + y / 1024),
            ("one is huge", torch.where(k == n // 3, 2.0**50, y)),
            ("an infinity", torch.where(k == n // 2, INF, y)),
        ):
            z = z.float()
            right = torch.tensor([math.fsum(z.tolist())], dtype=torch.float64)
            slack = 2.0**-37 * z.double().abs().sum().reshape(1).nan_to_num(posinf=0.0)
            words = f"n = {n:,}, {label}"
            options = {"dtypes": (torch.float32,), "ulp": 1, "within": (slack,)}
            yield Case(words, (z,), (right,), **options)


def middles(launcher: Launcher) -> Iterator[Case]:
    """Add along the middle axis: exact in double, though not in float."""
    sides = ((1, 1, 1), (1, 9, 1), (3, 1, 5), (2, 6, 32), (4, 7, 33), (1, 50, 200), (40, 5, 3))
    for outer, mid, inner in (*sides, (3, 13, 70), (12, 300, 2), (7, 2, 64)):
        n = outer * mid * inner
        x = whole(-(2**24) + 1, 2**24, n, n).float().reshape(outer, mid, inner)
        for label, y in (
            ("small", torch.remainder(x, 64) - 32),
            ("large", x),
            ("positive", x.abs() / 2**12 + 1),
        ):
            words = f"outer = {outer}, mid = {mid}, inner = {inner}, {label}"
            yield Case(words, (y,), (y.double().sum(1),), dtypes=(torch.float64,))


def peaks(launcher: Launcher) -> Iterator[Case]:
    """Find the first of the largest: all signs, equal ones, zeros, infinities, NaNs."""
    nans = torch.tensor([0x7FC00000, -0x400000], dtype=torch.int32).view(torch.float32)
    for n in (1, 2, 3, 31, 33, 95, 97, 864, 865, 1000, 5003):
        x, k = whole(-(10**6), 10**6, n, n).float() / 16, torch.arange(n)
        few, zeros = whole(1, 4, n, n + 1).float(), torch.where(k % 3 == n % 3, 0.0, -0.0)
        for label, y in (
            ("any", x),
            ("negative", -x.abs() - 1),
            ("rising", x.sort()[0]),
            ("falling", x.sort(descending=True)[0]),
            ("equal ones", few),
            ("zeros", zeros),
            ("minus infinity", x * 0 - INF),
            ("a positive NaN", torch.where(k == n * 2 // 3, nans[0], x)),
            ("negative NaNs", torch.where(k % 41 == n // 2 % 41, nans[1], x)),
        ):
            top = y.max()
            is_best = y.isnan() if bool(top.isnan()) else y == top
            place = int(torch.where(is_best, k, n).min())
            right = (y[place].double().reshape(1), torch.tensor([float(place)]))
            options = {"dtypes": (torch.float32, torch.int32)}
            yield Case(f"n = {n:,}, {label}", (y,), right, **options)
            if label in ("any", "negative"):
                options["before"] = (x.abs() + 9,)
                yield Case(f"n = {n:,}, {label}, a second call", (y,), right, **options)


def scaled_transposes(launcher: Launcher) -> Iterator[Case]:
    """Transpose doubles of many sides, with several factors."""
    sides = ((1, 1), (1, 20), (20, 1), (16, 16), (5, 33), (40, 17), (64, 64), (33, 100))
    for rows, cols in (*sides, (90, 31), (200, 3)):
        n = rows * cols
        x = whole(-(10**12), 10**12, n, n).double().reshape(rows, cols) / 64
        for alpha in (1.0, -2.0, 0.1):
            words = f"M = {rows}, N = {cols}, ALPHA = {alpha}"
            right = (alpha * x.T.contiguous(),)
            yield Case(words, (x,), right, {"ALPHA": alpha}, dtypes=(torch.float64,))


def quantized_products(launcher: Launcher) -> Iterator[Case]:
    """Multiply bytes with several zero points: any, small and large ones."""
    sides = ((1, 1, 1), (2, 3, 4), (16, 16, 16), (5, 40, 17), (40, 5, 33), (17, 33, 20))
    for rows, depth, cols in (*sides, (3, 700, 2), (50, 16, 1), (1, 31, 70), (1, 33_000, 2)):
        lhs = whole(0, 256, rows * depth, rows + depth).reshape(rows, depth)
        rhs = whole(0, 256, depth * cols, depth + cols + 999).reshape(depth, cols)
        bias = whole(-(10**6), 10**6, cols, rows + cols)
        for label, x, y in (
            ("any", lhs, rhs),
            ("small", lhs % 8, rhs % 8),
            ("large", 255 - lhs % 8, 255 - rhs % 8),
        ):
            for zeros in ((0, 0), (3, 128), (128, 7), (255, 0)):
                if depth > 1000 and zeros != (128, 7):
                    continue
                made = (x.double() - zeros[0]) @ (y.double() - zeros[1]) + bias
                scalars = {"lhs_zero": zeros[0], "rhs_zero": zeros[1]}
                inputs = (x.to(torch.uint8), y.to(torch.uint8), bias.int())
                words = f"rows = {rows}, depth = {depth}, cols = {cols}, {scalars}, {label}"
                yield Case(words, inputs, (made,), scalars, dtypes=(torch.int32,))


def softmaxes_of_lengths(launcher: Launcher) -> Iterator[Case]:
    """Weigh tokens of sequences of any length: usual, large, far below 0, infinite padding."""
    sides = ((1, 1), (3, 5), (2, 32), (4, 33), (50, 7), (20, 31), (21, 40), (3, 127), (2, 1000))
    for rows, cols in sides:
        n = rows * cols
        x = whole(-1000, 1001, n, n).float().reshape(rows, cols) / 128
        some = whole(0, cols + 1, rows, n + 1)
        for label, y, lengths in (
            ("usual", x, some),
            ("whole rows", x, some * 0 + cols),
            ("no empty rows", x, some.clamp(min=1)),
            ("large", x * 2 + 20_000, some.clamp(min=1)),
            ("far below 0", x - 900, some.clamp(min=1)),
            ("with -inf", torch.where(torch.arange(cols) % 5 == 3, -INF, x), some),
            ("lengths below 0 and above", x, some * 3 - cols),
        ):
            is_token = torch.arange(cols) < lengths[:, None]
            right = torch.softmax(y.double().masked_fill(~is_token, -INF), dim=1)
            right = torch.where(is_token, right, 0.0)
            slack = 2.0**-17 * right.nan_to_num() + 1e-37
            words = f"rows = {rows}, cols = {cols:,}, {label}"
            options = {"dtypes": (torch.float32,), "within": (slack,)}
            yield Case(words, (y, lengths.int()), (right,), **options)


def half_log_softmaxes(launcher: Launcher) -> Iterator[Case]:
    """Take rows for both ways: usual, wide, negative, huge, and with -inf."""
    sides = ((1, 1), (3, 2), (5, 31), (4, 32), (7, 33), (9, 64), (3, 65), (2, 128), (5, 129))
    for rows, cols in (*sides, (3, 200), (2, 1100)):
        n = rows * cols
        x = whole(-1000, 1001, n, n).float().reshape(rows, cols) / 256
        for label, y in (
            ("usual", x),
            ("wide", x * 16),
            ("negative", x - 100),
            ("huge", x / 8 + 30_000),
            ("equal", x * 0 + 3),
            ("with -inf", torch.where(torch.arange(cols) % 3 == 1, -INF, x)),
        ):
            y = y.half()
            right = torch.log_softmax(y.double(), dim=1)
            slack = 2.0**-20 + 2.0**-21 * right.abs().nan_to_num(posinf=0.0)
            words = f"rows = {rows}, cols = {cols:,}, {label}"
            options = {"dtypes": (torch.float32,), "within": (slack,), "ulp": 2}
            yield Case(words, (y,), (right,), **options)


def rms_norms(launcher: Launcher) -> Iterator[Case]:
    """Normalize rows of odd and even length: usual, small, large ones, zeros."""
    sides = ((1, 1), (2, 2), (3, 31), (5, 32), (4, 159), (2, 320), (3, 322), (70, 6), (2, 1001))
    for rows, dim in sides:
        n = rows * dim
        x = whole(-1000, 1001, n, n).float().reshape(rows, dim) / 256
        w = whole(-64, 65, dim, n + 1).float() / 128
        for label, y in (
            ("usual", x),
            ("small", x / 2**9),
            ("large", x * 4096),
            ("zeros", x * 0),
        ):
            y = y.half()
            for eps in (2.0**-17, 0.125):
                z = y.double()
                scale = 1 / (z.square().mean(dim=1, keepdim=True) + eps).sqrt()
                right = z * scale * (1 + w.double())
                slack = _half_unit(right) + 2.0**-20 * right.abs() + 1e-30
                for offset in (0, (1, 0, 0)) if n > 1 and label == "usual" else (0,):
                    words = f"rows = {rows}, dim = {dim:,}, {eps}, {label}, from {offset}"
                    options = {"dtypes": (torch.float16,), "within": (slack,)}
                    options["offset"] = offset
                    yield Case(words, (y, w), (right,), {"eps": eps}, **options)


BASES = {
    "xlii_mix": Base(MIX, {"cases": mixes}),
    "xlii_i64f": Base(I64F, {"cases": conversions}),
    "xlii_gelu": Base(GELU, {"cases": gelus}),
    "xlii_compsum": Base(COMPSUM, {"cases": compensated}),
    "xlii_reduce": Base(REDUCE, {"cases": middles}),
    "xlii_peak": Base(PEAK, {"cases": peaks}),
    "xlii_omatcopy": Base(OMATCOPY, {"cases": scaled_transposes}),
    "xlii_qgemm": Base(QGEMM, {"cases": quantized_products}),
    "xlii_lensm": Base(LENSM, {"cases": softmaxes_of_lengths}),
    "xlii_lsm": Base(LSM, {"cases": half_log_softmaxes}),
    "xlii_rms": Base(RMS, {"cases": rms_norms}),
}

WRONG = (
    # ---- a mix of samples
    # Nothing is clipped.
    Wrong(
        "xlii_mix_wraps",
        "xlii_mix",
        "whole range / narrow / infinity | numbers",
        (
            "    if (r > 32767) r = 32767;\n    if (r < -32768) r = -32768;\n",
            "",
        ),
    ),
    # Rounded as C casts.
    Wrong(
        "xlii_mix_truncates",
        "xlii_mix",
        "rounding | numbers / precision",
        ("__float2int_rn(v);      /* nearest, ties to even */", "(int)v;"),
    ),
    # A half is added before the cut.
    Wrong(
        "xlii_mix_half_up",
        "xlii_mix",
        "rounding | numbers",
        ("__float2int_rn(v);      /* nearest, ties to even */", "(int)floorf(v + 0.5f);"),
    ),
    # One channel after the other, as a plug-in gets them.
    Wrong(
        "xlii_mix_planar",
        "xlii_mix",
        "other element / sides / function | numbers / neighbour / swapped",
        ("(int)(s % channels);", "(int)(s / frames);"),
    ),
    # The sum of two samples is a sample.
    Wrong(
        "xlii_mix_dry_sample",
        "xlii_mix",
        "narrow / whole range / infinity | numbers / function",
        ("const int dry = voice[s] + effects[s];", "const s16 dry = voice[s] + effects[s];"),
    ),
    # The same on both sides of zero.
    Wrong(
        "xlii_mix_symmetric",
        "xlii_mix",
        "whole range / infinity / numbers | function",
        (
            "    if (r < -32768) r = -32768;\n",
            "    if (r < -32767) r = -32767;\n",
        ),
    ),
    # ---- floats of integers
    # The bits behind are kept in 32 bits: the last eight of 64 are lost.
    Wrong(
        "xlii_i64f_no_sticky",
        "xlii_i64f",
        "rounding / precision / narrow | numbers",
        (
            "const uint64_t roundBits = sig << 24; ",
            "const uint32_t roundBits = (uint32_t)(sig >> 8); ",
        ),
        (
            "const uint64_t halfway = 0x8000000000000000;",
            "const uint32_t halfway = 0x80000000;",
        ),
    ),
    # The mantissa that became 2^24 is cut to its 23 bits.
    Wrong(
        "xlii_i64f_no_carry",
        "xlii_i64f",
        "rounding / numbers / function / precision | whole range",
        (
            "    const uint32_t exp = 127 + 63 - shiftDist - 1;\n    return ((uint32_t)sign << 31) | ((exp << 23) + mant);\n",
            "    const uint32_t exp = 127 + 63 - shiftDist;\n    return ((uint32_t)sign << 31) | (exp << 23) | (mant & 0x007fffff);\n",
        ),
    ),
    # By way of double.
    Wrong(
        "xlii_i64f_by_double",
        "xlii_i64f",
        "rounding / precision | numbers",
        (
            "out[i] = i64_to_f32(in[i]);",
            "out[i] = __float_as_uint((float)(double)in[i]);",
        ),
    ),
    # The instruction for 32 bits.
    Wrong(
        "xlii_i64f_clz",
        "xlii_i64f",
        "narrow / whole range / numbers | function / precision / infinity",
        (
            "const int shiftDist = __clzll((long long)absA);",
            "const int shiftDist = 32 + __clz((int)absA);",
        ),
        (
            "const uint64_t sig = absA << shiftDist; ",
            "const uint64_t sig = absA << (shiftDist % 64); ",
        ),
    ),
    # As many blocks as are full.
    Wrong(
        "xlii_i64f_full_blocks",
        "xlii_i64f",
        "tail / unwritten / grid / refused / left out | block size",
        (
            "(count + THREADS * ITEMS - 1) / (THREADS * ITEMS);",
            "count < THREADS * ITEMS ? 1 : count / (THREADS * ITEMS);",
        ),
    ),
    # ---- bias and GELU
    # The other GELU.
    Wrong(
        "xlii_gelu_tanh",
        "xlii_gelu",
        "function / precision | numbers",
        (
            "    float const kAlpha = 0.70710678118654752f;\n    return 0.5f * v * erfcf(-v * kAlpha);\n",
            "    float const kAlpha = 0.79788456080286536f;\n    return 0.5f * v * (1.0f + tanhf(kAlpha * (v + 0.044715f * v * v * v)));\n",
        ),
    ),
    # One plus the error function, which is nearly minus one.
    Wrong(
        "xlii_gelu_cancels",
        "xlii_gelu",
        "precision / numbers / subnormal | function / rounding / sign of zero",
        ("erfcf(-v * kAlpha);", "(1.0f + erff(v * kAlpha));"),
    ),
    # The bias of the thread.
    Wrong(
        "xlii_gelu_bias_of_thread",
        "xlii_gelu",
        "other element / sides / block size | numbers / neighbour",
        ("float(bias[column]);", "float(bias[threadIdx.x]);"),
    ),
    # One half of two integers.
    Wrong(
        "xlii_gelu_integer_half",
        "xlii_gelu",
        "function / copy / left out | numbers / rounding / sign of zero",
        ("return 0.5f * v *", "return (1 / 2) * v *"),
    ),
    # As many blocks down as there are rows.
    Wrong(
        "xlii_gelu_grid_y",
        "xlii_gelu",
        "refused / grid | unwritten / block size",
        ("unsigned(down < 8 ? down : 8));", "unsigned(down));"),
    ),
    # ---- a compensated sum
    # Only the rounded sum goes through shared memory.
    Wrong(
        "xlii_compsum_lost_in_tree",
        "xlii_compsum",
        "precision / rounding | numbers / left out",
        ("    tree[threadIdx.x] = mine;\n", "    tree[threadIdx.x] = Accum{mine.s, 0.0f};\n"),
    ),
    # Dekker's short form, which needs the larger one first.
    Wrong(
        "xlii_compsum_fast_two_sum",
        "xlii_compsum",
        "precision / rounding / numbers | function",
        (
            "    const float z = s - a;\n    *err = (a - (s - z)) + (b - z);\n",
            "    *err = b - (s - a);\n",
        ),
    ),
    # The difference of infinities.
    Wrong(
        "xlii_compsum_infinity",
        "xlii_compsum",
        "nan / infinity | numbers",
        (
            "*total = isfinite(mine.s) ? mine.s + mine.c : mine.s;    /* inf - inf is in c */",
            "*total = mine.s + mine.c;",
        ),
    ),
    # Three warps, halved to an odd number.
    Wrong(
        "xlii_compsum_three_warps",
        "xlii_compsum",
        "left out / block size | numbers / race",
        ("#define N_THREADS 128", "#define N_THREADS 96"),
    ),
    # Memory for sums without what was lost.
    Wrong(
        "xlii_compsum_short_memory",
        "xlii_compsum",
        "bounds",
        ("N_BLOCKS * sizeof(Accum), stream);", "N_BLOCKS * sizeof(float), stream);"),
    ),
    # The second kernel is on no stream of the caller.
    Wrong(
        "xlii_compsum_second_stream",
        "xlii_compsum",
        "stream | race",
        ("sum_of_blocks<<<1, N_THREADS, 0, stream>>>", "sum_of_blocks<<<1, N_THREADS>>>"),
    ),
    # ---- sums along an axis
    # Who has no column leaves, and is missing in the next strip.
    Wrong(
        "xlii_reduce_leaves",
        "xlii_reduce",
        "unwritten / left out / tail / race | sides / grid / timeout / numbers",
        (
            "    double acc = 0.0;\n    if (i < inner) {\n",
            "    if (i >= inner) return;\n\n    double acc = 0.0;\n    {\n",
        ),
    ),
    # As if strips followed each other without a gap.
    Wrong(
        "xlii_reduce_place_of_strip",
        "xlii_reduce",
        "other element / sides / bounds / unwritten / tail | numbers / race / twice / neighbour / left out",
        ("out[o * inner + i] = acc;", "out[strip * TX + threadIdx.x] = acc;"),
    ),
    # Each row of threads adds to the output, which nobody has set.
    Wrong(
        "xlii_reduce_adds",
        "xlii_reduce",
        "zero before / start / state | numbers / unwritten / race / nan",
        (
            "    if (threadIdx.y == 0 && i < inner) {\n      for (int k = 1; k < TY; ++k) acc += partial[k][threadIdx.x];\n      out[o * inner + i] = acc;\n    }\n",
            "    if (i < inner) atomicAdd(&out[o * inner + i], acc);\n",
        ),
    ),
    # ---- the largest number
    # The sign is turned, the rest of a negative number is not.
    Wrong(
        "xlii_peak_negative_order",
        "xlii_peak",
        "numbers / function / other element / whole range | start / infinity",
        (
            "return (bits & 0x80000000u) ? ~bits : (bits | 0x80000000u);",
            "return bits ^ 0x80000000u;",
        ),
    ),
    # A NaN's bits as any others.
    Wrong(
        "xlii_peak_nan_bits",
        "xlii_peak",
        "nan | numbers / left out / other element",
        ("    if (v != v) return 0xffffffffu;\n", ""),
    ),
    # Zeros as their bits.
    Wrong(
        "xlii_peak_zeros_differ",
        "xlii_peak",
        "sign of zero | numbers / other element",
        (
            "__float_as_uint(v + 0.0f);  // -0.0 + 0.0 is 0.0",
            "__float_as_uint(v);",
        ),
    ),
    # The best one stays from call to call.
    Wrong(
        "xlii_peak_stays",
        "xlii_peak",
        "state / start | zero before / other element / numbers / bounds / unwritten",
        (
            "__global__ void findPeak(",
            "__device__ u64 g_best = 0;\n\n__global__ void findPeak(",
        ),
        (
            "    cudaMallocAsync((void**)&best, sizeof(u64), stream);\n    cudaMemsetAsync(best, 0, sizeof(u64), stream);\n",
            "    cudaGetSymbolAddress((void**)&best, g_best);\n",
        ),
        ("    cudaFreeAsync(best, stream);\n", ""),
    ),
    # Of a block, the first warp.
    Wrong(
        "xlii_peak_first_warp",
        "xlii_peak",
        "left out | other element / numbers / race / block size / start / unwritten / bounds",
        (
            "if (threadIdx.x % 32 == 0) atomicMax(best, mine);",
            "if (threadIdx.x == 0) atomicMax(best, mine);",
        ),
    ),
    # ---- a transpose with a factor
    # The diagonal order of square matrices.
    Wrong(
        "xlii_omatcopy_square_order",
        "xlii_omatcopy",
        "sides / unwritten / left out | twice / tail / grid / other element / race",
        ("(IT / MT + IT % MT) % NT * NB;", "(IT / MT + IT % MT) % MT * NB;"),
    ),
    # Read without the XOR.
    Wrong(
        "xlii_omatcopy_half_swizzle",
        "xlii_omatcopy",
        "other element / function / unwritten / sides / zero before / start | numbers / neighbour / twice / left out / state / bounds / race / copy",
        ("ALPHA * TILE[TX][R ^ TX];", "ALPHA * TILE[TX][R];"),
    ),
    # The factor is a REAL.
    Wrong(
        "xlii_omatcopy_real_factor",
        "xlii_omatcopy",
        "precision / rounding / narrow | numbers / function",
        (
            "int64_t M, int64_t N, double ALPHA, const double *A, double *B)\n{\n    /*",
            "int64_t M, int64_t N, float ALPHA, const double *A, double *B)\n{\n    /*",
        ),
    ),
    # The factor is in the tile, too.
    Wrong(
        "xlii_omatcopy_factor_twice",
        "xlii_omatcopy",
        "twice / function | numbers",
        ("TILE[R][TX ^ R] = A[", "TILE[R][TX ^ R] = ALPHA * A["),
    ),
    # The tile's memory is counted in floats.
    Wrong(
        "xlii_omatcopy_short_tile",
        "xlii_omatcopy",
        "bounds",
        (
            "    __shared__ double TILE[NB][NB];\n",
            "    extern __shared__ double TILES[];\n    double (*TILE)[NB] = (double (*)[NB])TILES;\n",
        ),
        ("<<<14, threads, 0, stream>>>", "<<<14, threads, NB * NB * sizeof(float), stream>>>"),
    ),
    # The tile is read while others fill it.
    Wrong(
        "xlii_omatcopy_no_barrier",
        "xlii_omatcopy",
        "race | unwritten / zero before / start / other element / numbers / state / left out / twice / bounds",
        (
            "A[(I0 + R) * N + J0 + TX];\n        }\n        __syncthreads();\n",
            "A[(I0 + R) * N + J0 + TX];\n        }\n",
        ),
    ),
    # ---- a product of bytes
    # The zero points are taken away from what is outside, too.
    Wrong(
        "xlii_qgemm_outside",
        "xlii_qgemm",
        "tail / zero before / start / numbers / function | left out / twice / sides / other element / bounds / block size",
        ("? lhs[row * depth + d0 + tx] - lhs_zero : 0;", "? lhs[row * depth + d0 + tx] : 0;"),
        ("? rhs[(d0 + ty) * cols + col] - rhs_zero : 0;", "? rhs[(d0 + ty) * cols + col] : 0;"),
        (
            "acc += lhs_tile[ty][p] * rhs_tile[p][tx];",
            "acc += (lhs_tile[ty][p] - lhs_zero) * (rhs_tile[p][tx] - rhs_zero);",
        ),
    ),
    # Each has the other's zero point.
    Wrong(
        "xlii_qgemm_zeros_swapped",
        "xlii_qgemm",
        "swapped / function | numbers / other element",
        (
            "bias, dst, lhs_zero, rhs_zero, rows, depth, cols);",
            "bias, dst, rhs_zero, lhs_zero, rows, depth, cols);",
        ),
    ),
    # Bytes in the tile of what needs nine bits.
    Wrong(
        "xlii_qgemm_byte_tile",
        "xlii_qgemm",
        "narrow / whole range | numbers / function",
        (
            "__shared__ int16_t lhs_tile[kTile][kTile];",
            "__shared__ int8_t lhs_tile[kTile][kTile];",
        ),
    ),
    # Multiplied out, but for the last term.
    Wrong(
        "xlii_qgemm_last_term",
        "xlii_qgemm",
        "left out / function | numbers / precision",
        ("? lhs[row * depth + d0 + tx] - lhs_zero : 0;", "? lhs[row * depth + d0 + tx] : 0;"),
        ("? rhs[(d0 + ty) * cols + col] - rhs_zero : 0;", "? rhs[(d0 + ty) * cols + col] : 0;"),
        (
            "acc += lhs_tile[ty][p] * rhs_tile[p][tx];",
            "acc += lhs_tile[ty][p] * rhs_tile[p][tx] - lhs_zero * rhs_tile[p][tx] - rhs_zero * lhs_tile[ty][p];",
        ),
    ),
    # A sum of floats.
    Wrong(
        "xlii_qgemm_float_sum",
        "xlii_qgemm",
        "precision / rounding / narrow | numbers / whole range",
        ("uint32_t acc = col < cols", "float acc = col < cols"),
    ),
    # A counter of the tile's type.
    Wrong(
        "xlii_qgemm_short_depth",
        "xlii_qgemm",
        "narrow / bounds / whole range | timeout / other element / numbers / sides",
        ("for (int64_t d0 = 0; d0 < depth;", "for (int16_t d0 = 0; d0 < depth;"),
    ),
    # ---- softmax with lengths
    # Each is multiplied before the difference.
    Wrong(
        "xlii_lensm_scaled_first",
        "xlii_lensm",
        "precision / rounding / numbers | function / infinity / nan",
        (
            "exp2f((in[i] - largest) * kLog2e)",
            "exp2f(__fmul_rn(in[i], kLog2e) - __fmul_rn(largest, kLog2e))",
        ),
    ),
    # The least positive number is taken for the lowest one.
    Wrong(
        "xlii_lensm_flt_min",
        "xlii_lensm",
        "start / nan / infinity / subnormal / numbers | precision / copy",
        ("    float largest = -INFINITY;\n", "    float largest = FLT_MIN;\n"),
    ),
    # The length of the block.
    Wrong(
        "xlii_lensm_length_of_block",
        "xlii_lensm",
        "other element / left out | grid / numbers / sides / function",
        ("max(lengths[row], 0)", "max(lengths[blockIdx.x], 0)"),
    ),
    # Zeros are divided by the sum of nothing.
    Wrong(
        "xlii_lensm_empty_rows",
        "xlii_lensm",
        "nan | infinity / numbers / function",
        (
            "i < len; i += blockDim.x) out[i] *= inv;",
            "i < cols; i += blockDim.x) out[i] *= inv;",
        ),
    ),
    # The lengths are trusted.
    Wrong(
        "xlii_lensm_any_length",
        "xlii_lensm",
        "bounds / race / other element | numbers / sides / whole range / twice",
        ("len = min(max(lengths[row], 0), cols);", "len = lengths[row];"),
    ),
    # The exponentials are kept where the logits were.
    Wrong(
        "xlii_lensm_in_place",
        "xlii_lensm",
        "input | state / unwritten",
        (
            "const float* in = logits + row * cols;",
            "float* in = const_cast<float*>(logits) + row * cols;",
        ),
        ("      out[i] = e;\n", "      in[i] = e;\n"),
        (
            "i < len; i += blockDim.x) out[i] *= inv;",
            "i < cols; i += blockDim.x) out[i] = i < len ? in[i] * inv : 0.0f;",
        ),
    ),
    # The sums come while a slower warp still reads the maxima.
    Wrong(
        "xlii_lensm_one_barrier",
        "xlii_lensm",
        "race | numbers / nan / infinity / state / other element / left out",
        ("  __syncthreads();  // scratch may still be in use\n", ""),
    ),
    # ---- log-softmax on two ways
    # A row has as many as 256 elements.
    Wrong(
        "xlii_lsm_to_256",
        "xlii_lsm",
        "unwritten / left out / tail | sides / numbers / block size",
        ("} else if (cols <= 128) {", "} else if (cols <= 256) {"),
    ),
    # A lane without an element has a zero.
    Wrong(
        "xlii_lsm_zero_for_nothing",
        "xlii_lsm",
        "start / tail / numbers / other element | function / sides / infinity / twice / block size / left out / zero before",
        (": -INFINITY;\n    max_value =", ": 0.0f;\n    max_value ="),
    ),
    # The sum of the largest and the logarithm is rounded.
    Wrong(
        "xlii_lsm_log_of_all",
        "xlii_lsm",
        "precision / rounding | numbers / function",
        ("= elements[it] - max_value - log_sum;", "= elements[it] - (max_value + log_sum);"),
        (
            "= __half2float(src[c]) - max_value - log_sum;",
            "= __half2float(src[c]) - (max_value + log_sum);",
        ),
    ),
    # A place in 32 bits.
    Wrong(
        "xlii_lsm_int_start",
        "xlii_lsm",
        "narrow | bounds / other element / unwritten / left out",
        (
            "const int64_t start = row * cols;",
            "const int start = static_cast<int>(row) * cols;",
        ),
    ),
    # The largest of the warp is that of the block.
    Wrong(
        "xlii_lsm_max_of_warp",
        "xlii_lsm",
        "function / numbers / left out / other element / race | infinity / nan / precision",
        ("  max_value = warp_max(of_warps[threadIdx.x % (kBlockThreads / 32)]);\n", ""),
    ),
    # ---- RMS norm
    # The weight as other models have it.
    Wrong(
        "xlii_rms_plain_weight",
        "xlii_rms",
        "function | numbers / left out",
        (
            "v.x * mul * (1.0f + w[2 * i]), v.y * mul * (1.0f + w[2 * i + 1])",
            "v.x * mul * w[2 * i], v.y * mul * w[2 * i + 1]",
        ),
        ("__half2float(x[i]) * mul * (1.0f + w[i])", "__half2float(x[i]) * mul * w[i]"),
    ),
    # Even rows are enough for pairs.
    Wrong(
        "xlii_rms_even_is_aligned",
        "xlii_rms",
        "alignment",
        ("dim % 2 == 0 && (uintptr_t)x % 4 == 0 && (uintptr_t)y % 4 == 0;", "dim % 2 == 0;"),
    ),
    # Squares of halves.
    Wrong(
        "xlii_rms_half_squares",
        "xlii_rms",
        "infinity / precision / narrow / rounding / subnormal | numbers / whole range / function / copy",
        (
            "      const float2 v = __half22float2(x2[i]);\n      ss += v.x * v.x + v.y * v.y;\n",
            "      const float2 v = __half22float2(__hmul2(x2[i], x2[i]));\n      ss += v.x + v.y;\n",
        ),
    ),
    # Without epsilon.
    Wrong(
        "xlii_rms_no_eps",
        "xlii_rms",
        "left out / nan / function / numbers | infinity",
        ("sqrtf(ReduceSum(ss) / dim + eps);", "sqrtf(ReduceSum(ss) / dim);"),
    ),
    # The mean of pairs.
    Wrong(
        "xlii_rms_mean_of_pairs",
        "xlii_rms",
        "function / numbers | twice",
        (
            "sqrtf(ReduceSum(ss) / dim + eps);",
            "sqrtf(ReduceSum(ss) / (kPairs ? dim / 2 : dim) + eps);",
        ),
    ),
    # Only the first thread knows the sum.
    Wrong(
        "xlii_rms_first_thread",
        "xlii_rms",
        "race / left out / function / numbers | other element / block size / infinity / nan",
        ("  __syncthreads();\n  return total;\n", "  __syncthreads();\n  return v;\n"),
    ),
)

RIGHT = (
    # Clamped before it is rounded; the last sample is first, neighbours are in other blocks.
    Right(
        "xlii_mix_clamped_first",
        "xlii_mix",
        (
            "    int r = __float2int_rn(v);      /* nearest, ties to even */\n    if (r > 32767) r = 32767;\n    if (r < -32768) r = -32768;\n    return (s16)r;\n",
            "    return (s16)rintf(fminf(fmaxf(v, -32768.0f), 32767.0f));\n",
        ),
        (
            "for (int64_t s = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; s < samples; s += hop) {",
            "for (int64_t s = samples - 1 - ((int64_t)threadIdx.x * gridDim.x + blockIdx.x); s >= 0; s -= hop) {",
        ),
        ("MIX_BLOCKS = 12, MIX_THREADS = 160", "MIX_BLOCKS = 3, MIX_THREADS = 37"),
    ),
    # What double has no bits for is one bit that is never a tie; the rest is the processor's.
    Right(
        "xlii_i64f_round_to_odd",
        "xlii_i64f",
        (
            "    const int shiftDist = __clzll((long long)absA);\n    const uint64_t sig = absA << shiftDist;             /* the highest bit is set */\n    uint32_t mant = (uint32_t)(sig >> 40);              /* 24 bits */\n    const uint64_t roundBits = sig << 24;               /* what is behind them */\n    const uint64_t halfway = 0x8000000000000000;\n    if (roundBits > halfway || (roundBits == halfway && (mant & 1))) ++mant;\n\n    /* The hidden bit adds 1 to the exponent, and so does a carry. */\n    const uint32_t exp = 127 + 63 - shiftDist - 1;\n    return ((uint32_t)sign << 31) | ((exp << 23) + mant);\n",
            "    const bool is_long = absA >> 53;\n    const uint64_t odd = (absA >> 11) | ((absA & 2047) != 0);\n    const float value = is_long ? (float)(double)odd * 2048.0f : (float)(double)absA;\n    return __float_as_uint(sign ? -value : value);\n",
        ),
        ("enum { THREADS = 64, ITEMS = 4 };", "enum { THREADS = 37, ITEMS = 7 };"),
    ),
    # The error function where it does not cancel, the other one elsewhere.
    Right(
        "xlii_gelu_two_functions",
        "xlii_gelu",
        (
            "    return 0.5f * v * erfcf(-v * kAlpha);\n",
            "    if (v > 0.0f) return v * (0.5f + 0.5f * erff(v * kAlpha));\n    return static_cast<float>(0.5 * v * erfc(-static_cast<double>(v) * 0.70710678118654752));\n",
        ),
        ("dim3 const threads(32, 4);", "dim3 const threads(7, 3);"),
        ("unsigned(down < 8 ? down : 8)", "unsigned(down < 2 ? down : 2)"),
    ),
    # In double, with one atomic sum.
    Right(
        "xlii_compsum_double",
        "xlii_compsum",
        ("struct Accum { float s, c; };", "struct Accum { double s, c; };"),
        (
            "    float err;\n    r.s = two_sum(x.s, y.s, &err);\n    r.c = (x.c + y.c) + err;\n",
            "    r.s = x.s + y.s;\n    r.c = 0.0;\n",
        ),
        (
            "*total = isfinite(mine.s) ? mine.s + mine.c : mine.s;    /* inf - inf is in c */",
            "*total = (float)mine.s;",
        ),
        ("#define N_THREADS 128", "#define N_THREADS 64"),
        ("Accum{x[i], 0.0f}", "Accum{(double)x[i], 0.0}"),
        ("#define N_BLOCKS 24", "#define N_BLOCKS 40"),
    ),
    # From the last row up, one row of threads, the strips from the last one on.
    Right(
        "xlii_reduce_upwards",
        "xlii_reduce",
        ("#define TY 6", "#define TY 1"),
        (
            "for (int64_t strip = blockIdx.x; strip < outer * strips; strip += gridDim.x) {",
            "for (int64_t strip = outer * strips - 1 - blockIdx.x; strip >= 0; strip -= gridDim.x) {",
        ),
        (
            "for (int64_t m = threadIdx.y; m < mid; m += TY) {",
            "for (int64_t m = mid; m-- > 0;) {",
        ),
        ("add_reduce<<<5,", "add_reduce<<<3,"),
    ),
    # The least of the turned keys.
    Right(
        "xlii_peak_least",
        "xlii_peak",
        (
            "return ((u64)orderedBits(v) << 32) | (u32)~place;",
            "return ((u64)(u32)~orderedBits(v) << 32) | place;",
        ),
        ("    u64 mine = 0;\n", "    u64 mine = ~0ull;\n"),
        ("mine = next > mine ? next : mine;", "mine = next < mine ? next : mine;"),
        ("mine = other > mine ? other : mine;", "mine = other < mine ? other : mine;"),
        ("atomicMax(best, mine);", "atomicMin(best, mine);"),
        ("const u32 place = ~(u32)*best;", "const u32 place = (u32)*best;"),
        (
            "cudaMemsetAsync(best, 0, sizeof(u64), stream);",
            "cudaMemsetAsync(best, 0xff, sizeof(u64), stream);",
        ),
    ),
    # A block's best in shared memory; the value is in the key, unless it is a zero or NaN.
    Right(
        "xlii_peak_shared",
        "xlii_peak",
        (
            "    u64 mine = 0;\n",
            "    __shared__ u64 ofBlock;\n    if (threadIdx.x == 0) ofBlock = 0;\n    __syncthreads();\n    u64 mine = 0;\n",
        ),
        (
            "    if (threadIdx.x % 32 == 0) atomicMax(best, mine);\n",
            "    if (threadIdx.x % 32 == 31) atomicMax(&ofBlock, mine);\n    __syncthreads();\n    if (threadIdx.x == 40) atomicMax(best, ofBlock);\n",
        ),
        (
            "    *height = signal[place];\n",
            "    const u32 key = (u32)(*best >> 32);\n    const bool exact = key != 0xffffffffu && key != 0x80000000u;\n    *height = exact ? __uint_as_float((key & 0x80000000u) ? (key & 0x7fffffffu) : ~key) : signal[place];\n",
        ),
    ),
    # Tiles of 8 with a pad, in order.
    Right(
        "xlii_omatcopy_padded",
        "xlii_omatcopy",
        ("#define NB 16", "#define NB 8"),
        ("__shared__ double TILE[NB][NB];", "__shared__ double TILE[NB][NB + 1];"),
        ("(IT / MT + IT % MT) % NT * NB;", "IT / MT * NB;"),
        ("TILE[R][TX ^ R] = ", "TILE[TX][R] = ALPHA * "),
        ("ALPHA * TILE[TX][R ^ TX];", "TILE[R][TX];"),
        ("domatcopy_t<<<14,", "domatcopy_t<<<3,"),
    ),
    # Multiplied out, with all four terms, in tiles of 8.
    Right(
        "xlii_qgemm_multiplied_out",
        "xlii_qgemm",
        ("constexpr int kTile = 16;", "constexpr int kTile = 8;"),
        ("? lhs[row * depth + d0 + tx] - lhs_zero : 0;", "? lhs[row * depth + d0 + tx] : 0;"),
        ("? rhs[(d0 + ty) * cols + col] - rhs_zero : 0;", "? rhs[(d0 + ty) * cols + col] : 0;"),
        (
            "acc += lhs_tile[ty][p] * rhs_tile[p][tx];",
            "acc += lhs_tile[ty][p] * rhs_tile[p][tx] - lhs_zero * rhs_tile[p][tx] - rhs_zero * lhs_tile[ty][p];",
        ),
        (
            "    if (row < rows && col < cols) dst[row",
            "    acc += static_cast<uint32_t>(depth) * static_cast<uint32_t>(lhs_zero * rhs_zero);\n    if (row < rows && col < cols) dst[row",
        ),
        ("down < 4096 ? down : 4096", "down < 2 ? down : 2"),
    ),
    # From the end of a row, with exp, and divided.
    Right(
        "xlii_lensm_from_the_end",
        "xlii_lensm",
        (
            "for (int64_t i = threadIdx.x; i < cols; i += blockDim.x) {\n      const float e = i < len ? exp2f((in[i] - largest) * kLog2e) : 0.0f;",
            "for (int64_t i = cols - 1 - static_cast<int64_t>(threadIdx.x); i >= 0; i -= blockDim.x) {\n      const float e = i < len ? expf(in[i] - largest) : 0.0f;",
        ),
        (
            "    const float inv = 1.0f / sum;\n    for (int64_t i = threadIdx.x; i < len; i += blockDim.x) out[i] *= inv;\n",
            "    __syncthreads();  // others read what a thread has written\n    for (int64_t i = threadIdx.x; i < len; i += blockDim.x) out[i] /= sum;\n",
        ),
        ("kWarps = 4;", "kWarps = 3;"),
        ("kMaxBlocks = 20;", "kMaxBlocks = 3;"),
    ),
    # Short rows up to 256, the long ones with the largest and the sum in one pass.
    Right(
        "xlii_lsm_one_pass",
        "xlii_lsm",
        (
            "  float max_value = -INFINITY;\n  for (int64_t c = threadIdx.x; c < cols; c += kBlockThreads) max_value = fmaxf(max_value, __half2float(src[c]));\n  max_value = warp_max(max_value);\n",
            "  float own_max = -INFINITY, sum = 0.0f;\n  for (int64_t c = threadIdx.x; c < cols; c += kBlockThreads) {\n    const float x = __half2float(src[c]);\n    if (x > own_max) {\n      sum = sum * expf(own_max - x) + expf(x - x);\n      own_max = x;\n    } else if (x != -INFINITY) {\n      sum += expf(x - own_max);\n    }\n  }\n  float max_value = warp_max(own_max);\n",
        ),
        (
            "  float sum = 0.0f;\n  for (int64_t c = threadIdx.x; c < cols; c += kBlockThreads) sum += expf(__half2float(src[c]) - max_value);\n  sum = warp_sum(sum);\n",
            "  sum = warp_sum(own_max == -INFINITY ? sum : sum * expf(own_max - max_value));\n",
        ),
        (
            "  } else {\n    log_softmax_block<<<",
            "  } else if (cols <= 256) {\n    log_softmax_warp<8><<<grid, block, 0, stream>>>(src, dst, rows, cols);\n  } else {\n    log_softmax_block<<<",
        ),
        ("kBlockThreads = 128;", "kBlockThreads = 64;"),
        ("kRowsPerBlock = 4;", "kRowsPerBlock = 3;"),
    ),
    # Never in pairs, in double, from the end.
    Right(
        "xlii_rms_double",
        "xlii_rms",
        (
            "static __device__ float ReduceSum(float v) {\n  __shared__ float per_warp[kNumWarps];\n  __shared__ float total;\n",
            "static __device__ double ReduceSum(double v) {\n  __shared__ double per_warp[kNumWarps];\n  __shared__ double total;\n",
        ),
        ("per_warp[lane] : 0.0f;", "per_warp[lane] : 0.0;"),
        ("  float ss = 0.0f;\n", "  double ss = 0.0;\n"),
        (
            "    for (int64_t i = threadIdx.x; i < dim; i += kThreads) {\n      const float v = __half2float(x[i]);",
            "    for (int64_t i = dim - 1 - (int64_t)threadIdx.x; i >= 0; i -= kThreads) {\n      const double v = __half2float(x[i]);",
        ),
        (
            "const float mul = 1.0f / sqrtf(ReduceSum(ss) / dim + eps);",
            "const float mul = (float)(1.0 / sqrt(ReduceSum(ss) / dim + eps));",
        ),
        (
            "const bool pairs = dim % 2 == 0 && (uintptr_t)x % 4 == 0 && (uintptr_t)y % 4 == 0;",
            "const bool pairs = false;",
        ),
        ("kThreads = 160;", "kThreads = 64;"),
    ),
)
