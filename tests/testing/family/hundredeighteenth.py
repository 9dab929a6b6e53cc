"""Hold a hundred-and-eighteenth family: a course's plain operators, and plain mistakes.

Its bases are a difference of int8 in char4, halves to floats in __half2, floats to bytes, tanh
of floats in float2, hard-swish of halves, the sum of squares of an array, the largest int of an
array by two kernels, the place of the smallest of each row, the mean of each row of halves,
softmax along columns, rows of length 1, a transpose of int16, an outer product added to a
matrix, and products of a batch of matrices. They have 21 to 49 lines. Five wrong members and a
right one belong to each. The causes were written before a member was judged. On the emulator
bases and right ones ran all cases below and are right; wrong ones ran until twelve runs were
wrong, or to the end of the cases. A run calls twice on the same tensors, with NaN or 1e3 in
floating outputs (all bits or 77 in others) before, and then looks at the bytes around the
tensors and at the inputs. Each case ran four times: tensors at the end of their pages, threads
in order; at odd starts that the contract allows, from the last thread to the first, on a stream
of its own; at the start of their pages, in a random order, on a stream; at odd starts in
another random order. Each wrong one was wrong there. nvcc 13.0 compiles all members for 8.0;
none ran on a GPU:

    hundredeighteen_sub8_limits               of differences that are no int8, in packs
    hundredeighteen_sub8_mask_of_pairs        where all starts are even, and one not round
    hundredeighteen_sub8_as_one_int           of a byte above one that borrows
    hundredeighteen_sub8_rest_b_less_a        of what is in no pack, unless a and b are alike
    hundredeighteen_sub8_rest_below_4         where starts are not round, from 4 numbers on
    hundredeighteen_cast_floats_anywhere      from 2 numbers on, by the address of dst alone
    hundredeighteen_cast_stride_of_numbers    from 8,194 numbers on
    hundredeighteen_cast_by_hand              of subnormal halves
    hundredeighteen_cast_last_at_n            of odd counts
    hundredeighteen_cast_no_block_for_few     below 256 numbers
    hundredeighteen_byte_half_up              halfway above an even integer, and just below
    hundredeighteen_byte_short_between        of some beyond 32,767
    hundredeighteen_byte_limit_256            from 255.5 on
    hundredeighteen_byte_tiles_overlap        beyond the first block, of the last ones
    hundredeighteen_byte_first_tested         unless four block sizes divide n
    hundredeighteen_tanh_one_no_stream        of odd counts, on another stream than 0
    hundredeighteen_tanh_quotient             from about 44.4 on
    hundredeighteen_tanh_series_near_0        below 0.1, unless tiny
    hundredeighteen_tanh_n_for_pairs          from 2 numbers on, unless 192 divides the pairs
    hundredeighteen_tanh_blocks_kept          of more blocks than the first call had
    hundredeighteen_hswish_in_halves          from about 10,920 on, and of some others
    hundredeighteen_hswish_two_digits         of nearly all above -3
    hundredeighteen_hswish_gate_open          above 3
    hundredeighteen_hswish_four_of_eight      of the last four of each whole pack
    hundredeighteen_hswish_blocks_of_128      of other block sizes, from a second block on
    hundredeighteen_sumsq_float_squares       of squares that are no floats
    hundredeighteen_sumsq_four_bytes_set      unless the result is about 0 already
    hundredeighteen_sumsq_tree_ends_at_2      from 2 numbers on
    hundredeighteen_sumsq_all_threads_add     unless the sum is 0
    hundredeighteen_sumsq_tree_at_once        where threads do not wait for another
    hundredeighteen_maxint_from_minus_1e9     of numbers that are all below -1e9
    hundredeighteen_maxint_all_64_read        up to 8,064 numbers, by what the memory held
    hundredeighteen_maxint_shuffles_from_8    if the largest is in the upper half of a warp
    hundredeighteen_maxint_one_warp_for_64    from 4,097 numbers on
    hundredeighteen_maxint_memory_kept        of more blocks than the first call had
    hundredeighteen_argmin_nan_lost           of NaN
    hundredeighteen_argmin_of_whole_matrix    from a second row on
    hundredeighteen_argmin_stored_as_int      by what the result held, and from 2 rows on
    hundredeighteen_argmin_places_of_16_bits  from column 32,768 on
    hundredeighteen_argmin_block_a_column     unless square
    hundredeighteen_mean_of_whole_warps       unless 32 divides the columns
    hundredeighteen_mean_one_over_int         from 2 columns on
    hundredeighteen_mean_half_sum             of sums that are not halves
    hundredeighteen_mean_mask_of_16           always
    hundredeighteen_mean_blocks_down          unless 4 divides the rows
    hundredeighteen_colsoft_stored_turned     from 2 rows and columns on
    hundredeighteen_colsoft_powers_of_2       of columns that are not equal
    hundredeighteen_colsoft_part_0_lost       always
    hundredeighteen_colsoft_quotient          beyond about 88 and -88
    hundredeighteen_colsoft_kept_in_input     always: the input is overwritten
    hundredeighteen_unit_nan_shorter          of rows with a NaN
    hundredeighteen_unit_no_root              unless the length is 1, or below eps
    hundredeighteen_unit_rows_in_grid_y       from 65,536 rows on
    hundredeighteen_unit_length_at_once       where threads do not wait for another
    hundredeighteen_unit_odd_rows_in_packs    at round addresses, unless 4 divides the columns
    hundredeighteen_turn_no_last_barrier      from 25 tiles on, where threads do not wait
    hundredeighteen_turn_tiles_by_down        unless the tiles are as many each way
    hundredeighteen_turn_place_of_16_bits     from 65,537 numbers on
    hundredeighteen_turn_8_of_32_stored       from 9 columns on
    hundredeighteen_turn_tile_of_bytes        of numbers that are no int8
    hundredeighteen_outer_v_by_u              of nearly all, out of bounds unless square
    hundredeighteen_outer_added_to_c          unless C is A already
    hundredeighteen_outer_whole_alpha         of an alpha that is no integer
    hundredeighteen_outer_row_m_too           always: a row past the end
    hundredeighteen_outer_v_of_thread         from column 64 on
    hundredeighteen_bmm_a_apart_as_c          from a second matrix on, unless n is k
    hundredeighteen_bmm_sum_goes_on           from 21 matrices on
    hundredeighteen_bmm_first_b_for_all       from a second matrix on
    hundredeighteen_bmm_zeros_skipped         of zeros of A beside infinity or NaN
    hundredeighteen_bmm_stream_0              on another stream than the default one
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

# int8 less int8, a char4 a thread where the addresses allow it; the rest one by one.
SUB8 = (
    HEADER
    + """\
__global__ void sub_char4(const int8_t* a, const int8_t* b, int8_t* c, int quads, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t < quads) {
    char4 u = reinterpret_cast<const char4*>(a)[t];
    char4 v = reinterpret_cast<const char4*>(b)[t];
    char4 w;
    w.x = u.x - v.x;
    w.y = u.y - v.y;
    w.z = u.z - v.z;
    w.w = u.w - v.w;
    reinterpret_cast<char4*>(c)[t] = w;
  }
  int threads = gridDim.x * blockDim.x;
  for (int i = 4 * quads + t; i < n; i += threads) c[i] = a[i] - b[i];
}

extern "C" void launch(const int8_t* a,  // [n]
                       const int8_t* b,  // [n]
                       int8_t* c,        // [n]
                       int n, int block_size = 256, cudaStream_t stream = 0) {
  uintptr_t starts = (uintptr_t)a | (uintptr_t)b | (uintptr_t)c;
  int quads = (starts & 3) == 0 ? n / 4 : 0;
  int blocks = n / (4 * block_size) + 1;
  sub_char4<<<blocks, block_size, 0, stream>>>(a, b, c, quads, n);
}
"""
)

# half to float, a __half2 at a time, with at most 32 blocks.
CAST = (
    HEADER
    + """\
__global__ void widen(const half *src, float *dst, int n)
{
    const __half2 *pairs = (const __half2 *)src;
    float2 *out = (float2 *)dst;
    int stride = gridDim.x * blockDim.x;
    int first = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = first; k < n / 2; k += stride)
        out[k] = __half22float2(pairs[k]);
    if (first == 0 && n % 2 == 1)
        dst[n - 1] = __half2float(src[n - 1]);
}

extern "C" void launch(const half *src,  // [n] 4-byte aligned
                       float *dst,       // [n] 8-byte aligned
                       int n, cudaStream_t stream = 0)
{
    int blocks = (n / 2 + 128) / 128;
    if (blocks > 32)
        blocks = 32;
    widen<<<blocks, 128, 0, stream>>>(src, dst, n);
}
"""
)

# float to the nearest byte, four a thread, a block's width apart. NaN becomes 0.
BYTE = (
    HEADER
    + """\
constexpr int PER_THREAD = 4;

__device__ __forceinline__ uint8_t toByte(float v) {
    int r = __float2int_rn(v);
    return (uint8_t)min(max(r, 0), 255);
}

__global__ void quantize(const float* __restrict__ x, uint8_t* __restrict__ q, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * (PER_THREAD * blockDim.x) + threadIdx.x;
    for (int k = 0; k < PER_THREAD; ++k) {
        if (i < n) q[i] = toByte(x[i]);
        i += blockDim.x;
    }
}

extern "C" void launch(const float* x,  // [n]
                       uint8_t* q,      // [n]
                       int64_t n, int block_size = 128, cudaStream_t stream = 0) {
    const int64_t tile = (int64_t)PER_THREAD * block_size;
    const int64_t grid = (n + tile - 1) / tile;
    quantize<<<(unsigned)grid, block_size, 0, stream>>>(x, q, n);
}
"""
)

# tanh of floats, a float2 a thread; a second kernel takes the last of an odd count.
TANH = (
    HEADER
    + """\
__device__ float th(float v)
{
  return tanhf(v);
}

__global__ void tanh_pairs(const float2 *x, float2 *y, int pairs)
{
  int p = blockDim.x * blockIdx.x + threadIdx.x;
  if (p < pairs) {
    float2 v = x[p];
    y[p] = make_float2(th(v.x), th(v.y));
  }
}

__global__ void tanh_one(const float *x, float *y)
{
  *y = th(*x);
}

extern "C" void launch(const float *x,  // [n] 8-byte aligned
                       float *y,        // [n] 8-byte aligned
                       int n, cudaStream_t stream = 0)
{
  const int threads = 192;
  int pairs = n / 2;
  int blocks = (pairs + threads - 1) / threads;
  if (pairs > 0)
    tanh_pairs<<<blocks, threads, 0, stream>>>((const float2 *)x, (float2 *)y, pairs);
  if (n % 2 != 0)
    tanh_one<<<1, 1, 0, stream>>>(x + n - 1, y + n - 1);
}
"""
)

# Hard-swish of halves, eight in 16 bytes a thread.
HSWISH = (
    HEADER
    + """\
struct alignas(16) Half8 {
    half h[8];
};

__device__ half hard_swish(half value) {
    float v = __half2float(value);
    float gate = fminf(fmaxf(v + 3.0f, 0.0f), 6.0f);
    return __float2half(v * gate * (1.0f / 6.0f));
}

__global__ void hard_swish_kernel(const half* x, half* y, int n) {
    int first = 8 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (first + 8 <= n) {
        Half8 pack = *reinterpret_cast<const Half8*>(x + first);
        for (int k = 0; k < 8; k++) pack.h[k] = hard_swish(pack.h[k]);
        *reinterpret_cast<Half8*>(y + first) = pack;
    } else {
        for (int i = first; i < n; i++) y[i] = hard_swish(x[i]);
    }
}

extern "C" void launch(const half* x,  // [n] 16-byte aligned
                       half* y,        // [n] 16-byte aligned
                       int n, int block_size = 128, cudaStream_t stream = 0) {
    int packs = (n + 7) / 8;
    int blocks = (packs + block_size - 1) / block_size;
    hard_swish_kernel<<<blocks, block_size, 0, stream>>>(x, y, n);
}
"""
)

# The sum of squares of floats in a double: trees in shared memory, then an atomic.
SUMSQ = (
    HEADER
    + """\
#define T 256

__global__ void sum_of_squares(const float *x, double *out, int64_t n)
{
    __shared__ double part[T];
    const int t = threadIdx.x;
    double s = 0.0;
    for (int64_t i = (int64_t)blockIdx.x * T + t; i < n; i += (int64_t)T * gridDim.x) {
        double v = x[i];
        s += v * v;
    }
    part[t] = s;
    __syncthreads();
    for (int d = T / 2; d > 0; d /= 2) {
        if (t < d)
            part[t] += part[t + d];
        __syncthreads();
    }
    if (t == 0)
        atomicAdd(out, part[0]);
}

extern "C" void launch(const float *x,  // [n]
                       double *out,     // [1]
                       int64_t n, cudaStream_t stream = 0)
{
    int64_t blocks = (n + T - 1) / T;
    if (blocks > 48)
        blocks = 48;
    cudaMemsetAsync(out, 0, sizeof(double), stream);
    sum_of_squares<<<(int)blocks, T, 0, stream>>>(x, out, n);
}
"""
)

# The largest int: one of each block, then a second kernel for the largest of those.
MAXINT = (
    HEADER
    + """\
#define THREADS 128
#define BLOCKS 64

__device__ int block_largest(int m)
{
    __shared__ int of_warp[THREADS / 32];
    for (int d = 16; d >= 1; d /= 2) {
        int other = __shfl_xor_sync(0xffffffff, m, d);
        m = other > m ? other : m;
    }
    if (threadIdx.x % 32 == 0)
        of_warp[threadIdx.x / 32] = m;
    __syncthreads();
    for (int w = 0; w < blockDim.x / 32; w++)
        m = of_warp[w] > m ? of_warp[w] : m;
    return m;
}

__global__ void largest_of_blocks(const int *x, int *partial, int n)
{
    int m = INT32_MIN;
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS)
        m = x[i] > m ? x[i] : m;
    m = block_largest(m);
    if (threadIdx.x == 0)
        partial[blockIdx.x] = m;
}

__global__ void largest_of_partial(const int *partial, int *out, int count)
{
    int m = threadIdx.x < count ? partial[threadIdx.x] : INT32_MIN;
    m = block_largest(m);
    if (threadIdx.x == 0)
        *out = m;
}

extern "C" void launch(const int *x,  // [n]
                       int *out,      // [1]
                       int n, cudaStream_t stream = 0)
{
    int blocks = (n + THREADS - 1) / THREADS;
    if (blocks > BLOCKS)
        blocks = BLOCKS;
    int *partial;
    cudaMallocAsync(&partial, blocks * sizeof(int), stream);
    largest_of_blocks<<<blocks, THREADS, 0, stream>>>(x, partial, n);
    largest_of_partial<<<1, BLOCKS, 0, stream>>>(partial, out, blocks);
    cudaFreeAsync(partial, stream);
}
"""
)

# The place of the smallest of each row, the first of equal ones; a NaN is the smallest.
ARGMIN = (
    HEADER
    + """\
template <int T>
__global__ void row_argmin(const float* x, int64_t* where, int cols);

// Whether v at place i comes before w at place j.
__device__ bool before(float v, int i, float w, int j) {
  if (isnan(v) || isnan(w)) return isnan(v) && (!isnan(w) || i < j);
  return v < w || (v == w && i < j);
}

template <int T>
__global__ void row_argmin(const float* x, int64_t* where, int cols) {
  __shared__ float value[T];
  __shared__ int place[T];
  int row = blockIdx.x, t = threadIdx.x;
  const float* in = x + (int64_t)row * cols;
  float best = INFINITY;
  int at = cols;
  for (int j = t; j < cols; j += T) {
    if (before(in[j], j, best, at)) {
      best = in[j];
      at = j;
    }
  }
  value[t] = best;
  place[t] = at;
  __syncthreads();
  for (int d = T / 2; d > 0; d >>= 1) {
    if (t < d && before(value[t + d], place[t + d], value[t], place[t])) {
      value[t] = value[t + d];
      place[t] = place[t + d];
    }
    __syncthreads();
  }
  if (t == 0) where[row] = place[0];
}

extern "C" void launch(const float* x,   // [rows, cols]
                       int64_t* where,   // [rows]
                       int rows, int cols, cudaStream_t stream = 0) {
  row_argmin<64><<<rows, 64, 0, stream>>>(x, where, cols);
}
"""
)

# The mean of each row of halves, a warp a row, four rows a block.
MEAN = (
    HEADER
    + """\
__global__ void rowMean(const half *m, half *mean, int rows, int cols)
{
    const int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows)
        return;
    const half *in = m + (size_t)row * cols;
    float s = 0.0f;
    for (int c = threadIdx.x; c < cols; c += 32)
        s += __half2float(in[c]);
    for (int lanes = 16; lanes > 0; lanes >>= 1)
        s += __shfl_xor_sync(0xffffffffu, s, lanes);
    if (threadIdx.x == 0)
        mean[row] = __float2half(s / cols);
}

extern "C" void launch(const half *m,  // [rows, cols]
                       half *mean,     // [rows]
                       int rows, int cols, cudaStream_t stream = 0)
{
    const dim3 block(32, 4);
    rowMean<<<(rows + 3) / 4, block, 0, stream>>>(m, mean, rows, cols);
}
"""
)

# Softmax along the columns: 32 columns a block, eight threads a column.
COLSOFT = (
    HEADER
    + """\
#define CX 32
#define RY 8

__global__ void softmax_dim0(const float* in, float* out, int rows, int cols) {
  __shared__ float buf[RY][CX];
  int x = threadIdx.x, y = threadIdx.y;
  int c = blockIdx.x * CX + x;
  bool inside = c < cols;

  float m = -INFINITY;
  if (inside)
    for (int r = y; r < rows; r += RY) m = fmaxf(m, in[(size_t)r * cols + c]);
  buf[y][x] = m;
  __syncthreads();
  for (int k = 0; k < RY; ++k) m = fmaxf(m, buf[k][x]);
  __syncthreads();

  float s = 0.0f;
  if (inside)
    for (int r = y; r < rows; r += RY) {
      float e = expf(in[(size_t)r * cols + c] - m);
      s += e;
    }
  buf[y][x] = s;
  __syncthreads();
  float total = 0.0f;
  for (int k = 0; k < RY; ++k) total += buf[k][x];

  if (inside)
    for (int r = y; r < rows; r += RY) {
      float e = expf(in[(size_t)r * cols + c] - m);
      out[(size_t)r * cols + c] = e / total;
    }
}

extern "C" void launch(const float* in,  // [rows, cols]
                       float* out,       // [rows, cols]
                       int rows, int cols, cudaStream_t stream = 0) {
  softmax_dim0<<<(cols + CX - 1) / CX, dim3(CX, RY), 0, stream>>>(in, out, rows, cols);
}
"""
)

# Rows divided by their length, but by no less than eps; float4 where rows allow it.
UNIT = (
    HEADER
    + """\
__device__ float warp_sum(float v) {
    for (int d = 16; d; d >>= 1) v += __shfl_down_sync(0xffffffffu, v, d);
    return v;
}

__global__ void unit_rows(const float* x, float* y, float eps, int cols, bool packs) {
    __shared__ float part[4];
    __shared__ float length;
    const int row = blockIdx.x;
    const float* in = x + (size_t)row * cols;
    float* out = y + (size_t)row * cols;
    float ss = 0.0f;
    if (packs) {
        for (int p = threadIdx.x; p < cols / 4; p += blockDim.x) {
            float4 v = reinterpret_cast<const float4*>(in)[p];
            ss += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
        }
    } else {
        for (int j = threadIdx.x; j < cols; j += blockDim.x) ss += in[j] * in[j];
    }
    ss = warp_sum(ss);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = ss;
    __syncthreads();
    if (threadIdx.x == 0) {
        float l = sqrtf(part[0] + part[1] + part[2] + part[3]);
        length = l < eps ? eps : l;
    }
    __syncthreads();
    const float f = 1.0f / length;
    if (packs) {
        for (int p = threadIdx.x; p < cols / 4; p += blockDim.x) {
            float4 v = reinterpret_cast<const float4*>(in)[p];
            reinterpret_cast<float4*>(out)[p] = make_float4(v.x * f, v.y * f, v.z * f, v.w * f);
        }
    } else {
        for (int j = threadIdx.x; j < cols; j += blockDim.x) out[j] = in[j] * f;
    }
}

extern "C" void launch(const float* x,  // [rows, cols]
                       float* y,        // [rows, cols]
                       float eps, int rows, int cols, cudaStream_t stream = 0) {
    const uintptr_t starts = reinterpret_cast<uintptr_t>(x) | reinterpret_cast<uintptr_t>(y);
    const bool round = starts % 16 == 0;
    const bool packs = round && cols % 4 == 0;
    unit_rows<<<rows, 128, 0, stream>>>(x, y, eps, cols, packs);
}
"""
)

# Transpose of int16 in tiles of 32, which at most 24 blocks take in turn.
TURN = (
    HEADER
    + """\
#define TILE 32
#define MOST 24

__global__ void turn(const int16_t *in, int16_t *out, int rows, int cols)
{
        __shared__ int16_t tile[TILE][TILE + 2];
        int across = (cols + TILE - 1) / TILE;
        int down = (rows + TILE - 1) / TILE;
        int x = threadIdx.x;

        for (int t = blockIdx.x; t < across * down; t += gridDim.x) {
                int r0 = t / across * TILE;
                int c0 = t % across * TILE;
                for (int k = threadIdx.y; k < TILE; k += blockDim.y) {
                        int from = (r0 + k) * cols + c0 + x;
                        if (r0 + k < rows && c0 + x < cols)
                                tile[k][x] = in[from];
                }
                __syncthreads();
                for (int k = threadIdx.y; k < TILE; k += blockDim.y) {
                        int to = (c0 + k) * rows + r0 + x;
                        if (c0 + k < cols && r0 + x < rows)
                                out[to] = tile[x][k];
                }
                __syncthreads();
        }
}

extern "C" void launch(const int16_t *in,  // [rows, cols]
                       int16_t *out,       // [cols, rows]
                       int rows, int cols, cudaStream_t stream = 0)
{
        int tiles = ((cols + TILE - 1) / TILE) * ((rows + TILE - 1) / TILE);
        int blocks = tiles < MOST ? tiles : MOST;
        turn<<<blocks, dim3(TILE, 8), 0, stream>>>(in, out, rows, cols);
}
"""
)

# C = A + alpha * u * v transposed; a thread goes down a column.
OUTER = (
    HEADER
    + """\
__global__ void add_outer(const float *A, const float *u, const float *v, float *C,
                          float alpha, int m, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= n)
        return;
    float right = alpha * v[j];
    for (int i = blockIdx.y; i < m; i += gridDim.y) {
        int64_t at = (int64_t)i * n + j;
        C[at] = A[at] + u[i] * right;
    }
}

extern "C" void launch(const float *A,  // [m, n]
                       const float *u,  // [m]
                       const float *v,  // [n]
                       float *C,        // [m, n]
                       float alpha, int m, int n, cudaStream_t stream = 0)
{
    dim3 grid((n + 63) / 64, m < 40 ? m : 40);
    add_outer<<<grid, 64, 0, stream>>>(A, u, v, C, alpha, m, n);
}
"""
)

# Products of small matrices, one after the other, with the batch in grid.z.
BMM = (
    HEADER
    + """\
__global__ void bmm(const float* A, const float* B, float* C, int batch, int m, int n, int k) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || col >= n) return;
  for (int z = blockIdx.z; z < batch; z += gridDim.z) {
    const float* a = A + (size_t)z * m * k;
    const float* b = B + (size_t)z * k * n;
    float acc = 0.0f;
    for (int p = 0; p < k; ++p) acc += a[row * k + p] * b[p * n + col];
    C[((size_t)z * m + row) * n + col] = acc;
  }
}

extern "C" void launch(const float* A,  // [batch, m, k]
                       const float* B,  // [batch, k, n]
                       float* C,        // [batch, m, n]
                       int batch, int m, int n, int k, cudaStream_t stream = 0) {
  const int deep = batch < 20 ? batch : 20;
  const dim3 grid((n + 7) / 8, (m + 7) / 8, deep);
  bmm<<<grid, dim3(8, 8), 0, stream>>>(A, B, C, batch, m, n, k);
}
"""
)

NAN, INF = float("nan"), float("inf")
LENGTHS = (*range(1, 71), 95, 97, 127, 128, 129, 255, 256, 257, 383, 385, 511, 512, 513)
LENGTHS += (1000, 1023, 1024, 1025, 2047, 2049, 4099, 5003, 8193, 12_289, 20_003)
SIDES = ((1, 1), (2, 1), (1, 2), (3, 2), (4, 31), (5, 32), (8, 33), (33, 8), (2, 64), (65, 3))
SIDES += ((9, 70), (70, 1), (3, 1000), (1, 2049), (64, 70), (130, 6), (40, 50), (32, 32))
SIDES += ((301, 2), (3, 129), (7, 128), (5, 63), (65, 65), (16, 16), (17, 15), (2, 300))
SIDES += ((1000, 3), (2049, 1), (15, 49), (49, 15), (129, 5), (6, 260), (11, 36))
FLOAT, HALF, DOUBLE = (torch.float32,), (torch.float16,), (torch.float64,)
SHORT, INT, LONG = (torch.int16,), (torch.int32,), (torch.int64,)


def differences(launcher: Launcher) -> Iterator[Case]:
    """Subtract as an operator does, at all small sizes, and at addresses of their own."""
    make = ElementwiseMaker.of(launcher, REFERENCES["subtract"])
    yield from elementwise_cases(launcher, make)
    for n in range(1, 71):
        yield make.random(n, 3)
    for n in (3, 6, 64, 258, 1001):
        for offset in ((2, 2, 2), (4, 4, 2), (2, 4, 4), (4, 1, 4), (4, 4, 3), (4, 4, 4)):
            yield make.shifted(n, 5, offset)


def energies(launcher: Launcher) -> Iterator[Case]:
    """Square whole numbers, so that all is exact: any, ones, of 13 bits, one alone, NaN."""
    for n in LENGTHS:
        x, j = whole(-99, 100, n, n).double(), torch.arange(n)
        for label, y in (
            ("any", x),
            ("ones", x * 0 + 1),
            ("zeros", x * 0),
            ("of 13 bits", whole(4097, 8192, n, n + 1).double()),
            ("the last alone", torch.where(j == n - 1, 3.0, 0.0)),
            ("the second alone", torch.where(j == min(1, n - 1), 5.0, 0.0)),
            ("infinity", torch.where(j == n // 2, -INF, x)),
            ("NaN", torch.where(j == n // 3, NAN, x)),
        ):
            right = ((y * y).sum().reshape(1),)
            options = {"dtypes": DOUBLE, "quick": n > 5000}
            yield Case(f"n = {n:,}, {label}", (y.float(),), right, **options)


def largest(launcher: Launcher) -> Iterator[Case]:
    """Look for the largest: any, all far below or above 0, rising, falling, one apart."""
    for n in LENGTHS:
        x, j = whole(-9999, 10_000, n, n), torch.arange(n)
        for label, y in (
            ("any", x),
            ("of all sizes", whole(-(2**31), 2**31, n, n + 1)),
            ("below 0", -x.abs() - 1),
            ("far below 0", x - 2**31 + 10_000),
            ("the least", x * 0 - 2**31),
            ("close together", x % 3 + 2**30),
            ("rising", j - n),
            ("falling", -j - 1),
            ("in the middle", torch.where(j == n // 2, 20_000, x)),
            ("in the last third", torch.where(j == n - 1 - n // 3, 20_000, x)),
        ):
            right = (y.max().reshape(1),)
            options = {"dtypes": INT, "quick": n > 5000}
            yield Case(f"n = {n:,}, {label}", (y.int(),), right, **options)


def places(launcher: Launcher) -> Iterator[Case]:
    """Look for the first smallest of rows: any, few values, equal, the ends, inf, NaN."""
    for rows, cols in (*SIDES, (2, 40_001)):
        n = rows * cols
        x, c = whole(-9999, 10_000, n, n).reshape(rows, cols).double(), torch.arange(cols)
        nans = torch.where((c == cols // 2) | (c == cols - 1), NAN, x)
        for label, y in (
            ("any", x),
            ("few values", x % 3),
            ("equal", x * 0 + 4),
            ("above 0", x.abs() + 1),
            ("the last", torch.where(c == cols - 1, -20_000.0, x)),
            ("falling", x * 0 - c),
            ("infinities", x * 0 + INF),
            ("-infinity", torch.where(c == cols // 3, -INF, x)),
            ("NaN", nans),
        ):
            key = torch.where(y.isnan(), -INF, y) if label == "NaN" else y
            place = (key == key.amin(1, True)).int().argmax(1)
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y.float(),), (place,), dtypes=LONG, quick=n > 5000)


def means(launcher: Launcher) -> Iterator[Case]:
    """Take means of whole numbers: any, equal, large, the ends alone, infinity, NaN."""
    for rows, cols in (*SIDES, (401, 35), (5, 4099)):
        n = rows * cols
        x, c = whole(-99, 100, n, n).reshape(rows, cols).double(), torch.arange(cols)
        for label, y in (
            ("any", x),
            ("ones", x * 0 + 1),
            ("zeros", x * 0),
            ("large", x.abs() * 16 + 1025),
            ("the first alone", torch.where(c == 0, 96.0, x * 0)),
            ("the last alone", torch.where(c == cols - 1, 96.0, x * 0)),
            ("rising", x * 0 + c % 1024),
            ("infinity", torch.where(c == cols // 2, INF, x)),
            ("NaN", torch.where((c == cols // 3) & (x > 0), NAN, x)),
        ):
            y = y.half()
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y,), (y.double().mean(1),), ulp=1, dtypes=HALF)


def softmaxes(launcher: Launcher) -> Iterator[Case]:
    """Take softmax of columns: any, equal, far above and below 0, rising, a mask, a NaN."""
    for rows, cols in SIDES:
        n = rows * cols
        x, r = whole(-80, 81, n, n).reshape(rows, cols) / 8.0, torch.arange(rows)[:, None]
        for label, y in (
            ("any", x),
            ("equal", x * 0 + 3),
            ("far above 0", x + 500),
            ("far below 0", x - 500),
            ("rising", x * 0 + r / 8.0),
            ("a mask", torch.where((r % 3 == 1) & (r > 0), -INF, x)),
            ("NaN", torch.where(r == rows // 2, NAN, x)),
        ):
            v = y.float()
            p = torch.exp(v.double() - v.double().amax(0, True))
            p = p / p.sum(0, keepdim=True)
            slack = ((2.0**-18 * p).nan_to_num(0.0) + 2.0**-120,)
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (v,), (p,), dtypes=FLOAT, within=slack)


def unit(launcher: Launcher) -> Iterator[Case]:
    """Divide rows by their length: any, shorter than eps, zeros, one apart, inf, NaN."""
    for rows, cols in SIDES:
        n = rows * cols
        x, c = whole(-99, 100, n, n).reshape(rows, cols).double(), torch.arange(cols)
        for label, y, eps in (
            ("any", x, 1e-12),
            ("a large eps", x, 700.0),
            ("short", x / 2**20, 0.5),
            ("zeros", x * 0, 0.25),
            ("ones", x * 0 + 1, 1e-6),
            ("one apart", torch.where(c == cols // 3, 700.0, x * 0 + 1), 1e-6),
            ("infinity", torch.where((c == cols - 1) & (x > 0), INF, x), 1e-6),
            ("NaN", torch.where((c == cols // 2) & (x > 0), NAN, x), 0.5),
        ):
            v, eps = y.float(), float(torch.tensor(eps))
            length = v.double().square().sum(1, keepdim=True).sqrt()
            right = v.double() / torch.where(length < eps, eps, length)
            slack = ((2.0**-19 * right.abs()).nan_to_num(0.0) + 2.0**-126,)
            words = f"rows = {rows:,}, cols = {cols:,}, eps = {eps:g}, {label}"
            yield Case(words, (v,), (right,), {"eps": eps}, dtypes=FLOAT, within=slack)
            if n < 300 and label == "any":
                for offset in ((4, 1), (1, 4), (2, 2), (4, 4)):
                    more = {"dtypes": FLOAT, "within": slack, "offset": offset}
                    yield Case(
                        f"{words}, slices from {offset}", (v,), (right,), {"eps": eps}, **more
                    )
    x, options = whole(1, 9, 70_001, 7).reshape(-1, 1).float(), {"dtypes": FLOAT, "quick": True}
    yield Case(
        "rows = 70,001, cols = 1", (x,), (x.double() * 0 + 1,), {"eps": 0.5}, 2, **options
    )


def turns(launcher: Launcher) -> Iterator[Case]:
    """Transpose: long, thin, odd and square shapes, of small, large and counted numbers."""
    for rows, cols in (*SIDES, (1, 40_003), (40_003, 1), (700, 130), (129, 1030)):
        n = rows * cols
        for label, y in (
            ("small", whole(-99, 100, n, n)),
            ("of all sizes", whole(-(2**15), 2**15, n, n + 1)),
            ("counted", torch.arange(n) % 30_011 - 15_000),
        ):
            y = y.reshape(rows, cols).short()
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y,), (y.T.contiguous(),), dtypes=SHORT, quick=n > 5000)


def outers(launcher: Launcher) -> Iterator[Case]:
    """Add products of whole numbers, so that all is exact: any, ones, one alone, NaN."""
    for m, n in SIDES:
        a = whole(-99, 100, m * n, m * n).reshape(m, n).double()
        u, v = whole(-50, 51, m, m).double(), whole(-50, 51, n, n + 1).double()
        i, j = torch.arange(m), torch.arange(n)
        for label, s, p, q, alpha in (
            ("any", a, u, v, 1.0),
            ("half of it", a, u, v, 0.5),
            ("taken away", a, u, v, -2.75),
            ("nothing added", a, u, v, 0.0),
            ("ones", a * 0, u * 0 + 1, v * 0 + 1, 3.0),
            ("the last of u", a, torch.where(i == m - 1, 7.0, u * 0), v, 1.0),
            ("the last of v", a, u, torch.where(j == n - 1, 7.0, v * 0), 1.0),
            ("NaN in A", torch.where(a > 90, NAN, a), u, v, 0.25),
            ("infinity in u", a, torch.where(i == m // 2, INF, u), v.abs() + 1, 1.5),
        ):
            right = s + p[:, None] * (alpha * q)
            words = f"m = {m:,}, n = {n:,}, alpha = {alpha}, {label}"
            inputs = (s.float(), p.float(), q.float())
            yield Case(words, inputs, (right,), {"alpha": alpha}, dtypes=FLOAT)


def batches(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole numbers, so that all is exact: any, ones, zeros beside inf, NaN."""
    sides = (
        (1, 1, 1, 1),
        (2, 1, 2, 3),
        (3, 2, 1, 9),
        (4, 8, 8, 8),
        (5, 9, 7, 6),
        (20, 3, 4, 5),
    )
    sides += ((21, 4, 3, 2), (41, 5, 2, 7), (70, 2, 9, 3), (3, 17, 16, 33), (2, 16, 33, 17))
    sides += ((7, 1, 40, 4), (6, 40, 1, 5), (2, 5, 6, 200), (1, 33, 31, 20), (130, 1, 1, 2))
    sides += ((25, 8, 9, 8), (9, 12, 12, 12))
    for batch, m, n, k in sides:
        a = whole(-20, 21, batch * m * k, m + k).reshape(batch, m, k).double()
        b = whole(-20, 21, batch * k * n, n + 1).reshape(batch, k, n).double()
        h, z = torch.arange(k), torch.arange(batch)[:, None, None]
        zeros = torch.where((h == k // 2)[None, None, :], 0.0, a)
        strange = torch.where((h == k // 2)[None, :, None], INF, b)
        for label, p, q in (
            ("any", a, b),
            ("ones", a * 0 + 1, b * 0 + 1),
            ("numbered", a * 0 + z, b * 0 + 1 + z),
            ("the last alone", torch.where(h == k - 1, 3.0, 0.0) + a * 0, b.abs() + 1),
            ("zeros beside infinity", zeros, strange),
            ("a NaN in one of the batch", torch.where(z == batch // 2, NAN, a), b),
        ):
            words = f"batch = {batch}, m = {m}, n = {n}, k = {k}, {label}"
            yield Case(words, (p.float(), q.float()), (p @ q,), dtypes=FLOAT)


def to_byte(x: torch.Tensor) -> torch.Tensor:
    """Round to the nearest of 0 to 255, ties to even; NaN to 0."""
    return x.round().clamp(0, 255).nan_to_num(0.0)


def hard_swish(x: torch.Tensor) -> torch.Tensor:
    """Compute x * clamp(x + 3, 0, 6) / 6."""
    return x * (x + 3).clamp(0, 6) / 6


BASES = {
    "hundredeighteen_sub8": Base(SUB8, {"cases": differences}),
    "hundredeighteen_cast": Base(CAST, {"reference": "cast"}),
    "hundredeighteen_byte": Base(BYTE, {"reference": to_byte}),
    "hundredeighteen_tanh": Base(TANH, {"reference": torch.tanh, "ulp": 2}),
    "hundredeighteen_hswish": Base(HSWISH, {"reference": hard_swish, "ulp": 1}),
    "hundredeighteen_sumsq": Base(SUMSQ, {"cases": energies}),
    "hundredeighteen_maxint": Base(MAXINT, {"cases": largest}),
    "hundredeighteen_argmin": Base(ARGMIN, {"cases": places}),
    "hundredeighteen_mean": Base(MEAN, {"cases": means}),
    "hundredeighteen_colsoft": Base(COLSOFT, {"cases": softmaxes}),
    "hundredeighteen_unit": Base(UNIT, {"cases": unit}),
    "hundredeighteen_turn": Base(TURN, {"cases": turns}),
    "hundredeighteen_outer": Base(OUTER, {"cases": outers}),
    "hundredeighteen_bmm": Base(BMM, {"cases": batches}),
}

WRONG = (
    # ---- sub8
    # What does not fit is cut to -128 and 127, where an int8 wraps.
    Wrong(
        "hundredeighteen_sub8_limits",
        "hundredeighteen_sub8",
        "whole range | numbers / infinity / function / alignment",
        ("w.x = u.x - v.x;", "w.x = max(-128, min(127, u.x - v.x));"),
        ("w.y = u.y - v.y;", "w.y = max(-128, min(127, u.y - v.y));"),
        ("w.z = u.z - v.z;", "w.z = max(-128, min(127, u.z - v.z));"),
        ("w.w = u.w - v.w;", "w.w = max(-128, min(127, u.w - v.w));"),
    ),
    # The addresses are those of pairs.
    Wrong(
        "hundredeighteen_sub8_mask_of_pairs",
        "hundredeighteen_sub8",
        "alignment",
        ("(starts & 3) == 0", "(starts & 1) == 0"),
    ),
    # Four bytes are subtracted as one int, and a borrow goes into the next.
    Wrong(
        "hundredeighteen_sub8_as_one_int",
        "hundredeighteen_sub8",
        "whole range / numbers / other element / neighbour | function / alignment / precision",
        (
            "    char4 u = reinterpret_cast<const char4*>(a)[t];\n"
            "    char4 v = reinterpret_cast<const char4*>(b)[t];\n"
            "    char4 w;\n"
            "    w.x = u.x - v.x;\n"
            "    w.y = u.y - v.y;\n"
            "    w.z = u.z - v.z;\n"
            "    w.w = u.w - v.w;\n"
            "    reinterpret_cast<char4*>(c)[t] = w;\n",
            "    unsigned u = reinterpret_cast<const unsigned*>(a)[t];\n"
            "    unsigned v = reinterpret_cast<const unsigned*>(b)[t];\n"
            "    reinterpret_cast<unsigned*>(c)[t] = u - v;\n",
        ),
    ),
    # The rest is subtracted the other way round.
    Wrong(
        "hundredeighteen_sub8_rest_b_less_a",
        "hundredeighteen_sub8",
        "swapped / tail | numbers / function / alignment",
        ("c[i] = a[i] - b[i];", "c[i] = b[i] - a[i];"),
    ),
    # What is left are fewer than four, as if all addresses were round.
    Wrong(
        "hundredeighteen_sub8_rest_below_4",
        "hundredeighteen_sub8",
        "unwritten / left out / alignment | tail / grid",
        (
            "  for (int i = 4 * quads + t; i < n; i += threads) c[i] = a[i] - b[i];",
            "  for (int i = t; i < n % 4; i += threads)\n"
            "    c[4 * quads + i] = a[4 * quads + i] - b[4 * quads + i];",
        ),
    ),
    # ---- cast
    # The contract allows addresses at which no float2 may lie.
    Wrong(
        "hundredeighteen_cast_floats_anywhere",
        "hundredeighteen_cast",
        "alignment",
        ("// [n] 8-byte aligned", "// [n]"),
    ),
    # The stride counts numbers, the loop pairs.
    Wrong(
        "hundredeighteen_cast_stride_of_numbers",
        "hundredeighteen_cast",
        "left out / unwritten / grid | tail",
        ("int stride = gridDim.x * blockDim.x;", "int stride = 2 * gridDim.x * blockDim.x;"),
    ),
    # By hand, and an exponent of 0 is taken for 0.
    Wrong(
        "hundredeighteen_cast_by_hand",
        "hundredeighteen_cast",
        "subnormal | numbers / function / precision",
        (
            "__global__ void widen(",
            "__device__ float by_hand(half h)\n"
            "{\n"
            "    unsigned b = __half_as_ushort(h);\n"
            "    unsigned sign = (b & 0x8000u) << 16, e = b >> 10 & 31, m = b & 1023;\n"
            "    if (e == 0)\n"
            "        return __uint_as_float(sign);\n"
            "    e = e == 31 ? 255 : e + 112;\n"
            "    return __uint_as_float(sign | e << 23 | m << 13);\n"
            "}\n\n"
            "__global__ void widen(",
        ),
        (
            "__half22float2(pairs[k]);",
            "make_float2(by_hand(__low2half(pairs[k])), by_hand(__high2half(pairs[k])));",
        ),
        ("__half2float(src[n - 1])", "by_hand(src[n - 1])"),
    ),
    # The last of an odd count is looked for one too far.
    Wrong(
        "hundredeighteen_cast_last_at_n",
        "hundredeighteen_cast",
        "bounds / tail | unwritten / neighbour",
        ("dst[n - 1] = __half2float(src[n - 1]);", "dst[n] = __half2float(src[n]);"),
    ),
    # Few numbers get no block at all; more are taken by the loop.
    Wrong(
        "hundredeighteen_cast_no_block_for_few",
        "hundredeighteen_cast",
        "grid / unwritten / refused | tail / left out / numbers",
        ("(n / 2 + 128) / 128", "n / 2 / 128"),
    ),
    # ---- byte
    # Halves go up, not to the even one.
    Wrong(
        "hundredeighteen_byte_half_up",
        "hundredeighteen_byte",
        "rounding | numbers / function / precision",
        ("__float2int_rn(v)", "__float2int_rd(v + 0.5f)"),
    ),
    # The integer is kept in 16 bits before it is limited.
    Wrong(
        "hundredeighteen_byte_short_between",
        "hundredeighteen_byte",
        "whole range / narrow | numbers / infinity",
        ("int r = __float2int_rn(v);", "int r = (int16_t)__float2int_rn(v);"),
    ),
    # The limit is one too high, and becomes 0.
    Wrong(
        "hundredeighteen_byte_limit_256",
        "hundredeighteen_byte",
        "whole range | numbers / infinity / copy",
        ("max(r, 0), 255)", "max(r, 0), 256)"),
    ),
    # Blocks begin one width apart, though each takes four.
    Wrong(
        "hundredeighteen_byte_tiles_overlap",
        "hundredeighteen_byte",
        "unwritten / left out / grid | tail / block size / twice / other element",
        ("(PER_THREAD * blockDim.x) + threadIdx.x", "blockDim.x + threadIdx.x"),
    ),
    # Only the first of four is looked at.
    Wrong(
        "hundredeighteen_byte_first_tested",
        "hundredeighteen_byte",
        "bounds / tail",
        (
            "    for (int k = 0; k < PER_THREAD; ++k) {\n        if (i < n) q[i]",
            "    if (i >= n) return;\n    for (int k = 0; k < PER_THREAD; ++k) {\n        q[i]",
        ),
    ),
    # ---- tanh
    # The last of an odd count is taken on the default stream.
    Wrong(
        "hundredeighteen_tanh_one_no_stream",
        "hundredeighteen_tanh",
        "stream | tail",
        ("tanh_one<<<1, 1, 0, stream>>>", "tanh_one<<<1, 1>>>"),
    ),
    # A quotient of exponentials, which overflow.
    Wrong(
        "hundredeighteen_tanh_quotient",
        "hundredeighteen_tanh",
        "infinity / nan | numbers / function / precision",
        ("  return tanhf(v);", "  float e = expm1f(2.0f * v);\n  return e / (e + 2.0f);"),
    ),
    # Two terms of the series are too few.
    Wrong(
        "hundredeighteen_tanh_series_near_0",
        "hundredeighteen_tanh",
        "precision | numbers / function / rounding",
        (
            "  return tanhf(v);",
            "  return fabsf(v) < 0.1f ? v - v * v * v / 3.0f : tanhf(v);",
        ),
    ),
    # Pairs are tested against the count of numbers.
    Wrong(
        "hundredeighteen_tanh_n_for_pairs",
        "hundredeighteen_tanh",
        "bounds / tail",
        ("(float2 *)y, pairs);", "(float2 *)y, n);"),
    ),
    # The blocks of the first call are kept.
    Wrong(
        "hundredeighteen_tanh_blocks_kept",
        "hundredeighteen_tanh",
        "state | grid / unwritten / left out / tail / refused",
        ("  int blocks = (pairs", "  static int blocks = (pairs"),
    ),
    # ---- hswish
    # All is computed in halves.
    Wrong(
        "hundredeighteen_hswish_in_halves",
        "hundredeighteen_hswish",
        "infinity / precision / rounding | numbers",
        (
            "    float v = __half2float(value);\n"
            "    float gate = fminf(fmaxf(v + 3.0f, 0.0f), 6.0f);\n"
            "    return __float2half(v * gate * (1.0f / 6.0f));\n",
            "    half gate = __hadd(value, __float2half(3.0f));\n"
            "    gate = __hmin(__hmax(gate, __float2half(0.0f)), __float2half(6.0f));\n"
            "    return __hdiv(__hmul(value, gate), __float2half(6.0f));\n",
        ),
    ),
    # A sixth of two digits.
    Wrong(
        "hundredeighteen_hswish_two_digits",
        "hundredeighteen_hswish",
        "function / precision | numbers / infinity / rounding",
        ("(1.0f / 6.0f)", "0.17f"),
    ),
    # The gate has no upper limit.
    Wrong(
        "hundredeighteen_hswish_gate_open",
        "hundredeighteen_hswish",
        "function / left out / numbers | infinity",
        ("fminf(fmaxf(v + 3.0f, 0.0f), 6.0f)", "fmaxf(v + 3.0f, 0.0f)"),
    ),
    # Of a pack of eight, four are computed.
    Wrong(
        "hundredeighteen_hswish_four_of_eight",
        "hundredeighteen_hswish",
        "left out / copy | function / numbers / tail / other element / unwritten",
        ("for (int k = 0; k < 8; k++)", "for (int k = 0; k < 4; k++)"),
    ),
    # Threads are numbered as in blocks of 128.
    Wrong(
        "hundredeighteen_hswish_blocks_of_128",
        "hundredeighteen_hswish",
        "block size | unwritten / left out / tail / twice",
        ("(blockIdx.x * blockDim.x + threadIdx.x)", "(blockIdx.x * 128 + threadIdx.x)"),
    ),
    # ---- sumsq
    # Squares are floats.
    Wrong(
        "hundredeighteen_sumsq_float_squares",
        "hundredeighteen_sumsq",
        "precision / rounding | numbers / infinity",
        ("double v = x[i];", "float v = x[i];"),
    ),
    # Four of eight bytes are set to zero.
    Wrong(
        "hundredeighteen_sumsq_four_bytes_set",
        "hundredeighteen_sumsq",
        "zero before / state / unwritten | nan / numbers / start",
        ("cudaMemsetAsync(out, 0, sizeof(double)", "cudaMemsetAsync(out, 0, sizeof(float)"),
    ),
    # The tree ends one step early.
    Wrong(
        "hundredeighteen_sumsq_tree_ends_at_2",
        "hundredeighteen_sumsq",
        "left out | numbers / tail / function",
        ("d > 0; d /= 2", "d > 1; d /= 2"),
    ),
    # Each thread of a block adds what the block has.
    Wrong(
        "hundredeighteen_sumsq_all_threads_add",
        "hundredeighteen_sumsq",
        "twice / function | numbers / race",
        ("    if (t == 0)\n        atomicAdd", "    atomicAdd"),
    ),
    # The tree begins before all have stored.
    Wrong(
        "hundredeighteen_sumsq_tree_at_once",
        "hundredeighteen_sumsq",
        "race | unwritten / left out / numbers / state / nan / twice",
        ("    part[t] = s;\n    __syncthreads();\n", "    part[t] = s;\n"),
    ),
    # ---- maxint
    # Something that looked small enough to start from.
    Wrong(
        "hundredeighteen_maxint_from_minus_1e9",
        "hundredeighteen_maxint",
        "start | numbers / whole range / copy / infinity",
        (
            "    int m = INT32_MIN;\n    for (int i = blockIdx.x",
            "    int m = -1000000000;\n    for (int i = blockIdx.x",
        ),
    ),
    # The second kernel reads what no block has written.
    Wrong(
        "hundredeighteen_maxint_all_64_read",
        "hundredeighteen_maxint",
        "bounds / unwritten | state / start / numbers / other element / tail",
        ("(partial, out, blocks);", "(partial, out, BLOCKS);"),
    ),
    # The shuffles begin with a quarter of the warp.
    Wrong(
        "hundredeighteen_maxint_shuffles_from_8",
        "hundredeighteen_maxint",
        "left out | numbers / other element / tail",
        ("for (int d = 16; d >= 1;", "for (int d = 8; d >= 1;"),
    ),
    # One warp looks at what 64 blocks have found.
    Wrong(
        "hundredeighteen_maxint_one_warp_for_64",
        "hundredeighteen_maxint",
        "left out | grid / tail / numbers / other element / block size",
        ("largest_of_partial<<<1, BLOCKS, 0", "largest_of_partial<<<1, 32, 0"),
    ),
    # The memory of the first call is kept, whatever the blocks of later ones.
    Wrong(
        "hundredeighteen_maxint_memory_kept",
        "hundredeighteen_maxint",
        "state / bounds | narrow / left out / numbers / tail",
        (
            "    int *partial;\n    cudaMallocAsync(",
            "    static int *partial = nullptr;\n    if (!partial)\n        cudaMallocAsync(",
        ),
        ("    cudaFreeAsync(partial, stream);\n", ""),
    ),
    # ---- argmin
    # NaN is not smaller than anything.
    Wrong(
        "hundredeighteen_argmin_nan_lost",
        "hundredeighteen_argmin",
        "nan | numbers / other element / infinity / left out",
        (
            "  if (isnan(v) || isnan(w)) return isnan(v) && (!isnan(w) || i < j);\n",
            "",
        ),
    ),
    # The place is that in the whole matrix.
    Wrong(
        "hundredeighteen_argmin_of_whole_matrix",
        "hundredeighteen_argmin",
        "function / other element / numbers / bounds | sides / left out",
        ("where[row] = place[0];", "where[row] = (int64_t)row * cols + place[0];"),
    ),
    # Results of 32 bits are stored where there are 64.
    Wrong(
        "hundredeighteen_argmin_stored_as_int",
        "hundredeighteen_argmin",
        "unwritten / narrow / whole range / other element | left out / tail / numbers / sides",
        (
            "__global__ void row_argmin(const float* x, int64_t* where, int cols);",
            "__global__ void row_argmin(const float* x, int* where, int cols);",
        ),
        (
            "__global__ void row_argmin(const float* x, int64_t* where, int cols) {",
            "__global__ void row_argmin(const float* x, int* where, int cols) {",
        ),
        ("(x, where, cols);\n}", "(x, (int*)where, cols);\n}"),
    ),
    # Places have 16 bits in shared memory.
    Wrong(
        "hundredeighteen_argmin_places_of_16_bits",
        "hundredeighteen_argmin",
        "narrow / whole range | numbers / other element / sides / bounds",
        ("__shared__ int place[T];", "__shared__ short place[T];"),
    ),
    # There is a block for each column.
    Wrong(
        "hundredeighteen_argmin_block_a_column",
        "hundredeighteen_argmin",
        "grid / sides / bounds / unwritten | left out / tail",
        ("row_argmin<64><<<rows, 64", "row_argmin<64><<<cols, 64"),
    ),
    # ---- mean
    # Divided by the columns, rounded up to whole warps.
    Wrong(
        "hundredeighteen_mean_of_whole_warps",
        "hundredeighteen_mean",
        "function / sides / tail | numbers",
        ("s / cols)", "s / ((cols + 31) / 32 * 32))"),
    ),
    # One over an integer is an integer.
    Wrong(
        "hundredeighteen_mean_one_over_int",
        "hundredeighteen_mean",
        "function / copy / rounding | numbers / left out / sides / nan / infinity",
        ("s / cols)", "s * (1 / cols))"),
    ),
    # The sum is a half.
    Wrong(
        "hundredeighteen_mean_half_sum",
        "hundredeighteen_mean",
        "precision / rounding / infinity | numbers",
        ("float s = 0.0f;", "half s = __float2half(0.0f);"),
        ("s += __half2float(in[c]);", "s = __hadd(s, in[c]);"),
        (
            "s += __shfl_xor_sync(0xffffffffu, s, lanes);",
            "s = __hadd(s, __shfl_xor_sync(0xffffffffu, s, lanes));",
        ),
        ("__float2half(s / cols)", "__float2half(__half2float(s) / cols)"),
    ),
    # The mask names half of the warp.
    Wrong(
        "hundredeighteen_mean_mask_of_16",
        "hundredeighteen_mean",
        "race | left out / numbers / other element / twice",
        ("0xffffffffu", "0xffffu"),
    ),
    # The blocks of four rows are rounded down.
    Wrong(
        "hundredeighteen_mean_blocks_down",
        "hundredeighteen_mean",
        "grid / tail / unwritten | left out / refused / sides",
        ("<<<(rows + 3) / 4, block", "<<<rows / 4, block"),
    ),
    # ---- colsoft
    # The result is stored as its transpose.
    Wrong(
        "hundredeighteen_colsoft_stored_turned",
        "hundredeighteen_colsoft",
        "sides / other element / swapped | numbers / function",
        ("out[(size_t)r * cols + c]", "out[(size_t)c * rows + r]"),
    ),
    # Powers of two.
    Wrong(
        "hundredeighteen_colsoft_powers_of_2",
        "hundredeighteen_colsoft",
        "function | numbers / precision / subnormal",
        (
            "float e = expf(in[(size_t)r * cols + c] - m);\n      s +=",
            "float e = exp2f(in[(size_t)r * cols + c] - m);\n      s +=",
        ),
        (
            "float e = expf(in[(size_t)r * cols + c] - m);\n      out",
            "float e = exp2f(in[(size_t)r * cols + c] - m);\n      out",
        ),
    ),
    # The first of eight parts of a sum is passed over.
    Wrong(
        "hundredeighteen_colsoft_part_0_lost",
        "hundredeighteen_colsoft",
        "left out | numbers / infinity / nan / function / sides",
        ("for (int k = 0; k < RY; ++k) total", "for (int k = 1; k < RY; ++k) total"),
    ),
    # One exponential is divided by another.
    Wrong(
        "hundredeighteen_colsoft_quotient",
        "hundredeighteen_colsoft",
        "infinity / nan | numbers / subnormal / precision",
        (
            "float e = expf(in[(size_t)r * cols + c] - m);\n      s +=",
            "float e = expf(in[(size_t)r * cols + c]) / expf(m);\n      s +=",
        ),
        (
            "float e = expf(in[(size_t)r * cols + c] - m);\n      out",
            "float e = expf(in[(size_t)r * cols + c]) / expf(m);\n      out",
        ),
    ),
    # The exponentials are kept in the input.
    Wrong(
        "hundredeighteen_colsoft_kept_in_input",
        "hundredeighteen_colsoft",
        "input | state",
        ("softmax_dim0(const float* in, float* out,", "softmax_dim0(float* in, float* out,"),
        ("      s += e;\n", "      in[(size_t)r * cols + c] = e;\n      s += e;\n"),
        (
            "float e = expf(in[(size_t)r * cols + c] - m);\n      out",
            "float e = in[(size_t)r * cols + c];\n      out",
        ),
        ("stream>>>(in, out,", "stream>>>(const_cast<float*>(in), out,"),
    ),
    # ---- unit
    # The larger of NaN and eps is eps.
    Wrong(
        "hundredeighteen_unit_nan_shorter",
        "hundredeighteen_unit",
        "nan | numbers / left out",
        ("length = l < eps ? eps : l;", "length = fmaxf(l, eps);"),
    ),
    # No root is taken.
    Wrong(
        "hundredeighteen_unit_no_root",
        "hundredeighteen_unit",
        "function | numbers / precision / infinity",
        (
            "sqrtf(part[0] + part[1] + part[2] + part[3])",
            "part[0] + part[1] + part[2] + part[3]",
        ),
    ),
    # The rows are in the second direction of the grid.
    Wrong(
        "hundredeighteen_unit_rows_in_grid_y",
        "hundredeighteen_unit",
        "grid / refused | unwritten / narrow",
        ("row = blockIdx.x;", "row = blockIdx.y;"),
        ("unit_rows<<<rows, 128", "unit_rows<<<dim3(1, rows), 128"),
    ),
    # Others read the length before it is there.
    Wrong(
        "hundredeighteen_unit_length_at_once",
        "hundredeighteen_unit",
        "race | unwritten / numbers / nan / infinity / state / other element",
        ("    }\n    __syncthreads();\n    const float f", "    }\n    const float f"),
    ),
    # Rows that no pack ends are taken in packs.
    Wrong(
        "hundredeighteen_unit_odd_rows_in_packs",
        "hundredeighteen_unit",
        "alignment / tail / left out | unwritten / sides / numbers",
        ("packs = round && cols % 4 == 0;", "packs = round;"),
    ),
    # ---- turn
    # A tile is filled while others still read it.
    Wrong(
        "hundredeighteen_turn_no_last_barrier",
        "hundredeighteen_turn",
        "race | numbers / other element / sides / twice",
        (
            "                }\n                __syncthreads();\n        }\n}",
            "                }\n        }\n}",
        ),
    ),
    # Tiles are numbered by those of the other side.
    Wrong(
        "hundredeighteen_turn_tiles_by_down",
        "hundredeighteen_turn",
        "sides / unwritten / left out / swapped | bounds / other element / grid / tail / twice",
        ("r0 = t / across * TILE", "r0 = t / down * TILE"),
        ("c0 = t % across * TILE", "c0 = t % down * TILE"),
    ),
    # The place has 16 bits.
    Wrong(
        "hundredeighteen_turn_place_of_16_bits",
        "hundredeighteen_turn",
        "narrow / whole range / other element | numbers / bounds / sides",
        ("int from = (r0 + k)", "uint16_t from = (r0 + k)"),
    ),
    # Eight rows of a tile are stored.
    Wrong(
        "hundredeighteen_turn_8_of_32_stored",
        "hundredeighteen_turn",
        "unwritten / left out | sides / tail / block size / grid",
        (
            "k < TILE; k += blockDim.y) {\n                        int to",
            "k < 8; k += blockDim.y) {\n                        int to",
        ),
    ),
    # The tile holds bytes.
    Wrong(
        "hundredeighteen_turn_tile_of_bytes",
        "hundredeighteen_turn",
        "whole range / narrow | numbers / precision",
        ("__shared__ int16_t tile", "__shared__ int8_t tile"),
    ),
    # ---- outer
    # Each vector has the index of the other.
    Wrong(
        "hundredeighteen_outer_v_by_u",
        "hundredeighteen_outer",
        "swapped / sides / bounds / other element | numbers",
        ("alpha * v[j];", "alpha * u[j];"),
        ("u[i] * right", "v[i] * right"),
    ),
    # What C holds is added to, not A.
    Wrong(
        "hundredeighteen_outer_added_to_c",
        "hundredeighteen_outer",
        "zero before / left out / state / unwritten | nan / numbers / start / race",
        ("C[at] = A[at] + u[i] * right;", "C[at] += u[i] * right;"),
    ),
    # The kernel takes the factor as an integer.
    Wrong(
        "hundredeighteen_outer_whole_alpha",
        "hundredeighteen_outer",
        "function / rounding / precision / numbers | whole range / left out / copy",
        (
            "                          float alpha, int m",
            "                          int alpha, int m",
        ),
    ),
    # There is a row more than there is.
    Wrong(
        "hundredeighteen_outer_row_m_too",
        "hundredeighteen_outer",
        "bounds | tail / sides / race",
        ("i < m; i += gridDim.y", "i <= m; i += gridDim.y"),
    ),
    # Each block begins with the start of v.
    Wrong(
        "hundredeighteen_outer_v_of_thread",
        "hundredeighteen_outer",
        "other element / neighbour | numbers / grid / left out / sides / block size",
        ("alpha * v[j];", "alpha * v[threadIdx.x];"),
    ),
    # ---- bmm
    # Matrices of A lie as far apart as those of C.
    Wrong(
        "hundredeighteen_bmm_a_apart_as_c",
        "hundredeighteen_bmm",
        "sides / bounds / other element | numbers",
        ("A + (size_t)z * m * k", "A + (size_t)z * m * n"),
    ),
    # The sum goes on from one matrix to the next.
    Wrong(
        "hundredeighteen_bmm_sum_goes_on",
        "hundredeighteen_bmm",
        "start / zero before / other element / twice | numbers / state / left out / nan / grid",
        ("    float acc = 0.0f;\n", ""),
        ("  for (int z = blockIdx.z;", "  float acc = 0.0f;\n  for (int z = blockIdx.z;"),
    ),
    # All are multiplied by the first of B.
    Wrong(
        "hundredeighteen_bmm_first_b_for_all",
        "hundredeighteen_bmm",
        "other element / left out | numbers / sides / function / twice",
        ("B + (size_t)z * k * n", "B"),
    ),
    # Zeros are passed over, whatever they meet.
    Wrong(
        "hundredeighteen_bmm_zeros_skipped",
        "hundredeighteen_bmm",
        "nan / infinity | numbers / left out",
        (
            "++p) acc += a[row * k + p] *",
            "++p)\n      if (a[row * k + p] != 0.0f) acc += a[row * k + p] *",
        ),
    ),
    # The launch names the default stream.
    Wrong(
        "hundredeighteen_bmm_stream_0",
        "hundredeighteen_bmm",
        "stream",
        ("dim3(8, 8), 0, stream>>>", "dim3(8, 8), 0, 0>>>"),
    ),
)

RIGHT = (
    # Four differences in one int, with the borrows kept apart.
    Right(
        "hundredeighteen_sub8_no_borrow",
        "hundredeighteen_sub8",
        (
            "    char4 u = reinterpret_cast<const char4*>(a)[t];\n"
            "    char4 v = reinterpret_cast<const char4*>(b)[t];\n"
            "    char4 w;\n"
            "    w.x = u.x - v.x;\n"
            "    w.y = u.y - v.y;\n"
            "    w.z = u.z - v.z;\n"
            "    w.w = u.w - v.w;\n"
            "    reinterpret_cast<char4*>(c)[t] = w;\n",
            "    unsigned u = reinterpret_cast<const unsigned*>(a)[t];\n"
            "    unsigned v = reinterpret_cast<const unsigned*>(b)[t];\n"
            "    const unsigned top = 0x80808080u;\n"
            "    unsigned w = ((u | top) - (v & ~top)) ^ ((u ^ ~v) & top);\n"
            "    reinterpret_cast<unsigned*>(c)[t] = w;\n",
        ),
    ),
    # By hand, with all exponents.
    Right(
        "hundredeighteen_cast_by_a_product",
        "hundredeighteen_cast",
        (
            "__global__ void widen(",
            "__device__ float by_hand(half h)\n"
            "{\n"
            "    unsigned b = __half_as_ushort(h), m = b & 0x7fffu;\n"
            "    float f = __uint_as_float(m << 13) * 0x1p112f;\n"
            "    if (m >= 0x7c00u)\n"
            "        f = __uint_as_float(0x7f800000u | m << 13);\n"
            "    return b & 0x8000u ? -f : f;\n"
            "}\n\n"
            "__global__ void widen(",
        ),
        (
            "__half22float2(pairs[k]);",
            "make_float2(by_hand(__low2half(pairs[k])), by_hand(__high2half(pairs[k])));",
        ),
        ("__half2float(src[n - 1])", "by_hand(src[n - 1])"),
    ),
    # Limited before it is rounded.
    Right(
        "hundredeighteen_byte_limits_first",
        "hundredeighteen_byte",
        (
            "    int r = __float2int_rn(v);\n    return (uint8_t)min(max(r, 0), 255);",
            "    return (uint8_t)__float2uint_rn(fminf(fmaxf(v, 0.0f), 255.0f));",
        ),
    ),
    # The curve on one side, and the sign.
    Right(
        "hundredeighteen_tanh_sign_apart",
        "hundredeighteen_tanh",
        ("return tanhf(v);", "return copysignf(tanhf(fabsf(v)), v);"),
    ),
    # A gate from 0 to 1.
    Right(
        "hundredeighteen_hswish_saturated",
        "hundredeighteen_hswish",
        (
            "    float gate = fminf(fmaxf(v + 3.0f, 0.0f), 6.0f);\n"
            "    return __float2half(v * gate * (1.0f / 6.0f));\n",
            "    return __float2half(v * __saturatef((v + 3.0f) / 6.0f));\n",
        ),
    ),
    # The tree begins with neighbours.
    Right(
        "hundredeighteen_sumsq_neighbours_first",
        "hundredeighteen_sumsq",
        ("for (int d = T / 2; d > 0; d /= 2)", "for (int d = 1; d < T; d *= 2)"),
        ("if (t < d)", "if (t % (2 * d) == 0)"),
    ),
    # Three warps.
    Right(
        "hundredeighteen_maxint_96_blocks",
        "hundredeighteen_maxint",
        ("#define BLOCKS 64", "#define BLOCKS 96"),
    ),
    # Each thread takes a part of the row.
    Right(
        "hundredeighteen_argmin_parts",
        "hundredeighteen_argmin",
        (
            "  for (int j = t; j < cols; j += T) {",
            "  int each = (cols + T - 1) / T;\n"
            "  for (int j = t * each; j < min(cols, (t + 1) * each); ++j) {",
        ),
    ),
    # Sixteen rows a block.
    Right(
        "hundredeighteen_mean_sixteen_rows",
        "hundredeighteen_mean",
        ("block(32, 4)", "block(32, 16)"),
        ("(rows + 3) / 4", "(rows + 15) / 16"),
    ),
    # Wide blocks, with two threads a column.
    Right(
        "hundredeighteen_colsoft_wide",
        "hundredeighteen_colsoft",
        ("#define CX 32", "#define CX 128"),
        ("#define RY 8", "#define RY 2"),
    ),
    # Divided by the length.
    Right(
        "hundredeighteen_unit_divided",
        "hundredeighteen_unit",
        ("const float f = 1.0f / length;", "const float f = length;"),
        (
            "make_float4(v.x * f, v.y * f, v.z * f, v.w * f);",
            "make_float4(v.x / f, v.y / f, v.z / f, v.w / f);",
        ),
        ("out[j] = in[j] * f;", "out[j] = in[j] / f;"),
    ),
    # One block takes all tiles.
    Right(
        "hundredeighteen_turn_one_block",
        "hundredeighteen_turn",
        ("#define MOST 24", "#define MOST 1"),
    ),
    # From the last row up.
    Right(
        "hundredeighteen_outer_upwards",
        "hundredeighteen_outer",
        (
            "for (int i = blockIdx.y; i < m; i += gridDim.y)",
            "for (int i = m - 1 - (int)blockIdx.y; i >= 0; i -= (int)gridDim.y)",
        ),
    ),
    # Two sums, of even and of odd places.
    Right(
        "hundredeighteen_bmm_two_sums",
        "hundredeighteen_bmm",
        (
            "    float acc = 0.0f;\n"
            "    for (int p = 0; p < k; ++p) acc += a[row * k + p] * b[p * n + col];\n",
            "    float acc = 0.0f, odd = 0.0f;\n"
            "    for (int p = 0; p < k; p += 2) {\n"
            "      acc = fmaf(a[row * k + p], b[p * n + col], acc);\n"
            "      if (p + 1 < k) odd = fmaf(a[row * k + p + 1], b[(p + 1) * n + col], odd);\n"
            "    }\n"
            "    acc += odd;\n",
        ),
    ),
)
