"""Hold a ninety-eighth family: plain operators of a first half year, and their mistakes.

Its bases are bfloat16 plus bfloat16 in packs of two, a difference of squares, halves to floats
in packs of eight, floats to bytes that saturate, the tanh of doubles, softplus, square roots in
float4, a sum of 32 bits into 64 by shuffles, a mean by atomics, the smallest of each row,
softmax of rows that lie in shared memory, layer norm with a gain by a thread a row, a transpose
without a tile, and a product of halves by tiles. They have 12 to 45 lines, in several hands.
Their mistakes are spread over alignment, sizes, grids, values, rounding, NaN, infinity, an
input that is written, sums, transposes, products, order and a stream. The causes were written
before a member was judged. There are 70 wrong members and 14 right ones. On the emulator each
ran beside PyTorch, compared as a case does, called twice on the same tensors, with NaN and with
1e3 in floating outputs (-1, 77 and others in integers), with tensors at either end of their
pages, the bytes behind them and their inputs looked at afterwards, on a stream that is not the
default one, with threads in order, from the last to the first and in a random order, and in the
slices that the cases name. Bases and right ones ran all cases; wrong ones until they were wrong
often enough. Of those that lack a barrier not each is wrong in every order of threads. nvcc
13.0 compiles each base for 8.0; none was run on a GPU. Bases and right ones are right, and all
others wrong or refused by a fault:

    ninetyeight_pairs_b_anywhere            from 2 numbers on, by the address of b
    ninetyeight_pairs_odd_left              of odd counts
    ninetyeight_pairs_half_a_pair           of odd counts
    ninetyeight_pairs_always_256            of other block sizes, from a second block on
    ninetyeight_pairs_cut_off               of sums between two numbers, in pairs
    ninetyeight_squares_other_way           unless the squares are alike
    ninetyeight_squares_of_difference       of nearly all
    ninetyeight_squares_one_too_many        of all counts
    ninetyeight_squares_no_loop             from 5,121 numbers on
    ninetyeight_squares_no_stream           on another stream than the default one
    ninetyeight_widen_one_address           from 8 numbers on, by the address of out alone
    ninetyeight_widen_last_eight            where addresses are round, unless 8 divides n
    ninetyeight_widen_halves_exchanged      from 8 numbers on, where addresses are round
    ninetyeight_widen_blocks_rounded_down   as 1,025 to 1,031 numbers at 128
    ninetyeight_widen_seven_of_eight        from 8 numbers on, where an address is not round
    ninetyeight_bytes_cut_off               of what lies above a half
    ninetyeight_bytes_ties_up               of every other tie
    ninetyeight_bytes_limit_256             from 255.5 on, below 256
    ninetyeight_bytes_nan_is_255            of NaN
    ninetyeight_bytes_below_0_wraps         from -0.5 down
    ninetyeight_tanh_of_floats              of nearly all
    ninetyeight_tanh_by_exponentials        from about 355 on, and near 0
    ninetyeight_tanh_blocks_rounded_down    of many, unless the block size divides n
    ninetyeight_tanh_one_too_many           unless the block size divides n
    ninetyeight_tanh_thread_only            from a second block on
    ninetyeight_softplus_of_the_book        from 89 on, and below 0
    ninetyeight_softplus_log_of_sum         below 0
    ninetyeight_softplus_no_magnitude       below 0
    ninetyeight_softplus_early_line         a little above 4
    ninetyeight_softplus_base_2             of nearly all
    ninetyeight_roots_y_anywhere            from 4 numbers on, by the address of y
    ninetyeight_roots_clamped               of numbers below 0
    ninetyeight_roots_w_forgotten           from 4 numbers on
    ninetyeight_roots_rest_less_1           unless 4 divides n
    ninetyeight_roots_in_place              from 4 numbers on: x is overwritten
    ninetyeight_total_not_set               unless the output holds 0
    ninetyeight_total_int                   if the sum of a warp goes beyond 32 bits
    ninetyeight_total_seven_warps           from 225 numbers on
    ninetyeight_total_from_8                from 17 numbers on
    ninetyeight_total_half_set              unless the upper half of the output holds 0
    ninetyeight_mean_no_atomic              from a second block on
    ninetyeight_mean_tree_from_32           from 65 numbers on
    ninetyeight_mean_of_whole_blocks        unless 128 divides n
    ninetyeight_mean_integer_division       from 2 numbers on
    ninetyeight_mean_no_barrier_in_tree     where threads do not wait for another
    ninetyeight_least_from_0                of rows above 0
    ninetyeight_least_without_nan           of NaN
    ninetyeight_least_pitch_of_rows         from 2 rows on, unless they are square
    ninetyeight_least_tree_ends_early       from 2 columns on
    ninetyeight_least_one_column            from 65 columns on
    ninetyeight_soft_no_maximum             of large numbers, and far below 0
    ninetyeight_soft_from_0                 of rows that are far below 0
    ninetyeight_soft_no_barrier             where threads do not wait for another
    ninetyeight_soft_own_sum                from 2 columns on
    ninetyeight_soft_first_row              from 2 rows on
    ninetyeight_norm_of_sample              of nearly all
    ninetyeight_norm_eps_outside            of nearly all
    ninetyeight_norm_gain_of_row            of nearly all
    ninetyeight_norm_squares_less_square    of rows with a mean far from 0
    ninetyeight_norm_no_root                of nearly all
    ninetyeight_flip_pitch_of_way_in        unless the sides are alike
    ninetyeight_flip_grid_swapped           from 33 columns on, with fewer rows
    ninetyeight_flip_copied                 unless a side is 1
    ninetyeight_flip_one_column_more        unless 32 divides the columns
    ninetyeight_flip_one_row_a_thread       from 513 rows on
    ninetyeight_product_whole_tiles         unless 16 divides k
    ninetyeight_product_sum_of_halves       beyond 2,048
    ninetyeight_product_no_second_barrier   from k = 17 on, where threads do not wait
    ninetyeight_product_tile_across         of nearly all
    ninetyeight_product_pitch_of_a          unless n and k are alike
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case, ElementwiseMaker, elementwise_cases
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import whole

# bfloat16 plus bfloat16, two a thread; the thread of an odd last one adds it alone.
PAIRS = (
    HEADER
    + """\
__global__ void add_pairs(const __nv_bfloat16 *a, const __nv_bfloat16 *b, __nv_bfloat16 *c,
                          int n)
{
    int k = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (k + 1 < n) {
        __nv_bfloat162 u = *(const __nv_bfloat162 *)(a + k);
        __nv_bfloat162 v = *(const __nv_bfloat162 *)(b + k);
        *(__nv_bfloat162 *)(c + k) = __hadd2(u, v);
    } else if (k < n) {
        c[k] = __hadd(a[k], b[k]);
    }
}

extern "C" void launch(const __nv_bfloat16 *a,  // [n] 4-byte aligned
                       const __nv_bfloat16 *b,  // [n] 4-byte aligned
                       __nv_bfloat16 *c,        // [n] 4-byte aligned
                       int n, int block_size = 256, cudaStream_t stream = 0)
{
    int pairs = (n + 1) / 2;
    int blocks = (pairs + block_size - 1) / block_size;
    add_pairs<<<blocks, block_size, 0, stream>>>(a, b, c, n);
}
"""
)

# The square of one less the square of the other, in a loop over a grid of at most 40 blocks.
SQUARES = (
    HEADER
    + """\
static const int THREADS = 128;

__global__ void squares(const float* p, const float* q, float* r, int n) {
  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
    float u = p[i];
    float v = q[i];
    r[i] = u * u - v * v;
  }
}

extern "C" void launch(const float* p,  // [n]
                       const float* q,  // [n]
                       float* r,        // [n]
                       int n, cudaStream_t stream = 0) {
  int grid = (n + THREADS - 1) / THREADS;
  if (grid > 40) grid = 40;
  squares<<<grid, THREADS, 0, stream>>>(p, q, r, n);
}
"""
)

# Half to float, eight a thread where both addresses are round, else one by one.
WIDEN = (
    HEADER
    + """\
__global__ void widen8(const half* in, float* out, bool packs, int n)
{
  int first = 8 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (packs && first + 8 <= n)
  {
    uint4 raw = *reinterpret_cast<const uint4*>(in + first);
    const half2* h = reinterpret_cast<const half2*>(&raw);
    float2 f0 = __half22float2(h[0]), f1 = __half22float2(h[1]);
    float2 f2 = __half22float2(h[2]), f3 = __half22float2(h[3]);
    float4* to = reinterpret_cast<float4*>(out + first);
    to[0] = make_float4(f0.x, f0.y, f1.x, f1.y);
    to[1] = make_float4(f2.x, f2.y, f3.x, f3.y);
    return;
  }
  for (int j = first; j < first + 8 && j < n; ++j)
    out[j] = __half2float(in[j]);
}

extern "C" void launch(const half* in,  // [n]
                       float* out,      // [n]
                       int n, int block_size = 128, cudaStream_t stream = 0)
{
  bool packs = ((uintptr_t)in & 15) == 0 && ((uintptr_t)out & 15) == 0;
  int per_block = 8 * block_size;
  int blocks = (n + per_block - 1) / per_block;
  widen8<<<blocks, block_size, 0, stream>>>(in, out, packs, n);
}
"""
)

# Float to a byte: to the nearest, limits at both ends, NaN becomes 0.
BYTES = (
    HEADER
    + """\
__device__ uint8_t to_byte(float v)
{
    if (!(v > 0.0f))
        return 0;
    if (v >= 255.0f)
        return 255;
    return (uint8_t)__float2int_rn(v);
}

__global__ void to_bytes(const float *x, uint8_t *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = to_byte(x[i]);
}

extern "C" void launch(const float *x,  // [n]
                       uint8_t *y,      // [n]
                       int n, int block_size = 256, cudaStream_t stream = 0)
{
    int blocks = (n + block_size - 1) / block_size;
    to_bytes<<<blocks, block_size, 0, stream>>>(x, y, n);
}
"""
)

# The tanh of doubles, one a thread.
TANH = (
    HEADER
    + """\
__global__ void tanh_kernel(const double* __restrict__ src, double* __restrict__ dst,
                            int count) {
  const int idx = threadIdx.x + blockIdx.x * blockDim.x;
  if (idx >= count) return;
  const double value = src[idx];
  dst[idx] = tanh(value);
}

extern "C" void launch(const double* src,  // [count]
                       double* dst,        // [count]
                       int count, int block_size = 128, cudaStream_t stream = 0) {
  const int num_blocks = (count + block_size - 1) / block_size;
  tanh_kernel<<<num_blocks, block_size, 0, stream>>>(src, dst, count);
}
"""
)

# Softplus: what is above 0, and the logarithm of 1 and an exponential that cannot overflow.
SOFTPLUS = (
    HEADER
    + """\
__device__ __forceinline__ float softplus(float x)
{
    float small = expf(-fabsf(x));
    return fmaxf(x, 0.0f) + log1pf(small);
}

__global__ void apply_softplus(const float *x, float *y, int n)
{
    int step = blockDim.x * gridDim.x;
    for (int i = blockDim.x * blockIdx.x + threadIdx.x; i < n; i += step)
        y[i] = softplus(x[i]);
}

extern "C" void launch(const float *x,  // [n]
                       float *y,        // [n]
                       int n, int block_size = 64, cudaStream_t stream = 0)
{
    int blocks = (n + block_size - 1) / block_size;
    apply_softplus<<<blocks < 256 ? blocks : 256, block_size, 0, stream>>>(x, y, n);
}
"""
)

# Square roots in float4; the first threads take what the packs leave.
ROOTS = (
    HEADER
    + """\
__global__ void roots(const float4* x, float4* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int whole = n / 4;
  if (i < whole) {
    float4 v = x[i];
    v.x = sqrtf(v.x);
    v.y = sqrtf(v.y);
    v.z = sqrtf(v.z);
    v.w = sqrtf(v.w);
    y[i] = v;
  }
  int left = n - 4 * whole;
  if (i < left) {
    const float* xs = (const float*)x + 4 * whole;
    float* ys = (float*)y + 4 * whole;
    ys[i] = sqrtf(xs[i]);
  }
}

extern "C" void launch(const float* x,  // [n] 16-byte aligned
                       float* y,        // [n] 16-byte aligned
                       int n, int block_size = 128, cudaStream_t stream = 0) {
  int blocks = n / 4 / block_size + 1;
  roots<<<blocks, block_size, 0, stream>>>((const float4*)x, (float4*)y, n);
}
"""
)

# A sum of 32 bits into 64: shuffles within a warp, eight parts a block, an atomic a block.
TOTAL = (
    HEADER
    + """\
__global__ void add_up(const int* v, unsigned long long* total, int n) {
  __shared__ long long part[8];
  long long mine = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    mine += v[i];
  for (int d = 16; d > 0; d >>= 1)
    mine += __shfl_down_sync(0xffffffffu, mine, d);
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  if (lane == 0) part[warp] = mine;
  __syncthreads();
  if (threadIdx.x == 0) {
    long long all = 0;
    for (int w = 0; w < 8; ++w) all += part[w];
    atomicAdd(total, (unsigned long long)all);
  }
}

extern "C" void launch(const int* v,     // [n]
                       int64_t* total,   // [1]
                       int n, cudaStream_t stream = 0) {
  cudaMemsetAsync(total, 0, sizeof(int64_t), stream);
  int blocks = (n + 255) / 256;
  if (blocks > 48) blocks = 48;
  add_up<<<blocks, 256, 0, stream>>>(v, (unsigned long long*)total, n);
}
"""
)

# The mean: a tree in each block, whose part of the mean an atomic adds.
MEAN = (
    HEADER
    + """\
#define T 128

__global__ void mean_of(const float *x, float *mean, int n)
{
    __shared__ float s[T];
    int t = threadIdx.x;
    int i = blockIdx.x * T + t;
    s[t] = i < n ? x[i] : 0.0f;
    __syncthreads();
    for (int h = T / 2; h > 0; h /= 2) {
        if (t < h)
            s[t] += s[t + h];
        __syncthreads();
    }
    if (t == 0)
        atomicAdd(mean, s[0] / n);
}

extern "C" void launch(const float *x,  // [n]
                       float *mean,     // [1]
                       int n, cudaStream_t stream = 0)
{
    cudaMemsetAsync(mean, 0, sizeof(float), stream);
    mean_of<<<(n + T - 1) / T, T, 0, stream>>>(x, mean, n);
}
"""
)

# The smallest of each row, a block a row; NaN stays.
LEAST = (
    HEADER
    + """\
constexpr int kThreads = 64;

__device__ float smaller(float a, float b) {
  return a != a || a < b ? a : b;
}

__global__ void row_min(const float* m, float* out, int cols) {
  __shared__ float low[kThreads];
  const int t = threadIdx.x;
  const float* row = m + (size_t)blockIdx.x * cols;
  float best = __int_as_float(0x7f800000);
  for (int c = t; c < cols; c += kThreads) best = smaller(best, row[c]);
  low[t] = best;
  __syncthreads();
  for (int h = kThreads / 2; h > 0; h >>= 1) {
    if (t < h) low[t] = smaller(low[t], low[t + h]);
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = low[0];
}

extern "C" void launch(const float* m,  // [rows, cols]
                       float* out,      // [rows]
                       int rows, int cols, cudaStream_t stream = 0) {
  row_min<<<rows, kThreads, 0, stream>>>(m, out, cols);
}
"""
)

# Softmax, a block a row, which is read once and lies in shared memory from there on.
SOFT = (
    HEADER
    + """\
#define NT 128

__global__ void soft(const float *x, float *y, int n)
{
    extern __shared__ float row[];
    __shared__ float part[NT];
    int t = threadIdx.x;
    size_t start = (size_t)blockIdx.x * n;
    float top = -FLT_MAX;
    for (int c = t; c < n; c += NT) {
        row[c] = x[start + c];
        top = fmaxf(top, row[c]);
    }
    part[t] = top;
    __syncthreads();
    for (int h = NT / 2; h > 0; h /= 2) {
        if (t < h)
            part[t] = fmaxf(part[t], part[t + h]);
        __syncthreads();
    }
    top = part[0];
    __syncthreads();
    float sum = 0.0f;
    for (int c = t; c < n; c += NT) {
        row[c] = expf(row[c] - top);
        sum += row[c];
    }
    part[t] = sum;
    __syncthreads();
    for (int h = NT / 2; h > 0; h /= 2) {
        if (t < h)
            part[t] += part[t + h];
        __syncthreads();
    }
    for (int c = t; c < n; c += NT)
        y[start + c] = row[c] / part[0];
}

extern "C" void launch(const float *x,  // [m, n]
                       float *y,        // [m, n]
                       int m, int n, cudaStream_t stream = 0)
{
    soft<<<m, NT, n * sizeof(float), stream>>>(x, y, n);
}
"""
)

# Layer norm with a gain for each column, a thread a row, in three passes.
NORM = (
    HEADER
    + """\
__global__ void norm_rows(const float* x, const float* gain, float* y, float eps, int rows,
                          int cols) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  const float* in = x + (size_t)r * cols;
  float* out = y + (size_t)r * cols;
  float mean = 0.0f;
  for (int c = 0; c < cols; c++) mean += in[c];
  mean /= cols;
  float var = 0.0f;
  for (int c = 0; c < cols; c++) {
    float d = in[c] - mean;
    var += d * d;
  }
  var /= cols;
  float inv = 1.0f / sqrtf(var + eps);
  for (int c = 0; c < cols; c++) out[c] = (in[c] - mean) * inv * gain[c];
}

extern "C" void launch(const float* x,     // [rows, cols]
                       const float* gain,  // [cols]
                       float* y,           // [rows, cols]
                       float eps, int rows, int cols, int block_size = 64,
                       cudaStream_t stream = 0) {
  int blocks = (rows + block_size - 1) / block_size;
  norm_rows<<<blocks, block_size, 0, stream>>>(x, gain, y, eps, rows, cols);
}
"""
)

# A transpose without a tile, in blocks of 32 x 8; rows are looped over, 64 blocks at a time.
FLIP = (
    HEADER
    + """\
__global__ void flip(const float *in, float *out, int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols)
        return;
    int step = gridDim.y * blockDim.y;
    for (int r = blockIdx.y * blockDim.y + threadIdx.y; r < rows; r += step)
        out[(size_t)c * rows + r] = in[(size_t)r * cols + c];
}

extern "C" void launch(const float *in,  // [rows, cols]
                       float *out,       // [cols, rows]
                       int rows, int cols, cudaStream_t stream = 0)
{
    dim3 block(32, 8);
    int down = (rows + 7) / 8;
    dim3 grid((cols + 31) / 32, down < 64 ? down : 64);
    flip<<<grid, block, 0, stream>>>(in, out, rows, cols);
}
"""
)

# A product of halves into floats by tiles of 16.
PRODUCT = (
    HEADER
    + """\
#define TILE 16

__global__ void product(const half* a, const half* b, float* c, int m, int n, int k) {
  __shared__ half ta[TILE][TILE];
  __shared__ half tb[TILE][TILE];
  int x = threadIdx.x;
  int y = threadIdx.y;
  int row = blockIdx.y * TILE + y;
  int col = blockIdx.x * TILE + x;
  const half zero = __float2half(0.0f);
  float acc = 0.0f;
  for (int p = 0; p < (k + TILE - 1) / TILE; ++p) {
    int ka = p * TILE + x;
    int kb = p * TILE + y;
    ta[y][x] = row < m && ka < k ? a[(size_t)row * k + ka] : zero;
    tb[y][x] = kb < k && col < n ? b[(size_t)kb * n + col] : zero;
    __syncthreads();
    for (int e = 0; e < TILE; ++e)
      acc += __half2float(ta[y][e]) * __half2float(tb[e][x]);
    __syncthreads();
  }
  if (row < m && col < n) c[(size_t)row * n + col] = acc;
}

extern "C" void launch(const half* a,  // [m, k]
                       const half* b,  // [k, n]
                       float* c,       // [m, n]
                       int m, int n, int k, cudaStream_t stream = 0) {
  dim3 threads(TILE, TILE);
  dim3 grid((n + TILE - 1) / TILE, (m + TILE - 1) / TILE);
  product<<<grid, threads, 0, stream>>>(a, b, c, m, n, k);
}
"""
)

NAN, INF = float("nan"), float("inf")
LENGTHS = (*range(1, 71), 95, 96, 97, 127, 128, 129, 191, 192, 193, 255, 256, 257, 383, 384)
LENGTHS += (385, 511, 512, 513, 1000, 1023, 1024, 1025, 2047, 2049, 4096, 4099, 5121)
SIDES = ((1, 1), (2, 1), (1, 2), (3, 2), (4, 31), (5, 32), (8, 33), (33, 8), (2, 64), (65, 3))
SIDES += ((9, 70), (70, 1), (3, 1000), (1, 4099), (64, 70), (130, 6), (40, 50), (32, 32))
SIDES += ((301, 2), (3, 129), (7, 128), (5, 63), (65, 65), (6, 6), (7, 10), (2, 130))
SHAPES = (
    (1, 1, 1),
    (2, 3, 4),
    (16, 16, 16),
    (17, 15, 16),
    (5, 40, 33),
    (40, 5, 31),
    (1, 70, 9),
)
SHAPES += ((70, 1, 17), (33, 47, 1), (3, 2, 500), (64, 32, 48), (20, 20, 2), (100, 7, 15))
SHAPES += ((7, 100, 65), (31, 33, 32), (50, 50, 7), (1, 1, 1000))
FLOAT = (torch.float32,)


def differences(launcher: Launcher) -> Iterator[Case]:
    """Square whole numbers, so that all is exact: usual, alike, zeros, infinities, NaN."""
    for n in (*LENGTHS, 9_001, 20_003, 100_003):
        p, q = (whole(-999, 1000, n, 2 * n + k).float() for k in range(2))
        j = torch.arange(n)
        for label, u, v in (
            ("usual", p, q),
            ("alike", p, torch.where(j % 2 == 1, p, -p)),
            ("zeros in p", p * 0, q),
            ("zeros in q", p, q * 0),
            ("infinities", torch.where(j % 3 == 1, INF, p), torch.where(j % 4 == 0, -INF, q)),
            ("NaN", torch.where(j % 3 == 1, NAN, p), torch.where(j % 5 == 2, NAN, q)),
        ):
            right = u.double() * u.double() - v.double() * v.double()
            options = {"dtypes": FLOAT, "quick": n > 5000}
            yield Case(f"n = {n:,}, {label}", (u, v), (right,), **options)
            if n < 300 and label == "usual":
                words = f"n = {n:,}, slices from (1, 2, 3)"
                yield Case(words, (u, v), (right,), offset=(1, 2, 3), **options)


def widened(launcher: Launcher) -> Iterator[Case]:
    """Cast as `elementwise_cases` does, all lengths, and from addresses of every kind."""
    make = ElementwiseMaker.of(launcher, lambda x: x)
    yield from elementwise_cases(launcher, make)
    for n in LENGTHS:
        yield make.random(n, 3)
    for n in (7, 8, 9, 16, 23, 64, 257, 1025):
        for offset in ((8, 4), (8, 1), (8, 2), (1, 4), (4, 4), (2, 8), (1, 1), (16, 3)):
            yield make.shifted(n, 4, offset)


def bytes_of(launcher: Launcher) -> Iterator[Case]:
    """Cast: any, halves between two, the ends, far beyond them, infinities, NaN."""
    for n in (*LENGTHS, 9_001, 70_003):
        x, j = whole(-1000, 3000, n, n).float(), torch.arange(n)
        for label, y in (
            ("any", x / 8),
            ("between two", whole(0, 255, n, n) + 0.5),
            ("near an end", 254 + (j % 9) / 4.0),
            ("near 0", (j % 9 - 4) / 4.0),
            ("far away", x * 1e7),
            ("infinities", torch.where(j % 3 == 1, INF * (1 - j % 2 * 2), x / 16)),
            ("NaN", torch.where(j % 3 == 1, NAN, x / 16)),
        ):
            y = y.float()
            right = y.double().round().nan_to_num(0.0, 255.0, 0.0).clamp(0, 255)
            for block_size in (256, 32):
                scalars = {"block_size": block_size}
                options = {"dtypes": (torch.uint8,), "quick": n > 5000}
                yield Case(f"n = {n:,}, {scalars}, {label}", (y,), (right,), scalars, **options)


def totals(launcher: Launcher) -> Iterator[Case]:
    """Add: usual, ones, zeros, below 0, so large that 32 bits do not hold the sum."""
    for n in (*LENGTHS, 9_001, 12_289, 50_001, 100_003):
        x, j = whole(-999, 1000, n, n), torch.arange(n)
        for label, y in (
            ("usual", x),
            ("ones", x * 0 + 1),
            ("zeros", x * 0),
            ("below 0", -x.abs() - 1),
            ("powers of two", (1 << (j % 20))),
            ("large", 2_000_000_000 + x),
            ("large below 0", -2_000_000_000 + x),
        ):
            options = {"dtypes": (torch.int64,), "quick": n > 5000}
            yield Case(f"n = {n:,}, {label}", (y.int(),), (y.sum().reshape(1),), **options)
        yield Case(
            f"n = {n:,}, a second call",
            (x.int(),),
            (x.sum().reshape(1),),
            dtypes=(torch.int64,),
            before=(x.flip(0).int() + 1,),
        )


def means(launcher: Launcher) -> Iterator[Case]:
    """Take the mean: usual, ones, zeros, below 0, fractions, an infinity, a NaN."""
    for n in (*LENGTHS, 9_001, 50_001):
        x, j = whole(-999, 1000, n, n).float(), torch.arange(n)
        for label, y in (
            ("usual", x),
            ("ones", x * 0 + 1),
            ("zeros", x * 0),
            ("below 0", -x.abs() - 1),
            ("fractions", x.abs() / 512 + 0.25),
            ("one infinity", torch.where(j == n - 1, INF, x)),
            ("one NaN", torch.where(j == n // 2, NAN, x)),
        ):
            right = y.double().mean().reshape(1)
            slack = (2.0**-18 * y.double().abs().mean().reshape(1).nan_to_num(0.0, 0.0),)
            options = {"dtypes": FLOAT, "within": slack, "quick": n > 5000}
            yield Case(f"n = {n:,}, {label}", (y,), (right,), **options)


def leasts(launcher: Launcher) -> Iterator[Case]:
    """Find the smallest: usual, above 0, below 0, alike, infinities, NaN."""
    for rows, cols in (*SIDES, *((2, n) for n in range(1, 71)), (1000, 7)):
        x = whole(-999, 1000, rows * cols, rows + cols).float().reshape(rows, cols)
        j = torch.arange(rows * cols).reshape(rows, cols)
        for label, y in (
            ("usual", x),
            ("above 0", x.abs() + 1),
            ("below 0", -x.abs() - 1),
            ("falling", -j.float()),
            ("rising", j.float() + 1),
            ("all infinite", x * 0 + INF),
            ("infinities", torch.where(j % 7 == 3, -INF, x)),
            ("NaN", torch.where(j % 71 == 3, NAN, x)),
            ("NaN in the end", torch.where(j % cols == cols - 1, NAN, x)),
        ):
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y,), (y.double().amin(1),), dtypes=FLOAT)


def norms(launcher: Launcher) -> Iterator[Case]:
    """Normalize: usual, a mean far from 0, small, all equal, a NaN; gains of all signs."""
    for rows, cols in (*SIDES, *((2, n) for n in range(1, 71)), (1000, 7)):
        x = whole(-99, 100, rows * cols, rows + cols).float().reshape(rows, cols)
        g = whole(-20, 21, cols, rows * cols).float() / 8
        for label, y, gain, eps in (
            ("usual", x, g, 1e-5),
            ("gains of 1", x, g * 0 + 1, 1e-5),
            ("a large eps", x / 64, g, 0.5),
            ("a mean of 3,000", x / 8 + 3000, g, 1e-5),
            ("small", x / 2**14, g, 1e-3),
            ("all equal", x * 0 + 5, g, 1e-5),
            ("one NaN", torch.where(x == x[0, 0], NAN, x), g, 1e-5),
        ):
            d = y.double()
            mean = d.mean(1, keepdim=True)
            var = ((d - mean) ** 2).mean(1, keepdim=True)
            right = (d - mean) / (var + eps).sqrt() * gain.double()
            size = (d.abs().amax(1, keepdim=True) / (var + eps).sqrt() + 1) * gain.abs()
            slack = ((2.0**-21 + cols * 2.0**-25) * size).nan_to_num(0.0)
            options = {"dtypes": FLOAT, "within": (slack,), "ulp": 4}
            words = f"rows = {rows:,}, cols = {cols:,}, eps = {eps}, {label}"
            yield Case(words, (y, gain), (right,), {"eps": eps}, **options)
            if label == "usual":
                scalars = {"eps": eps, "block_size": 32}
                yield Case(f"{words}, {scalars}", (y, gain), (right,), scalars, **options)


def products(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole numbers, so that all is exact: usual, large sums, ones, a NaN."""
    for m, n, k in (*SHAPES, *((3, 5, k) for k in range(1, 71)), (301, 2, 5), (2, 301, 5)):
        a = whole(-30, 31, m * k, m + k).reshape(m, k).half()
        b = whole(-30, 31, k * n, n + k + 1).reshape(k, n).half()
        spoiled = a.clone()
        spoiled[-1, -1] = NAN
        for label, p, q in (
            ("usual", a, b),
            ("above 0", a.abs() + 1, b.abs() + 1),
            ("ones", a * 0 + 1, b * 0 + 1),
            ("zeros", a * 0, b),
            ("large", a * 64, b * 64),
            ("one NaN", spoiled, b),
        ):
            words = f"m = {m}, n = {n}, k = {k}, {label}"
            yield Case(words, (p, q), (p.double() @ q.double() + 0.0,), dtypes=FLOAT)


def _softplus(x: torch.Tensor) -> torch.Tensor:
    return x.clamp(min=0) + torch.log1p(torch.exp(-x.abs()))


BASES = {
    "ninetyeight_pairs": Base(PAIRS, {"reference": "add"}),
    "ninetyeight_squares": Base(SQUARES, {"cases": differences}),
    "ninetyeight_widen": Base(WIDEN, {"cases": widened}),
    "ninetyeight_bytes": Base(BYTES, {"cases": bytes_of}),
    "ninetyeight_tanh": Base(TANH, {"reference": torch.tanh, "ulp": 4}),
    "ninetyeight_softplus": Base(SOFTPLUS, {"reference": _softplus, "ulp": 4}),
    "ninetyeight_roots": Base(ROOTS, {"reference": torch.sqrt}),
    "ninetyeight_total": Base(TOTAL, {"cases": totals}),
    "ninetyeight_mean": Base(MEAN, {"cases": means}),
    "ninetyeight_least": Base(LEAST, {"cases": leasts}),
    "ninetyeight_soft": Base(SOFT, cases="softmax"),
    "ninetyeight_norm": Base(NORM, {"cases": norms}),
    "ninetyeight_flip": Base(FLIP, cases="transpose"),
    "ninetyeight_product": Base(PRODUCT, {"cases": products}),
}

WRONG = (
    # ---- pairs
    # The second address may be any.
    Wrong(
        "ninetyeight_pairs_b_anywhere",
        "ninetyeight_pairs",
        "alignment",
        ("const __nv_bfloat16 *b,  // [n] 4-byte aligned", "const __nv_bfloat16 *b,  // [n]"),
    ),
    # The odd last one is not added.
    Wrong(
        "ninetyeight_pairs_odd_left",
        "ninetyeight_pairs",
        "tail / unwritten / left out | nan / numbers",
        (" else if (k < n) {\n        c[k] = __hadd(a[k], b[k]);\n    }", ""),
    ),
    # A pair is taken where one is left.
    Wrong(
        "ninetyeight_pairs_half_a_pair",
        "ninetyeight_pairs",
        "bounds / tail | alignment",
        ("if (k + 1 < n)", "if (k < n)"),
    ),
    # Blocks have 256 threads, whatever the caller says.
    Wrong(
        "ninetyeight_pairs_always_256",
        "ninetyeight_pairs",
        "block size | unwritten / left out / numbers / nan / tail / grid",
        ("(blockIdx.x * blockDim.x + threadIdx.x)", "(blockIdx.x * 256 + threadIdx.x)"),
    ),
    # Sums are cut off.
    Wrong(
        "ninetyeight_pairs_cut_off",
        "ninetyeight_pairs",
        "rounding | numbers / precision / infinity",
        (
            "        *(__nv_bfloat162 *)(c + k) = __hadd2(u, v);",
            "        float2 f = __bfloat1622float2(u), g = __bfloat1622float2(v);\n"
            "        c[k] = __float2bfloat16_rz(f.x + g.x);\n"
            "        c[k + 1] = __float2bfloat16_rz(f.y + g.y);",
        ),
    ),
    # ---- squares
    # The other way round.
    Wrong(
        "ninetyeight_squares_other_way",
        "ninetyeight_squares",
        "swapped | numbers / function / sign of zero",
        ("u * u - v * v", "v * v - u * u"),
    ),
    # The square of the difference.
    Wrong(
        "ninetyeight_squares_of_difference",
        "ninetyeight_squares",
        "function | numbers / infinity / nan / swapped",
        ("u * u - v * v", "(u - v) * (u - v)"),
    ),
    # One element too many.
    Wrong(
        "ninetyeight_squares_one_too_many",
        "ninetyeight_squares",
        "bounds | tail / race",
        ("i < n; i += stride", "i <= n; i += stride"),
    ),
    # The grid has a limit, but there is no loop.
    Wrong(
        "ninetyeight_squares_no_loop",
        "ninetyeight_squares",
        "unwritten / left out / grid / tail | nan / numbers",
        ("  int stride = gridDim.x * blockDim.x;\n", ""),
        (
            "  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {",
            "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) {",
        ),
    ),
    # The stream is not passed on.
    Wrong(
        "ninetyeight_squares_no_stream",
        "ninetyeight_squares",
        "stream",
        ("<<<grid, THREADS, 0, stream>>>", "<<<grid, THREADS>>>"),
    ),
    # ---- widen
    # Only the way in is tested.
    Wrong(
        "ninetyeight_widen_one_address",
        "ninetyeight_widen",
        "alignment",
        (" && ((uintptr_t)out & 15) == 0", ""),
    ),
    # The last eight are taken for whole if they begin before the end.
    Wrong(
        "ninetyeight_widen_last_eight",
        "ninetyeight_widen",
        "bounds / tail | alignment",
        ("first + 8 <= n", "first < n"),
    ),
    # The two halves of a pack are exchanged.
    Wrong(
        "ninetyeight_widen_halves_exchanged",
        "ninetyeight_widen",
        "other element / neighbour / swapped | numbers / nan / infinity / sign of zero",
        ("to[0] = make", "to[9] = make"),
        ("to[1] = make", "to[0] = make"),
        ("to[9] = make", "to[1] = make"),
    ),
    # Blocks are counted in packs that are rounded down.
    Wrong(
        "ninetyeight_widen_blocks_rounded_down",
        "ninetyeight_widen",
        "grid / tail / unwritten / left out | nan / numbers",
        ("  int per_block = 8 * block_size;\n", ""),
        (
            "(n + per_block - 1) / per_block",
            "n < 8 ? 1 : (n / 8 + block_size - 1) / block_size",
        ),
    ),
    # One by one, a thread takes seven of its eight.
    Wrong(
        "ninetyeight_widen_seven_of_eight",
        "ninetyeight_widen",
        "unwritten / left out / alignment / tail | nan / numbers",
        ("j < first + 8 && j < n", "j < first + 7 && j < n"),
    ),
    # ---- bytes
    # What follows the point is cut off.
    Wrong(
        "ninetyeight_bytes_cut_off",
        "ninetyeight_bytes",
        "rounding | numbers",
        ("(uint8_t)__float2int_rn(v)", "(uint8_t)v"),
    ),
    # Ties go up.
    Wrong(
        "ninetyeight_bytes_ties_up",
        "ninetyeight_bytes",
        "rounding | numbers",
        ("(uint8_t)__float2int_rn(v)", "(uint8_t)(v + 0.5f)"),
    ),
    # The upper limit is one too high.
    Wrong(
        "ninetyeight_bytes_limit_256",
        "ninetyeight_bytes",
        "whole range / infinity | numbers / rounding",
        ("if (v >= 255.0f)", "if (v >= 256.0f)"),
    ),
    # NaN becomes the largest byte.
    Wrong(
        "ninetyeight_bytes_nan_is_255",
        "ninetyeight_bytes",
        "nan | numbers / whole range",
        ("if (!(v > 0.0f))", "if (v <= 0.0f)"),
        ("if (v >= 255.0f)", "if (!(v < 255.0f))"),
    ),
    # There is no lower limit.
    Wrong(
        "ninetyeight_bytes_below_0_wraps",
        "ninetyeight_bytes",
        "whole range / infinity | numbers / nan",
        ("    if (!(v > 0.0f))\n        return 0;\n", "    if (v != v)\n        return 0;\n"),
    ),
    # ---- tanh
    # The function of floats.
    Wrong(
        "ninetyeight_tanh_of_floats",
        "ninetyeight_tanh",
        "precision | numbers / rounding / subnormal / function",
        ("tanh(value)", "tanhf(value)"),
    ),
    # Two exponentials that overflow.
    Wrong(
        "ninetyeight_tanh_by_exponentials",
        "ninetyeight_tanh",
        "infinity / nan / precision | numbers / subnormal / sign of zero / function",
        ("tanh(value)", "(exp(value) - exp(-value)) / (exp(value) + exp(-value))"),
    ),
    # Whole blocks only.
    Wrong(
        "ninetyeight_tanh_blocks_rounded_down",
        "ninetyeight_tanh",
        "tail / grid / unwritten / left out | nan / numbers",
        (
            "(count + block_size - 1) / block_size",
            "count < block_size ? 1 : count / block_size",
        ),
    ),
    # The test lets one thread too many pass.
    Wrong(
        "ninetyeight_tanh_one_too_many",
        "ninetyeight_tanh",
        "bounds | tail",
        ("if (idx >= count)", "if (idx > count)"),
    ),
    # The block is left out of the index.
    Wrong(
        "ninetyeight_tanh_thread_only",
        "ninetyeight_tanh",
        "unwritten / left out / grid / race / other element | nan / tail / numbers",
        ("threadIdx.x + blockIdx.x * blockDim.x", "threadIdx.x"),
    ),
    # ---- softplus
    # The formula of the book.
    Wrong(
        "ninetyeight_softplus_of_the_book",
        "ninetyeight_softplus",
        "infinity / precision | numbers / nan / function / subnormal",
        (
            "    float small = expf(-fabsf(x));\n    return fmaxf(x, 0.0f) + log1pf(small);",
            "    return logf(1.0f + expf(x));",
        ),
    ),
    # The logarithm of a sum in which small ones are lost.
    Wrong(
        "ninetyeight_softplus_log_of_sum",
        "ninetyeight_softplus",
        "precision | numbers / subnormal / function",
        ("log1pf(small)", "logf(1.0f + small)"),
    ),
    # The exponential is that of the number with its sign.
    Wrong(
        "ninetyeight_softplus_no_magnitude",
        "ninetyeight_softplus",
        "function | infinity / numbers",
        ("expf(-fabsf(x))", "expf(-x)"),
    ),
    # From 4 on a number is its own softplus.
    Wrong(
        "ninetyeight_softplus_early_line",
        "ninetyeight_softplus",
        "precision / function | numbers",
        ("    float small", "    if (x > 4.0f)\n        return x;\n    float small"),
    ),
    # The base of the logarithm is 2.
    Wrong(
        "ninetyeight_softplus_base_2",
        "ninetyeight_softplus",
        "function | numbers / precision",
        ("log1pf(small)", "1.4426950f * log1pf(small)"),
    ),
    # ---- roots
    # The way out may lie anywhere.
    Wrong(
        "ninetyeight_roots_y_anywhere",
        "ninetyeight_roots",
        "alignment",
        ("float* y,        // [n] 16-byte aligned", "float* y,        // [n]"),
    ),
    # Numbers below 0 are given the root 0.
    Wrong(
        "ninetyeight_roots_clamped",
        "ninetyeight_roots",
        "nan | sign of zero / function / infinity / numbers",
        ("v.x = sqrtf(v.x);", "v.x = sqrtf(fmaxf(v.x, 0.0f));"),
        ("v.y = sqrtf(v.y);", "v.y = sqrtf(fmaxf(v.y, 0.0f));"),
        ("v.z = sqrtf(v.z);", "v.z = sqrtf(fmaxf(v.z, 0.0f));"),
        ("v.w = sqrtf(v.w);", "v.w = sqrtf(fmaxf(v.w, 0.0f));"),
        ("sqrtf(xs[i])", "sqrtf(fmaxf(xs[i], 0.0f))"),
    ),
    # The last of four is passed on.
    Wrong(
        "ninetyeight_roots_w_forgotten",
        "ninetyeight_roots",
        "left out / copy / function | numbers / nan / neighbour / infinity / sign of zero",
        ("    v.w = sqrtf(v.w);\n", ""),
    ),
    # One of the rest is not taken.
    Wrong(
        "ninetyeight_roots_rest_less_1",
        "ninetyeight_roots",
        "tail / unwritten / left out | nan / numbers",
        ("if (i < left)", "if (i + 1 < left)"),
    ),
    # The roots of the packs are stored where the numbers were.
    Wrong(
        "ninetyeight_roots_in_place",
        "ninetyeight_roots",
        "input | state / numbers",
        ("__global__ void roots(const float4* x,", "__global__ void roots(float4* x,"),
        ("    y[i] = v;", "    x[i] = v;\n    y[i] = x[i];"),
        ("((const float4*)x, (float4*)y, n)", "((float4*)x, (float4*)y, n)"),
    ),
    # ---- total
    # The total is not set to 0.
    Wrong(
        "ninetyeight_total_not_set",
        "ninetyeight_total",
        "zero before | state / numbers / unwritten / start",
        ("  cudaMemsetAsync(total, 0, sizeof(int64_t), stream);\n", ""),
    ),
    # A thread adds in 32 bits.
    Wrong(
        "ninetyeight_total_int",
        "ninetyeight_total",
        "narrow / whole range | numbers",
        ("long long mine = 0;", "int mine = 0;"),
    ),
    # The last warp is not counted.
    Wrong(
        "ninetyeight_total_seven_warps",
        "ninetyeight_total",
        "left out | numbers / tail",
        ("w < 8; ++w", "w < 7; ++w"),
    ),
    # Shuffles begin with 8.
    Wrong(
        "ninetyeight_total_from_8",
        "ninetyeight_total",
        "left out | numbers / tail",
        ("int d = 16; d > 0", "int d = 8; d > 0"),
    ),
    # Half of the total is set to 0.
    Wrong(
        "ninetyeight_total_half_set",
        "ninetyeight_total",
        "zero before | state / numbers / unwritten / start / narrow",
        ("sizeof(int64_t)", "sizeof(int)"),
    ),
    # ---- mean
    # Blocks add without an atomic.
    Wrong(
        "ninetyeight_mean_no_atomic",
        "ninetyeight_mean",
        "race | left out / numbers",
        ("atomicAdd(mean, s[0] / n);", "*mean += s[0] / n;"),
    ),
    # The tree begins a step too late.
    Wrong(
        "ninetyeight_mean_tree_from_32",
        "ninetyeight_mean",
        "left out | numbers / tail",
        ("int h = T / 2; h > 0", "int h = T / 4; h > 0"),
    ),
    # Threads without a number are counted.
    Wrong(
        "ninetyeight_mean_of_whole_blocks",
        "ninetyeight_mean",
        "function / tail / block size | numbers / grid",
        ("s[0] / n)", "s[0] / (gridDim.x * T))"),
    ),
    # One by n is an integer.
    Wrong(
        "ninetyeight_mean_integer_division",
        "ninetyeight_mean",
        "function / copy / rounding | numbers / precision / unwritten / nan",
        ("s[0] / n)", "s[0] * (1 / n))"),
    ),
    # The steps of the tree do not wait.
    Wrong(
        "ninetyeight_mean_no_barrier_in_tree",
        "ninetyeight_mean",
        "race | numbers / left out / unwritten",
        (
            "            s[t] += s[t + h];\n        __syncthreads();\n",
            "            s[t] += s[t + h];\n",
        ),
    ),
    # ---- least
    # The smallest begins with 0.
    Wrong(
        "ninetyeight_least_from_0",
        "ninetyeight_least",
        "start | numbers / infinity",
        ("float best = __int_as_float(0x7f800000);", "float best = 0.0f;"),
    ),
    # NaN is passed over.
    Wrong(
        "ninetyeight_least_without_nan",
        "ninetyeight_least",
        "nan | numbers",
        ("return a != a || a < b ? a : b;", "return fminf(a, b);"),
    ),
    # Rows have the pitch of columns.
    Wrong(
        "ninetyeight_least_pitch_of_rows",
        "ninetyeight_least",
        "sides / other element / bounds / left out | numbers / nan",
        ("m + (size_t)blockIdx.x * cols", "m + (size_t)blockIdx.x * gridDim.x"),
    ),
    # The last step of the tree is not made.
    Wrong(
        "ninetyeight_least_tree_ends_early",
        "ninetyeight_least",
        "left out | numbers / nan / infinity",
        ("h > 0; h >>= 1", "h > 1; h >>= 1"),
    ),
    # A thread looks at one column.
    Wrong(
        "ninetyeight_least_one_column",
        "ninetyeight_least",
        "left out / tail | numbers / nan / infinity",
        (
            "for (int c = t; c < cols; c += kThreads) best = smaller(best, row[c]);",
            "if (t < cols) best = smaller(best, row[t]);",
        ),
    ),
    # ---- soft
    # The largest is not taken away.
    Wrong(
        "ninetyeight_soft_no_maximum",
        "ninetyeight_soft",
        "infinity / nan | numbers / precision / subnormal / function",
        ("expf(row[c] - top)", "expf(row[c])"),
    ),
    # The largest begins with 0.
    Wrong(
        "ninetyeight_soft_from_0",
        "ninetyeight_soft",
        "start / nan / infinity | numbers / precision / subnormal",
        ("float top = -FLT_MAX;", "float top = 0.0f;"),
    ),
    # The sum of a thread is stored while others read the largest.
    Wrong(
        "ninetyeight_soft_no_barrier",
        "ninetyeight_soft",
        "race | numbers / state / nan / infinity / left out / other element",
        ("    top = part[0];\n    __syncthreads();\n", "    top = part[0];\n"),
    ),
    # A thread divides by its own sum.
    Wrong(
        "ninetyeight_soft_own_sum",
        "ninetyeight_soft",
        "left out / function | numbers / infinity / nan",
        ("row[c] / part[0]", "row[c] / sum"),
    ),
    # All blocks write the first row.
    Wrong(
        "ninetyeight_soft_first_row",
        "ninetyeight_soft",
        "unwritten / race / other element / left out | nan / numbers",
        ("y[start + c]", "y[c]"),
    ),
    # ---- norm
    # The variance of a sample.
    Wrong(
        "ninetyeight_norm_of_sample",
        "ninetyeight_norm",
        "function | numbers / infinity / nan / precision",
        ("var /= cols;", "var /= cols - 1;"),
    ),
    # The small number is added to the root.
    Wrong(
        "ninetyeight_norm_eps_outside",
        "ninetyeight_norm",
        "function | numbers / precision / infinity",
        ("1.0f / sqrtf(var + eps)", "1.0f / (sqrtf(var) + eps)"),
    ),
    # The gain is that of the row.
    Wrong(
        "ninetyeight_norm_gain_of_row",
        "ninetyeight_norm",
        "other element / bounds / sides | numbers / sign of zero / nan",
        ("gain[c];", "gain[r];"),
    ),
    # The variance is the mean of squares less the square of the mean.
    Wrong(
        "ninetyeight_norm_squares_less_square",
        "ninetyeight_norm",
        "precision | numbers / nan / infinity / function",
        ("    float d = in[c] - mean;\n    var += d * d;\n", "    var += in[c] * in[c];\n"),
        ("var /= cols;", "var = var / cols - mean * mean;"),
    ),
    # The root is missing.
    Wrong(
        "ninetyeight_norm_no_root",
        "ninetyeight_norm",
        "function | numbers / infinity / precision",
        ("1.0f / sqrtf(var + eps)", "1.0f / (var + eps)"),
    ),
    # ---- flip
    # The way out has the pitch of the way in.
    Wrong(
        "ninetyeight_flip_pitch_of_way_in",
        "ninetyeight_flip",
        "sides / bounds / race / other element / unwritten | nan / numbers / left out",
        ("out[(size_t)c * rows + r]", "out[(size_t)c * cols + r]"),
    ),
    # Blocks are counted along the other side.
    Wrong(
        "ninetyeight_flip_grid_swapped",
        "ninetyeight_flip",
        "grid / sides / unwritten / swapped / left out | nan / tail / numbers",
        ("int down = (rows + 7) / 8;", "int down = (cols + 7) / 8;"),
        ("grid((cols + 31) / 32,", "grid((rows + 31) / 32,"),
    ),
    # Each is stored where it was.
    Wrong(
        "ninetyeight_flip_copied",
        "ninetyeight_flip",
        "copy / sides / other element | numbers / nan / function",
        ("out[(size_t)c * rows + r]", "out[(size_t)r * cols + c]"),
    ),
    # One column too many.
    Wrong(
        "ninetyeight_flip_one_column_more",
        "ninetyeight_flip",
        "bounds | tail / race / sides / numbers / other element",
        ("if (c >= cols)", "if (c > cols)"),
    ),
    # The grid has a limit, but a thread takes one row.
    Wrong(
        "ninetyeight_flip_one_row_a_thread",
        "ninetyeight_flip",
        "unwritten / left out / grid / sides | nan / tail / numbers",
        ("    int step = gridDim.y * blockDim.y;\n", ""),
        (
            "for (int r = blockIdx.y * blockDim.y + threadIdx.y; r < rows; r += step)",
            "int r = blockIdx.y * blockDim.y + threadIdx.y;\n    if (r < rows)",
        ),
    ),
    # ---- product
    # The last tile of k is not taken.
    Wrong(
        "ninetyeight_product_whole_tiles",
        "ninetyeight_product",
        "tail / left out | numbers / sides / nan",
        ("p < (k + TILE - 1) / TILE", "p < k / TILE"),
    ),
    # The sum is a half.
    Wrong(
        "ninetyeight_product_sum_of_halves",
        "ninetyeight_product",
        "precision / infinity / rounding | numbers / narrow / nan",
        (
            "acc += __half2float(ta[y][e]) * __half2float(tb[e][x]);",
            "acc = __half2float(__hfma(ta[y][e], tb[e][x], __float2half(acc)));",
        ),
    ),
    # Tiles are filled while they are read.
    Wrong(
        "ninetyeight_product_no_second_barrier",
        "ninetyeight_product",
        "race | numbers / other element / left out / nan / infinity",
        ("__half2float(tb[e][x]);\n    __syncthreads();\n", "__half2float(tb[e][x]);\n"),
    ),
    # The tile of b is read across.
    Wrong(
        "ninetyeight_product_tile_across",
        "ninetyeight_product",
        "other element / swapped / sides | numbers / nan / left out",
        ("tb[e][x]", "tb[x][e]"),
    ),
    # Rows of b have the pitch of a.
    Wrong(
        "ninetyeight_product_pitch_of_a",
        "ninetyeight_product",
        "sides / other element / bounds / swapped | numbers / nan",
        ("b[(size_t)kb * n + col]", "b[(size_t)kb * k + col]"),
    ),
)

RIGHT = (
    # The size has 64 bits, and so have all indices.
    Right(
        "ninetyeight_pairs_long",
        "ninetyeight_pairs",
        ("                          int n)\n{", "                          int64_t n)\n{"),
        (
            "int k = 2 * (blockIdx.x * blockDim.x + threadIdx.x);",
            "int64_t k = 2 * ((int64_t)blockIdx.x * blockDim.x + threadIdx.x);",
        ),
        ("int n, int block_size", "int64_t n, int block_size"),
        ("int pairs = ", "int64_t pairs = "),
        ("    int blocks = (pairs", "    int64_t blocks = (pairs"),
    ),
    # Blocks of 96, and seven at most.
    Right(
        "ninetyeight_squares_blocks_of_96",
        "ninetyeight_squares",
        ("THREADS = 128;", "THREADS = 96;"),
        ("if (grid > 40) grid = 40;", "if (grid > 7) grid = 7;"),
    ),
    # A block is idle.
    Right(
        "ninetyeight_widen_idle_block",
        "ninetyeight_widen",
        ("(n + per_block - 1) / per_block", "n / per_block + 2"),
    ),
    # Limits by functions, which take NaN for the lower one.
    Right(
        "ninetyeight_bytes_by_functions",
        "ninetyeight_bytes",
        (
            "    if (!(v > 0.0f))\n        return 0;\n"
            "    if (v >= 255.0f)\n        return 255;\n"
            "    return (uint8_t)__float2int_rn(v);",
            "    return (uint8_t)rintf(fminf(fmaxf(v, 0.0f), 255.0f));",
        ),
    ),
    # Unsigned indices.
    Right(
        "ninetyeight_tanh_unsigned",
        "ninetyeight_tanh",
        (
            "const int idx = threadIdx.x + blockIdx.x * blockDim.x;\n  if (idx >= count)",
            "const uint32_t idx = threadIdx.x + blockIdx.x * blockDim.x;\n"
            "  if (idx >= (uint32_t)count)",
        ),
    ),
    # Two branches.
    Right(
        "ninetyeight_softplus_branches",
        "ninetyeight_softplus",
        (
            "    float small = expf(-fabsf(x));\n    return fmaxf(x, 0.0f) + log1pf(small);",
            "    if (x > 0.0f)\n        return x + log1pf(expf(-x));\n"
            "    return log1pf(expf(x));",
        ),
    ),
    # The rest is taken from the end.
    Right(
        "ninetyeight_roots_rest_from_end",
        "ninetyeight_roots",
        (
            "    const float* xs = (const float*)x + 4 * whole;\n"
            "    float* ys = (float*)y + 4 * whole;\n"
            "    ys[i] = sqrtf(xs[i]);",
            "    int last = n - 1 - i;\n"
            "    ((float*)y)[last] = __fsqrt_rn(((const float*)x)[last]);",
        ),
    ),
    # A warp adds its part by itself.
    Right(
        "ninetyeight_total_atomic_a_warp",
        "ninetyeight_total",
        ("  __shared__ long long part[8];\n", ""),
        (
            "  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;\n"
            "  if (lane == 0) part[warp] = mine;\n"
            "  __syncthreads();\n"
            "  if (threadIdx.x == 0) {\n"
            "    long long all = 0;\n"
            "    for (int w = 0; w < 8; ++w) all += part[w];\n"
            "    atomicAdd(total, (unsigned long long)all);\n"
            "  }\n",
            "  if (threadIdx.x % warpSize == 0) atomicAdd(total, (unsigned long long)mine);\n",
        ),
    ),
    # A kernel sets the mean to 0.
    Right(
        "ninetyeight_mean_set_by_kernel",
        "ninetyeight_mean",
        (
            '\nextern "C"',
            '\n__global__ void clear(float *mean)\n{\n    *mean = 0.0f;\n}\n\nextern "C"',
        ),
        (
            "cudaMemsetAsync(mean, 0, sizeof(float), stream);",
            "clear<<<1, 1, 0, stream>>>(mean);",
        ),
    ),
    # Blocks of two warps become blocks of four; what has no column holds infinity.
    Right(
        "ninetyeight_least_128_threads",
        "ninetyeight_least",
        ("kThreads = 64;", "kThreads = 128;"),
    ),
    # The quotient is a product.
    Right(
        "ninetyeight_soft_reciprocal",
        "ninetyeight_soft",
        (
            "    for (int c = t; c < n; c += NT)\n        y[start + c] = row[c] / part[0];",
            "    float f = 1.0f / part[0];\n"
            "    for (int c = t; c < n; c += NT)\n        y[start + c] = row[c] * f;",
        ),
    ),
    # Sums are doubles.
    Right(
        "ninetyeight_norm_doubles",
        "ninetyeight_norm",
        ("float mean = 0.0f;", "double mean = 0.0;"),
        ("float var = 0.0f;", "double var = 0.0;"),
        ("float d = in[c] - mean;", "double d = in[c] - mean;"),
        ("1.0f / sqrtf(var + eps)", "1.0f / sqrtf((float)var + eps)"),
    ),
    # The roles of the sides of a block are exchanged, and of the grid.
    Right(
        "ninetyeight_flip_rows_in_x",
        "ninetyeight_flip",
        (
            "int c = blockIdx.x * blockDim.x + threadIdx.x;",
            "int r = blockIdx.x * blockDim.x + threadIdx.x;",
        ),
        ("if (c >= cols)", "if (r >= rows)"),
        (
            "for (int r = blockIdx.y * blockDim.y + threadIdx.y; r < rows; r += step)",
            "for (int c = blockIdx.y * blockDim.y + threadIdx.y; c < cols; c += step)",
        ),
        ("int down = (rows + 7) / 8;", "int down = (cols + 7) / 8;"),
        ("grid((cols + 31) / 32,", "grid((rows + 31) / 32,"),
    ),
    # Tiles are of floats.
    Right(
        "ninetyeight_product_tiles_of_floats",
        "ninetyeight_product",
        ("__shared__ half ta[TILE][TILE];", "__shared__ float ta[TILE][TILE];"),
        ("__shared__ half tb[TILE][TILE];", "__shared__ float tb[TILE][TILE + 1];"),
        ("  const half zero = __float2half(0.0f);\n", ""),
        ("a[(size_t)row * k + ka] : zero;", "__half2float(a[(size_t)row * k + ka]) : 0.0f;"),
        ("b[(size_t)kb * n + col] : zero;", "__half2float(b[(size_t)kb * n + col]) : 0.0f;"),
        ("__half2float(ta[y][e]) * __half2float(tb[e][x])", "ta[y][e] * tb[e][x]"),
    ),
)
