"""Hold a hundred-and-nineteenth family: a course's plain operators, and plain mistakes.

Its bases are a product of halves in pairs, bytes to floats, floats to int8, softplus, elu of
doubles, a mean, the place of the largest, the largest of each row of bfloat16, sums of
squares of integers, log-sum-exp, an RMS norm with weights, a transpose, a product of halves,
and a vector times a matrix. They have 20 to 54 lines. Five wrong members and a right one
belong to each. The causes were written before a member was judged. On the emulator each was
run on the cases in three rounds: outputs full of NaN (-1 of integers), tensors at the end of
their pages, threads in order; full of 1e3 (77), tensors at addresses of their own near the
start of their pages, threads from the last to the first, on a stream that is not the default
one, called twice on the same tensors; and full of -5.5 (0), at the start of their pages,
threads in a random order, on such a stream. Of quick cases the second and the third round
took a fifth. Elementwise ones ran the cases of their operator, all counts up to 69 and
slices; those that are right 2^22 + 3 elements, too, but none ran more. The bytes around
tensors and the inputs were looked at afterwards. Bases and right ones ran all of that and are
right; wrong ones ran until they were wrong often enough, and each was. nvcc 13.0 compiles all
of them for 8.0; none was run on a GPU:

    hundrednineteen_hmul_and_of_addresses    where some addresses are no multiples of 4 bytes
    hundrednineteen_hmul_rest_behind_pairs   of odd counts from 3 on, where pairs are taken
    hundrednineteen_hmul_plus_zero           of products that are -0.0, where pairs are taken
    hundrednineteen_hmul_low_of_b            from 2 numbers on, where pairs are taken
    hundrednineteen_hmul_rest_no_stream      on another stream, if not all are in pairs
    hundrednineteen_bytes_one_in_the_tail    unless 4 divides n or n - 1
    hundrednineteen_bytes_tail_has_sign      of bytes from 128 on behind the last pack
    hundrednineteen_bytes_no_block_for_few   of fewer than 4 block sizes
    hundrednineteen_bytes_out_anywhere       from 4 numbers on, by the address of out alone
    hundrednineteen_bytes_step_of_elements   beyond 256 block sizes
    hundrednineteen_quant_plus_a_half        below -0.5, and of some ties
    hundrednineteen_quant_through_short      of some beyond 16 bits
    hundrednineteen_quant_up_to_128          from 127.5 on
    hundrednineteen_quant_more_than_n        unless the block size divides n
    hundrednineteen_quant_ceil_of_int        unless the block size divides n
    hundrednineteen_softplus_log_1_plus      below about -1
    hundrednineteen_softplus_from_10         between 10 and about 13
    hundrednineteen_softplus_no_limit        from about 88.8 on
    hundrednineteen_softplus_min_eats_nan    of NaN
    hundrednineteen_softplus_neighbours      from 68 numbers on
    hundrednineteen_elu_int_alpha            below 0
    hundrednineteen_elu_product_less_1       up to 0
    hundrednineteen_elu_in_x_then_copied     always: x is written
    hundrednineteen_elu_nan_not_written      of NaN
    hundrednineteen_elu_128_a_block          of other block sizes, from a second block on
    hundrednineteen_mean_float_shuffles      of sums that are not floats
    hundrednineteen_mean_n_less_1            unless the mean is 0
    hundrednineteen_mean_128_sums            from 32,769 numbers on
    hundrednineteen_mean_lanes_left_out      from 2 numbers on
    hundrednineteen_mean_memory_of_call_1    in calls of more blocks than the first
    hundrednineteen_argmax_last_of_equal     of equal ones
    hundrednineteen_argmax_plain_bits        if one is below 0
    hundrednineteen_argmax_memset_no_stream  on another stream than the default one
    hundrednineteen_argmax_starts_at_0       if all are below 0 and the first is not the largest
    hundrednineteen_argmax_sign_of_index     unless the first is the largest
    hundrednineteen_rowmax_nan_lost          of NaN
    hundrednineteen_rowmax_starts_at_lane    of rows of fewer than 32 columns
    hundrednineteen_rowmax_grid_of_threads   from 9 rows on
    hundrednineteen_rowmax_step_of_block     from 33 columns on
    hundrednineteen_rowmax_thread_0_writes   from 2 rows on
    hundrednineteen_sumsq_int_square         of numbers beyond 46,340
    hundrednineteen_sumsq_tree_no_barrier    where threads do not wait for another
    hundrednineteen_sumsq_96_threads         from 3 columns on
    hundrednineteen_sumsq_rows_along_y       from 65,536 rows on
    hundrednineteen_sumsq_sum_of_doubles     of sums beyond 2^53, from 129 columns on
    hundrednineteen_lse_log2                 from 2 columns on
    hundrednineteen_lse_maximum_down         from 2 columns on, unless all are alike
    hundrednineteen_lse_inf_less_inf         if the largest is infinite
    hundrednineteen_lse_width_for_height     from 5 rows on
    hundrednineteen_lse_row_not_tested       unless 4 divides the rows
    hundrednineteen_rms_factor_no_barrier    where threads do not wait for another
    hundrednineteen_rms_total_of_all_rows    from 41 rows on
    hundrednineteen_rms_no_eps               of nearly all
    hundrednineteen_rms_weight_of_thread     from 129 columns on
    hundrednineteen_rms_divides_by_threads   unless there are 128 columns
    hundrednineteen_turn_blocks_of_4         if a side is more than 4
    hundrednineteen_turn_tile_stays          from a second tile on
    hundrednineteen_turn_leaves_early        where a thread has none to read and one to write
    hundrednineteen_turn_33rd_row            from 33 rows on
    hundrednineteen_turn_first_step_tested   unless 32 divides the rows
    hundrednineteen_matmul_tile_sum_half     of sums that are not halves
    hundrednineteen_matmul_no_first_barrier  where threads do not wait for another
    hundrednineteen_matmul_pitch_k           unless n is k or k is 1
    hundrednineteen_matmul_limits_swapped    unless m and n are alike
    hundrednineteen_matmul_tile_not_zeroed   unless 16 divides k
    hundrednineteen_vecmat_matrix_times_x    unless a side is 1, of nearly all
    hundrednineteen_vecmat_whole_chunks      unless 128 divides the rows
    hundrednineteen_vecmat_blocks_of_call_1  in calls of more blocks than the first
    hundrednineteen_vecmat_sum_of_chunk      from 129 rows on
    hundrednineteen_vecmat_added_to_y        unless y is 0 already
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import whole

# Half times half: a kernel for pairs, and one for what is left of them.
HMUL = (
    HEADER
    + """\
__global__ void mul_pairs(const half2* a, const half2* b, half2* c, int64_t pairs) {
  const int64_t step = (int64_t)gridDim.x * blockDim.x;
  for (int64_t p = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; p < pairs; p += step) {
    c[p] = __hmul2(a[p], b[p]);
  }
}

__global__ void mul_singles(const half* a, const half* b, half* c, int64_t count) {
  int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) c[i] = __hmul(a[i], b[i]);
}

extern "C" void launch(const half* a,  // [n]
                       const half* b,  // [n]
                       half* c,        // [n]
                       int64_t n, cudaStream_t stream = 0) {
  const int threads = 128;
  const uintptr_t address = (uintptr_t)a | (uintptr_t)b | (uintptr_t)c;
  const int64_t pairs = address % sizeof(half2) == 0 ? n / 2 : 0;
  if (pairs > 0) {
    int64_t blocks = (pairs + threads - 1) / threads;
    if (blocks > 4096) blocks = 4096;
    const half2 *a2 = (const half2*)a, *b2 = (const half2*)b;
    mul_pairs<<<(int)blocks, threads, 0, stream>>>(a2, b2, (half2*)c, pairs);
  }
  const int64_t done = 2 * pairs;
  const int64_t left = n - done;
  if (left > 0) {
    int blocks = (int)((left + threads - 1) / threads);
    mul_singles<<<blocks, threads, 0, stream>>>(a + done, b + done, c + done, left);
  }
}
"""
)

# Bytes to floats, four at once, in a loop over at most 64 blocks.
BYTES = (
    HEADER
    + """\
__global__ void bytes_to_floats(const uint8_t *in, float *out, int n)
{
    const int packs = n / 4;
    const int step = gridDim.x * blockDim.x;
    for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < packs; k += step) {
        const uchar4 q = ((const uchar4 *)in)[k];
        float4 f;
        f.x = q.x;
        f.y = q.y;
        f.z = q.z;
        f.w = q.w;
        ((float4 *)out)[k] = f;
    }
    if (blockIdx.x == 0 && threadIdx.x < n % 4) {
        const int i = 4 * packs + threadIdx.x;
        out[i] = (float)in[i];
    }
}

extern "C" void launch(const uint8_t *in,  // [n] 4-byte aligned
                       float *out,         // [n] 16-byte aligned
                       int n, int block_size = 128, cudaStream_t stream = 0)
{
    int grid = n / (4 * block_size) + 1;
    if (grid > 64)
        grid = 64;
    bytes_to_floats<<<grid, block_size, 0, stream>>>(in, out, n);
}
"""
)

# Float to int8, to the nearest, and no further than int8 goes.
QUANT = (
    HEADER
    + """\
__device__ int8_t to_int8(float v) {
    int q = __float2int_rn(v);
    q = max(q, -128);
    q = min(q, 127);
    return (int8_t)q;
}

__global__ void quantize(const float* __restrict__ x, int8_t* __restrict__ q, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    q[i] = to_int8(x[i]);
}

extern "C" void launch(const float* x,  // [n]
                       int8_t* q,       // [n]
                       int n, int block_size = 256, cudaStream_t stream = 0) {
    int blocks = (int)ceil((double)n / block_size);
    if (blocks == 0) return;
    quantize<<<blocks, block_size, 0, stream>>>(x, q, n);
}
"""
)

# Softplus, four elements a thread, a block's width from one to the next.
SOFTPLUS = (
    HEADER
    + """\
#define ITEMS 4
#define THRESHOLD 20.0f

__device__ inline float softplus(float v)
{
        return v > THRESHOLD ? v : log1pf(expf(v));
}

__global__ void softplus_kernel(const float *x, float *y, int64_t n)
{
        int64_t first = (int64_t)blockIdx.x * blockDim.x * ITEMS + threadIdx.x;
#pragma unroll
        for (int k = 0; k < ITEMS; k++) {
                int64_t i = first + k * blockDim.x;
                if (i < n)
                        y[i] = softplus(x[i]);
        }
}

extern "C" void launch(const float *x,  // [n]
                       float *y,        // [n]
                       int64_t n, cudaStream_t stream = 0)
{
        const int block = 64;
        const int64_t per_block = block * ITEMS;
        const unsigned grid = (unsigned)((n + per_block - 1) / per_block);
        if (grid > 0)
                softplus_kernel<<<grid, block, 0, stream>>>(x, y, n);
}
"""
)

# ELU of doubles with a factor.
ELU = (
    HEADER
    + """\
__global__ void elu(const double* x, double* y, double alpha, int n) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i < n) {
    const double v = x[i];
    if (v > 0.0) {
      y[i] = v;
    } else {
      y[i] = alpha * expm1(v);
    }
  }
}

extern "C" void launch(const double* x,  // [n]
                       double* y,        // [n]
                       double alpha, int n, int block_size = 128, cudaStream_t stream = 0) {
  if (n > 0) {
    dim3 grid((n - 1) / block_size + 1);
    elu<<<grid, block_size, 0, stream>>>(x, y, alpha, n);
  }
}
"""
)

# The mean of all: a sum of doubles a block, then one block for those sums.
MEAN = (
    HEADER
    + """\
#define THREADS 256
#define LAST 128

__global__ void block_sums(const float *x, double *sums, int n)
{
    __shared__ double of_warp[THREADS / 32];
    double sum = 0.0;
    for (int64_t i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS)
        sum += x[i];
    for (int d = 16; d > 0; d /= 2) {
        double other = __shfl_down_sync(0xffffffff, sum, d);
        sum += other;
    }
    if (threadIdx.x % 32 == 0)
        of_warp[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < THREADS / 32; w++)
            sum += of_warp[w];
        sums[blockIdx.x] = sum;
    }
}

__global__ void mean_of_sums(const double *sums, int count, float *out, int n)
{
    __shared__ double buf[LAST];
    int t = threadIdx.x;
    double sum = 0.0;
    for (int b = t; b < count; b += LAST)
        sum += sums[b];
    buf[t] = sum;
    __syncthreads();
    for (int s = LAST / 2; s >= 1; s /= 2) {
        if (t < s)
            buf[t] += buf[t + s];
        __syncthreads();
    }
    if (t == 0)
        *out = (float)(buf[0] / n);
}

extern "C" void launch(const float *x,  // [n]
                       float *out,      // [1]
                       int n, cudaStream_t stream = 0)
{
    int blocks = (n + THREADS - 1) / THREADS;
    if (blocks > 512)
        blocks = 512;
    double *sums;
    cudaMallocAsync((void **)&sums, blocks * sizeof(double), stream);
    block_sums<<<blocks, THREADS, 0, stream>>>(x, sums, n);
    mean_of_sums<<<1, LAST, 0, stream>>>(sums, blocks, out, n);
    cudaFreeAsync(sums, stream);
}
"""
)

# The place of the largest: number and index in one key, whose upper half orders floats.
ARGMAX = (
    HEADER
    + """\
typedef unsigned long long Key;

__device__ Key keyOf(float v, int i) {
    unsigned bits = __float_as_uint(v + 0.0f);  // of -0.0, too, that of 0.0
    bits = (bits >> 31) ? ~bits : (bits | 0x80000000u);
    return ((Key)bits << 32) | (unsigned)~i;
}

__global__ void largestKey(const float* x, Key* result, int n) {
    __shared__ Key keys[128];
    Key best = 0;
    for (int64_t i = blockIdx.x * 128 + threadIdx.x; i < n; i += gridDim.x * 128) {
        Key key = keyOf(x[i], i);
        best = key > best ? key : best;
    }
    keys[threadIdx.x] = best;
    __syncthreads();
    for (int half_of = 64; half_of > 0; half_of >>= 1) {
        if (threadIdx.x < half_of) {
            Key other = keys[threadIdx.x + half_of];
            if (other > keys[threadIdx.x]) keys[threadIdx.x] = other;
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicMax(result, keys[0]);
}

__global__ void indexOf(Key* result) {
    *result = (unsigned)~*result;
}

extern "C" void launch(const float* x,  // [n]
                       int64_t* where,  // [1]
                       int n, cudaStream_t stream = 0) {
    int blocks = n / 128 + 1;
    blocks = blocks < 32 ? blocks : 32;
    cudaMemsetAsync(where, 0, sizeof(int64_t), stream);
    largestKey<<<blocks, 128, 0, stream>>>(x, (Key*)where, n);
    indexOf<<<1, 1, 0, stream>>>((Key*)where);
}
"""
)

# The largest of each row of bfloat16, a warp a row; a NaN stays.
ROWMAX = (
    HEADER
    + """\
__global__ void row_max(const __nv_bfloat16* x, __nv_bfloat16* y, int rows, int cols) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const int lane = threadIdx.x % 32;
  if (row >= rows) return;
  const __nv_bfloat16* in = x + (int64_t)row * cols;
  __nv_bfloat16 best = in[0];
  for (int c = lane; c < cols; c += 32) {
    best = __hmax_nan(best, in[c]);
  }
  for (int m = 16; m > 0; m >>= 1) {
    __nv_bfloat16 other = __shfl_xor_sync(0xffffffffu, best, m);
    best = __hmax_nan(other, best);
  }
  if (lane == 0) y[row] = best;
}

extern "C" void launch(const __nv_bfloat16* x,  // [rows, cols]
                       __nv_bfloat16* y,        // [rows]
                       int rows, int cols, cudaStream_t stream = 0) {
  const int block = 256;
  const int rows_of_block = block / 32;
  row_max<<<(rows + rows_of_block - 1) / rows_of_block, block, 0, stream>>>(x, y, rows, cols);
}
"""
)

# The sum of squares of each row of integers, a block a row.
SUMSQ = (
    HEADER
    + """\
#define T 128

__global__ void sumOfSquares(const int32_t *x, int64_t *out, int cols)
{
    __shared__ long long buf[T];
    const int32_t *row = x + (size_t)blockIdx.x * cols;
    const int t = threadIdx.x;

    long long sum = 0;
    for (int j = t; j < cols; j += T) {
        const long long v = row[j];
        sum += v * v;
    }
    buf[t] = sum;
    __syncthreads();

    for (int s = T / 2; s > 0; s >>= 1) {
        if (t < s)
            buf[t] += buf[t + s];
        __syncthreads();
    }

    if (t == 0)
        out[blockIdx.x] = buf[0];
}

extern "C" void launch(const int32_t *x,  // [rows, cols]
                       int64_t *out,      // [rows]
                       int rows, int cols, cudaStream_t stream = 0)
{
    sumOfSquares<<<rows, T, 0, stream>>>(x, out, cols);
}
"""
)

# log(sum(exp(x))) of each row, a warp a row, four rows a block.
LSE = (
    HEADER
    + """\
__global__ void logsumexp_rows(const float* x, float* y, int rows, int cols) {
    const int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    const float* in = x + (int64_t)row * cols;

    float m = -INFINITY;
    for (int c = threadIdx.x; c < cols; c += 32) m = fmaxf(m, in[c]);
    for (int d = 16; d; d >>= 1) m = fmaxf(m, __shfl_xor_sync(0xffffffff, m, d));
    const float shift = isinf(m) ? 0.0f : m;

    float sum = 0.0f;
    for (int c = threadIdx.x; c < cols; c += 32) sum += expf(in[c] - shift);
    for (int d = 16; d; d >>= 1) sum += __shfl_down_sync(0xffffffff, sum, d);
    if (threadIdx.x == 0) y[row] = shift + logf(sum);
}

extern "C" void launch(const float* x,  // [rows, cols]
                       float* y,        // [rows]
                       int rows, int cols, cudaStream_t stream = 0) {
    const dim3 block(32, 4);
    const int grid = (rows + 3) / 4;
    logsumexp_rows<<<grid, block, 0, stream>>>(x, y, rows, cols);
}
"""
)

# RMS norm with a weight a column, a block a row, in a loop over the rows.
RMS = (
    HEADER
    + """\
#define THREADS 128
#define WARPS (THREADS / 32)

__global__ void rms_norm(const float *x, const float *w, float *y, float eps, int rows,
                         int cols)
{
        __shared__ float part[WARPS];
        __shared__ float scale;
        int tid = threadIdx.x;

        for (int row = blockIdx.x; row < rows; row += gridDim.x) {
                const float *in = x + (int64_t)row * cols;
                float *out = y + (int64_t)row * cols;
                float sum = 0.0f;
                for (int c = tid; c < cols; c += THREADS)
                        sum += in[c] * in[c];
                for (int d = 16; d > 0; d >>= 1)
                        sum += __shfl_down_sync(0xffffffff, sum, d);
                if (tid % 32 == 0)
                        part[tid / 32] = sum;
                __syncthreads();
                if (tid == 0) {
                        float total = 0.0f;
                        for (int k = 0; k < WARPS; k++)
                                total += part[k];
                        scale = rsqrtf(total / cols + eps);
                }
                __syncthreads();
                for (int c = tid; c < cols; c += THREADS)
                        out[c] = in[c] * scale * w[c];
        }
}

extern "C" void launch(const float *x,  // [rows, cols]
                       const float *w,  // [cols]
                       float *y,        // [rows, cols]
                       float eps, int rows, int cols, cudaStream_t stream = 0)
{
        int blocks = rows < 40 ? rows : 40;
        rms_norm<<<blocks, THREADS, 0, stream>>>(x, w, y, eps, rows, cols);
}
"""
)

# Transpose of floats, in tiles of 32 times 32, by blocks of 32 times 8.
TURN = (
    HEADER
    + """\
constexpr int TILE = 32;
constexpr int STEP = 8;

__global__ void transpose_tiles(const float* a, float* b, int rows, int cols) {
  __shared__ float tile[TILE][TILE + 1];
  int x = blockIdx.x * TILE + threadIdx.x;
  int y = blockIdx.y * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += STEP) {
    if (x < cols && y + j < rows) {
      tile[threadIdx.y + j][threadIdx.x] = a[(size_t)(y + j) * cols + x];
    }
  }
  __syncthreads();
  x = blockIdx.y * TILE + threadIdx.x;
  y = blockIdx.x * TILE + threadIdx.y;
  for (int k = 0; k < TILE; k += STEP) {
    if (x < rows && y + k < cols) {
      b[(size_t)(y + k) * rows + x] = tile[threadIdx.x][threadIdx.y + k];
    }
  }
}

extern "C" void launch(const float* a,  // [rows, cols]
                       float* b,        // [cols, rows]
                       int rows, int cols, cudaStream_t stream = 0) {
  dim3 block(TILE, STEP);
  dim3 grid((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
  transpose_tiles<<<grid, block, 0, stream>>>(a, b, rows, cols);
}
"""
)

# Halves times halves with sums of floats, in tiles of 16.
MATMUL = (
    HEADER
    + """\
#define TILE 16

__global__ void gemm(const half *A, const half *B, half *C, int m, int n, int k)
{
    __shared__ half As[TILE][TILE];
    __shared__ half Bs[TILE][TILE];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * TILE + ty;
    const int col = blockIdx.x * TILE + tx;
    const half zero = __float2half(0.0f);
    float acc = 0.0f;

    for (int t = 0; t < (k + TILE - 1) / TILE; ++t) {
        const int ka = t * TILE + tx;
        const int kb = t * TILE + ty;
        As[ty][tx] = (row < m && ka < k) ? A[(size_t)row * k + ka] : zero;
        Bs[ty][tx] = (kb < k && col < n) ? B[(size_t)kb * n + col] : zero;
        __syncthreads();
        for (int j = 0; j < TILE; ++j)
            acc += __half2float(As[ty][j]) * __half2float(Bs[j][tx]);
        __syncthreads();
    }

    if (row < m && col < n)
        C[(size_t)row * n + col] = __float2half(acc);
}

extern "C" void launch(const half *A,  // [m, k]
                       const half *B,  // [k, n]
                       half *C,        // [m, n]
                       int m, int n, int k, cudaStream_t stream = 0)
{
    const dim3 block(TILE, TILE);
    const dim3 grid((n + TILE - 1) / TILE, (m + TILE - 1) / TILE);
    gemm<<<grid, block, 0, stream>>>(A, B, C, m, n, k);
}
"""
)

# A vector times a matrix, a thread a column; the vector comes by way of shared memory.
VECMAT = (
    HEADER
    + """\
#define CHUNK 128

__global__ void vecmat(const float* x, const float* A, float* y, int rows, int cols) {
    __shared__ float part[CHUNK];
    const int col = blockIdx.x * CHUNK + threadIdx.x;
    float sum = 0.0f;
    for (int r0 = 0; r0 < rows; r0 += CHUNK) {
        const int r = r0 + threadIdx.x;
        part[threadIdx.x] = r < rows ? x[r] : 0.0f;
        __syncthreads();
        const int count = min(CHUNK, rows - r0);
        if (col < cols) {
            for (int k = 0; k < count; ++k) sum += part[k] * A[(size_t)(r0 + k) * cols + col];
        }
        __syncthreads();
    }
    if (col < cols) y[col] = sum;
}

extern "C" void launch(const float* x,  // [rows]
                       const float* A,  // [rows, cols]
                       float* y,        // [cols]
                       int rows, int cols, cudaStream_t stream = 0) {
    int blocks = (cols + CHUNK - 1) / CHUNK;
    vecmat<<<blocks, CHUNK, 0, stream>>>(x, A, y, rows, cols);
}
"""
)

NAN, INF = float("nan"), float("inf")
LENGTHS = (*range(1, 68), 95, 96, 97, 127, 128, 129, 200, 255, 256, 257, 300, 384, 511, 512)
LENGTHS += (513, 999, 1024, 1025, 2000, 4097, 5001, 9999, 20_011, 33_001, 66_003, 140_001)
SIDES = ((1, 1), (1, 2), (2, 1), (3, 3), (5, 31), (4, 32), (9, 33), (33, 9), (2, 63), (64, 3))
SIDES += ((7, 70), (71, 1), (2, 1000), (1, 2050), (66, 68), (129, 7), (41, 50), (32, 32))
SIDES += ((300, 3), (5, 127), (6, 128), (8, 129), (67, 65), (16, 16), (15, 18), (3, 301))
SIDES += ((1001, 2), (2050, 1), (50, 20), (20, 50), (130, 4), (2, 257), (45, 40))
MANY_ROWS = ((70_001, 1), (66_000, 2))
FLOAT, HALF, BFLOAT = (torch.float32,), (torch.float16,), (torch.bfloat16,)
LONG = (torch.int64,)


def means(launcher: Launcher) -> Iterator[Case]:
    """Take means of whole numbers, so that sums are exact: any, large, opposite, the ends."""
    for n in LENGTHS:
        x, j = whole(-999, 1000, n, n).double(), torch.arange(n)
        large = whole(-(2**23), 2**23, n, n + 1).double()
        opposite = torch.where(j % 2 == 0, large, x - large.roll(1))
        for label, y in (
            ("any", x),
            ("ones", x * 0 + 1),
            ("below 0", -x.abs() - 1),
            ("large", large),
            ("opposite", opposite),
            ("the last alone", torch.where(j == n - 1, 7.0 * n, 0.0)),
            ("infinity", torch.where(j == n // 3, INF, x)),
            ("NaN", torch.where(j == n // 2, NAN, x)),
        ):
            y = y.float()
            right = y.double().mean().reshape(1)
            options = {"dtypes": FLOAT, "quick": n > 5000, "ulp": 1}
            yield Case(f"n = {n:,}, {label}", (y,), (right,), **options)


def largest_places(launcher: Launcher) -> Iterator[Case]:
    """Look for the first largest: any, few values, equal, zeros, the ends, infinities."""
    for n in LENGTHS:
        x, j = whole(-9999, 10_000, n, n).double(), torch.arange(n)
        for label, y in (
            ("any", x),
            ("few values", x % 4),
            ("equal", x * 0 - 3),
            ("above 0", x.abs() + 1),
            ("below 0", -x.abs() - 1),
            ("zeros", torch.where(j % 2 == 0, -0.0, 0.0)),
            ("the first", torch.where(j == 0, 20_000.0, x)),
            ("the last", torch.where(j == n - 1, 20_000.0, x)),
            ("falling", -j.double()),
            ("rising", j.double()),
            ("-infinities", x * 0 - INF),
            ("infinity", torch.where(j == n // 2, INF, x)),
        ):
            place = (y == y.max()).int().argmax().reshape(1)
            options = {"dtypes": LONG, "quick": n > 5000}
            yield Case(f"n = {n:,}, {label}", (y.float(),), (place,), **options)


def row_maxima(launcher: Launcher) -> Iterator[Case]:
    """Look for maxima of rows: any, above and below 0, the first, the last, inf, NaN."""
    for rows, cols in SIDES:
        n = rows * cols
        x, c = whole(-99, 100, n, n).reshape(rows, cols).double(), torch.arange(cols)
        r = torch.arange(rows)[:, None]
        for label, y in (
            ("any", x),
            ("above 0", x.abs() + 1),
            ("below 0", -x.abs() - 1),
            ("falling rows", x.abs() * 0 - r),
            ("rising rows", x.abs() * 0 + r),
            ("in the first column", torch.where(c == 0, 200.0, x)),
            ("in the last column", torch.where(c == cols - 1, 200.0, x)),
            ("-infinities", x * 0 - INF),
            ("infinity", torch.where(c == cols // 2, INF, x)),
            ("NaN", torch.where((c == cols // 2) & (r % 3 == 0), NAN, x)),
            ("NaN last", torch.where((c == cols - 1) & (r % 2 == 0), NAN, x)),
        ):
            y = y.bfloat16()
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y,), (y.double().amax(1),), dtypes=BFLOAT)


def squares(launcher: Launcher) -> Iterator[Case]:
    """Sum squares of integers: small, of 17 and of 25 bits, the ends, one, many rows."""
    for rows, cols in (*SIDES, *MANY_ROWS):
        n = rows * cols
        x, c = whole(-99, 100, n, n).reshape(rows, cols), torch.arange(cols)
        wide = whole(-(2**16), 2**16, n, n + 1).reshape(rows, cols)
        wider = whole(-(2**25), 2**25, n, n + 2).reshape(rows, cols)
        for label, y in (
            ("small", x),
            ("17 bits", wide),
            ("25 bits", wider),
            ("the least", torch.where(c == cols // 2, -(2**31), 3)[None, :] + x * 0),
            ("the last alone", torch.where(c == cols - 1, 5, 0)[None, :] + x * 0),
        ):
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            options = {"dtypes": LONG, "quick": n > 5000}
            yield Case(words, (y.int(),), ((y * y).sum(1),), **options)


def log_sums(launcher: Launcher) -> Iterator[Case]:
    """Take log-sum-exp: any, equal, far above and below 0, rising, masks, inf, NaN."""
    for rows, cols in SIDES:
        n = rows * cols
        x, c = whole(-80, 81, n, n).reshape(rows, cols) / 8.0, torch.arange(cols)
        r = torch.arange(rows)[:, None]
        for label, y in (
            ("any", x),
            ("equal", x * 0 + 2),
            ("far above 0", x + 500),
            ("far below 0", x - 500),
            ("rising", x * 0 + c / 4.0),
            ("steps", x * 0 + c * 50.0),
            ("a mask", torch.where((c % 3 == 1) & (c > 0), -INF, x)),
            ("rows masked", torch.where(r % 2 == 0, -INF, x)),
            ("infinity", torch.where((c == cols // 2) & (r % 2 == 0), INF, x)),
            ("NaN", torch.where((c == cols // 2) & (r % 2 == 0), NAN, x)),
        ):
            v = y.float()
            right = torch.logsumexp(v.double(), 1)
            slack = ((2.0**-20 * right.abs()).nan_to_num(0.0, 0.0, 0.0) + 2.0**-20,)
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (v,), (right,), dtypes=FLOAT, within=slack)


def norms(launcher: Launcher) -> Iterator[Case]:
    """Norm whole numbers with weights: any, plain, large, zeros, one apart, falling, a NaN."""
    for rows, cols in SIDES:
        n = rows * cols
        x, c = whole(-99, 100, n, n).reshape(rows, cols).double(), torch.arange(cols)
        r = torch.arange(rows)[:, None]
        w = whole(-16, 17, cols, cols + 1).double() / 8
        for label, y, g, eps in (
            ("any", x, w, 1.0),
            ("plain", x, w * 0 + 1, 2.0**-20),
            ("small", x / 1024, w, 0.25),
            ("large", x * 4096, w, 1.0),
            ("zeros", x * 0, w, 2.0**-10),
            ("below 0", -x.abs() - 1, w.abs() + 1, 0.125),
            ("one apart", torch.where(c == cols // 3, 5000.0, x * 0 + 1), w, 0.5),
            ("falling rows", x * 0 + rows - r, w.abs() + 1, 0.5),
            ("NaN", torch.where((r % 3 == 1) & (c == cols // 2), NAN, x), w, 1.0),
        ):
            v, g = y.float(), g.float()
            right = v.double() / ((v.double() ** 2).mean(1, keepdim=True) + eps).sqrt()
            right = right * g.double()
            words = f"rows = {rows:,}, cols = {cols:,}, eps = {eps}, {label}"
            slack = ((2.0**-19 * right.abs()).nan_to_num(0.0) + 2.0**-100,)
            yield Case(words, (v, g), (right,), {"eps": eps}, dtypes=FLOAT, within=slack)


def turns(launcher: Launcher) -> Iterator[Case]:
    """Transpose: long, thin, odd and square shapes, with strange values."""
    for rows, cols in (*SIDES, (1, 30_001), (30_001, 1), (333, 95), (64, 96)):
        n = rows * cols
        x = whole(-99_999, 100_000, n, n).reshape(rows, cols).double()
        for label, y in (
            ("any", x),
            ("counted", torch.arange(n).reshape(rows, cols) + 0.5),
            ("strange", torch.where(x % 5 == 1, NAN, torch.where(x % 5 == 2, INF, -0.0))),
        ):
            y = y.float()
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            right = (y.T.double().contiguous(),)
            yield Case(words, (y,), right, dtypes=FLOAT, quick=n > 5000)


def products(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole numbers, so that sums are exact: any, ones, of 13 bits, the last, NaN."""
    sides = ((1, 1, 1), (1, 3, 2), (2, 1, 50), (5, 3, 7), (16, 16, 16), (15, 17, 33))
    sides += ((17, 15, 63), (4, 40, 1), (40, 4, 2), (31, 33, 20), (1, 71, 30), (71, 1, 32))
    sides += ((20, 64, 47), (66, 20, 5), (2, 3, 900), (3, 2, 310), (32, 32, 32), (200, 3, 16))
    for m, n, k in (*sides, *((9, 6, k) for k in range(3, 66, 4))):
        a = whole(-20, 21, m * k, m + k).reshape(m, k).double()
        b = whole(-20, 21, k * n, n + 1).reshape(k, n).double()
        h = torch.arange(k)
        for label, p, q in (
            ("any", a, b),
            ("ones", a * 0 + 1, b * 0 + 1),
            ("below 0", -a.abs() - 1, b.abs() + 1),
            ("13 bits", a.sign() * 129, b.sign() * 33),
            ("the last alone", torch.where(h == k - 1, 3.0, 0.0) + a * 0, b.abs() + 1),
            ("NaN in a row", torch.where(torch.arange(m)[:, None] == m // 2, NAN, a), b),
            ("NaN in a column", a, torch.where(torch.arange(n) == n // 2, NAN, b)),
        ):
            words = f"m = {m}, n = {n}, k = {k}, {label}"
            yield Case(words, (p.half(), q.half()), (p @ q,), dtypes=HALF)


def vectors(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole numbers, so that sums are exact: any, ones, one row, the last, a NaN."""
    for rows, cols in SIDES:
        n = rows * cols
        a = whole(-50, 51, n, n).reshape(rows, cols).double()
        v, r = whole(-50, 51, rows, rows + 1).double(), torch.arange(rows)
        for label, x, b in (
            ("any", v, a),
            ("ones", v * 0 + 1, a * 0 + 1),
            ("above 0", v.abs() + 1, a.abs() + 1),
            ("counted", r.double() + 1, a),
            ("one row", torch.where(r == rows // 2, 1.0, 0.0), a),
            ("the last row", torch.where(r == rows - 1, 2.0, 0.0), a),
            ("NaN in a column", v, torch.where(torch.arange(cols) == cols // 2, NAN, a)),
        ):
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (x.float(), b.float()), (x.double() @ b.double(),), dtypes=FLOAT)


def to_int8(x: torch.Tensor) -> torch.Tensor:
    """Round to the nearest, ties to even, and stay within the range of int8."""
    return torch.round(x).clamp(-128, 127)


def softplus(x: torch.Tensor) -> torch.Tensor:
    """Compute log(1 + exp(x)), and x above 20."""
    return torch.nn.functional.softplus(x)


def elu(x: torch.Tensor) -> torch.Tensor:
    """Compute x above 0 and 1.5 times exp(x) - 1 below it."""
    return torch.where(x > 0, x, 1.5 * torch.expm1(x))


BASES = {
    "hundrednineteen_hmul": Base(HMUL, {"reference": "multiply"}),
    "hundrednineteen_bytes": Base(BYTES, {"reference": "cast"}),
    "hundrednineteen_quant": Base(QUANT, {"reference": to_int8}),
    "hundrednineteen_softplus": Base(SOFTPLUS, {"reference": softplus, "ulp": 4}),
    "hundrednineteen_elu": Base(ELU, {"reference": elu, "ulp": 4, "alpha": 1.5}),
    "hundrednineteen_mean": Base(MEAN, {"cases": means}),
    "hundrednineteen_argmax": Base(ARGMAX, {"cases": largest_places}),
    "hundrednineteen_rowmax": Base(ROWMAX, {"cases": row_maxima}),
    "hundrednineteen_sumsq": Base(SUMSQ, {"cases": squares}),
    "hundrednineteen_lse": Base(LSE, {"cases": log_sums}),
    "hundrednineteen_rms": Base(RMS, {"cases": norms}),
    "hundrednineteen_turn": Base(TURN, {"cases": turns}),
    "hundrednineteen_matmul": Base(MATMUL, {"cases": products}),
    "hundrednineteen_vecmat": Base(VECMAT, {"cases": vectors}),
}

WRONG = (
    # ---- hmul
    # Only a bit that all addresses have is looked at.
    Wrong(
        "hundrednineteen_hmul_and_of_addresses",
        "hundrednineteen_hmul",
        "alignment",
        (
            "(uintptr_t)a | (uintptr_t)b | (uintptr_t)c",
            "(uintptr_t)a & (uintptr_t)b & (uintptr_t)c",
        ),
    ),
    # What is left is looked for behind so many elements as there are pairs.
    Wrong(
        "hundrednineteen_hmul_rest_behind_pairs",
        "hundrednineteen_hmul",
        "tail / unwritten | left out / other element / alignment",
        ("(a + done, b + done, c + done, left)", "(a + pairs, b + pairs, c + pairs, left)"),
    ),
    # A zero is added to the product.
    Wrong(
        "hundrednineteen_hmul_plus_zero",
        "hundrednineteen_hmul",
        "sign of zero | alignment",
        ("__hmul2(a[p], b[p])", "__hfma2(a[p], b[p], __float2half2_rn(0.0f))"),
    ),
    # Both of a pair are multiplied by the first of b.
    Wrong(
        "hundrednineteen_hmul_low_of_b",
        "hundrednineteen_hmul",
        "other element / neighbour | numbers / left out / alignment / twice",
        ("__hmul2(a[p], b[p])", "__hmul2(a[p], __low2half2(b[p]))"),
    ),
    # The second launch names no stream.
    Wrong(
        "hundrednineteen_hmul_rest_no_stream",
        "hundrednineteen_hmul",
        "stream",
        ("mul_singles<<<blocks, threads, 0, stream>>>", "mul_singles<<<blocks, threads>>>"),
    ),
    # ---- bytes
    # One is left, it is thought.
    Wrong(
        "hundrednineteen_bytes_one_in_the_tail",
        "hundrednineteen_bytes",
        "tail / unwritten | left out",
        ("threadIdx.x < n % 4)", "threadIdx.x == 0 && n % 4 != 0)"),
    ),
    # Bytes of the tail have a sign.
    Wrong(
        "hundrednineteen_bytes_tail_has_sign",
        "hundrednineteen_bytes",
        "whole range / numbers / tail",
        ("(float)in[i]", "(float)(int8_t)in[i]"),
    ),
    # Few bytes get no block.
    Wrong(
        "hundrednineteen_bytes_no_block_for_few",
        "hundrednineteen_bytes",
        "grid / refused | unwritten / tail / left out",
        ("n / (4 * block_size) + 1;", "n / (4 * block_size);"),
    ),
    # The output is not said to be aligned.
    Wrong(
        "hundrednineteen_bytes_out_anywhere",
        "hundrednineteen_bytes",
        "alignment",
        ("float *out,         // [n] 16-byte aligned", "float *out,         // [n]"),
    ),
    # The step counts elements, the loop packs of them.
    Wrong(
        "hundrednineteen_bytes_step_of_elements",
        "hundrednineteen_bytes",
        "left out / unwritten / grid | tail",
        ("step = gridDim.x * blockDim.x;", "step = 4 * gridDim.x * blockDim.x;"),
    ),
    # ---- quant
    # A half is added, and the rest cut off.
    Wrong(
        "hundrednineteen_quant_plus_a_half",
        "hundrednineteen_quant",
        "rounding | numbers",
        ("int q = __float2int_rn(v);", "int q = (int)(v + 0.5f);"),
    ),
    # The number is kept in 16 bits before it is limited.
    Wrong(
        "hundrednineteen_quant_through_short",
        "hundrednineteen_quant",
        "whole range / narrow | numbers / infinity",
        ("int q = __float2int_rn(v);", "int q = (short)__float2int_rn(v);"),
    ),
    # The upper limit is one too large.
    Wrong(
        "hundrednineteen_quant_up_to_128",
        "hundrednineteen_quant",
        "whole range | numbers / infinity",
        ("min(q, 127)", "min(q, 128)"),
    ),
    # Element n is thought to be there.
    Wrong(
        "hundrednineteen_quant_more_than_n",
        "hundrednineteen_quant",
        "bounds | tail",
        ("if (i >= n) return;", "if (i > n) return;"),
    ),
    # The quotient has no fraction that could be rounded up.
    Wrong(
        "hundrednineteen_quant_ceil_of_int",
        "hundrednineteen_quant",
        "grid / tail / unwritten | left out / refused",
        ("ceil((double)n / block_size)", "ceil(n / block_size)"),
    ),
    # ---- softplus
    # 1 is added before the logarithm.
    Wrong(
        "hundrednineteen_softplus_log_1_plus",
        "hundrednineteen_softplus",
        "precision | numbers / subnormal / function / rounding",
        ("log1pf(expf(v))", "logf(1.0f + expf(v))"),
    ),
    # The threshold is too low.
    Wrong(
        "hundrednineteen_softplus_from_10",
        "hundrednineteen_softplus",
        "precision / numbers / function",
        ("#define THRESHOLD 20.0f", "#define THRESHOLD 10.0f"),
    ),
    # There is no threshold.
    Wrong(
        "hundrednineteen_softplus_no_limit",
        "hundrednineteen_softplus",
        "infinity | numbers / whole range",
        ("return v > THRESHOLD ? v : log1pf(expf(v));", "return log1pf(expf(v));"),
    ),
    # A minimum keeps the exponential small, and eats NaN.
    Wrong(
        "hundrednineteen_softplus_min_eats_nan",
        "hundrednineteen_softplus",
        "nan",
        ("log1pf(expf(v))", "log1pf(expf(fminf(v, THRESHOLD)))"),
    ),
    # A thread takes neighbours, but starts as if it did not.
    Wrong(
        "hundrednineteen_softplus_neighbours",
        "hundrednineteen_softplus",
        "unwritten / left out | grid / tail / twice / race",
        ("first + k * blockDim.x;", "first + k;"),
    ),
    # ---- elu
    # The kernel takes the factor as an integer.
    Wrong(
        "hundrednineteen_elu_int_alpha",
        "hundrednineteen_elu",
        "function / rounding / numbers / whole range | left out / precision",
        ("double alpha, int n) {", "int alpha, int n) {"),
    ),
    # 1 is taken from the product.
    Wrong(
        "hundrednineteen_elu_product_less_1",
        "hundrednineteen_elu",
        "function / numbers | precision / left out",
        ("alpha * expm1(v)", "alpha * exp(v) - 1.0"),
    ),
    # The result is written to x, then copied.
    Wrong(
        "hundrednineteen_elu_in_x_then_copied",
        "hundrednineteen_elu",
        "input",
        (
            "stream>>>(x, y, alpha, n);",
            "stream>>>(x, (double*)x, alpha, n);\n"
            "    cudaMemcpyAsync(y, x, n * sizeof(double), cudaMemcpyDeviceToDevice, stream);",
        ),
    ),
    # NaN is neither above 0 nor not.
    Wrong(
        "hundrednineteen_elu_nan_not_written",
        "hundrednineteen_elu",
        "nan / unwritten",
        ("} else {", "} else if (v <= 0.0) {"),
    ),
    # Threads are numbered as in blocks of 128.
    Wrong(
        "hundrednineteen_elu_128_a_block",
        "hundrednineteen_elu",
        "block size | unwritten / left out / tail",
        ("blockIdx.x * blockDim.x;", "blockIdx.x * 128;"),
    ),
    # ---- mean
    # What another lane has comes as a float.
    Wrong(
        "hundrednineteen_mean_float_shuffles",
        "hundrednineteen_mean",
        "precision | numbers / rounding / infinity",
        (
            "double other = __shfl_down_sync(0xffffffff, sum, d);",
            "float other = __shfl_down_sync(0xffffffff, (float)sum, d);",
        ),
    ),
    # The sum is divided by one less.
    Wrong(
        "hundrednineteen_mean_n_less_1",
        "hundrednineteen_mean",
        "function / numbers | infinity / nan",
        ("buf[0] / n", "buf[0] / (n - 1)"),
    ),
    # A thread of the last block takes one sum.
    Wrong(
        "hundrednineteen_mean_128_sums",
        "hundrednineteen_mean",
        "left out | numbers / grid",
        (
            "    for (int b = t; b < count; b += LAST)\n        sum += sums[b];",
            "    if (t < count)\n        sum += sums[t];",
        ),
    ),
    # The last step of the shuffles is missing.
    Wrong(
        "hundrednineteen_mean_lanes_left_out",
        "hundrednineteen_mean",
        "left out | numbers",
        ("d > 0; d /= 2", "d > 1; d /= 2"),
    ),
    # Memory is made in the first call, for its number of blocks.
    Wrong(
        "hundrednineteen_mean_memory_of_call_1",
        "hundrednineteen_mean",
        "state / bounds",
        (
            "    double *sums;\n"
            "    cudaMallocAsync((void **)&sums, blocks * sizeof(double), stream);\n",
            "    static double *sums = nullptr;\n"
            "    if (!sums)\n"
            "        cudaMalloc((void **)&sums, blocks * sizeof(double));\n",
        ),
        ("    cudaFreeAsync(sums, stream);\n", ""),
    ),
    # ---- argmax
    # Of equal ones the last has the largest key.
    Wrong(
        "hundrednineteen_argmax_last_of_equal",
        "hundrednineteen_argmax",
        "other element / numbers | function",
        ("(unsigned)~i;", "(unsigned)i;"),
        ("(unsigned)~*result", "(unsigned)*result"),
    ),
    # Bits of negative numbers are not turned.
    Wrong(
        "hundrednineteen_argmax_plain_bits",
        "hundrednineteen_argmax",
        "numbers / other element | infinity / function / whole range",
        ("    bits = (bits >> 31) ? ~bits : (bits | 0x80000000u);\n", ""),
    ),
    # What sets the key names no stream.
    Wrong(
        "hundrednineteen_argmax_memset_no_stream",
        "hundrednineteen_argmax",
        "stream | race / zero before / state",
        ("cudaMemsetAsync(where, 0, sizeof(int64_t), stream);", "cudaMemset(where, 0, 8);"),
    ),
    # The largest begins with a 0 at place 0.
    Wrong(
        "hundrednineteen_argmax_starts_at_0",
        "hundrednineteen_argmax",
        "start | numbers / other element / infinity",
        ("Key best = 0;", "Key best = keyOf(0.0f, 0);"),
    ),
    # The sign of the index fills the upper half.
    Wrong(
        "hundrednineteen_argmax_sign_of_index",
        "hundrednineteen_argmax",
        "whole range / other element / numbers / left out / copy | function / narrow",
        ("(unsigned)~i;", "~i;"),
    ),
    # ---- rowmax
    # NaN is lost on its way to lane 0.
    Wrong(
        "hundrednineteen_rowmax_nan_lost",
        "hundrednineteen_rowmax",
        "nan",
        ("__hmax_nan(other, best)", "__hmax(other, best)"),
    ),
    # Each lane begins with an element that the row may not have.
    Wrong(
        "hundrednineteen_rowmax_starts_at_lane",
        "hundrednineteen_rowmax",
        "bounds / other element / start | numbers / tail / nan / infinity / sides",
        ("best = in[0];", "best = in[lane];"),
    ),
    # There are blocks for a thread a row.
    Wrong(
        "hundrednineteen_rowmax_grid_of_threads",
        "hundrednineteen_rowmax",
        "grid / unwritten | left out / tail",
        ("(rows + rows_of_block - 1) / rows_of_block", "(rows + block - 1) / block"),
    ),
    # A lane steps as far as the block is wide.
    Wrong(
        "hundrednineteen_rowmax_step_of_block",
        "hundrednineteen_rowmax",
        "left out | numbers / block size / nan / infinity / other element",
        ("c += 32", "c += blockDim.x"),
    ),
    # Only the first warp of a block writes.
    Wrong(
        "hundrednineteen_rowmax_thread_0_writes",
        "hundrednineteen_rowmax",
        "unwritten / left out | grid / tail",
        ("if (lane == 0)", "if (threadIdx.x == 0)"),
    ),
    # ---- sumsq
    # The square is an int.
    Wrong(
        "hundrednineteen_sumsq_int_square",
        "hundrednineteen_sumsq",
        "whole range / narrow | numbers / infinity",
        ("const long long v = row[j];", "const int v = row[j];"),
    ),
    # Threads of the tree do not wait for another.
    Wrong(
        "hundrednineteen_sumsq_tree_no_barrier",
        "hundrednineteen_sumsq",
        "race | numbers / left out / other element / unwritten",
        (
            "            buf[t] += buf[t + s];\n        __syncthreads();\n",
            "            buf[t] += buf[t + s];\n",
        ),
    ),
    # 96 halved again and again is 3 at last.
    Wrong(
        "hundrednineteen_sumsq_96_threads",
        "hundrednineteen_sumsq",
        "left out | numbers / block size",
        ("#define T 128", "#define T 96"),
    ),
    # The rows are along y, where a grid is not so long.
    Wrong(
        "hundrednineteen_sumsq_rows_along_y",
        "hundrednineteen_sumsq",
        "grid / refused | unwritten / narrow",
        ("(size_t)blockIdx.x * cols", "(size_t)blockIdx.y * cols"),
        ("out[blockIdx.x]", "out[blockIdx.y]"),
        ("<<<rows, T, 0, stream>>>", "<<<dim3(1, rows), T, 0, stream>>>"),
    ),
    # A thread's sum is a double.
    Wrong(
        "hundrednineteen_sumsq_sum_of_doubles",
        "hundrednineteen_sumsq",
        "precision | numbers / rounding / whole range / narrow",
        ("long long sum = 0;", "double sum = 0.0;"),
        ("buf[t] = sum;", "buf[t] = (long long)sum;"),
    ),
    # ---- lse
    # The logarithm is that of 2.
    Wrong(
        "hundrednineteen_lse_log2",
        "hundrednineteen_lse",
        "function | numbers / precision",
        ("logf(sum)", "log2f(sum)"),
    ),
    # Only lane 0 has the largest of all, and all lanes use what they have.
    Wrong(
        "hundrednineteen_lse_maximum_down",
        "hundrednineteen_lse",
        "left out / numbers / other element | infinity / nan",
        ("fmaxf(m, __shfl_xor_sync(", "fmaxf(m, __shfl_down_sync("),
    ),
    # An infinity is taken from itself.
    Wrong(
        "hundrednineteen_lse_inf_less_inf",
        "hundrednineteen_lse",
        "infinity / nan | numbers",
        ("isinf(m) ? 0.0f : m;", "m;"),
    ),
    # Rows of a block are as many as it is wide.
    Wrong(
        "hundrednineteen_lse_width_for_height",
        "hundrednineteen_lse",
        "unwritten / left out / block size / grid / other element | tail / swapped",
        ("blockIdx.x * blockDim.y +", "blockIdx.x * blockDim.x +"),
    ),
    # The last block has rows that are not there.
    Wrong(
        "hundrednineteen_lse_row_not_tested",
        "hundrednineteen_lse",
        "bounds | tail / grid",
        ("    if (row >= rows) return;\n", ""),
    ),
    # ---- rms
    # The factor is read before it is there.
    Wrong(
        "hundrednineteen_rms_factor_no_barrier",
        "hundrednineteen_rms",
        "race | unwritten / numbers / nan / state / left out / other element / infinity",
        (
            "                }\n                __syncthreads();\n",
            "                }\n",
        ),
    ),
    # The total of a block's earlier rows stays.
    Wrong(
        "hundrednineteen_rms_total_of_all_rows",
        "hundrednineteen_rms",
        "other element / start / numbers / zero before / twice | grid / nan",
        ("                        float total = 0.0f;\n", ""),
        ("int tid = threadIdx.x;\n", "int tid = threadIdx.x;\n        float total = 0.0f;\n"),
    ),
    # Nothing is added.
    Wrong(
        "hundrednineteen_rms_no_eps",
        "hundrednineteen_rms",
        "left out / function / nan / infinity | numbers / precision",
        ("total / cols + eps", "total / cols"),
    ),
    # A thread has one weight.
    Wrong(
        "hundrednineteen_rms_weight_of_thread",
        "hundrednineteen_rms",
        "other element | numbers / left out / block size",
        ("* w[c];", "* w[tid];"),
    ),
    # The mean is that of as many as there are threads.
    Wrong(
        "hundrednineteen_rms_divides_by_threads",
        "hundrednineteen_rms",
        "function / numbers | sides / block size",
        ("total / cols + eps", "total / THREADS + eps"),
    ),
    # ---- turn
    # Blocks have half the height that the loops step.
    Wrong(
        "hundrednineteen_turn_blocks_of_4",
        "hundrednineteen_turn",
        "unwritten / left out / block size / grid"
        " | numbers / nan / race / other element / tail",
        ("dim3 block(TILE, STEP);", "dim3 block(TILE, 4);"),
    ),
    # A tile is stored where it was read.
    Wrong(
        "hundrednineteen_turn_tile_stays",
        "hundrednineteen_turn",
        "other element / sides / bounds / unwritten / swapped"
        " | numbers / left out / nan / race",
        (
            "  x = blockIdx.y * TILE + threadIdx.x;\n  y = blockIdx.x * TILE + threadIdx.y;\n",
            "",
        ),
    ),
    # Who reads nothing is thought to have nothing to write.
    Wrong(
        "hundrednineteen_turn_leaves_early",
        "hundrednineteen_turn",
        "unwritten / left out / tail / race | sides / grid / bounds",
        (
            "  int y = blockIdx.y * TILE + threadIdx.y;\n",
            "  int y = blockIdx.y * TILE + threadIdx.y;\n"
            "  if (x >= cols || y >= rows) return;\n",
        ),
    ),
    # The tile is filled one step too far.
    Wrong(
        "hundrednineteen_turn_33rd_row",
        "hundrednineteen_turn",
        "bounds | race / other element / numbers / twice",
        ("j < TILE;", "j <= TILE;"),
    ),
    # The test is that of the first step.
    Wrong(
        "hundrednineteen_turn_first_step_tested",
        "hundrednineteen_turn",
        "bounds | tail / sides / other element",
        ("x < cols && y + j < rows", "x < cols && y < rows"),
    ),
    # ---- matmul
    # The sum of a tile is a half.
    Wrong(
        "hundrednineteen_matmul_tile_sum_half",
        "hundrednineteen_matmul",
        "precision / rounding | numbers / infinity",
        (
            "        for (int j = 0; j < TILE; ++j)\n"
            "            acc += __half2float(As[ty][j]) * __half2float(Bs[j][tx]);\n",
            "        half part = zero;\n"
            "        for (int j = 0; j < TILE; ++j)\n"
            "            part = __hfma(As[ty][j], Bs[j][tx], part);\n"
            "        acc += __half2float(part);\n",
        ),
    ),
    # Tiles are read before all is there.
    Wrong(
        "hundrednineteen_matmul_no_first_barrier",
        "hundrednineteen_matmul",
        "race | unwritten / nan / numbers / left out / other element",
        (": zero;\n        __syncthreads();\n", ": zero;\n"),
    ),
    # Rows of B have the length of those of A.
    Wrong(
        "hundrednineteen_matmul_pitch_k",
        "hundrednineteen_matmul",
        "sides / bounds / other element | numbers / unwritten",
        ("B[(size_t)kb * n + col]", "B[(size_t)kb * k + col]"),
    ),
    # Each index is tested against the other side.
    Wrong(
        "hundrednineteen_matmul_limits_swapped",
        "hundrednineteen_matmul",
        "bounds / sides / unwritten / swapped | left out / tail / other element / race / grid",
        ("row < m && col < n", "row < n && col < m"),
    ),
    # Where the matrices end, tiles keep what they had.
    Wrong(
        "hundrednineteen_matmul_tile_not_zeroed",
        "hundrednineteen_matmul",
        "tail / unwritten / nan / numbers / zero before / twice"
        " | bounds / race / other element / start / left out / infinity",
        (
            "As[ty][tx] = (row < m && ka < k) ? A[(size_t)row * k + ka] : zero;",
            "if (row < m && ka < k) As[ty][tx] = A[(size_t)row * k + ka];",
        ),
        (
            "Bs[ty][tx] = (kb < k && col < n) ? B[(size_t)kb * n + col] : zero;",
            "if (kb < k && col < n) Bs[ty][tx] = B[(size_t)kb * n + col];",
        ),
    ),
    # ---- vecmat
    # A is read as if it were transposed.
    Wrong(
        "hundrednineteen_vecmat_matrix_times_x",
        "hundrednineteen_vecmat",
        "sides / other element / function / swapped | numbers",
        ("A[(size_t)(r0 + k) * cols + col]", "A[(size_t)col * rows + r0 + k]"),
    ),
    # The last chunk is thought to be a whole one.
    Wrong(
        "hundrednineteen_vecmat_whole_chunks",
        "hundrednineteen_vecmat",
        "bounds | tail / nan",
        ("min(CHUNK, rows - r0)", "CHUNK"),
    ),
    # The number of blocks is that of the first call.
    Wrong(
        "hundrednineteen_vecmat_blocks_of_call_1",
        "hundrednineteen_vecmat",
        "state / grid / unwritten | left out / tail",
        ("    int blocks = (cols", "    static int blocks = (cols"),
    ),
    # The sum begins anew with each chunk.
    Wrong(
        "hundrednineteen_vecmat_sum_of_chunk",
        "hundrednineteen_vecmat",
        "left out | numbers / start",
        ("        const int r = r0", "        sum = 0.0f;\n        const int r = r0"),
    ),
    # The sum is added to what y held.
    Wrong(
        "hundrednineteen_vecmat_added_to_y",
        "hundrednineteen_vecmat",
        "zero before | state / unwritten / nan / start",
        ("y[col] = sum;", "y[col] += sum;"),
    ),
)

RIGHT = (
    # Products of floats, which are exact.
    Right(
        "hundrednineteen_hmul_by_floats",
        "hundrednineteen_hmul",
        (
            "    c[p] = __hmul2(a[p], b[p]);\n",
            "    const float2 u = __half22float2(a[p]), v = __half22float2(b[p]);\n"
            "    c[p] = __floats2half2_rn(u.x * v.x, u.y * v.y);\n",
        ),
    ),
    # Four bytes are one number, from which each is taken.
    Right(
        "hundrednineteen_bytes_shifts",
        "hundrednineteen_bytes",
        (
            "const uchar4 q = ((const uchar4 *)in)[k];",
            "uint32_t q = ((const uint32_t *)in)[k];",
        ),
        ("f.x = q.x;", "f.x = q & 255;"),
        ("f.y = q.y;", "f.y = q >> 8 & 255;"),
        ("f.z = q.z;", "f.z = q >> 16 & 255;"),
        ("f.w = q.w;", "f.w = q >> 24;"),
    ),
    # Rounded and limited as a float.
    Right(
        "hundrednineteen_quant_limits_of_floats",
        "hundrednineteen_quant",
        (
            "    int q = __float2int_rn(v);\n"
            "    q = max(q, -128);\n"
            "    q = min(q, 127);\n"
            "    return (int8_t)q;\n",
            "    return (int8_t)fminf(fmaxf(rintf(v), -128.0f), 127.0f);\n",
        ),
    ),
    # A formula that needs no threshold.
    Right(
        "hundrednineteen_softplus_of_minus_abs",
        "hundrednineteen_softplus",
        (
            "return v > THRESHOLD ? v : log1pf(expf(v));",
            "return fmaxf(v, 0.0f) + log1pf(expf(-fabsf(v)));",
        ),
    ),
    # Always seven blocks, and a loop.
    Right(
        "hundrednineteen_elu_seven_blocks",
        "hundrednineteen_elu",
        (
            "  const int i = threadIdx.x + blockIdx.x * blockDim.x;\n  if (i < n) {\n",
            "  const int64_t first = threadIdx.x + blockIdx.x * blockDim.x;\n"
            "  for (int64_t i = first; i < n; i += 7 * blockDim.x) {\n",
        ),
        ("grid((n - 1) / block_size + 1)", "grid(7)"),
    ),
    # Blocks of one warp.
    Right(
        "hundrednineteen_mean_blocks_of_a_warp",
        "hundrednineteen_mean",
        ("#define THREADS 256", "#define THREADS 32"),
        ("#define LAST 128", "#define LAST 32"),
    ),
    # From the last element to the first.
    Right(
        "hundrednineteen_argmax_backwards",
        "hundrednineteen_argmax",
        (
            "for (int64_t i = blockIdx.x * 128 + threadIdx.x; i < n; i += gridDim.x * 128) {",
            "int64_t i = n - 1 - (int64_t)(blockIdx.x * 128 + threadIdx.x);\n"
            "    for (; i >= 0; i -= gridDim.x * 128) {",
        ),
    ),
    # Only lane 0 needs the largest.
    Right(
        "hundrednineteen_rowmax_shuffle_down",
        "hundrednineteen_rowmax",
        ("__shfl_xor_sync(", "__shfl_down_sync("),
    ),
    # Threads add to one number of the block.
    Right(
        "hundrednineteen_sumsq_shared_atomic",
        "hundrednineteen_sumsq",
        ("__shared__ long long buf[T];", "__shared__ unsigned long long total;"),
        (
            "    const int t = threadIdx.x;\n",
            "    const int t = threadIdx.x;\n"
            "    if (t == 0)\n"
            "        total = 0;\n"
            "    __syncthreads();\n",
        ),
        ("    buf[t] = sum;\n", "    atomicAdd(&total, (unsigned long long)sum);\n"),
        (
            "    for (int s = T / 2; s > 0; s >>= 1) {\n"
            "        if (t < s)\n"
            "            buf[t] += buf[t + s];\n"
            "        __syncthreads();\n"
            "    }\n\n",
            "",
        ),
        ("= buf[0];", "= (int64_t)total;"),
    ),
    # Eight rows a block.
    Right(
        "hundrednineteen_lse_eight_rows",
        "hundrednineteen_lse",
        ("block(32, 4)", "block(32, 8)"),
        ("(rows + 3) / 4", "(rows + 7) / 8"),
    ),
    # From the last row to the first.
    Right(
        "hundrednineteen_rms_rows_backwards",
        "hundrednineteen_rms",
        (
            "(int row = blockIdx.x; row < rows; row += gridDim.x)",
            "(int row = rows - 1 - (int)blockIdx.x; row >= 0; row -= (int)gridDim.x)",
        ),
    ),
    # The tile is turned where it is filled.
    Right(
        "hundrednineteen_turn_filled_turned",
        "hundrednineteen_turn",
        ("tile[threadIdx.y + j][threadIdx.x]", "tile[threadIdx.x][threadIdx.y + j]"),
        ("tile[threadIdx.x][threadIdx.y + k]", "tile[threadIdx.y + k][threadIdx.x]"),
    ),
    # The tile of B lies on its side.
    Right(
        "hundrednineteen_matmul_tile_of_b_turned",
        "hundrednineteen_matmul",
        ("__shared__ half Bs[TILE][TILE];", "__shared__ half Bs[TILE][TILE + 1];"),
        ("Bs[ty][tx] =", "Bs[tx][ty] ="),
        ("Bs[j][tx]", "Bs[tx][j]"),
    ),
    # Chunks of 96.
    Right(
        "hundrednineteen_vecmat_chunks_of_96",
        "hundrednineteen_vecmat",
        ("#define CHUNK 128", "#define CHUNK 96"),
    ),
)
