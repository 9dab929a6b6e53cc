"""Hold a hundredeleventh family: plain operators of a course, and plain mistakes in them.

Its bases are a column's number times each half of a matrix, differences of doubles in double2,
int32 to half, half to bfloat16 in pairs, tanh of doubles, hard tanh of floats, swish with a
beta, the sum of magnitudes of halves with shuffles and an atomic, the mean of each column, the
place of the largest magnitude of each row, the logarithm of the sum of exponentials of each
row, layer norm of halves with a gain by a warp a row, a transpose of int64 by tiles of 32 by
32, and a matrix of doubles times a vector by a thread a row. There are 70 wrong members and 14
right ones. The causes were written before a member was judged. On the emulator each ran beside
PyTorch, compared as a case does, called twice on the same tensors, with NaN and with 1e3 in
floating outputs (-1 and 77 in others), with tensors at either end of their pages, their inputs
looked at afterwards, on a stream that is not the default one, with threads in order, from the
last to the first and in a random order, and in the slices that the cases name. Bases and right
ones ran all cases, large ones in fewer orders; wrong ones until they were wrong often enough.
Sums without an atomic came out right there: only a GPU runs warps at the same time. nvcc 13.0
compiles each base for 8.0; none was run on a GPU. Bases and right ones are right, and all
others wrong or refused by a fault:

    hundredeleven_tint_number_of_row           unless the matrix has one number
    hundredeleven_tint_toward_zero             of products that are not halves
    hundredeleven_tint_blocks_of_256           of smaller blocks, from a second one on
    hundredeleven_tint_end_included            unless the block size divides all
    hundredeleven_tint_product_in_x            of nearly all: x is overwritten
    hundredeleven_gap_odd_one_forgotten        of odd counts
    hundredeleven_gap_second_turned            from 2 numbers on, of nearly all
    hundredeleven_gap_in_float                 of pairs that are not floats
    hundredeleven_gap_b_anywhere               from 2 numbers on, by the address of b
    hundredeleven_gap_threads_for_whole_pairs  of 1 number, or 1 past full blocks
    hundredeleven_shrink_untested_addresses    from 4 numbers on, by the addresses
    hundredeleven_shrink_rest_of_16_bits       beyond 16 bits, outside of packs
    hundredeleven_shrink_second_cut_off        beyond 2,048, in packs
    hundredeleven_shrink_third_again           where packs are taken
    hundredeleven_shrink_one_pack_a_thread     from 49,156 numbers on, in packs
    hundredeleven_brain_cut_off                from 2 numbers on, of about a half of them
    hundredeleven_brain_last_behind_end        of odd counts
    hundredeleven_brain_pair_turned            from 2 numbers on
    hundredeleven_brain_x_anywhere             from 2 numbers on, by the address of x
    hundredeleven_brain_small_ones_are_0       of subnormal halves in pairs
    hundredeleven_bend_of_floats               of nearly all
    hundredeleven_bend_quotient                from about 355 on, and near 0
    hundredeleven_bend_half_the_number         of nearly all
    hundredeleven_bend_blocks_for_256          of smaller blocks, behind the last one
    hundredeleven_bend_nan_at_limit            of NaN
    hundredeleven_fence_nan_at_fence           of NaN
    hundredeleven_fence_from_0                 of numbers below 0
    hundredeleven_fence_packs_rounded_up       unless 4 divides n
    hundredeleven_fence_rest_without_last      unless 4 divides n
    hundredeleven_fence_no_stream              on another stream than the default one
    hundredeleven_glide_one_address            from 2 numbers on, by the address of y
    hundredeleven_glide_beta_forgotten         of a beta that is not 1
    hundredeleven_glide_exponential_on_top     from about 88 / beta on
    hundredeleven_glide_beta_of_first_call     if an earlier call had another beta
    hundredeleven_glide_rest_from_0            of odd counts beyond a block, in pairs
    hundredeleven_heft_not_set_to_0            unless the sum was 0 before
    hundredeleven_heft_one_warp_a_block        from 33 numbers on
    hundredeleven_heft_magnitude_of_sums       of numbers of both signs
    hundredeleven_heft_four_shuffles           from 17 numbers on
    hundredeleven_heft_no_atomic               where warps add at the same time
    hundredeleven_drift_divided_by_cols        unless the matrix is square
    hundredeleven_drift_no_barrier             where threads do not wait for another
    hundredeleven_drift_last_part_forgotten    from 8 rows on
    hundredeleven_drift_pitch_of_rows          from 2 rows on, unless square
    hundredeleven_drift_first_part_twice       of nearly all
    hundredeleven_crest_no_magnitude           if the farthest from 0 is below it
    hundredeleven_crest_starts_at_0            of rows of zeros
    hundredeleven_crest_ties_of_lanes          of equal ones of several lanes
    hundredeleven_crest_short_place            from 32,768 columns on
    hundredeleven_crest_rows_rounded_down      unless 4 divides the rows
    hundredeleven_brood_no_maximum             of numbers that are far from 0
    hundredeleven_brood_starts_at_0            of rows that are far below 0
    hundredeleven_brood_maximum_not_added      unless the maximum is 0
    hundredeleven_brood_no_barrier_between     where threads do not wait for another
    hundredeleven_brood_half_a_tree            from 65 columns on
    hundredeleven_level_one_less               of nearly all
    hundredeleven_level_gain_of_row            unless all gains are alike
    hundredeleven_level_total_of_lane_0        from 2 columns on
    hundredeleven_level_mean_of_half           of rows with a mean that is no half
    hundredeleven_level_blocks_of_32_rows      from 9 rows on, behind the last block
    hundredeleven_pivot_tile_not_turned        from 2 rows or columns on
    hundredeleven_pivot_no_barrier             where threads do not wait for another
    hundredeleven_pivot_tile_of_int            beyond 32 bits
    hundredeleven_pivot_pitch_of_cols          unless the matrix is square
    hundredeleven_pivot_grid_swapped           unless the tiles are as many each way
    hundredeleven_crank_sum_of_float           of sums that are not floats
    hundredeleven_crank_without_last           unless the last product is 0
    hundredeleven_crank_pitch_of_rows          from 2 rows on, unless square
    hundredeleven_crank_adds_to_out            unless the result was 0 before
    hundredeleven_crank_no_stream              on another stream than the default one
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import whole

# Each half of a matrix times the number of its column, a thread a number.
TINT = (
    HEADER
    + """\
// every column has one number of its own
__global__ void tint_kernel(const half* x, const half* s, half* y, int rows, int cols) {
  int idx = blockIdx.x * blockDim.x + threadIdx.x;
  if (idx < rows * cols) {
    int col = idx % cols;
    y[idx] = __hmul(x[idx], s[col]);
  }
}

extern "C" void launch(const half* x,  // [rows, cols]
                       const half* s,  // [cols]
                       half* y,        // [rows, cols]
                       int rows, int cols, int block_size = 256, cudaStream_t stream = 0) {
  int total = rows * cols;
  int blocks = (total + block_size - 1) / block_size;
  tint_kernel<<<blocks, block_size, 0, stream>>>(x, s, y, rows, cols);
}
"""
)

# The difference of doubles, a double2 a thread; the last thread takes the odd one.
GAP = (
    HEADER
    + """\
__global__ void gap(const double *a, const double *b, double *d, int n)
{
    int pair = blockIdx.x * blockDim.x + threadIdx.x;
    int i = 2 * pair;

    if (i + 1 < n) {
        double2 u = ((const double2 *)a)[pair];
        double2 v = ((const double2 *)b)[pair];
        double2 w;
        w.x = u.x - v.x;
        w.y = u.y - v.y;
        ((double2 *)d)[pair] = w;
    } else if (i < n) {
        d[i] = a[i] - b[i];
    }
}

extern "C" void launch(const double *a,  // [n] 16-byte aligned
                       const double *b,  // [n] 16-byte aligned
                       double *d,        // [n] 16-byte aligned
                       int n, int block_size = 128, cudaStream_t stream = 0)
{
    int pairs = (n + 1) / 2;
    if (pairs == 0)
        return;
    gap<<<(pairs + block_size - 1) / block_size, block_size, 0, stream>>>(a, b, d, n);
}
"""
)

# int32 to half: four a step where both addresses allow it, a loop over the grid.
SHRINK = (
    HEADER
    + """\
struct alignas(8) Half4 {
  half v[4];
};

__global__ void shrink(const int* in, half* out, int packs, int n) {
  int tid = blockIdx.x * blockDim.x + threadIdx.x;
  int stride = gridDim.x * blockDim.x;
  for (int p = tid; p < packs; p += stride) {
    int4 q = reinterpret_cast<const int4*>(in)[p];
    Half4 h;
    h.v[0] = __int2half_rn(q.x);
    h.v[1] = __int2half_rn(q.y);
    h.v[2] = __int2half_rn(q.z);
    h.v[3] = __int2half_rn(q.w);
    reinterpret_cast<Half4*>(out)[p] = h;
  }
  for (int i = 4 * packs + tid; i < n; i += stride) out[i] = __int2half_rn(in[i]);
}

extern "C" void launch(const int* in,  // [n]
                       half* out,      // [n]
                       int n, cudaStream_t stream = 0) {
  if (n <= 0) return;
  bool wide = (uintptr_t)in % 16 == 0 && (uintptr_t)out % 8 == 0;
  int packs = wide ? n / 4 : 0;
  int blocks = (n + 255) / 256;
  if (blocks > 48) blocks = 48;
  shrink<<<blocks, 256, 0, stream>>>(in, out, packs, n);
}
"""
)

# half to bfloat16, two at a time.
BRAIN = (
    HEADER
    + """\
__global__ void half_to_bf16(const half2 *src, __nv_bfloat162 *dst, int n)
{
    const int k = threadIdx.x + blockDim.x * blockIdx.x;
    if (k < n / 2) {
        float2 f = __half22float2(src[k]);
        __nv_bfloat162 r;
        r.x = __float2bfloat16(f.x);
        r.y = __float2bfloat16(f.y);
        dst[k] = r;
    }
    // an odd one is left
    if (k == 0 && n % 2 == 1) {
        float last = __half2float(((const half *)src)[n - 1]);
        ((__nv_bfloat16 *)dst)[n - 1] = __float2bfloat16(last);
    }
}

extern "C" void launch(const half *x,     // [n] 4-byte aligned
                       __nv_bfloat16 *y,  // [n] 4-byte aligned
                       int n, int block_size = 192, cudaStream_t stream = 0)
{
    if (n == 0)
        return;
    int threads = (n + 1) / 2;
    int grid = (threads + block_size - 1) / block_size;
    half_to_bf16<<<grid, block_size, 0, stream>>>((const half2 *)x, (__nv_bfloat162 *)y, n);
}
"""
)

# tanh of doubles, a thread a number.
BEND = (
    HEADER
    + """\
__global__ void bend(const double* __restrict__ x, double* __restrict__ y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const double v = x[i];
  y[i] = tanh(v);
}

extern "C" void launch(const double* x,  // [n]
                       double* y,        // [n]
                       int n, int block_size = 256, cudaStream_t stream = 0) {
  const int blocks = (n + block_size - 1) / block_size;
  if (blocks > 0) bend<<<blocks, block_size, 0, stream>>>(x, y, n);
}
"""
)

# Hard tanh of floats: float4, and a thread of the first block for each of the rest.
FENCE = (
    HEADER
    + """\
__device__ float fence1(float v)
{
    if (v < -1.0f) return -1.0f;
    if (v > 1.0f) return 1.0f;
    return v;
}

__global__ void fence(const float *x, float *y, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int n4 = n / 4;
    if (t < n4) {
        float4 v = ((const float4 *)x)[t];
        v.x = fence1(v.x);
        v.y = fence1(v.y);
        v.z = fence1(v.z);
        v.w = fence1(v.w);
        ((float4 *)y)[t] = v;
    }
    if (t < n % 4)
        y[4 * n4 + t] = fence1(x[4 * n4 + t]);
}

extern "C" void launch(const float *x,  // [n] 16-byte aligned
                       float *y,        // [n] 16-byte aligned
                       int n, cudaStream_t stream = 0)
{
    const int T = 128;
    int blocks = (n / 4 + T - 1) / T;
    if (blocks == 0)
        blocks = 1;
    fence<<<blocks, T, 0, stream>>>(x, y, n);
}
"""
)

# Swish with a beta: float2 where both addresses are even to 8.
GLIDE = (
    HEADER
    + """\
__device__ inline float swish(float v, float beta) { return v / (1.0f + expf(-beta * v)); }

__global__ void glide1(const float* x, float* y, float beta, int begin, int n) {
  int i = begin + blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = swish(x[i], beta);
}

__global__ void glide2(const float2* x, float2* y, float beta, int pairs) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < pairs) {
    float2 v = x[i];
    y[i] = make_float2(swish(v.x, beta), swish(v.y, beta));
  }
}

static bool even8(const void* p) { return ((uintptr_t)p & 7) == 0; }

extern "C" void launch(const float* x,  // [n]
                       float* y,        // [n]
                       float beta, int n, int block_size = 256, cudaStream_t stream = 0) {
  int done = 0;
  if (even8(x) && even8(y) && n > 1) {
    int pairs = n / 2;
    int blocks = (pairs + block_size - 1) / block_size;
    glide2<<<blocks, block_size, 0, stream>>>((const float2*)x, (float2*)y, beta, pairs);
    done = 2 * pairs;
  }
  int left = n - done;
  if (left > 0)
    glide1<<<(left + block_size - 1) / block_size, block_size, 0, stream>>>(x, y, beta, done,
                                                                            n);
}
"""
)

# The sum of absolute values of halves: floats inside, shuffles, an atomic a warp.
HEFT = (
    HEADER
    + """\
__global__ void heft(const half *x, float *sum, int n)
{
    float mine = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        mine += fabsf(__half2float(x[i]));

    for (int step = 16; step > 0; step /= 2)
        mine += __shfl_down_sync(0xffffffff, mine, step);

    int lane = threadIdx.x % 32;
    if (lane == 0)
        atomicAdd(sum, mine);
}

extern "C" void launch(const half *x,  // [n]
                       float *sum,     // [1]
                       int n, cudaStream_t stream = 0)
{
    cudaMemsetAsync(sum, 0, sizeof(float), stream);
    int blocks = (n + 127) / 128;
    if (blocks > 20)
        blocks = 20;
    heft<<<blocks, 128, 0, stream>>>(x, sum, n);
}
"""
)

# The mean of each column of floats: 32 columns a block, eight threads each.
DRIFT = (
    HEADER
    + """\
constexpr int W = 32;  // columns of a block
constexpr int H = 8;   // threads of a column

__global__ void drift(const float* x, float* mean, int rows, int cols) {
  __shared__ float part[H][W];
  int c = blockIdx.x * W + threadIdx.x;
  float sum = 0.0f;
  if (c < cols) {
    for (int r = threadIdx.y; r < rows; r += H) sum += x[(size_t)r * cols + c];
  }
  part[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y == 0 && c < cols) {
    float total = 0.0f;
    for (int k = 0; k < H; ++k) total += part[k][threadIdx.x];
    mean[c] = total / rows;
  }
}

extern "C" void launch(const float* x,  // [rows, cols]
                       float* mean,     // [cols]
                       int rows, int cols, cudaStream_t stream = 0) {
  drift<<<(cols + W - 1) / W, dim3(W, H), 0, stream>>>(x, mean, rows, cols);
}
"""
)

# The place of the largest absolute value of each row, the first of equal ones: a warp a row.
CREST = (
    HEADER
    + """\
#define WARPS 4

__global__ void crest(const float *x, int *place, int rows, int cols)
{
    int lane = threadIdx.x % 32;
    int row = blockIdx.x * WARPS + threadIdx.x / 32;
    if (row >= rows)
        return;
    const float *p = x + (size_t)row * cols;
    float top = -1.0f;
    int at = cols;
    for (int c = lane; c < cols; c += 32) {
        float v = fabsf(p[c]);
        if (v > top) {
            top = v;
            at = c;
        }
    }
    for (int o = 16; o > 0; o >>= 1) {
        float v = __shfl_xor_sync(0xffffffffu, top, o);
        int c = __shfl_xor_sync(0xffffffffu, at, o);
        if (v > top || (v == top && c < at)) {
            top = v;
            at = c;
        }
    }
    if (lane == 0)
        place[row] = at;
}

extern "C" void launch(const float *x,  // [rows, cols]
                       int *place,      // [rows]
                       int rows, int cols, cudaStream_t stream = 0)
{
    int blocks = (rows + WARPS - 1) / WARPS;
    crest<<<blocks, 32 * WARPS, 0, stream>>>(x, place, rows, cols);
}
"""
)

# The logarithm of the sum of exponentials of each row: a block a row, two trees.
BROOD = (
    HEADER
    + """\
#define THREADS 128

__global__ void brood(const float* x, float* out, int cols) {
  __shared__ float buf[THREADS];
  int tid = threadIdx.x;
  const float* row = x + (size_t)blockIdx.x * cols;

  float m = -FLT_MAX;
  for (int c = tid; c < cols; c += THREADS) m = fmaxf(m, row[c]);
  buf[tid] = m;
  __syncthreads();
  for (int s = THREADS / 2; s > 0; s >>= 1) {
    if (tid < s) buf[tid] = fmaxf(buf[tid], buf[tid + s]);
    __syncthreads();
  }
  m = buf[0];
  __syncthreads();  // all have read it

  float sum = 0.0f;
  for (int c = tid; c < cols; c += THREADS) sum += expf(row[c] - m);
  buf[tid] = sum;
  __syncthreads();
  for (int s = THREADS / 2; s > 0; s >>= 1) {
    if (tid < s) buf[tid] += buf[tid + s];
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = m + logf(buf[0]);
}

extern "C" void launch(const float* x,  // [rows, cols]
                       float* out,      // [rows]
                       int rows, int cols, cudaStream_t stream = 0) {
  brood<<<rows, THREADS, 0, stream>>>(x, out, cols);
}
"""
)

# Layer norm of halves with a gain: a warp a row, floats inside.
LEVEL = (
    HEADER
    + """\
__device__ float warp_total(float v)
{
    for (int mask = 16; mask; mask >>= 1)
        v += __shfl_xor_sync(0xffffffff, v, mask);
    return v;
}

__global__ void level(const half *x, const half *gain, half *y, float eps, int rows, int cols)
{
    int lane = threadIdx.x & 31;
    int row = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    if (row >= rows)
        return;
    x += (size_t)row * cols;
    y += (size_t)row * cols;

    float sum = 0.0f;
    for (int c = lane; c < cols; c += 32)
        sum += __half2float(x[c]);
    float mean = warp_total(sum) / cols;

    float square = 0.0f;
    for (int c = lane; c < cols; c += 32) {
        float d = __half2float(x[c]) - mean;
        square += d * d;
    }
    float scale = rsqrtf(warp_total(square) / cols + eps);

    for (int c = lane; c < cols; c += 32) {
        float d = __half2float(x[c]) - mean;
        y[c] = __float2half(d * scale * __half2float(gain[c]));
    }
}

extern "C" void launch(const half *x,     // [rows, cols]
                       const half *gain,  // [cols]
                       half *y,           // [rows, cols]
                       float eps, int rows, int cols, cudaStream_t stream = 0)
{
    level<<<(rows + 7) / 8, 256, 0, stream>>>(x, gain, y, eps, rows, cols);
}
"""
)

# A transpose of int64 by tiles of 32 by 32, with eight rows of threads.
PIVOT = (
    HEADER
    + """\
constexpr int TILE = 32, LINES = 8;

__global__ void pivot(const int64_t* in, int64_t* out, int rows, int cols) {
  __shared__ int64_t tile[TILE][TILE + 1];
  int x = blockIdx.x * TILE + threadIdx.x;
  int y0 = blockIdx.y * TILE;
  for (int j = threadIdx.y; j < TILE; j += LINES) {
    int y = y0 + j;
    if (x < cols && y < rows) tile[j][threadIdx.x] = in[(size_t)y * cols + x];
  }
  __syncthreads();
  int ox = blockIdx.y * TILE + threadIdx.x;
  for (int j = threadIdx.y; j < TILE; j += LINES) {
    int oy = blockIdx.x * TILE + j;
    if (ox < rows && oy < cols) out[(size_t)oy * rows + ox] = tile[threadIdx.x][j];
  }
}

extern "C" void launch(const int64_t* in,  // [rows, cols]
                       int64_t* out,       // [cols, rows]
                       int rows, int cols, cudaStream_t stream = 0) {
  dim3 threads(TILE, LINES);
  dim3 grid((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
  pivot<<<grid, threads, 0, stream>>>(in, out, rows, cols);
}
"""
)

# A matrix of doubles times a vector, a thread a row.
CRANK = (
    HEADER
    + """\
__global__ void crank(const double *A, const double *v, double *out, int M, int N)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < M) {
        double acc = 0.0;
        for (int k = 0; k < N; k++)
            acc += A[(size_t)r * N + k] * v[k];
        out[r] = acc;
    }
}

extern "C" void launch(const double *A,  // [M, N]
                       const double *v,  // [N]
                       double *out,      // [M]
                       int M, int N, int block_size = 64, cudaStream_t stream = 0)
{
    dim3 block(block_size);
    dim3 grid((M + block_size - 1) / block_size);
    crank<<<grid, block, 0, stream>>>(A, v, out, M, N);
}
"""
)

NAN, INF = float("nan"), float("inf")
LENGTHS = (*range(1, 71), 95, 96, 97, 127, 128, 129, 191, 192, 193, 255, 256, 257, 383, 384)
LENGTHS += (385, 511, 512, 513, 1000, 1023, 1024, 1025, 2047, 2049, 2561, 4099, 5121, 20_003)
SIDES = ((1, 1), (2, 1), (1, 2), (3, 2), (4, 31), (5, 32), (8, 33), (33, 8), (2, 64), (65, 3))
SIDES += ((9, 70), (70, 1), (3, 1000), (1, 4099), (64, 70), (130, 6), (40, 50), (32, 32))
SIDES += ((301, 2), (3, 129), (7, 128), (5, 63), (65, 65), (6, 6), (7, 10), (2, 130))
FLOAT, HALF, WHOLE, WIDE = (torch.float32,), (torch.float16,), (torch.int32,), (torch.int64,)
DOUBLE = (torch.float64,)


def tints(launcher: Launcher) -> Iterator[Case]:
    """Multiply: whole numbers, fractions that round, large ones, zeros, a NaN, infinities."""
    for rows, cols in (*SIDES, *((1, n) for n in range(3, 71)), (3, 2_001), (129, 130)):
        n = rows * cols
        x, s = whole(-40, 41, n, n).reshape(rows, cols), whole(-30, 31, cols, n + 1)
        u = whole(1025, 2048, n, n + 2).reshape(rows, cols) / 1024
        t, c = whole(1025, 2048, cols, n + 3) / 1024, torch.arange(cols)
        for label, p, q in (
            ("whole numbers", x, s),
            ("fractions", u, t),
            ("fractions below 0", -u, t / 8),
            ("large", u * 512, t * 64),
            ("zeros", x * 0.0, s),
            ("NaN in x", torch.where((x % 7 == 3) & (c % 2 == 0), NAN, x.double()), s),
            ("NaN in s", x, torch.where(c == cols // 2, NAN, s.double())),
            ("infinities", x, torch.where(c % 3 == 1, -INF, s.double())),
        ):
            p, q = p.half(), q.half()
            right = p.double() * q.double()
            for block_size in (256, 64):
                words = f"rows = {rows:,}, cols = {cols:,}, block_size = {block_size}, {label}"
                more = {"block_size": block_size}
                yield Case(words, (p, q), (right,), more, dtypes=HALF, quick=n > 5000)


def glides(launcher: Launcher) -> Iterator[Case]:
    """Glide: usual, far from 0, zeros, a NaN, beta of 0, below 0 and large; slices."""
    for n in LENGTHS:
        x, j = whole(-80, 81, n, n) / 16.0, torch.arange(n)
        for label, v, beta in (
            ("usual", x, 1.0),
            ("another beta", x, 1.75),
            ("beta of 0", x, 0.0),
            ("beta below 0", x, -0.5),
            ("far from 0", x * 40, 1.0),
            ("zeros", torch.where(j % 2 == 1, 0.0, -0.0), 1.5),
            ("NaN", torch.where(j % 3 == 1, NAN, x), 1.0),
            ("infinity", torch.where(j % 4 == 2, INF, x), 1.0),
        ):
            right = v.double() * torch.sigmoid(beta * v.double())
            slack = (2.0**-20 * right.abs() + 2.0**-118).nan_to_num(0.0, 0.0)
            for block_size in (256, 32):
                scalars = {"beta": beta, "block_size": block_size}
                options = {"dtypes": FLOAT, "within": (slack,), "quick": n > 5000}
                words = f"n = {n:,}, {scalars}, {label}"
                yield Case(words, (v.float(),), (right,), scalars, **options)
            if n < 300 and label == "usual":
                for offset in ((1, 1), (2, 1), (1, 2), (2, 2)):
                    words = f"n = {n:,}, {scalars}, slices from {offset}"
                    more = {**options, "offset": offset}
                    yield Case(words, (v.float(),), (right,), scalars, **more)


def hefts(launcher: Launcher) -> Iterator[Case]:
    """Add magnitudes: any, below 0, above 0, large, zeros, one number, NaN, infinity."""
    for n in (*LENGTHS, 100_003):
        x, j = whole(-9, 10, n, n).double(), torch.arange(n)
        for label, v in (
            ("any", x),
            ("all below 0", -x.abs() - 1),
            ("all above 0", x.abs() + 1),
            ("large", x * 512 if n < 3000 else x * 8),
            ("zeros", x * 0),
            ("the last alone", torch.where(j == n - 1, -7.0, 0.0)),
            ("one in the middle", torch.where(j == n // 2, 3.0, 0.0)),
            ("NaN", torch.where(j == n // 3, NAN, x)),
            ("infinity", torch.where(j == n // 2, -INF, x)),
        ):
            right = v.abs().sum().reshape(1)
            words = f"n = {n:,}, {label}"
            yield Case(words, (v.half(),), (right,), dtypes=FLOAT, quick=n > 5000)


def drifts(launcher: Launcher) -> Iterator[Case]:
    """Average columns of whole numbers: any, below 0, zeros, rising, a NaN, an infinity."""
    for rows, cols in (*SIDES, (4099, 1), (1000, 3), (17, 31), (2_001, 3), (129, 130)):
        n = rows * cols
        x, r, c = whole(-99, 100, n, n), torch.arange(rows)[:, None], torch.arange(cols)
        x = x.reshape(rows, cols).double()
        for label, v in (
            ("any", x),
            ("all below 0", -x.abs() - 1),
            ("zeros", x * 0),
            ("rising", x * 0 + r + 3 * c),
            ("only the last row", torch.where(r == rows - 1, x.abs() + 5, 0.0)),
            ("NaN", torch.where((r == rows // 2) & (c == cols // 3), NAN, x)),
            ("infinity", torch.where((r == rows // 3) & (c == cols - 1), INF, x)),
        ):
            right = v.mean(0)
            slack = ((2.0**-22 * right.abs()).nan_to_num(0.0, 0.0),)
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (v.float(),), (right,), dtypes=FLOAT, within=slack)


def crests(launcher: Launcher) -> Iterator[Case]:
    """Find places: any, fractions, below 0, zeros, all equal, many equal, ends, infinity."""
    for rows, cols in (*SIDES, (3, 2_001), (2, 40_001), (1, 70_001)):
        n = rows * cols
        x, c = whole(-999, 1000, n, n).reshape(rows, cols), torch.arange(cols)
        r = torch.arange(rows)[:, None]
        for label, v in (
            ("any", x),
            ("fractions", x / 1024),
            ("below 0", -x.abs() - 1),
            ("zeros", x * 0),
            ("all equal", x * 0 + 4),
            ("many equal", x % 3 - 1),
            ("at the end", torch.where(c == cols - 1, -2000, x)),
            ("at a place of the row", torch.where(c == (7 * r + 40) % cols, 2000, x)),
            ("minus infinity", torch.where(c == cols // 2, -INF, x.double())),
        ):
            v = v.float()
            top = v.abs().amax(1, True)
            right = torch.where(v.abs() == top, c, cols).amin(1)
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (v,), (right,), dtypes=WHOLE, quick=n > 5000)


def broods(launcher: Launcher) -> Iterator[Case]:
    """Add exponentials: any, zeros, far above and below 0, rising, a mask, a NaN."""
    for rows, cols in (*SIDES, (3, 2_001), (129, 130)):
        n = rows * cols
        x, c = whole(-40, 41, n, n).reshape(rows, cols) / 8.0, torch.arange(cols)
        for label, v in (
            ("any", x),
            ("zeros", x * 0),
            ("below 0", -x.abs() - 20),
            ("far above 0", x + 1000),
            ("far below 0", x - 1000),
            ("rising", x * 0 + c / 8.0),
            ("the last is large", torch.where(c == cols - 1, 30.0, x)),
            ("a mask", torch.where((c % 3 == 1) & (c > 0), -INF, x)),
            ("NaN", torch.where(c == cols // 2, NAN, x)),
        ):
            v = v.float()
            right = torch.logsumexp(v.double(), 1)
            slack = ((2.0**-21 * right.abs() + 2.0**-19).nan_to_num(0.0),)
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (v,), (right,), dtypes=FLOAT, within=slack)


def levels(launcher: Launcher) -> Iterator[Case]:
    """Norm: any, small, about a large mean, large, zeros, below 0, a NaN; with gains."""
    for rows, cols in (*SIDES, (3, 2_001), (129, 130)):
        n = rows * cols
        x, c = whole(-99, 100, n, n).reshape(rows, cols), torch.arange(cols)
        gain = whole(-9, 10, cols, cols).double() / 4
        for label, y, g, eps in (
            ("any", x, gain, 1.0),
            ("plain", x, gain * 0 + 1, 0.001),
            ("small", x / 256, gain, 0.25),
            ("about 1,001", 1001 + x // 10, gain, 0.5),
            ("large", x * 64, gain, 1.0),
            ("zeros", x * 0, gain, 0.5),
            ("below 0", -x.abs() - 1, gain * 0 + 2, 0.5),
            ("NaN", torch.where((x % 9 == 4) & (c == cols // 2), NAN, x.double()), gain, 1.0),
        ):
            y = y.half()
            v = y.double()
            d = v - v.mean(1, keepdim=True)
            f = 1 / ((d * d).mean(1, keepdim=True) + eps).sqrt()
            right = d * f * g
            fine = 2.0**-20 * f * v.abs().amax(1, True) * g.abs()
            slack = ((2.0**-10 * right.abs() + fine + 2.0**-24).nan_to_num(0.0),)
            words = f"rows = {rows:,}, cols = {cols:,}, eps = {eps}, {label}"
            inputs = (y, g.half())
            yield Case(words, inputs, (right,), {"eps": eps}, dtypes=HALF, within=slack)


def pivots(launcher: Launcher) -> Iterator[Case]:
    """Turn whole numbers: small, all different, of 64 bits."""
    for rows, cols in (*SIDES, (31, 33), (97, 65), (1, 5_003), (5_003, 1), (3, 2_001)):
        n = rows * cols
        for label, x in (
            ("small", whole(-99, 100, n, n)),
            ("all different", torch.arange(n)),
            ("of 64 bits", whole(-(2**62), 2**62, n, n + 1)),
        ):
            x = x.reshape(rows, cols)
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (x,), (x.T.contiguous(),), dtypes=WIDE, quick=n > 5000)


def cranks(launcher: Launcher) -> Iterator[Case]:
    """Multiply: whole numbers, large ones, ones, zeros, below 0, ends, a NaN, an infinity."""
    for rows, cols in (*SIDES, *((n, 3) for n in range(4, 71, 3)), (3, 2_001), (129, 130)):
        n = rows * cols
        a, v = whole(-99, 100, n, n).reshape(rows, cols).double(), whole(-99, 100, cols, n + 1)
        v, c = v.double(), torch.arange(cols)
        for label, p, q in (
            ("whole numbers", a, v),
            ("large", a * 2.0**24 + 1, v),
            ("ones", a * 0 + 1, v * 0 + 1),
            ("zeros", a * 0, v),
            ("below 0", -a.abs() - 1, v.abs() + 1),
            ("the last column alone", a, torch.where(c == cols - 1, 5.0, v * 0)),
            ("NaN", torch.where((a % 9 == 4) & (c == cols // 2), NAN, a), v),
            ("infinity", a.abs() + 1, torch.where(c == cols // 3, INF, v)),
        ):
            right = (p * q).sum(1)
            for block_size in (64, 32):
                words = f"M = {rows:,}, N = {cols:,}, block_size = {block_size}, {label}"
                more = {"block_size": block_size}
                yield Case(words, (p, q), (right,), more, dtypes=DOUBLE)


BASES = {
    "hundredeleven_tint": Base(TINT, {"cases": tints}),
    "hundredeleven_gap": Base(GAP, {"reference": "subtract"}),
    "hundredeleven_shrink": Base(SHRINK, {"reference": "cast"}),
    "hundredeleven_brain": Base(BRAIN, {"reference": "cast"}),
    "hundredeleven_bend": Base(BEND, {"reference": torch.tanh, "ulp": 4}),
    "hundredeleven_fence": Base(FENCE, {"reference": lambda x: x.clamp(-1, 1)}),
    "hundredeleven_glide": Base(GLIDE, {"cases": glides}),
    "hundredeleven_heft": Base(HEFT, {"cases": hefts}),
    "hundredeleven_drift": Base(DRIFT, {"cases": drifts}),
    "hundredeleven_crest": Base(CREST, {"cases": crests}),
    "hundredeleven_brood": Base(BROOD, {"cases": broods}),
    "hundredeleven_level": Base(LEVEL, {"cases": levels}),
    "hundredeleven_pivot": Base(PIVOT, {"cases": pivots}),
    "hundredeleven_crank": Base(CRANK, {"cases": cranks}),
}


WRONG = (
    # ---- tint
    # The number is taken by the row.
    Wrong(
        "hundredeleven_tint_number_of_row",
        "hundredeleven_tint",
        "other element / sides / swapped / bounds | numbers / nan / left out / infinity",
        ("int col = idx % cols;", "int col = idx / cols;"),
    ),
    # The product is cut off.
    Wrong(
        "hundredeleven_tint_toward_zero",
        "hundredeleven_tint",
        "rounding | numbers / infinity / precision",
        (
            "__hmul(x[idx], s[col])",
            "__float2half_rz(__half2float(x[idx]) * __half2float(s[col]))",
        ),
    ),
    # The block size is a number.
    Wrong(
        "hundredeleven_tint_blocks_of_256",
        "hundredeleven_tint",
        "block size | unwritten / left out / bounds / nan / tail / other element",
        ("blockIdx.x * blockDim.x + threadIdx.x", "blockIdx.x * 256 + threadIdx.x"),
    ),
    # One more than all is allowed.
    Wrong(
        "hundredeleven_tint_end_included",
        "hundredeleven_tint",
        "bounds / tail",
        ("if (idx < rows * cols)", "if (idx <= rows * cols)"),
    ),
    # The product is stored in x first.
    Wrong(
        "hundredeleven_tint_product_in_x",
        "hundredeleven_tint",
        "input | state / numbers",
        ("tint_kernel(const half* x,", "tint_kernel(half* x,"),
        (
            "    y[idx] = __hmul(x[idx], s[col]);",
            ("    x[idx] = __hmul(x[idx], s[col]);\n    y[idx] = x[idx];"),
        ),
        (("(x, s, y, rows, cols);\n}"), ("((half*)x, s, y, rows, cols);\n}")),
    ),
    # ---- gap
    # Nobody takes the odd one.
    Wrong(
        "hundredeleven_gap_odd_one_forgotten",
        "hundredeleven_gap",
        "tail / unwritten / left out | nan / numbers",
        (("    } else if (i < n) {\n        d[i] = a[i] - b[i];\n    }"), "    }"),
    ),
    # The second difference is the other way round.
    Wrong(
        "hundredeleven_gap_second_turned",
        "hundredeleven_gap",
        "swapped / function | numbers / neighbour / other element / infinity",
        ("u.y - v.y", "v.y - u.y"),
    ),
    # Pairs are subtracted as floats.
    Wrong(
        "hundredeleven_gap_in_float",
        "hundredeleven_gap",
        "precision | infinity / numbers / rounding / nan / subnormal / sign of zero",
        ("u.x - v.x", "(float)u.x - (float)v.x"),
        ("u.y - v.y", "(float)u.y - (float)v.y"),
    ),
    # The second input may lie anywhere.
    Wrong(
        "hundredeleven_gap_b_anywhere",
        "hundredeleven_gap",
        "alignment",
        ("const double *b,  // [n] 16-byte aligned", "const double *b,  // [n]"),
    ),
    # Threads are counted for whole pairs only.
    Wrong(
        "hundredeleven_gap_threads_for_whole_pairs",
        "hundredeleven_gap",
        "grid / tail / unwritten / left out | nan / numbers",
        ("int pairs = (n + 1) / 2;", "int pairs = n / 2;"),
    ),
    # ---- shrink
    # No address is looked at.
    Wrong(
        "hundredeleven_shrink_untested_addresses",
        "hundredeleven_shrink",
        "alignment",
        (
            "bool wide = (uintptr_t)in % 16 == 0 && (uintptr_t)out % 8 == 0;",
            "bool wide = true;",
        ),
    ),
    # What is left goes through a short.
    Wrong(
        "hundredeleven_shrink_rest_of_16_bits",
        "hundredeleven_shrink",
        "whole range / narrow | numbers / tail / infinity",
        ("out[i] = __int2half_rn(in[i]);", "out[i] = __short2half_rn((short)in[i]);"),
    ),
    # The second of a pack is cut off.
    Wrong(
        "hundredeleven_shrink_second_cut_off",
        "hundredeleven_shrink",
        "rounding | numbers / infinity / precision / neighbour / other element",
        ("__int2half_rn(q.y)", "__int2half_rz(q.y)"),
    ),
    # The third of a pack is also the fourth.
    Wrong(
        "hundredeleven_shrink_third_again",
        "hundredeleven_shrink",
        "other element / neighbour / twice / left out | numbers",
        ("__int2half_rn(q.w)", "__int2half_rn(q.z)"),
    ),
    # Each thread takes one pack, though blocks are limited.
    Wrong(
        "hundredeleven_shrink_one_pack_a_thread",
        "hundredeleven_shrink",
        "grid / unwritten / left out | nan / tail / narrow / numbers",
        (
            "  for (int p = tid; p < packs; p += stride) {",
            ("  int p = tid;\n  if (p < packs) {"),
        ),
    ),
    # ---- brain
    # Bits of a pair are cut off.
    Wrong(
        "hundredeleven_brain_cut_off",
        "hundredeleven_brain",
        "rounding | numbers / precision",
        ("__float2bfloat16(f.x)", "__float2bfloat16_rz(f.x)"),
        ("__float2bfloat16(f.y)", "__float2bfloat16_rz(f.y)"),
    ),
    # The last one is written one too far.
    Wrong(
        "hundredeleven_brain_last_behind_end",
        "hundredeleven_brain",
        "bounds / tail / unwritten / neighbour | left out / nan",
        ("((__nv_bfloat16 *)dst)[n - 1]", "((__nv_bfloat16 *)dst)[n]"),
    ),
    # The numbers of a pair change places.
    Wrong(
        "hundredeleven_brain_pair_turned",
        "hundredeleven_brain",
        "swapped / other element / neighbour | numbers",
        ("__float2bfloat16(f.x)", "__float2bfloat16(f.y)"),
        ("r.y = __float2bfloat16(f.y)", "r.y = __float2bfloat16(f.x)"),
    ),
    # The input may lie anywhere.
    Wrong(
        "hundredeleven_brain_x_anywhere",
        "hundredeleven_brain",
        "alignment",
        ("const half *x,     // [n] 4-byte aligned", "const half *x,     // [n]"),
    ),
    # Subnormal halves are taken for 0.
    Wrong(
        "hundredeleven_brain_small_ones_are_0",
        "hundredeleven_brain",
        "subnormal | numbers / sign of zero / precision",
        (
            "        __nv_bfloat162 r;\n",
            (
                "        if (fabsf(f.x) < 6.103515625e-5f)\n"
                "            f.x = 0.0f;\n"
                "        if (fabsf(f.y) < 6.103515625e-5f)\n"
                "            f.y = 0.0f;\n"
                "        __nv_bfloat162 r;\n"
            ),
        ),
    ),
    # ---- bend
    # The function is that of floats.
    Wrong(
        "hundredeleven_bend_of_floats",
        "hundredeleven_bend",
        "precision | numbers / infinity / rounding / subnormal",
        ("tanh(v)", "tanhf((float)v)"),
    ),
    # The tanh is a quotient of exponentials.
    Wrong(
        "hundredeleven_bend_quotient",
        "hundredeleven_bend",
        "infinity / nan / precision | numbers / function / sign of zero / subnormal / rounding",
        (
            "  y[i] = tanh(v);",
            ("  const double e = exp(2.0 * v);\n  y[i] = (e - 1.0) / (e + 1.0);"),
        ),
    ),
    # Half of the number is taken, as for a sigmoid.
    Wrong(
        "hundredeleven_bend_half_the_number",
        "hundredeleven_bend",
        "function | numbers / subnormal / rounding / precision",
        ("tanh(v)", "tanh(0.5 * v)"),
    ),
    # Blocks are counted as if they had 256 threads.
    Wrong(
        "hundredeleven_bend_blocks_for_256",
        "hundredeleven_bend",
        "block size / grid / unwritten / left out | nan / tail / numbers / refused",
        ("(n + block_size - 1) / block_size", "(n + 255) / 256"),
    ),
    # NaN runs into a limit.
    Wrong(
        "hundredeleven_bend_nan_at_limit",
        "hundredeleven_bend",
        "nan | infinity",
        ("tanh(v)", "tanh(fmin(fmax(v, -20.0), 20.0))"),
    ),
    # ---- fence
    # NaN runs into a limit.
    Wrong(
        "hundredeleven_fence_nan_at_fence",
        "hundredeleven_fence",
        "nan | infinity",
        (
            ("    if (v < -1.0f) return -1.0f;\n    if (v > 1.0f) return 1.0f;\n    return v;"),
            "    return fminf(fmaxf(v, -1.0f), 1.0f);",
        ),
    ),
    # The lower limit is 0.
    Wrong(
        "hundredeleven_fence_from_0",
        "hundredeleven_fence",
        "function | numbers / infinity / sign of zero / whole range / left out",
        ("if (v < -1.0f) return -1.0f;", "if (v < 0.0f) return 0.0f;"),
    ),
    # The number of packs is rounded up.
    Wrong(
        "hundredeleven_fence_packs_rounded_up",
        "hundredeleven_fence",
        "bounds / tail | alignment / unwritten / left out",
        ("int n4 = n / 4;", "int n4 = (n + 3) / 4;"),
    ),
    # The last of the rest is left.
    Wrong(
        "hundredeleven_fence_rest_without_last",
        "hundredeleven_fence",
        "tail / unwritten / left out | nan / numbers / bounds",
        ("if (t < n % 4)", "if (t < n % 4 - 1)"),
    ),
    # The launch forgets the stream.
    Wrong(
        "hundredeleven_fence_no_stream",
        "hundredeleven_fence",
        "stream | state",
        ("<<<blocks, T, 0, stream>>>", "<<<blocks, T>>>"),
    ),
    # ---- glide
    # One of two addresses is asked.
    Wrong(
        "hundredeleven_glide_one_address",
        "hundredeleven_glide",
        "alignment",
        ("even8(x) && even8(y) && n > 1", "even8(x) && n > 1"),
    ),
    # The beta is forgotten.
    Wrong(
        "hundredeleven_glide_beta_forgotten",
        "hundredeleven_glide",
        "function / left out | numbers / infinity / nan / precision",
        ("expf(-beta * v)", "expf(-v)"),
    ),
    # The exponential is above and below the line.
    Wrong(
        "hundredeleven_glide_exponential_on_top",
        "hundredeleven_glide",
        "infinity / nan | numbers / precision / function",
        (
            "return v / (1.0f + expf(-beta * v));",
            "return v * expf(beta * v) / (1.0f + expf(beta * v));",
        ),
    ),
    # The beta is that of the first call.
    Wrong(
        "hundredeleven_glide_beta_of_first_call",
        "hundredeleven_glide",
        "state | numbers / function / left out",
        ("  int done = 0;", ("  static const float kept = beta;\n  int done = 0;")),
        ("(float2*)y, beta, pairs)", "(float2*)y, kept, pairs)"),
        ("stream>>>(x, y, beta, done,", "stream>>>(x, y, kept, done,"),
    ),
    # The rest begins with the first number.
    Wrong(
        "hundredeleven_glide_rest_from_0",
        "hundredeleven_glide",
        "tail / unwritten / left out / other element | nan / numbers / grid / twice",
        ("int i = begin + blockIdx.x", "int i = blockIdx.x"),
    ),
    # ---- heft
    # The sum is not set to 0.
    Wrong(
        "hundredeleven_heft_not_set_to_0",
        "hundredeleven_heft",
        "zero before / state | numbers / nan / unwritten / start",
        ("    cudaMemsetAsync(sum, 0, sizeof(float), stream);\n", ""),
    ),
    # Only the first warp of a block adds.
    Wrong(
        "hundredeleven_heft_one_warp_a_block",
        "hundredeleven_heft",
        "left out | numbers / nan / infinity / other element",
        ("int lane = threadIdx.x % 32;", "int lane = threadIdx.x;"),
    ),
    # The magnitude is that of a warp's sum.
    Wrong(
        "hundredeleven_heft_magnitude_of_sums",
        "hundredeleven_heft",
        "function | numbers / left out / infinity / sign of zero / nan",
        ("mine += fabsf(__half2float(x[i]));", "mine += __half2float(x[i]);"),
        ("atomicAdd(sum, mine);", "atomicAdd(sum, fabsf(mine));"),
    ),
    # Shuffles begin at 8.
    Wrong(
        "hundredeleven_heft_four_shuffles",
        "hundredeleven_heft",
        "left out | numbers / nan / infinity / other element / race",
        ("int step = 16; step > 0;", "int step = 8; step > 0;"),
    ),
    # Warps add without an atomic.
    Wrong(
        "hundredeleven_heft_no_atomic",
        "hundredeleven_heft",
        "race | numbers / left out / nan / infinity",
        ("atomicAdd(sum, mine);", "*sum += mine;"),
    ),
    # ---- drift
    # The sum is divided by the number of columns.
    Wrong(
        "hundredeleven_drift_divided_by_cols",
        "hundredeleven_drift",
        "function / sides / swapped | numbers / rounding",
        ("total / rows", "total / cols"),
    ),
    # Parts are added before all have stored theirs.
    Wrong(
        "hundredeleven_drift_no_barrier",
        "hundredeleven_drift",
        "race | numbers / unwritten / other element / nan / left out",
        ("  __syncthreads();\n", ""),
    ),
    # The last part is not added.
    Wrong(
        "hundredeleven_drift_last_part_forgotten",
        "hundredeleven_drift",
        "left out | numbers / nan / infinity / tail / other element",
        ("k < H; ++k", "k < H - 1; ++k"),
    ),
    # Rows have the length of columns.
    Wrong(
        "hundredeleven_drift_pitch_of_rows",
        "hundredeleven_drift",
        "sides / other element / bounds / swapped | numbers / nan / infinity / left out",
        ("x[(size_t)r * cols + c]", "x[(size_t)r * rows + c]"),
    ),
    # The sum begins with the first part, which is added again.
    Wrong(
        "hundredeleven_drift_first_part_twice",
        "hundredeleven_drift",
        "twice / start | numbers",
        ("float total = 0.0f;", "float total = part[0][threadIdx.x];"),
    ),
    # ---- crest
    # The largest number is found.
    Wrong(
        "hundredeleven_crest_no_magnitude",
        "hundredeleven_crest",
        "function / other element | numbers / start / left out / bounds",
        ("float v = fabsf(p[c]);", "float v = p[c];"),
    ),
    # The largest begins with 0.
    Wrong(
        "hundredeleven_crest_starts_at_0",
        "hundredeleven_crest",
        "start | numbers / other element / left out",
        ("float top = -1.0f;", "float top = 0.0f;"),
    ),
    # Of equal ones a lane keeps its own.
    Wrong(
        "hundredeleven_crest_ties_of_lanes",
        "hundredeleven_crest",
        "other element | numbers / left out / race",
        ("if (v > top || (v == top && c < at)) {", "if (v > top) {"),
    ),
    # The place has 16 bits.
    Wrong(
        "hundredeleven_crest_short_place",
        "hundredeleven_crest",
        "narrow / whole range | numbers / other element / start",
        ("    int at = cols;", "    short at = cols;"),
    ),
    # The number of blocks is rounded down.
    Wrong(
        "hundredeleven_crest_rows_rounded_down",
        "hundredeleven_crest",
        "grid / unwritten / tail / left out | refused / nan / numbers",
        ("(rows + WARPS - 1) / WARPS", "rows / WARPS"),
    ),
    # ---- brood
    # Exponentials are those of the numbers themselves.
    Wrong(
        "hundredeleven_brood_no_maximum",
        "hundredeleven_brood",
        "infinity | numbers / precision / nan / subnormal / function",
        ("expf(row[c] - m)", "expf(row[c])"),
        ("m + logf(buf[0])", "logf(buf[0])"),
    ),
    # The maximum begins with 0.
    Wrong(
        "hundredeleven_brood_starts_at_0",
        "hundredeleven_brood",
        "start | numbers / infinity / precision / subnormal",
        ("float m = -FLT_MAX;", "float m = 0.0f;"),
    ),
    # The maximum is not added again.
    Wrong(
        "hundredeleven_brood_maximum_not_added",
        "hundredeleven_brood",
        "function | numbers / left out / precision",
        ("m + logf(buf[0])", "logf(buf[0])"),
    ),
    # Sums are stored while others read the maximum.
    Wrong(
        "hundredeleven_brood_no_barrier_between",
        "hundredeleven_brood",
        "race | numbers / other element / state / nan / left out / infinity / start",
        ("  __syncthreads();  // all have read it\n", ""),
    ),
    # The tree of sums begins a step too late.
    Wrong(
        "hundredeleven_brood_half_a_tree",
        "hundredeleven_brood",
        "left out | numbers / nan / other element",
        (
            ("  buf[tid] = sum;\n  __syncthreads();\n  for (int s = THREADS / 2;"),
            ("  buf[tid] = sum;\n  __syncthreads();\n  for (int s = THREADS / 4;"),
        ),
    ),
    # ---- level
    # The variance is divided by one less.
    Wrong(
        "hundredeleven_level_one_less",
        "hundredeleven_level",
        "function | numbers / nan / infinity / tail / left out / precision",
        ("warp_total(square) / cols + eps", "warp_total(square) / (cols - 1) + eps"),
    ),
    # The gain is that of the row.
    Wrong(
        "hundredeleven_level_gain_of_row",
        "hundredeleven_level",
        "other element / bounds / swapped / sides | numbers / nan / sign of zero",
        ("gain[c]", "gain[row]"),
    ),
    # Shuffles go down, and all lanes use what they have.
    Wrong(
        "hundredeleven_level_total_of_lane_0",
        "hundredeleven_level",
        "left out / other element / race / twice | numbers / function / infinity / nan",
        ("__shfl_xor_sync(0xffffffff, v, mask)", "__shfl_down_sync(0xffffffff, v, mask)"),
    ),
    # The mean is rounded to a half.
    Wrong(
        "hundredeleven_level_mean_of_half",
        "hundredeleven_level",
        "precision / rounding | numbers / infinity",
        (
            "float mean = warp_total(sum) / cols;",
            "float mean = __half2float(__float2half(warp_total(sum) / cols));",
        ),
    ),
    # Blocks are counted as if each took 32 rows.
    Wrong(
        "hundredeleven_level_blocks_of_32_rows",
        "hundredeleven_level",
        "grid / unwritten / left out / tail | nan / numbers",
        ("(rows + 7) / 8", "(rows + 31) / 32"),
    ),
    # ---- pivot
    # The tile is read as it was stored.
    Wrong(
        "hundredeleven_pivot_tile_not_turned",
        "hundredeleven_pivot",
        "swapped / other element / sides | numbers / unwritten / copy / bounds / race",
        ("= tile[threadIdx.x][j];", "= tile[j][threadIdx.x];"),
    ),
    # The tile is read before all have stored.
    Wrong(
        "hundredeleven_pivot_no_barrier",
        "hundredeleven_pivot",
        "race | numbers / unwritten / other element / state",
        ("  __syncthreads();\n", ""),
    ),
    # The tile has 32 bits.
    Wrong(
        "hundredeleven_pivot_tile_of_int",
        "hundredeleven_pivot",
        "narrow / whole range | numbers",
        ("__shared__ int64_t tile", "__shared__ int tile"),
    ),
    # Rows of the result have the length of those of the input.
    Wrong(
        "hundredeleven_pivot_pitch_of_cols",
        "hundredeleven_pivot",
        "sides / other element / bounds / swapped / unwritten | numbers / twice / race",
        ("out[(size_t)oy * rows + ox]", "out[(size_t)oy * cols + ox]"),
    ),
    # The sides of the grid change places.
    Wrong(
        "hundredeleven_pivot_grid_swapped",
        "hundredeleven_pivot",
        "grid / sides / swapped / unwritten / left out | numbers / tail",
        (
            "grid((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE)",
            "grid((rows + TILE - 1) / TILE, (cols + TILE - 1) / TILE)",
        ),
    ),
    # ---- crank
    # The sum is a float.
    Wrong(
        "hundredeleven_crank_sum_of_float",
        "hundredeleven_crank",
        "precision | numbers / rounding / infinity / whole range",
        ("double acc = 0.0;", "float acc = 0.0f;"),
    ),
    # The last column is left out.
    Wrong(
        "hundredeleven_crank_without_last",
        "hundredeleven_crank",
        "tail / left out | numbers / nan / infinity",
        ("k < N; k++", "k < N - 1; k++"),
    ),
    # Rows have the length of columns.
    Wrong(
        "hundredeleven_crank_pitch_of_rows",
        "hundredeleven_crank",
        "sides / other element / bounds / swapped | numbers / nan / infinity / left out",
        ("A[(size_t)r * N + k]", "A[(size_t)r * M + k]"),
    ),
    # The sum is added to what is there.
    Wrong(
        "hundredeleven_crank_adds_to_out",
        "hundredeleven_crank",
        "zero before / state | numbers / nan / unwritten",
        ("out[r] = acc;", "out[r] += acc;"),
    ),
    # The launch forgets the stream.
    Wrong(
        "hundredeleven_crank_no_stream",
        "hundredeleven_crank",
        "stream | state",
        ("<<<grid, block, 0, stream>>>", "<<<grid, block>>>"),
    ),
)

RIGHT = (
    # There is always a block for what is left, if nothing is.
    Right(
        "hundredeleven_tint_a_block_more",
        "hundredeleven_tint",
        ("(total + block_size - 1) / block_size", "total / block_size + 1"),
    ),
    # Numbers are counted in 64 bits.
    Right(
        "hundredeleven_gap_int64",
        "hundredeleven_gap",
        ("double *d, int n)", "double *d, int64_t n)"),
        (
            "int pair = blockIdx.x * blockDim.x",
            "int64_t pair = (int64_t)blockIdx.x * blockDim.x",
        ),
        ("int i = 2 * pair", "int64_t i = 2 * pair"),
        ("int n, int block_size", "int64_t n, int block_size"),
        ("int pairs =", "int64_t pairs ="),
    ),
    # What is left goes through a float: it holds all that a half can show.
    Right(
        "hundredeleven_shrink_rest_by_float",
        "hundredeleven_shrink",
        ("out[i] = __int2half_rn(in[i]);", "out[i] = __float2half_rn((float)in[i]);"),
    ),
    # A pair is converted at once.
    Right(
        "hundredeleven_brain_both_at_once",
        "hundredeleven_brain",
        (
            (
                "        __nv_bfloat162 r;\n"
                "        r.x = __float2bfloat16(f.x);\n"
                "        r.y = __float2bfloat16(f.y);\n"
                "        dst[k] = r;"
            ),
            "        dst[k] = __float22bfloat162_rn(f);",
        ),
    ),
    # The result comes before the input.
    Right(
        "hundredeleven_bend_result_first",
        "hundredeleven_bend",
        (
            (
                "launch(const double* x,  // [n]\n"
                "                       double* y,        // [n]\n"
            ),
            (
                "launch(double* y,        // [n]\n"
                "                       const double* x,  // [n]\n"
            ),
        ),
    ),
    # Threads and packs are counted without a sign.
    Right(
        "hundredeleven_fence_unsigned",
        "hundredeleven_fence",
        ("int t = blockIdx.x", "unsigned int t = blockIdx.x"),
        ("int n4 = n / 4;", "unsigned int n4 = (unsigned int)n / 4;"),
        ("if (t < n % 4)", "if (t < (unsigned int)n % 4)"),
    ),
    # The sigmoid is made first.
    Right(
        "hundredeleven_glide_sigmoid_first",
        "hundredeleven_glide",
        (
            "return v / (1.0f + expf(-beta * v));",
            "return v * (1.0f / (1.0f + expf(-beta * v)));",
        ),
    ),
    # A kernel of one thread sets the sum to 0.
    Right(
        "hundredeleven_heft_zero_by_kernel",
        "hundredeleven_heft",
        (
            "__global__ void heft(",
            ("__global__ void clear(float *sum) { *sum = 0.0f; }\n\n__global__ void heft("),
        ),
        ("cudaMemsetAsync(sum, 0, sizeof(float), stream);", "clear<<<1, 1, 0, stream>>>(sum);"),
    ),
    # A column has four threads.
    Right(
        "hundredeleven_drift_four_a_column",
        "hundredeleven_drift",
        (
            "constexpr int H = 8;   // threads of a column",
            "constexpr int H = 4;   // threads of a column",
        ),
    ),
    # Shuffles go down, which is enough for the first lane.
    Right(
        "hundredeleven_crest_shuffles_down",
        "hundredeleven_crest",
        ("__shfl_xor_sync(0xffffffffu, top, o)", "__shfl_down_sync(0xffffffffu, top, o)"),
        ("__shfl_xor_sync(0xffffffffu, at, o)", "__shfl_down_sync(0xffffffffu, at, o)"),
    ),
    # A block has 512 threads, of which many may have no number.
    Right(
        "hundredeleven_brood_blocks_of_512",
        "hundredeleven_brood",
        ("#define THREADS 128", "#define THREADS 512"),
    ),
    # A root is taken and 1 divided by it.
    Right(
        "hundredeleven_level_root_and_division",
        "hundredeleven_level",
        (
            "rsqrtf(warp_total(square) / cols + eps)",
            "1.0f / sqrtf(warp_total(square) / cols + eps)",
        ),
    ),
    # There may be tiles without a number.
    Right(
        "hundredeleven_pivot_idle_tiles",
        "hundredeleven_pivot",
        (
            "grid((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE)",
            "grid(cols / TILE + 1, rows / TILE + 1)",
        ),
    ),
    # Sides have 64 bits.
    Right(
        "hundredeleven_crank_int64",
        "hundredeleven_crank",
        ("double *out, int M, int N)", "double *out, int64_t M, int64_t N)"),
        ("int r = blockIdx.x * blockDim.x", "int64_t r = (int64_t)blockIdx.x * blockDim.x"),
        ("int k = 0", "int64_t k = 0"),
        ("A[(size_t)r * N + k]", "A[r * N + k]"),
        ("int M, int N, int block_size", "int64_t M, int64_t N, int block_size"),
    ),
)
