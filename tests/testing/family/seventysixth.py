"""Hold a seventy-sixth family: the plain operators of a course, and their plainest mistakes.

Its bases are a sum of two arrays, a product of halves, floats to bfloat16, floats to bytes,
leaky ReLU, SiLU of halves, the sum of an array, the mean of each column, the place of the
largest of each row, a transpose of halves, a product of two matrices, a matrix of halves times
a vector, softmax and layer norm. They have 15 to 50 lines. They use float4 where all addresses
allow it, half2 with one thread more for an odd one, packs in a loop over at most 40 blocks, a
number a thread, four numbers a thread a block apart, warps that end in an atomic addition,
eight threads a column, a tree of values and places, a tile of 32 with a column to spare, tiles
of 16 for both factors, a warp a row with shuffles, trees for a maximum and a sum, and two
passes of a warp. Their mistakes are spread over alignment, sizes, grids, block sizes, narrow
indices, values, rounding, NaN, infinity, ties, inputs that are written, outputs that are not
set, sums, start values, transposes, products, order, streams and what is left of an earlier
call. The causes were written before a member was judged. There are 70 wrong members and 14
right ones. On the emulator each ran with the cases of its base, compared as a case does, called
twice on the same tensors, with NaN and with 1e3 in floating outputs (-1 and 77 in others), with
tensors at either end of their pages, the bytes behind them and their inputs looked at
afterwards, on a stream that is not the default one, with threads in order, from the last to the
first and in a random order, and in the slices that the cases name. Bases and right ones ran all
cases but those of more than 2^31 elements; wrong ones until they were wrong often enough. Of
those that lack a barrier or an atomic not each is wrong in every order of threads. nvcc 13.0
compiles each for 8.0; none was run on a GPU. Bases and right ones are right, and all others
wrong or refused by a fault:

    seventysix_plus_c_anywhere             from 4 numbers on, by the address of c alone
    seventysix_plus_packs_rounded_up       unless 4 divides n, where packs are taken
    seventysix_plus_z_for_w                from 4 numbers on, where packs are taken
    seventysix_plus_no_stream              on another stream than the default one
    seventysix_plus_always_256             of other block sizes, from a second block on
    seventysix_times_threads_rounded_down  of 1, and of an odd one that needs a block of its own
    seventysix_times_b_anywhere            from 2 numbers on, by the address of b
    seventysix_times_64_blocks             from 16,385 numbers on at 128
    seventysix_times_in_place              from 2 numbers on: a is overwritten
    seventysix_times_one_before            of an odd count
    seventysix_tobf_toward_zero            of numbers that are nearer to the next one
    seventysix_tobf_by_way_of_half         of numbers that need more than a half has
    seventysix_tobf_step_typed_in          from 40 blocks of less than 256 threads on
    seventysix_tobf_limited                of infinities, NaN and the largest numbers
    seventysix_tobf_rest_ends_early        unless 4 divides n
    seventysix_quant_ties_away             of every other tie
    seventysix_quant_no_upper_limit        from 256 on
    seventysix_quant_nan_is_255            of NaN
    seventysix_quant_divides               unless the factor is 1
    seventysix_quant_one_too_many          unless the block size divides n
    seventysix_leaky_larger_of_two         below 0, of slopes above 1 and below 0
    seventysix_leaky_blocks_overlap        from a second block on
    seventysix_leaky_all_four_or_none      unless four times the block size divides n
    seventysix_leaky_whole_slope           below 0, unless the slope is a whole number
    seventysix_leaky_steps_of_128          of other block sizes
    seventysix_silu_exp_of_half            below about -11
    seventysix_silu_both_overflow          from about 89 on
    seventysix_silu_first_grid             if an earlier call had fewer blocks
    seventysix_silu_sign_missing           of nearly all
    seventysix_silu_short_index            from 65,537 numbers on
    seventysix_total_not_set               unless the total is 0 before
    seventysix_total_half_the_warps        from 17 warps a block on
    seventysix_total_no_barrier            where the first warp does not wait for the others
    seventysix_total_no_atomic             from 2 blocks on, where they run at once
    seventysix_total_step_of_a_block       from 2 blocks on
    seventysix_colmean_pitch_of_rows       unless there are as many rows as columns
    seventysix_colmean_other_side          unless there are as many rows as columns
    seventysix_colmean_first_again         of nearly all
    seventysix_colmean_eights              unless 8 divides the rows
    seventysix_colmean_whole_sum           of fractions, and of means that are fractions
    seventysix_argmax_flt_min              if no number of the row is above 0
    seventysix_argmax_last_of_equal        from 129 columns on, of equal ones of a thread
    seventysix_argmax_quarter              from 65 columns on
    seventysix_argmax_place_of_thread      from 129 columns on
    seventysix_argmax_rows_of_128          from 2 rows on, unless there are 128 columns
    seventysix_flip_tile_not_turned        of nearly all
    seventysix_flip_grid_swapped           unless the tiles are as many each way
    seventysix_flip_three_steps            from 25 columns on
    seventysix_flip_tests_of_way_in        unless the matrix is square
    seventysix_flip_no_stream              on another stream than the default one
    seventysix_mm_whole_tiles_of_k         unless 16 divides k
    seventysix_mm_no_second_barrier        from k = 17 on, where threads do not wait
    seventysix_mm_pitch_of_a               unless n and k are alike
    seventysix_mm_adds_to_c                unless c is 0 before
    seventysix_mm_a_beyond_k               unless 16 divides k: beyond the end of A, and of NaN
    seventysix_mv_blocks_rounded_down      unless 4 divides the rows
    seventysix_mv_x_of_lane                from 33 columns on
    seventysix_mv_four_shuffles            from 2 columns on
    seventysix_mv_products_of_halves       of products that are not halves
    seventysix_mv_eight_rows               from 5 rows on
    seventysix_soft_no_maximum             of rows that are far from 0
    seventysix_soft_no_barrier             where threads do not wait for another
    seventysix_soft_own_sum                from 2 columns on
    seventysix_soft_kept_in_x              of all: x is overwritten
    seventysix_soft_powers_of_2            from 2 columns on
    seventysix_lnorm_sample                of nearly all
    seventysix_lnorm_squares_less_square   of rows with a mean far from 0
    seventysix_lnorm_no_eps                of rows of small or of equal numbers
    seventysix_lnorm_own_variance          of all rows whose squares lie in several lanes
    seventysix_lnorm_no_row_test           unless 4 divides the rows
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case, ElementwiseMaker, elementwise_cases
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import whole

# A sum of two arrays, four floats a thread where all addresses allow it.
PLUS = (
    HEADER
    + """\
__device__ __host__ inline bool fits(const void* p) { return ((uintptr_t)p & 15) == 0; }

__global__ void plus_kernel(const float* a, const float* b, float* c, int n, int packs) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t < packs) {
    float4 u = ((const float4*)a)[t];
    float4 v = ((const float4*)b)[t];
    ((float4*)c)[t] = make_float4(u.x + v.x, u.y + v.y, u.z + v.z, u.w + v.w);
  }
  int i = 4 * packs + t;  // what is left, or all
  if (i < n) c[i] = a[i] + b[i];
}

extern "C" void launch(const float* a,  // [n]
                       const float* b,  // [n]
                       float* c,        // [n]
                       int n, int block_size = 256, cudaStream_t stream = 0) {
  if (n == 0) return;
  int packs = fits(a) && fits(b) && fits(c) ? n / 4 : 0;
  int threads = packs > n - 4 * packs ? packs : n - 4 * packs;
  int blocks = (threads + block_size - 1) / block_size;
  plus_kernel<<<blocks, block_size, 0, stream>>>(a, b, c, n, packs);
}
"""
)

# A product of halves, two a thread; one more thread for an odd one.
TIMES = (
    HEADER
    + """\
__global__ void mul_pairs(const half2 *a, const half2 *b, half2 *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int pairs = n / 2;
    if (i < pairs) {
        out[i] = __hmul2(a[i], b[i]);
    } else if (i == pairs && n % 2 == 1) {
        half last_a = ((const half *)a)[n - 1];
        half last_b = ((const half *)b)[n - 1];
        ((half *)out)[n - 1] = __hmul(last_a, last_b);
    }
}

extern "C" void launch(const half *a,  // [n] 4-byte aligned
                       const half *b,  // [n] 4-byte aligned
                       half *out,      // [n] 4-byte aligned
                       int n, int block_size = 128, cudaStream_t stream = 0)
{
    int threads = (n + 1) / 2;
    int blocks = (threads + block_size - 1) / block_size;
    if (blocks == 0)
        return;
    mul_pairs<<<blocks, block_size, 0, stream>>>((const half2 *)a, (const half2 *)b,
                                                 (half2 *)out, n);
}
"""
)

# Floats to bfloat16, four at once, in a loop over a grid of at most 40 blocks.
TOBF = (
    HEADER
    + """\
struct alignas(8) Four {
    __nv_bfloat16 v[4];
};

__device__ __nv_bfloat16 narrow(float f) { return __float2bfloat16(f); }

__global__ void to_bf16(const float* __restrict__ in, __nv_bfloat16* __restrict__ out,
                        int64_t n) {
    const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
    const int64_t first = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    for (int64_t p = first; p < n / 4; p += step) {
        const float4 f = reinterpret_cast<const float4*>(in)[p];
        Four q;
        q.v[0] = narrow(f.x);
        q.v[1] = narrow(f.y);
        q.v[2] = narrow(f.z);
        q.v[3] = narrow(f.w);
        reinterpret_cast<Four*>(out)[p] = q;
    }
    for (int64_t i = n / 4 * 4 + first; i < n; i += step) out[i] = narrow(in[i]);
}

extern "C" void launch(const float* in,     // [n] 16-byte aligned
                       __nv_bfloat16* out,  // [n] 8-byte aligned
                       int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    int64_t blocks = n / 4 / block_size + 1;
    if (blocks > 40) blocks = 40;
    to_bf16<<<static_cast<unsigned>(blocks), block_size, 0, stream>>>(in, out, n);
}
"""
)

# Floats to bytes with a factor and a level of zero; NaN becomes 0.
QUANT = (
    HEADER
    + """\
__device__ uint8_t to_level(float x, float inv, int zero)
{
  float q = rintf(x * inv) + zero;
  q = fmaxf(q, 0.0f);
  q = fminf(q, 255.0f);
  return (uint8_t)q;
}

__global__ void quant(const float *x, uint8_t *q, float inv, int zero, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    q[i] = to_level(x[i], inv, zero);
}

extern "C" void launch(const float *x,  // [n]
                       uint8_t *q,      // [n]
                       float inv, int zero, int n, int block_size = 256,
                       cudaStream_t stream = 0)
{
  quant<<<(n + block_size - 1) / block_size, block_size, 0, stream>>>(x, q, inv, zero, n);
}
"""
)

# Leaky ReLU, four numbers a thread that lie a block apart.
LEAKY = (
    HEADER
    + """\
#define PER 4

__global__ void leaky(const float *x, float *y, float slope, int n) {
    int base = blockIdx.x * blockDim.x * PER + threadIdx.x;
    for (int k = 0; k < PER; k++) {
        int i = base + k * blockDim.x;
        if (i < n) {
            float v = x[i];
            y[i] = v < 0.0f ? slope * v : v;
        }
    }
}

extern "C" void launch(const float *x,  // [n]
                       float *y,        // [n]
                       float slope, int n, int block_size = 128, cudaStream_t stream = 0) {
    int per_block = block_size * PER;
    int grid = (n + per_block - 1) / per_block;
    leaky<<<grid, block_size, 0, stream>>>(x, y, slope, n);
}
"""
)

# SiLU of halves, computed in float.
SILU = (
    HEADER
    + """\
__global__ void silu_kernel(const half* in, half* out, int count) {
  int idx = blockIdx.x * blockDim.x + threadIdx.x;
  if (idx >= count) return;
  float v = __half2float(in[idx]);
  float e = expf(-v);
  out[idx] = __float2half(v / (1.0f + e));
}

extern "C" void launch(const half* in,  // [count]
                       half* out,       // [count]
                       int count, int block_size = 256, cudaStream_t stream = 0) {
  if (count == 0) return;
  int blocks = (count + block_size - 1) / block_size;
  silu_kernel<<<blocks, block_size, 0, stream>>>(in, out, count);
}
"""
)

# The sum of an array: warps, blocks, and an atomic addition for each block.
TOTAL = (
    HEADER
    + """\
__global__ void add_up(const float *x, float *total, int64_t n)
{
    __shared__ float warps[32];
    int lane = threadIdx.x % 32, w = threadIdx.x / 32;
    float mine = 0.0f;
    int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        mine += x[i];
    for (int d = 16; d > 0; d /= 2)
        mine += __shfl_down_sync(0xffffffffu, mine, d);
    if (lane == 0)
        warps[w] = mine;
    __syncthreads();
    if (w == 0) {
        mine = lane < blockDim.x / 32 ? warps[lane] : 0.0f;
        for (int k = 16; k > 0; k /= 2)
            mine += __shfl_down_sync(0xffffffffu, mine, k);
        if (lane == 0)
            atomicAdd(total, mine);
    }
}

extern "C" void launch(const float *x,  // [n]
                       float *total,    // [1]
                       int64_t n, int block_size = 256, cudaStream_t stream = 0)
{
    block_size = (block_size + 31) / 32 * 32;  // whole warps
    cudaMemsetAsync(total, 0, sizeof(float), stream);
    int64_t blocks = (n + block_size - 1) / block_size;
    if (blocks > 128)
        blocks = 128;
    if (blocks > 0)
        add_up<<<(unsigned)blocks, block_size, 0, stream>>>(x, total, n);
}
"""
)

# The mean of each column: 32 columns a block, 8 threads a column.
COLMEAN = (
    HEADER
    + """\
const int ACROSS = 32, DOWN = 8;

__global__ void col_mean(const float* x, float* mean, int rows, int cols) {
  __shared__ float part[DOWN][ACROSS];
  int c = blockIdx.x * ACROSS + threadIdx.x;
  float s = 0.0f;
  if (c < cols) {
    for (int r = threadIdx.y; r < rows; r += DOWN) s += x[(size_t)r * cols + c];
  }
  part[threadIdx.y][threadIdx.x] = s;
  __syncthreads();
  if (threadIdx.y == 0 && c < cols) {
    for (int k = 1; k < DOWN; k++) s += part[k][threadIdx.x];
    mean[c] = s / rows;
  }
}

extern "C" void launch(const float* x,  // [rows, cols]
                       float* mean,     // [cols]
                       int rows, int cols, cudaStream_t stream = 0) {
  dim3 block(ACROSS, DOWN);
  col_mean<<<(cols + ACROSS - 1) / ACROSS, block, 0, stream>>>(x, mean, rows, cols);
}
"""
)

# The place of the largest of each row, the first of equal ones: a block a row.
ARGMAX = (
    HEADER
    + """\
#define NT 128

__global__ void argmax_rows(const float* x, int* place, int cols)
{
    __shared__ float v[NT];
    __shared__ int p[NT];
    int t = threadIdx.x;
    const float* row = x + (size_t)blockIdx.x * cols;
    float best = -INFINITY;
    int at = t;
    for (int c = t; c < cols; c += NT) {
        if (row[c] > best) {
            best = row[c];
            at = c;
        }
    }
    v[t] = best;
    p[t] = at;
    __syncthreads();
    for (int h = NT / 2; h > 0; h >>= 1) {
        if (t < h) {
            bool first = v[t + h] == v[t] && p[t + h] < p[t];
            if (v[t + h] > v[t] || first) {
                v[t] = v[t + h];
                p[t] = p[t + h];
            }
        }
        __syncthreads();
    }
    if (t == 0) place[blockIdx.x] = p[0];
}

extern "C" void launch(const float* x,  // [rows, cols]
                       int* place,      // [rows]
                       int rows, int cols, cudaStream_t stream = 0)
{
    argmax_rows<<<rows, NT, 0, stream>>>(x, place, cols);
}
"""
)

# A transpose of halves through tiles of 32, a column of shared memory to spare.
FLIP = (
    HEADER
    + """\
constexpr int TILE = 32;
constexpr int STEP = 8;

__global__ void flip(const half* in, half* out, int rows, int cols) {
    __shared__ half tile[TILE][TILE + 1];
    int tx = threadIdx.x, ty = threadIdx.y;
    int col = blockIdx.x * TILE + tx;
    int top = blockIdx.y * TILE;
    for (int j = ty; j < TILE; j += STEP)
        if (top + j < rows && col < cols) tile[j][tx] = in[(size_t)(top + j) * cols + col];
    __syncthreads();
    int row = top + tx;
    int left = blockIdx.x * TILE;
    for (int k = ty; k < TILE; k += STEP)
        if (left + k < cols && row < rows) out[(size_t)(left + k) * rows + row] = tile[tx][k];
}

extern "C" void launch(const half* in,  // [rows, cols]
                       half* out,       // [cols, rows]
                       int rows, int cols, cudaStream_t stream = 0) {
    dim3 grid((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
    flip<<<grid, dim3(TILE, STEP), 0, stream>>>(in, out, rows, cols);
}
"""
)

# A product of two matrices with tiles of 16.
MM = (
    HEADER
    + """\
#define BS 16

__global__ void mm(const float *A, const float *B, float *C, int m, int n, int k)
{
    __shared__ float As[BS][BS];
    __shared__ float Bs[BS][BS];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * BS + ty;
    int col = blockIdx.x * BS + tx;
    float acc = 0.0f;
    int tiles = (k + BS - 1) / BS;
    for (int t = 0; t < tiles; t++) {
        int ka = t * BS + tx;
        int kb = t * BS + ty;
        As[ty][tx] = row < m && ka < k ? A[row * k + ka] : 0.0f;
        Bs[ty][tx] = col < n && kb < k ? B[kb * n + col] : 0.0f;
        __syncthreads();
        for (int q = 0; q < BS; q++)
            acc += As[ty][q] * Bs[q][tx];
        __syncthreads();
    }
    if (row < m && col < n)
        C[row * n + col] = acc;
}

extern "C" void launch(const float *A,  // [m, k]
                       const float *B,  // [k, n]
                       float *C,        // [m, n]
                       int m, int n, int k, cudaStream_t stream = 0)
{
    dim3 block(BS, BS);
    dim3 grid((n + BS - 1) / BS, (m + BS - 1) / BS);
    mm<<<grid, block, 0, stream>>>(A, B, C, m, n, k);
}
"""
)

# A matrix of halves times a vector of floats: a warp a row, four rows a block.
MV = (
    HEADER
    + """\
#define WARPS 4

__global__ void mv(const half* A, const float* x, float* y, int rows, int cols) {
  int lane = threadIdx.x & 31;
  int row = blockIdx.x * WARPS + (threadIdx.x >> 5);
  if (row >= rows) return;
  const half* mine = A + (size_t)row * cols;
  float sum = 0.0f;
  for (int c = lane; c < cols; c += 32) {
    sum += __half2float(mine[c]) * x[c];
  }
  for (int d = 16; d >= 1; d >>= 1) {
    sum += __shfl_down_sync(0xffffffff, sum, d);
  }
  if (lane == 0) y[row] = sum;
}

extern "C" void launch(const half* A,   // [rows, cols]
                       const float* x,  // [cols]
                       float* y,        // [rows]
                       int rows, int cols, cudaStream_t stream = 0) {
  int blocks = (rows + WARPS - 1) / WARPS;
  mv<<<blocks, 32 * WARPS, 0, stream>>>(A, x, y, rows, cols);
}
"""
)

# Softmax of rows, a block a row, with a tree for the maximum and one for the sum.
SOFT = (
    HEADER
    + """\
constexpr int NT = 128;

__global__ void soft_rows(const float *x, float *y, int64_t cols)
{
    __shared__ float s[NT];
    const int t = threadIdx.x;
    const float *in = x + blockIdx.x * cols;
    float *out = y + blockIdx.x * cols;

    float top = -INFINITY;
    for (int64_t c = t; c < cols; c += NT)
        top = fmaxf(top, in[c]);
    s[t] = top;
    __syncthreads();
    for (int h = NT / 2; h > 0; h /= 2) {
        if (t < h)
            s[t] = fmaxf(s[t], s[t + h]);
        __syncthreads();
    }
    top = s[0];
    __syncthreads();

    float sum = 0.0f;
    for (int64_t c = t; c < cols; c += NT)
        sum += expf(in[c] - top);
    s[t] = sum;
    __syncthreads();
    for (int h = NT / 2; h > 0; h /= 2) {
        if (t < h)
            s[t] += s[t + h];
        __syncthreads();
    }
    sum = s[0];

    for (int64_t c = t; c < cols; c += NT)
        out[c] = expf(in[c] - top) / sum;
}

extern "C" void launch(const float *x,  // [rows, cols]
                       float *y,        // [rows, cols]
                       int64_t rows, int64_t cols, cudaStream_t stream = 0)
{
    soft_rows<<<(unsigned)rows, NT, 0, stream>>>(x, y, cols);
}
"""
)

# Layer norm of rows without weights, a warp a row, the variance from what is centred.
LNORM = (
    HEADER
    + """\
__device__ float warp_sum(float v) {
  for (int m = 16; m > 0; m >>= 1) v += __shfl_xor_sync(0xffffffff, v, m);
  return v;
}

__global__ void layer_norm_kernel(const float* x, float* y, int64_t rows, int64_t cols) {
  int64_t row = (int64_t)blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  const float* in = x + row * cols;
  float* out = y + row * cols;

  float sum = 0.0f;
  for (int64_t c = threadIdx.x; c < cols; c += 32) sum += in[c];
  float mean = warp_sum(sum) / cols;

  float sq = 0.0f;
  for (int64_t c = threadIdx.x; c < cols; c += 32) sq += (in[c] - mean) * (in[c] - mean);
  float var = warp_sum(sq) / cols;
  float scale = rsqrtf(var + 1e-5f);

  for (int64_t c = threadIdx.x; c < cols; c += 32) out[c] = (in[c] - mean) * scale;
}

extern "C" void launch(const float* x,  // [rows, cols]
                       float* y,        // [rows, cols]
                       int64_t rows, int64_t cols, cudaStream_t stream = 0) {
  dim3 block(32, 4);
  int64_t blocks = (rows + 3) / 4;
  layer_norm_kernel<<<(unsigned)blocks, block, 0, stream>>>(x, y, rows, cols);
}
"""
)

NAN, INF = float("nan"), float("inf")
LENGTHS = (*range(1, 71), 95, 96, 97, 127, 128, 129, 191, 192, 193, 255, 256, 257, 383, 384)
LENGTHS += (385, 511, 512, 513, 1000, 1023, 1024, 1025, 2047, 2049, 4096, 4099, 9001, 50_003)
SIDES = ((1, 1), (2, 1), (1, 2), (3, 2), (4, 31), (5, 32), (8, 33), (33, 8), (2, 64), (65, 3))
SIDES += ((9, 70), (70, 1), (3, 1000), (1, 4099), (64, 70), (130, 6), (40, 50), (32, 32))
SIDES += ((301, 2), (3, 129), (7, 128), (5, 63), (65, 65), (6, 7), (7, 10), (2, 130))
SIDES += ((1000, 3), (2049, 1), (31, 97), (97, 31), (1, 200), (257, 5))
FLOAT, HALF = (torch.float32,), (torch.float16,)


def swish(x: torch.Tensor) -> torch.Tensor:
    """Compute SiLU without overflow."""
    return torch.where(x < 0, x * x.exp() / (1 + x.exp()), x / (1 + (-x).exp()))


def additions(launcher: Launcher) -> Iterator[Case]:
    """Add as any operator is tried, all lengths to 70, and slices of which some are aligned."""
    make = ElementwiseMaker.of(launcher, lambda a, b: a + b)
    yield from elementwise_cases(launcher, make)
    for n in range(1, 71):
        yield make.random(n, 1)
    for n in (3, 4, 31, 64, 1001):
        for offset in ((4, 4, 1), (4, 2, 4), (3, 4, 4), (8, 4, 4), (2, 2, 2)):
            yield make.shifted(n, 2, offset)


def quants(launcher: Launcher) -> Iterator[Case]:
    """Quantise numbers whose products are exact: usual, ties, beyond, infinities, NaN."""
    for n in LENGTHS:
        x, j = whole(-999, 1000, n, n), torch.arange(n)
        for label, y, inv, zero in (
            ("usual", x / 16, 2.0, 128),
            ("no zero level", x.abs() / 8, 1.0, 0),
            ("ties", x % 100 + 0.5, 1.0, 3),
            ("ties below 0", -(x % 100) - 0.5, 1.0, 200),
            ("beyond the range", x.float(), 4.0, 10),
            ("far beyond", x * 1e6, 1.0, 10),
            ("zeros", torch.where(j % 2 == 0, 0.0, -0.0), 3.0, 77),
            ("infinities", torch.where(j % 3 == 1, INF * (1 - j % 2 * 2), x / 16), 0.5, 100),
            ("NaN", torch.where(j % 3 == 1, NAN, x / 16), 0.5, 100),
        ):
            y = y.float()
            right = (y.double() * inv).round() + zero
            right = right.nan_to_num(0.0, INF, -INF).clamp(0, 255)
            for block_size in (256, 64):
                scalars = {"inv": inv, "zero": zero, "block_size": block_size}
                words = f"n = {n:,}, {scalars}, {label}"
                options = {"dtypes": (torch.uint8,), "quick": n > 5000}
                yield Case(words, (y,), (right,), scalars, **options)


def leaks(launcher: Launcher) -> Iterator[Case]:
    """Leak by powers of two, so that all is exact: usual, steep, infinities, zeros, NaN."""
    for n in LENGTHS:
        x, j = whole(-999, 1000, n, n).float(), torch.arange(n)
        for label, y, slope in (
            ("usual", x / 8, 0.125),
            ("steep", x, 1.5),
            ("falling", x, -0.5),
            ("no slope", x, 0.0),
            ("zeros", torch.where(j % 2 == 0, 0.0, -0.0), 0.25),
            ("infinities", torch.where(j % 3 == 1, INF * (1 - j % 2 * 2), x), 0.25),
            ("NaN", torch.where(j % 3 == 1, NAN, x), 0.25),
        ):
            y = y.float()
            right = torch.where(y < 0, slope * y.double(), y.double())
            for block_size in (128, 64, 256):
                scalars = {"slope": slope, "block_size": block_size}
                words = f"n = {n:,}, {scalars}, {label}"
                options = {"dtypes": FLOAT, "quick": n > 5000}
                yield Case(words, (y,), (right,), scalars, **options)


def means(launcher: Launcher) -> Iterator[Case]:
    """Take means of columns, whose sums are exact: any, halves, zeros, below 0, a NaN."""
    for rows, cols in (*SIDES, *((r, 3) for r in range(1, 41)), (2, 5003), (5003, 2)):
        n = rows * cols
        x, r = whole(-99, 100, n, n).reshape(rows, cols).double(), torch.arange(rows)[:, None]
        for label, y in (
            ("any", x),
            ("halves", x + 0.5),
            ("below 0", -x.abs() - 1),
            ("ones", x * 0 + 1),
            ("zeros", x * 0),
            ("the last row alone", torch.where(r == rows - 1, 6.0, 0 * x)),
            ("infinity", torch.where(r == rows // 2, INF, x)),
            ("NaN", torch.where((r == rows // 2) & (x > 0), NAN, x)),
        ):
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y.float(),), (y.mean(0),), dtypes=FLOAT)


def places(launcher: Launcher) -> Iterator[Case]:
    """Look for the first largest: any, few values, equal, below 0, infinities, the last."""
    for rows, cols in (*SIDES, *((3, c) for c in range(1, 41)), (3, 5003), (513, 3)):
        n = rows * cols
        x, c = whole(-9999, 10_000, n, n).reshape(rows, cols).double(), torch.arange(cols)
        for label, y in (
            ("any", x),
            ("few values", x % 3),
            ("equal", x * 0 + 5),
            ("zeros", torch.where(x > 0, 0.0, -0.0)),
            ("below 0", -x.abs() - 1),
            ("the last", torch.where(c == cols - 1, 20_000.0, x)),
            ("infinity", torch.where(c == cols // 2, INF, x)),
            ("nothing but -infinity", x * 0 - INF),
        ):
            right = (y == y.amax(1, True)).int().argmax(1)
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y.float(),), (right,), dtypes=(torch.int32,))


def flips(launcher: Launcher) -> Iterator[Case]:
    """Transpose: any, rising, zeros of both signs, infinities, NaN."""
    for rows, cols in (*SIDES, *((k, 35) for k in range(1, 41)), (5003, 3), (3, 5003)):
        n = rows * cols
        x = whole(-2000, 2001, n, n).reshape(rows, cols).double()
        for label, y in (
            ("any", x),
            ("rising", torch.arange(n).reshape(rows, cols) % 2048),
            ("zeros", torch.where(x > 0, 0.0, -0.0)),
            ("infinities", torch.where(x > 900, INF, x)),
            ("NaN", torch.where(x > 900, NAN, x)),
        ):
            y = y.half()
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y,), (y.T.contiguous(),), dtypes=HALF)


def products(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole numbers, so that all is exact: any, ones, the last alone, NaN."""
    sides = ((1, 1, 1), (1, 2, 3), (2, 1, 40), (3, 5, 7), (16, 16, 16), (17, 15, 33))
    sides += ((15, 17, 65), (5, 40, 1), (40, 5, 2), (33, 31, 20), (1, 70, 31), (70, 1, 32))
    sides += ((20, 65, 48), (65, 20, 5), (3, 2, 1000), (2, 3, 300), (300, 2, 5), (2, 300, 5))
    for m, n, k in (*sides, *((7, 9, k) for k in range(1, 71)), (64, 64, 64), (130, 50, 40)):
        a = whole(-20, 21, m * k, m + k).reshape(m, k).double()
        b = whole(-20, 21, k * n, n + 1).reshape(k, n).double()
        h, i = torch.arange(k), torch.arange(m)[:, None]
        for label, s, t in (
            ("any", a, b),
            ("ones", a * 0 + 1, b * 0 + 1),
            ("the last alone", torch.where(h == k - 1, 3.0, 0 * a), b),
            ("zeros", torch.zeros_like(a), b),
            ("NaN in A", torch.where((i == m // 2) & (h == 0), NAN, a), b),
            ("infinities", torch.where((i == m - 1) & (h == 0), INF, a.abs() + 1), b.abs() + 1),
        ):
            words = f"m = {m}, n = {n}, k = {k}, {label}"
            yield Case(words, (s.float(), t.float()), (s @ t + 0.0,), dtypes=FLOAT)


def vectors(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole numbers, so that all is exact: any, ones, the last alone, NaN."""
    for rows, cols in (*SIDES, *((c, c) for c in range(1, 71)), (3, 5003), (5003, 3)):
        n = rows * cols
        a = whole(-99, 100, n, n).reshape(rows, cols).double()
        x, c = whole(-99, 100, cols, n + 1).double(), torch.arange(cols)
        for label, s, t in (
            ("any", a, x),
            ("ones", a * 0 + 1, x * 0 + 1),
            ("zeros", a * 0, x),
            ("below 0", -a.abs(), x.abs() + 1),
            ("the last alone", a, torch.where(c == cols - 1, 5.0, 0 * x)),
            ("NaN in x", a, torch.where(c == cols // 2, NAN, x)),
            ("NaN in A", torch.where((a > 50) & (c == 0), NAN, a), x),
        ):
            right = (s * t).sum(1)
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (s.half(), t.float()), (right,), dtypes=FLOAT)


BASES = {
    "seventysix_plus": Base(PLUS, {"cases": additions}),
    "seventysix_times": Base(TIMES, {"reference": "multiply"}),
    "seventysix_tobf": Base(TOBF, {"reference": "cast"}),
    "seventysix_quant": Base(QUANT, {"cases": quants}),
    "seventysix_leaky": Base(LEAKY, {"cases": leaks}),
    "seventysix_silu": Base(SILU, {"reference": swish, "ulp": 1}),
    "seventysix_total": Base(TOTAL, cases="sums"),
    "seventysix_colmean": Base(COLMEAN, {"cases": means}),
    "seventysix_argmax": Base(ARGMAX, {"cases": places}),
    "seventysix_flip": Base(FLIP, {"cases": flips}),
    "seventysix_mm": Base(MM, {"cases": products}),
    "seventysix_mv": Base(MV, {"cases": vectors}),
    "seventysix_soft": Base(SOFT, cases="softmax"),
    "seventysix_lnorm": Base(LNORM, cases="layer_norm"),
}

WRONG = (
    # ---- plus
    # The address of the output is not asked.
    Wrong(
        "seventysix_plus_c_anywhere",
        "seventysix_plus",
        "alignment",
        ("fits(a) && fits(b) && fits(c)", "fits(a) && fits(b)"),
    ),
    # The number of packs is rounded up.
    Wrong(
        "seventysix_plus_packs_rounded_up",
        "seventysix_plus",
        "bounds / tail | alignment",
        ("? n / 4 : 0;", "? (n + 3) / 4 : 0;"),
    ),
    # The last of four is added to its neighbour.
    Wrong(
        "seventysix_plus_z_for_w",
        "seventysix_plus",
        "neighbour / other element | numbers / alignment",
        ("u.w + v.w", "u.w + v.z"),
    ),
    # The stream is forgotten.
    Wrong(
        "seventysix_plus_no_stream",
        "seventysix_plus",
        "stream",
        ("<<<blocks, block_size, 0, stream>>>", "<<<blocks, block_size>>>"),
    ),
    # The block size is typed in.
    Wrong(
        "seventysix_plus_always_256",
        "seventysix_plus",
        "block size | unwritten / left out / bounds / nan / tail / other element",
        (
            "int t = blockIdx.x * blockDim.x + threadIdx.x;",
            "int t = blockIdx.x * 256 + threadIdx.x;",
        ),
    ),
    # ---- times
    # The threads are half as many, rounded down.
    Wrong(
        "seventysix_times_threads_rounded_down",
        "seventysix_times",
        "tail / unwritten / grid / left out | nan",
        ("int threads = (n + 1) / 2;", "int threads = n / 2;"),
    ),
    # The second factor may lie anywhere.
    Wrong(
        "seventysix_times_b_anywhere",
        "seventysix_times",
        "alignment",
        ("const half *b,  // [n] 4-byte aligned", "const half *b,  // [n]"),
    ),
    # At most 64 blocks, and no loop.
    Wrong(
        "seventysix_times_64_blocks",
        "seventysix_times",
        "grid / unwritten / left out | nan / tail",
        (
            "    if (blocks == 0)\n",
            "    if (blocks > 64)\n        blocks = 64;\n    if (blocks == 0)\n",
        ),
    ),
    # The product is made where the first factor lies.
    Wrong(
        "seventysix_times_in_place",
        "seventysix_times",
        "input | state / numbers",
        ("mul_pairs(const half2 *a,", "mul_pairs(half2 *a,"),
        (
            "out[i] = __hmul2(a[i], b[i]);",
            "a[i] = __hmul2(a[i], b[i]);\n        out[i] = a[i];",
        ),
        ("((const half2 *)a, (const half2 *)b,", "((half2 *)a, (const half2 *)b,"),
    ),
    # The odd one is multiplied by the one before.
    Wrong(
        "seventysix_times_one_before",
        "seventysix_times",
        "other element / neighbour / tail | numbers / bounds",
        ("((const half *)b)[n - 1]", "((const half *)b)[n - 2]"),
    ),
    # ---- tobf
    # What does not fit is cut off.
    Wrong(
        "seventysix_tobf_toward_zero",
        "seventysix_tobf",
        "rounding | numbers",
        ("return __float2bfloat16(f);", "return __float2bfloat16_rz(f);"),
    ),
    # It goes by way of a half.
    Wrong(
        "seventysix_tobf_by_way_of_half",
        "seventysix_tobf",
        "infinity / rounding / precision / whole range | numbers / subnormal / sign of zero",
        (
            "return __float2bfloat16(f);",
            "return __float2bfloat16(__half2float(__float2half(f)));",
        ),
    ),
    # The step is that of 40 blocks of 256.
    Wrong(
        "seventysix_tobf_step_typed_in",
        "seventysix_tobf",
        "block size / unwritten / left out / grid | nan / tail",
        ("static_cast<int64_t>(gridDim.x) * blockDim.x;", "40 * 256;"),
    ),
    # What is too large is limited before, and NaN with it.
    Wrong(
        "seventysix_tobf_limited",
        "seventysix_tobf",
        "infinity / nan | numbers",
        (
            "return __float2bfloat16(f);",
            "return __float2bfloat16(fminf(fmaxf(f, -3.3e38f), 3.3e38f));",
        ),
    ),
    # The last of the rest is not converted.
    Wrong(
        "seventysix_tobf_rest_ends_early",
        "seventysix_tobf",
        "tail / unwritten / left out | nan",
        ("i < n; i += step", "i < n - 1; i += step"),
    ),
    # ---- quant
    # Ties go away from zero.
    Wrong(
        "seventysix_quant_ties_away",
        "seventysix_quant",
        "rounding | numbers",
        ("rintf(x * inv)", "roundf(x * inv)"),
    ),
    # There is no upper limit.
    Wrong(
        "seventysix_quant_no_upper_limit",
        "seventysix_quant",
        "whole range / infinity | numbers",
        ("  q = fminf(q, 255.0f);\n  return (uint8_t)q;", "  return (uint8_t)(int)q;"),
    ),
    # The limits are taken in the other order.
    Wrong(
        "seventysix_quant_nan_is_255",
        "seventysix_quant",
        "nan",
        (
            "  q = fmaxf(q, 0.0f);\n  q = fminf(q, 255.0f);\n",
            "  q = fminf(q, 255.0f);\n  q = fmaxf(q, 0.0f);\n",
        ),
    ),
    # The factor divides.
    Wrong(
        "seventysix_quant_divides",
        "seventysix_quant",
        "function | numbers / rounding / whole range / infinity",
        ("rintf(x * inv)", "rintf(x / inv)"),
    ),
    # One thread too many works.
    Wrong(
        "seventysix_quant_one_too_many",
        "seventysix_quant",
        "bounds / tail",
        ("if (i < n)", "if (i <= n)"),
    ),
    # ---- leaky
    # The larger of the two is taken.
    Wrong(
        "seventysix_leaky_larger_of_two",
        "seventysix_leaky",
        "function | numbers / infinity / nan / sign of zero",
        ("v < 0.0f ? slope * v : v", "fmaxf(v, slope * v)"),
    ),
    # Blocks begin too close to each other.
    Wrong(
        "seventysix_leaky_blocks_overlap",
        "seventysix_leaky",
        "unwritten / left out / twice / other element / tail | nan / grid / neighbour",
        (
            "blockIdx.x * blockDim.x * PER + threadIdx.x",
            "blockIdx.x * blockDim.x + threadIdx.x",
        ),
    ),
    # A thread works only if it has all four.
    Wrong(
        "seventysix_leaky_all_four_or_none",
        "seventysix_leaky",
        "tail / unwritten / left out | nan",
        ("if (i < n) {", "if (base + (PER - 1) * blockDim.x < n) {"),
    ),
    # The slope is an integer for the kernel.
    Wrong(
        "seventysix_leaky_whole_slope",
        "seventysix_leaky",
        "function / rounding / precision / left out | numbers / infinity / sign of zero / nan",
        ("float *y, float slope, int n) {", "float *y, int slope, int n) {"),
    ),
    # Steps of a thread are those of the default block.
    Wrong(
        "seventysix_leaky_steps_of_128",
        "seventysix_leaky",
        "block size / unwritten / left out / other element / twice | nan / tail",
        ("base + k * blockDim.x;", "base + k * 128;"),
    ),
    # ---- silu
    # The exponential is a half.
    Wrong(
        "seventysix_silu_exp_of_half",
        "seventysix_silu",
        "precision / rounding / infinity | numbers / sign of zero / subnormal",
        ("expf(-v)", "__half2float(hexp(__float2half(-v)))"),
    ),
    # Both terms overflow.
    Wrong(
        "seventysix_silu_both_overflow",
        "seventysix_silu",
        "infinity / nan | numbers",
        ("float e = expf(-v);", "float e = expf(v);"),
        ("v / (1.0f + e)", "v * e / (1.0f + e)"),
    ),
    # The grid is that of the first call.
    Wrong(
        "seventysix_silu_first_grid",
        "seventysix_silu",
        "state / grid / unwritten / left out | nan / tail",
        ("  int blocks = ", "  static int blocks = "),
    ),
    # The sign of the exponent is missing.
    Wrong(
        "seventysix_silu_sign_missing",
        "seventysix_silu",
        "function | numbers / infinity / nan / sign of zero",
        ("expf(-v)", "expf(v)"),
    ),
    # The index has 16 bits.
    Wrong(
        "seventysix_silu_short_index",
        "seventysix_silu",
        "narrow / unwritten / left out | nan / tail / grid / twice",
        ("int idx = blockIdx.x", "unsigned short idx = blockIdx.x"),
    ),
    # ---- total
    # The total is not set to 0.
    Wrong(
        "seventysix_total_not_set",
        "seventysix_total",
        "zero before | state / nan / numbers",
        ("    cudaMemsetAsync(total, 0, sizeof(float), stream);\n", ""),
    ),
    # The second sum begins with 8: the upper warps of a large block are left out.
    Wrong(
        "seventysix_total_half_the_warps",
        "seventysix_total",
        "left out | block size / numbers / nan",
        ("int k = 16; k > 0", "int k = 8; k > 0"),
    ),
    # The first warp does not wait for the others.
    Wrong(
        "seventysix_total_no_barrier",
        "seventysix_total",
        "race | numbers / left out / unwritten / other element / state / nan",
        ("        warps[w] = mine;\n    __syncthreads();\n", "        warps[w] = mine;\n"),
    ),
    # Blocks add without an atomic.
    Wrong(
        "seventysix_total_no_atomic",
        "seventysix_total",
        "race | numbers / left out / state",
        ("atomicAdd(total, mine);", "*total += mine;"),
    ),
    # The step is that of one block.
    Wrong(
        "seventysix_total_step_of_a_block",
        "seventysix_total",
        "twice | numbers / other element / grid / function",
        ("i < n; i += step", "i < n; i += blockDim.x"),
    ),
    # ---- colmean
    # Rows have as many numbers as there are rows.
    Wrong(
        "seventysix_colmean_pitch_of_rows",
        "seventysix_colmean",
        "sides / other element / bounds | numbers / nan / left out / twice",
        ("x[(size_t)r * cols + c]", "x[(size_t)r * rows + c]"),
    ),
    # The sum is divided by the other side.
    Wrong(
        "seventysix_colmean_other_side",
        "seventysix_colmean",
        "function / sides / swapped | numbers",
        ("s / rows;", "s / cols;"),
    ),
    # The first of eight is added again.
    Wrong(
        "seventysix_colmean_first_again",
        "seventysix_colmean",
        "twice | numbers / other element / function",
        ("int k = 1; k < DOWN", "int k = 0; k < DOWN"),
    ),
    # Only whole groups of eight rows are added.
    Wrong(
        "seventysix_colmean_eights",
        "seventysix_colmean",
        "tail / left out | numbers / nan",
        ("r < rows; r += DOWN", "r < rows / DOWN * DOWN; r += DOWN"),
    ),
    # The sum is an integer.
    Wrong(
        "seventysix_colmean_whole_sum",
        "seventysix_colmean",
        "precision / rounding / whole range | nan / infinity / numbers / narrow / function",
        ("float s = 0.0f;", "int s = 0;"),
    ),
    # ---- argmax
    # The best begins with the least number above 0.
    Wrong(
        "seventysix_argmax_flt_min",
        "seventysix_argmax",
        "start | numbers / other element / left out",
        ("best = -INFINITY;", "best = FLT_MIN;"),
    ),
    # Of equal ones a thread takes the last.
    Wrong(
        "seventysix_argmax_last_of_equal",
        "seventysix_argmax",
        "other element | numbers / left out",
        ("if (row[c] > best)", "if (row[c] >= best)"),
    ),
    # The tree begins with a quarter.
    Wrong(
        "seventysix_argmax_quarter",
        "seventysix_argmax",
        "left out | numbers / other element",
        ("int h = NT / 2;", "int h = NT / 4;"),
    ),
    # The place is that of the thread.
    Wrong(
        "seventysix_argmax_place_of_thread",
        "seventysix_argmax",
        "other element | numbers / left out / function",
        ("            at = c;\n", "            at = t;\n"),
    ),
    # Rows are as long as a block.
    Wrong(
        "seventysix_argmax_rows_of_128",
        "seventysix_argmax",
        "sides / other element / bounds / block size | numbers / left out",
        ("(size_t)blockIdx.x * cols", "(size_t)blockIdx.x * NT"),
    ),
    # ---- flip
    # The tile is not turned.
    Wrong(
        "seventysix_flip_tile_not_turned",
        "seventysix_flip",
        "other element / unwritten | numbers / sides / nan / left out / race / copy",
        ("= tile[tx][k];", "= tile[k][tx];"),
    ),
    # The sides of the grid are swapped.
    Wrong(
        "seventysix_flip_grid_swapped",
        "seventysix_flip",
        "grid / sides / swapped / unwritten / left out | numbers / tail / nan",
        (
            "grid((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE)",
            "grid((rows + TILE - 1) / TILE, (cols + TILE - 1) / TILE)",
        ),
    ),
    # The last step of the way out is missing.
    Wrong(
        "seventysix_flip_three_steps",
        "seventysix_flip",
        "unwritten / left out / tail | nan / numbers",
        ("int k = ty; k < TILE;", "int k = ty; k < TILE - STEP;"),
    ),
    # The way out is tested as the way in.
    Wrong(
        "seventysix_flip_tests_of_way_in",
        "seventysix_flip",
        "sides / bounds / unwritten / other element / race / swapped | "
        "tail / left out / nan / numbers",
        ("if (left + k < cols && row < rows)", "if (left + k < rows && row < cols)"),
    ),
    # The kernel runs on the default stream.
    Wrong(
        "seventysix_flip_no_stream",
        "seventysix_flip",
        "stream",
        ("dim3(TILE, STEP), 0, stream>>>", "dim3(TILE, STEP)>>>"),
    ),
    # ---- mm
    # The last tile of k is forgotten.
    Wrong(
        "seventysix_mm_whole_tiles_of_k",
        "seventysix_mm",
        "left out / tail | numbers / nan / sides",
        ("int tiles = (k + BS - 1) / BS;", "int tiles = k / BS;"),
    ),
    # Tiles are filled while others read them.
    Wrong(
        "seventysix_mm_no_second_barrier",
        "seventysix_mm",
        "race | numbers / other element / left out / nan / twice",
        ("Bs[q][tx];\n        __syncthreads();\n", "Bs[q][tx];\n"),
    ),
    # Rows of B have the pitch of A.
    Wrong(
        "seventysix_mm_pitch_of_a",
        "seventysix_mm",
        "sides / other element / bounds / swapped | numbers / nan",
        ("B[kb * n + col]", "B[kb * k + col]"),
    ),
    # The product is added to what was there.
    Wrong(
        "seventysix_mm_adds_to_c",
        "seventysix_mm",
        "zero before | state / nan / numbers",
        ("C[row * n + col] = acc;", "C[row * n + col] += acc;"),
    ),
    # The end of k is not asked for A.
    Wrong(
        "seventysix_mm_a_beyond_k",
        "seventysix_mm",
        "bounds | nan / infinity / other element / tail / numbers",
        ("row < m && ka < k ?", "row < m ?"),
    ),
    # ---- mv
    # The last rows have no block.
    Wrong(
        "seventysix_mv_blocks_rounded_down",
        "seventysix_mv",
        "grid / unwritten / tail / left out | refused / nan",
        ("(rows + WARPS - 1) / WARPS;", "rows / WARPS;"),
    ),
    # A lane takes always the same number of x.
    Wrong(
        "seventysix_mv_x_of_lane",
        "seventysix_mv",
        "other element | numbers / left out / nan",
        ("* x[c];", "* x[lane];"),
    ),
    # The last of five shuffles is missing.
    Wrong(
        "seventysix_mv_four_shuffles",
        "seventysix_mv",
        "left out | numbers / nan / other element",
        ("d >= 1; d >>= 1", "d > 1; d >>= 1"),
    ),
    # Products are halves.
    Wrong(
        "seventysix_mv_products_of_halves",
        "seventysix_mv",
        "precision / rounding | numbers / infinity",
        ("__half2float(mine[c]) * x[c]", "__half2float(__hmul(mine[c], __float2half(x[c])))"),
    ),
    # Blocks are thought to have eight rows.
    Wrong(
        "seventysix_mv_eight_rows",
        "seventysix_mv",
        "unwritten / left out / grid | nan / tail / block size / numbers",
        ("int row = blockIdx.x * WARPS", "int row = blockIdx.x * 8"),
    ),
    # ---- soft
    # Nothing is taken off.
    Wrong(
        "seventysix_soft_no_maximum",
        "seventysix_soft",
        "infinity / nan | numbers / function",
        ("    top = s[0];\n", "    top = 0.0f;\n"),
    ),
    # Sums are stored while others read the maximum.
    Wrong(
        "seventysix_soft_no_barrier",
        "seventysix_soft",
        "race | numbers / nan / other element / state / infinity / function",
        ("    top = s[0];\n    __syncthreads();\n", "    top = s[0];\n"),
    ),
    # Each thread divides by its own sum.
    Wrong(
        "seventysix_soft_own_sum",
        "seventysix_soft",
        "left out | numbers / function / infinity / other element",
        ("    sum = s[0];\n", ""),
    ),
    # Exponentials are kept where x lies.
    Wrong(
        "seventysix_soft_kept_in_x",
        "seventysix_soft",
        "input | state / numbers",
        ("soft_rows(const float *x,", "soft_rows(float *x,"),
        ("    const float *in = x", "    float *in = x"),
        ("        sum += expf(in[c] - top);\n", "        sum += in[c] = expf(in[c] - top);\n"),
        ("out[c] = expf(in[c] - top) / sum;", "out[c] = in[c] / sum;"),
        ("stream>>>(x, y, cols)", "stream>>>((float *)x, y, cols)"),
    ),
    # The powers on top are those of 2.
    Wrong(
        "seventysix_soft_powers_of_2",
        "seventysix_soft",
        "function | numbers / precision",
        ("out[c] = expf(", "out[c] = exp2f("),
    ),
    # ---- lnorm
    # The variance is that of a sample.
    Wrong(
        "seventysix_lnorm_sample",
        "seventysix_lnorm",
        "function | numbers / precision / sides",
        ("warp_sum(sq) / cols;", "warp_sum(sq) / (cols - 1);"),
    ),
    # The variance is the mean of squares less the square of the mean.
    Wrong(
        "seventysix_lnorm_squares_less_square",
        "seventysix_lnorm",
        "precision | numbers / nan / infinity / function",
        ("sq += (in[c] - mean) * (in[c] - mean);", "sq += in[c] * in[c];"),
        ("warp_sum(sq) / cols;", "warp_sum(sq) / cols - mean * mean;"),
    ),
    # The small number is missing.
    Wrong(
        "seventysix_lnorm_no_eps",
        "seventysix_lnorm",
        "nan / function / infinity | numbers / precision",
        ("rsqrtf(var + 1e-5f)", "rsqrtf(var)"),
    ),
    # Each lane has a variance of its own.
    Wrong(
        "seventysix_lnorm_own_variance",
        "seventysix_lnorm",
        "left out | numbers / function / other element / infinity",
        ("float var = warp_sum(sq) / cols;", "float var = sq / cols;"),
    ),
    # Warps without a row work, too.
    Wrong(
        "seventysix_lnorm_no_row_test",
        "seventysix_lnorm",
        "bounds / tail | race / nan / numbers",
        ("  if (row >= rows) return;\n", ""),
    ),
)

RIGHT = (
    # Lengths have 64 bits.
    Right(
        "seventysix_plus_64_bits",
        "seventysix_plus",
        ("float* c, int n, int packs) {", "float* c, int64_t n, int64_t packs) {"),
        ("  int t = blockIdx.x * blockDim.x", "  int64_t t = (int64_t)blockIdx.x * blockDim.x"),
        ("  int i = 4", "  int64_t i = 4"),
        ("int n, int block_size = 256", "int64_t n, int block_size = 256"),
        ("  int packs = fits", "  int64_t packs = fits"),
        ("  int threads =", "  int64_t threads ="),
        ("<<<blocks, block_size, 0", "<<<(unsigned)blocks, block_size, 0"),
    ),
    # The products are floats, rounded once.
    Right(
        "seventysix_times_by_floats",
        "seventysix_times",
        (
            "        out[i] = __hmul2(a[i], b[i]);",
            "        float2 u = __half22float2(a[i]), v = __half22float2(b[i]);\n"
            "        out[i] = __floats2half2_rn(u.x * v.x, u.y * v.y);",
        ),
    ),
    # There are blocks that have nothing to do.
    Right(
        "seventysix_tobf_idle_blocks",
        "seventysix_tobf",
        (
            "int64_t blocks = n / 4 / block_size + 1;\n    if (blocks > 40) blocks = 40;",
            "const int64_t blocks = 48;",
        ),
    ),
    # Indices have no sign.
    Right(
        "seventysix_quant_unsigned",
        "seventysix_quant",
        ("int zero, int n)\n{", "int zero, uint32_t n)\n{"),
        ("int i = blockIdx.x", "uint32_t i = blockIdx.x"),
    ),
    # The output comes first, and the size before the slope.
    Right(
        "seventysix_leaky_output_first",
        "seventysix_leaky",
        (
            "launch(const float *x,  // [n]\n                       float *y,        // [n]\n"
            "                       float slope, int n,",
            "launch(float *y,        // [n]\n                       const float *x,  // [n]\n"
            "                       int n, float slope,",
        ),
    ),
    # The reciprocal is a factor, and the default block is larger.
    Right(
        "seventysix_silu_reciprocal",
        "seventysix_silu",
        ("v / (1.0f + e)", "v * (1.0f / (1.0f + e))"),
        ("int block_size = 256", "int block_size = 512"),
    ),
    # A kernel sets the total to 0.
    Right(
        "seventysix_total_set_by_kernel",
        "seventysix_total",
        ('extern "C"', '__global__ void clear(float *total) { *total = 0.0f; }\n\nextern "C"'),
        (
            "cudaMemsetAsync(total, 0, sizeof(float), stream);",
            "clear<<<1, 1, 0, stream>>>(total);",
        ),
    ),
    # There is a block more than columns need.
    Right(
        "seventysix_colmean_block_more",
        "seventysix_colmean",
        ("<<<(cols + ACROSS - 1) / ACROSS,", "<<<cols / ACROSS + 2,"),
    ),
    # Blocks have two warps.
    Right(
        "seventysix_argmax_64_threads",
        "seventysix_argmax",
        ("#define NT 128", "#define NT 64"),
    ),
    # Blocks are as high as they are wide.
    Right(
        "seventysix_flip_1024_threads",
        "seventysix_flip",
        ("constexpr int STEP = 8;", "constexpr int STEP = 32;"),
    ),
    # The sum is a double.
    Right(
        "seventysix_mm_double",
        "seventysix_mm",
        ("float acc = 0.0f;", "double acc = 0.0;"),
        ("= acc;", "= (float)acc;"),
    ),
    # Shuffles go across, from the near to the far lanes.
    Right(
        "seventysix_mv_across",
        "seventysix_mv",
        ("int d = 16; d >= 1; d >>= 1", "int d = 1; d < 32; d <<= 1"),
        ("__shfl_down_sync", "__shfl_xor_sync"),
    ),
    # Each exponential is kept in y until the sum is known.
    Right(
        "seventysix_soft_kept_in_y",
        "seventysix_soft",
        ("        sum += expf(in[c] - top);\n", "        sum += out[c] = expf(in[c] - top);\n"),
        ("out[c] = expf(in[c] - top) / sum;", "out[c] /= sum;"),
    ),
    # Blocks have eight rows, and a root divides.
    Right(
        "seventysix_lnorm_eight_rows",
        "seventysix_lnorm",
        ("dim3 block(32, 4);", "dim3 block(32, 8);"),
        ("(rows + 3) / 4;", "(rows + 7) / 8;"),
        ("rsqrtf(var + 1e-5f)", "1.0f / sqrtf(var + 1e-5f)"),
    ),
)
