"""Hold a hundred-and-thirteenth family: a course's plain operators, and plain mistakes.

Its bases are a scale and shift of doubles, a product of bfloat16 in pairs, bytes to halves,
int64 to float, the sigmoid of halves, elu of doubles, integers between two limits, a dot
product of halves, the smallest of each column, the place of the smallest, softmax of doubles,
an RMS norm of halves, a transpose of doubles, and a product of halves with the second matrix
transposed. They have 12 to 45 lines. Five wrong members and a right one belong to each. The
causes were written before a member was judged. On the emulator each was run on the cases,
called twice on the same tensors, with NaN and with 1e3 in floating outputs (-1 and 77 in
others), with tensors at either end of their pages, the bytes behind them and the inputs looked
at afterwards, on a stream that is not the default one, with threads in order, from the last to
the first and in a random order. Bases and right ones ran all cases and are right; wrong ones
ran until they were wrong often enough. `dot_no_atomic` is wrong by reasoning alone: the order
of blocks hides it. nvcc 13.0 compiles each base for 8.0; none was run on a GPU:

    hundredthirteen_line_b_times_x             unless factor and shift are alike
    hundredthirteen_line_float_between         from 2^24 on
    hundredthirteen_line_always_256            of other block sizes, from a second block on
    hundredthirteen_line_less_than_last        always
    hundredthirteen_line_no_stream             on another stream than the default one
    hundredthirteen_product_b_not_tested       from 2 numbers on, by the address of b alone
    hundredthirteen_product_odd_one_lost       of odd counts, where pairs are taken
    hundredthirteen_product_cut_off            of inexact products, where pairs are taken
    hundredthirteen_product_pairs_rounded_up   of odd counts, where pairs are taken
    hundredthirteen_product_a_squared          of nearly all, where pairs are taken
    hundredthirteen_pixels_with_sign           of bytes from 128 on, from 4 numbers on
    hundredthirteen_pixels_pack_for_one        unless 4 divides n
    hundredthirteen_pixels_blocks_down         unless 4 block sizes divide n
    hundredthirteen_pixels_always_128          of other block sizes, from a second block on
    hundredthirteen_pixels_w_before_z          from 4 numbers on
    hundredthirteen_longs_through_int          beyond 32 bits
    hundredthirteen_longs_through_double       of some beyond 53 bits
    hundredthirteen_longs_no_sign              below 0
    hundredthirteen_longs_one_too_many         always: one is written past the end
    hundredthirteen_longs_no_loop              from 4,097 numbers on
    hundredthirteen_sigmoid_half_between       below about -11, and of some others
    hundredthirteen_sigmoid_quotient           from about 88.8 on
    hundredthirteen_sigmoid_last_lost          of odd counts
    hundredthirteen_sigmoid_other_sign         of all but 0
    hundredthirteen_sigmoid_first_twice        from 2 numbers on
    hundredthirteen_elu_of_floats              of nearly all below 0
    hundredthirteen_elu_exp_less_1             just below 0
    hundredthirteen_elu_limits_eat_nan         of NaN
    hundredthirteen_elu_from_minus_1           between -1 and 0
    hundredthirteen_elu_blocks_down            unless the block size divides n
    hundredthirteen_limits_y_not_tested        from 4 numbers on, by the address of y alone
    hundredthirteen_limits_swapped             unless the limits are alike
    hundredthirteen_limits_of_floats           of limits and numbers beyond 2^24
    hundredthirteen_limits_w_unlimited         of each fourth number above the limit
    hundredthirteen_limits_in_place            of numbers beyond a limit: x is overwritten
    hundredthirteen_dot_not_set                unless the result is 0 already
    hundredthirteen_dot_half_products          of products that are not halves
    hundredthirteen_dot_last_warp_left_out     from 225 numbers on
    hundredthirteen_dot_no_barrier             where threads do not wait for another
    hundredthirteen_dot_no_atomic              from 2 blocks on, where they run at once
    hundredthirteen_colmin_nan_lost            of NaN
    hundredthirteen_colmin_starts_at_0         of columns above 0
    hundredthirteen_colmin_pitch_rows          unless square
    hundredthirteen_colmin_from_row_1          if the smallest is in the first row
    hundredthirteen_colmin_blocks_for_rows     if the columns need more blocks than the rows
    hundredthirteen_argmin_ties_not_first      of equal ones
    hundredthirteen_argmin_starts_at_0         if all are above 0, or infinite
    hundredthirteen_argmin_tree_of_half        if it is in the upper half of the threads
    hundredthirteen_argmin_thread_for_index    from 257 numbers on
    hundredthirteen_argmin_no_stream           on another stream than the default one
    hundredthirteen_softmax_no_maximum         of numbers far from 0
    hundredthirteen_softmax_float_exp          of nearly all
    hundredthirteen_softmax_no_barrier         where threads do not wait for another
    hundredthirteen_softmax_starts_at_dbl_min  of rows that are far below 0
    hundredthirteen_softmax_one_column_summed  from 129 columns on
    hundredthirteen_rms_eps_outside            of nearly all
    hundredthirteen_rms_sum_for_mean           from 2 columns on
    hundredthirteen_rms_half_squares           of squares that are not halves
    hundredthirteen_rms_shuffle_down           from 2 columns on
    hundredthirteen_rms_gain_of_row            of nearly all
    hundredthirteen_turn_pitch_of_a            unless square
    hundredthirteen_turn_grid_swapped          unless the tiles are as many each way
    hundredthirteen_turn_or_for_and            unless 16 divides both sides
    hundredthirteen_turn_limits_swapped        unless square
    hundredthirteen_turn_no_stream             on another stream than the default one
    hundredthirteen_matmul_no_second_barrier   from k = 17 on, where threads do not wait
    hundredthirteen_matmul_whole_tiles         unless 16 divides k
    hundredthirteen_matmul_pitch_n             unless n and k are alike
    hundredthirteen_matmul_half_sum            of sums that are not halves
    hundredthirteen_matmul_tile_not_turned     of nearly all
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case, ElementwiseMaker, elementwise_cases
from helpers.testing.references import REFERENCES
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import whole

# a*x + b of doubles, in a loop over the grid.
LINE = (
    HEADER
    + """\
#define MAX_BLOCKS 40

__global__ void line_kernel(const double* x, double* y, double a, double b, int n) {
  int step = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
    double v = x[i];
    y[i] = a * v + b;
  }
}

extern "C" void launch(const double* x,  // [n]
                       double* y,        // [n]
                       double a, double b, int n, int block_size = 256,
                       cudaStream_t stream = 0) {
  int blocks = (n + block_size - 1) / block_size;
  if (blocks > MAX_BLOCKS) blocks = MAX_BLOCKS;
  line_kernel<<<blocks, block_size, 0, stream>>>(x, y, a, b, n);
}
"""
)

# bfloat16 times bfloat16, in pairs where all three addresses allow it.
PRODUCT = (
    HEADER
    + """\
typedef __nv_bfloat16 bf16;
typedef __nv_bfloat162 bf162;

__global__ void mulPairs(const bf16 *a, const bf16 *b, bf16 *c, int n)
{
    int pairs = n / 2;
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p < pairs) {
        float2 u = __bfloat1622float2(((const bf162 *)a)[p]);
        float2 v = __bfloat1622float2(((const bf162 *)b)[p]);
        bf162 w;
        w.x = __float2bfloat16(u.x * v.x);
        w.y = __float2bfloat16(u.y * v.y);
        ((bf162 *)c)[p] = w;
    }
    if (p == 0 && n % 2 == 1)
        c[n - 1] = __float2bfloat16(__bfloat162float(a[n - 1]) * __bfloat162float(b[n - 1]));
}

__global__ void mulSingles(const bf16 *a, const bf16 *b, bf16 *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = __float2bfloat16(__bfloat162float(a[i]) * __bfloat162float(b[i]));
}

extern "C" void launch(const __nv_bfloat16 *a,  // [n]
                       const __nv_bfloat16 *b,  // [n]
                       __nv_bfloat16 *c,        // [n]
                       int n, cudaStream_t stream = 0)
{
    if (n == 0)
        return;
    bool even = ((uintptr_t)a | (uintptr_t)b | (uintptr_t)c) % 4 == 0;
    if (even)
        mulPairs<<<(n / 2 + 128) / 128, 128, 0, stream>>>(a, b, c, n);
    else
        mulSingles<<<(n + 127) / 128, 128, 0, stream>>>(a, b, c, n);
}
"""
)

# uint8 to half, four a thread; the last thread takes the rest.
PIXELS = (
    HEADER
    + """\
__global__ void pixelsToHalf(const uint8_t* in, half* out, int n) {
    int base = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (base + 3 < n) {
        uchar4 q = *(const uchar4*)(in + base);
        half2 lo = __floats2half2_rn((float)q.x, (float)q.y);
        half2 hi = __floats2half2_rn((float)q.z, (float)q.w);
        half2* dst = (half2*)(out + base);
        dst[0] = lo;
        dst[1] = hi;
    } else {
        for (int i = base; i < n; ++i) out[i] = __float2half((float)in[i]);
    }
}

extern "C" void launch(const uint8_t* in,  // [n] 4-byte aligned
                       half* out,          // [n] 4-byte aligned
                       int n, int block_size = 128, cudaStream_t stream = 0) {
    const int perBlock = 4 * block_size;
    const int grid = (n + perBlock - 1) / perBlock;
    if (grid == 0) return;
    pixelsToHalf<<<grid, block_size, 0, stream>>>(in, out, n);
}
"""
)

# int64 to float, with at most 64 blocks.
LONGS = (
    HEADER
    + """\
__global__ void longs_to_floats(const int64_t *src, float *dst, int n)
{
        int idx = threadIdx.x + blockDim.x * blockIdx.x;
        while (idx < n) {
                dst[idx] = (float)src[idx];
                idx += blockDim.x * gridDim.x;
        }
}

extern "C" void launch(const int64_t *src,  // [n]
                       float *dst,          // [n]
                       int n, cudaStream_t stream = 0)
{
        if (n <= 0)
                return;
        int grid = (n - 1) / 64 + 1;
        grid = grid < 64 ? grid : 64;
        longs_to_floats<<<grid, 64, 0, stream>>>(src, dst, n);
}
"""
)

# Sigmoid of halves, a half2 a thread.
SIGMOID = (
    HEADER
    + """\
__device__ inline float sigmoid(float v) {
  float e = expf(-v);
  return 1.0f / (1.0f + e);
}

__global__ void sigmoid_half2(const half* x, half* y, int n) {
  int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (i + 1 < n) {
    float2 u = __half22float2(*(const half2*)&x[i]);
    *(half2*)&y[i] = __floats2half2_rn(sigmoid(u.x), sigmoid(u.y));
  } else if (i < n) {
    y[i] = __float2half(sigmoid(__half2float(x[i])));
  }
}

extern "C" void launch(const half* x,  // [n] 4-byte aligned
                       half* y,        // [n] 4-byte aligned
                       int n, int block_size = 256, cudaStream_t stream = 0) {
  int threads = (n + 1) / 2;
  int blocks = (threads + block_size - 1) / block_size;
  if (blocks) sigmoid_half2<<<blocks, block_size, 0, stream>>>(x, y, n);
}
"""
)

# ELU of doubles, one a thread.
ELU = (
    HEADER
    + """\
__device__ double elu1(double v)
{
    return v > 0.0 ? v : expm1(v);
}

__global__ void elu(const double *__restrict__ x, double *__restrict__ y, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    y[i] = elu1(x[i]);
}

extern "C" void launch(const double *x,  // [n]
                       double *y,        // [n]
                       int n, int block_size = 128, cudaStream_t stream = 0)
{
    int blocks = (n + block_size - 1) / block_size;
    if (blocks > 0)
        elu<<<blocks, block_size, 0, stream>>>(x, y, n);
}
"""
)

# Integers between two limits, int4 if both addresses allow it.
LIMITS = (
    HEADER
    + """\
__device__ int limited(int v, int lo, int hi) { return min(max(v, lo), hi); }

__global__ void clamp4(const int* x, int* y, int lo, int hi, int packs, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t < packs) {
    int4 q = reinterpret_cast<const int4*>(x)[t];
    q.x = limited(q.x, lo, hi);
    q.y = limited(q.y, lo, hi);
    q.z = limited(q.z, lo, hi);
    q.w = limited(q.w, lo, hi);
    reinterpret_cast<int4*>(y)[t] = q;
  }
  int total = gridDim.x * blockDim.x;
  for (int i = 4 * packs + t; i < n; i += total) y[i] = limited(x[i], lo, hi);
}

extern "C" void launch(const int* x,  // [n]
                       int* y,        // [n]
                       int lo, int hi, int n, int block_size = 64, cudaStream_t stream = 0) {
  bool x_ok = reinterpret_cast<uintptr_t>(x) % 16 == 0;
  bool y_ok = reinterpret_cast<uintptr_t>(y) % 16 == 0;
  int packs = x_ok && y_ok ? n / 4 : 0;
  int blocks = n / (4 * block_size) + 1;
  clamp4<<<blocks, block_size, 0, stream>>>(x, y, lo, hi, packs, n);
}
"""
)

# Dot product of halves: warps, then a block, then an atomic.
DOT = (
    HEADER
    + """\
#define THREADS 256
#define WARPS (THREADS / 32)

__global__ void dot(const half *a, const half *b, float *out, int n)
{
    __shared__ float part[WARPS];
    float sum = 0.0f;
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += THREADS * gridDim.x)
        sum += __half2float(a[i]) * __half2float(b[i]);
    for (int d = 16; d > 0; d >>= 1)
        sum += __shfl_down_sync(0xffffffff, sum, d);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        float total = 0.0f;
        for (int w = 0; w < WARPS; w++)
            total += part[w];
        atomicAdd(out, total);
    }
}

extern "C" void launch(const half *a,  // [n]
                       const half *b,  // [n]
                       float *out,     // [1]
                       int n, cudaStream_t stream = 0)
{
    int blocks = (n + THREADS - 1) / THREADS;
    if (blocks > 20)
        blocks = 20;
    cudaMemsetAsync(out, 0, sizeof(float), stream);
    dot<<<blocks, THREADS, 0, stream>>>(a, b, out, n);
}
"""
)

# The smallest of each column, a thread a column; a NaN stays.
COLMIN = (
    HEADER
    + """\
__global__ void column_min(const half* x, half* y, int rows, int cols) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c < cols) {
    float least = INFINITY;
    for (int r = 0; r < rows; r++) {
      float v = __half2float(x[r * cols + c]);
      if (v < least || isnan(v)) least = v;
    }
    y[c] = __float2half(least);
  }
}

extern "C" void launch(const half* x,  // [rows, cols]
                       half* y,        // [cols]
                       int rows, int cols, int block_size = 64, cudaStream_t stream = 0) {
  int blocks = (cols + block_size - 1) / block_size;
  column_min<<<blocks, block_size, 0, stream>>>(x, y, rows, cols);
}
"""
)

# The index of the smallest, the first of equal ones, by one block.
ARGMIN = (
    HEADER
    + """\
#define B 256

__global__ void argmin_block(const float *x, int *where, int n)
{
    __shared__ float val[B];
    __shared__ int idx[B];
    int t = threadIdx.x;
    float best = INFINITY;
    int at = n;
    for (int i = t; i < n; i += B) {
        if (x[i] < best || at == n) {
            best = x[i];
            at = i;
        }
    }
    val[t] = best;
    idx[t] = at;
    __syncthreads();
    for (int half_of = B / 2; half_of > 0; half_of /= 2) {
        if (t < half_of) {
            float v = val[t + half_of];
            int k = idx[t + half_of];
            if (v < val[t] || (v == val[t] && k < idx[t])) {
                val[t] = v;
                idx[t] = k;
            }
        }
        __syncthreads();
    }
    if (t == 0)
        *where = idx[0];
}

extern "C" void launch(const float *x,  // [n]
                       int *where,      // [1]
                       int n, cudaStream_t stream = 0)
{
    argmin_block<<<1, B, 0, stream>>>(x, where, n);
}
"""
)

# Softmax of doubles, a block a row.
SOFTMAX = (
    HEADER
    + """\
const int T = 128;

__global__ void softmax_rows(const double* x, double* y, int cols) {
    __shared__ double buf[T];
    const double* in = x + (size_t)blockIdx.x * cols;
    double* out = y + (size_t)blockIdx.x * cols;
    const int t = threadIdx.x;

    double m = -INFINITY;
    for (int c = t; c < cols; c += T) m = fmax(m, in[c]);
    buf[t] = m;
    __syncthreads();
    for (int s = T / 2; s > 0; s >>= 1) {
        if (t < s) buf[t] = fmax(buf[t], buf[t + s]);
        __syncthreads();
    }
    m = buf[0];
    __syncthreads();

    double sum = 0.0;
    for (int c = t; c < cols; c += T) sum += exp(in[c] - m);
    buf[t] = sum;
    __syncthreads();
    for (int s = T / 2; s > 0; s >>= 1) {
        if (t < s) buf[t] += buf[t + s];
        __syncthreads();
    }
    for (int c = t; c < cols; c += T) out[c] = exp(in[c] - m) / buf[0];
}

extern "C" void launch(const double* x,  // [rows, cols]
                       double* y,        // [rows, cols]
                       int rows, int cols, cudaStream_t stream = 0) {
    softmax_rows<<<rows, T, 0, stream>>>(x, y, cols);
}
"""
)

# RMS norm of halves with a gain, a warp a row, four rows a block.
RMS = (
    HEADER
    + """\
__global__ void rmsnorm(const half *x, const half *gain, half *y, float eps, int rows, int cols)
{
    int lane = threadIdx.x % 32;
    int row = blockIdx.x * 4 + threadIdx.x / 32;
    if (row >= rows)
        return;
    const half *in = x + row * cols;
    float squares = 0.0f;
    for (int j = lane; j < cols; j += 32) {
        float v = __half2float(in[j]);
        squares += v * v;
    }
    for (int d = 16; d >= 1; d /= 2)
        squares += __shfl_xor_sync(0xffffffff, squares, d);
    float f = rsqrtf(squares / cols + eps);
    for (int j = lane; j < cols; j += 32)
        y[row * cols + j] = __float2half(__half2float(in[j]) * f * __half2float(gain[j]));
}

extern "C" void launch(const half *x,     // [rows, cols]
                       const half *gain,  // [cols]
                       half *y,           // [rows, cols]
                       float eps, int rows, int cols, cudaStream_t stream = 0)
{
    rmsnorm<<<(rows + 3) / 4, 128, 0, stream>>>(x, gain, y, eps, rows, cols);
}
"""
)

# Transpose of doubles, a thread an element.
TURN = (
    HEADER
    + """\
__global__ void turn(const double* a, double* b, int rows, int cols) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows && col < cols) {
    b[col * rows + row] = a[row * cols + col];
  }
}

extern "C" void launch(const double* a,  // [rows, cols]
                       double* b,        // [cols, rows]
                       int rows, int cols, cudaStream_t stream = 0) {
  dim3 block(16, 16);
  dim3 grid((cols + 15) / 16, (rows + 15) / 16);
  turn<<<grid, block, 0, stream>>>(a, b, rows, cols);
}
"""
)

# A times B transposed, halves with sums of floats, in tiles of 16.
MATMUL = (
    HEADER
    + """\
#define TS 16

__global__ void matmul_nt(const half *A, const half *B, float *C, int m, int n, int k)
{
    __shared__ half sa[TS][TS];
    __shared__ half sb[TS][TS];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TS + ty;
    int col = blockIdx.x * TS + tx;
    int brow = blockIdx.x * TS + ty;
    float acc = 0.0f;
    for (int k0 = 0; k0 < k; k0 += TS) {
        sa[ty][tx] = row < m && k0 + tx < k ? A[row * k + k0 + tx] : __float2half(0.0f);
        sb[ty][tx] = brow < n && k0 + tx < k ? B[brow * k + k0 + tx] : __float2half(0.0f);
        __syncthreads();
        for (int j = 0; j < TS; j++)
            acc += __half2float(sa[ty][j]) * __half2float(sb[tx][j]);
        __syncthreads();
    }
    if (row < m && col < n)
        C[row * n + col] = acc;
}

extern "C" void launch(const half *A,  // [m, k]
                       const half *B,  // [n, k]
                       float *C,       // [m, n]
                       int m, int n, int k, cudaStream_t stream = 0)
{
    dim3 threads(TS, TS);
    dim3 blocks((n + TS - 1) / TS, (m + TS - 1) / TS);
    matmul_nt<<<blocks, threads, 0, stream>>>(A, B, C, m, n, k);
}
"""
)

NAN, INF = float("nan"), float("inf")
LENGTHS = (*range(1, 71), 95, 97, 127, 128, 129, 255, 256, 257, 383, 385, 511, 512, 513)
LENGTHS += (1000, 1023, 1024, 1025, 2047, 2049, 4099, 5003, 10_241, 20_003)
SIDES = ((1, 1), (2, 1), (1, 2), (3, 2), (4, 31), (5, 32), (8, 33), (33, 8), (2, 64), (65, 3))
SIDES += ((9, 70), (70, 1), (3, 1000), (1, 2049), (64, 70), (130, 6), (40, 50), (32, 32))
SIDES += ((301, 2), (3, 129), (7, 128), (5, 63), (65, 65), (16, 16), (17, 15), (2, 300))
SIDES += ((1000, 3), (2049, 1), (15, 49), (49, 15), (129, 5))
FLOAT, HALF, DOUBLE = (torch.float32,), (torch.float16,), (torch.float64,)
WHOLE = (torch.int32,)


def lines(launcher: Launcher) -> Iterator[Case]:
    """Scale and shift whole numbers, so that all is exact: usual, large, infinities, NaN."""
    for n in LENGTHS:
        x, j = whole(-999, 1000, n, n).double(), torch.arange(n)
        for label, v, a, b in (
            ("usual", x, 3.0, -7.0),
            ("no shift", x, 0.5, 0.0),
            ("constant", x, 0.0, 5.0),
            ("large", x * 2**24 + 1, 1.0, 2.0),
            ("infinities", torch.where(j % 3 == 1, -INF, x), -2.0, 1.0),
            ("NaN", torch.where(j % 3 == 2, NAN, x), 2.0, 0.25),
        ):
            for block_size in (256, 128, 512):
                scalars = {"a": a, "b": b, "block_size": block_size}
                options = {"dtypes": DOUBLE, "quick": n > 5000}
                yield Case(
                    f"n = {n:,}, {scalars}, {label}", (v,), (a * v + b,), scalars, **options
                )


def pairs(launcher: Launcher) -> Iterator[Case]:
    """Multiply as an operator does, at all small sizes, and at addresses of their own."""
    make = ElementwiseMaker.of(launcher, REFERENCES["multiply"])
    yield from elementwise_cases(launcher, make)
    for n in range(1, 71):
        yield make.random(n, 3)
    for n in (2, 7, 64, 257):
        for offset in ((2, 1, 2), (1, 2, 2), (2, 2, 1), (2, 2, 2)):
            yield make.shifted(n, 5, offset)


def limits(launcher: Launcher) -> Iterator[Case]:
    """Limit integers: usual, of all sizes, one value left, large limits; slices."""
    for n in LENGTHS:
        x = whole(-999, 1000, n, n)
        for label, v, lo, hi in (
            ("usual", x, -100, 200),
            ("of all sizes", whole(-(2**31), 2**31, n, n + 1), -(2**30) - 1, 2**30 + 1),
            ("one value", x, 7, 7),
            ("all inside", x, -(2**31), 2**31 - 1),
            ("large limits", x + 2**24, 2**24 - 501, 2**24 + 501),
        ):
            for block_size in (64, 256):
                scalars = {"lo": lo, "hi": hi, "block_size": block_size}
                options = {"dtypes": WHOLE, "quick": n > 5000}
                words = f"n = {n:,}, {scalars}, {label}"
                yield Case(words, (v.int(),), (v.clamp(lo, hi),), scalars, **options)
            if n < 300 and label == "usual":
                for offset in ((4, 1), (1, 4), (1, 1), (3, 2), (4, 4)):
                    words = f"n = {n:,}, slices from {offset}"
                    scalars = {"lo": lo, "hi": hi}
                    more = {"dtypes": WHOLE, "offset": offset}
                    yield Case(words, (v.int(),), (v.clamp(lo, hi),), scalars, **more)


def dots(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole numbers, so that all is exact: any, ones, negative, the last, NaN."""
    for n in LENGTHS:
        a, b, j = (
            whole(-20, 21, n, n).double(),
            whole(-20, 21, n, n + 1).double(),
            torch.arange(n),
        )
        for label, p, q in (
            ("any", a, b),
            ("ones", a * 0 + 1, b * 0 + 1),
            ("zeros", a * 0, b),
            ("negative", -a.abs() - 1, b.abs() + 1),
            ("large factors", a.sign() * 1025, b.sign() * 63),
            ("the last alone", torch.where(j == n - 1, 3.0, 0.0), b * 0 + 5),
            ("infinity", torch.where(j == n // 2, INF, a.abs()), b.abs() + 1),
            ("NaN", a, torch.where(j == n // 2, NAN, b)),
        ):
            right = (p * q).sum().reshape(1)
            options = {"dtypes": FLOAT, "quick": n > 5000}
            yield Case(f"n = {n:,}, {label}", (p.half(), q.half()), (right,), **options)


def column_minima(launcher: Launcher) -> Iterator[Case]:
    """Look for minima: any, all above and below 0, in the first or last row, inf, NaN."""
    for rows, cols in SIDES:
        n = rows * cols
        x, r = whole(-999, 1000, n, n).reshape(rows, cols).double(), torch.arange(rows)[:, None]
        for label, y in (
            ("any", x),
            ("above 0", x.abs() + 1),
            ("below 0", -x.abs() - 1),
            ("zeros", x * 0 + 0.0),
            ("in the first row", torch.where(r == 0, -2000.0, x)),
            ("in the last row", torch.where(r == rows - 1, -2000.0, x)),
            ("infinities", x * 0 + INF),
            ("-infinity", torch.where(r == rows // 2, -INF, x)),
            ("NaN", torch.where((r == rows // 2) & (x > 0), NAN, x)),
        ):
            y = y.half()
            for block_size in (64, 256):
                words = f"rows = {rows:,}, cols = {cols:,}, block_size = {block_size}, {label}"
                right = (y.double().amin(0),)
                yield Case(words, (y,), right, {"block_size": block_size}, dtypes=HALF)


def places(launcher: Launcher) -> Iterator[Case]:
    """Look for the first smallest: any, few values, equal, above 0, the ends, infinities."""
    for n in LENGTHS:
        x, j = whole(-9999, 10_000, n, n).double(), torch.arange(n)
        for label, y in (
            ("any", x),
            ("few values", x % 3),
            ("equal", x * 0 + 4),
            ("above 0", x.abs() + 1),
            ("below 0", -x.abs() - 1),
            ("the last", torch.where(j == n - 1, -20_000.0, x)),
            ("the first", torch.where(j == 0, -20_000.0, x)),
            ("falling", -j.double()),
            ("infinities", x * 0 + INF),
            ("-infinity", torch.where(j == n // 2, -INF, x)),
        ):
            place = (y == y.min()).int().argmax().reshape(1)
            options = {"dtypes": WHOLE, "quick": n > 5000}
            yield Case(f"n = {n:,}, {label}", (y.float(),), (place,), **options)


def softmaxes(launcher: Launcher) -> Iterator[Case]:
    """Take softmax: any, equal, far above and below 0, rising, a mask, a NaN."""
    for rows, cols in SIDES:
        n = rows * cols
        x, c = whole(-80, 81, n, n).reshape(rows, cols) / 8.0, torch.arange(cols)
        for label, y in (
            ("any", x),
            ("equal", x * 0 + 3),
            ("far above 0", x + 1000),
            ("far below 0", x - 1000),
            ("rising", x * 0 + c / 8.0),
            ("a mask", torch.where((c % 3 == 1) & (c > 0), -INF, x)),
            ("NaN", torch.where(c == cols // 2, NAN, x)),
        ):
            v = y.double()
            p = torch.exp(v - v.amax(1, True))
            p = p / p.sum(1, keepdim=True)
            slack = ((2.0**-44 * p).nan_to_num(0.0) + 2.0**-1000,)
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (v,), (p,), dtypes=DOUBLE, within=slack)


def norms(launcher: Launcher) -> Iterator[Case]:
    """Norm whole numbers with gains: any, plain, large, zeros, below 0, one apart, a NaN."""
    for rows, cols in SIDES:
        n = rows * cols
        x, c = whole(-99, 100, n, n).reshape(rows, cols).double(), torch.arange(cols)
        gain = whole(-16, 17, cols, cols + 1).double() / 8
        for label, y, g, eps in (
            ("any", x, gain, 1.0),
            ("plain", x, gain * 0 + 1, 2.0**-10),
            ("small", x / 64, gain, 0.25),
            ("large", x * 64, gain, 1.0),
            ("zeros", x * 0, gain, 0.5),
            ("below 0", -x.abs() - 1, gain.abs() + 1, 0.125),
            ("one apart", torch.where(c == cols // 3, 700.0, x * 0 + 1), gain, 0.5),
            ("NaN", torch.where((x % 9 == 4) & (c == cols // 2), NAN, x), gain, 1.0),
        ):
            v, g = y.half(), g.half()
            right = v.double() / ((v.double() ** 2).mean(1, keepdim=True) + eps).sqrt()
            right = right * g.double()
            words = f"rows = {rows:,}, cols = {cols:,}, eps = {eps}, {label}"
            slack = ((2.0**-10 * right.abs()).nan_to_num(0.0) + 2.0**-24,)
            yield Case(words, (v, g), (right,), {"eps": eps}, dtypes=HALF, within=slack)


def turns(launcher: Launcher) -> Iterator[Case]:
    """Transpose: long, thin, odd and square shapes, with strange values."""
    for rows, cols in (*SIDES, (1, 40_003), (40_003, 1), (700, 130)):
        n = rows * cols
        x = whole(-99_999, 100_000, n, n).reshape(rows, cols).double()
        for label, y in (
            ("any", x),
            ("counted", torch.arange(n).reshape(rows, cols) + 0.5),
            ("strange", torch.where(x % 5 == 1, NAN, torch.where(x % 5 == 2, -INF, -0.0))),
        ):
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            y = y.double()
            yield Case(words, (y,), (y.T.contiguous(),), dtypes=DOUBLE, quick=n > 5000)


def products(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole numbers, so that all is exact: any, ones, large, the last, a NaN."""
    sides = ((1, 1, 1), (1, 2, 3), (2, 1, 40), (3, 5, 7), (16, 16, 16), (17, 15, 33))
    sides += ((15, 17, 65), (5, 40, 1), (40, 5, 2), (33, 31, 20), (1, 70, 31), (70, 1, 32))
    sides += ((20, 65, 48), (65, 20, 5), (3, 2, 1000), (2, 3, 300), (32, 32, 32), (300, 2, 17))
    for m, n, k in (*sides, *((7, 9, k) for k in range(2, 64, 3))):
        a = whole(-20, 21, m * k, m + k).reshape(m, k).double()
        b = whole(-20, 21, n * k, n + 1).reshape(n, k).double()
        h = torch.arange(k)
        for label, p, q in (
            ("any", a, b),
            ("ones", a * 0 + 1, b * 0 + 1),
            ("below 0", -a.abs() - 1, b.abs() + 1),
            ("large", a.sign() * 1025, b.sign() * 63),
            ("the last alone", torch.where(h == k - 1, 3.0, 0.0) + a * 0, b.abs() + 1),
            ("NaN in a row", torch.where(torch.arange(m)[:, None] == m // 2, NAN, a), b),
        ):
            words = f"m = {m}, n = {n}, k = {k}, {label}"
            yield Case(words, (p.half(), q.half()), (p @ q.T,), dtypes=FLOAT)


def elu(x: torch.Tensor) -> torch.Tensor:
    """Compute x above 0 and exp(x) - 1 below it."""
    return torch.where(x > 0, x, torch.expm1(x))


BASES = {
    "hundredthirteen_line": Base(LINE, {"cases": lines}),
    "hundredthirteen_product": Base(PRODUCT, {"cases": pairs}),
    "hundredthirteen_pixels": Base(PIXELS, {"reference": "cast"}),
    "hundredthirteen_longs": Base(LONGS, {"reference": "cast"}),
    "hundredthirteen_sigmoid": Base(SIGMOID, {"reference": torch.sigmoid, "ulp": 1}),
    "hundredthirteen_elu": Base(ELU, {"reference": elu, "ulp": 4}),
    "hundredthirteen_limits": Base(LIMITS, {"cases": limits}),
    "hundredthirteen_dot": Base(DOT, {"cases": dots}),
    "hundredthirteen_colmin": Base(COLMIN, {"cases": column_minima}),
    "hundredthirteen_argmin": Base(ARGMIN, {"cases": places}),
    "hundredthirteen_softmax": Base(SOFTMAX, {"cases": softmaxes}),
    "hundredthirteen_rms": Base(RMS, {"cases": norms}),
    "hundredthirteen_turn": Base(TURN, {"cases": turns}),
    "hundredthirteen_matmul": Base(MATMUL, {"cases": products}),
}

WRONG = (
    # ---- line
    # Factor and shift change places on the way to the kernel.
    Wrong(
        "hundredthirteen_line_b_times_x",
        "hundredthirteen_line",
        "swapped / function | numbers",
        ("(x, y, a, b, n);", "(x, y, b, a, n);"),
    ),
    # The number is kept in a float.
    Wrong(
        "hundredthirteen_line_float_between",
        "hundredthirteen_line",
        "precision | numbers / rounding",
        ("double v = x[i];", "float v = x[i];"),
    ),
    # Threads are numbered as in blocks of 256.
    Wrong(
        "hundredthirteen_line_always_256",
        "hundredthirteen_line",
        "block size | unwritten / left out",
        (
            "= blockIdx.x * blockDim.x + threadIdx.x; i < n",
            "= blockIdx.x * 256 + threadIdx.x; i < n",
        ),
    ),
    # The last number is not reached.
    Wrong(
        "hundredthirteen_line_less_than_last",
        "hundredthirteen_line",
        "tail / unwritten | left out",
        ("i < n; i += step", "i < n - 1; i += step"),
    ),
    # The launch names no stream.
    Wrong(
        "hundredthirteen_line_no_stream",
        "hundredthirteen_line",
        "stream",
        ("<<<blocks, block_size, 0, stream>>>", "<<<blocks, block_size>>>"),
    ),
    # ---- product
    # The address of b is not looked at.
    Wrong(
        "hundredthirteen_product_b_not_tested",
        "hundredthirteen_product",
        "alignment",
        ("((uintptr_t)a | (uintptr_t)b | (uintptr_t)c)", "((uintptr_t)a | (uintptr_t)c)"),
    ),
    # The last of an odd count is forgotten.
    Wrong(
        "hundredthirteen_product_odd_one_lost",
        "hundredthirteen_product",
        "tail / unwritten | left out",
        (
            "    if (p == 0 && n % 2 == 1)\n        c[n - 1] = __float2bfloat16("
            "__bfloat162float(a[n - 1]) * __bfloat162float(b[n - 1]));\n",
            "",
        ),
    ),
    # What does not fit is cut off.
    Wrong(
        "hundredthirteen_product_cut_off",
        "hundredthirteen_product",
        "rounding | numbers / precision / infinity / alignment",
        ("w.x = __float2bfloat16(", "w.x = __float2bfloat16_rz("),
        ("w.y = __float2bfloat16(", "w.y = __float2bfloat16_rz("),
    ),
    # The pairs are rounded up.
    Wrong(
        "hundredthirteen_product_pairs_rounded_up",
        "hundredthirteen_product",
        "tail / bounds | alignment",
        ("int pairs = n / 2;", "int pairs = (n + 1) / 2;"),
    ),
    # Both numbers come from a.
    Wrong(
        "hundredthirteen_product_a_squared",
        "hundredthirteen_product",
        "left out / function / copy / swapped | numbers / other element / alignment",
        (
            "__bfloat1622float2(((const bf162 *)b)[p])",
            "__bfloat1622float2(((const bf162 *)a)[p])",
        ),
    ),
    # ---- pixels
    # Bytes have a sign.
    Wrong(
        "hundredthirteen_pixels_with_sign",
        "hundredthirteen_pixels",
        "whole range | numbers",
        ("uchar4 q = *(const uchar4*)", "char4 q = *(const char4*)"),
    ),
    # A pack is taken where one number is left.
    Wrong(
        "hundredthirteen_pixels_pack_for_one",
        "hundredthirteen_pixels",
        "tail / bounds",
        ("if (base + 3 < n)", "if (base < n)"),
    ),
    # The blocks are rounded down.
    Wrong(
        "hundredthirteen_pixels_blocks_down",
        "hundredthirteen_pixels",
        "grid / tail / unwritten | left out / block size",
        ("(n + perBlock - 1) / perBlock", "n / perBlock"),
    ),
    # A thread is numbered as in blocks of 128.
    Wrong(
        "hundredthirteen_pixels_always_128",
        "hundredthirteen_pixels",
        "block size | unwritten / left out / tail",
        ("(blockIdx.x * blockDim.x + threadIdx.x)", "(blockIdx.x * 128 + threadIdx.x)"),
    ),
    # The second pair is stored the wrong way round.
    Wrong(
        "hundredthirteen_pixels_w_before_z",
        "hundredthirteen_pixels",
        "other element / neighbour / swapped | numbers / tail",
        ("((float)q.z, (float)q.w)", "((float)q.w, (float)q.z)"),
    ),
    # ---- longs
    # The number goes through an int.
    Wrong(
        "hundredthirteen_longs_through_int",
        "hundredthirteen_longs",
        "whole range / narrow | numbers / precision",
        ("(float)src[idx]", "(float)(int)src[idx]"),
    ),
    # The number goes through a double.
    Wrong(
        "hundredthirteen_longs_through_double",
        "hundredthirteen_longs",
        "rounding | precision / numbers",
        ("(float)src[idx]", "(float)(double)src[idx]"),
    ),
    # The number has no sign.
    Wrong(
        "hundredthirteen_longs_no_sign",
        "hundredthirteen_longs",
        "whole range | numbers / function",
        ("(float)src[idx]", "(float)(uint64_t)src[idx]"),
    ),
    # The loop goes one too far.
    Wrong(
        "hundredthirteen_longs_one_too_many",
        "hundredthirteen_longs",
        "bounds | tail",
        ("while (idx < n)", "while (idx <= n)"),
    ),
    # The blocks are limited, but a thread takes one number.
    Wrong(
        "hundredthirteen_longs_no_loop",
        "hundredthirteen_longs",
        "grid / unwritten / left out | tail",
        ("while (idx < n)", "if (idx < n)"),
    ),
    # ---- sigmoid
    # The exponential is a half.
    Wrong(
        "hundredthirteen_sigmoid_half_between",
        "hundredthirteen_sigmoid",
        "infinity / precision / rounding / subnormal | numbers",
        ("float e = expf(-v);", "float e = __half2float(__float2half(expf(-v)));"),
    ),
    # The quotient of two infinities.
    Wrong(
        "hundredthirteen_sigmoid_quotient",
        "hundredthirteen_sigmoid",
        "infinity / nan | numbers / function",
        ("float e = expf(-v);", "float e = expf(v);"),
        ("return 1.0f / (1.0f + e);", "return e / (1.0f + e);"),
    ),
    # The last of an odd count is forgotten.
    Wrong(
        "hundredthirteen_sigmoid_last_lost",
        "hundredthirteen_sigmoid",
        "tail / unwritten | left out",
        (
            "  } else if (i < n) {\n    y[i] = __float2half(sigmoid(__half2float(x[i])));\n  }",
            "  }",
        ),
    ),
    # The exponent has the other sign.
    Wrong(
        "hundredthirteen_sigmoid_other_sign",
        "hundredthirteen_sigmoid",
        "function | numbers",
        ("expf(-v)", "expf(v)"),
    ),
    # Both numbers are made of the first.
    Wrong(
        "hundredthirteen_sigmoid_first_twice",
        "hundredthirteen_sigmoid",
        "other element / neighbour / twice | numbers / left out",
        ("sigmoid(u.y)", "sigmoid(u.x)"),
    ),
    # ---- elu
    # The exponential is that of floats.
    Wrong(
        "hundredthirteen_elu_of_floats",
        "hundredthirteen_elu",
        "precision | numbers / rounding / subnormal",
        ("expm1(v)", "expm1f((float)v)"),
    ),
    # 1 is taken from the exponential.
    Wrong(
        "hundredthirteen_elu_exp_less_1",
        "hundredthirteen_elu",
        "precision | numbers / function / sign of zero / subnormal",
        ("expm1(v)", "exp(v) - 1.0"),
    ),
    # Two limits, which swallow NaN.
    Wrong(
        "hundredthirteen_elu_limits_eat_nan",
        "hundredthirteen_elu",
        "nan | sign of zero",
        ("v > 0.0 ? v : expm1(v)", "fmax(v, 0.0) + expm1(fmin(v, 0.0))"),
    ),
    # The curve begins at -1.
    Wrong(
        "hundredthirteen_elu_from_minus_1",
        "hundredthirteen_elu",
        "function | numbers",
        ("v > 0.0 ?", "v > -1.0 ?"),
    ),
    # The blocks are rounded down.
    Wrong(
        "hundredthirteen_elu_blocks_down",
        "hundredthirteen_elu",
        "grid / tail / unwritten | left out / block size",
        ("(n + block_size - 1) / block_size", "n / block_size"),
    ),
    # ---- limits
    # The address of y is not looked at.
    Wrong(
        "hundredthirteen_limits_y_not_tested",
        "hundredthirteen_limits",
        "alignment",
        ("int packs = x_ok && y_ok ? n / 4 : 0;", "int packs = x_ok ? n / 4 : 0;"),
        ("  bool y_ok = reinterpret_cast<uintptr_t>(y) % 16 == 0;\n", ""),
    ),
    # The limits change places on the way to the kernel.
    Wrong(
        "hundredthirteen_limits_swapped",
        "hundredthirteen_limits",
        "swapped / function | numbers",
        ("(x, y, lo, hi, packs, n);", "(x, y, hi, lo, packs, n);"),
    ),
    # The limits are those of floats.
    Wrong(
        "hundredthirteen_limits_of_floats",
        "hundredthirteen_limits",
        "precision | numbers / whole range / rounding",
        ("min(max(v, lo), hi)", "(int)fminf(fmaxf(v, lo), hi)"),
    ),
    # The last of four has no upper limit.
    Wrong(
        "hundredthirteen_limits_w_unlimited",
        "hundredthirteen_limits",
        "left out / function / numbers | tail / alignment / other element",
        ("q.w = limited(q.w, lo, hi);", "q.w = max(q.w, lo);"),
    ),
    # The input is limited, and then copied.
    Wrong(
        "hundredthirteen_limits_in_place",
        "hundredthirteen_limits",
        "input | state / alignment",
        ("clamp4(const int* x,", "clamp4(int* x,"),
        (
            "    reinterpret_cast<int4*>(y)[t] = q;",
            "    reinterpret_cast<int4*>(x)[t] = q;\n    reinterpret_cast<int4*>(y)[t] = q;",
        ),
        ("stream>>>(x, y, lo", "stream>>>((int*)x, y, lo"),
    ),
    # ---- dot
    # The result is not set before all add to it.
    Wrong(
        "hundredthirteen_dot_not_set",
        "hundredthirteen_dot",
        "zero before | state / unwritten / nan",
        ("    cudaMemsetAsync(out, 0, sizeof(float), stream);\n", ""),
    ),
    # Products are halves.
    Wrong(
        "hundredthirteen_dot_half_products",
        "hundredthirteen_dot",
        "precision / rounding | numbers / infinity",
        ("__half2float(a[i]) * __half2float(b[i])", "__half2float(__hmul(a[i], b[i]))"),
    ),
    # The last warp is not added.
    Wrong(
        "hundredthirteen_dot_last_warp_left_out",
        "hundredthirteen_dot",
        "left out | numbers / tail",
        ("w < WARPS; w++", "w < WARPS - 1; w++"),
    ),
    # The parts are read before all are there.
    Wrong(
        "hundredthirteen_dot_no_barrier",
        "hundredthirteen_dot",
        "race | unwritten / left out / numbers / state / nan",
        ("    __syncthreads();\n", ""),
    ),
    # Blocks add without an atomic.
    Wrong(
        "hundredthirteen_dot_no_atomic",
        "hundredthirteen_dot",
        "race | left out / numbers / state",
        ("atomicAdd(out, total);", "*out += total;"),
    ),
    # ---- colmin
    # NaN is not smaller than anything.
    Wrong(
        "hundredthirteen_colmin_nan_lost",
        "hundredthirteen_colmin",
        "nan",
        ("if (v < least || isnan(v)) least = v;", "least = fminf(least, v);"),
    ),
    # The least begins with 0.
    Wrong(
        "hundredthirteen_colmin_starts_at_0",
        "hundredthirteen_colmin",
        "start | numbers",
        ("float least = INFINITY;", "float least = 0.0f;"),
    ),
    # Rows have the length of columns.
    Wrong(
        "hundredthirteen_colmin_pitch_rows",
        "hundredthirteen_colmin",
        "sides / bounds / other element | numbers",
        ("x[r * cols + c]", "x[r * rows + c]"),
    ),
    # The first row is passed over.
    Wrong(
        "hundredthirteen_colmin_from_row_1",
        "hundredthirteen_colmin",
        "left out | numbers / start / infinity / other element",
        ("int r = 0; r < rows", "int r = 1; r < rows"),
    ),
    # There are blocks for the rows.
    Wrong(
        "hundredthirteen_colmin_blocks_for_rows",
        "hundredthirteen_colmin",
        "grid / sides / unwritten | left out / tail",
        ("(cols + block_size - 1)", "(rows + block_size - 1)"),
    ),
    # ---- argmin
    # The tree does not look which of equal ones is first.
    Wrong(
        "hundredthirteen_argmin_ties_not_first",
        "hundredthirteen_argmin",
        "other element / numbers | start / infinity / function / bounds / left out",
        ("if (v < val[t] || (v == val[t] && k < idx[t]))", "if (v <= val[t])"),
    ),
    # The smallest begins with 0.
    Wrong(
        "hundredthirteen_argmin_starts_at_0",
        "hundredthirteen_argmin",
        "start | numbers / other element",
        ("float best = INFINITY;", "float best = 0.0f;"),
        ("int at = n;", "int at = 0;"),
        ("if (x[i] < best || at == n)", "if (x[i] < best)"),
    ),
    # The tree begins with a quarter.
    Wrong(
        "hundredthirteen_argmin_tree_of_half",
        "hundredthirteen_argmin",
        "left out | numbers / other element",
        ("int half_of = B / 2;", "int half_of = B / 4;"),
    ),
    # The thread is kept in place of the index.
    Wrong(
        "hundredthirteen_argmin_thread_for_index",
        "hundredthirteen_argmin",
        "other element / function | numbers / left out",
        ("at = i;", "at = t;"),
    ),
    # The launch names no stream.
    Wrong(
        "hundredthirteen_argmin_no_stream",
        "hundredthirteen_argmin",
        "stream",
        ("<<<1, B, 0, stream>>>", "<<<1, B>>>"),
    ),
    # ---- softmax
    # The largest is not taken away.
    Wrong(
        "hundredthirteen_softmax_no_maximum",
        "hundredthirteen_softmax",
        "infinity | numbers / nan / precision / function / subnormal",
        ("    m = buf[0];\n", "    m = 0.0;\n"),
    ),
    # The exponentials are floats.
    Wrong(
        "hundredthirteen_softmax_float_exp",
        "hundredthirteen_softmax",
        "precision | numbers / subnormal / rounding",
        ("sum += exp(in[c] - m);", "sum += expf(in[c] - m);"),
        ("out[c] = exp(in[c] - m)", "out[c] = expf(in[c] - m)"),
    ),
    # The sum is stored while others read the largest.
    Wrong(
        "hundredthirteen_softmax_no_barrier",
        "hundredthirteen_softmax",
        "race | numbers / nan / infinity / other element / precision",
        ("    m = buf[0];\n    __syncthreads();\n", "    m = buf[0];\n"),
    ),
    # The largest begins with the least positive number.
    Wrong(
        "hundredthirteen_softmax_starts_at_dbl_min",
        "hundredthirteen_softmax",
        "start | numbers / nan / infinity / subnormal / precision",
        ("double m = -INFINITY;", "double m = DBL_MIN;"),
    ),
    # A thread sums one column.
    Wrong(
        "hundredthirteen_softmax_one_column_summed",
        "hundredthirteen_softmax",
        "left out | numbers / function / tail",
        ("c < cols; c += T) sum += exp", "c < min(cols, T); c += T) sum += exp"),
    ),
    # ---- rms
    # The small number is added to the root.
    Wrong(
        "hundredthirteen_rms_eps_outside",
        "hundredthirteen_rms",
        "function | numbers / infinity / precision / nan",
        ("rsqrtf(squares / cols + eps)", "1.0f / (sqrtf(squares / cols) + eps)"),
    ),
    # The sum is not divided.
    Wrong(
        "hundredthirteen_rms_sum_for_mean",
        "hundredthirteen_rms",
        "function | numbers",
        ("rsqrtf(squares / cols + eps)", "rsqrtf(squares + eps)"),
    ),
    # Squares are halves.
    Wrong(
        "hundredthirteen_rms_half_squares",
        "hundredthirteen_rms",
        "infinity / precision | numbers / rounding",
        (
            "        float v = __half2float(in[j]);\n        squares += v * v;",
            "        squares += __half2float(__hmul(in[j], in[j]));",
        ),
    ),
    # Shuffles go down, and all lanes use what they have.
    Wrong(
        "hundredthirteen_rms_shuffle_down",
        "hundredthirteen_rms",
        "left out / other element / race / twice | numbers / function",
        ("__shfl_xor_sync(", "__shfl_down_sync("),
    ),
    # Each row has one gain.
    Wrong(
        "hundredthirteen_rms_gain_of_row",
        "hundredthirteen_rms",
        "other element / bounds / sides | numbers",
        ("__half2float(gain[j])", "__half2float(gain[row])"),
    ),
    # ---- turn
    # Rows of the result have the length of those of a.
    Wrong(
        "hundredthirteen_turn_pitch_of_a",
        "hundredthirteen_turn",
        "sides / bounds / other element / unwritten | numbers / race / twice",
        ("b[col * rows + row]", "b[col * cols + row]"),
    ),
    # The grid has the sides of the result.
    Wrong(
        "hundredthirteen_turn_grid_swapped",
        "hundredthirteen_turn",
        "grid / sides / unwritten | left out / tail / swapped",
        (
            "grid((cols + 15) / 16, (rows + 15) / 16)",
            "grid((rows + 15) / 16, (cols + 15) / 16)",
        ),
    ),
    # One of the tests is enough.
    Wrong(
        "hundredthirteen_turn_or_for_and",
        "hundredthirteen_turn",
        "bounds / sides / race / other element | numbers / tail",
        ("row < rows && col < cols", "row < rows || col < cols"),
    ),
    # Each index is tested against the other side.
    Wrong(
        "hundredthirteen_turn_limits_swapped",
        "hundredthirteen_turn",
        "bounds / sides / unwritten / swapped | left out / tail / other element / race",
        ("row < rows && col < cols", "row < cols && col < rows"),
    ),
    # The launch names no stream.
    Wrong(
        "hundredthirteen_turn_no_stream",
        "hundredthirteen_turn",
        "stream",
        ("<<<grid, block, 0, stream>>>", "<<<grid, block>>>"),
    ),
    # ---- matmul
    # Tiles are filled while they are read.
    Wrong(
        "hundredthirteen_matmul_no_second_barrier",
        "hundredthirteen_matmul",
        "race | numbers / other element / left out / nan",
        (
            "__half2float(sb[tx][j]);\n        __syncthreads();\n",
            "__half2float(sb[tx][j]);\n",
        ),
    ),
    # The last tile is left out unless it is a whole one.
    Wrong(
        "hundredthirteen_matmul_whole_tiles",
        "hundredthirteen_matmul",
        "tail / left out | numbers / nan / sides",
        ("k0 < k; k0 += TS", "k0 + TS <= k; k0 += TS"),
    ),
    # Rows of B have the length of those of C.
    Wrong(
        "hundredthirteen_matmul_pitch_n",
        "hundredthirteen_matmul",
        "sides / bounds / other element | numbers",
        ("B[brow * k + k0 + tx]", "B[brow * n + k0 + tx]"),
    ),
    # The sum is a half.
    Wrong(
        "hundredthirteen_matmul_half_sum",
        "hundredthirteen_matmul",
        "precision / rounding / infinity | numbers",
        ("float acc = 0.0f;", "half acc = __float2half(0.0f);"),
        (
            "acc += __half2float(sa[ty][j]) * __half2float(sb[tx][j]);",
            "acc = __hfma(sa[ty][j], sb[tx][j], acc);",
        ),
        ("= acc;\n}", "= __half2float(acc);\n}"),
    ),
    # The tile of B is read as if B were not transposed.
    Wrong(
        "hundredthirteen_matmul_tile_not_turned",
        "hundredthirteen_matmul",
        "other element / function / sides / swapped | numbers / left out",
        ("__half2float(sb[tx][j])", "__half2float(sb[j][tx])"),
    ),
)

RIGHT = (
    # All counts and indices have 64 bits.
    Right(
        "hundredthirteen_line_int64",
        "hundredthirteen_line",
        ("double a, double b, int n) {", "double a, double b, int64_t n) {"),
        (
            "int step = gridDim.x * blockDim.x;",
            "int64_t step = (int64_t)gridDim.x * blockDim.x;",
        ),
        (
            "for (int i = blockIdx.x * blockDim.x + threadIdx.x;",
            "for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;",
        ),
        (
            "double a, double b, int n, int block_size",
            "double a, double b, int64_t n, int block_size",
        ),
        ("  int blocks = (n", "  int64_t blocks = (n"),
    ),
    # The pair is multiplied at once.
    Right(
        "hundredthirteen_product_hmul2",
        "hundredthirteen_product",
        (
            "        float2 u = __bfloat1622float2(((const bf162 *)a)[p]);\n"
            "        float2 v = __bfloat1622float2(((const bf162 *)b)[p]);\n"
            "        bf162 w;\n"
            "        w.x = __float2bfloat16(u.x * v.x);\n"
            "        w.y = __float2bfloat16(u.y * v.y);\n"
            "        ((bf162 *)c)[p] = w;\n",
            "        const bf162 *s = (const bf162 *)a, *t = (const bf162 *)b;\n"
            "        ((bf162 *)c)[p] = __hmul2(s[p], t[p]);\n",
        ),
    ),
    # Indices have no sign.
    Right(
        "hundredthirteen_pixels_unsigned",
        "hundredthirteen_pixels",
        ("int base = 4 *", "uint32_t base = 4u *"),
        ("half* out, int n) {", "half* out, uint32_t n) {"),
        ("for (int i = base;", "for (uint32_t i = base;"),
    ),
    # One block more than needed.
    Right(
        "hundredthirteen_longs_a_block_more",
        "hundredthirteen_longs",
        ("(n - 1) / 64 + 1", "n / 64 + 2"),
    ),
    # A thread more than needed, so that there is always a block.
    Right(
        "hundredthirteen_sigmoid_blocks_of_its_own",
        "hundredthirteen_sigmoid",
        ("int threads = (n + 1) / 2;", "int threads = n / 2 + 1;"),
        ("  if (blocks) sigmoid", "  sigmoid"),
    ),
    # 64 bits from the count on.
    Right(
        "hundredthirteen_elu_int64",
        "hundredthirteen_elu",
        ("double *__restrict__ y, int n)", "double *__restrict__ y, int64_t n)"),
        ("const int i = blockIdx.x *", "const int64_t i = (int64_t)blockIdx.x *"),
        ("int n, int block_size", "int64_t n, int block_size"),
        ("int blocks = (n", "int64_t blocks = (n"),
    ),
    # Conditions in place of functions.
    Right(
        "hundredthirteen_limits_conditions",
        "hundredthirteen_limits",
        ("return min(max(v, lo), hi);", "return v > hi ? hi : v < lo ? lo : v;"),
    ),
    # A kernel of one thread sets the result.
    Right(
        "hundredthirteen_dot_result_set_by_kernel",
        "hundredthirteen_dot",
        (
            "__global__ void dot(",
            "__global__ void clear(float *out) { *out = 0.0f; }\n\n__global__ void dot(",
        ),
        ("cudaMemsetAsync(out, 0, sizeof(float), stream);", "clear<<<1, 1, 0, stream>>>(out);"),
    ),
    # Blocks that have nothing to do.
    Right(
        "hundredthirteen_colmin_idle_blocks",
        "hundredthirteen_colmin",
        ("(cols + block_size - 1) / block_size;", "cols / block_size + 3;"),
    ),
    # Smaller blocks.
    Right(
        "hundredthirteen_argmin_blocks_of_64",
        "hundredthirteen_argmin",
        ("#define B 256", "#define B 64"),
    ),
    # Multiplied by one over the sum.
    Right(
        "hundredthirteen_softmax_inverse",
        "hundredthirteen_softmax",
        (
            "    for (int c = t; c < cols; c += T) out[c] = exp(in[c] - m) / buf[0];",
            "    double inverse = 1.0 / buf[0];\n"
            "    for (int c = t; c < cols; c += T) out[c] = exp(in[c] - m) * inverse;",
        ),
    ),
    # Eight rows a block.
    Right(
        "hundredthirteen_rms_eight_rows",
        "hundredthirteen_rms",
        ("blockIdx.x * 4 +", "blockIdx.x * 8 +"),
        ("<<<(rows + 3) / 4, 128, 0", "<<<(rows + 7) / 8, 256, 0"),
    ),
    # Blocks of 32 times 8.
    Right(
        "hundredthirteen_turn_blocks_of_32_by_8",
        "hundredthirteen_turn",
        ("block(16, 16)", "block(32, 8)"),
        ("grid((cols + 15) / 16, (rows + 15) / 16)", "grid((cols + 31) / 32, (rows + 7) / 8)"),
    ),
    # Tiles of floats, one column wider than needed.
    Right(
        "hundredthirteen_matmul_padded_floats",
        "hundredthirteen_matmul",
        ("__shared__ half sa[TS][TS];", "__shared__ float sa[TS][TS + 1];"),
        ("__shared__ half sb[TS][TS];", "__shared__ float sb[TS][TS + 1];"),
        (
            "A[row * k + k0 + tx] : __float2half(0.0f);",
            "__half2float(A[row * k + k0 + tx]) : 0.0f;",
        ),
        (
            "B[brow * k + k0 + tx] : __float2half(0.0f);",
            "__half2float(B[brow * k + k0 + tx]) : 0.0f;",
        ),
        ("__half2float(sa[ty][j]) * __half2float(sb[tx][j])", "sa[ty][j] * sb[tx][j]"),
    ),
)
