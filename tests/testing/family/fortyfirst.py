"""Hold a forty-first family: residuals, samples, gates, sums, places, planes, products, norms.

Its styles are those of an inference engine, an audio library, a transformer library, a student,
a modernist, a port from Fortran, two chapters of books, a graphics programmer, a model's port
and a library author. The causes were written before a member was judged. On the emulator each
member ran beside PyTorch, compared as a case does, twice with other numbers in the outputs and
around all tensors. nvcc 13.0 compiles each for 8.0; none was run on a GPU. Bases and right ones
are right, and all wrong ones but three wrong, refused by a fault or for their launch, or
endless, some only so:

    xli_bias_pair_column       from 4 elements on, if there are several columns
    xli_bias_no_wrap           if the number of columns is odd, from 2 rows on
    xli_bias_half_steps        if a product or the first sum is no half
    xli_bias_grid_of_pairs     of 1 element, of 257, of 513 and so on
    xli_pcm_full_scale         unless the samples are near 0 or all outside of the range
    xli_pcm_half_up            of ties, each second one
    xli_pcm_limit_32768        of samples from 1 - 2^-16 on
    xli_pcm_nan_is_a_limit     of NaN
    xli_pcm_not_turned         if there are several channels and several frames
    xli_gated_take_turns       if d is 2 or more
    xli_gated_exp_overflows    of gates from 89 on
    xli_gated_rounded_between  if the activation is no bfloat16
    xli_gated_wide_block       if d is above 1,024
    xli_gated_two_at_once      if d is even and the address no multiple of 4
    xli_colsum_bytes           unless the outputs are zero before
    xli_colsum_last_block      unless the last block to write has all that counts
    xli_colsum_half            of a thread's sums that no half has
    xli_colsum_step            from 9 rows on
    xli_colsum_cleared_once    from the second call on, unless the outputs are zero before
    xli_rowmax_min             of rows without a NaN or a normal number above 0
    xli_rowmax_no_nan          if a NaN is there
    xli_rowmax_first_lane      of some rows in which several lanes have the largest
    xli_rowmax_own_place       unless the first lane has the largest
    xli_rowmax_as_int          of rows whose largest is finite and below 0
    xli_planes_square          from 2 planes on, if the sides differ
    xli_planes_deep_grid       from 65,536 planes on
    xli_planes_real            of numbers that no float has
    xli_planes_one_barrier     if a block has several tiles
    xli_planes_test_turned     if the sides differ
    xli_gemmtn_beta_0          if beta is 0 and C has a NaN or an infinity
    xli_gemmtn_rows_of_k       unless M or K is 1
    xli_gemmtn_half_sum        of sums that no half has
    xli_gemmtn_last_again      if K is no multiple of 16
    xli_gemmtn_grid_turned     if N needs more tiles of 16 than M
    xli_nodes_sixteen_threads  of blocks of fewer than 16 threads
    xli_nodes_one_more         if there are more threads than rows of matrices
    xli_nodes_thread_a_node    if the rows need more blocks than the nodes
    xli_causal_scratch_again   from 2 keys on
    xli_causal_hidden_kept     from 2 keys on, unless the outputs are zero before
    xli_causal_from_zero       if a row's scores are far below 0
    xli_causal_largest_first   of large scores, if the factor is not 1
    xli_causal_below_first     of fewer than 64 keys
    xli_causal_endless         of all numbers: it was ended after 25 seconds
    xli_rms_rounded_before     if the normed number is no bfloat16
    xli_rms_of_threads         of other widths than 128, unless epsilon is far larger
    xli_rms_eps_outside        unless epsilon is small beside the mean, or all is 0
    xli_welford_middle         if the width is no multiple of 32, unless all is equal
    xli_welford_sample         unless all of several numbers are equal
    xli_welford_nobody         of widths below 16
    xli_welford_own_moments    of several numbers in a row, unless all are equal
    xli_welford_squares        if the mean is far off 0

Three are right on the emulator, and wrong by reasoning:

    xli_bias_int               from 2^31 elements on
    xli_colsum_other_stream    on every stream but the default one
    xli_rms_no_wait            where warps run at once
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

# An inference engine's residual and bias in half, two numbers a thread.
BIAS = (
    HEADER
    + """\
namespace engine {

constexpr int kBlock = 128;

// out = x + alpha * res + bias, rounded once. Pairs run over the ends of rows, if cols is odd.
__global__ void add_residual_bias(const half2* x, const half2* res, const half* bias, half2* out, float alpha, int64_t total, int cols) {
  const int64_t pair = static_cast<int64_t>(blockIdx.x) * kBlock + threadIdx.x;
  const int64_t pairs = total / 2;
  const int c0 = static_cast<int>(2 * pair % cols);
  const int c1 = c0 + 1 < cols ? c0 + 1 : 0;
  if (pair < pairs) {
    const float2 v = __half22float2(x[pair]);
    const float2 r = __half22float2(res[pair]);
    out[pair] = __floats2half2_rn(v.x + alpha * r.x + __half2float(bias[c0]), v.y + alpha * r.y + __half2float(bias[c1]));
  } else if (pair == pairs && total % 2 != 0) {
    const half v = reinterpret_cast<const half*>(x)[total - 1];
    const half r = reinterpret_cast<const half*>(res)[total - 1];
    reinterpret_cast<half*>(out)[total - 1] = __float2half(__half2float(v) + alpha * __half2float(r) + __half2float(bias[cols - 1]));
  }
}

}  // namespace engine

extern "C" void launch(const half* x,     // [rows, cols] 4-byte aligned
                       const half* res,   // [rows, cols] 4-byte aligned
                       const half* bias,  // [cols]
                       half* out,         // [rows, cols] 4-byte aligned
                       float alpha, int rows, int cols, cudaStream_t stream = 0) {
  const int64_t total = static_cast<int64_t>(rows) * cols;
  const int64_t threads = total / 2 + total % 2;
  const int64_t blocks = (threads + engine::kBlock - 1) / engine::kBlock;
  engine::add_residual_bias<<<static_cast<unsigned>(blocks), engine::kBlock, 0, stream>>>(reinterpret_cast<const half2*>(x), reinterpret_cast<const half2*>(res), bias, reinterpret_cast<half2*>(out), alpha, total, cols);
}
"""
)

# An audio library's writer: planes of floats become frames of 16 bits.
PCM = (
    HEADER
    + """\
/* [-1, 1) is the whole range; what is outside is limited, and a NaN is silence. */
static __device__ int16_t pcm_sample(float v)
{
    v *= 32768.0f;
    if (v != v)
        return 0;
    if (v > 32767.0f)
        v = 32767.0f;
    if (v < -32768.0f)
        v = -32768.0f;
    return (int16_t)rintf(v);
}

__global__ void pcm_interleave(const float *planes, int16_t *frames, int nchan, int64_t nframes)
{
    const int64_t count = nframes * nchan;
    const int64_t hop = (int64_t)gridDim.x * blockDim.x;
    int64_t i;

    for (i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += hop) {
        const int64_t frame = i / nchan;
        const int64_t chan = i % nchan;
        frames[i] = pcm_sample(planes[chan * nframes + frame]);
    }
}

extern "C" void launch(const float *planes /* [nchan, nframes] */, int16_t *frames /* [nframes, nchan] */, int nchan, int64_t nframes, cudaStream_t stream = 0)
{
    pcm_interleave<<<6, 64, 0, stream>>>(planes, frames, nchan, nframes);
}
"""
)

# A transformer library's gated activation: the first half of a row opens for the second.
GATED = (
    HEADER
    + """\
namespace fused {

template <typename T>
struct Bits;

template <>
struct Bits<__nv_bfloat16> {
  static __device__ __forceinline__ float up(__nv_bfloat16 x) { return __bfloat162float(x); }
  static __device__ __forceinline__ __nv_bfloat16 down(float x) { return __float2bfloat16(x); }
};

// x / (1 + exp(-x)); the exponent is never above 0
__device__ __forceinline__ float silu(float x) {
  const float e = expf(-fabsf(x));
  return x * ((x < 0.0f ? e : 1.0f) / (1.0f + e));
}

template <typename T>
__global__ void silu_and_mul(T* __restrict__ out, const T* __restrict__ input, const int d) {
  const int64_t token = blockIdx.x;
  const T* const gate = input + token * 2 * d;
  const T* const value = gate + d;
  for (int64_t idx = threadIdx.x; idx < d; idx += blockDim.x) {
    const float x = Bits<T>::up(gate[idx]);
    const float y = Bits<T>::up(value[idx]);
    out[token * d + idx] = Bits<T>::down(silu(x) * y);
  }
}

}  // namespace fused

extern "C" void launch(__nv_bfloat16* out,          // [num_tokens, d]
                       const __nv_bfloat16* input,  // [num_tokens, 2, d]
                       int num_tokens, int d, cudaStream_t stream = 0) {
  const dim3 grid(num_tokens);
  const dim3 block(d < 256 ? d : 256);
  fused::silu_and_mul<__nv_bfloat16><<<grid, block, 0, stream>>>(out, input, d);
}
"""
)

# A student's sums of columns: a block has a few columns, four rows of blocks share the height.
COLSUM = (
    HEADER
    + """\
#define BX 32
#define BY 8

__global__ void colSum(const half *m, float *sums, int64_t rows, int64_t cols)
{
    __shared__ float part[BY][BX];
    int tx = threadIdx.x, ty = threadIdx.y;
    int64_t c = (int64_t)blockIdx.x * BX + tx;

    // every thread adds up its own rows
    float acc = 0.0f;
    if (c < cols)
    {
        for (int64_t r = (int64_t)blockIdx.y * BY + ty; r < rows; r += (int64_t)gridDim.y * BY)
            acc += __half2float(m[r * cols + c]);
    }
    part[ty][tx] = acc;
    __syncthreads();

    // the first row of threads adds up the block
    if (ty == 0 && c < cols)
    {
        float s = part[0][tx];
        for (int k = 1; k < BY; k++)
            s += part[k][tx];
        atomicAdd(&sums[c], s);
    }
}

extern "C" void launch(const half *m /* [rows, cols] */, float *sums /* [cols] */, int64_t rows, int64_t cols, cudaStream_t stream = 0)
{
    cudaMemsetAsync(sums, 0, cols * sizeof(float), stream);
    dim3 block(BX, BY);
    dim3 grid((unsigned)((cols + BX - 1) / BX), 4);
    colSum<<<grid, block, 0, stream>>>(m, sums, rows, cols);
}
"""
)

# A modernist's largest number of each row and its place: a warp a row.
ROWMAX = (
    HEADER
    + """\
#include <limits>

namespace best {

struct candidate {
    float value;
    int64_t place;

    // NaN is above all numbers; of equal ones the first counts.
    [[nodiscard]] __device__ auto beats(candidate const& other) const -> bool
    {
        auto const is_nan = value != value, other_is_nan = other.value != other.value;
        if (is_nan != other_is_nan) return is_nan;
        if (!is_nan && value != other.value) return value > other.value;
        return place < other.place;
    }
};

constexpr auto warp = 32;
constexpr auto warps = 4;
constexpr auto lowest = -std::numeric_limits<float>::infinity();
constexpr auto nowhere = std::numeric_limits<int64_t>::max();

__global__ void of_rows(float const* matrix, float* values, int64_t* places, int64_t rows, int64_t columns)
{
    auto const row = int64_t{blockIdx.x} * warps + threadIdx.y;
    if (row >= rows) return;  // the whole warp
    auto const* const numbers = matrix + row * columns;

    auto mine = candidate{lowest, nowhere};
    for (auto column = int64_t{threadIdx.x}; column < columns; column += warp) {
        auto const next = candidate{numbers[column], column};
        if (next.beats(mine)) mine = next;
    }
    for (auto step = warp / 2; step > 0; step /= 2) {
        auto const other = candidate{__shfl_xor_sync(0xffffffffu, mine.value, step), static_cast<int64_t>(__shfl_xor_sync(0xffffffffu, static_cast<long long>(mine.place), step))};
        if (other.beats(mine)) mine = other;
    }
    if (threadIdx.x == 0) {
        values[row] = mine.value;
        places[row] = mine.place;
    }
}

}  // namespace best

extern "C" void launch(float const* matrix /* [rows, columns] */, float* values /* [rows] */, int64_t* places /* [rows] */, int64_t rows, int64_t columns, cudaStream_t stream = 0)
{
    auto const blocks = static_cast<unsigned>((rows + best::warps - 1) / best::warps);
    best::of_rows<<<blocks, dim3{best::warp, best::warps}, 0, stream>>>(matrix, values, places, rows, columns);
}
"""
)

# A port of Fortran's transposes of planes, which lie by columns and count from 1.
PLANES = (
    HEADER
    + """\
/*
 *     DO L = 1, NP
 *        B(1:N,1:M,L) = TRANSPOSE(A(1:M,1:N,L))
 *     END DO
 *
 *     The first index is the fastest one: A is [np, n, m] in C, B is [np, m, n].
 */
#define NB 16
#define A(i, j, l) a[((l) - 1) * m * n + ((j) - 1) * m + (i) - 1]
#define B(i, j, l) b[((l) - 1) * m * n + ((j) - 1) * n + (i) - 1]

__global__ void xpose(const double *a, double *b, int64_t m, int64_t n, int64_t np)
{
    __shared__ double tile[NB][NB + 1];
    const int tx = threadIdx.x, ty = threadIdx.y;

    for (int64_t l = (int64_t) blockIdx.z + 1; l <= np; l += gridDim.z) {
        for (int64_t j0 = (int64_t) blockIdx.y * NB; j0 < n; j0 += (int64_t) gridDim.y * NB) {
            const int64_t i0 = (int64_t) blockIdx.x * NB;
            int64_t i = i0 + tx + 1, j = j0 + ty + 1;
            if (i <= m && j <= n)
                tile[ty][tx] = A(i, j, l);
            __syncthreads();
            i = i0 + ty + 1;
            j = j0 + tx + 1;
            if (i <= m && j <= n)
                B(j, i, l) = tile[tx][ty];
            __syncthreads();
        }
    }
}

extern "C" void launch(const double *a /* [np, n, m] */, double *b /* [np, m, n] */, int64_t m, int64_t n, int64_t np, cudaStream_t stream = 0)
{
    const int64_t down = (n + NB - 1) / NB;
    dim3 grid((unsigned) ((m + NB - 1) / NB), (unsigned) (down < 512 ? down : 512), (unsigned) (np < 1024 ? np : 1024));
    xpose<<<grid, dim3(NB, NB), 0, stream>>>(a, b, m, n, np);
}
"""
)

# A book's product as of BLAS, with the left side transposed and mixed precision.
GEMMTN = (
    HEADER
    + """\
#define TILE 16

// D = alpha * A^T * B + beta * C. If beta is 0, C may hold anything.
__global__ void GemmTN(const half* A, const half* B, const float* C, float* D, float alpha, float beta, int M, int N, int K)
{
    __shared__ float As[TILE][TILE];
    __shared__ float Bs[TILE][TILE];

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int64_t col = (int64_t)blockIdx.x * TILE + tx;

    for (int64_t row0 = (int64_t)blockIdx.y * TILE; row0 < M; row0 += (int64_t)gridDim.y * TILE)
    {
        const int64_t row = row0 + ty;
        float Dvalue = 0.0f;
        for (int64_t k0 = 0; k0 < K; k0 += TILE)
        {
            // A has K rows of M numbers: neighbours are loaded, and As is used down its columns.
            As[ty][tx] = k0 + ty < K && row0 + tx < M ? __half2float(A[(k0 + ty) * M + row0 + tx]) : 0.0f;
            Bs[ty][tx] = k0 + ty < K && col < N ? __half2float(B[(k0 + ty) * N + col]) : 0.0f;
            __syncthreads();
            for (int e = 0; e < TILE; ++e)
                Dvalue += As[e][ty] * Bs[e][tx];
            __syncthreads();
        }
        if (row < M && col < N)
        {
            float scaled = alpha * Dvalue;
            if (beta != 0.0f)
                scaled += beta * C[row * N + col];
            D[row * N + col] = scaled;
        }
    }
}

extern "C" void launch(const half* A /* [K, M] */, const half* B /* [K, N] */, const float* C /* [M, N] */, float* D /* [M, N] */, float alpha, float beta, int M, int N, int K, cudaStream_t stream = 0)
{
    const unsigned across = ((unsigned)N + TILE - 1) / TILE, down = ((unsigned)M + TILE - 1) / TILE;
    GemmTN<<<dim3(across, down < 2048 ? down : 2048), dim3(TILE, TILE), 0, stream>>>(A, B, C, D, alpha, beta, M, N, K);
}
"""
)

# A graphics programmer's world matrices: one parent times the local matrix of each node.
NODES = (
    HEADER
    + """\
// world[i] = parent * local[i], all of them row-major; a thread has one row
__global__ void UpdateWorldMatrices(const float* pParent, const float4* pLocal, float4* pWorld, int64_t nodeCount)
{
    __shared__ float parent[4][4];
    for (unsigned e = threadIdx.x; e < 16; e += blockDim.x)
        parent[e / 4][e % 4] = pParent[e];
    __syncthreads();

    const int64_t id = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= nodeCount * 4)
        return;
    const int64_t node = id / 4;
    const int r = (int)(id % 4);

    float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    for (int k = 0; k < 4; ++k)
    {
        const float4 row = pLocal[node * 4 + k];
        const float weight = parent[r][k];
        sum.x += weight * row.x;
        sum.y += weight * row.y;
        sum.z += weight * row.z;
        sum.w += weight * row.w;
    }
    pWorld[id] = sum;
}

extern "C" void launch(const float* pParent,  // [4, 4]
                       const float* pLocal,   // [nodeCount, 4, 4] 16-byte aligned
                       float* pWorld,         // [nodeCount, 4, 4] 16-byte aligned
                       int64_t nodeCount, int blockSize = 64, cudaStream_t stream = 0)
{
    const int64_t threadCount = nodeCount * 4;
    const int64_t blockCount = (threadCount + blockSize - 1) / blockSize;
    UpdateWorldMatrices<<<(unsigned)blockCount, blockSize, 0, stream>>>(pParent, (const float4*)pLocal, (float4*)pWorld, nodeCount);
}
"""
)

# A book's softmax of attention: a query sees the keys up to its own place.
CAUSAL = (
    HEADER
    + """\
constexpr int THREADS = 64;

// Every thread gets the result.
template <bool IS_MAX>
__device__ float blockReduce(float* scratch, float value)
{
    const int t = threadIdx.x;
    scratch[t] = value;
    __syncthreads();
    for (int half_way = THREADS / 2; half_way >= 1; half_way /= 2) {
        if (t < half_way) scratch[t] = IS_MAX ? fmaxf(scratch[t], scratch[t + half_way]) : scratch[t] + scratch[t + half_way];
        __syncthreads();
    }
    const float result = scratch[0];
    __syncthreads();  // before scratch is used again
    return result;
}

__global__ void causalSoftmax(const float* scores, float* probs, float scale, int heads, int length)
{
    __shared__ float scratch[THREADS];
    const int64_t rows = (int64_t)heads * length;

    for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
        const float* s = scores + row * length;
        float* p = probs + row * length;
        const int64_t query = row % length;

        float largest = -INFINITY;
        for (int64_t key = threadIdx.x; key <= query; key += THREADS) largest = fmaxf(largest, scale * s[key]);
        largest = blockReduce<true>(scratch, largest);

        float total = 0.0f;
        for (int64_t key = threadIdx.x; key <= query; key += THREADS) total += expf(scale * s[key] - largest);
        total = blockReduce<false>(scratch, total);

        for (int64_t key = threadIdx.x; key < length; key += THREADS) p[key] = key <= query ? expf(scale * s[key] - largest) / total : 0.0f;
    }
}

extern "C" void launch(const float* scores /* [heads, length, length] */, float* probs /* [heads, length, length] */, float scale, int heads, int length, cudaStream_t stream = 0)
{
    const int64_t rows = (int64_t)heads * length;
    causalSoftmax<<<(unsigned)(rows < 20000 ? rows : 20000), THREADS, 0, stream>>>(scores, probs, scale, heads, length);
}
"""
)

# A model port's RMS norm, whose weights are kept as the distance from 1.
RMS = (
    HEADER
    + """\
using bf16 = __nv_bfloat16;

constexpr int kNumThreads = 128;
constexpr int kNumWarps = kNumThreads / 32;

// y = x / sqrt(mean(x^2) + eps) * (1 + w), in float until the end
__global__ void rms_norm_plus_one(const bf16* __restrict__ x, const bf16* __restrict__ w, bf16* __restrict__ y, const float eps, const int hidden) {
  __shared__ float warp_sums[kNumWarps];
  __shared__ float inv_rms;

  const int64_t token = blockIdx.x;
  const bf16* x_row = x + token * hidden;
  bf16* y_row = y + token * hidden;

  float sq = 0.f;
  for (int64_t i = threadIdx.x; i < hidden; i += kNumThreads) {
    const float v = __bfloat162float(x_row[i]);
    sq += v * v;
  }
#pragma unroll
  for (int mask = 16; mask > 0; mask >>= 1) sq += __shfl_xor_sync(0xffffffffu, sq, mask);
  if (threadIdx.x % 32 == 0) warp_sums[threadIdx.x / 32] = sq;
  __syncthreads();

  if (threadIdx.x == 0) {
    float block_sum = 0.f;
    for (int i = 0; i < kNumWarps; ++i) block_sum += warp_sums[i];
    inv_rms = 1.f / sqrtf(block_sum / hidden + eps);
  }
  __syncthreads();

  for (int64_t i = threadIdx.x; i < hidden; i += kNumThreads) {
    const float normed = __bfloat162float(x_row[i]) * inv_rms;
    y_row[i] = __float2bfloat16(normed * (1.f + __bfloat162float(w[i])));
  }
}

extern "C" void launch(const bf16* x,  // [tokens, hidden]
                       const bf16* w,  // [hidden]
                       bf16* y,        // [tokens, hidden]
                       float eps, int tokens, int hidden, cudaStream_t stream = 0) {
  rms_norm_plus_one<<<tokens, kNumThreads, 0, stream>>>(x, w, y, eps, hidden);
}
"""
)

# A library author's layer norm after Welford, a warp a row, with weights only.
WELFORD = (
    HEADER
    + """\
namespace lnorm {

struct Moments {
  float count = 0.0f;
  float mean = 0.0f;
  float m2 = 0.0f;  // the sum of the squared distances from the mean

  __device__ void add(float x) {
    count += 1.0f;
    const float delta = x - mean;
    mean += delta / count;
    m2 += delta * (x - mean);
  }

  // After Chan, Golub and LeVeque.
  __device__ void merge(const Moments& other) {
    const float both = count + other.count;
    if (both == 0.0f) return;
    const float delta = other.mean - mean;
    const float share = other.count / both;
    mean += delta * share;
    m2 += other.m2 + delta * (delta * count * share);
    count = both;
  }

  __device__ Moments from_lane_behind(int step) const {
    Moments other;
    other.count = __shfl_down_sync(0xffffffffu, count, step);
    other.mean = __shfl_down_sync(0xffffffffu, mean, step);
    other.m2 = __shfl_down_sync(0xffffffffu, m2, step);
    return other;
  }
};

template <int kWarps>
__global__ void layer_norm_rows(const float* __restrict__ x, const float* __restrict__ weight, float* __restrict__ y, float eps, int64_t rows, int width) {
  const int lane = threadIdx.x % 32;
  for (int64_t row = int64_t{blockIdx.x} * kWarps + threadIdx.x / 32; row < rows; row += int64_t{gridDim.x} * kWarps) {
    const float* const in = x + row * width;
    float* const out = y + row * width;

    Moments moments;
    for (int64_t i = lane; i < width; i += 32) moments.add(in[i]);
    for (int step = 16; step > 0; step /= 2) moments.merge(moments.from_lane_behind(step));
    const float mean = __shfl_sync(0xffffffffu, moments.mean, 0);
    const float m2 = __shfl_sync(0xffffffffu, moments.m2, 0);

    const float scale = 1.0f / sqrtf(m2 / width + eps);
    for (int64_t i = lane; i < width; i += 32) out[i] = (in[i] - mean) * scale * weight[i];
  }
}

}  // namespace lnorm

extern "C" void launch(const float* x,       // [rows, width]
                       const float* weight,  // [width]
                       float* y,             // [rows, width]
                       float eps, int64_t rows, int width, cudaStream_t stream = 0) {
  const int64_t blocks = (rows + 1) / 2;
  lnorm::layer_norm_rows<2><<<static_cast<unsigned>(blocks < 5000 ? blocks : 5000), 64, 0, stream>>>(x, weight, y, eps, rows, width);
}
"""
)

INF, NAN = float("inf"), float("nan")


def _half_unit_bf16(right: torch.Tensor) -> torch.Tensor:
    """Return half a unit in the last place of the bfloat16 next to each number."""
    return 2.0 ** (torch.frexp(right)[1].clamp(min=-125) - 9) * (right != 0)


def residuals(launcher: Launcher) -> Iterator[Case]:
    """Add halves to halves and a row: all is exact in float, and rounded once."""
    sides = ((1, 1), (1, 2), (3, 3), (5, 1), (2, 7), (7, 2), (1, 256), (1, 257), (257, 1))
    for rows, cols in (*sides, (3, 171), (9, 57), (31, 33), (40, 100), (3, 1001)):
        n = rows * cols
        x, res = (whole(-999, 1000, n, n + k).reshape(rows, cols) / 32 for k in range(2))
        bias = whole(-999, 1000, cols, n + 2) / 64
        for label, a, b, c in (
            ("usual", x, res, bias),
            ("wide", x * 32, res / 4, bias / 8),
            ("large on the way", x * 0 + 65_504, res * 0 + 1024, bias * 0 - 2048),
        ):
            for alpha in (1.0, -0.5, 2.0):
                inputs = (a.half(), b.half(), c.half())
                right = (a.double() + alpha * b.double() + c.double(),)
                words = f"rows = {rows}, cols = {cols:,}, alpha = {alpha}, {label}"
                yield Case(words, inputs, right, {"alpha": alpha}, dtypes=(torch.float16,))


def samples(launcher: Launcher) -> Iterator[Case]:
    """Write samples: fine ones, ties, loud ones, the ends of the range, infinities, NaN."""
    ends = (1.0, -1.0, -1 - 2.0**-16, 1 - 2.0**-16, 1 - 2.0**-15, 1e30, -1e30, INF, -INF, NAN)
    ends += (0.0, -0.0, 2.0**-16, -(2.0**-16), 1e-40, 3 * 2.0**-16)
    sides = ((1, 1), (2, 1), (1, 2), (2, 3), (3, 2), (1, 384), (2, 192), (2, 200), (6, 65))
    for chans, frames in (*sides, (1, 1000), (5, 401), (33, 31)):
        n = chans * frames
        k = torch.arange(n)
        for label, x in (
            ("fine", whole(-(2**23), 2**23, n, n) / 2**23),
            ("ties", (whole(-(2**15), 2**15 - 1, n, n) + 0.5) / 2**15),
            ("loud", whole(-(2**23), 2**23, n, n) / 2**21),
            ("ends", torch.tensor(ends)[(k + n) % len(ends)]),
        ):
            x = x.float().reshape(chans, frames)
            made = (x.double() * 2**15).nan_to_num(0.0, INF, -INF).clamp(-(2**15), 2**15 - 1)
            right = (made.round().T.contiguous(),)
            words = f"nchan = {chans}, nframes = {frames:,}, {label}"
            yield Case(words, (x,), right, dtypes=(torch.int16,))


def gates(launcher: Launcher) -> Iterator[Case]:
    """Open gates for numbers: usual, wide and large ones of both signs."""
    sides = ((1, 1), (1, 2), (3, 1), (2, 33), (5, 64), (4, 255), (2, 256), (3, 257), (2, 700))
    for tokens, d in (*sides, (70, 5), (2, 1100)):
        n = tokens * 2 * d
        x = whole(-1000, 1001, n, n).reshape(tokens, 2, d) / 128
        for label, y in (("usual", x), ("wide", x * 8), ("large", x * 12)):
            y = y.bfloat16()
            gate, value = y.double().unbind(1)
            right = gate * torch.sigmoid(gate) * value
            slack = _half_unit_bf16(right) + 2.0**-20 * right.abs()
            slack = slack + 2.0**-148 * (gate * value).abs() + 2.0**-134
            words = f"num_tokens = {tokens}, d = {d}, {label}"
            options = {"dtypes": (torch.bfloat16,), "within": (slack,)}
            yield Case(words, (y,), (right,), **options)
            if label == "usual":
                words += ", from element 1"
                yield Case(words, (y,), (right,), offset=1, **options)


def column_sums(launcher: Launcher) -> Iterator[Case]:
    """Add up columns of whole numbers, so that all is exact; also after another call."""
    sides = ((1, 1), (1, 40), (8, 32), (9, 31), (7, 3), (33, 33), (40, 65), (100, 2), (3000, 3))
    for rows, cols in (*sides, (500, 40)):
        n = rows * cols
        x, other = (whole(-99, 100, n, n + k).reshape(rows, cols).half() for k in range(2))
        k = torch.arange(rows)[:, None]
        for label, y in (
            ("both signs", x),
            ("positive", x.abs() + 1),
            ("large", x.abs() % 60 * 1024),
            ("an infinity", torch.where(k == rows // 2, INF, x.float()).half()),
        ):
            right = (y.double().sum(dim=0),)
            words = f"rows = {rows:,}, cols = {cols}, {label}"
            options = {"dtypes": (torch.float32,)}
            yield Case(words, (y,), right, **options)
            if label == "positive":
                words += ", a second call"
                yield Case(words, (y,), right, before=(other,), **options)


def row_maxima(launcher: Launcher) -> Iterator[Case]:
    """Find the first of the largest of rows: both signs, equal ones, infinities, NaNs."""
    sides = ((1, 1), (40, 1), (3, 2), (33, 3), (4, 16), (5, 17), (4, 32), (9, 33), (7, 50))
    for rows, cols in (*sides, (2, 700), (70, 33)):
        n = rows * cols
        x = whole(-(10**6), 10**6, n, n).float().reshape(rows, cols) / 32
        few, k = whole(1, 4, n, n + 1).float().reshape(rows, cols), torch.arange(cols)
        for label, y in (
            ("any", x),
            ("negative", -x.abs() - 1),
            ("rising", x.sort(dim=1)[0]),
            ("falling", x.sort(dim=1, descending=True)[0]),
            ("equal ones", few),
            ("-infinity", x * 0 - INF),
            ("NaNs", torch.where(k % 37 == cols // 2 % 37, NAN, x)),
        ):
            most = y.max(dim=1, keepdim=True)[0]
            is_best = torch.where(most.isnan(), y.isnan(), y == most)
            place = torch.where(is_best, k, cols).min(dim=1)[0]
            right = (most.reshape(-1).double(), place.double())
            words = f"rows = {rows}, columns = {cols}, {label}"
            yield Case(words, (y,), right, dtypes=(torch.float32, torch.int64))


def planes(launcher: Launcher) -> Iterator[Case]:
    """Transpose one plane and several, of many sides; also more than a grid is deep."""
    sides = ((1, 1, 1), (1, 16, 16), (2, 3, 5), (3, 17, 16), (2, 20, 33), (1, 1, 70))
    for count, n, m in (
        *sides,
        (5, 40, 1),
        (4, 31, 50),
        (1, 100, 9),
        (1030, 5, 3),
        (65_540, 1, 2),
    ):
        size = count * n * m
        x = whole(-(10**12), 10**12, size, size).double().reshape(count, n, m) / 32
        for label, y in (("any", x), ("huge", x * 2.0**400))[: 1 if count > 999 else 2]:
            right = (y.transpose(1, 2).contiguous(),)
            words = f"np = {count:,}, n = {n}, m = {m}, {label}"
            yield Case(words, (y,), right, dtypes=(torch.float64,))


def turned_products(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole numbers with several factors; C is NaN where it must not be read."""
    sides = ((1, 1, 1), (16, 16, 16), (3, 5, 4), (17, 9, 16), (20, 33, 17), (8, 8, 40))
    for m, n, k in (*sides, (50, 1, 33), (1, 40, 100)):
        a = whole(-15, 16, k * m, m + n).float().reshape(k, m)
        b = whole(-15, 16, k * n, m + k).float().reshape(k, n)
        c = whole(-99, 100, m * n, n + k).float().reshape(m, n)
        for label, x, y in (
            ("small", a, b),
            ("positive", a.abs() * 8 + 129, b.abs() * 8 + 129),
            ("large", a * 64, b * 64),
        ):
            for alpha, beta in ((1.0, 0.0), (1.0, 1.0), (0.5, 2.0), (-2.0, -1.0)):
                z = c if beta else c + NAN
                right = alpha * (x.double().T @ y.double()) + beta * c.double()
                words = f"M = {m}, N = {n}, K = {k}, alpha = {alpha}, beta = {beta}, {label}"
                inputs, factors = (x.half(), y.half(), z), {"alpha": alpha, "beta": beta}
                yield Case(words, inputs, (right,), factors, dtypes=(torch.float32,))


def world_matrices(launcher: Launcher) -> Iterator[Case]:
    """Multiply small whole numbers: all is exact. Blocks of many sizes."""
    for count in (1, 2, 7, 15, 16, 17, 32, 63, 65, 300):
        for size in (64, 8, 32, 100, 256):
            parent = whole(-20, 21, 16, count).float().reshape(4, 4)
            local = whole(-99, 100, 16 * count, count + 1).float().reshape(count, 4, 4)
            right = (parent.double() @ local.double(),)
            words = f"nodeCount = {count}, blockSize = {size}"
            options = {"dtypes": (torch.float32,)}
            yield Case(words, (parent, local), right, {"blockSize": size}, **options)


def causal_softmaxes(launcher: Launcher) -> Iterator[Case]:
    """Weigh what a query sees: usual, wide, far from 0; NaN in what it does not see."""
    for heads, length in ((1, 1), (2, 2), (3, 5), (1, 33), (2, 64), (1, 65), (2, 130)):
        n = heads * length * length
        x = whole(-1000, 1001, n, n).float().reshape(heads, length, length) / 256
        hidden = torch.ones(length, length, dtype=torch.bool).triu(1)
        for label, y in (
            ("usual", x),
            ("large", x * 75),
            ("far below 0", x - 2000),
            ("equal", x * 0 + 3),
            ("NaN in what is hidden", torch.where(hidden, NAN, x)),
        ):
            for scale in (1.0, 0.125, 2.0):
                z = (y.double() * scale).masked_fill(hidden, -INF)
                right = torch.softmax(z, dim=2)
                below = z.amax(dim=2, keepdim=True) - z
                slack = right * (2.0**-20 + 2.0**-22 * below.clamp(max=200)) + 1e-37
                words = f"heads = {heads}, length = {length}, scale = {scale}, {label}"
                options = {"dtypes": (torch.float32,), "within": (slack,)}
                yield Case(words, (y,), (right,), {"scale": scale}, **options)


def rms_norms(launcher: Launcher) -> Iterator[Case]:
    """Normalize rows: usual, small, off 0, zeros."""
    sides = ((1, 1), (2, 2), (3, 31), (5, 33), (4, 127), (5, 128), (2, 129), (70, 5), (2, 700))
    for tokens, hidden in sides:
        n = tokens * hidden
        x = whole(-1000, 1001, n, n).float().reshape(tokens, hidden) / 256
        w = (whole(-250, 251, hidden, n + 1).float() / 1024).bfloat16()
        for label, y in (("usual", x), ("small", x / 2**8), ("off 0", x + 9), ("zeros", x * 0)):
            y = y.bfloat16()
            for eps in (2.0**-17, 0.125):
                z = y.double()
                root = (z.square().mean(dim=1, keepdim=True) + eps).sqrt()
                right = z / root * (1 + w.double())
                slack = _half_unit_bf16(right) + 2.0**-20 * right.abs()
                words = f"tokens = {tokens}, hidden = {hidden}, eps = {eps}, {label}"
                options = {"dtypes": (torch.bfloat16,), "within": (slack,)}
                yield Case(words, (y, w), (right,), {"eps": eps}, **options)


def weighted_layer_norms(launcher: Launcher) -> Iterator[Case]:
    """Normalize rows: about 0, far off 0, small, equal numbers."""
    sides = ((1, 1), (2, 2), (3, 31), (4, 32), (5, 33), (2, 64), (3, 200), (120, 5), (2, 1000))
    for rows, width in sides:
        n = rows * width
        x = whole(-1000, 1001, n, n).float().reshape(rows, width) / 256
        weight = whole(-99, 100, width, n + 1).float() / 32
        for label, y in (
            ("usual", x),
            ("off 0", x + 2000),
            ("small", x / 2**8),
            ("equal", x * 0 + 5),
        ):
            for eps in (2.0**-17, 0.125):
                z = y.double()
                variance, mean = torch.var_mean(z, dim=1, correction=0, keepdim=True)
                scale = weight.double() / (variance + eps).sqrt()
                right = (z - mean) * scale
                far = z.abs().amax(dim=1, keepdim=True)
                slack = 2.0**-20 * right.abs() + 2.0**-20 * far * scale.abs()
                words = f"rows = {rows}, width = {width:,}, eps = {eps}, {label}"
                options = {"dtypes": (torch.float32,), "within": (slack,)}
                yield Case(words, (y, weight), (right,), {"eps": eps}, **options)


BASES = {
    "xli_bias": Base(BIAS, {"cases": residuals}),
    "xli_pcm": Base(PCM, {"cases": samples}),
    "xli_gated": Base(GATED, {"cases": gates}),
    "xli_colsum": Base(COLSUM, {"cases": column_sums}),
    "xli_rowmax": Base(ROWMAX, {"cases": row_maxima}),
    "xli_planes": Base(PLANES, {"cases": planes}),
    "xli_gemmtn": Base(GEMMTN, {"cases": turned_products}),
    "xli_nodes": Base(NODES, {"cases": world_matrices}),
    "xli_causal": Base(CAUSAL, {"cases": causal_softmaxes}),
    "xli_rms": Base(RMS, {"cases": rms_norms}),
    "xli_welford": Base(WELFORD, {"cases": weighted_layer_norms}),
}

WRONG = (
    # ---- a residual and a bias
    # The column of a pair, not of its first number.
    Wrong(
        "xli_bias_pair_column",
        "xli_bias",
        "other element / sides | numbers / function / twice / left out",
        ("static_cast<int>(2 * pair % cols);", "static_cast<int>(pair % cols);"),
    ),
    # Rows are taken to be whole pairs.
    Wrong(
        "xli_bias_no_wrap",
        "xli_bias",
        "bounds / other element | sides / neighbour / numbers / nan",
        ("c0 + 1 < cols ? c0 + 1 : 0;", "c0 + 1;"),
    ),
    # The half2 operators of samples: each step is rounded.
    Wrong(
        "xli_bias_half_steps",
        "xli_bias",
        "rounding / precision / infinity | numbers",
        (
            "    const float2 v = __half22float2(x[pair]);\n    const float2 r = __half22float2(res[pair]);\n    out[pair] = __floats2half2_rn(v.x + alpha * r.x + __half2float(bias[c0]), v.y + alpha * r.y + __half2float(bias[c1]));\n",
            "    const half2 scaled = __hmul2(__float2half2_rn(alpha), res[pair]);\n    out[pair] = __hadd2(__hadd2(x[pair], scaled), __halves2half2(bias[c0], bias[c1]));\n",
        ),
    ),
    # The grid is for the pairs, the odd number is behind them.
    Wrong(
        "xli_bias_grid_of_pairs",
        "xli_bias",
        "unwritten / tail / left out / grid | refused / sides",
        ("threads = total / 2 + total % 2;", "threads = total / 2;"),
    ),
    # The usual index.
    Wrong(
        "xli_bias_int",
        "xli_bias",
        "narrow | bounds / other element",
        (
            "const int64_t pair = static_cast<int64_t>(blockIdx.x) * kBlock + threadIdx.x;",
            "const int pair = blockIdx.x * kBlock + threadIdx.x;",
        ),
    ),
    # ---- samples
    # The largest sample is taken for the whole range.
    Wrong(
        "xli_pcm_full_scale",
        "xli_pcm",
        "function / whole range / infinity | numbers / rounding / precision",
        ("v *= 32768.0f;", "v *= 32767.0f;"),
    ),
    # Half a unit is added.
    Wrong(
        "xli_pcm_half_up",
        "xli_pcm",
        "rounding | numbers",
        ("return (int16_t)rintf(v);", "return (int16_t)floorf(v + 0.5f);"),
    ),
    # The limit of both sides.
    Wrong(
        "xli_pcm_limit_32768",
        "xli_pcm",
        "whole range / infinity | numbers",
        (
            "    if (v > 32767.0f)\n        v = 32767.0f;\n",
            "    if (v > 32768.0f)\n        v = 32768.0f;\n",
        ),
        ("return (int16_t)rintf(v);", "return (int16_t)(int)rintf(v);"),
    ),
    # Limits by functions that ignore NaN, and no test for it.
    Wrong(
        "xli_pcm_nan_is_a_limit",
        "xli_pcm",
        "nan | numbers / whole range",
        ("    if (v != v)\n        return 0;\n", ""),
        (
            "    if (v > 32767.0f)\n        v = 32767.0f;\n    if (v < -32768.0f)\n        v = -32768.0f;\n",
            "    v = fminf(fmaxf(v, -32768.0f), 32767.0f);\n",
        ),
    ),
    # Frames are read where planes are.
    Wrong(
        "xli_pcm_not_turned",
        "xli_pcm",
        "other element / swapped / sides / copy | numbers / function",
        ("planes[chan * nframes + frame]", "planes[frame * nchan + chan]"),
    ),
    # ---- a gated activation
    # The other half opens.
    Wrong(
        "xli_gated_other_gate",
        "xli_gated",
        "swapped / function | numbers / other element",
        ("Bits<T>::down(silu(x) * y);", "Bits<T>::down(x * silu(y));"),
    ),
    # Gates and values take turns, as in another model.
    Wrong(
        "xli_gated_take_turns",
        "xli_gated",
        "other element / sides / function | numbers / swapped / neighbour",
        ("Bits<T>::up(gate[idx]);", "Bits<T>::up(gate[2 * idx]);"),
        ("Bits<T>::up(value[idx]);", "Bits<T>::up(gate[2 * idx + 1]);"),
    ),
    # The exponent is above 0.
    Wrong(
        "xli_gated_exp_overflows",
        "xli_gated",
        "infinity / nan | numbers / function",
        ("const float e = expf(-fabsf(x));", "const float e = expf(x);"),
        ("((x < 0.0f ? e : 1.0f) / (1.0f + e))", "(e / (1.0f + e))"),
    ),
    # The activation's result has the type of the tensors.
    Wrong(
        "xli_gated_rounded_between",
        "xli_gated",
        "rounding / precision | numbers",
        (
            "Bits<T>::down(silu(x) * y);",
            "Bits<T>::down(Bits<T>::up(Bits<T>::down(silu(x))) * y);",
        ),
    ),
    # A thread a number, and no limit.
    Wrong(
        "xli_gated_wide_block",
        "xli_gated",
        "refused / block size / grid | unwritten / sides",
        ("block(d < 256 ? d : 256);", "block(d);"),
    ),
    # Two at once, if d allows it, from any address.
    Wrong(
        "xli_gated_two_at_once",
        "xli_gated",
        "alignment | refused",
        (
            "  for (int64_t idx = threadIdx.x; idx < d; idx += blockDim.x) {\n",
            "  if (d % 2 == 0) {\n    for (int64_t idx = 2 * threadIdx.x; idx < d; idx += 2 * blockDim.x) {\n      const __nv_bfloat162 x = *reinterpret_cast<const __nv_bfloat162*>(gate + idx);\n      const __nv_bfloat162 y = *reinterpret_cast<const __nv_bfloat162*>(value + idx);\n      out[token * d + idx] = Bits<T>::down(silu(Bits<T>::up(x.x)) * Bits<T>::up(y.x));\n      out[token * d + idx + 1] = Bits<T>::down(silu(Bits<T>::up(x.y)) * Bits<T>::up(y.y));\n    }\n    return;\n  }\n  for (int64_t idx = threadIdx.x; idx < d; idx += blockDim.x) {\n",
        ),
    ),
    # ---- sums of columns
    # Bytes, not numbers.
    Wrong(
        "xli_colsum_bytes",
        "xli_colsum",
        "zero before / start / state / unwritten | tail / left out / nan",
        (
            "cudaMemsetAsync(sums, 0, cols * sizeof(float), stream);",
            "cudaMemsetAsync(sums, 0, cols, stream);",
        ),
    ),
    # Each block stores what it has.
    Wrong(
        "xli_colsum_last_block",
        "xli_colsum",
        "race / left out | other element / numbers / function / sides / grid / zero before",
        ("atomicAdd(&sums[c], s);", "sums[c] = s;"),
    ),
    # Added up in the type of the matrix.
    Wrong(
        "xli_colsum_half",
        "xli_colsum",
        "precision / rounding / infinity / narrow / whole range | numbers / left out",
        ("float acc = 0.0f;", "half acc = __float2half(0.0f);"),
        ("acc += __half2float(m[r * cols + c]);", "acc = __hadd(acc, m[r * cols + c]);"),
        ("part[ty][tx] = acc;", "part[ty][tx] = __half2float(acc);"),
    ),
    # A step of one block, though there are four.
    Wrong(
        "xli_colsum_step",
        "xli_colsum",
        "twice | numbers / function / grid / sides",
        ("r += (int64_t)gridDim.y * BY)", "r += BY)"),
    ),
    # Cleared on the default stream.
    Wrong(
        "xli_colsum_other_stream",
        "xli_colsum",
        "stream | race / zero before",
        (
            "cudaMemsetAsync(sums, 0, cols * sizeof(float), stream);",
            "cudaMemsetAsync(sums, 0, cols * sizeof(float));",
        ),
    ),
    # Cleared at the first call.
    Wrong(
        "xli_colsum_cleared_once",
        "xli_colsum",
        "state / zero before / start | unwritten",
        (
            "    cudaMemsetAsync(sums, 0, cols * sizeof(float), stream);\n",
            "    static bool isClear = false;\n    if (!isClear) cudaMemsetAsync(sums, 0, cols * sizeof(float), stream);\n    isClear = true;\n",
        ),
    ),
    # ---- largest of rows
    # The least of floats, which is above 0.
    Wrong(
        "xli_rowmax_min",
        "xli_rowmax",
        "start | numbers / function / left out / other element / infinity",
        (
            "lowest = -std::numeric_limits<float>::infinity();",
            "lowest = std::numeric_limits<float>::min();",
        ),
    ),
    # Compared as numbers only.
    Wrong(
        "xli_rowmax_no_nan",
        "xli_rowmax",
        "nan | numbers / other element / left out / infinity",
        (
            "        if (is_nan != other_is_nan) return is_nan;\n        if (!is_nan && value != other.value) return value > other.value;\n        return place < other.place;\n",
            "        return value > other.value || (value == other.value && place < other.place);\n",
        ),
        (
            "        auto const is_nan = value != value, other_is_nan = other.value != other.value;\n",
            "",
        ),
    ),
    # Equal ones of several lanes: that of the first lane.
    Wrong(
        "xli_rowmax_first_lane",
        "xli_rowmax",
        "other element / numbers | function / race",
        (
            "if (other.beats(mine)) mine = other;",
            "if (other.value > mine.value || (other.value != other.value && mine.value == mine.value)) mine = other;",
        ),
    ),
    # The values go from lane to lane, the places stay.
    Wrong(
        "xli_rowmax_own_place",
        "xli_rowmax",
        "other element / left out | numbers / function / race / start / nan",
        (
            "static_cast<int64_t>(__shfl_xor_sync(0xffffffffu, static_cast<long long>(mine.place), step))};",
            "mine.place};",
        ),
    ),
    # Compared by their bits, as for an atomic maximum.
    Wrong(
        "xli_rowmax_as_int",
        "xli_rowmax",
        "numbers / other element / start / infinity / left out | function / sign of zero / nan / whole range",
        (
            "return value > other.value;",
            "return __float_as_int(value) > __float_as_int(other.value);",
        ),
    ),
    # ---- planes
    # Planes of m by m.
    Wrong(
        "xli_planes_square",
        "xli_planes",
        "bounds / other element / sides | numbers / left out / twice",
        ("a[((l) - 1) * m * n + ((j)", "a[((l) - 1) * m * m + ((j)"),
    ),
    # A grid as deep as there are planes.
    Wrong(
        "xli_planes_deep_grid",
        "xli_planes",
        "refused / grid | unwritten",
        ("(unsigned) (np < 1024 ? np : 1024)", "(unsigned) np"),
    ),
    # REAL for DOUBLE PRECISION.
    Wrong(
        "xli_planes_real",
        "xli_planes",
        "precision / narrow / rounding / infinity | numbers",
        ("__shared__ double tile", "__shared__ float tile"),
    ),
    # No barrier behind the stores.
    Wrong(
        "xli_planes_one_barrier",
        "xli_planes",
        "race | other element / numbers / state",
        (
            "                B(j, i, l) = tile[tx][ty];\n            __syncthreads();\n",
            "                B(j, i, l) = tile[tx][ty];\n",
        ),
    ),
    # The sides change places in the test, too.
    Wrong(
        "xli_planes_test_turned",
        "xli_planes",
        "bounds / sides / unwritten / left out | other element / race / tail / numbers",
        (
            "            if (i <= m && j <= n)\n                B(j",
            "            if (j <= m && i <= n)\n                B(j",
        ),
    ),
    # ---- a product with a transposed left side
    # 0 times C.
    Wrong(
        "xli_gemmtn_beta_0",
        "xli_gemmtn",
        "nan / infinity | function / numbers / input / left out",
        (
            "            if (beta != 0.0f)\n                scaled += beta",
            "            scaled += beta",
        ),
    ),
    # A is read as if it had M rows.
    Wrong(
        "xli_gemmtn_rows_of_k",
        "xli_gemmtn",
        "other element / sides / swapped | numbers / function",
        ("A[(k0 + ty) * M + row0 + tx]", "A[(row0 + tx) * K + k0 + ty]"),
    ),
    # The sum is kept as a half.
    Wrong(
        "xli_gemmtn_half_sum",
        "xli_gemmtn",
        "precision / rounding / infinity / narrow / whole range | numbers / nan",
        ("float Dvalue = 0.0f;", "half Dvalue = __float2half(0.0f);"),
        (
            "Dvalue += As[e][ty] * Bs[e][tx];",
            "Dvalue = __float2half(__half2float(Dvalue) + As[e][ty] * Bs[e][tx]);",
        ),
        ("alpha * Dvalue;", "alpha * __half2float(Dvalue);"),
    ),
    # Behind the end the last row again.
    Wrong(
        "xli_gemmtn_last_again",
        "xli_gemmtn",
        "twice / tail | numbers / function / left out / other element",
        (
            "k0 + ty < K && row0 + tx < M ? __half2float(A[(k0 + ty) * M",
            "row0 + tx < M ? __half2float(A[(k0 + ty < K ? k0 + ty : K - 1) * M",
        ),
        (
            "k0 + ty < K && col < N ? __half2float(B[(k0 + ty) * N",
            "col < N ? __half2float(B[(k0 + ty < K ? k0 + ty : K - 1) * N",
        ),
    ),
    # As BLAS does it: the result is in C, and D is a copy.
    Wrong(
        "xli_gemmtn_in_c",
        "xli_gemmtn",
        "input | state",
        (
            "            D[row * N + col] = scaled;\n",
            "            const_cast<float*>(C)[row * N + col] = scaled;\n            D[row * N + col] = C[row * N + col];\n",
        ),
    ),
    # A grid of as many columns as there are rows.
    Wrong(
        "xli_gemmtn_grid_turned",
        "xli_gemmtn",
        "unwritten / grid / sides / left out | tail / swapped",
        (
            "dim3(across, down < 2048 ? down : 2048)",
            "dim3(down, across < 2048 ? across : 2048)",
        ),
    ),
    # ---- world matrices
    # Row vectors: the local matrix comes first.
    Wrong(
        "xli_nodes_local_first",
        "xli_nodes",
        "swapped | numbers / function / other element / sides",
        (
            "const float4 row = pLocal[node * 4 + k];",
            "const float4 row = make_float4(parent[k][0], parent[k][1], parent[k][2], parent[k][3]);",
        ),
        (
            "const float weight = parent[r][k];",
            "const float weight = reinterpret_cast<const float*>(pLocal)[id * 4 + k];",
        ),
    ),
    # Without the column of the translation.
    Wrong(
        "xli_nodes_rotation",
        "xli_nodes",
        "left out | numbers / function",
        ("for (int k = 0; k < 4; ++k)", "for (int k = 0; k < 3; ++k)"),
    ),
    # Sixteen threads are there, are they not?
    Wrong(
        "xli_nodes_sixteen_threads",
        "xli_nodes",
        "unwritten / block size / start / state | left out / numbers / nan",
        (
            "    for (unsigned e = threadIdx.x; e < 16; e += blockDim.x)\n",
            "    const unsigned e = threadIdx.x;\n    if (e < 16)\n",
        ),
    ),
    # One too many.
    Wrong(
        "xli_nodes_one_more",
        "xli_nodes",
        "bounds | tail",
        ("if (id >= nodeCount * 4)", "if (id > nodeCount * 4)"),
    ),
    # A thread a node.
    Wrong(
        "xli_nodes_thread_a_node",
        "xli_nodes",
        "unwritten / left out / grid / tail | block size",
        ("threadCount = nodeCount * 4;", "threadCount = nodeCount;"),
    ),
    # ---- causal softmax
    # The sum sees the next key.
    Wrong(
        "xli_causal_next_key",
        "xli_causal",
        "bounds / function / twice / other element / neighbour | nan / infinity / numbers / sides",
        ("key <= query; key += THREADS) total", "key <= query + 1; key += THREADS) total"),
    ),
    # What is hidden stays as it was.
    Wrong(
        "xli_causal_hidden_kept",
        "xli_causal",
        "unwritten / zero before / left out | sides / state",
        (
            "for (int64_t key = threadIdx.x; key < length; key += THREADS) p",
            "for (int64_t key = threadIdx.x; key <= query; key += THREADS) p",
        ),
    ),
    # The largest is at least 0.
    Wrong(
        "xli_causal_from_zero",
        "xli_causal",
        "start / nan / subnormal / infinity | numbers / function / left out / precision",
        ("float largest = -INFINITY;", "float largest = 0.0f;"),
    ),
    # The largest before the factor.
    Wrong(
        "xli_causal_largest_first",
        "xli_causal",
        "infinity / nan / subnormal / precision / left out / numbers | function / start",
        ("fmaxf(largest, scale * s[key]);", "fmaxf(largest, s[key]);"),
    ),
    # No barrier between both reductions.
    Wrong(
        "xli_causal_scratch_again",
        "xli_causal",
        "race | numbers / other element / left out / state",
        ("    __syncthreads();  // before scratch is used again\n", ""),
    ),
    # From the end on, and an unsigned place is below the first.
    Wrong(
        "xli_causal_below_first",
        "xli_causal",
        "bounds | narrow / whole range / unwritten / sides",
        (
            "for (int64_t key = threadIdx.x; key < length; key += THREADS) p[key] = key <= query ? expf(scale * s[key] - largest) / total : 0.0f;",
            "for (int64_t key = threadIdx.x; key <= query; key += THREADS) p[key] = expf(scale * s[key] - largest) / total;\n        for (int64_t key = length - 1 - threadIdx.x; key > query; key -= THREADS) p[key] = 0.0f;",
        ),
    ),
    # A half of 1 is 0, and so on.
    Wrong(
        "xli_causal_endless",
        "xli_causal",
        "timeout",
        ("half_way >= 1; half_way /= 2", "half_way >= 0; half_way /= 2"),
    ),
    # ---- RMS norm
    # Weights as in other models.
    Wrong(
        "xli_rms_plain_weight",
        "xli_rms",
        "function / left out | numbers / start",
        ("(1.f + __bfloat162float(w[i]))", "__bfloat162float(w[i])"),
    ),
    # The normed number gets its type before the weight.
    Wrong(
        "xli_rms_rounded_before",
        "xli_rms",
        "rounding / precision | numbers",
        (
            "const float normed = __bfloat162float(x_row[i]) * inv_rms;",
            "const float normed = __bfloat162float(__float2bfloat16(__bfloat162float(x_row[i]) * inv_rms));",
        ),
    ),
    # The mean of as many as there are threads.
    Wrong(
        "xli_rms_of_threads",
        "xli_rms",
        "function / block size / numbers | left out / sides",
        ("block_sum / hidden + eps", "block_sum / kNumThreads + eps"),
    ),
    # Epsilon is added to the root.
    Wrong(
        "xli_rms_eps_outside",
        "xli_rms",
        "function / numbers | precision",
        ("1.f / sqrtf(block_sum / hidden + eps);", "1.f / (sqrtf(block_sum / hidden) + eps);"),
    ),
    # The others do not wait for the root.
    Wrong(
        "xli_rms_no_wait",
        "xli_rms",
        "race / unwritten | start / state / numbers / left out / other element",
        ("+ eps);\n  }\n  __syncthreads();\n", "+ eps);\n  }\n"),
    ),
    # ---- layer norm after Welford
    # The middle of both means.
    Wrong(
        "xli_welford_middle",
        "xli_welford",
        "function | numbers / left out / start / precision / tail",
        ("const float share = other.count / both;", "const float share = 0.5f;"),
    ),
    # The variance of a sample.
    Wrong(
        "xli_welford_sample",
        "xli_welford",
        "function | nan / numbers / infinity",
        ("m2 / width + eps", "m2 / (width - 1) + eps"),
    ),
    # Lanes without a number.
    Wrong(
        "xli_welford_nobody",
        "xli_welford",
        "nan / function | numbers / sides / infinity",
        ("    if (both == 0.0f) return;\n", ""),
    ),
    # All lanes take their own moments.
    Wrong(
        "xli_welford_own_moments",
        "xli_welford",
        "other element / left out / function / race | numbers / nan / infinity / unwritten / twice",
        ("__shfl_sync(0xffffffffu, moments.mean, 0);", "moments.mean;"),
        ("__shfl_sync(0xffffffffu, moments.m2, 0);", "moments.m2;"),
    ),
    # The mean of squares less the square of the mean.
    Wrong(
        "xli_welford_squares",
        "xli_welford",
        "precision | numbers / function / nan / rounding",
        (
            "    const float delta = x - mean;\n    mean += delta / count;\n    m2 += delta * (x - mean);\n",
            "    mean += x;  // the sum, until the end\n    m2 += x * x;\n",
        ),
        (
            "    const float delta = other.mean - mean;\n    const float share = other.count / both;\n    mean += delta * share;\n    m2 += other.m2 + delta * (delta * count * share);\n",
            "    mean += other.mean;\n    m2 += other.m2;\n",
        ),
        (
            "const float mean = __shfl_sync(0xffffffffu, moments.mean, 0);",
            "const float mean = __shfl_sync(0xffffffffu, moments.mean, 0) / width;",
        ),
        (
            "const float m2 = __shfl_sync(0xffffffffu, moments.m2, 0);",
            "const float m2 = fmaxf(__shfl_sync(0xffffffffu, moments.m2, 0) - width * (mean * mean), 0.0f);",
        ),
    ),
)

RIGHT = (
    # Both halves by themselves, with fused steps; more blocks than are needed.
    Right(
        "xli_bias_fused",
        "xli_bias",
        (
            "    const float2 v = __half22float2(x[pair]);\n    const float2 r = __half22float2(res[pair]);\n    out[pair] = __floats2half2_rn(v.x + alpha * r.x + __half2float(bias[c0]), v.y + alpha * r.y + __half2float(bias[c1]));\n",
            "    const float low = fmaf(alpha, __low2float(res[pair]), __low2float(x[pair])) + __half2float(bias[c0]);\n    const float high = fmaf(alpha, __high2float(res[pair]), __high2float(x[pair])) + __half2float(bias[c1]);\n    reinterpret_cast<half*>(out)[2 * pair + 1] = __float2half_rn(high);\n    reinterpret_cast<half*>(out)[2 * pair] = __float2half_rn(low);\n",
        ),
        ("kBlock = 128;", "kBlock = 33;"),
        (
            "blocks = (threads + engine::kBlock - 1) / engine::kBlock;",
            "blocks = threads / engine::kBlock + 2;",
        ),
    ),
    # By the planes, so that neighbours are read; rounded by adding what has no fraction.
    Right(
        "xli_pcm_by_planes",
        "xli_pcm",
        ("return (int16_t)rintf(v);", "return (int16_t)((v + 12582912.0f) - 12582912.0f);"),
        ("const int64_t frame = i / nchan;", "const int64_t frame = i % nframes;"),
        ("const int64_t chan = i % nchan;", "const int64_t chan = i / nframes;"),
        (
            "        frames[i] = pcm_sample(planes[chan * nframes + frame]);\n",
            "        frames[frame * nchan + chan] = pcm_sample(planes[i]);\n",
        ),
        ("<<<6, 64, 0, stream>>>", "<<<5, 33, 0, stream>>>"),
    ),
    # As it is written in papers, but in double.
    Right(
        "xli_gated_double",
        "xli_gated",
        (
            "  const float e = expf(-fabsf(x));\n  return x * ((x < 0.0f ? e : 1.0f) / (1.0f + e));\n",
            "  return static_cast<float>(x / (1.0 + exp(-static_cast<double>(x))));\n",
        ),
        ("block(d < 256 ? d : 256);", "block(37);"),
    ),
    # Each thread adds its own sum; blocks of three rows, and only one of them a column.
    Right(
        "xli_colsum_each_atomic",
        "xli_colsum",
        ("#define BY 8", "#define BY 3"),
        ("    part[ty][tx] = acc;\n    __syncthreads();\n", "    part[ty][tx] = 0.0f;\n"),
        (
            "    if (ty == 0 && c < cols)\n    {\n        float s = part[0][tx];\n        for (int k = 1; k < BY; k++)\n            s += part[k][tx];\n        atomicAdd(&sums[c], s);\n    }\n",
            "    if (c < cols)\n        atomicAdd(&sums[c], acc + part[ty][tx]);\n",
        ),
        ("/ BX), 4);", "/ BX), 1);"),
    ),
    # From the last column on, and the nearest lanes first; it starts with the first number.
    Right(
        "xli_rowmax_backwards",
        "xli_rowmax",
        (
            "candidate{lowest, nowhere};",
            "candidate{numbers[0], 0};",
        ),
        (
            "for (auto column = int64_t{threadIdx.x}; column < columns; column += warp) {",
            "for (auto column = columns - 1 - int64_t{threadIdx.x}; column > 0; column -= warp) {",
        ),
        ("if (next.beats(mine)) mine = next;", "if (!mine.beats(next)) mine = next;"),
        (
            "for (auto step = warp / 2; step > 0; step /= 2) {",
            "for (auto step = 1; step < warp; step *= 2) {",
        ),
        ("warps = 4;", "warps = 3;"),
    ),
    # The tile is turned when it is loaded; few planes at once.
    Right(
        "xli_planes_turned_tile",
        "xli_planes",
        ("#define NB 16", "#define NB 8"),
        ("tile[ty][tx] = A(i, j, l);", "tile[tx][ty] = A(i, j, l);"),
        ("= tile[tx][ty];", "= tile[ty][tx];"),
        ("np < 1024 ? np : 1024", "np < 3 ? np : 3"),
        ("down < 512 ? down : 512", "down < 2 ? down : 2"),
    ),
    # In double, from the last tile of the depth on.
    Right(
        "xli_gemmtn_double",
        "xli_gemmtn",
        ("#define TILE 16", "#define TILE 8"),
        ("float Dvalue = 0.0f;", "double Dvalue = 0.0;"),
        (
            "for (int64_t k0 = 0; k0 < K; k0 += TILE)",
            "for (int64_t k0 = ((int64_t)K + TILE - 1) / TILE * TILE - TILE; k0 >= 0; k0 -= TILE)",
        ),
        ("Dvalue += As[e][ty] * Bs[e][tx];", "Dvalue += (double)As[e][ty] * Bs[e][tx];"),
        ("float scaled = alpha * Dvalue;", "double scaled = alpha * Dvalue;"),
        ("scaled += beta * C[row * N + col];", "scaled += (double)beta * C[row * N + col];"),
        ("D[row * N + col] = scaled;", "D[row * N + col] = (float)scaled;"),
    ),
    # Without shared memory, and with the nodes from the last one on.
    Right(
        "xli_nodes_no_shared",
        "xli_nodes",
        (
            "    __shared__ float parent[4][4];\n    for (unsigned e = threadIdx.x; e < 16; e += blockDim.x)\n        parent[e / 4][e % 4] = pParent[e];\n    __syncthreads();\n\n    const int64_t id = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;\n    if (id >= nodeCount * 4)\n        return;\n",
            "    const int64_t id = nodeCount * 4 - 1 - ((int64_t)blockIdx.x * blockDim.x + threadIdx.x);\n    if (id < 0)\n        return;\n",
        ),
        (
            "const float weight = parent[r][k];",
            "const float weight = __ldg(pParent + r * 4 + k);",
        ),
        ("(threadCount + blockSize - 1) / blockSize;", "threadCount / blockSize + 1;"),
    ),
    # The logarithm of the sum is taken away, where another would divide.
    Right(
        "xli_causal_logarithm",
        "xli_causal",
        ("THREADS = 64;", "THREADS = 128;"),
        (
            "p[key] = key <= query ? expf(scale * s[key] - largest) / total : 0.0f;",
            "p[key] = key <= query ? expf((scale * s[key] - largest) - logf(total)) : 0.0f;",
        ),
        ("rows < 20000 ? rows : 20000", "rows < 7 ? rows : 7"),
    ),
    # Weights stand in the output until they are divided; what is hidden is set last.
    Right(
        "xli_causal_in_the_output",
        "xli_causal",
        (
            "total += expf(scale * s[key] - largest);",
            "total += p[key] = expf(scale * s[key] - largest);",
        ),
        (
            "for (int64_t key = threadIdx.x; key < length; key += THREADS) p[key] = key <= query ? expf(scale * s[key] - largest) / total : 0.0f;",
            "for (int64_t key = threadIdx.x; key <= query; key += THREADS) p[key] /= total;\n        for (int64_t key = int64_t{length} - 1 - threadIdx.x; key > query; key -= THREADS) p[key] = 0.0f;",
        ),
        ("THREADS = 64;", "THREADS = 32;"),
    ),
    # One warp, whose lanes all have the sum, in double.
    Right(
        "xli_rms_one_warp",
        "xli_rms",
        ("kNumThreads = 128;", "kNumThreads = 32;"),
        ("  float sq = 0.f;\n", "  double sq = 0.0;\n"),
        ("    sq += v * v;\n", "    sq += static_cast<double>(v) * v;\n"),
        ("  __shared__ float warp_sums[kNumWarps];\n  __shared__ float inv_rms;\n", ""),
        (
            "  if (threadIdx.x % 32 == 0) warp_sums[threadIdx.x / 32] = sq;\n  __syncthreads();\n\n  if (threadIdx.x == 0) {\n    float block_sum = 0.f;\n    for (int i = 0; i < kNumWarps; ++i) block_sum += warp_sums[i];\n    inv_rms = 1.f / sqrtf(block_sum / hidden + eps);\n  }\n  __syncthreads();\n",
            "  const float inv_rms = static_cast<float>(1.0 / sqrt(sq / hidden + eps));\n",
        ),
    ),
    # Each lane has a part of the row in one piece; both of a pair of lanes merge.
    Right(
        "xli_welford_pieces",
        "xli_welford",
        (
            "    for (int64_t i = lane; i < width; i += 32) moments.add(in[i]);\n",
            "    const int64_t end = (lane + int64_t{1}) * width / 32;\n    for (int64_t i = int64_t{lane} * width / 32; i < end; ++i) moments.add(in[i]);\n",
        ),
        ("    other.count = __shfl_down_sync(", "    other.count = __shfl_xor_sync("),
        ("    other.mean = __shfl_down_sync(", "    other.mean = __shfl_xor_sync("),
        ("    other.m2 = __shfl_down_sync(", "    other.m2 = __shfl_xor_sync("),
        (
            "__shfl_sync(0xffffffffu, moments.mean, 0);",
            "__shfl_sync(0xffffffffu, moments.mean, 31);",
        ),
        (
            "__shfl_sync(0xffffffffu, moments.m2, 0);",
            "__shfl_sync(0xffffffffu, moments.m2, 31);",
        ),
        (
            "layer_norm_rows<2><<<static_cast<unsigned>(blocks < 5000 ? blocks : 5000), 64,",
            "layer_norm_rows<3><<<static_cast<unsigned>(blocks < 4 ? blocks : 4), 96,",
        ),
    ),
)
