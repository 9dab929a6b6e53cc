"""Hold a ninety-first family: the plain operators of a course, and their plainest mistakes.

Its bases are the larger of two numbers, a number times halves plus halves, signed bytes to
floats, halves to whole numbers toward 0, gelu by tanh, whole numbers between two limits, halves
without their sign, a sum in double, the largest absolute value, the mean of each row, rms norm
with a gain, a matrix of 16-bit numbers turned, several matrices turned, and a product with a
bias and relu. They use a number a thread, pairs whose last thread takes an odd one, four bytes
a thread, a loop over a small grid, float4 where both addresses allow it, four numbers a block
apart, bits of two halves, parts of blocks and a second kernel, shuffles and an atomic, a tree a
row, a warp a row, and tiles of 32 and 16. Their mistakes are spread over alignment, sizes,
grids, values, rounding, NaN, infinity, signs of zero, inputs that are written, sums, sides of
matrices, order, streams and what is left of an earlier call. The causes were written before a
member was judged. It holds 70 wrong members and 14 right ones. On the emulator each ran beside
PyTorch, compared as a case does, called twice on the same tensors, with NaN and with 1e3 in
floating outputs (-1 and 77 in others), with tensors at either end of their pages, on a stream
that is not the default one, with threads in order, from the last to the first and in a random
order, and in the slices that the cases name; of more than 2^31 numbers only the first second
ran. Bases and right ones ran all cases; wrong ones until they were wrong often enough. Of those
that lack a barrier or an atomic not each is wrong in every order of threads:
`ninetyone_peak_no_atomic` was right in all that were tried. nvcc 13.0 compiles each for 8.0,
all members of a base in one file; none was run on a GPU. Bases and right ones are right, and
all others wrong or refused by a fault:

    ninetyone_larger_fmaxf             of NaN beside a number
    ninetyone_larger_one_too_many      unless the block size divides n
    ninetyone_larger_blocks_down       from a second block on, unless the block size divides n
    ninetyone_larger_smaller           of numbers that differ
    ninetyone_larger_always_256        of other block sizes, from a second block on
    ninetyone_axpy_product_of_halves   of products that are not halves
    ninetyone_axpy_odd_forgotten       of odd n
    ninetyone_axpy_y_anywhere          from 2 numbers on, by the address of y
    ninetyone_axpy_factor_of_y         of nearly all
    ninetyone_axpy_no_stream           on another stream than the default one
    ninetyone_widen_unsigned           of bytes below 0, from 4 numbers on
    ninetyone_widen_third_again        from 4 numbers on
    ninetyone_widen_dst_anywhere       from 4 numbers on, by the address of the output
    ninetyone_widen_three_are_a_pack   if 3 numbers are left
    ninetyone_widen_half_the_blocks    from a second block on
    ninetyone_chop_nearest             of fractions of a half and more
    ninetyone_chop_floor               of fractions below 0
    ninetyone_chop_through_short       of numbers beyond 16 bits
    ninetyone_chop_no_loop             from 5,121 numbers on
    ninetyone_chop_not_the_last        always
    ninetyone_gelu_digit               of numbers of usual size
    ninetyone_gelu_asks_x_alone        from 4 numbers on, by the address of y alone
    ninetyone_gelu_exponentials        from about 10 on, and of infinity
    ninetyone_gelu_rest_from_packs     from 171 numbers on, unless 4 divides n
    ninetyone_gelu_square              of numbers of usual size
    ninetyone_clamp_floats             of numbers beyond 2^24
    ninetyone_clamp_limits_swapped     unless the limits are alike
    ninetyone_clamp_three              from more than three block sizes on
    ninetyone_clamp_tests_start        unless four block sizes divide n
    ninetyone_clamp_first_limit        if an earlier call had another limit
    ninetyone_unsign_one_of_two        of numbers below 0 at even places
    ninetyone_unsign_turned_over       of numbers above 0, in pairs
    ninetyone_unsign_below_0           of -0 in pairs
    ninetyone_unsign_pairs_up          of odd n
    ninetyone_unsign_threads_down      of odd n, if the block size divides n / 2
    ninetyone_total_no_barrier         where threads do not wait for another
    ninetyone_total_quarter            from 65 numbers on
    ninetyone_total_from_second_part   unless the first part is 0
    ninetyone_total_steps_of_a_block   from a second block on
    ninetyone_total_no_stream          on another stream than the default one
    ninetyone_peak_not_set             if the output held something
    ninetyone_peak_signed              if the largest is below 0
    ninetyone_peak_one_a_thread        from 8,193 numbers on
    ninetyone_peak_from_8_lanes        if the largest is in the other half of a warp
    ninetyone_peak_no_atomic           where warps do not wait for another
    ninetyone_means_by_rows            unless rows and columns are as many
    ninetyone_means_one_a_thread       from 65 columns on
    ninetyone_means_pitch              from a second row on, unless rows and columns are as many
    ninetyone_means_last_step          from 2 columns on
    ninetyone_means_whole              of sums that are not whole, NaN and infinity
    ninetyone_rms_no_eps               of nearly all; NaN of zeros
    ninetyone_rms_shuffles_down        from 2 columns on
    ninetyone_rms_gain_of_row          from 2 columns or rows on
    ninetyone_rms_rows_not_tested      unless 4 divides the rows
    ninetyone_rms_in_place             always: x is overwritten
    ninetyone_turn_grid_swapped        unless the tiles are as many each way
    ninetyone_turn_no_barrier          where threads do not wait for another
    ninetyone_turn_tile_straight       of nearly all
    ninetyone_turn_pitch_of_input      unless the sides are alike
    ninetyone_turn_half_a_tile         from 17 columns on
    ninetyone_flips_first_place        from 2 matrices on
    ninetyone_flips_square             from 2 matrices on, unless they are square
    ninetyone_flips_one_plane          from 2 matrices on
    ninetyone_flips_test_of_way_in     of tiles that are not whole, unless square
    ninetyone_flips_tiles_down         from 17 columns on, unless 16 divides them
    ninetyone_layer_whole_tiles        unless 16 divides k
    ninetyone_layer_bias_of_row        of nearly all
    ninetyone_layer_bias_after         of sums or a bias below 0
    ninetyone_layer_nan_is_0           of NaN
    ninetyone_layer_no_second_barrier  from k = 17 on, where threads do not wait
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import whole

# The larger of two numbers, one a thread; NaN stays.
LARGER = (
    HEADER
    + """\
__global__ void larger(const float* a, const float* b, float* out, int64_t n) {
  int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float u = a[i];
    float v = b[i];
    out[i] = (u > v || isnan(u)) ? u : v;
  }
}

extern "C" void launch(const float* a,  // [n]
                       const float* b,  // [n]
                       float* out,      // [n]
                       int64_t n, int block_size = 256, cudaStream_t stream = 0) {
  if (n == 0) return;
  unsigned blocks = (n + block_size - 1) / block_size;
  larger<<<blocks, block_size, 0, stream>>>(a, b, out, n);
}
"""
)

# A number times halves plus halves, in pairs; the last thread takes the odd one.
AXPY = (
    HEADER
    + """\
__device__ half madd(float a, half x, half y)
{
    float sum = a * __half2float(x) + __half2float(y);
    return __float2half(sum);
}

__global__ void axpyKernel(float a, const half *x, const half *y, half *z, int n)
{
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    int k = 2 * idx;
    if (k + 1 < n) {
        half2 xv = *(const half2 *)&x[k];
        half2 yv = *(const half2 *)&y[k];
        half2 zv;
        zv.x = madd(a, xv.x, yv.x);
        zv.y = madd(a, xv.y, yv.y);
        *(half2 *)&z[k] = zv;
    } else if (k < n) {
        z[k] = madd(a, x[k], y[k]);
    }
}

extern "C" void launch(const half *x,  // [n] 4-byte aligned
                       const half *y,  // [n] 4-byte aligned
                       half *z,        // [n] 4-byte aligned
                       float a, int n, int block_size = 128, cudaStream_t stream = 0)
{
    int threads = (n + 1) / 2;
    int blocks = (threads + block_size - 1) / block_size;
    axpyKernel<<<blocks, block_size, 0, stream>>>(a, x, y, z, n);
}
"""
)

# Signed bytes to floats, four a thread.
WIDEN = (
    HEADER
    + """\
__global__ void widen(const int8_t* src, float* dst, int64_t count) {
    const int64_t thread = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const int64_t base = 4 * thread;
    if (base + 4 <= count) {
        const char4 q = reinterpret_cast<const char4*>(src)[thread];
        float4 f;
        f.x = q.x;
        f.y = q.y;
        f.z = q.z;
        f.w = q.w;
        reinterpret_cast<float4*>(dst)[thread] = f;
        return;
    }
    for (int64_t j = base; j < count; ++j) dst[j] = src[j];
}

extern "C" void launch(const int8_t* src,  // [count] 4-byte aligned
                       float* dst,         // [count] 16-byte aligned
                       int64_t count, int block_size = 64, cudaStream_t stream = 0) {
    const int per_block = 4 * block_size;
    const unsigned blocks = (count + per_block - 1) / per_block;
    if (blocks > 0) widen<<<blocks, block_size, 0, stream>>>(src, dst, count);
}
"""
)

# Halves to whole numbers toward 0, in a loop over a small grid.
CHOP = (
    HEADER
    + """\
#define MAX_BLOCKS 40

__global__ void chop(const half *in, int32_t *out, int64_t n)
{
        int step = gridDim.x * blockDim.x;

        for (int64_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
                float f = __half2float(in[i]);
                out[i] = (int32_t)f;
        }
}

extern "C" void launch(const half *in,  // [n]
                       int32_t *out,    // [n]
                       int64_t n, cudaStream_t stream = 0)
{
        int64_t blocks = (n + 127) / 128;

        if (blocks == 0)
                return;
        if (blocks > MAX_BLOCKS)
                blocks = MAX_BLOCKS;
        chop<<<(int)blocks, 128, 0, stream>>>(in, out, n);
}
"""
)

# Gelu by tanh: float4 where both addresses allow it, and single numbers elsewhere.
GELU = (
    HEADER
    + """\
__device__ float geluf(float x) {
  float u = 0.7978845608f * (x + 0.044715f * x * x * x);
  return 0.5f * x * (1.0f + tanhf(u));
}

__global__ void gelu4(const float4* x, float4* y, int packs) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= packs) return;
  float4 v = x[i];
  y[i] = make_float4(geluf(v.x), geluf(v.y), geluf(v.z), geluf(v.w));
}

__global__ void gelu1(const float* x, float* y, int first, int n) {
  int i = first + blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = geluf(x[i]);
}

static bool aligned(const void* p) { return ((uintptr_t)p & 15) == 0; }

extern "C" void launch(const float* x,  // [n]
                       float* y,        // [n]
                       int n, cudaStream_t stream = 0) {
  int packs = aligned(x) && aligned(y) ? n / 4 : 0;
  int rest = n - 4 * packs;
  if (packs > 0)
    gelu4<<<(packs + 127) / 128, 128, 0, stream>>>((const float4*)x, (float4*)y, packs);
  if (rest > 0) gelu1<<<(rest + 127) / 128, 128, 0, stream>>>(x, y, 4 * packs, n);
}
"""
)

# Whole numbers between two limits, four a thread that lie a block apart.
CLAMP = (
    HEADER
    + """\
constexpr int kItems = 4;

__device__ __forceinline__ int clampInt(int v, int lo, int hi)
{
  return min(max(v, lo), hi);
}

__global__ void clampKernel(const int *x, int *y, int lo, int hi, int n)
{
  int start = blockIdx.x * blockDim.x * kItems + threadIdx.x;
  for (int j = 0; j < kItems; j++)
  {
    int i = start + j * blockDim.x;
    if (i < n)
      y[i] = clampInt(x[i], lo, hi);
  }
}

extern "C" void launch(const int *x,  // [n]
                       int *y,        // [n]
                       int lo, int hi, int n, int block_size = 96, cudaStream_t stream = 0)
{
  int tile = block_size * kItems;
  clampKernel<<<(n + tile - 1) / tile, block_size, 0, stream>>>(x, y, lo, hi, n);
}
"""
)

# The absolute value of halves: the sign bits of two at once are cleared.
UNSIGN = (
    HEADER
    + """\
__device__ unsigned clear_signs(unsigned two) {
    return two & 0x7fff7fffu;
}

__global__ void unsign(const half* x, half* y, int64_t n) {
    int64_t p = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (p < n / 2) {
        unsigned two = ((const unsigned*)x)[p];
        ((unsigned*)y)[p] = clear_signs(two);
    } else if (2 * p < n) {
        y[2 * p] = __habs(x[2 * p]);
    }
}

extern "C" void launch(const half* x,  // [n] 4-byte aligned
                       half* y,        // [n] 4-byte aligned
                       int64_t n, int block_size = 128, cudaStream_t stream = 0) {
    int64_t threads = (n + 1) / 2;
    unsigned blocks = (unsigned)((threads + block_size - 1) / block_size);
    if (blocks) unsign<<<blocks, block_size, 0, stream>>>(x, y, n);
}
"""
)

# The sum of all numbers in double: a part a block, then one warp over the parts.
TOTAL = (
    HEADER
    + """\
#define THREADS 128
#define PARTS 64

__device__ double parts[PARTS];

__global__ void sumParts(const float *x, int64_t n) {
    __shared__ double buf[THREADS];
    int tid = threadIdx.x;
    double mine = 0.0;
    for (int64_t i = blockIdx.x * THREADS + tid; i < n; i += gridDim.x * THREADS)
        mine += x[i];
    buf[tid] = mine;
    __syncthreads();
    for (int half_size = THREADS / 2; half_size >= 1; half_size /= 2) {
        if (tid < half_size) buf[tid] += buf[tid + half_size];
        __syncthreads();
    }
    if (tid == 0) parts[blockIdx.x] = buf[0];
}

__global__ void sumAll(float *out, int count) {
    double total = 0.0;
    for (int k = 0; k < count; k++) total += parts[k];
    *out = (float)total;
}

extern "C" void launch(const float *x,  // [n]
                       float *out,      // [1]
                       int64_t n, cudaStream_t stream = 0) {
    int64_t blocks = (n + THREADS - 1) / THREADS;
    if (blocks < 1) blocks = 1;
    if (blocks > PARTS) blocks = PARTS;
    sumParts<<<(int)blocks, THREADS, 0, stream>>>(x, n);
    sumAll<<<1, 1, 0, stream>>>(out, (int)blocks);
}
"""
)

# The largest absolute value: bits of numbers that are not negative compare like integers.
PEAK = (
    HEADER
    + """\
__global__ void peak(const float* data, int* best, int64_t n) {
  int m = 0;
  int threads = gridDim.x * blockDim.x;
  for (int64_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {
    float a = fabsf(data[i]);
    m = max(m, __float_as_int(a));
  }
  for (int lanes = 16; lanes > 0; lanes >>= 1) {
    m = max(m, __shfl_xor_sync(0xffffffffu, m, lanes));
  }
  if (threadIdx.x % 32 == 0) atomicMax(best, m);
}

extern "C" void launch(const float* data,  // [n]
                       float* result,      // [1]
                       int64_t n, cudaStream_t stream = 0) {
  int blocks = n > 32 * 256 ? 32 : (int)((n + 255) / 256);
  cudaMemsetAsync(result, 0, sizeof(float), stream);
  if (n > 0) peak<<<blocks, 256, 0, stream>>>(data, (int*)result, n);
}
"""
)

# The mean of each row, a block a row and a tree in shared memory.
MEANS = (
    HEADER
    + """\
#define NT 64

__global__ void row_mean(const float *x, float *mean, int rows, int cols)
{
    __shared__ float acc[NT];
    int row = blockIdx.x;
    int t = threadIdx.x;

    float s = 0.0f;
    for (int c = t; c < cols; c += NT)
        s += x[(size_t)row * cols + c];
    acc[t] = s;
    __syncthreads();

    for (int w = NT / 2; w > 0; w >>= 1) {
        if (t < w)
            acc[t] += acc[t + w];
        __syncthreads();
    }
    if (t == 0)
        mean[row] = acc[0] / cols;
}

extern "C" void launch(const float *x,  // [rows, cols]
                       float *mean,     // [rows]
                       int rows, int cols, cudaStream_t stream = 0)
{
    row_mean<<<rows, NT, 0, stream>>>(x, mean, rows, cols);
}
"""
)

# Rms norm with a gain a column: a warp a row, four rows a block.
RMS = (
    HEADER
    + """\
__device__ float warp_total(float v) {
  for (int offset = 16; offset > 0; offset /= 2)
    v += __shfl_xor_sync(0xffffffff, v, offset);
  return v;
}

__global__ void rms_norm(const float* x, const float* gain, float* y, float eps, int rows,
                         int cols) {
  int lane = threadIdx.x % 32;
  int row = blockIdx.x * 4 + threadIdx.x / 32;
  if (row >= rows) return;
  const float* in = x + (size_t)row * cols;
  float* out = y + (size_t)row * cols;
  float squares = 0.0f;
  for (int c = lane; c < cols; c += 32) squares += in[c] * in[c];
  squares = warp_total(squares);
  float scale = rsqrtf(squares / cols + eps);
  for (int c = lane; c < cols; c += 32) out[c] = in[c] * scale * gain[c];
}

extern "C" void launch(const float* x,     // [rows, cols]
                       const float* gain,  // [cols]
                       float* y,           // [rows, cols]
                       float eps, int rows, int cols, cudaStream_t stream = 0) {
  int blocks = (rows + 3) / 4;
  rms_norm<<<blocks, 128, 0, stream>>>(x, gain, y, eps, rows, cols);
}
"""
)

# A matrix of 16-bit numbers turned: a tile of 32 by 32, eight rows of threads.
TURN = (
    HEADER
    + """\
constexpr int TILE = 32;
constexpr int STRIPS = 8;

__global__ void turn(const int16_t* in, int16_t* out, int rows, int cols) {
    __shared__ int16_t tile[TILE][TILE + 2];
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    for (int k = 0; k < TILE; k += STRIPS)
        if (x < cols && y + k < rows)
            tile[threadIdx.y + k][threadIdx.x] = in[(size_t)(y + k) * cols + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (int k = 0; k < TILE; k += STRIPS)
        if (x < rows && y + k < cols)
            out[(size_t)(y + k) * rows + x] = tile[threadIdx.x][threadIdx.y + k];
}

extern "C" void launch(const int16_t* in,  // [rows, cols]
                       int16_t* out,       // [cols, rows]
                       int rows, int cols, cudaStream_t stream = 0) {
    dim3 threads(TILE, STRIPS);
    dim3 grid((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
    turn<<<grid, threads, 0, stream>>>(in, out, rows, cols);
}
"""
)

# Several matrices turned at once, one a plane of the grid.
FLIPS = (
    HEADER
    + """\
#define B 16

__global__ void batchTranspose(const float *src, float *dst, int h, int w)
{
    __shared__ float t[B][B + 1];
    const float *s = src + (size_t)blockIdx.z * h * w;
    float *d = dst + (size_t)blockIdx.z * h * w;

    int col = blockIdx.x * B + threadIdx.x;
    int row = blockIdx.y * B + threadIdx.y;
    if (row < h && col < w)
        t[threadIdx.y][threadIdx.x] = s[row * w + col];
    __syncthreads();

    int ocol = blockIdx.y * B + threadIdx.x;
    int orow = blockIdx.x * B + threadIdx.y;
    if (orow < w && ocol < h)
        d[orow * h + ocol] = t[threadIdx.x][threadIdx.y];
}

extern "C" void launch(const float *src,  // [batch, h, w]
                       float *dst,        // [batch, w, h]
                       int batch, int h, int w, cudaStream_t stream = 0)
{
    dim3 block(B, B);
    dim3 grid((w + B - 1) / B, (h + B - 1) / B, batch);
    batchTranspose<<<grid, block, 0, stream>>>(src, dst, h, w);
}
"""
)

# A product of matrices in tiles, with a bias a column and relu, which leaves NaN.
LAYER = (
    HEADER
    + """\
#define TS 16

__device__ float relu(float v) { return v < 0.0f ? 0.0f : v; }

__global__ void layer(const float* a, const float* b, const float* bias, float* c, int m, int n,
                      int k) {
  __shared__ float as[TS][TS];
  __shared__ float bs[TS][TS];
  int tx = threadIdx.x, ty = threadIdx.y;
  int col = blockIdx.x * TS + tx;
  int row = blockIdx.y * TS + ty;
  float acc = 0.0f;
  int tiles = (k + TS - 1) / TS;
  for (int t = 0; t < tiles; t++) {
    int ac = t * TS + tx;
    int br = t * TS + ty;
    as[ty][tx] = (row < m && ac < k) ? a[(size_t)row * k + ac] : 0.0f;
    bs[ty][tx] = (br < k && col < n) ? b[(size_t)br * n + col] : 0.0f;
    __syncthreads();
    for (int j = 0; j < TS; j++) acc += as[ty][j] * bs[j][tx];
    __syncthreads();
  }
  if (row < m && col < n) c[(size_t)row * n + col] = relu(acc + bias[col]);
}

extern "C" void launch(const float* a,     // [m, k]
                       const float* b,     // [k, n]
                       const float* bias,  // [n]
                       float* c,           // [m, n]
                       int m, int n, int k, cudaStream_t stream = 0) {
  dim3 grid((n + TS - 1) / TS, (m + TS - 1) / TS);
  layer<<<grid, dim3(TS, TS), 0, stream>>>(a, b, bias, c, m, n, k);
}
"""
)

NAN, INF = float("nan"), float("inf")
LENGTHS = (*range(1, 71), 95, 96, 97, 127, 128, 129, 191, 192, 193, 255, 256, 257, 383, 384)
LENGTHS += (385, 511, 512, 513, 1000, 1023, 1024, 1025, 2047, 2049, 4099, 10_001)
SIDES = ((1, 1), (2, 1), (1, 2), (3, 2), (4, 31), (5, 32), (8, 33), (33, 8), (2, 64), (65, 3))
SIDES += ((9, 70), (70, 1), (3, 1000), (1, 4099), (64, 70), (130, 6), (40, 50), (32, 32))
SIDES += ((301, 2), (3, 129), (7, 128), (5, 63), (65, 65), (6, 6), (7, 10), (2, 130))
FLOAT, HALF, WHOLE = (torch.float32,), (torch.float16,), (torch.int32,)


def gelu(x: torch.Tensor) -> torch.Tensor:
    """Return gelu by tanh."""
    u = math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)
    return 0.5 * x * (1 + torch.tanh(u))


def trunc(x: torch.Tensor) -> torch.Tensor:
    """Cut off what follows the point."""
    return x.trunc()


def axpys(launcher: Launcher) -> Iterator[Case]:
    """Add, where only the last step rounds: usual, a third, far apart, infinities, NaN."""
    for n in LENGTHS:
        x, y, j = whole(-999, 1000, n, 2 * n), whole(-999, 1000, n, 2 * n + 1), torch.arange(n)
        for label, p, q, a in (
            ("usual", x / 8, y / 8, 1.5),
            ("fine", x / 64, y / 64, 0.8125),
            ("a = 0", x / 8, y / 8, 0.0),
            ("near opposite", x / 8, -x / 8, 1.0625),
            ("large", x * 16, y * 16, 2.5),
            ("infinities", torch.where(j % 5 == 1, INF, x.double()), y / 8, -0.5),
            ("NaN", x / 8, torch.where(j % 3 == 1, NAN, y.double()), 0.25),
        ):
            p, q = p.half(), q.half()
            right = a * p.double() + q.double()
            for block_size in (128, 32, 256):
                scalars = {"a": a, "block_size": block_size}
                words = f"n = {n:,}, {scalars}, {label}"
                options = {"dtypes": HALF, "quick": n > 5000}
                yield Case(words, (p, q), (right,), scalars, **options)
            if n < 300 and label == "usual":
                for offsets in ((2, 4, 2), (2, 2, 2)):
                    words = f"n = {n:,}, slices from {offsets}"
                    yield Case(words, (p, q), (right,), {"a": a}, offset=offsets, **options)


def gelus(launcher: Launcher) -> Iterator[Case]:
    """Try usual, small, large numbers of either sign, zeros, infinity, NaN; slices."""
    for n in LENGTHS:
        x, j = whole(-999, 1000, n, n).float() / 256, torch.arange(n)
        for label, y in (
            ("usual", x),
            ("small", x / 4096),
            ("large", x * 1000),
            ("zeros", torch.where(j % 2 == 1, 0.0, -0.0)),
            ("infinity", torch.where(j % 2 == 1, INF, x)),
            ("NaN", torch.where(j % 3 == 1, NAN, x)),
        ):
            right = gelu(y.double())
            slack = ((2.0**-20 * y.double().abs()).nan_to_num(0.0, 0.0),)
            options = {"dtypes": FLOAT, "within": slack, "quick": n > 5000}
            yield Case(f"n = {n:,}, {label}", (y,), (right,), {}, **options)
            if n < 300 and label == "usual":
                for offsets in ((1, 1), (4, 1), (1, 4), (4, 8)):
                    words = f"n = {n:,}, slices from {offsets}"
                    yield Case(words, (y,), (right,), {}, offset=offsets, **options)


def clamps(launcher: Launcher) -> Iterator[Case]:
    """Clamp: usual, large numbers, the ends of the range, limits alike."""
    for n in (*LENGTHS, 50_003):
        x, j = whole(-999, 1000, n, n), torch.arange(n)
        for label, y, lo, hi in (
            ("usual", x, -300, 400),
            ("one side", x, 0, 2**31 - 1),
            ("large", x * 2_000_003, -1_700_000_001, 1_900_000_003),
            ("the ends", torch.where(j % 2 == 1, -(2**31), 2**31 - 1), -7, 2**31 - 2),
            ("limits alike", x, 5, 5),
        ):
            for block_size in (96, 32, 256):
                scalars = {"lo": lo, "hi": hi, "block_size": block_size}
                words = f"n = {n:,}, {scalars}, {label}"
                options = {"dtypes": WHOLE, "quick": n > 5000}
                yield Case(words, (y.int(),), (y.clamp(lo, hi),), scalars, **options)


def means(launcher: Launcher) -> Iterator[Case]:
    """Take means, the sums of which are exact: any, zeros, negative, quarters, NaN."""
    for rows, cols in (*SIDES, (3, 2_001), (513, 3)):
        n = rows * cols
        x, c = whole(-99, 100, n, n).reshape(rows, cols).double(), torch.arange(cols)
        for label, y in (
            ("any", x),
            ("zeros", x * 0),
            ("negative", -x.abs() - 1),
            ("fractions", x / 4),
            ("the last alone", torch.where(c == cols - 1, 7.0, 0.0) + 0 * x),
            ("infinity", torch.where(c == cols // 3, INF, x)),
            ("NaN", torch.where((c == cols // 2) & (x % 2 == 0), NAN, x)),
        ):
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y.float(),), (y.mean(1),), dtypes=FLOAT, ulp=1)


def norms(launcher: Launcher) -> Iterator[Case]:
    """Norm whole numbers: any, plain, small, zeros, negative, large, a NaN."""
    for rows, cols in (*SIDES, (3, 2_001), (129, 130)):
        n = rows * cols
        x, c = whole(-99, 100, n, n).reshape(rows, cols).double(), torch.arange(cols)
        gain = whole(-9, 10, cols, cols).double() / 4
        for label, y, g, eps in (
            ("any", x, gain, 1.0),
            ("plain", x, gain * 0 + 1, 0.001),
            ("small", x / 1024, gain, 0.25),
            ("zeros", x * 0, gain, 0.0625),
            ("negative", -x.abs() - 1, gain * 0 + 2, 0.5),
            ("large", x * 1024, gain, 0.5),
            ("NaN", torch.where((x % 9 == 4) & (c == cols // 2), NAN, x), gain, 1.0),
        ):
            right = y / ((y * y).mean(1, keepdim=True) + eps).sqrt() * g
            slack = ((2.0**-18 * right.abs()).nan_to_num(0.0),)
            words = f"rows = {rows:,}, cols = {cols:,}, eps = {eps}, {label}"
            inputs = y.float(), g.float()
            yield Case(words, inputs, (right,), {"eps": eps}, dtypes=FLOAT, within=slack)


def turns(launcher: Launcher) -> Iterator[Case]:
    """Turn matrices of all numbers of 16 bits, and of a single one."""
    for rows, cols in (*SIDES, (31, 200), (200, 31), (300, 1), (33, 65), (16, 16), (17, 15)):
        n = rows * cols
        x = whole(-(2**15), 2**15, n, n).reshape(rows, cols)
        for label, y in (("any", x), ("small", x % 100), ("alike", x * 0 - 3)):
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y.short(),), (y.T.contiguous(),), dtypes=(torch.int16,))


def flips(launcher: Launcher) -> Iterator[Case]:
    """Turn one, two and several matrices: any, with zeros of both signs, with NaN."""
    for h, w in (*SIDES, (31, 200), (200, 31), (300, 1), (33, 65), (16, 16), (17, 15)):
        for batch in (1, 2, 5):
            n = batch * h * w
            x = whole(-9999, 10_000, n, n).reshape(batch, h, w).float()
            for label, y in (
                ("any", x),
                ("zeros", torch.where(x > 0, 0.0, -0.0)),
                ("NaN", torch.where(x % 7 == 2, NAN, x)),
            ):
                words = f"batch = {batch}, h = {h:,}, w = {w:,}, {label}"
                right = y.transpose(1, 2).contiguous()
                yield Case(words, (y,), (right,), dtypes=FLOAT)


def layers(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole numbers, so that all is exact: any, ones, all below 0, a NaN."""
    sides = ((1, 1, 1), (1, 2, 3), (2, 1, 40), (3, 5, 7), (16, 16, 16), (17, 15, 33))
    sides += ((15, 17, 65), (5, 40, 1), (40, 5, 2), (33, 31, 20), (1, 70, 31), (70, 1, 32))
    sides += ((20, 65, 48), (65, 20, 5), (3, 2, 1000), (2, 3, 300))
    for m, n, k in (*sides, *((7, 9, k) for k in range(2, 64, 3))):
        a = whole(-30, 31, m * k, m + k).reshape(m, k).double()
        b = whole(-30, 31, k * n, n).reshape(k, n).double()
        bias, h, i = whole(-999, 1000, n, n + 1).double(), torch.arange(k), torch.arange(m)
        for label, s, t, u in (
            ("any", a, b, bias),
            ("no bias", a, b, bias * 0),
            ("bias alone", a * 0, b, bias),
            ("all below 0", -a.abs() - 1, b.abs() + 1, -bias.abs()),
            ("the last of k alone", torch.where(h == k - 1, 5.0, 0.0) + a * 0, b, bias),
            ("a NaN", torch.where((h == k // 2) & (i[:, None] == m // 2), NAN, a), b, bias),
        ):
            right = s @ t + u
            right = torch.where(right < 0, 0.0, right)
            words = f"m = {m}, n = {n}, k = {k}, {label}"
            inputs = s.float(), t.float(), u.float()
            yield Case(words, inputs, (right,), dtypes=FLOAT)


def largest_size(x: torch.Tensor) -> torch.Tensor:
    """Return the largest absolute value."""
    return x.abs().max()


BASES = {
    "ninetyone_larger": Base(LARGER, {"reference": torch.maximum}),
    "ninetyone_axpy": Base(AXPY, {"cases": axpys}),
    "ninetyone_widen": Base(WIDEN, {"reference": "cast"}),
    "ninetyone_chop": Base(CHOP, {"reference": trunc}),
    "ninetyone_gelu": Base(GELU, {"cases": gelus}),
    "ninetyone_clamp": Base(CLAMP, {"cases": clamps}),
    "ninetyone_unsign": Base(UNSIGN, {"reference": torch.abs}),
    "ninetyone_total": Base(TOTAL, cases="sums"),
    "ninetyone_peak": Base(PEAK, cases="whole_array", function=largest_size),
    "ninetyone_means": Base(MEANS, {"cases": means}),
    "ninetyone_rms": Base(RMS, {"cases": norms}),
    "ninetyone_turn": Base(TURN, {"cases": turns}),
    "ninetyone_flips": Base(FLIPS, {"cases": flips}),
    "ninetyone_layer": Base(LAYER, {"cases": layers}),
}
WRONG = (
    # ---- larger
    # fmaxf gives the number beside NaN.
    Wrong(
        "ninetyone_larger_fmaxf",
        "ninetyone_larger",
        "nan",
        ("(u > v || isnan(u)) ? u : v;", "fmaxf(u, v);"),
    ),
    # The index may be n.
    Wrong(
        "ninetyone_larger_one_too_many",
        "ninetyone_larger",
        "bounds | tail",
        ("if (i < n) {", "if (i <= n) {"),
    ),
    # The number of blocks is rounded down.
    Wrong(
        "ninetyone_larger_blocks_down",
        "ninetyone_larger",
        "tail / unwritten / grid / left out | nan",
        (
            "unsigned blocks = (n + block_size - 1) / block_size;",
            "unsigned blocks = n < block_size ? 1 : n / block_size;",
        ),
    ),
    # The smaller one is taken.
    Wrong(
        "ninetyone_larger_smaller",
        "ninetyone_larger",
        "function / swapped | numbers / infinity / sign of zero",
        ("u > v ||", "u < v ||"),
    ),
    # The index counts blocks of 256.
    Wrong(
        "ninetyone_larger_always_256",
        "ninetyone_larger",
        "block size | unwritten / left out / nan / other element / race / twice",
        ("blockIdx.x * blockDim.x + threadIdx.x", "blockIdx.x * 256 + threadIdx.x"),
    ),
    # ---- axpy
    # The product is a half before y is added.
    Wrong(
        "ninetyone_axpy_product_of_halves",
        "ninetyone_axpy",
        "rounding / precision | numbers / infinity",
        (
            "float sum = a * __half2float(x) + __half2float(y);",
            "half ax = __float2half(a * __half2float(x));\n"
            "    float sum = __half2float(ax) + __half2float(y);",
        ),
    ),
    # Nothing takes the odd one.
    Wrong(
        "ninetyone_axpy_odd_forgotten",
        "ninetyone_axpy",
        "tail / unwritten / left out | nan",
        (
            "    } else if (k < n) {\n        z[k] = madd(a, x[k], y[k]);\n    }",
            "    }",
        ),
    ),
    # y may lie anywhere.
    Wrong(
        "ninetyone_axpy_y_anywhere",
        "ninetyone_axpy",
        "alignment",
        ("const half *y,  // [n] 4-byte aligned", "const half *y,  // [n]"),
    ),
    # y has the factor.
    Wrong(
        "ninetyone_axpy_factor_of_y",
        "ninetyone_axpy",
        "swapped / function | numbers / nan / infinity / sign of zero",
        ("a * __half2float(x) + __half2float(y)", "a * __half2float(y) + __half2float(x)"),
    ),
    # The launch has no stream.
    Wrong(
        "ninetyone_axpy_no_stream",
        "ninetyone_axpy",
        "stream",
        ("<<<blocks, block_size, 0, stream>>>", "<<<blocks, block_size>>>"),
    ),
    # ---- widen
    # Bytes of a pack have no sign.
    Wrong(
        "ninetyone_widen_unsigned",
        "ninetyone_widen",
        "whole range | numbers / function",
        (
            "const char4 q = reinterpret_cast<const char4*>(src)",
            "const uchar4 q = reinterpret_cast<const uchar4*>(src)",
        ),
    ),
    # The third byte is taken for the fourth, too.
    Wrong(
        "ninetyone_widen_third_again",
        "ninetyone_widen",
        "other element / neighbour / twice / left out | numbers",
        ("f.w = q.w;", "f.w = q.z;"),
    ),
    # The floats may lie anywhere.
    Wrong(
        "ninetyone_widen_dst_anywhere",
        "ninetyone_widen",
        "alignment",
        ("float* dst,         // [count] 16-byte aligned", "float* dst,         // [count]"),
    ),
    # A pack is taken if three numbers are left.
    Wrong(
        "ninetyone_widen_three_are_a_pack",
        "ninetyone_widen",
        "bounds / tail",
        ("if (base + 4 <= count)", "if (base + 3 <= count)"),
    ),
    # A block is taken for one that does 8 numbers a thread.
    Wrong(
        "ninetyone_widen_half_the_blocks",
        "ninetyone_widen",
        "unwritten / grid / left out / tail | nan",
        ("const int per_block = 4 * block_size;", "const int per_block = 8 * block_size;"),
    ),
    # ---- chop
    # The nearest whole number is taken.
    Wrong(
        "ninetyone_chop_nearest",
        "ninetyone_chop",
        "rounding | numbers / function",
        ("(int32_t)f;", "__float2int_rn(f);"),
    ),
    # Numbers are rounded down.
    Wrong(
        "ninetyone_chop_floor",
        "ninetyone_chop",
        "rounding | numbers / function",
        ("(int32_t)f;", "(int32_t)floorf(f);"),
    ),
    # They go through 16 bits.
    Wrong(
        "ninetyone_chop_through_short",
        "ninetyone_chop",
        "whole range / narrow | numbers / infinity",
        ("(int32_t)f;", "(int16_t)(int32_t)f;"),
    ),
    # The grid has a limit, and there is no loop.
    Wrong(
        "ninetyone_chop_no_loop",
        "ninetyone_chop",
        "unwritten / grid / left out | tail / nan",
        (
            "        for (int64_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; "
            "i += step) {",
            "        int i = blockIdx.x * blockDim.x + threadIdx.x;\n        if (i < n) {",
        ),
        ("        int step = gridDim.x * blockDim.x;\n", ""),
    ),
    # The last one is left out.
    Wrong(
        "ninetyone_chop_not_the_last",
        "ninetyone_chop",
        "tail / unwritten / left out",
        ("i < n; i += step", "i < n - 1; i += step"),
    ),
    # ---- gelu
    # A digit is missing in the constant.
    Wrong(
        "ninetyone_gelu_digit",
        "ninetyone_gelu",
        "function | numbers / precision",
        ("0.044715f", "0.04715f"),
    ),
    # Only the address of x is asked.
    Wrong(
        "ninetyone_gelu_asks_x_alone",
        "ninetyone_gelu",
        "alignment",
        ("aligned(x) && aligned(y) ? n / 4 : 0", "aligned(x) ? n / 4 : 0"),
    ),
    # tanh is a quotient of exponentials, which overflow.
    Wrong(
        "ninetyone_gelu_exponentials",
        "ninetyone_gelu",
        "infinity / nan | numbers / function",
        (
            "  return 0.5f * x * (1.0f + tanhf(u));",
            "  float e = expf(2.0f * u);\n"
            "  return 0.5f * x * (1.0f + (e - 1.0f) / (e + 1.0f));",
        ),
    ),
    # The rest begins where the packs would end if they were numbers.
    Wrong(
        "ninetyone_gelu_rest_from_packs",
        "ninetyone_gelu",
        "tail / unwritten / left out / other element | nan / numbers",
        ("(x, y, 4 * packs, n);", "(x, y, packs, n);"),
    ),
    # The cube is a square.
    Wrong(
        "ninetyone_gelu_square",
        "ninetyone_gelu",
        "function | numbers / nan / infinity",
        ("0.044715f * x * x * x", "0.044715f * x * x"),
    ),
    # ---- clamp
    # Numbers go through floats.
    Wrong(
        "ninetyone_clamp_floats",
        "ninetyone_clamp",
        "precision | numbers / whole range / rounding",
        ("return min(max(v, lo), hi);", "return (int)fminf(fmaxf(v, lo), hi);"),
    ),
    # The limits are swapped.
    Wrong(
        "ninetyone_clamp_limits_swapped",
        "ninetyone_clamp",
        "swapped / function | numbers / copy",
        ("min(max(v, lo), hi)", "min(max(v, hi), lo)"),
    ),
    # Three of four are done.
    Wrong(
        "ninetyone_clamp_three",
        "ninetyone_clamp",
        "unwritten / left out | tail",
        ("for (int j = 0; j < kItems; j++)", "for (int j = 0; j < kItems - 1; j++)"),
    ),
    # Only the first place is tested.
    Wrong(
        "ninetyone_clamp_tests_start",
        "ninetyone_clamp",
        "bounds | tail",
        ("    if (i < n)\n", "    if (start < n)\n"),
    ),
    # The upper limit is that of the first call.
    Wrong(
        "ninetyone_clamp_first_limit",
        "ninetyone_clamp",
        "state | numbers / function",
        (
            "  int tile = block_size * kItems;\n",
            "  static int top = hi;\n  int tile = block_size * kItems;\n",
        ),
        ("(x, y, lo, hi, n);", "(x, y, lo, top, n);"),
    ),
    # ---- unsign
    # One sign of two is cleared.
    Wrong(
        "ninetyone_unsign_one_of_two",
        "ninetyone_unsign",
        "function / left out | numbers / sign of zero / copy / infinity",
        ("two & 0x7fff7fffu", "two & 0x7fffffffu"),
    ),
    # Signs are turned over.
    Wrong(
        "ninetyone_unsign_turned_over",
        "ninetyone_unsign",
        "function | numbers / sign of zero / infinity",
        ("two & 0x7fff7fffu", "two ^ 0x80008000u"),
    ),
    # Numbers below 0 change their sign, and -0 is not below 0.
    Wrong(
        "ninetyone_unsign_below_0",
        "ninetyone_unsign",
        "sign of zero",
        (
            "    return two & 0x7fff7fffu;",
            "    half2 h = *(half2*)&two;\n"
            "    half zero = __float2half(0.0f);\n"
            "    if (__hlt(h.x, zero)) two ^= 0x8000u;\n"
            "    if (__hlt(h.y, zero)) two ^= 0x80000000u;\n"
            "    return two;",
        ),
    ),
    # An odd one is taken for a pair.
    Wrong(
        "ninetyone_unsign_pairs_up",
        "ninetyone_unsign",
        "bounds / tail",
        ("if (p < n / 2) {", "if (p < (n + 1) / 2) {"),
    ),
    # There is no thread for the odd one.
    Wrong(
        "ninetyone_unsign_threads_down",
        "ninetyone_unsign",
        "tail / unwritten / grid / left out | nan",
        ("int64_t threads = (n + 1) / 2;", "int64_t threads = n / 2;"),
    ),
    # ---- total
    # The tree is read before all have stored.
    Wrong(
        "ninetyone_total_no_barrier",
        "ninetyone_total",
        "race | numbers / left out / other element / nan / state",
        ("    buf[tid] = mine;\n    __syncthreads();\n", "    buf[tid] = mine;\n"),
    ),
    # The tree begins with a quarter.
    Wrong(
        "ninetyone_total_quarter",
        "ninetyone_total",
        "left out | numbers / nan / infinity",
        ("int half_size = THREADS / 2;", "int half_size = THREADS / 4;"),
    ),
    # The first part is not added.
    Wrong(
        "ninetyone_total_from_second_part",
        "ninetyone_total",
        "left out | numbers / nan / start",
        ("for (int k = 0; k < count; k++)", "for (int k = 1; k < count; k++)"),
    ),
    # All blocks step as if they were alone.
    Wrong(
        "ninetyone_total_steps_of_a_block",
        "ninetyone_total",
        "twice | numbers / infinity / other element",
        ("i += gridDim.x * THREADS)", "i += THREADS)"),
    ),
    # The parts are summed on the default stream.
    Wrong(
        "ninetyone_total_no_stream",
        "ninetyone_total",
        "stream",
        ("sumAll<<<1, 1, 0, stream>>>", "sumAll<<<1, 1>>>"),
    ),
    # ---- peak
    # Nothing is set before.
    Wrong(
        "ninetyone_peak_not_set",
        "ninetyone_peak",
        "zero before / start / state | numbers / nan",
        ("  cudaMemsetAsync(result, 0, sizeof(float), stream);\n", ""),
    ),
    # The sign stays.
    Wrong(
        "ninetyone_peak_signed",
        "ninetyone_peak",
        "function / left out | numbers / start / nan / infinity",
        ("fabsf(data[i])", "data[i]"),
    ),
    # The grid has a limit, and a thread takes one number.
    Wrong(
        "ninetyone_peak_one_a_thread",
        "ninetyone_peak",
        "left out / grid | numbers / nan / infinity / tail",
        (
            "  for (int64_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {",
            "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) {",
        ),
        ("  int threads = gridDim.x * blockDim.x;\n", ""),
    ),
    # Lanes 16 apart are never compared.
    Wrong(
        "ninetyone_peak_from_8_lanes",
        "ninetyone_peak",
        "left out | numbers / nan",
        ("int lanes = 16;", "int lanes = 8;"),
    ),
    # It is compared and written without an atomic.
    Wrong(
        "ninetyone_peak_no_atomic",
        "ninetyone_peak",
        "race | left out / numbers / nan",
        ("atomicMax(best, m);", "*best = max(*best, m);"),
    ),
    # ---- means
    # The sum is divided by the number of rows.
    Wrong(
        "ninetyone_means_by_rows",
        "ninetyone_means",
        "function / sides | numbers",
        ("acc[0] / cols;", "acc[0] / rows;"),
    ),
    # Each thread takes one column.
    Wrong(
        "ninetyone_means_one_a_thread",
        "ninetyone_means",
        "left out | numbers / nan / infinity",
        (
            "    for (int c = t; c < cols; c += NT)\n        s +=",
            "    int c = t;\n    if (c < cols)\n        s +=",
        ),
    ),
    # Rows lie as far apart as there are rows.
    Wrong(
        "ninetyone_means_pitch",
        "ninetyone_means",
        "sides / other element | bounds / numbers / left out / twice / nan",
        ("(size_t)row * cols + c", "(size_t)row * rows + c"),
    ),
    # The last step of the tree is missing.
    Wrong(
        "ninetyone_means_last_step",
        "ninetyone_means",
        "left out | numbers / nan / infinity",
        ("w > 0; w >>= 1", "w > 1; w >>= 1"),
    ),
    # The sum is cut to a whole number.
    Wrong(
        "ninetyone_means_whole",
        "ninetyone_means",
        "rounding / function / precision | numbers / nan / infinity / whole range",
        ("mean[row] = acc[0] / cols;", "mean[row] = (int)acc[0] / cols;"),
    ),
    # ---- rms
    # The small number is left out.
    Wrong(
        "ninetyone_rms_no_eps",
        "ninetyone_rms",
        "function / nan / left out | numbers / infinity / precision",
        ("squares / cols + eps", "squares / cols"),
    ),
    # Shuffles go down, and all lanes use what they have.
    Wrong(
        "ninetyone_rms_shuffles_down",
        "ninetyone_rms",
        "left out / other element / twice | numbers / function / nan / infinity / race",
        ("__shfl_xor_sync(", "__shfl_down_sync("),
    ),
    # The gain is that of the row.
    Wrong(
        "ninetyone_rms_gain_of_row",
        "ninetyone_rms",
        "other element / sides | bounds / numbers / function / nan",
        ("gain[c]", "gain[row]"),
    ),
    # Rows that are not there are done, too.
    Wrong(
        "ninetyone_rms_rows_not_tested",
        "ninetyone_rms",
        "bounds | tail",
        ("  if (row >= rows) return;\n", ""),
    ),
    # The row is scaled where it lies.
    Wrong(
        "ninetyone_rms_in_place",
        "ninetyone_rms",
        "input | state / numbers",
        (
            "  const float* in = x + (size_t)row * cols;",
            "  float* in = (float*)x + (size_t)row * cols;",
        ),
        (
            "out[c] = in[c] * scale * gain[c];",
            "{\n    in[c] *= scale;\n    out[c] = in[c] * gain[c];\n  }",
        ),
    ),
    # ---- turn
    # The grid counts rows where columns are.
    Wrong(
        "ninetyone_turn_grid_swapped",
        "ninetyone_turn",
        "sides / unwritten / grid | left out / swapped",
        (
            "grid((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE)",
            "grid((rows + TILE - 1) / TILE, (cols + TILE - 1) / TILE)",
        ),
    ),
    # The tile is read before all have stored.
    Wrong(
        "ninetyone_turn_no_barrier",
        "ninetyone_turn",
        "race | numbers / other element / unwritten / left out / state",
        ("    __syncthreads();\n", ""),
    ),
    # The tile is not transposed.
    Wrong(
        "ninetyone_turn_tile_straight",
        "ninetyone_turn",
        "other element | sides / numbers / unwritten / race / swapped / function",
        ("= tile[threadIdx.x][threadIdx.y + k];", "= tile[threadIdx.y + k][threadIdx.x];"),
    ),
    # Lines of the output are as long as those of the input.
    Wrong(
        "ninetyone_turn_pitch_of_input",
        "ninetyone_turn",
        "sides / other element | bounds / unwritten / numbers / race / twice",
        ("(size_t)(y + k) * rows + x", "(size_t)(y + k) * cols + x"),
    ),
    # The second half of a tile is not stored.
    Wrong(
        "ninetyone_turn_half_a_tile",
        "ninetyone_turn",
        "unwritten / left out | numbers",
        (
            "    for (int k = 0; k < TILE; k += STRIPS)\n        if (x < rows",
            "    for (int k = 0; k < TILE / 2; k += STRIPS)\n        if (x < rows",
        ),
    ),
    # ---- flips
    # All are written to the first place.
    Wrong(
        "ninetyone_flips_first_place",
        "ninetyone_flips",
        "unwritten / other element / left out | race / numbers / nan / twice",
        ("float *d = dst + (size_t)blockIdx.z * h * w;", "float *d = dst;"),
    ),
    # Matrices lie as far apart as if they were square.
    Wrong(
        "ninetyone_flips_square",
        "ninetyone_flips",
        "sides / other element | bounds / numbers / nan / left out",
        ("src + (size_t)blockIdx.z * h * w;", "src + (size_t)blockIdx.z * h * h;"),
    ),
    # The grid has one plane.
    Wrong(
        "ninetyone_flips_one_plane",
        "ninetyone_flips",
        "unwritten / grid / left out | nan",
        ("(h + B - 1) / B, batch);", "(h + B - 1) / B, 1);"),
    ),
    # The second test is that of the first.
    Wrong(
        "ninetyone_flips_test_of_way_in",
        "ninetyone_flips",
        "sides / bounds / unwritten | left out / swapped / other element / race / nan",
        ("if (orow < w && ocol < h)", "if (orow < h && ocol < w)"),
    ),
    # Tiles across are rounded down.
    Wrong(
        "ninetyone_flips_tiles_down",
        "ninetyone_flips",
        "unwritten / tail / grid / left out | nan / sides",
        ("dim3 grid((w + B - 1) / B,", "dim3 grid(w / B + (w < B),"),
    ),
    # ---- layer
    # The last tile of k is left out.
    Wrong(
        "ninetyone_layer_whole_tiles",
        "ninetyone_layer",
        "tail / left out | numbers / nan / copy",
        ("int tiles = (k + TS - 1) / TS;", "int tiles = k / TS;"),
    ),
    # The bias is that of the row.
    Wrong(
        "ninetyone_layer_bias_of_row",
        "ninetyone_layer",
        "other element / sides / swapped | bounds / numbers / left out",
        ("bias[col]", "bias[row]"),
    ),
    # The bias is added after relu.
    Wrong(
        "ninetyone_layer_bias_after",
        "ninetyone_layer",
        "function | numbers",
        ("relu(acc + bias[col])", "relu(acc) + bias[col]"),
    ),
    # Relu makes 0 of NaN.
    Wrong(
        "ninetyone_layer_nan_is_0",
        "ninetyone_layer",
        "nan",
        ("v < 0.0f ? 0.0f : v;", "fmaxf(v, 0.0f);"),
    ),
    # The next tiles are loaded while others still add.
    Wrong(
        "ninetyone_layer_no_second_barrier",
        "ninetyone_layer",
        "race | numbers / other element / left out / nan / twice",
        (
            "acc += as[ty][j] * bs[j][tx];\n    __syncthreads();\n",
            "acc += as[ty][j] * bs[j][tx];\n",
        ),
    ),
)

RIGHT = (
    # Infinity and NaN go by a sum of the two.
    Right(
        "ninetyone_larger_nan_of_sum",
        "ninetyone_larger",
        (
            "    out[i] = (u > v || isnan(u)) ? u : v;",
            "    float larger = fmaxf(u, v);\n"
            "    if (u != u || v != v) larger = NAN;\n"
            "    out[i] = larger;",
        ),
        ("#include <cfloat>\n", "#include <cfloat>\n#include <cmath>\n"),
    ),
    # The count has 64 bits, and sums are fused.
    Right(
        "ninetyone_axpy_fused",
        "ninetyone_axpy",
        ("a * __half2float(x) + __half2float(y)", "fmaf(a, __half2float(x), __half2float(y))"),
        ("float a, int n, int block_size", "float a, int64_t n, int block_size"),
        ("int threads = (n + 1) / 2;", "int threads = (int)((n + 1) / 2);"),
        ("(a, x, y, z, n);", "(a, x, y, z, (int)n);"),
    ),
    # A block more than needed is launched.
    Right(
        "ninetyone_widen_idle_block",
        "ninetyone_widen",
        ("(count + per_block - 1) / per_block;", "count / per_block + 1;"),
    ),
    # Truncation is named.
    Right(
        "ninetyone_chop_named",
        "ninetyone_chop",
        (
            "                float f = __half2float(in[i]);\n"
            "                out[i] = (int32_t)f;\n",
            "                out[i] = __half2int_rz(in[i]);\n",
        ),
    ),
    # It is x times the sigmoid of twice the number.
    Right(
        "ninetyone_gelu_sigmoid",
        "ninetyone_gelu",
        ("0.5f * x * (1.0f + tanhf(u));", "x / (1.0f + expf(-2.0f * u));"),
    ),
    # Limits are asked one after the other, from the last number to the first.
    Right(
        "ninetyone_clamp_backwards",
        "ninetyone_clamp",
        ("return min(max(v, lo), hi);", "return v < lo ? lo : v > hi ? hi : v;"),
        ("int j = 0; j < kItems; j++", "int j = kItems - 1; j >= 0; j--"),
    ),
    # The count of threads is that of numbers: half of them are idle.
    Right(
        "ninetyone_unsign_idle",
        "ninetyone_unsign",
        ("int64_t threads = (n + 1) / 2;", "int64_t threads = n;"),
        ("return two & 0x7fff7fffu;", "return two & ~0x80008000u;"),
    ),
    # A block of 256 and fewer parts.
    Right(
        "ninetyone_total_other_sizes",
        "ninetyone_total",
        ("#define THREADS 128", "#define THREADS 256"),
        ("#define PARTS 64", "#define PARTS 20"),
    ),
    # Each block has one atomic, from a number in shared memory.
    Right(
        "ninetyone_peak_shared",
        "ninetyone_peak",
        (
            "  int m = 0;\n",
            "  __shared__ int top;\n  if (threadIdx.x == 0) top = 0;\n  int m = 0;\n",
        ),
        (
            "  if (threadIdx.x % 32 == 0) atomicMax(best, m);",
            "  __syncthreads();\n"
            "  if (threadIdx.x % 32 == 0) atomicMax(&top, m);\n"
            "  __syncthreads();\n"
            "  if (threadIdx.x == 0) atomicMax(best, top);",
        ),
    ),
    # The sum is a double.
    Right(
        "ninetyone_means_double",
        "ninetyone_means",
        ("__shared__ float acc[NT];", "__shared__ double acc[NT];"),
        ("float s = 0.0f;", "double s = 0.0;"),
        ("mean[row] = acc[0] / cols;", "mean[row] = (float)(acc[0] / cols);"),
    ),
    # The root is divided by, and eight warps are a block.
    Right(
        "ninetyone_rms_eight_warps",
        "ninetyone_rms",
        (
            "blockIdx.x * 4 + threadIdx.x / 32",
            "blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32",
        ),
        ("(rows + 3) / 4", "(rows + 7) / 8"),
        ("<<<blocks, 128, 0, stream>>>", "<<<blocks, 256, 0, stream>>>"),
        (
            "float scale = rsqrtf(squares / cols + eps);",
            "float scale = 1.0f / sqrtf(squares / cols + eps);",
        ),
    ),
    # The tile is stored transposed, and read straight.
    Right(
        "ninetyone_turn_stored_transposed",
        "ninetyone_turn",
        ("tile[threadIdx.y + k][threadIdx.x] = in", "tile[threadIdx.x][threadIdx.y + k] = in"),
        ("= tile[threadIdx.x][threadIdx.y + k];", "= tile[threadIdx.y + k][threadIdx.x];"),
    ),
    # Each thread writes what it has read, without a tile.
    Right(
        "ninetyone_flips_no_tile",
        "ninetyone_flips",
        ("    __shared__ float t[B][B + 1];\n", ""),
        (
            "        t[threadIdx.y][threadIdx.x] = s[row * w + col];\n    __syncthreads();\n",
            "        d[col * h + row] = s[row * w + col];\n",
        ),
        (
            "\n    int ocol = blockIdx.y * B + threadIdx.x;\n"
            "    int orow = blockIdx.x * B + threadIdx.y;\n"
            "    if (orow < w && ocol < h)\n"
            "        d[orow * h + ocol] = t[threadIdx.x][threadIdx.y];\n",
            "",
        ),
    ),
    # Tiles of 8.
    Right(
        "ninetyone_layer_tiles_of_8",
        "ninetyone_layer",
        ("#define TS 16", "#define TS 8"),
        ("float acc = 0.0f;", "float acc = col < n ? bias[col] : 0.0f;"),
        ("relu(acc + bias[col])", "relu(acc)"),
    ),
)
