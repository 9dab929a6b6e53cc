"""Hold a seventy-eighth family: the plain operators of a course, and their plainest mistakes.

Its bases are two sums of two arrays (float32 and bfloat16), two casts (float32 to halves and,
with a scale, to bytes), two activations (SiLU of float32, leaky ReLU of halves), the sum of an
array and of the rows of a matrix of integers, the maximum of an array, two transposes (float32
in tiles, halves without), a matrix product, softmax and layer norm. They have 16 to 41 lines
and share the work in the ways of a first half year: packs of four where all addresses allow it,
a number a thread, two a thread and an odd one at the end, four bytes a store, two numbers that
lie apart, loops over the grid, shuffles and an atomic, a block a row with a tree, two kernels,
tiles of 32 and of 16, warps that join in shared memory, and a warp a row. Eight are tried with
what a learner's kernel is tried with: three references and five functions of `kernel_cases`.
Their mistakes are spread over alignment, sizes, grids, integers of 16 and 32 bits, values,
rounding, NaN, infinity, subnormal numbers, the sign of zero, inputs that are written, sums,
transposes, products, order, streams and what is left of an earlier call. The causes were
written before a member was judged. There are 70 wrong members and 14 right ones. On the
emulator each was run beside the expected results of its cases, compared as a case does, called
twice on the same tensors, with NaN and with 1e3 in floating outputs (-1 and 77 in others), with
tensors at either end of their pages, the bytes behind them and their inputs looked at
afterwards, on a stream that is not the default one, with threads in order, from the last to the
first and in a random order, and in the slices that the cases name. Bases and right ones ran all
cases; wrong ones until they were wrong often enough. Of those that lack a barrier or an atomic
not each is wrong in every order of threads. nvcc 13.0 compiles each base for 8.0; none was run
on a GPU. Bases and right ones are right, and all others wrong or refused by a fault:

    seventyeight_plus_sum_anywhere           from 4 numbers on, by the address of sum alone
    seventyeight_plus_rest_of_two            if 3 are left, or packs not taken
    seventyeight_plus_z_for_w                from 4 numbers on, where packs are taken
    seventyeight_plus_no_stream              on another stream than the default one
    seventyeight_plus_one_pack_a_thread      of packs, from 16,388 numbers on at 128
    seventyeight_mix_towards_zero            of sums that are not bfloat16
    seventyeight_mix_one_too_many            unless the block size divides n
    seventyeight_mix_always_256              of other block sizes, from a second block on
    seventyeight_mix_left_twice              of nearly all
    seventyeight_mix_plus_zero               of -0.0 plus -0.0
    seventyeight_shrink_dst_anywhere         from 2 numbers on, by the address of dst
    seventyeight_shrink_largest_half         from 65,520 on, either way
    seventyeight_shrink_no_subnormals        below 2^-14, unless 0
    seventyeight_shrink_odd_forgotten        of odd counts, if 128 divides the pairs
    seventyeight_shrink_first_twice          from 2 numbers on
    seventyeight_level_cut_off               of numbers that are not whole, from 0.5 on
    seventyeight_level_no_upper_limit        from 255.5 on
    seventyeight_level_nan_is_white          of NaN
    seventyeight_level_three_are_a_pack      if 3 numbers are left
    seventyeight_level_divided               of nearly all, unless the scale is 1
    seventyeight_silu_no_minus               of nearly all
    seventyeight_silu_exponential_above      from 88.8 on
    seventyeight_silu_half_exponential       of nearly all
    seventyeight_silu_apart_by_a_block       from a second block on
    seventyeight_silu_in_place               of all: in is overwritten
    seventyeight_leaky_other_slope           below 0
    seventyeight_leaky_nan_is_0              of NaN
    seventyeight_leaky_first_of_grid         from a second block on
    seventyeight_leaky_even_counts           of odd counts
    seventyeight_leaky_steps_of_128          of smaller block sizes, from more than 48 blocks on
    seventyeight_total_not_zero_before       unless it was 0: from a second call on
    seventyeight_total_seven_warps           from 225 numbers on
    seventyeight_total_no_barrier            where warps do not wait for another
    seventyeight_total_no_atomic             from a second block on, if two add at once
    seventyeight_total_last_left_out         unless the last is 0
    seventyeight_tally_narrow_sum            beyond 2^31, of rows with more columns than threads
    seventyeight_tally_half_a_tree           from 65 columns on
    seventyeight_tally_added_to              unless it was 0: from a second call on
    seventyeight_tally_pitch_of_rows         unless square, from a second row on
    seventyeight_tally_one_a_thread          from 129 columns on
    seventyeight_highest_starts_at_0         if all are below 0
    seventyeight_highest_parts_in_x          unless the first is the highest: x is overwritten
    seventyeight_highest_all_parts           if all are below 0, or after more blocks
    seventyeight_highest_second_no_stream    on another stream than the default one
    seventyeight_highest_tree_stops_early    if the highest is of an odd thread
    seventyeight_turn_no_barrier             where warps do not wait for another
    seventyeight_turn_tile_as_it_lies        of nearly all
    seventyeight_turn_pitch_of_way_in        unless square
    seventyeight_turn_three_quarters         from 25 columns on
    seventyeight_turn_one_column_more        unless 32 divides the columns
    seventyeight_flip_by_rows                unless square or one of the sides is 1
    seventyeight_flip_blocks_rounded_down    from 129 numbers on, unless 128 divides them
    seventyeight_flip_index_of_16_bits       from 65,537 numbers on
    seventyeight_flip_pairs_exchanged        unless square
    seventyeight_flip_no_stream              on another stream than the default one
    seventyeight_times_whole_steps           unless 16 divides k
    seventyeight_times_pitch_of_a            unless n and k are alike
    seventyeight_times_no_last_barrier       from k = 17 on, where warps do not wait for another
    seventyeight_times_b_not_turned          of nearly all
    seventyeight_times_rest_is_stale         unless 16 divides k
    seventyeight_shares_no_maximum           of rows with numbers beyond 88, or far below 0
    seventyeight_shares_starts_at_0          of rows that are far below 0
    seventyeight_shares_kept_in_x            of all: x is overwritten
    seventyeight_shares_one_column_a_thread  from 129 columns on
    seventyeight_shares_three_warps          from 97 columns on
    seventyeight_norm_one_less               of nearly all
    seventyeight_norm_gain_of_row            from 2 columns on, or 2 rows
    seventyeight_norm_squares_less_square    of rows with a mean far from 0
    seventyeight_norm_one_row_more           unless 4 divides the rows
    seventyeight_norm_gain_for_shift         unless they are alike
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import whole

# Add, float32: packs of four where all three addresses allow it, in a loop over the grid.
PLUS = (
    HEADER
    + """\
static bool pack_ok(const void* p) { return ((uintptr_t)p & 15) == 0; }

__global__ void plus_kernel(const float* a, const float* b, float* sum, int packs, int n) {
  int id = blockIdx.x * blockDim.x + threadIdx.x;
  int total = gridDim.x * blockDim.x;
  for (int p = id; p < packs; p += total) {
    float4 u = ((const float4*)a)[p];
    float4 v = ((const float4*)b)[p];
    ((float4*)sum)[p] = make_float4(u.x + v.x, u.y + v.y, u.z + v.z, u.w + v.w);
  }
  for (int i = 4 * packs + id; i < n; i += total) sum[i] = a[i] + b[i];
}

extern "C" void launch(const float* a,  // [n]
                       const float* b,  // [n]
                       float* sum,      // [n]
                       int n, int block_size = 128, cudaStream_t stream = 0) {
  int packs = pack_ok(a) && pack_ok(b) && pack_ok(sum) ? n / 4 : 0;
  int blocks = (n + block_size - 1) / block_size;
  if (blocks > 32) blocks = 32;
  plus_kernel<<<blocks, block_size, 0, stream>>>(a, b, sum, packs, n);
}
"""
)

# Add, bfloat16: one number a thread, in float.
MIX = (
    HEADER
    + """\
typedef __nv_bfloat16 bf16;

__global__ void mixKernel(const bf16 *left, const bf16 *right, bf16 *out, int n)
{
    int idx = threadIdx.x + blockIdx.x * blockDim.x;
    if (idx < n) {
        float s = __bfloat162float(left[idx]) + __bfloat162float(right[idx]);
        out[idx] = __float2bfloat16(s);
    }
}

extern "C" void launch(const __nv_bfloat16 *left,   // [n]
                       const __nv_bfloat16 *right,  // [n]
                       __nv_bfloat16 *out,          // [n]
                       int n, int block_size = 256, cudaStream_t stream = 0)
{
    int numBlocks = (n + block_size - 1) / block_size;
    mixKernel<<<numBlocks, block_size, 0, stream>>>(left, right, out, n);
}
"""
)

# Cast, float32 to float16: two a thread, and an odd one by the thread after the pairs.
SHRINK = (
    HEADER
    + """\
#define THREADS 128

__device__ half small(float v) { return __float2half_rn(v); }

__global__ void shrink(const float2* src, half2* dst, int n) {
  int t = blockIdx.x * THREADS + threadIdx.x;
  int pairs = n / 2;
  if (t < pairs) {
    float2 v = src[t];
    dst[t] = __halves2half2(small(v.x), small(v.y));
  }
  if (t == pairs && n % 2 != 0) {
    ((half*)dst)[n - 1] = small(((const float*)src)[n - 1]);
  }
}

extern "C" void launch(const float* src,  // [n] 8-byte aligned
                       half* dst,         // [n] 4-byte aligned
                       int n, cudaStream_t stream = 0) {
  int threads = (n + 1) / 2;
  int blocks = (threads + THREADS - 1) / THREADS;
  shrink<<<blocks, THREADS, 0, stream>>>((const float2*)src, (half2*)dst, n);
}
"""
)

# Cast, float32 to bytes without a sign: a scale, the nearest, limits; four bytes a store.
LEVEL = (
    HEADER
    + """\
static __device__ __forceinline__ uint8_t to_level(float v, float scale)
{
    float q = rintf(v * scale);
    q = fminf(fmaxf(q, 0.0f), 255.0f);  // NaN becomes 0
    return (uint8_t)(int)q;
}

__global__ void level_k(const float *x, uint8_t *y, float scale, int n)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    if (i + 4 <= n) {
        uchar4 pack;
        pack.x = to_level(x[i], scale);
        pack.y = to_level(x[i + 1], scale);
        pack.z = to_level(x[i + 2], scale);
        pack.w = to_level(x[i + 3], scale);
        *(uchar4 *)&y[i] = pack;
        return;
    }
    while (i < n) {
        y[i] = to_level(x[i], scale);
        i++;
    }
}

extern "C" void launch(const float *x,  // [n]
                       uint8_t *y,      // [n] 4-byte aligned
                       float scale, int n, cudaStream_t stream = 0)
{
    int per_block = 64 * 4;
    level_k<<<(n + per_block - 1) / per_block, 64, 0, stream>>>(x, y, scale, n);
}
"""
)

# Activation, float32: SiLU, two numbers a thread that lie half of the work apart.
SILU = (
    HEADER
    + """\
__device__ float silu(float v) {
  return v / (1.0f + expf(-v));
}

__global__ void silu_two(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int apart = gridDim.x * blockDim.x;
  if (i < n) out[i] = silu(in[i]);
  if (i + apart < n) out[i + apart] = silu(in[i + apart]);
}

extern "C" void launch(const float* in,  // [n]
                       float* out,       // [n]
                       int n, int block_size = 64, cudaStream_t stream = 0) {
  int per_block = 2 * block_size;
  silu_two<<<(n + per_block - 1) / per_block, block_size, 0, stream>>>(in, out, n);
}
"""
)

# Activation, float16: leaky ReLU with the slope 1/8, in a loop over the grid.
LEAKY = (
    HEADER
    + """\
constexpr float kSlope = 0.125f;

__global__ void leaky_relu(const half* __restrict__ x, half* __restrict__ y, int n)
{
    const int stride = blockDim.x * gridDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        const float v = __half2float(x[i]);
        y[i] = __float2half(v > 0.0f ? v : kSlope * v);
    }
}

extern "C" void launch(const half* x,  // [n]
                       half* y,        // [n]
                       int n, int block_size = 128, cudaStream_t stream = 0)
{
    int grid = (n + block_size - 1) / block_size;
    grid = grid < 48 ? grid : 48;
    leaky_relu<<<grid, block_size, 0, stream>>>(x, y, n);
}
"""
)

# Sum, float32: shuffles in warps, then over warps, and an atomic for each block.
TOTAL = (
    HEADER
    + """\
#define T 256

__device__ float warp_total(float v) {
  for (int k = 16; k >= 1; k >>= 1) v += __shfl_down_sync(0xffffffffu, v, k);
  return v;
}

__global__ void total_kernel(const float* x, float* out, int64_t n) {
  __shared__ float warps[T / 32];
  int lane = threadIdx.x & 31, w = threadIdx.x >> 5;
  float acc = 0.f;
  for (int64_t i = (int64_t)blockIdx.x * T + threadIdx.x; i < n; i += (int64_t)gridDim.x * T)
    acc += x[i];
  acc = warp_total(acc);
  if (lane == 0) warps[w] = acc;
  __syncthreads();
  if (w == 0) {
    acc = lane < T / 32 ? warps[lane] : 0.f;
    acc = warp_total(acc);
    if (lane == 0) atomicAdd(out, acc);
  }
}

extern "C" void launch(const float* x,  // [n]
                       float* out,      // [1]
                       int64_t n, cudaStream_t stream = 0) {
  int64_t need = (n + T - 1) / T;
  int blocks = need < 1 ? 1 : need > 80 ? 80 : (int)need;
  cudaMemsetAsync(out, 0, sizeof(float), stream);
  total_kernel<<<blocks, T, 0, stream>>>(x, out, n);
}
"""
)

# Sum, int32 rows to int64: a block a row, and a tree in shared memory.
TALLY = (
    HEADER
    + """\
#define BLOCK 128

__global__ void tally(const int *x, int64_t *sums, int rows, int cols)
{
    __shared__ long long buf[BLOCK];
    int tid = threadIdx.x;
    int r = blockIdx.x;
    const int *row = x + (size_t)r * cols;
    long long mine = 0;
    for (int c = tid; c < cols; c += BLOCK)
        mine += row[c];
    buf[tid] = mine;
    __syncthreads();
    for (int s = BLOCK / 2; s > 0; s >>= 1) {
        if (tid < s)
            buf[tid] += buf[tid + s];
        __syncthreads();
    }
    if (tid == 0)
        sums[r] = buf[0];
}

extern "C" void launch(const int *x,   // [rows, cols]
                       int64_t *sums,  // [rows]
                       int rows, int cols, cudaStream_t stream = 0)
{
    tally<<<rows, BLOCK, 0, stream>>>(x, sums, rows, cols);
}
"""
)

# Maximum, float32: one for each block, and a second kernel for those.
HIGHEST = (
    HEADER
    + """\
#define T 128
#define MOST 64

__device__ float found[MOST];

__device__ float higher(float a, float b) { return b > a || b != b ? b : a; }

__device__ float of_block(float v) {
  __shared__ float s[T];
  s[threadIdx.x] = v;
  __syncthreads();
  for (int half_of = T / 2; half_of > 0; half_of /= 2) {
    if (threadIdx.x < half_of)
      s[threadIdx.x] = higher(s[threadIdx.x], s[threadIdx.x + half_of]);
    __syncthreads();
  }
  return s[0];
}

__global__ void in_blocks(const float* x, int64_t n) {
  float best = -INFINITY;
  for (int64_t i = (int64_t)blockIdx.x * T + threadIdx.x; i < n; i += (int64_t)gridDim.x * T)
    best = higher(best, x[i]);
  best = of_block(best);
  if (threadIdx.x == 0) found[blockIdx.x] = best;
}

__global__ void of_all(float* out, int blocks) {
  float best = -INFINITY;
  for (int i = threadIdx.x; i < blocks; i += T) best = higher(best, found[i]);
  best = of_block(best);
  if (threadIdx.x == 0) *out = best;
}

extern "C" void launch(const float* x,  // [n]
                       float* out,      // [1]
                       int64_t n, cudaStream_t stream = 0) {
  int blocks = n > MOST * T ? MOST : (int)((n + T - 1) / T);
  if (blocks == 0) blocks = 1;
  in_blocks<<<blocks, T, 0, stream>>>(x, n);
  of_all<<<1, T, 0, stream>>>(out, blocks);
}
"""
)

# Transpose, float32: a tile of 32 for 32 times 8 threads, rows of tiles in a loop.
TURN = (
    HEADER
    + """\
#define TILE 32
#define ROWS 8

__global__ void turn(const float* in, float* out, int64_t rows, int64_t cols) {
  __shared__ float tile[TILE][TILE + 1];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int64_t left = (int64_t)blockIdx.x * TILE;
  const int64_t bands = (rows + TILE - 1) / TILE;
  for (int64_t band = blockIdx.y; band < bands; band += gridDim.y) {
    const int64_t top = band * TILE;
    for (int k = ty; k < TILE; k += ROWS) {
      if (top + k < rows && left + tx < cols)
        tile[k][tx] = in[(top + k) * cols + left + tx];
    }
    __syncthreads();
    for (int j = ty; j < TILE; j += ROWS) {
      if (left + j < cols && top + tx < rows)
        out[(left + j) * rows + top + tx] = tile[tx][j];
    }
    __syncthreads();
  }
}

extern "C" void launch(const float* in,  // [rows, cols]
                       float* out,       // [cols, rows]
                       int64_t rows, int64_t cols, cudaStream_t stream = 0) {
  int64_t bands = (rows + TILE - 1) / TILE;
  dim3 grid((unsigned)((cols + TILE - 1) / TILE), (unsigned)(bands < 65535 ? bands : 65535));
  turn<<<grid, dim3(TILE, ROWS), 0, stream>>>(in, out, rows, cols);
}
"""
)

# Transpose, float16: a thread for each number, without a tile.
FLIP = (
    HEADER
    + """\
__global__ void flip(const half *m, half *t, int rows, int cols)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows * cols)
        return;
    int r = i / cols;
    int c = i % cols;
    t[c * rows + r] = m[i];
}

extern "C" void launch(const half *m,  // [rows, cols]
                       half *t,        // [cols, rows]
                       int rows, int cols, cudaStream_t stream = 0)
{
    int n = rows * cols;
    int blocks = (n + 127) / 128;
    flip<<<blocks, 128, 0, stream>>>(m, t, rows, cols);
}
"""
)

# Matrix product, float32: tiles of 16, all blocks in one row of the grid.
TIMES = (
    HEADER
    + """\
const int W = 16;

__global__ void times(const float *A, const float *B, float *C, int64_t M, int64_t N, int64_t K)
{
    __shared__ float As[W][W];
    __shared__ float Bs[W][W];
    int tx = threadIdx.x, ty = threadIdx.y;
    int64_t across = (N + W - 1) / W;
    int64_t row = blockIdx.x / across * W + ty;
    int64_t col = blockIdx.x % across * W + tx;
    int64_t steps = (K + W - 1) / W;
    float dot = 0.0f;
    for (int64_t s = 0; s < steps; s++) {
        int64_t ka = s * W + tx;
        int64_t kb = s * W + ty;
        As[ty][tx] = row < M && ka < K ? A[row * K + ka] : 0.0f;
        Bs[ty][tx] = kb < K && col < N ? B[kb * N + col] : 0.0f;
        __syncthreads();
        for (int e = 0; e < W; e++)
            dot += As[ty][e] * Bs[e][tx];
        __syncthreads();
    }
    if (row < M && col < N)
        C[row * N + col] = dot;
}

extern "C" void launch(const float *A,  // [M, K]
                       const float *B,  // [K, N]
                       float *C,        // [M, N]
                       int64_t M, int64_t N, int64_t K, cudaStream_t stream = 0)
{
    int64_t tiles = ((M + W - 1) / W) * ((N + W - 1) / W);
    times<<<(unsigned)tiles, dim3(W, W), 0, stream>>>(A, B, C, M, N, K);
}
"""
)

# Softmax, float32: a block a row, shuffles in warps and a loop over the four warps.
SHARES = (
    HEADER
    + """\
#define WARPS 4
#define T (32 * WARPS)

__device__ float join(float a, float b, bool largest) { return largest ? fmaxf(a, b) : a + b; }

__device__ float block_join(float v, bool largest, float* part) {
  for (int d = 16; d > 0; d /= 2)
    v = join(v, __shfl_xor_sync(0xffffffff, v, d), largest);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
  __syncthreads();
  v = part[0];
  for (int w = 1; w < WARPS; w++) v = join(v, part[w], largest);
  __syncthreads();
  return v;
}

__global__ void shares(const float* x, float* p, int64_t cols) {
  __shared__ float part[WARPS];
  const float* row = x + blockIdx.x * cols;
  float* out = p + blockIdx.x * cols;
  float top = -INFINITY;
  for (int64_t c = threadIdx.x; c < cols; c += T) top = fmaxf(top, row[c]);
  top = block_join(top, true, part);
  float sum = 0.0f;
  for (int64_t c = threadIdx.x; c < cols; c += T) sum += expf(row[c] - top);
  sum = block_join(sum, false, part);
  for (int64_t c = threadIdx.x; c < cols; c += T) out[c] = expf(row[c] - top) / sum;
}

extern "C" void launch(const float* x,  // [rows, cols]
                       float* p,        // [rows, cols]
                       int64_t rows, int64_t cols, cudaStream_t stream = 0) {
  shares<<<(unsigned)rows, T, 0, stream>>>(x, p, cols);
}
"""
)

# Layer norm, float32: a warp a row, the mean first and the variance after it.
NORM = (
    HEADER
    + """\
__device__ float lanes_sum(float v)
{
    for (int off = 16; off > 0; off >>= 1)
        v += __shfl_xor_sync(0xffffffff, v, off);
    return v;
}

__global__ void norm_rows(const float *x, const float *gamma, const float *beta, float *y,
                          int64_t rows, int64_t cols, float eps)
{
    int64_t r = (int64_t)blockIdx.x * 4 + threadIdx.y;
    if (r >= rows)
        return;
    const float *xr = x + r * cols;
    float *yr = y + r * cols;
    float sum = 0, var = 0;
    for (int64_t c = threadIdx.x; c < cols; c += 32)
        sum += xr[c];
    float mean = lanes_sum(sum) / cols;
    for (int64_t c = threadIdx.x; c < cols; c += 32) {
        float d = xr[c] - mean;
        var += d * d;
    }
    var = lanes_sum(var) / cols;
    float inv = rsqrtf(var + eps);
    for (int64_t c = threadIdx.x; c < cols; c += 32)
        yr[c] = (xr[c] - mean) * inv * gamma[c] + beta[c];
}

extern "C" void launch(const float *x,      // [rows, cols]
                       const float *gamma,  // [cols]
                       const float *beta,   // [cols]
                       float *y,            // [rows, cols]
                       int64_t rows, int64_t cols, float eps = 1e-5f, cudaStream_t stream = 0)
{
    unsigned blocks = (unsigned)((rows + 3) / 4);
    norm_rows<<<blocks, dim3(32, 4), 0, stream>>>(x, gamma, beta, y, rows, cols, eps);
}
"""
)

NAN, INF = float("nan"), float("inf")
LENGTHS = (*range(1, 71), 95, 96, 97, 127, 128, 129, 191, 192, 193, 255, 256, 257, 383, 384)
LENGTHS += (385, 511, 512, 513, 1000, 1023, 1024, 1025, 2047, 2049, 4096, 4099)
SIDES = ((1, 1), (2, 1), (1, 2), (3, 2), (4, 31), (5, 32), (8, 33), (33, 8), (2, 64), (65, 3))
SIDES += ((9, 70), (70, 1), (3, 1000), (1, 4099), (64, 70), (130, 6), (40, 50), (32, 32))
SIDES += ((301, 2), (3, 129), (7, 128), (5, 63), (65, 65), (6, 6), (7, 10), (2, 130), (5, 97))


def leaked(x: torch.Tensor) -> torch.Tensor:
    """Return what leaky ReLU with the slope 1/8 makes of numbers."""
    return torch.where(x > 0, x, 0.125 * x)


def sums_of_two(launcher: Launcher) -> Iterator[Case]:
    """Add whole numbers, so that all is exact: any, zeros, infinities, NaN; slices."""
    for n in (*LENGTHS, 9_001, 20_000, 65_536, 70_001):
        a, b = (whole(-9999, 10_000, n, 2 * n + k).float() / 64 for k in range(2))
        j = torch.arange(n)
        for label, u, v in (
            ("any", a, b),
            ("zeros", torch.where(j % 2 == 1, 0.0, -0.0), torch.where(j % 3 == 1, 0.0, -0.0)),
            ("opposite", a, -a),
            ("infinities", torch.where(j % 5 == 2, INF * (1 - j % 2 * 2), a), b),
            ("NaN", a, torch.where(j % 3 == 1, NAN, b)),
        ):
            right, options = u.double() + v.double(), {"dtypes": (torch.float32,)}
            for block_size in (128, 32):
                scalars = {"block_size": block_size}
                words = f"n = {n:,}, {scalars}, {label}"
                yield Case(words, (u, v), (right,), scalars, quick=n > 5000, **options)
            if n < 300 and label == "any":
                for offset in (
                    (4, 4, 1),
                    (4, 1, 4),
                    (1, 4, 4),
                    (2, 2, 2),
                    (4, 8, 4),
                    (1, 2, 3),
                ):
                    words = f"n = {n:,}, slices from {offset}"
                    yield Case(words, (u, v), (right,), {}, offset=offset, **options)


def levels(launcher: Launcher) -> Iterator[Case]:
    """Round to bytes: any, between two, beyond either limit, infinities, NaN; slices."""
    starts = tuple(4 if p.role == "output" else 1 for p in launcher.declaration.tensors)
    for n in (*LENGTHS, 9_001, 100_003):
        x, j = whole(-255, 512, n, n), torch.arange(n)
        for label, y, scale in (
            ("any", x / 8, 2.0),
            ("between two", x % 100 + 0.5, 1.0),
            ("beyond both limits", x.float(), 1.0),
            ("far beyond", x * 1024.0, 4.0),
            ("at the upper limit", x % 5 + 253.0, 1.0),
            ("infinities", torch.where(j % 3 == 1, INF * (1 - j % 2 * 2), x / 16), 0.5),
            ("NaN", torch.where(j % 3 == 1, NAN, x / 16), 8.0),
        ):
            right = (y.double() * scale).round().nan_to_num(0.0, INF, -INF).clamp(0, 255)
            options = {"dtypes": (torch.uint8,), "quick": n > 5000}
            words = f"n = {n:,}, scale = {scale}, {label}"
            yield Case(words, (y.float(),), (right,), {"scale": scale}, **options)
            if n < 200 and label == "any":
                words = f"n = {n:,}, slices from {starts}"
                more = {**options, "offset": starts}
                yield Case(words, (y.float(),), (right,), {"scale": scale}, **more)


def silus(launcher: Launcher) -> Iterator[Case]:
    """Take SiLU: usual, small, far above and below 0, infinity, zeros, NaN."""
    for n in (*LENGTHS, 9_001, 100_003):
        x, j = whole(-999, 1000, n, n).float() / 128, torch.arange(n)
        for label, y in (
            ("usual", x),
            ("small", x / 8192),
            ("far above 0", x.abs() * 16 + 60),
            ("far below 0", -x.abs() * 16),
            ("infinity", torch.where(j % 2 == 1, INF, x)),
            ("zeros", torch.where(j % 2 == 1, 0.0, -0.0)),
            ("NaN", torch.where(j % 3 == 1, NAN, x)),
        ):
            for block_size in (64, 256, 32):
                v = y.double()
                right = v / (1 + torch.exp(-v))
                slack = (2.0**-20 * right.abs() + 2.0**-118 * (v != 0)).nan_to_num(0.0, 0.0)
                scalars = {"block_size": block_size}
                options = {"dtypes": (torch.float32,), "within": (slack,), "quick": n > 5000}
                yield Case(f"n = {n:,}, {scalars}, {label}", (y,), (right,), scalars, **options)


def tallies(launcher: Launcher) -> Iterator[Case]:
    """Add rows of integers: any, zeros, below 0, large, the first and the last alone."""
    for rows, cols in (*SIDES, *((3, n) for n in range(1, 71)), (3, 20_001), (513, 3)):
        n = rows * cols
        x, c = whole(-99, 100, n, n).reshape(rows, cols), torch.arange(cols)
        for label, y in (
            ("any", x),
            ("zeros", x * 0),
            ("negative only", -x.abs() - 1),
            ("large", 2_000_000_000 + x),
            ("the first alone", torch.where(c == 0, 5, x * 0)),
            ("the last alone", torch.where(c == cols - 1, 7, x * 0)),
        ):
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y.int(),), (y.sum(1),), dtypes=(torch.int64,))


def flips(launcher: Launcher) -> Iterator[Case]:
    """Transpose: any numbers, whole ones, infinities and NaN, of long, thin and odd shapes."""
    shapes = ((300, 301), (1, 70_001), (70_001, 1), (16, 8), (8, 17), (127, 1), (129, 1))
    for rows, cols in (*SIDES, *((n, 71 - n) for n in range(1, 71)), *shapes):
        n = rows * cols
        x, j = whole(-2047, 2048, n, n).reshape(rows, cols), torch.arange(n)
        j = j.reshape(rows, cols)
        for label, y in (
            ("any", x / 64),
            ("by place", (j % 2048).float()),
            ("infinities", torch.where(j % 5 == 2, INF * (1 - j % 2 * 2), x / 64)),
            ("NaN", torch.where(j % 7 == 3, NAN, x / 64)),
        ):
            y = y.half()
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            options = {"dtypes": (torch.float16,), "quick": n > 5000}
            yield Case(words, (y,), (y.double().T.contiguous(),), **options)


def norms(launcher: Launcher) -> Iterator[Case]:
    """Norm rows of whole numbers: any, plain, small, about 4,096, zeros, alike, a NaN."""
    for rows, cols in (*SIDES, (3, 2_001), (129, 130)):
        x = whole(-99, 100, rows * cols, rows + cols).reshape(rows, cols).double()
        gamma, beta = (whole(-9, 10, cols, cols + k).double() / 4 for k in range(2))
        c = torch.arange(cols)
        for label, y, g, b, eps in (
            ("any", x, gamma, beta, 1e-5),
            ("plain", x, gamma * 0 + 1, beta * 0, 1e-5),
            ("small", x / 1024, gamma, beta, 0.25),
            ("about 4,096", 4096 + (x / 16).round(), gamma, beta, 0.5),
            ("zeros", x * 0, gamma, beta, 1e-5),
            ("alike", x * 0 - 7, gamma, beta, 1e-3),
            ("a NaN", torch.where((c == cols // 2) & (x > 0), NAN, x), gamma, beta, 1e-5),
        ):
            away = y - y.mean(1, keepdim=True)
            inv = ((away * away).mean(1, keepdim=True) + eps).rsqrt()
            right = away * inv * g + b
            moved = 2.0**-21 * inv * y.abs().amax(1, keepdim=True) * g.abs()
            slack = 2.0**-15 * (away * inv * g).abs() + 2.0**-22 * b.abs() + moved + 2.0**-24
            words = f"rows = {rows:,}, cols = {cols:,}, eps = {eps}, {label}"
            options = {"dtypes": (torch.float32,), "within": (slack.nan_to_num(0.0),)}
            inputs = (y.float(), g.float(), b.float())
            yield Case(words, inputs, (right,), {"eps": eps}, **options)


BASES = {
    "seventyeight_plus": Base(PLUS, {"cases": sums_of_two}),
    "seventyeight_mix": Base(MIX, {"reference": "add"}),
    "seventyeight_shrink": Base(SHRINK, {"reference": "cast"}),
    "seventyeight_level": Base(LEVEL, {"cases": levels}),
    "seventyeight_silu": Base(SILU, {"cases": silus}),
    "seventyeight_leaky": Base(LEAKY, {"reference": leaked}),
    "seventyeight_total": Base(TOTAL, cases="sums"),
    "seventyeight_tally": Base(TALLY, {"cases": tallies}),
    "seventyeight_highest": Base(HIGHEST, cases="whole_array", function=torch.max),
    "seventyeight_turn": Base(TURN, cases="transpose"),
    "seventyeight_flip": Base(FLIP, {"cases": flips}),
    "seventyeight_times": Base(TIMES, cases="matmul"),
    "seventyeight_shares": Base(SHARES, cases="softmax"),
    "seventyeight_norm": Base(NORM, {"cases": norms}),
}

WRONG = (
    # ---- plus
    # The address of the result is not asked.
    Wrong(
        "seventyeight_plus_sum_anywhere",
        "seventyeight_plus",
        "alignment",
        ("pack_ok(a) && pack_ok(b) && pack_ok(sum) ?", "pack_ok(a) && pack_ok(b) ?"),
    ),
    # Of the rest two numbers are added.
    Wrong(
        "seventyeight_plus_rest_of_two",
        "seventyeight_plus",
        "tail / unwritten / left out | nan / numbers / alignment",
        (
            "i = 4 * packs + id; i < n; i += total)",
            "i = 4 * packs + id; i < n && i < 4 * packs + 2; i += total)",
        ),
    ),
    # The last of a pack is added to the third of the other.
    Wrong(
        "seventyeight_plus_z_for_w",
        "seventyeight_plus",
        "other element / neighbour | numbers / swapped",
        ("u.w + v.w", "u.w + v.z"),
    ),
    # The kernel is launched on the default stream.
    Wrong(
        "seventyeight_plus_no_stream",
        "seventyeight_plus",
        "stream",
        ("block_size, 0, stream>>>", "block_size>>>"),
    ),
    # The grid is limited, and each thread takes one pack.
    Wrong(
        "seventyeight_plus_one_pack_a_thread",
        "seventyeight_plus",
        "unwritten / left out / grid | nan / numbers / tail",
        ("for (int p = id; p < packs; p += total) {", ("int p = id;\n  if (p < packs) {")),
    ),
    # ---- mix
    # The sum is rounded towards 0.
    Wrong(
        "seventyeight_mix_towards_zero",
        "seventyeight_mix",
        "rounding | precision / numbers / infinity",
        ("__float2bfloat16(s)", "__float2bfloat16_rz(s)"),
    ),
    # The number after the last is added, too.
    Wrong(
        "seventyeight_mix_one_too_many",
        "seventyeight_mix",
        "bounds | tail",
        ("if (idx < n)", "if (idx <= n)"),
    ),
    # The block size is typed in.
    Wrong(
        "seventyeight_mix_always_256",
        "seventyeight_mix",
        "block size | unwritten / left out / nan / grid / tail / twice / numbers",
        ("blockIdx.x * blockDim.x", "blockIdx.x * 256"),
    ),
    # The left number is added to itself.
    Wrong(
        "seventyeight_mix_left_twice",
        "seventyeight_mix",
        "left out / twice / function | numbers / swapped / nan",
        ("__bfloat162float(right[idx])", "__bfloat162float(left[idx])"),
    ),
    # What is 0 loses its sign.
    Wrong(
        "seventyeight_mix_plus_zero",
        "seventyeight_mix",
        "sign of zero",
        (
            "        out[idx] = __float2bfloat16(s);",
            (
                "        if (s == 0)\n"
                "            s = 0;\n"
                "        out[idx] = __float2bfloat16(s);"
            ),
        ),
    ),
    # ---- shrink
    # The halves may lie anywhere.
    Wrong(
        "seventyeight_shrink_dst_anywhere",
        "seventyeight_shrink",
        "alignment",
        ("half* dst,         // [n] 4-byte aligned", "half* dst,         // [n]"),
    ),
    # What is too large becomes the largest half.
    Wrong(
        "seventyeight_shrink_largest_half",
        "seventyeight_shrink",
        "infinity | numbers / whole range",
        (
            "return __float2half_rn(v);",
            (
                "\n"
                "  if (v > 65504.0f) v = 65504.0f;\n"
                "  if (v < -65504.0f) v = -65504.0f;\n"
                "  return __float2half_rn(v);\n"
            ),
        ),
    ),
    # What is below the least normal half becomes 0.
    Wrong(
        "seventyeight_shrink_no_subnormals",
        "seventyeight_shrink",
        "subnormal | numbers / rounding",
        (
            "return __float2half_rn(v);",
            ("return __float2half_rn(fabsf(v) < 6.1035156e-5f ? copysignf(0.0f, v) : v);"),
        ),
    ),
    # Only pairs have a thread.
    Wrong(
        "seventyeight_shrink_odd_forgotten",
        "seventyeight_shrink",
        "tail / unwritten / left out / grid | nan / numbers",
        ("int threads = (n + 1) / 2;", "int threads = n > 1 ? n / 2 : 1;"),
    ),
    # Both of a pair are the first.
    Wrong(
        "seventyeight_shrink_first_twice",
        "seventyeight_shrink",
        "other element / neighbour / twice / left out | numbers",
        ("small(v.y)", "small(v.x)"),
    ),
    # ---- level
    # What follows the point is cut off.
    Wrong(
        "seventyeight_level_cut_off",
        "seventyeight_level",
        "rounding | numbers",
        ("rintf(v * scale)", "truncf(v * scale)"),
    ),
    # There is no upper limit.
    Wrong(
        "seventyeight_level_no_upper_limit",
        "seventyeight_level",
        "whole range | numbers / infinity",
        ("q = fminf(fmaxf(q, 0.0f), 255.0f);", "q = fmaxf(q, 0.0f);"),
    ),
    # NaN runs into the upper limit.
    Wrong(
        "seventyeight_level_nan_is_white",
        "seventyeight_level",
        "nan",
        ("q = fminf(fmaxf(q, 0.0f), 255.0f);", "q = fmaxf(fminf(q, 255.0f), 0.0f);"),
    ),
    # A pack is taken where three numbers are left.
    Wrong(
        "seventyeight_level_three_are_a_pack",
        "seventyeight_level",
        "bounds / tail",
        ("if (i + 4 <= n)", "if (i + 3 <= n)"),
    ),
    # The scale divides.
    Wrong(
        "seventyeight_level_divided",
        "seventyeight_level",
        "function | numbers",
        ("v * scale", "v / scale"),
    ),
    # ---- silu
    # The exponential has no minus.
    Wrong(
        "seventyeight_silu_no_minus",
        "seventyeight_silu",
        "function | numbers / sign of zero / infinity / nan",
        ("expf(-v)", "expf(v)"),
    ),
    # The exponential stands above the line, too.
    Wrong(
        "seventyeight_silu_exponential_above",
        "seventyeight_silu",
        "infinity | numbers / nan / function / precision",
        ("return v / (1.0f + expf(-v));", "return v * expf(v) / (1.0f + expf(v));"),
    ),
    # The exponential is a half.
    Wrong(
        "seventyeight_silu_half_exponential",
        "seventyeight_silu",
        "precision / rounding | numbers / infinity / function",
        ("expf(-v)", "__half2float(__float2half(expf(-v)))"),
    ),
    # The second number lies a block apart.
    Wrong(
        "seventyeight_silu_apart_by_a_block",
        "seventyeight_silu",
        ("unwritten / left out / other element | nan / numbers / twice / tail / race / grid"),
        ("int apart = gridDim.x * blockDim.x;", "int apart = blockDim.x;"),
    ),
    # The exponential is kept in the input.
    Wrong(
        "seventyeight_silu_in_place",
        "seventyeight_silu",
        "input | state / numbers",
        ("__global__ void silu_two(const float* in,", "__global__ void silu_two(float* in,"),
        (
            "  if (i < n) out[i] = silu(in[i]);\n",
            (
                "  if (i < n) {\n"
                "    float v = in[i];\n"
                "    in[i] = expf(-v);\n"
                "    out[i] = v / (1.0f + in[i]);\n"
                "  }\n"
            ),
        ),
        ("stream>>>(in, out, n);", "stream>>>((float*)in, out, n);"),
    ),
    # ---- leaky
    # The slope is 1/16.
    Wrong(
        "seventyeight_leaky_other_slope",
        "seventyeight_leaky",
        "function | numbers",
        ("0.125f", "0.0625f"),
    ),
    # The limit takes NaN for 0.
    Wrong(
        "seventyeight_leaky_nan_is_0",
        "seventyeight_leaky",
        "nan",
        ("kSlope * v)", "kSlope * fminf(v, 0.0f))"),
    ),
    # Blocks forget which they are.
    Wrong(
        "seventyeight_leaky_first_of_grid",
        "seventyeight_leaky",
        ("unwritten / left out | nan / numbers / tail / twice / race / other element"),
        ("int i = blockIdx.x * blockDim.x + threadIdx.x;", "int i = threadIdx.x;"),
    ),
    # An odd number at the end is left out.
    Wrong(
        "seventyeight_leaky_even_counts",
        "seventyeight_leaky",
        "tail / unwritten / left out | nan / numbers",
        ("i < n; i += stride", "i < n / 2 * 2; i += stride"),
    ),
    # The step counts blocks of 128.
    Wrong(
        "seventyeight_leaky_steps_of_128",
        "seventyeight_leaky",
        "block size / unwritten / left out | nan / numbers / grid / tail",
        ("const int stride = blockDim.x * gridDim.x;", "const int stride = 128 * gridDim.x;"),
    ),
    # ---- total
    # Nobody sets the result to 0.
    Wrong(
        "seventyeight_total_not_zero_before",
        "seventyeight_total",
        "zero before | state / numbers / nan / unwritten",
        ("  cudaMemsetAsync(out, 0, sizeof(float), stream);\n", ""),
    ),
    # The last warp is not added.
    Wrong(
        "seventyeight_total_seven_warps",
        "seventyeight_total",
        "left out | numbers / tail",
        ("lane < T / 32 ?", "lane < T / 32 - 1 ?"),
    ),
    # The first warp does not wait for the others.
    Wrong(
        "seventyeight_total_no_barrier",
        "seventyeight_total",
        "race | numbers / unwritten / left out / nan / state",
        (
            ("  if (lane == 0) warps[w] = acc;\n  __syncthreads();\n"),
            "  if (lane == 0) warps[w] = acc;\n",
        ),
    ),
    # Blocks add without an atomic.
    Wrong(
        "seventyeight_total_no_atomic",
        "seventyeight_total",
        "race | numbers / left out",
        ("if (lane == 0) atomicAdd(out, acc);", "if (lane == 0) *out += acc;"),
    ),
    # The last number is not added.
    Wrong(
        "seventyeight_total_last_left_out",
        "seventyeight_total",
        "tail / left out | numbers / nan / infinity",
        ("i < n; i += (int64_t)gridDim.x * T)", "i < n - 1; i += (int64_t)gridDim.x * T)"),
    ),
    # ---- tally
    # A thread adds in 32 bits.
    Wrong(
        "seventyeight_tally_narrow_sum",
        "seventyeight_tally",
        "narrow / whole range | numbers",
        ("long long mine = 0;", "int mine = 0;"),
    ),
    # The tree begins with a quarter.
    Wrong(
        "seventyeight_tally_half_a_tree",
        "seventyeight_tally",
        "left out | numbers",
        ("int s = BLOCK / 2;", "int s = BLOCK / 4;"),
    ),
    # The sum is added to what is there.
    Wrong(
        "seventyeight_tally_added_to",
        "seventyeight_tally",
        "zero before | state / numbers",
        ("sums[r] = buf[0];", "sums[r] += buf[0];"),
    ),
    # Rows have as many numbers as there are rows.
    Wrong(
        "seventyeight_tally_pitch_of_rows",
        "seventyeight_tally",
        "sides / other element / bounds | numbers",
        ("(size_t)r * cols;", "(size_t)r * gridDim.x;"),
    ),
    # Each thread adds one number.
    Wrong(
        "seventyeight_tally_one_a_thread",
        "seventyeight_tally",
        "left out | numbers / tail",
        (
            "    for (int c = tid; c < cols; c += BLOCK)\n",
            ("    int c = tid;\n    if (c < cols)\n"),
        ),
    ),
    # ---- highest
    # A thread starts with 0.
    Wrong(
        "seventyeight_highest_starts_at_0",
        "seventyeight_highest",
        "start | numbers",
        (
            ("  float best = -INFINITY;\n  for (int64_t i"),
            ("  float best = 0.0f;\n  for (int64_t i"),
        ),
    ),
    # Blocks keep what they have found in the input.
    Wrong(
        "seventyeight_highest_parts_in_x",
        "seventyeight_highest",
        "input | state",
        (
            "__global__ void in_blocks(const float* x, int64_t n)",
            "__global__ void in_blocks(float* x, int64_t n)",
        ),
        ("found[blockIdx.x] = best;", "x[blockIdx.x] = best;"),
        (
            "__global__ void of_all(float* out, int blocks)",
            "__global__ void of_all(const float* found, float* out, int blocks)",
        ),
        ("stream>>>(x, n);", "stream>>>((float*)x, n);"),
        ("(out, blocks);", "(x, out, blocks);"),
    ),
    # All parts are read, also those of no block.
    Wrong(
        "seventyeight_highest_all_parts",
        "seventyeight_highest",
        ("state / unwritten | start / numbers / nan / other element / bounds / infinity"),
        ("i < blocks; i += T", "i < MOST; i += T"),
    ),
    # The second kernel is launched on the default stream.
    Wrong(
        "seventyeight_highest_second_no_stream",
        "seventyeight_highest",
        "stream",
        ("of_all<<<1, T, 0, stream>>>", "of_all<<<1, T>>>"),
    ),
    # The tree stops before its last step.
    Wrong(
        "seventyeight_highest_tree_stops_early",
        "seventyeight_highest",
        "left out | numbers / nan / infinity",
        ("half_of > 0; half_of /= 2", "half_of > 1; half_of /= 2"),
    ),
    # ---- turn
    # The tile is read before all have stored theirs.
    Wrong(
        "seventyeight_turn_no_barrier",
        "seventyeight_turn",
        "race | numbers / unwritten / other element / nan / state",
        (("left + tx];\n    }\n    __syncthreads();\n"), ("left + tx];\n    }\n")),
    ),
    # The tile is read as it was stored.
    Wrong(
        "seventyeight_turn_tile_as_it_lies",
        "seventyeight_turn",
        "other element / sides / swapped / unwritten | numbers / nan",
        ("= tile[tx][j];", "= tile[j][tx];"),
    ),
    # The result has the pitch of the input.
    Wrong(
        "seventyeight_turn_pitch_of_way_in",
        "seventyeight_turn",
        "sides / other element / bounds | numbers / unwritten / race / nan",
        ("out[(left + j) * rows + top + tx]", "out[(left + j) * cols + top + tx]"),
    ),
    # Of each tile 24 rows are stored.
    Wrong(
        "seventyeight_turn_three_quarters",
        "seventyeight_turn",
        "unwritten / left out | nan / numbers / tail",
        ("j < TILE; j += ROWS", "j < TILE - ROWS; j += ROWS"),
    ),
    # A column after the last is written.
    Wrong(
        "seventyeight_turn_one_column_more",
        "seventyeight_turn",
        "bounds | tail",
        ("if (left + j < cols && top", "if (left + j <= cols && top"),
    ),
    # ---- flip
    # The index is divided by the number of rows.
    Wrong(
        "seventyeight_flip_by_rows",
        "seventyeight_flip",
        ("sides / other element / bounds | numbers / unwritten / left out / nan / race"),
        (
            ("int r = i / cols;\n    int c = i % cols;"),
            ("int r = i / rows;\n    int c = i % rows;"),
        ),
    ),
    # The number of blocks is rounded down.
    Wrong(
        "seventyeight_flip_blocks_rounded_down",
        "seventyeight_flip",
        "grid / tail / unwritten / left out | nan / numbers",
        ("int blocks = (n + 127) / 128;", "int blocks = n < 128 ? 1 : n / 128;"),
    ),
    # The index has 16 bits.
    Wrong(
        "seventyeight_flip_index_of_16_bits",
        "seventyeight_flip",
        ("narrow / unwritten / left out | grid / tail / nan / numbers / whole range"),
        (
            "int i = blockIdx.x * blockDim.x + threadIdx.x;",
            "unsigned short i = blockIdx.x * blockDim.x + threadIdx.x;",
        ),
    ),
    # What is above the diagonal is exchanged, as in a square.
    Wrong(
        "seventyeight_flip_pairs_exchanged",
        "seventyeight_flip",
        "sides / bounds / unwritten / left out | other element / numbers / nan",
        (
            "    t[c * rows + r] = m[i];\n",
            (
                "    if (c >= r) {\n"
                "        t[c * rows + r] = m[i];\n"
                "        t[r * rows + c] = m[c * cols + r];\n"
                "    }\n"
            ),
        ),
    ),
    # The kernel is launched on the default stream.
    Wrong(
        "seventyeight_flip_no_stream",
        "seventyeight_flip",
        "stream",
        ("blocks, 128, 0, stream>>>", "blocks, 128>>>"),
    ),
    # ---- times
    # What is left of k is not multiplied.
    Wrong(
        "seventyeight_times_whole_steps",
        "seventyeight_times",
        "tail / left out | numbers / sides / nan",
        ("int64_t steps = (K + W - 1) / W;", "int64_t steps = K / W;"),
    ),
    # Rows of B have the pitch of A.
    Wrong(
        "seventyeight_times_pitch_of_a",
        "seventyeight_times",
        "sides / other element / bounds | numbers / nan",
        ("B[kb * N + col]", "B[kb * K + col]"),
    ),
    # Tiles are filled while others read them.
    Wrong(
        "seventyeight_times_no_last_barrier",
        "seventyeight_times",
        "race | numbers / other element / nan / left out",
        (("Bs[e][tx];\n        __syncthreads();\n"), "Bs[e][tx];\n"),
    ),
    # The tile of B is read along its rows.
    Wrong(
        "seventyeight_times_b_not_turned",
        "seventyeight_times",
        "other element / swapped | numbers / left out / nan / function",
        ("Bs[e][tx];", "Bs[tx][e];"),
    ),
    # What lies beyond k keeps what the tile had.
    Wrong(
        "seventyeight_times_rest_is_stale",
        "seventyeight_times",
        "unwritten / tail / twice / other element | numbers / nan / state / race",
        (
            (
                "        As[ty][tx] = row < M && ka < K ? A[row * K + ka] : 0.0f;\n"
                "        Bs[ty][tx] = kb < K && col < N ? B[kb * N + col] : 0.0f;\n"
            ),
            (
                "        if (row < M && ka < K)\n"
                "            As[ty][tx] = A[row * K + ka];\n"
                "        if (kb < K && col < N)\n"
                "            Bs[ty][tx] = B[kb * N + col];\n"
            ),
        ),
    ),
    # ---- shares
    # The largest is not taken away.
    Wrong(
        "seventyeight_shares_no_maximum",
        "seventyeight_shares",
        "infinity | nan / numbers / precision / start / function / subnormal",
        ("sum += expf(row[c] - top);", "sum += expf(row[c]);"),
        ("= expf(row[c] - top) / sum;", "= expf(row[c]) / sum;"),
    ),
    # The largest begins with 0.
    Wrong(
        "seventyeight_shares_starts_at_0",
        "seventyeight_shares",
        "start | numbers / nan / infinity / precision / subnormal",
        ("float top = -INFINITY;", "float top = 0.0f;"),
    ),
    # The exponentials are kept in the input.
    Wrong(
        "seventyeight_shares_kept_in_x",
        "seventyeight_shares",
        "input | state / numbers",
        ("__global__ void shares(const float* x,", "__global__ void shares(float* x,"),
        ("  const float* row = x", "  float* row = x"),
        (
            "sum += expf(row[c] - top);",
            ("{\n    row[c] = expf(row[c] - top);\n    sum += row[c];\n  }"),
        ),
        ("out[c] = expf(row[c] - top) / sum;", "out[c] = row[c] / sum;"),
        ("stream>>>(x, p, cols);", "stream>>>((float*)x, p, cols);"),
    ),
    # A thread writes one column.
    Wrong(
        "seventyeight_shares_one_column_a_thread",
        "seventyeight_shares",
        "unwritten / left out | nan / tail / numbers",
        (
            "  for (int64_t c = threadIdx.x; c < cols; c += T) out[c]",
            ("  int64_t c = threadIdx.x;\n  if (c < cols) out[c]"),
        ),
    ),
    # The last warp does not count.
    Wrong(
        "seventyeight_shares_three_warps",
        "seventyeight_shares",
        "left out | numbers / infinity / nan / function",
        ("w < WARPS; w++", "w < WARPS - 1; w++"),
    ),
    # ---- norm
    # The variance is divided by one less.
    Wrong(
        "seventyeight_norm_one_less",
        "seventyeight_norm",
        "function | numbers / nan / infinity / precision",
        ("var = lanes_sum(var) / cols;", "var = lanes_sum(var) / (cols - 1);"),
    ),
    # The factor is that of the row.
    Wrong(
        "seventyeight_norm_gain_of_row",
        "seventyeight_norm",
        "other element / sides / bounds | numbers / function / swapped",
        ("gamma[c]", "gamma[r]"),
    ),
    # The variance is the mean of squares less the square of the mean.
    Wrong(
        "seventyeight_norm_squares_less_square",
        "seventyeight_norm",
        "precision | numbers / nan / infinity / function",
        (
            ("        float d = xr[c] - mean;\n        var += d * d;\n"),
            ("        float d = xr[c];\n        var += d * d;\n"),
        ),
        ("var = lanes_sum(var) / cols;", "var = lanes_sum(var) / cols - mean * mean;"),
    ),
    # The row after the last has a warp, too.
    Wrong(
        "seventyeight_norm_one_row_more",
        "seventyeight_norm",
        "bounds | tail",
        ("if (r >= rows)", "if (r > rows)"),
    ),
    # Factor and shift are exchanged.
    Wrong(
        "seventyeight_norm_gain_for_shift",
        "seventyeight_norm",
        "swapped | numbers / function",
        ("inv * gamma[c] + beta[c]", "inv * beta[c] + gamma[c]"),
    ),
)

RIGHT = (
    # Packs are taken from the last to the first.
    Right(
        "seventyeight_plus_backwards",
        "seventyeight_plus",
        ("p = id; p < packs; p += total", "p = packs - 1 - id; p >= 0; p -= total"),
    ),
    # The length and the index have 64 bits.
    Right(
        "seventyeight_mix_wide_index",
        "seventyeight_mix",
        (
            ("__nv_bfloat16 *out,          // [n]\n                       int n,"),
            ("__nv_bfloat16 *out,          // [n]\n                       int64_t n,"),
        ),
        ("bf16 *out, int n)", "bf16 *out, int64_t n)"),
        (
            "int idx = threadIdx.x + blockIdx.x * blockDim.x;",
            "int64_t idx = threadIdx.x + (int64_t)blockIdx.x * blockDim.x;",
        ),
        (
            "int numBlocks = (n + block_size - 1) / block_size;",
            "unsigned numBlocks = (unsigned)((n + block_size - 1) / block_size);",
        ),
    ),
    # There are blocks that have nothing to do.
    Right(
        "seventyeight_shrink_idle_blocks",
        "seventyeight_shrink",
        ("(threads + THREADS - 1) / THREADS;", "threads / THREADS + 3;"),
    ),
    # The result comes first, and the length before the scale.
    Right(
        "seventyeight_level_result_first",
        "seventyeight_level",
        (
            (
                'extern "C" void launch(const float *x,  // [n]\n'
                "                       uint8_t *y,      // [n] 4-byte aligned\n"
                "                       float scale, int n,"
            ),
            (
                'extern "C" void launch(uint8_t *y,      // [n] 4-byte aligned\n'
                "                       const float *x,  // [n]\n"
                "                       int n, float scale,"
            ),
        ),
    ),
    # The number is multiplied by a share.
    Right(
        "seventyeight_silu_reciprocal",
        "seventyeight_silu",
        (
            "return v / (1.0f + expf(-v));",
            ("float share = 1.0f / (1.0f + expf(-v));\n  return v * share;"),
        ),
    ),
    # The larger one of both is right, as the slope is below 1.
    Right(
        "seventyeight_leaky_larger_of_both",
        "seventyeight_leaky",
        ("v > 0.0f ? v : kSlope * v", "v != v ? v : fmaxf(v, kSlope * v)"),
    ),
    # A kernel of one thread sets the result to 0.
    Right(
        "seventyeight_total_kernel_sets_0",
        "seventyeight_total",
        (
            "__global__ void total_kernel",
            (
                "__global__ void set_zero(float* out) { *out = 0.f; }\n"
                "\n"
                "__global__ void total_kernel"
            ),
        ),
        (
            "cudaMemsetAsync(out, 0, sizeof(float), stream);",
            "set_zero<<<1, 1, 0, stream>>>(out);",
        ),
    ),
    # All threads add to one number in shared memory.
    Right(
        "seventyeight_tally_shared_atomic",
        "seventyeight_tally",
        ("    __shared__ long long buf[BLOCK];\n", "    __shared__ unsigned long long all;\n"),
        (
            (
                "    buf[tid] = mine;\n"
                "    __syncthreads();\n"
                "    for (int s = BLOCK / 2; s > 0; s >>= 1) {\n"
                "        if (tid < s)\n"
                "            buf[tid] += buf[tid + s];\n"
                "        __syncthreads();\n"
                "    }\n"
            ),
            (
                "    if (tid == 0)\n"
                "        all = 0;\n"
                "    __syncthreads();\n"
                "    atomicAdd(&all, (unsigned long long)mine);\n"
                "    __syncthreads();\n"
            ),
        ),
        ("sums[r] = buf[0];", "sums[r] = (int64_t)all;"),
    ),
    # One thread looks through the parts.
    Right(
        "seventyeight_highest_one_thread_ends",
        "seventyeight_highest",
        (
            (
                "  for (int i = threadIdx.x; i < blocks; i += T) best = higher(best, "
                "found[i]);\n"
                "  best = of_block(best);\n"
                "  if (threadIdx.x == 0) *out = best;\n"
            ),
            (
                "  for (int i = 0; i < blocks; i++) best = higher(best, found[i]);\n"
                "  *out = best;\n"
            ),
        ),
        ("of_all<<<1, T, 0, stream>>>", "of_all<<<1, 1, 0, stream>>>"),
    ),
    # Numbers are stored to the tile in their new order.
    Right(
        "seventyeight_turn_turned_in_tile",
        "seventyeight_turn",
        ("tile[k][tx] = in", "tile[tx][k] = in"),
        ("= tile[tx][j];", "= tile[j][tx];"),
    ),
    # Indices are unsigned, and there is an idle block.
    Right(
        "seventyeight_flip_unsigned",
        "seventyeight_flip",
        (
            (
                "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                "    if (i >= rows * cols)\n"
                "        return;\n"
                "    int r = i / cols;\n"
                "    int c = i % cols;\n"
            ),
            (
                "    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                "    uint32_t n = (uint32_t)rows * cols;\n"
                "    if (i >= n)\n"
                "        return;\n"
                "    uint32_t r = i / cols, c = i - r * cols;\n"
            ),
        ),
        ("(n + 127) / 128;", "n / 128 + 1;"),
    ),
    # Tiles are taken from the last to the first.
    Right(
        "seventyeight_times_from_the_last",
        "seventyeight_times",
        ("int64_t s = 0; s < steps; s++", "int64_t s = steps - 1; s >= 0; s--"),
    ),
    # A block has eight warps.
    Right(
        "seventyeight_shares_eight_warps",
        "seventyeight_shares",
        ("#define WARPS 4", "#define WARPS 8"),
    ),
    # A block has eight rows, and the root is divided by.
    Right(
        "seventyeight_norm_eight_rows",
        "seventyeight_norm",
        ("blockIdx.x * 4 + threadIdx.y", "blockIdx.x * blockDim.y + threadIdx.y"),
        ("(rows + 3) / 4", "(rows + 7) / 8"),
        ("dim3(32, 4)", "dim3(32, 8)"),
        ("rsqrtf(var + eps)", "1.0f / sqrtf(var + eps)"),
    ),
)
