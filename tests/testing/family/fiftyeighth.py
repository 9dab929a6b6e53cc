"""Hold a fifty-eighth family: kernels of half a year's practice, and their usual mistakes.

Its bases are the z of cross products, a branch that is added by a factor, floats to halves with
a limit, numbers with binary places to halves, x over the root of 1 + a * x * x, a limit below
which bfloat16 numbers become a value, first moments of integers, chi squared, the number of
each row that is nearest to a target, the transpose of halves in floats, the product of halves,
bilinear forms of many pairs, softmax of -x, and normed columns. They have 15 to 42 lines, and
are of people with half a year of CUDA: one who draws polygons, one who adds branches of a
network, one who saves checkpoints, one who reads a sensor, a reader of a paper, one who prunes,
one who balances beams, a statistician, one who looks for a set point, one who lays out weights,
one who has read on registers, one who scores pairs of words, one who matches patches and one
who trains by hand. They use float4 with the rest a thread each, half2 where the launcher finds
that all addresses allow it and halves else, packs in a loop over the grid with a rest in a
second loop, short4 with one thread for the rest, a number a thread in a loop, pairs with the
last number in the same `if`, parts by one kernel and their sum by another, a ticket by which
the last block adds the parts, a warp a row with shuffles, tiles of 32 with 8 rows of threads,
four results a thread, shuffles and one number a warp, a least and a sum that grow together with
a tree, and two passes over columns with a function that holds the barriers. Their mistakes are
spread over alignment, sizes, grids and integers of 16 bits, values, rounding, NaN and infinity,
inputs that are written, sums, transposes, products, order, streams and what is left of an
earlier call. The causes were written before a member was judged. On the emulator each ran
beside PyTorch, compared as a case does, called twice on the same tensors, with NaN and with 1e3
in floating outputs and with tensors at either end of their pages, with inputs that cannot be
written, on a stream that is not the default one, with threads in order, from the last to the
first, where those of moment, chisq and bilin that lack a barrier are right, and in a random
order, with each tensor at a multiple of its alignment and of no more, and in the slices that
the cases name. Bases and right ones ran all their cases, or as many as eight seconds reach, in
a random order; wrong ones until they were wrong often enough. nvcc 13.0 compiles each for 8.0,
all members of a base in one file; none was run on a GPU. Bases and right ones are right, and
all wrong ones wrong or refused by a fault:

    fiftyeight_cross_third_factor         from 4 numbers on, unless both are equal
    fiftyeight_cross_threads_for_packs    if 4 leaves 2 or 3, and blocks have no thread more
    fiftyeight_cross_rest_behind_packs    from 4 numbers on, if 4 leaves some
    fiftyeight_cross_by_of_8_bytes        from 4 numbers on, by the address of by
    fiftyeight_cross_parts_swapped        unless both products are equal
    fiftyeight_gateadd_inputs_tested      from 2 numbers on, by the address of out
    fiftyeight_gateadd_addresses_added    from 2 numbers on, if x and y lie at odd numbers
    fiftyeight_gateadd_pairs_rounded_up   of odd counts: one behind the end is read and written
    fiftyeight_gateadd_no_stream          of odd counts or addresses, on another stream
    fiftyeight_gateadd_half_factor        in pairs, if the factor is no half
    fiftyeight_sathalf_above_alone        from -65,520 on down
    fiftyeight_sathalf_fminf              of NaN
    fiftyeight_sathalf_toward_zero        of numbers that are no halves
    fiftyeight_sathalf_65535              beyond 65,520 on either side
    fiftyeight_sathalf_y_anywhere         from 4 numbers on, by the address of y
    fiftyeight_sathalf_no_loop            from 16,388 numbers on
    fiftyeight_fixed_unsigned             below 0
    fiftyeight_fixed_whole_numbers        of numbers with a fraction
    fiftyeight_fixed_255                  of most numbers that are not near 0
    fiftyeight_fixed_blocks_for_packs     if 4 leaves some, and packs fill their blocks
    fiftyeight_fixed_x_of_4_bytes         from 4 numbers on, by the address of x
    fiftyeight_isru_no_loop               beyond 48 blocks
    fiftyeight_isru_integer_factor        unless a is whole
    fiftyeight_isru_no_square             unless x is 0 or 1
    fiftyeight_isru_square_in_x           always: x is overwritten
    fiftyeight_isru_limit                 of NaN
    fiftyeight_thresh_equal_kept          of numbers that are equal to the limit
    fiftyeight_thresh_nan_pruned          of NaN
    fiftyeight_thresh_first_twice         from 2 numbers on, unless both are alike
    fiftyeight_thresh_threads_for_pairs   of odd counts, if the block size divides the pairs
    fiftyeight_thresh_rounded_limit       of numbers between the limit and the rounded one
    fiftyeight_moment_short_products      of products beyond 32 bits
    fiftyeight_moment_no_barrier          where warps do not wait for another
    fiftyeight_moment_parts_added         from the second call on, unless the sum is 0
    fiftyeight_moment_second_stream       on another stream than the default one
    fiftyeight_moment_float_sums          of a thread's sums beyond 2^24
    fiftyeight_chisq_ticket_kept          from the second call on
    fiftyeight_chisq_warps_not_awaited    where warps do not wait for another
    fiftyeight_chisq_from_8               if lanes from 16 on have other sums than 0
    fiftyeight_chisq_own_sum_twice        if the first warp of the last block has a sum
    fiftyeight_chisq_over_counts          unless both are equal and not 0
    fiftyeight_nearest_other_of_equals    if the least distance is there more than once
    fiftyeight_nearest_from_1000          of rows that are 1,000 away
    fiftyeight_nearest_no_distance        of rows with numbers below the target
    fiftyeight_nearest_own_place          unless the first lane has the nearest
    fiftyeight_nearest_whole_fours        if 4 does not divide the rows
    fiftyeight_wideturn_no_barrier        where warps do not wait for another
    fiftyeight_wideturn_grid_turned       if rows have more or fewer tiles than columns
    fiftyeight_wideturn_24_rows           from 25 columns on
    fiftyeight_wideturn_pitch_of_in       from 2 columns on, unless the matrix is square
    fiftyeight_wideturn_columns_untested  if 32 does not divide the columns, in the last row
    fiftyeight_twoby_second_barrier       from 17 terms on, where warps do not wait
    fiftyeight_twoby_half_sums            of sums that are no halves on the way
    fiftyeight_twoby_whole_tiles          if 16 does not divide the terms
    fiftyeight_twoby_first_column         from 17 columns on
    fiftyeight_twoby_row_tested           if 32 does not divide the columns
    fiftyeight_bilin_matrix_turned        unless the matrix is its transpose
    fiftyeight_bilin_no_barrier           where warps do not wait for another
    fiftyeight_bilin_first_warp           from 33 columns on
    fiftyeight_bilin_pitch_of_x           from 2 pairs on, unless p is q
    fiftyeight_bilin_short_pair           from 32,769 pairs on
    fiftyeight_softmin_not_scaled         from 65 columns on, if a thread's least falls
    fiftyeight_softmin_from_zero          of rows that are far above 0
    fiftyeight_softmin_from_infinity      of fewer than 64 columns, or if one is infinite
    fiftyeight_softmin_merged_wrong       if threads have other least numbers
    fiftyeight_softmin_no_barrier         where warps do not wait for another
    fiftyeight_colnorm_first_barrier      from 2 rows on, where warps do not wait
    fiftyeight_colnorm_less_one           if eps is not far above the variance
    fiftyeight_colnorm_mean_of_squares    of columns far off 0
    fiftyeight_colnorm_gain_of_block      from 33 columns on
    fiftyeight_colnorm_rounded_down       if 32 does not divide the columns
    fiftyeight_colnorm_centred_in_x       always: x is overwritten
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import whole

# One who draws polygons: the z of cross products, four a thread, and the rest one a thread.
CROSS = (
    HEADER
    + """\
__global__ void cross_z(const float* ax, const float* ay, const float* bx, const float* by,
                        float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int packs = n / 4;
  if (i < packs) {
    float4 p = reinterpret_cast<const float4*>(ax)[i];
    float4 q = reinterpret_cast<const float4*>(ay)[i];
    float4 r = reinterpret_cast<const float4*>(bx)[i];
    float4 s = reinterpret_cast<const float4*>(by)[i];
    float4 o;
    o.x = p.x * s.x - q.x * r.x;
    o.y = p.y * s.y - q.y * r.y;
    o.z = p.z * s.z - q.z * r.z;
    o.w = p.w * s.w - q.w * r.w;
    reinterpret_cast<float4*>(z)[i] = o;
  } else if (i < packs + n % 4) {
    int j = 3 * packs + i;
    z[j] = ax[j] * by[j] - ay[j] * bx[j];
  }
}

extern "C" void launch(const float* ax,  // [n] 16-byte aligned
                       const float* ay,  // [n] 16-byte aligned
                       const float* bx,  // [n] 16-byte aligned
                       const float* by,  // [n] 16-byte aligned
                       float* z,         // [n] 16-byte aligned
                       int n, int block_size = 128, cudaStream_t stream = 0) {
  int threads = n / 4 + n % 4;
  int blocks = (threads + block_size - 1) / block_size;
  cross_z<<<blocks, block_size, 0, stream>>>(ax, ay, bx, by, z, n);
}
"""
)

# One who adds branches of a network: x + g * y in halves, by pairs where addresses allow it.
GATEADD = (
    HEADER
    + """\
static bool even(const void *p)
{
    return (uintptr_t)p % sizeof(half2) == 0;
}

__global__ void gated_pairs(const half2 *x, const half2 *y, half2 *out, float g, int pairs)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pairs)
        return;
    float2 u = __half22float2(x[i]);
    float2 v = __half22float2(y[i]);
    out[i] = __floats2half2_rn(u.x + g * v.x, u.y + g * v.y);
}

__global__ void gated(const half *x, const half *y, half *out, float g, int first, int n)
{
    int i = first + blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = __float2half(__half2float(x[i]) + g * __half2float(y[i]));
}

extern "C" void launch(const half *x,  // [n]
                       const half *y,  // [n]
                       half *out,      // [n]
                       float g, int n, cudaStream_t stream = 0)
{
    int pairs = even(x) && even(y) && even(out) ? n / 2 : 0;
    if (pairs > 0)
        gated_pairs<<<(pairs + 127) / 128, 128, 0, stream>>>((const half2 *)x, (const half2 *)y,
                                                             (half2 *)out, g, pairs);
    int rest = n - 2 * pairs;
    if (rest > 0)
        gated<<<(rest + 127) / 128, 128, 0, stream>>>(x, y, out, g, 2 * pairs, n);
}
"""
)

# One who saves checkpoints: floats to halves, with the largest half for what is beyond it.
SATHALF = (
    HEADER
    + """\
#define MOST 65504.0f

__device__ half limited(float v) {
  if (v > MOST) v = MOST;
  if (v < -MOST) v = -MOST;
  return __float2half(v);
}

__global__ void shorten(const float* x, half* y, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  int threads = gridDim.x * blockDim.x;
  int packs = n / 4;
  for (int p = t; p < packs; p += threads) {
    float4 v = ((const float4*)x)[p];
    half2* to = (half2*)(y + 4 * p);
    to[0] = __halves2half2(limited(v.x), limited(v.y));
    to[1] = __halves2half2(limited(v.z), limited(v.w));
  }
  for (int i = 4 * packs + t; i < n; i += threads) y[i] = limited(x[i]);
}

extern "C" void launch(const float* x,  // [n] 16-byte aligned
                       half* y,         // [n] 4-byte aligned
                       int n, cudaStream_t stream = 0) {
  int blocks = (n + 1023) / 1024;
  if (blocks > 16) blocks = 16;
  shorten<<<blocks, 256, 0, stream>>>(x, y, n);
}
"""
)

# One who reads a sensor: numbers with 8 binary places to halves; the last thread has the rest.
FIXED = (
    HEADER
    + """\
__device__ half from_fixed(short q)
{
    return __float2half(q / 256.0f);
}

__global__ void unfix(const int16_t *x, half *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int packs = n / 4;
    if (i < packs) {
        short4 q = ((const short4 *)x)[i];
        half2 *to = (half2 *)y + 2 * i;
        to[0] = __halves2half2(from_fixed(q.x), from_fixed(q.y));
        to[1] = __halves2half2(from_fixed(q.z), from_fixed(q.w));
    } else if (i == packs) {
        for (int j = 4 * packs; j < n; j++)
            y[j] = from_fixed(x[j]);
    }
}

extern "C" void launch(const int16_t *x,  // [n] 8-byte aligned
                       half *y,           // [n] 4-byte aligned
                       int n, int block_size = 64, cudaStream_t stream = 0)
{
    int blocks = n / 4 / block_size + 1;
    unfix<<<blocks, block_size, 0, stream>>>(x, y, n);
}
"""
)

# A reader of a paper on activations: x over the root of 1 + a * x * x, in a loop over the grid.
ISRU = (
    HEADER
    + """\
__global__ void isru(const float* x, float* y, float a, int64_t n) {
  int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  int64_t step = (int64_t)gridDim.x * blockDim.x;
  for (; i < n; i += step) {
    float v = x[i];
    y[i] = v / sqrtf(1.0f + a * v * v);
  }
}

extern "C" void launch(const float* x,  // [n]
                       float* y,        // [n]
                       float a, int64_t n, int block_size = 256, cudaStream_t stream = 0) {
  int64_t blocks = (n + block_size - 1) / block_size;
  isru<<<blocks < 48 ? blocks : 48, block_size, 0, stream>>>(x, y, a, n);
}
"""
)

# One who prunes: bfloat16 that are not above a limit become a value, a pair a thread.
THRESH = (
    HEADER
    + """\
__device__ __nv_bfloat16 kept(__nv_bfloat16 x, float limit, float value)
{
    return __bfloat162float(x) <= limit ? __float2bfloat16(value) : x;
}

__global__ void threshold(const __nv_bfloat16 *x, __nv_bfloat16 *y, float limit, float value,
                          int n)
{
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i + 1 < n) {
        __nv_bfloat162 two = *(const __nv_bfloat162 *)(x + i);
        two.x = kept(two.x, limit, value);
        two.y = kept(two.y, limit, value);
        *(__nv_bfloat162 *)(y + i) = two;
    } else if (i < n) {
        y[i] = kept(x[i], limit, value);
    }
}

extern "C" void launch(const __nv_bfloat16 *x,  // [n] 4-byte aligned
                       __nv_bfloat16 *y,        // [n] 4-byte aligned
                       float limit, float value, int n, int block_size = 128,
                       cudaStream_t stream = 0)
{
    int threads = (n + 1) / 2;
    int blocks = (threads + block_size - 1) / block_size;
    threshold<<<blocks, block_size, 0, stream>>>(x, y, limit, value, n);
}
"""
)

# One who balances beams: the sum of i * x[i] in 64 bits, parts by a kernel, then their sum.
MOMENT = (
    HEADER
    + """\
#define T 128
#define MOST 32

__device__ long long parts[MOST];

__global__ void moments(const int* x, int n) {
  __shared__ long long s[T];
  int t = threadIdx.x;
  long long sum = 0;
  for (int i = blockIdx.x * T + t; i < n; i += gridDim.x * T) sum += (long long)i * x[i];
  s[t] = sum;
  __syncthreads();
  for (int h = T / 2; h > 0; h >>= 1) {
    if (t < h) s[t] += s[t + h];
    __syncthreads();
  }
  if (t == 0) parts[blockIdx.x] = s[0];
}

__global__ void add_parts(int64_t* out, int count) {
  long long sum = 0;
  for (int k = 0; k < count; k++) sum += parts[k];
  *out = sum;
}

extern "C" void launch(const int* x,  // [n]
                       int64_t* out,  // [1]
                       int n, cudaStream_t stream = 0) {
  int blocks = (n + T - 1) / T;
  if (blocks > MOST) blocks = MOST;
  moments<<<blocks, T, 0, stream>>>(x, n);
  add_parts<<<1, 1, 0, stream>>>(out, blocks);
}
"""
)

# A statistician: the sum of (o - e)^2 / e, of which the block that comes last adds the parts.
CHISQ = (
    HEADER
    + """\
#define T 128
#define MOST 40

__device__ float parts[MOST];
__device__ unsigned int ticket;

__global__ void chi_squared(const float *o, const float *e, float *out, int n)
{
    __shared__ float s[T / 32];
    __shared__ bool last;
    float v = 0.0f;
    for (int i = blockIdx.x * T + threadIdx.x; i < n; i += gridDim.x * T)
        v += (o[i] - e[i]) * (o[i] - e[i]) / e[i];
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_down_sync(0xffffffff, v, d);
    if (threadIdx.x % 32 == 0)
        s[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = s[0] + s[1] + s[2] + s[3];
        __threadfence();
        last = atomicAdd(&ticket, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        __threadfence();
        float sum = 0.0f;
        for (int b = 0; b < gridDim.x; b++)
            sum += ((volatile float *)parts)[b];
        *out = sum;
        ticket = 0;
    }
}

extern "C" void launch(const float *o,  // [n]
                       const float *e,  // [n]
                       float *out,      // [1]
                       int n, cudaStream_t stream = 0)
{
    int blocks = min((n + T - 1) / T, MOST);
    chi_squared<<<blocks, T, 0, stream>>>(o, e, out, n);
}
"""
)

# One who looks for a set point: the number of each row that is nearest to it, a warp a row.
NEAREST = (
    HEADER
    + """\
__global__ void nearest(const float* x, float* gap, int* place, float target, int rows,
                        int cols) {
  int row = blockIdx.x * blockDim.y + threadIdx.y;
  int lane = threadIdx.x;
  if (row >= rows) return;
  const float* line = x + (size_t)row * cols;
  float best = INFINITY;
  int where = INT_MAX;
  for (int c = lane; c < cols; c += 32) {
    float d = fabsf(line[c] - target);
    if (d < best) {
      best = d;
      where = c;
    }
  }
  for (int h = 16; h > 0; h /= 2) {
    float d = __shfl_xor_sync(0xffffffffu, best, h);
    int w = __shfl_xor_sync(0xffffffffu, where, h);
    if (d < best || (d == best && w < where)) {
      best = d;
      where = w;
    }
  }
  if (lane == 0) {
    gap[row] = best;
    place[row] = where;
  }
}

extern "C" void launch(const float* x,  // [rows, cols]
                       float* gap,      // [rows]
                       int* place,      // [rows]
                       float target, int rows, int cols, cudaStream_t stream = 0) {
  nearest<<<(rows + 3) / 4, dim3(32, 4), 0, stream>>>(x, gap, place, target, rows, cols);
}
"""
).replace("#include <cfloat>\n", "#include <cfloat>\n#include <climits>\n")

# One who lays out weights: a matrix of halves becomes its transpose in floats, 32 x 8 threads.
WIDETURN = (
    HEADER
    + """\
#define S 32
#define Y 8

__global__ void turn(const half *in, float *out, int rows, int cols)
{
    __shared__ float tile[S][S + 1];
    int c = blockIdx.x * S + threadIdx.x;
    int r = blockIdx.y * S + threadIdx.y;
    for (int j = 0; j < S; j += Y)
        if (r + j < rows && c < cols)
            tile[threadIdx.y + j][threadIdx.x] = __half2float(in[(size_t)(r + j) * cols + c]);
    __syncthreads();
    c = blockIdx.y * S + threadIdx.x;
    r = blockIdx.x * S + threadIdx.y;
    for (int j = 0; j < S; j += Y)
        if (r + j < cols && c < rows)
            out[(size_t)(r + j) * rows + c] = tile[threadIdx.x][threadIdx.y + j];
}

extern "C" void launch(const half *in,  // [rows, cols]
                       float *out,      // [cols, rows]
                       int rows, int cols, cudaStream_t stream = 0)
{
    dim3 grid((cols + S - 1) / S, (rows + S - 1) / S);
    turn<<<grid, dim3(S, Y), 0, stream>>>(in, out, rows, cols);
}
"""
)

# One who has read on registers: the product of halves, four results a thread, sums in float.
TWOBY = (
    HEADER
    + """\
#define S 16

__global__ void product(const half* a, const half* b, half* c, int m, int n, int k) {
  __shared__ float as[2 * S][S], bs[S][2 * S];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * 2 * S + ty, col = blockIdx.x * 2 * S + tx;
  float sum[2][2] = {};
  for (int p = 0; p < k; p += S) {
    for (int h = 0; h < 2; h++) {
      int r = row + h * S, q = col + h * S;
      bool in_a = r < m && p + tx < k, in_b = p + ty < k && q < n;
      as[ty + h * S][tx] = in_a ? __half2float(a[(size_t)r * k + p + tx]) : 0.0f;
      bs[ty][tx + h * S] = in_b ? __half2float(b[(size_t)(p + ty) * n + q]) : 0.0f;
    }
    __syncthreads();
    for (int i = 0; i < S; i++)
      for (int u = 0; u < 2; u++)
        for (int v = 0; v < 2; v++) sum[u][v] += as[ty + u * S][i] * bs[i][tx + v * S];
    __syncthreads();
  }
  for (int u = 0; u < 2; u++)
    for (int v = 0; v < 2; v++)
      if (row + u * S < m && col + v * S < n)
        c[(size_t)(row + u * S) * n + col + v * S] = __float2half(sum[u][v]);
}

extern "C" void launch(const half* a,  // [m, k]
                       const half* b,  // [k, n]
                       half* c,        // [m, n]
                       int m, int n, int k, cudaStream_t stream = 0) {
  dim3 grid((n + 2 * S - 1) / (2 * S), (m + 2 * S - 1) / (2 * S));
  product<<<grid, dim3(S, S), 0, stream>>>(a, b, c, m, n, k);
}
"""
)

# One who scores pairs of words: x times a matrix times y for each pair, a block of two warps.
BILIN = (
    HEADER
    + """\
__global__ void bilinear(const float *x, const float *a, const float *y, float *out, int p,
                         int q)
{
    __shared__ float warps[2];
    int pair = blockIdx.x;
    const float *u = x + (size_t)pair * p;
    const float *v = y + (size_t)pair * q;
    float s = 0.0f;
    for (int j = threadIdx.x; j < q; j += blockDim.x) {
        float dot = 0.0f;
        for (int i = 0; i < p; i++)
            dot += u[i] * a[(size_t)i * q + j];
        s += dot * v[j];
    }
    for (int d = 16; d > 0; d >>= 1)
        s += __shfl_down_sync(0xffffffff, s, d);
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = s;
    __syncthreads();
    if (threadIdx.x == 0)
        out[pair] = warps[0] + warps[1];
}

extern "C" void launch(const float *x,  // [pairs, p]
                       const float *a,  // [p, q]
                       const float *y,  // [pairs, q]
                       float *out,      // [pairs]
                       int pairs, int p, int q, cudaStream_t stream = 0)
{
    bilinear<<<pairs, 64, 0, stream>>>(x, a, y, out, p, q);
}
"""
)

# One who matches patches: softmax of -x of each row, the least and the sum in one pass.
SOFTMIN = (
    HEADER
    + """\
#define T 64

__global__ void softmin(const float* x, float* y, int cols) {
  __shared__ float low[T], sum[T];
  int t = threadIdx.x;
  size_t start = (size_t)blockIdx.x * cols;
  float m = FLT_MAX, s = 0.0f;
  for (int c = t; c < cols; c += T) {
    float v = x[start + c];
    float least = fminf(m, v);
    s = s * expf(least - m) + expf(least - v);
    m = least;
  }
  low[t] = m;
  sum[t] = s;
  __syncthreads();
  for (int h = T / 2; h > 0; h /= 2) {
    if (t < h) {
      float least = fminf(low[t], low[t + h]);
      sum[t] = sum[t] * expf(least - low[t]) + sum[t + h] * expf(least - low[t + h]);
      low[t] = least;
    }
    __syncthreads();
  }
  for (int c = t; c < cols; c += T) y[start + c] = expf(low[0] - x[start + c]) / sum[0];
}

extern "C" void launch(const float* x,  // [rows, cols]
                       float* y,        // [rows, cols]
                       int rows, int cols, cudaStream_t stream = 0) {
  softmin<<<rows, T, 0, stream>>>(x, y, cols);
}
"""
)

# One who trains by hand: columns are normed in two passes, 32 columns a block of eight rows.
COLNORM = (
    HEADER
    + """\
#define X 32
#define Y 8

__device__ float column_sum(float v, float (*s)[X])
{
    int tx = threadIdx.x;
    __syncthreads();
    s[threadIdx.y][tx] = v;
    __syncthreads();
    v = 0.0f;
    for (int k = 0; k < Y; k++)
        v += s[k][tx];
    return v;
}

__global__ void norm(const float *x, const float *gain, float *y, float eps, int rows, int cols)
{
    __shared__ float s[Y][X];
    int c = blockIdx.x * X + threadIdx.x;
    bool in = c < cols;
    float v = 0.0f;
    for (int r = threadIdx.y; r < rows && in; r += Y)
        v += x[(size_t)r * cols + c];
    float mean = column_sum(v, s) / rows;
    v = 0.0f;
    for (int r = threadIdx.y; r < rows && in; r += Y) {
        float d = x[(size_t)r * cols + c] - mean;
        v += d * d;
    }
    float scale = rsqrtf(column_sum(v, s) / rows + eps);
    for (int r = threadIdx.y; r < rows && in; r += Y)
        y[(size_t)r * cols + c] = (x[(size_t)r * cols + c] - mean) * scale * gain[c];
}

extern "C" void launch(const float *x,     // [rows, cols]
                       const float *gain,  // [cols]
                       float *y,           // [rows, cols]
                       float eps, int rows, int cols, cudaStream_t stream = 0)
{
    norm<<<(cols + X - 1) / X, dim3(X, Y), 0, stream>>>(x, gain, y, eps, rows, cols);
}
"""
)

NAN, INF = float("nan"), float("inf")
LENGTHS = (
    *range(1, 71),
    95,
    96,
    97,
    127,
    128,
    129,
    191,
    192,
    255,
    256,
    257,
    258,
    511,
    512,
    513,
)
LENGTHS += (768, 1000, 1023, 1024, 1026, 2048, 2049, 4096, 4099)
SIDES = ((1, 1), (1, 2), (3, 2), (4, 31), (5, 32), (8, 33), (33, 8), (2, 64), (65, 3), (9, 70))
SIDES += ((70, 1), (3, 1000), (1, 4099), (64, 70), (130, 6), (40, 50), (32, 32), (17, 48))


def crosses(launcher: Launcher) -> Iterator[Case]:
    """Cross whole numbers, so that all is exact; NaN, infinities; slices."""
    for n in (*LENGTHS, 8_191):
        ax, ay, bx, by = (whole(-999, 1000, n, 4 * n + k).float() for k in range(4))
        j = torch.arange(n)
        for label, q in (
            ("usual", ay),
            ("NaN", torch.where(j % 4 == 3, NAN, ay)),
            ("infinities", torch.where(j % 5 == 2, INF, ay)),
        ):
            right = ax.double() * by.double() - q.double() * bx.double() + 0.0
            for block_size in (128, 32):
                options = {"dtypes": (torch.float32,), "quick": n > 5000}
                words = f"n = {n:,}, block_size = {block_size}, {label}"
                scalars = {"block_size": block_size}
                yield Case(words, (ax, q, bx, by), (right,), scalars, **options)
            if n < 300 and label == "usual":
                for offsets in ((4, 4, 4, 4, 4), (8, 4, 12, 4, 16)):
                    words = f"n = {n:,}, slices from {offsets}"
                    options = {"dtypes": (torch.float32,), "offset": offsets}
                    yield Case(words, (ax, q, bx, by), (right,), **options)


def gated_sums(launcher: Launcher) -> Iterator[Case]:
    """Add numbers of few bits, so that one rounding is left; large ones, NaN; any slices."""
    for n in (*LENGTHS, 7_001):
        x, y = (whole(-99, 100, n, 2 * n + k).half() for k in range(2))
        k = torch.arange(n)
        for label, p in (
            ("usual", x),
            ("large", torch.where(k % 2 == 0, 600.0, -600.0).half() * 100),
            ("NaN", torch.where(k % 3 == 1, NAN, x.float()).half()),
        ):
            for g in (0.5, 2731 / 4096, -3.0):
                right = p.double() + g * y.double() + 0.0
                options = {"dtypes": (torch.float16,), "quick": n > 5000}
                words = f"n = {n:,}, g = {g}, {label}"
                yield Case(words, (p, y), (right,), {"g": g}, **options)
                if n < 300 and label == "usual" and g == 0.5:
                    for offsets in ((2, 2, 2), (1, 1, 1), (1, 1, 2), (2, 1, 2), (4, 2, 1)):
                        words = f"n = {n:,}, slices from {offsets}"
                        options = {"dtypes": (torch.float16,), "offset": offsets}
                        yield Case(words, (p, y), (right,), {"g": g}, **options)


def limited_halves(launcher: Launcher) -> Iterator[Case]:
    """Shorten floats: usual, halfway, beyond the largest half, infinities, NaN; slices."""
    for n in (*LENGTHS, 16_384, 16_387, 33_001):
        x, k = whole(-9999, 10_000, n, n).float(), torch.arange(n)
        for label, y in (
            ("usual", x / 64),
            ("halfway", (x.fmod(1024) + 0.5) * 2 + torch.where(x < 0, -2048, 2048)),
            ("near the largest", torch.where(x < 0, -1.0, 1.0) * (65_490 + k % 50)),
            ("large", x * 1000),
            ("subnormal", x * 2.0**-28),
            ("infinities", torch.where(k % 2 == 1, INF, -INF)),
            ("NaN", torch.where(k % 3 == 1, NAN, x)),
        ):
            right = y.double().clamp(-65_504, 65_504) + 0.0
            options = {"dtypes": (torch.float16,), "quick": n > 5000}
            y = y + 0.0
            yield Case(f"n = {n:,}, {label}", (y,), (right,), **options)
            if n < 300 and label == "usual":
                for offsets in ((4, 2), (8, 4), (4, 8)):
                    words = f"n = {n:,}, slices from {offsets}"
                    yield Case(words, (y,), (right,), offset=offsets, **options)


def unfixed(launcher: Launcher) -> Iterator[Case]:
    """Convert numbers with 8 binary places: any, small, negative ones, all; slices."""
    for n in (*LENGTHS, 65_536):
        x, k = whole(-32_768, 32_768, n, n), torch.arange(n)
        for label, y in (
            ("any", x),
            ("small", x % 400 - 200),
            ("negative", -(x.abs() // 2) - 1),
            ("in order", k % 65_536 - 32_768),
        ):
            y = y.to(torch.int16)
            right = y.double() / 256
            for block_size in (64, 256):
                options = {"dtypes": (torch.float16,), "quick": n > 5000}
                words = f"n = {n:,}, block_size = {block_size}, {label}"
                yield Case(words, (y,), (right,), {"block_size": block_size}, **options)
            if n < 300 and label == "any":
                for offsets in ((4, 2), (8, 4), (4, 6)):
                    words = f"n = {n:,}, slices from {offsets}"
                    options = {"dtypes": (torch.float16,), "offset": offsets}
                    yield Case(words, (y,), (right,), **options)


def roots(launcher: Launcher) -> Iterator[Case]:
    """Take x over the root of 1 + a * x * x: usual, small, large numbers, NaN."""
    for n in (*LENGTHS, 12_287, 12_289, 30_001):
        x, k = whole(-999, 1000, n, n).float() / 128, torch.arange(n)
        for label, y in (
            ("usual", x),
            ("small", x / 65536),
            ("large", x * 4096),
            ("huge", x * 2.0**40),
            ("NaN", torch.where(k % 3 == 1, NAN, x)),
        ):
            for a in (0.5, 3.25):
                right = y.double() / (1 + a * y.double() ** 2).sqrt()
                slack = ((2.0**-21 * right.abs()).nan_to_num(0.0),)
                for block_size in (64, 256) if a == 0.5 else (512,):
                    scalars = {"a": a, "block_size": block_size}
                    words = f"n = {n:,}, {scalars}, {label}"
                    options = {"dtypes": (torch.float32,), "within": slack, "quick": n > 5000}
                    yield Case(words, (y,), (right,), scalars, **options)


def prunings(launcher: Launcher) -> Iterator[Case]:
    """Prune any numbers, some equal to the limit, NaN, infinities, all patterns; slices."""
    for n in (*LENGTHS, 65_536):
        x, k = whole(-99, 100, n, n).bfloat16() / 8, torch.arange(n)
        for label, y in (
            ("any", x),
            ("near the limit", ((whole(-3, 4, n, n + 1) + 205) / 2048).bfloat16()),
            ("NaN", torch.where(k % 3 == 1, NAN, x.float()).bfloat16()),
            ("infinities", torch.where(k % 2 == 1, -INF, INF).bfloat16()),
            ("in order", (k % 65536 - 32768).to(torch.int16).view(torch.bfloat16)),
        ):
            for limit, value in ((0.1, 20.0), (0.5, -0.75)):
                bound = torch.tensor(limit).double()
                right = torch.where(y.double() <= bound, value, y.double())
                for block_size in (128, 32) if limit == 0.5 else (128,):
                    scalars = {"limit": limit, "value": value, "block_size": block_size}
                    options = {"dtypes": (torch.bfloat16,), "quick": n > 5000}
                    words = f"n = {n:,}, {scalars}, {label}"
                    yield Case(words, (y,), (right,), scalars, **options)
            if n < 300 and label == "any":
                right = torch.where(y.double() <= 0.5, 2.0, y.double())
                for offsets in ((2, 2), (8, 2), (4, 6)):
                    words = f"n = {n:,}, slices from {offsets}"
                    options = {"dtypes": (torch.bfloat16,), "offset": offsets}
                    scalars = {"limit": 0.5, "value": 2.0}
                    yield Case(words, (y,), (right,), scalars, **options)


def first_moments(launcher: Launcher) -> Iterator[Case]:
    """Weigh integers by their places: any, large, ones, the last alone."""
    for n in (*LENGTHS, 4_095, 4_097, 8_200, 20_011):
        x, k = whole(-9999, 10_000, n, n), torch.arange(n)
        for label, y in (
            ("any", x),
            ("large", x * 150_000),
            ("ones", x * 0 + 1),
            ("the last alone", torch.where(k == n - 1, 7, 0)),
            ("rising", k * 50),
        ):
            right = (k * y).sum().reshape(1)
            options = {"dtypes": (torch.int64,), "quick": n > 5000}
            yield Case(f"n = {n:,}, {label}", (y.int(),), (right,), **options)


def chi_squares(launcher: Launcher) -> Iterator[Case]:
    """Compare whole numbers with powers of 2, so that all is exact; equal ones, NaN."""
    for n in (*LENGTHS, 5_119, 5_121, 12_300):
        o, k = whole(0, 60, n, n).float(), torch.arange(n)
        e = 2.0 ** whole(0, 4, n, n + 1).float()
        for label, y in (
            ("any", o),
            ("equal", e),
            ("the last alone", torch.where(k == n - 1, e + 8, e)),
            ("large", o * 4 + 100),
            ("NaN", torch.where(k == n // 3, NAN, o)),
        ):
            right = ((y.double() - e.double()) ** 2 / e.double()).sum().reshape(1)
            slack = ((2.0**-19 * right).nan_to_num(0.0),)
            options = {"dtypes": (torch.float32,), "within": slack, "quick": n > 5000}
            yield Case(f"n = {n:,}, {label}", (y, e), (right,), **options)


def nearest_places(launcher: Launcher) -> Iterator[Case]:
    """Find the nearest number: any, few values, far ones, equal, rising, falling ones."""
    for rows, cols in (*SIDES, (301, 2), (3, 129), (7, 128), (5, 63)):
        n = rows * cols
        x, c = whole(-9999, 10_000, n, n).float().reshape(rows, cols) / 8, torch.arange(cols)
        for label, y in (
            ("any", x),
            ("few values", (x * 8).fmod(3)),
            ("far", x.abs() + 5_000),
            ("far below", -x.abs() - 5_000),
            ("equal", x * 0 - 2),
            ("rising", x * 0 + c),
            ("falling", x * 0 - c),
        ):
            for target in (0.0, 40.5):
                y = y + 0.0
                gaps = (y.double() - target).abs()
                least = gaps.amin(1)
                place = torch.where(gaps == least[:, None], c, cols).amin(1)
                dtypes = (torch.float32, torch.int32)
                words = f"rows = {rows:,}, cols = {cols:,}, target = {target}, {label}"
                scalars = {"target": target}
                yield Case(words, (y.contiguous(),), (least, place), scalars, dtypes=dtypes)


def widened_turns(launcher: Launcher) -> Iterator[Case]:
    """Turn matrices of halves: any, rising ones, NaN."""
    sides = (*SIDES, (31, 100), (100, 31), (300, 1), (1, 300), (64, 64), (33, 65), (8, 129))
    for rows, cols in sides:
        n = rows * cols
        k = torch.arange(n)
        for label, x in (
            ("any", whole(-2048, 2049, n, n).half() / 16 + 0.0),
            ("rising", (k % 2000).half()),
            ("NaN", torch.where(k % 3 == 1, NAN, k % 500).half()),
        ):
            x = x.reshape(rows, cols)
            right = x.double().T.contiguous()
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (x,), (right,), dtypes=(torch.float32,))


def products(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole numbers, so that one rounding is left; fractions; the last term alone."""
    sides = ((1, 1, 1), (3, 5, 7), (16, 16, 16), (32, 32, 32), (33, 17, 40), (2, 50, 3))
    sides += ((70, 1, 9), (1, 70, 33), (7, 9, 8), (9, 15, 17), (5, 4, 301), (48, 16, 64))
    sides += ((3, 2, 65), (64, 65, 15), (31, 33, 31), (2, 3, 1030), (130, 6, 5), (4, 200, 2))
    for m, n, k in sides:
        a = whole(-15, 16, m * k, m + k).reshape(m, k).float()
        b = whole(-15, 16, k * n, n + k).reshape(k, n).float()
        last = torch.where(torch.arange(k) == k - 1, 3.0, 0.0) + a * 0
        for label, p, q in (
            ("any", a, b),
            ("positive", a.abs() + 1, b.abs() + 1),
            ("fractions", a / 16, b / 16),
            ("the last term", last, b),
        ):
            p, q = (p + 0.0).half().contiguous(), (q + 0.0).half().contiguous()
            right = p.double() @ q.double() + 0.0
            words = f"m = {m}, n = {n}, k = {k}, {label}"
            yield Case(words, (p, q), (right,), dtypes=(torch.float16,))


def bilinear_forms(launcher: Launcher) -> Iterator[Case]:
    """Score pairs of whole numbers, so that all is exact; the last term alone; many pairs."""
    sides = ((1, 1, 1), (2, 3, 5), (5, 7, 2), (3, 1, 64), (4, 64, 1), (2, 33, 31), (7, 8, 9))
    sides += ((3, 20, 65), (1, 2, 300), (1, 300, 2), (70, 4, 4), (300, 2, 3), (6, 31, 32))
    sides += ((2, 40, 128), (9, 5, 63), (33_001, 1, 1), (9, 16, 16))
    for pairs, p, q in sides:
        x = whole(-9, 10, pairs * p, pairs + p).reshape(pairs, p).float()
        y = whole(-9, 10, pairs * q, pairs + q + 1).reshape(pairs, q).float()
        a = whole(-9, 10, p * q, p + q).reshape(p, q).float()
        i, j = torch.arange(p)[:, None], torch.arange(q)
        last = torch.where((i == p - 1) & (j == q - 1), 5.0, 0.0)
        for label, b in (("any", a), ("ones", a * 0 + 1), ("the last term", last)):
            b = (b + 0.0).contiguous()
            right = ((x.double() @ b.double()) * y.double()).sum(1) + 0.0
            words = f"pairs = {pairs:,}, p = {p}, q = {q}, {label}"
            options = {"dtypes": (torch.float32,), "quick": pairs > 5000}
            yield Case(words, (x, b, y), (right,), **options)


def softmins(launcher: Launcher) -> Iterator[Case]:
    """Take softmax of -x: usual, far off 0, far apart, rising and falling, masked rows, NaN."""
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
            ("masked", torch.where((c % 3 == 0) & (c != cols - 1), INF, x)),
            ("NaN", torch.where(c == cols // 2, NAN, x)),
        ):
            right = (-y.double()).softmax(1)
            slack = ((2.0**-13 * right + 2.0**-120).nan_to_num(0.0),)
            options = {"dtypes": (torch.float32,), "within": slack}
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y.contiguous(),), (right,), **options)


def normed_columns(launcher: Launcher) -> Iterator[Case]:
    """Norm columns: usual, far off 0, small beside eps, equal ones, one far, rising ones."""
    for rows, cols in (*SIDES, (129, 2), (128, 3), (300, 4), (7, 65)):
        n = rows * cols
        x = whole(-99, 100, n, n).float().reshape(rows, cols)
        gain = whole(-30, 31, cols, n + 1).float() / 8
        r = torch.arange(rows)[:, None]
        for label, y in (
            ("usual", x),
            ("far off 0", x / 16 + 1000),
            ("small", x / 4096),
            ("equal", x * 0 + 2003),
            ("one is large", torch.where(r == rows - 1, 900.0, 1.0) + x * 0),
            ("rising", x * 0 + r),
        ):
            for eps in (1e-5, 0.5):
                z = y.double()
                mean, var = z.mean(0, keepdim=True), z.var(0, keepdim=True, unbiased=False)
                root = (var + eps).sqrt()
                normed = (z - mean) / root
                right = normed * gain.double() + 0.0
                off = 2.0**-20 * z.abs().amax(0, keepdim=True)
                slack = (off / root * (1 + normed.abs()) + 2.0**-18) * (1 + gain.double().abs())
                options = {"dtypes": (torch.float32,), "within": (slack,)}
                words = f"rows = {rows:,}, cols = {cols:,}, eps = {eps}, {label}"
                inputs = ((y + 0.0).contiguous(), gain)
                yield Case(words, inputs, (right,), {"eps": eps}, **options)


BASES = {
    "fiftyeight_cross": Base(CROSS, {"cases": crosses}),
    "fiftyeight_gateadd": Base(GATEADD, {"cases": gated_sums}),
    "fiftyeight_sathalf": Base(SATHALF, {"cases": limited_halves}),
    "fiftyeight_fixed": Base(FIXED, {"cases": unfixed}),
    "fiftyeight_isru": Base(ISRU, {"cases": roots}),
    "fiftyeight_thresh": Base(THRESH, {"cases": prunings}),
    "fiftyeight_moment": Base(MOMENT, {"cases": first_moments}),
    "fiftyeight_chisq": Base(CHISQ, {"cases": chi_squares}),
    "fiftyeight_nearest": Base(NEAREST, {"cases": nearest_places}),
    "fiftyeight_wideturn": Base(WIDETURN, {"cases": widened_turns}),
    "fiftyeight_twoby": Base(TWOBY, {"cases": products}),
    "fiftyeight_bilin": Base(BILIN, {"cases": bilinear_forms}),
    "fiftyeight_softmin": Base(SOFTMIN, {"cases": softmins}),
    "fiftyeight_colnorm": Base(COLNORM, {"cases": normed_columns}),
}

WRONG = (
    # ---- the z of cross products
    # A copied line: the last number has the third's factor.
    Wrong(
        "fiftyeight_cross_third_factor",
        "fiftyeight_cross",
        "other element / neighbour | function / numbers / swapped / nan / infinity",
        ("q.w * r.w;", "q.z * r.w;"),
    ),
    # Threads for packs alone, rounded up.
    Wrong(
        "fiftyeight_cross_threads_for_packs",
        "fiftyeight_cross",
        "tail / grid / unwritten / left out / refused",
        ("int threads = n / 4 + n % 4;", "int threads = (n + 3) / 4;"),
    ),
    # The rest is counted from the number of packs.
    Wrong(
        "fiftyeight_cross_rest_behind_packs",
        "fiftyeight_cross",
        "tail / unwritten / other element | race / left out",
        ("int j = 3 * packs + i;", "int j = i;"),
    ),
    # The last input lies at multiples of 8 bytes.
    Wrong(
        "fiftyeight_cross_by_of_8_bytes",
        "fiftyeight_cross",
        "alignment",
        (
            "const float* by,  // [n] 16-byte aligned",
            "const float* by,  // [n] 8-byte aligned",
        ),
    ),
    # Both parts of the second vector change places.
    Wrong(
        "fiftyeight_cross_parts_swapped",
        "fiftyeight_cross",
        "swapped / function | numbers / other element / nan / infinity",
        ("stream>>>(ax, ay, bx, by, z, n);", "stream>>>(ax, ay, by, bx, z, n);"),
    ),
    # ---- a branch that is added
    # Where the result lies is not looked at.
    Wrong(
        "fiftyeight_gateadd_inputs_tested",
        "fiftyeight_gateadd",
        "alignment",
        ("even(x) && even(y) && even(out) ?", "even(x) && even(y) ?"),
    ),
    # Addresses are added, so that two odd ones make an even one.
    Wrong(
        "fiftyeight_gateadd_addresses_added",
        "fiftyeight_gateadd",
        "alignment",
        (
            "even(x) && even(y) && even(out) ?",
            "even((const char *)x + (uintptr_t)y) && even(out) ?",
        ),
    ),
    # Pairs are rounded up.
    Wrong(
        "fiftyeight_gateadd_pairs_rounded_up",
        "fiftyeight_gateadd",
        "bounds / tail",
        ("even(out) ? n / 2 : 0;", "even(out) ? (n + 1) / 2 : 0;"),
    ),
    # The rest is launched on the default stream.
    Wrong(
        "fiftyeight_gateadd_no_stream",
        "fiftyeight_gateadd",
        "stream",
        ("gated<<<(rest + 127) / 128, 128, 0, stream>>>", "gated<<<(rest + 127) / 128, 128>>>"),
    ),
    # The factor is rounded to a half.
    Wrong(
        "fiftyeight_gateadd_half_factor",
        "fiftyeight_gateadd",
        "precision / rounding | numbers / function",
        (
            "    out[i] = __floats2half2_rn(u.x + g * v.x, u.y + g * v.y);\n",
            "    out[i] = __hfma2(__float2half2_rn(g), y[i], x[i]);\n",
        ),
        ("    float2 u = __half22float2(x[i]);\n    float2 v = __half22float2(y[i]);\n", ""),
    ),
    # ---- floats to halves with a limit
    # What is far below 0 is not limited.
    Wrong(
        "fiftyeight_sathalf_above_alone",
        "fiftyeight_sathalf",
        "infinity / whole range | numbers / function",
        ("  if (v < -MOST) v = -MOST;\n", ""),
    ),
    # The least and the most of two numbers forget a NaN.
    Wrong(
        "fiftyeight_sathalf_fminf",
        "fiftyeight_sathalf",
        "nan | numbers",
        (
            "  if (v > MOST) v = MOST;\n  if (v < -MOST) v = -MOST;\n"
            "  return __float2half(v);\n",
            "  return __float2half(fmaxf(-MOST, fminf(v, MOST)));\n",
        ),
    ),
    # Digits that a half has no room for are cut off.
    Wrong(
        "fiftyeight_sathalf_toward_zero",
        "fiftyeight_sathalf",
        "rounding | precision / numbers",
        ("return __float2half(v);", "return __float2half_rz(v);"),
    ),
    # The largest short for the largest half.
    Wrong(
        "fiftyeight_sathalf_65535",
        "fiftyeight_sathalf",
        "infinity / whole range | numbers / function",
        ("#define MOST 65504.0f", "#define MOST 65535.0f"),
    ),
    # Halves may lie anywhere, and are stored in pairs.
    Wrong(
        "fiftyeight_sathalf_y_anywhere",
        "fiftyeight_sathalf",
        "alignment",
        ("half* y,         // [n] 4-byte aligned", "half* y,         // [n]"),
    ),
    # The loop over packs has become a test, although there are 16 blocks at most.
    Wrong(
        "fiftyeight_sathalf_no_loop",
        "fiftyeight_sathalf",
        "grid / unwritten / left out | tail",
        (
            "  for (int p = t; p < packs; p += threads) {\n",
            "  int p = t;\n  if (p < packs) {\n",
        ),
    ),
    # ---- binary places
    # Bytes are taken for numbers without a sign.
    Wrong(
        "fiftyeight_fixed_unsigned",
        "fiftyeight_fixed",
        "whole range / function | numbers",
        ("from_fixed(short q)", "from_fixed(unsigned short q)"),
    ),
    # The division is one of integers.
    Wrong(
        "fiftyeight_fixed_whole_numbers",
        "fiftyeight_fixed",
        "rounding / precision | numbers / function",
        ("__float2half(q / 256.0f)", "__float2half(q / 256)"),
    ),
    # The largest byte for the number of bytes.
    Wrong(
        "fiftyeight_fixed_255",
        "fiftyeight_fixed",
        "function / precision | numbers / rounding",
        ("q / 256.0f", "q / 255.0f"),
    ),
    # No thread is left for the rest if packs fill their blocks.
    Wrong(
        "fiftyeight_fixed_blocks_for_packs",
        "fiftyeight_fixed",
        "tail / grid / unwritten / left out / refused",
        (
            "int blocks = n / 4 / block_size + 1;",
            "int blocks = (n / 4 + block_size - 1) / block_size;",
        ),
    ),
    # Integers lie at multiples of 4 bytes, and 8 are read.
    Wrong(
        "fiftyeight_fixed_x_of_4_bytes",
        "fiftyeight_fixed",
        "alignment",
        (
            "const int16_t *x,  // [n] 8-byte aligned",
            "const int16_t *x,  // [n] 4-byte aligned",
        ),
    ),
    # ---- x over a root
    # A test in the place of the loop.
    Wrong(
        "fiftyeight_isru_no_loop",
        "fiftyeight_isru",
        "grid / unwritten / left out | tail",
        ("  for (; i < n; i += step) {\n", "  if (i < n) {\n"),
        ("  int64_t step = (int64_t)gridDim.x * blockDim.x;\n", ""),
    ),
    # The kernel takes an integer.
    Wrong(
        "fiftyeight_isru_integer_factor",
        "fiftyeight_isru",
        "function / precision / rounding / whole range | numbers / narrow",
        (
            "isru(const float* x, float* y, float a, int64_t n) {",
            "isru(const float* x, float* y, int a, int64_t n) {",
        ),
    ),
    # The square has no second factor.
    Wrong(
        "fiftyeight_isru_no_square",
        "fiftyeight_isru",
        "function / nan | numbers / infinity / other element / precision",
        ("1.0f + a * v * v", "1.0f + a * v"),
    ),
    # The square is kept in the input.
    Wrong(
        "fiftyeight_isru_square_in_x",
        "fiftyeight_isru",
        "input | numbers / state / function",
        (
            "    y[i] = v / sqrtf(1.0f + a * v * v);\n",
            "    const_cast<float*>(x)[i] = v * v;\n    y[i] = v / sqrtf(1.0f + a * x[i]);\n",
        ),
    ),
    # A limit that a NaN passes as 1e12.
    Wrong(
        "fiftyeight_isru_limit",
        "fiftyeight_isru",
        "nan | numbers / whole range / precision",
        ("float v = x[i];", "float v = fmaxf(fminf(x[i], 1e12f), -1e12f);"),
    ),
    # ---- a limit
    # What is equal to the limit is kept.
    Wrong(
        "fiftyeight_thresh_equal_kept",
        "fiftyeight_thresh",
        "function / numbers | other element / sign of zero",
        ("__bfloat162float(x) <= limit", "__bfloat162float(x) < limit"),
    ),
    # The test is turned, and a NaN is not above the limit.
    Wrong(
        "fiftyeight_thresh_nan_pruned",
        "fiftyeight_thresh",
        "nan | numbers",
        (
            "__bfloat162float(x) <= limit ? __float2bfloat16(value) : x;",
            "__bfloat162float(x) > limit ? x : __float2bfloat16(value);",
        ),
    ),
    # Both of a pair come of the first.
    Wrong(
        "fiftyeight_thresh_first_twice",
        "fiftyeight_thresh",
        "other element / neighbour | numbers / nan / twice",
        ("two.y = kept(two.y, limit, value);", "two.y = kept(two.x, limit, value);"),
    ),
    # The last of an odd count has no thread.
    Wrong(
        "fiftyeight_thresh_threads_for_pairs",
        "fiftyeight_thresh",
        "tail / grid / unwritten / left out / refused",
        ("int threads = (n + 1) / 2;", "int threads = n / 2;"),
    ),
    # The limit is rounded before it is compared.
    Wrong(
        "fiftyeight_thresh_rounded_limit",
        "fiftyeight_thresh",
        "precision / rounding / numbers | function",
        (
            "__bfloat162float(x) <= limit",
            "__bfloat162float(x) <= __bfloat162float(__float2bfloat16(limit))",
        ),
    ),
    # ---- first moments
    # Products have 32 bits.
    Wrong(
        "fiftyeight_moment_short_products",
        "fiftyeight_moment",
        "narrow / whole range | numbers",
        ("sum += (long long)i * x[i];", "sum += i * x[i];"),
    ),
    # No barrier between the steps of the tree.
    Wrong(
        "fiftyeight_moment_no_barrier",
        "fiftyeight_moment",
        "race | numbers / left out / other element",
        (
            "    if (t < h) s[t] += s[t + h];\n    __syncthreads();\n",
            "    if (t < h) s[t] += s[t + h];\n",
        ),
    ),
    # Parts are added to those of the call before.
    Wrong(
        "fiftyeight_moment_parts_added",
        "fiftyeight_moment",
        "state / zero before | numbers / twice",
        ("if (t == 0) parts[blockIdx.x] = s[0];", "if (t == 0) parts[blockIdx.x] += s[0];"),
    ),
    # The second kernel is launched on the default stream.
    Wrong(
        "fiftyeight_moment_second_stream",
        "fiftyeight_moment",
        "stream",
        ("add_parts<<<1, 1, 0, stream>>>", "add_parts<<<1, 1>>>"),
    ),
    # Sums are floats.
    Wrong(
        "fiftyeight_moment_float_sums",
        "fiftyeight_moment",
        "precision / narrow | numbers / rounding / whole range",
        ("  long long sum = 0;\n  for (int i", "  float sum = 0;\n  for (int i"),
        ("sum += (long long)i * x[i];", "sum += (float)i * x[i];"),
    ),
    # ---- chi squared
    # The ticket is not set to 0 again.
    Wrong(
        "fiftyeight_chisq_ticket_kept",
        "fiftyeight_chisq",
        "state | unwritten / left out",
        ("        ticket = 0;\n", ""),
    ),
    # The first thread does not wait for the other warps' sums.
    Wrong(
        "fiftyeight_chisq_warps_not_awaited",
        "fiftyeight_chisq",
        "race | numbers / left out / other element",
        (
            "        s[threadIdx.x / 32] = v;\n    __syncthreads();\n",
            "        s[threadIdx.x / 32] = v;\n",
        ),
    ),
    # Only 16 lanes of a warp count.
    Wrong(
        "fiftyeight_chisq_from_8",
        "fiftyeight_chisq",
        "left out | numbers / other element",
        ("for (int d = 16; d > 0; d /= 2)", "for (int d = 8; d > 0; d /= 2)"),
    ),
    # The sum of the parts starts with what the thread has added before.
    Wrong(
        "fiftyeight_chisq_own_sum_twice",
        "fiftyeight_chisq",
        "start / twice | numbers / function",
        ("float sum = 0.0f;", "float sum = v;"),
    ),
    # What was counted divides.
    Wrong(
        "fiftyeight_chisq_over_counts",
        "fiftyeight_chisq",
        "function / swapped / infinity / nan | numbers",
        ("(o[i] - e[i]) / e[i];", "(o[i] - e[i]) / o[i];"),
    ),
    # ---- the nearest number
    # Of equal distances that of the other lane wins.
    Wrong(
        "fiftyeight_nearest_other_of_equals",
        "fiftyeight_nearest",
        "other element | numbers / function / swapped",
        ("if (d < best || (d == best && w < where)) {", "if (d <= best) {"),
    ),
    # The least starts with 1,000.
    Wrong(
        "fiftyeight_nearest_from_1000",
        "fiftyeight_nearest",
        "start | numbers / whole range / infinity / function",
        ("float best = INFINITY;", "float best = 1000.0f;"),
    ),
    # What is below the target is nearest.
    Wrong(
        "fiftyeight_nearest_no_distance",
        "fiftyeight_nearest",
        "function | numbers / other element",
        ("fabsf(line[c] - target)", "line[c] - target"),
    ),
    # Places are not exchanged.
    Wrong(
        "fiftyeight_nearest_own_place",
        "fiftyeight_nearest",
        "other element | numbers / start / left out",
        ("int w = __shfl_xor_sync(0xffffffffu, where, h);", "int w = where;"),
    ),
    # Rows are rounded down to whole blocks.
    Wrong(
        "fiftyeight_nearest_whole_fours",
        "fiftyeight_nearest",
        "tail / grid / unwritten / left out / refused",
        ("<<<(rows + 3) / 4,", "<<<rows / 4,"),
    ),
    # ---- a wider transpose
    # Nobody waits for the tile.
    Wrong(
        "fiftyeight_wideturn_no_barrier",
        "fiftyeight_wideturn",
        "race | numbers / left out / other element / nan",
        ("    __syncthreads();\n", ""),
    ),
    # Sides of the grid change places.
    Wrong(
        "fiftyeight_wideturn_grid_turned",
        "fiftyeight_wideturn",
        "grid / unwritten / sides / left out / swapped | tail / other element",
        (
            "grid((cols + S - 1) / S, (rows + S - 1) / S);",
            "grid((rows + S - 1) / S, (cols + S - 1) / S);",
        ),
    ),
    # A step short: the last eight rows of each tile are not stored.
    Wrong(
        "fiftyeight_wideturn_24_rows",
        "fiftyeight_wideturn",
        "unwritten / left out / tail | sides",
        (
            "    for (int j = 0; j < S; j += Y)\n        if (r + j < cols && c < rows)\n",
            "    for (int j = 0; j < S - Y; j += Y)\n        if (r + j < cols && c < rows)\n",
        ),
    ),
    # Rows of the result are taken to be as long as those of the input.
    Wrong(
        "fiftyeight_wideturn_pitch_of_in",
        "fiftyeight_wideturn",
        "sides / bounds / other element / unwritten | race / tail",
        ("out[(size_t)(r + j) * rows + c]", "out[(size_t)(r + j) * cols + c]"),
    ),
    # Only rows are tested as they are read.
    Wrong(
        "fiftyeight_wideturn_columns_untested",
        "fiftyeight_wideturn",
        "bounds / tail | sides",
        ("        if (r + j < rows && c < cols)\n", "        if (r + j < rows)\n"),
    ),
    # ---- a product of halves
    # Nobody waits before the tiles are filled again.
    Wrong(
        "fiftyeight_twoby_second_barrier",
        "fiftyeight_twoby",
        "race | numbers / left out / other element",
        ("bs[i][tx + v * S];\n    __syncthreads();\n", "bs[i][tx + v * S];\n"),
    ),
    # Sums are rounded to halves after each step.
    Wrong(
        "fiftyeight_twoby_half_sums",
        "fiftyeight_twoby",
        "precision / rounding | numbers",
        ("  float sum[2][2] = {};\n", "  half sum[2][2] = {};\n"),
        (
            "sum[u][v] += as[ty + u * S][i] * bs[i][tx + v * S];",
            "sum[u][v] += __float2half(as[ty + u * S][i] * bs[i][tx + v * S]);",
        ),
        ("= __float2half(sum[u][v]);", "= sum[u][v];"),
    ),
    # Whole tiles of terms alone.
    Wrong(
        "fiftyeight_twoby_whole_tiles",
        "fiftyeight_twoby",
        "left out / tail | numbers / sides",
        ("p < k; p += S", "p + S <= k; p += S"),
    ),
    # A column's second result is that of the first.
    Wrong(
        "fiftyeight_twoby_first_column",
        "fiftyeight_twoby",
        "other element | numbers / sides / left out / twice",
        ("bs[i][tx + v * S];\n    __s", "bs[i][tx];\n    __s"),
    ),
    # The second tile of columns is not tested.
    Wrong(
        "fiftyeight_twoby_row_tested",
        "fiftyeight_twoby",
        "bounds / sides / other element / race | tail / numbers",
        ("if (row + u * S < m && col + v * S < n)", "if (row + u * S < m && col < n)"),
    ),
    # ---- bilinear forms
    # The matrix is read as its transpose.
    Wrong(
        "fiftyeight_bilin_matrix_turned",
        "fiftyeight_bilin",
        "sides / other element / swapped | numbers / bounds / function",
        ("a[(size_t)i * q + j]", "a[(size_t)j * p + i]"),
    ),
    # The first thread does not wait for the second warp.
    Wrong(
        "fiftyeight_bilin_no_barrier",
        "fiftyeight_bilin",
        "race | numbers / left out / nan / other element",
        ("    __syncthreads();\n", ""),
    ),
    # The second warp does not count.
    Wrong(
        "fiftyeight_bilin_first_warp",
        "fiftyeight_bilin",
        "left out | numbers / tail",
        ("out[pair] = warps[0] + warps[1];", "out[pair] = warps[0];"),
    ),
    # Rows of y have the length of those of x.
    Wrong(
        "fiftyeight_bilin_pitch_of_x",
        "fiftyeight_bilin",
        "sides / other element / bounds | numbers",
        ("y + (size_t)pair * q;", "y + (size_t)pair * p;"),
    ),
    # The number of a pair has 16 bits.
    Wrong(
        "fiftyeight_bilin_short_pair",
        "fiftyeight_bilin",
        "narrow / bounds / whole range | unwritten / left out / other element",
        ("int pair = blockIdx.x;", "short pair = blockIdx.x;"),
    ),
    # ---- softmax of -x
    # What was added is not scaled when a smaller number comes.
    Wrong(
        "fiftyeight_softmin_not_scaled",
        "fiftyeight_softmin",
        "function / left out | numbers / other element / precision",
        ("s = s * expf(least - m) + expf(least - v);", "s = s + expf(least - v);"),
    ),
    # The least starts with 0.
    Wrong(
        "fiftyeight_softmin_from_zero",
        "fiftyeight_softmin",
        "start / nan | numbers / infinity / precision / whole range / subnormal / function",
        ("float m = FLT_MAX,", "float m = 0.0f,"),
    ),
    # The least starts with infinity, and a thread without numbers makes NaN.
    Wrong(
        "fiftyeight_softmin_from_infinity",
        "fiftyeight_softmin",
        "start / nan / infinity | numbers / sides / tail",
        ("float m = FLT_MAX,", "float m = INFINITY,"),
    ),
    # Only the other thread's sum is scaled.
    Wrong(
        "fiftyeight_softmin_merged_wrong",
        "fiftyeight_softmin",
        "function | numbers / left out / race / other element / nan / infinity",
        ("sum[t] = sum[t] * expf(least - low[t]) +", "sum[t] = sum[t] +"),
    ),
    # No barrier between the steps of the tree.
    Wrong(
        "fiftyeight_softmin_no_barrier",
        "fiftyeight_softmin",
        "race | numbers / left out / other element / function",
        (
            "      low[t] = least;\n    }\n    __syncthreads();\n",
            "      low[t] = least;\n    }\n",
        ),
    ),
    # ---- normed columns
    # The second sum's numbers may come before the first one's are read.
    Wrong(
        "fiftyeight_colnorm_first_barrier",
        "fiftyeight_colnorm",
        "race | numbers / other element / function",
        (
            "    int tx = threadIdx.x;\n    __syncthreads();\n",
            "    int tx = threadIdx.x;\n",
        ),
    ),
    # The variance of a sample.
    Wrong(
        "fiftyeight_colnorm_less_one",
        "fiftyeight_colnorm",
        "function | numbers / nan / precision / infinity",
        ("column_sum(v, s) / rows + eps", "column_sum(v, s) / (rows - 1) + eps"),
    ),
    # The mean square less the square of the mean.
    Wrong(
        "fiftyeight_colnorm_mean_of_squares",
        "fiftyeight_colnorm",
        "precision | numbers / nan / function",
        (
            "        float d = x[(size_t)r * cols + c] - mean;\n",
            "        float d = x[(size_t)r * cols + c];\n",
        ),
        ("column_sum(v, s) / rows + eps", "column_sum(v, s) / rows - mean * mean + eps"),
    ),
    # The gain of the place in the block.
    Wrong(
        "fiftyeight_colnorm_gain_of_block",
        "fiftyeight_colnorm",
        "other element | numbers / function / sides",
        ("* scale * gain[c];", "* scale * gain[threadIdx.x];"),
    ),
    # Columns are rounded down to whole blocks.
    Wrong(
        "fiftyeight_colnorm_rounded_down",
        "fiftyeight_colnorm",
        "tail / grid / unwritten / left out / refused",
        ("<<<(cols + X - 1) / X,", "<<<cols / X,"),
    ),
    # Differences are kept in the input.
    Wrong(
        "fiftyeight_colnorm_centred_in_x",
        "fiftyeight_colnorm",
        "input | numbers / state / race",
        (
            "        v += d * d;\n",
            "        v += d * d;\n        ((float *)x)[(size_t)r * cols + c] = d;\n",
        ),
        ("(x[(size_t)r * cols + c] - mean) * scale", "x[(size_t)r * cols + c] * scale"),
    ),
)

RIGHT = (
    # The rest is the work of the last threads, and differences are fused.
    Right(
        "fiftyeight_cross_rest_backwards",
        "fiftyeight_cross",
        ("int j = 3 * packs + i;", "int j = n - 1 - (i - packs);"),
        (
            "z[j] = ax[j] * by[j] - ay[j] * bx[j];",
            "z[j] = fmaf(ax[j], by[j], -(ay[j] * bx[j]));",
        ),
    ),
    # Addresses are joined by |, and their last bits tested; the rest is done first.
    Right(
        "fiftyeight_gateadd_addresses_joined",
        "fiftyeight_gateadd",
        (
            "    int pairs = even(x) && even(y) && even(out) ? n / 2 : 0;\n",
            "    uintptr_t all = (uintptr_t)x | (uintptr_t)y | (uintptr_t)out;\n"
            "    int pairs = (all & 3) == 0 ? n >> 1 : 0;\n",
        ),
        (
            "static bool even(const void *p)\n{\n"
            "    return (uintptr_t)p % sizeof(half2) == 0;\n}\n\n",
            "",
        ),
        (
            "__half2float(x[i]) + g * __half2float(y[i])",
            "fmaf(__half2float(y[i]), g, __half2float(x[i]))",
        ),
    ),
    # A NaN is asked for, and the least and the most limit the rest; 300 blocks.
    Right(
        "fiftyeight_sathalf_isnan",
        "fiftyeight_sathalf",
        (
            "  if (v > MOST) v = MOST;\n  if (v < -MOST) v = -MOST;\n",
            "  if (!isnan(v)) v = fmaxf(-MOST, fminf(v, MOST));\n",
        ),
        (
            "  int blocks = (n + 1023) / 1024;\n  if (blocks > 16) blocks = 16;\n",
            "  int blocks = 300;\n",
        ),
    ),
    # Rounded to a half before the exact product with a power of 2.
    Right(
        "fiftyeight_fixed_exact_product",
        "fiftyeight_fixed",
        (
            "__float2half(q / 256.0f)",
            "__hmul(__short2half_rn(q), __ushort_as_half((unsigned short)0x1c00))",
        ),
    ),
    # Numbers are visited from the last one, and the root's inverse is a factor.
    Right(
        "fiftyeight_isru_backwards",
        "fiftyeight_isru",
        ("  for (; i < n; i += step) {\n", "  for (i = n - 1 - i; i >= 0; i -= step) {\n"),
        ("v / sqrtf(1.0f + a * v * v)", "v * rsqrtf(fmaf(a * v, v, 1.0f))"),
    ),
    # Bits are packed by shifts; the test is turned with care.
    Right(
        "fiftyeight_thresh_words",
        "fiftyeight_thresh",
        (
            "        __nv_bfloat162 two = *(const __nv_bfloat162 *)(x + i);\n"
            "        two.x = kept(two.x, limit, value);\n"
            "        two.y = kept(two.y, limit, value);\n"
            "        *(__nv_bfloat162 *)(y + i) = two;\n",
            "        unsigned int w = *(const unsigned int *)(x + i);\n"
            "        unsigned int v = __bfloat16_as_ushort(__float2bfloat16(value));\n"
            "        if (__uint_as_float(w << 16) <= limit)\n"
            "            w = (w & 0xffff0000u) | v;\n"
            "        if (__uint_as_float(w & 0xffff0000u) <= limit)\n"
            "            w = (w & 0xffffu) | v << 16;\n"
            "        *(unsigned int *)(y + i) = w;\n",
        ),
        (
            "__bfloat162float(x) <= limit ? __float2bfloat16(value) : x;",
            "!(__bfloat162float(x) <= limit) ? x : __float2bfloat16(value);",
        ),
    ),
    # Blocks add to the result by atomics, after a memset.
    Right(
        "fiftyeight_moment_atomics",
        "fiftyeight_moment",
        ("moments(const int* x, int n) {", "moments(const int* x, int64_t* out, int n) {"),
        (
            "  if (t == 0) parts[blockIdx.x] = s[0];\n",
            "  if (t == 0) atomicAdd((unsigned long long*)out, (unsigned long long)s[0]);\n",
        ),
        (
            "__global__ void add_parts(int64_t* out, int count) {\n"
            "  long long sum = 0;\n"
            "  for (int k = 0; k < count; k++) sum += parts[k];\n"
            "  *out = sum;\n"
            "}\n\n",
            "",
        ),
        ("__device__ long long parts[MOST];\n\n", ""),
        (
            "  moments<<<blocks, T, 0, stream>>>(x, n);\n"
            "  add_parts<<<1, 1, 0, stream>>>(out, blocks);\n",
            "  cudaMemsetAsync(out, 0, sizeof(int64_t), stream);\n"
            "  moments<<<blocks, T, 0, stream>>>(x, out, n);\n",
        ),
    ),
    # The ticket turns over by itself, and parts are doubles.
    Right(
        "fiftyeight_chisq_ticket_turns",
        "fiftyeight_chisq",
        ("__device__ float parts[MOST];", "__device__ double parts[MOST];"),
        (
            "last = atomicAdd(&ticket, 1) == gridDim.x - 1;",
            "last = atomicInc(&ticket, gridDim.x - 1) == gridDim.x - 1;",
        ),
        ("        ticket = 0;\n", ""),
        ("float sum = 0.0f;", "double sum = 0.0;"),
        ("((volatile float *)parts)[b]", "((volatile double *)parts)[b]"),
        ("        *out = sum;\n", "        *out = (float)sum;\n"),
    ),
    # Distance and place are one key, of which the least is found; shuffles go down.
    Right(
        "fiftyeight_nearest_keys",
        "fiftyeight_nearest",
        (
            "    float d = __shfl_xor_sync(0xffffffffu, best, h);\n"
            "    int w = __shfl_xor_sync(0xffffffffu, where, h);\n"
            "    if (d < best || (d == best && w < where)) {\n"
            "      best = d;\n"
            "      where = w;\n"
            "    }\n",
            "    unsigned long long key = __float_as_uint(best);\n"
            "    key = key << 32 | (unsigned int)where;\n"
            "    key = min(key, __shfl_down_sync(0xffffffffu, key, h));\n"
            "    best = __uint_as_float((unsigned int)(key >> 32));\n"
            "    where = (int)(unsigned int)key;\n",
        ),
    ),
    # The tile is filled turned, and has no column more.
    Right(
        "fiftyeight_wideturn_filled_turned",
        "fiftyeight_wideturn",
        ("tile[S][S + 1];", "tile[S][S];"),
        (
            "tile[threadIdx.y + j][threadIdx.x] = __half2float(",
            "tile[threadIdx.x][threadIdx.y + j] = __half2float(",
        ),
        ("= tile[threadIdx.x][threadIdx.y + j];", "= tile[threadIdx.y + j][threadIdx.x];"),
    ),
    # Two pairs of tiles by turns, so that one barrier a step is enough.
    Right(
        "fiftyeight_twoby_by_turns",
        "fiftyeight_twoby",
        ("as[2 * S][S], bs[S][2 * S];", "both_a[2][2 * S][S], both_b[2][S][2 * S];"),
        (
            "    for (int h = 0; h < 2; h++) {\n",
            "    float(*as)[S] = both_a[p / S % 2];\n"
            "    float(*bs)[2 * S] = both_b[p / S % 2];\n"
            "    for (int h = 0; h < 2; h++) {\n",
        ),
        ("bs[i][tx + v * S];\n    __syncthreads();\n", "bs[i][tx + v * S];\n"),
    ),
    # 256 threads, whose warps add to a shared number that the first thread has set to 0.
    Right(
        "fiftyeight_bilin_shared_atomics",
        "fiftyeight_bilin",
        ("__shared__ float warps[2];", "__shared__ float total;"),
        (
            "    float s = 0.0f;\n",
            "    float s = 0.0f;\n    if (threadIdx.x == 0)\n        total = 0.0f;\n"
            "    __syncthreads();\n",
        ),
        ("        warps[threadIdx.x / 32] = s;\n", "        atomicAdd(&total, s);\n"),
        ("out[pair] = warps[0] + warps[1];", "out[pair] = total;"),
        ("<<<pairs, 64, 0, stream>>>", "<<<pairs, 256, 0, stream>>>"),
    ),
    # Exponentials come of powers of 2, and the tree's steps grow.
    Right(
        "fiftyeight_softmin_powers_of_2",
        "fiftyeight_softmin",
        ("int h = T / 2; h > 0; h /= 2) {", "int h = 1; h < T; h *= 2) {"),
        ("    if (t < h) {\n", "    if (t % (2 * h) == 0) {\n"),
        (
            "y[start + c] = expf(low[0] - x[start + c]) / sum[0];",
            "y[start + c] = exp2f((low[0] - x[start + c]) * 1.44269504f) / sum[0];",
        ),
    ),
    # Threads without a column go on to the barriers with the last one's numbers.
    Right(
        "fiftyeight_colnorm_last_again",
        "fiftyeight_colnorm",
        (
            "    int c = blockIdx.x * X + threadIdx.x;\n    bool in = c < cols;\n",
            "    int c = min(blockIdx.x * X + threadIdx.x, cols - 1);\n    bool in = true;\n",
        ),
        ("__device__ float column_sum(", "__device__ double column_sum("),
        (
            "    v = 0.0f;\n    for (int k = 0; k < Y; k++)\n        v += s[k][tx];\n"
            "    return v;\n",
            "    double all = 0.0;\n    for (int k = Y - 1; k >= 0; k--)\n"
            "        all += s[k][tx];\n    return all;\n",
        ),
    ),
)
