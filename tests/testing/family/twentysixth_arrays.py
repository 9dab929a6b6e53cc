"""Hold a twenty-sixth family: transposes, products, softmax, norms, sums and scans of rows.

Of the 69 wrong ones two are wrong by reasoning:

    xxvi_rows_columns_plain_addition    if two blocks add to one sum at the same time
    xxvi_rows_columns_memset_elsewhere  if `stream` does not wait for the default stream

xxvi_product_gemv_any_address is wrong only for slices that begin at no round address. Others
show at some sizes only:

    xxvi_transpose_naive_grid_of_height    far more columns than rows
    xxvi_product_plain_sum_not_reset       more numbers than the threads of 12 blocks
    xxvi_softmax_cache_textbook            scores far from 0, as in the three after it
    xxvi_softmax_cache_maximum_from_zero
    xxvi_softmax_logs_log_of_softmax
    xxvi_softmax_logs_zero_in_maximum
    xxvi_softmax_logs_warp_only            more than 32 columns, and more than a warp in a block
    xxvi_norm_two_pass_in_one_formula      rows far from 0
    xxvi_norm_residual_eps_divided         very small numbers
    xxvi_norm_residual_weight_of_thread    more than 512 columns
    xxvi_rows_predict_last_of_equal        more than 128 columns, and equal scores
    xxvi_rows_cumsum_carry_of_one_piece    more than 256 columns
    xxvi_rows_cumsum_row_after_row         more than 7 rows
    xxvi_rows_cumsum_int_sums              large integers
"""

# ruff: noqa: E501 (a line of a kernel stands in one line)
from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong

# A student in the second week: a thread a number, in blocks of 16 x 16.
NAIVE = """\
#define TILE 16

__global__ void transposeNaive(const float* in, float* out, int64_t height, int64_t width)
{
    int64_t col = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    int64_t step = (int64_t)gridDim.y * blockDim.y;
    for (int64_t row = blockIdx.y * blockDim.y + threadIdx.y; row < height; row += step) {
        if (col < width) {
            out[col * height + row] = in[row * width + col];
        }
    }
}

extern "C" void launch(const float* in /* [height, width] */, float* out /* [width, height] */, int64_t height, int64_t width, cudaStream_t stream = 0)
{
    dim3 block(TILE, TILE);
    int64_t down = (height + TILE - 1) / TILE;
    dim3 grid((width + TILE - 1) / TILE, down < 65535 ? down : 65535);
    transposeNaive<<<grid, block, 0, stream>>>(in, out, height, width);
}
"""

# The vendor's blog, for a batch of halves: 32 x 8 threads turn 32 x 32 numbers.
BATCHED = """\
constexpr int TILE_DIM = 32;
constexpr int BLOCK_ROWS = 8;

__global__ void transposeBatched(half *odata, const half *idata, int64_t rows, int64_t cols, int64_t across, int64_t down)
{
    __shared__ half tile[TILE_DIM][TILE_DIM + 1];
    const int64_t bx = blockIdx.x % across, by = blockIdx.x / across % down, image = blockIdx.x / (across * down);
    idata += image * rows * cols;
    odata += image * rows * cols;

    int64_t x = bx * TILE_DIM + threadIdx.x;
    int64_t y = by * TILE_DIM + threadIdx.y;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < cols && y + j < rows) tile[threadIdx.y + j][threadIdx.x] = idata[(y + j) * cols + x];

    __syncthreads();

    x = by * TILE_DIM + threadIdx.x;
    y = bx * TILE_DIM + threadIdx.y;
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS)
        if (x < rows && y + k < cols) odata[(y + k) * rows + x] = tile[threadIdx.x][threadIdx.y + k];
}

extern "C" void launch(const half *idata /* [batch, rows, cols] */, half *odata /* [batch, cols, rows] */, int64_t batch, int64_t rows, int64_t cols, cudaStream_t stream = 0)
{
    const int64_t across = (cols + TILE_DIM - 1) / TILE_DIM, down = (rows + TILE_DIM - 1) / TILE_DIM;
    const dim3 threads(TILE_DIM, BLOCK_ROWS);
    transposeBatched<<<(unsigned)(batch * across * down), threads, 0, stream>>>(odata, idata, rows, cols, across, down);
}
"""

# A student who has just learned of grid-stride loops: a product, a number a thread and turn.
PLAIN = """\
__global__ void matmul_plain(const float *A, const float *B, float *C, size_t M, size_t N, size_t K) {
    size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t idx = (size_t)blockIdx.x * blockDim.x + threadIdx.x; idx < M * N; idx += stride) {
        size_t i = idx / N;
        size_t j = idx % N;
        float sum = 0.0f;
        for (size_t k = 0; k < K; k++) {
            sum += A[i * K + k] * B[k * N + j];
        }
        C[idx] = sum;
    }
}

extern "C" void launch(const float *A /* [M, K] */, const float *B /* [K, N] */, float *C /* [M, N] */, int64_t M, int64_t N, int64_t K, int block_size = 128, cudaStream_t stream = 0) {
    int64_t blocks = (M * N + block_size - 1) / block_size;
    if (blocks > 12) blocks = 12;
    matmul_plain<<<(unsigned)blocks, block_size, 0, stream>>>(A, B, C, M, N, K);
}
"""

# The tutorial of every course: tiles of both matrices in shared memory.
TILED = """\
#define TS 16

__global__ void sgemm_tiled(int64_t M, int64_t N, int64_t K, const float* A, const float* B, float* C) {
    __shared__ float As[TS][TS];
    __shared__ float Bs[TS][TS];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int64_t col = (int64_t)blockIdx.x * TS + tx;
    const int64_t numTiles = (K + TS - 1) / TS;

    for (int64_t by = blockIdx.y; by * TS < M; by += gridDim.y) {
        const int64_t row = by * TS + ty;
        float acc = 0.0f;
        for (int64_t t = 0; t < numTiles; ++t) {
            As[ty][tx] = (row < M && t * TS + tx < K) ? A[row * K + t * TS + tx] : 0.0f;
            Bs[ty][tx] = (col < N && t * TS + ty < K) ? B[(t * TS + ty) * N + col] : 0.0f;
            __syncthreads();  // wait for the tiles
            for (int k = 0; k < TS; ++k) {
                acc += As[ty][k] * Bs[k][tx];
            }
            __syncthreads();  // before they are overwritten
        }
        if (row < M && col < N) C[row * N + col] = acc;
    }
}

extern "C" void launch(const float* A /* [M, K] */, const float* B /* [K, N] */, float* C /* [M, N] */, int64_t M, int64_t N, int64_t K, cudaStream_t stream = 0) {
    dim3 threads(TS, TS);
    int64_t down = (M + TS - 1) / TS;
    dim3 blocks((N + TS - 1) / TS, down < 60000 ? down : 60000);
    sgemm_tiled<<<blocks, threads, 0, stream>>>(M, N, K, A, B, C);
}
"""

# A first draft of a linear layer, y = x W^T + b, in halves.
LINEAR = """\
__global__ void linear_forward_kernel(
    const __half* __restrict__ input,
    const __half* __restrict__ weight,
    const __half* __restrict__ bias,
    __half* __restrict__ output,
    int64_t batch_size, int64_t in_features, int64_t out_features) {
    const int64_t idx = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const int64_t total = batch_size * out_features;
    if (idx >= total) return;

    const int64_t row = idx / out_features;
    const int64_t col = idx % out_features;

    float acc = 0.0f;
    for (int64_t k = 0; k < in_features; ++k) {
        acc += __half2float(input[row * in_features + k]) * __half2float(weight[col * in_features + k]);
    }
    acc += __half2float(bias[col]);
    output[row * out_features + col] = __float2half(acc);
}

extern "C" void launch(
    const __half* input /* [batch_size, in_features] */,
    const __half* weight /* [out_features, in_features] */,
    const __half* bias /* [out_features] */,
    __half* output /* [batch_size, out_features] */,
    int64_t batch_size, int64_t in_features, int64_t out_features, int block_size = 256, cudaStream_t stream = 0) {
    const int64_t total = batch_size * out_features;
    const int64_t num_blocks = (total + block_size - 1) / block_size;
    linear_forward_kernel<<<(unsigned)num_blocks, block_size, 0, stream>>>(
        input, weight, bias, output, batch_size, in_features, out_features);
}
"""

# Somebody who reads about bandwidth: a matrix times a vector, a warp a row, with float4.
GEMV = """\
#define WARP_SIZE 32

__device__ __forceinline__ float warpReduceSum(float v) {
    for (int offset = WARP_SIZE / 2; offset > 0; offset >>= 1)
        v += __shfl_down_sync(0xffffffff, v, offset);
    return v;
}

__global__ void gemv_f32x4(const float* A, const float* x, float* y, int64_t rows, int64_t cols, bool vec) {
    const int lane = threadIdx.x % WARP_SIZE;
    const int64_t row = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / WARP_SIZE;
    if (row >= rows) return;
    float sum = 0.0f;
    if (vec) {
        const float4* a4 = reinterpret_cast<const float4*>(A + row * cols);
        const float4* x4 = reinterpret_cast<const float4*>(x);
        for (int64_t i = lane; i < cols / 4; i += WARP_SIZE) {
            float4 p = a4[i], q = x4[i];
            sum += p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w;
        }
    } else {
        for (int64_t i = lane; i < cols; i += WARP_SIZE) sum += A[row * cols + i] * x[i];
    }
    sum = warpReduceSum(sum);
    if (lane == 0) y[row] = sum;
}

extern "C" void launch(const float* A /* [rows, cols] */, const float* x /* [cols] */, float* y /* [rows] */, int64_t rows, int64_t cols, cudaStream_t stream = 0) {
    const int threads = 128;
    const int warps_per_block = threads / WARP_SIZE;
    const int64_t blocks = (rows + warps_per_block - 1) / warps_per_block;
    const bool vec = cols % 4 == 0 && (uintptr_t)A % 16 == 0 && (uintptr_t)x % 16 == 0;
    gemv_f32x4<<<(unsigned)blocks, threads, 0, stream>>>(A, x, y, rows, cols, vec);
}
"""

# A numericist: y = alpha A x + beta y0 in doubles, a block a row and a tree in shared memory.
DGEMV = """\
#define THREADS 128

__global__ void dgemv(double alpha, const double *A, const double *x, double beta, const double *y0, double *y, int64_t m, int64_t n)
{
    extern __shared__ double sdata[];
    unsigned int tid = threadIdx.x;
    for (int64_t row = blockIdx.x; row < m; row += gridDim.x) {
        double s = 0.0;
        for (int64_t j = tid; j < n; j += blockDim.x)
            s += A[row * n + j] * x[j];
        sdata[tid] = s;
        __syncthreads();
        for (unsigned int k = blockDim.x / 2; k > 0; k >>= 1) {
            if (tid < k) sdata[tid] += sdata[tid + k];
            __syncthreads();  /* a level of the tree */
        }
        if (tid == 0) y[row] = alpha * sdata[0] + beta * y0[row];
        __syncthreads();  /* next row */
    }
}

extern "C" void launch(const double *A /* [m, n] */, const double *x /* [n] */, const double *y0 /* [m] */, double *y /* [m] */, int64_t m, int64_t n, double alpha = 1.0, double beta = 1.0, cudaStream_t stream = 0)
{
    unsigned int blocks = m < 40 ? (unsigned int)m : 40;
    dgemv<<<blocks, THREADS, THREADS * sizeof(double), stream>>>(alpha, A, x, beta, y0, y, m, n);
}
"""

# An old blog on deep learning: softmax, a block a row, both reductions in one shared array.
CACHE = """\
#define NUM_THREADS 256

__global__ void softmaxKernel(const float *input, float *output, int64_t numCols)
{
    __shared__ float cache[NUM_THREADS];
    int tid = threadIdx.x;
    const float *inRow = input + blockIdx.x * numCols;
    float *outRow = output + blockIdx.x * numCols;

    // Step 1: find the maximum of the row
    float localMax = -INFINITY;
    for (int64_t i = tid; i < numCols; i += NUM_THREADS)
        localMax = fmaxf(localMax, inRow[i]);
    cache[tid] = localMax;
    __syncthreads();
    for (int s = NUM_THREADS / 2; s > 0; s /= 2) {
        if (tid < s) cache[tid] = fmaxf(cache[tid], cache[tid + s]);
        __syncthreads();
    }
    float rowMax = cache[0];
    __syncthreads();  // everyone has the maximum

    // Step 2: sum of the exponentials
    float localSum = 0.0f;
    for (int64_t i = tid; i < numCols; i += NUM_THREADS)
        localSum += expf(inRow[i] - rowMax);
    cache[tid] = localSum;
    __syncthreads();
    for (int s = NUM_THREADS / 2; s > 0; s /= 2) {
        if (tid < s) cache[tid] += cache[tid + s];
        __syncthreads();
    }
    float rowSum = cache[0];

    // Step 3: normalize
    for (int64_t i = tid; i < numCols; i += NUM_THREADS)
        outRow[i] = expf(inRow[i] - rowMax) / rowSum;
}

extern "C" void launch(const float *input /* [numRows, numCols] */, float *output /* [numRows, numCols] */, int64_t numRows, int64_t numCols, cudaStream_t stream = 0)
{
    softmaxKernel<<<(unsigned)numRows, NUM_THREADS, 0, stream>>>(input, output, numCols);
}
"""

# A junior who has read of online softmax: a warp a row of halves.
RUNNING = """\
__global__ void online_softmax(const half* __restrict__ x, half* __restrict__ y, int64_t N, int64_t D) {
    const int lane = threadIdx.x;
    const int64_t row = (int64_t)blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= N) return;
    x += row * D;
    y += row * D;

    float m = -FLT_MAX, d = 0.0f;
    for (int64_t i = lane; i < D; i += 32) {
        const float v = __half2float(x[i]);
        const float m_new = fmaxf(m, v);
        d = d * expf(m - m_new) + expf(v - m_new);
        m = m_new;
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        const float m_other = __shfl_xor_sync(0xffffffff, m, offset);
        const float d_other = __shfl_xor_sync(0xffffffff, d, offset);
        const float m_both = fmaxf(m, m_other);
        d = d * expf(m - m_both) + d_other * expf(m_other - m_both);
        m = m_both;
    }
    for (int64_t i = lane; i < D; i += 32) {
        y[i] = __float2half(expf(__half2float(x[i]) - m) / d);
    }
}

extern "C" void launch(const half* x /* [N, D] */, half* y /* [N, D] */, int64_t N, int64_t D, cudaStream_t stream = 0) {
    const dim3 block(32, 4);
    const int64_t grid = (N + block.y - 1) / block.y;
    online_softmax<<<(unsigned)grid, block, 0, stream>>>(x, y, N, D);
}
"""

# A model's first draft with helpers that reduce a block: log-softmax of bfloat16.
LOGS = """\
__inline__ __device__ float warp_max(float val) {
    for (int mask = 16; mask > 0; mask >>= 1) val = fmaxf(val, __shfl_xor_sync(0xffffffffu, val, mask));
    return val;
}

__inline__ __device__ float warp_sum(float val) {
    for (int mask = 16; mask > 0; mask >>= 1) val += __shfl_xor_sync(0xffffffffu, val, mask);
    return val;
}

__inline__ __device__ float block_max(float val, float* shared) {
    const int lane = threadIdx.x & 31, wid = threadIdx.x >> 5, num_warps = blockDim.x >> 5;
    val = warp_max(val);
    if (lane == 0) shared[wid] = val;
    __syncthreads();
    return warp_max(lane < num_warps ? shared[lane] : -INFINITY);
}

__inline__ __device__ float block_sum(float val, float* shared) {
    const int lane = threadIdx.x & 31, wid = threadIdx.x >> 5, num_warps = blockDim.x >> 5;
    val = warp_sum(val);
    __syncthreads();  // shared may still be read
    if (lane == 0) shared[wid] = val;
    __syncthreads();
    val = lane < num_warps ? shared[lane] : 0.0f;
    return warp_sum(val);
}

__global__ void log_softmax_kernel(const __nv_bfloat16* logits, __nv_bfloat16* out, int64_t vocab) {
    __shared__ float shared[32];
    const __nv_bfloat16* row_in = logits + (int64_t)blockIdx.x * vocab;
    __nv_bfloat16* row_out = out + (int64_t)blockIdx.x * vocab;

    float local_max = -INFINITY;
    for (int64_t i = threadIdx.x; i < vocab; i += blockDim.x) local_max = fmaxf(local_max, __bfloat162float(row_in[i]));
    const float max_val = block_max(local_max, shared);

    float local_sum = 0.0f;
    for (int64_t i = threadIdx.x; i < vocab; i += blockDim.x) local_sum += expf(__bfloat162float(row_in[i]) - max_val);
    const float sum = block_sum(local_sum, shared);

    const float log_sum = logf(sum);
    for (int64_t i = threadIdx.x; i < vocab; i += blockDim.x) {
        row_out[i] = __float2bfloat16(__bfloat162float(row_in[i]) - max_val - log_sum);
    }
}

extern "C" void launch(const __nv_bfloat16* logits /* [tokens, vocab] */, __nv_bfloat16* out /* [tokens, vocab] */, int64_t tokens, int64_t vocab, int block_size = 256, cudaStream_t stream = 0) {
    const int threads = (block_size + 31) / 32 * 32;
    log_softmax_kernel<<<(unsigned)tokens, threads, 0, stream>>>(logits, out, vocab);
}
"""

# A statistician: layer norm by Welford's method, a warp a row, and lanes are merged.
WELFORD = """\
struct Welford { float count, mean, m2; };

__device__ Welford merge(Welford a, Welford b) {
    const float count = a.count + b.count;
    if (count == 0.0f) return a;
    const float delta = b.mean - a.mean;
    Welford w;
    w.count = count;
    w.mean = a.mean + delta * (b.count / count);
    w.m2 = a.m2 + b.m2 + delta * delta * (a.count * b.count / count);
    return w;
}

__global__ void layer_norm_welford(const float* x, const float* gamma, const float* beta, float* y, int64_t rows, int64_t cols, float eps) {
    const int lane = threadIdx.x & 31;
    const int64_t row = (int64_t)blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5);
    if (row >= rows) return;
    const float* xr = x + row * cols;

    Welford w = {0.0f, 0.0f, 0.0f};
    for (int64_t i = lane; i < cols; i += 32) {
        w.count += 1.0f;
        const float delta = xr[i] - w.mean;
        w.mean += delta / w.count;
        w.m2 += delta * (xr[i] - w.mean);
    }
    for (int offset = 16; offset; offset >>= 1) {
        Welford o;
        o.count = __shfl_down_sync(0xffffffff, w.count, offset);
        o.mean = __shfl_down_sync(0xffffffff, w.mean, offset);
        o.m2 = __shfl_down_sync(0xffffffff, w.m2, offset);
        w = merge(w, o);
    }
    const float mean = __shfl_sync(0xffffffff, w.mean, 0);
    const float var = __shfl_sync(0xffffffff, w.m2, 0) / (float)cols;
    const float inv = 1.0f / sqrtf(var + eps);
    for (int64_t i = lane; i < cols; i += 32) y[row * cols + i] = (xr[i] - mean) * inv * gamma[i] + beta[i];
}

extern "C" void launch(const float* x /* [rows, cols] */, const float* gamma /* [cols] */, const float* beta /* [cols] */, float* y /* [rows, cols] */, int64_t rows, int64_t cols, float eps = 1e-5f, int block_size = 64, cudaStream_t stream = 0) {
    const int warps = (block_size + 31) / 32;
    layer_norm_welford<<<(unsigned)((rows + warps - 1) / warps), warps * 32, 0, stream>>>(x, gamma, beta, y, rows, cols, eps);
}
"""

# Somebody who ports a model by hand: layer norm of halves with weights in float, a block a row.
TWO_PASS = """\
constexpr int kThreads = 128;

__device__ float reduce_in_block(float v, float* buf) {
    buf[threadIdx.x] = v;
    __syncthreads();
    for (int n = kThreads / 2; n >= 1; n /= 2) {
        if (threadIdx.x < n) buf[threadIdx.x] += buf[threadIdx.x + n];
        __syncthreads();
    }
    const float all = buf[0];
    __syncthreads();
    return all;
}

__global__ void LayerNormHalf(const half* x, const float* gamma, const float* beta, half* out, int64_t rows, int64_t hidden, float epsilon) {
    __shared__ float buf[kThreads];
    const int64_t row = blockIdx.x;
    const half* src = x + row * hidden;
    half* dst = out + row * hidden;

    float acc = 0.f;
    for (int64_t c = threadIdx.x; c < hidden; c += kThreads) acc += __half2float(src[c]);
    const float mean = reduce_in_block(acc, buf) / hidden;

    acc = 0.f;  // again, for the variance
    for (int64_t c = threadIdx.x; c < hidden; c += kThreads) {
        const float diff = __half2float(src[c]) - mean;
        acc += diff * diff;
    }
    const float variance = reduce_in_block(acc, buf) / hidden;
    const float rstd = rsqrtf(variance + epsilon);

    for (int64_t c = threadIdx.x; c < hidden; c += kThreads) {
        const float normed = (__half2float(src[c]) - mean) * rstd;
        dst[c] = __float2half(normed * gamma[c] + beta[c]);
    }
}

extern "C" void launch(const half* x /* [rows, hidden] */, const float* gamma /* [hidden] */, const float* beta /* [hidden] */, half* out /* [rows, hidden] */, int64_t rows, int64_t hidden, float epsilon = 1e-5f, cudaStream_t stream = 0) {
    LayerNormHalf<<<(unsigned)rows, kThreads, 0, stream>>>(x, gamma, beta, out, rows, hidden, epsilon);
}
"""

# Somebody who serves language models: the residual is added, and the sum's RMS norm formed.
RESIDUAL = """\
__global__ void fused_add_rms_norm(
    const __nv_bfloat16* input, const __nv_bfloat16* residual, const __nv_bfloat16* weight,
    __nv_bfloat16* residual_out, __nv_bfloat16* normed, int64_t hidden_size, float epsilon) {
  __shared__ float warp_sums[32];
  __shared__ float s_scale;
  const int64_t base = (int64_t)blockIdx.x * hidden_size;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;

  float sum_sq = 0.0f;
  for (int64_t i = threadIdx.x; i < hidden_size; i += blockDim.x) {
    const __nv_bfloat16 z = __float2bfloat16(__bfloat162float(input[base + i]) + __bfloat162float(residual[base + i]));
    residual_out[base + i] = z;
    sum_sq += __bfloat162float(z) * __bfloat162float(z);
  }
  for (int o = 16; o > 0; o >>= 1) sum_sq += __shfl_down_sync(0xffffffff, sum_sq, o);
  if (lane == 0) warp_sums[warp] = sum_sq;
  __syncthreads();
  if (threadIdx.x == 0) {
    float total = 0.0f;
    for (int w = 0; w < blockDim.x / 32; ++w) total += warp_sums[w];
    s_scale = rsqrtf(total / hidden_size + epsilon);
  }
  __syncthreads();  // s_scale is there

  for (int64_t i = threadIdx.x; i < hidden_size; i += blockDim.x) {
    const float z = __bfloat162float(residual_out[base + i]);
    normed[base + i] = __float2bfloat16(z * s_scale * __bfloat162float(weight[i]));
  }
}

extern "C" void launch(
    const __nv_bfloat16* input /* [tokens, hidden_size] */, const __nv_bfloat16* residual /* [tokens, hidden_size] */,
    const __nv_bfloat16* weight /* [hidden_size] */, __nv_bfloat16* residual_out /* [tokens, hidden_size] */,
    __nv_bfloat16* normed /* [tokens, hidden_size] */, int64_t tokens, int64_t hidden_size, float epsilon = 1e-6f, cudaStream_t stream = 0) {
  const int64_t whole = (hidden_size + 31) / 32 * 32;
  const int threads = whole < 512 ? (int)whole : 512;
  fused_add_rms_norm<<<(unsigned)tokens, threads, 0, stream>>>(input, residual, weight, residual_out, normed, hidden_size, epsilon);
}
"""

# A user of NumPy: x.mean(axis=1), a block a row, with shuffles and an array for the warps.
MEANS = """\
__global__ void row_mean(const float* x, float* mean, int64_t rows, int64_t cols) {
    __shared__ float partial[32];
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    for (int64_t r = blockIdx.x; r < rows; r += gridDim.x) {
        float s = 0.0f;
        for (int64_t c = threadIdx.x; c < cols; c += blockDim.x) s += x[r * cols + c];
        for (int d = 16; d > 0; d /= 2) s += __shfl_down_sync(~0u, s, d);
        if (lane == 0) partial[warp] = s;
        __syncthreads();  // partial sums are ready
        if (threadIdx.x == 0) {
            float total = 0.0f;
            for (int w = 0; w < blockDim.x / 32; w++) total += partial[w];
            mean[r] = total / cols;
        }
        __syncthreads();  // and used
    }
}

extern "C" void launch(const float* x /* [rows, cols] */, float* mean /* [rows] */, int64_t rows, int64_t cols, int block_size = 128, cudaStream_t stream = 0) {
    const int threads = (block_size + 31) / 32 * 32;
    row_mean<<<(unsigned)(rows < 8 ? rows : 8), threads, 0, stream>>>(x, mean, rows, cols);
}
"""

# Somebody who needs the gradient of a bias: sums of columns; sixteen parts meet by atomics.
COLUMNS = """\
#define BLOCK 64
#define PARTS 16

__global__ void bias_grad(const float* __restrict__ grad, float* __restrict__ db, int64_t rows, int64_t cols, int64_t per_part)
{
    const int64_t col = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (col >= cols) return;
    const int64_t begin = blockIdx.y * per_part;
    const int64_t end = begin + per_part < rows ? begin + per_part : rows;
    float sum = 0.f;
    for (int64_t r = begin; r < end; r++)
        sum += grad[r * cols + col];
    atomicAdd(&db[col], sum);
}

extern "C" void launch(const float* grad /* [rows, cols] */, float* db /* [cols] */, int64_t rows, int64_t cols, cudaStream_t stream = 0)
{
    const int64_t per_part = (rows + PARTS - 1) / PARTS;
    cudaMemsetAsync(db, 0, cols * sizeof(float), stream);
    dim3 grid((cols + BLOCK - 1) / BLOCK, PARTS);
    bias_grad<<<grid, BLOCK, 0, stream>>>(grad, db, rows, cols, per_part);
}
"""

# A student's classifier: the place of each row's largest score, the first of equal ones.
PREDICT = """\
const int BLOCK_DIM = 128;

__global__ void argmax_rows(const float* scores, int64_t* labels, int64_t classes) {
    __shared__ float vals[BLOCK_DIM];
    __shared__ int64_t idxs[BLOCK_DIM];
    const float* row = scores + blockIdx.x * classes;
    int tid = threadIdx.x;

    float best = -INFINITY;
    int64_t bestIdx = 0;
    for (int64_t i = tid; i < classes; i += BLOCK_DIM) {
        if (row[i] > best) {
            best = row[i];
            bestIdx = i;
        }
    }
    vals[tid] = best;
    idxs[tid] = bestIdx;
    __syncthreads();

    for (int s = BLOCK_DIM / 2; s > 0; s >>= 1) {
        if (tid < s) {
            bool tie = vals[tid + s] == vals[tid] && idxs[tid + s] < idxs[tid];
            if (vals[tid + s] > vals[tid] || tie) {
                vals[tid] = vals[tid + s];
                idxs[tid] = idxs[tid + s];
            }
        }
        __syncthreads();
    }
    if (tid == 0) labels[blockIdx.x] = idxs[0];
}

extern "C" void launch(const float* scores /* [samples, classes] */, int64_t* labels /* [samples] */, int64_t samples, int64_t classes, cudaStream_t stream = 0) {
    argmax_rows<<<(unsigned)samples, BLOCK_DIM, 0, stream>>>(scores, labels, classes);
}
"""

# A reader of the chapter on scans: running sums of rows, a piece after the other, with a carry.
CUMSUM = """\
constexpr int N_THREADS = 128;

__global__ void cumsum_rows(const int* in, int64_t* out, int64_t rows, int64_t cols) {
    __shared__ int64_t temp[N_THREADS];
    const int t = threadIdx.x;
    for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
        int64_t carry = 0;
        for (int64_t start = 0; start < cols; start += N_THREADS) {
            const int64_t i = start + t;
            temp[t] = i < cols ? in[row * cols + i] : 0;
            __syncthreads();
            for (int offset = 1; offset < N_THREADS; offset *= 2) {
                int64_t left = 0;
                if (t >= offset) left = temp[t - offset];
                __syncthreads();  // all have read
                temp[t] += left;
                __syncthreads();  // all have written
            }
            if (i < cols) out[row * cols + i] = carry + temp[t];
            carry += temp[N_THREADS - 1];
            __syncthreads();  // temp is free again
        }
    }
}

extern "C" void launch(const int* in /* [rows, cols] */, int64_t* out /* [rows, cols] */, int64_t rows, int64_t cols, cudaStream_t stream = 0) {
    const unsigned blocks = rows < 7 ? rows : 7;
    cumsum_rows<<<blocks, N_THREADS, 0, stream>>>(in, out, rows, cols);
}
"""

SHAPES = ((1, 1), (1, 6), (13, 1), (5, 32), (8, 45), (3, 260), (2, 1030), (150, 9))
BLOCKS = (128, 40, 256, 1, 1024)
PRODUCTS = (1, 1, 1), (3, 7, 5), (16, 16, 16), (40, 9, 33), (20, 65, 80), (2, 5, 400)
HALF, FLOAT, DOUBLE = (torch.float16,), (torch.float32,), (torch.float64,)
BFLOAT = torch.bfloat16
INF, NAN = float("inf"), float("nan")


def _whole(*size: int, limit: int = 30) -> torch.Tensor:
    generator = torch.Generator().manual_seed(7 * sum(size) + limit)
    return torch.randint(-limit, limit + 1, size, generator=generator).float()


def _case(words: str, x: tuple, right, dtypes: tuple, scalars=None, **options):
    sizes = ", ".join(" x ".join(map(str, tensor.shape)) for tensor in x)
    right = right if isinstance(right, tuple) else (right,)
    label = f"{sizes} {words} {scalars or ''}".strip()
    return Case(label, x, right, *([scalars] if scalars else []), dtypes=dtypes, **options)


def turned(launcher: Launcher) -> Iterator[Case]:
    """Turn floats, in whole tiles and in parts of them."""
    for size in ((1, 1), (16, 16), (3, 50), (50, 3), (31, 17), (64, 20), (7, 100), (120, 45)):
        x = _whole(*size, limit=9000) / 8
        yield _case("", (x,), x.T.contiguous(), FLOAT)


def turned_batch(launcher: Launcher) -> Iterator[Case]:
    """Turn each matrix of a batch."""
    sizes = (
        (1, 1, 1),
        (1, 32, 32),
        (2, 5, 70),
        (3, 70, 5),
        (2, 33, 64),
        (4, 20, 20),
        (1, 100, 41),
    )
    for size in sizes:
        x = _whole(*size, limit=2000).half()
        yield _case("", (x,), x.transpose(1, 2).contiguous(), HALF)


def product(launcher: Launcher, block_sizes: tuple = ()) -> Iterator[Case]:
    """Multiply eighths, whose sums are exact; and once with broken numbers."""
    for place, (m, n, k) in enumerate((*PRODUCTS, (90, 70, 12))):
        scalars = {"block_size": block_sizes[place % 5]} if block_sizes else None
        a, b = _whole(m, k) / 8, _whole(k, n) / 4
        yield _case("", (a, b), a.double() @ b.double(), FLOAT, scalars)
        broken = a.clone()
        broken[m // 2, -1], broken[0, k // 2] = NAN, INF
        yield _case("A broken", (broken, b), broken.double() @ b.double(), FLOAT, scalars)


def product_in_blocks(launcher: Launcher) -> Iterator[Case]:
    """Do the same with blocks of several sizes."""
    yield from product(launcher, BLOCKS)


def linear(launcher: Launcher) -> Iterator[Case]:
    """Apply a linear layer to small and to larger halves; sums are exact until stored."""
    for place, (m, n, k) in enumerate(PRODUCTS):
        for words, shift in (("small", 0), ("large", 40)):
            x, w = _whole(m, k) + shift, (_whole(n, k) + shift) / 4
            b = _whole(n, limit=100) / 2
            right = x.double() @ w.double().T + b.double()
            scalars = {"block_size": BLOCKS[place % 5]}
            yield _case(words, (x.half(), w.half(), b.half()), right, HALF, scalars)


def gemv(launcher: Launcher) -> Iterator[Case]:
    """Multiply a matrix by a vector of whole numbers, in fours and not in fours."""
    for m, n in (*SHAPES, (4, 4), (9, 128), (33, 64), (3, 1024), (7, 130)):
        a, x = _whole(m, n), _whole(n, limit=20)
        yield _case("", (a, x), a.double() @ x.double(), FLOAT)


def dgemv(launcher: Launcher) -> Iterator[Case]:
    """Add a product to a vector, in doubles that need more bits than a float has."""
    for m, n in SHAPES:
        a, x = _whole(m, n).double() * 123_457 + 3, _whole(n).double()
        y = _whole(m, limit=9999).double()
        for alpha, beta in ((1.0, 1.0), (2.0, -0.5), (0.25, 3.0)):
            right = alpha * (a @ x) + beta * y
            yield _case("", (a, x, y), right, DOUBLE, {"alpha": alpha, "beta": beta})


def _scores(*size: int) -> Iterator[tuple[str, torch.Tensor]]:
    near, n, m = _whole(*size) / 8, size[-1], size[-2]
    yield from (("near 0", near), ("500 less", near - 500), ("times 200", near * 200))
    for words, place, value in (
        ("late ones masked", (..., slice((n + 1) // 2, None)), -INF),
        ("early ones masked", (..., slice(0, n // 2)), -INF),
        ("a NaN", (..., m // 2, n // 3), NAN),
    ):
        odd = near.clone()
        odd[place] = value
        yield words, odd


def softmax(launcher: Launcher) -> Iterator[Case]:
    """Take rows near to and far from 0, masked ones and NaN."""
    for m, n in SHAPES:
        for words, x in _scores(m, n):
            right = torch.softmax(x.double(), dim=1)
            options = {"ulp": 12, "within": (2.0**-18 * right.nan_to_num(0) + 2.0**-122,)}
            yield _case(words, (x,), right, FLOAT, **options)


def softmax_halves(launcher: Launcher) -> Iterator[Case]:
    """Take the same rows as halves."""
    for m, n in SHAPES:
        for words, x in _scores(m, n):
            right = torch.softmax(x.half().double(), dim=1)
            slack = 2.0**-24 + 2.0**-13 * right.nan_to_num(0)
            yield _case(words, (x.half(),), right, HALF, ulp=1, within=(slack,))


def logs(launcher: Launcher) -> Iterator[Case]:
    """Take the same rows for log-softmax of bfloat16."""
    for m, n in SHAPES:
        for words, x in _scores(m, n):
            rows = x.to(BFLOAT)
            right = torch.log_softmax(rows.double(), dim=1)
            scalars = {"block_size": BLOCKS[(m + len(words)) % 5]}
            slack = 2.0**-16 * (1 + right.nan_to_num(0, 0, 0).abs())
            yield _case(words, (rows,), right, (BFLOAT,), scalars, ulp=1, within=(slack,))


def _layer(dtype: torch.dtype, weights: torch.dtype, eps: str) -> Iterator[tuple]:
    for m, n in SHAPES:
        for scale, shift in ((1.0, 0.0), (1.0, 1000.0), (2.0**-8, 0.0), (0.0, 5.0)):
            x = (_whole(m, n, limit=7) * scale + shift).to(dtype)
            w, b = (_whole(n, limit=3) + 5).to(weights), _whole(n, limit=4).to(weights)
            mean = x.double().mean(dim=1, keepdim=True)
            var = (x.double() - mean).square().mean(dim=1, keepdim=True)
            rstd = 1 / torch.sqrt(var + 2.0**-14)
            right = (x.double() - mean) * rstd * w.double() + b.double()
            large = x.double().abs().amax(dim=1, keepdim=True)
            slack = large * rstd * w.double() + right.abs() + b.double().abs()
            yield f"about {shift}, times {scale}", (x, w, b), right, {eps: 2.0**-14}, slack


def welford(launcher: Launcher) -> Iterator[Case]:
    """Norm rows of usual, of distant, of small and of equal floats."""
    for place, (words, x, right, scalars, slack) in enumerate(
        _layer(torch.float32, torch.float32, "eps")
    ):
        scalars["block_size"] = BLOCKS[place % 5]
        yield _case(words, x, right, FLOAT, scalars, ulp=1, within=(2.0**-19 * slack,))


def layer_halves(launcher: Launcher) -> Iterator[Case]:
    """Norm rows of the same numbers as halves, with weights in float."""
    for words, x, right, scalars, slack in _layer(torch.float16, torch.float32, "epsilon"):
        yield _case(words, x, right, HALF, scalars, ulp=1, within=(2.0**-19 * slack,))


def residual(launcher: Launcher) -> Iterator[Case]:
    """Add rows and norm the sums: zeros, very small, usual and large ones."""
    for m, n in (*SHAPES, (4, 700)):
        for scale in (0.0, 2.0**-11, 1.0, 300.0):
            x, r = (
                (_whole(m, n) * scale).to(BFLOAT),
                (_whole(m, n, limit=90) * scale).to(BFLOAT),
            )
            w = (_whole(n, limit=99) / 64).to(BFLOAT)
            z = (x.float() + r.float()).to(BFLOAT)
            root = torch.sqrt(z.double().square().mean(dim=1, keepdim=True) + 2.0**-12)
            right = z.double() / root * w.double()
            slack = (0 * right, 2.0**-18 * right.abs())
            scalars, dtypes = {"epsilon": 2.0**-12}, (BFLOAT, BFLOAT)
            words, outputs = f"times {scale}", (z.double(), right)
            yield _case(words, (x, r, w), outputs, dtypes, scalars, ulp=1, within=slack)


def means(launcher: Launcher) -> Iterator[Case]:
    """Take the means of rows, whose sums are exact."""
    for m, n in SHAPES:
        for shift in (0, 1000):
            x = (_whole(m, n, limit=90) + shift) / 4
            scalars = {"block_size": BLOCKS[(m + n + shift // 1000) % 5]}
            yield _case(
                f"about {shift / 4}", (x,), x.double().mean(dim=1), FLOAT, scalars, ulp=2
            )


def column_sums(launcher: Launcher) -> Iterator[Case]:
    """Add up columns of few and of many rows, whose sums are exact."""
    for m, n in (*SHAPES, (16, 70), (100, 130), (333, 65)):
        x = (_whole(m, n, limit=90) + 11) / 4
        yield _case("", (x,), x.double().sum(dim=0), FLOAT)


def predict(launcher: Launcher) -> Iterator[Case]:
    """Find the first largest of mixed, negative, equal and masked rows."""
    for m, n in SHAPES:
        x = _whole(m, n, limit=99) / 8
        masked, late = x.clone(), x.clone()
        masked[m // 3], masked[:, : n // 2], late[:, -1] = -INF, -INF, 50
        kinds = {"mixed": x, "negative": x - 70, "masked": masked, "the last": late}
        for words, rows in (kinds | {"equal": x.clamp(max=0)}).items():
            top = rows.amax(dim=1, keepdim=True)
            first = torch.where(rows == top, torch.arange(n), n).amin(dim=1)
            yield _case(words, (rows,), first, (torch.int64,))


def cumsum(launcher: Launcher) -> Iterator[Case]:
    """Add up rows of small and of large integers, number by number."""
    for m, n in SHAPES:
        for words, factor in (("small", 1), ("large", 60_000_000)):
            x = ((_whole(m, n).long() + 4) * factor).int()
            yield _case(words, (x,), x.long().cumsum(dim=1), (torch.int64,))


BASES = {
    "xxvi_transpose_naive": Base(HEADER + NAIVE, {"cases": turned}),
    "xxvi_transpose_batched": Base(HEADER + BATCHED, {"cases": turned_batch}),
    "xxvi_product_plain": Base(HEADER + PLAIN, {"cases": product_in_blocks}),
    "xxvi_product_tiled": Base(HEADER + TILED, {"cases": product}),
    "xxvi_product_linear": Base(HEADER + LINEAR, {"cases": linear}),
    "xxvi_product_gemv": Base(HEADER + GEMV, {"cases": gemv}),
    "xxvi_product_dgemv": Base(HEADER + DGEMV, {"cases": dgemv}),
    "xxvi_softmax_cache": Base(HEADER + CACHE, {"cases": softmax}),
    "xxvi_softmax_running": Base(HEADER + RUNNING, {"cases": softmax_halves}),
    "xxvi_softmax_logs": Base(HEADER + LOGS, {"cases": logs}),
    "xxvi_norm_welford": Base(HEADER + WELFORD, {"cases": welford}),
    "xxvi_norm_two_pass": Base(HEADER + TWO_PASS, {"cases": layer_halves}),
    "xxvi_norm_residual": Base(HEADER + RESIDUAL, {"cases": residual}),
    "xxvi_rows_means": Base(HEADER + MEANS, {"cases": means}),
    "xxvi_rows_columns": Base(HEADER + COLUMNS, {"cases": column_sums}),
    "xxvi_rows_predict": Base(HEADER + PREDICT, {"cases": predict}),
    "xxvi_rows_cumsum": Base(HEADER + CUMSUM, {"cases": cumsum}),
}

WRONG = (
    # The line of the copy kernel was taken over: nothing is turned.
    Wrong(
        "xxvi_transpose_naive_copies",
        "xxvi_transpose_naive",
        "copy / other element / swapped / sides | function",
        ("out[col * height + row]", "out[row * width + col]"),
    ),
    # Width and height are mistaken for each other in the launch.
    Wrong(
        "xxvi_transpose_naive_grid_of_height",
        "xxvi_transpose_naive",
        "grid / unwritten / left out / swapped / sides | tail",
        ("grid((width + TILE - 1)", "grid((height + TILE - 1)"),
    ),
    # A row of the output is thought to be as long as one of the input.
    Wrong(
        "xxvi_transpose_naive_stride_of_input",
        "xxvi_transpose_naive",
        "sides / other element / bounds / swapped | unwritten / left out / twice / race / function",
        ("out[col * height + row]", "out[col * width + row]"),
    ),
    # One column too many.
    Wrong(
        "xxvi_transpose_naive_one_column_more",
        "xxvi_transpose_naive",
        "bounds | sides / other element / tail",
        ("if (col < width)", "if (col <= width)"),
    ),
    # The tiles change places, and what is in a tile is not turned.
    Wrong(
        "xxvi_transpose_batched_tile_not_turned",
        "xxvi_transpose_batched",
        "other element / swapped / sides | function / unwritten / state / start / race / left out / tail",
        ("tile[threadIdx.x][threadIdx.y + k];", "tile[threadIdx.y + k][threadIdx.x];"),
    ),
    # What is in a tile is turned, and the tiles stay where they were.
    Wrong(
        "xxvi_transpose_batched_tiles_stay",
        "xxvi_transpose_batched",
        "other element / swapped / sides / unwritten / left out | function / state / start / race / grid / tail",
        ("x = by * TILE_DIM", "x = bx * TILE_DIM"),
        ("y = bx * TILE_DIM", "y = by * TILE_DIM"),
    ),
    # The test of the load was copied to the store.
    Wrong(
        "xxvi_transpose_batched_test_copied",
        "xxvi_transpose_batched",
        "sides / bounds / unwritten / left out / tail / swapped | other element / grid / state / start / race",
        ("if (x < rows && y + k < cols)", "if (x < cols && y + k < rows)"),
    ),
    # All matrices of the batch are written to the place of the first.
    Wrong(
        "xxvi_transpose_batched_one_output",
        "xxvi_transpose_batched",
        "unwritten / left out / other element | race / twice / sides / grid",
        ("    odata += image * rows * cols;\n", ""),
    ),
    # A warp's barrier is taken for a block's.
    Wrong(
        "xxvi_transpose_batched_warp_barrier",
        "xxvi_transpose_batched",
        "race | other element / unwritten / left out / sides / state / start",
        ("__syncthreads();", "__syncwarp();"),
    ),
    # The second matrix is read by rows.
    Wrong(
        "xxvi_product_plain_b_by_rows",
        "xxvi_product_plain",
        "swapped / sides / other element | function / numbers",
        ("B[k * N + j];", "B[j * K + k];"),
    ),
    # As many numbers are added as there are columns.
    Wrong(
        "xxvi_product_plain_as_far_as_n",
        "xxvi_product_plain",
        "sides / bounds / left out | swapped / function / other element / tail",
        ("k < K; k++", "k < N; k++"),
    ),
    # The sum is set to 0 once a thread, and not once a number.
    Wrong(
        "xxvi_product_plain_sum_not_reset",
        "xxvi_product_plain",
        "start / sides / block size | twice / numbers / other element / function / grid / nan / infinity / tail",
        ("        float sum = 0.0f;\n", ""),
        ("    size_t stride =", "    float sum = 0.0f;\n    size_t stride ="),
    ),
    # A + is missing.
    Wrong(
        "xxvi_product_plain_last_product",
        "xxvi_product_plain",
        "left out / function | sides / numbers / nan / infinity",
        ("sum += A[", "sum = A["),
    ),
    # The sum is an integer.
    Wrong(
        "xxvi_product_plain_int_sum",
        "xxvi_product_plain",
        "rounding / precision / whole range / narrow | numbers / function / nan / infinity",
        ("float sum = 0.0f;", "int sum = 0;"),
    ),
    # The last tile is not whole, and not counted.
    Wrong(
        "xxvi_product_tiled_whole_tiles",
        "xxvi_product_tiled",
        "tail / left out | sides / function / nan / infinity / copy / numbers",
        ("numTiles = (K + TS - 1) / TS;", "numTiles = K / TS;"),
    ),
    # The second barrier is left out: a fast warp overwrites what a slow one still multiplies.
    Wrong(
        "xxvi_product_tiled_one_barrier",
        "xxvi_product_tiled",
        "race | other element / left out / twice / sides / state / start / numbers",
        ("            __syncthreads();  // before they are overwritten\n", ""),
    ),
    # Outside of the matrix the tile keeps what was there before.
    Wrong(
        "xxvi_product_tiled_not_filled",
        "xxvi_product_tiled",
        "unwritten / start / tail / state / zero before / twice | sides / left out / other element / bounds / numbers / function / nan / infinity",
        (
            "As[ty][tx] = (row < M && t * TS + tx < K) ? A[row * K + t * TS + tx] : 0.0f;",
            "if (row < M && t * TS + tx < K) As[ty][tx] = A[row * K + t * TS + tx];",
        ),
        (
            "Bs[ty][tx] = (col < N && t * TS + ty < K) ? B[(t * TS + ty) * N + col] : 0.0f;",
            "if (col < N && t * TS + ty < K) Bs[ty][tx] = B[(t * TS + ty) * N + col];",
        ),
    ),
    # The indices of the second tile are in the other order.
    Wrong(
        "xxvi_product_tiled_second_turned",
        "xxvi_product_tiled",
        "swapped / other element | sides / function / numbers / nan / infinity / left out",
        ("Bs[k][tx];", "Bs[tx][k];"),
    ),
    # All is a half, the sum too.
    Wrong(
        "xxvi_product_linear_half_sum",
        "xxvi_product_linear",
        "precision / rounding / infinity / narrow | numbers / whole range / sides / function",
        ("float acc = 0.0f;", "__half acc = __float2half(0.0f);"),
        (
            "acc += __half2float(input[row * in_features + k]) * __half2float(weight[col * in_features + k]);",
            "acc = __hadd(acc, __hmul(input[row * in_features + k], weight[col * in_features + k]));",
        ),
        ("acc += __half2float(bias[col]);", "acc = __hadd(acc, bias[col]);"),
        ("= __float2half(acc);", "= acc;"),
    ),
    # The bias of the row is added.
    Wrong(
        "xxvi_product_linear_bias_of_row",
        "xxvi_product_linear",
        "bounds / other element / sides / swapped | function / numbers",
        ("bias[col]", "bias[row]"),
    ),
    # The bias is added with each product.
    Wrong(
        "xxvi_product_linear_bias_each_time",
        "xxvi_product_linear",
        "twice / function | sides / numbers",
        (
            "    }\n    acc += __half2float(bias[col]);\n",
            "        acc += __half2float(bias[col]);\n    }\n",
        ),
    ),
    # There are blocks for one row of the output.
    Wrong(
        "xxvi_product_linear_blocks_of_one_row",
        "xxvi_product_linear",
        "grid / unwritten / left out | sides / tail",
        ("num_blocks = (total +", "num_blocks = (out_features +"),
    ),
    # The addresses are tested, and not whether a row is whole packs.
    Wrong(
        "xxvi_product_gemv_columns_in_fours",
        "xxvi_product_gemv",
        "tail / left out / alignment | sides / function / other element",
        ("vec = cols % 4 == 0 && ", "vec = "),
    ),
    # The columns are tested, and not the addresses.
    Wrong(
        "xxvi_product_gemv_any_address",
        "xxvi_product_gemv",
        "alignment",
        (" && (uintptr_t)A % 16 == 0 && (uintptr_t)x % 16 == 0;", ";"),
    ),
    # The first shuffle goes eight lanes far.
    Wrong(
        "xxvi_product_gemv_sixteen_lanes",
        "xxvi_product_gemv",
        "left out | sides / function / numbers / other element",
        ("offset = WARP_SIZE / 2;", "offset = WARP_SIZE / 4;"),
    ),
    # One row too many.
    Wrong(
        "xxvi_product_gemv_one_row_more",
        "xxvi_product_gemv",
        "bounds | tail / other element / sides",
        ("if (row >= rows) return;", "if (row > rows) return;"),
    ),
    # The launch counts threads and not warps.
    Wrong(
        "xxvi_product_gemv_block_for_128_rows",
        "xxvi_product_gemv",
        "grid / unwritten / left out | sides / tail",
        ("(rows + warps_per_block - 1) / warps_per_block", "(rows + threads - 1) / threads"),
    ),
    # The shared array has room for so many floats.
    Wrong(
        "xxvi_product_dgemv_room_for_floats",
        "xxvi_product_dgemv",
        "bounds",
        ("THREADS * sizeof(double)", "THREADS * sizeof(float)"),
    ),
    # One barrier after the tree is thought to do.
    Wrong(
        "xxvi_product_dgemv_tree_no_barrier",
        "xxvi_product_dgemv",
        "race | left out / sides / twice / numbers / other element / function",
        ("            __syncthreads();  /* a level of the tree */\n", ""),
    ),
    # The thread's number is taken for the row's.
    Wrong(
        "xxvi_product_dgemv_y_of_thread",
        "xxvi_product_dgemv",
        "other element | function / sides / numbers / copy",
        ("beta * y0[row];", "beta * y0[tid];"),
    ),
    # Halving 96 comes to 3, and then to 1: one part is lost.
    Wrong(
        "xxvi_product_dgemv_ninety_six",
        "xxvi_product_dgemv",
        "left out / block size | sides / function / numbers / other element",
        ("#define THREADS 128", "#define THREADS 96"),
    ),
    # As in the formula of the textbook: no maximum is subtracted.
    Wrong(
        "xxvi_softmax_cache_textbook",
        "xxvi_softmax_cache",
        "infinity / nan / numbers / whole range / subnormal | precision / function / left out",
        ("localSum += expf(inRow[i] - rowMax);", "localSum += expf(inRow[i]);"),
        ("outRow[i] = expf(inRow[i] - rowMax)", "outRow[i] = expf(inRow[i])"),
    ),
    # The maximum starts with 0.
    Wrong(
        "xxvi_softmax_cache_maximum_from_zero",
        "xxvi_softmax_cache",
        "start / numbers / nan / infinity | subnormal / whole range / function / left out",
        ("localMax = -INFINITY;", "localMax = 0.0f;"),
    ),
    # A fast warp stores its sums where a slow one still reads the maximum.
    Wrong(
        "xxvi_softmax_cache_maximum_overwritten",
        "xxvi_softmax_cache",
        "race | numbers / function / other element / nan / infinity / sides / start",
        ("    __syncthreads();  // everyone has the maximum\n", ""),
    ),
    # Each thread divides by its own sum.
    Wrong(
        "xxvi_softmax_cache_own_sum",
        "xxvi_softmax_cache",
        "left out / function / other element | sides / numbers / infinity / nan",
        ("/ rowSum;", "/ localSum;"),
    ),
    # The maximum is forgotten in the last step only.
    Wrong(
        "xxvi_softmax_cache_numerator",
        "xxvi_softmax_cache",
        "function / infinity / numbers | nan / left out / whole range / subnormal",
        ("outRow[i] = expf(inRow[i] - rowMax)", "outRow[i] = expf(inRow[i])"),
    ),
    # The maximum is set before it is used.
    Wrong(
        "xxvi_softmax_running_maximum_too_early",
        "xxvi_softmax_running",
        "function / numbers / left out | precision / sides / twice / infinity / nan / rounding",
        ("        m = m_both;\n", ""),
        (
            "        d = d * expf(m - m_both)",
            "        m = m_both;\n        d = d * expf(m - m_both)",
        ),
    ),
    # The sum is not divided by.
    Wrong(
        "xxvi_softmax_running_not_divided",
        "xxvi_softmax_running",
        "function / left out | numbers / nan / infinity / sides",
        ("- m) / d);", "- m));"),
    ),
    # A block has 32 rows, it is thought, as a warp has 32 lanes.
    Wrong(
        "xxvi_softmax_running_rows_of_32",
        "xxvi_softmax_running",
        "unwritten / left out / other element / grid | sides / block size / tail",
        ("blockIdx.x * blockDim.y +", "blockIdx.x * blockDim.x +"),
    ),
    # Each warp has its own sum only.
    Wrong(
        "xxvi_softmax_logs_warp_only",
        "xxvi_softmax_logs",
        "left out / block size | sides / function / numbers / infinity / nan / other element",
        (
            "    val = lane < num_warps ? shared[lane] : 0.0f;\n    return warp_sum(val);",
            "    return val;",
        ),
    ),
    # The logarithm is that of base 2.
    Wrong(
        "xxvi_softmax_logs_base_two",
        "xxvi_softmax_logs",
        "function | numbers / precision",
        ("logf(sum);", "log2f(sum);"),
    ),
    # The logarithm of the probability, which may be 0.
    Wrong(
        "xxvi_softmax_logs_log_of_softmax",
        "xxvi_softmax_logs",
        "infinity / numbers / whole range / precision / subnormal | function / rounding / nan",
        (
            "__float2bfloat16(__bfloat162float(row_in[i]) - max_val - log_sum);",
            "__float2bfloat16(logf(expf(__bfloat162float(row_in[i]) - max_val) / sum));",
        ),
    ),
    # Lanes without a warp bring 0 to the maximum, too.
    Wrong(
        "xxvi_softmax_logs_zero_in_maximum",
        "xxvi_softmax_logs",
        "start / infinity / numbers / nan | function / whole range / precision / subnormal / block size",
        ("shared[lane] : -INFINITY", "shared[lane] : 0.0f"),
    ),
    # The distance of the means does not count.
    Wrong(
        "xxvi_norm_welford_means_apart",
        "xxvi_norm_welford",
        "left out / function | numbers / sides / precision",
        ("a.m2 + b.m2 + delta * delta * (a.count * b.count / count);", "a.m2 + b.m2;"),
    ),
    # The middle of two means is their mean if both have as many numbers.
    Wrong(
        "xxvi_norm_welford_middle_of_means",
        "xxvi_norm_welford",
        "function / sides / tail | numbers / left out / other element / precision / twice",
        ("a.mean + delta * (b.count / count);", "(a.mean + b.mean) / 2.0f;"),
    ),
    # The variance is one of a sample.
    Wrong(
        "xxvi_norm_welford_sample",
        "xxvi_norm_welford",
        "function / sides | numbers / nan / infinity / precision",
        ("/ (float)cols;", "/ (float)(cols - 1);"),
    ),
    # Two lanes without numbers: 0 / 0.
    Wrong(
        "xxvi_norm_welford_empty_lanes",
        "xxvi_norm_welford",
        "nan / sides | tail / start / numbers / infinity / left out / block size / function",
        ("    if (count == 0.0f) return a;\n", ""),
    ),
    # The mean of the squares less the square of the mean, in floats.
    Wrong(
        "xxvi_norm_two_pass_in_one_formula",
        "xxvi_norm_two_pass",
        "precision / rounding / numbers / nan | infinity / function / whole range",
        ("= __half2float(src[c]) - mean;", "= __half2float(src[c]);"),
        (
            "reduce_in_block(acc, buf) / hidden;\n    const float rstd",
            "reduce_in_block(acc, buf) / hidden - mean * mean;\n    const float rstd",
        ),
    ),
    # The mean is kept as a half like the rest.
    Wrong(
        "xxvi_norm_two_pass_mean_is_half",
        "xxvi_norm_two_pass",
        "rounding / precision | numbers / narrow / function / sides",
        (
            "mean = reduce_in_block(acc, buf) / hidden;",
            "mean = __half2float(__float2half(reduce_in_block(acc, buf) / hidden));",
        ),
    ),
    # The variance starts with the thread's sum.
    Wrong(
        "xxvi_norm_two_pass_sum_goes_on",
        "xxvi_norm_two_pass",
        "start / function | numbers / zero before / nan / infinity / twice / state",
        ("    acc = 0.f;  // again, for the variance\n", ""),
    ),
    # The sum of the squares in place of their mean.
    Wrong(
        "xxvi_norm_residual_sum_not_mean",
        "xxvi_norm_residual",
        "function / sides / left out | numbers",
        ("rsqrtf(total / hidden_size + epsilon)", "rsqrtf(total + epsilon)"),
    ),
    # Epsilon is divided as well.
    Wrong(
        "xxvi_norm_residual_eps_divided",
        "xxvi_norm_residual",
        "function | numbers / sides / precision / rounding",
        ("total / hidden_size + epsilon", "(total + epsilon) / hidden_size"),
    ),
    # The weight of the thread: for long rows a thread has more than one.
    Wrong(
        "xxvi_norm_residual_weight_of_thread",
        "xxvi_norm_residual",
        "other element / left out / block size / sides | function / numbers / swapped",
        ("__bfloat162float(weight[i])", "__bfloat162float(weight[threadIdx.x])"),
    ),
    # The residual is updated in place as well, as another library does.
    Wrong(
        "xxvi_norm_residual_in_place",
        "xxvi_norm_residual",
        "input | state / race",
        (
            "    residual_out[base + i] = z;\n",
            "    residual_out[base + i] = z;\n    const_cast<__nv_bfloat16*>(residual)[base + i] = z;\n",
        ),
    ),
    # 1 / cols is an integer.
    Wrong(
        "xxvi_rows_means_integer_quotient",
        "xxvi_rows_means",
        "function / rounding / copy | numbers / sides / unwritten / zero before / precision / sign of zero",
        ("total / cols;", "total * (1 / cols);"),
    ),
    # The block is as asked, and a warp that is not whole does not count.
    Wrong(
        "xxvi_rows_means_warp_not_whole",
        "xxvi_rows_means",
        "block size / left out / race / timeout / refused | sides / tail / function / numbers / unwritten / other element",
        ("threads = (block_size + 31) / 32 * 32;", "threads = block_size;"),
    ),
    # What is added up is divided by the number of threads.
    Wrong(
        "xxvi_rows_means_of_threads",
        "xxvi_rows_means",
        "function / block size / sides | numbers",
        ("total / cols;", "total / blockDim.x;"),
    ),
    # Nobody sets the sums to 0.
    Wrong(
        "xxvi_rows_columns_no_memset",
        "xxvi_rows_columns",
        "zero before / state | start / unwritten / numbers / nan",
        ("    cudaMemsetAsync(db, 0, cols * sizeof(float), stream);\n", ""),
    ),
    # Sixteen blocks add to one sum at the same time.
    Wrong(
        "xxvi_rows_columns_plain_addition",
        "xxvi_rows_columns",
        "race | left out / sides / state / numbers",
        ("atomicAdd(&db[col], sum);", "db[col] += sum;"),
    ),
    # The sums are set to 0 on the default stream.
    Wrong(
        "xxvi_rows_columns_memset_elsewhere",
        "xxvi_rows_columns",
        "stream | race / zero before / state",
        (
            "cudaMemsetAsync(db, 0, cols * sizeof(float), stream);",
            "cudaMemsetAsync(db, 0, cols * sizeof(float));",
        ),
    ),
    # Of equal scores of a thread the last one counts.
    Wrong(
        "xxvi_rows_predict_last_of_equal",
        "xxvi_rows_predict",
        "other element / numbers / function | sides / start / infinity",
        ("if (row[i] > best) {", "if (row[i] >= best) {"),
    ),
    # The largest score starts with 0.
    Wrong(
        "xxvi_rows_predict_from_zero",
        "xxvi_rows_predict",
        "start / numbers | other element / function / copy / sides / infinity",
        ("best = -INFINITY;", "best = 0.0f;"),
    ),
    # The places stay where they are.
    Wrong(
        "xxvi_rows_predict_place_stays",
        "xxvi_rows_predict",
        "other element / left out / function | sides / numbers",
        ("                idxs[tid] = idxs[tid + s];\n", ""),
    ),
    # The barrier is where only a part of the threads comes.
    Wrong(
        "xxvi_rows_predict_barrier_in_if",
        "xxvi_rows_predict",
        "race / timeout | left out / other element / sides / numbers / unwritten",
        (
            "            }\n        }\n        __syncthreads();",
            "            }\n            __syncthreads();\n        }",
        ),
    ),
    # Each number's own value is not in its sum.
    Wrong(
        "xxvi_rows_cumsum_exclusive",
        "xxvi_rows_cumsum",
        "function / left out / other element / neighbour | sides / numbers",
        ("= carry + temp[t];", "= carry + temp[t] - in[row * cols + i];"),
    ),
    # The next piece starts with the last piece's sum, and not with the sum of all before it.
    Wrong(
        "xxvi_rows_cumsum_carry_of_one_piece",
        "xxvi_rows_cumsum",
        "left out / start / function | sides / tail / numbers / block size / state",
        ("carry += temp[N_THREADS - 1];", "carry = temp[N_THREADS - 1];"),
    ),
    # The next row starts where this one ended.
    Wrong(
        "xxvi_rows_cumsum_row_after_row",
        "xxvi_rows_cumsum",
        "start | sides / state / grid / numbers / other element / function / twice / tail",
        ("        int64_t carry = 0;\n", ""),
        (
            "    const int t = threadIdx.x;\n",
            "    const int t = threadIdx.x;\n    int64_t carry = 0;\n",
        ),
    ),
    # A fast warp adds to what a slow one still has to read.
    Wrong(
        "xxvi_rows_cumsum_read_and_written",
        "xxvi_rows_cumsum",
        "race | twice / left out / sides / numbers / function / other element",
        ("                __syncthreads();  // all have read\n", ""),
    ),
    # Sums of integers are kept as integers.
    Wrong(
        "xxvi_rows_cumsum_int_sums",
        "xxvi_rows_cumsum",
        "narrow / whole range | numbers / function / sides / left out",
        ("__shared__ int64_t temp[N_THREADS];", "__shared__ int temp[N_THREADS];"),
        ("int64_t carry = 0;", "int carry = 0;"),
    ),
)

RIGHT = (
    # Neighbours of a block go down and not across.
    Right(
        "xxvi_transpose_naive_down",
        "xxvi_transpose_naive",
        ("blockIdx.x * blockDim.x + threadIdx.x;", "blockIdx.x * blockDim.x + threadIdx.y;"),
        ("blockIdx.y * blockDim.y + threadIdx.y;", "blockIdx.y * blockDim.y + threadIdx.x;"),
    ),
    # No column more than needed, and sixteen lines of threads.
    Right(
        "xxvi_transpose_batched_no_padding",
        "xxvi_transpose_batched",
        ("[TILE_DIM][TILE_DIM + 1]", "[TILE_DIM][TILE_DIM]"),
        ("BLOCK_ROWS = 8;", "BLOCK_ROWS = 16;"),
    ),
    # Sums in doubles, from the last product to the first.
    Right(
        "xxvi_product_plain_double_backwards",
        "xxvi_product_plain",
        ("float sum = 0.0f;", "double sum = 0.0;"),
        ("size_t k = 0; k < K; k++", "size_t k = K; k-- > 0;"),
    ),
    # Two columns of blocks too many, which do nothing.
    Right(
        "xxvi_product_tiled_idle_blocks",
        "xxvi_product_tiled",
        ("blocks((N + TS - 1) / TS,", "blocks((N + TS - 1) / TS + 2,"),
    ),
    # Neighbours have the same weights and other rows.
    Right(
        "xxvi_product_linear_rows_first",
        "xxvi_product_linear",
        ("row = idx / out_features;", "row = idx % batch_size;"),
        ("col = idx % out_features;", "col = idx / batch_size;"),
    ),
    # A block for each row, of which a quarter would do.
    Right(
        "xxvi_product_gemv_blocks_as_rows",
        "xxvi_product_gemv",
        ("(rows + warps_per_block - 1) / warps_per_block", "rows"),
    ),
    # The tree grows from neighbours.
    Right(
        "xxvi_product_dgemv_neighbours_first",
        "xxvi_product_dgemv",
        ("k = blockDim.x / 2; k > 0; k >>= 1", "k = 1; k < blockDim.x; k *= 2"),
        ("if (tid < k) sdata", "if (tid % (2 * k) == 0) sdata"),
    ),
    # Each lane has neighbours.
    Right(
        "xxvi_softmax_running_pieces",
        "xxvi_softmax_running",
        (
            "    float m = -FLT_MAX,",
            "    const int64_t piece = (D + 31) / 32;\n    float m = -FLT_MAX,",
        ),
        (
            "int64_t i = lane; i < D; i += 32) {\n        const float v",
            "int64_t i = lane * piece; i < D && i < (lane + 1) * piece; ++i) {\n        const float v",
        ),
    ),
    # The logarithm of the whole sum is subtracted at once.
    Right(
        "xxvi_softmax_logs_at_once",
        "xxvi_softmax_logs",
        ("log_sum = logf(sum);", "log_sum = max_val + logf(sum);"),
        ("- max_val - log_sum);", "- log_sum);"),
    ),
    # With exchanges all lanes have all of it.
    Right(
        "xxvi_norm_welford_exchanged",
        "xxvi_norm_welford",
        ("o.count = __shfl_down_sync", "o.count = __shfl_xor_sync"),
        ("o.mean = __shfl_down_sync", "o.mean = __shfl_xor_sync"),
        ("o.m2 = __shfl_down_sync", "o.m2 = __shfl_xor_sync"),
        ("__shfl_sync(0xffffffff, w.mean, 0);", "w.mean;"),
        ("__shfl_sync(0xffffffff, w.m2, 0) /", "w.m2 /"),
    ),
    # A block is a warp.
    Right(
        "xxvi_norm_two_pass_one_warp",
        "xxvi_norm_two_pass",
        ("kThreads = 128;", "kThreads = 32;"),
    ),
    # The sum is formed again instead of read.
    Right(
        "xxvi_norm_residual_added_again",
        "xxvi_norm_residual",
        (
            "z = __bfloat162float(residual_out[base + i]);",
            "z = __bfloat162float(__hadd(residual[base + i], input[base + i]));",
        ),
    ),
    # The warps add to one number of the block.
    Right(
        "xxvi_rows_means_shared_atomic",
        "xxvi_rows_means",
        ("__shared__ float partial[32];", "__shared__ float whole;"),
        ("    const int warp = threadIdx.x / 32;\n", ""),
        (
            "        float s = 0.0f;\n",
            "        float s = 0.0f;\n        if (threadIdx.x == 0) whole = 0.0f;\n        __syncthreads();\n",
        ),
        ("if (lane == 0) partial[warp] = s;", "if (lane == 0) atomicAdd(&whole, s);"),
        (
            "            float total = 0.0f;\n            for (int w = 0; w < blockDim.x / 32; w++) total += partial[w];\n            mean[r] = total / cols;",
            "            mean[r] = whole / cols;",
        ),
    ),
    # Parts without rows add 0: seven times as many as asked for.
    Right(
        "xxvi_rows_columns_more_parts",
        "xxvi_rows_columns",
        ("(cols + BLOCK - 1) / BLOCK, PARTS);", "(cols + BLOCK - 1) / BLOCK, 7 * PARTS);"),
    ),
    # From the last class to the first, a later one of equal scores is replaced.
    Right(
        "xxvi_rows_predict_backwards",
        "xxvi_rows_predict",
        (
            "int64_t i = tid; i < classes; i += BLOCK_DIM",
            "int64_t i = classes - 1 - tid; i >= 0; i -= BLOCK_DIM",
        ),
        ("if (row[i] > best) {", "if (row[i] >= best) {"),
    ),
    # Pieces of a hundred.
    Right(
        "xxvi_rows_cumsum_hundred", "xxvi_rows_cumsum", ("N_THREADS = 128;", "N_THREADS = 100;")
    ),
)
