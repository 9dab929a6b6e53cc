"""Hold a sixty-seventh family: kernels of half a year's practice, and their plainest mistakes.

Its bases are what is owed after a month, raw frames less dark ones, degrees to signed bytes,
integers of 16 bits to halves, a number times its cosine, a half times its part of half a turn,
the rain of a year and its wet days, sums of rows whose signs alternate, the steepest rise of a
row and where it begins, a transpose of bfloat16 to floats with a scale a row, how many codes of
two rows agree, a matrix less its transpose times a vector, softmax with the largest share of
each row, and layer norm by Welford's means to halves. They have 12 to 50 lines, and are of
people with half a year of CUDA: one who lends, one who looks at stars, one who watches ovens,
one who balances robots, a reader of papers, one who likes angles, one who measures rain, one
who builds crystals, one who rides a bicycle, one who weaves, one who compares genes, one who
studies spinning tops, one who trusts a network or not and one who tunes pianos. They use float4
in a loop over the grid where the launcher finds all addresses round, half2 a thread with a
thread for the last number, a char4 with one thread for the rest, pairs in a loop over the grid,
a number a thread, four numbers in turn a thread, two kernels with parts between them, a warp a
row with eight rows a block, a tree of values and places in 64 bits, a tile of 32 with 8 rows of
threads, tiles of 16 with fillers that never agree, a thread a row with the vector in pieces, a
maximum and a sum in one pass that a tree joins, and means and squares that shuffles join. Their
mistakes are spread over alignment, sizes, grids and integers of 8, 16 and 32 bits, values,
rounding, NaN, infinity and -0.0, inputs that are written, sums, transposes, products, order,
streams and what is left of an earlier call. The causes were written before a member was judged.
On the emulator each ran beside PyTorch, compared as a case does, called twice on the same
tensors, with NaN and with 1e3 in floating outputs (-1 and 77 in others), with tensors at either
end of their pages, the bytes behind them and their inputs looked at afterwards, on a stream
that is not the default one, with threads in order, from the last to the first and in a random
order, and in the slices that the cases name. Bases and right ones ran all cases; wrong ones
until they were wrong often enough. Of those that lack a barrier not each is wrong in every
order of threads. nvcc 13.0 compiles each for 8.0, all members of a base in one file; none was
run on a GPU. Bases and right ones are right, and all others wrong or refused by a fault:

    sixtyseven_loan_and_of_addresses        from 4 numbers on, by the addresses
    sixtyseven_loan_eight_bytes             from 4 numbers on, by the addresses
    sixtyseven_loan_payment_before          from 4 numbers on, where packs are taken
    sixtyseven_loan_rest_too_short          where there is a rest
    sixtyseven_loan_in_place                where packs are taken: b is overwritten
    sixtyseven_photon_difference_of_halves  of differences that are not halves
    sixtyseven_photon_nan_is_dark           of NaN
    sixtyseven_photon_odd_without_thread    of odd counts, if the block size divides the pairs
    sixtyseven_photon_dark_anywhere         from 2 numbers on, by the address of dark
    sixtyseven_photon_first_gain            if an earlier call had another gain
    sixtyseven_oven_away_from_zero          of every other tie
    sixtyseven_oven_wraps                   beyond 8 bits
    sixtyseven_oven_nan_coldest             of NaN
    sixtyseven_oven_two_of_three            if 3 numbers are left
    sixtyseven_oven_rest_from_packs         from 5 numbers on, unless 4 divides n
    sixtyseven_gyro_short_difference        of differences beyond 16 bits
    sixtyseven_gyro_scaled_half             of differences that are not halves
    sixtyseven_gyro_one_pair                from 2,050 numbers on
    sixtyseven_gyro_last_too_far            of odd counts
    sixtyseven_gyro_saturates               of what is beyond the halves
    sixtyseven_wavy_short_block             from 65,537 blocks on: 2,097,153 numbers at 32
    sixtyseven_wavy_sine                    of all but zeros
    sixtyseven_wavy_magnitude               below 0, and of -0.0
    sixtyseven_wavy_finite_only             of NaN and infinities
    sixtyseven_wavy_blocks_rounded_down     unless the block size divides n
    sixtyseven_turned_cancels               far below 0
    sixtyseven_turned_rough_pi              of nearly all
    sixtyseven_turned_other_way             of all but zeros
    sixtyseven_turned_first_tested          unless 4 divides n
    sixtyseven_turned_blocks_rounded_down   from 129 numbers on at 32, of most counts
    sixtyseven_rain_short_sum               of sums beyond 32 bits
    sixtyseven_rain_no_barrier_in_tree      where threads do not wait for another
    sixtyseven_rain_year_no_stream          on another stream than the default one
    sixtyseven_rain_old_parts               if an earlier call was longer
    sixtyseven_rain_at_the_limit            if a day is at the limit
    sixtyseven_charge_sign_of_matrix        from 2 rows on, if the columns are odd in number
    sixtyseven_charge_short_sum             of sums beyond 8 bits
    sixtyseven_charge_every_lane            of nearly all
    sixtyseven_charge_lanes_leave           below 32 columns
    sixtyseven_charge_turned_in_x           from 2 columns on: x is overwritten
    sixtyseven_climb_short_difference       of differences beyond 32 bits
    sixtyseven_climb_from_0                 of rows that only fall or have one number
    sixtyseven_climb_over_the_end           of the last row, and where the next one is higher
    sixtyseven_climb_any_of_equal           if two rises are equal
    sixtyseven_climb_no_barrier             where threads do not wait for another
    sixtyseven_weave_scale_of_column        unless all of the scales are alike
    sixtyseven_weave_two_steps              from 9 columns on
    sixtyseven_weave_other_pitch            unless there are as many rows as columns
    sixtyseven_weave_test_of_way_in         of most sides, unless 32 divides both
    sixtyseven_weave_leave_early            if a tile has more rows than columns
    sixtyseven_alike_same_filler            unless 16 divides k
    sixtyseven_alike_no_second_barrier      from k = 17 on, where threads do not wait
    sixtyseven_alike_whole_tiles            unless 16 divides k
    sixtyseven_alike_b_not_turned           of nearly all
    sixtyseven_alike_byte_count             from 256 equal codes on
    sixtyseven_skew_sum                     of nearly all
    sixtyseven_skew_leave_early             from 65 numbers on, unless 64 divides n
    sixtyseven_skew_no_first_barrier        where threads do not wait for another
    sixtyseven_skew_first_piece             from 65 numbers on
    sixtyseven_skew_adds                    unless y was 0 before
    sixtyseven_sure_from_0                  of rows that are below 0
    sixtyseven_sure_not_scaled              from 65 columns on, if they rise somewhere
    sixtyseven_sure_rows_in_y               from 65,536 rows on: refused
    sixtyseven_sure_own_largest             from 2 columns on
    sixtyseven_sure_no_stream               on another stream than the default one
    sixtyseven_tune_no_difference           from 2 columns on
    sixtyseven_tune_one_less                of nearly all, most in short rows
    sixtyseven_tune_empty_joined            below 17 columns
    sixtyseven_tune_gain_of_lane            from 33 columns on
    sixtyseven_tune_rounded_twice           of normed numbers that are not halves
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import whole

# One who lends: what is owed after a month, float4 where all addresses are round.
LOAN = (
    HEADER
    + """\
__device__ float owed(float b, float p, float rate) { return fmaf(b, rate, b) - p; }

__global__ void loan(const float* b, const float* p, float* y, float rate, int packs, int n) {
  int first = blockIdx.x * blockDim.x + threadIdx.x;
  int step = gridDim.x * blockDim.x;
  for (int k = first; k < packs; k += step) {
    float4 u = ((const float4*)b)[k];
    float4 v = ((const float4*)p)[k];
    float4 w;
    w.x = owed(u.x, v.x, rate);
    w.y = owed(u.y, v.y, rate);
    w.z = owed(u.z, v.z, rate);
    w.w = owed(u.w, v.w, rate);
    ((float4*)y)[k] = w;
  }
  for (int i = 4 * packs + first; i < n; i += step) y[i] = owed(b[i], p[i], rate);
}

extern "C" void launch(const float* b,  // [n]
                       const float* p,  // [n]
                       float* y,        // [n]
                       float rate, int n, int block_size = 128, cudaStream_t stream = 0) {
  uintptr_t bits = (uintptr_t)b | (uintptr_t)p | (uintptr_t)y;
  int packs = bits % 16 == 0 ? n / 4 : 0;
  int blocks = n / (4 * block_size) + 1;
  if (blocks > 16) blocks = 16;
  loan<<<blocks, block_size, 0, stream>>>(b, p, y, rate, packs, n);
}
"""
)

# One who looks at stars: raw frames less dark ones, none below 0, times a gain, in pairs.
PHOTON = (
    HEADER
    + """\
__device__ float light(half raw, half dark, float gain)
{
    float d = __half2float(raw) - __half2float(dark);
    d = d < 0.0f ? 0.0f : d;
    return d * gain;
}

__global__ void photon(const half *raw, const half *dark, half *y, float gain, int n)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (2 * p + 1 < n) {
        half2 u = ((const half2 *)raw)[p];
        half2 v = ((const half2 *)dark)[p];
        ((half2 *)y)[p] = __floats2half2_rn(light(u.x, v.x, gain), light(u.y, v.y, gain));
    } else if (2 * p < n) {
        y[2 * p] = __float2half(light(raw[2 * p], dark[2 * p], gain));
    }
}

extern "C" void launch(const half *raw,   // [n] 4-byte aligned
                       const half *dark,  // [n] 4-byte aligned
                       half *y,           // [n] 4-byte aligned
                       float gain, int n, int block_size = 64, cudaStream_t stream = 0)
{
    int threads = (n + 1) / 2;
    photon<<<(threads + block_size - 1) / block_size, block_size, 0, stream>>>(raw, dark, y,
                                                                              gain, n);
}
"""
)

# One who watches ovens: degrees to signed bytes about a zero, four a thread.
OVEN = (
    HEADER
    + """\
__device__ int8_t level(float x, float zero, float steps) {
  float q = rintf((x - zero) * steps);
  if (isnan(q)) return 0;
  return (int8_t)fminf(fmaxf(q, -127.0f), 127.0f);
}

__global__ void oven(const float* x, int8_t* y, float zero, float steps, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  int packs = n / 4;
  if (t < packs) {
    float4 v = ((const float4*)x)[t];
    ((char4*)y)[t] = make_char4(level(v.x, zero, steps), level(v.y, zero, steps),
                                level(v.z, zero, steps), level(v.w, zero, steps));
  }
  if (t == packs)
    for (int i = 4 * packs; i < n; i++) y[i] = level(x[i], zero, steps);
}

extern "C" void launch(const float* x,  // [n] 16-byte aligned
                       int8_t* y,       // [n] 4-byte aligned
                       float zero, float steps, int n, cudaStream_t stream = 0) {
  int threads = n / 4 + 1;
  oven<<<(threads + 95) / 96, 96, 0, stream>>>(x, y, zero, steps, n);
}
"""
)

# One who balances robots: integers of 16 bits to halves, pairs in a loop over the grid.
GYRO = (
    HEADER
    + """\
__device__ float rate_of(int x, int zero, float step) { return (x - zero) * step; }

__global__ void gyro(const int16_t *x, half *y, int zero, float step, int n)
{
    int first = blockIdx.x * blockDim.x + threadIdx.x;
    for (int p = first; p < n / 2; p += gridDim.x * blockDim.x) {
        short2 v = ((const short2 *)x)[p];
        float lower = rate_of(v.x, zero, step);
        float upper = rate_of(v.y, zero, step);
        ((half2 *)y)[p] = __floats2half2_rn(lower, upper);
    }
    if (n % 2 == 1 && first == 0)
        y[n - 1] = __float2half(rate_of(x[n - 1], zero, step));
}

extern "C" void launch(const int16_t *x,  // [n] 4-byte aligned
                       half *y,           // [n] 4-byte aligned
                       int zero, float step, int n, cudaStream_t stream = 0)
{
    int blocks = (n + 255) / 256;
    if (blocks > 8)
        blocks = 8;
    gyro<<<blocks, 128, 0, stream>>>(x, y, zero, step, n);
}
"""
)

# A reader of papers: a number times its cosine, one a thread.
WAVY = (
    HEADER
    + """\
__global__ void wavy(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float v = x[i];
    y[i] = v * cosf(v);
  }
}

extern "C" void launch(const float* x,  // [n]
                       float* y,        // [n]
                       int n, int block_size = 256, cudaStream_t stream = 0) {
  int blocks = (n + block_size - 1) / block_size;
  wavy<<<blocks, block_size, 0, stream>>>(x, y, n);
}
"""
)

# One who likes angles: a half times its part of half a turn, four in turn a thread.
TURNED = (
    HEADER
    + """\
#define EACH 4

__device__ float part(float v)
{
    return atan2f(1.0f, -v) / 3.14159265f;
}

__global__ void turned(const half *x, half *y, int n)
{
    int start = EACH * (blockIdx.x * blockDim.x + threadIdx.x);
    for (int k = 0; k < EACH; k++) {
        int i = start + k;
        if (i < n) {
            float v = __half2float(x[i]);
            y[i] = __float2half(v * part(v));
        }
    }
}

extern "C" void launch(const half *x,  // [n]
                       half *y,        // [n]
                       int n, int block_size = 128, cudaStream_t stream = 0)
{
    int threads = (n + EACH - 1) / EACH;
    turned<<<(threads + block_size - 1) / block_size, block_size, 0, stream>>>(x, y, n);
}
"""
)

# One who measures rain: the total and the number of wet days, by two kernels.
RAIN = (
    HEADER
    + """\
#define T 128
#define MOST 32

__device__ long long sums[MOST];
__device__ int wets[MOST];

__global__ void days(const int* mm, int limit, int n) {
  __shared__ long long s[T];
  __shared__ int w[T];
  int t = threadIdx.x;
  s[t] = 0;
  w[t] = 0;
  for (int i = blockIdx.x * T + t; i < n; i += gridDim.x * T) {
    s[t] += mm[i];
    if (mm[i] > limit) w[t]++;
  }
  __syncthreads();
  for (int h = T / 2; h > 0; h /= 2) {
    if (t < h) {
      s[t] += s[t + h];
      w[t] += w[t + h];
    }
    __syncthreads();
  }
  if (t > 0) return;
  sums[blockIdx.x] = s[0];
  wets[blockIdx.x] = w[0];
}

__global__ void year(int64_t* total, int* wet, int blocks) {
  int t = threadIdx.x;
  long long s = t < blocks ? sums[t] : 0;
  int w = t < blocks ? wets[t] : 0;
  for (int d = 16; d > 0; d /= 2) {
    s += __shfl_down_sync(0xffffffff, s, d);
    w += __shfl_down_sync(0xffffffff, w, d);
  }
  if (t > 0) return;
  total[0] = s;
  wet[0] = w;
}

extern "C" void launch(const int* mm,   // [n]
                       int64_t* total,  // [1]
                       int* wet,        // [1]
                       int limit, int n, cudaStream_t stream = 0) {
  int blocks = n < MOST * T ? (n + T - 1) / T : MOST;
  days<<<blocks, T, 0, stream>>>(mm, limit, n);
  year<<<1, 32, 0, stream>>>(total, wet, blocks);
}
"""
)

# One who builds crystals: sums of rows whose signs alternate, a warp a row.
CHARGE = (
    HEADER
    + """\
#define ROWS 8

__global__ void charge(const __nv_bfloat16 *x, float *y, int rows, int cols)
{
    int r = blockIdx.x * ROWS + threadIdx.y;
    int lane = threadIdx.x;
    if (r >= rows)
        return;
    float sum = 0.0f;
    for (int c = lane; c < cols; c += 32) {
        float v = __bfloat162float(x[(size_t)r * cols + c]);
        sum += c % 2 == 0 ? v : -v;
    }
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, d);
    if (lane == 0)
        y[r] = sum;
}

extern "C" void launch(const __nv_bfloat16 *x,  // [rows, cols]
                       float *y,                // [rows]
                       int rows, int cols, cudaStream_t stream = 0)
{
    dim3 block(32, ROWS);
    charge<<<(rows + ROWS - 1) / ROWS, block, 0, stream>>>(x, y, rows, cols);
}
"""
)

# One who rides a bicycle: the steepest rise of each row and where it begins, a block a row.
CLIMB = (
    HEADER
    + """\
#define T 64
#define NONE (-(1ll << 40))

__global__ void climb(const int* x, int64_t* rise, int* place, int cols) {
  __shared__ long long best[T];
  __shared__ int where[T];
  int t = threadIdx.x;
  const int* row = x + (size_t)blockIdx.x * cols;
  best[t] = NONE;
  where[t] = -1;
  for (int c = t; c + 1 < cols; c += T) {
    long long v = (long long)row[c + 1] - row[c];
    if (v > best[t]) {
      best[t] = v;
      where[t] = c;
    }
  }
  __syncthreads();
  for (int h = T / 2; h > 0; h /= 2) {
    if (t < h) {
      bool equal = best[t + h] == best[t];
      if (best[t + h] > best[t] || (equal && where[t + h] < where[t])) {
        best[t] = best[t + h];
        where[t] = where[t + h];
      }
    }
    __syncthreads();
  }
  if (t == 0) {
    rise[blockIdx.x] = best[0];
    place[blockIdx.x] = where[0];
  }
}

extern "C" void launch(const int* x,   // [rows, cols]
                       int64_t* rise,  // [rows]
                       int* place,     // [rows]
                       int rows, int cols, cudaStream_t stream = 0) {
  climb<<<rows, T, 0, stream>>>(x, rise, place, cols);
}
"""
)

# One who weaves: bfloat16 to floats that are turned, with a scale a row.
WEAVE = (
    HEADER
    + """\
#define S 32
#define H 8

__global__ void weave(const __nv_bfloat16 *x, const float *s, float *y, int rows, int cols)
{
    __shared__ float tile[S][S + 1];
    int c = blockIdx.x * S + threadIdx.x;
    int r0 = blockIdx.y * S;
    for (int k = threadIdx.y; k < S; k += H)
        if (c < cols && r0 + k < rows)
            tile[k][threadIdx.x] = __bfloat162float(x[(size_t)(r0 + k) * cols + c]);
    __syncthreads();
    int r = r0 + threadIdx.x;
    int c0 = blockIdx.x * S;
    for (int k = threadIdx.y; k < S; k += H)
        if (r < rows && c0 + k < cols)
            y[(size_t)(c0 + k) * rows + r] = tile[threadIdx.x][k] * s[r];
}

extern "C" void launch(const __nv_bfloat16 *x,  // [rows, cols]
                       const float *s,          // [rows]
                       float *y,                // [cols, rows]
                       int rows, int cols, cudaStream_t stream = 0)
{
    dim3 grid((cols + S - 1) / S, (rows + S - 1) / S);
    weave<<<grid, dim3(S, H), 0, stream>>>(x, s, y, rows, cols);
}
"""
)

# One who compares genes: how many codes of a row of a and of a row of b agree, in tiles.
ALIKE = (
    HEADER
    + """\
#define S 16
#define NO_A 100000
#define NO_B 200000

__global__ void alike(const int16_t* a, const int16_t* b, int* c, int m, int n, int k) {
  __shared__ int as[S][S], bs[S][S + 1];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * S + ty;
  int col = blockIdx.x * S + tx;
  int other = blockIdx.x * S + ty;
  int count = 0;
  for (int q = 0; q < k; q += S) {
    as[ty][tx] = row < m && q + tx < k ? a[(size_t)row * k + q + tx] : NO_A;
    bs[ty][tx] = other < n && q + tx < k ? b[(size_t)other * k + q + tx] : NO_B;
    __syncthreads();
    for (int h = 0; h < S; h++)
      if (as[ty][h] == bs[tx][h]) count++;
    __syncthreads();
  }
  if (row < m && col < n) c[(size_t)row * n + col] = count;
}

extern "C" void launch(const int16_t* a,  // [m, k]
                       const int16_t* b,  // [n, k]
                       int* c,            // [m, n]
                       int m, int n, int k, cudaStream_t stream = 0) {
  dim3 grid((n + S - 1) / S, (m + S - 1) / S);
  alike<<<grid, dim3(S, S), 0, stream>>>(a, b, c, m, n, k);
}
"""
)

# One who studies spinning tops: (A - its transpose) x, a thread a row, x in pieces.
SKEW = (
    HEADER
    + """\
#define T 64

__global__ void skew(const float *a, const float *x, float *y, int n)
{
    __shared__ float xs[T];
    int t = threadIdx.x;
    int i = blockIdx.x * T + t;
    float sum = 0.0f;
    for (int q = 0; q < n; q += T) {
        if (q + t < n)
            xs[t] = x[q + t];
        __syncthreads();
        if (i < n)
            for (int j = q; j < n && j < q + T; j++)
                sum += (a[(size_t)i * n + j] - a[(size_t)j * n + i]) * xs[j - q];
        __syncthreads();
    }
    if (i < n)
        y[i] = sum;
}

extern "C" void launch(const float *a,  // [n, n]
                       const float *x,  // [n]
                       float *y,        // [n]
                       int n, cudaStream_t stream = 0)
{
    skew<<<(n + T - 1) / T, T, 0, stream>>>(a, x, y, n);
}
"""
)

# One who trusts a network or not: softmax in one pass and the largest share of each row.
SURE = (
    HEADER
    + """\
#define T 64

__global__ void sure(const float* x, float* y, float* top, int cols) {
  __shared__ float ms[T], ss[T];
  int t = threadIdx.x;
  const float* row = x + (size_t)blockIdx.x * cols;
  float m = -FLT_MAX, s = 0.0f;
  for (int c = t; c < cols; c += T) {
    float v = row[c];
    if (v > m) {
      s = s * expf(m - v) + 1.0f;
      m = v;
    } else {
      s += expf(v - m);
    }
  }
  ms[t] = m;
  ss[t] = s;
  __syncthreads();
  for (int h = T / 2; h > 0; h /= 2) {
    if (t < h) {
      float most = fmaxf(ms[t], ms[t + h]);
      ss[t] = ss[t] * expf(ms[t] - most) + ss[t + h] * expf(ms[t + h] - most);
      ms[t] = most;
    }
    __syncthreads();
  }
  for (int c = t; c < cols; c += T)
    y[(size_t)blockIdx.x * cols + c] = expf(row[c] - ms[0]) / ss[0];
  if (t == 0) top[blockIdx.x] = 1.0f / ss[0];
}

extern "C" void launch(const float* x,  // [rows, cols]
                       float* y,        // [rows, cols]
                       float* top,      // [rows]
                       int rows, int cols, cudaStream_t stream = 0) {
  sure<<<rows, T, 0, stream>>>(x, y, top, cols);
}
"""
)

# One who tunes pianos: layer norm by Welford's means, which shuffles join, to halves.
TUNE = (
    HEADER
    + """\
__global__ void tune(const float *x, const float *g, const float *b, half *y, float eps,
                     int rows, int cols)
{
    int r = blockIdx.x * blockDim.y + threadIdx.y;
    if (r >= rows)
        return;
    int lane = threadIdx.x;
    const float *row = x + (size_t)r * cols;
    float count = 0.0f, mean = 0.0f, sq = 0.0f;
    for (int c = lane; c < cols; c += 32) {
        float d = row[c] - mean;
        count += 1.0f;
        mean += d / count;
        sq += d * (row[c] - mean);
    }
    for (int h = 16; h > 0; h /= 2) {
        float count2 = __shfl_xor_sync(0xffffffff, count, h);
        float d = __shfl_xor_sync(0xffffffff, mean, h) - mean;
        sq += __shfl_xor_sync(0xffffffff, sq, h);
        if (count + count2 > 0.0f) {
            mean += d * count2 / (count + count2);
            sq += d * d * count * count2 / (count + count2);
            count += count2;
        }
    }
    float f = rsqrtf(sq / cols + eps);
    for (int c = lane; c < cols; c += 32)
        y[(size_t)r * cols + c] = __float2half((row[c] - mean) * f * g[c] + b[c]);
}

extern "C" void launch(const float *x,  // [rows, cols]
                       const float *g,  // [cols]
                       const float *b,  // [cols]
                       half *y,         // [rows, cols]
                       float eps, int rows, int cols, cudaStream_t stream = 0)
{
    tune<<<(rows + 3) / 4, dim3(32, 4), 0, stream>>>(x, g, b, y, eps, rows, cols);
}
"""
)

NAN, INF = float("nan"), float("inf")
LENGTHS = (*range(1, 71), 95, 96, 97, 127, 128, 129, 191, 192, 193, 255, 256, 257, 383, 384)
LENGTHS += (385, 511, 512, 513, 1000, 1023, 1024, 1025, 2047, 2049, 4096, 4099, 4225)
SIDES = ((1, 1), (2, 1), (1, 2), (3, 2), (4, 31), (5, 32), (8, 33), (33, 8), (2, 64), (65, 3))
SIDES += ((9, 70), (70, 1), (3, 1000), (1, 4099), (64, 70), (130, 6), (40, 50), (32, 32))
SIDES += ((301, 2), (3, 129), (7, 128), (5, 63), (65, 65), (6, 6), (7, 10), (2, 130))
FLOAT, HALF, WHOLE = (torch.float32,), (torch.float16,), (torch.int32,)


def loans(launcher: Launcher) -> Iterator[Case]:
    """Pay back whole numbers, so that all is exact: usual, free, infinities, NaN; slices."""
    for n in (*LENGTHS, 9_001, 20_003):
        b, p = (whole(-999, 1000, n, 2 * n + k).float() for k in range(2))
        j = torch.arange(n)
        for label, u, v, rate in (
            ("usual", b, p, 0.25),
            ("free", b, p, 0.0),
            ("infinities", torch.where(j % 5 == 2, INF, b), p, 0.5),
            ("NaN", b, torch.where(j % 3 == 1, NAN, p), 0.125),
        ):
            right = u.double() * rate + u.double() - v.double()
            for block_size in (128, 32):
                scalars = {"rate": rate, "block_size": block_size}
                options = {"dtypes": FLOAT, "quick": n > 5000}
                words = f"n = {n:,}, {scalars}, {label}"
                yield Case(words, (u, v), (right,), scalars, **options)
            if n < 600 and label == "usual":
                for offsets in ((4, 4, 4), (1, 2, 4), (2, 2, 2), (4, 1, 4), (4, 4, 2)):
                    words = f"n = {n:,}, slices from {offsets}"
                    more = {**options, "offset": offsets}
                    yield Case(words, (u, v), (right,), {"rate": rate}, **more)


def photons(launcher: Launcher) -> Iterator[Case]:
    """Expose, where only the last step rounds: usual, faint, bright, NaN; slices."""
    for n in (*LENGTHS, 9_001):
        a, d, j = whole(0, 2048, n, 2 * n), whole(0, 1024, n, 2 * n + 1), torch.arange(n)
        for label, p, q, gain in (
            ("usual", a, d, 0.75),
            ("faint", a / 64 + 1, d / 1024, 1.25),
            ("bright", a * 8, d * 8, 5.5),
            ("no gain", a, d, 1.0),
            ("NaN", torch.where(j % 3 == 1, NAN, a.double()), d, 0.5),
            ("NaN in dark", a, torch.where(j % 4 == 2, NAN, d.double()), 0.5),
        ):
            p, q = p.half(), q.half()
            difference = p.double() - q.double()
            right = torch.where(difference < 0, 0.0, difference) * gain
            for block_size in (64, 32):
                scalars = {"gain": gain, "block_size": block_size}
                options = {"dtypes": HALF, "quick": n > 5000}
                words = f"n = {n:,}, {scalars}, {label}"
                yield Case(words, (p, q), (right,), scalars, **options)
            if n < 300 and label == "usual":
                for offsets in ((2, 4, 6), (4, 2, 2)):
                    words = f"n = {n:,}, slices from {offsets}"
                    more = {**options, "offset": offsets}
                    yield Case(words, (p, q), (right,), {"gain": gain}, **more)


def ovens(launcher: Launcher) -> Iterator[Case]:
    """Round to levels: any, between two, beyond the range, infinities, NaN."""
    for n in (*LENGTHS, 9_001):
        x, j = whole(-999, 1000, n, n), torch.arange(n)
        for label, y, zero, steps in (
            ("any", 300 + x / 64, 300.0, 4.0),
            ("between two", x % 100 + 0.5, 50.0, 1.0),
            ("beyond the range", x.float(), 20.0, 0.5),
            ("infinities", torch.where(j % 3 == 1, INF * (1 - j % 2 * 2), x / 16), 0.0, 0.5),
            ("NaN", torch.where(j % 3 == 1, NAN, x / 16), 1.0, 2.0),
        ):
            right = ((y.double() - zero) * steps).round().nan_to_num(0.0, INF, -INF)
            scalars = {"zero": zero, "steps": steps}
            options = {"dtypes": (torch.int8,), "quick": n > 5000}
            words, right = f"n = {n:,}, {scalars}, {label}", right.clamp(-127, 127)
            yield Case(words, (y.float(),), (right,), scalars, **options)
            if n < 200 and label == "any":
                words = f"n = {n:,}, slices from (4, 4)"
                yield Case(words, (y.float(),), (right,), scalars, offset=(4, 4), **options)


def gyros(launcher: Launcher) -> Iterator[Case]:
    """Scale integers, where only the last step rounds: any, the ends, large and fine steps."""
    for n in (*LENGTHS, 9_001):
        x, j = whole(-32768, 32768, n, n), torch.arange(n)
        for label, y, zero, step in (
            ("any", x, 0, 0.375),
            ("about a zero", x, 1000, 0.078125),
            ("the ends", 65535 * (j % 2) - 32768, -77, 0.5),
            ("small", x % 9 - 4, 0, 1.5),
            ("large steps", x, 5, 4.0),
            ("fine steps", x, -3, 2.0**-20),
        ):
            right = (y - zero).double() * step
            scalars = {"zero": zero, "step": step}
            words, inputs = f"n = {n:,}, {scalars}, {label}", (y.to(torch.int16),)
            yield Case(words, inputs, (right,), scalars, dtypes=HALF, quick=n > 5000)


def waves(launcher: Launcher) -> Iterator[Case]:
    """Wave: usual, small, large numbers, infinities, NaN; zeros; many blocks."""
    for n in (*LENGTHS, 9_001, 70_003, 2_097_185):
        x, j = whole(-999, 1000, n, n).float() / 128, torch.arange(n)
        for label, y in (
            ("usual", x),
            ("small", x / 8192),
            ("large", x * 16),
            ("infinities", torch.where(j % 2 == 1, INF, -INF)),
            ("zeros", torch.where(j % 2 == 1, 0.0, -0.0)),
            ("NaN", torch.where(j % 3 == 1, NAN, x)),
        ):
            for block_size in (256, 64, 32):
                if n > 100_000 and (label != "usual" or block_size > 32):
                    continue
                right = y.double() * y.double().cos()
                slack = ((2.0**-21 * right.abs() + 2.0**-22 * y.abs()).nan_to_num(0.0, 0.0),)
                slack = (slack[0] * (y != 0),)
                scalars = {"block_size": block_size}
                options = {"dtypes": FLOAT, "within": slack, "quick": n > 5000}
                yield Case(f"n = {n:,}, {scalars}, {label}", (y,), (right,), scalars, **options)


def turns(launcher: Launcher) -> Iterator[Case]:
    """Turn halves: usual, small, far below and above 0, infinities, NaN."""
    for n in (*LENGTHS, 9_001):
        x, j = whole(-999, 1000, n, n), torch.arange(n)
        for label, y in (
            ("usual", x / 128),
            ("small", x / 8192),
            ("far below 0", -x.abs() * 60 - 1000),
            ("far above 0", x.abs() * 60),
            ("infinities", torch.where(j % 2 == 1, INF, -INF)),
            ("NaN", torch.where(j % 3 == 1, NAN, x / 128)),
        ):
            y = y.half()
            v = y.double()
            right = v * torch.atan2(torch.ones_like(v), -v) / torch.pi
            slack = ((2.0**-11 * right.abs()).nan_to_num(0.0, 0.0, 0.0) + 2.0**-25,)
            for block_size in (128, 32):
                scalars = {"block_size": block_size}
                options = {"dtypes": HALF, "within": slack, "quick": n > 5000}
                yield Case(f"n = {n:,}, {scalars}, {label}", (y,), (right,), scalars, **options)


def rains(launcher: Launcher) -> Iterator[Case]:
    """Add up days: any, ones, large ones, the last alone, none above the limit."""
    for n in (*LENGTHS, 9_001, 20_001, 77, 300):
        x, j = whole(-99, 100, n, n), torch.arange(n)
        for label, y, limit in (
            ("any", x, 0),
            ("ones", x * 0 + 1, 0),
            ("large", x * 20_000_000, 500),
            ("the last alone", torch.where(j == n - 1, 7, 0), 3),
            ("at the limit", x % 3, 1),
        ):
            right = y.sum().reshape(1), (y > limit).sum().reshape(1)
            options = {"dtypes": (torch.int64, torch.int32), "quick": n > 5000}
            words = f"n = {n:,}, limit = {limit}, {label}"
            yield Case(words, (y.int(),), right, {"limit": limit}, **options)


def charges(launcher: Launcher) -> Iterator[Case]:
    """Add whole numbers in turn, so that all is exact: any, ones, one alone, large, NaN."""
    for rows, cols in (*SIDES, (3, 2_001), (513, 3)):
        n = rows * cols
        x, c = whole(-99, 100, n, n).reshape(rows, cols).double(), torch.arange(cols)
        for label, y in (
            ("any", x),
            ("ones", x * 0 + 1),
            ("in turn", torch.where(c % 2 == 1, -3.0, 3.0) + 0 * x),
            ("the last alone", torch.where(c == cols - 1, 5.0, 0.0) + 0 * x),
            ("NaN", torch.where(c == cols // 2, NAN, x)),
        ):
            right = torch.where(c % 2 == 0, y, -y).sum(1)
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y.bfloat16(),), (right,), dtypes=FLOAT)


def climbs(launcher: Launcher) -> Iterator[Case]:
    """Find rises: any, few values, level, falling, large ones, the last."""
    for rows, cols in (*SIDES, (3, 2_001), (513, 3)):
        n = rows * cols
        x, c = whole(-999, 1000, n, n).reshape(rows, cols), torch.arange(cols)
        for label, y in (
            ("any", x),
            ("few values", x % 3),
            ("level", x * 0 + 7),
            ("falling", x * 0 - 5 * c),
            ("large", x * 2_000_000),
            ("the last", torch.where(c == cols - 1, 5000, x)),
        ):
            rise = y[:, 1:] - y[:, :-1]
            if cols > 1:
                best = rise.amax(1)
                place = (rise == best[:, None]).int().argmax(1)
            else:
                best, place = (torch.full((rows,), v) for v in (-(2**40), -1))
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y.int(),), (best, place), dtypes=(torch.int64, torch.int32))


def weaves(launcher: Launcher) -> Iterator[Case]:
    """Turn numbers of 8 bits, so that all is exact: any, no scale, infinities, NaN."""
    for rows, cols in (*SIDES, (31, 200), (200, 31), (300, 1), (33, 65)):
        n = rows * cols
        x = whole(-255, 256, n, n).reshape(rows, cols).double()
        s = whole(1, 99, rows, rows).double() / 4
        for label, y, t in (
            ("any", x, s),
            ("scale 1", x, s * 0 + 1),
            ("infinities", torch.where(x % 9 == 4, INF, x), s),
            ("NaN", torch.where(x % 9 == 4, NAN, x), s),
        ):
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            right = (y * t[:, None]).T
            yield Case(words, (y.bfloat16(), t.float()), (right,), dtypes=FLOAT)


def likenesses(launcher: Launcher) -> Iterator[Case]:
    """Compare codes: two, four, any, all alike, none alike, the last alone."""
    sides = ((1, 1, 1), (1, 2, 3), (2, 1, 40), (3, 5, 7), (16, 16, 16), (17, 15, 33))
    sides += ((15, 17, 65), (5, 40, 1), (40, 5, 2), (33, 31, 20), (1, 70, 31), (70, 1, 32))
    sides += ((20, 65, 48), (65, 20, 5), (3, 2, 1000), (2, 3, 300))
    for m, n, k in (*sides, *((7, 9, k) for k in range(2, 64, 3))):
        a, b = whole(0, 4, m * k, m + k).reshape(m, k), whole(0, 4, n * k, n).reshape(n, k)
        h = torch.arange(k)
        for label, s, t in (
            ("four", a, b),
            ("two", a % 2 - 1, b % 2 - 1),
            ("large", a * 9000, b * 9000),
            ("alike", a * 0 - 1, b * 0 - 1),
            ("none alike", a, b + 100),
            ("the last alone", a, torch.where(h == k - 1, b, 9)),
        ):
            right = (s[:, None, :] == t[None, :, :]).sum(2)
            words, inputs = (
                f"m = {m}, n = {n}, k = {k}, {label}",
                (s.to(torch.int16), t.to(torch.int16)),
            )
            yield Case(words, inputs, (right,), dtypes=WHOLE)


def skews(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole numbers, so that all is exact: any, ones, symmetric, one, NaN."""
    for n in (*range(1, 71), 95, 97, 127, 128, 129, 200, 257):
        a = whole(-9, 10, n * n, n).reshape(n, n).double()
        x, j = whole(-50, 51, n, n).double(), torch.arange(n)
        for label, p, q in (
            ("any", a, x),
            ("ones", a, x * 0 + 1),
            ("symmetric", a + a.T, x),
            ("triangular", a.tril(-1), x),
            ("the last alone", a, torch.where(j == n - 1, 3.0, 0.0)),
            ("NaN", a, torch.where(j == n // 2, NAN, x)),
        ):
            right = ((p - p.T) * q).sum(1)
            yield Case(f"n = {n}, {label}", (p.float(), q.float()), (right,), dtypes=FLOAT)


def shares(launcher: Launcher) -> Iterator[Case]:
    """Share out: any, equal, far above and below 0, rising, falling, a mask, a NaN."""
    for rows, cols in (*SIDES, (3, 2_001), (513, 3), (65_537, 1)):
        n = rows * cols
        x, c = whole(-40, 41, n, n).reshape(rows, cols) / 8.0, torch.arange(cols)
        for label, y in (
            ("any", x),
            ("equal", x * 0 + 3),
            ("far above 0", x + 1000),
            ("far below 0", x - 1000),
            ("rising", x * 0 + c / 8.0),
            ("falling", x * 0 - c / 8.0),
            ("a mask", torch.where((c % 3 == 1) & (c > 0), -INF, x)),
            ("NaN", torch.where(c == cols // 2, NAN, x)),
        ):
            if rows > 5000 and label != "any":
                continue
            y = y.float()
            p = torch.exp(y.double() - y.double().amax(1, True))
            right = p / p.sum(1, keepdim=True), 1 / p.sum(1)
            slack = tuple((2.0**-18 * v.abs() + 2.0**-126).nan_to_num(0.0) for v in right)
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            options = {"dtypes": FLOAT * 2, "within": slack, "quick": rows > 5000}
            yield Case(words, (y,), right, **options)


def tunings(launcher: Launcher) -> Iterator[Case]:
    """Norm whole numbers: any, small, about a large mean, one apart, a NaN; with gains."""
    for rows, cols in (*SIDES, (3, 2_001), (129, 130)):
        n = rows * cols
        x, c = whole(-99, 100, n, n).reshape(rows, cols), torch.arange(cols)
        gain, bias = (whole(-9, 10, cols, cols + k).double() / 4 for k in range(2))
        for label, y, g, b, eps in (
            ("any", x, gain, bias, 1.0),
            ("plain", x, gain * 0 + 1, bias * 0, 0.001),
            ("small", x / 1024, gain, bias, 0.25),
            ("about 4,096", 4096 + x // 10, gain, bias, 0.5),
            ("one apart", torch.where(c == cols // 3, 1032, x * 0 + 1024), gain, bias, 0.125),
            ("large gains", x, gain * 1001, bias * 0, 0.5),
            ("NaN", torch.where((x % 9 == 4) & (c == cols // 2), NAN, x), gain, bias, 1.0),
        ):
            v = y.double()
            d = v - v.mean(1, keepdim=True)
            f = 1 / ((d * d).mean(1, keepdim=True) + eps).sqrt()
            right = d * f * g + b
            fine = 2.0**-14 * (d * f * g).abs() + 2.0**-21 * f * v.abs().amax(1, True) * g.abs()
            slack = 2.0**-11 * right.abs() + fine + 2.0**-24
            words = f"rows = {rows:,}, cols = {cols:,}, eps = {eps}, {label}"
            inputs, within = (y.float(), g.float(), b.float()), (slack.nan_to_num(0.0),)
            yield Case(words, inputs, (right,), {"eps": eps}, dtypes=HALF, within=within)


BASES = {
    "sixtyseven_loan": Base(LOAN, {"cases": loans}),
    "sixtyseven_photon": Base(PHOTON, {"cases": photons}),
    "sixtyseven_oven": Base(OVEN, {"cases": ovens}),
    "sixtyseven_gyro": Base(GYRO, {"cases": gyros}),
    "sixtyseven_wavy": Base(WAVY, {"cases": waves}),
    "sixtyseven_turned": Base(TURNED, {"cases": turns}),
    "sixtyseven_rain": Base(RAIN, {"cases": rains}),
    "sixtyseven_charge": Base(CHARGE, {"cases": charges}),
    "sixtyseven_climb": Base(CLIMB, {"cases": climbs}),
    "sixtyseven_weave": Base(WEAVE, {"cases": weaves}),
    "sixtyseven_alike": Base(ALIKE, {"cases": likenesses}),
    "sixtyseven_skew": Base(SKEW, {"cases": skews}),
    "sixtyseven_sure": Base(SURE, {"cases": shares}),
    "sixtyseven_tune": Base(TUNE, {"cases": tunings}),
}

WRONG = (
    # ---- loan
    # Addresses are combined with & before they are asked.
    Wrong(
        "sixtyseven_loan_and_of_addresses",
        "sixtyseven_loan",
        "alignment",
        (
            "(uintptr_t)b | (uintptr_t)p | (uintptr_t)y;",
            "(uintptr_t)b & (uintptr_t)p & (uintptr_t)y;",
        ),
    ),
    # Eight bytes are asked for, sixteen loaded.
    Wrong(
        "sixtyseven_loan_eight_bytes",
        "sixtyseven_loan",
        "alignment",
        ("bits % 16 == 0", "bits % 8 == 0"),
    ),
    # The fourth number of a pack takes the payment of the third.
    Wrong(
        "sixtyseven_loan_payment_before",
        "sixtyseven_loan",
        "other element / neighbour / swapped | numbers / nan",
        ("owed(u.w, v.w, rate)", "owed(u.w, v.z, rate)"),
    ),
    # The rest stops one too early.
    Wrong(
        "sixtyseven_loan_rest_too_short",
        "sixtyseven_loan",
        "tail / unwritten / left out | nan / numbers",
        ("i < n; i += step", "i < n - 1; i += step"),
    ),
    # The new balances replace the old ones, too.
    Wrong(
        "sixtyseven_loan_in_place",
        "sixtyseven_loan",
        "input | state / numbers",
        (
            "const float* b, const float* p, float* y, float rate, int packs, int n) {",
            "float* b, const float* p, float* y, float rate, int packs, int n) {",
        ),
        ("    ((float4*)y)[k] = w;\n", "    ((float4*)b)[k] = w;\n    ((float4*)y)[k] = w;\n"),
        ("stream>>>(b, p,", "stream>>>((float*)b, p,"),
    ),
    # ---- photon
    # The difference is a half.
    Wrong(
        "sixtyseven_photon_difference_of_halves",
        "sixtyseven_photon",
        "precision / rounding | numbers / infinity",
        ("__half2float(raw) - __half2float(dark)", "__half2float(__hsub(raw, dark))"),
    ),
    # What is below 0 is cut by a function that loses NaN.
    Wrong(
        "sixtyseven_photon_nan_is_dark",
        "sixtyseven_photon",
        "nan",
        ("d = d < 0.0f ? 0.0f : d;", "d = fmaxf(d, 0.0f);"),
    ),
    # No thread is counted for an odd number.
    Wrong(
        "sixtyseven_photon_odd_without_thread",
        "sixtyseven_photon",
        "tail / unwritten / left out / grid | block size / refused / nan",
        ("int threads = (n + 1) / 2;", "int threads = n / 2;"),
    ),
    # The dark frame may lie anywhere.
    Wrong(
        "sixtyseven_photon_dark_anywhere",
        "sixtyseven_photon",
        "alignment",
        ("const half *dark,  // [n] 4-byte aligned", "const half *dark,  // [n]"),
    ),
    # The gain is that of the first call.
    Wrong(
        "sixtyseven_photon_first_gain",
        "sixtyseven_photon",
        "state | numbers / function",
        (
            "    int threads = (n + 1) / 2;\n",
            "    static float kept = gain;\n    int threads = (n + 1) / 2;\n",
        ),
        (
            "raw, dark, y,\n"
            "                                                                        "
            "      gain, n);",
            "raw, dark, y,\n"
            "                                                                        "
            "      kept, n);",
        ),
    ),
    # ---- oven
    # Ties go away from 0.
    Wrong(
        "sixtyseven_oven_away_from_zero",
        "sixtyseven_oven",
        "rounding | numbers",
        ("rintf((x - zero) * steps)", "roundf((x - zero) * steps)"),
    ),
    # Integers of 32 bits are cut to 8.
    Wrong(
        "sixtyseven_oven_wraps",
        "sixtyseven_oven",
        "whole range / infinity | numbers",
        ("(int8_t)fminf(fmaxf(q, -127.0f), 127.0f)", "(int8_t)(int)q"),
    ),
    # NaN runs into the lower limit.
    Wrong(
        "sixtyseven_oven_nan_coldest",
        "sixtyseven_oven",
        "nan",
        ("  if (isnan(q)) return 0;\n", ""),
    ),
    # Of the rest two numbers are taken at most.
    Wrong(
        "sixtyseven_oven_two_of_three",
        "sixtyseven_oven",
        "tail / unwritten / left out | numbers",
        ("i = 4 * packs; i < n; i++", "i = 4 * packs; i < n && i < 4 * packs + 2; i++"),
    ),
    # The rest is counted from the packs, not from the numbers.
    Wrong(
        "sixtyseven_oven_rest_from_packs",
        "sixtyseven_oven",
        "tail / other element / unwritten / left out | numbers",
        ("int i = 4 * packs; i < n; i++) y[i]", "int i = packs; i < n - 3 * packs; i++) y[i]"),
    ),
    # ---- gyro
    # The difference has 16 bits.
    Wrong(
        "sixtyseven_gyro_short_difference",
        "sixtyseven_gyro",
        "whole range / narrow | numbers / infinity",
        ("return (x - zero) * step;", "return (int16_t)(x - zero) * step;"),
    ),
    # The difference is a half before it is scaled.
    Wrong(
        "sixtyseven_gyro_scaled_half",
        "sixtyseven_gyro",
        "rounding / precision / infinity | numbers / whole range",
        (
            " { return (x - zero) * step; }",
            "\n{\n    half d = __int2half_rn(x - zero);\n    return __half2float(d) * step;\n}",
        ),
    ),
    # A thread takes one pair.
    Wrong(
        "sixtyseven_gyro_one_pair",
        "sixtyseven_gyro",
        "unwritten / left out / grid | nan / tail",
        (
            "for (int p = first; p < n / 2; p += gridDim.x * blockDim.x) {",
            "if (int p = first; p < n / 2) {",
        ),
    ),
    # The last number is read one too far.
    Wrong(
        "sixtyseven_gyro_last_too_far",
        "sixtyseven_gyro",
        "bounds / neighbour / tail | numbers / other element",
        ("rate_of(x[n - 1],", "rate_of(x[n],"),
    ),
    # What is too large becomes the largest half.
    Wrong(
        "sixtyseven_gyro_saturates",
        "sixtyseven_gyro",
        "infinity / whole range | numbers",
        (
            " { return (x - zero) * step; }",
            "\n"
            "{\n"
            "    float v = (x - zero) * step;\n"
            "    return fminf(fmaxf(v, -65504.0f), 65504.0f);\n"
            "}",
        ),
    ),
    # ---- wavy
    # The number of the block has 16 bits.
    Wrong(
        "sixtyseven_wavy_short_block",
        "sixtyseven_wavy",
        "narrow / unwritten | nan / tail / grid / left out",
        (
            "int i = blockIdx.x * blockDim.x",
            "uint16_t block = blockIdx.x;\n  int i = block * blockDim.x",
        ),
    ),
    # The other function is taken.
    Wrong(
        "sixtyseven_wavy_sine",
        "sixtyseven_wavy",
        "function | numbers / infinity / sign of zero",
        ("v * cosf(v)", "v * sinf(v)"),
    ),
    # The sign of the first factor is lost.
    Wrong(
        "sixtyseven_wavy_magnitude",
        "sixtyseven_wavy",
        "function / sign of zero | numbers",
        ("v * cosf(v)", "fabsf(v) * cosf(v)"),
    ),
    # What is not finite becomes 0.
    Wrong(
        "sixtyseven_wavy_finite_only",
        "sixtyseven_wavy",
        "nan | infinity / numbers",
        ("y[i] = v * cosf(v);", "y[i] = isfinite(v) ? v * cosf(v) : 0.0f;"),
    ),
    # The number of blocks is rounded down.
    Wrong(
        "sixtyseven_wavy_blocks_rounded_down",
        "sixtyseven_wavy",
        "grid / unwritten / tail / left out | refused / nan / block size",
        ("(n + block_size - 1) / block_size", "n / block_size"),
    ),
    # ---- turned
    # The part is a difference of nearly equal numbers.
    Wrong(
        "sixtyseven_turned_cancels",
        "sixtyseven_turned",
        "precision | numbers / function",
        ("atan2f(1.0f, -v) / 3.14159265f", "atanf(v) / 3.14159265f + 0.5f"),
    ),
    # Half a turn is 3.14.
    Wrong(
        "sixtyseven_turned_rough_pi",
        "sixtyseven_turned",
        "precision / function | numbers / rounding",
        ("3.14159265f", "3.14f"),
    ),
    # The sign in the angle is missing.
    Wrong(
        "sixtyseven_turned_other_way",
        "sixtyseven_turned",
        "function / swapped | numbers / infinity / nan",
        ("atan2f(1.0f, -v)", "atan2f(1.0f, v)"),
    ),
    # Only the first of four is tested.
    Wrong(
        "sixtyseven_turned_first_tested",
        "sixtyseven_turned",
        "bounds / tail",
        ("        if (i < n) {", "        if (start < n) {"),
    ),
    # The threads that are counted take four each, but so many are not started.
    Wrong(
        "sixtyseven_turned_blocks_rounded_down",
        "sixtyseven_turned",
        "grid / unwritten / tail / left out | block size / nan / refused",
        (
            "    turned<<<(threads + block_size - 1) / block_size, block_size",
            "    int blocks = threads / block_size;\n"
            "    if (blocks == 0)\n"
            "        blocks = 1;\n"
            "    turned<<<blocks, block_size",
        ),
    ),
    # ---- rain
    # Sums have 32 bits.
    Wrong(
        "sixtyseven_rain_short_sum",
        "sixtyseven_rain",
        "narrow / whole range | numbers / precision / infinity",
        ("__shared__ long long s[T];", "__shared__ int s[T];"),
    ),
    # Steps of the tree do not wait for one another.
    Wrong(
        "sixtyseven_rain_no_barrier_in_tree",
        "sixtyseven_rain",
        "race | numbers / left out / other element / unwritten / state",
        (
            "      w[t] += w[t + h];\n    }\n    __syncthreads();\n",
            "      w[t] += w[t + h];\n    }\n",
        ),
    ),
    # The second launch forgets the stream.
    Wrong(
        "sixtyseven_rain_year_no_stream",
        "sixtyseven_rain",
        "stream | state",
        ("year<<<1, 32, 0, stream>>>", "year<<<1, 32>>>"),
    ),
    # All parts are added, also those of an earlier call.
    Wrong(
        "sixtyseven_rain_old_parts",
        "sixtyseven_rain",
        "state | numbers / start / twice",
        ("long long s = t < blocks ? sums[t] : 0;", "long long s = sums[t];"),
        ("int w = t < blocks ? wets[t] : 0;", "int w = wets[t];"),
    ),
    # A day at the limit is wet, too.
    Wrong(
        "sixtyseven_rain_at_the_limit",
        "sixtyseven_rain",
        "function / twice / left out | numbers",
        ("if (mm[i] > limit) w[t]++;", "if (mm[i] >= limit) w[t]++;"),
    ),
    # ---- charge
    # The sign alternates over the whole matrix.
    Wrong(
        "sixtyseven_charge_sign_of_matrix",
        "sixtyseven_charge",
        "sides / other element / function | numbers / swapped",
        ("sum += c % 2 == 0 ?", "sum += ((size_t)r * cols + c) % 2 == 0 ?"),
    ),
    # Each step is rounded to 16 bits.
    Wrong(
        "sixtyseven_charge_short_sum",
        "sixtyseven_charge",
        "precision / rounding | numbers",
        (
            "        sum += c % 2 == 0 ? v : -v;\n",
            "        v = c % 2 == 0 ? v : -v;\n"
            "        sum = __bfloat162float(__float2bfloat16(sum + v));\n",
        ),
    ),
    # Each lane writes what it has.
    Wrong(
        "sixtyseven_charge_every_lane",
        "sixtyseven_charge",
        "race / other element / left out | numbers",
        ("    if (lane == 0)\n        y[r] = sum;", "    y[r] = sum;"),
    ),
    # Lanes beyond the columns leave before the shuffles.
    Wrong(
        "sixtyseven_charge_lanes_leave",
        "sixtyseven_charge",
        "race | numbers / left out / tail / refused / nan / unwritten",
        (
            "    float sum = 0.0f;\n",
            "    if (lane >= cols)\n        return;\n    float sum = 0.0f;\n",
        ),
    ),
    # Numbers are turned round where they lie.
    Wrong(
        "sixtyseven_charge_turned_in_x",
        "sixtyseven_charge",
        "input | state / numbers / function",
        (
            "__global__ void charge(const __nv_bfloat16 *x, float *y,",
            "__global__ void charge(__nv_bfloat16 *x, float *y,",
        ),
        (
            "        float v = __bfloat162float(x[(size_t)r * cols + c]);\n"
            "        sum += c % 2 == 0 ? v : -v;\n",
            "        __nv_bfloat16 &v = x[(size_t)r * cols + c];\n"
            "        if (c % 2 == 1)\n"
            "            v = __hneg(v);\n"
            "        sum += __bfloat162float(v);\n",
        ),
        ("stream>>>(x, y,", "stream>>>((__nv_bfloat16 *)x, y,"),
    ),
    # ---- climb
    # The difference has 32 bits.
    Wrong(
        "sixtyseven_climb_short_difference",
        "sixtyseven_climb",
        "whole range / narrow | numbers / other element / infinity",
        ("(long long)row[c + 1] - row[c];", "row[c + 1] - row[c];"),
    ),
    # The best begins with 0.
    Wrong(
        "sixtyseven_climb_from_0",
        "sixtyseven_climb",
        "start | numbers",
        ("  best[t] = NONE;", "  best[t] = 0;"),
    ),
    # The last column has a next one, too.
    Wrong(
        "sixtyseven_climb_over_the_end",
        "sixtyseven_climb",
        "bounds / neighbour / other element / tail | numbers",
        ("c + 1 < cols; c += T", "c < cols; c += T"),
    ),
    # Of equal rises any may win.
    Wrong(
        "sixtyseven_climb_any_of_equal",
        "sixtyseven_climb",
        "other element | numbers / race / left out / rounding",
        (
            "if (best[t + h] > best[t] || (equal && where[t + h] < where[t])) {",
            "if (best[t + h] > best[t] || equal) {",
        ),
    ),
    # The tree begins before all have stored.
    Wrong(
        "sixtyseven_climb_no_barrier",
        "sixtyseven_climb",
        "race | numbers / left out / unwritten / other element / state",
        ("    }\n  }\n  __syncthreads();\n  for (int h", "    }\n  }\n  for (int h"),
    ),
    # ---- weave
    # The scale is taken by the column.
    Wrong(
        "sixtyseven_weave_scale_of_column",
        "sixtyseven_weave",
        "other element / sides / swapped / bounds | numbers",
        ("* s[r];", "* s[c0 + k];"),
    ),
    # Every other step of rows is left out.
    Wrong(
        "sixtyseven_weave_two_steps",
        "sixtyseven_weave",
        "left out / unwritten / other element | nan / numbers",
        (
            "        if (r < rows && c0 + k < cols)",
            "        if (r < rows && c0 + k < cols && k / H % 2 == 0)",
        ),
    ),
    # The rows of the result have the other pitch.
    Wrong(
        "sixtyseven_weave_other_pitch",
        "sixtyseven_weave",
        "sides / other element / bounds / swapped / unwritten | numbers / nan",
        ("y[(size_t)(c0 + k) * rows + r]", "y[(size_t)(c0 + k) * cols + r]"),
    ),
    # The test is that of the way in.
    Wrong(
        "sixtyseven_weave_test_of_way_in",
        "sixtyseven_weave",
        "sides / bounds / unwritten / swapped / tail / left out | nan / other element",
        ("if (r < rows && c0 + k < cols)", "if (c < cols && r0 + k < rows)"),
    ),
    # Threads outside of the columns leave before the barrier.
    Wrong(
        "sixtyseven_weave_leave_early",
        "sixtyseven_weave",
        "race / unwritten / left out | nan / tail / numbers",
        (
            "    int r0 = blockIdx.y * S;\n",
            "    int r0 = blockIdx.y * S;\n    if (c >= cols)\n        return;\n",
        ),
    ),
    # ---- alike
    # Both tiles are filled with the same number.
    Wrong(
        "sixtyseven_alike_same_filler",
        "sixtyseven_alike",
        "tail / twice / function / start / left out | numbers / bounds / other element",
        ("#define NO_B 200000", "#define NO_B 100000"),
    ),
    # Tiles are filled while they are read.
    Wrong(
        "sixtyseven_alike_no_second_barrier",
        "sixtyseven_alike",
        "race | numbers / other element / left out / twice",
        ("count++;\n    __syncthreads();\n", "count++;\n"),
    ),
    # Only whole tiles count.
    Wrong(
        "sixtyseven_alike_whole_tiles",
        "sixtyseven_alike",
        "tail / left out | numbers",
        ("int q = 0; q < k;", "int q = 0; q + S <= k;"),
    ),
    # The tile of b is read the other way.
    Wrong(
        "sixtyseven_alike_b_not_turned",
        "sixtyseven_alike",
        "other element / swapped / sides | numbers",
        ("bs[tx][h]", "bs[h][tx]"),
    ),
    # The count has 8 bits.
    Wrong(
        "sixtyseven_alike_byte_count",
        "sixtyseven_alike",
        "whole range / narrow | numbers",
        ("  int count = 0;", "  uint8_t count = 0;"),
    ),
    # ---- skew
    # The transpose is added.
    Wrong(
        "sixtyseven_skew_sum",
        "sixtyseven_skew",
        "function / swapped | numbers / sides",
        ("[(size_t)i * n + j] - a[", "[(size_t)i * n + j] + a["),
    ),
    # Threads outside of the rows leave before the barrier.
    Wrong(
        "sixtyseven_skew_leave_early",
        "sixtyseven_skew",
        "race / left out / unwritten / bounds | nan / numbers / tail / other element",
        (
            "    float sum = 0.0f;\n",
            "    if (i >= n)\n        return;\n    float sum = 0.0f;\n",
        ),
    ),
    # Pieces are read before all have stored them.
    Wrong(
        "sixtyseven_skew_no_first_barrier",
        "sixtyseven_skew",
        "race | numbers / unwritten / other element / nan / left out",
        (
            "            xs[t] = x[q + t];\n        __syncthreads();\n",
            "            xs[t] = x[q + t];\n",
        ),
    ),
    # Each piece is the first one.
    Wrong(
        "sixtyseven_skew_first_piece",
        "sixtyseven_skew",
        "other element / left out | numbers / nan",
        ("xs[t] = x[q + t];", "xs[t] = x[t];"),
    ),
    # The result is added to what was there.
    Wrong(
        "sixtyseven_skew_adds",
        "sixtyseven_skew",
        "zero before / state | nan / start",
        ("y[i] = sum;", "y[i] += sum;"),
    ),
    # ---- sure
    # The largest begins with 0.
    Wrong(
        "sixtyseven_sure_from_0",
        "sixtyseven_sure",
        "start | numbers / nan / infinity / precision / subnormal",
        ("float m = -FLT_MAX,", "float m = 0.0f,"),
    ),
    # The sum is not scaled when the largest grows.
    Wrong(
        "sixtyseven_sure_not_scaled",
        "sixtyseven_sure",
        "function / left out | numbers / precision / twice / infinity / nan",
        ("s = s * expf(m - v) + 1.0f;", "s = s + 1.0f;"),
    ),
    # Rows are counted in y of the grid.
    Wrong(
        "sixtyseven_sure_rows_in_y",
        "sixtyseven_sure",
        "grid / refused | unwritten / nan",
        (
            "const float* row = x + (size_t)blockIdx.x * cols;",
            "const float* row = x + (size_t)blockIdx.y * cols;",
        ),
        ("y[(size_t)blockIdx.x * cols + c]", "y[(size_t)blockIdx.y * cols + c]"),
        ("top[blockIdx.x] =", "top[blockIdx.y] ="),
        ("sure<<<rows, T,", "sure<<<dim3(1, rows), T,"),
    ),
    # Each thread takes its own largest.
    Wrong(
        "sixtyseven_sure_own_largest",
        "sixtyseven_sure",
        "other element / function / left out / race | numbers / nan / infinity",
        ("expf(row[c] - ms[0]) / ss[0]", "expf(row[c] - m) / ss[0]"),
    ),
    # The launch forgets the stream.
    Wrong(
        "sixtyseven_sure_no_stream",
        "sixtyseven_sure",
        "stream",
        ("sure<<<rows, T, 0, stream>>>", "sure<<<rows, T>>>"),
    ),
    # ---- tune
    # What means differ by is left out.
    Wrong(
        "sixtyseven_tune_no_difference",
        "sixtyseven_tune",
        "function / left out / precision | numbers / infinity",
        ("            sq += d * d * count * count2 / (count + count2);\n", ""),
    ),
    # The variance is divided by one less.
    Wrong(
        "sixtyseven_tune_one_less",
        "sixtyseven_tune",
        "function / nan / infinity | numbers / precision",
        ("sq / cols + eps", "sq / (cols - 1) + eps"),
    ),
    # Lanes without a number are joined, too.
    Wrong(
        "sixtyseven_tune_empty_joined",
        "sixtyseven_tune",
        "nan | left out / bounds / tail / numbers",
        ("        if (count + count2 > 0.0f) {", "        {"),
    ),
    # The gain is that of the lane.
    Wrong(
        "sixtyseven_tune_gain_of_lane",
        "sixtyseven_tune",
        "other element | numbers / left out",
        ("* f * g[c] +", "* f * g[lane] +"),
    ),
    # What is normed is a half before the gain.
    Wrong(
        "sixtyseven_tune_rounded_twice",
        "sixtyseven_tune",
        "rounding / precision | numbers / infinity",
        (
            "        y[(size_t)r * cols + c] = __float2half((row[c] - mean) * f * "
            "g[c] + b[c]);\n",
            "    {\n"
            "        half v = __float2half((row[c] - mean) * f);\n"
            "        y[(size_t)r * cols + c] = __float2half(__half2float(v) * g[c] + "
            "b[c]);\n"
            "    }\n",
        ),
    ),
)

RIGHT = (
    # The interest is added to the balance less the payment.
    Right(
        "sixtyseven_loan_payment_first",
        "sixtyseven_loan",
        ("return fmaf(b, rate, b) - p;", "return (b - p) + b * rate;"),
    ),
    # Pairs are loaded number by number.
    Right(
        "sixtyseven_photon_single_loads",
        "sixtyseven_photon",
        (
            "        half2 u = ((const half2 *)raw)[p];\n"
            "        half2 v = ((const half2 *)dark)[p];\n",
            "        half2 u = __halves2half2(raw[2 * p], raw[2 * p + 1]);\n"
            "        half2 v = __halves2half2(dark[2 * p], dark[2 * p + 1]);\n",
        ),
    ),
    # Limits come before rounding.
    Right(
        "sixtyseven_oven_limits_first",
        "sixtyseven_oven",
        (
            "  float q = rintf((x - zero) * steps);\n"
            "  if (isnan(q)) return 0;\n"
            "  return (int8_t)fminf(fmaxf(q, -127.0f), 127.0f);\n",
            "  float q = (x - zero) * steps;\n"
            "  if (q != q) return 0;\n"
            "  return (int8_t)lrintf(q > 127.0f ? 127.0f : q < -127.0f ? -127.0f : q);\n",
        ),
    ),
    # There are as many blocks for two numbers as for thousands.
    Right(
        "sixtyseven_gyro_idle_blocks",
        "sixtyseven_gyro",
        (
            "    int blocks = (n + 255) / 256;\n    if (blocks > 8)\n        blocks = 8;\n",
            "    int blocks = 400;\n",
        ),
    ),
    # Two launches take a half each.
    Right(
        "sixtyseven_wavy_two_launches",
        "sixtyseven_wavy",
        (
            "  wavy<<<blocks, block_size, 0, stream>>>(x, y, n);",
            "  int half_of = n / 2;\n"
            "  if (half_of > 0) wavy<<<blocks, block_size, 0, stream>>>(x, y, "
            "half_of);\n"
            "  wavy<<<blocks, block_size, 0, stream>>>(x + half_of, y + half_of, n - "
            "half_of);",
        ),
    ),
    # The angle is taken by the side of 0.
    Right(
        "sixtyseven_turned_two_branches",
        "sixtyseven_turned",
        (
            "    return atan2f(1.0f, -v) / 3.14159265f;",
            "    float up = atanf(1.0f / v) * 0.318309886f;\n"
            "    return v < 0.0f ? -up : v > 0.0f ? 1.0f - up : v == 0.0f ? 0.5f : v;",
        ),
    ),
    # The launcher sets the results to 0, and each block adds to them.
    Right(
        "sixtyseven_rain_memset",
        "sixtyseven_rain",
        (
            "__global__ void days(const int* mm, int limit, int n) {",
            "__global__ void days(const int* mm, int64_t* total, int* wet_days, int "
            "limit,\n"
            "                     int n) {",
        ),
        (
            "  sums[blockIdx.x] = s[0];\n  wets[blockIdx.x] = w[0];\n",
            "  atomicAdd((unsigned long long*)total, (unsigned long long)s[0]);\n"
            "  atomicAdd(wet_days, w[0]);\n",
        ),
        (
            "  days<<<blocks, T, 0, stream>>>(mm, limit, n);\n"
            "  year<<<1, 32, 0, stream>>>(total, wet, blocks);\n",
            "  cudaMemsetAsync(total, 0, sizeof(int64_t), stream);\n"
            "  cudaMemsetAsync(wet, 0, sizeof(int), stream);\n"
            "  days<<<blocks, T, 0, stream>>>(mm, total, wet, limit, n);\n",
        ),
        ("__device__ long long sums[MOST];\n__device__ int wets[MOST];\n\n", ""),
        (
            "__global__ void year(int64_t* total, int* wet, int blocks) {\n"
            "  int t = threadIdx.x;\n"
            "  long long s = t < blocks ? sums[t] : 0;\n"
            "  int w = t < blocks ? wets[t] : 0;\n"
            "  for (int d = 16; d > 0; d /= 2) {\n"
            "    s += __shfl_down_sync(0xffffffff, s, d);\n"
            "    w += __shfl_down_sync(0xffffffff, w, d);\n"
            "  }\n"
            "  if (t > 0) return;\n"
            "  total[0] = s;\n"
            "  wet[0] = w;\n"
            "}\n"
            "\n",
            "",
        ),
    ),
    # All columns are added, and odd ones taken away twice.
    Right(
        "sixtyseven_charge_odd_twice",
        "sixtyseven_charge",
        ("    float sum = 0.0f;\n", "    double sum = 0.0;\n"),
        ("sum += c % 2 == 0 ? v : -v;", "sum += v;\n        sum -= c % 2 * 2.0 * v;"),
        ("y[r] = sum;", "y[r] = (float)sum;"),
    ),
    # One thread looks through what all have found.
    Right(
        "sixtyseven_climb_one_thread_joins",
        "sixtyseven_climb",
        (
            "  for (int h = T / 2; h > 0; h /= 2) {\n"
            "    if (t < h) {\n"
            "      bool equal = best[t + h] == best[t];\n"
            "      if (best[t + h] > best[t] || (equal && where[t + h] < where[t])) {\n"
            "        best[t] = best[t + h];\n"
            "        where[t] = where[t + h];\n"
            "      }\n"
            "    }\n"
            "    __syncthreads();\n"
            "  }\n"
            "  if (t == 0) {\n",
            "  if (t == 0) {\n"
            "    for (int h = 1; h < T; h++)\n"
            "      if (best[h] > best[0] || (best[h] == best[0] && where[h] < "
            "where[0])) {\n"
            "        best[0] = best[h];\n"
            "        where[0] = where[h];\n"
            "      }\n",
        ),
    ),
    # The numbers are widened by their bits.
    Right(
        "sixtyseven_weave_by_bits",
        "sixtyseven_weave",
        (
            "            tile[k][threadIdx.x] = __bfloat162float(x[(size_t)(r0 + k) "
            "* cols + c]);\n",
            "        {\n"
            "            unsigned bits = ((const uint16_t *)x)[(size_t)(r0 + k) * "
            "cols + c];\n"
            "            tile[k][threadIdx.x] = __uint_as_float(bits << 16);\n"
            "        }\n",
        ),
    ),
    # What differs is counted, and taken from k.
    Right(
        "sixtyseven_alike_counts_unlike",
        "sixtyseven_alike",
        (
            "      if (as[ty][h] == bs[tx][h]) count++;",
            "      count -= (as[ty][h] ^ bs[tx][h]) != 0 && q + h < k;",
        ),
        ("int count = 0;", "int count = k;"),
    ),
    # What comes and what goes are added apart.
    Right(
        "sixtyseven_skew_two_sums",
        "sixtyseven_skew",
        ("    float sum = 0.0f;", "    double sum = 0.0, out = 0.0;"),
        (
            "                sum += (a[(size_t)i * n + j] - a[(size_t)j * n + i]) * "
            "xs[j - q];\n",
            "            {\n"
            "                sum += a[(size_t)i * n + j] * xs[j - q];\n"
            "                out += a[(size_t)j * n + i] * xs[j - q];\n"
            "            }\n",
        ),
        ("y[i] = sum;", "y[i] = (float)(sum - out);"),
    ),
    # The sum goes into the exponent, and the last column is first.
    Right(
        "sixtyseven_sure_by_logarithm",
        "sixtyseven_sure",
        (
            "  for (int c = t; c < cols; c += T) {\n    float v",
            "  for (int c = cols - 1 - t; c >= 0; c -= T) {\n    float v",
        ),
        ("expf(row[c] - ms[0]) / ss[0]", "expf(row[c] - ms[0] - logf(ss[0]))"),
    ),
    # The statistics are doubles, and the root is divided by.
    Right(
        "sixtyseven_tune_in_doubles",
        "sixtyseven_tune",
        (
            "float count = 0.0f, mean = 0.0f, sq = 0.0f;",
            "double count = 0.0, mean = 0.0, sq = 0.0;",
        ),
        ("float d = row[c] - mean;", "double d = row[c] - mean;"),
        ("float count2 =", "double count2 ="),
        ("float d = __shfl", "double d = __shfl"),
        ("rsqrtf(sq / cols + eps)", "1.0f / sqrtf((float)(sq / cols) + eps)"),
        ("__float2half((row[c] - mean)", "__float2half((float)(row[c] - mean)"),
    ),
)
