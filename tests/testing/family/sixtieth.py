"""Hold a sixtieth family: kernels of half a year's practice, and the plainest mistakes in them.

Its bases are a step of gradients with weight decay, middle and side of two channels, brightness
to bytes of a picture, floats to bfloat16 by their bits, a logarithm with a sign, a *
sigmoid(b), the overlap of two masks, two checksums of rows of bytes, the number farthest from 0
and its first place, bytes about 128 that are turned and set about 0, a tridiagonal matrix times
a vector, the sum of |a - b| of pairs of rows, softmax of the columns that a mask allows, and
layer norm that keeps mean and scale. They have 16 to 49 lines, and are of people with half a
year of CUDA: one who trains, one who masters records, one who renders, one who wants to know
how it is done, a reader of a paper on rewards, a reader of convolutional language models, one
who marks tumours, one who sends packets, one who solves by pivots, one who moves weights to
another runtime, one who solves heat equations, one who searches among descriptors, one who
plays board games and one who writes a backward pass. They use float4 in a loop over the grid
with a rest for its first threads, half2 a thread with a last number alone, two half2 and a
uchar4, ushort4 with one thread for the rest, one number a thread, half2 in a loop with the last
number by the first thread, a tree of two sums with a count of the blocks that are done, a warp
a row with four rows a block, one block whose warps pass value and place on by shuffles, a tile
of 64 by 64 bytes, a tile with a rim, tiles of 16 that are both read by rows, a maximum and a
sum that grow together in a warp, and two passes with one function for the sum of a block. Their
mistakes are spread over alignment, sizes, grids and integers of 8, 16 and 32 bits, values,
rounding, NaN and infinity, inputs that are written, sums, transposes, products, order, streams
and what is left of an earlier call. The causes were written before a member was judged. On the
emulator each ran beside PyTorch, compared as a case does, called twice on the same tensors,
with NaN and with 1e3 in floating outputs (-1 and 77 in others), with tensors at either end of
their pages, with inputs that cannot be written, on a stream that is not the default one, with
threads in order, from the last to the first and in a random order, and in the slices that the
cases name. Bases and right ones ran all their cases, or as many as five seconds reach from
either end; wrong ones until they were wrong often enough. Of the six that lack a barrier not
each is wrong in every order of threads. nvcc 13.0 compiles each for 8.0, all members of a base
in one file; none was run on a GPU. Bases and right ones are right, and all others wrong or
refused by a fault:

    sixty_decay_no_loop              beyond 128 times the block size
    sixty_decay_g_of_8_bytes         from 4 numbers on, by the address of g
    sixty_decay_rest_from_packs      from 5 numbers on, if 4 leaves some
    sixty_decay_w_moves              from 4 numbers on: w is overwritten
    sixty_decay_without_rate         unless the rate is 1, or w or decay is 0
    sixty_stereo_sums_in_half        of pairs, if a sum is rounded or no half
    sixty_stereo_second_turned       from 2 numbers on, unless both are equal
    sixty_stereo_whole_pairs_alone   of odd counts, if blocks have no thread more
    sixty_stereo_right_anywhere      from 2 numbers on, by the address of the right channel
    sixty_stereo_no_stream           on another stream than the default one
    sixty_topixel_no_upper_limit     above 1
    sixty_topixel_cut_off            of numbers that are no steps
    sixty_topixel_256_steps          of about half of all, and above 255.5 / 256
    sixty_topixel_turned_pair        from 4 numbers on, unless both are equal
    sixty_topixel_nan_is_white       of NaN
    sixty_bybits_nan_rounded         of NaN with few or with nearly all bits
    sixty_bybits_halves_away         halfway, if the nearer to 0 is even
    sixty_bybits_rest_cut_off        if 4 leaves some, of what is above a half
    sixty_bybits_whole_packs_alone   if 4 leaves some, and blocks have no thread more
    sixty_bybits_short_thread        from 262,145 numbers on
    sixty_symlog_nan_is_zero         of NaN
    sixty_symlog_plain_log           of small numbers
    sixty_symlog_no_quotient         unless a is 1
    sixty_symlog_256_threads         from 2 blocks on, unless they have 256 threads
    sixty_symlog_one_more            unless a block's last thread has the last number
    sixty_glu_exp_twice              of gates above 88.7
    sixty_glu_gate_first             unless both are equal
    sixty_glu_gate_in_half           if the gate is no half, and the result shows it
    sixty_glu_last_is_n              of odd counts
    sixty_glu_step_of_256            from 10,242 numbers on
    sixty_dice_count_stays           from the second call on
    sixty_dice_one_more_block        in the first call, and whenever the count ends below
    sixty_dice_no_barrier            where threads do not wait for another
    sixty_dice_goes_on               if the last block's first thread has some of the sums
    sixty_dice_float_sums            if products and sums need more than 24 bits
    sixty_adler_32_bits              of sums beyond 32 bits
    sixty_adler_signed               of bytes from 128 on
    sixty_adler_from_8               from 17 columns on
    sixty_adler_added                unless the sum was 0 before
    sixty_adler_whole_fours          if 4 does not divide the rows
    sixty_iamax_no_sign              if the farthest is below 0
    sixty_iamax_last_place           if several are the farthest
    sixty_iamax_no_barrier           from 33 numbers on, where warps do not wait
    sixty_iamax_four_warps           from 129 numbers on
    sixty_iamax_abs_in_place         always: x is overwritten, at least by itself
    sixty_recentre_no_barrier        where threads do not wait for another
    sixty_recentre_pitch_of_in       unless rows are as many as columns, or columns are one
    sixty_recentre_blocks_stay       from 65 rows or columns on
    sixty_recentre_about_127         always
    sixty_recentre_whole_tiles       if 64 does not divide the columns
    sixty_tri_no_barrier             where threads do not wait for another
    sixty_tri_lower_is_upper         from 2 numbers on, unless both diagonals are equal
    sixty_tri_no_right_rim           from 129 numbers on
    sixty_tri_before_the_first       always
    sixty_tri_lower_from_second      from 2 numbers on, unless neighbours are equal
    sixty_city_no_abs                unless no difference is below 0
    sixty_city_one_barrier           from 17 terms on, where warps do not wait
    sixty_city_b_by_columns          unless the tile is symmetric
    sixty_city_terms_untested        if 16 does not divide the terms
    sixty_city_turned_grid           unless both sides have as many tiles
    sixty_moves_all_get_a_share      if the mask leaves something out
    sixty_moves_sum_not_scaled       from 33 columns on, unless the largest stays
    sixty_moves_from_infinity        if two lanes that meet have no column
    sixty_moves_from_zero            of rows that are far below 0
    sixty_moves_mask_of_columns      from 2 rows on, unless masks are equal
    sixty_norm_no_barrier            where warps do not wait for another
    sixty_norm_squares_less_square   of rows that are far off 0
    sixty_norm_eps_outside           if eps is not far below the variance
    sixty_norm_three_warps           from 97 columns on
    sixty_norm_no_stream             on another stream than the default one
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import whole

# One who trains: a step of gradients with weight decay, float4 in a loop over the grid.
DECAY = (
    HEADER
    + """\
__device__ float step(float w, float g, float rate, float decay) {
  return w - rate * (g + decay * w);
}

__global__ void update(const float* w, const float* g, float* out, float rate, float decay,
                       int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  int threads = gridDim.x * blockDim.x;
  for (int p = t; p < n / 4; p += threads) {
    float4 a = ((const float4*)w)[p];
    float4 b = ((const float4*)g)[p];
    a.x = step(a.x, b.x, rate, decay);
    a.y = step(a.y, b.y, rate, decay);
    a.z = step(a.z, b.z, rate, decay);
    a.w = step(a.w, b.w, rate, decay);
    ((float4*)out)[p] = a;
  }
  if (t < n % 4) {
    int i = n / 4 * 4 + t;
    out[i] = step(w[i], g[i], rate, decay);
  }
}

extern "C" void launch(const float* w,  // [n] 16-byte aligned
                       const float* g,  // [n] 16-byte aligned
                       float* out,      // [n] 16-byte aligned
                       float rate, float decay, int n, int block_size = 128,
                       cudaStream_t stream = 0) {
  int blocks = (n / 4 + block_size - 1) / block_size;
  if (blocks < 1) blocks = 1;
  if (blocks > 32) blocks = 32;
  update<<<blocks, block_size, 0, stream>>>(w, g, out, rate, decay, n);
}
"""
)

# One who masters records: middle and side of left and right, a pair of halves a thread.
STEREO = (
    HEADER
    + """\
__global__ void mid_side(const half *left, const half *right, half *mid, half *side, int n)
{
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i + 1 < n) {
        float2 l = __half22float2(*(const half2 *)(left + i));
        float2 r = __half22float2(*(const half2 *)(right + i));
        *(half2 *)(mid + i) = __floats2half2_rn(0.5f * (l.x + r.x), 0.5f * (l.y + r.y));
        *(half2 *)(side + i) = __floats2half2_rn(0.5f * (l.x - r.x), 0.5f * (l.y - r.y));
    } else if (i < n) {
        float l = __half2float(left[i]), r = __half2float(right[i]);
        mid[i] = __float2half(0.5f * (l + r));
        side[i] = __float2half(0.5f * (l - r));
    }
}

extern "C" void launch(const half *left,   // [n] 4-byte aligned
                       const half *right,  // [n] 4-byte aligned
                       half *mid,          // [n] 4-byte aligned
                       half *side,         // [n] 4-byte aligned
                       int n, int block_size = 64, cudaStream_t stream = 0)
{
    int threads = (n + 1) / 2;
    int blocks = (threads + block_size - 1) / block_size;
    mid_side<<<blocks, block_size, 0, stream>>>(left, right, mid, side, n);
}
"""
)

# One who renders: brightness in halves to bytes of a picture, four a thread; NaN is black.
TOPIXEL = (
    HEADER
    + """\
__device__ unsigned char pixel(half h) {
  float v = fminf(fmaxf(__half2float(h), 0.0f), 1.0f);
  return (unsigned char)__float2int_rn(v * 255.0f);
}

__global__ void to_pixels(const half* x, uint8_t* y, int n) {
  int first = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (first + 4 <= n) {
    half2 a = *(const half2*)(x + first);
    half2 b = *(const half2*)(x + first + 2);
    *(uchar4*)(y + first) = make_uchar4(pixel(a.x), pixel(a.y), pixel(b.x), pixel(b.y));
  } else {
    for (int i = first; i < n; i++) y[i] = pixel(x[i]);
  }
}

extern "C" void launch(const half* x,  // [n] 4-byte aligned
                       uint8_t* y,     // [n] 4-byte aligned
                       int n, int block_size = 96, cudaStream_t stream = 0) {
  int per_block = 4 * block_size;
  to_pixels<<<(n + per_block - 1) / per_block, block_size, 0, stream>>>(x, y, n);
}
"""
)

# One who wants to know how it is done: float to bfloat16 by its bits, four a thread.
BYBITS = (
    HEADER
    + """\
__device__ unsigned short upper(float v)
{
    unsigned int u = __float_as_uint(v);
    if ((u & 0x7fffffff) > 0x7f800000)
        return (u >> 16) | 0x40;
    return (u + 0x7fff + (u >> 16 & 1)) >> 16;
}

__global__ void narrow(const float *x, __nv_bfloat16 *y, int n)
{
    unsigned short *to = (unsigned short *)y;
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int packs = n / 4;
    if (t < packs) {
        float4 v = ((const float4 *)x)[t];
        ((ushort4 *)to)[t] = make_ushort4(upper(v.x), upper(v.y), upper(v.z), upper(v.w));
    } else if (t == packs) {
        for (int i = 4 * packs; i < n; i++)
            to[i] = upper(x[i]);
    }
}

extern "C" void launch(const float *x,    // [n] 16-byte aligned
                       __nv_bfloat16 *y,  // [n] 8-byte aligned
                       int n, cudaStream_t stream = 0)
{
    int threads = n / 4 + 1;
    narrow<<<(threads + 127) / 128, 128, 0, stream>>>(x, y, n);
}
"""
)

# A reader of a paper on rewards: a * log(1 + |x| / a) with the sign of x, one a thread.
SYMLOG = (
    HEADER
    + """\
__device__ float symlog(float v, float a) {
  float y = a * log1pf(fabsf(v) / a);
  return copysignf(y, v);
}

__global__ void squeeze(const float* x, float* y, float a, int64_t n) {
  int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = symlog(x[i], a);
}

extern "C" void launch(const float* x,  // [n]
                       float* y,        // [n]
                       float a, int64_t n, int block_size = 256, cudaStream_t stream = 0) {
  int64_t blocks = (n + block_size - 1) / block_size;
  squeeze<<<blocks, block_size, 0, stream>>>(x, y, a, n);
}
"""
)

# A reader of convolutional language models: a * sigmoid(b) of halves, in pairs by a loop.
GLU = (
    HEADER
    + """\
__device__ float gated(float a, float b)
{
    return a / (1.0f + expf(-b));
}

__global__ void glu(const half *a, const half *b, half *out, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int step = gridDim.x * blockDim.x;
    for (int p = t; p < n / 2; p += step) {
        float2 u = __half22float2(((const half2 *)a)[p]);
        float2 v = __half22float2(((const half2 *)b)[p]);
        ((half2 *)out)[p] = __floats2half2_rn(gated(u.x, v.x), gated(u.y, v.y));
    }
    if (t == 0 && n % 2 == 1)
        out[n - 1] = __float2half(gated(__half2float(a[n - 1]), __half2float(b[n - 1])));
}

extern "C" void launch(const half *a,  // [n] 4-byte aligned
                       const half *b,  // [n] 4-byte aligned
                       half *out,      // [n] 4-byte aligned
                       int n, cudaStream_t stream = 0)
{
    int blocks = (n + 255) / 256;
    glu<<<blocks < 40 ? blocks : 40, 128, 0, stream>>>(a, b, out, n);
}
"""
)

# One who marks tumours: 2 sum(a * b) / (sum(a) + sum(b)), of which the last block adds parts.
DICE = (
    HEADER
    + """\
#define T 256
#define MOST 16

__device__ double2 parts[MOST];
__device__ unsigned int done;

__global__ void dice(const float* a, const float* b, float* out, int n) {
  __shared__ double both[T], any[T];
  __shared__ bool last;
  int t = threadIdx.x;
  double x = 0, y = 0;
  for (int i = blockIdx.x * T + t; i < n; i += gridDim.x * T) {
    x += (double)a[i] * b[i];
    y += (double)a[i] + b[i];
  }
  both[t] = x;
  any[t] = y;
  __syncthreads();
  for (int h = T / 2; h > 0; h /= 2) {
    if (t < h) {
      both[t] += both[t + h];
      any[t] += any[t + h];
    }
    __syncthreads();
  }
  if (t == 0) {
    parts[blockIdx.x] = make_double2(both[0], any[0]);
    __threadfence();
    last = atomicAdd(&done, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && t == 0) {
    x = y = 0;
    for (int k = 0; k < gridDim.x; k++) {
      x += parts[k].x;
      y += parts[k].y;
    }
    *out = y == 0 ? 1.0 : 2 * x / y;
    done = 0;
  }
}

extern "C" void launch(const float* a,  // [n]
                       const float* b,  // [n]
                       float* out,      // [1]
                       int n, cudaStream_t stream = 0) {
  int blocks = (n + T - 1) / T;
  dice<<<blocks < MOST ? blocks : MOST, T, 0, stream>>>(a, b, out, n);
}
"""
)

# One who sends packets: two checksums of each row of bytes, a warp a row, four rows a block.
ADLER = (
    HEADER
    + """\
__global__ void checksums(const uint8_t *x, int *sum, int64_t *weighted, int rows, int cols)
{
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows)
        return;
    const uint8_t *line = x + (size_t)row * cols;
    int s = 0;
    long long w = 0;
    for (int c = threadIdx.x; c < cols; c += 32) {
        s += line[c];
        w += (cols - c) * line[c];
    }
    for (int d = 16; d > 0; d >>= 1) {
        s += __shfl_down_sync(0xffffffff, s, d);
        w += __shfl_down_sync(0xffffffff, w, d);
    }
    if (threadIdx.x == 0) {
        sum[row] = s;
        weighted[row] = w;
    }
}

extern "C" void launch(const uint8_t *x,   // [rows, cols]
                       int *sum,           // [rows]
                       int64_t *weighted,  // [rows]
                       int rows, int cols, cudaStream_t stream = 0)
{
    checksums<<<(rows + 3) / 4, dim3(32, 4), 0, stream>>>(x, sum, weighted, rows, cols);
}
"""
)

# One who solves by pivots: the number farthest from 0 and the first place that has it.
IAMAX = (
    HEADER
    + """\
#define T 256

__device__ void better(float& v, int& at, float w, int where) {
  if (w > v || (w == v && where < at)) {
    v = w;
    at = where;
  }
}

__global__ void iamax(const float* x, float* value, int* place, int n) {
  __shared__ float vs[T / 32];
  __shared__ int ats[T / 32];
  float v = -1.0f;
  int at = n;
  for (int i = threadIdx.x; i < n; i += T) better(v, at, fabsf(x[i]), i);
  for (int d = 16; d > 0; d /= 2) {
    float w = __shfl_down_sync(0xffffffff, v, d);
    int where = __shfl_down_sync(0xffffffff, at, d);
    better(v, at, w, where);
  }
  if (threadIdx.x % 32 == 0) {
    vs[threadIdx.x / 32] = v;
    ats[threadIdx.x / 32] = at;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int k = 1; k < T / 32; k++) better(v, at, vs[k], ats[k]);
    *value = x[at];
    *place = at;
  }
}

extern "C" void launch(const float* x,  // [n]
                       float* value,    // [1]
                       int* place,      // [1]
                       int n, cudaStream_t stream = 0) {
  iamax<<<1, T, 0, stream>>>(x, value, place, n);
}
"""
)

# One who moves weights to another runtime: bytes about 128 are turned and set about 0.
RECENTRE = (
    HEADER
    + """\
#define S 64
#define Y 4

__global__ void recentre(const uint8_t *in, int8_t *out, int rows, int cols)
{
    __shared__ int8_t tile[S][S + 4];
    int c = blockIdx.x * S + threadIdx.x;
    int r = blockIdx.y * S + threadIdx.y;
    for (int j = 0; j < S; j += Y)
        if (r + j < rows && c < cols)
            tile[threadIdx.y + j][threadIdx.x] = in[(size_t)(r + j) * cols + c] - 128;
    __syncthreads();
    r = blockIdx.y * S + threadIdx.x;
    c = blockIdx.x * S + threadIdx.y;
    for (int j = 0; j < S; j += Y)
        if (r < rows && c + j < cols)
            out[(size_t)(c + j) * rows + r] = tile[threadIdx.x][threadIdx.y + j];
}

extern "C" void launch(const uint8_t *in,  // [rows, cols]
                       int8_t *out,        // [cols, rows]
                       int rows, int cols, cudaStream_t stream = 0)
{
    dim3 grid((cols + S - 1) / S, (rows + S - 1) / S);
    recentre<<<grid, dim3(S, Y), 0, stream>>>(in, out, rows, cols);
}
"""
)

# One who solves heat equations: a tridiagonal matrix times a vector, with a rim of each tile.
TRI = (
    HEADER
    + """\
#define T 128

__global__ void tri(const float* lower, const float* diag, const float* upper, const float* x,
                    float* y, int n) {
  __shared__ float rim[T + 2];
  int t = threadIdx.x;
  int i = blockIdx.x * T + t;
  if (i < n) rim[t + 1] = x[i];
  if (t == 0 && i > 0) rim[0] = x[i - 1];
  if (t == T - 1 && i + 1 < n) rim[T + 1] = x[i + 1];
  __syncthreads();
  if (i >= n) return;
  float v = diag[i] * rim[t + 1];
  if (i > 0) v += lower[i] * rim[t];
  if (i + 1 < n) v += upper[i] * rim[t + 2];
  y[i] = v;
}

extern "C" void launch(const float* lower,  // [n]
                       const float* diag,   // [n]
                       const float* upper,  // [n]
                       const float* x,      // [n]
                       float* y,            // [n]
                       int n, cudaStream_t stream = 0) {
  tri<<<(n + T - 1) / T, T, 0, stream>>>(lower, diag, upper, x, y, n);
}
"""
)

# One who searches among descriptors: the sum of |a - b| of each pair of rows, by tiles of 16.
CITY = (
    HEADER
    + """\
#define S 16

__global__ void city(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ float as[S][S], bs[S][S + 1];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * S + ty, col = blockIdx.x * S + tx;
    int other = blockIdx.x * S + ty;
    float sum = 0.0f;
    for (int p = 0; p < k; p += S) {
        as[ty][tx] = row < m && p + tx < k ? a[(size_t)row * k + p + tx] : 0.0f;
        bs[ty][tx] = other < n && p + tx < k ? b[(size_t)other * k + p + tx] : 0.0f;
        __syncthreads();
        for (int i = 0; i < S; i++)
            sum += fabsf(as[ty][i] - bs[tx][i]);
        __syncthreads();
    }
    if (row < m && col < n)
        c[(size_t)row * n + col] = sum;
}

extern "C" void launch(const float *a,  // [m, k]
                       const float *b,  // [n, k]
                       float *c,        // [m, n]
                       int m, int n, int k, cudaStream_t stream = 0)
{
    dim3 grid((n + S - 1) / S, (m + S - 1) / S);
    city<<<grid, dim3(S, S), 0, stream>>>(a, b, c, m, n, k);
}
"""
)

# One who plays board games: softmax of the moves that are allowed, in one pass, a warp a row.
MOVES = (
    HEADER
    + """\
__global__ void moves(const float* x, const uint8_t* mask, float* y, int rows, int cols) {
  int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  size_t start = (size_t)row * cols;
  float m = -FLT_MAX, s = 0.0f;
  for (int c = threadIdx.x; c < cols; c += 32) {
    if (!mask[start + c]) continue;
    float v = x[start + c];
    if (v > m) {
      s *= expf(m - v);
      m = v;
    }
    s += expf(v - m);
  }
  for (int d = 16; d > 0; d /= 2) {
    float other = __shfl_xor_sync(0xffffffff, m, d);
    float sum = __shfl_xor_sync(0xffffffff, s, d);
    float most = fmaxf(m, other);
    s = s * expf(m - most) + sum * expf(other - most);
    m = most;
  }
  for (int c = threadIdx.x; c < cols; c += 32)
    y[start + c] = mask[start + c] ? expf(x[start + c] - m) / s : 0.0f;
}

extern "C" void launch(const float* x,       // [rows, cols]
                       const uint8_t* mask,  // [rows, cols]
                       float* y,             // [rows, cols]
                       int rows, int cols, cudaStream_t stream = 0) {
  moves<<<(rows + 7) / 8, dim3(32, 8), 0, stream>>>(x, mask, y, rows, cols);
}
"""
)

# One who writes a backward pass: layer norm of bfloat16 that keeps mean and scale of each row.
NORM = (
    HEADER
    + """\
#define T 128

__device__ float block_sum(float v)
{
    __shared__ float sums[T / 32];
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_xor_sync(0xffffffff, v, d);
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        sums[threadIdx.x / 32] = v;
    __syncthreads();
    return sums[0] + sums[1] + sums[2] + sums[3];
}

__global__ void norm(const __nv_bfloat16 *x, const float *gamma, const float *beta,
                     __nv_bfloat16 *y, float *means, float *scales, float eps, int cols)
{
    size_t start = (size_t)blockIdx.x * cols;
    float sum = 0.0f, squares = 0.0f;
    for (int c = threadIdx.x; c < cols; c += T)
        sum += __bfloat162float(x[start + c]);
    float mean = block_sum(sum) / cols;
    for (int c = threadIdx.x; c < cols; c += T) {
        float d = __bfloat162float(x[start + c]) - mean;
        squares += d * d;
    }
    float scale = rsqrtf(block_sum(squares) / cols + eps);
    for (int c = threadIdx.x; c < cols; c += T) {
        float d = __bfloat162float(x[start + c]) - mean;
        y[start + c] = __float2bfloat16(d * scale * gamma[c] + beta[c]);
    }
    if (threadIdx.x == 0) {
        means[blockIdx.x] = mean;
        scales[blockIdx.x] = scale;
    }
}

extern "C" void launch(const __nv_bfloat16 *x,  // [rows, cols]
                       const float *gamma,      // [cols]
                       const float *beta,       // [cols]
                       __nv_bfloat16 *y,        // [rows, cols]
                       float *means,            // [rows]
                       float *scales,           // [rows]
                       float eps, int rows, int cols, cudaStream_t stream = 0)
{
    norm<<<rows, T, 0, stream>>>(x, gamma, beta, y, means, scales, eps, cols);
}
"""
)

NAN, INF = float("nan"), float("inf")
LENGTHS = (*range(1, 71), 95, 96, 97, 127, 128, 129, 130, 191, 192, 255, 256, 257, 258, 383)
LENGTHS += (384, 385, 511, 512, 513, 768, 1000, 1023, 1024, 1026, 2048, 2049, 4096, 4099)
SIDES = ((1, 1), (1, 2), (3, 2), (4, 31), (5, 32), (8, 33), (33, 8), (2, 64), (65, 3), (9, 70))
SIDES += ((70, 1), (3, 1000), (1, 4099), (64, 70), (130, 6), (40, 50), (32, 32), (17, 48))
SIDES += ((301, 2), (3, 129), (7, 128), (5, 63), (65, 65), (64, 64))
FLOAT, HALF, BFLOAT = (torch.float32,), (torch.float16,), (torch.bfloat16,)


def decayed_weights(launcher: Launcher) -> Iterator[Case]:
    """Step with whole numbers and factors of few bits, so that all is exact; NaN; slices."""
    for n in (*LENGTHS, 8_195, 16_389):
        w, g = (whole(-999, 1000, n, 3 * n + k).float() for k in range(2))
        j = torch.arange(n)
        for label, d in (
            ("usual", g),
            ("NaN", torch.where(j % 4 == 3, NAN, g)),
            ("infinities", torch.where(j % 5 == 2, INF, g)),
        ):
            for rate, decay, block_size in ((0.25, 0.125, 128), (-0.5, 3.0, 32)):
                right = w.double() - rate * (d.double() + decay * w.double()) + 0.0
                scalars = {"rate": rate, "decay": decay, "block_size": block_size}
                options = {"dtypes": FLOAT, "quick": n > 5000}
                yield Case(
                    f"n = {n:,}, {scalars}, {label}", (w, d), (right,), scalars, **options
                )
            if n < 300 and label == "usual":
                right = w.double() - 0.5 * (d.double() + 0.25 * w.double()) + 0.0
                scalars = {"rate": 0.5, "decay": 0.25}
                for offsets in ((4, 4, 4), (8, 4, 12)):
                    options = {"dtypes": FLOAT, "offset": offsets}
                    words = f"n = {n:,}, slices from {offsets}"
                    yield Case(words, (w, d), (right,), scalars, **options)


def middles_and_sides(launcher: Launcher) -> Iterator[Case]:
    """Take halves of few and of many bits, large ones whose sum is no half, NaN; slices."""
    for n in (*LENGTHS, 7_001):
        x, y = (whole(-2047, 2048, n, 2 * n + k).half() for k in range(2))
        j = torch.arange(n)
        for label, p, q in (
            ("whole", x, y),
            ("fractions", x / 64, y / 4),
            ("large", x * 30, y * 30),
            ("NaN", torch.where(j % 3 == 1, NAN, x.float()).half(), y),
        ):
            a, b = p.double(), q.double()
            right = ((a + b) / 2 + 0.0, (a - b) / 2 + 0.0)
            for block_size in (64, 256):
                options = {"dtypes": HALF * 2, "quick": n > 5000}
                words = f"n = {n:,}, block_size = {block_size}, {label}"
                yield Case(words, (p, q), right, {"block_size": block_size}, **options)
            if n < 300 and label == "whole":
                for offsets in ((2, 2, 2, 2), (4, 2, 6, 8)):
                    options = {"dtypes": HALF * 2, "offset": offsets}
                    yield Case(f"n = {n:,}, slices from {offsets}", (p, q), right, **options)


def pixels(launcher: Launcher) -> Iterator[Case]:
    """Store brightness: usual, too bright and too dark, infinities, NaN; slices."""
    for n in (*LENGTHS, 10_243):
        x, j = whole(0, 1025, n, n).float() / 1024, torch.arange(n)
        for label, y in (
            ("usual", x),
            ("steps", (whole(0, 256, n, n + 1) + 0.25) / 255),
            ("bright and dark", x * 6 - 2),
            ("infinities", torch.where(j % 2 == 1, INF, -INF)),
            ("NaN", torch.where(j % 3 == 1, NAN, x)),
        ):
            y = y.half()
            scaled = (y.float().clamp(0, 1).nan_to_num(0.0) * torch.tensor(255.0)).double()
            right = scaled.round()
            for block_size in (96, 32):
                options = {"dtypes": (torch.uint8,), "quick": n > 5000}
                words = f"n = {n:,}, block_size = {block_size}, {label}"
                yield Case(words, (y,), (right,), {"block_size": block_size}, **options)
            if n < 300 and label == "usual":
                for offsets in ((2, 4), (6, 4), (4, 8)):
                    options = {"dtypes": (torch.uint8,), "offset": offsets}
                    yield Case(f"n = {n:,}, slices from {offsets}", (y,), (right,), **options)


def narrowed_floats(launcher: Launcher) -> Iterator[Case]:
    """Narrow floats: of any bits, halfway between two, NaN of any kind; slices; a large one."""
    for n in (*LENGTHS, 10_243, 262_409):
        bits, j = whole(0, 2**24, n, n), torch.arange(n)
        usual = (bits - 2**23).float() / 1024
        near = 0x3F800000 + (bits % 4096 << 16) + 0x8000
        nans = torch.where(bits % 2 == 0, 0x7F800001, 0x7FFFFFFF) - bits % 3 // 2 * 2**31
        nans = (nans + 2**31) % 2**32 - 2**31
        for label, y in (
            ("usual", usual),
            ("halfway", near.int().view(torch.float32)),
            ("nearly halfway", (near + j % 3 - 1).int().view(torch.float32)),
            ("NaN of any bits", nans.int().view(torch.float32)),
            ("infinities", torch.where(j % 2 == 1, INF, usual)),
        ):
            if n > 100_000 and label != "usual":
                continue
            right = y.double()
            options = {"dtypes": BFLOAT, "quick": n > 5000}
            yield Case(f"n = {n:,}, {label}", (y,), (right,), **options)
            if n < 300 and label == "usual":
                for offsets in ((4, 4), (8, 4), (4, 12)):
                    options = {"dtypes": BFLOAT, "offset": offsets}
                    yield Case(f"n = {n:,}, slices from {offsets}", (y,), (right,), **options)


def squeezed_rewards(launcher: Launcher) -> Iterator[Case]:
    """Squeeze rewards: usual, small, large ones, zeros of both signs, infinities, NaN."""
    for n in (*LENGTHS, 9_001):
        x, j = whole(-999, 1000, n, n).float() / 256, torch.arange(n)
        for label, y in (
            ("usual", x),
            ("small", x / 2**20),
            ("large", x * 2**20),
            ("zeros", torch.where(j % 2 == 1, -0.0, torch.where(j % 4 == 0, 0.0, x))),
            ("infinities", torch.where(j % 2 == 1, INF, -INF)),
            ("NaN", torch.where(j % 3 == 1, NAN, x)),
        ):
            for a, block_size in ((0.5, 256), (3.0, 64), (1.0, 32)):
                z = y.double()
                right = torch.copysign(a * (z.abs() / a).log1p(), z)
                slack = ((2.0**-21 * right.abs()).nan_to_num(0.0, 0.0, 0.0),)
                scalars = {"a": a, "block_size": block_size}
                options = {"dtypes": FLOAT, "within": slack, "quick": n > 5000}
                yield Case(f"n = {n:,}, {scalars}, {label}", (y,), (right,), scalars, **options)


def gated_numbers(launcher: Launcher) -> Iterator[Case]:
    """Gate halves: usual ones, gates nearly open and nearly shut, NaN; slices."""
    for n in (*LENGTHS, 10_241, 20_483):
        x, y = (whole(-999, 1000, n, 2 * n + k).float() / 128 for k in range(2))
        j = torch.arange(n)
        for label, p, q in (
            ("usual", x, y),
            ("nearly open", x, y.abs() * 64),
            ("nearly shut", x * 512, -y.abs() - 3),
            ("NaN", torch.where(j % 3 == 1, NAN, x), y),
        ):
            p, q = p.half(), q.half()
            right = p.double() * q.double().sigmoid()
            slack = ((2.0**-11 * 1.004 * right.abs() + 2.0**-25 * 1.01).nan_to_num(0.0),)
            options = {"dtypes": HALF, "within": slack, "quick": n > 5000}
            yield Case(f"n = {n:,}, {label}", (p, q), (right,), **options)
            if n < 300 and label == "usual":
                for offsets in ((2, 2, 2), (2, 4, 6)):
                    words = f"n = {n:,}, slices from {offsets}"
                    yield Case(words, (p, q), (right,), offset=offsets, **options)


def overlaps(launcher: Launcher) -> Iterator[Case]:
    """Compare masks: any, equal, empty, apart, the last alone, sums that cancel, NaN."""
    for n in (4_095, 4_097, 9_300, *LENGTHS):
        a, b, j = whole(0, 2, n, n), whole(0, 5, n, n + 1), torch.arange(n)
        cancels = torch.where(j < n // 2, 7_000_000 + j % 7, -7_000_001)
        for label, x, y in (
            ("any", a, b),
            ("equal", a, a),
            ("empty", a * 0, a * 0),
            ("apart", a, 1 - a),
            ("the last alone", torch.where(j == n - 1, 3, 0), b + 1),
            ("nearly opposite", cancels, a * 0 + 3),
            ("NaN", torch.where(j == n // 3, NAN, a.double()), b),
        ):
            x, y = x.float(), y.float()
            total = (x.double() + y.double()).sum()
            right = 2 * (x.double() * y.double()).sum() / total
            right = (torch.ones(1).double() if total == 0 else right.reshape(1)) + 0.0
            slack = ((2.0**-23 * right.abs()).nan_to_num(0.0),)
            options = {"dtypes": FLOAT, "within": slack, "quick": n > 5000}
            yield Case(f"n = {n:,}, {label}", (x, y), (right,), **options)


def packets(launcher: Launcher) -> Iterator[Case]:
    """Add bytes of rows: any, small, all of 255, the first, the last; long rows."""
    for rows, cols in (*SIDES, (3, 6_001), (513, 3)):
        n = rows * cols
        x, c = whole(0, 256, n, n).reshape(rows, cols), torch.arange(cols)
        for label, y in (
            ("any", x),
            ("small", x % 8),
            ("255", x * 0 + 255),
            ("the first", torch.where(c == 0, x, 0)),
            ("the last", torch.where(c == cols - 1, x, 0)),
        ):
            right = (y.sum(1), ((cols - c) * y).sum(1))
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            options = {"dtypes": (torch.int32, torch.int64)}
            yield Case(words, (y.to(torch.uint8),), right, **options)


def pivots(launcher: Launcher) -> Iterator[Case]:
    """Find pivots: any, few values, negative, equal, rising, falling, zeros, infinities."""
    for n in (*LENGTHS, 10_001):
        x, j = whole(-9999, 10_000, n, n), torch.arange(n)
        for label, y in (
            ("any", x),
            ("few values", x % 5 - 2),
            ("negative", -x.abs() - 5),
            ("equal", x * 0 - 7),
            ("rising", j + 1),
            ("falling", n - j),
            ("small", x / 16384),
            ("zeros", x * 0),
            ("infinities", torch.where(j % 7 == 3, -INF, x.double())),
        ):
            y = y.float()
            far = y.abs()
            place = torch.where(far == far.max(), j, n).min().reshape(1)
            options = {"dtypes": (torch.float32, torch.int32), "quick": n > 5000}
            yield Case(f"n = {n:,}, {label}", (y,), (y[place], place), **options)


def recentred_bytes(launcher: Launcher) -> Iterator[Case]:
    """Turn matrices of bytes: any, rising ones, the least and the largest."""
    for rows, cols in (*SIDES, (31, 200), (200, 31), (300, 1), (33, 65), (8, 129), (128, 64)):
        n = rows * cols
        for label, x in (
            ("any", whole(0, 256, n, n)),
            ("rising", torch.arange(n) % 251),
            ("least and largest", whole(0, 2, n, n + 1) * 255),
        ):
            x = x.reshape(rows, cols)
            right = (x - 128).T.contiguous()
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (x.to(torch.uint8),), (right,), dtypes=(torch.int8,))


def three_diagonals(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole numbers, so that all is exact; what has no neighbour is not used; NaN."""
    for n in (*LENGTHS, 20_001):
        low, mid, up, x = (whole(-99, 100, n, 5 * n + k).float() for k in range(4))
        j = torch.arange(n)
        for label, a, c, z in (
            ("any", low, up, x),
            ("rising", low, up, j.float()),
            ("ends that are NaN", torch.where(j == 0, NAN, low), up.clone(), x),
            ("one NaN", low, up, torch.where(j == n // 2, NAN, x)),
        ):
            if label == "ends that are NaN":
                c[n - 1] = NAN
            right = mid.double() * z.double()
            right[1:] += a.double()[1:] * z.double()[:-1]
            right[:-1] += c.double()[:-1] * z.double()[1:]
            options = {"dtypes": FLOAT, "quick": n > 5000}
            yield Case(f"n = {n:,}, {label}", (a, mid, c, z), (right + 0.0,), **options)


def city_blocks(launcher: Launcher) -> Iterator[Case]:
    """Measure whole numbers, so that all is exact; the last term alone; equal rows; NaN."""
    sides = ((1, 1, 1), (3, 5, 7), (16, 16, 16), (32, 32, 32), (33, 17, 40), (2, 50, 3))
    sides += ((70, 1, 9), (1, 70, 33), (7, 9, 8), (9, 15, 17), (5, 4, 301), (48, 16, 64))
    sides += ((3, 2, 65), (64, 65, 15), (31, 33, 31), (2, 3, 1030), (130, 6, 5), (4, 200, 2))
    for m, n, k in sides:
        a = whole(-99, 100, m * k, m + k).reshape(m, k).float()
        b = whole(-99, 100, n * k, n + k + 1).reshape(n, k).float()
        j = torch.arange(k)
        for label, p, q in (
            ("any", a, b),
            ("the last term", torch.where(j == k - 1, a, 0.0), b * 0),
            ("equal rows", a * 0 + 5, b * 0 + 5),
            ("NaN in one row", torch.where(torch.arange(m)[:, None] == m // 2, NAN, a), b),
        ):
            right = (p.double()[:, None] - q.double()[None]).abs().sum(2)
            words = f"m = {m}, n = {n}, k = {k}, {label}"
            yield Case(words, (p + 0.0, q + 0.0), (right,), dtypes=FLOAT)


def allowed_moves(launcher: Launcher) -> Iterator[Case]:
    """Take softmax of some columns: usual, far off 0, far apart, rising, falling, NaN."""
    for rows, cols in SIDES:
        n = rows * cols
        x, c = whole(-127, 128, n, n).float().reshape(rows, cols) / 16, torch.arange(cols)
        some = whole(0, 2, n, n + 1).reshape(rows, cols)
        for label, y in (
            ("usual", x),
            ("far above 0", x + 300),
            ("far below 0", x - 300),
            ("far apart", x * 10),
            ("rising", x * 0 + c % 200 / 16),
            ("falling", x * 0 - c % 200 / 16),
            ("NaN", torch.where(c == cols // 2, NAN, x)),
        ):
            for kind, mask in (
                ("all columns", some * 0 + 1),
                ("some columns", some),
                ("every other row", some * 0 + torch.arange(rows)[:, None] % 2),
            ):
                right = torch.where(mask == 1, y.double(), -INF).softmax(1)
                right = torch.where(mask == 1, right, 0.0)
                slack = ((2.0**-13 * right + 2.0**-120).nan_to_num(0.0),)
                options = {"dtypes": FLOAT, "within": slack}
                words = f"rows = {rows:,}, cols = {cols:,}, {kind}, {label}"
                inputs = (y.contiguous(), mask.to(torch.uint8))
                yield Case(words, inputs, (right,), **options)


def normed_rows(launcher: Launcher) -> Iterator[Case]:
    """Norm rows: usual, far off 0, small beside eps, equal ones, one far, rising ones."""
    for rows, cols in SIDES:
        n = rows * cols
        x = whole(-99, 100, n, n).float().reshape(rows, cols)
        gamma, beta = (whole(-30, 31, cols, n + k).float() / 8 for k in (1, 2))
        c = torch.arange(cols)
        for label, y in (
            ("usual", x),
            ("far off 0", x / 8 + 2000),
            ("small", x / 4096),
            ("equal", x * 0 + 2000),
            ("one is large", torch.where(c == cols - 1, 900.0, 1.0) + x * 0),
            ("rising", x * 0 + c % 256),
        ):
            for eps in (1e-5, 0.5):
                y = y.bfloat16().contiguous()
                z = y.double()
                mean, var = z.mean(1), z.var(1, unbiased=False)
                scale = (var + eps).rsqrt()
                normed = (z - mean[:, None]) * scale[:, None]
                right = normed * gamma.double() + beta.double() + 0.0
                off = 2.0**-20 * z.abs().amax(1)
                slack = (off * scale + 2.0**-18)[:, None] * (1 + normed.abs())
                slack = slack * (2 + gamma.double().abs()) + 2.0**-8 * right.abs()
                near = (slack, off, (2.0**-18 + off * off * scale**2) * scale)
                options = {"dtypes": (*BFLOAT, *FLOAT, *FLOAT), "within": near}
                words = f"rows = {rows:,}, cols = {cols:,}, eps = {eps}, {label}"
                expected = (right, mean, scale)
                yield Case(words, (y, gamma, beta), expected, {"eps": eps}, **options)


BASES = {
    "sixty_decay": Base(DECAY, {"cases": decayed_weights}),
    "sixty_stereo": Base(STEREO, {"cases": middles_and_sides}),
    "sixty_topixel": Base(TOPIXEL, {"cases": pixels}),
    "sixty_bybits": Base(BYBITS, {"cases": narrowed_floats}),
    "sixty_symlog": Base(SYMLOG, {"cases": squeezed_rewards}),
    "sixty_glu": Base(GLU, {"cases": gated_numbers}),
    "sixty_dice": Base(DICE, {"cases": overlaps}),
    "sixty_adler": Base(ADLER, {"cases": packets}),
    "sixty_iamax": Base(IAMAX, {"cases": pivots}),
    "sixty_recentre": Base(RECENTRE, {"cases": recentred_bytes}),
    "sixty_tri": Base(TRI, {"cases": three_diagonals}),
    "sixty_city": Base(CITY, {"cases": city_blocks}),
    "sixty_moves": Base(MOVES, {"cases": allowed_moves}),
    "sixty_norm": Base(NORM, {"cases": normed_rows}),
}

WRONG = (
    # ---- a step with weight decay
    # A test in the place of the loop over packs.
    Wrong(
        "sixty_decay_no_loop",
        "sixty_decay",
        "grid / unwritten / left out | tail",
        (
            "  for (int p = t; p < n / 4; p += threads) {\n",
            "  int p = t;\n  if (p < n / 4) {\n",
        ),
    ),
    # Gradients lie at multiples of 8 bytes.
    Wrong(
        "sixty_decay_g_of_8_bytes",
        "sixty_decay",
        "alignment",
        ("const float* g,  // [n] 16-byte aligned", "const float* g,  // [n] 8-byte aligned"),
    ),
    # The rest begins at as many numbers as there are packs.
    Wrong(
        "sixty_decay_rest_from_packs",
        "sixty_decay",
        "tail / unwritten / left out | other element / race / twice",
        ("int i = n / 4 * 4 + t;", "int i = n / 4 + t;"),
    ),
    # The weights are moved on, too.
    Wrong(
        "sixty_decay_w_moves",
        "sixty_decay",
        "input | numbers / state",
        (
            "    ((float4*)out)[p] = a;\n",
            "    ((float4*)out)[p] = a;\n    ((float4*)w)[p] = a;\n",
        ),
    ),
    # The decay is taken off without the rate, as another paper has it.
    Wrong(
        "sixty_decay_without_rate",
        "sixty_decay",
        "function | numbers / infinity / nan / left out",
        ("return w - rate * (g + decay * w);", "return w - rate * g - decay * w;"),
    ),
    # ---- middle and side
    # Sums and differences are halves.
    Wrong(
        "sixty_stereo_sums_in_half",
        "sixty_stereo",
        "infinity / rounding / precision | numbers / tail",
        (
            "        float2 l = __half22float2(*(const half2 *)(left + i));\n"
            "        float2 r = __half22float2(*(const half2 *)(right + i));\n",
            "        half2 a = *(const half2 *)(left + i), b = *(const half2 *)(right + i);\n"
            "        half2 k = __float2half2_rn(0.5f);\n",
        ),
        (
            "__floats2half2_rn(0.5f * (l.x + r.x), 0.5f * (l.y + r.y));",
            "__hmul2(k, __hadd2(a, b));",
        ),
        (
            "__floats2half2_rn(0.5f * (l.x - r.x), 0.5f * (l.y - r.y));",
            "__hmul2(k, __hsub2(a, b));",
        ),
    ),
    # The second side of a pair is right less left.
    Wrong(
        "sixty_stereo_second_turned",
        "sixty_stereo",
        "swapped / function | numbers / neighbour / other element",
        ("0.5f * (l.y - r.y)", "0.5f * (r.y - l.y)"),
    ),
    # Threads for whole pairs alone.
    Wrong(
        "sixty_stereo_whole_pairs_alone",
        "sixty_stereo",
        "tail / grid / unwritten / left out / refused",
        ("int threads = (n + 1) / 2;", "int threads = n / 2;"),
    ),
    # The right channel may lie anywhere.
    Wrong(
        "sixty_stereo_right_anywhere",
        "sixty_stereo",
        "alignment",
        ("const half *right,  // [n] 4-byte aligned", "const half *right,  // [n]"),
    ),
    # The stream is forgotten.
    Wrong(
        "sixty_stereo_no_stream",
        "sixty_stereo",
        "stream",
        ("<<<blocks, block_size, 0, stream>>>", "<<<blocks, block_size>>>"),
    ),
    # ---- bytes of pictures
    # What is too bright is not limited.
    Wrong(
        "sixty_topixel_no_upper_limit",
        "sixty_topixel",
        "whole range / infinity | numbers / function",
        (
            "fminf(fmaxf(__half2float(h), 0.0f), 1.0f);",
            "fmaxf(__half2float(h), 0.0f);",
        ),
    ),
    # What is behind the point is cut off.
    Wrong(
        "sixty_topixel_cut_off",
        "sixty_topixel",
        "rounding | precision / numbers",
        ("(unsigned char)__float2int_rn(v * 255.0f)", "(unsigned char)(v * 255.0f)"),
    ),
    # There are 256 steps in the place of 255.
    Wrong(
        "sixty_topixel_256_steps",
        "sixty_topixel",
        "function / whole range | numbers / rounding / precision",
        ("v * 255.0f", "v * 256.0f"),
    ),
    # The last two of four are turned.
    Wrong(
        "sixty_topixel_turned_pair",
        "sixty_topixel",
        "swapped / other element / neighbour | numbers",
        ("pixel(b.x), pixel(b.y)", "pixel(b.y), pixel(b.x)"),
    ),
    # The upper limit comes first, and makes NaN white.
    Wrong(
        "sixty_topixel_nan_is_white",
        "sixty_topixel",
        "nan | numbers / whole range",
        (
            "fminf(fmaxf(__half2float(h), 0.0f), 1.0f);",
            "fmaxf(fminf(__half2float(h), 1.0f), 0.0f);",
        ),
    ),
    # ---- float to bfloat16 by bits
    # Nobody looks for NaN, whose bits may run over.
    Wrong(
        "sixty_bybits_nan_rounded",
        "sixty_bybits",
        "nan | numbers / infinity / sign of zero",
        (
            "    if ((u & 0x7fffffff) > 0x7f800000)\n        return (u >> 16) | 0x40;\n",
            "",
        ),
    ),
    # Halves are rounded away from 0.
    Wrong(
        "sixty_bybits_halves_away",
        "sixty_bybits",
        "rounding | numbers / precision",
        ("(u + 0x7fff + (u >> 16 & 1)) >> 16", "(u + 0x8000) >> 16"),
    ),
    # The rest is cut off after 16 bits.
    Wrong(
        "sixty_bybits_rest_cut_off",
        "sixty_bybits",
        "rounding / tail | precision / numbers / nan",
        ("to[i] = upper(x[i]);", "to[i] = __float_as_uint(x[i]) >> 16;"),
    ),
    # No thread for the rest but those that the block has more.
    Wrong(
        "sixty_bybits_whole_packs_alone",
        "sixty_bybits",
        "tail / grid / unwritten / left out / refused",
        ("int threads = n / 4 + 1;", "int threads = n / 4;"),
    ),
    # The thread's number is of 16 bits.
    Wrong(
        "sixty_bybits_short_thread",
        "sixty_bybits",
        "narrow / unwritten / left out | grid / tail / whole range / twice",
        ("int t = blockIdx.x", "unsigned short t = blockIdx.x"),
    ),
    # ---- the logarithm with a sign
    # The sign is one of three cases, and NaN is taken for 0.
    Wrong(
        "sixty_symlog_nan_is_zero",
        "sixty_symlog",
        "nan | numbers",
        ("return copysignf(y, v);", "return v > 0.0f ? y : v < 0.0f ? -y : 0.0f;"),
    ),
    # 1 is added before the logarithm.
    Wrong(
        "sixty_symlog_plain_log",
        "sixty_symlog",
        "precision / rounding | numbers / function / subnormal",
        ("log1pf(fabsf(v) / a)", "logf(1.0f + fabsf(v) / a)"),
    ),
    # The quotient by a is forgotten.
    Wrong(
        "sixty_symlog_no_quotient",
        "sixty_symlog",
        "function / left out | numbers",
        ("log1pf(fabsf(v) / a)", "log1pf(fabsf(v))"),
    ),
    # Blocks are taken to have 256 threads.
    Wrong(
        "sixty_symlog_256_threads",
        "sixty_symlog",
        "block size / unwritten / grid / left out",
        (
            "(int64_t)blockIdx.x * blockDim.x + threadIdx.x",
            "(int64_t)blockIdx.x * 256 + threadIdx.x",
        ),
    ),
    # One number more than there are.
    Wrong(
        "sixty_symlog_one_more",
        "sixty_symlog",
        "bounds",
        ("if (i < n) y[i]", "if (i <= n) y[i]"),
    ),
    # ---- a * sigmoid(b)
    # exp(b) above and below the line: infinity over infinity.
    Wrong(
        "sixty_glu_exp_twice",
        "sixty_glu",
        "infinity / nan | numbers / function",
        ("return a / (1.0f + expf(-b));", "return a * expf(b) / (1.0f + expf(b));"),
    ),
    # The number is the gate, and the gate is the number.
    Wrong(
        "sixty_glu_gate_first",
        "sixty_glu",
        "swapped / function | numbers / infinity / nan / other element / precision",
        (
            "glu<<<blocks < 40 ? blocks : 40, 128, 0, stream>>>(a, b,",
            "glu<<<blocks < 40 ? blocks : 40, 128, 0, stream>>>(b, a,",
        ),
    ),
    # The gate is rounded to a half before it is a factor.
    Wrong(
        "sixty_glu_gate_in_half",
        "sixty_glu",
        "rounding / precision | numbers / subnormal",
        (
            "return a / (1.0f + expf(-b));",
            "return a * __half2float(__float2half(1.0f / (1.0f + expf(-b))));",
        ),
    ),
    # The last number is looked for behind the end.
    Wrong(
        "sixty_glu_last_is_n",
        "sixty_glu",
        "bounds / tail | unwritten / neighbour",
        (
            "out[n - 1] = __float2half(gated(__half2float(a[n - 1]), __half2float(b[n - 1])));",
            "out[n] = __float2half(gated(__half2float(a[n]), __half2float(b[n])));",
        ),
    ),
    # The step is that of blocks of 256 threads.
    Wrong(
        "sixty_glu_step_of_256",
        "sixty_glu",
        "block size / unwritten / left out / grid | tail / numbers",
        ("int step = gridDim.x * blockDim.x;", "int step = gridDim.x * 256;"),
    ),
    # ---- the overlap of masks
    # The count of blocks that are done is not set back.
    Wrong(
        "sixty_dice_count_stays",
        "sixty_dice",
        "state / unwritten | numbers",
        ("    done = 0;\n", ""),
    ),
    # The last block counts itself, too, and waits for one more.
    Wrong(
        "sixty_dice_one_more_block",
        "sixty_dice",
        "unwritten / state | numbers / left out",
        ("atomicAdd(&done, 1) == gridDim.x - 1;", "atomicAdd(&done, 1) == gridDim.x;"),
    ),
    # Threads do not wait for what others have stored.
    Wrong(
        "sixty_dice_no_barrier",
        "sixty_dice",
        "race | numbers / left out / unwritten / nan / start",
        ("  any[t] = y;\n  __syncthreads();\n", "  any[t] = y;\n"),
    ),
    # The parts are added to what the last block's first thread has.
    Wrong(
        "sixty_dice_goes_on",
        "sixty_dice",
        "twice / start | numbers / other element / function",
        ("    x = y = 0;\n", ""),
    ),
    # A thread's sums are floats.
    Wrong(
        "sixty_dice_float_sums",
        "sixty_dice",
        "precision / narrow | numbers / rounding",
        ("  double x = 0, y = 0;\n", "  float x = 0, y = 0;\n"),
    ),
    # ---- checksums of packets
    # The sum by weights has 32 bits.
    Wrong(
        "sixty_adler_32_bits",
        "sixty_adler",
        "narrow / whole range | numbers",
        ("    long long w = 0;\n", "    int w = 0;\n"),
    ),
    # Bytes are taken for numbers with a sign.
    Wrong(
        "sixty_adler_signed",
        "sixty_adler",
        "whole range / function | numbers",
        (
            "    const uint8_t *line = x + (size_t)row * cols;\n",
            "    const char *line = (const char *)x + (size_t)row * cols;\n",
        ),
    ),
    # The upper half of the warp is not added.
    Wrong(
        "sixty_adler_from_8",
        "sixty_adler",
        "left out | numbers / other element",
        ("int d = 16; d > 0; d >>= 1", "int d = 8; d > 0; d >>= 1"),
    ),
    # Sums are added to what is there, and nobody sets it to 0.
    Wrong(
        "sixty_adler_added",
        "sixty_adler",
        "zero before / state / start | numbers / twice",
        ("        sum[row] = s;\n", "        sum[row] += s;\n"),
    ),
    # Blocks for whole fours of rows alone.
    Wrong(
        "sixty_adler_whole_fours",
        "sixty_adler",
        "tail / grid / unwritten / left out / refused",
        ("checksums<<<(rows + 3) / 4,", "checksums<<<rows / 4,"),
    ),
    # ---- the pivot
    # The size of the number is stored, without its sign.
    Wrong(
        "sixty_iamax_no_sign",
        "sixty_iamax",
        "function / numbers | other element / whole range / infinity",
        ("*value = x[at];", "*value = v;"),
    ),
    # Of equal numbers the last one counts.
    Wrong(
        "sixty_iamax_last_place",
        "sixty_iamax",
        "other element / function | numbers",
        ("(w == v && where < at)", "(w == v && where > at)"),
    ),
    # The first thread does not wait for the other warps.
    Wrong(
        "sixty_iamax_no_barrier",
        "sixty_iamax",
        "race | numbers / left out / unwritten / other element / bounds",
        ("  __syncthreads();\n  if (threadIdx.x == 0) {\n", "  if (threadIdx.x == 0) {\n"),
    ),
    # Half of the warps are looked at.
    Wrong(
        "sixty_iamax_four_warps",
        "sixty_iamax",
        "left out | numbers / other element",
        ("int k = 1; k < T / 32; k++", "int k = 1; k < T / 64; k++"),
    ),
    # Numbers lose their sign where they lie.
    Wrong(
        "sixty_iamax_abs_in_place",
        "sixty_iamax",
        "input | function / numbers / state",
        ("__global__ void iamax(const float* x,", "__global__ void iamax(float* x,"),
        (
            "better(v, at, fabsf(x[i]), i);",
            "better(v, at, x[i] = fabsf(x[i]), i);",
        ),
        ("iamax<<<1, T, 0, stream>>>(x,", "iamax<<<1, T, 0, stream>>>((float*)x,"),
    ),
    # ---- turned bytes
    # Threads do not wait for the tile.
    Wrong(
        "sixty_recentre_no_barrier",
        "sixty_recentre",
        "race | numbers / unwritten / left out / other element",
        ("    __syncthreads();\n", ""),
    ),
    # Rows of the result are as long as those of the matrix.
    Wrong(
        "sixty_recentre_pitch_of_in",
        "sixty_recentre",
        "sides / bounds | other element / unwritten / race / numbers",
        ("out[(size_t)(c + j) * rows + r]", "out[(size_t)(c + j) * cols + r]"),
    ),
    # The block's place is not turned, only what is in it.
    Wrong(
        "sixty_recentre_blocks_stay",
        "sixty_recentre",
        "sides / swapped / other element / unwritten | numbers / left out / bounds",
        ("    r = blockIdx.y * S + threadIdx.x;\n", "    r = blockIdx.x * S + threadIdx.x;\n"),
        ("    c = blockIdx.x * S + threadIdx.y;\n", "    c = blockIdx.y * S + threadIdx.y;\n"),
    ),
    # The middle of the bytes is taken for 127.
    Wrong(
        "sixty_recentre_about_127",
        "sixty_recentre",
        "function / numbers | whole range / other element / neighbour",
        ("* cols + c] - 128;", "* cols + c] - 127;"),
    ),
    # Blocks for whole tiles of columns alone.
    Wrong(
        "sixty_recentre_whole_tiles",
        "sixty_recentre",
        "tail / grid / unwritten / left out / refused | sides",
        ("dim3 grid((cols + S - 1) / S,", "dim3 grid(cols / S,"),
    ),
    # ---- the tridiagonal matrix
    # Threads do not wait for their neighbours.
    Wrong(
        "sixty_tri_no_barrier",
        "sixty_tri",
        "race | numbers / nan / unwritten / left out / neighbour / other element",
        ("  __syncthreads();\n", ""),
    ),
    # What is below and above the diagonal is mixed up.
    Wrong(
        "sixty_tri_lower_is_upper",
        "sixty_tri",
        "swapped / other element / neighbour / function | numbers / nan",
        ("(lower, diag, upper, x, y, n);", "(upper, diag, lower, x, y, n);"),
    ),
    # Nobody loads what is right of the tile.
    Wrong(
        "sixty_tri_no_right_rim",
        "sixty_tri",
        "unwritten / left out / neighbour / other element | numbers / nan / race",
        ("  if (t == T - 1 && i + 1 < n) rim[T + 1] = x[i + 1];\n", ""),
    ),
    # The first block reads what is before the array.
    Wrong(
        "sixty_tri_before_the_first",
        "sixty_tri",
        "bounds",
        ("if (t == 0 && i > 0) rim[0]", "if (t == 0) rim[0]"),
    ),
    # The lower diagonal is taken to begin at the second row.
    Wrong(
        "sixty_tri_lower_from_second",
        "sixty_tri",
        "neighbour / other element | numbers / nan",
        ("v += lower[i] * rim[t];", "v += lower[i - 1] * rim[t];"),
    ),
    # ---- distances of rows
    # Differences keep their sign.
    Wrong(
        "sixty_city_no_abs",
        "sixty_city",
        "function | numbers",
        ("sum += fabsf(as[ty][i] - bs[tx][i]);", "sum += as[ty][i] - bs[tx][i];"),
    ),
    # The next tiles are loaded while others read these.
    Wrong(
        "sixty_city_one_barrier",
        "sixty_city",
        "race | numbers / other element / left out / twice",
        (
            "(as[ty][i] - bs[tx][i]);\n        __syncthreads();\n",
            "(as[ty][i] - bs[tx][i]);\n",
        ),
    ),
    # The second tile is read by columns, as in a product.
    Wrong(
        "sixty_city_b_by_columns",
        "sixty_city",
        "other element / swapped / sides | numbers / nan / left out",
        ("bs[tx][i]", "bs[i][tx]"),
    ),
    # Terms of the second matrix are not tested.
    Wrong(
        "sixty_city_terms_untested",
        "sixty_city",
        "bounds / other element / tail | numbers / twice / nan",
        ("= other < n && p + tx < k ? b", "= other < n ? b"),
    ),
    # Sides of the grid are swapped.
    Wrong(
        "sixty_city_turned_grid",
        "sixty_city",
        "sides / grid / swapped / unwritten | left out / tail",
        (
            "dim3 grid((n + S - 1) / S, (m + S - 1) / S);",
            "dim3 grid((m + S - 1) / S, (n + S - 1) / S);",
        ),
    ),
    # ---- softmax of allowed moves
    # Moves that are not allowed get a share, too.
    Wrong(
        "sixty_moves_all_get_a_share",
        "sixty_moves",
        "function / left out | numbers / nan / infinity / other element / unwritten",
        ("mask[start + c] ? expf(x[start + c] - m) / s : 0.0f;", "expf(x[start + c] - m) / s;"),
    ),
    # What has been added stays as it was when the largest grows.
    Wrong(
        "sixty_moves_sum_not_scaled",
        "sixty_moves",
        "function / numbers | infinity / other element / left out",
        ("      s *= expf(m - v);\n", ""),
    ),
    # Lanes begin at the lowest, and two of them that have nothing make NaN.
    Wrong(
        "sixty_moves_from_infinity",
        "sixty_moves",
        "nan / start / infinity | numbers",
        ("float m = -FLT_MAX, s", "float m = -INFINITY, s"),
    ),
    # The largest number is 0 at least.
    Wrong(
        "sixty_moves_from_zero",
        "sixty_moves",
        "start / nan / infinity | numbers / precision / subnormal",
        ("float m = -FLT_MAX, s", "float m = 0.0f, s"),
    ),
    # The first row's mask is that of all rows.
    Wrong(
        "sixty_moves_mask_of_columns",
        "sixty_moves",
        "other element / sides / function | numbers / left out / nan / unwritten",
        ("if (!mask[start + c]) continue;", "if (!mask[c]) continue;"),
    ),
    # ---- layer norm of bfloat16
    # The second sum overwrites the first while others read it.
    Wrong(
        "sixty_norm_no_barrier",
        "sixty_norm",
        "race | numbers / other element",
        (
            "    __syncthreads();\n    if (threadIdx.x % 32 == 0)\n",
            "    if (threadIdx.x % 32 == 0)\n",
        ),
    ),
    # The square of the mean is taken off the mean of squares.
    Wrong(
        "sixty_norm_squares_less_square",
        "sixty_norm",
        "precision / nan | numbers / function / infinity / rounding",
        (
            "        float d = __bfloat162float(x[start + c]) - mean;\n        squares",
            "        float d = __bfloat162float(x[start + c]);\n        squares",
        ),
        (
            "rsqrtf(block_sum(squares) / cols + eps);",
            "rsqrtf(block_sum(squares) / cols - mean * mean + eps);",
        ),
    ),
    # The root is that of the variance alone.
    Wrong(
        "sixty_norm_eps_outside",
        "sixty_norm",
        "function / infinity / nan | numbers / precision",
        (
            "rsqrtf(block_sum(squares) / cols + eps);",
            "1.0f / (sqrtf(block_sum(squares) / cols) + eps);",
        ),
    ),
    # The last warp's sum is forgotten.
    Wrong(
        "sixty_norm_three_warps",
        "sixty_norm",
        "left out | numbers / other element / function",
        ("sums[0] + sums[1] + sums[2] + sums[3];", "sums[0] + sums[1] + sums[2];"),
    ),
    # The launch has the stream where its shared memory belongs.
    Wrong(
        "sixty_norm_no_stream",
        "sixty_norm",
        "stream",
        ("norm<<<rows, T, 0, stream>>>", "norm<<<rows, T, 0>>>"),
    ),
)

RIGHT = (
    # Threads begin at the end, numbers are fused, and the last block does the rest.
    Right(
        "sixty_decay_backwards",
        "sixty_decay",
        (
            "for (int p = t; p < n / 4; p += threads) {",
            "for (int p = n / 4 - 1 - t; p >= 0; p -= threads) {",
        ),
        ("  if (t < n % 4) {\n", "  t = threads - 1 - t;\n  if (t < n % 4) {\n"),
        ("return w - rate * (g + decay * w);", "return fmaf(-rate, fmaf(decay, w, g), w);"),
    ),
    # Side is middle less the right channel's number, before anything is rounded.
    Right(
        "sixty_stereo_side_of_middle",
        "sixty_stereo",
        ("0.5f * (l.x - r.x), 0.5f * (l.y - r.y)", "(l.x - r.x) / 2, (l.y - r.y) * 0.5f"),
        (
            "        mid[i] = __float2half(0.5f * (l + r));\n"
            "        side[i] = __float2half(0.5f * (l - r));\n",
            "        float m = 0.5f * l + 0.5f * r;\n"
            "        mid[i] = __float2half_rn(m);\n"
            "        side[i] = __float2half_rn(l - m);\n",
        ),
        ("int threads = (n + 1) / 2;", "int threads = n / 2 + 1;"),
    ),
    # The hardware's limit to 0 and 1, and the steps are taken to the nearest by a sum.
    Right(
        "sixty_topixel_saturated",
        "sixty_topixel",
        (
            "  float v = fminf(fmaxf(__half2float(h), 0.0f), 1.0f);\n"
            "  return (unsigned char)__float2int_rn(v * 255.0f);\n",
            "  float v = __fmul_rn(__saturatef(__half2float(h)), 255.0f);\n"
            "  return __float_as_uint(__fadd_rn(v, 8388608.0f)) & 0xff;\n",
        ),
    ),
    # Few blocks go through the packs in a loop; who comes to their end does the rest.
    Right(
        "sixty_bybits_few_blocks",
        "sixty_bybits",
        (
            "    if (t < packs) {\n",
            "    for (; t < packs; t += gridDim.x * blockDim.x) {\n",
        ),
        ("    } else if (t == packs) {\n", "    }\n    if (t == packs) {\n"),
        ("narrow<<<(threads + 127) / 128,", "narrow<<<min((threads + 127) / 128, 7),"),
    ),
    # The result is first a copy, of which each thread then takes the number that it squeezes.
    Right(
        "sixty_symlog_copy_first",
        "sixty_symlog",
        ("if (i < n) y[i] = symlog(x[i], a);", "if (i < n) y[i] = symlog(y[i], a);"),
        (
            "  squeeze<<<",
            "  cudaMemcpyAsync(y, x, n * sizeof(float), cudaMemcpyDeviceToDevice, stream);\n"
            "  squeeze<<<",
        ),
    ),
    # Only exponentials of numbers below 0.
    Right(
        "sixty_glu_two_branches",
        "sixty_glu",
        (
            "    return a / (1.0f + expf(-b));\n",
            "    float e = expf(-fabsf(b));\n"
            "    float gate = (signbit(b) ? e : 1.0f) / (1.0f + e);\n"
            "    return a * gate;\n",
        ),
    ),
    # The count of blocks goes back to 0 by itself, and a warp adds the parts.
    Right(
        "sixty_dice_count_wraps",
        "sixty_dice",
        (
            "atomicAdd(&done, 1) == gridDim.x - 1;",
            "atomicInc(&done, gridDim.x - 1) == gridDim.x - 1;",
        ),
        (
            "  if (last && t == 0) {\n    x = y = 0;\n",
            "  if (last && t < 32) {\n    x = y = 0;\n",
        ),
        (
            "    for (int k = 0; k < gridDim.x; k++) {\n"
            "      x += parts[k].x;\n"
            "      y += parts[k].y;\n"
            "    }\n"
            "    *out = y == 0 ? 1.0 : 2 * x / y;\n"
            "    done = 0;\n",
            "    if (t < gridDim.x) {\n"
            "      x = __ldcg(&parts[t].x);\n"
            "      y = __ldcg(&parts[t].y);\n"
            "    }\n"
            "    for (int d = 16; d > 0; d /= 2) {\n"
            "      x += __shfl_xor_sync(0xffffffff, x, d);\n"
            "      y += __shfl_xor_sync(0xffffffff, y, d);\n"
            "    }\n"
            "    if (t == 0) *out = y == 0 ? 1.0 : 2 * x / y;\n",
        ),
    ),
    # All lanes add what they have, after the results were set to 0.
    Right(
        "sixty_adler_atomics",
        "sixty_adler",
        (
            "    for (int d = 16; d > 0; d >>= 1) {\n"
            "        s += __shfl_down_sync(0xffffffff, s, d);\n"
            "        w += __shfl_down_sync(0xffffffff, w, d);\n"
            "    }\n"
            "    if (threadIdx.x == 0) {\n"
            "        sum[row] = s;\n"
            "        weighted[row] = w;\n"
            "    }\n",
            "    if (w != 0) {\n"
            "        atomicAdd(sum + row, s);\n"
            "        atomicAdd((unsigned long long *)weighted + row, (unsigned long long)w);\n"
            "    }\n",
        ),
        (
            "    checksums<<<",
            "    cudaMemsetAsync(sum, 0, rows * sizeof(int), stream);\n"
            "    cudaMemsetAsync(weighted, 0, rows * sizeof(int64_t), stream);\n"
            "    checksums<<<",
        ),
    ),
    # Size and place are one key of 64 bits, of which a shared atomic keeps the largest.
    Right(
        "sixty_iamax_keys",
        "sixty_iamax",
        (
            "  __shared__ float vs[T / 32];\n  __shared__ int ats[T / 32];\n",
            "  __shared__ unsigned long long most;\n",
        ),
        ("  int at = n;\n", "  int at = n;\n  if (threadIdx.x == T - 1) most = 0;\n"),
        (
            "  for (int d = 16; d > 0; d /= 2) {\n"
            "    float w = __shfl_down_sync(0xffffffff, v, d);\n"
            "    int where = __shfl_down_sync(0xffffffff, at, d);\n"
            "    better(v, at, w, where);\n"
            "  }\n"
            "  if (threadIdx.x % 32 == 0) {\n"
            "    vs[threadIdx.x / 32] = v;\n"
            "    ats[threadIdx.x / 32] = at;\n"
            "  }\n"
            "  __syncthreads();\n",
            "  __syncthreads();\n"
            "  unsigned long long key = (unsigned long long)__float_as_uint(v) << 32;\n"
            "  if (at < n) atomicMax(&most, key | ~(unsigned int)at);\n"
            "  __syncthreads();\n",
        ),
        (
            "    for (int k = 1; k < T / 32; k++) better(v, at, vs[k], ats[k]);\n",
            "    at = ~(unsigned int)most;\n",
        ),
    ),
    # The upper bit is turned in the place of a difference, when the tile is read.
    Right(
        "sixty_recentre_upper_bit",
        "sixty_recentre",
        ("    __shared__ int8_t tile[S][S + 4];\n", "    __shared__ uint8_t tile[S * S];\n"),
        (
            "tile[threadIdx.y + j][threadIdx.x] = in[(size_t)(r + j) * cols + c] - 128;",
            "tile[(threadIdx.y + j) * S + (threadIdx.x ^ threadIdx.y + j)] =\n"
            "                in[(size_t)(r + j) * cols + c];",
        ),
        (
            " tile[threadIdx.x][threadIdx.y + j];",
            "\n                tile[threadIdx.x * S + (threadIdx.y + j ^ threadIdx.x)] ^ 0x80;",
        ),
    ),
    # Without a tile: each thread reads its three numbers.
    Right(
        "sixty_tri_no_tile",
        "sixty_tri",
        (
            "  __shared__ float rim[T + 2];\n",
            "",
        ),
        (
            "  if (i < n) rim[t + 1] = x[i];\n"
            "  if (t == 0 && i > 0) rim[0] = x[i - 1];\n"
            "  if (t == T - 1 && i + 1 < n) rim[T + 1] = x[i + 1];\n"
            "  __syncthreads();\n",
            "",
        ),
        (
            "  float v = diag[i] * rim[t + 1];\n"
            "  if (i > 0) v += lower[i] * rim[t];\n"
            "  if (i + 1 < n) v += upper[i] * rim[t + 2];\n"
            "  y[i] = v;\n",
            "  float v = i > 0 ? lower[i] * __ldg(x + i - 1) : 0.0f;\n"
            "  v = fmaf(diag[i], __ldg(x + i), v);\n"
            "  y[i] = i == n - 1 ? v : fmaf(upper[i], __ldg(x + i + 1), v);\n",
        ),
    ),
    # A - B or B - A, whichever is larger; and tiles are left where the terms end.
    Right(
        "sixty_city_no_zeros",
        "sixty_city",
        (
            "        as[ty][tx] = row < m && p + tx < k ? a[(size_t)row * k + p + tx] : 0.0f;\n"
            "        bs[ty][tx] = other < n && p + tx < k ? b[(size_t)other * k + p + tx] : "
            "0.0f;\n",
            "        int last = min(S, k - p);\n"
            "        if (row < m && tx < last)\n"
            "            as[ty][tx] = a[(size_t)row * k + p + tx];\n"
            "        if (other < n && tx < last)\n"
            "            bs[ty][tx] = b[(size_t)other * k + p + tx];\n",
        ),
        ("for (int i = 0; i < S; i++)", "for (int i = last - 1; i >= 0; i--)"),
        (
            "fabsf(as[ty][i] - bs[tx][i]);",
            "fmaxf(as[ty][i] - bs[tx][i], bs[tx][i] - as[ty][i]);",
        ),
    ),
    # All is set to 0 first, and exponents are those of 2.
    Right(
        "sixty_moves_zeros_first",
        "sixty_moves",
        (
            "    y[start + c] = mask[start + c] ? expf(x[start + c] - m) / s : 0.0f;\n",
            "    if (mask[start + c] != 0) y[start + c] = exp2f((x[start + c] - m) * "
            "1.44269504f) / s;\n",
        ),
        (
            "  moves<<<",
            "  cudaMemsetAsync(y, 0, (size_t)rows * cols * sizeof(float), stream);\n  moves<<<",
        ),
    ),
    # One warp adds the sums of the warps, and a barrier stands behind them.
    Right(
        "sixty_norm_barrier_behind",
        "sixty_norm",
        (
            "    __syncthreads();\n    if (threadIdx.x % 32 == 0)\n",
            "    if (threadIdx.x % 32 == 0)\n",
        ),
        (
            "    return sums[0] + sums[1] + sums[2] + sums[3];\n",
            "    v = sums[threadIdx.x % 4];\n"
            "    for (int d = 2; d > 0; d /= 2)\n"
            "        v += __shfl_xor_sync(0xffffffff, v, d);\n"
            "    __syncthreads();\n"
            "    return v;\n",
        ),
    ),
)
