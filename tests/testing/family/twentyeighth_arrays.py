"""Hold a twenty-eighth family: transposes, products, softmax, norms, sums, maxima and scans.

The causes were written before a member was judged. On the emulator each was run beside PyTorch:
bases and right ones are right, and 69 of the 72 wrong ones wrong, or refused by a fault. Three
are wrong by reasoning:

    xxviii_product_turned_plain_add         if two slabs add to a column at once
    xxviii_softmax_block_sum_not_awaited    if a warp is ahead of the first one
    xxviii_columns_stages_another_stream    if the launcher's stream is not the default one

Some show only so:

    xxviii_turn_groups_bounds_of_input      if the sides differ
    xxviii_turn_groups_ceil_of_integers     if the height is no whole groups
    xxviii_turn_pairs_odd_rows              of odd rows and even columns
    xxviii_turn_pairs_not_aligned           if a matrix is not on a multiple of 4 bytes
    xxviii_turn_pairs_no_loop               of even sides, from 1,537 pairs of pairs on
    xxviii_product_fortran_leading_columns  if m and k differ
    xxviii_product_fortran_real             of sums that no float has
    xxviii_product_numba_grid_of_rows       if there are fewer blocks of rows than tiles inside
    xxviii_product_numba_leave_early        if the output is no whole tiles
    xxviii_product_numba_old_numbers        if the inner side is no whole tiles
    xxviii_product_batch_first_rhs          from 2 batches on
    xxviii_product_batch_sums_go_on         from 4 batches on
    xxviii_product_batch_wide_from_four     from 5 columns on, of no whole fours
    xxviii_product_warps_address_of_first_row  if the columns are no whole fours
    xxviii_product_warps_tail_at_vectors    if the row is on a multiple of 16 bytes
    xxviii_product_warps_no_alpha           by another alpha than 1
    xxviii_softmax_block_maximum_from_zero  of rows far below 0
    xxviii_softmax_block_maximum_not_heated by another temperature than 1, far from 0
    xxviii_softmax_block_output_not_heated  by another temperature than 1
    xxviii_softmax_block_four_warps         from 129 columns on
    xxviii_softmax_lengths_rest_left        of lengths that are less than the columns
    xxviii_softmax_lengths_sum_of_all       likewise
    xxviii_softmax_lengths_no_maximum       of rows far from 0
    xxviii_norm_layers_squares_less_square  of rows far from 0
    xxviii_norm_residual_mean_of_packs      of whole packs
    xxviii_norm_residual_first_weights      from 65 packs or columns on
    xxviii_rows_spread_stride_of_warp       from 33 columns on
    xxviii_rows_spread_block_tested         if the rows are no whole fours
    xxviii_rows_smallest_bits_as_they_are   of negative numbers
    xxviii_rows_smallest_place_in_segment   from 513 columns on
    xxviii_rows_smallest_first_warp         from 33 columns on
    xxviii_columns_brightest_from_zero      of columns without a number above 0
    xxviii_columns_brightest_last_of_equals of equal ones, eight rows apart
    xxviii_columns_brightest_step_of_x      from 9 rows on
    xxviii_columns_brightest_short_row      from 32,769 rows on
    xxviii_columns_stages_sum_in_half       of sums that no half has
    xxviii_columns_stages_whole_pairs       of odd columns
    xxviii_rows_running_carry_of_one        from 257 columns on
    xxviii_rows_running_output_at_start     from 129 columns on
    xxviii_rows_still_last_lane             from 33 days on
    xxviii_rows_still_end_of_zero           of prices below 0, if the days fill no warp
    xxviii_rows_still_float_prices          of prices that no float has
"""

# ruff: noqa: E501 (a line of a kernel stands in one line)
from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong

# A user of OpenCL: work-groups and local ids, and local memory with a column more.
GROUPS = """\
#define get_local_id(d) ((int)((d) == 0 ? threadIdx.x : threadIdx.y))
#define LOCAL 16

__global__ void transpose_local(const int *in, int *out, const int64_t width, const int64_t height, const int64_t groups_x)
{
    __shared__ int local_block[LOCAL * (LOCAL + 1)];
    const int lx = get_local_id(0);
    const int ly = get_local_id(1);
    const int64_t group_0 = blockIdx.x % groups_x;
    const int64_t group_1 = blockIdx.x / groups_x;

    int64_t gx = group_0 * LOCAL + lx;
    int64_t gy = group_1 * LOCAL + ly;
    if (gx < width && gy < height)
        local_block[ly * (LOCAL + 1) + lx] = in[gy * width + gx];

    __syncthreads();  // CLK_LOCAL_MEM_FENCE

    gx = group_1 * LOCAL + lx;
    gy = group_0 * LOCAL + ly;
    if (gx < height && gy < width)
        out[gy * height + gx] = local_block[lx * (LOCAL + 1) + ly];
}

extern "C" void launch(int *out /* [width, height] */, const int *in /* [height, width] */, int64_t height, int64_t width, cudaStream_t queue = 0)
{
    const int64_t groups_x = (width + LOCAL - 1) / LOCAL;
    const int64_t groups_y = (height + LOCAL - 1) / LOCAL;
    transpose_local<<<(unsigned)(groups_x * groups_y), dim3(LOCAL, LOCAL), 0, queue>>>(in, out, width, height, groups_x);
}
"""

# A small team: squares of two by two halves, with a plain kernel for all else.
PAIRS = """\
__global__ void transpose_h2x2(const __half2* __restrict__ in, __half2* __restrict__ out, int64_t row_pairs, int64_t col_pairs) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < row_pairs * col_pairs; i += step) {
    const int64_t r = i / col_pairs;
    const int64_t c = i % col_pairs;
    const __half2 upper = in[2 * r * col_pairs + c];
    const __half2 lower = in[(2 * r + 1) * col_pairs + c];
    out[2 * c * row_pairs + r] = __lows2half2(upper, lower);
    out[(2 * c + 1) * row_pairs + r] = __highs2half2(upper, lower);
  }
}

__global__ void transpose_any(const __half* __restrict__ in, __half* __restrict__ out, int64_t m, int64_t n) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < m * n; i += step) {
    out[i % n * m + i / n] = in[i];
  }
}

extern "C" void launch(int64_t m, int64_t n, const __half* in /* [m, n] */, __half* out /* [n, m] */, cudaStream_t stream = 0) {
  constexpr int kThreads = 128;
  const bool aligned = ((reinterpret_cast<uintptr_t>(in) | reinterpret_cast<uintptr_t>(out)) & 3) == 0;
  if (aligned && m % 2 == 0 && n % 2 == 0) {
    const int64_t wanted = (m / 2 * (n / 2) + kThreads - 1) / kThreads;
    const unsigned blocks = static_cast<unsigned>(wanted < 12 ? wanted : 12);
    transpose_h2x2<<<blocks, kThreads, 0, stream>>>(reinterpret_cast<const __half2*>(in), reinterpret_cast<__half2*>(out), m / 2, n / 2);
  } else {
    transpose_any<<<12, kThreads, 0, stream>>>(in, out, m, n);
  }
}
"""

# From Fortran: matrices lie by columns, and everything is counted from 1.
FORTRAN = """\
#define A(i, j) a[((j) - 1) * lda + (i) - 1]
#define B(i, j) b[((j) - 1) * ldb + (i) - 1]
#define C(i, j) c[((j) - 1) * ldc + (i) - 1]

__global__ void dgemm_nn(int64_t m, int64_t n, int64_t k, double alpha, const double *a, int64_t lda, const double *b, int64_t ldb, double *c, int64_t ldc)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x + 1;
    for (int64_t j = (int64_t)blockIdx.y * blockDim.y + threadIdx.y + 1; j <= n; j += (int64_t)gridDim.y * blockDim.y) {
        if (i <= m) {
            double temp = 0.0;
            for (int64_t l = 1; l <= k; l++)
                temp = temp + A(i, l) * B(l, j);
            C(i, j) = alpha * temp;
        }
    }
}

extern "C" void launch(int64_t m, int64_t n, int64_t k, const double *a /* [k, m] */, const double *b /* [n, k] */, double *c /* [n, m] */, double alpha = 1.0, cudaStream_t stream = 0)
{
    const dim3 threads(32, 4);
    const int64_t down = (m + 31) / 32, across = (n + 3) / 4;
    const dim3 grid((unsigned)down, (unsigned)(across < 65535 ? across : 65535));
    dgemm_nn<<<grid, threads, 0, stream>>>(m, n, k, alpha, a, m, b, k, c, m);
}
"""

# From the manual of Numba: x, y = cuda.grid(2), where x is the row, and TPB threads a side.
NUMBA = """\
#define TPB 16

__global__ void fast_matmul(const float* A, const float* B, float* C, int64_t A_rows, int64_t A_cols, int64_t B_cols) {
    __shared__ float sA[TPB][TPB];
    __shared__ float sB[TPB][TPB];
    const int64_t x = (int64_t)blockIdx.x * TPB + threadIdx.x;
    const int64_t y = (int64_t)blockIdx.y * TPB + threadIdx.y;
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int64_t bpg = (A_cols + TPB - 1) / TPB;

    float tmp = 0.0f;
    for (int64_t i = 0; i < bpg; i++) {
        sA[tx][ty] = 0.0f;
        sB[tx][ty] = 0.0f;
        if (x < A_rows && ty + i * TPB < A_cols) sA[tx][ty] = A[x * A_cols + ty + i * TPB];
        if (y < B_cols && tx + i * TPB < A_cols) sB[tx][ty] = B[(tx + i * TPB) * B_cols + y];
        __syncthreads();  // preloaded
        for (int j = 0; j < TPB; j++) tmp += sA[tx][j] * sB[j][ty];
        __syncthreads();  // computed
    }
    if (x < A_rows && y < B_cols) C[x * B_cols + y] = tmp;
}

extern "C" void launch(const float* A /* [A_rows, A_cols] */, const float* B /* [A_cols, B_cols] */, float* C /* [A_rows, B_cols] */, int64_t A_rows, int64_t A_cols, int64_t B_cols, cudaStream_t stream = 0) {
    const dim3 threadsperblock(TPB, TPB);
    const dim3 blockspergrid((unsigned)((A_rows + TPB - 1) / TPB), (unsigned)((B_cols + TPB - 1) / TPB));
    fast_matmul<<<blockspergrid, threadsperblock, 0, stream>>>(A, B, C, A_rows, A_cols, B_cols);
}
"""

# A small team: a batch of products; a thread has a strip of three rows and four columns.
BATCH = """\
template <int kRows>
__global__ void bmm_strips(const float* __restrict__ lhs, const float* __restrict__ rhs, float* __restrict__ dst, int64_t batches, int64_t m, int64_t n, int64_t k, bool wide) {
  const int64_t strips = (n + 3) / 4;
  const int64_t t = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const int64_t col = t % strips * 4;
  const int64_t row = t / strips * kRows;
  if (row >= m) return;
  for (int64_t batch = blockIdx.z; batch < batches; batch += gridDim.z) {
    const float* a = lhs + batch * m * k + row * k;
    const float* b = rhs + batch * k * n + col;
    float* c = dst + batch * m * n + row * n + col;
    float acc[kRows][4] = {};
    for (int64_t p = 0; p < k; ++p) {
      float4 v = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
      if (wide) {
        v = __ldg(reinterpret_cast<const float4*>(b + p * n));
      } else {
        v.x = __ldg(b + p * n);
        if (col + 1 < n) v.y = __ldg(b + p * n + 1);
        if (col + 2 < n) v.z = __ldg(b + p * n + 2);
        if (col + 3 < n) v.w = __ldg(b + p * n + 3);
      }
#pragma unroll
      for (int i = 0; i < kRows; ++i) {
        const float s = row + i < m ? __ldg(a + i * k + p) : 0.0f;
        acc[i][0] += s * v.x;
        acc[i][1] += s * v.y;
        acc[i][2] += s * v.z;
        acc[i][3] += s * v.w;
      }
    }
    for (int i = 0; i < kRows; ++i)
      for (int j = 0; j < 4; ++j)
        if (row + i < m && col + j < n) c[i * n + j] = acc[i][j];
  }
}

extern "C" void launch(float* dst /* [batches, m, n] */, const float* lhs /* [batches, m, k] */, const float* rhs /* [batches, k, n] */, int64_t batches, int64_t m, int64_t n, int64_t k, cudaStream_t stream = 0) {
  constexpr int kRows = 3;
  constexpr int kThreads = 96;
  const bool wide = n % 4 == 0 && reinterpret_cast<uintptr_t>(rhs) % 16 == 0;
  const int64_t threads = (n + 3) / 4 * ((m + kRows - 1) / kRows);
  const dim3 grid(static_cast<unsigned>((threads + kThreads - 1) / kThreads), 1, static_cast<unsigned>(batches < 3 ? batches : 3));
  bmm_strips<kRows><<<grid, kThreads, 0, stream>>>(lhs, rhs, dst, batches, m, n, k, wide);
}
"""

# A user of HIP and its samples: a struct of parameters, and sums of slabs by atomics.
TURNED = """\
struct GemvArgs {
    const float* A;
    const float* x;
    float* y;
    int64_t rows;
    int64_t cols;
    int64_t slab;
};

__global__ void gemv_t_kernel(GemvArgs args)
{
    const int64_t col = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const int64_t begin = blockIdx.y * args.slab;
    const int64_t end = begin + args.slab < args.rows ? begin + args.slab : args.rows;
    if (col >= args.cols) return;
    float acc = 0.f;
    for (int64_t row = begin; row < end; ++row)
        acc += args.A[row * args.cols + col] * args.x[row];
    atomicAdd(&args.y[col], acc);
}

extern "C" void launch(const float* A /* [rows, cols] */, const float* x /* [rows] */, float* y /* [cols] */, int64_t rows, int64_t cols, int block_size = 64, cudaStream_t stream = 0)
{
    const int slabs = 7;
    GemvArgs args;
    args.A = A;
    args.x = x;
    args.y = y;
    args.rows = rows;
    args.cols = cols;
    args.slab = (rows + slabs - 1) / slabs;
    const dim3 grid((unsigned)((cols + block_size - 1) / block_size), slabs);
    cudaMemsetAsync(y, 0, cols * sizeof(float), stream);
    gemv_t_kernel<<<grid, block_size, 0, stream>>>(args);
}
"""

# As a language model answers: a warp a row, vector loads, a scalar tail, alpha and beta.
WARPS = """\
template <typename T>
__device__ __forceinline__ T warpReduceSum(T val) {
#pragma unroll
    for (int offset = 16; offset > 0; offset >>= 1) {
        val += __shfl_down_sync(0xffffffff, val, offset);
    }
    return val;
}

// y = alpha * A * x + beta * y_in; one warp per row, warps stride over the rows.
__global__ void sgemv_kernel(const float* __restrict__ A, const float* __restrict__ x, const float* __restrict__ y_in, float* __restrict__ y, int64_t M, int64_t N, float alpha, float beta) {
    const int lane = threadIdx.x & 31;
    const int64_t warp_id = (static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) >> 5;
    const int64_t num_warps = (static_cast<int64_t>(gridDim.x) * blockDim.x) >> 5;

    for (int64_t row = warp_id; row < M; row += num_warps) {
        const float* a = A + row * N;
        const bool can_vectorize = (reinterpret_cast<uintptr_t>(a) | reinterpret_cast<uintptr_t>(x)) % 16 == 0;
        const int64_t n_vec = can_vectorize ? N / 4 : 0;
        float sum = 0.0f;

        // Vectorized main loop
        for (int64_t i = lane; i < n_vec; i += 32) {
            const float4 av = reinterpret_cast<const float4*>(a)[i];
            const float4 xv = reinterpret_cast<const float4*>(x)[i];
            sum += av.x * xv.x + av.y * xv.y + av.z * xv.z + av.w * xv.w;
        }
        // Scalar tail
        for (int64_t i = n_vec * 4 + lane; i < N; i += 32) {
            sum += a[i] * x[i];
        }

        sum = warpReduceSum(sum);
        if (lane == 0) {
            y[row] = alpha * sum + beta * y_in[row];
        }
    }
}

extern "C" void launch(const float* A /* [M, N] */, const float* x /* [N] */, const float* y_in /* [M] */, float* y /* [M] */, int64_t M, int64_t N, float alpha = 1.0f, float beta = 0.0f, cudaStream_t stream = 0) {
    const int threads = 128;
    const int warps_per_block = threads / 32;
    int64_t blocks = (M + warps_per_block - 1) / warps_per_block;
    if (blocks > 8) blocks = 8;
    sgemv_kernel<<<static_cast<unsigned>(blocks), threads, 0, stream>>>(A, x, y_in, y, M, N, alpha, beta);
}
"""

# As a language model answers: three passes a row, a warp stage and a block stage.
BLOCK = """\
#define FULL_MASK 0xffffffff

__inline__ __device__ float warpReduceMax(float val) {
    for (int offset = warpSize / 2; offset > 0; offset /= 2) val = fmaxf(val, __shfl_down_sync(FULL_MASK, val, offset));
    return val;
}

__inline__ __device__ float warpReduceSum(float val) {
    for (int offset = warpSize / 2; offset > 0; offset /= 2) val += __shfl_down_sync(FULL_MASK, val, offset);
    return val;
}

__inline__ __device__ float blockReduceMax(float val, float* shared) {
    int lane = threadIdx.x % warpSize;
    int wid = threadIdx.x / warpSize;
    val = warpReduceMax(val);
    if (lane == 0) shared[wid] = val;
    __syncthreads();
    val = (threadIdx.x < blockDim.x / warpSize) ? shared[lane] : -INFINITY;
    if (wid == 0) val = warpReduceMax(val);
    return val;
}

__inline__ __device__ float blockReduceSum(float val, float* shared) {
    int lane = threadIdx.x % warpSize;
    int wid = threadIdx.x / warpSize;
    val = warpReduceSum(val);
    if (lane == 0) shared[wid] = val;
    __syncthreads();
    val = (threadIdx.x < blockDim.x / warpSize) ? shared[lane] : 0.0f;
    if (wid == 0) val = warpReduceSum(val);
    return val;
}

__global__ void softmaxKernel(const float* __restrict__ input, float* __restrict__ output, int64_t numRows, int64_t numCols, float temperature) {
    __shared__ float shared[32];
    __shared__ float rowMax, rowSum;

    for (int64_t row = blockIdx.x; row < numRows; row += gridDim.x) {
        const float* in = input + row * numCols;
        float* out = output + row * numCols;

        // Step 1: the maximum, for numerical stability
        float localMax = -INFINITY;
        for (int64_t i = threadIdx.x; i < numCols; i += blockDim.x) localMax = fmaxf(localMax, in[i] / temperature);
        localMax = blockReduceMax(localMax, shared);
        if (threadIdx.x == 0) rowMax = localMax;
        __syncthreads();

        // Step 2: the sum of exponentials
        float localSum = 0.0f;
        for (int64_t i = threadIdx.x; i < numCols; i += blockDim.x) localSum += expf(in[i] / temperature - rowMax);
        localSum = blockReduceSum(localSum, shared);
        if (threadIdx.x == 0) rowSum = localSum;
        __syncthreads();

        // Step 3: normalize
        for (int64_t i = threadIdx.x; i < numCols; i += blockDim.x) out[i] = expf(in[i] / temperature - rowMax) / rowSum;
        __syncthreads();
    }
}

extern "C" void launch(const float* input /* [numRows, numCols] */, float* output /* [numRows, numCols] */, int64_t numRows, int64_t numCols, float temperature = 1.0f, cudaStream_t stream = 0) {
    const int threadsPerBlock = 160;
    const int64_t blocks = numRows < 1024 ? numRows : 1024;
    softmaxKernel<<<static_cast<unsigned>(blocks), threadsPerBlock, 0, stream>>>(input, output, numRows, numCols, temperature);
}
"""

# A small team that serves sequences of different lengths: two rows a warp, the rest is zero.
LENGTHS = """\
constexpr int kLanes = 16;  // lanes of a row

__global__ void softmax_of_lengths(__nv_bfloat16* __restrict__ probs, const __nv_bfloat16* __restrict__ logits, const int* __restrict__ lengths, int64_t rows, int64_t cols) {
  const int lane = threadIdx.x % kLanes;
  const int64_t row = (static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) / kLanes;
  const bool live = row < rows;  // a half of the last warp may have no row
  const int64_t n = live ? min(static_cast<int64_t>(lengths[row]), cols) : 0;
  const __nv_bfloat16* x = logits + row * cols;
  __nv_bfloat16* y = probs + row * cols;

  float top = -INFINITY;
  for (int64_t c = lane; c < n; c += kLanes) top = fmaxf(top, __bfloat162float(x[c]));
  for (int o = kLanes / 2; o > 0; o >>= 1) top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, o, kLanes));

  float sum = 0.0f;
  for (int64_t c = lane; c < n; c += kLanes) sum += expf(__bfloat162float(x[c]) - top);
  for (int o = kLanes / 2; o > 0; o >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, o, kLanes);

  if (!live) return;
  const float inv = 1.0f / sum;
  for (int64_t c = lane; c < cols; c += kLanes) {
    const float p = c < n ? expf(__bfloat162float(x[c]) - top) * inv : 0.0f;
    y[c] = __float2bfloat16(p);
  }
}

extern "C" void launch(__nv_bfloat16* probs /* [rows, cols] */, const __nv_bfloat16* logits /* [rows, cols] */, const int* lengths /* [rows] */, int64_t rows, int64_t cols, cudaStream_t stream = 0) {
  constexpr int kThreads = 128;
  constexpr int kRowsPerBlock = kThreads / kLanes;
  softmax_of_lengths<<<static_cast<unsigned>((rows + kRowsPerBlock - 1) / kRowsPerBlock), kThreads, 0, stream>>>(probs, logits, lengths, rows, cols);
}
"""

# A user of NumPy: mean, then var, then the norm, each as it stands in the documentation.
LAYERS = """\
#define THREADS 128

__global__ void layer_norm(const float *x, const float *gamma, const float *beta, float *out, int64_t n_rows, int64_t n_features, float eps)
{
    __shared__ float acc[THREADS];
    const int tid = threadIdx.x;
    const int64_t row = blockIdx.x;
    const float *xi = x + row * n_features;

    // mean = x.mean(axis=-1)
    float s = 0;
    for (int64_t j = tid; j < n_features; j += THREADS)
        s += xi[j];
    acc[tid] = s;
    __syncthreads();
    for (int half_way = THREADS / 2; half_way >= 1; half_way /= 2) {
        if (tid < half_way) acc[tid] += acc[tid + half_way];
        __syncthreads();
    }
    const float mean = acc[0] / n_features;
    __syncthreads();  // everybody has the mean

    // var = ((x - mean) ** 2).mean(axis=-1)
    float q = 0;
    for (int64_t j = tid; j < n_features; j += THREADS)
        q += (xi[j] - mean) * (xi[j] - mean);
    acc[tid] = q;
    __syncthreads();
    for (int step = THREADS / 2; step >= 1; step /= 2) {
        if (tid < step) acc[tid] += acc[tid + step];
        __syncthreads();
    }
    const float var = acc[0] / n_features;

    const float denom = sqrtf(var + eps);
    for (int64_t j = tid; j < n_features; j += THREADS)
        out[row * n_features + j] = (xi[j] - mean) / denom * gamma[j] + beta[j];
}

extern "C" void launch(const float *x /* [n_rows, n_features] */, const float *gamma /* [n_features] */, const float *beta /* [n_features] */, float *out /* [n_rows, n_features] */, int64_t n_rows, int64_t n_features, float eps = 1e-5f, cudaStream_t stream = 0)
{
    layer_norm<<<(unsigned)n_rows, THREADS, 0, stream>>>(x, gamma, beta, out, n_rows, n_features, eps);
}
"""

# After an engine that serves models: the residual is added, kept, and normed by its square.
RESIDUAL = """\
template <int kVec>
struct alignas(2 * kVec) BPack {
  __nv_bfloat16 v[kVec];
};

template <int kVec, int kThreads>
__global__ void fused_add_rms_norm(const __nv_bfloat16* x, const __nv_bfloat16* residual, const __nv_bfloat16* weight, __nv_bfloat16* y, __nv_bfloat16* kept, int64_t hidden, float inv_hidden, float eps) {
  using P = BPack<kVec>;
  __shared__ float part[kThreads / 32];
  __shared__ float s_scale;
  const int64_t packs = hidden / kVec;
  const P* px = reinterpret_cast<const P*>(x + blockIdx.x * hidden);
  const P* pr = reinterpret_cast<const P*>(residual + blockIdx.x * hidden);
  const P* pw = reinterpret_cast<const P*>(weight);
  P* pk = reinterpret_cast<P*>(kept + blockIdx.x * hidden);
  P* py = reinterpret_cast<P*>(y + blockIdx.x * hidden);

  float ss = 0.0f;
  for (int64_t i = threadIdx.x; i < packs; i += kThreads) {
    const P a = px[i], b = pr[i];
    P z;
#pragma unroll
    for (int j = 0; j < kVec; ++j) {
      z.v[j] = __float2bfloat16(__bfloat162float(a.v[j]) + __bfloat162float(b.v[j]));
      const float f = __bfloat162float(z.v[j]);
      ss += f * f;
    }
    pk[i] = z;
  }
  for (int o = 16; o; o >>= 1) ss += __shfl_xor_sync(~0u, ss, o);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = ss;
  __syncthreads();
  if (threadIdx.x == 0) {
    float total = 0.0f;
    for (int w = 0; w < kThreads / 32; ++w) total += part[w];
    s_scale = rsqrtf(total * inv_hidden + eps);
  }
  __syncthreads();
  for (int64_t i = threadIdx.x; i < packs; i += kThreads) {
    const P z = pk[i], w = pw[i];
    P o;
#pragma unroll
    for (int j = 0; j < kVec; ++j) o.v[j] = __float2bfloat16(__bfloat162float(z.v[j]) * s_scale * __bfloat162float(w.v[j]));
    py[i] = o;
  }
}

extern "C" void launch(const __nv_bfloat16* x /* [tokens, hidden] */, const __nv_bfloat16* residual /* [tokens, hidden] */, const __nv_bfloat16* weight /* [hidden] */, __nv_bfloat16* y /* [tokens, hidden] */, __nv_bfloat16* kept /* [tokens, hidden] */, int64_t tokens, int64_t hidden, float eps = 1e-6f, cudaStream_t stream = 0) {
  const uintptr_t all = reinterpret_cast<uintptr_t>(x) | reinterpret_cast<uintptr_t>(residual) | reinterpret_cast<uintptr_t>(weight) | reinterpret_cast<uintptr_t>(y) | reinterpret_cast<uintptr_t>(kept);
  const float inv_hidden = 1.0f / static_cast<float>(hidden);  // the host divides
  const auto blocks = static_cast<unsigned>(tokens);
  if (hidden % 8 == 0 && all % 16 == 0) {
    fused_add_rms_norm<8, 64><<<blocks, 64, 0, stream>>>(x, residual, weight, y, kept, hidden, inv_hidden, eps);
  } else {
    fused_add_rms_norm<1, 64><<<blocks, 64, 0, stream>>>(x, residual, weight, y, kept, hidden, inv_hidden, eps);
  }
}
"""

# From cards whose waves have 64 lanes: a row of blockDim.y for each wave; mean and deviation.
SPREAD = """\
#define WAVE 64
#define ROWS 4

__global__ void row_mean_std(const float* in, float* mean, float* std, const int64_t rows, const int64_t cols)
{
    __shared__ double lds_sum[ROWS][WAVE];
    __shared__ double lds_sq[ROWS][WAVE];
    const int lane = threadIdx.x;
    const int wave = threadIdx.y;
    const int64_t row = (int64_t)blockIdx.x * ROWS + wave;

    double sum = 0.0, sq = 0.0;
    if (row < rows) {
        for (int64_t c = lane; c < cols; c += WAVE) {
            const double v = in[row * cols + c];
            sum += v;
            sq += v * v;
        }
    }
    lds_sum[wave][lane] = sum;
    lds_sq[wave][lane] = sq;
    __syncthreads();
    for (int s = WAVE / 2; s > 0; s >>= 1) {
        if (lane < s) {
            lds_sum[wave][lane] += lds_sum[wave][lane + s];
            lds_sq[wave][lane] += lds_sq[wave][lane + s];
        }
        __syncthreads();
    }
    if (lane == 0 && row < rows) {
        const double m = lds_sum[wave][0] / cols;
        const double var = (lds_sq[wave][0] - m * lds_sum[wave][0]) / (cols - 1);
        mean[row] = (float)m;
        std[row] = (float)sqrt(var > 0.0 || cols == 1 ? var : 0.0);
    }
}

extern "C" void launch(float* mean /* [rows] */, float* std /* [rows] */, const float* in /* [rows, cols] */, int64_t rows, int64_t cols, cudaStream_t stream = 0)
{
    const dim3 block(WAVE, ROWS);
    const dim3 grid((unsigned)((rows + ROWS - 1) / ROWS));
    row_mean_std<<<grid, block, 0, stream>>>(in, mean, std, rows, cols);
}
"""

# As a language model answers: the smallest of a row by atomics on 64-bit keys, then unpacked.
KEYS = """\
__device__ __forceinline__ unsigned int orderedBits(float f) {
    const unsigned int u = __float_as_uint(f);
    return (u & 0x80000000u) ? ~u : (u | 0x80000000u);
}

__device__ __forceinline__ float fromOrderedBits(unsigned int k) {
    return __uint_as_float((k & 0x80000000u) ? (k & 0x7fffffffu) : ~k);
}

// Stage 1: every block looks at one segment of one row
__global__ void rowArgminPartial(const float* __restrict__ data, unsigned long long* __restrict__ keys, int64_t cols, int64_t segments, int64_t segmentLength) {
    const int64_t row = blockIdx.x / segments;
    const int64_t begin = blockIdx.x % segments * segmentLength;
    const int64_t end = min(begin + segmentLength, cols);
    unsigned long long best = ~0ull;
    for (int64_t c = begin + threadIdx.x; c < end; c += blockDim.x) {
        const unsigned long long key = (static_cast<unsigned long long>(orderedBits(data[row * cols + c])) << 32) | static_cast<unsigned int>(c);
        best = min(best, key);
    }
    for (int offset = 16; offset > 0; offset /= 2) best = min(best, __shfl_down_sync(0xffffffff, best, offset));
    if (threadIdx.x % 32 == 0) atomicMin(&keys[row], best);
}

// Stage 2: unpack
__global__ void rowArgminUnpack(const unsigned long long* __restrict__ keys, float* __restrict__ values, int* __restrict__ indices, int64_t rows) {
    const int64_t row = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    values[row] = fromOrderedBits(static_cast<unsigned int>(keys[row] >> 32));
    indices[row] = static_cast<int>(keys[row] & 0xffffffffull);
}

extern "C" void launch(const float* data /* [rows, cols] */, float* values /* [rows] */, int* indices /* [rows] */, int64_t rows, int64_t cols, cudaStream_t stream = 0) {
    const int64_t segmentLength = 512;
    const int64_t segments = (cols + segmentLength - 1) / segmentLength;
    unsigned long long* keys = nullptr;
    cudaMallocAsync(reinterpret_cast<void**>(&keys), rows * sizeof(unsigned long long), stream);
    cudaMemsetAsync(keys, 0xff, rows * sizeof(unsigned long long), stream);
    rowArgminPartial<<<static_cast<unsigned>(rows * segments), 96, 0, stream>>>(data, keys, cols, segments, segmentLength);
    rowArgminUnpack<<<static_cast<unsigned>((rows + 127) / 128), 128, 0, stream>>>(keys, values, indices, rows);
    cudaFreeAsync(keys, stream);
}
"""

# A student of image processing: the brightest of each column and its row, by tiles of threads.
BRIGHTEST = """\
#define TILE_X 32
#define TILE_Y 8

__global__ void columnPeaks(const int16_t *image, int16_t *peak, int *where, int64_t height, int64_t width)
{
    __shared__ int value[TILE_Y][TILE_X];
    __shared__ int place[TILE_Y][TILE_X];
    int64_t x = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    int best = -32769;
    int best_y = 0;
    if (x < width) {
        for (int64_t y = threadIdx.y; y < height; y += blockDim.y) {
            int pixel = image[y * width + x];
            if (pixel > best) {
                best = pixel;
                best_y = (int)y;
            }
        }
    }
    value[threadIdx.y][threadIdx.x] = best;
    place[threadIdx.y][threadIdx.x] = best_y;
    __syncthreads();
    if (threadIdx.y == 0 && x < width) {
        for (int k = 1; k < TILE_Y; k++) {
            int v = value[k][threadIdx.x];
            int p = place[k][threadIdx.x];
            if (v > best || (v == best && p < best_y)) {
                best = v;
                best_y = p;
            }
        }
        peak[x] = (int16_t)best;
        where[x] = best_y;
    }
}

extern "C" void launch(const int16_t *image /* [height, width] */, int64_t height, int64_t width, int16_t *peak /* [width] */, int *where /* [width] */, cudaStream_t stream = 0)
{
    dim3 threads(TILE_X, TILE_Y);
    dim3 blocks((unsigned)((width + TILE_X - 1) / TILE_X));
    columnPeaks<<<blocks, threads, 0, stream>>>(image, peak, where, height, width);
}
"""

# A small team: means of columns of halves in two stages, two columns a thread.
STAGES = """\
// parts: [slabs, cols]
__global__ void column_parts(const __half* __restrict__ x, float* __restrict__ parts, int64_t rows, int64_t cols, int64_t slab, bool paired) {
  const int64_t c = 2 * (static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x);
  if (c >= cols) return;
  const int64_t r0 = blockIdx.y * slab;
  const int64_t r1 = min(r0 + slab, rows);
  float2 sum = make_float2(0.0f, 0.0f);
  for (int64_t r = r0; r < r1; ++r) {
    if (paired) {
      const float2 v = __half22float2(*reinterpret_cast<const __half2*>(x + r * cols + c));
      sum.x += v.x;
      sum.y += v.y;
    } else {
      sum.x += __half2float(x[r * cols + c]);
      if (c + 1 < cols) sum.y += __half2float(x[r * cols + c + 1]);
    }
  }
  parts[blockIdx.y * cols + c] = sum.x;
  if (c + 1 < cols) parts[blockIdx.y * cols + c + 1] = sum.y;
}

__global__ void column_finish(const float* __restrict__ parts, __half* __restrict__ out, int64_t cols, int slabs, float inv_rows) {
  for (int64_t c = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; c < cols; c += static_cast<int64_t>(gridDim.x) * blockDim.x) {
    float total = 0.0f;
    for (int s = 0; s < slabs; ++s) total += parts[s * cols + c];
    out[c] = __float2half(total * inv_rows);
  }
}

extern "C" void launch(const __half* x /* [rows, cols] */, __half* out /* [cols] */, int64_t rows, int64_t cols, cudaStream_t stream = 0) {
  constexpr int kSlabs = 6;
  const int64_t slab = (rows + kSlabs - 1) / kSlabs;
  const bool paired = cols % 2 == 0 && reinterpret_cast<uintptr_t>(x) % 4 == 0;
  float* parts = nullptr;
  cudaMallocAsync(reinterpret_cast<void**>(&parts), kSlabs * cols * sizeof(float), stream);
  const int64_t pairs = (cols + 1) / 2;
  const dim3 grid(static_cast<unsigned>((pairs + 63) / 64), kSlabs);
  column_parts<<<grid, 64, 0, stream>>>(x, parts, rows, cols, slab, paired);
  column_finish<<<4, 64, 0, stream>>>(parts, out, cols, kSlabs, 1.0f / static_cast<float>(rows));
  cudaFreeAsync(parts, stream);
}
"""

# A student with the book on parallel patterns: a running sum, two buffers in turn, a carry.
RUNNING = """\
#define SECTION 128

__global__ void Kogge_Stone_rows(const float *X, float *Y, int64_t rows, int64_t cols)
{
    __shared__ float XY[2][SECTION];
    __shared__ float carry;
    const int t = threadIdx.x;
    const float *x = X + blockIdx.x * cols;
    float *y = Y + blockIdx.x * cols;
    if (t == 0) carry = 0.0f;

    for (int64_t start = 0; start < cols; start += SECTION) {
        const int64_t i = start + t;
        int in = 0;
        XY[in][t] = i < cols ? x[i] : 0.0f;
        for (int stride = 1; stride < SECTION; stride *= 2) {
            __syncthreads();
            if (t >= stride)
                XY[1 - in][t] = XY[in][t] + XY[in][t - stride];
            else
                XY[1 - in][t] = XY[in][t];
            in = 1 - in;
        }
        __syncthreads();
        if (i < cols) y[i] = carry + XY[in][t];
        __syncthreads();  // the carry has been read
        if (t == 0) carry += XY[in][SECTION - 1];
    }
}

extern "C" void launch(const float *X /* [rows, cols] */, float *Y /* [rows, cols] */, int64_t rows, int64_t cols, cudaStream_t stream = 0)
{
    Kogge_Stone_rows<<<(unsigned)rows, SECTION, 0, stream>>>(X, Y, rows, cols);
}
"""

# From code for prices: the largest that is still to come, from the end of a row, a warp a row.
STILL = """\
template <typename T, class Op>
__device__ __forceinline__ T suffix_scan(T v, int lane, Op op) {
#pragma unroll
  for (int d = 1; d < 32; d <<= 1) {
    const T right = __shfl_down_sync(0xffffffffu, v, d);
    if (lane + d < 32) v = op(v, right);
  }
  return v;
}

struct Larger {
  __device__ double operator()(double a, double b) const { return a > b ? a : b; }
};

__global__ void best_to_come(const double* __restrict__ price, double* __restrict__ best, int64_t days, int64_t assets) {
  const int lane = threadIdx.x;
  for (int64_t asset = static_cast<int64_t>(blockIdx.x) * blockDim.y + threadIdx.y; asset < assets; asset += static_cast<int64_t>(gridDim.x) * blockDim.y) {
    double carry = -INFINITY;
    for (int64_t base = (days - 1) / 32 * 32; base >= 0; base -= 32) {
      const int64_t day = base + lane;
      double v = day < days ? price[asset * days + day] : -INFINITY;
      v = suffix_scan(v, lane, Larger{});
      v = Larger{}(v, carry);
      if (day < days) best[asset * days + day] = v;
      carry = __shfl_sync(0xffffffffu, v, 0);
    }
  }
}

extern "C" void launch(double* best /* [assets, days] */, const double* price /* [assets, days] */, int64_t assets, int64_t days, cudaStream_t stream = 0) {
  const dim3 threads(32, 2);
  const int64_t wanted = (assets + 1) / 2;
  best_to_come<<<static_cast<unsigned>(wanted < 5 ? wanted : 5), threads, 0, stream>>>(price, best, days, assets);
}
"""

SIZES = ((1, 1), (1, 9), (13, 1), (5, 32), (9, 45), (4, 270), (2, 1300), (70, 12))
HALF, FLOAT, DOUBLE, INT = (torch.float16,), (torch.float32,), (torch.float64,), (torch.int32,)
BFLOAT = torch.bfloat16
INF = float("inf")


def _numbers(*size: int, limit: int = 30) -> torch.Tensor:
    generator = torch.Generator().manual_seed(sum(7 * side for side in size) + limit)
    return torch.randint(-limit, limit + 1, size, generator=generator).float()


def _case(words: str, inputs: tuple, right, dtypes: tuple, scalars=None, **options) -> Case:
    sizes = ", ".join(" x ".join(map(str, tensor.shape)) for tensor in inputs)
    right = right if isinstance(right, tuple) else (right,)
    label = f"{sizes} {words} {scalars or ''}".strip()
    return Case(label, inputs, right, *([scalars] if scalars else []), dtypes=dtypes, **options)


def groups(launcher: Launcher) -> Iterator[Case]:
    """Turn integers in less than a group, in whole groups, and in both."""
    for size in ((1, 1), (16, 16), (3, 50), (50, 3), (32, 64), (45, 71), (7, 150), (200, 33)):
        x = _numbers(*size, limit=90_000).int()
        yield _case("", (x,), x.T.contiguous(), INT)


def pairs(launcher: Launcher) -> Iterator[Case]:
    """Turn halves: even and odd sides, and more than twelve blocks of pairs."""
    sizes = (1, 1), (2, 2), (6, 40), (40, 6), (5, 8), (8, 5), (31, 33), (90, 100), (2, 4000)
    for size in sizes:
        x = (_numbers(*size, limit=900) / 8).half()
        yield _case("", (x,), x.T.contiguous(), HALF)


def by_columns(launcher: Launcher) -> Iterator[Case]:
    """Multiply matrices that lie by columns, with small and with long numbers."""
    sizes = (
        (1, 1, 1),
        (3, 7, 5),
        (32, 4, 8),
        (40, 33, 9),
        (20, 70, 50),
        (65, 34, 17),
        (16, 16, 16),
    )
    for m, n, k in sizes:
        a, b = _numbers(k, m).double(), _numbers(n, k).double() / 4
        for words, left, alpha in (("", a, 1.0), ("", a, 0.75), ("long", a * (2**26 + 1), 1.0)):
            yield _case(words, (left, b), alpha * (b @ left), DOUBLE, {"alpha": alpha}, ulp=2)


def products(launcher: Launcher) -> Iterator[Case]:
    """Multiply: square, wide, tall and long inside."""
    sizes = (
        (1, 1, 1),
        (3, 5, 7),
        (16, 16, 16),
        (33, 9, 40),
        (20, 50, 70),
        (65, 17, 34),
        (48, 48, 48),
    )
    for m, k, n in sizes:
        a, b = _numbers(m, k), _numbers(k, n) / 4
        yield _case("", (a, b), a.double() @ b.double(), FLOAT)


def batches(launcher: Launcher) -> Iterator[Case]:
    """Multiply batches, with whole fours of columns and without."""
    sizes = (
        (1, 1, 1, 1),
        (2, 3, 4, 5),
        (5, 4, 7, 3),
        (3, 9, 8, 16),
        (7, 10, 33, 12),
        (4, 40, 20, 9),
    )
    for count, m, n, k in sizes:
        a, b = _numbers(count, m, k), _numbers(count, k, n) / 4
        yield _case("", (a, b), a.double() @ b.double(), FLOAT)


def turned(launcher: Launcher) -> Iterator[Case]:
    """Multiply the transpose of matrices by vectors."""
    for place, (m, n) in enumerate((*SIZES, (40, 40), (333, 100))):
        a, x = _numbers(m, n), _numbers(m, limit=9) / 4
        scalars = {"block_size": (64, 32, 128, 256, 1024)[place % 5]}
        yield _case("", (a, x), a.double().T @ x.double(), FLOAT, scalars)


def vectors(launcher: Launcher) -> Iterator[Case]:
    """Multiply matrices by vectors, with several alphas and betas."""
    for m, n in (*SIZES, (6, 128), (3, 700), (40, 40)):
        a, x, y = _numbers(m, n), _numbers(n, limit=9) / 4, _numbers(m, limit=99)
        for alpha, beta in ((1.0, 0.0), (0.5, 2.0)):
            right = alpha * (a.double() @ x.double()) + beta * y.double()
            yield _case("", (a, x, y), right, FLOAT, {"alpha": alpha, "beta": beta})


def heated(launcher: Launcher) -> Iterator[Case]:
    """Take softmax of usual, distant, wide and partly masked rows, at several temperatures."""
    for m, n in (*SIZES, (1030, 3)):
        near = _numbers(m, n) / 8
        masked = near.clone()
        masked[:, (n + 1) // 2 :] = -INF
        kinds = {"": near, "200 less": near - 200, "200 more": near + 200, "masked": masked}
        for words, x in (kinds | {"times 20": near * 20}).items():
            for heat in (1.0, 0.5, 2.0):
                right = torch.softmax(x.double() / heat, dim=1)
                slack = 2.0**-18 * right + 2.0**-122
                scalars = {"temperature": heat}
                yield _case(words, (x,), right, FLOAT, scalars, ulp=4, within=(slack,))


def lengths(launcher: Launcher) -> Iterator[Case]:
    """Take softmax of the beginnings of rows: of one number, of some, of all."""
    for m, n in (*SIZES, (3, 16), (11, 40)):
        count = 1 + (_numbers(m, limit=4000).abs().long() % n)
        count[m // 2], count[0] = n, (n + 1) // 2
        for words, shift in (("", 0), ("200 more", 200), ("200 less", -200)):
            x = (_numbers(m, n) / 8 + shift).to(BFLOAT)
            scores = torch.where(torch.arange(n) < count[:, None], x.double(), -INF)
            right = torch.softmax(scores, dim=1)
            slack = 2.0**-17 * right + 2.0**-122
            yield _case(words, (x, count.int()), right, (BFLOAT,), ulp=1, within=(slack,))


def layers(launcher: Launcher) -> Iterator[Case]:
    """Norm usual, distant, small and equal rows."""
    eps = 2.0**-10
    for m, n in SIZES:
        for scale, shift in ((1.0, 0.0), (1.0, 2000.0), (2.0**-6, 0.0), (0.0, 3.0)):
            x = _numbers(m, n, limit=9) * scale + shift
            w, b = _numbers(n, limit=3) + 4, _numbers(n, limit=5)
            away = x.double() - x.double().mean(dim=1, keepdim=True)
            root = torch.sqrt(away.square().mean(dim=1, keepdim=True) + eps)
            right = away / root * w.double() + b.double()
            large = x.double().abs().amax(dim=1, keepdim=True)
            slack = 2.0**-19 * (large / root * w.double() + right.abs() + b.double().abs())
            words = f"about {shift}, times {scale}"
            yield _case(words, (x, w, b), right, FLOAT, {"eps": eps}, ulp=2, within=(slack,))


def residual(launcher: Launcher) -> Iterator[Case]:
    """Add, keep and norm zeros, small, usual and large rows."""
    for m, n in (*SIZES, (3, 96), (2, 1000)):
        for scale in (0.0, 2.0**-9, 1.0, 40.0):
            x, r = (
                (_numbers(m, n) * scale).to(BFLOAT),
                (_numbers(m, n, limit=11) * scale).to(BFLOAT),
            )
            w = (_numbers(n, limit=90) / 64).to(BFLOAT)
            kept = (x.float() + r.float()).to(BFLOAT)
            root = torch.sqrt(kept.double().square().mean(dim=1, keepdim=True) + 2.0**-12)
            right = kept.double() / root * w.double()
            slack = (2.0**-18 * right.abs(), 0 * right)
            options = {"ulp": 1, "within": slack}
            yield _case(
                f"times {scale}",
                (x, r, w),
                (right, kept),
                (BFLOAT,) * 2,
                {"eps": 2.0**-12},
                **options,
            )


def spread(launcher: Launcher) -> Iterator[Case]:
    """Take means and deviations of usual and of distant rows."""
    for m, n in (*SIZES, (6, 64), (3, 2)):
        for words, shift in (("", 0), ("about 5000", 5000)):
            x = _numbers(m, n, limit=99) / 8 + shift
            mean = x.double().mean(dim=1)
            away = (x.double() - mean[:, None]).square().sum(dim=1)
            right = (
                torch.sqrt(away / (n - 1)) if n > 1 else torch.full((m,), float("nan")).double()
            )
            slack = (0 * mean, 2.0**-20 * right.nan_to_num(0) + 2.0**-20)
            yield _case(words, (x,), (mean, right), FLOAT * 2, ulp=2, within=slack)


def smallest(launcher: Launcher) -> Iterator[Case]:
    """Find the first smallest of mixed, positive, negative, equal and infinite rows."""
    for m, n in (*SIZES, (3, 512), (2, 1700)):
        x = _numbers(m, n, limit=99) / 8
        lost, late = x.clone(), x.clone()
        lost[m // 3], late[:, -1] = INF, -50
        kinds = {"mixed": x, "positive": x + 70, "negative": x - 70, "infinite": lost}
        for words, rows in (kinds | {"the last": late, "equal": x.clamp(min=1)}).items():
            low = rows.amin(dim=1, keepdim=True)
            first = torch.where(rows == low, torch.arange(n), n).amin(dim=1)
            yield _case(words, (rows,), (low[:, 0], first.int()), FLOAT + INT)


def brightest(launcher: Launcher) -> Iterator[Case]:
    """Find the brightest of columns: mixed, dark, equal, and at the ends of the range."""
    for m, n in (*SIZES, (8, 33), (7, 5), (40_000, 2)):
        x = _numbers(m, n, limit=3000)
        late, low = x.clone(), x.clone()
        late[-1], low[:, n // 2] = 3001, -32768
        kinds = {
            "mixed": x,
            "dark": x - 9000,
            "equal": x.clamp(max=0),
            "the last": late,
            "low": low,
        }
        for words, image in kinds.items():
            top = image.amax(dim=0)
            first = torch.where(image == top, torch.arange(m)[:, None], m).amin(dim=0)
            expected = (top.to(torch.int16), first.int())
            yield _case(words, (image.to(torch.int16),), expected, (torch.int16, torch.int32))


def stages(launcher: Launcher) -> Iterator[Case]:
    """Take means of columns of small and of large halves."""
    for m, n in (*SIZES, (64, 66), (333, 700), (12, 7)):
        for words, x in (("small", _numbers(m, n) / 8), ("large", _numbers(m, n) + 2000)):
            right = x.double().mean(dim=0)
            yield _case(words, (x.half(),), right, HALF, ulp=1)


def running(launcher: Launcher) -> Iterator[Case]:
    """Add up from the left."""
    for m, n in (*SIZES, (3, 128), (2, 300)):
        x = _numbers(m, n) / 4
        yield _case("", (x,), x.double().cumsum(dim=1), FLOAT)


def still(launcher: Launcher) -> Iterator[Case]:
    """Find what is largest from here on: mixed, negative, falling and rising rows."""
    for m, n in (*SIZES, (3, 64), (2, 33)):
        x = _numbers(m, n, limit=999).double() / 3
        fall = -torch.arange(n).double().expand(m, n).contiguous() / 7
        for words, rows in {
            "": x,
            "negative": x - 999,
            "falling": fall,
            "rising": -fall,
        }.items():
            right = rows.flip(1).cummax(dim=1).values.flip(1).contiguous()
            yield _case(words, (rows,), right, DOUBLE)


BASES = {
    "xxviii_turn_groups": Base(HEADER + GROUPS, {"cases": groups}),
    "xxviii_turn_pairs": Base(HEADER + PAIRS, {"cases": pairs}),
    "xxviii_product_fortran": Base(HEADER + FORTRAN, {"cases": by_columns}),
    "xxviii_product_numba": Base(HEADER + NUMBA, {"cases": products}),
    "xxviii_product_batch": Base(HEADER + BATCH, {"cases": batches}),
    "xxviii_product_turned": Base(HEADER + TURNED, {"cases": turned}),
    "xxviii_product_warps": Base(HEADER + WARPS, {"cases": vectors}),
    "xxviii_softmax_block": Base(HEADER + BLOCK, {"cases": heated}),
    "xxviii_softmax_lengths": Base(HEADER + LENGTHS, {"cases": lengths}),
    "xxviii_norm_layers": Base(HEADER + LAYERS, {"cases": layers}),
    "xxviii_norm_residual": Base(HEADER + RESIDUAL, {"cases": residual}),
    "xxviii_rows_spread": Base(HEADER + SPREAD, {"cases": spread}),
    "xxviii_rows_smallest": Base(HEADER + KEYS, {"cases": smallest}),
    "xxviii_columns_brightest": Base(HEADER + BRIGHTEST, {"cases": brightest}),
    "xxviii_columns_stages": Base(HEADER + STAGES, {"cases": stages}),
    "xxviii_rows_running": Base(HEADER + RUNNING, {"cases": running}),
    "xxviii_rows_still": Base(HEADER + STILL, {"cases": still}),
}

WRONG = (
    # ---- a matrix is turned by work-groups
    # No fence between the two halves.
    Wrong(
        "xxviii_turn_groups_no_fence",
        "xxviii_turn_groups",
        "race | unwritten / other element / state",
        ("    __syncthreads();  // CLK_LOCAL_MEM_FENCE\n", ""),
    ),
    # The local ids have changed sides, and the groups have not.
    Wrong(
        "xxviii_turn_groups_same_group",
        "xxviii_turn_groups",
        "other element / swapped / sides / unwritten / bounds | left out / race / function",
        ("gx = group_1 * LOCAL + lx;", "gx = group_0 * LOCAL + lx;"),
        ("gy = group_0 * LOCAL + ly;", "gy = group_1 * LOCAL + ly;"),
    ),
    # The bounds of the input once more.
    Wrong(
        "xxviii_turn_groups_bounds_of_input",
        "xxviii_turn_groups",
        "bounds / unwritten / sides / swapped | other element / tail / left out",
        ("if (gx < height && gy < width)", "if (gx < width && gy < height)"),
    ),
    # math.ceil of a quotient of integers.
    Wrong(
        "xxviii_turn_groups_ceil_of_integers",
        "xxviii_turn_groups",
        "grid / unwritten / tail / left out | sides / refused",
        (
            "groups_y = (height + LOCAL - 1) / LOCAL;",
            "groups_y = (int64_t)ceil((double)(height / LOCAL));",
        ),
    ),
    # ---- a matrix is turned in pairs
    # Only the columns are asked whether they are even.
    Wrong(
        "xxviii_turn_pairs_odd_rows",
        "xxviii_turn_pairs",
        "sides / tail / left out / unwritten / other element | function / swapped / alignment / bounds",
        ("if (aligned && m % 2 == 0 && n % 2 == 0)", "if (aligned && n % 2 == 0)"),
    ),
    # A pair is not asked where it lies.
    Wrong(
        "xxviii_turn_pairs_not_aligned",
        "xxviii_turn_pairs",
        "alignment",
        ("if (aligned && m % 2", "if (m % 2"),
    ),
    # The high halves come first.
    Wrong(
        "xxviii_turn_pairs_high_first",
        "xxviii_turn_pairs",
        "other element / swapped / neighbour | function / sides",
        ("__lows2half2(upper, lower)", "__highs2half2(upper, lower)"),
        (
            "+ 1) * row_pairs + r] = __highs2half2(upper, lower)",
            "+ 1) * row_pairs + r] = __lows2half2(upper, lower)",
        ),
    ),
    # As many blocks as there may be, and no loop.
    Wrong(
        "xxviii_turn_pairs_no_loop",
        "xxviii_turn_pairs",
        "grid / unwritten / left out | tail / sides",
        (
            "  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < row_pairs * col_pairs; i += step) {",
            "  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;\n  if (i < row_pairs * col_pairs) {",
        ),
    ),
    # ---- a product by columns
    # Counted from 1, and up to but not with m.
    Wrong(
        "xxviii_product_fortran_last_row",
        "xxviii_product_fortran",
        "unwritten / tail / left out | bounds / sides / grid",
        ("if (i <= m) {", "if (i < m) {"),
    ),
    # range(1, k) ends before k.
    Wrong(
        "xxviii_product_fortran_last_term",
        "xxviii_product_fortran",
        "left out | tail / sides / function / numbers",
        ("l <= k; l++", "l < k; l++"),
    ),
    # The leading dimension is the number of columns.
    Wrong(
        "xxviii_product_fortran_leading_columns",
        "xxviii_product_fortran",
        "sides / swapped / other element / bounds | function",
        ("alpha, a, m, b, k, c, m);", "alpha, a, k, b, k, c, m);"),
    ),
    # REAL where DOUBLE PRECISION is meant.
    Wrong(
        "xxviii_product_fortran_real",
        "xxviii_product_fortran",
        "precision / rounding | numbers",
        ("double temp = 0.0;", "float temp = 0.0f;"),
    ),
    # As if B lay by rows.
    Wrong(
        "xxviii_product_fortran_rows_of_b",
        "xxviii_product_fortran",
        "swapped / sides / other element / bounds | function",
        (
            "#define B(i, j) b[((j) - 1) * ldb + (i) - 1]",
            "#define B(i, j) b[((i) - 1) * ldb + (j) - 1]",
        ),
    ),
    # ---- a product after Numba
    # The number of blocks of the grid is that of the tiles only if the matrices are square.
    Wrong(
        "xxviii_product_numba_grid_of_rows",
        "xxviii_product_numba",
        "sides / left out / grid | function / numbers",
        ("bpg = (A_cols + TPB - 1) / TPB;", "bpg = gridDim.x;"),
    ),
    # Threads outside of the output leave early, and load nothing.
    Wrong(
        "xxviii_product_numba_leave_early",
        "xxviii_product_numba",
        "left out / race / unwritten | other element / state / sides / start / tail",
        (
            "    float tmp = 0.0f;\n",
            "    if (x >= A_rows || y >= B_cols) return;\n    float tmp = 0.0f;\n",
        ),
    ),
    # What is outside of A and of B keeps its old value.
    Wrong(
        "xxviii_product_numba_old_numbers",
        "xxviii_product_numba",
        "unwritten / twice / tail / state / start / left out | sides / function / numbers / other element / race / nan",
        ("        sA[tx][ty] = 0.0f;\n        sB[tx][ty] = 0.0f;\n", ""),
    ),
    # ---- a batch of products
    # All of the batch take the first right side.
    Wrong(
        "xxviii_product_batch_first_rhs",
        "xxviii_product_batch",
        "other element / left out | sides / function / numbers",
        ("rhs + batch * k * n + col;", "rhs + col;"),
    ),
    # The sums go on with the next one of the batch.
    Wrong(
        "xxviii_product_batch_sums_go_on",
        "xxviii_product_batch",
        "start / state / twice / function | other element / sides / numbers / zero before",
        (
            "  for (int64_t batch = blockIdx.z;",
            "  float acc[kRows][4] = {};\n  for (int64_t batch = blockIdx.z;",
        ),
        ("    float acc[kRows][4] = {};\n    for (int64_t p", "    for (int64_t p"),
    ),
    # The last strip writes all its rows.
    Wrong(
        "xxviii_product_batch_rows_past_end",
        "xxviii_product_batch",
        "bounds | tail / race / other element / sides",
        ("if (row + i < m && col + j < n) c", "if (col + j < n) c"),
    ),
    # Wide if there are four columns, wherever they lie.
    Wrong(
        "xxviii_product_batch_wide_from_four",
        "xxviii_product_batch",
        "alignment / bounds / tail | sides",
        ("wide = n % 4 == 0 && reinterpret_cast<uintptr_t>(rhs) % 16 == 0;", "wide = n >= 4;"),
    ),
    # ---- a transpose times a vector
    # Nobody sets y to 0.
    Wrong(
        "xxviii_product_turned_not_cleared",
        "xxviii_product_turned",
        "zero before / start | state",
        ("    cudaMemsetAsync(y, 0, cols * sizeof(float), stream);\n", ""),
    ),
    # The slabs add without an atomic.
    Wrong(
        "xxviii_product_turned_plain_add",
        "xxviii_product_turned",
        "race | left out",
        ("atomicAdd(&args.y[col], acc);", "args.y[col] += acc;"),
    ),
    # The vector's place is that of the row within the slab.
    Wrong(
        "xxviii_product_turned_place_in_slab",
        "xxviii_product_turned",
        "other element / left out | sides / function / numbers",
        ("* args.x[row];", "* args.x[row - begin];"),
    ),
    # A pointer's bytes for each column.
    Wrong(
        "xxviii_product_turned_cleared_past_end",
        "xxviii_product_turned",
        "bounds",
        ("cols * sizeof(float), stream);", "cols * sizeof(y), stream);"),
    ),
    # ---- a matrix times a vector, a warp a row
    # The matrix is asked for its address, and not the row.
    Wrong(
        "xxviii_product_warps_address_of_first_row",
        "xxviii_product_warps",
        "alignment | sides",
        ("reinterpret_cast<uintptr_t>(a) |", "reinterpret_cast<uintptr_t>(A) |"),
    ),
    # The tail begins at the number of vectors.
    Wrong(
        "xxviii_product_warps_tail_at_vectors",
        "xxviii_product_warps",
        "twice / tail | sides / function / other element / numbers / alignment",
        ("i = n_vec * 4 + lane; i < N", "i = n_vec + lane; i < N"),
    ),
    # alpha is forgotten.
    Wrong(
        "xxviii_product_warps_no_alpha",
        "xxviii_product_warps",
        "left out / function | numbers",
        ("y[row] = alpha * sum + beta", "y[row] = sum + beta"),
    ),
    # ---- softmax, a block a row
    # The warps' maxima start with 0.
    Wrong(
        "xxviii_softmax_block_maximum_from_zero",
        "xxviii_softmax_block",
        "start / infinity / nan | numbers / function / left out",
        ("shared[lane] : -INFINITY;", "shared[lane] : 0.0f;"),
    ),
    # Each thread takes what it has itself for the maximum.
    Wrong(
        "xxviii_softmax_block_own_maximum",
        "xxviii_softmax_block",
        "left out / race / function / other element | numbers / unwritten / sides / infinity / nan",
        (
            "localSum += expf(in[i] / temperature - rowMax);",
            "localSum += expf(in[i] / temperature - localMax);",
        ),
    ),
    # The maximum before the temperature.
    Wrong(
        "xxviii_softmax_block_maximum_not_heated",
        "xxviii_softmax_block",
        "infinity / nan / function | numbers / left out / subnormal",
        (
            "localMax = fmaxf(localMax, in[i] / temperature);",
            "localMax = fmaxf(localMax, in[i]);",
        ),
    ),
    # The temperature is forgotten where it is written.
    Wrong(
        "xxviii_softmax_block_output_not_heated",
        "xxviii_softmax_block",
        "function / left out | numbers / infinity / nan",
        (
            "out[i] = expf(in[i] / temperature - rowMax) / rowSum;",
            "out[i] = expf(in[i] - rowMax) / rowSum;",
        ),
    ),
    # Nobody waits for the sum.
    Wrong(
        "xxviii_softmax_block_sum_not_awaited",
        "xxviii_softmax_block",
        "race | unwritten / state / start / left out / numbers",
        (
            "        if (threadIdx.x == 0) rowSum = localSum;\n        __syncthreads();\n",
            "        if (threadIdx.x == 0) rowSum = localSum;\n",
        ),
    ),
    # Four warps, as of a block of 128 threads, and there are five.
    Wrong(
        "xxviii_softmax_block_four_warps",
        "xxviii_softmax_block",
        "left out | sides / function / numbers",
        (
            "val = (threadIdx.x < blockDim.x / warpSize) ? shared[lane] : 0.0f;",
            "val = (threadIdx.x < 128 / warpSize) ? shared[lane] : 0.0f;",
        ),
    ),
    # ---- softmax of the beginnings of rows
    # The rest of a row is left as it was.
    Wrong(
        "xxviii_softmax_lengths_rest_left",
        "xxviii_softmax_lengths",
        "unwritten | tail / left out / state / zero before",
        ("c < cols; c += kLanes) {", "c < n; c += kLanes) {"),
    ),
    # The sum goes up to and with the length.
    Wrong(
        "xxviii_softmax_lengths_one_more",
        "xxviii_softmax_lengths",
        "bounds / function / other element / neighbour / left out / twice | numbers / sides / tail",
        (
            "for (int64_t c = lane; c < n; c += kLanes) sum",
            "for (int64_t c = lane; c <= n; c += kLanes) sum",
        ),
    ),
    # The step of sixteen: the first row of a warp adds its sum to itself, and the second one
    # that of the first, as a lane may read from an earlier group of its shuffle.
    Wrong(
        "xxviii_softmax_lengths_step_of_lanes",
        "xxviii_softmax_lengths",
        "twice / function / other element | numbers / left out / sides",
        (
            "for (int o = kLanes / 2; o > 0; o >>= 1) sum",
            "for (int o = kLanes; o > 0; o >>= 1) sum",
        ),
    ),
    # The sum is that of the whole row.
    Wrong(
        "xxviii_softmax_lengths_sum_of_all",
        "xxviii_softmax_lengths",
        "left out / function / twice / other element | numbers / sides / bounds",
        (
            "for (int64_t c = lane; c < n; c += kLanes) sum +=",
            "for (int64_t c = lane; live && c < cols; c += kLanes) sum +=",
        ),
    ),
    # The maximum is found, and not used.
    Wrong(
        "xxviii_softmax_lengths_no_maximum",
        "xxviii_softmax_lengths",
        "infinity / nan | numbers / function / subnormal / left out",
        ("sum += expf(__bfloat162float(x[c]) - top);", "sum += expf(__bfloat162float(x[c]));"),
        (
            "const float p = c < n ? expf(__bfloat162float(x[c]) - top) * inv",
            "const float p = c < n ? expf(__bfloat162float(x[c])) * inv",
        ),
    ),
    # ---- layer norm
    # The squares are stored over the sum before everybody has the mean.
    Wrong(
        "xxviii_norm_layers_mean_not_awaited",
        "xxviii_norm_layers",
        "race | numbers / left out / state / other element",
        ("    __syncthreads();  // everybody has the mean\n", ""),
    ),
    # epsilon is added to the root.
    Wrong(
        "xxviii_norm_layers_epsilon_outside",
        "xxviii_norm_layers",
        "function | numbers / precision / left out",
        ("sqrtf(var + eps);", "sqrtf(var) + eps;"),
    ),
    # ddof=1.
    Wrong(
        "xxviii_norm_layers_one_less",
        "xxviii_norm_layers",
        "function | sides / numbers / nan / infinity / left out",
        (
            "const float var = acc[0] / n_features;",
            "const float var = acc[0] / (n_features - 1);",
        ),
    ),
    # The mean of the squares less the square of the mean.
    Wrong(
        "xxviii_norm_layers_squares_less_square",
        "xxviii_norm_layers",
        "precision | numbers / rounding / nan / function",
        ("q += (xi[j] - mean) * (xi[j] - mean);", "q += xi[j] * xi[j];"),
        (
            "const float var = acc[0] / n_features;",
            "const float var = fmaxf(acc[0] / n_features - mean * mean, 0.0f);",
        ),
    ),
    # ---- RMS norm with a residual
    # The residual is kept where it came from.
    Wrong(
        "xxviii_norm_residual_in_place",
        "xxviii_norm_residual",
        "input / unwritten | race",
        (
            "P* pk = reinterpret_cast<P*>(kept + blockIdx.x * hidden);",
            "P* pk = reinterpret_cast<P*>(const_cast<__nv_bfloat16*>(residual) + blockIdx.x * hidden);",
        ),
    ),
    # Without the residual.
    Wrong(
        "xxviii_norm_residual_of_input",
        "xxviii_norm_residual",
        "left out / function | numbers / other element",
        ("const P z = pk[i], w", "const P z = px[i], w"),
    ),
    # Divided by the number of packs.
    Wrong(
        "xxviii_norm_residual_mean_of_packs",
        "xxviii_norm_residual",
        "function | sides / numbers / alignment",
        ("rsqrtf(total * inv_hidden + eps)", "rsqrtf(total / packs + eps)"),
    ),
    # One divided by an integer is 0.
    Wrong(
        "xxviii_norm_residual_whole_quotient",
        "xxviii_norm_residual",
        "function / left out / rounding | numbers / sides / infinity",
        ("inv_hidden = 1.0f / static_cast<float>(hidden);", "inv_hidden = 1 / hidden;"),
    ),
    # The weights of the thread's first pack.
    Wrong(
        "xxviii_norm_residual_first_weights",
        "xxviii_norm_residual",
        "other element | sides / numbers / left out / alignment",
        ("w = pw[i];", "w = pw[threadIdx.x];"),
    ),
    # ---- mean and deviation
    # As numpy.std does.
    Wrong(
        "xxviii_rows_spread_of_all",
        "xxviii_rows_spread",
        "function | sides / numbers / nan",
        ("lds_sum[wave][0]) / (cols - 1);", "lds_sum[wave][0]) / cols;"),
    ),
    # A wave of 64 runs as one: no barrier in the tree.
    Wrong(
        "xxviii_rows_spread_wave_as_one",
        "xxviii_rows_spread",
        "race | left out / numbers / unwritten / other element",
        ("        }\n        __syncthreads();\n", "        }\n"),
    ),
    # The row of the block, and not of the wave, is tested.
    Wrong(
        "xxviii_rows_spread_block_tested",
        "xxviii_rows_spread",
        "bounds | tail / sides",
        ("    if (row < rows) {", "    if (blockIdx.x * ROWS < rows) {"),
    ),
    # The tree is that of a warp of 32 lanes.
    Wrong(
        "xxviii_rows_spread_stride_of_warp",
        "xxviii_rows_spread",
        "left out | sides / function / numbers",
        ("int s = WAVE / 2; s > 0", "int s = 32 / 2; s > 0"),
    ),
    # ---- the smallest, by keys
    # Bits of negative numbers are in the wrong order.
    Wrong(
        "xxviii_rows_smallest_bits_as_they_are",
        "xxviii_rows_smallest",
        "function / left out / other element | numbers / whole range / start / infinity",
        ("return (u & 0x80000000u) ? ~u : (u | 0x80000000u);", "return u ^ 0x80000000u;"),
        ("(k & 0x80000000u) ? (k & 0x7fffffffu) : ~k", "k ^ 0x80000000u"),
    ),
    # Keys start with 0.
    Wrong(
        "xxviii_rows_smallest_keys_from_zero",
        "xxviii_rows_smallest",
        "start | nan / zero before / copy / unwritten / numbers / function / infinity / other element",
        ("cudaMemsetAsync(keys, 0xff,", "cudaMemsetAsync(keys, 0,"),
    ),
    # The place within the segment.
    Wrong(
        "xxviii_rows_smallest_place_in_segment",
        "xxviii_rows_smallest",
        "other element / left out | sides / function / neighbour / numbers",
        ("| static_cast<unsigned int>(c);", "| static_cast<unsigned int>(c - begin);"),
    ),
    # Only the first warp brings its key.
    Wrong(
        "xxviii_rows_smallest_first_warp",
        "xxviii_rows_smallest",
        "left out | sides / numbers / other element / start",
        ("if (threadIdx.x % 32 == 0) atomicMin", "if (threadIdx.x == 0) atomicMin"),
    ),
    # ---- the brightest of columns
    # Black is thought to be 0.
    Wrong(
        "xxviii_columns_brightest_from_zero",
        "xxviii_columns_brightest",
        "start | numbers / left out / copy / other element / function / infinity",
        ("int best = -32769;", "int best = 0;"),
    ),
    # Of equal ones of a thread the last.
    Wrong(
        "xxviii_columns_brightest_last_of_equals",
        "xxviii_columns_brightest",
        "other element / function | numbers / left out",
        ("if (pixel > best) {", "if (pixel >= best) {"),
    ),
    # Tiles go on by the width of a block.
    Wrong(
        "xxviii_columns_brightest_step_of_x",
        "xxviii_columns_brightest",
        "left out / block size | sides / numbers / other element",
        ("y += blockDim.y) {", "y += blockDim.x) {"),
    ),
    # The row goes through 16 bits.
    Wrong(
        "xxviii_columns_brightest_short_row",
        "xxviii_columns_brightest",
        "narrow / whole range | other element / sides / numbers / left out",
        ("best_y = (int)y;", "best_y = (int16_t)y;"),
    ),
    # ---- means of columns in two stages
    # The mean of the slabs.
    Wrong(
        "xxviii_columns_stages_by_slabs",
        "xxviii_columns_stages",
        "function / sides | numbers",
        ("total * inv_rows", "total / slabs"),
    ),
    # The parts lie by columns where they are read.
    Wrong(
        "xxviii_columns_stages_parts_by_columns",
        "xxviii_columns_stages",
        "swapped / other element / sides | function / left out / numbers",
        ("total += parts[s * cols + c];", "total += parts[c * slabs + s];"),
    ),
    # The sum is a half.
    Wrong(
        "xxviii_columns_stages_sum_in_half",
        "xxviii_columns_stages",
        "precision / rounding / infinity | numbers / whole range / nan / sides",
        ("    float total = 0.0f;\n", "    __half total = __float2half(0.0f);\n"),
        (
            "total += parts[s * cols + c];",
            "total = __hadd(total, __float2half(parts[s * cols + c]));",
        ),
        ("__float2half(total * inv_rows)", "__float2half(__half2float(total) * inv_rows)"),
    ),
    # An odd last column is left to nobody.
    Wrong(
        "xxviii_columns_stages_whole_pairs",
        "xxviii_columns_stages",
        "tail / unwritten / grid / left out | sides / refused",
        ("pairs = (cols + 1) / 2;", "pairs = cols / 2;"),
        ("if (c >= cols) return;", "if (c + 1 >= cols) return;"),
    ),
    # The second stage does not wait in the queue of the first.
    Wrong(
        "xxviii_columns_stages_another_stream",
        "xxviii_columns_stages",
        "stream | race / unwritten",
        ("column_finish<<<4, 64, 0, stream>>>", "column_finish<<<4, 64>>>"),
    ),
    # ---- running sums
    # The carry is that of the section before alone.
    Wrong(
        "xxviii_rows_running_carry_of_one",
        "xxviii_rows_running",
        "left out | sides / function / numbers / start / other element",
        ("carry += XY[in][SECTION - 1];", "carry = XY[in][SECTION - 1];"),
    ),
    # One buffer.
    Wrong(
        "xxviii_rows_running_one_buffer",
        "xxviii_rows_running",
        "race | twice / other element / left out / function / numbers / neighbour",
        (
            "                XY[1 - in][t] = XY[in][t] + XY[in][t - stride];\n            else\n                XY[1 - in][t] = XY[in][t];\n            in = 1 - in;\n",
            "                XY[in][t] += XY[in][t - stride];\n",
        ),
    ),
    # The first ones are not taken over into the other buffer.
    Wrong(
        "xxviii_rows_running_not_taken_over",
        "xxviii_rows_running",
        "unwritten / left out / state / race | start / function / numbers / other element / sides / nan",
        ("            else\n                XY[1 - in][t] = XY[in][t];\n", ""),
    ),
    # Each section is the first of the output.
    Wrong(
        "xxviii_rows_running_output_at_start",
        "xxviii_rows_running",
        "unwritten / other element | left out / race / sides / twice",
        ("y[i] = carry", "y[t] = carry"),
    ),
    # ---- the largest that is still to come
    # The last lane hands on what it has.
    Wrong(
        "xxviii_rows_still_last_lane",
        "xxviii_rows_still",
        "left out / other element | sides / function / numbers / start / infinity",
        ("carry = __shfl_sync(0xffffffffu, v, 0);", "carry = __shfl_sync(0xffffffffu, v, 31);"),
    ),
    # The loop ends before the first days.
    Wrong(
        "xxviii_rows_still_first_days",
        "xxviii_rows_still",
        "unwritten / left out / tail | sides / grid",
        ("base >= 0; base -= 32", "base > 0; base -= 32"),
    ),
    # What is past the end is 0.
    Wrong(
        "xxviii_rows_still_end_of_zero",
        "xxviii_rows_still",
        "start / function / tail | numbers / left out / copy / infinity / sides / bounds",
        ("price[asset * days + day] : -INFINITY;", "price[asset * days + day] : 0.0;"),
    ),
    # Prices go through a float.
    Wrong(
        "xxviii_rows_still_float_prices",
        "xxviii_rows_still",
        "precision / rounding | numbers",
        (
            "__device__ double operator()(double a, double b)",
            "__device__ float operator()(float a, float b)",
        ),
    ),
)

RIGHT = (
    # From the last group to the first, with spare room behind the tile.
    Right(
        "xxviii_turn_groups_backwards",
        "xxviii_turn_groups",
        (
            "group_0 = blockIdx.x % groups_x;",
            "group_0 = (gridDim.x - 1 - blockIdx.x) % groups_x;",
        ),
        (
            "group_1 = blockIdx.x / groups_x;",
            "group_1 = (gridDim.x - 1 - blockIdx.x) / groups_x;",
        ),
        ("(LOCAL + 1)];", "(LOCAL + 1) + 5];"),
    ),
    # Down first, and more blocks than pairs.
    Right(
        "xxviii_turn_pairs_down_first",
        "xxviii_turn_pairs",
        ("const int64_t r = i / col_pairs;", "const int64_t r = i % row_pairs;"),
        ("const int64_t c = i % col_pairs;", "const int64_t c = i / row_pairs;"),
        (
            "static_cast<unsigned>(wanted < 12 ? wanted : 12)",
            "static_cast<unsigned>(wanted < 3 ? 3 : 12)",
        ),
    ),
    # From k down to 1, and with fma.
    Right(
        "xxviii_product_fortran_downwards",
        "xxviii_product_fortran",
        ("int64_t l = 1; l <= k; l++", "int64_t l = k; l >= 1; l--"),
        ("temp = temp + A(i, l) * B(l, j);", "temp = fma(B(l, j), A(i, l), temp);"),
        ("across < 65535 ? across : 65535", "across < 3 ? across : 3"),
    ),
    # Eight threads a side, and a block more in each direction.
    Right(
        "xxviii_product_numba_idle_blocks",
        "xxviii_product_numba",
        ("#define TPB 16", "#define TPB 8"),
        ("(A_rows + TPB - 1) / TPB)", "A_rows / TPB + 1)"),
        ("(B_cols + TPB - 1) / TPB)", "B_cols / TPB + 1)"),
    ),
    # Strips of five rows, wide of odd numbers of fours only, and two batches at once.
    Right(
        "xxviii_product_batch_five_rows",
        "xxviii_product_batch",
        ("kRows = 3;", "kRows = 5;"),
        ("batches < 3 ? batches : 3", "batches < 2 ? batches : 2"),
        ("wide = n % 4 == 0 &&", "wide = n % 8 == 4 &&"),
    ),
    # Rows are dealt out, and the sums are doubles until they are added.
    Right(
        "xxviii_product_turned_dealt",
        "xxviii_product_turned",
        (
            "for (int64_t row = begin; row < end; ++row)",
            "for (int64_t row = blockIdx.y; row < args.rows; row += gridDim.y)",
        ),
        (
            "    const int64_t begin = blockIdx.y * args.slab;\n    const int64_t end = begin + args.slab < args.rows ? begin + args.slab : args.rows;\n",
            "",
        ),
        ("float acc = 0.f;", "double acc = 0.0;"),
        (
            "atomicAdd(&args.y[col], acc);",
            "if (acc != 0.0) atomicAdd(&args.y[col], (float)acc);",
        ),
    ),
    # All lanes have the sum, the last one writes it, and there are three blocks at most.
    Right(
        "xxviii_product_warps_all_lanes_know",
        "xxviii_product_warps",
        (
            "__shfl_down_sync(0xffffffff, val, offset)",
            "__shfl_xor_sync(0xffffffff, val, offset)",
        ),
        ("if (lane == 0) {", "if (lane == 31) {"),
        ("if (blocks > 8) blocks = 8;", "if (blocks > 3) blocks = 3;"),
    ),
    # By the inverse of the sum, three warps, and six blocks for all rows.
    Right(
        "xxviii_softmax_block_by_inverse",
        "xxviii_softmax_block",
        (
            "out[i] = expf(in[i] / temperature - rowMax) / rowSum;",
            "out[i] = expf(in[i] / temperature - rowMax) * (1.0f / rowSum);",
        ),
        ("threadsPerBlock = 160;", "threadsPerBlock = 96;"),
        ("numRows < 1024 ? numRows : 1024", "numRows < 6 ? numRows : 6"),
    ),
    # Four rows a warp.
    Right(
        "xxviii_softmax_lengths_four_rows",
        "xxviii_softmax_lengths",
        ("kLanes = 16;", "kLanes = 8;"),
        ("kThreads = 128;", "kThreads = 64;"),
    ),
    # Sums in doubles, and two warps.
    Right(
        "xxviii_norm_layers_doubles",
        "xxviii_norm_layers",
        ("__shared__ float acc[THREADS];", "__shared__ double acc[THREADS];"),
        ("    float s = 0;", "    double s = 0;"),
        ("    float q = 0;", "    double q = 0;"),
        ("#define THREADS 128", "#define THREADS 64"),
    ),
    # Four numbers a pack, and four warps.
    Right(
        "xxviii_norm_residual_packs_of_four",
        "xxviii_norm_residual",
        ("if (hidden % 8 == 0 && all % 16 == 0) {", "if (hidden % 4 == 0 && all % 8 == 0) {"),
        (
            "fused_add_rms_norm<8, 64><<<blocks, 64,",
            "fused_add_rms_norm<4, 128><<<blocks, 128,",
        ),
    ),
    # Two rows a block, and one lane goes over the row again.
    Right(
        "xxviii_rows_spread_two_passes",
        "xxviii_rows_spread",
        ("#define ROWS 4", "#define ROWS 2"),
        (
            "        const double var = (lds_sq[wave][0] - m * lds_sum[wave][0]) / (cols - 1);\n",
            "        double away = 0.0;\n        for (int64_t c = 0; c < cols; ++c) away += (in[row * cols + c] - m) * (in[row * cols + c] - m);\n        const double var = away / (cols - 1);\n",
        ),
    ),
    # Shorter segments, and an atomic for every thread.
    Right(
        "xxviii_rows_smallest_each_thread",
        "xxviii_rows_smallest",
        (
            "    for (int offset = 16; offset > 0; offset /= 2) best = min(best, __shfl_down_sync(0xffffffff, best, offset));\n",
            "",
        ),
        ("if (threadIdx.x % 32 == 0) atomicMin", "if (begin + threadIdx.x < end) atomicMin"),
        ("segmentLength = 512;", "segmentLength = 200;"),
    ),
    # From the last row up, with half as many threads.
    Right(
        "xxviii_columns_brightest_upwards",
        "xxviii_columns_brightest",
        (
            "for (int64_t y = threadIdx.y; y < height; y += blockDim.y) {",
            "for (int64_t y = height - 1 - threadIdx.y; y >= 0; y -= blockDim.y) {",
        ),
        ("if (pixel > best) {", "if (pixel >= best) {"),
        ("#define TILE_Y 8", "#define TILE_Y 4"),
    ),
    # More slabs than there may be rows.
    Right(
        "xxviii_columns_stages_many_slabs",
        "xxviii_columns_stages",
        ("kSlabs = 6;", "kSlabs = 29;"),
        ("column_finish<<<4, 64, 0, stream>>>", "column_finish<<<1, 32, 0, stream>>>"),
    ),
    # Every thread keeps the carry itself.
    Right(
        "xxviii_rows_running_own_carry",
        "xxviii_rows_running",
        ("    __shared__ float carry;\n", "    float carry = 0.0f;\n"),
        ("    if (t == 0) carry = 0.0f;\n", ""),
        (
            "if (t == 0) carry += XY[in][SECTION - 1];",
            "carry += XY[in][SECTION - 1];\n        __syncthreads();",
        ),
    ),
    # The last section may be empty, and lanes need not be asked.
    Right(
        "xxviii_rows_still_empty_section",
        "xxviii_rows_still",
        ("base = (days - 1) / 32 * 32;", "base = days / 32 * 32;"),
        ("if (lane + d < 32) v = op(v, right);", "v = op(v, right);"),
    ),
)
