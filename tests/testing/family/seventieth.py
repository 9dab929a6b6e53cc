"""Hold a seventieth family: the plain operators of a course, and what goes wrong in them.

Its bases are a sum in float2 with a kernel for the rest, a difference of bfloat16, a float
to bfloat16 by its bits, a float to a byte, ELU, a times x plus y in halves, the larger of
two arrays, a sum of squares in two launches, the place of the largest of each row, the sums
of columns by atomics, matrices turned in tiles, a product with the second matrix
transposed, softmax with its maximum and sum in one pass, and layer norm by a warp a row.
They have 12 to 45 lines. The cases of seven are those of references and of `kernel_cases`,
of the others their own. Each was run on the emulator beside PyTorch, compared as a case
does, called twice on the same tensors, on a stream that is not the default one, with
threads in order, from the last to the first and in a random order, with tensors at either
end of their pages, the bytes behind them and their inputs looked at afterwards; cases past
2^31 elements were not run. nvcc 13.0 compiles each base for 8.0; none was run on a GPU, and
nothing has judged a member yet. Bases and right ones are right, and all others wrong or
refused by a fault, but for the one without an atomic, whose blocks the emulator runs one
after another:

    seventy_add_one_of_three             from 2 numbers on, by the address of a or c
    seventy_add_rest_no_stream           on another stream, of an odd n or of odd addresses
    seventy_add_rest_from_pairs          of odd n, where pairs are taken
    seventy_add_second_to_first          from 2 numbers on, where pairs are taken
    seventy_add_always_256               of other block sizes, from a second block of pairs on
    seventy_minus_swapped                unless both are equal
    seventy_minus_cut_off                of differences that are not bfloat16
    seventy_minus_no_loop                from 15,361 numbers on
    seventy_minus_one_too_many           always
    seventy_minus_nan_is_0               of NaN and of two infinities
    seventy_tobf_cut_off                 of nearly all
    seventy_tobf_ties_up                 of every other tie
    seventy_tobf_nan_rounded             of NaN whose lower bits are set, by chance of others
    seventy_tobf_infinity_is_nan         of infinity
    seventy_tobf_blocks_rounded_down     unless a block's numbers divide n
    seventy_tobyte_half_added            of every other tie
    seventy_tobyte_wraps                 from 255.5 on
    seventy_tobyte_nan_is_255            of NaN
    seventy_tobyte_limit_256             from 255.5 on
    seventy_tobyte_blocks_of_256         of smaller blocks, from 65 numbers on at 64
    seventy_elu_exp_less_1               of small numbers below 0
    seventy_elu_two_limits               of NaN
    seventy_elu_times_condition          from 89 on, and of both infinities
    seventy_elu_factor_of_selu           below 0
    seventy_elu_only_both_sides          of 0 and NaN
    seventy_axpy_a_is_half               if a is no half
    seventy_axpy_rounded_twice           of products that are not halves
    seventy_axpy_a_is_int                if a is no integer
    seventy_axpy_odd_forgotten           of odd n
    seventy_axpy_pair_past_end           of odd n
    seventy_larger_fmaxf                 if one of two is NaN
    seventy_larger_by_bits               of two numbers below 0
    seventy_larger_blocks_overlap        from a second block on
    seventy_larger_into_a                if the second is the larger: a is overwritten
    seventy_larger_first_tested          unless a block's numbers divide n
    seventy_sumsq_half_a_tree            from 65 numbers on
    seventy_sumsq_no_barrier_in_tree     where threads do not wait for another
    seventy_sumsq_old_parts              after a call with more blocks
    seventy_sumsq_first_32_parts         from 4,097 numbers on
    seventy_sumsq_step_of_block          from 129 numbers on
    seventy_argmax_starts_at_0           of rows without a number above 0
    seventy_argmax_later_of_equal        of equal ones in two lanes
    seventy_argmax_place_of_lane         from 33 columns on
    seventy_argmax_square                from 2 rows on, unless the rows are square
    seventy_argmax_half_a_mask           always
    seventy_colsum_not_zeroed            unless the sums are 0 before
    seventy_colsum_no_atomic             from 33 rows on, where blocks run at once
    seventy_colsum_zeroed_bytes          unless the sums are 0 before
    seventy_colsum_chunks_rounded_down   unless 32 divides the rows
    seventy_colsum_zeroed_elsewhere      on another stream than the default one
    seventy_turn_pitch_of_input          unless square
    seventy_turn_tile_as_filled          of nearly all
    seventy_turn_no_barrier              where threads do not wait for another
    seventy_turn_to_first                from 2 matrices on
    seventy_turn_four_lines              from 5 lines of a tile on
    seventy_abt_whole_tiles              unless 16 divides K
    seventy_abt_pitch_of_result          from 2 columns on, unless N and K are alike
    seventy_abt_tile_not_turned          of nearly all
    seventy_abt_grid_swapped             unless the tiles are as many each way
    seventy_abt_no_second_barrier        from K = 17 on, where threads do not wait
    seventy_softmax_starts_at_0          of rows that are far below 0
    seventy_softmax_sum_not_scaled       if the maximum of a thread grows
    seventy_softmax_last_column          always
    seventy_softmax_tree_ends_early      from 2 columns on
    seventy_softmax_in_x                 always: x is overwritten
    seventy_norm_of_sample               unless all of a row are equal and more than one
    seventy_norm_squares_less_square     of rows with a mean far from 0
    seventy_norm_gamma_of_row            unless gamma is the same everywhere
    seventy_norm_shuffles_down           from 2 columns on
    seventy_norm_no_eps                  of rows of equal numbers, or of a small variance
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import whole

# A sum of two arrays: float2 where all addresses allow it, the rest by a kernel of its own.
ADD = (
    HEADER
    + """\
__global__ void addPairs(const float2 *a, const float2 *b, float2 *c, int64_t pairs)
{
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < pairs)
    {
        float2 u = a[i];
        float2 v = b[i];
        c[i] = make_float2(u.x + v.x, u.y + v.y);
    }
}

__global__ void addRest(const float *a, const float *b, float *c, int64_t from, int64_t n)
{
    int64_t i = from + (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

static unsigned blocksFor(int64_t count, int threads)
{
    return (unsigned)((count + threads - 1) / threads);
}

extern "C" void launch(const float *a,  // [n]
                       const float *b,  // [n]
                       float *c,        // [n]
                       int64_t n, int block_size = 256, cudaStream_t stream = 0)
{
    uintptr_t bits = (uintptr_t)a | (uintptr_t)b | (uintptr_t)c;
    int64_t pairs = bits % sizeof(float2) == 0 ? n / 2 : 0;
    int64_t rest = n - 2 * pairs;
    if (pairs > 0)
        addPairs<<<blocksFor(pairs, block_size), block_size, 0, stream>>>(
            (const float2 *)a, (const float2 *)b, (float2 *)c, pairs);
    if (rest > 0)
        addRest<<<blocksFor(rest, block_size), block_size, 0, stream>>>(a, b, c, 2 * pairs, n);
}
"""
)

# A difference of bfloat16 in float, by a loop over the grid.
MINUS = (
    HEADER
    + """\
__global__ void bf16_minus(const __nv_bfloat16* x, const __nv_bfloat16* y, __nv_bfloat16* z,
                           int64_t n) {
  const int64_t threads = (int64_t)gridDim.x * blockDim.x;
  int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  for (; i < n; i += threads) {
    float d = __bfloat162float(x[i]) - __bfloat162float(y[i]);
    z[i] = __float2bfloat16(d);
  }
}

extern "C" void launch(const __nv_bfloat16* x,  // [n]
                       const __nv_bfloat16* y,  // [n]
                       __nv_bfloat16* z,        // [n]
                       int64_t n, cudaStream_t stream = 0) {
  int64_t blocks = (n + 127) / 128;
  if (blocks > 120) blocks = 120;
  bf16_minus<<<(int)blocks, 128, 0, stream>>>(x, y, z, n);
}
"""
)

# A float to bfloat16 by its bits, four neighbours a thread.
TOBF = (
    HEADER
    + """\
#define PER_THREAD 4

__device__ __forceinline__ unsigned short bf16_bits(float f)
{
    unsigned int u = __float_as_uint(f);
    if ((u & 0x7fffffffu) > 0x7f800000u)
        return (unsigned short)(u >> 16 | 0x40u);  /* a quiet NaN */
    unsigned int odd = (u >> 16) & 1u;
    u += 0x7fffu + odd;
    return (unsigned short)(u >> 16);
}

__global__ void float_to_bf16(const float *src, unsigned short *dst, int64_t n)
{
    int64_t start = PER_THREAD * ((int64_t)blockIdx.x * blockDim.x + threadIdx.x);
    for (int k = 0; k < PER_THREAD; k++)
        if (start + k < n)
            dst[start + k] = bf16_bits(src[start + k]);
}

extern "C" void launch(const float *src,    // [n]
                       __nv_bfloat16 *dst,  // [n]
                       int64_t n, int block_size = 128, cudaStream_t stream = 0)
{
    int64_t per_block = (int64_t)PER_THREAD * block_size;
    int64_t blocks = (n + per_block - 1) / per_block;
    float_to_bf16<<<(unsigned int)blocks, block_size, 0, stream>>>(
        src, (unsigned short *)dst, n);
}
"""
)

# A float to a byte: to the nearest, what is outside to 0 or 255, NaN to 0.
TOBYTE = (
    HEADER
    + """\
__global__ void toByte(const float* img, uint8_t* bytes, int count) {
    int idx = threadIdx.x + blockDim.x * blockIdx.x;
    if (idx >= count) return;
    float level = rintf(img[idx]);
    level = fmaxf(level, 0.0f);
    level = fminf(level, 255.0f);
    bytes[idx] = (uint8_t)(int)level;
}

extern "C" void launch(const float* img,  // [count]
                       uint8_t* bytes,    // [count]
                       int count, int block_size = 256, cudaStream_t stream = 0) {
    int blocks = (count + block_size - 1) / block_size;
    toByte<<<blocks, block_size, 0, stream>>>(img, bytes, count);
}
"""
)

# ELU, a number a thread.
ELU = (
    HEADER
    + """\
__device__ float elu(float v) {
  return v > 0.0f ? v : expm1f(v);
}

__global__ void eluForward(const float* __restrict__ in, float* __restrict__ out, int64_t n) {
  int64_t tid = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (tid < n) {
    out[tid] = elu(in[tid]);
  }
}

extern "C" void launch(const float* in,  // [n]
                       float* out,       // [n]
                       int64_t n, cudaStream_t stream = 0) {
  const int threads = 256;
  const unsigned blocks = (unsigned)((n + threads - 1) / threads);
  eluForward<<<blocks, threads, 0, stream>>>(in, out, n);
}
"""
)

# a times x plus y in halves, two a thread; the last of an odd number alone.
AXPY = (
    HEADER
    + """\
__global__ void axpy_h2(float a, const half *x, const half *y, half *out, int n)
{
        int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);

        if (i + 1 < n) {
                float2 p = __half22float2(*(const half2 *)(x + i));
                float2 q = __half22float2(*(const half2 *)(y + i));
                *(half2 *)(out + i) = __floats2half2_rn(a * p.x + q.x, a * p.y + q.y);
        } else if (i < n) {
                out[i] = __float2half(a * __half2float(x[i]) + __half2float(y[i]));
        }
}

extern "C" void launch(float a,
                       const half *x,  // [n] 4-byte aligned
                       const half *y,  // [n] 4-byte aligned
                       half *out,      // [n] 4-byte aligned
                       int n, int block_size = 192, cudaStream_t stream = 0)
{
        int threads = (n + 1) / 2;
        int blocks = (threads + block_size - 1) / block_size;

        axpy_h2<<<blocks, block_size, 0, stream>>>(a, x, y, out, n);
}
"""
)

# The larger of two numbers, NaN kept: a block takes four times its threads.
LARGER = (
    HEADER
    + """\
constexpr int kEach = 4;

__device__ inline float larger(float p, float q) {
  if (p != p) return p;
  if (q != q) return q;
  return p > q ? p : q;
}

__global__ void maximum(const float* a, const float* b, float* out, int64_t n) {
  const int64_t first = (int64_t)blockIdx.x * blockDim.x * kEach + threadIdx.x;
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    const int64_t i = first + k * blockDim.x;
    if (i < n) out[i] = larger(a[i], b[i]);
  }
}

extern "C" void launch(const float* a,  // [n]
                       const float* b,  // [n]
                       float* out,      // [n]
                       int64_t n, int block_size = 128, cudaStream_t stream = 0) {
  const int64_t each = (int64_t)block_size * kEach;
  maximum<<<(unsigned)((n + each - 1) / each), block_size, 0, stream>>>(a, b, out, n);
}
"""
)

# A sum of squares in two launches: 64 parts, then one warp that adds them.
SUMSQ = (
    HEADER
    + """\
#define THREADS 128
#define PARTS 64

__device__ double parts[PARTS];

__global__ void sumsqParts(const float *x, int64_t n)
{
    __shared__ double buf[THREADS];
    int t = threadIdx.x;
    double mine = 0.0;
    for (int64_t i = blockIdx.x * THREADS + t; i < n; i += PARTS * THREADS) {
        double v = x[i];
        mine += v * v;
    }
    buf[t] = mine;
    __syncthreads();
    for (int half = THREADS / 2; half >= 1; half /= 2) {
        if (t < half)
            buf[t] += buf[t + half];
        __syncthreads();
    }
    if (t == 0)
        parts[blockIdx.x] = buf[0];
}

__global__ void sumsqTotal(float *out)
{
    double v = parts[threadIdx.x] + parts[threadIdx.x + 32];
    for (int d = 16; d >= 1; d /= 2)
        v += __shfl_down_sync(0xffffffffu, v, d);
    if (threadIdx.x == 0)
        out[0] = (float)v;
}

extern "C" void launch(const float *x,  // [n]
                       float *out,      // [1]
                       int64_t n, cudaStream_t stream = 0)
{
    sumsqParts<<<PARTS, THREADS, 0, stream>>>(x, n);
    sumsqTotal<<<1, 32, 0, stream>>>(out);
}
"""
)

# The place of the largest of each row, the first of equal ones, a warp a row.
ARGMAX = (
    HEADER
    + """\
__global__ void argmaxRows(const float* scores, int* winner, int rows, int cols) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  int lane = threadIdx.x % 32;
  if (row >= rows) return;
  const float* mine = scores + (size_t)row * cols;

  float best = -INFINITY;
  int at = 0x7fffffff;
  for (int c = lane; c < cols; c += 32) {
    if (mine[c] > best || at == 0x7fffffff) {
      best = mine[c];
      at = c;
    }
  }
  for (int d = 16; d > 0; d >>= 1) {
    float v = __shfl_xor_sync(0xffffffff, best, d);
    int p = __shfl_xor_sync(0xffffffff, at, d);
    if (v > best || (v == best && p < at)) {
      best = v;
      at = p;
    }
  }
  if (lane == 0) winner[row] = at;
}

extern "C" void launch(const float* scores,  // [rows, cols]
                       int* winner,          // [rows]
                       int rows, int cols, cudaStream_t stream = 0) {
  int blocks = (rows + 3) / 4;
  argmaxRows<<<blocks, 128, 0, stream>>>(scores, winner, rows, cols);
}
"""
)

# The sum of each column: a thread adds 32 rows of one, and atomics join them.
COLSUM = (
    HEADER
    + """\
enum { CHUNK = 32, WIDTH = 64 };

__global__ void col_sums(const float *m, float *sums, int rows, int cols)
{
    int col = blockIdx.x * WIDTH + threadIdx.x;
    if (col >= cols)
        return;
    int r = blockIdx.y * CHUNK;
    int end = min(r + CHUNK, rows);
    float acc = 0.f;
    while (r < end) {
        acc += m[(size_t)r * cols + col];
        r++;
    }
    atomicAdd(&sums[col], acc);
}

extern "C" void launch(const float *m,  // [rows, cols]
                       float *sums,     // [cols]
                       int rows, int cols, cudaStream_t stream = 0)
{
    cudaMemsetAsync(sums, 0, cols * sizeof(float), stream);
    dim3 grid((cols + WIDTH - 1) / WIDTH, (rows + CHUNK - 1) / CHUNK);
    col_sums<<<grid, WIDTH, 0, stream>>>(m, sums, rows, cols);
}
"""
)

# Matrices turned, one a plane of the grid, in tiles of 32 that 8 rows of threads copy.
TURN = (
    HEADER
    + """\
static const int kSide = 32;
static const int kLines = 8;

__global__ void turn_batch(const int* from, int* to, int rows, int cols) {
  __shared__ int block[kSide][kSide + 1];
  size_t skip = (size_t)blockIdx.z * rows * cols;
  from += skip;
  to += skip;

  int col = blockIdx.x * kSide + threadIdx.x;
  for (int line = threadIdx.y; line < kSide; line += kLines) {
    int row = blockIdx.y * kSide + line;
    if (row < rows && col < cols) block[line][threadIdx.x] = from[(size_t)row * cols + col];
  }
  __syncthreads();

  int row = blockIdx.y * kSide + threadIdx.x;
  for (int line = threadIdx.y; line < kSide; line += kLines) {
    col = blockIdx.x * kSide + line;
    if (row < rows && col < cols) to[(size_t)col * rows + row] = block[threadIdx.x][line];
  }
}

extern "C" void launch(const int* from,  // [batch, rows, cols]
                       int* to,          // [batch, cols, rows]
                       int batch, int rows, int cols, cudaStream_t stream = 0) {
  dim3 tiles((cols + kSide - 1) / kSide, (rows + kSide - 1) / kSide, batch);
  turn_batch<<<tiles, dim3(kSide, kLines), 0, stream>>>(from, to, rows, cols);
}
"""
)

# A product with the second matrix transposed, in tiles of 16.
ABT = (
    HEADER
    + """\
#define W 16

__global__ void gemm_nt(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float As[W][W];
    __shared__ float Bs[W][W + 1];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int i = blockIdx.y * W + ty;
    const int j = blockIdx.x * W + tx;
    const int jLoad = blockIdx.x * W + ty;
    float dot = 0.0f;

    for (int k0 = 0; k0 < K; k0 += W) {
        const int k = k0 + tx;
        As[ty][tx] = (i < M && k < K) ? A[(size_t)i * K + k] : 0.0f;
        Bs[ty][tx] = (jLoad < N && k < K) ? B[(size_t)jLoad * K + k] : 0.0f;
        __syncthreads();
        for (int q = 0; q < W; ++q)
            dot += As[ty][q] * Bs[tx][q];
        __syncthreads();
    }
    if (i < M && j < N)
        C[(size_t)i * N + j] = dot;
}

extern "C" void launch(const float *A,  // [M, K]
                       const float *B,  // [N, K]
                       float *C,        // [M, N]
                       int M, int N, int K, cudaStream_t stream = 0)
{
    dim3 block(W, W);
    dim3 grid((N + W - 1) / W, (M + W - 1) / W);
    gemm_nt<<<grid, block, 0, stream>>>(A, B, C, M, N, K);
}
"""
)

# Softmax: maximum and sum in one pass, joined by a tree, a block a row.
SOFTMAX = (
    HEADER
    + """\
#define BLOCK 128

__global__ void softmax_online(const float* x, float* y, int cols) {
  __shared__ float top[BLOCK], total[BLOCK];
  int t = threadIdx.x;
  const float* row = x + (size_t)blockIdx.x * cols;
  float* out = y + (size_t)blockIdx.x * cols;

  float m = -FLT_MAX;
  float sum = 0.0f;
  for (int c = t; c < cols; c += BLOCK) {
    float v = row[c];
    if (v > m) {
      sum *= expf(m - v);
      m = v;
    }
    sum += expf(v - m);
  }
  top[t] = m;
  total[t] = sum;
  __syncthreads();

  for (int s = BLOCK / 2; s > 0; s >>= 1) {
    if (t < s) {
      float both = fmaxf(top[t], top[t + s]);
      total[t] = total[t] * expf(top[t] - both) + total[t + s] * expf(top[t + s] - both);
      top[t] = both;
    }
    __syncthreads();
  }

  m = top[0];
  sum = total[0];
  for (int c = t; c < cols; c += BLOCK) out[c] = expf(row[c] - m) / sum;
}

extern "C" void launch(const float* x,  // [rows, cols]
                       float* y,        // [rows, cols]
                       int rows, int cols, cudaStream_t stream = 0) {
  softmax_online<<<rows, BLOCK, 0, stream>>>(x, y, cols);
}
"""
)

# Layer norm: a warp a row, whose mean comes first and whose squares afterwards.
NORM = (
    HEADER
    + """\
const int WARPS = 4;

__device__ float warpSum(float v)
{
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_xor_sync(0xffffffff, v, d);
    return v;
}

__global__ void layerNorm(const float *x, const float *gamma, const float *beta, float *y,
                          float eps, int rows, int cols)
{
    int row = blockIdx.x * WARPS + threadIdx.y;
    int lane = threadIdx.x;
    if (row >= rows)
        return;
    const float *in = x + (size_t)row * cols;
    float *out = y + (size_t)row * cols;

    float sum = 0.0f;
    for (int c = lane; c < cols; c += 32)
        sum += in[c];
    float mean = warpSum(sum) / cols;

    float squares = 0.0f;
    for (int c = lane; c < cols; c += 32) {
        float d = in[c] - mean;
        squares += d * d;
    }
    float var = warpSum(squares) / cols;
    float scale = rsqrtf(var + eps);

    for (int c = lane; c < cols; c += 32)
        out[c] = (in[c] - mean) * scale * gamma[c] + beta[c];
}

extern "C" void launch(const float *x,      // [rows, cols]
                       const float *gamma,  // [cols]
                       const float *beta,   // [cols]
                       float *y,            // [rows, cols]
                       int rows, int cols, float eps = 1e-5f, cudaStream_t stream = 0)
{
    int blocks = (rows + WARPS - 1) / WARPS;
    layerNorm<<<blocks, dim3(32, WARPS), 0, stream>>>(x, gamma, beta, y, eps, rows, cols);
}
"""
)

NAN, INF = float("nan"), float("inf")
LENGTHS = (*range(1, 71), 95, 96, 97, 127, 128, 129, 191, 192, 193, 255, 256, 257, 383, 384)
LENGTHS += (385, 511, 512, 513, 769, 1000, 1023, 1024, 1025, 2047, 2049, 4099, 20_011)
SIDES = ((1, 1), (1, 2), (2, 1), (3, 2), (4, 31), (5, 32), (6, 33), (31, 4), (32, 5), (33, 6))
SIDES += ((2, 64), (64, 2), (65, 3), (3, 65), (70, 1), (1, 70), (17, 129), (129, 17), (40, 40))
SIDES += ((1, 4099), (4099, 1), (300, 7), (7, 300), (63, 64), (97, 95), (2, 1000), (1000, 2))


def to_bytes(launcher: Launcher) -> Iterator[Case]:
    """Round to bytes: levels, between two, beyond both ends, infinities, zeros, NaN."""
    for count in LENGTHS:
        x, j = whole(-1000, 1001, count, count), torch.arange(count)
        for label, y in (
            ("levels", x.abs() / 4.0),
            ("between two", (j % 256) - 0.5),
            ("about the ends", torch.where(j % 2 == 0, 255.0, 0.0) + x / 1000),
            ("beyond the ends", x * 3.0),
            ("far beyond", x * 1e10),
            ("infinities", torch.where(j % 3 == 1, INF * (1 - j % 2 * 2), x / 4)),
            ("zeros", torch.where(j % 2 == 1, 0.0, -0.0)),
            ("NaN", torch.where(j % 3 == 1, NAN, x.abs() / 4)),
        ):
            y = y.float()
            right = y.double().round().nan_to_num(0.0, INF, -INF).clamp(0, 255)
            for block_size in (256, 64, 96):
                scalars = {"block_size": block_size}
                words = f"count = {count:,}, {scalars}, {label}"
                options = {"dtypes": (torch.uint8,), "quick": count > 5000}
                yield Case(words, (y,), (right,), scalars, **options)


def axpys(launcher: Launcher) -> Iterator[Case]:
    """Multiply and add, exactly but for the last step: usual, fine and large a, NaN; slices."""
    for n in LENGTHS:
        x, y = whole(-120, 121, n, 2 * n), whole(-999, 1000, n, 2 * n + 1)
        j = torch.arange(n)
        for label, a, p, q in (
            ("usual", 0.75, x, y),
            ("negative", -2.5, x, y),
            ("nothing", 0.0, x, y),
            ("one", 1.0, x, y),
            ("a large", 2049.0, x % 16, y),
            ("a little more than 1", 1 + 2.0**-12, x, -x),
            ("fractions", 0.375, x / 16, y / 8),
            ("infinity in x", 0.5, torch.where(j % 3 == 1, -INF, x.double()), y),
            ("NaN in y", 0.5, x, torch.where(j % 4 == 1, NAN, y.double())),
        ):
            p, q = p.half(), q.half()
            right = a * p.double() + q.double()
            for block_size in (192, 32):
                scalars = {"a": a, "block_size": block_size}
                options = {"dtypes": (torch.float16,), "quick": n > 5000}
                words = f"n = {n:,}, {scalars}, {label}"
                yield Case(words, (p, q), (right,), scalars, **options)
            if n < 200 and label == "usual":
                words = f"n = {n:,}, slices from (2, 4, 2)"
                yield Case(words, (p, q), (right,), {"a": a}, offset=(2, 4, 2), **options)


def argmaxes(launcher: Launcher) -> Iterator[Case]:
    """Look for the first largest: any, few values, equal, below 0, first and last, infinity."""
    for rows, cols in (*SIDES, (3, 2_001), (513, 40)):
        n = rows * cols
        x, c = whole(-999, 1000, n, n).reshape(rows, cols).double(), torch.arange(cols)
        for label, y in (
            ("any", x),
            ("few values", x % 3),
            ("equal", x * 0 + 7),
            ("below 0", -x.abs() - 1),
            ("the first", torch.where(c == 0, 2000.0, x)),
            ("the last", torch.where(c == cols - 1, 2000.0, x)),
            ("infinity", torch.where(c == cols // 2, INF, x)),
            ("masked", torch.where(c % 3 == 1, -INF, x)),
            ("all masked", x * 0 - INF),
        ):
            place = (y == y.amax(1, True)).int().argmax(1)
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y.float(),), (place,), dtypes=(torch.int32,))


def column_sums(launcher: Launcher) -> Iterator[Case]:
    """Add whole numbers, so that all is exact: any, ones, zeros, below 0, one row, NaN."""
    for rows, cols in (*SIDES, (2_001, 3), (129, 130), (257, 64)):
        n = rows * cols
        x, r = whole(-99, 100, n, n).reshape(rows, cols).double(), torch.arange(rows)[:, None]
        for label, y in (
            ("any", x),
            ("ones", x * 0 + 1),
            ("zeros", x * 0),
            ("below 0", -x.abs() - 1),
            ("the last row alone", torch.where(r == rows - 1, 5.0, 0.0) + 0 * x),
            ("infinity", torch.where(r == 0, INF, x)),
            ("NaN", torch.where((r == rows // 2) & (x > 0), NAN, x)),
        ):
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y.float(),), (y.sum(0),), dtypes=(torch.float32,))


def turns(launcher: Launcher) -> Iterator[Case]:
    """Turn one, two and several matrices of any numbers."""
    for rows, cols in (*SIDES, (31, 200), (33, 65), (32, 32), (64, 96)):
        for batch in (1, 2, 5):
            n = batch * rows * cols
            x = whole(-(2**31), 2**31, n, n).reshape(batch, rows, cols)
            words = f"batch = {batch}, rows = {rows:,}, cols = {cols:,}"
            right = x.transpose(1, 2).contiguous()
            yield Case(words, (x.int(),), (right,), dtypes=(torch.int32,))


def products(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole numbers, so that all is exact: any, ones, the last of k, NaN."""
    sides = ((1, 1, 1), (1, 2, 3), (2, 1, 40), (3, 5, 7), (16, 16, 16), (32, 32, 32))
    sides += ((17, 15, 33), (15, 17, 65), (5, 40, 1), (40, 5, 2), (33, 31, 20), (1, 70, 31))
    sides += ((70, 1, 32), (20, 65, 48), (65, 20, 5), (3, 2, 1000), (130, 3, 9), (3, 130, 17))
    for m, n, k in (*sides, *((9, 7, k) for k in range(2, 64, 3))):
        a = whole(-30, 31, m * k, m + k).reshape(m, k).double()
        b = whole(-30, 31, k * n, n).reshape(n, k).double()
        q, i, j = torch.arange(k), torch.arange(m)[:, None], torch.arange(n)[:, None]
        for label, s, t in (
            ("any", a, b),
            ("ones", a * 0 + 1, b * 0 + 1),
            ("rising", (i + q) % 50 + 0 * a, (j - q) % 50 + 0 * b),
            ("the last of k alone", torch.where(q == k - 1, 3.0, 0.0) + 0 * a, b),
            ("NaN in A", torch.where((i == m - 1) & (q == k // 2), NAN, a), b),
            ("NaN in B", a, torch.where((j == n // 2) & (q == k - 1), NAN, b)),
        ):
            words = f"M = {m}, N = {n}, K = {k}, {label}"
            inputs = (s.float(), t.float())
            yield Case(words, inputs, (s @ t.T,), dtypes=(torch.float32,))


def norms(launcher: Launcher) -> Iterator[Case]:
    """Norm whole numbers: any, plain, small, about a large mean, equal, one apart, NaN."""
    for rows, cols in (*SIDES, (3, 2_001), (129, 130)):
        n = rows * cols
        x, c = whole(-99, 100, n, n).reshape(rows, cols), torch.arange(cols)
        gain, bias = (whole(-9, 10, cols, cols + k).double() / 4 for k in range(2))
        for label, y, g, b, eps in (
            ("any", x, gain, bias, 1e-5),
            ("plain", x, gain * 0 + 1, bias * 0, 1e-5),
            ("small", x / 1024, gain, bias, 0.125),
            ("about 4,096", 4096 + x // 10, gain, bias, 0.5),
            ("equal", x * 0 + 12, gain, bias, 1e-5),
            ("one apart", torch.where(c == cols // 3, 1032, x * 0 + 1024), gain, bias, 0.125),
            ("NaN", torch.where((x % 9 == 4) & (c == cols // 2), NAN, x), gain, bias, 1.0),
        ):
            v = y.double()
            d = v - v.mean(1, keepdim=True)
            f = 1 / ((d * d).mean(1, keepdim=True) + eps).sqrt()
            right = d * f * g + b
            fine = 2.0**-14 * (d * f * g).abs() + 2.0**-21 * f * v.abs().amax(1, True) * g.abs()
            slack = (fine + 2.0**-21 * (right.abs() + b.abs()) + 2.0**-24).nan_to_num(0.0)
            words = f"rows = {rows:,}, cols = {cols:,}, eps = {eps}, {label}"
            inputs, options = (y.float(), g.float(), b.float()), {"dtypes": (torch.float32,)}
            yield Case(words, inputs, (right,), {"eps": eps}, within=(slack,), **options)


def elu(x: torch.Tensor) -> torch.Tensor:
    """Compute ELU with a factor of 1."""
    return torch.where(x > 0, x, torch.expm1(x))


BASES = {
    "seventy_add": Base(ADD, {"reference": "add"}),
    "seventy_minus": Base(MINUS, {"reference": "subtract"}),
    "seventy_tobf": Base(TOBF, {"reference": "cast"}),
    "seventy_tobyte": Base(TOBYTE, {"cases": to_bytes}),
    "seventy_elu": Base(ELU, {"reference": elu, "ulp": 2}),
    "seventy_axpy": Base(AXPY, {"cases": axpys}),
    "seventy_larger": Base(LARGER, {"reference": torch.maximum}),
    "seventy_sumsq": Base(SUMSQ, cases="whole_array", function=lambda x: (x * x).sum()),
    "seventy_argmax": Base(ARGMAX, {"cases": argmaxes}),
    "seventy_colsum": Base(COLSUM, {"cases": column_sums}),
    "seventy_turn": Base(TURN, {"cases": turns}),
    "seventy_abt": Base(ABT, {"cases": products}),
    "seventy_softmax": Base(SOFTMAX, cases="softmax"),
    "seventy_norm": Base(NORM, {"cases": norms}),
}

WRONG = (
    # ---- add
    # One of three addresses is asked.
    Wrong(
        "seventy_add_one_of_three",
        "seventy_add",
        "alignment",
        ("(uintptr_t)a | (uintptr_t)b | (uintptr_t)c;", "(uintptr_t)b;"),
    ),
    # The rest is launched on the default stream.
    Wrong(
        "seventy_add_rest_no_stream",
        "seventy_add",
        "stream",
        (
            "addRest<<<blocksFor(rest, block_size), block_size, 0, stream>>>",
            "addRest<<<blocksFor(rest, block_size), block_size>>>",
        ),
    ),
    # The rest begins at the number of pairs.
    Wrong(
        "seventy_add_rest_from_pairs",
        "seventy_add",
        "tail / unwritten / left out / other element | nan / numbers",
        ("(a, b, c, 2 * pairs, n)", "(a, b, c, pairs, n)"),
    ),
    # The second of a pair is added to the first of the other.
    Wrong(
        "seventy_add_second_to_first",
        "seventy_add",
        "other element / neighbour | numbers / swapped",
        ("u.y + v.y", "u.y + v.x"),
    ),
    # The block size is a number.
    Wrong(
        "seventy_add_always_256",
        "seventy_add",
        "block size | unwritten / left out / other element / bounds / nan / tail / grid",
        (
            "blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < pairs)",
            "blockIdx.x * 256 + threadIdx.x;\n    if (i < pairs)",
        ),
    ),
    # ---- minus
    # The first is taken from the second.
    Wrong(
        "seventy_minus_swapped",
        "seventy_minus",
        "swapped | function / sign of zero",
        (
            "__bfloat162float(x[i]) - __bfloat162float(y[i])",
            "__bfloat162float(y[i]) - __bfloat162float(x[i])",
        ),
    ),
    # The difference is cut off.
    Wrong(
        "seventy_minus_cut_off",
        "seventy_minus",
        "rounding | precision / infinity",
        ("__float2bfloat16(d)", "__float2bfloat16_rz(d)"),
    ),
    # Each thread takes one, though the grid is limited.
    Wrong(
        "seventy_minus_no_loop",
        "seventy_minus",
        "grid / unwritten / left out | nan / tail / numbers",
        ("  for (; i < n; i += threads) {", "  if (i < n) {"),
    ),
    # One too many is taken.
    Wrong(
        "seventy_minus_one_too_many",
        "seventy_minus",
        "bounds / tail",
        ("i < n; i += threads", "i <= n; i += threads"),
    ),
    # A difference that is NaN counts as 0.
    Wrong(
        "seventy_minus_nan_is_0",
        "seventy_minus",
        "nan | infinity",
        ("    z[i] = ", "    if (isnan(d)) d = 0.0f;\n    z[i] = "),
    ),
    # ---- tobf
    # The lower bits are cut off.
    Wrong(
        "seventy_tobf_cut_off",
        "seventy_tobf",
        "rounding | precision / infinity",
        ("    unsigned int odd = (u >> 16) & 1u;\n    u += 0x7fffu + odd;\n", ""),
    ),
    # A tie always goes up.
    Wrong(
        "seventy_tobf_ties_up",
        "seventy_tobf",
        "rounding",
        (
            "    unsigned int odd = (u >> 16) & 1u;\n    u += 0x7fffu + odd;",
            "    u += 0x8000u;",
        ),
    ),
    # NaN is rounded as a number is.
    Wrong(
        "seventy_tobf_nan_rounded",
        "seventy_tobf",
        "nan | sign of zero / infinity",
        (
            "    if ((u & 0x7fffffffu) > 0x7f800000u)\n"
            "        return (unsigned short)(u >> 16 | 0x40u);  /* a quiet NaN */\n",
            "",
        ),
    ),
    # Infinity is taken for NaN.
    Wrong(
        "seventy_tobf_infinity_is_nan",
        "seventy_tobf",
        "infinity / nan",
        ("> 0x7f800000u", ">= 0x7f800000u"),
    ),
    # The number of blocks is rounded down.
    Wrong(
        "seventy_tobf_blocks_rounded_down",
        "seventy_tobf",
        "grid / unwritten / tail / left out | refused / nan",
        ("(n + per_block - 1) / per_block", "n / per_block"),
    ),
    # ---- tobyte
    # A half is added and the rest cut off.
    Wrong(
        "seventy_tobyte_half_added",
        "seventy_tobyte",
        "rounding | numbers",
        ("rintf(img[idx])", "floorf(img[idx] + 0.5f)"),
    ),
    # Nothing is done about what is above 255.
    Wrong(
        "seventy_tobyte_wraps",
        "seventy_tobyte",
        "whole range | infinity / numbers",
        ("    level = fminf(level, 255.0f);\n", ""),
    ),
    # The upper limit comes first, and NaN becomes it.
    Wrong(
        "seventy_tobyte_nan_is_255",
        "seventy_tobyte",
        "nan",
        (
            "    level = fmaxf(level, 0.0f);\n    level = fminf(level, 255.0f);\n",
            "    level = fminf(level, 255.0f);\n    level = fmaxf(level, 0.0f);\n",
        ),
    ),
    # The upper limit is the number of levels.
    Wrong(
        "seventy_tobyte_limit_256",
        "seventy_tobyte",
        "whole range / infinity | numbers",
        ("fminf(level, 255.0f)", "fminf(level, 256.0f)"),
    ),
    # Blocks are counted as if they had 256 threads.
    Wrong(
        "seventy_tobyte_blocks_of_256",
        "seventy_tobyte",
        "block size / grid / unwritten | left out / tail / nan",
        ("(count + block_size - 1) / block_size", "(count + 255) / 256"),
    ),
    # ---- elu
    # The exponential less 1 in two steps.
    Wrong(
        "seventy_elu_exp_less_1",
        "seventy_elu",
        "precision | sign of zero / subnormal / rounding",
        ("expm1f(v)", "expf(v) - 1.0f"),
    ),
    # Two limits and a sum, which lose NaN.
    Wrong(
        "seventy_elu_two_limits",
        "seventy_elu",
        "nan | sign of zero",
        (
            "return v > 0.0f ? v : expm1f(v);",
            "return fmaxf(v, 0.0f) + fminf(expm1f(v), 0.0f);",
        ),
    ),
    # Both branches are multiplied by 0 or 1.
    Wrong(
        "seventy_elu_times_condition",
        "seventy_elu",
        "infinity / nan | numbers",
        (
            "return v > 0.0f ? v : expm1f(v);",
            "return (v > 0.0f) * v + (v <= 0.0f) * expm1f(v);",
        ),
    ),
    # A factor of another function stands before the exponential.
    Wrong(
        "seventy_elu_factor_of_selu",
        "seventy_elu",
        "function | numbers",
        ("expm1f(v)", "1.67326f * expm1f(v)"),
    ),
    # Nothing is written for 0 and for NaN.
    Wrong(
        "seventy_elu_only_both_sides",
        "seventy_elu",
        "unwritten / left out / nan | sign of zero / numbers",
        (
            "    out[tid] = elu(in[tid]);\n",
            "    if (in[tid] > 0.0f) out[tid] = in[tid];\n"
            "    if (in[tid] < 0.0f) out[tid] = elu(in[tid]);\n",
        ),
    ),
    # ---- axpy
    # The factor is rounded to half.
    Wrong(
        "seventy_axpy_a_is_half",
        "seventy_axpy",
        "precision / rounding | numbers",
        (
            "__global__ void axpy_h2(float a, const",
            "__global__ void axpy_h2(half h, const",
        ),
        (
            "        int i = 2 *",
            "        float a = __half2float(h);\n        int i = 2 *",
        ),
        ("stream>>>(a, x", "stream>>>(__float2half(a), x"),
    ),
    # The products are rounded before the sums.
    Wrong(
        "seventy_axpy_rounded_twice",
        "seventy_axpy",
        "rounding / precision | numbers / infinity",
        (
            "*(half2 *)(out + i) = __floats2half2_rn(a * p.x + q.x, a * p.y + q.y);",
            "p = __half22float2(__floats2half2_rn(a * p.x, a * p.y));\n"
            "                *(half2 *)(out + i) = __floats2half2_rn(p.x + q.x, p.y + q.y);",
        ),
        (
            "__float2half(a * __half2float(x[i]) + __half2float(y[i]))",
            "__hadd(__float2half(a * __half2float(x[i])), y[i])",
        ),
    ),
    # The kernel takes the factor as an integer.
    Wrong(
        "seventy_axpy_a_is_int",
        "seventy_axpy",
        "precision / rounding / whole range / function | numbers",
        ("__global__ void axpy_h2(float a,", "__global__ void axpy_h2(int a,"),
    ),
    # The last of an odd number is forgotten.
    Wrong(
        "seventy_axpy_odd_forgotten",
        "seventy_axpy",
        "tail / unwritten / left out | nan",
        (
            " else if (i < n) {\n"
            "                out[i] = __float2half(a * __half2float(x[i]) + "
            "__half2float(y[i]));\n"
            "        }\n",
            "\n",
        ),
    ),
    # A pair is taken where one number is left.
    Wrong(
        "seventy_axpy_pair_past_end",
        "seventy_axpy",
        "bounds / tail",
        ("if (i + 1 < n)", "if (i < n + 1)"),
    ),
    # ---- larger
    # fmaxf drops NaN.
    Wrong(
        "seventy_larger_fmaxf",
        "seventy_larger",
        "nan",
        (
            "  if (p != p) return p;\n  if (q != q) return q;\n  return p > q ? p : q;",
            "  return fmaxf(p, q);",
        ),
    ),
    # Numbers are compared as integers.
    Wrong(
        "seventy_larger_by_bits",
        "seventy_larger",
        "function / numbers / swapped / whole range | sign of zero / infinity",
        ("return p > q ? p : q;", "return __float_as_int(p) > __float_as_int(q) ? p : q;"),
    ),
    # Blocks begin one after another, though threads take four.
    Wrong(
        "seventy_larger_blocks_overlap",
        "seventy_larger",
        "unwritten / left out / twice / other element / grid | nan / tail",
        ("blockDim.x * kEach + threadIdx.x", "blockDim.x + threadIdx.x"),
    ),
    # The result is stored where the first input lies, too.
    Wrong(
        "seventy_larger_into_a",
        "seventy_larger",
        "input | state",
        ("__global__ void maximum(const float* a,", "__global__ void maximum(float* a,"),
        (
            "if (i < n) out[i] = larger(a[i], b[i]);",
            "if (i < n) out[i] = a[i] = larger(a[i], b[i]);",
        ),
        ("stream>>>(a, b, out, n);", "stream>>>((float*)a, b, out, n);"),
    ),
    # Only the first of a thread's four is tested.
    Wrong(
        "seventy_larger_first_tested",
        "seventy_larger",
        "bounds / tail",
        ("if (i < n) out[i]", "if (first < n) out[i]"),
    ),
    # ---- sumsq
    # The tree begins a step too late.
    Wrong(
        "seventy_sumsq_half_a_tree",
        "seventy_sumsq",
        "left out | numbers / other element",
        ("int half = THREADS / 2;", "int half = THREADS / 4;"),
    ),
    # Steps of the tree do not wait for each other.
    Wrong(
        "seventy_sumsq_no_barrier_in_tree",
        "seventy_sumsq",
        "race | left out / numbers / other element / twice",
        (
            "            buf[t] += buf[t + half];\n        __syncthreads();\n",
            "            buf[t] += buf[t + half];\n",
        ),
    ),
    # Only blocks with numbers are launched, and parts of an earlier call stay.
    Wrong(
        "seventy_sumsq_old_parts",
        "seventy_sumsq",
        "state | numbers / unwritten",
        (
            "    sumsqParts<<<PARTS, THREADS, 0, stream>>>",
            "    int64_t blocks = (n + THREADS - 1) / THREADS;\n"
            "    if (blocks > PARTS)\n"
            "        blocks = PARTS;\n"
            "    sumsqParts<<<(int)blocks, THREADS, 0, stream>>>",
        ),
    ),
    # A lane takes one part, though there are two for each.
    Wrong(
        "seventy_sumsq_first_32_parts",
        "seventy_sumsq",
        "left out | numbers / tail",
        ("parts[threadIdx.x] + parts[threadIdx.x + 32]", "parts[threadIdx.x]"),
    ),
    # The step is that of a block.
    Wrong(
        "seventy_sumsq_step_of_block",
        "seventy_sumsq",
        "twice / other element | numbers / function",
        ("i += PARTS * THREADS", "i += THREADS"),
    ),
    # ---- argmax
    # The largest begins with 0.
    Wrong(
        "seventy_argmax_starts_at_0",
        "seventy_argmax",
        "start | numbers / unwritten / other element",
        (
            "  float best = -INFINITY;\n  int at = 0x7fffffff;",
            "  float best = 0.0f;\n  int at = 0;",
        ),
        ("mine[c] > best || at == 0x7fffffff", "mine[c] > best"),
    ),
    # Of equal ones of two lanes the later wins.
    Wrong(
        "seventy_argmax_later_of_equal",
        "seventy_argmax",
        "other element | numbers / start",
        ("p < at", "p > at"),
    ),
    # The place is that of the lane.
    Wrong(
        "seventy_argmax_place_of_lane",
        "seventy_argmax",
        "other element | numbers / left out",
        ("      at = c;", "      at = lane;"),
    ),
    # Rows have the pitch of a column.
    Wrong(
        "seventy_argmax_square",
        "seventy_argmax",
        "sides / other element / bounds | numbers / left out",
        ("(size_t)row * cols", "(size_t)row * rows"),
    ),
    # The mask names half of the warp.
    Wrong(
        "seventy_argmax_half_a_mask",
        "seventy_argmax",
        "race | left out / other element / numbers",
        ("__shfl_xor_sync(0xffffffff, best, d)", "__shfl_xor_sync(0xffff, best, d)"),
        ("__shfl_xor_sync(0xffffffff, at, d)", "__shfl_xor_sync(0xffff, at, d)"),
    ),
    # ---- colsum
    # The sums are not set to 0 before.
    Wrong(
        "seventy_colsum_not_zeroed",
        "seventy_colsum",
        "zero before / state / unwritten | nan / start / numbers",
        ("    cudaMemsetAsync(sums, 0, cols * sizeof(float), stream);\n", ""),
    ),
    # Chunks are added without an atomic.
    Wrong(
        "seventy_colsum_no_atomic",
        "seventy_colsum",
        "race | left out / numbers",
        ("atomicAdd(&sums[col], acc);", "sums[col] += acc;"),
    ),
    # The count of bytes is that of columns.
    Wrong(
        "seventy_colsum_zeroed_bytes",
        "seventy_colsum",
        "zero before / state / unwritten | nan / tail / left out / numbers / start",
        ("cols * sizeof(float), stream", "cols, stream"),
    ),
    # The number of chunks is rounded down.
    Wrong(
        "seventy_colsum_chunks_rounded_down",
        "seventy_colsum",
        "grid / left out / tail | refused / numbers / unwritten",
        ("(rows + CHUNK - 1) / CHUNK", "rows / CHUNK"),
    ),
    # The sums are set to 0 on the default stream.
    Wrong(
        "seventy_colsum_zeroed_elsewhere",
        "seventy_colsum",
        "stream | zero before / race / state",
        ("cols * sizeof(float), stream)", "cols * sizeof(float))"),
    ),
    # ---- turn
    # Columns have the pitch of rows on the way out.
    Wrong(
        "seventy_turn_pitch_of_input",
        "seventy_turn",
        "sides / other element / bounds / unwritten | nan / numbers / twice / left out / race",
        ("to[(size_t)col * rows + row]", "to[(size_t)col * cols + row]"),
    ),
    # The tile is read as it was filled.
    Wrong(
        "seventy_turn_tile_as_filled",
        "seventy_turn",
        "swapped / other element / sides | numbers / unwritten",
        ("= block[threadIdx.x][line];", "= block[line][threadIdx.x];"),
    ),
    # The tile is read before all have stored.
    Wrong(
        "seventy_turn_no_barrier",
        "seventy_turn",
        "race | numbers / unwritten / other element / left out",
        ("  __syncthreads();\n", ""),
    ),
    # All matrices are written to the first.
    Wrong(
        "seventy_turn_to_first",
        "seventy_turn",
        "unwritten / other element / left out | nan / race / twice / numbers",
        ("  to += skip;\n", ""),
    ),
    # A block has four rows of threads, and steps are of eight.
    Wrong(
        "seventy_turn_four_lines",
        "seventy_turn",
        "unwritten / left out / block size | nan / tail / numbers / other element",
        ("dim3(kSide, kLines), 0", "dim3(kSide, 4), 0"),
    ),
    # ---- abt
    # The last tile is left out unless it is whole.
    Wrong(
        "seventy_abt_whole_tiles",
        "seventy_abt",
        "tail / left out | numbers / nan",
        ("k0 < K; k0 += W", "k0 + W <= K; k0 += W"),
    ),
    # Rows of the second matrix have the pitch of the result.
    Wrong(
        "seventy_abt_pitch_of_result",
        "seventy_abt",
        "sides / other element / bounds | numbers / nan / left out",
        ("B[(size_t)jLoad * K + k]", "B[(size_t)jLoad * N + k]"),
    ),
    # The second tile is read as if it were not transposed.
    Wrong(
        "seventy_abt_tile_not_turned",
        "seventy_abt",
        "swapped / sides / other element / function | numbers / nan",
        ("Bs[tx][q]", "Bs[q][tx]"),
    ),
    # Rows are counted in x of the grid.
    Wrong(
        "seventy_abt_grid_swapped",
        "seventy_abt",
        "grid / sides / swapped / unwritten / left out | nan / tail / numbers",
        (
            "dim3 grid((N + W - 1) / W, (M + W - 1) / W);",
            "dim3 grid((M + W - 1) / W, (N + W - 1) / W);",
        ),
    ),
    # Tiles are filled while they are read.
    Wrong(
        "seventy_abt_no_second_barrier",
        "seventy_abt",
        "race | numbers / other element / left out",
        (
            "            dot += As[ty][q] * Bs[tx][q];\n        __syncthreads();\n",
            "            dot += As[ty][q] * Bs[tx][q];\n",
        ),
    ),
    # ---- softmax
    # The maximum begins with 0.
    Wrong(
        "seventy_softmax_starts_at_0",
        "seventy_softmax",
        "start | numbers / nan / infinity / precision / subnormal",
        ("float m = -FLT_MAX;", "float m = 0.0f;"),
    ),
    # The sum is not scaled when the maximum grows.
    Wrong(
        "seventy_softmax_sum_not_scaled",
        "seventy_softmax",
        "function | numbers / precision / left out / other element",
        ("      sum *= expf(m - v);\n", ""),
    ),
    # The last column is not written.
    Wrong(
        "seventy_softmax_last_column",
        "seventy_softmax",
        "tail / unwritten / left out | nan",
        ("c < cols; c += BLOCK) out[c]", "c < cols - 1; c += BLOCK) out[c]"),
    ),
    # The tree ends a step too early.
    Wrong(
        "seventy_softmax_tree_ends_early",
        "seventy_softmax",
        "left out | numbers / infinity / nan / other element / function",
        ("s > 0; s >>= 1", "s > 1; s >>= 1"),
    ),
    # Exponentials are stored where the numbers were.
    Wrong(
        "seventy_softmax_in_x",
        "seventy_softmax",
        "input | state / numbers",
        ("softmax_online(const float* x,", "softmax_online(float* x,"),
        ("  const float* row = x", "  float* row = x"),
        (
            "c += BLOCK) out[c] = expf(row[c] - m) / sum;",
            "c += BLOCK) {\n    row[c] = expf(row[c] - m);\n    out[c] = row[c] / sum;\n  }",
        ),
        ("stream>>>(x, y, cols)", "stream>>>((float*)x, y, cols)"),
    ),
    # ---- norm
    # The variance is that of a sample.
    Wrong(
        "seventy_norm_of_sample",
        "seventy_norm",
        "function | numbers / nan / infinity / precision",
        ("warpSum(squares) / cols", "warpSum(squares) / (cols - 1)"),
    ),
    # The variance is the mean of squares less the square of the mean.
    Wrong(
        "seventy_norm_squares_less_square",
        "seventy_norm",
        "precision | numbers / nan / infinity / function",
        ("float d = in[c] - mean;", "float d = in[c];"),
        ("warpSum(squares) / cols;", "warpSum(squares) / cols - mean * mean;"),
    ),
    # The factors are those of the row.
    Wrong(
        "seventy_norm_gamma_of_row",
        "seventy_norm",
        "other element / sides / bounds | numbers / left out",
        ("gamma[c]", "gamma[row]"),
    ),
    # Sums go down, and all lanes use what they have.
    Wrong(
        "seventy_norm_shuffles_down",
        "seventy_norm",
        "left out / other element | numbers / function / race / twice / nan / infinity",
        ("__shfl_xor_sync", "__shfl_down_sync"),
    ),
    # The small number is left out.
    Wrong(
        "seventy_norm_no_eps",
        "seventy_norm",
        "function / infinity / nan / left out | numbers / precision",
        ("rsqrtf(var + eps)", "rsqrtf(var)"),
    ),
)

RIGHT = (
    # There are three blocks more than needed.
    Right(
        "seventy_add_idle_blocks",
        "seventy_add",
        ("(count + threads - 1) / threads)", "(count + threads - 1) / threads + 3)"),
    ),
    # The difference is that of the type itself.
    Right(
        "seventy_minus_hsub",
        "seventy_minus",
        (
            "    float d = __bfloat162float(x[i]) - __bfloat162float(y[i]);\n"
            "    z[i] = __float2bfloat16(d);\n",
            "    z[i] = __hsub(x[i], y[i]);\n",
        ),
    ),
    # The library rounds.
    Right(
        "seventy_tobf_by_function",
        "seventy_tobf",
        (
            "= bf16_bits(src[start + k])",
            "= __bfloat16_as_ushort(__float2bfloat16_rn(src[start + k]))",
        ),
    ),
    # Limits are those of integers.
    Right(
        "seventy_tobyte_integers",
        "seventy_tobyte",
        (
            "    float level = rintf(img[idx]);\n"
            "    level = fmaxf(level, 0.0f);\n"
            "    level = fminf(level, 255.0f);\n"
            "    bytes[idx] = (uint8_t)(int)level;\n",
            "    int level = __float2int_rn(img[idx]);\n"
            "    bytes[idx] = (uint8_t)min(max(level, 0), 255);\n",
        ),
    ),
    # A limited grid goes on in a loop.
    Right(
        "seventy_elu_loop",
        "seventy_elu",
        ("  if (tid < n) {\n", "  for (; tid < n; tid += (int64_t)gridDim.x * blockDim.x) {\n"),
        ("blocks = (unsigned)((n + threads - 1) / threads);", "blocks = n < 9999 ? 8 : 40;"),
    ),
    # The sizes have 64 bits, and the sums are fused.
    Right(
        "seventy_axpy_wide",
        "seventy_axpy",
        ("half *y, half *out, int n)", "half *y, half *out, int64_t n)"),
        ("        int i = 2 *", "        int64_t i = 2 * (int64_t)"),
        (
            "__floats2half2_rn(a * p.x + q.x, a * p.y + q.y)",
            "__floats2half2_rn(fmaf(a, p.x, q.x), fmaf(a, p.y, q.y))",
        ),
        (
            "                       int n, int block_size",
            "                       int64_t n, int block_size",
        ),
        ("        int threads =", "        int64_t threads ="),
        ("        int blocks =", "        unsigned int blocks ="),
    ),
    # A NaN comes out of the sum of both.
    Right(
        "seventy_larger_nan_of_sum",
        "seventy_larger",
        (
            "  if (p != p) return p;\n  if (q != q) return q;\n  return p > q ? p : q;",
            "  return isnan(p) || isnan(q) ? p + q : fmaxf(p, q);",
        ),
    ),
    # One thread adds all parts.
    Right(
        "seventy_sumsq_parts_by_one",
        "seventy_sumsq",
        (
            "    double v = parts[threadIdx.x] + parts[threadIdx.x + 32];\n"
            "    for (int d = 16; d >= 1; d /= 2)\n"
            "        v += __shfl_down_sync(0xffffffffu, v, d);\n"
            "    if (threadIdx.x == 0)\n"
            "        out[0] = (float)v;\n",
            "    double v = 0.0;\n"
            "    for (int p = 0; p < PARTS; p++)\n"
            "        v += parts[p];\n"
            "    *out = (float)v;\n",
        ),
        ("sumsqTotal<<<1, 32, 0, stream>>>", "sumsqTotal<<<1, 1, 0, stream>>>"),
    ),
    # A block is one warp.
    Right(
        "seventy_argmax_block_of_warp",
        "seventy_argmax",
        ("  int blocks = (rows + 3) / 4;\n", ""),
        ("argmaxRows<<<blocks, 128, 0, stream>>>", "argmaxRows<<<rows, 32, 0, stream>>>"),
    ),
    # A kernel sets the sums to 0.
    Right(
        "seventy_colsum_kernel_of_zeros",
        "seventy_colsum",
        (
            'extern "C"',
            "__global__ void zeros(float *sums, int cols)\n"
            "{\n"
            "    int col = blockIdx.x * blockDim.x + threadIdx.x;\n"
            "    if (col < cols)\n"
            "        sums[col] = 0.f;\n"
            "}\n"
            "\n"
            'extern "C"',
        ),
        (
            "    cudaMemsetAsync(sums, 0, cols * sizeof(float), stream);\n",
            "    zeros<<<(cols + 255) / 256, 256, 0, stream>>>(sums, cols);\n",
        ),
    ),
    # A block has 16 rows of threads.
    Right(
        "seventy_turn_sixteen_lines",
        "seventy_turn",
        ("kLines = 8;", "kLines = 16;"),
    ),
    # Tiles are smaller, and the sum is a double.
    Right(
        "seventy_abt_double",
        "seventy_abt",
        ("#define W 16", "#define W 8"),
        ("float dot = 0.0f;", "double dot = 0.0;"),
        ("dot += As[ty][q] * Bs[tx][q];", "dot += (double)As[ty][q] * Bs[tx][q];"),
        ("= dot;", "= (float)dot;"),
    ),
    # Blocks are smaller, and each thread finds its maximum before its sum.
    Right(
        "seventy_softmax_two_passes",
        "seventy_softmax",
        ("#define BLOCK 128", "#define BLOCK 64"),
        (
            "  for (int c = t; c < cols; c += BLOCK) {\n"
            "    float v = row[c];\n"
            "    if (v > m) {\n"
            "      sum *= expf(m - v);\n"
            "      m = v;\n"
            "    }\n"
            "    sum += expf(v - m);\n"
            "  }\n",
            "  for (int c = t; c < cols; c += BLOCK) m = fmaxf(m, row[c]);\n"
            "  for (int c = t; c < cols; c += BLOCK) sum += expf(row[c] - m);\n",
        ),
    ),
    # Eight rows are a block's, and a root divides.
    Right(
        "seventy_norm_eight_warps",
        "seventy_norm",
        ("const int WARPS = 4;", "const int WARPS = 8;"),
        ("float scale = rsqrtf(var + eps);", "float root = sqrtf(var + eps);"),
        ("(in[c] - mean) * scale * gamma[c]", "(in[c] - mean) / root * gamma[c]"),
    ),
)
