"""Hold a fortieth family: borders, casts, softplus, sums, minima, keys, products, norms.

Its styles are those of a student, a game programmer, an extension's author, a vendor's sample,
a library for signals, a port from Fortran, an inference engine, a modernist, an old framework
and a new one. The causes were written before a member was judged. On the emulator each member
ran beside PyTorch, compared as a case does, twice with other numbers in the outputs and around
all tensors. nvcc 13.0 compiles each for 8.0; none was run on a GPU. Bases and right ones are
right, and all wrong ones but three wrong, refused by a fault or for their launch, or endless,
some only so:

    xl_outer_float               of terms or sums that no float has, and of those that wrap
    xl_outer_clamped             of sums that 32 bits do not hold
    xl_outer_and                 if the width is no multiple of 32
    xl_outer_block_x             from 9 rows on
    xl_outer_vectors             if the sides differ, or the row and the column
    xl_outer_no_alpha            if the factor is not 1
    xl_unhalf_flushed            of subnormal halves
    xl_unhalf_denormal_exponent  of subnormal halves
    xl_unhalf_finite             of infinities and NaNs
    xl_unhalf_no_nan             of NaNs
    xl_unhalf_plain_zero         of -0.0
    xl_unhalf_endless            of zeros: it never ends
    xl_unhalf_big_endian         from 4 elements on
    xl_unhalf_packs_up           if the count is no multiple of 4
    xl_softplus_as_written       of numbers whose exp overflows, or counts little beside 1
    xl_softplus_not_divided      if beta is not 1
    xl_softplus_clamped          of NaN, and from 30 / beta on, up and down
    xl_softplus_ceil             if numel is no multiple of the block size
    xl_softplus_scales_input     if beta is not 1, and an input is neither 0 nor infinite or NaN
    xl_total_second_element      if n is no multiple of 128
    xl_total_first_partials      from 8,193 elements on
    xl_total_tickets             from the second call on
    xl_total_not_zeroed          unless the memory that it gets is zero
    xl_rowdot_any_address        if a row does not begin at a whole word, from 4 bytes on
    xl_rowdot_unsigned           of bytes below 0 that are in whole words
    xl_rowdot_short_rows         of rows of 1 or 2 bytes that end before a word begins
    xl_rowdot_tail_of_row        if bytes are before the first whole word of a row
    xl_rowdot_half_warp          from 17 words in a row on
    xl_minloc_first_place        if the first number is the smallest, or NaN
    xl_minloc_huge               if a column is infinite
    xl_minloc_no_nan             if a NaN is there
    xl_minloc_real               if the smallest is no float, and not the first thread's
    xl_keyt_heads_inside         if neither heads nor dim is 1
    xl_keyt_fewer_threads        if seq or dim is above 4
    xl_keyt_tile_as_it_is        unless seq and dim are 1
    xl_bmmnt_one_b               from 2 batches on
    xl_bmmnt_no_zeros            if k is no multiple of 16
    xl_bmmnt_product_rounded     of products that no bfloat16 has
    xl_bmmnt_next_to_it          unless m and n are 1
    xl_bmmnt_rows_to_n           if 16 rows begin at n or behind
    xl_padsm_ten_thousand        if all is padding, or the scores are not far above -10,000
    xl_padsm_only_padding        if all is padding
    xl_padsm_mask_of_row         from 2 heads on
    xl_padsm_largest_of_all      of padding whose score is far above the others
    xl_chanlog_plane             from 2 channels on
    xl_chanlog_one_image         from 2 images on
    xl_chanlog_no_shift          of numbers whose exp overflows, or which all underflow
    xl_chanlog_from_second       if the first channel counts in the sum
    xl_chanlog_base_2            unless the sum is 1
    xl_lnstat_whole_strides      of widths that are no multiple of 96, unless all is equal
    xl_lnstat_least              if neither of variance and epsilon is small beside the other
    xl_lnstat_swapped            unless weights and terms are equal
    xl_lnstat_added_first        if a term is not 0 and its weight not 1
    xl_lnstat_in_half            if the mean or a distance from it is no half

Three are right on the emulator, and wrong by reasoning:

    xl_total_no_barrier          where warps run at once
    xl_padsm_copy                on every stream but the default one
    xl_chanlog_int               from nearly 2^31 elements on
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

# A student's sum of a matrix, a row and a column of integers, which wraps as PyTorch's does.
OUTER = (
    HEADER
    + """\
#define BLOCK_W 32
#define BLOCK_H 8

// out[r][c] = mat[r][c] + alpha * top[c] - left[r]
__global__ void addBorders(const int *mat, const int *top, const int *left, int *out, int alpha, int64_t height, int64_t width)
{
    int64_t c = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;

    // there may be more rows than the grid can have
    for (int64_t r = (int64_t)blockIdx.y * blockDim.y + threadIdx.y; r < height; r += (int64_t)gridDim.y * blockDim.y)
    {
        if (c >= width) return;
        // unsigned, so that an overflow is defined
        unsigned sum = (unsigned)mat[r * width + c];
        sum += (unsigned)alpha * (unsigned)top[c];
        sum -= (unsigned)left[r];
        out[r * width + c] = (int)sum;
    }
}

extern "C" void launch(const int *mat /* [height, width] */, const int *top /* [width] */, const int *left /* [height] */, int *out /* [height, width] */,
                       int alpha, int64_t height, int64_t width, cudaStream_t stream = 0)
{
    dim3 block(BLOCK_W, BLOCK_H);
    int64_t down = (height + BLOCK_H - 1) / BLOCK_H;
    dim3 grid((unsigned)((width + BLOCK_W - 1) / BLOCK_W), (unsigned)(down < 65535 ? down : 65535));
    addBorders<<<grid, block, 0, stream>>>(mat, top, left, out, alpha, height, width);
}
"""
)

# A game programmer's floats of halves, by the bits as on a CPU without such an instruction.
UNHALF = (
    HEADER
    + """\
typedef uint32_t u32;

static __device__ __forceinline__ float HalfToFloat(u32 h)
{
    const u32 sign = (h & 0x8000u) << 16;
    u32 exponent = (h >> 10) & 0x1Fu;
    u32 mantissa = h & 0x3FFu;

    if (exponent == 31)             // infinity, NaN
    {
        exponent = 255;
    }
    else if (exponent != 0)         // normal: the bias is 127, it was 15
    {
        exponent += 112;
    }
    else if (mantissa != 0)         // denormal: no float of this size is one
    {
        exponent = 113;
        while ((mantissa & 0x400u) == 0)
        {
            mantissa <<= 1;
            --exponent;
        }
        mantissa &= 0x3FFu;
    }
    return __uint_as_float(sign | (exponent << 23) | (mantissa << 13));
}

__global__ void ExpandHalves(const uint2* pPacked, const uint16_t* pSrc, float4* pWide, float* pDst, int64_t count)
{
    const int64_t step = (int64_t)gridDim.x * blockDim.x;
    const int64_t first = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const int64_t packs = count / 4;

    for (int64_t p = first; p < packs; p += step)
    {
        const uint2 v = pPacked[p];
        pWide[p] = make_float4(HalfToFloat(v.x & 0xFFFFu), HalfToFloat(v.x >> 16), HalfToFloat(v.y & 0xFFFFu), HalfToFloat(v.y >> 16));
    }
    for (int64_t i = packs * 4 + first; i < count; i += step)   // up to three are left
    {
        pDst[i] = HalfToFloat(pSrc[i]);
    }
}

extern "C" void launch(const half* src /* [count] 8-byte aligned */, float* dst /* [count] 16-byte aligned */, int64_t count, cudaStream_t stream = 0)
{
    ExpandHalves<<<5, 96, 0, stream>>>((const uint2*)src, (const uint16_t*)src, (float4*)dst, dst, count);
}
"""
)

# An extension's softplus: a functor, a thread an element.
SOFTPLUS = (
    HEADER
    + """\
namespace ext {

// log(1 + exp(beta * x)) / beta, without an overflow
struct SoftplusOp {
  float beta;

  __device__ __forceinline__ float operator()(float x) const {
    const float z = x * beta;
    const float positive_part = z > 0.0f ? x : 0.0f;
    return positive_part + log1pf(expf(-fabsf(z))) / beta;
  }
};

template <typename scalar_t, typename op_t>
__global__ void unary_kernel(const scalar_t* __restrict__ inp, scalar_t* __restrict__ result, int64_t numel, op_t op) {
  const int64_t index = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (index < numel) {
    result[index] = op(inp[index]);
  }
}

}  // namespace ext

extern "C" void launch(const float* inp,  // [numel]
                       float* result,      // [numel]
                       float beta, int64_t numel, int threads = 128, cudaStream_t stream = 0) {
  const int64_t blocks = (numel + threads - 1) / threads;
  ext::unary_kernel<<<static_cast<unsigned>(blocks), threads, 0, stream>>>(inp, result, numel, ext::SoftplusOp{beta});
}
"""
)

# A sum of bfloat16 in one kernel, as in a vendor's sample: the last block adds the partials.
TOTAL = (
    HEADER
    + """\
#define BLOCK 64
#define GRID 80

typedef __nv_bfloat16 bf16;

// Adds up one number of each thread; the first one has the sum.
__device__ void reduceBlock(double *sdata, double mySum, unsigned int tid)
{
    sdata[tid] = mySum;
    __syncthreads();

    for (unsigned int s = BLOCK / 2; s > 0; s >>= 1)
    {
        if (tid < s)
            sdata[tid] += sdata[tid + s];
        __syncthreads();
    }
}

__global__ void reduceSinglePass(const bf16 *g_idata, float *g_odata, double *g_partial, unsigned int *g_retired, int64_t n)
{
    __shared__ double sdata[BLOCK];
    __shared__ bool amLast;
    const unsigned int tid = threadIdx.x;

    // phase 1: two elements a turn
    double mySum = 0.0;
    for (int64_t i = (int64_t)blockIdx.x * (2 * BLOCK) + tid; i < n; i += (int64_t)gridDim.x * (2 * BLOCK))
    {
        mySum += __bfloat162float(g_idata[i]);
        if (i + BLOCK < n)
            mySum += __bfloat162float(g_idata[i + BLOCK]);
    }
    reduceBlock(sdata, mySum, tid);

    if (tid == 0)
    {
        g_partial[blockIdx.x] = sdata[0];
        __threadfence();    // the partial sum is seen before the ticket
        unsigned int ticket = atomicInc(g_retired, gridDim.x);
        amLast = ticket == gridDim.x - 1;
    }
    __syncthreads();    // amLast is known

    // phase 2: the last block
    if (amLast)
    {
        mySum = 0.0;
        for (unsigned int i = tid; i < gridDim.x; i += BLOCK)
            mySum += ((volatile double *)g_partial)[i];
        reduceBlock(sdata, mySum, tid);
        if (tid == 0)
            *g_odata = (float)sdata[0];
    }
}

extern "C" void launch(const bf16 *g_idata /* [n] */, float *g_odata /* [1] */, int64_t n, cudaStream_t stream = 0)
{
    double *g_partial;
    unsigned int *g_retired;
    cudaMallocAsync(&g_partial, GRID * sizeof(double), stream);
    cudaMallocAsync(&g_retired, sizeof(unsigned int), stream);
    cudaMemsetAsync(g_retired, 0, sizeof(unsigned int), stream);
    reduceSinglePass<<<GRID, BLOCK, 0, stream>>>(g_idata, g_odata, g_partial, g_retired, n);
    cudaFreeAsync(g_retired, stream);
    cudaFreeAsync(g_partial, stream);
}
"""
)

# A signal processing library's sums of rows of bytes: four with one instruction, a warp a row.
ROWDOT = (
    HEADER
    + """\
namespace dsp {

constexpr int kWarps = 3;

__global__ void __launch_bounds__(kWarps * 32) sum_rows_s8(const int8_t* __restrict__ samples, long long* __restrict__ sums, int channels, int64_t length) {
  const int lane = threadIdx.x;
  const int64_t channel = int64_t{blockIdx.x} * kWarps + threadIdx.y;
  if (channel >= channels) return;  // the whole warp
  const int8_t* const begin = samples + channel * length;

  // Bytes before the first whole word, whole words, bytes behind the last one.
  int64_t head = static_cast<int64_t>((4 - reinterpret_cast<uintptr_t>(begin) % 4) % 4);
  if (head > length) head = length;
  const int64_t words = (length - head) / 4;
  const int* const packed = reinterpret_cast<const int*>(begin + head);

  long long sum = 0;
  if (lane < head) sum += begin[lane];
  for (int64_t w = lane; w < words; w += 32) sum += __dp4a(packed[w], 0x01010101, 0);
  for (int64_t i = head + 4 * words + lane; i < length; i += 32) sum += begin[i];

  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset);
  if (lane == 0) sums[channel] = sum;
}

}  // namespace dsp

extern "C" void launch(const int8_t* samples,  // [channels, length]
                       long long* sums,        // [channels]
                       int channels, int64_t length, cudaStream_t stream = 0) {
  const unsigned blocks = (static_cast<unsigned>(channels) + dsp::kWarps - 1) / dsp::kWarps;
  dsp::sum_rows_s8<<<blocks, dim3(32, dsp::kWarps), 0, stream>>>(samples, sums, channels, length);
}
"""
)

# A port of Fortran's MINVAL and MINLOC along the first dimension: places count from 1.
MINLOC = (
    HEADER
    + """\
/*
 *     VAL = MINVAL(A, DIM=1)
 *     LOC = MINLOC(A, DIM=1)        for A(M,N), here by rows
 *
 *     The first of equal ones. A NaN is less than all numbers.
 */
#define NX 32
#define NY 4

__device__ bool precedes(double a, int64_t la, double b, int64_t lb)
{
    const bool a_nan = a != a, b_nan = b != b;
    if (a_nan || b_nan) return a_nan && (!b_nan || la < lb);
    return a < b || (a == b && la < lb);
}

__global__ void minloc1(const double *A, double *VAL, int *LOC, int M, int64_t N)
{
    __shared__ double vals[NY][NX];
    __shared__ int64_t locs[NY][NX];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int64_t j = (int64_t) blockIdx.x * NX + tx + 1;

    double v = INFINITY;
    int64_t loc = INT64_MAX;
    if (j <= N) {
        for (int64_t i = ty + 1; i <= M; i += NY) {
            const double a = A[(i - 1) * N + (j - 1)];
            if (precedes(a, i, v, loc)) {
                v = a;
                loc = i;
            }
        }
    }
    vals[ty][tx] = v;
    locs[ty][tx] = loc;
    __syncthreads();

    if (ty == 0 && j <= N) {
        for (int k = 1; k < NY; k++) {
            if (precedes(vals[k][tx], locs[k][tx], v, loc)) {
                v = vals[k][tx];
                loc = locs[k][tx];
            }
        }
        VAL[j - 1] = v;
        LOC[j - 1] = (int) loc;
    }
}

extern "C" void launch(const double *A /* [M, N] */, double *VAL /* [N] */, int *LOC /* [N] */, int M, int64_t N, cudaStream_t stream = 0)
{
    minloc1<<<(unsigned) ((N + NX - 1) / NX), dim3(NX, NY), 0, stream>>>(A, VAL, LOC, M, N);
}
"""
)

# An attention's keys, transposed for each head: from [seq, heads, dim] to [heads, dim, seq].
KEYT = (
    HEADER
    + """\
// K^T for the scores; the heads are interleaved in K
#define TILE_DIM 32
#define BLOCK_ROWS 8

__global__ void transpose_keys(const half* __restrict__ k, half* __restrict__ kt, int seq, int heads, int dim) {
  __shared__ half tile[TILE_DIM][TILE_DIM + 2];

  const int64_t s0 = (int64_t)blockIdx.x * TILE_DIM;
  for (int64_t head = blockIdx.z; head < heads; head += gridDim.z) {
    for (int64_t d0 = (int64_t)blockIdx.y * TILE_DIM; d0 < dim; d0 += (int64_t)gridDim.y * TILE_DIM) {
      // load: neighbours in dim
      for (int j = threadIdx.y; j < TILE_DIM; j += BLOCK_ROWS) {
        const int64_t s = s0 + j, d = d0 + threadIdx.x;
        if (s < seq && d < dim) tile[j][threadIdx.x] = k[(s * heads + head) * dim + d];
      }
      __syncthreads();
      // store: neighbours in seq
      for (int j = threadIdx.y; j < TILE_DIM; j += BLOCK_ROWS) {
        const int64_t s = s0 + threadIdx.x, d = d0 + j;
        if (s < seq && d < dim) kt[(head * dim + d) * seq + s] = tile[threadIdx.x][j];
      }
      __syncthreads();
    }
  }
}

extern "C" void launch(const half* k /* [seq, heads, dim] */, half* kt /* [heads, dim, seq] */, int seq, int heads, int dim, cudaStream_t stream = 0) {
  const unsigned tiles_s = ((unsigned)seq + TILE_DIM - 1) / TILE_DIM;
  const unsigned tiles_d = ((unsigned)dim + TILE_DIM - 1) / TILE_DIM;
  const dim3 grid(tiles_s, tiles_d < 1024 ? tiles_d : 1024, heads < 65535 ? heads : 65535);
  const dim3 block(TILE_DIM, BLOCK_ROWS);
  transpose_keys<<<grid, block, 0, stream>>>(k, kt, seq, heads, dim);
}
"""
)

# A modernist's batch of products of bfloat16 with transposed right sides, 2 x 2 a thread.
BMMNT = (
    HEADER
    + """\
namespace gemm {

template <int Side>
struct staged {
    float value[Side][Side + 1];

    // The square whose corner is at (row, column), with zeros outside of the matrix.
    __device__ void load(__nv_bfloat16 const* matrix, int64_t row, int64_t column, int64_t rows, int64_t columns)
    {
        auto const threads = static_cast<int>(blockDim.x * blockDim.y);
        for (auto e = static_cast<int>(threadIdx.y * blockDim.x + threadIdx.x); e < Side * Side; e += threads) {
            auto const r = row + e / Side, c = column + e % Side;
            value[e / Side][e % Side] = r < rows && c < columns ? __bfloat162float(matrix[r * columns + c]) : 0.0f;
        }
    }
};

template <int Side>
__global__ void batched_nt(__nv_bfloat16 const* a, __nv_bfloat16 const* b, float* c, int batches, int m, int n, int k)
{
    constexpr int half_side = Side / 2;
    __shared__ staged<Side> left, right;
    auto const tx = static_cast<int>(threadIdx.x), ty = static_cast<int>(threadIdx.y);
    auto const column = int64_t{blockIdx.x} * Side;

    for (int64_t batch = blockIdx.z; batch < batches; batch += gridDim.z) {
        auto const* const own_a = a + batch * m * k;
        auto const* const own_b = b + batch * n * k;
        auto* const own_c = c + batch * m * n;
        for (auto row = int64_t{blockIdx.y} * Side; row < m; row += int64_t{gridDim.y} * Side) {
            float sum[2][2] = {};
            for (int64_t depth = 0; depth < k; depth += Side) {
                left.load(own_a, row, depth, m, k);
                right.load(own_b, column, depth, n, k);
                __syncthreads();
                for (int p = 0; p < Side; ++p)
                    for (int i = 0; i < 2; ++i)
                        for (int j = 0; j < 2; ++j)
                            sum[i][j] += left.value[ty + i * half_side][p] * right.value[tx + j * half_side][p];
                __syncthreads();  // all have read
            }
            for (int i = 0; i < 2; ++i) {
                for (int j = 0; j < 2; ++j) {
                    auto const r = row + ty + i * half_side, s = column + tx + j * half_side;
                    if (r < m && s < n) own_c[r * n + s] = sum[i][j];
                }
            }
        }
    }
}

}  // namespace gemm

extern "C" void launch(__nv_bfloat16 const* a /* [batches, m, k] */, __nv_bfloat16 const* b /* [batches, n, k] */, float* c /* [batches, m, n] */, int batches, int m, int n, int k, cudaStream_t stream = 0)
{
    constexpr auto side = 16;
    auto const across = (static_cast<unsigned>(n) + side - 1) / side, down = (static_cast<unsigned>(m) + side - 1) / side;
    auto const grid = dim3{across, down < 512u ? down : 512u, batches < 4096 ? static_cast<unsigned>(batches) : 4096u};
    gemm::batched_nt<side><<<grid, dim3{side / 2, side / 2}, 0, stream>>>(a, b, c, batches, m, n, k);
}
"""
)

# A fused softmax for padded sequences, in place on a copy; what is all padding gets zeros.
PADSM = (
    HEADER
    + """\
constexpr int ROWS_PER_BLOCK = 4;

__device__ __forceinline__ float warp_max(float v) {
  for (int m = 1; m < 32; m *= 2) v = fmaxf(v, __shfl_xor_sync(0xffffffff, v, m));
  return v;
}

__device__ __forceinline__ float warp_sum(float v) {
  for (int m = 1; m < 32; m *= 2) v += __shfl_xor_sync(0xffffffff, v, m);
  return v;
}

// In place. is_pad is true for a key of padding, which all heads of a sequence have alike.
__global__ void padded_softmax_(half* attn, const bool* is_pad, int64_t n_rows, int heads, int keys) {
  for (int64_t row = (int64_t)blockIdx.x * ROWS_PER_BLOCK + threadIdx.y; row < n_rows; row += (int64_t)gridDim.x * ROWS_PER_BLOCK) {
    half* scores = attn + row * keys;
    const bool* pad = is_pad + row / heads * keys;

    float top = -INFINITY;
    for (int64_t k = threadIdx.x; k < keys; k += 32) {
      if (!pad[k]) top = fmaxf(top, __half2float(scores[k]));
    }
    top = warp_max(top);

    float sum = 0.0f;
    for (int64_t k = threadIdx.x; k < keys; k += 32) {
      if (!pad[k]) sum += expf(__half2float(scores[k]) - top);
    }
    sum = warp_sum(sum);

    for (int64_t k = threadIdx.x; k < keys; k += 32) {
      const float weight = pad[k] ? 0.0f : expf(__half2float(scores[k]) - top) / sum;
      scores[k] = __float2half(weight);
    }
  }
}

extern "C" void launch(const half* scores /* [batch, heads, keys] */, const bool* is_pad /* [batch, keys] */, half* attn /* [batch, heads, keys] */, int batch, int heads, int keys, cudaStream_t stream = 0) {
  const int64_t n_rows = (int64_t)batch * heads;
  const int64_t wanted = (n_rows + ROWS_PER_BLOCK - 1) / ROWS_PER_BLOCK;
  cudaMemcpyAsync(attn, scores, n_rows * keys * sizeof(half), cudaMemcpyDeviceToDevice, stream);
  padded_softmax_<<<(unsigned)(wanted < 30000 ? wanted : 30000), dim3(32, ROWS_PER_BLOCK), 0, stream>>>(attn, is_pad, n_rows, heads, keys);
}
"""
)

# An old framework's layer: log-softmax over the channels of images, by a chain of kernels.
CHANLOG = (
    HEADER
    + """\
#define CUDA_KERNEL_LOOP(i, n) for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < (n); i += (int64_t)blockDim.x * gridDim.x)

const int CUDA_NUM_THREADS = 64;

inline unsigned GET_BLOCKS(const int64_t N) {
  const int64_t blocks = (N + CUDA_NUM_THREADS - 1) / CUDA_NUM_THREADS;
  return (unsigned)(blocks < 4096 ? blocks : 4096);
}

template <typename Dtype>
__global__ void kernel_channel_max(const int64_t num, const int64_t channels, const int64_t spatial_dim, const Dtype* data, Dtype* out) {
  CUDA_KERNEL_LOOP(index, num * spatial_dim) {
    const int64_t n = index / spatial_dim;
    const int64_t s = index % spatial_dim;
    Dtype maxval = data[n * channels * spatial_dim + s];
    for (int64_t c = 1; c < channels; ++c) {
      maxval = fmaxf(data[(n * channels + c) * spatial_dim + s], maxval);
    }
    out[index] = maxval;
  }
}

template <typename Dtype>
__global__ void kernel_channel_subtract(const int64_t count, const int64_t channels, const int64_t spatial_dim, const Dtype* data, const Dtype* channel_data, Dtype* out) {
  CUDA_KERNEL_LOOP(index, count) {
    const int64_t n = index / channels / spatial_dim;
    const int64_t s = index % spatial_dim;
    out[index] = data[index] - channel_data[n * spatial_dim + s];
  }
}

template <typename Dtype>
__global__ void kernel_channel_logsum(const int64_t num, const int64_t channels, const int64_t spatial_dim, const Dtype* shifted, Dtype* channel_sum) {
  CUDA_KERNEL_LOOP(index, num * spatial_dim) {
    const int64_t n = index / spatial_dim;
    const int64_t s = index % spatial_dim;
    Dtype sum = 0;
    for (int64_t c = 0; c < channels; ++c) {
      sum += expf(shifted[(n * channels + c) * spatial_dim + s]);
    }
    channel_sum[index] = logf(sum);
  }
}

template <typename Dtype>
__global__ void kernel_channel_normalize(const int64_t count, const int64_t channels, const int64_t spatial_dim, const Dtype* channel_sum, Dtype* data) {
  CUDA_KERNEL_LOOP(index, count) {
    const int64_t n = index / channels / spatial_dim;
    const int64_t s = index % spatial_dim;
    data[index] -= channel_sum[n * spatial_dim + s];
  }
}

extern "C" void launch(const float* bottom_data,  // [num, channels, spatial_dim]
                       float* top_data,           // [num, channels, spatial_dim]
                       int64_t num, int64_t channels, int64_t spatial_dim, cudaStream_t stream = 0) {
  const int64_t count = num * channels * spatial_dim;
  const int64_t pixels = num * spatial_dim;
  float* scale_data;
  cudaMallocAsync(&scale_data, pixels * sizeof(float), stream);
  kernel_channel_max<float><<<GET_BLOCKS(pixels), CUDA_NUM_THREADS, 0, stream>>>(num, channels, spatial_dim, bottom_data, scale_data);
  kernel_channel_subtract<float><<<GET_BLOCKS(count), CUDA_NUM_THREADS, 0, stream>>>(count, channels, spatial_dim, bottom_data, scale_data, top_data);
  kernel_channel_logsum<float><<<GET_BLOCKS(pixels), CUDA_NUM_THREADS, 0, stream>>>(num, channels, spatial_dim, top_data, scale_data);
  kernel_channel_normalize<float><<<GET_BLOCKS(count), CUDA_NUM_THREADS, 0, stream>>>(count, channels, spatial_dim, scale_data, top_data);
  cudaFreeAsync(scale_data, stream);
}
"""
)

# A training framework's layer norm, which keeps the means and roots for the way back.
LNSTAT = (
    HEADER
    + """\
namespace train {

constexpr int kThreads = 96;

// All threads get the sum.
__device__ float all_reduce(float value) {
  __shared__ float of_warp[kThreads / 32];
  for (int delta = 16; delta >= 1; delta >>= 1) value += __shfl_xor_sync(0xffffffffu, value, delta);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = value;
  __syncthreads();
  float total = 0.0f;
  for (int w = 0; w < kThreads / 32; ++w) total += of_warp[w];
  __syncthreads();  // of_warp may be written again
  return total;
}

__global__ void layer_norm_forward(const half* __restrict__ x, const float* __restrict__ gamma, const float* __restrict__ beta,
                                   half* __restrict__ y, float* __restrict__ mean_out, float* __restrict__ rstd_out, float eps, int width) {
  const int64_t row = blockIdx.x;
  x += row * width;
  y += row * width;

  float sum = 0.0f;
  for (int64_t i = threadIdx.x; i < width; i += kThreads) sum += __half2float(x[i]);
  const float mean = all_reduce(sum) / width;

  float squares = 0.0f;
  for (int64_t i = threadIdx.x; i < width; i += kThreads) {
    const float centered = __half2float(x[i]) - mean;
    squares += centered * centered;
  }
  const float variance = all_reduce(squares) / width;
  const float rstd = 1.0f / sqrtf(variance + eps);

  if (threadIdx.x == 0) {
    mean_out[row] = mean;
    rstd_out[row] = rstd;
  }
  for (int64_t i = threadIdx.x; i < width; i += kThreads) {
    const float normed = (__half2float(x[i]) - mean) * rstd;
    y[i] = __float2half(normed * gamma[i] + beta[i]);
  }
}

}  // namespace train

extern "C" void launch(const half* x,       // [rows, width]
                       const float* gamma,  // [width]
                       const float* beta,   // [width]
                       half* y,             // [rows, width]
                       float* mean,         // [rows]
                       float* rstd,         // [rows]
                       float eps, int rows, int width, cudaStream_t stream = 0) {
  train::layer_norm_forward<<<rows, train::kThreads, 0, stream>>>(x, gamma, beta, y, mean, rstd, eps, width);
}
"""
)

INF, NAN = float("inf"), float("nan")


def _half_unit(right: torch.Tensor) -> torch.Tensor:
    """Return half a unit in the last place of the float16 next to each number."""
    return 2.0 ** (torch.frexp(right)[1].clamp(min=-13) - 12) * (right != 0)


def borders(launcher: Launcher) -> Iterator[Case]:
    """Add a row and take a column away: small integers, and sums that wrap."""
    sides = ((1, 1), (1, 33), (33, 1), (7, 7), (8, 32), (9, 31), (17, 65), (40, 20), (3, 700))
    for height, width in sides:
        n = height * width
        mat, top, left = (whole(-(2**31), 2**31, k, n + k) for k in (n, width, height))
        small = (mat % 199 - 99, top % 199 - 99, left % 199 - 99)
        for label, (m, t, s), alphas in (
            ("small", small, (0, 1, -3)),
            ("any", (mat, top, left), (1, 7, 2**30 + 1)),
            ("no wrap", (mat // 8, top // 64, left // 8), (1, 3)),
        ):
            for alpha in alphas:
                made = m.reshape(height, width) + alpha * t - s.reshape(height, 1)
                inputs = (m.reshape(height, width).int(), t.int(), s.int())
                words = f"height = {height}, width = {width}, alpha = {alpha}, {label}"
                right = (made.int().double(),)
                yield Case(words, inputs, right, {"alpha": alpha}, dtypes=(torch.int32,))


def widened(launcher: Launcher) -> Iterator[Case]:
    """Widen any bits: usual, subnormal and strange halves, zeros of both signs."""
    strange = (0x7C00, 0xFC00, 0x7E00, 0xFE01, 0x7C01, 0x0000, 0x8000, 0x3C00, 0x7BFF, 0x0400)
    for n in (1, 2, 3, 4, 5, 31, 383, 384, 1920, 1923, 5002):
        bits, k = whole(0, 2**16, n, n), torch.arange(n)
        for label, numbers in (
            ("usual", bits % 0x7800 + 0x400 + bits // 0x8000 * 0x8000),
            ("subnormal", bits % 0x3FF + 1 + bits // 0x8000 * 0x8000),
            ("zeros", bits // 0x8000 * 0x8000),
            ("strange", torch.tensor(strange)[(k + n) % len(strange)]),
            ("any bits", bits),
        ):
            x = (numbers - (numbers >= 2**15) * 2**16).to(torch.int16).view(torch.float16)
            for offset in (0, 4) if n > 30 and label == "usual" else (0,):
                words = f"count = {n:,}, {label}, from element {offset}"
                yield Case(words, (x,), (x.double(),), dtypes=(torch.float32,), offset=offset)


def softpluses(launcher: Launcher) -> Iterator[Case]:
    """Take usual and large numbers of both signs, infinities and NaN, for several betas."""
    strange = (INF, -INF, NAN, 0.0, -0.0, 1e38, -1e38)
    for n in (1, 2, 31, 127, 128, 129, 300, 1000, 3001):
        x = whole(-1000, 1001, n, n).float()
        special = torch.tensor([strange[(k + n) % len(strange)] for k in range(n)])
        for label, y in (
            ("usual", x / 250),
            ("wide", x / 40),
            ("large", x),
            ("strange", special),
        ):
            for beta in (1.0, 0.5, 4.0):
                for threads in (128, 96):
                    z = y.double() * beta
                    right = (z.clamp(min=0) + torch.log1p(torch.exp(-z.abs()))) / beta
                    slack = 2.0**-22 * right.abs().nan_to_num(posinf=0.0)
                    slack = slack * (1 + z.abs().clamp(max=200).nan_to_num()) + 1e-44 / beta
                    words = f"numel = {n:,}, beta = {beta}, threads = {threads}, {label}"
                    arguments = {"beta": beta, "threads": threads}
                    options = {"dtypes": (torch.float32,), "ulp": 2, "within": (slack,)}
                    yield Case(words, (y,), (right,), arguments, **options)


def totals(launcher: Launcher) -> Iterator[Case]:
    """Add whole numbers, so that all is exact, and an infinity; also after another call."""
    for n in (1, 2, 63, 64, 65, 127, 128, 129, 200, 1000, 8191, 8300, 10_241, 25_001):
        x, before = (whole(-99, 100, n, n + k).float() for k in range(2))
        for label, y in (
            ("both signs", x),
            ("positive", x.abs() + 1),
            ("an infinity", torch.where(torch.arange(n) == n // 2, INF, x)),
        ):
            right = (y.double().sum().reshape(1),)
            options = {"dtypes": (torch.float32,)}
            yield Case(f"n = {n:,}, {label}", (y.bfloat16(),), right, **options)
            if label == "positive":
                options["before"] = (before.bfloat16(),)
                words = f"n = {n:,}, {label}, a second call"
                yield Case(words, (y.bfloat16(),), right, **options)


def byte_rows(launcher: Launcher) -> Iterator[Case]:
    """Add rows of bytes of both signs, from any address."""
    sides = ((1, 1), (5, 1), (4, 2), (7, 3), (3, 4), (6, 5), (2, 32), (5, 127), (3, 128))
    for channels, length in (*sides, (4, 131), (2, 1000), (40, 9), (1, 4099)):
        n = channels * length
        x = whole(-128, 128, n, n).reshape(channels, length)
        for label, y in (("any", x), ("positive", x.abs() % 128), ("lowest", x * 0 - 128)):
            for offset in (0, (1, 0), (2, 1), (3, 0)):
                words = f"channels = {channels}, length = {length:,}, {label}, from {offset}"
                right = (y.sum(1).double(),)
                options = {"dtypes": (torch.int64,), "offset": offset}
                yield Case(words, (y.to(torch.int8),), right, **options)


def column_minima(launcher: Launcher) -> Iterator[Case]:
    """Find the first of the smallest of columns: both signs, equal ones, infinities, NaNs."""
    sides = ((1, 1), (1, 40), (2, 3), (3, 33), (4, 32), (5, 31), (9, 64), (50, 7), (33, 70))
    for rows, cols in (*sides, (700, 2)):
        n = rows * cols
        x = whole(-(10**12), 10**12, n, n).double().reshape(rows, cols) / 32
        few, k = whole(1, 4, n, n + 1).double().reshape(rows, cols), torch.arange(rows)[:, None]
        for label, y in (
            ("any", x),
            ("positive", x.abs() + 1),
            ("rising", x.sort(dim=0)[0]),
            ("falling", x.sort(dim=0, descending=True)[0]),
            ("equal ones", few),
            ("infinity", x * 0 + INF),
            ("NaNs", torch.where(k % 37 == rows // 2 % 37, NAN, x)),
        ):
            least = y.min(dim=0, keepdim=True)[0]
            is_best = torch.where(least.isnan(), y.isnan(), y == least)
            place = torch.where(is_best, k + 1, rows + 1).min(dim=0)[0]
            right = (least.reshape(-1), place.double())
            words = f"M = {rows}, N = {cols}, {label}"
            yield Case(words, (y,), right, dtypes=(torch.float64, torch.int32))


def keys(launcher: Launcher) -> Iterator[Case]:
    """Transpose the keys of one head and of several, of many sides."""
    sides = ((1, 1, 1), (32, 1, 32), (5, 3, 7), (40, 2, 33), (33, 1, 70), (70, 4, 16))
    for seq, heads, dim in (*sides, (1, 5, 40), (100, 3, 1), (64, 2, 64), (31, 9, 31)):
        n = seq * heads * dim
        x = (whole(-999, 1000, n, n).float() / 8).half().reshape(seq, heads, dim)
        right = (x.permute(1, 2, 0).contiguous().double(),)
        words = f"seq = {seq}, heads = {heads}, dim = {dim}"
        yield Case(words, (x,), right, dtypes=(torch.float16,))


def batched_products(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole numbers that bfloat16 has: all is exact in float."""
    sides = ((1, 1, 1, 1), (1, 16, 16, 16), (2, 3, 5, 4), (3, 17, 9, 16), (2, 20, 33, 17))
    for batches, m, n, k in (*sides, (5, 8, 8, 40), (1, 50, 1, 33), (2, 1, 40, 100)):
        a = whole(-15, 16, batches * m * k, m + n).float().reshape(batches, m, k)
        b = whole(-15, 16, batches * n * k, m + k).float().reshape(batches, n, k)
        for label, x, y in (
            ("small", a, b),
            ("large", a.abs() * 8 + 129, b.abs() * 8 + 129),
        ):
            x, y = x.bfloat16(), y.bfloat16()
            right = (x.double() @ y.double().transpose(1, 2),)
            words = f"batches = {batches}, m = {m}, n = {n}, k = {k}, {label}"
            yield Case(words, (x, y), right, dtypes=(torch.float32,))


def padded_softmaxes(launcher: Launcher) -> Iterator[Case]:
    """Weigh what is no padding: some, none and all of it padding; huge numbers under it."""
    sides = ((1, 1, 1), (2, 1, 5), (1, 4, 32), (3, 2, 33), (2, 3, 31), (4, 5, 7), (1, 2, 500))
    for batch, heads, count in (*sides, (2, 2, 1100)):
        n = batch * heads * count
        x = whole(-1000, 1001, n, n).float().reshape(batch, heads, count) / 256
        some = whole(0, 3, batch * count, n + 1).reshape(batch, count) == 0
        some[:, 0] = False
        behind = torch.arange(count) >= (count + 1) // 2
        behind = behind.expand(batch, count)
        every = some | (torch.arange(batch)[:, None] % 2 == 0)
        for label, y, pad in (
            ("usual", x, some),
            ("no padding", x, some & False),
            ("padding behind", x, behind),
            ("sequences of padding only", x, every),
            ("large", x * 64, some),
            ("far below 0", x - 20_000, some),
            ("huge under the padding", torch.where(some[:, None], x + 2000, x), some),
        ):
            y, pad = y.half(), pad.contiguous()
            z = y.double().masked_fill(pad[:, None], -INF)
            right = torch.softmax(z, dim=2)
            right = torch.where(pad.all(dim=1)[:, None, None], 0.0, right)
            slack = _half_unit(right) + 2.0**-20 * right + 1e-12
            words = f"batch = {batch}, heads = {heads}, keys = {count:,}, {label}"
            options = {"dtypes": (torch.float16,), "within": (slack,)}
            yield Case(words, (y, pad), (right,), **options)


def channel_log_softmaxes(launcher: Launcher) -> Iterator[Case]:
    """Take images of one and of many channels and pixels: usual, wide, huge, and with -inf."""
    sides = ((1, 1, 1), (2, 1, 3), (1, 5, 1), (2, 3, 7), (3, 10, 64), (4, 33, 5), (1, 200, 9))
    for num, channels, pixels in (*sides, (2, 7, 700)):
        n = num * channels * pixels
        x = whole(-1000, 1001, n, n).float().reshape(num, channels, pixels) / 64
        k = torch.arange(channels)[:, None]
        for label, y in (
            ("usual", x),
            ("wide", x * 16),
            ("far below 0", x - 1000),
            ("huge", x * 2.0**116),
            ("equal", x * 0 + 3),
            ("with -inf", torch.where(k % 3 == 1, -INF, x)),
        ):
            right = torch.log_softmax(y.double(), dim=1)
            slack = 2.0**-20 + 2.0**-21 * right.abs().nan_to_num(posinf=0.0)
            words = f"num = {num}, channels = {channels}, spatial_dim = {pixels}, {label}"
            options = {"dtypes": (torch.float32,), "within": (slack,), "ulp": 2}
            yield Case(words, (y,), (right,), **options)


def kept_layer_norms(launcher: Launcher) -> Iterator[Case]:
    """Normalize rows: about 0, off 0, small, equal numbers."""
    sides = ((1, 1), (2, 2), (3, 31), (4, 95), (5, 96), (2, 97), (3, 200), (120, 5), (2, 1000))
    for rows, width in sides:
        n = rows * width
        x = whole(-1000, 1001, n, n).float().reshape(rows, width) / 256
        gamma, beta = (whole(-99, 100, width, n + k).float() / 32 for k in (1, 2))
        for label, y in (
            ("usual", x),
            ("off 0", x + 60),
            ("small", x / 2**8),
            ("equal", x * 0 + 5),
        ):
            y = y.half()
            for eps in (2.0**-17, 0.125):
                z = y.double()
                mean = z.mean(dim=1, keepdim=True)
                rstd = 1 / (z.var(dim=1, correction=0, keepdim=True) + eps).sqrt()
                normed = (z - mean) * rstd * gamma.double()
                right = normed + beta.double()
                far = z.abs().amax(dim=1, keepdim=True)
                off = (
                    2.0**-20 * (normed.abs() + beta.abs()) + 2.0**-21 * far * rstd * gamma.abs()
                )
                yield Case(
                    f"rows = {rows}, width = {width:,}, eps = {eps}, {label}",
                    (y, gamma, beta),
                    (right, mean.reshape(-1), rstd.reshape(-1)),
                    {"eps": eps},
                    dtypes=(torch.float16, torch.float32, torch.float32),
                    within=(
                        _half_unit(right) + off,
                        2.0**-21 * far.reshape(-1),
                        (2.0**-20 * rstd).reshape(-1),
                    ),
                )


BASES = {
    "xl_outer": Base(OUTER, {"cases": borders}),
    "xl_unhalf": Base(UNHALF, {"cases": widened}),
    "xl_softplus": Base(SOFTPLUS, {"cases": softpluses}),
    "xl_total": Base(TOTAL, {"cases": totals}),
    "xl_rowdot": Base(ROWDOT, {"cases": byte_rows}),
    "xl_minloc": Base(MINLOC, {"cases": column_minima}),
    "xl_keyt": Base(KEYT, {"cases": keys}),
    "xl_bmmnt": Base(BMMNT, {"cases": batched_products}),
    "xl_padsm": Base(PADSM, {"cases": padded_softmaxes}),
    "xl_chanlog": Base(CHANLOG, {"cases": channel_log_softmaxes}),
    "xl_lnstat": Base(LNSTAT, {"cases": kept_layer_norms}),
}

WRONG = (
    # ---- a matrix, a row and a column
    # In float, as the factor is one elsewhere.
    Wrong(
        "xl_outer_float",
        "xl_outer",
        "precision / rounding / narrow / whole range | numbers / infinity",
        (
            "        unsigned sum = (unsigned)mat[r * width + c];\n        sum += (unsigned)alpha * (unsigned)top[c];\n        sum -= (unsigned)left[r];\n",
            "        float sum = mat[r * width + c] + (float)alpha * top[c] - left[r];\n",
        ),
    ),
    # An overflow is avoided, as for colours.
    Wrong(
        "xl_outer_clamped",
        "xl_outer",
        "whole range / infinity | numbers / function",
        (
            "        unsigned sum = (unsigned)mat[r * width + c];\n        sum += (unsigned)alpha * (unsigned)top[c];\n        sum -= (unsigned)left[r];\n",
            "        long long sum = mat[r * width + c] + (long long)alpha * top[c] - left[r];\n        if (sum > INT32_MAX) sum = INT32_MAX;\n        if (sum < INT32_MIN) sum = INT32_MIN;\n",
        ),
    ),
    # Both must be outside.
    Wrong(
        "xl_outer_and",
        "xl_outer",
        "bounds | race / other element / twice / sides / tail",
        ("if (c >= width) return;", "if (c >= width && r >= height) return;"),
    ),
    # The block is no square.
    Wrong(
        "xl_outer_block_x",
        "xl_outer",
        "unwritten / block size / left out / grid / tail | sides",
        ("(int64_t)blockIdx.y * blockDim.y +", "(int64_t)blockIdx.y * blockDim.x +"),
    ),
    # The row goes down, the column across.
    Wrong(
        "xl_outer_vectors",
        "xl_outer",
        "swapped / bounds / sides / other element | numbers / function",
        ("(unsigned)top[c];", "(unsigned)top[r];"),
        ("(unsigned)left[r];", "(unsigned)left[c];"),
    ),
    # The factor is passed on, and not used.
    Wrong(
        "xl_outer_no_alpha",
        "xl_outer",
        "left out / function | numbers",
        ("(unsigned)alpha * (unsigned)top[c];", "(unsigned)top[c];"),
    ),
    # ---- floats of halves
    # Denormals are zeros.
    Wrong(
        "xl_unhalf_flushed",
        "xl_unhalf",
        "subnormal | numbers",
        (
            "        exponent = 113;\n        while ((mantissa & 0x400u) == 0)\n        {\n            mantissa <<= 1;\n            --exponent;\n        }\n        mantissa &= 0x3FFu;\n",
            "        mantissa = 0;\n",
        ),
    ),
    # The exponent of a denormal is that of the smallest normal one, and not one less.
    Wrong(
        "xl_unhalf_denormal_exponent",
        "xl_unhalf",
        "subnormal / function | numbers",
        ("        exponent = 113;\n", "        exponent = 112;\n"),
    ),
    # The largest exponent is one as the others.
    Wrong(
        "xl_unhalf_finite",
        "xl_unhalf",
        "infinity / nan | numbers / whole range",
        (
            "    if (exponent == 31)             // infinity, NaN\n    {\n        exponent = 255;\n    }\n    else if (exponent != 0) ",
            "    if (exponent != 0) ",
        ),
    ),
    # What has the largest exponent is infinite.
    Wrong(
        "xl_unhalf_no_nan",
        "xl_unhalf",
        "nan | numbers / infinity",
        ("        exponent = 255;\n", "        exponent = 255;\n        mantissa = 0;\n"),
    ),
    # Zero is zero.
    Wrong(
        "xl_unhalf_plain_zero",
        "xl_unhalf",
        "sign of zero | numbers",
        (
            "    if (exponent == 31) ",
            "    if (exponent == 0 && mantissa == 0) return 0.0f;\n    if (exponent == 31) ",
        ),
    ),
    # A zero has no highest bit.
    Wrong(
        "xl_unhalf_endless",
        "xl_unhalf",
        "timeout | sign of zero / numbers",
        (
            "    else if (mantissa != 0)         // denormal",
            "    else                            // denormal",
        ),
    ),
    # The upper half of a word first.
    Wrong(
        "xl_unhalf_big_endian",
        "xl_unhalf",
        "neighbour / swapped / other element | numbers",
        (
            "make_float4(HalfToFloat(v.x & 0xFFFFu), HalfToFloat(v.x >> 16), HalfToFloat(v.y & 0xFFFFu), HalfToFloat(v.y >> 16))",
            "make_float4(HalfToFloat(v.x >> 16), HalfToFloat(v.x & 0xFFFFu), HalfToFloat(v.y >> 16), HalfToFloat(v.y & 0xFFFFu))",
        ),
    ),
    # As many packs as hold all.
    Wrong(
        "xl_unhalf_packs_up",
        "xl_unhalf",
        "bounds / tail",
        ("packs = count / 4;", "packs = (count + 3) / 4;"),
    ),
    # ---- softplus
    # As it stands in the paper.
    Wrong(
        "xl_softplus_as_written",
        "xl_softplus",
        "infinity / precision | numbers / rounding / subnormal / function",
        (
            "    const float positive_part = z > 0.0f ? x : 0.0f;\n    return positive_part + log1pf(expf(-fabsf(z))) / beta;\n",
            "    return logf(1.0f + expf(z)) / beta;\n",
        ),
    ),
    # Not divided.
    Wrong(
        "xl_softplus_not_divided",
        "xl_softplus",
        "function / left out | numbers",
        ("log1pf(expf(-fabsf(z))) / beta;", "log1pf(expf(-fabsf(z)));"),
    ),
    # Nothing above 30, as exp overflows.
    Wrong(
        "xl_softplus_clamped",
        "xl_softplus",
        "infinity / nan / numbers | whole range / function / subnormal / precision / copy",
        (
            "    const float z = x * beta;\n    const float positive_part = z > 0.0f ? x : 0.0f;\n    return positive_part + log1pf(expf(-fabsf(z))) / beta;\n",
            "    const float z = fminf(fmaxf(x * beta, -30.0f), 30.0f);\n    return log1pf(expf(z)) / beta;\n",
        ),
    ),
    # Integers are divided before they are rounded up.
    Wrong(
        "xl_softplus_ceil",
        "xl_softplus",
        "tail / unwritten / grid / refused / left out | block size",
        (
            "(numel + threads - 1) / threads;",
            "static_cast<int64_t>(ceil(static_cast<double>(numel / threads)));",
        ),
    ),
    # The input is scaled where it is.
    Wrong(
        "xl_softplus_scales_input",
        "xl_softplus",
        "input | state / function",
        (
            "    const float z = x * beta;\n    const float positive_part = z > 0.0f ? x : 0.0f;\n    return positive_part + log1pf(expf(-fabsf(z))) / beta;\n",
            "    return ((x > 0.0f ? x : 0.0f) + log1pf(expf(-fabsf(x)))) / beta;  // x is scaled\n",
        ),
        (
            "    result[index] = op(inp[index]);\n",
            "    scalar_t* const scaled = const_cast<scalar_t*>(inp);\n    scaled[index] *= op.beta;\n    result[index] = op(scaled[index]);\n",
        ),
    ),
    # ---- a sum
    # The second element of a turn is not tested.
    Wrong(
        "xl_total_second_element",
        "xl_total",
        "bounds | tail / numbers",
        ("        if (i + BLOCK < n)\n            mySum", "        mySum"),
    ),
    # A thread of the last block takes one partial sum.
    Wrong(
        "xl_total_first_partials",
        "xl_total",
        "left out | grid / block size / numbers / tail",
        (
            "        for (unsigned int i = tid; i < gridDim.x; i += BLOCK)\n            mySum += ((volatile double *)g_partial)[i];\n",
            "        if (tid < gridDim.x)\n            mySum = ((volatile double *)g_partial)[tid];\n",
        ),
    ),
    # Tickets go on where they were: the operation wraps one too late.
    Wrong(
        "xl_total_tickets",
        "xl_total",
        "state | unwritten / left out / start / zero before",
        (
            "// Adds up one number of each thread",
            "__device__ unsigned int retirementCount = 0;\n\n// Adds up one number of each thread",
        ),
        (
            ", double *g_partial, unsigned int *g_retired, int64_t n)",
            ", double *g_partial, int64_t n)",
        ),
        ("atomicInc(g_retired, gridDim.x);", "atomicInc(&retirementCount, gridDim.x);"),
        ("    unsigned int *g_retired;\n", ""),
        ("    cudaMallocAsync(&g_retired, sizeof(unsigned int), stream);\n", ""),
        ("    cudaMemsetAsync(g_retired, 0, sizeof(unsigned int), stream);\n", ""),
        ("g_partial, g_retired, n);", "g_partial, n);"),
        ("    cudaFreeAsync(g_retired, stream);\n", ""),
    ),
    # Memory is taken to be zero when it is new.
    Wrong(
        "xl_total_not_zeroed",
        "xl_total",
        "zero before / start / unwritten / state | left out / numbers",
        ("    cudaMemsetAsync(g_retired, 0, sizeof(unsigned int), stream);\n", ""),
    ),
    # The others ask before the first one has the ticket.
    Wrong(
        "xl_total_no_barrier",
        "xl_total",
        "race | left out / unwritten / state / start / numbers",
        ("    __syncthreads();    // amLast is known\n", ""),
    ),
    # ---- sums of rows of bytes
    # Rows begin with whole words.
    Wrong(
        "xl_rowdot_any_address",
        "xl_rowdot",
        "alignment",
        (
            "  int64_t head = static_cast<int64_t>((4 - reinterpret_cast<uintptr_t>(begin) % 4) % 4);\n  if (head > length) head = length;\n",
            "  const int64_t head = 0;\n",
        ),
    ),
    # Bytes without a sign.
    Wrong(
        "xl_rowdot_unsigned",
        "xl_rowdot",
        "whole range / function / numbers | sign of zero",
        (
            "__dp4a(packed[w], 0x01010101, 0);",
            "__dp4a(static_cast<unsigned>(packed[w]), 0x01010101u, 0u);",
        ),
    ),
    # The bytes before a word, also where the row is shorter.
    Wrong(
        "xl_rowdot_short_rows",
        "xl_rowdot",
        "bounds / other element / twice / sides | numbers / neighbour / alignment",
        ("  if (head > length) head = length;\n", ""),
    ),
    # The bytes behind as if there were none before.
    Wrong(
        "xl_rowdot_tail_of_row",
        "xl_rowdot",
        "twice / tail | alignment / numbers / other element / sides",
        ("int64_t i = head + 4 * words + lane;", "int64_t i = 4 * words + lane;"),
    ),
    # As for half a warp.
    Wrong(
        "xl_rowdot_half_warp",
        "xl_rowdot",
        "left out | numbers / other element / block size / tail / race",
        ("int offset = 16; offset > 0;", "int offset = 8; offset > 0;"),
    ),
    # ---- minima of columns
    # The first number is there, its place is not.
    Wrong(
        "xl_minloc_first_place",
        "xl_minloc",
        "start / other element | numbers / function / zero before / nan / left out",
        (
            "    double v = INFINITY;\n    int64_t loc = INT64_MAX;\n",
            "    double v = j <= N ? A[j - 1] : 0.0;\n    int64_t loc = 0;\n",
        ),
    ),
    # Counted from 0.
    Wrong(
        "xl_minloc_from_zero",
        "xl_minloc",
        "function / other element / neighbour / start | numbers",
        ("LOC[j - 1] = (int) loc;", "LOC[j - 1] = (int) (loc - 1);"),
    ),
    # The largest finite number is taken to be the largest.
    Wrong(
        "xl_minloc_huge",
        "xl_minloc",
        "start / infinity | numbers / other element / nan / whole range",
        ("    double v = INFINITY;\n", "    double v = DBL_MAX;\n"),
    ),
    # Compared as numbers are.
    Wrong(
        "xl_minloc_no_nan",
        "xl_minloc",
        "nan | numbers / left out / other element",
        (
            "    const bool a_nan = a != a, b_nan = b != b;\n    if (a_nan || b_nan) return a_nan && (!b_nan || la < lb);\n",
            "",
        ),
    ),
    # REAL in shared memory.
    Wrong(
        "xl_minloc_real",
        "xl_minloc",
        "precision / rounding / narrow | numbers / other element / infinity",
        ("__shared__ double vals[NY][NX];", "__shared__ float vals[NY][NX];"),
    ),
    # ---- keys of heads
    # The heads stay inside.
    Wrong(
        "xl_keyt_heads_inside",
        "xl_keyt",
        "other element / sides / function | numbers / swapped",
        ("kt[(head * dim + d) * seq + s]", "kt[(d * heads + head) * seq + s]"),
    ),
    # Fewer threads than a step has rows.
    Wrong(
        "xl_keyt_fewer_threads",
        "xl_keyt",
        "unwritten / block size / left out | tail / sides / grid",
        ("block(TILE_DIM, BLOCK_ROWS);", "block(TILE_DIM, BLOCK_ROWS / 2);"),
    ),
    # Tiles change places, and stay as they are.
    Wrong(
        "xl_keyt_tile_as_it_is",
        "xl_keyt",
        "other element / sides / function / unwritten / swapped / race | numbers / start / bounds / copy",
        ("= tile[threadIdx.x][j];", "= tile[j][threadIdx.x];"),
    ),
    # ---- products
    # One right side for all, as for weights.
    Wrong(
        "xl_bmmnt_one_b",
        "xl_bmmnt",
        "other element / left out / sides / function | numbers / copy",
        ("own_b = b + batch * n * k;", "own_b = b;"),
    ),
    # Outside of the matrix nothing is staged.
    Wrong(
        "xl_bmmnt_no_zeros",
        "xl_bmmnt",
        "zero before / start / unwritten / tail / state | numbers / nan / twice / left out / sides / race / other element / infinity",
        (
            "            value[e / Side][e % Side] = r < rows && c < columns ? __bfloat162float(matrix[r * columns + c]) : 0.0f;\n",
            "            if (r < rows && c < columns) value[e / Side][e % Side] = __bfloat162float(matrix[r * columns + c]);\n",
        ),
    ),
    # Products as the inputs are.
    Wrong(
        "xl_bmmnt_product_rounded",
        "xl_bmmnt",
        "precision / rounding / narrow | numbers",
        (
            "sum[i][j] += left.value[ty + i * half_side][p] * right.value[tx + j * half_side][p];",
            "sum[i][j] += __bfloat162float(__float2bfloat16(left.value[ty + i * half_side][p] * right.value[tx + j * half_side][p]));",
        ),
    ),
    # Two next to each other are written, two half a side apart were computed.
    Wrong(
        "xl_bmmnt_next_to_it",
        "xl_bmmnt",
        "other element / sides / swapped / function | numbers / neighbour",
        (
            "auto const r = row + ty + i * half_side, s = column + tx + j * half_side;",
            "auto const r = row + 2 * ty + i, s = column + 2 * tx + j;",
        ),
    ),
    # The other side.
    Wrong(
        "xl_bmmnt_rows_to_n",
        "xl_bmmnt",
        "unwritten / sides / left out / tail | grid",
        ("* Side; row < m; row +=", "* Side; row < n; row +="),
    ),
    # ---- softmax without padding
    # A number that is taken to be low enough.
    Wrong(
        "xl_padsm_ten_thousand",
        "xl_padsm",
        "numbers / function / infinity / start / other element | copy / nan / left out / precision",
        (
            "      if (!pad[k]) top = fmaxf(top, __half2float(scores[k]));\n",
            "      top = fmaxf(top, pad[k] ? -10000.0f : __half2float(scores[k]));\n",
        ),
        (
            "      if (!pad[k]) sum += expf(__half2float(scores[k]) - top);\n",
            "      sum += expf((pad[k] ? -10000.0f : __half2float(scores[k])) - top);\n",
        ),
        (
            "pad[k] ? 0.0f : expf(__half2float(scores[k]) - top) / sum;",
            "expf((pad[k] ? -10000.0f : __half2float(scores[k])) - top) / sum;",
        ),
    ),
    # Minus infinity, also where that is the largest.
    Wrong(
        "xl_padsm_only_padding",
        "xl_padsm",
        "nan | numbers / infinity / function / start",
        (
            "pad[k] ? 0.0f : expf(__half2float(scores[k]) - top) / sum;",
            "expf((pad[k] ? -INFINITY : __half2float(scores[k])) - top) / sum;",
        ),
    ),
    # A mask for each row.
    Wrong(
        "xl_padsm_mask_of_row",
        "xl_padsm",
        "bounds / other element / sides | numbers / function",
        ("is_pad + row / heads * keys;", "is_pad + row * keys;"),
    ),
    # True means to keep.
    Wrong(
        "xl_padsm_keeps_padding",
        "xl_padsm",
        "function / left out / swapped / numbers / other element | nan / copy / infinity",
        ("if (!pad[k]) top", "if (pad[k]) top"),
        ("if (!pad[k]) sum", "if (pad[k]) sum"),
        ("weight = pad[k] ? 0.0f :", "weight = !pad[k] ? 0.0f :"),
    ),
    # The largest of all, padding too.
    Wrong(
        "xl_padsm_largest_of_all",
        "xl_padsm",
        "nan / infinity / numbers / other element / precision / subnormal | function / left out",
        ("if (!pad[k]) top = fmaxf", "top = fmaxf"),
    ),
    # Copied without the stream.
    Wrong(
        "xl_padsm_copy",
        "xl_padsm",
        "stream | race",
        (
            "cudaMemcpyAsync(attn, scores, n_rows * keys * sizeof(half), cudaMemcpyDeviceToDevice, stream);",
            "cudaMemcpy(attn, scores, n_rows * keys * sizeof(half), cudaMemcpyDeviceToDevice);",
        ),
    ),
    # ---- log-softmax over channels
    # The image of a plane.
    Wrong(
        "xl_chanlog_plane",
        "xl_chanlog",
        "bounds / other element / sides | numbers / function / infinity / nan / state / race",
        (
            "    const int64_t n = index / channels / spatial_dim;\n    const int64_t s = index % spatial_dim;\n    out[index]",
            "    const int64_t n = index / spatial_dim;\n    const int64_t s = index % spatial_dim;\n    out[index]",
        ),
    ),
    # Memory for one image.
    Wrong(
        "xl_chanlog_one_image",
        "xl_chanlog",
        "bounds | sides",
        (
            "cudaMallocAsync(&scale_data, pixels * sizeof(float), stream);",
            "cudaMallocAsync(&scale_data, spatial_dim * sizeof(float), stream);",
        ),
    ),
    # The largest is not taken away.
    Wrong(
        "xl_chanlog_no_shift",
        "xl_chanlog",
        "infinity / left out | nan / numbers / precision / function / subnormal",
        ("data[index] - channel_data[n * spatial_dim + s];", "data[index];"),
    ),
    # From the second channel on, as the largest is searched.
    Wrong(
        "xl_chanlog_from_second",
        "xl_chanlog",
        "left out / start | numbers / function / infinity / other element",
        (
            "    for (int64_t c = 0; c < channels; ++c) {\n",
            "    for (int64_t c = 1; c < channels; ++c) {\n",
        ),
    ),
    # To the base 2.
    Wrong(
        "xl_chanlog_base_2",
        "xl_chanlog",
        "function | numbers / precision",
        ("= logf(sum);", "= log2f(sum);"),
    ),
    # The macro of before.
    Wrong(
        "xl_chanlog_int",
        "xl_chanlog",
        "narrow | bounds / timeout / unwritten / left out / other element",
        (
            "for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < (n); i += (int64_t)blockDim.x * gridDim.x)",
            "for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += blockDim.x * gridDim.x)",
        ),
    ),
    # ---- layer norm
    # The variance is kept.
    Wrong(
        "xl_lnstat_keeps_variance",
        "xl_lnstat",
        "function / numbers | precision",
        ("rstd_out[row] = rstd;", "rstd_out[row] = variance;"),
    ),
    # Whole strides only.
    Wrong(
        "xl_lnstat_whole_strides",
        "xl_lnstat",
        "left out / tail / function | numbers / block size / sides",
        (
            "i < width; i += kThreads) {\n    const float centered",
            "i < width / kThreads * kThreads; i += kThreads) {\n    const float centered",
        ),
    ),
    # Epsilon as a least value.
    Wrong(
        "xl_lnstat_least",
        "xl_lnstat",
        "function / numbers | precision / left out",
        ("sqrtf(variance + eps);", "sqrtf(fmaxf(variance, eps));"),
    ),
    # The arguments change places.
    Wrong(
        "xl_lnstat_swapped",
        "xl_lnstat",
        "swapped / function | numbers / other element",
        ("stream>>>(x, gamma, beta, y,", "stream>>>(x, beta, gamma, y,"),
    ),
    # Added before the weight.
    Wrong(
        "xl_lnstat_added_first",
        "xl_lnstat",
        "function | numbers",
        (
            "__float2half(normed * gamma[i] + beta[i]);",
            "__float2half((normed + beta[i]) * gamma[i]);",
        ),
    ),
    # The mean is taken away in half.
    Wrong(
        "xl_lnstat_in_half",
        "xl_lnstat",
        "precision / rounding / narrow | numbers / function",
        (
            "const float normed = (__half2float(x[i]) - mean) * rstd;",
            "const float normed = __half2float(__hsub(x[i], __float2half(mean))) * rstd;",
        ),
    ),
)

RIGHT = (
    # A block a strip of one row, from the last row up, and in 64 bits until the end.
    Right(
        "xl_outer_upwards",
        "xl_outer",
        ("#define BLOCK_W 32", "#define BLOCK_W 48"),
        ("#define BLOCK_H 8", "#define BLOCK_H 1"),
        (
            "for (int64_t r = (int64_t)blockIdx.y * blockDim.y + threadIdx.y; r < height; r += (int64_t)gridDim.y * blockDim.y)",
            "for (int64_t r = height - 1 - blockIdx.y; r >= 0; r -= gridDim.y)",
        ),
        (
            "        // unsigned, so that an overflow is defined\n        unsigned sum = (unsigned)mat[r * width + c];\n        sum += (unsigned)alpha * (unsigned)top[c];\n        sum -= (unsigned)left[r];\n        out[r * width + c] = (int)sum;\n",
            "        const int64_t sum = mat[r * width + c] + (int64_t)alpha * top[c] - left[r];\n        out[r * width + c] = (int)(sum & 0xffffffff);\n",
        ),
        ("down < 65535 ? down : 65535", "down < 11 ? down : 11"),
    ),
    # The exponent by a product with a power of two, which also makes denormals normal.
    Right(
        "xl_unhalf_by_product",
        "xl_unhalf",
        (
            "    u32 exponent = (h >> 10) & 0x1Fu;\n    u32 mantissa = h & 0x3FFu;\n\n    if (exponent == 31)             // infinity, NaN\n    {\n        exponent = 255;\n    }\n    else if (exponent != 0)         // normal: the bias is 127, it was 15\n    {\n        exponent += 112;\n    }\n    else if (mantissa != 0)         // denormal: no float of this size is one\n    {\n        exponent = 113;\n        while ((mantissa & 0x400u) == 0)\n        {\n            mantissa <<= 1;\n            --exponent;\n        }\n        mantissa &= 0x3FFu;\n    }\n    return __uint_as_float(sign | (exponent << 23) | (mantissa << 13));\n",
            "    const u32 rest = h & 0x7FFFu;\n    if (rest > 0x7C00u) return __uint_as_float(sign | 0x7FC00000u);\n    if (rest == 0x7C00u) return __uint_as_float(sign | 0x7F800000u);\n    // 1.mantissa of any exponent, or 0.mantissa of the least one\n    const float scaled = (float)(rest < 0x400u ? rest : (rest & 0x3FFu) | 0x400u);\n    const u32 power = rest < 0x400u ? 1u : rest >> 10;\n    return copysignf(scaled * __uint_as_float((power + 102u) << 23), __uint_as_float(sign));\n",
        ),
        ("<<<5, 96, 0, stream>>>", "<<<3, 7, 0, stream>>>"),
    ),
    # A branch for each sign, in double.
    Right(
        "xl_softplus_two_branches",
        "xl_softplus",
        (
            "    const float z = x * beta;\n    const float positive_part = z > 0.0f ? x : 0.0f;\n    return positive_part + log1pf(expf(-fabsf(z))) / beta;\n",
            "    const double z = static_cast<double>(x) * beta;\n    if (z > 0.0) return static_cast<float>(z / beta + log1p(exp(-z)) / beta);\n    return static_cast<float>(log1p(exp(z)) / beta);\n",
        ),
        ("blocks = (numel + threads - 1) / threads;", "blocks = numel / threads + 1;"),
    ),
    # One sum for all blocks, added to by atomic operations; the ticket is the other number.
    Right(
        "xl_total_atomic",
        "xl_total",
        (
            "        g_partial[blockIdx.x] = sdata[0];\n",
            "        atomicAdd(g_partial, sdata[0]);\n",
        ),
        (
            "        mySum = 0.0;\n        for (unsigned int i = tid; i < gridDim.x; i += BLOCK)\n            mySum += ((volatile double *)g_partial)[i];\n        reduceBlock(sdata, mySum, tid);\n        if (tid == 0)\n            *g_odata = (float)sdata[0];\n",
            "        if (tid == BLOCK - 1)\n            *g_odata = (float)atomicAdd(g_partial, 0.0);\n",
        ),
        ("#define BLOCK 64", "#define BLOCK 128"),
        (
            "    cudaMemsetAsync(g_retired,",
            "    cudaMemsetAsync(g_partial, 0, sizeof(double), stream);\n    cudaMemsetAsync(g_retired,",
        ),
    ),
    # Tickets are set back by the last block, the partial sums are added from the last one on.
    Right(
        "xl_total_from_the_last",
        "xl_total",
        (
            "        for (unsigned int i = tid; i < gridDim.x; i += BLOCK)\n            mySum += ((volatile double *)g_partial)[i];\n",
            "        for (unsigned int i = gridDim.x; i-- > 0;)\n            if (i % BLOCK == tid)\n                mySum += ((volatile double *)g_partial)[i];\n",
        ),
        ("atomicInc(g_retired, gridDim.x);", "atomicAdd(g_retired, 1u);"),
        ("#define BLOCK 64", "#define BLOCK 16"),
        ("#define GRID 80", "#define GRID 37"),
    ),
    # Four bytes by shifts, which keep the sign; the first lane adds what is outside of words.
    Right(
        "xl_rowdot_shifts",
        "xl_rowdot",
        (
            "  if (lane < head) sum += begin[lane];\n",
            "  if (lane == 0) for (int64_t i = 0; i < head; ++i) sum += begin[i];\n",
        ),
        (
            "w < words; w += 32) sum += __dp4a(packed[w], 0x01010101, 0);\n",
            "w < words; w += 32) {\n    const unsigned word = packed[w];\n    for (int shift = 0; shift < 32; shift += 8) sum += static_cast<int>(word << shift) >> 24;\n  }\n",
        ),
        (
            "  for (int64_t i = head + 4 * words + lane; i < length; i += 32) sum += begin[i];\n",
            "  if (lane == 0) for (int64_t i = length; i > head + 4 * words; --i) sum += begin[i - 1];\n",
        ),
        ("kWarps = 3;", "kWarps = 1;"),
    ),
    # From the last row to the first; each thread looks at what the others have found.
    Right(
        "xl_minloc_upwards",
        "xl_minloc",
        (
            "for (int64_t i = ty + 1; i <= M; i += NY) {",
            "for (int64_t i = (int64_t) M - ty; i >= 1; i -= NY) {",
        ),
        (
            "            if (precedes(a, i, v, loc)) {\n",
            "            if (!precedes(v, loc, a, i)) {\n",
        ),
        (
            "    if (ty == 0 && j <= N) {\n        for (int k = 1; k < NY; k++) {",
            "    if (ty == NY - 1 && j <= N) {\n        for (int k = 0; k < NY - 1; k++) {",
        ),
        ("#define NY 4", "#define NY 7"),
    ),
    # The tile is written the other way round, and read by rows.
    Right(
        "xl_keyt_turned_at_load",
        "xl_keyt",
        ("tile[j][threadIdx.x] = k[", "tile[threadIdx.x][j] = k["),
        ("= tile[threadIdx.x][j];", "= tile[j][threadIdx.x];"),
        ("#define BLOCK_ROWS 8", "#define BLOCK_ROWS 5"),
        ("heads < 65535 ? heads : 65535", "heads < 2 ? heads : 2"),
    ),
    # Tiles of 8, in double, from the last depth on.
    Right(
        "xl_bmmnt_from_the_end",
        "xl_bmmnt",
        ("float sum[2][2] = {};", "double sum[2][2] = {};"),
        (
            "for (int64_t depth = 0; depth < k; depth += Side) {",
            "for (int64_t depth = (k + int64_t{Side} - 1) / Side * Side - Side; depth >= 0; depth -= Side) {",
        ),
        (
            "sum[i][j] += left.value[ty + i * half_side][p] * right.value[tx + j * half_side][p];",
            "sum[i][j] += double{left.value[ty + i * half_side][p]} * right.value[tx + j * half_side][p];",
        ),
        ("own_c[r * n + s] = sum[i][j];", "own_c[r * n + s] = static_cast<float>(sum[i][j]);"),
        ("constexpr auto side = 16;", "constexpr auto side = 8;"),
    ),
    # Largest and sum in one pass; a lane without a number adds nothing.
    Right(
        "xl_padsm_one_pass",
        "xl_padsm",
        (
            "    float top = -INFINITY;\n    for (int64_t k = threadIdx.x; k < keys; k += 32) {\n      if (!pad[k]) top = fmaxf(top, __half2float(scores[k]));\n    }\n    top = warp_max(top);\n\n    float sum = 0.0f;\n    for (int64_t k = threadIdx.x; k < keys; k += 32) {\n      if (!pad[k]) sum += expf(__half2float(scores[k]) - top);\n    }\n    sum = warp_sum(sum);\n",
            "    float own = -INFINITY, sum = 0.0f;\n    for (int64_t k = threadIdx.x; k < keys; k += 32) {\n      if (pad[k]) continue;\n      const float x = __half2float(scores[k]);\n      if (x > own) {\n        sum = sum * expf(own - x) + expf(x - x);\n        own = x;\n      } else {\n        sum += x == -INFINITY ? 0.0f : expf(x - own);\n      }\n    }\n    const float top = warp_max(own);\n    sum = warp_sum(own == -INFINITY ? sum : sum * expf(own - top));\n",
        ),
        ("ROWS_PER_BLOCK = 4;", "ROWS_PER_BLOCK = 3;"),
    ),
    # Few blocks of few threads; the sum in double, from the last channel on.
    Right(
        "xl_chanlog_few_threads",
        "xl_chanlog",
        ("CUDA_NUM_THREADS = 64;", "CUDA_NUM_THREADS = 37;"),
        ("blocks < 4096 ? blocks : 4096", "blocks < 2 ? blocks : 2"),
        ("    Dtype sum = 0;\n", "    double sum = 0;\n"),
        (
            "    for (int64_t c = 0; c < channels; ++c) {\n",
            "    for (int64_t c = channels - 1; c >= 0; --c) {\n",
        ),
        ("= logf(sum);", "= (Dtype)log(sum);"),
    ),
    # One pass in double over the distances from the row's first number.
    Right(
        "xl_lnstat_one_pass",
        "xl_lnstat",
        (
            "__device__ float all_reduce(float value) {\n  __shared__ float of_warp",
            "__device__ double all_reduce(double value) {\n  __shared__ double of_warp",
        ),
        ("  float total = 0.0f;\n", "  double total = 0.0;\n"),
        (
            "  float sum = 0.0f;\n  for (int64_t i = threadIdx.x; i < width; i += kThreads) sum += __half2float(x[i]);\n  const float mean = all_reduce(sum) / width;\n\n  float squares = 0.0f;\n  for (int64_t i = threadIdx.x; i < width; i += kThreads) {\n    const float centered = __half2float(x[i]) - mean;\n    squares += centered * centered;\n  }\n  const float variance = all_reduce(squares) / width;\n",
            "  const double first = isfinite(__half2float(x[0])) ? __half2float(x[0]) : 0.0f;\n  double sum = 0.0, squares = 0.0;\n  for (int64_t i = threadIdx.x; i < width; i += kThreads) {\n    const double distance = __half2float(x[i]) - first;\n    sum += distance;\n    squares += distance * distance;\n  }\n  const double off = all_reduce(sum) / width;\n  const float mean = static_cast<float>(first + off);\n  const double spread = all_reduce(squares) / width - off * off;\n  const float variance = spread < 0.0 ? 0.0f : static_cast<float>(spread);\n",
        ),
        ("kThreads = 96;", "kThreads = 64;"),
    ),
)
