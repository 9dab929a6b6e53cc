"""Hold a hundredsixth family: the plain operators of a course, and their plain mistakes.

Its bases are a row vector added to each row, a difference of ints in fours, doubles to floats,
halves to signed bytes, the sigmoid of doubles, relu with a ceiling of 6, selu, the sum of each
column, a sum by warp shuffles and one block that adds up, the largest and its place by ordered
integers, log softmax a block a row, layer norm of halves, a transpose of ints by tiles, and a
product of matrices of doubles. They have 12 to 45 lines. Their mistakes are spread over
alignment, sizes, grids, block sizes, values, rounding, NaN, infinity and subnormal numbers,
outputs and inputs, sums, matrices, order, streams and what is left of an earlier call. The
causes were written before a member was judged. There are 70 wrong members and 14 right ones. On
the emulator each was run beside PyTorch, compared as a case does, called twice on the same
tensors, with NaN and with 1e3 in floating outputs (-1 and 77 in others), with tensors at either
end of their pages, the bytes behind them and their inputs looked at afterwards, on a stream
that is not the default one, with threads in order, from the last to the first and in a random
order, and in the slices that the cases name. Bases and right ones ran all cases; wrong ones
until they were wrong often enough. Of those that lack a barrier not each is wrong in every
order of threads. nvcc 13.0 compiles each base for 8.0; none was run on a GPU. Bases and right
ones are right, and all others wrong or refused by a fault:

    hundredsix_rowadd_vector_by_row         of nearly all, beyond its end if there are more rows
    hundredsix_rowadd_pitch_of_rows         unless the matrix is square or one row
    hundredsix_rowadd_blocks_rounded_down   unless 8 divides the rows
    hundredsix_rowadd_32_columns            from 33 columns on
    hundredsix_rowadd_one_too_many          of nearly all
    hundredsix_minus_out_anywhere           from 4 numbers on, by the address of out
    hundredsix_minus_whole_packs_only       where the last need a block of their own
    hundredsix_minus_swapped                where single numbers are taken
    hundredsix_minus_three_are_a_pack       if 3 numbers are left
    hundredsix_minus_by_floats              of large numbers
    hundredsix_single_toward_zero           of half of all doubles
    hundredsix_single_clamped               of infinities, of large doubles and of NaN
    hundredsix_single_no_loop               from 64 blocks on
    hundredsix_single_subnormals_to_0       of results that are subnormal
    hundredsix_single_by_half               of nearly all
    hundredsix_bytes_cut_off                of about half of all fractions
    hundredsix_bytes_ties_away              of every other tie
    hundredsix_bytes_wraps                  beyond 127 and -128
    hundredsix_bytes_odd_forgotten          of odd counts
    hundredsix_bytes_nan_to_limit           of NaN
    hundredsix_sigmoid_by_floats            of nearly all
    hundredsix_sigmoid_overflows            from about 710 on
    hundredsix_sigmoid_no_stream            on another stream than the default one
    hundredsix_sigmoid_one_too_many         unless the block size divides n
    hundredsix_sigmoid_index_of_16_bits     from 65,537 numbers on
    hundredsix_relu6_nan_is_0               of NaN
    hundredsix_relu6_anywhere               from 4 numbers on, by the addresses
    hundredsix_relu6_z_for_w                from 4 numbers on, where packs are taken
    hundredsix_relu6_packs_rounded_up       unless 4 divides n, where packs are taken
    hundredsix_relu6_no_threads_for_rest    where the rest would need a block of its own
    hundredsix_selu_exp_less_1              of small numbers below 0
    hundredsix_selu_short_alpha             of all below 0
    hundredsix_selu_scale_above_only        of all below 0
    hundredsix_selu_always_128              of other block sizes, from a second block on
    hundredsix_selu_grid_rounded_down       unless the block size divides n
    hundredsix_columns_no_barrier           where threads do not wait for another
    hundredsix_columns_adds_to_output       unless the output was 0
    hundredsix_columns_pitch_of_rows        unless the matrix is square or one row
    hundredsix_columns_first_part_left_out  of nearly all
    hundredsix_columns_no_last_columns      unless 32 divides the columns
    hundredsix_sum_tree_starts_at_8         of nearly all
    hundredsix_sum_parts_of_before          if an earlier call had more blocks
    hundredsix_sum_no_barrier               where threads do not wait for another
    hundredsix_sum_second_no_stream         on another stream than the default one
    hundredsix_sum_last_warp_left_out       from 225 numbers on
    hundredsix_largest_not_reset            from a second call on
    hundredsix_largest_bits_as_they_are     if all are negative
    hundredsix_largest_last_of_equal        if the largest is there twice
    hundredsix_largest_nan_left_out         of a NaN beside others
    hundredsix_largest_starts_at_0          if all are below 0
    hundredsix_logsoft_no_maximum           of rows that are far from 0
    hundredsix_logsoft_starts_at_0          of rows that are far below 0
    hundredsix_logsoft_maximum_forgotten    unless the largest is 0
    hundredsix_logsoft_half_a_tree          from 33 columns on
    hundredsix_logsoft_shifted_in_place     unless the largest is 0: in is overwritten
    hundredsix_norm_sum_of_halves           of rows about a large mean
    hundredsix_norm_cols_less_1             of all with few columns
    hundredsix_norm_one_warp                from 33 columns on
    hundredsix_norm_no_eps                  of rows that are all alike, and of small ones
    hundredsix_norm_beta_of_row             of nearly all
    hundredsix_turn_tile_not_turned         of nearly all
    hundredsix_turn_grid_swapped            unless the tiles are as many each way
    hundredsix_turn_no_barrier              where threads do not wait for another
    hundredsix_turn_pitch_of_cols           unless the matrix is square or has one column
    hundredsix_turn_tile_of_16_bits         beyond 16 bits
    hundredsix_product_b_by_columns         unless n or k is 1
    hundredsix_product_sum_of_floats        of large numbers
    hundredsix_product_last_of_k            of nearly all
    hundredsix_product_pitch_of_m           unless m and n are alike or m is 1
    hundredsix_product_grid_swapped         where a side needs more blocks than it gets
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case, ElementwiseMaker, elementwise_cases
from helpers.testing.references import REFERENCES
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import whole

# A row vector is added to each row; 32 threads side by side walk along a row, 8 rows a block.
ROWADD = (
    HEADER
    + """\
constexpr int kRows = 8;

__global__ void addVector(const float* x, const float* v, float* y, int rows, int cols) {
  int r = blockIdx.x * kRows + threadIdx.y;
  if (r >= rows) return;
  const float* from = x + (size_t)r * cols;
  float* to = y + (size_t)r * cols;
  for (int c = threadIdx.x; c < cols; c += 32) to[c] = from[c] + v[c];
}

extern "C" void launch(const float* x,  // [rows, cols]
                       const float* v,  // [cols]
                       float* y,        // [rows, cols]
                       int rows, int cols, cudaStream_t stream = 0) {
  dim3 block(32, kRows);
  int blocks = (rows + kRows - 1) / kRows;
  addVector<<<blocks, block, 0, stream>>>(x, v, y, rows, cols);
}
"""
)

# A difference of ints, four a thread where all three addresses allow it.
MINUS = (
    HEADER
    + """\
static bool fits(const void *p)
{
    return (uintptr_t)p % sizeof(int4) == 0;
}

__global__ void minus(const int *a, const int *b, int *out, unsigned n, bool packed)
{
    unsigned i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (packed && i + 3 < n) {
        int4 p = *(const int4 *)(a + i);
        int4 q = *(const int4 *)(b + i);
        p.x -= q.x;
        p.y -= q.y;
        p.z -= q.z;
        p.w -= q.w;
        *(int4 *)(out + i) = p;
        return;
    }
    for (unsigned j = i; j < i + 4 && j < n; j++)
        out[j] = a[j] - b[j];
}

extern "C" void launch(const int *a,  // [n]
                       const int *b,  // [n]
                       int *out,      // [n]
                       int n, int block_size = 128, cudaStream_t stream = 0)
{
    unsigned threads = ((unsigned)n + 3) / 4;
    unsigned blocks = (threads + block_size - 1) / block_size;
    bool packed = fits(a) && fits(b) && fits(out);
    minus<<<blocks, block_size, 0, stream>>>(a, b, out, n, packed);
}
"""
)

# Doubles become floats in a loop over at most 64 blocks.
SINGLE = (
    HEADER
    + """\
#define MAX_BLOCKS 64

__device__ float to_single(double d)
{
	return (float)d;
}

__global__ void cast_kernel(const double *in, float *out, size_t count)
{
	size_t step = (size_t)gridDim.x * blockDim.x;
	size_t start = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
	for (size_t i = start; i < count; i += step)
		out[i] = to_single(in[i]);
}

extern "C" void launch(const double *in,  // [n]
                       float *out,        // [n]
                       int n, int block_size = 256, cudaStream_t stream = 0)
{
	int blocks = n / block_size + (n % block_size != 0);
	if (blocks > MAX_BLOCKS)
		blocks = MAX_BLOCKS;
	cast_kernel<<<blocks, block_size, 0, stream>>>(in, out, n);
}
"""
)

# Halves become signed bytes, two a thread; the last of an odd count is the first thread's.
BYTES = (
    HEADER
    + """\
__device__ int8_t toByte(half h) {
    float f = __half2float(h);
    if (isnan(f)) return 0;
    f = rintf(f);
    if (f > 127.0f) f = 127.0f;
    if (f < -128.0f) f = -128.0f;
    return (int8_t)f;
}

__global__ void quantize(const half* x, int8_t* y, int n) {
    int pair = blockIdx.x * blockDim.x + threadIdx.x;
    if (pair < n / 2) {
        half2 h = ((const half2*)x)[pair];
        ((char2*)y)[pair] = make_char2(toByte(h.x), toByte(h.y));
    }
    if (pair == 0 && n % 2 == 1) y[n - 1] = toByte(x[n - 1]);
}

extern "C" void launch(const half* x,  // [n] 4-byte aligned
                       int8_t* y,      // [n] 2-byte aligned
                       int n, int block_size = 256, cudaStream_t stream = 0) {
    int pairs = n / 2 + n % 2;
    int blocks = (pairs - 1) / block_size + 1;
    quantize<<<blocks, block_size, 0, stream>>>(x, y, n);
}
"""
)

# The sigmoid of doubles, a number a thread.
SIGMOID = (
    HEADER
    + """\
__global__ void sigmoid(const double* __restrict__ x, double* __restrict__ y, int n)
{
  unsigned int id = blockDim.x * blockIdx.x + threadIdx.x;
  if (id < n)
  {
    double e = exp(-x[id]);
    y[id] = 1.0 / (1.0 + e);
  }
}

extern "C" void launch(const double* x,  // [n]
                       double* y,        // [n]
                       int n, int block_size = 192, cudaStream_t stream = 0)
{
  const unsigned int blocks = ((unsigned int)n + block_size - 1) / block_size;
  sigmoid<<<blocks, block_size, 0, stream>>>(x, y, n);
}
"""
)

# What is below 0 becomes 0, what is above 6 becomes 6; float4 where it may, else single ones.
RELU6 = (
    HEADER
    + """\
__device__ __forceinline__ float relu6(float v) {
  if (v < 0.f) return 0.f;
  return v > 6.f ? 6.f : v;
}

__global__ void relu6_vec(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int vecs = n / 4;
  if (i < vecs) {
    float4 v = reinterpret_cast<const float4*>(x)[i];
    v.x = relu6(v.x); v.y = relu6(v.y); v.z = relu6(v.z); v.w = relu6(v.w);
    reinterpret_cast<float4*>(y)[i] = v;
  } else if (i < vecs + n % 4) {
    int k = 4 * vecs + (i - vecs);
    y[k] = relu6(x[k]);
  }
}

__global__ void relu6_one(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = relu6(x[i]);
}

extern "C" void launch(const float* x,  // [n]
                       float* y,        // [n]
                       int n, int block_size = 256, cudaStream_t stream = 0) {
  bool vec = (uintptr_t)x % 16 == 0 && (uintptr_t)y % 16 == 0;
  int threads = vec ? n / 4 + n % 4 : n;
  int blocks = (threads - 1) / block_size + 1;
  if (vec)
    relu6_vec<<<blocks, block_size, 0, stream>>>(x, y, n);
  else
    relu6_one<<<blocks, block_size, 0, stream>>>(x, y, n);
}
"""
)

# Selu, with the constants of the paper.
SELU = (
    HEADER
    + """\
#define ALPHA 1.6732632423543772f
#define SCALE 1.0507009873554805f

__device__ float selu_of(float x) {
    float below = ALPHA * expm1f(x);
    return SCALE * (x > 0.0f ? x : below);
}

__global__ void selu(float* out, const float* in, int n) {
    int tid = threadIdx.x + blockIdx.x * blockDim.x;
    if (tid >= n) return;
    out[tid] = selu_of(in[tid]);
}

extern "C" void launch(const float* in,  // [n]
                       float* out,       // [n]
                       int n, int block_size = 128, cudaStream_t stream = 0) {
    int grid = n / block_size;
    if (n % block_size) grid++;
    selu<<<grid, block_size, 0, stream>>>(out, in, n);
}
"""
)

# The sum of each column: 8 threads of a column take every eighth row, one adds their sums up.
COLUMNS = (
    HEADER
    + """\
#define W 32
#define H 8

__global__ void col_sum(const float *m, float *total, int rows, int cols)
{
    __shared__ float part[H][W];
    int col = blockIdx.x * W + threadIdx.x;
    float acc = 0.0f;
    if (col < cols)
        for (int row = threadIdx.y; row < rows; row += H)
            acc += m[(size_t)row * cols + col];
    part[threadIdx.y][threadIdx.x] = acc;
    __syncthreads();
    if (threadIdx.y == 0 && col < cols) {
        float sum = 0.0f;
        for (int k = 0; k < H; k++)
            sum += part[k][threadIdx.x];
        total[col] = sum;
    }
}

extern "C" void launch(const float *m,  // [rows, cols]
                       float *total,    // [cols]
                       int rows, int cols, cudaStream_t stream = 0)
{
    dim3 threads(W, H);
    col_sum<<<(cols + W - 1) / W, threads, 0, stream>>>(m, total, rows, cols);
}
"""
)

# A sum by warp shuffles: a part for each block, then one block that adds the parts up.
SUM = (
    HEADER
    + """\
#define THREADS 256
#define MOST_BLOCKS 200

__device__ float parts[MOST_BLOCKS];

__device__ float warp_sum(float v) {
  for (int lanes = 16; lanes >= 1; lanes >>= 1)
    v += __shfl_down_sync(0xffffffffu, v, lanes);
  return v;
}

__device__ float block_sum(float v) {
  __shared__ float of_warp[THREADS / 32];
  v = warp_sum(v);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = v;
  __syncthreads();
  v = threadIdx.x < THREADS / 32 ? of_warp[threadIdx.x] : 0.0f;
  return warp_sum(v);
}

__global__ void sum_parts(const float* x, size_t n) {
  float v = 0.0f;
  for (size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x; i < n;
       i += (size_t)gridDim.x * THREADS)
    v += x[i];
  v = block_sum(v);
  if (threadIdx.x == 0) parts[blockIdx.x] = v;
}

__global__ void sum_up(float* out, int count) {
  float v = threadIdx.x < count ? parts[threadIdx.x] : 0.0f;
  v = block_sum(v);
  if (threadIdx.x == 0) *out = v;
}

extern "C" void launch(const float* x,  // [n]
                       float* out,      // [1]
                       int64_t n, cudaStream_t stream = 0) {
  int blocks = n / THREADS < MOST_BLOCKS ? n / THREADS + 1 : MOST_BLOCKS;
  sum_parts<<<blocks, THREADS, 0, stream>>>(x, n);
  sum_up<<<1, THREADS, 0, stream>>>(out, blocks);
}
"""
)

# The largest and its place: floats as ordered integers, above what is left of the place.
LARGEST = (
    HEADER
    + """\
typedef unsigned long long u64;

__device__ u64 best;

__device__ unsigned ordered(float f)
{
    if (f != f) return 0xffffffffu;
    unsigned u = __float_as_uint(f + 0.0f);
    return (u >> 31) ? ~u : (u | 0x80000000u);
}

__global__ void reset() { best = 0; }

__global__ void find(const float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        u64 key = ((u64)ordered(x[i]) << 32) | ~(unsigned)i;
        atomicMax(&best, key);
    }
}

__global__ void report(const float *x, float *value, int *place)
{
    int at = ~(unsigned)best;
    *value = x[at];
    *place = at;
}

extern "C" void launch(const float *x,  // [n]
                       float *value,    // [1]
                       int *place,      // [1]
                       int n, cudaStream_t stream = 0)
{
    reset<<<1, 1, 0, stream>>>();
    find<<<(n + 255) / 256, 256, 0, stream>>>(x, n);
    report<<<1, 1, 0, stream>>>(x, value, place);
}
"""
)

# Log softmax, a block a row: the largest, the sum of exponentials, the logarithm.
LOGSOFT = (
    HEADER
    + """\
const int BLOCK = 128;

__global__ void log_softmax(const float* in, float* out, int cols) {
  __shared__ float buf[BLOCK];
  const float* x = in + (size_t)blockIdx.x * cols;
  float* y = out + (size_t)blockIdx.x * cols;
  int tid = threadIdx.x;

  float most = -INFINITY;
  for (int j = tid; j < cols; j += BLOCK) most = fmaxf(most, x[j]);
  buf[tid] = most;
  __syncthreads();
  for (int s = BLOCK / 2; s; s >>= 1) {
    if (tid < s) buf[tid] = fmaxf(buf[tid], buf[tid + s]);
    __syncthreads();
  }
  most = buf[0];
  __syncthreads();

  float total = 0.0f;
  for (int j = tid; j < cols; j += BLOCK) total += expf(x[j] - most);
  buf[tid] = total;
  __syncthreads();
  for (int half_of = BLOCK / 2; half_of > 0; half_of >>= 1) {
    if (tid < half_of) buf[tid] += buf[tid + half_of];
    __syncthreads();
  }
  float lg = logf(buf[0]);
  for (int j = tid; j < cols; j += BLOCK) y[j] = x[j] - most - lg;
}

extern "C" void launch(const float* in,  // [rows, cols]
                       float* out,       // [rows, cols]
                       int rows, int cols, cudaStream_t stream = 0) {
  log_softmax<<<rows, BLOCK, 0, stream>>>(in, out, cols);
}
"""
)

# Layer norm of halves: two warps a row, all sums are floats.
NORM = (
    HEADER
    + """\
#define N_THREADS 64

__device__ float add_all(float v, float *two)
{
    for (int o = 16; o > 0; o /= 2)
        v += __shfl_xor_sync(0xffffffff, v, o);
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        two[threadIdx.x / 32] = v;
    __syncthreads();
    return two[0] + two[1];
}

__global__ void norm(const half *x, const half *gamma, const half *beta, half *y, float eps,
                     int cols)
{
    __shared__ float two[2];
    size_t first = (size_t)blockIdx.x * cols;
    float sum = 0.0f;
    for (int c = threadIdx.x; c < cols; c += N_THREADS)
        sum += __half2float(x[first + c]);
    float mean = add_all(sum, two) / cols;
    float squares = 0.0f;
    for (int c = threadIdx.x; c < cols; c += N_THREADS) {
        float d = __half2float(x[first + c]) - mean;
        squares += d * d;
    }
    float inv = rsqrtf(add_all(squares, two) / cols + eps);
    for (int c = threadIdx.x; c < cols; c += N_THREADS) {
        float d = __half2float(x[first + c]) - mean;
        float v = d * inv * __half2float(gamma[c]) + __half2float(beta[c]);
        y[first + c] = __float2half(v);
    }
}

extern "C" void launch(const half *x,      // [rows, cols]
                       const half *gamma,  // [cols]
                       const half *beta,   // [cols]
                       half *y,            // [rows, cols]
                       float eps, int rows, int cols, cudaStream_t stream = 0)
{
    norm<<<rows, N_THREADS, 0, stream>>>(x, gamma, beta, y, eps, cols);
}
"""
)

# A transpose of ints, a tile of 16 by 16 a block.
TURN = (
    HEADER
    + """\
#define TILE 16

__global__ void transpose(const int* in, int* out, int rows, int cols) {
    __shared__ int tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    if (x < cols && y < rows)
        tile[threadIdx.y][threadIdx.x] = in[(size_t)y * cols + x];
    __syncthreads();
    int ox = blockIdx.y * TILE + threadIdx.x;
    int oy = blockIdx.x * TILE + threadIdx.y;
    if (ox < rows && oy < cols)
        out[(size_t)oy * rows + ox] = tile[threadIdx.x][threadIdx.y];
}

extern "C" void launch(const int* in,  // [rows, cols]
                       int* out,       // [cols, rows]
                       int rows, int cols, cudaStream_t stream = 0) {
    dim3 block(TILE, TILE);
    dim3 grid((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
    transpose<<<grid, block, 0, stream>>>(in, out, rows, cols);
}
"""
)

# A product of matrices of doubles, a thread an element.
PRODUCT = (
    HEADER
    + """\
__global__ void dgemm(const double* A, const double* B, double* C, int M, int N, int K)
{
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M || col >= N)
    return;
  double acc = 0.0;
  for (int k = 0; k < K; ++k)
    acc += A[(size_t)row * K + k] * B[(size_t)k * N + col];
  C[(size_t)row * N + col] = acc;
}

extern "C" void launch(const double* A,  // [M, K]
                       const double* B,  // [K, N]
                       double* C,        // [M, N]
                       int M, int N, int K, cudaStream_t stream = 0)
{
  dim3 block(16, 8);
  dim3 grid((N + 15) / 16, (M + 7) / 8);
  dgemm<<<grid, block, 0, stream>>>(A, B, C, M, N, K);
}
"""
)

NAN, INF = float("nan"), float("inf")
LENGTHS = (*range(1, 71), 127, 128, 129, 255, 256, 257, 258, 511, 512, 513, 1000, 1023, 1024)
LENGTHS += (1025, 2049, 4099, 20_001)
SIDES = ((1, 1), (2, 1), (1, 2), (3, 2), (4, 31), (5, 32), (8, 33), (33, 8), (2, 64), (65, 3))
SIDES += ((7, 70), (70, 1), (9, 1), (3, 1000), (1, 4099), (64, 70), (130, 6), (40, 50))
SIDES += ((32, 32), (16, 16), (15, 17), (17, 15), (301, 2), (3, 129), (7, 128), (2, 130))
FLOAT, HALF = (torch.float32,), (torch.float16,)


def minuses(launcher: Launcher) -> Iterator[Case]:
    """Try what any difference is tried with, and slices of which only one is not aligned."""
    make = ElementwiseMaker.of(launcher, REFERENCES["subtract"])
    yield from elementwise_cases(launcher, make)
    for n in (*range(1, 71), 1000, 4099):
        yield make.random(n, 1)
        for offset in ((1, 4, 4), (4, 2, 4), (4, 4, 3), (8, 4, 4)):
            yield make.shifted(n, 2, offset)


def rowadds(launcher: Launcher) -> Iterator[Case]:
    """Add whole numbers, so that all is exact: any, a zero vector, infinities, NaN."""
    sides = (*((k, 2 * k + 1) for k in range(1, 36)), *SIDES, (1000, 33), (4099, 2))
    for rows, cols in sides:
        x = whole(-999, 1000, rows * cols, rows + cols).reshape(rows, cols).float()
        v, c = whole(-999, 1000, cols, cols).float(), torch.arange(cols)
        for label, p, q in (
            ("any", x, v),
            ("a vector of 0", x, v * 0),
            ("a matrix of 0", x * 0, v),
            ("infinities", torch.where(x > 900, INF, x), torch.where(c % 5 == 2, -INF, v)),
            ("NaN", x, torch.where(c % 3 == 1, NAN, v)),
        ):
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (p, q), (p.double() + q.double(),), dtypes=FLOAT)


def columns(launcher: Launcher) -> Iterator[Case]:
    """Add columns of whole numbers, so that all is exact: any, ones, zeros, negative, NaN."""
    sides = (*((k, 71 - k) for k in range(1, 71)), *SIDES, (1000, 33), (4099, 2))
    for rows, cols in sides:
        x = whole(-99, 100, rows * cols, rows + cols).reshape(rows, cols).float()
        r, c = torch.arange(rows)[:, None], torch.arange(cols)
        for label, m in (
            ("any", x),
            ("ones", x * 0 + 1),
            ("zeros", x * 0),
            ("negative", -x.abs() - 1),
            ("the last row alone", torch.where(r == rows - 1, 5.0, x * 0)),
            ("a NaN", torch.where((r == rows // 2) & (c == cols // 2), NAN, x)),
        ):
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (m,), (m.double().sum(0),), dtypes=FLOAT)


def largest(launcher: Launcher) -> Iterator[Case]:
    """Look for the largest and its first place: any, few values, negative, infinite, a NaN."""
    for n in LENGTHS:
        x, j = whole(-999, 1000, n, n).float() / 8, torch.arange(n)
        for label, y in (
            ("any", x),
            ("few values", x.round() % 3),
            ("all alike", x * 0 - 2.5),
            ("negative", -x.abs() - 1),
            ("tiny", (x.abs() + 1) * -1e-40),
            ("the last", torch.where(j == n - 1, 5000.0, x)),
            ("infinities", torch.where(j % 3 == 1, INF, x)),
            ("all -infinite", x * 0 - INF),
            ("a NaN", torch.where(j == n // 2, NAN, x)),
        ):
            place = y.argmax() if label == "a NaN" else (y == y.max()).int().argmax()
            right = y[place].double().reshape(1), place.reshape(1)
            yield Case(
                f"n = {n:,}, {label}",
                (y,),
                right,
                dtypes=(torch.float32, torch.int32),
                quick=n > 5000,
            )


def logsofts(launcher: Launcher) -> Iterator[Case]:
    """Take logarithms: any, equal, far above and below 0, rising, falling, a mask, a NaN."""
    for rows, cols in (*((2, k) for k in range(1, 71)), *SIDES, (3, 2_001), (513, 3)):
        n = rows * cols
        x, c = whole(-40, 41, n, n).reshape(rows, cols) / 8.0, torch.arange(cols)
        for label, y in (
            ("any", x),
            ("equal", x * 0 + 3),
            ("far above 0", x + 1000),
            ("far below 0", x - 1000),
            ("rising", x * 0 + c / 8.0),
            ("falling", x * 0 - c / 8.0),
            ("a mask", torch.where((c % 3 == 1) & (c > 0), -INF, x)),
            ("a NaN", torch.where(c == cols // 2, NAN, x)),
        ):
            y = y.float()
            right = torch.log_softmax(y.double(), 1)
            slack = 2.0**-20 * right.abs() + 2.0**-19
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            slack = (slack.nan_to_num(0.0, 0.0, 0.0),)
            yield Case(words, (y,), (right,), dtypes=FLOAT, within=slack)


def norms(launcher: Launcher) -> Iterator[Case]:
    """Norm whole numbers: any, plain, about a large mean, all alike, zeros, small, a NaN."""
    for rows, cols in (*((2, k) for k in range(1, 71)), *SIDES, (3, 2_001), (129, 130)):
        n = rows * cols
        x, c = whole(-99, 100, n, n).reshape(rows, cols), torch.arange(cols)
        gain, bias = (whole(-9, 10, cols, cols + k).double() / 4 for k in range(2))
        for label, y, g, b, eps in (
            ("any", x, gain, bias, 1.0),
            ("plain", x, gain * 0 + 1, bias * 0, 0.001),
            ("about 1,024", 1024 + x // 10, gain, bias, 0.5),
            ("all alike", x * 0 + 7, gain, bias, 0.125),
            ("zeros", x * 0, gain, bias, 0.001),
            ("small", x / 256, gain, bias, 0.25),
            ("negative", -x.abs() - 1, gain, bias, 0.5),
            ("a NaN", torch.where(c == cols // 2, NAN, x), gain, bias, 1.0),
        ):
            y, g, b = y.half(), g.half(), b.half()
            v = y.double()
            d = v - v.mean(1, keepdim=True)
            f = 1 / ((d * d).mean(1, keepdim=True) + eps).sqrt()
            right = d * f * g.double() + b.double()
            slack = 2.0**-10 * right.abs() + 2.0**-13 * (1 + b.double().abs())
            words = f"rows = {rows:,}, cols = {cols:,}, eps = {eps}, {label}"
            within = (slack.nan_to_num(0.0),)
            yield Case(words, (y, g, b), (right,), {"eps": eps}, dtypes=HALF, within=within)


def turns(launcher: Launcher) -> Iterator[Case]:
    """Transpose numbers of all 32 bits, their places, and equal ones."""
    sides = (*((k, 71 - k) for k in range(1, 71)), *SIDES, (1000, 33), (2, 20_001), (20_001, 2))
    for rows, cols in sides:
        n = rows * cols
        for label, x in (
            ("any", whole(-(2**31), 2**31, n, n)),
            ("places", torch.arange(n)),
            ("equal", torch.full((n,), -7)),
        ):
            x = x.reshape(rows, cols)
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            right = (x.T.contiguous(),)
            yield Case(words, (x.int(),), right, dtypes=(torch.int32,), quick=n > 5000)


def products(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole numbers, so that all is exact: any, large, ones, the last of k, a NaN."""
    sides = [(k, k % 9 + 1, 71 - k) for k in range(1, 71)]
    sides += [(1, 1, 1), (3, 5, 7), (16, 16, 16), (17, 15, 33), (8, 16, 5), (33, 9, 20)]
    sides += [(65, 2, 3), (2, 65, 4), (1, 300, 2), (300, 1, 2), (2, 3, 1000), (70, 40, 30)]
    for m, n, k in sides:
        a = whole(-99, 100, m * k, m + k).reshape(m, k).double()
        b = whole(-99, 100, k * n, k + n).reshape(k, n).double()
        j = torch.arange(k)
        for label, p, q in (
            ("any", a, b),
            ("large", a * 65537 + 1, b * 4099 + 1),
            ("ones", a * 0 + 1, b * 0 + 1),
            ("the last of k alone", torch.where(j == k - 1, 3.0, a * 0), b),
            ("a NaN", torch.where((j == k // 2) & (torch.arange(m) == 0)[:, None], NAN, a), b),
        ):
            words = f"m = {m}, n = {n}, k = {k}, {label}"
            yield Case(words, (p, q), (p @ q,), dtypes=(torch.float64,))


def _byte(x: torch.Tensor) -> torch.Tensor:
    return x.double().round().nan_to_num(0.0, INF, -INF).clamp(-128, 127)


def _sigmoid(x: torch.Tensor) -> torch.Tensor:
    return 1 / (1 + (-x).exp())


def _relu6(x: torch.Tensor) -> torch.Tensor:
    return x.clamp(0, 6)


def _selu(x: torch.Tensor) -> torch.Tensor:
    below = 1.6732632423543772 * x.clamp(max=0).expm1()
    return 1.0507009873554805 * torch.where(x > 0, x, below)


BASES = {
    "hundredsix_rowadd": Base(ROWADD, {"cases": rowadds}),
    "hundredsix_minus": Base(MINUS, {"cases": minuses}),
    "hundredsix_single": Base(SINGLE, {"reference": "cast"}),
    "hundredsix_bytes": Base(BYTES, {"reference": _byte}),
    "hundredsix_sigmoid": Base(SIGMOID, {"reference": _sigmoid, "ulp": 8}),
    "hundredsix_relu6": Base(RELU6, {"reference": _relu6}),
    "hundredsix_selu": Base(SELU, {"reference": _selu, "ulp": 8}),
    "hundredsix_columns": Base(COLUMNS, {"cases": columns}),
    "hundredsix_sum": Base(SUM, cases="sums"),
    "hundredsix_largest": Base(LARGEST, {"cases": largest}),
    "hundredsix_logsoft": Base(LOGSOFT, {"cases": logsofts}),
    "hundredsix_norm": Base(NORM, {"cases": norms}),
    "hundredsix_turn": Base(TURN, {"cases": turns}),
    "hundredsix_product": Base(PRODUCT, {"cases": products}),
}

WRONG = (
    # ---- rowadd
    # The vector is read by row.
    Wrong(
        "hundredsix_rowadd_vector_by_row",
        "hundredsix_rowadd",
        "sides / other element / bounds | numbers / infinity / nan",
        (
            "+ v[c];",
            "+ v[r];",
        ),
    ),
    # Rows of x are taken to be as long as there are rows.
    Wrong(
        "hundredsix_rowadd_pitch_of_rows",
        "hundredsix_rowadd",
        "sides / other element / bounds | numbers / nan / infinity",
        (
            "x + (size_t)r * cols",
            "x + (size_t)r * rows",
        ),
    ),
    # The blocks are rounded down.
    Wrong(
        "hundredsix_rowadd_blocks_rounded_down",
        "hundredsix_rowadd",
        "tail / grid / unwritten / left out / refused | nan / numbers",
        (
            "(rows + kRows - 1) / kRows",
            "rows / kRows",
        ),
    ),
    # A thread takes one column only.
    Wrong(
        "hundredsix_rowadd_32_columns",
        "hundredsix_rowadd",
        "unwritten / left out | nan / tail / numbers",
        (
            "for (int c = threadIdx.x; c < cols; c += 32) to",
            "int c = threadIdx.x;\n  if (c < cols) to",
        ),
    ),
    # A column too many is taken.
    Wrong(
        "hundredsix_rowadd_one_too_many",
        "hundredsix_rowadd",
        "bounds / tail | race / neighbour / other element / numbers",
        (
            "c < cols; c += 32",
            "c <= cols; c += 32",
        ),
    ),
    # ---- minus
    # The address of the result is not asked.
    Wrong(
        "hundredsix_minus_out_anywhere",
        "hundredsix_minus",
        "alignment",
        (
            "fits(a) && fits(b) && fits(out)",
            "fits(a) && fits(b)",
        ),
    ),
    # Only whole packs have a thread.
    Wrong(
        "hundredsix_minus_whole_packs_only",
        "hundredsix_minus",
        "tail / unwritten / left out / grid / refused | numbers",
        (
            "((unsigned)n + 3) / 4",
            "(unsigned)n / 4",
        ),
    ),
    # The single numbers are taken the other way round.
    Wrong(
        "hundredsix_minus_swapped",
        "hundredsix_minus",
        "swapped | numbers / function",
        (
            "a[j] - b[j]",
            "b[j] - a[j]",
        ),
    ),
    # A pack is taken where three numbers are left.
    Wrong(
        "hundredsix_minus_three_are_a_pack",
        "hundredsix_minus",
        "bounds / tail",
        (
            "i + 3 < n",
            "i + 2 < n",
        ),
    ),
    # One of each four goes through floats.
    Wrong(
        "hundredsix_minus_by_floats",
        "hundredsix_minus",
        "precision / narrow / rounding | numbers / whole range / infinity",
        (
            "p.y -= q.y;",
            "p.y = (int)((float)p.y - (float)q.y);",
        ),
    ),
    # ---- single
    # What does not fit is cut off.
    Wrong(
        "hundredsix_single_toward_zero",
        "hundredsix_single",
        "rounding | numbers / precision / infinity",
        (
            "(float)d",
            "__double2float_rz(d)",
        ),
    ),
    # What is beyond the largest float becomes that.
    Wrong(
        "hundredsix_single_clamped",
        "hundredsix_single",
        "infinity / nan | numbers / whole range",
        (
            "(float)d",
            "(float)fmin(fmax(d, -(double)FLT_MAX), (double)FLT_MAX)",
        ),
    ),
    # A thread takes one number, though the blocks are few.
    Wrong(
        "hundredsix_single_no_loop",
        "hundredsix_single",
        "unwritten / left out / grid | nan / tail / numbers",
        (
            "for (size_t i = start; i < count; i += step)",
            "size_t i = start;\n\tif (i < count)",
        ),
    ),
    # Subnormal floats become 0.
    Wrong(
        "hundredsix_single_subnormals_to_0",
        "hundredsix_single",
        "subnormal | numbers / sign of zero / infinity",
        (
            "\treturn (float)d;",
            "\tfloat f = (float)d;\n\treturn fabsf(f) < FLT_MIN ? 0.0f : f;",
        ),
    ),
    # Doubles go through halves.
    Wrong(
        "hundredsix_single_by_half",
        "hundredsix_single",
        "infinity / precision / rounding / narrow | numbers / subnormal / whole range",
        (
            "(float)d",
            "__half2float(__double2half(d))",
        ),
    ),
    # ---- bytes
    # What follows the point is cut off.
    Wrong(
        "hundredsix_bytes_cut_off",
        "hundredsix_bytes",
        "rounding | numbers",
        (
            "f = rintf(f);",
            "f = truncf(f);",
        ),
    ),
    # Ties go away from 0.
    Wrong(
        "hundredsix_bytes_ties_away",
        "hundredsix_bytes",
        "rounding | numbers",
        (
            "rintf(f)",
            "roundf(f)",
        ),
    ),
    # What is too large or too small wraps around.
    Wrong(
        "hundredsix_bytes_wraps",
        "hundredsix_bytes",
        "whole range / infinity | numbers",
        (
            "    if (f > 127.0f) f = 127.0f;\n"
            "    if (f < -128.0f) f = -128.0f;\n"
            "    return (int8_t)f;",
            "    return (int8_t)(int)f;",
        ),
    ),
    # The last of an odd count is forgotten.
    Wrong(
        "hundredsix_bytes_odd_forgotten",
        "hundredsix_bytes",
        "tail / unwritten / left out | numbers",
        (
            "    if (pair == 0 && n % 2 == 1) y[n - 1] = toByte(x[n - 1]);\n",
            "",
        ),
    ),
    # NaN runs into a limit.
    Wrong(
        "hundredsix_bytes_nan_to_limit",
        "hundredsix_bytes",
        "nan",
        (
            "    if (isnan(f)) return 0;\n",
            "",
        ),
        (
            "    if (f > 127.0f) f = 127.0f;\n    if (f < -128.0f) f = -128.0f;\n",
            "    f = fmaxf(fminf(f, 127.0f), -128.0f);\n",
        ),
    ),
    # ---- sigmoid
    # The exponential is that of a float.
    Wrong(
        "hundredsix_sigmoid_by_floats",
        "hundredsix_sigmoid",
        "precision | numbers / infinity / subnormal / rounding",
        (
            "exp(-x[id])",
            "expf(-(float)x[id])",
        ),
    ),
    # The exponential of x overflows above and below the line.
    Wrong(
        "hundredsix_sigmoid_overflows",
        "hundredsix_sigmoid",
        "infinity / nan | numbers",
        (
            "exp(-x[id])",
            "exp(x[id])",
        ),
        (
            "1.0 / (1.0 + e)",
            "e / (1.0 + e)",
        ),
    ),
    # The launch forgets the stream.
    Wrong(
        "hundredsix_sigmoid_no_stream",
        "hundredsix_sigmoid",
        "stream",
        (
            "block_size, 0, stream>>>",
            "block_size>>>",
        ),
    ),
    # A number too many is taken.
    Wrong(
        "hundredsix_sigmoid_one_too_many",
        "hundredsix_sigmoid",
        "bounds / tail",
        (
            "if (id < n)",
            "if (id <= n)",
        ),
    ),
    # The index has 16 bits.
    Wrong(
        "hundredsix_sigmoid_index_of_16_bits",
        "hundredsix_sigmoid",
        "narrow / unwritten / left out | nan / tail / numbers / race / twice / grid",
        (
            "  unsigned int id",
            "  unsigned short id",
        ),
    ),
    # ---- relu6
    # NaN becomes 0.
    Wrong(
        "hundredsix_relu6_nan_is_0",
        "hundredsix_relu6",
        "nan",
        (
            "  if (v < 0.f) return 0.f;\n  return v > 6.f ? 6.f : v;",
            "  return fminf(fmaxf(v, 0.f), 6.f);",
        ),
    ),
    # No address is asked.
    Wrong(
        "hundredsix_relu6_anywhere",
        "hundredsix_relu6",
        "alignment",
        (
            "(uintptr_t)x % 16 == 0 && (uintptr_t)y % 16 == 0",
            "true",
        ),
    ),
    # The third of each four is taken for the fourth, too.
    Wrong(
        "hundredsix_relu6_z_for_w",
        "hundredsix_relu6",
        "other element / neighbour / twice / left out | numbers",
        (
            "v.w = relu6(v.w)",
            "v.w = relu6(v.z)",
        ),
    ),
    # The number of packs is rounded up.
    Wrong(
        "hundredsix_relu6_packs_rounded_up",
        "hundredsix_relu6",
        "bounds / tail | alignment",
        (
            "int vecs = n / 4;",
            "int vecs = (n + 3) / 4;",
        ),
    ),
    # The threads for the rest are not counted.
    Wrong(
        "hundredsix_relu6_no_threads_for_rest",
        "hundredsix_relu6",
        "tail / unwritten / left out / grid / refused | nan / numbers",
        (
            "vec ? n / 4 + n % 4 : n",
            "vec ? n / 4 : n",
        ),
    ),
    # ---- selu
    # The exponential is taken and 1 off it.
    Wrong(
        "hundredsix_selu_exp_less_1",
        "hundredsix_selu",
        "precision | numbers / function / sign of zero / subnormal",
        (
            "expm1f(x)",
            "(expf(x) - 1.0f)",
        ),
    ),
    # Alpha has three digits.
    Wrong(
        "hundredsix_selu_short_alpha",
        "hundredsix_selu",
        "function / precision / copy | numbers",
        (
            "1.6732632423543772f",
            "1.673f",
        ),
    ),
    # The scale is for numbers above 0 only.
    Wrong(
        "hundredsix_selu_scale_above_only",
        "hundredsix_selu",
        "function | numbers",
        (
            "SCALE * (x > 0.0f ? x : below)",
            "x > 0.0f ? SCALE * x : below",
        ),
    ),
    # The block size is typed in.
    Wrong(
        "hundredsix_selu_always_128",
        "hundredsix_selu",
        "block size / unwritten / left out | nan / tail / numbers / race / grid / twice",
        (
            "blockIdx.x * blockDim.x",
            "blockIdx.x * 128",
        ),
    ),
    # The last block is not launched.
    Wrong(
        "hundredsix_selu_grid_rounded_down",
        "hundredsix_selu",
        "tail / grid / unwritten / left out / refused | nan / numbers",
        (
            "    if (n % block_size) grid++;\n",
            "",
        ),
    ),
    # ---- columns
    # Parts are added up before all are stored.
    Wrong(
        "hundredsix_columns_no_barrier",
        "hundredsix_columns",
        "race | numbers / unwritten / left out / other element / nan / state",
        (
            "    __syncthreads();\n",
            "",
        ),
    ),
    # Sums are added to what is there.
    Wrong(
        "hundredsix_columns_adds_to_output",
        "hundredsix_columns",
        "zero before / state | numbers / nan / unwritten",
        (
            "total[col] = sum;",
            "total[col] += sum;",
        ),
    ),
    # The pitch is the number of rows.
    Wrong(
        "hundredsix_columns_pitch_of_rows",
        "hundredsix_columns",
        "sides / other element / bounds | numbers / left out / nan",
        (
            "(size_t)row * cols + col",
            "(size_t)row * rows + col",
        ),
    ),
    # The parts are added up from the second on.
    Wrong(
        "hundredsix_columns_first_part_left_out",
        "hundredsix_columns",
        "left out / start | numbers / nan / tail",
        (
            "int k = 0; k < H",
            "int k = 1; k < H",
        ),
    ),
    # The blocks are rounded down.
    Wrong(
        "hundredsix_columns_no_last_columns",
        "hundredsix_columns",
        "tail / grid / unwritten / left out / refused | nan / numbers",
        (
            "(cols + W - 1) / W",
            "cols / W",
        ),
    ),
    # ---- sum
    # The shuffles start half as far as they must.
    Wrong(
        "hundredsix_sum_tree_starts_at_8",
        "hundredsix_sum",
        "left out / start | numbers / nan / infinity / other element",
        (
            "int lanes = 16;",
            "int lanes = 8;",
        ),
    ),
    # All parts are added up, those of an earlier call, too.
    Wrong(
        "hundredsix_sum_parts_of_before",
        "hundredsix_sum",
        "state / other element / left out | numbers / nan / infinity / unwritten",
        (
            "sum_up<<<1, THREADS, 0, stream>>>(out, blocks)",
            "sum_up<<<1, THREADS, 0, stream>>>(out, MOST_BLOCKS)",
        ),
    ),
    # Sums of warps are read before all are stored.
    Wrong(
        "hundredsix_sum_no_barrier",
        "hundredsix_sum",
        "race | numbers / unwritten / left out / other element / nan / state",
        (
            "  __syncthreads();\n",
            "",
        ),
    ),
    # The second launch forgets the stream.
    Wrong(
        "hundredsix_sum_second_no_stream",
        "hundredsix_sum",
        "stream",
        (
            "sum_up<<<1, THREADS, 0, stream>>>",
            "sum_up<<<1, THREADS>>>",
        ),
    ),
    # The sum of the last warp is left out.
    Wrong(
        "hundredsix_sum_last_warp_left_out",
        "hundredsix_sum",
        "left out | numbers / nan / tail / infinity",
        (
            "threadIdx.x < THREADS / 32 ?",
            "threadIdx.x < THREADS / 32 - 1 ?",
        ),
    ),
    # ---- largest
    # The best of an earlier call stays.
    Wrong(
        "hundredsix_largest_not_reset",
        "hundredsix_largest",
        "state | numbers / other element / start / bounds",
        (
            "    reset<<<1, 1, 0, stream>>>();\n",
            "",
        ),
    ),
    # Bits of negative numbers are not turned.
    Wrong(
        "hundredsix_largest_bits_as_they_are",
        "hundredsix_largest",
        "numbers / function / other element | start / infinity / left out",
        (
            "(u >> 31) ? ~u : (u | 0x80000000u)",
            "u ^ 0x80000000u",
        ),
    ),
    # Of equal ones the last wins.
    Wrong(
        "hundredsix_largest_last_of_equal",
        "hundredsix_largest",
        "other element | numbers",
        (
            "| ~(unsigned)i;",
            "| (unsigned)i;",
        ),
        (
            "~(unsigned)best",
            "(unsigned)best",
        ),
    ),
    # NaN is the least of all.
    Wrong(
        "hundredsix_largest_nan_left_out",
        "hundredsix_largest",
        "nan | numbers / left out / other element",
        (
            "return 0xffffffffu;",
            "return 1;",
        ),
    ),
    # The best starts with 0 in the first place.
    Wrong(
        "hundredsix_largest_starts_at_0",
        "hundredsix_largest",
        "start / other element / bounds | numbers / infinity / left out",
        (
            "best = 0;",
            "best = ((u64)ordered(0.0f) << 32) | 0xffffffffu;",
        ),
    ),
    # ---- logsoft
    # The exponentials are those of the numbers themselves.
    Wrong(
        "hundredsix_logsoft_no_maximum",
        "hundredsix_logsoft",
        "infinity | numbers / nan / function",
        (
            "expf(x[j] - most)",
            "expf(x[j])",
        ),
        (
            "x[j] - most - lg",
            "x[j] - lg",
        ),
    ),
    # The largest starts with 0.
    Wrong(
        "hundredsix_logsoft_starts_at_0",
        "hundredsix_logsoft",
        "start | numbers / infinity / nan",
        (
            "float most = -INFINITY;",
            "float most = 0.0f;",
        ),
    ),
    # The largest is not taken off in the end.
    Wrong(
        "hundredsix_logsoft_maximum_forgotten",
        "hundredsix_logsoft",
        "function | numbers / nan / infinity",
        (
            "x[j] - most - lg",
            "x[j] - lg",
        ),
    ),
    # The tree of sums starts too low.
    Wrong(
        "hundredsix_logsoft_half_a_tree",
        "hundredsix_logsoft",
        "left out / start | numbers / function / nan",
        (
            "half_of = BLOCK / 2;",
            "half_of = BLOCK / 4;",
        ),
    ),
    # The row is shifted where it lies.
    Wrong(
        "hundredsix_logsoft_shifted_in_place",
        "hundredsix_logsoft",
        "input | state / numbers",
        (
            "const float* in, float* out, int cols)",
            "float* in, float* out, int cols)",
        ),
        (
            "  const float* x = in",
            "  float* x = in",
        ),
        (
            "total += expf(x[j] - most);",
            "{\n    x[j] -= most;\n    total += expf(x[j]);\n  }",
        ),
        (
            "x[j] - most - lg",
            "x[j] - lg",
        ),
        (
            "(in, out, cols);",
            "((float*)in, out, cols);",
        ),
    ),
    # ---- norm
    # The first sum is a half.
    Wrong(
        "hundredsix_norm_sum_of_halves",
        "hundredsix_norm",
        "precision / rounding | numbers / infinity / left out",
        (
            "    float sum = 0.0f;",
            "    half sum = 0.0f;",
        ),
        (
            "sum += __half2float(x[first + c]);",
            "sum = __hadd(sum, x[first + c]);",
        ),
    ),
    # The squares are divided by one less.
    Wrong(
        "hundredsix_norm_cols_less_1",
        "hundredsix_norm",
        "function | numbers / infinity / nan",
        (
            "add_all(squares, two) / cols",
            "add_all(squares, two) / (cols - 1)",
        ),
    ),
    # Only the first warp counts.
    Wrong(
        "hundredsix_norm_one_warp",
        "hundredsix_norm",
        "left out | numbers / nan / twice / other element",
        (
            "two[0] + two[1]",
            "two[0]",
        ),
    ),
    # Eps is forgotten.
    Wrong(
        "hundredsix_norm_no_eps",
        "hundredsix_norm",
        "function / infinity / nan | numbers / left out / copy",
        (
            " / cols + eps",
            " / cols",
        ),
    ),
    # Beta is that of the row.
    Wrong(
        "hundredsix_norm_beta_of_row",
        "hundredsix_norm",
        "other element / sides / bounds | numbers / left out",
        (
            "beta[c]",
            "beta[blockIdx.x]",
        ),
    ),
    # ---- turn
    # The tile is not turned.
    Wrong(
        "hundredsix_turn_tile_not_turned",
        "hundredsix_turn",
        "other element / sides / unwritten | numbers / swapped / race / state",
        (
            "tile[threadIdx.x][threadIdx.y];",
            "tile[threadIdx.y][threadIdx.x];",
        ),
    ),
    # The sides of the grid are swapped.
    Wrong(
        "hundredsix_turn_grid_swapped",
        "hundredsix_turn",
        "grid / unwritten / sides / left out | numbers / tail / swapped / nan",
        (
            "((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE)",
            "((rows + TILE - 1) / TILE, (cols + TILE - 1) / TILE)",
        ),
    ),
    # The tile is read before all have stored.
    Wrong(
        "hundredsix_turn_no_barrier",
        "hundredsix_turn",
        "race | numbers / unwritten / other element / state / left out",
        (
            "    __syncthreads();\n",
            "",
        ),
    ),
    # The pitch of the result is that of the input.
    Wrong(
        "hundredsix_turn_pitch_of_cols",
        "hundredsix_turn",
        "sides / other element / bounds | numbers / unwritten / race / twice",
        (
            "(size_t)oy * rows + ox",
            "(size_t)oy * cols + ox",
        ),
    ),
    # The tile has 16 bits.
    Wrong(
        "hundredsix_turn_tile_of_16_bits",
        "hundredsix_turn",
        "narrow / whole range | numbers / precision",
        (
            "__shared__ int tile",
            "__shared__ short tile",
        ),
    ),
    # ---- product
    # B is read as if it were turned.
    Wrong(
        "hundredsix_product_b_by_columns",
        "hundredsix_product",
        "other element / sides / bounds | numbers / swapped / left out",
        (
            "B[(size_t)k * N + col]",
            "B[(size_t)col * K + k]",
        ),
    ),
    # The sum is a float.
    Wrong(
        "hundredsix_product_sum_of_floats",
        "hundredsix_product",
        "precision / rounding / narrow | numbers",
        (
            "double acc = 0.0;",
            "float acc = 0.0f;",
        ),
    ),
    # The last of k is left out.
    Wrong(
        "hundredsix_product_last_of_k",
        "hundredsix_product",
        "left out / tail | numbers / nan / start",
        (
            "k < K;",
            "k < K - 1;",
        ),
    ),
    # The pitch of C is M.
    Wrong(
        "hundredsix_product_pitch_of_m",
        "hundredsix_product",
        "sides / other element / bounds | numbers / unwritten / race / nan / twice",
        (
            "C[(size_t)row * N + col]",
            "C[(size_t)row * M + col]",
        ),
    ),
    # The sides of the grid are swapped.
    Wrong(
        "hundredsix_product_grid_swapped",
        "hundredsix_product",
        "grid / unwritten / sides / left out | numbers / tail / swapped / nan",
        (
            "grid((N + 15) / 16, (M + 7) / 8)",
            "grid((M + 7) / 8, (N + 15) / 16)",
        ),
    ),
)

RIGHT = (
    # Half as many threads walk along a row, of twice as many.
    Right(
        "hundredsix_rowadd_sixteen_lanes",
        "hundredsix_rowadd",
        (
            "kRows = 8;",
            "kRows = 16;",
        ),
        (
            "c += 32",
            "c += 16",
        ),
        (
            "block(32, kRows)",
            "block(16, kRows)",
        ),
    ),
    # The count and all indices have 64 bits.
    Right(
        "hundredsix_minus_n_of_64_bits",
        "hundredsix_minus",
        (
            "int *out, unsigned n, bool",
            "int *out, int64_t n, bool",
        ),
        (
            "unsigned i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);",
            "int64_t i = 4 * ((int64_t)blockIdx.x * blockDim.x + threadIdx.x);",
        ),
        (
            "for (unsigned j",
            "for (int64_t j",
        ),
        (
            "                       int n, int",
            "                       int64_t n, int",
        ),
        (
            "unsigned threads = ((unsigned)n + 3) / 4;",
            "int64_t threads = (n + 3) / 4;",
        ),
    ),
    # There are always 64 blocks.
    Right(
        "hundredsix_single_idle_blocks",
        "hundredsix_single",
        (
            "\tint blocks = n / block_size + (n % block_size != 0);\n"
            "\tif (blocks > MAX_BLOCKS)\n"
            "\t\tblocks = MAX_BLOCKS;\n",
            "\tint blocks = MAX_BLOCKS;\n",
        ),
    ),
    # Integers are rounded to, and limited.
    Right(
        "hundredsix_bytes_integers",
        "hundredsix_bytes",
        (
            "    f = rintf(f);\n"
            "    if (f > 127.0f) f = 127.0f;\n"
            "    if (f < -128.0f) f = -128.0f;\n"
            "    return (int8_t)f;",
            "    return (int8_t)max(-128, min(127, __half2int_rn(h)));",
        ),
    ),
    # There are at most 40 blocks, which walk on.
    Right(
        "hundredsix_sigmoid_loop_of_40_blocks",
        "hundredsix_sigmoid",
        (
            "if (id < n)",
            "for (; id < n; id += gridDim.x * blockDim.x)",
        ),
        (
            "((unsigned int)n + block_size - 1) / block_size;",
            "min(((unsigned int)n + block_size - 1) / block_size, 40u);",
        ),
    ),
    # Numbers are always taken one by one, in a grid with a spare block.
    Right(
        "hundredsix_relu6_never_packs",
        "hundredsix_relu6",
        (
            "bool vec = (uintptr_t)x % 16 == 0 && (uintptr_t)y % 16 == 0;",
            "bool vec = false;",
        ),
        (
            "(threads - 1) / block_size + 1",
            "threads / block_size + 1",
        ),
    ),
    # The count and the index have 64 bits.
    Right(
        "hundredsix_selu_n_of_64_bits",
        "hundredsix_selu",
        (
            "const float* in, int n) {",
            "const float* in, int64_t n) {",
        ),
        (
            "int tid = threadIdx.x + blockIdx.x * blockDim.x;",
            "int64_t tid = threadIdx.x + (int64_t)blockIdx.x * blockDim.x;",
        ),
        (
            "                       int n, int",
            "                       int64_t n, int",
        ),
        (
            "int grid = n",
            "int64_t grid = n",
        ),
    ),
    # The parts go down a tree.
    Right(
        "hundredsix_columns_tree",
        "hundredsix_columns",
        (
            "    if (threadIdx.y == 0 && col < cols) {\n"
            "        float sum = 0.0f;\n"
            "        for (int k = 0; k < H; k++)\n"
            "            sum += part[k][threadIdx.x];\n"
            "        total[col] = sum;\n"
            "    }",
            "    for (int h = H / 2; h > 0; h /= 2) {\n"
            "        if (threadIdx.y < h)\n"
            "            part[threadIdx.y][threadIdx.x] += part[threadIdx.y + "
            "h][threadIdx.x];\n"
            "        __syncthreads();\n"
            "    }\n"
            "    if (threadIdx.y == 0 && col < cols)\n"
            "        total[col] = part[0][threadIdx.x];",
        ),
    ),
    # The output is set to 0, and each block adds to it.
    Right(
        "hundredsix_sum_memset_and_atomics",
        "hundredsix_sum",
        (
            "__global__ void sum_parts(const float* x, size_t n) {",
            "__global__ void sum_parts(const float* x, float* out, size_t n) {",
        ),
        (
            "  if (threadIdx.x == 0) parts[blockIdx.x] = v;\n"
            "}\n"
            "\n"
            "__global__ void sum_up(float* out, int count) {\n"
            "  float v = threadIdx.x < count ? parts[threadIdx.x] : 0.0f;\n"
            "  v = block_sum(v);\n"
            "  if (threadIdx.x == 0) *out = v;\n"
            "}",
            "  if (threadIdx.x == 0) atomicAdd(out, v);\n}",
        ),
        (
            "__device__ float parts[MOST_BLOCKS];\n\n",
            "",
        ),
        (
            "  sum_parts<<<blocks, THREADS, 0, stream>>>(x, n);\n"
            "  sum_up<<<1, THREADS, 0, stream>>>(out, blocks);",
            "  cudaMemsetAsync(out, 0, sizeof(float), stream);\n"
            "  sum_parts<<<blocks, THREADS, 0, stream>>>(x, out, n);",
        ),
    ),
    # The larger key is put there by comparing and swapping.
    Right(
        "hundredsix_largest_compare_and_swap",
        "hundredsix_largest",
        (
            "        atomicMax(&best, key);",
            "        u64 seen = best;\n"
            "        while (key > seen) {\n"
            "            u64 was = atomicCAS(&best, seen, key);\n"
            "            if (was == seen)\n"
            "                break;\n"
            "            seen = was;\n"
            "        }",
        ),
    ),
    # A block has 64 threads.
    Right(
        "hundredsix_logsoft_64_threads",
        "hundredsix_logsoft",
        (
            "BLOCK = 128;",
            "BLOCK = 64;",
        ),
    ),
    # One warp has a row to itself.
    Right(
        "hundredsix_norm_warp_a_row",
        "hundredsix_norm",
        (
            "#define N_THREADS 64",
            "#define N_THREADS 32",
        ),
        (
            "    __syncthreads();\n"
            "    if (threadIdx.x % 32 == 0)\n"
            "        two[threadIdx.x / 32] = v;\n"
            "    __syncthreads();\n"
            "    return two[0] + two[1];",
            "    return v;",
        ),
        (
            "float add_all(float v, float *two)",
            "float add_all(float v)",
        ),
        (
            "    __shared__ float two[2];\n",
            "",
        ),
        (
            "add_all(sum, two)",
            "add_all(sum)",
        ),
        (
            "add_all(squares, two)",
            "add_all(squares)",
        ),
    ),
    # Nothing is shared.
    Right(
        "hundredsix_turn_no_tile",
        "hundredsix_turn",
        (
            "    __shared__ int tile[TILE][TILE + 1];\n",
            "",
        ),
        (
            "        tile[threadIdx.y][threadIdx.x] = in[(size_t)y * cols + "
            "x];\n"
            "    __syncthreads();\n"
            "    int ox = blockIdx.y * TILE + threadIdx.x;\n"
            "    int oy = blockIdx.x * TILE + threadIdx.y;\n"
            "    if (ox < rows && oy < cols)\n"
            "        out[(size_t)oy * rows + ox] = "
            "tile[threadIdx.x][threadIdx.y];",
            "        out[(size_t)x * rows + y] = in[(size_t)y * cols + x];",
        ),
    ),
    # A block is 32 by 4, and sums are fused from the end.
    Right(
        "hundredsix_product_other_block",
        "hundredsix_product",
        (
            "block(16, 8)",
            "block(32, 4)",
        ),
        (
            "grid((N + 15) / 16, (M + 7) / 8)",
            "grid((N + 31) / 32, (M + 3) / 4)",
        ),
        (
            "int k = 0; k < K; ++k",
            "int k = K - 1; k >= 0; --k",
        ),
        (
            "acc += A[(size_t)row * K + k] * B[(size_t)k * N + col];",
            "acc = fma(A[(size_t)row * K + k], B[(size_t)k * N + col], acc);",
        ),
    ),
)
