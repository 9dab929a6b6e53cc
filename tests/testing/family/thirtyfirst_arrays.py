"""Hold half of a thirty-first family: transposes, products, softmax, norms, sums, scans.

The causes were written before a member was judged. On the emulator each was run beside PyTorch:
bases and right ones are right, and all wrong ones but two wrong, or refused by a fault, some
only so:

    xxxi_turn_plain_stride_of_input       if the sides differ
    xxxi_turn_plain_or                    if the elements are no whole blocks
    xxxi_turn_plain_grid_turned           if rows and columns make other blocks in number
    xxxi_turn_plain_row_by_x              from 2 rows or columns on
    xxxi_turn_batch_not_awaited           from 4 matrices on
    xxxi_turn_batch_tile_not_turned       of more than one row or column
    xxxi_turn_batch_into_first            from 2 matrices on
    xxxi_turn_batch_barrier_in_branch     if the sides are no whole tiles
    xxxi_mm_tiled_no_zeros                if the inner side is no whole tiles
    xxxi_mm_tiled_sum_reset               from 17 inside on
    xxxi_mm_tiled_early_return            if the output is no whole tiles
    xxxi_mm_tiled_inner_stride            if the inner side is not the number of columns
    xxxi_mm_tiled_tiles_down              if the inner side is no whole tiles
    xxxi_mm_linear_fmaxf                  of NaN
    xxxi_mm_linear_bias_after             if the bias is not 0
    xxxi_mm_linear_weights_turned         from 2 outputs on
    xxxi_mm_linear_toward_zero            of sums that no half has
    xxxi_mm_linear_half_products          of products that no half has
    xxxi_mv_tree_no_last_level            from 65 columns on
    xxxi_mv_tree_added                    if the output was not zero before
    xxxi_mv_tree_last_only                from 129 columns on
    xxxi_mv_quant_unsigned                of negative bytes, if the columns are whole packs
    xxxi_mv_quant_rows_unaligned          if the columns are no whole packs, from 2 rows on
    xxxi_mv_quant_first_scale             from 2 rows on
    xxxi_mv_quant_rest_from_packs         if the columns are whole packs
    xxxi_mv_quant_no_scale                by another scale than 1
    xxxi_soft_logs_not_shared             from 2 columns on
    xxxi_soft_logs_no_maximum             of rows far from 0
    xxxi_soft_logs_of_quotient            of wide rows
    xxxi_soft_logs_flt_min                of rows far below 0
    xxxi_soft_logs_rows_by_rows           if the sides differ, from 2 rows on
    xxxi_soft_causal_row_of_all           from 2 heads on
    xxxi_soft_causal_no_zeros             from 2 columns on
    xxxi_soft_causal_scale_forgotten      by another scale than 1
    xxxi_soft_causal_maxima_overwritten   from 2 columns on
    xxxi_soft_entropy_ignored_unwritten   of ignored rows
    xxxi_soft_entropy_int_labels          from 2 rows on
    xxxi_soft_entropy_fixed_index         of ignored rows, by another index than -100
    xxxi_ln_warp_small_epsilon            of rows with a small variance
    xxxi_ln_warp_from_8                   from 17 columns on
    xxxi_ln_rms_mean_of_pairs             of an even number of columns
    xxxi_ln_rms_half_squares              of large numbers, in even columns
    xxxi_ln_rms_unpaired_forgotten        of an odd number of columns, or unaligned
    xxxi_ln_rms_weight_x                  of an even number of columns
    xxxi_ln_group_channel_in_group        from 2 groups on
    xxxi_ln_group_float_sums              of groups far from 0
    xxxi_ln_group_by_channels             from 2 elements a channel on
    xxxi_ln_group_first_sample            from 2 samples on
    xxxi_cols_pitched_dense               from 2 rows on, if they are longer than what is summed
    xxxi_cols_pitched_bytes_set           if the output was not zero before
    xxxi_cols_pitched_step_of_block       from 9 rows on
    xxxi_largest_rows_any_of_equals       of equal numbers, or of -infinity only
    xxxi_largest_rows_from_zero           of rows without a number above 0
    xxxi_largest_rows_two_warps           from 65 columns on
    xxxi_largest_rows_int_places          if the output was not zero before, or from 2 rows on
    xxxi_largest_rows_place_left          from 2 columns on
    xxxi_scan_offsets_int_sums            of sums past 2^31
    xxxi_scan_offsets_own_carry           from 33 columns on

Two are wrong by reasoning, where blocks or streams run at once:

    xxxi_cols_pitched_plain_add           from 2 rows on
    xxxi_cols_pitched_memset_elsewhere    on a stream of the caller's own
"""

# ruff: noqa: E501 (a line of a kernel stands in one line)
from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong

# A student's first transpose: one thread an element.
TURN = """\
__global__ void transpose(const float* A, float* At, int64_t rows, int64_t cols) {
  int64_t col = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  int64_t row = (int64_t)blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows && col < cols) {
    At[col * rows + row] = A[row * cols + col];
  }
}

extern "C" void launch(const float* A /* [rows, cols] */, float* At /* [cols, rows] */, int64_t rows, int64_t cols, cudaStream_t stream = 0) {
  dim3 block(16, 8);
  dim3 grid((cols + block.x - 1) / block.x, (rows + block.y - 1) / block.y);
  transpose<<<grid, block, 0, stream>>>(A, At, rows, cols);
}
"""

# A junior's transposes of a batch: a tile for each, some matrices a block.
BATCH = """\
template <typename T, int S>
__global__ void batch_transpose(T* __restrict__ dst, const T* __restrict__ src, int64_t B, int64_t R, int64_t C) {
    __shared__ T tile[S][S + 2];
    const int64_t r0 = int64_t(blockIdx.y) * S;
    const int64_t c0 = int64_t(blockIdx.x) * S;
    for (int64_t b = blockIdx.z; b < B; b += gridDim.z) {
        const T* s = src + b * R * C;
        T* d = dst + b * R * C;
        if (r0 + threadIdx.y < R && c0 + threadIdx.x < C) {
            tile[threadIdx.y][threadIdx.x] = s[(r0 + threadIdx.y) * C + c0 + threadIdx.x];
        }
        __syncthreads();  // tile is full
        if (c0 + threadIdx.y < C && r0 + threadIdx.x < R)
            d[(c0 + threadIdx.y) * R + r0 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
        __syncthreads();  // tile is free
    }
}

extern "C" void launch(__half* dst /* [B, C, R] */, const __half* src /* [B, R, C] */, int64_t B, int64_t R, int64_t C, cudaStream_t stream = 0) {
    constexpr int S = 16;
    const dim3 grid(unsigned((C + S - 1) / S), unsigned((R + S - 1) / S), unsigned(B < 3 ? B : 3));
    batch_transpose<__half, S><<<grid, dim3(S, S), 0, stream>>>(dst, src, B, R, C);
}
"""

# A student's tiled product, after the text book.
TILED = """\
#define TILE 16

__global__ void matmulShared(const float *A, const float *B, float *C, int64_t m, int64_t n, int64_t p)
{
    __shared__ float sA[TILE][TILE];
    __shared__ float sB[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int64_t row = (int64_t)blockIdx.y * TILE + ty;
    int64_t col = (int64_t)blockIdx.x * TILE + tx;
    float value = 0;

    for (int64_t t = 0; t < (n + TILE - 1) / TILE; ++t)
    {
        if (row < m && t * TILE + tx < n)
            sA[ty][tx] = A[row * n + t * TILE + tx];
        else
            sA[ty][tx] = 0;
        if (col < p && t * TILE + ty < n)
            sB[ty][tx] = B[(t * TILE + ty) * p + col];
        else
            sB[ty][tx] = 0;
        __syncthreads();  // loaded

        for (int k = 0; k < TILE; ++k)
            value += sA[ty][k] * sB[k][tx];
        __syncthreads();  // used
    }

    if (row < m && col < p)
        C[row * p + col] = value;
}

extern "C" void launch(const float *A /* [m, n] */, const float *B /* [n, p] */, float *C /* [m, p] */, int64_t m, int64_t n, int64_t p, cudaStream_t stream = 0)
{
    dim3 threads(TILE, TILE);
    dim3 blocks((p + TILE - 1) / TILE, (m + TILE - 1) / TILE);
    matmulShared<<<blocks, threads, 0, stream>>>(A, B, C, m, n, p);
}
"""

# A junior's linear layer with a ReLU behind it, weights as PyTorch keeps them.
LINEAR = """\
__global__ void linear_relu(const __half* __restrict__ x, const __half* __restrict__ w, const __half* __restrict__ bias, __half* __restrict__ y, int64_t tokens, int64_t n_in, int64_t n_out) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t o = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; o < tokens * n_out; o += step) {
    const int64_t t = o / n_out, f = o % n_out;
    float acc = __half2float(bias[f]);
    for (int64_t i = 0; i < n_in; ++i) acc += __half2float(x[t * n_in + i]) * __half2float(w[f * n_in + i]);
    acc = acc < 0.0f ? 0.0f : acc;  // NaN stays
    y[o] = __float2half_rn(acc);
  }
}

extern "C" void launch(const __half* x /* [tokens, n_in] */, const __half* w /* [n_out, n_in] */, const __half* bias /* [n_out] */, __half* y /* [tokens, n_out] */, int64_t tokens, int64_t n_in, int64_t n_out, cudaStream_t stream = 0) {
  linear_relu<<<6, 64, 0, stream>>>(x, w, bias, y, tokens, n_in, n_out);
}
"""

# A student's matrix times vector: a block a row, a tree of growing steps.
TREE = """\
#define THREADS 128

__global__ void matvec(float *y, const float *A, const float *x, int64_t N)
{
    __shared__ float partial[THREADS];
    unsigned int tid = threadIdx.x;
    int64_t row = blockIdx.x;

    float acc = 0.0f;
    for (int64_t k = tid; k < N; k += blockDim.x)
        acc += A[row * N + k] * x[k];
    partial[tid] = acc;

    for (unsigned int s = 1; s < blockDim.x; s *= 2) {
        __syncthreads();
        if (tid % (2 * s) == 0)
            partial[tid] += partial[tid + s];
    }

    if (tid == 0)
        y[row] = partial[0];
}

extern "C" void launch(float *y /* [M] */, const float *A /* [M, N] */, const float *x /* [N] */, int64_t M, int64_t N, cudaStream_t stream = 0)
{
    matvec<<<M, THREADS, 0, stream>>>(y, A, x, N);
}
"""

# A junior's quantised matrix times vector: a warp a row, four bytes at once, a scale a row.
QUANT = """\
constexpr int kWarps = 4;

__global__ void dequant_matvec(const int8_t* __restrict__ W, const float* __restrict__ scale, const __half* __restrict__ x, __half* __restrict__ y, int64_t rows, int64_t cols) {
  const int lane = threadIdx.x & 31;
  const int64_t r = int64_t(blockIdx.x) * kWarps + (threadIdx.x >> 5);
  if (r >= rows) return;
  const int8_t* w = W + r * cols;
  const bool packed = cols % 4 == 0 && reinterpret_cast<uintptr_t>(W) % 4 == 0;
  const int64_t vec = packed ? cols / 4 : 0;
  float s = 0.f;
  for (int64_t i = lane; i < vec; i += 32) {
    const char4 q = reinterpret_cast<const char4*>(w)[i];
    s += q.x * __half2float(x[4 * i]) + q.y * __half2float(x[4 * i + 1]) + q.z * __half2float(x[4 * i + 2]) + q.w * __half2float(x[4 * i + 3]);
  }
  for (int64_t i = vec * 4 + lane; i < cols; i += 32) s += w[i] * __half2float(x[i]);
#pragma unroll
  for (int d = 16; d > 0; d >>= 1) s += __shfl_xor_sync(0xffffffffu, s, d);
  if (lane == 0) y[r] = __float2half(scale[r] * s);
}

extern "C" void launch(const int8_t* W /* [rows, cols] */, const float* scale /* [rows] */, const __half* x /* [cols] */, __half* y /* [rows] */, int64_t rows, int64_t cols, cudaStream_t stream = 0) {
  const unsigned blocks = unsigned((rows + kWarps - 1) / kWarps);
  dequant_matvec<<<blocks, kWarps * 32, 0, stream>>>(W, scale, x, y, rows, cols);
}
"""

# A student's log-softmax: a warp a row.
LOGS = """\
#define FULL 0xffffffff

__global__ void log_softmax_warp(const float* logits, float* out, int64_t n_rows, int64_t n_cols) {
    int64_t row = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (row >= n_rows) return;
    const float* in = logits + row * n_cols;

    float mx = -INFINITY;
    for (int64_t j = lane; j < n_cols; j += 32) mx = fmaxf(mx, in[j]);
    for (int o = 16; o > 0; o /= 2) mx = fmaxf(mx, __shfl_down_sync(FULL, mx, o));
    mx = __shfl_sync(FULL, mx, 0);

    float se = 0.0f;
    for (int64_t j = lane; j < n_cols; j += 32) se += expf(in[j] - mx);
    for (int o = 16; o > 0; o /= 2) se += __shfl_down_sync(FULL, se, o);
    se = __shfl_sync(FULL, se, 0);

    for (int64_t j = lane; j < n_cols; j += 32)
        out[row * n_cols + j] = in[j] - mx - logf(se);
}

extern "C" void launch(const float* logits /* [n_rows, n_cols] */, float* out /* [n_rows, n_cols] */, int64_t n_rows, int64_t n_cols, cudaStream_t stream = 0) {
    int block = 96;
    log_softmax_warp<<<(n_rows * 32 + block - 1) / block, block, 0, stream>>>(logits, out, n_rows, n_cols);
}
"""

# A junior's causal softmax: a query sees itself and those before it, the rest gets zero.
CAUSAL = """\
template <int WARPS>
__global__ void causal_softmax(float* __restrict__ attn, const float* __restrict__ scores, float scale, int64_t T)
{
    __shared__ float part[WARPS];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int64_t row = blockIdx.x;  // head * T + query
    const int64_t visible = row % T + 1;
    const float* s = scores + row * T;
    float* a = attn + row * T;

    float m = -INFINITY;
    for (int64_t j = threadIdx.x; j < visible; j += blockDim.x) m = fmaxf(m, s[j] * scale);
    for (int d = 16; d; d /= 2) m = fmaxf(m, __shfl_xor_sync(~0u, m, d));
    if (lane == 0) part[warp] = m;
    __syncthreads();  // maxima are there
    m = part[0];
    for (int w = 1; w < WARPS; ++w) m = fmaxf(m, part[w]);
    __syncthreads();  // maxima are read

    float sum = 0.f;
    for (int64_t j = threadIdx.x; j < visible; j += blockDim.x) sum += expf(s[j] * scale - m);
    for (int d = 16; d; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
    if (lane == 0) part[warp] = sum;
    __syncthreads();  // sums are there
    sum = 0.f;
    for (int w = 0; w < WARPS; ++w) sum += part[w];

    for (int64_t j = threadIdx.x; j < T; j += blockDim.x)
        a[j] = j < visible ? expf(s[j] * scale - m) / sum : 0.f;
}

extern "C" void launch(float* attn /* [heads, T, T] */, const float* scores /* [heads, T, T] */, float scale, int64_t heads, int64_t T, cudaStream_t stream = 0)
{
    causal_softmax<3><<<unsigned(heads * T), 96, 0, stream>>>(attn, scores, scale, T);
}
"""

# A junior's cross entropy: a thread a row, rows of the ignored class cost nothing.
ENTROPY = """\
__global__ void cross_entropy_rows(const float* logits, const int64_t* target, float* loss, int64_t n, int64_t classes, int64_t ignore_index)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int64_t t = target[i];
    if (t == ignore_index) {
        loss[i] = 0.f;
        return;
    }
    const float* z = logits + i * classes;
    float top = z[0];
    for (int64_t k = 1; k < classes; ++k) top = fmaxf(top, z[k]);
    float sum = 0.f;
    for (int64_t k = 0; k < classes; ++k) sum += expf(z[k] - top);
    loss[i] = logf(sum) + (top - z[t]);
}

extern "C" void launch(const float* logits /* [n, classes] */, const int64_t* target /* [n] */, float* loss /* [n] */, int64_t n, int64_t classes, int64_t ignore_index = -100, cudaStream_t stream = 0)
{
    cross_entropy_rows<<<(unsigned)((n + 31) / 32), 32, 0, stream>>>(logits, target, loss, n, classes, ignore_index);
}
"""

# A student's layer norm: a warp a row.
LAYER = """\
__global__ void layernorm_warp(const float* inp, const float* weight, const float* bias, float* out, int64_t N, int64_t C) {
    int64_t row = (int64_t)blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= N) return;
    inp += row * C;
    out += row * C;

    float total = 0.0f;
    for (int64_t c = threadIdx.x; c < C; c += 32) total += inp[c];
    for (int k = 1; k < 32; k <<= 1) total += __shfl_xor_sync(0xffffffff, total, k);
    float mean = total / C;

    float dev = 0.0f;
    for (int64_t c = threadIdx.x; c < C; c += 32) {
        float d = inp[c] - mean;
        dev += d * d;
    }
    for (int k = 16; k >= 1; k >>= 1) dev += __shfl_xor_sync(0xffffffff, dev, k);
    float rstd = 1.0f / sqrtf(dev / C + 1e-5f);

    for (int64_t c = threadIdx.x; c < C; c += 32)
        out[c] = (inp[c] - mean) * rstd * weight[c] + bias[c];
}

extern "C" void launch(const float* inp /* [N, C] */, const float* weight /* [C] */, const float* bias /* [C] */, float* out /* [N, C] */, int64_t N, int64_t C, cudaStream_t stream = 0) {
    dim3 threads(32, 4);
    layernorm_warp<<<(N + 3) / 4, threads, 0, stream>>>(inp, weight, bias, out, N, C);
}
"""

# A junior's RMS norm: pairs of halves where they are aligned, one by one elsewhere.
RMS = """\
__global__ void rms_norm_h2(__half* __restrict__ y, const __half* __restrict__ x, const __half* __restrict__ g, int64_t d, float eps, bool paired) {
  __shared__ float total;
  const int64_t off = blockIdx.x * d;
  const int64_t pairs = paired ? d / 2 : 0;
  const half2* x2 = reinterpret_cast<const half2*>(x + off);
  const half2* g2 = reinterpret_cast<const half2*>(g);
  half2* y2 = reinterpret_cast<half2*>(y + off);

  if (threadIdx.x == 0) total = 0.f;
  __syncthreads();
  float ss = 0.f;
  for (int64_t p = threadIdx.x; p < pairs; p += blockDim.x) {
    const float2 f = __half22float2(x2[p]);
    ss += f.x * f.x + f.y * f.y;
  }
  for (int64_t i = 2 * pairs + threadIdx.x; i < d; i += blockDim.x) {
    const float f = __half2float(x[off + i]);
    ss += f * f;
  }
  atomicAdd(&total, ss);
  __syncthreads();
  const float inv = rsqrtf(total / d + eps);

  for (int64_t p = threadIdx.x; p < pairs; p += blockDim.x) {
    const float2 f = __half22float2(x2[p]), w = __half22float2(g2[p]);
    y2[p] = __floats2half2_rn(f.x * inv * w.x, f.y * inv * w.y);
  }
  for (int64_t i = 2 * pairs + threadIdx.x; i < d; i += blockDim.x)
    y[off + i] = __float2half(__half2float(x[off + i]) * inv * __half2float(g[i]));
}

extern "C" void launch(__half* y /* [n, d] */, const __half* x /* [n, d] */, const __half* g /* [d] */, int64_t n, int64_t d, float eps = 1e-6f, cudaStream_t stream = 0) {
  const uintptr_t bits = reinterpret_cast<uintptr_t>(x) | reinterpret_cast<uintptr_t>(g) | reinterpret_cast<uintptr_t>(y);
  const bool paired = d % 2 == 0 && bits % 4 == 0;
  rms_norm_h2<<<unsigned(n), 64, 0, stream>>>(y, x, g, d, eps, paired);
}
"""

# A junior's group norm: a block a sample's group, whose elements lie side by side.
GROUP = """\
__global__ void group_norm(const float* x, const float* gamma, const float* beta, float* y, int64_t C, int64_t L, int64_t groups, float eps)
{
    constexpr int BLOCK = 64;
    __shared__ double s_sum[BLOCK], s_sq[BLOCK];
    const int64_t cpg = C / groups;
    const int64_t count = cpg * L;
    const int64_t g = blockIdx.x % groups;
    const int64_t start = blockIdx.x * count;
    const int t = threadIdx.x;

    double sum = 0, sq = 0;
    for (int64_t i = t; i < count; i += BLOCK) {
        const double v = x[start + i];
        sum += v;
        sq += v * v;
    }
    s_sum[t] = sum;
    s_sq[t] = sq;
    __syncthreads();
    for (int h = BLOCK / 2; h > 0; h /= 2) {
        if (t < h) {
            s_sum[t] += s_sum[t + h];
            s_sq[t] += s_sq[t + h];
        }
        __syncthreads();
    }
    const double mean = s_sum[0] / count;
    const double var = fmax(s_sq[0] / count - mean * mean, 0.0);
    const double inv = 1.0 / sqrt(var + eps);

    for (int64_t i = t; i < count; i += BLOCK) {
        const int64_t c = g * cpg + i / L;
        y[start + i] = (float)((x[start + i] - mean) * inv * gamma[c] + beta[c]);
    }
}

extern "C" void launch(const float* x /* [N, C, L] */, const float* gamma /* [C] */, const float* beta /* [C] */, float* y /* [N, C, L] */, int groups, int64_t N, int64_t C, int64_t L, float eps = 1e-5f, cudaStream_t stream = 0)
{
    group_norm<<<(unsigned)(N * groups), 64, 0, stream>>>(x, gamma, beta, y, C, L, groups, eps);
}
"""

# A junior's sums of columns: rows may be longer than what is summed of them.
PITCHED = """\
__global__ void col_sum(const float* __restrict__ data, float* __restrict__ sums, int64_t rows, int64_t cols, int64_t pitch) {
  const int64_t c = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (c >= cols) return;
  float s = 0.0f;
  for (int64_t r = blockIdx.y; r < rows; r += gridDim.y) s += data[r * pitch + c];
  atomicAdd(&sums[c], s);
}

extern "C" void launch(const float* data /* [rows, pitch] */, float* sums /* [cols] */, int64_t rows, int64_t cols, int64_t pitch, cudaStream_t stream = 0) {
  cudaMemsetAsync(sums, 0, cols * sizeof(float), stream);
  const dim3 grid(unsigned((cols + 63) / 64), 8);
  col_sum<<<grid, 64, 0, stream>>>(data, sums, rows, cols, pitch);
}
"""

# A student's places of the largest of rows: the first of equals, NaN is the largest.
ARGMAX = """\
#define NWARPS 4

__device__ bool better(float a, long long i, float b, long long j)
{
    if (isnan(a) != isnan(b)) return isnan(a);
    if (a == b || isnan(a)) return i < j;
    return a > b;
}

__global__ void argmax_rows(const float *x, int64_t *idx, int64_t w)
{
    __shared__ float vals[NWARPS];
    __shared__ long long places[NWARPS];
    const float *p = x + blockIdx.x * w;
    float best = -INFINITY;
    long long at = LLONG_MAX;
    for (long long j = threadIdx.x; j < w; j += blockDim.x)
        if (better(p[j], j, best, at)) { best = p[j]; at = j; }
    for (int d = 16; d > 0; d /= 2) {
        float v = __shfl_down_sync(0xffffffff, best, d);
        long long i = __shfl_down_sync(0xffffffff, at, d);
        if (better(v, i, best, at)) { best = v; at = i; }
    }
    if (threadIdx.x % 32 == 0) {
        vals[threadIdx.x / 32] = best;
        places[threadIdx.x / 32] = at;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int k = 1; k < NWARPS; k++)
            if (better(vals[k], places[k], best, at)) { best = vals[k]; at = places[k]; }
        idx[blockIdx.x] = at;
    }
}

extern "C" void launch(const float *x /* [h, w] */, int64_t *idx /* [h] */, int64_t h, int64_t w, cudaStream_t stream = 0)
{
    argmax_rows<<<h, NWARPS * 32, 0, stream>>>(x, idx, w);
}
"""

# A junior's offsets out of counts: the sum of what stands before, a warp a row.
OFFSETS = """\
__global__ void exclusive_offsets(const int* __restrict__ counts, int64_t* __restrict__ offsets, int64_t rows, int64_t n) {
  constexpr unsigned kAll = 0xffffffffu;
  const int lane = threadIdx.x;
  for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
    long long carry = 0;
    for (int64_t first = 0; first < n; first += 32) {
      const int64_t i = first + lane;
      const int own = i < n ? counts[row * n + i] : 0;
      long long s = own;
      for (int d = 1; d < 32; d <<= 1) {
        const long long below = __shfl_up_sync(kAll, s, d);
        if (lane >= d) s += below;
      }
      if (i < n) offsets[row * n + i] = carry + s - own;
      carry += __shfl_sync(kAll, s, 31);
    }
  }
}

extern "C" void launch(const int* counts /* [rows, n] */, int64_t* offsets /* [rows, n] */, int64_t rows, int64_t n, cudaStream_t stream = 0) {
  exclusive_offsets<<<unsigned(rows < 6 ? rows : 6), 32, 0, stream>>>(counts, offsets, rows, n);
}
"""

FLOAT, HALF, LONG = (torch.float32,), (torch.float16,), (torch.int64,)
INF, NAN = float("inf"), float("nan")
SIDES = ((1, 1), (1, 33), (5, 7), (40, 3), (3, 100), (2, 300), (9, 64), (70, 20))
PRODUCTS = ((1, 1, 1), (5, 3, 8), (16, 16, 16), (33, 40, 18), (20, 7, 50), (32, 64, 16))


def _numbers(*size: int, limit: int = 25) -> torch.Tensor:
    generator = torch.Generator().manual_seed(sum(11 * side for side in size) + limit)
    return torch.randint(-limit, limit + 1, size, generator=generator).float()


def _case(words: str, inputs: tuple, right, dtypes: tuple, scalars=None, **options) -> Case:
    sizes = ", ".join(" x ".join(map(str, tensor.shape)) for tensor in inputs)
    right = right if isinstance(right, tuple) else (right,)
    label = f"{sizes} {words} {scalars or ''}".strip()
    return Case(label, inputs, right, *([scalars] if scalars else []), dtypes=dtypes, **options)


def turn(launcher: Launcher) -> Iterator[Case]:
    """Turn floats: whole blocks and not."""
    for size in ((1, 1), (16, 16), (8, 48), (40, 100), (100, 40), (1, 70), (70, 1), (17, 31)):
        x = _numbers(*size, limit=9000) / 8
        yield _case("", (x,), x.T.contiguous(), FLOAT)


def batch(launcher: Launcher) -> Iterator[Case]:
    """Turn one and many matrices of halves."""
    for size in ((1, 1, 1), (2, 16, 16), (3, 5, 20), (8, 33, 17), (5, 40, 3), (7, 1, 50)):
        x = (_numbers(*size, limit=900) / 8).half()
        yield _case("", (x,), x.transpose(1, 2).contiguous(), HALF)


def products(launcher: Launcher) -> Iterator[Case]:
    """Multiply floats."""
    for m, n, p in PRODUCTS:
        a, b = _numbers(m, n), _numbers(n, p) / 4
        yield _case("", (a, b), a.double() @ b.double(), FLOAT)


def linear(launcher: Launcher) -> Iterator[Case]:
    """Multiply halves, add a bias, cut at 0: sums are exact, some numbers are NaN."""
    for m, k, n in PRODUCTS:
        x, w, bias = _numbers(m, k, limit=900) / 256, _numbers(n, k) / 16, _numbers(n) / 4
        for words in ("", "NaN"):
            if words:
                x[m // 2, k // 2] = NAN
            right = (x.double() @ w.double().T + bias.double()).relu()
            yield _case(words, (x.half(), w.half(), bias.half()), right, HALF)


def vectors(launcher: Launcher) -> Iterator[Case]:
    """Multiply matrices by vectors."""
    for m, n in SIDES:
        a, x = _numbers(m, n), _numbers(n, limit=9) / 4
        yield _case("", (a, x), a.double() @ x.double(), FLOAT)


def quantised(launcher: Launcher) -> Iterator[Case]:
    """Multiply bytes with scales by halves."""
    for m, n in SIDES:
        q = _numbers(m, n, limit=127).to(torch.int8)
        scale, x = (_numbers(m).abs() + 1) / 512, (_numbers(n) / 16).half()
        right = scale.double() * (q.double() @ x.double())
        slack = 2.0**-18 * scale.double() * (q.abs().double() @ x.abs().double())
        yield _case("", (q, scale, x), right, HALF, ulp=1, within=(slack,))


def logs(launcher: Launcher) -> Iterator[Case]:
    """Take log-softmax of usual, wide and distant rows."""
    for m, n in SIDES:
        near = _numbers(m, n) / 8
        kinds = {"": near, "wide": near * 50, "300 less": near - 300, "300 more": near + 300}
        for words, x in kinds.items():
            right = torch.log_softmax(x.double(), dim=1)
            slack = 2.0**-20 * (right.abs() + x.abs().amax(dim=1, keepdim=True) + 1)
            yield _case(words, (x,), right, FLOAT, ulp=2, within=(slack,))


def causal(launcher: Launcher) -> Iterator[Case]:
    """Take causal softmax of one and of many heads, by several scales."""
    for count, side in ((1, 1), (1, 40), (3, 7), (4, 33), (2, 130)):
        for words, shift in (("", 0), ("300 less", -300), ("300 more", 300)):
            for scale in (1.0, 0.125):
                x = _numbers(count, side, side) / 8 + shift
                seen = torch.ones(side, side).tril().bool()
                z = torch.where(seen, x.double() * scale, -INF)
                right = torch.softmax(z, dim=2)
                options = {"ulp": 2, "within": (2.0**-17 * right,)}
                yield _case(words, (x,), right, FLOAT, {"scale": scale}, **options)


def entropy(launcher: Launcher) -> Iterator[Case]:
    """Take cross entropy of usual and of distant rows, some of them ignored."""
    for m, n in SIDES:
        for words, shift in (("", 0), ("300 less", -300), ("300 more", 300)):
            for ignored in (-100, -1):
                x = _numbers(m, n) / 8 + shift
                target = _numbers(m, limit=400).abs().long() % n
                target[m // 3 :: 4] = ignored
                right = torch.nn.functional.cross_entropy(
                    x.double(), target, ignore_index=ignored, reduction="none"
                )
                options = {"ulp": 2, "within": (2.0**-18 * (right.abs() + 1),)}
                inputs, scalars = (x, target), {"ignore_index": ignored}
                yield _case(words, inputs, right, FLOAT, scalars, **options)


def layer(launcher: Launcher) -> Iterator[Case]:
    """Norm usual, distant, small and equal rows."""
    for m, n in SIDES:
        for scale, shift in ((1.0, 0.0), (1.0, 1000.0), (2.0**-10, 0.0), (0.0, 3.0)):
            x, w, b = _numbers(m, n) * scale + shift, _numbers(n, limit=3) + 4, _numbers(n)
            away = x.double() - x.double().mean(dim=1, keepdim=True)
            inverse = 1 / torch.sqrt(away.square().mean(dim=1, keepdim=True) + 1e-5)
            right = away * inverse * w.double() + b.double()
            largest = x.double().abs().amax(dim=1, keepdim=True)
            slack = 2.0**-19 * (largest * inverse * w + 30)
            words = f"about {shift}, times {scale}"
            yield _case(words, (x, w, b), right, FLOAT, ulp=2, within=(slack,))


def rms(launcher: Launcher) -> Iterator[Case]:
    """Norm halves: zeros, small, usual and large ones."""
    for m, n in SIDES:
        for scale in (0.0, 2.0**-9, 1.0, 100.0):
            x, g = (_numbers(m, n) * scale).half(), (_numbers(n, limit=90) / 64).half()
            square = x.double().square().mean(dim=1, keepdim=True)
            right = x.double() / torch.sqrt(square + 2.0**-12) * g.double()
            options = {"ulp": 1, "within": (2.0**-17 * right.abs(),)}
            yield _case(f"times {scale}", (x, g), right, HALF, {"eps": 2.0**-12}, **options)


def grouped(launcher: Launcher) -> Iterator[Case]:
    """Norm groups of channels."""
    for n, c, side, count in (
        (1, 1, 1, 1),
        (2, 6, 5, 3),
        (3, 8, 20, 2),
        (2, 12, 30, 1),
        (1, 5, 9, 5),
    ):
        for scale, shift in ((1.0, 0.0), (1.0, 2000.0), (2.0**-6, 0.0)):
            x = _numbers(n, c, side) * scale + shift
            w, b = _numbers(c, limit=3) + 4, _numbers(c)
            rows = x.double().reshape(n, count, -1)
            away = rows - rows.mean(dim=2, keepdim=True)
            inverse = 1 / torch.sqrt(away.square().mean(dim=2, keepdim=True) + 2.0**-10)
            right = (away * inverse).reshape(n, c, side) * w.double()[:, None]
            right = right + b.double()[:, None]
            scalars = {"groups": count, "eps": 2.0**-10}
            options = {"ulp": 2, "within": (2.0**-18 * (right.abs() + 30),)}
            words = f"about {shift}, times {scale}"
            yield _case(words, (x, w, b), right, FLOAT, scalars, **options)


def pitched(launcher: Launcher) -> Iterator[Case]:
    """Sum columns of rows that are as long as what is summed, and longer."""
    for m, n in (*SIDES, (130, 90)):
        for more in (0, 5):
            x = _numbers(m, n + more)
            yield _case("", (x,), x.double().sum(dim=0)[:n], FLOAT)


def argmax(launcher: Launcher) -> Iterator[Case]:
    """Find the first largest of rows: mixed, negative, equal, infinite and NaN."""
    for m, n in SIDES:
        x = _numbers(m, n, limit=300) / 8
        kinds = {
            "": x,
            "negative": x - 50,
            "equal": x.clamp(max=-9),
            "infinite": x.clone().fill_(-INF),
            "NaN": x.clone(),
        }
        kinds["NaN"][::2, n // 2 :: 3] = NAN
        for words, rows in kinds.items():
            top = rows.amax(dim=1, keepdim=True)
            largest = (rows == top) | rows.isnan()
            place = torch.where(largest, torch.arange(n).expand(m, n), n).amin(dim=1)
            yield _case(words, (rows,), place, LONG)


def offsets(launcher: Launcher) -> Iterator[Case]:
    """Take offsets of small and of large counts."""
    for m, n in SIDES:
        for words, limit in (("", 30), ("large", 2**30)):
            x = _numbers(m, n, limit=limit).abs().int()
            yield _case(words, (x,), x.long().cumsum(dim=1) - x, LONG)


BASES = {
    "xxxi_turn_plain": Base(HEADER + TURN, {"cases": turn}),
    "xxxi_turn_batch": Base(HEADER + BATCH, {"cases": batch}),
    "xxxi_mm_tiled": Base(HEADER + TILED, {"cases": products}),
    "xxxi_mm_linear": Base(HEADER + LINEAR, {"cases": linear}),
    "xxxi_mv_tree": Base(HEADER + TREE, {"cases": vectors}),
    "xxxi_mv_quant": Base(HEADER + QUANT, {"cases": quantised}),
    "xxxi_soft_logs": Base(HEADER + LOGS, {"cases": logs}),
    "xxxi_soft_causal": Base(HEADER + CAUSAL, {"cases": causal}),
    "xxxi_soft_entropy": Base(HEADER + ENTROPY, {"cases": entropy}),
    "xxxi_ln_warp": Base(HEADER + LAYER, {"cases": layer}),
    "xxxi_ln_rms": Base(HEADER + RMS, {"cases": rms}),
    "xxxi_ln_group": Base(HEADER + GROUP, {"cases": grouped}),
    "xxxi_cols_pitched": Base(HEADER + PITCHED, {"cases": pitched}),
    "xxxi_largest_rows": Base(HEADER + "#include <climits>\n\n" + ARGMAX, {"cases": argmax}),
    "xxxi_scan_offsets": Base(HEADER + OFFSETS, {"cases": offsets}),
}

WRONG = (
    # ---- one thread an element
    # The output's rows are as long as those of the input.
    Wrong(
        "xxxi_turn_plain_stride_of_input",
        "xxxi_turn_plain",
        "sides / bounds / other element / unwritten / swapped | race / left out / tail",
        ("At[col * rows + row]", "At[col * cols + row]"),
    ),
    # One of both tests is enough.
    Wrong(
        "xxxi_turn_plain_or",
        "xxxi_turn_plain",
        "bounds | race / other element / sides / tail",
        ("row < rows && col < cols", "row < rows || col < cols"),
    ),
    # Rows and columns of blocks the other way round.
    Wrong(
        "xxxi_turn_plain_grid_turned",
        "xxxi_turn_plain",
        "unwritten / grid / swapped / sides | left out / tail",
        ("(cols + block.x - 1) / block.x,", "(rows + block.y - 1) / block.y,"),
        (" (rows + block.y - 1) / block.y)", " (cols + block.x - 1) / block.x)"),
    ),
    # Copied from the line above, and not all changed.
    Wrong(
        "xxxi_turn_plain_row_by_x",
        "xxxi_turn_plain",
        "unwritten / other element / left out | race / sides / neighbour / tail",
        ("blockDim.y + threadIdx.y;", "blockDim.y + threadIdx.x;"),
    ),
    # ---- a batch by tiles
    # The next matrix comes too early.
    Wrong(
        "xxxi_turn_batch_not_awaited",
        "xxxi_turn_batch",
        "race | other element / left out / numbers / state / sides",
        ("        __syncthreads();  // tile is free\n", ""),
    ),
    # The tile's element is not turned.
    Wrong(
        "xxxi_turn_batch_tile_not_turned",
        "xxxi_turn_batch",
        "swapped / other element | sides / unwritten / function / left out / numbers / bounds / neighbour",
        ("= tile[threadIdx.x][threadIdx.y];", "= tile[threadIdx.y][threadIdx.x];"),
    ),
    # All go to the first matrix.
    Wrong(
        "xxxi_turn_batch_into_first",
        "xxxi_turn_batch",
        "unwritten / other element / left out | race / sides",
        ("T* d = dst + b * R * C;", "T* d = dst;"),
    ),
    # The barrier is within the branch.
    Wrong(
        "xxxi_turn_batch_barrier_in_branch",
        "xxxi_turn_batch",
        "race | timeout / tail / other element / numbers / sides",
        (
            "        }\n        __syncthreads();  // tile is full\n",
            "            __syncthreads();  // tile is full\n        }\n",
        ),
    ),
    # ---- the tiled product
    # Nothing stands where the matrices end.
    Wrong(
        "xxxi_mm_tiled_no_zeros",
        "xxxi_mm_tiled",
        "tail / unwritten / bounds / other element | twice / numbers / sides / state / left out / start / function",
        ("        else\n            sA[ty][tx] = 0;\n", ""),
        ("        else\n            sB[ty][tx] = 0;\n", ""),
    ),
    # The sum is begun again for each tile.
    Wrong(
        "xxxi_mm_tiled_sum_reset",
        "xxxi_mm_tiled",
        "left out / start | function / sides / numbers",
        (
            "        __syncthreads();  // loaded\n",
            "        __syncthreads();\n        value = 0;\n",
        ),
    ),
    # Threads past the end go home before they load.
    Wrong(
        "xxxi_mm_tiled_early_return",
        "xxxi_mm_tiled",
        "race / unwritten / left out | tail / sides / numbers / bounds / state / other element",
        (
            "    float value = 0;\n",
            "    if (row >= m || col >= p) return;\n    float value = 0;\n",
        ),
    ),
    # A tile is used before all have loaded it.
    Wrong(
        "xxxi_mm_tiled_not_loaded",
        "xxxi_mm_tiled",
        "race | unwritten / left out / numbers / other element / state / function",
        ("        __syncthreads();  // loaded\n", ""),
    ),
    # Rows of the output are as long as the inner side.
    Wrong(
        "xxxi_mm_tiled_inner_stride",
        "xxxi_mm_tiled",
        "sides / bounds / other element / unwritten | swapped / race / left out",
        ("C[row * p + col]", "C[row * n + col]"),
    ),
    # The number of tiles is rounded down.
    Wrong(
        "xxxi_mm_tiled_tiles_down",
        "xxxi_mm_tiled",
        "left out / tail | sides / numbers / function",
        ("t < (n + TILE - 1) / TILE;", "t < n / TILE;"),
    ),
    # ---- the linear layer
    # The cut drops NaN.
    Wrong(
        "xxxi_mm_linear_fmaxf",
        "xxxi_mm_linear",
        "nan | numbers",
        ("acc = acc < 0.0f ? 0.0f : acc;", "acc = fmaxf(acc, 0.0f);"),
    ),
    # The bias comes after the cut.
    Wrong(
        "xxxi_mm_linear_bias_after",
        "xxxi_mm_linear",
        "function | numbers",
        ("float acc = __half2float(bias[f]);", "float acc = 0.0f;"),
        ("__float2half_rn(acc)", "__float2half_rn(acc + __half2float(bias[f]))"),
    ),
    # The weights are taken as [n_in, n_out].
    Wrong(
        "xxxi_mm_linear_weights_turned",
        "xxxi_mm_linear",
        "swapped / other element / sides | function / numbers",
        ("w[f * n_in + i]", "w[i * n_out + f]"),
    ),
    # Cut off, not rounded.
    Wrong(
        "xxxi_mm_linear_toward_zero",
        "xxxi_mm_linear",
        "rounding / precision | numbers / infinity",
        ("__float2half_rn(acc)", "__float2half_rz(acc)"),
    ),
    # The product is made in half.
    Wrong(
        "xxxi_mm_linear_half_products",
        "xxxi_mm_linear",
        "rounding / precision | numbers / infinity",
        (
            "__half2float(x[t * n_in + i]) * __half2float(w[f * n_in + i]);",
            "__half2float(__hmul(x[t * n_in + i], w[f * n_in + i]));",
        ),
    ),
    # ---- matrix times vector by a tree
    # The last level is forgotten.
    Wrong(
        "xxxi_mv_tree_no_last_level",
        "xxxi_mv_tree",
        "left out | function / sides / numbers / other element",
        ("s < blockDim.x; s *= 2", "s < blockDim.x / 2; s *= 2"),
    ),
    # No barrier at all.
    Wrong(
        "xxxi_mv_tree_no_barrier",
        "xxxi_mv_tree",
        "race | left out / numbers / function / unwritten / state / other element",
        ("        __syncthreads();\n", ""),
    ),
    # No power of two.
    Wrong(
        "xxxi_mv_tree_100_threads",
        "xxxi_mv_tree",
        "block size / bounds / unwritten / left out | numbers / state / function / race / twice / sides / other element",
        ("#define THREADS 128", "#define THREADS 100"),
    ),
    # What was there is kept.
    Wrong(
        "xxxi_mv_tree_added",
        "xxxi_mv_tree",
        "zero before / state | numbers / twice",
        ("y[row] = partial[0];", "y[row] += partial[0];"),
    ),
    # Only a thread's last product.
    Wrong(
        "xxxi_mv_tree_last_only",
        "xxxi_mv_tree",
        "left out | function / sides / numbers",
        ("acc += A[row", "acc = A[row"),
    ),
    # ---- quantised matrix times vector
    # Four bytes without a sign.
    Wrong(
        "xxxi_mv_quant_unsigned",
        "xxxi_mv_quant",
        "whole range / function | numbers / sides / infinity",
        (
            "const char4 q = reinterpret_cast<const char4*>",
            "const uchar4 q = reinterpret_cast<const uchar4*>",
        ),
    ),
    # Rows are taken for aligned.
    Wrong(
        "xxxi_mv_quant_rows_unaligned",
        "xxxi_mv_quant",
        "alignment | sides / bounds",
        ("= cols % 4 == 0 && reinterpret", "= reinterpret"),
    ),
    # One scale for all.
    Wrong(
        "xxxi_mv_quant_first_scale",
        "xxxi_mv_quant",
        "other element / left out | function / numbers / sides",
        ("scale[r] * s", "scale[0] * s"),
    ),
    # The rest begins at the number of packs.
    Wrong(
        "xxxi_mv_quant_rest_from_packs",
        "xxxi_mv_quant",
        "twice | other element / function / numbers / sides / tail",
        ("i = vec * 4 + lane;", "i = vec + lane;"),
    ),
    # No scale.
    Wrong(
        "xxxi_mv_quant_no_scale",
        "xxxi_mv_quant",
        "left out / function | numbers",
        ("__float2half(scale[r] * s)", "__float2half(s)"),
    ),
    # ---- log-softmax
    # The maximum stays with the first lane.
    Wrong(
        "xxxi_soft_logs_not_shared",
        "xxxi_soft_logs",
        "left out / function / other element | numbers / sides / race / infinity",
        ("    mx = __shfl_sync(FULL, mx, 0);\n", ""),
    ),
    # Without the maximum.
    Wrong(
        "xxxi_soft_logs_no_maximum",
        "xxxi_soft_logs",
        "infinity / numbers | function / nan / precision / whole range",
        ("expf(in[j] - mx)", "expf(in[j])"),
        ("in[j] - mx - logf(se)", "in[j] - logf(se)"),
    ),
    # The logarithm of the quotient.
    Wrong(
        "xxxi_soft_logs_of_quotient",
        "xxxi_soft_logs",
        "infinity / precision | numbers / function / subnormal",
        ("= in[j] - mx - logf(se);", "= logf(expf(in[j] - mx) / se);"),
    ),
    # The smallest positive number as a start.
    Wrong(
        "xxxi_soft_logs_flt_min",
        "xxxi_soft_logs",
        "start / infinity / numbers | function / nan",
        ("float mx = -INFINITY;", "float mx = FLT_MIN;"),
    ),
    # Rows as far apart as there are rows.
    Wrong(
        "xxxi_soft_logs_rows_by_rows",
        "xxxi_soft_logs",
        "sides / other element / bounds | function / numbers / swapped / left out",
        ("logits + row * n_cols;", "logits + row * n_rows;"),
    ),
    # ---- causal softmax
    # A query does not see itself.
    Wrong(
        "xxxi_soft_causal_not_itself",
        "xxxi_soft_causal",
        "left out / nan / function | numbers / infinity / sides / neighbour / other element",
        ("row % T + 1;", "row % T;"),
    ),
    # The row of all heads.
    Wrong(
        "xxxi_soft_causal_row_of_all",
        "xxxi_soft_causal",
        "other element / bounds / function | left out / numbers / sides / twice / race",
        ("row % T + 1;", "row + 1;"),
    ),
    # Hidden places are not written.
    Wrong(
        "xxxi_soft_causal_no_zeros",
        "xxxi_soft_causal",
        "unwritten | left out / zero before / sides",
        (
            "    for (int64_t j = threadIdx.x; j < T; j += blockDim.x)",
            "    for (int64_t j = threadIdx.x; j < visible; j += blockDim.x)",
        ),
    ),
    # The scale is only in the maximum and the sum.
    Wrong(
        "xxxi_soft_causal_scale_forgotten",
        "xxxi_soft_causal",
        "function / left out | numbers / infinity / nan",
        ("j < visible ? expf(s[j] * scale - m)", "j < visible ? expf(s[j] - m)"),
    ),
    # Sums overwrite maxima.
    Wrong(
        "xxxi_soft_causal_maxima_overwritten",
        "xxxi_soft_causal",
        "race | left out / numbers / function / other element / nan / infinity",
        ("    __syncthreads();  // maxima are read\n", ""),
    ),
    # ---- cross entropy
    # The first class is in the maximum only.
    Wrong(
        "xxxi_soft_entropy_without_first",
        "xxxi_soft_entropy",
        "left out | function / numbers / infinity / sides",
        ("int64_t k = 0; k < classes;", "int64_t k = 1; k < classes;"),
    ),
    # Ignored rows are not written.
    Wrong(
        "xxxi_soft_entropy_ignored_unwritten",
        "xxxi_soft_entropy",
        "unwritten | left out / zero before / numbers",
        ("        loss[i] = 0.f;\n", ""),
    ),
    # Labels are read as 32 bits.
    Wrong(
        "xxxi_soft_entropy_int_labels",
        "xxxi_soft_entropy",
        "other element / narrow | left out / numbers / function / bounds / sides / neighbour",
        ("t = target[i];", "t = reinterpret_cast<const int*>(target)[i];"),
    ),
    # The maximum is not added again.
    Wrong(
        "xxxi_soft_entropy_maximum_kept_off",
        "xxxi_soft_entropy",
        "function / left out | numbers",
        ("(top - z[t])", "(-z[t])"),
    ),
    # The constant that is usual, not the one given.
    Wrong(
        "xxxi_soft_entropy_fixed_index",
        "xxxi_soft_entropy",
        "bounds / left out / function | numbers / other element",
        ("if (t == ignore_index)", "if (t == -100)"),
    ),
    # ---- layer norm by a warp
    # One less than there are.
    Wrong(
        "xxxi_ln_warp_one_less",
        "xxxi_ln_warp",
        "function | numbers / sides / nan / infinity / precision",
        ("dev / C + 1e-5f", "dev / (C - 1) + 1e-5f"),
    ),
    # Another epsilon.
    Wrong(
        "xxxi_ln_warp_small_epsilon",
        "xxxi_ln_warp",
        "function / precision | numbers",
        ("1e-5f)", "1e-12f)"),
    ),
    # The first step of the second butterfly is missing.
    Wrong(
        "xxxi_ln_warp_from_8",
        "xxxi_ln_warp",
        "left out | function / numbers / sides / other element",
        ("int k = 16; k >= 1;", "int k = 8; k >= 1;"),
    ),
    # No root.
    Wrong(
        "xxxi_ln_warp_no_root",
        "xxxi_ln_warp",
        "function | numbers / left out / infinity / precision",
        ("1.0f / sqrtf(dev / C + 1e-5f)", "1.0f / (dev / C + 1e-5f)"),
    ),
    # The bias is scaled, too.
    Wrong(
        "xxxi_ln_warp_bias_scaled",
        "xxxi_ln_warp",
        "function | numbers",
        ("* rstd * weight[c] + bias[c];", "* rstd + bias[c]) * weight[c];"),
        ("(inp[c] - mean)", "((inp[c] - mean)"),
    ),
    # ---- RMS norm of pairs
    # As many as there are pairs.
    Wrong(
        "xxxi_ln_rms_mean_of_pairs",
        "xxxi_ln_rms",
        "function | numbers / sides / infinity / precision / tail",
        ("total / d + eps", "total / (paired ? pairs : d) + eps"),
    ),
    # Squares in half.
    Wrong(
        "xxxi_ln_rms_half_squares",
        "xxxi_ln_rms",
        "infinity / precision / whole range | numbers / rounding / function / subnormal / sides",
        (
            "    const float2 f = __half22float2(x2[p]);\n",
            "    const float2 f = __half22float2(__hmul2(x2[p], x2[p]));\n",
        ),
        ("ss += f.x * f.x + f.y * f.y;", "ss += f.x + f.y;"),
    ),
    # The second loop for unpaired rows is forgotten.
    Wrong(
        "xxxi_ln_rms_unpaired_forgotten",
        "xxxi_ln_rms",
        "unwritten | tail / alignment / sides / left out",
        (
            "  for (int64_t i = 2 * pairs + threadIdx.x; i < d; i += blockDim.x)\n    y[off + i] = __float2half(__half2float(x[off + i]) * inv * __half2float(g[i]));\n",
            "",
        ),
    ),
    # The sum does not start.
    Wrong(
        "xxxi_ln_rms_total_not_set",
        "xxxi_ln_rms",
        "start / unwritten / state / zero before | race / numbers / function",
        ("  if (threadIdx.x == 0) total = 0.f;\n", ""),
    ),
    # The first weight of a pair, for both.
    Wrong(
        "xxxi_ln_rms_weight_x",
        "xxxi_ln_rms",
        "other element | function / numbers / neighbour / left out / sides",
        ("f.y * inv * w.y", "f.y * inv * w.x"),
    ),
    # ---- group norm
    # The channel in the group, not in the sample.
    Wrong(
        "xxxi_ln_group_channel_in_group",
        "xxxi_ln_group",
        "other element / left out | function / numbers / sides",
        ("c = g * cpg + i / L;", "c = i / L;"),
    ),
    # Sums in float, squares less a square.
    Wrong(
        "xxxi_ln_group_float_sums",
        "xxxi_ln_group",
        "precision | numbers / function / nan / infinity",
        ("double sum = 0, sq = 0;", "float sum = 0, sq = 0;"),
        ("const double v = x[start + i];", "const float v = x[start + i];"),
        ("__shared__ double s_sum", "__shared__ float s_sum"),
    ),
    # Divided by the channels only.
    Wrong(
        "xxxi_ln_group_by_channels",
        "xxxi_ln_group",
        "function | numbers / sides / nan / infinity",
        ("mean = s_sum[0] / count;", "mean = s_sum[0] / cpg;"),
    ),
    # Groups of one sample only.
    Wrong(
        "xxxi_ln_group_first_sample",
        "xxxi_ln_group",
        "unwritten / grid / left out | sides / tail",
        ("(unsigned)(N * groups)", "(unsigned)(groups)"),
    ),
    # ---- sums of columns
    # Rows are taken for dense.
    Wrong(
        "xxxi_cols_pitched_dense",
        "xxxi_cols_pitched",
        "other element / sides | function / numbers / left out / swapped",
        ("data[r * pitch + c]", "data[r * cols + c]"),
    ),
    # So many bytes as numbers.
    Wrong(
        "xxxi_cols_pitched_bytes_set",
        "xxxi_cols_pitched",
        "zero before / state | numbers / twice / sides / start",
        ("cols * sizeof(float), stream", "cols, stream"),
    ),
    # Added without an atomic.
    Wrong(
        "xxxi_cols_pitched_plain_add",
        "xxxi_cols_pitched",
        "race | left out / numbers",
        ("atomicAdd(&sums[c], s);", "sums[c] += s;"),
    ),
    # The memset is on no stream.
    Wrong(
        "xxxi_cols_pitched_memset_elsewhere",
        "xxxi_cols_pitched",
        "stream | race / zero before / state",
        (
            "cudaMemsetAsync(sums, 0, cols * sizeof(float), stream);",
            "cudaMemsetAsync(sums, 0, cols * sizeof(float));",
        ),
    ),
    # Too long a step.
    Wrong(
        "xxxi_cols_pitched_step_of_block",
        "xxxi_cols_pitched",
        "left out | sides / numbers / grid / function",
        ("r += gridDim.y", "r += blockDim.x"),
    ),
    # ---- places of the largest
    # Of equals, the one that comes first to hand.
    Wrong(
        "xxxi_largest_rows_any_of_equals",
        "xxxi_largest_rows",
        "other element / function | numbers / left out / infinity / start / nan / bounds",
        ("    if (a == b || isnan(a)) return i < j;\n", ""),
    ),
    # From zero.
    Wrong(
        "xxxi_largest_rows_from_zero",
        "xxxi_largest_rows",
        "start | numbers / infinity / other element / function / left out / unwritten / bounds",
        ("float best = -INFINITY;", "float best = 0.0f;"),
        ("long long at = LLONG_MAX;", "long long at = 0;"),
    ),
    # Two of four warps.
    Wrong(
        "xxxi_largest_rows_two_warps",
        "xxxi_largest_rows",
        "left out | sides / other element / numbers / function",
        ("k = 1; k < NWARPS; k++", "k = 1; k < NWARPS / 2; k++"),
    ),
    # Places of 32 bits in an array of 64.
    Wrong(
        "xxxi_largest_rows_int_places",
        "xxxi_largest_rows",
        "unwritten / narrow / other element | sides / numbers / left out / whole range / neighbour",
        ("idx[blockIdx.x] = at;", "((int *)idx)[blockIdx.x] = at;"),
    ),
    # The place stays behind.
    Wrong(
        "xxxi_largest_rows_place_left",
        "xxxi_largest_rows",
        "other element / left out / function | numbers / neighbour / sides",
        (
            "if (better(v, i, best, at)) { best = v; at = i; }",
            "if (better(v, i, best, at)) best = v;",
        ),
    ),
    # ---- offsets
    # Sums in 32 bits.
    Wrong(
        "xxxi_scan_offsets_int_sums",
        "xxxi_scan_offsets",
        "whole range / narrow / infinity | numbers / function / sides / left out",
        ("      long long s = own;", "      int s = own;"),
        ("const long long below", "const int below"),
    ),
    # Lanes without one below add their own.
    Wrong(
        "xxxi_scan_offsets_all_lanes",
        "xxxi_scan_offsets",
        "twice | other element / function / numbers / left out / bounds",
        ("if (lane >= d) s += below;", "s += below;"),
    ),
    # With its own.
    Wrong(
        "xxxi_scan_offsets_inclusive",
        "xxxi_scan_offsets",
        "function / neighbour | other element / twice / numbers",
        ("= carry + s - own;", "= carry + s;"),
    ),
    # Each lane carries its own.
    Wrong(
        "xxxi_scan_offsets_own_carry",
        "xxxi_scan_offsets",
        "left out | function / sides / numbers / other element",
        ("carry += __shfl_sync(kAll, s, 31);", "carry += s;"),
    ),
    # Shuffles within the branch.
    Wrong(
        "xxxi_scan_offsets_shuffle_in_branch",
        "xxxi_scan_offsets",
        "race | left out / numbers / other element / tail / timeout / function",
        (
            "        const long long below = __shfl_up_sync(kAll, s, d);\n        if (lane >= d) s += below;\n",
            "        if (lane >= d) s += __shfl_up_sync(kAll, s, d);\n",
        ),
    ),
)

RIGHT = (
    # Rows in x, and small blocks.
    Right(
        "xxxi_turn_plain_rows_in_x",
        "xxxi_turn_plain",
        ("blockIdx.x * blockDim.x + threadIdx.x;", "blockIdx.y * blockDim.y + threadIdx.y;"),
        (
            "row = (int64_t)blockIdx.y * blockDim.y + threadIdx.y;",
            "row = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;",
        ),
        (
            "dim3 grid((cols + block.x - 1) / block.x, (rows + block.y - 1) / block.y);",
            "dim3 grid(rows / block.x + 1, cols / block.y + 1);",
        ),
        ("block(16, 8);", "block(8, 4);"),
    ),
    # A flat tile with a step of its own.
    Right(
        "xxxi_turn_batch_flat_tile",
        "xxxi_turn_batch",
        ("T tile[S][S + 2];", "T tile[S * (S + 1)];"),
        (
            "tile[threadIdx.y][threadIdx.x] = s[",
            "tile[threadIdx.y * (S + 1) + threadIdx.x] = s[",
        ),
        ("= tile[threadIdx.x][threadIdx.y];", "= tile[threadIdx.x * (S + 1) + threadIdx.y];"),
        ("B < 3 ? B : 3", "2"),
    ),
    # The first tile lies turned; tiles of 8.
    Right(
        "xxxi_mm_tiled_turned_tile",
        "xxxi_mm_tiled",
        ("#define TILE 16", "#define TILE 8"),
        ("            sA[ty][tx] = A[", "            sA[tx][ty] = A["),
        ("            sA[ty][tx] = 0;", "            sA[tx][ty] = 0;"),
        ("sA[ty][k] * sB", "sA[k][ty] * sB"),
    ),
    # The bias last, the sum backwards, and a remainder by hand.
    Right(
        "xxxi_mm_linear_bias_last",
        "xxxi_mm_linear",
        ("f = o % n_out;", "f = o - t * n_out;"),
        ("float acc = __half2float(bias[f]);", "float acc = 0.0f;"),
        ("i = 0; i < n_in; ++i", "i = n_in; i-- > 0;"),
        ("    acc = acc < 0.0f", "    acc += __half2float(bias[f]);\n    acc = acc < 0.0f"),
    ),
    # Steps that shrink.
    Right(
        "xxxi_mv_tree_shrinking",
        "xxxi_mv_tree",
        ("s = 1; s < blockDim.x; s *= 2", "s = blockDim.x / 2; s > 0; s /= 2"),
        ("if (tid % (2 * s) == 0)", "if (tid < s)"),
    ),
    # Half of the packs, the rest one by one; two warps, and idle blocks.
    Right(
        "xxxi_mv_quant_half_packed",
        "xxxi_mv_quant",
        ("kWarps = 4;", "kWarps = 2;"),
        ("packed ? cols / 4 : 0;", "packed ? cols / 8 : 0;"),
        ("(rows + kWarps - 1) / kWarps)", "rows)"),
    ),
    # The maximum and the logarithm are taken off at once.
    Right(
        "xxxi_soft_logs_at_once",
        "xxxi_soft_logs",
        ("= in[j] - mx - logf(se);", "= in[j] - (logf(se) + mx);"),
        ("    int block = 96;", "    int block = 32;"),
    ),
    # The output is zero before, by the launcher.
    Right(
        "xxxi_soft_causal_zero_by_memset",
        "xxxi_soft_causal",
        (
            "    for (int64_t j = threadIdx.x; j < T; j += blockDim.x)\n        a[j] = j < visible ? expf(s[j] * scale - m) / sum : 0.f;",
            "    for (int64_t j = threadIdx.x; j < visible; j += blockDim.x)\n        a[j] = expf(s[j] * scale - m) / sum;",
        ),
        (
            "    causal_softmax<3>",
            "    cudaMemsetAsync(attn, 0, heads * T * T * sizeof(float), stream);\n    causal_softmax<3>",
        ),
    ),
    # One pass that keeps a maximum and a sum.
    Right(
        "xxxi_soft_entropy_one_pass",
        "xxxi_soft_entropy",
        (
            "k = 1; k < classes; ++k) top = fmaxf(top, z[k]);\n    float sum = 0.f;\n    for (int64_t k = 0; k < classes; ++k) sum += expf(z[k] - top);",
            "k = 1; k < classes; ++k) {\n        const float higher = fmaxf(top, z[k]);\n        sum = sum * expf(top - higher) + expf(z[k] - higher);\n        top = higher;\n    }",
        ),
        ("    float top = z[0];", "    float top = z[0], sum = 1.f;"),
    ),
    # A warp a block, one of them idle, and the inverse of a root.
    Right(
        "xxxi_ln_warp_single",
        "xxxi_ln_warp",
        ("threads(32, 4);", "threads(32, 1);"),
        ("(N + 3) / 4,", "N + 1,"),
        ("1.0f / sqrtf(dev / C + 1e-5f)", "rsqrtf(fmaf(dev, 1.0f / C, 1e-5f))"),
    ),
    # Never by pairs, and larger blocks.
    Right(
        "xxxi_ln_rms_never_paired",
        "xxxi_ln_rms",
        ("= d % 2 == 0 && bits % 4 == 0;", "= false && bits;"),
        ("unsigned(n), 64,", "unsigned(n), 160,"),
    ),
    # A larger block, and the inverse of a root.
    Right(
        "xxxi_ln_group_other_block",
        "xxxi_ln_group",
        ("BLOCK = 64;", "BLOCK = 128;"),
        ("(N * groups), 64,", "(N * groups), 128,"),
        ("1.0 / sqrt(var + eps)", "rsqrt(var + eps)"),
    ),
    # One row of blocks needs no atomic.
    Right(
        "xxxi_cols_pitched_one_row",
        "xxxi_cols_pitched",
        ("atomicAdd(&sums[c], s);", "sums[c] = s;"),
        ("/ 64), 8);", "/ 64) + 1, 1);"),
    ),
    # Backwards through seven warps' results, steps that grow.
    Right(
        "xxxi_largest_rows_backwards",
        "xxxi_largest_rows",
        ("k = 1; k < NWARPS; k++", "k = NWARPS - 1; k > 0; k--"),
        ("#define NWARPS 4", "#define NWARPS 7"),
        ("d = 16; d > 0; d /= 2", "d = 1; d < 32; d *= 2"),
    ),
    # The sum of the lane below.
    Right(
        "xxxi_scan_offsets_from_below",
        "xxxi_scan_offsets",
        (
            "      if (i < n) offsets",
            "      const long long before = __shfl_up_sync(kAll, s, 1);\n      if (i < n) offsets",
        ),
        ("carry + s - own;", "carry + (lane > 0 ? before : 0);"),
        ("rows < 6 ? rows : 6", "9"),
    ),
)
