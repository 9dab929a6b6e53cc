"""Hold half of a thirty-fifth family: transposes, products, softmax, norms, sums, scans.

The causes were written before a member was judged. On the emulator each was run beside PyTorch:
bases and right ones are right, and all wrong ones but one wrong, or refused by a fault, some
only so:

    xxxv_flip_square_not_awaited           if both sides are longer than 1
    xxxv_flip_square_same_test             if the sides differ
    xxxv_flip_square_blocks_as_they_were   from 33 rows or columns on
    xxxv_flip_picture_colour_of_all        from 2 pictures on
    xxxv_mm_gemm_blocks_rounded_down       if a side is no multiple of 16
    xxxv_mm_gemm_step                      if the inner side and the columns differ
    xxxv_mm_gemm_alpha_of_both             by an alpha other than 1 and a beta other than 0
    xxxv_mm_gemm_one_more                  if the rows are no multiple of 16
    xxxv_mm_wgrad_left_from_before         if the batch is no multiple of 16
    xxxv_mm_wgrad_may_not_go               from a batch of 17 on
    xxxv_mm_wgrad_not_turned               of more than one element
    xxxv_mm_scores_keys_by_queries         from 2 heads on, if queries and keys differ in number
    xxxv_mm_scores_half_sum                of even sizes, of sums that no half holds, on the way
    xxxv_mm_scores_no_root                 from 2 elements a query on
    xxxv_mm_scores_size_only               of tensors that start at no multiple of 4 bytes
    xxxv_mv_first_short_rows               from 2 rows on, of which not all is used
    xxxv_mv_first_hundred                  from 3 columns on
    xxxv_soft_masked_by_head               if row / heads and row % heads differ
    xxxv_soft_masked_nothing               of rows of which nothing is kept
    xxxv_soft_masked_sum_of_all            of rows of which something is masked
    xxxv_soft_simple_flt_min               of rows far below 0
    xxxv_soft_simple_no_maximum            of rows far from 0
    xxxv_soft_back_half_warps              from 9 columns on
    xxxv_soft_back_four_warps              from 4 rows on
    xxxv_ln_kept_one_less                  of rows whose elements differ, or of one element
    xxxv_ln_kept_total_overwritten         of rows of more than one element
    xxxv_ln_kept_at_the_thread             from 2 rows on
    xxxv_ln_kept_weights_of_row            from 2 rows on
    xxxv_ln_added_half_squares             of sums past 255
    xxxv_ln_added_no_mean                  from 2 columns on
    xxxv_ln_added_weight_of_lane           from 33 columns on
    xxxv_cols_bias_few_bytes               if what was there is not 0
    xxxv_cols_bias_half_parts              of parts that no half holds, from 33 rows on
    xxxv_cols_bias_small_step              from 9 rows on
    xxxv_rows_top_nan_passed_over          of rows with a NaN
    xxxv_rows_top_last_place               of equal numbers
    xxxv_rows_top_place_stays              from 2 columns on
    xxxv_scan_rows_off_by_one              from 2 columns on
    xxxv_scan_rows_one_buffer              from 2 columns on
    xxxv_scan_rows_carry_of_one            from 257 columns on

One is wrong by reasoning:

    xxxv_cols_bias_plain_addition          where blocks run at once
"""

# ruff: noqa: E501 (a line of a kernel stands in one line)
from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong

# A student's transpose by tiles, a thread an element, with the names of a well-known sample.
SQUARE = """\
#define TILE_DIM 32

__global__ void transposeCoalesced(float *odata, const float *idata, int width, int height)
{
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];

    int x = blockIdx.x * TILE_DIM + threadIdx.x;
    int y = blockIdx.y * TILE_DIM + threadIdx.y;
    if (x < width && y < height)
        tile[threadIdx.y][threadIdx.x] = idata[(size_t)y * width + x];

    __syncthreads();

    x = blockIdx.y * TILE_DIM + threadIdx.x;  // transpose block offset
    y = blockIdx.x * TILE_DIM + threadIdx.y;
    if (x < height && y < width)
        odata[(size_t)y * height + x] = tile[threadIdx.x][threadIdx.y];
}

extern "C" void launch(float *odata /* [width, height] */, const float *idata /* [height, width] */, int width, int height, cudaStream_t stream = 0)
{
    dim3 dimGrid((width + TILE_DIM - 1) / TILE_DIM, (height + TILE_DIM - 1) / TILE_DIM);
    dim3 dimBlock(TILE_DIM, TILE_DIM);
    transposeCoalesced<<<dimGrid, dimBlock, 0, stream>>>(odata, idata, width, height);
}
"""

# A junior's pictures for a network: bytes with the colours last become floats with them first.
PICTURE = """\
__global__ void to_planes(const uint8_t* __restrict__ img, const float* __restrict__ mean, const float* __restrict__ inv_std, float* __restrict__ planes, int64_t images, int64_t hw, int64_t c) {
  const int64_t total = images * hw * c;
  const int64_t step = (int64_t)gridDim.x * blockDim.x;
  for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < total; i += step) {
    const int64_t pixel = i % hw;
    const int64_t ch = i / hw % c;
    const int64_t image = i / (hw * c);
    const float v = img[(image * hw + pixel) * c + ch] / 255.0f;
    planes[i] = (v - mean[ch]) * inv_std[ch];
  }
}

extern "C" void launch(const uint8_t* img /* [images, hw, c] */, const float* mean /* [c] */, const float* inv_std /* [c] */, float* planes /* [images, c, hw] */, int64_t images, int64_t hw, int64_t c, cudaStream_t stream = 0) {
  int64_t blocks = (images * hw * c + 127) / 128;
  if (blocks > 12) blocks = 12;
  to_planes<<<static_cast<unsigned>(blocks), 128, 0, stream>>>(img, mean, inv_std, planes, images, hw, c);
}
"""

# A student's naive product with the two factors of the BLAS, the addend apart from the result.
GEMM = """\
#define CEIL_DIV(m, n) (((m) + (n) - 1) / (n))

__global__ void sgemm_naive(int M, int N, int K, float alpha, const float *A, const float *B, float beta, const float *C, float *D) {
  const long long x = blockIdx.x * blockDim.x + threadIdx.x;
  const long long y = blockIdx.y * blockDim.y + threadIdx.y;

  if (x < M && y < N) {
    float tmp = 0.0;
    for (int i = 0; i < K; ++i) {
      tmp += A[x * K + i] * B[(long long)i * N + y];
    }
    // D = alpha * (A @ B) + beta * C
    D[x * N + y] = alpha * tmp + beta * C[x * N + y];
  }
}

extern "C" void launch(int M, int N, int K, float alpha, const float *A /* [M, K] */, const float *B /* [K, N] */, float beta, const float *C /* [M, N] */, float *D /* [M, N] */, cudaStream_t stream = 0) {
  dim3 gridDim(CEIL_DIV(M, 16), CEIL_DIV(N, 16), 1);
  dim3 blockDim(16, 16, 1);
  sgemm_naive<<<gridDim, blockDim, 0, stream>>>(M, N, K, alpha, A, B, beta, C, D);
}
"""

# A junior's gradient of a layer's weights, the first factor turned: tiles of halves.
WGRAD = """\
template <int T>
__global__ void weight_grad(const __half* __restrict__ dy, const __half* __restrict__ x, float* __restrict__ dw, int64_t batch, int64_t outs, int64_t ins)
{
    __shared__ float sy[T][T], sx[T][T];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int64_t o0 = (int64_t)blockIdx.y * T, i0 = (int64_t)blockIdx.x * T;
    float acc = 0.f;
    for (int64_t b0 = 0; b0 < batch; b0 += T) {
        const int64_t b = b0 + ty;
        sy[ty][tx] = b < batch && o0 + tx < outs ? __half2float(dy[b * outs + o0 + tx]) : 0.f;
        sx[ty][tx] = b < batch && i0 + tx < ins ? __half2float(x[b * ins + i0 + tx]) : 0.f;
        __syncthreads();  // both tiles are there
        #pragma unroll
        for (int k = 0; k < T; ++k) acc += sy[k][ty] * sx[k][tx];
        __syncthreads();  // both tiles may go
    }
    if (o0 + ty < outs && i0 + tx < ins) dw[(o0 + ty) * ins + i0 + tx] = acc;
}

extern "C" void launch(const __half* dy /* [batch, outs] */, const __half* x /* [batch, ins] */, float* dw /* [outs, ins] */, int64_t batch, int64_t outs, int64_t ins, cudaStream_t stream = 0)
{
    constexpr int T = 16;
    const dim3 grid((unsigned)((ins + T - 1) / T), (unsigned)((outs + T - 1) / T));
    weight_grad<T><<<grid, dim3(T, T), 0, stream>>>(dy, x, dw, batch, outs, ins);
}
"""

# A junior's attention scores: small products of a batch, two halves at a time.
SCORES = """\
namespace {
__global__ void qk_kernel(float* __restrict__ scores, const __half* __restrict__ q, const __half* __restrict__ k, int64_t t, int64_t u, int64_t d, bool pairs, float scale) {
    const int64_t head = blockIdx.y;
    q += head * t * d;
    k += head * u * d;
    scores += head * t * u;
    for (int64_t e = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; e < t * u; e += (int64_t)gridDim.x * blockDim.x) {
        const __half* qi = q + e / u * d;
        const __half* kj = k + e % u * d;
        float dot = 0.f;
        if (pairs) {
            const __half2* q2 = reinterpret_cast<const __half2*>(qi);
            const __half2* k2 = reinterpret_cast<const __half2*>(kj);
            for (int64_t c = 0; c < d / 2; ++c) {
                const float2 a = __half22float2(q2[c]), b = __half22float2(k2[c]);
                dot += a.x * b.x + a.y * b.y;
            }
        } else {
            for (int64_t c = 0; c < d; ++c) dot += __half2float(qi[c]) * __half2float(kj[c]);
        }
        scores[e] = dot * scale;
    }
}

bool even(const void* p) { return reinterpret_cast<uintptr_t>(p) % sizeof(__half2) == 0; }
}  // namespace

extern "C" void launch(float* scores /* [heads, t, u] */, const __half* q /* [heads, t, d] */, const __half* k /* [heads, u, d] */, int64_t heads, int64_t t, int64_t u, int64_t d, cudaStream_t stream = 0) {
    const bool pairs = even(q) && even(k) && d % 2 == 0;
    const float scale = 1.0f / sqrtf(static_cast<float>(d));
    const dim3 grid(static_cast<unsigned>((t * u + 63) / 64), static_cast<unsigned>(heads));
    qk_kernel<<<grid, 64, 0, stream>>>(scores, q, k, t, u, d, pairs, scale);
}
"""

# A student's matrix times vector, of the first columns of longer rows: a tree a row.
MATVEC = """\
__global__ void matVec(const float *A, int lda, const float *x, float *y, int cols)
{
    extern __shared__ float cache[];
    int cacheIndex = threadIdx.x;
    const float *a = A + (size_t)blockIdx.x * lda;

    float temp = 0;
    for (size_t j = threadIdx.x; j < cols; j += blockDim.x)
        temp += a[j] * x[j];
    cache[cacheIndex] = temp;
    __syncthreads();

    int i = blockDim.x / 2;
    while (i != 0) {
        if (cacheIndex < i) {
            cache[cacheIndex] += cache[cacheIndex + i];
        }
        __syncthreads();  // one level down
        i /= 2;
    }
    if (cacheIndex == 0)
        y[blockIdx.x] = cache[0];
}

extern "C" void launch(int rows, int cols, const float *A /* [rows, lda] */, int lda, const float *x /* [cols] */, float *y /* [rows] */, cudaStream_t stream = 0)
{
    int threads = 128;
    matVec<<<rows, threads, threads * sizeof(float), stream>>>(A, lda, x, y, cols);
}
"""

# A junior's softmax of halves with a mask of the keys, one for all heads: a block a row.
MASKED = """\
constexpr int kThreads = 128;
constexpr int kWarps = kThreads / 32;

__global__ __launch_bounds__(kThreads) void masked_softmax(const __half* __restrict__ x, const uint8_t* __restrict__ keep, __half* __restrict__ p, int64_t heads, int64_t keys) {
  __shared__ float s_max[kWarps];
  __shared__ float s_sum[kWarps];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int64_t row = blockIdx.x;
  const uint8_t* on = keep + row / heads * keys;
  x += row * keys;
  p += row * keys;

  float m = -INFINITY;
  for (int64_t j = threadIdx.x; j < keys; j += kThreads) {
    if (on[j]) m = fmaxf(m, __half2float(x[j]));
  }
  for (int o = 16; o; o >>= 1) m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, o));
  if (lane == 0) s_max[warp] = m;
  __syncthreads();
  for (int w = 0; w < kWarps; ++w) m = fmaxf(m, s_max[w]);

  float part = 0.f;
  for (int64_t j = threadIdx.x; j < keys; j += kThreads) {
    if (on[j]) part += expf(__half2float(x[j]) - m);
  }
  for (int o = 16; o; o >>= 1) part += __shfl_xor_sync(0xffffffffu, part, o);
  if (lane == 0) s_sum[warp] = part;
  __syncthreads();
  float sum = 0.f;
  for (int w = 0; w < kWarps; ++w) sum += s_sum[w];
  const float inv = sum > 0.f ? 1.f / sum : 0.f;  // nothing is kept: all 0

  for (int64_t j = threadIdx.x; j < keys; j += kThreads) {
    p[j] = __float2half(on[j] && sum > 0.f ? expf(__half2float(x[j]) - m) * inv : 0.f);
  }
}

extern "C" void launch(const __half* x /* [batch, heads, keys] */, const uint8_t* keep /* [batch, keys] */, __half* p /* [batch, heads, keys] */, int64_t batch, int64_t heads, int64_t keys, cudaStream_t stream = 0) {
  masked_softmax<<<(unsigned)(batch * heads), kThreads, 0, stream>>>(x, keep, p, heads, keys);
}
"""

# A student's first softmax: a thread a row, three loops.
SOFT = """\
__global__ void softmax(int w, int h, const float* input, float* output) {
    int row = blockDim.x * blockIdx.x + threadIdx.x;
    if (row < h) {
        const float* in = input + (size_t)row * w;
        float* out = output + (size_t)row * w;
        // the maximum of this row
        float x_max = in[0];
        for (int i = 1; i < w; i++) {
            x_max = fmaxf(x_max, in[i]);
        }
        // the denominator of this row
        float norm = 0.0f;
        for (int i = 0; i < w; i++) {
            norm += expf(in[i] - x_max);
        }
        for (int i = 0; i < w; i++) {
            out[i] = expf(in[i] - x_max) / norm;
        }
    }
}

extern "C" void launch(int w, int h, const float* input /* [h, w] */, float* output /* [h, w] */, cudaStream_t stream = 0) {
    int threadsPerBlock = 32;
    int blocks = (h + threadsPerBlock - 1) / threadsPerBlock;
    softmax<<<blocks, threadsPerBlock, 0, stream>>>(w, h, input, output);
}
"""

# A junior's backward of log-softmax: a warp a row, three warps a block.
BACK = """\
static constexpr int WARPS_PER_BLOCK = 3;

__global__ void log_softmax_backward(float* grad_in, const float* grad_out, const float* log_p, int64_t nrow, int64_t ncol)
{
    const int64_t r = blockIdx.x * (int64_t)WARPS_PER_BLOCK + threadIdx.y;
    if (r >= nrow) return;

    float g_sum = 0.0f;
    for (int64_t c = threadIdx.x; c < ncol; c += warpSize)
        g_sum += grad_out[r * ncol + c];
    for (int delta = 16; delta >= 1; delta /= 2)
        g_sum += __shfl_xor_sync(0xffffffff, g_sum, delta);

    for (int64_t c = threadIdx.x; c < ncol; c += warpSize) {
        const int64_t at = r * ncol + c;
        grad_in[at] = grad_out[at] - expf(log_p[at]) * g_sum;
    }
}

extern "C" void launch(float* grad_in /* [nrow, ncol] */, const float* grad_out /* [nrow, ncol] */, const float* log_p /* [nrow, ncol] */, int64_t nrow, int64_t ncol, cudaStream_t stream = 0)
{
    const dim3 threads(32, WARPS_PER_BLOCK);
    const int64_t blocks = (nrow + WARPS_PER_BLOCK - 1) / WARPS_PER_BLOCK;
    log_softmax_backward<<<blocks, threads, 0, stream>>>(grad_in, grad_out, log_p, nrow, ncol);
}
"""

# A student's layer norm in one block a row, which keeps mean and deviation for backward.
LAYER = """\
#define BLOCK 128

__device__ float blockSum(float v, float *buf)
{
    int t = threadIdx.x;
    buf[t] = v;
    __syncthreads();
    for (int s = BLOCK / 2; s > 0; s >>= 1) {
        if (t < s)
            buf[t] += buf[t + s];
        __syncthreads();
    }
    float total = buf[0];
    __syncthreads();  // everyone has the total
    return total;
}

__global__ void layernorm_forward(float *out, float *mean, float *rstd, const float *inp, const float *weight, const float *bias, int N, int C)
{
    __shared__ float buf[BLOCK];
    int n = blockIdx.x;
    const float *x = inp + (size_t)n * C;
    float *o = out + (size_t)n * C;

    float s = 0.0f;
    for (int i = threadIdx.x; i < C; i += BLOCK)
        s += x[i];
    float m = blockSum(s, buf) / C;

    float v = 0.0f;
    for (int i = threadIdx.x; i < C; i += BLOCK) {
        float shifted = x[i] - m;
        v += shifted * shifted;
    }
    float r = 1.0f / sqrtf(blockSum(v, buf) / C + 1e-5f);

    for (int i = threadIdx.x; i < C; i += BLOCK)
        o[i] = (x[i] - m) * r * weight[i] + bias[i];
    if (threadIdx.x == 0) {
        mean[n] = m;
        rstd[n] = r;
    }
}

extern "C" void launch(float *out /* [N, C] */, float *mean /* [N] */, float *rstd /* [N] */, const float *inp /* [N, C] */, const float *weight /* [C] */, const float *bias /* [C] */, int N, int C, cudaStream_t stream = 0)
{
    layernorm_forward<<<N, BLOCK, 0, stream>>>(out, mean, rstd, inp, weight, bias, N, C);
}
"""

# A junior's residual addition and RMS norm of halves in one: a warp a row.
RMS = """\
__global__ void add_rms_norm(const __half* __restrict__ x, const __half* __restrict__ res, const __half* __restrict__ w, __half* __restrict__ y, __half* __restrict__ res_out, float eps, int64_t tokens, int64_t hidden) {
  const int lane = threadIdx.x & 31;
  const int64_t tok = (int64_t)blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5);
  if (tok >= tokens) return;
  const __half* xt = x + tok * hidden;
  const __half* rt = res + tok * hidden;
  float ss = 0.f;
  for (int64_t i = lane; i < hidden; i += 32) {
    const __half h = __float2half_rn(__half2float(xt[i]) + __half2float(rt[i]));
    res_out[tok * hidden + i] = h;
    const float f = __half2float(h);
    ss += f * f;
  }
#pragma unroll
  for (int m = 16; m > 0; m >>= 1) ss += __shfl_xor_sync(0xffffffffu, ss, m);
  const float inv = rsqrtf(ss / (float)hidden + eps);
  for (int64_t i = lane; i < hidden; i += 32) {
    y[tok * hidden + i] = __float2half_rn(__half2float(res_out[tok * hidden + i]) * inv * __half2float(w[i]));
  }
}

extern "C" void launch(const __half* x /* [tokens, hidden] */, const __half* res /* [tokens, hidden] */, const __half* w /* [hidden] */, __half* y /* [tokens, hidden] */, __half* res_out /* [tokens, hidden] */, float eps, int64_t tokens, int64_t hidden, cudaStream_t stream = 0) {
  add_rms_norm<<<(unsigned)((tokens + 3) / 4), 128, 0, stream>>>(x, res, w, y, res_out, eps, tokens, hidden);
}
"""

# A junior's gradient of a bias: sums of columns of halves, four blocks down, added by atomics.
COLS = """\
constexpr int BX = 32, BY = 8, SPLIT = 4;

__global__ void bias_grad(const __half* dy, float* db, int64_t rows, int64_t cols) {
  __shared__ float part[BY][BX];
  const int64_t c = (int64_t)blockIdx.x * BX + threadIdx.x;
  float s = 0.f;
  if (c < cols) {
    for (int64_t r = blockIdx.y * BY + threadIdx.y; r < rows; r += BY * SPLIT) s += __half2float(dy[r * cols + c]);
  }
  part[threadIdx.y][threadIdx.x] = s;
  __syncthreads();
  if (threadIdx.y == 0 && c < cols) {
    for (int k = 1; k < BY; ++k) s += part[k][threadIdx.x];
    atomicAdd(&db[c], s);
  }
}

extern "C" void launch(const __half* dy /* [rows, cols] */, float* db /* [cols] */, int64_t rows, int64_t cols, cudaStream_t stream = 0) {
  cudaMemsetAsync(db, 0, cols * sizeof(float), stream);
  bias_grad<<<dim3((unsigned)((cols + BX - 1) / BX), SPLIT), dim3(BX, BY), 0, stream>>>(dy, db, rows, cols);
}
"""

# A junior's largest of each row and its first place; a NaN is the largest: a warp a row.
ARGMAX = """\
// Whether (a, i) goes before (b, j): NaN first, then the larger, then the smaller place.
__device__ inline bool before(float a, int i, float b, int j) {
    const bool an = a != a, bn = b != b;
    if (an != bn) return an;
    if (!an && a != b) return a > b;
    return i < j;
}

__global__ void row_max_with_index(float* __restrict__ values, int32_t* __restrict__ indices, const float* __restrict__ t, int32_t n_rows, int32_t n_cols) {
    const int32_t row = blockIdx.x;
    t += int64_t(row) * n_cols;
    float best = -INFINITY;
    int at = INT32_MAX;
    for (int64_t c = threadIdx.x; c < n_cols; c += 32) {
        if (before(t[c], int(c), best, at)) { best = t[c]; at = int(c); }
    }
    for (int off = 16; off > 0; off /= 2) {
        const float v = __shfl_down_sync(0xffffffff, best, off);
        const int p = __shfl_down_sync(0xffffffff, at, off);
        if (before(v, p, best, at)) { best = v; at = p; }
    }
    if (threadIdx.x == 0) {
        values[row] = best;
        indices[row] = at;
    }
}

extern "C" void launch(float* values /* [n_rows] */, int32_t* indices /* [n_rows] */, const float* t /* [n_rows, n_cols] */, int32_t n_rows, int32_t n_cols, cudaStream_t stream = 0) {
    row_max_with_index<<<n_rows, 32, 0, stream>>>(values, indices, t, n_rows, n_cols);
}
"""

# A student's running sums of rows, with two buffers: a block a row, a section at a time.
SCAN = """\
#define SECTION_SIZE 128

__global__ void Kogge_Stone_rows(const int *X, int *Y, int rows, int cols) {
    __shared__ int XY[2][SECTION_SIZE];
    const int *x = X + (size_t)blockIdx.x * cols;
    int *y = Y + (size_t)blockIdx.x * cols;
    int t = threadIdx.x;
    int carry = 0;
    for (size_t start = 0; start < cols; start += SECTION_SIZE) {
        size_t i = start + t;
        int cur = 0;
        XY[cur][t] = i < cols ? x[i] : 0;
        __syncthreads();  // loaded
        for (int stride = 1; stride < SECTION_SIZE; stride *= 2) {
            if (t >= stride)
                XY[1 - cur][t] = XY[cur][t] + XY[cur][t - stride];
            else
                XY[1 - cur][t] = XY[cur][t];
            cur = 1 - cur;
            __syncthreads();  // step
        }
        if (i < cols)
            y[i] = XY[cur][t] + carry;
        carry += XY[cur][SECTION_SIZE - 1];
        __syncthreads();  // used
    }
}

extern "C" void launch(const int *X /* [rows, cols] */, int *Y /* [rows, cols] */, int rows, int cols, cudaStream_t stream = 0) {
    Kogge_Stone_rows<<<rows, SECTION_SIZE, 0, stream>>>(X, Y, rows, cols);
}
"""

FLOAT, HALF, INT = (torch.float32,), (torch.float16,), (torch.int32,)
SIDES = ((1, 1), (1, 45), (4, 7), (34, 3), (5, 130), (3, 290), (9, 32), (40, 21))
PRODUCTS = ((1, 1, 1), (4, 5, 9), (16, 16, 16), (35, 41, 20), (19, 7, 52), (12, 90, 33))


def _numbers(*size: int, limit: int = 20) -> torch.Tensor:
    generator = torch.Generator().manual_seed(sum(19 * side for side in size) + limit)
    return torch.randint(-limit, limit + 1, size, generator=generator).float()


def _case(words: str, inputs: tuple, right: tuple, dtypes: tuple, scalars=None, **options):
    sizes = ", ".join(" x ".join(map(str, tensor.shape)) for tensor in inputs)
    label = f"{sizes} {words} {scalars or ''}".strip()
    return Case(label, inputs, right, *([scalars] if scalars else []), dtypes=dtypes, **options)


def square(launcher: Launcher) -> Iterator[Case]:
    """Turn floats: square and not, whole tiles and not."""
    for size in ((1, 1), (32, 32), (64, 64), (32, 96), (9, 80), (80, 9), (1, 70), (45, 50)):
        x = _numbers(*size, limit=9000) / 8
        yield _case("", (x,), (x.T.contiguous(),), FLOAT)


def picture(launcher: Launcher) -> Iterator[Case]:
    """Turn and scale one and several pictures of few and of many colours."""
    for images, hw, c in (
        (1, 1, 1),
        (1, 50, 3),
        (2, 64, 3),
        (3, 37, 4),
        (2, 5, 20),
        (3, 900, 1),
    ):
        img = _numbers(images, hw, c, limit=127).add(127).to(torch.uint8)
        mean, inv = _numbers(c) / 64 + 0.5, 2.0 ** _numbers(c, limit=2)
        z = (img.double() / 255 - mean.double()) * inv.double()
        right = z.transpose(1, 2).contiguous()
        slack = (2.0**-22 * inv.double()).view(1, c, 1).expand_as(right).contiguous()
        yield _case("", (img, mean, inv), (right,), FLOAT, ulp=1, within=(slack,))


def gemm(launcher: Launcher) -> Iterator[Case]:
    """Multiply and add by factors that leave all exact."""
    for m, k, n in PRODUCTS:
        a, b, c = _numbers(m, k), _numbers(k, n) / 4, _numbers(m, n, limit=99)
        for alpha, beta in ((1.0, 0.0), (0.5, 2.0), (2.0, -1.0)):
            right = alpha * (a.double() @ b.double()) + beta * c.double()
            yield _case("", (a, b, c), (right,), FLOAT, {"alpha": alpha, "beta": beta})


def wgrad(launcher: Launcher) -> Iterator[Case]:
    """Multiply halves, the first turned: all is exact in float."""
    for i, b, o in PRODUCTS:
        dy, x = _numbers(b, o).half() / 4, _numbers(b, i, limit=90).half()
        yield _case("", (dy, x), (dy.double().T @ x.double(),), FLOAT)


def scores(launcher: Launcher) -> Iterator[Case]:
    """Multiply queries and keys of few and of many halves."""
    for heads, t, u, d in (
        (1, 1, 1, 1),
        (1, 3, 3, 4),
        (2, 5, 9, 8),
        (3, 9, 5, 64),
        (2, 12, 11, 7),
        (1, 1, 20, 33),
        (2, 7, 6, 300),
    ):
        q, k = _numbers(heads, t, d).half() / 8, _numbers(heads, u, d, limit=200).half() / 8
        dot = q.double() @ k.double().transpose(1, 2)
        yield _case("", (q, k), (dot / d**0.5,), FLOAT, ulp=2)


def matvec(launcher: Launcher) -> Iterator[Case]:
    """Multiply all and the first columns: all is exact."""
    for m, n in SIDES:
        for more in (0, 3):
            a, x = _numbers(m, n + more), _numbers(n) / 4
            yield _case("", (a, x), (a[:, :n].double() @ x.double(),), FLOAT)


def masked(launcher: Launcher) -> Iterator[Case]:
    """Take softmax of what is kept: of some, of all, of nothing, of distant numbers."""
    for batch, heads, n in (
        (1, 1, 1),
        (1, 3, 9),
        (3, 2, 33),
        (2, 4, 130),
        (4, 1, 64),
        (2, 2, 300),
    ):
        x = (_numbers(batch, heads, n) / 8).half()
        some = _numbers(batch, n, limit=1) != 0
        for words, keep, shift in (
            ("all kept", some | True, 0.0),
            ("some kept", some, 0.0),
            ("some kept, 300 more", some, 300.0),
            ("nothing kept", some & False, 0.0),
        ):
            y = x + shift
            z = y.double().masked_fill(~keep[:, None], float("-inf"))
            right = torch.softmax(z, dim=2).nan_to_num(0.0)
            inputs = (y, keep.to(torch.uint8))
            yield _case(words, inputs, (right,), HALF, ulp=1, within=(2.0**-16 * right,))


def soft(launcher: Launcher) -> Iterator[Case]:
    """Take softmax of usual and of distant rows."""
    for m, n in SIDES:
        for words, shift in (("", 0), ("200 less", -200), ("200 more", 200)):
            x = _numbers(m, n) / 8 + shift
            right = torch.softmax(x.double(), dim=1)
            yield _case(words, (x,), (right,), FLOAT, ulp=2, within=(2.0**-17 * right,))


def back(launcher: Launcher) -> Iterator[Case]:
    """Take the gradient of log-softmax, of whole numbers and of a single one."""
    for m, n in SIDES:
        g, x = _numbers(m, n), _numbers(m, n) / 8
        log_p = torch.log_softmax(x.double(), dim=1).float()
        single = g * 0
        single[:, n // 2] = -1.0
        for words, y in (("", g), ("a single one", single)):
            away = log_p.double().exp() * y.double().sum(dim=1, keepdim=True)
            slack = 2.0**-20 * (y.abs() + away.abs())
            yield _case(words, (y, log_p), (y.double() - away,), FLOAT, ulp=2, within=(slack,))


def layer(launcher: Launcher) -> Iterator[Case]:
    """Norm usual, distant, small and equal rows; mean and inverse deviation, too."""
    for m, n in SIDES:
        for scale, shift in ((1.0, 0.0), (1.0, 500.0), (2.0**-11, 0.0), (0.0, 3.0)):
            x = _numbers(m, n) * scale + shift
            w, b = _numbers(n, limit=3) + 4.0, _numbers(n)
            mean = x.double().mean(dim=1)
            away = x.double() - mean[:, None]
            rstd = 1 / torch.sqrt(away.square().mean(dim=1) + 1e-5)
            right = away * rstd[:, None] * w.double() + b.double()
            largest = x.double().abs().amax(dim=1)
            slack = 2.0**-19 * (largest[:, None] * rstd[:, None] * w + right.abs() + 30)
            within = (slack, 2.0**-20 * largest, 2.0**-14 * rstd)
            words = f"about {shift}, times {scale}"
            yield _case(words, (x, w, b), (right, mean, rstd), FLOAT * 3, ulp=2, within=within)


def rms(launcher: Launcher) -> Iterator[Case]:
    """Add and norm small, usual and large halves."""
    for m, n in SIDES:
        for scale in (2.0**-8, 1.0, 32.0):
            x, r = ((_numbers(m, n, limit=limit) * scale).half() for limit in (20, 17))
            w = (_numbers(n) / 32 + 1).half()
            h = (x.double() + r.double()).half().double()
            y = h / torch.sqrt(h.square().mean(dim=1, keepdim=True) + 2.0**-10) * w.double()
            within = (2.0**-16 * y.abs(), 0 * h)
            scalars = {"eps": 2.0**-10}
            words = f"times {scale}"
            yield _case(words, (x, r, w), (y, h), HALF * 2, scalars, ulp=1, within=within)


def cols(launcher: Launcher) -> Iterator[Case]:
    """Add columns of whole numbers: all is exact."""
    for m, n in (*SIDES, (300, 5)):
        x = _numbers(m, n, limit=900).half()
        for words, y in (("", x), ("positive", x.abs() + 1)):
            yield _case(words, (y,), (y.double().sum(dim=0),), FLOAT)


def argmax(launcher: Launcher) -> Iterator[Case]:
    """Find the first largest: mixed, equal, negative numbers, infinities, NaN."""
    for m, n in SIDES:
        x = _numbers(m, n, limit=5000)
        lost = x.masked_fill(x % 4 == 1, float("nan"))
        for words, y in (
            ("", x),
            ("equal", x.clamp(max=7)),
            ("negative", x - 9000),
            ("least", x * 0 - float("inf")),
            ("with NaN", lost),
        ):
            top = y.amax(dim=1, keepdim=True)
            first = torch.where((y == top) | y.isnan(), torch.arange(n), n).amin(dim=1)
            yield _case(words, (y,), (top[:, 0].double(), first), (torch.float32, torch.int32))


def scan(launcher: Launcher) -> Iterator[Case]:
    """Take running sums of small integers."""
    for m, n in (*SIDES, (2, 600)):
        x = _numbers(m, n, limit=1000).int() + 100
        yield _case("", (x,), (x.long().cumsum(dim=1),), INT)


BASES = {
    "xxxv_flip_square": Base(HEADER + SQUARE, {"cases": square}),
    "xxxv_flip_picture": Base(HEADER + PICTURE, {"cases": picture}),
    "xxxv_mm_gemm": Base(HEADER + GEMM, {"cases": gemm}),
    "xxxv_mm_wgrad": Base(HEADER + WGRAD, {"cases": wgrad}),
    "xxxv_mm_scores": Base(HEADER + SCORES, {"cases": scores}),
    "xxxv_mv_first": Base(HEADER + MATVEC, {"cases": matvec}),
    "xxxv_soft_masked": Base(HEADER + MASKED, {"cases": masked}),
    "xxxv_soft_simple": Base(HEADER + SOFT, {"cases": soft}),
    "xxxv_soft_back": Base(HEADER + BACK, {"cases": back}),
    "xxxv_ln_kept": Base(HEADER + LAYER, {"cases": layer}),
    "xxxv_ln_added": Base(HEADER + RMS, {"cases": rms}),
    "xxxv_cols_bias": Base(HEADER + COLS, {"cases": cols}),
    "xxxv_rows_top": Base(HEADER + ARGMAX, {"cases": argmax}),
    "xxxv_scan_rows": Base(HEADER + SCAN, {"cases": scan}),
}

WRONG = (
    # ---- a transpose by tiles
    # No barrier.
    Wrong(
        "xxxv_flip_square_not_awaited",
        "xxxv_flip_square",
        "race | other element / unwritten / numbers / sides / left out",
        ("    __syncthreads();\n", ""),
    ),
    # The second test is that of the first.
    Wrong(
        "xxxv_flip_square_same_test",
        "xxxv_flip_square",
        "bounds / sides / unwritten / swapped | tail / left out / other element / race",
        ("if (x < height && y < width)", "if (x < width && y < height)"),
    ),
    # The blocks are not turned.
    Wrong(
        "xxxv_flip_square_blocks_as_they_were",
        "xxxv_flip_square",
        "swapped / other element / sides / unwritten / bounds | race / left out / tail",
        (
            "x = blockIdx.y * TILE_DIM + threadIdx.x;  //",
            "x = blockIdx.x * TILE_DIM + threadIdx.x;  //",
        ),
        (
            "    y = blockIdx.x * TILE_DIM + threadIdx.y;",
            "    y = blockIdx.y * TILE_DIM + threadIdx.y;",
        ),
    ),
    # More threads than a block may have.
    Wrong(
        "xxxv_flip_square_large_block",
        "xxxv_flip_square",
        "refused | block size / unwritten",
        ("#define TILE_DIM 32", "#define TILE_DIM 64"),
    ),
    # ---- pictures
    # A division of integers.
    Wrong(
        "xxxv_flip_picture_integers",
        "xxxv_flip_picture",
        "rounding / function | precision / numbers / whole range / left out",
        ("* c + ch] / 255.0f;", "* c + ch] / 255;"),
    ),
    # The colour of all pictures.
    Wrong(
        "xxxv_flip_picture_colour_of_all",
        "xxxv_flip_picture",
        "bounds / other element | sides / function",
        ("i / hw % c;", "i / hw;"),
    ),
    # No brackets around the difference.
    Wrong(
        "xxxv_flip_picture_no_brackets",
        "xxxv_flip_picture",
        "function | numbers / left out",
        ("(v - mean[ch]) * inv_std[ch];", "v - mean[ch] * inv_std[ch];"),
    ),
    # ---- a product with two factors
    # Whole blocks only, by a division that rounds down.
    Wrong(
        "xxxv_mm_gemm_blocks_rounded_down",
        "xxxv_mm_gemm",
        "unwritten / tail / grid / refused | sides / left out",
        (
            "gridDim(CEIL_DIV(M, 16), CEIL_DIV(N, 16), 1)",
            "gridDim(M / 16, N / 16, 1)",
        ),
    ),
    # The second factor has the rows of the first.
    Wrong(
        "xxxv_mm_gemm_step",
        "xxxv_mm_gemm",
        "sides / bounds / other element / swapped | function / left out / numbers / twice",
        ("(long long)i * N + y]", "(long long)i * K + y]"),
    ),
    # Alpha scales the addend, too.
    Wrong(
        "xxxv_mm_gemm_alpha_of_both",
        "xxxv_mm_gemm",
        "function | numbers / twice",
        ("alpha * tmp + beta * C[x * N + y];", "alpha * (tmp + beta * C[x * N + y]);"),
    ),
    # One row too many.
    Wrong(
        "xxxv_mm_gemm_one_more",
        "xxxv_mm_gemm",
        "bounds | race / tail",
        ("if (x < M && y < N)", "if (x <= M && y < N)"),
    ),
    # ---- the gradient of weights
    # What is outside stays from before.
    Wrong(
        "xxxv_mm_wgrad_left_from_before",
        "xxxv_mm_wgrad",
        "tail / twice / race / unwritten / left out / other element | nan / sides / numbers / function / infinity / bounds",
        (
            "        sy[ty][tx] = b < batch && o0 + tx < outs ? __half2float(dy[b * outs + o0 + tx]) : 0.f;\n",
            "        if (b < batch && o0 + tx < outs) sy[ty][tx] = __half2float(dy[b * outs + o0 + tx]);\n",
        ),
        (
            "        sx[ty][tx] = b < batch && i0 + tx < ins ? __half2float(x[b * ins + i0 + tx]) : 0.f;\n",
            "        if (b < batch && i0 + tx < ins) sx[ty][tx] = __half2float(x[b * ins + i0 + tx]);\n",
        ),
    ),
    # The next tiles come too early.
    Wrong(
        "xxxv_mm_wgrad_may_not_go",
        "xxxv_mm_wgrad",
        "race | other element / left out / function / numbers / sides / twice",
        ("        __syncthreads();  // both tiles may go\n", ""),
    ),
    # The first tile is not turned.
    Wrong(
        "xxxv_mm_wgrad_not_turned",
        "xxxv_mm_wgrad",
        "swapped / other element / function / sides | left out / numbers",
        ("acc += sy[k][ty]", "acc += sy[ty][k]"),
    ),
    # ---- scores of attention
    # The keys have the step of the queries.
    Wrong(
        "xxxv_mm_scores_keys_by_queries",
        "xxxv_mm_scores",
        "other element / bounds / sides / swapped | left out / numbers / function",
        ("k += head * u * d;", "k += head * t * d;"),
    ),
    # A sum of two halves.
    Wrong(
        "xxxv_mm_scores_half_sum",
        "xxxv_mm_scores",
        "precision / rounding | numbers / sides / infinity / alignment",
        (
            "            for (int64_t c = 0; c < d / 2; ++c) {\n",
            "            __half2 sum = __float2half2_rn(0.f);\n            for (int64_t c = 0; c < d / 2; ++c) {\n",
        ),
        (
            "                const float2 a = __half22float2(q2[c]), b = __half22float2(k2[c]);\n                dot += a.x * b.x + a.y * b.y;\n            }\n",
            "                sum = __hfma2(q2[c], k2[c], sum);\n            }\n            dot = __low2float(sum) + __high2float(sum);\n",
        ),
    ),
    # The size, not its root.
    Wrong(
        "xxxv_mm_scores_no_root",
        "xxxv_mm_scores",
        "function | numbers / sides",
        ("1.0f / sqrtf(static_cast<float>(d))", "1.0f / static_cast<float>(d)"),
    ),
    # Only the size is tested.
    Wrong(
        "xxxv_mm_scores_size_only",
        "xxxv_mm_scores",
        "alignment",
        ("even(q) && even(k) && d % 2 == 0", "d % 2 == 0"),
    ),
    # ---- a matrix times a vector
    # The rows are taken for as long as what is used of them.
    Wrong(
        "xxxv_mv_first_short_rows",
        "xxxv_mv_first",
        "other element / sides | left out / function / numbers",
        ("(size_t)blockIdx.x * lda;", "(size_t)blockIdx.x * cols;"),
    ),
    # Bytes for numbers.
    Wrong(
        "xxxv_mv_first_bytes",
        "xxxv_mv_first",
        "bounds | race / block size / refused",
        ("threads * sizeof(float), stream", "threads, stream"),
    ),
    # The barrier is for those who add.
    Wrong(
        "xxxv_mv_first_barrier_of_some",
        "xxxv_mv_first",
        "race | timeout / left out",
        (
            "+ i];\n        }\n        __syncthreads();  // one level down\n",
            "+ i];\n            __syncthreads();  // one level down\n        }\n",
        ),
    ),
    # A number of threads that the tree does not halve.
    Wrong(
        "xxxv_mv_first_hundred",
        "xxxv_mv_first",
        "left out / block size | function / sides / numbers",
        ("int threads = 128;", "int threads = 100;"),
    ),
    # ---- softmax with a mask
    # The mask of another sample.
    Wrong(
        "xxxv_soft_masked_by_head",
        "xxxv_soft_masked",
        "other element / bounds / sides | function / nan / numbers / left out / swapped",
        ("keep + row / heads * keys;", "keep + row % heads * keys;"),
    ),
    # Nothing is kept: 0 / 0.
    Wrong(
        "xxxv_soft_masked_nothing",
        "xxxv_soft_masked",
        "nan | numbers / infinity / function / left out",
        ("= sum > 0.f ? 1.f / sum : 0.f;  // nothing is kept: all 0", "= 1.f / sum;"),
        (
            "__float2half(on[j] && sum > 0.f ? expf(__half2float(x[j]) - m) * inv : 0.f)",
            "__float2half(expf((on[j] ? __half2float(x[j]) : -INFINITY) - m) * inv)",
        ),
    ),
    # The sum counts what is masked.
    Wrong(
        "xxxv_soft_masked_sum_of_all",
        "xxxv_soft_masked",
        "function / left out / twice | numbers / other element / infinity / nan",
        ("if (on[j]) part += expf", "part += expf"),
    ),
    # All warps store at one place.
    Wrong(
        "xxxv_soft_masked_one_place",
        "xxxv_soft_masked",
        "race / left out / unwritten | function / sides / numbers / nan / other element / bounds / infinity / start",
        ("if (lane == 0) s_sum[warp] = part;", "if (lane == 0) s_sum[lane] = part;"),
    ),
    # ---- a thread a row
    # The least positive number for the least.
    Wrong(
        "xxxv_soft_simple_flt_min",
        "xxxv_soft_simple",
        "start / numbers | nan / function / infinity / precision / subnormal",
        (
            "float x_max = in[0];\n        for (int i = 1;",
            "float x_max = FLT_MIN;\n        for (int i = 0;",
        ),
    ),
    # No maximum.
    Wrong(
        "xxxv_soft_simple_no_maximum",
        "xxxv_soft_simple",
        "infinity / nan / numbers | function / left out / precision",
        ("norm += expf(in[i] - x_max);", "norm += expf(in[i]);"),
        ("expf(in[i] - x_max) / norm;", "expf(in[i]) / norm;"),
    ),
    # The last column is forgotten.
    Wrong(
        "xxxv_soft_simple_without_last",
        "xxxv_soft_simple",
        "left out / tail | function / infinity / nan / numbers / sides",
        (
            "        for (int i = 0; i < w; i++) {\n            norm",
            "        for (int i = 0; i < w - 1; i++) {\n            norm",
        ),
    ),
    # ---- the backward of log-softmax
    # Halves of a warp.
    Wrong(
        "xxxv_soft_back_half_warps",
        "xxxv_soft_back",
        "left out / other element | function / sides / numbers",
        ("int delta = 16; delta", "int delta = 8; delta"),
    ),
    # A mask of half a warp.
    Wrong(
        "xxxv_soft_back_half_mask",
        "xxxv_soft_back",
        "race | left out / timeout",
        ("0xffffffff, g_sum", "0xffff, g_sum"),
    ),
    # Four warps in the grid, three in the block.
    Wrong(
        "xxxv_soft_back_four_warps",
        "xxxv_soft_back",
        "unwritten / grid / left out / tail | sides / block size",
        ("(nrow + WARPS_PER_BLOCK - 1) / WARPS_PER_BLOCK;", "(nrow + 3) / 4;"),
    ),
    # ---- layer norm
    # One less.
    Wrong(
        "xxxv_ln_kept_one_less",
        "xxxv_ln_kept",
        "function | nan / infinity / sides / numbers / precision",
        ("sqrtf(blockSum(v, buf) / C", "sqrtf(blockSum(v, buf) / (C - 1)"),
    ),
    # The next sum comes before all have this one.
    Wrong(
        "xxxv_ln_kept_total_overwritten",
        "xxxv_ln_kept",
        "race | function / numbers / other element / nan / infinity",
        ("    __syncthreads();  // everyone has the total\n", ""),
    ),
    # Kept for the first row only.
    Wrong(
        "xxxv_ln_kept_at_the_thread",
        "xxxv_ln_kept",
        "unwritten / race / other element | left out / twice",
        ("mean[n] = m;", "mean[threadIdx.x] = m;"),
        ("rstd[n] = r;", "rstd[threadIdx.x] = r;"),
    ),
    # The weights have no rows.
    Wrong(
        "xxxv_ln_kept_weights_of_row",
        "xxxv_ln_kept",
        "bounds | other element / sides",
        ("* weight[i] + bias[i];", "* weight[(size_t)n * C + i] + bias[(size_t)n * C + i];"),
    ),
    # ---- residual and RMS norm
    # The sum is written back in place.
    Wrong(
        "xxxv_ln_added_in_place",
        "xxxv_ln_added",
        "input / unwritten | left out",
        ("    res_out[tok * hidden + i] = h;\n", "    const_cast<__half*>(rt)[i] = h;\n"),
        ("__half2float(res_out[tok * hidden + i]) * inv", "__half2float(rt[i]) * inv"),
    ),
    # Squares in half.
    Wrong(
        "xxxv_ln_added_half_squares",
        "xxxv_ln_added",
        "infinity / precision / rounding / whole range | numbers / subnormal / function",
        (
            "    const float f = __half2float(h);\n    ss += f * f;\n",
            "    ss += __half2float(__hmul(h, h));\n",
        ),
    ),
    # The sum of squares, not their mean.
    Wrong(
        "xxxv_ln_added_no_mean",
        "xxxv_ln_added",
        "function / left out | numbers / sides",
        ("rsqrtf(ss / (float)hidden + eps)", "rsqrtf(ss + eps)"),
    ),
    # The first 32 weights.
    Wrong(
        "xxxv_ln_added_weight_of_lane",
        "xxxv_ln_added",
        "other element / function / left out | sides / numbers",
        ("__half2float(w[i])", "__half2float(w[lane])"),
    ),
    # ---- sums of columns
    # As many bytes as columns.
    Wrong(
        "xxxv_cols_bias_few_bytes",
        "xxxv_cols_bias",
        "zero before | state / unwritten / nan / start",
        ("cols * sizeof(float), stream", "cols, stream"),
    ),
    # No atomic.
    Wrong(
        "xxxv_cols_bias_plain_addition",
        "xxxv_cols_bias",
        "race | left out / zero before",
        ("atomicAdd(&db[c], s);", "db[c] += s;"),
    ),
    # Parts in half.
    Wrong(
        "xxxv_cols_bias_half_parts",
        "xxxv_cols_bias",
        "precision / rounding | numbers / narrow / infinity / function",
        ("__shared__ float part[BY][BX];", "__shared__ __half part[BY][BX];"),
        (
            "part[threadIdx.y][threadIdx.x] = s;",
            "part[threadIdx.y][threadIdx.x] = __float2half(s);",
        ),
        ("s += part[k][threadIdx.x];", "s += __half2float(part[k][threadIdx.x]);"),
    ),
    # Each block has the rows of all below it.
    Wrong(
        "xxxv_cols_bias_small_step",
        "xxxv_cols_bias",
        "twice | function / sides / numbers",
        ("r += BY * SPLIT)", "r += BY)"),
    ),
    # ---- the largest of rows
    # NaN is never larger.
    Wrong(
        "xxxv_rows_top_nan_passed_over",
        "xxxv_rows_top",
        "nan | numbers / other element / left out / function",
        ("    if (an != bn) return an;\n", "    if (an || bn) return false;\n"),
    ),
    # The last place of equal ones.
    Wrong(
        "xxxv_rows_top_last_place",
        "xxxv_rows_top",
        "other element / numbers / function | start / infinity / nan / whole range / sides",
        ("    return i < j;\n", "    return i > j;\n"),
        ("    int at = INT32_MAX;\n", "    int at = -1;\n"),
    ),
    # The place stays behind.
    Wrong(
        "xxxv_rows_top_place_stays",
        "xxxv_rows_top",
        "other element / function / left out | numbers / sides / whole range",
        ("{ best = v; at = p; }", "{ best = v; }"),
    ),
    # ---- running sums
    # One too few.
    Wrong(
        "xxxv_scan_rows_off_by_one",
        "xxxv_scan_rows",
        "left out / function / other element / neighbour | numbers / sides / twice",
        ("if (t >= stride)", "if (t > stride)"),
    ),
    # One buffer.
    Wrong(
        "xxxv_scan_rows_one_buffer",
        "xxxv_scan_rows",
        "race | twice / function / other element / numbers / left out",
        (
            "            if (t >= stride)\n                XY[1 - cur][t] = XY[cur][t] + XY[cur][t - stride];\n            else\n                XY[1 - cur][t] = XY[cur][t];\n            cur = 1 - cur;\n",
            "            if (t >= stride)\n                XY[cur][t] += XY[cur][t - stride];\n",
        ),
    ),
    # The carry of one section.
    Wrong(
        "xxxv_scan_rows_carry_of_one",
        "xxxv_scan_rows",
        "left out | function / sides / numbers / other element",
        ("carry += XY", "carry = XY"),
    ),
)

RIGHT = (
    # Small tiles without padding; an idle row and an idle column of blocks.
    Right(
        "xxxv_flip_square_idle_blocks",
        "xxxv_flip_square",
        ("#define TILE_DIM 32", "#define TILE_DIM 8"),
        (
            "dimGrid((width + TILE_DIM - 1) / TILE_DIM, (height + TILE_DIM - 1) / TILE_DIM)",
            "dimGrid(width / TILE_DIM + 2, height / TILE_DIM + 2)",
        ),
        ("tile[TILE_DIM][TILE_DIM + 1];", "tile[TILE_DIM][TILE_DIM];"),
    ),
    # The places are those of the input, what is written is scattered.
    Right(
        "xxxv_flip_picture_scattered",
        "xxxv_flip_picture",
        ("pixel = i % hw;", "pixel = i / c % hw;"),
        ("ch = i / hw % c;", "ch = i % c;"),
        ("img[(image * hw + pixel) * c + ch] / 255.0f", "img[i] / 255.0f"),
        (
            "planes[i] = (v - mean[ch])",
            "planes[(image * c + ch) * hw + pixel] = (v - mean[ch])",
        ),
    ),
    # x is the column, the sum starts with the addend's share.
    Right(
        "xxxv_mm_gemm_columns_in_x",
        "xxxv_mm_gemm",
        (
            "long long x = blockIdx.x * blockDim.x + threadIdx.x;",
            "long long x = blockIdx.y * blockDim.y + threadIdx.y;",
        ),
        (
            "long long y = blockIdx.y * blockDim.y + threadIdx.y;",
            "long long y = blockIdx.x * blockDim.x + threadIdx.x;",
        ),
        (
            "gridDim(CEIL_DIV(M, 16), CEIL_DIV(N, 16), 1)",
            "gridDim(CEIL_DIV(N, 32), CEIL_DIV(M, 4), 1)",
        ),
        ("blockDim(16, 16, 1)", "blockDim(32, 4, 1)"),
        ("    float tmp = 0.0;\n", "    float tmp = beta * C[x * N + y];\n"),
        ("tmp += A[x * K + i] *", "tmp += alpha * A[x * K + i] *"),
        ("alpha * tmp + beta * C[x * N + y];", "tmp;"),
    ),
    # Tiles stored turned, the barrier at the head of the loop.
    Right(
        "xxxv_mm_wgrad_barrier_first",
        "xxxv_mm_wgrad",
        (
            "        const int64_t b = b0 + ty;\n",
            "        const int64_t b = b0 + ty;\n        __syncthreads();\n",
        ),
        ("        __syncthreads();  // both tiles may go\n", ""),
        ("        sy[ty][tx] = b", "        sy[tx][ty] = b"),
        ("acc += sy[k][ty]", "acc += sy[ty][k]"),
    ),
    # Few blocks, which walk; the heads are in x.
    Right(
        "xxxv_mm_scores_heads_in_x",
        "xxxv_mm_scores",
        ("head = blockIdx.y;", "head = blockIdx.x;"),
        (
            "e = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;",
            "e = blockIdx.y * (int64_t)blockDim.x + threadIdx.x;",
        ),
        ("e += (int64_t)gridDim.x * blockDim.x", "e += gridDim.y * (int64_t)blockDim.x"),
        (
            "grid(static_cast<unsigned>((t * u + 63) / 64), static_cast<unsigned>(heads))",
            "grid(static_cast<unsigned>(heads), 2)",
        ),
    ),
    # The last warp by shuffles.
    Right(
        "xxxv_mv_first_last_warp",
        "xxxv_mv_first",
        ("    while (i != 0) {", "    while (i >= 32) {"),
        (
            "    if (cacheIndex == 0)\n        y[blockIdx.x] = cache[0];\n",
            "    if (cacheIndex < 32) {\n        float s = cache[cacheIndex];\n        for (i = 16; i > 0; i /= 2)\n            s += __shfl_down_sync(0xffffffff, s, i);\n        if (cacheIndex == 0)\n            y[blockIdx.x] = s;\n    }\n",
        ),
    ),
    # The most negative finite number, which the test of the sum outlives.
    Right(
        "xxxv_soft_masked_finite_start",
        "xxxv_soft_masked",
        ("float m = -INFINITY;", "float m = -FLT_MAX;"),
        ("kThreads = 128;", "kThreads = 64;"),
        (
            "__float2half(on[j] && sum > 0.f ? expf(__half2float(x[j]) - m) * inv : 0.f)",
            "__float2half(on[j] ? expf(__half2float(x[j]) - m) * inv : 0.f)",
        ),
    ),
    # One pass: the sum is scaled as the maximum grows.
    Right(
        "xxxv_soft_simple_online",
        "xxxv_soft_simple",
        (
            "        for (int i = 1; i < w; i++) {\n            x_max = fmaxf(x_max, in[i]);\n        }\n",
            "",
        ),
        (
            "            norm += expf(in[i] - x_max);\n",
            "            float larger = fmaxf(x_max, in[i]);\n            norm = norm * expf(x_max - larger) + expf(in[i] - larger);\n            x_max = larger;\n",
        ),
        ("threadsPerBlock = 32;", "threadsPerBlock = 48;"),
    ),
    # Rows by a step over a fixed grid; the sum goes by the first lane.
    Right(
        "xxxv_soft_back_fixed_grid",
        "xxxv_soft_back",
        (
            "    const int64_t r = blockIdx.x * (int64_t)WARPS_PER_BLOCK + threadIdx.y;\n    if (r >= nrow) return;\n",
            "    for (int64_t r = blockIdx.x * (int64_t)WARPS_PER_BLOCK + threadIdx.y; r < nrow; r += gridDim.x * (int64_t)WARPS_PER_BLOCK) {\n",
        ),
        (
            "        g_sum += __shfl_xor_sync(0xffffffff, g_sum, delta);\n",
            "        g_sum += __shfl_down_sync(0xffffffff, g_sum, delta);\n    g_sum = __shfl_sync(0xffffffff, g_sum, 0);\n",
        ),
        ("* g_sum;\n    }\n", "* g_sum;\n    }\n    }\n"),
        ("blocks = (nrow + WARPS_PER_BLOCK - 1) / WARPS_PER_BLOCK;", "blocks = 4;"),
    ),
    # The barrier at the head of the sum; the last thread keeps mean and deviation.
    Right(
        "xxxv_ln_kept_by_last",
        "xxxv_ln_kept",
        ("    buf[t] = v;\n", "    __syncthreads();\n    buf[t] = v;\n"),
        ("    __syncthreads();  // everyone has the total\n", ""),
        ("    if (threadIdx.x == 0) {\n", "    if (threadIdx.x == BLOCK - 1) {\n"),
    ),
    # All rows in one block down, each thread of which adds by an atomic.
    Right(
        "xxxv_cols_bias_all_atomics",
        "xxxv_cols_bias",
        (
            "  if (threadIdx.y == 0 && c < cols) {\n    for (int k = 1; k < BY; ++k) s += part[k][threadIdx.x];\n",
            "  if (c < cols) {\n",
        ),
        ("SPLIT = 4;", "SPLIT = 1;"),
    ),
    # Seven steps end in the other buffer than the next section fills: no barrier is needed.
    Right(
        "xxxv_scan_rows_seven_steps",
        "xxxv_scan_rows",
        ("        __syncthreads();  // used\n", ""),
    ),
)
