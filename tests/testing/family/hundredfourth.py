"""Hold a hundred-and-fourth family: the plain operators of a course, and their mistakes.

Its bases are a sum of two arrays of halves in packs of eight, one of doubles with a loop over
the grid, floats to halves by pairs, floats to bytes, SiLU, leaky ReLU of halves by pairs, hard
sigmoid in float4 where addresses allow it, a sum of integers by a tree and one atomic a block,
the mean of each row by shuffles, the largest absolute value by two kernels, softmax with a
block a row, layer norm with a warp a row, doubles turned by a tile of 16, and a product of
matrices by tiles of 16. Seven of them take the cases of an operator or of `kernel_cases`, two
of these with more, and seven their own. Mistakes are spread over alignment, sizes, grids,
values, rounding, NaN, infinity, inputs that are written, sums, order, streams and what is left
of an earlier call. The causes were written before a member was judged. There are 70 wrong
members and 14 right ones. On the emulator each ran on its cases, compared as a case does,
called twice on the same tensors, with NaN and other numbers in the outputs, at either end of
its pages, on another stream, with threads in order, from the last to the first and at random.
Bases and right ones ran all cases; wrong ones until they were wrong often enough. Of those that
lack a barrier not each is wrong in every order of threads, and the sum without an atomic never
was, as blocks ran one after another. nvcc 13.0 compiles each base for 8.0; none was run on a
GPU. Bases and right ones are right, and all others wrong or refused by a fault:

    hundredfour_halves_b_anywhere          from 8 numbers on, by the address of b
    hundredfour_halves_rest_too_short      unless 8 divides n
    hundredfour_halves_packs_rounded_up    unless 8 divides n
    hundredfour_halves_three_pairs         from 8 numbers on
    hundredfour_halves_no_stream           on another stream than the default one
    hundredfour_doubles_stride_of_256      at 32 to 192, from 96 blocks and one number on
    hundredfour_doubles_as_floats          of numbers that are no floats
    hundredfour_doubles_no_loop            beyond 96 blocks
    hundredfour_doubles_last_forgotten     of all sizes
    hundredfour_doubles_x_twice            of nearly all
    hundredfour_narrow_toward_zero         of half of what lies between two halves
    hundredfour_narrow_limited             beyond 65,520, and of infinity
    hundredfour_narrow_out_anywhere        from 2 numbers on, by the address of out
    hundredfour_narrow_pair_at_end         of an odd n
    hundredfour_narrow_small_are_zero      of what is a subnormal half
    hundredfour_bytes_cut_off              of fractions from a half on
    hundredfour_bytes_no_upper_end         from 255.5 on
    hundredfour_bytes_half_added           of every other tie
    hundredfour_bytes_signed_end           from 127.5 on
    hundredfour_bytes_one_too_many         unless the block size divides n
    hundredfour_silu_sign                  of all but 0
    hundredfour_silu_overflows             from about 89 on
    hundredfour_silu_in_place              of nearly all: x is overwritten
    hundredfour_silu_64_blocks             beyond 64 blocks: 4,097 numbers at 64
    hundredfour_silu_blocks_of_256         of other block sizes, from a second block on
    hundredfour_leaky_nan_lost             of NaN
    hundredfour_leaky_larger_of_two        of slopes above 1
    hundredfour_leaky_slope_a_half         of slopes that are no halves, below 0
    hundredfour_leaky_wrong_side           of nearly all
    hundredfour_leaky_odd_forgotten        of an odd n
    hundredfour_hard_one_address           from 4 numbers on, by the address of y alone
    hundredfour_hard_nan_is_limited        of NaN
    hundredfour_hard_slope_of_fifth        between -3 and 3, unless 0
    hundredfour_hard_third_again           from 4 numbers on
    hundredfour_hard_rest_begins_early     from 5 numbers on, unless 4 divides n
    hundredfour_isum_not_set               unless the output holds 0
    hundredfour_isum_quarter_tree          from 129 numbers on
    hundredfour_isum_floats                of sums of a block beyond 2^24
    hundredfour_isum_nothing_beyond_end    unless 256 divides n
    hundredfour_isum_no_atomic             from a second block on, if blocks run at once
    hundredfour_mean_three_warps           from 97 columns on
    hundredfour_mean_divided_by_rows       unless square, or the sum is 0
    hundredfour_mean_last_column           unless the last column is 0
    hundredfour_mean_no_barrier            where threads do not wait for another
    hundredfour_mean_pitch_of_threads      from 2 rows on, unless of 128 columns
    hundredfour_peak_sign_kept             if the largest is below 0
    hundredfour_peak_nan_lost              of NaN
    hundredfour_peak_warp_of_parts         from 4,096 numbers on
    hundredfour_peak_parts_of_before       if an earlier call had more blocks
    hundredfour_peak_second_no_stream      on another stream than the default one
    hundredfour_soft_overflows             of numbers beyond 88
    hundredfour_soft_no_barrier            where threads do not wait for another
    hundredfour_soft_starts_at_0           of rows that are far below 0
    hundredfour_soft_one_column            from 129 columns on
    hundredfour_soft_own_sum               from 2 columns on
    hundredfour_norm_gain_is_offset        of nearly all
    hundredfour_norm_variance_of_sample    of nearly all
    hundredfour_norm_half_a_warp           from 17 columns on, and the mean of fewer
    hundredfour_norm_squares_less_square   of rows with a mean far from 0
    hundredfour_norm_one_row_more          unless 4 divides the rows
    hundredfour_turn_pitch_of_input        unless square
    hundredfour_turn_no_barrier            where threads do not wait for another
    hundredfour_turn_grid_swapped          unless the tiles are as many each way
    hundredfour_turn_tile_of_floats        of numbers that are no floats
    hundredfour_turn_tile_not_turned       of nearly all
    hundredfour_product_whole_tiles        unless 16 divides k
    hundredfour_product_no_second_barrier  from k = 17 on, where threads do not wait
    hundredfour_product_columns_untested   unless 16 divides k: past the end of A, or of a NaN
    hundredfour_product_pitch_of_a         unless n and k are alike
    hundredfour_product_tile_of_b_turned   of nearly all
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing import kernel_cases
from helpers.testing.cases import Case, ElementwiseMaker, elementwise_cases
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import whole

# Two arrays of halves, eight numbers a thread; one more thread takes the rest.
HALVES = (
    HEADER
    + """\
struct __align__(16) Eight {
  half2 h[4];
};

__global__ void addHalves(const half* a, const half* b, half* out, int n) {
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  int packs = n / 8;
  if (p < packs) {
    Eight u = reinterpret_cast<const Eight*>(a)[p];
    Eight v = reinterpret_cast<const Eight*>(b)[p];
    for (int k = 0; k < 4; ++k) u.h[k] = __hadd2(u.h[k], v.h[k]);
    reinterpret_cast<Eight*>(out)[p] = u;
  } else if (p == packs) {
    for (int i = 8 * packs; i < n; ++i) out[i] = __hadd(a[i], b[i]);
  }
}

extern "C" void launch(const half* a,  // [n] 16-byte aligned
                       const half* b,  // [n] 16-byte aligned
                       half* out,      // [n] 16-byte aligned
                       int n, int block_size = 128, cudaStream_t stream = 0) {
  int threads = n / 8 + 1;
  int blocks = (threads + block_size - 1) / block_size;
  addHalves<<<blocks, block_size, 0, stream>>>(a, b, out, n);
}
"""
)

# Two arrays of doubles, a loop with the stride of the grid.
DOUBLES = (
    HEADER
    + """\
__global__ void add_strided(const double *x, const double *y, double *z, int64_t n)
{
    int64_t step = (int64_t)gridDim.x * blockDim.x;
    int64_t first = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (int64_t i = first; i < n; i += step)
        z[i] = x[i] + y[i];
}

extern "C" void launch(const double *x,  // [n]
                       const double *y,  // [n]
                       double *z,        // [n]
                       int64_t n, int block_size = 256, cudaStream_t stream = 0)
{
    if (n == 0)
        return;
    int64_t blocks = (n + block_size - 1) / block_size;
    if (blocks > 96)
        blocks = 96;
    add_strided<<<(unsigned)blocks, block_size, 0, stream>>>(x, y, z, n);
}
"""
)

# Floats to halves, two a thread.
NARROW = (
    HEADER
    + """\
__device__ half one(float v) { return __float2half(v); }

__global__ void narrow(const float* in, half* out, int n)
{
  int64_t i = 2 * (blockIdx.x * (int64_t)blockDim.x + threadIdx.x);
  if (i + 1 < n)
  {
    float2 v = *(const float2*)(in + i);
    *(half2*)(out + i) = __halves2half2(one(v.x), one(v.y));
  }
  else if (i < n)
  {
    out[i] = one(in[i]);
  }
}

extern "C" void launch(const float* in,  // [n] 8-byte aligned
                       half* out,        // [n] 4-byte aligned
                       int n, int block_size = 192, cudaStream_t stream = 0)
{
  int pairs = n / 2 + n % 2;
  if (pairs > 0)
    narrow<<<(pairs + block_size - 1) / block_size, block_size, 0, stream>>>(in, out, n);
}
"""
)

# Floats to bytes, to the nearest and within 0 to 255.
BYTES = (
    HEADER
    + """\
__device__ __forceinline__ uint8_t to_byte(float v)
{
	float r = rintf(v);
	r = fminf(fmaxf(r, 0.0f), 255.0f);  // 0 for NaN
	return (uint8_t)r;
}

__global__ void to_bytes(const float *src, uint8_t *dst, int n)
{
	int idx = blockDim.x * blockIdx.x + threadIdx.x;

	if (idx < n)
		dst[idx] = to_byte(src[idx]);
}

extern "C" void launch(const float *src,  // [n]
                       uint8_t *dst,      // [n]
                       int n, int block_size = 256, cudaStream_t stream = 0)
{
	int grid = n / block_size + (n % block_size != 0);

	to_bytes<<<grid, block_size, 0, stream>>>(src, dst, n);
}
"""
).replace("\t", "    ")

# x / (1 + exp(-x)), a number a thread.
SILU = (
    HEADER
    + """\
__global__ void silu_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float v = x[i];
    y[i] = v / (1.0f + expf(-v));
}

extern "C" void launch(const float* x,  // [n]
                       float* y,        // [n]
                       int n, int block_size = 256, cudaStream_t stream = 0) {
    int blocks = (n + block_size - 1) / block_size;
    silu_kernel<<<blocks, block_size, 0, stream>>>(x, y, n);
}
"""
)

# Leaky ReLU of halves, by pairs with a stride; the first thread takes an odd last one.
LEAKY = (
    HEADER
    + """\
__device__ float leak(float v, float slope) { return v < 0.0f ? slope * v : v; }

__global__ void leaky(const half2* x2, half2* y2, float slope, int n) {
  int64_t t = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  int64_t pairs = n / 2;
  for (int64_t p = t; p < pairs; p += (int64_t)gridDim.x * blockDim.x) {
    float2 f = __half22float2(x2[p]);
    f.x = leak(f.x, slope);
    f.y = leak(f.y, slope);
    y2[p] = __float22half2_rn(f);
  }
  if (t == 0 && n % 2 == 1) {
    const half* x = (const half*)x2;
    ((half*)y2)[n - 1] = __float2half(leak(__half2float(x[n - 1]), slope));
  }
}

extern "C" void launch(const half* x,  // [n] 4-byte aligned
                       half* y,        // [n] 4-byte aligned
                       float slope, int n, int block_size = 128, cudaStream_t stream = 0) {
  int blocks = n / (2 * block_size) + 1;
  if (blocks > 20) blocks = 20;
  leaky<<<blocks, block_size, 0, stream>>>((const half2*)x, (half2*)y, slope, n);
}
"""
)

# Hard sigmoid: float4 if both addresses allow it, else single numbers.
HARD = (
    HEADER
    + """\
__device__ float hard_sigmoid(float x)
{
    float t = x + 3.0f;
    if (t < 0.0f) t = 0.0f;
    if (t > 6.0f) t = 6.0f;
    return t / 6.0f;
}

__global__ void hard4(const float *x, float *y, int n)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    int packs = n / 4;
    if (p < packs) {
        float4 v = ((const float4 *)x)[p];
        v.x = hard_sigmoid(v.x);
        v.y = hard_sigmoid(v.y);
        v.z = hard_sigmoid(v.z);
        v.w = hard_sigmoid(v.w);
        ((float4 *)y)[p] = v;
    }
    if (p < n % 4) {
        int i = 4 * packs + p;
        y[i] = hard_sigmoid(x[i]);
    }
}

__global__ void hard1(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = hard_sigmoid(x[i]);
}

static bool wide(const void *p) { return (uintptr_t)p % 16 == 0; }

extern "C" void launch(const float *x,  // [n]
                       float *y,        // [n]
                       int n, int block_size = 256, cudaStream_t stream = 0)
{
    if (n == 0)
        return;
    if (wide(x) && wide(y))
        hard4<<<n / 4 / block_size + 1, block_size, 0, stream>>>(x, y, n);
    else
        hard1<<<(n + block_size - 1) / block_size, block_size, 0, stream>>>(x, y, n);
}
"""
)

# The sum of integers: a tree in each block, and one atomic of each.
ISUM = (
    HEADER
    + """\
constexpr int kThreads = 256;

__global__ void sum_int(const int* values, int* total, int n) {
  __shared__ int part[kThreads];
  const int t = threadIdx.x;
  const int i = blockIdx.x * kThreads + t;
  part[t] = i < n ? values[i] : 0;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half >>= 1) {
    if (t < half) part[t] += part[t + half];
    __syncthreads();
  }
  if (t == 0) atomicAdd(total, part[0]);
}

extern "C" void launch(const int* values,  // [n]
                       int* total,         // [1]
                       int n, cudaStream_t stream = 0) {
  cudaMemsetAsync(total, 0, sizeof(int), stream);
  const int blocks = (n + kThreads - 1) / kThreads;
  sum_int<<<blocks, kThreads, 0, stream>>>(values, total, n);
}
"""
)

# The mean of each row: a block a row, shuffles and one number a warp.
MEAN = (
    HEADER
    + """\
#define NT 128
#define FULL 0xffffffffu

__global__ void row_mean(const float *m, float *mean, int cols)
{
    __shared__ float warp_sum[NT / 32];
    const float *row = m + (size_t)blockIdx.x * cols;
    int tid = threadIdx.x;
    float s = 0.f;

    for (int c = tid; c < cols; c += NT) {
        s += row[c];
    }
    for (int o = 16; o > 0; o >>= 1) {
        s += __shfl_down_sync(FULL, s, o);
    }
    if (tid % 32 == 0) {
        warp_sum[tid / 32] = s;
    }
    __syncthreads();
    if (tid == 0) {
        float total = 0.f;
        for (int w = 0; w < NT / 32; w++) {
            total += warp_sum[w];
        }
        mean[blockIdx.x] = total / cols;
    }
}

extern "C" void launch(const float *m,  // [rows, cols]
                       float *mean,     // [rows]
                       int rows, int cols, cudaStream_t stream = 0)
{
    row_mean<<<rows, NT, 0, stream>>>(m, mean, cols);
}
"""
)

# The largest absolute value: one kernel for the parts, another for these.
PEAK = (
    HEADER
    + """\
#define MOST_PARTS 64
#define SIZE 128

__device__ float parts[MOST_PARTS];

__device__ float larger(float a, float b) { return a > b || a != a ? a : b; }

__device__ float of_block(float v) {
  __shared__ float s[SIZE];
  s[threadIdx.x] = v;
  __syncthreads();
  for (int d = SIZE / 2; d > 0; d /= 2) {
    if (threadIdx.x < d) s[threadIdx.x] = larger(s[threadIdx.x], s[threadIdx.x + d]);
    __syncthreads();
  }
  return s[0];
}

__global__ void peak_parts(const float* x, int64_t n) {
  float v = 0.0f;
  for (int64_t i = blockIdx.x * SIZE + threadIdx.x; i < n; i += gridDim.x * SIZE)
    v = larger(fabsf(x[i]), v);
  v = of_block(v);
  if (threadIdx.x == 0) parts[blockIdx.x] = v;
}

__global__ void peak_all(float* peak, int count) {
  float v = 0.0f;
  for (int k = threadIdx.x; k < count; k += SIZE) v = larger(parts[k], v);
  v = of_block(v);
  if (threadIdx.x == 0) *peak = v;
}

extern "C" void launch(const float* x,  // [n]
                       float* peak,     // [1]
                       int64_t n, cudaStream_t stream = 0) {
  int blocks = n < MOST_PARTS * SIZE ? n / SIZE + 1 : MOST_PARTS;
  peak_parts<<<blocks, SIZE, 0, stream>>>(x, n);
  peak_all<<<1, SIZE, 0, stream>>>(peak, blocks);
}
"""
)

# Softmax, a block a row: the largest, the sum, and the shares.
SOFT = (
    HEADER
    + """\
#define N 128

__global__ void soft(const float *in, float *out, int cols)
{
    __shared__ float buf[N];
    const float *x = in + (size_t)blockIdx.x * cols;
    float *y = out + (size_t)blockIdx.x * cols;
    int t = threadIdx.x;

    float top = -INFINITY;
    for (int j = t; j < cols; j += N)
        top = fmaxf(top, x[j]);
    buf[t] = top;
    __syncthreads();
    for (int k = N / 2; k >= 1; k /= 2) {
        if (t < k)
            buf[t] = fmaxf(buf[t], buf[t + k]);
        __syncthreads();
    }
    top = buf[0];
    __syncthreads();

    float sum = 0.0f;
    for (int j = t; j < cols; j += N)
        sum += expf(x[j] - top);
    buf[t] = sum;
    __syncthreads();
    for (int k = N / 2; k >= 1; k /= 2) {
        if (t < k)
            buf[t] += buf[t + k];
        __syncthreads();
    }
    sum = buf[0];

    for (int j = t; j < cols; j += N)
        y[j] = expf(x[j] - top) / sum;
}

extern "C" void launch(const float *in,  // [rows, cols]
                       float *out,       // [rows, cols]
                       int rows, int cols, cudaStream_t stream = 0)
{
    soft<<<rows, N, 0, stream>>>(in, out, cols);
}
"""
)

# Layer norm with gain and offset: a warp a row, four rows a block.
NORM = (
    HEADER
    + """\
__device__ float warpSum(float v) {
  for (int lanes = 16; lanes > 0; lanes /= 2) v += __shfl_xor_sync(0xffffffff, v, lanes);
  return v;
}

__global__ void layerNorm(const float* x, const float* gamma, const float* beta, float* y,
                          int rows, int cols, float eps) {
  int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  const float* in = x + (size_t)row * cols;

  float sum = 0.0f;
  for (int c = threadIdx.x; c < cols; c += 32) sum += in[c];
  float mean = warpSum(sum) / cols;

  float squares = 0.0f;
  for (int c = threadIdx.x; c < cols; c += 32) {
    float d = in[c] - mean;
    squares += d * d;
  }
  float variance = warpSum(squares) / cols;
  float inverse = 1.0f / sqrtf(variance + eps);

  for (int c = threadIdx.x; c < cols; c += 32)
    y[(size_t)row * cols + c] = (in[c] - mean) * inverse * gamma[c] + beta[c];
}

extern "C" void launch(const float* x,      // [rows, cols]
                       const float* gamma,  // [cols]
                       const float* beta,   // [cols]
                       float* y,            // [rows, cols]
                       int rows, int cols, float eps = 1e-5f, cudaStream_t stream = 0) {
  dim3 block(32, 4);
  int blocks = (rows + 3) / 4;
  layerNorm<<<blocks, block, 0, stream>>>(x, gamma, beta, y, rows, cols, eps);
}
"""
)

# A matrix of doubles turned by a tile of 16 x 16.
TURN = (
    HEADER
    + """\
#define TILE 16

__global__ void turn(const double *in, double *out, int rows, int cols)
{
    __shared__ double tile[TILE][TILE + 1];

    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    if (x < cols && y < rows)
        tile[threadIdx.y][threadIdx.x] = in[(size_t)y * cols + x];
    __syncthreads();

    int u = blockIdx.y * TILE + threadIdx.x;
    int v = blockIdx.x * TILE + threadIdx.y;
    if (u < rows && v < cols)
        out[(size_t)v * rows + u] = tile[threadIdx.x][threadIdx.y];
}

extern "C" void launch(const double *in,  // [rows, cols]
                       double *out,       // [cols, rows]
                       int rows, int cols, cudaStream_t stream = 0)
{
    dim3 threads(TILE, TILE);
    dim3 grid((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
    turn<<<grid, threads, 0, stream>>>(in, out, rows, cols);
}
"""
)

# A product of matrices by tiles of 16 x 16.
PRODUCT = (
    HEADER
    + """\
const int S = 16;

__global__ void product(const float* A, const float* B, float* C, int m, int n, int k) {
    __shared__ float As[S][S];
    __shared__ float Bs[S][S];
    int tx = threadIdx.x, ty = threadIdx.y;
    int across = (n + S - 1) / S;
    int row = blockIdx.x / across * S + ty;
    int col = blockIdx.x % across * S + tx;
    float acc = 0.0f;
    for (int step = 0; step < (k + S - 1) / S; step++) {
        int ka = step * S + tx;
        int kb = step * S + ty;
        As[ty][tx] = (row < m && ka < k) ? A[(size_t)row * k + ka] : 0.0f;
        Bs[ty][tx] = (kb < k && col < n) ? B[(size_t)kb * n + col] : 0.0f;
        __syncthreads();
        for (int q = 0; q < S; q++) {
            acc += As[ty][q] * Bs[q][tx];
        }
        __syncthreads();
    }
    if (row < m && col < n) {
        C[(size_t)row * n + col] = acc;
    }
}

extern "C" void launch(const float* A,  // [m, k]
                       const float* B,  // [k, n]
                       float* C,        // [m, n]
                       int m, int n, int k, cudaStream_t stream = 0) {
    int tiles = ((m + S - 1) / S) * ((n + S - 1) / S);
    product<<<tiles, dim3(S, S), 0, stream>>>(A, B, C, m, n, k);
}
"""
)

NAN, INF = float("nan"), float("inf")
LENGTHS = (*range(1, 71), 95, 96, 97, 127, 128, 129, 255, 256, 257, 383, 384, 385, 511, 512)
LENGTHS += (513, 1000, 1023, 1024, 1025, 2047, 2049, 4096, 4099)
SIDES = ((1, 1), (2, 1), (1, 2), (3, 2), (4, 31), (5, 32), (8, 33), (33, 8), (2, 64), (65, 3))
SIDES += ((9, 70), (70, 1), (3, 1000), (1, 4099), (16, 16), (17, 15), (15, 17), (64, 48))
SIDES += ((301, 2), (3, 129), (7, 128), (5, 63), (130, 6), (2, 127), (40, 100), (1, 97))
FLOAT, HALF, INT = (torch.float32,), (torch.float16,), (torch.int32,)


def bytes_of(launcher: Launcher) -> Iterator[Case]:
    """Round to bytes: any, between two, beyond both ends, infinities, NaN."""
    for n in (*LENGTHS, 9_001, 100_003):
        x, j = whole(-64, 1100, n, n), torch.arange(n)
        for label, y in (
            ("any", x / 4),
            ("between two", x % 256 + 0.5),
            ("near the ends", torch.where(j % 2 == 0, x % 9 / 4 - 1.0, x % 9 / 4 + 254.0)),
            ("beyond the ends", x * 100.0 - 50_000.0),
            ("infinities", torch.where(j % 3 == 1, INF * (1 - j % 2 * 2), x / 4)),
            ("NaN", torch.where(j % 3 == 1, NAN, x / 4)),
        ):
            y = y.float()
            right = y.double().round().nan_to_num(0.0, INF, -INF).clamp(0, 255)
            for block_size in (256, 32, 100) if n < 9000 else (256,):
                scalars = {"block_size": block_size}
                options = {"dtypes": (torch.uint8,), "quick": n > 5000}
                yield Case(f"n = {n:,}, {scalars}, {label}", (y,), (right,), scalars, **options)


def silus(launcher: Launcher) -> Iterator[Case]:
    """Take usual, small and large numbers, far below 0, zeros, infinity, NaN."""
    for n in (*LENGTHS, 9_001, 70_003):
        x, j = whole(-999, 1000, n, n).float() / 128, torch.arange(n)
        for label, y in (
            ("usual", x),
            ("small", x / 8192),
            ("large", x.abs() * 100),
            ("below 0", -x.abs() * 8),
            ("zeros", torch.where(j % 2 == 1, 0.0, -0.0)),
            ("infinity", torch.where(j % 2 == 1, INF, x)),
            ("NaN", torch.where(j % 3 == 1, NAN, x)),
        ):
            v = y.double()
            right = v * v.sigmoid()
            slack = ((2.0**-20 * right.abs()).nan_to_num(0.0, 0.0) + 2.0**-120 * (v != 0),)
            for block_size in (256, 64, 512):
                scalars = {"block_size": block_size}
                options = {"dtypes": FLOAT, "within": slack, "quick": n > 5000}
                yield Case(f"n = {n:,}, {scalars}, {label}", (y,), (right,), scalars, **options)


def leaks(launcher: Launcher) -> Iterator[Case]:
    """Leak, where only the last step rounds: several slopes, zeros, infinities, NaN."""
    for n in (*LENGTHS, 9_001, 20_003):
        x, j = whole(-2047, 2048, n, n) / 32, torch.arange(n)
        for label, y, slope in (
            ("usual", x, 0.125),
            ("a fine slope", x, 4917 / 16384),
            ("a steep slope", x, 2.5),
            ("a negative slope", x, -0.5),
            ("slope 0", x, 0.0),
            ("all below 0", -x.abs() - 1, 0.25),
            ("zeros", torch.where(j % 2 == 1, 0.0, -0.0), 0.25),
            ("infinities", torch.where(j % 3 == 1, INF * (1 - j % 2 * 2), x), 0.25),
            ("NaN", torch.where(j % 3 == 1, NAN, x), 0.25),
        ):
            y = y.half()
            v = y.double()
            right = torch.where(v < 0, slope * v, v)
            for block_size in (128, 32):
                scalars = {"slope": slope, "block_size": block_size}
                options = {"dtypes": HALF, "quick": n > 5000}
                yield Case(f"n = {n:,}, {scalars}, {label}", (y,), (right,), scalars, **options)
            if n < 200 and label == "usual":
                words, more = f"n = {n:,}, slices from (2, 4)", {**options, "offset": (2, 4)}
                yield Case(words, (y,), (right,), {"slope": slope}, **more)


def totals(launcher: Launcher) -> Iterator[Case]:
    """Add integers: any, ones, negative, large, zeros, the last alone."""
    for n in (*LENGTHS, 9_001, 50_001, 100_000):
        x, j = whole(-99, 100, n, n), torch.arange(n)
        for label, y in (
            ("any", x),
            ("ones", x * 0 + 1),
            ("negative", -x.abs() - 1),
            ("large", torch.where(j % 2 == 0, 1_000_000_007, -1_000_000_000) + x),
            ("zeros", x * 0),
            ("the last alone", torch.where(j == n - 1, 7, 0)),
        ):
            right, options = y.sum().reshape(1), {"dtypes": INT, "quick": n > 5000}
            yield Case(f"n = {n:,}, {label}", (y.int(),), (right,), **options)


def means(launcher: Launcher) -> Iterator[Case]:
    """Average whole numbers, so that sums are exact: any, zeros, negative, one, NaN."""
    for rows, cols in (*SIDES, *((2, c) for c in range(3, 70)), (3, 20_001), (1000, 3)):
        n = rows * cols
        x, c = whole(-99, 100, n, n).reshape(rows, cols).double(), torch.arange(cols)
        for label, y in (
            ("any", x),
            ("zeros", x * 0),
            ("negative", -x.abs() - 1),
            ("the last alone", torch.where(c == cols - 1, 50.0, 0 * x)),
            ("one row of zeros", torch.where(torch.arange(rows)[:, None] == 0, 0 * x, x)),
            ("infinity", torch.where(c == cols // 2, INF, x)),
            ("a NaN in a row", torch.where((x % 9 == 4) & (c == cols // 2), NAN, x)),
        ):
            words, options = f"rows = {rows:,}, cols = {cols:,}, {label}", {"quick": n > 5000}
            yield Case(words, (y.float(),), (y.mean(1),), ulp=1, dtypes=FLOAT, **options)


def norms(launcher: Launcher) -> Iterator[Case]:
    """Norm whole numbers: any, plain, small, about a large mean, one apart, a NaN."""
    for rows, cols in (*SIDES, *((3, c) for c in range(3, 70)), (3, 2_001), (1001, 5)):
        n = rows * cols
        x, c = whole(-99, 100, n, n).reshape(rows, cols), torch.arange(cols)
        gain, shift = (whole(-9, 10, cols, cols + k).double() / 4 for k in range(2))
        for label, y, g, b, eps in (
            ("any", x, gain, shift, 1e-5),
            ("plain", x, gain * 0 + 1, shift * 0, 0.001),
            ("small", x / 1024, gain, shift, 0.25),
            ("about 4,096", 4096 + x // 10, gain, shift, 0.5),
            ("negative only", -x.abs() - 1, gain, shift, 0.125),
            ("one apart", torch.where(c == cols // 3, 1032, x * 0 + 1024), gain, shift, 0.125),
            ("zeros", x * 0, gain, shift, 1e-5),
            ("a NaN in a row", torch.where((x % 9 == 4) & (c == 0), NAN, x), gain, shift, 1.0),
        ):
            v = y.double()
            d = v - v.mean(1, keepdim=True)
            f = 1 / ((d * d).mean(1, keepdim=True) + eps).sqrt()
            right = d * f * g + b
            fine = 2.0**-14 * (d * f * g).abs() + 2.0**-21 * f * v.abs().amax(1, True) * g.abs()
            slack = ((2.0**-21 * (right.abs() + b.abs()) + fine + 2.0**-24).nan_to_num(0.0),)
            words = f"rows = {rows:,}, cols = {cols:,}, eps = {eps}, {label}"
            options = {"dtypes": FLOAT, "within": slack, "quick": n > 5000}
            inputs = (y.float(), g.float(), b.float())
            yield Case(words, inputs, (right,), {"eps": eps}, **options)


def turns(launcher: Launcher) -> Iterator[Case]:
    """Turn matrices: random numbers of all 53 bits, places, special values."""
    for rows, cols in (*SIDES, (1, 9_001), (9_001, 1), (3, 5_003), (515, 129), (300, 31)):
        n = rows * cols
        x = torch.randn(n, generator=torch.Generator().manual_seed(n)).double() / 3
        special = torch.tensor([NAN, INF, -INF, 0.0, -0.0, 5e-324, 1e308]).double()
        for label, y in (
            ("random", x),
            ("places", torch.arange(n).double()),
            ("special", special.repeat(n // 7 + 1)[:n]),
        ):
            y = y.reshape(rows, cols)
            words, options = f"rows = {rows:,}, cols = {cols:,}, {label}", {"quick": n > 5000}
            right = y.T.contiguous()
            yield Case(words, (y,), (right,), dtypes=(torch.float64,), **options)


def _hard_sigmoid(x: torch.Tensor) -> torch.Tensor:
    return (x + 3).clamp(0, 6) / 6


def hards(launcher: Launcher) -> Iterator[Case]:
    """Take the cases of an operator, and slices of which one alone is aligned."""
    make = ElementwiseMaker.of(launcher, _hard_sigmoid, 1)
    yield from elementwise_cases(launcher, make)
    for n in LENGTHS:
        for starts in ((4, 1), (2, 4), (4, 4)):
            yield make.shifted(n, n, starts)


def _peak(x: torch.Tensor) -> torch.Tensor:
    return x.abs().max()


def peaks(launcher: Launcher) -> Iterator[Case]:
    """Take the cases of a function of a whole array, and negative, infinite and NaN ones."""
    for n in (*LENGTHS, 9_001, 100_003):
        x, j = whole(-999, 1000, n, n).float() / 8, torch.arange(n)
        for label, y in (
            ("any", x),
            ("negative only", -x.abs() - 1),
            ("zeros", x * 0),
            ("the last alone", torch.where(j == n - 1, -7.0, 0.0)),
            ("an infinity", torch.where(j == n // 2, -INF, x)),
            ("a NaN", torch.where(j == n // 2, NAN, x)),
            ("a NaN at the end", torch.where(j == n - 1, NAN, x)),
        ):
            right, options = _peak(y.double()).reshape(1), {"quick": n > 5000}
            yield Case(f"n = {n:,}, {label}", (y,), (right,), dtypes=FLOAT, **options)
    yield from kernel_cases.whole_array(_peak)(launcher)


BASES = {
    "hundredfour_halves": Base(HALVES, {"reference": "add"}),
    "hundredfour_doubles": Base(DOUBLES, {"reference": "add"}),
    "hundredfour_narrow": Base(NARROW, {"reference": "cast"}),
    "hundredfour_bytes": Base(BYTES, {"cases": bytes_of}),
    "hundredfour_silu": Base(SILU, {"cases": silus}),
    "hundredfour_leaky": Base(LEAKY, {"cases": leaks}),
    "hundredfour_hard": Base(HARD, {"cases": hards}),
    "hundredfour_isum": Base(ISUM, {"cases": totals}),
    "hundredfour_mean": Base(MEAN, {"cases": means}),
    "hundredfour_peak": Base(PEAK, {"cases": peaks}),
    "hundredfour_soft": Base(SOFT, cases="softmax"),
    "hundredfour_norm": Base(NORM, {"cases": norms}),
    "hundredfour_turn": Base(TURN, {"cases": turns}),
    "hundredfour_product": Base(PRODUCT, cases="matmul"),
}

WRONG = (
    # ---- halves
    # The second array may lie anywhere.
    Wrong(
        "hundredfour_halves_b_anywhere",
        "hundredfour_halves",
        "alignment",
        ("const half* b,  // [n] 16-byte aligned", "const half* b,  // [n]"),
    ),
    # The rest ends before the last number.
    Wrong(
        "hundredfour_halves_rest_too_short",
        "hundredfour_halves",
        "tail / unwritten / left out | nan / numbers",
        ("i < n; ++i", "i < n - 1; ++i"),
    ),
    # The number of packs is rounded up.
    Wrong(
        "hundredfour_halves_packs_rounded_up",
        "hundredfour_halves",
        "bounds / tail | alignment",
        ("int packs = n / 8;", "int packs = (n + 7) / 8;"),
    ),
    # Of four pairs three are added.
    Wrong(
        "hundredfour_halves_three_pairs",
        "hundredfour_halves",
        "left out / copy | numbers / function",
        ("k < 4; ++k", "k < 3; ++k"),
    ),
    # The launch forgets the stream.
    Wrong(
        "hundredfour_halves_no_stream",
        "hundredfour_halves",
        "stream",
        ("<<<blocks, block_size, 0, stream>>>", "<<<blocks, block_size>>>"),
    ),
    # ---- doubles
    # The stride has the usual block size.
    Wrong(
        "hundredfour_doubles_stride_of_256",
        "hundredfour_doubles",
        "block size / unwritten / left out | grid / nan / tail / numbers",
        ("(int64_t)gridDim.x * blockDim.x;", "(int64_t)gridDim.x * 256;"),
    ),
    # Numbers are added as floats.
    Wrong(
        "hundredfour_doubles_as_floats",
        "hundredfour_doubles",
        "precision | numbers / infinity / subnormal / rounding / narrow / whole range",
        ("z[i] = x[i] + y[i];", "z[i] = (float)x[i] + (float)y[i];"),
    ),
    # Blocks have a limit, and there is no loop.
    Wrong(
        "hundredfour_doubles_no_loop",
        "hundredfour_doubles",
        "grid / unwritten / left out | nan / tail / numbers",
        (
            "    for (int64_t i = first; i < n; i += step)\n",
            "    int64_t i = first;\n    if (i < n)\n",
        ),
    ),
    # The loop ends before the last number.
    Wrong(
        "hundredfour_doubles_last_forgotten",
        "hundredfour_doubles",
        "tail / unwritten / left out | nan / numbers",
        ("i < n; i += step", "i < n - 1; i += step"),
    ),
    # The first array is added to itself.
    Wrong(
        "hundredfour_doubles_x_twice",
        "hundredfour_doubles",
        "left out / twice / function / swapped | numbers",
        ("z[i] = x[i] + y[i];", "z[i] = x[i] + x[i];"),
    ),
    # ---- narrow
    # What lies between two halves goes toward 0.
    Wrong(
        "hundredfour_narrow_toward_zero",
        "hundredfour_narrow",
        "rounding | numbers / infinity",
        ("return __float2half(v);", "return __float2half_rz(v);"),
    ),
    # What is too large becomes the largest half.
    Wrong(
        "hundredfour_narrow_limited",
        "hundredfour_narrow",
        "infinity / whole range | numbers",
        (
            "{ return __float2half(v); }",
            "{\n  if (v > 65504.0f) v = 65504.0f;\n  if (v < -65504.0f) v = -65504.0f;\n"
            "  return __float2half(v);\n}",
        ),
    ),
    # The halves may lie anywhere.
    Wrong(
        "hundredfour_narrow_out_anywhere",
        "hundredfour_narrow",
        "alignment",
        ("half* out,        // [n] 4-byte aligned", "half* out,        // [n]"),
    ),
    # A pair is taken where one number is left.
    Wrong(
        "hundredfour_narrow_pair_at_end",
        "hundredfour_narrow",
        "bounds / tail | alignment",
        ("if (i + 1 < n)", "if (i < n)"),
    ),
    # What is below the least normal half becomes 0.
    Wrong(
        "hundredfour_narrow_small_are_zero",
        "hundredfour_narrow",
        "subnormal | numbers / sign of zero / rounding",
        (
            "{ return __float2half(v); }",
            "{ return __float2half(fabsf(v) < 6.1035e-5f ? 0.0f : v); }",
        ),
    ),
    # ---- bytes
    # The fraction is cut off.
    Wrong(
        "hundredfour_bytes_cut_off",
        "hundredfour_bytes",
        "rounding | numbers",
        ("float r = rintf(v);", "float r = v;"),
    ),
    # Nothing limits what is above 255.
    Wrong(
        "hundredfour_bytes_no_upper_end",
        "hundredfour_bytes",
        "whole range | numbers / infinity",
        ("r = fminf(fmaxf(r, 0.0f), 255.0f);", "r = fmaxf(r, 0.0f);"),
        ("return (uint8_t)r;", "return (uint8_t)(int)r;"),
    ),
    # One half is added before the fraction is cut off.
    Wrong(
        "hundredfour_bytes_half_added",
        "hundredfour_bytes",
        "rounding | numbers",
        ("rintf(v)", "floorf(v + 0.5f)"),
    ),
    # The upper end is that of signed bytes.
    Wrong(
        "hundredfour_bytes_signed_end",
        "hundredfour_bytes",
        "whole range / infinity / function | numbers",
        ("255.0f", "127.0f"),
    ),
    # The index may be n.
    Wrong(
        "hundredfour_bytes_one_too_many",
        "hundredfour_bytes",
        "bounds | tail",
        ("if (idx < n)", "if (idx <= n)"),
    ),
    # ---- silu
    # The exponent has the wrong sign.
    Wrong(
        "hundredfour_silu_sign",
        "hundredfour_silu",
        "function | numbers / infinity / nan",
        ("expf(-v)", "expf(v)"),
    ),
    # Numerator and denominator overflow.
    Wrong(
        "hundredfour_silu_overflows",
        "hundredfour_silu",
        "infinity | nan / numbers / precision / function",
        ("v / (1.0f + expf(-v))", "v * expf(v) / (1.0f + expf(v))"),
    ),
    # The result goes to the input as well.
    Wrong(
        "hundredfour_silu_in_place",
        "hundredfour_silu",
        "input | state / numbers",
        ("silu_kernel(const float* __restrict__ x", "silu_kernel(float* x"),
        (
            "    y[i] = v / (1.0f + expf(-v));",
            "    x[i] = v / (1.0f + expf(-v));\n    y[i] = x[i];",
        ),
        ("stream>>>(x, y, n)", "stream>>>((float*)x, y, n)"),
    ),
    # The number of blocks is limited, without a loop.
    Wrong(
        "hundredfour_silu_64_blocks",
        "hundredfour_silu",
        "grid / unwritten / left out | nan / tail / numbers",
        (
            "block_size - 1) / block_size;",
            "block_size - 1) / block_size;\n    if (blocks > 64) blocks = 64;",
        ),
    ),
    # The block size stands in the index.
    Wrong(
        "hundredfour_silu_blocks_of_256",
        "hundredfour_silu",
        "block size | unwritten / left out / nan / numbers / tail / bounds",
        ("blockIdx.x * blockDim.x", "blockIdx.x * 256"),
    ),
    # ---- leaky
    # What is not above 0 is limited, which makes 0 of NaN.
    Wrong(
        "hundredfour_leaky_nan_lost",
        "hundredfour_leaky",
        "nan | numbers",
        (
            "v < 0.0f ? slope * v : v;",
            "v >= 0.0f ? v : slope * fminf(v, 0.0f);",
        ),
    ),
    # The larger of the two is taken, which a steep slope turns round.
    Wrong(
        "hundredfour_leaky_larger_of_two",
        "hundredfour_leaky",
        "function | numbers / nan / infinity / sign of zero",
        ("v < 0.0f ? slope * v : v;", "fmaxf(v, slope * v);"),
    ),
    # The slope is rounded to a half.
    Wrong(
        "hundredfour_leaky_slope_a_half",
        "hundredfour_leaky",
        "rounding / precision | numbers",
        ("? slope * v", "? __half2float(__float2half(slope)) * v"),
    ),
    # The slope is for what is above 0.
    Wrong(
        "hundredfour_leaky_wrong_side",
        "hundredfour_leaky",
        "function / swapped | numbers",
        ("v < 0.0f ? slope * v : v;", "v < 0.0f ? v : slope * v;"),
    ),
    # An odd last number is forgotten.
    Wrong(
        "hundredfour_leaky_odd_forgotten",
        "hundredfour_leaky",
        "tail / unwritten / left out | nan / numbers",
        ("(half2*)y, slope, n);", "(half2*)y, slope, n / 2 * 2);"),
    ),
    # ---- hard
    # One of two addresses is tested.
    Wrong(
        "hundredfour_hard_one_address",
        "hundredfour_hard",
        "alignment",
        ("if (wide(x) && wide(y))", "if (wide(x))"),
    ),
    # The limits swallow NaN.
    Wrong(
        "hundredfour_hard_nan_is_limited",
        "hundredfour_hard",
        "nan",
        (
            "    if (t < 0.0f) t = 0.0f;\n    if (t > 6.0f) t = 6.0f;\n",
            "    t = fminf(fmaxf(t, 0.0f), 6.0f);\n",
        ),
    ),
    # The slope is 0.2, as elsewhere.
    Wrong(
        "hundredfour_hard_slope_of_fifth",
        "hundredfour_hard",
        "function | numbers / precision",
        (
            "    float t = x + 3.0f;\n    if (t < 0.0f) t = 0.0f;\n"
            "    if (t > 6.0f) t = 6.0f;\n"
            "    return t / 6.0f;\n",
            "    float t = 0.2f * x + 0.5f;\n    if (t < 0.0f) t = 0.0f;\n"
            "    if (t > 1.0f) t = 1.0f;\n    return t;\n",
        ),
    ),
    # The last of four is that of the third.
    Wrong(
        "hundredfour_hard_third_again",
        "hundredfour_hard",
        "other element / neighbour / left out | numbers / function",
        ("hard_sigmoid(v.w)", "hard_sigmoid(v.z)"),
    ),
    # The rest begins at the number of packs.
    Wrong(
        "hundredfour_hard_rest_begins_early",
        "hundredfour_hard",
        "tail / unwritten / left out | nan / numbers / other element",
        ("int i = 4 * packs + p;", "int i = packs + p;"),
    ),
    # ---- isum
    # The total is not set before.
    Wrong(
        "hundredfour_isum_not_set",
        "hundredfour_isum",
        "zero before / state / start | numbers",
        ("  cudaMemsetAsync(total, 0, sizeof(int), stream);\n", ""),
    ),
    # The tree begins with a quarter.
    Wrong(
        "hundredfour_isum_quarter_tree",
        "hundredfour_isum",
        "left out | numbers",
        ("int half = kThreads / 2;", "int half = kThreads / 4;"),
    ),
    # The tree adds floats.
    Wrong(
        "hundredfour_isum_floats",
        "hundredfour_isum",
        "precision / narrow | numbers / whole range / rounding / infinity",
        ("__shared__ int part", "__shared__ float part"),
        ("atomicAdd(total, part[0])", "atomicAdd(total, (int)part[0])"),
    ),
    # Threads beyond the end set nothing.
    Wrong(
        "hundredfour_isum_nothing_beyond_end",
        "hundredfour_isum",
        "unwritten / tail / start / bounds | numbers / state / race / twice / other element",
        ("part[t] = i < n ? values[i] : 0;", "if (i < n) part[t] = values[i];"),
    ),
    # Blocks add without an atomic.
    Wrong(
        "hundredfour_isum_no_atomic",
        "hundredfour_isum",
        "race | numbers / left out",
        ("atomicAdd(total, part[0]);", "*total += part[0];"),
    ),
    # ---- mean
    # The sum of the last warp is not taken.
    Wrong(
        "hundredfour_mean_three_warps",
        "hundredfour_mean",
        "left out | numbers / tail",
        ("w < NT / 32; w++", "w < NT / 32 - 1; w++"),
    ),
    # The sum is divided by the number of rows.
    Wrong(
        "hundredfour_mean_divided_by_rows",
        "hundredfour_mean",
        "function / sides | numbers",
        ("total / cols;", "total / gridDim.x;"),
    ),
    # The last column is not read.
    Wrong(
        "hundredfour_mean_last_column",
        "hundredfour_mean",
        "left out / tail | numbers",
        ("c < cols; c += NT", "c < cols - 1; c += NT"),
    ),
    # The sums of warps are read before all are stored.
    Wrong(
        "hundredfour_mean_no_barrier",
        "hundredfour_mean",
        "race | numbers / unwritten / left out / nan / state",
        ("    __syncthreads();\n", ""),
    ),
    # Rows begin at the number of threads.
    Wrong(
        "hundredfour_mean_pitch_of_threads",
        "hundredfour_mean",
        "sides / other element / bounds / block size | numbers / left out",
        ("m + (size_t)blockIdx.x * cols;", "m + (size_t)blockIdx.x * NT;"),
    ),
    # ---- peak
    # The sign is kept.
    Wrong(
        "hundredfour_peak_sign_kept",
        "hundredfour_peak",
        "function / left out | numbers / start / whole range / sign of zero / infinity",
        ("v = larger(fabsf(x[i]), v);", "v = larger(x[i], v);"),
    ),
    # NaN is not the larger one.
    Wrong(
        "hundredfour_peak_nan_lost",
        "hundredfour_peak",
        "nan",
        ("{ return a > b || a != a ? a : b; }", "{ return fmaxf(a, b); }"),
    ),
    # Only the first 32 parts are taken.
    Wrong(
        "hundredfour_peak_warp_of_parts",
        "hundredfour_peak",
        "left out | numbers / tail / grid",
        (
            "peak_all<<<1, SIZE, 0, stream>>>(peak, blocks);",
            "peak_all<<<1, SIZE, 0, stream>>>(peak, blocks < 32 ? blocks : 32);",
        ),
    ),
    # All parts are taken, also those of an earlier call.
    Wrong(
        "hundredfour_peak_parts_of_before",
        "hundredfour_peak",
        "state | numbers / nan / infinity / other element / unwritten / start",
        ("(peak, blocks);", "(peak, MOST_PARTS);"),
    ),
    # The second kernel is not on the stream.
    Wrong(
        "hundredfour_peak_second_no_stream",
        "hundredfour_peak",
        "stream",
        ("peak_all<<<1, SIZE, 0, stream>>>", "peak_all<<<1, SIZE>>>"),
    ),
    # ---- soft
    # The largest is not taken away.
    Wrong(
        "hundredfour_soft_overflows",
        "hundredfour_soft",
        "infinity | nan / numbers / precision / subnormal",
        ("sum += expf(x[j] - top);", "sum += expf(x[j]);"),
        ("y[j] = expf(x[j] - top) / sum;", "y[j] = expf(x[j]) / sum;"),
    ),
    # The first tree is overwritten while others read its result.
    Wrong(
        "hundredfour_soft_no_barrier",
        "hundredfour_soft",
        "race | numbers / nan / infinity / other element",
        ("    top = buf[0];\n    __syncthreads();\n", "    top = buf[0];\n"),
    ),
    # The largest begins with 0.
    Wrong(
        "hundredfour_soft_starts_at_0",
        "hundredfour_soft",
        "start | numbers / nan / infinity / precision / subnormal",
        ("float top = -INFINITY;", "float top = 0.0f;"),
    ),
    # Each thread writes one column.
    Wrong(
        "hundredfour_soft_one_column",
        "hundredfour_soft",
        "unwritten / left out / tail | nan / numbers",
        (
            "    for (int j = t; j < cols; j += N)\n        y[j] =",
            "    int j = t;\n    if (j < cols)\n        y[j] =",
        ),
    ),
    # Each thread divides by its own sum.
    Wrong(
        "hundredfour_soft_own_sum",
        "hundredfour_soft",
        "left out / function | numbers / infinity / nan",
        ("    sum = buf[0];\n", ""),
    ),
    # ---- norm
    # Gain and offset change places.
    Wrong(
        "hundredfour_norm_gain_is_offset",
        "hundredfour_norm",
        "swapped / function | numbers",
        ("(x, gamma, beta, y, rows", "(x, beta, gamma, y, rows"),
    ),
    # The variance is that of a sample.
    Wrong(
        "hundredfour_norm_variance_of_sample",
        "hundredfour_norm",
        "function | numbers / nan / infinity / precision",
        ("warpSum(squares) / cols;", "warpSum(squares) / (cols - 1);"),
    ),
    # Half of a warp is added.
    Wrong(
        "hundredfour_norm_half_a_warp",
        "hundredfour_norm",
        "left out | numbers / function / nan / infinity / precision",
        ("int lanes = 16;", "int lanes = 8;"),
    ),
    # The mean of squares less the square of the mean.
    Wrong(
        "hundredfour_norm_squares_less_square",
        "hundredfour_norm",
        "precision | numbers / nan / infinity / function",
        (
            "    float d = in[c] - mean;\n    squares += d * d;\n",
            "    squares += in[c] * in[c];\n",
        ),
        ("warpSum(squares) / cols;", "warpSum(squares) / cols - mean * mean;"),
    ),
    # The number of rows passes as a row.
    Wrong(
        "hundredfour_norm_one_row_more",
        "hundredfour_norm",
        "bounds",
        ("if (row >= rows) return;", "if (row > rows) return;"),
    ),
    # ---- turn
    # Output rows have the pitch of the input.
    Wrong(
        "hundredfour_turn_pitch_of_input",
        "hundredfour_turn",
        "sides / other element / bounds | numbers / unwritten / race / nan",
        ("out[(size_t)v * rows + u]", "out[(size_t)v * cols + u]"),
    ),
    # The tile is read before it is stored.
    Wrong(
        "hundredfour_turn_no_barrier",
        "hundredfour_turn",
        "race | numbers / unwritten / other element / nan / state",
        ("    __syncthreads();\n", ""),
    ),
    # The sides of the grid change places.
    Wrong(
        "hundredfour_turn_grid_swapped",
        "hundredfour_turn",
        "grid / sides / unwritten / swapped | nan / left out / tail / numbers",
        (
            "dim3 grid((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE);",
            "dim3 grid((rows + TILE - 1) / TILE, (cols + TILE - 1) / TILE);",
        ),
    ),
    # The tile holds floats.
    Wrong(
        "hundredfour_turn_tile_of_floats",
        "hundredfour_turn",
        "precision | numbers / infinity / subnormal / rounding / narrow / whole range",
        ("__shared__ double tile", "__shared__ float tile"),
    ),
    # The tile is not turned.
    Wrong(
        "hundredfour_turn_tile_not_turned",
        "hundredfour_turn",
        "other element / sides / unwritten / swapped | numbers / nan / function / race / state",
        ("= tile[threadIdx.x][threadIdx.y];", "= tile[threadIdx.y][threadIdx.x];"),
    ),
    # ---- product
    # Only whole tiles of k are added.
    Wrong(
        "hundredfour_product_whole_tiles",
        "hundredfour_product",
        "tail / left out | numbers / nan / sides",
        ("step < (k + S - 1) / S;", "step < k / S;"),
    ),
    # Tiles are filled while others read them.
    Wrong(
        "hundredfour_product_no_second_barrier",
        "hundredfour_product",
        "race | numbers / other element / left out / nan",
        ("Bs[q][tx];\n        }\n        __syncthreads();\n", "Bs[q][tx];\n        }\n"),
    ),
    # Columns of A are not tested.
    Wrong(
        "hundredfour_product_columns_untested",
        "hundredfour_product",
        "bounds | nan / tail / numbers / other element / sides",
        ("(row < m && ka < k) ?", "(row < m) ?"),
    ),
    # Rows of B have the pitch of A.
    Wrong(
        "hundredfour_product_pitch_of_a",
        "hundredfour_product",
        "sides / other element / bounds / swapped | numbers / nan",
        ("B[(size_t)kb * n + col]", "B[(size_t)kb * k + col]"),
    ),
    # The tile of B is read by its columns.
    Wrong(
        "hundredfour_product_tile_of_b_turned",
        "hundredfour_product",
        "other element / swapped / sides | numbers / nan / function / left out",
        ("Bs[q][tx];", "Bs[tx][q];"),
    ),
)

RIGHT = (
    # The count has 64 bits, and the index, too.
    Right(
        "hundredfour_halves_long",
        "hundredfour_halves",
        (
            "half* out, int n) {\n  int p = blockIdx.x * blockDim.x",
            "half* out, int64_t n) {\n  int64_t p = blockIdx.x * (int64_t)blockDim.x",
        ),
        ("int packs = n / 8;", "int64_t packs = n / 8;"),
        ("for (int i = 8 * packs", "for (int64_t i = 8 * packs"),
        ("int n, int block_size", "int64_t n, int block_size"),
        (
            "int threads = n / 8 + 1;\n  int blocks",
            "int64_t threads = n / 8 + 1;\n  int64_t blocks",
        ),
    ),
    # Blocks are rounded down, and the loop does the rest.
    Right(
        "hundredfour_doubles_blocks_rounded_down",
        "hundredfour_doubles",
        ("(n + block_size - 1) / block_size;", "n / block_size > 0 ? n / block_size : 1;"),
    ),
    # Each number is converted on its own.
    Right(
        "hundredfour_narrow_singly",
        "hundredfour_narrow",
        (
            "    float2 v = *(const float2*)(in + i);\n"
            "    *(half2*)(out + i) = __halves2half2(one(v.x), one(v.y));\n",
            "    out[i] = one(in[i]);\n    out[i + 1] = one(in[i + 1]);\n",
        ),
    ),
    # The index is unsigned.
    Right(
        "hundredfour_bytes_unsigned",
        "hundredfour_bytes",
        (
            "uint8_t *dst, int n)\n{\n    int idx",
            "uint8_t *dst, uint32_t n)\n{\n    uint32_t idx",
        ),
    ),
    # Three blocks have nothing to do.
    Right(
        "hundredfour_silu_idle_blocks",
        "hundredfour_silu",
        ("block_size - 1) / block_size;", "block_size - 1) / block_size + 3;"),
    ),
    # The output is set to 0 before.
    Right(
        "hundredfour_leaky_set_before",
        "hundredfour_leaky",
        (
            "  leaky<<<blocks",
            "  cudaMemsetAsync(y, 0, n * sizeof(half), stream);\n  leaky<<<blocks",
        ),
    ),
    # Addresses are not asked, as no packs are taken.
    Right(
        "hundredfour_hard_no_packs",
        "hundredfour_hard",
        ("if (wide(x) && wide(y))", "if (false)"),
    ),
    # Blocks have 64 threads.
    Right(
        "hundredfour_isum_blocks_of_64",
        "hundredfour_isum",
        ("constexpr int kThreads = 256;", "constexpr int kThreads = 64;"),
    ),
    # Blocks have 256 threads, and their warps are added from the last one.
    Right(
        "hundredfour_mean_more_threads",
        "hundredfour_mean",
        ("#define NT 128", "#define NT 256"),
        ("total += warp_sum[w];", "total += warp_sum[NT / 32 - 1 - w];"),
    ),
    # The second kernel has one thread that counts.
    Right(
        "hundredfour_peak_one_thread",
        "hundredfour_peak",
        (
            "  for (int k = threadIdx.x; k < count; k += SIZE) v = larger(parts[k], v);\n"
            "  v = of_block(v);\n"
            "  if (threadIdx.x == 0) *peak = v;\n",
            "  if (threadIdx.x > 0) return;\n"
            "  for (int k = count - 1; k >= 0; k--) v = larger(parts[k], v);\n"
            "  *peak = v;\n",
        ),
    ),
    # Exponentials are kept in the output between the passes.
    Right(
        "hundredfour_soft_kept_in_output",
        "hundredfour_soft",
        ("        sum += expf(x[j] - top);\n", "        sum += y[j] = expf(x[j] - top);\n"),
        ("y[j] = expf(x[j] - top) / sum;", "y[j] /= sum;"),
    ),
    # Blocks have eight rows, and the root is one function.
    Right(
        "hundredfour_norm_eight_rows",
        "hundredfour_norm",
        (
            "dim3 block(32, 4);\n  int blocks = (rows + 3) / 4;",
            "dim3 block(32, 8);\n  int blocks = rows / 8 + 1;",
        ),
        ("1.0f / sqrtf(variance + eps)", "rsqrtf(variance + eps)"),
    ),
    # The sides come in another order.
    Right(
        "hundredfour_turn_cols_first",
        "hundredfour_turn",
        ("int rows, int cols, cudaStream_t", "int cols, int rows, cudaStream_t"),
        ("tile[TILE][TILE + 1]", "tile[TILE][TILE]"),
    ),
    # Sides come in another order, and sums are doubles.
    Right(
        "hundredfour_product_k_first",
        "hundredfour_product",
        ("int m, int n, int k, cudaStream_t", "int k, int n, int m, cudaStream_t"),
        ("float acc = 0.0f;", "double acc = 0.0;"),
        ("acc += As[ty][q] * Bs[q][tx];", "acc += (double)As[ty][q] * Bs[q][tx];"),
    ),
)
