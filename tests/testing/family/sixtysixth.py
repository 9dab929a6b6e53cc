"""Hold a sixty-sixth family: kernels of half a year's practice, and their plainest mistakes.

Its bases are prices times counts with a fee, colours through haze, halves to steps of 16 bits,
bytes of a sign and an exponent to bfloat16, tanh with a smaller slope below 0, a times a hard
gate of b, counts times prices in 64 bits, weighted squares of rows, the lowest price of what is
left and where it is first, a transpose of floats to halves with a bias a column, a product of
matrices modulo p, what flows into the nodes of a network, softmax to the base 2, and layer norm
held between limits. They have 13 to 45 lines, and are of people with half a year of CUDA: one
who sells, one who paints landscapes, one who drives motors, one who stores logarithms, a reader
of a paper, one who shrinks networks, one who keeps a store, one who weighs bars, one who
compares shops, one who changes layouts, one who breaks codes, one who simulates pipes, one who
counts in octaves and one who distrusts outliers. They use float4 and int4 where the launcher
finds all addresses round with a second kernel for the rest, half2 in a loop over the grid, a
short4 with one thread for the rest, a uchar4 and two pairs with the rest by the first threads,
a number a thread, pairs where the kernel finds all addresses even, a ticket for the block that
is last, a warp a row with four rows a block by two shapes of blocks, a price and a place in one
key of 64 bits, a tile of 32 with 8 rows of threads, tiles of 16 in integers, a maximum and a
sum in one pass that shuffles join, and two sums of one function. Their mistakes are spread over
alignment, sizes, grids and integers of 16 and 32 bits, values, rounding, NaN, infinity and
-0.0, inputs that are written, sums, transposes, products, order, streams and what is left of an
earlier call. The causes were written before a member was judged. On the emulator each ran
beside PyTorch, compared as a case does, called twice on the same tensors, with NaN and with 1e3
in floating outputs (-1 and 77 in others), with tensors at either end of their pages, the bytes
behind them and their inputs looked at afterwards, on a stream that is not the default one, with
threads in order, from the last to the first and in a random order, and in the slices that the
cases name. Bases and right ones ran all cases; wrong ones until they were wrong often enough.
Not here is a first thought that was not tried, as blocks on the emulator would hardly show it:
a ticket that is taken without an atomic. Of those that lack a barrier not each is wrong in
every order of threads. nvcc 13.0 compiles each for 8.0, all members of a base in one file; none
was run on a GPU. Bases and right ones are right, and all others wrong or refused by a fault:

    sixtysix_bill_sum_of_addresses     from 4 numbers on, by the addresses
    sixtysix_bill_rest_by_one_block    from 129 numbers on, if an address is odd
    sixtysix_bill_count_beside         from 4 numbers on, where packs are taken
    sixtysix_bill_rest_no_stream       on another stream than the default one
    sixtysix_bill_rest_too_early       from 171 numbers on, unless 4 divides n
    sixtysix_haze_t_anywhere           from 2 numbers on, by the address of t
    sixtysix_haze_two_steps            from 6,146 numbers on
    sixtysix_haze_rounded_twice        of products that are not halves
    sixtysix_haze_nan_lost             of NaN in t
    sixtysix_haze_in_place             from 2 numbers on: c is overwritten
    sixtysix_steps_cut_off             of nearly all
    sixtysix_steps_no_thread_for_rest  unless 4 divides n, of some counts
    sixtysix_steps_nan_lowest          of NaN
    sixtysix_steps_wraps               beyond 16 bits
    sixtysix_steps_inner_swapped       from 4 numbers on
    sixtysix_unlog_one_zero            of -0.0
    sixtysix_unlog_exponent_of_64      of all but zeros
    sixtysix_unlog_through_half        from 65,536 on, and of what is below the halves
    sixtysix_unlog_rest_toward_zero    unless 4 divides n, of some products
    sixtysix_unlog_rest_of_first       from 5 numbers on, unless 4 divides n
    sixtysix_penal_blocks_of_256       by another block size, from a second block on
    sixtysix_penal_quotient            from about 44 on, and near 0
    sixtysix_penal_grid_cap            from 65,535 blocks on: 2,097,121 numbers at 32
    sixtysix_penal_one_more            unless the block size divides n
    sixtysix_penal_first_blocks        if an earlier call had fewer blocks
    sixtysix_valve_saturated           of NaN in b
    sixtysix_valve_in_halves           of gates that are not halves
    sixtysix_valve_result_unasked      from 2 numbers on, if y alone is at an odd place
    sixtysix_valve_slope_of_fifth      of nearly all between the limits
    sixtysix_valve_no_upper_limit      of b above 2
    sixtysix_stock_short_product       of products beyond 32 bits
    sixtysix_stock_not_set_back        from a second call on
    sixtysix_stock_no_barrier          where threads do not wait for another
    sixtysix_stock_from_quarter        from 65 numbers on
    sixtysix_stock_old_parts           if an earlier call was longer
    sixtysix_heft_blocks_rounded_down  unless 4 divides the rows
    sixtysix_heft_adds                 unless y was 0 before
    sixtysix_heft_square_of_halves     of squares that are not halves
    sixtysix_heft_weight_of_lane       from 33 columns on
    sixtysix_heft_whole_warps          unless 32 divides the columns
    sixtysix_cheap_no_sign             if there are prices below 0 and others
    sixtysix_cheap_no_beginning        if an earlier call found less, and in the first
    sixtysix_cheap_no_atomic           if threads of a warp find something
    sixtysix_cheap_tell_no_stream      on another stream than the default one
    sixtysix_cheap_short_place         if the place is from 65,536 on
    sixtysix_layout_no_barrier         where threads do not wait for another
    sixtysix_layout_bias_of_row        unless all of the bias is alike
    sixtysix_layout_tile_not_turned    from 2 rows or columns on
    sixtysix_layout_grid_swapped       unless there are as many tiles down as across
    sixtysix_layout_toward_zero        of sums that are not halves
    sixtysix_clock_short_product       of products beyond 32 bits
    sixtysix_clock_no_second_barrier   from k = 17 on, where threads do not wait for another
    sixtysix_clock_one_remainder       if the sum is beyond 64 bits: from 3 large products on
    sixtysix_clock_rows_untested       unless 16 divides k
    sixtysix_clock_whole_tiles         unless 16 divides k
    sixtysix_flow_by_columns           of nearly all matrices that are not symmetric
    sixtysix_flow_outward              of nearly all
    sixtysix_flow_too_few_blocks       from 5 nodes on
    sixtysix_flow_odd_lanes_left_out   from 2 nodes on
    sixtysix_flow_own_of_lane          from 2 nodes on, and below 32 past the end
    sixtysix_octave_from_0             of rows that are far below 0
    sixtysix_octave_base_e             unless all of a row are alike
    sixtysix_octave_own_again          from 33 columns on
    sixtysix_octave_no_barrier         where warps do not wait for another
    sixtysix_octave_one_number         from 129 columns on
    sixtysix_hold_nan_lost             of NaN
    sixtysix_hold_no_first_barrier     where threads do not wait for another
    sixtysix_hold_one_pass             about a large mean, if the variance is small
    sixtysix_hold_eps_outside          if eps is not far below the variance
    sixtysix_hold_kept_in_x            of nearly all: x is overwritten
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import whole

# One who sells: price times count and a fee, float4 and int4, the rest by a second kernel.
BILL = (
    HEADER
    + """\
__global__ void bill4(const float* price, const int* count, float* y, float fee, int packs) {
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p < packs) {
    float4 a = ((const float4*)price)[p];
    int4 c = ((const int4*)count)[p];
    float4 v;
    v.x = fmaf(a.x, c.x, fee);
    v.y = fmaf(a.y, c.y, fee);
    v.z = fmaf(a.z, c.z, fee);
    v.w = fmaf(a.w, c.w, fee);
    ((float4*)y)[p] = v;
  }
}

__global__ void bill1(const float* price, const int* count, float* y, float fee, int first,
                      int n) {
  int i = first + blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = fmaf(price[i], count[i], fee);
}

extern "C" void launch(const float* price,  // [n]
                       const int* count,    // [n]
                       float* y,            // [n]
                       float fee, int n, cudaStream_t stream = 0) {
  bool round = ((uintptr_t)price | (uintptr_t)count | (uintptr_t)y) % 16 == 0;
  int packs = round ? n / 4 : 0;
  int rest = n - 4 * packs;
  if (packs > 0)
    bill4<<<(packs + 127) / 128, 128, 0, stream>>>(price, count, y, fee, packs);
  if (rest > 0)
    bill1<<<(rest + 127) / 128, 128, 0, stream>>>(price, count, y, fee, 4 * packs, n);
}
"""
)

# One who paints landscapes: colours through haze, half2 in a loop over the grid.
HAZE = (
    HEADER
    + """\
__device__ float through(float c, float t, float fog)
{
    return c * t + fog * (1.0f - t);
}

__global__ void haze(const half *c, const half *t, half *y, float fog, int n)
{
    int step = gridDim.x * blockDim.x;
    int first = blockIdx.x * blockDim.x + threadIdx.x;
    for (int p = first; p < n / 2; p += step) {
        float2 u = __half22float2(((const half2 *)c)[p]);
        float2 v = __half22float2(((const half2 *)t)[p]);
        ((half2 *)y)[p] = __floats2half2_rn(through(u.x, v.x, fog), through(u.y, v.y, fog));
    }
    if (first == 0 && n % 2 == 1)
        y[n - 1] = __float2half(through(__half2float(c[n - 1]), __half2float(t[n - 1]), fog));
}

extern "C" void launch(const half *c,  // [n] 4-byte aligned
                       const half *t,  // [n] 4-byte aligned
                       half *y,        // [n] 4-byte aligned
                       float fog, int n, cudaStream_t stream = 0)
{
    int blocks = n / 256 + 1;
    if (blocks > 24)
        blocks = 24;
    haze<<<blocks, 128, 0, stream>>>(c, t, y, fog, n);
}
"""
)

# One who drives motors: halves to steps of 16 bits, four a thread, a thread for the rest.
STEPS = (
    HEADER
    + """\
__device__ int16_t steps_of(float v, float scale) {
  float q = rintf(v * scale);
  if (q != q) return 0;
  return (int16_t)fminf(fmaxf(q, -32768.0f), 32767.0f);
}

__global__ void steps(const half* x, int16_t* y, float scale, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  int packs = n / 4;
  if (t < packs) {
    const half2* from = (const half2*)x + 2 * t;
    float2 u = __half22float2(from[0]);
    float2 v = __half22float2(from[1]);
    ((short4*)y)[t] = make_short4(steps_of(u.x, scale), steps_of(u.y, scale),
                                  steps_of(v.x, scale), steps_of(v.y, scale));
  } else if (t == packs) {
    for (int i = 4 * packs; i < n; i++) y[i] = steps_of(__half2float(x[i]), scale);
  }
}

extern "C" void launch(const half* x,  // [n] 4-byte aligned
                       int16_t* y,     // [n] 8-byte aligned
                       float scale, int n, int block_size = 64, cudaStream_t stream = 0) {
  int threads = n / 4 + 1;
  steps<<<(threads + block_size - 1) / block_size, block_size, 0, stream>>>(x, y, scale, n);
}
"""
)

# One who stores logarithms: a byte of sign and exponent to bfloat16, times a gain.
UNLOG = (
    HEADER
    + """\
__device__ float value(unsigned code)
{
    int e = code & 127;
    float v = e == 0 ? 0.0f : ldexpf(1.0f, e - 63);
    return code & 128 ? -v : v;
}

__global__ void unlog(const uint8_t *x, __nv_bfloat16 *y, float gain, int n)
{
    int first = blockIdx.x * blockDim.x + threadIdx.x;
    int packs = n / 4;
    for (int p = first; p < packs; p += gridDim.x * blockDim.x) {
        uchar4 c = ((const uchar4 *)x)[p];
        __nv_bfloat162 *to = (__nv_bfloat162 *)y + 2 * p;
        to[0] = __floats2bfloat162_rn(gain * value(c.x), gain * value(c.y));
        to[1] = __floats2bfloat162_rn(gain * value(c.z), gain * value(c.w));
    }
    int i = 4 * packs + first;
    if (i < n)
        y[i] = __float2bfloat16(gain * value(x[i]));
}

extern "C" void launch(const uint8_t *x,   // [n] 4-byte aligned
                       __nv_bfloat16 *y,  // [n] 4-byte aligned
                       float gain, int n, cudaStream_t stream = 0)
{
    int blocks = (n / 4 + 127) / 128;
    if (blocks < 1)
        blocks = 1;
    if (blocks > 8)
        blocks = 8;
    unlog<<<blocks, 128, 0, stream>>>(x, y, gain, n);
}
"""
)

# A reader of a paper: tanh whose negative side has a smaller slope, a number a thread.
PENAL = (
    HEADER
    + """\
__global__ void penal(const float* x, float* y, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  float h = tanhf(v);
  y[i] = v < 0.0f ? a * h : h;
}

extern "C" void launch(const float* x,  // [n]
                       float* y,        // [n]
                       float a, int n, int block_size = 256, cudaStream_t stream = 0) {
  int blocks = (n + block_size - 1) / block_size;
  if (n > 0) penal<<<blocks, block_size, 0, stream>>>(x, y, a, n);
}
"""
)

# One who shrinks networks: a times a hard gate of b, pairs where their addresses are even.
VALVE = (
    HEADER
    + """\
__device__ float opening(float b)
{
    float s = b * 0.25f + 0.5f;
    return s < 0.0f ? 0.0f : s > 1.0f ? 1.0f : s;
}

__device__ bool even(const half *p) { return (uintptr_t)p % 4 == 0; }

__global__ void valve(const half *a, const half *b, half *y, int n)
{
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i + 1 < n && even(a) && even(b) && even(y)) {
        float2 u = __half22float2(*(const half2 *)(a + i));
        float2 v = __half22float2(*(const half2 *)(b + i));
        *(half2 *)(y + i) = __floats2half2_rn(u.x * opening(v.x), u.y * opening(v.y));
    } else {
        for (int j = i; j < n && j < i + 2; j++)
            y[j] = __float2half(__half2float(a[j]) * opening(__half2float(b[j])));
    }
}

extern "C" void launch(const half *a,  // [n]
                       const half *b,  // [n]
                       half *y,        // [n]
                       int n, int block_size = 128, cudaStream_t stream = 0)
{
    int blocks = n / 2 / block_size + 1;
    valve<<<blocks, block_size, 0, stream>>>(a, b, y, n);
}
"""
)

# One who keeps a store: counts times prices in 64 bits, added by the block that is last.
STOCK = (
    HEADER
    + """\
#define T 128
#define MOST 24

__device__ volatile long long parts[MOST];
__device__ unsigned done = 0;

__device__ long long of_block(long long v) {
  __shared__ long long s[T];
  int t = threadIdx.x;
  s[t] = v;
  __syncthreads();
  for (int h = T / 2; h > 0; h /= 2) {
    if (t < h) s[t] += s[t + h];
    __syncthreads();
  }
  return s[0];
}

__global__ void stock(const int* count, const int* price, int64_t* total, int n) {
  __shared__ bool last;
  long long v = 0;
  for (int i = blockIdx.x * T + threadIdx.x; i < n; i += gridDim.x * T)
    v += (long long)count[i] * price[i];
  v = of_block(v);
  if (threadIdx.x == 0) {
    parts[blockIdx.x] = v;
    __threadfence();
    last = atomicAdd(&done, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  v = of_block(threadIdx.x < gridDim.x ? parts[threadIdx.x] : 0);
  if (threadIdx.x == 0) {
    total[0] = v;
    done = 0;
  }
}

extern "C" void launch(const int* count,  // [n]
                       const int* price,  // [n]
                       int64_t* total,    // [1]
                       int n, cudaStream_t stream = 0) {
  int blocks = n / T + 1;
  if (blocks > MOST) blocks = MOST;
  stock<<<blocks, T, 0, stream>>>(count, price, total, n);
}
"""
)

# One who weighs bars: squares of a row's halves times weights, a warp a row.
HEFT = (
    HEADER
    + """\
#define ROWS 4

__global__ void heft(const half *x, const float *w, float *y, int rows, int cols)
{
    int r = blockIdx.x * ROWS + threadIdx.y;
    if (r >= rows)
        return;
    const half *row = x + (size_t)r * cols;
    float sum = 0.0f;
    for (int c = threadIdx.x; c < cols; c += 32) {
        float v = __half2float(row[c]);
        sum += w[c] * v * v;
    }
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, d);
    if (threadIdx.x == 0)
        y[r] = sum;
}

extern "C" void launch(const half *x,   // [rows, cols]
                       const float *w,  // [cols]
                       float *y,        // [rows]
                       int rows, int cols, cudaStream_t stream = 0)
{
    int blocks = (rows + ROWS - 1) / ROWS;
    heft<<<blocks, dim3(32, ROWS), 0, stream>>>(x, w, y, rows, cols);
}
"""
)

# One who compares shops: the lowest price of what is left and its place, in one key.
CHEAP = (
    HEADER
    + """\
__device__ unsigned long long best;

__global__ void begin() { best = ~0ull; }

__global__ void look(const int* price, const int* left, int n) {
  int first = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = first; i < n; i += gridDim.x * blockDim.x) {
    if (left[i] > 0) {
      unsigned long long key = (unsigned)price[i] ^ 0x80000000u;
      key = key << 32 | (unsigned)i;
      atomicMin(&best, key);
    }
  }
}

__global__ void tell(int* value, int* place) {
  bool none = best == ~0ull;
  value[0] = none ? 0x7fffffff : (int)((unsigned)(best >> 32) ^ 0x80000000u);
  place[0] = none ? -1 : (int)(best & 0xffffffffu);
}

extern "C" void launch(const int* price,  // [n]
                       const int* left,   // [n]
                       int* value,        // [1]
                       int* place,        // [1]
                       int n, cudaStream_t stream = 0) {
  int blocks = n / 128 + 1;
  if (blocks > 16) blocks = 16;
  begin<<<1, 1, 0, stream>>>();
  look<<<blocks, 128, 0, stream>>>(price, left, n);
  tell<<<1, 1, 0, stream>>>(value, place);
}
"""
)

# One who changes layouts: floats and a bias a column to halves that are turned.
LAYOUT = (
    HEADER
    + """\
#define S 32
#define H 8

__global__ void turn(const float *x, const float *b, half *y, int rows, int cols)
{
    __shared__ float tile[S][S + 1];
    int tx = threadIdx.x;
    int r0 = blockIdx.y * S, c0 = blockIdx.x * S;
    for (int k = threadIdx.y; k < S; k += H)
        if (r0 + k < rows && c0 + tx < cols)
            tile[k][tx] = x[(size_t)(r0 + k) * cols + c0 + tx] + b[c0 + tx];
    __syncthreads();
    for (int k = threadIdx.y; k < S; k += H)
        if (c0 + k < cols && r0 + tx < rows)
            y[(size_t)(c0 + k) * rows + r0 + tx] = __float2half(tile[tx][k]);
}

extern "C" void launch(const float *x,  // [rows, cols]
                       const float *b,  // [cols]
                       half *y,         // [cols, rows]
                       int rows, int cols, cudaStream_t stream = 0)
{
    dim3 grid((cols + S - 1) / S, (rows + S - 1) / S);
    turn<<<grid, dim3(S, H), 0, stream>>>(x, b, y, rows, cols);
}
"""
)

# One who breaks codes: a product of matrices modulo p, tiles of 16.
CLOCK = (
    HEADER
    + """\
#define S 16

__global__ void clock_product(const int* a, const int* b, int* c, int p, int m, int n, int k) {
  __shared__ int as[S][S], bs[S][S];
  int tx = threadIdx.x, ty = threadIdx.y;
  int col = blockIdx.x * S + tx;
  int row = blockIdx.y * S + ty;
  long long sum = 0;
  for (int q = 0; q < k; q += S) {
    as[ty][tx] = row < m && q + tx < k ? a[(size_t)row * k + q + tx] : 0;
    bs[ty][tx] = q + ty < k && col < n ? b[(size_t)(q + ty) * n + col] : 0;
    __syncthreads();
    for (int h = 0; h < S; h++) sum = (sum + (long long)as[ty][h] * bs[h][tx]) % p;
    __syncthreads();
  }
  if (row < m && col < n) c[(size_t)row * n + col] = (int)sum;
}

extern "C" void launch(const int* a,  // [m, k]
                       const int* b,  // [k, n]
                       int* c,        // [m, n]
                       int p, int m, int n, int k, cudaStream_t stream = 0) {
  dim3 grid((n + S - 1) / S, (m + S - 1) / S);
  clock_product<<<grid, dim3(S, S), 0, stream>>>(a, b, c, p, m, n, k);
}
"""
)

# One who simulates pipes: how much flows into each node, a warp a row of the matrix.
FLOW = (
    HEADER
    + """\
#define T 128

__global__ void flow(const float *a, const float *x, float *y, int n)
{
    int i = (blockIdx.x * T + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (i >= n)
        return;
    float own = x[i], sum = 0.0f;
    for (int j = lane; j < n; j += 32)
        sum += a[(size_t)i * n + j] * (x[j] - own);
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, d);
    if (lane == 0)
        y[i] = sum;
}

extern "C" void launch(const float *a,  // [n, n]
                       const float *x,  // [n]
                       float *y,        // [n]
                       int n, cudaStream_t stream = 0)
{
    int warps = T / 32;
    flow<<<(n + warps - 1) / warps, T, 0, stream>>>(a, x, y, n);
}
"""
)

# One who counts in octaves: softmax to the base 2, its maximum and its sum in one pass.
OCTAVE = (
    HEADER
    + """\
#define T 128

__device__ void join(float& m, float& s, float m2, float s2) {
  float most = fmaxf(m, m2);
  s = s * exp2f(m - most) + s2 * exp2f(m2 - most);
  m = most;
}

__global__ void octave(const float* x, float* y, int cols) {
  __shared__ float ms[T / 32], ss[T / 32];
  int t = threadIdx.x;
  const float* row = x + (size_t)blockIdx.x * cols;
  float m = -FLT_MAX, s = 0.0f;
  for (int c = t; c < cols; c += T) join(m, s, row[c], 1.0f);
  for (int d = 16; d > 0; d /= 2) {
    float m2 = __shfl_xor_sync(0xffffffff, m, d);
    float s2 = __shfl_xor_sync(0xffffffff, s, d);
    join(m, s, m2, s2);
  }
  if (t % 32 == 0) {
    ms[t / 32] = m;
    ss[t / 32] = s;
  }
  __syncthreads();
  m = ms[0];
  s = ss[0];
  for (int w = 1; w < T / 32; w++) join(m, s, ms[w], ss[w]);
  for (int c = t; c < cols; c += T) y[(size_t)blockIdx.x * cols + c] = exp2f(row[c] - m) / s;
}

extern "C" void launch(const float* x,  // [rows, cols]
                       float* y,        // [rows, cols]
                       int rows, int cols, cudaStream_t stream = 0) {
  octave<<<rows, T, 0, stream>>>(x, y, cols);
}
"""
)

# One who distrusts outliers: layer norm in two passes, held between two limits.
HOLD = (
    HEADER
    + """\
#define T 64

__device__ float of_row(float v)
{
    __shared__ float s[T];
    int t = threadIdx.x;
    __syncthreads();  // the sum before may still be read
    s[t] = v;
    for (int h = T / 2; h > 0; h /= 2) {
        __syncthreads();
        if (t < h)
            s[t] += s[t + h];
    }
    __syncthreads();
    return s[0];
}

__global__ void hold(const float *x, float *y, float eps, float limit, int cols)
{
    const float *row = x + (size_t)blockIdx.x * cols;
    float v = 0.0f;
    for (int c = threadIdx.x; c < cols; c += T)
        v += row[c];
    float mean = of_row(v) / cols;
    v = 0.0f;
    for (int c = threadIdx.x; c < cols; c += T)
        v += (row[c] - mean) * (row[c] - mean);
    float f = rsqrtf(of_row(v) / cols + eps);
    for (int c = threadIdx.x; c < cols; c += T) {
        float d = (row[c] - mean) * f;
        d = d > limit ? limit : d;
        y[(size_t)blockIdx.x * cols + c] = d < -limit ? -limit : d;
    }
}

extern "C" void launch(const float *x,  // [rows, cols]
                       float *y,        // [rows, cols]
                       float eps, float limit, int rows, int cols, cudaStream_t stream = 0)
{
    hold<<<rows, T, 0, stream>>>(x, y, eps, limit, cols);
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


def bills(launcher: Launcher) -> Iterator[Case]:
    """Charge whole prices, so that all is exact; infinities, NaN; slices."""
    for n in (*LENGTHS, 9_001, 70_003):
        price, count = (whole(-200, 200, n, 2 * n + k) for k in range(2))
        j, x = torch.arange(n), price.float() / 4
        for label, q, fee in (
            ("usual", x, 3.5),
            ("free", x, 0.0),
            ("infinities", torch.where(j % 5 == 2, INF, x), 1.0),
            ("NaN", torch.where(j % 4 == 3, NAN, x), 1.0),
        ):
            right = q.double() * count.double() + fee
            options = {"dtypes": FLOAT, "quick": n > 5000}
            words, inputs = f"n = {n:,}, fee = {fee}, {label}", (q, count.int())
            yield Case(words, inputs, (right,), {"fee": fee}, **options)
            if n < 600 and label == "usual":
                for offsets in ((4, 4, 4), (1, 3, 4), (2, 2, 2), (4, 1, 4), (4, 2, 2)):
                    words = f"n = {n:,}, slices from {offsets}"
                    more = {**options, "offset": offsets}
                    yield Case(words, inputs, (right,), {"fee": fee}, **more)


def hazes(launcher: Launcher) -> Iterator[Case]:
    """Look through haze, where only the last step rounds: thin, thick, NaN; slices."""
    for n in (*LENGTHS, 6_144, 6_401, 9_001, 20_003):
        c, t = whole(-999, 1000, n, 2 * n), whole(0, 65, n, 2 * n + 1)
        j = torch.arange(n)
        for label, p, q, fog in (
            ("usual", c / 64, t / 64, 0.75),
            ("thin", c / 64, 1 - t / 2048, 2.0),
            ("thick", c / 4, t / 1024, -3.0),
            ("no fog", c / 64, t / 64, 0.0),
            ("NaN", torch.where(j % 3 == 1, NAN, c / 8), t / 64, 0.5),
            ("NaN in t", c / 8, torch.where(j % 3 == 1, NAN, t / 64), 0.5),
        ):
            p, q = p.half(), q.half()
            right = p.double() * q.double() + fog * (1 - q.double())
            words, options = f"n = {n:,}, fog = {fog}, {label}", {"dtypes": HALF}
            options["quick"] = n > 5000
            yield Case(words, (p, q), (right,), {"fog": fog}, **options)
            if n < 300 and label == "usual":
                for offsets in ((2, 4, 6), (4, 2, 2)):
                    words = f"n = {n:,}, slices from {offsets}"
                    more = {**options, "offset": offsets}
                    yield Case(words, (p, q), (right,), {"fog": fog}, **more)


def motor_steps(launcher: Launcher) -> Iterator[Case]:
    """Round to steps: any, between two, beyond the range, infinities, NaN."""
    for n in (*LENGTHS, 9_001):
        x, j = whole(-2047, 2048, n, n), torch.arange(n)
        for label, y, scale in (
            ("any", x / 64, 3.0),
            ("between two", x % 100 + 0.5, 1.0),
            ("beyond the range", x, 100.0),
            ("infinities", torch.where(j % 3 == 1, INF * (1 - j % 2 * 2), x / 16), 0.5),
            ("NaN", torch.where(j % 3 == 1, NAN, x / 16), 4.0),
        ):
            y = y.half()
            right = (y.double() * scale).round().nan_to_num(0.0, INF, -INF)
            right = right.clamp(-32768, 32767)
            for block_size in (64, 32):
                scalars = {"scale": scale, "block_size": block_size}
                options = {"dtypes": (torch.int16,), "quick": n > 5000}
                yield Case(f"n = {n:,}, {scalars}, {label}", (y,), (right,), scalars, **options)


def logarithms(launcher: Launcher) -> Iterator[Case]:
    """Decode bytes: any of them, zeros of both signs, small and large ones; some gains."""
    for n in (*LENGTHS, 9_001):
        x, j = whole(0, 256, n, n), torch.arange(n)
        for label, y in (
            ("any", x),
            ("zeros", x // 128 * 128),
            ("small", x % 24 + 128 * (j % 2)),
            ("large", 127 - x % 24),
            ("in turn", j % 256),
        ):
            e = y % 128
            v = torch.where(e == 0, 0.0, torch.pow(2.0, (e - 63).double()))
            v = torch.where(y >= 128, -v, v)
            for gain in (1.0, 0.7265625, 1.00390625, 1.01171875):
                words = f"n = {n:,}, gain = {gain}, {label}"
                options = {"dtypes": (torch.bfloat16,), "quick": n > 5000}
                inputs = (y.to(torch.uint8),)
                yield Case(words, inputs, (v * gain,), {"gain": gain}, **options)


def penalties(launcher: Launcher) -> Iterator[Case]:
    """Bend usual, small, large numbers, infinities, NaN; with slopes; many blocks."""
    for n in (*LENGTHS, 9_001, 70_003, 2_097_153):
        x, j = whole(-999, 1000, n, n).float() / 128, torch.arange(n)
        for label, y in (
            ("usual", x),
            ("small", x / 8192),
            ("large", x * 64),
            ("infinities", torch.where(j % 2 == 1, INF, -INF)),
            ("NaN", torch.where(j % 3 == 1, NAN, x)),
        ):
            for a, block_size in ((0.25, 256), (0.5, 64), (-1.0, 512), (0.25, 32)):
                if n > 100_000 and (label != "usual" or block_size > 32):
                    continue
                h = y.double().tanh()
                right = torch.where(y < 0, a * h, h)
                slack = ((2.0**-21 * right.abs()).nan_to_num(0.0),)
                scalars = {"a": a, "block_size": block_size}
                options = {"dtypes": FLOAT, "within": slack, "quick": n > 5000}
                yield Case(f"n = {n:,}, {scalars}, {label}", (y,), (right,), scalars, **options)


def valves(launcher: Launcher) -> Iterator[Case]:
    """Let halves through, where only the last step rounds: any, large, NaN; slices."""
    for n in (*LENGTHS, 9_001):
        a, b = (whole(-999, 1000, n, 2 * n + k) for k in range(2))
        j = torch.arange(n)
        for label, p, q in (
            ("usual", a / 64, b / 256),
            ("fine", a / 64, b / 1024),
            ("large", a, b * 32),
            ("infinities", a / 8, torch.where(j % 4 == 1, -INF, INF)),
            ("NaN", torch.where(j % 3 == 1, NAN, a / 8), b / 256),
            ("NaN in b", a / 8, torch.where(j % 4 == 2, NAN, b / 256)),
        ):
            p, q = p.half(), q.half()
            right = p.double() * (q.double() / 4 + 0.5).clamp(0, 1)
            options = {"dtypes": HALF, "quick": n > 5000}
            for block_size in (128, 32):
                scalars = {"block_size": block_size}
                words = f"n = {n:,}, {scalars}, {label}"
                yield Case(words, (p, q), (right,), scalars, **options)
            if n < 300 and label == "usual":
                for offsets in ((2, 2, 2), (2, 2, 1), (1, 2, 2), (2, 1, 2), (1, 1, 1)):
                    words = f"n = {n:,}, slices from {offsets}"
                    more = {**options, "offset": offsets}
                    yield Case(words, (p, q), (right,), **more)


def stocks(launcher: Launcher) -> Iterator[Case]:
    """Add what is in store: any, ones, large ones, the last alone, below 0."""
    for n in (*LENGTHS, 3_072, 9_001, 20_001, 77, 300):
        count, price = (whole(-99, 100, n, 2 * n + k) for k in range(2))
        for label, p, q in (
            ("any", count, price),
            ("ones", count * 0 + 1, price * 0 + 1),
            ("large", count * 1_000_000, price * 9_000),
            ("the last alone", torch.where(torch.arange(n) == n - 1, 7, 0), price * 0 + 3),
            ("below 0", count.abs() + 1, price * 0 - 2_000_000),
        ):
            right = (p * q).sum().reshape(1)
            options = {"dtypes": (torch.int64,), "quick": n > 5000}
            yield Case(f"n = {n:,}, {label}", (p.int(), q.int()), (right,), **options)


def hefts(launcher: Launcher) -> Iterator[Case]:
    """Add weighted squares of whole numbers, so that all is exact: any, ones, large, NaN."""
    for rows, cols in (*SIDES, (3, 2_001), (513, 3)):
        n = rows * cols
        x, c = whole(-9, 10, n, n).reshape(rows, cols), torch.arange(cols)
        w = whole(-4, 5, cols, cols).double()
        for label, y, v in (
            ("any", x, w),
            ("ones", x * 0 + 1, w * 0 + 1),
            ("large", torch.where(c % 8 == 0, x * 128, 0), w.abs()),
            ("odd squares", torch.where(c % 9 == 0, 511 + 2 * x, 0), w * 0 + 1),
            ("NaN", torch.where(c == cols // 2, NAN, x.double()), w),
        ):
            inputs = y.half(), v.float()
            right = (inputs[0].double() ** 2 * v).sum(1)
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, inputs, (right,), dtypes=FLOAT)


def cheapest(launcher: Launcher) -> Iterator[Case]:
    """Find the lowest price: any, few values, equal ones, nothing left, below 0, the last."""
    for n in (*LENGTHS, 9_001, 70_003):
        x, left, j = whole(-999, 1000, n, n), whole(-1, 4, n, n + 1), torch.arange(n)
        for label, price, some in (
            ("any", x, left),
            ("few values", x % 5 - 2, left),
            ("equal", x * 0 + 7, left),
            ("above 0", x.abs() + 1, left * 0 + 1),
            ("large", x * 2_000_000, left),
            ("nothing left", x, left * 0),
            ("the last", torch.where(j == n - 1, -5, x.abs()), left * 0 + 2),
        ):
            seen = torch.where(some > 0, price, 2**31 - 1)
            value = seen.amin()
            here = (some > 0) & (price == value)
            place = j[here].amin() if bool(here.any()) else torch.tensor(-1)
            right = value.reshape(1), place.reshape(1)
            options = {"dtypes": WHOLE * 2, "quick": n > 5000}
            yield Case(f"n = {n:,}, {label}", (price.int(), some.int()), right, **options)


def layouts(launcher: Launcher) -> Iterator[Case]:
    """Turn floats, where only the last step rounds: any, fine, large, NaN."""
    for rows, cols in (*SIDES, (31, 200), (200, 31), (300, 1), (33, 65)):
        n = rows * cols
        x = whole(-2047, 2048, n, n).reshape(rows, cols).double()
        b = whole(-9, 10, cols, cols).double()
        for label, y, g in (
            ("any", x / 64, b),
            ("fine", x + x / 256, b / 4),
            ("no bias", x, b * 0),
            ("large", x * 24, b * 1000),
            ("NaN", torch.where(x % 9 == 4, NAN, x), b),
        ):
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y.float(), g.float()), ((y + g).T,), dtypes=HALF)


def clocks(launcher: Launcher) -> Iterator[Case]:
    """Multiply modulo small and large numbers: any, ones, the largest."""
    sides = ((1, 1, 1), (1, 2, 3), (2, 1, 40), (3, 5, 7), (16, 16, 16), (17, 15, 33))
    sides += ((15, 17, 65), (5, 40, 1), (40, 5, 2), (33, 31, 20), (1, 70, 31), (70, 1, 32))
    sides += ((20, 65, 48), (65, 20, 5), (3, 2, 1000))
    for m, n, k in (*sides, *((7, 9, k) for k in range(2, 64, 3))):
        for p in (2, 97, 65_537, 2**31 - 1):
            a = whole(0, p, m * k, m + k).reshape(m, k)
            b = whole(0, p, k * n, n + k + 1).reshape(k, n)
            for label, s, t in (
                ("any", a, b),
                ("ones", a * 0 + 1, b * 0 + 1),
                ("the largest", a * 0 + p - 1, b * 0 + p - 1),
            ):
                right = torch.zeros(m, n, dtype=torch.int64)
                for h in range(k):
                    right = (right + s[:, h, None] * t[h] % p) % p
                words, inputs = (
                    f"m = {m}, n = {n}, k = {k}, p = {p}, {label}",
                    (s.int(), t.int()),
                )
                yield Case(words, inputs, (right,), {"p": p}, dtypes=WHOLE)


def flows(launcher: Launcher) -> Iterator[Case]:
    """Let whole numbers flow, so that all is exact: any, ones, alike, one node, NaN."""
    for n in (*range(1, 71), 95, 97, 127, 128, 129, 200, 257):
        a = whole(-9, 10, n * n, n).reshape(n, n).double()
        x, j = whole(-50, 51, n, n).double(), torch.arange(n)
        for label, p, q in (
            ("any", a, x),
            ("ones", a * 0 + 1, x),
            ("alike", a, x * 0 + 5),
            ("one node", a, torch.where(j == n - 1, 3.0, 0.0)),
            ("NaN", a, torch.where(j == n // 2, NAN, x)),
        ):
            right = (p * (q - q[:, None])).sum(1)
            yield Case(f"n = {n}, {label}", (p.float(), q.float()), (right,), dtypes=FLOAT)


def octaves(launcher: Launcher) -> Iterator[Case]:
    """Share out: any, equal, far above and below 0, rising, falling, a mask, a NaN."""
    for rows, cols in (*SIDES, (3, 2_001), (513, 3)):
        n = rows * cols
        x, c = whole(-40, 41, n, n).reshape(rows, cols) / 8.0, torch.arange(cols)
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
            y = y.float()
            p = torch.exp2(y.double() - y.double().amax(1, True))
            right = p / p.sum(1, keepdim=True)
            slack = ((2.0**-18 * right.abs() + 2.0**-126).nan_to_num(0.0),)
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y,), (right,), dtypes=FLOAT, within=slack)


def held(launcher: Launcher) -> Iterator[Case]:
    """Norm whole numbers: any, small, about a large mean, one apart, a NaN; with limits."""
    for rows, cols in (*SIDES, (3, 2_001), (129, 130)):
        n = rows * cols
        x, c = whole(-99, 100, n, n).reshape(rows, cols), torch.arange(cols)
        for label, y, eps, limit in (
            ("any", x, 1.0, 1.5),
            ("wide", x, 0.001, 100.0),
            ("small", x / 1024, 0.25, 0.125),
            ("about 4,096", 4096 + x // 10, 0.5, 1.0),
            ("one apart", torch.where(c == cols // 3, 1032, x * 0 + 1024), 0.125, 2.0),
            ("NaN", torch.where((x % 9 == 4) & (c == cols // 2), NAN, x.double()), 1.0, 1.5),
        ):
            v = y.double()
            d = v - v.mean(1, keepdim=True)
            f = 1 / ((d * d).mean(1, keepdim=True) + eps).sqrt()
            right = (d * f).clamp(-limit, limit)
            slack = 2.0**-14 * right.abs() + 2.0**-21 * f * v.abs().amax(1, True)
            scalars = {"eps": eps, "limit": limit}
            words = f"rows = {rows:,}, cols = {cols:,}, {scalars}, {label}"
            within = (slack.nan_to_num(0.0),)
            yield Case(words, (y.float(),), (right,), scalars, dtypes=FLOAT, within=within)


BASES = {
    "sixtysix_bill": Base(BILL, {"cases": bills}),
    "sixtysix_haze": Base(HAZE, {"cases": hazes}),
    "sixtysix_steps": Base(STEPS, {"cases": motor_steps}),
    "sixtysix_unlog": Base(UNLOG, {"cases": logarithms}),
    "sixtysix_penal": Base(PENAL, {"cases": penalties}),
    "sixtysix_valve": Base(VALVE, {"cases": valves}),
    "sixtysix_stock": Base(STOCK, {"cases": stocks}),
    "sixtysix_heft": Base(HEFT, {"cases": hefts}),
    "sixtysix_cheap": Base(CHEAP, {"cases": cheapest}),
    "sixtysix_layout": Base(LAYOUT, {"cases": layouts}),
    "sixtysix_clock": Base(CLOCK, {"cases": clocks}),
    "sixtysix_flow": Base(FLOW, {"cases": flows}),
    "sixtysix_octave": Base(OCTAVE, {"cases": octaves}),
    "sixtysix_hold": Base(HOLD, {"cases": held}),
}

WRONG = (
    # ---- bill
    # Addresses are added before they are asked.
    Wrong(
        "sixtysix_bill_sum_of_addresses",
        "sixtysix_bill",
        "alignment",
        (
            "((uintptr_t)price | (uintptr_t)count | (uintptr_t)y) % 16",
            "((uintptr_t)price + (uintptr_t)count + (uintptr_t)y) % 16",
        ),
    ),
    # The rest is taken by one block, also where it is all.
    Wrong(
        "sixtysix_bill_rest_by_one_block",
        "sixtysix_bill",
        "unwritten / left out / alignment / tail / grid | numbers / nan",
        ("bill1<<<(rest + 127) / 128, 128,", "bill1<<<1, 128,"),
    ),
    # The third price of a pack takes the count beside its own.
    Wrong(
        "sixtysix_bill_count_beside",
        "sixtysix_bill",
        "other element / neighbour / swapped | numbers / nan",
        ("fmaf(a.z, c.z, fee)", "fmaf(a.z, c.y, fee)"),
    ),
    # The second launch forgets the stream.
    Wrong(
        "sixtysix_bill_rest_no_stream",
        "sixtysix_bill",
        "stream",
        ("bill1<<<(rest + 127) / 128, 128, 0, stream>>>", "bill1<<<(rest + 127) / 128, 128>>>"),
    ),
    # The rest begins at the number of packs, not of numbers.
    Wrong(
        "sixtysix_bill_rest_too_early",
        "sixtysix_bill",
        "tail / unwritten / left out | nan / numbers",
        ("fee, 4 * packs, n);", "fee, packs, n);"),
    ),
    # ---- haze
    # The second input may lie anywhere.
    Wrong(
        "sixtysix_haze_t_anywhere",
        "sixtysix_haze",
        "alignment",
        ("const half *t,  // [n] 4-byte aligned", "const half *t,  // [n]"),
    ),
    # A thread takes every other of its pairs.
    Wrong(
        "sixtysix_haze_two_steps",
        "sixtysix_haze",
        "left out / unwritten | nan / numbers",
        ("p < n / 2; p += step", "p < n / 2; p += 2 * step"),
    ),
    # The first product becomes a half before the sum does.
    Wrong(
        "sixtysix_haze_rounded_twice",
        "sixtysix_haze",
        "rounding / precision | numbers",
        ("    return c * t +", "    return __half2float(__float2half(c * t)) +"),
    ),
    # What is let through is limited by a function that loses NaN.
    Wrong(
        "sixtysix_haze_nan_lost",
        "sixtysix_haze",
        "nan",
        ("    return c * t +", "    t = fmaxf(t, 0.0f);\n    return c * t +"),
    ),
    # The colours are replaced, too.
    Wrong(
        "sixtysix_haze_in_place",
        "sixtysix_haze",
        "input | state / numbers",
        (
            "through(u.y, v.y, fog));\n",
            "through(u.y, v.y, fog));\n        ((half2 *)c)[p] = ((half2 *)y)[p];\n",
        ),
    ),
    # ---- steps
    # What is behind the point is cut off.
    Wrong(
        "sixtysix_steps_cut_off",
        "sixtysix_steps",
        "rounding | numbers",
        ("rintf(v * scale)", "truncf(v * scale)"),
    ),
    # No thread is counted for the rest.
    Wrong(
        "sixtysix_steps_no_thread_for_rest",
        "sixtysix_steps",
        "tail / unwritten / left out / grid | block size / refused",
        ("int threads = n / 4 + 1;", "int threads = n / 4;"),
    ),
    # NaN runs into the lower limit.
    Wrong(
        "sixtysix_steps_nan_lowest",
        "sixtysix_steps",
        "nan",
        ("  if (q != q) return 0;\n", ""),
    ),
    # Integers of 32 bits are cut to 16.
    Wrong(
        "sixtysix_steps_wraps",
        "sixtysix_steps",
        "whole range / infinity | numbers",
        ("(int16_t)fminf(fmaxf(q, -32768.0f), 32767.0f)", "(int16_t)(int)q"),
    ),
    # The inner two of a pack are swapped.
    Wrong(
        "sixtysix_steps_inner_swapped",
        "sixtysix_steps",
        "swapped / other element / neighbour | numbers",
        ("steps_of(u.y, scale),\n", "steps_of(v.x, scale),\n"),
        (
            "steps_of(v.x, scale), steps_of(v.y, scale));",
            "steps_of(u.y, scale), steps_of(v.y, scale));",
        ),
    ),
    # ---- unlog
    # The negative is taken from 0, which makes 0.0 of both zeros.
    Wrong(
        "sixtysix_unlog_one_zero",
        "sixtysix_unlog",
        "sign of zero",
        ("? -v : v", "? 0.0f - v : v"),
    ),
    # The exponent is one less.
    Wrong(
        "sixtysix_unlog_exponent_of_64",
        "sixtysix_unlog",
        "function | numbers / precision / subnormal / infinity",
        ("e - 63", "e - 64"),
    ),
    # The values are halves on the way.
    Wrong(
        "sixtysix_unlog_through_half",
        "sixtysix_unlog",
        "infinity / precision / whole range / narrow / subnormal | numbers / rounding",
        (
            "    return code & 128 ? -v : v;",
            "    v = __half2float(__float2half(v));\n    return code & 128 ? -v : v;",
        ),
    ),
    # The last numbers are rounded toward 0.
    Wrong(
        "sixtysix_unlog_rest_toward_zero",
        "sixtysix_unlog",
        "rounding / tail | numbers",
        ("y[i] = __float2bfloat16(", "y[i] = __float2bfloat16_rz("),
    ),
    # The last numbers are counted from the first byte.
    Wrong(
        "sixtysix_unlog_rest_of_first",
        "sixtysix_unlog",
        "other element / tail | numbers / sign of zero",
        ("value(x[i])", "value(x[first])"),
    ),
    # ---- penal
    # A block has 256 threads, whatever is asked.
    Wrong(
        "sixtysix_penal_blocks_of_256",
        "sixtysix_penal",
        "block size | unwritten / left out / bounds / nan / other element / tail",
        ("blockIdx.x * blockDim.x", "blockIdx.x * 256"),
    ),
    # tanh is a quotient of infinities.
    Wrong(
        "sixtysix_penal_quotient",
        "sixtysix_penal",
        "nan / infinity / precision | numbers / sign of zero / subnormal",
        (
            "float h = tanhf(v);",
            "float e = expf(2.0f * v);\n  float h = (e - 1.0f) / (e + 1.0f);",
        ),
    ),
    # There are 65,535 blocks at most.
    Wrong(
        "sixtysix_penal_grid_cap",
        "sixtysix_penal",
        "grid / unwritten / left out | tail / nan / block size",
        ("  if (n > 0) penal", "  if (blocks > 65535) blocks = 65535;\n  if (n > 0) penal"),
    ),
    # The test lets one thread too many through.
    Wrong(
        "sixtysix_penal_one_more",
        "sixtysix_penal",
        "bounds / tail",
        ("i >= n", "i > n"),
    ),
    # The number of blocks is that of the first call.
    Wrong(
        "sixtysix_penal_first_blocks",
        "sixtysix_penal",
        "state / grid / unwritten / left out | tail / nan / block size",
        ("  int blocks =", "  static int blocks ="),
    ),
    # ---- valve
    # The gate is limited by a function that makes 0 of NaN.
    Wrong(
        "sixtysix_valve_saturated",
        "sixtysix_valve",
        "nan",
        ("    return s < 0.0f ? 0.0f : s > 1.0f ? 1.0f : s;", "    return __saturatef(s);"),
    ),
    # The gate is computed in halves.
    Wrong(
        "sixtysix_valve_in_halves",
        "sixtysix_valve",
        "precision / rounding | numbers",
        (
            "float s = b * 0.25f + 0.5f;",
            "float s = __half2float(__float2half(b * 0.25f + 0.5f));",
        ),
    ),
    # The address of the result is not looked at.
    Wrong(
        "sixtysix_valve_result_unasked",
        "sixtysix_valve",
        "alignment",
        (" && even(y)", ""),
    ),
    # The slope is that of another gate.
    Wrong(
        "sixtysix_valve_slope_of_fifth",
        "sixtysix_valve",
        "function | numbers / precision / rounding",
        ("b * 0.25f", "b * 0.2f"),
    ),
    # The gate has no upper limit.
    Wrong(
        "sixtysix_valve_no_upper_limit",
        "sixtysix_valve",
        "function / infinity / whole range / left out | numbers / nan",
        ("s > 1.0f ? 1.0f : s", "s"),
    ),
    # ---- stock
    # Products have 32 bits.
    Wrong(
        "sixtysix_stock_short_product",
        "sixtysix_stock",
        "narrow / whole range | numbers / precision / infinity",
        ("v += (long long)count[i] * price[i];", "v += count[i] * price[i];"),
    ),
    # The counter of blocks is not set back.
    Wrong(
        "sixtysix_stock_not_set_back",
        "sixtysix_stock",
        "state | unwritten / numbers",
        ("    done = 0;\n", ""),
    ),
    # The tree begins before all have stored their sums.
    Wrong(
        "sixtysix_stock_no_barrier",
        "sixtysix_stock",
        "race | numbers / left out / unwritten / other element / state",
        ("  s[t] = v;\n  __syncthreads();\n", "  s[t] = v;\n"),
    ),
    # The tree begins with a quarter.
    Wrong(
        "sixtysix_stock_from_quarter",
        "sixtysix_stock",
        "left out | numbers",
        ("int h = T / 2;", "int h = T / 4;"),
    ),
    # All parts are added, also those of an earlier call.
    Wrong(
        "sixtysix_stock_old_parts",
        "sixtysix_stock",
        "state | numbers / start / twice",
        ("threadIdx.x < gridDim.x ?", "threadIdx.x < MOST ?"),
    ),
    # ---- heft
    # The number of blocks is rounded down.
    Wrong(
        "sixtysix_heft_blocks_rounded_down",
        "sixtysix_heft",
        "grid / unwritten / left out / tail | nan / refused",
        ("(rows + ROWS - 1) / ROWS", "rows / ROWS"),
    ),
    # The result is added to what was there.
    Wrong(
        "sixtysix_heft_adds",
        "sixtysix_heft",
        "zero before / state | nan / start",
        ("y[r] = sum", "y[r] += sum"),
    ),
    # Squares are halves.
    Wrong(
        "sixtysix_heft_square_of_halves",
        "sixtysix_heft",
        "precision / rounding / infinity | numbers / whole range",
        ("w[c] * v * v", "w[c] * __half2float(__hmul(row[c], row[c]))"),
    ),
    # The weight is that of the lane.
    Wrong(
        "sixtysix_heft_weight_of_lane",
        "sixtysix_heft",
        "other element | numbers / left out",
        ("w[c] * v * v", "w[threadIdx.x] * v * v"),
    ),
    # Only whole warps of columns count.
    Wrong(
        "sixtysix_heft_whole_warps",
        "sixtysix_heft",
        "tail / left out | numbers / nan",
        ("c < cols; c += 32", "c < cols / 32 * 32; c += 32"),
    ),
    # ---- cheap
    # Prices below 0 are compared without their sign.
    Wrong(
        "sixtysix_cheap_no_sign",
        "sixtysix_cheap",
        "whole range / function | numbers / other element",
        ("(unsigned)price[i] ^ 0x80000000u;", "(unsigned)price[i];"),
        ("(int)((unsigned)(best >> 32) ^ 0x80000000u)", "(int)(best >> 32)"),
    ),
    # Nothing begins anew.
    Wrong(
        "sixtysix_cheap_no_beginning",
        "sixtysix_cheap",
        "state / start | numbers / zero before",
        ("  begin<<<1, 1, 0, stream>>>();\n", ""),
    ),
    # Threads of a warp wait for one another, but store without an atomic.
    Wrong(
        "sixtysix_cheap_no_atomic",
        "sixtysix_cheap",
        "race | numbers / left out / other element",
        (
            "      atomicMin(&best, key);\n",
            "      bool lower = key < best;\n"
            "      __syncwarp(__activemask());\n"
            "      if (lower) best = key;\n",
        ),
    ),
    # The last launch forgets the stream.
    Wrong(
        "sixtysix_cheap_tell_no_stream",
        "sixtysix_cheap",
        "stream | state",
        ("tell<<<1, 1, 0, stream>>>", "tell<<<1, 1>>>"),
    ),
    # The place has 16 bits.
    Wrong(
        "sixtysix_cheap_short_place",
        "sixtysix_cheap",
        "narrow / whole range | numbers / other element",
        ("key << 32 | (unsigned)i", "key << 32 | (uint16_t)i"),
    ),
    # ---- layout
    # Threads read what others may not have stored.
    Wrong(
        "sixtysix_layout_no_barrier",
        "sixtysix_layout",
        "race | numbers / left out / unwritten / other element / nan",
        ("    __syncthreads();\n", ""),
    ),
    # The bias is taken by the row.
    Wrong(
        "sixtysix_layout_bias_of_row",
        "sixtysix_layout",
        "other element / sides / swapped / bounds | numbers",
        ("+ b[c0 + tx]", "+ b[r0 + k]"),
    ),
    # The tile is not turned.
    Wrong(
        "sixtysix_layout_tile_not_turned",
        "sixtysix_layout",
        "other element / sides / swapped / unwritten | numbers / left out / nan",
        ("tile[tx][k])", "tile[k][tx])"),
    ),
    # The sides of the grid are swapped.
    Wrong(
        "sixtysix_layout_grid_swapped",
        "sixtysix_layout",
        "grid / sides / swapped / unwritten / left out | nan / tail",
        (
            "dim3 grid((cols + S - 1) / S, (rows + S - 1) / S);",
            "dim3 grid((rows + S - 1) / S, (cols + S - 1) / S);",
        ),
    ),
    # Results are rounded toward 0.
    Wrong(
        "sixtysix_layout_toward_zero",
        "sixtysix_layout",
        "rounding | numbers / infinity",
        ("__float2half(", "__float2half_rz("),
    ),
    # ---- clock
    # Products have 32 bits.
    Wrong(
        "sixtysix_clock_short_product",
        "sixtysix_clock",
        "narrow / whole range | numbers",
        ("(long long)as[ty][h] * bs[h][tx]", "as[ty][h] * bs[h][tx]"),
    ),
    # Tiles are filled while they are read.
    Wrong(
        "sixtysix_clock_no_second_barrier",
        "sixtysix_clock",
        "race | numbers / other element / left out",
        ("% p;\n    __syncthreads();\n", "% p;\n"),
    ),
    # The remainder is taken at the end only.
    Wrong(
        "sixtysix_clock_one_remainder",
        "sixtysix_clock",
        "whole range / narrow | numbers",
        (
            "sum = (sum + (long long)as[ty][h] * bs[h][tx]) % p;",
            "sum += (long long)as[ty][h] * bs[h][tx];",
        ),
        ("= (int)sum;", "= (int)(sum % p);"),
    ),
    # Rows of b past the end are read.
    Wrong(
        "sixtysix_clock_rows_untested",
        "sixtysix_clock",
        "bounds | tail / numbers",
        ("q + ty < k && col < n ?", "col < n ?"),
    ),
    # Only whole tiles count.
    Wrong(
        "sixtysix_clock_whole_tiles",
        "sixtysix_clock",
        "tail / left out | numbers",
        ("int q = 0; q < k;", "int q = 0; q + S <= k;"),
    ),
    # ---- flow
    # The matrix is read by columns.
    Wrong(
        "sixtysix_flow_by_columns",
        "sixtysix_flow",
        "sides / other element / swapped | numbers",
        ("a[(size_t)i * n + j]", "a[(size_t)j * n + i]"),
    ),
    # The difference is the other way round.
    Wrong(
        "sixtysix_flow_outward",
        "sixtysix_flow",
        "swapped / function | numbers / sign of zero",
        ("(x[j] - own)", "(own - x[j])"),
    ),
    # Blocks are counted as if a thread took a row.
    Wrong(
        "sixtysix_flow_too_few_blocks",
        "sixtysix_flow",
        "grid / unwritten / left out | tail / nan",
        ("int warps = T / 32;", "int warps = T;"),
    ),
    # The last step of the shuffles is missing.
    Wrong(
        "sixtysix_flow_odd_lanes_left_out",
        "sixtysix_flow",
        "left out | numbers",
        ("d = 16; d > 0;", "d = 16; d > 1;"),
    ),
    # The own value is that of the lane.
    Wrong(
        "sixtysix_flow_own_of_lane",
        "sixtysix_flow",
        "other element / bounds | numbers / left out",
        ("float own = x[i],", "float own = x[lane],"),
    ),
    # ---- octave
    # The largest begins with 0.
    Wrong(
        "sixtysix_octave_from_0",
        "sixtysix_octave",
        "start | numbers / nan / infinity / precision / subnormal",
        ("float m = -FLT_MAX,", "float m = 0.0f,"),
    ),
    # The last step has another base.
    Wrong(
        "sixtysix_octave_base_e",
        "sixtysix_octave",
        "function | numbers / precision",
        ("= exp2f(row[c] - m) / s", "= expf(row[c] - m) / s"),
    ),
    # A warp counts its own sum once more.
    Wrong(
        "sixtysix_octave_own_again",
        "sixtysix_octave",
        "twice / left out / start | numbers / function",
        ("  m = ms[0];\n  s = ss[0];\n", ""),
    ),
    # Warps read what others may not have stored.
    Wrong(
        "sixtysix_octave_no_barrier",
        "sixtysix_octave",
        "race | numbers / left out / unwritten / nan / start / state",
        ("  __syncthreads();\n", ""),
    ),
    # A thread writes one number.
    Wrong(
        "sixtysix_octave_one_number",
        "sixtysix_octave",
        "unwritten / left out | nan / tail / numbers",
        (
            "  for (int c = t; c < cols; c += T) y[(size_t)blockIdx.x * cols + c] = "
            "exp2f(row[c] - m) / s;",
            "  if (t < cols) y[(size_t)blockIdx.x * cols + t] = exp2f(row[t] - m) / s;",
        ),
    ),
    # ---- hold
    # The limits are set by functions that lose NaN.
    Wrong(
        "sixtysix_hold_nan_lost",
        "sixtysix_hold",
        "nan",
        ("        d = d > limit ? limit : d;\n", ""),
        ("= d < -limit ? -limit : d;", "= fminf(fmaxf(d, -limit), limit);"),
    ),
    # The second sum begins while the first is read.
    Wrong(
        "sixtysix_hold_no_first_barrier",
        "sixtysix_hold",
        "race | numbers / other element / nan / function",
        ("    __syncthreads();  // the sum before may still be read\n", ""),
    ),
    # The variance is a difference of squares.
    Wrong(
        "sixtysix_hold_one_pass",
        "sixtysix_hold",
        "precision / nan | numbers",
        ("v += (row[c] - mean) * (row[c] - mean);", "v += row[c] * row[c];"),
        ("rsqrtf(of_row(v) / cols + eps)", "rsqrtf(of_row(v) / cols - mean * mean + eps)"),
    ),
    # What keeps the root finite is added after it.
    Wrong(
        "sixtysix_hold_eps_outside",
        "sixtysix_hold",
        "function | numbers / nan / infinity / precision",
        ("rsqrtf(of_row(v) / cols + eps)", "1.0f / (sqrtf(of_row(v) / cols) + eps)"),
    ),
    # The differences are kept where x lies.
    Wrong(
        "sixtysix_hold_kept_in_x",
        "sixtysix_hold",
        "input | state / numbers",
        (
            "    const float *row = x + (size_t)blockIdx.x * cols;",
            "    float *row = (float *)x + (size_t)blockIdx.x * cols;",
        ),
        (
            "        v += (row[c] - mean) * (row[c] - mean);\n",
            "    {\n        row[c] -= mean;\n        v += row[c] * row[c];\n    }\n",
        ),
        ("float d = (row[c] - mean) * f;", "float d = row[c] * f;"),
    ),
)

RIGHT = (
    # Short arrays are taken number by number.
    Right(
        "sixtysix_bill_short_ones_alone",
        "sixtysix_bill",
        ("round ? n / 4 : 0", "round && n > 100 ? n / 4 : 0"),
    ),
    # The way is counted from the haze.
    Right(
        "sixtysix_haze_from_the_fog",
        "sixtysix_haze",
        ("return c * t + fog * (1.0f - t);", "return fog + t * (c - fog);"),
    ),
    # The conversion limits to 32 bits, and makes 0 of NaN.
    Right(
        "sixtysix_steps_by_conversion",
        "sixtysix_steps",
        (
            "  float q = rintf(v * scale);\n"
            "  if (q != q) return 0;\n"
            "  return (int16_t)fminf(fmaxf(q, -32768.0f), 32767.0f);\n",
            "  int q = __float2int_rn(v * scale);\n"
            "  return (int16_t)min(max(q, -32768), 32767);\n",
        ),
    ),
    # The exponent goes to its bits.
    Right(
        "sixtysix_unlog_by_bits",
        "sixtysix_unlog",
        (
            "e == 0 ? 0.0f : ldexpf(1.0f, e - 63);",
            "__uint_as_float(e == 0 ? 0u : (unsigned)(e + 64) << 23);",
        ),
    ),
    # Threads go from the last number to the first.
    Right(
        "sixtysix_penal_from_the_last",
        "sixtysix_penal",
        (
            "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= n) return;",
            "  int i = n - 1 - (int)(blockIdx.x * blockDim.x + threadIdx.x);\n"
            "  if (i < 0) return;",
        ),
    ),
    # NaN is let through by hand.
    Right(
        "sixtysix_valve_nan_by_hand",
        "sixtysix_valve",
        (
            "return s < 0.0f ? 0.0f : s > 1.0f ? 1.0f : s;",
            "return isnan(s) ? s : __saturatef(s);",
        ),
    ),
    # The launcher sets the result to 0, and each block adds to it, without a sign.
    Right(
        "sixtysix_stock_memset",
        "sixtysix_stock",
        ("__device__ volatile long long parts[MOST];\n__device__ unsigned done = 0;\n\n", ""),
        ("  __shared__ bool last;\n", ""),
        (
            "  if (threadIdx.x == 0) {\n"
            "    parts[blockIdx.x] = v;\n"
            "    __threadfence();\n"
            "    last = atomicAdd(&done, 1) == gridDim.x - 1;\n"
            "  }\n"
            "  __syncthreads();\n"
            "  if (!last) return;\n"
            "  v = of_block(threadIdx.x < gridDim.x ? parts[threadIdx.x] : 0);\n"
            "  if (threadIdx.x == 0) {\n"
            "    total[0] = v;\n"
            "    done = 0;\n"
            "  }\n",
            "  if (threadIdx.x == 0) atomicAdd((unsigned long long*)total, (unsigned "
            "long long)v);\n",
        ),
        ("  stock<<<", "  cudaMemsetAsync(total, 0, sizeof(int64_t), stream);\n  stock<<<"),
    ),
    # The sum is a double, and all lanes have it.
    Right(
        "sixtysix_heft_in_doubles",
        "sixtysix_heft",
        ("float sum = 0.0f;", "double sum = 0.0;"),
        ("__shfl_down_sync", "__shfl_xor_sync"),
        (
            "    if (threadIdx.x == 0)\n        y[r] = sum;",
            "    if (threadIdx.x == 31)\n        y[r] = (float)sum;",
        ),
    ),
    # The kernel is launched by its address.
    Right(
        "sixtysix_cheap_by_address",
        "sixtysix_cheap",
        (
            "  look<<<blocks, 128, 0, stream>>>(price, left, n);\n",
            "  void* arguments[] = {&price, &left, &n};\n"
            "  cudaLaunchKernel((const void*)look, dim3(blocks), dim3(128), "
            "arguments, 0, stream);\n",
        ),
    ),
    # There is no tile.
    Right(
        "sixtysix_layout_no_tile",
        "sixtysix_layout",
        ("    __shared__ float tile[S][S + 1];\n", ""),
        (
            "            tile[k][tx] = x[(size_t)(r0 + k) * cols + c0 + tx] + b[c0 + "
            "tx];\n"
            "    __syncthreads();\n"
            "    for (int k = threadIdx.y; k < S; k += H)\n"
            "        if (c0 + k < cols && r0 + tx < rows)\n"
            "            y[(size_t)(c0 + k) * rows + r0 + tx] = "
            "__float2half(tile[tx][k]);\n",
            "            y[(size_t)(c0 + tx) * rows + r0 + k] =\n"
            "                __float2half(x[(size_t)(r0 + k) * cols + c0 + tx] + "
            "b[c0 + tx]);\n",
        ),
    ),
    # Each product has its remainder, and their sum has one a tile.
    Right(
        "sixtysix_clock_one_a_tile",
        "sixtysix_clock",
        (
            "sum = (sum + (long long)as[ty][h] * bs[h][tx]) % p;",
            "sum += (long long)as[ty][h] * bs[h][tx] % p;\n    sum %= p;",
        ),
    ),
    # What goes and what comes are added apart.
    Right(
        "sixtysix_flow_two_sums",
        "sixtysix_flow",
        ("float own = x[i], sum = 0.0f;", "float own = x[i], sum = 0.0f, out = 0.0f;"),
        (
            "        sum += a[(size_t)i * n + j] * (x[j] - own);\n",
            "    {\n"
            "        sum += a[(size_t)i * n + j] * x[j];\n"
            "        out += a[(size_t)i * n + j] * own;\n"
            "    }\n"
            "    sum -= out;\n",
        ),
    ),
    # The sum goes into the exponent, and the last column is first.
    Right(
        "sixtysix_octave_by_logarithm",
        "sixtysix_octave",
        (
            "  for (int c = t; c < cols; c += T) join",
            "  for (int c = cols - 1 - t; c >= 0; c -= T) join",
        ),
        ("exp2f(row[c] - m) / s", "exp2f(row[c] - m - log2f(s))"),
    ),
    # The root is divided by, and the sums are doubles.
    Right(
        "sixtysix_hold_by_root",
        "sixtysix_hold",
        ("rsqrtf(of_row(v) / cols + eps)", "1.0f / sqrtf(of_row(v) / cols + eps)"),
        ("    __shared__ float s[T];", "    __shared__ double s[T];"),
        ("    return s[0];", "    return (float)s[0];"),
    ),
)
