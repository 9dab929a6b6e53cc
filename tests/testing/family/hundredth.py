"""Hold a hundredth family: plain operators of a course's first half year, plain mistakes.

Its bases are add of floats in float4 with a grid-stride loop, the minimum of two floats,
int16 to float, float to half limited to finite numbers, ReLU of doubles, GELU by the tanh,
exp of halves in pairs, a sum of doubles by a tree and atomics, the largest absolute value
by shuffles, the mean of each column a thread a column, softmax of rows of halves a warp a
row, layer norm with gain and bias a block a row, transpose by tiles of 32 x 32 with 32 x 8
threads, and a matrix product a thread an element with k in steps of four. Nine of them
use cases that learners use, and five have their own. 70 members are wrong and 14 right ones
have another form. No judge has seen a member: the causes are what a teacher would say.
Tried: each was run on the emulator beside PyTorch and compared as a case does, called twice
on the same tensors, with NaN and with 1e3 in floating outputs, with tensors at either end
of their pages, the bytes behind them and their inputs looked at afterwards, on a stream
that is not the default one, and with threads in order, from the last to the first and in a
random order. Cases of more than 3,000,000 inputs were left out, but for those of sizes past
2^31, of which parts were run. Bases and right ones ran all others; wrong ones until they
were wrong often enough. The one without an atomic is right where blocks run in turn. nvcc
13.0 compiles each for 8.0, all of a base in one file; none was run on a GPU. Bases and
right ones are right, and all others wrong or refused by a fault:

    hundred_add_c_anywhere              from 4 numbers on, by the address of c
    hundred_add_w_and_z                 from 4 numbers on
    hundred_add_rest_of_one             if 2 or 3 numbers are left
    hundred_add_no_loop                 from 256 blocks on: 32,772 numbers at 32
    hundred_add_no_stream               on another stream
    hundred_minimum_drops_nan           if one of two is NaN
    hundred_minimum_one_too_many        unless the block size divides n
    hundred_minimum_is_maximum          of nearly all
    hundred_minimum_grid_of_256         of block sizes below 256, from a second block on
    hundred_minimum_in_place            if the second is smaller: the first is overwritten
    hundred_samples_unsigned_packs      of samples below 0, from 4 numbers on
    hundred_samples_quads_rounded_up    unless 4 divides n
    hundred_samples_through_halves      from 2,049 on, either sign, where packs are taken
    hundred_samples_always_128          of other block sizes, from a second block on
    hundred_samples_in_anywhere         from 4 numbers on, by the address of the input
    hundred_squeeze_no_lower_limit      far below 0
    hundred_squeeze_nan_is_limit        of NaN
    hundred_squeeze_cut_off             of numbers that are no halves, nearly half of them
    hundred_squeeze_limit_65536         beyond 65,520, either sign
    hundred_squeeze_grid_rounded_down   unless the block size divides n
    hundred_relu_nan_is_zero            of NaN
    hundred_relu_through_float          of numbers that are no floats
    hundred_relu_is_magnitude           of numbers below 0
    hundred_relu_second_not_tested      if the last block has less than all its numbers
    hundred_relu_half_of_blocks         from 129 numbers on at 64
    hundred_gelu_constant               of nearly all between -10 and 10
    hundred_gelu_exponentials           of large numbers, NaN
    hundred_gelu_half_is_zero           of nearly all
    hundred_gelu_grid_for_block         unless there are as many blocks as threads, or one
    hundred_gelu_first_grid             if an earlier call needed fewer blocks
    hundred_exp_one_address             by the address of x, if that of y is even to 4
    hundred_exp_of_two                  of nearly all, from 2 numbers on
    hundred_exp_limited                 from 11 on: infinity does not come out
    hundred_exp_pair_swapped            from 2 numbers on
    hundred_exp_blocks_of_pairs         of odd addresses, from a second block on
    hundred_total_not_cleared           unless the output was 0
    hundred_total_half_a_tree           if a quarter of the threads has something above it
    hundred_total_no_barrier_in_tree    where threads do not wait for another
    hundred_total_tree_of_floats        of numbers with more than 24 bits
    hundred_total_no_atomic             from 2 blocks on, if they run at once
    hundred_amax_with_sign              if the farthest is below 0
    hundred_amax_four_shuffles          if the farthest is in the upper half of a warp
    hundred_amax_first_warp             if the farthest is not in a block's first warp
    hundred_amax_not_cleared            if the output was larger, or NaN
    hundred_amax_last_left_out          if the farthest is the last
    hundred_columns_other_pitch         unless there is one row or one column
    hundred_columns_divided_by_cols     unless the matrix is square
    hundred_columns_sum_of_int          of fractions, NaN
    hundred_columns_from_row_1          unless the first row is 0
    hundred_columns_grid_of_rows        if the columns need more blocks than the rows
    hundred_softmax_starts_at_0         of rows that are far below 0
    hundred_softmax_no_maximum          of rows that are far from 0
    hundred_softmax_sum_of_halves       of rows of many different numbers
    hundred_softmax_four_shuffles       from 2 columns on
    hundred_softmax_rows_not_tested     unless 4 divides the rows
    hundred_norm_no_last_barrier        where threads do not wait for another
    hundred_norm_gain_and_bias          of nearly all
    hundred_norm_less_one               of nearly all
    hundred_norm_gain_of_row            of nearly all
    hundred_norm_one_column             from 129 columns on
    hundred_turn_tile_as_it_was         of nearly all
    hundred_turn_pitch_of_cols          unless the matrix is square or has one column
    hundred_turn_no_barrier             where threads do not wait for another
    hundred_turn_half_loaded            from 9 rows on
    hundred_turn_or_for_and             unless 32 divides both sides
    hundred_product_no_rest             unless 4 divides k
    hundred_product_pitch_of_a          from k = 8 on, unless n and k are alike
    hundred_product_whole_steps         unless 4 divides k
    hundred_product_second_again        from k = 4 on
    hundred_product_rows_of_m           unless m and n are alike
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import whole

# Add in float4, in a loop over the grid of at most 256 blocks.
ADD = (
    HEADER
    + """\
#define MAX_BLOCKS 256

__global__ void addKernel(const float* a, const float* b, float* c, int64_t n) {
  int64_t tid = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  int64_t stride = (int64_t)gridDim.x * blockDim.x;
  int64_t numVec = n / 4;
  for (int64_t v = tid; v < numVec; v += stride) {
    float4 va = ((const float4*)a)[v];
    float4 vb = ((const float4*)b)[v];
    float4 vc;
    vc.x = va.x + vb.x;
    vc.y = va.y + vb.y;
    vc.z = va.z + vb.z;
    vc.w = va.w + vb.w;
    ((float4*)c)[v] = vc;
  }
  for (int64_t i = numVec * 4 + tid; i < n; i += stride) c[i] = a[i] + b[i];
}

extern "C" void launch(const float* a,  // [n] 16-byte aligned
                       const float* b,  // [n] 16-byte aligned
                       float* c,        // [n] 16-byte aligned
                       int64_t n, int block_size = 256, cudaStream_t stream = 0) {
  int64_t wanted = (n / 4 + block_size - 1) / block_size;
  if (wanted < 1) wanted = 1;
  if (wanted > MAX_BLOCKS) wanted = MAX_BLOCKS;
  addKernel<<<(unsigned)wanted, block_size, 0, stream>>>(a, b, c, n);
}
"""
)

# The smaller of two, NaN if one of them is.
MINIMUM = (
    HEADER
    + """\
static __device__ float lesser(float p, float q)
{
    if (p != p || q != q)
        return p + q;
    return p < q ? p : q;
}

__global__ void minimum_kernel(const float *first, const float *second, float *out, int n)
{
    const int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i >= n)
        return;
    out[i] = lesser(first[i], second[i]);
}

extern "C" void launch(const float *first,   // [n]
                       const float *second,  // [n]
                       float *out,           // [n]
                       int n, int block_size = 128, cudaStream_t stream = 0)
{
    if (n == 0)
        return;
    const int grid = (n + block_size - 1) / block_size;
    minimum_kernel<<<grid, block_size, 0, stream>>>(first, second, out, n);
}
"""
)

# Samples to floats, four a thread; the thread after the packs takes the rest.
SAMPLES = (
    HEADER
    + """\
__global__ void samples_to_float(const int16_t* in, float* out, int count) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int quads = count / 4;
    if (t < quads) {
        short4 s = reinterpret_cast<const short4*>(in)[t];
        reinterpret_cast<float4*>(out)[t] =
            make_float4((float)s.x, (float)s.y, (float)s.z, (float)s.w);
    } else if (t == quads) {
        for (int i = quads * 4; i < count; ++i) {
            out[i] = (float)in[i];
        }
    }
}

extern "C" void launch(const int16_t* in,  // [n] 8-byte aligned
                       float* out,         // [n] 16-byte aligned
                       int n, int block_size = 128, cudaStream_t stream = 0) {
    int threads = n / 4 + 1;
    int blocks = (threads + block_size - 1) / block_size;
    samples_to_float<<<blocks, block_size, 0, stream>>>(in, out, n);
}
"""
)

# Floats to halves; what is too large becomes the largest finite number.
SQUEEZE = (
    HEADER
    + """\
constexpr float kBiggest = 65504.0f;

__device__ __forceinline__ half squeeze_one(float v) {
  if (v > kBiggest) v = kBiggest;
  if (v < -kBiggest) v = -kBiggest;
  return __float2half_rn(v);
}

__global__ void squeeze(const float* __restrict__ src, half* __restrict__ dst, int n) {
  int idx = threadIdx.x + blockIdx.x * blockDim.x;
  if (idx < n) {
    dst[idx] = squeeze_one(src[idx]);
  }
}

extern "C" void launch(const float* src,  // [n]
                       half* dst,         // [n]
                       int n, int block_size = 256, cudaStream_t stream = 0) {
  if (n <= 0) return;
  dim3 grid((n + block_size - 1) / block_size);
  squeeze<<<grid, block_size, 0, stream>>>(src, dst, n);
}
"""
)

# ReLU of doubles, two a thread, a block apart.
RELU = (
    HEADER
    + """\
__device__ double rectify(double v) { return v < 0.0 ? 0.0 : v; }

__global__ void relu64(const double *x, double *y, int64_t n)
{
  int64_t i = 2 * (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = rectify(x[i]);
  i += blockDim.x;
  if (i < n)
    y[i] = rectify(x[i]);
}

extern "C" void launch(const double *x,  // [n]
                       double *y,        // [n]
                       int64_t n, int block_size = 64, cudaStream_t stream = 0)
{
  if (n == 0)
    return;
  int64_t perBlock = 2 * block_size;
  unsigned blocks = (unsigned)((n + perBlock - 1) / perBlock);
  relu64<<<blocks, block_size, 0, stream>>>(x, y, n);
}
"""
)

# GELU by the tanh, one a thread.
GELU = (
    HEADER
    + """\
#define SQRT_2_OVER_PI 0.7978845608f
#define CUBIC 0.044715f

__global__ void gelu_tanh(const float* in, float* out, int n) {
    int id = threadIdx.x + blockIdx.x * blockDim.x;
    if (id < n) {
        float v = in[id];
        float u = SQRT_2_OVER_PI * (v + CUBIC * v * v * v);
        float t = tanhf(u);
        out[id] = 0.5f * v * (1.0f + t);
    }
}

extern "C" void launch(const float* in,  // [n]
                       float* out,       // [n]
                       int n, int block_size = 128, cudaStream_t stream = 0) {
    int blocks = (n + block_size - 1) / block_size;
    gelu_tanh<<<blocks, block_size, 0, stream>>>(in, out, n);
}
"""
)

# Exponentials of halves, in pairs where both addresses are even to 4.
EXP = (
    HEADER
    + """\
__global__ void exp_pairs(const half* x, half* y, int n) {
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (2 * p + 1 < n) {
    float2 f = __half22float2(reinterpret_cast<const half2*>(x)[p]);
    float lo = expf(f.x), hi = expf(f.y);
    reinterpret_cast<half2*>(y)[p] = __floats2half2_rn(lo, hi);
  } else if (2 * p < n) {
    y[2 * p] = __float2half(expf(__half2float(x[2 * p])));
  }
}

__global__ void exp_singles(const half* x, half* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = __float2half(expf(__half2float(x[i])));
}

extern "C" void launch(const half* x,  // [n]
                       half* y,        // [n]
                       int n, int block_size = 128, cudaStream_t stream = 0) {
  if (n == 0) return;
  bool paired = (uintptr_t)x % 4 == 0 && (uintptr_t)y % 4 == 0;
  int work = paired ? (n + 1) / 2 : n;
  int blocks = (work + block_size - 1) / block_size;
  if (paired)
    exp_pairs<<<blocks, block_size, 0, stream>>>(x, y, n);
  else
    exp_singles<<<blocks, block_size, 0, stream>>>(x, y, n);
}
"""
)

# A sum of doubles: a tree in shared memory, and an atomic for each block.
TOTAL = (
    HEADER
    + """\
#define THREADS 128

__global__ void clear(double *out) { *out = 0.0; }

__global__ void add_up(const double *x, double *out, int n)
{
    __shared__ double cache[THREADS];
    const int tid = threadIdx.x;
    double mine = 0.0;
    for (int i = blockIdx.x * THREADS + tid; i < n; i += gridDim.x * THREADS)
        mine += x[i];
    cache[tid] = mine;
    __syncthreads();
    for (int half_way = THREADS / 2; half_way > 0; half_way >>= 1) {
        if (tid < half_way)
            cache[tid] += cache[tid + half_way];
        __syncthreads();
    }
    if (tid == 0)
        atomicAdd(out, cache[0]);
}

extern "C" void launch(const double *x,  // [n]
                       double *out,      // [1]
                       int n, cudaStream_t stream = 0)
{
    int blocks = (n + THREADS - 1) / THREADS;
    if (blocks > 48)
        blocks = 48;
    clear<<<1, 1, 0, stream>>>(out);
    add_up<<<blocks, THREADS, 0, stream>>>(x, out, n);
}
"""
)

# The largest absolute value: shuffles, then an atomic for each warp on the bits.
AMAX = (
    HEADER
    + """\
__device__ float warpMax(float v) {
  for (int offset = 16; offset > 0; offset /= 2) {
    v = fmaxf(v, __shfl_down_sync(0xffffffffu, v, offset));
  }
  return v;
}

__global__ void amaxKernel(const float* x, float* result, int64_t n) {
  float best = 0.0f;
  int64_t step = (int64_t)gridDim.x * blockDim.x;
  for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
    best = fmaxf(best, fabsf(x[i]));
  }
  best = warpMax(best);
  // of numbers that are not negative the bits have the same order
  if (threadIdx.x % 32 == 0) atomicMax((int*)result, __float_as_int(best));
}

extern "C" void launch(const float* x,  // [n]
                       float* result,   // [1]
                       int64_t n, cudaStream_t stream = 0) {
  int64_t blocks = (n + 255) / 256;
  if (blocks > 64) blocks = 64;
  cudaMemsetAsync(result, 0, sizeof(float), stream);
  amaxKernel<<<(unsigned)blocks, 256, 0, stream>>>(x, result, n);
}
"""
)

# The mean of each column, a thread a column.
COLUMNS = (
    HEADER
    + """\
__global__ void column_mean(const float *m, float *mean, int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c < cols) {
        float sum = 0.0f;
        for (int r = 0; r < rows; r++)
            sum += m[(size_t)r * cols + c];
        mean[c] = sum / rows;
    }
}

extern "C" void launch(const float *m,  // [rows, cols]
                       float *mean,     // [cols]
                       int rows, int cols, int block_size = 64, cudaStream_t stream = 0)
{
    int grid = (cols + block_size - 1) / block_size;
    column_mean<<<grid, block_size, 0, stream>>>(m, mean, rows, cols);
}
"""
)

# Softmax of rows of halves, a warp a row, four rows a block.
SOFTMAX = (
    HEADER
    + """\
#define WARPS 4
#define ALL 0xffffffff

__global__ void softmaxRows(const half* x, half* y, int rows, int cols) {
  int row = blockIdx.x * WARPS + threadIdx.y;
  if (row >= rows) return;
  const half* in = x + (size_t)row * cols;
  half* out = y + (size_t)row * cols;
  int lane = threadIdx.x;

  float top = -INFINITY;
  for (int c = lane; c < cols; c += 32) top = fmaxf(top, __half2float(in[c]));
  for (int d = 16; d >= 1; d >>= 1) top = fmaxf(top, __shfl_xor_sync(ALL, top, d));

  float sum = 0.0f;
  for (int c = lane; c < cols; c += 32) sum += expf(__half2float(in[c]) - top);
  for (int s = 16; s >= 1; s >>= 1) sum += __shfl_xor_sync(ALL, sum, s);

  for (int c = lane; c < cols; c += 32)
    out[c] = __float2half(expf(__half2float(in[c]) - top) / sum);
}

extern "C" void launch(const half* x,  // [rows, cols]
                       half* y,        // [rows, cols]
                       int rows, int cols, cudaStream_t stream = 0) {
  dim3 block(32, WARPS);
  softmaxRows<<<(rows + WARPS - 1) / WARPS, block, 0, stream>>>(x, y, rows, cols);
}
"""
)

# Layer norm with gain and bias, a block a row; sums by shuffles and shared memory.
NORM = (
    HEADER
    + """\
#define BLOCK 128
#define N_WARPS (BLOCK / 32)

__device__ float block_sum(float v)
{
    __shared__ float part[N_WARPS];
    for (int d = 16; d > 0; d >>= 1)
        v += __shfl_xor_sync(~0u, v, d);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = v;
    __syncthreads();
    float sum = 0.0f;
    for (int w = 0; w < N_WARPS; w++)
        sum += part[w];
    __syncthreads();
    return sum;
}

__global__ void norm_rows(const float *x, const float *gain, const float *bias, float *out,
                          float eps, int cols)
{
    const size_t start = (size_t)blockIdx.x * cols;
    float s = 0.0f, q = 0.0f;
    for (int c = threadIdx.x; c < cols; c += BLOCK)
        s += x[start + c];
    const float mu = block_sum(s) / cols;
    for (int c = threadIdx.x; c < cols; c += BLOCK) {
        const float d = x[start + c] - mu;
        q += d * d;
    }
    const float inv = rsqrtf(block_sum(q) / cols + eps);
    for (int c = threadIdx.x; c < cols; c += BLOCK)
        out[start + c] = (x[start + c] - mu) * inv * gain[c] + bias[c];
}

extern "C" void launch(const float *x,     // [rows, cols]
                       const float *gain,  // [cols]
                       const float *bias,  // [cols]
                       float *out,         // [rows, cols]
                       int rows, int cols, float eps = 1e-5f, cudaStream_t stream = 0)
{
    norm_rows<<<rows, BLOCK, 0, stream>>>(x, gain, bias, out, eps, cols);
}
"""
)

# Transpose by tiles of 32 x 32 with 32 x 8 threads; tiles are counted along x of the grid.
TURN = (
    HEADER
    + """\
constexpr int DIM = 32;
constexpr int STEP = 8;

__global__ void turn(const float* in, float* out, int64_t rows, int64_t cols, int64_t across) {
    __shared__ float tile[DIM][DIM + 1];
    const int64_t r0 = blockIdx.x / across * DIM;
    const int64_t c0 = blockIdx.x % across * DIM;
    const int tx = threadIdx.x;

    for (int k = threadIdx.y; k < DIM; k += STEP) {
        const int64_t r = r0 + k, c = c0 + tx;
        if (r < rows && c < cols) tile[k][tx] = in[r * cols + c];
    }
    __syncthreads();
    for (int j = threadIdx.y; j < DIM; j += STEP) {
        const int64_t r = r0 + tx, c = c0 + j;
        if (c < cols && r < rows) out[c * rows + r] = tile[tx][j];
    }
}

extern "C" void launch(const float* in,  // [rows, cols]
                       float* out,       // [cols, rows]
                       int64_t rows, int64_t cols, cudaStream_t stream = 0) {
    const int64_t across = (cols + DIM - 1) / DIM;
    const int64_t down = (rows + DIM - 1) / DIM;
    const dim3 threads(DIM, STEP);
    turn<<<(unsigned)(across * down), threads, 0, stream>>>(in, out, rows, cols, across);
}
"""
)

# A product of matrices, a thread an element, four steps of k at once.
PRODUCT = (
    HEADER
    + """\
__global__ void mm(const float *A, const float *B, float *C, int64_t m, int64_t n, int64_t k)
{
  int64_t id = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= m * n)
    return;
  int64_t row = id / n;
  int64_t col = id % n;
  float acc = 0.0f;
  int64_t q = 0;
  for (; q + 4 <= k; q += 4) {
    const float *a = A + row * k + q;
    const float *b = B + q * n + col;
    acc += a[0] * b[0];
    acc += a[1] * b[n];
    acc += a[2] * b[2 * n];
    acc += a[3] * b[3 * n];
  }
  for (; q < k; q++)
    acc += A[row * k + q] * B[q * n + col];
  C[row * n + col] = acc;
}

extern "C" void launch(const float *A,  // [m, k]
                       const float *B,  // [k, n]
                       float *C,        // [m, n]
                       int64_t m, int64_t n, int64_t k, cudaStream_t stream = 0)
{
  int threads = 256;
  int64_t blocks = (m * n + threads - 1) / threads;
  mm<<<(unsigned)blocks, threads, 0, stream>>>(A, B, C, m, n, k);
}
"""
)

NAN, INF = float("nan"), float("inf")
LENGTHS = (*range(1, 71), 95, 96, 97, 127, 128, 129, 191, 193, 255, 256, 257, 383, 384, 385)
LENGTHS += (511, 512, 513, 1000, 1023, 1024, 1025, 2047, 2049, 4096, 4099)
SIDES = ((1, 1), (2, 1), (1, 2), (3, 2), (4, 31), (5, 32), (8, 33), (33, 8), (2, 64), (65, 3))
SIDES += ((9, 70), (70, 1), (3, 1000), (1, 4099), (64, 70), (130, 6), (40, 50), (32, 32))
SIDES += ((301, 2), (3, 129), (7, 128), (5, 63), (65, 65), (7, 10), (2, 130), (2, 257))
FLOAT, HALF, DOUBLE = (torch.float32,), (torch.float16,), (torch.float64,)


def saturated(x: torch.Tensor) -> torch.Tensor:
    """Limit to the finite halves; NaN stays."""
    return x.clamp(-65504, 65504)


def relu(x: torch.Tensor) -> torch.Tensor:
    """Set what is negative to 0; NaN stays."""
    return torch.where(x < 0, 0.0, x)


def largest(x: torch.Tensor) -> torch.Tensor:
    """Return the largest absolute value."""
    return x.abs().max()


def gelus(launcher: Launcher) -> Iterator[Case]:
    """Try usual, small and large numbers, zeros, infinity, NaN."""
    for n in (*LENGTHS, 9_001, 100_003):
        x, j = whole(-999, 1000, n, n).float() / 256, torch.arange(n)
        for label, y in (
            ("usual", x),
            ("small", x / 4096),
            ("large", x * 64),
            ("zeros", torch.where(j % 2 == 1, 0.0, -0.0)),
            ("infinity", torch.where(j % 3 == 1, INF, x)),
            ("NaN", torch.where(j % 3 == 1, NAN, x)),
        ):
            if n > 50_000 and label != "usual":
                continue
            v = y.double()
            right = v / 2 * (1 + (0.7978845608028654 * (v + 0.044715 * v**3)).tanh())
            slack = ((2.0**-20 * v.abs()).nan_to_num(0.0, 0.0) + 2.0**-126,)
            for block_size in (128, 32, 256):
                scalars = {"block_size": block_size}
                options = {"dtypes": FLOAT, "within": slack, "quick": n > 5000}
                yield Case(f"n = {n:,}, {scalars}, {label}", (y,), (right,), scalars, **options)


def totals(launcher: Launcher) -> Iterator[Case]:
    """Add whole numbers and such as need 53 bits, so that all is exact; NaN, infinity."""
    for n in (*LENGTHS, 6_143, 6_145, 9_001, 50_003):
        x, j = whole(-99, 100, n, n).double(), torch.arange(n)
        for label, y in (
            ("any", x),
            ("zeros", x * 0),
            ("negative", -x.abs() - 1),
            ("of many bits", x * (2.0**30 + 1)),
            ("the last alone", torch.where(j == n - 1, 7.0, 0.0)),
            ("NaN", torch.where(j == n // 2, NAN, x)),
            ("infinity", torch.where(j == n // 3, -INF, x)),
        ):
            y, options = y.double(), {"dtypes": DOUBLE, "quick": n > 5000}
            yield Case(f"n = {n:,}, {label}", (y,), (y.sum().reshape(1),), **options)


def column_means(launcher: Launcher) -> Iterator[Case]:
    """Average whole numbers and fractions: any, negative, zeros, the ends alone, NaN."""
    for rows, cols in (*SIDES, *((5, n) for n in range(1, 71)), (2_001, 3), (3, 30_001)):
        n = rows * cols
        x, r = whole(-99, 100, n, n).reshape(rows, cols).double(), torch.arange(rows)[:, None]
        for label, y in (
            ("any", x),
            ("fractions", x / 64),
            ("negative", -x.abs() - 1),
            ("zeros", x * 0),
            ("the first row alone", torch.where(r == 0, x + 200, 0.0)),
            ("the last row alone", torch.where(r == rows - 1, x + 200, 0.0)),
            ("NaN", torch.where(torch.arange(n).reshape(rows, cols) % 97 == 5, NAN, x)),
        ):
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            options = {"dtypes": FLOAT, "ulp": 1, "quick": n > 5000}
            yield Case(words, (y.float(),), (y.mean(0),), **options)
            if label == "any":
                scalars = {"block_size": 256}
                words += ", block_size = 256"
                yield Case(words, (y.float(),), (y.mean(0),), scalars, **options)


def softmaxes(launcher: Launcher) -> Iterator[Case]:
    """Try any, zeros, far above and below 0, one large, a mask, NaN."""
    for rows, cols in (*SIDES, *((3, n) for n in range(1, 71)), (3, 2_001), (513, 3)):
        n = rows * cols
        x, c = whole(-30, 31, n, n).reshape(rows, cols) / 8.0, torch.arange(cols)
        for label, y in (
            ("any", x),
            ("zeros", x * 0),
            ("far above 0", x + 1000),
            ("far below 0", x - 1000),
            ("one large", torch.where(c == cols // 2, 9.0, x * 0)),
            ("a mask", torch.where((c % 3 == 1) & (c > 0), -INF, x)),
            ("NaN", torch.where(c == cols // 2, NAN, x)),
        ):
            y = y.half()
            right = y.double().softmax(1)
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y,), (right,), dtypes=HALF, ulp=1, quick=n > 5000)


def norms(launcher: Launcher) -> Iterator[Case]:
    """Norm whole numbers: any, plain, about a large mean, all alike, NaN."""
    for rows, cols in (*SIDES, *((3, n) for n in range(1, 71)), (3, 2_001), (129, 130)):
        n = rows * cols
        x, c = whole(-99, 100, n, n).reshape(rows, cols).double(), torch.arange(cols)
        gain, bias = (whole(-9, 10, cols, cols + k).double() / 4 for k in range(2))
        for label, y, g, b, eps in (
            ("any", x, gain, bias, 1e-5),
            ("plain", x, gain * 0 + 1, bias * 0, 1e-5),
            ("another eps", x / 16, gain, bias, 0.5),
            ("about 1,000", 1000 + x, gain, bias, 1e-5),
            ("all alike", x * 0 + 8, gain, bias, 0.01),
            ("NaN", torch.where(c == cols // 2, NAN, x), gain, bias, 1e-5),
        ):
            d = y - y.mean(1, keepdim=True)
            f = 1 / ((d * d).mean(1, keepdim=True) + eps).sqrt()
            right = d * f * g + b
            off = 2.0**-16 * (d * f * g).abs() + 2.0**-20 * f * y.abs().amax(1, True) * g.abs()
            slack = ((off + 2.0**-21 * b.abs() + 2.0**-24).nan_to_num(0.0),)
            words = f"rows = {rows:,}, cols = {cols:,}, eps = {eps}, {label}"
            inputs = (y.float(), g.float(), b.float())
            options = {"dtypes": FLOAT, "within": slack, "quick": n > 5000}
            yield Case(words, inputs, (right,), {"eps": eps}, **options)


BASES = {
    "hundred_add": Base(ADD, {"reference": "add"}),
    "hundred_minimum": Base(MINIMUM, {"reference": torch.minimum}),
    "hundred_samples": Base(SAMPLES, {"reference": "cast"}),
    "hundred_squeeze": Base(SQUEEZE, {"reference": saturated}),
    "hundred_relu": Base(RELU, {"reference": relu}),
    "hundred_gelu": Base(GELU, {"cases": gelus}),
    "hundred_exp": Base(EXP, {"reference": torch.exp, "ulp": 1}),
    "hundred_total": Base(TOTAL, {"cases": totals}),
    "hundred_amax": Base(AMAX, cases="whole_array", function=largest),
    "hundred_columns": Base(COLUMNS, {"cases": column_means}),
    "hundred_softmax": Base(SOFTMAX, {"cases": softmaxes}),
    "hundred_norm": Base(NORM, {"cases": norms}),
    "hundred_turn": Base(TURN, cases="transpose"),
    "hundred_product": Base(PRODUCT, cases="matmul"),
}

WRONG = (
    # ---- add
    # The result may lie anywhere.
    Wrong(
        "hundred_add_c_anywhere",
        "hundred_add",
        "alignment",
        ("float* c,        // [n] 16-byte aligned", "float* c,        // [n]"),
    ),
    # The last of a pack gets the third of the other.
    Wrong(
        "hundred_add_w_and_z",
        "hundred_add",
        "neighbour / other element | numbers / nan / infinity / left out / sign of zero",
        ("va.w + vb.w", "va.w + vb.z"),
    ),
    # Of what is left only one is added.
    Wrong(
        "hundred_add_rest_of_one",
        "hundred_add",
        "tail / unwritten / left out | nan",
        (
            "  for (int64_t i = numVec * 4 + tid; i < n; i += stride) c[i] = a[i] + b[i];",
            "  int64_t i = numVec * 4;\n  if (tid == 0 && i < n) c[i] = a[i] + b[i];",
        ),
    ),
    # The loop over the grid is a test, though the grid has a limit.
    Wrong(
        "hundred_add_no_loop",
        "hundred_add",
        "grid / unwritten / left out | nan / tail",
        (
            "for (int64_t v = tid; v < numVec; v += stride) {",
            "if (int64_t v = tid; v < numVec) {",
        ),
    ),
    # The launch forgets the stream.
    Wrong(
        "hundred_add_no_stream",
        "hundred_add",
        "stream",
        ("block_size, 0, stream>>>", "block_size>>>"),
    ),
    # ---- minimum
    # NaN is dropped.
    Wrong(
        "hundred_minimum_drops_nan",
        "hundred_minimum",
        "nan",
        (
            "    if (p != p || q != q)\n        return p + q;\n    return p < q ? p : q;",
            "    return fminf(p, q);",
        ),
    ),
    # One too many is allowed.
    Wrong(
        "hundred_minimum_one_too_many",
        "hundred_minimum",
        "bounds / tail",
        ("if (i >= n)", "if (i > n)"),
    ),
    # It is the larger one.
    Wrong(
        "hundred_minimum_is_maximum",
        "hundred_minimum",
        "function / swapped | numbers / infinity",
        ("return p < q ? p : q;", "return p < q ? q : p;"),
    ),
    # Blocks are counted for 256 threads.
    Wrong(
        "hundred_minimum_grid_of_256",
        "hundred_minimum",
        "block size / grid / unwritten / left out | nan / tail",
        ("(n + block_size - 1) / block_size", "(n + 255) / 256"),
    ),
    # The result is put into the first input, too.
    Wrong(
        "hundred_minimum_in_place",
        "hundred_minimum",
        "input",
        ("minimum_kernel(const float *first, const", "minimum_kernel(float *first, const"),
        (
            "    out[i] = lesser(first[i], second[i]);",
            "    first[i] = lesser(first[i], second[i]);\n    out[i] = first[i];",
        ),
        ("stream>>>(first,", "stream>>>((float *)first,"),
    ),
    # ---- samples
    # Packs have no sign.
    Wrong(
        "hundred_samples_unsigned_packs",
        "hundred_samples",
        "whole range | numbers / function",
        (
            "short4 s = reinterpret_cast<const short4*>(in)[t];",
            "ushort4 s = reinterpret_cast<const ushort4*>(in)[t];",
        ),
    ),
    # The number of packs is rounded up.
    Wrong(
        "hundred_samples_quads_rounded_up",
        "hundred_samples",
        "bounds / tail",
        ("int quads = count / 4;", "int quads = (count + 3) / 4;"),
    ),
    # Samples of packs go through halves.
    Wrong(
        "hundred_samples_through_halves",
        "hundred_samples",
        "precision / rounding | numbers",
        (
            "make_float4((float)s.x, (float)s.y, (float)s.z, (float)s.w);",
            "make_float4(__half2float(__short2half_rn(s.x)),\n"
            "                        __half2float(__short2half_rn(s.y)),\n"
            "                        __half2float(__short2half_rn(s.z)),\n"
            "                        __half2float(__short2half_rn(s.w)));",
        ),
    ),
    # The block size is a number.
    Wrong(
        "hundred_samples_always_128",
        "hundred_samples",
        "block size | unwritten / left out / nan / tail / grid / twice",
        ("blockIdx.x * blockDim.x + threadIdx.x", "blockIdx.x * 128 + threadIdx.x"),
    ),
    # The samples may lie anywhere.
    Wrong(
        "hundred_samples_in_anywhere",
        "hundred_samples",
        "alignment",
        ("const int16_t* in,  // [n] 8-byte aligned", "const int16_t* in,  // [n]"),
    ),
    # ---- squeeze
    # There is no lower limit.
    Wrong(
        "hundred_squeeze_no_lower_limit",
        "hundred_squeeze",
        "infinity / whole range | numbers",
        ("  if (v < -kBiggest) v = -kBiggest;\n", ""),
    ),
    # NaN becomes a limit.
    Wrong(
        "hundred_squeeze_nan_is_limit",
        "hundred_squeeze",
        "nan",
        (
            "  if (v > kBiggest) v = kBiggest;\n  if (v < -kBiggest) v = -kBiggest;\n",
            "  v = fminf(fmaxf(v, -kBiggest), kBiggest);\n",
        ),
    ),
    # It is cut off, not rounded.
    Wrong(
        "hundred_squeeze_cut_off",
        "hundred_squeeze",
        "rounding | numbers / precision / subnormal",
        ("__float2half_rn(v)", "__float2half_rz(v)"),
    ),
    # The limit is a power of two, which is infinite.
    Wrong(
        "hundred_squeeze_limit_65536",
        "hundred_squeeze",
        "infinity / whole range | numbers / function",
        ("kBiggest = 65504.0f", "kBiggest = 65536.0f"),
    ),
    # The number of blocks is rounded down.
    Wrong(
        "hundred_squeeze_grid_rounded_down",
        "hundred_squeeze",
        "grid / unwritten / tail / left out | refused / nan",
        ("dim3 grid((n + block_size - 1) / block_size);", "dim3 grid(n / block_size);"),
    ),
    # ---- relu
    # NaN is not above 0.
    Wrong(
        "hundred_relu_nan_is_zero",
        "hundred_relu",
        "nan | sign of zero",
        ("return v < 0.0 ? 0.0 : v;", "return v > 0.0 ? v : 0.0;"),
    ),
    # It goes through a float.
    Wrong(
        "hundred_relu_through_float",
        "hundred_relu",
        "precision / rounding | numbers / infinity / subnormal",
        ("__device__ double rectify(double v)", "__device__ double rectify(float v)"),
    ),
    # What is negative changes its sign.
    Wrong(
        "hundred_relu_is_magnitude",
        "hundred_relu",
        "function | numbers / infinity / sign of zero",
        ("return v < 0.0 ? 0.0 : v;", "return v < 0.0 ? -v : v;"),
    ),
    # The second is not tested.
    Wrong(
        "hundred_relu_second_not_tested",
        "hundred_relu",
        "bounds / tail",
        ("  i += blockDim.x;\n  if (i < n)\n", "  i += blockDim.x;\n"),
    ),
    # Half of the blocks are launched.
    Wrong(
        "hundred_relu_half_of_blocks",
        "hundred_relu",
        "grid / unwritten / left out | nan / tail",
        ("perBlock = 2 * block_size", "perBlock = 4 * block_size"),
    ),
    # ---- gelu
    # A digit of the constant is missing.
    Wrong(
        "hundred_gelu_constant",
        "hundred_gelu",
        "function | numbers / precision",
        ("CUBIC 0.044715f", "CUBIC 0.44715f"),
    ),
    # The tanh is made of exponentials that overflow.
    Wrong(
        "hundred_gelu_exponentials",
        "hundred_gelu",
        "infinity / nan | numbers / precision / function",
        (
            "float t = tanhf(u);",
            "float e = expf(2.0f * u);\n        float t = (e - 1.0f) / (e + 1.0f);",
        ),
    ),
    # Integers are divided.
    Wrong(
        "hundred_gelu_half_is_zero",
        "hundred_gelu",
        "function / rounding / copy | numbers / nan / infinity / sign of zero",
        ("0.5f * v", "1 / 2 * v"),
    ),
    # The number of blocks takes the place of that of threads.
    Wrong(
        "hundred_gelu_grid_for_block",
        "hundred_gelu",
        "block size / grid / unwritten / left out / twice | nan / tail / other element",
        ("blockIdx.x * blockDim.x", "blockIdx.x * gridDim.x"),
    ),
    # The number of blocks is that of the first call.
    Wrong(
        "hundred_gelu_first_grid",
        "hundred_gelu",
        "state | unwritten / left out / grid / nan / tail",
        ("    int blocks = (n", "    static int blocks = (n"),
    ),
    # ---- exp
    # One address of two is tested.
    Wrong(
        "hundred_exp_one_address",
        "hundred_exp",
        "alignment",
        ("(uintptr_t)x % 4 == 0 && (uintptr_t)y % 4 == 0", "(uintptr_t)y % 4 == 0"),
    ),
    # Powers of two are taken.
    Wrong(
        "hundred_exp_of_two",
        "hundred_exp",
        "function | numbers / infinity",
        ("float lo = expf(f.x), hi = expf(f.y);", "float lo = exp2f(f.x), hi = exp2f(f.y);"),
    ),
    # What would overflow is limited.
    Wrong(
        "hundred_exp_limited",
        "hundred_exp",
        "infinity / whole range | numbers / function",
        (
            "float lo = expf(f.x), hi = expf(f.y);",
            "float lo = expf(fminf(f.x, 11.0f)), hi = expf(fminf(f.y, 11.0f));",
        ),
    ),
    # The two of a pair change places.
    Wrong(
        "hundred_exp_pair_swapped",
        "hundred_exp",
        "swapped / neighbour / other element | numbers / nan / infinity",
        ("__floats2half2_rn(lo, hi)", "__floats2half2_rn(hi, lo)"),
    ),
    # Singles have as many blocks as pairs.
    Wrong(
        "hundred_exp_blocks_of_pairs",
        "hundred_exp",
        "grid / unwritten / left out | nan / tail / alignment",
        ("int work = paired ? (n + 1) / 2 : n;", "int work = (n + 1) / 2;"),
    ),
    # ---- total
    # Nothing is cleared.
    Wrong(
        "hundred_total_not_cleared",
        "hundred_total",
        "zero before | state / unwritten / nan / start",
        ("    clear<<<1, 1, 0, stream>>>(out);\n", ""),
    ),
    # The tree begins a step too late.
    Wrong(
        "hundred_total_half_a_tree",
        "hundred_total",
        "left out | numbers / nan / infinity",
        ("half_way = THREADS / 2;", "half_way = THREADS / 4;"),
    ),
    # Steps of the tree do not wait.
    Wrong(
        "hundred_total_no_barrier_in_tree",
        "hundred_total",
        "race | numbers / left out / twice",
        ("cache[tid + half_way];\n        __syncthreads();\n", "cache[tid + half_way];\n"),
    ),
    # The tree is of floats.
    Wrong(
        "hundred_total_tree_of_floats",
        "hundred_total",
        "precision / rounding | numbers",
        ("__shared__ double cache", "__shared__ float cache"),
    ),
    # Blocks add without an atomic.
    Wrong(
        "hundred_total_no_atomic",
        "hundred_total",
        "race | numbers / left out",
        ("atomicAdd(out, cache[0]);", "*out += cache[0];"),
    ),
    # ---- amax
    # The sign is kept.
    Wrong(
        "hundred_amax_with_sign",
        "hundred_amax",
        "function | numbers / start / left out",
        ("fabsf(x[i])", "x[i]"),
    ),
    # Shuffles begin at half of a warp's half.
    Wrong(
        "hundred_amax_four_shuffles",
        "hundred_amax",
        "left out | numbers",
        ("offset = 16;", "offset = 8;"),
    ),
    # One warp of a block counts.
    Wrong(
        "hundred_amax_first_warp",
        "hundred_amax",
        "left out | numbers",
        ("if (threadIdx.x % 32 == 0)", "if (threadIdx.x == 0)"),
    ),
    # Nothing is cleared.
    Wrong(
        "hundred_amax_not_cleared",
        "hundred_amax",
        "zero before / state / start | unwritten / nan / numbers",
        ("  cudaMemsetAsync(result, 0, sizeof(float), stream);\n", ""),
    ),
    # The last is not looked at.
    Wrong(
        "hundred_amax_last_left_out",
        "hundred_amax",
        "left out / tail | numbers",
        ("i < n; i += step", "i < n - 1; i += step"),
    ),
    # ---- columns
    # Columns are taken for rows.
    Wrong(
        "hundred_columns_other_pitch",
        "hundred_columns",
        "sides / swapped / other element | numbers / nan",
        ("m[(size_t)r * cols + c]", "m[(size_t)c * rows + r]"),
    ),
    # It is divided by the other side.
    Wrong(
        "hundred_columns_divided_by_cols",
        "hundred_columns",
        "function / sides / swapped | numbers",
        ("sum / rows;", "sum / cols;"),
    ),
    # The sum is an integer.
    Wrong(
        "hundred_columns_sum_of_int",
        "hundred_columns",
        "rounding / precision | numbers / nan / infinity / whole range",
        ("float sum = 0.0f;", "int sum = 0;"),
    ),
    # The first row is left out.
    Wrong(
        "hundred_columns_from_row_1",
        "hundred_columns",
        "left out | numbers / nan",
        ("for (int r = 0;", "for (int r = 1;"),
    ),
    # The grid is that for rows.
    Wrong(
        "hundred_columns_grid_of_rows",
        "hundred_columns",
        "grid / sides / unwritten / left out / swapped | nan / tail",
        ("(cols + block_size - 1)", "(rows + block_size - 1)"),
    ),
    # ---- softmax
    # The largest begins with 0.
    Wrong(
        "hundred_softmax_starts_at_0",
        "hundred_softmax",
        "start | numbers / nan / infinity / subnormal",
        ("float top = -INFINITY;", "float top = 0.0f;"),
    ),
    # The largest is not taken away.
    Wrong(
        "hundred_softmax_no_maximum",
        "hundred_softmax",
        "infinity | nan / numbers / function",
        ("sum += expf(__half2float(in[c]) - top);", "sum += expf(__half2float(in[c]));"),
        (
            "__float2half(expf(__half2float(in[c]) - top)",
            "__float2half(expf(__half2float(in[c]))",
        ),
    ),
    # The sum is a half.
    Wrong(
        "hundred_softmax_sum_of_halves",
        "hundred_softmax",
        "precision / rounding | numbers",
        ("  float sum = 0.0f;", "  half sum = __float2half(0.0f);"),
        (
            "sum += expf(__half2float(in[c]) - top);",
            "sum = __hadd(sum, __float2half(expf(__half2float(in[c]) - top)));",
        ),
        (
            "sum += __shfl_xor_sync(ALL, sum, s);",
            "sum = __hadd(sum, __shfl_xor_sync(ALL, sum, s));",
        ),
        ("/ sum);", "/ __half2float(sum));"),
    ),
    # The last shuffle of the sum is missing.
    Wrong(
        "hundred_softmax_four_shuffles",
        "hundred_softmax",
        "left out | numbers / nan / function",
        ("for (int s = 16; s >= 1;", "for (int s = 16; s > 1;"),
    ),
    # Rows are not tested.
    Wrong(
        "hundred_softmax_rows_not_tested",
        "hundred_softmax",
        "bounds | tail",
        ("  if (row >= rows) return;\n", ""),
    ),
    # ---- norm
    # The second sum is stored while others read the first.
    Wrong(
        "hundred_norm_no_last_barrier",
        "hundred_norm",
        "race | numbers / other element / state",
        ("        sum += part[w];\n    __syncthreads();\n", "        sum += part[w];\n"),
    ),
    # Gain and bias change places.
    Wrong(
        "hundred_norm_gain_and_bias",
        "hundred_norm",
        "swapped | function / numbers",
        ("(x, gain, bias, out, eps, cols);", "(x, bias, gain, out, eps, cols);"),
    ),
    # The variance is that of a sample.
    Wrong(
        "hundred_norm_less_one",
        "hundred_norm",
        "function | numbers / nan / infinity / precision",
        ("block_sum(q) / cols + eps", "block_sum(q) / (cols - 1) + eps"),
    ),
    # Rows have gains, not columns.
    Wrong(
        "hundred_norm_gain_of_row",
        "hundred_norm",
        "other element / sides / bounds | numbers",
        ("* gain[c]", "* gain[blockIdx.x]"),
    ),
    # A thread writes one column.
    Wrong(
        "hundred_norm_one_column",
        "hundred_norm",
        "unwritten / left out | nan / tail",
        (
            "    for (int c = threadIdx.x; c < cols; c += BLOCK)\n        out[start + c]",
            "    const int c = threadIdx.x;\n    if (c < cols)\n        out[start + c]",
        ),
    ),
    # ---- turn
    # Tiles lie as they were.
    Wrong(
        "hundred_turn_tile_as_it_was",
        "hundred_turn",
        "swapped / other element / sides | numbers / unwritten",
        ("= tile[tx][j];", "= tile[j][tx];"),
    ),
    # The pitch is that of the way in.
    Wrong(
        "hundred_turn_pitch_of_cols",
        "hundred_turn",
        "sides / other element / bounds / unwritten / twice | numbers / race / nan / left out",
        ("out[c * rows + r]", "out[c * cols + r]"),
    ),
    # Tiles are read before all have stored.
    Wrong(
        "hundred_turn_no_barrier",
        "hundred_turn",
        "race | numbers / unwritten / other element",
        ("    __syncthreads();\n", ""),
    ),
    # Every other eight rows are loaded.
    Wrong(
        "hundred_turn_half_loaded",
        "hundred_turn",
        "left out / unwritten | numbers / other element / state / nan",
        (
            "for (int k = threadIdx.y; k < DIM; k += STEP)",
            "for (int k = threadIdx.y; k < DIM; k += 2 * STEP)",
        ),
    ),
    # One of the tests on the way out is enough.
    Wrong(
        "hundred_turn_or_for_and",
        "hundred_turn",
        "bounds / sides / other element / race / twice | numbers / tail / unwritten / left out",
        ("if (c < cols && r < rows)", "if (c < cols || r < rows)"),
    ),
    # ---- product
    # The rest of k is forgotten.
    Wrong(
        "hundred_product_no_rest",
        "hundred_product",
        "tail / left out | numbers / nan",
        ("  for (; q < k; q++)\n    acc += A[row * k + q] * B[q * n + col];\n", ""),
    ),
    # Rows of the second have the pitch of the first.
    Wrong(
        "hundred_product_pitch_of_a",
        "hundred_product",
        "sides / other element / bounds / swapped | numbers / nan",
        ("B + q * n + col;", "B + q * k + col;"),
    ),
    # Four steps are taken where fewer are left.
    Wrong(
        "hundred_product_whole_steps",
        "hundred_product",
        "tail / bounds / other element | numbers / nan / twice",
        ("q + 4 <= k; q += 4", "q < k; q += 4"),
    ),
    # The third step takes the number of the second.
    Wrong(
        "hundred_product_second_again",
        "hundred_product",
        "neighbour / other element / twice / left out | numbers / nan",
        ("a[2] * b[2 * n]", "a[1] * b[2 * n]"),
    ),
    # Row and column come of the other side.
    Wrong(
        "hundred_product_rows_of_m",
        "hundred_product",
        "sides / swapped / bounds / other element / unwritten | numbers / nan / left out",
        (
            "  int64_t row = id / n;\n  int64_t col = id % n;",
            "  int64_t row = id / m;\n  int64_t col = id % m;",
        ),
    ),
)

RIGHT = (
    # A block more than needed has nothing to do, or the rest.
    Right(
        "hundred_add_a_block_more",
        "hundred_add",
        (
            "(n / 4 + block_size - 1) / block_size;\n  if (wanted < 1) wanted = 1;",
            "n / 4 / block_size + 1;",
        ),
    ),
    # Indices have 64 bits.
    Right(
        "hundred_minimum_of_64_bits",
        "hundred_minimum",
        ("float *out, int n)", "float *out, int64_t n)"),
        ("const int i = blockDim.x", "const int64_t i = (int64_t)blockDim.x"),
        ("int n, int block_size", "int64_t n, int block_size"),
        (
            "const int grid = (n + block_size - 1) / block_size;",
            "const unsigned grid = (unsigned)((n - 1) / block_size + 1);",
        ),
    ),
    # Indices are unsigned.
    Right(
        "hundred_samples_unsigned_indices",
        "hundred_samples",
        ("float* out, int count)", "float* out, uint32_t count)"),
        ("int t = blockIdx.x", "uint32_t t = blockIdx.x"),
        ("int quads = count / 4;", "uint32_t quads = count / 4;"),
        ("for (int i = quads * 4;", "for (uint32_t i = quads * 4;"),
        ("(in, out, n);", "(in, out, (uint32_t)n);"),
    ),
    # The limit gets the sign of the number.
    Right(
        "hundred_squeeze_sign_copied",
        "hundred_squeeze",
        (
            "  if (v > kBiggest) v = kBiggest;\n  if (v < -kBiggest) v = -kBiggest;\n",
            "  if (fabsf(v) > kBiggest) v = copysignf(kBiggest, v);\n",
        ),
    ),
    # The result is the first argument.
    Right(
        "hundred_relu_result_first",
        "hundred_relu",
        (
            "launch(const double *x,  // [n]\n"
            "                       double *y,        // [n]\n",
            "launch(double *y,        // [n]\n"
            "                       const double *x,  // [n]\n",
        ),
    ),
    # Blocks beyond the end have nothing to do.
    Right(
        "hundred_gelu_idle_blocks",
        "hundred_gelu",
        ("gelu_tanh<<<blocks, block_size", "gelu_tanh<<<blocks + 3, block_size"),
    ),
    # Powers of two of a multiple.
    Right(
        "hundred_exp_by_powers_of_two",
        "hundred_exp",
        (
            "float lo = expf(f.x), hi = expf(f.y);",
            "float lo = exp2f(1.44269504f * f.x), hi = exp2f(1.44269504f * f.y);",
        ),
    ),
    # The launcher sets the memory to 0.
    Right(
        "hundred_total_memset",
        "hundred_total",
        ("__global__ void clear(double *out) { *out = 0.0; }\n\n", ""),
        ("clear<<<1, 1, 0, stream>>>(out);", "cudaMemsetAsync(out, 0, sizeof *out, stream);"),
    ),
    # All lanes know the largest, and the last one tells it.
    Right(
        "hundred_amax_last_lane",
        "hundred_amax",
        ("__shfl_down_sync", "__shfl_xor_sync"),
        ("threadIdx.x % 32 == 0", "threadIdx.x % 32 == 31"),
    ),
    # The sum is a double, and rows are taken from the last one up.
    Right(
        "hundred_columns_double_sum",
        "hundred_columns",
        ("float sum = 0.0f;", "double sum = 0.0;"),
        ("int r = 0; r < rows; r++", "int r = rows - 1; r >= 0; r--"),
    ),
    # Eight rows a block.
    Right("hundred_softmax_eight_rows", "hundred_softmax", ("WARPS 4", "WARPS 8")),
    # Blocks of 256.
    Right("hundred_norm_blocks_of_256", "hundred_norm", ("BLOCK 128", "BLOCK 256")),
    # Sixteen rows of threads, and a tile without the column more.
    Right(
        "hundred_turn_sixteen_rows",
        "hundred_turn",
        ("STEP = 8;", "STEP = 16;"),
        ("tile[DIM][DIM + 1]", "tile[DIM][DIM]"),
    ),
    # Another block, elements of a column one after another, and a step by fmaf.
    Right(
        "hundred_product_columns_first",
        "hundred_product",
        ("int threads = 256;", "int threads = 96;"),
        ("int64_t row = id / n;", "int64_t row = id % m;"),
        ("int64_t col = id % n;", "int64_t col = id / m;"),
        ("acc += a[3] * b[3 * n];", "acc = fmaf(a[3], b[3 * n], acc);"),
    ),
)
