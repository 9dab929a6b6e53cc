"""Hold half of a thirty-eighth family: pictures, embeddings, products, windows, rows of losses.

The causes were written before a member was judged. On the emulator each was run on its base's
cases beside PyTorch, with inaccessible pages behind its tensors, then before them: bases and
right ones are right, and all wrong ones but one wrong, or refused or ended by a fault, some
only so:

    xxxviii_a_pictures_integer_division  of bytes other than 0 and 255
    xxxviii_a_pictures_256               of bytes other than 0
    xxxviii_a_pictures_bgr               from 2 channels on
    xxxviii_a_pictures_sides             if both height and width are above 1
    xxxviii_a_pictures_arguments         if means and deviations differ
    xxxviii_a_pictures_no_block          of fewer than 256 elements
    xxxviii_a_embed_any_address          if rows are whole packs, and an address is not aligned
    xxxviii_a_embed_any_side             if rows are no whole packs, and all is aligned
    xxxviii_a_embed_padding_skipped      if there is padding
    xxxviii_a_embed_int_ids              from 2 tokens on, if they are not all the first
    xxxviii_a_embed_short_id             of identifiers from 32,768 on
    xxxviii_a_embed_no_loop              from 49 tokens on
    xxxviii_a_linear_bias_of_row         from 2 rows or columns on
    xxxviii_a_linear_bias_again          from 17 inside on
    xxxviii_a_linear_fmax                of NaN
    xxxviii_a_linear_relu_first          of negative products, and of sums below 0
    xxxviii_a_linear_half_a_tile         from 17 rows on
    xxxviii_a_dgemv_zero_beta            if beta is 0 and y0 infinite or NaN
    xxxviii_a_dgemv_single               of sums past 24 bits
    xxxviii_a_dgemv_alpha_of_all         if alpha is not 1 and beta not 0
    xxxviii_a_dgemv_128                  of blocks of fewer than 128, if more rows than one has
    xxxviii_a_causal_turned              if the taps from behind are others
    xxxviii_a_causal_zero_halo           from 97 elements a line on
    xxxviii_a_causal_channel             from 2 batches on
    xxxviii_a_causal_grid_y              from 65,536 lines on
    xxxviii_a_sharpen_wraps              of results below 0 or past 255
    xxxviii_a_sharpen_below_zero         of results below 0
    xxxviii_a_sharpen_down               if height and width differ
    xxxviii_a_sharpen_byte_sum           of sums past 255
    xxxviii_a_sharpen_static_grid        if a later picture needs more blocks than the first
    xxxviii_a_pool_from_zero             of windows without a number above 0
    xxxviii_a_pool_no_nan                of NaN
    xxxviii_a_pool_end                   if a window goes past its plane
    xxxviii_a_pool_end_of_clipped        if there is padding
    xxxviii_a_pool_stride                if kernel and stride differ, from 2 windows on
    xxxviii_a_rope_sign                  of angles other than 0
    xxxviii_a_rope_neighbours            from 4 turned elements a head on
    xxxviii_a_rope_no_positions          if the positions are not 0, 1, 2, ...
    xxxviii_a_rope_rest                  if there is a rest
    xxxviii_a_rope_angle_of_zero         of infinities, NaN and -0.0
    xxxviii_a_rope_in_half               of products that no half has
    xxxviii_a_xent_from_zero             of rows far below 0
    xxxviii_a_xent_not_ignored           if a target is ignored
    xxxviii_a_xent_gradient_stays        if a target is ignored
    xxxviii_a_xent_from_one              if a target is not ignored
    xxxviii_a_xent_accumulated           if a target is not ignored
    xxxviii_a_xent_endless               if a target is not ignored
    xxxviii_a_quant_no_magnitude         if a row's largest magnitude is a negative number's
    xxxviii_a_quant_truncated            of numbers between two steps
    xxxviii_a_quant_half_up              of numbers halfway between two steps
    xxxviii_a_quant_128                  of rows that are not 0 throughout
    xxxviii_a_quant_least                of rows without a magnitude past 0.00001
    xxxviii_a_quant_subnormal            of rows of subnormal numbers
    xxxviii_a_quant_levels               from 2 columns on
    xxxviii_a_attend_upper_left          if there are more queries than keys, or fewer
    xxxviii_a_attend_own_key             of queries whose own key weighs something
    xxxviii_a_attend_down                from 2 keys and 2 columns on
    xxxviii_a_attend_nothing_seen        if there are more queries than keys

One is right on the emulator, and wrong by reasoning:

    xxxviii_a_rope_no_stream             on every stream but the default one

One of the others is wrong in another way on a GPU, where warps run at once:

    xxxviii_a_causal_not_awaited         there only what another warp has loaded may be missing
"""

# ruff: noqa: E501 (a line of a kernel stands in one line)
from __future__ import annotations

import itertools
from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong

# A library author's pictures: bytes with the channels last to normed floats, channels first.
PICTURES = """\
// ToTensor() and Normalize() in one go.
__global__ void hwc_to_chw_kernel(const uint8_t* __restrict__ src, const float* __restrict__ mean, const float* __restrict__ stddev, float* __restrict__ dst, int64_t N, int H, int W, int C)
{
    const int64_t total = N * H * W * C;
    const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
    for (int64_t o = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; o < total; o += step) {
        int64_t rest = o;
        const int w = static_cast<int>(rest % W);
        rest /= W;
        const int h = static_cast<int>(rest % H);
        rest /= H;
        const int c = static_cast<int>(rest % C);
        const int64_t n = rest / C;
        const float v = src[((n * H + h) * W + w) * C + c] / 255.0f;
        dst[o] = (v - mean[c]) / stddev[c];
    }
}

extern "C" void launch(const uint8_t* src /* [N, H, W, C] */, const float* mean /* [C] */, const float* stddev /* [C] */, float* dst /* [N, C, H, W] */, int64_t N, int H, int W, int C, cudaStream_t stream = 0)
{
    const int64_t wanted = (N * H * W * C + 255) / 256;
    const int blocks = static_cast<int>(wanted < 528 ? wanted : 528);
    hwc_to_chw_kernel<<<blocks, 256, 0, stream>>>(src, mean, stddev, dst, N, H, W, C);
}
"""

# A library author's embedding of halves: packs of 8 where sides and addresses allow them.
EMBED = """\
namespace embedding {

constexpr int kPack = 8;  // halves in a uint4
constexpr int64_t kMostBlocks = 48;

inline bool is_aligned(const void* p) { return reinterpret_cast<uintptr_t>(p) % sizeof(uint4) == 0; }

template <typename Unit>
__global__ void forward_kernel(const int64_t* __restrict__ ids, const Unit* __restrict__ table, Unit* __restrict__ out, int64_t tokens, int64_t units, int64_t padding_idx)
{
    for (int64_t token = blockIdx.x; token < tokens; token += gridDim.x) {
        const int64_t id = ids[token];
        Unit* to = out + token * units;
        if (id == padding_idx) {
            for (int64_t u = threadIdx.x; u < units; u += blockDim.x) to[u] = Unit{};
            continue;
        }
        const Unit* from = table + id * units;
        for (int64_t u = threadIdx.x; u < units; u += blockDim.x) to[u] = from[u];
    }
}

}  // namespace embedding

extern "C" void launch(const int64_t* ids,   // [tokens]
                       const __half* table,  // [vocab, dim]
                       __half* out,          // [tokens, dim]
                       int64_t padding_idx, int64_t tokens, int64_t vocab, int64_t dim, cudaStream_t stream = 0)
{
    using namespace embedding;
    const unsigned blocks = static_cast<unsigned>(tokens < kMostBlocks ? tokens : kMostBlocks);
    if (dim % kPack == 0 && is_aligned(table) && is_aligned(out)) {
        forward_kernel<uint4><<<blocks, 64, 0, stream>>>(ids, reinterpret_cast<const uint4*>(table), reinterpret_cast<uint4*>(out), tokens, dim / kPack, padding_idx);
    } else {
        // as 16-bit words
        forward_kernel<uint16_t><<<blocks, 64, 0, stream>>>(ids, reinterpret_cast<const uint16_t*>(table), reinterpret_cast<uint16_t*>(out), tokens, dim, padding_idx);
    }
}
"""

# A book's linear layer of halves with ReLU: tiles in shared memory, two results a thread.
LINEAR = """\
// Y = relu(X W^T + bias), with X of M rows and W of N rows, all of K elements
#define BM 32
#define BN 16
#define BK 16

__global__ void linear_relu(const __half *X, const __half *W, const float *bias, __half *Y, int64_t M, int64_t N, int64_t K)
{
    __shared__ float Xs[BM][BK + 1];
    __shared__ float Ws[BN][BK + 1];
    const int tx = threadIdx.x % 16;
    const int ty = threadIdx.x / 16;
    const int64_t tilesN = (N + BN - 1) / BN;
    const int64_t tiles = (M + BM - 1) / BM * tilesN;

    for (int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const int64_t row0 = tile / tilesN * BM;
        const int64_t col0 = tile % tilesN * BN;
        float acc[2] = {0.0f, 0.0f};

        for (int64_t k0 = 0; k0 < K; k0 += BK) {
            for (int r = ty; r < BM; r += 16)
                Xs[r][tx] = row0 + r < M && k0 + tx < K ? __half2float(X[(row0 + r) * K + k0 + tx]) : 0.0f;
            Ws[ty][tx] = col0 + ty < N && k0 + tx < K ? __half2float(W[(col0 + ty) * K + k0 + tx]) : 0.0f;
            __syncthreads();  // loaded
            for (int k = 0; k < BK; k++) {
                acc[0] += Xs[ty][k] * Ws[tx][k];
                acc[1] += Xs[ty + 16][k] * Ws[tx][k];
            }
            __syncthreads();  // consumed
        }

        const int64_t col = col0 + tx;
        for (int i = 0; i < 2; i++) {
            const int64_t row = row0 + ty + 16 * i;
            if (row < M && col < N) {
                float v = acc[i] + bias[col];
                if (v < 0.0f) v = 0.0f;  // a NaN stays one
                Y[row * N + col] = __float2half(v);
            }
        }
    }
}

extern "C" void launch(const __half *X /* [M, K] */, const __half *W /* [N, K] */, const float *bias /* [N] */, __half *Y /* [M, N] */, int M, int N, int K, cudaStream_t stream = 0)
{
    const int64_t tiles = (((int64_t)M + BM - 1) / BM) * (((int64_t)N + BN - 1) / BN);
    linear_relu<<<(unsigned)(tiles < 65536 ? tiles : 65536), 256, 0, stream>>>(X, W, bias, Y, M, N, K);
}
"""

# A port from Fortran: y = alpha A x + beta y0 of doubles by columns, as DGEMV has it.
DGEMV = """\
/* SUBROUTINE DGEMV ('N', M, N, ALPHA, A, LDA, X, 1, BETA, Y, 1): columns lie one behind the other. */
#define A(i, j) a[((i) - 1) + ((j) - 1) * lda]
#define X(j) x[(j) - 1]
#define Y0(i) y0[(i) - 1]
#define Y(i) y[(i) - 1]

__global__ void dgemv_n(int64_t m, int64_t n, double alpha, const double *a, int64_t lda, const double *x, double beta, const double *y0, double *y)
{
    for (int64_t i = 1 + (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i <= m; i += (int64_t)gridDim.x * blockDim.x) {
        double temp = 0.0;
        for (int64_t j = 1; j <= n; j++)
            temp = temp + A(i, j) * X(j);
        if (beta == 0.0)  /* then Y0 need not be set on input */
            Y(i) = alpha * temp;
        else
            Y(i) = alpha * temp + beta * Y0(i);
    }
}

extern "C" void launch(double alpha, const double *a /* [n, m] */, const double *x /* [n] */, double beta, const double *y0 /* [m] */, double *y /* [m] */, int64_t m, int64_t n, int block_size = 128, cudaStream_t stream = 0)
{
    int64_t nb = (m + block_size - 1) / block_size;
    if (nb > 1024) nb = 1024;
    dgemv_n<<<(int)nb, block_size, 0, stream>>>(m, n, alpha, a, m, x, beta, y0, y);
}
"""

# A junior's causal convolution of each channel with four taps, and the three before in a halo.
CAUSAL = """\
constexpr int TAPS = 4;
constexpr int HALO = TAPS - 1;
constexpr int NT = 96;

__global__ void causal_conv1d(const float* x, const float* weight, const float* bias, float* out, int64_t lines, int64_t channels, int64_t len) {
  __shared__ float s[NT + HALO];
  const int t = threadIdx.x;
  for (int64_t line = blockIdx.y; line < lines; line += gridDim.y) {
    const int64_t c = line % channels;
    const float* in = x + line * len;
    for (int64_t first = int64_t(blockIdx.x) * NT; first < len; first += int64_t(gridDim.x) * NT) {
      const int64_t at = first + t;
      s[t + HALO] = at < len ? in[at] : 0.f;
      if (t < HALO) s[t] = at >= HALO ? in[at - HALO] : 0.f;
      __syncthreads();  // the part and its halo are there
      if (at < len) {
        float sum = bias[c];
        for (int k = 0; k < TAPS; ++k) sum += weight[c * TAPS + k] * s[t + k];
        out[line * len + at] = sum;
      }
      __syncthreads();  // before the next part
    }
  }
}

extern "C" void launch(const float* x /* [batch, channels, len] */, const float* weight /* [channels, 4] */, const float* bias /* [channels] */, float* out /* [batch, channels, len] */, int64_t batch, int64_t channels, int64_t len, cudaStream_t stream = 0) {
  const int64_t lines = batch * channels;
  const int64_t parts = (len + NT - 1) / NT;
  const dim3 grid(unsigned(parts < 4096 ? parts : 4096), unsigned(lines < 65535 ? lines : 65535));
  causal_conv1d<<<grid, NT, 0, stream>>>(x, weight, bias, out, lines, channels, len);
}
"""

# A student's sharpening of a picture of bytes: five points, the border repeated.
SHARPEN = """\
__device__ unsigned char clampToByte(int v)
{
    if (v < 0)
        return 0;
    if (v > 255)
        return 255;
    return (unsigned char)v;
}

__global__ void sharpenFilter(const unsigned char *input, unsigned char *output, int64_t width, int64_t height)
{
    int64_t x = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= width)
        return;
    int64_t left = x > 0 ? x - 1 : 0;
    int64_t right = x < width - 1 ? x + 1 : width - 1;

    for (int64_t y = (int64_t)blockIdx.y * blockDim.y + threadIdx.y; y < height; y += (int64_t)gridDim.y * blockDim.y) {
        int64_t up = y > 0 ? y - 1 : 0;
        int64_t down = y < height - 1 ? y + 1 : height - 1;
        for (int c = 0; c < 3; c++) {
            int centre = input[(y * width + x) * 3 + c];
            int around = input[(y * width + left) * 3 + c] + input[(y * width + right) * 3 + c]
                       + input[(up * width + x) * 3 + c] + input[(down * width + x) * 3 + c];
            int value = 5 * centre - around;
            output[(y * width + x) * 3 + c] = clampToByte(value);
        }
    }
}

extern "C" void launch(const unsigned char *input /* [height, width, 3] */, unsigned char *output /* [height, width, 3] */, int height, int width, cudaStream_t stream = 0)
{
    dim3 block(32, 4);
    unsigned int rows = ((unsigned int)height + block.y - 1) / block.y;
    dim3 grid(((unsigned int)width + block.x - 1) / block.x, rows < 65535 ? rows : 65535);
    sharpenFilter<<<grid, block, 0, stream>>>(input, output, width, height);
}
"""

# A C++ modernist's largest of windows, with the place of it in its plane.
POOL = """\
namespace {

struct Range {
  int64_t begin, end;
};

struct Best {
  float value;
  int64_t place;
};

__device__ constexpr auto clipped(int64_t o, int kernel, int stride, int padding, int64_t size) -> Range {
  const auto begin = o * stride - padding;
  const auto end = begin + kernel;
  return {begin < 0 ? 0 : begin, end > size ? size : end};
}

template <class T, class I>
__global__ void max_pool_2d(const T* __restrict__ x, T* __restrict__ y, I* __restrict__ where, I planes, I h, I w, I oh, I ow, int kernel, int stride, int padding) {
  const auto threads = static_cast<I>(gridDim.x) * blockDim.x;
  for (auto o = static_cast<I>(blockIdx.x) * blockDim.x + threadIdx.x; o < planes * oh * ow; o += threads) {
    const auto plane = o / (oh * ow);
    const auto rows = clipped(o / ow % oh, kernel, stride, padding, h);
    const auto cols = clipped(o % ow, kernel, stride, padding, w);
    const auto* in = x + plane * h * w;
    auto best = Best{-INFINITY, rows.begin * w + cols.begin};
    for (auto r = rows.begin; r < rows.end; ++r) {
      for (auto c = cols.begin; c < cols.end; ++c) {
        const auto v = in[r * w + c];
        if (v > best.value || isnan(v)) best = {v, r * w + c};
      }
    }
    y[o] = best.value;
    where[o] = best.place;
  }
}

}  // namespace

extern "C" void launch(const float* x,  // [planes, h, w]
                       float* y,        // [planes, oh, ow]
                       int64_t* where,  // [planes, oh, ow]
                       int kernel, int stride, int padding, int64_t planes, int64_t h, int64_t w, int64_t oh, int64_t ow, cudaStream_t stream = 0) {
  constexpr int threads = 192;
  const auto blocks = (planes * oh * ow + threads - 1) / threads;
  max_pool_2d<float, int64_t><<<static_cast<unsigned>(blocks < 2048 ? blocks : 2048), threads, 0, stream>>>(x, y, where, planes, h, w, oh, ow, kernel, stride, padding);
}
"""

# A port from PyTorch's Python: rotary embeddings of halves, of the first part of each head.
ROPE = """\
// def apply_rotary(q, cos, sin, pos):           q: (tokens, heads, dim), cos and sin: (longest, half)
//     rot, rest = q[..., : 2 * half], q[..., 2 * half :]
//     return cat(rot * cos[pos] + rotate_half(rot) * sin[pos], rest)
__global__ void apply_rotary(const __half* q, const float* cos_table, const float* sin_table, const int* pos, __half* out, int64_t tokens, int64_t heads, int64_t dim, int64_t half_dim) {
    int64_t numel = tokens * heads * dim;
    for (int64_t idx = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; idx < numel; idx += gridDim.x * (int64_t)blockDim.x) {
        int64_t d = idx % dim;
        if (d >= 2 * half_dim) {  // rest
            out[idx] = q[idx];
            continue;
        }
        int64_t token = idx / (heads * dim);
        int64_t entry = pos[token] * half_dim + d % half_dim;
        float c = cos_table[entry];
        float s = sin_table[entry];
        float here = __half2float(q[idx]);
        float turned = d < half_dim ? -__half2float(q[idx + half_dim]) : __half2float(q[idx - half_dim]);
        out[idx] = __float2half(here * c + turned * s);
    }
}

extern "C" void launch(const __half* q,         // [tokens, heads, dim]
                       const float* cos_table,  // [longest, half_dim]
                       const float* sin_table,  // [longest, half_dim]
                       const int* pos,          // [tokens]
                       __half* out,             // [tokens, heads, dim]
                       int64_t tokens, int64_t heads, int64_t dim, int64_t longest, int64_t half_dim, cudaStream_t stream = 0) {
    int64_t blocks = (tokens * heads * dim + 127) / 128;
    if (blocks > 1056) blocks = 1056;
    apply_rotary<<<(unsigned)blocks, 128, 0, stream>>>(q, cos_table, sin_table, pos, out, tokens, heads, dim, half_dim);
}
"""

# A book's cross entropy with its gradient; rows of a certain target count for nothing.
XENT = """\
enum { T = 128 };

// Returns the sum, or the largest, of the values of all threads of a block to each of them.
template <bool kMax>
__device__ float reduce(float v)
{
    __shared__ float buf[T];
    buf[threadIdx.x] = v;
    __syncthreads();
    for (int s = T / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s) {
            float w = buf[threadIdx.x + s];
            buf[threadIdx.x] = kMax ? fmaxf(buf[threadIdx.x], w) : buf[threadIdx.x] + w;
        }
        __syncthreads();
    }
    v = buf[0];
    __syncthreads();  // buf may be used again
    return v;
}

__global__ void cross_entropy(const float *logits, const int64_t *target, float *loss, float *grad, int64_t rows, int64_t classes, int64_t ignore_index, float scale)
{
    for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
        const float *z = logits + row * classes;
        float *g = grad + row * classes;
        const int64_t t = target[row];

        if (t == ignore_index) {
            if (threadIdx.x == 0) loss[row] = 0.0f;
            for (int64_t c = threadIdx.x; c < classes; c += T) g[c] = 0.0f;
            continue;
        }

        float top = -INFINITY;
        for (int64_t c = threadIdx.x; c < classes; c += T) top = fmaxf(top, z[c]);
        top = reduce<true>(top);

        float sum = 0.0f;
        for (int64_t c = threadIdx.x; c < classes; c += T) sum += expf(z[c] - top);
        sum = reduce<false>(sum);

        if (threadIdx.x == 0) loss[row] = logf(sum) - (z[t] - top);
        for (int64_t c = threadIdx.x; c < classes; c += T) {
            float p = expf(z[c] - top) / sum;
            g[c] = scale * (c == t ? p - 1.0f : p);
        }
    }
}

extern "C" void launch(const float *logits /* [rows, classes] */, const int64_t *target /* [rows] */, float *loss /* [rows] */, float *grad /* [rows, classes] */, float scale, int64_t ignore_index, int64_t rows, int64_t classes, cudaStream_t stream = 0)
{
    cross_entropy<<<(unsigned)(rows < 512 ? rows : 512), T, 0, stream>>>(logits, target, loss, grad, rows, classes, ignore_index, scale);
}
"""

# A junior's 8-bit rows with a scale each, from the largest magnitude of a row: a warp a row.
QUANT = """\
__global__ void quantize_rows_kernel(const float* __restrict__ x, int8_t* __restrict__ q, float* __restrict__ scales, int64_t rows, int64_t cols) {
  const int lane = threadIdx.x & 31;
  const int64_t warps = int64_t(gridDim.x) * (blockDim.x >> 5);
  int64_t row = int64_t(blockIdx.x) * (blockDim.x >> 5) + (threadIdx.x >> 5);
  for (; row < rows; row += warps) {
    float amax = 0.f;
    for (int64_t c = lane; c < cols; c += 32) amax = fmaxf(amax, fabsf(x[row * cols + c]));
    for (int o = 16; o >= 1; o >>= 1) amax = fmaxf(amax, __shfl_xor_sync(0xffffffff, amax, o));
    const double inv = amax == 0.f ? 0.0 : 127.0 / amax;
    for (int64_t c = lane; c < cols; c += 32) {
      const int v = __double2int_rn(x[row * cols + c] * inv);
      q[row * cols + c] = static_cast<int8_t>(v);
    }
    if (lane == 0) scales[row] = amax / 127.f;
  }
}

extern "C" void launch(const float* x /* [rows, cols] */, int8_t* q /* [rows, cols] */, float* scales /* [rows] */, int64_t rows, int64_t cols, cudaStream_t stream = 0) {
  constexpr int kWarps = 4;
  const int64_t blocks = (rows + kWarps - 1) / kWarps;
  quantize_rows_kernel<<<int(blocks < 264 ? blocks : 264), 32 * kWarps, 0, stream>>>(x, q, scales, rows, cols);
}
"""

# A library author's attention of queries at the end of a sequence: a warp a query, one pass.
ATTEND = """\
__device__ inline float warp_sum(float v) {
  for (int mask = 16; mask; mask /= 2) v += __shfl_xor_sync(0xffffffffu, v, mask);
  return v;
}

// A warp makes 32 columns of one query's output. The last query sees all keys, the one before it one less, ...
__global__ void causal_attention(const float* __restrict__ q, const float* __restrict__ k, const float* __restrict__ v, float* __restrict__ out, float scale, int64_t batch, int64_t tq, int64_t tk, int64_t d, int64_t dv) {
  const int lane = threadIdx.x % 32;
  const int64_t warps = int64_t(gridDim.x) * (blockDim.x / 32);
  const int64_t chunks = (dv + 31) / 32;
  for (int64_t job = int64_t(blockIdx.x) * (blockDim.x / 32) + threadIdx.x / 32; job < batch * tq * chunks; job += warps) {
    const int64_t row = job / chunks, col = job % chunks * 32 + lane;
    const int64_t b = row / tq, i = row % tq;
    const int64_t visible = i + 1 + tk - tq;  // none if it is negative
    float m = -INFINITY, l = 0.f, acc = 0.f;
    for (int64_t j = 0; j < visible; ++j) {
      const float* key = k + (b * tk + j) * d;
      float s = 0.f;
      for (int64_t c = lane; c < d; c += 32) s += q[row * d + c] * key[c];
      s = scale * warp_sum(s);
      const float m_new = fmaxf(m, s);
      const float keep = expf(m - m_new), p = expf(s - m_new);
      l = l * keep + p;
      acc = acc * keep + (col < dv ? p * v[(b * tk + j) * dv + col] : 0.f);
      m = m_new;
    }
    if (col < dv) out[row * dv + col] = l > 0.f ? acc / l : 0.f;
  }
}

extern "C" void launch(const float* q,  // [batch, tq, d]
                       const float* k,  // [batch, tk, d]
                       const float* v,  // [batch, tk, dv]
                       float* out,      // [batch, tq, dv]
                       float scale, int64_t batch, int64_t tq, int64_t tk, int64_t d, int64_t dv, cudaStream_t stream = 0) {
  const int64_t jobs = batch * tq * ((dv + 31) / 32);
  causal_attention<<<unsigned(jobs < 2112 ? (jobs + 1) / 2 : 1056), 64, 0, stream>>>(q, k, v, out, scale, batch, tq, tk, d, dv);
}
"""

FLOAT, HALF, DOUBLE = (torch.float32,), (torch.float16,), (torch.float64,)
BYTE, INT8, LONG = (torch.uint8,), (torch.int8,), (torch.int64,)
SIDES = ((1, 1), (1, 50), (6, 5), (35, 3), (9, 130), (4, 32), (50, 41))


def _whole(*size: int, limit: int = 20, seed: int = 0) -> torch.Tensor:
    generator = torch.Generator().manual_seed(sum(17 * side for side in size) + limit + seed)
    return torch.randint(-limit, limit + 1, size, generator=generator).double()


def _places(*size: int, end: int, seed: int = 1) -> torch.Tensor:
    generator = torch.Generator().manual_seed(sum(19 * side for side in size) + end + seed)
    return torch.randint(0, end, size, generator=generator)


def _case(words: str, inputs: tuple, right, dtypes: tuple, scalars=None, **options) -> Case:
    sizes = ", ".join(" x ".join(map(str, tensor.shape)) for tensor in inputs)
    label = f"{sizes} {words} {scalars or ''}".strip()
    right = right if isinstance(right, tuple) else (right,)
    return Case(label, inputs, right, scalars or {}, dtypes=dtypes, **options)


def pictures(launcher: Launcher) -> Iterator[Case]:
    """Norm pictures of one to five channels: sides that differ, few and many elements."""
    for n, h, w, c in (
        (1, 1, 1, 1),
        (1, 16, 16, 1),
        (2, 3, 5, 3),
        (3, 11, 7, 4),
        (1, 40, 33, 3),
        (2, 1, 70, 2),
        (1, 64, 1, 5),
    ):
        src = _places(n, h, w, c, end=256).to(torch.uint8)
        mean, stddev = (_whole(c).abs() + 10) / 64, (_whole(c, limit=7) + 12) / 32
        scaled = src.double() / 255
        right = ((scaled - mean) / stddev).permute(0, 3, 1, 2).contiguous()
        slack = 2.0**-23 * (scaled + 2 * (scaled - mean).abs()) / stddev
        slack = slack.permute(0, 3, 1, 2).contiguous()
        inputs = (src, mean.float(), stddev.float())
        yield _case("", inputs, right, FLOAT, ulp=1, within=(slack,))


def embed(launcher: Launcher) -> Iterator[Case]:
    """Take rows of a table: whole packs and others, aligned and not, few and many tokens."""
    for tokens, vocab, dim in (
        (1, 1, 1),
        (5, 7, 8),
        (9, 30, 12),
        (3, 50, 200),
        (60, 20, 16),
        (130, 9, 5),
        (20, 40_000, 8),
    ):
        table = (_whole(vocab, dim, limit=900) / 16).half()
        ids = _places(tokens, end=vocab)
        ids[-1] = vocab - 1
        for words, padding, offset in (
            ("", -1, 0),
            ("with padding", int(ids[0]), 0),
            ("moved", -1, (1, 1, 3)),
            ("moved alike", int(ids[0]), 4),
        ):
            right = table[ids].double()
            right[ids == padding] = 0
            scalars = {"padding_idx": padding}
            yield _case(words, (ids, table), right, HALF, scalars, offset=offset)


def linear(launcher: Launcher) -> Iterator[Case]:
    """Multiply, add a bias, take ReLU: all is exact, but for one rounding; with NaN, too."""
    for m, n, k in (
        (1, 1, 1),
        (32, 16, 16),
        (5, 20, 7),
        (40, 9, 33),
        (33, 35, 64),
        (2, 3, 150),
        (17, 40, 20),
    ):
        x, w, bias = _whole(m, k) / 8, _whole(n, k, seed=1) / 4, _whole(n, limit=300) / 2
        right = (x @ w.T + bias).clamp(min=0)
        yield _case("", (x.half(), w.half(), bias.float()), right, HALF)
        large, positive = 40 + x.abs(), w.abs() + 0.25
        right = (large @ positive.T + bias).clamp(min=0)
        yield _case("large", (large.half(), positive.half(), bias.float()), right, HALF)
        x[m // 2, k // 2] = float("nan")
        right = (x @ w.T + bias).clamp(min=0)
        yield _case("a NaN", (x.half(), w.half(), bias.float()), right, HALF)


def dgemv(launcher: Launcher) -> Iterator[Case]:
    """Multiply by a vector, scale and add: all is exact; what is not read may be NaN."""
    for m, n in (*SIDES, (129, 4), (300, 7)):
        a, x, y0 = _whole(n, m, limit=99_999), _whole(n, limit=77_777), _whole(m, limit=9999)
        product = x @ a
        for alpha, beta in ((1.0, 1.0), (-0.5, 4.0), (2.0, 0.0)):
            right, scalars = alpha * product + beta * y0, {"alpha": alpha, "beta": beta}
            yield _case("", (a, x, y0), right, DOUBLE, scalars)
        scalars = {"alpha": 1.0, "beta": 0.0}
        yield _case("unset", (a, x, y0 * float("nan")), product, DOUBLE, scalars)
        for block_size in (32, 256):
            scalars = {"alpha": 1.0, "beta": 2.0, "block_size": block_size}
            yield _case("", (a, x, y0), product + 2 * y0, DOUBLE, scalars)


def causal(launcher: Launcher) -> Iterator[Case]:
    """Convolve short and long lines, few and very many: all is exact."""
    for batch, channels, length in (
        (1, 1, 1),
        (1, 2, 3),
        (2, 3, 96),
        (3, 2, 97),
        (4, 5, 30),
        (1, 4, 500),
        (2, 1, 193),
        (1, 65_600, 2),
    ):
        x, w = _whole(batch, channels, length), _whole(channels, 4, limit=9) / 2
        bias = _whole(channels, limit=50)
        padded = torch.nn.functional.pad(x, (3, 0))
        right = torch.nn.functional.conv1d(padded, w[:, None], bias, groups=channels)
        inputs = (x.float(), w.float(), bias.float())
        yield _case("", inputs, right, FLOAT, quick=channels > 9)


def sharpen(launcher: Launcher) -> Iterator[Case]:
    """Sharpen noise, dark, bright and even pictures; pictures of one row or column, too."""
    for h, w in ((3, 4), (1, 1), (1, 40), (9, 1), (4, 32), (21, 70), (50, 33)):
        noise = _places(h, w, 3, end=256)
        for words, x in (
            ("", noise),
            ("grey", 100 + noise // 16),
            ("bright", 235 + noise // 13),
            ("dark", noise // 16),
        ):
            padded = torch.cat((x[:1], x, x[-1:]), dim=0)
            padded = torch.cat((padded[:, :1], padded, padded[:, -1:]), dim=1)
            around = padded[:-2, 1:-1] + padded[2:, 1:-1] + padded[1:-1, :-2] + padded[1:-1, 2:]
            right = (5 * x - around).clamp(0, 255)
            yield _case(words, (x.to(torch.uint8),), right, BYTE)


def pool(launcher: Launcher) -> Iterator[Case]:
    """Find the largest of windows: mixed, equal, negative, with NaN and minus infinity."""
    for planes, h, w in ((1, 1, 1), (2, 4, 6), (1, 9, 7), (3, 15, 22), (2, 30, 5)):
        for kernel, stride, padding in ((1, 1, 0), (2, 2, 0), (3, 2, 1), (3, 1, 1), (2, 3, 1)):
            if min(h, w) + 2 * padding < kernel:
                continue
            x = _whole(planes, h, w, limit=5000).float() / 8
            sparse = torch.where(_places(planes, h, w, end=6) == 0, float("nan"), x)
            for words, y in (
                ("", x),
                ("equal", x.clamp(max=0)),
                ("negative", x.abs() * -1 - 1),
                ("NaN", sparse),
                ("minus infinity", x * 0 - float("inf")),
            ):
                right, where = _largest_of_windows(y, kernel, stride, padding)
                scalars = {"kernel": kernel, "stride": stride, "padding": padding}
                yield _case(words, (y,), (right, where), FLOAT + LONG, scalars)


def _largest_of_windows(
    x: torch.Tensor, kernel: int, stride: int, padding: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """Find the first largest of each window by rows, or its last NaN, as PyTorch does."""
    planes, h, w = x.shape
    oh, ow = ((side + 2 * padding - kernel) // stride + 1 for side in (h, w))
    best = torch.zeros(planes, oh, ow, dtype=torch.float64)
    place = torch.full((planes, oh, ow), -1)
    for a, b in itertools.product(range(oh), range(ow)):
        top, left = a * stride - padding, b * stride - padding
        rows = range(max(top, 0), min(top + kernel, h))
        cols = range(max(left, 0), min(left + kernel, w))
        for r, c in itertools.product(rows, cols):
            v = x[:, r, c].double()
            better = (v > best[:, a, b]) | v.isnan() | (place[:, a, b] < 0)
            best[:, a, b] = torch.where(better, v, best[:, a, b])
            place[:, a, b] = torch.where(better, r * w + c, place[:, a, b])
    return best, place


def rope(launcher: Launcher) -> Iterator[Case]:
    """Turn whole heads and parts of heads, at mixed positions; the rest may be anything."""
    for tokens, heads, dim, half in (
        (1, 1, 2, 1),
        (3, 2, 8, 4),
        (5, 1, 20, 6),
        (4, 3, 64, 32),
        (9, 2, 40, 8),
        (2, 4, 7, 3),
    ):
        q, pos = (_whole(tokens, heads, dim, limit=600) / 32).half(), _places(tokens, end=50)
        angles = torch.arange(50.0)[:, None] * 100.0 ** (-torch.arange(half) / half)
        cos, sin = angles.cos(), angles.sin()
        for words in ("", "special values in the rest"):
            if words and 2 * half < dim:
                q[..., 2 * half :] = float("inf")
                q[..., -1] = -0.0
            first, second = q[..., :half].double(), q[..., half : 2 * half].double()
            c, s = cos.double()[pos][:, None], sin.double()[pos][:, None]
            turned = (first * c - second * s, second * c + first * s)
            right = torch.cat((*turned, q[..., 2 * half :].double()), dim=2)
            terms = (
                (first * c).abs() + (second * s).abs(),
                (second * c).abs() + (first * s).abs(),
            )
            slack = torch.zeros_like(right)
            slack[..., : 2 * half] = 2.0**-22 * torch.cat(terms, dim=2) + 2.0**-25
            slack[..., : 2 * half] += 2.0**-11 * torch.cat(turned, dim=2).abs()
            inputs = (q.clone(), cos, sin, pos.int())
            yield _case(words, inputs, right, HALF, within=(slack,))


def xent(launcher: Launcher) -> Iterator[Case]:
    """Take losses and gradients of usual and distant rows; some targets are ignored."""
    for m, n in (*SIDES, (3, 400), (520, 2)):
        target = _places(m, end=n)
        for words, shift, spread in (("", 0, 8), ("200 less", -200, 8), ("wide", 300, 0.5)):
            for scale, ignore in ((1.0, -100), (0.25, int(target[0]))):
                z, t = _whole(m, n) / spread + shift, target.clone()
                if ignore < 0:
                    t[m // 2 :: 3] = ignore
                off = t == ignore
                safe = torch.where(off, 0, t)
                loss = torch.nn.functional.cross_entropy(z, safe, reduction="none")
                soft = torch.softmax(z, dim=1)
                grad = scale * (soft - torch.nn.functional.one_hot(safe, n))
                loss[off], grad[off] = 0, 0
                slack = torch.where(off, 0, 2.0**-19 * (loss.abs() + 4 + z.abs().amax(dim=1)))
                slacks = (slack, 2.0**-18 * scale * torch.where(off[:, None], 0, soft + 0.125))
                scalars = {"scale": scale, "ignore_index": ignore}
                inputs = (z.float(), t)
                yield _case(words, inputs, (loss, grad), FLOAT * 2, scalars, within=slacks)


def quant(launcher: Launcher) -> Iterator[Case]:
    """Quantise mixed, negative, rising, tiny and zero rows, and such with many ties."""
    for m, n in (*SIDES, (3, 300)):
        x = _whole(m, n, limit=20_000) / 64
        ties = (_whole(m, n, limit=251) / 2).clamp(-126.5, 126.5)
        ties[:, 0] = 127
        for words, y in (
            ("", x),
            ("negative", -x.abs()),
            ("falling", x.abs().sort(dim=1, descending=True)[0]),
            ("tiny", x * 2.0**-60),
            ("zero", x * 0),
            ("ties", ties),
            ("subnormal", _whole(m, n, limit=20_000) * 2.0**-149),
            ("rows of several sizes", x * 2.0 ** -torch.arange(m)[:, None].double()),
        ):
            amax = y.abs().amax(dim=1, keepdim=True)
            inverse = torch.where(amax == 0, 0.0, 127.0 / amax)
            q = torch.round(y * inverse).to(torch.int8)
            yield _case(words, (y.float(),), (q, amax[:, 0] / 127), INT8 + FLOAT)


def attend(launcher: Launcher) -> Iterator[Case]:
    """Attend with as many queries as keys, fewer and more, and small and large scores."""
    for batch, tq, tk, d, dv in (
        (1, 1, 1, 1, 1),
        (1, 4, 4, 8, 8),
        (2, 3, 9, 33, 20),
        (3, 5, 5, 16, 40),
        (2, 1, 25, 40, 33),
        (1, 6, 4, 12, 7),
    ):
        for scale in (1.0, 0.125):
            q, k = _whole(batch, tq, d) / 16, _whole(batch, tk, d, seed=1) / 8
            v = _whole(batch, tk, dv) / 4
            scores = scale * (q @ k.transpose(1, 2))
            hidden = torch.arange(tk)[None] > torch.arange(tq)[:, None] + tk - tq
            weights = torch.softmax(scores.masked_fill(hidden, -float("inf")), dim=2)
            weights = weights.nan_to_num(0.0)
            slack = 2.0**-18 * (1 + scores.abs().amax()) * (weights @ v.abs())
            inputs = (q.float(), k.float(), v.float())
            scalars = {"scale": scale}
            yield _case("", inputs, weights @ v, FLOAT, scalars, ulp=2, within=(slack,))


BASES = {
    "xxxviii_a_pictures": Base(HEADER + PICTURES, {"cases": pictures}),
    "xxxviii_a_embed": Base(HEADER + EMBED, {"cases": embed}),
    "xxxviii_a_linear": Base(HEADER + LINEAR, {"cases": linear}),
    "xxxviii_a_dgemv": Base(HEADER + DGEMV, {"cases": dgemv}),
    "xxxviii_a_causal": Base(HEADER + CAUSAL, {"cases": causal}),
    "xxxviii_a_sharpen": Base(HEADER + SHARPEN, {"cases": sharpen}),
    "xxxviii_a_pool": Base(HEADER + POOL, {"cases": pool}),
    "xxxviii_a_rope": Base(HEADER + ROPE, {"cases": rope}),
    "xxxviii_a_xent": Base(HEADER + XENT, {"cases": xent}),
    "xxxviii_a_quant": Base(HEADER + QUANT, {"cases": quant}),
    "xxxviii_a_attend": Base(HEADER + ATTEND, {"cases": attend}),
}

WRONG = (
    # ---- pictures
    # The bytes are divided as integers: 0 or 1.
    Wrong(
        "xxxviii_a_pictures_integer_division",
        "xxxviii_a_pictures",
        "function / rounding / whole range | numbers / precision / left out / copy",
        ("w) * C + c] / 255.0f;", "w) * C + c] / 255;"),
    ),
    # 256 in place of 255.
    Wrong(
        "xxxviii_a_pictures_256",
        "xxxviii_a_pictures",
        "function / precision | numbers / rounding",
        ("/ 255.0f;", "/ 256.0f;"),
    ),
    # The channels come from behind, as in OpenCV's pictures, their means do not.
    Wrong(
        "xxxviii_a_pictures_bgr",
        "xxxviii_a_pictures",
        "other element / swapped / function | sides / neighbour / numbers / left out",
        ("* W + w) * C + c]", "* W + w) * C + (C - 1 - c)]"),
    ),
    # Height and width are swapped where the picture is read.
    Wrong(
        "xxxviii_a_pictures_sides",
        "xxxviii_a_pictures",
        "sides / other element / swapped | function / left out / twice / numbers",
        ("src[((n * H + h) * W + w) * C + c]", "src[((n * W + w) * H + h) * C + c]"),
    ),
    # The means are passed where the deviations are expected.
    Wrong(
        "xxxviii_a_pictures_arguments",
        "xxxviii_a_pictures",
        "swapped / function | other element / numbers",
        ("stream>>>(src, mean, stddev, dst", "stream>>>(src, stddev, mean, dst"),
    ),
    # Rounded down: no block at all for few elements.
    Wrong(
        "xxxviii_a_pictures_no_block",
        "xxxviii_a_pictures",
        "refused / grid / unwritten | tail / left out",
        ("(N * H * W * C + 255) / 256;", "N * H * W * C / 256;"),
    ),
    # ---- embedding
    # Packs wherever the side allows them.
    Wrong(
        "xxxviii_a_embed_any_address",
        "xxxviii_a_embed",
        "alignment",
        ("dim % kPack == 0 && is_aligned(table) && is_aligned(out)", "dim % kPack == 0"),
    ),
    # Packs wherever the addresses allow them.
    Wrong(
        "xxxviii_a_embed_any_side",
        "xxxviii_a_embed",
        "unwritten / tail / left out / other element / sides | alignment / function",
        ("dim % kPack == 0 && is_aligned(table)", "is_aligned(table)"),
    ),
    # Rows of padding are skipped.
    Wrong(
        "xxxviii_a_embed_padding_skipped",
        "xxxviii_a_embed",
        "unwritten / zero before | state / start / left out / nan",
        (
            "            for (int64_t u = threadIdx.x; u < units; u += blockDim.x) to[u] = Unit{};\n",
            "",
        ),
    ),
    # Half of an identifier is read.
    Wrong(
        "xxxviii_a_embed_int_ids",
        "xxxviii_a_embed",
        "other element / left out / function | narrow / whole range / twice / numbers / sides",
        ("id = ids[token];", "id = reinterpret_cast<const int*>(ids)[token];"),
    ),
    # An identifier of 16 bits.
    Wrong(
        "xxxviii_a_embed_short_id",
        "xxxviii_a_embed",
        "narrow / whole range / bounds | other element / numbers",
        ("const int64_t id = ids[token];", "const int16_t id = ids[token];"),
    ),
    # A token a block, and not more blocks than before.
    Wrong(
        "xxxviii_a_embed_no_loop",
        "xxxviii_a_embed",
        "unwritten / grid / left out | tail / sides",
        ("token < tokens; token += gridDim.x)", "token < gridDim.x; token += gridDim.x)"),
    ),
    # ---- a linear layer
    # The bias belongs to rows.
    Wrong(
        "xxxviii_a_linear_bias_of_row",
        "xxxviii_a_linear",
        "sides / bounds / other element | swapped / function / numbers",
        ("acc[i] + bias[col];", "acc[i] + bias[row];"),
    ),
    # The bias is added to each part of the sum.
    Wrong(
        "xxxviii_a_linear_bias_again",
        "xxxviii_a_linear",
        "twice / function | sides / numbers / left out",
        (
            "            __syncthreads();  // consumed\n",
            "            if (col0 + tx < N) {\n                acc[0] += bias[col0 + tx];\n                acc[1] += bias[col0 + tx];\n            }\n            __syncthreads();  // consumed\n",
        ),
        ("float v = acc[i] + bias[col];", "float v = acc[i];"),
    ),
    # A NaN becomes 0.
    Wrong(
        "xxxviii_a_linear_fmax",
        "xxxviii_a_linear",
        "nan | function",
        ("if (v < 0.0f) v = 0.0f;  // a NaN stays one", "v = fmaxf(v, 0.0f);"),
    ),
    # First ReLU, then the bias.
    Wrong(
        "xxxviii_a_linear_relu_first",
        "xxxviii_a_linear",
        "function | numbers / left out",
        (
            "float v = acc[i] + bias[col];\n                if (v < 0.0f) v = 0.0f;  // a NaN stays one\n",
            "float v = acc[i];\n                if (v < 0.0f) v = 0.0f;  // a NaN stays one\n                v += bias[col];\n",
        ),
    ),
    # The second half of a tile is not loaded.
    Wrong(
        "xxxviii_a_linear_half_a_tile",
        "xxxviii_a_linear",
        "unwritten / left out / function | start / other element / sides / numbers / nan / race / bounds",
        ("for (int r = ty; r < BM; r += 16)", "for (int r = ty; r < 16; r += 16)"),
    ),
    # ---- DGEMV
    # From 0, as in C.
    Wrong(
        "xxxviii_a_dgemv_from_zero",
        "xxxviii_a_dgemv",
        "bounds",
        ("int64_t i = 1 + (int64_t)blockIdx.x", "int64_t i = (int64_t)blockIdx.x"),
    ),
    # What is not to be read is read.
    Wrong(
        "xxxviii_a_dgemv_zero_beta",
        "xxxviii_a_dgemv",
        "nan | numbers / function",
        ("        if (beta == 0.0)  /*", "        if (false)  /*"),
    ),
    # A sum of single precision.
    Wrong(
        "xxxviii_a_dgemv_single",
        "xxxviii_a_dgemv",
        "precision / rounding | numbers / function",
        ("double temp = 0.0;", "float temp = 0.0f;"),
    ),
    # Alpha multiplies all.
    Wrong(
        "xxxviii_a_dgemv_alpha_of_all",
        "xxxviii_a_dgemv",
        "function | numbers / twice",
        ("alpha * temp + beta * Y0(i);", "alpha * (temp + beta * Y0(i));"),
    ),
    # 128 where the block size may be another.
    Wrong(
        "xxxviii_a_dgemv_128",
        "xxxviii_a_dgemv",
        "block size / unwritten / left out | grid / twice / race",
        (
            "1 + (int64_t)blockIdx.x * blockDim.x + threadIdx.x",
            "1 + (int64_t)blockIdx.x * 128 + threadIdx.x",
        ),
        ("i += (int64_t)gridDim.x * blockDim.x", "i += (int64_t)gridDim.x * 128"),
    ),
    # ---- a causal convolution
    # The taps are turned round.
    Wrong(
        "xxxviii_a_causal_turned",
        "xxxviii_a_causal",
        "function / other element / swapped | numbers / neighbour",
        ("weight[c * TAPS + k] * s[t + k]", "weight[c * TAPS + HALO - k] * s[t + k]"),
    ),
    # Each part begins with zeros.
    Wrong(
        "xxxviii_a_causal_zero_halo",
        "xxxviii_a_causal",
        "left out | function / other element / sides / numbers / neighbour / start / block size",
        ("s[t] = at >= HALO ? in[at - HALO] : 0.f;", "s[t] = 0.f;"),
    ),
    # One before the first.
    Wrong(
        "xxxviii_a_causal_one_before",
        "xxxviii_a_causal",
        "bounds / other element / neighbour | numbers / function / nan / infinity",
        ("s[t] = at >= HALO ?", "s[t] = at >= HALO - 1 ?"),
    ),
    # The line in place of the channel.
    Wrong(
        "xxxviii_a_causal_channel",
        "xxxviii_a_causal",
        "bounds / other element / sides | function / numbers / grid / nan / infinity",
        ("c = line % channels;", "c = line;"),
    ),
    # A row of blocks a line, however many there are.
    Wrong(
        "xxxviii_a_causal_grid_y",
        "xxxviii_a_causal",
        "grid / refused | unwritten",
        ("unsigned(lines < 65535 ? lines : 65535)", "unsigned(lines)"),
    ),
    # Nobody waits for the part.
    Wrong(
        "xxxviii_a_causal_not_awaited",
        "xxxviii_a_causal",
        "race | unwritten / left out / other element / numbers / neighbour / function / nan",
        ("      __syncthreads();  // the part and its halo are there\n", ""),
    ),
    # ---- sharpening
    # No saturation.
    Wrong(
        "xxxviii_a_sharpen_wraps",
        "xxxviii_a_sharpen",
        "whole range | function / numbers",
        ("= clampToByte(value);", "= (unsigned char)value;"),
    ),
    # Saturated at the upper end only.
    Wrong(
        "xxxviii_a_sharpen_below_zero",
        "xxxviii_a_sharpen",
        "whole range | function / numbers",
        ("    if (v < 0)\n        return 0;\n", ""),
    ),
    # The left border is not repeated.
    Wrong(
        "xxxviii_a_sharpen_left",
        "xxxviii_a_sharpen",
        "bounds / other element / neighbour | function / numbers / sides",
        ("left = x > 0 ? x - 1 : 0;", "left = x - 1;"),
    ),
    # The lower border is where the right one is.
    Wrong(
        "xxxviii_a_sharpen_down",
        "xxxviii_a_sharpen",
        "bounds / sides / other element | function / numbers / swapped / neighbour",
        (
            "down = y < height - 1 ? y + 1 : height - 1;",
            "down = y < width - 1 ? y + 1 : width - 1;",
        ),
    ),
    # The sum of four bytes is a byte.
    Wrong(
        "xxxviii_a_sharpen_byte_sum",
        "xxxviii_a_sharpen",
        "whole range / function | narrow / numbers",
        ("int around = ", "unsigned char around = "),
    ),
    # The grid of the first call.
    Wrong(
        "xxxviii_a_sharpen_static_grid",
        "xxxviii_a_sharpen",
        "state / unwritten / grid | left out / tail / sides",
        ("    dim3 grid((", "    static dim3 grid(("),
    ),
    # Blocks of 2,048 threads.
    Wrong(
        "xxxviii_a_sharpen_large_blocks",
        "xxxviii_a_sharpen",
        "refused | unwritten / block size",
        ("block(32, 4);", "block(32, 64);"),
    ),
    # ---- the largest of windows
    # From 0.
    Wrong(
        "xxxviii_a_pool_from_zero",
        "xxxviii_a_pool",
        "start | numbers / function / left out / infinity",
        ("Best{-INFINITY,", "Best{0.f,"),
    ),
    # NaN is passed over.
    Wrong(
        "xxxviii_a_pool_no_nan",
        "xxxviii_a_pool",
        "nan | left out / infinity / other element",
        ("if (v > best.value || isnan(v)) best", "if (v > best.value) best"),
    ),
    # Windows go on behind a plane.
    Wrong(
        "xxxviii_a_pool_end",
        "xxxviii_a_pool",
        "bounds / other element | function / numbers / sides / neighbour",
        ("end > size ? size : end}", "end}"),
    ),
    # The windows are clipped, then shifted: those at the border are too long.
    Wrong(
        "xxxviii_a_pool_end_of_clipped",
        "xxxviii_a_pool",
        "other element / function / left out / twice | numbers / sides / neighbour / bounds",
        (
            "const auto begin = o * stride - padding;",
            "auto begin = o * stride - padding;\n  begin = begin < 0 ? 0 : begin;",
        ),
    ),
    # Windows lie side by side, whatever the stride.
    Wrong(
        "xxxviii_a_pool_stride",
        "xxxviii_a_pool",
        "other element / function / left out | sides / bounds / numbers / infinity / start",
        ("begin = o * stride - padding;", "begin = o * kernel - padding;"),
    ),
    # ---- rotary embeddings
    # The sign of the first half.
    Wrong(
        "xxxviii_a_rope_sign",
        "xxxviii_a_rope",
        "function | numbers / left out",
        ("? -__half2float(q[idx + half_dim])", "? __half2float(q[idx + half_dim])"),
    ),
    # Neighbours are turned, as in another kind of such embeddings.
    Wrong(
        "xxxviii_a_rope_neighbours",
        "xxxviii_a_rope",
        "other element / neighbour / function | numbers / swapped / left out",
        ("half_dim + d % half_dim;", "half_dim + d / 2;"),
        (
            "d < half_dim ? -__half2float(q[idx + half_dim]) : __half2float(q[idx - half_dim]);",
            "d % 2 == 0 ? -__half2float(q[idx + 1]) : __half2float(q[idx - 1]);",
        ),
    ),
    # The token's place in the batch is taken for its position.
    Wrong(
        "xxxviii_a_rope_no_positions",
        "xxxviii_a_rope",
        "left out / other element | function / numbers / sides",
        ("entry = pos[token] * half_dim", "entry = token * half_dim"),
    ),
    # The rest is not written.
    Wrong(
        "xxxviii_a_rope_rest",
        "xxxviii_a_rope",
        "unwritten | left out / sides / tail / state",
        ("            out[idx] = q[idx];\n            continue;", "            continue;"),
    ),
    # The rest is turned by an angle of 0.
    Wrong(
        "xxxviii_a_rope_angle_of_zero",
        "xxxviii_a_rope",
        "nan / sign of zero / infinity | other element / function",
        (
            "            out[idx] = q[idx];\n",
            "            out[idx] = __float2half(__half2float(q[idx]) * 1.0f + __half2float(q[idx - half_dim]) * 0.0f);\n",
        ),
    ),
    # Products of halves.
    Wrong(
        "xxxviii_a_rope_in_half",
        "xxxviii_a_rope",
        "precision / rounding | numbers",
        (
            "out[idx] = __float2half(here * c + turned * s);",
            "out[idx] = __hadd(__float2half(here * c), __float2half(turned * s));",
        ),
    ),
    # Turned in place first.
    Wrong(
        "xxxviii_a_rope_in_place",
        "xxxviii_a_rope",
        "input | race / other element / twice / state / function / numbers",
        (
            "        out[idx] = __float2half(here * c + turned * s);",
            "        const_cast<__half*>(q)[idx] = __float2half(here * c + turned * s);\n        out[idx] = q[idx];",
        ),
    ),
    # On the default stream.
    Wrong(
        "xxxviii_a_rope_no_stream",
        "xxxviii_a_rope",
        "stream",
        ("(unsigned)blocks, 128, 0, stream>>>", "(unsigned)blocks, 128>>>"),
    ),
    # ---- cross entropy
    # From 0.
    Wrong(
        "xxxviii_a_xent_from_zero",
        "xxxviii_a_xent",
        "infinity / nan / start / numbers | function / subnormal / precision",
        ("float top = -INFINITY;", "float top = 0.0f;"),
    ),
    # The ignored target is a place, too.
    Wrong(
        "xxxviii_a_xent_not_ignored",
        "xxxviii_a_xent",
        "bounds / left out / function / numbers | other element / nan / zero before",
        ("        if (t == ignore_index) {", "        if (false) {"),
    ),
    # The gradient of ignored rows.
    Wrong(
        "xxxviii_a_xent_gradient_stays",
        "xxxviii_a_xent",
        "unwritten / zero before | state / start / left out / nan",
        ("            for (int64_t c = threadIdx.x; c < classes; c += T) g[c] = 0.0f;\n", ""),
    ),
    # The classes begin with 1.
    Wrong(
        "xxxviii_a_xent_from_one",
        "xxxviii_a_xent",
        "other element / neighbour | function / numbers / left out",
        ("(c == t ? p - 1.0f : p)", "(c + 1 == t ? p - 1.0f : p)"),
    ),
    # The gradient is added to what is there.
    Wrong(
        "xxxviii_a_xent_accumulated",
        "xxxviii_a_xent",
        "zero before / state | start / twice / nan",
        ("g[c] = scale * (", "g[c] += scale * ("),
    ),
    # The tree's last level comes again and again.
    Wrong(
        "xxxviii_a_xent_endless",
        "xxxviii_a_xent",
        "timeout",
        ("s = T / 2; s > 0; s >>= 1", "s = T / 2; s >= 0; s >>= 1"),
    ),
    # ---- rows of 8 bits
    # No magnitudes.
    Wrong(
        "xxxviii_a_quant_no_magnitude",
        "xxxviii_a_quant",
        "function / whole range / numbers / left out | start / other element / infinity",
        ("fmaxf(amax, fabsf(x[row * cols + c]))", "fmaxf(amax, x[row * cols + c])"),
    ),
    # Toward zero.
    Wrong(
        "xxxviii_a_quant_truncated",
        "xxxviii_a_quant",
        "rounding | numbers / function",
        ("__double2int_rn(x[row * cols + c] * inv)", "(int)(x[row * cols + c] * inv)"),
    ),
    # Halves go up.
    Wrong(
        "xxxviii_a_quant_half_up",
        "xxxviii_a_quant",
        "rounding | numbers / function",
        (
            "__double2int_rn(x[row * cols + c] * inv)",
            "(int)floor(x[row * cols + c] * inv + 0.5)",
        ),
    ),
    # 128 steps: the largest number has no byte.
    Wrong(
        "xxxviii_a_quant_128",
        "xxxviii_a_quant",
        "whole range / function | numbers",
        ("0.0 : 127.0 / amax;", "0.0 : 128.0 / amax;"),
        ("amax / 127.f;", "amax / 128.f;"),
    ),
    # Small rows are counted from a least magnitude.
    Wrong(
        "xxxviii_a_quant_least",
        "xxxviii_a_quant",
        "function / numbers / start | precision / subnormal / copy / left out",
        ("float amax = 0.f;", "float amax = 1e-5f;"),
    ),
    # Rows of subnormal numbers are taken for zeros.
    Wrong(
        "xxxviii_a_quant_subnormal",
        "xxxviii_a_quant",
        "subnormal / numbers | function / left out",
        ("amax == 0.f ? 0.0", "amax < FLT_MIN ? 0.0"),
    ),
    # Neighbours are not compared.
    Wrong(
        "xxxviii_a_quant_levels",
        "xxxviii_a_quant",
        "left out | function / whole range / numbers / other element / sides",
        ("int o = 16; o >= 1; o >>= 1", "int o = 16; o > 1; o >>= 1"),
    ),
    # ---- attention
    # Counted from the first key, not from the last.
    Wrong(
        "xxxviii_a_attend_upper_left",
        "xxxviii_a_attend",
        "left out / bounds / function / sides | other element / numbers",
        ("visible = i + 1 + tk - tq;", "visible = i + 1;"),
    ),
    # Not its own key.
    Wrong(
        "xxxviii_a_attend_own_key",
        "xxxviii_a_attend",
        "left out / function | numbers / neighbour / zero before",
        ("visible = i + 1 + tk - tq;", "visible = i + tk - tq;"),
    ),
    # Only the first lane has the sum.
    Wrong(
        "xxxviii_a_attend_down",
        "xxxviii_a_attend",
        "left out / function / other element | numbers / sides / race / twice",
        (
            "v += __shfl_xor_sync(0xffffffffu, v, mask);",
            "v += __shfl_down_sync(0xffffffffu, v, mask);",
        ),
    ),
    # Nothing by nothing.
    Wrong(
        "xxxviii_a_attend_nothing_seen",
        "xxxviii_a_attend",
        "nan | numbers / function / sides / infinity",
        ("l > 0.f ? acc / l : 0.f;", "acc / l;"),
    ),
)

RIGHT = (
    # Backwards, few blocks of an odd size.
    Right(
        "xxxviii_a_pictures_backwards",
        "xxxviii_a_pictures",
        (
            "        int64_t rest = o;\n",
            "        int64_t rest = total - 1 - o;\n        const int64_t to = rest;\n",
        ),
        ("dst[o] = (v", "dst[to] = (v"),
        ("<<<blocks, 256,", "<<<blocks % 7 + 1, 96,"),
    ),
    # Packs of 4, and as many blocks as there are.
    Right(
        "xxxviii_a_embed_small_packs",
        "xxxviii_a_embed",
        ("kPack = 8;  // halves in a uint4", "kPack = 4;  // halves in a uint2"),
        ("% sizeof(uint4) == 0", "% sizeof(uint2) == 0"),
        ("forward_kernel<uint4>", "forward_kernel<uint2>"),
        ("reinterpret_cast<const uint4*>(table)", "reinterpret_cast<const uint2*>(table)"),
        ("reinterpret_cast<uint4*>(out)", "reinterpret_cast<uint2*>(out)"),
        ("tokens < kMostBlocks ? tokens : kMostBlocks", "kMostBlocks"),
    ),
    # The bias is where the sum starts, the inner side is walked from behind.
    Right(
        "xxxviii_a_linear_from_bias",
        "xxxviii_a_linear",
        (
            "float acc[2] = {0.0f, 0.0f};",
            "const float start = col0 + tx < N ? bias[col0 + tx] : 0.0f;\n        float acc[2] = {start, start};",
        ),
        ("k0 = 0; k0 < K; k0 += BK", "k0 = (K - 1) / BK * BK; K > 0 && k0 >= 0; k0 -= BK"),
        ("float v = acc[i] + bias[col];", "float v = acc[i];"),
    ),
    # A test that keeps NaN, too; tiles of blocks that have none to make.
    Right(
        "xxxviii_a_linear_not_below",
        "xxxviii_a_linear",
        ("if (v < 0.0f) v = 0.0f;  // a NaN stays one", "v = v <= 0.0f ? 0.0f : v;"),
        ("(unsigned)(tiles < 65536 ? tiles : 65536)", "3"),
    ),
    # Columns from behind, by two sums.
    Right(
        "xxxviii_a_dgemv_two_sums",
        "xxxviii_a_dgemv",
        ("double temp = 0.0;", "double temp = 0.0, odd = 0.0;"),
        (
            "        for (int64_t j = 1; j <= n; j++)\n            temp = temp + A(i, j) * X(j);",
            "        for (int64_t j = n; j >= 1; j--)\n            (j % 2 ? odd : temp) += A(i, j) * X(j);\n        temp += odd;",
        ),
    ),
    # Nothing is shared.
    Right(
        "xxxviii_a_causal_no_halo",
        "xxxviii_a_causal",
        ("  __shared__ float s[NT + HALO];\n", ""),
        ("      s[t + HALO] = at < len ? in[at] : 0.f;\n", ""),
        ("      if (t < HALO) s[t] = at >= HALO ? in[at - HALO] : 0.f;\n", ""),
        ("      __syncthreads();  // the part and its halo are there\n", ""),
        ("      __syncthreads();  // before the next part\n", ""),
        (
            "k < TAPS; ++k) sum += weight[c * TAPS + k] * s[t + k];",
            "k < TAPS; ++k)\n          if (at + k >= HALO) sum += weight[c * TAPS + k] * in[at + k - HALO];",
        ),
    ),
    # Half as many threads down, a spare row of blocks, the channels from behind.
    Right(
        "xxxviii_a_sharpen_spare_blocks",
        "xxxviii_a_sharpen",
        ("block(32, 4);", "block(64, 2);"),
        ("rows < 65535 ? rows : 65535", "rows < 65534 ? rows + 1 : 65535"),
        ("int c = 0; c < 3; c++", "int c = 2; c >= 0; c--"),
        ("int value = 5 * centre - around;", "int value = centre + ((centre << 2) - around);"),
    ),
    # Windows from behind: of equal ones the last found is taken, of NaN the first found.
    Right(
        "xxxviii_a_pool_from_behind",
        "xxxviii_a_pool",
        (
            "auto r = rows.begin; r < rows.end; ++r",
            "auto r = rows.end - 1; r >= rows.begin; --r",
        ),
        (
            "auto c = cols.begin; c < cols.end; ++c",
            "auto c = cols.end - 1; c >= cols.begin; --c",
        ),
        (
            "if (v > best.value || isnan(v)) best",
            "if (!isnan(best.value) && !(v < best.value)) best",
        ),
    ),
    # In double, and a sine with its sign.
    Right(
        "xxxviii_a_rope_signed_sine",
        "xxxviii_a_rope",
        (
            "float s = sin_table[entry];",
            "double s = d < half_dim ? -sin_table[entry] : sin_table[entry];",
        ),
        ("? -__half2float(q[idx + half_dim])", "? __half2float(q[idx + half_dim])"),
        (
            "__float2half(here * c + turned * s);",
            "__float2half((float)(here * (double)c + turned * s));",
        ),
    ),
    # The logarithm of the probability, from one warp.
    Right(
        "xxxviii_a_xent_one_warp",
        "xxxviii_a_xent",
        ("enum { T = 128 };", "enum { T = 32 };"),
        ("logf(sum) - (z[t] - top);", "top + logf(sum) - z[t];"),
        ("(c == t ? p - 1.0f : p);", "(p - (float)(c == t));"),
    ),
    # From the least magnitude up, and down to the first lane, which tells the others.
    Right(
        "xxxviii_a_quant_first_lane_tells",
        "xxxviii_a_quant",
        (
            "__shfl_xor_sync(0xffffffff, amax, o));\n",
            "__shfl_down_sync(0xffffffff, amax, o));\n    amax = __shfl_sync(0xffffffff, amax, 0);\n",
        ),
        ("__double2int_rn(x[row * cols + c] * inv)", "(int)rint(x[row * cols + c] * inv)"),
        ("kWarps = 4;", "kWarps = 1;"),
    ),
    # Keys from behind, more warps in a block than there are rows.
    Right(
        "xxxviii_a_attend_from_behind",
        "xxxviii_a_attend",
        ("int64_t j = 0; j < visible; ++j", "int64_t j = visible - 1; j >= 0; --j"),
        ("1056), 64, 0,", "1056), 224, 0,"),
    ),
)
