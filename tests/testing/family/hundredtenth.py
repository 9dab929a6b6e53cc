"""Hold a hundred and tenth family: the plain operators of a course, and their usual mistakes.

Its bases are a scalar added to floats in a loop over the grid, the larger of two floats by
float4, bfloat16 to half in pairs, floats to signed bytes, relu squared, leaky relu of doubles,
gelu of halves by the error function, the sum of floats by one block of 256, the smallest of
doubles by two kernels, the largest of each row by a block, softmax by a warp a row, layer norm
with gain and offset by a thread a row, a batch of matrices transposed by tiles of 16, and a
matrix product by tiles of 16 with alpha and beta. Each has five wrong members, 70 in all, and
one right member of another form, 14 in all. The causes were written before a member was judged.
Each was run on the emulator, compared as a case does, called twice on the same tensors, with
NaN and with 1e3 in floating outputs (-1, 77 and 7 in others), with tensors at either end of
their pages, the bytes behind them and their inputs looked at afterwards, on a stream that is
not the default one, with threads in order, from the last to the first and in a random order,
and in the slices that the cases name; large cases in fewer of these ways. Bases and right ones
ran all cases but the sums of more than 2^31 numbers, which took too long; wrong ones until they
were wrong often enough. nvcc 13.0 compiles the bases and right ones for 8.0; none was run on a
GPU. These are right, and all others wrong or refused by a fault:

    hundredten_shift_scalar_is_int         unless the scalar is a whole number
    hundredten_shift_limit_without_loop    from 2,049 numbers on at 32
    hundredten_shift_one_too_many          of all: one behind the end is read and written
    hundredten_shift_blocks_rounded_down   if n is below the block size
    hundredten_shift_no_stream             on another stream than the default one
    hundredten_larger_fmaxf                of NaN
    hundredten_larger_y_anywhere           from 4 numbers on, by the address of y alone
    hundredten_larger_rest_of_four         without packs, from 129 numbers on or if 4 divides n
    hundredten_larger_z_for_w              of packs, by their last
    hundredten_larger_last_not_written     unless 4 divides n, and where there are no packs
    hundredten_narrow_half_as_many_threads if n is odd, and n / 2 fills its blocks; n = 1
    hundredten_narrow_toward_zero          of half of what lies between two halves
    hundredten_narrow_largest_for_infinity of infinity, NaN and what is too large, in pairs
    hundredten_narrow_pair_past_the_end    if n is odd
    hundredten_narrow_last_keeps_bits      if n is odd
    hundredten_bytes_cut_off               of half of the fractions
    hundredten_bytes_wrap_around           beyond the range
    hundredten_bytes_ties_away             of every other tie
    hundredten_bytes_least_is_127          from below -127.5 down
    hundredten_bytes_always_128            of other block sizes, from a second block on
    hundredten_squared_fmaxf               of NaN
    hundredten_squared_doubled             above 0, except of 2
    hundredten_squared_blocks_overlap      from a second block on
    hundredten_squared_no_last_block       unless 4 block sizes divide n
    hundredten_squared_relu_in_x           of numbers below 0: x is overwritten
    hundredten_leaky_float_slope           below 0
    hundredten_leaky_through_float         of doubles that are not floats
    hundredten_leaky_other_side            of nearly all
    hundredten_leaky_two_parts             of NaN
    hundredten_leaky_256_blocks            from 32,769 numbers on
    hundredten_gelu_by_tanh                of many
    hundredten_gelu_no_root                of nearly all
    hundredten_gelu_erf_is_half            of many below 0
    hundredten_gelu_pairs_anywhere         from 2 numbers on, by their addresses
    hundredten_gelu_every_other            from 2 numbers on, where no pairs are taken
    hundredten_total_quarter_tree          from 129 numbers on
    hundredten_total_no_barrier_in_tree    where threads do not wait for another
    hundredten_total_int_sum               of fractions, NaN and infinity
    hundredten_total_adds_to_output        unless the output is 0
    hundredten_total_starts_with_first     unless the first is 0
    hundredten_least_starts_at_dbl_min     if all are above 0
    hundredten_least_shared_floats         of doubles that are not floats
    hundredten_least_all_places            below 3,009 numbers, by what is left there
    hundredten_least_first_32_parts        from 2,049 numbers on, of later blocks
    hundredten_least_second_no_stream      on another stream than the default one
    hundredten_peak_starts_at_0            if all are below 0
    hundredten_peak_last_warp_left_out     from 97 columns on, by the last warp
    hundredten_peak_pitch_is_rows          from 2 rows on, unless they are square
    hundredten_peak_no_last_column         if the last column is the largest
    hundredten_peak_shared_ints            of fractions, from 33 columns on
    hundredten_soft_largest_stays          of rows that are far from 0
    hundredten_soft_starts_at_0            of rows that are far below 0
    hundredten_soft_half_a_warp            from 17 columns on
    hundredten_soft_one_row_too_many       unless 4 divides the rows
    hundredten_soft_powers_of_2            of rows that are not equal throughout
    hundredten_norm_less_one               of nearly all
    hundredten_norm_mean_of_squares        of rows with a mean far from 0
    hundredten_norm_gain_of_row            of nearly all
    hundredten_norm_gain_and_offset        of nearly all
    hundredten_norm_centred_in_x           unless the mean is 0: x is overwritten
    hundredten_flip_tiles_as_they_are      of nearly all
    hundredten_flip_no_barrier             where threads do not wait for another
    hundredten_flip_grid_swapped           unless the tiles are as many each way
    hundredten_flip_into_first_plane       from 2 planes on
    hundredten_flip_no_stream              on another stream than the default one
    hundredten_gemm_whole_tiles            unless 16 divides K
    hundredten_gemm_no_second_barrier      from K = 17 on, where threads do not wait
    hundredten_gemm_no_beta                unless beta is 1
    hundredten_gemm_past_the_rows_of_a     unless 16 divides K, by the end of A or a NaN
    hundredten_gemm_factors_swapped        unless alpha and beta are alike
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case, ElementwiseMaker, elementwise_cases
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import whole

# A scalar is added to each number, in a loop over the grid.
SHIFT = (
    HEADER
    + """\
#define MAX_BLOCKS 64

__global__ void add_scalar(const float *in, float *out, float s, int n)
{
    int step = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        out[i] = in[i] + s;
}

extern "C" void launch(const float *in,  // [n]
                       float *out,       // [n]
                       float s, int n, int block_size = 256, cudaStream_t stream = 0)
{
    int blocks = (n + block_size - 1) / block_size;
    if (blocks > MAX_BLOCKS)
        blocks = MAX_BLOCKS;
    if (blocks > 0)
        add_scalar<<<blocks, block_size, 0, stream>>>(in, out, s, n);
}
"""
)

# The larger of two, float4 where all three addresses allow it; what is left singly.
LARGER = (
    HEADER
    + """\
// A NaN of either operand comes out.
__device__ __forceinline__ float larger(float p, float q) {
  return (p > q || p != p) ? p : q;
}

__global__ void largerPacks(const float4* a, const float4* b, float4* y, int packs) {
  int p = blockDim.x * blockIdx.x + threadIdx.x;
  if (p < packs) {
    float4 u = a[p], v = b[p], w;
    w.x = larger(u.x, v.x);
    w.y = larger(u.y, v.y);
    w.z = larger(u.z, v.z);
    w.w = larger(u.w, v.w);
    y[p] = w;
  }
}

__global__ void largerSingles(const float* a, const float* b, float* y, int from, int n) {
  int i = from + blockDim.x * blockIdx.x + threadIdx.x;
  if (i < n) y[i] = larger(a[i], b[i]);
}

bool isRound(const void* p) { return reinterpret_cast<uintptr_t>(p) % sizeof(float4) == 0; }

extern "C" void launch(const float* a,  // [n]
                       const float* b,  // [n]
                       float* y,        // [n]
                       int n, cudaStream_t stream = 0) {
  const int threads = 128;
  int packs = 0;
  if (isRound(a) && isRound(b) && isRound(y)) packs = n / 4;
  int rest = n - 4 * packs;
  if (packs > 0)
    largerPacks<<<(packs + threads - 1) / threads, threads, 0, stream>>>(
        (const float4*)a, (const float4*)b, (float4*)y, packs);
  if (rest > 0)
    largerSingles<<<(rest + threads - 1) / threads, threads, 0, stream>>>(a, b, y, 4 * packs,
                                                                          n);
}
"""
)

# bfloat16 to half, two a thread; the thread at an odd end takes one.
NARROW = (
    HEADER
    + """\
__global__ void bf16_to_f16(const __nv_bfloat16* src, half* dst, int n)
{
  const int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (i + 1 < n)
  {
    float2 f = __bfloat1622float2(*(const __nv_bfloat162*)&src[i]);
    *(half2*)&dst[i] = __floats2half2_rn(f.x, f.y);
  }
  else if (i < n)
  {
    dst[i] = __float2half(__bfloat162float(src[i]));
  }
}

extern "C" void launch(const __nv_bfloat16* src,  // [n] 4-byte aligned
                       half* dst,                 // [n] 4-byte aligned
                       int n, int block_size = 256, cudaStream_t stream = 0)
{
  const int threads = (n + 1) / 2;
  if (threads == 0) return;
  const int blocks = (threads + block_size - 1) / block_size;
  bf16_to_f16<<<blocks, block_size, 0, stream>>>(src, dst, n);
}
"""
)

# Floats to signed bytes: to the nearest, ties to even, what is outside to the ends, NaN to 0.
BYTES = (
    HEADER
    + """\
__device__ int8_t to_byte(float v) {
    if (isnan(v)) return 0;
    float limited = fminf(fmaxf(v, -128.0f), 127.0f);
    return (int8_t)rintf(limited);
}

__global__ void quantize(const float* __restrict__ x, int8_t* __restrict__ q, int n) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx >= n) return;
    q[idx] = to_byte(x[idx]);
}

extern "C" void launch(const float* x,  // [n]
                       int8_t* q,       // [n]
                       int n, int block_size = 128, cudaStream_t stream = 0) {
    if (n < 1) return;
    dim3 grid((n + block_size - 1) / block_size);
    quantize<<<grid, block_size, 0, stream>>>(x, q, n);
}
"""
)

# relu, squared, four a thread that lie a block apart.
SQUARED = (
    HEADER
    + """\
template <int PER>
__global__ void relu_squared(const float *x, float *y, int n)
{
    int start = PER * blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll
    for (int k = 0; k < PER; k++) {
        int i = start + k * blockDim.x;
        if (i < n) {
            float r = x[i] < 0.0f ? 0.0f : x[i];
            y[i] = r * r;
        }
    }
}

extern "C" void launch(const float *x,  // [n]
                       float *y,        // [n]
                       int n, int block_size = 128, cudaStream_t stream = 0)
{
    constexpr int per = 4;
    int each = per * block_size;
    int blocks = (n + each - 1) / each;
    if (blocks == 0)
        return;
    relu_squared<per><<<blocks, block_size, 0, stream>>>(x, y, n);
}
"""
)

# Leaky relu of doubles, one a thread.
LEAKY = (
    HEADER
    + """\
struct Leaky {
  double slope;
  __device__ double operator()(double v) const { return v > 0 ? v : slope * v; }
};

template <class F>
__global__ void map_kernel(F f, const double* in, double* out, int n) {
  int tid = threadIdx.x + blockIdx.x * blockDim.x;
  if (tid < n) {
    double v = in[tid];
    out[tid] = f(v);
  }
}

extern "C" void launch(const double* in,  // [n]
                       double* out,       // [n]
                       int n, cudaStream_t stream = 0) {
  constexpr int kThreads = 128;
  int blocks = (n + kThreads - 1) / kThreads;
  if (blocks > 0) map_kernel<<<blocks, kThreads, 0, stream>>>(Leaky{0.01}, in, out, n);
}
"""
)

# gelu of halves by the error function, in float; pairs where both addresses allow them.
GELU = (
    HEADER
    + """\
// 1 + erf(z) is erfc(-z), which does not cancel.
static __device__ float gelu(float v)
{
    return 0.5f * v * erfcf(-0.70710678f * v);
}

__global__ void gelu_kernel(const half *x, half *y, int n, bool pairs)
{
    int first = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (pairs && first + 2 <= n) {
        float2 v = __half22float2(*(const half2 *)(x + first));
        *(half2 *)(y + first) = __floats2half2_rn(gelu(v.x), gelu(v.y));
        return;
    }
    for (int i = first; i < first + 2 && i < n; i++)
        y[i] = __float2half(gelu(__half2float(x[i])));
}

extern "C" void launch(const half *x,  // [n]
                       half *y,        // [n]
                       int n, cudaStream_t stream = 0)
{
    bool pairs = (uintptr_t)x % 4 == 0 && (uintptr_t)y % 4 == 0;
    int blocks = (n + 511) / 512;
    if (blocks)
        gelu_kernel<<<blocks, 256, 0, stream>>>(x, y, n, pairs);
}
"""
)

# The sum of all by one block: each thread its share, then a tree.
TOTAL = (
    HEADER
    + """\
constexpr int BLOCK = 256;

__global__ void sum_block(const float* x, float* out, int64_t n) {
    __shared__ float part[BLOCK];
    const int t = threadIdx.x;
    float mine = 0.0f;
    for (int64_t i = t; i < n; i += BLOCK) {
        mine += x[i];
    }
    part[t] = mine;
    __syncthreads();
    for (int half_way = BLOCK / 2; half_way > 0; half_way >>= 1) {
        if (t < half_way) {
            part[t] += part[t + half_way];
        }
        __syncthreads();
    }
    if (t == 0) {
        out[0] = part[0];
    }
}

extern "C" void launch(const float* x,  // [n]
                       float* out,      // [1]
                       int64_t n, cudaStream_t stream = 0) {
    sum_block<<<1, BLOCK, 0, stream>>>(x, out, n);
}
"""
)

# The smallest of doubles: one of each block by the first kernel, one of these by the second.
LEAST = (
    HEADER
    + """\
#define THREADS 64
#define PARTS 48

__device__ double d_parts[PARTS];

__device__ double less(double a, double b) { return a < b || isnan(a) ? a : b; }

__device__ void blockMin(double v, double* target) {
  __shared__ double s[THREADS];
  s[threadIdx.x] = v;
  __syncthreads();
  for (int w = THREADS / 2; w > 0; w /= 2) {
    if (threadIdx.x < w) s[threadIdx.x] = less(s[threadIdx.x], s[threadIdx.x + w]);
    __syncthreads();
  }
  if (threadIdx.x == 0) *target = s[0];
}

__global__ void minParts(const double* x, int n) {
  double v = INFINITY;
  for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS)
    v = less(v, x[i]);
  blockMin(v, &d_parts[blockIdx.x]);
}

__global__ void minOfParts(double* out, int parts) {
  int t = threadIdx.x;
  blockMin(t < parts ? d_parts[t] : INFINITY, out);
}

extern "C" void launch(const double* x,  // [n]
                       double* out,      // [1]
                       int n, cudaStream_t stream = 0) {
  int parts = (n + THREADS - 1) / THREADS;
  if (parts > PARTS) parts = PARTS;
  minParts<<<parts, THREADS, 0, stream>>>(x, n);
  minOfParts<<<1, THREADS, 0, stream>>>(out, parts);
}
"""
)

# The largest of each row, a block of four warps a row.
PEAK = (
    HEADER
    + """\
#define WARPS 4

__device__ inline float max_nan(float a, float b)
{
    if (a != a)
        return a;
    return a > b ? a : b;
}

__global__ void row_max(const float *x, float *out, int rows, int cols)
{
    __shared__ float best[WARPS];
    const float *row = x + (size_t)blockIdx.x * cols;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;

    float m = -INFINITY;
    for (int c = threadIdx.x; c < cols; c += 32 * WARPS)
        m = max_nan(m, row[c]);
    for (int d = 16; d >= 1; d /= 2)
        m = max_nan(m, __shfl_down_sync(0xffffffffu, m, d));
    if (lane == 0)
        best[warp] = m;
    __syncthreads();

    if (threadIdx.x == 0) {
        for (int w = 1; w < WARPS; w++)
            m = max_nan(m, best[w]);
        out[blockIdx.x] = m;
    }
}

extern "C" void launch(const float *x,  // [rows, cols]
                       float *out,      // [rows]
                       int rows, int cols, cudaStream_t stream = 0)
{
    row_max<<<rows, 32 * WARPS, 0, stream>>>(x, out, rows, cols);
}
"""
)

# softmax, a warp a row, four warps a block.
SOFT = (
    HEADER
    + """\
#define FULL 0xffffffff

__device__ float power(float v) { return expf(v); }

__global__ void softmax_warp(const float* x, float* out, int m, int n) {
  int r = blockIdx.x * blockDim.y + threadIdx.y;
  if (r >= m) return;
  const float* in = x + (size_t)r * n;
  float* to = out + (size_t)r * n;
  int lane = threadIdx.x;

  float top = -INFINITY;
  for (int j = lane; j < n; j += 32) top = fmaxf(top, in[j]);
  for (int k = 1; k < 32; k *= 2) top = fmaxf(top, __shfl_xor_sync(FULL, top, k));

  float sum = 0.f;
  for (int j = lane; j < n; j += 32) sum += power(in[j] - top);
  for (int k = 1; k < 32; k *= 2) sum += __shfl_xor_sync(FULL, sum, k);

  for (int j = lane; j < n; j += 32) to[j] = power(in[j] - top) / sum;
}

extern "C" void launch(const float* x,  // [m, n]
                       float* out,      // [m, n]
                       int m, int n, cudaStream_t stream = 0) {
  const int rows = 4;
  softmax_warp<<<(m + rows - 1) / rows, dim3(32, rows), 0, stream>>>(x, out, m, n);
}
"""
)

# Layer norm with a gain and an offset for each column, a thread a row.
NORM = (
    HEADER
    + """\
__global__ void layernorm_rows(const float* x, const float* gain, const float* offset, float* y,
                               int rows, int cols, float eps)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < rows)
    {
        const float* in = x + (int64_t)r * cols;
        float* to = y + (int64_t)r * cols;

        float mean = 0;
        for (int c = 0; c < cols; ++c) mean += in[c];
        mean /= cols;

        float var = 0;
        for (int c = 0; c < cols; ++c) var += (in[c] - mean) * (in[c] - mean);
        var /= cols;

        float scale = 1.0f / sqrtf(var + eps);
        for (int c = 0; c < cols; ++c) to[c] = (in[c] - mean) * scale * gain[c] + offset[c];
    }
}

extern "C" void launch(const float* x,       // [rows, cols]
                       const float* gain,    // [cols]
                       const float* offset,  // [cols]
                       float* y,             // [rows, cols]
                       int rows, int cols, float eps, cudaStream_t stream = 0)
{
    int block = 64;
    int grid = (rows + block - 1) / block;
    layernorm_rows<<<grid, block, 0, stream>>>(x, gain, offset, y, rows, cols, eps);
}
"""
)

# A batch of matrices is transposed by tiles of 16.
FLIP = (
    HEADER
    + """\
#define TILE 16

__global__ void transpose_batch(const float* x, float* y, int rows, int cols) {
    __shared__ float tile[TILE][TILE + 1];
    size_t plane = (size_t)blockIdx.z * rows * cols;
    int tx = threadIdx.x, ty = threadIdx.y;

    int col = blockIdx.x * TILE + tx;
    int row = blockIdx.y * TILE + ty;
    if (row < rows && col < cols) tile[ty][tx] = x[plane + (size_t)row * cols + col];
    __syncthreads();

    int out_col = blockIdx.y * TILE + tx;
    int out_row = blockIdx.x * TILE + ty;
    if (out_row < cols && out_col < rows)
        y[plane + (size_t)out_row * rows + out_col] = tile[tx][ty];
}

extern "C" void launch(const float* x,  // [batch, rows, cols]
                       float* y,        // [batch, cols, rows]
                       int batch, int rows, int cols, cudaStream_t stream = 0) {
    dim3 threads(TILE, TILE);
    dim3 blocks((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE, batch);
    transpose_batch<<<blocks, threads, 0, stream>>>(x, y, rows, cols);
}
"""
)

# alpha times the product of two matrices and beta times a third, by tiles of 16.
GEMM = (
    HEADER
    + """\
const int TS = 16;

__global__ void gemm(const float *A, const float *B, const float *C, float *D, int M, int N,
                     int K, float alpha, float beta)
{
    __shared__ float As[TS][TS];
    __shared__ float Bs[TS][TS];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TS + ty, col = blockIdx.x * TS + tx;
    float acc = 0.0f;

    int tiles = (K + TS - 1) / TS;
    for (int t = 0; t < tiles; t++) {
        int ka = t * TS + tx, kb = t * TS + ty;
        As[ty][tx] = (row < M && ka < K) ? A[(size_t)row * K + ka] : 0.0f;
        Bs[ty][tx] = (kb < K && col < N) ? B[(size_t)kb * N + col] : 0.0f;
        __syncthreads();
        for (int k = 0; k < TS; k++)
            acc += As[ty][k] * Bs[k][tx];
        __syncthreads();
    }

    if (row < M && col < N) {
        size_t at = (size_t)row * N + col;
        D[at] = alpha * acc + beta * C[at];
    }
}

extern "C" void launch(const float *A,  // [M, K]
                       const float *B,  // [K, N]
                       const float *C,  // [M, N]
                       float *D,        // [M, N]
                       int M, int N, int K, float alpha, float beta, cudaStream_t stream = 0)
{
    dim3 block(TS, TS);
    dim3 grid((N + TS - 1) / TS, (M + TS - 1) / TS);
    gemm<<<grid, block, 0, stream>>>(A, B, C, D, M, N, K, alpha, beta);
}
"""
)

INF, NAN = float("inf"), float("nan")
FLOAT, DOUBLE = (torch.float32,), (torch.float64,)
LENGTHS = (*range(1, 71), 95, 96, 97, 127, 128, 129, 255, 256, 257, 511, 512, 513, 1000, 1025)
SIDES = ((1, 1), (2, 1), (1, 2), (3, 2), (4, 31), (5, 32), (8, 33), (33, 8), (2, 64), (65, 3))
SIDES += ((3, 96), (3, 97), (2, 128), (2, 129), (3, 1000), (7, 130), (300, 2), (129, 5))


def _bytes(x: torch.Tensor) -> torch.Tensor:
    """Round to signed bytes, NaN to 0."""
    return x.round().nan_to_num(0.0, INF, -INF).clamp(-128, 127)


def _relu_squared(x: torch.Tensor) -> torch.Tensor:
    return torch.where(x < 0, 0.0, x) ** 2


def _leaky(x: torch.Tensor) -> torch.Tensor:
    return torch.where(x > 0, x, 0.01 * x)


def _gelu(x: torch.Tensor) -> torch.Tensor:
    return 0.5 * x * torch.special.erfc(-x * 0.5**0.5)


def shifts(launcher: Launcher) -> Iterator[Case]:
    """Add: usual, a fraction, zeros, infinities, NaN; the result is rounded once."""
    for n in (*LENGTHS, 9_001, 20_003, 70_001):
        x, j = whole(-9999, 10000, n, n).float() / 16, torch.arange(n)
        for label, y, s in (
            ("usual", x, 3.0),
            ("a fraction", x, -0.625),
            ("zeros", torch.where(j % 2 == 1, 0.0, -0.0), -0.0),
            ("infinities", torch.where(j % 3 == 1, -INF, x), 2.5),
            ("NaN", torch.where(j % 3 == 1, NAN, x), 1.5),
        ):
            for block_size in (256, 32, 96):
                if n > 5000 and (label == "NaN" or block_size == 96):
                    continue
                scalars = {"s": s, "block_size": block_size}
                words = f"n = {n:,}, {scalars}, {label}"
                options = {"dtypes": FLOAT, "quick": n > 5000}
                yield Case(words, (y,), (y.double() + s,), scalars, **options)


def largers(launcher: Launcher) -> Iterator[Case]:
    """Try all that an operator is tried with, and slices of which one is not round."""
    make = ElementwiseMaker.of(launcher, torch.maximum)
    yield from elementwise_cases(launcher, make)
    for n in (*range(1, 71), 257, 1000, 1026, 4099):
        for offset in ((4, 4, 4), (4, 4, 1), (4, 2, 4), (3, 4, 4)):
            yield make.shifted(n, 8, offset)


def leasts(launcher: Launcher) -> Iterator[Case]:
    """Look for the smallest: any, above 0, fine, below 0, alone at either end, strange."""
    for n in (*LENGTHS, 2047, 2048, 2049, 3073, 9_001, 30_001):
        x, j = whole(-999, 1000, n, n).double(), torch.arange(n)
        for label, y in (
            ("any", x),
            ("above 0", x.abs() + 5),
            ("fine differences", 1 + (x + 1000) * 2.0**-40),
            ("below 0", -x.abs() - 5),
            ("the last alone", torch.where(j == n - 1, 2.0, x.abs() + 9)),
            ("the middle alone", torch.where(j == n // 2, 2.0, x.abs() + 9)),
            ("huge", (x.abs() + 1) * 1e300),
            ("infinity", x * 0 + INF),
            ("NaN", torch.where(j == n // 2, NAN, x)),
        ):
            options = {"dtypes": DOUBLE, "quick": n > 5000}
            yield Case(f"n = {n:,}, {label}", (y,), (y.amin().reshape(1),), **options)
    few, many = whole(5, 99, 40, 1).double(), whole(-99, 0, 4000, 2).double()
    words = "n = 40, a second call"
    first = (-few,)
    yield Case(words, (few,), (few.amin().reshape(1),), before=first, dtypes=DOUBLE)
    yield Case("n = 4,000", (many,), (many.amin().reshape(1),), dtypes=DOUBLE)


def peaks(launcher: Launcher) -> Iterator[Case]:
    """Look for the largest of rows: any, fractions, below 0, alone, infinity, NaN."""
    for rows, cols in (*SIDES, *((3, c) for c in range(3, 71)), (2, 5001), (1025, 3)):
        n = rows * cols
        x, c = whole(-999, 1000, n, n).reshape(rows, cols).double() / 8, torch.arange(cols)
        for label, y in (
            ("any", x),
            ("below 0", -x.abs() - 1),
            ("rising", x * 0 + c),
            ("falling", x * 0 - c),
            ("the last alone", torch.where(c == cols - 1, 500.0, x)),
            ("the least of all", x * 0 - INF),
            ("infinity", torch.where(c == cols // 2, INF, x)),
            ("NaN", torch.where(c == cols // 2, NAN, x)),
        ):
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y.float(),), (y.amax(1),), dtypes=FLOAT, quick=n > 5000)


def norms(launcher: Launcher) -> Iterator[Case]:
    """Norm whole numbers: any, plain, small, about a large mean, equal, a NaN."""
    for rows, cols in (*SIDES, (3, 2_001), (70, 71)):
        n = rows * cols
        x, c = whole(-99, 100, n, n).reshape(rows, cols), torch.arange(cols)
        gain, offset = (whole(-9, 10, cols, cols + k).double() / 4 for k in range(2))
        for label, y, g, b, eps in (
            ("any", x, gain, offset, 1e-5),
            ("plain", x, gain * 0 + 1, offset * 0, 0.5),
            ("small", x / 1024, gain, offset, 0.25),
            ("about 8,192", 8192 + x // 10, gain, offset, 1.0),
            ("equal", x * 0 + 7, gain, offset, 0.125),
            ("NaN", torch.where((x % 9 == 4) & (c == cols // 2), NAN, x), gain, offset, 1.0),
        ):
            v = y.double()
            d = v - v.mean(1, keepdim=True)
            f = 1 / ((d * d).mean(1, keepdim=True) + eps).sqrt()
            right = d * f * g + b
            fine = 2.0**-15 * (d * f * g).abs() + 2.0**-22 * f * v.abs().amax(1, True) * g.abs()
            slack = ((fine + 2.0**-21 * b.abs() + 2.0**-24).nan_to_num(0.0),)
            words = f"rows = {rows:,}, cols = {cols:,}, eps = {eps}, {label}"
            inputs = (y.float(), g.float(), b.float())
            yield Case(words, inputs, (right,), {"eps": eps}, dtypes=FLOAT, within=slack)


def flips(launcher: Launcher) -> Iterator[Case]:
    """Transpose one, two and several matrices: any numbers, NaN and zeros of both signs."""
    sides = (*SIDES, (16, 16), (17, 15), (15, 17), (32, 48), (1, 300), (300, 1), (200, 31))
    for rows, cols in sides:
        for batch in (1, 2, 5):
            n = batch * rows * cols
            x = whole(-9999, 10000, n, n).reshape(batch, rows, cols).float()
            strange = torch.where(x % 5 == 1, NAN, torch.where(x % 5 == 2, -0.0, x))
            for label, y in (("any", x), ("NaN and zeros", strange)):
                words = f"batch = {batch}, rows = {rows:,}, cols = {cols:,}, {label}"
                right = y.transpose(1, 2).contiguous()
                yield Case(words, (y,), (right,), dtypes=FLOAT, quick=n > 5000)


def gemms(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole numbers, so that all is exact: any, plain, no product, no sum, NaN."""
    sides = ((1, 1, 1), (1, 2, 3), (2, 1, 40), (3, 5, 7), (16, 16, 16), (17, 15, 33))
    sides += ((15, 17, 65), (5, 40, 1), (40, 5, 2), (33, 31, 20), (1, 70, 31), (70, 1, 32))
    sides += ((20, 65, 48), (65, 20, 5), (3, 2, 1000), (2, 3, 300), (300, 2, 3), (2, 300, 3))
    for m, n, k in (*sides, *((7, 9, k) for k in range(2, 70, 3))):
        a, b = whole(-20, 21, m * k, m + k), whole(-20, 21, k * n, n)
        a, b = a.reshape(m, k).double(), b.reshape(k, n).double()
        c, i = whole(-99, 100, m * n, m + n).reshape(m, n).double(), torch.arange(m)[:, None]
        for label, p, q, s, alpha, beta in (
            ("any", a, b, c, 0.5, 2.0),
            ("plain", a, b, c, 1.0, 0.0),
            ("added", a, b, c, 1.0, 1.0),
            ("no product", a, b, c, 0.0, -1.5),
            ("taken away", a, b, c, -1.0, 4.0),
            ("NaN in a row", torch.where(i == m // 2, NAN, a), b, c, 2.0, 0.25),
        ):
            right = alpha * (p @ q) + beta * s
            scalars = {"alpha": alpha, "beta": beta}
            words = f"M = {m}, N = {n}, K = {k}, {scalars}, {label}"
            inputs = (p.float(), q.float(), s.float())
            yield Case(words, inputs, (right,), scalars, dtypes=FLOAT)


BASES = {
    "hundredten_shift": Base(SHIFT, {"cases": shifts}),
    "hundredten_larger": Base(LARGER, {"cases": largers}),
    "hundredten_narrow": Base(NARROW, {"reference": "cast"}),
    "hundredten_bytes": Base(BYTES, {"reference": _bytes}),
    "hundredten_squared": Base(SQUARED, {"reference": _relu_squared}),
    "hundredten_leaky": Base(LEAKY, {"reference": _leaky}),
    "hundredten_gelu": Base(GELU, {"reference": _gelu, "ulp": 1}),
    "hundredten_total": Base(TOTAL, cases="sums"),
    "hundredten_least": Base(LEAST, {"cases": leasts}),
    "hundredten_peak": Base(PEAK, {"cases": peaks}),
    "hundredten_soft": Base(SOFT, cases="softmax"),
    "hundredten_norm": Base(NORM, {"cases": norms}),
    "hundredten_flip": Base(FLIP, {"cases": flips}),
    "hundredten_gemm": Base(GEMM, {"cases": gemms}),
}

WRONG = (
    # ---- shift
    # The kernel takes the scalar as an integer.
    Wrong(
        "hundredten_shift_scalar_is_int",
        "hundredten_shift",
        "rounding / precision / function | numbers / sign of zero / whole range",
        (
            "float *out, float s, int n)\n{\n    int step",
            "float *out, int s, int n)\n{\n    int step",
        ),
    ),
    # The number of blocks is limited, and no thread takes a second one.
    Wrong(
        "hundredten_shift_limit_without_loop",
        "hundredten_shift",
        "unwritten / grid / left out | tail",
        (
            "    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)\n",
            "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n)\n",
        ),
        ("    int step = gridDim.x * blockDim.x;\n", ""),
    ),
    # One more than there are.
    Wrong(
        "hundredten_shift_one_too_many",
        "hundredten_shift",
        "bounds | tail",
        ("i < n; i += step", "i <= n; i += step"),
    ),
    # The number of blocks is rounded down, to none if n is small.
    Wrong(
        "hundredten_shift_blocks_rounded_down",
        "hundredten_shift",
        "unwritten / grid / tail | left out",
        ("(n + block_size - 1) / block_size", "n / block_size"),
    ),
    # The launch is on the default stream.
    Wrong(
        "hundredten_shift_no_stream",
        "hundredten_shift",
        "stream",
        ("<<<blocks, block_size, 0, stream>>>", "<<<blocks, block_size>>>"),
    ),
    # ---- larger
    # fmaxf gives the number beside a NaN.
    Wrong(
        "hundredten_larger_fmaxf",
        "hundredten_larger",
        "nan",
        ("return (p > q || p != p) ? p : q;", "return fmaxf(p, q);"),
    ),
    # The address of the output is not tested.
    Wrong(
        "hundredten_larger_y_anywhere",
        "hundredten_larger",
        "alignment",
        ("isRound(a) && isRound(b) && isRound(y)", "isRound(a) && isRound(b)"),
    ),
    # What is left is counted as if there were always packs.
    Wrong(
        "hundredten_larger_rest_of_four",
        "hundredten_larger",
        "unwritten / alignment / left out | tail",
        ("int rest = n - 4 * packs;", "int rest = n % 4;"),
    ),
    # The last of a pack is compared with the one before.
    Wrong(
        "hundredten_larger_z_for_w",
        "hundredten_larger",
        "neighbour / other element | numbers",
        ("larger(u.w, v.w)", "larger(u.w, v.z)"),
    ),
    # The last of the rest is not written.
    Wrong(
        "hundredten_larger_last_not_written",
        "hundredten_larger",
        "unwritten / tail | left out",
        ("if (i < n) y[i]", "if (i < n - 1) y[i]"),
    ),
    # ---- narrow
    # An odd last one has no thread, where the threads before it fill their blocks.
    Wrong(
        "hundredten_narrow_half_as_many_threads",
        "hundredten_narrow",
        "unwritten / tail | left out / grid",
        ("threads = (n + 1) / 2;", "threads = n / 2;"),
    ),
    # Pairs are rounded toward 0.
    Wrong(
        "hundredten_narrow_toward_zero",
        "hundredten_narrow",
        "rounding | infinity / subnormal / whole range / numbers",
        (
            "__floats2half2_rn(f.x, f.y)",
            "__halves2half2(__float2half_rz(f.x), __float2half_rz(f.y))",
        ),
    ),
    # What is too large becomes the largest half.
    Wrong(
        "hundredten_narrow_largest_for_infinity",
        "hundredten_narrow",
        "infinity / nan / whole range | numbers",
        (
            "    *(half2*)&dst[i]",
            "    f.x = fminf(fmaxf(f.x, -65504.0f), 65504.0f);\n"
            "    f.y = fminf(fmaxf(f.y, -65504.0f), 65504.0f);\n"
            "    *(half2*)&dst[i]",
        ),
    ),
    # The last pair may be half outside.
    Wrong(
        "hundredten_narrow_pair_past_the_end",
        "hundredten_narrow",
        "bounds | tail",
        ("if (i + 1 < n)", "if (i < n)"),
    ),
    # The odd last one keeps its bits.
    Wrong(
        "hundredten_narrow_last_keeps_bits",
        "hundredten_narrow",
        "tail / function | numbers / nan / infinity / rounding",
        (
            "__float2half(__bfloat162float(src[i]))",
            "__ushort_as_half(__bfloat16_as_ushort(src[i]))",
        ),
    ),
    # ---- bytes
    # The fraction is cut off.
    Wrong(
        "hundredten_bytes_cut_off",
        "hundredten_bytes",
        "rounding | numbers",
        ("(int8_t)rintf(limited)", "(int8_t)limited"),
    ),
    # Nothing is limited: what is outside wraps around.
    Wrong(
        "hundredten_bytes_wrap_around",
        "hundredten_bytes",
        "whole range | infinity / numbers",
        ("    float limited = fminf(fmaxf(v, -128.0f), 127.0f);\n", ""),
        ("(int8_t)rintf(limited)", "(int8_t)(int)rintf(v)"),
    ),
    # Ties go away from 0.
    Wrong(
        "hundredten_bytes_ties_away",
        "hundredten_bytes",
        "rounding | numbers",
        ("rintf(limited)", "roundf(limited)"),
    ),
    # The lower limit is -127.
    Wrong(
        "hundredten_bytes_least_is_127",
        "hundredten_bytes",
        "whole range / infinity | function / numbers",
        ("fmaxf(v, -128.0f)", "fmaxf(v, -127.0f)"),
    ),
    # The block size is the one that the author had in mind.
    Wrong(
        "hundredten_bytes_always_128",
        "hundredten_bytes",
        "block size | unwritten / left out / race",
        ("blockIdx.x * blockDim.x + threadIdx.x", "blockIdx.x * 128 + threadIdx.x"),
    ),
    # ---- squared
    # fmaxf makes 0 of a NaN.
    Wrong(
        "hundredten_squared_fmaxf",
        "hundredten_squared",
        "nan",
        ("x[i] < 0.0f ? 0.0f : x[i];", "fmaxf(x[i], 0.0f);"),
    ),
    # What is above 0 is doubled, not squared.
    Wrong(
        "hundredten_squared_doubled",
        "hundredten_squared",
        "function | numbers / twice / infinity / subnormal",
        ("y[i] = r * r;", "y[i] = r + r;"),
    ),
    # Blocks begin as if each thread took one.
    Wrong(
        "hundredten_squared_blocks_overlap",
        "hundredten_squared",
        "unwritten / left out | tail / grid",
        ("PER * blockIdx.x * blockDim.x", "blockIdx.x * blockDim.x"),
    ),
    # The last block is missing, unless all are whole.
    Wrong(
        "hundredten_squared_no_last_block",
        "hundredten_squared",
        "unwritten / tail / grid | left out",
        ("(n + each - 1) / each", "n / each"),
    ),
    # relu is stored in the input.
    Wrong(
        "hundredten_squared_relu_in_x",
        "hundredten_squared",
        "input",
        ("relu_squared(const float *x,", "relu_squared(float *x,"),
        (
            "float r = x[i] < 0.0f ? 0.0f : x[i];\n            y[i] = r * r;",
            "if (x[i] < 0.0f)\n                x[i] = 0.0f;\n            y[i] = x[i] * x[i];",
        ),
        ("stream>>>(x, y, n)", "stream>>>((float *)x, y, n)"),
    ),
    # ---- leaky
    # The slope is a float.
    Wrong(
        "hundredten_leaky_float_slope",
        "hundredten_leaky",
        "precision | function / numbers / rounding",
        ("  double slope;", "  float slope;"),
        ("Leaky{0.01}", "Leaky{0.01f}"),
    ),
    # The number is read as a float.
    Wrong(
        "hundredten_leaky_through_float",
        "hundredten_leaky",
        "precision | infinity / rounding / subnormal / narrow / numbers",
        ("double v = in[tid];", "float v = in[tid];"),
    ),
    # The slope is on the other side.
    Wrong(
        "hundredten_leaky_other_side",
        "hundredten_leaky",
        "function / swapped | numbers",
        ("v > 0 ? v : slope * v", "v > 0 ? slope * v : v"),
    ),
    # Two parts are added, and each makes 0 of a NaN.
    Wrong(
        "hundredten_leaky_two_parts",
        "hundredten_leaky",
        "nan / sign of zero",
        ("v > 0 ? v : slope * v", "fmax(v, 0.0) + slope * fmin(v, 0.0)"),
    ),
    # There are no more than 256 blocks, without a loop.
    Wrong(
        "hundredten_leaky_256_blocks",
        "hundredten_leaky",
        "unwritten / grid / left out | tail",
        ("(n + kThreads - 1) / kThreads;", "min((n + kThreads - 1) / kThreads, 256);"),
    ),
    # ---- gelu
    # The formula with tanh, which is near it.
    Wrong(
        "hundredten_gelu_by_tanh",
        "hundredten_gelu",
        "precision / function | numbers / rounding",
        (
            "0.5f * v * erfcf(-0.70710678f * v)",
            "0.5f * v * (1.0f + tanhf(0.79788456f * (v + 0.044715f * v * v * v)))",
        ),
    ),
    # The root of a half is forgotten.
    Wrong(
        "hundredten_gelu_no_root",
        "hundredten_gelu",
        "function | numbers / precision",
        ("erfcf(-0.70710678f * v)", "erfcf(-v)"),
    ),
    # The error function is rounded to a half before 1 is added.
    Wrong(
        "hundredten_gelu_erf_is_half",
        "hundredten_gelu",
        "rounding / precision | function / numbers",
        (
            "0.5f * v * erfcf(-0.70710678f * v)",
            "0.5f * v * (1.0f + __half2float(__float2half(erff(0.70710678f * v))))",
        ),
    ),
    # Pairs are taken from any address.
    Wrong(
        "hundredten_gelu_pairs_anywhere",
        "hundredten_gelu",
        "alignment",
        ("bool pairs = (uintptr_t)x % 4 == 0 && (uintptr_t)y % 4 == 0;", "bool pairs = true;"),
    ),
    # Where there are no pairs, a thread takes one of two.
    Wrong(
        "hundredten_gelu_every_other",
        "hundredten_gelu",
        "unwritten / alignment | left out / tail",
        ("i < first + 2 && i < n", "i < first + 1 && i < n"),
    ),
    # ---- total
    # The tree begins with a quarter of the block.
    Wrong(
        "hundredten_total_quarter_tree",
        "hundredten_total",
        "left out | numbers / tail",
        ("int half_way = BLOCK / 2;", "int half_way = BLOCK / 4;"),
    ),
    # The levels of the tree do not wait for each other.
    Wrong(
        "hundredten_total_no_barrier_in_tree",
        "hundredten_total",
        "race | numbers / left out / twice",
        ("        }\n        __syncthreads();\n", "        }\n"),
    ),
    # Each thread adds to an integer.
    Wrong(
        "hundredten_total_int_sum",
        "hundredten_total",
        "rounding / precision / whole range | numbers / nan / infinity / narrow",
        ("float mine = 0.0f;", "int mine = 0;"),
    ),
    # What is in the output is added, too.
    Wrong(
        "hundredten_total_adds_to_output",
        "hundredten_total",
        "zero before / state | nan / numbers",
        ("out[0] = part[0];", "out[0] += part[0];"),
    ),
    # Each thread begins with the first number.
    Wrong(
        "hundredten_total_starts_with_first",
        "hundredten_total",
        "start / twice | numbers",
        ("float mine = 0.0f;", "float mine = x[0];"),
    ),
    # ---- least
    # DBL_MIN is the smallest above 0.
    Wrong(
        "hundredten_least_starts_at_dbl_min",
        "hundredten_least",
        "start | numbers",
        ("double v = INFINITY;", "double v = DBL_MIN;"),
    ),
    # What is shared is a float.
    Wrong(
        "hundredten_least_shared_floats",
        "hundredten_least",
        "precision | infinity / numbers / rounding / narrow",
        ("__shared__ double s[THREADS];", "__shared__ float s[THREADS];"),
    ),
    # The second kernel looks at all places, of which some are of an earlier call.
    Wrong(
        "hundredten_least_all_places",
        "hundredten_least",
        "state / start / other element | numbers",
        (
            "minOfParts<<<1, THREADS, 0, stream>>>(out, parts)",
            "minOfParts<<<1, THREADS, 0, stream>>>(out, PARTS)",
        ),
    ),
    # The second kernel looks at the first 32 parts only.
    Wrong(
        "hundredten_least_first_32_parts",
        "hundredten_least",
        "left out | numbers / tail",
        ("t < parts ? d_parts[t]", "t < parts && t < 32 ? d_parts[t]"),
    ),
    # The second kernel is on the default stream.
    Wrong(
        "hundredten_least_second_no_stream",
        "hundredten_least",
        "stream | race / state",
        ("minOfParts<<<1, THREADS, 0, stream>>>", "minOfParts<<<1, THREADS>>>"),
    ),
    # ---- peak
    # The largest begins with 0.
    Wrong(
        "hundredten_peak_starts_at_0",
        "hundredten_peak",
        "start | numbers / infinity",
        ("float m = -INFINITY;", "float m = 0.0f;"),
    ),
    # The last warp is not asked.
    Wrong(
        "hundredten_peak_last_warp_left_out",
        "hundredten_peak",
        "left out | numbers / tail / nan",
        ("w = 1; w < WARPS; w++", "w = 1; w < WARPS - 1; w++"),
    ),
    # Rows have the pitch of columns.
    Wrong(
        "hundredten_peak_pitch_is_rows",
        "hundredten_peak",
        "sides / other element / bounds | numbers",
        ("(size_t)blockIdx.x * cols;", "(size_t)blockIdx.x * rows;"),
    ),
    # The last column is not looked at.
    Wrong(
        "hundredten_peak_no_last_column",
        "hundredten_peak",
        "left out / tail | numbers / nan / start",
        ("c < cols; c += 32 * WARPS", "c < cols - 1; c += 32 * WARPS"),
    ),
    # What warps have found is kept as whole numbers.
    Wrong(
        "hundredten_peak_shared_ints",
        "hundredten_peak",
        "rounding / precision / whole range | numbers / nan / infinity / narrow / start",
        ("__shared__ float best[WARPS];", "__shared__ int best[WARPS];"),
    ),
    # ---- soft
    # The largest is not taken away.
    Wrong(
        "hundredten_soft_largest_stays",
        "hundredten_soft",
        "infinity / nan | numbers / precision / function",
        ("sum += power(in[j] - top);", "sum += power(in[j]);"),
        ("to[j] = power(in[j] - top) / sum;", "to[j] = power(in[j]) / sum;"),
    ),
    # The largest begins with 0.
    Wrong(
        "hundredten_soft_starts_at_0",
        "hundredten_soft",
        "start | nan / infinity / numbers / precision / subnormal",
        ("float top = -INFINITY;", "float top = 0.f;"),
    ),
    # Halves of the warp are not added to each other.
    Wrong(
        "hundredten_soft_half_a_warp",
        "hundredten_soft",
        "left out | numbers / function",
        (
            "k < 32; k *= 2) sum +=",
            "k < 16; k *= 2) sum +=",
        ),
    ),
    # There may be one row too many.
    Wrong(
        "hundredten_soft_one_row_too_many",
        "hundredten_soft",
        "bounds | tail",
        ("if (r >= m) return;", "if (r > m) return;"),
    ),
    # Powers of 2.
    Wrong(
        "hundredten_soft_powers_of_2",
        "hundredten_soft",
        "function | numbers / precision",
        ("return expf(v);", "return exp2f(v);"),
    ),
    # ---- norm
    # The variance is that of a sample.
    Wrong(
        "hundredten_norm_less_one",
        "hundredten_norm",
        "function | numbers / nan / infinity / precision",
        ("var /= cols;", "var /= cols - 1;"),
    ),
    # The mean of squares less the square of the mean.
    Wrong(
        "hundredten_norm_mean_of_squares",
        "hundredten_norm",
        "precision | numbers / nan / infinity / function",
        ("var += (in[c] - mean) * (in[c] - mean);", "var += in[c] * in[c];"),
        ("var /= cols;", "var = var / cols - mean * mean;"),
    ),
    # The gain is that of the row.
    Wrong(
        "hundredten_norm_gain_of_row",
        "hundredten_norm",
        "other element / bounds / sides | numbers / left out",
        ("gain[c]", "gain[r]"),
    ),
    # Gain and offset are taken for each other.
    Wrong(
        "hundredten_norm_gain_and_offset",
        "hundredten_norm",
        "swapped / function | numbers",
        ("* gain[c] + offset[c]", "* offset[c] + gain[c]"),
    ),
    # The row is centred where it lies.
    Wrong(
        "hundredten_norm_centred_in_x",
        "hundredten_norm",
        "input | state",
        ("layernorm_rows(const float* x,", "layernorm_rows(float* x,"),
        ("        const float* in = x", "        float* in = x"),
        (
            "var += (in[c] - mean) * (in[c] - mean);",
            "{\n            in[c] -= mean;\n            var += in[c] * in[c];\n        }",
        ),
        ("to[c] = (in[c] - mean) * scale", "to[c] = in[c] * scale"),
        ("stream>>>(x, gain", "stream>>>((float*)x, gain"),
    ),
    # ---- flip
    # Tiles change places, and what is in them does not.
    Wrong(
        "hundredten_flip_tiles_as_they_are",
        "hundredten_flip",
        "other element / function / unwritten | sides / numbers / bounds / nan",
        ("= tile[tx][ty];", "= tile[ty][tx];"),
    ),
    # Tiles are read before all have stored.
    Wrong(
        "hundredten_flip_no_barrier",
        "hundredten_flip",
        "race | numbers / other element / unwritten / state / nan",
        ("    __syncthreads();\n", ""),
    ),
    # The grid has its sides swapped.
    Wrong(
        "hundredten_flip_grid_swapped",
        "hundredten_flip",
        "unwritten / grid / sides / swapped | left out",
        (
            "blocks((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE, batch)",
            "blocks((rows + TILE - 1) / TILE, (cols + TILE - 1) / TILE, batch)",
        ),
    ),
    # All planes are written to the first one.
    Wrong(
        "hundredten_flip_into_first_plane",
        "hundredten_flip",
        "unwritten / race / other element | left out / numbers",
        ("y[plane + (size_t)out_row", "y[(size_t)out_row"),
    ),
    # The launch is on the default stream.
    Wrong(
        "hundredten_flip_no_stream",
        "hundredten_flip",
        "stream",
        ("<<<blocks, threads, 0, stream>>>", "<<<blocks, threads>>>"),
    ),
    # ---- gemm
    # Only whole tiles of the inner side are taken.
    Wrong(
        "hundredten_gemm_whole_tiles",
        "hundredten_gemm",
        "left out / tail | numbers / nan",
        ("int tiles = (K + TS - 1) / TS;", "int tiles = K / TS;"),
    ),
    # Tiles are filled while they are read.
    Wrong(
        "hundredten_gemm_no_second_barrier",
        "hundredten_gemm",
        "race | numbers / other element / left out / twice",
        ("Bs[k][tx];\n        __syncthreads();\n", "Bs[k][tx];\n"),
    ),
    # The third matrix has no factor.
    Wrong(
        "hundredten_gemm_no_beta",
        "hundredten_gemm",
        "function / left out | numbers",
        ("+ beta * C[at]", "+ C[at]"),
    ),
    # Tiles of the first matrix go on past its rows.
    Wrong(
        "hundredten_gemm_past_the_rows_of_a",
        "hundredten_gemm",
        "bounds / nan | tail / other element / numbers",
        ("(row < M && ka < K) ?", "(row < M) ?"),
    ),
    # The factors are passed in the other order.
    Wrong(
        "hundredten_gemm_factors_swapped",
        "hundredten_gemm",
        "swapped / function | numbers",
        ("M, N, K, alpha, beta);", "M, N, K, beta, alpha);"),
    ),
)

RIGHT = (
    # All counts have 64 bits.
    Right(
        "hundredten_shift_int64",
        "hundredten_shift",
        (
            "float s, int n)\n{\n    int step = gridDim.x",
            "float s, int64_t n)\n{\n    int64_t step = (int64_t)gridDim.x",
        ),
        (
            "for (int i = blockIdx.x * blockDim.x",
            "for (int64_t i = (int64_t)blockIdx.x * blockDim.x",
        ),
        ("float s, int n, int block_size", "float s, int64_t n, int block_size"),
        ("    int blocks = (n", "    int64_t blocks = (n"),
        ("<<<blocks,", "<<<(unsigned int)blocks,"),
    ),
    # The output comes first.
    Right(
        "hundredten_larger_output_first",
        "hundredten_larger",
        (
            "const float* a,  // [n]\n"
            "                       const float* b,  // [n]\n"
            "                       float* y,        // [n]\n",
            "float* y,        // [n]\n"
            "                       const float* a,  // [n]\n"
            "                       const float* b,  // [n]\n",
        ),
    ),
    # There is always a block more than pairs need.
    Right(
        "hundredten_narrow_idle_block",
        "hundredten_narrow",
        ("(threads + block_size - 1) / block_size;", "threads / block_size + 1;"),
    ),
    # The integer is limited, after it has been rounded.
    Right(
        "hundredten_bytes_limits_integers",
        "hundredten_bytes",
        (
            "    float limited = fminf(fmaxf(v, -128.0f), 127.0f);\n"
            "    return (int8_t)rintf(limited);",
            "    int near = __float2int_rn(v);\n    return (int8_t)max(-128, min(127, near));",
        ),
    ),
    # A thread takes seven.
    Right(
        "hundredten_squared_seven",
        "hundredten_squared",
        ("constexpr int per = 4;", "constexpr int per = 7;"),
    ),
    # Threads take more than one, and are counted without a sign.
    Right(
        "hundredten_leaky_loop",
        "hundredten_leaky",
        (
            "  int tid = threadIdx.x + blockIdx.x * blockDim.x;\n  if (tid < n) {",
            "  uint32_t count = n, step = gridDim.x * blockDim.x;\n"
            "  uint32_t tid = threadIdx.x + blockIdx.x * blockDim.x;\n"
            "  for (; tid < count; tid += step) {",
        ),
        ("(n + kThreads - 1) / kThreads;", "min((n + kThreads - 1) / kThreads, 100);"),
    ),
    # Blocks of other sizes, one of them idle.
    Right(
        "hundredten_gelu_blocks_of_96",
        "hundredten_gelu",
        ("(n + 511) / 512;", "n / 192 + 1;"),
        ("<<<blocks, 256, 0, stream>>>", "<<<blocks, 96, 0, stream>>>"),
    ),
    # The output is set to 0, and each warp adds to it.
    Right(
        "hundredten_total_warps_add",
        "hundredten_total",
        ("    __shared__ float part[BLOCK];\n", ""),
        (
            "    part[t] = mine;\n"
            "    __syncthreads();\n"
            "    for (int half_way = BLOCK / 2; half_way > 0; half_way >>= 1) {\n"
            "        if (t < half_way) {\n"
            "            part[t] += part[t + half_way];\n"
            "        }\n"
            "        __syncthreads();\n"
            "    }\n"
            "    if (t == 0) {\n"
            "        out[0] = part[0];\n",
            "    for (int d = 16; d > 0; d >>= 1) {\n"
            "        mine += __shfl_down_sync(0xffffffff, mine, d);\n"
            "    }\n"
            "    if (t % 32 == 0) {\n"
            "        atomicAdd(out, mine);\n",
        ),
        (
            "    sum_block<<<",
            "    cudaMemsetAsync(out, 0, sizeof(float), stream);\n    sum_block<<<",
        ),
    ),
    # Blocks of 512, and as many parts.
    Right(
        "hundredten_least_blocks_of_512",
        "hundredten_least",
        ("#define THREADS 64", "#define THREADS 512"),
        ("#define PARTS 48", "#define PARTS 7"),
    ),
    # All warps join in shared memory, by a tree.
    Right(
        "hundredten_peak_tree",
        "hundredten_peak",
        ("__shared__ float best[WARPS];", "__shared__ float best[32 * WARPS];"),
        (
            "    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;\n",
            "    int t = threadIdx.x;\n",
        ),
        (
            "    for (int d = 16; d >= 1; d /= 2)\n"
            "        m = max_nan(m, __shfl_down_sync(0xffffffffu, m, d));\n"
            "    if (lane == 0)\n"
            "        best[warp] = m;\n"
            "    __syncthreads();\n",
            "    best[t] = m;\n"
            "    __syncthreads();\n"
            "    for (int d = 16 * WARPS; d >= 1; d /= 2) {\n"
            "        if (t < d)\n"
            "            best[t] = max_nan(best[t], best[t + d]);\n"
            "        __syncthreads();\n"
            "    }\n",
        ),
        (
            "    if (threadIdx.x == 0) {\n"
            "        for (int w = 1; w < WARPS; w++)\n"
            "            m = max_nan(m, best[w]);\n"
            "        out[blockIdx.x] = m;\n"
            "    }\n",
            "    if (t == 0)\n        out[blockIdx.x] = best[0];\n",
        ),
    ),
    # Exponentials are kept in the output, and divided there.
    Right(
        "hundredten_soft_kept_in_out",
        "hundredten_soft",
        ("sum += power(in[j] - top);", "sum += to[j] = power(in[j] - top);"),
        ("to[j] = power(in[j] - top) / sum;", "to[j] /= sum;"),
    ),
    # Sums are doubles.
    Right(
        "hundredten_norm_double_sums",
        "hundredten_norm",
        ("        float mean = 0;", "        double mean = 0;"),
        ("        float var = 0;", "        double var = 0;"),
        ("1.0f / sqrtf(var + eps)", "(float)(1.0 / sqrt(var + eps))"),
        ("to[c] = (in[c] - mean) * scale", "to[c] = (float)(in[c] - mean) * scale"),
    ),
    # Each thread writes what it has read.
    Right(
        "hundredten_flip_own_place",
        "hundredten_flip",
        (
            "    int out_col = blockIdx.y * TILE + tx;\n"
            "    int out_row = blockIdx.x * TILE + ty;\n",
            "    int out_col = blockIdx.y * TILE + ty;\n"
            "    int out_row = blockIdx.x * TILE + tx;\n",
        ),
        ("= tile[tx][ty];", "= tile[ty][tx];"),
    ),
    # The grid has rows in x, and tiles of 8.
    Right(
        "hundredten_gemm_rows_in_x",
        "hundredten_gemm",
        ("const int TS = 16;", "const int TS = 8;"),
        (
            "int row = blockIdx.y * TS + ty, col = blockIdx.x * TS + tx;",
            "int row = blockIdx.x * TS + ty, col = blockIdx.y * TS + tx;",
        ),
        (
            "dim3 grid((N + TS - 1) / TS, (M + TS - 1) / TS);",
            "dim3 grid((M + TS - 1) / TS, (N + TS - 1) / TS);",
        ),
    ),
)
