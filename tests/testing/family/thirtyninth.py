"""Hold a thirty-ninth family: broadcasts, casts, gates, sums, places, products, softmax, norms.

Its styles are those of ports from NumPy and the BLAS, a framework, an inference engine, a
student, a library author, a modernist, a paper, a junior and a book. The causes were written
before a member was judged. On the emulator each member ran beside PyTorch, compared as a case
does, and nvcc compiles each. Bases and right ones are right, and all wrong ones but four wrong,
refused by a fault, or endless, some only so:

    xxxix_bcast_fortran_order     if at least two sides are above 1
    xxxix_bcast_stride            from 2 images on, if channels and pixels are not as many
    xxxix_bcast_in_half           if a factor, a term or a product is no half
    xxxix_bcast_no_loop           from more elements on than 24 blocks have threads
    xxxix_tobf_upper_bits         of numbers that are nearer to the next bfloat16 from 0
    xxxix_tobf_ties               of ties, each second one
    xxxix_tobf_rounds_nan         of NaNs of which rounding leaves an infinity or a zero
    xxxix_tobf_flushes            of subnormal numbers that bfloat16 does not round to 0
    xxxix_tobf_plain_zero         of -0.0
    xxxix_tobf_pairs_only         if n is 1, or n - 1 a multiple of 384
    xxxix_glu_other_gate          unless the halves of a row are alike
    xxxix_glu_in_turn             from rows of 2 on
    xxxix_glu_exp_above           of gates above 88
    xxxix_glu_rounded_twice       of gates whose activation is no half
    xxxix_glu_large_block         from rows of 1,025 on
    xxxix_glu_pairs               of rows of odd length from 3 on
    xxxix_colsum_int              if a block's sum of a column is none of 32 bits
    xxxix_colsum_blocks_of_rows   if the columns need more blocks of 32 than the rows
    xxxix_rowmax_ties             if all is -inf, or of equal ones in two lanes
    xxxix_rowmax_zero             of rows with no number above 0
    xxxix_rowmax_place_stays      if the largest is not in the first lane
    xxxix_rowmax_short_place      of places from 65,536 on
    xxxix_btrans_one_barrier      from 7 tiles on
    xxxix_btrans_pitch            if the sides differ
    xxxix_btrans_test             if the sides differ
    xxxix_btrans_counter          from the second call on
    xxxix_gemm_not_transposed     if neither M nor K is 1
    xxxix_gemm_beta_zero          if beta is 0 and C0 holds NaN or an infinity
    xxxix_gemm_half_sum           of sums, or parts of sums, that no half has
    xxxix_gemm_whole_tiles        if K is no multiple of 16
    xxxix_gemm_sum_goes_on        from 49 rows on
    xxxix_causal_strict           unless the own keys of all queries weigh nothing
    xxxix_causal_no_past          if there are not as many keys as queries
    xxxix_causal_unscaled_max     of large scores, if the scale is not 1
    xxxix_causal_unwritten        if a query does not see all keys
    xxxix_causal_shared_row       from 12,281 keys on
    xxxix_logsm_of_softmax        of numbers from 88 on below the largest of the row
    xxxix_logsm_no_rescale        from rows of 33 on, if a lane's later number is larger
    xxxix_logsm_minus_infinity    of rows of up to 15, and if a lane begins with -inf
    xxxix_logsm_down              from rows of 2 on
    xxxix_addrms_epsilon_last     if epsilon counts beside the reciprocal root, or all is 0
    xxxix_addrms_row_weight       unless all weights are equal and there are as many as rows
    xxxix_welford_bessel          of rows so short that it counts
    xxxix_welford_old_mean        from rows of 2 on
    xxxix_welford_squares         of rows whose mean is far from 0
    xxxix_welford_integer_share   from rows of 2 on

Four are right on the emulator, and wrong by reasoning:

    xxxix_bcast_int               from nearly 2^31 elements on
    xxxix_colsum_memset_stream    on every stream but the default one
    xxxix_colsum_stores           where blocks run at once
    xxxix_addrms_no_barrier       where warps run at once
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

# A port of NumPy's x * scale[None, :, None] + shift[:, None, :], whose new axes have stride 0.
BCAST = (
    HEADER
    + """\
struct Shape3 { int64_t dim[3]; };
struct Strides3 { int64_t step[3]; };

// The place of a flat index, whose last axis is the fastest, in an operand with these strides.
__device__ int64_t place_of(int64_t flat, const Shape3& shape, const Strides3& strides)
{
    int64_t place = 0;
    for (int axis = 2; axis >= 0; --axis) {
        place += flat % shape.dim[axis] * strides.step[axis];
        flat /= shape.dim[axis];
    }
    return place;
}

__global__ void multiply_add(const half* x, const float* scale, const float* shift, half* out, Shape3 shape, Strides3 scale_strides, Strides3 shift_strides)
{
    const int64_t size = shape.dim[0] * shape.dim[1] * shape.dim[2];
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < size; i += gridDim.x * (int64_t)blockDim.x) {
        const float factor = scale[place_of(i, shape, scale_strides)];
        const float term = shift[place_of(i, shape, shift_strides)];
        out[i] = __float2half(__half2float(x[i]) * factor + term);
    }
}

extern "C" void launch(const half* x /* [images, channels, pixels] */, const float* scale /* [channels] */, const float* shift /* [images, pixels] */,
                       half* out /* [images, channels, pixels] */, int64_t images, int64_t channels, int64_t pixels, int block_size = 256, cudaStream_t stream = 0)
{
    const Shape3 shape = {{images, channels, pixels}};
    const Strides3 scale_strides = {{0, 1, 0}};
    const Strides3 shift_strides = {{pixels, 0, 1}};
    const int64_t blocks = (images * channels * pixels - 1) / block_size + 1;
    multiply_add<<<(unsigned)(blocks < 24 ? blocks : 24), block_size, 0, stream>>>(x, scale, shift, out, shape, scale_strides, shift_strides);
}
"""
)

# A framework's cast to bfloat16 by the bits, two elements a word.
TOBF = (
    HEADER
    + """\
namespace detail {

// The bits of the nearest bfloat16; of two that are equally near, the even one.
__device__ __forceinline__ uint32_t round_to_bf16(float value) {
  const uint32_t bits = __float_as_uint(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return 0x7fffu;
  const uint32_t lsb = (bits >> 16) & 1u;
  return (bits + 0x7fffu + lsb) >> 16;
}

}  // namespace detail

__global__ void cast_f32_bf16(const float* __restrict__ src, uint32_t* __restrict__ dst, const int64_t n) {
  const int64_t words = n / 2;
  const int64_t tid = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (tid < words) {
    const uint32_t lo = detail::round_to_bf16(src[2 * tid]);
    const uint32_t hi = detail::round_to_bf16(src[2 * tid + 1]);
    dst[tid] = lo | (hi << 16);
  } else if (tid == words && n % 2 == 1) {
    reinterpret_cast<uint16_t*>(dst)[n - 1] = static_cast<uint16_t>(detail::round_to_bf16(src[n - 1]));
  }
}

extern "C" void launch(const float* src,     // [n]
                       __nv_bfloat16* dst,   // [n] 4-byte aligned
                       int64_t n, cudaStream_t stream = 0) {
  const int64_t threads_needed = (n + 1) / 2;
  const unsigned blocks = static_cast<unsigned>((threads_needed + 191) / 192);
  cast_f32_bf16<<<blocks, 192, 0, stream>>>(src, reinterpret_cast<uint32_t*>(dst), n);
}
"""
)

# An inference engine's gated activation: SiLU of the first half of a row times the second one.
GLU = (
    HEADER
    + """\
static inline int min_int(int a, int b) { return a < b ? a : b; }

__device__ __forceinline__ float silu(const float x) {
    return x / (1.0f + expf(-x));
}

__global__ void silu_and_mul_kernel(half * __restrict__ dst, const half * __restrict__ src, const int n_ff) {
    const int64_t token = blockIdx.x;
    const half * gate = src + token * 2 * n_ff;
    const half * up   = gate + n_ff;
    half * row        = dst + token * n_ff;

    for (int64_t i = threadIdx.x; i < n_ff; i += blockDim.x) {
        row[i] = __float2half(silu(__half2float(gate[i])) * __half2float(up[i]));
    }
}

extern "C" void launch(const half * src /* [n_tokens, 2, n_ff] */, half * dst /* [n_tokens, n_ff] */, int n_tokens, int n_ff, cudaStream_t stream = 0) {
    const dim3 block_dims(min_int(n_ff, 256));
    silu_and_mul_kernel<<<n_tokens, block_dims, 0, stream>>>(dst, src, n_ff);
}
"""
)

# A student's sums of the columns: a tile of threads walks down, shared memory adds it up.
COLSUM = (
    HEADER
    + """\
#define BX 32
#define BY 8

__global__ void columnSums(const short *mat, unsigned long long *sums, int64_t rows, int64_t cols)
{
    __shared__ long long part[BY][BX];

    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int64_t col = (int64_t)blockIdx.x * BX + tx;

    long long sum = 0;
    if (col < cols)
    {
        for (int64_t row = (int64_t)blockIdx.y * BY + ty; row < rows; row += (int64_t)gridDim.y * BY)
            sum += mat[row * cols + col];
    }
    part[ty][tx] = sum;
    __syncthreads();

    // the first row of threads adds the other rows
    if (ty == 0 && col < cols)
    {
        for (int k = 1; k < BY; k++)
            sum += part[k][tx];
        atomicAdd(&sums[col], (unsigned long long)sum);
    }
}

extern "C" void launch(const short *mat /* [rows, cols] */, int64_t *sums /* [cols] */, int64_t rows, int64_t cols, cudaStream_t stream = 0)
{
    cudaMemsetAsync(sums, 0, cols * sizeof(int64_t), stream);
    dim3 block(BX, BY);
    dim3 grid((unsigned)((cols + BX - 1) / BX), 3);
    columnSums<<<grid, block, 0, stream>>>(mat, (unsigned long long *)sums, rows, cols);
}
"""
)

# A library author's largest of each row with its place, a warp a row. The first NaN is largest.
ROWMAX = (
    HEADER
    + """\
namespace lib {

struct Candidate {
  float value;
  int place;
};

__device__ __forceinline__ bool wins(const Candidate& a, const Candidate& b) {
  if (isnan(a.value) || isnan(b.value)) {
    if (!isnan(b.value)) return true;
    return isnan(a.value) && a.place < b.place;
  }
  if (a.value != b.value) return a.value > b.value;
  return a.place < b.place;
}

constexpr int kRowsPerBlock = 4;

__global__ void row_max(const float* __restrict__ x, float* __restrict__ values, int64_t* __restrict__ places, int rows, int cols) {
  const int64_t row = int64_t{blockIdx.x} * kRowsPerBlock + threadIdx.y;
  if (row >= rows) return;  // a whole warp
  const float* const own = x + row * cols;

  Candidate best{-INFINITY, INT32_MAX};
  for (int64_t i = threadIdx.x; i < cols; i += 32) {
    const Candidate next{own[i], static_cast<int>(i)};
    if (wins(next, best)) best = next;
  }
#pragma unroll
  for (int delta = 16; delta > 0; delta /= 2) {
    Candidate other;
    other.value = __shfl_down_sync(0xffffffffu, best.value, delta);
    other.place = __shfl_down_sync(0xffffffffu, best.place, delta);
    if (wins(other, best)) best = other;
  }
  if (threadIdx.x == 0) {
    values[row] = best.value;
    places[row] = best.place;
  }
}

}  // namespace lib

extern "C" void launch(const float* x,   // [rows, cols]
                       float* values,    // [rows]
                       int64_t* places,  // [rows]
                       int rows, int cols, cudaStream_t stream = 0) {
  const unsigned blocks = (static_cast<unsigned>(rows) + lib::kRowsPerBlock - 1) / lib::kRowsPerBlock;
  lib::row_max<<<blocks, dim3(32, lib::kRowsPerBlock), 0, stream>>>(x, values, places, rows, cols);
}
"""
)

# A modernist's transposes of a batch of bytes: few blocks take tile after tile.
BTRANS = (
    HEADER
    + """\
#include <type_traits>

namespace {

template <unsigned Tile>
struct tile_coordinates {
    int64_t batch, row, column;

    __device__ static auto of(int64_t tile, int64_t tiles_down, int64_t tiles_across) -> tile_coordinates
    {
        return {tile / (tiles_down * tiles_across), tile / tiles_across % tiles_down * Tile, tile % tiles_across * Tile};
    }
};

template <typename Element, unsigned Tile>
__global__ void transpose_all(Element const* in, Element* out, int64_t count, int64_t height, int64_t width)
{
    static_assert(std::is_trivially_copyable<Element>::value, "copied through shared memory");
    __shared__ Element tile[Tile][Tile + 1];

    auto const tiles_down = (height + Tile - 1) / Tile;
    auto const tiles_across = (width + Tile - 1) / Tile;
    auto const tiles = count * tiles_down * tiles_across;
    for (int64_t t = blockIdx.x; t < tiles; t += gridDim.x) {
        auto const at = tile_coordinates<Tile>::of(t, tiles_down, tiles_across);
        auto const* from = in + at.batch * height * width;
        auto* to = out + at.batch * height * width;
        {
            auto const y = at.row + threadIdx.y, x = at.column + threadIdx.x;
            if (y < height && x < width) tile[threadIdx.y][threadIdx.x] = from[y * width + x];
        }
        __syncthreads();
        {
            auto const y = at.row + threadIdx.x, x = at.column + threadIdx.y;
            if (y < height && x < width) to[x * height + y] = tile[threadIdx.x][threadIdx.y];
        }
        __syncthreads();  // the tile is free
    }
}

}  // namespace

extern "C" void launch(uint8_t const* in /* [count, height, width] */, uint8_t* out /* [count, width, height] */, int64_t count, int64_t height, int64_t width, cudaStream_t stream = 0)
{
    constexpr auto tile = 16u;
    transpose_all<uint8_t, tile><<<6, dim3{tile, tile}, 0, stream>>>(in, out, count, height, width);
}
"""
)

# A port of the BLAS: C = alpha * A**T * B + beta * C0, of halves and floats, in a book's tiles.
GEMM = (
    HEADER
    + """\
/*
 *  xGEMM('T', 'N', M, N, K, ALPHA, A, B, BETA, C), by rows:
 *  A is K by M, B is K by N, C is M by N. When BETA is zero, C0 need not be set on input.
 */
#define NB 16

__global__ void gemm_tn(int M, int N, int K, float ALPHA, const half *A, const half *B, float BETA, const float *C0, float *C)
{
    __shared__ float As[NB][NB];
    __shared__ float Bs[NB][NB];

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int64_t j = (int64_t)blockIdx.x * NB + tx;

    for (int64_t i0 = (int64_t)blockIdx.y * NB; i0 < M; i0 += (int64_t)gridDim.y * NB) {
        const int64_t i = i0 + ty;
        float TEMP = 0.0f;
        for (int64_t l0 = 0; l0 < K; l0 += NB) {
            const int64_t l = l0 + ty;
            As[ty][tx] = l < K && i0 + tx < M ? __half2float(A[l * M + i0 + tx]) : 0.0f;
            Bs[ty][tx] = l < K && j < N ? __half2float(B[l * N + j]) : 0.0f;
            __syncthreads();
            for (int p = 0; p < NB; p++)
                TEMP += As[p][ty] * Bs[p][tx];
            __syncthreads();
        }
        if (i < M && j < N) {
            if (BETA == 0.0f)
                C[i * N + j] = ALPHA * TEMP;
            else
                C[i * N + j] = ALPHA * TEMP + BETA * C0[i * N + j];
        }
    }
}

extern "C" void launch(int M, int N, int K, float ALPHA, const half *A /* [K, M] */, const half *B /* [K, N] */, float BETA, const float *C0 /* [M, N] */, float *C /* [M, N] */, cudaStream_t stream = 0)
{
    dim3 grid((unsigned)(((int64_t)N + NB - 1) / NB), 3);
    gemm_tn<<<grid, dim3(NB, NB), 0, stream>>>(M, N, K, ALPHA, A, B, BETA, C0, C);
}
"""
)

# An inference engine's causal softmax: a query sees the keys up to its own, the rest gets 0.
CAUSAL = (
    HEADER
    + """\
#define NTHREADS 128
#define NWARPS (NTHREADS / 32)

template <bool IS_MAX>
__device__ float block_all_reduce(float v) {
    __shared__ float warp_results[NWARPS];
    for (int o = 16; o > 0; o >>= 1) {
        const float w = __shfl_xor_sync(0xffffffff, v, o);
        v = IS_MAX ? fmaxf(v, w) : v + w;
    }
    if (threadIdx.x % 32 == 0) warp_results[threadIdx.x / 32] = v;
    __syncthreads();
    v = warp_results[0];
    for (int w = 1; w < NWARPS; ++w) v = IS_MAX ? fmaxf(v, warp_results[w]) : v + warp_results[w];
    __syncthreads();
    return v;
}

__global__ void causal_softmax(const float * scores, float * probs, const float scale, const int64_t n_rows, const int n_q, const int n_kv) {
    for (int64_t row = blockIdx.x; row < n_rows; row += gridDim.x) {
        const float * s = scores + row * n_kv;
        float * p = probs + row * n_kv;

        // The last query sees all keys, the one before all but one.
        int64_t n_seen = row % n_q + 1 + ((int64_t) n_kv - n_q);
        if (n_seen < 0) n_seen = 0;

        float max_val = -INFINITY;
        for (int64_t k = threadIdx.x; k < n_seen; k += NTHREADS) max_val = fmaxf(max_val, s[k] * scale);
        max_val = block_all_reduce<true>(max_val);

        float sum = 0.0f;
        for (int64_t k = threadIdx.x; k < n_seen; k += NTHREADS) sum += expf(s[k] * scale - max_val);
        sum = block_all_reduce<false>(sum);

        for (int64_t k = threadIdx.x; k < n_kv; k += NTHREADS) {
            p[k] = k < n_seen ? expf(s[k] * scale - max_val) / sum : 0.0f;
        }
    }
}

extern "C" void launch(const float * scores /* [n_head, n_q, n_kv] */, float * probs /* [n_head, n_q, n_kv] */, float scale, int n_head, int n_q, int n_kv, cudaStream_t stream = 0) {
    const int64_t n_rows = (int64_t) n_head * n_q;
    const unsigned n_blocks = (unsigned) (n_rows < 65535 ? n_rows : 65535);
    causal_softmax<<<n_blocks, NTHREADS, 0, stream>>>(scores, probs, scale, n_rows, n_q, n_kv);
}
"""
)

# A paper's log-softmax: the largest and the sum in one pass, each lane for itself, then merged.
LOGSM = (
    HEADER
    + """\
// Online normalizer calculation: m is the largest so far, d the sum of exp(x - m).
struct __align__(8) MD
{
    float m;
    float d;
};

__device__ __forceinline__ MD push(MD a, float x)
{
    const float m_new = fmaxf(a.m, x);
    return MD{m_new, a.d * expf(a.m - m_new) + expf(x - m_new)};
}

__device__ __forceinline__ MD merge(MD a, MD b)
{
    const bool a_bigger = a.m > b.m;
    const MD bigger = a_bigger ? a : b;
    const MD smaller = a_bigger ? b : a;
    return MD{bigger.m, bigger.d + smaller.d * expf(smaller.m - bigger.m)};
}

template <int WARPS>
__global__ void __launch_bounds__(WARPS * 32) online_log_softmax(const float* __restrict__ x, float* __restrict__ y, int64_t N, int V)
{
    const int lane = threadIdx.x % 32;
    const int64_t vec = blockIdx.x * (int64_t)WARPS + threadIdx.x / 32;
    if (vec >= N) return;
    x += vec * V;
    y += vec * V;

    MD md{-FLT_MAX, 0.0f};
    for (int64_t elem = lane; elem < V; elem += 32)
        md = push(md, x[elem]);

    for (int offset = 16; offset > 0; offset >>= 1)
    {
        MD other;
        other.m = __shfl_xor_sync(0xffffffff, md.m, offset);
        other.d = __shfl_xor_sync(0xffffffff, md.d, offset);
        md = merge(md, other);
    }

    const float log_d = logf(md.d);
    for (int64_t elem = lane; elem < V; elem += 32)
        y[elem] = (x[elem] - md.m) - log_d;
}

extern "C" void launch(const float* x /* [N, V] */, float* y /* [N, V] */, int N, int V, cudaStream_t stream = 0)
{
    constexpr int warps = 2;
    online_log_softmax<warps><<<((unsigned)N + warps - 1) / warps, warps * 32, 0, stream>>>(x, y, N, V);
}
"""
)

# A junior's RMS norm with weights of what is added to the residual, which goes on.
ADDRMS = (
    HEADER
    + """\
typedef __nv_bfloat16 bf16;

constexpr unsigned kThreads = 128;

__global__ void fused_add_rms_norm(const bf16* __restrict__ input, const bf16* __restrict__ residual, const bf16* __restrict__ weight,
                                   bf16* __restrict__ normed, bf16* __restrict__ new_residual, float epsilon, int hidden) {
  __shared__ float squares[kThreads];
  __shared__ float s_inv_rms;
  const int64_t base = static_cast<int64_t>(blockIdx.x) * hidden;

  float ss = 0.0f;
  for (int64_t i = threadIdx.x; i < hidden; i += kThreads) {
    const bf16 z = __float2bfloat16(__bfloat162float(input[base + i]) + __bfloat162float(residual[base + i]));
    new_residual[base + i] = z;
    const float f = __bfloat162float(z);
    ss += f * f;
  }
  squares[threadIdx.x] = ss;
  __syncthreads();
  for (unsigned step = kThreads / 2; step > 0; step >>= 1) {
    if (threadIdx.x < step) squares[threadIdx.x] += squares[threadIdx.x + step];
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    s_inv_rms = rsqrtf(squares[0] / hidden + epsilon);
  }
  __syncthreads();

  for (int64_t i = threadIdx.x; i < hidden; i += kThreads) {
    const float f = __bfloat162float(new_residual[base + i]);
    normed[base + i] = __float2bfloat16(f * s_inv_rms * __bfloat162float(weight[i]));
  }
}

extern "C" void launch(const bf16* input,     // [tokens, hidden]
                       const bf16* residual,  // [tokens, hidden]
                       const bf16* weight,    // [hidden]
                       bf16* normed,          // [tokens, hidden]
                       bf16* new_residual,    // [tokens, hidden]
                       float epsilon, int tokens, int hidden, cudaStream_t stream = 0) {
  fused_add_rms_norm<<<tokens, kThreads, 0, stream>>>(input, residual, weight, normed, new_residual, epsilon, hidden);
}
"""
)

# A book's layer norm: Welford's way for a thread, Chan's for two threads.
WELFORD = (
    HEADER
    + """\
#define THREADS 64

typedef struct {
    int n;       /* how many numbers were seen */
    float mean;
    float m2;    /* sum of squared deviations */
} Welford;

__device__ void welford_add(Welford *w, float x)
{
    w->n += 1;
    float delta = x - w->mean;
    w->mean += delta / w->n;
    w->m2 += delta * (x - w->mean);
}

__device__ Welford welford_combine(Welford a, Welford b)
{
    if (b.n == 0) return a;
    if (a.n == 0) return b;
    Welford c;
    c.n = a.n + b.n;
    float delta = b.mean - a.mean;
    float share = (float)b.n / (float)c.n;
    c.mean = a.mean + delta * share;
    c.m2 = a.m2 + b.m2 + delta * delta * share * a.n;
    return c;
}

__global__ void layer_norm(const float *x, const float *gamma, const float *beta, float *y, float eps, int width)
{
    __shared__ Welford partial[THREADS];
    int tid = threadIdx.x;
    const float *in = x + (int64_t)blockIdx.x * width;
    float *out = y + (int64_t)blockIdx.x * width;

    Welford mine = {0, 0.0f, 0.0f};
    for (int64_t k = tid; k < width; k += THREADS)
        welford_add(&mine, in[k]);
    partial[tid] = mine;

    for (int active = THREADS / 2; active >= 1; active /= 2) {
        __syncthreads();
        if (tid < active)
            partial[tid] = welford_combine(partial[tid], partial[tid + active]);
    }
    __syncthreads();

    float mean = partial[0].mean;
    float variance = partial[0].m2 / width;
    float rstd = 1.0f / sqrtf(variance + eps);
    for (int64_t k = tid; k < width; k += THREADS)
        out[k] = (in[k] - mean) * rstd * gamma[k] + beta[k];
}

extern "C" void launch(const float *x /* [height, width] */, const float *gamma /* [width] */, const float *beta /* [width] */, float *y /* [height, width] */, float eps, int height, int width, cudaStream_t stream = 0)
{
    layer_norm<<<height, THREADS, 0, stream>>>(x, gamma, beta, y, eps, width);
}
"""
)

INF, NAN = float("inf"), float("nan")


def broadcasts(launcher: Launcher) -> Iterator[Case]:
    """Multiply and add what is broadcast: exact in float, so that it is rounded once."""
    sides = ((1, 1, 1), (1, 5, 1), (2, 3, 5), (4, 4, 4), (3, 1, 33), (1, 300, 3), (2, 9, 4))
    for images, channels, pixels in (*sides, (5, 4, 64), (2, 33, 129), (7, 2, 1000)):
        n = images * channels * pixels
        x = (whole(-800, 801, n, n).float() / 8).reshape(images, channels, pixels)
        scale = whole(-64, 65, channels, n + 1).float() / 16
        shift = (whole(-999, 1000, images * pixels, n + 2).float() / 32).reshape(images, pixels)
        for block_size in (256, 96):
            for label, y, factor in (("small", x, scale), ("large", x * 128, scale * 2)):
                right = y.double() * factor.double()[None, :, None] + shift.double()[:, None, :]
                words = f"{images} x {channels} x {pixels}, block_size = {block_size}, {label}"
                yield Case(
                    words,
                    (y.half(), factor, shift),
                    (right,),
                    {"block_size": block_size},
                    dtypes=(torch.float16,),
                )


def casts(launcher: Launcher) -> Iterator[Case]:
    """Cast any bits, ties, NaNs with any bits, zeros of both signs, tiny and huge numbers."""
    nans = torch.tensor([0x7FC00000, 0x7F800001, 0x7FFFFFFF, -1, -0x7FFFFF, -0x400000])
    special = (INF, -INF, 0.0, -0.0, 3.4e38, -3.4e38, 1e-38, -1e-40, 1.0)
    for n in (1, 2, 3, 31, 383, 384, 385, 1000, 3001):
        bits, k = whole(-(2**31), 2**31, n, n), torch.arange(n)
        for label, numbers in (
            ("any bits", bits),
            ("usual", bits % 2**28 + 0x38000000),
            ("ties", (bits % 2**28 + 0x38000000) // 65536 * 65536 + 32768),
            ("subnormal", bits % 2**23 - (bits % 2) * 2**31),
            ("NaNs", nans[k % len(nans)]),
        ):
            x = numbers.int().view(torch.float32)
            right = (x.bfloat16().double(),)
            for offset in (0, (1, 2)) if n > 2 else (0,):
                words = f"n = {n:,}, {label}, from element {offset}"
                yield Case(words, (x,), right, dtypes=(torch.bfloat16,), offset=offset)
        x = torch.tensor([special[j % len(special)] for j in range(n)])
        right = (x.bfloat16().double(),)
        yield Case(f"n = {n:,}, special", (x,), right, dtypes=(torch.bfloat16,))


def gates(launcher: Launcher) -> Iterator[Case]:
    """Open gates for rows of odd and even length, with usual, small and large numbers."""
    sides = ((1, 1), (1, 2), (3, 1), (2, 7), (5, 32), (3, 255), (2, 256), (4, 257), (2, 1500))
    for tokens, width in sides:
        n = tokens * 2 * width
        x = (whole(-1000, 1001, n, n).float() / 125).reshape(tokens, 2, width)
        for label, y in (("usual", x), ("small", x / 256), ("large", x * 50)):
            y = y.half()
            a, b = y[:, 0].double(), y[:, 1].double()
            right = a / (1 + torch.exp(-a)) * b
            # Half a unit of what is a half, and what the float's own rounding leaves.
            half_unit = 2.0 ** (torch.frexp(right)[1].clamp(min=-13) - 12)
            slack = half_unit * (right != 0) + 2.0**-21 * (1 + a.abs()) * right.abs()
            yield Case(
                f"n_tokens = {tokens}, n_ff = {width:,}, {label}",
                (y,),
                (right,),
                dtypes=(torch.float16,),
                within=(slack,),
            )


def column_sums(launcher: Launcher) -> Iterator[Case]:
    """Add columns of short integers, also very many large ones."""
    sides = ((1, 1), (1, 33), (2, 5), (8, 32), (9, 31), (24, 40), (25, 64), (100, 3), (77, 130))
    for rows, cols in (*sides, (230_000, 1)):
        n = rows * cols
        x = whole(-(2**15), 2**15, n, n).reshape(rows, cols)
        for label, y in (("any", x), ("large", 32767 - x.abs() % 5)):
            if n > 100_000 and label == "any":
                continue
            words = f"rows = {rows:,}, cols = {cols}, {label}"
            right = (y.sum(0).double(),)
            options = {"dtypes": (torch.int64,), "quick": n > 100_000}
            yield Case(words, (y.short(),), right, **options)


def row_maxima(launcher: Launcher) -> Iterator[Case]:
    """Find the first of the largest of rows: of both signs, equal ones, infinities, NaNs."""
    sides = ((1, 1), (3, 2), (4, 31), (5, 32), (6, 33), (1, 100), (9, 64), (7, 500))
    for rows, cols in (*sides, (2, 70_000)):
        n = rows * cols
        x = whole(-(10**6), 10**6, n, n).float().reshape(rows, cols) / 16
        few, k = whole(1, 4, n, n + 1).float().reshape(rows, cols), torch.arange(cols)
        for label, y in (
            ("any", x),
            ("negative", -x.abs() - 1),
            ("rising", x.sort(dim=1)[0]),
            ("falling", x.sort(dim=1, descending=True)[0]),
            ("equal ones", few),
            ("minus infinity", x * 0 - INF),
            ("NaNs", torch.where(k % 41 == cols // 2 % 41, NAN, x)),
        ):
            if cols > 1000 and label in ("negative", "equal ones"):
                continue
            top = y.max(dim=1, keepdim=True)[0]
            is_best = torch.where(top.isnan(), y.isnan(), y == top)
            place = torch.where(is_best, k, cols).min(dim=1)[0]
            right = (top.reshape(-1).double(), place.double())
            words = f"rows = {rows}, cols = {cols:,}, {label}"
            options = {"dtypes": (torch.float32, torch.int64), "quick": n > 100_000}
            yield Case(words, (y,), right, **options)


def batches(launcher: Launcher) -> Iterator[Case]:
    """Transpose batches of matrices of many sides; after another batch, too."""
    sides = (
        (1, 1, 1),
        (1, 16, 16),
        (3, 16, 16),
        (1, 5, 20),
        (2, 20, 5),
        (9, 3, 2),
        (2, 31, 17),
    )
    for count, height, width in (*sides, (4, 33, 50), (1, 100, 70), (130, 1, 3)):
        n = count * height * width
        x, before = (
            whole(0, 256, n, n + k).to(torch.uint8).reshape(count, height, width)
            for k in range(2)
        )
        right = (x.transpose(1, 2).contiguous().double(),)
        words = f"count = {count}, height = {height}, width = {width}"
        yield Case(words, (x,), right, dtypes=(torch.uint8,))
        options = {"dtypes": (torch.uint8,), "before": (before,)}
        yield Case(f"{words}, a second call", (x,), right, **options)


def products(launcher: Launcher) -> Iterator[Case]:
    """Multiply small whole numbers: all is exact. Without beta, what stood in C is nothing."""
    sides = ((1, 1, 1), (2, 3, 4), (16, 16, 16), (5, 40, 17), (40, 5, 33), (33, 33, 15))
    for m, n, k in (*sides, (49, 20, 16), (100, 7, 50), (17, 65, 130)):
        a, b = whole(-9, 10, k * m, m + n).float(), whole(-9, 10, k * n, m + k).float()
        c = whole(-99, 100, m * n, n + k).float().reshape(m, n)
        a, b = a.reshape(k, m), b.reshape(k, n)
        product = a.double().T @ b.double()
        large = (a.abs() + 20).double().T @ (b.abs() + 20).double()
        unset = torch.where(c > 0, NAN, torch.where(c < -50, INF, c))
        for label, x, y, z, ab in (
            ("small", a, b, c, product),
            ("large", a.abs() + 20, b.abs() + 20, c, large),
            ("C0 not set", a, b, unset, product),
        ):
            for alpha, beta in ((1.0, 0.0), (0.5, 2.0), (-2.0, 1.0)):
                if label == "C0 not set" and beta:
                    continue
                right = alpha * ab + (beta * z.double() if beta else 0.0)
                scalars = {"ALPHA": alpha, "BETA": beta}
                words = f"M = {m}, N = {n}, K = {k}, {scalars}, {label}"
                inputs = (x.half(), y.half(), z)
                yield Case(words, inputs, (right,), scalars, dtypes=(torch.float32,))


def attentions(launcher: Launcher) -> Iterator[Case]:
    """Weigh keys for queries: as many of both, more and fewer; small, large and strange."""
    sides = (
        (1, 1, 1),
        (2, 3, 3),
        (1, 1, 40),
        (3, 4, 33),
        (2, 5, 128),
        (1, 7, 3),
        (2, 140, 129),
    )
    for heads, queries, keys in (*sides, (1, 2, 500), (1, 1, 13_000)):
        n = heads * queries * keys
        x = whole(-1000, 1001, n, n).float().reshape(heads, queries, keys) / 8
        k = torch.arange(keys)
        seen = k <= torch.arange(queries)[:, None] + (keys - queries)
        for label, y in (
            ("usual", x / 32),
            ("large", x * 8),
            ("far below 0", x / 32 - 300),
            ("rising", x.sort(dim=2)[0] / 16),
            ("with -inf", torch.where(k % 5 == 3, -INF, x / 32)),
        ):
            for scale in (1.0, 0.125, 2.0) if keys < 1000 else (1.0,):
                z = (y.double() * scale).masked_fill(~seen, -INF)
                right = torch.softmax(z, dim=2)
                right = torch.where(seen.any(dim=1, keepdim=True), right, 0.0)
                words = f"n_head = {heads}, n_q = {queries}, n_kv = {keys:,}, {scale}, {label}"
                options = {
                    "dtypes": (torch.float32,),
                    "ulp": 24,
                    "within": (torch.full_like(right, 1e-42),),
                    "quick": n > 10_000,
                }
                yield Case(words, (y,), (right,), {"scale": scale}, **options)


def log_softmaxes(launcher: Launcher) -> Iterator[Case]:
    """Take rows shorter and longer than a warp: usual, wide, huge, rising, and with -inf."""
    for rows, cols in ((1, 1), (2, 2), (3, 5), (4, 32), (5, 33), (3, 64), (2, 257), (3, 1000)):
        n = rows * cols
        x = whole(-1000, 1001, n, n).float().reshape(rows, cols) / 64
        for label, y in (
            ("usual", x),
            ("wide", x * 16),
            ("far below 0", x - 1000),
            ("huge", x * 2.0**116),
            ("rising", x.sort(dim=1)[0] * 2),
            ("equal", x * 0 + 3),
            ("with -inf", torch.where(torch.arange(cols) % 3 == 1, -INF, x)),
        ):
            right = torch.log_softmax(y.double(), dim=1)
            slack = 2.0**-20 + 2.0**-21 * right.abs().nan_to_num(posinf=0.0)
            words = f"N = {rows}, V = {cols:,}, {label}"
            yield Case(words, (y,), (right,), dtypes=(torch.float32,), within=(slack,), ulp=2)


def residual_norms(launcher: Launcher) -> Iterator[Case]:
    """Add and normalize: usual and small numbers, zeros, several epsilons."""
    for rows, cols in (
        (1, 1),
        (2, 2),
        (3, 31),
        (5, 127),
        (2, 128),
        (3, 129),
        (1, 600),
        (90, 7),
    ):
        n = rows * cols
        x, r = (whole(-200, 201, n, n + k).float().reshape(rows, cols) / 16 for k in range(2))
        weight = whole(-64, 65, cols, n + 2).float() / 32
        for label, size in (("usual", 1.0), ("small", 2.0**-12), ("zeros", 0.0)):
            for epsilon in (2.0**-16, 0.25):
                inputs = ((x * size).bfloat16(), (r * size).bfloat16(), weight.bfloat16())
                a, b, w = (y.double() for y in inputs)
                z = (a + b).bfloat16().double()
                mean = z.square().mean(dim=1, keepdim=True)
                right = z / (mean + epsilon).sqrt() * w
                words = f"tokens = {rows}, hidden = {cols}, epsilon = {epsilon}, {label}"
                yield Case(
                    words,
                    inputs,
                    (right, z),
                    {"epsilon": epsilon},
                    dtypes=(torch.bfloat16,) * 2,
                    within=(2.0**-8 * right.abs(), torch.zeros_like(z)),
                )


def layer_norms(launcher: Launcher) -> Iterator[Case]:
    """Normalize rows: about 0, far from 0, small, equal numbers."""
    for rows, cols in ((1, 1), (2, 2), (3, 31), (5, 64), (2, 65), (3, 100), (2, 128), (3, 777)):
        n = rows * cols
        x = whole(-1000, 1001, n, n).float().reshape(rows, cols) / 256
        gamma, beta = (whole(-99, 100, cols, n + k).float() / 32 for k in (1, 2))
        for label, y in (
            ("usual", x),
            ("rising", x.sort(dim=1)[0]),
            ("far from 0", x + 3000),
            ("small", x / 2**14),
            ("equal", x * 0 + 5),
        ):
            for eps in (2.0**-17, 0.125):
                z = y.double()
                mean = z.mean(dim=1, keepdim=True)
                rstd = 1 / (z.var(dim=1, correction=0, keepdim=True) + eps).sqrt()
                normed = (z - mean) * rstd * gamma
                far = z.abs().amax(dim=1, keepdim=True) * rstd * gamma.abs()
                slack = 2.0**-20 * (normed.abs() + beta.abs()) + 2.0**-21 * far
                words = f"height = {rows}, width = {cols}, eps = {eps}, {label}"
                options = {"dtypes": (torch.float32,), "within": (slack,)}
                yield Case(words, (y, gamma, beta), (normed + beta,), {"eps": eps}, **options)


BASES = {
    "xxxix_bcast": Base(BCAST, {"cases": broadcasts}),
    "xxxix_tobf": Base(TOBF, {"cases": casts}),
    "xxxix_glu": Base(GLU, {"cases": gates}),
    "xxxix_colsum": Base(COLSUM, {"cases": column_sums}),
    "xxxix_rowmax": Base(ROWMAX, {"cases": row_maxima}),
    "xxxix_btrans": Base(BTRANS, {"cases": batches}),
    "xxxix_gemm": Base(GEMM, {"cases": products}),
    "xxxix_causal": Base(CAUSAL, {"cases": attentions}),
    "xxxix_logsm": Base(LOGSM, {"cases": log_softmaxes}),
    "xxxix_addrms": Base(ADDRMS, {"cases": residual_norms}),
    "xxxix_welford": Base(WELFORD, {"cases": layer_norms}),
}

WRONG = (
    # ---- a product and a sum with what is broadcast
    # The first axis is taken to be the fastest, as in Fortran.
    Wrong(
        "xxxix_bcast_fortran_order",
        "xxxix_bcast",
        "other element / sides / function | numbers / swapped",
        ("for (int axis = 2; axis >= 0; --axis)", "for (int axis = 0; axis < 3; ++axis)"),
    ),
    # The stride of an image is the other side.
    Wrong(
        "xxxix_bcast_stride",
        "xxxix_bcast",
        "sides / bounds / other element | numbers / function",
        ("shift_strides = {{pixels, 0, 1}};", "shift_strides = {{channels, 0, 1}};"),
    ),
    # In half.
    Wrong(
        "xxxix_bcast_in_half",
        "xxxix_bcast",
        "rounding / precision | numbers / infinity / narrow",
        (
            "__float2half(__half2float(x[i]) * factor + term);",
            "__hadd(__hmul(x[i], __float2half(factor)), __float2half(term));",
        ),
    ),
    # The grid is limited, and there is no loop.
    Wrong(
        "xxxix_bcast_no_loop",
        "xxxix_bcast",
        "unwritten / grid / tail / left out | block size",
        (
            "for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < size; i += gridDim.x * (int64_t)blockDim.x) {",
            "int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;\n    if (i < size) {",
        ),
    ),
    # A place in 32 bits.
    Wrong(
        "xxxix_bcast_int",
        "xxxix_bcast",
        "narrow | bounds / other element / timeout / twice / left out / unwritten",
        (
            "for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < size; i += gridDim.x * (int64_t)blockDim.x) {",
            "for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += gridDim.x * blockDim.x) {",
        ),
    ),
    # ---- a cast to bfloat16
    # The upper bits as they are.
    Wrong(
        "xxxix_tobf_upper_bits",
        "xxxix_tobf",
        "rounding | numbers / precision / infinity",
        ("return (bits + 0x7fffu + lsb) >> 16;", "return bits >> 16;"),
    ),
    # Ties away from zero.
    Wrong(
        "xxxix_tobf_ties",
        "xxxix_tobf",
        "rounding | numbers",
        ("(bits + 0x7fffu + lsb) >> 16;", "(bits + 0x8000u) >> 16;"),
    ),
    # A NaN is rounded as numbers are: to an infinity, or to -0.0.
    Wrong(
        "xxxix_tobf_rounds_nan",
        "xxxix_tobf",
        "nan | numbers / infinity / sign of zero",
        ("  if ((bits & 0x7fffffffu) > 0x7f800000u) return 0x7fffu;\n", ""),
    ),
    # Subnormal numbers become zeros with their signs.
    Wrong(
        "xxxix_tobf_flushes",
        "xxxix_tobf",
        "subnormal | numbers / sign of zero",
        (
            "  const uint32_t lsb =",
            "  if ((bits & 0x7f800000u) == 0) return (bits >> 16) & 0x8000u;\n  const uint32_t lsb =",
        ),
    ),
    # Zero is handled first, whatever its sign.
    Wrong(
        "xxxix_tobf_plain_zero",
        "xxxix_tobf",
        "sign of zero | numbers",
        (
            "  const uint32_t lsb =",
            "  if (value == 0.0f) return 0u;\n  const uint32_t lsb =",
        ),
    ),
    # The odd one has a thread, but no block.
    Wrong(
        "xxxix_tobf_pairs_only",
        "xxxix_tobf",
        "tail / unwritten / grid / refused | left out",
        ("threads_needed = (n + 1) / 2;", "threads_needed = n / 2;"),
    ),
    # ---- a gated activation
    # The other half of the row is the gate.
    Wrong(
        "xxxix_glu_other_gate",
        "xxxix_glu",
        "swapped / function | numbers / other element",
        (
            "silu(__half2float(gate[i])) * __half2float(up[i])",
            "__half2float(gate[i]) * silu(__half2float(up[i]))",
        ),
    ),
    # Gates and values in turn, as another model has them.
    Wrong(
        "xxxix_glu_in_turn",
        "xxxix_glu",
        "other element / neighbour / function / sides | numbers / swapped",
        (
            "silu(__half2float(gate[i])) * __half2float(up[i])",
            "silu(__half2float(gate[2 * i])) * __half2float(gate[2 * i + 1])",
        ),
    ),
    # Another form of the sigmoid, which overflows.
    Wrong(
        "xxxix_glu_exp_above",
        "xxxix_glu",
        "nan / infinity | numbers / function",
        (
            "    return x / (1.0f + expf(-x));\n",
            "    return x * (expf(x) / (expf(x) + 1.0f));\n",
        ),
    ),
    # The activation is a half before the product.
    Wrong(
        "xxxix_glu_rounded_twice",
        "xxxix_glu",
        "rounding / precision / subnormal / narrow | numbers",
        (
            "silu(__half2float(gate[i])) * __half2float(up[i])",
            "__half2float(__float2half(silu(__half2float(gate[i])))) * __half2float(up[i])",
        ),
    ),
    # A thread an element, in one block.
    Wrong(
        "xxxix_glu_large_block",
        "xxxix_glu",
        "refused / block size | unwritten / grid",
        ("block_dims(min_int(n_ff, 256));", "block_dims(n_ff);"),
    ),
    # Two at a time, also where the second half of a row begins at an odd element.
    Wrong(
        "xxxix_glu_pairs",
        "xxxix_glu",
        "alignment",
        (
            "    for (int64_t i = threadIdx.x; i < n_ff; i += blockDim.x) {\n        row[i] = __float2half(silu(__half2float(gate[i])) * __half2float(up[i]));\n    }\n",
            "    for (int64_t i = threadIdx.x; i < n_ff / 2; i += blockDim.x) {\n        const float2 g = __half22float2(((const half2 *) gate)[i]);\n        const float2 u = __half22float2(((const half2 *) up)[i]);\n        ((half2 *) row)[i] = __floats2half2_rn(silu(g.x) * u.x, silu(g.y) * u.y);\n    }\n    if (n_ff % 2 && threadIdx.x == 0) {\n        row[n_ff - 1] = __float2half(silu(__half2float(gate[n_ff - 1])) * __half2float(up[n_ff - 1]));\n    }\n",
        ),
        (
            "const half * src /* [n_tokens, 2, n_ff] */",
            "const half * src /* [n_tokens, 2, n_ff] 4-byte aligned */",
        ),
        (
            "half * dst /* [n_tokens, n_ff] */",
            "half * dst /* [n_tokens, n_ff] 4-byte aligned */",
        ),
    ),
    # ---- sums of columns
    # The zeros are set on another stream.
    Wrong(
        "xxxix_colsum_memset_stream",
        "xxxix_colsum",
        "stream | race / zero before / start / state",
        ("cols * sizeof(int64_t), stream);", "cols * sizeof(int64_t), 0);"),
    ),
    # The own sum is added once more.
    Wrong(
        "xxxix_colsum_own_again",
        "xxxix_colsum",
        "twice | start / numbers / function",
        ("for (int k = 1; k < BY; k++)", "for (int k = 0; k < BY; k++)"),
    ),
    # A sum of 32 bits.
    Wrong(
        "xxxix_colsum_int",
        "xxxix_colsum",
        "narrow / whole range / infinity | numbers",
        ("    long long sum = 0;", "    int sum = 0;"),
    ),
    # The tile's sides change places.
    Wrong(
        "xxxix_colsum_tile_sides",
        "xxxix_colsum",
        "bounds | sides / race / left out / twice / numbers",
        ("    part[ty][tx] = sum;", "    part[tx][ty] = sum;"),
        ("sum += part[k][tx];", "sum += part[tx][k];"),
    ),
    # As many blocks as the rows need.
    Wrong(
        "xxxix_colsum_blocks_of_rows",
        "xxxix_colsum",
        "left out / sides / grid / tail / unwritten | numbers / zero before / copy",
        ("((cols + BX - 1) / BX), 3);", "((rows + BX - 1) / BX), 3);"),
    ),
    # Blocks store their sums.
    Wrong(
        "xxxix_colsum_stores",
        "xxxix_colsum",
        "race / left out | numbers / zero before / other element",
        (
            "atomicAdd(&sums[col], (unsigned long long)sum);",
            "sums[col] += (unsigned long long)sum;",
        ),
    ),
    # ---- largest of rows
    # Who comes first in the tree wins.
    Wrong(
        "xxxix_rowmax_ties",
        "xxxix_rowmax",
        "other element / numbers | function / infinity / start",
        (
            "  if (a.value != b.value) return a.value > b.value;\n  return a.place < b.place;\n",
            "  return a.value > b.value;\n",
        ),
    ),
    # It starts with zero.
    Wrong(
        "xxxix_rowmax_zero",
        "xxxix_rowmax",
        "start | numbers / other element / copy / infinity",
        ("best{-INFINITY, INT32_MAX};", "best{0.0f, 0};"),
    ),
    # The place stays where the number came from.
    Wrong(
        "xxxix_rowmax_place_stays",
        "xxxix_rowmax",
        "other element / left out / race | numbers / function / infinity / start",
        ("__shfl_down_sync(0xffffffffu, best.place, delta);", "best.place;"),
    ),
    # A place of 16 bits.
    Wrong(
        "xxxix_rowmax_short_place",
        "xxxix_rowmax",
        "narrow / whole range / other element | numbers",
        ("  int place;\n", "  uint16_t place;\n"),
        ("best{-INFINITY, INT32_MAX};", "best{-INFINITY, UINT16_MAX};"),
        ("static_cast<int>(i)};", "static_cast<uint16_t>(i)};"),
    ),
    # ---- transposes
    # The next tile comes while this one is read.
    Wrong(
        "xxxix_btrans_one_barrier",
        "xxxix_btrans",
        "race | other element / numbers / twice / left out / unwritten",
        ("        __syncthreads();  // the tile is free\n", ""),
    ),
    # Rows as long as before.
    Wrong(
        "xxxix_btrans_pitch",
        "xxxix_btrans",
        "sides / bounds / other element / unwritten | race / left out / twice / numbers",
        ("to[x * height + y]", "to[x * width + y]"),
    ),
    # The sides change places in the test, too.
    Wrong(
        "xxxix_btrans_test",
        "xxxix_btrans",
        "sides / bounds / unwritten / tail | left out / other element / race / twice",
        (
            "if (y < height && x < width) to[x",
            "if (y < width && x < height) to[x",
        ),
    ),
    # The counter of tiles is not set back.
    Wrong(
        "xxxix_btrans_counter",
        "xxxix_btrans",
        "state | unwritten / left out / start / zero before",
        (
            "template <typename Element, unsigned Tile>\n",
            "__device__ unsigned long long next_tile = 0;\n\ntemplate <typename Element, unsigned Tile>\n",
        ),
        (
            "    for (int64_t t = blockIdx.x; t < tiles; t += gridDim.x) {\n",
            "    __shared__ int64_t mine;\n    for (;;) {\n        if (threadIdx.x == 0 && threadIdx.y == 0) mine = static_cast<int64_t>(atomicAdd(&next_tile, 1ull));\n        __syncthreads();\n        auto const t = mine;\n        if (t >= tiles) return;\n",
        ),
    ),
    # ---- a matrix product
    # A by rows of K.
    Wrong(
        "xxxix_gemm_not_transposed",
        "xxxix_gemm",
        "sides / other element / function | numbers / swapped",
        ("A[l * M + i0 + tx]", "A[(i0 + tx) * K + l]"),
    ),
    # Zero times what is not set.
    Wrong(
        "xxxix_gemm_beta_zero",
        "xxxix_gemm",
        "nan / infinity | numbers / function / zero before / start",
        (
            "            if (BETA == 0.0f)\n                C[i * N + j] = ALPHA * TEMP;\n            else\n                C[i",
            "            C[i",
        ),
    ),
    # The sum is a half.
    Wrong(
        "xxxix_gemm_half_sum",
        "xxxix_gemm",
        "precision / rounding / infinity / narrow | numbers / whole range",
        ("        float TEMP = 0.0f;\n", "        half TEMP = __float2half(0.0f);\n"),
        (
            "TEMP += As[p][ty] * Bs[p][tx];",
            "TEMP = __float2half(__half2float(TEMP) + As[p][ty] * Bs[p][tx]);",
        ),
        (
            "                C[i * N + j] = ALPHA * TEMP;",
            "                C[i * N + j] = ALPHA * __half2float(TEMP);",
        ),
        ("ALPHA * TEMP + BETA", "ALPHA * __half2float(TEMP) + BETA"),
    ),
    # Whole tiles only.
    Wrong(
        "xxxix_gemm_whole_tiles",
        "xxxix_gemm",
        "tail / left out | numbers / sides / function",
        ("l0 < K; l0 += NB)", "l0 + NB <= K; l0 += NB)"),
    ),
    # The sum goes on with the next rows.
    Wrong(
        "xxxix_gemm_sum_goes_on",
        "xxxix_gemm",
        "start / zero before / twice | numbers / state / other element / function",
        ("        float TEMP = 0.0f;\n", ""),
        (
            "    for (int64_t i0 = (int64_t)blockIdx.y",
            "    float TEMP = 0.0f;\n    for (int64_t i0 = (int64_t)blockIdx.y",
        ),
    ),
    # ---- causal softmax
    # A query does not see its own key.
    Wrong(
        "xxxix_causal_strict",
        "xxxix_causal",
        "left out / neighbour / function / tail | numbers / unwritten / other element",
        ("row % n_q + 1 + (", "row % n_q + ("),
    ),
    # As if there were as many keys as queries.
    Wrong(
        "xxxix_causal_no_past",
        "xxxix_causal",
        "left out / sides / function | numbers",
        ("row % n_q + 1 + ((int64_t) n_kv - n_q);", "row % n_q + 1;"),
        (
            "        if (n_seen < 0) n_seen = 0;\n",
            "        if (n_seen > n_kv) n_seen = n_kv;\n",
        ),
    ),
    # The largest is not scaled.
    Wrong(
        "xxxix_causal_unscaled_max",
        "xxxix_causal",
        "nan / infinity / numbers / precision / subnormal | function / left out",
        ("fmaxf(max_val, s[k] * scale);", "fmaxf(max_val, s[k]);"),
    ),
    # What is not seen is not written.
    Wrong(
        "xxxix_causal_unwritten",
        "xxxix_causal",
        "unwritten | left out / zero before / state / tail",
        (
            "            p[k] = k < n_seen ? expf(s[k] * scale - max_val) / sum : 0.0f;\n",
            "            if (k < n_seen) p[k] = expf(s[k] * scale - max_val) / sum;\n",
        ),
    ),
    # The exponentials stay in shared memory, however long a row is.
    Wrong(
        "xxxix_causal_shared_row",
        "xxxix_causal",
        "refused | unwritten / bounds",
        (
            "    for (int64_t row = blockIdx.x; row",
            "    extern __shared__ float exps[];\n    for (int64_t row = blockIdx.x; row",
        ),
        (
            "sum += expf(s[k] * scale - max_val);",
            "sum += exps[k] = expf(s[k] * scale - max_val);",
        ),
        ("expf(s[k] * scale - max_val) / sum", "exps[k] / sum"),
        (
            "<<<n_blocks, NTHREADS, 0, stream>>>",
            "<<<n_blocks, NTHREADS, n_kv * sizeof(float), stream>>>",
        ),
    ),
    # ---- log-softmax
    # The logarithm of the softmax.
    Wrong(
        "xxxix_logsm_of_softmax",
        "xxxix_logsm",
        "infinity / precision / numbers / subnormal | function / rounding",
        ("y[elem] = (x[elem] - md.m) - log_d;", "y[elem] = logf(expf(x[elem] - md.m) / md.d);"),
        ("    const float log_d = logf(md.d);\n", ""),
    ),
    # The sum so far is not scaled to the new largest.
    Wrong(
        "xxxix_logsm_no_rescale",
        "xxxix_logsm",
        "function / numbers / left out | precision / infinity",
        ("a.d * expf(a.m - m_new) + expf(x - m_new)", "a.d + expf(x - m_new)"),
    ),
    # Lanes without an element have the true lowest number.
    Wrong(
        "xxxix_logsm_minus_infinity",
        "xxxix_logsm",
        "nan / start / infinity | numbers / sides / race",
        ("md{-FLT_MAX, 0.0f};", "md{-INFINITY, 0.0f};"),
    ),
    # Only the first lane has the sum.
    Wrong(
        "xxxix_logsm_down",
        "xxxix_logsm",
        "left out / other element / race / function | numbers / twice",
        (
            "__shfl_xor_sync(0xffffffff, md.m, offset);",
            "__shfl_down_sync(0xffffffff, md.m, offset);",
        ),
        (
            "__shfl_xor_sync(0xffffffff, md.d, offset);",
            "__shfl_down_sync(0xffffffff, md.d, offset);",
        ),
    ),
    # ---- residual and RMS norm
    # A parenthesis too early.
    Wrong(
        "xxxix_addrms_epsilon_last",
        "xxxix_addrms",
        "function / numbers / nan / infinity | precision",
        ("rsqrtf(squares[0] / hidden + epsilon);", "rsqrtf(squares[0] / hidden) + epsilon;"),
    ),
    # The weight of the row.
    Wrong(
        "xxxix_addrms_row_weight",
        "xxxix_addrms",
        "other element / bounds / sides | numbers / function",
        ("__bfloat162float(weight[i])", "__bfloat162float(weight[blockIdx.x])"),
    ),
    # In place, as the function that it came from.
    Wrong(
        "xxxix_addrms_in_place",
        "xxxix_addrms",
        "input / unwritten",
        (
            "    new_residual[base + i] = z;\n",
            "    const_cast<bf16*>(residual)[base + i] = z;\n",
        ),
        ("__bfloat162float(new_residual[base + i]);", "__bfloat162float(residual[base + i]);"),
    ),
    # An unsigned number is never below 0.
    Wrong(
        "xxxix_addrms_endless",
        "xxxix_addrms",
        "timeout",
        ("step > 0; step >>= 1)", "step >= 0; step >>= 1)"),
    ),
    # The sums are read before the last is there.
    Wrong(
        "xxxix_addrms_no_barrier",
        "xxxix_addrms",
        "race | numbers / start / unwritten / zero before / nan / state",
        (
            "epsilon);\n  }\n  __syncthreads();\n",
            "epsilon);\n  }\n",
        ),
    ),
    # ---- layer norm
    # The variance of a sample.
    Wrong(
        "xxxix_welford_bessel",
        "xxxix_welford",
        "function | numbers / nan / infinity / precision",
        ("partial[0].m2 / width;", "partial[0].m2 / (width - 1);"),
    ),
    # The distance from the old mean, twice.
    Wrong(
        "xxxix_welford_old_mean",
        "xxxix_welford",
        "function / numbers | precision / twice",
        ("delta * (x - w->mean);", "delta * delta;"),
    ),
    # The mean of the squares minus the square of the mean.
    Wrong(
        "xxxix_welford_squares",
        "xxxix_welford",
        "precision | numbers / nan / infinity / rounding / function",
        (
            "    float delta = x - w->mean;\n    w->mean += delta / w->n;\n    w->m2 += delta * (x - w->mean);\n",
            "    w->mean += x;\n    w->m2 += x * x;\n",
        ),
        (
            "    float delta = b.mean - a.mean;\n    float share = (float)b.n / (float)c.n;\n    c.mean = a.mean + delta * share;\n    c.m2 = a.m2 + b.m2 + delta * delta * share * a.n;\n",
            "    c.mean = a.mean + b.mean;\n    c.m2 = a.m2 + b.m2;\n",
        ),
        ("mean = partial[0].mean;", "mean = partial[0].mean / width;"),
        ("partial[0].m2 / width;", "partial[0].m2 / width - mean * mean;"),
    ),
    # Integers are divided.
    Wrong(
        "xxxix_welford_integer_share",
        "xxxix_welford",
        "function / left out / rounding / numbers | precision",
        ("(float)b.n / (float)c.n;", "b.n / c.n;"),
    ),
)

RIGHT = (
    # Fused, from the last one on, and without a division where nothing is broadcast.
    Right(
        "xxxix_bcast_backwards",
        "xxxix_bcast",
        (
            "for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < size; i += gridDim.x * (int64_t)blockDim.x) {",
            "for (int64_t i = size - 1 - (blockIdx.x * (int64_t)blockDim.x + threadIdx.x); i >= 0; i -= gridDim.x * (int64_t)blockDim.x) {",
        ),
        (
            "        place += flat % shape",
            "        if (strides.step[axis]) place += flat % shape",
        ),
        ("__half2float(x[i]) * factor + term", "fmaf(factor, __half2float(x[i]), term)"),
        ("blocks < 24 ? blocks : 24", "blocks < 5 ? blocks : 5"),
    ),
    # A NaN keeps its sign and its upper bits; the halves of the remainder decide.
    Right(
        "xxxix_tobf_by_remainder",
        "xxxix_tobf",
        ("return 0x7fffu;", "return (bits >> 16) | 0x40u;"),
        (
            "  const uint32_t lsb = (bits >> 16) & 1u;\n  return (bits + 0x7fffu + lsb) >> 16;\n",
            "  const uint32_t kept = bits >> 16, rest = bits & 0xffffu;\n  return kept + (rest > 0x8000u || (rest == 0x8000u && (kept & 1u)));\n",
        ),
        ("(threads_needed + 191) / 192", "threads_needed / 192 + 2"),
    ),
    # The exponential is never above 1.
    Right(
        "xxxix_glu_two_branches",
        "xxxix_glu",
        (
            "    return x / (1.0f + expf(-x));\n",
            "    const float e = expf(-fabsf(x));\n    return (x >= 0.0f ? x : x * e) / (1.0f + e);\n",
        ),
        ("i < n_ff; i += blockDim.x)", "i < n_ff; i += (blockDim.x + 31) / 32 * 32)"),
        ("min_int(n_ff, 256)", "64"),
    ),
    # Each thread adds its own sum to the total.
    Right(
        "xxxix_colsum_each_adds",
        "xxxix_colsum",
        (
            "    part[ty][tx] = sum;\n    __syncthreads();\n",
            "    if (col < cols && sum != 0)\n        atomicAdd(&sums[col], (unsigned long long)sum);\n",
        ),
        (
            "    if (ty == 0 && col < cols)\n    {\n        for (int k = 1; k < BY; k++)\n            sum += part[k][tx];\n        atomicAdd(&sums[col], (unsigned long long)sum);\n    }\n",
            "",
        ),
        ("    __shared__ long long part[BY][BX];\n", ""),
        ("    // the first row of threads adds the other rows\n", ""),
        ("#define BY 8", "#define BY 3"),
    ),
    # A tree over the rows of threads, and the sums as two's complement.
    Right(
        "xxxix_colsum_tree",
        "xxxix_colsum",
        (
            "    // the first row of threads adds the other rows\n    if (ty == 0 && col < cols)\n    {\n        for (int k = 1; k < BY; k++)\n            sum += part[k][tx];\n        atomicAdd(&sums[col], (unsigned long long)sum);\n    }\n",
            "    for (int k = BY / 2; k > 0; k /= 2)\n    {\n        if (ty < k)\n            part[ty][tx] += part[ty + k][tx];\n        __syncthreads();\n    }\n    if (ty == BY - 1 && col < cols)\n        atomicAdd(&sums[col], (unsigned long long)part[0][tx]);\n",
        ),
        ("#define BY 8", "#define BY 16"),
        ("((cols + BX - 1) / BX), 3);", "(cols / BX + 1), 2);"),
    ),
    # One integer of 64 bits holds the order and the place; the number is read again.
    Right(
        "xxxix_rowmax_keys",
        "xxxix_rowmax",
        (
            "struct Candidate {\n  float value;\n  int place;\n};\n",
            "using Key = unsigned long long;\n\n__device__ __forceinline__ Key key_of(float value, int64_t place) {\n  const uint32_t bits = __float_as_uint(value + 0.0f);\n  const uint32_t order = isnan(value) ? ~0u : bits >> 31 ? ~bits : bits | 0x80000000u;\n  return (static_cast<Key>(order) << 32) | (0xffffffffu - static_cast<uint32_t>(place));\n}\n",
        ),
        (
            "__device__ __forceinline__ bool wins(const Candidate& a, const Candidate& b) {\n  if (isnan(a.value) || isnan(b.value)) {\n    if (!isnan(b.value)) return true;\n    return isnan(a.value) && a.place < b.place;\n  }\n  if (a.value != b.value) return a.value > b.value;\n  return a.place < b.place;\n}\n\n",
            "",
        ),
        (
            "  Candidate best{-INFINITY, INT32_MAX};\n",
            "  Key best = 0;\n",
        ),
        (
            "    const Candidate next{own[i], static_cast<int>(i)};\n    if (wins(next, best)) best = next;\n",
            "    best = max(best, key_of(own[i], i));\n",
        ),
        (
            "    Candidate other;\n    other.value = __shfl_down_sync(0xffffffffu, best.value, delta);\n    other.place = __shfl_down_sync(0xffffffffu, best.place, delta);\n    if (wins(other, best)) best = other;\n",
            "    best = max(best, __shfl_xor_sync(0xffffffffu, best, delta));\n",
        ),
        (
            "  if (threadIdx.x == 0) {\n    values[row] = best.value;\n    places[row] = best.place;\n  }\n",
            "  if (threadIdx.x == 31) {\n    const uint32_t place = 0xffffffffu - static_cast<uint32_t>(best);\n    values[row] = best ? own[place] : -INFINITY;\n    places[row] = best ? place : INT32_MAX;\n  }\n",
        ),
    ),
    # Tiles by a counter, which each call sets to 0.
    Right(
        "xxxix_btrans_counter_reset",
        "xxxix_btrans",
        (
            "template <typename Element, unsigned Tile>\n",
            "__device__ unsigned long long next_tile = 0;\n\n__global__ void reset_counter() { next_tile = 0; }\n\ntemplate <typename Element, unsigned Tile>\n",
        ),
        (
            "    for (int64_t t = blockIdx.x; t < tiles; t += gridDim.x) {\n",
            "    __shared__ int64_t mine;\n    for (;;) {\n        if (threadIdx.x == 0 && threadIdx.y == 0) mine = static_cast<int64_t>(atomicAdd(&next_tile, 1ull));\n        __syncthreads();\n        auto const t = mine;\n        if (t >= tiles) return;\n",
        ),
        (
            "    transpose_all<uint8_t, tile><<<6,",
            "    reset_counter<<<1, 1, 0, stream>>>();\n    transpose_all<uint8_t, tile><<<6,",
        ),
    ),
    # In double, from the last tile of K to the first.
    Right(
        "xxxix_gemm_backwards",
        "xxxix_gemm",
        ("float TEMP = 0.0f;", "double TEMP = 0.0;"),
        (
            "for (int64_t l0 = 0; l0 < K; l0 += NB)",
            "for (int64_t l0 = ((int64_t)K - 1) / NB * NB; l0 >= 0; l0 -= NB)",
        ),
        ("TEMP += As[p][ty] * Bs[p][tx];", "TEMP += (double)As[p][ty] * Bs[p][tx];"),
        (
            "                C[i * N + j] = ALPHA * TEMP;",
            "                C[i * N + j] = (float)(ALPHA * TEMP);",
        ),
        (
            "ALPHA * TEMP + BETA * C0[i * N + j];",
            "(float)(ALPHA * TEMP + (double)BETA * C0[i * N + j]);",
        ),
    ),
    # The exponentials are in the output until they are divided; one warp.
    Right(
        "xxxix_causal_in_output",
        "xxxix_causal",
        ("#define NTHREADS 128", "#define NTHREADS 32"),
        (
            "sum += expf(s[k] * scale - max_val);",
            "sum += p[k] = expf(s[k] * scale - max_val);",
        ),
        (
            "            p[k] = k < n_seen ? expf(s[k] * scale - max_val) / sum : 0.0f;\n",
            "            p[k] = k >= n_seen ? 0.0f : p[k] / sum;\n",
        ),
        ("n_rows < 65535 ? n_rows : 65535", "n_rows < 3 ? n_rows : 3"),
    ),
    # Two passes: first the largest, then the sum.
    Right(
        "xxxix_logsm_two_passes",
        "xxxix_logsm",
        (
            "    for (int64_t elem = lane; elem < V; elem += 32)\n        md = push(md, x[elem]);\n",
            "    for (int64_t elem = lane; elem < V; elem += 32)\n        md.m = fmaxf(md.m, x[elem]);\n    for (int offset = 1; offset < 32; offset *= 2)\n        md.m = fmaxf(md.m, __shfl_xor_sync(0xffffffff, md.m, offset));\n    for (int64_t elem = lane; elem < V; elem += 32)\n        md.d += expf(x[elem] - md.m);\n",
        ),
        (
            "        MD other;\n        other.m = __shfl_xor_sync(0xffffffff, md.m, offset);\n        other.d = __shfl_xor_sync(0xffffffff, md.d, offset);\n        md = merge(md, other);\n",
            "        md.d += __shfl_xor_sync(0xffffffff, md.d, offset);\n",
        ),
        ("constexpr int warps = 2;", "constexpr int warps = 5;"),
    ),
    # Each thread adds all partial sums for itself, in double.
    Right(
        "xxxix_addrms_each_adds",
        "xxxix_addrms",
        ("  __shared__ float s_inv_rms;\n", ""),
        (
            "  for (unsigned step = kThreads / 2; step > 0; step >>= 1) {\n    if (threadIdx.x < step) squares[threadIdx.x] += squares[threadIdx.x + step];\n    __syncthreads();\n  }\n  if (threadIdx.x == 0) {\n    s_inv_rms = rsqrtf(squares[0] / hidden + epsilon);\n  }\n  __syncthreads();\n",
            "  double total = 0.0;\n  for (unsigned k = 0; k < kThreads; ++k) total += squares[(k + threadIdx.x) % kThreads];\n  const float rms = static_cast<float>(sqrt(total / hidden + epsilon));\n",
        ),
        (
            "f * s_inv_rms * __bfloat162float(weight[i])",
            "f / rms * __bfloat162float(weight[i])",
        ),
        ("kThreads = 128;", "kThreads = 48;"),
    ),
    # Two passes in double, in which each thread goes through the whole row.
    Right(
        "xxxix_welford_two_passes",
        "xxxix_welford",
        (
            "    for (int64_t k = tid; k < width; k += THREADS)\n        welford_add(&mine, in[k]);\n",
            "    double total = 0.0, squares = 0.0;\n    for (int64_t k = 0; k < width; k++)\n        total += in[k];\n    total /= width;\n    for (int64_t k = 0; k < width; k++)\n        squares += (in[k] - total) * (in[k] - total);\n    mine.n = 1;\n    mine.mean = (float)total;\n    mine.m2 = (float)squares;\n",
        ),
        (
            "            partial[tid] = welford_combine(partial[tid], partial[tid + active]);\n",
            "            partial[tid] = partial[tid + active];\n",
        ),
    ),
)
