"""Hold an eighty-second family: the plain operators of a course, and their plainest mistakes.

Its bases are the sum of two arrays of floats and of two of halves, floats to halves, floats to
signed bytes by a scale, SiLU, the sum of all, sums of rows of whole numbers, the largest of
all, a matrix of floats turned and one of bytes, the product of two matrices of floats, that of
halves with rows of others and a factor, softmax, and layer norm with gain and bias. They have
15 to 50 lines, and are of people in their first half year of CUDA. They use float4 where three
addresses allow it and single numbers else, half2 in a loop over the grid, a number a thread,
four numbers a thread of which the last takes the rest, shuffles with a number a warp and an
atomic a block, a tree of 64 bits, a number a block and a second launch for these, tiles of 32
in one line of blocks, blocks of 32 by 4 with nothing shared, tiles of 16, a thread a result
with two steps at once, a block a row with two trees in the same memory, and a warp a row with
shuffles across. Their mistakes are spread over alignment, sizes, grids, block sizes, integers
of 8, 16 and 32 bits, values, rounding, NaN, infinity, inputs that are written, sums,
transposes, products, order, streams, operands and what is left of an earlier call. The causes
were written before a member was judged. Read before were the table of causes, the sixty-eighth
part as the pattern, the names of bases of some others, `helpers.testing.cases` in part and
`kernel_cases`. Used are HEADER of `elementwise` and `twentysixth.whole`. There are 70 wrong
members and 14 right ones. On the emulator each ran with its cases, compared as a case does,
called twice on the same tensors, with NaN and with 1e3 in floating outputs (-1, 7 and 77 in
others), with tensors at either end of their pages, the bytes behind them and their inputs
looked at afterwards, on a stream that is not the default one, with threads in order, from the
last to the first and in a random order, and in the slices that the cases name. Bases and right
ones ran all cases, of those past 2^31 only what a second allows; wrong ones ran until they were
wrong often enough. nvcc 13.0 compiles each base for 8.0; none was run on a GPU. Bases and right
ones are right, and all others wrong or refused by a fault, but total_no_atomic, whose blocks
the emulator ran one after another: that it is wrong is reasoned.

    eightytwo_add_c_untested           from 4 numbers on, by the address of c alone
    eightytwo_add_rest_forgotten       from 5 numbers on, unless 4 divides n
    eightytwo_add_one_too_many         unless the block size divides what is left
    eightytwo_add_rest_no_stream       on another stream, where single numbers are added
    eightytwo_add_always_256           of other block sizes, from a second block of packs on
    eightytwo_hadd_step_of_halves      from 5,122 numbers on
    eightytwo_hadd_a_and_a             from 2 numbers on, of nearly all
    eightytwo_hadd_saturated           of sums that are not between 0 and 1
    eightytwo_hadd_odd_takes_neighbour of odd counts
    eightytwo_hadd_b_anywhere          from 2 numbers on, by the address of b
    eightytwo_cast_toward_zero         of every other number that is no half
    eightytwo_cast_limited             beyond 65,504
    eightytwo_cast_small_ones_0        below the smallest normal half
    eightytwo_cast_by_bfloat16         of nearly all
    eightytwo_cast_blocks_of_256       of smaller blocks, where fewer come out
    eightytwo_quant_truncated          of every other number between two
    eightytwo_quant_wraps              beyond the range
    eightytwo_quant_times_scale        unless the scale is 1
    eightytwo_quant_nan_to_limit       of NaN
    eightytwo_quant_pack_begun         unless 4 divides n
    eightytwo_silu_exponential_above   from about 89 on
    eightytwo_silu_of_gelu             of nearly all
    eightytwo_silu_limited             above 20
    eightytwo_silu_zeros_skipped       of zeros
    eightytwo_silu_in_place            always: x is overwritten
    eightytwo_total_not_set            unless the total was 0 before
    eightytwo_total_seven_warps        from 225 numbers on
    eightytwo_total_no_atomic          from 257 numbers on, if blocks run at once
    eightytwo_total_four_steps         from 2 numbers on
    eightytwo_total_set_elsewhere      on another stream than the default one
    eightytwo_rowsum_in_int            from 129 columns on, of large numbers
    eightytwo_rowsum_late_tree         from 65 columns on
    eightytwo_rowsum_no_barrier        where threads do not wait for another
    eightytwo_rowsum_pitch_of_rows     from 2 rows on, unless there are as many columns
    eightytwo_rowsum_in_float          beyond 2^24
    eightytwo_largest_from_flt_min     if none is above 0
    eightytwo_largest_fmaxf            if there is a NaN
    eightytwo_largest_all_parts        of up to 8,064 numbers, if none of them is above 0
    eightytwo_largest_tree_of_two      if it stands in an odd place of those of a block
    eightytwo_largest_without_last     if the last is the largest
    eightytwo_turn_pitch_of_way_in     unless the matrix is square
    eightytwo_turn_tile_not_turned     of nearly all
    eightytwo_turn_test_of_way_in      unless the matrix is square
    eightytwo_turn_whole_tiles         unless 32 divides the rows
    eightytwo_turn_three_steps         from 25 columns on
    eightytwo_flip_grid_swapped        unless the blocks suffice each way
    eightytwo_flip_or_for_and          unless 32 divides w and 4 divides h
    eightytwo_flip_square_blocks       from 5 rows on
    eightytwo_flip_short_place         from 65,537 bytes on
    eightytwo_flip_no_stream           on another stream than the default one
    eightytwo_matmul_whole_tiles       unless 16 divides K
    eightytwo_matmul_no_second_barrier from K = 17 on, where threads do not wait
    eightytwo_matmul_pitch_of_a        unless N and K are alike, or K is 1
    eightytwo_matmul_added             unless C was 0 before
    eightytwo_matmul_k_of_a_untested   unless 16 divides K, at the end of A or before a NaN
    eightytwo_linear_sum_in_half       of sums that are no halves
    eightytwo_linear_place_by_height   unless m and n are alike
    eightytwo_linear_odd_k             of odd k
    eightytwo_linear_no_factor         unless alpha is 1
    eightytwo_linear_handed_over       of nearly all
    eightytwo_softmax_without_largest  of large numbers, and of rows far below 0
    eightytwo_softmax_from_0           of rows far below 0
    eightytwo_softmax_no_barrier       where threads do not wait for another
    eightytwo_softmax_one_column       from 129 columns on
    eightytwo_softmax_powers_of_2      from 2 columns on
    eightytwo_norm_of_sample           of nearly all
    eightytwo_norm_gain_of_row         of nearly all
    eightytwo_norm_shuffles_down       from 2 columns on
    eightytwo_norm_row_too_many        unless 4 divides the rows
    eightytwo_norm_bias_for_gain       of nearly all
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import whole

# Two arrays of floats, packs of four where all three addresses allow it, else one by one.
ADD = (
    HEADER
    + """\
__global__ void add_vec4(const float4* a, const float4* b, float4* c, int count) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i >= count) return;
  float4 u = a[i], v = b[i];
  u.x += v.x;
  u.y += v.y;
  u.z += v.z;
  u.w += v.w;
  c[i] = u;
}

__global__ void add_one(const float* a, const float* b, float* c, int begin, int n) {
  int i = begin + blockDim.x * blockIdx.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

static bool fits(const void* p) { return ((uintptr_t)p & 15) == 0; }

extern "C" void launch(const float* a,  // [n]
                       const float* b,  // [n]
                       float* c,        // [n]
                       int n, int block_size = 256, cudaStream_t stream = 0) {
  int vecs = fits(a) && fits(b) && fits(c) ? n / 4 : 0;
  if (vecs > 0) {
    int vec_blocks = (vecs + block_size - 1) / block_size;
    add_vec4<<<vec_blocks, block_size, 0, stream>>>((const float4*)a, (const float4*)b,
                                                    (float4*)c, vecs);
  }
  int left = n - 4 * vecs;
  if (left > 0) {
    int blocks = (left + block_size - 1) / block_size;
    add_one<<<blocks, block_size, 0, stream>>>(a, b, c, 4 * vecs, n);
  }
}
"""
)

# Two arrays of halves, pairs in a loop over the grid, the odd one by the very first thread.
HADD = (
    HEADER
    + """\
__global__ void hadd(const half *a, const half *b, half *out, int n)
{
    const half2 *a2 = reinterpret_cast<const half2 *>(a);
    const half2 *b2 = reinterpret_cast<const half2 *>(b);
    half2 *out2 = reinterpret_cast<half2 *>(out);
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    int stride = gridDim.x * blockDim.x;

    for (int p = tid; p < n / 2; p += stride)
        out2[p] = __hadd2(a2[p], b2[p]);

    if (tid == 0 && n % 2 == 1)
        out[n - 1] = __hadd(a[n - 1], b[n - 1]);
}

extern "C" void launch(const half *a,  // [n] 4-byte aligned
                       const half *b,  // [n] 4-byte aligned
                       half *out,      // [n] 4-byte aligned
                       int n, cudaStream_t stream = 0)
{
    if (n == 0)
        return;
    int blocks = min((n / 2 + 127) / 128, 20);
    if (blocks < 1)
        blocks = 1;
    hadd<<<blocks, 128, 0, stream>>>(a, b, out, n);
}
"""
)

# Floats to halves, a number a thread.
CAST = (
    HEADER
    + """\
__global__ void to_half(const float* __restrict__ src, half* __restrict__ dst, int n) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < n) {
        const float val = src[idx];
        dst[idx] = __float2half_rn(val);
    }
}

extern "C" void launch(const float* src,  // [n]
                       half* dst,         // [n]
                       int n, int block_size = 256, cudaStream_t stream = 0) {
    if (n <= 0) return;
    const int num_blocks = (n + block_size - 1) / block_size;
    to_half<<<num_blocks, block_size, 0, stream>>>(src, dst, n);
}
"""
)

# Floats to signed bytes by a scale, four a thread, and the last thread takes what is left.
QUANT = (
    HEADER
    + """\
__device__ int8_t quantize(float x, float scale)
{
    float q = rintf(x / scale);
    if (isnan(q)) return 0;
    q = fmaxf(q, -128.f);
    q = fminf(q, 127.f);
    return (int8_t)q;
}

__global__ void quant_kernel(const float *x, int8_t *q, float scale, int n)
{
    int base = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    if (base + 4 <= n) {
        float4 v = *(const float4 *)&x[base];
        char4 r;
        r.x = quantize(v.x, scale);
        r.y = quantize(v.y, scale);
        r.z = quantize(v.z, scale);
        r.w = quantize(v.w, scale);
        *(char4 *)&q[base] = r;
    } else {
        for (int j = base; j < n; ++j)
            q[j] = quantize(x[j], scale);
    }
}

extern "C" void launch(const float *x,  // [n] 16-byte aligned
                       int8_t *q,       // [n] 4-byte aligned
                       float scale, int n, int block_size = 128, cudaStream_t stream = 0)
{
    int per_block = block_size * 4;
    quant_kernel<<<(n + per_block - 1) / per_block, block_size, 0, stream>>>(x, q, scale, n);
}
"""
)

# SiLU of floats, a number a thread.
SILU = (
    HEADER
    + """\
__device__ __forceinline__ float silu(float v) { return v / (1.0f + expf(-v)); }

__global__ void silu_kernel(const float* x, float* y, int n) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i >= n) return;
  float v = x[i];
  y[i] = silu(v);
}

extern "C" void launch(const float* x,  // [n]
                       float* y,        // [n]
                       int n, int block_size = 192, cudaStream_t stream = 0) {
  int grid = (n + block_size - 1) / block_size;
  if (grid > 0) silu_kernel<<<grid, block_size, 0, stream>>>(x, y, n);
}
"""
)

# The sum of all, by shuffles, one number a warp and one atomic a block.
TOTAL = (
    HEADER
    + """\
#define THREADS 256

__device__ float warp_sum(float v)
{
    for (int offset = 16; offset > 0; offset /= 2)
        v += __shfl_down_sync(0xffffffffu, v, offset);
    return v;
}

__global__ void total_kernel(const float *x, float *total, int64_t n)
{
    __shared__ float warps[THREADS / 32];
    int lane = threadIdx.x % 32;
    int warp = threadIdx.x / 32;

    float mine = 0.0f;
    int64_t step = (int64_t)gridDim.x * THREADS;
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < n; i += step)
        mine += x[i];

    mine = warp_sum(mine);
    if (lane == 0)
        warps[warp] = mine;
    __syncthreads();

    if (threadIdx.x == 0) {
        float block = 0.0f;
        for (int w = 0; w < THREADS / 32; w++)
            block += warps[w];
        atomicAdd(total, block);
    }
}

extern "C" void launch(const float *x,  // [n]
                       float *total,    // [1]
                       int64_t n, cudaStream_t stream = 0)
{
    int64_t blocks = (n + THREADS - 1) / THREADS;
    if (blocks > 80)
        blocks = 80;
    cudaMemsetAsync(total, 0, sizeof(float), stream);
    if (blocks > 0)
        total_kernel<<<(int)blocks, THREADS, 0, stream>>>(x, total, n);
}
"""
)

# Rows of whole numbers to sums of 64 bits, a block a row, a tree in shared memory.
ROWSUM = (
    HEADER
    + """\
constexpr int kThreads = 128;

__global__ void row_sum(const int* in, int64_t* out, int cols) {
    __shared__ long long part[kThreads];
    const int tid = threadIdx.x;
    const int row = blockIdx.x;
    const int* p = in + (size_t)row * cols;

    long long acc = 0;
    for (int c = tid; c < cols; c += kThreads) acc += p[c];
    part[tid] = acc;
    __syncthreads();

    for (int s = kThreads / 2; s > 0; s >>= 1) {
        if (tid < s) part[tid] += part[tid + s];
        __syncthreads();
    }
    if (tid == 0) out[row] = part[0];
}

extern "C" void launch(const int* in,  // [rows, cols]
                       int64_t* out,   // [rows]
                       int rows, int cols, cudaStream_t stream = 0) {
    row_sum<<<rows, kThreads, 0, stream>>>(in, out, cols);
}
"""
)

# The largest of all, a number a block first, and one more block for these.
LARGEST = (
    HEADER
    + """\
#define BLOCKS 64
#define BLOCK 128

__device__ float block_best[BLOCKS];

__device__ float larger(float a, float b) { return (a > b || isnan(a)) ? a : b; }

__device__ float reduce(float v) {
  __shared__ float buf[BLOCK];
  int t = threadIdx.x;
  buf[t] = v;
  __syncthreads();
  for (int s = BLOCK / 2; s >= 1; s /= 2) {
    if (t < s) buf[t] = larger(buf[t], buf[t + s]);
    __syncthreads();
  }
  return buf[0];
}

__global__ void largest_of_blocks(const float* x, int64_t n) {
  float m = -INFINITY;
  for (int64_t i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK)
    m = larger(m, x[i]);
  m = reduce(m);
  if (threadIdx.x == 0) block_best[blockIdx.x] = m;
}

__global__ void largest_of_all(float* out, int blocks) {
  float m = (int)threadIdx.x < blocks ? block_best[threadIdx.x] : -INFINITY;
  m = reduce(m);
  if (threadIdx.x == 0) out[0] = m;
}

extern "C" void launch(const float* x,  // [n]
                       float* out,      // [1]
                       int64_t n, cudaStream_t stream = 0) {
  int64_t wanted = (n + BLOCK - 1) / BLOCK;
  int blocks = wanted > BLOCKS ? BLOCKS : (int)wanted;
  largest_of_blocks<<<blocks, BLOCK, 0, stream>>>(x, n);
  largest_of_all<<<1, BLOCK, 0, stream>>>(out, blocks);
}
"""
)

# A matrix of floats turned by tiles of 32, which stand in one long line of blocks.
TURN = (
    HEADER
    + """\
#define TILE 32
#define ROWS_AT_ONCE 8

__global__ void transpose(const float *in, float *out, int rows, int cols, int tiles_x)
{
    __shared__ float tile[TILE][TILE + 1];
    int x0 = (blockIdx.x % tiles_x) * TILE;
    int y0 = (blockIdx.x / tiles_x) * TILE;

    for (int j = threadIdx.y; j < TILE; j += ROWS_AT_ONCE) {
        int r = y0 + j, c = x0 + threadIdx.x;
        if (r < rows && c < cols)
            tile[j][threadIdx.x] = in[(size_t)r * cols + c];
    }
    __syncthreads();
    for (int j = threadIdx.y; j < TILE; j += ROWS_AT_ONCE) {
        int r = x0 + j, c = y0 + threadIdx.x;
        if (r < cols && c < rows)
            out[(size_t)r * rows + c] = tile[threadIdx.x][j];
    }
}

extern "C" void launch(const float *in,  // [rows, cols]
                       float *out,       // [cols, rows]
                       int rows, int cols, cudaStream_t stream = 0)
{
    int tiles_x = (cols + TILE - 1) / TILE;
    int tiles_y = (rows + TILE - 1) / TILE;
    dim3 block(TILE, ROWS_AT_ONCE);
    transpose<<<tiles_x * tiles_y, block, 0, stream>>>(in, out, rows, cols, tiles_x);
}
"""
)

# A matrix of bytes turned with nothing in shared memory, in blocks of 32 by 4.
FLIP = (
    HEADER
    + """\
__global__ void flip(const uint8_t* src, uint8_t* dst, int h, int w) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < h && col < w) {
    int from = row * w + col;
    int to = col * h + row;
    dst[to] = src[from];
  }
}

extern "C" void launch(const uint8_t* src,  // [h, w]
                       uint8_t* dst,        // [w, h]
                       int h, int w, cudaStream_t stream = 0) {
  dim3 threads(32, 4);
  dim3 blocks((w + threads.x - 1) / threads.x, (h + threads.y - 1) / threads.y);
  flip<<<blocks, threads, 0, stream>>>(src, dst, h, w);
}
"""
)

# The product of two matrices of floats by tiles of 16.
MATMUL = (
    HEADER
    + """\
#define TS 16

__global__ void matmul_tiled(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float As[TS][TS];
    __shared__ float Bs[TS][TS];
    int tx = threadIdx.x, ty = threadIdx.y;
    int across = (N + TS - 1) / TS;
    int row = blockIdx.x / across * TS + ty;
    int col = blockIdx.x % across * TS + tx;
    float sum = 0.0f;

    int numTiles = (K + TS - 1) / TS;
    for (int t = 0; t < numTiles; t++) {
        int ka = t * TS + tx;
        int kb = t * TS + ty;
        As[ty][tx] = (row < M && ka < K) ? A[(size_t)row * K + ka] : 0.0f;
        Bs[ty][tx] = (kb < K && col < N) ? B[(size_t)kb * N + col] : 0.0f;
        __syncthreads();
        for (int k = 0; k < TS; k++)
            sum += As[ty][k] * Bs[k][tx];
        __syncthreads();
    }
    if (row < M && col < N)
        C[(size_t)row * N + col] = sum;
}

extern "C" void launch(const float *A,  // [M, K]
                       const float *B,  // [K, N]
                       float *C,        // [M, N]
                       int M, int N, int K, cudaStream_t stream = 0)
{
    dim3 block(TS, TS);
    int tiles = ((M + TS - 1) / TS) * ((N + TS - 1) / TS);
    matmul_tiled<<<tiles, block, 0, stream>>>(A, B, C, M, N, K);
}
"""
)

# Halves times the rows of other halves and a factor, a thread a result, two steps at once.
LINEAR = (
    HEADER
    + """\
__global__ void linear(const half* x, const half* w, half* y, float alpha, int m, int n,
                       int k) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= m * n) return;
    int i = t / n;
    int j = t % n;
    const half* xi = x + i * k;
    const half* wj = w + j * k;
    float acc = 0.f;
    int p = 0;
    for (; p + 1 < k; p += 2) {
        acc += __half2float(xi[p]) * __half2float(wj[p]);
        acc += __half2float(xi[p + 1]) * __half2float(wj[p + 1]);
    }
    if (p < k) acc += __half2float(xi[p]) * __half2float(wj[p]);
    y[t] = __float2half(alpha * acc);
}

extern "C" void launch(const half* x,  // [m, k]
                       const half* w,  // [n, k]
                       half* y,        // [m, n]
                       float alpha, int m, int n, int k, int block_size = 128,
                       cudaStream_t stream = 0) {
    int grid = (m * n + block_size - 1) / block_size;
    linear<<<grid, block_size, 0, stream>>>(x, w, y, alpha, m, n, k);
}
"""
)

# Softmax of rows of floats, a block a row.
SOFTMAX = (
    HEADER
    + """\
const int NT = 128;

__global__ void softmax_rows(const float *x, float *y, int cols)
{
    __shared__ float red[NT];
    const float *in = x + (size_t)blockIdx.x * cols;
    float *out = y + (size_t)blockIdx.x * cols;
    int tid = threadIdx.x;

    // 1. the largest
    float m = -INFINITY;
    for (int c = tid; c < cols; c += NT)
        m = fmaxf(m, in[c]);
    red[tid] = m;
    __syncthreads();
    for (int s = NT / 2; s > 0; s /= 2) {
        if (tid < s)
            red[tid] = fmaxf(red[tid], red[tid + s]);
        __syncthreads();
    }
    m = red[0];
    __syncthreads();

    // 2. the sum
    float sum = 0.0f;
    for (int c = tid; c < cols; c += NT)
        sum += expf(in[c] - m);
    red[tid] = sum;
    __syncthreads();
    for (int s = NT / 2; s > 0; s /= 2) {
        if (tid < s)
            red[tid] += red[tid + s];
        __syncthreads();
    }
    sum = red[0];

    // 3. the results
    for (int c = tid; c < cols; c += NT)
        out[c] = expf(in[c] - m) / sum;
}

extern "C" void launch(const float *x,  // [rows, cols]
                       float *y,        // [rows, cols]
                       int rows, int cols, cudaStream_t stream = 0)
{
    softmax_rows<<<rows, NT, 0, stream>>>(x, y, cols);
}
"""
)

# Layer norm of rows of floats, a warp a row, in two passes.
NORM = (
    HEADER
    + """\
__device__ float all_lanes(float v) {
  for (int d = 1; d < 32; d *= 2) v += __shfl_xor_sync(0xffffffff, v, d);
  return v;
}

__global__ void layer_norm(const float* x, const float* gamma, const float* beta, float* y,
                           int rows, int cols, float eps) {
  int lane = threadIdx.x;
  int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  const float* in = x + (size_t)row * cols;
  float* out = y + (size_t)row * cols;

  float sum = 0;
  for (int c = lane; c < cols; c += 32) sum += in[c];
  float mean = all_lanes(sum) / cols;

  float sq = 0;
  for (int c = lane; c < cols; c += 32) {
    float d = in[c] - mean;
    sq += d * d;
  }
  float var = all_lanes(sq) / cols;
  float inv = 1.0f / sqrtf(var + eps);

  for (int c = lane; c < cols; c += 32) out[c] = (in[c] - mean) * inv * gamma[c] + beta[c];
}

extern "C" void launch(const float* x,      // [rows, cols]
                       const float* gamma,  // [cols]
                       const float* beta,   // [cols]
                       float* y,            // [rows, cols]
                       int rows, int cols, float eps = 1e-5f, cudaStream_t stream = 0) {
  dim3 block(32, 4);
  int grid = (rows + 3) / 4;
  layer_norm<<<grid, block, 0, stream>>>(x, gamma, beta, y, rows, cols, eps);
}
"""
)

NAN, INF = float("nan"), float("inf")
LENGTHS = (*range(1, 71), 95, 96, 97, 127, 128, 129, 255, 256, 257, 383, 384, 385, 511, 512)
LENGTHS += (513, 1000, 1023, 1024, 1025, 2047, 2048, 2049, 4096, 4099)
SIDES = ((1, 1), (2, 1), (1, 2), (3, 2), (4, 31), (5, 32), (8, 33), (33, 8), (2, 64), (65, 3))
SIDES += ((9, 70), (70, 1), (3, 1000), (1, 4099), (64, 70), (130, 6), (40, 50), (32, 32))
SIDES += ((301, 2), (3, 129), (7, 128), (5, 63), (65, 65), (6, 6), (7, 10), (2, 130))


def two_arrays(launcher: Launcher) -> Iterator[Case]:
    """Add: any, fractions, zeros of both signs, infinities, NaN; from any four bytes."""
    for n in (*LENGTHS, 9_001, 70_003):
        a, b = (whole(-(10**6), 10**6, n, 2 * n + k).float() for k in range(2))
        j = torch.arange(n)
        for label, u, v in (
            ("any", a, b),
            ("fractions", a / 1024, b / 8),
            ("zeros", torch.where(j % 2 == 1, 0.0, -0.0), torch.where(j % 3 == 1, 0.0, -0.0)),
            ("infinities", torch.where(j % 3 == 1, INF * (1 - j % 2 * 2), a), b),
            ("NaN", a, torch.where(j % 3 == 1, NAN, b)),
        ):
            right, options = u.double() + v.double(), {"dtypes": (torch.float32,)}
            for block_size in (256, 64, 1024):
                words, more = f"n = {n:,}, block_size = {block_size}, {label}", dict(options)
                more |= {"arguments": {"block_size": block_size}, "quick": n > 5000}
                yield Case(words, (u, v), (right,), **more)
            if n < 300 and label == "any":
                for offset in (
                    (1, 1, 1),
                    (1, 4, 4),
                    (4, 1, 4),
                    (4, 4, 1),
                    (4, 8, 4),
                    (2, 2, 2),
                ):
                    words = f"n = {n:,}, slices from {offset}"
                    yield Case(words, (u, v), (right,), offset=offset, **options)


def quants(launcher: Launcher) -> Iterator[Case]:
    """Quantize: any, between two, beyond the range, all of the range, infinities, NaN."""
    for n in (*LENGTHS, 9_001, 40_003):
        x, j = whole(-255, 256, n, n), torch.arange(n)
        for label, v, scale in (
            ("any", x / 8.0, 0.5),
            ("between two", x % 100 - 49.5, 1.0),
            ("beyond the range", x * 3.0, 2.0),
            ("all of the range", (j % 256 - 128) * 0.25, 0.25),
            ("infinities", torch.where(j % 3 == 1, INF * (1 - j % 2 * 2), x / 16), 4.0),
            ("NaN", torch.where(j % 3 == 1, NAN, x / 16.0), 0.125),
            ("zeros", torch.where(j % 2 == 1, 0.0, -0.0), 2.0),
        ):
            v = v.float()
            right = (v.double() / scale).round().nan_to_num(0.0, INF, -INF).clamp(-128, 127)
            options = {"dtypes": (torch.int8,), "quick": n > 5000}
            for block_size in (128, 32, 256):
                scalars = {"scale": scale, "block_size": block_size}
                yield Case(f"n = {n:,}, {scalars}, {label}", (v,), (right,), scalars, **options)
            if n < 200 and label == "any":
                words, more = f"n = {n:,}, slices from (4, 8)", {**options, "offset": (4, 8)}
                yield Case(words, (v,), (right,), {"scale": scale}, **more)


def row_sums(launcher: Launcher) -> Iterator[Case]:
    """Add rows of whole numbers: any, zeros, ones, below 0, large, the last alone."""
    for rows, cols in (*SIDES, (3, 2_001), (513, 3), *((2, c) for c in range(1, 70, 3))):
        n = rows * cols
        x, c = whole(-999, 1000, n, n).reshape(rows, cols), torch.arange(cols)
        for label, y in (
            ("any", x),
            ("zeros", x * 0),
            ("ones", x * 0 + 1),
            ("below 0", -x.abs() - 1),
            ("large", 2_000_000_000 + x),
            ("far below 0", x - 2_000_000_000),
            ("the last alone", torch.where(c == cols - 1, 77, 0) + 0 * x),
        ):
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y.int(),), (y.sum(1),), dtypes=(torch.int64,))


def largest_ones(launcher: Launcher) -> Iterator[Case]:
    """Look for the largest: any, below 0, the first, the last, infinities, a NaN."""
    for n in (*LENGTHS, 8_191, 8_193, 20_003, 70_001):
        x, j = whole(-999, 1000, n, n).float(), torch.arange(n)
        for label, y in (
            ("any", x),
            ("below 0", -x.abs() - 1),
            ("the first", torch.where(j == 0, 5000.0, x)),
            ("the last", torch.where(j == n - 1, 5000.0, x)),
            ("all alike", x * 0 - 7),
            ("infinity", torch.where(j == n // 2, INF, x)),
            ("below all", x * 0 - INF),
            ("a NaN", torch.where(j == n // 3, NAN, x)),
        ):
            words, right = f"n = {n:,}, {label}", y.double().max().reshape(1)
            options = {"dtypes": (torch.float32,), "function": torch.max}
            yield Case(words, (y,), (right,), quick=n > 5000, **options)


def flips(launcher: Launcher) -> Iterator[Case]:
    """Turn bytes: any and all 255; long, thin, square and odd, and some of 90,000."""
    some = ((31, 200), (200, 31), (300, 1), (33, 65), (16, 16), (17, 15), (300, 301))
    for h, w in (*SIDES, *some, (2, 33_000), (33_000, 2), (256, 257)):
        x = whole(0, 256, h * w, h * w).reshape(h, w)
        for label, y in (("any", x), ("all 255", x * 0 + 255)):
            words, options = f"h = {h:,}, w = {w:,}, {label}", {"dtypes": (torch.uint8,)}
            right = y.T.contiguous()
            yield Case(words, (y.to(torch.uint8),), (right,), quick=h * w > 5000, **options)


def products(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole numbers, so that only the last step rounds: any, ones, large, NaN."""
    sides = ((1, 1, 1), (1, 2, 3), (2, 1, 40), (3, 5, 7), (16, 16, 16), (17, 15, 33))
    sides += ((15, 17, 65), (5, 40, 1), (40, 5, 2), (33, 31, 20), (1, 70, 31), (70, 1, 32))
    sides += ((20, 65, 48), (65, 20, 5), (3, 2, 1000), (2, 3, 301))
    for m, n, k in (*sides, *((7, 9, k) for k in range(1, 40, 2))):
        x = whole(-9, 10, m * k, m + k).reshape(m, k).double()
        w = whole(-9, 10, n * k, n).reshape(n, k).double()
        p = torch.arange(k)
        for label, a, b, alpha in (
            ("any", x, w, 1.0),
            ("a factor", x, w, 0.375),
            ("ones", x * 0 + 1, w * 0 + 1, 2.0),
            ("above 0", x.abs() * 3 + 1, w.abs() + 1, 1.0),
            ("large", x * 200, w, 0.03125),
            ("the last alone", torch.where(p == k - 1, 5.0, 0.0) + 0 * x, w, 1.0),
            ("NaN in x", torch.where(p == k // 2, NAN, x), w, 1.0),
            ("NaN in w", x, torch.where(torch.arange(n)[:, None] == n // 2, NAN, w), 0.5),
        ):
            for block_size in (128, 64):
                scalars = {"alpha": alpha, "block_size": block_size}
                words = f"m = {m}, n = {n}, k = {k}, {scalars}, {label}"
                right, inputs = alpha * (a @ b.T) + 0.0, (a.half(), b.half())
                yield Case(words, inputs, (right,), scalars, dtypes=(torch.float16,))


def norms(launcher: Launcher) -> Iterator[Case]:
    """Normalize: any, plain, small, about 1,000, alike, negative, a NaN; two small numbers."""
    for rows, cols in (*SIDES, (3, 2_001), (130, 129)):
        x = whole(-99, 100, rows * cols, rows * cols).reshape(rows, cols) / 4.0
        c = torch.arange(cols)
        gain, bias = (whole(-20, 21, cols, cols + k) / 8.0 for k in range(2))
        for label, v, g, b in (
            ("any", x, gain, bias),
            ("plain", x, gain * 0 + 1, bias * 0),
            ("small", x / 4096, gain, bias),
            ("about 1,000", x + 1000, gain, bias),
            ("all alike", x * 0 + 3, gain, bias),
            ("below 0", -x.abs() - 1, gain, bias + 2),
            ("NaN", torch.where(c == cols // 2, NAN, x), gain, bias),
        ):
            d = v.double() - v.double().mean(1, keepdim=True)
            for eps in (1e-5, 0.125):
                f = 1 / ((d * d).mean(1, keepdim=True) + eps).sqrt()
                right = d * f * g + b
                off = 2.0**-21 * v.double().abs().amax(1, True) * f * g.abs()
                slack = off + 2.0**-16 * (d * f * g).abs() + 2.0**-22 * b.abs()
                words = f"rows = {rows:,}, cols = {cols:,}, eps = {eps}, {label}"
                options = {"dtypes": (torch.float32,), "within": (slack.nan_to_num(0.0),)}
                yield Case(words, (v, g, b), (right,), {"eps": eps}, **options)


BASES = {
    "eightytwo_add": Base(ADD, {"cases": two_arrays}),
    "eightytwo_hadd": Base(HADD, {"reference": "add"}),
    "eightytwo_cast": Base(CAST, {"reference": "cast"}),
    "eightytwo_quant": Base(QUANT, {"cases": quants}),
    "eightytwo_silu": Base(SILU, {"reference": torch.nn.functional.silu, "ulp": 4}),
    "eightytwo_total": Base(TOTAL, cases="sums"),
    "eightytwo_rowsum": Base(ROWSUM, {"cases": row_sums}),
    "eightytwo_largest": Base(LARGEST, {"cases": largest_ones}),
    "eightytwo_turn": Base(TURN, cases="transpose"),
    "eightytwo_flip": Base(FLIP, {"cases": flips}),
    "eightytwo_matmul": Base(MATMUL, cases="matmul"),
    "eightytwo_linear": Base(LINEAR, {"cases": products}),
    "eightytwo_softmax": Base(SOFTMAX, cases="softmax"),
    "eightytwo_norm": Base(NORM, {"cases": norms}),
}

WRONG = (
    # ---- add
    # The address of the result is not tested.
    Wrong(
        "eightytwo_add_c_untested",
        "eightytwo_add",
        "alignment",
        ("fits(a) && fits(b) && fits(c) ?", "fits(a) && fits(b) ?"),
    ),
    # What is left after the packs is forgotten.
    Wrong(
        "eightytwo_add_rest_forgotten",
        "eightytwo_add",
        "tail / unwritten / left out | nan / numbers",
        ("if (left > 0) {", "if (vecs == 0 && left > 0) {"),
    ),
    # One too many is allowed.
    Wrong(
        "eightytwo_add_one_too_many",
        "eightytwo_add",
        "bounds / tail",
        ("if (i < n) c[i]", "if (i <= n) c[i]"),
    ),
    # Single numbers are added on the default stream.
    Wrong(
        "eightytwo_add_rest_no_stream",
        "eightytwo_add",
        "stream",
        ("add_one<<<blocks, block_size, 0, stream>>>", "add_one<<<blocks, block_size>>>"),
    ),
    # The block size of the packs is a number.
    Wrong(
        "eightytwo_add_always_256",
        "eightytwo_add",
        "block size | unwritten / left out / other element / twice / nan / tail",
        (
            "int i = blockDim.x * blockIdx.x + threadIdx.x;\n  if (i >= count)",
            "int i = 256 * blockIdx.x + threadIdx.x;\n  if (i >= count)",
        ),
    ),
    # ---- hadd
    # The step counts halves, not pairs.
    Wrong(
        "eightytwo_hadd_step_of_halves",
        "eightytwo_hadd",
        "unwritten / left out / grid | nan / tail / numbers / other element",
        ("int stride = gridDim.x", "int stride = 2 * gridDim.x"),
    ),
    # The first array is added to itself.
    Wrong(
        "eightytwo_hadd_a_and_a",
        "eightytwo_hadd",
        "function / left out / swapped / twice | numbers / infinity / nan / sign of zero",
        ("__hadd2(a2[p], b2[p])", "__hadd2(a2[p], a2[p])"),
    ),
    # The sum saturates, which is to between 0 and 1.
    Wrong(
        "eightytwo_hadd_saturated",
        "eightytwo_hadd",
        "whole range / infinity / function | numbers / nan / sign of zero",
        ("__hadd2(a2[p], b2[p])", "__hadd2_sat(a2[p], b2[p])"),
    ),
    # To the odd one the number before the last is added.
    Wrong(
        "eightytwo_hadd_odd_takes_neighbour",
        "eightytwo_hadd",
        "tail / neighbour / other element / bounds | numbers / nan",
        ("b[n - 1])", "b[n - 2])"),
    ),
    # The second array may lie anywhere.
    Wrong(
        "eightytwo_hadd_b_anywhere",
        "eightytwo_hadd",
        "alignment",
        ("const half *b,  // [n] 4-byte aligned", "const half *b,  // [n]"),
    ),
    # ---- cast
    # What does not fit is cut off.
    Wrong(
        "eightytwo_cast_toward_zero",
        "eightytwo_cast",
        "rounding | numbers / infinity / precision",
        ("__float2half_rn(val)", "__float2half_rz(val)"),
    ),
    # What is too large becomes the largest half.
    Wrong(
        "eightytwo_cast_limited",
        "eightytwo_cast",
        "infinity / whole range | numbers",
        (
            "        const float val = src[idx];\n",
            "        float val = src[idx];\n"
            "        if (val > 65504.0f) val = 65504.0f;\n"
            "        if (val < -65504.0f) val = -65504.0f;\n",
        ),
    ),
    # What is below the smallest normal half becomes 0.
    Wrong(
        "eightytwo_cast_small_ones_0",
        "eightytwo_cast",
        "subnormal | numbers / precision / sign of zero",
        (
            "dst[idx] = __float2half_rn(val);",
            "dst[idx] = __float2half_rn(fabsf(val) < 6.103515625e-5f ? 0.0f : val);",
        ),
    ),
    # The way leads by bfloat16.
    Wrong(
        "eightytwo_cast_by_bfloat16",
        "eightytwo_cast",
        "precision / rounding | numbers",
        ("__float2half_rn(val)", "__float2half_rn(__bfloat162float(__float2bfloat16(val)))"),
    ),
    # Blocks are counted as if they had 256 threads.
    Wrong(
        "eightytwo_cast_blocks_of_256",
        "eightytwo_cast",
        "grid / block size / unwritten / left out | nan / tail / numbers",
        ("(n + block_size - 1) / block_size", "(n + 255) / 256"),
    ),
    # ---- quant
    # What follows the point is cut off.
    Wrong(
        "eightytwo_quant_truncated",
        "eightytwo_quant",
        "rounding | numbers",
        ("rintf(x / scale)", "truncf(x / scale)"),
    ),
    # Beyond the range bytes wrap around.
    Wrong(
        "eightytwo_quant_wraps",
        "eightytwo_quant",
        "whole range | numbers / infinity",
        (
            "    q = fmaxf(q, -128.f);\n    q = fminf(q, 127.f);\n    return (int8_t)q;",
            "    return (int8_t)(int)q;",
        ),
    ),
    # The scale is a factor.
    Wrong(
        "eightytwo_quant_times_scale",
        "eightytwo_quant",
        "function | numbers / whole range",
        ("x / scale", "x * scale"),
    ),
    # NaN runs into the lower limit.
    Wrong(
        "eightytwo_quant_nan_to_limit",
        "eightytwo_quant",
        "nan",
        ("    if (isnan(q)) return 0;\n", ""),
    ),
    # A pack that has begun is taken for a whole one.
    Wrong(
        "eightytwo_quant_pack_begun",
        "eightytwo_quant",
        "bounds / tail",
        ("if (base + 4 <= n)", "if (base < n)"),
    ),
    # ---- silu
    # The exponential of what is large stands above and below.
    Wrong(
        "eightytwo_silu_exponential_above",
        "eightytwo_silu",
        "infinity / nan | numbers / function",
        ("v / (1.0f + expf(-v))", "v * (expf(v) / (1.0f + expf(v)))"),
    ),
    # The factor of the quick GELU has come along.
    Wrong(
        "eightytwo_silu_of_gelu",
        "eightytwo_silu",
        "function | numbers / precision",
        ("expf(-v)", "expf(-1.702f * v)"),
    ),
    # What is above 20 becomes 20.
    Wrong(
        "eightytwo_silu_limited",
        "eightytwo_silu",
        "infinity / whole range / function | numbers",
        ("  float v = x[i];\n", "  float v = x[i] > 20.0f ? 20.0f : x[i];\n"),
    ),
    # Zeros are passed over.
    Wrong(
        "eightytwo_silu_zeros_skipped",
        "eightytwo_silu",
        "unwritten / left out | nan / numbers / sign of zero",
        ("if (i >= n) return;", "if (i >= n || x[i] == 0.0f) return;"),
    ),
    # The result is stored in x, too.
    Wrong(
        "eightytwo_silu_in_place",
        "eightytwo_silu",
        "input | state",
        ("silu_kernel(const float* x,", "silu_kernel(float* x,"),
        ("  y[i] = silu(v);", "  x[i] = silu(v);\n  y[i] = x[i];"),
        ("stream>>>(x, y, n)", "stream>>>((float*)x, y, n)"),
    ),
    # ---- total
    # Nobody sets the total to 0.
    Wrong(
        "eightytwo_total_not_set",
        "eightytwo_total",
        "zero before / state | numbers / nan / unwritten",
        ("    cudaMemsetAsync(total, 0, sizeof(float), stream);\n", ""),
    ),
    # The last warp is left out.
    Wrong(
        "eightytwo_total_seven_warps",
        "eightytwo_total",
        "left out | numbers / nan",
        ("w < THREADS / 32; w++", "w < THREADS / 32 - 1; w++"),
    ),
    # Blocks add without an atomic.
    Wrong(
        "eightytwo_total_no_atomic",
        "eightytwo_total",
        "race | numbers / left out",
        ("atomicAdd(total, block);", "*total += block;"),
    ),
    # The last step of shuffles is missing.
    Wrong(
        "eightytwo_total_four_steps",
        "eightytwo_total",
        "left out | numbers / other element / nan",
        ("int offset = 16; offset > 0;", "int offset = 16; offset > 1;"),
    ),
    # The total is set to 0 on the default stream.
    Wrong(
        "eightytwo_total_set_elsewhere",
        "eightytwo_total",
        "stream | race / zero before / state",
        ("cudaMemsetAsync(total, 0, sizeof(float), stream);", "cudaMemset(total, 0, 4);"),
    ),
    # ---- rowsum
    # A thread adds in 32 bits.
    Wrong(
        "eightytwo_rowsum_in_int",
        "eightytwo_rowsum",
        "whole range / narrow / infinity | numbers",
        ("    long long acc = 0;", "    int acc = 0;"),
    ),
    # The tree begins a step too late.
    Wrong(
        "eightytwo_rowsum_late_tree",
        "eightytwo_rowsum",
        "left out | numbers / other element",
        ("int s = kThreads / 2;", "int s = kThreads / 4;"),
    ),
    # The tree begins before all have stored.
    Wrong(
        "eightytwo_rowsum_no_barrier",
        "eightytwo_rowsum",
        "race | numbers / left out / unwritten / other element / state",
        ("    part[tid] = acc;\n    __syncthreads();\n", "    part[tid] = acc;\n"),
    ),
    # Rows are as long as there are rows.
    Wrong(
        "eightytwo_rowsum_pitch_of_rows",
        "eightytwo_rowsum",
        "sides / other element / bounds | numbers / left out / twice",
        ("(size_t)row * cols", "(size_t)row * gridDim.x"),
    ),
    # A thread adds in a float.
    Wrong(
        "eightytwo_rowsum_in_float",
        "eightytwo_rowsum",
        "precision / narrow / rounding | numbers / whole range",
        ("    long long acc = 0;", "    float acc = 0;"),
    ),
    # ---- largest
    # The least float is taken for the one farthest below 0.
    Wrong(
        "eightytwo_largest_from_flt_min",
        "eightytwo_largest",
        "start | numbers",
        ("  float m = -INFINITY;\n", "  float m = FLT_MIN;\n"),
    ),
    # A function that knows no NaN.
    Wrong(
        "eightytwo_largest_fmaxf",
        "eightytwo_largest",
        "nan",
        ("return (a > b || isnan(a)) ? a : b;", "return fmaxf(a, b);"),
    ),
    # All 64 parts are read, whoever has written them.
    Wrong(
        "eightytwo_largest_all_parts",
        "eightytwo_largest",
        "state / unwritten / start | numbers / nan / other element / bounds",
        ("(int)threadIdx.x < blocks ?", "threadIdx.x < BLOCKS ?"),
    ),
    # The tree ends a step too early.
    Wrong(
        "eightytwo_largest_tree_of_two",
        "eightytwo_largest",
        "left out | numbers / other element / nan / infinity",
        ("s >= 1; s /= 2", "s > 1; s /= 2"),
    ),
    # The last number is not looked at.
    Wrong(
        "eightytwo_largest_without_last",
        "eightytwo_largest",
        "left out / tail | numbers / nan / infinity / start",
        ("i < n; i += gridDim.x * BLOCK", "i < n - 1; i += gridDim.x * BLOCK"),
    ),
    # ---- turn
    # The rows of the result are as long as those of x.
    Wrong(
        "eightytwo_turn_pitch_of_way_in",
        "eightytwo_turn",
        "sides / other element / bounds / swapped | numbers / unwritten / twice / race / nan",
        ("out[(size_t)r * rows + c]", "out[(size_t)r * cols + c]"),
    ),
    # Tiles change places, but nothing is turned within.
    Wrong(
        "eightytwo_turn_tile_not_turned",
        "eightytwo_turn",
        "other element / swapped / sides | numbers / unwritten / nan",
        ("tile[threadIdx.x][j];", "tile[j][threadIdx.x];"),
    ),
    # The test of the way out is that of the way in.
    Wrong(
        "eightytwo_turn_test_of_way_in",
        "eightytwo_turn",
        "bounds / unwritten / sides / swapped / left out | nan / tail / other element / race",
        ("if (r < cols && c < rows)", "if (r < rows && c < cols)"),
    ),
    # Only whole tiles are counted down.
    Wrong(
        "eightytwo_turn_whole_tiles",
        "eightytwo_turn",
        "grid / unwritten / left out / tail | nan / refused / numbers",
        ("tiles_y = (rows + TILE - 1) / TILE", "tiles_y = rows / TILE"),
    ),
    # The way out ends after three of four steps.
    Wrong(
        "eightytwo_turn_three_steps",
        "eightytwo_turn",
        "unwritten / left out | nan / numbers / tail",
        (
            "    __syncthreads();\n    for (int j = threadIdx.y; j < TILE;",
            "    __syncthreads();\n    for (int j = threadIdx.y; j < TILE - ROWS_AT_ONCE;",
        ),
    ),
    # ---- flip
    # Rows are counted in x of the grid.
    Wrong(
        "eightytwo_flip_grid_swapped",
        "eightytwo_flip",
        "grid / sides / swapped / unwritten / left out | numbers / tail",
        (
            "blocks((w + threads.x - 1) / threads.x, (h + threads.y - 1) / threads.y)",
            "blocks((h + threads.y - 1) / threads.y, (w + threads.x - 1) / threads.x)",
        ),
    ),
    # One of the tests is enough.
    Wrong(
        "eightytwo_flip_or_for_and",
        "eightytwo_flip",
        "bounds | sides / race / other element / tail / numbers / twice",
        ("if (row < h && col < w)", "if (row < h || col < w)"),
    ),
    # Blocks are taken for squares.
    Wrong(
        "eightytwo_flip_square_blocks",
        "eightytwo_flip",
        "block size / unwritten / left out / sides / swapped | numbers / tail / grid",
        ("blockIdx.y * blockDim.y", "blockIdx.y * blockDim.x"),
    ),
    # The place has 16 bits.
    Wrong(
        "eightytwo_flip_short_place",
        "eightytwo_flip",
        "narrow | unwritten / other element / numbers / whole range / left out / twice / race",
        ("int to = col", "unsigned short to = col"),
    ),
    # The launch forgets the stream.
    Wrong(
        "eightytwo_flip_no_stream",
        "eightytwo_flip",
        "stream",
        ("flip<<<blocks, threads, 0, stream>>>", "flip<<<blocks, threads>>>"),
    ),
    # ---- matmul
    # Only whole tiles of k are taken.
    Wrong(
        "eightytwo_matmul_whole_tiles",
        "eightytwo_matmul",
        "tail / left out | numbers / nan",
        ("int numTiles = (K + TS - 1) / TS;", "int numTiles = K / TS;"),
    ),
    # Tiles are filled while they are read.
    Wrong(
        "eightytwo_matmul_no_second_barrier",
        "eightytwo_matmul",
        "race | numbers / other element / left out / nan",
        (
            "            sum += As[ty][k] * Bs[k][tx];\n        __syncthreads();\n",
            "            sum += As[ty][k] * Bs[k][tx];\n",
        ),
    ),
    # Rows of B have the pitch of A.
    Wrong(
        "eightytwo_matmul_pitch_of_a",
        "eightytwo_matmul",
        "sides / other element / bounds / swapped | numbers / nan",
        ("B[(size_t)kb * N + col]", "B[(size_t)kb * K + col]"),
    ),
    # The product is added to what is there.
    Wrong(
        "eightytwo_matmul_added",
        "eightytwo_matmul",
        "zero before / state | nan / numbers / unwritten",
        ("        C[(size_t)row * N + col] = sum;", "        C[(size_t)row * N + col] += sum;"),
    ),
    # The end of k is not tested for A.
    Wrong(
        "eightytwo_matmul_k_of_a_untested",
        "eightytwo_matmul",
        "bounds / tail | nan / other element / numbers",
        ("(row < M && ka < K)", "(row < M)"),
    ),
    # ---- linear
    # The sum is rounded to a half in each step.
    Wrong(
        "eightytwo_linear_sum_in_half",
        "eightytwo_linear",
        "precision / rounding | numbers / infinity",
        (
            "__half2float(wj[p + 1]);\n",
            "__half2float(wj[p + 1]);\n        acc = __half2float(__float2half(acc));\n",
        ),
    ),
    # Row and column are found by the height.
    Wrong(
        "eightytwo_linear_place_by_height",
        "eightytwo_linear",
        "sides / other element / bounds | numbers / swapped / nan",
        ("int i = t / n;", "int i = t / m;"),
        ("int j = t % n;", "int j = t % m;"),
    ),
    # The last of an odd k is left out.
    Wrong(
        "eightytwo_linear_odd_k",
        "eightytwo_linear",
        "tail / left out | numbers / nan",
        ("    if (p < k) acc += __half2float(xi[p]) * __half2float(wj[p]);\n", ""),
    ),
    # The factor is left out.
    Wrong(
        "eightytwo_linear_no_factor",
        "eightytwo_linear",
        "function / left out | numbers / infinity",
        ("__float2half(alpha * acc)", "__float2half(acc)"),
    ),
    # The matrices are handed over in the other order.
    Wrong(
        "eightytwo_linear_handed_over",
        "eightytwo_linear",
        "swapped | sides / other element / bounds / numbers / nan",
        ("stream>>>(x, w, y, alpha", "stream>>>(w, x, y, alpha"),
    ),
    # ---- softmax
    # The largest is not taken away.
    Wrong(
        "eightytwo_softmax_without_largest",
        "eightytwo_softmax",
        "infinity / nan | numbers / precision / function",
        ("sum += expf(in[c] - m);", "sum += expf(in[c]);"),
        ("out[c] = expf(in[c] - m) / sum;", "out[c] = expf(in[c]) / sum;"),
    ),
    # The largest begins with 0.
    Wrong(
        "eightytwo_softmax_from_0",
        "eightytwo_softmax",
        "start | nan / numbers / infinity / precision / subnormal",
        ("float m = -INFINITY;", "float m = 0.0f;"),
    ),
    # Sums are stored while others read the largest.
    Wrong(
        "eightytwo_softmax_no_barrier",
        "eightytwo_softmax",
        "race | numbers / other element / nan / infinity / left out",
        ("    m = red[0];\n    __syncthreads();\n", "    m = red[0];\n"),
    ),
    # Each thread adds one column.
    Wrong(
        "eightytwo_softmax_one_column",
        "eightytwo_softmax",
        "left out | numbers / function",
        (
            "    for (int c = tid; c < cols; c += NT)\n        sum += expf(in[c] - m);",
            "    if (tid < cols)\n        sum += expf(in[tid] - m);",
        ),
    ),
    # Powers are those of 2.
    Wrong(
        "eightytwo_softmax_powers_of_2",
        "eightytwo_softmax",
        "function | numbers / precision",
        ("sum += expf(in[c] - m);", "sum += exp2f(in[c] - m);"),
        ("out[c] = expf(in[c] - m) / sum;", "out[c] = exp2f(in[c] - m) / sum;"),
    ),
    # ---- norm
    # The variance is that of a sample.
    Wrong(
        "eightytwo_norm_of_sample",
        "eightytwo_norm",
        "function | numbers / nan / infinity",
        ("all_lanes(sq) / cols", "all_lanes(sq) / (cols - 1)"),
    ),
    # The gain is taken by the row.
    Wrong(
        "eightytwo_norm_gain_of_row",
        "eightytwo_norm",
        "other element / bounds / sides | numbers / swapped / nan",
        ("gamma[c]", "gamma[row]"),
    ),
    # Shuffles go down, and all lanes use what they have.
    Wrong(
        "eightytwo_norm_shuffles_down",
        "eightytwo_norm",
        "left out / other element | numbers / race / infinity / nan / function / twice",
        ("__shfl_xor_sync(0xffffffff, v, d)", "__shfl_down_sync(0xffffffff, v, d)"),
    ),
    # One row too many is allowed.
    Wrong(
        "eightytwo_norm_row_too_many",
        "eightytwo_norm",
        "bounds / tail",
        ("if (row >= rows) return;", "if (row > rows) return;"),
    ),
    # Gain and bias are handed over in the other order.
    Wrong(
        "eightytwo_norm_bias_for_gain",
        "eightytwo_norm",
        "swapped | numbers / function / nan",
        ("stream>>>(x, gamma, beta, y", "stream>>>(x, beta, gamma, y"),
    ),
)

RIGHT = (
    # Blocks are counted otherwise, and the last one may have nothing to do.
    Right(
        "eightytwo_add_idle_block",
        "eightytwo_add",
        ("(vecs + block_size - 1) / block_size", "vecs / block_size + 1"),
        ("(left + block_size - 1) / block_size", "left / block_size + 1"),
    ),
    # Places have no sign.
    Right(
        "eightytwo_hadd_unsigned",
        "eightytwo_hadd",
        ("    int tid = ", "    uint32_t tid = "),
        ("    int stride = ", "    uint32_t stride = "),
        ("int p = tid; p < n / 2;", "uint32_t p = tid; p < (uint32_t)n / 2;"),
    ),
    # At most 16 blocks walk over all.
    Right(
        "eightytwo_cast_walks",
        "eightytwo_cast",
        (
            "    const int idx = blockIdx.x * blockDim.x + threadIdx.x;\n    if (idx < n) {\n",
            "    const int first = blockIdx.x * blockDim.x + threadIdx.x;\n"
            "    for (int idx = first; idx < n; idx += gridDim.x * blockDim.x) {\n",
        ),
        ("(n + block_size - 1) / block_size;", "min((n + block_size - 1) / block_size, 16);"),
    ),
    # The result is the first argument.
    Right(
        "eightytwo_quant_result_first",
        "eightytwo_quant",
        (
            "launch(const float *x,  // [n] 16-byte aligned\n"
            "                       int8_t *q,       // [n] 4-byte aligned\n",
            "launch(int8_t *q,       // [n] 4-byte aligned\n"
            "                       const float *x,  // [n] 16-byte aligned\n",
        ),
    ),
    # The sigmoid is a factor, and blocks are smaller.
    Right(
        "eightytwo_silu_sigmoid_first",
        "eightytwo_silu",
        ("v / (1.0f + expf(-v))", "v * (1.0f / (1.0f + expf(-v)))"),
        ("int block_size = 192", "int block_size = 64"),
    ),
    # A kernel sets the total to 0.
    Right(
        "eightytwo_total_set_by_kernel",
        "eightytwo_total",
        (
            '\nextern "C"',
            '\n__global__ void set_zero(float *total)\n{\n    *total = 0.0f;\n}\n\nextern "C"',
        ),
        (
            "cudaMemsetAsync(total, 0, sizeof(float), stream);",
            "set_zero<<<1, 1, 0, stream>>>(total);",
        ),
    ),
    # The launcher sets all sums to 0, and blocks add to them.
    Right(
        "eightytwo_rowsum_memset",
        "eightytwo_rowsum",
        (
            "out[row] = part[0];",
            "atomicAdd((unsigned long long*)&out[row], (unsigned long long)part[0]);",
        ),
        (
            "    row_sum<<<",
            "    cudaMemsetAsync(out, 0, rows * sizeof(int64_t), stream);\n    row_sum<<<",
        ),
    ),
    # All blocks are launched, though some have nothing to do.
    Right(
        "eightytwo_largest_idle_blocks",
        "eightytwo_largest",
        ("  int64_t wanted = (n + BLOCK - 1) / BLOCK;\n", ""),
        ("int blocks = wanted > BLOCKS ? BLOCKS : (int)wanted;", "int blocks = BLOCKS;"),
    ),
    # Blocks have 16 rows, and tiles no column that is not used.
    Right(
        "eightytwo_turn_sixteen_rows",
        "eightytwo_turn",
        ("#define ROWS_AT_ONCE 8", "#define ROWS_AT_ONCE 16"),
        ("tile[TILE][TILE + 1]", "tile[TILE][TILE]"),
    ),
    # Blocks are squares of 8, and places have 64 bits.
    Right(
        "eightytwo_flip_squares_of_8",
        "eightytwo_flip",
        ("dim3 threads(32, 4);", "dim3 threads(8, 8);"),
        ("int from = row * w + col;", "int64_t from = (int64_t)row * w + col;"),
        ("int to = col * h + row;", "int64_t to = (int64_t)col * h + row;"),
    ),
    # Tiles have a side of 8.
    Right(
        "eightytwo_matmul_tiles_of_8",
        "eightytwo_matmul",
        ("#define TS 16", "#define TS 8"),
    ),
    # One step at once, and a block more than needed.
    Right(
        "eightytwo_linear_single_steps",
        "eightytwo_linear",
        (
            "    int p = 0;\n"
            "    for (; p + 1 < k; p += 2) {\n"
            "        acc += __half2float(xi[p]) * __half2float(wj[p]);\n"
            "        acc += __half2float(xi[p + 1]) * __half2float(wj[p + 1]);\n"
            "    }\n"
            "    if (p < k) acc +=",
            "    for (int p = 0; p < k; p++) acc +=",
        ),
        ("(m * n + block_size - 1) / block_size", "m * n / block_size + 1"),
    ),
    # Blocks have 256 threads, and the sum is divided by once.
    Right(
        "eightytwo_softmax_factor",
        "eightytwo_softmax",
        ("const int NT = 128;", "const int NT = 256;"),
        ("    sum = red[0];\n", "    float scale = 1.0f / red[0];\n"),
        ("expf(in[c] - m) / sum;", "expf(in[c] - m) * scale;"),
    ),
    # Blocks have eight rows, and one of them may have none.
    Right(
        "eightytwo_norm_eight_rows",
        "eightytwo_norm",
        ("dim3 block(32, 4);", "dim3 block(32, 8);"),
        ("(rows + 3) / 4", "rows / 8 + 1"),
        ("1.0f / sqrtf(var + eps)", "rsqrtf(var + eps)"),
    ),
)
