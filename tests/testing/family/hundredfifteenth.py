"""Hold a hundred-and-fifteenth family: the plain operators of a course's first half year.

Its bases are the sum of three half arrays, floats to bytes with rounding and limits, bfloat16
to floats in pairs, SiLU of doubles, ReLU6 of floats in float4, a*x + y of halves in half2,
bitwise and of words, a sum of squares in two launches, a count of what is positive, the
smallest of each column, log-softmax of halves a block a row, layer norm of halves a warp a row,
a transpose of integers in tiles of 32 by 8 threads, and a matrix times a vector a warp a row.
Six of them take the cases of elementwise kernels or of `whole_array`, the others cases of their
own. Their mistakes are spread over alignment, sizes, grids, values, rounding, NaN, infinity,
inputs that are written, sums, transposes, order, streams and what is left of an earlier call.
The causes were written before a member was judged. There are 70 wrong members and 14 right
ones. On the emulator each ran beside PyTorch, compared as a case does, called twice on the same
tensors, with NaN and with 1e3 in floating outputs (-1 and 77 in others), with tensors at either
end of their pages, the bytes behind them and their inputs looked at afterwards, on a stream
that is not the default one, with threads in order, from the last to the first and in a random
order, and in the slices that the cases name. Bases and right ones ran all cases; wrong ones
until they were wrong often enough; those that lack a barrier or an atomic addition were wrong
in at least one order of threads. nvcc 13.0 compiles each base for 8.0; none was run on a GPU.
Bases and right ones are right, and all others wrong or refused by a fault:

    hundredfifteen_three_first_sum_is_half        of first sums that are not halves
    hundredfifteen_three_b_again                  unless b and c are alike
    hundredfifteen_three_less_or_equal            unless the block size divides n
    hundredfifteen_three_blocks_rounded_down      unless the block size divides n
    hundredfifteen_three_no_stream                on another stream than the default one
    hundredfifteen_bytes_cut_off                  of about half of all fractions
    hundredfifteen_bytes_ties_up                  of every other tie
    hundredfifteen_bytes_limit_of_256             from 255.5 on
    hundredfifteen_bytes_always_128               of other block sizes, from a second block
    hundredfifteen_bytes_if_for_loop              beyond 64 blocks
    hundredfifteen_widen_odd_forgotten            of odd counts
    hundredfifteen_widen_pairs_rounded_up         of odd counts
    hundredfifteen_widen_pair_swapped             of pairs that are not alike
    hundredfifteen_widen_out_anywhere             by the address of out
    hundredfifteen_widen_through_half             of what is no half
    hundredfifteen_silu_exp_of_float              of nearly all
    hundredfifteen_silu_exp_of_v                  of nearly all
    hundredfifteen_silu_infinity_by_infinity      from about 710 on
    hundredfifteen_silu_exp_kept_in_x             always: x is overwritten
    hundredfifteen_silu_last_left_out             always
    hundredfifteen_relu6_only_x_tested            from 4 numbers on, by the address of y
    hundredfifteen_relu6_three_are_a_pack         if 3 numbers are left
    hundredfifteen_relu6_nan_lost                 of NaN
    hundredfifteen_relu6_z_twice                  from 4 numbers on
    hundredfifteen_relu6_packs_rounded_down       if only the rest needs another block
    hundredfifteen_axpy_a_is_half                 of factors that are no halves, of pairs
    hundredfifteen_axpy_y_not_tested              by the address of y alone
    hundredfifteen_axpy_a_times_y                 unless a is 1, of pairs
    hundredfifteen_axpy_factor_is_int             of fractions, of pairs
    hundredfifteen_axpy_first_of_x_again          of pairs that are not alike
    hundredfifteen_mask_logical_and               of nearly all
    hundredfifteen_mask_short_word                of what has bits above the 16th
    hundredfifteen_mask_blocks_overlap            from a second block on
    hundredfifteen_mask_made_in_a                 unless b has all bits of a
    hundredfifteen_mask_steps_of_64               of other block sizes
    hundredfifteen_squares_half_a_tree            unless the upper half of threads has zeros
    hundredfifteen_squares_no_barrier_in_tree     where threads do not wait for another
    hundredfifteen_squares_parts_squared          unless all parts are 0 or 1
    hundredfifteen_squares_parts_of_before        if an earlier call had more blocks
    hundredfifteen_squares_second_no_stream       on another stream than the default one
    hundredfifteen_positive_zero_counts           if a number is 0
    hundredfifteen_positive_not_set               unless the count was 0 before
    hundredfifteen_positive_no_atomic             from a second warp on, where they meet
    hundredfifteen_positive_all_lanes_add         if a warp of several numbers counts any
    hundredfifteen_positive_unsigned              if a number is below 0
    hundredfifteen_lowest_starts_at_flt_min       if all of a column are above it
    hundredfifteen_lowest_nan_passed_over         of NaN
    hundredfifteen_lowest_pitch_of_rows           unless square or of one row
    hundredfifteen_lowest_from_row_1              if the first row has the smallest
    hundredfifteen_lowest_column_too_many         unless the block size divides the columns
    hundredfifteen_logs_no_largest                of rows far from 0
    hundredfifteen_logs_starts_at_0               of rows far below 0
    hundredfifteen_logs_of_softmax                far below the largest, and near it
    hundredfifteen_logs_no_barrier_after_largest  where threads do not wait for another
    hundredfifteen_logs_base_2                    from 2 columns on
    hundredfifteen_norm_one_less                  of nearly all
    hundredfifteen_norm_shuffles_down             from 2 columns on
    hundredfifteen_norm_variance_is_half          of variances that are not halves
    hundredfifteen_norm_mean_stays                unless the mean is 0
    hundredfifteen_norm_blocks_of_a_row           from 6 rows on
    hundredfifteen_flip_no_barrier                where threads do not wait for another
    hundredfifteen_flip_tile_not_turned           of nearly all
    hundredfifteen_flip_one_of_four               from 9 columns on
    hundredfifteen_flip_grid_swapped              unless the tiles are as many each way
    hundredfifteen_flip_pitch_of_input            unless square or of one column
    hundredfifteen_matvec_x_of_lane               from 33 columns on
    hundredfifteen_matvec_four_shuffles           from 17 columns on
    hundredfifteen_matvec_added_to_y              unless y was 0 before
    hundredfifteen_matvec_whole_steps             unless 32 divides n
    hundredfifteen_matvec_sum_is_int              of fractions, NaN and infinity
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case, ElementwiseMaker, elementwise_cases
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import whole

# Three arrays of halves are added, an element a thread.
THREE = (
    HEADER
    + """\
__global__ void add_three(const __half* a, const __half* b, const __half* c, __half* out,
                          int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float s = __half2float(a[i]) + __half2float(b[i]);
        out[i] = __float2half(s + __half2float(c[i]));
    }
}

extern "C" void launch(const __half* a,  // [n]
                       const __half* b,  // [n]
                       const __half* c,  // [n]
                       __half* out,      // [n]
                       int n, int block_size = 256, cudaStream_t stream = 0) {
    if (n == 0) return;
    int blocks = (n + block_size - 1) / block_size;
    add_three<<<blocks, block_size, 0, stream>>>(a, b, c, out, n);
}
"""
)

# Floats become bytes, rounded and within the range, in a loop over the grid.
BYTES = (
    HEADER
    + """\
__device__ uint8_t to_byte(float v)
{
    float r = rintf(v);
    r = fmaxf(r, 0.0f);
    r = fminf(r, 255.0f);
    return (uint8_t)r;
}

__global__ void quantize(const float *src, uint8_t *dst, int n)
{
    int start = blockIdx.x * blockDim.x + threadIdx.x;
    int stride = gridDim.x * blockDim.x;
    for (int i = start; i < n; i += stride)
        dst[i] = to_byte(src[i]);
}

extern "C" void launch(const float *src,  // [n]
                       uint8_t *dst,      // [n]
                       int n, int block_size = 128, cudaStream_t stream = 0)
{
    int grid = (n + block_size - 1) / block_size;
    if (grid > 64)
        grid = 64;
    if (grid > 0)
        quantize<<<grid, block_size, 0, stream>>>(src, dst, n);
}
"""
)

# bfloat16 become floats, two a thread; the last of an odd count goes alone.
WIDEN = (
    HEADER
    + """\
__global__ void widen(const __nv_bfloat16* in, float* out, int n) {
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p < n / 2) {
    __nv_bfloat162 v = reinterpret_cast<const __nv_bfloat162*>(in)[p];
    float lo = __low2float(v), hi = __high2float(v);
    reinterpret_cast<float2*>(out)[p] = make_float2(lo, hi);
  } else if (2 * p < n) {
    out[2 * p] = __bfloat162float(in[2 * p]);
  }
}

extern "C" void launch(const __nv_bfloat16* in,  // [n] 4-byte aligned
                       float* out,               // [n] 8-byte aligned
                       int n, int block_size = 192, cudaStream_t stream = 0) {
  int pairs = n / 2 + n % 2;
  int blocks = (pairs + block_size - 1) / block_size;
  if (blocks > 0) widen<<<blocks, block_size, 0, stream>>>(in, out, n);
}
"""
)

# SiLU of doubles, an element a thread.
SILU = (
    HEADER
    + """\
__global__ void silu_kernel(const double* __restrict__ x, double* __restrict__ y, int size)
{
    const int idx = threadIdx.x + blockIdx.x * blockDim.x;
    if (idx >= size) {
        return;
    }
    const double v = x[idx];
    y[idx] = v / (1.0 + exp(-v));
}

extern "C" void launch(const double* x,  // [size]
                       double* y,        // [size]
                       int size, int block_size = 128, cudaStream_t stream = 0)
{
    const int blocks = (size + block_size - 1) / block_size;
    if (blocks > 0) {
        silu_kernel<<<blocks, block_size, 0, stream>>>(x, y, size);
    }
}
"""
)

# ReLU6 of floats: float4 where both addresses allow it, else one by one.
RELU6 = (
    HEADER
    + """\
__device__ float relu6(float v) { return v < 0.0f ? 0.0f : (v > 6.0f ? 6.0f : v); }

__global__ void relu6_kernel(const float* x, float* y, int n, bool vec) {
  int base = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (vec && base + 4 <= n) {
    float4 v = *(const float4*)(x + base);
    v.x = relu6(v.x);
    v.y = relu6(v.y);
    v.z = relu6(v.z);
    v.w = relu6(v.w);
    *(float4*)(y + base) = v;
  } else {
    for (int i = base; i < n && i < base + 4; ++i) y[i] = relu6(x[i]);
  }
}

bool fits(const void* p) { return ((uintptr_t)p & 15) == 0; }

extern "C" void launch(const float* x,  // [n]
                       float* y,        // [n]
                       int n, int block_size = 128, cudaStream_t stream = 0) {
  int threads = (n + 3) / 4;
  int blocks = (threads + block_size - 1) / block_size;
  if (n > 0) relu6_kernel<<<blocks, block_size, 0, stream>>>(x, y, n, fits(x) && fits(y));
}
"""
)

# a * x + y of halves with a float a, half2 in a loop over the grid.
AXPY = (
    HEADER
    + """\
__global__ void axpy2(float a, const half *x, const half *y, half *z, int n)
{
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = tid; k < n / 2; k += gridDim.x * blockDim.x) {
        float2 u = __half22float2(((const half2 *)x)[k]);
        float2 v = __half22float2(((const half2 *)y)[k]);
        ((half2 *)z)[k] = __floats2half2_rn(a * u.x + v.x, a * u.y + v.y);
    }
    if (tid == 0 && n % 2 != 0)
        z[n - 1] = __float2half(a * __half2float(x[n - 1]) + __half2float(y[n - 1]));
}

__global__ void axpy1(float a, const half *x, const half *y, half *z, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        z[i] = __float2half(a * __half2float(x[i]) + __half2float(y[i]));
}

extern "C" void launch(const half *x,  // [n]
                       const half *y,  // [n]
                       half *z,        // [n]
                       float a, int n, cudaStream_t stream = 0)
{
    uintptr_t any = (uintptr_t)x | (uintptr_t)y | (uintptr_t)z;
    if (any % 4 == 0)
        axpy2<<<min(n / 256 + 1, 16), 128, 0, stream>>>(a, x, y, z, n);
    else
        axpy1<<<(n + 127) / 128, 128, 0, stream>>>(a, x, y, z, n);
}
"""
)

# Bitwise and of words, four a thread, a block apart.
MASK = (
    HEADER
    + """\
#define PER_THREAD 4

__global__ void and_words(const uint32_t* a, const uint32_t* b, uint32_t* c, int n) {
  int i = blockIdx.x * blockDim.x * PER_THREAD + threadIdx.x;
  for (int k = 0; k < PER_THREAD; k++) {
    if (i < n) {
      uint32_t word = a[i] & b[i];
      c[i] = word;
    }
    i += blockDim.x;
  }
}

extern "C" void launch(const uint32_t* a,  // [n]
                       const uint32_t* b,  // [n]
                       uint32_t* c,        // [n]
                       int n, int block_size = 64, cudaStream_t stream = 0) {
  int chunk = block_size * PER_THREAD;
  and_words<<<(n + chunk - 1) / chunk, block_size, 0, stream>>>(a, b, c, n);
}
"""
)

# Sum of squares in two launches, a part a block.
SQUARES = (
    HEADER
    + """\
#define T 256
#define MAX_BLOCKS 128

__device__ float parts[MAX_BLOCKS];

__device__ void reduce(float *s, int size)
{
    for (int half = size / 2; half > 0; half >>= 1) {
        if (threadIdx.x < half)
            s[threadIdx.x] += s[threadIdx.x + half];
        __syncthreads();
    }
}

__global__ void block_squares(const float *x, int64_t n)
{
    __shared__ float s[T];
    float acc = 0.0f;
    for (int64_t i = blockIdx.x * (int64_t)T + threadIdx.x; i < n; i += gridDim.x * (int64_t)T)
        acc += x[i] * x[i];
    s[threadIdx.x] = acc;
    __syncthreads();
    reduce(s, T);
    if (threadIdx.x == 0)
        parts[blockIdx.x] = s[0];
}

__global__ void add_parts(float *total, int count)
{
    __shared__ float s[MAX_BLOCKS];
    s[threadIdx.x] = threadIdx.x < count ? parts[threadIdx.x] : 0.0f;
    __syncthreads();
    reduce(s, MAX_BLOCKS);
    if (threadIdx.x == 0)
        *total = s[0];
}

extern "C" void launch(const float *x,  // [n]
                       float *total,    // [1]
                       int64_t n, cudaStream_t stream = 0)
{
    int64_t want = (n + T - 1) / T;
    int blocks = want > MAX_BLOCKS ? MAX_BLOCKS : (want < 1 ? 1 : (int)want);
    block_squares<<<blocks, T, 0, stream>>>(x, n);
    add_parts<<<1, MAX_BLOCKS, 0, stream>>>(total, blocks);
}
"""
)

# How many of an array are positive: a ballot a warp and an atomic addition.
POSITIVE = (
    HEADER
    + """\
__global__ void count_positive(const int* x, int* count, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool hit = i < n && x[i] > 0;
    unsigned votes = __ballot_sync(0xffffffffu, hit);
    if (threadIdx.x % 32 == 0) {
        atomicAdd(count, __popc(votes));
    }
}

extern "C" void launch(const int* x,  // [n]
                       int* count,    // [1]
                       int n, int block_size = 256, cudaStream_t stream = 0) {
    cudaMemsetAsync(count, 0, sizeof(int), stream);
    int blocks = (n + block_size - 1) / block_size;
    count_positive<<<blocks, block_size, 0, stream>>>(x, count, n);
}
"""
)

# The smallest of each column, a thread a column.
LOWEST = (
    HEADER
    + """\
__global__ void column_min(const float* m, float* low, int rows, int cols) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (col >= cols) return;
  float best = INFINITY;
  for (int row = 0; row < rows; row++) {
    float v = m[(size_t)row * cols + col];
    if (v < best || isnan(v)) best = v;
  }
  low[col] = best;
}

extern "C" void launch(const float* m,  // [rows, cols]
                       float* low,      // [cols]
                       int rows, int cols, int block_size = 128, cudaStream_t stream = 0) {
  int blocks = (cols + block_size - 1) / block_size;
  column_min<<<blocks, block_size, 0, stream>>>(m, low, rows, cols);
}
"""
)

# Log-softmax of halves, a block a row.
LOGS = (
    HEADER
    + """\
constexpr int kThreads = 128;

__global__ void log_softmax(const half* x, half* y, int cols) {
    __shared__ float buf[kThreads];
    const int t = threadIdx.x;
    const half* in = x + (size_t)blockIdx.x * cols;
    half* out = y + (size_t)blockIdx.x * cols;

    float m = -INFINITY;
    for (int j = t; j < cols; j += kThreads) m = fmaxf(m, __half2float(in[j]));
    buf[t] = m;
    __syncthreads();
    for (int d = kThreads / 2; d > 0; d /= 2) {
        if (t < d) buf[t] = fmaxf(buf[t], buf[t + d]);
        __syncthreads();
    }
    m = buf[0];
    __syncthreads();

    float sum = 0.0f;
    for (int j = t; j < cols; j += kThreads) sum += expf(__half2float(in[j]) - m);
    buf[t] = sum;
    __syncthreads();
    for (int d = kThreads / 2; d > 0; d /= 2) {
        if (t < d) buf[t] += buf[t + d];
        __syncthreads();
    }
    const float log_sum = logf(buf[0]);
    for (int j = t; j < cols; j += kThreads)
        out[j] = __float2half(__half2float(in[j]) - m - log_sum);
}

extern "C" void launch(const half* x,  // [rows, cols]
                       half* y,        // [rows, cols]
                       int rows, int cols, cudaStream_t stream = 0) {
    log_softmax<<<rows, kThreads, 0, stream>>>(x, y, cols);
}
"""
)

# Layer norm of halves without gain, a warp a row.
NORM = (
    HEADER
    + """\
__device__ float warp_sum(float v)
{
    for (int o = 16; o > 0; o >>= 1)
        v += __shfl_xor_sync(0xffffffff, v, o);
    return v;
}

__global__ void norm_rows(const half *x, half *y, float eps, int rows, int cols)
{
    int lane = threadIdx.x % 32;
    int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    if (row >= rows)
        return;
    const half *in = x + (size_t)row * cols;
    half *out = y + (size_t)row * cols;
    float total = 0.0f;
    for (int c = lane; c < cols; c += 32)
        total += __half2float(in[c]);
    float mean = warp_sum(total) / cols;
    float squares = 0.0f;
    for (int c = lane; c < cols; c += 32) {
        float d = __half2float(in[c]) - mean;
        squares += d * d;
    }
    float var = warp_sum(squares) / cols;
    float scale = rsqrtf(var + eps);
    for (int c = lane; c < cols; c += 32)
        out[c] = __float2half((__half2float(in[c]) - mean) * scale);
}

extern "C" void launch(const half *x,  // [rows, cols]
                       half *y,        // [rows, cols]
                       float eps, int rows, int cols, cudaStream_t stream = 0)
{
    const int warps = 4;
    norm_rows<<<(rows + warps - 1) / warps, 32 * warps, 0, stream>>>(x, y, eps, rows, cols);
}
"""
)

# Transpose of integers in tiles of 32, by 32 x 8 threads.
FLIP = (
    HEADER
    + """\
#define TILE 32
#define ROWS 8

__global__ void flip(const int* in, int* out, int h, int w) {
  __shared__ int tile[TILE][TILE + 1];
  int x = blockIdx.x * TILE + threadIdx.x;
  int y = blockIdx.y * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += ROWS)
    if (x < w && y + j < h)
      tile[threadIdx.y + j][threadIdx.x] = in[(size_t)(y + j) * w + x];
  __syncthreads();
  x = blockIdx.y * TILE + threadIdx.x;
  y = blockIdx.x * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += ROWS)
    if (x < h && y + j < w)
      out[(size_t)(y + j) * h + x] = tile[threadIdx.x][threadIdx.y + j];
}

extern "C" void launch(const int* in,  // [h, w]
                       int* out,       // [w, h]
                       int h, int w, cudaStream_t stream = 0) {
  dim3 grid((w + TILE - 1) / TILE, (h + TILE - 1) / TILE);
  flip<<<grid, dim3(TILE, ROWS), 0, stream>>>(in, out, h, w);
}
"""
)

# A matrix times a vector, a warp a row.
MATVEC = (
    HEADER
    + """\
__global__ void matvec(const float* A, const float* x, float* y, int m, int n)
{
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const int lane = threadIdx.x & 31;
    if (warp >= m)
        return;
    float dot = 0.0f;
    for (int k = lane; k < n; k += 32)
        dot += A[(size_t)warp * n + k] * x[k];
    for (int offset = 16; offset > 0; offset /= 2)
        dot += __shfl_down_sync(0xffffffff, dot, offset);
    if (lane == 0)
        y[warp] = dot;
}

extern "C" void launch(const float* A,  // [m, n]
                       const float* x,  // [n]
                       float* y,        // [m]
                       int m, int n, int block_size = 128, cudaStream_t stream = 0)
{
    const int rows_per_block = block_size / 32;
    const int blocks = (m + rows_per_block - 1) / rows_per_block;
    matvec<<<blocks, block_size, 0, stream>>>(A, x, y, m, n);
}
"""
)

NAN, INF = float("nan"), float("inf")
LENGTHS = (*range(1, 71), 95, 96, 97, 127, 128, 129, 191, 192, 193, 255, 256, 257, 383, 384)
LENGTHS += (385, 511, 512, 513, 1000, 1023, 1024, 1025, 2047, 2049, 4096, 4099)
SIDES = ((1, 1), (2, 1), (1, 2), (3, 2), (4, 31), (5, 32), (8, 33), (33, 8), (2, 64), (65, 3))
SIDES += ((9, 70), (70, 1), (3, 1000), (1, 4099), (64, 70), (130, 6), (40, 50), (32, 32))
SIDES += ((301, 2), (3, 129), (7, 128), (5, 63), (65, 65), (6, 6), (7, 10), (2, 130))
FLOAT, HALF, WHOLE = (torch.float32,), (torch.float16,), (torch.int32,)


def _add_three(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
    return a + b + c


def _byte(x: torch.Tensor) -> torch.Tensor:
    return x.round().nan_to_num(0.0, INF, -INF).clamp(0, 255)


def _silu(x: torch.Tensor) -> torch.Tensor:
    return x / (1 + torch.exp(-x))


def _relu6(x: torch.Tensor) -> torch.Tensor:
    return torch.where(x < 0, 0.0, torch.where(x > 6, 6.0, x))


def _squares(x: torch.Tensor) -> torch.Tensor:
    return (x * x).sum()


def relus(launcher: Launcher) -> Iterator[Case]:
    """Limit what elementwise kernels are given, and slices of which one alone is aligned."""
    make = ElementwiseMaker.of(launcher, _relu6)
    yield from elementwise_cases(launcher, make)
    for n in (*range(1, 71), 127, 129, 1000, 4099):
        for offset in ((4, 4), (4, 1), (2, 4), (8, 3)):
            yield make.shifted(n, 7, offset)


def axpys(launcher: Launcher) -> Iterator[Case]:
    """Add where only the last step rounds: usual, fine factors, large, infinities, NaN."""
    for n in (*LENGTHS, 20_003):
        x, y, j = whole(-999, 1000, n, 2 * n), whole(-999, 1000, n, 2 * n + 1), torch.arange(n)
        for label, p, q, a in (
            ("usual", x, y, 2.0),
            ("a is 0", x, y, 0.0),
            ("a fraction", x, y, -0.375),
            ("a fine factor", x, y, 1.0 + 2.0**-12),
            ("large", x * 64, y, 1.5),
            ("infinities", torch.where(j % 3 == 1, INF, x.double()), y, 0.5),
            ("NaN in x", torch.where(j % 3 == 1, NAN, x.double()), y, 1.0),
            ("NaN in y", x, torch.where(j % 4 == 2, NAN, y.double()), 3.0),
        ):
            p, q = p.half(), q.half()
            right = a * p.double() + q.double()
            options = {"dtypes": HALF, "quick": n > 5000}
            yield Case(f"n = {n:,}, a = {a}, {label}", (p, q), (right,), {"a": a}, **options)
            if n < 300 and label == "usual":
                for offsets in ((2, 4, 1), (1, 2, 2), (4, 1, 2), (2, 2, 4), (1, 1, 1)):
                    words = f"n = {n:,}, slices from {offsets}"
                    yield Case(words, (p, q), (right,), {"a": a}, offset=offsets, **options)


def masks(launcher: Launcher) -> Iterator[Case]:
    """Mask words: any, low bits, the highest bit, all bits, no common ones."""
    for n in (*LENGTHS, 9_001, 50_003):
        a, b = whole(0, 2**32, n, 2 * n), whole(0, 2**32, n, 2 * n + 1)
        for label, p, q in (
            ("any", a, b),
            ("low bits", a, b * 0 + 255),
            ("the highest bit", a, b * 0 + 2**31),
            ("all bits", a, b * 0 + 2**32 - 1),
            ("nothing in common", a & 0x0F0F0F0F, b & 0xF0F0F0F0),
        ):
            inputs, right = (p.to(torch.uint32), q.to(torch.uint32)), (p & q,)
            for block_size in (64, 32, 128):
                scalars = {"block_size": block_size}
                options = {"dtypes": (torch.uint32,), "quick": n > 5000}
                yield Case(f"n = {n:,}, {scalars}, {label}", inputs, right, scalars, **options)


def counts(launcher: Launcher) -> Iterator[Case]:
    """Count: any, all, none, zeros among them, the first or the last alone, the ends."""
    for n in (*LENGTHS, 9_001, 70_003):
        x, j = whole(-99, 100, n, n), torch.arange(n)
        for label, y in (
            ("any", x),
            ("all", x.abs() + 1),
            ("negative only", -x.abs() - 1),
            ("zeros", x * 0),
            ("0 and 1", x.abs() % 2),
            ("the last alone", torch.where(j == n - 1, 1, 0)),
            ("the first alone", torch.where(j == 0, 1, 0)),
            ("the ends", torch.where(x > 0, 2**31 - 1, -(2**31))),
        ):
            right = (y > 0).sum().reshape(1)
            for block_size in (256, 32, 96):
                scalars = {"block_size": block_size}
                words = f"n = {n:,}, {scalars}, {label}"
                options = {"dtypes": WHOLE, "quick": n > 5000}
                yield Case(words, (y.int(),), (right,), scalars, **options)


def lows(launcher: Launcher) -> Iterator[Case]:
    """Look for the smallest: any, above 0, below 0, infinite, the last row, a NaN."""
    for rows, cols in (*SIDES, (3, 20_001), (2_001, 3), (1, 70), (70, 70)):
        n = rows * cols
        x, r = whole(-999, 1000, n, n).reshape(rows, cols).double(), torch.arange(rows)[:, None]
        for label, y in (
            ("any", x),
            ("above 0", x.abs() + 1),
            ("below 0", -x.abs() - 1),
            ("zeros", x.abs() * 0),
            ("large", x.abs() * 1e30),
            ("infinity only", x * 0 + INF),
            ("the last row", torch.where(r == rows - 1, -5000.0, x)),
            ("the first row", torch.where(r == 0, -5000.0, x)),
            ("NaN", torch.where((r == rows // 2) & (x % 2 == 0), NAN, x)),
        ):
            y = y.float()
            for block_size in (128, 32):
                scalars = {"block_size": block_size}
                words = f"rows = {rows:,}, cols = {cols:,}, {scalars}, {label}"
                right = (y.double().amin(0),)
                yield Case(words, (y,), right, scalars, dtypes=FLOAT, quick=n > 5000)


def logs(launcher: Launcher) -> Iterator[Case]:
    """Take log-softmax: any, equal, far above and below 0, rising, spread, a mask, a NaN."""
    for rows, cols in (*SIDES, (3, 2_001), (129, 130)):
        n = rows * cols
        x, c = whole(-40, 41, n, n).reshape(rows, cols) / 8.0, torch.arange(cols)
        for label, y in (
            ("any", x),
            ("equal", x * 0 + 3),
            ("zeros", x * 0),
            ("far above 0", x + 1000),
            ("far below 0", x - 1000),
            ("rising", x * 0 + c / 8.0),
            ("falling", x * 0 - c / 8.0),
            ("spread", x * 100),
            ("a mask", torch.where((c % 3 == 1) & (c > 0), -INF, x)),
            ("NaN", torch.where(c == cols // 2, NAN, x)),
        ):
            y = y.half()
            right = torch.log_softmax(y.double(), 1)
            most = y.double().abs().nan_to_num(0.0, 0.0, 0.0).amax(1, True)
            slack = 2.0**-9 * right.abs() + 2.0**-18 * (1 + most)
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            within = (slack.nan_to_num(0.0, 0.0, 0.0),)
            yield Case(words, (y,), (right,), dtypes=HALF, within=within)


def norms(launcher: Launcher) -> Iterator[Case]:
    """Norm: any, small, large, about a mean, equal, one apart, below 0, a NaN."""
    for rows, cols in (*SIDES, (3, 2_001), (129, 130)):
        n = rows * cols
        x, c = whole(-99, 100, n, n).reshape(rows, cols), torch.arange(cols)
        for label, y, eps in (
            ("any", x, 1.0),
            ("small eps", x, 2.0**-10),
            ("small", x / 1024, 0.25),
            ("large", x * 256, 1.0),
            ("about 1,024", 1024 + x // 10, 0.5),
            ("equal", x * 0 + 7, 0.125),
            ("one apart", torch.where(c == cols // 3, 72, x * 0 + 64), 0.125),
            ("negative", -x.abs() - 1, 0.5),
            ("NaN", torch.where((x % 9 == 4) & (c == cols // 2), NAN, x), 1.0),
        ):
            y = y.half()
            v = y.double()
            d = v - v.mean(1, keepdim=True)
            f = 1 / ((d * d).mean(1, keepdim=True) + eps).sqrt()
            right = d * f
            slack = 2.0**-10 * right.abs() + 2.0**-20 * f * v.abs().amax(1, True) + 2.0**-22
            words = f"rows = {rows:,}, cols = {cols:,}, eps = {eps}, {label}"
            within = (slack.nan_to_num(0.0),)
            yield Case(words, (y,), (right,), {"eps": eps}, dtypes=HALF, within=within)


def flips(launcher: Launcher) -> Iterator[Case]:
    """Turn matrices: any numbers, rising ones and the ends of the range."""
    sides = (*SIDES, (31, 200), (200, 31), (300, 1), (33, 65), (32, 64), (31, 33), (1, 20_001))
    for h, w in (*sides, (20_001, 1), (129, 515)):
        n = h * w
        x = whole(-(2**31), 2**31, n, n)
        for label, y in (("any", x), ("rising", torch.arange(n)), ("signs", x.sign() * 2**30)):
            y = y.reshape(h, w).int()
            words = f"h = {h:,}, w = {w:,}, {label}"
            yield Case(words, (y,), (y.T.contiguous(),), dtypes=WHOLE, quick=n > 5000)


def vectors(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole numbers and quarters, so that all is exact: any, ones, the last, NaN."""
    for m, n in (*SIDES, *((5, k) for k in range(1, 71, 3)), (3, 5_001), (2_001, 3), (16, 65)):
        a = whole(-30, 31, m * n, m + n).reshape(m, n).double()
        x, k = whole(-30, 31, n, n).double(), torch.arange(n)
        for label, p, q in (
            ("any", a, x),
            ("quarters", a / 4, x),
            ("ones", a, x * 0 + 1),
            ("zeros", a * 0, x),
            ("negative only", -a.abs() - 1, x.abs() + 1),
            ("the last alone", a * 0 + 3, torch.where(k == n - 1, 2.0, 0.0)),
            ("NaN", a, torch.where(k == n // 2, NAN, x)),
            ("infinity", a.abs() + 1, torch.where(k == n // 2, INF, x)),
        ):
            right = (p * q).sum(1)
            for block_size in (128, 32, 256):
                scalars = {"block_size": block_size}
                words = f"m = {m:,}, n = {n:,}, {scalars}, {label}"
                inputs = (p.float(), q.float())
                yield Case(words, inputs, (right,), scalars, dtypes=FLOAT, quick=m * n > 5000)


BASES = {
    "hundredfifteen_three": Base(THREE, {"reference": _add_three, "ulp": 1}),
    "hundredfifteen_bytes": Base(BYTES, {"reference": _byte}),
    "hundredfifteen_widen": Base(WIDEN, {"reference": lambda x: x}),
    "hundredfifteen_silu": Base(SILU, {"reference": _silu, "ulp": 4}),
    "hundredfifteen_relu6": Base(RELU6, {"cases": relus}),
    "hundredfifteen_axpy": Base(AXPY, {"cases": axpys}),
    "hundredfifteen_mask": Base(MASK, {"cases": masks}),
    "hundredfifteen_squares": Base(SQUARES, cases="whole_array", function=_squares),
    "hundredfifteen_positive": Base(POSITIVE, {"cases": counts}),
    "hundredfifteen_lowest": Base(LOWEST, {"cases": lows}),
    "hundredfifteen_logs": Base(LOGS, {"cases": logs}),
    "hundredfifteen_norm": Base(NORM, {"cases": norms}),
    "hundredfifteen_flip": Base(FLIP, {"cases": flips}),
    "hundredfifteen_matvec": Base(MATVEC, {"cases": vectors}),
}

WRONG = (
    # ---- three
    # The first sum is rounded to a half, which may overflow.
    Wrong(
        "hundredfifteen_three_first_sum_is_half",
        "hundredfifteen_three",
        "rounding / precision / infinity | numbers / nan",
        (
            "float s = __half2float(a[i]) + __half2float(b[i]);",
            "float s = __half2float(a[i] + b[i]);",
        ),
    ),
    # The third array is never read, and the second one twice.
    Wrong(
        "hundredfifteen_three_b_again",
        "hundredfifteen_three",
        "left out / twice / function / other element | numbers / swapped / "
        "sign of zero / nan / infinity",
        ("s + __half2float(c[i])", "s + __half2float(b[i])"),
    ),
    # The thread after the last one works, too.
    Wrong(
        "hundredfifteen_three_less_or_equal",
        "hundredfifteen_three",
        "bounds / tail",
        ("if (i < n)", "if (i <= n)"),
    ),
    # The number of blocks is rounded down.
    Wrong(
        "hundredfifteen_three_blocks_rounded_down",
        "hundredfifteen_three",
        "grid / unwritten / tail / left out | refused / nan",
        ("int blocks = (n + block_size - 1) / block_size;", "int blocks = n / block_size;"),
    ),
    # The launch forgets the stream.
    Wrong(
        "hundredfifteen_three_no_stream",
        "hundredfifteen_three",
        "stream",
        ("<<<blocks, block_size, 0, stream>>>", "<<<blocks, block_size>>>"),
    ),
    # ---- bytes
    # What follows the point is cut off.
    Wrong(
        "hundredfifteen_bytes_cut_off",
        "hundredfifteen_bytes",
        "rounding | numbers / function",
        ("float r = rintf(v);", "float r = v;"),
    ),
    # Ties go up, not to even.
    Wrong(
        "hundredfifteen_bytes_ties_up",
        "hundredfifteen_bytes",
        "rounding | numbers",
        ("rintf(v)", "floorf(v + 0.5f)"),
    ),
    # The upper limit is 256, which is 0 as a byte.
    Wrong(
        "hundredfifteen_bytes_limit_of_256",
        "hundredfifteen_bytes",
        "whole range / infinity | numbers / function",
        ("fminf(r, 255.0f)", "fminf(r, 256.0f)"),
    ),
    # Blocks are taken for 128 threads.
    Wrong(
        "hundredfifteen_bytes_always_128",
        "hundredfifteen_bytes",
        "block size | unwritten / left out / twice / other element / tail",
        ("int start = blockIdx.x * blockDim.x", "int start = blockIdx.x * 128"),
    ),
    # A thread takes one element, though the grid is limited.
    Wrong(
        "hundredfifteen_bytes_if_for_loop",
        "hundredfifteen_bytes",
        "grid / unwritten / left out | tail",
        (
            "    int stride = gridDim.x * blockDim.x;\n"
            "    for (int i = start; i < n; i += stride)\n"
            "        dst[i] = to_byte(src[i]);\n",
            "    if (start < n)\n        dst[start] = to_byte(src[start]);\n",
        ),
    ),
    # ---- widen
    # The last of an odd count is forgotten.
    Wrong(
        "hundredfifteen_widen_odd_forgotten",
        "hundredfifteen_widen",
        "tail / unwritten / left out | nan",
        (" else if (2 * p < n) {\n    out[2 * p] = __bfloat162float(in[2 * p]);\n  }", ""),
    ),
    # The last of an odd count is taken for a pair.
    Wrong(
        "hundredfifteen_widen_pairs_rounded_up",
        "hundredfifteen_widen",
        "bounds / tail | alignment",
        ("if (p < n / 2)", "if (p < (n + 1) / 2)"),
    ),
    # The two of a pair change places.
    Wrong(
        "hundredfifteen_widen_pair_swapped",
        "hundredfifteen_widen",
        "swapped / neighbour / other element | numbers",
        ("make_float2(lo, hi)", "make_float2(hi, lo)"),
    ),
    # The floats may lie anywhere.
    Wrong(
        "hundredfifteen_widen_out_anywhere",
        "hundredfifteen_widen",
        "alignment",
        ("float* out,               // [n] 8-byte aligned", "float* out,               // [n]"),
    ),
    # The first of a pair goes through a half.
    Wrong(
        "hundredfifteen_widen_through_half",
        "hundredfifteen_widen",
        "infinity / precision / whole range / rounding | numbers / subnormal",
        ("float lo = __low2float(v)", "float lo = __half2float(__float2half(__low2float(v)))"),
    ),
    # ---- silu
    # The exponential is that of a float.
    Wrong(
        "hundredfifteen_silu_exp_of_float",
        "hundredfifteen_silu",
        "precision | numbers / infinity / rounding",
        ("exp(-v)", "expf((float)-v)"),
    ),
    # The sign in the exponential is forgotten.
    Wrong(
        "hundredfifteen_silu_exp_of_v",
        "hundredfifteen_silu",
        "function | numbers / nan / infinity",
        ("exp(-v)", "exp(v)"),
    ),
    # The exponential of large numbers overflows above and below the line.
    Wrong(
        "hundredfifteen_silu_infinity_by_infinity",
        "hundredfifteen_silu",
        "infinity / nan | numbers / function",
        (
            "    y[idx] = v / (1.0 + exp(-v));",
            "    const double e = exp(v);\n    y[idx] = v * (e / (1.0 + e));",
        ),
    ),
    # The exponential is kept in the input.
    Wrong(
        "hundredfifteen_silu_exp_kept_in_x",
        "hundredfifteen_silu",
        "input | state",
        ("const double* __restrict__ x, double* __restrict__ y", "double* x, double* y"),
        (
            "    y[idx] = v / (1.0 + exp(-v));",
            "    x[idx] = exp(-v);\n    y[idx] = v / (1.0 + x[idx]);",
        ),
        ("stream>>>(x, y, size)", "stream>>>((double*)x, y, size)"),
    ),
    # The last element is never written.
    Wrong(
        "hundredfifteen_silu_last_left_out",
        "hundredfifteen_silu",
        "tail / unwritten / left out | nan / bounds",
        ("if (idx >= size)", "if (idx >= size - 1)"),
    ),
    # ---- relu6
    # One of two addresses is tested.
    Wrong(
        "hundredfifteen_relu6_only_x_tested",
        "hundredfifteen_relu6",
        "alignment",
        ("fits(x) && fits(y)", "fits(x)"),
    ),
    # Three that are left are taken for a pack.
    Wrong(
        "hundredfifteen_relu6_three_are_a_pack",
        "hundredfifteen_relu6",
        "bounds / tail",
        ("base + 4 <= n", "base + 3 <= n"),
    ),
    # fminf and fmaxf lose NaN.
    Wrong(
        "hundredfifteen_relu6_nan_lost",
        "hundredfifteen_relu6",
        "nan",
        (
            "return v < 0.0f ? 0.0f : (v > 6.0f ? 6.0f : v);",
            "return fminf(fmaxf(v, 0.0f), 6.0f);",
        ),
    ),
    # The last of a pack is that before it.
    Wrong(
        "hundredfifteen_relu6_z_twice",
        "hundredfifteen_relu6",
        "neighbour / other element / twice / left out | numbers / nan",
        ("v.w = relu6(v.w);", "v.w = relu6(v.z);"),
    ),
    # The number of packs is rounded down.
    Wrong(
        "hundredfifteen_relu6_packs_rounded_down",
        "hundredfifteen_relu6",
        "tail / grid / unwritten / left out | refused / nan",
        ("int threads = (n + 3) / 4;", "int threads = n / 4;"),
    ),
    # ---- axpy
    # The factor is rounded to a half.
    Wrong(
        "hundredfifteen_axpy_a_is_half",
        "hundredfifteen_axpy",
        "precision / rounding | numbers",
        (
            "float a, const half *x, const half *y, half *z, int n)\n{\n    int tid",
            "half f, const half *x, const half *y, half *z, int n)\n{\n"
            "    float a = __half2float(f);\n    int tid",
        ),
        (
            "stream>>>(a, x, y, z, n);\n    else",
            "stream>>>(__float2half(a), x, y, z, n);\n    else",
        ),
    ),
    # One of three addresses is not asked.
    Wrong(
        "hundredfifteen_axpy_y_not_tested",
        "hundredfifteen_axpy",
        "alignment",
        ("(uintptr_t)x | (uintptr_t)y | (uintptr_t)z", "(uintptr_t)x | (uintptr_t)z"),
    ),
    # The factor goes with the other array.
    Wrong(
        "hundredfifteen_axpy_a_times_y",
        "hundredfifteen_axpy",
        "swapped / function | numbers / infinity / nan",
        ("a * u.x + v.x, a * u.y + v.y", "a * v.x + u.x, a * v.y + u.y"),
    ),
    # The kernel of pairs takes an integer for the factor.
    Wrong(
        "hundredfifteen_axpy_factor_is_int",
        "hundredfifteen_axpy",
        "rounding / precision / function | numbers / nan / sign of zero",
        ("axpy2(float a,", "axpy2(int a,"),
    ),
    # The second of a pair comes of the first of x.
    Wrong(
        "hundredfifteen_axpy_first_of_x_again",
        "hundredfifteen_axpy",
        "other element / neighbour / function | numbers / nan",
        ("a * u.y + v.y", "a * u.x + v.y"),
    ),
    # ---- mask
    # The logical and makes 0 or 1.
    Wrong(
        "hundredfifteen_mask_logical_and",
        "hundredfifteen_mask",
        "function | numbers / whole range",
        ("a[i] & b[i]", "a[i] && b[i]"),
    ),
    # The word has 16 bits.
    Wrong(
        "hundredfifteen_mask_short_word",
        "hundredfifteen_mask",
        "narrow / whole range | numbers",
        ("uint32_t word", "uint16_t word"),
    ),
    # Blocks begin one after another, though a thread takes four.
    Wrong(
        "hundredfifteen_mask_blocks_overlap",
        "hundredfifteen_mask",
        "unwritten / left out / twice / other element / tail | grid",
        (
            "blockIdx.x * blockDim.x * PER_THREAD + threadIdx.x",
            "blockIdx.x * blockDim.x + threadIdx.x",
        ),
    ),
    # The word is made in the first input.
    Wrong(
        "hundredfifteen_mask_made_in_a",
        "hundredfifteen_mask",
        "input | state",
        ("and_words(const uint32_t* a,", "and_words(uint32_t* a,"),
        ("uint32_t word = a[i] & b[i];", "uint32_t word = a[i] &= b[i];"),
        ("stream>>>(a, b, c, n)", "stream>>>((uint32_t*)a, b, c, n)"),
    ),
    # The threads of a block are taken for 64.
    Wrong(
        "hundredfifteen_mask_steps_of_64",
        "hundredfifteen_mask",
        "block size | unwritten / left out / twice / other element / tail",
        ("i += blockDim.x;", "i += 64;"),
    ),
    # ---- squares
    # The tree begins a step too late.
    Wrong(
        "hundredfifteen_squares_half_a_tree",
        "hundredfifteen_squares",
        "left out | numbers / nan / infinity / other element",
        ("int half = size / 2;", "int half = size / 4;"),
    ),
    # The tree goes on before all have added.
    Wrong(
        "hundredfifteen_squares_no_barrier_in_tree",
        "hundredfifteen_squares",
        "race | numbers / left out / other element",
        ("s[threadIdx.x + half];\n        __syncthreads();\n", "s[threadIdx.x + half];\n"),
    ),
    # Parts are squared again.
    Wrong(
        "hundredfifteen_squares_parts_squared",
        "hundredfifteen_squares",
        "function / twice | numbers / infinity",
        (
            "threadIdx.x < count ? parts[threadIdx.x] : 0.0f",
            "threadIdx.x < count ? parts[threadIdx.x] * parts[threadIdx.x] : 0.0f",
        ),
    ),
    # All parts are added, though this call wrote only some.
    Wrong(
        "hundredfifteen_squares_parts_of_before",
        "hundredfifteen_squares",
        "state | unwritten / numbers / start / nan / infinity",
        ("threadIdx.x < count ? parts[threadIdx.x] : 0.0f", "parts[threadIdx.x]"),
    ),
    # The second launch forgets the stream.
    Wrong(
        "hundredfifteen_squares_second_no_stream",
        "hundredfifteen_squares",
        "stream | race / state",
        ("add_parts<<<1, MAX_BLOCKS, 0, stream>>>", "add_parts<<<1, MAX_BLOCKS>>>"),
    ),
    # ---- positive
    # 0 is counted, too.
    Wrong(
        "hundredfifteen_positive_zero_counts",
        "hundredfifteen_positive",
        "numbers / function",
        ("x[i] > 0", "x[i] >= 0"),
    ),
    # The count is not set to 0.
    Wrong(
        "hundredfifteen_positive_not_set",
        "hundredfifteen_positive",
        "zero before | state / start / unwritten / numbers",
        ("    cudaMemsetAsync(count, 0, sizeof(int), stream);\n", ""),
    ),
    # Warps add without an atomic operation.
    Wrong(
        "hundredfifteen_positive_no_atomic",
        "hundredfifteen_positive",
        "race | left out / numbers",
        ("atomicAdd(count, __popc(votes));", "*count += __popc(votes);"),
    ),
    # Each lane adds what its warp has counted.
    Wrong(
        "hundredfifteen_positive_all_lanes_add",
        "hundredfifteen_positive",
        "twice / other element / function | numbers / race",
        (
            "    if (threadIdx.x % 32 == 0) {\n"
            "        atomicAdd(count, __popc(votes));\n    }\n",
            "    if (i < n) {\n        atomicAdd(count, __popc(votes));\n    }\n",
        ),
    ),
    # Integers below 0 are large without a sign.
    Wrong(
        "hundredfifteen_positive_unsigned",
        "hundredfifteen_positive",
        "whole range / numbers / function | twice",
        ("x[i] > 0", "x[i] > 0u"),
    ),
    # ---- lowest
    # The smallest begins with the smallest number above 0.
    Wrong(
        "hundredfifteen_lowest_starts_at_flt_min",
        "hundredfifteen_lowest",
        "start | numbers / infinity",
        ("float best = INFINITY;", "float best = FLT_MIN;"),
    ),
    # NaN is passed over.
    Wrong(
        "hundredfifteen_lowest_nan_passed_over",
        "hundredfifteen_lowest",
        "nan",
        ("v < best || isnan(v)", "v < best"),
    ),
    # Rows have the pitch of columns.
    Wrong(
        "hundredfifteen_lowest_pitch_of_rows",
        "hundredfifteen_lowest",
        "sides / other element / bounds / swapped | numbers / nan / left out",
        ("(size_t)row * cols + col", "(size_t)row * rows + col"),
    ),
    # The first row is left out.
    Wrong(
        "hundredfifteen_lowest_from_row_1",
        "hundredfifteen_lowest",
        "left out | numbers / start / other element / infinity / nan",
        ("int row = 0; row < rows", "int row = 1; row < rows"),
    ),
    # A column past the last is looked at.
    Wrong(
        "hundredfifteen_lowest_column_too_many",
        "hundredfifteen_lowest",
        "bounds / tail",
        ("if (col >= cols) return;", "if (col > cols) return;"),
    ),
    # ---- logs
    # The largest is not taken away before the exponential.
    Wrong(
        "hundredfifteen_logs_no_largest",
        "hundredfifteen_logs",
        "infinity | numbers / nan / precision / function / subnormal",
        ("sum += expf(__half2float(in[j]) - m);", "sum += expf(__half2float(in[j]));"),
        (
            "out[j] = __float2half(__half2float(in[j]) - m - log_sum);",
            "out[j] = __float2half(__half2float(in[j]) - log_sum);",
        ),
    ),
    # The largest begins with 0.
    Wrong(
        "hundredfifteen_logs_starts_at_0",
        "hundredfifteen_logs",
        "start | numbers / infinity / nan / precision / subnormal",
        ("float m = -INFINITY;", "float m = 0.0f;"),
    ),
    # The logarithm is taken of the rounded softmax.
    Wrong(
        "hundredfifteen_logs_of_softmax",
        "hundredfifteen_logs",
        "infinity / precision / subnormal | numbers / function",
        ("const float log_sum = logf(buf[0]);", "const float s = buf[0];"),
        (
            "__float2half(__half2float(in[j]) - m - log_sum)",
            "__float2half(logf(expf(__half2float(in[j]) - m) / s))",
        ),
    ),
    # Sums are stored before all have read the largest.
    Wrong(
        "hundredfifteen_logs_no_barrier_after_largest",
        "hundredfifteen_logs",
        "race | numbers / other element / nan / infinity",
        ("    m = buf[0];\n    __syncthreads();\n", "    m = buf[0];\n"),
    ),
    # The logarithm is that to base 2.
    Wrong(
        "hundredfifteen_logs_base_2",
        "hundredfifteen_logs",
        "function | numbers",
        ("logf(buf[0])", "log2f(buf[0])"),
    ),
    # ---- norm
    # The variance is divided by one less.
    Wrong(
        "hundredfifteen_norm_one_less",
        "hundredfifteen_norm",
        "function | numbers / nan / sides",
        ("warp_sum(squares) / cols", "warp_sum(squares) / (cols - 1)"),
    ),
    # Shuffles go down, and all lanes use what they have.
    Wrong(
        "hundredfifteen_norm_shuffles_down",
        "hundredfifteen_norm",
        "left out / other element / race / twice | numbers / function / nan",
        ("__shfl_xor_sync", "__shfl_down_sync"),
    ),
    # The variance is kept in a half.
    Wrong(
        "hundredfifteen_norm_variance_is_half",
        "hundredfifteen_norm",
        "infinity / precision / rounding / whole range | numbers",
        (
            "float var = warp_sum(squares) / cols;",
            "half var = __float2half(warp_sum(squares) / cols);",
        ),
        ("rsqrtf(var + eps)", "rsqrtf(__half2float(var) + eps)"),
    ),
    # The mean is never taken away from the result.
    Wrong(
        "hundredfifteen_norm_mean_stays",
        "hundredfifteen_norm",
        "function | numbers / left out / infinity",
        (
            "__float2half((__half2float(in[c]) - mean) * scale)",
            "__float2half(__half2float(in[c]) * scale)",
        ),
    ),
    # The rows of a block are counted as if it were one warp.
    Wrong(
        "hundredfifteen_norm_blocks_of_a_row",
        "hundredfifteen_norm",
        "unwritten / left out / twice / other element | nan / block size / grid / tail",
        ("blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32", "blockIdx.x + threadIdx.x / 32"),
    ),
    # ---- flip
    # The tile is read before all have stored.
    Wrong(
        "hundredfifteen_flip_no_barrier",
        "hundredfifteen_flip",
        "race | numbers / unwritten / other element",
        ("  __syncthreads();\n", ""),
    ),
    # Tiles change places, but what is in them does not.
    Wrong(
        "hundredfifteen_flip_tile_not_turned",
        "hundredfifteen_flip",
        "other element / swapped / sides | numbers / unwritten",
        ("tile[threadIdx.x][threadIdx.y + j];", "tile[threadIdx.y + j][threadIdx.x];"),
    ),
    # A thread stores one of four.
    Wrong(
        "hundredfifteen_flip_one_of_four",
        "hundredfifteen_flip",
        "unwritten / left out | tail",
        (
            "  for (int j = 0; j < TILE; j += ROWS)\n    if (x < h && y + j < w)",
            "  for (int j = 0; j < ROWS; j += ROWS)\n    if (x < h && y + j < w)",
        ),
    ),
    # Rows are counted in x of the grid.
    Wrong(
        "hundredfifteen_flip_grid_swapped",
        "hundredfifteen_flip",
        "grid / sides / swapped / unwritten / left out | tail",
        (
            "dim3 grid((w + TILE - 1) / TILE, (h + TILE - 1) / TILE);",
            "dim3 grid((h + TILE - 1) / TILE, (w + TILE - 1) / TILE);",
        ),
    ),
    # The result has the pitch of the input.
    Wrong(
        "hundredfifteen_flip_pitch_of_input",
        "hundredfifteen_flip",
        "sides / other element / bounds / unwritten / swapped | numbers / left out",
        ("out[(size_t)(y + j) * h + x]", "out[(size_t)(y + j) * w + x]"),
    ),
    # ---- matvec
    # Each lane multiplies by the same of the vector again and again.
    Wrong(
        "hundredfifteen_matvec_x_of_lane",
        "hundredfifteen_matvec",
        "other element / left out | numbers / nan / infinity / bounds",
        ("* x[k];", "* x[lane];"),
    ),
    # Shuffles begin with 8.
    Wrong(
        "hundredfifteen_matvec_four_shuffles",
        "hundredfifteen_matvec",
        "left out | numbers / nan / infinity / other element",
        ("int offset = 16;", "int offset = 8;"),
    ),
    # The result is added to what was there.
    Wrong(
        "hundredfifteen_matvec_added_to_y",
        "hundredfifteen_matvec",
        "zero before | state / start / unwritten / numbers / nan",
        ("y[warp] = dot;", "y[warp] += dot;"),
    ),
    # Only whole steps of a warp are taken.
    Wrong(
        "hundredfifteen_matvec_whole_steps",
        "hundredfifteen_matvec",
        "tail / left out | numbers / nan / infinity",
        ("k < n; k += 32", "k < n / 32 * 32; k += 32"),
    ),
    # The sum is an integer.
    Wrong(
        "hundredfifteen_matvec_sum_is_int",
        "hundredfifteen_matvec",
        "rounding / precision / whole range | numbers / nan / infinity",
        ("float dot = 0.0f;", "int dot = 0;"),
    ),
)

RIGHT = (
    # n has 64 bits, and all that is counted with it.
    Right(
        "hundredfifteen_three_wide",
        "hundredfifteen_three",
        (
            "                          int n) {\n"
            "    int i = blockIdx.x * blockDim.x + threadIdx.x;",
            "                          int64_t n) {\n"
            "    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;",
        ),
        (
            "                       int n, int block_size = 256,",
            "                       int64_t n, int block_size = 256,",
        ),
        (
            "    int blocks = (n + block_size - 1) / block_size;",
            "    int64_t blocks = (n + block_size - 1) / block_size;",
        ),
    ),
    # Limits come before rounding, and conversion rounds.
    Right(
        "hundredfifteen_bytes_convert_rounds",
        "hundredfifteen_bytes",
        ("float r = rintf(v);\n    r = fmaxf(r, 0.0f);", "float r = fmaxf(v, 0.0f);"),
        ("return (uint8_t)r;", "return (uint8_t)__float2int_rn(r);"),
    ),
    # Bits are shifted up from a word.
    Right(
        "hundredfifteen_widen_bits",
        "hundredfifteen_widen",
        (
            "    __nv_bfloat162 v = reinterpret_cast<const "
            "__nv_bfloat162*>(in)[p];\n"
            "    float lo = __low2float(v), hi = __high2float(v);\n",
            "    uint32_t v = reinterpret_cast<const uint32_t*>(in)[p];\n"
            "    float lo = __uint_as_float(v << 16), hi = __uint_as_float(v & "
            "0xffff0000u);\n",
        ),
    ),
    # One more block than is needed may have nothing to do.
    Right(
        "hundredfifteen_silu_idle_block",
        "hundredfifteen_silu",
        (
            "const int blocks = (size + block_size - 1) / block_size;\n    if (blocks > 0)",
            "const int blocks = size / block_size + 1;\n    if (size > 0)",
        ),
    ),
    # The kernel itself looks at the addresses.
    Right(
        "hundredfifteen_relu6_kernel_looks",
        "hundredfifteen_relu6",
        (
            "float* y, int n, bool vec) {",
            "float* y, unsigned n) {\n  bool vec = (((uintptr_t)x | (uintptr_t)y) & 15) == 0;",
        ),
        ("  int base = 4 *", "  unsigned base = 4 *"),
        ("for (int i = base;", "for (unsigned i = base;"),
        ("bool fits(const void* p) { return ((uintptr_t)p & 15) == 0; }\n\n", ""),
        ("(x, y, n, fits(x) && fits(y))", "(x, y, (unsigned)n)"),
    ),
    # The last thread of the grid takes the odd one, with a fused multiplication.
    Right(
        "hundredfifteen_axpy_last_thread",
        "hundredfifteen_axpy",
        ("if (tid == 0 && n % 2 != 0)", "if (tid == gridDim.x * blockDim.x - 1 && (n & 1))"),
        (
            "__floats2half2_rn(a * u.x + v.x, a * u.y + v.y)",
            "__floats2half2_rn(fmaf(a, u.x, v.x), fmaf(a, u.y, v.y))",
        ),
    ),
    # Bits are removed by negation, and a thread takes two.
    Right(
        "hundredfifteen_mask_two_a_thread",
        "hundredfifteen_mask",
        ("#define PER_THREAD 4", "#define PER_THREAD 2"),
        ("a[i] & b[i]", "~(~a[i] | ~b[i])"),
    ),
    # Blocks have 128 threads, and there are at most 64.
    Right(
        "hundredfifteen_squares_smaller_blocks",
        "hundredfifteen_squares",
        ("#define T 256\n#define MAX_BLOCKS 128", "#define T 128\n#define MAX_BLOCKS 64"),
    ),
    # The barrier counts, and one thread of a block adds.
    Right(
        "hundredfifteen_positive_counted_by_barrier",
        "hundredfifteen_positive",
        (
            "    unsigned votes = __ballot_sync(0xffffffffu, hit);\n"
            "    if (threadIdx.x % 32 == 0) {\n"
            "        atomicAdd(count, __popc(votes));",
            "    int hits = __syncthreads_count(hit);\n"
            "    if (threadIdx.x == 0 && hits > 0) {\n"
            "        atomicAdd(count, hits);",
        ),
    ),
    # Rows are walked from the last to the first, until a NaN.
    Right(
        "hundredfifteen_lowest_from_the_end",
        "hundredfifteen_lowest",
        ("int row = 0; row < rows; row++", "int row = rows - 1; row >= 0; row--"),
        (
            "if (v < best || isnan(v)) best = v;",
            "if (!(v >= best)) best = v;\n    if (isnan(best)) break;",
        ),
    ),
    # Blocks have 64 threads.
    Right(
        "hundredfifteen_logs_blocks_of_64",
        "hundredfifteen_logs",
        ("constexpr int kThreads = 128;", "constexpr int kThreads = 64;"),
        ("const float log_sum = logf(buf[0]);", "m += logf(buf[0]);"),
        ("- m - log_sum)", "- m)"),
    ),
    # Each block has two warps, and the root divides.
    Right(
        "hundredfifteen_norm_two_warps",
        "hundredfifteen_norm",
        ("const int warps = 4;", "const int warps = 2;"),
        ("rsqrtf(var + eps)", "1.0f / sqrtf(var + eps)"),
    ),
    # The tile is turned on its way in.
    Right(
        "hundredfifteen_flip_turned_on_way_in",
        "hundredfifteen_flip",
        ("tile[threadIdx.y + j][threadIdx.x] = in", "tile[threadIdx.x][threadIdx.y + j] = in"),
        ("= tile[threadIdx.x][threadIdx.y + j];", "= tile[threadIdx.y + j][threadIdx.x];"),
    ),
    # All lanes have the sum, the last one writes, and n has 64 bits.
    Right(
        "hundredfifteen_matvec_last_lane",
        "hundredfifteen_matvec",
        ("float* y, int m, int n)\n{", "float* y, int64_t m, int64_t n)\n{"),
        (
            "const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;",
            "const int64_t warp = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / 32;",
        ),
        ("for (int k = lane;", "for (int64_t k = lane;"),
        ("A[(size_t)warp * n + k]", "A[warp * n + k]"),
        ("__shfl_down_sync", "__shfl_xor_sync"),
        ("if (lane == 0)", "if (lane == 31)"),
        ("int m, int n, int block_size", "int64_t m, int64_t n, int block_size"),
        ("const int blocks = (m", "const int64_t blocks = (m"),
    ),
)
