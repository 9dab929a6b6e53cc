"""Hold half of a thirty-seventh family: transposes, products, softmax, norms, maxima, scans.

The causes were written before a member was judged. On the emulator each was run beside PyTorch:
bases and right ones are right, and all wrong ones but two wrong, or refused by a fault, some
only so:

    xxxvii_turn_tiles_not_awaited          from 2 rows and 2 columns on
    xxxvii_turn_tiles_same_test            if the sides differ
    xxxvii_turn_tiles_blocks_stay          from 17 rows or columns on
    xxxvii_turn_tiles_leave                unless both are multiples of 16, or equal and less
    xxxvii_mm_naive_one_row_more           if the rows are no multiple of 16
    xxxvii_mm_naive_step                   if inner side and columns differ, from 2 inside on
    xxxvii_mm_scores_batch_step            from 2 products on, if the sides differ
    xxxvii_mm_scores_not_used              from 9 inside on
    xxxvii_mm_scores_divided               if the scale is not 1
    xxxvii_mm_scores_no_depth_test         if the inner side is no multiple of 8
    xxxvii_mv_split_floor                  if the rows are no multiple of 4
    xxxvii_mv_split_last_part              if the rows are no multiple of 4
    xxxvii_soft_block_reused               from 2 columns on
    xxxvii_soft_block_no_max               of rows far from 0
    xxxvii_soft_block_own_sum              from 2 columns on
    xxxvii_soft_masked_sum_of_all          of rows with kept and with hidden elements
    xxxvii_soft_masked_nothing_kept        of rows of which nothing is kept
    xxxvii_soft_masked_first_mask          from 2 rows on, if their masks differ
    xxxvii_ln_add_one_less                 of rows that are not equal throughout, or of 1 column
    xxxvii_ln_add_of_input                 if the residual is not 0
    xxxvii_ln_add_no_epsilon               of equal rows, or nearly equal ones
    xxxvii_ln_rms_bf16_sum                 of even numbers of columns, of sums past 8 bits
    xxxvii_ln_rms_gain_of_first            of even numbers of columns, if the gains differ
    xxxvii_ln_rms_always_pairs             of an odd number of columns
    xxxvii_cols_max_from_zero              of columns without a number from 0 on
    xxxvii_cols_max_seven                  if the largest is in row 7, 15, 23, ...
    xxxvii_cols_max_place_of_thread        from 33 columns on
    xxxvii_rows_nearest_last_of_equal      of equal distances, from 33 columns on
    xxxvii_rows_nearest_place_stays        from 2 columns on
    xxxvii_rows_nearest_from_a_million     of rows without a distance below a million
    xxxvii_scan_rows_one_buffer            from 2 columns on
    xxxvii_scan_rows_carry_set             from 257 columns on
    xxxvii_scan_rows_greater               from 2 columns on
    xxxvii_rows_lse_not_rescaled           of rows that are not equal throughout
    xxxvii_rows_lse_without_max            of rows whose largest element is not 0
    xxxvii_rows_mean_not_reset             from 13 rows on
    xxxvii_rows_mean_other_side            if the sides differ
    xxxvii_rows_mean_integer_division      from 2 columns on
    xxxvii_rows_mean_block_as_warp         from 8 rows on

Two are wrong by reasoning:

    xxxvii_mv_split_plain_add              where blocks run at once
    xxxvii_ln_add_reused                   where warps run at once
"""

# ruff: noqa: E501 (a line of a kernel stands in one line)
from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong

# A student's transpose by square tiles.
TURN = """\
#define TILE 16

__global__ void transposeTiled(float *odata, const float *idata, int width, int height)
{
    __shared__ float tile[TILE][TILE + 1];

    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    if (x < width && y < height)
        tile[threadIdx.y][threadIdx.x] = idata[(int64_t)y * width + x];
    __syncthreads();

    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    if (x < height && y < width)
        odata[(int64_t)y * height + x] = tile[threadIdx.x][threadIdx.y];
}

extern "C" void launch(float *odata /* [width, height] */, const float *idata /* [height, width] */, int height, int width, cudaStream_t stream = 0)
{
    dim3 threads(TILE, TILE);
    dim3 blocks((width + TILE - 1) / TILE, (height + TILE - 1) / TILE);
    transposeTiled<<<blocks, threads, 0, stream>>>(odata, idata, width, height);
}
"""

# A student's naive product: one thread an element, blocks of 16 times 16.
NAIVE = """\
__global__ void matMulKernel(const float* A, const float* B, float* C, int M, int N, int K) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;

    if (row < M && col < N) {
        float sum = 0.0f;
        for (int k = 0; k < K; k++) {
            sum += A[(size_t)row * K + k] * B[(size_t)k * N + col];
        }
        C[(size_t)row * N + col] = sum;
    }
}

extern "C" void launch(const float* A /* [M, K] */, const float* B /* [K, N] */, float* C /* [M, N] */, int M, int N, int K, cudaStream_t stream = 0) {
    dim3 threadsPerBlock(16, 16);
    dim3 numBlocks((N + 15) / 16, (M + 15) / 16);
    matMulKernel<<<numBlocks, threadsPerBlock, 0, stream>>>(A, B, C, M, N, K);
}
"""

# A junior's scores of attention: scaled products of a batch of halves, both sides by rows.
SCORES = """\
constexpr int B = 8;

__global__ void qk_scores(const __half* __restrict__ q, const __half* __restrict__ k, float* __restrict__ scores, float scale, int tq, int tk, int d) {
  __shared__ float qs[B][B + 1];
  __shared__ float ks[B][B + 1];
  q += int64_t(blockIdx.z) * tq * d;
  k += int64_t(blockIdx.z) * tk * d;
  scores += int64_t(blockIdx.z) * tq * tk;
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int i = blockIdx.y * B + ty;
  const int j = blockIdx.x * B + tx, jl = blockIdx.x * B + ty;
  float acc = 0.f;
  for (int c = 0; c < d; c += B) {
    qs[ty][tx] = i < tq && c + tx < d ? __half2float(q[int64_t(i) * d + c + tx]) : 0.f;
    ks[ty][tx] = jl < tk && c + tx < d ? __half2float(k[int64_t(jl) * d + c + tx]) : 0.f;
    __syncthreads();  // both are there
    for (int e = 0; e < B; ++e) acc += qs[ty][e] * ks[tx][e];
    __syncthreads();  // both are used
  }
  if (i < tq && j < tk) scores[int64_t(i) * tk + j] = scale * acc;
}

extern "C" void launch(const __half* q /* [bh, tq, d] */, const __half* k /* [bh, tk, d] */, float* scores /* [bh, tq, tk] */, float scale, int bh, int tq, int tk, int d, cudaStream_t stream = 0) {
  const dim3 grid((tk + B - 1) / B, (tq + B - 1) / B, bh);
  qk_scores<<<grid, dim3(B, B), 0, stream>>>(q, k, scores, scale, tq, tk, d);
}
"""

# A student's matrix times vector: a block a row, a tree in dynamic shared memory.
MATVEC = """\
const int THREADS = 128;

__global__ void matVec(float *y, const float *mat, const float *x, int64_t rows, int64_t cols)
{
    extern __shared__ float partial[];
    int tid = threadIdx.x;
    int64_t row = blockIdx.x;
    float p = 0;
    for (int64_t j = tid; j < cols; j += THREADS)
        p += mat[row * cols + j] * x[j];
    partial[tid] = p;
    __syncthreads();
    for (int s = THREADS / 2; s > 0; s = s / 2) {
        if (tid < s)
            partial[tid] += partial[tid + s];
        __syncthreads();
    }
    if (tid == 0)
        y[row] = partial[0];
}

extern "C" void launch(float *y /* [rows] */, const float *mat /* [rows, cols] */, const float *x /* [cols] */, int64_t rows, int64_t cols, cudaStream_t stream = 0)
{
    matVec<<<rows, THREADS, THREADS * sizeof(float), stream>>>(y, mat, x, rows, cols);
}
"""

# A junior's vector times a matrix of bfloat16: the rows in four parts, added by atomics.
VECMAT = """\
namespace {
constexpr int kThreads = 64;
constexpr int kSplits = 4;

__global__ void vecmat_split(const float* __restrict__ x, const __nv_bfloat16* __restrict__ w, float* __restrict__ out, int64_t m, int64_t n, int64_t chunk) {
    const int64_t j = int64_t{blockIdx.x} * kThreads + threadIdx.x;
    if (j >= n) return;
    const int64_t begin = blockIdx.y * chunk;
    const int64_t end = begin + chunk < m ? begin + chunk : m;
    float acc = 0.f;
    for (int64_t i = begin; i < end; ++i) acc += x[i] * __bfloat162float(w[i * n + j]);
    atomicAdd(&out[j], acc);
}
}  // namespace

extern "C" void launch(const float* x /* [m] */, const __nv_bfloat16* w /* [m, n] */, float* out /* [n] */, int64_t m, int64_t n, cudaStream_t stream = 0) {
    cudaMemsetAsync(out, 0, n * sizeof(float), stream);
    const int64_t chunk = (m + kSplits - 1) / kSplits;
    const dim3 grid(static_cast<unsigned>((n + kThreads - 1) / kThreads), kSplits);
    vecmat_split<<<grid, kThreads, 0, stream>>>(x, w, out, m, n, chunk);
}
"""

# A student's softmax: a block a row, two trees in the same shared memory.
SOFT = """\
#define BLOCK 256

__global__ void softmaxRow(const float* in, float* out, int n)
{
    __shared__ float buf[BLOCK];
    int tid = threadIdx.x;
    const float* x = in + (size_t)blockIdx.x * n;
    float* y = out + (size_t)blockIdx.x * n;

    // 1. maximum
    float m = -FLT_MAX;
    for (int i = tid; i < n; i += BLOCK) m = fmaxf(m, x[i]);
    buf[tid] = m;
    __syncthreads();
    for (int s = BLOCK / 2; s > 0; s >>= 1) {
        if (tid < s) buf[tid] = fmaxf(buf[tid], buf[tid + s]);
        __syncthreads();
    }
    float row_max = buf[0];
    __syncthreads();  // everybody has the maximum

    // 2. sum
    float sum = 0.0f;
    for (int i = tid; i < n; i += BLOCK) {
        float e = expf(x[i] - row_max);
        y[i] = e;
        sum += e;
    }
    buf[tid] = sum;
    __syncthreads();
    for (int s = BLOCK / 2; s > 0; s >>= 1) {
        if (tid < s) buf[tid] += buf[tid + s];
        __syncthreads();
    }
    float total = buf[0];

    // 3. divide
    for (int i = tid; i < n; i += BLOCK) y[i] = y[i] / total;
}

extern "C" void launch(const float* in /* [batch, n] */, float* out /* [batch, n] */, int batch, int n, cudaStream_t stream = 0)
{
    softmaxRow<<<batch, BLOCK, 0, stream>>>(in, out, n);
}
"""

# A junior's softmax of halves with a mask of bytes: a warp a row; nothing kept makes zeros.
MASKED = """\
template <int WARPS>
__global__ void masked_softmax_kernel(const __half* __restrict__ x, const uint8_t* __restrict__ keep, __half* __restrict__ y, float scale, int64_t rows, int64_t cols)
{
    const int64_t row = int64_t(blockIdx.x) * WARPS + threadIdx.y;
    if (row >= rows) return;
    const int lane = threadIdx.x;
    const int64_t at = row * cols;

    float top = -INFINITY;
    for (int64_t c = lane; c < cols; c += 32) {
        const float z = keep[at + c] ? scale * __half2float(x[at + c]) : -INFINITY;
        top = fmaxf(top, z);
    }
    for (int o = 16; o; o >>= 1) top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, o));
    if (top == -INFINITY) top = 0.f;

    float sum = 0.f;
    for (int64_t c = lane; c < cols; c += 32) {
        if (keep[at + c]) sum += expf(scale * __half2float(x[at + c]) - top);
    }
    for (int o = 16; o; o >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, o);
    const float inv = sum == 0.f ? 0.f : 1.f / sum;

    for (int64_t c = lane; c < cols; c += 32) {
        const float z = keep[at + c] ? scale * __half2float(x[at + c]) : -INFINITY;
        y[at + c] = __float2half_rn(expf(z - top) * inv);
    }
}

extern "C" void launch(const __half* x /* [rows, cols] */, const uint8_t* keep /* [rows, cols] */, __half* y /* [rows, cols] */, float scale, int64_t rows, int64_t cols, cudaStream_t stream = 0)
{
    constexpr int W = 3;
    masked_softmax_kernel<W><<<unsigned((rows + W - 1) / W), dim3(32, W), 0, stream>>>(x, keep, y, scale, rows, cols);
}
"""

# A junior's residual addition with a layer norm behind it: two outputs, a block a row.
ADDNORM = """\
__device__ float block_sum(float v, float* red) {
  for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffff, v, o);
  __syncthreads();  // the last sum has been read
  if (threadIdx.x % 32 == 0) red[threadIdx.x / 32] = v;
  __syncthreads();
  float s = 0.f;
  for (int w = 0; w < blockDim.x / 32; ++w) s += red[w];
  return s;
}

__global__ void add_layer_norm(float* __restrict__ hidden, float* __restrict__ normed, const float* __restrict__ x, const float* __restrict__ residual, const float* __restrict__ gamma, const float* __restrict__ beta, int64_t dim, float eps) {
  __shared__ float red[32];
  const int64_t off = blockIdx.x * dim;
  float part = 0.f;
  for (int64_t i = threadIdx.x; i < dim; i += blockDim.x) {
    const float h = x[off + i] + residual[off + i];
    hidden[off + i] = h;
    part += h;
  }
  const float mean = block_sum(part, red) / dim;
  part = 0.f;
  for (int64_t i = threadIdx.x; i < dim; i += blockDim.x) {
    const float d = hidden[off + i] - mean;
    part += d * d;
  }
  const float var = block_sum(part, red) / dim;
  const float rstd = rsqrtf(var + eps);
  for (int64_t i = threadIdx.x; i < dim; i += blockDim.x) {
    normed[off + i] = (hidden[off + i] - mean) * rstd * gamma[i] + beta[i];
  }
}

extern "C" void launch(const float* x /* [tokens, dim] */, const float* residual /* [tokens, dim] */, const float* gamma /* [dim] */, const float* beta /* [dim] */, float* hidden /* [tokens, dim] */, float* normed /* [tokens, dim] */, int64_t tokens, int64_t dim, float eps = 1e-5f, cudaStream_t stream = 0) {
  add_layer_norm<<<(unsigned)tokens, 128, 0, stream>>>(hidden, normed, x, residual, gamma, beta, dim, eps);
}
"""

# A junior's RMS norm of bfloat16: a warp a row, in pairs where the columns allow it.
RMS = """\
using bf16 = __nv_bfloat16;
using bf162 = __nv_bfloat162;

__device__ __forceinline__ float all_lanes(float v) {
#pragma unroll
    for (int o = 16; o > 0; o /= 2) v += __shfl_xor_sync(0xffffffff, v, o);
    return v;
}

__global__ void rms_pairs(const bf162* x, const bf162* w, bf162* y, int rows, int pairs, float eps) {
    const int r = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (r >= rows) return;
    x += (int64_t)r * pairs;
    y += (int64_t)r * pairs;
    float ss = 0.0f;
    for (int i = lane; i < pairs; i += 32) {
        const float2 v = __bfloat1622float2(x[i]);
        ss += v.x * v.x + v.y * v.y;
    }
    const float inv = rsqrtf(all_lanes(ss) / (2 * pairs) + eps);
    for (int i = lane; i < pairs; i += 32) {
        const float2 v = __bfloat1622float2(x[i]), g = __bfloat1622float2(w[i]);
        y[i] = __floats2bfloat162_rn(v.x * inv * g.x, v.y * inv * g.y);
    }
}

__global__ void rms_single(const bf16* x, const bf16* w, bf16* y, int rows, int cols, float eps) {
    const int r = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (r >= rows) return;
    x += (int64_t)r * cols;
    y += (int64_t)r * cols;
    float ss = 0.0f;
    for (int i = lane; i < cols; i += 32) {
        const float v = __bfloat162float(x[i]);
        ss += v * v;
    }
    const float inv = rsqrtf(all_lanes(ss) / cols + eps);
    for (int i = lane; i < cols; i += 32) y[i] = __float2bfloat16(__bfloat162float(x[i]) * inv * __bfloat162float(w[i]));
}

extern "C" void launch(bf16* y,        // [rows, cols] 4-byte aligned
                       const bf16* x,  // [rows, cols] 4-byte aligned
                       const bf16* w,  // [cols] 4-byte aligned
                       int rows, int cols, float eps, cudaStream_t stream = 0) {
    const int blocks = (rows + 3) / 4;
    if (cols % 2 == 0) {
        rms_pairs<<<blocks, 128, 0, stream>>>((const bf162*)x, (const bf162*)w, (bf162*)y, rows, cols / 2, eps);
    } else {
        rms_single<<<blocks, 128, 0, stream>>>(x, w, y, rows, cols, eps);
    }
}
"""

# A student's largest integers of the columns: blocks of 32 columns and 8 rows.
COLMAX = """\
#include <climits>

__global__ void maxOfColumns(const int *mat, int *result, int nRows, int nCols)
{
    __shared__ int part[8][32];
    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int col = blockIdx.x * 32 + tx;

    int best = INT_MIN;
    if (col < nCols) {
        for (int row = ty; row < nRows; row += 8) {
            int v = mat[(long long)row * nCols + col];
            if (v > best)
                best = v;
        }
    }
    part[ty][tx] = best;
    __syncthreads();

    if (ty == 0 && col < nCols) {
        for (int k = 1; k < 8; k++) {
            if (part[k][tx] > best)
                best = part[k][tx];
        }
        result[col] = best;
    }
}

extern "C" void launch(const int *mat /* [nRows, nCols] */, int *result /* [nCols] */, int nRows, int nCols, cudaStream_t stream = 0)
{
    dim3 block(32, 8);
    maxOfColumns<<<(nCols + 31) / 32, block, 0, stream>>>(mat, result, nRows, nCols);
}
"""

# A junior's nearest centre of each sample, from a table of distances: a warp a row.
NEAREST = """\
__global__ void nearest_centre(const float* __restrict__ dist, int* __restrict__ label, float* __restrict__ best, int64_t samples, int centres) {
  const int64_t s = (int64_t(blockIdx.x) * blockDim.x + threadIdx.x) >> 5;
  const int lane = threadIdx.x & 31;
  if (s >= samples) return;
  const float* row = dist + s * centres;
  float d = INFINITY;
  int at = lane;
  for (int c = lane; c < centres; c += 32) {
    const float v = row[c];
    if (v < d) {
      d = v;
      at = c;
    }
  }
  for (int o = 16; o > 0; o >>= 1) {
    const float od = __shfl_xor_sync(0xffffffffu, d, o);
    const int oat = __shfl_xor_sync(0xffffffffu, at, o);
    if (od < d || (od == d && oat < at)) {
      d = od;
      at = oat;
    }
  }
  if (lane == 0) {
    label[s] = at;
    best[s] = d;
  }
}

extern "C" void launch(const float* dist /* [samples, centres] */, int* label /* [samples] */, float* best /* [samples] */, int64_t samples, int centres, cudaStream_t stream = 0) {
  constexpr int warps = 5;
  nearest_centre<<<unsigned((samples + warps - 1) / warps), 32 * warps, 0, stream>>>(dist, label, best, samples, centres);
}
"""

# A student's running sums of rows: a block a row, two buffers, 128 elements at a time.
SCAN = """\
#define N_THREADS 128

__global__ void scan_rows(float *g_odata, const float *g_idata, int64_t n)
{
    __shared__ float temp[2][N_THREADS];
    int thid = threadIdx.x;
    float carry = 0.0f;
    g_idata += blockIdx.x * n;
    g_odata += blockIdx.x * n;

    for (int64_t start = 0; start < n; start += N_THREADS) {
        int64_t i = start + thid;
        int pout = 0;
        temp[0][thid] = (i < n) ? g_idata[i] : 0.0f;
        __syncthreads();
        for (int offset = 1; offset < N_THREADS; offset *= 2) {
            int pin = pout;
            pout = 1 - pout;
            if (thid >= offset)
                temp[pout][thid] = temp[pin][thid] + temp[pin][thid - offset];
            else
                temp[pout][thid] = temp[pin][thid];
            __syncthreads();
        }
        if (i < n)
            g_odata[i] = carry + temp[pout][thid];
        carry += temp[pout][N_THREADS - 1];
        __syncthreads();  // next part
    }
}

extern "C" void launch(float *g_odata /* [m, n] */, const float *g_idata /* [m, n] */, int64_t m, int64_t n, cudaStream_t stream = 0)
{
    scan_rows<<<m, N_THREADS, 0, stream>>>(g_odata, g_idata, n);
}
"""

# A junior's log-sum-exp of rows in one pass: pairs of a maximum and a sum are merged.
LSE = """\
struct MaxSum {
  float m, s;
};

__device__ MaxSum merge(MaxSum a, MaxSum b) {
  const float m = fmaxf(a.m, b.m);
  const float sa = a.m == m ? a.s : a.s * expf(a.m - m);
  const float sb = b.m == m ? b.s : b.s * expf(b.m - m);
  return {m, sa + sb};
}

__global__ void logsumexp_online(const float* __restrict__ x, float* __restrict__ lse, int64_t cols) {
  __shared__ MaxSum parts[3];
  const float* row = x + int64_t(blockIdx.x) * cols;
  MaxSum acc{-INFINITY, 0.f};
  for (int64_t c = threadIdx.x; c < cols; c += blockDim.x) acc = merge(acc, {row[c], 1.f});
  for (int o = 1; o < 32; o <<= 1) {
    MaxSum other;
    other.m = __shfl_xor_sync(~0u, acc.m, o);
    other.s = __shfl_xor_sync(~0u, acc.s, o);
    acc = merge(acc, other);
  }
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = acc;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < blockDim.x / 32; ++w) acc = merge(acc, parts[w]);
    lse[blockIdx.x] = acc.m + logf(acc.s);
  }
}

extern "C" void launch(const float* x /* [rows, cols] */, float* lse /* [rows] */, int64_t rows, int64_t cols, cudaStream_t stream = 0) {
  logsumexp_online<<<static_cast<unsigned>(rows), 96, 0, stream>>>(x, lse, cols);
}
"""

# A student's means of rows: twelve warps walk all rows.
ROWMEAN = """\
__global__ void rowMeans(const float* x, float* means, long long rows, long long cols)
{
    int lane = threadIdx.x % 32;
    long long warpId = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    long long nWarps = gridDim.x * (blockDim.x / 32);

    for (long long r = warpId; r < rows; r += nWarps) {
        float acc = 0.0f;
        for (long long c = lane; c < cols; c += 32)
            acc += x[r * cols + c];
        for (int delta = 16; delta > 0; delta /= 2)
            acc += __shfl_down_sync(0xffffffff, acc, delta);
        if (lane == 0)
            means[r] = acc / cols;
    }
}

extern "C" void launch(const float* x /* [rows, cols] */, float* means /* [rows] */, long long rows, long long cols, cudaStream_t stream = 0)
{
    rowMeans<<<6, 64, 0, stream>>>(x, means, rows, cols);
}
"""

FLOAT, HALF, BF16, INT = (torch.float32,), (torch.float16,), (torch.bfloat16,), (torch.int32,)
SIDES = ((1, 1), (1, 37), (5, 6), (33, 4), (6, 100), (3, 300), (7, 64), (45, 23))


def _numbers(*size: int, limit: int = 20) -> torch.Tensor:
    generator = torch.Generator().manual_seed(sum(13 * side for side in size) + limit)
    return torch.randint(-limit, limit + 1, size, generator=generator).float()


def _case(words: str, inputs: tuple, right, dtypes: tuple, scalars=None, **options) -> Case:
    sizes = ", ".join(" x ".join(map(str, tensor.shape)) for tensor in inputs)
    label = f"{sizes} {words} {scalars or ''}".strip()
    right = right if isinstance(right, tuple) else (right,)
    return Case(label, inputs, right, *([scalars] if scalars else []), dtypes=dtypes, **options)


def turn(launcher: Launcher) -> Iterator[Case]:
    """Turn floats: square and not, whole tiles and not."""
    for size in ((1, 1), (16, 16), (48, 48), (16, 80), (9, 70), (70, 9), (1, 150), (40, 33)):
        x = _numbers(*size, limit=9000) / 8
        yield _case("", (x,), x.T.contiguous(), FLOAT)


def naive(launcher: Launcher) -> Iterator[Case]:
    """Multiply floats: all is exact."""
    for m, k, n in ((1, 1, 1), (4, 7, 5), (16, 16, 16), (20, 5, 33), (33, 40, 20), (2, 90, 17)):
        a, b = _numbers(m, k) / 2, _numbers(k, n) / 4
        yield _case("", (a, b), a.double() @ b.double(), FLOAT)


def scores(launcher: Launcher) -> Iterator[Case]:
    """Multiply rows by rows, scale by powers of two: all is exact."""
    for bh, tq, tk, d in (
        (1, 1, 1, 1),
        (1, 8, 8, 8),
        (2, 5, 9, 6),
        (3, 17, 8, 20),
        (2, 11, 21, 32),
    ):
        q, k = (_numbers(bh, tq, d) / 4).half(), _numbers(bh, tk, d, limit=30).half()
        for scale in (1.0, 0.125):
            right = scale * (q.double() @ k.double().transpose(1, 2))
            yield _case("", (q, k), right, FLOAT, {"scale": scale})


def matvec(launcher: Launcher) -> Iterator[Case]:
    """Multiply by a vector: all is exact."""
    for m, n in SIDES:
        a, x = _numbers(m, n) / 2, _numbers(n)
        yield _case("", (a, x), a.double() @ x.double(), FLOAT)


def vecmat(launcher: Launcher) -> Iterator[Case]:
    """Multiply a vector by a matrix: all is exact, in any order."""
    for m, n in (*SIDES, (8, 130)):
        x, w = _numbers(m) / 2, _numbers(m, n).bfloat16()
        yield _case("", (x, w), x.double() @ w.double(), FLOAT)


def soft(launcher: Launcher) -> Iterator[Case]:
    """Take softmax of usual and of distant rows."""
    for m, n in (*SIDES, (2, 700)):
        for words, shift in (("", 0), ("200 less", -200), ("200 more", 200)):
            x = _numbers(m, n) / 8 + shift
            right = torch.softmax(x.double(), dim=1)
            yield _case(words, (x,), right, FLOAT, ulp=2, within=(2.0**-18 * right,))


def masked(launcher: Launcher) -> Iterator[Case]:
    """Take softmax of what a mask keeps: all, half, little, nothing."""
    for m, n in SIDES:
        for words, least in (
            ("all kept", -99),
            ("", 0),
            ("little kept", 16),
            ("nothing kept", 99),
        ):
            for scale in (1.0, 0.5):
                x = (_numbers(m, n) / 8).half()
                keep = (_numbers(m, n, limit=19) >= least).to(torch.uint8)
                z = (x.double() * scale).masked_fill(keep == 0, float("-inf"))
                right = torch.softmax(z, dim=1).nan_to_num(0.0)
                slack = 2.0**-10 * right + 2.0**-24
                options = {"within": (slack,)}
                yield _case(words, (x, keep), right, HALF, {"scale": scale}, **options)


def addnorm(launcher: Launcher) -> Iterator[Case]:
    """Add and norm usual, distant and equal rows."""
    for m, n in SIDES:
        for scale, shift in ((0.125, 0.0), (1.0, 50.0), (0.0, 3.0)):
            x, residual = _numbers(m, n) * scale + shift, _numbers(m, n, limit=33) * scale
            gamma, beta = _numbers(n, limit=3) + 4.0, _numbers(n)
            hidden = x.double() + residual.double()
            away = hidden - hidden.mean(dim=1, keepdim=True)
            inverse = 1 / torch.sqrt(away.square().mean(dim=1, keepdim=True) + 2.0**-14)
            right = away * inverse * gamma.double() + beta.double()
            largest = hidden.abs().amax(dim=1, keepdim=True)
            slack = 2.0**-19 * (largest * inverse * gamma + 30) + 2.0**-18 * right.abs()
            yield _case(
                f"about {shift}, times {scale}",
                (x, residual, gamma, beta),
                (hidden, right),
                FLOAT * 2,
                {"eps": 2.0**-14},
                within=(torch.zeros_like(hidden), slack),
            )


def rms(launcher: Launcher) -> Iterator[Case]:
    """Norm zeros, small and usual rows of bfloat16."""
    for m, n in (*SIDES, (2, 600)):
        for scale in (0.0, 2.0**-9, 1.0):
            x, w = (_numbers(m, n) * scale).bfloat16(), (_numbers(n) / 16).bfloat16()
            root = torch.sqrt(x.double().square().mean(dim=1, keepdim=True) + 2.0**-12)
            right = x.double() / root * w.double()
            options = {"within": (2.0**-8 * 1.02 * right.abs(),)}
            yield _case(f"times {scale}", (x, w), right, BF16, {"eps": 2.0**-12}, **options)


def colmax(launcher: Launcher) -> Iterator[Case]:
    """Find the largest of columns of integers: mixed, negative, positive, rising, extreme."""
    for m, n in SIDES:
        x = _numbers(m, n, limit=9000).int()
        for words, y in (
            ("", x),
            ("negative", x - 9001),
            ("positive", x + 9001),
            ("rising", x.sort(dim=0)[0]),
            ("large", x + 2**30),
            ("least", x * 0 - 2**31),
        ):
            yield _case(words, (y,), y.amax(dim=0), INT)


def nearest(launcher: Launcher) -> Iterator[Case]:
    """Find the first least: mixed, equal, large distances, infinities."""
    for m, n in SIDES:
        x = _numbers(m, n, limit=5000).abs()
        for words, y in (
            ("", x),
            ("equal", x.clamp(min=3000)),
            ("large", x * 2.0**60 + 2.0**70),
            ("falling", x.sort(dim=1, descending=True)[0]),
            ("infinite", x + float("inf")),
        ):
            least = y.amin(dim=1, keepdim=True)
            right = torch.where(y == least, torch.arange(n), n).amin(dim=1).int()
            yield _case(words, (y,), (right, least[:, 0].contiguous()), INT + FLOAT)


def scan(launcher: Launcher) -> Iterator[Case]:
    """Take running sums of whole numbers: all is exact."""
    for m, n in (*SIDES, (2, 128), (2, 600)):
        x = _numbers(m, n, limit=500)
        for words, y in (("", x), ("positive", x.abs() + 1)):
            yield _case(words, (y,), y.double().cumsum(dim=1), FLOAT)


def lse(launcher: Launcher) -> Iterator[Case]:
    """Take log-sum-exp of usual, distant, rising and infinite rows."""
    for m, n in SIDES:
        x = _numbers(m, n) / 4
        for words, y in (
            ("", x),
            ("300 less", x - 300),
            ("300 more", x + 300),
            ("rising", x.sort(dim=1)[0]),
            ("minus infinity", x - float("inf")),
        ):
            right = torch.logsumexp(y.double(), dim=1)
            slack = 2.0**-20 * (right.abs() + 4)
            slack = torch.where(right.isinf(), 0.0, slack)
            yield _case(words, (y,), right, FLOAT, ulp=2, within=(slack,))


def rowmean(launcher: Launcher) -> Iterator[Case]:
    """Take means of rows of whole numbers: their sums are exact."""
    for m, n in (*SIDES, (13, 9), (30, 70)):
        x = _numbers(m, n, limit=500)
        yield _case("", (x,), x.double().mean(dim=1), FLOAT, ulp=1)


BASES = {
    "xxxvii_turn_tiles": Base(HEADER + TURN, {"cases": turn}),
    "xxxvii_mm_naive": Base(HEADER + NAIVE, {"cases": naive}),
    "xxxvii_mm_scores": Base(HEADER + SCORES, {"cases": scores}),
    "xxxvii_mv_tree": Base(HEADER + MATVEC, {"cases": matvec}),
    "xxxvii_mv_split": Base(HEADER + VECMAT, {"cases": vecmat}),
    "xxxvii_soft_block": Base(HEADER + SOFT, {"cases": soft}),
    "xxxvii_soft_masked": Base(HEADER + MASKED, {"cases": masked}),
    "xxxvii_ln_add": Base(HEADER + ADDNORM, {"cases": addnorm}),
    "xxxvii_ln_rms": Base(HEADER + RMS, {"cases": rms}),
    "xxxvii_cols_max": Base(HEADER + COLMAX, {"cases": colmax}),
    "xxxvii_rows_nearest": Base(HEADER + NEAREST, {"cases": nearest}),
    "xxxvii_scan_rows": Base(HEADER + SCAN, {"cases": scan}),
    "xxxvii_rows_lse": Base(HEADER + LSE, {"cases": lse}),
    "xxxvii_rows_mean": Base(HEADER + ROWMEAN, {"cases": rowmean}),
}

WRONG = (
    # ---- a transpose by tiles
    # The tile is read before all of it is there.
    Wrong(
        "xxxvii_turn_tiles_not_awaited",
        "xxxvii_turn_tiles",
        "race | unwritten / left out / other element / numbers / sides",
        ("    __syncthreads();\n", ""),
    ),
    # The second test is the first.
    Wrong(
        "xxxvii_turn_tiles_same_test",
        "xxxvii_turn_tiles",
        "bounds / unwritten / sides | left out / tail / swapped / other element / race",
        ("if (x < height && y < width)", "if (x < width && y < height)"),
    ),
    # What is in a tile is turned, the tiles are not.
    Wrong(
        "xxxvii_turn_tiles_blocks_stay",
        "xxxvii_turn_tiles",
        "other element / swapped / sides / unwritten | left out / function / bounds / race",
        ("    x = blockIdx.y * TILE", "    x = blockIdx.x * TILE"),
        ("    y = blockIdx.x * TILE", "    y = blockIdx.y * TILE"),
    ),
    # Threads outside of the input leave, and do not write either.
    Wrong(
        "xxxvii_turn_tiles_leave",
        "xxxvii_turn_tiles",
        "unwritten / left out / race | sides / tail / bounds / other element",
        (
            "    if (x < width && y < height)\n        tile",
            "    if (x >= width || y >= height)\n        return;\n    tile",
        ),
    ),
    # ---- a naive product
    # One row too many.
    Wrong(
        "xxxvii_mm_naive_one_row_more",
        "xxxvii_mm_naive",
        "bounds",
        ("if (row < M && col", "if (row <= M && col"),
    ),
    # Added to whatever the output holds.
    Wrong(
        "xxxvii_mm_naive_added",
        "xxxvii_mm_naive",
        "zero before / state | start / twice",
        ("row * N + col] = sum;", "row * N + col] += sum;"),
    ),
    # The second matrix has the step of the first.
    Wrong(
        "xxxvii_mm_naive_step",
        "xxxvii_mm_naive",
        "sides / bounds / other element | swapped / function / left out / numbers",
        ("B[(size_t)k * N + col]", "B[(size_t)k * K + col]"),
    ),
    # ---- scaled products of a batch
    # The second input has the batch's step of the first.
    Wrong(
        "xxxvii_mm_scores_batch_step",
        "xxxvii_mm_scores",
        "sides / bounds / other element | function / swapped / numbers",
        ("  k += int64_t(blockIdx.z) * tk * d;", "  k += int64_t(blockIdx.z) * tq * d;"),
    ),
    # The next part comes too early.
    Wrong(
        "xxxvii_mm_scores_not_used",
        "xxxvii_mm_scores",
        "race | other element / left out / function / numbers / sides",
        ("    __syncthreads();  // both are used\n", ""),
    ),
    # Divided by the scale.
    Wrong(
        "xxxvii_mm_scores_divided",
        "xxxvii_mm_scores",
        "function | numbers / infinity",
        ("= scale * acc;", "= acc / scale;"),
    ),
    # The last part of a row runs into the next, and in the end past the last.
    Wrong(
        "xxxvii_mm_scores_no_depth_test",
        "xxxvii_mm_scores",
        "bounds | nan / infinity / numbers / other element",
        ("ks[ty][tx] = jl < tk && c + tx < d ?", "ks[ty][tx] = jl < tk ?"),
    ),
    # ---- a matrix times a vector
    # Bytes where elements are meant.
    Wrong(
        "xxxvii_mv_tree_bytes",
        "xxxvii_mv_tree",
        "bounds | race",
        ("THREADS, THREADS * sizeof(float), stream", "THREADS, THREADS, stream"),
    ),
    # One thread too many at each level.
    Wrong(
        "xxxvii_mv_tree_one_more",
        "xxxvii_mv_tree",
        "bounds / race / twice | function / numbers / other element",
        ("        if (tid < s)\n", "        if (tid <= s)\n"),
    ),
    # The barrier is in the branch.
    Wrong(
        "xxxvii_mv_tree_barrier_inside",
        "xxxvii_mv_tree",
        "race | timeout / left out",
        (
            "        if (tid < s)\n            partial[tid] += partial[tid + s];\n        __syncthreads();\n",
            "        if (tid < s) {\n            partial[tid] += partial[tid + s];\n            __syncthreads();\n        }\n",
        ),
    ),
    # ---- a vector times a matrix, in parts
    # Parts that are too short.
    Wrong(
        "xxxvii_mv_split_floor",
        "xxxvii_mv_split",
        "left out / tail | function / sides / numbers",
        ("chunk = (m + kSplits - 1) / kSplits;", "chunk = m / kSplits;"),
    ),
    # A plain addition.
    Wrong(
        "xxxvii_mv_split_plain_add",
        "xxxvii_mv_split",
        "race | left out / numbers",
        ("atomicAdd(&out[j], acc);", "out[j] += acc;"),
    ),
    # A quarter of the output is set to 0.
    Wrong(
        "xxxvii_mv_split_memset_n",
        "xxxvii_mv_split",
        "zero before / state | start / unwritten / nan",
        ("0, n * sizeof(float), stream", "0, n, stream"),
    ),
    # The last part is as long as the others.
    Wrong(
        "xxxvii_mv_split_last_part",
        "xxxvii_mv_split",
        "bounds | tail",
        ("begin + chunk < m ? begin + chunk : m;", "begin + chunk;"),
    ),
    # ---- softmax, a block a row
    # The sums overwrite the maximum before all have it.
    Wrong(
        "xxxvii_soft_block_reused",
        "xxxvii_soft_block",
        "race | function / numbers / other element / nan / infinity",
        ("    __syncthreads();  // everybody has the maximum\n", ""),
    ),
    # No maximum.
    Wrong(
        "xxxvii_soft_block_no_max",
        "xxxvii_soft_block",
        "infinity / nan / numbers | function / left out / precision / subnormal",
        ("expf(x[i] - row_max)", "expf(x[i])"),
    ),
    # Each thread divides by its own part of the sum.
    Wrong(
        "xxxvii_soft_block_own_sum",
        "xxxvii_soft_block",
        "left out / function | numbers / sides / other element",
        ("y[i] = y[i] / total;", "y[i] = y[i] / sum;"),
    ),
    # ---- softmax with a mask
    # Hidden elements are in the sum.
    Wrong(
        "xxxvii_soft_masked_sum_of_all",
        "xxxvii_soft_masked",
        "function / left out / other element | numbers / input / twice / sides",
        ("        if (keep[at + c]) sum +=", "        sum +="),
    ),
    # A row without anything kept.
    Wrong(
        "xxxvii_soft_masked_nothing_kept",
        "xxxvii_soft_masked",
        "nan | infinity / function / numbers",
        ("    if (top == -INFINITY) top = 0.f;\n", ""),
    ),
    # What is to be kept is hidden.
    Wrong(
        "xxxvii_soft_masked_inverted",
        "xxxvii_soft_masked",
        "function / swapped | left out / numbers / other element / nan",
        (
            "        const float z = keep[at + c] ? scale * __half2float(x[at + c]) : -INFINITY;\n        top",
            "        const float z = keep[at + c] ? -INFINITY : scale * __half2float(x[at + c]);\n        top",
        ),
        ("        if (keep[at + c]) sum +=", "        if (!keep[at + c]) sum +="),
        (
            "        const float z = keep[at + c] ? scale * __half2float(x[at + c]) : -INFINITY;\n        y",
            "        const float z = keep[at + c] ? -INFINITY : scale * __half2float(x[at + c]);\n        y",
        ),
    ),
    # The mask of the first row for all.
    Wrong(
        "xxxvii_soft_masked_first_mask",
        "xxxvii_soft_masked",
        "other element / left out / sides | function / numbers / nan",
        (
            "        const float z = keep[at + c] ? scale * __half2float(x[at + c]) : -INFINITY;\n        top",
            "        const float z = keep[c] ? scale * __half2float(x[at + c]) : -INFINITY;\n        top",
        ),
        ("        if (keep[at + c]) sum +=", "        if (keep[c]) sum +="),
        (
            "        const float z = keep[at + c] ? scale * __half2float(x[at + c]) : -INFINITY;\n        y",
            "        const float z = keep[c] ? scale * __half2float(x[at + c]) : -INFINITY;\n        y",
        ),
    ),
    # ---- an addition and a layer norm
    # One less than the number of elements.
    Wrong(
        "xxxvii_ln_add_one_less",
        "xxxvii_ln_add",
        "function | nan / infinity / sides / numbers",
        ("var = block_sum(part, red) / dim;", "var = block_sum(part, red) / (dim - 1);"),
    ),
    # The second sum overwrites the first.
    Wrong(
        "xxxvii_ln_add_reused",
        "xxxvii_ln_add",
        "race | function / numbers / other element",
        ("  __syncthreads();  // the last sum has been read\n", ""),
    ),
    # The input is normed, not the sum.
    Wrong(
        "xxxvii_ln_add_of_input",
        "xxxvii_ln_add",
        "function / left out | numbers / other element",
        ("= (hidden[off + i] - mean) * rstd", "= (x[off + i] - mean) * rstd"),
    ),
    # No epsilon.
    Wrong(
        "xxxvii_ln_add_no_epsilon",
        "xxxvii_ln_add",
        "left out / nan / function / infinity | numbers",
        ("rsqrtf(var + eps)", "rsqrtf(var)"),
    ),
    # ---- RMS norm of bfloat16
    # The sum is a bfloat16.
    Wrong(
        "xxxvii_ln_rms_bf16_sum",
        "xxxvii_ln_rms",
        "precision / rounding | numbers / sides / function",
        (
            "    float ss = 0.0f;\n    for (int i = lane; i < pairs; i += 32) {",
            "    bf16 ss = __float2bfloat16(0.0f);\n    for (int i = lane; i < pairs; i += 32) {",
        ),
        (
            "        ss += v.x * v.x + v.y * v.y;",
            "        ss = __float2bfloat16(__bfloat162float(ss) + v.x * v.x + v.y * v.y);",
        ),
        ("all_lanes(ss) / (2 * pairs)", "all_lanes(__bfloat162float(ss)) / (2 * pairs)"),
    ),
    # The second of a pair gets the gain of the first.
    Wrong(
        "xxxvii_ln_rms_gain_of_first",
        "xxxvii_ln_rms",
        "other element / neighbour / function | left out / numbers / sides / swapped",
        ("v.y * inv * g.y)", "v.y * inv * g.x)"),
    ),
    # Pairs in any case.
    Wrong(
        "xxxvii_ln_rms_always_pairs",
        "xxxvii_ln_rms",
        "unwritten / tail / left out / other element | alignment / sides / nan / function / infinity",
        ("    if (cols % 2 == 0) {", "    if (cols > 0) {"),
    ),
    # ---- the largest of columns
    # From 0.
    Wrong(
        "xxxvii_cols_max_from_zero",
        "xxxvii_cols_max",
        "start | numbers / function / left out / whole range",
        ("int best = INT_MIN;", "int best = 0;"),
    ),
    # Half of the rows of threads have a place.
    Wrong(
        "xxxvii_cols_max_small_array",
        "xxxvii_cols_max",
        "bounds | race",
        ("int part[8][32];", "int part[4][32];"),
    ),
    # The last row of threads is forgotten.
    Wrong(
        "xxxvii_cols_max_seven",
        "xxxvii_cols_max",
        "left out | numbers / sides / function",
        ("k = 1; k < 8; k++", "k = 1; k < 7; k++"),
    ),
    # All blocks write to the first 32.
    Wrong(
        "xxxvii_cols_max_place_of_thread",
        "xxxvii_cols_max",
        "unwritten / race / other element / left out | sides / tail / twice",
        ("result[col] = best;", "result[tx] = best;"),
    ),
    # ---- the nearest centre
    # The last of equal ones.
    Wrong(
        "xxxvii_rows_nearest_last_of_equal",
        "xxxvii_rows_nearest",
        "other element / numbers / function | infinity",
        ("if (v < d) {", "if (v <= d) {"),
    ),
    # The places stay where they are.
    Wrong(
        "xxxvii_rows_nearest_place_stays",
        "xxxvii_rows_nearest",
        "other element / left out / function | numbers / sides",
        ("oat = __shfl_xor_sync(0xffffffffu, at, o);", "oat = at;"),
    ),
    # A start that is not large enough.
    Wrong(
        "xxxvii_rows_nearest_from_a_million",
        "xxxvii_rows_nearest",
        "start / numbers | function / infinity / whole range / other element",
        ("float d = INFINITY;", "float d = 1e6f;"),
    ),
    # A mask of half a warp.
    Wrong(
        "xxxvii_rows_nearest_half_mask",
        "xxxvii_rows_nearest",
        "race | left out / other element",
        ("od = __shfl_xor_sync(0xffffffffu, d, o);", "od = __shfl_xor_sync(0xffffu, d, o);"),
        (
            "oat = __shfl_xor_sync(0xffffffffu, at, o);",
            "oat = __shfl_xor_sync(0xffffu, at, o);",
        ),
    ),
    # ---- running sums
    # One buffer is read and written.
    Wrong(
        "xxxvii_scan_rows_one_buffer",
        "xxxvii_scan_rows",
        "race | twice / numbers / function / left out / other element",
        ("            pout = 1 - pout;\n", ""),
    ),
    # Only the sum of the part before.
    Wrong(
        "xxxvii_scan_rows_carry_set",
        "xxxvii_scan_rows",
        "left out / function | sides / numbers",
        ("        carry += temp", "        carry = temp"),
    ),
    # The first is not added where it is exactly as far away.
    Wrong(
        "xxxvii_scan_rows_greater",
        "xxxvii_scan_rows",
        "left out / function | numbers / sides / neighbour",
        ("if (thid >= offset)", "if (thid > offset)"),
    ),
    # Without the own element.
    Wrong(
        "xxxvii_scan_rows_exclusive",
        "xxxvii_scan_rows",
        "left out / function / neighbour | other element / numbers / sides",
        (
            "= carry + temp[pout][thid];",
            "= carry + (thid > 0 ? temp[pout][thid - 1] : 0.0f);",
        ),
    ),
    # ---- log-sum-exp
    # The sum so far is not scaled to a new maximum.
    Wrong(
        "xxxvii_rows_lse_not_rescaled",
        "xxxvii_rows_lse",
        "function / numbers / left out | infinity / sides / precision",
        ("a.m == m ? a.s : a.s * expf(a.m - m);", "a.s;"),
    ),
    # The maximum is not added again.
    Wrong(
        "xxxvii_rows_lse_without_max",
        "xxxvii_rows_lse",
        "function / left out | numbers / infinity / sides",
        ("= acc.m + logf(acc.s);", "= logf(acc.s);"),
    ),
    # ---- means of rows
    # The sum goes on from row to row.
    Wrong(
        "xxxvii_rows_mean_not_reset",
        "xxxvii_rows_mean",
        "start / other element / twice / function | sides / numbers / grid / state / left out",
        (
            "    for (long long r = warpId; r < rows; r += nWarps) {\n        float acc = 0.0f;\n",
            "    float acc = 0.0f;\n    for (long long r = warpId; r < rows; r += nWarps) {\n",
        ),
    ),
    # Divided by the other side.
    Wrong(
        "xxxvii_rows_mean_other_side",
        "xxxvii_rows_mean",
        "sides / function | swapped / numbers",
        ("means[r] = acc / cols;", "means[r] = acc / rows;"),
    ),
    # One divided by an integer.
    Wrong(
        "xxxvii_rows_mean_integer_division",
        "xxxvii_rows_mean",
        "function / rounding / copy | numbers / sides / left out",
        ("means[r] = acc / cols;", "means[r] = acc * (1 / cols);"),
    ),
    # The warps before a block are not counted.
    Wrong(
        "xxxvii_rows_mean_block_as_warp",
        "xxxvii_rows_mean",
        "unwritten / left out / grid | tail / race / twice / sides",
        (
            "warpId = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;",
            "warpId = blockIdx.x + threadIdx.x / 32;",
        ),
    ),
)

RIGHT = (
    # Smaller tiles, a spare row and column of blocks.
    Right(
        "xxxvii_turn_tiles_spare_blocks",
        "xxxvii_turn_tiles",
        ("#define TILE 16", "#define TILE 8"),
        ("tile[TILE][TILE + 1];", "tile[TILE][TILE];"),
        (
            "blocks((width + TILE - 1) / TILE, (height + TILE - 1) / TILE);",
            "blocks(width / TILE + 2, height / TILE + 2);",
        ),
    ),
    # The inner side from behind, the second tile turned as it is stored, scaled on the way.
    Right(
        "xxxvii_mm_scores_from_behind",
        "xxxvii_mm_scores",
        ("for (int c = 0; c < d; c += B) {", "for (int c = (d - 1) / B * B; c >= 0; c -= B) {"),
        ("    ks[ty][tx] = jl", "    ks[tx][ty] = jl"),
        ("qs[ty][e] * ks[tx][e];", "ks[e][tx] * (scale * qs[ty][e]);"),
        ("= scale * acc;", "= acc;"),
    ),
    # Twice the threads, blocks without a row.
    Right(
        "xxxvii_mv_tree_idle_blocks",
        "xxxvii_mv_tree",
        ("THREADS = 128;", "THREADS = 256;"),
        ("    float p = 0;\n", "    if (row >= rows)\n        return;\n    double p = 0;\n"),
        ("    partial[tid] = p;", "    partial[tid] = (float)p;"),
        ("matVec<<<rows, THREADS,", "matVec<<<rows + 3, THREADS,"),
    ),
    # More parts than rows, at times; rounds of rows in place of runs.
    Right(
        "xxxvii_mv_split_rounds",
        "xxxvii_mv_split",
        ("kSplits = 4;", "kSplits = 7;"),
        (
            "int64_t i = begin; i < end; ++i) acc",
            "int64_t i = blockIdx.y; i < m; i += gridDim.y) acc",
        ),
        ("    const int64_t begin = blockIdx.y * chunk;\n", ""),
        ("    const int64_t end = begin + chunk < m ? begin + chunk : m;\n", ""),
    ),
    # Nothing is kept in the output on the way; each thread starts with an element.
    Right(
        "xxxvii_soft_block_twice_exp",
        "xxxvii_soft_block",
        ("float m = -FLT_MAX;", "float m = x[tid < n ? tid : 0];"),
        ("        y[i] = e;\n", ""),
        ("y[i] = y[i] / total;", "y[i] = expf(x[i] - row_max) / total;"),
    ),
    # The root is taken in double, by one warp a row.
    Right(
        "xxxvii_ln_add_root_in_double",
        "xxxvii_ln_add",
        ("rsqrtf(var + eps)", "static_cast<float>(1.0 / sqrt(static_cast<double>(var) + eps))"),
        ("(unsigned)tokens, 128,", "(unsigned)tokens, 32,"),
    ),
    # No pairs at all.
    Right(
        "xxxvii_ln_rms_never_pairs",
        "xxxvii_ln_rms",
        ("    if (cols % 2 == 0) {", "    if (cols == 0) {"),
    ),
    # A downward loop; all rows of threads read the parts.
    Right(
        "xxxvii_cols_max_from_below",
        "xxxvii_cols_max",
        (
            "for (int row = ty; row < nRows; row += 8) {",
            "for (int row = nRows - 1 - ty; row >= 0; row -= 8) {",
        ),
        ("if (ty == 0 && col", "if (ty == 7 && col"),
        ("k = 1; k < 8; k++", "k = 6; k >= 0; k--"),
    ),
    # Down is enough, as only the first lane writes.
    Right(
        "xxxvii_rows_nearest_down",
        "xxxvii_rows_nearest",
        ("od = __shfl_xor_sync(", "od = __shfl_down_sync("),
        ("oat = __shfl_xor_sync(", "oat = __shfl_down_sync("),
        ("warps = 5;", "warps = 1;"),
    ),
    # The levels are odd in number, so that the next part starts in the other buffer.
    Right(
        "xxxvii_scan_rows_two_buffers_enough",
        "xxxvii_scan_rows",
        ("        __syncthreads();  // next part\n", ""),
    ),
    # Runs of neighbours, one warp a block, more warps than rows.
    Right(
        "xxxvii_rows_mean_runs",
        "xxxvii_rows_mean",
        (
            "for (long long c = lane; c < cols; c += 32)",
            "for (long long c = cols * lane / 32; c < cols * (lane + 1) / 32; c++)",
        ),
        ("rowMeans<<<6, 64,", "rowMeans<<<31, 32,"),
    ),
)
