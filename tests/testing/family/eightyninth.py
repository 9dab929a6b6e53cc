"""Hold an eighty-ninth family: plain operators of a course, and what people do wrong in them.

Its bases are the difference of two arrays of int32, the hypot of two float arrays, pixels of
bytes to 0..1, doubles cut off to int64, tanh of halves in pairs, ReLU that stops at 6, the sum
of an array by a tree, its mean and variance, the smallest of each column, the l2 norm of each
row, a transpose in which each warp turns a strip, a transpose of int64 by a tile, a row vector
times a matrix, and softmax along columns. They have 12 to 45 lines, in different hands: int4
where three addresses allow it, a loop over the grid, four bytes a thread that also takes the
rest, int64_t indices, half2 with an odd one alone, two numbers a thread, a tree with an atomic
a block, two passes of one block with shuffles, 8 threads a column, a warp a row, tiles of 32
and of 16, a vector in pieces, and three passes of a thread. Their mistakes are spread over
alignment, sizes, grids, block sizes, integers that are too narrow, rounding, NaN, infinity,
inputs that are written, sums, transposes, products, order, streams and what is left of an
earlier call. The causes were written before a member was judged. There are 70 wrong members and
14 right ones. On the emulator each was compared as a case does, called twice on the same
tensors, with NaN and with 1e3 in floating outputs (-1 and 77 in others), with tensors at either
end of their pages, the bytes behind them and their inputs looked at afterwards, on a stream
that is not the default one, with threads in order, from the last to the first and in a random
order, and in the slices that the cases name. Bases and right ones ran all cases; wrong ones
until they were wrong often enough. Of those that lack a barrier not each is wrong in every
order of threads, and eightynine_addup_no_atomic is wrong in none, as the blocks run one after
another there: that is by reasoning. The sums past 2^31 did not end in the second that they were
given. nvcc 13.0 compiles each base for 8.0; none was run on a GPU. Bases and right ones are
right, and all others wrong or refused by a fault:

    eightynine_minus_b_anywhere            from 4 numbers on, by the address of b alone
    eightynine_minus_operands_swapped      of nearly all
    eightynine_minus_one_too_many          unless the threads end with the numbers
    eightynine_minus_in_floats             beyond 2^24
    eightynine_minus_no_stream             on another stream than the default one
    eightynine_hypot_plain_squares         of large and of tiny numbers
    eightynine_hypot_steps_of_256          of smaller blocks, if there are more than 96
    eightynine_hypot_no_loop               if there are more than 96 blocks
    eightynine_hypot_scaled_by_larger      if one of the two is NaN
    eightynine_hypot_sum_of_legs           of nearly all
    eightynine_pixels_of_256               of all but 0
    eightynine_pixels_whole_division       of all but 0 and 255
    eightynine_pixels_one_of_the_rest      if 2 or 3 numbers are left
    eightynine_pixels_signed_packs         of bytes from 128 on, in packs
    eightynine_pixels_x_anywhere           from 4 numbers on, by the address of x
    eightynine_wholes_by_int               beyond 32 bits
    eightynine_wholes_to_the_nearest       of fractions, about half of them
    eightynine_wholes_by_float             of numbers that are no floats
    eightynine_wholes_downwards            of fractions below 0
    eightynine_wholes_last_missing         always
    eightynine_tanh_by_exponentials        from about 44.4 on
    eightynine_tanh_odd_one_missing        of odd counts
    eightynine_tanh_first_of_pair_twice    of nearly all
    eightynine_tanh_no_stream              on another stream than the default one
    eightynine_tanh_limits_eat_nan         of NaN
    eightynine_relu6_nan_is_0              of NaN
    eightynine_relu6_steps_of_128          of smaller and of larger blocks
    eightynine_relu6_half_the_blocks       from 257 numbers on at 128
    eightynine_relu6_x_set_too             beyond the limits: x is overwritten
    eightynine_relu6_no_upper_limit        above 6
    eightynine_addup_not_set_to_0          always, by what out holds
    eightynine_addup_last_step_missing     unless odd places of a block hold 0
    eightynine_addup_no_barrier_in_tree    where threads do not wait for another
    eightynine_addup_no_atomic             from 257 numbers on, where blocks meet: by reasoning
    eightynine_addup_starts_with_first     unless the first number is 0
    eightynine_spread_by_n_less_1          unless all are alike, and of one number
    eightynine_spread_squares_less_square  about a mean far from 0
    eightynine_spread_no_second_barrier    where threads do not wait for another
    eightynine_spread_half_the_warps       from 129 numbers on
    eightynine_spread_whole_rounds         unless 256 divides n
    eightynine_least_starts_at_0           of columns that are all above 0
    eightynine_least_pitch_of_rows         unless square
    eightynine_least_steps_of_width        from 9 rows on
    eightynine_least_last_part_missing     from 8 rows on
    eightynine_least_columns_past_end      unless 32 divides the columns
    eightynine_norms_squares_of_halves     from 256 on, and of what a half rounds
    eightynine_norms_no_root               unless the norm is 0 or 1
    eightynine_norms_shuffles_from_8       from 17 columns on
    eightynine_norms_half_the_blocks       from 5 rows on
    eightynine_norms_short_start           beyond 65,535 numbers
    eightynine_strips_no_syncwarp          where lanes do not wait for another
    eightynine_strips_pitch_of_way_in      unless square
    eightynine_strips_tile_not_turned      of nearly all
    eightynine_strips_across_by_rows       unless the strips are as many each way
    eightynine_strips_one_tile_for_all     from two strips on, where warps meet
    eightynine_turn64_tile_of_ints         beyond 32 bits
    eightynine_turn64_tile_of_doubles      beyond 2^53
    eightynine_turn64_or_for_and           unless 16 divides both sides
    eightynine_turn64_grid_swapped         unless the tiles are as many each way
    eightynine_turn64_pitch_of_way_in      unless square
    eightynine_rowvec_whole_pieces         unless 128 divides k
    eightynine_rowvec_added_to_y           always, by what y holds
    eightynine_rowvec_matrix_turned        of nearly all
    eightynine_rowvec_first_piece          from k = 129 on
    eightynine_rowvec_no_stream            on another stream than the default one
    eightynine_softcol_no_maximum          far from 0
    eightynine_softcol_starts_at_flt_min   of columns that are far below 0
    eightynine_softcol_kept_in_x           always: x is overwritten
    eightynine_softcol_written_turned      unless a side is 1
    eightynine_softcol_blocks_of_128       of smaller blocks, from a second one on
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import whole

# Difference of two arrays of int32, int4 where all three addresses allow it.
MINUS = (
    HEADER
    + """\
__device__ int less(int a, int b) { return a - b; }

__global__ void minus(const int *a, const int *b, int *c, bool packed, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int packs = packed ? n / 4 : 0;
    if (t < packs) {
        int4 u = ((const int4 *)a)[t];
        int4 v = ((const int4 *)b)[t];
        ((int4 *)c)[t] = make_int4(less(u.x, v.x), less(u.y, v.y), less(u.z, v.z),
                                   less(u.w, v.w));
    }
    int i = 4 * packs + t;
    if (i < n)
        c[i] = less(a[i], b[i]);
}

static bool fits(const void *p) { return ((uintptr_t)p & 15) == 0; }

extern "C" void launch(const int *a,  // [n]
                       const int *b,  // [n]
                       int *c,        // [n]
                       int n, cudaStream_t stream = 0)
{
    if (n == 0)
        return;
    bool packed = fits(a) && fits(b) && fits(c);
    int threads = packed ? n / 4 + 3 : n;
    minus<<<(threads + 127) / 128, 128, 0, stream>>>(a, b, c, packed, n);
}
"""
)

# Length of the vector (a, b), a loop over the grid.
HYPOT = (
    HEADER
    + """\
__device__ float length(float a, float b) {
  return hypotf(a, b);
}

__global__ void lengths(const float* __restrict__ a, const float* __restrict__ b,
                        float* __restrict__ out, int n) {
  int stride = gridDim.x * blockDim.x;
  int first = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = first; i < n; i += stride) out[i] = length(a[i], b[i]);
}

extern "C" void launch(const float* a,  // [n]
                       const float* b,  // [n]
                       float* out,      // [n]
                       int n, int block_size = 256, cudaStream_t stream = 0) {
  if (n == 0) return;
  int blocks = (n + block_size - 1) / block_size;
  if (blocks > 96) blocks = 96;
  lengths<<<blocks, block_size, 0, stream>>>(a, b, out, n);
}
"""
)

# Pixels to 0..1, four bytes a thread.
PIXELS = (
    HEADER
    + """\
#define BLOCK 128
#define WHITE 255.0f

__global__ void pixels(const uint8_t *x, float *y, int n)
{
    int i = 4 * (blockIdx.x * BLOCK + threadIdx.x);
    if (i + 4 <= n) {
        uchar4 p = *(const uchar4 *)(x + i);
        float4 q;
        q.x = p.x / WHITE;
        q.y = p.y / WHITE;
        q.z = p.z / WHITE;
        q.w = p.w / WHITE;
        *(float4 *)(y + i) = q;
    } else {
        while (i < n) {
            y[i] = x[i] / WHITE;
            i++;
        }
    }
}

extern "C" void launch(const uint8_t *x,  // [n] 4-byte aligned
                       float *y,          // [n] 16-byte aligned
                       int n, cudaStream_t stream = 0)
{
    int per_block = 4 * BLOCK;
    int blocks = (n + per_block - 1) / per_block;
    if (blocks > 0)
        pixels<<<blocks, BLOCK, 0, stream>>>(x, y, n);
}
"""
)

# Doubles to int64, cut off towards 0, a number a thread.
WHOLES = (
    HEADER
    + """\
__global__ void wholes(const double* in, int64_t* out, int64_t n) {
  int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    double v = in[i];
    out[i] = (int64_t)v;
  }
}

extern "C" void launch(const double* in,  // [n]
                       int64_t* out,      // [n]
                       int64_t n, int block_size = 192, cudaStream_t stream = 0) {
  int64_t blocks = (n + block_size - 1) / block_size;
  if (blocks == 0) return;
  wholes<<<(unsigned)blocks, block_size, 0, stream>>>(in, out, n);
}
"""
)

# tanh of halves, two at a time; an odd one is taken alone.
TANH = (
    HEADER
    + """\
static __device__ float squash(float v)
{
    return tanhf(v);
}

__global__ void tanh_pairs(const half *x, half *y, int n)
{
    int step = blockDim.x * gridDim.x;
    for (int p = blockIdx.x * blockDim.x + threadIdx.x; 2 * p < n; p += step) {
        if (2 * p + 1 < n) {
            float2 v = __half22float2(((const half2 *)x)[p]);
            v.x = squash(v.x);
            v.y = squash(v.y);
            ((half2 *)y)[p] = __float22half2_rn(v);
        } else {
            y[2 * p] = __float2half(squash(__half2float(x[2 * p])));
        }
    }
}

extern "C" void launch(const half *x,  // [n] 4-byte aligned
                       half *y,        // [n] 4-byte aligned
                       int n, int block_size = 64, cudaStream_t stream = 0)
{
    if (n <= 0)
        return;
    int pairs = (n + 1) / 2;
    int blocks = min((pairs + block_size - 1) / block_size, 160);
    tanh_pairs<<<blocks, block_size, 0, stream>>>(x, y, n);
}
"""
)

# ReLU that stops at 6, two numbers a thread, a block apart.
RELU6 = (
    HEADER
    + """\
__global__ void relu6(const float* x, float* y, int n) {
  int i = blockIdx.x * 2 * blockDim.x + threadIdx.x;
  for (int k = 0; k < 2; ++k) {
    if (i >= n) return;
    float v = x[i];
    if (v < 0.0f) v = 0.0f;
    if (v > 6.0f) v = 6.0f;
    y[i] = v;
    i += blockDim.x;
  }
}

extern "C" void launch(const float* x,  // [n]
                       float* y,        // [n]
                       int n, int block_size = 128, cudaStream_t stream = 0) {
  if (n < 1) return;
  int each = 2 * block_size;
  relu6<<<(n + each - 1) / each, block_size, 0, stream>>>(x, y, n);
}
"""
)

# Sum of an array, a tree in shared memory, an atomic a block.
ADDUP = (
    HEADER
    + """\
#define N 256

__global__ void add_up(const float *x, float *out, int64_t n)
{
    __shared__ float part[N];
    int t = threadIdx.x;
    float mine = 0.0f;
    for (int64_t i = blockIdx.x * N + t; i < n; i += gridDim.x * N)
        mine += x[i];
    part[t] = mine;
    __syncthreads();
    for (int half = N / 2; half >= 1; half /= 2) {
        if (t < half)
            part[t] += part[t + half];
        __syncthreads();
    }
    if (t == 0)
        atomicAdd(out, part[0]);
}

extern "C" void launch(const float *x,  // [n]
                       float *out,      // [1]
                       int64_t n, cudaStream_t stream = 0)
{
    int64_t blocks = (n + N - 1) / N;
    if (blocks < 1)
        blocks = 1;
    if (blocks > 64)
        blocks = 64;
    cudaMemsetAsync(out, 0, sizeof(float), stream);
    add_up<<<(int)blocks, N, 0, stream>>>(x, out, n);
}
"""
)

# Mean and variance of an array in two passes of one block.
SPREAD = (
    HEADER
    + """\
#define WARPS 8
#define T (32 * WARPS)

__device__ float block_sum(float v, float* s) {
  for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffffu, v, d);
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
  __syncthreads();
  float total = 0.0f;
  for (int w = 0; w < WARPS; w++) total += s[w];
  __syncthreads();  // s is used again
  return total;
}

__global__ void spread(const float* x, float* mean, float* var, int n) {
  __shared__ float s[WARPS];
  float a = 0.0f, b = 0.0f;
  for (int i = threadIdx.x; i < n; i += T) a += x[i];
  float m = block_sum(a, s) / n;
  for (int i = threadIdx.x; i < n; i += T) b += (x[i] - m) * (x[i] - m);
  float v = block_sum(b, s) / n;
  if (threadIdx.x == 0) {
    mean[0] = m;
    var[0] = v;
  }
}

extern "C" void launch(const float* x,  // [n]
                       float* mean,     // [1]
                       float* var,      // [1]
                       int n, cudaStream_t stream = 0) {
  spread<<<1, T, 0, stream>>>(x, mean, var, n);
}
"""
)

# Smallest of each column, a block 32 columns, 8 threads a column.
LEAST = (
    HEADER
    + """\
#define WIDE 32
#define DEEP 8

__global__ void least(const int *x, int *y, int rows, int cols)
{
    __shared__ int best[DEEP][WIDE];
    int c = blockIdx.x * WIDE + threadIdx.x;
    int m = 2147483647;
    if (c < cols) {
        for (int r = threadIdx.y; r < rows; r += blockDim.y)
            m = min(m, x[(size_t)r * cols + c]);
    }
    best[threadIdx.y][threadIdx.x] = m;
    __syncthreads();
    if (threadIdx.y == 0 && c < cols) {
        for (int k = 1; k < DEEP; k++)
            m = min(m, best[k][threadIdx.x]);
        y[c] = m;
    }
}

extern "C" void launch(const int *x,  // [rows, cols]
                       int *y,        // [cols]
                       int rows, int cols, cudaStream_t stream = 0)
{
    dim3 block(WIDE, DEEP);
    least<<<(cols + WIDE - 1) / WIDE, block, 0, stream>>>(x, y, rows, cols);
}
"""
)

# l2 norm of each row of halves, a warp a row.
NORMS = (
    HEADER
    + """\
const int kWarps = 4;

__global__ void row_norms(const half* x, float* y, int rows, int cols) {
  int lane = threadIdx.x % 32;
  int r = blockIdx.x * kWarps + threadIdx.x / 32;
  if (r >= rows) return;
  size_t start = (size_t)r * cols;
  float sum = 0.0f;
  for (int c = lane; c < cols; c += 32) {
    float v = __half2float(x[start + c]);
    sum += v * v;
  }
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
  if (lane == 0) y[r] = sqrtf(sum);
}

extern "C" void launch(const half* x,  // [rows, cols]
                       float* y,       // [rows]
                       int rows, int cols, cudaStream_t stream = 0) {
  int blocks = (rows + kWarps - 1) / kWarps;
  row_norms<<<blocks, 32 * kWarps, 0, stream>>>(x, y, rows, cols);
}
"""
)

# Transpose: each warp turns a strip of 32 rows and 32 columns by itself.
STRIPS = (
    HEADER
    + """\
#define W 4

__global__ void strips(const float *in, float *out, int rows, int cols)
{
    __shared__ float tile[W][32][33];
    int lane = threadIdx.x, w = threadIdx.y;
    int across = (cols + 31) / 32;
    int id = blockIdx.x * W + w;
    int r0 = id / across * 32;
    int c0 = id % across * 32;
    if (r0 >= rows)
        return;
    for (int k = 0; k < 32; k++)
        if (r0 + k < rows && c0 + lane < cols)
            tile[w][k][lane] = in[(size_t)(r0 + k) * cols + c0 + lane];
    __syncwarp();
    for (int k = 0; k < 32; k++)
        if (c0 + k < cols && r0 + lane < rows)
            out[(size_t)(c0 + k) * rows + r0 + lane] = tile[w][lane][k];
}

extern "C" void launch(const float *in,  // [rows, cols]
                       float *out,       // [cols, rows]
                       int rows, int cols, cudaStream_t stream = 0)
{
    int count = (rows + 31) / 32 * ((cols + 31) / 32);
    strips<<<(count + W - 1) / W, dim3(32, W), 0, stream>>>(in, out, rows, cols);
}
"""
)

# Transpose of int64 by a tile of 16.
TURN64 = (
    HEADER
    + """\
#define S 16

__global__ void turn64(const int64_t* a, int64_t* b, int rows, int cols) {
  __shared__ int64_t tile[S][S + 1];
  int c = blockIdx.x * S + threadIdx.x;
  int r = blockIdx.y * S + threadIdx.y;
  if (r < rows && c < cols) tile[threadIdx.y][threadIdx.x] = a[(int64_t)r * cols + c];
  __syncthreads();
  int to_c = blockIdx.y * S + threadIdx.x;
  int to_r = blockIdx.x * S + threadIdx.y;
  if (to_r < cols && to_c < rows)
    b[(int64_t)to_r * rows + to_c] = tile[threadIdx.x][threadIdx.y];
}

extern "C" void launch(const int64_t* a,  // [rows, cols]
                       int64_t* b,        // [cols, rows]
                       int rows, int cols, cudaStream_t stream = 0) {
  int wide = (cols + S - 1) / S;
  int high = (rows + S - 1) / S;
  turn64<<<dim3(wide, high), dim3(S, S), 0, stream>>>(a, b, rows, cols);
}
"""
)

# Product of a row vector and a matrix, a column a thread, the vector in pieces.
ROWVEC = (
    HEADER
    + """\
#define T 128

__global__ void row_times(const float *x, const float *a, float *y, int k, int n)
{
    __shared__ float piece[T];
    int t = threadIdx.x;
    int col = blockIdx.x * T + t;
    float sum = 0.0f;
    for (int k0 = 0; k0 < k; k0 += T) {
        int left = min(T, k - k0);
        if (t < left)
            piece[t] = x[k0 + t];
        __syncthreads();
        if (col < n)
            for (int j = 0; j < left; j++)
                sum += piece[j] * a[(size_t)(k0 + j) * n + col];
        __syncthreads();
    }
    if (col < n)
        y[col] = sum;
}

extern "C" void launch(const float *x,  // [k]
                       const float *a,  // [k, n]
                       float *y,        // [n]
                       int k, int n, cudaStream_t stream = 0)
{
    int blocks = (n + T - 1) / T;
    row_times<<<blocks, T, 0, stream>>>(x, a, y, k, n);
}
"""
)

# Softmax along columns, a column a thread.
SOFTCOL = (
    HEADER
    + """\
__global__ void soft_columns(const float* x, float* y, int rows, int cols) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= cols) return;
  float top = x[c];
  for (int r = 0; r < rows; r++) top = fmaxf(top, x[(size_t)r * cols + c]);
  float sum = 0.0f;
  for (int r = 0; r < rows; r++) {
    sum += expf(x[(size_t)r * cols + c] - top);
  }
  for (int r = 0; r < rows; r++) {
    size_t i = (size_t)r * cols + c;
    y[i] = expf(x[i] - top) / sum;
  }
}

extern "C" void launch(const float* x,  // [rows, cols]
                       float* y,        // [rows, cols]
                       int rows, int cols, int block_size = 128, cudaStream_t stream = 0) {
  int blocks = (cols + block_size - 1) / block_size;
  soft_columns<<<blocks, block_size, 0, stream>>>(x, y, rows, cols);
}
"""
)

NAN, INF = float("nan"), float("inf")
LENGTHS = (*range(1, 71), 95, 96, 97, 127, 128, 129, 255, 256, 257, 383, 385, 511, 512, 513)
LENGTHS += (1000, 1023, 1024, 1025, 2047, 2049, 4096, 4099)
SIDES = ((1, 1), (2, 1), (1, 2), (3, 2), (4, 31), (5, 32), (8, 33), (33, 8), (2, 64), (65, 3))
SIDES += ((9, 70), (70, 1), (3, 1000), (1, 4099), (64, 70), (130, 6), (40, 50), (32, 32))
SIDES += ((301, 2), (3, 129), (7, 128), (15, 17), (16, 16), (65, 65), (6, 6), (7, 10), (2, 130))
SIDES += ((1000, 3), (513, 129))
FLOAT = (torch.float32,)


def _hypot(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return torch.hypot(a, b)


def _pixels(x: torch.Tensor) -> torch.Tensor:
    return x / 255


def _relu6(x: torch.Tensor) -> torch.Tensor:
    return x.clamp(0, 6)


def minuses(launcher: Launcher) -> Iterator[Case]:
    """Subtract: any, large, alike, zeros, the least and the largest; slices of any start."""
    for n in (*LENGTHS, 9_001, 70_003):
        a, b = (whole(-999, 1000, n, 2 * n + k) for k in range(2))
        far = whole(-(2**30), 2**30, n, n)
        for label, p, q in (
            ("any", a, b),
            ("large", far, far.flip(0) // 3 + a),
            ("large and near", far, far + b),
            ("alike", a, a),
            ("zeros", a * 0, b),
            ("the least", a * 0 - 2**31, -b.abs()),
            ("the largest", a * 0 + 2**31 - 1, b.abs()),
        ):
            options = {"dtypes": (torch.int32,), "quick": n > 5000}
            inputs = (p.int(), q.int())
            yield Case(f"n = {n:,}, {label}", inputs, (p - q,), **options)
            if n < 600 and label == "any":
                for offset in (
                    (1, 1, 1),
                    (1, 4, 4),
                    (4, 1, 4),
                    (4, 4, 1),
                    (1, 2, 3),
                    (4, 8, 4),
                ):
                    words = f"n = {n:,}, slices from {offset}"
                    yield Case(words, inputs, (p - q,), offset=offset, **options)


def spreads(launcher: Launcher) -> Iterator[Case]:
    """Take mean and variance: any, alike, about a large mean, the last alone, zeros, NaN."""
    for n in (*LENGTHS, 9_001, 100_003):
        x, j = whole(-99, 100, n, n).float(), torch.arange(n)
        for label, y in (
            ("any", x),
            ("fractions", x / 128 + 0.3),
            ("alike", x * 0 + 7),
            ("about 4,096", 4096 + x / 64),
            ("all below 0", -x.abs() - 1),
            ("zeros", x * 0),
            ("the last alone", torch.where(j == n - 1, 90.0, 0.0)),
            ("NaN", torch.where(j == n // 2, NAN, x)),
        ):
            v = y.double()
            mean = v.mean()
            var = ((v - mean) ** 2).mean()
            size = v.abs().mean().nan_to_num(0.0)
            off = 2.0**-17 * size
            within = (off + 2.0**-60, 2.0**-15 * var.nan_to_num(0.0) + off * off + 2.0**-60)
            yield Case(
                f"n = {n:,}, {label}",
                (y,),
                (mean.reshape(1), var.reshape(1)),
                dtypes=FLOAT * 2,
                within=tuple(w.reshape(1) for w in within),
                quick=n > 5000,
            )


def leasts(launcher: Launcher) -> Iterator[Case]:
    """Look for the smallest: any, all above 0, below 0, large, the last alone, zeros."""
    for rows, cols in SIDES:
        n = rows * cols
        x = whole(-999, 1000, n, n).reshape(rows, cols)
        r = torch.arange(rows)[:, None]
        for label, y in (
            ("any", x),
            ("all above 0", x.abs() + 1),
            ("all below 0", -x.abs() - 1),
            ("large", x * 2_000_000),
            ("the largest", x * 0 + 2**31 - 1),
            ("the least in the last row", torch.where(r == rows - 1, -(2**31), x)),
            ("falling", x * 0 - r),
            ("rising", x * 0 + r + 5),
            ("zeros", x * 0),
        ):
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y.int(),), (y.amin(0),), dtypes=(torch.int32,))


def norms(launcher: Launcher) -> Iterator[Case]:
    """Take lengths of rows: any, fractions, large, small, zeros, one alone, infinity, NaN."""
    for rows, cols in SIDES:
        n = rows * cols
        x, c = whole(-50, 51, n, n).reshape(rows, cols).double(), torch.arange(cols)
        for label, y in (
            ("any", x),
            ("fractions", x / 64),
            ("large", x * 600),
            ("small", x / 8192),
            ("zeros", x * 0),
            ("all below 0", -x.abs() - 1),
            ("the last alone", torch.where(c == cols - 1, 3.0, 0.0) + 0 * x),
            ("infinity", torch.where(c == cols // 2, -INF, x)),
            ("NaN", torch.where(c == cols // 2, NAN, x)),
        ):
            y = y.half()
            right = (y.double() ** 2).sum(1).sqrt()
            slack = ((2.0**-19 * right).nan_to_num(0.0, 0.0),)
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y,), (right,), dtypes=FLOAT, within=slack)


def turns64(launcher: Launcher) -> Iterator[Case]:
    """Turn integers of 64 bits: small, in order, large, of either sign."""
    for rows, cols in (*SIDES, (17, 15), (31, 200), (200, 31), (1, 70_003), (70_003, 1)):
        n = rows * cols
        x = whole(-(2**31), 2**31, n, n).reshape(rows, cols).long()
        for label, y in (
            ("small", x % 100),
            ("in order", torch.arange(n).reshape(rows, cols)),
            ("32 bits", x),
            ("large", x * (2**31 - 1) + x % 1001),
            ("large and odd", (x.abs() << 31) | 2**62 | 1),
        ):
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            right = (y.T.contiguous(),)
            yield Case(words, (y,), right, dtypes=(torch.int64,), quick=n > 5000)


def rowvecs(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole numbers, so that all is exact: any, ones, the last alone, zeros, NaN."""
    for k, n in (*SIDES, (127, 5), (128, 7), (129, 4), (255, 130), (256, 3), (257, 2)):
        x = whole(-30, 31, k, k).double()
        a = whole(-30, 31, k * n, k * n).reshape(k, n).double()
        j = torch.arange(k)
        for label, p, q in (
            ("any", x, a),
            ("ones", x, a * 0 + 1),
            ("the last alone", (j == k - 1) * 3.0 + x * 0, a),
            ("the first alone", (j == 0) * 3.0 + x * 0, a),
            ("zeros", x * 0, a),
            ("fractions", x / 4, a / 8),
            ("NaN in the vector", torch.where(j == k // 2, NAN, x), a),
            ("NaN in a row", x, torch.where(j[:, None] == k - 1, NAN, a)),
        ):
            words = f"k = {k:,}, n = {n:,}, {label}"
            yield Case(words, (p.float(), q.float()), (p @ q,), dtypes=FLOAT)


def softcols(launcher: Launcher) -> Iterator[Case]:
    """Take softmax of columns: any, alike, far from 0, rising, a mask, a NaN."""
    for rows, cols in SIDES:
        n = rows * cols
        x, r = whole(-40, 41, n, n).reshape(rows, cols) / 8.0, torch.arange(rows)[:, None]
        for label, y in (
            ("any", x),
            ("alike", x * 0 + 3),
            ("zeros", x * 0),
            ("far above 0", x + 1000),
            ("far below 0", x - 1000),
            ("all below 0", -x.abs() - 1),
            ("rising", x * 0 + r / 8.0),
            ("falling", x * 0 - r / 8.0),
            ("wide apart", x * 30),
            ("a mask", torch.where((r % 3 == 1) & (r > 0), -INF, x)),
            ("NaN", torch.where(r == rows // 2, NAN, x)),
        ):
            y = y.float()
            right = torch.softmax(y.double(), 0)
            slack = ((2.0**-17 * right + 2.0**-120).nan_to_num(0.0),)
            for block_size in (128, 32) if n < 5000 else (128,):
                scalars = {"block_size": block_size}
                words = f"rows = {rows:,}, cols = {cols:,}, {scalars}, {label}"
                yield Case(words, (y,), (right,), scalars, dtypes=FLOAT, within=slack)


BASES = {
    "eightynine_minus": Base(MINUS, {"cases": minuses}),
    "eightynine_hypot": Base(HYPOT, {"reference": _hypot, "ulp": 4}),
    "eightynine_pixels": Base(PIXELS, {"reference": _pixels, "ulp": 1}),
    "eightynine_wholes": Base(WHOLES, {"reference": "cast"}),
    "eightynine_tanh": Base(TANH, {"reference": torch.tanh, "ulp": 1}),
    "eightynine_relu6": Base(RELU6, {"reference": _relu6}),
    "eightynine_addup": Base(ADDUP, cases="sums"),
    "eightynine_spread": Base(SPREAD, {"cases": spreads}),
    "eightynine_least": Base(LEAST, {"cases": leasts}),
    "eightynine_norms": Base(NORMS, {"cases": norms}),
    "eightynine_strips": Base(STRIPS, cases="transpose"),
    "eightynine_turn64": Base(TURN64, {"cases": turns64}),
    "eightynine_rowvec": Base(ROWVEC, {"cases": rowvecs}),
    "eightynine_softcol": Base(SOFTCOL, {"cases": softcols}),
}

WRONG = (
    # ---- minus
    # The address of b is not looked at.
    Wrong(
        "eightynine_minus_b_anywhere",
        "eightynine_minus",
        "alignment",
        (
            "fits(a) && fits(b) && fits(c)",
            "fits(a) && fits(c)",
        ),
    ),
    # The other is taken away.
    Wrong(
        "eightynine_minus_operands_swapped",
        "eightynine_minus",
        "swapped | function",
        (
            "{ return a - b; }",
            "{ return b - a; }",
        ),
    ),
    # The last test lets one more pass.
    Wrong(
        "eightynine_minus_one_too_many",
        "eightynine_minus",
        "bounds",
        (
            "if (i < n)",
            "if (i <= n)",
        ),
    ),
    # Differences are made of floats.
    Wrong(
        "eightynine_minus_in_floats",
        "eightynine_minus",
        "precision / narrow | whole range / rounding",
        (
            "{ return a - b; }",
            "{ return (int)((float)a - (float)b); }",
        ),
    ),
    # The launch forgets the stream.
    Wrong(
        "eightynine_minus_no_stream",
        "eightynine_minus",
        "stream",
        (
            "128, 128, 0, stream>>>",
            "128, 128>>>",
        ),
    ),
    # ---- hypot
    # Squares overflow, and vanish.
    Wrong(
        "eightynine_hypot_plain_squares",
        "eightynine_hypot",
        "infinity / subnormal | precision / numbers",
        (
            "return hypotf(a, b);",
            "return sqrtf(a * a + b * b);",
        ),
    ),
    # The loop expects blocks of 256.
    Wrong(
        "eightynine_hypot_steps_of_256",
        "eightynine_hypot",
        "block size | unwritten / left out",
        (
            "int stride = gridDim.x * blockDim.x;",
            "int stride = gridDim.x * 256;",
        ),
    ),
    # The blocks are limited, and nothing goes on from there.
    Wrong(
        "eightynine_hypot_no_loop",
        "eightynine_hypot",
        "grid / unwritten | left out / tail",
        (
            "for (int i = first; i < n; i += stride) out",
            "int i = first;\n  if (i < n) out",
        ),
    ),
    # The larger one is taken out, and fmaxf drops NaN.
    Wrong(
        "eightynine_hypot_scaled_by_larger",
        "eightynine_hypot",
        "nan",
        (
            "return hypotf(a, b);",
            "float big = fmaxf(fabsf(a), fabsf(b)), small = fminf(fabsf(a), fabsf(b));\n"
            "  if (big == 0.0f || isinf(big)) return big;\n"
            "  float q = small / big;\n"
            "  return big * sqrtf(1.0f + q * q);",
        ),
    ),
    # Legs are added.
    Wrong(
        "eightynine_hypot_sum_of_legs",
        "eightynine_hypot",
        "function",
        (
            "return hypotf(a, b);",
            "return fabsf(a) + fabsf(b);",
        ),
    ),
    # ---- pixels
    # White is 256.
    Wrong(
        "eightynine_pixels_of_256",
        "eightynine_pixels",
        "function",
        (
            "#define WHITE 255.0f",
            "#define WHITE 256.0f",
        ),
    ),
    # White is an integer, and so is what is divided by it.
    Wrong(
        "eightynine_pixels_whole_division",
        "eightynine_pixels",
        "rounding | function / precision",
        (
            "#define WHITE 255.0f",
            "#define WHITE 255",
        ),
    ),
    # Of what is left one number is taken.
    Wrong(
        "eightynine_pixels_one_of_the_rest",
        "eightynine_pixels",
        "tail / unwritten | left out",
        (
            "while (i < n) {\n            y[i] = x[i] / WHITE;\n            i++;\n        }",
            "if (i < n)\n            y[i] = x[i] / WHITE;",
        ),
    ),
    # Packs are of signed bytes.
    Wrong(
        "eightynine_pixels_signed_packs",
        "eightynine_pixels",
        "whole range | numbers / narrow",
        (
            "uchar4 p = *(const uchar4 *)(x + i);",
            "char4 p = *(const char4 *)(x + i);",
        ),
    ),
    # Nothing is promised of the address of x.
    Wrong(
        "eightynine_pixels_x_anywhere",
        "eightynine_pixels",
        "alignment",
        (
            "// [n] 4-byte aligned",
            "// [n]",
        ),
    ),
    # ---- wholes
    # An int is on the way.
    Wrong(
        "eightynine_wholes_by_int",
        "eightynine_wholes",
        "narrow / whole range",
        (
            "out[i] = (int64_t)v;",
            "out[i] = (int)v;",
        ),
    ),
    # To the nearest.
    Wrong(
        "eightynine_wholes_to_the_nearest",
        "eightynine_wholes",
        "rounding",
        (
            "out[i] = (int64_t)v;",
            "out[i] = llrint(v);",
        ),
    ),
    # A float is on the way.
    Wrong(
        "eightynine_wholes_by_float",
        "eightynine_wholes",
        "precision / narrow | rounding",
        (
            "double v = in[i];",
            "float v = in[i];",
        ),
    ),
    # Down instead of towards 0.
    Wrong(
        "eightynine_wholes_downwards",
        "eightynine_wholes",
        "rounding",
        (
            "out[i] = (int64_t)v;",
            "out[i] = (int64_t)floor(v);",
        ),
    ),
    # The last one is not reached.
    Wrong(
        "eightynine_wholes_last_missing",
        "eightynine_wholes",
        "tail / unwritten",
        (
            "if (i < n) {",
            "if (i < n - 1) {",
        ),
    ),
    # ---- tanh
    # The exponential overflows.
    Wrong(
        "eightynine_tanh_by_exponentials",
        "eightynine_tanh",
        "infinity | nan / numbers",
        (
            "return tanhf(v);",
            "float e = expf(2.0f * v);\n    return (e - 1.0f) / (e + 1.0f);",
        ),
    ),
    # Only whole pairs are taken.
    Wrong(
        "eightynine_tanh_odd_one_missing",
        "eightynine_tanh",
        "tail / unwritten",
        (
            "; 2 * p < n; p += step",
            "; 2 * p + 1 < n; p += step",
        ),
    ),
    # The second half gets what belongs to the first.
    Wrong(
        "eightynine_tanh_first_of_pair_twice",
        "eightynine_tanh",
        "neighbour / other element | copy",
        (
            "v.y = squash(v.y);",
            "v.y = squash(v.x);",
        ),
    ),
    # The launch forgets the stream.
    Wrong(
        "eightynine_tanh_no_stream",
        "eightynine_tanh",
        "stream",
        (
            "block_size, 0, stream>>>",
            "block_size>>>",
        ),
    ),
    # Limits make NaN a number.
    Wrong(
        "eightynine_tanh_limits_eat_nan",
        "eightynine_tanh",
        "nan",
        (
            "return tanhf(v);",
            "return tanhf(fmaxf(-10.0f, fminf(v, 10.0f)));",
        ),
    ),
    # ---- relu6
    # fmaxf makes NaN 0.
    Wrong(
        "eightynine_relu6_nan_is_0",
        "eightynine_relu6",
        "nan",
        (
            "    if (v < 0.0f) v = 0.0f;\n",
            "    v = fmaxf(v, 0.0f);\n",
        ),
    ),
    # The second number is always 128 away.
    Wrong(
        "eightynine_relu6_steps_of_128",
        "eightynine_relu6",
        "block size | unwritten / twice / left out",
        (
            "i += blockDim.x;",
            "i += 128;",
        ),
    ),
    # Blocks are counted as if each took four a thread.
    Wrong(
        "eightynine_relu6_half_the_blocks",
        "eightynine_relu6",
        "grid / unwritten | left out / tail",
        (
            "int each = 2 * block_size;",
            "int each = 4 * block_size;",
        ),
    ),
    # x is set as well.
    Wrong(
        "eightynine_relu6_x_set_too",
        "eightynine_relu6",
        "input",
        (
            "    y[i] = v;\n",
            "    ((float*)x)[i] = v;\n    y[i] = x[i];\n",
        ),
    ),
    # It does not stop at 6.
    Wrong(
        "eightynine_relu6_no_upper_limit",
        "eightynine_relu6",
        "function | infinity / numbers",
        (
            "    if (v > 6.0f) v = 6.0f;\n",
            "",
        ),
    ),
    # ---- addup
    # Nothing sets the sum to 0.
    Wrong(
        "eightynine_addup_not_set_to_0",
        "eightynine_addup",
        "zero before / state",
        (
            "    cudaMemsetAsync(out, 0, sizeof(float), stream);\n",
            "",
        ),
    ),
    # The last step of the tree is missing.
    Wrong(
        "eightynine_addup_last_step_missing",
        "eightynine_addup",
        "left out",
        (
            "half >= 1;",
            "half > 1;",
        ),
    ),
    # The steps of the tree do not wait.
    Wrong(
        "eightynine_addup_no_barrier_in_tree",
        "eightynine_addup",
        "race",
        (
            "            part[t] += part[t + half];\n        __syncthreads();\n",
            "            part[t] += part[t + half];\n",
        ),
    ),
    # Blocks add without an atomic.
    Wrong(
        "eightynine_addup_no_atomic",
        "eightynine_addup",
        "race | left out",
        (
            "atomicAdd(out, part[0]);",
            "out[0] += part[0];",
        ),
    ),
    # Each thread starts with the first number.
    Wrong(
        "eightynine_addup_starts_with_first",
        "eightynine_addup",
        "start / twice",
        (
            "float mine = 0.0f;",
            "float mine = x[0];",
        ),
    ),
    # ---- spread
    # The variance of a sample.
    Wrong(
        "eightynine_spread_by_n_less_1",
        "eightynine_spread",
        "function | nan",
        (
            "float v = block_sum(b, s) / n;",
            "float v = block_sum(b, s) / (n - 1);",
        ),
    ),
    # Mean of squares less square of the mean.
    Wrong(
        "eightynine_spread_squares_less_square",
        "eightynine_spread",
        "precision | function / numbers",
        (
            "b += (x[i] - m) * (x[i] - m);",
            "b += x[i] * x[i];",
        ),
        (
            "float v = block_sum(b, s) / n;",
            "float v = block_sum(b, s) / n - m * m;",
        ),
    ),
    # The second sum overtakes the first.
    Wrong(
        "eightynine_spread_no_second_barrier",
        "eightynine_spread",
        "race",
        (
            "  __syncthreads();  // s is used again\n",
            "",
        ),
    ),
    # Four warps of eight are counted.
    Wrong(
        "eightynine_spread_half_the_warps",
        "eightynine_spread",
        "left out",
        (
            "w < WARPS; w++",
            "w < 4; w++",
        ),
    ),
    # The first pass ends with the last whole round.
    Wrong(
        "eightynine_spread_whole_rounds",
        "eightynine_spread",
        "tail / left out",
        (
            "i < n; i += T) a += x[i];",
            "i < n / T * T; i += T) a += x[i];",
        ),
    ),
    # ---- least
    # The search starts at 0.
    Wrong(
        "eightynine_least_starts_at_0",
        "eightynine_least",
        "start",
        (
            "int m = 2147483647;",
            "int m = 0;",
        ),
    ),
    # Rows are as far apart as there are rows.
    Wrong(
        "eightynine_least_pitch_of_rows",
        "eightynine_least",
        "sides | bounds / other element",
        (
            "x[(size_t)r * cols + c]",
            "x[(size_t)r * rows + c]",
        ),
    ),
    # Rows step by the width of the block.
    Wrong(
        "eightynine_least_steps_of_width",
        "eightynine_least",
        "left out | block size / sides",
        (
            "r += blockDim.y",
            "r += blockDim.x",
        ),
    ),
    # The last eighth is not asked.
    Wrong(
        "eightynine_least_last_part_missing",
        "eightynine_least",
        "left out",
        (
            "k < DEEP; k++",
            "k < DEEP - 1; k++",
        ),
    ),
    # Columns that do not exist are written.
    Wrong(
        "eightynine_least_columns_past_end",
        "eightynine_least",
        "bounds",
        (
            "if (threadIdx.y == 0 && c < cols) {",
            "if (threadIdx.y == 0) {",
        ),
    ),
    # ---- norms
    # Squares are halves.
    Wrong(
        "eightynine_norms_squares_of_halves",
        "eightynine_norms",
        "infinity / precision | rounding / subnormal / numbers",
        (
            "sum += v * v;",
            "sum += __half2float(__float2half(v * v));",
        ),
    ),
    # The root is forgotten.
    Wrong(
        "eightynine_norms_no_root",
        "eightynine_norms",
        "function",
        (
            "y[r] = sqrtf(sum);",
            "y[r] = sum;",
        ),
    ),
    # The shuffles start at 8.
    Wrong(
        "eightynine_norms_shuffles_from_8",
        "eightynine_norms",
        "left out",
        (
            "int d = 16;",
            "int d = 8;",
        ),
    ),
    # Half of the blocks.
    Wrong(
        "eightynine_norms_half_the_blocks",
        "eightynine_norms",
        "grid / unwritten | left out / tail",
        (
            "(rows + kWarps - 1) / kWarps;",
            "(rows + 2 * kWarps - 1) / (2 * kWarps);",
        ),
    ),
    # A row starts at a number of 16 bits.
    Wrong(
        "eightynine_norms_short_start",
        "eightynine_norms",
        "narrow | other element / numbers",
        (
            "size_t start = (size_t)r * cols;",
            "unsigned short start = r * cols;",
        ),
    ),
    # ---- strips
    # The warp does not wait for its tile.
    Wrong(
        "eightynine_strips_no_syncwarp",
        "eightynine_strips",
        "race",
        (
            "    __syncwarp();\n",
            "",
        ),
    ),
    # What goes out has the pitch of what came in.
    Wrong(
        "eightynine_strips_pitch_of_way_in",
        "eightynine_strips",
        "sides | bounds / unwritten / other element",
        (
            "out[(size_t)(c0 + k) * rows + r0 + lane]",
            "out[(size_t)(c0 + k) * cols + r0 + lane]",
        ),
    ),
    # The tile is read as it was written.
    Wrong(
        "eightynine_strips_tile_not_turned",
        "eightynine_strips",
        "other element / swapped | sides",
        (
            "= tile[w][lane][k];",
            "= tile[w][k][lane];",
        ),
    ),
    # Strips across are counted by rows.
    Wrong(
        "eightynine_strips_across_by_rows",
        "eightynine_strips",
        "sides / grid | unwritten / left out",
        (
            "int across = (cols + 31) / 32;",
            "int across = (rows + 31) / 32;",
        ),
    ),
    # All warps of a block use one tile.
    Wrong(
        "eightynine_strips_one_tile_for_all",
        "eightynine_strips",
        "race | other element",
        (
            "tile[w][k][lane] =",
            "tile[0][k][lane] =",
        ),
        (
            "= tile[w][lane][k];",
            "= tile[0][lane][k];",
        ),
    ),
    # ---- turn64
    # The tile holds ints.
    Wrong(
        "eightynine_turn64_tile_of_ints",
        "eightynine_turn64",
        "narrow / whole range",
        (
            "__shared__ int64_t tile",
            "__shared__ int tile",
        ),
    ),
    # The tile holds doubles.
    Wrong(
        "eightynine_turn64_tile_of_doubles",
        "eightynine_turn64",
        "precision / narrow | rounding",
        (
            "__shared__ int64_t tile",
            "__shared__ double tile",
        ),
    ),
    # One side is enough for the test.
    Wrong(
        "eightynine_turn64_or_for_and",
        "eightynine_turn64",
        "bounds",
        (
            "if (to_r < cols && to_c < rows)",
            "if (to_r < cols || to_c < rows)",
        ),
    ),
    # The grid is turned.
    Wrong(
        "eightynine_turn64_grid_swapped",
        "eightynine_turn64",
        "grid / swapped / sides | unwritten / left out",
        (
            "dim3(wide, high)",
            "dim3(high, wide)",
        ),
    ),
    # The way out has the pitch of the way in.
    Wrong(
        "eightynine_turn64_pitch_of_way_in",
        "eightynine_turn64",
        "sides | bounds / unwritten / other element",
        (
            "b[(int64_t)to_r * rows + to_c]",
            "b[(int64_t)to_r * cols + to_c]",
        ),
    ),
    # ---- rowvec
    # What is left of k after whole pieces is not taken.
    Wrong(
        "eightynine_rowvec_whole_pieces",
        "eightynine_rowvec",
        "tail / left out",
        (
            "k0 < k; k0 += T",
            "k0 + T <= k; k0 += T",
        ),
    ),
    # Sums are added to what y holds.
    Wrong(
        "eightynine_rowvec_added_to_y",
        "eightynine_rowvec",
        "zero before / state",
        (
            "y[col] = sum;",
            "y[col] += sum;",
        ),
    ),
    # The matrix is read by its columns.
    Wrong(
        "eightynine_rowvec_matrix_turned",
        "eightynine_rowvec",
        "sides / swapped | other element / bounds",
        (
            "a[(size_t)(k0 + j) * n + col]",
            "a[(size_t)col * k + k0 + j]",
        ),
    ),
    # Each piece is the first.
    Wrong(
        "eightynine_rowvec_first_piece",
        "eightynine_rowvec",
        "other element / left out | twice",
        (
            "piece[t] = x[k0 + t];",
            "piece[t] = x[t];",
        ),
    ),
    # The launch forgets the stream.
    Wrong(
        "eightynine_rowvec_no_stream",
        "eightynine_rowvec",
        "stream",
        (
            "<<<blocks, T, 0, stream>>>",
            "<<<blocks, T>>>",
        ),
    ),
    # ---- softcol
    # No maximum is taken off.
    Wrong(
        "eightynine_softcol_no_maximum",
        "eightynine_softcol",
        "infinity | nan / numbers / subnormal",
        (
            "  float top = x[c];\n"
            "  for (int r = 0; r < rows; r++) top = fmaxf(top, x[(size_t)r * cols + c]);\n",
            "  float top = 0.0f;\n",
        ),
    ),
    # The maximum starts at the least positive number.
    Wrong(
        "eightynine_softcol_starts_at_flt_min",
        "eightynine_softcol",
        "start | nan / numbers / subnormal",
        (
            "float top = x[c];",
            "float top = FLT_MIN;",
        ),
    ),
    # Exponentials are kept in x.
    Wrong(
        "eightynine_softcol_kept_in_x",
        "eightynine_softcol",
        "input",
        (
            "    sum += expf(x[(size_t)r * cols + c] - top);\n",
            "    size_t i = (size_t)r * cols + c;\n"
            "    sum += ((float*)x)[i] = expf(x[i] - top);\n",
        ),
        (
            "y[i] = expf(x[i] - top) / sum;",
            "y[i] = x[i] / sum;",
        ),
    ),
    # The result is turned.
    Wrong(
        "eightynine_softcol_written_turned",
        "eightynine_softcol",
        "sides / other element | swapped",
        (
            "y[i] = expf(x[i] - top) / sum;",
            "y[(size_t)c * rows + r] = expf(x[i] - top) / sum;",
        ),
    ),
    # Blocks are taken to be of 128.
    Wrong(
        "eightynine_softcol_blocks_of_128",
        "eightynine_softcol",
        "block size | unwritten / left out",
        (
            "int c = blockIdx.x * blockDim.x + threadIdx.x;",
            "int c = blockIdx.x * 128 + threadIdx.x;",
        ),
    ),
)

RIGHT = (
    # Integers without a sign are taken away.
    Right(
        "eightynine_minus_unsigned",
        "eightynine_minus",
        (
            "{ return a - b; }",
            "{ return (int)((unsigned)a - (unsigned)b); }",
        ),
    ),
    # There is always a block more, which may be idle.
    Right(
        "eightynine_hypot_idle_block",
        "eightynine_hypot",
        (
            "int blocks = (n + block_size - 1) / block_size;",
            "int blocks = n / block_size + 1;",
        ),
    ),
    # The result stands first.
    Right(
        "eightynine_pixels_y_first",
        "eightynine_pixels",
        (
            'extern "C" void launch(const uint8_t *x,  // [n] 4-byte aligned\n'
            "                       float *y,          // [n] 16-byte aligned\n",
            'extern "C" void launch(float *y,          // [n] 16-byte aligned\n'
            "                       const uint8_t *x,  // [n] 4-byte aligned\n",
        ),
    ),
    # An int for the count, and a function that cuts off.
    Right(
        "eightynine_wholes_int_count",
        "eightynine_wholes",
        (
            "const double* in, int64_t* out, int64_t n) {",
            "const double* in, int64_t* out, int n) {",
        ),
        (
            "                       int64_t n, int block_size",
            "                       int n, int block_size",
        ),
        (
            "(int64_t)v;",
            "__double2ll_rz(v);",
        ),
    ),
    # The launcher takes an int64_t.
    Right(
        "eightynine_tanh_int64_count",
        "eightynine_tanh",
        (
            "                       int n, int block_size = 64",
            "                       int64_t n, int block_size = 64",
        ),
        (
            "int pairs = (n + 1) / 2;",
            "int pairs = (int)((n + 1) / 2);",
        ),
        (
            "(x, y, n);",
            "(x, y, (int)n);",
        ),
    ),
    # Numbers are tested from above, in one expression.
    Right(
        "eightynine_relu6_from_above",
        "eightynine_relu6",
        (
            "    if (v < 0.0f) v = 0.0f;\n    if (v > 6.0f) v = 6.0f;\n    y[i] = v;\n",
            "    y[i] = v > 6.0f ? 6.0f : v < 0.0f ? 0.0f : v;\n",
        ),
    ),
    # A kernel of one thread sets the sum to 0.
    Right(
        "eightynine_addup_kernel_sets_0",
        "eightynine_addup",
        (
            'extern "C"',
            '__global__ void clear(float *out) { *out = 0.0f; }\n\nextern "C"',
        ),
        (
            "cudaMemsetAsync(out, 0, sizeof(float), stream);",
            "clear<<<1, 1, 0, stream>>>(out);",
        ),
    ),
    # Four warps, and shuffles that give all lanes the sum.
    Right(
        "eightynine_spread_four_warps",
        "eightynine_spread",
        (
            "#define WARPS 8",
            "#define WARPS 4",
        ),
        (
            "__shfl_down_sync",
            "__shfl_xor_sync",
        ),
    ),
    # Sixteen threads a column, from the last row to the first.
    Right(
        "eightynine_least_upwards",
        "eightynine_least",
        (
            "#define DEEP 8",
            "#define DEEP 16",
        ),
        (
            "int r = threadIdx.y; r < rows; r += blockDim.y",
            "int r = rows - 1 - threadIdx.y; r >= 0; r -= blockDim.y",
        ),
    ),
    # Eight warps a block, and a sum in double.
    Right(
        "eightynine_norms_in_double",
        "eightynine_norms",
        (
            "const int kWarps = 4;",
            "const int kWarps = 8;",
        ),
        (
            "float sum = 0.0f;",
            "double sum = 0.0;",
        ),
        (
            "sqrtf(sum)",
            "(float)sqrt(sum)",
        ),
    ),
    # Strips go down first, and rows of the tile have no gap.
    Right(
        "eightynine_strips_down_first",
        "eightynine_strips",
        (
            "[32][33]",
            "[32][32]",
        ),
        (
            "int across = (cols + 31) / 32;",
            "int down = (rows + 31) / 32;",
        ),
        (
            "id / across * 32;",
            "id % down * 32;",
        ),
        (
            "id % across * 32;",
            "id / down * 32;",
        ),
        (
            "if (r0 >= rows)",
            "if (c0 >= cols)",
        ),
    ),
    # Tiles of 32 and a thread for each of 1,024.
    Right(
        "eightynine_turn64_tiles_of_32",
        "eightynine_turn64",
        (
            "#define S 16",
            "#define S 32",
        ),
    ),
    # Nothing is shared, from the last row to the first.
    Right(
        "eightynine_rowvec_not_shared",
        "eightynine_rowvec",
        (
            "    __shared__ float piece[T];\n",
            "",
        ),
        (
            "    for (int k0 = 0; k0 < k; k0 += T) {\n"
            "        int left = min(T, k - k0);\n"
            "        if (t < left)\n"
            "            piece[t] = x[k0 + t];\n"
            "        __syncthreads();\n"
            "        if (col < n)\n"
            "            for (int j = 0; j < left; j++)\n"
            "                sum += piece[j] * a[(size_t)(k0 + j) * n + col];\n"
            "        __syncthreads();\n"
            "    }\n"
            "    if (col < n)\n"
            "        y[col] = sum;",
            "    if (col >= n)\n"
            "        return;\n"
            "    for (int j = k - 1; j >= 0; j--)\n"
            "        sum += x[j] * a[(size_t)j * n + col];\n"
            "    y[col] = sum;",
        ),
    ),
    # Maximum and sum come of one pass.
    Right(
        "eightynine_softcol_one_pass",
        "eightynine_softcol",
        (
            "  for (int r = 0; r < rows; r++) top = fmaxf(top, x[(size_t)r * cols + c]);\n",
            "",
        ),
        (
            "    sum += expf(x[(size_t)r * cols + c] - top);\n",
            "    float v = x[(size_t)r * cols + c];\n"
            "    if (v > top) {\n"
            "      sum *= expf(top - v);\n"
            "      top = v;\n"
            "    }\n"
            "    sum += expf(v - top);\n",
        ),
    ),
)
