"""Hold half of a thirty-second family: transposes, products, softmax, norms, sums, scans.

The causes were written before a member was judged. On the emulator each was run beside PyTorch:
bases and right ones are right, and all wrong ones but two wrong, or refused by a fault, some
only so:

    xxxii_turn_flat_divided_by_height      if the sides differ and none is 1
    xxxii_turn_flat_rounded_down           past 192 elements, if they are no whole blocks
    xxxii_turn_flat_short_place            from 32,769 elements on
    xxxii_turn_flat_sides_again            if no side is 1
    xxxii_turn_stripes_no_barrier          of more than one element
    xxxii_turn_stripes_blocks_not_turned   from 2 tiles on
    xxxii_turn_stripes_test_not_turned     if the sides differ
    xxxii_turn_stripes_one_stripe          from 9 columns on
    xxxii_mm_residual_factor_of_both       by another factor than 1
    xxxii_mm_residual_row                  from 2 rows on
    xxxii_mm_residual_step_inner           if the inner side is not the number of columns
    xxxii_mm_residual_whole_blocks         from 5 rows on, if they are no multiple of 4
    xxxii_mm_residual_no_column_test       if the columns are no multiple of 32
    xxxii_mm_scores_first_keys             from 2 heads on
    xxxii_mm_scores_not_read               from 33 inside on
    xxxii_mm_scores_no_zero                if the inner side is no multiple of 32
    xxxii_mm_scores_head_of_queries        from 2 heads on, if queries and keys differ in number
    xxxii_mm_scores_too_few_rows           from 9 queries on
    xxxii_mv_fours_no_tail                 if the columns are no multiple of 4
    xxxii_mv_fours_rows_unaligned          likewise, from 2 rows on
    xxxii_mv_fours_slices_unaligned        of tensors that start at no multiple of 16 bytes
    xxxii_mv_fours_z_for_w                 if the columns are a multiple of 4
    xxxii_mv_fours_from_8                  if lanes past 15 have elements
    xxxii_mv_fours_sum_not_reset           from 11 rows on
    xxxii_soft_block_maximum_from_zero     of rows far below 0
    xxxii_soft_block_no_maximum            of rows far from 0
    xxxii_soft_block_own_sum               from 2 columns on
    xxxii_soft_masked_sum_of_all           of rows of which some are hidden
    xxxii_soft_masked_none_kept            of rows of which all are hidden
    xxxii_soft_masked_first_mask           from 2 rows on
    xxxii_soft_masked_scale_once           of rows far from 0, by another scale than 1
    xxxii_soft_lse_one_corrected           from 2 columns on
    xxxii_soft_lse_three_warps             from 97 columns on
    xxxii_ln_block_n_less_one              from 2 columns on
    xxxii_ln_block_epsilon_outside         of rows with a small variance
    xxxii_ln_block_not_reset               of rows whose first threads' sums are not 0
    xxxii_ln_block_gamma_base              from 2 rows on
    xxxii_ln_add_rms_input_normed          if the residual is not 0
    xxxii_ln_add_rms_four_warps            from 129 columns on
    xxxii_ln_add_rms_no_mean               from 2 columns on
    xxxii_rows_mean_integers               of means that are no whole numbers
    xxxii_rows_mean_int                    if a thread's sum is past 2^31, from 97 columns on
    xxxii_rows_mean_by_rows                if the sides differ
    xxxii_cols_largest_from_zero           of columns without a number above 0
    xxxii_cols_largest_step_of_rows        if the sides differ, from 2 rows on
    xxxii_rows_top_last_of_equals          of equal numbers, from 33 columns on
    xxxii_rows_top_signed                  of bytes past 127
    xxxii_scan_rows_no_carry               from 65 columns on
    xxxii_scan_rows_carry_of_last          from 129 columns on

Two are wrong by reasoning:

    xxxii_ln_add_rms_inverse_not_awaited   where warps run at once, from 33 columns on
    xxxii_rows_mean_not_read               where warps run at once, from 5 rows on
"""

# ruff: noqa: E501 (a line of a kernel stands in one line)
from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong

# A student's transpose of integers: one thread an element, in one row of blocks.
FLAT = """\
__global__ void flip_matrix(int64_t height, int64_t width, const int *src, int *dst)
{
    int64_t id = (int64_t)blockDim.x * blockIdx.x + threadIdx.x;
    if (id >= height * width)
        return;
    int64_t r = id / width;
    int64_t c = id % width;
    dst[c * height + r] = src[id];
}

extern "C" void launch(int64_t height, int64_t width, const int *src /* [height, width] */, int *dst /* [width, height] */, cudaStream_t stream = 0)
{
    const int perBlock = 192;
    int64_t total = height * width;
    flip_matrix<<<(total + perBlock - 1) / perBlock, perBlock, 0, stream>>>(height, width, src, dst);
}
"""

# A student's transpose by tiles of 32, by blocks of 32 times 8.
STRIPES = """\
const int DIM = 32;
const int STRIPE = 8;

__global__ void transposeTiled(float *out, const float *in, int64_t h, int64_t w) {
  __shared__ float buf[DIM][DIM + 1];

  int64_t x = (int64_t)blockIdx.x * DIM + threadIdx.x;
  int64_t y = (int64_t)blockIdx.y * DIM + threadIdx.y;
  for (int j = 0; j < DIM; j += STRIPE)
    if (x < w && y + j < h)
      buf[threadIdx.y + j][threadIdx.x] = in[(y + j) * w + x];

  __syncthreads();

  x = (int64_t)blockIdx.y * DIM + threadIdx.x;
  y = (int64_t)blockIdx.x * DIM + threadIdx.y;
  for (int i = 0; i < DIM; i += STRIPE)
    if (x < h && y + i < w)
      out[(y + i) * h + x] = buf[threadIdx.x][threadIdx.y + i];
}

extern "C" void launch(float *out /* [w, h] */, const float *in /* [h, w] */, int64_t h, int64_t w, cudaStream_t stream = 0) {
  dim3 nThreads(DIM, STRIPE, 1);
  dim3 nBlocks((w + DIM - 1) / DIM, (h + DIM - 1) / DIM, 1);
  transposeTiled<<<nBlocks, nThreads, 0, stream>>>(out, in, h, w);
}
"""

# A junior's naive product with a factor and a residual.
RESIDUAL = """\
__global__ void gemm_residual(const float* __restrict__ lhs, const float* __restrict__ rhs, const float* __restrict__ res, float* __restrict__ out, float alpha, int64_t M, int64_t K, int64_t N) {
    const int64_t m = blockIdx.y * int64_t(blockDim.y) + threadIdx.y;
    const int64_t n = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
    if (m >= M || n >= N) return;
    float dot = 0.f;
    for (int64_t k = 0; k < K; ++k) {
        dot = fmaf(lhs[m * K + k], rhs[k * N + n], dot);
    }
    out[m * N + n] = alpha * dot + res[m * N + n];
}

extern "C" void launch(const float* lhs /* [M, K] */, const float* rhs /* [K, N] */, const float* res /* [M, N] */, float* out /* [M, N] */, float alpha, int64_t M, int64_t K, int64_t N, cudaStream_t stream = 0) {
    const dim3 threads(32, 4);
    const dim3 blocks(unsigned((N + 31) / 32), unsigned((M + 3) / 4));
    gemm_residual<<<blocks, threads, 0, stream>>>(lhs, rhs, res, out, alpha, M, K, N);
}
"""

# A junior's products of a batch of small matrices: scores of queries and keys, a block a pair.
SCORES = """\
template <int TQ, int TK>
__global__ void qk_scores(const __half* __restrict__ Q, const __half* __restrict__ K, float* __restrict__ S, float scale, int Lq, int Lk, int D)
{
    __shared__ float q_s[TQ][33];
    __shared__ float k_s[TK][33];
    const int64_t b = blockIdx.z;
    Q += b * Lq * D;
    K += b * Lk * D;
    S += b * Lq * Lk;
    const int tx = threadIdx.x, ty = threadIdx.y, tid = ty * TK + tx;
    const int q0 = blockIdx.y * TQ, k0 = blockIdx.x * TK;
    float acc = 0.f;
    for (int d0 = 0; d0 < D; d0 += 32) {
        for (int e = tid; e < TQ * 32; e += TQ * TK) {
            const int i = e / 32, d = e % 32;
            q_s[i][d] = q0 + i < Lq && d0 + d < D ? __half2float(Q[(q0 + i) * D + d0 + d]) : 0.f;
        }
        for (int e = tid; e < TK * 32; e += TQ * TK) {
            const int j = e / 32, d = e % 32;
            k_s[j][d] = k0 + j < Lk && d0 + d < D ? __half2float(K[(k0 + j) * D + d0 + d]) : 0.f;
        }
        __syncthreads();  // loads
#pragma unroll
        for (int d = 0; d < 32; ++d) acc += q_s[ty][d] * k_s[tx][d];
        __syncthreads();  // reads
    }
    const int qi = q0 + ty, kj = k0 + tx;
    if (qi < Lq && kj < Lk) S[qi * Lk + kj] = acc * scale;
}

extern "C" void launch(const __half* Q /* [B, Lq, D] */, const __half* K /* [B, Lk, D] */, float* S /* [B, Lq, Lk] */, float scale, int B, int Lq, int Lk, int D, cudaStream_t stream = 0)
{
    const dim3 grid((Lk + 15) / 16, (Lq + 7) / 8, B);
    qk_scores<8, 16><<<grid, dim3(16, 8), 0, stream>>>(Q, K, S, scale, Lq, Lk, D);
}
"""

# A junior's matrix times vector: a warp a row, float4 and a tail.
GEMV4 = """\
__device__ __forceinline__ float warpSum(float v) {
  for (int m = 16; m >= 1; m >>= 1) v += __shfl_down_sync(0xffffffff, v, m);
  return v;
}

__global__ void gemv_f32x4(const float* __restrict__ mat, const float* __restrict__ vec, float* __restrict__ dst, int64_t R, int64_t C, bool vectorized) {
  const int64_t warps = int64_t(gridDim.x) * (blockDim.x / 32);
  const int lane = threadIdx.x % 32;
  for (int64_t r = int64_t(blockIdx.x) * (blockDim.x / 32) + threadIdx.x / 32; r < R; r += warps) {
    const float* line = mat + r * C;
    float sum = 0.0f;
    int64_t done = 0;
    if (vectorized) {
      const float4* l4 = reinterpret_cast<const float4*>(line);
      const float4* v4 = reinterpret_cast<const float4*>(vec);
      for (int64_t i = lane; i < C / 4; i += 32) {
        const float4 a = l4[i], b = v4[i];
        sum += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
      }
      done = C / 4 * 4;
    }
    for (int64_t i = done + lane; i < C; i += 32) sum += line[i] * vec[i];
    sum = warpSum(sum);
    if (lane == 0) dst[r] = sum;
  }
}

extern "C" void launch(const float* mat /* [R, C] */, const float* vec /* [C] */, float* dst /* [R] */, int64_t R, int64_t C, cudaStream_t stream = 0) {
  const bool aligned = (uintptr_t(mat) | uintptr_t(vec)) % 16 == 0;
  gemv_f32x4<<<5, 64, 0, stream>>>(mat, vec, dst, R, C, aligned && C % 4 == 0);
}
"""

# A student's softmax: a block a row, trees in shared memory.
SOFT = """\
#define BS 64

__global__ void softmaxKernel(float *probs, const float *x, int64_t cols)
{
    __shared__ float sh[BS];
    int t = threadIdx.x;
    const float *in = x + blockIdx.x * cols;
    float *o = probs + blockIdx.x * cols;

    // 1. the maximum
    float m = -FLT_MAX;
    for (int64_t i = t; i < cols; i += BS)
        m = max(m, in[i]);
    sh[t] = m;
    __syncthreads();
    for (int s = BS / 2; s > 0; s >>= 1) {
        if (t < s) sh[t] = max(sh[t], sh[t + s]);
        __syncthreads();
    }
    m = sh[0];
    __syncthreads();  // before sh is used again

    // 2. the sum
    float sum = 0;
    for (int64_t i = t; i < cols; i += BS)
        sum += exp(in[i] - m);
    sh[t] = sum;
    __syncthreads();
    for (int s = BS / 2; s > 0; s >>= 1) {
        if (t < s) sh[t] += sh[t + s];
        __syncthreads();
    }
    sum = sh[0];

    // 3. the result
    for (int64_t i = t; i < cols; i += BS)
        o[i] = exp(in[i] - m) / sum;
}

extern "C" void launch(float *probs /* [rows, cols] */, const float *x /* [rows, cols] */, int64_t rows, int64_t cols, cudaStream_t stream = 0)
{
    softmaxKernel<<<rows, BS, 0, stream>>>(probs, x, cols);
}
"""

# A junior's masked softmax of halves: a warp a row; a row without a visible column is zero.
MASKED = """\
__global__ void masked_softmax_fp16(const __half* __restrict__ scores, const uint8_t* __restrict__ keep, __half* __restrict__ probs, float inv_temp, int64_t n_rows, int64_t n_cols) {
  const unsigned all = 0xffffffffu;
  const int64_t row = blockIdx.x * int64_t(blockDim.y) + threadIdx.y;
  if (row >= n_rows) return;
  const __half* s = scores + row * n_cols;
  const uint8_t* k = keep + row * n_cols;
  __half* p = probs + row * n_cols;

  float top = -INFINITY;
  for (int64_t c = threadIdx.x; c < n_cols; c += warpSize) {
    if (k[c]) top = fmaxf(top, __half2float(s[c]) * inv_temp);
  }
  for (int off = 16; off; off >>= 1) top = fmaxf(top, __shfl_xor_sync(all, top, off));

  float denom = 0.0f;
  for (int64_t c = threadIdx.x; c < n_cols; c += warpSize) {
    if (k[c]) denom += expf(__half2float(s[c]) * inv_temp - top);
  }
  for (int off = 16; off; off >>= 1) denom += __shfl_xor_sync(all, denom, off);
  const float norm = denom > 0.0f ? 1.0f / denom : 0.0f;

  for (int64_t c = threadIdx.x; c < n_cols; c += warpSize) {
    p[c] = k[c] ? __float2half(expf(__half2float(s[c]) * inv_temp - top) * norm) : __float2half(0.0f);
  }
}

extern "C" void launch(const __half* scores /* [n_rows, n_cols] */, const uint8_t* keep /* [n_rows, n_cols] */, __half* probs /* [n_rows, n_cols] */, float inv_temp, int64_t n_rows, int64_t n_cols, cudaStream_t stream = 0) {
  const dim3 block(32, 6);
  masked_softmax_fp16<<<unsigned((n_rows + 5) / 6), block, 0, stream>>>(scores, keep, probs, inv_temp, n_rows, n_cols);
}
"""

# A junior's log-sum-exp of rows: a thread keeps a maximum and a sum, the warps merge them.
LSE = """\
struct MaxSum { float m, s; };

__device__ MaxSum merge(MaxSum a, MaxSum b) {
    MaxSum c;
    c.m = fmaxf(a.m, b.m);
    c.s = a.s * expf(a.m - c.m) + b.s * expf(b.m - c.m);
    return c;
}

__global__ void logsumexp_rows(const float* x, float* lse, int64_t len) {
    __shared__ MaxSum part[4];
    const float* r = x + int64_t(blockIdx.x) * len;
    MaxSum acc{-FLT_MAX, 0.f};
    for (int64_t i = threadIdx.x; i < len; i += blockDim.x) acc = merge(acc, MaxSum{r[i], 1.f});
    for (int d = 16; d > 0; d /= 2) {
        MaxSum other{__shfl_xor_sync(0xffffffffu, acc.m, d), __shfl_xor_sync(0xffffffffu, acc.s, d)};
        acc = merge(acc, other);
    }
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = acc;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 4; ++w) acc = merge(acc, part[w]);
        lse[blockIdx.x] = acc.m + logf(acc.s);
    }
}

extern "C" void launch(const float* x /* [batch, len] */, float* lse /* [batch] */, int64_t batch, int64_t len, cudaStream_t stream = 0) {
    logsumexp_rows<<<unsigned(batch), 128, 0, stream>>>(x, lse, len);
}
"""

# A student's layer norm: a block a row, a tree for the mean and one for the variance.
NORM = """\
__device__ float blockSum(float v, float *tmp)
{
    tmp[threadIdx.x] = v;
    __syncthreads();
    for (int w = blockDim.x / 2; w > 0; w = w / 2)
    {
        if (threadIdx.x < w)
            tmp[threadIdx.x] = tmp[threadIdx.x] + tmp[threadIdx.x + w];
        __syncthreads();
    }
    float total = tmp[0];
    __syncthreads();  // all have read it
    return total;
}

__global__ void layernorm(const float *X, const float *gamma, const float *beta, float *Y, int64_t D, float eps)
{
    extern __shared__ float tmp[];
    const int64_t base = blockIdx.x * D;

    float v = 0.0f;
    for (int64_t d = threadIdx.x; d < D; d += blockDim.x)
        v += X[base + d];
    const float mu = blockSum(v, tmp) / D;

    v = 0.0f;
    for (int64_t d = threadIdx.x; d < D; d += blockDim.x)
        v += (X[base + d] - mu) * (X[base + d] - mu);
    const float sigma = sqrtf(blockSum(v, tmp) / D + eps);

    for (int64_t d = threadIdx.x; d < D; d += blockDim.x)
        Y[base + d] = (X[base + d] - mu) / sigma * gamma[d] + beta[d];
}

extern "C" void launch(const float *X /* [N, D] */, const float *gamma /* [D] */, const float *beta /* [D] */, float *Y /* [N, D] */, int64_t N, int64_t D, float eps = 1e-5f, cudaStream_t stream = 0)
{
    const int threads = 128;
    layernorm<<<N, threads, threads * sizeof(float), stream>>>(X, gamma, beta, Y, D, eps);
}
"""

# A junior's residual addition with RMS norm: the sum is an output, too.
ADD_RMS = """\
__global__ void add_rms_norm(float* __restrict__ normed, float* __restrict__ hidden, const float* __restrict__ x, const float* __restrict__ residual, const float* __restrict__ gain, int64_t width, float eps) {
  __shared__ float warp_ss[8];
  __shared__ float inv_rms;
  const int lane = threadIdx.x & 31, wid = threadIdx.x >> 5;
  const int64_t at = blockIdx.x * width;
  float ss = 0.f;
  for (int64_t j = threadIdx.x; j < width; j += blockDim.x) {
    const float h = x[at + j] + residual[at + j];
    hidden[at + j] = h;
    ss += h * h;
  }
  for (int o = 16; o > 0; o >>= 1) ss += __shfl_down_sync(0xffffffffu, ss, o);
  if (lane == 0) warp_ss[wid] = ss;
  __syncthreads();  // parts
  if (wid == 0) {
    ss = lane < blockDim.x / 32 ? warp_ss[lane] : 0.f;
    for (int o = 4; o > 0; o >>= 1) ss += __shfl_down_sync(0xffffffffu, ss, o);
    if (lane == 0) inv_rms = rsqrtf(ss / width + eps);
  }
  __syncthreads();  // inverse
  for (int64_t j = threadIdx.x; j < width; j += blockDim.x) normed[at + j] = hidden[at + j] * inv_rms * gain[j];
}

extern "C" void launch(float* normed /* [tokens, width] */, float* hidden /* [tokens, width] */, const float* x /* [tokens, width] */, const float* residual /* [tokens, width] */, const float* gain /* [width] */, int64_t tokens, int64_t width, float eps = 1e-6f, cudaStream_t stream = 0) {
  add_rms_norm<<<unsigned(tokens), 256, 0, stream>>>(normed, hidden, x, residual, gain, width, eps);
}
"""

# A student's means of rows of integers: some rows a block.
MEANS = """\
__global__ void rowMean(const int* values, float* mean, int64_t numRows, int64_t numCols) {
  __shared__ long long cache[96];
  for (int64_t row = blockIdx.x; row < numRows; row += gridDim.x) {
    long long mine = 0;
    for (int64_t col = threadIdx.x; col < numCols; col += blockDim.x) {
      mine += values[row * numCols + col];
    }
    cache[threadIdx.x] = mine;
    __syncthreads();  // all have stored
    if (threadIdx.x == 0) {
      long long sum = 0;
      for (int i = 0; i < 96; i++) sum += cache[i];
      mean[row] = (float)((double)sum / numCols);
    }
    __syncthreads();  // the first has read
  }
}

extern "C" void launch(const int* values /* [numRows, numCols] */, float* mean /* [numRows] */, int64_t numRows, int64_t numCols, cudaStream_t stream = 0) {
  rowMean<<<4, 96, 0, stream>>>(values, mean, numRows, numCols);
}
"""

# A student's largest of each column: threads of a column share its rows.
COLMAX = """\
#define W 16
#define H 16

__global__ void column_max(const int *m, int *best, int64_t nr, int64_t nc)
{
    __shared__ int s[H][W];
    int64_t c = (int64_t)blockIdx.x * W + threadIdx.x;
    int b = INT_MIN;
    if (c < nc)
        for (int64_t r = threadIdx.y; r < nr; r += H)
            if (m[r * nc + c] > b)
                b = m[r * nc + c];
    s[threadIdx.y][threadIdx.x] = b;
    __syncthreads();
    for (int k = H / 2; k >= 1; k /= 2)
    {
        if (threadIdx.y < k && s[threadIdx.y + k][threadIdx.x] > s[threadIdx.y][threadIdx.x])
            s[threadIdx.y][threadIdx.x] = s[threadIdx.y + k][threadIdx.x];
        __syncthreads();  // level
    }
    if (threadIdx.y == 0 && c < nc)
        best[c] = s[0][threadIdx.x];
}

extern "C" void launch(const int *m /* [nr, nc] */, int *best /* [nc] */, int64_t nr, int64_t nc, cudaStream_t stream = 0)
{
    column_max<<<(nc + W - 1) / W, dim3(W, H), 0, stream>>>(m, best, nr, nc);
}
"""

# A junior's first largest of rows of bytes, with its value: a warp a row.
TOP1 = """\
__global__ void top1_u8(const uint8_t* __restrict__ x, uint8_t* __restrict__ value, int64_t* __restrict__ index, int64_t rows, int64_t cols) {
    const int lane = threadIdx.x & 31;
    const int64_t row = (int64_t(blockIdx.x) * blockDim.x + threadIdx.x) >> 5;
    if (row >= rows) return;
    int v = -1;
    int64_t at = 0;
    for (int64_t j = lane; j < cols; j += 32) {
        const int q = x[row * cols + j];
        if (q > v) { v = q; at = j; }
    }
    for (int d = 16; d > 0; d >>= 1) {
        const int ov = __shfl_down_sync(0xffffffffu, v, d);
        const int64_t oat = __shfl_down_sync(0xffffffffu, (long long)at, d);
        if (ov > v || (ov == v && oat < at)) { v = ov; at = oat; }
    }
    if (lane == 0) {
        value[row] = uint8_t(v);
        index[row] = at;
    }
}

extern "C" void launch(const uint8_t* x /* [rows, cols] */, uint8_t* value /* [rows] */, int64_t* index /* [rows] */, int64_t rows, int64_t cols, cudaStream_t stream = 0) {
    const int64_t threads = rows * 32;
    top1_u8<<<unsigned((threads + 127) / 128), 128, 0, stream>>>(x, value, index, rows, cols);
}
"""

# A student's running sums of rows: a block a row, chunk after chunk.
RUNNING = """\
#define CHUNK 64

__global__ void prefix_rows(const float *a, float *ps, int64_t n)
{
    __shared__ float temp[CHUNK];
    const int t = threadIdx.x;
    const int64_t first = blockIdx.x * n;
    float carry = 0;

    for (int64_t base = 0; base < n; base += CHUNK) {
        temp[t] = base + t < n ? a[first + base + t] : 0;
        __syncthreads();
        for (int gap = 1; gap < CHUNK; gap *= 2) {
            float left = t >= gap ? temp[t - gap] : 0;
            __syncthreads();  // read
            temp[t] += left;
            __syncthreads();  // added
        }
        if (base + t < n)
            ps[first + base + t] = carry + temp[t];
        carry += temp[CHUNK - 1];
        __syncthreads();  // next chunk
    }
}

extern "C" void launch(const float *a /* [m, n] */, float *ps /* [m, n] */, int64_t m, int64_t n, cudaStream_t stream = 0)
{
    prefix_rows<<<m, CHUNK, 0, stream>>>(a, ps, n);
}
"""

FLOAT, HALF = (torch.float32,), (torch.float16,)
INF = float("inf")
SIDES = ((1, 1), (1, 34), (6, 5), (30, 4), (4, 90), (2, 270), (9, 64), (50, 21))
PRODUCTS = ((1, 1, 1), (6, 3, 9), (16, 32, 16), (35, 41, 20), (20, 7, 50), (12, 70, 33))


def _numbers(*size: int, limit: int = 25) -> torch.Tensor:
    generator = torch.Generator().manual_seed(sum(13 * side for side in size) + limit)
    return torch.randint(-limit, limit + 1, size, generator=generator).float()


def _case(words: str, inputs: tuple, right, dtypes: tuple, scalars=None, **options) -> Case:
    sizes = ", ".join(" x ".join(map(str, tensor.shape)) for tensor in inputs)
    right = right if isinstance(right, tuple) else (right,)
    label = f"{sizes} {words} {scalars or ''}".strip()
    return Case(label, inputs, right, *([scalars] if scalars else []), dtypes=dtypes, **options)


def flat(launcher: Launcher) -> Iterator[Case]:
    """Turn integers."""
    for size in (
        (1, 1),
        (12, 16),
        (24, 24),
        (40, 90),
        (90, 40),
        (1, 500),
        (500, 1),
        (190, 200),
    ):
        x = _numbers(*size, limit=9000).int()
        yield _case("", (x,), x.T.contiguous(), (torch.int32,))


def stripes(launcher: Launcher) -> Iterator[Case]:
    """Turn floats: whole tiles and not."""
    for size in ((1, 1), (32, 32), (32, 96), (40, 70), (70, 40), (1, 70), (70, 1), (33, 65)):
        x = _numbers(*size, limit=9000) / 8
        yield _case("", (x,), x.T.contiguous(), FLOAT)


def residual(launcher: Launcher) -> Iterator[Case]:
    """Multiply floats by several factors, add a residual: all is exact."""
    for m, k, n in PRODUCTS:
        for alpha in (1.0, 0.5, -2.0):
            a, b, r = _numbers(m, k), _numbers(k, n) / 4, _numbers(m, n, limit=90)
            right = alpha * (a.double() @ b.double()) + r.double()
            yield _case("", (a, b, r), right, FLOAT, {"alpha": alpha})


def scores(launcher: Launcher) -> Iterator[Case]:
    """Multiply queries by keys of one and of many heads: all is exact."""
    for m, k, n in PRODUCTS:
        for count in (1, 3):
            q, key = _numbers(count, m, k).half() / 8, _numbers(count, n, k).half()
            right = q.double() @ key.double().transpose(1, 2) * 0.25
            yield _case("", (q, key), right, FLOAT, {"scale": 0.25})


def vectors(launcher: Launcher) -> Iterator[Case]:
    """Multiply matrices by vectors: all is exact."""
    for m, n in (*SIDES, (3, 200)):
        a, x = _numbers(m, n), _numbers(n, limit=9) / 4
        yield _case("", (a, x), a.double() @ x.double(), FLOAT)


def soft(launcher: Launcher) -> Iterator[Case]:
    """Take softmax of usual and of distant rows."""
    for m, n in SIDES:
        for words, shift in (("", 0), ("300 less", -300), ("300 more", 300)):
            x = _numbers(m, n) / 8 + shift
            right = torch.softmax(x.double(), dim=1)
            yield _case(words, (x,), right, FLOAT, ulp=2, within=(2.0**-17 * right,))


def masked(launcher: Launcher) -> Iterator[Case]:
    """Take softmax of the columns that are kept, in some rows none."""
    for m, n in SIDES:
        for words, shift in (("", 0), ("200 less", -200), ("200 more", 200)):
            for scale in (1.0, 0.25):
                x = (_numbers(m, n) / 8 + shift).half()
                keep = (_numbers(m, n, limit=50) > -15).to(torch.uint8)
                keep[m // 2 :: 5] = 0
                z = torch.where(keep.bool(), x.double() * scale, -INF)
                right = torch.softmax(z, dim=1).nan_to_num(0.0)
                options = {"ulp": 1, "within": (2.0**-11 * right + 2.0**-24,)}
                yield _case(words, (x, keep), right, HALF, {"inv_temp": scale}, **options)


def lse(launcher: Launcher) -> Iterator[Case]:
    """Take log-sum-exp of usual and of distant rows."""
    for m, n in SIDES:
        for words, shift in (("", 0), ("300 less", -300), ("300 more", 300)):
            x = _numbers(m, n) / 8 + shift
            right = torch.logsumexp(x.double(), dim=1)
            slack = 2.0**-20 * (right.abs() + x.abs().amax(dim=1) + 1)
            yield _case(words, (x,), right, FLOAT, ulp=2, within=(slack,))


def norm(launcher: Launcher) -> Iterator[Case]:
    """Norm usual, distant, small and equal rows."""
    for m, n in SIDES:
        for scale, shift in ((1.0, 0.0), (1.0, 1000.0), (2.0**-10, 0.0), (0.0, 3.0)):
            x, w, b = _numbers(m, n) * scale + shift, _numbers(n, limit=3) + 4, _numbers(n)
            away = x.double() - x.double().mean(dim=1, keepdim=True)
            inverse = 1 / torch.sqrt(away.square().mean(dim=1, keepdim=True) + 2.0**-16)
            right = away * inverse * w.double() + b.double()
            largest = x.double().abs().amax(dim=1, keepdim=True)
            slack = 2.0**-19 * (largest * inverse * w + 30)
            words = f"about {shift}, times {scale}"
            scalars = {"eps": 2.0**-16}
            yield _case(words, (x, w, b), right, FLOAT, scalars, ulp=2, within=(slack,))


def add_rms(launcher: Launcher) -> Iterator[Case]:
    """Add a residual and norm: zeros, small, usual and large ones."""
    for m, n in SIDES:
        for scale in (0.0, 2.0**-9, 1.0, 100.0):
            x, r, g = _numbers(m, n) * scale, _numbers(m, n, limit=30) * scale, _numbers(n) / 4
            h = x.double() + r.double()
            right = h / torch.sqrt(h.square().mean(dim=1, keepdim=True) + 2.0**-12) * g.double()
            options = {"ulp": 2, "within": (2.0**-18 * right.abs(), torch.zeros(m, n))}
            dtypes = (torch.float32, torch.float32)
            scalars = {"eps": 2.0**-12}
            yield _case(f"times {scale}", (x, r, g), (right, h), dtypes, scalars, **options)


def means(launcher: Launcher) -> Iterator[Case]:
    """Take means of small and of large integers."""
    for m, n in SIDES:
        for words, limit in (("", 90), ("large", 2**30)):
            x = _numbers(m, n, limit=limit).int() + limit // 2
            yield _case(words, (x,), x.double().mean(dim=1), FLOAT, ulp=1)


def colmax(launcher: Launcher) -> Iterator[Case]:
    """Find largest of columns: mixed, negative and least integers."""
    for m, n in SIDES:
        x = _numbers(m, n, limit=900).int()
        for words, y in (("", x), ("negative", x - 5000), ("least", x * 0 - 2**31)):
            yield _case(words, (y,), y.amax(dim=0), (torch.int32,))


def top1(launcher: Launcher) -> Iterator[Case]:
    """Find the first largest bytes: mixed, equal, large and zero."""
    for m, n in SIDES:
        x = _numbers(m, n, limit=100).abs()
        for words, y in (("", x), ("equal", x.clamp(max=9)), ("large", x + 150), ("0", x * 0)):
            top = y.amax(dim=1)
            index = torch.where(y == top[:, None], torch.arange(n), n).amin(dim=1)
            right = (top.to(torch.uint8), index)
            yield _case(words, (y.to(torch.uint8),), right, (torch.uint8, torch.int64))


def running(launcher: Launcher) -> Iterator[Case]:
    """Take running sums: all are exact."""
    for m, n in SIDES:
        x = _numbers(m, n)
        yield _case("", (x,), x.double().cumsum(dim=1), FLOAT)


BASES = {
    "xxxii_turn_flat": Base(HEADER + FLAT, {"cases": flat}),
    "xxxii_turn_stripes": Base(HEADER + STRIPES, {"cases": stripes}),
    "xxxii_mm_residual": Base(HEADER + RESIDUAL, {"cases": residual}),
    "xxxii_mm_scores": Base(HEADER + SCORES, {"cases": scores}),
    "xxxii_mv_fours": Base(HEADER + GEMV4, {"cases": vectors}),
    "xxxii_soft_block": Base(HEADER + SOFT, {"cases": soft}),
    "xxxii_soft_masked": Base(HEADER + MASKED, {"cases": masked}),
    "xxxii_soft_lse": Base(HEADER + LSE, {"cases": lse}),
    "xxxii_ln_block": Base(HEADER + NORM, {"cases": norm}),
    "xxxii_ln_add_rms": Base(HEADER + ADD_RMS, {"cases": add_rms}),
    "xxxii_rows_mean": Base(HEADER + MEANS, {"cases": means}),
    "xxxii_cols_largest": Base(HEADER + "#include <climits>\n\n" + COLMAX, {"cases": colmax}),
    "xxxii_rows_top": Base(HEADER + TOP1, {"cases": top1}),
    "xxxii_scan_rows": Base(HEADER + RUNNING, {"cases": running}),
}

WRONG = (
    # ---- one thread an element, in one row of blocks
    # The number of rows where that of columns belongs.
    Wrong(
        "xxxii_turn_flat_divided_by_height",
        "xxxii_turn_flat",
        "sides / other element / unwritten / swapped / bounds | race / left out / tail",
        ("id / width", "id / height"),
        ("id % width", "id % height"),
    ),
    # One too far.
    Wrong(
        "xxxii_turn_flat_one_more",
        "xxxii_turn_flat",
        "bounds",
        ("if (id >= height * width)", "if (id > height * width)"),
    ),
    # The division rounds down.
    Wrong(
        "xxxii_turn_flat_rounded_down",
        "xxxii_turn_flat",
        "tail / grid / unwritten | left out",
        ("(total + perBlock - 1) / perBlock", "total / perBlock + (total < perBlock)"),
    ),
    # A place in 16 bits.
    Wrong(
        "xxxii_turn_flat_short_place",
        "xxxii_turn_flat",
        "narrow / bounds | unwritten / left out / other element / tail / whole range",
        ("dst[c * height + r] = src[id];", "dst[(short)(c * height + r)] = src[id];"),
    ),
    # The place of the input.
    Wrong(
        "xxxii_turn_flat_sides_again",
        "xxxii_turn_flat",
        "copy / swapped / sides / other element / function",
        ("dst[c * height + r]", "dst[r * width + c]"),
    ),
    # ---- tiles by stripes
    # Nobody waits for the tile.
    Wrong(
        "xxxii_turn_stripes_no_barrier",
        "xxxii_turn_stripes",
        "race | unwritten / other element / left out / numbers / sides",
        ("  __syncthreads();\n", ""),
    ),
    # The blocks' places stay.
    Wrong(
        "xxxii_turn_stripes_blocks_not_turned",
        "xxxii_turn_stripes",
        "sides / unwritten / other element / swapped | bounds / race / left out / tail",
        (
            "  x = (int64_t)blockIdx.y * DIM + threadIdx.x;\n  y = (int64_t)blockIdx.x * DIM + threadIdx.y;\n",
            "",
        ),
    ),
    # The test is that of the first half.
    Wrong(
        "xxxii_turn_stripes_test_not_turned",
        "xxxii_turn_stripes",
        "sides / bounds / unwritten / swapped | other element / race / left out / tail",
        ("if (x < h && y + i < w)", "if (x < w && y + i < h)"),
    ),
    # The stripe is missing in the tile's index.
    Wrong(
        "xxxii_turn_stripes_one_stripe",
        "xxxii_turn_stripes",
        "other element / unwritten / race / left out | neighbour / twice / sides / numbers",
        ("buf[threadIdx.x][threadIdx.y + i]", "buf[threadIdx.x][threadIdx.y]"),
    ),
    # ---- a product with a residual
    # One factor for both.
    Wrong(
        "xxxii_mm_residual_factor_of_both",
        "xxxii_mm_residual",
        "function | numbers",
        ("alpha * dot + res[m * N + n]", "alpha * (dot + res[m * N + n])"),
    ),
    # The residual is a row.
    Wrong(
        "xxxii_mm_residual_row",
        "xxxii_mm_residual",
        "other element / left out / function | neighbour / sides / numbers",
        ("res[m * N + n]", "res[n]"),
    ),
    # The step of the right one is the inner side.
    Wrong(
        "xxxii_mm_residual_step_inner",
        "xxxii_mm_residual",
        "sides / bounds / other element | left out / function / numbers / race / swapped",
        ("rhs[k * N + n]", "rhs[k * K + n]"),
    ),
    # The last of each sum.
    Wrong(
        "xxxii_mm_residual_without_last",
        "xxxii_mm_residual",
        "left out / tail | function / sides / numbers",
        ("k < K; ++k", "k < K - 1; ++k"),
    ),
    # Only rows or columns that fill their blocks.
    Wrong(
        "xxxii_mm_residual_whole_blocks",
        "xxxii_mm_residual",
        "tail / grid / unwritten | left out / sides / copy",
        ("unsigned((M + 3) / 4)", "unsigned(M > 4 ? M / 4 : 1)"),
    ),
    # The output's rows are tested only.
    Wrong(
        "xxxii_mm_residual_no_column_test",
        "xxxii_mm_residual",
        "bounds / race | sides / other element / tail",
        ("if (m >= M || n >= N) return;", "if (m >= M) return;"),
    ),
    # ---- scores of a batch
    # Keys of the first head.
    Wrong(
        "xxxii_mm_scores_first_keys",
        "xxxii_mm_scores",
        "other element / left out | sides / function / numbers / twice",
        ("    K += b * Lk * D;\n", ""),
    ),
    # The second barrier is missing.
    Wrong(
        "xxxii_mm_scores_not_read",
        "xxxii_mm_scores",
        "race | other element / left out / numbers / sides / function",
        ("        __syncthreads();  // reads\n", ""),
    ),
    # The tail of the inner side is not zero.
    Wrong(
        "xxxii_mm_scores_no_zero",
        "xxxii_mm_scores",
        "bounds / other element | left out / function / sides / numbers / tail / race",
        ("k0 + j < Lk && d0 + d < D", "k0 + j < Lk"),
        ("q0 + i < Lq && d0 + d < D", "q0 + i < Lq"),
    ),
    # The number of queries as that of keys, in the offset of a head.
    Wrong(
        "xxxii_mm_scores_head_of_queries",
        "xxxii_mm_scores",
        "sides / bounds / other element | left out / function / numbers / unwritten",
        ("K += b * Lk * D;", "K += b * Lq * D;"),
    ),
    # Rows of queries in blocks of 16.
    Wrong(
        "xxxii_mm_scores_too_few_rows",
        "xxxii_mm_scores",
        "grid / unwritten / left out | tail / sides",
        ("(Lq + 7) / 8,", "(Lq + 15) / 16,"),
    ),
    # ---- matrix times vector by fours
    # Whole packs only.
    Wrong(
        "xxxii_mv_fours_no_tail",
        "xxxii_mv_fours",
        "left out / tail | function / sides / numbers / alignment",
        ("    for (int64_t i = done + lane; i < C; i += 32) sum += line[i] * vec[i];\n", ""),
    ),
    # Rows that are no whole packs are not aligned.
    Wrong(
        "xxxii_mv_fours_rows_unaligned",
        "xxxii_mv_fours",
        "alignment",
        ("aligned && C % 4 == 0", "aligned"),
    ),
    # Slices of tensors are not aligned.
    Wrong(
        "xxxii_mv_fours_slices_unaligned",
        "xxxii_mv_fours",
        "alignment",
        ("% 16 == 0;", "% 4 == 0;"),
    ),
    # The third of four twice.
    Wrong(
        "xxxii_mv_fours_z_for_w",
        "xxxii_mv_fours",
        "left out / other element / twice | function / numbers / sides",
        ("a.w * b.w", "a.z * b.w"),
    ),
    # The last step of the shuffle.
    Wrong(
        "xxxii_mv_fours_from_8",
        "xxxii_mv_fours",
        "left out | function / sides / numbers / tail / other element",
        ("int m = 16; m >= 1", "int m = 8; m >= 1"),
    ),
    # The sum goes on from row to row.
    Wrong(
        "xxxii_mv_fours_sum_not_reset",
        "xxxii_mv_fours",
        "start / other element / state | left out / function / sides / numbers / twice",
        ("    float sum = 0.0f;\n", ""),
        (
            "  const int lane = threadIdx.x % 32;\n",
            "  const int lane = threadIdx.x % 32;\n  float sum = 0.0f;\n",
        ),
    ),
    # ---- softmax of a block a row
    # The maximum is overwritten while others read it.
    Wrong(
        "xxxii_soft_block_maximum_overwritten",
        "xxxii_soft_block",
        "race | function / numbers / other element",
        ("    __syncthreads();  // before sh is used again\n", ""),
    ),
    # From 0.
    Wrong(
        "xxxii_soft_block_maximum_from_zero",
        "xxxii_soft_block",
        "start / numbers / nan | function / infinity",
        ("float m = -FLT_MAX;", "float m = 0;"),
    ),
    # No maximum.
    Wrong(
        "xxxii_soft_block_no_maximum",
        "xxxii_soft_block",
        "infinity / nan / numbers | function / start",
        ("    m = sh[0];\n", "    m = 0;\n"),
    ),
    # A barrier in the branch.
    Wrong(
        "xxxii_soft_block_barrier_in_branch",
        "xxxii_soft_block",
        "race | timeout / refused",
        (
            "        if (t < s) sh[t] += sh[t + s];\n        __syncthreads();\n",
            "        if (t < s) {\n            sh[t] += sh[t + s];\n            __syncthreads();\n        }\n",
        ),
    ),
    # Divided by the thread's own sum.
    Wrong(
        "xxxii_soft_block_own_sum",
        "xxxii_soft_block",
        "left out / function | other element / numbers / race / infinity / nan / sides",
        ("    sum = sh[0];\n", ""),
    ),
    # A block of the wrong size.
    Wrong(
        "xxxii_soft_block_other_size",
        "xxxii_soft_block",
        "bounds / block size / race | left out / function / unwritten / twice / numbers",
        ("<<<rows, BS, 0", "<<<rows, 2 * BS, 0"),
    ),
    # ---- a mask
    # The mask keeps what it should hide.
    Wrong(
        "xxxii_soft_masked_inverted",
        "xxxii_soft_masked",
        "function / left out / numbers / swapped | nan / infinity / unwritten / other element / copy",
        ("    if (k[c]) top =", "    if (!k[c]) top ="),
        ("    if (k[c]) denom +=", "    if (!k[c]) denom +="),
        ("= k[c] ? __float2half", "= !k[c] ? __float2half"),
    ),
    # The sum of all columns.
    Wrong(
        "xxxii_soft_masked_sum_of_all",
        "xxxii_soft_masked",
        "left out / function / numbers | infinity / nan / other element",
        ("    if (k[c]) denom +=", "    denom +="),
    ),
    # A row without columns makes NaN.
    Wrong(
        "xxxii_soft_masked_none_kept",
        "xxxii_soft_masked",
        "unwritten / nan / numbers / function / left out | infinity / copy",
        (
            "    p[c] = k[c] ? __float2half(expf(__half2float(s[c]) * inv_temp - top) * norm) : __float2half(0.0f);",
            "    p[c] = __float2half(k[c] * expf(__half2float(s[c]) * inv_temp - top) * norm);",
        ),
        ("denom > 0.0f ? 1.0f / denom : 0.0f", "1.0f / denom"),
    ),
    # The mask is that of the first row.
    Wrong(
        "xxxii_soft_masked_first_mask",
        "xxxii_soft_masked",
        "other element / left out / function | numbers / sides / nan",
        ("k = keep + row * n_cols;", "k = keep;"),
    ),
    # The maximum is that of other numbers.
    Wrong(
        "xxxii_soft_masked_scale_once",
        "xxxii_soft_masked",
        "function / numbers | infinity / nan / left out",
        (
            "top = fmaxf(top, __half2float(s[c]) * inv_temp);",
            "top = fmaxf(top, __half2float(s[c]));",
        ),
    ),
    # ---- log-sum-exp
    # The maximum is not added again.
    Wrong(
        "xxxii_soft_lse_maximum_lost",
        "xxxii_soft_lse",
        "function / left out | numbers / start",
        ("= acc.m + logf(acc.s);", "= logf(acc.s);"),
    ),
    # The second sum is not brought to the common maximum.
    Wrong(
        "xxxii_soft_lse_one_corrected",
        "xxxii_soft_lse",
        "function / numbers | infinity / left out / twice / nan / start",
        ("b.s * expf(b.m - c.m)", "b.s"),
    ),
    # One warp of the four is left.
    Wrong(
        "xxxii_soft_lse_three_warps",
        "xxxii_soft_lse",
        "left out | function / numbers / sides",
        ("w < 4; ++w", "w < 3; ++w"),
    ),
    # The first one counts twice.
    Wrong(
        "xxxii_soft_lse_first_twice",
        "xxxii_soft_lse",
        "twice | function / numbers / other element",
        ("int w = 1; w < 4", "int w = 0; w < 4"),
    ),
    # Each starts with a number of its own.
    Wrong(
        "xxxii_soft_lse_from_one",
        "xxxii_soft_lse",
        "start / numbers | function / left out",
        ("acc{-FLT_MAX, 0.f};", "acc{0.f, 1.f};"),
    ),
    # ---- layer norm
    # n - 1.
    Wrong(
        "xxxii_ln_block_n_less_one",
        "xxxii_ln_block",
        "function | nan / infinity / sides / numbers",
        ("blockSum(v, tmp) / D + eps", "blockSum(v, tmp) / (D > 1 ? D - 1 : 1) + eps"),
    ),
    # Epsilon outside of the root.
    Wrong(
        "xxxii_ln_block_epsilon_outside",
        "xxxii_ln_block",
        "function / numbers",
        ("sqrtf(blockSum(v, tmp) / D + eps)", "sqrtf(blockSum(v, tmp) / D) + eps"),
    ),
    # The second sum goes on from the first.
    Wrong(
        "xxxii_ln_block_not_reset",
        "xxxii_ln_block",
        "start / function / twice | numbers / state",
        ("    v = 0.0f;\n", ""),
    ),
    # Weights by the place in all.
    Wrong(
        "xxxii_ln_block_gamma_base",
        "xxxii_ln_block",
        "bounds / other element | numbers / sides / function",
        ("gamma[d]", "gamma[base + d]"),
    ),
    # Memory for bytes, not floats.
    Wrong(
        "xxxii_ln_block_bytes",
        "xxxii_ln_block",
        "bounds",
        ("threads * sizeof(float), stream", "threads, stream"),
    ),
    # 100 threads are no power of two.
    Wrong(
        "xxxii_ln_block_hundred",
        "xxxii_ln_block",
        "left out | function / numbers / sides",
        ("threads = 128;", "threads = 100;"),
    ),
    # ---- residual and RMS norm
    # The sum is not stored.
    Wrong(
        "xxxii_ln_add_rms_input_normed",
        "xxxii_ln_add_rms",
        "left out / function | numbers / other element",
        ("= hidden[at + j] * inv_rms", "= x[at + j] * inv_rms"),
    ),
    # Shuffles from 2: four of the eight warps.
    Wrong(
        "xxxii_ln_add_rms_four_warps",
        "xxxii_ln_add_rms",
        "left out | function / numbers / sides",
        ("int o = 4; o > 0", "int o = 2; o > 0"),
    ),
    # Nobody waits for the inverse.
    Wrong(
        "xxxii_ln_add_rms_inverse_not_awaited",
        "xxxii_ln_add_rms",
        "race | unwritten / function / numbers / state / left out",
        ("  __syncthreads();  // inverse\n", ""),
    ),
    # The squares of the input.
    Wrong(
        "xxxii_ln_add_rms_squares_of_x",
        "xxxii_ln_add_rms",
        "function / left out | numbers",
        ("ss += h * h;", "ss += x[at + j] * x[at + j];"),
    ),
    # Not divided by the number.
    Wrong(
        "xxxii_ln_add_rms_no_mean",
        "xxxii_ln_add_rms",
        "function | numbers / sides",
        ("ss / width + eps", "ss + eps"),
    ),
    # The sum goes into the residual, as other libraries do.
    Wrong(
        "xxxii_ln_add_rms_in_place",
        "xxxii_ln_add_rms",
        "input / unwritten",
        ("    hidden[at + j] = h;", "    const_cast<float*>(residual)[at + j] = h;"),
        ("= hidden[at + j] * inv_rms", "= residual[at + j] * inv_rms"),
    ),
    # ---- means of rows
    # A division of integers.
    Wrong(
        "xxxii_rows_mean_integers",
        "xxxii_rows_mean",
        "rounding / function / precision | numbers / whole range",
        ("(float)((double)sum / numCols)", "(float)(sum / numCols)"),
    ),
    # Sums in 32 bits.
    Wrong(
        "xxxii_rows_mean_int",
        "xxxii_rows_mean",
        "whole range / narrow / infinity | numbers / function / precision",
        ("    long long mine = 0;", "    int mine = 0;"),
    ),
    # The next row comes too early.
    Wrong(
        "xxxii_rows_mean_not_read",
        "xxxii_rows_mean",
        "race | other element / numbers / function / left out / state / sides",
        ("    __syncthreads();  // the first has read\n", ""),
    ),
    # Divided by the rows.
    Wrong(
        "xxxii_rows_mean_by_rows",
        "xxxii_rows_mean",
        "function / sides | numbers / swapped",
        ("sum / numCols", "sum / numRows"),
    ),
    # ---- largest of columns
    # From 0.
    Wrong(
        "xxxii_cols_largest_from_zero",
        "xxxii_cols_largest",
        "start | numbers / whole range / copy / function",
        ("int b = INT_MIN;", "int b = 0;"),
    ),
    # Levels are not awaited.
    Wrong(
        "xxxii_cols_largest_level_not_awaited",
        "xxxii_cols_largest",
        "race | left out / numbers / function",
        ("        __syncthreads();  // level\n", ""),
    ),
    # Rows' step of the other side.
    Wrong(
        "xxxii_cols_largest_step_of_rows",
        "xxxii_cols_largest",
        "sides / bounds / other element | left out / numbers / swapped / function",
        ("            if (m[r * nc + c] > b)", "            if (m[r * nr + c] > b)"),
        ("                b = m[r * nc + c];", "                b = m[r * nr + c];"),
    ),
    # ---- the first largest byte
    # Equal ones: whichever came last.
    Wrong(
        "xxxii_rows_top_last_of_equals",
        "xxxii_rows_top",
        "numbers / other element / function | twice / left out",
        ("if (q > v)", "if (q >= v)"),
    ),
    # A signed byte.
    Wrong(
        "xxxii_rows_top_signed",
        "xxxii_rows_top",
        "whole range / function / numbers | start / left out / other element",
        ("const int q = x[", "const int q = (int8_t)x["),
    ),
    # The place stays with the lane.
    Wrong(
        "xxxii_rows_top_place_stays",
        "xxxii_rows_top",
        "other element / left out / function | numbers",
        ("{ v = ov; at = oat; }", "{ v = ov; }"),
    ),
    # ---- running sums
    # Read and written at once.
    Wrong(
        "xxxii_scan_rows_read_while_added",
        "xxxii_scan_rows",
        "race | twice / other element / function / numbers / left out",
        ("            __syncthreads();  // read\n", ""),
    ),
    # Each chunk by itself.
    Wrong(
        "xxxii_scan_rows_no_carry",
        "xxxii_scan_rows",
        "left out / function | sides / numbers / other element / start",
        ("        carry += temp[CHUNK - 1];\n", ""),
    ),
    # The carry is that of the last chunk only.
    Wrong(
        "xxxii_scan_rows_carry_of_last",
        "xxxii_scan_rows",
        "left out / function | sides / numbers / other element",
        ("carry += temp[CHUNK - 1];", "carry = temp[CHUNK - 1];"),
    ),
    # The first neighbour is left.
    Wrong(
        "xxxii_scan_rows_past_gap",
        "xxxii_scan_rows",
        "left out / function | other element / numbers / start / sides",
        ("t >= gap ?", "t > gap ?"),
    ),
)

RIGHT = (
    # A loop over fewer threads, and unsigned places.
    Right(
        "xxxii_turn_flat_loop",
        "xxxii_turn_flat",
        (
            "    if (id >= height * width)\n        return;\n    int64_t r",
            "    for (; id < height * width; id += (int64_t)gridDim.x * blockDim.x) {\n    uint64_t r",
        ),
        ("    int64_t c = ", "    uint64_t c = "),
        ("= src[id];\n", "= src[id];\n    }\n"),
        ("<<<(total + perBlock - 1) / perBlock,", "<<<5,"),
    ),
    # The tile lies turned.
    Right(
        "xxxii_turn_stripes_stored_turned",
        "xxxii_turn_stripes",
        ("buf[threadIdx.y + j][threadIdx.x] =", "buf[threadIdx.x][threadIdx.y + j] ="),
        ("= buf[threadIdx.x][threadIdx.y + i]", "= buf[threadIdx.y + i][threadIdx.x]"),
        ("STRIPE = 8;", "STRIPE = 4;"),
    ),
    # From behind, in double, and idle blocks.
    Right(
        "xxxii_mm_residual_backwards",
        "xxxii_mm_residual",
        ("int64_t k = 0; k < K; ++k", "int64_t k = K - 1; k >= 0; --k"),
        ("float dot = 0.f;", "double dot = 0.0;"),
        (
            "dot = fmaf(lhs[m * K + k], rhs[k * N + n], dot);",
            "dot += double(lhs[m * K + k]) * rhs[k * N + n];",
        ),
        ("unsigned((N + 31) / 32)", "unsigned(N / 32 + 1)"),
        ("unsigned((M + 3) / 4)", "unsigned(M / 4 + 2)"),
    ),
    # The scale is in the queries; one barrier less, as the other stands before the loads.
    Right(
        "xxxii_mm_scores_scaled_queries",
        "xxxii_mm_scores",
        (
            "__half2float(Q[(q0 + i) * D + d0 + d])",
            "__half2float(Q[(q0 + i) * D + d0 + d]) * scale",
        ),
        ("= acc * scale;", "= acc;"),
        ("        __syncthreads();  // reads\n", ""),
        ("d0 < D; d0 += 32) {\n", "d0 < D; d0 += 32) {\n        __syncthreads();\n"),
    ),
    # Never by fours.
    Right(
        "xxxii_mv_fours_single",
        "xxxii_mv_fours",
        ("aligned && C % 4 == 0", "false && aligned"),
        ("<<<5, 64,", "<<<3, 160,"),
    ),
    # The maximum of each thread over all columns.
    Right(
        "xxxii_soft_block_all_by_all",
        "xxxii_soft_block",
        (
            "(int64_t i = t; i < cols; i += BS)\n        m =",
            "(int64_t i = 0; i < cols; i++)\n        m =",
        ),
        ("#define BS 64", "#define BS 32"),
    ),
    # One warp a block, and numbers that are hidden are zero by memset.
    Right(
        "xxxii_soft_masked_memset",
        "xxxii_soft_masked",
        (
            "    p[c] = k[c] ? __float2half(expf(__half2float(s[c]) * inv_temp - top) * norm) : __float2half(0.0f);",
            "    if (k[c]) p[c] = __float2half(expf(__half2float(s[c]) * inv_temp - top) / denom);",
        ),
        (
            "  const dim3 block(32, 6);",
            "  cudaMemsetAsync(probs, 0, n_rows * n_cols * sizeof(__half), stream);\n  const dim3 block(32, 1);",
        ),
        ("unsigned((n_rows + 5) / 6)", "unsigned(n_rows)"),
    ),
    # Steps that grow; from the last warp.
    Right(
        "xxxii_soft_lse_growing",
        "xxxii_soft_lse",
        ("d = 16; d > 0; d /= 2", "d = 1; d < 32; d *= 2"),
        ("int w = 1; w < 4; ++w", "int w = 3; w > 0; --w"),
        ("acc{-FLT_MAX, 0.f};", "acc{-1e30f, 0.f};"),
    ),
    # A small block, an inverse.
    Right(
        "xxxii_ln_block_inverse",
        "xxxii_ln_block",
        ("const float sigma = sqrtf(", "const float inv = rsqrtf("),
        ("/ sigma * gamma[d]", "* inv * gamma[d]"),
        ("threads = 128;", "threads = 32;"),
    ),
    # The sum is made again instead of read.
    Right(
        "xxxii_ln_add_rms_again",
        "xxxii_ln_add_rms",
        ("= hidden[at + j] * inv_rms", "= (residual[at + j] + x[at + j]) * inv_rms"),
        ("<<<unsigned(tokens), 256,", "<<<unsigned(tokens), 192,"),
    ),
    # From behind, an idle block.
    Right(
        "xxxii_rows_mean_one_more_block",
        "xxxii_rows_mean",
        ("(float)((double)sum / numCols)", "(float)(sum / (double)numCols)"),
        ("<<<4, 96,", "<<<numRows + 1, 96,"),
        (
            "col = threadIdx.x; col < numCols; col += blockDim.x",
            "col = numCols - 1 - threadIdx.x; col >= 0; col -= blockDim.x",
        ),
    ),
    # Narrow blocks, >=.
    Right(
        "xxxii_cols_largest_narrow",
        "xxxii_cols_largest",
        ("#define W 16", "#define W 5"),
        ("#define H 16", "#define H 32"),
        ("            if (m[r * nc + c] > b)", "            if (m[r * nc + c] >= b)"),
    ),
    # A butterfly, so that any lane has it; a warp a block.
    Right(
        "xxxii_rows_top_butterfly",
        "xxxii_rows_top",
        ("__shfl_down_sync(0xffffffffu, v, d)", "__shfl_xor_sync(0xffffffffu, v, d)"),
        (
            "__shfl_down_sync(0xffffffffu, (long long)at, d)",
            "__shfl_xor_sync(0xffffffffu, (long long)at, d)",
        ),
        ("if (lane == 0) {", "if (lane == 17) {"),
        ("(threads + 127) / 128), 128,", "rows), 32,"),
    ),
    # Another chunk, the carry in shared memory's first.
    Right(
        "xxxii_scan_rows_carry_in_first",
        "xxxii_scan_rows",
        ("#define CHUNK 64", "#define CHUNK 32"),
        (
            "        __syncthreads();\n        for",
            "        if (t == 0) temp[0] += carry;\n        __syncthreads();\n        for",
        ),
        ("= carry + temp[t];", "= temp[t];"),
        ("carry += temp", "carry = temp"),
    ),
)
