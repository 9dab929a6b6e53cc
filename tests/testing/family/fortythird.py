"""Hold a forty-third family: differences, casts, gates, sums, maxima, planes, products, norms.

Its styles are those of a port of R, a modernist, a language model's engine, a framework, a
library of templates, an image library, a port of the reference BLAS, a training library, a
paper's code and another framework. The causes were written before a member was judged. On the
emulator each member ran beside PyTorch, compared as a case does, twice with other numbers in
the outputs and around all tensors. nvcc 13.0 compiles each for 8.0; none was run on a GPU.
Bases and right ones are right, and all wrong ones but four wrong, refused by a fault or for
their launch, or endless, some only so:

    xliii_recycle_wraps             of differences that do not fit
    xliii_recycle_na_of_y           if y is NA and x below 0, but not NA
    xliii_recycle_turned            unless both are equal, or one is NA
    xliii_recycle_end_of_y          from element 384 on, where y starts again, unless the
                                    length of y divides 384
    xliii_recycle_restarts          from element 384 on, where a step goes past the end of y
    xliii_recycle_by_float          if a number or the difference is no float
    xliii_narrow_by_float           of numbers next to a tie that a float takes for one
    xliii_narrow_flushes            of numbers that are subnormal halves
    xliii_narrow_nan_bits           of NaNs without one of the fraction's upper ten bits
    xliii_narrow_early_infinity     from 32,768 on, up and down, to the largest half
    xliii_narrow_plain_zero         of -0.0, and of what is below 0 and above -2^-25
    xliii_gated_nan_limited         of NaNs
    xliii_gated_chunked             if there are several columns
    xliii_gated_no_one              unless the gate's product is 0
    xliii_gated_two_sided           of gates below the limit's negative
    xliii_gated_half_exp            of numbers whose exponential is no half, if it counts
    xliii_gated_fixed_step          of fewer threads than 256, if more than 8 blocks of these
                                    are due
    xliii_biasgrad_bytes            unless the sums are 0 before
    xliii_biasgrad_zeroed_once      from the second call on, unless the sums are 0 before
    xliii_biasgrad_from_16          unless the sum is 0
    xliii_biasgrad_past_the_end     if rows are above 48, and parts do not divide them
    xliii_rowmax_later              if the largest comes more than once
    xliii_rowmax_no_nan             of NaNs
    xliii_rowmax_half_the_lanes     if the largest is among the last 16 of 32
    xliii_rowmax_short_index        from place 65,536 on
    xliii_rowmax_replaced_first     if another lane's best is before the largest
    xliii_rowmax_block_x            from 4 rows on
    xliii_planes_any_address        of whole groups, if no plane begins at a whole word
    xliii_planes_any_width          if the number of pixels is no multiple of 4, and the first
                                    plane begins at a whole word
    xliii_planes_bgr                from two channels on
    xliii_planes_first_image        from two images on
    xliii_planes_next_byte          if there are several channels and pixels
    xliii_planes_image_grid         from 65,536 images on
    xliii_gemmtn_reads_c            if BETA is 0 and C is infinite or NaN
    xliii_gemmtn_alpha_of_both      unless ALPHA is 1 or the term with C is 0
    xliii_gemmtn_leading_side       unless M or K is 1
    xliii_gemmtn_no_zeros           if K is no multiple of 16
    xliii_gemmtn_half_products      of products that no half has
    xliii_gemmtn_one_barrier        if K is above 16, or there are more than 10 tiles
    xliii_causal_strict             of all queries that see a key
    xliii_causal_top_left           unless there are as many keys as queries
    xliii_causal_query_of_all       from two heads and two queries on
    xliii_causal_unseen             if a query does not see all keys
    xliii_causal_unscaled_largest   of logits that are far from 0, unless the scale is 1
    xliii_online_two_nothings       of rows of fewer than 80 elements, and if -inf meets -inf
    xliii_online_not_rescaled       if a later number, or lane's, is the largest, and it counts
    xliii_online_first_twice        unless none of a row's first 96 numbers counts
    xliii_online_from_zero          of rows that are far below 0
    xliii_online_halved_on          always: it never ends
    xliii_welford_unbiased          unless all is equal, or epsilon large beside the variance
    xliii_welford_equal_parts       unless a row's length is a power of 2 or divided by 64
    xliii_welford_empty_parts       of rows of fewer than 32 elements
    xliii_welford_saves_by_block    from 15 rows on
    xliii_welford_row_of_block      from 15 rows on
    xliii_welford_centers_input     unless the mean is 0
    xliii_welford_naive             of rows that are far from 0

Four are right on the emulator, and wrong by reasoning:

    xliii_biasgrad_plain_sum        where blocks run at once, if a column has several parts
    xliii_biasgrad_default_stream   on every stream but the default one
    xliii_online_no_barrier         where warps run at once
    xliii_online_int_rows           from nearly 2^31 elements on
"""

# ruff: noqa: E501 (a line of a kernel stands in one line)
from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import whole

# A port of R's difference of integers: the shorter one is recycled, what does not fit is NA.
RECYCLE = (
    HEADER
    + """\
typedef int64_t R_xlen_t;
#define NA_INTEGER INT32_MIN
#define R_INT_MAX INT32_MAX

static __device__ int R_integer_minus(int x, int y)
{
    if (x == NA_INTEGER || y == NA_INTEGER)
        return NA_INTEGER;
    const int64_t z = (int64_t) x - y;
    return (z < -R_INT_MAX || z > R_INT_MAX) ? NA_INTEGER : (int) z;   /* R would warn */
}

/* ans <- x - rep_len(y, length(x)) */
__global__ void integer_minus(const int *px, const int *py, int *pa, R_xlen_t nx, R_xlen_t ny)
{
    const R_xlen_t n_threads = (R_xlen_t) gridDim.x * blockDim.x;
    const R_xlen_t first = (R_xlen_t) blockIdx.x * blockDim.x + threadIdx.x;
    const R_xlen_t step = n_threads % ny;
    R_xlen_t iy = first % ny;

    for (R_xlen_t i = first; i < nx; i += n_threads) {
        pa[i] = R_integer_minus(px[i], py[iy]);
        iy += step;                       /* cheaper than a division */
        if (iy >= ny) iy -= ny;
    }
}

extern "C" void launch(const int *px /* [nx] */, const int *py /* [ny] */, int *pa /* [nx] */, R_xlen_t nx, R_xlen_t ny, cudaStream_t stream = 0)
{
    if (ny > 0)
        integer_minus<<<6, 64, 0, stream>>>(px, py, pa, nx, ny);
}
"""
)

# A modernist's halves of doubles, which are rounded once, by the bits.
NARROW = (
    HEADER
    + """\
namespace narrowing {

template <typename T>
struct Span {
  T* first;
  int64_t count;
  __device__ constexpr T& operator[](int64_t i) const { return first[i]; }
};

/// The binary16 that is nearest to a binary64; of two, the even one.
struct ToHalf {
  __device__ uint16_t operator()(double value) const {
    const auto bits = static_cast<uint64_t>(__double_as_longlong(value));
    const auto sign = static_cast<uint32_t>(bits >> 48) & 0x8000u;
    const auto fraction = bits & ((uint64_t{1} << 52) - 1);
    const auto exponent = static_cast<int>(bits >> 52 & 0x7ff) - 1023;

    if (exponent == 1024) return sign | (fraction != 0 ? 0x7e00u : 0x7c00u);
    if (exponent > 15) return sign | 0x7c00u;
    if (exponent < -25) return sign;  // nearer to zero than to the smallest one

    const auto is_subnormal = exponent < -14;
    const auto dropped = is_subnormal ? 28 - exponent : 42;
    const auto significand = fraction | uint64_t{1} << 52;
    auto kept = static_cast<uint32_t>(significand >> dropped);
    const auto rest = significand & ((uint64_t{1} << dropped) - 1);
    const auto tie = uint64_t{1} << (dropped - 1);
    if (rest > tie || (rest == tie && kept % 2 == 1)) ++kept;

    // The leading bit counts in the exponent, and so does a carry, up to infinity.
    const auto scale = is_subnormal ? 0u : static_cast<uint32_t>(exponent + 14) << 10;
    return sign | (scale + kept);
  }
};

template <typename From, typename To, typename Function>
__global__ void transform(Span<From const> from, Span<To> to, Function function) {
  auto const stride = int64_t{gridDim.x} * blockDim.x;
  for (auto i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < from.count; i += stride) {
    to[i] = function(from[i]);
  }
}

}  // namespace narrowing

extern "C" void launch(double const* from,  // [count]
                       half* to,            // [count]
                       int64_t count, cudaStream_t stream = 0) {
  using namespace narrowing;
  auto const source = Span<double const>{from, count};
  auto const target = Span<uint16_t>{reinterpret_cast<uint16_t*>(to), count};
  transform<<<7, 96, 0, stream>>>(source, target, ToHalf{});
}
"""
)

# A language model's gated activation: gate and value are neighbours, both are limited.
GATED = (
    HEADER
    + """\
// out = (up + 1) * gate * sigmoid(alpha * gate)     gate, up = (x + bias)[..., 0::2], [..., 1::2]
struct GluParams {
  float alpha;
  float limit;
};

// NaN stays NaN.
static __device__ __forceinline__ float at_most(float v, float hi) { return v > hi ? hi : v; }
static __device__ __forceinline__ float at_least(float v, float lo) { return v < lo ? lo : v; }

__global__ void clamped_swiglu(const half2* __restrict__ x, const float2* __restrict__ bias, half* __restrict__ out, GluParams p, int64_t total, int cols) {
  const int64_t stride = (int64_t)gridDim.x * blockDim.x;
  for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < total; i += stride) {
    const float2 v = __half22float2(x[i]);
    const float2 b = bias[i % cols];
    const float gate = at_most(v.x + b.x, p.limit);
    const float up = at_least(at_most(v.y + b.y, p.limit), -p.limit);
    const float glu = gate / (1.0f + expf(-p.alpha * gate));
    out[i] = __float2half((up + 1.0f) * glu);
  }
}

extern "C" void launch(const half* x,      // [rows, cols, 2] 4-byte aligned
                       const float* bias,  // [cols, 2] 8-byte aligned
                       half* out,          // [rows, cols]
                       float alpha, float limit, int rows, int cols, int block_size = 256, cudaStream_t stream = 0) {
  const int64_t total = (int64_t)rows * cols;
  const int64_t blocks = (total + block_size - 1) / block_size;
  clamped_swiglu<<<(unsigned)(blocks < 8 ? blocks : 8), block_size, 0, stream>>>(reinterpret_cast<const half2*>(x), reinterpret_cast<const float2*>(bias), out, GluParams{alpha, limit}, total, cols);
}
"""
)

# A framework's gradient of a bias: sums of columns, by parts of rows, added up atomically.
BIASGRAD = (
    HEADER
    + """\
namespace framework {

constexpr int kSide = 16;
constexpr int kMinRows = 48;   // for a block of its own
constexpr int kMaxParts = 12;

__global__ void bias_grad_kernel(const half* grad_output, float* grad_bias, int64_t rows, int64_t cols, int64_t rows_per_part) {
  __shared__ float tile[kSide][kSide + 1];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int64_t col = static_cast<int64_t>(blockIdx.x) * kSide + tx;
  const int64_t begin = blockIdx.y * rows_per_part;
  const int64_t end = begin + rows_per_part < rows ? begin + rows_per_part : rows;

  float sum = 0.0f;
  if (col < cols) {
    for (int64_t row = begin + ty; row < end; row += kSide) sum += __half2float(grad_output[row * cols + col]);
  }
  tile[ty][tx] = sum;
  __syncthreads();

  // Turned around, so that the 16 sums of a column are in neighbouring lanes.
  sum = tile[tx][ty];
  for (int offset = kSide / 2; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset, kSide);
  const int64_t target = static_cast<int64_t>(blockIdx.x) * kSide + ty;
  if (tx == 0 && target < cols) atomicAdd(&grad_bias[target], sum);
}

}  // namespace framework

extern "C" void launch(const half* grad_output,  // [rows, cols]
                       float* grad_bias,         // [cols]
                       int64_t rows, int64_t cols, cudaStream_t stream = 0) {
  using namespace framework;
  int64_t parts = (rows + kMinRows - 1) / kMinRows;
  if (parts > kMaxParts) parts = kMaxParts;
  if (parts < 1) parts = 1;
  const int64_t rows_per_part = (rows + parts - 1) / parts;
  const dim3 grid(static_cast<unsigned>((cols + kSide - 1) / kSide), static_cast<unsigned>(parts));
  cudaMemsetAsync(grad_bias, 0, cols * sizeof(float), stream);
  bias_grad_kernel<<<grid, dim3(kSide, kSide), 0, stream>>>(grad_output, grad_bias, rows, cols, rows_per_part);
}
"""
)

# A library's largest number of each row with its place: a warp a row, pairs go by shuffles.
ROWMAX = (
    HEADER
    + """\
namespace rowwise {

constexpr int kLanes = 32;
constexpr int kRows = 3;  // of a block
using Index = long long;

struct Candidate {
  float value;
  Index index;
};

// A NaN is better than all numbers, of equal ones the first.
__device__ bool better(const Candidate& a, const Candidate& b) {
  const bool a_nan = isnan(a.value), b_nan = isnan(b.value);
  if (a_nan != b_nan) return a_nan;
  if (!a_nan && a.value != b.value) return a.value > b.value;
  return a.index < b.index;
}

__global__ void max_with_index(const __nv_bfloat16* input, __nv_bfloat16* values, Index* indices, int rows, int cols) {
  const int lane = threadIdx.x;
  const int64_t row = static_cast<int64_t>(blockIdx.x) * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  const __nv_bfloat16* in = input + row * cols;

  Candidate best{-INFINITY, INT64_MAX};
  for (int64_t c = lane; c < cols; c += kLanes) {
    const Candidate next{__bfloat162float(in[c]), c};
    if (better(next, best)) best = next;
  }
  for (int mask = kLanes / 2; mask > 0; mask /= 2) {
    Candidate other;
    other.value = __shfl_xor_sync(0xffffffffu, best.value, mask);
    other.index = __shfl_xor_sync(0xffffffffu, best.index, mask);
    if (better(other, best)) best = other;
  }
  if (lane == 0) {
    values[row] = __float2bfloat16(best.value);
    indices[row] = best.index;
  }
}

}  // namespace rowwise

extern "C" void launch(const __nv_bfloat16* input,  // [rows, cols]
                       __nv_bfloat16* values,       // [rows]
                       long long* indices,          // [rows]
                       int rows, int cols, cudaStream_t stream = 0) {
  const dim3 block(rowwise::kLanes, rowwise::kRows);
  const unsigned grid = (static_cast<unsigned>(rows) + rowwise::kRows - 1) / rowwise::kRows;
  rowwise::max_with_index<<<grid, block, 0, stream>>>(input, values, indices, rows, cols);
}
"""
)

# An image library's planes of interleaved channels, for several images: four pixels a thread.
PLANES = (
    HEADER
    + """\
/* [images][pixels][channels] -> [images][channels][pixels] */
typedef uint8_t Ipp8u;

#define PIXELS_PER_THREAD 4

__global__ void ippiSplit_8u(const Ipp8u *pSrc, Ipp8u *pDst, int64_t images, int64_t pixels, int64_t channels, bool whole)
{
    const int64_t groups = (pixels + PIXELS_PER_THREAD - 1) / PIXELS_PER_THREAD;
    const int64_t jobs = images * channels * groups;

    for (int64_t job = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; job < jobs; job += (int64_t)gridDim.x * blockDim.x) {
        const int64_t p = job % groups * PIXELS_PER_THREAD;
        const int64_t c = job / groups % channels;
        const int64_t image = job / groups / channels;
        const Ipp8u *s = pSrc + (image * pixels + p) * channels + c;
        Ipp8u *d = pDst + (image * channels + c) * pixels + p;

        if (whole) {
            *(uchar4 *)d = make_uchar4(s[0], s[channels], s[2 * channels], s[3 * channels]);
        } else {
            for (int k = 0; k < PIXELS_PER_THREAD && p + k < pixels; ++k)
                d[k] = s[k * channels];
        }
    }
}

extern "C" void launch(const Ipp8u *pSrc /* [images, pixels, channels] */, Ipp8u *pDst /* [images, channels, pixels] */,
                       int64_t images, int64_t pixels, int64_t channels, cudaStream_t stream = 0)
{
    /* Each plane begins at a whole word. */
    const bool whole = pixels % 4 == 0 && (uintptr_t)pDst % 4 == 0;
    ippiSplit_8u<<<5, 128, 0, stream>>>(pSrc, pDst, images, pixels, channels, whole);
}
"""
)

# A port of the reference BLAS: D = ALPHA * A**T * B + BETA * C, of halves, into floats.
GEMMTN = (
    HEADER
    + """\
/*
 *     SHGEMM('T', 'N', M, N, K, ALPHA, A, B, BETA, C)      all matrices are by rows:
 *     A is K by M, B is K by N, C and D are M by N.
 *     If BETA is zero, C need not be set.
 */
#define NB 16

__global__ void shgemm_tn(int64_t M, int64_t N, int64_t K, float ALPHA, const half *A, const half *B, float BETA, const float *C, float *D)
{
    __shared__ half AS[NB][NB];
    __shared__ half BS[NB][NB];
    const int TX = threadIdx.x, TY = threadIdx.y;
    const int64_t MT = (M + NB - 1) / NB;
    const int64_t NT = (N + NB - 1) / NB;

    for (int64_t T = blockIdx.x; T < MT * NT; T += gridDim.x) {
        const int64_t I0 = T / NT * NB;
        const int64_t J0 = T % NT * NB;
        const int64_t I = I0 + TY, J = J0 + TX;

        float TEMP = 0.0f;
        for (int64_t L0 = 0; L0 < K; L0 += NB) {
            const int64_t L = L0 + TY;
            AS[TY][TX] = L < K && I0 + TX < M ? A[L * M + I0 + TX] : __float2half(0.0f);
            BS[TY][TX] = L < K && J < N ? B[L * N + J] : __float2half(0.0f);
            __syncthreads();
            for (int P = 0; P < NB; P++)
                TEMP += __half2float(AS[P][TY]) * __half2float(BS[P][TX]);
            __syncthreads();
        }
        if (I < M && J < N)
            D[I * N + J] = BETA == 0.0f ? ALPHA * TEMP : ALPHA * TEMP + BETA * C[I * N + J];
    }
}

extern "C" void launch(int M, int N, int K, float ALPHA, const half *A /* [K, M] */, const half *B /* [K, N] */, float BETA, const float *C /* [M, N] */, float *D /* [M, N] */, cudaStream_t stream = 0)
{
    shgemm_tn<<<10, dim3(NB, NB), 0, stream>>>(M, N, K, ALPHA, A, B, BETA, C, D);
}
"""
)

# A training library's scaled softmax under a causal mask: a warp a row, in bfloat16.
CAUSAL = (
    HEADER
    + """\
namespace fused_softmax {

constexpr int WARP_SIZE = 32;
constexpr int WARPS_PER_BLOCK = 4;
constexpr int MAX_BLOCKS = 11;

using input_t = __nv_bfloat16;
using acc_t = float;

__device__ acc_t warp_reduce_max(acc_t v) {
  for (int m = WARP_SIZE / 2; m > 0; m /= 2) v = fmaxf(v, __shfl_xor_sync(0xffffffff, v, m));
  return v;
}

__device__ acc_t warp_reduce_add(acc_t v) {
  for (int m = WARP_SIZE / 2; m > 0; m /= 2) v += __shfl_xor_sync(0xffffffff, v, m);
  return v;
}

// The last query sees all keys, the one before it all but the last key, and so on. A query that
// sees none gets zeros.
__global__ void scaled_causal_masked_softmax(const input_t* src, input_t* dst, acc_t scale, int64_t heads, int64_t queries, int64_t keys) {
  const int lane = threadIdx.x;
  const int64_t rows = heads * queries;
  const int64_t step = static_cast<int64_t>(gridDim.x) * WARPS_PER_BLOCK;

  for (int64_t row = static_cast<int64_t>(blockIdx.x) * WARPS_PER_BLOCK + threadIdx.y; row < rows; row += step) {
    const input_t* logits = src + row * keys;
    input_t* probs = dst + row * keys;
    const int64_t query = row % queries;
    const int64_t seen = keys - queries + query + 1;

    acc_t max_value = -INFINITY;
    for (int64_t k = lane; k < seen; k += WARP_SIZE) max_value = fmaxf(max_value, scale * __bfloat162float(logits[k]));
    max_value = warp_reduce_max(max_value);

    acc_t sum = 0.0f;
    for (int64_t k = lane; k < seen; k += WARP_SIZE) sum += expf(scale * __bfloat162float(logits[k]) - max_value);
    sum = warp_reduce_add(sum);

    for (int64_t k = lane; k < keys; k += WARP_SIZE) {
      acc_t p = 0.0f;
      if (k < seen) p = expf(scale * __bfloat162float(logits[k]) - max_value) / sum;
      probs[k] = __float2bfloat16(p);
    }
  }
}

}  // namespace fused_softmax

extern "C" void launch(const __nv_bfloat16* src,  // [heads, queries, keys]
                       __nv_bfloat16* dst,        // [heads, queries, keys]
                       float scale, int heads, int queries, int keys, cudaStream_t stream = 0) {
  using namespace fused_softmax;
  const dim3 block(WARP_SIZE, WARPS_PER_BLOCK);
  scaled_causal_masked_softmax<<<MAX_BLOCKS, block, 0, stream>>>(src, dst, scale, heads, queries, keys);
}
"""
)

# A log-softmax of a paper about one pass: pairs of a maximum and a sum, a block a row.
ONLINE = (
    HEADER
    + """\
// Algorithm 3 of the paper: (m, d) of two parts of a row gives (m, d) of both.
struct __align__(8) MD {
    float m;  // the largest number
    float d;  // the sum of exp(x - m)
};

__device__ __forceinline__ MD combine(MD a, MD b)
{
    if (a.m == b.m) return MD{a.m, a.d + b.d};  // two of -inf, too
    const float m = fmaxf(a.m, b.m);
    return MD{m, a.d * expf(a.m - m) + b.d * expf(b.m - m)};
}

template <int THREADS>
__global__ void __launch_bounds__(THREADS) online_log_softmax(const float *__restrict__ x, float *__restrict__ y, int V)
{
    __shared__ MD warp_total[THREADS / 32];
    __shared__ MD row_total;

    x += (int64_t)blockIdx.x * V;
    y += (int64_t)blockIdx.x * V;

    MD mine{-INFINITY, 0.0f};
    for (int64_t i = threadIdx.x; i < V; i += THREADS) {
        mine = combine(mine, MD{x[i], 1.0f});
    }
    for (int lanes = 16; lanes > 0; lanes /= 2) {
        MD other;
        other.m = __shfl_down_sync(0xffffffffu, mine.m, lanes);
        other.d = __shfl_down_sync(0xffffffffu, mine.d, lanes);
        mine = combine(mine, other);
    }
    if (threadIdx.x % 32 == 0) warp_total[threadIdx.x / 32] = mine;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < THREADS / 32; ++w) mine = combine(mine, warp_total[w]);
        row_total = mine;
    }
    __syncthreads();

    const float m = row_total.m, log_d = logf(row_total.d);
    for (int64_t i = threadIdx.x; i < V; i += THREADS) y[i] = x[i] - m - log_d;
}

extern "C" void launch(const float *x /* [rows, V] */, float *y /* [rows, V] */, int rows, int V, cudaStream_t stream = 0)
{
    online_log_softmax<96><<<rows, 96, 0, stream>>>(x, y, V);
}
"""
)

# A framework's layer norm by Welford's method, which also returns means and deviations.
WELFORD = (
    HEADER
    + """\
constexpr int kNormThreads = 64;

struct WelfordData {
  float mean;
  float m2;
  int count;
};

__device__ WelfordData welford_push(WelfordData w, float x) {
  w.count += 1;
  const float delta = x - w.mean;
  w.mean += delta / static_cast<float>(w.count);
  w.m2 += delta * (x - w.mean);
  return w;
}

// Chan, Golub and LeVeque
__device__ WelfordData welford_combine(WelfordData a, WelfordData b) {
  if (b.count == 0) return a;
  if (a.count == 0) return b;
  const float delta = b.mean - a.mean;
  const int count = a.count + b.count;
  const float share = static_cast<float>(b.count) / static_cast<float>(count);
  return {a.mean + delta * share, a.m2 + b.m2 + delta * delta * static_cast<float>(a.count) * share, count};
}

__global__ void layer_norm_forward(const float* x, const float* gamma, const float* beta, float* y, float* save_mean, float* save_rstd, float eps, int rows, int cols) {
  __shared__ WelfordData halves[kNormThreads];
  const int tid = threadIdx.x;

  for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
    const float* row_x = x + row * cols;
    float* row_y = y + row * cols;

    WelfordData w = {0.0f, 0.0f, 0};
    for (int64_t c = tid; c < cols; c += kNormThreads) w = welford_push(w, row_x[c]);
    halves[tid] = w;
    __syncthreads();
    for (int half_size = kNormThreads / 2; half_size > 0; half_size /= 2) {
      if (tid < half_size) halves[tid] = welford_combine(halves[tid], halves[tid + half_size]);
      __syncthreads();
    }
    const float mean = halves[0].mean;
    const float rstd = 1.0f / sqrtf(halves[0].m2 / static_cast<float>(cols) + eps);
    if (tid == 0) {
      save_mean[row] = mean;
      save_rstd[row] = rstd;
    }
    for (int64_t c = tid; c < cols; c += kNormThreads) row_y[c] = (row_x[c] - mean) * rstd * gamma[c] + beta[c];
    __syncthreads();  // halves is read before the next row writes it
  }
}

extern "C" void launch(const float* x,      // [rows, cols]
                       const float* gamma,  // [cols]
                       const float* beta,   // [cols]
                       float* y,            // [rows, cols]
                       float* save_mean,    // [rows]
                       float* save_rstd,    // [rows]
                       float eps, int rows, int cols, cudaStream_t stream = 0) {
  layer_norm_forward<<<rows < 14 ? rows : 14, kNormThreads, 0, stream>>>(x, gamma, beta, y, save_mean, save_rstd, eps, rows, cols);
}
"""
)

INF, NAN = float("inf"), float("nan")


def _half_unit(right: torch.Tensor) -> torch.Tensor:
    """Return half a unit in the last place of the float16 next to each number."""
    return 2.0 ** (torch.frexp(right)[1].clamp(min=-13) - 12) * (right != 0)


def recycled(launcher: Launcher) -> Iterator[Case]:
    """Take away what is repeated: small integers, any, those at the ends, and NA."""
    na = -(2**31)
    edges = torch.tensor([na, na + 1, 2**31 - 1, -1, 0, 1, 2**30, -(2**30), -(2**30) - 1])
    sides = ((1, 1), (5, 2), (3, 7), (64, 64), (130, 128), (383, 5), (385, 1), (500, 5))
    for n, m in (*sides, (700, 999), (1000, 33), (1500, 384), (3001, 100), (2000, 2)):
        x, y = whole(na + 1, 2**31, n, n), whole(na + 1, 2**31, m, m + 1)
        k, j = whole(0, 9, n, n + 2), whole(0, 9, m, m + 3)
        for label, a, b in (
            ("small", x % 2000 - 1000, y % 2000 - 1000),
            ("any", x, y),
            ("without an overflow", torch.div(x, 4).long(), torch.div(y, 4).long()),
            ("some are NA", torch.where(k < 3, na, x % 99), torch.where(j < 4, na, -(y % 99))),
            ("NA and below 0", -(x.abs() % 99) - 1, torch.where(j < 6, na, y % 99)),
            ("at the ends", edges[k], edges[j]),
        ):
            right = a - b[torch.arange(n) % m]
            is_na = (a == na) | (b[torch.arange(n) % m] == na) | (right.abs() >= 2**31)
            right = torch.where(is_na, na, right)
            words = f"nx = {n:,}, ny = {m}, {label}"
            yield Case(words, (a.int(), b.int()), (right,), dtypes=(torch.int32,))


def narrowings(launcher: Launcher) -> Iterator[Case]:
    """Convert doubles of every size, ties and their neighbours, the ends of halves, NaNs."""
    strange = torch.tensor([0x7FF8000000000000, 0x7FF0000000000001, 0x7FF00000FFFFFFFF])
    strange = torch.cat([strange, strange.__or__(-(2**63)), torch.tensor([0x3FF << 52])])
    ends = [0.0, -0.0, INF, -INF, 65504.0, 65519.99999999, 65520.0, -65520.0, 65536.0, 1e300]
    ends += [2.0**-24, 2.0**-25, -(2.0**-25), 2.0**-25 * 1.0000001, 1e-9, -1e-9, 5e-324]
    ends += [-5e-324, 2.0**-14, 2.0**-14 * 0.9999, 2.0**-14 - 2.0**-25, 32768.0, 40000.0, -1e5]
    ends += [1.5 * 2.0**-24, 2.5 * 2.0**-24, 2.0**-24 * 0.75, -(2.0**-24) * 0.6]
    for n in (1, 2, 3, 40, 95, 96, 97, 671, 672, 673, 3001):
        bits, more, k = whole(0, 2**52, n, n), whole(0, 2**20, n, n + 1), torch.arange(n)
        fraction = 1 + bits.double() / 2**52
        tied = 1 + (bits % 1024).double() / 1024 + 2.0**-11
        sign = 1.0 - 2.0 * (more % 2)
        shift = 2.0 ** (more // 2 % 29 - 14).double()
        for label, x in (
            ("usual", fraction * shift * sign),
            ("ties", tied * shift * sign),
            ("next to ties", tied * (1 + (more // 64 % 3 - 1) * 2.0**-40) * shift * sign),
            ("small", fraction * 2.0 ** (-(more // 2 % 18) - 10).double() * sign),
            ("small ties", (2 * (bits % 1024) + 1).double() * 2.0**-25 * sign),
            ("large", fraction * 2.0 ** (more // 2 % 5 + 12).double() * sign),
            ("ends", torch.tensor(ends, dtype=torch.float64)[(k + n) % len(ends)]),
            ("NaNs", strange[(k + n) % len(strange)].view(torch.float64)),
        ):
            y = x.double()
            yield Case(f"count = {n:,}, {label}", (y,), (y,), dtypes=(torch.float16,))


def gated(launcher: Launcher) -> Iterator[Case]:
    """Gate usual numbers, those beyond the limits, far below 0, and NaN."""
    sides = ((1, 1), (2, 3), (5, 32), (3, 100), (17, 16), (40, 7), (3, 700), (9, 300))
    for rows, cols in sides:
        n = rows * cols * 2
        x = whole(-1500, 1501, n, n).float().reshape(rows, cols, 2)
        bias = whole(-32, 33, cols * 2, n + 1).float().reshape(cols, 2) / 32
        spots = (torch.arange(n) % 7 == n % 5).reshape(rows, cols, 2)
        for label, y in (
            ("usual", x / 256),
            ("beyond the limits", x / 32),
            ("far below 0", -x.abs() / 64 - 5),
            ("with NaN", torch.where(spots, NAN, x / 256)),
        ):
            y = y.half()
            v = y.double() + bias.double()
            for alpha, limit, block in ((1.702, 7.0, 256), (1.0, 3.5, 64), (0.5, 20.0, 33)):
                alpha = torch.tensor(alpha).item()
                gate, up = v[..., 0].clamp(max=limit), v[..., 1].clamp(-limit, limit)
                right = (up + 1) * gate * torch.sigmoid(alpha * gate)
                slack = (_half_unit(right) + 2.0**-19 * right.abs() + 1e-30).nan_to_num()
                scalars = {"alpha": alpha, "limit": limit, "block_size": block}
                words = f"rows = {rows}, cols = {cols}, {scalars}, {label}"
                options = {"dtypes": (torch.float16,), "within": (slack,)}
                yield Case(words, (y, bias), (right,), scalars, **options)


def bias_grads(launcher: Launcher) -> Iterator[Case]:
    """Add up columns of whole numbers, whose sums a float has."""
    sides = (
        (1, 1),
        (1, 40),
        (5, 15),
        (16, 16),
        (48, 3),
        (49, 17),
        (97, 33),
        (100, 5),
        (577, 2),
    )
    for rows, cols in (*sides, (600, 18), (1000, 20), (1201, 1)):
        n = rows * cols
        x = whole(-2000, 2001, n, n).float().reshape(rows, cols)
        for label, y in (
            ("small", (x / 200).round()),
            ("usual", x),
            ("positive", x.abs() + 48),
        ):
            y, right = y.half(), y.double().sum(0)
            options = {"dtypes": (torch.float32,)}
            words = f"rows = {rows:,}, cols = {cols}, {label}"
            yield Case(words, (y,), (right,), **options)
            if label == "usual":
                options["before"] = (y.flip(0) / 2,)
                yield Case(f"{words}, a second call", (y,), (right,), **options)


def row_maxima(launcher: Launcher) -> Iterator[Case]:
    """Find the first of the largest in rows: all signs, equal ones, infinities, NaNs."""
    sides = ((1, 1), (2, 5), (3, 32), (4, 33), (100, 7), (5, 100), (97, 64), (2, 1000))
    for rows, cols in (*sides, (1, 70_000)):
        n = rows * cols
        x = (whole(-3000, 3001, n, n).float() / 8).reshape(rows, cols).bfloat16()
        k = torch.arange(cols)
        spots = (torch.arange(n) % 23 == n % 11).reshape(rows, cols)
        for label, y in (
            ("any", x),
            ("negative", -x.abs() - 1),
            ("few different ones", whole(1, 4, n, n + 1).bfloat16().reshape(rows, cols)),
            ("the last is largest", torch.where(k == cols - 1, 1e30, x).bfloat16()),
            ("all equal", (x * 0 + 3).bfloat16()),
            ("zeros", (torch.where(k % 3 == 1, 0.0, -0.0) + x * 0).bfloat16()),
            ("minus infinity", (x * 0 - INF).bfloat16()),
            ("NaNs", torch.where(spots, NAN, x.float()).bfloat16()),
        ):
            if n > 10_000 and label not in ("the last is largest", "any"):
                continue
            y = y + 0.0 if label != "zeros" else y
            top = y.double().max(1, keepdim=True)[0]
            is_best = torch.where(top.isnan(), y.isnan(), y.double() == top)
            place = torch.where(is_best, k, cols).min(1)[0]
            right = (y.double().gather(1, place[:, None])[:, 0], place.double())
            words = f"rows = {rows}, cols = {cols:,}, {label}"
            options = {"dtypes": (torch.bfloat16, torch.int64), "quick": n > 10_000}
            yield Case(words, (y,), right, **options)


def planes(launcher: Launcher) -> Iterator[Case]:
    """Split pixels of one to many channels, whole words of them or not, from any address."""
    sides = ((1, 1, 1), (1, 4, 3), (2, 5, 3), (3, 8, 4), (2, 64, 3), (1, 33, 2), (5, 7, 1))
    for images, pixels, channels in (
        *sides,
        (4, 100, 3),
        (2, 3, 40),
        (1, 1000, 4),
        (3, 130, 5),
        (65_600, 1, 1),
    ):
        n = images * pixels * channels
        x = whole(0, 256, n, n).to(torch.uint8).reshape(images, pixels, channels)
        right = x.double().transpose(1, 2).contiguous()
        for offset in (0, 4, (0, 1), (3, 2), (1, 4)):
            words = (
                f"images = {images}, pixels = {pixels}, channels = {channels}, from {offset}"
            )
            options = {"dtypes": (torch.uint8,), "offset": offset, "quick": images > 1000}
            yield Case(words, (x,), (right,), **options)


def transposed_products(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole numbers, with several factors; with NaN in what a zero leaves unread."""
    sides = ((1, 1, 1), (2, 3, 4), (16, 16, 16), (5, 17, 40), (33, 20, 15), (40, 5, 33))
    for m, n, k in (*sides, (17, 33, 100), (70, 50, 3), (1, 100, 64), (3, 2, 300)):
        a = whole(-9, 10, k * m, k + m).float().reshape(k, m)
        b = whole(-9, 10, k * n, k + n + 99).float().reshape(k, n)
        c = whole(-99, 100, m * n, m + n).float().reshape(m, n)
        large = 81.0 * 17 if k < 50 else 1.0
        for label, x, y, z, alpha, beta in (
            ("a sum", a, b, c, 1.0, 1.0),
            ("factors", a, b, c, 0.5, -3.0),
            ("large", a * large, b, c, 2.0, 0.25),
            ("only the product", a, b, c, -1.0, 0.0),
            ("C is not set", a, b, c * NAN, 1.5, 0.0),
            ("nearly equal", a + 1025, b + 513, c, 1.0, 0.0),
        ):
            x, y = x.half(), y.half()
            right = alpha * (x.double().T @ y.double())
            right = right + beta * z.double() if beta else right
            size = x.double().abs().T @ y.double().abs()
            slack = abs(alpha) * size * k * 2.0**-24 if label == "nearly equal" else size * 0
            if label == "large":
                slack = 2.0**-22 * size
            scalars = {"ALPHA": alpha, "BETA": beta}
            words = f"M = {m}, N = {n}, K = {k}, {scalars}, {label}"
            options = {"dtypes": (torch.float32,), "within": (slack,)}
            yield Case(words, (x, y, z), (right,), scalars, **options)


def causal_softmaxes(launcher: Launcher) -> Iterator[Case]:
    """Weigh what queries see: usual, large, far below 0, and later keys that are larger."""
    sides = (
        (1, 1, 1),
        (2, 3, 3),
        (1, 5, 40),
        (3, 33, 33),
        (2, 20, 70),
        (4, 12, 5),
        (13, 4, 32),
    )
    for heads, queries, keys in (*sides, (1, 64, 100), (2, 2, 1000)):
        n = heads * queries * keys
        x = whole(-1000, 1001, n, n).float().reshape(heads, queries, keys) / 256
        rising = torch.arange(keys) * 30.0
        seen = torch.arange(keys) <= torch.arange(queries)[:, None] + keys - queries
        for label, y in (
            ("usual", x),
            ("large", x * 4 + 3000),
            ("far below 0", x - 1000),
            ("rising", x + rising),
            ("falling", x - rising),
            ("wide", x * 8),
        ):
            y = y.bfloat16()
            for scale in (1.0, 0.125, 1.7):
                scale = torch.tensor(scale).item()
                z = (scale * y.double()).masked_fill(~seen, -INF)
                right = torch.where(seen, torch.softmax(z, dim=2), 0.0)
                size = 1 + scale * y.double().abs()  # of what is rounded before the exponential
                slack = right * (2.0**-8 + size * 2.0**-22) + 1e-37
                words = (
                    f"heads = {heads}, queries = {queries}, keys = {keys:,}, {scale}, {label}"
                )
                options = {"dtypes": (torch.bfloat16,), "within": (slack,)}
                yield Case(words, (y,), (right,), {"scale": scale}, **options)


def online_log_softmaxes(launcher: Launcher) -> Iterator[Case]:
    """Take rows of any length: usual, rising, falling, far from 0, and with -inf and NaN."""
    sides = ((1, 1), (3, 2), (5, 31), (2, 32), (4, 33), (3, 64), (2, 95), (3, 97), (2, 200))
    for rows, cols in (*sides, (30, 7), (2, 1500)):
        n = rows * cols
        x = whole(-1000, 1001, n, n).float().reshape(rows, cols) / 256
        k = torch.arange(cols)
        for label, y in (
            ("usual", x),
            ("rising", x + k),
            ("falling", x - k * 8),
            ("far above 0", x + 5000),
            ("far below 0", x - 5000),
            ("equal", x * 0 + 3),
            ("with -inf", torch.where(k % 3 == 1, -INF, x)),
            ("only -inf", x * 0 - INF),
            ("a NaN", torch.where(k == cols // 2, NAN, x)),
        ):
            right = torch.log_softmax(y.double(), dim=1)
            slack = 2.0**-19 + 2.0**-21 * right.abs().nan_to_num(posinf=0.0, neginf=0.0)
            words = f"rows = {rows}, V = {cols:,}, {label}"
            options = {"dtypes": (torch.float32,), "within": (slack,), "ulp": 2}
            yield Case(words, (y,), (right,), **options)


def welford_norms(launcher: Launcher) -> Iterator[Case]:
    """Normalize rows: usual ones, far from 0, small, constant ones, and rising ones."""
    sides = ((1, 1), (2, 2), (3, 31), (5, 64), (4, 65), (16, 33), (40, 7), (2, 127), (3, 1000))
    for rows, cols in sides:
        n = rows * cols
        x = whole(-1000, 1001, n, n).float().reshape(rows, cols) / 256
        gamma = 1 + whole(-64, 65, cols, n + 1).float() / 128
        beta = whole(-64, 65, cols, n + 2).float() / 32
        for label, y in (
            ("usual", x),
            ("far from 0", x + 2000),
            ("small", x / 2**9),
            ("constant", x * 0 + 5),
            ("rising", x + torch.arange(cols)),
        ):
            for eps in (2.0**-17, 0.25):
                z = y.double()
                mean = z.mean(1, keepdim=True)
                rstd = 1 / ((z - mean).square().mean(1, keepdim=True) + eps).sqrt()
                right = ((z - mean) * rstd * gamma.double() + beta.double(), mean, rstd)
                top = z.abs().amax(1, keepdim=True)  # a mean is off by some units of this
                off = 2.0**-20 * top
                close = 2.0**-18 * (1 + top * rstd / 8)
                slack = ((right[0].abs() + beta.abs() + 1) * close, off, rstd * close)
                right = (right[0], mean[:, 0], rstd[:, 0])
                slack = (slack[0], slack[1][:, 0], slack[2][:, 0])
                words = f"rows = {rows}, cols = {cols:,}, {eps}, {label}"
                options = {"dtypes": (torch.float32,) * 3, "within": slack}
                yield Case(words, (y, gamma, beta), right, {"eps": eps}, **options)


BASES = {
    "xliii_recycle": Base(RECYCLE, {"cases": recycled}),
    "xliii_narrow": Base(NARROW, {"cases": narrowings}),
    "xliii_gated": Base(GATED, {"cases": gated}),
    "xliii_biasgrad": Base(BIASGRAD, {"cases": bias_grads}),
    "xliii_rowmax": Base(ROWMAX, {"cases": row_maxima}),
    "xliii_planes": Base(PLANES, {"cases": planes}),
    "xliii_gemmtn": Base(GEMMTN, {"cases": transposed_products}),
    "xliii_causal": Base(CAUSAL, {"cases": causal_softmaxes}),
    "xliii_online": Base(ONLINE, {"cases": online_log_softmaxes}),
    "xliii_welford": Base(WELFORD, {"cases": welford_norms}),
}

WRONG = (
    # ---- R's difference of integers
    # What does not fit wraps.
    Wrong(
        "xliii_recycle_wraps",
        "xliii_recycle",
        "whole range / infinity / numbers / narrow | function",
        (
            "    const int64_t z = (int64_t) x - y;\n    return (z < -R_INT_MAX || z > R_INT_MAX) ? NA_INTEGER : (int) z;   /* R would warn */\n",
            "    return (int) ((unsigned) x - (unsigned) y);\n",
        ),
    ),
    # NA is looked for in the first of both.
    Wrong(
        "xliii_recycle_na_of_y",
        "xliii_recycle",
        "numbers / left out / whole range | function / infinity / nan",
        ("if (x == NA_INTEGER || y == NA_INTEGER)", "if (x == NA_INTEGER)"),
    ),
    # From the shorter one.
    Wrong(
        "xliii_recycle_turned",
        "xliii_recycle",
        "swapped | function / numbers",
        ("R_integer_minus(px[i], py[iy]);", "R_integer_minus(py[iy], px[i]);"),
    ),
    # The last place is not the end.
    Wrong(
        "xliii_recycle_end_of_y",
        "xliii_recycle",
        "bounds / other element / neighbour | sides / numbers",
        ("if (iy >= ny) iy -= ny;", "if (iy > ny) iy -= ny;"),
    ),
    # Past the end is the start.
    Wrong(
        "xliii_recycle_restarts",
        "xliii_recycle",
        "other element / sides | numbers / state / neighbour / twice / left out / start / function",
        ("if (iy >= ny) iy -= ny;", "if (iy >= ny) iy = 0;"),
    ),
    # The difference is a float, as it has room for what does not fit.
    Wrong(
        "xliii_recycle_by_float",
        "xliii_recycle",
        "precision / rounding / narrow | numbers / whole range / infinity",
        (
            "    const int64_t z = (int64_t) x - y;\n    return (z < -R_INT_MAX || z > R_INT_MAX) ?",
            "    const float z = (float) x - (float) y;\n    return fabsf(z) >= 2147483648.0f ?",
        ),
    ),
    # ---- halves of doubles
    # A float on the way.
    Wrong(
        "xliii_narrow_by_float",
        "xliii_narrow",
        "rounding / precision | numbers / infinity / subnormal",
        (
            "    to[i] = function(from[i]);\n",
            "    to[i] = __half_as_ushort(__float2half(static_cast<float>(from[i])));\n",
        ),
    ),
    # No subnormal halves.
    Wrong(
        "xliii_narrow_flushes",
        "xliii_narrow",
        "subnormal | numbers / whole range / sign of zero / left out",
        ("if (exponent < -25) return sign;", "if (exponent < -14) return sign;"),
    ),
    # The bits of a NaN that a half has room for.
    Wrong(
        "xliii_narrow_nan_bits",
        "xliii_narrow",
        "nan / infinity | numbers",
        (
            "(fraction != 0 ? 0x7e00u : 0x7c00u);",
            "0x7c00u | static_cast<uint32_t>(fraction >> 42);",
        ),
    ),
    # The largest exponent is taken for the one of infinity.
    Wrong(
        "xliii_narrow_early_infinity",
        "xliii_narrow",
        "infinity / whole range / numbers | function",
        ("if (exponent > 15) return", "if (exponent >= 15) return"),
    ),
    # What vanishes has no sign.
    Wrong(
        "xliii_narrow_plain_zero",
        "xliii_narrow",
        "sign of zero | subnormal / numbers",
        ("if (exponent < -25) return sign;", "if (exponent < -25) return 0;"),
    ),
    # ---- a gated activation
    # fminf and fmaxf return the number beside a NaN.
    Wrong(
        "xliii_gated_nan_limited",
        "xliii_gated",
        "nan | infinity / numbers",
        ("{ return v > hi ? hi : v; }", "{ return fminf(v, hi); }"),
        ("{ return v < lo ? lo : v; }", "{ return fmaxf(v, lo); }"),
    ),
    # First all gates, then all values, as most models have them.
    Wrong(
        "xliii_gated_chunked",
        "xliii_gated",
        "other element / sides / function | numbers / swapped / neighbour / left out",
        (
            "    const float2 v = __half22float2(x[i]);\n",
            "    const half* row = reinterpret_cast<const half*>(x) + i / cols * 2 * cols;\n    const float2 v = make_float2(__half2float(row[i % cols]), __half2float(row[cols + i % cols]));\n",
        ),
    ),
    # Without the one.
    Wrong(
        "xliii_gated_no_one",
        "xliii_gated",
        "function / left out | numbers",
        ("(up + 1.0f) * glu", "up * glu"),
    ),
    # The gate is limited on both sides.
    Wrong(
        "xliii_gated_two_sided",
        "xliii_gated",
        "infinity / numbers / whole range / function | copy",
        (
            "const float gate = at_most(v.x + b.x, p.limit);",
            "const float gate = at_least(at_most(v.x + b.x, p.limit), -p.limit);",
        ),
    ),
    # The exponential of a half is a half.
    Wrong(
        "xliii_gated_half_exp",
        "xliii_gated",
        "precision / rounding / infinity / narrow | numbers / function / subnormal / whole range",
        ("expf(-p.alpha * gate)", "__half2float(hexp(__float2half(-p.alpha * gate)))"),
    ),
    # The step of 256 threads.
    Wrong(
        "xliii_gated_fixed_step",
        "xliii_gated",
        "block size / left out / unwritten | grid / tail",
        ("(int64_t)gridDim.x * blockDim.x;\n  for", "(int64_t)gridDim.x * 256;\n  for"),
    ),
    # ---- a bias's gradient
    # Of the sums, a quarter is set to 0.
    Wrong(
        "xliii_biasgrad_bytes",
        "xliii_biasgrad",
        "zero before / start / state | numbers / unwritten / tail / nan / left out",
        ("cols * sizeof(float), stream);", "cols, stream);"),
    ),
    # Zeros at the first call.
    Wrong(
        "xliii_biasgrad_zeroed_once",
        "xliii_biasgrad",
        "state / zero before | start / numbers / twice",
        (
            "  cudaMemsetAsync(grad_bias,",
            "  static bool zeroed = false;\n  if (!zeroed) cudaMemsetAsync(grad_bias,",
        ),
        (
            "cols * sizeof(float), stream);\n",
            "cols * sizeof(float), stream);\n  zeroed = true;\n",
        ),
    ),
    # Half of a warp begins like a whole one, and adds its own sums once more.
    Wrong(
        "xliii_biasgrad_from_16",
        "xliii_biasgrad",
        "twice / function | numbers",
        ("for (int offset = kSide / 2;", "for (int offset = kSide;"),
    ),
    # Each part has as many rows.
    Wrong(
        "xliii_biasgrad_past_the_end",
        "xliii_biasgrad",
        "bounds | tail / sides / grid / numbers / other element / twice",
        (
            "const int64_t end = begin + rows_per_part < rows ? begin + rows_per_part : rows;",
            "const int64_t end = begin + rows_per_part;",
        ),
    ),
    # Parts of a column meet without an atomic operation.
    Wrong(
        "xliii_biasgrad_plain_sum",
        "xliii_biasgrad",
        "race | left out / numbers / unwritten",
        ("atomicAdd(&grad_bias[target], sum);", "grad_bias[target] += sum;"),
    ),
    # Zeros on another stream.
    Wrong(
        "xliii_biasgrad_default_stream",
        "xliii_biasgrad",
        "stream | race / zero before / state",
        ("cols * sizeof(float), stream);", "cols * sizeof(float), 0);"),
    ),
    # ---- the largest of rows
    # The last of equal ones.
    Wrong(
        "xliii_rowmax_later",
        "xliii_rowmax",
        "other element / numbers | neighbour / nan",
        ("  return a.index < b.index;\n", "  return a.index > b.index;\n"),
        ("{-INFINITY, INT64_MAX}", "{-INFINITY, -1}"),
    ),
    # NaN is larger than nothing.
    Wrong(
        "xliii_rowmax_no_nan",
        "xliii_rowmax",
        "nan | other element / numbers / left out",
        (
            "  const bool a_nan = isnan(a.value), b_nan = isnan(b.value);\n  if (a_nan != b_nan) return a_nan;\n  if (!a_nan && a.value != b.value) return a.value > b.value;\n",
            "  if (a.value != b.value) return a.value > b.value;\n",
        ),
    ),
    # From 8 lanes on.
    Wrong(
        "xliii_rowmax_half_the_lanes",
        "xliii_rowmax",
        "left out | other element / numbers / sides",
        ("mask = kLanes / 2; mask > 0;", "mask = kLanes / 4; mask > 0;"),
    ),
    # A place has 16 bits.
    Wrong(
        "xliii_rowmax_short_index",
        "xliii_rowmax",
        "narrow / whole range | other element / numbers / sides",
        (
            "indices[row] = best.index;",
            "indices[row] = static_cast<unsigned short>(best.index);",
        ),
    ),
    # The place that belongs to the number is looked for after the number was replaced.
    Wrong(
        "xliii_rowmax_replaced_first",
        "xliii_rowmax",
        "other element / numbers / function / left out | nan / infinity / neighbour / bounds / start / copy",
        (
            "if (better(other, best)) best = other;\n",
            "if (better(other, best)) best.value = other.value;\n    if (better(other, best)) best.index = other.index;\n",
        ),
    ),
    # A block's threads in x are its rows.
    Wrong(
        "xliii_rowmax_block_x",
        "xliii_rowmax",
        "block size / unwritten / left out | grid / tail / sides / other element",
        (
            "static_cast<int64_t>(blockIdx.x) * blockDim.y + threadIdx.y;",
            "static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.y;",
        ),
    ),
    # ---- planes of pixels
    # Whole words of pixels are enough.
    Wrong(
        "xliii_planes_any_address",
        "xliii_planes",
        "alignment",
        ("pixels % 4 == 0 && (uintptr_t)pDst % 4 == 0;", "pixels % 4 == 0;"),
    ),
    # The first plane's address is enough.
    Wrong(
        "xliii_planes_any_width",
        "xliii_planes",
        "alignment / bounds / tail | sides / race / other element",
        ("pixels % 4 == 0 && (uintptr_t)pDst % 4 == 0;", "(uintptr_t)pDst % 4 == 0;"),
    ),
    # From RGB to BGR.
    Wrong(
        "xliii_planes_bgr",
        "xliii_planes",
        "other element / swapped / function / sides | numbers / neighbour",
        (
            "(image * pixels + p) * channels + c;",
            "(image * pixels + p) * channels + (channels - 1 - c);",
        ),
    ),
    # All planes are those of the first image.
    Wrong(
        "xliii_planes_first_image",
        "xliii_planes",
        "other element / left out / sides | numbers / twice / function",
        ("(image * pixels + p) * channels + c;", "p * channels + c;"),
    ),
    # The next pixel is the next byte.
    Wrong(
        "xliii_planes_next_byte",
        "xliii_planes",
        "other element / neighbour / sides | numbers / function / bounds / copy",
        ("s[0], s[channels], s[2 * channels], s[3 * channels]", "s[0], s[1], s[2], s[3]"),
        ("d[k] = s[k * channels];", "d[k] = s[k];"),
    ),
    # A plane of blocks for each image.
    Wrong(
        "xliii_planes_image_grid",
        "xliii_planes",
        "refused / grid | unwritten / block size",
        (
            "const int64_t jobs = images * channels * groups;",
            "const int64_t jobs = channels * groups;",
        ),
        ("const int64_t image = job / groups / channels;", "const int64_t image = blockIdx.z;"),
        ("<<<5, 128, 0, stream>>>", "<<<dim3(5, 1, (unsigned)images), 128, 0, stream>>>"),
    ),
    # ---- a product with a transposed matrix
    # 0 * NaN
    Wrong(
        "xliii_gemmtn_reads_c",
        "xliii_gemmtn",
        "nan | numbers / unwritten / zero before / infinity",
        ("BETA == 0.0f ? ALPHA * TEMP : ALPHA * TEMP + BETA", "ALPHA * TEMP + BETA"),
    ),
    # A factor for both terms.
    Wrong(
        "xliii_gemmtn_alpha_of_both",
        "xliii_gemmtn",
        "function / twice | numbers",
        ("ALPHA * TEMP + BETA * C[I * N + J];", "ALPHA * (TEMP + BETA * C[I * N + J]);"),
    ),
    # A as if it were M by K.
    Wrong(
        "xliii_gemmtn_leading_side",
        "xliii_gemmtn",
        "sides / other element | function / bounds / numbers / neighbour / swapped",
        ("A[L * M + I0 + TX]", "A[(I0 + TX) * K + L]"),
    ),
    # What is outside stays as it was.
    Wrong(
        "xliii_gemmtn_no_zeros",
        "xliii_gemmtn",
        "tail / zero before / start / unwritten / state / bounds / twice | sides / race / numbers / other element / nan",
        (
            "            AS[TY][TX] = L < K && I0 + TX < M ? A[L * M + I0 + TX] : __float2half(0.0f);\n            BS[TY][TX] = L < K && J < N ? B[L * N + J] : __float2half(0.0f);\n",
            "            if (L < K && I0 + TX < M) AS[TY][TX] = A[L * M + I0 + TX];\n            if (L < K && J < N) BS[TY][TX] = B[L * N + J];\n",
        ),
    ),
    # A product of halves is a half.
    Wrong(
        "xliii_gemmtn_half_products",
        "xliii_gemmtn",
        "precision / rounding / narrow / infinity | numbers / function",
        (
            "__half2float(AS[P][TY]) * __half2float(BS[P][TX]);",
            "__half2float(__hmul(AS[P][TY], BS[P][TX]));",
        ),
    ),
    # The tiles are filled again while others still multiply.
    Wrong(
        "xliii_gemmtn_one_barrier",
        "xliii_gemmtn",
        "race | numbers / other element / left out / twice / sides / tail",
        (
            "__half2float(BS[P][TX]);\n            __syncthreads();\n",
            "__half2float(BS[P][TX]);\n",
        ),
    ),
    # ---- softmax under a causal mask
    # The diagonal is masked, too.
    Wrong(
        "xliii_causal_strict",
        "xliii_causal",
        "left out / neighbour | function / numbers / sides / zero before / copy / unwritten / other element / nan / tail",
        ("keys - queries + query + 1;", "keys - queries + query;"),
    ),
    # The first query sees one key.
    Wrong(
        "xliii_causal_top_left",
        "xliii_causal",
        "sides / left out / function | numbers / bounds / zero before / other element",
        (
            "const int64_t seen = keys - queries + query + 1;",
            "const int64_t seen = query < keys ? query + 1 : keys;",
        ),
    ),
    # The second head's queries follow the first one's.
    Wrong(
        "xliii_causal_query_of_all",
        "xliii_causal",
        "other element / sides / left out / function | numbers / twice / bounds / neighbour",
        (
            "    const int64_t query = row % queries;\n    const int64_t seen = keys - queries + query + 1;\n",
            "    const int64_t last = keys - queries + row + 1;\n    const int64_t seen = last < keys ? last : keys;\n",
        ),
    ),
    # Keys that are not seen get nothing.
    Wrong(
        "xliii_causal_unseen",
        "xliii_causal",
        "unwritten | zero before / state / left out / nan",
        (
            "      probs[k] = __float2bfloat16(p);\n",
            "      if (k < seen) probs[k] = __float2bfloat16(p);\n",
        ),
    ),
    # The largest as it is.
    Wrong(
        "xliii_causal_unscaled_largest",
        "xliii_causal",
        "nan / infinity / numbers | subnormal / precision / function / left out / zero before / start",
        (
            "fmaxf(max_value, scale * __bfloat162float(logits[k]));",
            "fmaxf(max_value, __bfloat162float(logits[k]));",
        ),
    ),
    # ---- log-softmax in one pass
    # The difference of -inf and -inf.
    Wrong(
        "xliii_online_two_nothings",
        "xliii_online",
        "nan / infinity | numbers / sides / tail / start",
        ("    if (a.m == b.m) return MD{a.m, a.d + b.d};  // two of -inf, too\n", ""),
    ),
    # The sum so far is not rescaled.
    Wrong(
        "xliii_online_not_rescaled",
        "xliii_online",
        "function / numbers / left out | infinity / precision / twice",
        ("a.d * expf(a.m - m) + b.d", "a.d + b.d"),
    ),
    # The loop begins with what is already there.
    Wrong(
        "xliii_online_first_twice",
        "xliii_online",
        "twice / start | numbers / function / state / other element",
        (
            "    MD mine{-INFINITY, 0.0f};\n",
            "    MD mine{-INFINITY, 0.0f};\n    if (threadIdx.x < V) mine = MD{x[threadIdx.x], 1.0f};\n",
        ),
    ),
    # Nothing is below 0.
    Wrong(
        "xliii_online_from_zero",
        "xliii_online",
        "start / numbers / infinity | nan / precision / subnormal / function",
        ("    MD mine{-INFINITY, 0.0f};\n", "    MD mine{0.0f, 0.0f};\n"),
    ),
    # The total is read before it is there.
    Wrong(
        "xliii_online_no_barrier",
        "xliii_online",
        "race | unwritten / nan / numbers / state / zero before / infinity / other element / function / left out",
        (
            "        row_total = mine;\n    }\n    __syncthreads();\n",
            "        row_total = mine;\n    }\n",
        ),
    ),
    # A row's place in 32 bits.
    Wrong(
        "xliii_online_int_rows",
        "xliii_online",
        "narrow | bounds / unwritten / other element / left out",
        (
            "    x += (int64_t)blockIdx.x * V;\n    y += (int64_t)blockIdx.x * V;\n",
            "    x += (int)blockIdx.x * V;\n    y += (int)blockIdx.x * V;\n",
        ),
    ),
    # Halved until it is below 0.
    Wrong(
        "xliii_online_halved_on",
        "xliii_online",
        "timeout | race",
        ("lanes > 0; lanes /= 2) {", "lanes >= 0; lanes /= 2) {"),
    ),
    # ---- layer norm by Welford's method
    # The unbiased variance.
    Wrong(
        "xliii_welford_unbiased",
        "xliii_welford",
        "function | numbers / nan / infinity",
        ("static_cast<float>(cols) + eps", "static_cast<float>(cols - 1) + eps"),
    ),
    # As if both parts had as many numbers.
    Wrong(
        "xliii_welford_equal_parts",
        "xliii_welford",
        "function / numbers / sides / tail | precision",
        ("return {a.mean + delta * share,", "return {(a.mean + b.mean) / 2,"),
    ),
    # 0 / 0, where neither part has a number.
    Wrong(
        "xliii_welford_empty_parts",
        "xliii_welford",
        "nan | sides / tail / numbers / infinity",
        ("  if (b.count == 0) return a;\n  if (a.count == 0) return b;\n", ""),
    ),
    # The mean of the block's first row.
    Wrong(
        "xliii_welford_saves_by_block",
        "xliii_welford",
        "unwritten / other element | left out / grid / twice / sides / race",
        ("      save_mean[row] = mean;\n", "      save_mean[blockIdx.x] = mean;\n"),
    ),
    # A block has one row.
    Wrong(
        "xliii_welford_row_of_block",
        "xliii_welford",
        "grid / unwritten / left out | tail / sides",
        (
            "  for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {\n",
            "  const int64_t row = blockIdx.x;\n  if (row < rows) {\n",
        ),
    ),
    # What is centered is kept in the input.
    Wrong(
        "xliii_welford_centers_input",
        "xliii_welford",
        "input | state",
        (
            "    const float* row_x = x + row * cols;\n",
            "    float* row_x = const_cast<float*>(x) + row * cols;\n",
        ),
        (
            "row_y[c] = (row_x[c] - mean) * rstd * gamma[c] + beta[c];",
            "row_y[c] = (row_x[c] -= mean) * rstd * gamma[c] + beta[c];",
        ),
    ),
    # The mean of squares without the square of the mean.
    Wrong(
        "xliii_welford_naive",
        "xliii_welford",
        "precision / rounding | numbers / nan / function / infinity",
        (
            "  const float delta = x - w.mean;\n  w.mean += delta / static_cast<float>(w.count);\n  w.m2 += delta * (x - w.mean);\n",
            "  w.mean += x;\n  w.m2 += x * x;\n",
        ),
        (
            "  const float delta = b.mean - a.mean;\n  const int count = a.count + b.count;\n  const float share = static_cast<float>(b.count) / static_cast<float>(count);\n  return {a.mean + delta * share, a.m2 + b.m2 + delta * delta * static_cast<float>(a.count) * share, count};\n",
            "  return {a.mean + b.mean, a.m2 + b.m2, a.count + b.count};\n",
        ),
        (
            "    const float mean = halves[0].mean;\n    const float rstd = 1.0f / sqrtf(halves[0].m2 / static_cast<float>(cols) + eps);\n",
            "    const float mean = halves[0].mean / static_cast<float>(cols);\n    const float rstd = 1.0f / sqrtf(halves[0].m2 / static_cast<float>(cols) - mean * mean + eps);\n",
        ),
    ),
)

RIGHT = (
    # A division each, from the last element on, in double, which has all differences.
    Right(
        "xliii_recycle_backwards",
        "xliii_recycle",
        (
            "    const int64_t z = (int64_t) x - y;\n    return (z < -R_INT_MAX || z > R_INT_MAX) ?",
            "    const double z = (double) x - y;\n    return fabs(z) >= 2147483648.0 ?",
        ),
        (
            "    const R_xlen_t step = n_threads % ny;\n    R_xlen_t iy = first % ny;\n\n    for (R_xlen_t i = first; i < nx; i += n_threads) {\n        pa[i] = R_integer_minus(px[i], py[iy]);\n        iy += step;                       /* cheaper than a division */\n        if (iy >= ny) iy -= ny;\n    }\n",
            "    for (R_xlen_t i = nx - 1 - first; i >= 0; i -= n_threads)\n        pa[i] = R_integer_minus(px[i], py[i % ny]);\n",
        ),
        ("<<<6, 64, 0, stream>>>", "<<<3, 37, 0, stream>>>"),
    ),
    # The processor's rounding of a float whose last bit says that something was cut.
    Right(
        "xliii_narrow_odd_float",
        "xliii_narrow",
        (
            "    to[i] = function(from[i]);\n",
            "    const double wide = from[i];\n    float cut = __double2float_rz(wide);\n    if (static_cast<double>(cut) != wide && wide == wide) cut = __uint_as_float(__float_as_uint(cut) | 1u);\n    to[i] = __half_as_ushort(__float2half_rn(cut));\n",
        ),
        ("<<<7, 96, 0, stream>>>", "<<<2, 33, 0, stream>>>"),
    ),
    # As a whole number of units in the last place, which double rounds to even.
    Right(
        "xliii_narrow_by_units",
        "xliii_narrow",
        (
            "    const auto is_subnormal = exponent < -14;\n    const auto dropped = is_subnormal ? 28 - exponent : 42;\n    const auto significand = fraction | uint64_t{1} << 52;\n    auto kept = static_cast<uint32_t>(significand >> dropped);\n    const auto rest = significand & ((uint64_t{1} << dropped) - 1);\n    const auto tie = uint64_t{1} << (dropped - 1);\n    if (rest > tie || (rest == tie && kept % 2 == 1)) ++kept;\n",
            "    const auto is_subnormal = exponent < -14;\n    const auto unit = is_subnormal ? -24 : exponent - 10;\n    const auto kept = static_cast<uint32_t>(rint(ldexp(fabs(value), -unit)));\n",
        ),
    ),
    # The sigmoid by a hyperbolic tangent, in double, from the last element on.
    Right(
        "xliii_gated_tanh",
        "xliii_gated",
        (
            "for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < total; i += stride) {",
            "for (int64_t i = total - 1 - ((int64_t)threadIdx.x * gridDim.x + blockIdx.x); i >= 0; i -= stride) {",
        ),
        (
            "const float glu = gate / (1.0f + expf(-p.alpha * gate));",
            "const double glu = 0.5 * gate * (1.0 + tanh(0.5 * static_cast<double>(p.alpha) * gate));",
        ),
        (
            "__float2half((up + 1.0f) * glu);",
            "__float2half(static_cast<float>((up + 1.0f) * glu));",
        ),
        ("(blocks < 8 ? blocks : 8)", "(blocks < 3 ? blocks : 3)"),
    ),
    # One part, from the last row up: nothing is added to, nothing must be zero.
    Right(
        "xliii_biasgrad_one_part",
        "xliii_biasgrad",
        ("constexpr int kMaxParts = 12;", "constexpr int kMaxParts = 1;"),
        (
            "for (int64_t row = begin + ty; row < end; row += kSide) sum",
            "for (int64_t row = end - 1 - ty; row >= begin; row -= kSide) sum",
        ),
        ("atomicAdd(&grad_bias[target], sum);", "grad_bias[target] = sum;"),
        ("  cudaMemsetAsync(grad_bias, 0, cols * sizeof(float), stream);\n", ""),
    ),
    # The largest first, then the first lane that has it, by a vote of each 32 numbers.
    Right(
        "xliii_rowmax_vote",
        "xliii_rowmax",
        (
            "  if (lane == 0) {\n    values[row] = __float2bfloat16(best.value);\n    indices[row] = best.index;\n  }\n",
            "  for (int64_t start = 0; start < cols; start += kLanes) {\n    const int64_t c = start + lane;\n    const float v = c < cols ? __bfloat162float(in[c]) : 0.0f;\n    const bool is_best = c < cols && (isnan(best.value) ? isnan(v) : v == best.value);\n    const unsigned votes = __ballot_sync(0xffffffffu, is_best);\n    if (votes == 0) continue;\n    if (lane == __ffs(votes) - 1) {\n      values[row] = in[c];\n      indices[row] = c;\n    }\n    break;\n  }\n",
        ),
        (
            "    other.index = __shfl_xor_sync(0xffffffffu, best.index, mask);\n",
            "    other.index = best.index;\n",
        ),
        ("constexpr int kRows = 3;", "constexpr int kRows = 5;"),
    ),
    # Each byte of the source goes to its place.
    Right(
        "xliii_planes_scatter",
        "xliii_planes",
        (
            "const int64_t jobs = images * channels * groups;",
            "const int64_t jobs = images * pixels * channels;",
        ),
        (
            "        const int64_t p = job % groups * PIXELS_PER_THREAD;\n        const int64_t c = job / groups % channels;\n        const int64_t image = job / groups / channels;\n        const Ipp8u *s = pSrc + (image * pixels + p) * channels + c;\n        Ipp8u *d = pDst + (image * channels + c) * pixels + p;\n",
            "        const int64_t c = job % channels;\n        const int64_t p = job / channels % pixels;\n        const int64_t image = job / channels / pixels;\n        pDst[(image * channels + c) * pixels + p] = pSrc[job];\n",
        ),
        (
            "        if (whole) {\n            *(uchar4 *)d = make_uchar4(s[0], s[channels], s[2 * channels], s[3 * channels]);\n        } else {\n            for (int k = 0; k < PIXELS_PER_THREAD && p + k < pixels; ++k)\n                d[k] = s[k * channels];\n        }\n",
            "",
        ),
        (
            "    const int64_t groups = (pixels + PIXELS_PER_THREAD - 1) / PIXELS_PER_THREAD;\n",
            "",
        ),
        ("<<<5, 128, 0, stream>>>", "<<<9, 40, 0, stream>>>"),
    ),
    # No shared memory, in double, from the last row of A and B up.
    Right(
        "xliii_gemmtn_no_tiles",
        "xliii_gemmtn",
        (
            "    __shared__ half AS[NB][NB];\n    __shared__ half BS[NB][NB];\n",
            "",
        ),
        (
            "        float TEMP = 0.0f;\n        for (int64_t L0 = 0; L0 < K; L0 += NB) {\n            const int64_t L = L0 + TY;\n            AS[TY][TX] = L < K && I0 + TX < M ? A[L * M + I0 + TX] : __float2half(0.0f);\n            BS[TY][TX] = L < K && J < N ? B[L * N + J] : __float2half(0.0f);\n            __syncthreads();\n            for (int P = 0; P < NB; P++)\n                TEMP += __half2float(AS[P][TY]) * __half2float(BS[P][TX]);\n            __syncthreads();\n        }\n        if (I < M && J < N)\n            D[I * N + J] = BETA == 0.0f ? ALPHA * TEMP : ALPHA * TEMP + BETA * C[I * N + J];\n",
            "        if (I >= M || J >= N) continue;\n        double TEMP = BETA == 0.0f ? 0.0 : (double)BETA * C[I * N + J];\n        for (int64_t L = K; L-- > 0;)\n            TEMP += (double)ALPHA * __half2float(A[L * M + I]) * __half2float(B[L * N + J]);\n        D[I * N + J] = (float)TEMP;\n",
        ),
        ("#define NB 16", "#define NB 5"),
        ("<<<10, dim3(NB, NB)", "<<<4, dim3(NB, NB)"),
    ),
    # Tiles of 8, from the lowest of a column up, with the next depth's numbers in registers.
    Right(
        "xliii_gemmtn_ahead",
        "xliii_gemmtn",
        ("#define NB 16", "#define NB 8"),
        (
            "        for (int64_t L0 = 0; L0 < K; L0 += NB) {\n            const int64_t L = L0 + TY;\n            AS[TY][TX] = L < K && I0 + TX < M ? A[L * M + I0 + TX] : __float2half(0.0f);\n            BS[TY][TX] = L < K && J < N ? B[L * N + J] : __float2half(0.0f);\n            __syncthreads();\n",
            "        half NEXTA = __float2half(0.0f), NEXTB = NEXTA;\n        if (TY < K && I0 + TX < M) NEXTA = A[TY * M + I0 + TX];\n        if (TY < K && J < N) NEXTB = B[TY * N + J];\n        for (int64_t L0 = 0; L0 < K; L0 += NB) {\n            AS[TY][TX] = NEXTA;\n            BS[TY][TX] = NEXTB;\n            __syncthreads();\n            const int64_t L = L0 + NB + TY;\n            NEXTA = L < K && I0 + TX < M ? A[L * M + I0 + TX] : __float2half(0.0f);\n            NEXTB = L < K && J < N ? B[L * N + J] : __float2half(0.0f);\n",
        ),
        (
            "        const int64_t I0 = T / NT * NB;\n        const int64_t J0 = T % NT * NB;\n",
            "        const int64_t I0 = (MT - 1 - T % MT) * NB;\n        const int64_t J0 = T / MT * NB;\n",
        ),
    ),
    # Largest and sum in one pass, from the last key that is seen; zeros are written first.
    Right(
        "xliii_causal_one_pass",
        "xliii_causal",
        (
            "    acc_t max_value = -INFINITY;\n    for (int64_t k = lane; k < seen; k += WARP_SIZE) max_value = fmaxf(max_value, scale * __bfloat162float(logits[k]));\n    max_value = warp_reduce_max(max_value);\n\n    acc_t sum = 0.0f;\n    for (int64_t k = lane; k < seen; k += WARP_SIZE) sum += expf(scale * __bfloat162float(logits[k]) - max_value);\n    sum = warp_reduce_add(sum);\n",
            "    for (int64_t k = (seen < 0 ? 0 : seen) + lane; k < keys; k += WARP_SIZE) probs[k] = __float2bfloat16(0.0f);\n    acc_t own_max = -INFINITY, sum = 0.0f;\n    for (int64_t k = seen - 1 - lane; k >= 0; k -= WARP_SIZE) {\n      const acc_t x = scale * __bfloat162float(logits[k]);\n      if (x > own_max) {\n        sum = sum * expf(own_max - x) + expf(x - x);\n        own_max = x;\n      } else if (x != -INFINITY) {\n        sum += expf(x - own_max);\n      }\n    }\n    const acc_t max_value = warp_reduce_max(own_max);\n    sum = warp_reduce_add(own_max == -INFINITY ? sum : sum * expf(own_max - max_value));\n",
        ),
        (
            "    for (int64_t k = lane; k < keys; k += WARP_SIZE) {\n      acc_t p = 0.0f;\n      if (k < seen) p = expf",
            "    for (int64_t k = lane; k < seen; k += WARP_SIZE) {\n      const acc_t p = expf",
        ),
        ("WARPS_PER_BLOCK = 4;", "WARPS_PER_BLOCK = 3;"),
        ("MAX_BLOCKS = 11;", "MAX_BLOCKS = 2;"),
    ),
    # Two passes in double, one warp, with the largest of all lanes.
    Right(
        "xliii_online_two_passes",
        "xliii_online",
        (
            "    MD mine{-INFINITY, 0.0f};\n    for (int64_t i = threadIdx.x; i < V; i += THREADS) {\n        mine = combine(mine, MD{x[i], 1.0f});\n    }\n    for (int lanes = 16; lanes > 0; lanes /= 2) {\n        MD other;\n        other.m = __shfl_down_sync(0xffffffffu, mine.m, lanes);\n        other.d = __shfl_down_sync(0xffffffffu, mine.d, lanes);\n        mine = combine(mine, other);\n    }\n    if (threadIdx.x % 32 == 0) warp_total[threadIdx.x / 32] = mine;\n    __syncthreads();\n    if (threadIdx.x == 0) {\n        for (int w = 1; w < THREADS / 32; ++w) mine = combine(mine, warp_total[w]);\n        row_total = mine;\n    }\n    __syncthreads();\n\n    const float m = row_total.m, log_d = logf(row_total.d);\n",
            "    float m = -INFINITY;\n    for (int64_t i = V - 1 - (int64_t)threadIdx.x; i >= 0; i -= THREADS) m = fmaxf(x[i], m);\n    for (int lanes = 1; lanes < 32; lanes *= 2) m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, lanes));\n    double d = 0.0;\n    for (int64_t i = V - 1 - (int64_t)threadIdx.x; i >= 0; i -= THREADS) d += exp((double)x[i] - m);\n    for (int lanes = 1; lanes < 32; lanes *= 2) d += __shfl_xor_sync(0xffffffffu, d, lanes);\n    const float log_d = (float)log(d);\n",
        ),
        (
            "    __shared__ MD warp_total[THREADS / 32];\n    __shared__ MD row_total;\n",
            "",
        ),
        (
            "online_log_softmax<96><<<rows, 96, 0, stream>>>",
            "online_log_softmax<32><<<rows, 32, 0, stream>>>",
        ),
    ),
    # Sums of distances from the row's first number, in double; 32 threads.
    Right(
        "xliii_welford_shifted_sums",
        "xliii_welford",
        ("constexpr int kNormThreads = 64;", "constexpr int kNormThreads = 32;"),
        ("  float mean;\n  float m2;\n", "  double mean;\n  double m2;\n"),
        (
            "WelfordData welford_push(WelfordData w, float x) {",
            "WelfordData welford_push(WelfordData w, double x) {",
        ),
        (
            "  const float delta = x - w.mean;\n  w.mean += delta / static_cast<float>(w.count);\n  w.m2 += delta * (x - w.mean);\n",
            "  w.mean += x;\n  w.m2 += x * x;\n",
        ),
        (
            "  if (b.count == 0) return a;\n  if (a.count == 0) return b;\n  const float delta = b.mean - a.mean;\n  const int count = a.count + b.count;\n  const float share = static_cast<float>(b.count) / static_cast<float>(count);\n  return {a.mean + delta * share, a.m2 + b.m2 + delta * delta * static_cast<float>(a.count) * share, count};\n",
            "  return {a.mean + b.mean, a.m2 + b.m2, a.count + b.count};\n",
        ),
        (
            "WelfordData w = {0.0f, 0.0f, 0};",
            "WelfordData w = {0.0, 0.0, 0};\n    const double first = row_x[0];",
        ),
        ("w = welford_push(w, row_x[c]);", "w = welford_push(w, row_x[c] - first);"),
        (
            "    const float mean = halves[0].mean;\n    const float rstd = 1.0f / sqrtf(halves[0].m2 / static_cast<float>(cols) + eps);\n",
            "    const double off = halves[0].mean / cols;\n    const double spread = halves[0].m2 / cols - off * off;\n    const float mean = static_cast<float>(first + off);\n    const float rstd = static_cast<float>(1.0 / sqrt((spread > 0.0 ? spread : 0.0) + eps));\n",
        ),
        ("rows < 14 ? rows : 14", "rows < 3 ? rows : 3"),
    ),
)
