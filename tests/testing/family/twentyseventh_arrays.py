"""Hold a twenty-seventh family: transposes, products, softmax, norms, sums, maxima and scans.

The causes were written before a member was judged. On the emulator each was run beside PyTorch:
bases and right ones are right, and 68 of the 70 wrong ones wrong, or refused by a fault. Two
are wrong by reasoning:

    xxvii_norm_saved_part_overwritten  if a warp is ahead by a step of the tree
    xxvii_columns_ticket_no_fence      if a part is seen later than its block's ticket

Some show only so:

    xxvii_turn_fours_height_asked           if the width is no multiple of 4 and the height is
    xxvii_turn_fours_short_row              from 65,537 rows on
    xxvii_turn_fours_third_again            if the width is a multiple of 4
    xxvii_turn_swizzled_next_too_early      from 7 tiles on
    xxvii_turn_swizzled_step_of_threads     likewise
    xxvii_product_register_nan_cut_off      of NaN
    xxvii_product_register_bias_scaled      by another alpha than 1
    xxvii_product_vector_half_products      of even rows, by products that no half has
    xxvii_product_vector_idle_leave         of fewer than 256 columns
    xxvii_product_bytes_short_sum           of sums past 32,767
    xxvii_product_bytes_no_sign             of weights below 0, if K is no multiple of 4
    xxvii_product_bytes_fours_always        if K is no multiple of 4, from the second row on
    xxvii_softmax_scaled_lanes_of_zero      if the columns do not fill the lanes' numbers
    xxvii_softmax_scaled_eight_a_lane       of 257 to 512 columns
    xxvii_softmax_scaled_sum_unscaled       from 513 columns on, by another scale than 1
    xxvii_softmax_steps_flt_min             of rows without a number above 0
    xxvii_softmax_online_row_after_row      from 11 rows on
    xxvii_norm_saved_weight_of_pack         of whole packs
    xxvii_norm_rms_no_epsilon               of rows of zeros or of small numbers
    xxvii_rows_groups_whole_magnitudes      of broken numbers
    xxvii_rows_groups_float_sum             of sums that no float has
    xxvii_rows_places_nan_lost              of NaN
    xxvii_rows_places_short_place           from 32,768 columns on
    xxvii_rows_places_minus_one             of rows of -infinity
    xxvii_columns_ticket_not_given_back     from the second call on
    xxvii_columns_ticket_int_parts          of sums of a part past 2^31
    xxvii_columns_magnitudes_bytes_cleared  if the output was not zero before
"""

# ruff: noqa: E501 (a line of a kernel stands in one line)
from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong

# A student of vectors: a thread reads four neighbours of a row and writes them into a column.
FOURS = """\
__global__ void transpose_vec4(float *dst, const float *src, int64_t h, int64_t w, bool fours)
{
    const int64_t t = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const int64_t per_row = (w + 3) / 4;
    const int64_t y = t / per_row;
    const int64_t x = t % per_row * 4;
    if (y >= h) return;

    float v[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    if (fours) {
        const float4 p = *reinterpret_cast<const float4 *>(&src[y * w + x]);
        v[0] = p.x;
        v[1] = p.y;
        v[2] = p.z;
        v[3] = p.w;
    } else {
        for (int k = 0; k < 4; k++)
            if (x + k < w) v[k] = src[y * w + x + k];
    }
    for (int k = 0; k < 4; k++)
        if (x + k < w) dst[(x + k) * h + y] = v[k];
}

extern "C" void launch(float *dst /* [w, h] */, const float *src /* [h, w] */, int64_t h, int64_t w, int block_size = 192, cudaStream_t stream = 0)
{
    const bool fours = w % 4 == 0 && reinterpret_cast<uintptr_t>(src) % 16 == 0;
    const int64_t threads = h * ((w + 3) / 4);
    transpose_vec4<<<(unsigned)((threads + block_size - 1) / block_size), block_size, 0, stream>>>(dst, src, h, w, fours);
}
"""

# From a tensor library: a few blocks go over all tiles, and shared memory is swizzled.
SWIZZLED = """\
template <typename T, int kTile>
struct SwizzledTile {
  T cells[kTile * kTile];
  __device__ __forceinline__ T& at(int row, int col) { return cells[row * kTile + (col ^ row)]; }
};

template <typename T, int kTile, int kRows>
__global__ void __launch_bounds__(kTile* kRows)
    permute_tiles(const T* __restrict__ input, T* __restrict__ output, int64_t rows, int64_t cols, int64_t tiles_down, int64_t tiles) {
  __shared__ SwizzledTile<T, kTile> tile;
  const int tx = threadIdx.x % kTile;
  const int ty = threadIdx.x / kTile;
  for (int64_t id = blockIdx.x; id < tiles; id += gridDim.x) {
    const int64_t r0 = id % tiles_down * kTile;
    const int64_t c0 = id / tiles_down * kTile;
    for (int j = ty; j < kTile; j += kRows) {
      if (r0 + j < rows && c0 + tx < cols) tile.at(j, tx) = input[(r0 + j) * cols + c0 + tx];
    }
    __syncthreads();
    for (int j = ty; j < kTile; j += kRows) {
      if (c0 + j < cols && r0 + tx < rows) output[(c0 + j) * rows + r0 + tx] = tile.at(tx, j);
    }
    __syncthreads();  // the tile is free for the next one
  }
}

extern "C" void launch(const double* input /* [rows, cols] */, double* output /* [cols, rows] */, int64_t rows, int64_t cols, cudaStream_t stream = 0) {
  constexpr int kTile = 16;
  constexpr int kRows = 4;
  const int64_t tiles_down = (rows + kTile - 1) / kTile;
  const int64_t tiles_across = (cols + kTile - 1) / kTile;
  const int64_t tiles = tiles_down * tiles_across;
  const unsigned blocks = static_cast<unsigned>(tiles < 6 ? tiles : 6);
  permute_tiles<double, kTile, kRows><<<blocks, kTile * kRows, 0, stream>>>(input, output, rows, cols, tiles_down, tiles);
}
"""

# After the models of a library of products: tiles in registers, two stages, an epilogue.
REGISTER = """\
struct ScaleBiasRelu {
  const float* bias;
  float alpha;
  __device__ float operator()(float acc, int64_t col) const {
    const float v = alpha * acc + bias[col];
    return v < 0.0f ? 0.0f : v;
  }
};

template <int BM, int BN, int BK, int TM, int TN, class Epilogue>
__global__ void gemm_tiles(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ D, int64_t m, int64_t n, int64_t k, int64_t across, Epilogue epilogue) {
  constexpr int kThreads = (BM / TM) * (BN / TN);
  __shared__ float sA[2][BK][BM];
  __shared__ float sB[2][BK][BN];
  const int64_t row0 = blockIdx.x / across * BM;
  const int64_t col0 = blockIdx.x % across * BN;
  const int tr = threadIdx.x / (BN / TN) * TM;
  const int tc = threadIdx.x % (BN / TN) * TN;

  float acc[TM][TN] = {};
  int stage = 0;
  for (int64_t k0 = -BK; k0 < k; k0 += BK) {
    if (k0 + BK < k) {  // fetch what comes next
      for (int e = threadIdx.x; e < BM * BK; e += kThreads) {
        const int64_t r = row0 + e / BK, c = k0 + BK + e % BK;
        sA[stage ^ 1][e % BK][e / BK] = r < m && c < k ? A[r * k + c] : 0.0f;
      }
      for (int e = threadIdx.x; e < BK * BN; e += kThreads) {
        const int64_t r = k0 + BK + e / BN, c = col0 + e % BN;
        sB[stage ^ 1][e / BN][e % BN] = r < k && c < n ? B[r * n + c] : 0.0f;
      }
    }
    if (k0 >= 0) {
      for (int kk = 0; kk < BK; ++kk) {
        float a[TM], b[TN];
        for (int i = 0; i < TM; ++i) a[i] = sA[stage][kk][tr + i];
        for (int j = 0; j < TN; ++j) b[j] = sB[stage][kk][tc + j];
        for (int i = 0; i < TM; ++i)
          for (int j = 0; j < TN; ++j) acc[i][j] += a[i] * b[j];
      }
    }
    __syncthreads();
    stage ^= 1;
  }
  for (int i = 0; i < TM; ++i) {
    for (int j = 0; j < TN; ++j) {
      const int64_t r = row0 + tr + i, c = col0 + tc + j;
      if (r < m && c < n) D[r * n + c] = epilogue(acc[i][j], c);
    }
  }
}

extern "C" void launch(int64_t m, int64_t n, int64_t k, const float* A /* [m, k] */, const float* B /* [k, n] */, const float* bias /* [n] */, float* D /* [m, n] */, float alpha = 1.0f, cudaStream_t stream = 0) {
  constexpr int BM = 32, BN = 32, BK = 8, TM = 4, TN = 4;
  const int64_t across = (n + BN - 1) / BN, down = (m + BM - 1) / BM;
  const ScaleBiasRelu epilogue{bias, alpha};
  gemm_tiles<BM, BN, BK, TM, TN><<<static_cast<unsigned>(across * down), (BM / TM) * (BN / TN), 0, stream>>>(A, B, D, m, n, k, across, epilogue);
}
"""

# After the vendor's sample with a ticket: sums of columns, and the last block adds the parts.
TICKET = """\
__device__ unsigned int tickets_drawn = 0;

template <typename T, typename Acc, int kThreads>
__global__ void column_sum_single_pass(const T* __restrict__ x, Acc* parts, Acc* out, int64_t rows, int64_t cols) {
  __shared__ bool am_last;
  const int64_t slab = (rows + gridDim.x - 1) / gridDim.x;
  const int64_t first = blockIdx.x * slab;
  const int64_t last = first + slab < rows ? first + slab : rows;
  for (int64_t c = threadIdx.x; c < cols; c += kThreads) {
    Acc sum = 0;
    for (int64_t r = first; r < last; ++r) sum += x[r * cols + c];
    parts[blockIdx.x * cols + c] = sum;
  }
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) am_last = atomicAdd(&tickets_drawn, 1u) == gridDim.x - 1;
  __syncthreads();
  if (!am_last) return;
  for (int64_t c = threadIdx.x; c < cols; c += kThreads) {
    Acc total = 0;
    for (int64_t b = 0; b < gridDim.x; ++b) total += parts[b * cols + c];
    out[c] = total;
  }
  if (threadIdx.x == 0) tickets_drawn = 0;
}

extern "C" void launch(const int* x /* [rows, cols] */, int64_t* out /* [cols] */, int64_t rows, int64_t cols, cudaStream_t stream = 0) {
  constexpr int kBlocks = 5;
  int64_t* parts = nullptr;
  cudaMallocAsync(reinterpret_cast<void**>(&parts), kBlocks * cols * sizeof(int64_t), stream);
  column_sum_single_pass<int, int64_t, 96><<<kBlocks, 96, 0, stream>>>(x, parts, out, rows, cols);
  cudaFreeAsync(parts, stream);
}
"""

# A junior at an inference service: a matrix of halves times a vector, a block a row, in pairs.
VECTOR = """\
#define NT 256

__global__ void hgemv(const half* mat, const half* vec, half* res, int64_t rows, int64_t cols) {
    __shared__ float warp_part[NT / 32];
    const int lane = threadIdx.x & 31;
    const half* a = mat + blockIdx.x * cols;
    float acc = 0.0f;
    if (cols % 2 == 0) {
        const half2* a2 = (const half2*)a;
        const half2* v2 = (const half2*)vec;
        for (int64_t i = threadIdx.x; i < cols / 2; i += NT) {
            float2 p = __half22float2(a2[i]);
            float2 q = __half22float2(v2[i]);
            acc += p.x * q.x + p.y * q.y;
        }
    } else {
        for (int64_t i = threadIdx.x; i < cols; i += NT) acc += __half2float(a[i]) * __half2float(vec[i]);
    }
    for (int o = 16; o > 0; o >>= 1) acc += __shfl_down_sync(0xffffffff, acc, o);
    if (lane == 0) warp_part[threadIdx.x >> 5] = acc;
    __syncthreads();
    if (threadIdx.x < 32) {
        acc = lane < NT / 32 ? warp_part[lane] : 0.0f;
        for (int o = 16; o > 0; o >>= 1) acc += __shfl_down_sync(0xffffffff, acc, o);
        if (lane == 0) res[blockIdx.x] = __float2half(acc);
    }
}

extern "C" void launch(const half* mat /* [rows, cols] 4-byte aligned */, const half* vec /* [cols] 4-byte aligned */, half* res /* [rows] */, int64_t rows, int64_t cols, cudaStream_t stream = 0) {
    hgemv<<<(unsigned)rows, NT, 0, stream>>>(mat, vec, res, rows, cols);
}
"""

# Somebody who quantises a layer: bytes with a sign, whole sums, a scale a row and one a column.
BYTES = """\
__global__ void qlinear_kernel(const int8_t* X, const int8_t* W, const float* x_scale, const float* w_scale, float* Y, int64_t M, int64_t N, int64_t K)
{
    const int64_t m = (int64_t)blockIdx.x * blockDim.y + threadIdx.y;
    if (m >= M) return;
    for (int64_t n = threadIdx.x; n < N; n += blockDim.x) {
        const int8_t* x = X + m * K;
        const int8_t* w = W + n * K;
        int acc = 0;
        if (K % 4 == 0) {
            for (int64_t k = 0; k < K; k += 4) acc = __dp4a(*(const int*)(x + k), *(const int*)(w + k), acc);
        } else {
            for (int64_t k = 0; k < K; k++) acc += x[k] * w[k];
        }
        Y[m * N + n] = (float)acc * x_scale[m] * w_scale[n];
    }
}

extern "C" void launch(const int8_t* X /* [M, K] 4-byte aligned */, const int8_t* W /* [N, K] 4-byte aligned */, const float* x_scale /* [M] */, const float* w_scale /* [N] */, float* Y /* [M, N] */, int64_t M, int64_t N, int64_t K, cudaStream_t stream = 0)
{
    const dim3 threads(32, 4);
    const int64_t blocks = (M + threads.y - 1) / threads.y;
    qlinear_kernel<<<(unsigned)blocks, threads, 0, stream>>>(X, W, x_scale, w_scale, Y, M, N, K);
}
"""

# After a framework for large models: scores are scaled and masked, and a warp keeps its row.
SCALED = """\
constexpr float kMasked = -10000.0f;

__device__ __forceinline__ float warp_all_max(float v) {
#pragma unroll
  for (int lane_mask = 16; lane_mask > 0; lane_mask >>= 1) v = fmaxf(v, __shfl_xor_sync(0xffffffff, v, lane_mask));
  return v;
}

__device__ __forceinline__ float warp_all_sum(float v) {
#pragma unroll
  for (int lane_mask = 16; lane_mask > 0; lane_mask >>= 1) v += __shfl_xor_sync(0xffffffff, v, lane_mask);
  return v;
}

template <int kPerLane>
__global__ void scaled_masked_softmax_warp(half* dst, const half* src, const uint8_t* mask, float scale, int64_t rows, int64_t cols) {
  const int64_t row = static_cast<int64_t>(blockIdx.x) * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  src += row * cols;
  mask += row * cols;
  dst += row * cols;

  float kept[kPerLane];
  float top = -INFINITY;
#pragma unroll
  for (int i = 0; i < kPerLane; ++i) {
    const int64_t c = threadIdx.x + i * 32;
    kept[i] = -INFINITY;
    if (c < cols) kept[i] = mask[c] ? kMasked : __half2float(src[c]) * scale;
    top = fmaxf(top, kept[i]);
  }
  top = warp_all_max(top);
  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < kPerLane; ++i) {
    kept[i] = expf(kept[i] - top);
    sum += kept[i];
  }
  sum = warp_all_sum(sum);
#pragma unroll
  for (int i = 0; i < kPerLane; ++i) {
    const int64_t c = threadIdx.x + i * 32;
    if (c < cols) dst[c] = __float2half(kept[i] / sum);
  }
}

__global__ void scaled_masked_softmax_long(half* dst, const half* src, const uint8_t* mask, float scale, int64_t rows, int64_t cols) {
  const int64_t row = static_cast<int64_t>(blockIdx.x) * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  float m = -INFINITY, s = 0.0f;
  for (int64_t c = threadIdx.x; c < cols; c += 32) m = fmaxf(m, mask[row * cols + c] ? kMasked : __half2float(src[row * cols + c]) * scale);
  m = warp_all_max(m);
  for (int64_t c = threadIdx.x; c < cols; c += 32) s += expf((mask[row * cols + c] ? kMasked : __half2float(src[row * cols + c]) * scale) - m);
  s = warp_all_sum(s);
  for (int64_t c = threadIdx.x; c < cols; c += 32) dst[row * cols + c] = __float2half(expf((mask[row * cols + c] ? kMasked : __half2float(src[row * cols + c]) * scale) - m) / s);
}

extern "C" void launch(half* dst /* [rows, cols] */, const half* src /* [rows, cols] */, const uint8_t* mask /* [rows, cols] */, int64_t rows, int64_t cols, float scale = 1.0f, cudaStream_t stream = 0) {
  const dim3 threads(32, 4);
  const unsigned blocks = static_cast<unsigned>((rows + 3) / 4);
  if (cols <= 32) {
    scaled_masked_softmax_warp<1><<<blocks, threads, 0, stream>>>(dst, src, mask, scale, rows, cols);
  } else if (cols <= 128) {
    scaled_masked_softmax_warp<4><<<blocks, threads, 0, stream>>>(dst, src, mask, scale, rows, cols);
  } else if (cols <= 512) {
    scaled_masked_softmax_warp<16><<<blocks, threads, 0, stream>>>(dst, src, mask, scale, rows, cols);
  } else {
    scaled_masked_softmax_long<<<blocks, threads, 0, stream>>>(dst, src, mask, scale, rows, cols);
  }
}
"""

# A student who takes it step by step: a kernel each for maxima, sums and quotients.
STEPS = """\
__global__ void row_max(const float* x, float* maxes, int64_t rows, int64_t cols) {
    int64_t r = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (r < rows) {
        float m = -INFINITY;
        for (int64_t c = 0; c < cols; c++) m = x[r * cols + c] > m ? x[r * cols + c] : m;
        maxes[r] = m;
    }
}

__global__ void row_sum(const float* x, const float* maxes, float* sums, int64_t rows, int64_t cols) {
    int64_t r = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (r < rows) {
        float s = 0.0f;
        for (int64_t c = 0; c < cols; c++) s += expf(x[r * cols + c] - maxes[r]);
        sums[r] = s;
    }
}

__global__ void divide(const float* x, const float* maxes, const float* sums, float* probs, int64_t rows, int64_t cols) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows * cols) {
        int64_t r = i / cols;
        probs[i] = expf(x[i] - maxes[r]) / sums[r];
    }
}

extern "C" void launch(const float* x /* [rows, cols] */, float* maxes /* [rows] */, float* sums /* [rows] */, float* probs /* [rows, cols] */, int64_t rows, int64_t cols, int block_size = 64, cudaStream_t stream = 0) {
    int64_t row_blocks = (rows + block_size - 1) / block_size;
    int64_t all_blocks = (rows * cols + block_size - 1) / block_size;
    row_max<<<(unsigned)row_blocks, block_size, 0, stream>>>(x, maxes, rows, cols);
    row_sum<<<(unsigned)row_blocks, block_size, 0, stream>>>(x, maxes, sums, rows, cols);
    divide<<<(unsigned)all_blocks, block_size, 0, stream>>>(x, maxes, sums, probs, rows, cols);
}
"""

# A reader of the paper on online softmax, as a library has it: log-softmax, and its sum.
ONLINE = """\
struct alignas(8) MaxSum {
  float m;
  float d;
};

__device__ __forceinline__ MaxSum merge(MaxSum a, MaxSum b) {
  const bool a_larger = a.m > b.m;
  const MaxSum big = a_larger ? a : b;
  const MaxSum small = a_larger ? b : a;
  return MaxSum{big.m, big.d + small.d * expf(small.m - big.m)};
}

template <int kThreads>
__device__ MaxSum block_merge(MaxSum v, MaxSum* shared) {
  for (int step = 16; step > 0; step /= 2) {
    const MaxSum other{__shfl_xor_sync(0xffffffff, v.m, step), __shfl_xor_sync(0xffffffff, v.d, step)};
    v = merge(v, other);
  }
  if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = v;
  __syncthreads();
  v = shared[0];
  for (int w = 1; w < kThreads / 32; ++w) v = merge(v, shared[w]);
  __syncthreads();
  return v;
}

template <int kThreads>
__global__ void log_softmax_online(const __nv_bfloat16* __restrict__ x, float* __restrict__ y, float* __restrict__ lse, int64_t rows, int64_t cols) {
  __shared__ MaxSum shared[kThreads / 32];
  for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
    const __nv_bfloat16* in = x + row * cols;
    MaxSum v{-FLT_MAX, 0.0f};
    for (int64_t c = threadIdx.x; c < cols; c += kThreads) v = merge(v, MaxSum{__bfloat162float(in[c]), 1.0f});
    v = block_merge<kThreads>(v, shared);
    const float all = v.m + logf(v.d);
    for (int64_t c = threadIdx.x; c < cols; c += kThreads) y[row * cols + c] = __bfloat162float(in[c]) - all;
    if (threadIdx.x == 0) lse[row] = all;
  }
}

extern "C" void launch(const __nv_bfloat16* x /* [rows, cols] */, float* y /* [rows, cols] */, float* lse /* [rows] */, int64_t rows, int64_t cols, cudaStream_t stream = 0) {
  constexpr int kThreads = 96;
  const int64_t blocks = rows < 10 ? rows : 10;
  log_softmax_online<kThreads><<<static_cast<unsigned>(blocks), kThreads, 0, stream>>>(x, y, lse, rows, cols);
}
"""

# As a framework has it: layer norm that keeps mean and deviation for the way back.
SAVED = """\
struct Stats {
  float mean;
  float m2;
  float count;
};

template <typename T, int kVec>
struct alignas(sizeof(T) * kVec) Vec {
  T val[kVec];
};

__device__ Stats online(Stats s, float v) {
  const float count = s.count + 1.f;
  const float delta = v - s.mean;
  const float mean = s.mean + delta / count;
  return {mean, s.m2 + delta * (v - mean), count};
}

__device__ Stats combine(Stats b, Stats a) {
  const float count = a.count + b.count;
  if (count > 0) {
    const float coef = 1.f / count;
    const float nA = a.count * coef, nB = b.count * coef;
    const float delta = b.mean - a.mean;
    return {nA * a.mean + nB * b.mean, a.m2 + b.m2 + delta * delta * a.count * nB, count};
  }
  return {0.f, 0.f, 0.f};
}

template <int kVec>
__global__ void layer_norm_forward(int64_t N, float eps, const float* __restrict__ X, const float* gamma, const float* beta, float* mean, float* rstd, float* Y) {
  extern __shared__ float buf[];  // 3 * blockDim.y / 2 floats are used, and 2 at the end
  using vec_t = Vec<float, kVec>;
  const int64_t row = blockIdx.x;
  const vec_t* X_vec = reinterpret_cast<const vec_t*>(X + row * N);
  const int64_t thrx = threadIdx.x + threadIdx.y * blockDim.x;
  const int64_t numx = blockDim.x * blockDim.y;
  const int64_t n_vec = N / kVec;

  Stats s{0.f, 0.f, 0.f};
  for (int64_t i = thrx; i < n_vec; i += numx) {
    const vec_t data = X_vec[i];
    for (int j = 0; j < kVec; ++j) s = online(s, data.val[j]);
  }
  for (int offset = 16; offset > 0; offset >>= 1) {
    const Stats o{__shfl_down_sync(0xffffffff, s.mean, offset), __shfl_down_sync(0xffffffff, s.m2, offset), __shfl_down_sync(0xffffffff, s.count, offset)};
    s = combine(s, o);
  }
  for (int offset = blockDim.y / 2; offset > 0; offset /= 2) {
    if (threadIdx.x == 0 && threadIdx.y >= offset && threadIdx.y < 2 * offset) {
      float* to = buf + 3 * (threadIdx.y - offset);
      to[0] = s.mean;
      to[1] = s.m2;
      to[2] = s.count;
    }
    __syncthreads();
    if (threadIdx.x == 0 && threadIdx.y < offset) {
      const float* from = buf + 3 * threadIdx.y;
      s = combine(s, Stats{from[0], from[1], from[2]});
    }
    __syncthreads();  // buf may be written again
  }
  if (thrx == 0) {
    buf[0] = s.mean;
    buf[1] = s.m2 / float(N);
  }
  __syncthreads();
  const float mu = buf[0];
  const float inv = rsqrtf(buf[1] + eps);
  vec_t* Y_vec = reinterpret_cast<vec_t*>(Y + row * N);
  for (int64_t i = thrx; i < n_vec; i += numx) {
    const vec_t data = X_vec[i];
    vec_t out;
    for (int j = 0; j < kVec; ++j) out.val[j] = (data.val[j] - mu) * inv * gamma[i * kVec + j] + beta[i * kVec + j];
    Y_vec[i] = out;
  }
  if (thrx == 0) {
    mean[row] = mu;
    rstd[row] = inv;
  }
}

extern "C" void launch(const float* X /* [M, N] */, const float* gamma /* [N] */, const float* beta /* [N] */, float* Y /* [M, N] */, float* mean /* [M] */, float* rstd /* [M] */, int64_t M, int64_t N, float eps = 1e-5f, cudaStream_t stream = 0) {
  const dim3 threads(32, 4);
  const int bytes = 3 * threads.y / 2 * sizeof(float);
  const bool whole = N % 4 == 0 && (reinterpret_cast<uintptr_t>(X) | reinterpret_cast<uintptr_t>(Y)) % 16 == 0;
  auto kernel = whole ? layer_norm_forward<4> : layer_norm_forward<1>;
  kernel<<<static_cast<unsigned>(M), threads, bytes, stream>>>(N, eps, X, gamma, beta, mean, rstd, Y);
}
"""

# Somebody who ports a language model in one file of C: RMS norm, a warp a row, in halves.
RMS = """\
__global__ void rmsnorm(half* o, const half* x, const half* weight, int64_t n_rows, int64_t dim, float eps) {
    int lane = threadIdx.x % 32;
    int64_t row = blockIdx.x * (int64_t)(blockDim.x / 32) + threadIdx.x / 32;
    if (row >= n_rows) return;
    const half* xr = x + row * dim;
    half* orow = o + row * dim;

    // sum of squares
    float ss = 0.0f;
    for (int64_t j = lane; j < dim; j += 32) {
        float v = __half2float(xr[j]);
        ss += v * v;
    }
    for (int mask = 1; mask < 32; mask *= 2) ss += __shfl_xor_sync(0xffffffff, ss, mask);
    ss /= dim;
    ss += eps;
    ss = 1.0f / sqrtf(ss);

    // normalize and scale
    int64_t j = lane;
    for (; j + 32 < dim; j += 64) {
        float v0 = __half2float(xr[j]), v1 = __half2float(xr[j + 32]);
        orow[j] = __float2half(__half2float(weight[j]) * (ss * v0));
        orow[j + 32] = __float2half(__half2float(weight[j + 32]) * (ss * v1));
    }
    if (j < dim) orow[j] = __float2half(__half2float(weight[j]) * (ss * __half2float(xr[j])));
}

extern "C" void launch(half* o /* [n_rows, dim] */, const half* x /* [n_rows, dim] */, const half* weight /* [dim] */, int64_t n_rows, int64_t dim, float eps = 1e-5f, int block_size = 128, cudaStream_t stream = 0) {
    int warps = block_size / 32 > 0 ? block_size / 32 : 1;
    rmsnorm<<<(unsigned)((n_rows + warps - 1) / warps), warps * 32, 0, stream>>>(o, x, weight, n_rows, dim, eps);
}
"""

# Somebody who likes cooperative groups: sums of magnitudes, sixteen threads a row.
GROUPS = """\
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

template <int kGroup, typename Acc>
__global__ void l1_norm_rows(const float* __restrict__ x, float* __restrict__ norms, int64_t rows, int64_t cols) {
  const cg::thread_block block = cg::this_thread_block();
  const cg::thread_block_tile<kGroup> group = cg::tiled_partition<kGroup>(block);
  const int64_t row = static_cast<int64_t>(blockIdx.x) * (blockDim.x / kGroup) + block.thread_rank() / kGroup;
  if (row >= rows) return;
  const float* from = x + row * cols;
  Acc sum = 0;
  for (int64_t c = group.thread_rank(); c < cols; c += kGroup) sum += fabsf(from[c]);
  for (int step = kGroup / 2; step > 0; step >>= 1) sum += group.shfl_down(sum, step);
  if (group.thread_rank() == 0) norms[row] = static_cast<float>(sum);
}

extern "C" void launch(float* norms /* [rows] */, const float* x /* [rows, cols] */, int64_t rows, int64_t cols, cudaStream_t stream = 0) {
  constexpr int kGroup = 16;
  constexpr int kThreads = 128;
  const int64_t rows_per_block = kThreads / kGroup;
  const auto blocks = static_cast<unsigned>((rows + rows_per_block - 1) / rows_per_block);
  l1_norm_rows<kGroup, double><<<blocks, kThreads, 0, stream>>>(x, norms, rows, cols);
}
"""

# A user of pandas: the mean of each column; eight threads share one, and meet in a tree.
AVERAGES = """\
#define BX 32
#define BY 8

__global__ void columnMean(const float *data, float *means, int64_t numRows, int64_t numCols)
{
    __shared__ float part[BY][BX];
    const int64_t c = (int64_t)blockIdx.x * BX + threadIdx.x;
    float s = 0.0f;
    if (c < numCols) {
        for (int64_t r = threadIdx.y; r < numRows; r += BY)
            s += data[r * numCols + c];
    }
    part[threadIdx.y][threadIdx.x] = s;
    __syncthreads();  // all parts are there
    for (int k = BY / 2; k > 0; k /= 2) {
        if (threadIdx.y < k)
            part[threadIdx.y][threadIdx.x] += part[threadIdx.y + k][threadIdx.x];
        __syncthreads();
    }
    if (threadIdx.y == 0 && c < numCols)
        means[c] = part[0][threadIdx.x] / numRows;
}

extern "C" void launch(int64_t numRows, int64_t numCols, const float *data /* [numRows, numCols] */, float *means /* [numCols] */, cudaStream_t stream = 0)
{
    dim3 block(BX, BY);
    dim3 grid((numCols + BX - 1) / BX);
    columnMean<<<grid, block, 0, stream>>>(data, means, numRows, numCols);
}
"""

# As a framework reduces: a functor on pairs, four elements a turn; the largest and its place.
PLACES = """\
struct Candidate {
  float value;
  int64_t place;
};

// NaN is the largest of all; of equal ones the first counts.
struct Better {
  __device__ Candidate operator()(Candidate a, Candidate b) const {
    const bool a_nan = a.value != a.value, b_nan = b.value != b.value;
    if (a_nan != b_nan) return a_nan ? a : b;
    if (!a_nan && a.value != b.value) return a.value > b.value ? a : b;
    return a.place < b.place ? a : b;
  }
};

template <int kThreads, int kUnroll, typename T, class Op>
__global__ void max_with_place(const T* __restrict__ in, T* __restrict__ values, int64_t* __restrict__ places, int64_t width, Op op) {
  __shared__ Candidate of_warp[kThreads / 32];
  in += blockIdx.x * width;
  Candidate best{-INFINITY, INT64_MAX};
  int64_t base = threadIdx.x * kUnroll;
  for (; base + kUnroll <= width; base += kThreads * kUnroll) {
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) best = op(best, Candidate{static_cast<float>(in[base + u]), base + u});
  }
  for (int64_t i = base; i < width; ++i) best = op(best, Candidate{static_cast<float>(in[i]), i});

#pragma unroll
  for (int delta = 16; delta > 0; delta >>= 1) {
    const Candidate other{__shfl_down_sync(0xffffffff, best.value, delta), __shfl_down_sync(0xffffffff, best.place, delta)};
    best = op(best, other);
  }
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = best;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < kThreads / 32; ++w) best = op(best, of_warp[w]);
    values[blockIdx.x] = static_cast<T>(best.value);
    places[blockIdx.x] = best.place;
  }
}

extern "C" void launch(const half* in /* [rows, width] */, half* values /* [rows] */, int64_t* places /* [rows] */, int64_t rows, int64_t width, cudaStream_t stream = 0) {
  max_with_place<64, 4><<<static_cast<unsigned>(rows), 64, 0, stream>>>(in, values, places, width, Better{});
}
"""

# Somebody who calibrates for 8 bits: the largest magnitudes of columns, by their bits.
MAGNITUDES = """\
__global__ void amax_columns(const float* x, float* amax, int64_t rows, int64_t cols, int64_t chunk)
{
    const int64_t col = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (col >= cols) return;
    const int64_t begin = blockIdx.y * chunk;
    const int64_t end = min(begin + chunk, rows);
    int biggest = 0;
    for (int64_t r = begin; r < end; r++)
        biggest = max(biggest, __float_as_int(fabsf(x[r * cols + col])));
    atomicMax((int*)&amax[col], biggest);
}

extern "C" void launch(const float* x /* [rows, cols] */, float* amax /* [cols] */, int64_t rows, int64_t cols, int block_size = 64, cudaStream_t stream = 0)
{
    const int chunks = 12;
    const int64_t chunk = (rows + chunks - 1) / chunks;
    const dim3 grid((unsigned)((cols + block_size - 1) / block_size), chunks);
    cudaMemsetAsync(amax, 0, cols * sizeof(float), stream);
    amax_columns<<<grid, block_size, 0, stream>>>(x, amax, rows, cols, chunk);
}
"""

# From code for sparse tensors: counts become offsets, with several items a thread.
OFFSETS = """\
template <int kThreads, int kItems>
__global__ void counts_to_offsets(const int* __restrict__ counts, int* __restrict__ offsets, int* __restrict__ totals, int64_t cols) {
  constexpr int kWarps = kThreads / 32;
  __shared__ int of_warp[kWarps];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int* in = counts + blockIdx.x * cols;
  int* out = offsets + blockIdx.x * cols;
  int carry = 0;
  for (int64_t base = 0; base < cols; base += kThreads * kItems) {
    const int64_t first = base + threadIdx.x * kItems;
    int item[kItems];
    int mine = 0;
    for (int j = 0; j < kItems; ++j) {
      item[j] = first + j < cols ? in[first + j] : 0;
      mine += item[j];
    }
    int upto = mine;
    for (int d = 1; d < 32; d <<= 1) {
      const int left = __shfl_up_sync(0xffffffff, upto, d);
      if (lane >= d) upto += left;
    }
    if (lane == 31) of_warp[warp] = upto;
    __syncthreads();
    int before = 0, whole = 0;
    for (int w = 0; w < kWarps; ++w) {
      if (w < warp) before += of_warp[w];
      whole += of_warp[w];
    }
    int run = carry + before + upto - mine;
    for (int j = 0; j < kItems; ++j) {
      if (first + j < cols) out[first + j] = run;
      run += item[j];
    }
    carry += whole;
    __syncthreads();  // of_warp is written again
  }
  if (threadIdx.x == 0) totals[blockIdx.x] = carry;
}

extern "C" void launch(const int* counts /* [rows, cols] */, int* offsets /* [rows, cols] */, int* totals /* [rows] */, int64_t rows, int64_t cols, cudaStream_t stream = 0) {
  counts_to_offsets<64, 3><<<static_cast<unsigned>(rows), 64, 0, stream>>>(counts, offsets, totals, cols);
}
"""

SIZES = ((1, 1), (1, 7), (11, 1), (6, 32), (7, 47), (3, 300), (2, 1100), (140, 10))
BLOCKS = (128, 64, 256, 32, 1024)
HALF, FLOAT, DOUBLE, LONG = (torch.float16,), (torch.float32,), (torch.float64,), (torch.int64,)
BFLOAT = torch.bfloat16
INF, NAN = float("inf"), float("nan")


def _numbers(*size: int, limit: int = 25) -> torch.Tensor:
    generator = torch.Generator().manual_seed(sum(5 * side for side in size) + 3 * limit)
    return torch.randint(-limit, limit + 1, size, generator=generator).float()


def _case(words: str, inputs: tuple, right, dtypes: tuple, scalars=None, **options) -> Case:
    sizes = ", ".join(" x ".join(map(str, tensor.shape)) for tensor in inputs)
    right = right if isinstance(right, tuple) else (right,)
    label = f"{sizes} {words} {scalars or ''}".strip()
    return Case(label, inputs, right, *([scalars] if scalars else []), dtypes=dtypes, **options)


def fours(launcher: Launcher) -> Iterator[Case]:
    """Turn floats, in whole fours and in parts of them, and a very tall matrix."""
    sizes = ((4, 4), (1, 6), (50, 3), (9, 64), (20, 18), (36, 7), (130, 12), (66_000, 2))
    for place, (m, n) in enumerate(((1, 1), *sizes)):
        x = _numbers(m, n, limit=9000) / 8
        scalars = {"block_size": BLOCKS[place % 5]}
        yield _case("", (x,), x.T.contiguous(), FLOAT, scalars)


def tiles(launcher: Launcher) -> Iterator[Case]:
    """Turn doubles in less than a tile, in whole tiles, and in more than six of them."""
    for size in ((1, 1), (16, 16), (3, 40), (40, 3), (32, 48), (50, 70), (7, 150), (130, 41)):
        x = _numbers(*size, limit=90_000).double() / 3
        yield _case("", (x,), x.T.contiguous(), DOUBLE)


def fused(launcher: Launcher) -> Iterator[Case]:
    """Multiply, scale, add a bias and cut off what is below 0, also with a NaN."""
    sizes = (1, 1, 1), (3, 7, 5), (32, 32, 8), (40, 33, 9), (20, 70, 50), (65, 34, 17)
    for m, n, k in sizes:
        a, b, bias = _numbers(m, k), _numbers(k, n) / 4, _numbers(n, limit=200)
        broken = a.clone()
        broken[m // 2, k // 2] = NAN
        for words, left, alpha in (("", a, 1.0), ("", a, 0.5), ("with a NaN", broken, 1.0)):
            right = torch.relu(alpha * (left.double() @ b.double()) + bias.double())
            yield _case(words, (left, b, bias), right, FLOAT, {"alpha": alpha})


def long_sums(launcher: Launcher) -> Iterator[Case]:
    """Add up columns of small and of large integers."""
    for m, n in (*SIZES, (5, 200), (333, 100)):
        for words, factor in (("small", 1), ("large", 40_000_000)):
            x = (_numbers(m, n).long() * factor + 20 * factor).int()
            yield _case(words, (x,), x.long().sum(dim=0), LONG)


def vector(launcher: Launcher) -> Iterator[Case]:
    """Multiply matrices of halves by vectors: even and odd rows, small and large products."""
    for m, n in (*SIZES, (4, 2), (5, 512), (3, 700)):
        for words, limit, add in (("small", 25, 0), ("large", 25, 60), ("wide", 500, 0)):
            a, x = _numbers(m, n, limit=limit) + add, _numbers(n, limit=9) / 4 + add / 64
            right = a.double() @ x.half().double()
            yield _case(words, (a.half(), x.half()), right, HALF)


def whole_bytes(launcher: Launcher) -> Iterator[Case]:
    """Multiply bytes with a sign and apply both scales, which are powers of two."""
    sizes = (1, 1, 1), (3, 5, 8), (5, 3, 7), (9, 40, 64), (70, 6, 33), (4, 33, 300)
    for m, n, k in sizes:
        for words, limit in (("small", 5), ("large", 127)):
            a, w = _numbers(m, k, limit=limit), _numbers(n, k, limit=limit)
            sa = 2.0 ** -(torch.arange(m) % 7).float()
            sw = 2.0 ** (torch.arange(n) % 5 - 3).float()
            right = a.double() @ w.double().T * sa.double()[:, None] * sw.double()
            yield _case(words, (a.to(torch.int8), w.to(torch.int8), sa, sw), right, FLOAT)


def masked(launcher: Launcher) -> Iterator[Case]:
    """Scale and mask rows of all widths; the first row is masked as a whole."""
    for m, n in (*SIZES, (5, 128), (2, 130), (3, 512), (2, 500), (6, 600)):
        x = (_numbers(m, n) / 4).half()
        mask = _numbers(m, n, limit=3) > 1
        mask[0] = True
        for scale, shift in ((1.0, 0), (0.125, 0), (1.0, 300)):
            scores = torch.where(mask, -10_000.0, (x + shift).double() * scale)
            right = torch.softmax(scores, dim=1)
            inputs = ((x + shift), mask.to(torch.uint8))
            slack = 2.0**-24 + 2.0**-13 * right
            words, scalars = f"about {shift}", {"scale": scale}
            yield _case(words, inputs, right, HALF, scalars, ulp=1, within=(slack,))


def _scores(m: int, n: int) -> Iterator[tuple[str, torch.Tensor]]:
    near = _numbers(m, n) / 8
    late, early, odd = near.clone(), near.clone(), near.clone()
    late[:, (n + 1) // 2 :], early[:, : n // 2], odd[m // 2, n // 2] = -INF, -INF, NAN
    yield from (("near 0", near), ("400 less", near - 400), ("times 90", near * 90))
    yield from (("late ones masked", late), ("early ones masked", early), ("a NaN", odd))


def steps(launcher: Launcher) -> Iterator[Case]:
    """Give the maximum, the sum and the quotients of each row."""
    for place, (m, n) in enumerate(SIZES):
        for words, x in _scores(m, n):
            top = torch.where(x.isnan(), -INF, x).amax(dim=1)
            sums = (x.double() - top.double()[:, None]).exp().sum(dim=1)
            right = (x.double() - top.double()[:, None]).exp() / sums[:, None]
            slack = (
                0 * top.double(),
                2.0**-17 * sums.nan_to_num(0),
                2.0**-17 * right.nan_to_num(0) + 2.0**-122,
            )
            scalars, dtypes = {"block_size": BLOCKS[place % 5]}, FLOAT * 3
            expected = (top.double(), sums, right)
            yield _case(words, (x,), expected, dtypes, scalars, ulp=4, within=slack)


def online(launcher: Launcher) -> Iterator[Case]:
    """Take logarithms of softmax, and what is subtracted."""
    for m, n in SIZES:
        for words, x in _scores(m, n):
            rows = x.to(BFLOAT)
            lse = torch.logsumexp(rows.double(), dim=1)
            right = rows.double() - lse[:, None]
            within = [2.0**-18 * (9 + t.nan_to_num(0, 0, 0).abs()) for t in (right, lse)]
            within[0] = within[0] + 2.0**-18 * lse.nan_to_num(0).abs()[:, None]
            yield _case(words, (rows,), (right, lse), FLOAT * 2, ulp=2, within=tuple(within))


def saved(launcher: Launcher) -> Iterator[Case]:
    """Norm usual, distant, small and equal rows; keep means and deviations."""
    eps = 2.0**-10
    for m, n in (*SIZES, (4, 128), (3, 2000)):
        for scale, shift in ((1.0, 0.0), (1.0, 900.0), (2.0**-6, 0.0), (0.0, 3.0)):
            x = _numbers(m, n, limit=9) * scale + shift
            w, b = _numbers(n, limit=3) + 4, _numbers(n, limit=5)
            mean = x.double().mean(dim=1)
            away = x.double() - mean[:, None]
            rstd = 1 / torch.sqrt(away.square().mean(dim=1) + eps)
            right = away * rstd[:, None] * w.double() + b.double()
            large = x.double().abs().amax(dim=1)
            loose = (large * rstd)[:, None] * w.double() + right.abs() + b.double().abs()
            slack = (2.0**-18 * loose, 2.0**-20 * large, 2.0**-18 * (1 + large) * rstd)
            inputs, expected = (x, w, b), (right, mean, rstd)
            words = f"about {shift}, times {scale}"
            options = {"ulp": 2, "within": slack}
            yield _case(words, inputs, expected, FLOAT * 3, {"eps": eps}, **options)


def rms(launcher: Launcher) -> Iterator[Case]:
    """Norm zeros, small, usual and large halves."""
    for place, (m, n) in enumerate((*SIZES, (3, 96), (2, 100))):
        for scale in (0.0, 2.0**-9, 1.0, 40.0):
            x, w = (_numbers(m, n) * scale).half(), (_numbers(n, limit=90) / 64).half()
            root = torch.sqrt(x.double().square().mean(dim=1, keepdim=True) + 2.0**-12)
            right = x.double() / root * w.double()
            scalars = {"eps": 2.0**-12, "block_size": BLOCKS[place % 5]}
            slack = 2.0**-18 * right.abs()
            yield _case(f"times {scale}", (x, w), right, HALF, scalars, ulp=1, within=(slack,))


def magnitudes_added(launcher: Launcher) -> Iterator[Case]:
    """Add up the magnitudes of rows: eighths, and ones beside a large number."""
    for m, n in SIZES:
        x = _numbers(m, n) / 8
        wide = x * 8 + 30
        wide[:, 0] = -(2.0**27)
        for words, rows in (("eighths", x), ("wide", wide)):
            yield _case(words, (rows,), rows.double().abs().sum(dim=1), FLOAT, ulp=1)


def averages(launcher: Launcher) -> Iterator[Case]:
    """Take the means of columns, whose sums are exact."""
    for m, n in (*SIZES, (8, 32), (200, 65)):
        x = (_numbers(m, n, limit=90) + 7) / 4
        yield _case("", (x,), x.double().mean(dim=0), FLOAT, ulp=2)


def places(launcher: Launcher) -> Iterator[Case]:
    """Find the first largest of mixed, negative, masked, equal and broken rows."""
    for m, n in (*SIZES, (1, 70_000)):
        x = _numbers(m, n, limit=99) / 8
        lost, late, broken = x.clone(), x.clone(), x.clone()
        lost[m // 3], late[:, -1], broken[m // 2, n // 3 :] = -INF, 50, NAN
        kinds = {"mixed": x, "negative": x - 70, "masked": lost, "the last": late}
        for words, rows in (kinds | {"equal": x.clamp(max=0), "NaN": broken}).items():
            keys = torch.where(rows.isnan(), INF, rows)
            top = keys.amax(dim=1, keepdim=True)
            first = torch.where(keys == top, torch.arange(n), n).amin(dim=1)
            values = rows.gather(1, first[:, None])[:, 0]
            yield _case(words, (rows.half(),), (values, first), HALF + LONG)


def column_peaks(launcher: Launcher) -> Iterator[Case]:
    """Find the largest magnitudes of columns, with zeros, infinity and NaN."""
    for place, (m, n) in enumerate((*SIZES, (37, 130), (12, 64))):
        x = _numbers(m, n, limit=99) / 64
        broken = x.clone()
        broken[-1, n // 2], broken[m // 2, -1] = -INF, NAN
        for words, rows in (("mixed", x), ("zeros", 0 * x), ("broken", broken)):
            right = rows.double().abs().amax(dim=0)
            scalars = {"block_size": BLOCKS[place % 5]}
            yield _case(words, (rows,), right, FLOAT, scalars)


def offsets(launcher: Launcher) -> Iterator[Case]:
    """Turn small and large counts into offsets and totals."""
    for m, n in (*SIZES, (4, 96), (3, 192), (2, 500)):
        for words, factor in (("small", 1), ("large", 20_000)):
            x = (_numbers(m, n).abs() * factor).int()
            after = x.long().cumsum(dim=1)
            right = ((after - x).int(), after[:, -1].int())
            yield _case(words, (x,), right, (torch.int32, torch.int32))


BASES = {
    "xxvii_turn_fours": Base(HEADER + FOURS, {"cases": fours}),
    "xxvii_turn_swizzled": Base(HEADER + SWIZZLED, {"cases": tiles}),
    "xxvii_product_register": Base(HEADER + REGISTER, {"cases": fused}),
    "xxvii_product_vector": Base(HEADER + VECTOR, {"cases": vector}),
    "xxvii_product_bytes": Base(HEADER + BYTES, {"cases": whole_bytes}),
    "xxvii_softmax_scaled": Base(HEADER + SCALED, {"cases": masked}),
    "xxvii_softmax_steps": Base(HEADER + STEPS, {"cases": steps}),
    "xxvii_softmax_online": Base(HEADER + ONLINE, {"cases": online}),
    "xxvii_norm_saved": Base(HEADER + SAVED, {"cases": saved}),
    "xxvii_norm_rms": Base(HEADER + RMS, {"cases": rms}),
    "xxvii_rows_groups": Base(HEADER + GROUPS, {"cases": magnitudes_added}),
    "xxvii_rows_places": Base(HEADER + PLACES, {"cases": places}),
    "xxvii_rows_offsets": Base(HEADER + OFFSETS, {"cases": offsets}),
    "xxvii_columns_ticket": Base(HEADER + TICKET, {"cases": long_sums}),
    "xxvii_columns_averages": Base(HEADER + AVERAGES, {"cases": averages}),
    "xxvii_columns_magnitudes": Base(HEADER + MAGNITUDES, {"cases": column_peaks}),
}

WRONG = (
    # ---- a matrix is turned, four neighbours a thread
    # The neighbour's offset is counted along the row of the output.
    Wrong(
        "xxvii_turn_fours_offset_along",
        "xxvii_turn_fours",
        "other element / bounds / swapped / sides | unwritten / left out / race / function / neighbour / twice",
        ("dst[(x + k) * h + y]", "dst[x * h + y + k]"),
    ),
    # The last thread of a row writes all four.
    Wrong(
        "xxvii_turn_fours_four_at_the_end",
        "xxvii_turn_fours",
        "bounds / tail | other element / sides",
        ("if (x + k < w) dst", "dst"),
    ),
    # The rows are asked whether they can be read in fours, and the columns decide it.
    Wrong(
        "xxvii_turn_fours_height_asked",
        "xxvii_turn_fours",
        "alignment / tail / sides / bounds / swapped | other element",
        ("fours = w % 4 == 0", "fours = h % 4 == 0"),
    ),
    # The row's number in sixteen bits.
    Wrong(
        "xxvii_turn_fours_short_row",
        "xxvii_turn_fours",
        "narrow / whole range | sides / other element / unwritten / left out / tail / twice / race",
        ("const int64_t y = t / per_row;", "const unsigned short y = t / per_row;"),
    ),
    # Copied and not changed: the fourth is the third.
    Wrong(
        "xxvii_turn_fours_third_again",
        "xxvii_turn_fours",
        "other element / left out / twice | sides / alignment / neighbour / tail",
        ("v[3] = p.w;", "v[3] = p.z;"),
    ),
    # ---- a matrix is turned, in swizzled tiles
    # The store does not know of the swizzle.
    Wrong(
        "xxvii_turn_swizzled_plain_read",
        "xxvii_turn_swizzled",
        "other element / swapped | unwritten / start / state / bounds / sides / left out / function / race",
        ("= tile.at(tx, j);", "= tile.cells[tx * kTile + j];"),
    ),
    # The next tile is loaded before all have stored this one.
    Wrong(
        "xxvii_turn_swizzled_next_too_early",
        "xxvii_turn_swizzled",
        "race | other element / sides / grid / numbers",
        ("    __syncthreads();  // the tile is free for the next one\n", ""),
    ),
    # A block goes on by its threads and not by the blocks.
    Wrong(
        "xxvii_turn_swizzled_step_of_threads",
        "xxvii_turn_swizzled",
        "unwritten / left out / grid / tail | sides / block size",
        ("id += gridDim.x", "id += blockDim.x"),
    ),
    # As many cells as threads.
    Wrong(
        "xxvii_turn_swizzled_cells_of_threads",
        "xxvii_turn_swizzled",
        "bounds",
        ("T cells[kTile * kTile];", "T cells[kTile * kTile / 4];"),
    ),
    # ---- a product in registers
    # The stages do not change: the same tile counts again and again.
    Wrong(
        "xxvii_product_register_one_stage",
        "xxvii_product_register",
        "left out / other element / unwritten / start / state | function / sides / numbers / race / twice / zero before / nan / copy",
        ("    stage ^= 1;\n", ""),
    ),
    # Nobody waits for what comes next.
    Wrong(
        "xxvii_product_register_no_wait",
        "xxvii_product_register",
        "race | other element / left out / unwritten / start / state / sides / numbers / twice / zero before",
        ("    __syncthreads();\n    stage", "    stage"),
    ),
    # All columns of a thread are its first one.
    Wrong(
        "xxvii_product_register_first_column",
        "xxvii_product_register",
        "other element / left out / twice | sides / function / neighbour",
        ("sB[stage][kk][tc + j];", "sB[stage][kk][tc];"),
    ),
    # fmaxf makes 0 of NaN.
    Wrong(
        "xxvii_product_register_nan_cut_off",
        "xxvii_product_register",
        "nan | numbers / sign of zero",
        ("return v < 0.0f ? 0.0f : v;", "return fmaxf(v, 0.0f);"),
    ),
    # The bias is scaled as well.
    Wrong(
        "xxvii_product_register_bias_scaled",
        "xxvii_product_register",
        "function | numbers",
        ("alpha * acc + bias[col]", "alpha * (acc + bias[col])"),
    ),
    # ---- a matrix times a vector of halves
    # The products of pairs are halves.
    Wrong(
        "xxvii_product_vector_half_products",
        "xxvii_product_vector",
        "precision / rounding | numbers / narrow / infinity",
        (
            "            float2 p = __half22float2(a2[i]);\n            float2 q = __half22float2(v2[i]);\n            acc += p.x * q.x + p.y * q.y;",
            "            float2 p = __half22float2(__hmul2(a2[i], v2[i]));\n            acc += p.x + p.y;",
        ),
    ),
    # Each block has the first row.
    Wrong(
        "xxvii_product_vector_first_row",
        "xxvii_product_vector",
        "other element / left out / sides | function / copy",
        ("mat + blockIdx.x * cols;", "mat;"),
    ),
    # All lanes read a part, and there are eight.
    Wrong(
        "xxvii_product_vector_thirty_two_parts",
        "xxvii_product_vector",
        "bounds",
        ("lane < NT / 32 ? warp_part[lane] : 0.0f;", "warp_part[lane];"),
    ),
    # Toward zero.
    Wrong(
        "xxvii_product_vector_toward_zero",
        "xxvii_product_vector",
        "rounding | precision / numbers",
        ("__float2half(acc);", "__float2half_rz(acc);"),
    ),
    # Threads without a column leave; the rest ask them for their sums.
    Wrong(
        "xxvii_product_vector_idle_leave",
        "xxvii_product_vector",
        "race / timeout | left out / unwritten / start / sides / tail / block size / bounds",
        (
            "    float acc = 0.0f;\n    if (cols % 2",
            "    if (threadIdx.x >= cols) return;\n    float acc = 0.0f;\n    if (cols % 2",
        ),
    ),
    # ---- a product of bytes
    # The sum has sixteen bits.
    Wrong(
        "xxvii_product_bytes_short_sum",
        "xxvii_product_bytes",
        "narrow / whole range | numbers / sides / function / sign of zero",
        ("int acc = 0;", "short acc = 0;"),
    ),
    # The weights lose their sign where they are not taken in fours.
    Wrong(
        "xxvii_product_bytes_no_sign",
        "xxvii_product_bytes",
        "whole range / numbers / narrow / function | sides / tail",
        ("acc += x[k] * w[k];", "acc += x[k] * (uint8_t)w[k];"),
    ),
    # The scales change places.
    Wrong(
        "xxvii_product_bytes_scales",
        "xxvii_product_bytes",
        "swapped / bounds / other element / sides | function / numbers",
        ("x_scale[m] * w_scale[n]", "x_scale[n] * w_scale[m]"),
    ),
    # Fours as far as they go, whatever the rows are.
    Wrong(
        "xxvii_product_bytes_fours_always",
        "xxvii_product_bytes",
        "alignment | sides / tail / bounds",
        (
            "        if (K % 4 == 0) {\n            for (int64_t k = 0; k < K; k += 4) acc",
            "        int64_t k = 0;\n        {\n            for (; k + 4 <= K; k += 4) acc",
        ),
        (
            "        } else {\n            for (int64_t k = 0; k < K; k++)",
            "            for (; k < K; k++)",
        ),
    ),
    # ---- softmax, scaled and masked
    # A masked score counts, and the others do not.
    Wrong(
        "xxvii_softmax_scaled_mask_inverse",
        "xxvii_softmax_scaled",
        "swapped / function / numbers / other element | left out / sides / copy",
        (
            "kept[i] = mask[c] ? kMasked : __half2float(src[c]) * scale;",
            "kept[i] = mask[c] ? __half2float(src[c]) * scale : kMasked;",
        ),
    ),
    # The lanes behind the end have a score of 0.
    Wrong(
        "xxvii_softmax_scaled_lanes_of_zero",
        "xxvii_softmax_scaled",
        "start / tail / sides / function | numbers / nan / zero before / twice / left out / infinity / subnormal",
        ("kept[i] = -INFINITY;", "kept[i] = 0.0f;"),
    ),
    # The mask of the first row.
    Wrong(
        "xxvii_softmax_scaled_mask_of_first_row",
        "xxvii_softmax_scaled",
        "other element / left out / sides | function / numbers",
        ("  mask += row * cols;\n", ""),
    ),
    # Eight numbers a lane do not reach to 512.
    Wrong(
        "xxvii_softmax_scaled_eight_a_lane",
        "xxvii_softmax_scaled",
        "unwritten / left out | sides / tail / grid",
        ("scaled_masked_softmax_warp<16>", "scaled_masked_softmax_warp<8>"),
    ),
    # The scale was forgotten in the sum of long rows.
    Wrong(
        "xxvii_softmax_scaled_sum_unscaled",
        "xxvii_softmax_scaled",
        "function / left out / sides | numbers / infinity / zero before / subnormal / nan",
        (
            "s += expf((mask[row * cols + c] ? kMasked : __half2float(src[row * cols + c]) * scale) - m);",
            "s += expf((mask[row * cols + c] ? kMasked : __half2float(src[row * cols + c])) - m);",
        ),
    ),
    # ---- softmax, step by step
    # The steps are launched in the wrong order.
    Wrong(
        "xxvii_softmax_steps_order",
        "xxvii_softmax_steps",
        "state / unwritten / zero before / start | function / race / numbers / infinity / nan / other element",
        (
            "    row_max<<<(unsigned)row_blocks, block_size, 0, stream>>>(x, maxes, rows, cols);\n    row_sum<<<(unsigned)row_blocks, block_size, 0, stream>>>(x, maxes, sums, rows, cols);\n",
            "    row_sum<<<(unsigned)row_blocks, block_size, 0, stream>>>(x, maxes, sums, rows, cols);\n    row_max<<<(unsigned)row_blocks, block_size, 0, stream>>>(x, maxes, rows, cols);\n",
        ),
    ),
    # FLT_MIN is thought to be the least float.
    Wrong(
        "xxvii_softmax_steps_flt_min",
        "xxvii_softmax_steps",
        "start | numbers / nan / infinity / subnormal / function / whole range",
        ("float m = -INFINITY;", "float m = FLT_MIN;"),
    ),
    # The row of a number is looked for by the number of rows.
    Wrong(
        "xxvii_softmax_steps_row_by_rows",
        "xxvii_softmax_steps",
        "bounds / other element / sides / swapped | function",
        ("int64_t r = i / cols;", "int64_t r = i / rows;"),
    ),
    # ---- log-softmax, online
    # The smaller sum is not brought to the larger maximum.
    Wrong(
        "xxvii_softmax_online_not_rescaled",
        "xxvii_softmax_online",
        "function / left out | numbers / infinity / nan / sides",
        ("big.d + small.d * expf(small.m - big.m)", "big.d + small.d"),
    ),
    # Each row goes on from the one before.
    Wrong(
        "xxvii_softmax_online_row_after_row",
        "xxvii_softmax_online",
        "start | sides / state / grid / twice / function / numbers / other element / nan",
        (
            "  for (int64_t row = blockIdx.x; row < rows",
            "  MaxSum v{-FLT_MAX, 0.0f};\n  for (int64_t row = blockIdx.x; row < rows",
        ),
        ("    MaxSum v{-FLT_MAX, 0.0f};\n", ""),
    ),
    # All rows' sums go to the first place.
    Wrong(
        "xxvii_softmax_online_lse_of_thread",
        "xxvii_softmax_online",
        "unwritten / other element / left out | race / sides / twice",
        ("lse[row] = all;", "lse[threadIdx.x] = all;"),
    ),
    # What is subtracted is rounded to a bfloat16 on the way.
    Wrong(
        "xxvii_softmax_online_rounded_between",
        "xxvii_softmax_online",
        "rounding / precision / narrow | numbers",
        (
            "const float all = v.m + logf(v.d);",
            "const __nv_bfloat16 rounded = __float2bfloat16(v.m + logf(v.d));\n    const float all = __bfloat162float(rounded);",
        ),
    ),
    # ---- layer norm that keeps its statistics
    # The next part is written where the last one is read.
    Wrong(
        "xxvii_norm_saved_part_overwritten",
        "xxvii_norm_saved",
        "race | other element / left out / twice / numbers / sides / function",
        ("    __syncthreads();  // buf may be written again\n", ""),
    ),
    # Counts are integers, and so is their quotient.
    Wrong(
        "xxvii_norm_saved_integer_quotient",
        "xxvii_norm_saved",
        "function / rounding / left out | numbers / sides / precision / zero before / infinity / copy / nan",
        (
            "const float coef = 1.f / count;",
            "const int coef = 1 / (int)count;",
        ),
    ),
    # The variance is kept in place of one over its root.
    Wrong(
        "xxvii_norm_saved_variance_kept",
        "xxvii_norm_saved",
        "function | numbers / other element / sides",
        ("rstd[row] = inv;", "rstd[row] = buf[1];"),
    ),
    # Epsilon is added to the root.
    Wrong(
        "xxvii_norm_saved_eps_after_root",
        "xxvii_norm_saved",
        "function | numbers / precision / infinity",
        ("rsqrtf(buf[1] + eps)", "1.f / (sqrtf(buf[1]) + eps)"),
    ),
    # All four of a pack have the weight of the first.
    Wrong(
        "xxvii_norm_saved_weight_of_pack",
        "xxvii_norm_saved",
        "other element / left out | function / sides / alignment / numbers / neighbour",
        ("gamma[i * kVec + j]", "gamma[i * kVec]"),
    ),
    # Room for the means, and not for the rest.
    Wrong(
        "xxvii_norm_saved_too_few_bytes",
        "xxvii_norm_saved",
        "bounds",
        ("3 * threads.y / 2 * sizeof(float)", "threads.y * sizeof(float)"),
    ),
    # ---- RMS norm
    # A row of zeros: 0 / 0.
    Wrong(
        "xxvii_norm_rms_no_epsilon",
        "xxvii_norm_rms",
        "left out / nan / infinity / function | numbers / precision",
        ("    ss += eps;\n", ""),
    ),
    # What is left of a row has no partner, and is not stored.
    Wrong(
        "xxvii_norm_rms_no_rest",
        "xxvii_norm_rms",
        "tail / unwritten / left out | sides",
        (
            "    if (j < dim) orow[j] = __float2half(__half2float(weight[j]) * (ss * __half2float(xr[j])));\n",
            "",
        ),
    ),
    # It is rounded before the weight, and after it.
    Wrong(
        "xxvii_norm_rms_rounded_before",
        "xxvii_norm_rms",
        "rounding / precision | numbers",
        (
            "orow[j] = __float2half(__half2float(weight[j]) * (ss * v0));",
            "orow[j] = __hmul(weight[j], __float2half(ss * v0));",
        ),
        (
            "= __float2half(__half2float(weight[j + 32]) * (ss * v1));",
            "= __hmul(weight[j + 32], __float2half(ss * v1));",
        ),
        (
            "= __float2half(__half2float(weight[j]) * (ss * __half2float(xr[j])));",
            "= __hmul(weight[j], __float2half(ss * __half2float(xr[j])));",
        ),
    ),
    # ---- sums of magnitudes in groups
    # The place in the block is taken for that in the group.
    Wrong(
        "xxvii_rows_groups_rank_in_block",
        "xxvii_rows_groups",
        "left out / other element | function / sides / block size / unwritten / numbers / zero before",
        ("int64_t c = group.thread_rank(); c", "int64_t c = block.thread_rank(); c"),
    ),
    # The first step goes past the group: a lane gets its own sum, and has it twice.
    Wrong(
        "xxvii_rows_groups_step_of_group",
        "xxvii_rows_groups",
        "twice / function | sides / other element / left out / numbers / neighbour",
        ("int step = kGroup / 2; step", "int step = kGroup; step"),
    ),
    # The rows of a block that is not whole have no block.
    Wrong(
        "xxvii_rows_groups_whole_blocks",
        "xxvii_rows_groups",
        "grid / unwritten / tail / left out / refused | sides",
        ("(rows + rows_per_block - 1) / rows_per_block", "rows / rows_per_block"),
    ),
    # The magnitude of an integer.
    Wrong(
        "xxvii_rows_groups_whole_magnitudes",
        "xxvii_rows_groups",
        "rounding / function / precision / whole range | numbers / infinity / zero before / left out",
        ("sum += fabsf(from[c]);", "sum += abs((int)from[c]);"),
    ),
    # The sum is a float.
    Wrong(
        "xxvii_rows_groups_float_sum",
        "xxvii_rows_groups",
        "precision / rounding | numbers / narrow",
        ("l1_norm_rows<kGroup, double>", "l1_norm_rows<kGroup, float>"),
    ),
    # ---- the largest and its place
    # NaN is never larger.
    Wrong(
        "xxvii_rows_places_nan_lost",
        "xxvii_rows_places",
        "nan / numbers | other element / infinity / left out / start",
        ("return a_nan ? a : b;", "return a_nan ? b : a;"),
    ),
    # A place of sixteen bits.
    Wrong(
        "xxvii_rows_places_short_place",
        "xxvii_rows_places",
        "narrow / whole range | other element / sides / numbers / start / infinity / nan",
        ("  float value;\n  int64_t place;", "  float value;\n  short place;"),
        ("best{-INFINITY, INT64_MAX};", "best{-INFINITY, INT16_MAX};"),
        (
            "Candidate{static_cast<float>(in[base + u]), base + u}",
            "Candidate{static_cast<float>(in[base + u]), (short)(base + u)}",
        ),
        (
            "Candidate{static_cast<float>(in[i]), i}",
            "Candidate{static_cast<float>(in[i]), (short)i}",
        ),
        (
            "__shfl_down_sync(0xffffffff, best.place, delta)}",
            "(short)__shfl_down_sync(0xffffffff, (int)best.place, delta)}",
        ),
    ),
    # The place of the four, and not of the one.
    Wrong(
        "xxvii_rows_places_of_the_four",
        "xxvii_rows_places",
        "other element / left out | sides / neighbour / numbers / tail / function",
        ("in[base + u]), base + u}", "in[base + u]), base}"),
    ),
    # A place is -1 as long as nothing was found.
    Wrong(
        "xxvii_rows_places_minus_one",
        "xxvii_rows_places",
        "start / infinity / numbers | other element / whole range / nan",
        ("best{-INFINITY, INT64_MAX};", "best{-INFINITY, -1};"),
    ),
    # What is left of a row starts a step too far.
    Wrong(
        "xxvii_rows_places_rest_of_nobody",
        "xxvii_rows_places",
        "left out / tail | sides / other element / start / infinity / bounds / whole range / numbers",
        (
            "for (int64_t i = base; i < width; ++i)",
            "for (int64_t i = base + kUnroll; i < width; ++i)",
        ),
    ),
    # ---- offsets of counts
    # A count is in its own offset.
    Wrong(
        "xxvii_rows_offsets_inclusive",
        "xxvii_rows_offsets",
        "function / neighbour / other element | numbers / sides / twice",
        (
            "      if (first + j < cols) out[first + j] = run;\n      run += item[j];\n",
            "      run += item[j];\n      if (first + j < cols) out[first + j] = run;\n",
        ),
    ),
    # The first lanes add what they have themselves.
    Wrong(
        "xxvii_rows_offsets_first_lanes",
        "xxvii_rows_offsets",
        "twice / function | other element / numbers / sides / start / left out / neighbour",
        ("if (lane >= d) upto += left;", "upto += left;"),
    ),
    # The first lane is thought to have the sum of its warp.
    Wrong(
        "xxvii_rows_offsets_sum_of_first_lane",
        "xxvii_rows_offsets",
        "left out / other element / function | sides / numbers / unwritten / start",
        ("if (lane == 31) of_warp", "if (lane == 0) of_warp"),
    ),
    # ---- sums of columns with a ticket
    # The tickets are not given back.
    Wrong(
        "xxvii_columns_ticket_not_given_back",
        "xxvii_columns_ticket",
        "state | unwritten / left out / start",
        ("  if (threadIdx.x == 0) tickets_drawn = 0;\n", ""),
    ),
    # A part may be seen later than the ticket.
    Wrong(
        "xxvii_columns_ticket_no_fence",
        "xxvii_columns_ticket",
        "race | left out / unwritten",
        ("  __threadfence();\n", ""),
    ),
    # The ticket is compared with the number of blocks.
    Wrong(
        "xxvii_columns_ticket_never_last",
        "xxvii_columns_ticket",
        "unwritten | left out / state / start / grid",
        ("== gridDim.x - 1;", "== gridDim.x;"),
    ),
    # The parts are sums of integers.
    Wrong(
        "xxvii_columns_ticket_int_parts",
        "xxvii_columns_ticket",
        "narrow / whole range / infinity | numbers / sides / left out",
        ("    Acc sum = 0;\n", "    T sum = 0;\n"),
    ),
    # ---- means of columns
    # As in the formula for rows.
    Wrong(
        "xxvii_columns_averages_by_columns",
        "xxvii_columns_averages",
        "sides / function / swapped | numbers",
        ("/ numRows;", "/ numCols;"),
    ),
    # Each of eight threads adds all rows from its own on.
    Wrong(
        "xxvii_columns_averages_step_of_one",
        "xxvii_columns_averages",
        "twice | function / sides / numbers / other element",
        ("r < numRows; r += BY", "r < numRows; r++"),
    ),
    # The tree starts before all parts are stored.
    Wrong(
        "xxvii_columns_averages_tree_too_early",
        "xxvii_columns_averages",
        "race | unwritten / left out / start / sides / numbers / zero before / state",
        ("    __syncthreads();  // all parts are there\n", ""),
    ),
    # The matrix is thought to lie by columns.
    Wrong(
        "xxvii_columns_averages_by_columns_in_memory",
        "xxvii_columns_averages",
        "swapped / other element / sides | function",
        ("data[r * numCols + c]", "data[c * numRows + r]"),
    ),
    # ---- magnitudes of columns
    # The value and not the bits.
    Wrong(
        "xxvii_columns_magnitudes_value_of_float",
        "xxvii_columns_magnitudes",
        "rounding / function / precision / subnormal / whole range | numbers / nan / infinity / zero before / copy",
        ("__float_as_int(fabsf(x[r * cols + col]))", "(int)fabsf(x[r * cols + col])"),
    ),
    # So many bytes as there are columns are set to 0.
    Wrong(
        "xxvii_columns_magnitudes_bytes_cleared",
        "xxvii_columns_magnitudes",
        "zero before / state | start / unwritten / numbers / nan / other element / sides / left out",
        (
            "cudaMemsetAsync(amax, 0, cols * sizeof(float), stream);",
            "cudaMemsetAsync(amax, 0, cols, stream);",
        ),
    ),
    # The sign is kept: bits of negative numbers are negative.
    Wrong(
        "xxvii_columns_magnitudes_sign",
        "xxvii_columns_magnitudes",
        "left out / function / numbers | start / infinity / whole range / copy / zero before / nan",
        ("fabsf(x[r * cols + col])", "x[r * cols + col]"),
    ),
    # The last chunk goes on behind the last row.
    Wrong(
        "xxvii_columns_magnitudes_chunk_past_end",
        "xxvii_columns_magnitudes",
        "bounds | tail / sides",
        ("= min(begin + chunk, rows);", "= begin + chunk;"),
    ),
    # The rows that do not fill a chunk belong to nobody.
    Wrong(
        "xxvii_columns_magnitudes_whole_chunks",
        "xxvii_columns_magnitudes",
        "left out / tail / grid | sides / numbers / zero before / infinity / nan",
        ("chunk = (rows + chunks - 1) / chunks;", "chunk = rows / chunks;"),
    ),
)

RIGHT = (
    # Threads go down the columns first.
    Right(
        "xxvii_turn_fours_down_first",
        "xxvii_turn_fours",
        ("const int64_t y = t / per_row;", "const int64_t y = t % h;"),
        ("const int64_t x = t % per_row * 4;", "const int64_t x = t / h * 4;"),
        ("if (y >= h) return;", "if (x >= w) return;"),
    ),
    # A block's tiles lie side by side, and the tiles have eight rows.
    Right(
        "xxvii_turn_swizzled_pieces",
        "xxvii_turn_swizzled",
        (
            "for (int64_t id = blockIdx.x; id < tiles; id += gridDim.x) {",
            "const int64_t piece = (tiles + gridDim.x - 1) / gridDim.x;\n  for (int64_t id = blockIdx.x * piece; id < tiles && id < (blockIdx.x + 1) * piece; ++id) {",
        ),
        ("kTile = 16;", "kTile = 8;"),
    ),
    # A thread has eight rows and two columns, and a tile is half as deep.
    Right(
        "xxvii_product_register_eight_by_two",
        "xxvii_product_register",
        ("BK = 8, TM = 4, TN = 4;", "BK = 4, TM = 8, TN = 2;"),
        ("acc[i][j] += a[i] * b[j];", "acc[i][j] = fmaf(a[i], b[j], acc[i][j]);"),
    ),
    # Of an odd number of columns every second row is read in pairs, and its last one alone.
    Right(
        "xxvii_product_vector_pairs_of_even_rows",
        "xxvii_product_vector",
        ("if (cols % 2 == 0) {", "if ((blockIdx.x * cols) % 2 == 0) {"),
        (
            "            acc += p.x * q.x + p.y * q.y;\n        }\n",
            "            acc += p.x * q.x + p.y * q.y;\n        }\n        if (threadIdx.x == NT - 1 && cols % 2) acc += __half2float(a[cols - 1]) * __half2float(vec[cols - 1]);\n",
        ),
    ),
    # Bytes are taken one at a time, from the end.
    Right(
        "xxvii_product_bytes_from_the_end",
        "xxvii_product_bytes",
        (
            "            for (int64_t k = 0; k < K; k += 4) acc = __dp4a(*(const int*)(x + k), *(const int*)(w + k), acc);\n",
            "            for (int64_t k = K - 1; k >= 0; k--) acc += (int)x[k] * (int)w[k];\n",
        ),
    ),
    # Multiplied by the inverse of the sum; all rows up to 512 in one kernel.
    Right(
        "xxvii_softmax_scaled_one_width",
        "xxvii_softmax_scaled",
        ("__float2half(kept[i] / sum)", "__float2half(kept[i] * (1.0f / sum))"),
        ("warp<1>", "warp<16>"),
        ("warp<4>", "warp<16>"),
    ),
    # By the logarithm of the sum, and with twice as many blocks for the sums.
    Right(
        "xxvii_softmax_steps_by_logarithm",
        "xxvii_softmax_steps",
        ("row_sum<<<(unsigned)row_blocks,", "row_sum<<<2 * (unsigned)row_blocks,"),
        ("expf(x[i] - maxes[r]) / sums[r]", "expf(x[i] - maxes[r] - logf(sums[r]))"),
    ),
    # One warp, and a block for every third row.
    Right(
        "xxvii_softmax_online_one_warp",
        "xxvii_softmax_online",
        ("kThreads = 96;", "kThreads = 32;"),
        ("blocks = rows < 10 ? rows : 10;", "blocks = (rows + 2) / 3;"),
    ),
    # Eight warps, and the deviation by division.
    Right(
        "xxvii_norm_saved_eight_warps",
        "xxvii_norm_saved",
        ("threads(32, 4);", "threads(32, 8);"),
        ("rsqrtf(buf[1] + eps)", "1.f / sqrtf(buf[1] + eps)"),
    ),
    # In doubles on the way.
    Right(
        "xxvii_norm_rms_doubles",
        "xxvii_norm_rms",
        ("float ss = 0.0f;", "double ss = 0.0;"),
        ("ss = 1.0f / sqrtf(ss);", "ss = 1.0 / sqrt(ss);"),
    ),
    # Groups of four, and always a block more.
    Right(
        "xxvii_rows_groups_of_four",
        "xxvii_rows_groups",
        ("kGroup = 16;", "kGroup = 4;"),
        ("(rows + rows_per_block - 1) / rows_per_block", "rows / rows_per_block + 1"),
    ),
    # Threads have no neighbours, and there are four warps.
    Right(
        "xxvii_rows_places_one_by_one",
        "xxvii_rows_places",
        (
            "max_with_place<64, 4><<<static_cast<unsigned>(rows), 64,",
            "max_with_place<128, 1><<<static_cast<unsigned>(rows), 128,",
        ),
    ),
    # What comes before is what is known up to here without the thread's own.
    Right(
        "xxvii_rows_offsets_shifted",
        "xxvii_rows_offsets",
        (
            "    int run = carry + before + upto - mine;\n",
            "    int run = __shfl_up_sync(0xffffffff, upto, 1);\n    run = carry + before + (lane ? run : 0);\n",
        ),
    ),
    # atomicInc gives the tickets back by itself, and there are nine blocks.
    Right(
        "xxvii_columns_ticket_wraps",
        "xxvii_columns_ticket",
        ("atomicAdd(&tickets_drawn, 1u)", "atomicInc(&tickets_drawn, gridDim.x - 1)"),
        ("  if (threadIdx.x == 0) tickets_drawn = 0;\n", ""),
        ("kBlocks = 5;", "kBlocks = 9;"),
    ),
    # One of eight threads adds the parts.
    Right(
        "xxvii_columns_averages_first_thread_adds",
        "xxvii_columns_averages",
        (
            "    for (int k = BY / 2; k > 0; k /= 2) {\n        if (threadIdx.y < k)\n            part[threadIdx.y][threadIdx.x] += part[threadIdx.y + k][threadIdx.x];\n        __syncthreads();\n    }\n",
            "    if (threadIdx.y == 0)\n        for (int k = 1; k < BY; k++) part[0][threadIdx.x] += part[k][threadIdx.x];\n",
        ),
    ),
    # Signs are shifted out and cut off, and rows are dealt out one by one.
    Right(
        "xxvii_columns_magnitudes_rows_dealt",
        "xxvii_columns_magnitudes",
        (
            "__float_as_int(fabsf(x[r * cols + col]))",
            "__float_as_int(x[r * cols + col]) & 0x7fffffff",
        ),
        ("int64_t r = begin; r < end; r++", "int64_t r = blockIdx.y; r < rows; r += gridDim.y"),
        (
            "    const int64_t begin = blockIdx.y * chunk;\n    const int64_t end = min(begin + chunk, rows);\n",
            "",
        ),
    ),
)
