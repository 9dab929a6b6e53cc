"""Hold half of a thirty-fourth family: transposes, products, softmax, norms, sums, scans.

Half of the bases are as students hand in in the first weeks of a course, half as juniors write
for a small library of operators. The causes were written before a member was judged. On the
emulator each was run beside PyTorch: bases and right ones are right, and all wrong ones but two
wrong, or refused by a fault, some only so:

    xxxiv_turn_naive_grid_turned       if the sides differ in blocks of 16
    xxxiv_turn_naive_equal_too         if the columns are no multiple of 16
    xxxiv_turn_naive_floor             likewise; of fewer than 16 the launch is refused
    xxxiv_turn_naive_same_stride       if the sides differ and there is more than one column
    xxxiv_turn_batch_into_first        from 2 matrices on
    xxxiv_turn_batch_no_room           from 16 rows, and 2 columns, on
    xxxiv_turn_batch_some_wait         if a side is no multiple of 16
    xxxiv_turn_batch_tile_not_turned   of more than one element
    xxxiv_mm_tiled_whole_tiles         if the inner side is no multiple of 8
    xxxiv_mm_tiled_no_zero             if the inner side is no multiple of 8
    xxxiv_mm_w8_scale_of_token         if the scales differ, or tokens are more than outputs
    xxxiv_mm_w8_no_sign                of negative bytes, where the output is not 0
    xxxiv_mm_w8_half_sum               of sums or products that no half has
    xxxiv_mm_w8_bias_last              where the product or the sum is negative
    xxxiv_vm_parts_early_return        if the last block has fewer columns than a part numbers
    xxxiv_vm_parts_not_done            from 97 rows on
    xxxiv_vm_parts_full_length         if the rows are no multiple of 96
    xxxiv_vm_parts_one_each            from 65 rows on
    xxxiv_soft_log_flt_min             of rows far below 0
    xxxiv_soft_log_sum_in_first        from 2 columns on
    xxxiv_soft_log_no_row_test         if the rows are no multiple of 4
    xxxiv_soft_log_of_quotient         of numbers far below the largest of their row
    xxxiv_soft_causal_no_maximum       of rows far from 0
    xxxiv_soft_causal_upper_unwritten  from 2 columns on
    xxxiv_soft_causal_zero_scores      from 2 columns on, but of rows far above 0
    xxxiv_soft_causal_first_head       from 2 heads on
    xxxiv_ln_pairs_squares             of rows far from 0
    xxxiv_ln_pairs_odd_rows            of an odd number of columns
    xxxiv_ln_pairs_weight_of_first     of an even number of columns
    xxxiv_ln_pairs_n_less_one          of few columns
    xxxiv_ln_pairs_too_few_blocks      from 5 rows on, if 1 to 4 are past a multiple of 8
    xxxiv_ln_pairs_no_epsilon          of rows with a small variance
    xxxiv_rms_plus_root                of rows whose root mean square is not 1, nor 0
    xxxiv_rms_plus_epsilon_outside     of small rows
    xxxiv_rms_plus_overwritten         from 8 rows on
    xxxiv_rows_ld_dense                if not all columns are added, from 2 rows on
    xxxiv_rows_ld_first_warp           from 33 columns on
    xxxiv_cols_mean_quarter_set        if the output was not zero before
    xxxiv_cols_mean_one_by_n           from 2 rows on
    xxxiv_cols_mean_no_end             if the rows are no multiple of 20
    xxxiv_rows_argmax_from_zero        of rows without a number above 0
    xxxiv_rows_argmax_equals           of equal numbers
    xxxiv_scan_before_own_carry        from 33 columns on
    xxxiv_scan_before_byte_carry       from 256 flags on, and one more column

Two are wrong by reasoning, as warps or blocks that run at once show them only:

    xxxiv_soft_causal_stored_again     the sums' parts replace maxima that others still read
    xxxiv_cols_mean_no_atomic          from 21 rows on
"""

# ruff: noqa: E501 (a line of a kernel stands in one line)
from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong

# A student's transpose of halves: one thread an element, square blocks.
NAIVE = """\
__global__ void k_transpose(const __half *A, __half *AT, int64_t nrow, int64_t ncol)
{
    int64_t i = (int64_t)blockIdx.y * blockDim.y + threadIdx.y; // row
    int64_t j = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; // column
    if (i < nrow && j < ncol)
        AT[j * nrow + i] = A[i * ncol + j];
}

extern "C" void launch(const __half *A /* [nrow, ncol] */, __half *AT /* [ncol, nrow] */, int64_t nrow, int64_t ncol, cudaStream_t stream = 0)
{
    dim3 tpb(16, 16);
    dim3 bpg((ncol + tpb.x - 1) / tpb.x, (nrow + tpb.y - 1) / tpb.y);
    k_transpose<<<bpg, tpb, 0, stream>>>(A, AT, nrow, ncol);
}
"""

# A junior's transpose of each matrix of a batch, by tiles of 16 in flat shared memory.
BATCH = """\
template <int T>
__global__ void batched_transpose(float* __restrict__ dst, const float* __restrict__ src, int64_t H, int64_t W) {
  __shared__ float smem[T * (T + 1)];
  const int tx = threadIdx.x % T, ty = threadIdx.x / T;
  src += blockIdx.z * H * W;
  dst += blockIdx.z * H * W;
  const int64_t h0 = int64_t(blockIdx.y) * T, w0 = int64_t(blockIdx.x) * T;

  if (h0 + ty < H && w0 + tx < W) {
    smem[ty * (T + 1) + tx] = src[(h0 + ty) * W + w0 + tx];
  }
  __syncthreads();
  if (w0 + ty < W && h0 + tx < H) {
    dst[(w0 + ty) * H + h0 + tx] = smem[tx * (T + 1) + ty];
  }
}

extern "C" void launch(float* dst /* [N, W, H] */, const float* src /* [N, H, W] */, int64_t N, int64_t H, int64_t W, cudaStream_t stream = 0) {
  constexpr int kTile = 16;
  const dim3 grid(unsigned((W + kTile - 1) / kTile), unsigned((H + kTile - 1) / kTile), unsigned(N));
  batched_transpose<kTile><<<grid, kTile * kTile, 0, stream>>>(dst, src, H, W);
}
"""

# A student's product by tiles in shared memory.
TILED = """\
#define TW 8

// C (n x m) = A (n x p) * B (p x m)
__global__ void MatMulShared(const float* A, const float* B, float* C, int64_t n, int64_t p, int64_t m)
{
    __shared__ float As[TW][TW];
    __shared__ float Bs[TW][TW];

    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int64_t row = (int64_t)blockIdx.y * TW + ty;
    int64_t col = (int64_t)blockIdx.x * TW + tx;

    float cValue = 0.0f;
    for (int64_t t = 0; t < (p + TW - 1) / TW; t++) {
        if (row < n && t * TW + tx < p)
            As[ty][tx] = A[row * p + t * TW + tx];
        else
            As[ty][tx] = 0.0f;
        if (col < m && t * TW + ty < p)
            Bs[ty][tx] = B[(t * TW + ty) * m + col];
        else
            Bs[ty][tx] = 0.0f;
        __syncthreads();  // tiles are there

        for (int k = 0; k < TW; k++)
            cValue += As[ty][k] * Bs[k][tx];
        __syncthreads();  // tiles are used
    }

    if (row < n && col < m)
        C[row * m + col] = cValue;
}

extern "C" void launch(const float* A /* [n, p] */, const float* B /* [p, m] */, float* C /* [n, m] */, int64_t n, int64_t p, int64_t m, cudaStream_t stream = 0)
{
    dim3 dimBlock(TW, TW);
    dim3 dimGrid((m + TW - 1) / TW, (n + TW - 1) / TW);
    MatMulShared<<<dimGrid, dimBlock, 0, stream>>>(A, B, C, n, p, m);
}
"""

# A junior's linear layer: signed bytes with a scale a row, bias, ReLU; a warp an output.
W8 = """\
__global__ void linear_w8a16(const int8_t* __restrict__ w, const float* __restrict__ w_scale, const __half* __restrict__ act, const float* __restrict__ bias, __half* __restrict__ y, int64_t tokens, int64_t in_features, int64_t out_features)
{
    const int lane = threadIdx.x % 32;
    const int64_t id = int64_t(blockIdx.x) * (blockDim.x / 32) + threadIdx.x / 32;
    if (id >= tokens * out_features) return;
    const int64_t t = id / out_features, o = id % out_features;
    const int8_t* wr = w + o * in_features;
    const __half* ar = act + t * in_features;

    float acc = 0.f;
    for (int64_t k = lane; k < in_features; k += 32) acc += float(wr[k]) * __half2float(ar[k]);
#pragma unroll
    for (int s = 16; s > 0; s /= 2) acc += __shfl_down_sync(0xffffffffu, acc, s);

    if (lane == 0) {
        const float v = acc * w_scale[o] + bias[o];
        y[id] = __float2half(fmaxf(v, 0.f));
    }
}

extern "C" void launch(const int8_t* w /* [out_features, in_features] */, const float* w_scale /* [out_features] */, const __half* act /* [tokens, in_features] */, const float* bias /* [out_features] */, __half* y /* [tokens, out_features] */, int64_t tokens, int64_t in_features, int64_t out_features, cudaStream_t stream = 0)
{
    constexpr int kWarps = 4;
    const int64_t outputs = tokens * out_features;
    linear_w8a16<<<unsigned((outputs + kWarps - 1) / kWarps), kWarps * 32, 0, stream>>>(w, w_scale, act, bias, y, tokens, in_features, out_features);
}
"""

# A student's vector times matrix: a thread a column, the vector comes by shared memory.
VECMAT = """\
#define PART 96

__global__ void vecmat(float *y, const float *x, const float *A, int64_t m, int64_t n)
{
    __shared__ float xs[PART];
    const int64_t j = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    float sum = 0;
    for (int64_t p = 0; p < m; p += PART)
    {
        int len = PART;
        if (m - p < PART) len = m - p;
        for (int k = threadIdx.x; k < len; k += blockDim.x)
            xs[k] = x[p + k];
        __syncthreads(); // part is loaded
        if (j < n)
            for (int k = 0; k < len; k++)
                sum += xs[k] * A[(p + k) * n + j];
        __syncthreads(); // part is done
    }
    if (j < n)
        y[j] = sum;
}

extern "C" void launch(float *y /* [n] */, const float *x /* [m] */, const float *A /* [m, n] */, int64_t m, int64_t n, cudaStream_t stream = 0)
{
    const int block = 64;
    vecmat<<<(n + block - 1) / block, block, 0, stream>>>(y, x, A, m, n);
}
"""

# A student's log-softmax: a warp a row.
LOGSOFT = """\
__global__ void logSoftmaxWarp(const float* input, float* output, int64_t numRows, int64_t numCols) {
  int laneId = threadIdx.x & 31;
  int64_t row = blockIdx.x * 4LL + threadIdx.x / 32;
  if (row >= numRows) return;
  const float* in = input + row * numCols;
  float* out = output + row * numCols;

  float rowMax = -FLT_MAX;
  for (int64_t c = laneId; c < numCols; c += 32) rowMax = fmaxf(rowMax, in[c]);
  for (int m = 1; m < 32; m <<= 1) rowMax = fmaxf(rowMax, __shfl_xor_sync(0xffffffff, rowMax, m));

  float rowSum = 0.0f;
  for (int64_t c = laneId; c < numCols; c += 32) rowSum += expf(in[c] - rowMax);
  for (int m = 1; m < 32; m <<= 1) rowSum += __shfl_xor_sync(0xffffffff, rowSum, m);

  float logSum = logf(rowSum);
  for (int64_t c = laneId; c < numCols; c += 32) out[c] = in[c] - rowMax - logSum;
}

extern "C" void launch(const float* input /* [numRows, numCols] */, float* output /* [numRows, numCols] */, int64_t numRows, int64_t numCols, cudaStream_t stream = 0) {
  int64_t numBlocks = (numRows + 3) / 4;
  logSoftmaxWarp<<<numBlocks, 128, 0, stream>>>(input, output, numRows, numCols);
}
"""

# A junior's causal softmax of the scores of some heads: a block a row.
CAUSAL = """\
struct Max { __device__ float operator()(float a, float b) const { return fmaxf(a, b); } };
struct Add { __device__ float operator()(float a, float b) const { return a + b; } };

template <class Op>
__device__ float block_reduce(float v, float* sh, Op op)
{
    for (int o = 16; o > 0; o >>= 1) v = op(v, __shfl_xor_sync(0xffffffffu, v, o));
    if ((threadIdx.x & 31) == 0) sh[threadIdx.x >> 5] = v;
    __syncthreads();
    v = sh[0];
    for (int w = 1; w < blockDim.x / 32; ++w) v = op(v, sh[w]);
    __syncthreads();  // sh may be written again
    return v;
}

__global__ void causal_softmax_fwd(float* __restrict__ prob, const float* __restrict__ att, float scale, int64_t L)
{
    __shared__ float sh[4];
    const int64_t q = blockIdx.x, head = blockIdx.y;
    const int64_t seen = q + 1;
    const float* a = att + (head * L + q) * L;
    float* p = prob + (head * L + q) * L;

    float mx = -INFINITY;
    for (int64_t j = threadIdx.x; j < seen; j += blockDim.x) mx = fmaxf(mx, a[j] * scale);
    mx = block_reduce(mx, sh, Max());

    float den = 0.f;
    for (int64_t j = threadIdx.x; j < seen; j += blockDim.x) den += expf(a[j] * scale - mx);
    den = block_reduce(den, sh, Add());

    const float inv = 1.f / den;
    for (int64_t j = threadIdx.x; j < L; j += blockDim.x) p[j] = j < seen ? expf(a[j] * scale - mx) * inv : 0.f;
}

extern "C" void launch(float* prob /* [nh, L, L] */, const float* att /* [nh, L, L] */, float scale, int64_t nh, int64_t L, cudaStream_t stream = 0)
{
    causal_softmax_fwd<<<dim3(unsigned(L), unsigned(nh)), 128, 0, stream>>>(prob, att, scale, L);
}
"""

# A junior's layer norm of halves: a warp a row, by pairs where rows allow it.
LN_HALF2 = """\
__device__ __forceinline__ float warp_all_sum(float v) {
  for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(~0u, v, o);
  return v;
}

__global__ void layer_norm_f16(const __half* __restrict__ in, __half* __restrict__ out, const __half* __restrict__ weight, const __half* __restrict__ bias, float epsilon, int64_t rows, int64_t hidden, bool pairs) {
  const int lane = threadIdx.x;
  const int64_t row = int64_t(blockIdx.x) * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  in += row * hidden;
  out += row * hidden;

  float sum = 0.f;
  for (int64_t i = lane; i < hidden; i += 32) sum += __half2float(in[i]);
  const float mean = warp_all_sum(sum) / hidden;

  float sq = 0.f;
  for (int64_t i = lane; i < hidden; i += 32) {
    const float d = __half2float(in[i]) - mean;
    sq += d * d;
  }
  const float rstd = rsqrtf(warp_all_sum(sq) / hidden + epsilon);

  if (pairs) {
    const __half2* in2 = reinterpret_cast<const __half2*>(in);
    const __half2* w2 = reinterpret_cast<const __half2*>(weight);
    const __half2* b2 = reinterpret_cast<const __half2*>(bias);
    __half2* out2 = reinterpret_cast<__half2*>(out);
    for (int64_t i = lane; i < hidden / 2; i += 32) {
      const float2 x = __half22float2(in2[i]), g = __half22float2(w2[i]), b = __half22float2(b2[i]);
      out2[i] = __floats2half2_rn((x.x - mean) * rstd * g.x + b.x, (x.y - mean) * rstd * g.y + b.y);
    }
  } else {
    for (int64_t i = lane; i < hidden; i += 32) {
      out[i] = __float2half((__half2float(in[i]) - mean) * rstd * __half2float(weight[i]) + __half2float(bias[i]));
    }
  }
}

extern "C" void launch(const __half* in /* [rows, hidden] */, __half* out /* [rows, hidden] */, const __half* weight /* [hidden] */, const __half* bias /* [hidden] */, float epsilon, int64_t rows, int64_t hidden, cudaStream_t stream = 0) {
  const bool round4 = (uintptr_t(in) | uintptr_t(out) | uintptr_t(weight) | uintptr_t(bias)) % 4 == 0;
  const dim3 block(32, 4);
  layer_norm_f16<<<unsigned((rows + 3) / 4), block, 0, stream>>>(in, out, weight, bias, epsilon, rows, hidden, round4 && hidden % 2 == 0);
}
"""

# A junior's RMS norm of bfloat16 with weights about 0: some rows a block, a tree.
RMS = """\
constexpr int NT = 64;

__global__ void rmsnorm_one_plus(const __nv_bfloat16* x, const __nv_bfloat16* w, __nv_bfloat16* y, int64_t n_tok, int64_t dim, float eps) {
    __shared__ float red[NT];
    const int tid = threadIdx.x;
    for (int64_t tok = blockIdx.x; tok < n_tok; tok += gridDim.x) {
        const __nv_bfloat16* xr = x + tok * dim;
        float ss = 0.f;
        for (int64_t d = tid; d < dim; d += NT) {
            const float v = __bfloat162float(xr[d]);
            ss += v * v;
        }
        red[tid] = ss;
        __syncthreads();
        for (int h = NT / 2; h > 0; h >>= 1) {
            if (tid < h) red[tid] += red[tid + h];
            __syncthreads();
        }
        const float scale = rsqrtf(red[0] / dim + eps);
        for (int64_t d = tid; d < dim; d += NT) {
            const float normed = __bfloat162float(xr[d]) * scale;
            y[tok * dim + d] = __float2bfloat16(normed * (1.f + __bfloat162float(w[d])));
        }
        __syncthreads();  // before red is overwritten
    }
}

extern "C" void launch(const __nv_bfloat16* x /* [n_tok, dim] */, const __nv_bfloat16* w /* [dim] */, __nv_bfloat16* y /* [n_tok, dim] */, int64_t n_tok, int64_t dim, float eps = 1e-6f, cudaStream_t stream = 0) {
    const int64_t blocks = n_tok < 7 ? n_tok : 7;
    rmsnorm_one_plus<<<unsigned(blocks), NT, 0, stream>>>(x, w, y, n_tok, dim, eps);
}
"""

# A junior's sums of the first columns of rows that lie `ld` apart: a block a row.
STRIDED = """\
__global__ void row_sums_ld(const float* __restrict__ x, int cols, int64_t ld, float* __restrict__ sums)
{
    __shared__ float warp_sums[8];
    const float* r = x + blockIdx.x * ld;
    float v = 0.0f;
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        v += r[c];
    for (int off = warpSize / 2; off > 0; off /= 2)
        v += __shfl_down_sync(0xffffffff, v, off);
    if (threadIdx.x % warpSize == 0)
        warp_sums[threadIdx.x / warpSize] = v;
    __syncthreads();
    if (threadIdx.x < 32) {
        v = threadIdx.x < blockDim.x / warpSize ? warp_sums[threadIdx.x] : 0.0f;
        for (int off = warpSize / 2; off > 0; off /= 2)
            v += __shfl_down_sync(0xffffffff, v, off);  // of warps
        if (threadIdx.x == 0)
            sums[blockIdx.x] = v;
    }
}

extern "C" void launch(const float* x /* [rows, ld] */, int cols, float* sums /* [rows] */, int64_t rows, int64_t ld, cudaStream_t stream = 0)
{
    row_sums_ld<<<(unsigned)rows, 256, 0, stream>>>(x, cols, ld, sums);
}
"""

# A student's means of columns: blocks take some rows each and add with atomics.
COLMEAN = """\
#define ROWS_PER_BLOCK 20

__global__ void colMean(const float *data, float *avg, int64_t N, int64_t D)
{
    int64_t j = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    int64_t begin = (int64_t)blockIdx.y * ROWS_PER_BLOCK;
    int64_t end = begin + ROWS_PER_BLOCK;
    if (end > N) end = N;
    if (j >= D) return;

    float s = 0.0f;
    for (int64_t i = begin; i < end; i++)
        s += data[i * D + j];
    atomicAdd(&avg[j], s / N);
}

extern "C" void launch(const float *data /* [N, D] */, float *avg /* [D] */, int64_t N, int64_t D, cudaStream_t stream = 0)
{
    cudaMemsetAsync(avg, 0, D * sizeof(float), stream);
    dim3 blocks((D + 31) / 32, (N + ROWS_PER_BLOCK - 1) / ROWS_PER_BLOCK);
    colMean<<<blocks, 32, 0, stream>>>(data, avg, N, D);
}
"""

# A student's place of the first largest of each row: a block a row, a tree of pairs.
ARGMAX = """\
#define THREADS 64

__global__ void argmax_rows(const float *scores, int *labels, int64_t classes)
{
    __shared__ float best[THREADS];
    __shared__ int where[THREADS];
    int t = threadIdx.x;
    const float *row = scores + blockIdx.x * classes;

    float v = -INFINITY;
    int at = t < classes ? t : 0;
    for (int c = t; c < classes; c += THREADS)
    {
        if (row[c] > v)
        {
            v = row[c];
            at = c;
        }
    }
    best[t] = v;
    where[t] = at;
    __syncthreads();

    for (int s = THREADS / 2; s > 0; s /= 2)
    {
        if (t < s)
        {
            if (best[t + s] > best[t] || (best[t + s] == best[t] && where[t + s] < where[t]))
            {
                best[t] = best[t + s];
                where[t] = where[t + s];
            }
        }
        __syncthreads(); // step
    }
    if (t == 0)
        labels[blockIdx.x] = where[0];
}

extern "C" void launch(const float *scores /* [batch, classes] */, int *labels /* [batch] */, int64_t batch, int64_t classes, cudaStream_t stream = 0)
{
    argmax_rows<<<batch, THREADS, 0, stream>>>(scores, labels, classes);
}
"""

# A junior's places of the chosen in each row: how many flags stand before; a warp a row.
BEFORE = """\
__global__ void exclusive_counts(const uint8_t* __restrict__ flags, int* __restrict__ pos, int64_t rows, int64_t n) {
    const unsigned lane = threadIdx.x % 32u;
    const int64_t row = (blockIdx.x * int64_t(blockDim.x) + threadIdx.x) / 32;
    if (row >= rows) return;
    int carry = 0;
    for (int64_t base = row * n; base < (row + 1) * n; base += 32) {
        const bool valid = base + lane < (row + 1) * n;
        const int own = valid ? flags[base + lane] : 0;
        int run = own;
        for (unsigned d = 1; d < 32; d *= 2) {
            const int left = __shfl_up_sync(0xffffffffu, run, d);
            if (lane >= d) run += left;
        }
        if (valid) pos[base + lane] = carry + run - own;
        carry += __shfl_sync(0xffffffffu, run, 31);
    }
}

extern "C" void launch(const uint8_t* flags /* [rows, n] */, int* pos /* [rows, n] */, int64_t rows, int64_t n, cudaStream_t stream = 0) {
    exclusive_counts<<<unsigned((rows + 1) / 2), 64, 0, stream>>>(flags, pos, rows, n);
}
"""

FLOAT, HALF, BRAIN = (torch.float32,), (torch.float16,), (torch.bfloat16,)
SIDES = ((1, 1), (1, 40), (7, 5), (31, 3), (5, 96), (3, 250), (8, 64), (45, 23))
PRODUCTS = ((1, 1, 1), (5, 3, 8), (16, 16, 16), (33, 40, 19), (19, 6, 50), (11, 70, 30))


def _numbers(*size: int, limit: int = 25) -> torch.Tensor:
    generator = torch.Generator().manual_seed(sum(17 * side for side in size) + limit)
    return torch.randint(-limit, limit + 1, size, generator=generator).float()


def _case(words: str, inputs: tuple, right, dtypes: tuple, scalars=None, **options) -> Case:
    sizes = ", ".join(" x ".join(map(str, tensor.shape)) for tensor in inputs)
    label = f"{sizes} {words} {scalars or ''}".strip()
    return Case(
        label, inputs, (right,), *([scalars] if scalars else []), dtypes=dtypes, **options
    )


def naive(launcher: Launcher) -> Iterator[Case]:
    """Turn halves."""
    for size in ((1, 1), (16, 16), (32, 48), (40, 70), (70, 40), (1, 90), (90, 1), (17, 33)):
        x = _numbers(*size, limit=2000).half()
        yield _case("", (x,), x.T.contiguous(), HALF)


def batch(launcher: Launcher) -> Iterator[Case]:
    """Turn one and several matrices of floats."""
    for count in (1, 3):
        for size in ((1, 1), (16, 16), (32, 48), (20, 35), (35, 20), (1, 50), (50, 1)):
            x = _numbers(count, *size, limit=9000) / 8
            yield _case("", (x,), x.transpose(1, 2).contiguous(), FLOAT)


def tiled(launcher: Launcher) -> Iterator[Case]:
    """Multiply floats: all is exact."""
    for n, p, m in PRODUCTS:
        a, b = _numbers(n, p), _numbers(p, m) / 4
        yield _case("", (a, b), a.double() @ b.double(), FLOAT)


def linear(launcher: Launcher) -> Iterator[Case]:
    """Multiply by bytes with scales, add a bias, take ReLU: all but the output is exact."""
    for t, k, o in (*PRODUCTS, (3, 300, 5)):
        w, x = _numbers(o, k, limit=120).to(torch.int8), _numbers(t, k).half() / 16
        scale = 2.0 ** -(_numbers(o, limit=2) + 8)
        bias = _numbers(o, limit=30) / 8
        right = (x.double() @ w.double().T * scale.double() + bias.double()).clamp(min=0)
        yield _case("", (w, scale, x, bias), right, HALF, ulp=1)


def vecmat(launcher: Launcher) -> Iterator[Case]:
    """Multiply vectors by matrices: all is exact."""
    for m, n in (*SIDES, (130, 70), (300, 3)):
        x, a = _numbers(m, limit=9) / 4, _numbers(m, n)
        yield _case("", (x, a), x.double() @ a.double(), FLOAT)


def logsoft(launcher: Launcher) -> Iterator[Case]:
    """Take log-softmax of usual, distant and wide rows."""
    for m, n in SIDES:
        for words, factor, shift in (("", 0.125, 0), ("200 less", 0.125, -200), ("wide", 8, 0)):
            x = _numbers(m, n) * factor + shift
            right = torch.log_softmax(x.double(), dim=1)
            slack = 2.0**-20 * (right.abs() + 1)
            yield _case(words, (x,), right, FLOAT, ulp=2, within=(slack,))


def causal(launcher: Launcher) -> Iterator[Case]:
    """Take softmax of what each row may see: usual and distant rows."""
    for heads, side in ((1, 1), (1, 33), (3, 7), (2, 64), (1, 140)):
        for words, shift in (("", 0), ("200 less", -200), ("200 more", 200)):
            for scale in (1.0, 0.25):
                x = _numbers(heads, side, side) / 8 + shift
                hidden = torch.ones(side, side).triu(1).bool()
                z = (x.double() * scale).masked_fill(hidden, -float("inf"))
                right = torch.softmax(z, dim=2)
                options = {"ulp": 2, "within": (2.0**-17 * right,)}
                yield _case(words, (x,), right, FLOAT, {"scale": scale}, **options)


def norm(launcher: Launcher) -> Iterator[Case]:
    """Norm usual, distant, small and equal rows of halves."""
    for m, n in (*SIDES, (9, 66)):
        for factor, shift in ((1.0, 0.0), (0.25, 500.0), (2.0**-10, 0.0), (0.0, 3.0)):
            x = (_numbers(m, n, limit=15) * factor + shift).half()
            w, b = (_numbers(n, limit=3) / 4 + 1).half(), (_numbers(n, limit=9) / 4).half()
            away = x.double() - x.double().mean(dim=1, keepdim=True)
            inverse = 1 / torch.sqrt(away.square().mean(dim=1, keepdim=True) + 2.0**-18)
            right = away * inverse * w.double() + b.double()
            slack = 2.0**-11 * right.abs() + 2.0**-20 * (shift * inverse + 4)
            words = f"about {shift}, times {factor}"
            scalars = {"epsilon": 2.0**-18}
            yield _case(words, (x, w, b), right, HALF, scalars, ulp=1, within=(slack,))


def rms(launcher: Launcher) -> Iterator[Case]:
    """Norm zeros, small, usual and large rows of bfloat16."""
    for m, n in SIDES:
        for factor in (0.0, 2.0**-10, 1.0, 64.0):
            x, w = (_numbers(m, n) * factor).bfloat16(), (_numbers(n, limit=9) / 32).bfloat16()
            inverse = 1 / torch.sqrt(x.double().square().mean(dim=1, keepdim=True) + 2.0**-12)
            right = x.double() * inverse * (1 + w.double())
            options = {"ulp": 1, "within": (2.0**-8 * right.abs(),)}
            yield _case(f"times {factor}", (x, w), right, BRAIN, {"eps": 2.0**-12}, **options)


def strided(launcher: Launcher) -> Iterator[Case]:
    """Add all columns and some of them: all is exact."""
    for m, n in (*SIDES, (2, 700)):
        x = _numbers(m, n, limit=900) / 4
        for cols in sorted({n, (n + 1) // 2, max(n - 3, 1)}):
            right = x.double()[:, :cols].sum(dim=1)
            yield _case("", (x,), right, FLOAT, {"cols": cols})


def colmean(launcher: Launcher) -> Iterator[Case]:
    """Take means of columns."""
    for m, n in (*SIDES, (200, 6), (64, 70), (40, 32)):
        x = _numbers(m, n) + 9
        slack = 2.0**-20 * x.double().abs().mean(dim=0)
        yield _case("", (x,), x.double().mean(dim=0), FLOAT, ulp=2, within=(slack,))


def argmax(launcher: Launcher) -> Iterator[Case]:
    """Find the first largest: of mixed, negative and equal numbers, and of -inf."""
    for m, n in SIDES:
        x = _numbers(m, n, limit=900) / 8
        low = torch.full((m, n), -float("inf"))
        for words, y in (
            ("", x),
            ("negative", x - 500),
            ("equal", x.clamp(max=40)),
            ("-inf", low),
        ):
            top = y.amax(dim=1, keepdim=True)
            right = torch.where(y == top, torch.arange(n), n).amin(dim=1)
            yield _case(words, (y,), right.int(), (torch.int32,))


def before(launcher: Launcher) -> Iterator[Case]:
    """Count the flags before each: few, many and all."""
    for m, n in (*SIDES, (2, 600)):
        x = _numbers(m, n, limit=50)
        for words, y in (("few", x > 35), ("many", x > -30), ("all", x > -99)):
            flags = y.to(torch.uint8)
            right = flags.long().cumsum(dim=1) - flags
            yield _case(words, (flags,), right.int(), (torch.int32,))


BASES = {
    "xxxiv_turn_naive": Base(HEADER + NAIVE, {"cases": naive}),
    "xxxiv_turn_batch": Base(HEADER + BATCH, {"cases": batch}),
    "xxxiv_mm_tiled": Base(HEADER + TILED, {"cases": tiled}),
    "xxxiv_mm_w8": Base(HEADER + W8, {"cases": linear}),
    "xxxiv_vm_parts": Base(HEADER + VECMAT, {"cases": vecmat}),
    "xxxiv_soft_log": Base(HEADER + LOGSOFT, {"cases": logsoft}),
    "xxxiv_soft_causal": Base(HEADER + CAUSAL, {"cases": causal}),
    "xxxiv_ln_pairs": Base(HEADER + LN_HALF2, {"cases": norm}),
    "xxxiv_rms_plus": Base(HEADER + RMS, {"cases": rms}),
    "xxxiv_rows_ld": Base(HEADER + STRIDED, {"cases": strided}),
    "xxxiv_cols_mean": Base(HEADER + COLMEAN, {"cases": colmean}),
    "xxxiv_rows_argmax": Base(HEADER + "#include <climits>\n\n" + ARGMAX, {"cases": argmax}),
    "xxxiv_scan_before": Base(HEADER + BEFORE, {"cases": before}),
}

WRONG = (
    # ---- one thread an element, in square blocks
    # The grid is that of the turned matrix.
    Wrong(
        "xxxiv_turn_naive_grid_turned",
        "xxxiv_turn_naive",
        "grid / sides / unwritten / swapped | left out / tail",
        (
            "bpg((ncol + tpb.x - 1) / tpb.x, (nrow + tpb.y - 1) / tpb.y)",
            "bpg((nrow + tpb.x - 1) / tpb.x, (ncol + tpb.y - 1) / tpb.y)",
        ),
    ),
    # One column too many.
    Wrong(
        "xxxiv_turn_naive_equal_too", "xxxiv_turn_naive", "bounds", ("j < ncol)", "j <= ncol)")
    ),
    # Blocks are rounded down.
    Wrong(
        "xxxiv_turn_naive_floor",
        "xxxiv_turn_naive",
        "tail / grid / unwritten / refused | left out / sides",
        ("(ncol + tpb.x - 1) / tpb.x,", "ncol / tpb.x,"),
    ),
    # The row's length of the input in the output.
    Wrong(
        "xxxiv_turn_naive_same_stride",
        "xxxiv_turn_naive",
        "sides / bounds / other element / swapped | unwritten / race / left out",
        ("AT[j * nrow + i]", "AT[j * ncol + i]"),
    ),
    # ---- tiles of a batch
    # All matrices go into the first.
    Wrong(
        "xxxiv_turn_batch_into_first",
        "xxxiv_turn_batch",
        "unwritten / race | left out / other element / sides / twice",
        ("  dst += blockIdx.z * H * W;\n", ""),
    ),
    # No room for the padding.
    Wrong(
        "xxxiv_turn_batch_no_room",
        "xxxiv_turn_batch",
        "bounds",
        ("smem[T * (T + 1)];", "smem[T * T];"),
    ),
    # Only those who load wait.
    Wrong(
        "xxxiv_turn_batch_some_wait",
        "xxxiv_turn_batch",
        "race | timeout / unwritten / sides",
        (
            "src[(h0 + ty) * W + w0 + tx];\n  }\n  __syncthreads();\n",
            "src[(h0 + ty) * W + w0 + tx];\n    __syncthreads();\n  }\n",
        ),
    ),
    # The tile is read as it was written.
    Wrong(
        "xxxiv_turn_batch_tile_not_turned",
        "xxxiv_turn_batch",
        "other element / swapped / unwritten / sides | left out / race / bounds / copy / numbers / neighbour",
        ("= smem[tx * (T + 1) + ty];", "= smem[ty * (T + 1) + tx];"),
    ),
    # ---- a product by tiles
    # Whole tiles of the inner side only.
    Wrong(
        "xxxiv_mm_tiled_whole_tiles",
        "xxxiv_mm_tiled",
        "left out / tail | function / sides / numbers / copy",
        ("t < (p + TW - 1) / TW;", "t < p / TW;"),
    ),
    # The last product only.
    Wrong(
        "xxxiv_mm_tiled_last_product",
        "xxxiv_mm_tiled",
        "left out / function | sides / numbers / copy / other element",
        ("cValue += As[ty][k]", "cValue = As[ty][k]"),
    ),
    # Tiles are not awaited.
    Wrong(
        "xxxiv_mm_tiled_not_there",
        "xxxiv_mm_tiled",
        "race / unwritten | other element / left out / numbers / sides / function / nan",
        ("        __syncthreads();  // tiles are there\n", ""),
    ),
    # What lies past the inner side stays from before.
    Wrong(
        "xxxiv_mm_tiled_no_zero",
        "xxxiv_mm_tiled",
        "unwritten / tail / other element / twice / start | left out / sides / numbers / function / race / bounds / nan / state",
        ("        else\n            As[ty][tx] = 0.0f;\n", ""),
        ("        else\n            Bs[ty][tx] = 0.0f;\n", ""),
    ),
    # ---- bytes with scales
    # A scale a token.
    Wrong(
        "xxxiv_mm_w8_scale_of_token",
        "xxxiv_mm_w8",
        "bounds / other element | sides / function / numbers",
        ("w_scale[o] +", "w_scale[t] +"),
    ),
    # The bytes have no sign.
    Wrong(
        "xxxiv_mm_w8_no_sign",
        "xxxiv_mm_w8",
        "whole range / function / numbers | infinity",
        ("float(wr[k])", "float(uint8_t(wr[k]))"),
    ),
    # The sum is a half.
    Wrong(
        "xxxiv_mm_w8_half_sum",
        "xxxiv_mm_w8",
        "precision / rounding | numbers / infinity",
        ("    float acc = 0.f;", "    __half acc = __float2half(0.f);"),
        (
            "acc += float(wr[k]) * __half2float(ar[k]);",
            "acc = __hadd(acc, __float2half(float(wr[k]) * __half2float(ar[k])));",
        ),
        (
            "acc += __shfl_down_sync(0xffffffffu, acc, s);",
            "acc = __hadd(acc, __shfl_down_sync(0xffffffffu, acc, s));",
        ),
        ("v = acc * w_scale", "v = __half2float(acc) * w_scale"),
    ),
    # ReLU comes before the bias.
    Wrong(
        "xxxiv_mm_w8_bias_last",
        "xxxiv_mm_w8",
        "function | numbers",
        ("v = acc * w_scale[o] + bias[o];", "v = fmaxf(acc * w_scale[o], 0.f) + bias[o];"),
        ("__float2half(fmaxf(v, 0.f))", "__float2half(v)"),
    ),
    # ---- vector times matrix
    # Threads without a column leave, and load nothing.
    Wrong(
        "xxxiv_vm_parts_early_return",
        "xxxiv_vm_parts",
        "race / unwritten / left out / other element | bounds / sides / numbers / tail / nan / function",
        ("    float sum = 0;\n", "    if (j >= n)\n        return;\n    float sum = 0;\n"),
    ),
    # The next part comes too early.
    Wrong(
        "xxxiv_vm_parts_not_done",
        "xxxiv_vm_parts",
        "race | other element / numbers / left out / sides / function",
        ("        __syncthreads(); // part is done\n", ""),
    ),
    # The last part is as long as the others.
    Wrong(
        "xxxiv_vm_parts_full_length",
        "xxxiv_vm_parts",
        "bounds",
        ("        if (m - p < PART) len = m - p;\n", ""),
    ),
    # Each thread loads one number of a part: 64 of the 96.
    Wrong(
        "xxxiv_vm_parts_one_each",
        "xxxiv_vm_parts",
        "unwritten / left out / block size | race / sides / numbers / other element / function / nan",
        (
            "        for (int k = threadIdx.x; k < len; k += blockDim.x)\n            xs[k] = x[p + k];",
            "        if (threadIdx.x < len)\n            xs[threadIdx.x] = x[p + threadIdx.x];",
        ),
    ),
    # ---- log-softmax
    # The least positive float.
    Wrong(
        "xxxiv_soft_log_flt_min",
        "xxxiv_soft_log",
        "start / infinity / nan / numbers | function",
        ("rowMax = -FLT_MAX;", "rowMax = FLT_MIN;"),
    ),
    # The sum is complete in the first lane.
    Wrong(
        "xxxiv_soft_log_sum_in_first",
        "xxxiv_soft_log",
        "left out / function | sides / numbers / other element / infinity / twice",
        ("rowSum += __shfl_xor_sync(", "rowSum += __shfl_down_sync("),
    ),
    # Rows are not tested.
    Wrong(
        "xxxiv_soft_log_no_row_test",
        "xxxiv_soft_log",
        "bounds",
        ("  if (row >= numRows) return;\n", ""),
    ),
    # The logarithm of a softmax that is zero.
    Wrong(
        "xxxiv_soft_log_of_quotient",
        "xxxiv_soft_log",
        "infinity / precision / numbers / subnormal | function / rounding",
        ("= in[c] - rowMax - logSum;", "= logf(expf(in[c] - rowMax) / rowSum);"),
        ("  float logSum = logf(rowSum);\n", ""),
    ),
    # ---- causal softmax
    # Without itself.
    Wrong(
        "xxxiv_soft_causal_strict",
        "xxxiv_soft_causal",
        "left out / nan / function | numbers / infinity / unwritten / other element",
        ("seen = q + 1;", "seen = q;"),
    ),
    # No maximum.
    Wrong(
        "xxxiv_soft_causal_no_maximum",
        "xxxiv_soft_causal",
        "infinity / nan / numbers | function / start / left out",
        ("    mx = block_reduce(mx, sh, Max());\n", "    mx = 0.f;\n"),
    ),
    # What is hidden is not written.
    Wrong(
        "xxxiv_soft_causal_upper_unwritten",
        "xxxiv_soft_causal",
        "unwritten | left out / state / tail",
        (
            "j < L; j += blockDim.x) p[j] = j < seen ?",
            "j < seen; j += blockDim.x) p[j] = j < seen ?",
        ),
    ),
    # What is hidden counts as a score of 0.
    Wrong(
        "xxxiv_soft_causal_zero_scores",
        "xxxiv_soft_causal",
        "function / numbers / other element | infinity / nan / left out / start",
        (
            "j < seen; j += blockDim.x) den += expf(a[j] * scale - mx);",
            "j < L; j += blockDim.x) den += expf((j < seen ? a[j] * scale : 0.f) - mx);",
        ),
    ),
    # The scores of the first head.
    Wrong(
        "xxxiv_soft_causal_first_head",
        "xxxiv_soft_causal",
        "other element / left out / function | sides / numbers",
        ("a = att + (head * L + q) * L;", "a = att + q * L;"),
    ),
    # The sums are stored while maxima are read.
    Wrong(
        "xxxiv_soft_causal_stored_again",
        "xxxiv_soft_causal",
        "race | function / numbers / other element / left out / sides",
        ("    __syncthreads();  // sh may be written again\n", ""),
    ),
    # ---- layer norm of halves
    # Squares less the square.
    Wrong(
        "xxxiv_ln_pairs_squares",
        "xxxiv_ln_pairs",
        "precision / numbers / nan | function / infinity / rounding",
        ("const float d = __half2float(in[i]) - mean;", "const float d = __half2float(in[i]);"),
        (
            "rsqrtf(warp_all_sum(sq) / hidden + epsilon)",
            "rsqrtf(warp_all_sum(sq) / hidden - mean * mean + epsilon)",
        ),
    ),
    # Rows of an odd length.
    Wrong(
        "xxxiv_ln_pairs_odd_rows",
        "xxxiv_ln_pairs",
        "alignment / tail / unwritten | left out / bounds",
        ("round4 && hidden % 2 == 0", "round4"),
    ),
    # The first weight of a pair for both.
    Wrong(
        "xxxiv_ln_pairs_weight_of_first",
        "xxxiv_ln_pairs",
        "other element / left out / function | neighbour / sides / numbers",
        ("* rstd * g.y + b.y", "* rstd * g.x + b.y"),
    ),
    # n - 1.
    Wrong(
        "xxxiv_ln_pairs_n_less_one",
        "xxxiv_ln_pairs",
        "function | nan / infinity / sides / numbers",
        ("/ hidden + epsilon)", "/ (hidden - 1) + epsilon)"),
    ),
    # Blocks for rows of 8.
    Wrong(
        "xxxiv_ln_pairs_too_few_blocks",
        "xxxiv_ln_pairs",
        "grid / unwritten / left out | tail / sides",
        ("unsigned((rows + 3) / 4)", "unsigned((rows + 7) / 8)"),
    ),
    # No epsilon.
    Wrong(
        "xxxiv_ln_pairs_no_epsilon",
        "xxxiv_ln_pairs",
        "nan / function / left out / numbers | infinity",
        ("/ hidden + epsilon)", "/ hidden)"),
    ),
    # ---- RMS norm
    # Root in place of its inverse.
    Wrong(
        "xxxiv_rms_plus_root",
        "xxxiv_rms_plus",
        "function | numbers / infinity",
        ("= rsqrtf(", "= sqrtf("),
    ),
    # Weights as of other norms.
    Wrong(
        "xxxiv_rms_plus_no_one",
        "xxxiv_rms_plus",
        "function / left out | numbers",
        ("(1.f + __bfloat162float(w[d]))", "__bfloat162float(w[d])"),
    ),
    # Epsilon outside of the root.
    Wrong(
        "xxxiv_rms_plus_epsilon_outside",
        "xxxiv_rms_plus",
        "function / nan / numbers | infinity / left out",
        ("rsqrtf(red[0] / dim + eps)", "rsqrtf(red[0] / dim) + eps"),
    ),
    # The next row comes too early.
    Wrong(
        "xxxiv_rms_plus_overwritten",
        "xxxiv_rms_plus",
        "race | function / numbers / other element / left out / sides / state",
        ("        __syncthreads();  // before red is overwritten\n", ""),
    ),
    # ---- sums of rows that lie apart
    # Rows lie as if they were dense.
    Wrong(
        "xxxiv_rows_ld_dense",
        "xxxiv_rows_ld",
        "other element / sides / left out | function / numbers / bounds / swapped",
        ("x + blockIdx.x * ld;", "x + blockIdx.x * cols;"),
    ),
    # The first warp's sum only.
    Wrong(
        "xxxiv_rows_ld_first_warp",
        "xxxiv_rows_ld",
        "left out | function / sides / numbers / copy",
        (
            "        v = threadIdx.x < blockDim.x / warpSize ? warp_sums[threadIdx.x] : 0.0f;\n        for (int off = warpSize / 2; off > 0; off /= 2)\n            v += __shfl_down_sync(0xffffffff, v, off);  // of warps\n",
            "",
        ),
    ),
    # All 32 lanes read a sum.
    Wrong(
        "xxxiv_rows_ld_reads_32",
        "xxxiv_rows_ld",
        "bounds",
        (
            "v = threadIdx.x < blockDim.x / warpSize ? warp_sums[threadIdx.x] : 0.0f;",
            "v = warp_sums[threadIdx.x];",
        ),
    ),
    # The last column is left.
    Wrong(
        "xxxiv_rows_ld_last_column",
        "xxxiv_rows_ld",
        "left out / tail | function / sides / numbers / copy",
        ("c < cols; c += blockDim.x", "c < cols - 1; c += blockDim.x"),
    ),
    # ---- means of columns
    # Bytes and elements: a quarter is set.
    Wrong(
        "xxxiv_cols_mean_quarter_set",
        "xxxiv_cols_mean",
        "zero before / state | start / numbers / unwritten",
        ("D * sizeof(float), stream", "D, stream"),
    ),
    # No atomic.
    Wrong(
        "xxxiv_cols_mean_no_atomic",
        "xxxiv_cols_mean",
        "race | left out / numbers / sides / function",
        ("atomicAdd(&avg[j], s / N);", "avg[j] += s / N;"),
    ),
    # A division of integers.
    Wrong(
        "xxxiv_cols_mean_one_by_n",
        "xxxiv_cols_mean",
        "function / copy / rounding | numbers / unwritten / left out / sides",
        ("s / N);", "s * (1 / N));"),
    ),
    # The last block goes past the end.
    Wrong(
        "xxxiv_cols_mean_no_end",
        "xxxiv_cols_mean",
        "bounds",
        ("    if (end > N) end = N;\n", ""),
    ),
    # ---- the first largest
    # From 0.
    Wrong(
        "xxxiv_rows_argmax_from_zero",
        "xxxiv_rows_argmax",
        "start / numbers | function / other element",
        ("float v = -INFINITY;", "float v = 0;"),
    ),
    # Equal ones: whichever thread is first.
    Wrong(
        "xxxiv_rows_argmax_equals",
        "xxxiv_rows_argmax",
        "other element / numbers / function | twice / left out / sides",
        (" || (best[t + s] == best[t] && where[t + s] < where[t])", ""),
    ),
    # Steps are not awaited.
    Wrong(
        "xxxiv_rows_argmax_no_barrier",
        "xxxiv_rows_argmax",
        "race | left out / numbers / other element / function",
        ("        __syncthreads(); // step\n", ""),
    ),
    # ---- counts before
    # Lanes without a left neighbour add their own.
    Wrong(
        "xxxiv_scan_before_no_lane_test",
        "xxxiv_scan_before",
        "twice / function | numbers / other element",
        ("if (lane >= d) run += left;", "run += left;"),
    ),
    # Each lane carries its own.
    Wrong(
        "xxxiv_scan_before_own_carry",
        "xxxiv_scan_before",
        "left out / function / other element | sides / numbers",
        ("carry += __shfl_sync(0xffffffffu, run, 31);", "carry += run;"),
    ),
    # The carry is a byte.
    Wrong(
        "xxxiv_scan_before_byte_carry",
        "xxxiv_scan_before",
        "whole range / narrow | numbers / sides / infinity / function / left out",
        ("    int carry = 0;", "    uint8_t carry = 0;"),
    ),
)

RIGHT = (
    # Lanes go down the input's columns.
    Right(
        "xxxiv_turn_naive_by_columns",
        "xxxiv_turn_naive",
        ("blockDim.y + threadIdx.y; // row", "blockDim.x + threadIdx.x; // row"),
        ("blockDim.x + threadIdx.x; // column", "blockDim.y + threadIdx.y; // column"),
    ),
    # Turned by exclusive or in place of padding.
    Right(
        "xxxiv_turn_batch_swizzled",
        "xxxiv_turn_batch",
        ("smem[T * (T + 1)];", "smem[T * T];"),
        ("smem[ty * (T + 1) + tx] =", "smem[ty * T + (tx ^ ty)] ="),
        ("= smem[tx * (T + 1) + ty];", "= smem[tx * T + (ty ^ tx)];"),
    ),
    # From the last tile, and idle blocks.
    Right(
        "xxxiv_mm_tiled_backwards",
        "xxxiv_mm_tiled",
        ("int64_t t = 0; t < (p + TW - 1) / TW; t++", "int64_t t = (p - 1) / TW; t >= 0; t--"),
        ("dimGrid((m + TW - 1) / TW,", "dimGrid(m / TW + 2,"),
        ("#define TW 8", "#define TW 11"),
    ),
    # The scale is in each product, in double; another lane writes.
    Right(
        "xxxiv_mm_w8_scaled_products",
        "xxxiv_mm_w8",
        ("    float acc = 0.f;", "    double acc = 0.0;"),
        ("acc += float(wr[k]) *", "acc += double(w_scale[o]) * float(wr[k]) *"),
        ("__shfl_down_sync(", "__shfl_xor_sync("),
        ("if (lane == 0)", "if (lane == 31)"),
        ("v = acc * w_scale[o] + bias[o];", "v = float(acc + bias[o]);"),
    ),
    # Parts that are longer than the block, zeros past the end.
    Right(
        "xxxiv_vm_parts_zeros",
        "xxxiv_vm_parts",
        ("k < len; k += blockDim.x)", "k < PART; k += blockDim.x)"),
        ("xs[k] = x[p + k];", "xs[k] = k < len ? x[p + k] : 0;"),
        ("#define PART 96", "#define PART 150"),
        ("const int block = 64;", "const int block = 40;"),
    ),
    # Logarithm of base 2, idle blocks.
    Right(
        "xxxiv_soft_log_base_two",
        "xxxiv_soft_log",
        ("logf(rowSum)", "log2f(rowSum) * 0.69314718f"),
        ("(numRows + 3) / 4;", "numRows / 3 + 2;"),
    ),
    # The hidden part is set before, threads beyond it are idle.
    Right(
        "xxxiv_soft_causal_memset",
        "xxxiv_soft_causal",
        (
            "j < L; j += blockDim.x) p[j] = j < seen ?",
            "j < seen; j += blockDim.x) p[j] = true ?",
        ),
        (
            "    causal_softmax_fwd<<<dim3(unsigned(L), unsigned(nh)), 128,",
            "    cudaMemsetAsync(prob, 0, nh * L * L * sizeof(float), stream);\n    causal_softmax_fwd<<<dim3(unsigned(L), unsigned(nh)), 96,",
        ),
        ("float mx = -INFINITY;", "float mx = -FLT_MAX;"),
    ),
    # Never by pairs; one row a block.
    Right(
        "xxxiv_ln_pairs_single",
        "xxxiv_ln_pairs",
        ("round4 && hidden % 2 == 0", "hidden < 0 && round4"),
        ("block(32, 4);", "block(32, 1);"),
        ("unsigned((rows + 3) / 4)", "unsigned(rows)"),
    ),
    # The first thread makes the sum; one block for all rows.
    Right(
        "xxxiv_rms_plus_first_adds",
        "xxxiv_rms_plus",
        (
            "        for (int h = NT / 2; h > 0; h >>= 1) {\n            if (tid < h) red[tid] += red[tid + h];\n            __syncthreads();\n        }\n",
            "        if (tid == 0) {\n            for (int h = 1; h < NT; ++h) red[0] += red[h];\n        }\n        __syncthreads();\n",
        ),
        ("n_tok < 7 ? n_tok : 7;", "1;"),
        ("constexpr int NT = 64;", "constexpr int NT = 50;"),
    ),
    # From behind, by three warps.
    Right(
        "xxxiv_rows_ld_backwards",
        "xxxiv_rows_ld",
        (
            "int c = threadIdx.x; c < cols; c += blockDim.x",
            "int c = cols - 1 - (int)threadIdx.x; c >= 0; c -= blockDim.x",
        ),
        ("<<<(unsigned)rows, 256,", "<<<(unsigned)rows, 96,"),
    ),
    # All rows by one block of each column: nothing has to be added.
    Right(
        "xxxiv_cols_mean_one_block",
        "xxxiv_cols_mean",
        ("int64_t end = begin + ROWS_PER_BLOCK;", "int64_t end = N;"),
        ("atomicAdd(&avg[j], s / N);", "avg[j] = s / N;"),
        ("(N + ROWS_PER_BLOCK - 1) / ROWS_PER_BLOCK);", "1);"),
    ),
    # From the last column on, the last of equals there is the first.
    Right(
        "xxxiv_rows_argmax_backwards",
        "xxxiv_rows_argmax",
        (
            "int c = t; c < classes; c += THREADS",
            "int c = (int)classes - 1 - t; c >= 0; c -= THREADS",
        ),
        ("if (row[c] > v)", "if (row[c] >= v)"),
        ("int at = t < classes ? t : 0;", "int at = INT_MAX;"),
        ("#define THREADS 64", "#define THREADS 128"),
    ),
    # Votes in place of running sums.
    Right(
        "xxxiv_scan_before_votes",
        "xxxiv_scan_before",
        (
            "        int run = own;\n        for (unsigned d = 1; d < 32; d *= 2) {\n            const int left = __shfl_up_sync(0xffffffffu, run, d);\n            if (lane >= d) run += left;\n        }\n",
            "        const unsigned votes = __ballot_sync(0xffffffffu, own != 0);\n",
        ),
        ("carry + run - own;", "carry + __popc(votes & ((1u << lane) - 1u));"),
        ("carry += __shfl_sync(0xffffffffu, run, 31);", "carry += __popc(votes);"),
    ),
)
