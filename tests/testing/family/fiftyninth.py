"""Hold a fifty-ninth family: kernels of half a year's practice, and their usual mistakes.

Its bases are the next state of a string, sounds that are made softer, bytes about a zero point
to bfloat16, floats to samples of 16 bits, soft shrinkage of halves, x + sin(a * x)^2 / a, means
by weights, points of right answers, the largest integer of each row and the last place that has
it, a quarter turn, products of complex matrices, what A * x leaves of b, softmax of the first
columns of rows, and normed channels. They have 17 to 43 lines, and are of people with half a
year of CUDA: one who simulates strings, one who mixes music, a user of small weights, a writer
of sound files, one who takes noise out of signals, a reader of a paper, one who grades, one who
runs a quiz, a reader of logs, one who shows photos, one who designs filters, one who solves
equations, one who reads sentences and one who styles pictures. They use float4 with a rest that
its own thread does, half2 in a loop over the grid where the launcher finds that all addresses
allow it, char4 with one thread for the rest, short4 with a rest for the first threads, one
number a thread, float2 with the last number beside it, pairs of sums by a tree and a second
kernel, shuffles and atomics of 64 bits after a memset, two arrays of a tree, tiles of 32 with 8
rows of threads, tiles of float2, a warp a row, a maximum and a sum that grow together over four
warps, and Welford's mean whose lanes merge by counts. Their mistakes are spread over alignment,
sizes, grids and integers of 8 and 16 bits, values, rounding, NaN and infinity, inputs that are
written, sums, transposes, products, order, streams and what is left of an earlier call. The
causes were written before a member was judged. On the emulator each ran beside PyTorch,
compared as a case does, called twice on the same tensors, with NaN and with 1e3 in floating
outputs (-1 and 77 in others), with tensors at either end of their pages, with inputs that
cannot be written, on a stream that is not the default one, with threads in order, from the last
to the first and in a random order, with each tensor at a multiple of its alignment and of no
more, and in the slices that the cases name. Bases and right ones ran all their cases, or as
many as six seconds reach from either end, in the three orders; wrong ones until they were wrong
often enough. Where latest and wmean lack a barrier they are right from the last thread to the
first. fiftynine_points_no_atomic is right in every order of the emulator, which lets a thread
add to the end: it is wrong by its race alone. nvcc 13.0 compiles each for 8.0, all members of a
base in one file; none was run on a GPU. Bases and right ones are right, and all other wrong
ones wrong or refused by a fault:

    fiftynine_leap_bend_of_8_bytes        from 4 numbers on, by the address of bend
    fiftynine_leap_whole_packs_alone      if 4 leaves some, and blocks have no thread more
    fiftynine_leap_bend_of_neighbour      from 4 numbers on, unless both are equal
    fiftynine_leap_states_move_on         from 4 numbers on: before is overwritten
    fiftynine_leap_no_stream              on another stream than the default one
    fiftynine_duck_y_not_tested           from 2 numbers on, by the address of y
    fiftynine_duck_lie_alike              from 2 numbers on, if all lie at odd numbers
    fiftynine_duck_rest_in_halves         of odd counts or addresses, if halves round
    fiftynine_duck_no_loop                from 6,146 numbers on
    fiftynine_duck_x_and_y                unless x and y are equal
    fiftynine_unbyte_unsigned             of numbers below 0
    fiftynine_unbyte_difference_of_8_bits of differences beyond a byte
    fiftynine_unbyte_rest_of_four         always: behind the end is read and written
    fiftynine_unbyte_one_pair_on          from 8 numbers on
    fiftynine_unbyte_upper_half           of numbers that are no bfloat16
    fiftynine_tosound_wraps               beyond -1 and 1
    fiftynine_tosound_cut_off             of numbers that are no samples
    fiftynine_tosound_nan_is_least        of NaN
    fiftynine_tosound_halves_away         halfway between samples, if the nearer to 0 is even
    fiftynine_tosound_y_of_4_bytes        from 4 numbers on, by the address of y
    fiftynine_shrink_down_alone           below -limit
    fiftynine_shrink_nan_is_zero          of NaN
    fiftynine_shrink_64_blocks            beyond 64 blocks
    fiftynine_shrink_half_limit           if the limit is no half, and the result shows it
    fiftynine_shrink_256_threads          from 2 blocks on, unless they have 256 threads
    fiftynine_snake_no_square             unless the sine is 0 or 1
    fiftynine_snake_frequency_left_out    unless a is 1
    fiftynine_snake_rest_untested         if blocks have threads more
    fiftynine_snake_x_anywhere            from 2 numbers on, by the address of x
    fiftynine_snake_threads_of_one        beyond the numbers of four times a block's threads
    fiftynine_wmean_no_barrier            where warps or threads do not wait for another
    fiftynine_wmean_parts_grow            from the second call on, if numbers are others
    fiftynine_wmean_second_on_default     on another stream than the default one
    fiftynine_wmean_by_count              unless the weights' sum is their count
    fiftynine_wmean_float_sums            if products and sums need more than 24 bits
    fiftynine_wmean_always_24             if an earlier call has had more blocks
    fiftynine_points_no_memset            unless the sum was 0 before
    fiftynine_points_memset_on_default    on another stream than the default one
    fiftynine_points_sums_of_32_bits      of sums of a warp beyond 32 bits
    fiftynine_points_no_atomic            from 33 numbers on, where warps are not in order
    fiftynine_points_threads_return       if 32 does not divide the numbers
    fiftynine_latest_first_of_thread      from 65 columns on, and of the least integer
    fiftynine_latest_from_zero            of rows below 0
    fiftynine_latest_no_barrier           where threads do not wait for another
    fiftynine_latest_one_thread_more      always: behind the end is read
    fiftynine_latest_place_not_moved      unless the first thread has the largest
    fiftynine_quarter_no_barrier          where threads do not wait for another
    fiftynine_quarter_turned_left         from 2 numbers on
    fiftynine_quarter_from_rows           always: one number goes behind its row
    fiftynine_quarter_rounded_down        if 32 does not divide the columns
    fiftynine_quarter_four_rows           from 5 rows or columns on
    fiftynine_cprod_conjugate             unless an imaginary part is 0
    fiftynine_cprod_one_barrier           from 17 terms on, where warps do not wait
    fiftynine_cprod_terms_untested        if 16 does not divide the terms, in the last rows
    fiftynine_cprod_pitch_of_b            from 2 terms on, unless terms are as many as columns
    fiftynine_cprod_half_imaginary        unless a's imaginary part or b's real one is 0
    fiftynine_resid_other_sign            unless nothing is left
    fiftynine_resid_whole_fours           if 4 does not divide the rows
    fiftynine_resid_from_8                from 17 columns on
    fiftynine_resid_short_row             from 32,769 rows on
    fiftynine_resid_in_b                  always: b is overwritten
    fiftynine_ragged_from_zero            of rows that are far below 0
    fiftynine_ragged_from_infinity        if two lanes that meet have no column
    fiftynine_ragged_no_barrier           where warps do not wait for another
    fiftynine_ragged_rest_not_written     of rows that are not used to their end
    fiftynine_ragged_sum_not_scaled       from 2 columns on, unless the largest stays
    fiftynine_ragged_one_column_more      always
    fiftynine_chan_less_one               if eps is not far above the variance
    fiftynine_chan_eps_outside            if eps is not far below the variance
    fiftynine_chan_gamma_of_column        unless gamma is the same for all
    fiftynine_chan_middle_of_means        unless 32 divides the columns
    fiftynine_chan_zero_counts            of fewer than 16 columns
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import whole

# One who simulates strings: the next state of two before it, a float4 a thread; a rest alone.
LEAP = (
    HEADER
    + """\
__global__ void leap(const float* now, const float* before, const float* bend, float* next,
                     float c, int n) {
  int first = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (first + 4 <= n) {
    float4 a = *(const float4*)(now + first);
    float4 b = *(const float4*)(before + first);
    float4 d = *(const float4*)(bend + first);
    a.x = 2.0f * a.x - b.x + c * d.x;
    a.y = 2.0f * a.y - b.y + c * d.y;
    a.z = 2.0f * a.z - b.z + c * d.z;
    a.w = 2.0f * a.w - b.w + c * d.w;
    *(float4*)(next + first) = a;
  } else {
    for (int i = first; i < n; i++) next[i] = 2.0f * now[i] - before[i] + c * bend[i];
  }
}

extern "C" void launch(const float* now,     // [n] 16-byte aligned
                       const float* before,  // [n] 16-byte aligned
                       const float* bend,    // [n] 16-byte aligned
                       float* next,          // [n] 16-byte aligned
                       float c, int n, int block_size = 128, cudaStream_t stream = 0) {
  int threads = (n + 3) / 4;
  int blocks = (threads + block_size - 1) / block_size;
  leap<<<blocks, block_size, 0, stream>>>(now, before, bend, next, c, n);
}
"""
)

# One who mixes music: x is made softer where y is loud, in pairs if all addresses allow them.
DUCK = (
    HEADER
    + """\
__device__ float softer(float x, float y, float k)
{
    return x * (1.0f - k * y);
}

__global__ void duck(const half *x, const half *y, half *out, float k, int pairs, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int step = gridDim.x * blockDim.x;
    for (int p = t; p < pairs; p += step) {
        float2 a = __half22float2(((const half2 *)x)[p]);
        float2 b = __half22float2(((const half2 *)y)[p]);
        ((half2 *)out)[p] = __floats2half2_rn(softer(a.x, b.x, k), softer(a.y, b.y, k));
    }
    for (int i = 2 * pairs + t; i < n; i += step)
        out[i] = __float2half(softer(__half2float(x[i]), __half2float(y[i]), k));
}

extern "C" void launch(const half *x,  // [n]
                       const half *y,  // [n]
                       half *out,      // [n]
                       float k, int n, cudaStream_t stream = 0)
{
    bool round = (uintptr_t)x % 4 == 0 && (uintptr_t)y % 4 == 0 && (uintptr_t)out % 4 == 0;
    int pairs = round ? n / 2 : 0;
    int blocks = (n + 255) / 256;
    if (blocks > 24)
        blocks = 24;
    duck<<<blocks, 128, 0, stream>>>(x, y, out, k, pairs, n);
}
"""
)

# A user of small weights: bytes about a zero point to bfloat16, four a thread; one has a rest.
UNBYTE = (
    HEADER
    + """\
__device__ __nv_bfloat16 wide(signed char q, int zero, float scale) {
  int off = q - zero;
  return __float2bfloat16(off * scale);
}

__global__ void unbyte(const int8_t* x, __nv_bfloat16* y, int zero, float scale, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int packs = n / 4;
  if (i < packs) {
    char4 q = ((const char4*)x)[i];
    __nv_bfloat162* to = (__nv_bfloat162*)y + 2 * i;
    to[0] = __halves2bfloat162(wide(q.x, zero, scale), wide(q.y, zero, scale));
    to[1] = __halves2bfloat162(wide(q.z, zero, scale), wide(q.w, zero, scale));
  }
  if (i == packs) {
    for (int j = 4 * packs; j < n; j++) y[j] = wide(x[j], zero, scale);
  }
}

extern "C" void launch(const int8_t* x,   // [n] 4-byte aligned
                       __nv_bfloat16* y,  // [n] 4-byte aligned
                       int zero, float scale, int n, int block_size = 64,
                       cudaStream_t stream = 0) {
  int threads = n / 4 + 1;
  unbyte<<<(threads + block_size - 1) / block_size, block_size, 0, stream>>>(x, y, zero, scale,
                                                                            n);
}
"""
)

# A writer of sound files: floats from -1 to 1 to samples of 16 bits; what is no number is 0.
TOSOUND = (
    HEADER
    + """\
__device__ short sample(float v)
{
    if (isnan(v))
        return 0;
    v = fminf(fmaxf(v * 32767.0f, -32768.0f), 32767.0f);
    return (short)rintf(v);
}

__global__ void to_sound(const float *x, int16_t *y, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int step = gridDim.x * blockDim.x;
    for (int p = t; p < n / 4; p += step) {
        float4 v = ((const float4 *)x)[p];
        ((short4 *)y)[p] = make_short4(sample(v.x), sample(v.y), sample(v.z), sample(v.w));
    }
    int i = n / 4 * 4 + t;
    if (i < n)
        y[i] = sample(x[i]);
}

extern "C" void launch(const float *x,  // [n] 16-byte aligned
                       int16_t *y,      // [n] 8-byte aligned
                       int n, cudaStream_t stream = 0)
{
    int blocks = min((n + 511) / 512, 20);
    to_sound<<<blocks, 128, 0, stream>>>(x, y, n);
}
"""
)

# One who takes noise out of signals: soft shrinkage of halves, one number a thread.
SHRINK = (
    HEADER
    + """\
__device__ float shrunk(float v, float limit) {
  if (v > limit) return v - limit;
  if (v < -limit) return v + limit;
  return isnan(v) ? v : 0.0f;
}

__global__ void shrink(const half* x, half* y, float limit, int64_t n) {
  int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = __float2half(shrunk(__half2float(x[i]), limit));
}

extern "C" void launch(const half* x,  // [n]
                       half* y,        // [n]
                       float limit, int64_t n, int block_size = 256, cudaStream_t stream = 0) {
  int64_t blocks = (n + block_size - 1) / block_size;
  shrink<<<blocks, block_size, 0, stream>>>(x, y, limit, n);
}
"""
)

# A reader of a paper on periodic functions: x + sin(a * x)^2 / a, two numbers a thread.
SNAKE = (
    HEADER
    + """\
__device__ float snake(float v, float a)
{
    float s = sinf(a * v);
    return v + s * s / a;
}

__global__ void snakes(const float *x, float *y, float a, int n)
{
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i + 1 < n) {
        float2 two = *(const float2 *)&x[i];
        two.x = snake(two.x, a);
        two.y = snake(two.y, a);
        *(float2 *)&y[i] = two;
    } else if (i < n) {
        y[i] = snake(x[i], a);
    }
}

extern "C" void launch(const float *x,  // [n] 8-byte aligned
                       float *y,        // [n] 8-byte aligned
                       float a, int n, int block_size = 128, cudaStream_t stream = 0)
{
    int per_block = 2 * block_size;
    snakes<<<(n + per_block - 1) / per_block, block_size, 0, stream>>>(x, y, a, n);
}
"""
)

# One who grades: the mean of numbers by weights, parts by a kernel, their quotient by another.
WMEAN = (
    HEADER
    + """\
#define T 128
#define MOST 24

__device__ double2 parts[MOST];

__global__ void weigh(const float* x, const float* w, int n) {
  __shared__ double top[T], bottom[T];
  int t = threadIdx.x;
  double a = 0, b = 0;
  for (int i = blockIdx.x * T + t; i < n; i += gridDim.x * T) {
    a += (double)w[i] * x[i];
    b += w[i];
  }
  top[t] = a;
  bottom[t] = b;
  for (int h = T / 2; h > 0; h >>= 1) {
    __syncthreads();
    if (t < h) {
      top[t] += top[t + h];
      bottom[t] += bottom[t + h];
    }
  }
  if (t == 0) parts[blockIdx.x] = make_double2(top[0], bottom[0]);
}

__global__ void divide(float* out, int count) {
  double a = 0, b = 0;
  for (int k = 0; k < count; k++) {
    a += parts[k].x;
    b += parts[k].y;
  }
  *out = a / b;
}

extern "C" void launch(const float* x,  // [n]
                       const float* w,  // [n]
                       float* out,      // [1]
                       int n, cudaStream_t stream = 0) {
  int blocks = (n + T - 1) / T;
  if (blocks > MOST) blocks = MOST;
  weigh<<<blocks, T, 0, stream>>>(x, w, n);
  divide<<<1, 1, 0, stream>>>(out, blocks);
}
"""
)

# One who runs a quiz: the points of all right answers, an atomic addition a warp.
POINTS = (
    HEADER
    + """\
#define T 256

__global__ void points(const int *said, const int *truth, const int *worth, int64_t *out, int n)
{
    int i = blockIdx.x * T + threadIdx.x;
    long long v = 0;
    if (i < n && said[i] == truth[i])
        v = worth[i];
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_down_sync(0xffffffff, v, d);
    if (threadIdx.x % 32 == 0)
        atomicAdd((unsigned long long *)out, (unsigned long long)v);
}

extern "C" void launch(const int *said,   // [n]
                       const int *truth,  // [n]
                       const int *worth,  // [n]
                       int64_t *out,      // [1]
                       int n, cudaStream_t stream = 0)
{
    cudaMemsetAsync(out, 0, sizeof(int64_t), stream);
    points<<<(n + T - 1) / T, T, 0, stream>>>(said, truth, worth, out, n);
}
"""
)

# A reader of logs: the largest count of each row and the last place that has it, a block a row.
LATEST = (
    HEADER
    + """\
#define T 64

__global__ void latest(const int* x, int* top, int* place, int cols) {
  __shared__ int value[T], where[T];
  int t = threadIdx.x;
  const int* row = x + (size_t)blockIdx.x * cols;
  int best = INT_MIN, at = -1;
  for (int c = t; c < cols; c += T) {
    if (row[c] >= best) {
      best = row[c];
      at = c;
    }
  }
  value[t] = best;
  where[t] = at;
  __syncthreads();
  for (int h = T / 2; h > 0; h /= 2) {
    if (t < h) {
      int v = value[t + h], w = where[t + h];
      if (v > value[t] || (v == value[t] && w > where[t])) {
        value[t] = v;
        where[t] = w;
      }
    }
    __syncthreads();
  }
  if (t == 0) {
    top[blockIdx.x] = value[0];
    place[blockIdx.x] = where[0];
  }
}

extern "C" void launch(const int* x,  // [rows, cols]
                       int* top,      // [rows]
                       int* place,    // [rows]
                       int rows, int cols, cudaStream_t stream = 0) {
  latest<<<rows, T, 0, stream>>>(x, top, place, cols);
}
"""
).replace("#include <cfloat>\n", "#include <cfloat>\n#include <climits>\n")

# One who shows photos: a quarter turn to the right, by tiles of 32 with 8 rows of threads.
QUARTER = (
    HEADER
    + """\
#define S 32
#define Y 8

__global__ void quarter(const float *in, float *out, int rows, int cols)
{
    __shared__ float tile[S][S + 1];
    int c = blockIdx.x * S + threadIdx.x;
    int r = blockIdx.y * S + threadIdx.y;
    for (int j = 0; j < S; j += Y)
        if (r + j < rows && c < cols)
            tile[threadIdx.y + j][threadIdx.x] = in[(size_t)(r + j) * cols + c];
    __syncthreads();
    r = blockIdx.y * S + threadIdx.x;
    c = blockIdx.x * S + threadIdx.y;
    for (int j = 0; j < S; j += Y)
        if (r < rows && c + j < cols)
            out[(size_t)(c + j) * rows + rows - 1 - r] = tile[threadIdx.x][threadIdx.y + j];
}

extern "C" void launch(const float *in,  // [rows, cols]
                       float *out,       // [cols, rows]
                       int rows, int cols, cudaStream_t stream = 0)
{
    dim3 grid((cols + S - 1) / S, (rows + S - 1) / S);
    quarter<<<grid, dim3(S, Y), 0, stream>>>(in, out, rows, cols);
}
"""
)

# One who designs filters: a product of complex matrices, real and imaginary parts apart.
CPROD = (
    HEADER
    + """\
#define S 16

__global__ void product(const float* ar, const float* ai, const float* br, const float* bi,
                        float* cr, float* ci, int m, int n, int k) {
  __shared__ float2 a[S][S], b[S][S];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * S + ty, col = blockIdx.x * S + tx;
  float re = 0.0f, im = 0.0f;
  for (int p = 0; p < k; p += S) {
    a[ty][tx] = b[ty][tx] = make_float2(0.0f, 0.0f);
    if (row < m && p + tx < k) {
      size_t at = (size_t)row * k + p + tx;
      a[ty][tx] = make_float2(ar[at], ai[at]);
    }
    if (p + ty < k && col < n) {
      size_t at = (size_t)(p + ty) * n + col;
      b[ty][tx] = make_float2(br[at], bi[at]);
    }
    __syncthreads();
    for (int i = 0; i < S; i++) {
      float2 u = a[ty][i], v = b[i][tx];
      re += u.x * v.x - u.y * v.y;
      im += u.x * v.y + u.y * v.x;
    }
    __syncthreads();
  }
  if (row < m && col < n) {
    cr[(size_t)row * n + col] = re;
    ci[(size_t)row * n + col] = im;
  }
}

extern "C" void launch(const float* ar,  // [m, k]
                       const float* ai,  // [m, k]
                       const float* br,  // [k, n]
                       const float* bi,  // [k, n]
                       float* cr,        // [m, n]
                       float* ci,        // [m, n]
                       int m, int n, int k, cudaStream_t stream = 0) {
  dim3 grid((n + S - 1) / S, (m + S - 1) / S);
  product<<<grid, dim3(S, S), 0, stream>>>(ar, ai, br, bi, cr, ci, m, n, k);
}
"""
)

# One who solves equations: what A * x leaves of b, a warp a row, four rows a block.
RESID = (
    HEADER
    + """\
__global__ void residual(const float *a, const float *x, const float *b, float *r, int rows,
                         int cols)
{
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows)
        return;
    const float *line = a + (size_t)row * cols;
    float dot = 0.0f;
    for (int c = threadIdx.x; c < cols; c += 32)
        dot += line[c] * x[c];
    for (int d = 16; d > 0; d >>= 1)
        dot += __shfl_xor_sync(0xffffffff, dot, d);
    if (threadIdx.x == 0)
        r[row] = b[row] - dot;
}

extern "C" void launch(const float *a,  // [rows, cols]
                       const float *x,  // [cols]
                       const float *b,  // [rows]
                       float *r,        // [rows]
                       int rows, int cols, cudaStream_t stream = 0)
{
    residual<<<(rows + 3) / 4, dim3(32, 4), 0, stream>>>(a, x, b, r, rows, cols);
}
"""
)

# One who reads sentences of any length: softmax of the first columns of a row, in one pass.
RAGGED = (
    HEADER
    + """\
#define T 128

__device__ void merge(float& m, float& s, float other, float sum) {
  float most = fmaxf(m, other);
  s = s * expf(m - most) + sum * expf(other - most);
  m = most;
}

__global__ void ragged(const float* x, const int* lengths, float* y, int cols) {
  __shared__ float ms[T / 32], ss[T / 32];
  size_t start = (size_t)blockIdx.x * cols;
  int used = lengths[blockIdx.x];
  float m = -FLT_MAX, s = 0.0f;
  for (int c = threadIdx.x; c < used; c += T) merge(m, s, x[start + c], 1.0f);
  for (int d = 16; d > 0; d /= 2) {
    float other = __shfl_xor_sync(0xffffffff, m, d);
    float sum = __shfl_xor_sync(0xffffffff, s, d);
    merge(m, s, other, sum);
  }
  if (threadIdx.x % 32 == 0) {
    ms[threadIdx.x / 32] = m;
    ss[threadIdx.x / 32] = s;
  }
  __syncthreads();
  m = ms[0];
  s = ss[0];
  for (int k = 1; k < T / 32; k++) merge(m, s, ms[k], ss[k]);
  for (int c = threadIdx.x; c < cols; c += T)
    y[start + c] = c < used ? expf(x[start + c] - m) / s : 0.0f;
}

extern "C" void launch(const float* x,      // [rows, cols]
                       const int* lengths,  // [rows]
                       float* y,            // [rows, cols]
                       int rows, int cols, cudaStream_t stream = 0) {
  ragged<<<rows, T, 0, stream>>>(x, lengths, y, cols);
}
"""
)

# One who styles pictures: each channel is normed with Welford's mean, a warp a channel.
CHAN = (
    HEADER
    + """\
__global__ void norm(const float *x, const float *gamma, const float *beta, float *y, float eps,
                     int rows, int cols)
{
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows)
        return;
    const float *line = x + (size_t)row * cols;
    float count = 0.0f, mean = 0.0f, m2 = 0.0f;
    for (int c = threadIdx.x; c < cols; c += 32) {
        float d = line[c] - mean;
        count += 1.0f;
        mean += d / count;
        m2 += d * (line[c] - mean);
    }
    for (int h = 16; h > 0; h /= 2) {
        float n = __shfl_xor_sync(0xffffffff, count, h);
        float d = __shfl_xor_sync(0xffffffff, mean, h) - mean;
        m2 += __shfl_xor_sync(0xffffffff, m2, h);
        float all = count + n;
        if (all > 0.0f) {
            mean += d * n / all;
            m2 += d * d * count * n / all;
        }
        count = all;
    }
    mean = __shfl_sync(0xffffffff, mean, 0);
    float scale = gamma[row] * rsqrtf(__shfl_sync(0xffffffff, m2, 0) / cols + eps);
    for (int c = threadIdx.x; c < cols; c += 32)
        y[(size_t)row * cols + c] = (line[c] - mean) * scale + beta[row];
}

extern "C" void launch(const float *x,      // [rows, cols]
                       const float *gamma,  // [rows]
                       const float *beta,   // [rows]
                       float *y,            // [rows, cols]
                       float eps, int rows, int cols, cudaStream_t stream = 0)
{
    norm<<<(rows + 3) / 4, dim3(32, 4), 0, stream>>>(x, gamma, beta, y, eps, rows, cols);
}
"""
)

NAN, INF = float("nan"), float("inf")
LENGTHS = (*range(1, 71), 95, 96, 97, 127, 128, 129, 191, 192, 255, 256, 257, 258, 511, 512)
LENGTHS += (513, 768, 1000, 1023, 1024, 1026, 2048, 2049, 4096, 4099)
SIDES = ((1, 1), (1, 2), (3, 2), (4, 31), (5, 32), (8, 33), (33, 8), (2, 64), (65, 3), (9, 70))
SIDES += ((70, 1), (3, 1000), (1, 4099), (64, 70), (130, 6), (40, 50), (32, 32), (17, 48))


def leaps(launcher: Launcher) -> Iterator[Case]:
    """Step with whole numbers and factors of few bits, so that all is exact; NaN; slices."""
    for n in (*LENGTHS, 8_191):
        now, before, bend = (whole(-999, 1000, n, 3 * n + k).float() for k in range(3))
        j = torch.arange(n)
        for label, d in (
            ("usual", bend),
            ("NaN", torch.where(j % 4 == 3, NAN, bend)),
            ("infinities", torch.where(j % 5 == 2, INF, bend)),
        ):
            for c, block_size in ((0.375, 128), (-1.25, 32)):
                right = 2 * now.double() - before.double() + c * d.double() + 0.0
                options = {"dtypes": (torch.float32,), "quick": n > 5000}
                words = f"n = {n:,}, c = {c}, block_size = {block_size}, {label}"
                scalars = {"c": c, "block_size": block_size}
                yield Case(words, (now, before, d), (right,), scalars, **options)
            if n < 300 and label == "usual":
                right = 2 * now.double() - before.double() + 0.5 * d.double() + 0.0
                for offsets in ((4, 4, 4, 4), (8, 4, 12, 16)):
                    words = f"n = {n:,}, slices from {offsets}"
                    options = {"dtypes": (torch.float32,), "offset": offsets}
                    yield Case(words, (now, before, d), (right,), {"c": 0.5}, **options)


def softer_sounds(launcher: Launcher) -> Iterator[Case]:
    """Multiply numbers of few bits, so that one rounding is left; NaN; any slices."""
    for n in (*LENGTHS, 6_143, 7_001, 12_300):
        x, y = (whole(-99, 100, n, 2 * n + k).half() / 64 for k in range(2))
        j = torch.arange(n)
        for label, p in (
            ("usual", x),
            ("large", x * 16_384),
            ("NaN", torch.where(j % 3 == 1, NAN, x.float()).half()),
        ):
            for k in (0.5, 87 / 128, -3.0):
                right = p.double() * (1 - k * y.double())
                options = {"dtypes": (torch.float16,), "quick": n > 5000}
                words = f"n = {n:,}, k = {k}, {label}"
                yield Case(words, (p, y), (right,), {"k": k}, **options)
                if n < 300 and label == "usual" and k == 0.5:
                    for offsets in ((2, 2, 2), (1, 1, 1), (2, 1, 2), (1, 2, 1), (2, 2, 1)):
                        words = f"n = {n:,}, slices from {offsets}"
                        options = {"dtypes": (torch.float16,), "offset": offsets}
                        yield Case(words, (p, y), (right,), {"k": k}, **options)


def widened_bytes(launcher: Launcher) -> Iterator[Case]:
    """Widen bytes: any, negative ones, all in order, with zero points; slices."""
    for n in (*LENGTHS, 16_387):
        x, j = whole(-128, 128, n, n), torch.arange(n)
        for label, y in (("any", x), ("negative", -(x.abs() // 2) - 1), ("all", j % 256 - 128)):
            y = y.to(torch.int8)
            for zero, scale, block_size in ((0, 0.75, 64), (-60, 3.0, 64), (101, 0.375, 256)):
                right = (y.double() - zero) * scale
                scalars = {"zero": zero, "scale": scale, "block_size": block_size}
                options = {"dtypes": (torch.bfloat16,), "quick": n > 5000}
                yield Case(f"n = {n:,}, {scalars}, {label}", (y,), (right,), scalars, **options)
            if n < 300 and label == "any":
                right = (y.double() - 3) * 0.5
                for offsets in ((4, 2), (8, 4), (4, 6)):
                    words = f"n = {n:,}, slices from {offsets}"
                    options = {"dtypes": (torch.bfloat16,), "offset": offsets}
                    yield Case(words, (y,), (right,), {"zero": 3, "scale": 0.5}, **options)


def samples(launcher: Launcher) -> Iterator[Case]:
    """Store sounds: usual, halfway between samples, too loud ones, infinities, NaN; slices."""
    for n in (*LENGTHS, 10_239, 10_243, 20_001):
        x, j = whole(-99_999, 100_000, n, n).double() / 100_000, torch.arange(n)
        for label, y in (
            ("usual", x),
            ("halfway", (whole(-999, 1000, n, n + 1).double() + 0.5) / 32_767),
            ("loud", x * 3),
            ("infinities", torch.where(j % 2 == 1, INF, -INF)),
            ("NaN", torch.where(j % 3 == 1, NAN, x)),
        ):
            y = y.float()
            scaled = (y * torch.tensor(32_767.0)).double()
            right = scaled.clamp(-32_768, 32_767).round().nan_to_num(0.0) + 0.0
            options = {"dtypes": (torch.int16,), "quick": n > 5000}
            yield Case(f"n = {n:,}, {label}", (y,), (right,), **options)
            if n < 300 and label == "usual":
                for offsets in ((4, 4), (8, 4), (4, 8)):
                    words = f"n = {n:,}, slices from {offsets}"
                    yield Case(words, (y,), (right,), offset=offsets, **options)


def shrunk_numbers(launcher: Launcher) -> Iterator[Case]:
    """Shrink halves: any, small, large ones, infinities, NaN; limits that are no halves."""
    for n in (*LENGTHS, 12_289, 30_001):
        x, j = (whole(-999, 1000, n, n) / 256).half(), torch.arange(n)
        for label, y in (
            ("any", x),
            ("small", (whole(-99, 100, n, n + 1) / 256).half()),
            ("large", x * 4096),
            ("infinities", torch.where(j % 2 == 1, INF, -INF).half()),
            ("NaN", torch.where(j % 3 == 1, NAN, x.float()).half()),
        ):
            for limit, block_size in ((0.1, 256), (0.5, 64), (1.25, 32)):
                bound = torch.tensor(limit).double()
                z = y.double()
                right = torch.where(z > bound, z - bound, torch.where(z < -bound, z + bound, 0))
                right = torch.where(z.isnan(), z, right)
                scalars = {"limit": limit, "block_size": block_size}
                options = {"dtypes": (torch.float16,), "quick": n > 5000}
                yield Case(f"n = {n:,}, {scalars}, {label}", (y,), (right,), scalars, **options)


def snakes(launcher: Launcher) -> Iterator[Case]:
    """Take x + sin(a * x)^2 / a: usual, small, large numbers, NaN; slices."""
    for n in (*LENGTHS, 9_001):
        x, j = whole(-999, 1000, n, n).float() / 256, torch.arange(n)
        for label, y in (
            ("usual", x),
            ("small", x / 4096),
            ("large", x.round() * 64),
            ("NaN", torch.where(j % 3 == 1, NAN, x)),
        ):
            for a, block_size in ((0.5, 128), (3.0, 64), (1.0, 32)):
                z = y.double()
                right = z + (a * z).sin() ** 2 / a
                slack = ((2.0**-22 * z.abs() + 2.0**-22 * right.abs()).nan_to_num(0.0),)
                scalars = {"a": a, "block_size": block_size}
                options = {"dtypes": (torch.float32,), "within": slack, "quick": n > 5000}
                yield Case(f"n = {n:,}, {scalars}, {label}", (y,), (right,), scalars, **options)
                if n < 300 and label == "usual" and a == 0.5:
                    for offsets in ((2, 2), (4, 2), (2, 4)):
                        words = f"n = {n:,}, slices from {offsets}"
                        yield Case(words, (y,), (right,), {"a": a}, offset=offsets, **options)


def weighed_means(launcher: Launcher) -> Iterator[Case]:
    """Take means of whole numbers by whole weights: any, the last, opposite ones, NaN."""
    for n in (3_071, 3_073, 9_300, 40_003, *LENGTHS):
        x, w, j = whole(-999, 1000, n, n), whole(1, 9, n, n + 1), torch.arange(n)
        for label, y, v in (
            ("any", x, w),
            ("the last alone", x + 5000, torch.where(j == n - 1, 3, 0)),
            ("large", x * 16_000 + 16_000_001, w),
            ("rising", j, w),
            ("nearly opposite", torch.where(j % 2 == 0, 8_000_001, -8_000_000), w),
            ("NaN", torch.where(j == n // 3, NAN, x.double()), w),
        ):
            y, v = y.float(), v.float()
            right = ((y.double() * v.double()).sum() / v.double().sum()).reshape(1)
            slack = ((2.0**-23 * right.abs()).nan_to_num(0.0),)
            options = {"dtypes": (torch.float32,), "within": slack, "quick": n > 5000}
            yield Case(f"n = {n:,}, {label}", (y, v), (right,), **options)


def quizzes(launcher: Launcher) -> Iterator[Case]:
    """Add points: any, all right, none, the last alone, large and negative ones."""
    for n in (*LENGTHS, 20_011):
        said, worth, j = whole(0, 3, n, n), whole(-99, 1000, n, n + 1), torch.arange(n)
        for label, truth, points in (
            ("any", whole(0, 3, n, n + 2), worth),
            ("all right", said, worth),
            ("none", said + 1, worth),
            ("the last alone", torch.where(j == n - 1, said, said - 1), worth + 200),
            ("large", said, worth * 2_000_000),
        ):
            right = torch.where(said == truth, points, 0).sum().reshape(1)
            inputs = (said.int(), truth.int(), points.int())
            options = {"dtypes": (torch.int64,), "quick": n > 5000}
            yield Case(f"n = {n:,}, {label}", inputs, (right,), **options)


def latest_places(launcher: Launcher) -> Iterator[Case]:
    """Find the last largest: any, few values, negative, equal, rising, falling, least ones."""
    for rows, cols in (*SIDES, (301, 2), (3, 129), (7, 128), (5, 63)):
        n = rows * cols
        x, c = whole(-9999, 10_000, n, n).reshape(rows, cols), torch.arange(cols)
        for label, y in (
            ("any", x),
            ("few values", x % 3),
            ("negative", -x.abs() - 5),
            ("equal", x * 0 + 7),
            ("rising", x * 0 + c),
            ("falling", x * 0 - c),
            ("the least", x * 0 - 2**31),
        ):
            top = y.amax(1)
            place = torch.where(y == top[:, None], c, -1).amax(1)
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y.int(),), (top, place), dtypes=(torch.int32,) * 2)


def quarter_turns(launcher: Launcher) -> Iterator[Case]:
    """Turn pictures to the right: any, rising ones, NaN."""
    for rows, cols in (*SIDES, (31, 100), (100, 31), (300, 1), (64, 64), (33, 65), (8, 129)):
        n = rows * cols
        j = torch.arange(n)
        for label, x in (
            ("any", whole(-9999, 10_000, n, n).float() / 16),
            ("rising", j.float()),
            ("NaN", torch.where(j % 3 == 1, NAN, j.float())),
        ):
            x = x.reshape(rows, cols)
            right = x.double().rot90(-1).contiguous()
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (x,), (right,), dtypes=(torch.float32,))


def complex_products(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole complex numbers, so that all is exact; real ones; the last term alone."""
    sides = ((1, 1, 1), (3, 5, 7), (16, 16, 16), (32, 32, 32), (33, 17, 40), (2, 50, 3))
    sides += ((70, 1, 9), (1, 70, 33), (7, 9, 8), (9, 15, 17), (5, 4, 301), (48, 16, 64))
    sides += ((3, 2, 65), (64, 65, 15), (31, 33, 31), (2, 3, 1030), (130, 6, 5), (4, 200, 2))
    for m, n, k in sides:
        ar, ai = (whole(-15, 16, m * k, m + k + j).reshape(m, k).float() for j in range(2))
        br, bi = (whole(-15, 16, k * n, n + k + j).reshape(k, n).float() for j in range(2, 4))
        last = (torch.arange(k) == k - 1).float() * 3 + ar * 0
        for label, p, q in (
            ("any", ar, ai),
            ("real", ar, ai * 0),
            ("the last term", last, last),
        ):
            a = torch.complex(p.double(), q.double())
            right = a @ torch.complex(br.double(), bi.double())
            expected = (right.real + 0.0, right.imag + 0.0)
            inputs = (p + 0.0, q + 0.0, br, bi)
            words = f"m = {m}, n = {n}, k = {k}, {label}"
            yield Case(words, inputs, expected, dtypes=(torch.float32,) * 2)


def residuals(launcher: Launcher) -> Iterator[Case]:
    """Leave what A * x does not reach of b, in whole numbers; the last term; many rows."""
    for rows, cols in (*SIDES, (301, 2), (3, 129), (7, 128), (5, 63), (33_001, 1)):
        n = rows * cols
        a = whole(-99, 100, n, n).float().reshape(rows, cols)
        x, b = whole(-9, 10, cols, n + 1).float(), whole(-999, 1000, rows, n + 2).float()
        last = (torch.arange(cols) == cols - 1) * 3.0
        for label, y in (("any", x), ("ones", x * 0 + 1), ("the last term", last)):
            right = b.double() - a.double() @ y.double() + 0.0
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            options = {"dtypes": (torch.float32,), "quick": rows > 5000}
            yield Case(words, (a, y + 0.0, b), (right,), **options)


def ragged_rows(launcher: Launcher) -> Iterator[Case]:
    """Take softmax of any first columns: usual, far off 0, far apart, rising, falling, NaN."""
    for rows, cols in (*SIDES, (301, 2), (3, 129), (7, 128), (5, 63)):
        n = rows * cols
        x, c = whole(-127, 128, n, n).float().reshape(rows, cols) / 16, torch.arange(cols)
        for label, y in (
            ("usual", x),
            ("far above 0", x + 300),
            ("far below 0", x - 300),
            ("far apart", x * 10),
            ("rising", x * 0 + c % 200 / 16),
            ("falling", x * 0 - c % 200 / 16),
            ("NaN", torch.where(c == cols // 2, NAN, x)),
        ):
            for kind, lengths in (
                ("all columns", torch.full((rows,), cols)),
                ("any lengths", whole(0, cols + 1, rows, n + 1)),
            ):
                used = c < lengths[:, None]
                right = torch.where(used, y.double(), -INF).softmax(1)
                right = torch.where(used, right, 0.0)
                slack = ((2.0**-13 * right + 2.0**-120).nan_to_num(0.0),)
                options = {"dtypes": (torch.float32,), "within": slack}
                words = f"rows = {rows:,}, cols = {cols:,}, {kind}, {label}"
                yield Case(words, (y.contiguous(), lengths.int()), (right,), **options)


def normed_channels(launcher: Launcher) -> Iterator[Case]:
    """Norm channels: usual, far off 0, small beside eps, equal ones, one far, rising ones."""
    for rows, cols in (*SIDES, (129, 2), (3, 129), (4, 300), (7, 65)):
        n = rows * cols
        x = whole(-99, 100, n, n).float().reshape(rows, cols)
        gamma, beta = (whole(-30, 31, rows, n + k).float() / 8 for k in (1, 2))
        c = torch.arange(cols)
        for label, y in (
            ("usual", x),
            ("far off 0", x / 16 + 1000),
            ("small", x / 4096),
            ("equal", x * 0 + 2003),
            ("one is large", torch.where(c == cols - 1, 900.0, 1.0) + x * 0),
            ("rising", x * 0 + c),
        ):
            for eps in (1e-5, 0.5):
                z = y.double()
                mean, var = z.mean(1, keepdim=True), z.var(1, keepdim=True, unbiased=False)
                root = (var + eps).sqrt()
                normed = (z - mean) / root
                factor = gamma.double()[:, None]
                right = normed * factor + beta.double()[:, None] + 0.0
                off = 2.0**-20 * z.abs().amax(1, keepdim=True)
                slack = (off / root * (1 + normed.abs()) + 2.0**-18) * (2 + factor.abs())
                options = {"dtypes": (torch.float32,), "within": (slack,)}
                words = f"rows = {rows:,}, cols = {cols:,}, eps = {eps}, {label}"
                inputs = ((y + 0.0).contiguous(), gamma, beta)
                yield Case(words, inputs, (right,), {"eps": eps}, **options)


BASES = {
    "fiftynine_leap": Base(LEAP, {"cases": leaps}),
    "fiftynine_duck": Base(DUCK, {"cases": softer_sounds}),
    "fiftynine_unbyte": Base(UNBYTE, {"cases": widened_bytes}),
    "fiftynine_tosound": Base(TOSOUND, {"cases": samples}),
    "fiftynine_shrink": Base(SHRINK, {"cases": shrunk_numbers}),
    "fiftynine_snake": Base(SNAKE, {"cases": snakes}),
    "fiftynine_wmean": Base(WMEAN, {"cases": weighed_means}),
    "fiftynine_points": Base(POINTS, {"cases": quizzes}),
    "fiftynine_latest": Base(LATEST, {"cases": latest_places}),
    "fiftynine_quarter": Base(QUARTER, {"cases": quarter_turns}),
    "fiftynine_cprod": Base(CPROD, {"cases": complex_products}),
    "fiftynine_resid": Base(RESID, {"cases": residuals}),
    "fiftynine_ragged": Base(RAGGED, {"cases": ragged_rows}),
    "fiftynine_chan": Base(CHAN, {"cases": normed_channels}),
}

WRONG = (
    # ---- the next state of a string
    # The third input lies at multiples of 8 bytes.
    Wrong(
        "fiftynine_leap_bend_of_8_bytes",
        "fiftynine_leap",
        "alignment",
        (
            "const float* bend,    // [n] 16-byte aligned",
            "const float* bend,    // [n] 8-byte aligned",
        ),
    ),
    # Threads for whole packs alone.
    Wrong(
        "fiftynine_leap_whole_packs_alone",
        "fiftynine_leap",
        "tail / grid / unwritten / left out / refused",
        ("int threads = (n + 3) / 4;", "int threads = n / 4;"),
    ),
    # A copied line: the third number is bent as the second.
    Wrong(
        "fiftynine_leap_bend_of_neighbour",
        "fiftynine_leap",
        "other element / neighbour | function / numbers / nan / infinity / swapped",
        ("a.z = 2.0f * a.z - b.z + c * d.z;", "a.z = 2.0f * a.z - b.z + c * d.y;"),
    ),
    # The present state is kept where the one before was.
    Wrong(
        "fiftynine_leap_states_move_on",
        "fiftynine_leap",
        "input | numbers / state",
        (
            "    float4 d = *(const float4*)(bend + first);\n",
            "    float4 d = *(const float4*)(bend + first);\n"
            "    *(float4*)(before + first) = a;\n",
        ),
        (
            "leap(const float* now, const float* before, const",
            "leap(const float* now, float* before, const",
        ),
        ("stream>>>(now, before, bend,", "stream>>>(now, (float*)before, bend,"),
    ),
    # The stream is forgotten.
    Wrong(
        "fiftynine_leap_no_stream",
        "fiftynine_leap",
        "stream",
        ("<<<blocks, block_size, 0, stream>>>", "<<<blocks, block_size>>>"),
    ),
    # ---- sounds made softer
    # Where y lies is not looked at.
    Wrong(
        "fiftynine_duck_y_not_tested",
        "fiftynine_duck",
        "alignment",
        ("(uintptr_t)x % 4 == 0 && (uintptr_t)y % 4 == 0 &&", "(uintptr_t)x % 4 == 0 &&"),
    ),
    # Addresses are compared with each other, and none with a pair's.
    Wrong(
        "fiftynine_duck_lie_alike",
        "fiftynine_duck",
        "alignment",
        (
            "    bool round = (uintptr_t)x % 4 == 0 && (uintptr_t)y % 4 == 0 && "
            "(uintptr_t)out % 4 == 0;\n",
            "    uintptr_t at = (uintptr_t)out % 4;\n"
            "    bool round = (uintptr_t)x % 4 == at && (uintptr_t)y % 4 == at;\n",
        ),
    ),
    # What is not in pairs is computed in halves.
    Wrong(
        "fiftynine_duck_rest_in_halves",
        "fiftynine_duck",
        "precision / rounding | numbers / tail / function / infinity",
        (
            "__float2half(softer(__half2float(x[i]), __half2float(y[i]), k));",
            "__hmul(x[i], __hsub(__float2half(1.0f), __hmul(__float2half(k), y[i])));",
        ),
    ),
    # A test in the place of the loop over pairs.
    Wrong(
        "fiftynine_duck_no_loop",
        "fiftynine_duck",
        "grid / unwritten / left out | tail",
        (
            "    for (int p = t; p < pairs; p += step) {\n",
            "    int p = t;\n    if (p < pairs) {\n",
        ),
    ),
    # Who is made softer by whom is turned round.
    Wrong(
        "fiftynine_duck_x_and_y",
        "fiftynine_duck",
        "swapped / function | numbers / infinity / nan / other element",
        ("stream>>>(x, y, out, k, pairs, n);", "stream>>>(y, x, out, k, pairs, n);"),
    ),
    # ---- bytes about a zero point
    # Bytes are taken for numbers without a sign.
    Wrong(
        "fiftynine_unbyte_unsigned",
        "fiftynine_unbyte",
        "whole range / function | numbers",
        ("wide(signed char q, int zero", "wide(unsigned char q, int zero"),
    ),
    # The difference to the zero point is kept in a byte.
    Wrong(
        "fiftynine_unbyte_difference_of_8_bits",
        "fiftynine_unbyte",
        "whole range / narrow | numbers",
        ("  int off = q - zero;\n", "  signed char off = q - zero;\n"),
    ),
    # The rest is taken for a whole pack.
    Wrong(
        "fiftynine_unbyte_rest_of_four",
        "fiftynine_unbyte",
        "bounds / tail",
        (
            "for (int j = 4 * packs; j < n; j++)",
            "for (int j = 4 * packs; j < 4 * packs + 4; j++)",
        ),
    ),
    # A thread's pairs begin behind those of one pair a thread.
    Wrong(
        "fiftynine_unbyte_one_pair_on",
        "fiftynine_unbyte",
        "other element / race / unwritten | numbers / left out / tail / neighbour",
        ("(__nv_bfloat162*)y + 2 * i;", "(__nv_bfloat162*)y + i;"),
    ),
    # The upper 16 bits of the float, without rounding.
    Wrong(
        "fiftynine_unbyte_upper_half",
        "fiftynine_unbyte",
        "rounding | precision / numbers",
        (
            "__float2bfloat16(off * scale)",
            "__ushort_as_bfloat16(__float_as_uint(off * scale) >> 16)",
        ),
    ),
    # ---- samples of sound
    # Too loud numbers are not limited, and lose their upper bits.
    Wrong(
        "fiftynine_tosound_wraps",
        "fiftynine_tosound",
        "whole range / infinity | numbers / function",
        (
            "    v = fminf(fmaxf(v * 32767.0f, -32768.0f), 32767.0f);\n"
            "    return (short)rintf(v);\n",
            "    return (short)__float2int_rn(v * 32767.0f);\n",
        ),
    ),
    # What is behind the point is cut off.
    Wrong(
        "fiftynine_tosound_cut_off",
        "fiftynine_tosound",
        "rounding | precision / numbers",
        ("return (short)rintf(v);", "return (short)v;"),
    ),
    # Nobody looks for a NaN, which the limits turn into the least sample.
    Wrong(
        "fiftynine_tosound_nan_is_least",
        "fiftynine_tosound",
        "nan | numbers / whole range",
        (
            "    if (isnan(v))\n        return 0;\n",
            "",
        ),
    ),
    # Halves are rounded away from 0.
    Wrong(
        "fiftynine_tosound_halves_away",
        "fiftynine_tosound",
        "rounding | numbers / precision",
        ("return (short)rintf(v);", "return (short)roundf(v);"),
    ),
    # Samples lie at multiples of 4 bytes, and 8 are stored.
    Wrong(
        "fiftynine_tosound_y_of_4_bytes",
        "fiftynine_tosound",
        "alignment",
        ("int16_t *y,      // [n] 8-byte aligned", "int16_t *y,      // [n] 4-byte aligned"),
    ),
    # ---- soft shrinkage
    # The limit is taken off numbers below 0, too.
    Wrong(
        "fiftynine_shrink_down_alone",
        "fiftynine_shrink",
        "function / numbers | other element / whole range / infinity / left out / swapped",
        ("if (v < -limit) return v + limit;", "if (v < -limit) return v - limit;"),
    ),
    # A NaN is none of the two, and becomes 0.
    Wrong(
        "fiftynine_shrink_nan_is_zero",
        "fiftynine_shrink",
        "nan | numbers",
        ("return isnan(v) ? v : 0.0f;", "return 0.0f;"),
    ),
    # No more than 64 blocks, and no loop.
    Wrong(
        "fiftynine_shrink_64_blocks",
        "fiftynine_shrink",
        "grid / unwritten / left out | tail",
        (
            "  shrink<<<blocks, block_size",
            "  if (blocks > 64) blocks = 64;\n  shrink<<<blocks, block_size",
        ),
    ),
    # The limit is rounded to a half.
    Wrong(
        "fiftynine_shrink_half_limit",
        "fiftynine_shrink",
        "precision / rounding | numbers / function",
        (
            "shrunk(__half2float(x[i]), limit));",
            "shrunk(__half2float(x[i]), __half2float(__float2half(limit))));",
        ),
    ),
    # Blocks are taken to have 256 threads.
    Wrong(
        "fiftynine_shrink_256_threads",
        "fiftynine_shrink",
        "block size / unwritten / grid / left out",
        (
            "(int64_t)blockIdx.x * blockDim.x + threadIdx.x",
            "(int64_t)blockIdx.x * 256 + threadIdx.x",
        ),
    ),
    # ---- x + sin(a * x)^2 / a
    # The sine has no second factor.
    Wrong(
        "fiftynine_snake_no_square",
        "fiftynine_snake",
        "function | numbers / other element",
        ("return v + s * s / a;", "return v + s / a;"),
    ),
    # The sine of x alone.
    Wrong(
        "fiftynine_snake_frequency_left_out",
        "fiftynine_snake",
        "function / left out | numbers / precision",
        ("float s = sinf(a * v);", "float s = sinf(v);"),
    ),
    # What is no pair is taken for the last number.
    Wrong(
        "fiftynine_snake_rest_untested",
        "fiftynine_snake",
        "bounds / tail",
        ("    } else if (i < n) {\n", "    } else {\n"),
    ),
    # Numbers may lie anywhere, and are read in pairs.
    Wrong(
        "fiftynine_snake_x_anywhere",
        "fiftynine_snake",
        "alignment",
        ("const float *x,  // [n] 8-byte aligned", "const float *x,  // [n]"),
    ),
    # A thread's pair begins at its own number, in half as many blocks.
    Wrong(
        "fiftynine_snake_threads_of_one",
        "fiftynine_snake",
        "tail / unwritten / left out / grid | neighbour / other element / race",
        (
            "    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);\n",
            "    int i = blockIdx.x * blockDim.x + 2 * threadIdx.x;\n",
        ),
    ),
    # ---- means by weights
    # Steps of the tree do not wait for each other.
    Wrong(
        "fiftynine_wmean_no_barrier",
        "fiftynine_wmean",
        "race | numbers / left out / other element",
        (
            "  for (int h = T / 2; h > 0; h >>= 1) {\n    __syncthreads();\n",
            "  __syncthreads();\n  for (int h = T / 2; h > 0; h >>= 1) {\n",
        ),
    ),
    # Parts are added to those of the call before, and none is set to 0.
    Wrong(
        "fiftynine_wmean_parts_grow",
        "fiftynine_wmean",
        "state / zero before | numbers / twice",
        (
            "parts[blockIdx.x] = make_double2(top[0], bottom[0]);",
            "{\n    parts[blockIdx.x].x += top[0];\n    parts[blockIdx.x].y += bottom[0];\n  }",
        ),
    ),
    # The second kernel is launched on the default stream.
    Wrong(
        "fiftynine_wmean_second_on_default",
        "fiftynine_wmean",
        "stream",
        ("divide<<<1, 1, 0, stream>>>", "divide<<<1, 1>>>"),
    ),
    # The sum of the products is divided by how many there are.
    Wrong(
        "fiftynine_wmean_by_count",
        "fiftynine_wmean",
        "function | numbers / left out / infinity / nan",
        ("    b += w[i];\n", "    b += 1;\n"),
    ),
    # Sums of a thread are floats.
    Wrong(
        "fiftynine_wmean_float_sums",
        "fiftynine_wmean",
        "precision / narrow | numbers / rounding",
        (
            "  double a = 0, b = 0;\n  for (int i",
            "  float a = 0, b = 0;\n  for (int i",
        ),
        ("a += (double)w[i] * x[i];", "a += w[i] * x[i];"),
    ),
    # All parts are added, also those that only an earlier call has written.
    Wrong(
        "fiftynine_wmean_always_24",
        "fiftynine_wmean",
        "state / numbers | zero before / grid / left out / other element",
        (
            "divide<<<1, 1, 0, stream>>>(out, blocks);",
            "divide<<<1, 1, 0, stream>>>(out, MOST);",
        ),
    ),
    # ---- points of right answers
    # Nobody sets the sum to 0.
    Wrong(
        "fiftynine_points_no_memset",
        "fiftynine_points",
        "zero before / state / start | numbers / nan",
        ("    cudaMemsetAsync(out, 0, sizeof(int64_t), stream);\n", ""),
    ),
    # The sum is set to 0 on the default stream.
    Wrong(
        "fiftynine_points_memset_on_default",
        "fiftynine_points",
        "stream",
        (
            "cudaMemsetAsync(out, 0, sizeof(int64_t), stream);",
            "cudaMemset(out, 0, sizeof(int64_t));",
        ),
    ),
    # The sum of a warp has 32 bits.
    Wrong(
        "fiftynine_points_sums_of_32_bits",
        "fiftynine_points",
        "narrow / whole range | numbers / precision",
        ("    long long v = 0;\n", "    int v = 0;\n"),
    ),
    # Warps add without an atomic operation.
    Wrong(
        "fiftynine_points_no_atomic",
        "fiftynine_points",
        "race | numbers / left out / other element",
        (
            "        atomicAdd((unsigned long long *)out, (unsigned long long)v);",
            "        *out += v;",
        ),
    ),
    # Threads without an answer leave before the shuffles.
    Wrong(
        "fiftynine_points_threads_return",
        "fiftynine_points",
        "race / left out / bounds | tail / numbers",
        (
            "    long long v = 0;\n    if (i < n && said",
            "    long long v = 0;\n    if (i >= n)\n        return;\n    if (said",
        ),
    ),
    # ---- the last largest
    # A thread keeps the first of its equal numbers.
    Wrong(
        "fiftynine_latest_first_of_thread",
        "fiftynine_latest",
        "other element | numbers / function / start",
        ("if (row[c] >= best) {", "if (row[c] > best) {"),
    ),
    # The largest starts with 0.
    Wrong(
        "fiftynine_latest_from_zero",
        "fiftynine_latest",
        "start | numbers / whole range / function",
        ("int best = INT_MIN, at = -1;", "int best = 0, at = -1;"),
    ),
    # Steps of the tree do not wait for each other.
    Wrong(
        "fiftynine_latest_no_barrier",
        "fiftynine_latest",
        "race | numbers / left out / other element",
        (
            "      }\n    }\n    __syncthreads();\n",
            "      }\n    }\n",
        ),
    ),
    # One thread more than half of them compares.
    Wrong(
        "fiftynine_latest_one_thread_more",
        "fiftynine_latest",
        "bounds / race | numbers / other element",
        ("    if (t < h) {\n", "    if (t <= h) {\n"),
    ),
    # The place does not go with the value.
    Wrong(
        "fiftynine_latest_place_not_moved",
        "fiftynine_latest",
        "other element | numbers / left out",
        ("        where[t] = w;\n", ""),
    ),
    # ---- a quarter turn
    # Nobody waits for the tile.
    Wrong(
        "fiftynine_quarter_no_barrier",
        "fiftynine_quarter",
        "race | numbers / left out / other element / nan",
        ("    __syncthreads();\n", ""),
    ),
    # The turn goes to the left.
    Wrong(
        "fiftynine_quarter_turned_left",
        "fiftynine_quarter",
        "other element / function | numbers / sides / swapped / nan",
        (
            "out[(size_t)(c + j) * rows + rows - 1 - r]",
            "out[(size_t)(cols - 1 - c - j) * rows + r]",
        ),
    ),
    # Columns are counted back from one behind the last.
    Wrong(
        "fiftynine_quarter_from_rows",
        "fiftynine_quarter",
        "bounds / neighbour / other element / unwritten | sides / race",
        ("* rows + rows - 1 - r]", "* rows + rows - r]"),
    ),
    # Only whole tiles of columns have blocks.
    Wrong(
        "fiftynine_quarter_rounded_down",
        "fiftynine_quarter",
        "tail / grid / unwritten / left out / refused | sides",
        ("grid((cols + S - 1) / S, (", "grid(cols / S, ("),
    ),
    # Blocks have 4 rows of threads, and the kernel counts on 8.
    Wrong(
        "fiftynine_quarter_four_rows",
        "fiftynine_quarter",
        "unwritten / left out / block size | numbers / sides / tail",
        ("dim3(S, Y), 0, stream", "dim3(S, 4), 0, stream"),
    ),
    # ---- complex products
    # The sign of the product of both imaginary parts.
    Wrong(
        "fiftynine_cprod_conjugate",
        "fiftynine_cprod",
        "function | numbers / swapped",
        ("re += u.x * v.x - u.y * v.y;", "re += u.x * v.x + u.y * v.y;"),
    ),
    # Nobody waits before the tiles are filled again.
    Wrong(
        "fiftynine_cprod_one_barrier",
        "fiftynine_cprod",
        "race | numbers / left out / other element",
        (
            "      im += u.x * v.y + u.y * v.x;\n    }\n    __syncthreads();\n",
            "      im += u.x * v.y + u.y * v.x;\n    }\n",
        ),
    ),
    # Rows of a are read beyond their end.
    Wrong(
        "fiftynine_cprod_terms_untested",
        "fiftynine_cprod",
        "bounds / tail | sides / other element / numbers",
        ("if (row < m && p + tx < k) {", "if (row < m) {"),
    ),
    # Rows of b are taken to be as long as those of a.
    Wrong(
        "fiftynine_cprod_pitch_of_b",
        "fiftynine_cprod",
        "sides / bounds / other element | numbers",
        ("(size_t)(p + ty) * n + col;", "(size_t)(p + ty) * k + col;"),
    ),
    # One of the products of which an imaginary part is made.
    Wrong(
        "fiftynine_cprod_half_imaginary",
        "fiftynine_cprod",
        "function / left out | numbers",
        ("im += u.x * v.y + u.y * v.x;", "im += u.x * v.y;"),
    ),
    # ---- residuals
    # What is taken off what.
    Wrong(
        "fiftynine_resid_other_sign",
        "fiftynine_resid",
        "function / swapped | numbers",
        ("r[row] = b[row] - dot;", "r[row] = dot - b[row];"),
    ),
    # Rows are rounded down to whole blocks.
    Wrong(
        "fiftynine_resid_whole_fours",
        "fiftynine_resid",
        "tail / grid / unwritten / left out / refused",
        ("<<<(rows + 3) / 4,", "<<<rows / 4,"),
    ),
    # Half of the lanes do not reach the first.
    Wrong(
        "fiftynine_resid_from_8",
        "fiftynine_resid",
        "left out | numbers / tail / other element / twice",
        ("for (int d = 16; d > 0; d >>= 1)", "for (int d = 8; d > 0; d >>= 1)"),
    ),
    # The number of a row has 16 bits.
    Wrong(
        "fiftynine_resid_short_row",
        "fiftynine_resid",
        "narrow / bounds / whole range | unwritten / left out / other element / grid",
        ("    int row = blockIdx.x", "    short row = blockIdx.x"),
    ),
    # The difference is made in b.
    Wrong(
        "fiftynine_resid_in_b",
        "fiftynine_resid",
        "input | numbers / state",
        ("        r[row] = b[row] - dot;\n", "        r[row] = ((float *)b)[row] -= dot;\n"),
    ),
    # ---- softmax of the first columns
    # The largest starts with 0.
    Wrong(
        "fiftynine_ragged_from_zero",
        "fiftynine_ragged",
        "start / nan | numbers / infinity / precision / whole range / subnormal / function",
        ("float m = -FLT_MAX, s = 0.0f;", "float m = 0.0f, s = 0.0f;"),
    ),
    # The largest starts with -infinity, and two threads without columns make NaN.
    Wrong(
        "fiftynine_ragged_from_infinity",
        "fiftynine_ragged",
        "start / nan / infinity | numbers / sides / tail",
        ("float m = -FLT_MAX, s = 0.0f;", "float m = -INFINITY, s = 0.0f;"),
    ),
    # Nobody waits for the other warps' results.
    Wrong(
        "fiftynine_ragged_no_barrier",
        "fiftynine_ragged",
        "race | numbers / left out / other element / nan / unwritten",
        ("  __syncthreads();\n", ""),
    ),
    # Columns that do not count keep what was there.
    Wrong(
        "fiftynine_ragged_rest_not_written",
        "fiftynine_ragged",
        "unwritten | left out / tail / numbers / zero before / sides",
        (
            "  for (int c = threadIdx.x; c < cols; c += T)\n"
            "    y[start + c] = c < used ? expf(x[start + c] - m) / s : 0.0f;\n",
            "  for (int c = threadIdx.x; c < used; c += T) y[start + c] = "
            "expf(x[start + c] - m) / s;\n",
        ),
    ),
    # The sum so far is not scaled when a larger number comes.
    Wrong(
        "fiftynine_ragged_sum_not_scaled",
        "fiftynine_ragged",
        "function | numbers / left out / precision / race / other element",
        ("  s = s * expf(m - most) + sum", "  s = s + sum"),
    ),
    # The column behind the last one counts, too.
    Wrong(
        "fiftynine_ragged_one_column_more",
        "fiftynine_ragged",
        "bounds / other element / function | numbers / neighbour / tail / nan / sides",
        ("c < used; c += T) merge", "c <= used; c += T) merge"),
    ),
    # ---- normed channels
    # The variance of a sample.
    Wrong(
        "fiftynine_chan_less_one",
        "fiftynine_chan",
        "function | numbers / nan / precision / infinity",
        ("m2, 0) / cols + eps", "m2, 0) / (cols - 1) + eps"),
    ),
    # The small number is added to the root.
    Wrong(
        "fiftynine_chan_eps_outside",
        "fiftynine_chan",
        "function / precision | numbers / infinity / nan",
        (
            "gamma[row] * rsqrtf(__shfl_sync(0xffffffff, m2, 0) / cols + eps);",
            "gamma[row] / (sqrtf(__shfl_sync(0xffffffff, m2, 0) / cols) + eps);",
        ),
    ),
    # Factors are taken to be those of columns.
    Wrong(
        "fiftynine_chan_gamma_of_column",
        "fiftynine_chan",
        "other element / sides / bounds | numbers / function",
        ("float scale = gamma[row] * rsqrtf(", "float scale = rsqrtf("),
        ("* scale + beta[row];", "* scale * gamma[c] + beta[row];"),
    ),
    # Two means are merged without their counts.
    Wrong(
        "fiftynine_chan_middle_of_means",
        "fiftynine_chan",
        "function | numbers / precision / left out / other element",
        ("mean += d * n / all;", "mean += d / 2;"),
    ),
    # Two lanes without numbers divide 0 by 0.
    Wrong(
        "fiftynine_chan_zero_counts",
        "fiftynine_chan",
        "nan | numbers / sides / tail / infinity",
        (
            "        if (all > 0.0f) {\n"
            "            mean += d * n / all;\n"
            "            m2 += d * d * count * n / all;\n"
            "        }\n",
            "        mean += d * n / all;\n        m2 += d * d * count * n / all;\n",
        ),
    ),
)

RIGHT = (
    # The first threads do the rest, fused, and there are blocks more than needed.
    Right(
        "fiftynine_leap_rest_first",
        "fiftynine_leap",
        (
            "  } else {\n"
            "    for (int i = first; i < n; i++) next[i] = 2.0f * now[i] - before[i] "
            "+ c * bend[i];\n"
            "  }\n",
            "  }\n"
            "  int i = n / 4 * 4 + first / 4;\n"
            "  if (i < n) {\n"
            "    float two = 2.0f * __ldg(now + i) - __ldg(before + i);\n"
            "    next[i] = fmaf(c, __ldg(bend + i), two);\n"
            "  }\n",
        ),
        (
            "int blocks = (threads + block_size - 1) / block_size;",
            "int blocks = threads / block_size + 3;",
        ),
    ),
    # Addresses are joined, and pairs are words whose halves are taken apart by shifts.
    Right(
        "fiftynine_duck_words",
        "fiftynine_duck",
        (
            "    bool round = (uintptr_t)x % 4 == 0 && (uintptr_t)y % 4 == 0 && "
            "(uintptr_t)out % 4 == 0;\n"
            "    int pairs = round ? n / 2 : 0;\n",
            "    uintptr_t all = (uintptr_t)x | (uintptr_t)y | (uintptr_t)out;\n"
            "    int pairs = all & 2 ? 0 : n >> 1;\n",
        ),
        (
            "        float2 a = __half22float2(((const half2 *)x)[p]);\n",
            "        unsigned int w = ((const unsigned int *)x)[p];\n"
            "        float2 a = make_float2(__half2float(__ushort_as_half(w & 0xffff)),\n"
            "                               __half2float(__ushort_as_half(w >> 16)));\n",
        ),
    ),
    # All 256 results are made first, by each block for itself.
    Right(
        "fiftynine_unbyte_table",
        "fiftynine_unbyte",
        (
            "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n",
            "  __shared__ __nv_bfloat16 table[256];\n"
            "  for (int q = threadIdx.x; q < 256; q += blockDim.x) table[q] = wide(q "
            "- 128, zero, scale);\n"
            "  __syncthreads();\n"
            "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n",
        ),
        (
            "__halves2bfloat162(wide(q.x, zero, scale), wide(q.y, zero, scale));",
            "__halves2bfloat162(table[q.x + 128], table[q.y + 128]);",
        ),
        (
            "__halves2bfloat162(wide(q.z, zero, scale), wide(q.w, zero, scale));",
            "__halves2bfloat162(table[q.z + 128], table[q.w + 128]);",
        ),
        ("y[j] = wide(x[j], zero, scale);", "y[j] = table[x[j] + 128];"),
    ),
    # The conversion to an integer makes 0 of a NaN and limits the rest.
    Right(
        "fiftynine_tosound_saturates",
        "fiftynine_tosound",
        (
            "    if (isnan(v))\n"
            "        return 0;\n"
            "    v = fminf(fmaxf(v * 32767.0f, -32768.0f), 32767.0f);\n"
            "    return (short)rintf(v);\n",
            "    int q = __float2int_rn(v * 32767.0f);\n"
            "    return (short)max(-32768, min(q, 32767));\n",
        ),
    ),
    # A number less what the limits leave of it; NaN goes its way.
    Right(
        "fiftynine_shrink_less_clamped",
        "fiftynine_shrink",
        (
            "  if (v > limit) return v - limit;\n"
            "  if (v < -limit) return v + limit;\n"
            "  return isnan(v) ? v : 0.0f;\n",
            "  return v - fminf(fmaxf(v, -limit), limit);\n",
        ),
    ),
    # Threads begin at the end, and the quotient is a product.
    Right(
        "fiftynine_snake_backwards",
        "fiftynine_snake",
        (
            "int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);",
            "int i = 2 * ((gridDim.x - blockIdx.x) * blockDim.x - 1 - threadIdx.x);",
        ),
        ("return v + s * s / a;", "return fmaf(s * s, __frcp_rn(a), v);"),
    ),
    # A warp adds the parts, of which those that nobody has written are left out.
    Right(
        "fiftynine_wmean_warp_of_parts",
        "fiftynine_wmean",
        (
            "  for (int k = 0; k < count; k++) {\n"
            "    a += parts[k].x;\n"
            "    b += parts[k].y;\n"
            "  }\n"
            "  *out = a / b;\n",
            "  if (threadIdx.x < count) {\n"
            "    a = parts[threadIdx.x].x;\n"
            "    b = parts[threadIdx.x].y;\n"
            "  }\n"
            "  for (int d = 16; d > 0; d /= 2) {\n"
            "    a += __shfl_xor_sync(0xffffffff, a, d);\n"
            "    b += __shfl_xor_sync(0xffffffff, b, d);\n"
            "  }\n"
            "  *out = a / b;\n",
        ),
        ("divide<<<1, 1, 0, stream>>>", "divide<<<1, 32, 0, stream>>>"),
    ),
    # A block's sum is one shared number, which is added to the result once.
    Right(
        "fiftynine_points_shared_sum",
        "fiftynine_points",
        (
            "    long long v = 0;\n",
            "    __shared__ unsigned long long sum;\n"
            "    if (threadIdx.x == 0)\n"
            "        sum = 0;\n"
            "    __syncthreads();\n"
            "    long long v = 0;\n",
        ),
        (
            "    for (int d = 16; d > 0; d /= 2)\n"
            "        v += __shfl_down_sync(0xffffffff, v, d);\n"
            "    if (threadIdx.x % 32 == 0)\n"
            "        atomicAdd((unsigned long long *)out, (unsigned long long)v);\n",
            "    if (v != 0)\n"
            "        atomicAdd(&sum, (unsigned long long)v);\n"
            "    __syncthreads();\n"
            "    if (threadIdx.x == T - 1 && sum != 0)\n"
            "        atomicAdd((unsigned long long *)out, sum);\n",
        ),
    ),
    # Value and place are one key of 64 bits, of which a shared atomic keeps the largest.
    Right(
        "fiftynine_latest_keys",
        "fiftynine_latest",
        ("  __shared__ int value[T], where[T];\n", "  __shared__ unsigned long long key;\n"),
        (
            "  int best = INT_MIN, at = -1;\n",
            "  unsigned long long best = 0;\n  if (t == 0) key = 0;\n  __syncthreads();\n",
        ),
        (
            "    if (row[c] >= best) {\n      best = row[c];\n      at = c;\n    }\n",
            "    unsigned long long v = (unsigned int)row[c] ^ 0x80000000u;\n"
            "    best = max(best, v << 32 | (unsigned int)c);\n",
        ),
        (
            "  value[t] = best;\n  where[t] = at;\n",
            "  atomicMax(&key, best);\n",
        ),
        (
            "  for (int h = T / 2; h > 0; h /= 2) {\n"
            "    if (t < h) {\n"
            "      int v = value[t + h], w = where[t + h];\n"
            "      if (v > value[t] || (v == value[t] && w > where[t])) {\n"
            "        value[t] = v;\n"
            "        where[t] = w;\n"
            "      }\n"
            "    }\n"
            "    __syncthreads();\n"
            "  }\n",
            "",
        ),
        (
            "    top[blockIdx.x] = value[0];\n    place[blockIdx.x] = where[0];\n",
            "    top[blockIdx.x] = (int)((unsigned int)(key >> 32) ^ 0x80000000u);\n"
            "    place[blockIdx.x] = (int)(unsigned int)key;\n",
        ),
    ),
    # Without shared memory: each number goes where it belongs.
    Right(
        "fiftynine_quarter_no_tile",
        "fiftynine_quarter",
        ("    __shared__ float tile[S][S + 1];\n", ""),
        (
            "            tile[threadIdx.y + j][threadIdx.x] = in[(size_t)(r + j) * "
            "cols + c];\n"
            "    __syncthreads();\n"
            "    r = blockIdx.y * S + threadIdx.x;\n"
            "    c = blockIdx.x * S + threadIdx.y;\n"
            "    for (int j = 0; j < S; j += Y)\n"
            "        if (r < rows && c + j < cols)\n"
            "            out[(size_t)(c + j) * rows + rows - 1 - r] = "
            "tile[threadIdx.x][threadIdx.y + j];\n",
            "            out[(size_t)(c + 1) * rows - 1 - r - j] = in[(size_t)(r + "
            "j) * cols + c];\n",
        ),
    ),
    # Three products for four, after Gauss.
    Right(
        "fiftynine_cprod_three_products",
        "fiftynine_cprod",
        (
            "      re += u.x * v.x - u.y * v.y;\n      im += u.x * v.y + u.y * v.x;\n",
            "      float first = v.x * (u.x + u.y);\n"
            "      re += first - u.y * (v.x + v.y);\n"
            "      im += first + u.x * (v.y - v.x);\n",
        ),
    ),
    # Columns are walked from the last one, and the last lane writes.
    Right(
        "fiftynine_resid_last_lane",
        "fiftynine_resid",
        (
            "    float dot = 0.0f;\n"
            "    for (int c = threadIdx.x; c < cols; c += 32)\n"
            "        dot += line[c] * x[c];\n",
            "    float dot = 0.0f;\n"
            "    for (int c = cols - 1 - threadIdx.x; c >= 0; c -= 32)\n"
            "        dot = fmaf(-line[c], x[c], dot);\n",
        ),
        (
            "__shfl_xor_sync(0xffffffff, dot, d);",
            "__shfl_up_sync(0xffffffff, dot, d) * (threadIdx.x >= d);",
        ),
        (
            "    if (threadIdx.x == 0)\n        r[row] = b[row] - dot;\n",
            "    if (threadIdx.x == 31)\n        r[row] = b[row] + dot;\n",
        ),
    ),
    # All is set to 0 first, and the loop ends where the row does.
    Right(
        "fiftynine_ragged_zeros_first",
        "fiftynine_ragged",
        (
            "  for (int c = threadIdx.x; c < cols; c += T)\n"
            "    y[start + c] = c < used ? expf(x[start + c] - m) / s : 0.0f;\n",
            "  for (int c = used - 1 - (int)threadIdx.x; c >= 0; c -= T)\n"
            "    y[start + c] = exp2f((x[start + c] - m) * 1.44269504f) / s;\n",
        ),
        (
            "  ragged<<<rows",
            "  cudaMemsetAsync(y, 0, (size_t)rows * cols * sizeof(float), stream);\n"
            "  ragged<<<rows",
        ),
    ),
    # Lanes merge downward, and the first one's numbers go to all.
    Right(
        "fiftynine_chan_down_and_back",
        "fiftynine_chan",
        ("float n = __shfl_xor_sync(", "float n = __shfl_down_sync("),
        ("float d = __shfl_xor_sync(", "float d = __shfl_down_sync("),
        ("m2 += __shfl_xor_sync(", "m2 += __shfl_down_sync("),
        (
            "    float scale = gamma[row] * rsqrtf(__shfl_sync(0xffffffff, m2, 0) / "
            "cols + eps);\n",
            "    float var = __shfl_sync(0xffffffff, m2, 0) / cols;\n"
            "    float scale = gamma[row] / sqrtf(var + eps);\n",
        ),
    ),
)
