"""Hold an eighty-seventh family: a course's plain operators, and their commonest mistakes.

Its bases are three arrays of floats added, a number times an array and another array in
doubles, halves to floats, integers of 64 bits to 32, elu, hardswish, the sum of squares, the
largest of each row, the dot product, rms norm, bytes transposed, a transpose by a padded tile,
a matrix times a vector and log softmax. They have 12 to 45 lines, in several hands. They use
float4 where all addresses are even to 16, a loop over the grid, eight halves a thread with a
kernel for the rest, two numbers a thread a block apart, one and four numbers a thread, shuffles
and an atomic, a tree of a block, a ticket with parts, a tile of 32 whose places are counted
along x, and a warp or a block a row. The causes were written before a member was judged. There
are 70 wrong members and 14 right ones. On the emulator each was run beside PyTorch, compared as
a case does, called twice on the same tensors, with NaN and with 1e3 in floating outputs (-1, 7
and 77 in others), with tensors at either end of their pages, the bytes behind them and their
inputs looked at afterwards, on a stream that is not the default one, with threads in order,
from the last to the first and in a random order, and in the slices that the cases name. Bases
and right ones ran all cases but those past 2^31 numbers; wrong ones ran until they were wrong
often enough. Of those that lack a barrier or an atomic not each is wrong in every order of
threads, and where blocks run one after the other the lack of an atomic does not show: that is
known by reasoning. nvcc 13.0 compiles each base for 8.0; none was run on a GPU. Bases and right
ones are right, and all others wrong or refused by a fault:

    eightyseven_add_c_anywhere                from 4 numbers on, by the address of c alone
    eightyseven_add_no_rest                   unless 4 divides n, where packs are taken
    eightyseven_add_packs_rounded_up          unless 4 divides n, where packs are taken
    eightyseven_add_z_of_b_for_w              from 4 numbers on, where packs are taken
    eightyseven_add_grid_for_packs            beyond a first block, where no packs are taken
    eightyseven_axpy_if_for_loop              from 5,121 numbers on at 128, 1,281 at 32
    eightyseven_axpy_product_in_float         of products that are not floats
    eightyseven_axpy_arrays_swapped           of nearly all
    eightyseven_axpy_into_y                   always: y is overwritten, z not written
    eightyseven_axpy_always_128               of other block sizes, from a second block on
    eightyseven_widen_only_dst_tested         from 8 numbers on, by the address of src alone
    eightyseven_widen_tested_for_8            from 8 numbers on, if src starts at 8
    eightyseven_widen_halves_of_pack_swapped  from 8 numbers on, where packs are taken
    eightyseven_widen_rest_on_default_stream  on another stream, unless only packs are taken
    eightyseven_widen_limit_of_half           of infinity, where no packs are taken
    eightyseven_shorten_through_a_float       beyond 2^24
    eightyseven_shorten_held_at_the_ends      beyond 32 bits
    eightyseven_shorten_second_not_tested     unless 2 blocks of threads divide n
    eightyseven_shorten_next_for_second       from 66 numbers on at 64
    eightyseven_shorten_blocks_rounded_down   unless two block sizes divide n
    eightyseven_elu_exp_less_1                below 0, near it
    eightyseven_elu_nan_of_maximum            of NaN
    eightyseven_elu_one_too_many              unless the block size divides n
    eightyseven_elu_always_256                of other block sizes, from a second block on
    eightyseven_elu_no_stream                 on another stream
    eightyseven_hard_divided_by_5             from -3 on, except at 0
    eightyseven_hard_product_first            of numbers that are large: it overflows
    eightyseven_hard_at_most_64_blocks        from 32,769 numbers on
    eightyseven_hard_three_of_four            from 4 numbers on
    eightyseven_hard_not_limited_above        above 3
    eightyseven_squares_not_set_to_zero       if it was not 0 before
    eightyseven_squares_no_atomic             from a second block on
    eightyseven_squares_half_of_the_warps     from 129 numbers on
    eightyseven_squares_square_of_the_sum     from 16,385 numbers on
    eightyseven_squares_steps_of_a_block      from a second block on
    eightyseven_rowmax_starts_at_flt_min      of rows without a number above 0
    eightyseven_rowmax_nan_loses              of NaN
    eightyseven_rowmax_no_barrier             where threads do not wait for another
    eightyseven_rowmax_tree_from_a_quarter    from 65 columns on
    eightyseven_rowmax_minus_for_infinity     of rows of -infinity alone
    eightyseven_dot_count_not_reset           from a second call on
    eightyseven_dot_last_part_left_out        unless that part is 0
    eightyseven_dot_a_times_a                 of nearly all
    eightyseven_dot_shuffle_from_8            from 17 numbers on
    eightyseven_dot_no_barrier                where threads do not wait for another
    eightyseven_rms_eps_outside               of nearly all
    eightyseven_rms_mean_over_threads         unless there are 256 columns
    eightyseven_rms_gain_of_row               of nearly all
    eightyseven_rms_barrier_left_out          where threads do not wait for another
    eightyseven_rms_scaled_in_place           of nearly all: it is overwritten
    eightyseven_bytes_pitch_of_input          unless it is square or has one column
    eightyseven_bytes_grid_swapped            where the grid then is too small
    eightyseven_bytes_tests_swapped           unless it is square
    eightyseven_bytes_columns_rounded_down    unless 32 divides the columns
    eightyseven_bytes_no_stream               on another stream
    eightyseven_padded_no_barrier             where threads do not wait for another
    eightyseven_padded_tile_not_turned        of nearly all
    eightyseven_padded_indices_of_the_way_in  beyond a tile
    eightyseven_padded_lines_of_sixteen       from 9 rows on
    eightyseven_padded_pitch_of_rows          unless it is square or has one row
    eightyseven_matvec_whole_warps_only       unless 32 divides the columns
    eightyseven_matvec_one_row_too_many       unless the warps of a block divide the rows
    eightyseven_matvec_four_warps_typed       of other block sizes
    eightyseven_matvec_first_shuffle_missing  from 17 columns on
    eightyseven_matvec_pitch_of_rows          from 2 rows on, unless it is square
    eightyseven_logs_nothing_taken_away       far from 0: exponentials overflow, or are 0
    eightyseven_logs_log_of_the_share         far below the largest
    eightyseven_logs_base_2                   from 2 columns on
    eightyseven_logs_starts_at_0              of rows far below 0
    eightyseven_logs_three_warps              from 97 columns on
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case, ElementwiseMaker, elementwise_cases
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import whole

# Three arrays of floats, four a thread where all addresses allow it.
ADD3 = (
    HEADER
    + """\
__global__ void add3(const float *a, const float *b, const float *c, float *out, int n,
                     bool vec)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int done = 0;
    if (vec) {
        int packs = n / 4;
        if (i < packs) {
            float4 p = ((const float4 *)a)[i];
            float4 q = ((const float4 *)b)[i];
            float4 r = ((const float4 *)c)[i];
            float4 s;
            s.x = p.x + q.x + r.x;
            s.y = p.y + q.y + r.y;
            s.z = p.z + q.z + r.z;
            s.w = p.w + q.w + r.w;
            ((float4 *)out)[i] = s;
        }
        done = 4 * packs;
    }
    if (done + i < n)
        out[done + i] = a[done + i] + b[done + i] + c[done + i];
}

static bool is16(const void *p) { return ((uintptr_t)p & 15) == 0; }

extern "C" void launch(const float *a,  // [n]
                       const float *b,  // [n]
                       const float *c,  // [n]
                       float *out,      // [n]
                       int n, int block_size = 256, cudaStream_t stream = 0)
{
    if (n == 0)
        return;
    bool vec = is16(a) && is16(b) && is16(c) && is16(out);
    int work = vec ? (n + 3) / 4 + 3 : n;
    add3<<<(work + block_size - 1) / block_size, block_size, 0, stream>>>(a, b, c, out, n, vec);
}
"""
)

# A number times an array and another array, doubles, in a loop over the grid.
AXPY = (
    HEADER
    + """\
__global__ void axpyKernel(double alpha, const double* x, const double* y, double* z, int n) {
  const int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
    z[i] = alpha * x[i] + y[i];
  }
}

extern "C" void launch(const double* x,  // [n]
                       const double* y,  // [n]
                       double* z,        // [n]
                       double alpha, int n, int block_size = 128, cudaStream_t stream = 0) {
  int numBlocks = (n + block_size - 1) / block_size;
  if (numBlocks > 40) numBlocks = 40;
  if (numBlocks < 1) return;
  axpyKernel<<<numBlocks, block_size, 0, stream>>>(alpha, x, y, z, n);
}
"""
)

# Halves to floats, eight a thread.
WIDEN = (
    HEADER
    + """\
constexpr int kPack = 8;

__global__ void widen_packs(const uint4* src, float4* dst, int packs) {
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= packs) return;
    uint4 bits = src[p];
    const half2* h = reinterpret_cast<const half2*>(&bits);
    float2 f0 = __half22float2(h[0]);
    float2 f1 = __half22float2(h[1]);
    float2 f2 = __half22float2(h[2]);
    float2 f3 = __half22float2(h[3]);
    dst[2 * p] = make_float4(f0.x, f0.y, f1.x, f1.y);
    dst[2 * p + 1] = make_float4(f2.x, f2.y, f3.x, f3.y);
}

__global__ void widen_each(const half* src, float* dst, int start, int n) {
    int i = start + blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float v = __half2float(src[i]);
        dst[i] = v;
    }
}

extern "C" void launch(const half* src,  // [n]
                       float* dst,       // [n]
                       int n, cudaStream_t stream = 0) {
    const int threads = 128;
    bool ok = reinterpret_cast<uintptr_t>(src) % 16 == 0;
    ok = ok && reinterpret_cast<uintptr_t>(dst) % 16 == 0;
    int packs = ok ? n / kPack : 0;
    if (packs > 0)
        widen_packs<<<(packs + threads - 1) / threads, threads, 0, stream>>>(
            reinterpret_cast<const uint4*>(src), reinterpret_cast<float4*>(dst), packs);
    int rest = n - packs * kPack;
    if (rest > 0)
        widen_each<<<(rest + threads - 1) / threads, threads, 0, stream>>>(
            src, dst, packs * kPack, n);
}
"""
)

# 64 bits to 32: the lower ones stay. Two numbers a thread, a block apart.
SHORTEN = (
    HEADER
    + """\
__device__ int32_t shorten(int64_t v)
{
	return (int32_t)v;
}

__global__ void shorten_all(const int64_t *in, int32_t *out, int n)
{
	int i = 2 * blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		out[i] = shorten(in[i]);
	i += blockDim.x;
	if (i < n)
		out[i] = shorten(in[i]);
}

extern "C" void launch(const int64_t *in,  // [n]
                       int32_t *out,       // [n]
                       int n, int block_size = 64, cudaStream_t stream = 0)
{
	int per_block = 2 * block_size;
	int blocks = (n + per_block - 1) / per_block;
	if (blocks == 0)
		return;
	shorten_all<<<blocks, block_size, 0, stream>>>(in, out, n);
}
"""
)

# elu, a number a thread.
ELU = (
    HEADER
    + """\
__global__ void elu_forward(const float* __restrict__ x, float* __restrict__ y, int n) {
  int idx = threadIdx.x + blockIdx.x * blockDim.x;
  if (idx < n) {
    float v = x[idx];
    y[idx] = v > 0.0f ? v : expm1f(v);
  }
}

extern "C" void launch(const float* x,  // [n]
                       float* y,        // [n]
                       int n, int block_size = 256, cudaStream_t stream = 0) {
  int grid = (n + block_size - 1) / block_size;
  if (grid > 0) elu_forward<<<grid, block_size, 0, stream>>>(x, y, n);
}
"""
)

# hardswish, four neighbours a thread, one after the other.
HARD = (
    HEADER
    + """\
__device__ __forceinline__ float hard_swish(float v)
{
    float gate = fminf(fmaxf(v + 3.0f, 0.0f), 6.0f) / 6.0f;
    return v * gate;
}

__global__ void hard_kernel(const float *x, float *y, int n)
{
    int base = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    for (int j = 0; j < 4; ++j) {
        int k = base + j;
        if (k < n)
            y[k] = hard_swish(x[k]);
    }
}

extern "C" void launch(const float *x,  // [n]
                       float *y,        // [n]
                       int n, cudaStream_t stream = 0)
{
    int threads = (n + 3) / 4;
    int blocks = (threads + 127) / 128;
    if (blocks > 0)
        hard_kernel<<<blocks, 128, 0, stream>>>(x, y, n);
}
"""
)

# The sum of squares: a loop over the grid, shuffles, the warps of a block, an atomic.
SQUARES = (
    HEADER
    + """\
#define THREADS 256
#define WARPS (THREADS / 32)

__global__ void squares(const float *x, float *total, int64_t n)
{
    __shared__ float of_warp[WARPS];
    int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    int64_t step = (int64_t)gridDim.x * THREADS;
    float acc = 0.0f;
    for (; i < n; i += step)
        acc += x[i] * x[i];

    for (int d = 16; d > 0; d >>= 1)
        acc += __shfl_down_sync(0xffffffffu, acc, d);
    if (threadIdx.x % 32 == 0)
        of_warp[threadIdx.x / 32] = acc;
    __syncthreads();

    if (threadIdx.x == 0) {
        float sum = 0.0f;
        for (int w = 0; w < WARPS; w++)
            sum += of_warp[w];
        atomicAdd(total, sum);
    }
}

extern "C" void launch(const float *x,  // [n]
                       float *total,    // [1]
                       int64_t n, cudaStream_t stream = 0)
{
    cudaMemsetAsync(total, 0, sizeof(float), stream);
    int64_t blocks = (n + THREADS - 1) / THREADS;
    if (blocks > 64)
        blocks = 64;
    if (blocks > 0)
        squares<<<(int)blocks, THREADS, 0, stream>>>(x, total, n);
}
"""
)

# The largest of each row, a block a row; NaN stays.
ROWMAX = (
    HEADER
    + """\
#define T 128

__device__ float larger(float a, float b) { return (a > b || a != a) ? a : b; }

__global__ void row_max(const float* x, float* best, int cols) {
  __shared__ float part[T];
  int t = threadIdx.x;
  const float* row = x + (size_t)blockIdx.x * cols;
  float m = -INFINITY;
  for (int c = t; c < cols; c += T) m = larger(m, row[c]);
  part[t] = m;
  __syncthreads();
  for (int half_ = T / 2; half_ > 0; half_ /= 2) {
    if (t < half_) part[t] = larger(part[t], part[t + half_]);
    __syncthreads();
  }
  if (t == 0) best[blockIdx.x] = part[0];
}

extern "C" void launch(const float* x,  // [rows, cols]
                       float* best,     // [rows]
                       int rows, int cols, cudaStream_t stream = 0) {
  row_max<<<rows, T, 0, stream>>>(x, best, cols);
}
"""
)

# The dot product: each block stores its part, and the last one to come adds them.
DOT = (
    HEADER
    + """\
constexpr int kThreads = 128;
constexpr int kMaxBlocks = 48;

__device__ float parts[kMaxBlocks];
__device__ unsigned int arrived;

__device__ float block_sum(float v, float* scratch) {
    for (int d = 16; d >= 1; d /= 2) v += __shfl_xor_sync(0xffffffff, v, d);
    if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = v;
    __syncthreads();
    return scratch[0] + scratch[1] + scratch[2] + scratch[3];
}

__global__ void dot(const float* a, const float* b, float* result, int n) {
    __shared__ float scratch[kThreads / 32];
    float sum = 0.0f;
    for (int i = blockIdx.x * kThreads + threadIdx.x; i < n; i += gridDim.x * kThreads)
        sum += a[i] * b[i];
    sum = block_sum(sum, scratch);
    if (threadIdx.x != 0) return;
    parts[blockIdx.x] = sum;
    __threadfence();
    if (atomicAdd(&arrived, 1u) == gridDim.x - 1) {
        float all = 0.0f;
        for (int k = 0; k < (int)gridDim.x; ++k) all += ((volatile float*)parts)[k];
        *result = all;
        arrived = 0;
    }
}

extern "C" void launch(const float* a,  // [n]
                       const float* b,  // [n]
                       float* result,   // [1]
                       int n, cudaStream_t stream = 0) {
    int blocks = (n + kThreads - 1) / kThreads;
    if (blocks > kMaxBlocks) blocks = kMaxBlocks;
    if (blocks < 1) blocks = 1;
    dot<<<blocks, kThreads, 0, stream>>>(a, b, result, n);
}
"""
)

# rms norm, a block a row.
RMS = (
    HEADER
    + """\
#define NT 256

__global__ void rms_kernel(const float *in, const float *gain, float *out, int cols, float eps)
{
    __shared__ float buf[NT];
    const int tid = threadIdx.x;
    const float *src = in + (size_t)blockIdx.x * cols;
    float *dst = out + (size_t)blockIdx.x * cols;

    float ss = 0.0f;
    for (int k = tid; k < cols; k += NT)
        ss += src[k] * src[k];
    buf[tid] = ss;
    __syncthreads();
    for (int w = NT / 2; w >= 1; w >>= 1) {
        if (tid < w)
            buf[tid] += buf[tid + w];
        __syncthreads();
    }

    float inv = rsqrtf(buf[0] / cols + eps);
    for (int k = tid; k < cols; k += NT)
        dst[k] = src[k] * inv * gain[k];
}

extern "C" void launch(const float *in,    // [rows, cols]
                       const float *gain,  // [cols]
                       float *out,         // [rows, cols]
                       float eps, int rows, int cols, cudaStream_t stream = 0)
{
    rms_kernel<<<rows, NT, 0, stream>>>(in, gain, out, cols, eps);
}
"""
)

# Bytes transposed, a thread a byte.
BYTES = (
    HEADER
    + """\
__global__ void turn_bytes(const uint8_t* x, uint8_t* y, int rows, int cols) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  int r = blockIdx.y * blockDim.y + threadIdx.y;
  if (c >= cols || r >= rows) return;
  y[(size_t)c * rows + r] = x[(size_t)r * cols + c];
}

extern "C" void launch(const uint8_t* x,  // [rows, cols]
                       uint8_t* y,        // [cols, rows]
                       int rows, int cols, cudaStream_t stream = 0) {
  dim3 block(32, 4);
  int gx = (cols + 31) / 32;
  int gy = (rows + 3) / 4;
  turn_bytes<<<dim3(gx, gy), block, 0, stream>>>(x, y, rows, cols);
}
"""
)

# Transposed by a padded tile; tiles are counted along x alone.
PADDED = (
    HEADER
    + """\
#define TILE 32
#define LINES 8

__global__ void padded(const float *x, float *y, int rows, int cols, int tiles_across)
{
    __shared__ float tile[TILE][TILE + 1];
    int tile_row = blockIdx.x / tiles_across;
    int tile_col = blockIdx.x % tiles_across;

    int c = tile_col * TILE + threadIdx.x;
    for (int k = threadIdx.y; k < TILE; k += LINES) {
        int r = tile_row * TILE + k;
        if (r < rows && c < cols)
            tile[k][threadIdx.x] = x[(size_t)r * cols + c];
    }
    __syncthreads();

    int out_c = tile_row * TILE + threadIdx.x;
    for (int k = threadIdx.y; k < TILE; k += LINES) {
        int out_r = tile_col * TILE + k;
        if (out_r < cols && out_c < rows)
            y[(size_t)out_r * rows + out_c] = tile[threadIdx.x][k];
    }
}

extern "C" void launch(const float *x,  // [rows, cols]
                       float *y,        // [cols, rows]
                       int rows, int cols, cudaStream_t stream = 0)
{
    int across = (cols + TILE - 1) / TILE;
    int down = (rows + TILE - 1) / TILE;
    padded<<<across * down, dim3(TILE, LINES), 0, stream>>>(x, y, rows, cols, across);
}
"""
)

# A matrix times a vector, a warp a row.
MATVEC = (
    HEADER
    + """\
__global__ void matvec(const float* m, const float* v, float* out, int rows, int cols) {
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (warp >= rows) return;
    const float* line = m + (size_t)warp * cols;
    float s = 0.f;
    for (int j = lane; j < cols; j += 32) {
        s += line[j] * v[j];
    }
    s += __shfl_down_sync(0xffffffff, s, 16);
    s += __shfl_down_sync(0xffffffff, s, 8);
    s += __shfl_down_sync(0xffffffff, s, 4);
    s += __shfl_down_sync(0xffffffff, s, 2);
    s += __shfl_down_sync(0xffffffff, s, 1);
    if (lane == 0) out[warp] = s;
}

extern "C" void launch(const float* m,  // [rows, cols]
                       const float* v,  // [cols]
                       float* out,      // [rows]
                       int rows, int cols, int block_size = 128, cudaStream_t stream = 0) {
    int per = block_size / 32;
    matvec<<<(rows + per - 1) / per, block_size, 0, stream>>>(m, v, out, rows, cols);
}
"""
)

# log softmax, a block of four warps a row.
LOGS = (
    HEADER
    + """\
constexpr int B = 128;

__device__ float max_of_block(float v, float *s)
{
    for (int d = 16; d; d >>= 1)
        v = fmaxf(v, __shfl_xor_sync(~0u, v, d));
    if (threadIdx.x % 32 == 0)
        s[threadIdx.x / 32] = v;
    __syncthreads();
    v = fmaxf(fmaxf(s[0], s[1]), fmaxf(s[2], s[3]));
    __syncthreads();
    return v;
}

__device__ float sum_of_block(float v, float *s)
{
    for (int d = 16; d; d >>= 1)
        v += __shfl_xor_sync(~0u, v, d);
    if (threadIdx.x % 32 == 0)
        s[threadIdx.x / 32] = v;
    __syncthreads();
    return s[0] + s[1] + s[2] + s[3];
}

__global__ void log_softmax(const float *x, float *y, int n)
{
    __shared__ float s[B / 32];
    x += (size_t)blockIdx.x * n;
    y += (size_t)blockIdx.x * n;
    float top = -INFINITY;
    for (int j = threadIdx.x; j < n; j += B)
        top = fmaxf(top, x[j]);
    top = max_of_block(top, s);
    float sum = 0.0f;
    for (int j = threadIdx.x; j < n; j += B)
        sum += expf(x[j] - top);
    float lse = logf(sum_of_block(sum, s));
    for (int j = threadIdx.x; j < n; j += B)
        y[j] = x[j] - top - lse;
}

extern "C" void launch(const float *x,  // [m, n]
                       float *y,        // [m, n]
                       int m, int n, cudaStream_t stream = 0)
{
    log_softmax<<<m, B, 0, stream>>>(x, y, n);
}
"""
)

INF, NAN = float("inf"), float("nan")
FLOAT = (torch.float32,)
LENGTHS = (*range(1, 71), 127, 128, 129, 255, 256, 257, 511, 513, 1000, 1024, 1025, 4099)
SIDES = ((1, 1), (2, 1), (1, 2), (3, 2), (4, 31), (5, 32), (8, 33), (33, 8), (2, 64), (65, 3))
SIDES += ((3, 127), (3, 129), (2, 255), (2, 257), (9, 300), (17, 1000), (300, 1))
SIDES += tuple((3, cols) for cols in range(4, 71, 3))


def sums_of_three(launcher: Launcher) -> Iterator[Case]:
    """Add whole numbers, so that all is exact: any, zeros, infinities, NaN; slices."""
    for n in (*LENGTHS, 20_003, 100_000):
        a, b, c = (whole(-999, 1000, n, 3 * n + k).float() for k in range(3))
        j = torch.arange(n)
        for label, p, q, r in (
            ("any", a, b, c),
            ("zeros", a * 0, b * 0, torch.where(j % 2 == 1, 0.0, -0.0)),
            ("infinities", torch.where(j % 5 == 2, -INF, a), b, c),
            ("NaN", a, b, torch.where(j % 3 == 1, NAN, c)),
        ):
            right = p.double() + q.double() + r.double()
            options = {"dtypes": FLOAT, "quick": n > 5000}
            for block_size in (256, 32):
                words = f"n = {n:,}, block_size = {block_size}, {label}"
                scalars = {"block_size": block_size}
                yield Case(words, (p, q, r), (right,), scalars, **options)
            if n < 300 and label == "any":
                for offset in ((4, 4, 4, 4), (1, 4, 4, 4), (4, 2, 4, 4), (4, 4, 1, 4)):
                    words = f"n = {n:,}, slices from {offset}"
                    yield Case(words, (p, q, r), (right,), offset=offset, **options)
                words = f"n = {n:,}, slices from (4, 4, 4, 3)"
                yield Case(words, (p, q, r), (right,), offset=(4, 4, 4, 3), **options)


def axpys(launcher: Launcher) -> Iterator[Case]:
    """Try whole numbers, so that all is exact: any, large, infinities, NaN; several factors."""
    for n in (*LENGTHS, 5_121, 20_003, 100_000):
        x, y = (whole(-(2**40), 2**40, n, 2 * n + k).double() for k in range(2))
        j = torch.arange(n)
        for label, p, q in (
            ("any", x, y),
            ("small", x % 100, y % 100),
            ("infinities", torch.where(j % 4 == 1, INF, x), y),
            ("NaN", x, torch.where(j % 3 == 1, NAN, y)),
        ):
            for alpha, block_size in ((0.5, 128), (-3.0, 32), (1025.0, 256)):
                scalars = {"alpha": alpha, "block_size": block_size}
                words = f"n = {n:,}, {scalars}, {label}"
                options = {"dtypes": (torch.float64,), "quick": n > 5000}
                yield Case(words, (p, q), (alpha * p + q,), scalars, **options)


def widenings(launcher: Launcher) -> Iterator[Case]:
    """Try the cases of an operator, and slices from several starts."""
    make = ElementwiseMaker.of(launcher, lambda x: x)
    yield from elementwise_cases(launcher, make)
    for n in (*range(1, 71), 255, 256, 1000):
        yield make.random(n, 1)
        for offset in ((8, 4), (4, 4), (1, 4), (8, 1), (8, 2), (3, 3)):
            yield make.shifted(n, 2, offset)


def shortenings(launcher: Launcher) -> Iterator[Case]:
    """Shorten: small, of 32 bits, of 64 bits, at the ends, about 2^24."""
    ends = torch.tensor((2**31 - 1, -(2**31), 2**31, -(2**31) - 1, 2**32, 2**63 - 1, -(2**63)))
    for n in (*LENGTHS, 20_003, 100_000):
        j = torch.arange(n)
        for label, x in (
            ("small", whole(-999, 1000, n, n)),
            ("of 32 bits", whole(-(2**31), 2**31, n, n + 1)),
            ("of 64 bits", whole(-(2**62), 2**62, n, n + 2)),
            ("at the ends", ends[j % len(ends)]),
            ("about 2^24", 2**24 + whole(-99, 100, n, n + 3)),
        ):
            for block_size in (64, 256):
                scalars = {"block_size": block_size}
                words = f"n = {n:,}, {scalars}, {label}"
                options = {"dtypes": (torch.int32,), "quick": n > 5000}
                yield Case(words, (x,), (x.int(),), scalars, **options)


def elus(x: torch.Tensor) -> torch.Tensor:
    """Compute elu."""
    return torch.where(x > 0, x, torch.expm1(x))


def hardswish(x: torch.Tensor) -> torch.Tensor:
    """Compute hardswish."""
    return x * ((x + 3).clamp(0, 6) / 6)


def sum_of_squares(x: torch.Tensor) -> torch.Tensor:
    """Add the squares."""
    return (x * x).sum()


def row_maxima(launcher: Launcher) -> Iterator[Case]:
    """Look for the largest: any, below 0, alike, the last, infinities, NaN."""
    for rows, cols in (*SIDES, (3, 2_001), (513, 3)):
        n = rows * cols
        x, c = whole(-999, 1000, n, n).reshape(rows, cols).float(), torch.arange(cols)
        for label, y in (
            ("any", x),
            ("below 0", -x.abs() - 1),
            ("zeros", torch.zeros_like(x)),
            ("the last", torch.where(c == cols - 1, 5000.0, x)),
            ("rising", x * 0 + c),
            ("infinity", torch.where(c == cols // 2, INF, x)),
            ("only -infinity", torch.full_like(x, -INF)),
            ("NaN", torch.where(c == cols // 3, NAN, x)),
        ):
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y,), (y.double().amax(1),), dtypes=FLOAT)


def dots(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole numbers, so that all is exact: any, ones, zeros, the last, NaN."""
    for n in (*LENGTHS, 6_145, 20_003, 50_001):
        a, b, j = whole(-9, 10, n, n).float(), whole(-9, 10, n, n + 1).float(), torch.arange(n)
        for label, p, q in (
            ("any", a, b),
            ("ones", a, b * 0 + 1),
            ("zeros", a * 0, b),
            ("below 0", -a.abs() - 1, b.abs() + 1),
            ("the last alone", torch.where(j == n - 1, 3.0, 0.0), b * 0 + 2),
            ("NaN", a, torch.where(j == n // 2, NAN, b)),
        ):
            right = (p.double() * q.double()).sum().reshape(1)
            words, options = f"n = {n:,}, {label}", {"dtypes": FLOAT, "quick": n > 5000}
            yield Case(words, (p, q), (right,), **options)
    n = 1000
    a, b = whole(-9, 10, n, 1).float(), whole(-9, 10, n, 2).float()
    right = (a.double() * b.double()).sum().reshape(1)
    yield Case("n = 1,000, a second call", (a, b), (right,), dtypes=FLOAT, before=(b, b))


def rms_norms(launcher: Launcher) -> Iterator[Case]:
    """Norm: any, small, large, zeros, one alone, NaN; with gains and without."""
    for rows, cols in (*SIDES, (3, 2_001), (129, 130)):
        n = rows * cols
        x, c = whole(-99, 100, n, n).reshape(rows, cols), torch.arange(cols)
        gain = whole(1, 20, cols, cols).double() / 4
        for label, y, g, eps in (
            ("any", x, gain, 1.0),
            ("plain", x, gain * 0 + 1, 0.001),
            ("small", x / 1024, gain, 0.25),
            ("large", x * 4096.0, gain, 0.5),
            ("zeros", x * 0, gain, 0.125),
            ("the last alone", torch.where(c == cols - 1, 32.0, 0.0) + 0 * x, gain, 0.125),
            ("NaN", torch.where(c == cols // 2, NAN, x.double()), gain, 1.0),
        ):
            v = y.double()
            right = v / ((v * v).mean(1, keepdim=True) + eps).sqrt() * g
            within = ((2.0**-18 * right.abs()).nan_to_num(0.0),)
            words = f"rows = {rows:,}, cols = {cols:,}, eps = {eps}, {label}"
            inputs, scalars = (y.float(), g.float()), {"eps": eps}
            yield Case(words, inputs, (right,), scalars, dtypes=FLOAT, within=within)


def turned_bytes(launcher: Launcher) -> Iterator[Case]:
    """Transpose bytes: any, rising."""
    sides = (*SIDES, (31, 200), (200, 31), (32, 32), (33, 65), (4, 4), (64, 32), (1, 5_003))
    for rows, cols in (*sides, (5_003, 1), (127, 129)):
        n = rows * cols
        for label, x in (
            ("any", whole(0, 256, n, n)),
            ("rising", torch.arange(n) % 251),
        ):
            x = x.reshape(rows, cols).to(torch.uint8)
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (x,), (x.T.double().contiguous(),), dtypes=(torch.uint8,))


def matvecs(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole numbers, so that all is exact: any, ones, the last alone, NaN."""
    for rows, cols in (*SIDES, (3, 2_001), (513, 3), (1, 5_000), (70, 70)):
        n = rows * cols
        m = whole(-30, 31, n, n).reshape(rows, cols).float()
        v, c = whole(-30, 31, cols, cols + 1).float(), torch.arange(cols)
        for label, p, q in (
            ("any", m, v),
            ("ones", m, v * 0 + 1),
            ("zeros", m * 0, v),
            ("the last alone", m, torch.where(c == cols - 1, 3.0, 0.0)),
            ("NaN in the vector", m, torch.where(c == cols // 2, NAN, v)),
            ("NaN in the matrix", torch.where(c == cols // 3, NAN, m), v),
        ):
            right = p.double() @ q.double()
            for block_size in (128, 64, 256):
                scalars = {"block_size": block_size}
                words = f"rows = {rows:,}, cols = {cols:,}, {scalars}, {label}"
                yield Case(words, (p, q), (right,), scalars, dtypes=FLOAT)


def log_shares(launcher: Launcher) -> Iterator[Case]:
    """Try any, equal, far above and below 0, wide ones, rising, a mask, a NaN."""
    for m, n in (*SIDES, (3, 2_001), (513, 3)):
        x, c = whole(-40, 41, m * n, m * n).reshape(m, n) / 8.0, torch.arange(n)
        for label, y in (
            ("any", x),
            ("equal", x * 0 + 3),
            ("far above 0", x + 1000),
            ("far below 0", x - 1000),
            ("wide", x * 64),
            ("rising", x * 0 + c / 8.0),
            ("falling", x * 0 - c / 8.0),
            ("a mask", torch.where((c % 3 == 1) & (c > 0), -INF, x)),
            ("NaN", torch.where(c == n // 2, NAN, x)),
        ):
            y = y.float()
            right = y.double().log_softmax(1)
            slack = 2.0**-20 * (1 + right.abs()) + 2.0**-21
            within = (slack.nan_to_num(0.0, 0.0, 0.0),)
            words = f"m = {m:,}, n = {n:,}, {label}"
            yield Case(words, (y,), (right,), dtypes=FLOAT, within=within)


BASES = {
    "eightyseven_add": Base(ADD3, {"cases": sums_of_three}),
    "eightyseven_axpy": Base(AXPY, {"cases": axpys}),
    "eightyseven_widen": Base(WIDEN, {"cases": widenings}),
    "eightyseven_shorten": Base(SHORTEN, {"cases": shortenings}),
    "eightyseven_elu": Base(ELU, {"reference": elus, "ulp": 2}),
    "eightyseven_hard": Base(HARD, {"reference": hardswish, "ulp": 3}),
    "eightyseven_squares": Base(SQUARES, cases="whole_array", function=sum_of_squares),
    "eightyseven_rowmax": Base(ROWMAX, {"cases": row_maxima}),
    "eightyseven_dot": Base(DOT, {"cases": dots}),
    "eightyseven_rms": Base(RMS, {"cases": rms_norms}),
    "eightyseven_bytes": Base(BYTES, {"cases": turned_bytes}),
    "eightyseven_padded": Base(PADDED, cases="transpose"),
    "eightyseven_matvec": Base(MATVEC, {"cases": matvecs}),
    "eightyseven_logs": Base(LOGS, {"cases": log_shares}),
}

WRONG = (
    # ---- add
    # The address of c is not tested.
    Wrong(
        "eightyseven_add_c_anywhere",
        "eightyseven_add",
        "alignment",
        ("is16(a) && is16(b) && is16(c) && is16(out)", "is16(a) && is16(b) && is16(out)"),
    ),
    # What is left after the packs is not added.
    Wrong(
        "eightyseven_add_no_rest",
        "eightyseven_add",
        "tail / unwritten | nan / numbers",
        ("    if (done + i < n)", "    if (!vec && i < n)"),
    ),
    # Packs are rounded up.
    Wrong(
        "eightyseven_add_packs_rounded_up",
        "eightyseven_add",
        "bounds / tail | unwritten / other element",
        ("int packs = n / 4;", "int packs = (n + 3) / 4;"),
    ),
    # The fourth number of a pack takes the third of b.
    Wrong(
        "eightyseven_add_z_of_b_for_w",
        "eightyseven_add",
        "other element / copy | numbers / neighbour",
        ("p.w + q.w + r.w", "p.w + q.z + r.w"),
    ),
    # The grid is always that of packs.
    Wrong(
        "eightyseven_add_grid_for_packs",
        "eightyseven_add",
        "grid / unwritten | tail / left out / nan / numbers",
        ("int work = vec ? (n + 3) / 4 + 3 : n;", "int work = (n + 3) / 4 + 3;"),
    ),
    # ---- axpy
    # Each thread takes one number, though the grid is capped.
    Wrong(
        "eightyseven_axpy_if_for_loop",
        "eightyseven_axpy",
        "unwritten / left out / grid | tail / nan / numbers",
        (
            "for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {",
            "int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n && stride > 0) {",
        ),
    ),
    # The product is stored in a float.
    Wrong(
        "eightyseven_axpy_product_in_float",
        "eightyseven_axpy",
        "precision | rounding / numbers / infinity",
        (
            "    z[i] = alpha * x[i] + y[i];",
            "    float ax = alpha * x[i];\n    z[i] = ax + y[i];",
        ),
    ),
    # The number multiplies the other array.
    Wrong(
        "eightyseven_axpy_arrays_swapped",
        "eightyseven_axpy",
        "swapped | numbers / function",
        ("alpha * x[i] + y[i]", "alpha * y[i] + x[i]"),
    ),
    # The result goes to y, as in BLAS.
    Wrong(
        "eightyseven_axpy_into_y",
        "eightyseven_axpy",
        "input / unwritten | nan",
        ("    z[i] = alpha", "    ((double*)y)[i] = alpha"),
    ),
    # The first number is that of blocks of 128.
    Wrong(
        "eightyseven_axpy_always_128",
        "eightyseven_axpy",
        "block size / unwritten / left out | twice / nan / numbers / tail",
        ("i = blockIdx.x * blockDim.x + threadIdx.x;", "i = blockIdx.x * 128 + threadIdx.x;"),
    ),
    # ---- widen
    # The address of src is not tested.
    Wrong(
        "eightyseven_widen_only_dst_tested",
        "eightyseven_widen",
        "alignment",
        (
            "    bool ok = reinterpret_cast<uintptr_t>(src) % 16 == 0;\n"
            "    ok = ok && reinterpret_cast",
            "    bool ok = reinterpret_cast",
        ),
    ),
    # Addresses of src that 8 divides are taken for good ones.
    Wrong(
        "eightyseven_widen_tested_for_8",
        "eightyseven_widen",
        "alignment",
        ("(src) % 16 == 0", "(src) % 8 == 0"),
    ),
    # The halves of a pack change places.
    Wrong(
        "eightyseven_widen_halves_of_pack_swapped",
        "eightyseven_widen",
        "other element / swapped | numbers / neighbour",
        ("dst[2 * p] = make", "dst[2 * p + 1] = make"),
        ("dst[2 * p + 1] = make_float4(f2", "dst[2 * p] = make_float4(f2"),
    ),
    # The rest goes to the default stream.
    Wrong(
        "eightyseven_widen_rest_on_default_stream",
        "eightyseven_widen",
        "stream",
        (
            "widen_each<<<(rest + threads - 1) / threads, threads, 0, stream>>>",
            "widen_each<<<(rest + threads - 1) / threads, threads>>>",
        ),
    ),
    # Infinity becomes the largest half.
    Wrong(
        "eightyseven_widen_limit_of_half",
        "eightyseven_widen",
        "infinity | numbers",
        ("        dst[i] = v;", "        dst[i] = v > 65504.0f ? 65504.0f : v;"),
    ),
    # ---- shorten
    # The number becomes a float on the way.
    Wrong(
        "eightyseven_shorten_through_a_float",
        "eightyseven_shorten",
        "precision / narrow | whole range / rounding / numbers",
        ("return (int32_t)v;", "return (int32_t)(float)v;"),
    ),
    # What does not fit is held at the ends of the range.
    Wrong(
        "eightyseven_shorten_held_at_the_ends",
        "eightyseven_shorten",
        "whole range | numbers",
        (
            "return (int32_t)v;",
            "return (int32_t)min(max(v, (int64_t)INT32_MIN), (int64_t)INT32_MAX);",
        ),
    ),
    # The second number is not tested.
    Wrong(
        "eightyseven_shorten_second_not_tested",
        "eightyseven_shorten",
        "bounds",
        (
            "\ti += blockDim.x;\n\tif (i < n)\n\t\tout[i] = shorten(in[i]);\n}",
            "\ti += blockDim.x;\n"
            "\tif (i - (int)blockDim.x < n)\n"
            "\t\tout[i] = shorten(in[i]);\n"
            "}",
        ),
    ),
    # The second number is the next one.
    Wrong(
        "eightyseven_shorten_next_for_second",
        "eightyseven_shorten",
        "unwritten / left out | twice / race / nan / tail / numbers / block size",
        ("\ti += blockDim.x;", "\ti += 1;"),
    ),
    # The number of blocks is rounded down.
    Wrong(
        "eightyseven_shorten_blocks_rounded_down",
        "eightyseven_shorten",
        "tail / unwritten / grid | left out",
        ("(n + per_block - 1) / per_block", "n / per_block"),
    ),
    # ---- elu
    # 1 is taken from the exponential.
    Wrong(
        "eightyseven_elu_exp_less_1",
        "eightyseven_elu",
        "precision | numbers / rounding / subnormal / sign of zero",
        ("expm1f(v)", "expf(v) - 1.0f"),
    ),
    # NaN loses against 0.
    Wrong(
        "eightyseven_elu_nan_of_maximum",
        "eightyseven_elu",
        "nan | sign of zero",
        ("v > 0.0f ? v : expm1f(v)", "fmaxf(v, 0.0f) + expm1f(fminf(v, 0.0f))"),
    ),
    # The last index is n.
    Wrong(
        "eightyseven_elu_one_too_many",
        "eightyseven_elu",
        "bounds",
        ("idx < n", "idx <= n"),
    ),
    # The block size is typed in.
    Wrong(
        "eightyseven_elu_always_256",
        "eightyseven_elu",
        "block size / unwritten / left out | tail / bounds / nan / numbers / twice",
        ("blockIdx.x * blockDim.x", "blockIdx.x * 256"),
    ),
    # The kernel goes to the default stream.
    Wrong(
        "eightyseven_elu_no_stream",
        "eightyseven_elu",
        "stream",
        ("<<<grid, block_size, 0, stream>>>", "<<<grid, block_size>>>"),
    ),
    # ---- hard
    # The gate is divided by 5.
    Wrong(
        "eightyseven_hard_divided_by_5",
        "eightyseven_hard",
        "function | numbers / infinity / precision",
        ("6.0f) / 6.0f", "6.0f) / 5.0f"),
    ),
    # The product comes before the division.
    Wrong(
        "eightyseven_hard_product_first",
        "eightyseven_hard",
        "infinity | numbers / precision",
        (
            "float gate = fminf(fmaxf(v + 3.0f, 0.0f), 6.0f) / 6.0f;\n    return v * gate;",
            "float gate = fminf(fmaxf(v + 3.0f, 0.0f), 6.0f);\n    return v * gate / 6.0f;",
        ),
    ),
    # There are at most 64 blocks, and no loop.
    Wrong(
        "eightyseven_hard_at_most_64_blocks",
        "eightyseven_hard",
        "grid / unwritten / left out | tail / nan / numbers",
        ("    if (blocks > 0)", "    blocks = blocks < 64 ? blocks : 64;\n    if (blocks > 0)"),
    ),
    # The last number of four is left out.
    Wrong(
        "eightyseven_hard_three_of_four",
        "eightyseven_hard",
        "left out / unwritten | nan / numbers",
        ("j < 4;", "j < 3;"),
    ),
    # The gate has no upper limit.
    Wrong(
        "eightyseven_hard_not_limited_above",
        "eightyseven_hard",
        "function | numbers / infinity / left out",
        ("fminf(fmaxf(v + 3.0f, 0.0f), 6.0f)", "fmaxf(v + 3.0f, 0.0f)"),
    ),
    # ---- squares
    # The total is not set to 0.
    Wrong(
        "eightyseven_squares_not_set_to_zero",
        "eightyseven_squares",
        "zero before | state / nan / numbers / start",
        ("    cudaMemsetAsync(total, 0, sizeof(float), stream);\n", ""),
    ),
    # The block's sum is added without an atomic.
    Wrong(
        "eightyseven_squares_no_atomic",
        "eightyseven_squares",
        "race | left out / numbers / other element / state",
        ("atomicAdd(total, sum);", "*total += sum;"),
    ),
    # Four warps of eight are added.
    Wrong(
        "eightyseven_squares_half_of_the_warps",
        "eightyseven_squares",
        "left out | numbers / tail",
        ("w < WARPS;", "w < WARPS / 2;"),
    ),
    # The numbers of a thread are added and squared.
    Wrong(
        "eightyseven_squares_square_of_the_sum",
        "eightyseven_squares",
        "function | numbers / precision / infinity",
        ("acc += x[i] * x[i];", "acc += x[i];\n    acc *= acc;"),
    ),
    # A thread goes on by a block.
    Wrong(
        "eightyseven_squares_steps_of_a_block",
        "eightyseven_squares",
        "twice | numbers / other element",
        ("int64_t step = (int64_t)gridDim.x * THREADS;", "int64_t step = THREADS;"),
    ),
    # ---- rowmax
    # The largest starts at the smallest float above 0.
    Wrong(
        "eightyseven_rowmax_starts_at_flt_min",
        "eightyseven_rowmax",
        "start | numbers / sign of zero / subnormal",
        ("float m = -INFINITY;", "float m = FLT_MIN;"),
    ),
    # NaN loses each comparison.
    Wrong(
        "eightyseven_rowmax_nan_loses",
        "eightyseven_rowmax",
        "nan",
        ("(a > b || a != a) ? a : b", "fmaxf(a, b)"),
    ),
    # The tree begins before all have stored.
    Wrong(
        "eightyseven_rowmax_no_barrier",
        "eightyseven_rowmax",
        "race | numbers / unwritten / other element / left out / state / nan",
        ("  part[t] = m;\n  __syncthreads();\n", "  part[t] = m;\n"),
    ),
    # The tree starts at a quarter of the block.
    Wrong(
        "eightyseven_rowmax_tree_from_a_quarter",
        "eightyseven_rowmax",
        "left out | numbers / infinity / nan / tail",
        ("half_ = T / 2;", "half_ = T / 4;"),
    ),
    # The largest starts at the least float that is finite.
    Wrong(
        "eightyseven_rowmax_minus_for_infinity",
        "eightyseven_rowmax",
        "infinity / start | numbers",
        ("float m = -INFINITY;", "float m = -FLT_MAX;"),
    ),
    # ---- dot
    # The count of blocks is not set back.
    Wrong(
        "eightyseven_dot_count_not_reset",
        "eightyseven_dot",
        "state / unwritten | numbers / nan",
        ("        arrived = 0;\n", ""),
    ),
    # The last block's part is not added.
    Wrong(
        "eightyseven_dot_last_part_left_out",
        "eightyseven_dot",
        "left out | tail / numbers / unwritten",
        ("k < (int)gridDim.x;", "k < (int)gridDim.x - 1;"),
    ),
    # The array is multiplied by itself.
    Wrong(
        "eightyseven_dot_a_times_a",
        "eightyseven_dot",
        "left out / function / copy | numbers / swapped / nan",
        ("sum += a[i] * b[i];", "sum += a[i] * a[i];"),
    ),
    # Shuffles start 8 lanes apart.
    Wrong(
        "eightyseven_dot_shuffle_from_8",
        "eightyseven_dot",
        "left out | numbers / other element / tail",
        ("int d = 16;", "int d = 8;"),
    ),
    # The sums of warps are read before all have stored them.
    Wrong(
        "eightyseven_dot_no_barrier",
        "eightyseven_dot",
        "race | numbers / unwritten / left out / other element / state / nan",
        ("= v;\n    __syncthreads();\n", "= v;\n"),
    ),
    # ---- rms
    # The small number is added to the root.
    Wrong(
        "eightyseven_rms_eps_outside",
        "eightyseven_rms",
        "function | numbers / infinity / precision / nan",
        ("rsqrtf(buf[0] / cols + eps)", "1.0f / (sqrtf(buf[0] / cols) + eps)"),
    ),
    # The mean divides by the threads.
    Wrong(
        "eightyseven_rms_mean_over_threads",
        "eightyseven_rms",
        "function / sides | numbers / precision",
        ("buf[0] / cols", "buf[0] / NT"),
    ),
    # The gain is that of the row's index.
    Wrong(
        "eightyseven_rms_gain_of_row",
        "eightyseven_rms",
        "other element / bounds / sides | numbers",
        ("gain[k];", "gain[blockIdx.x];"),
    ),
    # The steps of the tree do not wait.
    Wrong(
        "eightyseven_rms_barrier_left_out",
        "eightyseven_rms",
        "race | numbers / other element / left out / state / nan",
        (
            "            buf[tid] += buf[tid + w];\n        __syncthreads();\n",
            "            buf[tid] += buf[tid + w];\n",
        ),
    ),
    # The input is scaled where it lies.
    Wrong(
        "eightyseven_rms_scaled_in_place",
        "eightyseven_rms",
        "input | state / numbers / nan / race",
        (
            "dst[k] = src[k] * inv * gain[k];",
            "{\n"
            "            ((float *)src)[k] *= inv;\n"
            "            dst[k] = src[k] * gain[k];\n"
            "        }",
        ),
    ),
    # ---- bytes
    # Rows of the output have the pitch of the input.
    Wrong(
        "eightyseven_bytes_pitch_of_input",
        "eightyseven_bytes",
        "sides / other element / unwritten / bounds | left out / twice / race",
        ("(size_t)c * rows + r", "(size_t)c * cols + r"),
    ),
    # The sides of the grid change places.
    Wrong(
        "eightyseven_bytes_grid_swapped",
        "eightyseven_bytes",
        "grid / unwritten / sides | left out / numbers / tail",
        ("dim3(gx, gy)", "dim3(gy, gx)"),
    ),
    # Each index is tested against the other side.
    Wrong(
        "eightyseven_bytes_tests_swapped",
        "eightyseven_bytes",
        "sides / bounds / unwritten | left out / other element / swapped / tail / race",
        ("c >= cols || r >= rows", "c >= rows || r >= cols"),
    ),
    # Blocks across are rounded down.
    Wrong(
        "eightyseven_bytes_columns_rounded_down",
        "eightyseven_bytes",
        "tail / unwritten / grid / refused | left out / numbers / sides",
        ("int gx = (cols + 31) / 32;", "int gx = cols / 32;"),
    ),
    # The kernel goes to the default stream.
    Wrong(
        "eightyseven_bytes_no_stream",
        "eightyseven_bytes",
        "stream",
        ("block, 0, stream>>>", "block>>>"),
    ),
    # ---- padded
    # The tile is read before it is full.
    Wrong(
        "eightyseven_padded_no_barrier",
        "eightyseven_padded",
        "race | numbers / unwritten / other element / left out / state / nan",
        ("    __syncthreads();\n\n", "\n"),
    ),
    # Numbers are taken from the tile as they were stored.
    Wrong(
        "eightyseven_padded_tile_not_turned",
        "eightyseven_padded",
        "other element / copy | numbers / unwritten / sides / nan / race / left out",
        ("= tile[threadIdx.x][k];", "= tile[k][threadIdx.x];"),
    ),
    # Tiles stay where they were: only their insides turn.
    Wrong(
        "eightyseven_padded_indices_of_the_way_in",
        "eightyseven_padded",
        "other element / unwritten / sides | left out / numbers / race / bounds / nan / twice",
        ("int out_c = tile_row * TILE", "int out_c = tile_col * TILE"),
        ("int out_r = tile_col * TILE", "int out_r = tile_row * TILE"),
    ),
    # Threads go on by 16 lines, though there are 8.
    Wrong(
        "eightyseven_padded_lines_of_sixteen",
        "eightyseven_padded",
        "left out / unwritten | numbers / nan / other element / tail / state / race",
        (
            "    for (int k = threadIdx.y; k < TILE; k += LINES) {\n        int r =",
            "    for (int k = threadIdx.y; k < TILE; k += 16) {\n        int r =",
        ),
    ),
    # Rows of the input have the pitch of the output.
    Wrong(
        "eightyseven_padded_pitch_of_rows",
        "eightyseven_padded",
        "sides / other element / bounds | numbers / unwritten / left out / twice / nan",
        ("(size_t)r * cols + c", "(size_t)r * rows + c"),
    ),
    # ---- matvec
    # Columns beyond the last 32 are left out.
    Wrong(
        "eightyseven_matvec_whole_warps_only",
        "eightyseven_matvec",
        "tail / left out | numbers / nan",
        ("j < cols; j += 32", "j < cols / 32 * 32; j += 32"),
    ),
    # The last row is tested with >.
    Wrong(
        "eightyseven_matvec_one_row_too_many",
        "eightyseven_matvec",
        "bounds",
        ("warp >= rows", "warp > rows"),
    ),
    # A block is taken for four warps.
    Wrong(
        "eightyseven_matvec_four_warps_typed",
        "eightyseven_matvec",
        "block size / unwritten / grid / twice | left out / tail / nan / numbers / race",
        ("int per = block_size / 32;", "int per = 4;"),
    ),
    # Lanes 16 to 31 are not added.
    Wrong(
        "eightyseven_matvec_first_shuffle_missing",
        "eightyseven_matvec",
        "left out | numbers / other element / tail / nan",
        ("    s += __shfl_down_sync(0xffffffff, s, 16);\n", ""),
    ),
    # Rows have the pitch of the other side.
    Wrong(
        "eightyseven_matvec_pitch_of_rows",
        "eightyseven_matvec",
        "sides / other element / bounds | numbers / nan / twice / left out",
        ("(size_t)warp * cols", "(size_t)warp * rows"),
    ),
    # ---- logs
    # The largest is not taken away.
    Wrong(
        "eightyseven_logs_nothing_taken_away",
        "eightyseven_logs",
        "infinity | numbers / precision / nan / function / subnormal",
        ("top = max_of_block(top, s);", "top = 0.0f;"),
    ),
    # The logarithm is that of the quotient.
    Wrong(
        "eightyseven_logs_log_of_the_share",
        "eightyseven_logs",
        "infinity / precision | subnormal / numbers / function / rounding",
        ("y[j] = x[j] - top - lse;", "y[j] = logf(expf(x[j] - top) / expf(lse));"),
    ),
    # The logarithm is that to the base 2.
    Wrong(
        "eightyseven_logs_base_2",
        "eightyseven_logs",
        "function | numbers / precision",
        ("= logf(sum_of_block", "= log2f(sum_of_block"),
    ),
    # The largest starts at 0.
    Wrong(
        "eightyseven_logs_starts_at_0",
        "eightyseven_logs",
        "start | numbers / infinity / precision / subnormal / nan",
        ("float top = -INFINITY;", "float top = 0.0f;"),
    ),
    # The sum of the last warp is left out.
    Wrong(
        "eightyseven_logs_three_warps",
        "eightyseven_logs",
        "left out | numbers / tail / precision / nan",
        ("return s[0] + s[1] + s[2] + s[3];", "return s[0] + s[1] + s[2];"),
    ),
)

RIGHT = (
    # Numbers are counted from the rest on: packs and rest have threads of their own.
    Right(
        "eightyseven_add_rest_by_last",
        "eightyseven_add",
        (
            "    if (done + i < n)\n"
            "        out[done + i] = a[done + i] + b[done + i] + c[done + i];",
            "    int k = vec ? done + i - done / 4 : i;\n"
            "    if (k >= done && k < n)\n"
            "        out[k] = a[k] + b[k] + c[k];",
        ),
    ),
    # Numbers are taken from the last to the first.
    Right(
        "eightyseven_axpy_from_the_end",
        "eightyseven_axpy",
        (
            "i < n; i += stride) {\n    z[i] = alpha * x[i] + y[i];",
            "i < n; i += stride) {\n    int k = n - 1 - i;\n    z[k] = fma(alpha, x[k], y[k]);",
        ),
    ),
    # The rest has indices of 64 bits, and blocks of 32.
    Right(
        "eightyseven_widen_rest_64_bits",
        "eightyseven_widen",
        (
            "    int i = start + blockIdx.x * blockDim.x + threadIdx.x;",
            "    int64_t i = start + (int64_t)blockIdx.x * blockDim.x + threadIdx.x;",
        ),
        (
            "widen_each<<<(rest + threads - 1) / threads, threads, 0, stream>>>",
            "widen_each<<<rest / 32 + 1, 32, 0, stream>>>",
        ),
    ),
    # The lower word is taken as unsigned, and there is an idle block.
    Right(
        "eightyseven_shorten_lower_word",
        "eightyseven_shorten",
        (
            "return (int32_t)v;",
            "uint32_t low = (uint32_t)((uint64_t)v & 0xffffffffu);\n\treturn (int32_t)low;",
        ),
        ("(n + per_block - 1) / per_block;", "n / per_block + 1;"),
    ),
    # n has 64 bits.
    Right(
        "eightyseven_elu_int64_n",
        "eightyseven_elu",
        ("float* __restrict__ y, int n) {", "float* __restrict__ y, int64_t n) {"),
        (
            "int idx = threadIdx.x + blockIdx.x * blockDim.x;",
            "int64_t idx = threadIdx.x + (int64_t)blockIdx.x * blockDim.x;",
        ),
        (
            "                       int n, int block_size",
            "                       int64_t n, int block_size",
        ),
        (
            "int grid = (n + block_size - 1) / block_size;",
            "unsigned grid = (unsigned)((n + block_size - 1) / block_size);",
        ),
    ),
    # The gate is a saturated number; NaN is passed on.
    Right(
        "eightyseven_hard_saturated",
        "eightyseven_hard",
        (
            "fminf(fmaxf(v + 3.0f, 0.0f), 6.0f) / 6.0f;",
            "(v + 3.0f) / 6.0f;\n    gate = gate < 0.0f ? 0.0f : gate > 1.0f ? 1.0f : gate;",
        ),
    ),
    # Each warp adds to the total.
    Right(
        "eightyseven_squares_atomic_a_warp",
        "eightyseven_squares",
        (
            "    if (threadIdx.x % 32 == 0)\n"
            "        of_warp[threadIdx.x / 32] = acc;\n"
            "    __syncthreads();\n"
            "\n"
            "    if (threadIdx.x == 0) {\n"
            "        float sum = 0.0f;\n"
            "        for (int w = 0; w < WARPS; w++)\n"
            "            sum += of_warp[w];\n"
            "        atomicAdd(total, sum);\n"
            "    }\n",
            "    if (threadIdx.x % 32 == 0)\n        atomicAdd(total, acc);\n",
        ),
        ("    __shared__ float of_warp[WARPS];\n", ""),
    ),
    # The launcher takes its arguments in another order, and blocks have 64 threads.
    Right(
        "eightyseven_rowmax_other_order",
        "eightyseven_rowmax",
        ("#define T 128", "#define T 64"),
        ("int rows, int cols, cudaStream_t stream", "int cols, int rows, cudaStream_t stream"),
    ),
    # The count goes back to 0 by itself.
    Right(
        "eightyseven_dot_atomic_inc",
        "eightyseven_dot",
        ("atomicAdd(&arrived, 1u) ==", "atomicInc(&arrived, gridDim.x - 1) =="),
        ("        arrived = 0;\n", ""),
    ),
    # A root and a division, of a sum that a double holds.
    Right(
        "eightyseven_rms_root_and_quotient",
        "eightyseven_rms",
        (
            "float inv = rsqrtf(buf[0] / cols + eps);",
            "float inv = (float)(1.0 / sqrt((double)buf[0] / cols + eps));",
        ),
    ),
    # Blocks of 16 by 16, and an idle one each way.
    Right(
        "eightyseven_bytes_sixteen_and_idle",
        "eightyseven_bytes",
        ("dim3 block(32, 4);", "dim3 block(16, 16);"),
        ("(cols + 31) / 32;", "cols / 16 + 1;"),
        ("(rows + 3) / 4;", "rows / 16 + 1;"),
    ),
    # The tile is turned where it is filled.
    Right(
        "eightyseven_padded_filled_turned",
        "eightyseven_padded",
        ("            tile[k][threadIdx.x] = x", "            tile[threadIdx.x][k] = x"),
        ("= tile[threadIdx.x][k];", "= tile[k][threadIdx.x];"),
    ),
    # All lanes have the sum, and the last one writes it.
    Right(
        "eightyseven_matvec_shuffles_across",
        "eightyseven_matvec",
        ("__shfl_down_sync(0xffffffff, s, 16)", "__shfl_xor_sync(0xffffffff, s, 16)"),
        ("__shfl_down_sync(0xffffffff, s, 8)", "__shfl_xor_sync(0xffffffff, s, 8)"),
        ("__shfl_down_sync(0xffffffff, s, 4)", "__shfl_xor_sync(0xffffffff, s, 4)"),
        ("__shfl_down_sync(0xffffffff, s, 2)", "__shfl_xor_sync(0xffffffff, s, 2)"),
        ("__shfl_down_sync(0xffffffff, s, 1)", "__shfl_xor_sync(0xffffffff, s, 1)"),
        ("lane == 0", "lane == 31"),
    ),
    # The logarithm is added to the largest before.
    Right(
        "eightyseven_logs_sum_at_once",
        "eightyseven_logs",
        ("float lse = logf(sum_of_block(sum, s));", "float total = sum_of_block(sum, s);"),
        ("x[j] - top - lse;", "(x[j] - top) - logf(total);"),
    ),
)
