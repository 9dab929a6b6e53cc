"""Hold a ninety-sixth family: the plain operators of a course, and their plainest mistakes.

Its bases are halves that are added with an optional second pack of eight, a * x + b * y of
floats, bytes to floats, doubles to halves, ELU of floats, ReLU6 of bfloat16, cubes of doubles,
the sum of an array in two kernels, the largest of ints by atomics, the sum of each row, softmax
with a warp a row, layer norm with a block a row, a transpose of ints by tiles, and a matrix
product with the left side transposed. They have 12 to 45 lines. Their mistakes are spread over
alignment, sizes, values, writes, sums, matrices, order, streams, operands and constants. The
causes were written before a member was judged. Bases and right members ran all cases on the
emulator, twice on the same tensors, with tensors at either end of their pages, on another
stream, with threads in order, from the last to the first and in a random order, and were
compared as a case does; wrong ones until they were wrong often enough.
ninetysix_largest_no_atomic was right in these orders, as threads there do not run at once: that
it is wrong is by reasoning. Of those that lack a barrier not each is wrong in every order of
threads. nvcc 13.0 compiles each base for 8.0; none was run on a GPU. All others are wrong, or
refused by a fault:

    ninetysix_halves_b_anywhere          from 8 numbers on, by the address of b
    ninetysix_halves_second_not_tested   from 8 numbers on, unless all packs are in twos
    ninetysix_halves_blocks_overlap      from a second block on
    ninetysix_halves_rest_of_fours       if 4 to 7 numbers are left
    ninetysix_halves_no_stream           on another stream
    ninetysix_blend_y_not_asked          from 4 numbers on, by the address of y alone
    ninetysix_blend_factors_swapped      unless a and b are alike
    ninetysix_blend_z_copied             from 4 numbers on, where packs are taken
    ninetysix_blend_one_a_thread         where no packs are taken and threads are too few
    ninetysix_blend_in_y_too             of the rest, or all where no packs are taken
    ninetysix_bytes_signed               of bytes from 128 on, in packs
    ninetysix_bytes_one_left             if 2 or 3 numbers are left
    ninetysix_bytes_always_256           of other block sizes, from a second block on
    ninetysix_bytes_begins_within        unless 4 divides n
    ninetysix_bytes_highest_first        from 4 numbers on
    ninetysix_narrow_by_float            of ties that only the float makes
    ninetysix_narrow_cut_off             of every other number
    ninetysix_narrow_largest_half        from 65,520 on
    ninetysix_narrow_one_too_many        unless the block size divides n
    ninetysix_narrow_rounded_down        unless the block size divides n
    ninetysix_elu_exp_less_1             of numbers a little below 0
    ninetysix_elu_max_plus_min           of NaN
    ninetysix_elu_times_0                from 89 on, and of -infinity
    ninetysix_elu_no_loop                from 6,145 numbers on
    ninetysix_elu_factor_of_selu         of numbers below 0
    ninetysix_six_nan_is_0               of NaN
    ninetysix_six_no_upper_limit         above 6
    ninetysix_six_last_forgotten         of odd counts
    ninetysix_six_first_twice            from 2 numbers on
    ninetysix_six_x_anywhere             from 2 numbers on, by the address of x
    ninetysix_cube_powf                  of nearly all
    ninetysix_cube_no_sign               of numbers below 0
    ninetysix_cube_one_of_two            from 129 numbers on at 128
    ninetysix_cube_short_index           from 65,537 numbers on
    ninetysix_cube_always_128_on         of other block sizes
    ninetysix_sum_no_barrier_in_tree     where threads do not wait for another
    ninetysix_sum_last_part_left_out     unless the last part is 0
    ninetysix_sum_parts_no_stream        on another stream
    ninetysix_sum_tree_of_quarter        from 129 numbers on
    ninetysix_sum_step_of_a_block        from a second block on
    ninetysix_largest_starts_at_0        if all are below 0
    ninetysix_largest_not_set            if what was there is larger
    ninetysix_largest_no_atomic          where warps look at the same time
    ninetysix_largest_first_warp         if the largest is of another warp
    ninetysix_largest_as_floats          of numbers that a float does not hold
    ninetysix_rows_stops_at_two          from 2 columns on
    ninetysix_rows_one_column_a_lane     from 33 columns on
    ninetysix_rows_pitch_of_rows         from 2 rows on, unless square
    ninetysix_rows_one_too_many          unless all warps have rows
    ninetysix_rows_four_a_block          of block sizes below 128
    ninetysix_softmax_no_maximum         of large numbers
    ninetysix_softmax_maximum_of_lane    from 2 columns on
    ninetysix_softmax_kept_in_x          of all: x is overwritten
    ninetysix_softmax_sum_from_1         of all
    ninetysix_softmax_powers_of_2        from 2 columns on
    ninetysix_norm_of_a_sample           of nearly all
    ninetysix_norm_no_eps                of rows that are all alike
    ninetysix_norm_no_last_barrier       where threads do not wait for another
    ninetysix_norm_gain_of_thread        from 129 columns on
    ninetysix_norm_gain_for_bias         of nearly all
    ninetysix_turn_tile_not_turned       of nearly all
    ninetysix_turn_pitch_of_source       unless square
    ninetysix_turn_no_barrier            where threads do not wait for another
    ninetysix_turn_test_of_way_in        unless 32 divides both sides, or square tiles
    ninetysix_turn_steps_of_16           from 9 columns on
    ninetysix_left_pitch_of_k            unless m and k are alike
    ninetysix_left_whole_tiles           unless 16 divides k
    ninetysix_left_no_filler             unless 16 divides k
    ninetysix_left_added                 unless the result was 0 before
    ninetysix_left_grid_swapped          unless the tiles are as many each way
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import whole

# Halves are added, a thread takes a pack of eight and, if there is one, a second.
HALVES = (
    HEADER
    + """\
struct alignas(16) Eight {
  half2 v[4];
};

__device__ Eight plus(const Eight& p, const Eight& q) {
  Eight r;
  for (int k = 0; k < 4; k++) r.v[k] = __hadd2(p.v[k], q.v[k]);
  return r;
}

__global__ void add_eights(const half* a, const half* b, half* out, int n) {
  const Eight* pa = (const Eight*)a;
  const Eight* pb = (const Eight*)b;
  Eight* po = (Eight*)out;
  int packs = n / 8;
  int first = 2 * blockIdx.x * blockDim.x + threadIdx.x;
  int second = first + blockDim.x;
  if (first < packs) po[first] = plus(pa[first], pb[first]);
  if (second < packs) po[second] = plus(pa[second], pb[second]);
  int i = 8 * packs + first;  // up to seven are left
  if (i < n) out[i] = __hadd(a[i], b[i]);
}

extern "C" void launch(const half* a,  // [n] 16-byte aligned
                       const half* b,  // [n] 16-byte aligned
                       half* out,      // [n] 16-byte aligned
                       int n, int block_size = 128, cudaStream_t stream = 0) {
  int blocks = n / (16 * block_size) + 1;
  add_eights<<<blocks, block_size, 0, stream>>>(a, b, out, n);
}
"""
)

# a * x + b * y of floats, by fours where the addresses are.
BLEND = (
    HEADER
    + """\
static bool by16(const void *p)
{
    return (uintptr_t)p % 16 == 0;
}

__global__ void blend(const float *x, const float *y, float *out, float a, float b, int n,
                      bool wide)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int threads = gridDim.x * blockDim.x;
    int done = 0;

    if (wide) {
        done = n / 4 * 4;
        for (int p = t; p < done / 4; p += threads) {
            float4 u = ((const float4 *)x)[p];
            float4 v = ((const float4 *)y)[p];
            float4 w;
            w.x = a * u.x + b * v.x;
            w.y = a * u.y + b * v.y;
            w.z = a * u.z + b * v.z;
            w.w = a * u.w + b * v.w;
            ((float4 *)out)[p] = w;
        }
    }
    for (int i = done + t; i < n; i += threads)
        out[i] = a * x[i] + b * y[i];
}

extern "C" void launch(const float *x,  // [n]
                       const float *y,  // [n]
                       float *out,      // [n]
                       float a, float b, int n, int block_size = 64, cudaStream_t stream = 0)
{
    bool wide = by16(x) && by16(y) && by16(out);
    int blocks = (n / 4 + block_size) / block_size;
    blend<<<blocks, block_size, 0, stream>>>(x, y, out, a, b, n, wide);
}
"""
)

# Bytes become floats, four a thread, which also takes what is left.
BYTES = (
    HEADER
    + """\
__global__ void bytes_to_floats(const uint8_t* in, float* result, int n) {
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;
    const int from = thread * 4;
    if (from + 4 <= n) {
        const uchar4 b = *reinterpret_cast<const uchar4*>(in + from);
        *reinterpret_cast<float4*>(result + from) = make_float4(b.x, b.y, b.z, b.w);
    } else {
        for (int i = from; i < n; ++i) result[i] = in[i];
    }
}

extern "C" void launch(const uint8_t* in,  // [n] 4-byte aligned
                       float* result,      // [n] 16-byte aligned
                       int n, int block_size = 256, cudaStream_t stream = 0) {
    const int threads = (n + 3) / 4;
    const int blocks = (threads + block_size - 1) / block_size;
    bytes_to_floats<<<blocks, block_size, 0, stream>>>(in, result, n);
}
"""
)

# Doubles become halves, one a thread.
NARROW = (
    HEADER
    + """\
__global__ void toHalf(const double *src, half *dst, int count)
{
  int idx = threadIdx.x + blockDim.x * blockIdx.x;
  if (idx >= count)
    return;
  double value = src[idx];
  dst[idx] = __double2half(value);
}

extern "C" void launch(const double *src,  // [count]
                       half *dst,          // [count]
                       int count, int block_size = 256, cudaStream_t stream = 0)
{
  int grid = (count + block_size - 1) / block_size;
  toHalf<<<grid, block_size, 0, stream>>>(src, dst, count);
}
"""
)

# ELU of floats in a loop over the grid.
ELU = (
    HEADER
    + """\
constexpr int kThreads = 128;
constexpr int kMaxBlocks = 48;

__device__ __forceinline__ float elu(float v) {
    return v > 0.0f ? v : expm1f(v);
}

__global__ void elu_kernel(const float* __restrict__ x, float* __restrict__ y, int n) {
    int stride = gridDim.x * kThreads;
    for (int i = blockIdx.x * kThreads + threadIdx.x; i < n; i += stride) {
        y[i] = elu(x[i]);
    }
}

extern "C" void launch(const float* x,  // [n]
                       float* y,        // [n]
                       int n, cudaStream_t stream = 0) {
    int blocks = (n + kThreads - 1) / kThreads;
    if (blocks > kMaxBlocks) blocks = kMaxBlocks;
    elu_kernel<<<blocks, kThreads, 0, stream>>>(x, y, n);
}
"""
)

# ReLU6 of bfloat16, a pair a thread.
SIX = (
    HEADER
    + """\
__device__ float six(float v)
{
    if (v < 0.0f) return 0.0f;
    if (v > 6.0f) return 6.0f;
    return v;
}

__global__ void relu6(const __nv_bfloat16 *x, __nv_bfloat16 *y, int n)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (2 * p + 1 < n) {
        float2 v = __bfloat1622float2(((const __nv_bfloat162 *)x)[p]);
        ((__nv_bfloat162 *)y)[p] = __floats2bfloat162_rn(six(v.x), six(v.y));
    } else if (2 * p < n) {
        y[2 * p] = __float2bfloat16(six(__bfloat162float(x[2 * p])));
    }
}

extern "C" void launch(const __nv_bfloat16 *x,  // [n] 4-byte aligned
                       __nv_bfloat16 *y,        // [n] 4-byte aligned
                       int n, int block_size = 192, cudaStream_t stream = 0)
{
    int pairs = (n + 1) / 2;
    relu6<<<(pairs + block_size - 1) / block_size, block_size, 0, stream>>>(x, y, n);
}
"""
)

# Cubes of doubles, two a thread, a block apart.
CUBE = (
    HEADER
    + """\
__device__ double cube(double v) { return v * v * v; }

__global__ void cubes(const double* in, double* out, int n) {
  int i = blockIdx.x * (2 * blockDim.x) + threadIdx.x;
  for (int k = 0; k < 2; k++) {
    if (i < n) out[i] = cube(in[i]);
    i += blockDim.x;
  }
}

extern "C" void launch(const double* in,  // [n]
                       double* out,       // [n]
                       int n, int block_size = 128, cudaStream_t stream = 0) {
  int per_block = 2 * block_size;
  cubes<<<(n + per_block - 1) / per_block, block_size, 0, stream>>>(in, out, n);
}
"""
)

# The sum of an array: a part for each block, and one block that adds the parts.
SUM = (
    HEADER
    + """\
#define THREADS 256
#define PARTS 80

__device__ float parts[PARTS];

__device__ float addUp(float mine)
{
    __shared__ float cache[THREADS];
    int tid = threadIdx.x;
    cache[tid] = mine;
    __syncthreads();
    for (int s = THREADS / 2; s > 0; s >>= 1) {
        if (tid < s)
            cache[tid] += cache[tid + s];
        __syncthreads();
    }
    return cache[0];
}

__global__ void sumBlocks(const float *x, int64_t n)
{
    float mine = 0.0f;
    int64_t step = (int64_t)gridDim.x * THREADS;
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < n; i += step)
        mine += x[i];
    float all = addUp(mine);
    if (threadIdx.x == 0)
        parts[blockIdx.x] = all;
}

__global__ void sumParts(float *total, int count)
{
    float all = addUp(threadIdx.x < count ? parts[threadIdx.x] : 0.0f);
    if (threadIdx.x == 0)
        total[0] = all;
}

extern "C" void launch(const float *x,  // [n]
                       float *total,    // [1]
                       int64_t n, cudaStream_t stream = 0)
{
    int blocks = PARTS;
    if (n < PARTS * THREADS)
        blocks = (int)(n / THREADS) + 1;
    sumBlocks<<<blocks, THREADS, 0, stream>>>(x, n);
    sumParts<<<1, THREADS, 0, stream>>>(total, blocks);
}
"""
)

# The largest of ints: shuffles in a warp, and an atomic for each warp.
LARGEST = (
    HEADER
    + """\
#define LOWEST (-2147483647 - 1)

__global__ void set_lowest(int* best) { *best = LOWEST; }

__global__ void largest(const int* x, int* best, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = i < n ? x[i] : LOWEST;
  for (int d = 16; d > 0; d /= 2) v = max(v, __shfl_down_sync(0xffffffffu, v, d));
  if (threadIdx.x % 32 == 0) atomicMax(best, v);
}

extern "C" void launch(const int* x,  // [n]
                       int* best,     // [1]
                       int n, cudaStream_t stream = 0) {
  set_lowest<<<1, 1, 0, stream>>>(best);
  largest<<<(n + 127) / 128, 128, 0, stream>>>(x, best, n);
}
"""
)

# The sum of each row, a warp a row.
ROWS = (
    HEADER
    + """\
static const unsigned int EVERYONE = 0xffffffff;

__global__ void row_sums(const float *m, float *sums, int rows, int cols)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (warp >= rows)
        return;
    const float *row = m + (size_t)warp * cols;
    float acc = 0.0f;
    for (int c = lane; c < cols; c += 32)
        acc += row[c];
    for (int off = 16; off >= 1; off /= 2)
        acc += __shfl_down_sync(EVERYONE, acc, off);
    if (lane == 0)
        sums[warp] = acc;
}

extern "C" void launch(const float *m,  // [rows, cols]
                       float *sums,     // [rows]
                       int rows, int cols, int block_size = 128, cudaStream_t stream = 0)
{
    int per_block = block_size / 32;
    int grid = (rows + per_block - 1) / per_block;
    row_sums<<<grid, block_size, 0, stream>>>(m, sums, rows, cols);
}
"""
)

# Softmax of floats, a warp a row.
SOFTMAX = (
    HEADER
    + """\
__device__ float warpMax(float v) {
  for (int k = 16; k; k >>= 1) v = fmaxf(v, __shfl_xor_sync(~0u, v, k));
  return v;
}

__device__ float warpSum(float v) {
  for (int k = 16; k; k >>= 1) v += __shfl_xor_sync(~0u, v, k);
  return v;
}

__global__ void softmaxRows(const float* x, float* y, int64_t rows, int64_t cols) {
  int64_t r = (int64_t)blockIdx.x * blockDim.y + threadIdx.y;
  if (r >= rows) return;
  const float* in = x + r * cols;
  float* out = y + r * cols;
  float top = -INFINITY;
  for (int64_t c = threadIdx.x; c < cols; c += 32) top = fmaxf(top, in[c]);
  top = warpMax(top);
  float total = 0.0f;
  for (int64_t c = threadIdx.x; c < cols; c += 32) total += expf(in[c] - top);
  total = warpSum(total);
  for (int64_t c = threadIdx.x; c < cols; c += 32) out[c] = expf(in[c] - top) / total;
}

extern "C" void launch(const float* x,  // [rows, cols]
                       float* y,        // [rows, cols]
                       int64_t rows, int64_t cols, cudaStream_t stream = 0) {
  dim3 block(32, 8);
  unsigned blocks = (unsigned)((rows + 7) / 8);
  softmaxRows<<<blocks, block, 0, stream>>>(x, y, rows, cols);
}
"""
)

# Layer norm of floats, a block a row.
NORM = (
    HEADER
    + """\
constexpr int T = 128;

__device__ float total_of(float v, float* shared) {
    const int t = threadIdx.x;
    shared[t] = v;
    __syncthreads();
    for (int half_of = T / 2; half_of > 0; half_of /= 2) {
        if (t < half_of) shared[t] += shared[t + half_of];
        __syncthreads();
    }
    const float result = shared[0];
    __syncthreads();  // the next sum goes to the same place
    return result;
}

__global__ void layer_norm_rows(const float* x, const float* gamma, const float* beta,
                                float* out, int64_t cols, float eps) {
    __shared__ float shared[T];
    const float* in = x + blockIdx.x * cols;
    float sum = 0.0f;
    for (int64_t c = threadIdx.x; c < cols; c += T) sum += in[c];
    const float mean = total_of(sum, shared) / cols;
    float squares = 0.0f;
    for (int64_t c = threadIdx.x; c < cols; c += T) {
        const float d = in[c] - mean;
        squares += d * d;
    }
    const float variance = total_of(squares, shared) / cols;
    const float scale = rsqrtf(variance + eps);
    for (int64_t c = threadIdx.x; c < cols; c += T)
        out[blockIdx.x * cols + c] = (in[c] - mean) * scale * gamma[c] + beta[c];
}

extern "C" void launch(const float* x,      // [rows, cols]
                       const float* gamma,  // [cols]
                       const float* beta,   // [cols]
                       float* out,          // [rows, cols]
                       int64_t rows, int64_t cols, float eps = 1e-5f, cudaStream_t stream = 0) {
    layer_norm_rows<<<(unsigned)rows, T, 0, stream>>>(x, gamma, beta, out, cols, eps);
}
"""
)

# Ints are transposed by tiles of 32 x 32, eight rows of threads a tile.
TURN = (
    HEADER
    + """\
#define TILE 32
#define STEP 8

__global__ void turn(const int *src, int *dst, int height, int width)
{
  __shared__ int tile[TILE][TILE + 1];
  int x = blockIdx.x * TILE + threadIdx.x;
  int y = blockIdx.y * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += STEP)
    if (x < width && y + j < height)
      tile[threadIdx.y + j][threadIdx.x] = src[(y + j) * width + x];
  __syncthreads();
  int u = blockIdx.y * TILE + threadIdx.x;
  int v = blockIdx.x * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += STEP)
    if (u < height && v + j < width)
      dst[(v + j) * height + u] = tile[threadIdx.x][threadIdx.y + j];
}

extern "C" void launch(const int *src,  // [height, width]
                       int *dst,        // [width, height]
                       int height, int width, cudaStream_t stream = 0)
{
  dim3 grid((width + TILE - 1) / TILE, (height + TILE - 1) / TILE);
  turn<<<grid, dim3(TILE, STEP), 0, stream>>>(src, dst, height, width);
}
"""
)

# The matrix product of which the left side is stored transposed.
LEFT = (
    HEADER
    + """\
const int S = 16;

// c = a^T b
__global__ void matmul_tn(const float* a, const float* b, float* c, int m, int n, int k) {
    __shared__ float as[S][S];
    __shared__ float bs[S][S];
    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int i0 = blockIdx.y * S;
    int col = blockIdx.x * S + tx;
    float dot = 0.0f;
    for (int k0 = 0; k0 < k; k0 += S) {
        int kk = k0 + ty;
        as[ty][tx] = kk < k && i0 + tx < m ? a[kk * m + i0 + tx] : 0.0f;
        bs[ty][tx] = kk < k && col < n ? b[kk * n + col] : 0.0f;
        __syncthreads();
        for (int q = 0; q < S; q++) dot += as[q][ty] * bs[q][tx];
        __syncthreads();
    }
    if (i0 + ty < m && col < n) c[(i0 + ty) * n + col] = dot;
}

extern "C" void launch(const float* a,  // [k, m]
                       const float* b,  // [k, n]
                       float* c,        // [m, n]
                       int m, int n, int k, cudaStream_t stream = 0) {
    dim3 blocks((n + S - 1) / S, (m + S - 1) / S);
    dim3 threads(S, S);
    matmul_tn<<<blocks, threads, 0, stream>>>(a, b, c, m, n, k);
}
"""
)

NAN, INF, LEAST = float("nan"), float("inf"), -(2**31)
LENGTHS = (*range(1, 71), 95, 96, 97, 127, 128, 129, 191, 192, 193, 255, 256, 257, 383, 384)
LENGTHS += (385, 511, 512, 513, 1000, 1023, 1024, 1025, 2047, 2048, 2049, 4099, 9001, 30_001)
SIDES = ((1, 1), (2, 1), (1, 2), (3, 2), (4, 31), (5, 32), (8, 33), (33, 8), (2, 64), (65, 3))
SIDES += ((9, 70), (70, 1), (3, 1000), (1, 4099), (64, 70), (130, 6), (40, 50), (32, 32))
SIDES += ((301, 2), (31, 33), (17, 128), (25, 63), (65, 65), (7, 10), (2, 130), (1000, 3))
FLOAT, WHOLE = (torch.float32,), (torch.int32,)


def blends(launcher: Launcher) -> Iterator[Case]:
    """Blend whole numbers, so that all is exact: usual, zeros, infinities, NaN; slices."""
    for n in LENGTHS:
        x, y = (whole(-999, 1000, n, 2 * n + k).float() for k in range(2))
        j = torch.arange(n)
        for label, p, q, a, b in (
            ("usual", x, y, 2.0, -0.5),
            ("a alone", x, y, 1.5, 0.0),
            ("b alone", x, y, 0.0, 3.0),
            ("zeros", x * 0, torch.where(j % 2 == 1, 0.0, -0.0), 1.0, 1.0),
            ("infinities", torch.where(j % 5 == 2, INF, x), y, -1.0, 0.25),
            ("NaN", x, torch.where(j % 3 == 1, NAN, y), 0.5, 0.125),
        ):
            right = a * p.double() + b * q.double()
            options = {"dtypes": FLOAT, "quick": n > 5000}
            for block_size in (64, 256):
                scalars = {"a": a, "b": b, "block_size": block_size}
                words = f"n = {n:,}, {scalars}, {label}"
                yield Case(words, (p, q), (right,), scalars, **options)
            if label == "usual":
                for offset in ((1, 1, 1), (4, 4, 4), (1, 4, 4), (4, 2, 4), (4, 4, 3)):
                    scalars, words = {"a": a, "b": b}, f"n = {n:,}, slices from {offset}"
                    yield Case(words, (p, q), (right,), scalars, offset=offset, **options)


def maxima(launcher: Launcher) -> Iterator[Case]:
    """Look for the largest: any, below 0, the least, near each other, one alone, all alike."""
    for n in LENGTHS:
        x, j = whole(-99, 100, n, n), torch.arange(n)
        for label, y in (
            ("any", x),
            ("below 0", -x.abs() - 1),
            ("far below 0", x - 2_000_000_000),
            ("the least of all", x * 0 + LEAST),
            ("large and near", 2_000_000_000 + x),
            ("the first alone", torch.where(j == 0, 1000, x)),
            ("the last alone", torch.where(j == n - 1, 1000, x)),
            ("rising", j - 500),
            ("falling", 500 - j),
        ):
            right = y.max().reshape(1)
            options = {"dtypes": WHOLE, "quick": n > 5000}
            yield Case(f"n = {n:,}, {label}", (y.int(),), (right,), **options)


def row_sums(launcher: Launcher) -> Iterator[Case]:
    """Add rows of whole numbers, so that all is exact: any, zeros, below 0, infinity, NaN."""
    for rows, cols in (*SIDES, *((n, 70 - n + 1) for n in range(2, 70, 3))):
        n = rows * cols
        x, c = whole(-99, 100, n, n).reshape(rows, cols).double(), torch.arange(cols)
        for label, y in (
            ("any", x),
            ("zeros", torch.zeros_like(x)),
            ("ones", x * 0 + 1),
            ("below 0", -x.abs() - 1),
            ("the last alone", torch.where(c == cols - 1, 5.0, 0.0).expand(rows, cols)),
            ("infinity", torch.where((c == cols // 2) & (x > 0), INF, x)),
            ("NaN", torch.where((c == cols // 2) & (x > 0), NAN, x)),
        ):
            for block_size in (128, 32, 64, 256):
                words = f"rows = {rows:,}, cols = {cols:,}, block_size = {block_size}, {label}"
                more = {"block_size": block_size}
                yield Case(words, (y.float(),), (y.sum(1),), more, dtypes=FLOAT)


def norms(launcher: Launcher) -> Iterator[Case]:
    """Norm whole numbers: any, plain, small, about a mean, all alike, a NaN; with gains."""
    for rows, cols in (*SIDES, *((3, n) for n in range(2, 71)), (2, 255), (2, 257), (129, 130)):
        n = rows * cols
        x, c = whole(-99, 100, n, n).reshape(rows, cols), torch.arange(cols)
        gain, bias = (whole(-9, 10, cols, cols + k).double() / 4 for k in range(2))
        for label, y, g, b, eps in (
            ("any", x, gain, bias, 1e-5),
            ("plain", x, gain * 0 + 1, bias * 0, 1e-5),
            ("small", x / 1024, gain, bias, 0.25),
            ("about 1,000", 1000 + x // 10, gain, bias, 0.5),
            ("below 0", -x.abs() - 1, gain, bias, 1.0),
            ("all alike", torch.full_like(x, 7), gain, bias, 1e-5),
            ("NaN", torch.where((x % 9 == 4) & (c == cols // 2), NAN, x), gain, bias, 1e-5),
        ):
            v, e = y.double(), torch.tensor(eps).double()
            d = v - v.mean(1, keepdim=True)
            f = 1 / ((d * d).mean(1, keepdim=True) + e).sqrt()
            right = d * f * g + b
            fine = 2.0**-17 * (d * f * g).abs() + 2.0**-20 * f * v.abs().amax(1, True) * g.abs()
            slack = (2.0**-21 * (right.abs() + b.abs()) + fine + 2.0**-24).nan_to_num(0.0)
            words = f"rows = {rows:,}, cols = {cols:,}, eps = {eps}, {label}"
            inputs = y.float(), g.float(), b.float()
            yield Case(words, inputs, (right,), {"eps": eps}, dtypes=FLOAT, within=(slack,))


def turns(launcher: Launcher) -> Iterator[Case]:
    """Transpose any ints, small ones and the least."""
    for height, width in (*SIDES, (1, 9001), (9001, 1), (3, 5003), (5003, 3), (97, 300)):
        n = height * width
        x = whole(LEAST, 2**31, n, n).reshape(height, width)
        for label, y in (("any", x), ("small", x % 100), ("the least", x * 0 + LEAST)):
            words = f"height = {height:,}, width = {width:,}, {label}"
            yield Case(words, (y.int(),), (y.T.contiguous(),), dtypes=WHOLE)


def lefts(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole numbers, so that all is exact: any, ones, the last of k alone, NaN."""
    sides = ((1, 1, 1), (1, 2, 3), (2, 1, 40), (3, 5, 7), (16, 16, 16), (17, 15, 33))
    sides += ((15, 17, 65), (5, 40, 1), (40, 5, 2), (33, 31, 20), (1, 70, 31), (70, 1, 32))
    sides += ((20, 65, 48), (65, 20, 5), (3, 2, 1000), (2, 3, 300), (32, 32, 32), (48, 16, 64))
    sides += ((1000, 3, 2), (3, 1000, 2), (64, 64, 16))
    for m, n, k in (*sides, *((7, 9, k) for k in range(2, 70))):
        a = whole(-30, 31, m * k, m + k).reshape(k, m).double()
        b = whole(-30, 31, k * n, n).reshape(k, n).double()
        h = torch.arange(k)[:, None]
        for label, s, t in (
            ("any", a, b),
            ("ones", a * 0 + 1, b * 0 + 1),
            ("zeros", torch.zeros_like(a), b),
            ("the last of k alone", torch.where(h == k - 1, 3.0, 0.0).double().expand(k, m), b),
            ("NaN in a", torch.where((h == k // 2) & (a > 9), NAN, a), b),
            ("NaN in b", a, torch.where((h == k // 2) & (b > 9), NAN, b)),
        ):
            right = s.T @ t + 0.0  # no -0.0, as sums begin with 0.0
            words = f"m = {m}, n = {n}, k = {k}, {label}"
            yield Case(words, (s.float(), t.float()), (right,), dtypes=FLOAT)


BASES = {
    "ninetysix_halves": Base(HALVES, {"reference": "add"}),
    "ninetysix_blend": Base(BLEND, {"cases": blends}),
    "ninetysix_bytes": Base(BYTES, {"reference": "cast"}),
    "ninetysix_narrow": Base(NARROW, {"reference": "cast"}),
    "ninetysix_elu": Base(
        ELU, {"reference": lambda x: torch.where(x > 0, x, torch.expm1(x)), "ulp": 2}
    ),
    "ninetysix_six": Base(SIX, {"reference": lambda x: x.clamp(0, 6)}),
    "ninetysix_cube": Base(CUBE, {"reference": lambda x: x * x * x, "ulp": 1}),
    "ninetysix_sum": Base(SUM, cases="sums"),
    "ninetysix_largest": Base(LARGEST, {"cases": maxima}),
    "ninetysix_rows": Base(ROWS, {"cases": row_sums}),
    "ninetysix_softmax": Base(SOFTMAX, cases="softmax"),
    "ninetysix_norm": Base(NORM, {"cases": norms}),
    "ninetysix_turn": Base(TURN, {"cases": turns}),
    "ninetysix_left": Base(LEFT, {"cases": lefts}),
}

WRONG = (
    # ---- halves
    # The second addend may lie anywhere.
    Wrong(
        "ninetysix_halves_b_anywhere",
        "ninetysix_halves",
        "alignment",
        ("const half* b,  // [n] 16-byte aligned", "const half* b,  // [n]"),
    ),
    # The second pack is not tested.
    Wrong(
        "ninetysix_halves_second_not_tested",
        "ninetysix_halves",
        "bounds / tail",
        ("if (second < packs) po", "if (first < packs) po"),
    ),
    # Blocks begin as if each thread had one pack.
    Wrong(
        "ninetysix_halves_blocks_overlap",
        "ninetysix_halves",
        "unwritten / left out / twice / other element / grid | tail / nan",
        ("int first = 2 * blockIdx.x", "int first = blockIdx.x"),
    ),
    # The rest is that of packs of four.
    Wrong(
        "ninetysix_halves_rest_of_fours",
        "ninetysix_halves",
        "tail / unwritten / left out | nan / numbers",
        ("int i = 8 * packs + first;", "int i = n / 4 * 4 + first;"),
    ),
    # The launch forgets the stream.
    Wrong(
        "ninetysix_halves_no_stream",
        "ninetysix_halves",
        "stream",
        ("add_eights<<<blocks, block_size, 0, stream>>>", "add_eights<<<blocks, block_size>>>"),
    ),
    # ---- blend
    # The address of y is not asked.
    Wrong(
        "ninetysix_blend_y_not_asked",
        "ninetysix_blend",
        "alignment",
        ("by16(x) && by16(y) && by16(out)", "by16(x) && by16(out)"),
    ),
    # The factors are in the other order.
    Wrong(
        "ninetysix_blend_factors_swapped",
        "ninetysix_blend",
        "swapped / function | numbers",
        ("(x, y, out, a, b, n, wide)", "(x, y, out, b, a, n, wide)"),
    ),
    # The last of four takes a neighbour, as the line was copied.
    Wrong(
        "ninetysix_blend_z_copied",
        "ninetysix_blend",
        "neighbour / other element | numbers / nan / left out / twice",
        ("w.w = a * u.w + b * v.w;", "w.w = a * u.w + b * v.z;"),
    ),
    # Where no packs are taken a thread does one number.
    Wrong(
        "ninetysix_blend_one_a_thread",
        "ninetysix_blend",
        "unwritten / left out / grid | tail / nan / alignment",
        (
            "    for (int i = done + t; i < n; i += threads)\n",
            "    int i = done + t;\n    if (i < n)\n",
        ),
    ),
    # The rest is stored in y, too, as in BLAS.
    Wrong(
        "ninetysix_blend_in_y_too",
        "ninetysix_blend",
        "input | state / numbers / tail",
        ("        out[i] = a * x[i]", "        out[i] = ((float *)y)[i] = a * x[i]"),
    ),
    # ---- bytes
    # Bytes have a sign.
    Wrong(
        "ninetysix_bytes_signed",
        "ninetysix_bytes",
        "whole range | numbers / function",
        (
            "const uchar4 b = *reinterpret_cast<const uchar4*>(in + from);",
            "const char4 b = *reinterpret_cast<const char4*>(in + from);",
        ),
    ),
    # Of what is left only one is taken.
    Wrong(
        "ninetysix_bytes_one_left",
        "ninetysix_bytes",
        "tail / unwritten / left out | nan / numbers",
        (
            "for (int i = from; i < n; ++i) result[i] = in[i];",
            "if (from < n) result[from] = in[from];",
        ),
    ),
    # The block size is a number.
    Wrong(
        "ninetysix_bytes_always_256",
        "ninetysix_bytes",
        "block size | unwritten / left out / twice / other element / tail / nan / grid",
        ("blockIdx.x * blockDim.x + threadIdx.x", "blockIdx.x * 256 + threadIdx.x"),
    ),
    # A pack is taken where it begins within.
    Wrong(
        "ninetysix_bytes_begins_within",
        "ninetysix_bytes",
        "bounds / tail",
        ("if (from + 4 <= n)", "if (from < n)"),
    ),
    # The highest byte comes first.
    Wrong(
        "ninetysix_bytes_highest_first",
        "ninetysix_bytes",
        "other element / swapped / neighbour | numbers",
        ("make_float4(b.x, b.y, b.z, b.w)", "make_float4(b.w, b.z, b.y, b.x)"),
    ),
    # ---- narrow
    # On the way it is a float.
    Wrong(
        "ninetysix_narrow_by_float",
        "ninetysix_narrow",
        "rounding | numbers / precision",
        ("__double2half(value)", "__float2half((float)value)"),
    ),
    # What does not fit is cut off.
    Wrong(
        "ninetysix_narrow_cut_off",
        "ninetysix_narrow",
        "rounding | numbers / precision / infinity / subnormal",
        ("__double2half(value)", "__float2half_rz(__double2float_rz(value))"),
    ),
    # Large numbers become the largest half.
    Wrong(
        "ninetysix_narrow_largest_half",
        "ninetysix_narrow",
        "infinity | numbers / whole range",
        (
            "  dst[idx] =",
            "  if (value > 65504.0) value = 65504.0;\n"
            "  if (value < -65504.0) value = -65504.0;\n"
            "  dst[idx] =",
        ),
    ),
    # One too many is converted.
    Wrong(
        "ninetysix_narrow_one_too_many",
        "ninetysix_narrow",
        "bounds / tail",
        ("if (idx >= count)", "if (idx > count)"),
    ),
    # The number of blocks is rounded down.
    Wrong(
        "ninetysix_narrow_rounded_down",
        "ninetysix_narrow",
        "grid / tail / unwritten / left out | refused / nan",
        ("(count + block_size - 1) / block_size", "count / block_size"),
    ),
    # ---- elu
    # 1 is taken from the exponential.
    Wrong(
        "ninetysix_elu_exp_less_1",
        "ninetysix_elu",
        "precision | numbers / function / sign of zero / subnormal",
        ("expm1f(v)", "expf(v) - 1.0f"),
    ),
    # Of NaN the larger and the smaller are 0.
    Wrong(
        "ninetysix_elu_max_plus_min",
        "ninetysix_elu",
        "nan | sign of zero",
        (
            "return v > 0.0f ? v : expm1f(v);",
            "return fmaxf(v, 0.0f) + fminf(expm1f(v), 0.0f);",
        ),
    ),
    # Both branches are made and one multiplied by 0.
    Wrong(
        "ninetysix_elu_times_0",
        "ninetysix_elu",
        "infinity / nan | numbers / sign of zero",
        (
            "return v > 0.0f ? v : expm1f(v);",
            "return (v > 0.0f) * v + (v <= 0.0f) * expm1f(v);",
        ),
    ),
    # Each thread does one, though the blocks are limited.
    Wrong(
        "ninetysix_elu_no_loop",
        "ninetysix_elu",
        "grid / unwritten / left out | tail / nan",
        (
            "    for (int i = blockIdx.x * kThreads + threadIdx.x; i < n; i += stride) {",
            "    int i = blockIdx.x * kThreads + threadIdx.x;\n    if (i < n && stride > 0) {",
        ),
    ),
    # The factor is that of SELU.
    Wrong(
        "ninetysix_elu_factor_of_selu",
        "ninetysix_elu",
        "function | numbers",
        ("v : expm1f(v)", "v : 1.6732632f * expm1f(v)"),
    ),
    # ---- six
    # Limits by functions that leave NaN out.
    Wrong(
        "ninetysix_six_nan_is_0",
        "ninetysix_six",
        "nan",
        (
            "    if (v < 0.0f) return 0.0f;\n    if (v > 6.0f) return 6.0f;\n    return v;",
            "    return fminf(fmaxf(v, 0.0f), 6.0f);",
        ),
    ),
    # The upper limit is missing.
    Wrong(
        "ninetysix_six_no_upper_limit",
        "ninetysix_six",
        "function / infinity | numbers / whole range",
        ("    if (v > 6.0f) return 6.0f;\n", ""),
    ),
    # The last of an odd number is not thought of.
    Wrong(
        "ninetysix_six_last_forgotten",
        "ninetysix_six",
        "tail / unwritten / left out | nan / numbers",
        ("} else if (2 * p < n) {", "} else if (2 * p + 1 < n) {"),
    ),
    # Both of a pair are the first.
    Wrong(
        "ninetysix_six_first_twice",
        "ninetysix_six",
        "neighbour / other element / twice / left out | numbers / nan",
        ("six(v.x), six(v.y)", "six(v.x), six(v.x)"),
    ),
    # The input may lie anywhere.
    Wrong(
        "ninetysix_six_x_anywhere",
        "ninetysix_six",
        "alignment",
        ("const __nv_bfloat16 *x,  // [n] 4-byte aligned", "const __nv_bfloat16 *x,  // [n]"),
    ),
    # ---- cube
    # The power is that of floats.
    Wrong(
        "ninetysix_cube_powf",
        "ninetysix_cube",
        "precision | infinity / numbers / subnormal / rounding",
        ("return v * v * v;", "return powf(v, 3.0f);"),
    ),
    # Cubes have no sign.
    Wrong(
        "ninetysix_cube_no_sign",
        "ninetysix_cube",
        "function | numbers / sign of zero / infinity",
        ("return v * v * v;", "return v * v * fabs(v);"),
    ),
    # The second of a thread is left out.
    Wrong(
        "ninetysix_cube_one_of_two",
        "ninetysix_cube",
        "unwritten / left out / grid | tail / nan",
        ("k < 2; k++", "k < 1; k++"),
    ),
    # The index has 16 bits.
    Wrong(
        "ninetysix_cube_short_index",
        "ninetysix_cube",
        "narrow / unwritten | left out / tail / nan / whole range / grid / twice",
        ("  int i = blockIdx.x", "  unsigned short i = blockIdx.x"),
    ),
    # The step is that of the usual block.
    Wrong(
        "ninetysix_cube_always_128_on",
        "ninetysix_cube",
        "block size | unwritten / left out / twice / other element / tail / nan",
        ("    i += blockDim.x;", "    i += 128;"),
    ),
    # ---- sum
    # Steps of the tree do not wait.
    Wrong(
        "ninetysix_sum_no_barrier_in_tree",
        "ninetysix_sum",
        "race | numbers / left out / other element",
        (
            "            cache[tid] += cache[tid + s];\n        __syncthreads();\n    }\n",
            "            cache[tid] += cache[tid + s];\n    }\n    __syncthreads();\n",
        ),
    ),
    # The last part is left out.
    Wrong(
        "ninetysix_sum_last_part_left_out",
        "ninetysix_sum",
        "left out / tail | numbers / nan / infinity / unwritten / start",
        ("(total, blocks);", "(total, blocks - 1);"),
    ),
    # The second launch forgets the stream.
    Wrong(
        "ninetysix_sum_parts_no_stream",
        "ninetysix_sum",
        "stream",
        ("sumParts<<<1, THREADS, 0, stream>>>", "sumParts<<<1, THREADS>>>"),
    ),
    # The tree begins a step too late.
    Wrong(
        "ninetysix_sum_tree_of_quarter",
        "ninetysix_sum",
        "left out | numbers / nan / infinity / tail / other element",
        ("int s = THREADS / 2;", "int s = THREADS / 4;"),
    ),
    # All blocks go on by one block.
    Wrong(
        "ninetysix_sum_step_of_a_block",
        "ninetysix_sum",
        "twice | numbers / grid / other element",
        ("(int64_t)gridDim.x * THREADS;", "THREADS;"),
    ),
    # ---- largest
    # The largest begins with 0.
    Wrong(
        "ninetysix_largest_starts_at_0",
        "ninetysix_largest",
        "start | numbers",
        ("*best = LOWEST;", "*best = 0;"),
    ),
    # Nothing sets the result before the atomics.
    Wrong(
        "ninetysix_largest_not_set",
        "ninetysix_largest",
        "zero before / start / state | unwritten / numbers",
        ("  set_lowest<<<1, 1, 0, stream>>>(best);\n", ""),
    ),
    # Warps look and store without an atomic.
    Wrong(
        "ninetysix_largest_no_atomic",
        "ninetysix_largest",
        "race | left out / numbers",
        ("% 32 == 0) atomicMax(best, v);", "% 32 == 0) *best = max(*best, v);"),
    ),
    # Only the first warp of a block tells its largest.
    Wrong(
        "ninetysix_largest_first_warp",
        "ninetysix_largest",
        "left out | numbers / tail",
        ("if (threadIdx.x % 32 == 0)", "if (threadIdx.x == 0)"),
    ),
    # Ints are compared as floats.
    Wrong(
        "ninetysix_largest_as_floats",
        "ninetysix_largest",
        "precision / whole range | numbers",
        ("v = max(v, __shfl", "v = (int)fmaxf(v, __shfl"),
    ),
    # ---- rows
    # The last step of the shuffles is missing.
    Wrong(
        "ninetysix_rows_stops_at_two",
        "ninetysix_rows",
        "left out | numbers / nan / infinity / other element",
        ("off >= 1;", "off > 1;"),
    ),
    # A lane takes one column.
    Wrong(
        "ninetysix_rows_one_column_a_lane",
        "ninetysix_rows",
        "left out | tail / numbers / nan / infinity",
        (
            "    for (int c = lane; c < cols; c += 32)\n",
            "    int c = lane;\n    if (c < cols)\n",
        ),
    ),
    # The pitch is the number of rows.
    Wrong(
        "ninetysix_rows_pitch_of_rows",
        "ninetysix_rows",
        "sides / other element / bounds / swapped | numbers / left out / twice",
        ("(size_t)warp * cols", "(size_t)warp * rows"),
    ),
    # One row too many is allowed.
    Wrong(
        "ninetysix_rows_one_too_many",
        "ninetysix_rows",
        "bounds / tail",
        ("if (warp >= rows)", "if (warp > rows)"),
    ),
    # A block is thought to have four warps.
    Wrong(
        "ninetysix_rows_four_a_block",
        "ninetysix_rows",
        "block size / grid / unwritten / left out | tail / nan",
        ("int per_block = block_size / 32;", "int per_block = 4;"),
    ),
    # ---- softmax
    # The maximum is not taken away.
    Wrong(
        "ninetysix_softmax_no_maximum",
        "ninetysix_softmax",
        "infinity / nan | numbers / precision / subnormal / function",
        ("  top = warpMax(top);\n", "  top = 0.0f;\n"),
    ),
    # Each lane takes its own maximum away.
    Wrong(
        "ninetysix_softmax_maximum_of_lane",
        "ninetysix_softmax",
        "left out / function / other element | numbers / nan / infinity",
        ("  top = warpMax(top);\n", ""),
    ),
    # Exponentials are kept in x.
    Wrong(
        "ninetysix_softmax_kept_in_x",
        "ninetysix_softmax",
        "input | state / numbers",
        ("total += expf(in[c] - top);", "total += ((float*)in)[c] = expf(in[c] - top);"),
        ("out[c] = expf(in[c] - top) / total;", "out[c] = in[c] / total;"),
    ),
    # The sum begins with 1 in each lane.
    Wrong(
        "ninetysix_softmax_sum_from_1",
        "ninetysix_softmax",
        "start / function | numbers",
        ("float total = 0.0f;", "float total = 1.0f;"),
    ),
    # Powers are those of 2.
    Wrong(
        "ninetysix_softmax_powers_of_2",
        "ninetysix_softmax",
        "function | numbers",
        ("total += expf(", "total += exp2f("),
        ("out[c] = expf(", "out[c] = exp2f("),
    ),
    # ---- norm
    # The variance is that of a sample.
    Wrong(
        "ninetysix_norm_of_a_sample",
        "ninetysix_norm",
        "function | numbers / nan / infinity",
        ("total_of(squares, shared) / cols", "total_of(squares, shared) / (cols - 1)"),
    ),
    # eps is left out.
    Wrong(
        "ninetysix_norm_no_eps",
        "ninetysix_norm",
        "function / nan / infinity / left out | numbers / precision",
        ("rsqrtf(variance + eps)", "rsqrtf(variance)"),
    ),
    # The second sum is stored while others read the first.
    Wrong(
        "ninetysix_norm_no_last_barrier",
        "ninetysix_norm",
        "race | numbers / other element / nan",
        ("    __syncthreads();  // the next sum goes to the same place\n", ""),
    ),
    # The gain is that of the thread.
    Wrong(
        "ninetysix_norm_gain_of_thread",
        "ninetysix_norm",
        "other element / bounds | numbers / left out / nan",
        ("scale * gamma[c]", "scale * gamma[threadIdx.x]"),
    ),
    # Gains and biases are in the other order.
    Wrong(
        "ninetysix_norm_gain_for_bias",
        "ninetysix_norm",
        "swapped / function | numbers",
        ("stream>>>(x, gamma, beta,", "stream>>>(x, beta, gamma,"),
    ),
    # ---- turn
    # The tile is read as it was stored.
    Wrong(
        "ninetysix_turn_tile_not_turned",
        "ninetysix_turn",
        "swapped / other element | numbers / sides / unwritten",
        ("= tile[threadIdx.x][threadIdx.y + j];", "= tile[threadIdx.y + j][threadIdx.x];"),
    ),
    # The result has the pitch of the source.
    Wrong(
        "ninetysix_turn_pitch_of_source",
        "ninetysix_turn",
        "sides / other element / bounds / swapped | numbers / unwritten / twice / left out",
        ("dst[(v + j) * height + u]", "dst[(v + j) * width + u]"),
    ),
    # The tile is read before all have stored.
    Wrong(
        "ninetysix_turn_no_barrier",
        "ninetysix_turn",
        "race | numbers / unwritten / other element",
        ("  __syncthreads();\n", ""),
    ),
    # The test on the way out is that of the way in.
    Wrong(
        "ninetysix_turn_test_of_way_in",
        "ninetysix_turn",
        "sides / bounds / swapped / unwritten / left out | tail / other element / numbers",
        ("if (u < height && v + j < width)", "if (x < width && y + j < height)"),
    ),
    # Every other step is left out on the way out.
    Wrong(
        "ninetysix_turn_steps_of_16",
        "ninetysix_turn",
        "unwritten / left out | nan / tail / numbers",
        (
            "j += STEP)\n    if (u < height",
            "j += 2 * STEP)\n    if (u < height",
        ),
    ),
    # ---- left
    # The left side has the pitch of a matrix that is not transposed.
    Wrong(
        "ninetysix_left_pitch_of_k",
        "ninetysix_left",
        "sides / other element / bounds / swapped | numbers / nan",
        ("a[kk * m + i0 + tx]", "a[kk * k + i0 + tx]"),
    ),
    # The last tile of k is left out unless it is whole.
    Wrong(
        "ninetysix_left_whole_tiles",
        "ninetysix_left",
        "tail / left out | numbers / nan",
        ("k0 < k; k0 += S", "k0 + S <= k; k0 += S"),
    ),
    # Beyond the ends the tiles keep what they had.
    Wrong(
        "ninetysix_left_no_filler",
        "ninetysix_left",
        "tail / unwritten / other element / twice | numbers / nan / state / race",
        (
            "        bs[ty][tx] = kk < k && col < n ? b[kk * n + col] : 0.0f;\n",
            "        if (kk < k && col < n) bs[ty][tx] = b[kk * n + col];\n",
        ),
        ("as[ty][tx] = kk < k && i0 + tx < m ?", "if (kk < k && i0 + tx < m) as[ty][tx] ="),
        ("a[kk * m + i0 + tx] : 0.0f;", "a[kk * m + i0 + tx];"),
    ),
    # The product is added to what was there.
    Wrong(
        "ninetysix_left_added",
        "ninetysix_left",
        "zero before / state | unwritten / numbers / nan",
        ("* n + col] = dot;", "* n + col] += dot;"),
    ),
    # Rows are counted in x of the grid.
    Wrong(
        "ninetysix_left_grid_swapped",
        "ninetysix_left",
        "grid / sides / swapped / unwritten / left out | numbers / tail / nan",
        (
            "dim3 blocks((n + S - 1) / S, (m + S - 1) / S);",
            "dim3 blocks((m + S - 1) / S, (n + S - 1) / S);",
        ),
    ),
)

RIGHT = (
    # Some blocks have nothing to do.
    Right(
        "ninetysix_halves_idle_blocks",
        "ninetysix_halves",
        ("n / (16 * block_size) + 1", "n / (16 * block_size) + 4"),
    ),
    # Packs are only taken of many.
    Right(
        "ninetysix_blend_packs_of_many",
        "ninetysix_blend",
        ("bool wide = by16(x)", "bool wide = n >= 100 && by16(x)"),
    ),
    # The length comes first.
    Right(
        "ninetysix_bytes_length_first",
        "ninetysix_bytes",
        ("launch(const uint8_t* in, ", "launch(int n, const uint8_t* in, "),
        (
            "                       int n, int block_size",
            "                       int block_size",
        ),
    ),
    # Blocks are rounded up otherwise.
    Right(
        "ninetysix_narrow_one_block_more",
        "ninetysix_narrow",
        ("(count + block_size - 1) / block_size", "count / block_size + 1"),
    ),
    # Indices have no sign.
    Right(
        "ninetysix_elu_unsigned",
        "ninetysix_elu",
        ("int stride = gridDim.x", "uint32_t stride = gridDim.x"),
        ("for (int i = blockIdx.x", "for (uint32_t i = blockIdx.x"),
        ("float* __restrict__ y, int n)", "float* __restrict__ y, uint32_t n)"),
    ),
    # Limits by functions, after a look for NaN.
    Right(
        "ninetysix_six_nan_first",
        "ninetysix_six",
        (
            "    if (v < 0.0f) return 0.0f;\n    if (v > 6.0f) return 6.0f;\n    return v;",
            "    return isnan(v) ? v : fminf(fmaxf(v, 0.0f), 6.0f);",
        ),
    ),
    # Lengths and indices have 64 bits.
    Right(
        "ninetysix_cube_64_bits",
        "ninetysix_cube",
        ("double* out, int n) {", "double* out, int64_t n) {"),
        ("  int i = blockIdx.x * (2", "  int64_t i = (int64_t)blockIdx.x * (2"),
        (
            "                       int n, int block_size",
            "                       int64_t n, int block_size",
        ),
        ("  int per_block = 2", "  int64_t per_block = 2"),
        (
            "<<<(n + per_block - 1) / per_block,",
            "<<<(unsigned)((n + per_block - 1) / per_block),",
        ),
    ),
    # One thread adds the parts.
    Right(
        "ninetysix_sum_one_thread",
        "ninetysix_sum",
        (
            "    float all = addUp(threadIdx.x < count ? parts[threadIdx.x] : 0.0f);\n"
            "    if (threadIdx.x == 0)\n        total[0] = all;",
            "    double all = 0.0;\n"
            "    for (int k = 0; k < count; k++)\n"
            "        all += parts[k];\n"
            "    total[0] = (float)all;",
        ),
        ("sumParts<<<1, THREADS, 0", "sumParts<<<1, 1, 0"),
    ),
    # The result begins with the first number, which the launcher copies.
    Right(
        "ninetysix_largest_first_copied",
        "ninetysix_largest",
        (
            "  set_lowest<<<1, 1, 0, stream>>>(best);",
            "  cudaMemcpyAsync(best, x, sizeof(int), cudaMemcpyDeviceToDevice, stream);",
        ),
    ),
    # All lanes get the sum, which is a double.
    Right(
        "ninetysix_rows_doubles",
        "ninetysix_rows",
        ("float acc = 0.0f;", "double acc = 0.0;"),
        ("__shfl_down_sync", "__shfl_xor_sync"),
        ("sums[warp] = acc;", "sums[warp] = (float)acc;"),
    ),
    # Two rows a block, and blocks too many.
    Right(
        "ninetysix_softmax_two_rows",
        "ninetysix_softmax",
        ("dim3 block(32, 8);", "dim3 block(32, 2);"),
        ("(rows + 7) / 8", "rows / 2 + 1"),
    ),
    # Blocks have other sizes.
    Right(
        "ninetysix_norm_64_threads",
        "ninetysix_norm",
        ("constexpr int T = 128;", "constexpr int T = 64;"),
    ),
    # Sixteen rows of threads.
    Right(
        "ninetysix_turn_16_rows",
        "ninetysix_turn",
        ("#define STEP 8", "#define STEP 16"),
    ),
    # A memset, and the product is added.
    Right(
        "ninetysix_left_memset",
        "ninetysix_left",
        ("* n + col] = dot;", "* n + col] += dot;"),
        (
            "    dim3 threads(S, S);\n",
            "    dim3 threads(S, S);\n"
            "    cudaMemsetAsync(c, 0, sizeof(float) * m * n, stream);\n",
        ),
    ),
)
