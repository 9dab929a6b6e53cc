"""Hold a seventy-seventh family: the plain operators of a course, with everyday mistakes.

Its bases are an addition of floats in a loop over the grid, one of doubles by double2, casts
from float to half by half2 and from bfloat16 to float, the sigmoid of halves, leaky ReLU with a
slope, the sum and the largest of an array, the means of rows, a transpose, a product of
matrices, a matrix times a vector, softmax and layer norm: 14, with 70 wrong members and 14
right ones. The causes were written before a member was judged.

On the emulator each was run beside PyTorch, compared as a case does, called twice on the same
tensors, with NaN and with 1e3 in floating outputs, with tensors at either end of their pages,
the bytes behind them and their inputs looked at afterwards, on a stream that is not the
default one, with threads in order, from the last to the first and in a random order, and in
the slices that the cases name. Bases and right ones ran all cases; wrong ones until they were
wrong often enough. Each that lacks a barrier or an atomic was wrong in one of these orders at
least. nvcc 13.0 compiles each for 8.0; none was run on a GPU. Bases and right ones are right,
and all others wrong or refused by a fault:

    seventyseven_plus_one_too_many         always: one is written past the end
    seventyseven_plus_no_loop              from 216 blocks on: 6,913 numbers at 32
    seventyseven_plus_always_256           of other block sizes, from a second block on
    seventyseven_plus_no_block_for_few     of fewer numbers than a block has threads
    seventyseven_plus_no_stream            on another stream than the default one
    seventyseven_twin_only_a_tested        from 2 numbers on, by the address of b or c alone
    seventyseven_twin_in_floats            of nearly all
    seventyseven_twin_first_of_b_twice     from 2 numbers on, where pairs are taken
    seventyseven_twin_no_thread_for_rest   of an odd number, if the block size divides the pairs
    seventyseven_twin_pairs_rounded_up     of an odd number, where pairs are taken
    seventyseven_pack_cut_off              where a half above is nearer
    seventyseven_pack_limited              of numbers from 65,520 on, infinity and NaN
    seventyseven_pack_out_anywhere         from 2 numbers on, by the address of out
    seventyseven_pack_last_is_a_pair       of an odd number
    seventyseven_pack_pair_turned          from 2 numbers on
    seventyseven_widen_pattern_as_number   of all but 0
    seventyseven_widen_no_rest             unless 4 divides n
    seventyseven_widen_y_by_8              from 4 numbers on, by the address of y
    seventyseven_widen_blocks_of_512       of smaller block sizes, from a second block on
    seventyseven_widen_through_half        beyond 65,504 and below the halves
    seventyseven_squash_exponential_above  from 89 on
    seventyseven_squash_half_exponential   below -11, and a little elsewhere
    seventyseven_squash_no_minus           of nearly all but 0
    seventyseven_squash_nan_is_low         of NaN
    seventyseven_squash_launch_turned      from 1,025 blocks on
    seventyseven_leak_whole_slope          of numbers below 0, unless the slope is whole
    seventyseven_leak_else_zero            of NaN and -0
    seventyseven_leak_above_slope          of numbers between 0 and the slope
    seventyseven_leak_rest_copied          of numbers below 0 in the rest
    seventyseven_leak_first_slope          if an earlier call had another slope
    seventyseven_total_no_memset           unless the output was 0
    seventyseven_total_no_barrier          where warps do not wait for another
    seventyseven_total_four_warps          from 129 numbers on
    seventyseven_total_no_atomic           from a second block on: 1,025 numbers
    seventyseven_total_steps_of_a_block    from a second block on: 1,025 numbers
    seventyseven_peak_starts_at_flt_min    if no number is above 0
    seventyseven_peak_half_a_tree          if the largest is with the later threads of a block
    seventyseven_peak_second_no_stream     on another stream than the default one
    seventyseven_peak_magnitude            if a number below 0 is farther from 0
    seventyseven_peak_all_parts            of few numbers, all below 0 or after larger ones
    seventyseven_mean_block_a_column       unless rows and columns are as many
    seventyseven_mean_whole_division       unless the columns divide the sum
    seventyseven_mean_quarter_of_shared    always: threads write past what was asked for
    seventyseven_mean_pitch_of_block       from 2 rows on, unless the block is as wide
    seventyseven_mean_halves_rounded_down  of block sizes that are no power of 2
    seventyseven_flip_no_barrier           where threads do not wait for another
    seventyseven_flip_pitch_of_input       unless rows and columns are as many
    seventyseven_flip_tile_not_turned      of nearly all
    seventyseven_flip_tests_of_way_in      unless 32 divides both sides, or both are alike
    seventyseven_flip_rows_in_grid_y       from 65,536 rows of tiles on
    seventyseven_prod_whole_tiles          unless 16 divides k
    seventyseven_prod_a_not_tested         unless 16 divides k, at the end or by a NaN
    seventyseven_prod_adds_to_output       unless the output was 0
    seventyseven_prod_no_second_barrier    from k = 17 on, where threads do not wait for another
    seventyseven_prod_b_turned             of nearly all
    seventyseven_gemv_no_shuffle_by_16     from 17 columns on
    seventyseven_gemv_vector_by_lane       from 33 columns on
    seventyseven_gemv_rows_rounded_down    unless 4 divides the rows
    seventyseven_gemv_pitch_of_rows        from 2 rows on, unless the matrix is square
    seventyseven_gemv_whole_dot            of fractions, of large numbers and of NaN
    seventyseven_soft_starts_at_0          of rows that are far below 0
    seventyseven_soft_no_largest           of rows that are far from 0
    seventyseven_soft_exponentials_in_x    always: x is overwritten
    seventyseven_soft_one_each_in_sum      from 129 columns on
    seventyseven_soft_base_2               from 2 columns on
    seventyseven_norm_less_one             of rows that are not long
    seventyseven_norm_gain_of_row          of nearly all
    seventyseven_norm_one_pass             of rows with a mean far from 0
    seventyseven_norm_bias_first           unless all gains are 1 or all biases 0
    seventyseven_norm_blocks_of_16_bits    from 65,536 rows on
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import whole

# Two arrays of floats, added in a loop over the grid.
PLUS = (
    HEADER
    + """\
#define MOST_BLOCKS 216

__global__ void plus(const float* a, const float* b, float* c, int64_t n) {
  int64_t step = (int64_t)gridDim.x * blockDim.x;
  for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
    c[i] = a[i] + b[i];
  }
}

extern "C" void launch(const float* a,  // [n]
                       const float* b,  // [n]
                       float* c,        // [n]
                       int64_t n, int block_size = 256, cudaStream_t stream = 0) {
  if (n == 0) return;
  int64_t wanted = (n + block_size - 1) / block_size;
  int blocks = (int)(wanted < MOST_BLOCKS ? wanted : MOST_BLOCKS);
  plus<<<blocks, block_size, 0, stream>>>(a, b, c, n);
}
"""
)

# Two arrays of doubles, added by double2 where all addresses allow it.
TWIN = (
    HEADER
    + """\
__device__ double added(double u, double v) { return u + v; }

__global__ void twin(const double *a, const double *b, double *c, int pairs, int n)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p < pairs) {
        double2 u = reinterpret_cast<const double2 *>(a)[p];
        double2 v = reinterpret_cast<const double2 *>(b)[p];
        double2 w;
        w.x = added(u.x, v.x);
        w.y = added(u.y, v.y);
        reinterpret_cast<double2 *>(c)[p] = w;
    } else if (p == pairs && n % 2 == 1) {
        c[n - 1] = added(a[n - 1], b[n - 1]);
    }
}

__global__ void single(const double *a, const double *b, double *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = added(a[i], b[i]);
}

extern "C" void launch(const double *a,  // [n]
                       const double *b,  // [n]
                       double *c,        // [n]
                       int n, int block_size = 128, cudaStream_t stream = 0)
{
    uintptr_t mixed = (uintptr_t)a | (uintptr_t)b | (uintptr_t)c;
    if (mixed % sizeof(double2) == 0) {
        int pairs = n / 2;
        int threads = pairs + n % 2;
        twin<<<(threads + block_size - 1) / block_size, block_size, 0, stream>>>(a, b, c,
                                                                                 pairs, n);
    } else {
        single<<<(n + block_size - 1) / block_size, block_size, 0, stream>>>(a, b, c, n);
    }
}
"""
)

# Floats to halves, stored as half2.
PACK = (
    HEADER
    + """\
__global__ void pack_halves(const float* __restrict__ in, half* __restrict__ out, int64_t n) {
    const int64_t thread = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const int64_t at = 2 * thread;
    if (at + 1 < n) {
        const float lo = in[at];
        const float hi = in[at + 1];
        *reinterpret_cast<half2*>(out + at) = __floats2half2_rn(lo, hi);
    } else if (at < n) {
        out[at] = __float2half_rn(in[at]);
    }
}

extern "C" void launch(const float* in,  // [n]
                       half* out,        // [n] 4-byte aligned
                       int64_t n, int block_size = 192, cudaStream_t stream = 0) {
    const int64_t a_block = 2 * block_size;
    const int64_t blocks = (n + a_block - 1) / a_block;
    if (blocks > 0) pack_halves<<<blocks, block_size, 0, stream>>>(in, out, n);
}
"""
)

# Bfloat16 to float by a shift, four a thread; one more thread takes the rest.
WIDEN = (
    HEADER
    + """\
typedef unsigned short u16;

__device__ float widened(u16 b) { return __uint_as_float((unsigned)b << 16); }

__global__ void widen(const u16* x, float* y, int packs, int n) {
  int p = threadIdx.x + blockIdx.x * blockDim.x;
  if (p < packs) {
    ushort4 q = ((const ushort4*)x)[p];
    float4 f = {widened(q.x), widened(q.y), widened(q.z), widened(q.w)};
    ((float4*)y)[p] = f;
  }
  if (p == packs) {
    for (int i = 4 * packs; i < n; i++) y[i] = widened(x[i]);
  }
}

extern "C" void launch(const __nv_bfloat16* x,  // [n] 8-byte aligned
                       float* y,                // [n] 16-byte aligned
                       int n, int block_size = 128, cudaStream_t stream = 0) {
  int packs = n / 4;
  int blocks = packs / block_size + 1;
  widen<<<blocks, block_size, 0, stream>>>((const u16*)x, y, packs, n);
}
"""
)

# The sigmoid of halves, one a thread.
SQUASH = (
    HEADER
    + """\
__device__ float sigmoid(float v)
{
    return 1.0f / (1.0f + expf(-v));
}

__global__ void squash(const half *x, half *y, int64_t n)
{
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    y[i] = __float2half(sigmoid(__half2float(x[i])));
}

extern "C" void launch(const half *x,  // [n]
                       half *y,        // [n]
                       int64_t n, int block_size = 256, cudaStream_t stream = 0)
{
    unsigned int blocks = (unsigned int)((n + block_size - 1) / block_size);
    if (n > 0)
        squash<<<blocks, block_size, 0, stream>>>(x, y, n);
}
"""
)

# Leaky ReLU with a slope, a float4 a thread.
LEAK = (
    HEADER
    + """\
__device__ float leak(float v, float slope) {
  return v > 0.0f ? v : slope * v;
}

__global__ void leaky(const float* src, float* dst, float slope, int n) {
  int base = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
  if (base + 4 <= n) {
    float4 v = *(const float4*)&src[base];
    v.x = leak(v.x, slope);
    v.y = leak(v.y, slope);
    v.z = leak(v.z, slope);
    v.w = leak(v.w, slope);
    *(float4*)&dst[base] = v;
    return;
  }
  for (int j = base; j < n; ++j) dst[j] = leak(src[j], slope);
}

extern "C" void launch(const float* src,  // [n] 16-byte aligned
                       float* dst,        // [n] 16-byte aligned
                       float slope, int n, int block_size = 64, cudaStream_t stream = 0) {
  int each = 4 * block_size;
  leaky<<<(n + each - 1) / each, block_size, 0, stream>>>(src, dst, slope, n);
}
"""
)

# The sum of an array: shuffles in a warp, then among the warps, and one atomic a block.
TOTAL = (
    HEADER
    + """\
#define THREADS 256
#define WARPS (THREADS / 32)

__global__ void total(const float *x, float *sum, int64_t n)
{
    __shared__ float of_warp[WARPS];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float mine = 0.0f;
    int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    for (; i < n; i += (int64_t)gridDim.x * THREADS)
        mine += x[i];
    for (int off = 16; off > 0; off >>= 1)
        mine += __shfl_down_sync(0xffffffff, mine, off);
    if (lane == 0)
        of_warp[warp] = mine;
    __syncthreads();
    if (warp != 0)
        return;
    mine = lane < WARPS ? of_warp[lane] : 0.0f;
    for (int off = WARPS / 2; off > 0; off >>= 1)
        mine += __shfl_down_sync(0xffffffff, mine, off);
    if (lane == 0)
        atomicAdd(sum, mine);
}

extern "C" void launch(const float *x,  // [n]
                       float *sum,      // [1]
                       int64_t n, cudaStream_t stream = 0)
{
    int64_t blocks = (n + 4 * THREADS - 1) / (4 * THREADS);
    if (blocks > 160)
        blocks = 160;
    cudaMemsetAsync(sum, 0, sizeof(float), stream);
    if (blocks > 0)
        total<<<(int)blocks, THREADS, 0, stream>>>(x, sum, n);
}
"""
)

# The largest of an array in two steps: a tree in each block, then all blocks' by one thread.
PEAK = (
    HEADER
    + """\
#define T 256
#define MAX_BLOCKS 64

__device__ float peaks[MAX_BLOCKS];

__device__ float larger(float a, float b) { return (a > b || a != a) ? a : b; }

__global__ void peak_of_blocks(const float* x, int64_t n) {
  __shared__ float s[T];
  float m = -INFINITY;
  for (int64_t i = blockIdx.x * T + threadIdx.x; i < n; i += gridDim.x * T)
    m = larger(m, x[i]);
  s[threadIdx.x] = m;
  __syncthreads();
  for (int h = T / 2; h >= 1; h /= 2) {
    if (threadIdx.x < h) s[threadIdx.x] = larger(s[threadIdx.x], s[threadIdx.x + h]);
    __syncthreads();
  }
  if (threadIdx.x == 0) peaks[blockIdx.x] = s[0];
}

__global__ void peak_of_all(float* out, int count) {
  float m = peaks[0];
  for (int k = 1; k < count; k++) m = larger(m, peaks[k]);
  out[0] = m;
}

extern "C" void launch(const float* x,  // [n]
                       float* out,      // [1]
                       int64_t n, cudaStream_t stream = 0) {
  int blocks = n < T * MAX_BLOCKS ? (int)((n + T - 1) / T) : MAX_BLOCKS;
  peak_of_blocks<<<blocks, T, 0, stream>>>(x, n);
  peak_of_all<<<1, 1, 0, stream>>>(out, blocks);
}
"""
)

# The mean of each row, a block a row, of any block size.
MEAN = (
    HEADER
    + """\
__global__ void row_means(const float* x, float* y, int cols)
{
    extern __shared__ float part[];
    const int t = threadIdx.x;
    const float* row = x + (size_t)blockIdx.x * cols;
    float sum = 0.f;
    for (int c = t; c < cols; c += blockDim.x) {
        sum += row[c];
    }
    part[t] = sum;
    __syncthreads();
    int left = blockDim.x;
    while (left > 1) {
        int half_way = (left + 1) / 2;
        if (t + half_way < left) {
            part[t] += part[t + half_way];
        }
        __syncthreads();
        left = half_way;
    }
    if (t == 0) {
        y[blockIdx.x] = part[0] / cols;
    }
}

extern "C" void launch(const float* x,  // [rows, cols]
                       float* y,        // [rows]
                       int rows, int cols, int block_size = 128, cudaStream_t stream = 0)
{
    size_t bytes = block_size * sizeof(float);
    row_means<<<rows, block_size, bytes, stream>>>(x, y, cols);
}
"""
)

# A transpose by tiles of 32 x 33, which the grid counts in one number.
FLIP = (
    HEADER
    + """\
const int TILE = 32;
const int STEP = 8;

__global__ void flip(const float* in, float* out, int rows, int cols, int across) {
  __shared__ float tile[TILE][TILE + 1];
  int x = threadIdx.x;
  int top = blockIdx.x / across * TILE;
  int left = blockIdx.x % across * TILE;
  for (int y = threadIdx.y; y < TILE; y += STEP)
    if (top + y < rows && left + x < cols)
      tile[y][x] = in[(size_t)(top + y) * cols + left + x];
  __syncthreads();
  for (int y = threadIdx.y; y < TILE; y += STEP)
    if (left + y < cols && top + x < rows)
      out[(size_t)(left + y) * rows + top + x] = tile[x][y];
}

extern "C" void launch(const float* in,  // [rows, cols]
                       float* out,       // [cols, rows]
                       int rows, int cols, cudaStream_t stream = 0) {
  int across = (cols + TILE - 1) / TILE;
  int down = (rows + TILE - 1) / TILE;
  flip<<<across * down, dim3(TILE, STEP), 0, stream>>>(in, out, rows, cols, across);
}
"""
)

# A product of matrices by tiles of 16 x 16.
PROD = (
    HEADER
    + """\
#define W 16

__global__ void prod(const float *A, const float *B, float *C, int m, int n, int k, int wide)
{
    __shared__ float As[W][W];
    __shared__ float Bs[W][W];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = (int)(blockIdx.x / wide) * W + ty;
    int col = (int)(blockIdx.x % wide) * W + tx;
    float acc = 0.0f;
    int tiles = (k + W - 1) / W;
    for (int t = 0; t < tiles; ++t) {
        int ka = t * W + tx;
        int kb = t * W + ty;
        As[ty][tx] = (row < m && ka < k) ? A[(size_t)row * k + ka] : 0.0f;
        Bs[ty][tx] = (kb < k && col < n) ? B[(size_t)kb * n + col] : 0.0f;
        __syncthreads();
        for (int j = 0; j < W; ++j)
            acc += As[ty][j] * Bs[j][tx];
        __syncthreads();
    }
    if (row < m && col < n)
        C[(size_t)row * n + col] = acc;
}

extern "C" void launch(const float *A,  // [m, k]
                       const float *B,  // [k, n]
                       float *C,        // [m, n]
                       int m, int n, int k, cudaStream_t stream = 0)
{
    int wide = (n + W - 1) / W;
    int high = (m + W - 1) / W;
    dim3 block(W, W);
    prod<<<wide * high, block, 0, stream>>>(A, B, C, m, n, k, wide);
}
"""
)

# A matrix times a vector, a warp a row, with the five shuffles one below the other.
GEMV = (
    HEADER
    + """\
#define FULL 0xffffffffu

__global__ void gemv(const float* A, const float* x, float* y, int m, int n) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (row >= m) return;

    float dot = 0.0f;
    for (int j = lane; j < n; j += 32) {
        dot += A[(size_t)row * n + j] * x[j];
    }
    dot += __shfl_xor_sync(FULL, dot, 16);
    dot += __shfl_xor_sync(FULL, dot, 8);
    dot += __shfl_xor_sync(FULL, dot, 4);
    dot += __shfl_xor_sync(FULL, dot, 2);
    dot += __shfl_xor_sync(FULL, dot, 1);
    if (lane == 0) y[row] = dot;
}

extern "C" void launch(const float* A,  // [m, n]
                       const float* x,  // [n]
                       float* y,        // [m]
                       int m, int n, cudaStream_t stream = 0) {
    const int warps = 4;  // of a block
    int blocks = (m + warps - 1) / warps;
    gemv<<<blocks, 32 * warps, 0, stream>>>(A, x, y, m, n);
}
"""
)

# Softmax of rows, a block a row, with a tree for the maximum and one for the sum.
SOFT = (
    HEADER
    + """\
#define THREADS 128

__device__ float grown(float v, float top) { return expf(v - top); }

__global__ void soft(const float* x, float* y, int n) {
  __shared__ float buf[THREADS];
  const int t = threadIdx.x;
  const float* in = x + (size_t)blockIdx.x * n;
  float* out = y + (size_t)blockIdx.x * n;

  float top = -INFINITY;
  for (int j = t; j < n; j += THREADS) top = fmaxf(top, in[j]);
  buf[t] = top;
  __syncthreads();
  for (int s = THREADS / 2; s > 0; s >>= 1) {
    if (t < s) buf[t] = fmaxf(buf[t], buf[t + s]);
    __syncthreads();
  }
  top = buf[0];
  __syncthreads();

  float sum = 0.0f;
  for (int j = t; j < n; j += THREADS) sum += grown(in[j], top);
  buf[t] = sum;
  __syncthreads();
  for (int s = THREADS / 2; s > 0; s >>= 1) {
    if (t < s) buf[t] += buf[t + s];
    __syncthreads();
  }
  float scale = 1.0f / buf[0];
  for (int j = t; j < n; j += THREADS) out[j] = grown(in[j], top) * scale;
}

extern "C" void launch(const float* x,  // [m, n]
                       float* y,        // [m, n]
                       int m, int n, cudaStream_t stream = 0) {
  soft<<<m, THREADS, 0, stream>>>(x, y, n);
}
"""
)

# Layer norm with gain and bias, a block of four warps a row, in two passes.
NORM = (
    HEADER
    + """\
#define WARPS 4

__device__ float sum_of_block(float v)
{
    __shared__ float of[WARPS];
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_xor_sync(0xffffffff, v, d);
    __syncthreads();  // all have read what is there
    if (threadIdx.x % 32 == 0)
        of[threadIdx.x / 32] = v;
    __syncthreads();
    return of[0] + of[1] + of[2] + of[3];
}

__global__ void norm(const float *x, const float *gain, const float *bias, float *y,
                     float eps, int cols)
{
    const float *row = x + (size_t)blockIdx.x * cols;
    float s = 0.0f, q = 0.0f;
    for (int c = threadIdx.x; c < cols; c += 32 * WARPS)
        s += row[c];
    float mean = sum_of_block(s) / cols;
    for (int c = threadIdx.x; c < cols; c += 32 * WARPS) {
        float d = row[c] - mean;
        q += d * d;
    }
    float var = sum_of_block(q) / cols;
    float inv = 1.0f / sqrtf(var + eps);
    for (int c = threadIdx.x; c < cols; c += 32 * WARPS)
        y[(size_t)blockIdx.x * cols + c] = (row[c] - mean) * inv * gain[c] + bias[c];
}

extern "C" void launch(const float *x,     // [rows, cols]
                       const float *gain,  // [cols]
                       const float *bias,  // [cols]
                       float *y,           // [rows, cols]
                       float eps, int rows, int cols, cudaStream_t stream = 0)
{
    unsigned int blocks = rows;
    norm<<<blocks, 32 * WARPS, 0, stream>>>(x, gain, bias, y, eps, cols);
}
"""
)

NAN, INF = float("nan"), float("inf")
LENGTHS = (*range(1, 71), 95, 96, 97, 127, 128, 129, 191, 192, 193, 255, 256, 257, 383, 384)
LENGTHS += (385, 511, 512, 513, 767, 769, 1000, 1023, 1024, 1025, 2047, 2048, 2049, 4096, 5003)
SIDES = ((1, 1), (2, 1), (1, 2), (3, 2), (4, 31), (5, 32), (8, 33), (33, 8), (2, 64), (65, 3))
SIDES += ((9, 70), (70, 1), (3, 1000), (1, 4099), (64, 70), (130, 6), (32, 32), (301, 2))
SIDES += ((3, 129), (7, 128), (5, 63), (65, 65), (6, 95), (7, 96), (2, 97), (2, 257), (4, 17))
FLOAT, DOUBLE = (torch.float32,), (torch.float64,)


def twins(launcher: Launcher) -> Iterator[Case]:
    """Add doubles: thirds, large, tiny, zeros, infinities, NaN; slices by one and two."""
    for n in (*LENGTHS, 20_003):
        a, b = (whole(-(10**9), 10**9, n, 2 * n + k).double() / 3 for k in range(2))
        j = torch.arange(n)
        for label, p, q in (
            ("thirds", a, b),
            ("large", a * 1e200, b * 1e200),
            ("tiny", a * 1e-300, b * 1e-300),
            ("zeros", torch.where(j % 2 == 1, 0.0, -0.0), torch.where(j % 3 == 1, 0.0, -0.0)),
            ("infinities", torch.where(j % 3 == 1, INF, a), torch.where(j % 4 == 1, -INF, b)),
            ("NaN", a, torch.where(j % 3 == 1, NAN, b)),
        ):
            p, q = p.double(), q.double()
            for block_size in (128, 32, 96, 512) if label == "thirds" else (128,):
                scalars = {"block_size": block_size}
                options = {"dtypes": DOUBLE, "quick": n > 5000}
                words = f"n = {n:,}, {scalars}, {label}"
                yield Case(words, (p, q), (p + q,), scalars, **options)
            if n < 300 and label == "thirds":
                for offsets in ((1, 1, 1), (2, 1, 2), (2, 2, 1), (1, 2, 2), (2, 2, 2)):
                    words = f"n = {n:,}, slices from {offsets}"
                    yield Case(words, (p, q), (p + q,), {}, offset=offsets, **options)


def widens(launcher: Launcher) -> Iterator[Case]:
    """Widen: usual, large, tiny, zeros, infinities, NaN, any pattern; slices by four."""
    for n in (*LENGTHS, 20_003, 65_536):
        x, j = whole(-999, 1000, n, n).double() / 8, torch.arange(n)
        patterns = (whole(0, 65_536, n, n + 1) - 32_768).to(torch.int16)
        for label, y in (
            ("usual", x),
            ("large", x * 2.0**100),
            ("tiny", x * 2.0**-120),
            ("zeros", torch.where(j % 2 == 1, 0.0, -0.0)),
            ("infinities", torch.where(j % 3 == 1, INF * (1 - j % 2 * 2), x)),
            ("NaN", torch.where(j % 3 == 1, NAN, x)),
            ("any pattern", patterns.view(torch.bfloat16)),
        ):
            y = y.bfloat16()
            for block_size in (128, 32, 96, 512) if label == "usual" else (128,):
                scalars = {"block_size": block_size}
                options = {"dtypes": FLOAT, "quick": n > 5000}
                words = f"n = {n:,}, {scalars}, {label}"
                yield Case(words, (y,), (y.double(),), scalars, **options)
            if n < 300 and label == "usual":
                for offsets in ((4, 4), (8, 4), (12, 8)):
                    words = f"n = {n:,}, slices from {offsets}"
                    yield Case(words, (y,), (y.double(),), {}, offset=offsets, **options)


def leaks(launcher: Launcher) -> Iterator[Case]:
    """Leak, with exact products: slopes of all kinds, small, zeros, infinities, NaN."""
    for n in (*LENGTHS, 20_003):
        x, j = whole(-4095, 4096, n, n).double() / 64, torch.arange(n)
        for label, y, slope in (
            ("usual", x, 0.25),
            ("small", x / 256, 0.125),
            ("a slope above 1", x, 2.5),
            ("a negative slope", x, -0.5),
            ("no slope", x, 0.0),
            ("zeros", torch.where(j % 2 == 1, 0.0, -0.0), 0.5),
            ("infinities", torch.where(j % 3 == 1, INF * (1 - j % 2 * 2), x), 0.25),
            ("NaN", torch.where(j % 3 == 1, NAN, x), 0.0625),
        ):
            y = y.float()
            right = torch.where(y > 0, y.double(), slope * y.double())
            for block_size in (64, 32, 256) if label in ("usual", "NaN") else (64,):
                scalars = {"slope": slope, "block_size": block_size}
                options = {"dtypes": FLOAT, "quick": n > 5000}
                words = f"n = {n:,}, {scalars}, {label}"
                yield Case(words, (y,), (right,), scalars, **options)
            if n < 300 and label == "usual":
                words, more = f"n = {n:,}, slices from (4, 8)", {**options, "offset": (4, 8)}
                yield Case(words, (y,), (right,), {"slope": slope}, **more)


def means(launcher: Launcher) -> Iterator[Case]:
    """Average whole numbers, whose sums are exact: any, negative, zeros, infinity, NaN."""
    for rows, cols in (*SIDES, (3, 2_001), (513, 3), (2, 20_011), (1, 100_003)):
        x = whole(-99, 100, rows * cols, rows * cols).reshape(rows, cols).double()
        c = torch.arange(cols)
        for label, y in (
            ("any", x),
            ("below 0", -x.abs() - 1),
            ("zeros", x * 0),
            ("equal in a row", x[:, :1] + 0 * x),
            ("the last alone", torch.where(c == cols - 1, 77.0, 0 * x)),
            ("infinity", torch.where(c == cols // 2, INF, x)),
            ("NaN", torch.where((c == cols // 3) & (x % 2 == 0), NAN, x)),
        ):
            y = y.float()
            right = y.double().mean(1)
            for block_size in (128, 32, 96, 100, 256) if label == "any" else (128, 100):
                scalars = {"block_size": block_size}
                options = {"dtypes": FLOAT, "ulp": 1, "quick": cols > 5000}
                words = f"rows = {rows:,}, cols = {cols:,}, {scalars}, {label}"
                yield Case(words, (y,), (right,), scalars, **options)


def gemvs(launcher: Launcher) -> Iterator[Case]:
    """Multiply, so that all is exact: any, eighths, ones, large, the last alone, NaN."""
    for m, n in (*SIDES, *((k % 9 + 1, k) for k in range(1, 71)), (3, 2_001), (2, 20_011)):
        a, x = (
            whole(-30, 31, m * n, m * n).reshape(m, n).double(),
            whole(-30, 31, n, n).double(),
        )
        j = torch.arange(n)
        for label, p, q in (
            ("any", a, x),
            ("eighths", a / 8, x / 4),
            ("ones", a * 0 + 1, x * 0 + 1),
            ("large", a.clamp(-1, 1) * 2.0**60, x.clamp(-1, 1) * 2.0**10),
            ("the last alone", a, torch.where(j == n - 1, 3.0, 0.0)),
            ("zeros", a * 0, x),
            ("NaN in the matrix", torch.where((j == n // 2) & (a % 2 == 0), NAN, a), x),
            ("NaN in the vector", a, torch.where(j == n // 3, NAN, x)),
        ):
            words, right = f"m = {m:,}, n = {n:,}, {label}", (p * q).sum(1)
            inputs = (p.float(), q.float())
            yield Case(words, inputs, (right,), dtypes=FLOAT, quick=n > 5000)


def norms(launcher: Launcher) -> Iterator[Case]:
    """Norm whole numbers: any, plain, small, about a large mean, equal, NaN; many rows."""
    for rows, cols in (*SIDES, (3, 2_001), (129, 130), (65_601, 2)):
        n = rows * cols
        x, c = whole(-99, 100, n, n).reshape(rows, cols), torch.arange(cols)
        gain, bias = (whole(-9, 10, cols, cols + k).double() / 4 for k in range(2))
        for label, y, g, b, eps in (
            ("any", x, gain, bias, 0.5),
            ("plain", x, gain * 0 + 1, bias * 0, 1e-5),
            ("small", x / 1024, gain, bias, 0.25),
            ("about 9,000", 9000 + x // 10, gain, bias, 0.5),
            ("equal", x * 0 + 12, gain, bias, 0.125),
            ("NaN", torch.where((x % 7 == 4) & (c == cols // 2), NAN, x), gain, bias, 1.0),
        ):
            if rows > 65_535 and label != "any":
                continue
            v = y.float().double()
            d = v - v.mean(1, keepdim=True)
            f = 1 / ((d * d).mean(1, keepdim=True) + eps).sqrt()
            right = d * f * g + b
            fine = 2.0**-14 * (d * f * g).abs() + 2.0**-20 * f * v.abs().amax(1, True) * g.abs()
            slack = 2.0**-20 * (right.abs() + b.abs()) + fine + 2.0**-24
            words = f"rows = {rows:,}, cols = {cols:,}, eps = {eps}, {label}"
            inputs, within = (y.float(), g.float(), b.float()), (slack.nan_to_num(0.0),)
            options = {"dtypes": FLOAT, "within": within, "quick": n > 5000}
            yield Case(words, inputs, (right,), {"eps": eps}, **options)


BASES = {
    "seventyseven_plus": Base(PLUS, {"reference": "add"}),
    "seventyseven_twin": Base(TWIN, {"cases": twins}),
    "seventyseven_pack": Base(PACK, {"reference": "cast"}),
    "seventyseven_widen": Base(WIDEN, {"cases": widens}),
    "seventyseven_squash": Base(SQUASH, {"reference": torch.sigmoid, "ulp": 1}),
    "seventyseven_leak": Base(LEAK, {"cases": leaks}),
    "seventyseven_total": Base(TOTAL, cases="sums"),
    "seventyseven_peak": Base(PEAK, cases="whole_array", function=torch.max),
    "seventyseven_mean": Base(MEAN, {"cases": means}),
    "seventyseven_flip": Base(FLIP, cases="transpose"),
    "seventyseven_prod": Base(PROD, cases="matmul"),
    "seventyseven_gemv": Base(GEMV, {"cases": gemvs}),
    "seventyseven_soft": Base(SOFT, cases="softmax"),
    "seventyseven_norm": Base(NORM, {"cases": norms}),
}

WRONG = (
    # ---- plus
    # The loop runs one too far.
    Wrong(
        "seventyseven_plus_one_too_many",
        "seventyseven_plus",
        "bounds / tail",
        ("i < n; i += step", "i <= n; i += step"),
    ),
    # Each thread adds one pair, though the grid is limited.
    Wrong(
        "seventyseven_plus_no_loop",
        "seventyseven_plus",
        "unwritten / left out / grid | nan / tail",
        ("for (int64_t i =", "int64_t i ="),
        ("; i < n; i += step) {", ";\n  if (i < n) {"),
        ("  int64_t step = (int64_t)gridDim.x * blockDim.x;\n", ""),
    ),
    # The block size is a number.
    Wrong(
        "seventyseven_plus_always_256",
        "seventyseven_plus",
        "block size | unwritten / left out / nan / tail / twice / other element / bounds",
        (
            "(int64_t)blockIdx.x * blockDim.x + threadIdx.x",
            "(int64_t)blockIdx.x * 256 + threadIdx.x",
        ),
    ),
    # The number of blocks is rounded down.
    Wrong(
        "seventyseven_plus_no_block_for_few",
        "seventyseven_plus",
        "grid / unwritten / refused | nan / tail / left out / block size",
        ("(n + block_size - 1) / block_size", "n / block_size"),
    ),
    # The launch forgets the stream.
    Wrong(
        "seventyseven_plus_no_stream",
        "seventyseven_plus",
        "stream",
        ("plus<<<blocks, block_size, 0, stream>>>", "plus<<<blocks, block_size>>>"),
    ),
    # ---- twin
    # Only one address is tested.
    Wrong(
        "seventyseven_twin_only_a_tested",
        "seventyseven_twin",
        "alignment",
        ("(uintptr_t)a | (uintptr_t)b | (uintptr_t)c;", "(uintptr_t)a;"),
    ),
    # Sums are floats.
    Wrong(
        "seventyseven_twin_in_floats",
        "seventyseven_twin",
        "precision / rounding / narrow | numbers / infinity / subnormal / whole range",
        (
            "__device__ double added(double u, double v)",
            "__device__ float added(float u, float v)",
        ),
    ),
    # The second of a pair gets the first of b.
    Wrong(
        "seventyseven_twin_first_of_b_twice",
        "seventyseven_twin",
        "other element / neighbour / twice / left out | numbers / nan / swapped",
        ("added(u.y, v.y)", "added(u.y, v.x)"),
    ),
    # Threads are counted without the one for the rest.
    Wrong(
        "seventyseven_twin_no_thread_for_rest",
        "seventyseven_twin",
        "grid / tail / unwritten / left out | nan / refused",
        ("int threads = pairs + n % 2;", "int threads = pairs;"),
    ),
    # The number of pairs is rounded up.
    Wrong(
        "seventyseven_twin_pairs_rounded_up",
        "seventyseven_twin",
        "bounds / tail | alignment",
        ("int pairs = n / 2;", "int pairs = (n + 1) / 2;"),
    ),
    # ---- pack
    # Pairs are cut off, not rounded.
    Wrong(
        "seventyseven_pack_cut_off",
        "seventyseven_pack",
        "rounding | precision / infinity / numbers",
        (
            "__floats2half2_rn(lo, hi)",
            "__halves2half2(__float2half_rz(lo), __float2half_rz(hi))",
        ),
    ),
    # What is too large becomes the largest half.
    Wrong(
        "seventyseven_pack_limited",
        "seventyseven_pack",
        "infinity / whole range / nan | numbers",
        (
            "const float lo = in[at];",
            "const float lo = fminf(fmaxf(in[at], -65504.0f), 65504.0f);",
        ),
        (
            "const float hi = in[at + 1];",
            "const float hi = fminf(fmaxf(in[at + 1], -65504.0f), 65504.0f);",
        ),
    ),
    # The result may lie anywhere.
    Wrong(
        "seventyseven_pack_out_anywhere",
        "seventyseven_pack",
        "alignment",
        ("half* out,        // [n] 4-byte aligned", "half* out,        // [n]"),
    ),
    # A pair is taken where one number is left.
    Wrong(
        "seventyseven_pack_last_is_a_pair",
        "seventyseven_pack",
        "bounds / tail",
        ("if (at + 1 < n)", "if (at + 1 <= n)"),
    ),
    # The two of a pair change places.
    Wrong(
        "seventyseven_pack_pair_turned",
        "seventyseven_pack",
        "swapped / neighbour / other element | numbers / nan / infinity",
        ("__floats2half2_rn(lo, hi)", "__floats2half2_rn(hi, lo)"),
    ),
    # ---- widen
    # The pattern is taken for a number.
    Wrong(
        "seventyseven_widen_pattern_as_number",
        "seventyseven_widen",
        "function / numbers / whole range | infinity / nan / sign of zero / precision",
        ("__uint_as_float((unsigned)b << 16)", "(float)((unsigned)b << 16)"),
    ),
    # The rest is forgotten.
    Wrong(
        "seventyseven_widen_no_rest",
        "seventyseven_widen",
        "tail / unwritten / left out | nan / grid",
        (
            "  if (p == packs) {\n"
            "    for (int i = 4 * packs; i < n; i++) y[i] = widened(x[i]);\n"
            "  }\n",
            "",
        ),
    ),
    # The result need not lie as a float4 does.
    Wrong(
        "seventyseven_widen_y_by_8",
        "seventyseven_widen",
        "alignment",
        ("// [n] 16-byte aligned", "// [n] 8-byte aligned"),
    ),
    # Blocks are counted as if they had 512 threads.
    Wrong(
        "seventyseven_widen_blocks_of_512",
        "seventyseven_widen",
        "grid / block size / unwritten / left out | nan / tail",
        ("packs / block_size + 1", "packs / 512 + 1"),
    ),
    # Numbers pass through a half.
    Wrong(
        "seventyseven_widen_through_half",
        "seventyseven_widen",
        "infinity / precision / whole range | rounding / subnormal / numbers / nan",
        (
            "return __uint_as_float((unsigned)b << 16);",
            "return __half2float(__float2half(__uint_as_float((unsigned)b << 16)));",
        ),
    ),
    # ---- squash
    # Both parts of the fraction have the exponential.
    Wrong(
        "seventyseven_squash_exponential_above",
        "seventyseven_squash",
        "nan / infinity | numbers",
        ("return 1.0f / (1.0f + expf(-v));", "return expf(v) / (1.0f + expf(v));"),
    ),
    # The exponential is a half.
    Wrong(
        "seventyseven_squash_half_exponential",
        "seventyseven_squash",
        "infinity / precision / rounding | subnormal / numbers",
        (
            "__device__ float sigmoid(float v)\n{\n    return 1.0f / (1.0f + expf(-v));",
            "__device__ float sigmoid(half v)\n"
            "{\n"
            "    float e = __half2float(hexp(__hneg(v)));\n"
            "    return 1.0f / (1.0f + e);",
        ),
        ("sigmoid(__half2float(x[i]))", "sigmoid(x[i])"),
    ),
    # The minus is forgotten.
    Wrong(
        "seventyseven_squash_no_minus",
        "seventyseven_squash",
        "function | numbers / infinity / swapped",
        ("expf(-v)", "expf(v)"),
    ),
    # What is not far above is 0, and so is NaN.
    Wrong(
        "seventyseven_squash_nan_is_low",
        "seventyseven_squash",
        "nan",
        (
            "    return 1.0f / (1.0f + expf(-v));",
            "    if (!(v > -20.0f))\n"
            "        return 0.0f;\n"
            "    return 1.0f / (1.0f + expf(-v));",
        ),
    ),
    # Blocks and threads change places in the launch.
    Wrong(
        "seventyseven_squash_launch_turned",
        "seventyseven_squash",
        "refused / block size / grid / swapped | unwritten / nan / left out",
        (
            "squash<<<blocks, block_size, 0, stream>>>",
            "squash<<<block_size, blocks, 0, stream>>>",
        ),
    ),
    # ---- leak
    # The slope is a whole number.
    Wrong(
        "seventyseven_leak_whole_slope",
        "seventyseven_leak",
        "rounding / function / precision / left out | numbers / sign of zero",
        (
            "__device__ float leak(float v, float slope)",
            "__device__ float leak(float v, int slope)",
        ),
    ),
    # What is neither above nor below 0 is 0.
    Wrong(
        "seventyseven_leak_else_zero",
        "seventyseven_leak",
        "nan / sign of zero | numbers",
        (
            "return v > 0.0f ? v : slope * v;",
            "if (v > 0.0f) return v;\n  if (v < 0.0f) return slope * v;\n  return 0.0f;",
        ),
    ),
    # Numbers are compared with the slope.
    Wrong(
        "seventyseven_leak_above_slope",
        "seventyseven_leak",
        "function | numbers / swapped",
        ("v > 0.0f ?", "v > slope ?"),
    ),
    # The rest is copied.
    Wrong(
        "seventyseven_leak_rest_copied",
        "seventyseven_leak",
        "tail / copy / function | numbers / sign of zero / left out",
        ("dst[j] = leak(src[j], slope);", "dst[j] = src[j];"),
    ),
    # The first slope is kept for all calls.
    Wrong(
        "seventyseven_leak_first_slope",
        "seventyseven_leak",
        "state / left out | numbers / function / sign of zero / copy",
        ("  int each =", "  static const float kept = slope;\n  int each ="),
        ("stream>>>(src, dst, slope, n);", "stream>>>(src, dst, kept, n);"),
    ),
    # ---- total
    # The output is not set before the atomics.
    Wrong(
        "seventyseven_total_no_memset",
        "seventyseven_total",
        "zero before | state / numbers / twice / start / nan",
        ("    cudaMemsetAsync(sum, 0, sizeof(float), stream);\n", ""),
    ),
    # The warps are added before all have stored.
    Wrong(
        "seventyseven_total_no_barrier",
        "seventyseven_total",
        "race | numbers / left out / unwritten / state / nan",
        (
            "        of_warp[warp] = mine;\n    __syncthreads();\n",
            "        of_warp[warp] = mine;\n",
        ),
    ),
    # The second shuffles begin with 2.
    Wrong(
        "seventyseven_total_four_warps",
        "seventyseven_total",
        "left out | numbers / nan / race / tail",
        ("off = WARPS / 2; off > 0", "off = WARPS / 4; off > 0"),
    ),
    # Each block writes its own sum.
    Wrong(
        "seventyseven_total_no_atomic",
        "seventyseven_total",
        "race / left out | numbers / twice",
        ("atomicAdd(sum, mine);", "*sum = mine;"),
    ),
    # Steps are those of one block.
    Wrong(
        "seventyseven_total_steps_of_a_block",
        "seventyseven_total",
        "twice | numbers / grid / block size",
        ("i += (int64_t)gridDim.x * THREADS)", "i += THREADS)"),
    ),
    # ---- peak
    # The largest starts from the least float above 0.
    Wrong(
        "seventyseven_peak_starts_at_flt_min",
        "seventyseven_peak",
        "start | numbers / left out",
        ("float m = -INFINITY;", "float m = FLT_MIN;"),
    ),
    # The tree begins a step too late.
    Wrong(
        "seventyseven_peak_half_a_tree",
        "seventyseven_peak",
        "left out | numbers / nan",
        ("int h = T / 2; h >= 1;", "int h = T / 4; h >= 1;"),
    ),
    # The second kernel is on the default stream.
    Wrong(
        "seventyseven_peak_second_no_stream",
        "seventyseven_peak",
        "stream | race / state",
        ("peak_of_all<<<1, 1, 0, stream>>>", "peak_of_all<<<1, 1>>>"),
    ),
    # The largest magnitude is sought.
    Wrong(
        "seventyseven_peak_magnitude",
        "seventyseven_peak",
        "function | numbers / start",
        ("larger(m, x[i])", "larger(m, fabsf(x[i]))"),
    ),
    # All parts are read, also those that no block wrote.
    Wrong(
        "seventyseven_peak_all_parts",
        "seventyseven_peak",
        "state / start | numbers / unwritten / left out / bounds",
        ("(out, blocks);", "(out, MAX_BLOCKS);"),
    ),
    # ---- mean
    # A block is launched for each column.
    Wrong(
        "seventyseven_mean_block_a_column",
        "seventyseven_mean",
        "grid / sides / unwritten / bounds / swapped | nan / left out / refused",
        ("row_means<<<rows, block_size", "row_means<<<cols, block_size"),
    ),
    # The division is one of whole numbers.
    Wrong(
        "seventyseven_mean_whole_division",
        "seventyseven_mean",
        "rounding / precision | numbers / whole range / nan / infinity",
        ("part[0] / cols;", "(int)part[0] / cols;"),
    ),
    # Shared memory is counted in numbers, not in bytes.
    Wrong(
        "seventyseven_mean_quarter_of_shared",
        "seventyseven_mean",
        "bounds | block size / refused / race / numbers",
        ("size_t bytes = block_size * sizeof(float);", "size_t bytes = block_size;"),
    ),
    # Rows are as far apart as the block is wide.
    Wrong(
        "seventyseven_mean_pitch_of_block",
        "seventyseven_mean",
        "other element / sides / block size | numbers / bounds / nan / left out / twice",
        ("x + (size_t)blockIdx.x * cols", "x + (size_t)blockIdx.x * blockDim.x"),
    ),
    # Halves of the block are rounded down.
    Wrong(
        "seventyseven_mean_halves_rounded_down",
        "seventyseven_mean",
        "left out / block size | numbers / tail / nan",
        ("int half_way = (left + 1) / 2;", "int half_way = left / 2;"),
        ("if (t + half_way < left) {", "if (t < half_way) {"),
    ),
    # ---- flip
    # The tile is read before all have stored.
    Wrong(
        "seventyseven_flip_no_barrier",
        "seventyseven_flip",
        "race | numbers / unwritten / other element / nan / state / left out",
        ("  __syncthreads();\n", ""),
    ),
    # Rows of the output are as long as those of the input.
    Wrong(
        "seventyseven_flip_pitch_of_input",
        "seventyseven_flip",
        "sides / other element / bounds / unwritten | numbers / nan / swapped",
        (
            "out[(size_t)(left + y) * rows + top + x]",
            "out[(size_t)(left + y) * cols + top + x]",
        ),
    ),
    # Tiles change places, what is in them does not.
    Wrong(
        "seventyseven_flip_tile_not_turned",
        "seventyseven_flip",
        "other element / sides / swapped | numbers / unwritten / nan / left out",
        ("= tile[x][y];", "= tile[y][x];"),
    ),
    # The second test has the sides of the first.
    Wrong(
        "seventyseven_flip_tests_of_way_in",
        "seventyseven_flip",
        "bounds / sides / unwritten / swapped | nan / left out / other element",
        ("left + y < cols && top + x < rows", "left + y < rows && top + x < cols"),
    ),
    # Rows of tiles are counted in y of the grid.
    Wrong(
        "seventyseven_flip_rows_in_grid_y",
        "seventyseven_flip",
        "grid / refused | unwritten / nan / left out",
        ("blockIdx.x / across * TILE", "blockIdx.y * TILE"),
        ("blockIdx.x % across * TILE", "blockIdx.x * TILE"),
        ("flip<<<across * down,", "flip<<<dim3(across, down),"),
    ),
    # ---- prod
    # The last tile along k is left out.
    Wrong(
        "seventyseven_prod_whole_tiles",
        "seventyseven_prod",
        "tail / left out | numbers / nan / sides / infinity",
        ("int tiles = (k + W - 1) / W;", "int tiles = k / W;"),
    ),
    # A is not tested along k.
    Wrong(
        "seventyseven_prod_a_not_tested",
        "seventyseven_prod",
        "bounds / nan / tail | other element / numbers / infinity / neighbour",
        ("(row < m && ka < k) ?", "(row < m) ?"),
    ),
    # The product is added to what is there.
    Wrong(
        "seventyseven_prod_adds_to_output",
        "seventyseven_prod",
        "zero before | state / numbers / nan / start / twice",
        ("+ col] = acc;", "+ col] += acc;"),
    ),
    # Tiles are filled while they are read.
    Wrong(
        "seventyseven_prod_no_second_barrier",
        "seventyseven_prod",
        "race | numbers / other element / left out / twice / nan / state",
        ("Bs[j][tx];\n        __syncthreads();\n", "Bs[j][tx];\n"),
    ),
    # The tile of B is read along its rows.
    Wrong(
        "seventyseven_prod_b_turned",
        "seventyseven_prod",
        "other element / swapped / sides | numbers / nan / infinity / function",
        ("* Bs[j][tx];", "* Bs[tx][j];"),
    ),
    # ---- gemv
    # The first of the shuffles is missing.
    Wrong(
        "seventyseven_gemv_no_shuffle_by_16",
        "seventyseven_gemv",
        "left out | numbers / nan / race",
        ("    dot += __shfl_xor_sync(FULL, dot, 16);\n", ""),
    ),
    # The vector is read by the lane.
    Wrong(
        "seventyseven_gemv_vector_by_lane",
        "seventyseven_gemv",
        "other element / left out / twice | numbers / nan",
        ("* x[j];", "* x[lane];"),
    ),
    # The number of blocks is rounded down.
    Wrong(
        "seventyseven_gemv_rows_rounded_down",
        "seventyseven_gemv",
        "grid / unwritten / tail / left out | refused / nan",
        ("int blocks = (m + warps - 1) / warps;", "int blocks = m / warps;"),
    ),
    # Rows are as far apart as the matrix is high.
    Wrong(
        "seventyseven_gemv_pitch_of_rows",
        "seventyseven_gemv",
        "sides / other element / bounds / swapped | numbers / nan / left out",
        ("A[(size_t)row * n + j]", "A[(size_t)row * m + j]"),
    ),
    # The dot product is an integer.
    Wrong(
        "seventyseven_gemv_whole_dot",
        "seventyseven_gemv",
        "rounding / precision / whole range | numbers / nan / infinity / narrow / sign of zero",
        ("float dot = 0.0f;", "int dot = 0;"),
    ),
    # ---- soft
    # The largest starts from 0.
    Wrong(
        "seventyseven_soft_starts_at_0",
        "seventyseven_soft",
        "start | numbers / nan / infinity / precision / subnormal",
        ("float top = -INFINITY;", "float top = 0.0f;"),
    ),
    # The largest is not subtracted.
    Wrong(
        "seventyseven_soft_no_largest",
        "seventyseven_soft",
        "infinity / nan | numbers / function / start / subnormal",
        ("return expf(v - top);", "return expf(v);"),
    ),
    # The exponentials are stored in the input.
    Wrong(
        "seventyseven_soft_exponentials_in_x",
        "seventyseven_soft",
        "input | state / numbers",
        ("__global__ void soft(const float* x,", "__global__ void soft(float* x,"),
        ("  const float* in = x", "  float* in = x"),
        ("sum += grown(in[j], top);", "sum += in[j] = grown(in[j], top);"),
        ("out[j] = grown(in[j], top) * scale;", "out[j] = in[j] * scale;"),
        ("stream>>>(x, y, n);", "stream>>>((float*)x, y, n);"),
    ),
    # Each thread adds one exponential to the sum.
    Wrong(
        "seventyseven_soft_one_each_in_sum",
        "seventyseven_soft",
        "left out | numbers / tail / function",
        (
            "  for (int j = t; j < n; j += THREADS) sum += grown(in[j], top);",
            "  if (t < n) sum = grown(in[t], top);",
        ),
    ),
    # The base is 2.
    Wrong(
        "seventyseven_soft_base_2",
        "seventyseven_soft",
        "function | numbers / precision",
        ("return expf(v - top);", "return exp2f(v - top);"),
    ),
    # ---- norm
    # The variance is that of a sample.
    Wrong(
        "seventyseven_norm_less_one",
        "seventyseven_norm",
        "function / numbers | nan / infinity / sides",
        ("float var = sum_of_block(q) / cols;", "float var = sum_of_block(q) / (cols - 1);"),
    ),
    # The gain is that of the row.
    Wrong(
        "seventyseven_norm_gain_of_row",
        "seventyseven_norm",
        "other element / sides / bounds | numbers / swapped / left out / nan",
        ("gain[c]", "gain[blockIdx.x]"),
    ),
    # The variance is the mean square less the squared mean.
    Wrong(
        "seventyseven_norm_one_pass",
        "seventyseven_norm",
        "precision / numbers | nan / infinity / rounding / function",
        (
            "        float d = row[c] - mean;\n        q += d * d;",
            "        float d = row[c];\n        q += d * d;",
        ),
        ("sum_of_block(q) / cols;", "sum_of_block(q) / cols - mean * mean;"),
    ),
    # The bias is added before the gain.
    Wrong(
        "seventyseven_norm_bias_first",
        "seventyseven_norm",
        "function / swapped | numbers",
        (
            "(row[c] - mean) * inv * gain[c] + bias[c]",
            "((row[c] - mean) * inv + bias[c]) * gain[c]",
        ),
    ),
    # The number of blocks has 16 bits.
    Wrong(
        "seventyseven_norm_blocks_of_16_bits",
        "seventyseven_norm",
        "grid / narrow / unwritten / left out | nan / tail / whole range",
        ("unsigned int blocks = rows;", "unsigned short blocks = rows;"),
    ),
)

RIGHT = (
    # One block may have nothing to do.
    Right(
        "seventyseven_plus_idle_block",
        "seventyseven_plus",
        ("(n + block_size - 1) / block_size", "n / block_size + 1"),
    ),
    # The output is set to 0 before.
    Right(
        "seventyseven_twin_memset",
        "seventyseven_twin",
        (
            "    uintptr_t mixed",
            "    cudaMemsetAsync(c, 0, n * sizeof(double), stream);\n    uintptr_t mixed",
        ),
    ),
    # Three blocks have nothing to do.
    Right(
        "seventyseven_pack_idle_blocks",
        "seventyseven_pack",
        ("(n + a_block - 1) / a_block;", "(n + a_block - 1) / a_block + 3;"),
    ),
    # Counts have 64 bits in the launcher.
    Right(
        "seventyseven_widen_int64",
        "seventyseven_widen",
        ("int n, int block_size", "int64_t n, int block_size"),
        ("int packs = n / 4;", "int packs = (int)(n / 4);"),
        ("(const u16*)x, y, packs, n)", "(const u16*)x, y, packs, (int)n)"),
    ),
    # The exponential never overflows.
    Right(
        "seventyseven_squash_no_overflow",
        "seventyseven_squash",
        (
            "    return 1.0f / (1.0f + expf(-v));",
            "    float e = expf(-fabsf(v));\n    return (v < 0.0f ? e : 1.0f) / (1.0f + e);",
        ),
    ),
    # Blocks are rounded otherwise.
    Right(
        "seventyseven_leak_one_more_block",
        "seventyseven_leak",
        ("(n + each - 1) / each, block_size", "n / each + 1, block_size"),
    ),
    # A kernel sets the output to 0.
    Right(
        "seventyseven_total_zero_kernel",
        "seventyseven_total",
        (
            'extern "C"',
            '__global__ void clear(float *sum)\n{\n    *sum = 0.0f;\n}\n\nextern "C"',
        ),
        ("cudaMemsetAsync(sum, 0, sizeof(float), stream);", "clear<<<1, 1, 0, stream>>>(sum);"),
    ),
    # Blocks are smaller, and there are more.
    Right(
        "seventyseven_peak_small_blocks",
        "seventyseven_peak",
        ("#define T 256", "#define T 64"),
        ("#define MAX_BLOCKS 64", "#define MAX_BLOCKS 100"),
    ),
    # Blocks have 96 threads.
    Right(
        "seventyseven_mean_blocks_of_96",
        "seventyseven_mean",
        ("int block_size = 128", "int block_size = 96"),
    ),
    # Blocks are lower.
    Right(
        "seventyseven_flip_four_rows_a_block",
        "seventyseven_flip",
        ("const int STEP = 8;", "const int STEP = 4;"),
    ),
    # Tiles are smaller.
    Right(
        "seventyseven_prod_tiles_of_8",
        "seventyseven_prod",
        ("#define W 16", "#define W 8"),
    ),
    # Sides have 64 bits, blocks two warps.
    Right(
        "seventyseven_gemv_int64",
        "seventyseven_gemv",
        (
            "int m, int n, cudaStream_t stream = 0",
            "int64_t m, int64_t n, cudaStream_t stream = 0",
        ),
        ("const int warps = 4;", "const int warps = 2;"),
    ),
    # Blocks have 64 threads, and the output is set to 0 before.
    Right(
        "seventyseven_soft_memset",
        "seventyseven_soft",
        ("#define THREADS 128", "#define THREADS 64"),
        ("  soft<<<m,", "  cudaMemsetAsync(y, 0, sizeof(float) * m * n, stream);\n  soft<<<m,"),
    ),
    # The output comes first.
    Right(
        "seventyseven_norm_output_first",
        "seventyseven_norm",
        (
            "launch(const float *x,     // [rows, cols]\n",
            "launch(float *y,           // [rows, cols]\n"
            "                       const float *x,     // [rows, cols]\n",
        ),
        (
            "                       float *y,           // [rows, cols]\n"
            "                       float eps",
            "                       float eps",
        ),
    ),
)
