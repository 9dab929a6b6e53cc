"""Hold half of a thirty-third family: transposes, products, softmax, norms, sums, scans.

The causes were written before a member was judged. On the emulator each was run beside PyTorch:
bases and right ones are right, and all wrong ones but two wrong, or refused by a fault, some
only so:

    xxxiii_turn_plain_grid_swapped         if the sides need different numbers of blocks
    xxxiii_turn_plain_step                 if the sides differ
    xxxiii_turn_batch_one_output           from 2 matrices on
    xxxiii_turn_batch_small_tile           from 9 rows on
    xxxiii_turn_batch_tile_as_it_was       of more than one element
    xxxiii_turn_batch_first_only           from 2 matrices on
    xxxiii_mm_naive_half_sum               of sums that no half holds, on the way
    xxxiii_mm_naive_one_more               if the elements are no multiple of 256
    xxxiii_mm_tiled_whole_phases           if the inner side is no multiple of 16
    xxxiii_mm_tiled_early_return           if a side of the output is no multiple of 16
    xxxiii_mm_tiled_second_turned          from 2 inside and 2 columns on
    xxxiii_mm_tiled_wrong_side             if inner side and columns differ
    xxxiii_mm_linear_bias_after            of a bias below 0, or a product below 0
    xxxiii_mm_linear_bias_of_sample        if sample and output differ
    xxxiii_mm_linear_weight_turned         from 2 inputs and 2 outputs on
    xxxiii_mm_linear_not_used_yet          from 65 inputs on
    xxxiii_mm_linear_truncated             of sums that no bfloat16 holds
    xxxiii_mv_quant_unsigned               of bytes below 0
    xxxiii_mv_quant_first_scale            from 2 rows on
    xxxiii_mv_quant_one_lane               from 2 columns on
    xxxiii_mv_quant_int_sum                of products with a fraction
    xxxiii_mv_quant_no_row_test            if the rows are no multiple of 4
    xxxiii_soft_logs_identity_zero         of rows far below 0
    xxxiii_soft_logs_of_quotient           of elements far below the largest
    xxxiii_soft_logs_base_two              from 2 columns on
    xxxiii_soft_logs_one_warp              from 33 columns on
    xxxiii_soft_causal_row_of_all          from 2 heads on
    xxxiii_soft_causal_future_left         from 2 columns on
    xxxiii_soft_causal_sum_of_first_lane   from 2 columns on
    xxxiii_soft_causal_sum_without_scale   by another scale than 1
    xxxiii_soft_causal_scores_masked       from 2 columns on
    xxxiii_ln_layer_two_moments            of rows far from 0
    xxxiii_ln_layer_no_root                of rows whose variance is neither 0 nor 1
    xxxiii_ln_rms_mean_of_packs            if the columns are a multiple of 4, all aligned
    xxxiii_ln_rms_epsilon_outside          of small rows
    xxxiii_ln_rms_sides_only               of tensors that start at no multiple of 16 bytes
    xxxiii_ln_rms_rest_forgotten           if the columns are no multiple of 4, or not aligned
    xxxiii_rows_sum_no_loop                from 129 columns on
    xxxiii_rows_sum_levels_not_awaited     of more than one column
    xxxiii_cols_mean_integers              of means that are no whole numbers
    xxxiii_cols_mean_short                 of sums past 65,535, from 258 rows on
    xxxiii_rows_argmax_from_zero           of rows without a number above 0
    xxxiii_rows_argmax_ties                of equal numbers, if a later thread has the first one
    xxxiii_rows_argmax_short               of places from 32,768 on
    xxxiii_scan_cumsum_lanes_leave         if the columns are no multiple of 32
    xxxiii_scan_cumsum_first_lane          from 33 columns on
    xxxiii_scan_cumsum_int                 of sums past 2^31

Two are wrong by reasoning:

    xxxiii_turn_plain_int                  from 2^31 elements on
    xxxiii_soft_logs_reused                where warps run at once, from 33 columns on
"""

# ruff: noqa: E501 (a line of a kernel stands in one line)
from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong

# A student's transpose: one thread an element, blocks of two sides.
PLAIN = """\
__global__ void transpose_naive(const float* A, float* B, int rows, int cols) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows && col < cols) {
    B[(int64_t)col * rows + row] = A[(int64_t)row * cols + col];
  }
}

extern "C" void launch(const float* A /* [rows, cols] */, float* B /* [cols, rows] */, int rows, int cols, cudaStream_t stream = 0) {
  dim3 block(16, 16);
  dim3 grid((cols + block.x - 1) / block.x, (rows + block.y - 1) / block.y);
  transpose_naive<<<grid, block, 0, stream>>>(A, B, rows, cols);
}
"""

# A junior's transposes of a batch of halves, by tiles.
BATCH = """\
namespace {
constexpr int kTile = 32;
constexpr int kRows = 8;

__global__ void batch_transpose(__half* __restrict__ dst, const __half* __restrict__ src, int64_t h, int64_t w) {
    __shared__ __half tile[kTile][kTile + 1];
    src += blockIdx.z * h * w;
    dst += blockIdx.z * h * w;
    const int64_t x0 = int64_t(blockIdx.x) * kTile, y0 = int64_t(blockIdx.y) * kTile;
    for (int j = threadIdx.y; j < kTile; j += kRows) {
        if (y0 + j < h && x0 + threadIdx.x < w) tile[j][threadIdx.x] = src[(y0 + j) * w + x0 + threadIdx.x];
    }
    __syncthreads();
    for (int j = threadIdx.y; j < kTile; j += kRows) {
        if (x0 + j < w && y0 + threadIdx.x < h) dst[(x0 + j) * h + y0 + threadIdx.x] = tile[threadIdx.x][j];
    }
}
}  // namespace

extern "C" void launch(__half* dst /* [b, w, h] */, const __half* src /* [b, h, w] */, int64_t b, int64_t h, int64_t w, cudaStream_t stream = 0) {
    const dim3 grid(unsigned((w + kTile - 1) / kTile), unsigned((h + kTile - 1) / kTile), unsigned(b));
    batch_transpose<<<grid, dim3(kTile, kRows), 0, stream>>>(dst, src, h, w);
}
"""

# A student's naive product of halves: one thread an element, in one row of blocks.
NAIVE = """\
__global__ void matmul(__half *c, const __half *a, const __half *b, int64_t n, int64_t m, int64_t p)
{
    int64_t idx = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    if (idx >= n * p)
        return;
    int64_t i = idx / p;
    int64_t j = idx % p;
    float s = 0;
    for (int64_t k = 0; k < m; k++)
        s += __half2float(a[i * m + k]) * __half2float(b[k * p + j]);
    c[idx] = __float2half(s);
}

extern "C" void launch(__half *c /* [n, p] */, const __half *a /* [n, m] */, const __half *b /* [m, p] */, int64_t n, int64_t m, int64_t p, cudaStream_t stream = 0)
{
    int64_t blocks = (n * p + 255) / 256;
    matmul<<<blocks, 256, 0, stream>>>(c, a, b, n, m, p);
}
"""

# A student's tiled product, with the names of a textbook.
TILED = """\
#define TILE_WIDTH 16

__global__ void tiledMatMul(const float *M, const float *N, float *P, int I, int J, int K) {
    __shared__ float Mds[TILE_WIDTH][TILE_WIDTH];
    __shared__ float Nds[TILE_WIDTH][TILE_WIDTH];

    int tx = threadIdx.x, ty = threadIdx.y;
    int Row = blockIdx.y * TILE_WIDTH + ty;
    int Col = blockIdx.x * TILE_WIDTH + tx;

    float Pvalue = 0;
    for (int ph = 0; ph < (J + TILE_WIDTH - 1) / TILE_WIDTH; ++ph) {
        if (Row < I && ph * TILE_WIDTH + tx < J)
            Mds[ty][tx] = M[(int64_t)Row * J + ph * TILE_WIDTH + tx];
        else
            Mds[ty][tx] = 0.0f;
        if (ph * TILE_WIDTH + ty < J && Col < K)
            Nds[ty][tx] = N[(int64_t)(ph * TILE_WIDTH + ty) * K + Col];
        else
            Nds[ty][tx] = 0.0f;
        __syncthreads();  // loaded

        for (int k = 0; k < TILE_WIDTH; ++k)
            Pvalue += Mds[ty][k] * Nds[k][tx];
        __syncthreads();  // used
    }
    if (Row < I && Col < K)
        P[(int64_t)Row * K + Col] = Pvalue;
}

extern "C" void launch(const float *M /* [I, J] */, const float *N /* [J, K] */, float *P /* [I, K] */, int I, int J, int K, cudaStream_t stream = 0) {
    dim3 dimBlock(TILE_WIDTH, TILE_WIDTH, 1);
    dim3 dimGrid((K - 1) / TILE_WIDTH + 1, (I - 1) / TILE_WIDTH + 1, 1);
    tiledMatMul<<<dimGrid, dimBlock, 0, stream>>>(M, N, P, I, J, K);
}
"""

# A junior's linear layer with a bias and a ReLU: the weights' rows are the outputs' columns.
LINEAR = """\
constexpr int CHUNK = 64;
constexpr int THREADS = 96;

__global__ void linear_relu(const __nv_bfloat16* __restrict__ x, const __nv_bfloat16* __restrict__ weight, const float* __restrict__ bias, __nv_bfloat16* __restrict__ y, int64_t in_f, int64_t out_f) {
  __shared__ float xs[CHUNK];
  const int64_t sample = blockIdx.x;
  const int64_t o = int64_t(blockIdx.y) * THREADS + threadIdx.x;
  float acc = 0.f;
  for (int64_t k0 = 0; k0 < in_f; k0 += CHUNK) {
    const int len = int(in_f - k0 < CHUNK ? in_f - k0 : CHUNK);
    if (threadIdx.x < len) xs[threadIdx.x] = __bfloat162float(x[sample * in_f + k0 + threadIdx.x]);
    __syncthreads();  // xs is there
    if (o < out_f) {
      for (int k = 0; k < len; ++k) acc += xs[k] * __bfloat162float(weight[o * in_f + k0 + k]);
    }
    __syncthreads();  // xs may go
  }
  if (o >= out_f) return;
  acc += bias[o];
  y[sample * out_f + o] = __float2bfloat16_rn(acc < 0.f ? 0.f : acc);
}

extern "C" void launch(const __nv_bfloat16* x /* [batch, in_f] */, const __nv_bfloat16* weight /* [out_f, in_f] */, const float* bias /* [out_f] */, __nv_bfloat16* y /* [batch, out_f] */, int64_t batch, int64_t in_f, int64_t out_f, cudaStream_t stream = 0) {
  const dim3 grid(unsigned(batch), unsigned((out_f + THREADS - 1) / THREADS));
  linear_relu<<<grid, THREADS, 0, stream>>>(x, weight, bias, y, in_f, out_f);
}
"""

# A junior's matrix of signed bytes, a scale a row, times a vector: a warp a row.
QUANT = """\
__global__ void gemv_w8(float* __restrict__ y, const int8_t* __restrict__ qw, const float* __restrict__ scales, const float* __restrict__ x, int n_out, int n_in)
{
    const int lane = threadIdx.x, row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= n_out) return;
    const int8_t* q = qw + (int64_t)row * n_in;
    float acc = 0.f;
    for (int i = lane; i < n_in; i += 32) acc += (float)q[i] * x[i];
    #pragma unroll
    for (int offset = 16; offset > 0; offset >>= 1) acc += __shfl_down_sync(0xffffffffu, acc, offset);
    if (lane == 0) y[row] = acc * scales[row];
}

extern "C" void launch(float* y /* [n_out] */, const int8_t* qw /* [n_out, n_in] */, const float* scales /* [n_out] */, const float* x /* [n_in] */, int n_out, int n_in, cudaStream_t stream = 0)
{
    const dim3 block(32, 4);
    gemv_w8<<<(n_out + 3) / 4, block, 0, stream>>>(y, qw, scales, x, n_out, n_in);
}
"""

# A junior's log-softmax: a block a row, shuffles, and a word of shared memory a warp.
LOGS = """\
template <typename Op>
__device__ float block_reduce(float v, float identity, Op op, float* smem) {
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int d = 16; d > 0; d >>= 1) v = op(v, __shfl_xor_sync(0xffffffffu, v, d));
    __syncthreads();  // an earlier result has been read
    if (lane == 0) smem[warp] = v;
    __syncthreads();  // all warps have stored
    v = lane < blockDim.x / 32 ? smem[lane] : identity;
    for (int d = 16; d > 0; d >>= 1) v = op(v, __shfl_xor_sync(0xffffffffu, v, d));
    return v;
}

__global__ void log_softmax_fwd(const float* __restrict__ logits, float* __restrict__ logp, int64_t classes) {
    __shared__ float smem[32];
    const float* in = logits + blockIdx.x * classes;
    float* out = logp + blockIdx.x * classes;
    float peak = -INFINITY;
    for (int64_t c = threadIdx.x; c < classes; c += blockDim.x) peak = fmaxf(peak, in[c]);
    peak = block_reduce(peak, -INFINITY, [](float a, float b) { return fmaxf(a, b); }, smem);
    float total = 0.f;
    for (int64_t c = threadIdx.x; c < classes; c += blockDim.x) total += expf(in[c] - peak);
    total = block_reduce(total, 0.f, [](float a, float b) { return a + b; }, smem);
    const float shift = peak + logf(total);
    for (int64_t c = threadIdx.x; c < classes; c += blockDim.x) out[c] = in[c] - shift;
}

extern "C" void launch(const float* logits /* [samples, classes] */, float* logp /* [samples, classes] */, int64_t samples, int64_t classes, cudaStream_t stream = 0) {
    log_softmax_fwd<<<unsigned(samples), 160, 0, stream>>>(logits, logp, classes);
}
"""

# A junior's causal softmax of attention scores: a warp a row.
CAUSAL = """\
__device__ __forceinline__ float warp_max(float v) {
  for (int o = 16; o > 0; o /= 2) v = fmaxf(v, __shfl_xor_sync(~0u, v, o));
  return v;
}
__device__ __forceinline__ float warp_sum(float v) {
  for (int o = 16; o > 0; o /= 2) v += __shfl_xor_sync(~0u, v, o);
  return v;
}

__global__ void causal_softmax(float* att, const float* scores, float scale, int heads, int T) {
  const int lane = threadIdx.x % 32;
  const int64_t row = (blockIdx.x * (int64_t)blockDim.x + threadIdx.x) / 32;
  if (row >= (int64_t)heads * T) return;
  const int t = row % T;
  const float* s = scores + row * T;
  float* a = att + row * T;
  float mx = -FLT_MAX;
  for (int j = lane; j <= t; j += 32) mx = fmaxf(mx, scale * s[j]);
  mx = warp_max(mx);
  float sum = 0.0f;
  for (int j = lane; j <= t; j += 32) sum += expf(scale * s[j] - mx);
  sum = warp_sum(sum);
  for (int j = lane; j < T; j += 32) a[j] = j <= t ? expf(scale * s[j] - mx) / sum : 0.0f;
}

extern "C" void launch(float* att /* [heads, T, T] */, const float* scores /* [heads, T, T] */, float scale, int heads, int T, cudaStream_t stream = 0) {
  const int64_t rows = (int64_t)heads * T;
  causal_softmax<<<(rows + 1) / 2, 64, 0, stream>>>(att, scores, scale, heads, T);
}
"""

# A student's layer norm of halves: a warp a row.
LAYER = """\
__global__ void ln_warp(const __half *in, const float *w, const float *b, __half *out, int64_t R, int64_t C, float epsilon)
{
    int64_t r = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    int lane = threadIdx.x % 32;
    if (r >= R)
        return;
    in = in + r * C;
    out = out + r * C;

    float total = 0;
    for (int64_t c = lane; c < C; c += 32)
        total += __half2float(in[c]);
    for (int k = 16; k > 0; k = k / 2)
        total += __shfl_xor_sync(0xffffffff, total, k);
    float mean = total / C;

    float squares = 0;
    for (int64_t c = lane; c < C; c += 32) {
        float d = __half2float(in[c]) - mean;
        squares += d * d;
    }
    for (int k = 16; k > 0; k = k / 2)
        squares += __shfl_xor_sync(0xffffffff, squares, k);
    float rstd = 1.0f / sqrtf(squares / C + epsilon);

    for (int64_t c = lane; c < C; c += 32)
        out[c] = __float2half((__half2float(in[c]) - mean) * rstd * w[c] + b[c]);
}

extern "C" void launch(const __half *in /* [R, C] */, const float *w /* [C] */, const float *b /* [C] */, __half *out /* [R, C] */, int64_t R, int64_t C, float epsilon = 1e-5f, cudaStream_t stream = 0)
{
    int warps = 4;
    ln_warp<<<(R + warps - 1) / warps, warps * 32, 0, stream>>>(in, w, b, out, R, C, epsilon);
}
"""

# A junior's RMS norm with float4, with a gain around 1: a block of two warps a row.
RMS = """\
__global__ void rms_norm_vec4(const float* __restrict__ x, const float* __restrict__ g, float* __restrict__ y, int64_t dim, bool vec, float eps) {
  __shared__ float halves[2];
  const float* xr = x + blockIdx.x * dim;
  float* yr = y + blockIdx.x * dim;
  const int64_t packs = vec ? dim / 4 : 0;
  float sq = 0.0f;
  for (int64_t i = threadIdx.x; i < packs; i += 64) {
    const float4 v = reinterpret_cast<const float4*>(xr)[i];
    sq += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
  }
  for (int64_t i = packs * 4 + threadIdx.x; i < dim; i += 64) sq += xr[i] * xr[i];
  for (int d = 1; d < 32; d *= 2) sq += __shfl_xor_sync(0xffffffff, sq, d);
  if ((threadIdx.x & 31) == 0) halves[threadIdx.x >> 5] = sq;
  __syncthreads();
  const float r = rsqrtf((halves[0] + halves[1]) / static_cast<float>(dim) + eps);
  for (int64_t i = threadIdx.x; i < packs; i += 64) {
    const float4 v = reinterpret_cast<const float4*>(xr)[i];
    const float4 k = reinterpret_cast<const float4*>(g)[i];
    reinterpret_cast<float4*>(yr)[i] = make_float4(v.x * r * (1.0f + k.x), v.y * r * (1.0f + k.y), v.z * r * (1.0f + k.z), v.w * r * (1.0f + k.w));
  }
  for (int64_t i = packs * 4 + threadIdx.x; i < dim; i += 64) yr[i] = xr[i] * r * (1.0f + g[i]);
}

extern "C" void launch(const float* x /* [rows, dim] */, const float* g /* [dim] */, float* y /* [rows, dim] */, int64_t rows, int64_t dim, float eps = 1e-6f, cudaStream_t stream = 0) {
  const uintptr_t bits = reinterpret_cast<uintptr_t>(x) | reinterpret_cast<uintptr_t>(g) | reinterpret_cast<uintptr_t>(y);
  const bool vec = bits % 16 == 0 && dim % 4 == 0;
  rms_norm_vec4<<<static_cast<unsigned>(rows), 64, 0, stream>>>(x, g, y, dim, vec, eps);
}
"""

# A student's sums of rows: a block a row, the first tree of the lecture.
ROWSUM = """\
__global__ void sumRows(float *result, const float *matrix, int64_t ncols)
{
    __shared__ float sdata[128];
    unsigned int tid = threadIdx.x;
    float mySum = 0.0f;
    for (int64_t j = tid; j < ncols; j += blockDim.x)
        mySum += matrix[blockIdx.x * ncols + j];
    sdata[tid] = mySum;
    __syncthreads();  // stored

    for (unsigned int s = 1; s < blockDim.x; s *= 2) {
        if (tid % (2 * s) == 0)
            sdata[tid] += sdata[tid + s];
        __syncthreads();  // level
    }

    if (tid == 0)
        result[blockIdx.x] = sdata[0];
}

extern "C" void launch(float *result /* [nrows] */, const float *matrix /* [nrows, ncols] */, int64_t nrows, int64_t ncols, cudaStream_t stream = 0)
{
    sumRows<<<nrows, 128, 0, stream>>>(result, matrix, ncols);
}
"""

# A student's means of the columns of a picture: one thread a column.
COLMEAN = """\
__global__ void column_means(const uint8_t* img, float* means, int64_t height, int64_t width) {
  int64_t c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= width) return;
  unsigned long long sum = 0;
  for (int64_t r = 0; r < height; ++r) {
    sum += img[r * width + c];
  }
  means[c] = (float)((double)sum / height);
}

extern "C" void launch(const uint8_t* img /* [height, width] */, float* means /* [width] */, int64_t height, int64_t width, cudaStream_t stream = 0) {
  int threads = 64;
  int64_t blocks = (width + threads - 1) / threads;
  column_means<<<blocks, threads, 0, stream>>>(img, means, height, width);
}
"""

# A student's first place of the largest of each row: a block a row, a tree of two arrays.
ARGMAX = """\
#define NT 64

__global__ void argmaxRows(const float *a, int64_t *where, int64_t rows, int64_t cols)
{
    __shared__ float val[NT];
    __shared__ int64_t pos[NT];
    const float *r = a + blockIdx.x * cols;
    int t = threadIdx.x;

    float v = -INFINITY;
    int64_t p = cols;
    for (int64_t c = t; c < cols; c += NT)
        if (r[c] > v || (r[c] == v && c < p)) {
            v = r[c];
            p = c;
        }
    val[t] = v;
    pos[t] = p;
    __syncthreads();

    for (int half = NT / 2; half > 0; half /= 2) {
        if (t < half) {
            float w = val[t + half];
            int64_t q = pos[t + half];
            if (w > val[t] || (w == val[t] && q < pos[t])) {
                val[t] = w;
                pos[t] = q;
            }
        }
        __syncthreads();  // level
    }
    if (t == 0)
        where[blockIdx.x] = pos[0];
}

extern "C" void launch(const float *a /* [rows, cols] */, int64_t *where /* [rows] */, int64_t rows, int64_t cols, cudaStream_t stream = 0)
{
    argmaxRows<<<rows, NT, 0, stream>>>(a, where, rows, cols);
}
"""

# A junior's running sums of rows of integers: a warp a row, 32 at a time.
CUMSUM = """\
__global__ void cumsum_i32(const int32_t* __restrict__ x, int64_t* __restrict__ y, int64_t rows, int64_t len) {
    const int64_t row = int64_t(blockIdx.x) * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    const int lane = threadIdx.x;
    long long carry = 0;
    for (int64_t base = 0; base < len; base += 32) {
        const int64_t i = base + lane;
        long long v = i < len ? x[row * len + i] : 0;
        for (int d = 1; d < 32; d <<= 1) {
            const long long left = __shfl_up_sync(0xffffffffu, v, d);
            if (lane >= d) v += left;
        }
        v += carry;
        if (i < len) y[row * len + i] = v;
        carry = __shfl_sync(0xffffffffu, v, 31);
    }
}

extern "C" void launch(const int32_t* x /* [rows, len] */, int64_t* y /* [rows, len] */, int64_t rows, int64_t len, cudaStream_t stream = 0) {
    cumsum_i32<<<unsigned((rows + 2) / 3), dim3(32, 3), 0, stream>>>(x, y, rows, len);
}
"""

FLOAT, HALF, BF16, LONG = (torch.float32,), (torch.float16,), (torch.bfloat16,), (torch.int64,)
SIDES = ((1, 1), (1, 37), (5, 6), (33, 4), (6, 100), (3, 300), (7, 64), (45, 23))
PRODUCTS = ((1, 1, 1), (5, 4, 7), (16, 16, 16), (37, 43, 18), (18, 9, 50), (10, 80, 35))


def _numbers(*size: int, limit: int = 20) -> torch.Tensor:
    generator = torch.Generator().manual_seed(sum(17 * side for side in size) + limit)
    return torch.randint(-limit, limit + 1, size, generator=generator).float()


def _case(words: str, inputs: tuple, right, dtypes: tuple, scalars=None, **options) -> Case:
    sizes = ", ".join(" x ".join(map(str, tensor.shape)) for tensor in inputs)
    label = f"{sizes} {words} {scalars or ''}".strip()
    return Case(
        label, inputs, (right,), *([scalars] if scalars else []), dtypes=dtypes, **options
    )


def plain(launcher: Launcher) -> Iterator[Case]:
    """Turn floats: square and not, whole blocks and not."""
    for size in ((1, 1), (16, 16), (16, 64), (7, 90), (90, 7), (1, 200), (200, 1), (33, 50)):
        x = _numbers(*size, limit=9000) / 4
        yield _case("", (x,), x.T.contiguous(), FLOAT)


def batch(launcher: Launcher) -> Iterator[Case]:
    """Turn one and several matrices of halves."""
    for size in ((1, 1), (32, 32), (32, 64), (40, 70), (70, 40), (1, 70), (9, 5)):
        for count in (1, 3):
            x = _numbers(count, *size, limit=2000).half()
            yield _case("", (x,), x.transpose(1, 2).contiguous(), HALF)


def naive(launcher: Launcher) -> Iterator[Case]:
    """Multiply halves: the sums are exact in float, so that only one half is right."""
    for n, m, p in (*PRODUCTS, (4, 600, 6)):
        for words, factor in (("", 1.0), ("by 1/64", 1 / 64)):
            a, b = (_numbers(n, m) * factor).half(), _numbers(m, p, limit=12).half()
            right = (a.double() @ b.double()).half().double()
            yield _case(words, (a, b), right, HALF)


def tiled(launcher: Launcher) -> Iterator[Case]:
    """Multiply floats: all is exact."""
    for i, j, k in PRODUCTS:
        a, b = _numbers(i, j) / 2, _numbers(j, k) / 4
        yield _case("", (a, b), a.double() @ b.double(), FLOAT)


def linear(launcher: Launcher) -> Iterator[Case]:
    """Multiply, add a bias, cut below 0: exact in float, so that only one bfloat16 is right."""
    for m, k, n in (*PRODUCTS, (3, 64, 96), (4, 130, 200)):
        x, w, b = (
            _numbers(m, k).bfloat16() / 4,
            _numbers(n, k).bfloat16(),
            _numbers(n, limit=99),
        )
        right = torch.relu(x.double() @ w.double().T + b.double()).bfloat16().double()
        yield _case("", (x, w, b), right, BF16)


def quantised(launcher: Launcher) -> Iterator[Case]:
    """Multiply bytes by floats, scale by powers of two: all is exact."""
    for m, n in SIDES:
        q = _numbers(m, n, limit=127).to(torch.int8)
        scales, x = 2.0 ** _numbers(m, limit=4), _numbers(n) / 4
        yield _case("", (q, scales, x), scales.double() * (q.double() @ x.double()), FLOAT)


def logs(launcher: Launcher) -> Iterator[Case]:
    """Take log-softmax of usual, of distant and of spread rows."""
    for m, n in SIDES:
        for words, factor, shift in (
            ("", 0.125, 0),
            ("300 less", 0.125, -300),
            ("300 more", 0.125, 300),
            ("spread", 8.0, 0),
        ):
            x = _numbers(m, n) * factor + shift
            right = torch.log_softmax(x.double(), dim=1)
            slack = 2.0**-20 * (x.abs().amax(dim=1, keepdim=True) + right.abs() + 1)
            yield _case(words, (x,), right, FLOAT, ulp=2, within=(slack,))


def causal(launcher: Launcher) -> Iterator[Case]:
    """Take softmax of what is not in the future, of usual and of distant scores."""
    for heads, t in ((1, 1), (1, 5), (3, 7), (2, 33), (1, 70), (4, 32)):
        for words, shift in (("", 0), ("300 less", -300), ("300 more", 300)):
            for scale in (1.0, 0.25):
                x = _numbers(heads, t, t) / 8 + shift
                hidden = torch.ones(t, t, dtype=torch.bool).triu(1)
                z = (x.double() * scale).masked_fill(hidden, float("-inf"))
                right = torch.softmax(z, dim=2)
                options = {"ulp": 2, "within": (2.0**-17 * right,)}
                yield _case(words, (x,), right, FLOAT, {"scale": scale}, **options)


def layer(launcher: Launcher) -> Iterator[Case]:
    """Norm usual, distant, small and equal rows of halves."""
    for m, n in SIDES:
        for scale, shift in ((1.0, 0.0), (1.0, 1500.0), (2.0**-12, 0.0), (0.0, 3.0)):
            x = (_numbers(m, n) * scale + shift).half()
            w, b = _numbers(n, limit=3) + 4.0, _numbers(n)
            away = x.double() - x.double().mean(dim=1, keepdim=True)
            inverse = 1 / torch.sqrt(away.square().mean(dim=1, keepdim=True) + 2.0**-16)
            right = away * inverse * w.double() + b.double()
            largest = x.double().abs().amax(dim=1, keepdim=True)
            slack = 2.0**-19 * (largest * inverse * w + 30) + 2.0**-10 * right.abs()
            words = f"about {shift}, times {scale}"
            yield _case(words, (x, w, b), right, HALF, {"epsilon": 2.0**-16}, within=(slack,))


def rms(launcher: Launcher) -> Iterator[Case]:
    """Norm zeros, small, usual and large rows."""
    for m, n in (*SIDES, (3, 400)):
        for scale in (0.0, 2.0**-9, 1.0, 100.0):
            x, g = _numbers(m, n) * scale, _numbers(n) / 32
            root = torch.sqrt(x.double().square().mean(dim=1, keepdim=True) + 2.0**-12)
            right = x.double() / root * (1 + g.double())
            options = {"ulp": 2, "within": (2.0**-18 * right.abs(),)}
            yield _case(f"times {scale}", (x, g), right, FLOAT, {"eps": 2.0**-12}, **options)


def rowsum(launcher: Launcher) -> Iterator[Case]:
    """Add rows of whole numbers: all is exact."""
    for m, n in SIDES:
        x = _numbers(m, n, limit=500)
        for words, y in (("", x), ("positive", x.abs() + 1)):
            yield _case(words, (y,), y.double().sum(dim=1), FLOAT)


def colmean(launcher: Launcher) -> Iterator[Case]:
    """Take means of columns of dark and of light pictures."""
    for m, n in (*SIDES, (300, 3), (400, 70)):
        x = _numbers(m, n, limit=100).abs()
        for words, y in (("", x), ("light", 255 - x / 4)):
            y = y.to(torch.uint8)
            yield _case(words, (y,), y.double().mean(dim=0), FLOAT, ulp=1)


def argmax(launcher: Launcher) -> Iterator[Case]:
    """Find the first largest: mixed, equal, negative numbers, infinities."""
    for m, n in (*SIDES, (2, 40_000)):
        x = _numbers(m, n, limit=5000)
        for words, y in (
            ("", x),
            ("equal", x.clamp(max=9)),
            ("negative", x - 9000),
            ("rising", x.sort(dim=1)[0]),
            ("least", x * 0 - float("inf")),
        ):
            top = y.amax(dim=1, keepdim=True)
            right = torch.where(y == top, torch.arange(n), n).amin(dim=1)
            yield _case(words, (y,), right, LONG)


def cumsum(launcher: Launcher) -> Iterator[Case]:
    """Take running sums of small and of large integers."""
    for m, n in SIDES:
        for words, limit in (("", 90), ("large", 2**30)):
            x = _numbers(m, n, limit=limit).int() + limit // 2
            yield _case(words, (x,), x.long().cumsum(dim=1), LONG)


BASES = {
    "xxxiii_turn_plain": Base(HEADER + PLAIN, {"cases": plain}),
    "xxxiii_turn_batch": Base(HEADER + BATCH, {"cases": batch}),
    "xxxiii_mm_naive": Base(HEADER + NAIVE, {"cases": naive}),
    "xxxiii_mm_tiled": Base(HEADER + TILED, {"cases": tiled}),
    "xxxiii_mm_linear": Base(HEADER + LINEAR, {"cases": linear}),
    "xxxiii_mv_quant": Base(HEADER + QUANT, {"cases": quantised}),
    "xxxiii_soft_logs": Base(HEADER + LOGS, {"cases": logs}),
    "xxxiii_soft_causal": Base(HEADER + CAUSAL, {"cases": causal}),
    "xxxiii_ln_layer": Base(HEADER + LAYER, {"cases": layer}),
    "xxxiii_ln_rms": Base(HEADER + RMS, {"cases": rms}),
    "xxxiii_rows_sum": Base(HEADER + ROWSUM, {"cases": rowsum}),
    "xxxiii_cols_mean": Base(HEADER + COLMEAN, {"cases": colmean}),
    "xxxiii_rows_argmax": Base(HEADER + ARGMAX, {"cases": argmax}),
    "xxxiii_scan_cumsum": Base(HEADER + CUMSUM, {"cases": cumsum}),
}

WRONG = (
    # ---- one thread an element, blocks of two sides
    # The blocks of the other side.
    Wrong(
        "xxxiii_turn_plain_grid_swapped",
        "xxxiii_turn_plain",
        "grid / unwritten / sides / swapped | left out / tail",
        (
            "grid((cols + block.x - 1) / block.x, (rows + block.y - 1) / block.y)",
            "grid((rows + block.x - 1) / block.x, (cols + block.y - 1) / block.y)",
        ),
    ),
    # Either of the two is enough.
    Wrong(
        "xxxiii_turn_plain_or",
        "xxxiii_turn_plain",
        "bounds | race / other element / sides",
        ("row < rows && col < cols", "row < rows || col < cols"),
    ),
    # The step of the output is that of the input.
    Wrong(
        "xxxiii_turn_plain_step",
        "xxxiii_turn_plain",
        "sides / bounds / other element / unwritten | race / left out / swapped / twice",
        ("(int64_t)col * rows + row]", "(int64_t)col * cols + row]"),
    ),
    # A place of 32 bits.
    Wrong(
        "xxxiii_turn_plain_int",
        "xxxiii_turn_plain",
        "narrow | bounds / unwritten",
        ("(int64_t)col * rows + row]", "col * rows + row]"),
        ("(int64_t)row * cols + col]", "row * cols + col]"),
    ),
    # ---- a batch, by tiles
    # All are written over the first.
    Wrong(
        "xxxiii_turn_batch_one_output",
        "xxxiii_turn_batch",
        "other element / unwritten / race / left out | twice / sides",
        ("    dst += blockIdx.z * h * w;\n", ""),
    ),
    # The tile has the rows of a block.
    Wrong(
        "xxxiii_turn_batch_small_tile",
        "xxxiii_turn_batch",
        "bounds | race",
        ("tile[kTile][kTile + 1];", "tile[kRows][kTile + 1];"),
    ),
    # The tiles are turned, what is in them is not.
    Wrong(
        "xxxiii_turn_batch_tile_as_it_was",
        "xxxiii_turn_batch",
        "other element / swapped / sides / unwritten | bounds / race / left out / function",
        ("= tile[threadIdx.x][j];", "= tile[j][threadIdx.x];"),
    ),
    # One matrix only.
    Wrong(
        "xxxiii_turn_batch_first_only",
        "xxxiii_turn_batch",
        "grid / unwritten / left out | tail",
        ("/ kTile), unsigned(b));", "/ kTile));"),
    ),
    # ---- a naive product of halves
    # A sum of halves.
    Wrong(
        "xxxiii_mm_naive_half_sum",
        "xxxiii_mm_naive",
        "precision / rounding | numbers / infinity / sides",
        ("    float s = 0;\n", "    __half s = __float2half(0.0f);\n"),
        (
            "        s += __half2float(a[i * m + k]) * __half2float(b[k * p + j]);",
            "        s = __hadd(s, __hmul(a[i * m + k], b[k * p + j]));",
        ),
        ("c[idx] = __float2half(s);", "c[idx] = s;"),
    ),
    # The first product is forgotten.
    Wrong(
        "xxxiii_mm_naive_from_one",
        "xxxiii_mm_naive",
        "left out / start | function / sides / numbers / copy",
        ("int64_t k = 0; k < m", "int64_t k = 1; k < m"),
    ),
    # One too far.
    Wrong(
        "xxxiii_mm_naive_one_more",
        "xxxiii_mm_naive",
        "bounds",
        ("if (idx >= n * p)", "if (idx > n * p)"),
    ),
    # ---- a tiled product
    # Whole tiles only.
    Wrong(
        "xxxiii_mm_tiled_whole_phases",
        "xxxiii_mm_tiled",
        "left out / tail | sides / function / numbers / copy",
        ("ph < (J + TILE_WIDTH - 1) / TILE_WIDTH; ++ph", "ph < J / TILE_WIDTH; ++ph"),
    ),
    # Nobody waits for the tiles.
    Wrong(
        "xxxiii_mm_tiled_not_loaded",
        "xxxiii_mm_tiled",
        "race | left out / other element / sides / function / numbers / unwritten",
        ("        __syncthreads();  // loaded\n", ""),
    ),
    # Threads outside of the output leave before they load.
    Wrong(
        "xxxiii_mm_tiled_early_return",
        "xxxiii_mm_tiled",
        "race / left out / unwritten | other element / sides / tail / bounds / numbers / nan",
        (
            "    float Pvalue = 0;\n",
            "    if (Row >= I || Col >= K)\n        return;\n    float Pvalue = 0;\n",
        ),
    ),
    # The second tile is read turned.
    Wrong(
        "xxxiii_mm_tiled_second_turned",
        "xxxiii_mm_tiled",
        "swapped / other element / function | left out / sides / numbers",
        ("Nds[k][tx];", "Nds[tx][k];"),
    ),
    # The inner side is tested against the columns.
    Wrong(
        "xxxiii_mm_tiled_wrong_side",
        "xxxiii_mm_tiled",
        "sides / bounds / left out / other element | function / numbers / swapped / tail",
        ("ph * TILE_WIDTH + tx < J)", "ph * TILE_WIDTH + tx < K)"),
    ),
    # ---- a linear layer
    # The bias is added after the ReLU.
    Wrong(
        "xxxiii_mm_linear_bias_after",
        "xxxiii_mm_linear",
        "function | numbers",
        ("  acc += bias[o];\n", ""),
        ("(acc < 0.f ? 0.f : acc)", "((acc < 0.f ? 0.f : acc) + bias[o])"),
    ),
    # A bias a sample.
    Wrong(
        "xxxiii_mm_linear_bias_of_sample",
        "xxxiii_mm_linear",
        "sides / bounds / other element | function / numbers / swapped",
        ("bias[o];", "bias[sample];"),
    ),
    # The weights are taken as turned.
    Wrong(
        "xxxiii_mm_linear_weight_turned",
        "xxxiii_mm_linear",
        "swapped / sides / other element / bounds | function / left out / numbers",
        ("weight[o * in_f + k0 + k]", "weight[(k0 + k) * out_f + o]"),
    ),
    # The next part comes too early.
    Wrong(
        "xxxiii_mm_linear_not_used_yet",
        "xxxiii_mm_linear",
        "race | other element / left out / function / numbers / sides",
        ("    __syncthreads();  // xs may go\n", ""),
    ),
    # Rounded toward zero.
    Wrong(
        "xxxiii_mm_linear_truncated",
        "xxxiii_mm_linear",
        "rounding | precision / numbers",
        ("__float2bfloat16_rn(", "__float2bfloat16_rz("),
    ),
    # ---- signed bytes times a vector
    # Bytes without a sign.
    Wrong(
        "xxxiii_mv_quant_unsigned",
        "xxxiii_mv_quant",
        "whole range / function / numbers | other element / left out / sides",
        ("(float)q[i] * x[i]", "(float)(uint8_t)q[i] * x[i]"),
    ),
    # One scale for all.
    Wrong(
        "xxxiii_mv_quant_first_scale",
        "xxxiii_mv_quant",
        "other element / left out / function | numbers / sides",
        ("acc * scales[row];", "acc * *scales;"),
    ),
    # The lanes keep what they have.
    Wrong(
        "xxxiii_mv_quant_one_lane",
        "xxxiii_mv_quant",
        "left out | function / sides / numbers",
        (
            "    #pragma unroll\n    for (int offset = 16; offset > 0; offset >>= 1) acc += __shfl_down_sync(0xffffffffu, acc, offset);\n",
            "",
        ),
    ),
    # Sums without fractions.
    Wrong(
        "xxxiii_mv_quant_int_sum",
        "xxxiii_mv_quant",
        "rounding / precision / narrow | numbers / function / whole range",
        ("    float acc = 0.f;\n", "    int acc = 0;\n"),
    ),
    # No test of the row.
    Wrong(
        "xxxiii_mv_quant_no_row_test",
        "xxxiii_mv_quant",
        "bounds | tail",
        ("    if (row >= n_out) return;\n", ""),
    ),
    # ---- log-softmax
    # The missing warps have a 0.
    Wrong(
        "xxxiii_soft_logs_identity_zero",
        "xxxiii_soft_logs",
        "start / numbers / infinity | nan / function",
        ("block_reduce(peak, -INFINITY,", "block_reduce(peak, 0.f,"),
    ),
    # The second use overwrites the first.
    Wrong(
        "xxxiii_soft_logs_reused",
        "xxxiii_soft_logs",
        "race | function / numbers / other element / infinity / nan",
        ("    __syncthreads();  // an earlier result has been read\n", ""),
    ),
    # The logarithm of the quotient.
    Wrong(
        "xxxiii_soft_logs_of_quotient",
        "xxxiii_soft_logs",
        "infinity / precision / numbers / subnormal | function / nan",
        ("out[c] = in[c] - shift;", "out[c] = logf(expf(in[c] - peak) / total);"),
    ),
    # A logarithm to the base 2.
    Wrong(
        "xxxiii_soft_logs_base_two",
        "xxxiii_soft_logs",
        "function | numbers / sides / precision",
        ("peak + logf(total)", "peak + log2f(total)"),
    ),
    # One warp of five.
    Wrong(
        "xxxiii_soft_logs_one_warp",
        "xxxiii_soft_logs",
        "left out | function / numbers / sides / infinity / nan",
        (
            "v = lane < blockDim.x / 32 ? smem[lane] : identity;",
            "v = lane < 1 ? smem[lane] : identity;",
        ),
    ),
    # ---- causal softmax
    # The own place is hidden, too.
    Wrong(
        "xxxiii_soft_causal_strict",
        "xxxiii_soft_causal",
        "left out / function / nan / numbers | infinity / unwritten / sides / other element",
        ("j <= t; j += 32) mx =", "j < t; j += 32) mx ="),
        ("j <= t; j += 32) sum", "j < t; j += 32) sum"),
        ("a[j] = j <= t ?", "a[j] = j < t ?"),
    ),
    # The row in all heads.
    Wrong(
        "xxxiii_soft_causal_row_of_all",
        "xxxiii_soft_causal",
        "bounds / other element / function | sides / numbers / left out / twice / race",
        ("const int t = row % T;", "const int t = row;"),
    ),
    # The future is not written.
    Wrong(
        "xxxiii_soft_causal_future_left",
        "xxxiii_soft_causal",
        "unwritten / left out | numbers / sides",
        (
            "j < T; j += 32) a[j] = j <= t ? expf(scale * s[j] - mx) / sum : 0.0f;",
            "j <= t; j += 32) a[j] = expf(scale * s[j] - mx) / sum;",
        ),
    ),
    # The sum is in the first lane only.
    Wrong(
        "xxxiii_soft_causal_sum_of_first_lane",
        "xxxiii_soft_causal",
        "left out / function / other element | numbers / infinity / sides / nan",
        ("v += __shfl_xor_sync(~0u, v, o);", "v += __shfl_down_sync(~0u, v, o);"),
    ),
    # The scale is forgotten in the sum.
    Wrong(
        "xxxiii_soft_causal_sum_without_scale",
        "xxxiii_soft_causal",
        "function / left out | numbers / infinity / nan",
        ("sum += expf(scale * s[j] - mx);", "sum += expf(s[j] - mx);"),
    ),
    # The mask is written into the scores.
    Wrong(
        "xxxiii_soft_causal_scores_masked",
        "xxxiii_soft_causal",
        "input | infinity",
        (
            "  float mx = -FLT_MAX;\n",
            "  for (int j = lane; j < T; j += 32)\n    if (j > t) ((float*)s)[j] = -INFINITY;\n  float mx = -FLT_MAX;\n",
        ),
    ),
    # ---- layer norm of a warp a row
    # The mean of squares less the square of the mean.
    Wrong(
        "xxxiii_ln_layer_two_moments",
        "xxxiii_ln_layer",
        "precision / numbers | function / nan / infinity",
        ("__half2float(in[c]) - mean;\n", "__half2float(in[c]);\n"),
        ("sqrtf(squares / C + epsilon)", "sqrtf(squares / C - mean * mean + epsilon)"),
    ),
    # Weight and bias are exchanged.
    Wrong(
        "xxxiii_ln_layer_exchanged",
        "xxxiii_ln_layer",
        "swapped / function | numbers / other element",
        ("* rstd * w[c] + b[c]", "* rstd * b[c] + w[c]"),
    ),
    # No root.
    Wrong(
        "xxxiii_ln_layer_no_root",
        "xxxiii_ln_layer",
        "function | numbers / infinity",
        ("1.0f / sqrtf(squares / C + epsilon)", "1.0f / (squares / C + epsilon)"),
    ),
    # ---- RMS norm by packs
    # A gain around 0.
    Wrong(
        "xxxiii_ln_rms_gain_alone",
        "xxxiii_ln_rms",
        "function / left out | numbers",
        (
            "make_float4(v.x * r * (1.0f + k.x), v.y * r * (1.0f + k.y), v.z * r * (1.0f + k.z), v.w * r * (1.0f + k.w))",
            "make_float4(v.x * r * k.x, v.y * r * k.y, v.z * r * k.z, v.w * r * k.w)",
        ),
        ("xr[i] * r * (1.0f + g[i])", "xr[i] * r * g[i]"),
    ),
    # The number of packs.
    Wrong(
        "xxxiii_ln_rms_mean_of_packs",
        "xxxiii_ln_rms",
        "function | numbers / sides / alignment / infinity",
        ("static_cast<float>(dim) + eps", "static_cast<float>(vec ? packs : dim) + eps"),
    ),
    # Epsilon is added to the root.
    Wrong(
        "xxxiii_ln_rms_epsilon_outside",
        "xxxiii_ln_rms",
        "function / numbers | infinity / nan",
        (
            "rsqrtf((halves[0] + halves[1]) / static_cast<float>(dim) + eps)",
            "1.0f / (sqrtf((halves[0] + halves[1]) / static_cast<float>(dim)) + eps)",
        ),
    ),
    # Only the sides are tested.
    Wrong(
        "xxxiii_ln_rms_sides_only",
        "xxxiii_ln_rms",
        "alignment",
        ("bits % 16 == 0 && dim % 4 == 0", "dim % 4 == 0"),
    ),
    # What is left over is not written.
    Wrong(
        "xxxiii_ln_rms_rest_forgotten",
        "xxxiii_ln_rms",
        "unwritten / tail / left out | alignment / sides / numbers",
        (
            "  for (int64_t i = packs * 4 + threadIdx.x; i < dim; i += 64) yr[i] = xr[i] * r * (1.0f + g[i]);\n",
            "",
        ),
    ),
    # ---- sums of rows
    # One element a thread.
    Wrong(
        "xxxiii_rows_sum_no_loop",
        "xxxiii_rows_sum",
        "left out / tail | function / sides / numbers",
        (
            "    for (int64_t j = tid; j < ncols; j += blockDim.x)",
            "    unsigned int j = tid;\n    if (j < ncols)",
        ),
    ),
    # No barrier between levels.
    Wrong(
        "xxxiii_rows_sum_levels_not_awaited",
        "xxxiii_rows_sum",
        "race | left out / function / numbers / twice",
        ("        __syncthreads();  // level\n", ""),
    ),
    # The block has more threads than the array elements.
    Wrong(
        "xxxiii_rows_sum_more_threads",
        "xxxiii_rows_sum",
        "bounds / block size | race",
        ("sumRows<<<nrows, 128,", "sumRows<<<nrows, 256,"),
    ),
    # ---- means of columns
    # A division of integers.
    Wrong(
        "xxxiii_cols_mean_integers",
        "xxxiii_cols_mean",
        "rounding / function / precision | numbers / whole range",
        ("(float)((double)sum / height)", "(float)(sum / height)"),
    ),
    # A sum of 16 bits.
    Wrong(
        "xxxiii_cols_mean_short",
        "xxxiii_cols_mean",
        "whole range / narrow | infinity / numbers / function / sides",
        ("unsigned long long sum = 0;", "unsigned short sum = 0;"),
    ),
    # ---- the first place of the largest
    # From 0.
    Wrong(
        "xxxiii_rows_argmax_from_zero",
        "xxxiii_rows_argmax",
        "start | numbers / function / other element / infinity / left out",
        ("float v = -INFINITY;", "float v = 0;"),
        ("int64_t p = cols;", "int64_t p = 0;"),
    ),
    # Equal numbers: whichever thread is first.
    Wrong(
        "xxxiii_rows_argmax_ties",
        "xxxiii_rows_argmax",
        "numbers / other element / function | left out",
        ("if (w > val[t] || (w == val[t] && q < pos[t])) {", "if (w > val[t]) {"),
    ),
    # A place of 16 bits.
    Wrong(
        "xxxiii_rows_argmax_short",
        "xxxiii_rows_argmax",
        "narrow / whole range | other element / numbers / sides",
        ("__shared__ int64_t pos[NT];", "__shared__ short pos[NT];"),
    ),
    # ---- running sums
    # The first lanes add what is their own.
    Wrong(
        "xxxiii_scan_cumsum_all_lanes",
        "xxxiii_scan_cumsum",
        "twice / function / other element | numbers",
        ("            if (lane >= d) v += left;", "            v += left;"),
    ),
    # The last part has fewer lanes.
    Wrong(
        "xxxiii_scan_cumsum_lanes_leave",
        "xxxiii_scan_cumsum",
        "race | timeout / left out",
        (
            "        long long v = i < len ? x[row * len + i] : 0;",
            "        if (i >= len) break;\n        long long v = x[row * len + i];",
        ),
    ),
    # The carry is that of the first lane.
    Wrong(
        "xxxiii_scan_cumsum_first_lane",
        "xxxiii_scan_cumsum",
        "other element / left out / function | numbers / sides",
        ("__shfl_sync(0xffffffffu, v, 31)", "__shfl_sync(0xffffffffu, v, 0)"),
    ),
    # Sums in 32 bits.
    Wrong(
        "xxxiii_scan_cumsum_int",
        "xxxiii_scan_cumsum",
        "whole range / narrow | numbers / function / infinity",
        ("        long long v = i", "        int v = i"),
        ("const long long left =", "const int left ="),
    ),
)

RIGHT = (
    # Columns and rows by a loop, an idle block.
    Right(
        "xxxiii_turn_plain_loops",
        "xxxiii_turn_plain",
        ("  int col = blockIdx.x", "  unsigned col = blockIdx.x"),
        (
            "  if (row < rows && col < cols) {",
            "  for (; col < cols && row < rows; col += gridDim.x * blockDim.x) {",
        ),
        ("grid((cols + block.x - 1) / block.x,", "grid(2,"),
        ("(rows + block.y - 1) / block.y);", "rows / block.y + 2);"),
    ),
    # A thread a row of the tile, the tile without padding.
    Right(
        "xxxiii_turn_batch_one_row_of_threads",
        "xxxiii_turn_batch",
        ("kRows = 8;", "kRows = 1;"),
        ("tile[kTile][kTile + 1];", "tile[kTile][kTile];"),
    ),
    # Sums in double, from behind, by a loop.
    Right(
        "xxxiii_mm_naive_double",
        "xxxiii_mm_naive",
        (
            "    if (idx >= n * p)\n        return;\n    int64_t i",
            "    for (; idx < n * p; idx += 256 * (int64_t)gridDim.x) {\n    int64_t i",
        ),
        ("    float s = 0;", "    double s = 0;"),
        ("int64_t k = 0; k < m; k++", "int64_t k = m; k-- > 0;"),
        ("    c[idx] = __float2half(s);\n", "    c[idx] = __float2half((float)s);\n    }\n"),
        ("<<<blocks, 256,", "<<<7, 256,"),
    ),
    # Smaller tiles, the first one turned.
    Right(
        "xxxiii_mm_tiled_small",
        "xxxiii_mm_tiled",
        ("#define TILE_WIDTH 16", "#define TILE_WIDTH 8"),
        ("            Mds[ty][tx] = M", "            Mds[tx][ty] = M"),
        ("            Mds[ty][tx] = 0.0f;", "            Mds[tx][ty] = 0.0f;"),
        ("Mds[ty][k] * Nds", "Mds[k][ty] * Nds"),
    ),
    # The sum starts with the bias.
    Right(
        "xxxiii_mm_linear_from_bias",
        "xxxiii_mm_linear",
        ("  float acc = 0.f;\n", "  float acc = o < out_f ? bias[o] : 0.f;\n"),
        ("  acc += bias[o];\n", ""),
        ("CHUNK = 64;", "CHUNK = 96;"),
    ),
    # Added by atomics to what is set to zero in the launcher.
    Right(
        "xxxiii_mv_quant_atomics",
        "xxxiii_mv_quant",
        (
            "    if (lane == 0) y[row] = acc * scales[row];",
            "    if (lane % 8 == 0) atomicAdd(&y[row], acc * scales[row]);",
        ),
        ("int offset = 16; offset > 0", "int offset = 4; offset > 0"),
        (
            "    const dim3 block(32, 4);\n",
            "    const dim3 block(32, 4);\n    cudaMemsetAsync(y, 0, n_out * sizeof(float), stream);\n",
        ),
    ),
    # One warp a row; the logarithm is added apart.
    Right(
        "xxxiii_soft_logs_one_warp_a_row",
        "xxxiii_soft_logs",
        ("const float shift = peak + logf(total);", "const float shift = logf(total);"),
        ("= in[c] - shift;", "= (in[c] - peak) - shift;"),
        ("unsigned(samples), 160,", "unsigned(samples), 32,"),
    ),
    # Written first, divided later by the same lane.
    Right(
        "xxxiii_soft_causal_in_two_steps",
        "xxxiii_soft_causal",
        ("sum += expf(scale * s[j] - mx);", "sum += a[j] = expf(scale * s[j] - mx);"),
        ("expf(scale * s[j] - mx) / sum : 0.0f", "a[j] * (1.0f / sum) : 0.0f"),
        ("(rows + 1) / 2, 64,", "rows / 8 + 1, 256,"),
    ),
    # The steps grow; more warps a block.
    Right(
        "xxxiii_ln_layer_growing",
        "xxxiii_ln_layer",
        (
            "    for (int k = 16; k > 0; k = k / 2)\n        total",
            "    for (int k = 1; k < 32; k = k * 2)\n        total",
        ),
        ("1.0f / sqrtf(squares / C + epsilon)", "rsqrtf(fmaf(squares, 1.0f / C, epsilon))"),
        ("int warps = 4;", "int warps = 3;"),
    ),
    # Never by packs; the gain is multiplied out.
    Right(
        "xxxiii_ln_rms_single",
        "xxxiii_ln_rms",
        ("bits % 16 == 0 && dim % 4 == 0", "bits == 1"),
        ("xr[i] * r * (1.0f + g[i])", "fmaf(xr[i] * r, g[i], xr[i] * r)"),
    ),
    # Each thread has a run of neighbours.
    Right(
        "xxxiii_rows_sum_runs",
        "xxxiii_rows_sum",
        (
            "for (int64_t j = tid; j < ncols; j += blockDim.x)",
            "for (int64_t j = tid * ncols / 128; j < (tid + 1) * ncols / 128; j++)",
        ),
        ("if (tid == 0)", "if (tid == 0u && ncols > 0)"),
    ),
    # From the last row, by one thread a block.
    Right(
        "xxxiii_cols_mean_from_below",
        "xxxiii_cols_mean",
        ("int64_t r = 0; r < height; ++r", "int64_t r = height - 1; r >= 0; --r"),
        ("int threads = 64;", "int threads = 1;"),
    ),
    # Starts with the first element of the row.
    Right(
        "xxxiii_rows_argmax_from_first",
        "xxxiii_rows_argmax",
        ("float v = -INFINITY;", "float v = r[0];"),
        ("int64_t p = cols;", "int64_t p = 0;"),
        ("#define NT 64", "#define NT 32"),
    ),
    # The first lane adds the carry before the scan.
    Right(
        "xxxiii_scan_cumsum_carry_first",
        "xxxiii_scan_cumsum",
        (
            "        for (int d = 1;",
            "        if (lane == 0) v += carry;\n        for (int d = 1;",
        ),
        ("        v += carry;\n        if (i", "        if (i"),
        ("d < 32; d <<= 1", "d <= 16; d += d"),
    ),
)
