"""Hold a forty-sixth family: convolution, bags, places, pictures, experts, sparse, recurrences.

Its bases are operators of which the family has few: a short causal convolution of channels,
means of rows of a table, the places of what is not 0, pictures of another size, cross entropy
with smoothed labels, the windows of a picture, weights of four bits, triangular systems, mean
pooling, the two best experts, a sparse matrix times a vector, and a linear recurrence. Its
styles are those of a library of state space models, one for recommendations, a teacher of
warps, a library for vision, a trainer, an early framework, a quantizer, a port from linear
algebra, a framework, a server, a thesis and a modernist. The causes were written before a
member was judged. On the emulator each member ran beside PyTorch, compared as a case does,
twice with other numbers in the outputs and around all tensors. nvcc 13.0 compiles each for 8.0;
none was run on a GPU. Bases and right ones are right, and all wrong ones but three wrong,
refused by a fault or for their launch, some only so:

    xlvi_dwconv_turned             unless the weights are the same from both ends
    xlvi_dwconv_centred            from a width of 2 on
    xlvi_dwconv_tiles_apart        from 65 steps and a width of 2 on
    xlvi_dwconv_one_barrier        from 65 steps on, where warps do not wait for another
    xlvi_dwconv_bias_last          with silu, unless the bias is 0
    xlvi_bag_of_none               of bags in which nothing counts
    xlvi_bag_one_more_offset       of the last bag
    xlvi_bag_sum_goes_on           from 33 columns on
    xlvi_bag_ends_at_padding       if something counts behind what does not
    xlvi_places_own_vote           unless all is 0
    xlvi_places_warps_collide      from 33 columns on, if both warps have something to keep
    xlvi_places_no_rest            of rows with a 0
    xlvi_places_above_0            of numbers below 0, and NaN
    xlvi_resize_corners            if a side changes its size, unless it was 1
    xlvi_resize_pixel_behind       of the last picture; of others by nothing, as the weight is 0
    xlvi_resize_scales_swapped     unless both scales are equal
    xlvi_resize_whole_scale        if a side is no multiple of the new one
    xlvi_xent_no_peak              of logits that are all far below 0, or one is far above
    xlvi_xent_peak_from_0          of logits that are all far below 0
    xlvi_xent_ignored_unwritten    of ignored rows, unless zeros are there before
    xlvi_xent_soft_sum             with smoothing, of several classes
    xlvi_xent_ignores_100          if another label than -100 is ignored
    xlvi_im2col_right_side         if a window goes beyond the right side
    xlvi_im2col_border_unwritten   if a window goes beyond any side
    xlvi_im2col_reads_without_gaps if the dilation is not 1
    xlvi_im2col_channels_overlap   from 2 channels and windows of 2 columns on
    xlvi_nibbles_plain_order       of nearly all words
    xlvi_nibbles_unsigned          of weights below their zero point
    xlvi_nibbles_group_of_rest     from 2 words on
    xlvi_nibbles_two_products      if one of the two products is no half
    xlvi_nibbles_scales_turned     if there are several rows and several groups
    xlvi_solve_no_unit             with unit, if the diagonal is not 1
    xlvi_solve_fortran             from 2 rows on, unless both triangles are the same
    xlvi_solve_64_rows             from 66 rows on
    xlvi_solve_in_place            by what it writes to B; a second call is wrong, too
    xlvi_avgpool_whole_windows     if the border counts, and a window goes beyond its end
    xlvi_avgpool_before_first_row  if a window begins above the picture
    xlvi_avgpool_half_sum          of sums that no half has
    xlvi_avgpool_no_loop           from 513 results on
    xlvi_avgpool_square            unless a plane has as many rows of results as columns
    xlvi_router_same_twice         of every token
    xlvi_router_from_0             unless the two best logits are above 0
    xlvi_router_last_of_equal      of equal logits that are among the two best
    xlvi_router_8_experts          if an expert from the ninth on is among the two best
    xlvi_router_seconds_behind     from 2 tokens on
    xlvi_sparse_last_chunk         if 32 rows have more than 96 entries
    xlvi_sparse_place_of_entry     unless entries are in the order of their columns
    xlvi_sparse_empty_rows         of empty rows, unless zeros are there before
    xlvi_sparse_before_first       of the first row
    xlvi_sparse_whole_blocks       if the rows are no multiple of 32
    xlvi_recur_turned              from 2 steps on, unless nothing decays
    xlvi_recur_first_lanes         unless a step that is done again changes nothing
    xlvi_recur_state_of_first      from 2 steps on
    xlvi_recur_begins_anew         from 33 steps on
    xlvi_recur_rest_is_0           unless 32 divides the steps, or the last state is 0

Three are right on the emulator, and wrong by reasoning:

    xlvi_bag_no_stream             on every stream but the default one
    xlvi_places_one_barrier        where warps do not wait for another
    xlvi_solve_no_wait             the same, unless unit is set
"""

# ruff: noqa: E501 (a line of a kernel stands in one line)
from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import whole

# A library of state space models: a short causal convolution of each channel, tile by tile.
DWCONV = (
    HEADER
    + """\
struct ConvParams {
  int batch, dim, width;
  int64_t seqlen;
  bool silu;
};

template <int kThreads, int kMaxWidth>
__global__ void causal_conv1d(const float* x, const float* weight, const float* bias, float* out, ConvParams p) {
  __shared__ float smem[kThreads + kMaxWidth - 1];
  const int64_t channel = blockIdx.x;
  const int halo = p.width - 1;
  float w[kMaxWidth];
  for (int k = 0; k < p.width; ++k) w[k] = weight[channel * p.width + k];

  for (int64_t b = blockIdx.y; b < p.batch; b += gridDim.y) {
    const int64_t row = (b * p.dim + channel) * p.seqlen;
    for (int64_t start = 0; start < p.seqlen; start += kThreads) {
      // the tile and what is before it
      for (int i = threadIdx.x; i < kThreads + halo; i += kThreads) {
        const int64_t t = start - halo + i;
        smem[i] = t >= 0 && t < p.seqlen ? x[row + t] : 0.0f;
      }
      __syncthreads();
      const int64_t t = start + threadIdx.x;
      if (t < p.seqlen) {
        float sum = bias[channel];
        for (int k = 0; k < p.width; ++k) sum += w[k] * smem[threadIdx.x + k];
        if (p.silu) sum = sum / (1.0f + expf(-sum));
        out[row + t] = sum;
      }
      __syncthreads();
    }
  }
}

// width is at most 8
extern "C" void launch(const float* x,       // [batch, dim, seqlen]
                       const float* weight,  // [dim, width]
                       const float* bias,    // [dim]
                       float* out,           // [batch, dim, seqlen]
                       int silu, int batch, int dim, int seqlen, int width, cudaStream_t stream = 0) {
  const ConvParams p{batch, dim, width, seqlen, silu != 0};
  causal_conv1d<64, 8><<<dim3(dim, batch < 2 ? batch : 2), 64, 0, stream>>>(x, weight, bias, out, p);
}
"""
)

# A library for recommendations: the mean of the rows of a table that a bag names.
BAG = (
    HEADER
    + """\
namespace bags {

constexpr int kColumns = 32;
constexpr int kBags = 3;  // of a block

// Bag b has indices[offsets[b]] up to the next bag's first one, the last bag all that are left.
// An index that is padding_idx does not count. The mean of none is 0.
__global__ void mean_forward(const float* __restrict__ table, const int64_t* __restrict__ indices, const int64_t* __restrict__ offsets,
                             float* __restrict__ output, int64_t padding_idx, int64_t n_bags, int64_t n_indices, int64_t dim) {
  const int64_t bag = static_cast<int64_t>(blockIdx.x) * kBags + threadIdx.y;
  if (bag >= n_bags) {
    return;
  }
  const int64_t begin = offsets[bag];
  const int64_t end = bag + 1 < n_bags ? offsets[bag + 1] : n_indices;
  for (int64_t d = threadIdx.x; d < dim; d += kColumns) {
    float acc = 0.0f;
    int64_t seen = 0;
    for (int64_t i = begin; i < end; ++i) {
      const int64_t idx = indices[i];
      if (idx == padding_idx) {
        continue;
      }
      acc += table[idx * dim + d];
      ++seen;
    }
    output[bag * dim + d] = seen > 0 ? acc / static_cast<float>(seen) : 0.0f;
  }
}

}  // namespace bags

extern "C" void launch(const float* table,      // [n_rows, dim]
                       const int64_t* indices,  // [n_indices]
                       const int64_t* offsets,  // [n_bags]
                       float* output,           // [n_bags, dim]
                       int64_t padding_idx, int64_t n_rows, int64_t dim, int64_t n_indices, int64_t n_bags, cudaStream_t stream = 0) {
  const dim3 block(bags::kColumns, bags::kBags);
  const int64_t blocks = (n_bags + bags::kBags - 1) / bags::kBags;
  bags::mean_forward<<<static_cast<unsigned>(blocks), block, 0, stream>>>(table, indices, offsets, output, padding_idx, n_bags, n_indices, dim);
}
"""
)

# A teacher of warps: the places in each row where a number is not 0, by votes.
PLACES = (
    HEADER
    + """\
#define WARPS 2
#define FULL 0xffffffffu

// places[r] = the columns with a number other than 0, in order, then -1 up to the end of the row
__global__ void row_places(const float *x, int *places, int *counts, int rows, int cols)
{
    __shared__ int in_warp[WARPS];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned below = (1u << lane) - 1u;   // the lanes before this one

    for (int64_t r = blockIdx.x; r < rows; r += gridDim.x) {
        int kept = 0;   // before this step; all threads know it
        for (int64_t c0 = 0; c0 < cols; c0 += WARPS * 32) {
            int64_t c = c0 + threadIdx.x;
            bool keep = c < cols && x[r * cols + c] != 0.0f;
            unsigned votes = __ballot_sync(FULL, keep);
            if (lane == 0)
                in_warp[warp] = __popc(votes);
            __syncthreads();

            int before = kept;
            for (int w = 0; w < WARPS; w++) {
                if (w < warp)
                    before += in_warp[w];
                kept += in_warp[w];
            }
            if (keep)
                places[r * cols + before + __popc(votes & below)] = (int)c;
            __syncthreads();
        }
        for (int64_t c = kept + threadIdx.x; c < cols; c += WARPS * 32)
            places[r * cols + c] = -1;
        if (threadIdx.x == 0)
            counts[r] = kept;
    }
}

extern "C" void launch(const float *x,  // [rows, cols]
                       int *places,     // [rows, cols]
                       int *counts,     // [rows]
                       int rows, int cols, cudaStream_t stream = 0)
{
    int blocks = rows < 9 ? rows : 9;
    row_places<<<blocks, WARPS * 32, 0, stream>>>(x, places, counts, rows, cols);
}
"""
)

# A library for vision: pictures of another size by linear steps between four pixels.
RESIZE = (
    HEADER
    + """\
namespace {

struct Taps { int lo, hi; float w; };  // (1 - w) * p[lo] + w * p[hi]

// Centres of pixels lie at 0.5, 1.5, ...; beyond the first and the last centre all is equal.
__device__ __forceinline__ Taps tapsOf(int dst, float scale, int size)
{
    float src = (dst + 0.5f) * scale - 0.5f;
    if (src < 0.0f) src = 0.0f;
    Taps t;
    t.lo = (int)src;
    if (t.lo > size - 1) t.lo = size - 1;
    t.hi = t.lo + 1 < size ? t.lo + 1 : t.lo;
    t.w = src - t.lo;
    return t;
}

__global__ void resizeLinear(const float* src, float* dst, int n, int h, int w, int oh, int ow, float sy, float sx)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= ow || y >= oh)
        return;
    const Taps v = tapsOf(y, sy, h);
    const Taps u = tapsOf(x, sx, w);
    for (int64_t i = blockIdx.z; i < n; i += gridDim.z)
    {
        const float* p = src + i * h * w;
        const float* top = p + (int64_t)v.lo * w;
        const float* bottom = p + (int64_t)v.hi * w;
        const float a = top[u.lo] + (top[u.hi] - top[u.lo]) * u.w;
        const float b = bottom[u.lo] + (bottom[u.hi] - bottom[u.lo]) * u.w;
        dst[(i * oh + y) * ow + x] = a + (b - a) * v.w;
    }
}

}  // namespace

extern "C" void launch(const float* src,  // [n, h, w]
                       float* dst,        // [n, oh, ow]
                       int n, int h, int w, int oh, int ow, cudaStream_t stream = 0)
{
    const dim3 block(16, 4), grid((ow + 15) / 16, (oh + 3) / 4, n < 3 ? n : 3);
    resizeLinear<<<grid, block, 0, stream>>>(src, dst, n, h, w, oh, ow, (float)h / oh, (float)w / ow);
}
"""
)

# A trainer of language models: cross entropy with smoothed labels, a warp a row.
XENT = (
    HEADER
    + """\
__device__ inline float warpMax(float v) {
  for (int o = 16; o > 0; o >>= 1) v = fmaxf(v, __shfl_xor_sync(0xffffffff, v, o));
  return v;
}

__device__ inline float warpSum(float v) {
  for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffff, v, o);
  return v;
}

// F.cross_entropy(logits, target, reduction="none", ignore_index=ignore, label_smoothing=smoothing)
__global__ void crossEntropy(const __nv_bfloat16* logits, const int64_t* target, float* loss, float smoothing, int64_t ignore, int64_t n, int64_t vocab) {
  const int64_t row = int64_t(blockIdx.x) * blockDim.y + threadIdx.y;
  if (row >= n) return;
  const int64_t t = target[row];
  if (t == ignore) {
    if (threadIdx.x == 0) loss[row] = 0.0f;
    return;
  }
  const __nv_bfloat16* x = logits + row * vocab;

  float peak = -INFINITY;
  for (int64_t j = threadIdx.x; j < vocab; j += 32) peak = fmaxf(peak, __bfloat162float(x[j]));
  peak = warpMax(peak);
  float powers = 0.0f, total = 0.0f;
  for (int64_t j = threadIdx.x; j < vocab; j += 32) {
    const float v = __bfloat162float(x[j]) - peak;
    powers += expf(v);
    total += v;
  }
  powers = warpSum(powers);
  total = warpSum(total);

  if (threadIdx.x == 0) {
    const float lse = logf(powers);  // of what is left when the largest is taken away
    const float hard = lse - (__bfloat162float(x[t]) - peak);
    const float soft = lse - total / vocab;
    loss[row] = (1.0f - smoothing) * hard + smoothing * soft;
  }
}

extern "C" void launch(const __nv_bfloat16* logits,  // [n, vocab]
                       const int64_t* target,        // [n]
                       float* loss,                  // [n]
                       float smoothing, int64_t ignore, int64_t n, int64_t vocab, cudaStream_t stream = 0) {
  crossEntropy<<<unsigned((n + 3) / 4), dim3(32, 4), 0, stream>>>(logits, target, loss, smoothing, ignore, n, vocab);
}
"""
)

# An early framework: what a convolution sees of a picture, in rows for a product.
IM2COL = (
    HEADER
    + """\
#define NET_KERNEL_LOOP(i, n) for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += (int64_t)blockDim.x * gridDim.x)

const int NET_NUM_THREADS = 96;

template <typename Dtype>
__global__ void im2col_gpu_kernel(const int64_t n, const Dtype* data_im, const int height, const int width, const int kernel_h, const int kernel_w,
                                  const int pad, const int stride, const int dilation, const int height_col, const int width_col, Dtype* data_col) {
  NET_KERNEL_LOOP(index, n) {
    const int64_t h_index = index / width_col;
    const int h_col = h_index % height_col;
    const int w_col = index % width_col;
    const int64_t c_im = h_index / height_col;
    const int64_t c_col = c_im * kernel_h * kernel_w;
    const int h_offset = h_col * stride - pad;
    const int w_offset = w_col * stride - pad;
    Dtype* data_col_ptr = data_col + (c_col * height_col + h_col) * width_col + w_col;
    const Dtype* data_im_ptr = data_im + (c_im * height + h_offset) * width + w_offset;
    for (int i = 0; i < kernel_h; ++i) {
      for (int j = 0; j < kernel_w; ++j) {
        const int h_im = h_offset + i * dilation;
        const int w_im = w_offset + j * dilation;
        *data_col_ptr = (h_im >= 0 && w_im >= 0 && h_im < height && w_im < width) ? data_im_ptr[i * dilation * width + j * dilation] : Dtype(0);
        data_col_ptr += (int64_t)height_col * width_col;
      }
    }
  }
}

extern "C" void launch(const float* data_im,  // [channels, height, width]
                       float* data_col,       // [channels, kernel_h, kernel_w, height_col, width_col]
                       int pad, int stride, int dilation, int channels, int height, int width, int kernel_h, int kernel_w,
                       int height_col, int width_col, cudaStream_t stream = 0) {
  const int64_t num_kernels = (int64_t)channels * height_col * width_col;
  const int64_t blocks = (num_kernels + NET_NUM_THREADS - 1) / NET_NUM_THREADS;
  im2col_gpu_kernel<float><<<(unsigned)(blocks < 5 ? blocks : 5), NET_NUM_THREADS, 0, stream>>>(
      num_kernels, data_im, height, width, kernel_h, kernel_w, pad, stride, dilation, height_col, width_col, data_col);
}
"""
)

# A quantizer: weights of four bits, eight in a word in an order of their own, become halves.
NIBBLES = (
    HEADER
    + """\
// bits 4k .. 4k + 3 of a word belong to weight kWeightOf[k] of its eight
constexpr int kThreads = 64;

__device__ __forceinline__ int shift_of(int j) { return 4 * (j / 2 + (j % 2) * 4); }

union Pack {
  half h[8];
  uint4 all;
};

__global__ void dequantize_w4(const uint32_t* __restrict__ qweight, const half* __restrict__ scales, const uint8_t* __restrict__ qzeros,
                              half* __restrict__ out, int64_t words, int64_t groups, int group_words) {
  const int64_t row = blockIdx.y;
  for (int64_t k = int64_t(blockIdx.x) * kThreads + threadIdx.x; k < words; k += int64_t(gridDim.x) * kThreads) {
    const uint32_t word = qweight[row * words + k];
    const int64_t g = k / group_words;
    const float scale = __half2float(scales[row * groups + g]);
    const int zero = qzeros[row * groups + g];
    Pack pack;
    for (int j = 0; j < 8; ++j) {
      const int q = (word >> shift_of(j)) & 0xf;
      pack.h[j] = __float2half(scale * (q - zero));
    }
    reinterpret_cast<uint4*>(out)[row * words + k] = pack.all;
  }
}

extern "C" void launch(const uint32_t* qweight,  // [rows, words]
                       const half* scales,       // [rows, groups]
                       const uint8_t* qzeros,    // [rows, groups]
                       half* out,                // [rows, words, 8] 16-byte aligned
                       int group_words, int rows, int words, int groups, cudaStream_t stream = 0) {
  const unsigned across = (words + kThreads - 1) / kThreads;
  dequantize_w4<<<dim3(across < 2 ? across : 2, rows), kThreads, 0, stream>>>(qweight, scales, qzeros, out, words, groups, group_words);
}
"""
)

# A port of a library for linear algebra: L x = b for lower triangles, column after column.
SOLVE = (
    HEADER
    + """\
/*  Solves L(s) X(s) = B(s). L is [n, n] and lower triangular, what is above its
 *  diagonal is not referenced. With unit != 0 the diagonal is taken to be 1, and
 *  is not referenced. A block has one right side at a time.                     */
#define NB 64

__global__ void dtrsv_lower(const double *L, const double *B, double *X, int unit, int64_t n, int64_t nrhs)
{
    const double *A = L + blockIdx.y * n * n;
    const double *b = B + blockIdx.y * n * nrhs;
    double *x = X + blockIdx.y * n * nrhs;

    for (int64_t r = blockIdx.x; r < nrhs; r += gridDim.x) {
        for (int64_t i = threadIdx.x; i < n; i += NB)
            x[i * nrhs + r] = b[i * nrhs + r];
        __syncthreads();

        for (int64_t j = 0; j < n; j++) {
            /* no thread changes x(j) any more, but the one that divides it */
            if (!unit && threadIdx.x == 0)
                x[j * nrhs + r] /= A[j * n + j];
            __syncthreads();
            const double temp = x[j * nrhs + r];
            for (int64_t i = j + 1 + threadIdx.x; i < n; i += NB)
                x[i * nrhs + r] -= temp * A[i * n + j];
            __syncthreads();
        }
    }
}

extern "C" void launch(const double *L /* [batch, n, n] */, const double *B /* [batch, n, nrhs] */, double *X /* [batch, n, nrhs] */,
                       int unit, int batch, int n, int nrhs, cudaStream_t stream = 0)
{
    dim3 grid(nrhs < 6 ? nrhs : 6, batch);
    dtrsv_lower<<<grid, NB, 0, stream>>>(L, B, X, unit, n, nrhs);
}
"""
)

# A framework's mean pooling, with or without the border of zeros in the mean.
AVGPOOL = (
    HEADER
    + """\
template <typename scalar_t, typename accscalar_t>
__global__ void avg_pool2d_out_frame(const int64_t nthreads, const scalar_t* const bottom, const int height, const int width, const int pooled_height,
                                     const int pooled_width, const int k, const int stride, const int pad, const bool count_include_pad, scalar_t* const top) {
  for (int64_t index = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; index < nthreads; index += int64_t(blockDim.x) * gridDim.x) {
    const int pw = index % pooled_width;
    const int ph = (index / pooled_width) % pooled_height;
    const int64_t plane = index / pooled_width / pooled_height;
    int hstart = ph * stride - pad;
    int wstart = pw * stride - pad;
    int hend = min(hstart + k, height + pad);
    int wend = min(wstart + k, width + pad);
    const int pool_size = (hend - hstart) * (wend - wstart);
    hstart = max(hstart, 0);
    wstart = max(wstart, 0);
    hend = min(hend, height);
    wend = min(wend, width);

    accscalar_t aveval = accscalar_t(0);
    const scalar_t* const slice = bottom + plane * height * width;
    for (int h = hstart; h < hend; ++h) {
      for (int w = wstart; w < wend; ++w) {
        aveval += static_cast<accscalar_t>(slice[int64_t(h) * width + w]);
      }
    }
    const int divide_factor = count_include_pad ? pool_size : (hend - hstart) * (wend - wstart);
    top[index] = static_cast<scalar_t>(aveval / divide_factor);
  }
}

// every window has a pixel of the picture in it
extern "C" void launch(const half* bottom,  // [planes, height, width]
                       half* top,           // [planes, pooled_height, pooled_width]
                       int k, int stride, int pad, int count_include_pad, int planes, int height, int width, int pooled_height, int pooled_width,
                       cudaStream_t stream = 0) {
  const int64_t count = int64_t(planes) * pooled_height * pooled_width;
  const int64_t blocks = (count + 127) / 128;
  avg_pool2d_out_frame<half, float><<<unsigned(blocks < 4 ? blocks : 4), 128, 0, stream>>>(
      count, bottom, height, width, pooled_height, pooled_width, k, stride, pad, count_include_pad != 0, top);
}
"""
)

# A server for mixtures of experts: the two best experts of a token, eight lanes a token.
ROUTER = (
    HEADER
    + """\
#define LANES 8
#define TOKENS 16  // of a block

struct Pick {
    float logit;
    int expert;
};

// the larger one, of equal ones the first expert
__device__ Pick better(Pick a, Pick b) {
    bool second = b.logit > a.logit || (b.logit == a.logit && b.expert < a.expert);
    return second ? b : a;
}

__device__ Pick best_of(const float* logits, int lane, int experts, int without) {
    Pick best = {-INFINITY, INT32_MAX};
    for (int e = lane; e < experts; e += LANES) {
        if (e != without) best = better(best, Pick{logits[e], e});
    }
    for (int step = LANES / 2; step > 0; step /= 2) {
        Pick other;
        other.logit = __shfl_xor_sync(0xffffffff, best.logit, step);
        other.expert = __shfl_xor_sync(0xffffffff, best.expert, step);
        best = better(best, other);
    }
    return best;
}

__global__ void route(const float* logits, float* weights, int* ids, int tokens, int experts) {
    int lane = threadIdx.x % LANES;
    int64_t token = (int64_t)blockIdx.x * TOKENS + threadIdx.x / LANES;
    // all lanes of a warp take part in its shuffles, those of no token have the last one
    bool is_one = token < tokens;
    if (!is_one) token = tokens - 1;

    const float* own = logits + token * experts;
    Pick first = best_of(own, lane, experts, -1);
    Pick second = best_of(own, lane, experts, first.expert);
    if (is_one && lane == 0) {
        float power = expf(second.logit - first.logit);
        weights[token * 2] = 1.0f / (1.0f + power);
        weights[token * 2 + 1] = power / (1.0f + power);
        ids[token * 2] = first.expert;
        ids[token * 2 + 1] = second.expert;
    }
}

// there are two experts at least, and no NaN among their logits
extern "C" void launch(const float* logits,  // [tokens, experts]
                       float* weights,       // [tokens, 2]
                       int* ids,             // [tokens, 2]
                       int tokens, int experts, cudaStream_t stream = 0) {
    route<<<(tokens + TOKENS - 1) / TOKENS, TOKENS * LANES, 0, stream>>>(logits, weights, ids, tokens, experts);
}
"""
)

# A thesis on sparse matrices: a block streams the products of its rows through shared memory.
SPARSE = (
    HEADER
    + """\
namespace spmv {

enum { ROWS = 32, CHUNK = 96 };

// Row r has the entries ends[r - 1] .. ends[r] - 1, row 0 those from 0 on.
__global__ void csr_stream(const int* ends, const int* cols, const float* vals, const float* x, float* y, float alpha, int n_rows)
{
    __shared__ float products[CHUNK];

    const int first = blockIdx.x * ROWS;
    const int last = min(first + ROWS, n_rows) - 1;
    const int begin = first > 0 ? ends[first - 1] : 0;
    const int end = ends[last];

    const int row = first + threadIdx.x;
    const bool has_row = threadIdx.x < ROWS && row < n_rows;
    const int lo = has_row && row > 0 ? ends[row - 1] : 0;
    const int hi = has_row ? ends[row] : 0;

    float sum = 0.0f;
    for (int base = begin; base < end; base += CHUNK) {
        const int i = base + threadIdx.x;
        if (i < end)
            products[threadIdx.x] = vals[i] * x[cols[i]];
        __syncthreads();
        for (int j = max(lo, base); j < min(hi, base + CHUNK); ++j)
            sum += products[j - base];
        __syncthreads();
    }
    if (has_row)
        y[row] = alpha * sum;
}

}  // namespace spmv

extern "C" void launch(const int* ends,    // [n_rows]
                       const int* cols,    // [n_entries]
                       const float* vals,  // [n_entries]
                       const float* x,     // [n_cols]
                       float* y,           // [n_rows]
                       float alpha, int n_rows, int n_entries, int n_cols, cudaStream_t stream = 0)
{
    const int blocks = (n_rows + spmv::ROWS - 1) / spmv::ROWS;
    spmv::csr_stream<<<blocks, spmv::CHUNK, 0, stream>>>(ends, cols, vals, x, y, alpha, n_rows);
}
"""
)

# A modernist's linear recurrence h = decay * h + x along time, a scan of steps in each warp.
RECUR = (
    HEADER
    + """\
namespace recurrence {

inline constexpr int lanes = 32;
inline constexpr int warps = 3;
inline constexpr unsigned all = 0xffffffffu;

// What some steps in a row do to a state: state -> scale * state + shift.
struct affine {
    float scale = 1.0f;
    float shift = 0.0f;

    __device__ auto operator()(float const state) const -> float { return scale * state + shift; }
};

// First a, then b.
__device__ auto then(affine const a, affine const b) -> affine
{
    return {a.scale * b.scale, b.scale * a.shift + b.shift};
}

__global__ void scan(float const* decay, float const* x, float const* initial, float* states, float* last, int rows, int64_t steps)
{
    auto const lane = static_cast<int>(threadIdx.x);
    auto const row = int64_t{blockIdx.x} * warps + threadIdx.y;
    if (row >= rows) return;

    auto state = initial[row];
    for (auto t0 = int64_t{0}; t0 < steps; t0 += lanes) {
        auto const t = t0 + lane;
        auto step = t < steps ? affine{decay[row * steps + t], x[row * steps + t]} : affine{};
        for (auto k = 1; k < lanes; k *= 2) {
            auto const before = affine{__shfl_up_sync(all, step.scale, k), __shfl_up_sync(all, step.shift, k)};
            if (lane >= k) step = then(before, step);
        }
        auto const mine = step(state);
        if (t < steps) states[row * steps + t] = mine;
        state = __shfl_sync(all, mine, lanes - 1);
    }
    if (lane == 0) last[row] = state;
}

}  // namespace recurrence

extern "C" void launch(float const* decay,    // [rows, steps]
                       float const* x,        // [rows, steps]
                       float const* initial,  // [rows]
                       float* states,         // [rows, steps]
                       float* last,           // [rows]
                       int rows, int steps, cudaStream_t stream = 0)
{
    using namespace recurrence;
    auto const blocks = (rows + warps - 1) / warps;
    scan<<<blocks, dim3(lanes, warps), 0, stream>>>(decay, x, initial, states, last, rows, steps);
}
"""
)

INF, NAN = float("inf"), float("nan")


def convolutions(launcher: Launcher) -> Iterator[Case]:
    """Filter whole numbers, so that sums are exact; then bend them; of one tile and more."""
    sides = ((1, 1, 1, 1), (2, 3, 5, 4), (1, 2, 63, 3), (3, 1, 64, 4), (2, 2, 65, 2))
    for batch, dim, seqlen, width in (
        *sides,
        (1, 4, 7, 8),
        (5, 2, 130, 4),
        (1, 33, 3, 1),
        (1, 1, 1000, 7),
    ):
        count = batch * dim * seqlen
        x = whole(-50, 51, count, count).float().reshape(batch, dim, seqlen)
        w = whole(-9, 10, dim * width, count + 1).float().reshape(dim, width)
        bias = whole(-99, 100, dim, count + 2).float()
        t = torch.arange(seqlen)
        for label, y, silu in (
            ("whole", x, 0),
            ("positive", x.abs() + 1, 0),
            ("one is huge", torch.where(t == seqlen // 2, 2.0**20, x * 0), 0),
            ("an infinity", torch.where(t == seqlen // 2, INF, x), 0),
            ("small", x / 512, 1),
            ("whole", x / 8, 1),
        ):
            wide = torch.nn.functional.pad(y.double(), (width - 1, 0))
            taps = [w.double()[:, k, None] * wide[..., k : k + seqlen] for k in range(width)]
            right = bias.double()[:, None] + sum(taps)
            size = bias.double().abs()[:, None] + sum(x.abs() for x in taps)
            slack = torch.zeros_like(right)
            if silu:
                right = right * torch.sigmoid(right)
                slack = 2.0**-20 * (size + right.abs()) + 2.0**-100
            words = f"batch = {batch}, dim = {dim}, seqlen = {seqlen:,}, width = {width}"
            options = {"dtypes": (torch.float32,), "within": (slack,)}
            yield Case(
                f"{words}, silu = {silu}, {label}",
                (y, w, bias),
                (right,),
                {"silu": silu},
                **options,
            )


def bags(launcher: Launcher) -> Iterator[Case]:
    """Take means of rows: of one, of many, of the same, of none; some do not count."""
    sides = ((1, 1, 1, 1), (3, 2, 4, 2), (5, 7, 31, 3), (9, 33, 32, 4), (20, 50, 33, 7))
    for n_rows, n_indices, dim, n_bags in (
        *sides,
        (4, 9, 70, 5),
        (100, 300, 5, 65),
        (2, 1000, 3, 10),
    ):
        table = whole(-999, 1000, n_rows * dim, dim).float().reshape(n_rows, dim)
        indices = whole(0, n_rows, n_indices, n_indices)
        cuts = whole(0, n_indices + 1, n_bags, n_bags).sort()[0]
        cuts[0] = 0
        even = torch.arange(n_bags) * n_indices // n_bags
        k = torch.arange(n_indices)
        for label, places, offsets, padding in (
            ("all count", indices, even, -1),
            ("any lengths", indices, cuts, -1),
            (
                "some do not count",
                torch.where(k % 3 == 1, n_rows - 1, indices),
                cuts,
                n_rows - 1,
            ),
            ("nearly none counts", torch.where(k % 5 > 0, 0, indices), even, 0),
            (
                "the last bag has none",
                indices,
                torch.where(even == even[-1], n_indices, even),
                -1,
            ),
        ):
            offsets = offsets.clone()
            offsets[0] = 0
            ends = torch.cat([offsets[1:], torch.tensor([n_indices])])
            inside = (k >= offsets[:, None]) & (k < ends[:, None]) & (places != padding)
            one = inside.double()
            right = (one @ table.double()[places]) / one.sum(1, keepdim=True).clamp(min=1)
            right = right + 0.0  # no -0.0
            words = f"{n_rows} rows, {n_indices:,} indices, dim = {dim}, {n_bags} bags, {label}"
            scalars, options = {"padding_idx": padding}, {"dtypes": (torch.float32,)}
            yield Case(words, (table, places, offsets), (right,), scalars, **options)


def nonzeros(launcher: Launcher) -> Iterator[Case]:
    """List places: of all, of none, of some, of both signs, of tiny numbers and NaN."""
    sides = ((1, 1), (3, 2), (2, 31), (9, 33), (10, 5), (4, 64), (30, 65), (2, 130), (1, 1000))
    for rows, cols in sides:
        n = rows * cols
        x = whole(-3, 4, n, n).float().reshape(rows, cols)
        c, r = torch.arange(cols), torch.arange(rows)[:, None]
        for label, y in (
            ("some", x),
            ("all", x.abs() + 1),
            ("none", torch.where(c % 2 == 0, 0.0, -0.0) + x * 0),
            ("few", torch.where((c * 7 + r) % 40 == 3, x - 5, x * 0)),
            ("negative and NaN", torch.where(c % 3 == 1, NAN, -x.abs())),
            ("tiny", torch.where(c % 2 == 0, 1e-44, -0.0) + x * 0),
            ("rows are full or empty", torch.where(r % 2 == 0, x * 0 + 2, x * 0)),
        ):
            kept = y != 0
            places = torch.full((rows, cols), -1)
            for k in range(rows):
                found = kept[k].nonzero()[:, 0]
                places[k, : len(found)] = found
            options = {"dtypes": (torch.int32, torch.int32)}
            words = f"rows = {rows}, cols = {cols:,}, {label}"
            yield Case(words, (y,), (places, kept.sum(1)), **options)


def resizes(launcher: Launcher) -> Iterator[Case]:
    """Enlarge and shrink pictures, each side by another factor."""
    sides = (
        (1, 1, 1, 1, 1),
        (2, 3, 4, 6, 8),
        (1, 5, 3, 2, 9),
        (4, 8, 8, 4, 2),
        (3, 7, 10, 7, 10),
    )
    for n, h, w, oh, ow in (
        *sides,
        (1, 2, 2, 33, 17),
        (5, 1, 6, 3, 1),
        (1, 40, 20, 30, 50),
        (2, 9, 1, 5, 4),
    ):
        count = n * h * w
        x = whole(-999, 1000, count, count).float().reshape(n, h, w)
        for label, y in (
            ("whole", x),
            ("a slope", torch.arange(h)[:, None] * 8.0 + torch.arange(w) + x * 0),
            ("far off 0", x + 5000),
        ):
            z = y.double()[:, None]
            right = torch.nn.functional.interpolate(z, (oh, ow), mode="bilinear")[:, 0]
            slack = torch.full_like(right, float(z.abs().max()) * 2.0**-19 * max(h, w, 4))
            words = f"n = {n}, {h} x {w} to {oh} x {ow}, {label}"
            options = {"dtypes": (torch.float32,), "within": (slack,)}
            yield Case(words, (y,), (right,), **options)


def losses(launcher: Launcher) -> Iterator[Case]:
    """Judge logits near 0, far off, rising and equal, with labels that do not count."""
    sides = ((1, 1), (2, 3), (3, 31), (5, 32), (4, 33), (9, 10), (33, 64), (2, 130), (1, 1000))
    for n, vocab in sides:
        count = n * vocab
        x = whole(-127, 128, count, count).float().reshape(n, vocab) / 16
        target = whole(0, vocab, n, count + 1)
        some = torch.where(torch.arange(n) % 3 == 0, -100, target)
        v = torch.arange(vocab)
        for label, y, t, ignore in (
            ("usual", x, target, -100),
            ("some ignored", x, some, -100),
            ("all ignored", x, target * 0 - 100, -100),
            ("far above 0", x + 200, target, -100),
            ("far below 0", x - 200, some, -100),
            ("rising", x * 0 + v % 100, target, -100),
            ("all equal", x * 0 + 3, some, -100),
            ("the last", x, target * 0 + vocab - 1, -100),
            ("label 0 ignored", x, some.clamp(min=0), 0),
            ("label -1 ignored", x, some.clamp(min=-1), -1),
        ):
            y = y.bfloat16()
            for smoothing in (0.0, 0.125, 1.0):
                logs = y.double().log_softmax(1)
                own = logs.gather(1, t.clamp(min=0)[:, None])[:, 0]
                right = -(1 - smoothing) * own - smoothing * logs.mean(1)
                right = torch.where(t == ignore, 0.0, right)
                size = logs.abs().amax(1) + vocab**0.5
                slack = torch.where(t == ignore, 0.0, 2.0**-19 * size)
                words = f"n = {n}, vocab = {vocab:,}, smoothing = {smoothing}, {label}"
                scalars = {"smoothing": smoothing, "ignore": ignore}
                options = {"dtypes": (torch.float32,), "within": (slack,)}
                yield Case(words, (y, t), (right,), scalars, **options)


def windows(launcher: Launcher) -> Iterator[Case]:
    """Unfold pictures: with and without a border, steps and gaps, of unequal sides."""
    for channels, height, width, kernel_h, kernel_w, pad, stride, dilation in (
        (1, 1, 1, 1, 1, 0, 1, 1),
        (2, 3, 4, 2, 2, 0, 1, 1),
        (1, 5, 7, 3, 3, 1, 1, 1),
        (3, 8, 6, 3, 2, 1, 2, 1),
        (2, 9, 11, 2, 3, 2, 1, 2),
        (1, 10, 40, 1, 5, 2, 3, 1),
        (4, 13, 12, 3, 3, 0, 1, 1),
        (5, 7, 5, 3, 3, 3, 2, 3),
    ):
        count = channels * height * width
        x = whole(-(2**20), 2**20, count, count).float().reshape(channels, height, width)
        setting = {"padding": pad, "stride": stride, "dilation": dilation}
        rows = (height + 2 * pad - dilation * (kernel_h - 1) - 1) // stride + 1
        columns = (width + 2 * pad - dilation * (kernel_w - 1) - 1) // stride + 1
        for label, y in (("usual", x), ("positive", x.abs() + 1), ("NaN", x * NAN)):
            made = torch.nn.functional.unfold(y.double()[None], (kernel_h, kernel_w), **setting)
            right = made.reshape(channels, kernel_h, kernel_w, rows, columns)
            scalars = {"pad": pad, "stride": stride, "dilation": dilation}
            words = (
                f"{channels} of {height} x {width}, {kernel_h} x {kernel_w}, {scalars}, {label}"
            )
            yield Case(words, (y,), (right,), scalars, dtypes=(torch.float32,))


def nibbles(launcher: Launcher) -> Iterator[Case]:
    """Unpack words of all bits with groups of one word and several, the last one shorter."""
    sides = ((1, 1, 1), (2, 3, 1), (3, 8, 4), (5, 33, 4), (1, 64, 16), (4, 65, 8), (2, 200, 16))
    for rows, words, group_words in (*sides, (1, 7, 100), (33, 2, 2)):
        groups = (words + group_words - 1) // group_words
        count = rows * words
        q = whole(0, 2**32, count, count).reshape(rows, words)
        scales = whole(1, 2048, rows * groups, count + 1).reshape(rows, groups)
        zeros = whole(0, 16, rows * groups, count + 2).reshape(rows, groups)
        for label, bits, s, z in (
            ("any", q, scales / 1024, zeros),
            ("no zero point", q, scales / 1024, zeros * 0),
            ("the largest zero point", q, scales / 1024, zeros * 0 + 255),
            ("negative scales", q, -scales / 64, zeros + 16),
            ("tiny scales", q, scales / 2**20, zeros),
            ("all bits", q * 0 + 2**32 - 1, scales / 4, zeros),
        ):
            s = s.half()
            g = torch.arange(words) // group_words
            order = torch.tensor([0, 4, 1, 5, 2, 6, 3, 7])
            weights = (bits[..., None] >> (4 * order)) & 15
            right = s.double()[:, g, None] * (weights - z[:, g, None])
            inputs = (bits.to(torch.uint32), s, z.to(torch.uint8))
            options = {"dtypes": (torch.float16,)}
            label = f"rows = {rows}, words = {words}, group_words = {group_words}, {label}"
            yield Case(label, inputs, (right,), {"group_words": group_words}, **options)


def triangles(launcher: Launcher) -> Iterator[Case]:
    """Solve systems of whole numbers, in which all is exact; above the diagonal is any."""
    sides = ((1, 1, 1), (2, 2, 3), (3, 5, 1), (1, 16, 4), (2, 31, 2), (1, 33, 7), (3, 66, 1))
    for batch, n, nrhs in (*sides, (1, 100, 2), (5, 3, 9)):
        count = batch * n * n
        low = whole(-3, 4, count, count).double().reshape(batch, n, n)
        low = low.tril(-1) * (whole(0, 4, count, count + 1).reshape(low.shape) == 0)
        diagonal = whole(1, 6, batch * n, count + 2).reshape(batch, n)
        diagonal = torch.where(diagonal % 2 == 0, -diagonal, diagonal).double()
        x = whole(1, 100, batch * n * nrhs, count + 3).double().reshape(batch, n, nrhs)
        x = torch.where(whole(0, 2, x.numel(), count + 4).reshape(x.shape) == 0, -x, x)
        for label, y, above in (
            ("usual", x, 0.0),
            ("large", x * 2**20, 1.0),
            ("one right side is small", torch.where(torch.arange(nrhs) == 0, x.sign(), x), 5.0),
            ("NaN above the diagonal", x, NAN),
        ):
            upper = torch.ones(n, n).triu(1) == 1
            for unit in (0, 1):
                full = low + torch.diag_embed(diagonal if unit == 0 else diagonal * 0 + 1)
                shown = low + torch.diag_embed(diagonal)
                shown = torch.where(upper, above, shown)
                inputs = (shown, full @ y)
                words = f"batch = {batch}, n = {n}, nrhs = {nrhs}, unit = {unit}, {label}"
                options = {"dtypes": (torch.float64,)}
                yield Case(words, inputs, (y,), {"unit": unit}, **options)


def pools(launcher: Launcher) -> Iterator[Case]:
    """Take means of windows: with a border and without, that run over the end, or touch it."""
    for planes, height, width, k, stride, pad, up in (
        (1, 1, 1, 1, 1, 0, 0),
        (2, 4, 6, 2, 2, 0, 0),
        (3, 5, 7, 3, 1, 1, 0),
        (1, 9, 4, 3, 2, 1, 1),
        (2, 6, 6, 3, 2, 0, 1),
        (4, 12, 20, 4, 3, 2, 0),
        (5, 11, 13, 2, 1, 1, 0),
        (1, 40, 33, 20, 5, 0, 0),
        (2, 70, 3, 3, 2, 1, 1),
    ):
        count = planes * height * width
        x = whole(-99, 100, count, count).reshape(planes, height, width)
        for label, y in (
            ("whole", x),
            ("positive", x.abs() + 1),
            ("large", x.abs() * 16 + 2048),
            ("sums are no halves", x.abs() % 2 + 1023),
        ):
            y = y.half()
            for count_pad in (1, 0):
                right = torch.nn.functional.avg_pool2d(
                    y.double()[None], k, stride, pad, up == 1, count_pad == 1
                )[0]
                scalars = {"k": k, "stride": stride, "pad": pad, "count_include_pad": count_pad}
                slack = torch.where(
                    right == 0, 0.0, 2.0 ** (torch.frexp(right)[1].clamp(min=-13) - 12.0)
                )
                words = f"{planes} of {height} x {width}, {scalars}, {label}"
                options = {"dtypes": (torch.float16,), "within": (slack * 1.01,)}
                yield Case(words, (y,), (right,), scalars, **options)


def routes(launcher: Launcher) -> Iterator[Case]:
    """Choose experts: at all places, of equal logits, far below 0, with infinite ones."""
    sides = (
        (1, 2),
        (3, 3),
        (5, 8),
        (16, 9),
        (17, 4),
        (2, 16),
        (33, 7),
        (4, 64),
        (70, 20),
        (1, 257),
    )
    for tokens, experts in sides:
        n = tokens * experts
        x = whole(-999, 1000, n, n).float().reshape(tokens, experts) / 64
        e, t = torch.arange(experts), torch.arange(tokens)[:, None]
        for label, y in (
            ("usual", x),
            ("few values", x.sign()),
            ("all equal", x * 0 - 2),
            ("far below 0", x - 500),
            ("rising", x * 0 + e),
            ("falling", x * 0 - e),
            ("all but two are -inf", torch.where((e - t) % experts < 2, x, -INF)),
            ("neighbours are best", torch.where((e - t) % experts < 2, x + 50, x)),
        ):
            order = y.double().sort(dim=1, descending=True, stable=True)
            two, ids = order[0][:, :2], order[1][:, :2]
            right = two.softmax(1)
            slack = right * 2.0**-18 + 2.0**-100
            options = {"dtypes": (torch.float32, torch.int32)}
            options["within"] = (slack, torch.zeros(tokens, 2).double())
            words = f"tokens = {tokens}, experts = {experts}, {label}"
            yield Case(words, (y,), (right, ids), **options)


def sparse(launcher: Launcher) -> Iterator[Case]:
    """Multiply sparse matrices with rows of one length, of any, empty ones and a long one."""
    sides = ((1, 1, 1), (2, 3, 4), (31, 40, 7), (32, 96, 50), (33, 97, 20), (70, 1000, 64))
    for n_rows, n_entries, n_cols in (*sides, (100, 60, 200), (5, 500, 3), (65, 200, 130)):
        vals = whole(-20, 21, n_entries, n_entries).float()
        cols = whole(0, n_cols, n_entries, n_entries + 1).int()
        x = whole(-50, 51, n_cols, n_entries + 2).float()
        even = (torch.arange(n_rows) + 1) * n_entries // n_rows
        cuts = whole(0, n_entries + 1, n_rows, n_entries + 3).sort()[0]
        middle = torch.where(torch.arange(n_rows) < n_rows // 2, 0, n_entries)
        for label, ends, v in (
            ("rows of one length", even, vals),
            ("rows of any length", cuts, vals.abs() + 1),
            ("one row has all", middle, vals),
        ):
            ends = ends.clone()
            ends[-1] = n_entries
            made = v.double() * x.double()[cols.long()]
            sums = torch.cat([torch.zeros(1).double(), made.cumsum(0)])[ends]
            plain = sums - torch.cat([torch.zeros(1).double(), sums[:-1]])
            for alpha in (1.0, -0.5):
                words = (
                    f"{n_rows} rows, {n_entries:,} entries, {n_cols} columns, alpha = {alpha}"
                )
                inputs, options = (ends.int(), cols, v, x), {"dtypes": (torch.float32,)}
                yield Case(
                    f"{words}, {label}", inputs, (alpha * plain,), {"alpha": alpha}, **options
                )


def recurrences(launcher: Launcher) -> Iterator[Case]:
    """Let states decay by small powers of 2, stay, be forgotten, and turn their sign."""
    sides = (
        (1, 1),
        (2, 2),
        (3, 31),
        (4, 32),
        (1, 33),
        (7, 5),
        (5, 65),
        (2, 100),
        (10, 64),
        (1, 500),
    )
    for rows, steps in sides:
        n = rows * steps
        x = whole(-99, 100, n, n).float().reshape(rows, steps)
        kinds = whole(0, 4, n, n + 1).reshape(rows, steps)
        initial = whole(-999, 1000, rows, n + 2).float()
        one = torch.ones(rows, steps)
        for label, a, y in (
            ("usual", torch.tensor([0.5, 0.25, -0.5, 1.0])[kinds], x),
            ("nothing decays", one, x),
            ("all is forgotten", torch.where(kinds == 0, 0.0, one), x),
            ("signs turn", torch.where(kinds == 1, -1.0, one), x),
            ("no input", one - kinds / 64, x * 0),
            ("slow", one - 2.0**-7, x.abs()),
        ):
            state, size = initial.double(), initial.double().abs()
            states, slack = [], []
            for t in range(steps):
                state = a[:, t].double() * state + y[:, t].double()
                size = a[:, t].double().abs() * size + y[:, t].double().abs()
                states.append(state)
                slack.append(size * 2.0**-19)
            right, within = torch.stack(states, 1), torch.stack(slack, 1)
            if label in ("nothing decays", "all is forgotten", "signs turn"):
                within = within * 0
            options = {"dtypes": (torch.float32,) * 2, "within": (within, within[:, -1])}
            words = f"rows = {rows}, steps = {steps}, {label}"
            yield Case(words, (a, y, initial), (right, state), **options)


BASES = {
    "xlvi_dwconv": Base(DWCONV, {"cases": convolutions}),
    "xlvi_bag": Base(BAG, {"cases": bags}),
    "xlvi_places": Base(PLACES, {"cases": nonzeros}),
    "xlvi_resize": Base(RESIZE, {"cases": resizes}),
    "xlvi_xent": Base(XENT, {"cases": losses}),
    "xlvi_im2col": Base(IM2COL, {"cases": windows}),
    "xlvi_nibbles": Base(NIBBLES, {"cases": nibbles}),
    "xlvi_solve": Base(SOLVE, {"cases": triangles}),
    "xlvi_avgpool": Base(AVGPOOL, {"cases": pools}),
    "xlvi_router": Base(ROUTER, {"cases": routes}),
    "xlvi_sparse": Base(SPARSE, {"cases": sparse}),
    "xlvi_recur": Base(RECUR, {"cases": recurrences}),
}

WRONG = (
    # ---- a causal convolution of each channel
    # The filter the other way round, as a convolution in the sense of mathematics has it.
    Wrong(
        "xlvi_dwconv_turned",
        "xlvi_dwconv",
        "other element / swapped / neighbour / function | numbers / sides",
        (
            "sum += w[k] * smem[threadIdx.x + k];",
            "sum += w[p.width - 1 - k] * smem[threadIdx.x + k];",
        ),
    ),
    # Half of the filter looks ahead, as padding of the same size on both sides has it.
    Wrong(
        "xlvi_dwconv_centred",
        "xlvi_dwconv",
        "neighbour / other element | tail / function / start / left out / numbers",
        ("const int64_t t = start - halo + i;", "const int64_t t = start - halo / 2 + i;"),
    ),
    # What is before a tile is 0, not only what is before the row.
    Wrong(
        "xlvi_dwconv_tiles_apart",
        "xlvi_dwconv",
        "left out / other element / neighbour | start / numbers / function / block size / tail / grid",
        ("t >= 0 && t < p.seqlen ?", "t >= start && t < p.seqlen ?"),
    ),
    # The next tile is loaded while a slow thread has still to read this one.
    Wrong(
        "xlvi_dwconv_one_barrier",
        "xlvi_dwconv",
        "race",
        (
            "        out[row + t] = sum;\n      }\n      __syncthreads();\n",
            "        out[row + t] = sum;\n      }\n",
        ),
    ),
    # The activation comes before the bias.
    Wrong(
        "xlvi_dwconv_bias_last",
        "xlvi_dwconv",
        "function | numbers / precision / rounding",
        ("float sum = bias[channel];", "float sum = 0.0f;"),
        ("        out[row + t] = sum;", "        out[row + t] = sum + bias[channel];"),
    ),
    # ---- means of rows of a table
    # A bag of none: 0 / 0.
    Wrong(
        "xlvi_bag_of_none",
        "xlvi_bag",
        "nan | numbers / function / left out",
        (
            "seen > 0 ? acc / static_cast<float>(seen) : 0.0f;",
            "acc / static_cast<float>(seen);",
        ),
    ),
    # An offset behind the last one is taken to be there.
    Wrong(
        "xlvi_bag_one_more_offset",
        "xlvi_bag",
        "bounds | tail",
        ("bag + 1 < n_bags ? offsets[bag + 1] : n_indices;", "offsets[bag + 1];"),
    ),
    # The sum of a thread goes on in its next column.
    Wrong(
        "xlvi_bag_sum_goes_on",
        "xlvi_bag",
        "start / other element / zero before / twice | numbers / function / sides / left out",
        ("    float acc = 0.0f;\n", ""),
        (
            "  for (int64_t d = threadIdx.x;",
            "  float acc = 0.0f;\n  for (int64_t d = threadIdx.x;",
        ),
    ),
    # Padding is taken to be at the end of a bag.
    Wrong(
        "xlvi_bag_ends_at_padding",
        "xlvi_bag",
        "left out | function / numbers / other element",
        ("        continue;\n", "        break;\n"),
    ),
    # No stream.
    Wrong(
        "xlvi_bag_no_stream",
        "xlvi_bag",
        "stream | race",
        (
            "<<<static_cast<unsigned>(blocks), block, 0, stream>>>",
            "<<<static_cast<unsigned>(blocks), block>>>",
        ),
    ),
    # ---- places of what is not 0
    # The vote of the lane itself is counted among those before it.
    Wrong(
        "xlvi_places_own_vote",
        "xlvi_places",
        "neighbour / bounds / other element / unwritten | race / tail / start / numbers / twice",
        ("unsigned below = (1u << lane) - 1u;", "unsigned below = (2u << lane) - 1u;"),
    ),
    # The warps before are left out.
    Wrong(
        "xlvi_places_warps_collide",
        "xlvi_places",
        "race / other element / left out / unwritten / twice | numbers / block size / neighbour",
        (
            "                if (w < warp)\n                    before += in_warp[w];\n                kept += in_warp[w];\n",
            "                kept += in_warp[w];\n",
        ),
    ),
    # The rest of a row is left as it is.
    Wrong(
        "xlvi_places_no_rest",
        "xlvi_places",
        "unwritten | tail / left out / zero before / state",
        (
            "        for (int64_t c = kept + threadIdx.x; c < cols; c += WARPS * 32)\n            places[r * cols + c] = -1;\n",
            "",
        ),
    ),
    # Above 0 in place of other than 0.
    Wrong(
        "xlvi_places_above_0",
        "xlvi_places",
        "numbers / left out / nan / function | subnormal / unwritten / other element",
        ("x[r * cols + c] != 0.0f;", "x[r * cols + c] > 0.0f;"),
    ),
    # The counts of the next step are written while a slow warp has still to read these.
    Wrong(
        "xlvi_places_one_barrier",
        "xlvi_places",
        "race",
        (
            "                places[r * cols + before + __popc(votes & below)] = (int)c;\n            __syncthreads();\n",
            "                places[r * cols + before + __popc(votes & below)] = (int)c;\n",
        ),
    ),
    # ---- pictures of another size
    # The corner of a pixel in place of its centre.
    Wrong(
        "xlvi_resize_corners",
        "xlvi_resize",
        "function / other element / neighbour | numbers / left out / sides / start",
        ("(dst + 0.5f) * scale - 0.5f;", "dst * scale;"),
    ),
    # There is always a pixel behind.
    Wrong(
        "xlvi_resize_pixel_behind",
        "xlvi_resize",
        "bounds / neighbour / other element | tail / sides",
        ("t.hi = t.lo + 1 < size ? t.lo + 1 : t.lo;", "t.hi = t.lo + 1;"),
    ),
    # The two scales have changed places.
    Wrong(
        "xlvi_resize_scales_swapped",
        "xlvi_resize",
        "swapped / sides / other element / function | numbers",
        ("(float)h / oh, (float)w / ow);", "(float)w / ow, (float)h / oh);"),
    ),
    # The scale is a quotient of integers.
    Wrong(
        "xlvi_resize_whole_scale",
        "xlvi_resize",
        "rounding / function / other element / precision | numbers / sides / left out / swapped / copy",
        ("(float)h / oh, (float)w / ow);", "(float)(h / oh), (float)(w / ow));"),
    ),
    # ---- cross entropy
    # No largest logit is taken away.
    Wrong(
        "xlvi_xent_no_peak",
        "xlvi_xent",
        "infinity / nan | numbers / function / precision",
        ("  peak = warpMax(peak);\n", "  peak = 0.0f;\n"),
    ),
    # The largest starts from 0.
    Wrong(
        "xlvi_xent_peak_from_0",
        "xlvi_xent",
        "start / infinity / nan | numbers / precision / subnormal / function",
        ("float peak = -INFINITY;", "float peak = 0.0f;"),
    ),
    # A row without a label is left as it is.
    Wrong(
        "xlvi_xent_ignored_unwritten",
        "xlvi_xent",
        "unwritten | left out / zero before / state / numbers",
        ("    if (threadIdx.x == 0) loss[row] = 0.0f;\n    return;\n", "    return;\n"),
    ),
    # The soft part is a sum, not a mean.
    Wrong(
        "xlvi_xent_soft_sum",
        "xlvi_xent",
        "function / left out | numbers",
        ("lse - total / vocab;", "lse - total;"),
    ),
    # The label that does not count is PyTorch's, whatever is given.
    Wrong(
        "xlvi_xent_ignores_100",
        "xlvi_xent",
        "left out / numbers / bounds | function / other element / unwritten",
        ("  if (t == ignore) {\n", "  if (t == -100) {\n"),
    ),
    # ---- windows of a picture
    # A column beyond the right side is the next row's first one.
    Wrong(
        "xlvi_im2col_right_side",
        "xlvi_im2col",
        "other element / sides / bounds / neighbour | left out / tail / numbers",
        ("h_im < height && w_im < width)", "h_im < height)"),
    ),
    # The border is left as it is.
    Wrong(
        "xlvi_im2col_border_unwritten",
        "xlvi_im2col",
        "unwritten | left out / zero before / state / tail",
        (
            "        *data_col_ptr = (h_im >= 0 && w_im >= 0 && h_im < height && w_im < width) ? data_im_ptr[i * dilation * width + j * dilation] : Dtype(0);\n",
            "        if (h_im >= 0 && w_im >= 0 && h_im < height && w_im < width) *data_col_ptr = data_im_ptr[i * dilation * width + j * dilation];\n",
        ),
    ),
    # What is tested has gaps, what is read has none.
    Wrong(
        "xlvi_im2col_reads_without_gaps",
        "xlvi_im2col",
        "other element / left out / neighbour / function | numbers / sides",
        ("data_im_ptr[i * dilation * width + j * dilation]", "data_im_ptr[i * width + j]"),
    ),
    # The channel's step forgets the size of the window.
    Wrong(
        "xlvi_im2col_channels_overlap",
        "xlvi_im2col",
        "race / unwritten / other element / left out / sides | numbers / twice / state",
        (
            "const int64_t c_col = c_im * kernel_h * kernel_w;",
            "const int64_t c_col = c_im * kernel_h;",
        ),
    ),
    # ---- weights of four bits
    # The weights of a word in the order of their bits.
    Wrong(
        "xlvi_nibbles_plain_order",
        "xlvi_nibbles",
        "other element / neighbour / swapped / function | numbers",
        ("return 4 * (j / 2 + (j % 2) * 4);", "return 4 * j;"),
    ),
    # A difference without a sign.
    Wrong(
        "xlvi_nibbles_unsigned",
        "xlvi_nibbles",
        "whole range / infinity / numbers | narrow / function / nan",
        ("const int zero = qzeros", "const uint32_t zero = qzeros"),
    ),
    # Groups take turns.
    Wrong(
        "xlvi_nibbles_group_of_rest",
        "xlvi_nibbles",
        "other element / bounds / sides / function | numbers / neighbour",
        ("const int64_t g = k / group_words;", "const int64_t g = k % group_words;"),
    ),
    # The two products are halves before they are subtracted.
    Wrong(
        "xlvi_nibbles_two_products",
        "xlvi_nibbles",
        "rounding / precision | numbers / infinity / nan / function",
        (
            "__float2half(scale * (q - zero));",
            "__hsub(__float2half(scale * q), __float2half(scale * zero));",
        ),
    ),
    # The scales of a group stand side by side.
    Wrong(
        "xlvi_nibbles_scales_turned",
        "xlvi_nibbles",
        "other element / sides / swapped | numbers / function / neighbour",
        ("scales[row * groups + g]", "scales[g * gridDim.y + row]"),
    ),
    # ---- triangles
    # No wait for the one that divides.
    Wrong(
        "xlvi_solve_no_wait",
        "xlvi_solve",
        "race",
        (
            "                x[j * nrhs + r] /= A[j * n + j];\n            __syncthreads();\n",
            "                x[j * nrhs + r] /= A[j * n + j];\n",
        ),
    ),
    # The diagonal is never taken to be 1.
    Wrong(
        "xlvi_solve_no_unit",
        "xlvi_solve",
        "left out / function / numbers | other element / sides",
        ("if (!unit && threadIdx.x == 0)", "if (threadIdx.x == 0)"),
    ),
    # The triangle as Fortran has it.
    Wrong(
        "xlvi_solve_fortran",
        "xlvi_solve",
        "swapped / sides / other element / nan | numbers / function / left out / infinity",
        ("-= temp * A[i * n + j];", "-= temp * A[j * n + i];"),
    ),
    # As many rows as threads.
    Wrong(
        "xlvi_solve_64_rows",
        "xlvi_solve",
        "left out | numbers / tail / block size / other element / function",
        (
            "            for (int64_t i = j + 1 + threadIdx.x; i < n; i += NB)\n",
            "            const int64_t i = j + 1 + threadIdx.x;\n            if (i < n)\n",
        ),
    ),
    # The right sides are where the work is done.
    Wrong(
        "xlvi_solve_in_place",
        "xlvi_solve",
        "input | state",
        (
            "const double *b = B + blockIdx.y * n * nrhs;\n    double *x = X + blockIdx.y * n * nrhs;",
            "double *out = X + blockIdx.y * n * nrhs;\n    double *x = const_cast<double *>(B) + blockIdx.y * n * nrhs;",
        ),
        (
            "        for (int64_t i = threadIdx.x; i < n; i += NB)\n            x[i * nrhs + r] = b[i * nrhs + r];\n        __syncthreads();\n\n",
            "",
        ),
        (
            "            const double temp = x[j * nrhs + r];\n",
            "            const double temp = x[j * nrhs + r];\n            if (threadIdx.x == 0)\n                out[j * nrhs + r] = temp;\n",
        ),
    ),
    # ---- mean pooling
    # All windows are taken to be whole.
    Wrong(
        "xlvi_avgpool_whole_windows",
        "xlvi_avgpool",
        "function / left out / sides | numbers / tail / other element",
        (
            "const int pool_size = (hend - hstart) * (wend - wstart);",
            "const int pool_size = k * k;",
        ),
    ),
    # The first row is not cut off.
    Wrong(
        "xlvi_avgpool_before_first_row",
        "xlvi_avgpool",
        "bounds / other element | function / numbers / sides / start",
        ("    hstart = max(hstart, 0);\n", ""),
    ),
    # The sum is a half.
    Wrong(
        "xlvi_avgpool_half_sum",
        "xlvi_avgpool",
        "precision / rounding / infinity / narrow | numbers",
        ("avg_pool2d_out_frame<half, float><<<", "avg_pool2d_out_frame<half, half><<<"),
        ("accscalar_t aveval = accscalar_t(0);", "accscalar_t aveval = accscalar_t(0.0f);"),
        (
            "aveval += static_cast<accscalar_t>(slice[int64_t(h) * width + w]);",
            "aveval = accscalar_t(float(aveval) + float(slice[int64_t(h) * width + w]));",
        ),
        (
            "static_cast<scalar_t>(aveval / divide_factor);",
            "static_cast<scalar_t>(float(aveval) / divide_factor);",
        ),
    ),
    # Pictures are square.
    Wrong(
        "xlvi_avgpool_square",
        "xlvi_avgpool",
        "sides / other element / bounds | numbers / swapped / function / unwritten",
        (
            "const int64_t plane = index / pooled_width / pooled_height;",
            "const int64_t plane = index / pooled_width / pooled_width;",
        ),
    ),
    # No loop, and as many blocks as before.
    Wrong(
        "xlvi_avgpool_no_loop",
        "xlvi_avgpool",
        "grid / unwritten / left out | tail",
        (
            "  for (int64_t index = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; index < nthreads; index += int64_t(blockDim.x) * gridDim.x) {\n",
            "  const int64_t index = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;\n  if (index < nthreads) {\n",
        ),
    ),
    # ---- the two best experts
    # The best one is chosen twice.
    Wrong(
        "xlvi_router_same_twice",
        "xlvi_router",
        "twice / other element / left out | numbers / function / copy",
        ("best_of(own, lane, experts, first.expert);", "best_of(own, lane, experts, -1);"),
    ),
    # Only logits above 0 are better than none.
    Wrong(
        "xlvi_router_from_0",
        "xlvi_router",
        "start | numbers / left out / other element / infinity / function / bounds",
        ("Pick best = {-INFINITY, INT32_MAX};", "Pick best = {0.0f, INT32_MAX};"),
    ),
    # Of equal ones the last expert.
    Wrong(
        "xlvi_router_last_of_equal",
        "xlvi_router",
        "other element / numbers | swapped / function / neighbour / left out",
        ("b.expert < a.expert);", "b.expert > a.expert);"),
    ),
    # Eight experts, as many as lanes.
    Wrong(
        "xlvi_router_8_experts",
        "xlvi_router",
        "left out | numbers / tail / other element / bounds / block size / unwritten / sides",
        (
            "    for (int e = lane; e < experts; e += LANES) {\n        if (e != without)",
            "    if (const int e = lane; e < experts) {\n        if (e != without)",
        ),
    ),
    # First all firsts, then all seconds.
    Wrong(
        "xlvi_router_seconds_behind",
        "xlvi_router",
        "sides / other element / swapped | numbers / neighbour",
        ("weights[token * 2 + 1] = power", "weights[tokens + token] = power"),
        ("        weights[token * 2] = 1.0f", "        weights[token] = 1.0f"),
    ),
    # ---- sparse matrices
    # The sum begins anew with each chunk.
    Wrong(
        "xlvi_sparse_last_chunk",
        "xlvi_sparse",
        "left out / start / other element | numbers / zero before / tail / function",
        (
            "        __syncthreads();\n        for (int j",
            "        __syncthreads();\n        sum = 0.0f;\n        for (int j",
        ),
    ),
    # The row of a place, not its column.
    Wrong(
        "xlvi_sparse_place_of_entry",
        "xlvi_sparse",
        "bounds / other element / left out / sides | numbers / function",
        ("vals[i] * x[cols[i]];", "vals[i] * x[i];"),
    ),
    # Empty rows are left as they are.
    Wrong(
        "xlvi_sparse_empty_rows",
        "xlvi_sparse",
        "unwritten | left out / zero before / state / numbers",
        ("    if (has_row)\n        y[row]", "    if (has_row && hi > lo)\n        y[row]"),
    ),
    # There is a number before the first one.
    Wrong(
        "xlvi_sparse_before_first",
        "xlvi_sparse",
        "bounds | start",
        ("has_row && row > 0 ? ends[row - 1] : 0;", "has_row ? ends[row - 1] : 0;"),
    ),
    # Whole blocks only.
    Wrong(
        "xlvi_sparse_whole_blocks",
        "xlvi_sparse",
        "grid / unwritten / tail / left out / refused",
        (
            "const int blocks = (n_rows + spmv::ROWS - 1) / spmv::ROWS;",
            "const int blocks = n_rows / spmv::ROWS;",
        ),
    ),
    # ---- a recurrence
    # The later steps first.
    Wrong(
        "xlvi_recur_turned",
        "xlvi_recur",
        "swapped / function / other element | numbers / race",
        ("b.scale * a.shift + b.shift};", "a.scale * b.shift + a.shift};"),
    ),
    # The first lanes have nobody before them, and take themselves.
    Wrong(
        "xlvi_recur_first_lanes",
        "xlvi_recur",
        "twice / other element / function / start / neighbour | numbers / bounds / infinity",
        ("            if (lane >= k) step = then", "            step = then"),
    ),
    # A state comes from the first lane.
    Wrong(
        "xlvi_recur_state_of_first",
        "xlvi_recur",
        "other element / left out | numbers / start / tail / race / neighbour",
        ("__shfl_sync(all, mine, lanes - 1);", "__shfl_sync(all, mine, 0);"),
    ),
    # Each 32 steps begin from the first state.
    Wrong(
        "xlvi_recur_begins_anew",
        "xlvi_recur",
        "left out / start / other element | numbers / tail / function / state",
        ("auto const mine = step(state);", "auto const mine = step(initial[row]);"),
    ),
    # Steps behind the end forget.
    Wrong(
        "xlvi_recur_rest_is_0",
        "xlvi_recur",
        "left out / tail / start / other element | numbers / function / copy",
        ("x[row * steps + t]} : affine{};", "x[row * steps + t]} : affine{0.0f, 0.0f};"),
    ),
)

RIGHT = (
    # The taps from the last one on, each as a pass of its own over the row in global memory.
    Right(
        "xlvi_dwconv_no_tile",
        "xlvi_dwconv",
        (
            "      for (int i = threadIdx.x; i < kThreads + halo; i += kThreads) {\n        const int64_t t = start - halo + i;\n        smem[i] = t >= 0 && t < p.seqlen ? x[row + t] : 0.0f;\n      }\n      __syncthreads();\n",
            "",
        ),
        (
            "        for (int k = 0; k < p.width; ++k) sum += w[k] * smem[threadIdx.x + k];\n",
            "        for (int k = halo; k >= 0; --k) sum = fmaf(t + k >= halo ? x[row + t + k - halo] : 0.0f, w[k], sum);\n",
        ),
        ("  __shared__ float smem[kThreads + kMaxWidth - 1];\n", ""),
        (
            "        out[row + t] = sum;\n      }\n      __syncthreads();\n",
            "        out[row + t] = sum;\n      }\n",
        ),
    ),
    # From the last index to the first, and what does not count is 0.
    Right(
        "xlvi_bag_backwards",
        "xlvi_bag",
        ("    int64_t seen = 0;\n", "    int64_t seen = end - begin;\n"),
        (
            "    for (int64_t i = begin; i < end; ++i) {\n",
            "    for (int64_t i = end; i-- > begin;) {\n",
        ),
        (
            "      if (idx == padding_idx) {\n        continue;\n      }\n      acc += table[idx * dim + d];\n      ++seen;\n",
            "      const bool counts = idx != padding_idx;\n      acc += counts ? table[idx * dim + d] : 0.0f;\n      seen -= !counts;\n",
        ),
        ("constexpr int kBags = 3;", "constexpr int kBags = 7;"),
    ),
    # -1 is everywhere before places are written, and a scan takes the place of votes.
    Right(
        "xlvi_places_fills_first",
        "xlvi_places",
        (
            "        int kept = 0;   // before this step; all threads know it\n",
            "        for (int64_t c = threadIdx.x; c < cols; c += WARPS * 32)\n            places[r * cols + c] = -1;\n        __syncthreads();\n        int kept = 0;   // before this step; all threads know it\n",
        ),
        (
            "            unsigned votes = __ballot_sync(FULL, keep);\n            if (lane == 0)\n                in_warp[warp] = __popc(votes);\n",
            "            int upto = keep;\n            for (int k = 1; k < 32; k *= 2) {\n                int other = __shfl_up_sync(FULL, upto, k);\n                upto += lane >= k ? other : 0;\n            }\n            if (lane == 31)\n                in_warp[warp] = upto;\n",
        ),
        ("before + __popc(votes & below)] = (int)c;", "before + upto - 1] = (int)c;"),
        ("    unsigned below = (1u << lane) - 1u;   // the lanes before this one\n", ""),
        (
            "        for (int64_t c = kept + threadIdx.x; c < cols; c += WARPS * 32)\n            places[r * cols + c] = -1;\n        if (threadIdx.x == 0)",
            "        if (threadIdx.x == 0)",
        ),
    ),
    # Weights of four pixels, in double; blocks go along the planes.
    Right(
        "xlvi_resize_four_weights",
        "xlvi_resize",
        (
            "        const float a = top[u.lo] + (top[u.hi] - top[u.lo]) * u.w;\n        const float b = bottom[u.lo] + (bottom[u.hi] - bottom[u.lo]) * u.w;\n        dst[(i * oh + y) * ow + x] = a + (b - a) * v.w;\n",
            "        const double q = u.w, r = v.w;\n        double sum = r * q * bottom[u.hi];\n        sum += r * (1 - q) * bottom[u.lo];\n        sum += (1 - r) * q * top[u.hi];\n        sum += (1 - r) * (1 - q) * top[u.lo];\n        dst[(i * oh + y) * ow + x] = (float)sum;\n",
        ),
        (
            "for (int64_t i = blockIdx.z; i < n; i += gridDim.z)",
            "for (int64_t i = n - 1 - blockIdx.z; i >= 0; i -= gridDim.z)",
        ),
        (
            "    float src = (dst + 0.5f) * scale - 0.5f;\n    if (src < 0.0f) src = 0.0f;\n",
            "    const float src = fmaxf(fmaf(dst, scale, 0.5f * scale - 0.5f), 0.0f);\n",
        ),
        (
            "block(16, 4), grid((ow + 15) / 16, (oh + 3) / 4, n < 3 ? n : 3);",
            "block(5, 9), grid((ow + 4) / 5, (oh + 8) / 9, n < 3 ? n : 3);",
        ),
    ),
    # One pass: the sum is made smaller when a larger logit comes. Ignored rows go all the way.
    Right(
        "xlvi_xent_one_pass",
        "xlvi_xent",
        (
            "  if (t == ignore) {\n    if (threadIdx.x == 0) loss[row] = 0.0f;\n    return;\n  }\n",
            "",
        ),
        (
            "  float peak = -INFINITY;\n  for (int64_t j = threadIdx.x; j < vocab; j += 32) peak = fmaxf(peak, __bfloat162float(x[j]));\n  peak = warpMax(peak);\n  float powers = 0.0f, total = 0.0f;\n  for (int64_t j = threadIdx.x; j < vocab; j += 32) {\n    const float v = __bfloat162float(x[j]) - peak;\n    powers += expf(v);\n    total += v;\n  }\n",
            "  float own = -INFINITY, powers = 0.0f;\n  double total = 0.0;\n  for (int64_t j = threadIdx.x; j < vocab; j += 32) {\n    const float v = __bfloat162float(x[j]);\n    const float next = fmaxf(own, v);\n    powers = (own == -INFINITY ? 0.0f : powers * expf(own - next)) + expf(v - next);\n    own = next;\n    total += v;\n  }\n  const float peak = warpMax(own);\n  powers *= own == -INFINITY ? 0.0f : expf(own - peak);\n",
        ),
        (
            "  total = warpSum(total);\n",
            "  for (int o = 16; o > 0; o >>= 1) total += __shfl_xor_sync(0xffffffff, total, o);\n",
        ),
        (
            "    const float hard = lse - (__bfloat162float(x[t]) - peak);\n",
            "    const float hard = t == ignore ? 0.0f : lse - (__bfloat162float(x[t]) - peak);\n",
        ),
        (
            "const float soft = lse - total / vocab;",
            "const float soft = lse - float(total / vocab - peak);",
        ),
        ("    loss[row] = (1.0f", "    loss[row] = t == ignore ? 0.0f : (1.0f"),
    ),
    # A fused product and sum, exact before it is rounded; two weights at a time.
    Right(
        "xlvi_nibbles_fused",
        "xlvi_nibbles",
        (
            "    const int zero = qzeros[row * groups + g];\n",
            "    const float offset = -scale * qzeros[row * groups + g];\n",
        ),
        (
            "    for (int j = 0; j < 8; ++j) {\n      const int q = (word >> shift_of(j)) & 0xf;\n      pack.h[j] = __float2half(scale * (q - zero));\n    }\n",
            "    for (int j = 0; j < 4; ++j) {\n      const uint32_t two = word >> 4 * j & 0x000f000fu;\n      pack.h[2 * j] = __float2half_rn(fmaf(scale, float(two & 0xffffu), offset));\n      pack.h[2 * j + 1] = __float2half_rn(fmaf(scale, float(two >> 16), offset));\n    }\n",
        ),
    ),
    # Row after row: the lanes of a warp add up what is known, and only a warp waits.
    Right(
        "xlvi_solve_row_by_row",
        "xlvi_solve",
        ("#define NB 64", "#define NB 32"),
        (
            "        for (int64_t i = threadIdx.x; i < n; i += NB)\n            x[i * nrhs + r] = b[i * nrhs + r];\n        __syncthreads();\n\n",
            "",
        ),
        (
            "            /* no thread changes x(j) any more, but the one that divides it */\n            if (!unit && threadIdx.x == 0)\n                x[j * nrhs + r] /= A[j * n + j];\n            __syncthreads();\n            const double temp = x[j * nrhs + r];\n            for (int64_t i = j + 1 + threadIdx.x; i < n; i += NB)\n                x[i * nrhs + r] -= temp * A[i * n + j];\n            __syncthreads();\n",
            "            double known = 0.0;\n            for (int64_t i = threadIdx.x; i < j; i += NB)\n                known += A[j * n + i] * x[i * nrhs + r];\n            for (int k = NB / 2; k; k /= 2)\n                known += __shfl_down_sync(~0u, known, k);\n            if (threadIdx.x == 0)\n                x[j * nrhs + r] = (b[j * nrhs + r] - known) / (unit ? 1.0 : A[j * n + j]);\n            __syncwarp();\n",
        ),
    ),
    # One barrier a column: the thread that divides is the one that took away last.
    Right(
        "xlvi_solve_one_barrier",
        "xlvi_solve",
        (
            "                x[i * nrhs + r] -= temp * A[i * n + j];\n            __syncthreads();\n",
            "                x[i * nrhs + r] -= temp * A[i * n + j];\n",
        ),
    ),
    # Lanes of no token leave: a shuffle waits for none that has left.
    Right(
        "xlvi_router_lanes_leave",
        "xlvi_router",
        ("    if (!is_one) token = tokens - 1;\n", "    if (!is_one) return;\n"),
        (
            "    // all lanes of a warp take part in its shuffles, those of no token have the last one\n",
            "",
        ),
    ),
    # Lanes of no token leave, and a mask names those that stay.
    Right(
        "xlvi_router_named_lanes",
        "xlvi_router",
        (
            "best_of(const float* logits, int lane, int experts, int without) {\n",
            "best_of(const float* logits, int lane, int experts, int without, unsigned mask) {\n",
        ),
        (
            "__shfl_xor_sync(0xffffffff, best.logit, step);",
            "__shfl_xor_sync(mask, best.logit, step);",
        ),
        (
            "__shfl_xor_sync(0xffffffff, best.expert, step);",
            "__shfl_xor_sync(mask, best.expert, step);",
        ),
        (
            "    if (!is_one) token = tokens - 1;\n",
            "    unsigned mask = __ballot_sync(0xffffffff, is_one);\n    if (!is_one) return;\n",
        ),
        ("best_of(own, lane, experts, -1);", "best_of(own, lane, experts, -1, mask);"),
        (
            "best_of(own, lane, experts, first.expert);",
            "best_of(own, lane, experts, first.expert, mask);",
        ),
        (
            "    // all lanes of a warp take part in its shuffles, those of no token have the last one\n",
            "",
        ),
    ),
    # Threads of a block add their products to the sums of rows, which a search finds.
    Right(
        "xlvi_sparse_searches_row",
        "xlvi_sparse",
        (
            "    __shared__ float products[CHUNK];\n",
            "    __shared__ float sums[ROWS];\n    if (threadIdx.x < ROWS) sums[threadIdx.x] = 0.0f;\n    __syncthreads();\n",
        ),
        (
            "    const int lo = has_row && row > 0 ? ends[row - 1] : 0;\n    const int hi = has_row ? ends[row] : 0;\n\n    float sum = 0.0f;\n",
            "\n",
        ),
        (
            "        if (i < end)\n            products[threadIdx.x] = vals[i] * x[cols[i]];\n        __syncthreads();\n        for (int j = max(lo, base); j < min(hi, base + CHUNK); ++j)\n            sum += products[j - base];\n        __syncthreads();\n    }\n",
            "        if (i >= end) break;\n        int low = first, high = last;  // the first row that ends behind i\n        while (low < high) {\n            const int middle = (low + high) / 2;\n            if (ends[middle] > i) high = middle;\n            else low = middle + 1;\n        }\n        atomicAdd(&sums[low - first], vals[i] * x[cols[i]]);\n    }\n    __syncthreads();\n",
        ),
        ("y[row] = alpha * sum;", "y[row] = alpha * sums[threadIdx.x];"),
    ),
    # Each lane takes four steps in a row, and the scan goes over lanes.
    Right(
        "xlvi_recur_four_steps",
        "xlvi_recur",
        ("t0 < steps; t0 += lanes) {", "t0 < steps; t0 += 4 * lanes) {"),
        (
            "        auto const t = t0 + lane;\n        auto step = t < steps ? affine{decay[row * steps + t], x[row * steps + t]} : affine{};\n",
            "        auto const t = t0 + 4 * lane;\n        auto const end = t + 4 < steps ? t + 4 : steps;\n        auto step = affine{};\n        for (auto s = t; s < end; ++s) step = then(step, affine{decay[row * steps + s], x[row * steps + s]});\n",
        ),
        (
            "        auto const mine = step(state);\n        if (t < steps) states[row * steps + t] = mine;\n        state = __shfl_sync(all, mine, lanes - 1);\n",
            "        auto const behind = step(state);\n        auto now = __shfl_up_sync(all, behind, 1);\n        if (lane == 0) now = state;\n        for (auto s = t; s < end; ++s) {\n            now = affine{decay[row * steps + s], x[row * steps + s]}(now);\n            states[row * steps + s] = now;\n        }\n        state = __shfl_sync(all, behind, lanes - 1);\n",
        ),
    ),
)
