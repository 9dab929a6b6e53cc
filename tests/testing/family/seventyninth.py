"""Hold a seventy-ninth family: the plain operators of a course, and their plainest mistakes.

Its bases are sums of two arrays of long integers, sums of three arrays of floats, halves to
doubles, floats to integers that stop at their ends, tanh of halves, ReLU6, the sum of halves,
sums of rows, the largest absolute value, a transpose, a product whose sums are doubles, softmax
of halves, softmax in one pass, and layer norm of halves. They have 12 to 50 lines, as in a
first half year of CUDA. They use a number a thread, float4 where four addresses lie well and a
second kernel elsewhere, two numbers a thread, half2 in a loop over the grid, a loop over the
grid, a tree in shared memory and a second kernel for the parts, a warp a row with shuffles,
atomics on the bits of floats after a memset, a tile of 16 with a column more, tiles of doubles,
a tree for a largest number and for a sum, a largest number and a sum in one pass that shuffles
join, and warps whose sums are shared. Their mistakes are spread over alignment, sizes, grids,
block sizes, integers of 16 and 32 bits, values, rounding, NaN, infinity, inputs that are
written, sums, transposes, products, order, streams and what is left of an earlier call. The
causes were written before a member was judged. Known beforehand were the table of the family,
the sixty-eighth part as the pattern, some lines of other parts that name bases or declare a
launcher, the function `factors` of the twenty-sixth and its neighbours,
`helpers.testing.cases`, a part of `kernel_cases`, and the beginning of two kernels of the
course, softmax and layer norm. There are 70 wrong members and 14 right ones. On the emulator
each ran beside PyTorch, compared as a case does, called twice on the same tensors, with NaN and
with 1e3 in floating outputs (-1 and 77 in others), with tensors at either end of their pages,
the bytes behind them and their inputs looked at afterwards, on a stream that is not the default
one, with threads in order, from the last to the first and in a random order, and in the slices
that the cases name. Bases and right ones ran all cases, those of more than 2^31 numbers for a
second each, which the largest absolute value does not finish; wrong ones until they were wrong
often enough. Of those that lack a barrier not each is wrong in every order of threads, and
seventynine_peak_no_atomic was right in all, as blocks ran one after another. nvcc 13.0 compiles
each for 8.0, all members of a base in one file; none was run on a GPU. Bases and right ones are
right, and all others wrong or refused by a fault:

    seventynine_tally_sum_of_int            of sums beyond 32 bits
    seventynine_tally_through_double        of sums beyond 2^53
    seventynine_tally_one_too_many          unless the block size divides n
    seventynine_tally_blocks_for_256        of block sizes below 256, from a second block on
    seventynine_tally_no_stream             on another stream than the default one
    seventynine_trio_y_not_asked            from 4 numbers on, by the address of y alone
    seventynine_trio_second_for_third       from 4 numbers on, unless c[1] and c[2] are alike
    seventynine_trio_packs_rounded_up       unless 4 divides n, where packs are taken
    seventynine_trio_rest_of_two            if 3 numbers are left, where packs are taken
    seventynine_trio_rest_without_c         unless 4 divides n, where packs are taken
    seventynine_widen_through_int           of pairs that are no whole numbers
    seventynine_widen_out_anywhere          from 2 numbers on, by the address of the result
    seventynine_widen_pairs_rounded_down    of odd counts for which no thread is left
    seventynine_widen_first_twice           from 2 numbers on, unless both of a pair are alike
    seventynine_widen_small_is_zero         of subnormal halves in pairs
    seventynine_clip_to_nearest             of numbers whose fraction is a half or more
    seventynine_clip_nan_runs_into_limit    of NaN
    seventynine_clip_low_bits               beyond 32 bits
    seventynine_clip_short_index            from 65,537 numbers on
    seventynine_clip_blocks_rounded_down    unless the block size divides n
    seventynine_tanh_by_exponentials        from about 44.4 on, and of small ones
    seventynine_tanh_last_is_copied         of odd counts, unless tanh is the number itself
    seventynine_tanh_x_anywhere             from 2 numbers on, by the address of x
    seventynine_tanh_second_left            from 2 numbers on, unless tanh is the number itself
    seventynine_tanh_no_last_pair           from 2 numbers on
    seventynine_relu_nan_lost               of NaN
    seventynine_relu_limit_is_1             beyond 1
    seventynine_relu_in_place               below 0 and beyond 6: x is overwritten
    seventynine_relu_one_step               from 20,481 numbers on at 256, from 2,561 on at 32
    seventynine_relu_in_int                 between 0 and 6, unless whole
    seventynine_heap_second_no_stream       on another stream than the default one
    seventynine_heap_no_barrier_in_tree     where threads do not wait for another
    seventynine_heap_quarter_tree           from 129 numbers on
    seventynine_heap_all_parts              if an earlier call had more parts
    seventynine_heap_sum_of_half            of sums of a thread that are no halves
    seventynine_lines_pitch_of_rows         from 2 rows on, unless square
    seventynine_lines_added_to_output       unless the result was 0
    seventynine_lines_four_shuffles         from 17 columns on
    seventynine_lines_always_4_warps        of other block sizes than 128, from 2 rows on
    seventynine_lines_all_lanes_store       where another lane than the first stores last
    seventynine_peak_not_set                unless what was there is less
    seventynine_peak_set_on_default_stream  on another stream than the default one
    seventynine_peak_no_absolute_value      if a negative number is the largest
    seventynine_peak_nan_lost               of NaN
    seventynine_peak_no_atomic              from a second block on, where blocks run at once
    seventynine_flip_no_barrier             where threads do not wait for another
    seventynine_flip_tile_not_turned        of nearly all
    seventynine_flip_pitch_of_input         unless square
    seventynine_flip_across_from_rows       unless tiles are as many each way
    seventynine_flip_down_in_y              from 65,536 tiles down: 1,048,561 rows
    seventynine_product_whole_tiles_only    unless 16 divides K
    seventynine_product_b_not_tested        unless 16 divides K
    seventynine_product_no_second_barrier   from K = 17 on, where threads do not wait
    seventynine_product_b_by_rows           of nearly all
    seventynine_product_sides_swapped       unless M and N are alike
    seventynine_share_starts_at_0           of rows that are far below 0
    seventynine_share_plain_exponentials    of rows far above or below 0
    seventynine_share_no_barrier_between    where threads do not wait for another
    seventynine_share_one_column_a_thread   from 129 columns on
    seventynine_share_difference_turned     unless all of a row are alike
    seventynine_online_not_scaled           if a later number of a lane is larger
    seventynine_online_starts_at_flt_min    of rows that are far below 0
    seventynine_online_lanes_leave          of fewer than 32 columns
    seventynine_online_one_row_too_many     unless 4 divides the rows
    seventynine_online_exponentials_in_x    of nearly all: x is overwritten
    seventynine_norm_sample_variance        of nearly all, mostly of few columns
    seventynine_norm_no_eps                 of rows that are all alike, and where eps counts
    seventynine_norm_gain_of_thread         from 129 columns on
    seventynine_norm_mean_of_half           if the mean is no half
    seventynine_norm_last_warp_left_out     from 97 columns on
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

# Sums of two arrays of long integers, one a thread.
TALLY = (
    HEADER
    + """\
__global__ void add_longs(const int64_t* a, const int64_t* b, int64_t* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    out[i] = a[i] + b[i];
  }
}

extern "C" void launch(const int64_t* a,  // [n]
                       const int64_t* b,  // [n]
                       int64_t* out,      // [n]
                       int n, int block_size = 256, cudaStream_t stream = 0) {
  const int grid = (n + block_size - 1) / block_size;
  if (grid == 0) return;
  add_longs<<<grid, block_size, 0, stream>>>(a, b, out, n);
}
"""
)

# Sums of three arrays, float4 where all four of them lie well, by a kernel of its own.
TRIO = (
    HEADER
    + """\
__global__ void sum3_vec(const float *a, const float *b, const float *c, float *y, int64_t n)
{
    int64_t v = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    int64_t nvec = n / 4;
    if (v < nvec) {
        float4 p = reinterpret_cast<const float4 *>(a)[v];
        float4 q = reinterpret_cast<const float4 *>(b)[v];
        float4 r = reinterpret_cast<const float4 *>(c)[v];
        p.x = p.x + q.x + r.x;
        p.y = p.y + q.y + r.y;
        p.z = p.z + q.z + r.z;
        p.w = p.w + q.w + r.w;
        reinterpret_cast<float4 *>(y)[v] = p;
    }
    int64_t last = 4 * nvec + v;
    if (v < 4 && last < n)
        y[last] = a[last] + b[last] + c[last];
}

__global__ void sum3(const float *a, const float *b, const float *c, float *y, int64_t n)
{
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a[i] + b[i] + c[i];
}

#define ALIGNED(p) (((uintptr_t)(p) & 15) == 0)

extern "C" void launch(const float *a,  // [n]
                       const float *b,  // [n]
                       const float *c,  // [n]
                       float *y,        // [n]
                       int64_t n, cudaStream_t stream = 0)
{
    if (n <= 0)
        return;
    if (ALIGNED(a) && ALIGNED(b) && ALIGNED(c) && ALIGNED(y))
        sum3_vec<<<n / 1024 + 1, 256, 0, stream>>>(a, b, c, y, n);
    else
        sum3<<<(n + 255) / 256, 256, 0, stream>>>(a, b, c, y, n);
}
"""
)

# Halves to doubles, two a thread.
WIDEN = (
    HEADER
    + """\
__global__ void widen(const half* in, double* out, int64_t n)
{
  int64_t k = 2 * (threadIdx.x + (int64_t)blockDim.x * blockIdx.x);
  if (k >= n)
    return;
  if (k == n - 1)
  {
    out[k] = (double)__half2float(in[k]);
    return;
  }
  half2 both = *(const half2*)&in[k];
  double lo = (double)__low2float(both);
  double hi = (double)__high2float(both);
  *(double2*)&out[k] = make_double2(lo, hi);
}

extern "C" void launch(const half* in,  // [n] 4-byte aligned
                       double* out,     // [n] 16-byte aligned
                       int64_t n, int block_size = 128, cudaStream_t stream = 0)
{
  int64_t pairs = (n + 1) / 2;
  int blocks = (pairs + block_size - 1) / block_size;
  if (blocks > 0)
    widen<<<blocks, block_size, 0, stream>>>(in, out, n);
}
"""
)

# Floats to integers that stop at their ends; what is no number becomes 0.
CLIP = (
    HEADER
    + """\
__device__ int to_int(float v) {
    if (isnan(v)) return 0;
    if (v >= 2147483648.0f) return 2147483647;
    if (v <= -2147483648.0f) return -2147483647 - 1;
    return (int)v;
}

__global__ void clip_cast(const float* src, int* dst, int64_t n) {
    int64_t idx = (int64_t)blockDim.x * blockIdx.x + threadIdx.x;
    if (idx >= n) return;
    dst[idx] = to_int(src[idx]);
}

extern "C" void launch(const float* src,  // [n]
                       int* dst,          // [n]
                       int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    if (n == 0) return;
    int num_blocks = (n + block_size - 1) / block_size;
    clip_cast<<<num_blocks, block_size, 0, stream>>>(src, dst, n);
}
"""
)

# The tanh of halves, two at a time in a loop over the grid.
TANH = (
    HEADER
    + """\
__global__ void tanh_pairs(const half *x, half *y, int64_t n)
{
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    int total = gridDim.x * blockDim.x;
    const half2 *x2 = (const half2 *)x;
    half2 *y2 = (half2 *)y;

    for (int64_t p = tid; p < n / 2; p += total) {
        float2 f = __half22float2(x2[p]);
        f.x = tanhf(f.x);
        f.y = tanhf(f.y);
        y2[p] = __float22half2_rn(f);
    }
    if (tid == 0 && n % 2 != 0)
        y[n - 1] = __float2half(tanhf(__half2float(x[n - 1])));
}

extern "C" void launch(const half *x,  // [n] 4-byte aligned
                       half *y,        // [n] 4-byte aligned
                       int64_t n, cudaStream_t stream = 0)
{
    int threads = 128;
    int64_t blocks = (n / 2 + threads - 1) / threads;
    if (blocks < 1)
        blocks = 1;
    if (blocks > 108)
        blocks = 108;
    tanh_pairs<<<blocks, threads, 0, stream>>>(x, y, n);
}
"""
)

# ReLU6 in a loop over the grid.
RELU = (
    HEADER
    + """\
__global__ void relu6_kernel(const float* x, float* y, int64_t n) {
  int stride = blockDim.x * gridDim.x;
  for (int64_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
    float v = x[i];
    if (v < 0.0f) v = 0.0f;
    if (v > 6.0f) v = 6.0f;
    y[i] = v;
  }
}

extern "C" void launch(const float* x,  // [n]
                       float* y,        // [n]
                       int64_t n, int block_size = 256, cudaStream_t stream = 0) {
  int64_t blocks = (n + block_size - 1) / block_size;
  if (blocks > 80) blocks = 80;
  if (blocks > 0) relu6_kernel<<<blocks, block_size, 0, stream>>>(x, y, n);
}
"""
)

# The sum of halves: a part for each block, and a second kernel of one block for the parts.
HEAP = (
    HEADER
    + """\
constexpr int kThreads = 256;
constexpr int kMaxBlocks = 256;

__device__ float g_parts[kMaxBlocks];

__device__ float block_sum(float v) {
    __shared__ float buf[kThreads];
    buf[threadIdx.x] = v;
    __syncthreads();
    for (int s = kThreads / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s) buf[threadIdx.x] += buf[threadIdx.x + s];
        __syncthreads();
    }
    return buf[0];
}

__global__ void first_stage(const half* x, int n) {
    float acc = 0.0f;
    for (int i = blockIdx.x * kThreads + threadIdx.x; i < n; i += gridDim.x * kThreads)
        acc += __half2float(x[i]);
    acc = block_sum(acc);
    if (threadIdx.x == 0) g_parts[blockIdx.x] = acc;
}

__global__ void second_stage(float* out, int parts) {
    float v = threadIdx.x < parts ? g_parts[threadIdx.x] : 0.0f;
    v = block_sum(v);
    if (threadIdx.x == 0) *out = v;
}

extern "C" void launch(const half* x,  // [n]
                       float* out,     // [1]
                       int n, cudaStream_t stream = 0) {
    int blocks = (n + kThreads - 1) / kThreads;
    if (blocks > kMaxBlocks) blocks = kMaxBlocks;
    if (blocks < 1) blocks = 1;
    first_stage<<<blocks, kThreads, 0, stream>>>(x, n);
    second_stage<<<1, kThreads, 0, stream>>>(out, blocks);
}
"""
)

# Sums of rows, a warp a row.
LINES = (
    HEADER
    + """\
__global__ void row_sums(const float *x, float *sums, int rows, int cols)
{
    int lane = threadIdx.x & 31;
    int warps = blockDim.x / 32;
    int row = blockIdx.x * warps + threadIdx.x / 32;
    if (row >= rows)
        return;
    const float *p = x + (size_t)row * cols;
    float s = 0.f;
    for (int j = lane; j < cols; j += 32)
        s += p[j];
    for (int o = 16; o >= 1; o /= 2)
        s += __shfl_down_sync(0xffffffffu, s, o);
    if (lane == 0)
        sums[row] = s;
}

extern "C" void launch(const float *x,  // [rows, cols]
                       float *sums,     // [rows]
                       int rows, int cols, int block_size = 128, cudaStream_t stream = 0)
{
    int warps = block_size < 32 ? 1 : block_size / 32;
    row_sums<<<(rows + warps - 1) / warps, 32 * warps, 0, stream>>>(x, sums, rows, cols);
}
"""
)

# The largest absolute value: bits of numbers that are not negative are in their order.
PEAK = (
    HEADER
    + """\
#define BLOCK 256

__global__ void abs_max(const float* x, float* out, int64_t n) {
  __shared__ int warp_best[BLOCK / 32];
  int best = 0;
  const int64_t first = blockIdx.x * BLOCK + threadIdx.x;
  for (int64_t i = first; i < n; i += BLOCK * gridDim.x) {
    int bits = __float_as_int(fabsf(x[i]));
    best = max(best, bits);
  }
  for (int d = 1; d < 32; d <<= 1) best = max(best, __shfl_xor_sync(~0u, best, d));
  if (threadIdx.x % 32 == 0) warp_best[threadIdx.x / 32] = best;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < BLOCK / 32; ++w) best = max(best, warp_best[w]);
    atomicMax((int*)out, best);
  }
}

extern "C" void launch(const float* x,  // [n]
                       float* out,      // [1]
                       int64_t n, cudaStream_t stream = 0) {
  int blocks = n < 120 * BLOCK ? n / BLOCK + 1 : 120;
  cudaMemsetAsync(out, 0, sizeof(float), stream);
  abs_max<<<blocks, BLOCK, 0, stream>>>(x, out, n);
}
"""
)

# A transpose by tiles of 16, all in x of the grid.
FLIP = (
    HEADER
    + """\
const int TILE = 16;

__global__ void transpose_tiles(const float *in, float *out, int rows, int cols, int across)
{
    __shared__ float tile[TILE][TILE + 1];

    int left = blockIdx.x % across * TILE;
    int top = blockIdx.x / across * TILE;

    int r = top + threadIdx.y;
    int c = left + threadIdx.x;
    if (r < rows && c < cols)
        tile[threadIdx.y][threadIdx.x] = in[(size_t)r * cols + c];
    __syncthreads();

    int out_r = left + threadIdx.y;
    int out_c = top + threadIdx.x;
    if (out_r < cols && out_c < rows)
        out[(size_t)out_r * rows + out_c] = tile[threadIdx.x][threadIdx.y];
}

extern "C" void launch(const float *in,  // [rows, cols]
                       float *out,       // [cols, rows]
                       int rows, int cols, cudaStream_t stream = 0)
{
    int across = (cols + TILE - 1) / TILE;
    int down = (rows + TILE - 1) / TILE;
    dim3 block(TILE, TILE);
    transpose_tiles<<<across * down, block, 0, stream>>>(in, out, rows, cols, across);
}
"""
)

# A product by tiles of 16, whose sums are doubles.
PRODUCT = (
    HEADER
    + """\
#define N_TILE 16

__global__ void matmul_tiles(const float* A, const float* B, float* C, int M, int N, int K,
                             int across) {
  __shared__ double sa[N_TILE][N_TILE];
  __shared__ double sb[N_TILE][N_TILE];
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int row = blockIdx.x / across * N_TILE + ty;
  const int col = blockIdx.x % across * N_TILE + tx;
  double acc = 0.0;
  const int tiles = (K + N_TILE - 1) / N_TILE;
  for (int t = 0; t < tiles; ++t) {
    const int ka = t * N_TILE + tx;
    const int kb = t * N_TILE + ty;
    sa[ty][tx] = (row < M && ka < K) ? A[(size_t)row * K + ka] : 0.0;
    sb[ty][tx] = (kb < K && col < N) ? B[(size_t)kb * N + col] : 0.0;
    __syncthreads();
    for (int i = 0; i < N_TILE; ++i) acc += sa[ty][i] * sb[i][tx];
    __syncthreads();
  }
  if (row < M && col < N) C[(size_t)row * N + col] = (float)acc;
}

extern "C" void launch(const float* A,  // [M, K]
                       const float* B,  // [K, N]
                       float* C,        // [M, N]
                       int M, int N, int K, cudaStream_t stream = 0) {
  dim3 threads(N_TILE, N_TILE);
  int across = (N + N_TILE - 1) / N_TILE;
  int down = (M + N_TILE - 1) / N_TILE;
  matmul_tiles<<<across * down, threads, 0, stream>>>(A, B, C, M, N, K, across);
}
"""
)

# Softmax of halves, a block a row.
SHARE = (
    HEADER
    + """\
#define THREADS 128

__global__ void softmax_rows(const half *x, half *y, int cols)
{
    __shared__ float red[THREADS];
    const int tid = threadIdx.x;
    x += (size_t)blockIdx.x * cols;
    y += (size_t)blockIdx.x * cols;

    float biggest = -INFINITY;
    for (int c = tid; c < cols; c += THREADS)
        biggest = fmaxf(biggest, __half2float(x[c]));
    red[tid] = biggest;
    __syncthreads();
    for (int step = THREADS / 2; step; step /= 2) {
        if (tid < step)
            red[tid] = fmaxf(red[tid], red[tid + step]);
        __syncthreads();
    }
    biggest = red[0];
    __syncthreads();

    float sum = 0.0f;
    for (int c = tid; c < cols; c += THREADS)
        sum += expf(__half2float(x[c]) - biggest);
    red[tid] = sum;
    __syncthreads();
    for (int step = THREADS / 2; step; step /= 2) {
        if (tid < step)
            red[tid] += red[tid + step];
        __syncthreads();
    }
    sum = red[0];

    for (int c = tid; c < cols; c += THREADS)
        y[c] = __float2half(expf(__half2float(x[c]) - biggest) / sum);
}

extern "C" void launch(const half *x,  // [rows, cols]
                       half *y,        // [rows, cols]
                       int rows, int cols, cudaStream_t stream = 0)
{
    softmax_rows<<<rows, THREADS, 0, stream>>>(x, y, cols);
}
"""
)

# Softmax with its largest number and its sum from one pass, a warp a row.
ONLINE = (
    HEADER
    + """\
__global__ void online_softmax(const float* x, float* y, int rows, int cols) {
    int lane = threadIdx.x % 32;
    int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    if (row >= rows) return;
    const float* in = x + (size_t)row * cols;
    float* out = y + (size_t)row * cols;

    float m = -FLT_MAX;
    float d = 0.0f;
    for (int j = lane; j < cols; j += 32) {
        float v = in[j];
        float m_new = fmaxf(m, v);
        d = d * expf(m - m_new) + expf(v - m_new);
        m = m_new;
    }

    float m_row = m;
    for (int mask = 1; mask < 32; mask *= 2)
        m_row = fmaxf(m_row, __shfl_xor_sync(0xffffffff, m_row, mask));
    d *= expf(m - m_row);
    for (int mask = 1; mask < 32; mask *= 2) d += __shfl_xor_sync(0xffffffff, d, mask);

    for (int j = lane; j < cols; j += 32) out[j] = expf(in[j] - m_row) / d;
}

extern "C" void launch(const float* x,  // [rows, cols]
                       float* y,        // [rows, cols]
                       int rows, int cols, cudaStream_t stream = 0) {
    const int warps = 4;
    online_softmax<<<(rows + warps - 1) / warps, warps * 32, 0, stream>>>(x, y, rows, cols);
}
"""
)

# Layer norm of halves, a block a row, whose warps add by shuffles.
NORM = (
    HEADER
    + """\
#define NT 128
#define NW (NT / 32)

__device__ float sum_of_block(float v)
{
  __shared__ float by_warp[NW];
  for (int o = 16; o > 0; o >>= 1)
    v += __shfl_xor_sync(0xffffffff, v, o);
  __syncthreads();
  if (threadIdx.x % 32 == 0)
    by_warp[threadIdx.x / 32] = v;
  __syncthreads();
  float all = 0.0f;
  for (int w = 0; w < NW; w++)
    all += by_warp[w];
  return all;
}

__global__ void layernorm(const half* x, const half* gamma, const half* beta, half* y,
                          float eps, int cols)
{
  const half* xr = x + (size_t)blockIdx.x * cols;
  half* yr = y + (size_t)blockIdx.x * cols;
  float s = 0.0f;
  for (int c = threadIdx.x; c < cols; c += NT)
    s += __half2float(xr[c]);
  float mean = sum_of_block(s) / cols;
  float q = 0.0f;
  for (int c = threadIdx.x; c < cols; c += NT)
  {
    float d = __half2float(xr[c]) - mean;
    q += d * d;
  }
  float inv = 1.0f / sqrtf(sum_of_block(q) / cols + eps);
  for (int c = threadIdx.x; c < cols; c += NT)
  {
    float v = (__half2float(xr[c]) - mean) * inv;
    yr[c] = __float2half(v * __half2float(gamma[c]) + __half2float(beta[c]));
  }
}

extern "C" void launch(const half* x,      // [rows, cols]
                       const half* gamma,  // [cols]
                       const half* beta,   // [cols]
                       half* y,            // [rows, cols]
                       float eps, int rows, int cols, cudaStream_t stream = 0)
{
  layernorm<<<rows, NT, 0, stream>>>(x, gamma, beta, y, eps, cols);
}
"""
)

NAN, INF = float("nan"), float("inf")
LENGTHS = (*range(1, 71), 95, 96, 97, 127, 128, 129, 255, 256, 257, 383, 511, 512, 513, 1000)
LENGTHS += (1023, 1024, 1025, 2047, 2048, 2049, 4096, 4099)
SIDES = ((1, 1), (2, 1), (1, 2), (3, 2), (4, 31), (5, 32), (8, 33), (33, 8), (2, 64), (65, 3))
SIDES += ((9, 70), (70, 1), (3, 1000), (1, 4099), (64, 70), (130, 6), (32, 32), (301, 2))
SIDES += ((3, 129), (7, 128), (5, 127), (3, 257), (7, 96), (5, 63), (65, 65), (513, 3))
FLOAT, HALF = (torch.float32,), (torch.float16,)


def tallies(launcher: Launcher) -> Iterator[Case]:
    """Add: small, around the ends of 32 bits, of any size, opposite; other block sizes."""
    for n in (*LENGTHS, 10_001, 65_537, 100_003):
        a, b = (whole(-999, 1000, n, 2 * n + k) for k in range(2))
        large = whole(-(2**62), 2**62, n, n + 1)
        for label, p, q in (
            ("small", a, b),
            ("around 2^31", 2**31 + a, b),
            ("around -2^31", a - 2**31, b - 2**31),
            ("of any size", large, large.flip(0)),
            ("opposite", large, b - large),
            ("zeros", a * 0, b * 0),
        ):
            for block_size in (256, 64, 96, 1024):
                scalars = {"block_size": block_size}
                options = {"dtypes": (torch.int64,), "quick": n > 5000}
                yield Case(
                    f"n = {n:,}, {scalars}, {label}", (p, q), (p + q,), scalars, **options
                )


def heaps(launcher: Launcher) -> Iterator[Case]:
    """Add halves: whole numbers, zeros, negative, large, the last, fractions, NaN, infinity."""
    for n in (*LENGTHS, 100_000, 70_003, 9_001, 300, 77, 3):
        x, j = whole(-9, 10, n, n), torch.arange(n)
        for label, y in (
            ("whole numbers", x),
            ("zeros", x * 0),
            ("negative only", -x.abs() - 1),
            ("large", x * 512),
            ("the last alone", torch.where(j == n - 1, 3, 0)),
            ("quarters", x / 4),
            ("about 2,000 of both signs", (1 - 2 * (j % 2)) * (2001 + x)),
            ("NaN", torch.where(j == n // 2, NAN, x)),
            ("infinity", torch.where(j == n // 3, -INF, x)),
        ):
            y = y.half()
            right = (y.double().sum().reshape(1),)
            options = {"dtypes": FLOAT, "quick": n > 5000}
            yield Case(f"n = {n:,}, {label}", (y,), right, **options)


def rows_of(rows: int, cols: int) -> Iterator[tuple[str, torch.Tensor]]:
    """Make rows of which a softmax is to be taken."""
    n = rows * cols
    x, c = whole(-40, 41, n, n).reshape(rows, cols) / 8.0, torch.arange(cols)
    yield "any", x
    yield "equal", x * 0 + 3
    yield "zeros", x * 0
    yield "far above 0", x + 1000
    yield "far below 0", x - 1000
    yield "negative only", -x.abs() - 1
    yield "rising", x * 0 + (c % 400) / 16.0
    yield "falling", x * 0 - (c % 400) / 16.0
    yield "the last alone", torch.where(c == cols - 1, 12.0, x * 0)
    yield "a mask", torch.where((c % 3 == 1) & (c > 0), -INF, x)
    yield "NaN", torch.where(c == cols // 2, NAN, x)


def shares(launcher: Launcher) -> Iterator[Case]:
    """Take the softmax of halves."""
    for rows, cols in (*SIDES, (3, 2_001)):
        for label, y in rows_of(rows, cols):
            y = y.half()
            right = y.double().softmax(1)
            slack = ((2.0**-17 * right + 2.0**-24).nan_to_num(0.0),)
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y,), (right,), dtypes=HALF, ulp=1, within=slack)


def onlines(launcher: Launcher) -> Iterator[Case]:
    """Take the softmax of floats."""
    for rows, cols in (*SIDES, (3, 2_001)):
        for label, y in rows_of(rows, cols):
            y = y.float()
            right = y.double().softmax(1)
            slack = ((2.0**-18 * right + 2.0**-126).nan_to_num(0.0),)
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y,), (right,), dtypes=FLOAT, within=slack)


def norms(launcher: Launcher) -> Iterator[Case]:
    """Norm halves: any, plain, small, about a large mean, alike, negative only, NaN."""
    for rows, cols in (*SIDES, (3, 2_001)):
        n = rows * cols
        x, c = whole(-99, 100, n, n).reshape(rows, cols), torch.arange(cols)
        gain, bias = (whole(-9, 10, cols, cols + k).double() / 4 for k in range(2))
        for label, y, g, b, eps in (
            ("any", x, gain, bias, 1.0),
            ("plain", x, gain * 0 + 1, bias * 0, 0.001),
            ("small", x / 64, gain, bias, 0.25),
            ("about 1,024", 1024 + x // 10, gain, bias, 0.5),
            ("alike", x * 0 + 5, gain, bias, 0.125),
            ("zeros", x * 0, gain, bias, 0.001),
            ("negative only", -x.abs() - 1, gain, bias, 0.25),
            ("NaN", torch.where((x % 9 == 4) & (c == cols // 2), NAN, x), gain, bias, 1.0),
        ):
            y, g, b = y.half(), g.half(), b.half()
            v = y.double()
            d = v - v.mean(1, keepdim=True)
            f = 1 / ((d * d).mean(1, keepdim=True) + eps).sqrt()
            right = d * f * g.double() + b.double()
            most = v.abs().amax(1, keepdim=True) * f * g.double().abs()
            slack = 2.0**-10 * right.abs() + 2.0**-14 * b.double().abs() + 2.0**-18 * most
            words = f"rows = {rows:,}, cols = {cols:,}, eps = {eps}, {label}"
            within = ((slack + 2.0**-24).nan_to_num(0.0),)
            options = {"dtypes": HALF, "within": within}
            yield Case(words, (y, g, b), (right,), {"eps": eps}, **options)


def added(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
    """Add three arrays."""
    return a + b + c


def trios(launcher: Launcher) -> Iterator[Case]:
    """Add three arrays of any numbers, all of them or one alone at an odd place."""
    make = ElementwiseMaker.of(launcher, added, 1)
    yield from elementwise_cases(launcher, make)
    for n in (*range(1, 71), 1023, 1025, 4099):
        yield make.random(n, 3)
        for odd in range(4):
            yield make.shifted(n, 4, tuple(1 if k == odd else 4 for k in range(4)))


def same(x: torch.Tensor) -> torch.Tensor:
    """Return an array."""
    return x


def clipped(x: torch.Tensor) -> torch.Tensor:
    """Round toward 0, into 32 bits; NaN becomes 0."""
    return x.trunc().clamp(-(2.0**31), 2.0**31 - 1).nan_to_num(0.0)


def relu6(x: torch.Tensor) -> torch.Tensor:
    """Clamp to what lies between 0 and 6."""
    return x.clamp(0, 6)


def largest(x: torch.Tensor) -> torch.Tensor:
    """Return the largest absolute value."""
    return x.abs().max()


def peaks(launcher: Launcher) -> Iterator[Case]:
    """Look for the largest absolute value, of negative numbers, infinities and NaN, too."""
    yield from kernel_cases.whole_array(largest)(launcher)
    for n in (*LENGTHS, 70_003, 9_001, 3):
        x, j = whole(-999, 1000, n, n).float(), torch.arange(n)
        for label, y in (
            ("any", x / 8),
            ("zeros", x * 0),
            ("negative only", -x.abs() - 1),
            ("infinity", torch.where(j == n // 3, -INF, x)),
            ("NaN", torch.where(j == n // 2, NAN, x)),
            ("NaN and infinity", torch.where(j == n - 1, NAN, torch.where(j == 0, INF, x))),
        ):
            options = {"dtypes": FLOAT, "quick": n > 5000}
            yield Case(f"n = {n:,}, {label}", (y,), (largest(y).reshape(1),), **options)


BASES = {
    "seventynine_tally": Base(TALLY, {"cases": tallies}),
    "seventynine_trio": Base(TRIO, {"cases": trios}),
    "seventynine_widen": Base(WIDEN, {"reference": same}),
    "seventynine_clip": Base(CLIP, {"reference": clipped}),
    "seventynine_tanh": Base(TANH, {"reference": torch.tanh, "ulp": 1}),
    "seventynine_relu": Base(RELU, {"reference": relu6}),
    "seventynine_heap": Base(HEAP, {"cases": heaps}),
    "seventynine_lines": Base(LINES, cases="promises"),
    "seventynine_peak": Base(PEAK, {"cases": peaks}),
    "seventynine_flip": Base(FLIP, cases="bank_conflicts"),
    "seventynine_product": Base(PRODUCT, cases="matmul"),
    "seventynine_share": Base(SHARE, {"cases": shares}),
    "seventynine_online": Base(ONLINE, {"cases": onlines}),
    "seventynine_norm": Base(NORM, {"cases": norms}),
}

WRONG = (
    # ---- tally
    # The sum has 32 bits.
    Wrong(
        "seventynine_tally_sum_of_int",
        "seventynine_tally",
        "narrow / whole range | numbers",
        ("    out[i] = a[i] + b[i];", "    int sum = (int)(a[i] + b[i]);\n    out[i] = sum;"),
    ),
    # The sum is that of doubles.
    Wrong(
        "seventynine_tally_through_double",
        "seventynine_tally",
        "precision | numbers / whole range / rounding",
        ("a[i] + b[i]", "(int64_t)((double)a[i] + (double)b[i])"),
    ),
    # One too many is allowed.
    Wrong(
        "seventynine_tally_one_too_many",
        "seventynine_tally",
        "bounds / tail",
        ("if (i < n)", "if (i <= n)"),
    ),
    # Blocks are counted as if they had 256 threads.
    Wrong(
        "seventynine_tally_blocks_for_256",
        "seventynine_tally",
        "block size / grid / unwritten | tail / left out / refused",
        ("(n + block_size - 1) / block_size", "(n + 255) / 256"),
    ),
    # The launch forgets the stream.
    Wrong(
        "seventynine_tally_no_stream",
        "seventynine_tally",
        "stream",
        ("<<<grid, block_size, 0, stream>>>", "<<<grid, block_size>>>"),
    ),
    # ---- trio
    # The address of the result is not asked.
    Wrong(
        "seventynine_trio_y_not_asked",
        "seventynine_trio",
        "alignment",
        (" && ALIGNED(c) && ALIGNED(y))", " && ALIGNED(c))"),
    ),
    # The third of a pack gets the second of c.
    Wrong(
        "seventynine_trio_second_for_third",
        "seventynine_trio",
        "other element / neighbour | numbers / nan / infinity",
        ("p.z + q.z + r.z", "p.z + q.z + r.y"),
    ),
    # The number of packs is rounded up.
    Wrong(
        "seventynine_trio_packs_rounded_up",
        "seventynine_trio",
        "bounds / tail",
        ("int64_t nvec = n / 4;", "int64_t nvec = (n + 3) / 4;"),
    ),
    # Three threads' rest is left by two.
    Wrong(
        "seventynine_trio_rest_of_two",
        "seventynine_trio",
        "tail / unwritten / left out | nan / numbers",
        ("if (v < 4 && last < n)", "if (v < 2 && last < n)"),
    ),
    # The rest is the sum of two.
    Wrong(
        "seventynine_trio_rest_without_c",
        "seventynine_trio",
        "tail / left out / function | numbers / nan / infinity",
        ("y[last] = a[last] + b[last] + c[last];", "y[last] = a[last] + b[last];"),
    ),
    # ---- widen
    # Numbers go through an integer.
    Wrong(
        "seventynine_widen_through_int",
        "seventynine_widen",
        "rounding / precision | numbers / sign of zero / nan / infinity / subnormal",
        ("(double)__low2float(both)", "(int)__low2float(both)"),
        ("(double)__high2float(both)", "(int)__high2float(both)"),
    ),
    # The result may lie anywhere.
    Wrong(
        "seventynine_widen_out_anywhere",
        "seventynine_widen",
        "alignment",
        ("double* out,     // [n] 16-byte aligned", "double* out,     // [n]"),
    ),
    # The last of an odd count is taken by nobody.
    Wrong(
        "seventynine_widen_pairs_rounded_down",
        "seventynine_widen",
        "tail / unwritten / left out / grid | refused / nan",
        ("int64_t pairs = (n + 1) / 2;", "int64_t pairs = n / 2;"),
    ),
    # The first of a pair is stored twice.
    Wrong(
        "seventynine_widen_first_twice",
        "seventynine_widen",
        "other element / neighbour / twice / left out | numbers / nan / infinity",
        ("(double)__high2float(both)", "(double)__low2float(both)"),
    ),
    # What is smaller than normal numbers is 0.
    Wrong(
        "seventynine_widen_small_is_zero",
        "seventynine_widen",
        "subnormal | numbers / sign of zero",
        (
            "  *(double2*)&out[k]",
            "  if (fabs(lo) < 6.103515625e-05) lo = 0;\n"
            "  if (fabs(hi) < 6.103515625e-05) hi = 0;\n"
            "  *(double2*)&out[k]",
        ),
    ),
    # ---- clip
    # What follows the point is rounded to the nearest.
    Wrong(
        "seventynine_clip_to_nearest",
        "seventynine_clip",
        "rounding | numbers / function",
        ("return (int)v;", "return __float2int_rn(v);"),
    ),
    # NaN runs into the lower limit.
    Wrong(
        "seventynine_clip_nan_runs_into_limit",
        "seventynine_clip",
        "nan",
        ("    if (isnan(v)) return 0;\n", "    v = fmaxf(v, -2147483648.0f);\n"),
    ),
    # What does not fit is cut to its low 32 bits.
    Wrong(
        "seventynine_clip_low_bits",
        "seventynine_clip",
        "whole range / infinity | numbers",
        (
            "    if (v >= 2147483648.0f) return 2147483647;\n"
            "    if (v <= -2147483648.0f) return -2147483647 - 1;\n"
            "    return (int)v;",
            "    return (int)(long long)v;",
        ),
    ),
    # Indices have 16 bits.
    Wrong(
        "seventynine_clip_short_index",
        "seventynine_clip",
        "narrow / unwritten / left out / whole range | tail / twice",
        ("    int64_t idx = ", "    uint16_t idx = "),
    ),
    # The number of blocks is rounded down.
    Wrong(
        "seventynine_clip_blocks_rounded_down",
        "seventynine_clip",
        "grid / tail / unwritten / left out | refused",
        ("(n + block_size - 1) / block_size;", "n / block_size;"),
    ),
    # ---- tanh
    # The tanh is written with exponentials.
    Wrong(
        "seventynine_tanh_by_exponentials",
        "seventynine_tanh",
        "infinity / nan | precision / numbers / function",
        ("f.x = tanhf(f.x);", "f.x = (expf(2.0f * f.x) - 1.0f) / (expf(2.0f * f.x) + 1.0f);"),
        ("f.y = tanhf(f.y);", "f.y = (expf(2.0f * f.y) - 1.0f) / (expf(2.0f * f.y) + 1.0f);"),
    ),
    # The last of an odd count is copied.
    Wrong(
        "seventynine_tanh_last_is_copied",
        "seventynine_tanh",
        "tail / copy / function | numbers",
        ("__float2half(tanhf(__half2float(x[n - 1])))", "x[n - 1]"),
    ),
    # Any address will do.
    Wrong(
        "seventynine_tanh_x_anywhere",
        "seventynine_tanh",
        "alignment",
        ("const half *x,  // [n] 4-byte aligned", "const half *x,  // [n]"),
    ),
    # The second of a pair is left as it is.
    Wrong(
        "seventynine_tanh_second_left",
        "seventynine_tanh",
        "copy / function / left out / other element | numbers / infinity",
        ("        f.y = tanhf(f.y);\n", ""),
    ),
    # The last pair is left to nobody.
    Wrong(
        "seventynine_tanh_no_last_pair",
        "seventynine_tanh",
        "tail / unwritten / left out | nan",
        ("p < n / 2; p += total", "p < n / 2 - 1; p += total"),
    ),
    # ---- relu
    # NaN is taken for what lies below 0.
    Wrong(
        "seventynine_relu_nan_lost",
        "seventynine_relu",
        "nan",
        ("if (v < 0.0f) v = 0.0f;", "v = fmaxf(v, 0.0f);"),
    ),
    # The upper limit is another one.
    Wrong(
        "seventynine_relu_limit_is_1",
        "seventynine_relu",
        "function / infinity | numbers / copy",
        ("if (v > 6.0f) v = 6.0f;", "if (v > 1.0f) v = 1.0f;"),
    ),
    # What is done is done in place, too.
    Wrong(
        "seventynine_relu_in_place",
        "seventynine_relu",
        "input | state",
        ("relu6_kernel(const float* x,", "relu6_kernel(float* x,"),
        ("    y[i] = v;", "    x[i] = v;\n    y[i] = x[i];"),
        ("stream>>>(x, y, n)", "stream>>>((float*)x, y, n)"),
    ),
    # No more blocks than 80, and each thread takes one.
    Wrong(
        "seventynine_relu_one_step",
        "seventynine_relu",
        "grid / unwritten / left out | tail",
        (
            "for (int64_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {",
            "int64_t i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) {",
        ),
    ),
    # Numbers are held as integers.
    Wrong(
        "seventynine_relu_in_int",
        "seventynine_relu",
        "rounding / precision | numbers / nan",
        ("    float v = x[i];", "    int v = (int)x[i];"),
    ),
    # ---- heap
    # The second kernel is launched on the default stream.
    Wrong(
        "seventynine_heap_second_no_stream",
        "seventynine_heap",
        "stream | state / race",
        ("second_stage<<<1, kThreads, 0, stream>>>", "second_stage<<<1, kThreads>>>"),
    ),
    # Steps of the tree do not wait for each other.
    Wrong(
        "seventynine_heap_no_barrier_in_tree",
        "seventynine_heap",
        "race | numbers / left out / other element",
        ("buf[threadIdx.x + s];\n        __syncthreads();\n", "buf[threadIdx.x + s];\n"),
    ),
    # The tree begins a step too late.
    Wrong(
        "seventynine_heap_quarter_tree",
        "seventynine_heap",
        "left out | numbers / nan / infinity",
        ("int s = kThreads / 2;", "int s = kThreads / 4;"),
    ),
    # All parts are added, those of an earlier call, too.
    Wrong(
        "seventynine_heap_all_parts",
        "seventynine_heap",
        "state | numbers / nan / zero before / infinity",
        ("threadIdx.x < parts ? g_parts[threadIdx.x] : 0.0f", "g_parts[threadIdx.x]"),
    ),
    # A thread's sum is a half.
    Wrong(
        "seventynine_heap_sum_of_half",
        "seventynine_heap",
        "precision / rounding / infinity | numbers / nan",
        (
            "        acc += __half2float(x[i]);",
            "        acc = __half2float(__float2half(acc) + x[i]);",
        ),
    ),
    # ---- lines
    # Rows have the pitch of columns.
    Wrong(
        "seventynine_lines_pitch_of_rows",
        "seventynine_lines",
        "sides / bounds / other element | numbers / swapped",
        ("(size_t)row * cols", "(size_t)row * rows"),
    ),
    # Lanes add to what is there.
    Wrong(
        "seventynine_lines_added_to_output",
        "seventynine_lines",
        "zero before | state / nan / unwritten",
        ("sums[row] = s;", "atomicAdd(&sums[row], s);"),
    ),
    # Half of the warp is added.
    Wrong(
        "seventynine_lines_four_shuffles",
        "seventynine_lines",
        "left out | numbers / other element",
        ("int o = 16; o >= 1;", "int o = 8; o >= 1;"),
    ),
    # A block has four warps, whatever its size.
    Wrong(
        "seventynine_lines_always_4_warps",
        "seventynine_lines",
        "block size | unwritten / left out / nan / grid / other element / tail / race / twice",
        ("int warps = blockDim.x / 32;", "int warps = 4;"),
    ),
    # Each lane stores what it has.
    Wrong(
        "seventynine_lines_all_lanes_store",
        "seventynine_lines",
        "race | left out / numbers / other element",
        ("    if (lane == 0)\n        sums[row] = s;", "    sums[row] = s;"),
    ),
    # ---- peak
    # Nothing sets the result before the atomics.
    Wrong(
        "seventynine_peak_not_set",
        "seventynine_peak",
        "zero before | state / nan / start / unwritten",
        ("  cudaMemsetAsync(out, 0, sizeof(float), stream);\n", ""),
    ),
    # The result is set on the default stream.
    Wrong(
        "seventynine_peak_set_on_default_stream",
        "seventynine_peak",
        "stream | race / zero before",
        (
            "cudaMemsetAsync(out, 0, sizeof(float), stream);",
            "cudaMemset(out, 0, sizeof(float));",
        ),
    ),
    # Negative numbers are not turned.
    Wrong(
        "seventynine_peak_no_absolute_value",
        "seventynine_peak",
        "function / left out | numbers / start",
        ("__float_as_int(fabsf(x[i]))", "__float_as_int(x[i])"),
    ),
    # A NaN is less than all.
    Wrong(
        "seventynine_peak_nan_lost",
        "seventynine_peak",
        "nan",
        (
            "best = max(best, bits);",
            "best = __float_as_int(fmaxf(__int_as_float(best), __int_as_float(bits)));",
        ),
    ),
    # Blocks compare and store without an atomic.
    Wrong(
        "seventynine_peak_no_atomic",
        "seventynine_peak",
        "race | left out / numbers",
        ("atomicMax((int*)out, best);", "if (best > *(int*)out) *(int*)out = best;"),
    ),
    # ---- flip
    # The tile is read before all have stored.
    Wrong(
        "seventynine_flip_no_barrier",
        "seventynine_flip",
        "race | numbers / unwritten / other element / state",
        ("    __syncthreads();\n", ""),
    ),
    # The tile is read as it was stored.
    Wrong(
        "seventynine_flip_tile_not_turned",
        "seventynine_flip",
        "other element / swapped / unwritten / sides | numbers / race / nan",
        ("= tile[threadIdx.x][threadIdx.y];", "= tile[threadIdx.y][threadIdx.x];"),
    ),
    # Rows of the result have the pitch of the input.
    Wrong(
        "seventynine_flip_pitch_of_input",
        "seventynine_flip",
        "sides / other element / bounds | numbers / unwritten / race / swapped / twice",
        ("(size_t)out_r * rows + out_c", "(size_t)out_r * cols + out_c"),
    ),
    # Tiles across are counted from the rows.
    Wrong(
        "seventynine_flip_across_from_rows",
        "seventynine_flip",
        "sides / grid / swapped / unwritten / left out | tail / twice / other element",
        ("rows, cols, across);", "rows, cols, down);"),
    ),
    # Tiles are counted down in y of the grid.
    Wrong(
        "seventynine_flip_down_in_y",
        "seventynine_flip",
        "grid / refused | unwritten / sides",
        (
            "    int left = blockIdx.x % across * TILE;\n"
            "    int top = blockIdx.x / across * TILE;\n",
            "    int left = blockIdx.x * TILE;\n    int top = blockIdx.y * TILE;\n",
        ),
        ("<<<across * down, block,", "<<<dim3(across, down), block,"),
    ),
    # ---- product
    # The last tile of K is left out.
    Wrong(
        "seventynine_product_whole_tiles_only",
        "seventynine_product",
        "tail / left out | numbers / sides / nan / infinity",
        ("(K + N_TILE - 1) / N_TILE;", "K / N_TILE;"),
    ),
    # Rows of B beyond the last are read.
    Wrong(
        "seventynine_product_b_not_tested",
        "seventynine_product",
        "bounds | tail",
        ("(kb < K && col < N) ? B", "(col < N) ? B"),
    ),
    # Tiles are filled while they are read.
    Wrong(
        "seventynine_product_no_second_barrier",
        "seventynine_product",
        "race | numbers / other element / left out",
        ("sb[i][tx];\n    __syncthreads();\n", "sb[i][tx];\n"),
    ),
    # The tile of B is read by rows.
    Wrong(
        "seventynine_product_b_by_rows",
        "seventynine_product",
        "other element / swapped / sides | numbers / function",
        ("acc += sa[ty][i] * sb[i][tx]", "acc += sa[ty][i] * sb[tx][i]"),
    ),
    # Tiles are counted as if they lay across from the rows.
    Wrong(
        "seventynine_product_sides_swapped",
        "seventynine_product",
        "swapped / sides / bounds / other element | numbers / unwritten",
        ("(A, B, C, M, N, K, across);", "(A, B, C, N, M, K, across);"),
    ),
    # ---- share
    # The largest begins with 0.
    Wrong(
        "seventynine_share_starts_at_0",
        "seventynine_share",
        "start | nan / infinity / numbers / precision / subnormal",
        ("float biggest = -INFINITY;", "float biggest = 0.0f;"),
    ),
    # The largest is not taken away.
    Wrong(
        "seventynine_share_plain_exponentials",
        "seventynine_share",
        "infinity | nan / numbers / precision / subnormal",
        ("sum += expf(__half2float(x[c]) - biggest);", "sum += expf(__half2float(x[c]));"),
        ("expf(__half2float(x[c]) - biggest) / sum", "expf(__half2float(x[c])) / sum"),
    ),
    # Sums are stored while others read the largest.
    Wrong(
        "seventynine_share_no_barrier_between",
        "seventynine_share",
        "race | numbers / state / nan / other element",
        ("    biggest = red[0];\n    __syncthreads();\n", "    biggest = red[0];\n"),
    ),
    # A thread writes one column.
    Wrong(
        "seventynine_share_one_column_a_thread",
        "seventynine_share",
        "unwritten / left out | tail / nan",
        (
            "    for (int c = tid; c < cols; c += THREADS)\n        y[c] =",
            "    int c = tid;\n    if (c < cols)\n        y[c] =",
        ),
    ),
    # The difference is turned round in what is written.
    Wrong(
        "seventynine_share_difference_turned",
        "seventynine_share",
        "function / swapped | numbers / infinity",
        (
            "expf(__half2float(x[c]) - biggest) / sum",
            "expf(biggest - __half2float(x[c])) / sum",
        ),
    ),
    # ---- online
    # What was added is not scaled when the largest grows.
    Wrong(
        "seventynine_online_not_scaled",
        "seventynine_online",
        "function / left out | numbers / precision / infinity",
        ("d = d * expf(m - m_new) + expf", "d = d + expf"),
    ),
    # The largest begins with the smallest positive number.
    Wrong(
        "seventynine_online_starts_at_flt_min",
        "seventynine_online",
        "start | nan / infinity / numbers / precision / subnormal",
        ("float m = -FLT_MAX;", "float m = FLT_MIN;"),
    ),
    # Lanes without a column leave before the shuffles.
    Wrong(
        "seventynine_online_lanes_leave",
        "seventynine_online",
        "race | unwritten / numbers / timeout",
        ("if (row >= rows) return;", "if (row >= rows || lane >= cols) return;"),
    ),
    # One row too many is allowed.
    Wrong(
        "seventynine_online_one_row_too_many",
        "seventynine_online",
        "bounds / tail",
        ("if (row >= rows) return;", "if (row > rows) return;"),
    ),
    # Exponentials are kept in the input.
    Wrong(
        "seventynine_online_exponentials_in_x",
        "seventynine_online",
        "input | state",
        ("online_softmax(const float* x,", "online_softmax(float* x,"),
        ("const float* in = x", "float* in = x"),
        (
            "out[j] = expf(in[j] - m_row) / d;",
            "{\n        in[j] = expf(in[j] - m_row);\n        out[j] = in[j] / d;\n    }",
        ),
        ("stream>>>(x, y, rows, cols)", "stream>>>((float*)x, y, rows, cols)"),
    ),
    # ---- norm
    # The variance is that of a sample.
    Wrong(
        "seventynine_norm_sample_variance",
        "seventynine_norm",
        "function | numbers / nan / infinity / precision",
        ("sum_of_block(q) / cols + eps", "sum_of_block(q) / (cols - 1) + eps"),
    ),
    # The small number is left out.
    Wrong(
        "seventynine_norm_no_eps",
        "seventynine_norm",
        "function / nan / infinity / left out | numbers / precision",
        ("sqrtf(sum_of_block(q) / cols + eps)", "sqrtf(sum_of_block(q) / cols)"),
    ),
    # Gains are those of the thread, not of the column.
    Wrong(
        "seventynine_norm_gain_of_thread",
        "seventynine_norm",
        "other element | numbers / left out",
        ("__half2float(gamma[c])", "__half2float(gamma[threadIdx.x])"),
    ),
    # The mean is a half.
    Wrong(
        "seventynine_norm_mean_of_half",
        "seventynine_norm",
        "precision / rounding | numbers",
        (
            "float mean = sum_of_block(s) / cols;",
            "half middle = __float2half(sum_of_block(s) / cols);\n"
            "  float mean = __half2float(middle);",
        ),
    ),
    # The last warp is left out.
    Wrong(
        "seventynine_norm_last_warp_left_out",
        "seventynine_norm",
        "left out | numbers / nan / tail",
        ("w < NW; w++", "w < NW - 1; w++"),
    ),
)

RIGHT = (
    # Sizes have 64 bits.
    Right(
        "seventynine_tally_long_sizes",
        "seventynine_tally",
        ("int64_t* out, int n) {", "int64_t* out, int64_t n) {"),
        ("const int i = blockIdx.x", "const int64_t i = (int64_t)blockIdx.x"),
        ("int n, int block_size", "int64_t n, int block_size"),
    ),
    # There are idle blocks.
    Right(
        "seventynine_trio_idle_blocks",
        "seventynine_trio",
        ("<<<n / 1024 + 1, 256,", "<<<n / 512 + 3, 256,"),
        ("<<<(n + 255) / 256, 256,", "<<<n / 128 + 2, 256,"),
    ),
    # The result is the first argument.
    Right(
        "seventynine_widen_result_first",
        "seventynine_widen",
        (
            "launch(const half* in,  // [n] 4-byte aligned\n"
            "                       double* out,     // [n] 16-byte aligned\n",
            "launch(double* out,     // [n] 16-byte aligned\n"
            "                       const half* in,  // [n] 4-byte aligned\n",
        ),
    ),
    # The instruction itself stops at the ends, and indices have no sign.
    Right(
        "seventynine_clip_by_instruction",
        "seventynine_clip",
        (
            "    if (isnan(v)) return 0;\n"
            "    if (v >= 2147483648.0f) return 2147483647;\n"
            "    if (v <= -2147483648.0f) return -2147483647 - 1;\n"
            "    return (int)v;",
            "    return __float2int_rz(v);",
        ),
        ("    int64_t idx = (int64_t)", "    uint64_t idx = (uint64_t)"),
    ),
    # Blocks have 96 threads, and are at most 33.
    Right(
        "seventynine_tanh_blocks_of_96",
        "seventynine_tanh",
        ("int threads = 128;", "int threads = 96;"),
        (
            "    if (blocks > 108)\n        blocks = 108;",
            "    if (blocks > 33)\n        blocks = 33;",
        ),
    ),
    # The loop goes from the last to the first.
    Right(
        "seventynine_relu_from_the_end",
        "seventynine_relu",
        (
            "int64_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride",
            "int64_t i = n - 1 - (int)(blockIdx.x * blockDim.x + threadIdx.x); i >= 0; "
            "i -= stride",
        ),
    ),
    # Blocks add to the result, which a memset makes 0.
    Right(
        "seventynine_heap_atomics",
        "seventynine_heap",
        (
            "const half* x, int n) {\n    float acc",
            "const half* x, float* out, int n) {\n    float acc",
        ),
        ("g_parts[blockIdx.x] = acc;", "atomicAdd(out, acc);"),
        (
            "first_stage<<<blocks,",
            "cudaMemsetAsync(out, 0, 4, stream);\n    first_stage<<<blocks,",
        ),
        ("stream>>>(x, n);", "stream>>>(x, out, n);"),
        ("    second_stage<<<1, kThreads, 0, stream>>>(out, blocks);\n", ""),
    ),
    # Blocks have half as many warps, and lanes go backwards.
    Right(
        "seventynine_lines_two_warps",
        "seventynine_lines",
        ("block_size < 32 ? 1 : block_size / 32", "block_size < 64 ? 1 : block_size / 64"),
        ("int j = lane; j < cols; j += 32", "int j = cols - 1 - lane; j >= 0; j -= 32"),
    ),
    # A kernel sets the result, and there are fewer blocks.
    Right(
        "seventynine_peak_set_by_kernel",
        "seventynine_peak",
        (
            "__global__ void abs_max(",
            "__global__ void set(float* out) { *out = 0.0f; }\n\n__global__ void abs_max(",
        ),
        ("cudaMemsetAsync(out, 0, sizeof(float), stream);", "set<<<1, 1, 0, stream>>>(out);"),
        ("n < 120 * BLOCK ? n / BLOCK + 1 : 120;", "n < 60 * BLOCK ? n / BLOCK + 2 : 60;"),
    ),
    # Tiles are stored turned, with 8 at a side.
    Right(
        "seventynine_flip_stored_turned",
        "seventynine_flip",
        ("TILE = 16;", "TILE = 8;"),
        ("tile[threadIdx.y][threadIdx.x] = in", "tile[threadIdx.x][threadIdx.y] = in"),
        ("= tile[threadIdx.x][threadIdx.y];", "= tile[threadIdx.y][threadIdx.x];"),
    ),
    # Tiles have 8 at a side, and sizes 64 bits.
    Right(
        "seventynine_product_tiles_of_8",
        "seventynine_product",
        ("#define N_TILE 16", "#define N_TILE 8"),
        (
            "                       int M, int N, int K,",
            "                       int64_t M, int64_t N, int64_t K,",
        ),
        (
            "float* C, int M, int N, int K,\n                             int",
            "float* C, int64_t M, int64_t N, int64_t K,\n                             int",
        ),
    ),
    # Exponentials have the base 2.
    Right(
        "seventynine_share_base_2",
        "seventynine_share",
        (
            "sum += expf(__half2float(x[c]) - biggest);",
            "sum += exp2f((__half2float(x[c]) - biggest) * 1.44269504f);",
        ),
        (
            "expf(__half2float(x[c]) - biggest) / sum",
            "exp2f((__half2float(x[c]) - biggest) * 1.44269504f) / sum",
        ),
    ),
    # A block is one warp, and there is an idle one.
    Right(
        "seventynine_online_one_warp",
        "seventynine_online",
        ("const int warps = 4;", "const int warps = 1;"),
        ("(rows + warps - 1) / warps, warps", "(rows + warps) / warps, warps"),
    ),
    # Blocks have 64 threads, and the root is an instruction.
    Right(
        "seventynine_norm_blocks_of_64",
        "seventynine_norm",
        ("#define NT 128", "#define NT 64"),
        ("1.0f / sqrtf(sum_of_block(q) / cols + eps)", "rsqrtf(sum_of_block(q) / cols + eps)"),
    ),
)
