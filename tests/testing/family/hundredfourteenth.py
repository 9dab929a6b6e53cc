"""Hold a hundred-and-fourteenth family: the plain operators of a course, and plain mistakes.

Its bases are the sum of two arrays in float4, floats to halves in pairs, halves times a scale
to 32-bit integers that stop at both ends, the tanh GELU of floats, leaky ReLU of bfloat16 eight
a thread, a number taken from integers of 64 bits, the root of the absolute value of halves, the
sum of all halves by shuffles and atomics, the sum of each row of floats by a tree, the largest
of each row of bfloat16 by a warp, softmax by a warp a row, layer norm with gain and shift by a
block a row, a transpose of halves in tiles with a column to spare, and a product of floats in
tiles of 16. They have 12 to 45 lines, as people write them in their first half year. Add,
narrow, leaky and root have the cases of an elementwise operator, soft and product those of
`kernel_cases`, all others cases of this part. The mistakes are spread over alignment, sizes,
grids, values, rounding, NaN, infinity, inputs that are written, sums, starts, pitches, tiles,
barriers, atomics and streams. The causes were written before a member was judged. There are 70
wrong members and 14 right ones. On the emulator each was run beside its expected numbers,
compared as a case does: called twice on the same tensors, with NaN and with 1e3 in floating
outputs (-1 and 77 in others), at either end of pages, on a stream that is not the default one,
with threads in order, from the last to the first and in a random order; bases and right ones in
all cases, wrong ones until they were wrong often enough. That which lacks an atomic was not
wrong there, as no two warps added at once. nvcc 13.0 compiles each base for 8.0; none was run
on a GPU. Bases and right ones are right, the others wrong or refused by a fault:

    hundredfourteen_add_round_to_4             from 4 numbers on, by the addresses
    hundredfourteen_add_rest_in_one_block      of more numbers than a block has, by addresses
    hundredfourteen_add_z_for_w                from 4 numbers on, where packs are taken
    hundredfourteen_add_rest_less_one          unless 4 divides n and packs are taken
    hundredfourteen_add_quads_no_stream        from 4 numbers on, on another stream
    hundredfourteen_narrow_toward_0            of what is no half, in pairs
    hundredfourteen_narrow_in_anywhere         from 2 numbers on, by the address of in alone
    hundredfourteen_narrow_pairs_rounded_down  of odd n whose last pair would begin a block
    hundredfourteen_narrow_no_infinity         from 65,520 on, and of infinity, in pairs
    hundredfourteen_narrow_always_256          of smaller block sizes, from a second block on
    hundredfourteen_fixed_nan_is_least         of NaN
    hundredfourteen_fixed_away_from_0          of every other tie
    hundredfourteen_fixed_wraps                beyond 32 bits, and of infinities
    hundredfourteen_fixed_product_of_halves    of products that are no halves
    hundredfourteen_fixed_64_blocks            from 65 blocks on: 4,097 numbers at 64
    hundredfourteen_gelu_root_of_pi            of nearly all
    hundredfourteen_gelu_by_exponentials       from about 18 on, where the exponential overflows
    hundredfourteen_gelu_steps_of_256          of smaller block sizes, from 41 blocks on
    hundredfourteen_gelu_up_to_n               where a thread is left beyond the end
    hundredfourteen_gelu_tanh_of_half          of nearly all
    hundredfourteen_leaky_nan_becomes_0        of NaN
    hundredfourteen_leaky_toward_0             where the product must be rounded away from 0
    hundredfourteen_leaky_four_are_eight       if 4 to 7 numbers are left, where packs are taken
    hundredfourteen_leaky_anywhere             from 8 numbers on, by the addresses
    hundredfourteen_leaky_three_pairs          from 8 numbers on, where packs are taken, below 0
    hundredfourteen_less_swapped               of nearly all
    hundredfourteen_less_in_double             of numbers of more than 53 bits
    hundredfourteen_less_short_s               of a number of more than 32 bits
    hundredfourteen_less_no_last_block         from a second block on, unless it is a whole one
    hundredfourteen_less_in_place              unless the number is 0: x is overwritten
    hundredfourteen_root_of_negative           below 0
    hundredfourteen_root_by_rsqrt              of 0 and of infinity, of others by a unit
    hundredfourteen_root_one_test              unless twice the block size divides n
    hundredfourteen_root_with_eps              of 0 and of small numbers
    hundredfourteen_root_next_one              from a third number on
    hundredfourteen_total_not_set              unless the output was 0
    hundredfourteen_total_from_8               of nearly all, from 17 numbers on
    hundredfourteen_total_in_half              of sums beyond 2,048 that are no halves
    hundredfourteen_total_first_warp           from 33 numbers on
    hundredfourteen_total_no_atomic            where two warps add at the same time
    hundredfourteen_rows_quarter               from 65 columns on
    hundredfourteen_rows_no_barrier            where warps do not wait for another
    hundredfourteen_rows_pitch_of_rows         from 2 rows on, unless it is square
    hundredfourteen_rows_whole_pieces          unless 128 divides the columns
    hundredfourteen_rows_parts_not_set         of all, as the sums begin with what was there
    hundredfourteen_peaks_from_0               of rows that are all below 0
    hundredfourteen_peaks_nan_lost             of NaN
    hundredfourteen_peaks_no_last_shuffle      where the largest is in an odd column
    hundredfourteen_peaks_row_too_many         unless 4 divides the rows
    hundredfourteen_peaks_least_half           of rows that are all below -65,504
    hundredfourteen_soft_no_largest            where exponentials overflow or are all 0
    hundredfourteen_soft_own_largest           from 2 columns on
    hundredfourteen_soft_kept_in_x             of nearly all: x is overwritten
    hundredfourteen_soft_from_flt_min          of rows that are far below 0
    hundredfourteen_soft_row_of_block          from 2 rows on
    hundredfourteen_norm_eps_outside           of nearly all
    hundredfourteen_norm_of_sample             of nearly all
    hundredfourteen_norm_gain_of_row           of nearly all
    hundredfourteen_norm_gain_for_shift        of nearly all
    hundredfourteen_norm_three_warps           from 97 columns on
    hundredfourteen_turn_tile_not_turned       of nearly all
    hundredfourteen_turn_grid_swapped          unless the tiles are as many each way
    hundredfourteen_turn_pitch_of_in           unless it is square
    hundredfourteen_turn_no_barrier            where threads do not wait for another
    hundredfourteen_turn_blocks_stay           beyond one tile
    hundredfourteen_product_whole_tiles        unless 16 divides k
    hundredfourteen_product_no_second_barrier  from k = 17 on, where threads do not wait
    hundredfourteen_product_pitch_of_a         unless n and k are alike
    hundredfourteen_product_not_filled_up      unless 16 divides all sides
    hundredfourteen_product_added              unless the output was 0
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import whole

# Two arrays are added, float4 where all three addresses allow it, single numbers elsewhere.
ADD = (
    HEADER
    + """\
__global__ void add_quads(const float4* a, const float4* b, float4* c, int quads) {
  int q = blockIdx.x * blockDim.x + threadIdx.x;
  if (q < quads) {
    float4 u = a[q];
    float4 v = b[q];
    u.x += v.x;
    u.y += v.y;
    u.z += v.z;
    u.w += v.w;
    c[q] = u;
  }
}

__global__ void add_rest(const float* a, const float* b, float* c, int from, int n) {
  int i = from + blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

extern "C" void launch(const float* a,  // [n]
                       const float* b,  // [n]
                       float* c,        // [n]
                       int n, int block_size = 128, cudaStream_t stream = 0) {
  bool fits = ((uintptr_t)a | (uintptr_t)b | (uintptr_t)c) % 16 == 0;
  int quads = fits ? n / 4 : 0;
  if (quads > 0) {
    int blocks = (quads + block_size - 1) / block_size;
    add_quads<<<blocks, block_size, 0, stream>>>((const float4*)a, (const float4*)b,
                                                 (float4*)c, quads);
  }
  int rest = n - 4 * quads;
  if (rest > 0) {
    int blocks = (rest + block_size - 1) / block_size;
    add_rest<<<blocks, block_size, 0, stream>>>(a, b, c, 4 * quads, n);
  }
}
"""
)

# Floats become halves, a pair a thread.
NARROW = (
    HEADER
    + """\
__global__ void narrow(const float *in, half *out, int n, bool paired)
{
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n)
        return;
    if (paired && i + 1 < n) {
        float2 v = *(const float2 *)(in + i);
        *(half2 *)(out + i) = __floats2half2_rn(v.x, v.y);
        return;
    }
    out[i] = __float2half(in[i]);
    if (i + 1 < n)
        out[i + 1] = __float2half(in[i + 1]);
}

extern "C" void launch(const float *in,  // [n]
                       half *out,        // [n]
                       int n, int block_size = 256, cudaStream_t stream = 0)
{
    bool paired = (uintptr_t)in % 8 == 0 && (uintptr_t)out % 4 == 0;
    int pairs = (n + 1) / 2;
    int blocks = (pairs + block_size - 1) / block_size;
    if (blocks > 0)
        narrow<<<blocks, block_size, 0, stream>>>(in, out, n, paired);
}
"""
)

# Halves times a scale become 32-bit integers, the nearest ones; what is too large stops.
FIXED = (
    HEADER
    + """\
constexpr float kTwo31 = 2147483648.0f;

__device__ int to_int(float v) {
    if (isnan(v)) return 0;
    if (v >= kTwo31) return 2147483647;
    if (v <= -kTwo31) return -2147483647 - 1;
    return (int)rintf(v);
}

__global__ void fixed_kernel(const half* x, int* y, float scale, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        const float v = __half2float(x[i]) * scale;
        y[i] = to_int(v);
    }
}

extern "C" void launch(const half* x,  // [n]
                       int* y,         // [n]
                       float scale, int n, int block_size = 256, cudaStream_t stream = 0) {
    int blocks = (n + block_size - 1) / block_size;
    fixed_kernel<<<blocks, block_size, 0, stream>>>(x, y, scale, n);
}
"""
)

# GELU by its tanh, in a loop over the grid.
GELU = (
    HEADER
    + """\
#define ROOT_2_OVER_PI 0.7978845608f
#define CUBIC 0.044715f

__global__ void gelu_tanh(const float *x, float *y, int n)
{
  int step = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
  {
    float v = x[i];
    float u = ROOT_2_OVER_PI * (v + CUBIC * v * v * v);
    float t = tanhf(u);
    y[i] = 0.5f * v * (1.0f + t);
  }
}

extern "C" void launch(const float *x, // [n]
                       float *y,       // [n]
                       int n, int block_size = 128, cudaStream_t stream = 0)
{
  int blocks = (n + block_size - 1) / block_size;
  if (blocks > 40) blocks = 40;
  gelu_tanh<<<blocks, block_size, 0, stream>>>(x, y, n);
}
"""
)

# Leaky ReLU of bfloat16, eight a thread.
LEAKY = (
    HEADER
    + """\
const float SLOPE = 0.1875f;
struct alignas(16) Eight { __nv_bfloat162 two[4]; };

__device__ __nv_bfloat16 leak(__nv_bfloat16 x) {
  float v = __bfloat162float(x);
  return __float2bfloat16(v >= 0.0f ? v : SLOPE * v);
}

__global__ void leaky(const __nv_bfloat16* x, __nv_bfloat16* y, int n, bool wide) {
  int i = 8 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (wide && i + 8 <= n) {
    Eight e = *(const Eight*)(x + i);
    for (int k = 0; k < 4; k++) {
      e.two[k].x = leak(e.two[k].x);
      e.two[k].y = leak(e.two[k].y);
    }
    *(Eight*)(y + i) = e;
  } else {
    for (int j = i; j < n && j < i + 8; j++) y[j] = leak(x[j]);
  }
}

extern "C" void launch(const __nv_bfloat16* x,  // [n]
                       __nv_bfloat16* y,        // [n]
                       int n, int block_size = 64, cudaStream_t stream = 0) {
  bool wide = (uintptr_t)x % 16 == 0 && (uintptr_t)y % 16 == 0;
  int each = 8 * block_size;
  if (n > 0) leaky<<<(n + each - 1) / each, block_size, 0, stream>>>(x, y, n, wide);
}
"""
)

# One number is taken from all, of 64 bits.
LESS = (
    HEADER
    + """\
__global__ void less(const int64_t *x, int64_t *y, int64_t s, int n)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n)
        y[i] = x[i] - s;
}

extern "C" void launch(const int64_t *x,  // [n]
                       int64_t *y,        // [n]
                       int64_t s, int n, int block_size = 192, cudaStream_t stream = 0)
{
    int blocks = n / block_size;
    if (n % block_size != 0)
        blocks++;
    less<<<blocks, block_size, 0, stream>>>(x, y, s, n);
}
"""
)

# The root of the absolute value of halves, two a thread, a block apart.
ROOT = (
    HEADER
    + """\
__device__ half root(half x) {
    float v = fabsf(__half2float(x));
    return __float2half(sqrtf(v));
}

__global__ void abs_root(const half* __restrict__ x, half* __restrict__ y, int n) {
    int i = 2 * blockIdx.x * blockDim.x + threadIdx.x;
    int j = i + blockDim.x;
    if (i < n) y[i] = root(x[i]);
    if (j < n) y[j] = root(x[j]);
}

extern "C" void launch(const half* x,  // [n]
                       half* y,        // [n]
                       int n, int block_size = 128, cudaStream_t stream = 0) {
    if (n == 0) return;
    int blocks = (n - 1) / (2 * block_size) + 1;
    abs_root<<<blocks, block_size, 0, stream>>>(x, y, n);
}
"""
)

# All halves are added up as floats: a loop, shuffles, and an atomic for each warp.
TOTAL = (
    HEADER
    + """\
__global__ void total(const half *x, float *out, int n)
{
    float mine = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        mine += __half2float(x[i]);
    for (int d = 16; d > 0; d /= 2)
        mine += __shfl_down_sync(0xffffffff, mine, d);
    if (threadIdx.x % 32 == 0)
        atomicAdd(out, mine);
}

extern "C" void launch(const half *x,  // [n]
                       float *out,     // [1]
                       int n, cudaStream_t stream = 0)
{
    int blocks = (n + 127) / 128;
    if (blocks > 16)
        blocks = 16;
    cudaMemsetAsync(out, 0, sizeof(float), stream);
    total<<<blocks, 128, 0, stream>>>(x, out, n);
}
"""
)

# Each row of floats is added up by a block, in a tree.
ROWS = (
    HEADER
    + """\
#define THREADS 128

__global__ void row_sums(const float* x, float* sums, int rows, int cols) {
  __shared__ float part[THREADS];
  int t = threadIdx.x;
  int row = blockIdx.x;
  const float* from = x + (size_t)row * cols;
  part[t] = 0.0f;
  for (int c = t; c < cols; c += THREADS) part[t] += from[c];
  __syncthreads();
  for (int half_way = THREADS / 2; half_way > 0; half_way /= 2) {
    if (t < half_way) part[t] += part[t + half_way];
    __syncthreads();
  }
  if (t == 0) sums[row] = part[0];
}

extern "C" void launch(const float* x,  // [rows, cols]
                       float* sums,     // [rows]
                       int rows, int cols, cudaStream_t stream = 0) {
  row_sums<<<rows, THREADS, 0, stream>>>(x, sums, rows, cols);
}
"""
)

# The largest of each row of bfloat16, a warp a row; a NaN is the largest of all.
PEAKS = (
    HEADER
    + """\
__device__ float larger(float a, float b)
{
    if (isnan(a) || isnan(b))
        return NAN;
    return a > b ? a : b;
}

__global__ void peaks(const __nv_bfloat16 *x, __nv_bfloat16 *y, int rows, int cols)
{
    int lane = threadIdx.x % 32;
    int row = blockIdx.x * 4 + threadIdx.x / 32;
    if (row >= rows)
        return;
    const __nv_bfloat16 *p = x + (size_t)row * cols;
    float best = -INFINITY;
    for (int c = lane; c < cols; c += 32)
        best = larger(best, __bfloat162float(p[c]));
    for (int d = 16; d > 0; d >>= 1)
        best = larger(best, __shfl_xor_sync(0xffffffff, best, d));
    if (lane == 0)
        y[row] = __float2bfloat16(best);
}

extern "C" void launch(const __nv_bfloat16 *x,  // [rows, cols]
                       __nv_bfloat16 *y,        // [rows]
                       int rows, int cols, cudaStream_t stream = 0)
{
    peaks<<<(rows + 3) / 4, 128, 0, stream>>>(x, y, rows, cols);
}
"""
)

# Softmax of floats, a warp a row.
SOFT = (
    HEADER
    + """\
#define FULL 0xffffffffu
constexpr int kWarps = 4;

__device__ float warp_max(float v) {
    for (int d = 16; d >= 1; d /= 2) v = fmaxf(v, __shfl_xor_sync(FULL, v, d));
    return v;
}

__device__ float warp_sum(float v) {
    for (int d = 16; d >= 1; d /= 2) v += __shfl_xor_sync(FULL, v, d);
    return v;
}

__global__ void soft(const float* x, float* y, int rows, int cols) {
    const int row = blockIdx.x * kWarps + threadIdx.x / 32;
    const int lane = threadIdx.x % 32;
    if (row >= rows) return;
    const float* in = x + (size_t)row * cols;
    float* out = y + (size_t)row * cols;
    float top = -INFINITY;
    for (int c = lane; c < cols; c += 32) top = fmaxf(top, in[c]);
    top = warp_max(top);
    float sum = 0.0f;
    for (int c = lane; c < cols; c += 32) sum += expf(in[c] - top);
    sum = warp_sum(sum);
    for (int c = lane; c < cols; c += 32) out[c] = expf(in[c] - top) / sum;
}

extern "C" void launch(const float* x,  // [rows, cols]
                       float* y,        // [rows, cols]
                       int rows, int cols, cudaStream_t stream = 0) {
    const int blocks = (rows + kWarps - 1) / kWarps;
    if (blocks > 0) soft<<<blocks, 32 * kWarps, 0, stream>>>(x, y, rows, cols);
}
"""
)

# Layer norm of floats with a gain and a shift, a block a row.
NORM = (
    HEADER
    + """\
#define BLOCK 128
#define WARPS (BLOCK / 32)

__device__ float add_up(float v, float *s)
{
  for (int d = 16; d > 0; d /= 2)
    v += __shfl_down_sync(0xffffffff, v, d);
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
  __syncthreads();
  float all = 0.0f;
  for (int w = 0; w < WARPS; w++) all += s[w];
  __syncthreads();
  return all;
}

__global__ void norm(const float *x, const float *gain, const float *shift, float *y,
                     float eps, int cols)
{
  __shared__ float s[WARPS];
  int row = blockIdx.x;
  x += (size_t)row * cols;
  y += (size_t)row * cols;
  float sum = 0.0f;
  for (int c = threadIdx.x; c < cols; c += BLOCK) sum += x[c];
  float mean = add_up(sum, s) / cols;
  float squares = 0.0f;
  for (int c = threadIdx.x; c < cols; c += BLOCK) squares += (x[c] - mean) * (x[c] - mean);
  float var = add_up(squares, s) / cols;
  float inv = rsqrtf(var + eps);
  for (int c = threadIdx.x; c < cols; c += BLOCK)
    y[c] = (x[c] - mean) * inv * gain[c] + shift[c];
}

extern "C" void launch(const float *x,     // [rows, cols]
                       const float *gain,  // [cols]
                       const float *shift, // [cols]
                       float *y,           // [rows, cols]
                       int rows, int cols, float eps = 1e-5f, cudaStream_t stream = 0)
{
  norm<<<rows, BLOCK, 0, stream>>>(x, gain, shift, y, eps, cols);
}
"""
)

# A matrix of halves is transposed in tiles of 32 with a column to spare.
TURN = (
    HEADER
    + """\
#define TILE 32
#define STEP 8

__global__ void turn(const half* in, half* out, int rows, int cols) {
  __shared__ half tile[TILE][TILE + 1];
  int c = blockIdx.x * TILE + threadIdx.x;
  int r = blockIdx.y * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += STEP) {
    if (c < cols && r + j < rows) {
      tile[threadIdx.y + j][threadIdx.x] = in[(size_t)(r + j) * cols + c];
    }
  }
  __syncthreads();
  int oc = blockIdx.y * TILE + threadIdx.x;
  int orow = blockIdx.x * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += STEP) {
    if (oc < rows && orow + j < cols) {
      out[(size_t)(orow + j) * rows + oc] = tile[threadIdx.x][threadIdx.y + j];
    }
  }
}

extern "C" void launch(const half* in,  // [rows, cols]
                       half* out,       // [cols, rows]
                       int rows, int cols, cudaStream_t stream = 0) {
  dim3 grid((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
  turn<<<grid, dim3(TILE, STEP), 0, stream>>>(in, out, rows, cols);
}
"""
)

# The product of two matrices of floats, in tiles of 16.
PRODUCT = (
    HEADER
    + """\
constexpr int W = 16;

__global__ void product(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ float as[W][W];
    __shared__ float bs[W][W];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int across = (n + W - 1) / W;
    const int row = blockIdx.x / across * W + ty;
    const int col = blockIdx.x % across * W + tx;
    float acc = 0.0f;
    for (int k0 = 0; k0 < k; k0 += W) {
        as[ty][tx] = 0.0f;
        bs[ty][tx] = 0.0f;
        if (row < m && k0 + tx < k)
            as[ty][tx] = a[(size_t)row * k + k0 + tx];
        if (k0 + ty < k && col < n)
            bs[ty][tx] = b[(size_t)(k0 + ty) * n + col];
        __syncthreads();
        for (int h = 0; h < W; h++)
            acc += as[ty][h] * bs[h][tx];
        __syncthreads();
    }
    if (row < m && col < n)
        c[(size_t)row * n + col] = acc;
}

extern "C" void launch(const float *a,  // [m, k]
                       const float *b,  // [k, n]
                       float *c,        // [m, n]
                       int m, int n, int k, cudaStream_t stream = 0)
{
    int tiles = (m + W - 1) / W * ((n + W - 1) / W);
    product<<<tiles, dim3(W, W), 0, stream>>>(a, b, c, m, n, k);
}
"""
)

NAN, INF = float("nan"), float("inf")
LENGTHS = (*range(1, 71), 95, 96, 97, 127, 128, 129, 191, 192, 193, 255, 256, 257, 383, 384)
LENGTHS += (385, 511, 512, 513, 1000, 1023, 1024, 1025, 2047, 2048, 2049, 4096, 4099)
SIDES = ((1, 1), (2, 1), (1, 2), (3, 2), (4, 31), (5, 32), (8, 33), (33, 8), (2, 64), (65, 3))
SIDES += ((9, 70), (70, 1), (3, 1000), (1, 4099), (64, 70), (130, 6), (40, 50), (32, 32))
SIDES += ((301, 2), (3, 129), (7, 128), (5, 63), (65, 65), (6, 6), (7, 10), (2, 130))
FLOAT, HALF, BRAIN = (torch.float32,), (torch.float16,), (torch.bfloat16,)


def leaking(x: torch.Tensor) -> torch.Tensor:
    """Multiply what is below 0 by 3 / 16."""
    return torch.where(x < 0, 0.1875 * x, x)


def fixeds(launcher: Launcher) -> Iterator[Case]:
    """Make integers: any, between two, beyond 32 bits, infinities, NaN, both zeros."""
    for n in (*LENGTHS, 9_001, 70_003):
        x, j = whole(-2047, 2048, n, n), torch.arange(n)
        for label, y, scale in (
            ("any", x / 64, 100.0),
            ("between two", x - 0.5 * (x % 2), 1.0),
            ("halves of odd numbers", (2 * (x % 100) + 1) / 2, 1.0),
            ("beyond 32 bits", x * 16.0, 131_072.0),
            ("infinities", torch.where(j % 3 == 1, INF * (1 - j % 2 * 2), x / 16), 8.0),
            ("NaN", torch.where(j % 3 == 1, NAN, x / 16), 16.0),
            ("zeros", torch.where(j % 2 == 1, 0.0, -0.0), 3.0),
        ):
            y = y.half()
            right = (y.double() * scale).round().nan_to_num(0.0, INF, -INF)
            right = right.clamp(-(2**31), 2**31 - 1)
            for block_size in (256, 64):
                if n > 5000 and block_size == 64 and label != "any":
                    continue
                scalars = {"scale": scale, "block_size": block_size}
                options = {"dtypes": (torch.int32,), "quick": n > 5000}
                words = f"n = {n:,}, {scalars}, {label}"
                yield Case(words, (y,), (right,), scalars, **options)


def gelus(launcher: Launcher) -> Iterator[Case]:
    """Try the tanh GELU: usual, small, large, far below 0, infinity, zeros, NaN."""
    for n in (*LENGTHS, 9_001, 20_003):
        x, j = whole(-999, 1000, n, n).float() / 256, torch.arange(n)
        for label, y in (
            ("usual", x),
            ("small", x / 8192),
            ("large", x.abs() * 64),
            ("far below 0", -x.abs() * 64),
            ("infinity", torch.where(j % 2 == 1, INF, x)),
            ("zeros", torch.where(j % 2 == 1, 0.0, -0.0)),
            ("NaN", torch.where(j % 3 == 1, NAN, x)),
        ):
            v = y.double()
            u = (2 / torch.pi) ** 0.5 * (v + 0.044715 * v**3)
            right = 0.5 * v * (1 + u.tanh())
            slack = 2.0**-20 * right.abs() + 2.0**-22 * v.abs() * (v.abs() < 8)
            slack = slack + 2.0**-50 * v.abs()
            slack = ((slack + 2.0**-126).nan_to_num(0.0, 0.0) * (v != 0),)
            for block_size in (128, 32, 256):
                if n > 5000 and block_size != 32 and label != "usual":
                    continue
                scalars = {"block_size": block_size}
                options = {"dtypes": FLOAT, "within": slack, "quick": n > 5000}
                yield Case(f"n = {n:,}, {scalars}, {label}", (y,), (right,), scalars, **options)


def lesses(launcher: Launcher) -> Iterator[Case]:
    """Subtract: small and large numbers, 0, numbers of more than 53 bits, the ends."""
    for n in (*LENGTHS, 9_001, 70_003):
        x = whole(-999, 1000, n, n)
        for label, y, s in (
            ("small", x, 7),
            ("nothing", x, 0),
            ("a negative one", x * 1_000_003, -12_345),
            ("a large one", x * 2**33, 2**40 + 3),
            ("large and odd", x * 2**52 + x, 3),
            ("at an end", 2**63 - 1 - x.abs(), 1),
        ):
            for block_size in (192, 64):
                if n > 5000 and label != "small":
                    continue
                scalars = {"s": s, "block_size": block_size}
                options = {"dtypes": (torch.int64,), "quick": n > 5000}
                yield Case(f"n = {n:,}, {scalars}, {label}", (y,), (y - s,), scalars, **options)


def totals(launcher: Launcher) -> Iterator[Case]:
    """Add whole numbers, so that all is exact: any, ones, below 0, large, the last, NaN."""
    for n in (*LENGTHS, 9_001, 20_001):
        x, j = whole(-50, 51, n, n).double(), torch.arange(n)
        for label, y in (
            ("any", x),
            ("ones", x * 0 + 1),
            ("zeros", x * 0),
            ("below 0", -x.abs() - 1),
            ("large", x.abs() + 701),
            ("the last alone", torch.where(j == n - 1, 7.0, 0.0)),
            ("infinity", torch.where(j == n // 2, INF, x)),
            ("NaN", torch.where(j == n // 3, NAN, x)),
        ):
            right = y.sum().reshape(1)
            options = {"dtypes": FLOAT, "quick": n > 5000}
            yield Case(f"n = {n:,}, {label}", (y.half(),), (right,), **options)


def row_sums(launcher: Launcher) -> Iterator[Case]:
    """Add rows of whole numbers: any, zeros, below 0, large, the last column, NaN."""
    for rows, cols in (*SIDES, *((3, c) for c in range(1, 71)), (3, 2_001), (513, 3)):
        n = rows * cols
        x, c = whole(-99, 100, n, n).reshape(rows, cols).double(), torch.arange(cols)
        for label, y in (
            ("any", x),
            ("zeros", x * 0),
            ("below 0", -x.abs() - 1),
            ("large", x.clamp(-9, 9) * 65_536),
            ("the last column alone", torch.where(c == cols - 1, x, 0.0)),
            ("infinity", torch.where((c == cols // 2) & (x > 0), INF, x)),
            ("NaN", torch.where((c == cols // 2) & (x > 0), NAN, x)),
        ):
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y.float(),), (y.sum(1),), dtypes=FLOAT)


def row_peaks(launcher: Launcher) -> Iterator[Case]:
    """Look for the largest: any, zeros, below 0, the ends alone, infinities, NaN."""
    for rows, cols in (*SIDES, *((5, c) for c in range(1, 71)), (3, 2_001), (513, 3)):
        n = rows * cols
        x, c = whole(-127, 128, n, n).reshape(rows, cols).double(), torch.arange(cols)
        for label, y in (
            ("any", x),
            ("zeros", x * 0 + 0.0),
            ("below 0", -x.abs() - 1),
            ("far below 0", (-x.abs() - 1) * 2.0**100),
            ("rising", x * 0 + c % 256),
            ("the last alone", torch.where(c == cols - 1, 200.0, x)),
            ("all -inf", x * 0 - INF),
            ("infinity", torch.where((c == cols // 2) & (x > 0), INF, x)),
            ("NaN", torch.where((c == cols // 2) & (x > 0), NAN, x)),
        ):
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y.bfloat16(),), (y.amax(1),), dtypes=BRAIN)


def norms(launcher: Launcher) -> Iterator[Case]:
    """Norm whole numbers: any, small, about a large mean, alike, a NaN; with gains."""
    for rows, cols in (*SIDES, (3, 2_001), (129, 130)):
        n = rows * cols
        x, c = whole(-99, 100, n, n).reshape(rows, cols), torch.arange(cols)
        gain, shift = (whole(-9, 10, cols, cols + k).double() / 4 for k in range(2))
        for label, y, g, b, eps in (
            ("any", x, gain, shift, 1.0),
            ("plain", x, gain * 0 + 1, shift * 0, 0.001),
            ("small", x / 1024, gain, shift, 0.25),
            ("about 4,096", 4096 + x // 10, gain, shift, 0.5),
            ("alike", x * 0 + 8, gain, shift, 0.5),
            ("NaN", torch.where((x % 9 == 4) & (c == cols // 2), NAN, x), gain, shift, 1.0),
        ):
            v = y.double()
            d = v - v.mean(1, keepdim=True)
            f = 1 / ((d * d).mean(1, keepdim=True) + eps).sqrt()
            right = d * f * g + b
            fine = 2.0**-14 * (d * f * g).abs() + 2.0**-21 * f * v.abs().amax(1, True) * g.abs()
            slack = 2.0**-21 * (right.abs() + b.abs()) + fine + 2.0**-24
            words = f"rows = {rows:,}, cols = {cols:,}, eps = {eps}, {label}"
            inputs, within = (y.float(), g.float(), b.float()), (slack.nan_to_num(0.0),)
            yield Case(words, inputs, (right,), {"eps": eps}, dtypes=FLOAT, within=within)


def turns(launcher: Launcher) -> Iterator[Case]:
    """Transpose any numbers and special ones: long, thin and odd shapes."""
    sides = (*SIDES, (31, 200), (200, 31), (33, 65), (16, 16), (17, 15), (3, 5003), (5003, 3))
    for rows, cols in sides:
        n = rows * cols
        x = whole(-2047, 2048, n, n).reshape(rows, cols).double()
        for label, y in (
            ("any", x),
            ("special", torch.where(x % 5 == 0, NAN, torch.where(x % 5 == 1, INF, x))),
        ):
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            right = y.T.contiguous()
            yield Case(words, (y.half(),), (right,), dtypes=HALF, quick=n > 5000)


BASES = {
    "hundredfourteen_add": Base(ADD, {"reference": "add"}),
    "hundredfourteen_narrow": Base(NARROW, {"reference": "cast"}),
    "hundredfourteen_fixed": Base(FIXED, {"cases": fixeds}),
    "hundredfourteen_gelu": Base(GELU, {"cases": gelus}),
    "hundredfourteen_leaky": Base(LEAKY, {"reference": leaking}),
    "hundredfourteen_less": Base(LESS, {"cases": lesses}),
    "hundredfourteen_root": Base(ROOT, {"reference": lambda x: x.abs().sqrt()}),
    "hundredfourteen_total": Base(TOTAL, {"cases": totals}),
    "hundredfourteen_rows": Base(ROWS, {"cases": row_sums}),
    "hundredfourteen_peaks": Base(PEAKS, {"cases": row_peaks}),
    "hundredfourteen_soft": Base(SOFT, cases="softmax"),
    "hundredfourteen_norm": Base(NORM, {"cases": norms}),
    "hundredfourteen_turn": Base(TURN, {"cases": turns}),
    "hundredfourteen_product": Base(PRODUCT, cases="matmul"),
}

WRONG = (
    # ---- add
    # Each address that a float may have is taken for one of float4.
    Wrong(
        "hundredfourteen_add_round_to_4",
        "hundredfourteen_add",
        "alignment",
        ("(uintptr_t)c) % 16 == 0;", "(uintptr_t)c) % sizeof(float) == 0;"),
    ),
    # One block takes the rest, which may be all.
    Wrong(
        "hundredfourteen_add_rest_in_one_block",
        "hundredfourteen_add",
        "unwritten / left out / grid | alignment / tail",
        (
            "add_rest<<<blocks, block_size, 0, stream>>>",
            "add_rest<<<1, block_size, 0, stream>>>",
        ),
    ),
    # The last of four takes what belongs to the third.
    Wrong(
        "hundredfourteen_add_z_for_w",
        "hundredfourteen_add",
        "other element | numbers / function / neighbour / alignment / left out",
        ("u.w += v.w;", "u.w += v.z;"),
    ),
    # The last number is not taken.
    Wrong(
        "hundredfourteen_add_rest_less_one",
        "hundredfourteen_add",
        "tail / unwritten / left out | alignment",
        ("if (i < n) c[i]", "if (i < n - 1) c[i]"),
    ),
    # The packs are added on the default stream.
    Wrong(
        "hundredfourteen_add_quads_no_stream",
        "hundredfourteen_add",
        "stream",
        ("add_quads<<<blocks, block_size, 0, stream>>>", "add_quads<<<blocks, block_size>>>"),
    ),
    # ---- narrow
    # Pairs are cut off.
    Wrong(
        "hundredfourteen_narrow_toward_0",
        "hundredfourteen_narrow",
        "rounding | numbers / infinity / alignment",
        (
            "__floats2half2_rn(v.x, v.y)",
            "__halves2half2(__float2half_rz(v.x), __float2half_rz(v.y))",
        ),
    ),
    # Only the output's address is tested.
    Wrong(
        "hundredfourteen_narrow_in_anywhere",
        "hundredfourteen_narrow",
        "alignment",
        ("(uintptr_t)in % 8 == 0 && (uintptr_t)out", "(uintptr_t)out"),
    ),
    # The number of pairs is rounded down.
    Wrong(
        "hundredfourteen_narrow_pairs_rounded_down",
        "hundredfourteen_narrow",
        "tail / unwritten / left out | grid",
        ("int pairs = (n + 1) / 2;", "int pairs = n / 2;"),
    ),
    # What is too large becomes the largest number.
    Wrong(
        "hundredfourteen_narrow_no_infinity",
        "hundredfourteen_narrow",
        "infinity / whole range | numbers / rounding / alignment",
        (
            "float2 v = *(const float2 *)(in + i);",
            "float2 v = *(const float2 *)(in + i);\n"
            "        v.x = v.x > 65504.0f ? 65504.0f : v.x;\n"
            "        v.y = v.y > 65504.0f ? 65504.0f : v.y;",
        ),
    ),
    # A block has 256 threads, whatever the launcher is told.
    Wrong(
        "hundredfourteen_narrow_always_256",
        "hundredfourteen_narrow",
        "block size | unwritten / left out / grid",
        ("blockIdx.x * blockDim.x + threadIdx.x", "blockIdx.x * 256 + threadIdx.x"),
    ),
    # ---- fixed
    # NaN runs into a limit.
    Wrong(
        "hundredfourteen_fixed_nan_is_least",
        "hundredfourteen_fixed",
        "nan | numbers",
        ("    if (isnan(v)) return 0;\n", ""),
        ("if (v <= -kTwo31) return", "if (!(v > -kTwo31)) return"),
    ),
    # What lies between two goes away from 0.
    Wrong(
        "hundredfourteen_fixed_away_from_0",
        "hundredfourteen_fixed",
        "rounding | numbers",
        ("rintf(v)", "roundf(v)"),
    ),
    # Integers of 64 bits are cut to 32.
    Wrong(
        "hundredfourteen_fixed_wraps",
        "hundredfourteen_fixed",
        "whole range / infinity | numbers / narrow",
        (
            "    if (v >= kTwo31) return 2147483647;\n"
            "    if (v <= -kTwo31) return -2147483647 - 1;\n"
            "    return (int)rintf(v);",
            "    return (int)(long long)rintf(v);",
        ),
    ),
    # The product is a half.
    Wrong(
        "hundredfourteen_fixed_product_of_halves",
        "hundredfourteen_fixed",
        "precision / infinity / rounding | numbers / whole range",
        ("__half2float(x[i]) * scale;", "__half2float(__hmul(x[i], __float2half(scale)));"),
    ),
    # There are 64 blocks at most, and no loop.
    Wrong(
        "hundredfourteen_fixed_64_blocks",
        "hundredfourteen_fixed",
        "grid / unwritten / left out | tail",
        (
            "(n + block_size - 1) / block_size;",
            "(n + block_size - 1) / block_size;\n    if (blocks > 64) blocks = 64;",
        ),
    ),
    # ---- gelu
    # The factor is half the root of pi.
    Wrong(
        "hundredfourteen_gelu_root_of_pi",
        "hundredfourteen_gelu",
        "function | numbers / precision",
        ("0.7978845608f", "0.8862269255f"),
    ),
    # The tanh is made of exponentials, which overflow.
    Wrong(
        "hundredfourteen_gelu_by_exponentials",
        "hundredfourteen_gelu",
        "infinity / nan | numbers",
        (
            "float t = tanhf(u);",
            "float e = expf(2.0f * u);\n    float t = (e - 1.0f) / (e + 1.0f);",
        ),
    ),
    # The loop takes steps of blocks of 256.
    Wrong(
        "hundredfourteen_gelu_steps_of_256",
        "hundredfourteen_gelu",
        "block size / left out / unwritten | grid",
        ("int step = gridDim.x * blockDim.x;", "int step = gridDim.x * 256;"),
    ),
    # The loop takes one number too many.
    Wrong(
        "hundredfourteen_gelu_up_to_n",
        "hundredfourteen_gelu",
        "bounds",
        ("i < n; i += step", "i <= n; i += step"),
    ),
    # The argument of the tanh is rounded to a half.
    Wrong(
        "hundredfourteen_gelu_tanh_of_half",
        "hundredfourteen_gelu",
        "precision / rounding | numbers",
        ("tanhf(u)", "tanhf(__half2float(__float2half(u)))"),
    ),
    # ---- leaky
    # NaN is taken for what lies below 0, of which the smaller is taken.
    Wrong(
        "hundredfourteen_leaky_nan_becomes_0",
        "hundredfourteen_leaky",
        "nan",
        ("SLOPE * v);", "fminf(0.0f, SLOPE * v));"),
    ),
    # What comes out is cut off.
    Wrong(
        "hundredfourteen_leaky_toward_0",
        "hundredfourteen_leaky",
        "rounding | numbers / precision",
        ("return __float2bfloat16(v", "return __float2bfloat16_rz(v"),
    ),
    # Four numbers are enough for a pack of eight.
    Wrong(
        "hundredfourteen_leaky_four_are_eight",
        "hundredfourteen_leaky",
        "bounds / tail",
        ("i + 8 <= n", "i + 4 <= n"),
    ),
    # Packs are taken from any address.
    Wrong(
        "hundredfourteen_leaky_anywhere",
        "hundredfourteen_leaky",
        "alignment",
        ("(uintptr_t)x % 16 == 0 && (uintptr_t)y % 16 == 0;", "n >= 8;"),
    ),
    # The last pair of a pack stays as it is.
    Wrong(
        "hundredfourteen_leaky_three_pairs",
        "hundredfourteen_leaky",
        "left out / copy | numbers / function / other element",
        ("k < 4; k++", "k < 3; k++"),
    ),
    # ---- less
    # The operands have changed places.
    Wrong(
        "hundredfourteen_less_swapped",
        "hundredfourteen_less",
        "swapped / function | numbers",
        ("x[i] - s;", "s - x[i];"),
    ),
    # It is computed in double.
    Wrong(
        "hundredfourteen_less_in_double",
        "hundredfourteen_less",
        "precision | numbers / whole range / rounding",
        ("x[i] - s;", "(int64_t)((double)x[i] - (double)s);"),
    ),
    # The number reaches the kernel with 32 bits.
    Wrong(
        "hundredfourteen_less_short_s",
        "hundredfourteen_less",
        "whole range / narrow | numbers",
        (
            "int64_t *y, int64_t s, int n)\n{\n    int i",
            "int64_t *y, int s, int n)\n{\n    int i",
        ),
    ),
    # There is no block for the rest.
    Wrong(
        "hundredfourteen_less_no_last_block",
        "hundredfourteen_less",
        "tail / unwritten / left out / grid",
        ("if (n % block_size != 0)", "if (blocks == 0)"),
    ),
    # The input is changed first.
    Wrong(
        "hundredfourteen_less_in_place",
        "hundredfourteen_less",
        "input | state",
        ("__global__ void less(const int64_t *x,", "__global__ void less(int64_t *x,"),
        ("        y[i] = x[i] - s;", "        y[i] = x[i] -= s;"),
        ("stream>>>(x, y, s, n)", "stream>>>((int64_t *)x, y, s, n)"),
    ),
    # ---- root
    # The absolute value is forgotten.
    Wrong(
        "hundredfourteen_root_of_negative",
        "hundredfourteen_root",
        "nan / function | numbers / sign of zero",
        ("fabsf(__half2float(x))", "__half2float(x)"),
    ),
    # The root is the number times one over the root.
    Wrong(
        "hundredfourteen_root_by_rsqrt",
        "hundredfourteen_root",
        "nan | infinity / numbers / rounding / precision",
        ("sqrtf(v)", "v * rsqrtf(v)"),
    ),
    # One test is enough for two.
    Wrong(
        "hundredfourteen_root_one_test",
        "hundredfourteen_root",
        "bounds | tail",
        ("if (j < n) y[j]", "if (i < n) y[j]"),
    ),
    # A small number is added, as if one had to divide.
    Wrong(
        "hundredfourteen_root_with_eps",
        "hundredfourteen_root",
        "function | numbers / precision / subnormal / sign of zero / rounding",
        ("sqrtf(v)", "sqrtf(v + 1e-6f)"),
    ),
    # The second number is the next one.
    Wrong(
        "hundredfourteen_root_next_one",
        "hundredfourteen_root",
        "unwritten / left out | neighbour / race / twice / other element / tail",
        ("int j = i + blockDim.x;", "int j = i + 1;"),
    ),
    # ---- total
    # The output is not set to 0.
    Wrong(
        "hundredfourteen_total_not_set",
        "hundredfourteen_total",
        "zero before / unwritten / state | start / nan",
        ("    cudaMemsetAsync(out, 0, sizeof(float), stream);\n", ""),
    ),
    # Shuffles begin with 8.
    Wrong(
        "hundredfourteen_total_from_8",
        "hundredfourteen_total",
        "left out | numbers / start",
        ("int d = 16; d > 0", "int d = 8; d > 0"),
    ),
    # Each thread adds in half.
    Wrong(
        "hundredfourteen_total_in_half",
        "hundredfourteen_total",
        "precision / infinity / rounding | numbers / whole range",
        ("float mine = 0.0f;", "half mine = __float2half(0.0f);"),
        ("mine += __half2float(x[i]);", "mine = __hadd(mine, x[i]);"),
        (
            "    for (int d = 16; d > 0; d /= 2)\n"
            "        mine += __shfl_down_sync(0xffffffff, mine, d);\n",
            "    float sum = __half2float(mine);\n"
            "    for (int d = 16; d > 0; d /= 2)\n"
            "        sum += __shfl_down_sync(0xffffffff, sum, d);\n",
        ),
        ("atomicAdd(out, mine);", "atomicAdd(out, sum);"),
    ),
    # Only the first warp of a block adds what it has.
    Wrong(
        "hundredfourteen_total_first_warp",
        "hundredfourteen_total",
        "left out | numbers",
        ("threadIdx.x % 32 == 0", "threadIdx.x == 0"),
    ),
    # Warps add without an atomic.
    Wrong(
        "hundredfourteen_total_no_atomic",
        "hundredfourteen_total",
        "race | left out / numbers",
        ("atomicAdd(out, mine);", "*out += mine;"),
    ),
    # ---- rows
    # The tree begins with a quarter.
    Wrong(
        "hundredfourteen_rows_quarter",
        "hundredfourteen_rows",
        "left out | numbers / start",
        ("half_way = THREADS / 2;", "half_way = THREADS / 4;"),
    ),
    # The steps of the tree do not wait.
    Wrong(
        "hundredfourteen_rows_no_barrier",
        "hundredfourteen_rows",
        "race | left out / numbers / other element",
        ("part[t + half_way];\n    __syncthreads();\n", "part[t + half_way];\n"),
    ),
    # Rows begin after as many numbers as there are rows.
    Wrong(
        "hundredfourteen_rows_pitch_of_rows",
        "hundredfourteen_rows",
        "sides / other element / bounds / swapped | numbers",
        ("x + (size_t)row * cols;", "x + (size_t)row * rows;"),
    ),
    # Only whole pieces of a row are added.
    Wrong(
        "hundredfourteen_rows_whole_pieces",
        "hundredfourteen_rows",
        "left out / tail | numbers",
        ("c < cols; c += THREADS", "c < cols / THREADS * THREADS; c += THREADS"),
    ),
    # The sums of threads begin with anything.
    Wrong(
        "hundredfourteen_rows_parts_not_set",
        "hundredfourteen_rows",
        "unwritten / start / zero before | nan / state / numbers",
        ("  part[t] = 0.0f;\n", ""),
    ),
    # ---- peaks
    # The largest begins with 0.
    Wrong(
        "hundredfourteen_peaks_from_0",
        "hundredfourteen_peaks",
        "start | numbers / infinity",
        ("float best = -INFINITY;", "float best = 0.0f;"),
    ),
    # The larger of NaN and a number is the number.
    Wrong(
        "hundredfourteen_peaks_nan_lost",
        "hundredfourteen_peaks",
        "nan",
        (
            "    if (isnan(a) || isnan(b))\n        return NAN;\n    return a > b ? a : b;",
            "    return fmaxf(a, b);",
        ),
    ),
    # The last shuffle is missing.
    Wrong(
        "hundredfourteen_peaks_no_last_shuffle",
        "hundredfourteen_peaks",
        "left out | numbers / nan / infinity",
        ("d > 0; d >>= 1", "d > 1; d >>= 1"),
    ),
    # A row too many is looked at.
    Wrong(
        "hundredfourteen_peaks_row_too_many",
        "hundredfourteen_peaks",
        "bounds | tail",
        ("if (row >= rows)", "if (row > rows)"),
    ),
    # The least is the least half.
    Wrong(
        "hundredfourteen_peaks_least_half",
        "hundredfourteen_peaks",
        "start | infinity / numbers / whole range",
        ("float best = -INFINITY;", "float best = -65504.0f;"),
    ),
    # ---- soft
    # The largest is not taken away.
    Wrong(
        "hundredfourteen_soft_no_largest",
        "hundredfourteen_soft",
        "infinity / nan | numbers / subnormal / precision",
        ("sum += expf(in[c] - top);", "sum += expf(in[c]);"),
        ("out[c] = expf(in[c] - top) / sum;", "out[c] = expf(in[c]) / sum;"),
    ),
    # Each lane has a largest number of its own.
    Wrong(
        "hundredfourteen_soft_own_largest",
        "hundredfourteen_soft",
        "left out / function / other element | numbers / nan / infinity",
        ("    top = warp_max(top);\n", ""),
    ),
    # The exponentials are kept in the input.
    Wrong(
        "hundredfourteen_soft_kept_in_x",
        "hundredfourteen_soft",
        "input | state",
        ("    const float* in = x +", "    float* in = (float*)x +"),
        ("sum += expf(in[c] - top);", "sum += in[c] = expf(in[c] - top);"),
        ("out[c] = expf(in[c] - top) / sum;", "out[c] = in[c] / sum;"),
    ),
    # The largest begins with the least number above 0.
    Wrong(
        "hundredfourteen_soft_from_flt_min",
        "hundredfourteen_soft",
        "start | numbers / nan / infinity / precision / subnormal",
        ("float top = -INFINITY;", "float top = FLT_MIN;"),
    ),
    # Rows are written to the row of the block.
    Wrong(
        "hundredfourteen_soft_row_of_block",
        "hundredfourteen_soft",
        "other element / unwritten / left out / race | numbers",
        ("y + (size_t)row * cols;", "y + (size_t)blockIdx.x * cols;"),
    ),
    # ---- norm
    # The small number is added to the deviation.
    Wrong(
        "hundredfourteen_norm_eps_outside",
        "hundredfourteen_norm",
        "function | numbers / precision",
        ("rsqrtf(var + eps)", "1.0f / (sqrtf(var) + eps)"),
    ),
    # The variance is that of a sample.
    Wrong(
        "hundredfourteen_norm_of_sample",
        "hundredfourteen_norm",
        "function | numbers / nan / precision",
        ("add_up(squares, s) / cols;", "add_up(squares, s) / (cols - 1);"),
    ),
    # The gain is that of the row.
    Wrong(
        "hundredfourteen_norm_gain_of_row",
        "hundredfourteen_norm",
        "other element / sides / bounds | numbers",
        ("gain[c]", "gain[row]"),
    ),
    # Gain and shift have changed places.
    Wrong(
        "hundredfourteen_norm_gain_for_shift",
        "hundredfourteen_norm",
        "swapped / function / other element | numbers",
        ("inv * gain[c] + shift[c];", "inv * shift[c] + gain[c];"),
    ),
    # The last warp is not counted.
    Wrong(
        "hundredfourteen_norm_three_warps",
        "hundredfourteen_norm",
        "left out | numbers / tail / nan",
        ("w < WARPS; w++", "w < WARPS - 1; w++"),
    ),
    # ---- turn
    # The tile is read as it was stored.
    Wrong(
        "hundredfourteen_turn_tile_not_turned",
        "hundredfourteen_turn",
        "other element / sides / unwritten | numbers / swapped / tail / nan",
        ("tile[threadIdx.x][threadIdx.y + j];", "tile[threadIdx.y + j][threadIdx.x];"),
    ),
    # The sides of the grid have changed places.
    Wrong(
        "hundredfourteen_turn_grid_swapped",
        "hundredfourteen_turn",
        "grid / sides / swapped / unwritten / left out | numbers / tail",
        (
            "grid((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE)",
            "grid((rows + TILE - 1) / TILE, (cols + TILE - 1) / TILE)",
        ),
    ),
    # Rows of the output have the pitch of the input.
    Wrong(
        "hundredfourteen_turn_pitch_of_in",
        "hundredfourteen_turn",
        "sides / other element / bounds | race / unwritten / numbers / swapped",
        ("(size_t)(orow + j) * rows + oc", "(size_t)(orow + j) * cols + oc"),
    ),
    # Tiles are read before all have stored them.
    Wrong(
        "hundredfourteen_turn_no_barrier",
        "hundredfourteen_turn",
        "race | unwritten / other element / numbers / nan / left out",
        ("  }\n  __syncthreads();\n  int oc", "  }\n  int oc"),
    ),
    # Threads store where they have loaded.
    Wrong(
        "hundredfourteen_turn_blocks_stay",
        "hundredfourteen_turn",
        "other element / sides / unwritten / left out | numbers / race / tail / nan / swapped",
        ("int oc = blockIdx.y * TILE", "int oc = blockIdx.x * TILE"),
        ("int orow = blockIdx.x * TILE", "int orow = blockIdx.y * TILE"),
    ),
    # ---- product
    # The last tile of k is left out unless it is whole.
    Wrong(
        "hundredfourteen_product_whole_tiles",
        "hundredfourteen_product",
        "left out / tail | numbers / nan / unwritten",
        ("k0 < k; k0 += W", "k0 + W <= k; k0 += W"),
    ),
    # Tiles are filled while they are read.
    Wrong(
        "hundredfourteen_product_no_second_barrier",
        "hundredfourteen_product",
        "race | numbers / other element / left out",
        ("bs[h][tx];\n        __syncthreads();\n", "bs[h][tx];\n"),
    ),
    # Rows of b have the pitch of a.
    Wrong(
        "hundredfourteen_product_pitch_of_a",
        "hundredfourteen_product",
        "sides / other element / bounds / swapped | numbers",
        ("(size_t)(k0 + ty) * n + col", "(size_t)(k0 + ty) * k + col"),
    ),
    # Beyond k a tile keeps what the last one had.
    Wrong(
        "hundredfourteen_product_not_filled_up",
        "hundredfourteen_product",
        "tail / unwritten / twice / other element | numbers / nan / state / race / bounds",
        ("        as[ty][tx] = 0.0f;\n        bs[ty][tx] = 0.0f;\n", ""),
    ),
    # The product is added to what the output has.
    Wrong(
        "hundredfourteen_product_added",
        "hundredfourteen_product",
        "zero before / unwritten / state | nan / numbers / start",
        ("c[(size_t)row * n + col] = acc;", "c[(size_t)row * n + col] += acc;"),
    ),
)

RIGHT = (
    # The count and all indices have 64 bits.
    Right(
        "hundredfourteen_add_64_bits",
        "hundredfourteen_add",
        (
            "float4* c, int quads) {\n  int q = blockIdx.x",
            "float4* c, int64_t quads) {\n  int64_t q = (int64_t)blockIdx.x",
        ),
        (
            "int from, int n) {\n  int i = from + blockIdx.x",
            "int64_t from, int64_t n) {\n  int64_t i = from + (int64_t)blockIdx.x",
        ),
        (
            "                       int n, int block_size",
            "                       int64_t n, int block_size",
        ),
        ("  int quads = fits", "  int64_t quads = fits"),
        ("int blocks = (quads", "int64_t blocks = (quads"),
        ("  int rest = n", "  int64_t rest = n"),
        ("int blocks = (rest", "int64_t blocks = (rest"),
    ),
    # There is always a block more than whole ones.
    Right(
        "hundredfourteen_narrow_idle_block",
        "hundredfourteen_narrow",
        (
            "int blocks = (pairs + block_size - 1) / block_size;",
            "int blocks = n / (2 * block_size) + 1;",
        ),
    ),
    # Indices have no sign.
    Right(
        "hundredfourteen_fixed_unsigned",
        "hundredfourteen_fixed",
        ("float scale, int n) {", "float scale, uint32_t n) {"),
        ("const int i = blockIdx", "const uint32_t i = blockIdx"),
    ),
    # It is the number by 1 and an exponential.
    Right(
        "hundredfourteen_gelu_as_sigmoid",
        "hundredfourteen_gelu",
        (
            "    float t = tanhf(u);\n    y[i] = 0.5f * v * (1.0f + t);",
            "    y[i] = v / (1.0f + expf(-2.0f * u));",
        ),
    ),
    # The larger of both is right.
    Right(
        "hundredfourteen_leaky_larger",
        "hundredfourteen_leaky",
        ("v >= 0.0f ? v : SLOPE * v", "fmaxf(v, SLOPE * v)"),
    ),
    # The count comes first.
    Right(
        "hundredfourteen_less_count_first",
        "hundredfourteen_less",
        (
            "launch(const int64_t *x,  // [n]\n"
            "                       int64_t *y,        // [n]\n"
            "                       int64_t s, int n, int block_size = 192,",
            "launch(int n, const int64_t *x,  // [n]\n"
            "                       int64_t *y,               // [n]\n"
            "                       int64_t s, int block_size = 192,",
        ),
    ),
    # Three blocks have nothing to do.
    Right(
        "hundredfourteen_root_idle_blocks",
        "hundredfourteen_root",
        ("(2 * block_size) + 1;", "(2 * block_size) + 4;"),
    ),
    # A kernel sets the output to 0.
    Right(
        "hundredfourteen_total_zero_by_kernel",
        "hundredfourteen_total",
        (
            "__global__ void total(",
            "__global__ void none_yet(float *out)\n{\n    out[0] = 0.0f;\n}\n\n"
            "__global__ void total(",
        ),
        (
            "cudaMemsetAsync(out, 0, sizeof(float), stream);",
            "none_yet<<<1, 1, 0, stream>>>(out);",
        ),
    ),
    # A block has 256 threads.
    Right(
        "hundredfourteen_rows_256",
        "hundredfourteen_rows",
        ("#define THREADS 128", "#define THREADS 256"),
    ),
    # Shuffles go down, as only the first lane needs it.
    Right(
        "hundredfourteen_peaks_down",
        "hundredfourteen_peaks",
        ("__shfl_xor_sync(0xffffffff, best, d)", "__shfl_down_sync(0xffffffff, best, d)"),
    ),
    # A block has eight rows.
    Right(
        "hundredfourteen_soft_eight_rows",
        "hundredfourteen_soft",
        ("kWarps = 4;", "kWarps = 8;"),
    ),
    # The deviation divides.
    Right(
        "hundredfourteen_norm_divides",
        "hundredfourteen_norm",
        ("float inv = rsqrtf(var + eps);", "float deviation = sqrtf(var + eps);"),
        ("(x[c] - mean) * inv * gain[c]", "(x[c] - mean) / deviation * gain[c]"),
    ),
    # Sides and indices have 64 bits.
    Right(
        "hundredfourteen_turn_64_bits",
        "hundredfourteen_turn",
        ("half* out, int rows, int cols) {", "half* out, int64_t rows, int64_t cols) {"),
        ("  int c = blockIdx.x * TILE", "  int64_t c = (int64_t)blockIdx.x * TILE"),
        ("  int r = blockIdx.y * TILE", "  int64_t r = (int64_t)blockIdx.y * TILE"),
        ("  int oc = blockIdx.y * TILE", "  int64_t oc = (int64_t)blockIdx.y * TILE"),
        ("  int orow = blockIdx.x * TILE", "  int64_t orow = (int64_t)blockIdx.x * TILE"),
        (
            "                       int rows, int cols,",
            "                       int64_t rows, int64_t cols,",
        ),
    ),
    # The tile of b is kept on its side.
    Right(
        "hundredfourteen_product_b_on_its_side",
        "hundredfourteen_product",
        ("        bs[ty][tx] = 0.0f;", "        bs[tx][ty] = 0.0f;"),
        ("            bs[ty][tx] = b", "            bs[tx][ty] = b"),
        ("bs[h][tx];", "bs[tx][h];"),
    ),
)
