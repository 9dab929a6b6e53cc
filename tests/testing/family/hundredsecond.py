"""Hold a hundred-second family: a course's plain operators, and their usual mistakes.

Its bases are a sum of halves in pairs, a number times x plus y, doubles to floats, floats to
signed bytes, sigmoid by float4, SiLU of bfloat16, the larger of two doubles, a dot product by
shuffles and atomics, the largest whole number by a tree, sums of columns, softmax with a block
a row, layer norm of halves with a warp a row, halves turned by tiles of 16, and a matrix
product by tiles of 16. They have 12 to 45 lines, as people write them in their first half year.
Their mistakes are spread over alignment, sizes, grids, integers of 8, 16 and 32 bits, values,
rounding, NaN, infinity, subnormal numbers, inputs that are written, sums, transposes, products,
order, streams and what is left of an earlier call. The causes were written before a member was
judged. There are 70 wrong members and 14 right ones. On the emulator each ran beside PyTorch,
compared as a case does, called twice on the same tensors, with NaN and with 1e3 in floating
outputs (-1 and 77 in others), with tensors at either end of their pages and their inputs looked
at afterwards, on a stream that is not the default one, with threads in order, from the last to
the first and in a random order, and in the slices that the cases name. Bases and right ones ran
all cases; wrong ones until they were wrong often enough. Of those that lack a barrier not each
is wrong in every order of threads, and the one that lacks an atomic was wrong in none, as there
a warp adds after another. nvcc 13.0 compiles each base for 8.0; none was run on a GPU. Bases
and right ones are right, and all others wrong or refused by a fault:

    hundredtwo_hadd_one_address             by the addresses of a or c alone
    hundredtwo_hadd_odd_forgotten           of odd counts, where pairs are taken
    hundredtwo_hadd_always_256              of other block sizes, from a second block on
    hundredtwo_hadd_rest_no_stream          on another stream, of odd counts or addresses
    hundredtwo_hadd_saturated               of pairs whose sum is below 0 or above 1
    hundredtwo_saxpy_no_loop                from 64 blocks on: 4,097 numbers at 64
    hundredtwo_saxpy_steps_of_256           of smaller blocks, from 4,097 numbers on at 64
    hundredtwo_saxpy_factor_of_y            of nearly all
    hundredtwo_saxpy_into_y                 of nearly all: y is overwritten
    hundredtwo_saxpy_one_too_many           always: one past the end
    hundredtwo_narrow_toward_0              of half of those that are no floats
    hundredtwo_narrow_kept_finite           of infinities, of what is beyond floats, and of NaN
    hundredtwo_narrow_no_subnormals         of subnormal results
    hundredtwo_narrow_pairs_rounded_up      of odd counts
    hundredtwo_narrow_pair_turned           from 2 numbers on
    hundredtwo_bytes_half_away              of every other tie
    hundredtwo_bytes_wrap                   above 127, unless its low byte is 127
    hundredtwo_bytes_nan_is_least           of NaN, which becomes -128
    hundredtwo_bytes_whole_fours_counted    if 1 to 3 numbers follow full blocks
    hundredtwo_bytes_first_of_four_tested   unless 4 divides n
    hundredtwo_sigmoid_overflows            from about 88.8 on
    hundredtwo_sigmoid_by_tanh              below about -2
    hundredtwo_sigmoid_one_of_the_rest      if 2 or 3 numbers are left
    hundredtwo_sigmoid_all_are_packs        unless 4 divides n
    hundredtwo_sigmoid_z_again              from 4 numbers on
    hundredtwo_silu_toward_0                of about half of the results
    hundredtwo_silu_sigmoid_in_bf16         of many
    hundredtwo_silu_as_gelu                 of nearly all
    hundredtwo_silu_nan_limited             of NaN and far below 0
    hundredtwo_silu_16_bits                 from 65,536 numbers on
    hundredtwo_dmax_nan_in_p                if p alone has a NaN
    hundredtwo_dmax_smaller                 unless both are alike
    hundredtwo_dmax_as_floats               if p is larger, and both are one float
    hundredtwo_dmax_one_too_many            unless the block size divides n
    hundredtwo_dmax_blocks_of_128           of larger blocks, if more than 128 are left
    hundredtwo_dot_not_set                  unless it was 0
    hundredtwo_dot_no_atomic                where warps add at a time
    hundredtwo_dot_half_a_warp              from 17 numbers on
    hundredtwo_dot_first_warp               from 33 numbers on
    hundredtwo_dot_no_stream                on another stream than the default one
    hundredtwo_imax_starts_at_0             if all are below 0
    hundredtwo_imax_half_a_tree             from 65 numbers on, where the largest lies there
    hundredtwo_imax_no_barrier              where warps do not wait for another
    hundredtwo_imax_through_float           if the largest is no float
    hundredtwo_imax_not_reset               if something larger was there
    hundredtwo_columns_pitch_of_rows        unless both sides are alike
    hundredtwo_columns_no_first_row         unless it holds zeros
    hundredtwo_columns_whole_sum            of fractions, infinities and NaN
    hundredtwo_columns_blocks_of_rows       if there are more blocks of columns than of rows
    hundredtwo_columns_added_to             unless 0 was there
    hundredtwo_softmax_starts_at_0          of rows that are far below 0
    hundredtwo_softmax_no_largest           of rows far above and far below 0
    hundredtwo_softmax_no_last_barrier      where warps do not wait for another
    hundredtwo_softmax_one_column_a_thread  from 129 columns on
    hundredtwo_softmax_sum_of_each_thread   from 2 columns on
    hundredtwo_lnorm_squares_less_square    of rows with a mean far from 0
    hundredtwo_lnorm_one_less               of rows of few columns
    hundredtwo_lnorm_gain_of_lane           from 33 columns on
    hundredtwo_lnorm_row_too_many           unless 4 divides the rows
    hundredtwo_lnorm_half_a_warp            from 17 columns on
    hundredtwo_turn_tile_not_turned         of nearly all
    hundredtwo_turn_no_barrier              where warps do not wait for another
    hundredtwo_turn_pitch_of_cols           unless both sides are alike
    hundredtwo_turn_grid_swapped            unless the tiles are as many each way
    hundredtwo_turn_limits_of_way_in        of sides that are not alike
    hundredtwo_product_whole_tiles          unless 16 divides k
    hundredtwo_product_no_second_barrier    from k = 17 on, where warps do not wait
    hundredtwo_product_pitch_of_k           unless n and k are alike
    hundredtwo_product_fifteen              from k = 16 on
    hundredtwo_product_other_last_tile      unless 16 divides k
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import whole

# Halves in pairs where all three addresses are even to 4, else one by one.
HADD = (
    HEADER
    + """\
static bool even(const void *p) { return (uintptr_t)p % 4 == 0; }

__global__ void add_pairs(const half2 *a, const half2 *b, half2 *c, int pairs) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < pairs) c[i] = __hadd2(a[i], b[i]);
}

__global__ void add_rest(const half *a, const half *b, half *c, int start, int n) {
  int i = start + blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = __hadd(a[i], b[i]);
}

extern "C" void launch(const half *a,  // [n]
                       const half *b,  // [n]
                       half *c,        // [n]
                       int n, int block_size = 256, cudaStream_t stream = 0) {
  int pairs = even(a) && even(b) && even(c) ? n / 2 : 0;
  if (pairs > 0) {
    int blocks = (pairs + block_size - 1) / block_size;
    add_pairs<<<blocks, block_size, 0, stream>>>((const half2 *)a, (const half2 *)b,
                                                 (half2 *)c, pairs);
  }
  int rest = n - 2 * pairs;
  if (rest > 0) {
    int more = (rest + block_size - 1) / block_size;
    add_rest<<<more, block_size, 0, stream>>>(a, b, c, 2 * pairs, n);
  }
}
"""
)

# A number times x plus y, in a loop over a grid of at most 64 blocks.
SAXPY = (
    HEADER
    + """\
__global__ void saxpy(int n, float alpha, const float *x, const float *y, float *z)
{
    int step = blockDim.x * gridDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        z[i] = alpha * x[i] + y[i];
}

extern "C" void launch(const float *x,  // [n]
                       const float *y,  // [n]
                       float *z,        // [n]
                       float alpha, int n, int block_size = 256, cudaStream_t stream = 0)
{
    int needed = (n + block_size - 1) / block_size;
    int blocks = needed < 64 ? needed : 64;
    saxpy<<<blocks, block_size, 0, stream>>>(n, alpha, x, y, z);
}
"""
)

# Doubles to floats, two a thread, the odd one by the first thread.
NARROW = (
    HEADER
    + """\
__device__ float to_float(double v) { return (float)v; }

__global__ void narrow(const double2* in, float2* out, int64_t n) {
    int64_t p = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (p < n / 2) {
        double2 d = in[p];
        out[p] = make_float2(to_float(d.x), to_float(d.y));
    }
    if (p == 0 && n % 2 == 1) {
        ((float*)out)[n - 1] = to_float(((const double*)in)[n - 1]);
    }
}

extern "C" void launch(const double* in,  // [n] 16-byte aligned
                       float* out,        // [n] 8-byte aligned
                       int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    int64_t threads = (n + 1) / 2;
    unsigned blocks = (unsigned)((threads + block_size - 1) / block_size);
    narrow<<<blocks, block_size, 0, stream>>>((const double2*)in, (float2*)out, n);
}
"""
)

# Floats to the nearest signed byte, four neighbours a thread.
BYTES = (
    HEADER
    + """\
#define EACH 4

__device__ int8_t squeeze(float v)
{
  float r = rintf(v);
  if (isnan(r)) return 0;
  if (r > 127.0f) return 127;
  if (r < -128.0f) return -128;
  return (int8_t)(int)r;
}

__global__ void to_bytes(const float* src, int8_t* dst, int n)
{
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < EACH; ++k) {
    int i = EACH * t + k;
    if (i < n) dst[i] = squeeze(src[i]);
  }
}

extern "C" void launch(const float* src,  // [n]
                       int8_t* dst,       // [n]
                       int n, int block_size = 128, cudaStream_t stream = 0)
{
  int per_block = EACH * block_size;
  int blocks = (n + per_block - 1) / per_block;
  to_bytes<<<blocks, block_size, 0, stream>>>(src, dst, n);
}
"""
)

# Sigmoid by float4, the last thread takes what is left.
SIGMOID = (
    HEADER
    + """\
__device__ __forceinline__ float sig(float v) {
  float e = expf(-fabsf(v));
  return v < 0.0f ? e / (1.0f + e) : 1.0f / (1.0f + e);
}

__global__ void sigmoid4(const float* x, float* y, int n) {
  int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (i + 3 < n) {
    float4 v = *reinterpret_cast<const float4*>(x + i);
    float4 w;
    w.x = sig(v.x);
    w.y = sig(v.y);
    w.z = sig(v.z);
    w.w = sig(v.w);
    *reinterpret_cast<float4*>(y + i) = w;
  } else {
    for (; i < n; i++) y[i] = sig(x[i]);
  }
}

extern "C" void launch(const float* x,  // [n] 16-byte aligned
                       float* y,        // [n] 16-byte aligned
                       int n, int block_size = 256, cudaStream_t stream = 0) {
  int threads = (n + 3) / 4;
  sigmoid4<<<(threads + block_size - 1) / block_size, block_size, 0, stream>>>(x, y, n);
}
"""
)

# SiLU of bfloat16, computed in float, one number a thread.
SILU = (
    HEADER
    + """\
typedef __nv_bfloat16 bf16;

__global__ void silu_kernel(const bf16 *in, bf16 *out, int n)
{
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < n) {
        float v = __bfloat162float(in[idx]);
        float e = expf(-fabsf(v));
        float s = (v < 0.0f ? e : 1.0f) / (1.0f + e);
        out[idx] = __float2bfloat16(v * s);
    }
}

extern "C" void launch(const __nv_bfloat16 *in,  // [n]
                       __nv_bfloat16 *out,       // [n]
                       int n, int block_size = 192, cudaStream_t stream = 0)
{
    int grid = n / block_size + (n % block_size != 0);
    silu_kernel<<<grid, block_size, 0, stream>>>(in, out, n);
}
"""
)

# The larger of two doubles; a NaN in either stays.
DMAX = (
    HEADER
    + """\
__device__ double larger(double p, double q) {
    if (isnan(p) || isnan(q)) return p + q;
    return p > q ? p : q;
}

__global__ void max_of_two(const double* p, const double* q, double* r, int n) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= n) return;
    r[i] = larger(p[i], q[i]);
}

extern "C" void launch(const double* p,  // [n]
                       const double* q,  // [n]
                       double* r,        // [n]
                       int n, int block_size = 256, cudaStream_t stream = 0) {
    dim3 block(block_size);
    dim3 grid((n + block_size - 1) / block_size);
    max_of_two<<<grid, block, 0, stream>>>(p, q, r, n);
}
"""
)

# A dot product: shuffles within a warp, an atomic for each warp.
DOT = (
    HEADER
    + """\
__global__ void dot_kernel(const float *u, const float *v, float *res, int n)
{
  float sum = 0.0f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    sum += u[i] * v[i];
  for (int d = 16; d > 0; d >>= 1)
    sum += __shfl_down_sync(0xffffffffu, sum, d);
  if (threadIdx.x % 32 == 0)
    atomicAdd(res, sum);
}

extern "C" void launch(const float *u,  // [n]
                       const float *v,  // [n]
                       float *res,      // [1]
                       int n, cudaStream_t stream = 0)
{
  int blocks = (n + 127) / 128;
  if (blocks > 32)
    blocks = 32;
  cudaMemsetAsync(res, 0, sizeof(float), stream);
  dot_kernel<<<blocks, 128, 0, stream>>>(u, v, res, n);
}
"""
)

# The largest of whole numbers: a tree in shared memory, and an atomic for each block.
IMAX = (
    HEADER
    + """\
#include <climits>

#define THREADS 128

__global__ void reset(int* top) { *top = INT_MIN; }

__global__ void find_max(const int* x, int* top, int n) {
    __shared__ int best[THREADS];
    int t = threadIdx.x;
    int m = INT_MIN;
    for (int i = blockIdx.x * THREADS + t; i < n; i += gridDim.x * THREADS) {
        m = max(m, x[i]);
    }
    best[t] = m;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half) best[t] = max(best[t], best[t + half]);
        __syncthreads();
    }
    if (t == 0) atomicMax(top, best[0]);
}

extern "C" void launch(const int* x,  // [n]
                       int* top,      // [1]
                       int n, cudaStream_t stream = 0) {
    int blocks = min((n + THREADS - 1) / THREADS, 16);
    reset<<<1, 1, 0, stream>>>(top);
    find_max<<<blocks, THREADS, 0, stream>>>(x, top, n);
}
"""
)

# The sum of each column, by one thread.
COLUMNS = (
    HEADER
    + """\
__global__ void column_sums(const float* mat, float* sums, int rows, int cols) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (col < cols) {
    float acc = 0.0f;
    for (int row = 0; row < rows; row++) {
      acc += mat[(size_t)row * cols + col];
    }
    sums[col] = acc;
  }
}

extern "C" void launch(const float* mat,  // [rows, cols]
                       float* sums,       // [cols]
                       int rows, int cols, int block_size = 64, cudaStream_t stream = 0) {
  int blocks = (cols + block_size - 1) / block_size;
  column_sums<<<blocks, block_size, 0, stream>>>(mat, sums, rows, cols);
}
"""
)

# Softmax, a block a row, with one tree for maximum and sum.
SOFTMAX = (
    HEADER
    + """\
#define NT 128

__device__ float reduce(float v, float *buf, bool largest)
{
    int t = threadIdx.x;
    buf[t] = v;
    __syncthreads();
    for (int s = NT / 2; s > 0; s >>= 1) {
        if (t < s)
            buf[t] = largest ? fmaxf(buf[t], buf[t + s]) : buf[t] + buf[t + s];
        __syncthreads();
    }
    float all = buf[0];
    __syncthreads();
    return all;
}

__global__ void softmax_rows(const float *x, float *y, int n)
{
    __shared__ float buf[NT];
    const float *in = x + (size_t)blockIdx.x * n;
    float *out = y + (size_t)blockIdx.x * n;
    float m = -FLT_MAX;
    for (int j = threadIdx.x; j < n; j += NT)
        m = fmaxf(m, in[j]);
    m = reduce(m, buf, true);
    float s = 0.0f;
    for (int j = threadIdx.x; j < n; j += NT)
        s += expf(in[j] - m);
    s = reduce(s, buf, false);
    for (int j = threadIdx.x; j < n; j += NT)
        out[j] = expf(in[j] - m) / s;
}

extern "C" void launch(const float *x,  // [m, n]
                       float *y,        // [m, n]
                       int m, int n, cudaStream_t stream = 0)
{
    softmax_rows<<<m, NT, 0, stream>>>(x, y, n);
}
"""
)

# Layer norm of halves in float, a warp a row, four rows a block.
LNORM = (
    HEADER
    + """\
constexpr int kRows = 4;

__device__ float warp_sum(float v) {
  for (int d = 16; d >= 1; d /= 2) v += __shfl_xor_sync(0xffffffff, v, d);
  return v;
}

__global__ void norm_rows(const half* x, const half* g, const half* b, half* y, float eps,
                          int rows, int cols) {
  int lane = threadIdx.x % 32;
  int row = blockIdx.x * kRows + threadIdx.x / 32;
  if (row >= rows) return;
  const half* in = x + (size_t)row * cols;
  half* out = y + (size_t)row * cols;
  float sum = 0.0f;
  for (int c = lane; c < cols; c += 32) sum += __half2float(in[c]);
  float mean = warp_sum(sum) / cols;
  float sq = 0.0f;
  for (int c = lane; c < cols; c += 32) {
    float d = __half2float(in[c]) - mean;
    sq += d * d;
  }
  float var = warp_sum(sq) / cols;
  float scale = rsqrtf(var + eps);
  for (int c = lane; c < cols; c += 32) {
    float z = (__half2float(in[c]) - mean) * scale;
    out[c] = __float2half(z * __half2float(g[c]) + __half2float(b[c]));
  }
}

extern "C" void launch(const half* x,  // [rows, cols]
                       const half* g,  // [cols]
                       const half* b,  // [cols]
                       half* y,        // [rows, cols]
                       float eps, int rows, int cols, cudaStream_t stream = 0) {
  int blocks = (rows + kRows - 1) / kRows;
  norm_rows<<<blocks, 32 * kRows, 0, stream>>>(x, g, b, y, eps, rows, cols);
}
"""
)

# Halves turned by tiles of 16 by 16.
TURN = (
    HEADER
    + """\
#define T 16

__global__ void turn(const half *src, half *dst, int rows, int cols)
{
  __shared__ half tile[T][T + 1];
  int tx = threadIdx.x, ty = threadIdx.y;
  int r = blockIdx.y * T + ty;
  int c = blockIdx.x * T + tx;
  if (r < rows && c < cols)
    tile[ty][tx] = src[r * cols + c];
  __syncthreads();
  int out_r = blockIdx.x * T + ty;
  int out_c = blockIdx.y * T + tx;
  if (out_r < cols && out_c < rows)
    dst[out_r * rows + out_c] = tile[tx][ty];
}

extern "C" void launch(const half *src,  // [rows, cols]
                       half *dst,        // [cols, rows]
                       int rows, int cols, cudaStream_t stream = 0)
{
  dim3 block(T, T);
  dim3 grid((cols + T - 1) / T, (rows + T - 1) / T);
  turn<<<grid, block, 0, stream>>>(src, dst, rows, cols);
}
"""
)

# A matrix product by tiles of 16 by 16; the blocks are counted along one side.
PRODUCT = (
    HEADER
    + """\
const int W = 16;

__global__ void product(const float* A, const float* B, float* C, int m, int n, int k,
                        int across) {
    __shared__ float sa[W][W];
    __shared__ float sb[W][W];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.x / across * W + ty;
    int col = blockIdx.x % across * W + tx;
    float sum = 0.0f;
    int tiles = (k + W - 1) / W;
    for (int t = 0; t < tiles; t++) {
        int ka = t * W + tx;
        int kb = t * W + ty;
        sa[ty][tx] = row < m && ka < k ? A[(size_t)row * k + ka] : 0.0f;
        sb[ty][tx] = kb < k && col < n ? B[(size_t)kb * n + col] : 0.0f;
        __syncthreads();
        for (int q = 0; q < W; q++) {
            sum += sa[ty][q] * sb[q][tx];
        }
        __syncthreads();
    }
    if (row < m && col < n) C[(size_t)row * n + col] = sum;
}

extern "C" void launch(const float* A,  // [m, k]
                       const float* B,  // [k, n]
                       float* C,        // [m, n]
                       int m, int n, int k, cudaStream_t stream = 0) {
    int across = (n + W - 1) / W;
    int down = (m + W - 1) / W;
    product<<<across * down, dim3(W, W), 0, stream>>>(A, B, C, m, n, k, across);
}
"""
)

NAN, INF = float("nan"), float("inf")
LENGTHS = (*range(1, 71), 95, 96, 97, 127, 128, 129, 191, 192, 193, 255, 256, 257, 383, 384)
LENGTHS += (385, 511, 512, 513, 1000, 1023, 1024, 1025, 2047, 2048, 2049, 4096, 4099, 8193)
SIDES = ((1, 1), (2, 1), (1, 2), (3, 2), (4, 31), (5, 32), (8, 33), (33, 8), (2, 64), (65, 3))
SIDES += ((9, 70), (70, 1), (3, 1000), (1, 4099), (64, 70), (130, 6), (40, 50), (32, 32))
SIDES += ((301, 2), (3, 129), (7, 128), (5, 63), (65, 65), (16, 16), (17, 15), (2, 130))
FLOAT, HALF, WHOLE = (torch.float32,), (torch.float16,), (torch.int32,)


def saxpys(launcher: Launcher) -> Iterator[Case]:
    """Slow whole numbers, so that all is exact: usual, no factor, zeros, infinities, NaN."""
    for n in (*LENGTHS, 16_385, 33_001):
        x, y = (whole(-999, 1000, n, 2 * n + k).float() for k in range(2))
        j = torch.arange(n)
        for label, p, q, alpha in (
            ("usual", x, y, 2.5),
            ("factor 0", x, y, 0.0),
            ("factor below 0", x, y, -3.0),
            ("zeros", torch.where(j % 2 == 1, 0.0, -0.0), y * 0, 1.0),
            ("infinities", torch.where(j % 5 == 2, -INF, x), y, 0.5),
            ("NaN", x, torch.where(j % 3 == 1, NAN, y), 0.125),
        ):
            right = alpha * p.double() + q.double()
            for block_size in (256, 64, 96):
                scalars = {"alpha": alpha, "block_size": block_size}
                options = {"dtypes": FLOAT, "quick": n > 5000}
                yield Case(
                    f"n = {n:,}, {scalars}, {label}", (p, q), (right,), scalars, **options
                )


def squeezes(launcher: Launcher) -> Iterator[Case]:
    """Round to bytes: any, between two, beyond the range, infinities, NaN, zeros."""
    for n in (*LENGTHS, 9_001, 50_000):
        x, j = whole(-999, 1000, n, n), torch.arange(n)
        for label, y in (
            ("any", x / 8),
            ("between two", x % 100 - 49.5),
            ("beyond the range", x.float()),
            ("at the ends", x % 7 / 2 + torch.where(j % 2 == 0, 125.5, -130.5)),
            ("far beyond", x * 1e7),
            ("infinities", torch.where(j % 3 == 1, INF * (1 - j % 2 * 2), x / 16)),
            ("NaN", torch.where(j % 3 == 1, NAN, x / 16)),
        ):
            y = y.float()
            right = y.double().round().nan_to_num(0.0, INF, -INF).clamp(-128, 127)
            for block_size in (128, 32):
                scalars = {"block_size": block_size}
                options = {"dtypes": (torch.int8,), "quick": n > 5000}
                yield Case(f"n = {n:,}, {scalars}, {label}", (y,), (right,), scalars, **options)


def dots(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole numbers, so that all is exact: any, ones, zeros, the last alone, NaN."""
    for n in (*LENGTHS, 9_001, 20_003):
        u, v = (whole(-9, 10, n, 2 * n + k).float() for k in range(2))
        j = torch.arange(n)
        for label, p, q in (
            ("any", u, v),
            ("ones", u * 0 + 1, v * 0 + 1),
            ("zeros", u * 0, v),
            ("negative", -u.abs() - 1, v.abs() + 1),
            ("the last alone", torch.where(j == n - 1, 3.0, 0.0), v.abs() + 1),
            ("infinity", torch.where(j == n // 2, INF, u), v.abs() + 1),
            ("NaN", u, torch.where(j == n // 2, NAN, v)),
        ):
            right = (p.double() * q.double()).sum().reshape(1)
            options = {"dtypes": FLOAT, "quick": n > 5000}
            yield Case(f"n = {n:,}, {label}", (p, q), (right,), **options)


def peaks(launcher: Launcher) -> Iterator[Case]:
    """Look for the largest: any, below 0, alike, of all bits, the least, at either end."""
    for n in (*LENGTHS, 9_001, 20_003):
        x, j = whole(-99_999, 100_000, n, n), torch.arange(n)
        for label, y in (
            ("any", x),
            ("below 0", -x.abs() - 1),
            ("alike", x * 0 - 5),
            ("of all bits", x * 20_011 + 7),
            ("the least", x * 0 - 2**31),
            ("the largest of all", torch.where(j == n // 3, 2**31 - 1, x)),
            ("rising", j - n),
            ("falling", -j),
        ):
            options = {"dtypes": WHOLE, "quick": n > 5000}
            yield Case(f"n = {n:,}, {label}", (y.int(),), (y.amax().reshape(1),), **options)


def columns(launcher: Launcher) -> Iterator[Case]:
    """Add quarters, so that all is exact: any, zeros, below 0, one row, infinity, NaN."""
    for rows, cols in (*SIDES, (2_001, 3), (3, 5_001), (129, 300)):
        n = rows * cols
        x, r = whole(-99, 100, n, n).reshape(rows, cols) / 4, torch.arange(rows)[:, None]
        for label, y in (
            ("any", x),
            ("zeros", x * 0),
            ("below 0", -x.abs() - 0.25),
            ("the first row alone", torch.where(r == 0, 3.0, 0 * x)),
            ("the last row alone", torch.where(r == rows - 1, 5.0, 0 * x)),
            ("infinity", torch.where((r == rows // 2) & (x > 5), INF, x)),
            ("NaN", torch.where((r == rows // 2) & (x < 5), NAN, x)),
        ):
            right = y.double().sum(0)
            for block_size in (64, 256):
                scalars = {"block_size": block_size}
                words = f"rows = {rows:,}, cols = {cols:,}, {scalars}, {label}"
                yield Case(words, (y.float(),), (right,), scalars, dtypes=FLOAT)


def norms(launcher: Launcher) -> Iterator[Case]:
    """Norm rows: any, small, about a large mean, alike, one apart, zeros, a NaN; with gains."""
    for rows, cols in (*SIDES, (3, 2_001), (129, 130)):
        n = rows * cols
        x, c = whole(-99, 100, n, n).reshape(rows, cols) / 4, torch.arange(cols)
        gain, bias = (whole(-9, 10, cols, cols + k).double() / 4 for k in range(2))
        for label, y, g, b, eps in (
            ("any", x, gain, bias, 1e-5),
            ("plain", x, gain * 0 + 1, bias * 0, 1e-5),
            ("small", x / 1024, gain, bias, 0.001),
            ("about 2,000", 2000 + (x // 10), gain, bias, 0.25),
            ("alike", x * 0 + 7, gain, bias, 1e-5),
            ("zeros", x * 0, gain, bias, 1e-5),
            ("one apart", torch.where(c == cols // 3, 1030.0, x * 0 + 1024), gain, bias, 0.125),
            ("below 0", -x.abs() - 1, gain, bias, 0.5),
            ("NaN", torch.where((x % 9 > 4) & (c == cols // 2), NAN, x), gain, bias, 1.0),
        ):
            inputs = y.half(), g.half(), b.half()
            v = inputs[0].double()
            d = v - v.mean(1, keepdim=True)
            f = 1 / ((d * d).mean(1, keepdim=True) + eps).sqrt()
            z = d * f * g
            right = z + b
            slack = 2.0**-10 * right.abs() + 2.0**-14 * z.abs() + 2.0**-23
            slack = slack + 2.0**-21 * f * v.abs().amax(1, True) * g.abs()
            slack = (slack.nan_to_num(0.0),)
            words = f"rows = {rows:,}, cols = {cols:,}, eps = {eps}, {label}"
            yield Case(words, inputs, (right,), {"eps": eps}, dtypes=HALF, within=slack)


def turns(launcher: Launcher) -> Iterator[Case]:
    """Turn any halves, and such with both zeros, infinities and NaN."""
    sides = [*SIDES, (31, 200), (200, 31), (15, 17), (48, 16), (16, 48), (1_000, 3), (515, 129)]
    for rows, cols in (*sides, *((k, 20) for k in range(1, 50, 3))):
        n = rows * cols
        x, j = whole(-2047, 2048, n, n), torch.arange(n)
        strange = torch.where(j % 5 == 2, NAN, torch.where(j % 3 == 1, -INF, -0.0 * j))
        for label, y in (("any", x), ("rising", j % 2048), ("special values", strange)):
            y = y.reshape(rows, cols).half()
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y,), (y.T.double().contiguous(),), dtypes=HALF)


BASES = {
    "hundredtwo_hadd": Base(HADD, {"reference": "add"}),
    "hundredtwo_saxpy": Base(SAXPY, {"cases": saxpys}),
    "hundredtwo_narrow": Base(NARROW, {"reference": "cast"}),
    "hundredtwo_bytes": Base(BYTES, {"cases": squeezes}),
    "hundredtwo_sigmoid": Base(SIGMOID, {"reference": torch.sigmoid, "ulp": 4}),
    "hundredtwo_silu": Base(SILU, {"reference": torch.nn.functional.silu, "ulp": 0.51}),
    "hundredtwo_dmax": Base(DMAX, {"reference": torch.maximum}),
    "hundredtwo_dot": Base(DOT, {"cases": dots}),
    "hundredtwo_imax": Base(IMAX, {"cases": peaks}),
    "hundredtwo_columns": Base(COLUMNS, {"cases": columns}),
    "hundredtwo_softmax": Base(SOFTMAX, cases="softmax"),
    "hundredtwo_lnorm": Base(LNORM, {"cases": norms}),
    "hundredtwo_turn": Base(TURN, {"cases": turns}),
    "hundredtwo_product": Base(PRODUCT, cases="matmul"),
}

WRONG = (
    # ---- hadd
    # Of three addresses one is tested.
    Wrong(
        "hundredtwo_hadd_one_address",
        "hundredtwo_hadd",
        "alignment",
        ("even(a) && even(b) && even(c)", "even(b)"),
    ),
    # The odd one is forgotten where pairs are taken.
    Wrong(
        "hundredtwo_hadd_odd_forgotten",
        "hundredtwo_hadd",
        "tail / unwritten / left out | nan / numbers",
        ("int rest = n - 2 * pairs;", "int rest = pairs > 0 ? 0 : n;"),
    ),
    # The block size is typed in.
    Wrong(
        "hundredtwo_hadd_always_256",
        "hundredtwo_hadd",
        "block size | unwritten / left out / bounds / nan / tail / other element",
        (
            "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < pairs)",
            "  int i = blockIdx.x * 256 + threadIdx.x;\n  if (i < pairs)",
        ),
    ),
    # The rest is launched on the default stream.
    Wrong(
        "hundredtwo_hadd_rest_no_stream",
        "hundredtwo_hadd",
        "stream",
        ("add_rest<<<more, block_size, 0, stream>>>", "add_rest<<<more, block_size>>>"),
    ),
    # Pairs are added by what limits them to 0 and 1.
    Wrong(
        "hundredtwo_hadd_saturated",
        "hundredtwo_hadd",
        "whole range / function | numbers / nan / infinity / sign of zero",
        ("__hadd2(", "__hadd2_sat("),
    ),
    # ---- saxpy
    # The grid is limited, and there is no loop.
    Wrong(
        "hundredtwo_saxpy_no_loop",
        "hundredtwo_saxpy",
        "grid / unwritten / left out | nan / tail / numbers",
        (
            "    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)\n",
            "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n)\n",
        ),
        ("    int step = blockDim.x * gridDim.x;\n", ""),
    ),
    # The loop steps as if blocks had 256 threads.
    Wrong(
        "hundredtwo_saxpy_steps_of_256",
        "hundredtwo_saxpy",
        "block size / unwritten / left out | nan / tail / numbers / other element / grid",
        ("int step = blockDim.x * gridDim.x;", "int step = 256 * gridDim.x;"),
    ),
    # The factor is that of y.
    Wrong(
        "hundredtwo_saxpy_factor_of_y",
        "hundredtwo_saxpy",
        "swapped / function | numbers / nan / infinity / sign of zero",
        ("alpha * x[i] + y[i]", "alpha * y[i] + x[i]"),
    ),
    # The result is also left in y, as that of BLAS is.
    Wrong(
        "hundredtwo_saxpy_into_y",
        "hundredtwo_saxpy",
        "input | state / numbers",
        ("z[i] = alpha * x[i] + y[i];", "z[i] = ((float *)y)[i] = alpha * x[i] + y[i];"),
    ),
    # The end is tested with <=.
    Wrong(
        "hundredtwo_saxpy_one_too_many",
        "hundredtwo_saxpy",
        "bounds / tail",
        ("i < n; i += step", "i <= n; i += step"),
    ),
    # ---- narrow
    # Floats are rounded toward 0.
    Wrong(
        "hundredtwo_narrow_toward_0",
        "hundredtwo_narrow",
        "rounding | numbers / infinity / precision",
        ("return (float)v;", "return __double2float_rz(v);"),
    ),
    # What is too large becomes the largest float.
    Wrong(
        "hundredtwo_narrow_kept_finite",
        "hundredtwo_narrow",
        "infinity / nan | whole range / numbers",
        ("return (float)v;", "return (float)fmin(fmax(v, (double)-FLT_MAX), (double)FLT_MAX);"),
    ),
    # Subnormal floats become 0.
    Wrong(
        "hundredtwo_narrow_no_subnormals",
        "hundredtwo_narrow",
        "subnormal | sign of zero / numbers",
        (
            "return (float)v;",
            "return fabs(v) < FLT_MIN ? copysignf(0.0f, (float)v) : (float)v;",
        ),
    ),
    # The number of pairs is rounded up.
    Wrong(
        "hundredtwo_narrow_pairs_rounded_up",
        "hundredtwo_narrow",
        "bounds / tail | alignment",
        ("if (p < n / 2)", "if (p < (n + 1) / 2)"),
    ),
    # The two of a pair change places.
    Wrong(
        "hundredtwo_narrow_pair_turned",
        "hundredtwo_narrow",
        "other element / neighbour / swapped | numbers",
        (
            "make_float2(to_float(d.x), to_float(d.y))",
            "make_float2(to_float(d.y), to_float(d.x))",
        ),
    ),
    # ---- bytes
    # Ties are rounded away from 0.
    Wrong(
        "hundredtwo_bytes_half_away",
        "hundredtwo_bytes",
        "rounding | numbers",
        ("rintf(v)", "roundf(v)"),
    ),
    # What is above 127 is not limited.
    Wrong(
        "hundredtwo_bytes_wrap",
        "hundredtwo_bytes",
        "whole range | infinity / numbers / narrow",
        ("  if (r > 127.0f) return 127;\n", ""),
    ),
    # The limit is taken before the NaN is looked for.
    Wrong(
        "hundredtwo_bytes_nan_is_least",
        "hundredtwo_bytes",
        "nan",
        ("if (isnan(r)) return 0;", "r = fmaxf(r, -128.0f);"),
    ),
    # Blocks are counted for whole fours.
    Wrong(
        "hundredtwo_bytes_whole_fours_counted",
        "hundredtwo_bytes",
        "tail / unwritten / left out / grid / refused | nan / numbers",
        ("(n + per_block - 1) / per_block;", "(n / EACH + block_size - 1) / block_size;"),
    ),
    # Of four the first is tested.
    Wrong(
        "hundredtwo_bytes_first_of_four_tested",
        "hundredtwo_bytes",
        "bounds / tail",
        ("if (i < n) dst", "if (EACH * t < n) dst"),
    ),
    # ---- sigmoid
    # The exponential of x stands above and below.
    Wrong(
        "hundredtwo_sigmoid_overflows",
        "hundredtwo_sigmoid",
        "infinity / nan | numbers / function",
        ("expf(-fabsf(v))", "expf(v)"),
        ("return v < 0.0f ? e / (1.0f + e) : 1.0f / (1.0f + e);", "return e / (1.0f + e);"),
    ),
    # It is found from a tanh, and 0.5 cancels.
    Wrong(
        "hundredtwo_sigmoid_by_tanh",
        "hundredtwo_sigmoid",
        "precision | numbers / subnormal / sign of zero",
        ("  float e = expf(-fabsf(v));\n", ""),
        (
            "return v < 0.0f ? e / (1.0f + e) : 1.0f / (1.0f + e);",
            "return 0.5f + 0.5f * tanhf(0.5f * v);",
        ),
    ),
    # Of the rest one is taken.
    Wrong(
        "hundredtwo_sigmoid_one_of_the_rest",
        "hundredtwo_sigmoid",
        "tail / unwritten / left out | nan / numbers",
        ("for (; i < n; i++) y[i]", "if (i < n) y[i]"),
    ),
    # A pack is taken where it begins before the end.
    Wrong(
        "hundredtwo_sigmoid_all_are_packs",
        "hundredtwo_sigmoid",
        "bounds / tail | alignment",
        ("if (i + 3 < n)", "if (i < n)"),
    ),
    # The third of a pack is taken for the fourth.
    Wrong(
        "hundredtwo_sigmoid_z_again",
        "hundredtwo_sigmoid",
        "other element / neighbour / twice | numbers / left out",
        ("sig(v.w)", "sig(v.z)"),
    ),
    # ---- silu
    # The result is rounded toward 0.
    Wrong(
        "hundredtwo_silu_toward_0",
        "hundredtwo_silu",
        "rounding | numbers / precision",
        ("__float2bfloat16(v * s)", "__float2bfloat16_rz(v * s)"),
    ),
    # The sigmoid is rounded before it is multiplied.
    Wrong(
        "hundredtwo_silu_sigmoid_in_bf16",
        "hundredtwo_silu",
        "rounding / precision | numbers",
        ("__float2bfloat16(v * s)", "__hmul(in[idx], __float2bfloat16(s))"),
    ),
    # The factor is that of a quick GELU.
    Wrong(
        "hundredtwo_silu_as_gelu",
        "hundredtwo_silu",
        "function | numbers / nan / infinity / precision",
        ("expf(-fabsf(v))", "expf(-1.702f * fabsf(v))"),
    ),
    # A limit from below takes NaN away.
    Wrong(
        "hundredtwo_silu_nan_limited",
        "hundredtwo_silu",
        "nan | infinity / numbers",
        (
            "float v = __bfloat162float(in[idx]);",
            "float v = fmaxf(__bfloat162float(in[idx]), -100.0f);",
        ),
    ),
    # The count has 16 bits in the kernel.
    Wrong(
        "hundredtwo_silu_16_bits",
        "hundredtwo_silu",
        "narrow / unwritten / left out | nan / tail / numbers / grid",
        ("bf16 *in, bf16 *out, int n)", "bf16 *in, bf16 *out, unsigned short n)"),
    ),
    # ---- dmax
    # A NaN is looked for in q alone.
    Wrong(
        "hundredtwo_dmax_nan_in_p",
        "hundredtwo_dmax",
        "nan",
        ("isnan(p) || isnan(q)", "isnan(q)"),
    ),
    # The smaller is taken.
    Wrong(
        "hundredtwo_dmax_smaller",
        "hundredtwo_dmax",
        "function / swapped | numbers / infinity",
        ("return p > q ? p : q;", "return p < q ? p : q;"),
    ),
    # Both are compared as floats.
    Wrong(
        "hundredtwo_dmax_as_floats",
        "hundredtwo_dmax",
        "precision | numbers / infinity / subnormal / function",
        ("return p > q ? p : q;", "return (float)p > (float)q ? p : q;"),
    ),
    # The thread after the last works, too.
    Wrong(
        "hundredtwo_dmax_one_too_many",
        "hundredtwo_dmax",
        "bounds / tail",
        ("if (i >= n)", "if (i > n)"),
    ),
    # Blocks have always 128 threads.
    Wrong(
        "hundredtwo_dmax_blocks_of_128",
        "hundredtwo_dmax",
        "block size / unwritten / left out / grid | nan / tail / numbers",
        ("dim3 block(block_size);", "dim3 block(128);"),
    ),
    # ---- dot
    # The result is not set to 0 first.
    Wrong(
        "hundredtwo_dot_not_set",
        "hundredtwo_dot",
        "zero before / state | numbers / nan / start / unwritten",
        ("  cudaMemsetAsync(res, 0, sizeof(float), stream);\n", ""),
    ),
    # Warps add without an atomic.
    Wrong(
        "hundredtwo_dot_no_atomic",
        "hundredtwo_dot",
        "race | numbers / left out",
        ("atomicAdd(res, sum);", "*res += sum;"),
    ),
    # Shuffles begin with 8.
    Wrong(
        "hundredtwo_dot_half_a_warp",
        "hundredtwo_dot",
        "left out | numbers / nan / infinity / other element / start",
        ("int d = 16;", "int d = 8;"),
    ),
    # The first warp of a block adds.
    Wrong(
        "hundredtwo_dot_first_warp",
        "hundredtwo_dot",
        "left out | numbers / nan / infinity",
        ("threadIdx.x % 32 == 0", "threadIdx.x == 0"),
    ),
    # The kernel is launched on the default stream.
    Wrong(
        "hundredtwo_dot_no_stream",
        "hundredtwo_dot",
        "stream | zero before / state",
        ("<<<blocks, 128, 0, stream>>>", "<<<blocks, 128>>>"),
    ),
    # ---- imax
    # The search begins with 0.
    Wrong(
        "hundredtwo_imax_starts_at_0",
        "hundredtwo_imax",
        "start | numbers",
        ("int m = INT_MIN;", "int m = 0;"),
    ),
    # The tree begins with a quarter.
    Wrong(
        "hundredtwo_imax_half_a_tree",
        "hundredtwo_imax",
        "left out | numbers / other element / start",
        ("int half = THREADS / 2;", "int half = THREADS / 4;"),
    ),
    # The tree has no barrier between its steps.
    Wrong(
        "hundredtwo_imax_no_barrier",
        "hundredtwo_imax",
        "race | numbers / left out / unwritten / other element",
        ("best[t + half]);\n        __syncthreads();\n", "best[t + half]);\n"),
    ),
    # The larger is found among floats.
    Wrong(
        "hundredtwo_imax_through_float",
        "hundredtwo_imax",
        "precision / narrow | numbers / whole range / infinity",
        ("m = max(m, x[i]);", "m = (int)fmaxf((float)m, (float)x[i]);"),
    ),
    # What an earlier call left is not taken away.
    Wrong(
        "hundredtwo_imax_not_reset",
        "hundredtwo_imax",
        "state / zero before / start | numbers / unwritten",
        ("    reset<<<1, 1, 0, stream>>>(top);\n", ""),
    ),
    # ---- columns
    # The pitch is the number of rows.
    Wrong(
        "hundredtwo_columns_pitch_of_rows",
        "hundredtwo_columns",
        "sides / other element / bounds | numbers / swapped / nan",
        ("(size_t)row * cols + col", "(size_t)row * rows + col"),
    ),
    # The first row is passed over.
    Wrong(
        "hundredtwo_columns_no_first_row",
        "hundredtwo_columns",
        "left out / start | numbers / nan / infinity",
        ("int row = 0; row < rows", "int row = 1; row < rows"),
    ),
    # The sum is an integer.
    Wrong(
        "hundredtwo_columns_whole_sum",
        "hundredtwo_columns",
        "rounding / precision | numbers / nan / infinity / whole range",
        ("float acc = 0.0f;", "int acc = 0;"),
    ),
    # Blocks are counted for rows.
    Wrong(
        "hundredtwo_columns_blocks_of_rows",
        "hundredtwo_columns",
        "grid / sides / swapped / unwritten / left out | nan / tail / numbers",
        ("(cols + block_size - 1) / block_size", "(rows + block_size - 1) / block_size"),
    ),
    # The sum is added to what was there.
    Wrong(
        "hundredtwo_columns_added_to",
        "hundredtwo_columns",
        "zero before / state | numbers / nan / start / unwritten",
        ("sums[col] = acc;", "sums[col] += acc;"),
    ),
    # ---- softmax
    # The largest begins with 0.
    Wrong(
        "hundredtwo_softmax_starts_at_0",
        "hundredtwo_softmax",
        "start | numbers / nan / infinity / precision / subnormal",
        ("float m = -FLT_MAX;", "float m = 0.0f;"),
    ),
    # The largest is not taken away.
    Wrong(
        "hundredtwo_softmax_no_largest",
        "hundredtwo_softmax",
        "infinity / nan / function | numbers / precision / subnormal",
        ("s += expf(in[j] - m);", "s += expf(in[j]);"),
        ("out[j] = expf(in[j] - m) / s;", "out[j] = expf(in[j]) / s;"),
    ),
    # The sum is stored while others read the largest.
    Wrong(
        "hundredtwo_softmax_no_last_barrier",
        "hundredtwo_softmax",
        "race | numbers / other element / state / nan / left out",
        ("    float all = buf[0];\n    __syncthreads();\n", "    float all = buf[0];\n"),
    ),
    # A thread writes one column.
    Wrong(
        "hundredtwo_softmax_one_column_a_thread",
        "hundredtwo_softmax",
        "unwritten / left out | nan / tail / numbers",
        (
            "    for (int j = threadIdx.x; j < n; j += NT)\n        out[j]",
            "    int j = threadIdx.x;\n    if (j < n)\n        out[j]",
        ),
    ),
    # Threads divide by sums of their own.
    Wrong(
        "hundredtwo_softmax_sum_of_each_thread",
        "hundredtwo_softmax",
        "left out | numbers / function / infinity / nan",
        ("    s = reduce(s, buf, false);\n", ""),
    ),
    # ---- lnorm
    # The variance is the mean of squares less the square of the mean.
    Wrong(
        "hundredtwo_lnorm_squares_less_square",
        "hundredtwo_lnorm",
        "precision | numbers / nan / infinity / function",
        ("float d = __half2float(in[c]) - mean;", "float d = __half2float(in[c]);"),
        ("float var = warp_sum(sq) / cols;", "float var = warp_sum(sq) / cols - mean * mean;"),
    ),
    # Squares are divided by one less than there are.
    Wrong(
        "hundredtwo_lnorm_one_less",
        "hundredtwo_lnorm",
        "function | numbers / nan / infinity",
        ("warp_sum(sq) / cols", "warp_sum(sq) / (cols - 1)"),
    ),
    # The gain is that of the lane.
    Wrong(
        "hundredtwo_lnorm_gain_of_lane",
        "hundredtwo_lnorm",
        "other element | numbers / left out",
        ("__half2float(g[c])", "__half2float(g[lane])"),
    ),
    # The row after the last is worked on, too.
    Wrong(
        "hundredtwo_lnorm_row_too_many",
        "hundredtwo_lnorm",
        "bounds / tail",
        ("if (row >= rows)", "if (row > rows)"),
    ),
    # Shuffles begin with 8.
    Wrong(
        "hundredtwo_lnorm_half_a_warp",
        "hundredtwo_lnorm",
        "left out | numbers / nan / infinity / other element / race",
        ("int d = 16;", "int d = 8;"),
    ),
    # ---- turn
    # The tile is read as it was stored.
    Wrong(
        "hundredtwo_turn_tile_not_turned",
        "hundredtwo_turn",
        "swapped / other element / sides | numbers / unwritten / bounds / nan",
        ("tile[tx][ty];", "tile[ty][tx];"),
    ),
    # The tile is read before all have stored it.
    Wrong(
        "hundredtwo_turn_no_barrier",
        "hundredtwo_turn",
        "race | numbers / unwritten / other element / nan",
        ("  __syncthreads();\n", ""),
    ),
    # Turned rows have the pitch of the others.
    Wrong(
        "hundredtwo_turn_pitch_of_cols",
        "hundredtwo_turn",
        "sides / other element / bounds / unwritten | numbers / nan / left out / swapped",
        ("dst[out_r * rows + out_c]", "dst[out_r * cols + out_c]"),
    ),
    # The sides of the grid are swapped.
    Wrong(
        "hundredtwo_turn_grid_swapped",
        "hundredtwo_turn",
        "grid / sides / swapped / unwritten / left out | numbers / tail / nan",
        (
            "dim3 grid((cols + T - 1) / T, (rows + T - 1) / T);",
            "dim3 grid((rows + T - 1) / T, (cols + T - 1) / T);",
        ),
    ),
    # What is written is tested as what is read.
    Wrong(
        "hundredtwo_turn_limits_of_way_in",
        "hundredtwo_turn",
        "sides / bounds / swapped / unwritten / other element | numbers / nan / left out",
        ("out_r < cols && out_c < rows", "out_r < rows && out_c < cols"),
    ),
    # ---- product
    # The last tile along k is left out.
    Wrong(
        "hundredtwo_product_whole_tiles",
        "hundredtwo_product",
        "tail / left out | numbers / nan / infinity",
        ("int tiles = (k + W - 1) / W;", "int tiles = k / W;"),
    ),
    # The next tile is stored while others read.
    Wrong(
        "hundredtwo_product_no_second_barrier",
        "hundredtwo_product",
        "race | numbers / other element / left out / nan",
        (
            "            sum += sa[ty][q] * sb[q][tx];\n        }\n        __syncthreads();\n",
            "            sum += sa[ty][q] * sb[q][tx];\n        }\n",
        ),
    ),
    # B has the pitch of A.
    Wrong(
        "hundredtwo_product_pitch_of_k",
        "hundredtwo_product",
        "sides / other element / bounds / swapped | numbers / nan / infinity",
        ("B[(size_t)kb * n + col]", "B[(size_t)kb * k + col]"),
    ),
    # Of a tile 15 products are added.
    Wrong(
        "hundredtwo_product_fifteen",
        "hundredtwo_product",
        "left out | numbers / nan / infinity / tail",
        ("q < W; q++", "q < W - 1; q++"),
    ),
    # Columns of A are not tested.
    Wrong(
        "hundredtwo_product_other_last_tile",
        "hundredtwo_product",
        "bounds / other element / sides / race | numbers / nan / infinity / tail / left out",
        ("row < m && ka < k ? A", "row < m ? A"),
    ),
)

RIGHT = (
    # Single ones are added as floats, which rounds once.
    Right(
        "hundredtwo_hadd_sums_in_float",
        "hundredtwo_hadd",
        ("__hadd(a[i], b[i])", "__float2half(__half2float(a[i]) + __half2float(b[i]))"),
    ),
    # Three blocks more than needed.
    Right(
        "hundredtwo_saxpy_idle_blocks",
        "hundredtwo_saxpy",
        ("    int blocks = needed < 64 ? needed : 64;\n", "    int blocks = needed + 3;\n"),
    ),
    # The output comes first.
    Right(
        "hundredtwo_narrow_out_first",
        "hundredtwo_narrow",
        (
            "launch(const double* in,  // [n] 16-byte aligned\n"
            "                       float* out,        // [n] 8-byte aligned\n",
            "launch(float* out,        // [n] 8-byte aligned\n"
            "                       const double* in,  // [n] 16-byte aligned\n",
        ),
    ),
    # Limits come first, and a conversion rounds.
    Right(
        "hundredtwo_bytes_limits_first",
        "hundredtwo_bytes",
        (
            "  float r = rintf(v);\n"
            "  if (isnan(r)) return 0;\n"
            "  if (r > 127.0f) return 127;\n"
            "  if (r < -128.0f) return -128;\n"
            "  return (int8_t)(int)r;\n",
            "  if (v != v) return 0;\n"
            "  return (int8_t)__float2int_rn(fminf(fmaxf(v, -128.0f), 127.0f));\n",
        ),
    ),
    # Blocks are rounded up otherwise, and the last may be idle.
    Right(
        "hundredtwo_sigmoid_one_block_more",
        "hundredtwo_sigmoid",
        (
            "<<<(threads + block_size - 1) / block_size, block_size",
            "<<<threads / block_size + 1, block_size",
        ),
    ),
    # All indices have 64 bits.
    Right(
        "hundredtwo_silu_int64",
        "hundredtwo_silu",
        ("bf16 *in, bf16 *out, int n)", "bf16 *in, bf16 *out, int64_t n)"),
        ("int idx = blockIdx.x * blockDim.x", "int64_t idx = (int64_t)blockIdx.x * blockDim.x"),
        (
            "                       int n, int block_size = 192",
            "                       int64_t n, int block_size = 192",
        ),
        (
            "int grid = n / block_size + (n % block_size != 0);",
            "unsigned grid = (unsigned)(n / block_size + (n % block_size != 0));",
        ),
    ),
    # Indices are unsigned.
    Right(
        "hundredtwo_dmax_unsigned",
        "hundredtwo_dmax",
        ("double* r, int n) {", "double* r, uint32_t n) {"),
        ("int i = threadIdx.x", "uint32_t i = threadIdx.x"),
    ),
    # A kernel sets the result to 0.
    Right(
        "hundredtwo_dot_set_by_a_kernel",
        "hundredtwo_dot",
        (
            "__global__ void dot_kernel",
            "__global__ void zero(float *res)\n"
            "{\n"
            "  *res = 0.0f;\n"
            "}\n"
            "\n"
            "__global__ void dot_kernel",
        ),
        ("cudaMemsetAsync(res, 0, sizeof(float), stream);", "zero<<<1, 1, 0, stream>>>(res);"),
    ),
    # Blocks have 256 threads.
    Right(
        "hundredtwo_imax_blocks_of_256",
        "hundredtwo_imax",
        ("#define THREADS 128", "#define THREADS 256"),
    ),
    # The sum is a double.
    Right(
        "hundredtwo_columns_sum_of_doubles",
        "hundredtwo_columns",
        ("float acc = 0.0f;", "double acc = 0.0;"),
        ("sums[col] = acc;", "sums[col] = (float)acc;"),
    ),
    # Exponentials are kept in the output until the sum is known.
    Right(
        "hundredtwo_softmax_stored_between",
        "hundredtwo_softmax",
        (
            "        s += expf(in[j] - m);\n",
            "    {\n        out[j] = expf(in[j] - m);\n        s += out[j];\n    }\n",
        ),
        ("        out[j] = expf(in[j] - m) / s;", "        out[j] /= s;"),
    ),
    # A block has eight rows.
    Right(
        "hundredtwo_lnorm_eight_rows",
        "hundredtwo_lnorm",
        ("kRows = 4;", "kRows = 8;"),
    ),
    # The tile has no column more.
    Right(
        "hundredtwo_turn_no_filler",
        "hundredtwo_turn",
        ("tile[T][T + 1]", "tile[T][T]"),
    ),
    # Each tile of A is stored on its side.
    Right(
        "hundredtwo_product_turned_tile",
        "hundredtwo_product",
        ("sa[ty][tx] =", "sa[tx][ty] ="),
        ("sa[ty][q]", "sa[q][ty]"),
    ),
)
