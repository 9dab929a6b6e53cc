"""Hold a sixty-fifth family: kernels of half a year's practice, and their plainest mistakes.

Its bases are logistic growth, a peak that decays, floats to bytes about a zero point, halves to
integers with 16 binary places, a * atan(x / a), tanh(a) * sigmoid(b), a signal times itself
some numbers later, sums of weights by class, the best product of a row with weights of the
columns and where it is first, a transpose of bfloat16 with a factor a row, a matrix times a
lower triangle, a circulant matrix times a vector, softmax of halves times what each row has,
and rows about their mean in deviations by Welford. They have 14 to 42 lines, and are of people
with half a year of CUDA: one who counts fish, one who shows levels of sound, one who makes
networks small, one who writes for a chip without floats, one who models tubes of amplifiers,
one who makes speech, one who looks for echoes, one who counts votes, one who sells places for
advertisements, one who moves weights to another layout, one who solves equations, one who
filters loops of sound, one who shares out budgets and one who grades papers. They use float4
where the kernel finds all addresses round, half2 in a loop over the grid, a word of four bytes
with the rest by the first threads, half2 and int2 with a single last number, a number a thread
with a test, pairs if all addresses are even with a rest in a second loop, parts in a variable
of the device and a warp that adds them, sums in shared memory with atomics, shuffles of values
and places, a tile of 16 with a column more, tiles from the diagonal on, taps in pieces, a
maximum and a sum in one pass that a tree joins, and a warp a row with four rows a block. Their
mistakes are spread over alignment, sizes, grids and integers of 16 bits, values, rounding, NaN
and infinity, inputs that are written, sums, transposes, products, order, streams and what is
left of an earlier call. The causes were written before a member was judged. On the emulator
each ran beside PyTorch, compared as a case does, called twice on the same tensors, with NaN and
with 1e3 in floating outputs (-1 and 77 in others), with tensors at either end of their pages,
the bytes behind them and their inputs looked at afterwards, on a stream that is not the default
one, with threads in order, from the last to the first and in a random order, and in the slices
that the cases name. Bases and right ones ran all cases or for some seconds; wrong ones until
they were wrong often enough. Not here are first thoughts of which nothing was seen: addresses
that are asked in the first call only, an addition without an atomic between two barriers, and
packs of three numbers, of whose fourth growth leaves the bytes as they were, as both inputs are
alike there. Doubles to integers are not here either, as they make no 0 of NaN. Of those that
lack a barrier not each is wrong in every order of threads. nvcc 13.0 compiles each for 8.0, all
members of a base in one file; none was run on a GPU. Bases and right ones are right, and all
others wrong or refused by a fault:

    sixtyfive_grow_cap_untested          from 4 numbers on, if cap alone is at an odd place
    sixtyfive_grow_end_untested          unless 4 divides n
    sixtyfive_grow_rest_of_three         from 4 numbers on, if an address is odd
    sixtyfive_grow_limit_of_neighbour    from 4 numbers on, where packs are taken
    sixtyfive_grow_short_index           from 65,537 numbers on
    sixtyfive_peak_old_anywhere          from 2 numbers on, by the address of old
    sixtyfive_peak_one_pair              from 5,121 numbers on
    sixtyfive_peak_nan_lost              of NaN
    sixtyfive_peak_decay_of_halves       if the decay is no half
    sixtyfive_peak_old_in_place          from 2 numbers on: old is overwritten
    sixtyfive_quant_half_up              just between two, if the lower one is even
    sixtyfive_quant_highest_first        from 4 numbers on
    sixtyfive_quant_nan_is_255           of NaN
    sixtyfive_quant_no_upper_limit       from 255.5 on
    sixtyfive_quant_blocks_rounded_down  from 516 numbers on, unless packs fill their blocks
    sixtyfive_fixed_result_anywhere      from 2 numbers on, by the address of y
    sixtyfive_fixed_cut_off              of numbers with more than 16 binary places
    sixtyfive_fixed_factor_less_one      of nearly all
    sixtyfive_fixed_pairs_rounded_down   of odd counts, if the block size divides the pairs
    sixtyfive_fixed_cut_from_64_bits     beyond 32,768
    sixtyfive_tube_first_factor          if an earlier call had another factor
    sixtyfive_tube_no_stream             on another stream than the default one
    sixtyfive_tube_blocks_of_256         by a block size below 256
    sixtyfive_tube_one_more              unless the block size divides n
    sixtyfive_tube_factor_inside         unless a is 1
    sixtyfive_gate_result_unasked        from 2 numbers on, if y alone is at an odd place
    sixtyfive_gate_rest_of_one           from 2 numbers on, if an address is odd
    sixtyfive_gate_quotient              of b from about 89 on
    sixtyfive_gate_second_swapped        from 2 numbers on, where pairs are taken
    sixtyfive_gate_nan_lost              of NaN in b
    sixtyfive_lag_no_barrier             where threads do not wait for another
    sixtyfive_lag_past_the_end           unless lag is 0
    sixtyfive_lag_parts_left_over        if an earlier call was longer
    sixtyfive_lag_total_no_stream        on another stream than the default one
    sixtyfive_lag_from_eight             if the upper 16 parts are not 0
    sixtyfive_votes_not_cleared          unless out was 0 before
    sixtyfive_votes_no_atomic            if threads of a warp add to one class
    sixtyfive_votes_no_barrier           where threads do not wait for another
    sixtyfive_votes_bytes_forgotten      of nearly all
    sixtyfive_votes_one_class_a_thread   from 129 classes on
    sixtyfive_deal_from_flt_min          of rows without a number above 0
    sixtyfive_deal_last_of_equal         if the best is there twice
    sixtyfive_deal_no_barrier            where warps do not wait for another
    sixtyfive_deal_quality_of_thread     from 129 columns on
    sixtyfive_deal_last_warp_left_out    from 97 columns on, of some
    sixtyfive_turn_factor_of_column      unless all factors are alike
    sixtyfive_turn_no_barrier            where threads do not wait for another
    sixtyfive_turn_pitch_of_input        unless rows are as many as columns
    sixtyfive_turn_toward_zero           of products that are not bfloat16
    sixtyfive_turn_test_not_turned       unless rows are as many as columns
    sixtyfive_lower_no_diagonal          of nearly all
    sixtyfive_lower_from_row             from 17 rows and columns on
    sixtyfive_lower_no_second_barrier    from n = 17 on, where threads do not wait for another
    sixtyfive_lower_all_of_it            unless all is 0 above the diagonal
    sixtyfive_lower_columns_untested     unless 16 divides n
    sixtyfive_ring_no_wrap               from 2 taps on
    sixtyfive_ring_one_turn              if taps are more than n + 1
    sixtyfive_ring_no_second_barrier     from 65 taps on, where threads do not wait for another
    sixtyfive_ring_forward               of nearly all, from 3 numbers on
    sixtyfive_ring_whole_pieces          unless 64 divides the taps
    sixtyfive_mass_in_halves             of nearly all
    sixtyfive_mass_no_barrier            where threads do not wait for another
    sixtyfive_mass_sum_keeps_scale       if a later number of a thread is larger
    sixtyfive_mass_from_infinity         of rows with fewer columns than threads, or with a mask
    sixtyfive_mass_kept_in_x             of nearly all: x is overwritten
    sixtyfive_score_of_population        of nearly all
    sixtyfive_score_old_mean_twice       of nearly all
    sixtyfive_score_distance_left_out    of nearly all
    sixtyfive_score_rows_untested        unless 4 divides the rows
    sixtyfive_score_nothing_by_nothing   of rows with fewer columns than lanes
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import whole

# One who counts fish: logistic growth, four numbers a thread, packed where all is round.
GROW = (
    HEADER
    + """\
__device__ bool round16(const void* p) { return (uintptr_t)p % 16 == 0; }

__device__ float later(float p, float cap, float r) { return p + r * p * (cap - p); }

__global__ void grow(const float* p, const float* cap, float* next, float r, int n) {
  int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n) return;
  bool packed = round16(p) && round16(cap) && round16(next) && i + 4 <= n;
  if (packed) {
    float4 a = *(const float4*)(p + i);
    float4 c = *(const float4*)(cap + i);
    float4 v;
    v.x = later(a.x, c.x, r);
    v.y = later(a.y, c.y, r);
    v.z = later(a.z, c.z, r);
    v.w = later(a.w, c.w, r);
    *(float4*)(next + i) = v;
  } else {
    int end = min(i + 4, n);
    for (int j = i; j < end; j++) next[j] = later(p[j], cap[j], r);
  }
}

extern "C" void launch(const float* p,    // [n]
                       const float* cap,  // [n]
                       float* next,       // [n]
                       float r, int n, int block_size = 64, cudaStream_t stream = 0) {
  int threads = (n + 3) / 4;
  grow<<<(threads + block_size - 1) / block_size, block_size, 0, stream>>>(p, cap, next, r, n);
}
"""
)

# One who shows levels of sound: a peak that decays, half2 in a loop over the grid.
PEAK = (
    HEADER
    + """\
__device__ float follow(float x, float old, float decay)
{
    float held = old * decay;
    float loud = fabsf(x);
    return loud < held ? held : loud;
}

__global__ void peak(const half *x, const half *old, half *y, float decay, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = 2 * t; i < n; i += 2 * gridDim.x * blockDim.x) {
        if (i + 1 < n) {
            float2 u = __half22float2(*(const half2 *)(x + i));
            float2 v = __half22float2(*(const half2 *)(old + i));
            float2 w = make_float2(follow(u.x, v.x, decay), follow(u.y, v.y, decay));
            *(half2 *)(y + i) = __float22half2_rn(w);
        } else {
            y[i] = __float2half(follow(__half2float(x[i]), __half2float(old[i]), decay));
        }
    }
}

extern "C" void launch(const half *x,    // [n] 4-byte aligned
                       const half *old,  // [n] 4-byte aligned
                       half *y,          // [n] 4-byte aligned
                       float decay, int n, cudaStream_t stream = 0)
{
    int blocks = n / 256 + 1;
    if (blocks > 20)
        blocks = 20;
    peak<<<blocks, 128, 0, stream>>>(x, old, y, decay, n);
}
"""
)

# One who makes networks small: floats to bytes about a zero point, four bytes in one word.
QUANT = (
    HEADER
    + """\
__device__ uint32_t level(float v, float scale, int zero) {
  float q = rintf(v / scale) + zero;
  return (uint32_t)fminf(fmaxf(q, 0.0f), 255.0f);
}

__global__ void quant(const float* x, uint8_t* y, float scale, int zero, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  int packs = n / 4;
  if (t < packs) {
    uint32_t word = 0;
    for (int k = 0; k < 4; k++) word |= level(x[4 * t + k], scale, zero) << (8 * k);
    ((uint32_t*)y)[t] = word;
  }
  if (t < n - 4 * packs) y[4 * packs + t] = level(x[4 * packs + t], scale, zero);
}

extern "C" void launch(const float* x,  // [n]
                       uint8_t* y,      // [n] 4-byte aligned
                       float scale, int zero, int n, cudaStream_t stream = 0) {
  int blocks = (n / 4 + 127) / 128;
  if (blocks == 0) blocks = 1;
  quant<<<blocks, 128, 0, stream>>>(x, y, scale, zero, n);
}
"""
)

# One who writes for a chip without floats: halves to integers with 16 binary places.
FIXED = (
    HEADER
    + """\
__device__ int places(float v)
{
    return __float2int_rn(v * 65536.0f);
}

__global__ void fixed(const half *x, int *y, int n)
{
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i + 1 < n) {
        float2 v = __half22float2(*(const half2 *)(x + i));
        *(int2 *)(y + i) = make_int2(places(v.x), places(v.y));
    } else if (i < n) {
        y[i] = places(__half2float(x[i]));
    }
}

extern "C" void launch(const half *x,  // [n] 4-byte aligned
                       int *y,         // [n] 8-byte aligned
                       int n, int block_size = 96, cudaStream_t stream = 0)
{
    int threads = (n + 1) / 2;
    fixed<<<(threads + block_size - 1) / block_size, block_size, 0, stream>>>(x, y, n);
}
"""
)

# One who models tubes of amplifiers: a * atan(x / a), a number a thread.
TUBE = (
    HEADER
    + """\
__global__ void tube(const float* x, float* y, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float v = x[i] / a;
    y[i] = a * atanf(v);
  }
}

extern "C" void launch(const float* x,  // [n]
                       float* y,        // [n]
                       float a, int n, int block_size = 256, cudaStream_t stream = 0) {
  int blocks = (n + block_size - 1) / block_size;
  tube<<<blocks, block_size, 0, stream>>>(x, y, a, n);
}
"""
)

# One who makes speech: tanh(a) * sigmoid(b) of halves, pairs and a rest where all is even.
GATE = (
    HEADER
    + """\
__device__ float gate(float a, float b)
{
    return tanhf(a) / (1.0f + expf(-b));
}

__global__ void gates(const half *a, const half *b, half *y, int n, int pairs)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int step = gridDim.x * blockDim.x;
    for (int p = t; p < pairs; p += step) {
        float2 u = __half22float2(((const half2 *)a)[p]);
        float2 v = __half22float2(((const half2 *)b)[p]);
        ((half2 *)y)[p] = __floats2half2_rn(gate(u.x, v.x), gate(u.y, v.y));
    }
    for (int i = 2 * pairs + t; i < n; i += step)
        y[i] = __float2half(gate(__half2float(a[i]), __half2float(b[i])));
}

extern "C" void launch(const half *a,  // [n]
                       const half *b,  // [n]
                       half *y,        // [n]
                       int n, int block_size = 128, cudaStream_t stream = 0)
{
    bool even = ((uintptr_t)a | (uintptr_t)b | (uintptr_t)y) % 4 == 0;
    int blocks = n / 2 / block_size + 1;
    gates<<<blocks, block_size, 0, stream>>>(a, b, y, n, even ? n / 2 : 0);
}
"""
)

# One who looks for echoes: a signal times itself some numbers later, by two kernels.
LAG = (
    HEADER
    + """\
#define T 128
#define PARTS 32

__device__ float parts[PARTS];

__global__ void lag_parts(const float* x, int lag, int n) {
  __shared__ float s[T];
  int t = threadIdx.x;
  float sum = 0.0f;
  for (int i = blockIdx.x * T + t; i + lag < n; i += PARTS * T) sum += x[i] * x[i + lag];
  s[t] = sum;
  for (int h = T / 2; h > 0; h /= 2) {
    __syncthreads();
    if (t < h) s[t] += s[t + h];
  }
  if (t == 0) parts[blockIdx.x] = s[0];
}

__global__ void lag_total(float* out) {
  float v = parts[threadIdx.x];
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
  if (threadIdx.x == 0) out[0] = v;
}

extern "C" void launch(const float* x,  // [n]
                       float* out,      // [1]
                       int lag, int n, cudaStream_t stream = 0) {
  lag_parts<<<PARTS, T, 0, stream>>>(x, lag, n);
  lag_total<<<1, 32, 0, stream>>>(out);
}
"""
)

# One who counts votes: the weights of each class, in shared memory and then in the result.
VOTES = (
    HEADER
    + """\
#define T 128

__global__ void clear(float *out, int classes)
{
    for (int c = threadIdx.x; c < classes; c += T)
        out[c] = 0.0f;
}

__global__ void votes(const int *label, const float *w, float *out, int classes, int n)
{
    extern __shared__ float s[];
    for (int c = threadIdx.x; c < classes; c += T)
        s[c] = 0.0f;
    __syncthreads();
    for (int i = blockIdx.x * T + threadIdx.x; i < n; i += gridDim.x * T)
        atomicAdd(&s[label[i]], w[i]);
    __syncthreads();
    for (int c = threadIdx.x; c < classes; c += T)
        atomicAdd(&out[c], s[c]);
}

extern "C" void launch(const int *label,  // [n]
                       const float *w,    // [n]
                       float *out,        // [classes]
                       int classes, int n, cudaStream_t stream = 0)
{
    int blocks = (n + T - 1) / T;
    if (blocks > 12)
        blocks = 12;
    clear<<<1, T, 0, stream>>>(out, classes);
    votes<<<blocks, T, classes * sizeof(float), stream>>>(label, w, out, classes, n);
}
"""
)

# One who sells places for advertisements: the best product of a row and where it is first.
DEAL = (
    HEADER
    + """\
#define T 128

__device__ void better(float& top, int& at, float v, int c) {
  if (v > top || (v == top && c < at)) {
    top = v;
    at = c;
  }
}

__global__ void deal(const float* bid, const float* quality, float* value, int* place,
                     int cols) {
  __shared__ float tops[T / 32];
  __shared__ int ats[T / 32];
  int t = threadIdx.x;
  const float* row = bid + (size_t)blockIdx.x * cols;
  float top = -INFINITY;
  int at = 0x7fffffff;
  for (int c = t; c < cols; c += T) better(top, at, row[c] * quality[c], c);
  for (int d = 16; d > 0; d /= 2) {
    float v = __shfl_down_sync(0xffffffff, top, d);
    int c = __shfl_down_sync(0xffffffff, at, d);
    better(top, at, v, c);
  }
  if (t % 32 == 0) {
    tops[t / 32] = top;
    ats[t / 32] = at;
  }
  __syncthreads();
  if (t == 0) {
    for (int w = 1; w < T / 32; w++) better(top, at, tops[w], ats[w]);
    value[blockIdx.x] = top;
    place[blockIdx.x] = at;
  }
}

extern "C" void launch(const float* bid,      // [rows, cols]
                       const float* quality,  // [cols]
                       float* value,          // [rows]
                       int* place,            // [rows]
                       int rows, int cols, cudaStream_t stream = 0) {
  deal<<<rows, T, 0, stream>>>(bid, quality, value, place, cols);
}
"""
)

# One who moves weights to another layout: bfloat16 that are turned, each row with a factor.
TURN = (
    HEADER
    + """\
#define S 16

__global__ void turn(const __nv_bfloat16 *x, const float *f, __nv_bfloat16 *y, int rows,
                     int cols)
{
    __shared__ float tile[S][S + 1];
    int c = blockIdx.x * S + threadIdx.x;
    int r = blockIdx.y * S + threadIdx.y;
    if (r < rows && c < cols)
        tile[threadIdx.y][threadIdx.x] = __bfloat162float(x[(size_t)r * cols + c]) * f[r];
    __syncthreads();
    int to_row = blockIdx.x * S + threadIdx.y;
    int to_col = blockIdx.y * S + threadIdx.x;
    if (to_row < cols && to_col < rows)
        y[(size_t)to_row * rows + to_col] = __float2bfloat16(tile[threadIdx.x][threadIdx.y]);
}

extern "C" void launch(const __nv_bfloat16 *x,  // [rows, cols]
                       const float *f,          // [rows]
                       __nv_bfloat16 *y,        // [cols, rows]
                       int rows, int cols, cudaStream_t stream = 0)
{
    dim3 grid((cols + S - 1) / S, (rows + S - 1) / S);
    turn<<<grid, dim3(S, S), 0, stream>>>(x, f, y, rows, cols);
}
"""
)

# One who solves equations: a matrix times a lower triangle, tiles from the diagonal on.
LOWER = (
    HEADER
    + """\
#define S 16

__global__ void lower(const float* a, const float* l, float* c, int m, int n) {
  __shared__ float as[S][S], ls[S][S];
  int tx = threadIdx.x, ty = threadIdx.y;
  int j = blockIdx.x * S + tx;
  int i = blockIdx.y * S + ty;
  float sum = 0.0f;
  for (int p = blockIdx.x * S; p < n; p += S) {
    int u = p + tx, v = p + ty;
    as[ty][tx] = i < m && u < n ? a[(size_t)i * n + u] : 0.0f;
    ls[ty][tx] = v < n && v >= j ? l[(size_t)v * n + j] : 0.0f;
    __syncthreads();
    for (int h = 0; h < S; h++) sum += as[ty][h] * ls[h][tx];
    __syncthreads();
  }
  if (i < m && j < n) c[(size_t)i * n + j] = sum;
}

extern "C" void launch(const float* a,  // [m, n]
                       const float* l,  // [n, n]
                       float* c,        // [m, n]
                       int m, int n, cudaStream_t stream = 0) {
  dim3 grid((n + S - 1) / S, (m + S - 1) / S);
  lower<<<grid, dim3(S, S), 0, stream>>>(a, l, c, m, n);
}
"""
)

# One who filters loops of sound: a circulant matrix times a vector, its taps in pieces.
RING = (
    HEADER
    + """\
#define T 64

__global__ void ring(const float *x, const float *h, float *y, int taps, int n)
{
    __shared__ float s[T];
    int t = threadIdx.x;
    int i = blockIdx.x * T + t;
    float sum = 0.0f;
    for (int start = 0; start < taps; start += T) {
        if (start + t < taps)
            s[t] = h[start + t];
        __syncthreads();
        int count = min(T, taps - start);
        for (int k = 0; k < count && i < n; k++) {
            int j = (i - start - k) % n;
            if (j < 0)
                j += n;
            sum += s[k] * x[j];
        }
        __syncthreads();
    }
    if (i < n)
        y[i] = sum;
}

extern "C" void launch(const float *x,  // [n]
                       const float *h,  // [taps]
                       float *y,        // [n]
                       int taps, int n, cudaStream_t stream = 0)
{
    ring<<<(n + T - 1) / T, T, 0, stream>>>(x, h, y, taps, n);
}
"""
)

# One who shares out budgets: softmax of halves times what each row has, in one pass.
MASS = (
    HEADER
    + """\
#define T 64

__global__ void shares(const half* x, const float* mass, half* y, int cols) {
  __shared__ float ms[T], ss[T];
  int t = threadIdx.x;
  const half* row = x + (size_t)blockIdx.x * cols;
  float m = -FLT_MAX, s = 0.0f;
  for (int c = t; c < cols; c += T) {
    float v = __half2float(row[c]);
    float most = fmaxf(m, v);
    s = s * expf(m - most) + expf(v - most);
    m = most;
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
  float f = mass[blockIdx.x] / ss[0];
  for (int c = t; c < cols; c += T)
    y[(size_t)blockIdx.x * cols + c] = __float2half(expf(__half2float(row[c]) - ms[0]) * f);
}

extern "C" void launch(const half* x,      // [rows, cols]
                       const float* mass,  // [rows]
                       half* y,            // [rows, cols]
                       int rows, int cols, cudaStream_t stream = 0) {
  shares<<<rows, T, 0, stream>>>(x, mass, y, cols);
}
"""
)

# One who grades papers: each row about its mean in deviations, by Welford, a warp a row.
SCORE = (
    HEADER
    + """\
#define ROWS 4

__global__ void score(const float *x, float *y, int rows, int cols)
{
    int lane = threadIdx.x;
    int r = blockIdx.x * ROWS + threadIdx.y;
    if (r >= rows)
        return;
    const float *row = x + (size_t)r * cols;
    float count = 0.0f, mean = 0.0f, m2 = 0.0f;
    for (int c = lane; c < cols; c += 32) {
        count += 1.0f;
        float d = row[c] - mean;
        mean += d / count;
        m2 += d * (row[c] - mean);
    }
    for (int k = 16; k > 0; k /= 2) {
        float count2 = __shfl_xor_sync(0xffffffff, count, k);
        float mean2 = __shfl_xor_sync(0xffffffff, mean, k);
        float other = __shfl_xor_sync(0xffffffff, m2, k);
        float all = count + count2, d = mean2 - mean;
        float share = all > 0.0f ? count2 / all : 0.0f;
        mean = count == count2 ? 0.5f * (mean + mean2) : mean + d * share;
        m2 += other + d * d * count * share;
        count = all;
    }
    float var = cols > 1 ? m2 / (cols - 1) : 0.0f;
    float f = var == 0.0f ? 0.0f : 1.0f / sqrtf(var);
    for (int c = lane; c < cols; c += 32)
        y[(size_t)r * cols + c] = (row[c] - mean) * f;
}

extern "C" void launch(const float *x,  // [rows, cols]
                       float *y,        // [rows, cols]
                       int rows, int cols, cudaStream_t stream = 0)
{
    int blocks = (rows + ROWS - 1) / ROWS;
    score<<<blocks, dim3(32, ROWS), 0, stream>>>(x, y, rows, cols);
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


def growths(launcher: Launcher) -> Iterator[Case]:
    """Let whole numbers grow, so that all is exact; infinities, NaN; slices."""
    for n in (*LENGTHS, 9_001, 70_003):
        p, cap = (whole(0, 200, n, 2 * n + k).float() for k in range(2))
        j = torch.arange(n)
        for label, q, c, r in (
            ("usual", p, cap, 0.5),
            ("shrinking", p, cap, -2.0),
            ("infinities", p, torch.where(j % 5 == 2, INF, cap), 0.25),
            ("NaN", torch.where(j % 4 == 3, NAN, p), cap, 0.5),
        ):
            right = q.double() + r * q.double() * (c.double() - q.double())
            for block_size in (64, 32):
                scalars = {"r": r, "block_size": block_size}
                options = {"dtypes": FLOAT, "quick": n > 5000}
                words = f"n = {n:,}, {scalars}, {label}"
                yield Case(words, (q, c), (right,), scalars, **options)
            if n < 300 and label == "usual":
                for offsets in ((4, 4, 4), (1, 4, 4), (4, 1, 4), (4, 4, 1), (2, 2, 2)):
                    words = f"n = {n:,}, slices from {offsets}"
                    more = {**options, "offset": offsets}
                    yield Case(words, (q, c), (right,), {"r": r}, **more)


def peaks(launcher: Launcher) -> Iterator[Case]:
    """Follow halves, where only the last step rounds: loud, quiet, decays; NaN; slices."""
    for n in (*LENGTHS, 5_120, 5_121, 9_001, 20_003):
        x, old = (whole(-999, 1000, n, 2 * n + k) for k in range(2))
        j = torch.arange(n)
        for label, p, q, decay in (
            ("usual", x / 64, old.abs() / 64, 0.75),
            ("quiet", x / 1024, old.abs() / 16, 0.9375),
            ("a long decay", x / 1024, old.abs() / 16, 0.9376220703125),
            ("large", x * 64, old.abs() * 64, 1.5),
            ("NaN", torch.where(j % 3 == 1, NAN, x.double()), old.abs() / 64, 0.5),
        ):
            p, q = p.half(), q.half()
            held, loud = decay * q.double(), p.double().abs()
            right = torch.where(loud < held, held, loud)
            words, options = f"n = {n:,}, decay = {decay}, {label}", {"dtypes": HALF}
            options["quick"] = n > 5000
            yield Case(words, (p, q), (right,), {"decay": decay}, **options)
            if n < 300 and label == "usual":
                for offsets in ((2, 4, 6), (4, 2, 2)):
                    words = f"n = {n:,}, slices from {offsets}"
                    more = {**options, "offset": offsets}
                    yield Case(words, (p, q), (right,), {"decay": decay}, **more)


def levels_of_bytes(launcher: Launcher) -> Iterator[Case]:
    """Round to bytes about zero points: any, between two, beyond the range, infinities, NaN."""
    for n in (*LENGTHS, 9_001):
        x, j = whole(-999, 1000, n, n), torch.arange(n)
        for label, y, scale, zero in (
            ("any", x / 8, 0.75, 128),
            ("between two", x % 100 + 0.5, 1.0, 100),
            ("of a third", x, 3.0, 77),
            ("beyond the range", x * 2, 1.0, 3),
            ("infinities", torch.where(j % 3 == 1, INF * (1 - j % 2 * 2), x / 16), 0.5, 200),
            ("NaN", torch.where(j % 3 == 1, NAN, x / 16), 0.5, 99),
        ):
            y = y.float()
            q = (y / torch.tensor(scale)).double().round() + zero
            right = q.nan_to_num(0.0, INF, -INF).clamp(0, 255)
            scalars = {"scale": scale, "zero": zero}
            options = {"dtypes": (torch.uint8,), "quick": n > 5000}
            yield Case(f"n = {n:,}, {scalars}, {label}", (y,), (right,), scalars, **options)


def fixed_points(launcher: Launcher) -> Iterator[Case]:
    """Keep 16 binary places: any, small, between two, large, infinities, NaN."""
    for n in (*LENGTHS, 9_001):
        x, j = whole(-2047, 2048, n, n), torch.arange(n)
        for label, y in (
            ("any", x / 64),
            ("small", x / 2.0**20),
            ("between two", (x % 64 + 0.5) / 65536),
            ("large", x * 31.0),
            ("infinities", torch.where(j % 3 == 1, INF * (1 - j % 2 * 2), x / 16)),
            ("NaN", torch.where(j % 3 == 1, NAN, x / 16)),
        ):
            y = y.half()
            right = (y.double() * 65536).nan_to_num(0.0, INF, -INF).round()
            right = right.clamp(-(2**31), 2**31 - 1)
            for block_size in (96, 32):
                scalars = {"block_size": block_size}
                options = {"dtypes": WHOLE, "quick": n > 5000}
                yield Case(f"n = {n:,}, {scalars}, {label}", (y,), (right,), scalars, **options)


def tubes(launcher: Launcher) -> Iterator[Case]:
    """Bend usual, small, large numbers, infinities, NaN; with several factors."""
    for n in (*LENGTHS, 9_001, 70_003):
        x, j = whole(-999, 1000, n, n).float() / 128, torch.arange(n)
        for label, y in (
            ("usual", x),
            ("small", x / 8192),
            ("large", x * 2.0**40),
            ("infinities", torch.where(j % 2 == 1, INF, -INF)),
            ("NaN", torch.where(j % 3 == 1, NAN, x)),
        ):
            for a, block_size in ((1.0, 256), (0.25, 64), (3.0, 512)):
                right = a * (y.double() / a).atan()
                slack = ((2.0**-20 * right.abs()).nan_to_num(0.0),)
                scalars = {"a": a, "block_size": block_size}
                options = {"dtypes": FLOAT, "within": slack, "quick": n > 5000}
                yield Case(f"n = {n:,}, {scalars}, {label}", (y,), (right,), scalars, **options)


def gated(launcher: Launcher) -> Iterator[Case]:
    """Let halves through gates: usual, small, large, infinities, NaN; slices."""
    for n in (*LENGTHS, 9_001):
        a, b = (whole(-999, 1000, n, 2 * n + k).float() for k in range(2))
        j = torch.arange(n)
        for label, p, q in (
            ("usual", a / 256, b / 256),
            ("small", a / 65536, b / 256),
            ("large", a, b * 32),
            ("infinities", torch.where(j % 3 == 1, INF, a), torch.where(j % 4 == 1, -INF, b)),
            (
                "NaN",
                torch.where(j % 3 == 1, NAN, a / 256),
                torch.where(j % 4 == 2, NAN, b / 256),
            ),
        ):
            p, q = p.half(), q.half()
            right = p.double().tanh() * q.double().sigmoid()
            slack = ((2.0**-10 * right.abs() + 2.0**-24).nan_to_num(0.0),)
            options = {"dtypes": HALF, "within": slack, "quick": n > 5000}
            for block_size in (128, 32):
                scalars = {"block_size": block_size}
                words = f"n = {n:,}, {scalars}, {label}"
                yield Case(words, (p, q), (right,), scalars, **options)
            if n < 300 and label == "usual":
                for offsets in ((2, 2, 2), (2, 2, 1), (1, 2, 2), (2, 1, 2), (1, 1, 1)):
                    words = f"n = {n:,}, slices from {offsets}"
                    more = {**options, "offset": offsets}
                    yield Case(words, (p, q), (right,), **more)


def echoes(launcher: Launcher) -> Iterator[Case]:
    """Add products of whole numbers, so that all is exact: any, ones, the ends, NaN."""
    for n in (*LENGTHS, 9_001, 20_001, 77, 300):
        x, j = whole(-20, 21, n, n), torch.arange(n)
        for label, y in (
            ("any", x),
            ("ones", x * 0 + 1),
            ("the last alone", torch.where(j == n - 1, 9, 1)),
            ("NaN", torch.where(j == n // 2, NAN, x.double())),
        ):
            for lag in (0, 1, 5, 64, 1000):
                y = y.double()
                right = (y[: n - lag] * y[lag:]).sum() if lag < n else y.new_zeros(())
                words, options = f"n = {n:,}, lag = {lag:,}, {label}", {"dtypes": FLOAT}
                options["quick"] = n > 5000
                inputs = (y.float(),)
                yield Case(words, inputs, (right.reshape(1),), {"lag": lag}, **options)


def counted_votes(launcher: Launcher) -> Iterator[Case]:
    """Add whole weights, so that all is exact: to any class, to the last, to few; NaN."""
    for n in (*LENGTHS, 6_145, 9_001):
        draw, w = whole(0, 2**20, n, n), whole(-20, 21, n, n + 1).double()
        for classes in (1, 2, 10, 129, 300):
            for label, c, v in (
                ("any", draw % classes, w),
                ("the last class", draw * 0 + classes - 1, w),
                ("few of the classes", draw % classes // 7 * 7, w),
                ("NaN", draw % classes, torch.where(torch.arange(n) == n // 2, NAN, w)),
            ):
                right = torch.zeros(classes, dtype=torch.float64).index_add_(0, c, v)
                words = f"n = {n:,}, classes = {classes}, {label}"
                options = {"dtypes": FLOAT, "quick": n > 5000}
                inputs = c.int(), v.float()
                yield Case(words, inputs, (right,), **options)


def deals(launcher: Launcher) -> Iterator[Case]:
    """Find the best product: of any numbers, few values, equal ones, below 0, infinities."""
    for rows, cols in (*SIDES, (3, 2_001), (513, 3)):
        n = rows * cols
        x, c = whole(-999, 1000, n, n).reshape(rows, cols).double(), torch.arange(cols)
        q = whole(1, 50, cols, cols).double()
        for label, y, w in (
            ("any", x, q),
            ("few values", x % 5 - 2, q * 0 + 3),
            ("equal", x * 0 - 7, q * 0 + 1),
            ("below 0", -x.abs() - 1, q),
            ("small", x.abs() / 2.0**20, q),
            ("the last", torch.where(c == cols - 1, 2.0, x * 0 + 1), q * 0 + 1),
            ("-infinity", x * 0 - INF, q),
        ):
            made = y * w
            value = made.amax(1)
            place = torch.where(made == value[:, None], c, cols).amin(1)
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            inputs = y.float(), w.float()
            yield Case(words, inputs, (value, place), dtypes=(*FLOAT, *WHOLE))


def turned_weights(launcher: Launcher) -> Iterator[Case]:
    """Turn bfloat16, where only the last step rounds: any, factors that round, large, NaN."""
    for rows, cols in (*SIDES, (31, 200), (200, 31), (300, 1), (33, 65)):
        n = rows * cols
        x = whole(-255, 256, n, n).reshape(rows, cols).double()
        f = whole(1, 100, rows, rows).double()
        for label, y, g in (
            ("any", x, f),
            ("ones", x * 0 + 1, f % 7),
            ("no factors", x, f * 0 + 1),
            ("large", x * 2.0**100, f),
            ("NaN", torch.where(x % 9 == 4, NAN, x), f),
        ):
            inputs = y.bfloat16(), g.float()
            right = (inputs[0].double() * g[:, None]).T
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, inputs, (right,), dtypes=(torch.bfloat16,))


def lower_products(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole numbers, so that all is exact: any, ones, NaN above the diagonal."""
    sides = ((1, 1), (1, 2), (2, 1), (3, 5), (16, 16), (17, 15), (15, 17), (5, 40), (40, 5))
    sides += ((33, 31), (1, 70), (70, 1), (20, 65), (65, 20), (32, 32), (2, 200), (100, 48))
    for m, n in (*sides, *((7, k) for k in range(2, 64, 3))):
        a = whole(-9, 10, m * n, m + n).reshape(m, n).float()
        t = whole(-9, 10, n * n, n).reshape(n, n).float()
        i = torch.arange(n)
        inside = i[:, None] >= i
        for label, p, q in (
            ("any", a, t),
            ("ones", a * 0 + 1, t * 0 + 1),
            ("nothing above", a, t.tril()),
            ("NaN above", a, torch.where(inside, t, NAN)),
        ):
            right = p.double() @ torch.where(inside, q, 0.0).double()
            yield Case(f"m = {m}, n = {n}, {label}", (p, q), (right,), dtypes=FLOAT)


def rings(launcher: Launcher) -> Iterator[Case]:
    """Filter whole numbers, so that all is exact: any, ones, one tap, a NaN."""
    for n in (*range(1, 71), 95, 127, 128, 129, 255, 256, 257, 1000):
        x = whole(-9, 10, n, n).double()
        for taps in (1, 2, 7, 63, 64, 65, 130, 200):
            h = whole(1, 10, taps, n + taps).double()
            k = torch.arange(taps)
            places = (torch.arange(n)[:, None] - k) % n
            for label, y, g in (
                ("any", x, h),
                ("ones", x * 0 + 1, h * 0 + 1),
                ("the last tap", x, torch.where(k == taps - 1, 1.0, 0.0)),
                ("NaN", torch.where(torch.arange(n) == n // 2, NAN, x), h),
            ):
                right = (y[places] * g).sum(1)
                words = f"n = {n:,}, taps = {taps}, {label}"
                inputs = y.float(), g.float()
                yield Case(words, inputs, (right,), dtypes=FLOAT)


def shared_out(launcher: Launcher) -> Iterator[Case]:
    """Share out: any, equal, far above and below 0, rising, falling, a mask, a NaN."""
    for rows, cols in (*SIDES, (3, 2_001), (513, 3)):
        n = rows * cols
        x, c = whole(-40, 41, n, n).reshape(rows, cols) / 8.0, torch.arange(cols)
        mass = whole(1, 900, rows, rows).double()
        for label, y in (
            ("any", x),
            ("equal", x * 0 + 3),
            ("far above 0", x + 1000),
            ("far below 0", x - 1000),
            ("rising", x * 0 + c / 8.0),
            ("falling", x * 0 - c / 8.0),
            ("a mask", torch.where(c % 3 == 1, -INF, x)),
            ("NaN", torch.where(c == cols // 2, NAN, x)),
        ):
            y = y.half()
            right = y.double().softmax(1) * mass[:, None]
            slack = ((2.0**-10 * right.abs() + 2.0**-24).nan_to_num(0.0),)
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            inputs = y, mass.float()
            yield Case(words, inputs, (right,), dtypes=HALF, within=slack)


def scores(launcher: Launcher) -> Iterator[Case]:
    """Grade whole numbers: any, small, about a large mean, one apart, equal ones, a NaN."""
    for rows, cols in (*SIDES, (3, 2_001), (129, 130)):
        n = rows * cols
        x, c = whole(-99, 100, n, n).reshape(rows, cols), torch.arange(cols)
        for label, y in (
            ("any", x),
            ("small", x / 1024),
            ("about 4,096", 4096 + x // 10),
            ("one apart", torch.where(c == cols // 3, 1032, x * 0 + 1024)),
            ("equal", x * 0 + 5),
            ("NaN", torch.where((x % 9 == 4) & (c == cols // 2), NAN, x.double())),
        ):
            v = y.double()
            d = v - v.mean(1, keepdim=True)
            var = (d * d).sum(1, keepdim=True) / max(cols - 1, 1)
            right = torch.where(var == 0, 0.0 * d, d / var.sqrt())
            off = 2.0**-14 * right.abs()
            off += 2.0**-20 * (v.abs().amax(1, True) / var.sqrt()).nan_to_num(0.0, 0.0)
            slack = (off.nan_to_num(0.0),)
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y.float(),), (right,), dtypes=FLOAT, within=slack)


BASES = {
    "sixtyfive_grow": Base(GROW, {"cases": growths}),
    "sixtyfive_peak": Base(PEAK, {"cases": peaks}),
    "sixtyfive_quant": Base(QUANT, {"cases": levels_of_bytes}),
    "sixtyfive_fixed": Base(FIXED, {"cases": fixed_points}),
    "sixtyfive_tube": Base(TUBE, {"cases": tubes}),
    "sixtyfive_gate": Base(GATE, {"cases": gated}),
    "sixtyfive_lag": Base(LAG, {"cases": echoes}),
    "sixtyfive_votes": Base(VOTES, {"cases": counted_votes}),
    "sixtyfive_deal": Base(DEAL, {"cases": deals}),
    "sixtyfive_turn": Base(TURN, {"cases": turned_weights}),
    "sixtyfive_lower": Base(LOWER, {"cases": lower_products}),
    "sixtyfive_ring": Base(RING, {"cases": rings}),
    "sixtyfive_mass": Base(MASS, {"cases": shared_out}),
    "sixtyfive_score": Base(SCORE, {"cases": scores}),
}

WRONG = (
    # ---- grow
    # The address of the second input is not looked at.
    Wrong(
        "sixtyfive_grow_cap_untested",
        "sixtyfive_grow",
        "alignment",
        (" && round16(cap)", ""),
    ),
    # A thread takes four numbers, also at the end.
    Wrong(
        "sixtyfive_grow_end_untested",
        "sixtyfive_grow",
        "bounds / tail",
        ("int end = min(i + 4, n);", "int end = i + 4;"),
    ),
    # Number by number, a thread takes three.
    Wrong(
        "sixtyfive_grow_rest_of_three",
        "sixtyfive_grow",
        "unwritten / left out / alignment / tail | numbers / nan",
        ("min(i + 4, n)", "min(i + 3, n)"),
    ),
    # The last number of a pack takes the limit beside its own.
    Wrong(
        "sixtyfive_grow_limit_of_neighbour",
        "sixtyfive_grow",
        "other element / neighbour / swapped | numbers / nan / infinity",
        ("later(a.w, c.w, r)", "later(a.w, c.z, r)"),
    ),
    # The index has 16 bits.
    Wrong(
        "sixtyfive_grow_short_index",
        "sixtyfive_grow",
        "narrow / unwritten / left out | tail / grid / nan / race",
        ("  int i = 4 * (", "  unsigned short i = 4 * ("),
    ),
    # ---- peak
    # The second input may lie anywhere.
    Wrong(
        "sixtyfive_peak_old_anywhere",
        "sixtyfive_peak",
        "alignment",
        ("const half *old,  // [n] 4-byte aligned", "const half *old,  // [n]"),
    ),
    # A thread takes one pair, but there are 20 blocks at most.
    Wrong(
        "sixtyfive_peak_one_pair",
        "sixtyfive_peak",
        "left out / unwritten / grid | tail / numbers / nan",
        (
            "    for (int i = 2 * t; i < n; i += 2 * gridDim.x * blockDim.x) {",
            "    int i = 2 * t;\n    if (i < n) {",
        ),
    ),
    # The larger is taken by a function that loses NaN.
    Wrong(
        "sixtyfive_peak_nan_lost",
        "sixtyfive_peak",
        "nan",
        ("loud < held ? held : loud", "fmaxf(loud, held)"),
    ),
    # The decay becomes a half first.
    Wrong(
        "sixtyfive_peak_decay_of_halves",
        "sixtyfive_peak",
        "precision / rounding | numbers",
        (
            "    float held = old * decay;",
            "    float held = old * __half2float(__float2half(decay));",
        ),
    ),
    # The old peak is brought up to date where it lies.
    Wrong(
        "sixtyfive_peak_old_in_place",
        "sixtyfive_peak",
        "input | state / numbers",
        (
            "            *(half2 *)(y + i) = __float22half2_rn(w);\n",
            "            *(half2 *)(y + i) = __float22half2_rn(w);\n"
            "            *(half2 *)(old + i) = *(half2 *)(y + i);\n",
        ),
    ),
    # ---- quant
    # What lies just between two goes up, as a half is added.
    Wrong(
        "sixtyfive_quant_half_up",
        "sixtyfive_quant",
        "rounding | numbers",
        ("rintf(v / scale)", "floorf(v / scale + 0.5f)"),
    ),
    # The first byte of a word is taken for its highest.
    Wrong(
        "sixtyfive_quant_highest_first",
        "sixtyfive_quant",
        "other element / swapped / neighbour | numbers",
        ("<< (8 * k)", "<< (24 - 8 * k)"),
    ),
    # The upper limit is taken first, which makes 255 of NaN.
    Wrong(
        "sixtyfive_quant_nan_is_255",
        "sixtyfive_quant",
        "nan",
        ("fminf(fmaxf(q, 0.0f), 255.0f)", "fmaxf(fminf(q, 255.0f), 0.0f)"),
    ),
    # There is no upper limit, so that a byte runs into the next one.
    Wrong(
        "sixtyfive_quant_no_upper_limit",
        "sixtyfive_quant",
        "whole range / infinity | numbers / other element",
        ("fminf(fmaxf(q, 0.0f), 255.0f)", "fmaxf(q, 0.0f)"),
    ),
    # The number of blocks is rounded down.
    Wrong(
        "sixtyfive_quant_blocks_rounded_down",
        "sixtyfive_quant",
        "grid / unwritten / left out / tail | nan / numbers",
        ("(n / 4 + 127) / 128", "n / 4 / 128"),
    ),
    # ---- fixed
    # The result may lie at an odd address, though pairs are stored.
    Wrong(
        "sixtyfive_fixed_result_anywhere",
        "sixtyfive_fixed",
        "alignment",
        ("int *y,         // [n] 8-byte aligned", "int *y,         // [n]"),
    ),
    # What is behind the last place is cut off.
    Wrong(
        "sixtyfive_fixed_cut_off",
        "sixtyfive_fixed",
        "rounding | numbers",
        ("__float2int_rn(", "__float2int_rz("),
    ),
    # The factor is one less than 2^16.
    Wrong(
        "sixtyfive_fixed_factor_less_one",
        "sixtyfive_fixed",
        "function | numbers / precision / rounding",
        ("65536.0f", "65535.0f"),
    ),
    # The last number of an odd count has no thread where pairs fill their blocks.
    Wrong(
        "sixtyfive_fixed_pairs_rounded_down",
        "sixtyfive_fixed",
        "tail / unwritten / left out / grid | block size / refused",
        ("int threads = (n + 1) / 2;", "int threads = n / 2;"),
    ),
    # Integers of 64 bits are cut, so that large numbers wrap.
    Wrong(
        "sixtyfive_fixed_cut_from_64_bits",
        "sixtyfive_fixed",
        "whole range / infinity | numbers",
        ("__float2int_rn(v * 65536.0f)", "(int)__float2ll_rn(v * 65536.0f)"),
    ),
    # ---- tube
    # The factor is that of the first call.
    Wrong(
        "sixtyfive_tube_first_factor",
        "sixtyfive_tube",
        "state | numbers / function / precision",
        (
            "  tube<<<blocks, block_size, 0, stream>>>(x, y, a, n);",
            "  static float kept = a;\n"
            "  tube<<<blocks, block_size, 0, stream>>>(x, y, kept, n);",
        ),
    ),
    # The launch forgets the stream.
    Wrong(
        "sixtyfive_tube_no_stream",
        "sixtyfive_tube",
        "stream",
        ("<<<blocks, block_size, 0, stream>>>", "<<<blocks, block_size>>>"),
    ),
    # Blocks are counted as if they had 256 threads.
    Wrong(
        "sixtyfive_tube_blocks_of_256",
        "sixtyfive_tube",
        "grid / block size / unwritten / left out | tail / nan",
        ("(n + block_size - 1) / block_size", "(n + 255) / 256"),
    ),
    # The number behind the last one is written.
    Wrong(
        "sixtyfive_tube_one_more",
        "sixtyfive_tube",
        "bounds / tail",
        ("if (i < n)", "if (i <= n)"),
    ),
    # The factor multiplies where it divides.
    Wrong(
        "sixtyfive_tube_factor_inside",
        "sixtyfive_tube",
        "function | numbers / precision / infinity",
        ("x[i] / a", "x[i] * a"),
    ),
    # ---- gate
    # The address of the result is not looked at.
    Wrong(
        "sixtyfive_gate_result_unasked",
        "sixtyfive_gate",
        "alignment",
        ("(uintptr_t)b | (uintptr_t)y)", "(uintptr_t)b)"),
    ),
    # Only the last number of an odd count is taken alone.
    Wrong(
        "sixtyfive_gate_rest_of_one",
        "sixtyfive_gate",
        "unwritten / left out / alignment / tail | numbers / nan",
        (
            "    for (int i = 2 * pairs + t; i < n; i += step)\n        y[i]",
            "    int i = n - 1;\n    if (t == 0 && n % 2 == 1)\n        y[i]",
        ),
    ),
    # The logistic function is a quotient of infinities.
    Wrong(
        "sixtyfive_gate_quotient",
        "sixtyfive_gate",
        "nan / infinity | numbers",
        ("tanhf(a) / (1.0f + expf(-b))", "tanhf(a) * expf(b) / (1.0f + expf(b))"),
    ),
    # The second number of a pair has its gate and its value swapped.
    Wrong(
        "sixtyfive_gate_second_swapped",
        "sixtyfive_gate",
        "swapped | numbers / function / other element / neighbour / nan",
        ("gate(u.y, v.y)", "gate(v.y, u.y)"),
    ),
    # The gate is limited by functions that lose NaN.
    Wrong(
        "sixtyfive_gate_nan_lost",
        "sixtyfive_gate",
        "nan",
        ("    return tanhf(a)", "    b = fminf(fmaxf(b, -20.0f), 20.0f);\n    return tanhf(a)"),
    ),
    # ---- lag
    # Steps of the tree do not wait for one another.
    Wrong(
        "sixtyfive_lag_no_barrier",
        "sixtyfive_lag",
        "race | numbers / left out / unwritten / nan / other element / state",
        ("    __syncthreads();\n    if (t < h)", "    if (t < h)"),
    ),
    # The second factor is read past the end.
    Wrong(
        "sixtyfive_lag_past_the_end",
        "sixtyfive_lag",
        "bounds / tail | numbers / nan",
        ("i + lag < n", "i < n"),
    ),
    # Short signals have fewer blocks, but all parts are added.
    Wrong(
        "sixtyfive_lag_parts_left_over",
        "sixtyfive_lag",
        "state | numbers / nan / twice / start",
        (
            "  lag_parts<<<PARTS, T, 0, stream>>>",
            "  int blocks = n < PARTS * T ? (n + T - 1) / T : PARTS;\n"
            "  lag_parts<<<blocks, T, 0, stream>>>",
        ),
    ),
    # The second launch forgets the stream.
    Wrong(
        "sixtyfive_lag_total_no_stream",
        "sixtyfive_lag",
        "stream | state",
        ("<<<1, 32, 0, stream>>>", "<<<1, 32>>>"),
    ),
    # The shuffles begin with 8.
    Wrong(
        "sixtyfive_lag_from_eight",
        "sixtyfive_lag",
        "left out | numbers / nan",
        ("for (int d = 16;", "for (int d = 8;"),
    ),
    # ---- votes
    # Nothing sets the result to 0.
    Wrong(
        "sixtyfive_votes_not_cleared",
        "sixtyfive_votes",
        "zero before / state / start | nan",
        ("    clear<<<1, T, 0, stream>>>(out, classes);\n", ""),
    ),
    # Threads of a warp wait for one another, but add without an atomic.
    Wrong(
        "sixtyfive_votes_no_atomic",
        "sixtyfive_votes",
        "race | numbers / left out",
        (
            "i += gridDim.x * T)\n        atomicAdd(&s[label[i]], w[i]);",
            "i += gridDim.x * T) {\n"
            "        float sum = s[label[i]] + w[i];\n"
            "        __syncwarp(__activemask());\n"
            "        s[label[i]] = sum;\n"
            "    }",
        ),
    ),
    # Weights may be added before the sums are 0.
    Wrong(
        "sixtyfive_votes_no_barrier",
        "sixtyfive_votes",
        "race | numbers / start / left out / unwritten / state",
        ("        s[c] = 0.0f;\n    __syncthreads();\n", "        s[c] = 0.0f;\n"),
    ),
    # The size of shared memory is in numbers, not in bytes.
    Wrong(
        "sixtyfive_votes_bytes_forgotten",
        "sixtyfive_votes",
        "bounds",
        ("classes * sizeof(float), stream", "classes, stream"),
    ),
    # Each thread adds one class to the result.
    Wrong(
        "sixtyfive_votes_one_class_a_thread",
        "sixtyfive_votes",
        "left out | unwritten / numbers / nan / tail",
        (
            "    for (int c = threadIdx.x; c < classes; c += T)\n"
            "        atomicAdd(&out[c], s[c]);",
            "    int c = threadIdx.x;\n    if (c < classes)\n        atomicAdd(&out[c], s[c]);",
        ),
    ),
    # ---- deal
    # The best begins with the least positive number.
    Wrong(
        "sixtyfive_deal_from_flt_min",
        "sixtyfive_deal",
        "start | numbers / other element",
        ("-INFINITY", "FLT_MIN"),
    ),
    # Of equal products the one that comes last wins.
    Wrong(
        "sixtyfive_deal_last_of_equal",
        "sixtyfive_deal",
        "other element / function | numbers",
        ("if (v > top || (v == top && c < at)) {", "if (v >= top) {"),
    ),
    # Thread 0 reads what warps may not have stored.
    Wrong(
        "sixtyfive_deal_no_barrier",
        "sixtyfive_deal",
        "race | numbers / left out / unwritten / other element / start",
        ("  __syncthreads();\n", ""),
    ),
    # A thread keeps the quality of its first column.
    Wrong(
        "sixtyfive_deal_quality_of_thread",
        "sixtyfive_deal",
        "other element / bounds / left out | numbers",
        (
            "  int at = 0x7fffffff;\n",
            "  int at = 0x7fffffff;\n  float q = t < cols ? quality[t] : 0.0f;\n",
        ),
        ("row[c] * quality[c]", "row[c] * q"),
    ),
    # The last warp is left out.
    Wrong(
        "sixtyfive_deal_last_warp_left_out",
        "sixtyfive_deal",
        "left out / tail | numbers / other element",
        ("w < T / 32; w++", "w < T / 32 - 1; w++"),
    ),
    # ---- turn
    # The factor is taken by the column.
    Wrong(
        "sixtyfive_turn_factor_of_column",
        "sixtyfive_turn",
        "other element / sides / swapped / bounds | numbers",
        ("* f[r];", "* f[c];"),
    ),
    # Threads read what others may not have stored.
    Wrong(
        "sixtyfive_turn_no_barrier",
        "sixtyfive_turn",
        "race | numbers / left out / unwritten / other element",
        ("    __syncthreads();\n", ""),
    ),
    # The pitch of the result is that of the input.
    Wrong(
        "sixtyfive_turn_pitch_of_input",
        "sixtyfive_turn",
        "sides / bounds / other element | numbers / unwritten",
        ("(size_t)to_row * rows", "(size_t)to_row * cols"),
    ),
    # Results are rounded toward 0.
    Wrong(
        "sixtyfive_turn_toward_zero",
        "sixtyfive_turn",
        "rounding | numbers",
        ("__float2bfloat16(", "__float2bfloat16_rz("),
    ),
    # The turned place is tested against the sides of the input.
    Wrong(
        "sixtyfive_turn_test_not_turned",
        "sixtyfive_turn",
        "sides / bounds / swapped | unwritten / left out / numbers / tail",
        ("to_row < cols && to_col < rows", "to_row < rows && to_col < cols"),
    ),
    # ---- lower
    # The diagonal is left out.
    Wrong(
        "sixtyfive_lower_no_diagonal",
        "sixtyfive_lower",
        "left out / function / neighbour | numbers",
        ("v >= j", "v > j"),
    ),
    # Tiles begin with the block's row.
    Wrong(
        "sixtyfive_lower_from_row",
        "sixtyfive_lower",
        "left out / other element / sides / swapped | numbers / function",
        ("int p = blockIdx.x * S;", "int p = blockIdx.y * S;"),
    ),
    # Tiles are filled while they are read.
    Wrong(
        "sixtyfive_lower_no_second_barrier",
        "sixtyfive_lower",
        "race | numbers / other element / left out / nan",
        ("ls[h][tx];\n    __syncthreads();\n", "ls[h][tx];\n"),
    ),
    # What is above the diagonal counts.
    Wrong(
        "sixtyfive_lower_all_of_it",
        "sixtyfive_lower",
        "function / nan / other element | numbers",
        ("v < n && v >= j ?", "v < n && j < n ?"),
    ),
    # Columns of a past the end are read.
    Wrong(
        "sixtyfive_lower_columns_untested",
        "sixtyfive_lower",
        "bounds | tail / nan / numbers",
        ("i < m && u < n ?", "i < m ?"),
    ),
    # ---- ring
    # What is before the first number is not taken from the end.
    Wrong(
        "sixtyfive_ring_no_wrap",
        "sixtyfive_ring",
        "bounds / other element / neighbour | numbers / nan",
        ("            if (j < 0)\n                j += n;\n", ""),
    ),
    # Taps go round once at most.
    Wrong(
        "sixtyfive_ring_one_turn",
        "sixtyfive_ring",
        "bounds / other element | numbers / nan",
        ("(i - start - k) % n;", "i - start - k;"),
    ),
    # Taps are replaced while they are read.
    Wrong(
        "sixtyfive_ring_no_second_barrier",
        "sixtyfive_ring",
        "race | numbers / other element / left out / nan",
        ("        }\n        __syncthreads();\n", "        }\n"),
    ),
    # The taps go forward.
    Wrong(
        "sixtyfive_ring_forward",
        "sixtyfive_ring",
        "other element / function / neighbour / swapped | numbers / nan",
        ("(i - start - k) % n", "(i + start + k) % n"),
    ),
    # The last piece of the taps counts as a whole one.
    Wrong(
        "sixtyfive_ring_whole_pieces",
        "sixtyfive_ring",
        "unwritten / twice / tail / bounds / start | nan / numbers / race / state",
        ("min(T, taps - start)", "T"),
    ),
    # ---- mass
    # The exponential is that of halves, of a difference of halves.
    Wrong(
        "sixtyfive_mass_in_halves",
        "sixtyfive_mass",
        "precision / rounding | numbers",
        (
            "__float2half(expf(__half2float(row[c]) - ms[0]) * f)",
            "__hmul(hexp(__hsub(row[c], __float2half(ms[0]))), __float2half(f))",
        ),
    ),
    # The tree begins before all have stored their sums.
    Wrong(
        "sixtyfive_mass_no_barrier",
        "sixtyfive_mass",
        "race | numbers / left out / unwritten / nan / other element / state",
        ("  ss[t] = s;\n  __syncthreads();\n", "  ss[t] = s;\n"),
    ),
    # The sum keeps its scale when the largest changes.
    Wrong(
        "sixtyfive_mass_sum_keeps_scale",
        "sixtyfive_mass",
        "function / left out | numbers / precision / infinity",
        ("    s = s * expf(m - most) + expf(v - most);\n", "    s += expf(v - most);\n"),
    ),
    # The largest begins with an infinity, which is taken from itself.
    Wrong(
        "sixtyfive_mass_from_infinity",
        "sixtyfive_mass",
        "nan / infinity / start | numbers",
        ("float m = -FLT_MAX,", "float m = -INFINITY,"),
    ),
    # Exponentials are kept where x lies.
    Wrong(
        "sixtyfive_mass_kept_in_x",
        "sixtyfive_mass",
        "input | numbers / state / precision / rounding",
        (
            "  for (int c = t; c < cols; c += T)\n"
            "    y[(size_t)blockIdx.x * cols + c] = "
            "__float2half(expf(__half2float(row[c]) - ms[0]) * f);",
            "  for (int c = t; c < cols; c += T) {\n"
            "    ((half*)row)[c] = __float2half(expf(__half2float(row[c]) - ms[0]));\n"
            "    y[(size_t)blockIdx.x * cols + c] = "
            "__float2half(__half2float(row[c]) * f);\n"
            "  }",
        ),
    ),
    # ---- score
    # The variance is that of a whole population.
    Wrong(
        "sixtyfive_score_of_population",
        "sixtyfive_score",
        "function | numbers / precision",
        ("m2 / (cols - 1)", "m2 / cols"),
    ),
    # The distance to the old mean is squared.
    Wrong(
        "sixtyfive_score_old_mean_twice",
        "sixtyfive_score",
        "function / precision / twice | numbers",
        ("m2 += d * (row[c] - mean);", "m2 += d * d;"),
    ),
    # Lanes are joined without the distance of their means.
    Wrong(
        "sixtyfive_score_distance_left_out",
        "sixtyfive_score",
        "left out / function | numbers / precision / infinity",
        ("m2 += other + d * d * count * share;", "m2 += other;"),
    ),
    # Rows past the end are taken, too.
    Wrong(
        "sixtyfive_score_rows_untested",
        "sixtyfive_score",
        "bounds | tail / sides",
        ("    if (r >= rows)\n        return;\n", ""),
    ),
    # Lanes without a number divide by 0.
    Wrong(
        "sixtyfive_score_nothing_by_nothing",
        "sixtyfive_score",
        "nan | numbers",
        ("all > 0.0f ? count2 / all : 0.0f", "count2 / all"),
    ),
)

RIGHT = (
    # There are far more threads than packs.
    Right(
        "sixtyfive_grow_idle_threads",
        "sixtyfive_grow",
        ("int threads = (n + 3) / 4;", "int threads = n + 9000;"),
    ),
    # One block does all.
    Right(
        "sixtyfive_peak_one_block",
        "sixtyfive_peak",
        (
            "    if (blocks > 20)\n        blocks = 20;",
            "    if (blocks > 1)\n        blocks = 1;",
        ),
    ),
    # A word is filled from its highest byte.
    Right(
        "sixtyfive_quant_from_the_highest",
        "sixtyfive_quant",
        (
            "for (int k = 0; k < 4; k++) word |= level(x[4 * t + k], scale, zero) << (8 * k);",
            "for (int k = 3; k >= 0; k--) word = word << 8 | level(x[4 * t + k], scale, zero);",
        ),
    ),
    # The factor goes into the exponent.
    Right(
        "sixtyfive_fixed_by_exponent",
        "sixtyfive_fixed",
        ("__float2int_rn(v * 65536.0f)", "__float2int_rn(ldexpf(v, 16))"),
    ),
    # The function of two arguments needs no division.
    Right(
        "sixtyfive_tube_two_arguments",
        "sixtyfive_tube",
        (
            "    float v = x[i] / a;\n    y[i] = a * atanf(v);",
            "    y[i] = a * atan2f(x[i], a);",
        ),
    ),
    # The kernel is launched by its address.
    Right(
        "sixtyfive_gate_by_address",
        "sixtyfive_gate",
        (
            "    gates<<<blocks, block_size, 0, stream>>>(a, b, y, n, even ? n / 2 : 0);\n",
            "    int pairs = even ? n / 2 : 0;\n"
            "    void *arguments[] = {&a, &b, &y, &n, &pairs};\n"
            "    cudaLaunchKernel((const void *)gates, dim3(blocks), dim3(block_size),\n"
            "                     arguments, 0, stream);\n",
        ),
    ),
    # The launcher sets the result to 0, and each block adds to it.
    Right(
        "sixtyfive_lag_memset",
        "sixtyfive_lag",
        ("__device__ float parts[PARTS];\n\n", ""),
        (
            "lag_parts(const float* x, int lag, int n) {",
            "lag_parts(const float* x, float* out, int lag, int n) {",
        ),
        ("parts[blockIdx.x] = s[0];", "atomicAdd(out, s[0]);"),
        (
            "__global__ void lag_total(float* out) {\n"
            "  float v = parts[threadIdx.x];\n"
            "  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, "
            "d);\n"
            "  if (threadIdx.x == 0) out[0] = v;\n"
            "}\n"
            "\n",
            "",
        ),
        (
            "  lag_parts<<<PARTS, T, 0, stream>>>(x, lag, n);\n"
            "  lag_total<<<1, 32, 0, stream>>>(out);\n",
            "  cudaMemsetAsync(out, 0, sizeof(float), stream);\n"
            "  lag_parts<<<PARTS, T, 0, stream>>>(x, out, lag, n);\n",
        ),
    ),
    # The launcher sets the result to 0, and threads add to it alone.
    Right(
        "sixtyfive_votes_no_shared_sums",
        "sixtyfive_votes",
        (
            "__global__ void clear(float *out, int classes)\n"
            "{\n"
            "    for (int c = threadIdx.x; c < classes; c += T)\n"
            "        out[c] = 0.0f;\n"
            "}\n"
            "\n",
            "",
        ),
        (
            "    extern __shared__ float s[];\n"
            "    for (int c = threadIdx.x; c < classes; c += T)\n"
            "        s[c] = 0.0f;\n"
            "    __syncthreads();\n",
            "",
        ),
        (
            "atomicAdd(&s[label[i]], w[i]);\n"
            "    __syncthreads();\n"
            "    for (int c = threadIdx.x; c < classes; c += T)\n"
            "        atomicAdd(&out[c], s[c]);\n",
            "atomicAdd(&out[label[i]], w[i]);\n",
        ),
        (
            "    clear<<<1, T, 0, stream>>>(out, classes);\n"
            "    votes<<<blocks, T, classes * sizeof(float), stream>>>",
            "    cudaMemsetAsync(out, 0, classes * sizeof(float), stream);\n"
            "    votes<<<blocks, T, 0, stream>>>",
        ),
    ),
    # Threads go from the last column to the first.
    Right(
        "sixtyfive_deal_from_the_last",
        "sixtyfive_deal",
        (
            "for (int c = t; c < cols; c += T) better",
            "for (int c = cols - 1 - t; c >= 0; c -= T) better",
        ),
    ),
    # There is no tile.
    Right(
        "sixtyfive_turn_no_tile",
        "sixtyfive_turn",
        ("    __shared__ float tile[S][S + 1];\n", ""),
        (
            "        tile[threadIdx.y][threadIdx.x] = __bfloat162float(x[(size_t)r * "
            "cols + c]) * f[r];\n"
            "    __syncthreads();\n"
            "    int to_row = blockIdx.x * S + threadIdx.y;\n"
            "    int to_col = blockIdx.y * S + threadIdx.x;\n"
            "    if (to_row < cols && to_col < rows)\n"
            "        y[(size_t)to_row * rows + to_col] = "
            "__float2bfloat16(tile[threadIdx.x][threadIdx.y]);\n",
            "        y[(size_t)c * rows + r] =\n"
            "            __float2bfloat16(__bfloat162float(x[(size_t)r * cols + c]) "
            "* f[r]);\n",
        ),
    ),
    # All tiles are taken, also those that are 0, and lines of a tile from the last.
    Right(
        "sixtyfive_lower_all_tiles",
        "sixtyfive_lower",
        ("int p = blockIdx.x * S;", "int p = 0;"),
        ("int h = 0; h < S; h++", "int h = S - 1; h >= 0; h--"),
    ),
    # Steps back are made one turn at a time.
    Right(
        "sixtyfive_ring_turn_by_turn",
        "sixtyfive_ring",
        (
            "            int j = (i - start - k) % n;\n            if (j < 0)\n",
            "            int j = i - start - k;\n            while (j < 0)\n",
        ),
    ),
    # The sum goes into the exponent.
    Right(
        "sixtyfive_mass_by_logarithm",
        "sixtyfive_mass",
        (
            "  float f = mass[blockIdx.x] / ss[0];\n",
            "  float f = mass[blockIdx.x], all = ms[0] + logf(ss[0]);\n",
        ),
        ("- ms[0]) * f);", "- all) * f);"),
    ),
    # Welford's sums are doubles.
    Right(
        "sixtyfive_score_in_doubles",
        "sixtyfive_score",
        (
            "    float count = 0.0f, mean = 0.0f, m2 = 0.0f;",
            "    double count = 0.0, mean = 0.0, m2 = 0.0;",
        ),
        ("        float d = row[c] - mean;", "        double d = row[c] - mean;"),
        ("        float count2 =", "        double count2 ="),
        ("        float mean2 =", "        double mean2 ="),
        ("        float other =", "        double other ="),
        ("        float all = count + count2, d", "        double all = count + count2, d"),
        (
            "        float share = all > 0.0f ? count2 / all : 0.0f;",
            "        double share = all > 0.0 ? count2 / all : 0.0;",
        ),
    ),
)
