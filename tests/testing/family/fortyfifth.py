"""Hold a forty-fifth family: steps, casts, pixels, sums, places, turns, products, softmax.

Beside these it has softplus and a layer norm. Its styles are those of a trainer, a library
author, a student, an early framework, a vendor's sample, a demo coder, a library for signals, a
course, a small program for one model, a modernist and a trainer in plain code. The causes were
written before a member was judged. On the emulator each member ran beside PyTorch, compared as
a case does, twice with other numbers in the outputs and around all tensors (once of a large
case). nvcc 13.0 compiles each for 8.0; none was run on a GPU. Bases and right ones are right,
and all wrong ones but three wrong, refused by a fault or for their launch, some only so:

    xlv_sgd_old_velocity         if momentum is not 0
    xlv_sgd_copied_line          from 4 numbers on
    xlv_sgd_rest_from_quads      from 5 on, of counts that 4 does not divide
    xlv_sgd_whole_blocks         from 4 on, if the whole fours are no multiple of 64
    xlv_tobf_upper_half          of numbers that are rounded away from 0
    xlv_tobf_rounds_nan          of a NaN whose bits are near infinity's, or nearly all ones
    xlv_tobf_no_exponent         of subnormal numbers
    xlv_tobf_stays_finite        of infinity and what is rounded to it
    xlv_tobf_first_is_high       from 2 numbers on
    xlv_tobf_signed_low          if the first of a pair has a minus sign
    xlv_pixels_whole_division    of all bytes but 0 and 255
    xlv_pixels_char              of bytes from 128 on, where a char has a sign
    xlv_pixels_blue_first        from 2 channels on
    xlv_pixels_images_overlap    if there are several images and several channels
    xlv_softplus_plain_log       near 0 and below
    xlv_softplus_x_beyond        unless beta is 1, if the threshold is small
    xlv_softplus_no_threshold    far above 0, or if the threshold is small
    xlv_softplus_nothing_below   if beta * x is below -threshold, and not far below 0
    xlv_softplus_constant_block  of fewer threads than 128, unless all are in the first of them
    xlv_total_short_sums         if a thread's sum needs more than 32 bits
    xlv_total_nobody_is_last     unless the sum is there before
    xlv_total_count_goes_on      from the second call on
    xlv_total_96_threads         from 3 numbers on
    xlv_total_a_part_a_thread    from 4,097 numbers on
    xlv_argmin_only_sign         if different numbers are below 0
    xlv_argmin_nan_is_large      of NaNs without a sign, if a number is there
    xlv_argmin_two_zeros         if the smallest are zeros, and 0.0 is before -0.0
    xlv_argmin_from_0            unless the first number is the smallest one
    xlv_argmin_short_shuffle     unless the smallest is about at place 16
    xlv_herm_from_zero           of imaginary parts that are 0.0
    xlv_herm_rows_of_tile        from 17 rows on
    xlv_herm_only_tiles          unless m and n are 1
    xlv_nt_bias_of_row           unless M and N are 1
    xlv_nt_rounded_before        if a sum is no half
    xlv_nt_rows_apart            unless M is 1
    xlv_nt_one_side_tested       if K is no multiple of 8
    xlv_nt_sums_go_on            from 5 matrices or 49 rows on
    xlv_matvec_any_width         from 9 columns and 2 rows on, if 8 does not divide the columns
    xlv_matvec_adds              unless zeros are there before
    xlv_matvec_no_test           if d is no multiple of 4
    xlv_masked_powers_of_2       unless all that is seen in a row is equal
    xlv_masked_head              unless the masks of the two are the same
    xlv_masked_scales_scores     unless scores are 0, infinite or NaN
    xlv_masked_none              of rows in which nothing is seen
    xlv_masked_old_sum           unless all that is seen in a row is equal
    xlv_masked_small_enough      of rows in which nothing is seen, or only numbers below -1e4
    xlv_lnfwd_bias_first         unless weight and bias are equal, or all normed numbers are 1
    xlv_lnfwd_keeps_deviation    unless both are 1
    xlv_lnfwd_place_of_block     from 15 rows on
    xlv_lnfwd_half_mean          if the mean or a difference is no half
    xlv_lnfwd_first_row_only     from 15 rows on
    xlv_lnfwd_every_lane         from 2 columns on, unless all is equal

Three are right on the emulator, and wrong by reasoning:

    xlv_sgd_rest_elsewhere       on every stream but the default one
    xlv_softplus_int             from 2^31 elements on
    xlv_total_no_fence           where blocks run at once
"""

# ruff: noqa: E501 (a line of a kernel stands in one line)
from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case, least_starts
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import whole

# A trainer's step with Nesterov's momentum: three inputs, two outputs, four numbers at once.
SGD = (
    HEADER
    + """\
struct Hyper { float lr, momentum, decay; };

// what torch.optim.SGD does with nesterov=True, out of place
__device__ inline void step_one(float w, float g, float v, const Hyper& h, float& w_new, float& v_new) {
  const float d = g + h.decay * w;
  v_new = h.momentum * v + d;
  w_new = w - h.lr * (d + h.momentum * v_new);
}

__global__ void sgd4(const float4* w, const float4* g, const float4* v, float4* w_new, float4* v_new, Hyper h, int64_t quads) {
  const int64_t q = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (q >= quads) return;
  const float4 a = w[q], b = g[q], c = v[q];
  float4 p, r;
  step_one(a.x, b.x, c.x, h, p.x, r.x);
  step_one(a.y, b.y, c.y, h, p.y, r.y);
  step_one(a.z, b.z, c.z, h, p.z, r.z);
  step_one(a.w, b.w, c.w, h, p.w, r.w);
  w_new[q] = p;
  v_new[q] = r;
}

__global__ void sgd_rest(const float* w, const float* g, const float* v, float* w_new, float* v_new, Hyper h, int64_t first, int64_t n) {
  const int64_t step = int64_t(gridDim.x) * blockDim.x;
  for (int64_t i = first + int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) step_one(w[i], g[i], v[i], h, w_new[i], v_new[i]);
}

extern "C" void launch(const float* w,  // [n] 16-byte aligned
                       const float* g,  // [n] 16-byte aligned
                       const float* v,  // [n] 16-byte aligned
                       float* w_new,    // [n] 16-byte aligned
                       float* v_new,    // [n] 16-byte aligned
                       float lr, float momentum, float decay, int64_t n, cudaStream_t stream = 0) {
  const Hyper h{lr, momentum, decay};
  const int64_t quads = n / 4;
  if (quads > 0) {
    const int64_t blocks = (quads + 63) / 64;
    sgd4<<<(unsigned)blocks, 64, 0, stream>>>((const float4*)w, (const float4*)g, (const float4*)v, (float4*)w_new, (float4*)v_new, h, quads);
  }
  if (quads * 4 < n) sgd_rest<<<1, 32, 0, stream>>>(w, g, v, w_new, v_new, h, quads * 4, n);
}
"""
)

# A library author's cast to bfloat16 on the bits alone, two numbers in a word.
TOBF = (
    HEADER
    + """\
namespace convert {

// Round to nearest, ties to even. A carry into the exponent is right, up to infinity.
__device__ __forceinline__ uint32_t bf16_bits(float x) {
  const uint32_t u = __float_as_uint(x);
  if ((u & 0x7fffffffu) > 0x7f800000u) return (u >> 16) | 0x0040u;  // NaN stays NaN, a quiet one
  return (u + 0x7fffu + ((u >> 16) & 1u)) >> 16;
}

__global__ void narrow(const float* __restrict__ src, uint16_t* __restrict__ dst, int64_t count) {
  const int64_t hop = 2 * static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t i = 2 * (static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x); i < count; i += hop) {
    const uint32_t low = bf16_bits(src[i]);
    if (i + 1 == count) {
      dst[i] = static_cast<uint16_t>(low);
    } else {
      const uint32_t high = bf16_bits(src[i + 1]);
      *reinterpret_cast<uint32_t*>(dst + i) = high << 16 | low;
    }
  }
}

}  // namespace convert

extern "C" void launch(const float* src,    // [count]
                       __nv_bfloat16* dst,  // [count] 4-byte aligned
                       int64_t count, cudaStream_t stream = 0) {
  convert::narrow<<<10, 96, 0, stream>>>(src, reinterpret_cast<uint16_t*>(dst), count);
}
"""
)

# A student's ToTensor: bytes of pixels become planes of numbers about 0.
PIXELS = (
    HEADER
    + """\
// transforms.ToTensor() and transforms.Normalize(mean, stdev) in one kernel
__global__ void to_tensor(const uint8_t *img, const float *mean, const float *stdev, float *out, int n, int h, int w, int c)
{
    int64_t x = (int64_t)blockIdx.x * 32 + threadIdx.x;
    if (x >= w)
        return;

    for (int64_t b = blockIdx.z; b < n; b += gridDim.z)
    {
        for (int64_t y = (int64_t)blockIdx.y * 4 + threadIdx.y; y < h; y += (int64_t)gridDim.y * 4)
        {
            for (int64_t ch = 0; ch < c; ch++)
            {
                uint8_t p = img[((b * h + y) * w + x) * c + ch];
                out[((b * c + ch) * h + y) * w + x] = (p / 255.0f - mean[ch]) / stdev[ch];
            }
        }
    }
}

extern "C" void launch(const uint8_t *img,  // [n, h, w, c]
                       const float *mean,   // [c]
                       const float *stdev,  // [c]
                       float *out,          // [n, c, h, w]
                       int n, int h, int w, int c, cudaStream_t stream = 0)
{
    unsigned gx = ((unsigned)w + 31) / 32, gy = ((unsigned)h + 3) / 4;
    dim3 grid(gx, gy < 6 ? gy : 6, n < 5 ? n : 5);
    to_tensor<<<grid, dim3(32, 4), 0, stream>>>(img, mean, stdev, out, n, h, w, c);
}
"""
)

# Softplus as an early framework would have it, with its macro for loops.
SOFTPLUS = (
    HEADER
    + """\
const int FRAME_NUM_THREADS = 128;

#define FRAME_KERNEL_LOOP(i, n) for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += (int64_t)blockDim.x * gridDim.x)

inline int FRAME_GET_BLOCKS(const int64_t n, const int threads) {
  const int64_t blocks = (n + threads - 1) / threads;
  return static_cast<int>(blocks < 12 ? blocks : 12);
}

template <typename Dtype>
__global__ void SoftplusForward(const int64_t nthreads, const Dtype* bottom_data, Dtype* top_data, const Dtype beta, const Dtype threshold) {
  FRAME_KERNEL_LOOP(index, nthreads) {
    const Dtype x = bottom_data[index];
    const Dtype bx = beta * x;
    // linear where the exponential would be all
    top_data[index] = bx > threshold ? x : log1p(exp(bx)) / beta;
  }
}

extern "C" void launch(const float* bottom_data,  // [nthreads]
                       float* top_data,           // [nthreads]
                       float beta, float threshold, int64_t nthreads, int threads = FRAME_NUM_THREADS, cudaStream_t stream = 0) {
  SoftplusForward<float><<<FRAME_GET_BLOCKS(nthreads, threads), threads, 0, stream>>>(nthreads, bottom_data, top_data, beta, threshold);
}
"""
)

# A vendor's sample: a sum of integers in one kernel, whose last block adds up the blocks' sums.
TOTAL = (
    HEADER
    + """\
typedef long long ll;

#define THREADS 64
#define MAX_BLOCKS 100

struct Workspace
{
    unsigned long long finished;   // blocks
    ll part[MAX_BLOCKS];
};

__device__ ll blockSum(ll mine, ll *sdata)
{
    const int tid = threadIdx.x;
    sdata[tid] = mine;
    __syncthreads();
    for (int s = THREADS / 2; s > 0; s >>= 1)
    {
        if (tid < s)
            sdata[tid] += sdata[tid + s];
        __syncthreads();
    }
    const ll sum = sdata[0];
    __syncthreads();
    return sum;
}

__global__ void sumSinglePass(const int *g_idata, int64_t *g_odata, Workspace *ws, int64_t n)
{
    __shared__ ll sdata[THREADS];
    __shared__ bool amLast;

    ll mine = 0;
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < n; i += (int64_t)gridDim.x * THREADS)
        mine += g_idata[i];
    const ll ofBlock = blockSum(mine, sdata);

    if (threadIdx.x == 0)
    {
        ws->part[blockIdx.x] = ofBlock;
        __threadfence();   // the sum is seen before the count
        amLast = atomicAdd(&ws->finished, 1ull) == gridDim.x - 1;
    }
    __syncthreads();

    if (amLast)
    {
        __threadfence();
        ll rest = 0;
        for (unsigned b = threadIdx.x; b < gridDim.x; b += THREADS)
            rest += ((volatile Workspace *)ws)->part[b];
        rest = blockSum(rest, sdata);
        if (threadIdx.x == 0)
            g_odata[0] = rest;
    }
}

extern "C" void launch(const int *g_idata,  // [n]
                       int64_t *g_odata,    // [1]
                       int64_t n, cudaStream_t stream = 0)
{
    Workspace *ws = nullptr;
    cudaMallocAsync(&ws, sizeof(Workspace), stream);
    cudaMemsetAsync(&ws->finished, 0, sizeof(ws->finished), stream);
    const int64_t whole = n > THREADS ? (n + THREADS - 1) / THREADS : 1;   // none has a sum, too
    sumSinglePass<<<(unsigned)(whole < MAX_BLOCKS ? whole : MAX_BLOCKS), THREADS, 0, stream>>>(g_idata, g_odata, ws, n);
    cudaFreeAsync(ws, stream);
}
"""
)

# A demo coder's smallest number and its place, as one integer of 64 bits.
ARGMIN = (
    HEADER
    + """\
using u32 = uint32_t;
using u64 = unsigned long long;

// float -> u32 in the same order. NaN comes first, as in numpy.argmin; both zeros are one number.
__device__ u32 key_of(float f) {
  if (f != f) return 0u;
  const u32 bits = f == 0.0f ? 0u : __float_as_uint(f);
  return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

__global__ void smallest(const float* x, u64* best, int n) {
  u64 mine = ~0ull;
  for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += int64_t(gridDim.x) * blockDim.x) {
    const u64 packed = u64(key_of(x[i])) << 32 | u32(i);  // of equal ones the first is smaller
    mine = min(mine, packed);
  }
  for (int k = 16; k; k >>= 1) mine = min(mine, __shfl_xor_sync(0xffffffffu, mine, k));
  if (threadIdx.x % 32 == 0) atomicMin(best, mine);
}

__global__ void unpack(const float* x, const u64* best, float* value, int* place) {
  const u32 at = u32(*best);
  *value = x[at];
  *place = int(at);
}

extern "C" void launch(const float* x,  // [n]
                       float* value,    // [1]
                       int* place,      // [1]
                       int n, cudaStream_t stream = 0) {
  if (n < 1) return;  // none is the smallest
  u64* best = nullptr;
  cudaMallocAsync(&best, sizeof(u64), stream);
  cudaMemsetAsync(best, 0xff, sizeof(u64), stream);
  smallest<<<6, 96, 0, stream>>>(x, best, n);
  unpack<<<1, 1, 0, stream>>>(x, best, value, place);
  cudaFreeAsync(best, stream);
}
"""
)

# A library for signals: the Hermitian transposes of complex matrices.
HERM = (
    HEADER
    + """\
typedef float2 cplx_t;   /* x + iy */

#define DIM  32
#define ROWS 8

static __device__ __forceinline__ cplx_t cplx_conj(cplx_t z)
{
    return make_float2(z.x, -z.y);
}

/* b[l] = a[l]^H. A tile of DIM x DIM, each thread has every ROWS-th row of it. */
__global__ void cplx_herm(const cplx_t *a, cplx_t *b, int batch, int m, int n)
{
    __shared__ cplx_t tile[DIM][DIM + 1];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int64_t j0 = (int64_t)blockIdx.x * DIM;

    for (int64_t l = blockIdx.z; l < batch; l += gridDim.z) {
        for (int64_t i0 = (int64_t)blockIdx.y * DIM; i0 < m; i0 += (int64_t)gridDim.y * DIM) {
            for (int r = ty; r < DIM; r += ROWS)
                if (i0 + r < m && j0 + tx < n)
                    tile[r][tx] = a[(l * m + i0 + r) * n + j0 + tx];
            __syncthreads();
            for (int r = ty; r < DIM; r += ROWS)
                if (j0 + r < n && i0 + tx < m)
                    b[(l * n + j0 + r) * m + i0 + tx] = cplx_conj(tile[tx][r]);
            __syncthreads();
        }
    }
}

extern "C" void launch(const float *a /* [batch, m, n, 2] 8-byte aligned */, float *b /* [batch, n, m, 2] 8-byte aligned */,
                       int batch, int m, int n, cudaStream_t stream = 0)
{
    const unsigned gx = ((unsigned)n + DIM - 1) / DIM, gy = ((unsigned)m + DIM - 1) / DIM;
    dim3 grid(gx, gy < 2 ? gy : 2, batch < 3 ? batch : 3);
    cplx_herm<<<grid, dim3(DIM, ROWS), 0, stream>>>((const cplx_t *)a, (cplx_t *)b, batch, m, n);
}
"""
)

# A course's batched product with the right side transposed: four results a thread.
NT = (
    HEADER
    + """\
// C[b] = A[b] * B[b]^T + bias, half in and out, float between.
// A block makes 16 x 16 results with 8 x 8 threads, each of which makes 2 x 2.
constexpr int BM = 16;
constexpr int BK = 8;
constexpr int TPB = 64;

__global__ void gemm_nt(const half* A, const half* B, const float* bias, half* C, int batch, int M, int N, int K) {
  __shared__ float As[BK][BM];
  __shared__ float Bs[BK][BM];
  const int t = threadIdx.x, tx = t % 8, ty = t / 8;
  const int64_t col0 = int64_t(blockIdx.x) * BM;

  for (int64_t b = blockIdx.z; b < batch; b += gridDim.z) {
    for (int64_t row0 = int64_t(blockIdx.y) * BM; row0 < M; row0 += int64_t(gridDim.y) * BM) {
      float acc[2][2] = {};
      for (int64_t k0 = 0; k0 < K; k0 += BK) {
        for (int e = t; e < BM * BK; e += TPB) {
          const int r = e / BK, k = e % BK;
          As[k][r] = row0 + r < M && k0 + k < K ? __half2float(A[(b * M + row0 + r) * K + k0 + k]) : 0.0f;
          Bs[k][r] = col0 + r < N && k0 + k < K ? __half2float(B[(b * N + col0 + r) * K + k0 + k]) : 0.0f;
        }
        __syncthreads();
        for (int k = 0; k < BK; ++k) {
          const float a[2] = {As[k][2 * ty], As[k][2 * ty + 1]};
          const float c[2] = {Bs[k][2 * tx], Bs[k][2 * tx + 1]};
          for (int i = 0; i < 2; ++i)
            for (int j = 0; j < 2; ++j) acc[i][j] += a[i] * c[j];
        }
        __syncthreads();
      }
      for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 2; ++j) {
          const int64_t row = row0 + 2 * ty + i, col = col0 + 2 * tx + j;
          if (row < M && col < N) C[(b * M + row) * N + col] = __float2half(acc[i][j] + bias[col]);
        }
      }
    }
  }
}

extern "C" void launch(const half* A,      // [batch, M, K]
                       const half* B,      // [batch, N, K]
                       const float* bias,  // [N]
                       half* C,            // [batch, M, N]
                       int batch, int M, int N, int K, cudaStream_t stream = 0) {
  const unsigned gx = (unsigned(N) + BM - 1) / BM, gy = (unsigned(M) + BM - 1) / BM;
  gemm_nt<<<dim3(gx, gy < 3 ? gy : 3, batch < 4 ? batch : 4), TPB, 0, stream>>>(A, B, bias, C, batch, M, N, K);
}
"""
)

# A small program for one language model: bfloat16 weights times one vector, a warp a row.
MATVEC = (
    HEADER
    + """\
#define WARPS 4

static __device__ float bf16_low(unsigned word) { return __uint_as_float(word << 16); }
static __device__ float bf16_high(unsigned word) { return __uint_as_float(word & 0xffff0000u); }

// W (d,n) @ x (n,) -> xout (d,)
__global__ void matmul_kernel(float* xout, const float* x, const __nv_bfloat16* w, int64_t n, int64_t d) {
    int64_t row = (int64_t)blockIdx.x * WARPS + threadIdx.x / 32;
    int lane = threadIdx.x % 32;
    if (row >= d) return;   // the whole warp

    float sum = 0.0f;
    if (n % 8 == 0) {
        // 16 bytes of weights at once
        for (int64_t j = lane * 8; j < n; j += 32 * 8) {
            uint4 p = *(const uint4*)(w + row * n + j);
            unsigned words[4] = {p.x, p.y, p.z, p.w};
            for (int k = 0; k < 4; k++) {
                sum += bf16_low(words[k]) * x[j + 2 * k];
                sum += bf16_high(words[k]) * x[j + 2 * k + 1];
            }
        }
    } else {
        for (int64_t j = lane; j < n; j += 32)
            sum += __bfloat162float(w[row * n + j]) * x[j];
    }
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, offset);
    if (lane == 0) xout[row] = sum;
}

extern "C" void launch(float* xout,             // [d]
                       const float* x,          // [n]
                       const __nv_bfloat16* w,  // [d, n] 16-byte aligned
                       int n, int d, cudaStream_t stream = 0) {
    matmul_kernel<<<(unsigned)(((int64_t)d + WARPS - 1) / WARPS), WARPS * 32, 0, stream>>>(xout, x, w, n, d);
}
"""
)

# A modernist's softmax of attention under a mask for all heads: one pass, powers of 2.
MASKED = (
    HEADER
    + """\
namespace attention {

inline constexpr auto lanes = 32;
inline constexpr auto warps = 2;
inline constexpr auto log2e = 1.4426950408889634f;

// The largest number so far, and the sum of 2^(number - largest).
struct running {
    float top = -INFINITY;
    float sum = 0.0f;

    __device__ auto merge(running const other) -> void
    {
        auto const next = fmaxf(top, other.top);
        if (next == -INFINITY) {
            sum += other.sum;
            return;
        }
        sum = sum * exp2f(top - next) + other.sum * exp2f(other.top - next);
        top = next;
    }
};

// A row in which nothing is seen, or only -inf, is 0.
__global__ void masked_softmax(float const* scores, bool const* may_see, float* weights, float scale, int heads, int queries, int keys)
{
    auto const row = int64_t{blockIdx.x} * warps + threadIdx.y;
    if (row >= int64_t{heads} * queries) return;
    auto const* const s = scores + row * keys;
    auto const* const seen = may_see + row % queries * keys;
    auto const factor = scale * log2e;

    auto all = running{};
    for (auto k = int64_t{threadIdx.x}; k < keys; k += lanes) {
        if (seen[k]) all.merge(running{s[k] * factor, 1.0f});
    }
    for (auto step = lanes / 2; step > 0; step /= 2) {
        all.merge(running{__shfl_xor_sync(~0u, all.top, step), __shfl_xor_sync(~0u, all.sum, step)});
    }

    auto const top = all.top == -INFINITY ? 0.0f : all.top;
    auto const share = all.sum == 0.0f ? 0.0f : 1.0f / all.sum;
    for (auto k = int64_t{threadIdx.x}; k < keys; k += lanes) {
        auto const number = seen[k] ? s[k] * factor : -INFINITY;
        weights[row * keys + k] = exp2f(number - top) * share;
    }
}

}  // namespace attention

extern "C" void launch(float const* scores,  // [heads, queries, keys]
                       bool const* may_see,  // [queries, keys]
                       float* weights,       // [heads, queries, keys]
                       float scale, int heads, int queries, int keys, cudaStream_t stream = 0)
{
    using namespace attention;
    auto const blocks = (int64_t{heads} * queries + warps - 1) / warps;
    masked_softmax<<<static_cast<unsigned>(blocks), dim3{lanes, warps}, 0, stream>>>(scores, may_see, weights, scale, heads, queries, keys);
}
"""
)

# A trainer in plain code: layer norm in two passes, whose mean and factor are kept for later.
LNFWD = (
    HEADER
    + """\
// B rows of C numbers. mean and rstd are for the backward pass.
__global__ void layernorm_forward_kernel(const half* inp, const float* weight, const float* bias, half* out, float* mean, float* rstd, float eps, int64_t B, int64_t C) {
    __shared__ float sums[2];
    int tid = threadIdx.x;
    int lane = tid % 32;
    for (int64_t b = blockIdx.x; b < B; b += gridDim.x) {
        const half* x = inp + b * C;
        if (tid < 2) sums[tid] = 0.0f;
        __syncthreads();
        // mean
        float sum = 0.0f;
        for (int64_t i = tid; i < C; i += blockDim.x) sum += __half2float(x[i]);
        for (int o = 16; o > 0; o /= 2) sum += __shfl_down_sync(0xffffffffu, sum, o);
        if (lane == 0) atomicAdd(&sums[0], sum);
        __syncthreads();
        float m = sums[0] / C;
        // variance
        float sq = 0.0f;
        for (int64_t i = tid; i < C; i += blockDim.x) {
            float diff = __half2float(x[i]) - m;
            sq += diff * diff;
        }
        for (int o = 16; o > 0; o /= 2) sq += __shfl_down_sync(0xffffffffu, sq, o);
        if (lane == 0) atomicAdd(&sums[1], sq);
        __syncthreads();
        float s = 1.0f / sqrtf(sums[1] / C + eps);
        if (tid == 0) {
            mean[b] = m;
            rstd[b] = s;
        }
        for (int64_t i = tid; i < C; i += blockDim.x) {
            float n = s * (__half2float(x[i]) - m);
            out[b * C + i] = __float2half(n * weight[i] + bias[i]);
        }
        __syncthreads();   // all have read sums
    }
}

extern "C" void launch(const half* inp,      // [B, C]
                       const float* weight,  // [C]
                       const float* bias,    // [C]
                       half* out,            // [B, C]
                       float* mean,          // [B]
                       float* rstd,          // [B]
                       float eps, int B, int C, cudaStream_t stream = 0) {
    int blocks = B < 14 ? B : 14;
    layernorm_forward_kernel<<<blocks, 96, 0, stream>>>(inp, weight, bias, out, mean, rstd, eps, B, C);
}
"""
)

INF, NAN = float("inf"), float("nan")


def steps(launcher: Launcher) -> Iterator[Case]:
    """Make steps with numbers of few bits, so that all is exact; also of slices."""
    settings = ((0.125, 0.5, 0.25), (1.0, 0.0, 0.0), (0.25, 0.75, 0.0), (0.5, 0.5, -1.0))
    for n in (1, 2, 3, 4, 5, 7, 64, 127, 255, 256, 257, 260, 511, 513, 1001, 5003):
        w, g, v = (whole(-500, 501, n, 3 * n + k).float() / 64 for k in range(3))
        for lr, momentum, decay in settings:
            scalars = {"lr": lr, "momentum": momentum, "decay": decay}
            d = g.double() + decay * w.double()
            moved = momentum * v.double() + d
            right = (w.double() - lr * (d + momentum * moved), moved)
            options = {"dtypes": (torch.float32,) * 2}
            words = f"n = {n:,}, {scalars}"
            yield Case(words, (w, g, v), right, scalars, **options)
            if n < 300 and decay == 0.25:
                options["offset"] = least_starts(launcher)
                yield Case(f"{words}, a slice", (w, g, v), right, scalars, **options)


def narrowings(launcher: Launcher) -> Iterator[Case]:
    """Narrow all sorts of bits: usual numbers, ties, the ends, NaNs, subnormal numbers."""
    ends = [0x7F7FFFFF, 0x7F7F8000, 0x7F7F7FFF, 0x7F800000, -0x800000, -0x800001, 0, -(2**31)]
    nans = [0x7F800001, 0x7FC00000, 0x7FFFFFFF, -1, -0x7FFFFF, 0x7FBFFFFF, 0x7F808000, -0x8000]
    for n in (1, 2, 3, 5, 96, 191, 192, 193, 1919, 1921, 5000, 70_001):
        bits, k = whole(-(2**31), 2**31, n, n), torch.arange(n)
        usual = (bits & ~0x7F800000) | (whole(90, 160, n, n + 1) << 23)
        for label, made in (
            ("usual", usual),
            ("ties", (usual & ~0xFFFF) | 0x8000),
            ("near ties", (usual & ~0xFFFF) | (0x7FFF + 2 * (k % 2))),
            ("subnormal", bits & ~0x7F800000),
            ("ends", torch.tensor(ends)[(k + n) % len(ends)]),
            ("NaNs", torch.tensor(nans)[(k + n) % len(nans)]),
        ):
            made = torch.where(made >= 2**31, made - 2**32, made)
            x = made.to(torch.int32).view(torch.float32)
            options = {"dtypes": (torch.bfloat16,), "quick": n > 10_000}
            yield Case(f"count = {n:,}, {label}", (x,), (x.double(),), **options)


def pictures(launcher: Launcher) -> Iterator[Case]:
    """Turn pictures of all bytes, of one, three and other channels, into planes."""
    sides = (
        (1, 1, 1, 1),
        (1, 3, 2, 3),
        (2, 4, 32, 3),
        (1, 5, 33, 1),
        (6, 7, 9, 4),
        (2, 31, 5, 3),
    )
    for n, h, w, c in (*sides, (1, 50, 70, 3), (3, 2, 100, 2), (11, 3, 3, 5)):
        count = n * h * w * c
        mean = whole(100, 150, c, count).float() / 256
        stdev = whole(50, 80, c, count + 1).float() / 256
        any_byte = whole(0, 256, count, count + 2)
        for label, x in (
            ("any", any_byte),
            ("dark", any_byte % 100),
            ("bright", 255 - any_byte % 20),
        ):
            x = x.reshape(n, h, w, c)
            p = x.permute(0, 3, 1, 2).contiguous().double() / 255
            m, s = mean.double()[:, None, None], stdev.double()[:, None, None]
            right = (p - m) / s
            slack = 2.0**-22 * ((p + m) / s + right.abs())
            words = f"n = {n}, h = {h}, w = {w}, c = {c}, {label}"
            options = {"dtypes": (torch.float32,), "within": (slack,)}
            yield Case(words, (x.to(torch.uint8), mean, stdev), (right,), **options)


def softplus(launcher: Launcher) -> Iterator[Case]:
    """Bend numbers near 0, far below and far above, with several betas and thresholds."""
    odd = torch.tensor(
        [INF, -INF, NAN, 0.0, -0.0, 100.0, -100.0, 1e30, -1e30, 1e-30, 88.0, 90.0]
    )
    for n in (1, 2, 31, 64, 127, 128, 129, 1535, 1537, 4000):
        x = whole(-2000, 2001, n, n).float() / 128
        for label, y in (
            ("usual", x),
            ("below 0", -x.abs() - 1),
            ("wide", x * 6),
            ("strange", odd[torch.arange(n) % len(odd)]),
        ):
            for beta, threshold in ((1.0, 20.0), (4.0, 3.0), (0.5, 200.0), (2.0, 20.0)):
                b = beta * y.double()
                right = torch.where(b > threshold, y.double(), b.exp().log1p() / beta)
                large = b == INF
                right = torch.where(large, y.double(), right)
                slack = right.abs() * (2.0**-20 + b.abs() * 2.0**-22) + 2.0**-140
                slack = slack.nan_to_num(0.0, 0.0, 0.0)
                within = (slack,)
                scalars = {"beta": beta, "threshold": threshold}
                for threads in (128, 64, 33):
                    if threshold == 200.0 and float(b.nan_to_num(0.0, 0.0).abs().max()) > 80:
                        continue
                    words = f"nthreads = {n:,}, {scalars}, threads = {threads}, {label}"
                    options = {"dtypes": (torch.float32,), "within": within}
                    given = {**scalars, "threads": threads}
                    yield Case(words, (y,), (right,), given, **options)


def totals(launcher: Launcher) -> Iterator[Case]:
    """Add up integers: small, of all sizes, all positive, all negative, and once more."""
    for n in (1, 2, 3, 33, 63, 64, 65, 97, 200, 1000, 4096, 4161, 6400, 6401, 20_001):
        x = whole(-(2**31), 2**31, n, n)
        for label, y in (
            ("small", x % 199 - 99),
            ("any", x),
            ("positive", x.abs().clamp(max=2**31 - 1)),
            ("negative", -x.abs()),
            ("ends", torch.where(torch.arange(n) % 3 == 0, -(2**31), 2**31 - 1)),
        ):
            options = {"dtypes": (torch.int64,)}
            words = f"n = {n:,}, {label}"
            yield Case(words, (y.int(),), (y.sum().reshape(1),), **options)
        options["before"] = ((x % 1000).int(),)
        words = f"n = {n:,}, a second call"
        yield Case(words, (x.int(),), (x.sum().reshape(1),), **options)


def smallest(launcher: Launcher) -> Iterator[Case]:
    """Find the smallest: at every place, of both signs, several times, zeros, NaN."""
    for n in (1, 2, 31, 33, 96, 97, 575, 576, 577, 1000, 5000):
        x = whole(-2000, 2001, n, n).float() / 64
        k = torch.arange(n)
        for label, y in (
            ("usual", x),
            ("all positive", x.abs() + 1),
            ("all negative", -x.abs() - 1),
            ("all equal", x * 0 + 3),
            ("the last is smallest", torch.where(k == n - 1, -1000.0, x)),
            ("zeros of both signs", torch.where(k % 2 == 0, 0.0, -0.0)),
            ("tiny", torch.where(k % 3 == 0, -1e-44, 1e-44)),
            ("infinity", torch.where(k == n // 3, -INF, x)),
            ("all infinite", x * 0 + INF),
            ("NaNs", torch.where((k == n // 2) | (k == n * 3 // 4), NAN, x)),
            ("NaN below -inf", torch.where(k == n // 2, NAN, torch.where(k < 5, -INF, x))),
        ):
            gone = y.isnan().nonzero()
            place = gone[0, 0] if len(gone) else (y == y.min()).nonzero()[0, 0]
            right = (y[place].double().reshape(1), place.double().reshape(1))
            options = {"dtypes": (torch.float32, torch.int32)}
            yield Case(f"n = {n:,}, {label}", (y,), right, **options)


def conjugates(launcher: Launcher) -> Iterator[Case]:
    """Turn complex matrices of sides that no tile divides, with zeros of both signs."""
    sides = ((1, 1, 1), (1, 2, 3), (2, 5, 4), (3, 32, 32), (4, 33, 7), (2, 9, 40), (1, 70, 65))
    for batch, m, n in (*sides, (5, 3, 100), (2, 130, 2), (7, 17, 16)):
        count = batch * m * n * 2
        x = whole(-(2**20), 2**20, count, count).float().reshape(batch, m, n, 2)
        k = torch.arange(count).reshape(x.shape)
        for label, y in (
            ("usual", x),
            ("zeros", torch.where(k % 5 < 2, 0.0, torch.where(k % 5 == 2, -0.0, x))),
            ("strange", torch.where(k % 4 == 1, INF, torch.where(k % 7 == 1, NAN, x))),
        ):
            sign = torch.tensor([1.0, -1.0], dtype=torch.float64)
            right = (y.double() * sign).permute(0, 2, 1, 3).contiguous()
            words = f"batch = {batch}, m = {m}, n = {n}, {label}"
            yield Case(words, (y,), (right,), dtypes=(torch.float32,))


def products(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole numbers, so that sums are exact, and round once; infinities and NaN."""
    sides = ((1, 1, 1, 1), (1, 2, 3, 4), (2, 16, 16, 8), (3, 5, 17, 9), (5, 33, 20, 31))
    for batch, m, n, k in (
        *sides,
        (1, 70, 40, 24),
        (6, 3, 50, 7),
        (2, 20, 2, 200),
        (1, 50, 6, 65),
    ):
        a = whole(-20, 21, batch * m * k, m + k).reshape(batch, m, k)
        b = whole(-20, 21, batch * n * k, n + k + 9).reshape(batch, n, k)
        bias = whole(-4000, 4001, n, n + 5).float() / 16
        last = torch.arange(m)[:, None] == m - 1
        for label, x, y in (
            ("usual", a, b),
            ("small", a.sign() / 4, b.sign() / 4),
            ("large", a * 16, b * 16),
            ("an infinite row", a.float().masked_fill(last, INF), b.abs() + 1),
            ("a NaN row", a, torch.where(torch.arange(n)[:, None] == n // 2, NAN, b.float())),
        ):
            x, y = x.half(), y.half()
            right = x.double() @ y.double().transpose(1, 2) + bias.double()
            words = f"batch = {batch}, M = {m}, N = {n}, K = {k}, {label}"
            yield Case(words, (x, y, bias), (right,), dtypes=(torch.float16,))


def vectors(launcher: Launcher) -> Iterator[Case]:
    """Multiply matrices by a vector of whole numbers: widths that 8 divides, and others."""
    sides = ((1, 1), (3, 8), (4, 7), (5, 9), (2, 32), (9, 33), (7, 255), (6, 256), (3, 264))
    for d, n in (*sides, (2, 300), (33, 20), (1, 600), (130, 5)):
        w = whole(-8, 9, d * n, d + n).float().reshape(d, n).bfloat16()
        x = whole(-1000, 1001, n, n + 1).float()
        for label, y, z in (
            ("usual", x, w),
            ("positive", x.abs() + 1, w.abs() + 1),
            ("one weight", x, torch.where(torch.arange(n) == n - 1, w, 0.0)),
            ("an infinity", torch.where(torch.arange(n) == n // 2, INF, x), w.abs() + 1),
        ):
            right = (z.double() * y.double()).sum(1)
            options = {"dtypes": (torch.float32,)}
            yield Case(f"n = {n}, d = {d}, {label}", (y, z), (right,), **options)


def masked(launcher: Launcher) -> Iterator[Case]:
    """Weigh what may be seen: all, some, the lower part, nothing; the rest is large, or NaN."""
    sides = ((1, 1, 1), (2, 3, 5), (1, 4, 32), (3, 5, 33), (4, 2, 31), (2, 9, 64), (3, 7, 130))
    for heads, queries, keys in (*sides, (6, 3, 3), (1, 2, 500)):
        n = heads * queries * keys
        x = whole(-1000, 1001, n, n).float().reshape(heads, queries, keys) / 256
        some = whole(0, 2, queries * keys, n + 1).reshape(queries, keys) == 1
        q, k = torch.arange(queries)[:, None], torch.arange(keys)
        for label, y, seen in (
            ("some", x, some),
            ("all", x, some | True),
            ("the lower part", x, k <= q),
            ("some rows none", x, some & (q % 2 == 1)),
            ("far below 0", x - 300, some),
            ("far above 0", x + 300, some),
            ("rising", x + k * 3, some),
            ("falling", x - k * 3, some | (k == 0)),
            ("NaN where hidden", torch.where(some, x, NAN), some),
            ("large where hidden", torch.where(some, x, 3e38), some),
        ):
            for scale in (1.0, 0.125, 2.0):
                z = (y.double() * scale).masked_fill(~seen, -INF)
                right = torch.where(seen, torch.softmax(z, dim=2), 0.0)
                size = torch.where(seen, 1 + (y.double() * scale).abs(), 0.0)
                slack = right * (2.0**-19 + size.amax(2, keepdim=True) * 2.0**-21) + 1e-37
                words = f"heads = {heads}, queries = {queries}, keys = {keys}, {scale}, {label}"
                options = {"dtypes": (torch.float32,), "within": (slack,)}
                yield Case(words, (y, seen), (right,), {"scale": scale}, **options)


def norms(launcher: Launcher) -> Iterator[Case]:
    """Normalize rows: usual ones, far off 0, of one number, small, and large ones."""
    sides = ((1, 1), (2, 2), (3, 31), (5, 64), (15, 33), (2, 95), (4, 97), (30, 7), (2, 300))
    for rows, columns in (*sides, (1, 1000), (40, 3)):
        n = rows * columns
        x = whole(-1000, 1001, n, n).float().reshape(rows, columns) / 256
        r = torch.arange(rows)[:, None]
        weight = 1 + whole(-64, 65, columns, n + 1).float() / 128
        bias = whole(-64, 65, columns, n + 2).float() / 64
        for label, y in (
            ("usual", x),
            ("rows are apart", x + r * 8 + 3),
            ("far off 0", x + 100),
            ("small", x / 2**8),
            ("large", x * 2**10),
            ("all equal", x * 0 + 2),
        ):
            y = y.half()
            for eps in (2.0**-17, 0.25):
                z = y.double()
                mean, variance = z.mean(1, keepdim=True), z.var(1, keepdim=True, correction=0)
                rstd = 1 / (variance + eps).sqrt()
                made = (z - mean) * rstd * weight.double()
                right = made + bias.double()
                size = (z.abs() + mean.abs()) * rstd * weight.double().abs()
                slack = 2.0 ** (torch.frexp(right)[1].clamp(min=-13) - 12)
                slack = slack + 2.0**-20 * (size + made.abs() + right.abs())
                off = 2.0**-21 * z.abs().amax(1)
                rel = 2.0**-18 * rstd[:, 0]
                within = (slack, off, rel)
                words = f"B = {rows}, C = {columns:,}, {eps}, {label}"
                dtypes = (torch.float16, torch.float32, torch.float32)
                rights = (right, mean[:, 0], rstd[:, 0])
                options = {"dtypes": dtypes, "within": within}
                yield Case(words, (y, weight, bias), rights, {"eps": eps}, **options)


BASES = {
    "xlv_sgd": Base(SGD, {"cases": steps}),
    "xlv_tobf": Base(TOBF, {"cases": narrowings}),
    "xlv_pixels": Base(PIXELS, {"cases": pictures}),
    "xlv_softplus": Base(SOFTPLUS, {"cases": softplus}),
    "xlv_total": Base(TOTAL, {"cases": totals}),
    "xlv_argmin": Base(ARGMIN, {"cases": smallest}),
    "xlv_herm": Base(HERM, {"cases": conjugates}),
    "xlv_nt": Base(NT, {"cases": products}),
    "xlv_matvec": Base(MATVEC, {"cases": vectors}),
    "xlv_masked": Base(MASKED, {"cases": masked}),
    "xlv_lnfwd": Base(LNFWD, {"cases": norms}),
}

WRONG = (
    # ---- a step with momentum
    # The old velocity moves the weights.
    Wrong(
        "xlv_sgd_old_velocity",
        "xlv_sgd",
        "function / other element / state | numbers / left out / swapped / race",
        ("(d + h.momentum * v_new);", "(d + h.momentum * v);"),
    ),
    # A line of four was copied and not changed in one place.
    Wrong(
        "xlv_sgd_copied_line",
        "xlv_sgd",
        "other element / neighbour / twice / left out | numbers / function",
        ("step_one(a.w, b.w, c.w, h, p.w, r.w);", "step_one(a.w, b.z, c.w, h, p.w, r.w);"),
    ),
    # The rest begins at the number of fours.
    Wrong(
        "xlv_sgd_rest_from_quads",
        "xlv_sgd",
        "tail / unwritten / left out | other element / race / twice / neighbour",
        (
            "(w, g, v, w_new, v_new, h, quads * 4, n);",
            "(w + quads, g + quads, v + quads, w_new + quads, v_new + quads, h, 0, n - quads * 4);",
        ),
    ),
    # Whole blocks only.
    Wrong(
        "xlv_sgd_whole_blocks",
        "xlv_sgd",
        "grid / unwritten / tail / left out / refused",
        ("const int64_t blocks = (quads + 63) / 64;", "const int64_t blocks = quads / 64;"),
    ),
    # The second kernel without the stream.
    Wrong(
        "xlv_sgd_rest_elsewhere",
        "xlv_sgd",
        "stream | race",
        ("sgd_rest<<<1, 32, 0, stream>>>", "sgd_rest<<<1, 32>>>"),
    ),
    # ---- bfloat16 by bits
    # The upper half of the bits.
    Wrong(
        "xlv_tobf_upper_half",
        "xlv_tobf",
        "rounding | numbers / precision",
        ("return (u + 0x7fffu + ((u >> 16) & 1u)) >> 16;", "return u >> 16;"),
    ),
    # A NaN is rounded as numbers are.
    Wrong(
        "xlv_tobf_rounds_nan",
        "xlv_tobf",
        "nan | infinity / numbers / sign of zero / whole range",
        (
            "  if ((u & 0x7fffffffu) > 0x7f800000u) return (u >> 16) | 0x0040u;  // NaN stays NaN, a quiet one\n",
            "",
        ),
    ),
    # Numbers without an exponent become 0.
    Wrong(
        "xlv_tobf_no_exponent",
        "xlv_tobf",
        "subnormal | numbers / left out",
        (
            "  return (u + 0x7fffu",
            "  if ((u & 0x7f800000u) == 0u) return (u >> 16) & 0x8000u;\n  return (u + 0x7fffu",
        ),
    ),
    # The largest finite number in place of infinity.
    Wrong(
        "xlv_tobf_stays_finite",
        "xlv_tobf",
        "infinity / whole range | numbers",
        (
            "  return (u + 0x7fffu",
            "  if ((u & 0x7fffffffu) >= 0x7f7f8000u) return (u >> 31 << 15) | 0x7f7fu;\n  return (u + 0x7fffu",
        ),
    ),
    # The first number of a pair in the upper bits.
    Wrong(
        "xlv_tobf_first_is_high",
        "xlv_tobf",
        "neighbour / other element / swapped | numbers",
        ("= high << 16 | low;", "= low << 16 | high;"),
    ),
    # A minus sign runs into the other half of the word.
    Wrong(
        "xlv_tobf_signed_low",
        "xlv_tobf",
        "numbers / whole range / other element / nan / narrow | function / left out / neighbour / infinity",
        ("= high << 16 | low;", "= high << 16 | int16_t(low);"),
    ),
    # ---- pixels
    # A division of integers.
    Wrong(
        "xlv_pixels_whole_division",
        "xlv_pixels",
        "rounding / function / precision | numbers / whole range / left out / copy",
        ("(p / 255.0f - mean[ch])", "(p / 255 - mean[ch])"),
    ),
    # A char has a sign.
    Wrong(
        "xlv_pixels_char",
        "xlv_pixels",
        "whole range / narrow / numbers | function / infinity",
        ("                uint8_t p = img", "                char p = img"),
    ),
    # The channels are blue, green, red, their means are the other way round.
    Wrong(
        "xlv_pixels_blue_first",
        "xlv_pixels",
        "other element / swapped | numbers / function / sides / neighbour",
        (
            "(p / 255.0f - mean[ch]) / stdev[ch];",
            "(p / 255.0f - mean[c - 1 - ch]) / stdev[c - 1 - ch];",
        ),
    ),
    # The stride of the images forgets the channels.
    Wrong(
        "xlv_pixels_images_overlap",
        "xlv_pixels",
        "unwritten / other element / left out / sides | race / twice / numbers / bounds / state",
        ("out[((b * c + ch) * h + y)", "out[((b + ch) * h + y)"),
    ),
    # ---- softplus
    # The logarithm of 1 + e, which is 1 for small e.
    Wrong(
        "xlv_softplus_plain_log",
        "xlv_softplus",
        "precision / rounding | numbers / function / subnormal",
        ("log1p(exp(bx)) / beta;", "log(1 + exp(bx)) / beta;"),
    ),
    # x is compared, beta * x was meant.
    Wrong(
        "xlv_softplus_x_beyond",
        "xlv_softplus",
        "function / numbers / infinity | precision / copy / left out",
        ("bx > threshold ? x", "x > threshold ? x"),
    ),
    # No threshold.
    Wrong(
        "xlv_softplus_no_threshold",
        "xlv_softplus",
        "infinity / function | numbers / left out / precision",
        ("bx > threshold ? x : log1p(exp(bx)) / beta;", "log1p(exp(bx)) / beta;"),
    ),
    # Nothing is left far below 0.
    Wrong(
        "xlv_softplus_nothing_below",
        "xlv_softplus",
        "function / numbers / precision / subnormal / left out | copy / infinity / whole range",
        (
            "bx > threshold ? x : log1p",
            "bx > threshold ? x : bx < -threshold ? Dtype(0) : log1p",
        ),
    ),
    # The constant in place of what was launched.
    Wrong(
        "xlv_softplus_constant_block",
        "xlv_softplus",
        "block size | unwritten / left out / grid / twice / tail",
        (
            "(int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += (int64_t)blockDim.x * gridDim.x)",
            "(int64_t)blockIdx.x * FRAME_NUM_THREADS + threadIdx.x; i < (n); i += (int64_t)FRAME_NUM_THREADS * gridDim.x)",
        ),
    ),
    # The loop counts with 32 bits.
    Wrong(
        "xlv_softplus_int",
        "xlv_softplus",
        "narrow | bounds / timeout / unwritten / left out",
        (
            "for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += (int64_t)blockDim.x * gridDim.x)",
            "for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += blockDim.x * gridDim.x)",
        ),
    ),
    # ---- a sum in one kernel
    # A thread adds up in the type of the input.
    Wrong(
        "xlv_total_short_sums",
        "xlv_total",
        "narrow / whole range / infinity | numbers / function",
        ("    ll mine = 0;\n", "    int mine = 0;\n"),
    ),
    # The count before is one less than the number of blocks.
    Wrong(
        "xlv_total_nobody_is_last",
        "xlv_total",
        "unwritten | left out / start / state / grid / zero before",
        ("== gridDim.x - 1;", "== gridDim.x;"),
    ),
    # The workspace is made once, and its count is never set back.
    Wrong(
        "xlv_total_count_goes_on",
        "xlv_total",
        "state / unwritten | start / zero before",
        (
            "    Workspace *ws = nullptr;\n    cudaMallocAsync(&ws, sizeof(Workspace), stream);\n    cudaMemsetAsync(&ws->finished, 0, sizeof(ws->finished), stream);\n",
            "    static Workspace *ws = nullptr;\n    if (ws == nullptr)\n    {\n        cudaMalloc(&ws, sizeof(Workspace));\n        cudaMemsetAsync(&ws->finished, 0, sizeof(ws->finished), stream);\n    }\n",
        ),
        ("    cudaFreeAsync(ws, stream);\n", ""),
    ),
    # Another number of threads, which is no power of 2.
    Wrong(
        "xlv_total_96_threads",
        "xlv_total",
        "left out | block size / other element / numbers / function",
        ("#define THREADS 64", "#define THREADS 96"),
    ),
    # A part a thread, of more blocks than threads.
    Wrong(
        "xlv_total_a_part_a_thread",
        "xlv_total",
        "left out / grid | numbers / block size / tail / other element",
        (
            "        for (unsigned b = threadIdx.x; b < gridDim.x; b += THREADS)\n            rest +=",
            "        if (const unsigned b = threadIdx.x; b < gridDim.x)\n            rest +=",
        ),
    ),
    # The count may be seen before the sum.
    Wrong(
        "xlv_total_no_fence",
        "xlv_total",
        "race | numbers / state / left out",
        ("        __threadfence();   // the sum is seen before the count\n", ""),
        ("        __threadfence();\n        ll rest = 0;\n", "        ll rest = 0;\n"),
    ),
    # ---- the smallest and its place
    # Only the sign is turned: below 0 the order is the other way round.
    Wrong(
        "xlv_argmin_only_sign",
        "xlv_argmin",
        "numbers / function / other element | left out / sign of zero / infinity / start",
        (
            "return bits & 0x80000000u ? ~bits : bits | 0x80000000u;",
            "return bits ^ 0x80000000u;",
        ),
    ),
    # The bits of a NaN are above infinity.
    Wrong(
        "xlv_argmin_nan_is_large",
        "xlv_argmin",
        "nan | numbers / other element / left out / infinity",
        ("  if (f != f) return 0u;\n", ""),
    ),
    # -0.0 is below 0.0.
    Wrong(
        "xlv_argmin_two_zeros",
        "xlv_argmin",
        "sign of zero | numbers / other element / function / neighbour",
        ("f == 0.0f ? 0u : __float_as_uint(f);", "__float_as_uint(f);"),
    ),
    # The smallest starts from 0.
    Wrong(
        "xlv_argmin_from_0",
        "xlv_argmin",
        "start | numbers / left out / copy / other element / state / function",
        (
            "cudaMemsetAsync(best, 0xff, sizeof(u64), stream);",
            "cudaMemsetAsync(best, 0, sizeof(u64), stream);",
        ),
    ),
    # Only the lower half goes to the other lanes: a place, or of no number all ones.
    Wrong(
        "xlv_argmin_short_shuffle",
        "xlv_argmin",
        "narrow / bounds / other element / whole range / numbers | function / left out / nan / start / copy / precision",
        (
            "__shfl_xor_sync(0xffffffffu, mine, k)",
            "u64(__shfl_xor_sync(0xffffffffu, u32(mine), k))",
        ),
    ),
    # ---- Hermitian transposes
    # A transpose.
    Wrong(
        "xlv_herm_plain",
        "xlv_herm",
        "function / left out / sides | numbers / sign of zero / copy",
        ("return make_float2(z.x, -z.y);", "return make_float2(z.x, z.y);"),
    ),
    # 0 - y, which has no minus zero.
    Wrong(
        "xlv_herm_from_zero",
        "xlv_herm",
        "sign of zero | numbers / function",
        ("return make_float2(z.x, -z.y);", "return make_float2(z.x, 0.0f - z.y);"),
    ),
    # The tile has as many rows as threads make twice.
    Wrong(
        "xlv_herm_rows_of_tile",
        "xlv_herm",
        "unwritten / left out / start / other element | numbers / nan / state / sides / function / race",
        (
            "            for (int r = ty; r < DIM; r += ROWS)\n                if (i0 + r < m",
            "            for (int r = ty; r < 2 * ROWS; r += ROWS)\n                if (i0 + r < m",
        ),
    ),
    # Tiles change places, and what is in them does not.
    Wrong(
        "xlv_herm_only_tiles",
        "xlv_herm",
        "other element / sides / function / start | numbers / swapped / copy / nan / race / unwritten / left out / state",
        ("cplx_conj(tile[tx][r]);", "cplx_conj(tile[r][tx]);"),
    ),
    # ---- products with the right side transposed
    # A bias for each row.
    Wrong(
        "xlv_nt_bias_of_row",
        "xlv_nt",
        "other element / sides / bounds / swapped | numbers / function",
        ("+ bias[col]);", "+ bias[row]);"),
    ),
    # The sum becomes a half before the bias is added.
    Wrong(
        "xlv_nt_rounded_before",
        "xlv_nt",
        "rounding / precision / infinity | numbers",
        (
            "__float2half(acc[i][j] + bias[col]);",
            "__float2half(__half2float(__float2half(acc[i][j])) + bias[col]);",
        ),
    ),
    # Results are stored as if a thread's rows were half a tile apart.
    Wrong(
        "xlv_nt_rows_apart",
        "xlv_nt",
        "other element | numbers / function / swapped / sides / neighbour",
        ("row = row0 + 2 * ty + i,", "row = row0 + ty + 8 * i,"),
    ),
    # The other side is 0 there, so this one may be anything.
    Wrong(
        "xlv_nt_one_side_tested",
        "xlv_nt",
        "bounds / nan / tail | infinity / other element / numbers",
        ("Bs[k][r] = col0 + r < N && k0 + k < K ?", "Bs[k][r] = col0 + r < N ?"),
    ),
    # The sums are set to 0 once.
    Wrong(
        "xlv_nt_sums_go_on",
        "xlv_nt",
        "start / other element / twice | numbers / function / grid / sides / state / nan / zero before",
        ("      float acc[2][2] = {};\n", ""),
        (
            "  for (int64_t b = blockIdx.z;",
            "  float acc[2][2] = {};\n  for (int64_t b = blockIdx.z;",
        ),
    ),
    # ---- a matrix times a vector
    # Eight at once, then the rest, in rows that begin anywhere.
    Wrong(
        "xlv_matvec_any_width",
        "xlv_matvec",
        "alignment | tail / sides / bounds",
        ("    if (n % 8 == 0) {\n", "    {\n"),
        (
            "for (int64_t j = lane * 8; j < n; j += 32 * 8)",
            "for (int64_t j = lane * 8; j + 8 <= n; j += 32 * 8)",
        ),
        (
            "    } else {\n        for (int64_t j = lane; j < n; j += 32)\n",
            "        for (int64_t j = n / 8 * 8 + lane; j < n; j += 32)\n",
        ),
    ),
    # Added to what is there.
    Wrong(
        "xlv_matvec_adds",
        "xlv_matvec",
        "zero before / start / state | nan / unwritten / input / numbers",
        ("if (lane == 0) xout[row] = sum;", "if (lane == 0) xout[row] += sum;"),
    ),
    # A last block has warps without a row.
    Wrong(
        "xlv_matvec_no_test",
        "xlv_matvec",
        "bounds | tail",
        ("    if (row >= d) return;   // the whole warp\n", ""),
    ),
    # Half a warp is named.
    Wrong(
        "xlv_matvec_half_mask",
        "xlv_matvec",
        "race | left out / numbers / timeout / refused",
        ("__shfl_down_sync(0xffffffffu,", "__shfl_down_sync(0xffffu,"),
    ),
    # ---- softmax under a mask
    # Powers of 2 of what was meant for e.
    Wrong(
        "xlv_masked_powers_of_2",
        "xlv_masked",
        "function | numbers / precision",
        ("auto const factor = scale * log2e;", "auto const factor = scale;"),
    ),
    # True hides, as in masked_fill.
    Wrong(
        "xlv_masked_true_hides",
        "xlv_masked",
        "function / swapped / left out / other element | numbers / nan / copy / unwritten",
        ("        if (seen[k]) all.merge", "        if (!seen[k]) all.merge"),
        (
            "number = seen[k] ? s[k] * factor : -INFINITY;",
            "number = !seen[k] ? s[k] * factor : -INFINITY;",
        ),
    ),
    # The mask's row is the head.
    Wrong(
        "xlv_masked_head",
        "xlv_masked",
        "other element / sides / bounds / swapped | numbers / function / left out / nan",
        ("may_see + row % queries * keys;", "may_see + row / queries * keys;"),
    ),
    # Scores are scaled where they are.
    Wrong(
        "xlv_masked_scales_scores",
        "xlv_masked",
        "input | state",
        (
            "    auto const* const s = scores + row * keys;\n",
            "    auto* const s = const_cast<float*>(scores) + row * keys;\n",
        ),
        (
            "        if (seen[k]) all.merge(running{s[k] * factor, 1.0f});\n",
            "        s[k] *= factor;\n        if (seen[k]) all.merge(running{s[k], 1.0f});\n",
        ),
        (
            "number = seen[k] ? s[k] * factor : -INFINITY;",
            "number = seen[k] ? s[k] : -INFINITY;",
        ),
    ),
    # Nothing stands for the largest of none.
    Wrong(
        "xlv_masked_none",
        "xlv_masked",
        "nan | infinity / function / numbers / start / left out",
        ("= all.top == -INFINITY ? 0.0f : all.top;", "= all.top;"),
    ),
    # The own sum is not made smaller when a larger number comes.
    Wrong(
        "xlv_masked_old_sum",
        "xlv_masked",
        "function / left out / precision / numbers | twice / other element / infinity / race",
        ("sum = sum * exp2f(top - next) +", "sum = sum +"),
    ),
    # A number that is small enough.
    Wrong(
        "xlv_masked_small_enough",
        "xlv_masked",
        "function / numbers / left out / start / infinity | nan / other element",
        (
            "        if (seen[k]) all.merge(running{s[k] * factor, 1.0f});\n",
            "        all.merge(running{seen[k] ? s[k] * factor : -1.0e4f, 1.0f});\n",
        ),
        (
            "number = seen[k] ? s[k] * factor : -INFINITY;",
            "number = seen[k] ? s[k] * factor : -1.0e4f;",
        ),
    ),
    # ---- layer norm with what it keeps
    # Weight and bias have changed places.
    Wrong(
        "xlv_lnfwd_bias_first",
        "xlv_lnfwd",
        "swapped | numbers / function",
        ("__float2half(n * weight[i] + bias[i]);", "__float2half(n * bias[i] + weight[i]);"),
    ),
    # The deviation is kept, not its inverse.
    Wrong(
        "xlv_lnfwd_keeps_deviation",
        "xlv_lnfwd",
        "function | numbers",
        ("rstd[b] = s;", "rstd[b] = sqrtf(sums[1] / C + eps);"),
    ),
    # What is kept goes to the block's place.
    Wrong(
        "xlv_lnfwd_place_of_block",
        "xlv_lnfwd",
        "unwritten / grid / other element / left out | bounds / tail / numbers / sides / state",
        (
            "            mean[b] = m;\n            rstd[b] = s;\n",
            "            mean[blockIdx.x] = m;\n            rstd[blockIdx.x] = s;\n",
        ),
    ),
    # The mean becomes a half before it is taken away.
    Wrong(
        "xlv_lnfwd_half_mean",
        "xlv_lnfwd",
        "precision / rounding / narrow | numbers / function",
        (
            "float n = s * (__half2float(x[i]) - m);",
            "float n = s * __half2float(x[i] - __float2half(m));",
        ),
    ),
    # The sums are set to 0 for the first row only.
    Wrong(
        "xlv_lnfwd_first_row_only",
        "xlv_lnfwd",
        "start / state / zero before / twice / other element | numbers / function / grid / left out / race",
        ("        if (tid < 2) sums[tid] = 0.0f;\n        __syncthreads();\n", ""),
        (
            "    for (int64_t b = blockIdx.x; b < B;",
            "    if (tid < 2) sums[tid] = 0.0f;\n    __syncthreads();\n    for (int64_t b = blockIdx.x; b < B;",
        ),
    ),
    # Each lane adds what it has of the warp's sum.
    Wrong(
        "xlv_lnfwd_every_lane",
        "xlv_lnfwd",
        "twice / function / numbers / other element | sides / left out / nan / start",
        ("        if (lane == 0) atomicAdd(&sums[1], sq);", "        atomicAdd(&sums[1], sq);"),
    ),
)

RIGHT = (
    # No fours: many blocks of one number a thread do all.
    Right(
        "xlv_sgd_no_quads",
        "xlv_sgd",
        ("const int64_t quads = n / 4;", "const int64_t quads = 0;"),
        ("sgd_rest<<<1, 32, 0, stream>>>", "sgd_rest<<<7, 45, 0, stream>>>"),
        (
            "step_one(w[i], g[i], v[i], h, w_new[i], v_new[i]);",
            "{\n    const int64_t k = n - 1 - i;\n    step_one(w[k], g[k], v[k], h, w_new[k], v_new[k]);\n  }",
        ),
    ),
    # The lost half is compared with half a unit.
    Right(
        "xlv_tobf_compares_rest",
        "xlv_tobf",
        (
            "  return (u + 0x7fffu + ((u >> 16) & 1u)) >> 16;\n",
            "  const uint32_t kept = u >> 16, lost = u & 0xffffu;\n  return kept + (lost > 0x8000u || (lost == 0x8000u && (kept & 1u)));\n",
        ),
        ("<<<10, 96, 0, stream>>>", "<<<3, 65, 0, stream>>>"),
    ),
    # A factor and a summand for each channel, which is the outer loop.
    Right(
        "xlv_pixels_by_channel",
        "xlv_pixels",
        (
            "            for (int64_t ch = 0; ch < c; ch++)\n            {\n",
            "            for (int64_t ch = c - 1; ch >= 0; ch--)\n            {\n                double factor = 1.0 / (255.0 * stdev[ch]), summand = -(double)mean[ch] / stdev[ch];\n",
        ),
        ("(p / 255.0f - mean[ch]) / stdev[ch];", "(float)fma((double)p, factor, summand);"),
    ),
    # The linear part and the rest, which never overflows.
    Right(
        "xlv_softplus_two_parts",
        "xlv_softplus",
        (
            "bx > threshold ? x : log1p(exp(bx)) / beta;",
            "bx > threshold ? x : ((bx < 0 ? Dtype(0) : bx) + log1p(exp(-fabs(bx)))) / beta;",
        ),
        (
            "for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += (int64_t)blockDim.x * gridDim.x)",
            "for (int64_t i = (n) - 1 - ((int64_t)threadIdx.x * gridDim.x + blockIdx.x); i >= 0; i -= (int64_t)blockDim.x * gridDim.x)",
        ),
    ),
    # Halves that round up, so that any number of threads will do.
    Right(
        "xlv_total_halves_round_up",
        "xlv_total",
        ("#define THREADS 64", "#define THREADS 45"),
        (
            "    for (int s = THREADS / 2; s > 0; s >>= 1)\n    {\n        if (tid < s)\n            sdata[tid] += sdata[tid + s];\n        __syncthreads();\n",
            "    for (int n = THREADS; n > 1; n = (n + 1) / 2)\n    {\n        if (tid < n / 2)\n            sdata[tid] += sdata[n - 1 - tid];\n        __syncthreads();\n",
        ),
    ),
    # Warps add to the output, which is set to 0: sums of integers have any order.
    Right(
        "xlv_total_atomic",
        "xlv_total",
        ("    __shared__ ll sdata[THREADS];\n    __shared__ bool amLast;\n\n", ""),
        (
            "    const ll ofBlock = blockSum(mine, sdata);\n\n    if (threadIdx.x == 0)\n    {\n        ws->part[blockIdx.x] = ofBlock;\n        __threadfence();   // the sum is seen before the count\n        amLast = atomicAdd(&ws->finished, 1ull) == gridDim.x - 1;\n    }\n    __syncthreads();\n\n    if (amLast)\n    {\n        __threadfence();\n        ll rest = 0;\n        for (unsigned b = threadIdx.x; b < gridDim.x; b += THREADS)\n            rest += ((volatile Workspace *)ws)->part[b];\n        rest = blockSum(rest, sdata);\n        if (threadIdx.x == 0)\n            g_odata[0] = rest;\n    }\n}\n\n",
            "    for (int offset = 16; offset > 0; offset >>= 1)\n        mine += __shfl_down_sync(0xffffffffu, mine, offset);\n    if (threadIdx.x % 32 == 0)\n        atomicAdd((unsigned long long *)g_odata, (unsigned long long)mine);\n}\n\n",
        ),
        (
            "    Workspace *ws = nullptr;\n    cudaMallocAsync(&ws, sizeof(Workspace), stream);\n    cudaMemsetAsync(&ws->finished, 0, sizeof(ws->finished), stream);\n",
            "    cudaMemsetAsync(g_odata, 0, sizeof(int64_t), stream);\n",
        ),
        (
            "THREADS, 0, stream>>>(g_idata, g_odata, ws, n);\n    cudaFreeAsync(ws, stream);\n",
            "THREADS, 0, stream>>>(g_idata, g_odata, nullptr, n);\n",
        ),
    ),
    # The largest of the inverse keys, from 0 on, by a loop of compare and swap.
    Right(
        "xlv_argmin_swaps",
        "xlv_argmin",
        ("  u64 mine = ~0ull;\n", "  u64 mine = 0;\n"),
        ("mine = min(mine, packed);", "mine = max(mine, ~packed);"),
        (
            "mine = min(mine, __shfl_xor_sync(0xffffffffu, mine, k));",
            "mine = max(mine, __shfl_xor_sync(0xffffffffu, mine, k));",
        ),
        (
            "  if (threadIdx.x % 32 == 0) atomicMin(best, mine);\n",
            "  if (threadIdx.x % 32 == 31) {\n    u64 old = *(volatile u64*)best;\n    while (old < mine) {\n      const u64 seen = atomicCAS(best, old, mine);\n      if (seen == old) break;\n      old = seen;\n    }\n  }\n",
        ),
        ("const u32 at = u32(*best);", "const u32 at = u32(~*best);"),
        (
            "cudaMemsetAsync(best, 0xff, sizeof(u64), stream);",
            "cudaMemsetAsync(best, 0, sizeof(u64), stream);",
        ),
    ),
    # No gap in the tile: columns are moved by an exclusive or with the row.
    Right(
        "xlv_herm_exclusive_or",
        "xlv_herm",
        ("__shared__ cplx_t tile[DIM][DIM + 1];", "__shared__ cplx_t tile[DIM][DIM];"),
        ("tile[r][tx] = a[", "tile[r][tx ^ r] = cplx_conj(a["),
        ("* n + j0 + tx];", "* n + j0 + tx]);"),
        ("= cplx_conj(tile[tx][r]);", "= tile[tx][r ^ tx];"),
        ("#define ROWS 8", "#define ROWS 5"),
    ),
    # The depth is walked from its end, sums are double, and those of a thread stand across.
    Right(
        "xlv_nt_from_end",
        "xlv_nt",
        (
            "      float acc[2][2] = {};\n      for (int64_t k0 = 0; k0 < K; k0 += BK) {\n",
            "      double acc[2][2] = {};\n      for (int64_t k0 = int64_t(K - 1) / BK * BK; k0 >= 0; k0 -= BK) {\n",
        ),
        (
            "acc[i][j] += a[i] * c[j];",
            "acc[j][i] = fma(double(c[j]), double(a[i]), acc[j][i]);",
        ),
        ("__float2half(acc[i][j] + bias[col]);", "__double2half(acc[j][i] + bias[col]);"),
    ),
    # Lanes have neighbouring numbers, whose sums go through shared memory.
    Right(
        "xlv_matvec_parts_of_row",
        "xlv_matvec",
        (
            "    if (n % 8 == 0) {\n        // 16 bytes of weights at once\n        for (int64_t j = lane * 8; j < n; j += 32 * 8) {\n            uint4 p = *(const uint4*)(w + row * n + j);\n            unsigned words[4] = {p.x, p.y, p.z, p.w};\n            for (int k = 0; k < 4; k++) {\n                sum += bf16_low(words[k]) * x[j + 2 * k];\n                sum += bf16_high(words[k]) * x[j + 2 * k + 1];\n            }\n        }\n    } else {\n        for (int64_t j = lane; j < n; j += 32)\n            sum += __bfloat162float(w[row * n + j]) * x[j];\n    }\n    for (int offset = 16; offset > 0; offset /= 2)\n        sum += __shfl_down_sync(0xffffffffu, sum, offset);\n    if (lane == 0) xout[row] = sum;\n",
            "    __shared__ float parts[WARPS][32];\n    const int64_t each = (n + 31) / 32, end = min(n, (lane + 1) * each);\n    for (int64_t j = lane * each; j < end; j++)\n        sum = fmaf(__bfloat162float(w[row * n + j]), x[j], sum);\n    parts[threadIdx.x / 32][lane] = sum;\n    __syncwarp();\n    if (lane == 31) {\n        for (int k = 0; k < 31; k++) sum += parts[threadIdx.x / 32][k];\n        xout[row] = sum;\n    }\n",
        ),
    ),
    # Two passes, of which the second adds up what stands in the output.
    Right(
        "xlv_masked_in_output",
        "xlv_masked",
        (
            "        if (seen[k]) all.merge(running{s[k] * factor, 1.0f});\n",
            "        if (seen[k]) all.top = fmaxf(all.top, s[k] * factor);\n",
        ),
        (
            "        all.merge(running{__shfl_xor_sync(~0u, all.top, step), __shfl_xor_sync(~0u, all.sum, step)});\n    }\n",
            "        all.top = fmaxf(all.top, __shfl_xor_sync(~0u, all.top, step));\n    }\n    auto const top = all.top == -INFINITY ? 0.0f : all.top;\n    for (auto k = int64_t{threadIdx.x}; k < keys; k += lanes) {\n        auto const power = seen[k] ? exp2f(s[k] * factor - top) : 0.0f;\n        weights[row * keys + k] = power;\n        all.sum += power;\n    }\n    for (auto step = 1; step < lanes; step *= 2) all.sum += __shfl_xor_sync(~0u, all.sum, step);\n",
        ),
        (
            "    auto const top = all.top == -INFINITY ? 0.0f : all.top;\n    auto const share",
            "    auto const share",
        ),
        ("        auto const number = seen[k] ? s[k] * factor : -INFINITY;\n", ""),
        ("exp2f(number - top) * share;", "weights[row * keys + k] * share;"),
    ),
    # One pass in double, of the distances from the row's first number, if that is finite.
    Right(
        "xlv_lnfwd_shifted",
        "xlv_lnfwd",
        ("    __shared__ float sums[2];\n", "    __shared__ double sums[2];\n"),
        ("sums[tid] = 0.0f;", "sums[tid] = 0.0;"),
        (
            "        float sum = 0.0f;\n        for (int64_t i = tid; i < C; i += blockDim.x) sum += __half2float(x[i]);\n",
            "        double sum = 0.0, sq = 0.0, first = C > 0 ? __half2float(x[0]) : 0.0;\n        if (!isfinite(first)) first = 0.0;\n        for (int64_t i = C - 1 - tid; i >= 0; i -= blockDim.x) {\n            double d = __half2float(x[i]) - first;\n            sum += d;\n            sq += d * d;\n        }\n",
        ),
        (
            "        if (lane == 0) atomicAdd(&sums[0], sum);\n        __syncthreads();\n        float m = sums[0] / C;\n        // variance\n        float sq = 0.0f;\n        for (int64_t i = tid; i < C; i += blockDim.x) {\n            float diff = __half2float(x[i]) - m;\n            sq += diff * diff;\n        }\n",
            "        if (lane == 0) atomicAdd(&sums[0], sum);\n",
        ),
        (
            "        float s = 1.0f / sqrtf(sums[1] / C + eps);\n",
            "        double off = sums[0] / C;\n        float m = first + off;\n        double variance = sums[1] / C - off * off;\n        float s = 1.0 / sqrt((variance < 0.0 ? 0.0 : variance) + eps);\n",
        ),
    ),
)
