"""Hold a seventy-third family: the plain operators of a course, and mistakes in them.

Its bases are add of bfloat16 two at a time with its rest, a cast of halves to signed bytes that
saturates, gelu by erf, swish with float4, hard tanh, the sum of an array in chunks of a warp
each and a second launch, the largest absolute value of rows, a count of positive numbers, a
transpose of halves by a tile, a product by tiles of 32 x 32 in which a thread has four rows, a
matrix times a vector with a block a row, softmax with a warp a row, softmax with a mask of
bytes, and layer norm with a block a row in two passes. They have 17 to 44 lines, in several
hands. Six take the cases that learners use: the `add` and a reference of `elementwise_cases`,
and `sums`, `matmul`, `softmax` and `layer_norm` of `kernel_cases`; the others have cases of
their own. There are 70 wrong members and 14 right ones. Their mistakes are spread over
alignment, sizes, grids, block sizes, values, rounding, saturation, NaN, infinity, start values,
sums, pitches, order, streams, inputs that are written and what is left of an earlier call. The
causes were written before a member was judged. On the emulator each ran beside its expected
results, compared as a case does, called twice on the same tensors, with NaN and with 1e3 in
floating outputs (-1, 7 and 77 in others), with tensors at either end of their pages, the bytes
behind them and their inputs looked at afterwards, on a stream that is not the default one, with
threads in order, from the last to the first and in a random order, and in the slices that the
cases name; beyond 5,000 numbers in fewer of these rounds. Bases and right ones ran all cases,
the huge ones for a second only, in which the sums did not come to their result; wrong ones
until they were wrong often enough. nvcc 13.0 compiles each for 8.0; none was run on a GPU.
Bases and right ones are right, and all others wrong or refused by a fault, but for
seventythree_count_no_atomic, which is wrong by reasoning only: no order of threads that was
tried parts its load from its store:

    seventythree_pair_no_thread_for_rest        of odd counts whose pairs fill their blocks
    seventythree_pair_b_anywhere                from 2 numbers on, by the address of b
    seventythree_pair_cut_off                   of sums that need more bits, in pairs
    seventythree_pair_rest_of_a_twice           of odd counts
    seventythree_pair_rounded_up                of odd counts
    seventythree_bytes_wrap                     beyond the range
    seventythree_bytes_cut_off                  of numbers that are not whole
    seventythree_bytes_from_0                   of numbers below 0
    seventythree_bytes_no_loop                  from 513 numbers on at 32
    seventythree_bytes_no_stream                on another stream than the default one
    seventythree_gelu_times_root                of nearly all
    seventythree_gelu_by_tanh                   of usual numbers, in the fourth digit
    seventythree_gelu_grid_of_256               from 65 numbers on at 64
    seventythree_gelu_at_most                   unless the block size divides n
    seventythree_gelu_scaled_in_x               of nearly all: x is overwritten
    seventythree_swish_x_alone_tested           from 4 numbers on, by the address of y
    seventythree_swish_threads_of_packs         from 33 numbers on at 32, without packs
    seventythree_swish_exp_overflows            from 89 on
    seventythree_swish_third_again              from 4 numbers on, in packs
    seventythree_swish_no_sign                  of nearly all
    seventythree_clip_nan_lost                  of NaN
    seventythree_clip_by_magnitudes             of small numbers, -0.0 and infinity
    seventythree_clip_without_last              of all counts
    seventythree_clip_sign_forgotten            below -1
    seventythree_clip_always_256                of other block sizes, from a second block on
    seventythree_chunks_rounded_down            unless 128 divides n
    seventythree_chunks_first_32_parts          from 33 numbers on
    seventythree_chunks_parts_no_stream         on another stream than the default one
    seventythree_chunks_half_the_blocks         from 65 numbers on
    seventythree_chunks_parts_grow              from a second call on
    seventythree_absmax_nan_lost                of NaN
    seventythree_absmax_with_sign               if the largest is below 0
    seventythree_absmax_no_barrier              where threads do not wait for another
    seventythree_absmax_two_left                if the largest is in an odd column
    seventythree_absmax_blocks_of_columns       unless both sides are alike
    seventythree_count_not_set                  unless the result was 0
    seventythree_count_no_atomic                where threads meet at the counter
    seventythree_count_zeros                    of zeros
    seventythree_count_no_first_barrier         where threads do not wait for another
    seventythree_count_zero_no_stream           on another stream than the default one
    seventythree_turn_tile_not_turned           of nearly all
    seventythree_turn_pitch_of_input            unless both sides are alike
    seventythree_turn_no_barrier                where threads do not wait for another
    seventythree_turn_test_swapped              unless both sides are alike, or 32 divides them
    seventythree_turn_half_a_block              from 5 rows or columns on
    seventythree_product_whole_tiles            unless 32 divides k
    seventythree_product_rows_4_apart           from 5 rows on
    seventythree_product_pitch_of_a             unless n and k are alike
    seventythree_product_b_not_tested           unless 32 divides k
    seventythree_product_added_to_c             unless C was 0
    seventythree_matvec_four_warps              at other block sizes than 128
    seventythree_matvec_four_steps              from 2 columns on
    seventythree_matvec_vector_by_thread        from a column behind the block on
    seventythree_matvec_integer_sum             of fractions, infinity and NaN
    seventythree_matvec_last_warp_left_out      if the last warp has numbers, from 33 on at 64
    seventythree_soft_no_maximum                of numbers above 88, and far below 0
    seventythree_soft_starts_at_0               of rows that are far below 0
    seventythree_soft_sum_goes_down             from 2 columns on
    seventythree_soft_row_too_many              unless 4 divides the rows
    seventythree_soft_row_of_block              from 2 rows on
    seventythree_masked_one_alone_hides         of marks other than 0 and 1
    seventythree_masked_maximum_of_hidden       of rows with nothing hidden, and of large ones
    seventythree_masked_zero_by_zero            of rows of which all is hidden
    seventythree_masked_first_mask              from 2 rows on, if masks differ
    seventythree_masked_hidden_in_sum           of rows with something hidden
    seventythree_norm_less_one                  of nearly all
    seventythree_norm_large_eps                 of nearly all, most of small numbers
    seventythree_norm_squares_less_square       of rows with a mean far from 0
    seventythree_norm_three_warps               from 97 columns on
    seventythree_norm_limit_of_blocks           from 65,536 rows on
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import whole

# Add bfloat16 two at a time; the thread behind the pairs takes an odd one.
PAIR = (
    HEADER
    + """\
typedef __nv_bfloat16 bf;
typedef __nv_bfloat162 bf2;

__global__ void addPairs(const bf* a, const bf* b, bf* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int pairs = n / 2;
  if (i < pairs) {
    bf2 u = ((const bf2*)a)[i];
    bf2 v = ((const bf2*)b)[i];
    ((bf2*)out)[i] = __hadd2(u, v);
  }
  if (i == pairs && n % 2 == 1) out[n - 1] = __hadd(a[n - 1], b[n - 1]);
}

extern "C" void launch(const __nv_bfloat16* a,  // [n] 4-byte aligned
                       const __nv_bfloat16* b,  // [n] 4-byte aligned
                       __nv_bfloat16* out,      // [n] 4-byte aligned
                       int n, int block_size = 256, cudaStream_t stream = 0) {
  int threads = n / 2 + 1;
  int blocks = (threads + block_size - 1) / block_size;
  addPairs<<<blocks, block_size, 0, stream>>>(a, b, out, n);
}
"""
)

# Cast halves to signed bytes: to the nearest, saturated, NaN to 0, in a loop over the grid.
BYTES = (
    HEADER
    + """\
#define MAX_BLOCKS 16

__global__ void to_bytes(const half *in, int8_t *out, int n)
{
    int step = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        float v = __half2float(in[i]);
        int q = isnan(v) ? 0 : __float2int_rn(v);
        if (q > 127)
            q = 127;
        if (q < -128)
            q = -128;
        out[i] = (int8_t)q;
    }
}

extern "C" void launch(const half *in,  // [n]
                       int8_t *out,     // [n]
                       int n, int block_size = 128, cudaStream_t stream = 0)
{
    int blocks = (n + block_size - 1) / block_size;
    if (blocks > MAX_BLOCKS)
        blocks = MAX_BLOCKS;
    to_bytes<<<blocks, block_size, 0, stream>>>(in, out, n);
}
"""
)

# Gelu by erf, one number a thread.
GELU = (
    HEADER
    + """\
__global__ void gelu_kernel(const float* x, float* y, int n)
{
   int idx = blockIdx.x * blockDim.x + threadIdx.x;
   if (idx < n) {
      float v = x[idx];
      float phi = 1.0f + erff(v * 0.70710678f);
      y[idx] = 0.5f * v * phi;
   }
}

extern "C" void launch(const float* x,  // [n]
                       float* y,        // [n]
                       int n, int block_size = 256, cudaStream_t stream = 0)
{
   int grid = (n + block_size - 1) / block_size;
   gelu_kernel<<<grid, block_size, 0, stream>>>(x, y, n);
}
"""
)

# Swish with float4 where both addresses allow it, and a thread for each that is left.
SWISH = (
    HEADER
    + """\
__device__ __forceinline__ float swish(float v) { return v / (1.0f + expf(-v)); }

__global__ void swish_kernel(const float* x, float* y, int packs, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < packs) {
        float4 u = reinterpret_cast<const float4*>(x)[t];
        float4 r = make_float4(swish(u.x), swish(u.y), swish(u.z), swish(u.w));
        reinterpret_cast<float4*>(y)[t] = r;
    } else {
        int i = 4 * packs + (t - packs);
        if (i < n) y[i] = swish(x[i]);
    }
}

extern "C" void launch(const float* x,  // [n]
                       float* y,        // [n]
                       int n, int block_size = 128, cudaStream_t stream = 0) {
    if (n == 0) return;
    uintptr_t px = reinterpret_cast<uintptr_t>(x);
    uintptr_t py = reinterpret_cast<uintptr_t>(y);
    int packs = px % 16 == 0 && py % 16 == 0 ? n / 4 : 0;
    int threads = packs + (n - 4 * packs);
    swish_kernel<<<(threads + block_size - 1) / block_size, block_size, 0, stream>>>(x, y,
                                                                                     packs, n);
}
"""
)

# Hard tanh in a loop over the grid.
CLIP = (
    HEADER
    + """\
__device__ float clip(float v) {
  if (v > 1.0f) return 1.0f;
  if (v < -1.0f) return -1.0f;
  return v;
}

__global__ void hardTanh(const float* src, float* dst, int n) {
  int first = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = first; i < n; i += blockDim.x * gridDim.x) {
    dst[i] = clip(src[i]);
  }
}

extern "C" void launch(const float* src,  // [n]
                       float* dst,        // [n]
                       int n, int block_size = 256, cudaStream_t stream = 0) {
  int blocks = n / block_size + 1;
  if (blocks > 512) blocks = 512;
  hardTanh<<<blocks, block_size, 0, stream>>>(src, dst, n);
}
"""
)

# The sum of an array: a warp a chunk, and a second launch for the sums of the chunks.
CHUNKS = (
    HEADER
    + """\
#define CHUNKS 128

__device__ float part[CHUNKS];

__device__ float warpSum(float v)
{
    for (int offset = 16; offset > 0; offset >>= 1)
        v += __shfl_down_sync(0xffffffffu, v, offset);
    return v;
}

__global__ void sumChunks(const float *x, int64_t n, int64_t chunk)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    int64_t begin = warp * chunk;
    int64_t end = begin + chunk < n ? begin + chunk : n;
    float sum = 0.0f;
    for (int64_t i = begin + lane; i < end; i += 32)
        sum += x[i];
    sum = warpSum(sum);
    if (lane == 0)
        part[warp] = sum;
}

__global__ void sumParts(float *out)
{
    float sum = 0.0f;
    for (int i = threadIdx.x; i < CHUNKS; i += 32)
        sum += part[i];
    sum = warpSum(sum);
    if (threadIdx.x == 0)
        out[0] = sum;
}

extern "C" void launch(const float *x,  // [n]
                       float *out,      // [1]
                       int64_t n, cudaStream_t stream = 0)
{
    int64_t chunk = (n + CHUNKS - 1) / CHUNKS;
    sumChunks<<<CHUNKS / 8, 256, 0, stream>>>(x, n, chunk);
    sumParts<<<1, 32, 0, stream>>>(out);
}
"""
)

# The largest absolute value of each row, a block a row; NaN stays.
ABSMAX = (
    HEADER
    + """\
constexpr int kThreads = 128;

__device__ float larger(float a, float b) { return a > b || a != a ? a : b; }

__global__ void absmax_rows(const float* x, float* out, int cols) {
    __shared__ float best[kThreads];
    const float* row = x + static_cast<size_t>(blockIdx.x) * cols;
    const int tid = threadIdx.x;
    float most = 0.0f;
    for (int c = tid; c < cols; c += kThreads) most = larger(fabsf(row[c]), most);
    best[tid] = most;
    __syncthreads();
    for (int half_of = kThreads / 2; half_of > 0; half_of /= 2) {
        if (tid < half_of) best[tid] = larger(best[tid], best[tid + half_of]);
        __syncthreads();
    }
    if (tid == 0) out[blockIdx.x] = best[0];
}

extern "C" void launch(const float* x,  // [rows, cols]
                       float* out,      // [rows]
                       int rows, int cols, cudaStream_t stream = 0) {
    absmax_rows<<<rows, kThreads, 0, stream>>>(x, out, cols);
}
"""
)

# How many numbers are positive: counted by each block, then added to the result.
COUNT = (
    HEADER
    + """\
__global__ void setZero(int* out) { out[0] = 0; }

__global__ void countPositive(const float* x, int* out, int n)
{
  __shared__ int found;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0)
    found = 0;
  __syncthreads();
  if (i < n && x[i] > 0.0f)
    atomicAdd(&found, 1);
  __syncthreads();
  if (threadIdx.x == 0)
    atomicAdd(out, found);
}

extern "C" void launch(const float* x,  // [n]
                       int* out,        // [1]
                       int n, int block_size = 128, cudaStream_t stream = 0)
{
  setZero<<<1, 1, 0, stream>>>(out);
  countPositive<<<(n + block_size - 1) / block_size, block_size, 0, stream>>>(x, out, n);
}
"""
)

# The transpose of halves by a tile of 32, of which a thread moves four numbers.
TURN = (
    HEADER
    + """\
#define TILE 32
#define STEP 8

__global__ void transpose(const half *in, half *out, int rows, int cols)
{
    __shared__ half tile[TILE][TILE + 2];
    int r0 = blockIdx.y * TILE, c0 = blockIdx.x * TILE;
    int tx = threadIdx.x;

    for (int k = threadIdx.y; k < TILE; k += STEP)
        if (r0 + k < rows && c0 + tx < cols)
            tile[k][tx] = in[(size_t)(r0 + k) * cols + c0 + tx];
    __syncthreads();

    for (int k = threadIdx.y; k < TILE; k += STEP)
        if (c0 + k < cols && r0 + tx < rows)
            out[(size_t)(c0 + k) * rows + r0 + tx] = tile[tx][k];
}

extern "C" void launch(const half *in,  // [rows, cols]
                       half *out,       // [cols, rows]
                       int rows, int cols, cudaStream_t stream = 0)
{
    dim3 block(TILE, STEP);
    dim3 grid((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
    transpose<<<grid, block, 0, stream>>>(in, out, rows, cols);
}
"""
)

# The product of matrices by tiles of 32 x 32, four rows a thread.
PRODUCT = (
    HEADER
    + """\
const int S = 32;
const int QUARTER = 8;

__global__ void matmul(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float As[S][S];
  __shared__ float Bs[S][S];
  int across = (n + S - 1) / S;
  int row0 = blockIdx.x / across * S;
  int col = blockIdx.x % across * S + threadIdx.x;
  int x = threadIdx.x;
  float acc[4] = {0.0f, 0.0f, 0.0f, 0.0f};
  for (int k0 = 0; k0 < k; k0 += S) {
    for (int y = threadIdx.y; y < S; y += QUARTER) {
      bool aIn = row0 + y < m && k0 + x < k;
      bool bIn = k0 + y < k && col < n;
      As[y][x] = aIn ? A[(size_t)(row0 + y) * k + k0 + x] : 0.0f;
      Bs[y][x] = bIn ? B[(size_t)(k0 + y) * n + col] : 0.0f;
    }
    __syncthreads();
    for (int i = 0; i < S; i++) {
      float b = Bs[i][x];
      for (int j = 0; j < 4; j++) acc[j] += As[threadIdx.y + j * QUARTER][i] * b;
    }
    __syncthreads();
  }
  for (int j = 0; j < 4; j++) {
    int row = row0 + threadIdx.y + j * QUARTER;
    if (row < m && col < n) C[(size_t)row * n + col] = acc[j];
  }
}

extern "C" void launch(const float* A,  // [m, k]
                       const float* B,  // [k, n]
                       float* C,        // [m, n]
                       int m, int n, int k, cudaStream_t stream = 0) {
  int down = (m + S - 1) / S;
  int across = (n + S - 1) / S;
  matmul<<<down * across, dim3(S, QUARTER), 0, stream>>>(A, B, C, m, n, k);
}
"""
)

# A matrix times a vector, a block a row, its warps joined by the first thread.
MATVEC = (
    HEADER
    + """\
__global__ void matvec(const float *mat, const float *vec, float *res, int n)
{
    __shared__ float of_warp[32];
    const float *row = mat + (size_t)blockIdx.x * n;
    int t = threadIdx.x;
    int warps = blockDim.x / 32;

    float dot = 0.0f;
    for (int j = t; j < n; j += blockDim.x)
        dot += row[j] * vec[j];
    for (int d = 16; d >= 1; d /= 2)
        dot += __shfl_down_sync(0xffffffff, dot, d);
    if (t % 32 == 0)
        of_warp[t / 32] = dot;
    __syncthreads();
    if (t == 0) {
        float total = 0.0f;
        for (int w = 0; w < warps; w++)
            total += of_warp[w];
        res[blockIdx.x] = total;
    }
}

/* block_size: a multiple of 32 */
extern "C" void launch(const float *mat,  // [m, n]
                       const float *vec,  // [n]
                       float *res,        // [m]
                       int m, int n, int block_size = 128, cudaStream_t stream = 0)
{
    matvec<<<m, block_size, 0, stream>>>(mat, vec, res, n);
}
"""
)

# Softmax, a warp a row.
SOFT = (
    HEADER
    + """\
constexpr int kRows = 4;  // of a block

__global__ void softmax_warp(const float* x, float* out, int rows, int cols) {
    int row = blockIdx.x * kRows + threadIdx.y;
    if (row >= rows) return;
    const float* in_row = x + (int64_t)row * cols;
    float* out_row = out + (int64_t)row * cols;
    float top = -INFINITY;
    for (int c = threadIdx.x; c < cols; c += 32) top = fmaxf(top, in_row[c]);
    for (int lanes = 16; lanes > 0; lanes >>= 1)
        top = fmaxf(top, __shfl_xor_sync(0xffffffff, top, lanes));
    float sum = 0.0f;
    for (int c = threadIdx.x; c < cols; c += 32) sum += expf(in_row[c] - top);
    for (int lanes = 16; lanes > 0; lanes >>= 1)
        sum += __shfl_xor_sync(0xffffffff, sum, lanes);
    for (int c = threadIdx.x; c < cols; c += 32) out_row[c] = expf(in_row[c] - top) / sum;
}

extern "C" void launch(const float* x,  // [rows, cols]
                       float* out,      // [rows, cols]
                       int rows, int cols, cudaStream_t stream = 0) {
    int blocks = (rows + kRows - 1) / kRows;
    softmax_warp<<<blocks, dim3(32, kRows), 0, stream>>>(x, out, rows, cols);
}
"""
)

# Softmax of what a mask of bytes does not hide, a block a row; all hidden: zeros.
MASKED = (
    HEADER
    + """\
#define T 64

__device__ float reduce(float v, float* s, bool largest) {
  int t = threadIdx.x;
  s[t] = v;
  __syncthreads();
  for (int d = T / 2; d > 0; d /= 2) {
    if (t < d) s[t] = largest ? fmaxf(s[t], s[t + d]) : s[t] + s[t + d];
    __syncthreads();
  }
  float r = s[0];
  __syncthreads();
  return r;
}

__global__ void masked_softmax(const float* x, const uint8_t* hide, float* y, int cols) {
  __shared__ float s[T];
  size_t at = (size_t)blockIdx.x * cols;
  float m = -INFINITY, sum = 0.0f;
  for (int c = threadIdx.x; c < cols; c += T) {
    if (hide[at + c] != 0) continue;
    m = fmaxf(m, x[at + c]);
  }
  m = reduce(m, s, true);
  for (int c = threadIdx.x; c < cols; c += T)
    if (!hide[at + c]) sum += expf(x[at + c] - m);
  sum = reduce(sum, s, false);
  if (sum == 0.0f) sum = 1.0f;  // all are hidden
  for (int c = threadIdx.x; c < cols; c += T) {
    float e = hide[at + c] > 0 ? 0.0f : expf(x[at + c] - m);
    y[at + c] = e / sum;
  }
}

extern "C" void launch(const float* x,       // [rows, cols]
                       const uint8_t* hide,  // [rows, cols]
                       float* y,             // [rows, cols]
                       int rows, int cols, cudaStream_t stream = 0) {
  masked_softmax<<<rows, T, 0, stream>>>(x, hide, y, cols);
}
"""
)

# Layer norm without gains, a block a row, the mean first and then the squares.
NORM = (
    HEADER
    + """\
#define BLOCK 128
#define EPS 1e-5f

__device__ float blockSum(float v)
{
    __shared__ float warpSums[BLOCK / 32];
    for (int d = 16; d > 0; d >>= 1)
        v += __shfl_xor_sync(0xffffffff, v, d);
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        warpSums[threadIdx.x / 32] = v;
    __syncthreads();
    float total = 0.0f;
    for (int w = 0; w < BLOCK / 32; w++)
        total += warpSums[w];
    return total;
}

__global__ void layerNorm(const float *x, float *out, int cols)
{
    size_t first = (size_t)blockIdx.x * cols;
    float sum = 0.0f;
    for (int c = threadIdx.x; c < cols; c += BLOCK)
        sum += x[first + c];
    float mean = blockSum(sum) / cols;

    float squares = 0.0f;
    for (int c = threadIdx.x; c < cols; c += BLOCK) {
        float d = x[first + c] - mean;
        squares += d * d;
    }
    float var = blockSum(squares) / cols;

    float scale = rsqrtf(var + EPS);
    for (int c = threadIdx.x; c < cols; c += BLOCK)
        out[first + c] = (x[first + c] - mean) * scale;
}

extern "C" void launch(const float *x,  // [rows, cols]
                       float *out,      // [rows, cols]
                       int rows, int cols, cudaStream_t stream = 0)
{
    layerNorm<<<rows, BLOCK, 0, stream>>>(x, out, cols);
}
"""
)

NAN, INF = float("nan"), float("inf")
LENGTHS = (*range(1, 71), 95, 96, 97, 127, 128, 129, 191, 192, 193, 255, 256, 257, 383, 384)
LENGTHS += (385, 511, 512, 513, 1000, 1023, 1024, 1025, 2047, 2049, 4096, 4099, 9_001)
SIDES = ((1, 1), (2, 1), (1, 2), (3, 2), (4, 31), (5, 32), (8, 33), (33, 8), (2, 64), (65, 3))
SIDES += ((9, 70), (70, 1), (3, 1000), (1, 4099), (64, 70), (130, 6), (40, 50), (32, 32))
SIDES += ((301, 2), (3, 129), (7, 128), (5, 63), (65, 65), (6, 6), (7, 10), (2, 130), (4, 257))
FLOAT, HALF = (torch.float32,), (torch.float16,)


def bytes_of_halves(launcher: Launcher) -> Iterator[Case]:
    """Cast: any, halfway between two, around both ends, far beyond, infinities, NaN."""
    for n in (*LENGTHS, 20_003):
        x, j = whole(-1023, 1024, n, n), torch.arange(n)
        for label, y in (
            ("any", x / 8.0),
            ("halfway", x % 200 - 99.5),
            ("around the ends", x % 9 / 2.0 + torch.where(j % 2 == 0, 125.5, -130.0)),
            ("far beyond", x * 60.0),
            ("infinities", torch.where(j % 3 == 1, INF * (1 - j % 2 * 2), x / 16)),
            ("NaN", torch.where(j % 3 == 1, NAN, x / 16)),
        ):
            y = y.half()
            right = y.double().round().nan_to_num(0.0, INF, -INF).clamp(-128, 127)
            for block_size in (128, 32):
                scalars, options = {"block_size": block_size}, {"dtypes": (torch.int8,)}
                words = f"n = {n:,}, {scalars}, {label}"
                yield Case(words, (y,), (right,), scalars, quick=n > 5000, **options)


def gelus(launcher: Launcher) -> Iterator[Case]:
    """Gelu of usual, small, large numbers, numbers below 0, zeros, infinity, NaN."""
    for n in (*LENGTHS, 50_001):
        x, j = whole(-999, 1000, n, n).float() / 256, torch.arange(n)
        for label, y in (
            ("usual", x),
            ("small", x / 1024),
            ("large", x.abs() * 64),
            ("below 0", -x.abs() * 2),
            ("zeros", torch.where(j % 2 == 1, 0.0, -0.0)),
            ("infinity", torch.where(j % 3 == 1, INF, x)),
            ("NaN", torch.where(j % 3 == 1, NAN, x)),
        ):
            v = y.double()
            right = 0.5 * v * (1 + torch.special.erf(v / 2**0.5))
            slack = ((2.0**-21 * v.abs()).nan_to_num(0.0, 0.0),)
            for block_size in (256, 64):
                if n > 10_000 and label != "usual":
                    continue
                scalars = {"block_size": block_size}
                words = f"n = {n:,}, {scalars}, {label}"
                options = {"dtypes": FLOAT, "within": slack, "quick": n > 5000}
                yield Case(words, (y,), (right,), scalars, **options)


def swishes(launcher: Launcher) -> Iterator[Case]:
    """Swish: usual, small, large, far below 0, zeros, infinity, NaN; slices of both arrays."""
    for n in (*LENGTHS, 50_001):
        x, j = whole(-999, 1000, n, n).float() / 128, torch.arange(n)
        for label, y in (
            ("usual", x),
            ("small", x / 4096),
            ("large", x.abs() * 32),
            ("far below 0", -x.abs() * 16),
            ("zeros", torch.where(j % 2 == 1, 0.0, -0.0)),
            ("infinity", torch.where(j % 3 == 1, INF, x)),
            ("NaN", torch.where(j % 3 == 1, NAN, x)),
        ):
            v = y.double()
            right = v * torch.sigmoid(v)
            slack = (2.0**-20 * right.abs() + 2.0**-121 * (v != 0)).nan_to_num(0.0, 0.0)
            options = {"dtypes": FLOAT, "within": (slack,), "quick": n > 5000}
            for block_size in (128, 32):
                scalars = {"block_size": block_size}
                words = f"n = {n:,}, {scalars}, {label}"
                yield Case(words, (y,), (right,), scalars, **options)
            if label == "usual" and n <= 1000:
                for offsets in ((4, 4), (1, 1), (4, 1), (1, 4), (2, 2), (4, 2), (1, 2)):
                    words, more = f"n = {n:,}, slices from {offsets}", {"offset": offsets}
                    yield Case(words, (y,), (right,), {}, **more, **options)


def largest_sizes(launcher: Launcher) -> Iterator[Case]:
    """Look for the largest: any, below 0, above 0, zeros, the last alone, infinity, NaN."""
    for rows, cols in (*SIDES, (3, 2_001), (513, 3)):
        n = rows * cols
        x, c = whole(-999, 1000, n, n).reshape(rows, cols).float(), torch.arange(cols)
        r = torch.arange(rows)[:, None]
        for label, y in (
            ("any", x / 8),
            ("below 0", -x.abs() - 1),
            ("above 0", x.abs() + 1),
            ("zeros", x * 0),
            ("the last alone", torch.where(c == cols - 1, -5000.0, x)),
            ("a rising one", torch.where(c == (7 * r + 3) % cols, 4000.0 + r, x)),
            ("infinity", torch.where(c == cols // 2, -INF, x)),
            ("NaN", torch.where(c == (5 * r + cols // 3) % cols, NAN, x)),
        ):
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y,), (y.double().abs().amax(1),), dtypes=FLOAT)


def counts(launcher: Launcher) -> Iterator[Case]:
    """Count: any, all, none, zeros of both signs, tiny, the last alone, infinities, NaN."""
    for n in (*LENGTHS, 20_001):
        x, j = whole(-9, 10, n, n).float(), torch.arange(n)
        for label, y in (
            ("any", x),
            ("all", x.abs() + 1),
            ("none", -x.abs() - 1),
            ("zeros", torch.where(j % 2 == 1, 0.0, -0.0)),
            ("tiny", torch.where(j % 2 == 1, 2.0**-120, -(2.0**-120))),
            ("the last alone", torch.where(j == n - 1, 7.0, -1.0)),
            ("infinities", torch.where(j % 5 == 2, INF * (1 - j % 2 * 2), x)),
            ("NaN", torch.where(j % 3 == 1, NAN, x)),
        ):
            right = (y > 0).sum().reshape(1)
            for block_size in (128, 64):
                scalars, options = {"block_size": block_size}, {"dtypes": (torch.int32,)}
                words = f"n = {n:,}, {scalars}, {label}"
                yield Case(words, (y,), (right,), scalars, quick=n > 5000, **options)


def turns(launcher: Launcher) -> Iterator[Case]:
    """Transpose halves: any, rising, zeros of both signs, infinities and NaN."""
    for rows, cols in (*SIDES, (31, 200), (200, 31), (300, 1), (33, 65), (64, 64), (2, 9_001)):
        n = rows * cols
        j = torch.arange(n).reshape(rows, cols)
        x = whole(-2047, 2048, n, n).reshape(rows, cols) / 8.0
        for label, y in (
            ("any", x),
            ("rising", j % 2048.0),
            ("zeros", torch.where(j % 3 == 1, -0.0, 0.0)),
            ("infinities", torch.where(j % 5 == 2, -INF, x)),
            ("NaN", torch.where(j % 7 == 3, NAN, x)),
        ):
            y = y.half()
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y,), (y.double().T.contiguous(),), dtypes=HALF)


def matvecs(launcher: Launcher) -> Iterator[Case]:
    """Multiply, so that all is exact: any, quarters, ones, the last alone, infinity, NaN."""
    for m, n in (*SIDES, *((3, k) for k in range(2, 70, 3)), (513, 3), (2, 3_001)):
        a, x = whole(-30, 31, m * n, m * n).reshape(m, n).double(), whole(-30, 31, n, n + 1)
        j, x = torch.arange(n), x.double()
        for label, p, q in (
            ("any", a, x),
            ("quarters", a.clamp(-11, 11) / 4, x.clamp(-11, 11) / 4),
            ("ones", a * 0 + 1, x * 0 + 1),
            ("zeros", a * 0, x),
            ("the last alone", a, torch.where(j == n - 1, 3.0, 0.0)),
            ("infinity", torch.where(j == n // 2, INF, a), x.abs() + 1),
            ("NaN", a, torch.where(j == n // 3, NAN, x)),
        ):
            for block_size in (128, 64, 256):
                scalars = {"block_size": block_size}
                words = f"m = {m:,}, n = {n:,}, {scalars}, {label}"
                inputs, right = (p.float(), q.float()), ((p * q).sum(1),)
                yield Case(words, inputs, right, scalars, dtypes=FLOAT)


def masks(launcher: Launcher) -> Iterator[Case]:
    """Hide: some, none, all of a row, all but the last, what is large, infinite or NaN."""
    for rows, cols in (*SIDES, (3, 2_001), (513, 3)):
        n = rows * cols
        x, c = whole(-40, 41, n, n).reshape(rows, cols) / 8.0, torch.arange(cols)
        hide = (whole(0, 4, n, n + 1) == 0).int().reshape(rows, cols)
        odd = torch.arange(rows)[:, None] % 2 == 1
        some = whole(1, 256, n, n + 2).reshape(rows, cols)
        for label, y, h in (
            ("some are hidden", x, hide),
            ("none is hidden", x, hide * 0),
            ("marks of any value", x, hide * some),
            ("odd rows are hidden", x, torch.where(odd, 1, hide)),
            ("all are hidden", x, hide * 0 + 1),
            ("all but the last", x, (c < cols - 1).int() + hide * 0),
            ("later ones are hidden", x, (c > torch.arange(rows)[:, None]).int()),
            ("far above 0", x + 1000, hide),
            ("far below 0", x - 1000, hide),
            ("large ones are hidden", torch.where(hide == 1, 500.0, x), hide),
            ("NaN is hidden", torch.where(hide == 1, NAN, x), hide),
        ):
            v = torch.where(h != 0, -INF, y.double())
            p = torch.exp(v - v.amax(1, True).clamp(min=-1e9))
            total = p.sum(1, keepdim=True)
            p = p / torch.where(total == 0, 1.0, total)
            words, slack = f"rows = {rows:,}, cols = {cols:,}, {label}", 2.0**-18 * p
            inputs = (y.float(), h.to(torch.uint8))
            yield Case(words, inputs, (p,), dtypes=FLOAT, within=(slack + 2.0**-126 * (p > 0),))


BASES = {
    "seventythree_pair": Base(PAIR, {"reference": "add"}),
    "seventythree_bytes": Base(BYTES, {"cases": bytes_of_halves}),
    "seventythree_gelu": Base(GELU, {"cases": gelus}),
    "seventythree_swish": Base(SWISH, {"cases": swishes}),
    "seventythree_clip": Base(CLIP, {"reference": lambda x: x.clamp(-1, 1)}),
    "seventythree_chunks": Base(CHUNKS, cases="sums"),
    "seventythree_absmax": Base(ABSMAX, {"cases": largest_sizes}),
    "seventythree_count": Base(COUNT, {"cases": counts}),
    "seventythree_turn": Base(TURN, {"cases": turns}),
    "seventythree_product": Base(PRODUCT, cases="matmul"),
    "seventythree_matvec": Base(MATVEC, {"cases": matvecs}),
    "seventythree_soft": Base(SOFT, cases="softmax"),
    "seventythree_masked": Base(MASKED, {"cases": masks}),
    "seventythree_norm": Base(NORM, cases="layer_norm"),
}

WRONG = (
    # ---- pair
    # No thread is counted for an odd number.
    Wrong(
        "seventythree_pair_no_thread_for_rest",
        "seventythree_pair",
        "grid / tail / unwritten / left out | refused / nan",
        ("int threads = n / 2 + 1;", "int threads = n / 2;"),
    ),
    # The second summand may lie anywhere.
    Wrong(
        "seventythree_pair_b_anywhere",
        "seventythree_pair",
        "alignment",
        ("const __nv_bfloat16* b,  // [n] 4-byte aligned", "const __nv_bfloat16* b,  // [n]"),
    ),
    # What follows the 16 bits of a pair's sums is cut off.
    Wrong(
        "seventythree_pair_cut_off",
        "seventythree_pair",
        "rounding | numbers / infinity / precision",
        (
            "__hadd2(u, v);",
            "__halves2bfloat162(\n"
            "        __float2bfloat16_rz(__bfloat162float(u.x) + __bfloat162float(v.x)),\n"
            "        __float2bfloat16_rz(__bfloat162float(u.y) + __bfloat162float(v.y)));",
        ),
    ),
    # The odd one is added to itself.
    Wrong(
        "seventythree_pair_rest_of_a_twice",
        "seventythree_pair",
        "tail / twice / swapped / left out / other element | numbers / function",
        ("__hadd(a[n - 1], b[n - 1])", "__hadd(a[n - 1], a[n - 1])"),
    ),
    # The number of pairs is rounded up.
    Wrong(
        "seventythree_pair_rounded_up",
        "seventythree_pair",
        "bounds / tail | alignment",
        ("int pairs = n / 2;", "int pairs = (n + 1) / 2;"),
    ),
    # ---- bytes
    # Nothing saturates.
    Wrong(
        "seventythree_bytes_wrap",
        "seventythree_bytes",
        "whole range | numbers / infinity",
        (
            "        if (q > 127)\n            q = 127;\n"
            "        if (q < -128)\n            q = -128;\n",
            "",
        ),
    ),
    # The cast of C cuts off.
    Wrong(
        "seventythree_bytes_cut_off",
        "seventythree_bytes",
        "rounding | numbers",
        ("__float2int_rn(v)", "(int)v"),
    ),
    # The lower limit is that of bytes without a sign.
    Wrong(
        "seventythree_bytes_from_0",
        "seventythree_bytes",
        "whole range / infinity / function | numbers / start",
        ("if (q < -128)\n            q = -128;", "if (q < 0)\n            q = 0;"),
    ),
    # The number of blocks is limited, but no thread takes a second number.
    Wrong(
        "seventythree_bytes_no_loop",
        "seventythree_bytes",
        "grid / unwritten / left out | tail / nan",
        (
            "    int step = gridDim.x * blockDim.x;\n"
            "    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {",
            "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n) {",
        ),
    ),
    # The launch forgets the stream.
    Wrong(
        "seventythree_bytes_no_stream",
        "seventythree_bytes",
        "stream",
        ("<<<blocks, block_size, 0, stream>>>", "<<<blocks, block_size>>>"),
    ),
    # ---- gelu
    # The argument is multiplied by the root of 2.
    Wrong(
        "seventythree_gelu_times_root",
        "seventythree_gelu",
        "function | numbers / precision",
        ("v * 0.70710678f", "v * 1.41421356f"),
    ),
    # The formula with tanh takes the place of erf.
    Wrong(
        "seventythree_gelu_by_tanh",
        "seventythree_gelu",
        "precision / function | numbers",
        (
            "erff(v * 0.70710678f)",
            "tanhf(0.79788456f * (v + 0.044715f * v * v * v))",
        ),
    ),
    # The blocks are counted as if all had 256 threads.
    Wrong(
        "seventythree_gelu_grid_of_256",
        "seventythree_gelu",
        "block size / grid / unwritten / left out | nan / tail",
        ("int grid = (n + block_size - 1) / block_size;", "int grid = (n + 255) / 256;"),
    ),
    # One too many is allowed.
    Wrong(
        "seventythree_gelu_at_most",
        "seventythree_gelu",
        "bounds / tail",
        ("if (idx < n)", "if (idx <= n)"),
    ),
    # The argument of erf is kept in x.
    Wrong(
        "seventythree_gelu_scaled_in_x",
        "seventythree_gelu",
        "input | state / numbers",
        ("gelu_kernel(const float* x,", "gelu_kernel(float* x,"),
        (
            "      float phi = 1.0f + erff(v * 0.70710678f);\n",
            "      x[idx] *= 0.70710678f;\n      float phi = 1.0f + erff(x[idx]);\n",
        ),
        ("stream>>>(x, y, n)", "stream>>>((float*)x, y, n)"),
    ),
    # ---- swish
    # Only the address of x is tested.
    Wrong(
        "seventythree_swish_x_alone_tested",
        "seventythree_swish",
        "alignment",
        ("px % 16 == 0 && py % 16 == 0 ?", "px % 16 == 0 ?"),
    ),
    # Threads are counted as if there were packs at any address.
    Wrong(
        "seventythree_swish_threads_of_packs",
        "seventythree_swish",
        "grid / unwritten / left out / alignment | nan / tail",
        ("int threads = packs + (n - 4 * packs);", "int threads = n / 4 + n % 4;"),
    ),
    # The exponential of the number itself overflows.
    Wrong(
        "seventythree_swish_exp_overflows",
        "seventythree_swish",
        "infinity / nan | numbers / function",
        ("return v / (1.0f + expf(-v));", "return v * expf(v) / (1.0f + expf(v));"),
    ),
    # The fourth of a pack is the third.
    Wrong(
        "seventythree_swish_third_again",
        "seventythree_swish",
        "other element / neighbour / twice / left out | numbers / infinity / nan",
        ("swish(u.w)", "swish(u.z)"),
    ),
    # The sign in the exponent is missing.
    Wrong(
        "seventythree_swish_no_sign",
        "seventythree_swish",
        "function | numbers / infinity / nan / sign of zero",
        ("expf(-v)", "expf(v)"),
    ),
    # ---- clip
    # NaN runs into a limit.
    Wrong(
        "seventythree_clip_nan_lost",
        "seventythree_clip",
        "nan",
        (
            "  if (v > 1.0f) return 1.0f;\n  if (v < -1.0f) return -1.0f;\n  return v;\n",
            "  return fminf(fmaxf(v, -1.0f), 1.0f);\n",
        ),
    ),
    # A formula of two magnitudes, which takes small numbers and infinity away.
    Wrong(
        "seventythree_clip_by_magnitudes",
        "seventythree_clip",
        "precision / infinity / nan / sign of zero / subnormal | numbers / rounding / function",
        (
            "  if (v > 1.0f) return 1.0f;\n  if (v < -1.0f) return -1.0f;\n  return v;\n",
            "  return 0.5f * (fabsf(v + 1.0f) - fabsf(v - 1.0f));\n",
        ),
    ),
    # The last is left out.
    Wrong(
        "seventythree_clip_without_last",
        "seventythree_clip",
        "tail / unwritten / left out | nan",
        ("i < n; i +=", "i < n - 1; i +="),
    ),
    # Below the range comes the upper limit.
    Wrong(
        "seventythree_clip_sign_forgotten",
        "seventythree_clip",
        "function / infinity | numbers",
        ("return -1.0f;", "return 1.0f;"),
    ),
    # The block size is a number.
    Wrong(
        "seventythree_clip_always_256",
        "seventythree_clip",
        "block size | unwritten / left out / nan / tail / other element / twice",
        ("int first = blockIdx.x * blockDim.x", "int first = blockIdx.x * 256"),
    ),
    # ---- chunks
    # The length of a chunk is rounded down.
    Wrong(
        "seventythree_chunks_rounded_down",
        "seventythree_chunks",
        "tail / left out | numbers",
        ("(n + CHUNKS - 1) / CHUNKS", "n / CHUNKS"),
    ),
    # The second launch takes one part a lane.
    Wrong(
        "seventythree_chunks_first_32_parts",
        "seventythree_chunks",
        "left out | numbers / tail",
        (
            "    float sum = 0.0f;\n"
            "    for (int i = threadIdx.x; i < CHUNKS; i += 32)\n"
            "        sum += part[i];\n",
            "    float sum = part[threadIdx.x];\n",
        ),
    ),
    # The second launch forgets the stream.
    Wrong(
        "seventythree_chunks_parts_no_stream",
        "seventythree_chunks",
        "stream | race / state",
        ("sumParts<<<1, 32, 0, stream>>>", "sumParts<<<1, 32>>>"),
    ),
    # Blocks are counted as if they had 16 warps.
    Wrong(
        "seventythree_chunks_half_the_blocks",
        "seventythree_chunks",
        "grid / left out / block size | numbers / tail",
        ("<<<CHUNKS / 8, 256,", "<<<CHUNKS / 16, 256,"),
    ),
    # Parts are added to those of an earlier call.
    Wrong(
        "seventythree_chunks_parts_grow",
        "seventythree_chunks",
        "state | zero before / numbers / twice",
        ("part[warp] = sum;", "part[warp] += sum;"),
    ),
    # ---- absmax
    # NaN gives way to numbers.
    Wrong(
        "seventythree_absmax_nan_lost",
        "seventythree_absmax",
        "nan",
        ("return a > b || a != a ? a : b;", "return fmaxf(a, b);"),
    ),
    # The sign is not taken away.
    Wrong(
        "seventythree_absmax_with_sign",
        "seventythree_absmax",
        "function | numbers / infinity / start / left out",
        ("larger(fabsf(row[c]), most)", "larger(row[c], most)"),
    ),
    # The tree begins before all have stored.
    Wrong(
        "seventythree_absmax_no_barrier",
        "seventythree_absmax",
        "race | numbers / left out / unwritten / state / nan / infinity",
        ("    best[tid] = most;\n    __syncthreads();\n", "    best[tid] = most;\n"),
    ),
    # The tree ends with two.
    Wrong(
        "seventythree_absmax_two_left",
        "seventythree_absmax",
        "left out | numbers / nan / infinity / other element",
        ("half_of > 0; half_of /= 2", "half_of > 1; half_of /= 2"),
    ),
    # A block for each column is launched.
    Wrong(
        "seventythree_absmax_blocks_of_columns",
        "seventythree_absmax",
        "grid / sides / swapped / bounds / unwritten / left out | nan / tail / numbers",
        ("absmax_rows<<<rows,", "absmax_rows<<<cols,"),
    ),
    # ---- count
    # Nothing sets the result to 0.
    Wrong(
        "seventythree_count_not_set",
        "seventythree_count",
        "zero before | state / numbers / start",
        ("  setZero<<<1, 1, 0, stream>>>(out);\n", ""),
    ),
    # Threads count without an atomic.
    Wrong(
        "seventythree_count_no_atomic",
        "seventythree_count",
        "race | numbers / left out",
        ("atomicAdd(&found, 1);", "found++;"),
    ),
    # Zeros are counted.
    Wrong(
        "seventythree_count_zeros",
        "seventythree_count",
        "function | numbers / sign of zero",
        ("x[i] > 0.0f", "x[i] >= 0.0f"),
    ),
    # Threads count before the counter is 0.
    Wrong(
        "seventythree_count_no_first_barrier",
        "seventythree_count",
        "race | numbers / left out / state / unwritten / start",
        ("    found = 0;\n  __syncthreads();\n", "    found = 0;\n"),
    ),
    # What sets the result to 0 forgets the stream.
    Wrong(
        "seventythree_count_zero_no_stream",
        "seventythree_count",
        "stream | race / zero before / state",
        ("setZero<<<1, 1, 0, stream>>>", "setZero<<<1, 1>>>"),
    ),
    # ---- turn
    # The tile is read as it was stored.
    Wrong(
        "seventythree_turn_tile_not_turned",
        "seventythree_turn",
        "other element / swapped / sides | numbers / unwritten / nan / function",
        ("= tile[tx][k];", "= tile[k][tx];"),
    ),
    # Rows of the result have the pitch of the input.
    Wrong(
        "seventythree_turn_pitch_of_input",
        "seventythree_turn",
        "sides / other element / bounds / unwritten / swapped | numbers / nan / twice / race",
        ("(size_t)(c0 + k) * rows + r0", "(size_t)(c0 + k) * cols + r0"),
    ),
    # The tile is read before all have stored.
    Wrong(
        "seventythree_turn_no_barrier",
        "seventythree_turn",
        "race | numbers / unwritten / other element / nan",
        ("    __syncthreads();\n", ""),
    ),
    # The sides are swapped in the second test.
    Wrong(
        "seventythree_turn_test_swapped",
        "seventythree_turn",
        "sides / bounds / unwritten / swapped / left out | nan / tail / other element",
        ("c0 + k < cols && r0 + tx < rows", "c0 + k < rows && r0 + tx < cols"),
    ),
    # A block has half of its rows of threads.
    Wrong(
        "seventythree_turn_half_a_block",
        "seventythree_turn",
        "unwritten / left out / block size | nan / tail / numbers / grid",
        ("dim3 block(TILE, STEP);", "dim3 block(TILE, STEP / 2);"),
    ),
    # ---- product
    # Only whole tiles of k are taken.
    Wrong(
        "seventythree_product_whole_tiles",
        "seventythree_product",
        "tail / left out | numbers / nan / sides",
        ("k0 < k; k0 += S", "k0 + S <= k; k0 += S"),
    ),
    # The four rows of a thread are four apart in the tile.
    Wrong(
        "seventythree_product_rows_4_apart",
        "seventythree_product",
        "other element / twice / left out | numbers / nan",
        ("As[threadIdx.y + j * QUARTER][i]", "As[threadIdx.y + j * 4][i]"),
    ),
    # Rows of B have the pitch of A.
    Wrong(
        "seventythree_product_pitch_of_a",
        "seventythree_product",
        "sides / bounds / other element / swapped | numbers / nan",
        ("B[(size_t)(k0 + y) * n + col]", "B[(size_t)(k0 + y) * k + col]"),
    ),
    # Rows beyond the end of B are loaded.
    Wrong(
        "seventythree_product_b_not_tested",
        "seventythree_product",
        "bounds / tail | numbers / nan / sides",
        ("bool bIn = k0 + y < k && col < n;", "bool bIn = col < n;"),
    ),
    # Sums are added to what C holds.
    Wrong(
        "seventythree_product_added_to_c",
        "seventythree_product",
        "zero before | state / numbers / nan / unwritten",
        ("C[(size_t)row * n + col] = acc[j];", "C[(size_t)row * n + col] += acc[j];"),
    ),
    # ---- matvec
    # Four warps are joined, as many as the usual block has.
    Wrong(
        "seventythree_matvec_four_warps",
        "seventythree_matvec",
        "block size / left out / unwritten | numbers / nan / state / race / infinity",
        ("int warps = blockDim.x / 32;", "int warps = 4;"),
    ),
    # The last step of the shuffles is missing.
    Wrong(
        "seventythree_matvec_four_steps",
        "seventythree_matvec",
        "left out | numbers / nan / other element / infinity",
        ("d >= 1; d /= 2", "d > 1; d /= 2"),
    ),
    # The vector is read by the number of the thread.
    Wrong(
        "seventythree_matvec_vector_by_thread",
        "seventythree_matvec",
        "other element / left out | numbers / nan / twice",
        ("vec[j]", "vec[t]"),
    ),
    # The sum of a thread is an integer.
    Wrong(
        "seventythree_matvec_integer_sum",
        "seventythree_matvec",
        "rounding / precision / whole range | numbers / nan / infinity",
        ("    float dot = 0.0f;", "    int dot = 0;"),
    ),
    # The last warp is left out.
    Wrong(
        "seventythree_matvec_last_warp_left_out",
        "seventythree_matvec",
        "left out | numbers / tail / nan / infinity",
        ("w < warps; w++", "w < warps - 1; w++"),
    ),
    # ---- soft
    # The maximum is not taken away.
    Wrong(
        "seventythree_soft_no_maximum",
        "seventythree_soft",
        "infinity / nan | numbers / function / precision",
        ("sum += expf(in_row[c] - top);", "sum += expf(in_row[c]);"),
        ("= expf(in_row[c] - top) / sum;", "= expf(in_row[c]) / sum;"),
    ),
    # The maximum begins with 0.
    Wrong(
        "seventythree_soft_starts_at_0",
        "seventythree_soft",
        "start | numbers / nan / infinity / precision / subnormal",
        ("float top = -INFINITY;", "float top = 0.0f;"),
    ),
    # The sum is right in the first lane only.
    Wrong(
        "seventythree_soft_sum_goes_down",
        "seventythree_soft",
        "left out / other element / race / twice | numbers / function",
        ("sum += __shfl_xor_sync(", "sum += __shfl_down_sync("),
    ),
    # One row too many is allowed.
    Wrong(
        "seventythree_soft_row_too_many",
        "seventythree_soft",
        "bounds / tail",
        ("if (row >= rows) return;", "if (row > rows) return;"),
    ),
    # All warps of a block write one row.
    Wrong(
        "seventythree_soft_row_of_block",
        "seventythree_soft",
        "other element / unwritten / left out / race / twice | nan / numbers / tail",
        ("out + (int64_t)row * cols", "out + (int64_t)blockIdx.x * cols"),
    ),
    # ---- masked
    # Only 1 hides in the sum.
    Wrong(
        "seventythree_masked_one_alone_hides",
        "seventythree_masked",
        "numbers / function / other element | infinity / whole range / twice / nan",
        ("if (!hide[at + c]) sum", "if (hide[at + c] != 1) sum"),
    ),
    # The mask is turned round for the maximum.
    Wrong(
        "seventythree_masked_maximum_of_hidden",
        "seventythree_masked",
        "swapped / other element / function / infinity | numbers / nan / start / precision",
        ("if (hide[at + c] != 0) continue;", "if (hide[at + c] == 0) continue;"),
    ),
    # Rows of which all is hidden are divided by 0.
    Wrong(
        "seventythree_masked_zero_by_zero",
        "seventythree_masked",
        "nan | numbers / function",
        ("  if (sum == 0.0f) sum = 1.0f;  // all are hidden\n", ""),
    ),
    # All rows are written with the mask of the first.
    Wrong(
        "seventythree_masked_first_mask",
        "seventythree_masked",
        "other element / left out | numbers / nan / infinity / function",
        ("hide[at + c] > 0 ?", "hide[c] > 0 ?"),
    ),
    # What is hidden is in the sum.
    Wrong(
        "seventythree_masked_hidden_in_sum",
        "seventythree_masked",
        "function / other element / left out | numbers / infinity / nan / twice",
        ("if (!hide[at + c]) sum += expf", "sum += expf"),
    ),
    # ---- norm
    # The variance is that of a sample.
    Wrong(
        "seventythree_norm_less_one",
        "seventythree_norm",
        "function | numbers / precision / nan / infinity",
        ("blockSum(squares) / cols;", "blockSum(squares) / (cols - 1);"),
    ),
    # The small number is too large.
    Wrong(
        "seventythree_norm_large_eps",
        "seventythree_norm",
        "function | numbers / precision",
        ("#define EPS 1e-5f", "#define EPS 1e-3f"),
    ),
    # The variance is the mean of squares less the square of the mean.
    Wrong(
        "seventythree_norm_squares_less_square",
        "seventythree_norm",
        "precision | numbers / nan / infinity / function",
        ("float d = x[first + c] - mean;", "float d = x[first + c];"),
        ("blockSum(squares) / cols;", "blockSum(squares) / cols - mean * mean;"),
    ),
    # Three of the four warps are added.
    Wrong(
        "seventythree_norm_three_warps",
        "seventythree_norm",
        "left out | numbers / function / tail / infinity / nan",
        ("w < BLOCK / 32; w++", "w < BLOCK / 32 - 1; w++"),
    ),
    # No more blocks are launched than old cards had in y.
    Wrong(
        "seventythree_norm_limit_of_blocks",
        "seventythree_norm",
        "grid / unwritten / left out | nan / tail / narrow",
        (
            "    layerNorm<<<rows, BLOCK",
            "    int blocks = rows < 65535 ? rows : 65535;\n    layerNorm<<<blocks, BLOCK",
        ),
    ),
)

RIGHT = (
    # The length has 64 bits, and blocks are rounded up otherwise.
    Right(
        "seventythree_pair_long_length",
        "seventythree_pair",
        ("bf* out, int n)", "bf* out, int64_t n)"),
        ("int pairs = n / 2;", "int64_t pairs = n / 2;"),
        (
            "                       int n, int block_size",
            "                       int64_t n, int block_size",
        ),
        (
            "  int threads = n / 2 + 1;\n"
            "  int blocks = (threads + block_size - 1) / block_size;\n",
            "  int blocks = (int)(n / (2 * block_size)) + 1;\n",
        ),
    ),
    # Indices have no sign, and three blocks have little to do.
    Right(
        "seventythree_bytes_unsigned_indices",
        "seventythree_bytes",
        ("int8_t *out, int n)", "int8_t *out, uint32_t n)"),
        ("    int step = gridDim", "    uint32_t step = gridDim"),
        ("for (int i = blockIdx", "for (uint32_t i = blockIdx"),
        ("        blocks = MAX_BLOCKS;", "        blocks = MAX_BLOCKS;\n    blocks += 3;"),
    ),
    # What erf leaves of 1 is taken.
    Right(
        "seventythree_gelu_by_erfc",
        "seventythree_gelu",
        ("1.0f + erff(v * 0.70710678f)", "erfcf(v * -0.70710678f)"),
    ),
    # The result comes first.
    Right(
        "seventythree_swish_result_first",
        "seventythree_swish",
        (
            "launch(const float* x,  // [n]\n                       float* y,        // [n]",
            "launch(float* y,        // [n]\n                       const float* x,  // [n]",
        ),
    ),
    # The sign is copied to 1.
    Right(
        "seventythree_clip_copied_sign",
        "seventythree_clip",
        (
            "  if (v > 1.0f) return 1.0f;\n  if (v < -1.0f) return -1.0f;\n  return v;\n",
            "  return fabsf(v) > 1.0f ? copysignf(1.0f, v) : v;\n",
        ),
        ("int block_size = 256", "int block_size = 64"),
    ),
    # Chunks are multiples of a warp, so that the last ones may be empty.
    Right(
        "seventythree_chunks_of_whole_warps",
        "seventythree_chunks",
        (
            "(n + CHUNKS - 1) / CHUNKS;",
            "((n + CHUNKS - 1) / CHUNKS + 31) / 32 * 32;",
        ),
    ),
    # Bits of magnitudes are compared as integers, of which NaN has the largest.
    Right(
        "seventythree_absmax_bits",
        "seventythree_absmax",
        (
            "return a > b || a != a ? a : b;",
            "return __int_as_float(max(__float_as_int(a), __float_as_int(b)));",
        ),
    ),
    # The launcher sets bytes to 0.
    Right(
        "seventythree_count_memset",
        "seventythree_count",
        ("__global__ void setZero(int* out) { out[0] = 0; }\n\n", ""),
        ("setZero<<<1, 1, 0, stream>>>(out);", "cudaMemsetAsync(out, 0, sizeof(int), stream);"),
    ),
    # Blocks may be idle, and the tile has another pitch.
    Right(
        "seventythree_turn_idle_blocks",
        "seventythree_turn",
        ("tile[TILE][TILE + 2]", "tile[TILE][TILE + 1]"),
        (
            "grid((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE)",
            "grid(cols / TILE + 1, rows / TILE + 1)",
        ),
    ),
    # Tiles of A are stored by column, and two blocks have nothing to do.
    Right(
        "seventythree_product_tile_by_column",
        "seventythree_product",
        ("float As[S][S];", "float As[S][S + 1];"),
        ("As[y][x] = aIn", "As[x][y] = aIn"),
        ("As[threadIdx.y + j * QUARTER][i]", "As[i][threadIdx.y + j * QUARTER]"),
        ("matmul<<<down * across,", "matmul<<<down * across + 2,"),
    ),
    # The first warp joins all by shuffles.
    Right(
        "seventythree_matvec_joined_by_warp",
        "seventythree_matvec",
        (
            "    if (t == 0) {\n"
            "        float total = 0.0f;\n"
            "        for (int w = 0; w < warps; w++)\n"
            "            total += of_warp[w];\n"
            "        res[blockIdx.x] = total;\n"
            "    }\n",
            "    if (t < 32) {\n"
            "        float total = t < warps ? of_warp[t] : 0.0f;\n"
            "        for (int d = 16; d >= 1; d /= 2)\n"
            "            total += __shfl_xor_sync(0xffffffff, total, d);\n"
            "        if (t == 0)\n"
            "            res[blockIdx.x] = total;\n"
            "    }\n",
        ),
    ),
    # Two rows a block, and exponentials are kept in the result.
    Right(
        "seventythree_soft_kept_exponentials",
        "seventythree_soft",
        ("kRows = 4;", "kRows = 2;"),
        (
            "sum += expf(in_row[c] - top);",
            "sum += out_row[c] = expf(in_row[c] - top);",
        ),
        ("out_row[c] = expf(in_row[c] - top) / sum;", "out_row[c] /= sum;"),
    ),
    # Blocks have 128 threads, and nothing is hidden by -infinity.
    Right(
        "seventythree_masked_other_block",
        "seventythree_masked",
        ("#define T 64", "#define T 128"),
        ("float m = -INFINITY, sum", "float m = -FLT_MAX, sum"),
    ),
    # Another block size, a root and a division.
    Right(
        "seventythree_norm_by_division",
        "seventythree_norm",
        ("#define BLOCK 128", "#define BLOCK 96"),
        ("rsqrtf(var + EPS)", "sqrtf(var + EPS)"),
        ("- mean) * scale;", "- mean) / scale;"),
    ),
)
