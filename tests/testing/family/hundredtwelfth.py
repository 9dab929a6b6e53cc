"""Hold a hundred-twelfth family: the plain operators of a course, in plain hands.

Its bases are two arrays of floats added by float4, two of int64 in a loop over the grid, floats
to halves in pairs, doubles to int32 cut off and limited, GELU by tanh of halves, ReLU of
bfloat16 in packs of eight, softplus of doubles, the sum of halves with an atomic a block, the
largest of floats by two kernels, the zeros of each row, softmax of floats in three passes,
layer norm of floats with gain and offset, halves transposed by tiles, and a product of floats
by tiles of 16. They have 15 to 50 lines, and are what one writes in the first half year. Their
mistakes are spread over alignment, sizes, grids, block sizes, integers, values, rounding, NaN,
infinity, the sign of zero, inputs that are written, sums, transposes, products, order, streams
and what is left of an earlier call. The causes were written before a member was judged. There
are 70 wrong members and 14 right ones. On the emulator each ran beside PyTorch, compared as a
case does, called twice on the same tensors, with NaN and with 1e3 in floating outputs (-1, 7
and 77 in others), with tensors at either end of their pages, the bytes behind them and the
inputs looked at afterwards, on a stream that is not the default one, with threads in order,
from the last to the first and in a random order, and in the slices that the cases name. Bases
and right ones ran all cases (each for 45 seconds at most); wrong ones until they were wrong
thrice. Of sizes past 2^31 only what a second reaches was run. nvcc 13.0 compiles each base for
8.0; none was run on a GPU. A missing barrier is not wrong in every order of threads, and the
missing atomic was so in none of these: that it is wrong is reasoned. Bases and right ones are
right, and all others wrong or refused by a fault:

    hundredtwelve_add_b_anywhere               from 4 numbers on, by the address of b
    hundredtwelve_add_no_rest                  unless 4 divides n
    hundredtwelve_add_packs_rounded_up         unless 4 divides n
    hundredtwelve_add_y_for_z                  from 4 numbers on
    hundredtwelve_add_last_block_missing       of all after the last full block
    hundredtwelve_longs_sum_of_ints            of sums beyond 32 bits
    hundredtwelve_longs_through_doubles        of sums beyond 53 bits
    hundredtwelve_longs_always_256             of smaller blocks, from a second block on
    hundredtwelve_longs_in_place               unless all of right is 0: left is overwritten
    hundredtwelve_longs_no_stream              on another stream than the default one
    hundredtwelve_pairs_toward_zero            of pairs that are no halves
    hundredtwelve_pairs_largest_half           of pairs from 65,520 on, and infinity
    hundredtwelve_pairs_blocks_of_pairs        of an odd n, if n / 2 is whole blocks
    hundredtwelve_pairs_small_are_zero         of pairs of subnormal halves
    hundredtwelve_pairs_out_anywhere           from 2 numbers on, by the address of out
    hundredtwelve_cut_nan_runs_into_limit      of NaN
    hundredtwelve_cut_to_nearest               of fractions from a half on
    hundredtwelve_cut_through_float            from 2^24 on
    hundredtwelve_cut_wraps                    beyond 32 bits
    hundredtwelve_cut_one_too_many             unless 192 divides n
    hundredtwelve_gelu_constant                of nearly all
    hundredtwelve_gelu_tanh_by_exponentials    from about 7 on
    hundredtwelve_gelu_far_below_is_zero       below -3
    hundredtwelve_gelu_steps_of_256            of smaller blocks, where 64 are too few
    hundredtwelve_gelu_no_loop                 from 64 blocks on
    hundredtwelve_relu_x_alone_is_tested       from 8 numbers on, by the address of y
    hundredtwelve_relu_nan_is_zero             of NaN
    hundredtwelve_relu_pack_of_rest            unless 8 divides n
    hundredtwelve_relu_seven_of_eight          of packs whose last is below 0
    hundredtwelve_relu_rest_of_packs_alone     from 8 on, where an address is not round
    hundredtwelve_softplus_overflow            from about 710 on
    hundredtwelve_softplus_log_of_one_and      far below 0, and somewhat below it
    hundredtwelve_softplus_from_20_on          from 20 to about 34
    hundredtwelve_softplus_second_at_256       of other block sizes
    hundredtwelve_softplus_one_test_for_two    where a last block has less than two each
    hundredtwelve_total_not_set                of what was there before
    hundredtwelve_total_warp_left_out          from 225 numbers on
    hundredtwelve_total_sum_of_halves          of sums that are no halves
    hundredtwelve_total_no_barrier             where threads do not wait for another
    hundredtwelve_total_full_chunks            unless 2,048 divides n
    hundredtwelve_largest_starts_at_0          if all are below 0
    hundredtwelve_largest_last_not_compared    if the last is the largest
    hundredtwelve_largest_parts_of_all_blocks  if all are below 0, or in a later call
    hundredtwelve_largest_half_a_tree          from 129 numbers on, if the largest lies there
    hundredtwelve_largest_second_no_stream     on another stream than the default one
    hundredtwelve_zeros_counter_not_set        of whatever was in shared memory
    hundredtwelve_zeros_bits_are_zero          of -0.0
    hundredtwelve_zeros_nan_is_counted         of NaN
    hundredtwelve_zeros_pitch_of_rows          from 2 rows on, unless as many columns
    hundredtwelve_zeros_no_atomic              where threads run at once
    hundredtwelve_softmax_no_maximum           of rows from about 88 on, or far below 0
    hundredtwelve_softmax_maximum_from_0       of rows that are far below 0
    hundredtwelve_softmax_one_column_a_thread  from 129 columns on
    hundredtwelve_softmax_exponentials_in_x    of all: x is overwritten
    hundredtwelve_softmax_sum_without_last     of nearly all
    hundredtwelve_norm_one_less                of nearly all
    hundredtwelve_norm_three_warps             from 97 columns on
    hundredtwelve_norm_gain_for_offset         unless they are alike
    hundredtwelve_norm_squares_less_square     of rows with a mean far from 0
    hundredtwelve_norm_gain_of_row             from 2 columns on
    hundredtwelve_turn_tile_not_turned         of nearly all
    hundredtwelve_turn_pitch_of_in             unless the matrix is square
    hundredtwelve_turn_no_barrier              where threads do not wait for another
    hundredtwelve_turn_grid_swapped            unless the tiles are as many each way
    hundredtwelve_turn_three_of_four           from 25 columns on
    hundredtwelve_product_last_tile_of_k       unless 16 divides k
    hundredtwelve_product_no_second_barrier    from k = 17 on, where threads do not wait
    hundredtwelve_product_pitch_of_a           unless n and k are alike
    hundredtwelve_product_k_not_tested         unless 16 divides k
    hundredtwelve_product_or_for_and           unless 16 divides both sides
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import whole

# Two arrays of floats: a float4 a thread, and the first threads take the rest.
ADD = (
    HEADER
    + """\
__global__ void addVec(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int n4 = n / 4;
    if (i < n4) {
        float4 u = reinterpret_cast<const float4 *>(a)[i];
        float4 v = reinterpret_cast<const float4 *>(b)[i];
        float4 w;
        w.x = u.x + v.x;
        w.y = u.y + v.y;
        w.z = u.z + v.z;
        w.w = u.w + v.w;
        reinterpret_cast<float4 *>(c)[i] = w;
    }
    if (i < n % 4)
        c[n - 1 - i] = a[n - 1 - i] + b[n - 1 - i];
}

extern "C" void launch(const float *a,  // [n] 16-byte aligned
                       const float *b,  // [n] 16-byte aligned
                       float *c,        // [n] 16-byte aligned
                       int n, int block_size = 256, cudaStream_t stream = 0)
{
    int blocks = n / 4 / block_size + 1;
    addVec<<<blocks, block_size, 0, stream>>>(a, b, c, n);
}
"""
)

# Two arrays of int64 in a loop over the grid.
LONGS = (
    HEADER
    + """\
__global__ void sum_arrays(const int64_t* left, const int64_t* right, int64_t* sum,
                           int64_t count) {
  int64_t first = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  int64_t step = (int64_t)gridDim.x * blockDim.x;
  for (int64_t k = first; k < count; k += step) {
    sum[k] = left[k] + right[k];
  }
}

extern "C" void launch(const int64_t* left,   // [count]
                       const int64_t* right,  // [count]
                       int64_t* sum,          // [count]
                       int64_t count, int block_size = 256, cudaStream_t stream = 0) {
  if (count == 0) return;
  int64_t blocks = (count + block_size - 1) / block_size;
  if (blocks > 1024) blocks = 1024;
  sum_arrays<<<(unsigned)blocks, block_size, 0, stream>>>(left, right, sum, count);
}
"""
)

# Floats to halves, a pair a thread, and the last one alone if it is odd.
PAIRS = (
    HEADER
    + """\
__global__ void to_half(const float* in, half* out, int n) {
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p < n / 2) {
        float2 v = ((const float2*)in)[p];
        ((half2*)out)[p] = __floats2half2_rn(v.x, v.y);
    } else if (p == n / 2 && n % 2 == 1) {
        out[n - 1] = __float2half_rn(in[n - 1]);
    }
}

extern "C" void launch(const float* in,  // [n] 8-byte aligned
                       half* out,        // [n] 4-byte aligned
                       int n, int block_size = 128, cudaStream_t stream = 0) {
    int pairs = n / 2 + n % 2;
    if (pairs == 0) return;
    int blocks = (pairs - 1) / block_size + 1;
    to_half<<<blocks, block_size, 0, stream>>>(in, out, n);
}
"""
)

# Doubles to int32: cut off, limited, and 0 for NaN.
CUT = (
    HEADER
    + """\
__device__ int cut(double v)
{
  if (v != v) return 0;
  if (v >= 2147483647.0) return 2147483647;
  if (v <= -2147483648.0) return -2147483647 - 1;
  return (int)v;
}

__global__ void cutAll(const double *src, int *dst, int n)
{
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i < n) dst[i] = cut(src[i]);
}

extern "C" void launch(const double *src,  // [n]
                       int *dst,           // [n]
                       int n, cudaStream_t stream = 0)
{
  const int threads = 192;
  if (n > 0)
    cutAll<<<(n - 1) / threads + 1, threads, 0, stream>>>(src, dst, n);
}
"""
)

# GELU by tanh of halves, computed in float, at most 64 blocks.
GELU = (
    HEADER
    + """\
__device__ float gelu(float x) {
    float inner = 0.7978845608f * (x + 0.044715f * x * x * x);
    return 0.5f * x * (1.0f + tanhf(inner));
}

__global__ void gelu_kernel(const half* x, half* y, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const int64_t stride = (int64_t)gridDim.x * blockDim.x;
    for (; i < n; i += stride)
        y[i] = __float2half(gelu(__half2float(x[i])));
}

extern "C" void launch(const half* x,  // [n]
                       half* y,        // [n]
                       int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    int64_t need = (n + block_size - 1) / block_size;
    int blocks = need < 64 ? (int)need : 64;
    if (blocks > 0) gelu_kernel<<<blocks, block_size, 0, stream>>>(x, y, n);
}
"""
)

# ReLU of bfloat16, eight a pack where both addresses are round, else one by one.
RELU = (
    HEADER
    + """\
struct alignas(16) Eight {
  __nv_bfloat16 v[8];
};

__device__ __nv_bfloat16 relu(__nv_bfloat16 v) {
  float f = __bfloat162float(v);
  return f < 0.0f ? __float2bfloat16(0.0f) : v;
}

__global__ void relu_bf16(const __nv_bfloat16* x, __nv_bfloat16* y, int64_t packs, int64_t n) {
  int64_t t = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  int64_t all = (int64_t)gridDim.x * blockDim.x;
  for (int64_t p = t; p < packs; p += all) {
    Eight e = ((const Eight*)x)[p];
    for (int j = 0; j < 8; j++) e.v[j] = relu(e.v[j]);
    ((Eight*)y)[p] = e;
  }
  for (int64_t i = 8 * packs + t; i < n; i += all) y[i] = relu(x[i]);
}

extern "C" void launch(const __nv_bfloat16* x,  // [n]
                       __nv_bfloat16* y,        // [n]
                       int64_t n, int block_size = 128, cudaStream_t stream = 0) {
  bool round = (uintptr_t)x % 16 == 0 && (uintptr_t)y % 16 == 0;
  int64_t packs = round ? n / 8 : 0;
  int64_t blocks = n / 8 / block_size + 1;
  relu_bf16<<<(unsigned)blocks, block_size, 0, stream>>>(x, y, packs, n);
}
"""
)

# Softplus of doubles, two numbers a thread that lie a block apart.
SOFTPLUS = (
    HEADER
    + """\
__device__ double softplus(double v)
{
    if (v > 0.0)
        return v + log1p(exp(-v));
    return log1p(exp(v));
}

__global__ void softplus2(const double *x, double *y, int64_t n)
{
    int64_t i = 2 * (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    int64_t j = i + blockDim.x;
    if (i < n)
        y[i] = softplus(x[i]);
    if (j < n)
        y[j] = softplus(x[j]);
}

extern "C" void launch(const double *x,  // [n]
                       double *y,        // [n]
                       int64_t n, int block_size = 256, cudaStream_t stream = 0)
{
    int64_t each = 2 * (int64_t)block_size;
    if (n > 0)
        softplus2<<<(unsigned)((n + each - 1) / each), block_size, 0, stream>>>(x, y, n);
}
"""
)

# The sum of halves: a block takes 2,048 of them and adds its part with an atomic.
TOTAL = (
    HEADER
    + """\
constexpr int THREADS = 256;
constexpr int EACH = 8;

__global__ void total_kernel(const half* x, float* out, int n) {
  __shared__ float part[THREADS / 32];
  int t = threadIdx.x;
  int64_t base = (int64_t)blockIdx.x * THREADS * EACH;
  float s = 0.0f;
  for (int k = 0; k < EACH; k++) {
    int64_t i = base + k * THREADS + t;
    if (i < n) s += __half2float(x[i]);
  }
  for (int d = 16; d >= 1; d >>= 1) s += __shfl_down_sync(0xffffffffu, s, d);
  if (t % 32 == 0) part[t / 32] = s;
  __syncthreads();
  if (t == 0) {
    float all = 0.0f;
    for (int w = 0; w < THREADS / 32; w++) all += part[w];
    atomicAdd(out, all);
  }
}

extern "C" void launch(const half* x,  // [n]
                       float* out,     // [1]
                       int n, cudaStream_t stream = 0) {
  cudaMemsetAsync(out, 0, sizeof(float), stream);
  int chunk = THREADS * EACH;
  int blocks = n / chunk + (n % chunk != 0);
  if (blocks > 0) total_kernel<<<blocks, THREADS, 0, stream>>>(x, out, n);
}
"""
)

# The largest of floats: a maximum a block, and a second kernel for those of the blocks.
LARGEST = (
    HEADER
    + """\
#define T 256
#define MOST_BLOCKS 256

__device__ float block_max[MOST_BLOCKS];

__device__ float larger(float a, float b)
{
    return a > b || isnan(a) ? a : b;
}

__device__ float reduce(float v)
{
    __shared__ float s[T];
    s[threadIdx.x] = v;
    __syncthreads();
    for (int h = T / 2; h > 0; h /= 2) {
        if (threadIdx.x < h)
            s[threadIdx.x] = larger(s[threadIdx.x], s[threadIdx.x + h]);
        __syncthreads();
    }
    return s[0];
}

__global__ void max_of_blocks(const float *x, int64_t n)
{
    float m = -INFINITY;
    for (int64_t i = (int64_t)blockIdx.x * T + threadIdx.x; i < n; i += (int64_t)gridDim.x * T)
        m = larger(m, x[i]);
    m = reduce(m);
    if (threadIdx.x == 0)
        block_max[blockIdx.x] = m;
}

__global__ void max_of_all(float *out, int count)
{
    float m = threadIdx.x < count ? block_max[threadIdx.x] : -INFINITY;
    m = reduce(m);
    if (threadIdx.x == 0)
        out[0] = m;
}

extern "C" void launch(const float *x,  // [n]
                       float *out,      // [1]
                       int64_t n, cudaStream_t stream = 0)
{
    int64_t blocks = (n + T - 1) / T;
    int count = blocks > MOST_BLOCKS ? MOST_BLOCKS : (int)blocks;
    if (count > 0)
        max_of_blocks<<<count, T, 0, stream>>>(x, n);
    max_of_all<<<1, T, 0, stream>>>(out, count);
}
"""
)

# How many zeros each row has: a block a row, and one counter in shared memory.
ZEROS = (
    HEADER
    + """\
__global__ void count_zeros(const float* m, int* zeros, int rows, int cols) {
    __shared__ int found;
    if (threadIdx.x == 0) found = 0;
    __syncthreads();
    const float* row = m + (int64_t)blockIdx.x * cols;
    int mine = 0;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) {
        float v = row[c];
        if (v == 0.0f) mine++;
    }
    if (mine > 0) atomicAdd(&found, mine);
    __syncthreads();
    if (threadIdx.x == 0) zeros[blockIdx.x] = found;
}

extern "C" void launch(const float* m,  // [rows, cols]
                       int* zeros,      // [rows]
                       int rows, int cols, cudaStream_t stream = 0) {
    count_zeros<<<rows, 64, 0, stream>>>(m, zeros, rows, cols);
}
"""
)

# Softmax of floats: a block a row, which it reads three times.
SOFTMAX = (
    HEADER
    + """\
#define N 128

__global__ void softmax_row(const float* x, float* y, int64_t cols) {
  __shared__ float buf[N];
  const float* row = x + blockIdx.x * cols;
  float* out = y + blockIdx.x * cols;
  int t = threadIdx.x;

  float m = -INFINITY;
  for (int64_t c = t; c < cols; c += N) m = fmaxf(m, row[c]);
  buf[t] = m;
  __syncthreads();
  for (int s = N / 2; s > 0; s >>= 1) {
    if (t < s) buf[t] = fmaxf(buf[t], buf[t + s]);
    __syncthreads();
  }
  m = buf[0];
  __syncthreads();

  float sum = 0.0f;
  for (int64_t c = t; c < cols; c += N) {
    sum += expf(row[c] - m);
  }
  buf[t] = sum;
  __syncthreads();
  for (int s = N / 2; s > 0; s >>= 1) {
    if (t < s) buf[t] += buf[t + s];
    __syncthreads();
  }
  sum = buf[0];

  for (int64_t col = t; col < cols; col += N) out[col] = expf(row[col] - m) / sum;
}

extern "C" void launch(const float* x,  // [rows, cols]
                       float* y,        // [rows, cols]
                       int64_t rows, int64_t cols, cudaStream_t stream = 0) {
  softmax_row<<<(unsigned)rows, N, 0, stream>>>(x, y, cols);
}
"""
)

# Layer norm of floats with gain and offset: a block of four warps a row.
NORM = (
    HEADER
    + """\
constexpr int kThreads = 128;
constexpr int kWarps = kThreads / 32;

__device__ float blockSum(float v, float *warpSums)
{
  for (int offset = 16; offset > 0; offset /= 2)
    v += __shfl_xor_sync(0xffffffff, v, offset);
  __syncthreads();
  if (threadIdx.x % 32 == 0)
    warpSums[threadIdx.x / 32] = v;
  __syncthreads();
  float total = 0.0f;
  for (int w = 0; w < kWarps; ++w)
    total += warpSums[w];
  return total;
}

__global__ void layerNorm(const float *x, const float *gain, const float *offset, float *y,
                          int64_t cols, float eps)
{
  __shared__ float warpSums[kWarps];
  const float *in = x + blockIdx.x * cols;
  float *out = y + blockIdx.x * cols;
  float sum = 0.0f;
  for (int64_t c = threadIdx.x; c < cols; c += kThreads)
    sum += in[c];
  float mean = blockSum(sum, warpSums) / cols;
  float squares = 0.0f;
  for (int64_t c = threadIdx.x; c < cols; c += kThreads)
    squares += (in[c] - mean) * (in[c] - mean);
  float variance = blockSum(squares, warpSums) / cols;
  float scale = 1.0f / sqrtf(variance + eps);
  for (int64_t c = threadIdx.x; c < cols; c += kThreads)
    out[c] = (in[c] - mean) * scale * gain[c] + offset[c];
}

extern "C" void launch(const float *x,       // [rows, cols]
                       const float *gain,    // [cols]
                       const float *offset,  // [cols]
                       float *y,             // [rows, cols]
                       int64_t rows, int64_t cols, float eps = 1e-5f, cudaStream_t stream = 0)
{
  layerNorm<<<(unsigned)rows, kThreads, 0, stream>>>(x, gain, offset, y, cols, eps);
}
"""
)

# Matrices of halves are transposed: tiles of 32 by 32, four rows a thread.
TURN = (
    HEADER
    + """\
#define TILE 32
#define STEP 8

__global__ void transpose(const half* in, half* out, int rows, int cols) {
    __shared__ half tile[TILE][TILE + 1];
    int c = blockIdx.x * TILE + threadIdx.x;
    int r = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += STEP) {
        if (c < cols && r + j < rows)
            tile[threadIdx.y + j][threadIdx.x] = in[(int64_t)(r + j) * cols + c];
    }
    __syncthreads();
    c = blockIdx.y * TILE + threadIdx.x;
    r = blockIdx.x * TILE + threadIdx.y;
    for (int k = 0; k < TILE; k += STEP) {
        if (c < rows && r + k < cols)
            out[(int64_t)(r + k) * rows + c] = tile[threadIdx.x][threadIdx.y + k];
    }
}

extern "C" void launch(const half* in,  // [rows, cols]
                       half* out,       // [cols, rows]
                       int rows, int cols, cudaStream_t stream = 0) {
    dim3 block(TILE, STEP);
    dim3 grid((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
    transpose<<<grid, block, 0, stream>>>(in, out, rows, cols);
}
"""
)

# The product of two matrices of floats by tiles of 16 by 16.
PRODUCT = (
    HEADER
    + """\
constexpr int S = 16;

__global__ void product(const float* a, const float* b, float* c, int64_t m, int64_t n,
                        int64_t k) {
  __shared__ float ta[S][S];
  __shared__ float tb[S][S];
  int x = threadIdx.x, y = threadIdx.y;
  int64_t across = (n + S - 1) / S;
  int64_t row = blockIdx.x / across * S + y;
  int64_t col = blockIdx.x % across * S + x;
  float sum = 0.0f;
  for (int64_t q = 0; q < k; q += S) {
    ta[y][x] = row < m && q + x < k ? a[row * k + q + x] : 0.0f;
    tb[y][x] = col < n && q + y < k ? b[(q + y) * n + col] : 0.0f;
    __syncthreads();
    int64_t most = k - q < S ? k - q : S;
    for (int i = 0; i < most; i++) sum += ta[y][i] * tb[i][x];
    __syncthreads();
  }
  if (row < m && col < n) c[row * n + col] = sum;
}

extern "C" void launch(const float* a,  // [m, k]
                       const float* b,  // [k, n]
                       float* c,        // [m, n]
                       int64_t m, int64_t n, int64_t k, cudaStream_t stream = 0) {
  int64_t tiles = ((m + S - 1) / S) * ((n + S - 1) / S);
  product<<<(unsigned)tiles, dim3(S, S), 0, stream>>>(a, b, c, m, n, k);
}
"""
)

NAN, INF = float("nan"), float("inf")
LENGTHS = (*range(1, 71), 95, 96, 97, 127, 128, 129, 191, 192, 193, 255, 256, 257, 383, 384)
LENGTHS += (385, 511, 512, 513, 1000, 1023, 1024, 1025, 2047, 2048, 2049, 4096, 4099)
SIDES = ((1, 1), (2, 1), (1, 2), (3, 2), (4, 31), (5, 32), (8, 33), (33, 8), (2, 64), (65, 3))
SIDES += ((9, 70), (70, 1), (3, 1000), (1, 4099), (64, 70), (130, 6), (40, 50), (32, 32))
SIDES += ((301, 2), (3, 129), (7, 128), (5, 63), (65, 65), (31, 200), (200, 31), (1000, 3))


def gelu(x: torch.Tensor) -> torch.Tensor:
    """Return GELU by tanh."""
    return 0.5 * x * (1 + torch.tanh((2 / torch.pi) ** 0.5 * (x + 0.044715 * x**3)))


def softplus(x: torch.Tensor) -> torch.Tensor:
    """Return log(1 + exp(x))."""
    return x.clamp(min=0) + torch.log1p(torch.exp(-x.abs()))


def longs(launcher: Launcher) -> Iterator[Case]:
    """Add whole numbers: small, beyond 32 bits, beyond 53 bits, and what just fits."""
    for n in (*LENGTHS, 9_001, 70_003):
        a, b = whole(-999, 1000, n, n), whole(-999, 1000, n, n + 1)
        for label, p, q in (
            ("small", a, b),
            ("beyond 32 bits", a * 3_000_000_019, b * 7_000_000_001),
            ("beyond 53 bits", a * 4_000_000_000_000_001, b * 3_000_000_000_000_007),
            ("at the end", a * 0 + 2**62 - 1, b.abs() + 2**62 - 999),
        ):
            for block_size in (256, 32, 512):
                scalars = {"block_size": block_size}
                options = {"dtypes": (torch.int64,), "quick": n > 5000}
                words = f"n = {n:,}, {scalars}, {label}"
                yield Case(words, (p, q), (p + q,), scalars, **options)


def cuts(launcher: Launcher) -> Iterator[Case]:
    """Cut off: small ones, halves, large ones, near the ends, beyond them, NaN."""
    for n in (*LENGTHS, 9_001, 70_003):
        x, j = whole(-9999, 10_000, n, n).double(), torch.arange(n)
        for label, y in (
            ("small", x / 64),
            ("halves", x.div(2, rounding_mode="floor") + 0.5),
            ("large", x * 200_003.0),
            ("near the ends", x.sign() * (2.0**31 - 1) + x % 9 / 4 - 1),
            ("beyond", x * 2.0**40),
            ("infinities", torch.where(j % 3 == 1, INF * (1 - j % 2 * 2), x / 8)),
            ("NaN", torch.where(j % 3 == 1, NAN, x / 8)),
            ("zeros", torch.where(j % 2 == 1, 0.0, -0.0)),
        ):
            y = y.double()
            right = y.nan_to_num(0.0, INF, -INF).clamp(-(2.0**31), 2.0**31 - 1).trunc()
            options = {"dtypes": (torch.int32,), "quick": n > 5000}
            yield Case(f"n = {n:,}, {label}", (y,), (right + 0.0,), **options)


def relus(launcher: Launcher) -> Iterator[Case]:
    """Limit from below: any, negative, zeros, infinities, NaN; slices."""
    for n in (*LENGTHS, 9_001, 70_003):
        x, j = whole(-999, 1000, n, n).double() / 64, torch.arange(n)
        for label, y in (
            ("any", x),
            ("negative", -x.abs() - 1),
            ("zeros", torch.where(j % 2 == 1, 0.0, -0.0)),
            ("infinities", torch.where(j % 3 == 1, INF * (1 - j % 2 * 2), x)),
            ("NaN", torch.where(j % 3 == 1, NAN, x)),
        ):
            y = y.bfloat16()
            right = torch.relu(y.double())
            options = {"dtypes": (torch.bfloat16,), "quick": n > 5000, "reference": torch.relu}
            for block_size in (128, 32):
                scalars = {"block_size": block_size}
                yield Case(f"n = {n:,}, {scalars}, {label}", (y,), (right,), scalars, **options)
            if n < 300 and label == "any":
                for offsets in ((1, 1), (8, 8), (8, 1), (4, 8), (2, 4)):
                    words = f"n = {n:,}, slices from {offsets}"
                    yield Case(words, (y,), (right,), {}, offset=offsets, **options)


def totals(launcher: Launcher) -> Iterator[Case]:
    """Add whole numbers, so that all is exact: any, ones, negative, large, zeros, NaN."""
    for n in (*LENGTHS, 6143, 6145, 9_001, 50_001):
        x, j = whole(-99, 100, n, n).double(), torch.arange(n)
        for label, y in (
            ("any", x),
            ("ones", x * 0 + 1),
            ("negative", -x.abs() - 1),
            ("large", x.abs() * 16),
            ("zeros", x * 0),
            ("beyond a thousand", 1025 + x.abs() if n < 13_000 else x),
            ("the last alone", torch.where(j == n - 1, 7.0, 0.0)),
            ("infinity", torch.where(j == n // 2, INF, x)),
            ("NaN", torch.where(j == n // 3, NAN, x)),
        ):
            y = y.half()
            right = y.double().sum().reshape(1)
            options = {"dtypes": (torch.float32,), "quick": n > 5000}
            yield Case(f"n = {n:,}, {label}", (y,), (right,), **options)


def zeros_of_rows(launcher: Launcher) -> Iterator[Case]:
    """Count: some zeros, none, zeros only, of either sign, tiny numbers, NaN, infinities."""
    for rows, cols in (*SIDES, (3, 2_001), (513, 3)):
        n = rows * cols
        x, c = whole(-2, 3, n, n).reshape(rows, cols).double(), torch.arange(cols)
        for label, y in (
            ("some", x),
            ("none", x.abs() + 1),
            ("zeros only", x * 0),
            ("of either sign", torch.where(x < 0, -0.0, x.abs())),
            ("tiny numbers", x * 2.0**-140),
            ("the last alone", torch.where(c == cols - 1, 0.0, x.abs() + 1)),
            ("NaN", torch.where(c % 3 == 1, NAN, x)),
            ("infinities", torch.where(c % 3 == 1, INF, -x)),
        ):
            y = y.float()
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y,), ((y == 0).sum(1),), dtypes=(torch.int32,))


def norms(launcher: Launcher) -> Iterator[Case]:
    """Norm: any, small, about a large mean, rising, a NaN; gains, offsets, several eps."""
    for rows, cols in (*SIDES, (3, 2_001), (129, 130)):
        n = rows * cols
        x, c = whole(-99, 100, n, n).reshape(rows, cols).double(), torch.arange(cols)
        gain, offset = (whole(-9, 10, cols, cols + k).double() / 4 for k in range(2))
        for label, y, g, b, eps in (
            ("any", x, gain, offset, 1e-5),
            ("plain", x, gain * 0 + 1, offset * 0, 1e-3),
            ("small", x / 1024, gain, offset, 0.25),
            ("about 4,096", 4096 + (x / 10).floor(), gain, offset, 0.5),
            ("rising", x * 0 + c % 50, gain, offset + 3, 0.125),
            ("NaN", torch.where((x % 9 == 4) & (c == cols // 2), NAN, x), gain, offset, 1.0),
        ):
            d = y - y.mean(1, keepdim=True)
            f = 1 / ((d * d).mean(1, keepdim=True) + eps).sqrt()
            right = d * f * g + b
            fine = 2.0**-14 * (d * f * g).abs() + 2.0**-21 * f * y.abs().amax(1, True) * g.abs()
            slack = 2.0**-21 * (right.abs() + b.abs()) + fine + 2.0**-24
            words = f"rows = {rows:,}, cols = {cols:,}, eps = {eps}, {label}"
            options = {"dtypes": (torch.float32,), "within": (slack.nan_to_num(0.0),)}
            inputs = (y.float(), g.float(), b.float())
            yield Case(words, inputs, (right,), {"eps": eps}, **options)


def turns(launcher: Launcher) -> Iterator[Case]:
    """Turn matrices: whole numbers, rising ones, and some with NaN, infinity and -0.0."""
    for rows, cols in (*SIDES, (32, 64), (64, 32), (33, 31), (1, 9_001), (9_001, 1)):
        n = rows * cols
        x = whole(-2000, 2001, n, n).reshape(rows, cols).double()
        for label, y in (
            ("any", x),
            ("rising", torch.arange(n).reshape(rows, cols) % 2039 + 0.0),
            ("special ones", torch.where(x % 5 == 1, NAN, torch.where(x > 900, INF, x * -0.0))),
        ):
            y = y.half()
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            options = {"dtypes": (torch.float16,), "quick": n > 5000}
            yield Case(words, (y,), (y.double().T.contiguous(),), **options)


BASES = {
    "hundredtwelve_add": Base(ADD, {"reference": "add"}),
    "hundredtwelve_longs": Base(LONGS, {"cases": longs}),
    "hundredtwelve_pairs": Base(PAIRS, {"reference": "cast"}),
    "hundredtwelve_cut": Base(CUT, {"cases": cuts}),
    "hundredtwelve_gelu": Base(GELU, {"reference": gelu, "ulp": 4}),
    "hundredtwelve_relu": Base(RELU, {"cases": relus}),
    "hundredtwelve_softplus": Base(SOFTPLUS, {"reference": softplus, "ulp": 4}),
    "hundredtwelve_total": Base(TOTAL, {"cases": totals}),
    "hundredtwelve_largest": Base(LARGEST, cases="whole_array", function=torch.max),
    "hundredtwelve_zeros": Base(ZEROS, {"cases": zeros_of_rows}),
    "hundredtwelve_softmax": Base(SOFTMAX, cases="softmax"),
    "hundredtwelve_norm": Base(NORM, {"cases": norms}),
    "hundredtwelve_turn": Base(TURN, {"cases": turns}),
    "hundredtwelve_product": Base(PRODUCT, cases="matmul"),
}

WRONG = (
    # ---- add
    # The second operand may lie anywhere.
    Wrong(
        "hundredtwelve_add_b_anywhere",
        "hundredtwelve_add",
        "alignment",
        (
            "const float *b,  // [n] 16-byte aligned",
            "const float *b,  // [n]",
        ),
    ),
    # After the packs nothing is left to do.
    Wrong(
        "hundredtwelve_add_no_rest",
        "hundredtwelve_add",
        "tail / unwritten / left out | nan / numbers",
        (
            ("    if (i < n % 4)\n        c[n - 1 - i] = a[n - 1 - i] + b[n - 1 - i];\n"),
            "",
        ),
    ),
    # The number of packs is rounded up.
    Wrong(
        "hundredtwelve_add_packs_rounded_up",
        "hundredtwelve_add",
        "bounds / tail | alignment",
        (
            "int n4 = n / 4;",
            "int n4 = (n + 3) / 4;",
        ),
    ),
    # The third sum takes the second of b.
    Wrong(
        "hundredtwelve_add_y_for_z",
        "hundredtwelve_add",
        "other element / neighbour | numbers / swapped / nan / left out / twice",
        (
            "u.z + v.z",
            "u.z + v.y",
        ),
    ),
    # The number of blocks is rounded down.
    Wrong(
        "hundredtwelve_add_last_block_missing",
        "hundredtwelve_add",
        "grid / unwritten / tail / left out | refused / nan",
        (
            "n / 4 / block_size + 1",
            "n / 4 / block_size",
        ),
    ),
    # ---- longs
    # The sum is an int.
    Wrong(
        "hundredtwelve_longs_sum_of_ints",
        "hundredtwelve_longs",
        "whole range / narrow | numbers",
        (
            "    sum[k] = left[k] + right[k];",
            ("    int s = left[k] + right[k];\n    sum[k] = s;"),
        ),
    ),
    # The sum is one of doubles.
    Wrong(
        "hundredtwelve_longs_through_doubles",
        "hundredtwelve_longs",
        "precision | numbers / rounding / whole range / narrow",
        (
            "left[k] + right[k]",
            "(int64_t)((double)left[k] + (double)right[k])",
        ),
    ),
    # The block size is a number.
    Wrong(
        "hundredtwelve_longs_always_256",
        "hundredtwelve_longs",
        "block size | unwritten / left out / tail / other element / grid / nan",
        (
            "(int64_t)blockIdx.x * blockDim.x + threadIdx.x",
            "(int64_t)blockIdx.x * 256 + threadIdx.x",
        ),
    ),
    # The sum is made in the first operand.
    Wrong(
        "hundredtwelve_longs_in_place",
        "hundredtwelve_longs",
        "input",
        (
            "    sum[k] = left[k] + right[k];",
            ("    int64_t* a = (int64_t*)left;\n    a[k] += right[k];\n    sum[k] = a[k];"),
        ),
    ),
    # The launch forgets the stream.
    Wrong(
        "hundredtwelve_longs_no_stream",
        "hundredtwelve_longs",
        "stream",
        (
            "block_size, 0, stream>>>",
            "block_size>>>",
        ),
    ),
    # ---- pairs
    # Pairs are rounded toward zero.
    Wrong(
        "hundredtwelve_pairs_toward_zero",
        "hundredtwelve_pairs",
        "rounding | numbers / infinity / precision",
        (
            "__floats2half2_rn(v.x, v.y)",
            "__halves2half2(__float2half_rz(v.x), __float2half_rz(v.y))",
        ),
    ),
    # What is too large becomes the largest half.
    Wrong(
        "hundredtwelve_pairs_largest_half",
        "hundredtwelve_pairs",
        "infinity | numbers / function",
        (
            "        ((half2*)out)[p] =",
            (
                "        if (v.x > 65504.0f) v.x = 65504.0f;\n"
                "        if (v.y > 65504.0f) v.y = 65504.0f;\n"
                "        ((half2*)out)[p] ="
            ),
        ),
    ),
    # The blocks are those of the pairs alone.
    Wrong(
        "hundredtwelve_pairs_blocks_of_pairs",
        "hundredtwelve_pairs",
        "grid / unwritten / tail / left out | nan",
        (
            "int pairs = n / 2 + n % 2;",
            "int pairs = n / 2;",
        ),
    ),
    # What is below the least normal half becomes 0.
    Wrong(
        "hundredtwelve_pairs_small_are_zero",
        "hundredtwelve_pairs",
        "subnormal | numbers / sign of zero / function",
        (
            "        ((half2*)out)[p] =",
            (
                "        if (fabsf(v.x) < 6.103515625e-5f) v.x = 0.0f;\n"
                "        if (fabsf(v.y) < 6.103515625e-5f) v.y = 0.0f;\n"
                "        ((half2*)out)[p] ="
            ),
        ),
    ),
    # The result may lie anywhere.
    Wrong(
        "hundredtwelve_pairs_out_anywhere",
        "hundredtwelve_pairs",
        "alignment",
        (
            "half* out,        // [n] 4-byte aligned",
            "half* out,        // [n]",
        ),
    ),
    # ---- cut
    # NaN runs into a limit.
    Wrong(
        "hundredtwelve_cut_nan_runs_into_limit",
        "hundredtwelve_cut",
        "nan | infinity / numbers",
        (
            (
                "  if (v != v) return 0;\n"
                "  if (v >= 2147483647.0) return 2147483647;\n"
                "  if (v <= -2147483648.0) return -2147483647 - 1;\n"
                "  return (int)v;"
            ),
            "  return (int)fmin(fmax(v, -2147483648.0), 2147483647.0);",
        ),
    ),
    # Numbers are rounded to the nearest.
    Wrong(
        "hundredtwelve_cut_to_nearest",
        "hundredtwelve_cut",
        "rounding | numbers",
        (
            "return (int)v;",
            "return (int)rint(v);",
        ),
    ),
    # Numbers go through a float.
    Wrong(
        "hundredtwelve_cut_through_float",
        "hundredtwelve_cut",
        "precision / rounding | numbers / whole range / infinity / narrow",
        (
            "return (int)v;",
            "return (int)(float)v;",
        ),
    ),
    # What is too large for an int wraps.
    Wrong(
        "hundredtwelve_cut_wraps",
        "hundredtwelve_cut",
        "whole range / infinity | numbers / narrow",
        (
            (
                "  if (v >= 2147483647.0) return 2147483647;\n"
                "  if (v <= -2147483648.0) return -2147483647 - 1;\n"
                "  return (int)v;"
            ),
            "  return (int)(long long)v;",
        ),
    ),
    # One too many is allowed.
    Wrong(
        "hundredtwelve_cut_one_too_many",
        "hundredtwelve_cut",
        "bounds / tail",
        (
            "if (i < n) dst",
            "if (i <= n) dst",
        ),
    ),
    # ---- gelu
    # A digit of the constant is lost.
    Wrong(
        "hundredtwelve_gelu_constant",
        "hundredtwelve_gelu",
        "function | numbers",
        (
            "0.044715f",
            "0.44715f",
        ),
    ),
    # The tanh is written with exponentials.
    Wrong(
        "hundredtwelve_gelu_tanh_by_exponentials",
        "hundredtwelve_gelu",
        "infinity / nan | numbers / precision / function",
        (
            "    return 0.5f * x * (1.0f + tanhf(inner));",
            (
                "    float e = expf(2.0f * inner);\n"
                "    return 0.5f * x * (1.0f + (e - 1.0f) / (e + 1.0f));"
            ),
        ),
    ),
    # From -3 down nothing is left.
    Wrong(
        "hundredtwelve_gelu_far_below_is_zero",
        "hundredtwelve_gelu",
        "function / numbers | precision / sign of zero / infinity / subnormal / nan",
        (
            "    float inner",
            ("    if (x < -3.0f) return 0.0f;\n    float inner"),
        ),
    ),
    # The step is that of blocks of 256.
    Wrong(
        "hundredtwelve_gelu_steps_of_256",
        "hundredtwelve_gelu",
        "block size | unwritten / left out / other element / nan / grid / tail",
        (
            "(int64_t)gridDim.x * blockDim.x;",
            "(int64_t)gridDim.x * 256;",
        ),
    ),
    # A thread takes one number, though blocks are limited.
    Wrong(
        "hundredtwelve_gelu_no_loop",
        "hundredtwelve_gelu",
        "unwritten / left out / grid / tail | nan / numbers",
        (
            "    for (; i < n; i += stride)",
            "    if (i < n)",
        ),
    ),
    # ---- relu
    # Only the address of x is tested.
    Wrong(
        "hundredtwelve_relu_x_alone_is_tested",
        "hundredtwelve_relu",
        "alignment",
        (
            " && (uintptr_t)y % 16 == 0",
            "",
        ),
    ),
    # NaN becomes 0.
    Wrong(
        "hundredtwelve_relu_nan_is_zero",
        "hundredtwelve_relu",
        "nan | numbers",
        (
            "  return f < 0.0f ? __float2bfloat16(0.0f) : v;",
            "  return __float2bfloat16(fmaxf(f, 0.0f));",
        ),
    ),
    # The number of packs is rounded up.
    Wrong(
        "hundredtwelve_relu_pack_of_rest",
        "hundredtwelve_relu",
        "bounds / tail | alignment",
        (
            "round ? n / 8 : 0",
            "round ? (n + 7) / 8 : 0",
        ),
    ),
    # The last of each pack stays as it is.
    Wrong(
        "hundredtwelve_relu_seven_of_eight",
        "hundredtwelve_relu",
        "left out / numbers / copy | other element / function / tail / sign of zero",
        (
            "j < 8; j++",
            "j < 7; j++",
        ),
    ),
    # The rest begins behind the packs, also if none are taken.
    Wrong(
        "hundredtwelve_relu_rest_of_packs_alone",
        "hundredtwelve_relu",
        "unwritten / alignment / left out | nan / numbers",
        (
            "int64_t i = 8 * packs + t;",
            "int64_t i = n / 8 * 8 + t;",
        ),
    ),
    # ---- softplus
    # Large numbers go through the exponential.
    Wrong(
        "hundredtwelve_softplus_overflow",
        "hundredtwelve_softplus",
        "infinity | numbers",
        (
            ("    if (v > 0.0)\n        return v + log1p(exp(-v));\n"),
            "",
        ),
    ),
    # The logarithm takes 1 and what is added.
    Wrong(
        "hundredtwelve_softplus_log_of_one_and",
        "hundredtwelve_softplus",
        "precision | numbers / subnormal",
        (
            "    return log1p(exp(v));",
            "    return log(1.0 + exp(v));",
        ),
    ),
    # From 20 on the number itself is taken.
    Wrong(
        "hundredtwelve_softplus_from_20_on",
        "hundredtwelve_softplus",
        "precision / function / numbers",
        (
            "    if (v > 0.0)\n",
            ("    if (v > 20.0)\n        return v;\n    if (v > 0.0)\n"),
        ),
    ),
    # The second number lies 256 further on.
    Wrong(
        "hundredtwelve_softplus_second_at_256",
        "hundredtwelve_softplus",
        "block size | unwritten / left out / other element / nan / neighbour / tail / twice",
        (
            "int64_t j = i + blockDim.x;",
            "int64_t j = i + 256;",
        ),
    ),
    # One test is made for both numbers.
    Wrong(
        "hundredtwelve_softplus_one_test_for_two",
        "hundredtwelve_softplus",
        "bounds / tail",
        (
            ("    if (j < n)\n        y[j]"),
            ("    if (i < n)\n        y[j]"),
        ),
    ),
    # ---- total
    # The sum is not set to 0.
    Wrong(
        "hundredtwelve_total_not_set",
        "hundredtwelve_total",
        "zero before / state / start | numbers / unwritten / nan",
        (
            "  cudaMemsetAsync(out, 0, sizeof(float), stream);\n",
            "",
        ),
    ),
    # The last warp is left out.
    Wrong(
        "hundredtwelve_total_warp_left_out",
        "hundredtwelve_total",
        "left out | numbers / tail / start / nan",
        (
            "w < THREADS / 32; w++",
            "w < THREADS / 32 - 1; w++",
        ),
    ),
    # The sum of a thread is a half.
    Wrong(
        "hundredtwelve_total_sum_of_halves",
        "hundredtwelve_total",
        "precision / rounding / infinity | numbers / narrow / whole range",
        (
            "  float s = 0.0f;",
            "  half h = __float2half(0.0f);",
        ),
        (
            ("s += __half2float(x[i]);\n  }\n"),
            ("h = __hadd(h, x[i]);\n  }\n  float s = __half2float(h);\n"),
        ),
    ),
    # The parts are added before all are stored.
    Wrong(
        "hundredtwelve_total_no_barrier",
        "hundredtwelve_total",
        "race | numbers / left out / state / start / nan / unwritten",
        (
            ("part[t / 32] = s;\n  __syncthreads();\n"),
            "part[t / 32] = s;\n",
        ),
    ),
    # Only full chunks get a block.
    Wrong(
        "hundredtwelve_total_full_chunks",
        "hundredtwelve_total",
        "grid / left out / tail | numbers / refused",
        (
            "n / chunk + (n % chunk != 0)",
            "n / chunk",
        ),
    ),
    # ---- largest
    # The largest begins with 0.
    Wrong(
        "hundredtwelve_largest_starts_at_0",
        "hundredtwelve_largest",
        "start | numbers",
        (
            "    float m = -INFINITY;\n",
            "    float m = 0.0f;\n",
        ),
    ),
    # The last number is not compared.
    Wrong(
        "hundredtwelve_largest_last_not_compared",
        "hundredtwelve_largest",
        "left out / tail | numbers / start / infinity",
        (
            "i < n; i += (int64_t)",
            "i < n - 1; i += (int64_t)",
        ),
    ),
    # All parts are compared, not only those of the launch.
    Wrong(
        "hundredtwelve_largest_parts_of_all_blocks",
        "hundredtwelve_largest",
        "state / start | left out / numbers / unwritten / bounds / other element",
        (
            "threadIdx.x < count ? block_max[threadIdx.x] : -INFINITY;",
            "block_max[threadIdx.x];",
        ),
    ),
    # The tree begins a step too late.
    Wrong(
        "hundredtwelve_largest_half_a_tree",
        "hundredtwelve_largest",
        "left out | other element / numbers",
        (
            "int h = T / 2; h > 0;",
            "int h = T / 4; h > 0;",
        ),
    ),
    # The second kernel is launched on the default stream.
    Wrong(
        "hundredtwelve_largest_second_no_stream",
        "hundredtwelve_largest",
        "stream | state / race",
        (
            "max_of_all<<<1, T, 0, stream>>>",
            "max_of_all<<<1, T>>>",
        ),
    ),
    # ---- zeros
    # The counter does not begin with 0.
    Wrong(
        "hundredtwelve_zeros_counter_not_set",
        "hundredtwelve_zeros",
        "start / zero before | state / numbers / unwritten / race / nan",
        (
            ("    if (threadIdx.x == 0) found = 0;\n    __syncthreads();\n"),
            "",
        ),
    ),
    # A zero is told by its bits.
    Wrong(
        "hundredtwelve_zeros_bits_are_zero",
        "hundredtwelve_zeros",
        "sign of zero | left out / numbers / function",
        (
            "v == 0.0f",
            "__float_as_int(v) == 0",
        ),
    ),
    # What is neither above nor below 0 counts.
    Wrong(
        "hundredtwelve_zeros_nan_is_counted",
        "hundredtwelve_zeros",
        "nan | numbers / function",
        (
            "if (v == 0.0f) mine",
            "if (!(v > 0.0f || v < 0.0f)) mine",
        ),
    ),
    # Rows lie as far apart as there are rows.
    Wrong(
        "hundredtwelve_zeros_pitch_of_rows",
        "hundredtwelve_zeros",
        "sides / other element / bounds | numbers / left out / swapped",
        (
            "(int64_t)blockIdx.x * cols;",
            "(int64_t)blockIdx.x * rows;",
        ),
    ),
    # Threads add to the counter without an atomic.
    Wrong(
        "hundredtwelve_zeros_no_atomic",
        "hundredtwelve_zeros",
        "race | numbers / left out",
        (
            "atomicAdd(&found, mine);",
            "found += mine;",
        ),
    ),
    # ---- softmax
    # The largest is not taken off.
    Wrong(
        "hundredtwelve_softmax_no_maximum",
        "hundredtwelve_softmax",
        "infinity / nan | numbers / precision / function",
        (
            "sum += expf(row[c] - m);",
            "sum += expf(row[c]);",
        ),
        (
            "expf(row[col] - m) / sum",
            "expf(row[col]) / sum",
        ),
    ),
    # The largest begins with 0.
    Wrong(
        "hundredtwelve_softmax_maximum_from_0",
        "hundredtwelve_softmax",
        "start | nan / infinity / numbers / precision",
        (
            "float m = -INFINITY;",
            "float m = 0.0f;",
        ),
    ),
    # The last pass takes one column a thread.
    Wrong(
        "hundredtwelve_softmax_one_column_a_thread",
        "hundredtwelve_softmax",
        "unwritten / left out | nan / tail / numbers",
        (
            "col < cols; col += N)",
            "col < cols && col < N; col += N)",
        ),
    ),
    # Exponentials are kept in x.
    Wrong(
        "hundredtwelve_softmax_exponentials_in_x",
        "hundredtwelve_softmax",
        "input",
        (
            "    sum += expf(row[c] - m);",
            ("    float e = expf(row[c] - m);\n    ((float*)row)[c] = e;\n    sum += e;"),
        ),
        (
            "expf(row[col] - m) / sum",
            "row[col] / sum",
        ),
    ),
    # The last column is not in the sum.
    Wrong(
        "hundredtwelve_softmax_sum_without_last",
        "hundredtwelve_softmax",
        "left out / tail | numbers / nan / infinity / function",
        (
            "  for (int64_t c = t; c < cols; c += N) {\n",
            "  for (int64_t c = t; c < cols - 1; c += N) {\n",
        ),
    ),
    # ---- norm
    # Squares are divided by one less.
    Wrong(
        "hundredtwelve_norm_one_less",
        "hundredtwelve_norm",
        "function | numbers / nan / infinity",
        (
            "blockSum(squares, warpSums) / cols",
            "blockSum(squares, warpSums) / (cols - 1)",
        ),
    ),
    # The last warp is left out of the sums.
    Wrong(
        "hundredtwelve_norm_three_warps",
        "hundredtwelve_norm",
        "left out | numbers / tail / function",
        (
            "w < kWarps; ++w",
            "w < kWarps - 1; ++w",
        ),
    ),
    # Gain and offset are in the other order.
    Wrong(
        "hundredtwelve_norm_gain_for_offset",
        "hundredtwelve_norm",
        "swapped | function / numbers / other element",
        (
            "scale * gain[c] + offset[c]",
            "scale * offset[c] + gain[c]",
        ),
    ),
    # The variance is that of squares less the square of the mean.
    Wrong(
        "hundredtwelve_norm_squares_less_square",
        "hundredtwelve_norm",
        "precision | numbers / nan / infinity / function",
        (
            "squares += (in[c] - mean) * (in[c] - mean);",
            "squares += in[c] * in[c];",
        ),
        (
            "blockSum(squares, warpSums) / cols;",
            "blockSum(squares, warpSums) / cols - mean * mean;",
        ),
    ),
    # The gain is taken by the row.
    Wrong(
        "hundredtwelve_norm_gain_of_row",
        "hundredtwelve_norm",
        "other element / bounds / sides | numbers / function / left out",
        (
            "scale * gain[c]",
            "scale * gain[blockIdx.x]",
        ),
    ),
    # ---- turn
    # The tile is not turned.
    Wrong(
        "hundredtwelve_turn_tile_not_turned",
        "hundredtwelve_turn",
        "other element | numbers / sides / nan / left out / unwritten / start / swapped / race",
        (
            "tile[threadIdx.x][threadIdx.y + k]",
            "tile[threadIdx.y + k][threadIdx.x]",
        ),
    ),
    # Rows of the result are as long as those of the input.
    Wrong(
        "hundredtwelve_turn_pitch_of_in",
        "hundredtwelve_turn",
        "sides / bounds / other element / unwritten | nan / numbers / swapped / twice",
        (
            "(r + k) * rows + c",
            "(r + k) * cols + c",
        ),
    ),
    # The tile is read while it is filled.
    Wrong(
        "hundredtwelve_turn_no_barrier",
        "hundredtwelve_turn",
        "race | numbers / other element / left out / unwritten / nan",
        (
            ("    }\n    __syncthreads();\n"),
            "    }\n",
        ),
    ),
    # The sides of the grid are in the other order.
    Wrong(
        "hundredtwelve_turn_grid_swapped",
        "hundredtwelve_turn",
        "grid / unwritten / sides / left out | nan / swapped / tail",
        (
            "dim3 grid((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE);",
            "dim3 grid((rows + TILE - 1) / TILE, (cols + TILE - 1) / TILE);",
        ),
    ),
    # The last rows of a tile are not stored.
    Wrong(
        "hundredtwelve_turn_three_of_four",
        "hundredtwelve_turn",
        "unwritten / left out / tail | nan / numbers",
        (
            "k < TILE; k += STEP",
            "k < TILE - STEP; k += STEP",
        ),
    ),
    # ---- product
    # The last tile of k is left out.
    Wrong(
        "hundredtwelve_product_last_tile_of_k",
        "hundredtwelve_product",
        "left out / tail | numbers / nan / unwritten / start",
        (
            "q < k; q += S",
            "q + S <= k; q += S",
        ),
    ),
    # Tiles are filled while they are read.
    Wrong(
        "hundredtwelve_product_no_second_barrier",
        "hundredtwelve_product",
        "race | numbers / other element / left out / nan",
        (
            ("tb[i][x];\n    __syncthreads();\n"),
            "tb[i][x];\n",
        ),
    ),
    # The second matrix is read with the pitch of the first.
    Wrong(
        "hundredtwelve_product_pitch_of_a",
        "hundredtwelve_product",
        "sides / other element / bounds / swapped | numbers / nan",
        (
            "b[(q + y) * n + col]",
            "b[(q + y) * k + col]",
        ),
    ),
    # The first matrix is read past its rows.
    Wrong(
        "hundredtwelve_product_k_not_tested",
        "hundredtwelve_product",
        "bounds / tail | other element / nan / numbers / sides",
        (
            "row < m && q + x < k ? a",
            "row < m ? a",
        ),
    ),
    # One of the tests is enough.
    Wrong(
        "hundredtwelve_product_or_for_and",
        "hundredtwelve_product",
        "bounds / sides / other element / race | numbers / tail / left out / start",
        (
            "if (row < m && col < n) c",
            "if (row < m || col < n) c",
        ),
    ),
)

RIGHT = (
    # Sizes are of 64 bits.
    Right(
        "hundredtwelve_add_int64",
        "hundredtwelve_add",
        (
            "float *c, int n)",
            "float *c, int64_t n)",
        ),
        (
            "    int i = blockIdx.x * blockDim.x",
            "    int64_t i = (int64_t)blockIdx.x * blockDim.x",
        ),
        (
            "int n4 = n",
            "int64_t n4 = n",
        ),
        (
            "int n, int block_size = 256",
            "int64_t n, int block_size = 256",
        ),
        (
            "int blocks = n / 4 / block_size + 1;",
            "int64_t blocks = n / 4 / block_size + 1;",
        ),
        (
            "addVec<<<blocks,",
            "addVec<<<(unsigned)blocks,",
        ),
    ),
    # The sum is one of unsigned numbers.
    Right(
        "hundredtwelve_longs_unsigned",
        "hundredtwelve_longs",
        (
            "left[k] + right[k]",
            "(int64_t)((uint64_t)left[k] + (uint64_t)right[k])",
        ),
    ),
    # Two numbers are loaded one by one, and in unsigned places.
    Right(
        "hundredtwelve_pairs_single_loads",
        "hundredtwelve_pairs",
        (
            "    int p = blockIdx",
            "    unsigned p = blockIdx",
        ),
        (
            "float2 v = ((const float2*)in)[p];",
            "float2 v = make_float2(in[2 * p], in[2 * p + 1]);",
        ),
    ),
    # Numbers are limited first, and idle blocks are launched.
    Right(
        "hundredtwelve_cut_limited_first",
        "hundredtwelve_cut",
        (
            (
                "  if (v >= 2147483647.0) return 2147483647;\n"
                "  if (v <= -2147483648.0) return -2147483647 - 1;\n"
                "  return (int)v;"
            ),
            "  return (int)fmin(fmax(v, -2147483648.0), 2147483647.0);",
        ),
        (
            "(n - 1) / threads + 1, threads",
            "n / threads + 2, threads",
        ),
    ),
    # The tanh is written as a sigmoid.
    Right(
        "hundredtwelve_gelu_by_sigmoid",
        "hundredtwelve_gelu",
        (
            "    return 0.5f * x * (1.0f + tanhf(inner));",
            "    return x / (1.0f + expf(-2.0f * inner));",
        ),
    ),
    # Sign and NaN are told by the bits.
    Right(
        "hundredtwelve_relu_by_bits",
        "hundredtwelve_relu",
        (
            (
                "  float f = __bfloat162float(v);\n"
                "  return f < 0.0f ? __float2bfloat16(0.0f) : v;"
            ),
            (
                "  unsigned short b = __bfloat16_as_ushort(v);\n"
                "  return b >= 0x8000 && b <= 0xff80 ? __ushort_as_bfloat16(0) : v;"
            ),
        ),
    ),
    # There is no branch, and NaN goes through the exponential.
    Right(
        "hundredtwelve_softplus_without_branch",
        "hundredtwelve_softplus",
        (
            ("    if (v > 0.0)\n        return v + log1p(exp(-v));\n    return log1p(exp(v));"),
            "    return fmax(v, 0.0) + log1p(exp(-fabs(v)));",
        ),
    ),
    # A kernel sets the sum to 0.
    Right(
        "hundredtwelve_total_kernel_sets",
        "hundredtwelve_total",
        (
            "__global__ void total_kernel",
            (
                "__global__ void clear(float* out) { *out = 0.0f; }\n"
                "\n"
                "__global__ void total_kernel"
            ),
        ),
        (
            "cudaMemsetAsync(out, 0, sizeof(float), stream);",
            "clear<<<1, 1, 0, stream>>>(out);",
        ),
    ),
    # Each thread begins with the first number.
    Right(
        "hundredtwelve_largest_starts_with_first",
        "hundredtwelve_largest",
        (
            "    float m = -INFINITY;\n",
            "    float m = x[0];\n",
        ),
    ),
    # The barrier counts, a piece of the row at a time.
    Right(
        "hundredtwelve_zeros_counted_at_barrier",
        "hundredtwelve_zeros",
        (
            (
                "    __shared__ int found;\n"
                "    if (threadIdx.x == 0) found = 0;\n"
                "    __syncthreads();\n"
            ),
            "    int found = 0;\n",
        ),
        (
            (
                "    int mine = 0;\n"
                "    for (int c = threadIdx.x; c < cols; c += blockDim.x) {\n"
                "        float v = row[c];\n"
                "        if (v == 0.0f) mine++;\n"
                "    }\n"
                "    if (mine > 0) atomicAdd(&found, mine);\n"
                "    __syncthreads();\n"
            ),
            (
                "    for (int first = 0; first < cols; first += blockDim.x) {\n"
                "        int c = first + threadIdx.x;\n"
                "        found += __syncthreads_count(c < cols && row[c] == 0.0f);\n"
                "    }\n"
            ),
        ),
    ),
    # Exponentials are kept in y.
    Right(
        "hundredtwelve_softmax_exponentials_in_y",
        "hundredtwelve_softmax",
        (
            "    sum += expf(row[c] - m);",
            ("    out[c] = expf(row[c] - m);\n    sum += out[c];"),
        ),
        (
            "expf(row[col] - m) / sum",
            "out[col] / sum",
        ),
    ),
    # The root is turned at once, and blocks are larger.
    Right(
        "hundredtwelve_norm_rsqrt",
        "hundredtwelve_norm",
        (
            "1.0f / sqrtf(variance + eps)",
            "rsqrtf(variance + eps)",
        ),
        (
            "kThreads = 128",
            "kThreads = 256",
        ),
    ),
    # Each thread stores what it has loaded.
    Right(
        "hundredtwelve_turn_own_place",
        "hundredtwelve_turn",
        (
            (
                "    c = blockIdx.y * TILE + threadIdx.x;\n"
                "    r = blockIdx.x * TILE + threadIdx.y;\n"
            ),
            "",
        ),
        (
            "c < rows && r + k < cols",
            "c < cols && r + k < rows",
        ),
        (
            "out[(int64_t)(r + k) * rows + c] = tile[threadIdx.x][threadIdx.y + k];",
            "out[(int64_t)c * rows + r + k] = tile[threadIdx.y + k][threadIdx.x];",
        ),
    ),
    # All 16 of a tile are added, as what lies outside is 0.
    Right(
        "hundredtwelve_product_whole_tiles",
        "hundredtwelve_product",
        (
            ("    int64_t most = k - q < S ? k - q : S;\n    for (int i = 0; i < most; i++)"),
            "    for (int i = 0; i < S; i++)",
        ),
    ),
)
