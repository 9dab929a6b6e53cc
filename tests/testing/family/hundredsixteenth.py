"""Hold a hundred-and-sixteenth family: a course's plain operators, and plain mistakes.

Its bases are a sum of three vectors in float4, int32 to float, float to half in pairs, floats
between two limits, SiLU of bfloat16, leaky ReLU of doubles, a count of what is above a
threshold, the smallest of each row, the sum of each column, log-softmax, a layer norm, a
transpose of doubles, a matrix times a vector, and a product with the first matrix transposed.
They have 18 to 41 lines. Five wrong members and a right one belong to each. The causes were
written before a member was judged. On the emulator each was run on the cases (those with a
reference on what an operator is tried on, up to 255,001 numbers, and once on 2^24 + 3), called
twice on the same tensors: with NaN in floating outputs and threads in order; with 1e3, threads
from the last to the first, inputs that cannot be written, and a stream that is not the default
one; with -3, a random order, and tensors that start a few elements into a buffer (-1, 77 and
1000 in integers). The bytes behind the outputs and the inputs were looked at afterwards. Bases
and right ones ran all cases and are right; wrong ones ran until they were wrong often enough.
Past 2^31 nothing was run. nvcc 13.0 compiles all members for 8.0; none was run on a GPU:

    hundredsixteen_add3_none_below_4         of one to three numbers
    hundredsixteen_add3_w_takes_z_of_c       of each fourth number
    hundredsixteen_add3_rest_no_stream       on another stream than the default one
    hundredsixteen_add3_packs_kept           of a later call with another number of packs
    hundredsixteen_add3_c_not_promised       from 4 numbers on, by the address of c alone
    hundredsixteen_cast_thread_of_16_bits    from 65,537 numbers on, if a round is as long
    hundredsixteen_cast_towards_0            of some beyond 24 bits
    hundredsixteen_cast_unsigned             below 0
    hundredsixteen_cast_round_of_a_block     from 512 blocks and a number on
    hundredsixteen_cast_rounds_down          unless whole rounds are enough
    hundredsixteen_half_no_infinity          beyond 65,504
    hundredsixteen_half_y_before_x           of nearly all, where pairs are taken
    hundredsixteen_half_either_aligned       if one address of the two allows pairs
    hundredsixteen_half_one_block_of_rest    from 129 numbers on, where no pairs are taken
    hundredsixteen_half_blocks_for_half      from 258 numbers on, where pairs are taken
    hundredsixteen_clamp_nan_limited         of NaN
    hundredsixteen_clamp_second_not_tested   unless two block sizes divide n
    hundredsixteen_clamp_hi_before_lo        if the limits are crossed
    hundredsixteen_clamp_whole_limits        of limits that are no whole numbers
    hundredsixteen_clamp_blocks_as_of_256    of smaller blocks, from 129 numbers on
    hundredsixteen_silu_by_tanh              below about -11
    hundredsixteen_silu_exp_over_exp         from about 88.8 on
    hundredsixteen_silu_ceil_of_integers     unless the block size divides n
    hundredsixteen_silu_exp_of_plus_v        of all but 0
    hundredsixteen_silu_bounds_of_256        of blocks of 512 and 1,024 threads
    hundredsixteen_leaky_float_slope         below 0, of slopes that are no floats
    hundredsixteen_leaky_above_slope         between 0 and the slope
    hundredsixteen_leaky_negative_alone      from 0 on: not written
    hundredsixteen_leaky_row_of_threads      from 8,193 numbers on
    hundredsixteen_leaky_n_is_an_index       unless 128 divides n: one is written past the end
    hundredsixteen_count_set_too_late        where threads do not wait for another
    hundredsixteen_count_cleared_elsewhere   on another stream than the default one
    hundredsixteen_count_cleared_once        from the second call on
    hundredsixteen_count_nan_counts          of NaN
    hundredsixteen_count_one_a_thread        from 12 blocks and a number on
    hundredsixteen_rowmin_tree_stops_at_2    if the smallest is of an odd thread
    hundredsixteen_rowmin_from_flt_max       of rows of infinity
    hundredsixteen_rowmin_row_of_block       from 2 rows on, unless as long as a block
    hundredsixteen_rowmin_as_integers        of rows with two numbers below 0, and of NaN
    hundredsixteen_rowmin_bytes_for_floats   always: shared memory is too short
    hundredsixteen_colsum_room_kept          of a later call that needs more room
    hundredsixteen_colsum_adds_to_y          unless y is 0 already
    hundredsixteen_colsum_whole_bands        unless 64 divides the rows
    hundredsixteen_colsum_by_columns         unless there is one row or one column
    hundredsixteen_colsum_first_band_again   from 65 rows on
    hundredsixteen_lsm_log_of_softmax        from about 104 below the largest on
    hundredsixteen_lsm_largest_stays         unless the largest is 0
    hundredsixteen_lsm_sum_of_16_lanes       from 17 columns on
    hundredsixteen_lsm_one_row_too_many      unless 4 divides the rows
    hundredsixteen_lsm_half_sum              of sums that are not halves
    hundredsixteen_norm_unbiased             of nearly all
    hundredsixteen_norm_mean_of_squares      of rows far from 0
    hundredsixteen_norm_no_first_barrier     where warps do not wait for another
    hundredsixteen_norm_bias_of_thread       from one column more than threads on
    hundredsixteen_norm_centred_in_place     of x, which is overwritten
    hundredsixteen_turn_no_barrier           where threads do not wait for another
    hundredsixteen_turn_blocks_stay          from two tiles on
    hundredsixteen_turn_tile_of_floats       of numbers that are no floats
    hundredsixteen_turn_readers_leave        unless the last tiles are square
    hundredsixteen_turn_rows_of_tiles        unless 16 divides the rows, from 2 columns on
    hundredsixteen_matvec_all_lanes_store    of nearly all
    hundredsixteen_matvec_thread_a_row       from more rows than warps of a block on
    hundredsixteen_matvec_mask_of_16         always
    hundredsixteen_matvec_from_thread        from the second row of a block on
    hundredsixteen_matvec_no_zeros           of infinity or NaN against 0
    hundredsixteen_atb_pitch_k               unless m and k are alike
    hundredsixteen_atb_rows_of_a_not_tested  unless 16 divides k, by what lies behind A
    hundredsixteen_atb_tile_not_cleared      unless 16 divides all sides
    hundredsixteen_atb_c_turned              unless m or n is 1
    hundredsixteen_atb_sum_of_last_tile      from k = 17 on
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case, least_starts
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import whole

# a + b + c, a float4 a thread; a second kernel adds the one to three that are left.
ADD3 = (
    HEADER
    + """\
__global__ void add3_packs(const float4* a, const float4* b, const float4* c, float4* out,
                           int n4) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n4) {
    float4 p = a[i];
    float4 q = b[i];
    float4 r = c[i];
    out[i] = make_float4(p.x + q.x + r.x, p.y + q.y + r.y, p.z + q.z + r.z, p.w + q.w + r.w);
  }
}

__global__ void add3_rest(const float* a, const float* b, const float* c, float* out,
                          int begin, int n) {
  int i = begin + threadIdx.x;
  if (i < n) out[i] = a[i] + b[i] + c[i];
}

extern "C" void launch(const float* a,  // [n] 16-byte aligned
                       const float* b,  // [n] 16-byte aligned
                       const float* c,  // [n] 16-byte aligned
                       float* out,      // [n] 16-byte aligned
                       int n, cudaStream_t stream = 0) {
  const int threads = 256;
  int n4 = n / 4;
  if (n4 > 0) {
    int blocks = (n4 + threads - 1) / threads;
    add3_packs<<<blocks, threads, 0, stream>>>((const float4*)a, (const float4*)b,
                                               (const float4*)c, (float4*)out, n4);
  }
  if (n % 4 != 0) add3_rest<<<1, 32, 0, stream>>>(a, b, c, out, 4 * n4, n);
}
"""
)

# int32 to float, in rounds of the whole grid.
CAST = (
    HEADER
    + """\
__global__ void int_to_float(const int32_t *__restrict__ src, float *__restrict__ dst,
                             int64_t n, int64_t rounds)
{
    const int64_t total = (int64_t)gridDim.x * blockDim.x;
    const int64_t tid = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (int64_t r = 0; r < rounds; r++) {
        const int64_t i = r * total + tid;
        if (i < n)
            dst[i] = (float)src[i];
    }
}

extern "C" void launch(const int32_t *src,  // [n]
                       float *dst,          // [n]
                       int64_t n, int block_size = 256, cudaStream_t stream = 0)
{
    int64_t blocks = (n + block_size - 1) / block_size;
    if (blocks > 512)
        blocks = 512;
    const int64_t in_a_round = blocks * block_size;
    const int64_t rounds = (n + in_a_round - 1) / in_a_round;
    int_to_float<<<(unsigned)blocks, block_size, 0, stream>>>(src, dst, n, rounds);
}
"""
)

# float to half, in pairs where the addresses allow it, else one by one.
HALF = (
    HEADER
    + """\
constexpr int T = 128;

__global__ void pairsToHalf(const float2* in, __half2* out, int pairs) {
    const int i = blockIdx.x * T + threadIdx.x;
    if (i >= pairs) return;
    const float2 v = in[i];
    out[i] = __floats2half2_rn(v.x, v.y);
}

__global__ void singlesToHalf(const float* in, __half* out, int first, int n) {
    const int i = first + blockIdx.x * T + threadIdx.x;
    if (i >= n) return;
    out[i] = __float2half(in[i]);
}

extern "C" void launch(const float* in,  // [n]
                       __half* out,      // [n]
                       int n, cudaStream_t stream = 0) {
    const bool inAligned = (uintptr_t)in % sizeof(float2) == 0;
    const bool outAligned = (uintptr_t)out % sizeof(__half2) == 0;
    const int pairs = inAligned && outAligned ? n / 2 : 0;
    const int rest = n - 2 * pairs;
    if (pairs > 0)
        pairsToHalf<<<(pairs + T - 1) / T, T, 0, stream>>>(
            (const float2*)in, (__half2*)out, pairs);
    if (rest > 0)
        singlesToHalf<<<(rest + T - 1) / T, T, 0, stream>>>(in, out, 2 * pairs, n);
}
"""
)

# Floats between two limits, two elements a thread; a NaN stays.
CLAMP = (
    HEADER
    + """\
__device__ float limit(float v, float lo, float hi)
{
        v = v < lo ? lo : v;
        return v > hi ? hi : v;
}

__global__ void clamp_two(const float *x, float *y, float lo, float hi, int n)
{
        int i = 2 * blockIdx.x * blockDim.x + threadIdx.x;
        int j = i + blockDim.x;
        if (i < n)
                y[i] = limit(x[i], lo, hi);
        if (j < n)
                y[j] = limit(x[j], lo, hi);
}

extern "C" void launch(const float *x,  // [n]
                       float *y,        // [n]
                       float lo, float hi, int n, int block_size = 256,
                       cudaStream_t stream = 0)
{
        int of_a_block = 2 * block_size;
        int blocks = (n + of_a_block - 1) / of_a_block;
        clamp_two<<<blocks, block_size, 0, stream>>>(x, y, lo, hi, n);
}
"""
)

# SiLU of bfloat16, computed in float.
SILU = (
    HEADER
    + """\
using bf16 = __nv_bfloat16;

__device__ __forceinline__ float silu(float v) {
  return v / (1.0f + expf(-v));
}

__global__ void silu_kernel(const bf16* __restrict__ x, bf16* __restrict__ y, int64_t n) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  y[i] = __float2bfloat16(silu(__bfloat162float(x[i])));
}

extern "C" void launch(const __nv_bfloat16* x,  // [n]
                       __nv_bfloat16* y,        // [n]
                       int64_t n, int block_size = 256, cudaStream_t stream = 0) {
  const int64_t grid = (n + block_size - 1) / block_size;
  silu_kernel<<<static_cast<unsigned>(grid), block_size, 0, stream>>>(x, y, n);
}
"""
)

# Leaky ReLU of doubles, in a grid of rows of 64 blocks.
LEAKY = (
    HEADER
    + """\
#define THREADS 128
#define ACROSS 64

__global__ void leaky_relu(const double *x, double *y, double slope, int n)
{
    int block = blockIdx.y * gridDim.x + blockIdx.x;
    int i = block * THREADS + threadIdx.x;
    if (i < n) {
        double v = x[i];
        y[i] = v > 0.0 ? v : slope * v;
    }
}

extern "C" void launch(const double *x,  // [n]
                       double *y,        // [n]
                       double slope, int n, cudaStream_t stream = 0)
{
    int blocks = (n + THREADS - 1) / THREADS;
    int down = (blocks + ACROSS - 1) / ACROSS;
    dim3 grid(blocks < ACROSS ? blocks : ACROSS, down);
    leaky_relu<<<grid, THREADS, 0, stream>>>(x, y, slope, n);
}
"""
)

# How many numbers are above a threshold: of a block in shared memory, then of all.
COUNT = (
    HEADER
    + """\
__global__ void count_above(const float* x, int* out, float threshold, int n) {
  __shared__ int local;
  if (threadIdx.x == 0) local = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    if (x[i] > threshold) atomicAdd(&local, 1);
  }
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(out, local);
}

extern "C" void launch(const float* x,  // [n]
                       int* out,        // [1]
                       float threshold, int n, int block_size = 128,
                       cudaStream_t stream = 0) {
  int blocks = (n + block_size - 1) / block_size;
  if (blocks > 12) blocks = 12;
  cudaMemsetAsync(out, 0, sizeof(int), stream);
  count_above<<<blocks, block_size, 0, stream>>>(x, out, threshold, n);
}
"""
)

# The smallest of each row, a block a row, by a tree; a NaN stays.
ROWMIN = (
    HEADER
    + """\
__device__ float smaller(float a, float b)
{
    return a < b || isnan(a) ? a : b;
}

__global__ void row_min(const float *x, float *out, int cols)
{
    extern __shared__ float buf[];
    const int t = threadIdx.x;
    const float *row = x + (size_t)blockIdx.x * cols;
    float least = INFINITY;
    for (int c = t; c < cols; c += blockDim.x)
        least = smaller(least, row[c]);
    buf[t] = least;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (t < s)
            buf[t] = smaller(buf[t], buf[t + s]);
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = buf[0];
}

extern "C" void launch(const float *x,  // [rows, cols]
                       float *out,      // [rows]
                       int rows, int cols, int block_size = 128, cudaStream_t stream = 0)
{
    size_t bytes = block_size * sizeof(float);
    row_min<<<rows, block_size, bytes, stream>>>(x, out, cols);
}
"""
)

# The sum of each column: of bands of rows first, then of the bands.
COLSUM = (
    HEADER
    + """\
const int BAND = 64;  // rows
const int T = 64;

__global__ void sumBands(const float* x, float* part, int rows, int cols) {
    int c = blockIdx.x * T + threadIdx.x;
    if (c >= cols) return;
    int first = blockIdx.y * BAND;
    int last = min(first + BAND, rows);
    float sum = 0.0f;
    for (int r = first; r < last; ++r) sum += x[r * cols + c];
    part[blockIdx.y * cols + c] = sum;
}

__global__ void addBands(const float* part, float* y, int bands, int cols) {
    int c = blockIdx.x * T + threadIdx.x;
    if (c >= cols) return;
    float sum = 0.0f;
    for (int b = 0; b < bands; ++b) sum += part[b * cols + c];
    y[c] = sum;
}

extern "C" void launch(const float* x,  // [rows, cols]
                       float* y,        // [cols]
                       int rows, int cols, cudaStream_t stream = 0) {
    int across = (cols + T - 1) / T;
    int bands = (rows + BAND - 1) / BAND;
    float* part = nullptr;
    cudaMallocAsync((void**)&part, sizeof(float) * bands * cols, stream);
    sumBands<<<dim3(across, bands), T, 0, stream>>>(x, part, rows, cols);
    addBands<<<across, T, 0, stream>>>(part, y, bands, cols);
    cudaFreeAsync(part, stream);
}
"""
)

# Log-softmax of each row, a warp a row, four rows a block.
LSM = (
    HEADER
    + """\
#define FULL 0xffffffffu

__global__ void log_softmax(const float *in, float *out, int rows, int cols)
{
        const int lane = threadIdx.x & 31;
        const int row = 4 * blockIdx.x + (threadIdx.x >> 5);
        if (row >= rows)
                return;
        const float *x = in + (size_t)row * cols;
        float *y = out + (size_t)row * cols;

        float m = -INFINITY;
        for (int c = lane; c < cols; c += 32)
                m = fmaxf(m, x[c]);
        for (int d = 16; d > 0; d >>= 1)
                m = fmaxf(m, __shfl_xor_sync(FULL, m, d));

        float sum = 0.0f;
        for (int c = lane; c < cols; c += 32)
                sum += expf(x[c] - m);
        for (int k = 16; k > 0; k >>= 1)
                sum += __shfl_xor_sync(FULL, sum, k);

        const float log_sum = logf(sum);
        for (int c = lane; c < cols; c += 32)
                y[c] = x[c] - m - log_sum;
}

extern "C" void launch(const float *in,  // [rows, cols]
                       float *out,       // [rows, cols]
                       int rows, int cols, cudaStream_t stream = 0)
{
        log_softmax<<<(rows + 3) / 4, 128, 0, stream>>>(in, out, rows, cols);
}
"""
)

# Layer norm with weight and bias, a block a row.
NORM = (
    HEADER
    + """\
__device__ float block_sum(float v) {
  __shared__ float of_warp[32];
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
  __syncthreads();  // an earlier sum may still be read
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = v;
  __syncthreads();
  float total = 0.0f;
  for (int w = 0; w < blockDim.x / 32; w++) total += of_warp[w];
  return total;
}

__global__ void layer_norm(const float* x, const float* weight, const float* bias, float* y,
                           float eps, int cols) {
  const float* row = x + (size_t)blockIdx.x * cols;
  float* to = y + (size_t)blockIdx.x * cols;

  float sum = 0.0f;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) sum += row[c];
  float mean = block_sum(sum) / cols;

  float squares = 0.0f;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) {
    float d = row[c] - mean;
    squares += d * d;
  }
  float variance = block_sum(squares) / cols;
  float inverse = rsqrtf(variance + eps);

  for (int c = threadIdx.x; c < cols; c += blockDim.x) {
    to[c] = (row[c] - mean) * inverse * weight[c] + bias[c];
  }
}

extern "C" void launch(const float* x,       // [rows, cols]
                       const float* weight,  // [cols]
                       const float* bias,    // [cols]
                       float* y,             // [rows, cols]
                       float eps, int rows, int cols, int block_size = 128,
                       cudaStream_t stream = 0) {
  layer_norm<<<rows, block_size, 0, stream>>>(x, weight, bias, y, eps, cols);
}
"""
)

# Transpose of doubles by tiles of 16 in shared memory.
TURN = (
    HEADER
    + """\
#define TILE 16

__global__ void transpose16(const double *in, double *out, int rows, int cols)
{
    __shared__ double tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    if (x < cols && y < rows)
        tile[threadIdx.y][threadIdx.x] = in[(size_t)y * cols + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    if (x < rows && y < cols)
        out[(size_t)y * rows + x] = tile[threadIdx.x][threadIdx.y];
}

extern "C" void launch(const double *in,  // [rows, cols]
                       double *out,       // [cols, rows]
                       int rows, int cols, cudaStream_t stream = 0)
{
    dim3 block(TILE, TILE);
    dim3 grid((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
    transpose16<<<grid, block, 0, stream>>>(in, out, rows, cols);
}
"""
)

# Matrix times vector, a warp a row.
MATVEC = (
    HEADER
    + """\
__global__ void matvec(const float* A, const float* x, float* y, int m, int k) {
    const int lane = threadIdx.x % 32;
    const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    if (row < m) {
        const float* a = A + (size_t)row * k;
        float sum = 0.0f;
        for (int j = lane; j < k; j += 32) {
            sum += a[j] * x[j];
        }
        for (int step = 16; step > 0; step /= 2) {
            sum += __shfl_down_sync(0xffffffff, sum, step);
        }
        if (lane == 0) y[row] = sum;
    }
}

extern "C" void launch(const float* A,  // [m, k]
                       const float* x,  // [k]
                       float* y,        // [m]
                       int m, int k, int block_size = 256, cudaStream_t stream = 0) {
    const int warps = block_size / 32;
    const int blocks = (m + warps - 1) / warps;
    matvec<<<blocks, block_size, 0, stream>>>(A, x, y, m, k);
}
"""
)

# The transpose of A times B, in tiles of 16.
ATB = (
    HEADER
    + """\
#define TS 16

__global__ void atb(const float *A, const float *B, float *C, int m, int n, int k)
{
        __shared__ float ta[TS][TS];
        __shared__ float tb[TS][TS];
        int tx = threadIdx.x, ty = threadIdx.y;
        int row = blockIdx.y * TS + ty;
        int col = blockIdx.x * TS + tx;
        int acol = blockIdx.y * TS + tx;
        float acc = 0.0f;
        for (int p0 = 0; p0 < k; p0 += TS) {
                int p = p0 + ty;
                ta[ty][tx] = p < k && acol < m ? A[p * m + acol] : 0.0f;
                tb[ty][tx] = p < k && col < n ? B[p * n + col] : 0.0f;
                __syncthreads();
                for (int h = 0; h < TS; h++)
                        acc += ta[h][ty] * tb[h][tx];
                __syncthreads();
        }
        if (row < m && col < n)
                C[row * n + col] = acc;
}

extern "C" void launch(const float *A,  // [k, m]
                       const float *B,  // [k, n]
                       float *C,        // [m, n]
                       int m, int n, int k, cudaStream_t stream = 0)
{
        dim3 threads(TS, TS);
        dim3 blocks((n + TS - 1) / TS, (m + TS - 1) / TS);
        atb<<<blocks, threads, 0, stream>>>(A, B, C, m, n, k);
}
"""
)

NAN, INF = float("nan"), float("inf")
LENGTHS = (*range(1, 67), 95, 127, 128, 129, 191, 255, 256, 257, 385, 511, 512, 513, 1000)
LENGTHS += (1023, 1025, 1537, 2049, 4099, 8191, 8193, 10_241, 40_003)
SIDES = ((1, 1), (2, 1), (1, 2), (2, 3), (4, 31), (5, 32), (7, 33), (33, 7), (3, 64), (65, 2))
SIDES += ((8, 70), (70, 1), (2, 1000), (1, 2049), (64, 65), (129, 6), (40, 50), (32, 32))
SIDES += ((300, 2), (3, 129), (6, 128), (5, 63), (66, 66), (16, 16), (17, 15), (2, 257))
SIDES += ((1000, 3), (2049, 1), (15, 49), (49, 15), (130, 5), (200, 131))
FLOAT, DOUBLE, WHOLE = (torch.float32,), (torch.float64,), (torch.int32,)


def _matrix(rows: int, cols: int, limit: int, seed: int) -> torch.Tensor:
    x = whole(-limit, limit + 1, rows * cols, rows + seed)
    return x.reshape(rows, cols).double()


def sums_of_three(launcher: Launcher) -> Iterator[Case]:
    """Add whole numbers, so that all is exact: usual, infinities, NaN; other starts."""
    steps = least_starts(launcher)
    for n in LENGTHS:
        a, b, c = (whole(-9999, 10_000, n, n + k).double() for k in range(3))
        j = torch.arange(n)
        for label, p, q, r in (
            ("usual", a, b, c),
            ("small", a / 4096, b / 4096, c / 4096),
            (
                "infinities",
                torch.where(j % 5 == 1, INF, a),
                b,
                torch.where(j % 3 == 1, -INF, c),
            ),
            ("NaN", a, torch.where(j % 3 == 2, NAN, b), c),
        ):
            inputs = tuple(v.float() for v in (p, q, r))
            options = {"dtypes": FLOAT, "quick": n > 5000}
            yield Case(f"n = {n:,}, {label}", inputs, (p + q + r,), **options)
        if n in (1, 6, 35, 257, 1025):
            inputs = tuple(v.float() for v in (a, b, c))
            for offset in (steps, tuple((k + 1) * step for k, step in enumerate(steps))):
                words = f"n = {n:,}, starting {offset} elements into a buffer"
                yield Case(words, inputs, (a + b + c,), dtypes=FLOAT, offset=offset)


def clamps(launcher: Launcher) -> Iterator[Case]:
    """Limit numbers: usual, halves, one value, crossed limits, infinities, NaN; slices."""
    for n in LENGTHS:
        x, j = whole(-999, 1000, n, n).double() / 8, torch.arange(n)
        for label, v, lo, hi in (
            ("usual", x, -20.0, 50.0),
            ("small", x / 256, -0.125, 0.25),
            ("one value", x, 3.5, 3.5),
            ("crossed limits", x, 10.25, -10.25),
            ("no upper limit", torch.where(j % 3 == 1, INF, x), 1.5, INF),
            ("infinities", torch.where(j % 3 == 1, -INF, x), -7.75, 60.0),
            ("NaN", torch.where(j % 3 == 2, NAN, x), -40.0, 40.0),
        ):
            least = torch.where(v < lo, lo, v)
            right = torch.where(least > hi, hi, least)
            for block_size in (256, 64, 512):
                scalars = {"lo": lo, "hi": hi, "block_size": block_size}
                options = {"dtypes": FLOAT, "quick": n > 5000}
                words = f"n = {n:,}, {scalars}, {label}"
                yield Case(words, (v.float(),), (right,), scalars, **options)
            if n in (7, 129, 1000) and label == "usual":
                for offset in ((1, 2), (3, 1)):
                    words = f"n = {n:,}, slices from {offset}"
                    more = {"dtypes": FLOAT, "offset": offset}
                    yield Case(words, (v.float(),), (right,), {"lo": lo, "hi": hi}, **more)


def leaks(launcher: Launcher) -> Iterator[Case]:
    """Apply leaky ReLU: usual, fractions, infinities, NaN; slopes of every kind."""
    for n in LENGTHS:
        x, j = whole(-999, 1000, n, n).double(), torch.arange(n)
        for label, v, slope in (
            ("usual", x, 0.01),
            ("fractions", x / 512 + 2.0**-12, 0.2),
            ("steep", x / 16 + 2.0**-12, 1.7),
            ("downwards", x, -0.3),
            ("infinities", torch.where(j % 3 == 1, -INF, x), 0.01),
            ("NaN", torch.where(j % 3 == 2, NAN, x), 0.1),
        ):
            right = torch.where(v > 0, v, slope * v)
            words = f"n = {n:,}, slope = {slope}, {label}"
            options = {"dtypes": DOUBLE, "quick": n > 5000}
            yield Case(words, (v,), (right,), {"slope": slope}, **options)


def counts(launcher: Launcher) -> Iterator[Case]:
    """Count: any, few values with equal ones, all, none, one at an end, infinities, NaN."""
    for n in LENGTHS:
        x, j = whole(-99, 100, n, n).double(), torch.arange(n)
        for label, v, threshold in (
            ("any", x, 10.0),
            ("few values", x % 3, 1.0),
            ("all", x.abs(), -1.0),
            ("none", x, 200.0),
            ("the last alone", torch.where(j == n - 1, 500.0, x), 200.0),
            ("the first alone", torch.where(j == 0, 500.0, x), 200.0),
            ("infinities", torch.where(j % 3 == 1, INF, torch.where(j % 3 == 2, -INF, x)), 0.0),
            ("NaN", torch.where(j % 4 == 1, NAN, x), -20.5),
        ):
            right = (v > threshold).sum().reshape(1)
            for block_size in (128, 256):
                scalars = {"threshold": threshold, "block_size": block_size}
                words = f"n = {n:,}, {scalars}, {label}"
                options = {"dtypes": WHOLE, "quick": n > 5000}
                yield Case(words, (v.float(),), (right,), scalars, **options)


def row_minima(launcher: Launcher) -> Iterator[Case]:
    """Look for minima: any, above and below 0, at either end, large, infinities, a NaN."""
    for rows, cols in SIDES:
        x, c = _matrix(rows, cols, 999, cols), torch.arange(cols)
        for label, y in (
            ("any", x),
            ("above 0", x.abs() + 1),
            ("below 0", -x.abs() - 1),
            ("the first", torch.where(c == 0, -2000.0, x)),
            ("the last", torch.where(c == cols - 1, -2000.0, x)),
            ("rising", x * 0 + c + 1),
            ("infinities", x * 0 + INF),
            ("-infinity", torch.where(c == cols // 2, -INF, x)),
            ("NaN", torch.where((c == cols // 2) & (x > 0), NAN, x)),
        ):
            v = y.float()
            for block_size in (128, 32):
                words = f"rows = {rows:,}, cols = {cols:,}, block_size = {block_size}, {label}"
                right, scalars = (v.double().amin(1),), {"block_size": block_size}
                yield Case(words, (v,), right, scalars, dtypes=FLOAT)


def column_sums(launcher: Launcher) -> Iterator[Case]:
    """Add whole numbers, so that all is exact: any, fractions, a row, infinities, a NaN."""
    for rows, cols in SIDES:
        x, r = _matrix(rows, cols, 99, cols), torch.arange(rows)[:, None]
        for label, y in (
            ("any", x),
            ("fractions", x / 64),
            ("ones", x * 0 + 1),
            ("the last row alone", torch.where(r == rows - 1, x, 0.0)),
            ("the first row alone", torch.where(r == 0, x, 0.0)),
            ("infinities", torch.where(r == rows // 2, INF, x)),
            ("NaN", torch.where((r == rows // 2) & (x > 0), NAN, x)),
        ):
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y.float(),), (y.sum(0) + 0.0,), dtypes=FLOAT)


def log_softmaxes(launcher: Launcher) -> Iterator[Case]:
    """Take log-softmax: any, equal, far from 0, wide, rising, a mask, a NaN."""
    for rows, cols in SIDES:
        x, c = _matrix(rows, cols, 80, cols) / 8, torch.arange(cols)
        for label, y in (
            ("any", x),
            ("equal", x * 0 + 3),
            ("far above 0", x + 1000),
            ("far below 0", x - 1000),
            ("wide", x * 16),
            ("rising", x * 0 + c / 8),
            ("a mask", torch.where((c % 3 == 1) & (c > 0), -INF, x)),
            ("NaN", torch.where(c == cols // 2, NAN, x)),
        ):
            right = y.log_softmax(1)
            slack = ((2.0**-19 * (1 + right.abs())).nan_to_num(0.0, 0.0),)
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y.float(),), (right,), dtypes=FLOAT, within=slack)


def layer_norms(launcher: Launcher) -> Iterator[Case]:
    """Norm whole numbers: any, plain, far from 0, small, equal, one apart, a NaN."""
    for rows, cols in SIDES:
        x, c = _matrix(rows, cols, 50, cols), torch.arange(cols)
        weight, bias = (whole(-16, 17, cols, cols + k).double() / 8 for k in range(2))
        for label, y, w, b, eps in (
            ("any", x, weight, bias, 2.0**-10),
            ("plain", x, weight * 0 + 1, bias * 0, 2.0**-16),
            ("far from 0", x + 4096, weight, bias, 2.0**-10),
            ("small", x / 64, weight, bias, 0.25),
            ("equal", x * 0 + 7, weight, bias, 0.5),
            ("one apart", torch.where(c == cols // 3, 90.0, x * 0 + 1), weight, bias, 0.125),
            ("NaN", torch.where((x % 9 == 4) & (c == cols // 2), NAN, x), weight, bias, 1.0),
        ):
            mean = y.mean(1, keepdim=True)
            inverse = 1 / (((y - mean) ** 2).mean(1, keepdim=True) + eps).sqrt()
            scaled = (y - mean) * inverse * w
            slack = 2.0**-18 * (1 + scaled.abs() + b.abs())
            slack = (slack + 2.0**-21 * mean.abs() * inverse * w.abs()).nan_to_num(0.0)
            inputs = (y.float(), w.float(), b.float())
            for block_size in (128, 64):
                scalars = {"eps": eps, "block_size": block_size}
                words = f"rows = {rows:,}, cols = {cols:,}, {scalars}, {label}"
                right = (scaled + b,)
                yield Case(words, inputs, right, scalars, dtypes=FLOAT, within=(slack,))


def turns(launcher: Launcher) -> Iterator[Case]:
    """Transpose: long, thin, odd and square shapes, fine fractions, strange values."""
    for rows, cols in (*SIDES, (1, 30_011), (30_011, 1), (600, 130)):
        x = _matrix(rows, cols, 99_999, cols)
        for label, y in (
            ("any", x),
            ("fine", x + 2.0**-30),
            ("counted", torch.arange(rows * cols).reshape(rows, cols) + 0.5),
            ("strange", torch.where(x % 5 == 1, NAN, torch.where(x % 5 == 2, -INF, -0.0))),
        ):
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            options = {"dtypes": DOUBLE, "quick": x.numel() > 5000}
            yield Case(words, (y.double(),), (y.double().T.contiguous(),), **options)


def vector_products(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole numbers, so that all is exact: any, ones, zeros, the last, inf, NaN."""
    for m, k in SIDES:
        a, x = _matrix(m, k, 30, k), whole(-30, 31, k, k + 7).double()
        j = torch.arange(k)
        for label, p, q in (
            ("any", a, x),
            ("ones", a * 0 + 1, x * 0 + 1),
            ("the last column alone", torch.where(j == k - 1, a, 0.0), x.abs() + 1),
            ("many zeros in x", a, torch.where(j % 3 == 0, x, 0.0)),
            ("infinity", torch.where(j == k // 2, INF, a), x),
            ("infinity against 0", torch.where(j == k // 2, INF, a), torch.zeros_like(x)),
            ("NaN", torch.where((j == k // 2) & (a > 0), NAN, a), x),
        ):
            inputs, right = (p.float(), q.float()), (p @ q + 0.0,)
            for block_size in (256, 64):
                words = f"m = {m:,}, k = {k:,}, block_size = {block_size}, {label}"
                yield Case(words, inputs, right, {"block_size": block_size}, dtypes=FLOAT)


def turned_products(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole numbers, so that all is exact: any, ones, counted, the last, NaN."""
    sides = ((1, 1, 1), (1, 2, 3), (2, 1, 40), (3, 5, 7), (16, 16, 16), (17, 15, 33))
    sides += ((15, 17, 65), (5, 40, 1), (40, 5, 2), (33, 31, 20), (1, 70, 31), (70, 1, 32))
    sides += ((20, 65, 48), (65, 20, 5), (3, 2, 1000), (2, 3, 300), (32, 32, 32), (260, 2, 17))
    for m, n, k in (*sides, *((9, 7, k) for k in range(2, 64, 3))):
        a, b = _matrix(k, m, 20, m), _matrix(k, n, 20, n + 5)
        h = torch.arange(k)[:, None]
        for label, p, q in (
            ("any", a, b),
            ("ones", a * 0 + 1, b * 0 + 1),
            ("counted", a * 0 + torch.arange(m) + 1, b * 0 + torch.arange(n) + 1),
            ("the last alone", torch.where(h == k - 1, a, 0.0), b.abs() + 1),
            ("NaN in a column", torch.where(torch.arange(m) == m // 2, NAN, a), b),
            ("infinity", a, torch.where((torch.arange(n) == n // 2) & (h == k // 2), INF, b)),
        ):
            words = f"m = {m}, n = {n}, k = {k}, {label}"
            yield Case(words, (p.float(), q.float()), (p.T @ q + 0.0,), dtypes=FLOAT)


BASES = {
    "hundredsixteen_add3": Base(ADD3, {"cases": sums_of_three}),
    "hundredsixteen_cast": Base(CAST, {"reference": "cast"}),
    "hundredsixteen_half": Base(HALF, {"reference": "cast"}),
    "hundredsixteen_clamp": Base(CLAMP, {"cases": clamps}),
    "hundredsixteen_silu": Base(SILU, {"reference": torch.nn.functional.silu, "ulp": 1}),
    "hundredsixteen_leaky": Base(LEAKY, {"cases": leaks}),
    "hundredsixteen_count": Base(COUNT, {"cases": counts}),
    "hundredsixteen_rowmin": Base(ROWMIN, {"cases": row_minima}),
    "hundredsixteen_colsum": Base(COLSUM, {"cases": column_sums}),
    "hundredsixteen_lsm": Base(LSM, {"cases": log_softmaxes}),
    "hundredsixteen_norm": Base(NORM, {"cases": layer_norms}),
    "hundredsixteen_turn": Base(TURN, {"cases": turns}),
    "hundredsixteen_matvec": Base(MATVEC, {"cases": vector_products}),
    "hundredsixteen_atb": Base(ATB, {"cases": turned_products}),
}

WRONG = (
    # ---- add3
    # Fewer than four numbers are none at all.
    Wrong(
        "hundredsixteen_add3_none_below_4",
        "hundredsixteen_add3",
        "tail / unwritten | left out",
        ("  int n4 = n / 4;\n", "  int n4 = n / 4;\n  if (n4 == 0) return;\n"),
    ),
    # The last of four gets the third of c.
    Wrong(
        "hundredsixteen_add3_w_takes_z_of_c",
        "hundredsixteen_add3",
        "other element / neighbour | numbers / left out / function",
        ("p.w + q.w + r.w)", "p.w + q.w + r.z)"),
    ),
    # The kernel of the rest is given no stream.
    Wrong(
        "hundredsixteen_add3_rest_no_stream",
        "hundredsixteen_add3",
        "stream | tail",
        ("<<<1, 32, 0, stream>>>", "<<<1, 32>>>"),
    ),
    # The number of packs is that of the first call.
    Wrong(
        "hundredsixteen_add3_packs_kept",
        "hundredsixteen_add3",
        "state | unwritten / left out / tail / bounds / grid",
        ("  int n4 = n / 4;", "  static int n4 = n / 4;"),
    ),
    # Nothing is promised of the start of c.
    Wrong(
        "hundredsixteen_add3_c_not_promised",
        "hundredsixteen_add3",
        "alignment",
        ("float* c,  // [n] 16-byte aligned", "float* c,  // [n]"),
    ),
    # ---- cast
    # The number of a thread has 16 bits.
    Wrong(
        "hundredsixteen_cast_thread_of_16_bits",
        "hundredsixteen_cast",
        "narrow / whole range / unwritten | left out / twice / grid",
        (
            "const int64_t tid = (int64_t)blockIdx.x",
            "const unsigned short tid = (int64_t)blockIdx.x",
        ),
    ),
    # What a float cannot hold is rounded towards 0.
    Wrong(
        "hundredsixteen_cast_towards_0",
        "hundredsixteen_cast",
        "rounding | precision / numbers / narrow",
        ("(float)src[i]", "__int2float_rz(src[i])"),
    ),
    # Integers lose their sign.
    Wrong(
        "hundredsixteen_cast_unsigned",
        "hundredsixteen_cast",
        "whole range / numbers | function",
        ("(float)src[i]", "(float)(unsigned)src[i]"),
    ),
    # A round is as long as a block.
    Wrong(
        "hundredsixteen_cast_round_of_a_block",
        "hundredsixteen_cast",
        "grid / unwritten | left out / tail / block size / twice",
        ("= r * total + tid;", "= r * blockDim.x + tid;"),
    ),
    # The rounds are rounded down.
    Wrong(
        "hundredsixteen_cast_rounds_down",
        "hundredsixteen_cast",
        "tail / unwritten / grid | left out",
        ("(n + in_a_round - 1) / in_a_round;", "n / in_a_round;"),
    ),
    # ---- half
    # What is too large becomes the largest half.
    Wrong(
        "hundredsixteen_half_no_infinity",
        "hundredsixteen_half",
        "infinity | numbers / whole range",
        (
            "    const float2 v = in[i];\n",
            "    float2 v = in[i];\n"
            "    v.x = v.x > 65504.0f ? 65504.0f : v.x < -65504.0f ? -65504.0f : v.x;\n"
            "    v.y = v.y > 65504.0f ? 65504.0f : v.y < -65504.0f ? -65504.0f : v.y;\n",
        ),
        (
            "    out[i] = __float2half(in[i]);\n",
            "    const float v = in[i];\n"
            "    const float w = v > 65504.0f ? 65504.0f : v;\n"
            "    out[i] = __float2half(w < -65504.0f ? -65504.0f : w);\n",
        ),
    ),
    # The two of a pair change places.
    Wrong(
        "hundredsixteen_half_y_before_x",
        "hundredsixteen_half",
        "swapped / neighbour / other element | alignment / numbers",
        ("__floats2half2_rn(v.x, v.y)", "__floats2half2_rn(v.y, v.x)"),
    ),
    # One of the addresses is enough.
    Wrong(
        "hundredsixteen_half_either_aligned",
        "hundredsixteen_half",
        "alignment",
        ("inAligned && outAligned", "inAligned || outAligned"),
    ),
    # The rest is given one block, and is all of it at some addresses.
    Wrong(
        "hundredsixteen_half_one_block_of_rest",
        "hundredsixteen_half",
        "unwritten / grid / alignment | left out / tail",
        ("<<<(rest + T - 1) / T, T", "<<<1, T"),
    ),
    # There are blocks as if each thread took two pairs.
    Wrong(
        "hundredsixteen_half_blocks_for_half",
        "hundredsixteen_half",
        "grid / unwritten | left out / tail / alignment",
        ("<<<(pairs + T - 1) / T, T", "<<<(pairs + 2 * T - 1) / (2 * T), T"),
    ),
    # ---- clamp
    # A NaN becomes a limit.
    Wrong(
        "hundredsixteen_clamp_nan_limited",
        "hundredsixteen_clamp",
        "nan",
        (
            "        v = v < lo ? lo : v;\n        return v > hi ? hi : v;\n",
            "        return fminf(fmaxf(v, lo), hi);\n",
        ),
    ),
    # The second element is not tested.
    Wrong(
        "hundredsixteen_clamp_second_not_tested",
        "hundredsixteen_clamp",
        "bounds | tail",
        (
            "        if (j < n)\n                y[j]",
            "        if (i < n)\n                y[j]",
        ),
    ),
    # Of crossed limits the lower one is taken.
    Wrong(
        "hundredsixteen_clamp_hi_before_lo",
        "hundredsixteen_clamp",
        "function / swapped / numbers",
        ("v = v < lo ? lo : v;", "v = v > hi ? hi : v;"),
        ("return v > hi ? hi : v;", "return v < lo ? lo : v;"),
    ),
    # The limits arrive as integers.
    Wrong(
        "hundredsixteen_clamp_whole_limits",
        "hundredsixteen_clamp",
        "rounding / precision | numbers / function / whole range / infinity",
        ("float *y, float lo, float hi, int n)\n{", "float *y, int lo, int hi, int n)\n{"),
    ),
    # There are blocks as for 256 threads each.
    Wrong(
        "hundredsixteen_clamp_blocks_as_of_256",
        "hundredsixteen_clamp",
        "block size / grid / unwritten | left out / tail",
        ("(n + of_a_block - 1) / of_a_block", "(n + 511) / 512"),
    ),
    # ---- silu
    # By tanh, which is -1 long before the sigmoid is 0.
    Wrong(
        "hundredsixteen_silu_by_tanh",
        "hundredsixteen_silu",
        "precision | numbers / function / subnormal / rounding",
        ("v / (1.0f + expf(-v))", "v * (0.5f + 0.5f * tanhf(0.5f * v))"),
    ),
    # Infinity over infinity.
    Wrong(
        "hundredsixteen_silu_exp_over_exp",
        "hundredsixteen_silu",
        "infinity / nan | numbers / function",
        ("v / (1.0f + expf(-v))", "v * (expf(v) / (1.0f + expf(v)))"),
    ),
    # The quotient is rounded down before it is rounded up.
    Wrong(
        "hundredsixteen_silu_ceil_of_integers",
        "hundredsixteen_silu",
        "tail / grid / unwritten / refused | left out",
        ("(n + block_size - 1) / block_size", "ceil(n / block_size)"),
    ),
    # The exponent has the other sign.
    Wrong(
        "hundredsixteen_silu_exp_of_plus_v",
        "hundredsixteen_silu",
        "function | numbers / infinity / nan",
        ("expf(-v)", "expf(v)"),
    ),
    # The kernel promises blocks of 256 threads at most.
    Wrong(
        "hundredsixteen_silu_bounds_of_256",
        "hundredsixteen_silu",
        "refused / block size | unwritten",
        ("__global__ void silu_kernel(", "__global__ void __launch_bounds__(256) silu_kernel("),
    ),
    # ---- leaky
    # The slope is a float on its way.
    Wrong(
        "hundredsixteen_leaky_float_slope",
        "hundredsixteen_leaky",
        "precision / rounding | numbers / function",
        ("double *y, double slope, int n)\n{", "double *y, float slope, int n)\n{"),
    ),
    # A number is compared with the slope.
    Wrong(
        "hundredsixteen_leaky_above_slope",
        "hundredsixteen_leaky",
        "function / numbers",
        ("v > 0.0 ?", "v > slope ?"),
    ),
    # What is above 0 is left as it is, as if y held x.
    Wrong(
        "hundredsixteen_leaky_negative_alone",
        "hundredsixteen_leaky",
        "unwritten | left out / numbers / nan",
        ("        y[i] = v > 0.0 ? v : slope * v;", "        if (v < 0.0) y[i] = slope * v;"),
    ),
    # A row of blocks is as long as a block.
    Wrong(
        "hundredsixteen_leaky_row_of_threads",
        "hundredsixteen_leaky",
        "grid / unwritten / block size | left out / tail / swapped",
        ("blockIdx.y * gridDim.x", "blockIdx.y * blockDim.x"),
    ),
    # One more than there are.
    Wrong(
        "hundredsixteen_leaky_n_is_an_index",
        "hundredsixteen_leaky",
        "bounds / tail",
        ("if (i < n) {", "if (i <= n) {"),
    ),
    # ---- count
    # Some count before the count is set.
    Wrong(
        "hundredsixteen_count_set_too_late",
        "hundredsixteen_count",
        "race | left out / numbers / start / unwritten / zero before",
        ("local = 0;\n  __syncthreads();\n", "local = 0;\n"),
    ),
    # The result is cleared on another stream.
    Wrong(
        "hundredsixteen_count_cleared_elsewhere",
        "hundredsixteen_count",
        "stream | zero before / race",
        (
            "cudaMemsetAsync(out, 0, sizeof(int), stream);",
            "cudaMemset(out, 0, sizeof(int));",
        ),
    ),
    # The result is cleared in the first call.
    Wrong(
        "hundredsixteen_count_cleared_once",
        "hundredsixteen_count",
        "state / zero before | unwritten",
        (
            "  cudaMemsetAsync(out, 0, sizeof(int), stream);\n",
            "  static bool cleared = false;\n"
            "  if (!cleared) cudaMemsetAsync(out, 0, sizeof(int), stream);\n"
            "  cleared = true;\n",
        ),
    ),
    # A NaN is not below.
    Wrong(
        "hundredsixteen_count_nan_counts",
        "hundredsixteen_count",
        "nan | numbers",
        ("if (x[i] > threshold)", "if (!(x[i] <= threshold))"),
    ),
    # Each thread looks at one number.
    Wrong(
        "hundredsixteen_count_one_a_thread",
        "hundredsixteen_count",
        "left out / grid | numbers / tail",
        (
            "for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; "
            "i += gridDim.x * blockDim.x) {\n    if (x[i]",
            "int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) {\n    if (x[i]",
        ),
    ),
    # ---- rowmin
    # The last step of the tree is not made.
    Wrong(
        "hundredsixteen_rowmin_tree_stops_at_2",
        "hundredsixteen_rowmin",
        "left out | numbers / other element / nan / infinity",
        ("s > 0; s >>= 1", "s > 1; s >>= 1"),
    ),
    # The start is the largest finite number.
    Wrong(
        "hundredsixteen_rowmin_from_flt_max",
        "hundredsixteen_rowmin",
        "start / infinity | numbers",
        ("float least = INFINITY;", "float least = FLT_MAX;"),
    ),
    # A row is as long as a block.
    Wrong(
        "hundredsixteen_rowmin_row_of_block",
        "hundredsixteen_rowmin",
        "block size / sides / other element / bounds | numbers / left out",
        ("x + (size_t)blockIdx.x * cols", "x + (size_t)blockIdx.x * blockDim.x"),
    ),
    # Floats are compared as integers.
    Wrong(
        "hundredsixteen_rowmin_as_integers",
        "hundredsixteen_rowmin",
        "numbers / function / other element | nan / whole range / left out / infinity",
        (
            "return a < b || isnan(a) ? a : b;",
            "return __int_as_float(min(__float_as_int(a), __float_as_int(b)));",
        ),
    ),
    # A byte of shared memory for each thread.
    Wrong(
        "hundredsixteen_rowmin_bytes_for_floats",
        "hundredsixteen_rowmin",
        "bounds | block size",
        ("size_t bytes = block_size * sizeof(float);", "size_t bytes = block_size;"),
    ),
    # ---- colsum
    # The parts have the room of the first call.
    Wrong(
        "hundredsixteen_colsum_room_kept",
        "hundredsixteen_colsum",
        "state / bounds | other element / numbers / unwritten",
        (
            "    float* part = nullptr;\n    cudaMallocAsync(",
            "    static float* part = nullptr;\n    if (part == nullptr)\n"
            "        cudaMallocAsync(",
        ),
        ("    cudaFreeAsync(part, stream);\n", ""),
    ),
    # The sum goes on from what y holds.
    Wrong(
        "hundredsixteen_colsum_adds_to_y",
        "hundredsixteen_colsum",
        "zero before | nan / state / unwritten / start",
        ("    y[c] = sum;", "    y[c] += sum;"),
    ),
    # The last band goes on past the last row.
    Wrong(
        "hundredsixteen_colsum_whole_bands",
        "hundredsixteen_colsum",
        "bounds / tail | sides / numbers",
        ("int last = min(first + BAND, rows);", "int last = first + BAND;"),
    ),
    # x is read as if its columns were stored.
    Wrong(
        "hundredsixteen_colsum_by_columns",
        "hundredsixteen_colsum",
        "sides / other element | numbers / swapped / function",
        ("sum += x[r * cols + c]", "sum += x[c * rows + r]"),
    ),
    # The first band is added again and again.
    Wrong(
        "hundredsixteen_colsum_first_band_again",
        "hundredsixteen_colsum",
        "left out / twice / other element | numbers / function",
        ("sum += part[b * cols + c]", "sum += part[c]"),
    ),
    # ---- lsm
    # The logarithm of what has become 0.
    Wrong(
        "hundredsixteen_lsm_log_of_softmax",
        "hundredsixteen_lsm",
        "infinity / precision | subnormal / numbers / function / rounding",
        ("y[c] = x[c] - m - log_sum;", "y[c] = logf(expf(x[c] - m) / sum);"),
        ("        const float log_sum = logf(sum);\n", ""),
    ),
    # The largest is taken away in the sum alone.
    Wrong(
        "hundredsixteen_lsm_largest_stays",
        "hundredsixteen_lsm",
        "function / numbers | left out / precision",
        ("y[c] = x[c] - m - log_sum;", "y[c] = x[c] - log_sum;"),
    ),
    # Shuffles begin with 8.
    Wrong(
        "hundredsixteen_lsm_sum_of_16_lanes",
        "hundredsixteen_lsm",
        "left out | numbers / function / precision / other element",
        ("int k = 16; k > 0", "int k = 8; k > 0"),
    ),
    # One warp more than rows.
    Wrong(
        "hundredsixteen_lsm_one_row_too_many",
        "hundredsixteen_lsm",
        "bounds | tail",
        ("if (row >= rows)", "if (row > rows)"),
    ),
    # The sum is a half.
    Wrong(
        "hundredsixteen_lsm_half_sum",
        "hundredsixteen_lsm",
        "precision / rounding | numbers / narrow",
        ("float sum = 0.0f;", "__half sum = __float2half(0.0f);"),
        ("sum += expf(x[c] - m);", "sum = __float2half(__half2float(sum) + expf(x[c] - m));"),
        (
            "sum += __shfl_xor_sync(FULL, sum, k);",
            "sum = __hadd(sum, __shfl_xor_sync(FULL, sum, k));",
        ),
        ("logf(sum)", "logf(__half2float(sum))"),
    ),
    # ---- norm
    # One less than there are.
    Wrong(
        "hundredsixteen_norm_unbiased",
        "hundredsixteen_norm",
        "function | numbers / nan / precision / infinity",
        ("block_sum(squares) / cols", "block_sum(squares) / (cols - 1)"),
    ),
    # The mean of the squares less the square of the mean.
    Wrong(
        "hundredsixteen_norm_mean_of_squares",
        "hundredsixteen_norm",
        "precision | numbers / nan / rounding / function",
        ("    float d = row[c] - mean;\n", "    float d = row[c];\n"),
        ("block_sum(squares) / cols;", "block_sum(squares) / cols - mean * mean;"),
    ),
    # The second sum is stored while others read the first.
    Wrong(
        "hundredsixteen_norm_no_first_barrier",
        "hundredsixteen_norm",
        "race | numbers / function / precision / left out / other element",
        ("  __syncthreads();  // an earlier sum may still be read\n", ""),
    ),
    # The bias has the index of the thread.
    Wrong(
        "hundredsixteen_norm_bias_of_thread",
        "hundredsixteen_norm",
        "other element / block size | left out / numbers / function",
        ("+ bias[c];", "+ bias[threadIdx.x];"),
    ),
    # The mean is taken away in x itself.
    Wrong(
        "hundredsixteen_norm_centred_in_place",
        "hundredsixteen_norm",
        "input",
        ("layer_norm(const float* x, const", "layer_norm(float* x, const"),
        ("const float* row = x +", "float* row = x +"),
        (
            "    float d = row[c] - mean;\n    squares += d * d;\n",
            "    row[c] -= mean;\n    squares += row[c] * row[c];\n",
        ),
        ("(row[c] - mean) * inverse", "row[c] * inverse"),
        (">>>(x, weight, bias", ">>>((float*)x, weight, bias"),
    ),
    # ---- turn
    # A tile is read before it is full.
    Wrong(
        "hundredsixteen_turn_no_barrier",
        "hundredsixteen_turn",
        "race | unwritten / numbers / nan / other element / left out",
        ("    __syncthreads();\n", ""),
    ),
    # A tile goes where it came from.
    Wrong(
        "hundredsixteen_turn_blocks_stay",
        "hundredsixteen_turn",
        "swapped / sides / other element / unwritten / bounds | left out / tail / grid",
        (
            "    x = blockIdx.y * TILE + threadIdx.x;\n"
            "    y = blockIdx.x * TILE + threadIdx.y;\n",
            "",
        ),
    ),
    # The tile is one of floats.
    Wrong(
        "hundredsixteen_turn_tile_of_floats",
        "hundredsixteen_turn",
        "precision / rounding | numbers",
        ("__shared__ double tile", "__shared__ float tile"),
    ),
    # Threads that have nothing to read leave, and have something to write.
    Wrong(
        "hundredsixteen_turn_readers_leave",
        "hundredsixteen_turn",
        "unwritten / tail / bounds / sides | left out / race",
        (
            "    if (x < cols && y < rows)\n        tile",
            "    if (x >= cols || y >= rows)\n        return;\n    tile",
        ),
    ),
    # Rows of the result are as long as the tiles.
    Wrong(
        "hundredsixteen_turn_rows_of_tiles",
        "hundredsixteen_turn",
        "sides / bounds / other element / unwritten | tail / left out / neighbour / grid",
        ("out[(size_t)y * rows + x]", "out[(size_t)y * (gridDim.y * TILE) + x]"),
    ),
    # ---- matvec
    # All lanes store what they have.
    Wrong(
        "hundredsixteen_matvec_all_lanes_store",
        "hundredsixteen_matvec",
        "race | other element / left out / numbers / twice",
        ("if (lane == 0) y[row] = sum;", "y[row] = sum;"),
    ),
    # There are blocks for a thread a row.
    Wrong(
        "hundredsixteen_matvec_thread_a_row",
        "hundredsixteen_matvec",
        "grid / unwritten | left out / tail / block size",
        ("(m + warps - 1) / warps;", "(m + block_size - 1) / block_size;"),
    ),
    # The mask names half of the lanes.
    Wrong(
        "hundredsixteen_matvec_mask_of_16",
        "hundredsixteen_matvec",
        "race | left out",
        ("__shfl_down_sync(0xffffffff,", "__shfl_down_sync(0xffff,"),
    ),
    # A later warp begins at a later column.
    Wrong(
        "hundredsixteen_matvec_from_thread",
        "hundredsixteen_matvec",
        "left out | numbers / block size / start / other element",
        ("int j = lane; j < k", "int j = threadIdx.x; j < k"),
    ),
    # Zeros are passed over.
    Wrong(
        "hundredsixteen_matvec_no_zeros",
        "hundredsixteen_matvec",
        "nan / infinity | left out / numbers",
        (
            "            sum += a[j] * x[j];",
            "            if (x[j] != 0.0f) sum += a[j] * x[j];",
        ),
    ),
    # ---- atb
    # Rows of A are as long as its columns.
    Wrong(
        "hundredsixteen_atb_pitch_k",
        "hundredsixteen_atb",
        "sides / bounds / other element | numbers",
        ("A[p * m + acol]", "A[p * k + acol]"),
    ),
    # Rows of A are not tested.
    Wrong(
        "hundredsixteen_atb_rows_of_a_not_tested",
        "hundredsixteen_atb",
        "bounds / tail | nan / sides",
        ("p < k && acol < m ?", "acol < m ?"),
    ),
    # What is not loaded stays as it is.
    Wrong(
        "hundredsixteen_atb_tile_not_cleared",
        "hundredsixteen_atb",
        "tail / unwritten | nan / twice / other element / numbers / left out / sides / start",
        (
            "                ta[ty][tx] = p < k && acol < m ? A[p * m + acol] : 0.0f;\n"
            "                tb[ty][tx] = p < k && col < n ? B[p * n + col] : 0.0f;\n",
            "                if (p < k && acol < m)\n"
            "                        ta[ty][tx] = A[p * m + acol];\n"
            "                if (p < k && col < n)\n"
            "                        tb[ty][tx] = B[p * n + col];\n",
        ),
    ),
    # C is stored as its transpose.
    Wrong(
        "hundredsixteen_atb_c_turned",
        "hundredsixteen_atb",
        "swapped / sides / other element | numbers",
        ("C[row * n + col]", "C[col * m + row]"),
    ),
    # Each tile begins at 0.
    Wrong(
        "hundredsixteen_atb_sum_of_last_tile",
        "hundredsixteen_atb",
        "left out / start | numbers",
        (
            "                int p = p0 + ty;\n",
            "                int p = p0 + ty;\n                acc = 0.0f;\n",
        ),
    ),
)

RIGHT = (
    # The kernel of the rest is always launched.
    Right(
        "hundredsixteen_add3_rest_may_be_none",
        "hundredsixteen_add3",
        ("  if (n % 4 != 0) add3_rest<<<1, 32,", "  add3_rest<<<1, 4,"),
    ),
    # Neighbouring elements belong to different blocks.
    Right(
        "hundredsixteen_cast_blocks_in_turn",
        "hundredsixteen_cast",
        (
            "(int64_t)blockIdx.x * blockDim.x + threadIdx.x;",
            "(int64_t)threadIdx.x * gridDim.x + blockIdx.x;",
        ),
    ),
    # A pair is converted at once.
    Right(
        "hundredsixteen_half_float22half2",
        "hundredsixteen_half",
        ("__floats2half2_rn(v.x, v.y)", "__float22half2_rn(v)"),
    ),
    # Functions, and a test for NaN.
    Right(
        "hundredsixteen_clamp_isnan",
        "hundredsixteen_clamp",
        (
            "        v = v < lo ? lo : v;\n        return v > hi ? hi : v;\n",
            "        return isnan(v) ? v : fminf(fmaxf(v, lo), hi);\n",
        ),
    ),
    # The bits of a bfloat16 are the upper ones of a float.
    Right(
        "hundredsixteen_silu_by_bits",
        "hundredsixteen_silu",
        (
            "__bfloat162float(x[i])",
            "__uint_as_float(static_cast<uint32_t>(__bfloat16_as_ushort(x[i])) << 16)",
        ),
    ),
    # A factor for each number.
    Right(
        "hundredsixteen_leaky_factor",
        "hundredsixteen_leaky",
        ("v > 0.0 ? v : slope * v", "v * (v > 0.0 ? 1.0 : slope)"),
    ),
    # Each thread counts for itself first.
    Right(
        "hundredsixteen_count_own_first",
        "hundredsixteen_count",
        ("  for (int i = blockIdx", "  int mine = 0;\n  for (int i = blockIdx"),
        (
            "    if (x[i] > threshold) atomicAdd(&local, 1);\n  }\n",
            "    mine += x[i] > threshold;\n  }\n  if (mine > 0) atomicAdd(&local, mine);\n",
        ),
    ),
    # Rows are read from their end.
    Right(
        "hundredsixteen_rowmin_backwards",
        "hundredsixteen_rowmin",
        (
            "for (int c = t; c < cols; c += blockDim.x)",
            "for (int c = cols - 1 - t; c >= 0; c -= blockDim.x)",
        ),
    ),
    # Bands of seven rows.
    Right(
        "hundredsixteen_colsum_bands_of_7",
        "hundredsixteen_colsum",
        ("BAND = 64;", "BAND = 7;"),
    ),
    # The largest begins with the first.
    Right(
        "hundredsixteen_lsm_from_first",
        "hundredsixteen_lsm",
        ("float m = -INFINITY;", "float m = x[0];"),
    ),
    # A root and a quotient, and one rounding at the end.
    Right(
        "hundredsixteen_norm_sqrt_and_fma",
        "hundredsixteen_norm",
        ("rsqrtf(variance + eps)", "1.0f / sqrtf(variance + eps)"),
        (
            "(row[c] - mean) * inverse * weight[c] + bias[c]",
            "fmaf((row[c] - mean) * inverse, weight[c], bias[c])",
        ),
    ),
    # The tile is turned when it is filled.
    Right(
        "hundredsixteen_turn_when_filled",
        "hundredsixteen_turn",
        ("tile[threadIdx.y][threadIdx.x] =", "tile[threadIdx.x][threadIdx.y] ="),
        ("= tile[threadIdx.x][threadIdx.y];", "= tile[threadIdx.y][threadIdx.x];"),
    ),
    # All lanes have the sum, and the last stores it.
    Right(
        "hundredsixteen_matvec_last_lane_stores",
        "hundredsixteen_matvec",
        ("__shfl_down_sync(", "__shfl_xor_sync("),
        ("if (lane == 0)", "if (lane == 31)"),
    ),
    # Tiles are added from the last to the first.
    Right(
        "hundredsixteen_atb_last_tile_first",
        "hundredsixteen_atb",
        (
            "for (int p0 = 0; p0 < k; p0 += TS)",
            "for (int p0 = (k - 1) / TS * TS; p0 >= 0; p0 -= TS)",
        ),
    ),
)
