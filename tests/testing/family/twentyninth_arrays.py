"""Hold a twenty-ninth family: transposes, products, softmax, norms, sums, maxima and scans.

The causes were written before a member was judged. On the emulator each was run beside PyTorch:
bases and right ones are right, and all 68 wrong ones wrong, or refused by a fault, some only
so:

    xxix_transpose_first_stride_of_input      if the sides differ
    xxix_transpose_first_blocks_rounded_down  from 17 columns on, of no whole blocks
    xxix_transpose_first_grid_turned          if the sides need other numbers of blocks
    xxix_transpose_unpacked_not_awaited       from 5 tiles on
    xxix_transpose_unpacked_scale_of_column   of more than one row or column
    xxix_transpose_unpacked_one_pass          from 9 columns on
    xxix_product_linear_not_reset             from 9 rows on
    xxix_product_linear_half_sum              of sums that no half has
    xxix_product_linear_nan_to_zero           of NaN
    xxix_product_tiled_second_barrier         from 17 inside on
    xxix_product_tiled_whole_tiles_inside     if the inner side is no whole tiles
    xxix_product_tiled_no_test                if the output is no whole tiles
    xxix_product_tiled_no_zeros               if the inner side is no whole tiles
    xxix_product_small_no_beta                by another beta than 1
    xxix_product_small_divided_by_rows        if rows and columns differ
    xxix_matvec_tree_one_each                 from 129 columns on
    xxix_matvec_tree_first_row                from 2 rows on
    xxix_matvec_tree_idle_leave               of fewer than 128 columns
    xxix_matvec_bytes_no_rest                 if the columns are no whole fours
    xxix_matvec_bytes_any_address             if a row is not on a multiple of 4 bytes
    xxix_matvec_bytes_scale_of_warp           from 5 rows on
    xxix_matvec_bytes_integer_sum             of vectors of other numbers than integers
    xxix_softmax_causal_row_of_all            from 2 heads on
    xxix_softmax_causal_maximum_not_scaled    by another scale than 1, far from 0
    xxix_softmax_causal_maximum_from_flt_min  of rows far below 0
    xxix_softmax_causal_future_left           from 2 columns on
    xxix_softmax_logs_no_maximum              of rows far from 0
    xxix_softmax_loss_usual_ignored           by another ignored label than -100
    xxix_softmax_loss_maximum_kept            if the largest is not 0
    xxix_softmax_loss_short_label             of labels from 32,768 on
    xxix_softmax_loss_logit_of_first_row      from 2 rows on
    xxix_norm_root_squares_of_halves          of numbers past 256, in pairs
    xxix_norm_root_weights_about_one          of even rows, in pairs
    xxix_norm_root_first_warp                 from 33 pairs or columns on
    xxix_rows_gray_integer_mean               of means that are no integers
    xxix_rows_gray_short_sum                  of sums past 65,535
    xxix_rows_gray_one_row_each               from 65 rows on
    xxix_columns_bias_rows_of_input           of more than one row and column
    xxix_columns_bias_narrow_partials         of sums that no bfloat16 has
    xxix_rows_argmax_from_zero                of rows without a number above 0
    xxix_rows_argmax_nan_lost                 of NaN
    xxix_rows_argmax_last_of_equals           of equal numbers
    xxix_rows_argmax_half_warp                from 17 columns on
    xxix_rows_offsets_int_sums                of sums past 2^31, from 129 columns on
    xxix_rows_offsets_totals_read             from 129 columns on
    xxix_rows_offsets_warp_before             from 65 columns on
"""

# ruff: noqa: E501 (a line of a kernel stands in one line)
from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong

# A student's first matrix: one thread an element, two dimensions.
FIRST = """\
// each thread moves one number
__global__ void transpose(const float* in, float* out, int64_t rows, int64_t cols) {
    int64_t col = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    int64_t row = (int64_t)blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols) {
        out[col * rows + row] = in[row * cols + col];
    }
}

extern "C" void launch(const float* in /* [rows, cols] */, float* out /* [cols, rows] */, int64_t rows, int64_t cols, cudaStream_t stream = 0) {
    dim3 block(16, 16);
    dim3 grid((cols + 15) / 16, (rows + 15) / 16);
    transpose<<<grid, block, 0, stream>>>(in, out, rows, cols);
}
"""

# A junior's operator: bytes with a scale for each row are unpacked and turned, tile by tile.
UNPACKED = """\
constexpr int kTile = 32;
constexpr int kRows = 8;

__global__ void dequant_transpose_kernel(float* __restrict__ out, const int8_t* __restrict__ q, const float* __restrict__ scales, int64_t m, int64_t n) {
  __shared__ float tile[kTile][kTile + 1];
  const int64_t tiles_n = (n + kTile - 1) / kTile;
  const int64_t tiles_m = (m + kTile - 1) / kTile;
  for (int64_t t = blockIdx.x; t < tiles_m * tiles_n; t += gridDim.x) {
    const int64_t m0 = t / tiles_n * kTile;
    const int64_t n0 = t % tiles_n * kTile;
    for (int j = threadIdx.y; j < kTile; j += kRows) {
      const int64_t r = m0 + j, c = n0 + threadIdx.x;
      if (r < m && c < n) tile[j][threadIdx.x] = static_cast<float>(q[r * n + c]) * scales[r];
    }
    __syncthreads();  // tile is full
    for (int j = threadIdx.y; j < kTile; j += kRows) {
      const int64_t r = n0 + j, c = m0 + threadIdx.x;
      if (r < n && c < m) out[r * m + c] = tile[threadIdx.x][j];
    }
    __syncthreads();  // tile may be filled again
  }
}

extern "C" void launch(float* out /* [n, m] */, const int8_t* q /* [m, n] */, const float* scales /* [m] */, int64_t m, int64_t n, cudaStream_t stream = 0) {
  const int64_t tiles = ((m + kTile - 1) / kTile) * ((n + kTile - 1) / kTile);
  const dim3 threads(kTile, kRows);
  dequant_transpose_kernel<<<static_cast<unsigned>(tiles < 4 ? tiles : 4), threads, 0, stream>>>(out, q, scales, m, n);
}
"""

# A junior's layer: halves, weights as torch.nn.Linear keeps them, a bias and a relu behind.
LINEAR = """\
__global__ void linear_bias_relu(const __half* x, const __half* weight, const __half* bias, __half* y, int64_t batch, int64_t in_features, int64_t out_features)
{
    const int64_t o = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    if (o >= out_features) return;
    for (int64_t b = blockIdx.y; b < batch; b += gridDim.y) {
        float acc = 0.0f;
        for (int64_t i = 0; i < in_features; ++i)
            acc += __half2float(x[b * in_features + i]) * __half2float(weight[o * in_features + i]);
        acc += __half2float(bias[o]);
        y[b * out_features + o] = __float2half(acc < 0.0f ? 0.0f : acc);
    }
}

extern "C" void launch(const __half* x /* [batch, in_features] */, const __half* weight /* [out_features, in_features] */, const __half* bias /* [out_features] */, __half* y /* [batch, out_features] */, int64_t batch, int64_t in_features, int64_t out_features, cudaStream_t stream = 0)
{
    const int threads = 64;
    const dim3 blocks((unsigned)((out_features + threads - 1) / threads), (unsigned)(batch < 8 ? batch : 8));
    linear_bias_relu<<<blocks, threads, 0, stream>>>(x, weight, bias, y, batch, in_features, out_features);
}
"""

# A student's tiled product, by the lecture.
TILED = """\
#define TILE_WIDTH 16

__global__ void matMulShared(float *P, const float *M, const float *N, int64_t height, int64_t inner, int64_t width)
{
    __shared__ float Mds[TILE_WIDTH][TILE_WIDTH];
    __shared__ float Nds[TILE_WIDTH][TILE_WIDTH];
    int tx = threadIdx.x, ty = threadIdx.y;
    int64_t Row = (int64_t)blockIdx.x * TILE_WIDTH + ty;
    int64_t Col = (int64_t)blockIdx.y * TILE_WIDTH + tx;
    float Pvalue = 0;

    for (int64_t ph = 0; ph < (inner + TILE_WIDTH - 1) / TILE_WIDTH; ++ph) {
        if (Row < height && ph * TILE_WIDTH + tx < inner)
            Mds[ty][tx] = M[Row * inner + ph * TILE_WIDTH + tx];
        else
            Mds[ty][tx] = 0.0f;
        if (ph * TILE_WIDTH + ty < inner && Col < width)
            Nds[ty][tx] = N[(ph * TILE_WIDTH + ty) * width + Col];
        else
            Nds[ty][tx] = 0.0f;
        __syncthreads();  // loaded
        for (int k = 0; k < TILE_WIDTH; ++k)
            Pvalue += Mds[ty][k] * Nds[k][tx];
        __syncthreads();  // used
    }
    if (Row < height && Col < width)
        P[Row * width + Col] = Pvalue;
}

extern "C" void launch(float *P /* [height, width] */, const float *M /* [height, inner] */, const float *N /* [inner, width] */, int64_t height, int64_t inner, int64_t width, cudaStream_t stream = 0)
{
    dim3 dimBlock(TILE_WIDTH, TILE_WIDTH);
    dim3 dimGrid((height + TILE_WIDTH - 1) / TILE_WIDTH, (width + TILE_WIDTH - 1) / TILE_WIDTH);
    matMulShared<<<dimGrid, dimBlock, 0, stream>>>(P, M, N, height, inner, width);
}
"""

# A junior's batch of small products: a block has a whole pair of matrices in shared memory.
SMALL = """\
extern __shared__ float smem[];

// out[i] = alpha * a[i] @ b[i] + beta * c[i]
__global__ void baddbmm_small(const float* __restrict__ c, const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ out, int64_t count, int64_t rows, int64_t mid, int64_t cols, float alpha, float beta) {
  float* sa = smem;
  float* sb = smem + rows * mid;
  for (int64_t i = blockIdx.x; i < count; i += gridDim.x) {
    for (int64_t e = threadIdx.x; e < rows * mid; e += blockDim.x) sa[e] = a[i * rows * mid + e];
    for (int64_t e = threadIdx.x; e < mid * cols; e += blockDim.x) sb[e] = b[i * mid * cols + e];
    __syncthreads();  // both are there
    for (int64_t e = threadIdx.x; e < rows * cols; e += blockDim.x) {
      const int64_t r = e / cols;
      const int64_t col = e % cols;
      float dot = 0.0f;
      for (int64_t k = 0; k < mid; ++k) dot += sa[r * mid + k] * sb[k * cols + col];
      const int64_t place = i * rows * cols + e;
      out[place] = alpha * dot + beta * c[place];
    }
    __syncthreads();  // nobody reads them any more
  }
}

extern "C" void launch(const float* c /* [count, rows, cols] */, const float* a /* [count, rows, mid] */, const float* b /* [count, mid, cols] */, float* out /* [count, rows, cols] */, int64_t count, int64_t rows, int64_t mid, int64_t cols, float alpha = 1.0f, float beta = 1.0f, cudaStream_t stream = 0) {
  const size_t bytes = (rows * mid + mid * cols) * sizeof(float);
  const unsigned blocks = static_cast<unsigned>(count < 3 ? count : 3);
  baddbmm_small<<<blocks, 64, bytes, stream>>>(c, a, b, out, count, rows, mid, cols, alpha, beta);
}
"""

# A student's matrix times vector: a block a row, a tree in shared memory.
TREE = """\
const int N_THREADS = 128;

__global__ void matvec(const float *mat, const float *vec, float *res, int64_t n_rows, int64_t n_cols)
{
    __shared__ float cache[N_THREADS];
    int cacheIndex = threadIdx.x;
    int64_t row = blockIdx.x;

    float temp = 0;
    for (int64_t c = threadIdx.x; c < n_cols; c += blockDim.x)
        temp += mat[row * n_cols + c] * vec[c];
    cache[cacheIndex] = temp;
    __syncthreads();  // all partial sums

    int i = blockDim.x / 2;
    while (i != 0) {
        if (cacheIndex < i)
            cache[cacheIndex] += cache[cacheIndex + i];
        __syncthreads();  // this level
        i /= 2;
    }

    if (cacheIndex == 0)
        res[row] = cache[0];
}

extern "C" void launch(const float *mat /* [n_rows, n_cols] */, const float *vec /* [n_cols] */, float *res /* [n_rows] */, int64_t n_rows, int64_t n_cols, cudaStream_t stream = 0)
{
    matvec<<<n_rows, N_THREADS, 0, stream>>>(mat, vec, res, n_rows, n_cols);
}
"""

# A junior's decoder: weights of bytes with a scale for each output, a warp an output.
BYTES = """\
constexpr int kWarps = 4;

__device__ __forceinline__ float warp_sum(float v) {
  for (int mask = 16; mask > 0; mask >>= 1) v += __shfl_xor_sync(0xffffffffu, v, mask);
  return v;
}

__global__ void gemv_w8(const int8_t* __restrict__ w, const float* __restrict__ scale, const float* __restrict__ x, float* __restrict__ y, int64_t outs, int64_t ins) {
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const int64_t o = static_cast<int64_t>(blockIdx.x) * kWarps + warp;
  if (o >= outs) return;
  const int8_t* row = w + o * ins;
  const int64_t fours = reinterpret_cast<uintptr_t>(row) % 4 == 0 ? ins / 4 : 0;
  float acc = 0.0f;
  for (int64_t i = lane; i < fours; i += 32) {
    const char4 q = reinterpret_cast<const char4*>(row)[i];
    const float* v = x + 4 * i;
    acc += static_cast<float>(q.x) * v[0];
    acc += static_cast<float>(q.y) * v[1];
    acc += static_cast<float>(q.z) * v[2];
    acc += static_cast<float>(q.w) * v[3];
  }
  for (int64_t i = 4 * fours + lane; i < ins; i += 32) acc += static_cast<float>(row[i]) * x[i];
  acc = warp_sum(acc);
  if (lane == 0) y[o] = acc * scale[o];
}

extern "C" void launch(const float* x /* [ins] */, const int8_t* w /* [outs, ins] */, const float* scale /* [outs] */, float* y /* [outs] */, int64_t outs, int64_t ins, cudaStream_t stream = 0) {
  const int64_t blocks = (outs + kWarps - 1) / kWarps;
  gemv_w8<<<static_cast<unsigned>(blocks), kWarps * 32, 0, stream>>>(w, scale, x, y, outs, ins);
}
"""

# A junior's attention: scores are scaled, the future is masked, a warp a row.
CAUSAL = """\
// attn[h, i, j] = softmax over j <= i of scale * scores[h, i, j]
template <int WARPS>
__global__ void scaled_causal_softmax(__half* attn, const __half* scores, int64_t heads, int64_t len, float scale) {
  const int lane = threadIdx.x;
  for (int64_t r = int64_t(blockIdx.x) * WARPS + threadIdx.y; r < heads * len; r += int64_t(gridDim.x) * WARPS) {
    const int64_t query = r % len;
    const __half* src = scores + r * len;
    __half* dst = attn + r * len;
    float m = -INFINITY;
    for (int64_t j = lane; j <= query; j += 32) m = fmaxf(m, scale * __half2float(src[j]));
    for (int o = 16; o >= 1; o /= 2) m = fmaxf(m, __shfl_xor_sync(0xffffffff, m, o));
    float l = 0.f;
    for (int64_t j = lane; j <= query; j += 32) l += __expf(scale * __half2float(src[j]) - m);
    for (int o = 16; o >= 1; o /= 2) l += __shfl_xor_sync(0xffffffff, l, o);
    for (int64_t j = lane; j < len; j += 32) {
      const float p = j > query ? 0.f : __expf(scale * __half2float(src[j]) - m) / l;
      dst[j] = __float2half_rn(p);
    }
  }
}

extern "C" void launch(__half* attn /* [heads, len, len] */, const __half* scores /* [heads, len, len] */, int64_t heads, int64_t len, float scale = 1.0f, cudaStream_t stream = 0) {
  constexpr int WARPS = 2;
  const int64_t need = (heads * len + WARPS - 1) / WARPS;
  scaled_causal_softmax<WARPS><<<unsigned(need < 16 ? need : 16), dim3(32, WARPS), 0, stream>>>(attn, scores, heads, len, scale);
}
"""

# A student's log-softmax: a block a row, one shared array for both trees.
LOGS = """\
#define BLOCK 64

__global__ void log_softmax_kernel(const float* x, float* y, int64_t R, int64_t C)
{
    __shared__ float s[BLOCK];
    int t = threadIdx.x;
    const float* xr = x + blockIdx.x * C;
    float* yr = y + blockIdx.x * C;

    // maximum
    float mx = -INFINITY;
    for (int64_t c = t; c < C; c += BLOCK) mx = fmaxf(mx, xr[c]);
    s[t] = mx;
    __syncthreads();
    for (int d = BLOCK / 2; d > 0; d >>= 1) {
        if (t < d) s[t] = fmaxf(s[t], s[t + d]);
        __syncthreads();
    }
    mx = s[0];
    __syncthreads();  // s is used again

    // sum
    float sum = 0.0f;
    for (int64_t c = t; c < C; c += BLOCK) sum += expf(xr[c] - mx);
    s[t] = sum;
    __syncthreads();
    for (int e = BLOCK / 2; e > 0; e >>= 1) {
        if (t < e) s[t] += s[t + e];
        __syncthreads();
    }
    float lse = logf(s[0]);

    for (int64_t c = t; c < C; c += BLOCK) yr[c] = xr[c] - mx - lse;
}

extern "C" void launch(const float* x /* [R, C] */, float* y /* [R, C] */, int64_t R, int64_t C, cudaStream_t stream = 0)
{
    log_softmax_kernel<<<(unsigned int)R, BLOCK, 0, stream>>>(x, y, R, C);
}
"""

# A junior's loss: cross entropy of each row by its label, 0 where the label is to be ignored.
LOSS = """\
template <typename scalar_t>
__global__ void cross_entropy_fwd(const scalar_t* __restrict__ logits, const int64_t* __restrict__ target, scalar_t* __restrict__ loss, int64_t N, int64_t V, int64_t ignore_index) {
    const int64_t n = (blockIdx.x * int64_t(blockDim.x) + threadIdx.x) / 32;
    const int lane = threadIdx.x & 31;
    if (n >= N) return;
    const int64_t y = target[n];
    if (y == ignore_index) {
        if (lane == 0) loss[n] = scalar_t(0);
        return;
    }
    const scalar_t* z = logits + n * V;
    scalar_t zmax = -INFINITY;
    for (int64_t v = lane; v < V; v += 32) zmax = max(zmax, z[v]);
    #pragma unroll
    for (int k = 16; k; k >>= 1) zmax = max(zmax, __shfl_xor_sync(~0u, zmax, k));
    scalar_t denom = 0;
    for (int64_t v = lane; v < V; v += 32) denom += exp(z[v] - zmax);
    #pragma unroll
    for (int k = 16; k; k >>= 1) denom += __shfl_xor_sync(~0u, denom, k);
    if (lane == 0) loss[n] = log(denom) + zmax - z[y];
}

extern "C" void launch(const float* logits /* [N, V] */, const int64_t* target /* [N] */, float* loss /* [N] */, int64_t N, int64_t V, int64_t ignore_index = -100, cudaStream_t stream = 0) {
    const int threads = 128;
    const int64_t blocks = (N * 32 + threads - 1) / threads;
    cross_entropy_fwd<float><<<blocks, threads, 0, stream>>>(logits, target, loss, N, V, ignore_index);
}
"""

# A junior's layer norm for training: mean and inverse deviation are kept for the backward pass.
KEPT = """\
__device__ float sum_of_warp(float v)
{
    v += __shfl_xor_sync(0xffffffff, v, 16);
    v += __shfl_xor_sync(0xffffffff, v, 8);
    v += __shfl_xor_sync(0xffffffff, v, 4);
    v += __shfl_xor_sync(0xffffffff, v, 2);
    v += __shfl_xor_sync(0xffffffff, v, 1);
    return v;
}

__global__ void layernorm_forward(float *out, float *mean, float *rstd, const float *inp, const float *weight, const float *bias, int64_t T, int64_t C, float eps)
{
    const int64_t warps = (int64_t)gridDim.x * blockDim.x / 32;
    const int lane = threadIdx.x % 32;
    for (int64_t t = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / 32; t < T; t += warps) {
        const float *x = inp + t * C;
        float sum = 0.0f;
        for (int64_t i = lane; i < C; i += 32) sum += x[i];
        const float m = sum_of_warp(sum) / C;
        float sq = 0.0f;
        for (int64_t i = lane; i < C; i += 32) {
            const float d = x[i] - m;
            sq += d * d;
        }
        const float var = sum_of_warp(sq) / C;
        const float s = 1.0f / sqrtf(var + eps);
        for (int64_t i = lane; i < C; i += 32) {
            const float norm = s * (x[i] - m);
            out[t * C + i] = norm * weight[i] + bias[i];
        }
        if (lane == 0) {
            mean[t] = m;
            rstd[t] = s;
        }
    }
}

extern "C" void launch(float *out /* [T, C] */, float *mean /* [T] */, float *rstd /* [T] */, const float *inp /* [T, C] */, const float *weight /* [C] */, const float *bias /* [C] */, int64_t T, int64_t C, float eps = 1e-5f, cudaStream_t stream = 0)
{
    const int block_size = 64;
    const int64_t grid_size = T * 32 / block_size + 1;
    layernorm_forward<<<(unsigned)(grid_size < 20 ? grid_size : 20), block_size, 0, stream>>>(out, mean, rstd, inp, weight, bias, T, C, eps);
}
"""

# A junior's RMS norm of halves in pairs, with weights about zero; a last single half by hand.
ROOT = """\
#include <type_traits>

template <int kThreads>
__global__ void rms_norm_h2(const __half* __restrict__ x, const __half* __restrict__ w, __half* __restrict__ y, int64_t dim, float eps, bool paired) {
  __shared__ float warp_sums[kThreads / 32];
  const int tid = threadIdx.x;
  const __half* xr = x + blockIdx.x * dim;
  __half* yr = y + blockIdx.x * dim;
  const int64_t pairs = paired ? dim / 2 : 0;

  float ss = 0.0f;
  for (int64_t p = tid; p < pairs; p += kThreads) {
    const float2 f = __half22float2(reinterpret_cast<const __half2*>(xr)[p]);
    ss += f.x * f.x + f.y * f.y;
  }
  for (int64_t i = 2 * pairs + tid; i < dim; i += kThreads) {
    const float f = __half2float(xr[i]);
    ss += f * f;
  }
  for (int off = 16; off > 0; off >>= 1) ss += __shfl_down_sync(0xffffffffu, ss, off);
  if (tid % 32 == 0) warp_sums[tid / 32] = ss;
  __syncthreads();  // sums of warps
  float total = 0.0f;
  for (int k = 0; k < kThreads / 32; ++k) total += warp_sums[k];
  const float inv = rsqrtf(total / static_cast<float>(dim) + eps);

  for (int64_t p = tid; p < pairs; p += kThreads) {
    const float2 f = __half22float2(reinterpret_cast<const __half2*>(xr)[p]);
    const float2 g = __half22float2(reinterpret_cast<const __half2*>(w)[p]);
    reinterpret_cast<__half2*>(yr)[p] = __floats2half2_rn(f.x * inv * (1.0f + g.x), f.y * inv * (1.0f + g.y));
  }
  for (int64_t i = 2 * pairs + tid; i < dim; i += kThreads)
    yr[i] = __float2half(__half2float(xr[i]) * inv * (1.0f + __half2float(w[i])));
}

extern "C" void launch(const __half* x /* [tokens, dim] */, const __half* w /* [dim] */, __half* y /* [tokens, dim] */, int64_t tokens, int64_t dim, float eps = 1e-6f, cudaStream_t stream = 0) {
  const auto at = reinterpret_cast<uintptr_t>(x) | reinterpret_cast<uintptr_t>(w) | reinterpret_cast<uintptr_t>(y);
  const bool paired = dim % 2 == 0 && at % 4 == 0;
  rms_norm_h2<96><<<static_cast<unsigned>(tokens), 96, 0, stream>>>(x, w, y, dim, eps, paired);
}
"""

# A student's means of images: one thread a row of bytes, a loop over the rest.
GRAY = """\
__global__ void meanOfRows(const unsigned char* img, float* mean, int64_t h, int64_t w) {
    int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t y = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; y < h; y += step) {
        unsigned int total = 0;
        for (int64_t x = 0; x < w; x++) {
            total += img[y * w + x];
        }
        mean[y] = (float)total / w;
    }
}

extern "C" void launch(const unsigned char* img /* [h, w] */, float* mean /* [h] */, int64_t h, int64_t w, cudaStream_t stream = 0) {
    int block = 32;
    int64_t grid = (h + block - 1) / block;
    if (grid > 2) grid = 2;
    meanOfRows<<<(int)grid, block, 0, stream>>>(img, mean, h, w);
}
"""

# A junior's gradient of a bias: sums of columns of bfloat16, eight threads a column.
COLUMNS = """\
constexpr int kX = 32, kY = 8;

__global__ void column_sum(const __nv_bfloat16* __restrict__ grad, float* __restrict__ grad_bias, int64_t n, int64_t d) {
  __shared__ float buf[kY][kX];
  const int64_t c = static_cast<int64_t>(blockIdx.x) * kX + threadIdx.x;
  float partial = 0.0f;
  if (c < d) {
    for (int64_t i = threadIdx.y; i < n; i += kY) partial += __bfloat162float(grad[i * d + c]);
  }
  buf[threadIdx.y][threadIdx.x] = partial;
  __syncthreads();
  if (threadIdx.y == 0 && c < d) {
    float sum = 0.0f;
    for (int k = 0; k < kY; ++k) sum += buf[k][threadIdx.x];
    grad_bias[c] = sum;
  }
}

extern "C" void launch(float* grad_bias /* [d] */, const __nv_bfloat16* grad /* [n, d] */, int64_t n, int64_t d, cudaStream_t stream = 0) {
  column_sum<<<static_cast<unsigned>((d + kX - 1) / kX), dim3(kX, kY), 0, stream>>>(grad, grad_bias, n, d);
}
"""

# A student who wants torch.argmax: a warp a row, pairs of value and place, NaN above all.
ARGMAX = """\
// is (a, ia) a better answer than (b, ib)?
__device__ bool better(float a, int64_t ia, float b, int64_t ib) {
    if (isnan(a) != isnan(b)) return isnan(a);
    if (a == b || isnan(a)) return ia < ib;
    return a > b;
}

__global__ void argmax_rows(const float* data, int64_t* index, int64_t num_rows, int64_t num_cols) {
    int lane = threadIdx.x % 32;
    int64_t row = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (row >= num_rows) return;

    float best = -INFINITY;
    int64_t where = num_cols;
    for (int64_t j = lane; j < num_cols; j += 32) {
        float v = data[row * num_cols + j];
        if (better(v, j, best, where)) {
            best = v;
            where = j;
        }
    }
    for (int delta = 16; delta > 0; delta /= 2) {
        float v = __shfl_down_sync(0xffffffff, best, delta);
        int64_t j = __shfl_down_sync(0xffffffff, where, delta);
        if (better(v, j, best, where)) {
            best = v;
            where = j;
        }
    }
    if (lane == 0) index[row] = where;
}

extern "C" void launch(const float* data /* [num_rows, num_cols] */, int64_t* index /* [num_rows] */, int64_t num_rows, int64_t num_cols, cudaStream_t stream = 0) {
    int threads = 96;  // 3 rows
    int64_t blocks = (num_rows + 2) / 3;
    argmax_rows<<<blocks, threads, 0, stream>>>(data, index, num_rows, num_cols);
}
"""

# A junior's offsets for ragged batches: counts are added up, each place has the sum before it.
OFFSETS = """\
constexpr int kBlock = 128;
constexpr int kWarpsOfBlock = kBlock / 32;

__global__ void exclusive_cumsum(const int* __restrict__ counts, int64_t* __restrict__ offsets, int64_t rows, int64_t cols) {
  __shared__ int64_t warp_total[kWarpsOfBlock];
  const int lane = threadIdx.x & 31;
  const int warp = threadIdx.x >> 5;
  const int64_t row = blockIdx.x;
  int64_t running = 0;
  for (int64_t first = 0; first < cols; first += kBlock) {
    const int64_t i = first + threadIdx.x;
    const int64_t own = i < cols ? counts[row * cols + i] : 0;
    int64_t v = own;
    for (int d = 1; d < 32; d *= 2) {
      const int64_t left = __shfl_up_sync(0xffffffffu, v, d);
      if (lane >= d) v += left;
    }
    if (lane == 31) warp_total[warp] = v;
    __syncthreads();  // totals written
    int64_t before = 0, all = 0;
    for (int k = 0; k < kWarpsOfBlock; ++k) {
      if (k < warp) before += warp_total[k];
      all += warp_total[k];
    }
    if (i < cols) offsets[row * cols + i] = running + before + v - own;
    running += all;
    __syncthreads();  // totals read
  }
}

extern "C" void launch(const int* counts /* [rows, cols] */, int64_t* offsets /* [rows, cols] */, int64_t rows, int64_t cols, cudaStream_t stream = 0) {
  exclusive_cumsum<<<static_cast<unsigned>(rows), kBlock, 0, stream>>>(counts, offsets, rows, cols);
}
"""

SIZES = ((1, 1), (1, 11), (14, 1), (6, 32), (7, 47), (5, 260), (3, 1100), (90, 13))
HALF, FLOAT, LONG = (torch.float16,), (torch.float32,), (torch.int64,)
BFLOAT = torch.bfloat16
INF, NAN = float("inf"), float("nan")


def _numbers(*size: int, limit: int = 30) -> torch.Tensor:
    generator = torch.Generator().manual_seed(sum(5 * side for side in size) + limit)
    return torch.randint(-limit, limit + 1, size, generator=generator).float()


def _case(words: str, inputs: tuple, right, dtypes: tuple, scalars=None, **options) -> Case:
    sizes = ", ".join(" x ".join(map(str, tensor.shape)) for tensor in inputs)
    right = right if isinstance(right, tuple) else (right,)
    label = f"{sizes} {words} {scalars or ''}".strip()
    return Case(label, inputs, right, *([scalars] if scalars else []), dtypes=dtypes, **options)


def turned(launcher: Launcher) -> Iterator[Case]:
    """Turn floats: square, wide, tall, in whole blocks and not."""
    for size in ((1, 1), (16, 16), (5, 60), (60, 5), (32, 48), (37, 21), (1, 130), (130, 1)):
        x = _numbers(*size, limit=90_000) / 8
        yield _case("", (x,), x.T.contiguous(), FLOAT)


def unpacked(launcher: Launcher) -> Iterator[Case]:
    """Turn bytes with a scale for each row, in fewer and in more than four tiles."""
    for m, n in ((1, 1), (32, 32), (4, 70), (70, 4), (64, 96), (45, 51), (130, 100), (1, 300)):
        q, s = _numbers(m, n, limit=128).clamp(min=-128, max=127), (_numbers(m) + 31) / 64
        right = (q.double() * s.double()[:, None]).T.contiguous()
        yield _case("", (q.to(torch.int8), s), right, FLOAT)


def linear(launcher: Launcher) -> Iterator[Case]:
    """Take a layer of usual and of large sums, and of one input that is NaN."""
    sizes = ((1, 1, 1), (3, 5, 7), (8, 16, 64), (20, 33, 70), (9, 200, 12), (33, 40, 40))
    for batch, fan_in, fan_out in sizes:
        x, w = _numbers(batch, fan_in, limit=9) / 4, _numbers(fan_out, fan_in, limit=9) / 8
        b = _numbers(fan_out, limit=60) / 2
        lost = x.clone()
        lost[batch // 2, fan_in // 2] = NAN
        for words, rows in (("", x), ("large", x * 37), ("NaN", lost)):
            sums = rows.half().double() @ w.double().T + b.double()
            right = torch.where(sums < 0, 0 * sums.nan_to_num(0), sums)
            options = {"ulp": 1, "within": (2.0**-18 * right.nan_to_num(0),)}
            yield _case(words, (rows.half(), w.half(), b.half()), right, HALF, **options)


def products(launcher: Launcher) -> Iterator[Case]:
    """Multiply: square, wide, tall and long inside."""
    for m, k, n in (
        (1, 1, 1),
        (4, 6, 9),
        (16, 16, 16),
        (35, 10, 41),
        (21, 52, 72),
        (66, 19, 30),
        (32, 64, 48),
    ):
        a, b = _numbers(m, k), _numbers(k, n) / 4
        yield _case("", (a, b), a.double() @ b.double(), FLOAT)


def small(launcher: Launcher) -> Iterator[Case]:
    """Multiply batches of small matrices, with several alphas and betas."""
    for count, m, k, n in (
        (1, 1, 1, 1),
        (2, 3, 4, 5),
        (3, 8, 8, 8),
        (8, 6, 10, 3),
        (5, 16, 16, 16),
        (4, 2, 40, 20),
    ):
        a, b, c = _numbers(count, m, k), _numbers(count, k, n) / 4, _numbers(count, m, n)
        for alpha, beta in ((1.0, 1.0), (0.5, 2.0), (2.0, 0.0)):
            right = alpha * (a.double() @ b.double()) + beta * c.double()
            yield _case("", (c, a, b), right, FLOAT, {"alpha": alpha, "beta": beta})


def vectors(launcher: Launcher) -> Iterator[Case]:
    """Multiply matrices by vectors."""
    for m, n in (*SIZES, (40, 40), (4, 128)):
        a, x = _numbers(m, n), _numbers(n, limit=9) / 4
        yield _case("", (a, x), a.double() @ x.double(), FLOAT)


def decoded(launcher: Launcher) -> Iterator[Case]:
    """Multiply bytes with scales by vectors: whole fours of columns, and other numbers."""
    for m, n in (*SIZES, (9, 64), (5, 515), (3, 3)):
        w = _numbers(m, n, limit=128).clamp(min=-128, max=127)
        x, s = _numbers(n, limit=15) / 4, (_numbers(m) + 31) / 128
        right = (w.double() @ x.double()) * s.double()
        yield _case("", (x, w.to(torch.int8), s), right, FLOAT, ulp=1)


def causal(launcher: Launcher) -> Iterator[Case]:
    """Take masked softmax of usual and of distant rows, by several scales."""
    for heads, n in ((1, 1), (3, 5), (2, 32), (2, 40), (5, 9), (1, 100)):
        near = _numbers(heads, n, n) / 8
        for words, x in {"": near, "600 less": near - 600, "600 more": near + 600}.items():
            for scale in (1.0, 0.125, 2.0):
                scores = x.half().double() * scale
                mask = torch.ones(n, n, dtype=torch.bool).tril()
                right = torch.softmax(torch.where(mask, scores, -INF), dim=2)
                slack = 2.0**-15 * right + 2.0**-122
                options = {"ulp": 1, "within": (slack,)}
                yield _case(words, (x.half(),), right, HALF, {"scale": scale}, **options)


def logs(launcher: Launcher) -> Iterator[Case]:
    """Take log-softmax of usual, distant and steep rows."""
    for m, n in (*SIZES, (40, 64)):
        near = _numbers(m, n) / 8
        kinds = {"": near, "300 less": near - 300, "300 more": near + 300, "times 9": near * 9}
        for words, x in kinds.items():
            right = torch.log_softmax(x.double(), dim=1)
            slack = 2.0**-19 * (right.abs() + 1) + 2.0**-22 * x.double().abs()
            yield _case(words, (x,), right, FLOAT, ulp=2, within=(slack,))


def loss(launcher: Launcher) -> Iterator[Case]:
    """Take losses of usual and of distant rows, with ignored labels, and of many classes."""
    for m, n in (*SIZES, (4, 40_000)):
        y = (_numbers(m, limit=90_000).abs().long() * 7) % n
        y[0] = n - 1
        for ignore in (-100, int(y[m // 2])):
            label = y.clone()
            label[1::3] = ignore
            for words, shift in (("", 0), ("200 more", 200), ("200 less", -200)):
                z = _numbers(m, n) / 8 + shift
                each = -torch.log_softmax(z.double(), dim=1)
                right = each.gather(1, label.clamp(min=0)[:, None])[:, 0]
                right = torch.where(label == ignore, 0 * right, right)
                slack = 2.0**-18 * (right.abs() + 1) + 2.0**-21 * abs(shift)
                scalars = {"ignore_index": ignore}
                options = {"ulp": 2, "within": (slack,)}
                yield _case(words, (z, label), right, FLOAT, scalars, **options)


def kept(launcher: Launcher) -> Iterator[Case]:
    """Norm usual, distant, small and equal rows, and keep their means."""
    eps = 2.0**-10
    for m, n in SIZES:
        for scale, shift in ((1.0, 0.0), (1.0, 1000.0), (2.0**-6, 0.0), (0.0, 3.0)):
            x = _numbers(m, n, limit=9) * scale + shift
            w, b = _numbers(n, limit=3) + 4, _numbers(n, limit=5)
            mean = x.double().mean(dim=1)
            away = x.double() - mean[:, None]
            inverse = 1 / torch.sqrt(away.square().mean(dim=1) + eps)
            right = away * inverse[:, None] * w.double() + b.double()
            large = x.double().abs().amax(dim=1)
            slack = 2.0**-19 * ((large * inverse)[:, None] * w.double() + right.abs() + 5)
            within = (slack, 2.0**-20 * large, 2.0**-16 * inverse)
            words = f"about {shift}, times {scale}"
            expected = (right, mean, inverse)
            options = {"ulp": 2, "within": within}
            yield _case(words, (x, w, b), expected, FLOAT * 3, {"eps": eps}, **options)


def root(launcher: Launcher) -> Iterator[Case]:
    """Norm zeros, small, usual and large rows of halves."""
    eps = 2.0**-12
    for m, n in (*SIZES, (3, 96), (2, 1000), (5, 2)):
        for scale in (0.0, 2.0**-9, 1.0, 500.0):
            x, w = (_numbers(m, n) * scale).half(), (_numbers(n, limit=90) / 64).half()
            square = x.double().square().mean(dim=1, keepdim=True)
            right = x.double() / torch.sqrt(square + eps) * (1 + w.double())
            options = {"ulp": 1, "within": (2.0**-17 * right.abs(),)}
            yield _case(f"times {scale}", (x, w), right, HALF, {"eps": eps}, **options)


def gray(launcher: Launcher) -> Iterator[Case]:
    """Take means of dark and of bright rows of bytes."""
    for m, n in SIZES:
        x = _numbers(m, n, limit=127) + 128
        for words, image in (("", x), ("dark", x // 64), ("bright", 0 * x + 255)):
            right = image.double().mean(dim=1)
            yield _case(words, (image.to(torch.uint8),), right, FLOAT, ulp=1)


def columns(launcher: Launcher) -> Iterator[Case]:
    """Sum columns, in whole blocks and not."""
    for m, n in (*SIZES, (8, 64), (300, 40), (7, 33)):
        x = _numbers(m, n, limit=99) / 8
        yield _case("", (x.to(BFLOAT),), x.to(BFLOAT).double().sum(dim=0), FLOAT)


def largest(launcher: Launcher) -> Iterator[Case]:
    """Find the first largest: mixed, negative, equal, late, infinite and NaN."""
    for m, n in (*SIZES, (4, 65)):
        x = _numbers(m, n, limit=400) / 8
        late, lost, nan = x.clone(), x.clone() * 0 - INF, x.clone()
        late[:, -1], nan[:, n // 2] = 51, NAN
        kinds = {"": x, "negative": x - 51, "equal": x.clamp(max=-9), "the last": late}
        for words, rows in (kinds | {"infinite": lost, "NaN": nan}).items():
            order = torch.where(rows.isnan(), INF, rows)
            top = order.amax(dim=1, keepdim=True)
            right = torch.where(order == top, torch.arange(n), n).amin(dim=1)
            yield _case(words, (rows,), right, LONG)


def offsets(launcher: Launcher) -> Iterator[Case]:
    """Add up small and large counts."""
    for m, n in (*SIZES, (3, 128), (2, 300)):
        for words, limit in (("", 30), ("large", 2**30)):
            x = _numbers(m, n, limit=limit).abs().clamp(max=2**30).long()
            yield _case(words, (x.int(),), x.cumsum(dim=1) - x, LONG)


BASES = {
    "xxix_transpose_first": Base(HEADER + FIRST, {"cases": turned}),
    "xxix_transpose_unpacked": Base(HEADER + UNPACKED, {"cases": unpacked}),
    "xxix_product_linear": Base(HEADER + LINEAR, {"cases": linear}),
    "xxix_product_tiled": Base(HEADER + TILED, {"cases": products}),
    "xxix_product_small": Base(HEADER + SMALL, {"cases": small}),
    "xxix_matvec_tree": Base(HEADER + TREE, {"cases": vectors}),
    "xxix_matvec_bytes": Base(HEADER + BYTES, {"cases": decoded}),
    "xxix_softmax_causal": Base(HEADER + CAUSAL, {"cases": causal}),
    "xxix_softmax_logs": Base(HEADER + LOGS, {"cases": logs}),
    "xxix_softmax_loss": Base(HEADER + LOSS, {"cases": loss}),
    "xxix_norm_kept": Base(HEADER + KEPT, {"cases": kept}),
    "xxix_norm_root": Base(HEADER + ROOT, {"cases": root}),
    "xxix_rows_gray": Base(HEADER + GRAY, {"cases": gray}),
    "xxix_columns_bias": Base(HEADER + COLUMNS, {"cases": columns}),
    "xxix_rows_argmax": Base(HEADER + ARGMAX, {"cases": largest}),
    "xxix_rows_offsets": Base(HEADER + OFFSETS, {"cases": offsets}),
}

WRONG = (
    # ---- a student's transpose
    # One row too many.
    Wrong(
        "xxix_transpose_first_less_or_equal",
        "xxix_transpose_first",
        "bounds | race / other element / sides / tail",
        ("if (row < rows && col", "if (row <= rows && col"),
    ),
    # The output has the stride of the input.
    Wrong(
        "xxix_transpose_first_stride_of_input",
        "xxix_transpose_first",
        "sides / bounds / swapped / other element | unwritten / race / left out",
        ("out[col * rows + row]", "out[col * cols + row]"),
    ),
    # Blocks are rounded down.
    Wrong(
        "xxix_transpose_first_blocks_rounded_down",
        "xxix_transpose_first",
        "grid / tail / unwritten / left out | sides / refused",
        ("dim3 grid((cols + 15) / 16,", "dim3 grid(cols < 16 ? 1 : cols / 16,"),
    ),
    # x is the row in the grid and the column in the kernel.
    Wrong(
        "xxix_transpose_first_grid_turned",
        "xxix_transpose_first",
        "grid / swapped / sides / unwritten / left out | tail / refused",
        ("((cols + 15) / 16, (rows + 15) / 16)", "((rows + 15) / 16, (cols + 15) / 16)"),
    ),
    # threadIdx.x in both lines.
    Wrong(
        "xxix_transpose_first_x_twice",
        "xxix_transpose_first",
        "unwritten / other element / left out / swapped | race / sides / block size / twice",
        ("blockDim.y + threadIdx.y;", "blockDim.y + threadIdx.x;"),
    ),
    # ---- bytes are unpacked and turned
    # The next tile comes while the last one is read.
    Wrong(
        "xxix_transpose_unpacked_not_awaited",
        "xxix_transpose_unpacked",
        "race | other element / state / numbers / left out",
        ("    __syncthreads();  // tile may be filled again\n", ""),
    ),
    # The scale of the column.
    Wrong(
        "xxix_transpose_unpacked_scale_of_column",
        "xxix_transpose_unpacked",
        "other element / swapped / bounds / sides | function / numbers",
        ("* scales[r];", "* scales[c];"),
    ),
    # Bytes without a sign.
    Wrong(
        "xxix_transpose_unpacked_unsigned",
        "xxix_transpose_unpacked",
        "whole range | numbers / function",
        (
            "static_cast<float>(q[r * n + c])",
            "static_cast<float>(static_cast<uint8_t>(q[r * n + c]))",
        ),
    ),
    # Eight rows of a tile of 32 are written.
    Wrong(
        "xxix_transpose_unpacked_one_pass",
        "xxix_transpose_unpacked",
        "unwritten / left out | tail / sides / grid",
        (
            "    for (int j = threadIdx.y; j < kTile; j += kRows) {\n      const int64_t r = n0 + j,",
            "    for (int j = threadIdx.y; j < kRows; j += kRows) {\n      const int64_t r = n0 + j,",
        ),
    ),
    # ---- a layer
    # Weights as [in, out].
    Wrong(
        "xxix_product_linear_weights_turned",
        "xxix_product_linear",
        "swapped / other element / sides | function / left out / numbers",
        ("weight[o * in_features + i]", "weight[i * out_features + o]"),
    ),
    # The bias of the row.
    Wrong(
        "xxix_product_linear_bias_of_row",
        "xxix_product_linear",
        "other element / bounds / swapped / sides | function / numbers",
        ("__half2float(bias[o])", "__half2float(bias[b])"),
    ),
    # The sum goes on over the rows.
    Wrong(
        "xxix_product_linear_not_reset",
        "xxix_product_linear",
        "state / start / other element / left out / function | sides / numbers / twice / grid",
        (
            "    for (int64_t b = blockIdx.y; b < batch; b += gridDim.y) {\n        float acc = 0.0f;\n",
            "    float acc = 0.0f;\n    for (int64_t b = blockIdx.y; b < batch; b += gridDim.y) {\n",
        ),
    ),
    # First the relu, then the bias.
    Wrong(
        "xxix_product_linear_bias_last",
        "xxix_product_linear",
        "function | numbers / left out / other element",
        ("        acc += __half2float(bias[o]);\n", ""),
        ("(acc < 0.0f ? 0.0f : acc)", "((acc < 0.0f ? 0.0f : acc) + __half2float(bias[o]))"),
    ),
    # The sum is a half.
    Wrong(
        "xxix_product_linear_half_sum",
        "xxix_product_linear",
        "precision / rounding / infinity | numbers / sides / whole range",
        ("        float acc = 0.0f;\n", "        __half sum = __float2half(0.0f);\n"),
        (
            "            acc += __half2float(x[b * in_features + i]) * __half2float(weight[o * in_features + i]);\n",
            "            sum = __hadd(sum, __hmul(x[b * in_features + i], weight[o * in_features + i]));\n        float acc = __half2float(sum);\n",
        ),
    ),
    # NaN is not above 0.
    Wrong(
        "xxix_product_linear_nan_to_zero",
        "xxix_product_linear",
        "nan | numbers",
        ("acc < 0.0f ? 0.0f : acc", "acc > 0.0f ? acc : 0.0f"),
    ),
    # ---- a tiled product
    # The second barrier.
    Wrong(
        "xxix_product_tiled_second_barrier",
        "xxix_product_tiled",
        "race | other element / state / left out / numbers / twice",
        ("        __syncthreads();  // used\n", ""),
    ),
    # The last tile inside is forgotten.
    Wrong(
        "xxix_product_tiled_whole_tiles_inside",
        "xxix_product_tiled",
        "tail / left out | sides / grid / unwritten / function",
        ("ph < (inner + TILE_WIDTH - 1) / TILE_WIDTH;", "ph < inner / TILE_WIDTH;"),
    ),
    # The tile of N is read by rows.
    Wrong(
        "xxix_product_tiled_second_turned",
        "xxix_product_tiled",
        "swapped / other element | function / sides / left out / numbers",
        ("Nds[k][tx];", "Nds[tx][k];"),
    ),
    # No test at the end.
    Wrong(
        "xxix_product_tiled_no_test",
        "xxix_product_tiled",
        "bounds | race / tail / sides / other element",
        ("    if (Row < height && Col < width)\n        P[", "    P["),
    ),
    # Nothing but what is there is loaded: no zeros.
    Wrong(
        "xxix_product_tiled_no_zeros",
        "xxix_product_tiled",
        "left out / state / tail / unwritten / start / bounds / other element | sides / twice / numbers / race / nan / function",
        (
            "        else\n            Mds[ty][tx] = 0.0f;\n        if (ph",
            "        if (ph",
        ),
        ("        else\n            Nds[ty][tx] = 0.0f;\n", ""),
    ),
    # ---- a batch of small products
    # Beta is forgotten.
    Wrong(
        "xxix_product_small_no_beta",
        "xxix_product_small",
        "left out / function | numbers",
        ("+ beta * c[place];", "+ c[place];"),
    ),
    # Shared memory for the first matrix.
    Wrong(
        "xxix_product_small_bytes_of_first",
        "xxix_product_small",
        "bounds | refused",
        ("(rows * mid + mid * cols) * sizeof(float)", "rows * mid * sizeof(float)"),
    ),
    # The width of a row of the output is its height.
    Wrong(
        "xxix_product_small_divided_by_rows",
        "xxix_product_small",
        "sides / swapped / other element | bounds / function / left out",
        ("r = e / cols;", "r = e / rows;"),
        ("col = e % cols;", "col = e % rows;"),
    ),
    # ---- a student's matrix times vector
    # The tree ends one level early.
    Wrong(
        "xxix_matvec_tree_last_level",
        "xxix_matvec_tree",
        "left out | sides / function / numbers",
        ("while (i != 0) {", "while (i > 1) {"),
    ),
    # No barrier in the tree.
    Wrong(
        "xxix_matvec_tree_no_barrier",
        "xxix_matvec_tree",
        "race | left out / other element / unwritten / numbers",
        ("        __syncthreads();  // this level\n", ""),
    ),
    # One number a thread.
    Wrong(
        "xxix_matvec_tree_one_each",
        "xxix_matvec_tree",
        "left out / tail | sides / grid / numbers",
        (
            "    for (int64_t c = threadIdx.x; c < n_cols; c += blockDim.x)\n        temp +=",
            "    int64_t c = threadIdx.x;\n    if (c < n_cols)\n        temp +=",
        ),
    ),
    # The matrix without its row.
    Wrong(
        "xxix_matvec_tree_first_row",
        "xxix_matvec_tree",
        "other element | left out / function / sides",
        ("mat[row * n_cols + c]", "mat[c]"),
    ),
    # Idle threads of a short row leave before the barrier, and their places stay as they are.
    Wrong(
        "xxix_matvec_tree_idle_leave",
        "xxix_matvec_tree",
        "unwritten / race / start / state / left out | sides / nan / other element / numbers / function",
        (
            "    float temp = 0;\n",
            "    if (threadIdx.x >= n_cols) return;\n    float temp = 0;\n",
        ),
    ),
    # ---- a junior's matrix of bytes times vector
    # The rest of each row.
    Wrong(
        "xxix_matvec_bytes_no_rest",
        "xxix_matvec_bytes",
        "tail / left out | sides / alignment / numbers",
        ("i = 4 * fours + lane; i < ins;", "i = 4 * fours + lane; i < 4 * (ins / 4);"),
    ),
    # Fours are taken from every row, wherever it begins.
    Wrong(
        "xxix_matvec_bytes_any_address",
        "xxix_matvec_bytes",
        "alignment | sides / tail / bounds",
        ("reinterpret_cast<uintptr_t>(row) % 4 == 0 ? ins / 4 : 0", "ins / 4"),
    ),
    # The scale of the warp in its block.
    Wrong(
        "xxix_matvec_bytes_scale_of_warp",
        "xxix_matvec_bytes",
        "other element | left out / function / sides / bounds",
        ("acc * scale[o];", "acc * scale[warp];"),
    ),
    # The sum is a whole number.
    Wrong(
        "xxix_matvec_bytes_integer_sum",
        "xxix_matvec_bytes",
        "rounding / precision / function | numbers / whole range / left out",
        ("  float acc = 0.0f;\n", "  int acc = 0;\n"),
        ("acc = warp_sum(acc);", "acc = (int)warp_sum((float)acc);"),
    ),
    # ---- masked softmax
    # The sum of a query is without itself.
    Wrong(
        "xxix_softmax_causal_sum_without_itself",
        "xxix_softmax_causal",
        "function / left out / infinity / nan | sides / numbers / other element",
        ("j <= query; j += 32) l +=", "j < query; j += 32) l +="),
    ),
    # The row of all heads.
    Wrong(
        "xxix_softmax_causal_row_of_all",
        "xxix_softmax_causal",
        "bounds / other element / sides / function | twice / left out / numbers",
        ("query = r % len;", "query = r;"),
    ),
    # The maximum is not scaled.
    Wrong(
        "xxix_softmax_causal_maximum_not_scaled",
        "xxix_softmax_causal",
        "infinity / nan / function / left out / precision / subnormal | numbers / unwritten / whole range",
        ("m = fmaxf(m, scale * __half2float(src[j]));", "m = fmaxf(m, __half2float(src[j]));"),
    ),
    # The maximum starts with the smallest float above 0.
    Wrong(
        "xxix_softmax_causal_maximum_from_flt_min",
        "xxix_softmax_causal",
        "start | nan / infinity / numbers / function / left out",
        ("float m = -INFINITY;", "float m = FLT_MIN;"),
    ),
    # The future is left as it is.
    Wrong(
        "xxix_softmax_causal_future_left",
        "xxix_softmax_causal",
        "unwritten | left out / sides / zero before",
        ("j < len; j += 32", "j <= query; j += 32"),
    ),
    # Only the first lane has the sum.
    Wrong(
        "xxix_softmax_causal_sum_of_lane",
        "xxix_softmax_causal",
        "left out / other element / function | numbers / sides",
        (
            "l += __shfl_xor_sync(0xffffffff, l, o);",
            "l += __shfl_down_sync(0xffffffff, l, o);",
        ),
    ),
    # ---- a student's log-softmax
    # No maximum.
    Wrong(
        "xxix_softmax_logs_no_maximum",
        "xxix_softmax_logs",
        "infinity / nan / whole range | numbers / function / left out / start",
        ("    mx = s[0];\n", "    mx = 0;\n"),
    ),
    # The shared array is used again at once.
    Wrong(
        "xxix_softmax_logs_used_at_once",
        "xxix_softmax_logs",
        "race | left out / numbers / function / other element",
        ("    __syncthreads();  // s is used again\n", ""),
    ),
    # The logarithm is forgotten.
    Wrong(
        "xxix_softmax_logs_no_logarithm",
        "xxix_softmax_logs",
        "function | numbers / left out",
        ("lse = logf(s[0]);", "lse = s[0];"),
    ),
    # ---- cross entropy
    # The ignored label is compared with the usual one.
    Wrong(
        "xxix_softmax_loss_usual_ignored",
        "xxix_softmax_loss",
        "left out / function | numbers / other element",
        ("if (y == ignore_index) {", "if (y == -100) {"),
    ),
    # The maximum is not added again.
    Wrong(
        "xxix_softmax_loss_maximum_kept",
        "xxix_softmax_loss",
        "function / left out | numbers",
        ("log(denom) + zmax - z[y];", "log(denom) - z[y];"),
    ),
    # Labels in 16 bits.
    Wrong(
        "xxix_softmax_loss_short_label",
        "xxix_softmax_loss",
        "narrow / whole range / bounds | other element / sides / numbers",
        ("const int64_t y = target[n];", "const int16_t y = target[n];"),
    ),
    # The label's logit is that of the first row.
    Wrong(
        "xxix_softmax_loss_logit_of_first_row",
        "xxix_softmax_loss",
        "other element | left out / function / sides",
        ("zmax - z[y];", "zmax - logits[y];"),
    ),
    # ---- layer norm
    # Epsilon outside of the root.
    Wrong(
        "xxix_norm_kept_epsilon_outside",
        "xxix_norm_kept",
        "function | numbers / infinity / nan / precision",
        ("1.0f / sqrtf(var + eps);", "1.0f / (sqrtf(var) + eps);"),
    ),
    # The variance of a sample.
    Wrong(
        "xxix_norm_kept_of_sample",
        "xxix_norm_kept",
        "function | sides / nan / numbers / infinity",
        ("sum_of_warp(sq) / C;", "sum_of_warp(sq) / (C - 1);"),
    ),
    # One level of the butterfly is missing.
    Wrong(
        "xxix_norm_kept_level_missing",
        "xxix_norm_kept",
        "left out | function / numbers / sides / other element",
        ("    v += __shfl_xor_sync(0xffffffff, v, 4);\n", ""),
    ),
    # The deviation is kept, not its inverse.
    Wrong(
        "xxix_norm_kept_deviation",
        "xxix_norm_kept",
        "function | numbers",
        ("rstd[t] = s;", "rstd[t] = sqrtf(var + eps);"),
    ),
    # ---- RMS norm
    # Squares are halves.
    Wrong(
        "xxix_norm_root_squares_of_halves",
        "xxix_norm_root",
        "infinity / precision / subnormal / rounding | numbers / whole range / sides / alignment",
        (
            "    const float2 f = __half22float2(reinterpret_cast<const __half2*>(xr)[p]);\n    ss += f.x * f.x + f.y * f.y;\n",
            "    const __half2 h = reinterpret_cast<const __half2*>(xr)[p];\n    const float2 f = __half22float2(__hmul2(h, h));\n    ss += f.x + f.y;\n",
        ),
    ),
    # Weights about one.
    Wrong(
        "xxix_norm_root_weights_about_one",
        "xxix_norm_root",
        "function / left out | numbers / sides / alignment",
        (
            "f.x * inv * (1.0f + g.x), f.y * inv * (1.0f + g.y)",
            "f.x * inv * g.x, f.y * inv * g.y",
        ),
    ),
    # Only the first warp's sum.
    Wrong(
        "xxix_norm_root_first_warp",
        "xxix_norm_root",
        "left out | function / sides / numbers",
        (
            "  float total = 0.0f;\n  for (int k = 0; k < kThreads / 32; ++k) total += warp_sums[k];\n",
            "  const float total = warp_sums[0];\n",
        ),
    ),
    # No barrier before the sums of the warps are read.
    Wrong(
        "xxix_norm_root_no_barrier",
        "xxix_norm_root",
        "race | unwritten / left out / state / numbers / function",
        ("  __syncthreads();  // sums of warps\n", ""),
    ),
    # ---- means of rows of bytes
    # A quotient of integers.
    Wrong(
        "xxix_rows_gray_integer_mean",
        "xxix_rows_gray",
        "rounding / function / precision | numbers / sides",
        ("(float)total / w;", "total / w;"),
    ),
    # The sum in 16 bits.
    Wrong(
        "xxix_rows_gray_short_sum",
        "xxix_rows_gray",
        "whole range / narrow / infinity | numbers / sides / left out",
        ("unsigned int total = 0;", "unsigned short total = 0;"),
    ),
    # One row a thread, and as few blocks as before.
    Wrong(
        "xxix_rows_gray_one_row_each",
        "xxix_rows_gray",
        "unwritten / grid / left out | tail / sides",
        (
            "    for (int64_t y = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; y < h; y += step) {",
            "    int64_t y = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;\n    if (y < h) {",
        ),
    ),
    # ---- sums of columns
    # The first partial sum is left out.
    Wrong(
        "xxix_columns_bias_from_one",
        "xxix_columns_bias",
        "left out | function / numbers / sides / other element",
        ("for (int k = 0; k < kY", "for (int k = 1; k < kY"),
    ),
    # The input is read as if it lay by columns.
    Wrong(
        "xxix_columns_bias_rows_of_input",
        "xxix_columns_bias",
        "swapped / other element / sides | bounds / function / left out",
        ("grad[i * d + c]", "grad[c * n + i]"),
    ),
    # Partial sums in the type of the input.
    Wrong(
        "xxix_columns_bias_narrow_partials",
        "xxix_columns_bias",
        "precision / rounding | numbers / sides",
        ("__shared__ float buf[kY][kX];", "__shared__ __nv_bfloat16 buf[kY][kX];"),
        ("= partial;", "= __float2bfloat16(partial);"),
        ("sum += buf[k][threadIdx.x];", "sum += __bfloat162float(buf[k][threadIdx.x]);"),
    ),
    # ---- argmax
    # The largest starts at 0.
    Wrong(
        "xxix_rows_argmax_from_zero",
        "xxix_rows_argmax",
        "start | numbers / infinity / other element / bounds / function / left out",
        ("float best = -INFINITY;", "float best = 0.0f;"),
    ),
    # NaN is never larger.
    Wrong(
        "xxix_rows_argmax_nan_lost",
        "xxix_rows_argmax",
        "nan | numbers / other element / left out / bounds / start",
        ("    if (isnan(a) != isnan(b)) return isnan(a);\n", ""),
        ("if (a == b || isnan(a)) return", "if (a == b) return"),
    ),
    # The last of equal ones.
    Wrong(
        "xxix_rows_argmax_last_of_equals",
        "xxix_rows_argmax",
        "other element / function | numbers / left out / nan / infinity",
        ("return ia < ib;", "return ia > ib;"),
    ),
    # Sixteen lanes only.
    Wrong(
        "xxix_rows_argmax_half_warp",
        "xxix_rows_argmax",
        "left out | other element / sides / numbers",
        ("int delta = 16; delta > 0;", "int delta = 8; delta > 0;"),
    ),
    # ---- running sums
    # The place's own count is in.
    Wrong(
        "xxix_rows_offsets_inclusive",
        "xxix_rows_offsets",
        "function / neighbour / other element / twice | numbers / left out",
        ("running + before + v - own;", "running + before + v;"),
    ),
    # Lanes without a neighbour add what they have.
    Wrong(
        "xxix_rows_offsets_no_lane_test",
        "xxix_rows_offsets",
        "twice / function / other element | numbers / left out / neighbour / start / sides",
        ("if (lane >= d) v += left;", "v += left;"),
    ),
    # Sums of 32 bits.
    Wrong(
        "xxix_rows_offsets_int_sums",
        "xxix_rows_offsets",
        "whole range / narrow / infinity | numbers / sides / left out",
        ("  int64_t running = 0;\n", "  int running = 0;\n"),
    ),
    # Totals are written while they are read.
    Wrong(
        "xxix_rows_offsets_totals_read",
        "xxix_rows_offsets",
        "race | other element / left out / numbers / state / twice",
        ("    __syncthreads();  // totals read\n", ""),
    ),
    # Only the warp before.
    Wrong(
        "xxix_rows_offsets_warp_before",
        "xxix_rows_offsets",
        "left out / other element | sides / function / numbers",
        ("if (k < warp) before", "if (k + 1 == warp) before"),
    ),
)

RIGHT = (
    # Blocks of 32 by 4, and a block more each way.
    Right(
        "xxix_transpose_first_idle_blocks",
        "xxix_transpose_first",
        ("dim3 block(16, 16);", "dim3 block(32, 4);"),
        ("grid((cols + 15) / 16, (rows + 15) / 16);", "grid(cols / 32 + 1, rows / 4 + 1);"),
    ),
    # Scales are multiplied on the way out, and three blocks are enough.
    Right(
        "xxix_transpose_unpacked_scaled_last",
        "xxix_transpose_unpacked",
        ("static_cast<float>(q[r * n + c]) * scales[r];", "q[r * n + c];"),
        ("= tile[threadIdx.x][j];", "= scales[c] * tile[threadIdx.x][j];"),
        ("tiles < 4 ? tiles : 4", "3"),
    ),
    # The bias is the start of the sum, and rows are dealt to three.
    Right(
        "xxix_product_linear_bias_first",
        "xxix_product_linear",
        ("float acc = 0.0f;", "float acc = __half2float(bias[o]);"),
        ("        acc += __half2float(bias[o]);\n", ""),
        ("batch < 8 ? batch : 8", "batch < 3 ? batch : 3"),
    ),
    # Eight a side, and the second tile is kept turned.
    Right(
        "xxix_product_tiled_kept_turned",
        "xxix_product_tiled",
        ("#define TILE_WIDTH 16", "#define TILE_WIDTH 8"),
        ("            Nds[ty][tx] = N[", "            Nds[tx][ty] = N["),
        ("            Nds[ty][tx] = 0.0f;", "            Nds[tx][ty] = 0.0f;"),
        ("Nds[k][tx];", "Nds[tx][k];"),
    ),
    # A block for each, one more, and spare shared memory.
    Right(
        "xxix_product_small_spare_bytes",
        "xxix_product_small",
        ("* sizeof(float);", "* sizeof(float) + 256;"),
        ("static_cast<unsigned>(count < 3 ? count : 3)", "static_cast<unsigned>(count + 1)"),
        ("64, bytes, stream", "96, bytes, stream"),
    ),
    # 64 threads, and one thread adds all.
    Right(
        "xxix_matvec_tree_one_adds",
        "xxix_matvec_tree",
        (
            "    int i = blockDim.x / 2;\n    while (i != 0) {\n        if (cacheIndex < i)\n            cache[cacheIndex] += cache[cacheIndex + i];\n        __syncthreads();  // this level\n        i /= 2;\n    }\n\n",
            "",
        ),
        (
            "        res[row] = cache[0];",
            "    {\n        for (int i = 1; i < N_THREADS; i++) temp += cache[i];\n        res[row] = temp;\n    }",
        ),
    ),
    # Three warps, each lane's sum is scaled before.
    Right(
        "xxix_matvec_bytes_scaled_before",
        "xxix_matvec_bytes",
        ("kWarps = 4;", "kWarps = 3;"),
        ("acc = warp_sum(acc);", "acc = warp_sum(acc * scale[o]);"),
        ("y[o] = acc * scale[o];", "y[o] = acc;"),
    ),
    # Zeros by a memset in the launcher.
    Right(
        "xxix_softmax_causal_zeros_by_memset",
        "xxix_softmax_causal",
        ("j < len; j += 32", "j <= query; j += 32"),
        (
            "  const int64_t need =",
            "  cudaMemsetAsync(attn, 0, heads * len * len * sizeof(__half), stream);\n  const int64_t need =",
        ),
    ),
    # The logarithm with the maximum, in double.
    Right(
        "xxix_softmax_logs_in_double",
        "xxix_softmax_logs",
        ("float lse = logf(s[0]);", "double lse = (double)mx + log((double)s[0]);"),
        ("yr[c] = xr[c] - mx - lse;", "yr[c] = (float)(xr[c] - lse);"),
        ("#define BLOCK 64", "#define BLOCK 128"),
    ),
    # Every lane reads the label, and the last one writes.
    Right(
        "xxix_softmax_loss_last_lane",
        "xxix_softmax_loss",
        ("if (lane == 0) loss[n] = log(denom) +", "if (lane == 31) loss[n] = log(denom) +"),
        ("if (lane == 0) loss[n] = scalar_t(0);", "loss[n] = scalar_t(0);"),
        ("const int threads = 128;", "const int threads = 32;"),
    ),
    # Few blocks, and rsqrt.
    Right(
        "xxix_norm_kept_two_blocks",
        "xxix_norm_kept",
        ("1.0f / sqrtf(var + eps);", "rsqrtf(var + eps);"),
        ("grid_size < 20 ? grid_size : 20", "2"),
        ("const int block_size = 64;", "const int block_size = 256;"),
    ),
    # Never in pairs, and two warps.
    Right(
        "xxix_norm_root_one_by_one",
        "xxix_norm_root",
        ("dim % 2 == 0 && at % 4 == 0;", "dim % 64 == 0 && at % 4 == 0;"),
        (
            "rms_norm_h2<96><<<static_cast<unsigned>(tokens), 96,",
            "rms_norm_h2<64><<<static_cast<unsigned>(tokens), 64,",
        ),
    ),
    # Atomics for all rows of threads, after a memset.
    Right(
        "xxix_columns_bias_atomics",
        "xxix_columns_bias",
        (
            "  column_sum<<<",
            "  cudaMemsetAsync(grad_bias, 0, d * sizeof(float), stream);\n  column_sum<<<",
        ),
        (
            "if (threadIdx.y == 0 && c < d) {",
            "if (c < d) atomicAdd(&grad_bias[c], partial);\n  if (false) {",
        ),
    ),
    # The sum backwards, in 64 bits.
    Right(
        "xxix_rows_gray_backwards",
        "xxix_rows_gray",
        ("unsigned int total = 0;", "unsigned long long total = 0;"),
        ("int64_t x = 0; x < w; x++", "int64_t x = w - 1; x >= 0; x--"),
    ),
    # All lanes know, and the place starts with the lane.
    Right(
        "xxix_rows_argmax_all_lanes",
        "xxix_rows_argmax",
        (
            "__shfl_down_sync(0xffffffff, best, delta)",
            "__shfl_xor_sync(0xffffffff, best, delta)",
        ),
        (
            "__shfl_down_sync(0xffffffff, where, delta)",
            "__shfl_xor_sync(0xffffffff, where, delta)",
        ),
        ("if (lane == 0) index", "if (lane == 7) index"),
    ),
    # Two warps, the own count is taken off first.
    Right(
        "xxix_rows_offsets_two_warps",
        "xxix_rows_offsets",
        ("kBlock = 128;", "kBlock = 64;"),
        ("running + before + v - own;", "v - own + before + running;"),
    ),
)
