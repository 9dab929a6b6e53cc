"""Hold a sixty-fourth family: kernels of half a year's practice, and their plainest mistakes.

Its bases are the level of tanks after a step, over-relaxation, sums of 32 bits to halves,
shades to bytes, CELU, ReLU6, the energy of a signal, how many numbers of a row lie above a
limit, the least integer of a row and its first place, the transpose of a negative of bytes, a
matrix times a diagonal one times a matrix, a matrix with a band times a vector, the logarithm
of softmax, and layer norm with a gain and a bias. They have 14 to 44 lines, and are of people
with half a year of CUDA: one who plans dams, one who solves by sweeps, one who multiplies in
integers, one who shows simulations, a reader of a paper, one who runs networks on phones, one
who records, one who watches sensors, one who compares prices, one who scans film, one who
weighs samples, one who joins elements, one who trains a language model and one who has seen
sums of squares fail. They use float4 in a loop over the grid with the rest in a second loop,
half2 with a last number for thread 0, an int4 and two half2 with a thread's own rest, a uchar4
and a thread more for the rest, a number a thread in a loop, a kernel for pairs and one for odd
addresses, parts that the block with the last ticket adds up, votes of warps and an atomic in
shared memory, keys of 64 bits by shuffles, a tile of 32 with 8 rows of threads, tiles of 16, a
warp a row with four rows a block, a maximum and a sum in one pass that lanes join, and two
passes with a tree. Their mistakes are spread over alignment, sizes, grids and integers of 16
bits, values, rounding, NaN and infinity, inputs that are written, sums, transposes, products,
order, streams and what is left of an earlier call. The causes were written before a member was
judged. On the emulator each ran beside PyTorch, compared as a case does, called twice on the
same tensors, with NaN and with 1e3 in floating outputs (-1 and 77 in others), with tensors at
either end of their pages, their inputs looked at afterwards, on a stream that is not the
default one, with threads in order, from the last to the first and in a random order, and in the
slices that the cases name. Bases and right ones ran all cases; wrong ones until they were wrong
often enough. Of a lack of the barrier behind the ticket nothing was seen, which is why it is
not here. Of those that lack a barrier not each is wrong in every order of threads. nvcc 13.0
compiles each for 8.0, all members of a base in one file; none was run on a GPU. Bases and right
ones are right, and all others wrong or refused by a fault:

    sixtyfour_tank_addresses_and          from 4 numbers on, if some addresses are odd
    sixtyfour_tank_eight_bytes            from 4 numbers on, at multiples of 8 bytes
    sixtyfour_tank_one_pack               from 16,388 numbers on, where packs are taken
    sixtyfour_tank_rest_of_three          from 4 numbers on, if an address is odd
    sixtyfour_tank_level_in_place         from 4 numbers on in packs: level is overwritten
    sixtyfour_sor_swept_anywhere          from 2 numbers on, by the address of swept
    sixtyfour_sor_in_halves               of pairs, if w or a difference is no half
    sixtyfour_sor_thread_behind           of odd counts, if the block size divides the pairs
    sixtyfour_sor_blocks_of_first_call    if an earlier call was shorter
    sixtyfour_sor_no_stream               on another stream than the default one
    sixtyfour_acc_scaled_in_halves        of pairs, if the sum is no half or too large
    sixtyfour_acc_rest_short              of the rest, beyond 16 bits
    sixtyfour_acc_pack_of_three           of 4 * k + 3 numbers
    sixtyfour_acc_toward_zero             of pairs, if what is scaled is no half
    sixtyfour_acc_short_thread            from 262,145 numbers on
    sixtyfour_shade_cut_off               of fractions from a half on
    sixtyfour_shade_half_added            just between two, if the lower one is even
    sixtyfour_shade_nan_is_white          of NaN
    sixtyfour_shade_no_upper_limit        from 255.5 on
    sixtyfour_shade_no_thread_for_rest    if numbers are left, and packs fill their blocks
    sixtyfour_celu_exp_less_one           just below 0
    sixtyfour_celu_two_limits             of NaN
    sixtyfour_celu_one_number             from 32 * block_size + 1 numbers on
    sixtyfour_celu_factor_inside          below 0, unless alpha is 1
    sixtyfour_celu_no_branch              from about 88.8 * alpha on
    sixtyfour_six_one_address             from 2 numbers on, if y alone is at an odd place
    sixtyfour_six_nan_lost                of NaN
    sixtyfour_six_blocks_of_pairs         from 129 numbers on, if an address is odd
    sixtyfour_six_pair_more               of odd counts, where pairs are taken
    sixtyfour_six_first_again             from 2 numbers on, where pairs are taken
    sixtyfour_energy_ticket_goes_on       from a second call on
    sixtyfour_energy_own_sum_kept         unless the last block's first numbers are 0
    sixtyfour_energy_no_first_barrier     where threads do not wait for another
    sixtyfour_energy_tree_of_a_quarter    from 65 numbers on, if the upper half has sums
    sixtyfour_energy_added                unless out was 0 before
    sixtyfour_above_no_atomic             where warps meet; as warps go, seldom
    sixtyfour_above_no_barrier            where warps do not wait for another
    sixtyfour_above_at_least              if a number is the limit
    sixtyfour_above_nan_counts            of NaN
    sixtyfour_above_lanes_leave           unless 128 divides the columns
    sixtyfour_lowest_place_of_16_bits     from 65,537 columns on, of some
    sixtyfour_lowest_from_zero            of rows above 0
    sixtyfour_lowest_last_place           if the least is there twice
    sixtyfour_lowest_no_barrier           where warps do not wait for another
    sixtyfour_lowest_through_float        beyond 2^24, of most
    sixtyfour_film_pitch_of_input         unless rows are as many as columns
    sixtyfour_film_grid_turned            unless tiles are as many across as down
    sixtyfour_film_no_barrier             where threads do not wait for another
    sixtyfour_film_tile_not_turned        unless the picture is its own transpose
    sixtyfour_film_of_256                 always
    sixtyfour_sandwich_weight_of_row      of nearly all
    sixtyfour_sandwich_no_second_barrier  from k = 17 on, where threads do not wait for another
    sixtyfour_sandwich_one_less           from k = 16 on
    sixtyfour_sandwich_pitch_of_k         from k = 2 on, unless n is k
    sixtyfour_sandwich_rows_untested      unless 16 divides k
    sixtyfour_band_last_left_out          of nearly all
    sixtyfour_band_begin_untested         of rows before the width
    sixtyfour_band_all_lanes_store        of nearly all
    sixtyfour_band_from_eight             from 17 numbers in the band on
    sixtyfour_band_added                  unless y was 0 before
    sixtyfour_logsoft_base_two            from 2 columns on
    sixtyfour_logsoft_no_largest          of rows that are far from 0
    sixtyfour_logsoft_largest_first       if the largest of lanes differ
    sixtyfour_logsoft_from_infinity       of rows with fewer columns than lanes, or with a mask
    sixtyfour_logsoft_no_stream           on another stream than the default one
    sixtyfour_norm_mean_of_squares        of numbers that are close beside their mean
    sixtyfour_norm_no_last_barrier        where threads do not wait for another
    sixtyfour_norm_eps_outside            unless eps is small beside the variance
    sixtyfour_norm_gain_and_bias          unless both are alike
    sixtyfour_norm_centred_in_place       of nearly all: x is overwritten
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import whole

# One who plans dams: the level after a step, float4 in a loop over the grid, then the rest.
TANK = (
    HEADER
    + """\
__global__ void tank(const float* level, const float* in, const float* drain, float* next,
                     float dt, int n, int packs) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  int step = gridDim.x * blockDim.x;
  for (int p = t; p < packs; p += step) {
    float4 h = ((const float4*)level)[p];
    float4 u = ((const float4*)in)[p];
    float4 v = ((const float4*)drain)[p];
    h.x += dt * (u.x - v.x);
    h.y += dt * (u.y - v.y);
    h.z += dt * (u.z - v.z);
    h.w += dt * (u.w - v.w);
    ((float4*)next)[p] = h;
  }
  for (int i = 4 * packs + t; i < n; i += step) next[i] = level[i] + dt * (in[i] - drain[i]);
}

extern "C" void launch(const float* level,  // [n]
                       const float* in,     // [n]
                       const float* drain,  // [n]
                       float* next,         // [n]
                       float dt, int n, cudaStream_t stream = 0) {
  uintptr_t all = (uintptr_t)level | (uintptr_t)in | (uintptr_t)drain | (uintptr_t)next;
  int packs = all % 16 == 0 ? n / 4 : 0;
  int blocks = n / 1024 + 1;
  if (blocks > 16) blocks = 16;
  tank<<<blocks, 256, 0, stream>>>(level, in, drain, next, dt, n, packs);
}
"""
)

# One who solves by sweeps: over-relaxation of halves, pairs and a last number for thread 0.
SOR = (
    HEADER
    + """\
__device__ float relax(float old, float swept, float w)
{
    return old + w * (swept - old);
}

__global__ void sor(const half *old, const half *swept, half *x, float w, int n)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p < n / 2) {
        float2 u = __half22float2(((const half2 *)old)[p]);
        float2 v = __half22float2(((const half2 *)swept)[p]);
        ((half2 *)x)[p] = __floats2half2_rn(relax(u.x, v.x, w), relax(u.y, v.y, w));
    }
    if (p == 0 && n % 2 == 1)
        x[n - 1] = __float2half(relax(__half2float(old[n - 1]), __half2float(swept[n - 1]), w));
}

extern "C" void launch(const half *old,    // [n] 4-byte aligned
                       const half *swept,  // [n] 4-byte aligned
                       half *x,            // [n] 4-byte aligned
                       float w, int n, int block_size = 128, cudaStream_t stream = 0)
{
    int blocks = (n / 2 + block_size - 1) / block_size;
    if (blocks == 0)
        blocks = 1;
    sor<<<blocks, block_size, 0, stream>>>(old, swept, x, w, n);
}
"""
)

# One who multiplies in integers: sums of 32 bits to halves, an int4 and two half2 a thread.
ACC = (
    HEADER
    + """\
__global__ void leave(const int32_t* x, half* y, float scale, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  int i = 4 * t;
  if (i + 4 <= n) {
    int4 v = *(const int4*)(x + i);
    half2 low = __floats2half2_rn(v.x * scale, v.y * scale);
    half2 high = __floats2half2_rn(v.z * scale, v.w * scale);
    *(half2*)(y + i) = low;
    *(half2*)(y + i + 2) = high;
  } else {
    for (; i < n; i++) y[i] = __float2half(x[i] * scale);
  }
}

extern "C" void launch(const int32_t* x,  // [n] 16-byte aligned
                       half* y,           // [n] 4-byte aligned
                       float scale, int n, cudaStream_t stream = 0) {
  int threads = (n + 3) / 4;
  leave<<<(threads + 191) / 192, 192, 0, stream>>>(x, y, scale, n);
}
"""
)

# One who shows simulations: floats to bytes, four a thread and a thread more for the rest.
SHADE = (
    HEADER
    + """\
__device__ uint8_t shade(float v, float gain)
{
    v = fminf(fmaxf(v * gain, 0.0f), 255.0f);
    return (uint8_t)rintf(v);
}

__global__ void shades(const float *x, uint8_t *y, float gain, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int packs = n / 4;
    if (t < packs) {
        const float *v = x + 4 * t;
        ((uchar4 *)y)[t] = make_uchar4(shade(v[0], gain), shade(v[1], gain),
                                       shade(v[2], gain), shade(v[3], gain));
    } else if (t == packs) {
        for (int i = 4 * packs; i < n; i++)
            y[i] = shade(x[i], gain);
    }
}

extern "C" void launch(const float *x,  // [n]
                       uint8_t *y,      // [n] 4-byte aligned
                       float gain, int n, int block_size = 64, cudaStream_t stream = 0)
{
    int threads = n / 4 + 1;
    shades<<<(threads + block_size - 1) / block_size, block_size, 0, stream>>>(x, y, gain, n);
}
"""
)

# A reader of a paper on units: CELU, a number a thread in a loop over the grid.
CELU = (
    HEADER
    + """\
__global__ void celu(const float* x, float* y, float alpha, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float v = x[i];
    y[i] = v > 0.0f ? v : alpha * expm1f(v / alpha);
  }
}

extern "C" void launch(const float* x,  // [n]
                       float* y,        // [n]
                       float alpha, int n, int block_size = 128, cudaStream_t stream = 0) {
  int blocks = (n + block_size - 1) / block_size;
  if (blocks > 32) blocks = 32;
  celu<<<blocks, block_size, 0, stream>>>(x, y, alpha, n);
}
"""
)

# One who runs networks on phones: ReLU6, a kernel for pairs and one for odd addresses.
SIX = (
    HEADER
    + """\
__device__ float six(float v)
{
    return v <= 0.0f ? 0.0f : v > 6.0f ? 6.0f : v;
}

__global__ void six_pairs(const half *x, half *y, int n)
{
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n)
        return;
    if (i == n - 1) {
        y[i] = __float2half(six(__half2float(x[i])));
        return;
    }
    float2 v = __half22float2(*(const half2 *)(x + i));
    *(half2 *)(y + i) = __floats2half2_rn(six(v.x), six(v.y));
}

__global__ void six_singles(const half *x, half *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = __float2half(six(__half2float(x[i])));
}

extern "C" void launch(const half *x,  // [n]
                       half *y,        // [n]
                       int n, cudaStream_t stream = 0)
{
    if ((uintptr_t)x % 4 == 0 && (uintptr_t)y % 4 == 0)
        six_pairs<<<(n + 255) / 256, 128, 0, stream>>>(x, y, n);
    else
        six_singles<<<(n + 127) / 128, 128, 0, stream>>>(x, y, n);
}
"""
)

# One who records: the energy of a signal, parts of blocks that the last block adds up.
ENERGY = (
    HEADER
    + """\
#define T 128
#define MOST 24

__device__ float parts[MOST];
__device__ unsigned int ticket;

__device__ void join(float* s, int t) {
  __syncthreads();
  for (int h = T / 2; h > 0; h /= 2) {
    if (t < h) s[t] += s[t + h];
    __syncthreads();
  }
}

__global__ void energy(const float* x, float* out, int n) {
  __shared__ float s[T];
  __shared__ bool last;
  int t = threadIdx.x;
  float sum = 0.0f;
  for (int i = blockIdx.x * T + t; i < n; i += gridDim.x * T) sum += x[i] * x[i];
  s[t] = sum;
  join(s, t);
  if (t == 0) {
    parts[blockIdx.x] = s[0];
    __threadfence();
    last = atomicInc(&ticket, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  __threadfence();
  sum = 0.0f;
  for (int b = t; b < gridDim.x; b += T) sum += parts[b];
  s[t] = sum;
  join(s, t);
  if (t == 0) *out = s[0];
}

extern "C" void launch(const float* x,  // [n]
                       float* out,      // [1]
                       int n, cudaStream_t stream = 0) {
  int blocks = (n + T - 1) / T;
  if (blocks > MOST) blocks = MOST;
  energy<<<blocks, T, 0, stream>>>(x, out, n);
}
"""
)

# One who watches sensors: how many numbers of a row lie above a limit, by votes of warps.
ABOVE = (
    HEADER
    + """\
#define T 128

__global__ void above(const half *x, int *count, float limit, int cols)
{
    __shared__ int found;
    const half *row = x + (size_t)blockIdx.x * cols;
    if (threadIdx.x == 0)
        found = 0;
    __syncthreads();
    for (int start = 0; start < cols; start += T) {
        int c = start + threadIdx.x;
        bool yes = c < cols && __half2float(row[c]) > limit;
        unsigned votes = __ballot_sync(0xffffffff, yes);
        if (threadIdx.x % 32 == 0)
            atomicAdd(&found, __popc(votes));
    }
    __syncthreads();
    if (threadIdx.x == 0)
        count[blockIdx.x] = found;
}

extern "C" void launch(const half *x,  // [rows, cols]
                       int *count,     // [rows]
                       float limit, int rows, int cols, cudaStream_t stream = 0)
{
    above<<<rows, T, 0, stream>>>(x, count, limit, cols);
}
"""
)

# One who compares prices: the least integer of a row and its first place, in one key.
LOWEST = (
    HEADER
    + """\
#define T 96

__global__ void lowest(const int32_t* x, int32_t* value, int32_t* place, int cols) {
  __shared__ long long keys[T / 32];
  const int32_t* row = x + (size_t)blockIdx.x * cols;
  int t = threadIdx.x;
  long long best = 0x7fffffffffffffffLL;
  for (int c = t; c < cols; c += T) {
    long long key = row[c] * 4294967296LL + c;
    if (key < best) best = key;
  }
  for (int d = 16; d > 0; d /= 2) {
    long long key = __shfl_down_sync(0xffffffff, best, d);
    if (key < best) best = key;
  }
  if (t % 32 == 0) keys[t / 32] = best;
  __syncthreads();
  if (t == 0) {
    for (int w = 1; w < T / 32; w++)
      if (keys[w] < best) best = keys[w];
    value[blockIdx.x] = (int32_t)(best >> 32);
    place[blockIdx.x] = (int32_t)(best & 0xffffffff);
  }
}

extern "C" void launch(const int32_t* x,  // [rows, cols]
                       int32_t* value,    // [rows]
                       int32_t* place,    // [rows]
                       int rows, int cols, cudaStream_t stream = 0) {
  lowest<<<rows, T, 0, stream>>>(x, value, place, cols);
}
"""
)

# One who scans film: the transpose of the negative of a picture of bytes.
FILM = (
    HEADER
    + """\
#define S 32
#define Y 8

__global__ void film(const uint8_t *x, uint8_t *y, int rows, int cols)
{
    __shared__ uint8_t tile[S][S + 4];
    int c = blockIdx.x * S + threadIdx.x;
    for (int j = threadIdx.y; j < S; j += Y) {
        int r = blockIdx.y * S + j;
        if (r < rows && c < cols)
            tile[j][threadIdx.x] = x[(size_t)r * cols + c];
    }
    __syncthreads();
    int r = blockIdx.y * S + threadIdx.x;
    for (int j = threadIdx.y; j < S; j += Y) {
        int d = blockIdx.x * S + j;
        if (d < cols && r < rows)
            y[(size_t)d * rows + r] = 255 - tile[threadIdx.x][j];
    }
}

extern "C" void launch(const uint8_t *x,  // [rows, cols]
                       uint8_t *y,        // [cols, rows]
                       int rows, int cols, cudaStream_t stream = 0)
{
    dim3 grid((cols + S - 1) / S, (rows + S - 1) / S);
    film<<<grid, dim3(S, Y), 0, stream>>>(x, y, rows, cols);
}
"""
)

# One who weighs samples: a times a diagonal matrix times b, tiles of 16.
SANDWICH = (
    HEADER
    + """\
#define S 16

__global__ void sandwich(const float* a, const float* d, const float* b, float* c, int m, int n,
                         int k) {
  __shared__ float as[S][S], bs[S][S];
  int tx = threadIdx.x, ty = threadIdx.y;
  int j = blockIdx.x * S + tx;
  int i = blockIdx.y * S + ty;
  float sum = 0.0f;
  for (int p = 0; p < k; p += S) {
    int u = p + tx, v = p + ty;
    as[ty][tx] = i < m && u < k ? a[(size_t)i * k + u] * d[u] : 0.0f;
    bs[ty][tx] = v < k && j < n ? b[(size_t)v * n + j] : 0.0f;
    __syncthreads();
    for (int h = 0; h < S; h++) sum += as[ty][h] * bs[h][tx];
    __syncthreads();
  }
  if (i < m && j < n) c[(size_t)i * n + j] = sum;
}

extern "C" void launch(const float* a,  // [m, k]
                       const float* d,  // [k]
                       const float* b,  // [k, n]
                       float* c,        // [m, n]
                       int m, int n, int k, cudaStream_t stream = 0) {
  dim3 grid((n + S - 1) / S, (m + S - 1) / S);
  sandwich<<<grid, dim3(S, S), 0, stream>>>(a, d, b, c, m, n, k);
}
"""
)

# One who joins elements: a matrix with a band times a vector, a warp a row.
BAND = (
    HEADER
    + """\
#define ROWS 4

__global__ void band(const float *a, const float *x, float *y, int width,
                     int n)
{
    int lane = threadIdx.x;
    int row = blockIdx.x * ROWS + threadIdx.y;
    if (row >= n)
        return;
    float sum = 0.0f;
    int first = max(row - width, 0);
    int last = min(row + width, n - 1);
    for (int c = first + lane; c <= last; c += 32)
        sum += a[(size_t)row * n + c] * x[c];
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, d);
    if (lane == 0)
        y[row] = sum;
}

extern "C" void launch(const float *a,  // [n, n]
                       const float *x,  // [n]
                       float *y,        // [n]
                       int width, int n, cudaStream_t stream = 0)
{
    int blocks = (n + ROWS - 1) / ROWS;
    band<<<blocks, dim3(32, ROWS), 0, stream>>>(a, x, y, width, n);
}
"""
)

# One who trains a language model: the logarithm of softmax in one pass, a warp a row.
LOGSOFT = (
    HEADER
    + """\
__global__ void logsoft(const float* x, float* y, int cols) {
  const float* from = x + (size_t)blockIdx.x * cols;
  float* to = y + (size_t)blockIdx.x * cols;
  float m = -FLT_MAX, s = 0.0f;
  for (int c = threadIdx.x; c < cols; c += 32) {
    float v = from[c];
    if (v > m) {
      s *= expf(m - v);
      m = v;
    }
    s += expf(v - m);
  }
  for (int d = 1; d < 32; d *= 2) {
    float m2 = __shfl_xor_sync(0xffffffff, m, d);
    float s2 = __shfl_xor_sync(0xffffffff, s, d);
    float most = fmaxf(m, m2);
    s = s * expf(m - most) + s2 * expf(m2 - most);
    m = most;
  }
  float shift = logf(s);
  for (int c = threadIdx.x; c < cols; c += 32) to[c] = from[c] - m - shift;
}

extern "C" void launch(const float* x,  // [rows, cols]
                       float* y,        // [rows, cols]
                       int rows, int cols, cudaStream_t stream = 0) {
  logsoft<<<rows, 32, 0, stream>>>(x, y, cols);
}
"""
)

# One who has seen sums of squares fail: layer norm in two passes over a row, a block a row.
NORM = (
    HEADER
    + """\
#define T 64

__device__ float total(float *s, float v)
{
    int t = threadIdx.x;
    s[t] = v;
    __syncthreads();
    for (int h = T / 2; h > 0; h /= 2) {
        if (t < h)
            s[t] += s[t + h];
        __syncthreads();
    }
    float all = s[0];
    __syncthreads();
    return all;
}

__global__ void norm(const float *x, const float *gain, const float *bias, float *y, float eps,
                     int cols)
{
    __shared__ float s[T];
    const float *row = x + (size_t)blockIdx.x * cols;
    float sum = 0.0f, squares = 0.0f;
    for (int c = threadIdx.x; c < cols; c += T)
        sum += row[c];
    float mean = total(s, sum) / cols;
    for (int c = threadIdx.x; c < cols; c += T)
        squares += (row[c] - mean) * (row[c] - mean);
    float f = rsqrtf(total(s, squares) / cols + eps);
    for (int c = threadIdx.x; c < cols; c += T)
        y[(size_t)blockIdx.x * cols + c] = (row[c] - mean) * f * gain[c] + bias[c];
}

extern "C" void launch(const float *x,     // [rows, cols]
                       const float *gain,  // [cols]
                       const float *bias,  // [cols]
                       float *y,           // [rows, cols]
                       float eps, int rows, int cols, cudaStream_t stream = 0)
{
    norm<<<rows, T, 0, stream>>>(x, gain, bias, y, eps, cols);
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


def levels(launcher: Launcher) -> Iterator[Case]:
    """Fill tanks by whole numbers, so that all is exact; NaN, infinities; slices."""
    for n in (*LENGTHS, 9_001, 16_384, 16_385, 70_003, 70_004):
        h, u, v = (whole(-999, 1000, n, 3 * n + k).float() for k in range(3))
        j = torch.arange(n)
        for label, p, q, r, dt in (
            ("usual", h, u, v, 0.5),
            ("a whole step", h, u, v, 3.0),
            ("NaN", h, torch.where(j % 4 == 3, NAN, u), v, 0.5),
            ("infinities", h, u, torch.where(j % 5 == 2, -INF, v), 2.0),
        ):
            right = p.double() + dt * (q.double() - r.double())
            options = {"dtypes": FLOAT, "quick": n > 5000}
            yield Case(
                f"n = {n:,}, dt = {dt}, {label}", (p, q, r), (right,), {"dt": dt}, **options
            )
            if n < 300 and label == "usual":
                slices = ((4, 4, 4, 4), (4, 4, 4, 1), (1, 4, 4, 4), (2, 2, 2, 2), (3, 3, 3, 3))
                for offsets in (*slices, (4, 2, 4, 4), (4, 4, 3, 4), (1, 3, 4, 4)):
                    words = f"n = {n:,}, slices from {offsets}"
                    more = {**options, "offset": offsets}
                    yield Case(words, (p, q, r), (right,), {"dt": dt}, **more)


def relaxed_halves(launcher: Launcher) -> Iterator[Case]:
    """Go past swept halves, so that only the last step rounds; NaN; slices."""
    for n in (*LENGTHS, 9_001, 20_003):
        a, b = (whole(-99, 100, n, 2 * n + k) for k in range(2))
        j = torch.arange(n)
        for label, p, q in (
            ("usual", a / 8, b / 4),
            ("large", a * 16, b * 8),
            ("still", a, a),
            ("NaN", a, torch.where(j % 3 == 1, NAN, b.double())),
        ):
            p, q = p.half(), q.half()
            for w, block_size in ((1.5, 128), (1.2003173828125, 32)):
                right = p.double() + w * (q.double() - p.double())
                scalars = {"w": w, "block_size": block_size}
                options = {"dtypes": HALF, "quick": n > 5000}
                yield Case(
                    f"n = {n:,}, {scalars}, {label}", (p, q), (right,), scalars, **options
                )
            if n < 300 and label == "usual":
                for offsets in ((2, 4, 6), (4, 2, 2)):
                    more = {"dtypes": HALF, "offset": offsets}
                    words = f"n = {n:,}, slices from {offsets}"
                    yield Case(words, (p, q), (right,), {"w": w}, **more)


def sums_to_halves(launcher: Launcher) -> Iterator[Case]:
    """Scale sums by powers of two: small, of 16 bits and more, large ones, few of them odd."""
    for n in (*LENGTHS, 9_001, 270_003):
        x = whole(-9_999_999, 10_000_000, n, n)
        for label, y, scale in (
            ("small", x % 2001 - 1000, 0.5),
            ("usual", x // 32, 0.0078125),
            ("large", x, 0.00390625),
            ("too large for halves", x, 0.5),
            ("subnormal", x % 2001 - 1000, 2.0**-30),
        ):
            right = y.double() * scale
            options = {"dtypes": HALF, "quick": n > 5000}
            words, inputs = f"n = {n:,}, scale = {scale}, {label}", (y.int(),)
            yield Case(words, inputs, (right,), {"scale": scale}, **options)


def shades_of_numbers(launcher: Launcher) -> Iterator[Case]:
    """Round to bytes: shares, between two, beyond the range, infinities, NaN."""
    for n in (*LENGTHS, 9_001):
        x, j = whole(0, 1025, n, n), torch.arange(n)
        for label, y, gain in (
            ("shares", x / 1024, 255.0),
            ("between two", x % 255 + 0.5, 1.0),
            ("beyond the range", x * 2.0 - 800, 1.0),
            ("infinities", torch.where(j % 3 == 1, INF * (1 - j % 2 * 2), x / 4), 0.5),
            ("NaN", torch.where(j % 3 == 1, NAN, x / 16), 1.0),
        ):
            y = y.float()
            right = (y.double() * gain).nan_to_num(0.0, INF, -INF).clamp(0, 255).round()
            for block_size in (64, 32):
                scalars = {"gain": gain, "block_size": block_size}
                options = {"dtypes": (torch.uint8,), "quick": n > 5000}
                yield Case(f"n = {n:,}, {scalars}, {label}", (y,), (right,), scalars, **options)


def exponential_units(launcher: Launcher) -> Iterator[Case]:
    """Bend usual, small, large numbers, infinities, NaN; with several factors."""
    for n in (*LENGTHS, 5_001, 9_001):
        x, j = whole(-999, 1000, n, n).float() / 128, torch.arange(n)
        for label, y in (
            ("usual", x),
            ("small", x / 8192),
            ("large", x * 64),
            ("infinities", torch.where(j % 2 == 1, INF, -INF)),
            ("NaN", torch.where(j % 3 == 1, NAN, x)),
        ):
            for alpha, block_size in ((1.0, 128), (2.0, 32)):
                z = y.double()
                right = torch.where(z > 0, z, alpha * (z / alpha).expm1())
                slack = ((2.0**-21 * right.abs()).nan_to_num(0.0, 0.0, 0.0),)
                scalars = {"alpha": alpha, "block_size": block_size}
                options = {"dtypes": FLOAT, "within": slack, "quick": n > 5000}
                yield Case(f"n = {n:,}, {scalars}, {label}", (y,), (right,), scalars, **options)


def units_up_to_six(launcher: Launcher) -> Iterator[Case]:
    """Limit halves: usual, all below 0, above 6, infinities, NaN; slices."""
    for n in (*LENGTHS, 9_001):
        x, j = whole(-99, 100, n, n).float(), torch.arange(n)
        for label, y in (
            ("usual", x / 8),
            ("small", x / 4096),
            ("below 0", -x.abs() - 1),
            ("above 6", x.abs() + 7),
            ("infinities", torch.where(j % 3 == 1, INF * (1 - j % 2 * 2), x / 16)),
            ("NaN", torch.where(j % 3 == 1, NAN, x / 16)),
        ):
            y = y.half()
            right = torch.where(y <= 0, 0.0, y.double())
            right = torch.where(right > 6, 6.0, right)
            yield Case(f"n = {n:,}, {label}", (y,), (right,), dtypes=HALF, quick=n > 5000)
            if n < 300 and label == "usual":
                for offsets in ((2, 2), (2, 1), (1, 2), (1, 1), (3, 4)):
                    words = f"n = {n:,}, slices from {offsets}"
                    yield Case(words, (y,), (right,), dtypes=HALF, offset=offsets)


def energies(launcher: Launcher) -> Iterator[Case]:
    """Add squares of whole numbers, so that all is exact: any, ones, one alone, NaN."""
    for n in (*LENGTHS, 6_145, 9_001, 20_001, 77, 300):
        x, j = whole(-20, 21, n, n), torch.arange(n)
        for label, y in (
            ("any", x),
            ("ones", x * 0 + 1),
            ("the first alone", torch.where(j == 0, 9, 0)),
            ("the last alone", torch.where(j == n - 1, -9, 0)),
            ("NaN", torch.where(j == n // 2, NAN, x.double())),
        ):
            right = (y * y).sum().double().reshape(1)
            options = {"dtypes": FLOAT, "quick": n > 5000}
            yield Case(f"n = {n:,}, {label}", (y.float(),), (right,), **options)


def numbers_above(launcher: Launcher) -> Iterator[Case]:
    """Count: of any numbers, of those that are the limit, none, all, infinities and NaN."""
    for rows, cols in (*SIDES, (3, 2_001), (513, 3)):
        n = rows * cols
        x, c = whole(-99, 100, n, n).reshape(rows, cols) / 4, torch.arange(cols)
        for label, y, limit in (
            ("any", x, 1.125),
            ("some are the limit", (x * 4) % 5, 2.0),
            ("none", x, 99.0),
            ("all", x, -99.0),
            ("close to the limit", 1 + (x * 4 % 3) / 1024, 1.00146484375),
            ("infinities", torch.where(c % 3 == 1, INF, x), 1e30),
            ("NaN", torch.where(c % 3 == 1, NAN, x), 0.5),
        ):
            y = y.half()
            right = (y.double() > limit).sum(1)
            words = f"rows = {rows:,}, cols = {cols:,}, limit = {limit}, {label}"
            yield Case(words, (y,), (right,), {"limit": limit}, dtypes=WHOLE)


def lowest_integers(launcher: Launcher) -> Iterator[Case]:
    """Find the least: of any numbers, few values, equal ones, above 0, large ones, the last."""
    for rows, cols in (*SIDES, (3, 2_001), (513, 3), (1, 70_003)):
        n = rows * cols
        x, c = whole(-(2**31), 2**31, n, n).reshape(rows, cols), torch.arange(cols)
        for label, y in (
            ("any", x),
            ("few values", x % 5 - 2),
            ("equal", x * 0 - 7),
            ("above 0", x % 1000 + 1),
            ("close to 2^31", 2**31 - 1 - x % 50),
            ("the last", torch.where(c == cols - 1, -5, x * 0)),
        ):
            value = y.amin(1)
            place = torch.where(y == value[:, None], c, cols).amin(1)
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y.int(),), (value, place), dtypes=(*WHOLE, *WHOLE))


def negatives_of_films(launcher: Launcher) -> Iterator[Case]:
    """Turn pictures: any bytes, rising ones, black, white."""
    for rows, cols in (*SIDES, (31, 200), (200, 31), (300, 1), (33, 65)):
        n = rows * cols
        for label, x in (
            ("any", whole(0, 256, n, n)),
            ("rising", torch.arange(n) % 256),
            ("black", torch.zeros(n)),
            ("white", torch.full((n,), 255)),
        ):
            y = x.reshape(rows, cols)
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            inputs = (y.to(torch.uint8),)
            yield Case(words, inputs, (255 - y.double().T,), dtypes=(torch.uint8,))


def sandwiches(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole numbers, so that all is exact: any, the last weight alone, a NaN."""
    sides = ((1, 1, 1), (2, 3, 1), (3, 2, 5), (16, 16, 16), (17, 16, 15), (5, 40, 33))
    sides += ((40, 5, 17), (33, 31, 70), (1, 70, 3), (70, 1, 100), (65, 20, 48), (20, 65, 31))
    for m, n, k in (*sides, (16, 16, 200), (3, 5, 1000), (32, 16, 32)):
        a = whole(-9, 10, m * k, m + k).reshape(m, k)
        b = whole(-9, 10, k * n, n + k).reshape(k, n)
        d, j = whole(1, 10, k, k), torch.arange(k)
        for label, p, w in (
            ("any", a, d),
            ("the last weight alone", a.abs() + 1, torch.where(j == k - 1, 3, 0)),
            ("NaN", torch.where(torch.arange(m)[:, None] == m // 2, NAN, a.double()), d),
        ):
            inputs = p.float(), w.float(), b.float()
            right = (inputs[0].double() * inputs[1].double()) @ inputs[2].double()
            yield Case(f"m = {m}, n = {n}, k = {k}, {label}", inputs, (right,), dtypes=FLOAT)


def bands(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole numbers, so that all is exact: any, ones, NaN beside the band."""
    for n in (*range(1, 71), 95, 96, 97, 127, 128, 129, 255, 256, 257, 300):
        a, x = whole(-9, 10, n * n, n).reshape(n, n).float(), whole(1, 10, n, n + 1).float()
        i = torch.arange(n)
        for width in (0, 1, 5, 20, 64, 300):
            inside = (i[:, None] - i).abs() <= width
            for label, p, y in (
                ("any", a, x),
                ("ones", torch.ones(n, n), torch.ones(n)),
                ("NaN beside the band", torch.where(inside, a, NAN), x),
            ):
                right = torch.where(inside, p, 0.0).double() @ y.double()
                words = f"n = {n:,}, width = {width}, {label}"
                yield Case(words, (p, y), (right,), {"width": width}, dtypes=FLOAT)


def logarithms_of_shares(launcher: Launcher) -> Iterator[Case]:
    """Take logarithms of shares: any, equal, far above and below 0, rising, falling, a mask."""
    for rows, cols in (*SIDES, (3, 2_001), (513, 3)):
        n = rows * cols
        x, c = whole(-40, 41, n, n).reshape(rows, cols) / 8.0, torch.arange(cols)
        for label, y in (
            ("any", x),
            ("equal", x * 0 + 3),
            ("far above 0", x + 1000),
            ("far below 0", x - 1000),
            ("rising", x * 0 + c / 4),
            ("falling", x * 0 - c / 4.0),
            ("a mask", torch.where(c % 3 == 1, -INF, x)),
        ):
            y = y.float()
            right = y.double().log_softmax(1)
            slack = ((2.0**-18 * right.abs() + 2.0**-17).nan_to_num(0.0, 0.0, 0.0),)
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y,), (right,), dtypes=FLOAT, within=slack)


def normed_rows(launcher: Launcher) -> Iterator[Case]:
    """Norm whole numbers: any, small, about a large mean, one apart, equal ones, a NaN."""
    for rows, cols in (*SIDES, (3, 2_001), (129, 130)):
        n = rows * cols
        x, c = whole(-99, 100, n, n).reshape(rows, cols), torch.arange(cols)
        gain, bias = (whole(1, 17, cols, n + k).float() / 8 for k in (2, 3))
        for label, y in (
            ("any", x),
            ("small", x / 1024),
            ("about 4,096", 4096 + x // 10),
            ("one apart", torch.where(c == cols // 3, 1032, x * 0 + 1024)),
            ("equal", x * 0 + 5),
            ("NaN", torch.where((x % 9 == 4) & (c == cols // 2), NAN, x.double())),
        ):
            y = y.float()
            v = y.double()
            d = v - v.mean(1, keepdim=True)
            for eps in (1e-5, 0.25):
                f = 1 / ((d * d).mean(1, keepdim=True) + eps).sqrt()
                made = d * f * gain.double()
                right = made + bias.double()
                off = 2.0**-15 * made.abs() + 2.0**-20 * f * v.abs().amax(1, True) * 2
                slack = ((off + 2.0**-20).nan_to_num(0.0),)
                words = f"rows = {rows:,}, cols = {cols:,}, eps = {eps}, {label}"
                inputs = (y, gain, bias)
                yield Case(words, inputs, (right,), {"eps": eps}, dtypes=FLOAT, within=slack)


BASES = {
    "sixtyfour_tank": Base(TANK, {"cases": levels}),
    "sixtyfour_sor": Base(SOR, {"cases": relaxed_halves}),
    "sixtyfour_acc": Base(ACC, {"cases": sums_to_halves}),
    "sixtyfour_shade": Base(SHADE, {"cases": shades_of_numbers}),
    "sixtyfour_celu": Base(CELU, {"cases": exponential_units}),
    "sixtyfour_six": Base(SIX, {"cases": units_up_to_six}),
    "sixtyfour_energy": Base(ENERGY, {"cases": energies}),
    "sixtyfour_above": Base(ABOVE, {"cases": numbers_above}),
    "sixtyfour_lowest": Base(LOWEST, {"cases": lowest_integers}),
    "sixtyfour_film": Base(FILM, {"cases": negatives_of_films}),
    "sixtyfour_sandwich": Base(SANDWICH, {"cases": sandwiches}),
    "sixtyfour_band": Base(BAND, {"cases": bands}),
    "sixtyfour_logsoft": Base(LOGSOFT, {"cases": logarithms_of_shares}),
    "sixtyfour_norm": Base(NORM, {"cases": normed_rows}),
}

WRONG = (
    # ---- tank
    # The addresses are joined by &, so that one round one is enough.
    Wrong(
        "sixtyfour_tank_addresses_and",
        "sixtyfour_tank",
        "alignment",
        (
            "(uintptr_t)level | (uintptr_t)in | (uintptr_t)drain | (uintptr_t)next;",
            "(uintptr_t)level & (uintptr_t)in & (uintptr_t)drain & (uintptr_t)next;",
        ),
    ),
    # Addresses are round to 8 bytes.
    Wrong(
        "sixtyfour_tank_eight_bytes",
        "sixtyfour_tank",
        "alignment",
        ("all % 16 == 0 ?", "all % 8 == 0 ?"),
    ),
    # A thread takes one pack, but there are 16 blocks at most.
    Wrong(
        "sixtyfour_tank_one_pack",
        "sixtyfour_tank",
        "left out / unwritten / grid | tail / numbers / nan",
        ("  for (int p = t; p < packs; p += step) {", "  int p = t;\n  if (p < packs) {"),
    ),
    # The rest is taken for three numbers at most.
    Wrong(
        "sixtyfour_tank_rest_of_three",
        "sixtyfour_tank",
        "unwritten / left out / alignment / tail | numbers / nan",
        (
            "  for (int i = 4 * packs + t; i < n; i += step) next[i]",
            "  int i = n - n % 4 + t;\n  if (i < n) next[i]",
        ),
    ),
    # The new level is kept in the old one's place, too.
    Wrong(
        "sixtyfour_tank_level_in_place",
        "sixtyfour_tank",
        "input | state / numbers",
        (
            "    ((float4*)next)[p] = h;\n",
            "    ((float4*)level)[p] = h;\n    ((float4*)next)[p] = h;\n",
        ),
    ),
    # ---- sor
    # The second input may lie anywhere.
    Wrong(
        "sixtyfour_sor_swept_anywhere",
        "sixtyfour_sor",
        "alignment",
        ("const half *swept,  // [n] 4-byte aligned", "const half *swept,  // [n]"),
    ),
    # All is done in halves, each step of which rounds.
    Wrong(
        "sixtyfour_sor_in_halves",
        "sixtyfour_sor",
        "rounding / precision | numbers / tail",
        (
            "        float2 u = __half22float2(((const half2 *)old)[p]);\n"
            "        float2 v = __half22float2(((const half2 *)swept)[p]);\n"
            "        ((half2 *)x)[p] = __floats2half2_rn(relax(u.x, v.x, w), "
            "relax(u.y, v.y, w));\n",
            "        half2 u = ((const half2 *)old)[p], v = ((const half2 *)swept)[p];\n"
            "        ((half2 *)x)[p] = __hfma2(__float2half2_rn(w), __hsub2(v, u), u);\n",
        ),
    ),
    # The thread behind the last pair takes the last number, but may not exist.
    Wrong(
        "sixtyfour_sor_thread_behind",
        "sixtyfour_sor",
        "tail / unwritten / left out / grid | block size / nan",
        ("p == 0 && n % 2", "p == n / 2 && n % 2"),
    ),
    # The number of blocks is that of the first call.
    Wrong(
        "sixtyfour_sor_blocks_of_first_call",
        "sixtyfour_sor",
        "state / grid / unwritten / left out / tail | block size / nan",
        ("    int blocks = (n / 2", "    static int blocks = (n / 2"),
    ),
    # The launch forgets the stream.
    Wrong(
        "sixtyfour_sor_no_stream",
        "sixtyfour_sor",
        "stream",
        ("<<<blocks, block_size, 0, stream>>>", "<<<blocks, block_size>>>"),
    ),
    # ---- acc
    # The factor is multiplied where only halves are.
    Wrong(
        "sixtyfour_acc_scaled_in_halves",
        "sixtyfour_acc",
        "infinity / precision / rounding | numbers / whole range",
        (
            "__floats2half2_rn(v.z * scale, v.w * scale)",
            "__hmul2(__floats2half2_rn(v.z, v.w), __float2half2_rn(scale))",
        ),
    ),
    # The rest goes through 16 bits.
    Wrong(
        "sixtyfour_acc_rest_short",
        "sixtyfour_acc",
        "whole range / narrow / tail | numbers",
        (
            "    for (; i < n; i++) y[i] = __float2half(x[i] * scale);",
            "    for (; i < n; i++) {\n"
            "      short v = x[i];\n"
            "      y[i] = __float2half(v * scale);\n"
            "    }",
        ),
    ),
    # Three numbers are a pack.
    Wrong(
        "sixtyfour_acc_pack_of_three",
        "sixtyfour_acc",
        "bounds / tail",
        ("if (i + 4 <= n) {", "if (i + 3 <= n) {"),
    ),
    # Halves are rounded toward 0.
    Wrong(
        "sixtyfour_acc_toward_zero",
        "sixtyfour_acc",
        "rounding | numbers / infinity",
        (
            "__floats2half2_rn(v.x * scale, v.y * scale)",
            "__halves2half2(__float2half_rz(v.x * scale), __float2half_rz(v.y * scale))",
        ),
    ),
    # The thread's number has 16 bits.
    Wrong(
        "sixtyfour_acc_short_thread",
        "sixtyfour_acc",
        "narrow / unwritten / left out | tail / grid / nan",
        ("int t = blockIdx.x", "unsigned short t = blockIdx.x"),
    ),
    # ---- shade
    # The fraction is cut off.
    Wrong(
        "sixtyfour_shade_cut_off",
        "sixtyfour_shade",
        "rounding | numbers / function",
        ("(uint8_t)rintf(v)", "(uint8_t)v"),
    ),
    # Halves go up, as 0.5 is added.
    Wrong(
        "sixtyfour_shade_half_added",
        "sixtyfour_shade",
        "rounding | numbers",
        ("(uint8_t)rintf(v)", "(uint8_t)(v + 0.5f)"),
    ),
    # The upper limit is taken first, which makes 255 of NaN.
    Wrong(
        "sixtyfour_shade_nan_is_white",
        "sixtyfour_shade",
        "nan",
        ("fminf(fmaxf(v * gain, 0.0f), 255.0f)", "fmaxf(fminf(v * gain, 255.0f), 0.0f)"),
    ),
    # There is no upper limit, so that bytes wrap.
    Wrong(
        "sixtyfour_shade_no_upper_limit",
        "sixtyfour_shade",
        "whole range / infinity | numbers",
        (
            "    v = fminf(fmaxf(v * gain, 0.0f), 255.0f);\n    return (uint8_t)rintf(v);",
            "    v = fmaxf(v * gain, 0.0f);\n    return (uint8_t)(int)rintf(v);",
        ),
    ),
    # The rest has no thread where packs fill their blocks.
    Wrong(
        "sixtyfour_shade_no_thread_for_rest",
        "sixtyfour_shade",
        "tail / unwritten / left out / grid | block size",
        ("int threads = n / 4 + 1;", "int threads = n < 4 ? 1 : n / 4;"),
    ),
    # ---- celu
    # One is taken from expf, which cancels.
    Wrong(
        "sixtyfour_celu_exp_less_one",
        "sixtyfour_celu",
        "precision | numbers / subnormal / rounding",
        ("expm1f(v / alpha)", "(expf(v / alpha) - 1.0f)"),
    ),
    # Both sides are added, by functions that lose NaN.
    Wrong(
        "sixtyfour_celu_two_limits",
        "sixtyfour_celu",
        "nan",
        (
            "v > 0.0f ? v : alpha * expm1f(v / alpha)",
            "fmaxf(v, 0.0f) + fminf(alpha * expm1f(v / alpha), 0.0f)",
        ),
    ),
    # A thread takes one number, but there are 32 blocks at most.
    Wrong(
        "sixtyfour_celu_one_number",
        "sixtyfour_celu",
        "left out / unwritten / grid | tail / numbers / nan / block size",
        (
            "  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += "
            "gridDim.x * blockDim.x) {",
            "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) {",
        ),
    ),
    # The factor multiplies where it divides.
    Wrong(
        "sixtyfour_celu_factor_inside",
        "sixtyfour_celu",
        "function | numbers / precision / infinity",
        ("expm1f(v / alpha)", "expm1f(v * alpha)"),
    ),
    # There is no branch, and 0 times infinity is NaN.
    Wrong(
        "sixtyfour_celu_no_branch",
        "sixtyfour_celu",
        "nan / infinity | numbers / function",
        (
            "v > 0.0f ? v : alpha * expm1f(v / alpha)",
            "v * (v > 0.0f) + alpha * expm1f(v / alpha) * (v <= 0.0f)",
        ),
    ),
    # ---- six
    # The address of the result is not looked at.
    Wrong(
        "sixtyfour_six_one_address",
        "sixtyfour_six",
        "alignment",
        (" && (uintptr_t)y % 4 == 0)", ")"),
    ),
    # The limits are functions that lose NaN.
    Wrong(
        "sixtyfour_six_nan_lost",
        "sixtyfour_six",
        "nan",
        ("v <= 0.0f ? 0.0f : v > 6.0f ? 6.0f : v", "fminf(fmaxf(v, 0.0f), 6.0f)"),
    ),
    # Singles have the blocks of pairs.
    Wrong(
        "sixtyfour_six_blocks_of_pairs",
        "sixtyfour_six",
        "grid / unwritten / left out / tail / alignment | nan / numbers",
        ("(n + 127) / 128, 128", "(n + 255) / 256, 128"),
    ),
    # The last number is a pair, too.
    Wrong(
        "sixtyfour_six_pair_more",
        "sixtyfour_six",
        "bounds / tail",
        (
            "    if (i == n - 1) {\n"
            "        y[i] = __float2half(six(__half2float(x[i])));\n"
            "        return;\n"
            "    }\n",
            "",
        ),
    ),
    # The second number of a pair is the first.
    Wrong(
        "sixtyfour_six_first_again",
        "sixtyfour_six",
        "other element / neighbour / twice / copy | numbers / nan / tail",
        ("__floats2half2_rn(six(v.x), six(v.y))", "__floats2half2_rn(six(v.x), six(v.x))"),
    ),
    # ---- energy
    # The ticket is not set back.
    Wrong(
        "sixtyfour_energy_ticket_goes_on",
        "sixtyfour_energy",
        "state | unwritten / nan",
        ("atomicInc(&ticket, gridDim.x - 1) ==", "atomicAdd(&ticket, 1) =="),
    ),
    # The last block adds parts to what it had itself.
    Wrong(
        "sixtyfour_energy_own_sum_kept",
        "sixtyfour_energy",
        "twice / start | numbers / nan",
        ("  sum = 0.0f;\n  for (int b", "  for (int b"),
    ),
    # The tree begins before all have stored their sums.
    Wrong(
        "sixtyfour_energy_no_first_barrier",
        "sixtyfour_energy",
        "race | numbers / left out / unwritten / nan / other element / state",
        ("int t) {\n  __syncthreads();\n", "int t) {\n"),
    ),
    # The tree begins with a quarter.
    Wrong(
        "sixtyfour_energy_tree_of_a_quarter",
        "sixtyfour_energy",
        "left out | numbers / nan / other element",
        ("for (int h = T / 2;", "for (int h = T / 4;"),
    ),
    # The last block adds to the result.
    Wrong(
        "sixtyfour_energy_added",
        "sixtyfour_energy",
        "zero before / state",
        ("if (t == 0) *out = s[0];", "if (t == 0) *out += s[0];"),
    ),
    # ---- above
    # Warps add to what they have read before, without an atomic.
    Wrong(
        "sixtyfour_above_no_atomic",
        "sixtyfour_above",
        "race | numbers / left out",
        ("        unsigned votes", "        int before = found;\n        unsigned votes"),
        ("atomicAdd(&found, __popc(votes));", "found = before + __popc(votes);"),
    ),
    # A warp may count before the counter is 0.
    Wrong(
        "sixtyfour_above_no_barrier",
        "sixtyfour_above",
        "race | numbers / start / state / left out / unwritten",
        ("        found = 0;\n    __syncthreads();\n", "        found = 0;\n"),
    ),
    # What is the limit counts, too.
    Wrong(
        "sixtyfour_above_at_least",
        "sixtyfour_above",
        "function | numbers / left out",
        ("row[c]) > limit", "row[c]) >= limit"),
    ),
    # What is not below the limit counts, so NaN does.
    Wrong(
        "sixtyfour_above_nan_counts",
        "sixtyfour_above",
        "nan | numbers / function",
        ("__half2float(row[c]) > limit", "!(__half2float(row[c]) <= limit)"),
    ),
    # Lanes leave the loop before the vote that names them.
    Wrong(
        "sixtyfour_above_lanes_leave",
        "sixtyfour_above",
        "race | timeout / numbers / left out",
        (
            "    for (int start = 0; start < cols; start += T) {\n"
            "        int c = start + threadIdx.x;\n"
            "        bool yes = c < cols && ",
            "    for (int c = threadIdx.x; c < cols; c += T) {\n        bool yes = ",
        ),
    ),
    # ---- lowest
    # The place has 16 bits of the key.
    Wrong(
        "sixtyfour_lowest_place_of_16_bits",
        "sixtyfour_lowest",
        "narrow / whole range | numbers / other element",
        ("row[c] * 4294967296LL + c;", "row[c] * 65536LL + c;"),
        ("(int32_t)(best >> 32)", "(int32_t)(best >> 16)"),
        ("best & 0xffffffff", "best & 0xffff"),
    ),
    # The least begins with 0.
    Wrong(
        "sixtyfour_lowest_from_zero",
        "sixtyfour_lowest",
        "start | numbers / other element",
        ("best = 0x7fffffffffffffffLL;", "best = 0;"),
    ),
    # The last place of equal ones comes out.
    Wrong(
        "sixtyfour_lowest_last_place",
        "sixtyfour_lowest",
        "other element / function | numbers",
        ("4294967296LL + c;", "4294967296LL + (cols - 1 - c);"),
        ("(int32_t)(best & 0xffffffff)", "cols - 1 - (int32_t)(best & 0xffffffff)"),
    ),
    # Thread 0 reads what warps may not have stored.
    Wrong(
        "sixtyfour_lowest_no_barrier",
        "sixtyfour_lowest",
        "race | numbers / left out / unwritten / other element / start",
        ("  __syncthreads();\n", ""),
    ),
    # Integers go through floats.
    Wrong(
        "sixtyfour_lowest_through_float",
        "sixtyfour_lowest",
        "precision | numbers / other element / rounding / whole range",
        ("row[c] * 4294967296LL + c;", "(long long)(float)row[c] * 4294967296LL + c;"),
    ),
    # ---- film
    # The pitch of the result is that of the input.
    Wrong(
        "sixtyfour_film_pitch_of_input",
        "sixtyfour_film",
        "sides / bounds / other element | numbers / unwritten",
        ("y[(size_t)d * rows + r]", "y[(size_t)d * cols + r]"),
    ),
    # The grid is turned.
    Wrong(
        "sixtyfour_film_grid_turned",
        "sixtyfour_film",
        "sides / grid / swapped | unwritten / left out / tail / numbers",
        (
            "grid((cols + S - 1) / S, (rows + S - 1) / S)",
            "grid((rows + S - 1) / S, (cols + S - 1) / S)",
        ),
    ),
    # Threads read what others may not have stored.
    Wrong(
        "sixtyfour_film_no_barrier",
        "sixtyfour_film",
        "race | numbers / left out / unwritten / other element",
        ("    __syncthreads();\n", ""),
    ),
    # The tile is read as it was stored.
    Wrong(
        "sixtyfour_film_tile_not_turned",
        "sixtyfour_film",
        "other element / sides / swapped | numbers / unwritten",
        ("tile[threadIdx.x][j]", "tile[j][threadIdx.x]"),
    ),
    # The negative is that of 256 shades.
    Wrong(
        "sixtyfour_film_of_256",
        "sixtyfour_film",
        "function / whole range | numbers",
        ("255 - tile", "256 - tile"),
    ),
    # ---- sandwich
    # The diagonal is taken by the row.
    Wrong(
        "sixtyfour_sandwich_weight_of_row",
        "sixtyfour_sandwich",
        "other element / sides / swapped / bounds | numbers",
        ("* d[u] :", "* d[i] :"),
    ),
    # Tiles are filled while they are read.
    Wrong(
        "sixtyfour_sandwich_no_second_barrier",
        "sixtyfour_sandwich",
        "race | numbers / other element / left out / nan",
        ("bs[h][tx];\n    __syncthreads();\n", "bs[h][tx];\n"),
    ),
    # Each tile's last product is left out.
    Wrong(
        "sixtyfour_sandwich_one_less",
        "sixtyfour_sandwich",
        "left out / tail | numbers / nan",
        ("h < S; h++", "h < S - 1; h++"),
    ),
    # The pitch of b is k.
    Wrong(
        "sixtyfour_sandwich_pitch_of_k",
        "sixtyfour_sandwich",
        "sides / bounds / other element / swapped | numbers / left out",
        ("b[(size_t)v * n + j]", "b[(size_t)v * k + j]"),
    ),
    # Rows of b past the end are read.
    Wrong(
        "sixtyfour_sandwich_rows_untested",
        "sixtyfour_sandwich",
        "bounds | tail / nan / numbers",
        ("v < k && j < n ? b", "j < n ? b"),
    ),
    # ---- band
    # The last number of the band is left out.
    Wrong(
        "sixtyfour_band_last_left_out",
        "sixtyfour_band",
        "left out / tail / neighbour | numbers / function",
        ("c <= last;", "c < last;"),
    ),
    # Where the band begins before the row, nothing is tested.
    Wrong(
        "sixtyfour_band_begin_untested",
        "sixtyfour_band",
        "bounds / other element / neighbour | numbers / nan",
        ("int first = max(row - width, 0);", "int first = row - width;"),
    ),
    # Each lane stores what it has.
    Wrong(
        "sixtyfour_band_all_lanes_store",
        "sixtyfour_band",
        "race / other element / left out | numbers",
        ("    if (lane == 0)\n", ""),
    ),
    # The lanes' first step is left out.
    Wrong(
        "sixtyfour_band_from_eight",
        "sixtyfour_band",
        "left out | numbers / nan",
        ("for (int d = 16;", "for (int d = 8;"),
    ),
    # Sums are added to what lies there.
    Wrong(
        "sixtyfour_band_added",
        "sixtyfour_band",
        "zero before / state",
        ("y[row] = sum;", "y[row] += sum;"),
    ),
    # ---- logsoft
    # The logarithm is that to base 2.
    Wrong(
        "sixtyfour_logsoft_base_two",
        "sixtyfour_logsoft",
        "function | numbers / precision",
        ("logf(s)", "log2f(s)"),
    ),
    # The largest is taken for 0.
    Wrong(
        "sixtyfour_logsoft_no_largest",
        "sixtyfour_logsoft",
        "infinity / nan / function | numbers / precision / subnormal",
        ("if (v > m) {\n      s *= expf(m - v);\n      m = v;\n    }\n", ""),
        ("float m = -FLT_MAX,", "float m = 0.0f,"),
        ("    s += expf(v - m);", "    s += expf(v);"),
    ),
    # The largest is joined before the sums, which need the old one.
    Wrong(
        "sixtyfour_logsoft_largest_first",
        "sixtyfour_logsoft",
        "function / left out | numbers / nan / infinity",
        (
            "    float most = fmaxf(m, m2);\n"
            "    s = s * expf(m - most) + s2 * expf(m2 - most);\n"
            "    m = most;\n",
            "    m = fmaxf(m, m2);\n    s += s2 * expf(m2 - m);\n",
        ),
    ),
    # The largest begins with an infinity, which is taken from itself.
    Wrong(
        "sixtyfour_logsoft_from_infinity",
        "sixtyfour_logsoft",
        "nan / infinity / start | numbers",
        ("float m = -FLT_MAX,", "float m = -INFINITY,"),
    ),
    # The launch forgets the stream.
    Wrong(
        "sixtyfour_logsoft_no_stream",
        "sixtyfour_logsoft",
        "stream",
        ("<<<rows, 32, 0, stream>>>", "<<<rows, 32>>>"),
    ),
    # ---- norm
    # The variance is the mean of squares less the square of the mean.
    Wrong(
        "sixtyfour_norm_mean_of_squares",
        "sixtyfour_norm",
        "precision / function | numbers / nan / infinity",
        ("squares += (row[c] - mean) * (row[c] - mean);", "squares += row[c] * row[c];"),
        (
            "rsqrtf(total(s, squares) / cols + eps)",
            "rsqrtf(total(s, squares) / cols - mean * mean + eps)",
        ),
    ),
    # Partial sums are overwritten before all have read the total.
    Wrong(
        "sixtyfour_norm_no_last_barrier",
        "sixtyfour_norm",
        "race | numbers / left out / other element / nan",
        ("    float all = s[0];\n    __syncthreads();\n    return all;", "    return s[0];"),
    ),
    # The root is taken before eps is added.
    Wrong(
        "sixtyfour_norm_eps_outside",
        "sixtyfour_norm",
        "function | numbers / precision / infinity",
        (
            "rsqrtf(total(s, squares) / cols + eps)",
            "1.0f / (sqrtf(total(s, squares) / cols) + eps)",
        ),
    ),
    # Gain and bias are swapped.
    Wrong(
        "sixtyfour_norm_gain_and_bias",
        "sixtyfour_norm",
        "swapped / function | numbers",
        ("(row[c] - mean) * f * gain[c] + bias[c]", "(row[c] - mean) * f * bias[c] + gain[c]"),
    ),
    # The mean is taken off where x lies.
    Wrong(
        "sixtyfour_norm_centred_in_place",
        "sixtyfour_norm",
        "input | numbers / state / precision",
        (
            "        squares += (row[c] - mean) * (row[c] - mean);\n",
            "        squares += (((float *)row)[c] -= mean) * row[c];\n",
        ),
        ("= (row[c] - mean) * f", "= row[c] * f"),
    ),
)

RIGHT = (
    # There are far more blocks than packs.
    Right(
        "sixtyfour_tank_idle_blocks",
        "sixtyfour_tank",
        (
            "  int blocks = n / 1024 + 1;\n  if (blocks > 16) blocks = 16;\n",
            "  int blocks = n / 32 + 300;\n",
        ),
    ),
    # The step is a sum with weights, in doubles, which hold all of it.
    Right(
        "sixtyfour_sor_weights_in_doubles",
        "sixtyfour_sor",
        (
            "__device__ float relax(float old, float swept, float w)\n"
            "{\n"
            "    return old + w * (swept - old);",
            "__device__ double relax(double old, double swept, double w)\n"
            "{\n"
            "    return (1.0 - w) * old + w * swept;",
        ),
        (
            "__floats2half2_rn(relax(u.x, v.x, w), relax(u.y, v.y, w))",
            "__halves2half2(__double2half(relax(u.x, v.x, w)),\n"
            "                                         __double2half(relax(u.y, v.y, "
            "w)))",
        ),
        (
            "__float2half(relax(__half2float(old[n - 1]), __half2float(swept[n - 1]), w))",
            "__double2half(relax(__half2float(old[n - 1]), __half2float(swept[n - 1]), w))",
        ),
    ),
    # The last pack always goes number by number.
    Right(
        "sixtyfour_acc_last_pack_alone",
        "sixtyfour_acc",
        ("if (i + 4 <= n) {", "if (i + 4 < n) {"),
    ),
    # One instruction rounds, makes 0 of NaN and stays in range; integers are limited.
    Right(
        "sixtyfour_shade_by_integers",
        "sixtyfour_shade",
        (
            "    v = fminf(fmaxf(v * gain, 0.0f), 255.0f);\n    return (uint8_t)rintf(v);",
            "    return min(255, max(0, __float2int_rn(v * gain)));",
        ),
        ("int threads = n / 4 + 1;", "int threads = (n + 3) / 4;"),
    ),
    # The kernel is launched by its address.
    Right(
        "sixtyfour_celu_by_address",
        "sixtyfour_celu",
        (
            "  celu<<<blocks, block_size, 0, stream>>>(x, y, alpha, n);\n",
            "  void* arguments[] = {&x, &y, &alpha, &n};\n"
            "  cudaLaunchKernel((const void*)celu, dim3(blocks), dim3(block_size), "
            "arguments, 0, stream);\n",
        ),
    ),
    # Halves are limited as halves, by functions that keep NaN.
    Right(
        "sixtyfour_six_in_halves",
        "sixtyfour_six",
        (
            "    float2 v = __half22float2(*(const half2 *)(x + i));\n"
            "    *(half2 *)(y + i) = __floats2half2_rn(six(v.x), six(v.y));\n",
            "    half2 v = __hmax2_nan(*(const half2 *)(x + i), "
            "__float2half2_rn(0.0f));\n"
            "    *(half2 *)(y + i) = __hmin2_nan(v, __float2half2_rn(6.0f));\n",
        ),
    ),
    # The launcher sets the result to 0, and each block adds to it.
    Right(
        "sixtyfour_energy_memset",
        "sixtyfour_energy",
        ("__device__ float parts[MOST];\n__device__ unsigned int ticket;\n\n", ""),
        ("  __shared__ bool last;\n", ""),
        (
            "  if (t == 0) {\n"
            "    parts[blockIdx.x] = s[0];\n"
            "    __threadfence();\n"
            "    last = atomicInc(&ticket, gridDim.x - 1) == gridDim.x - 1;\n"
            "  }\n"
            "  __syncthreads();\n"
            "  if (!last) return;\n"
            "  __threadfence();\n"
            "  sum = 0.0f;\n"
            "  for (int b = t; b < gridDim.x; b += T) sum += parts[b];\n"
            "  s[t] = sum;\n"
            "  join(s, t);\n"
            "  if (t == 0) *out = s[0];\n",
            "  if (t == 0) atomicAdd(out, s[0]);\n",
        ),
        ("  energy<<<", "  cudaMemsetAsync(out, 0, sizeof(float), stream);\n  energy<<<"),
    ),
    # A barrier counts, so that no shared number is needed.
    Right(
        "sixtyfour_above_barrier_counts",
        "sixtyfour_above",
        ("    __shared__ int found;\n", "    int found = 0;\n"),
        ("    if (threadIdx.x == 0)\n        found = 0;\n    __syncthreads();\n", ""),
        (
            "        unsigned votes = __ballot_sync(0xffffffff, yes);\n"
            "        if (threadIdx.x % 32 == 0)\n"
            "            atomicAdd(&found, __popc(votes));\n",
            "        found += __syncthreads_count(yes);\n",
        ),
        ("    }\n    __syncthreads();\n    if", "    }\n    if"),
    ),
    # All threads lower one key by an atomic.
    Right(
        "sixtyfour_lowest_by_atomic",
        "sixtyfour_lowest",
        ("  __shared__ long long keys[T / 32];\n", "  __shared__ long long least;\n"),
        (
            "  for (int d = 16; d > 0; d /= 2) {\n"
            "    long long key = __shfl_down_sync(0xffffffff, best, d);\n"
            "    if (key < best) best = key;\n"
            "  }\n"
            "  if (t % 32 == 0) keys[t / 32] = best;\n"
            "  __syncthreads();\n",
            "  if (t == 0) least = best;\n"
            "  __syncthreads();\n"
            "  atomicMin(&least, best);\n"
            "  __syncthreads();\n",
        ),
        (
            "    for (int w = 1; w < T / 32; w++)\n      if (keys[w] < best) best = keys[w];\n",
            "    best = least;\n",
        ),
    ),
    # Bits are turned round, which is the same, and there is no tile.
    Right(
        "sixtyfour_film_no_tile",
        "sixtyfour_film",
        (
            "    __shared__ uint8_t tile[S][S + 4];\n"
            "    int c = blockIdx.x * S + threadIdx.x;\n"
            "    for (int j = threadIdx.y; j < S; j += Y) {\n"
            "        int r = blockIdx.y * S + j;\n"
            "        if (r < rows && c < cols)\n"
            "            tile[j][threadIdx.x] = x[(size_t)r * cols + c];\n"
            "    }\n"
            "    __syncthreads();\n",
            "",
        ),
        ("255 - tile[threadIdx.x][j]", "~x[(size_t)r * cols + d]"),
    ),
    # Weights go to the other matrix, and lines of a tile are taken from the last.
    Right(
        "sixtyfour_sandwich_weights_of_b",
        "sixtyfour_sandwich",
        ("a[(size_t)i * k + u] * d[u] :", "a[(size_t)i * k + u] :"),
        ("b[(size_t)v * n + j] :", "d[v] * b[(size_t)v * n + j] :"),
        ("int h = 0; h < S; h++", "int h = S - 1; h >= 0; h--"),
    ),
    # All lanes have the sum and store it.
    Right(
        "sixtyfour_band_all_have_it",
        "sixtyfour_band",
        ("__shfl_down_sync(", "__shfl_xor_sync("),
        ("    if (lane == 0)\n        y[row] = sum;", "    y[row] = sum;"),
    ),
    # Sums come second, when the largest is known.
    Right(
        "sixtyfour_logsoft_in_two_passes",
        "sixtyfour_logsoft",
        (
            "    float v = from[c];\n"
            "    if (v > m) {\n"
            "      s *= expf(m - v);\n"
            "      m = v;\n"
            "    }\n"
            "    s += expf(v - m);\n"
            "  }\n",
            "    m = fmaxf(m, from[c]);\n  }\n",
        ),
        (
            "    float m2 = __shfl_xor_sync(0xffffffff, m, d);\n"
            "    float s2 = __shfl_xor_sync(0xffffffff, s, d);\n"
            "    float most = fmaxf(m, m2);\n"
            "    s = s * expf(m - most) + s2 * expf(m2 - most);\n"
            "    m = most;\n"
            "  }\n",
            "    m = fmaxf(m, __shfl_xor_sync(0xffffffff, m, d));\n"
            "  }\n"
            "  for (int c = threadIdx.x; c < cols; c += 32) s += expf(from[c] - m);\n"
            "  for (int d = 1; d < 32; d *= 2) s += __shfl_xor_sync(0xffffffff, s, d);\n",
        ),
    ),
    # Squares are added in doubles beside the sums, in one pass.
    Right(
        "sixtyfour_norm_one_pass_in_doubles",
        "sixtyfour_norm",
        (
            "__device__ float total(float *s, float v)",
            "__device__ double total(double *s, double v)",
        ),
        ("    float all = s[0];", "    double all = s[0];"),
        ("__shared__ float s[T];", "__shared__ double s[T];"),
        (
            "    float sum = 0.0f, squares = 0.0f;\n"
            "    for (int c = threadIdx.x; c < cols; c += T)\n"
            "        sum += row[c];\n"
            "    float mean = total(s, sum) / cols;\n"
            "    for (int c = threadIdx.x; c < cols; c += T)\n"
            "        squares += (row[c] - mean) * (row[c] - mean);\n"
            "    float f = rsqrtf(total(s, squares) / cols + eps);\n",
            "    double sum = 0.0, squares = 0.0;\n"
            "    for (int c = threadIdx.x; c < cols; c += T) {\n"
            "        sum += row[c];\n"
            "        squares += (double)row[c] * row[c];\n"
            "    }\n"
            "    double mean = total(s, sum) / cols;\n"
            "    double var = total(s, squares) / cols - mean * mean;\n"
            "    double f = 1.0 / sqrt(var + eps);\n",
        ),
    ),
)
