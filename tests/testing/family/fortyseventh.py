"""Hold a forty-seventh family: what learners of the course write, in styles of twelve kinds.

Its bases are a sum that is clipped, bytes of bfloat16, three linear units, GELU of halves, sums
of rows, the mean of an array, the place of the largest, transposes, products, bytes times a
vector, log softmax and layer norm. Its styles: pairs of halves with a last number; a piece of
the array for each block, four numbers at once; functors and lines of a warp; an unrolled loop
that loads all, computes all and stores all; groups and atomics of several blocks a row; two
kernels with parts in a variable of the device; keys of 32 bits and one instruction for a warp;
tiles whose side is chosen at run time; two stages with one barrier a step; products of four
bytes by groups of eight lanes; a template for each width with a tree of pairs; and two kernels
with statistics between them. Scalars and outputs stand first in some launchers, and sizes are
of several types. The causes were written before a member was judged. On the emulator each
member ran beside PyTorch, compared as a case does, called twice on the same tensors, once each
with NaN and 1e3 in the outputs and with other bytes around all tensors. nvcc 13.0 compiles each
for 8.0; none was run on a GPU. Bases and right ones are right, and all wrong ones wrong or
refused by a fault:

    xlvii_clip_nan_is_limit        of NaN
    xlvii_clip_two_roundings       if the product is no half, unless the sum is clipped
    xlvii_clip_too_early           unless neither product nor sum is beyond a limit
    xlvii_clip_last_has_no_thread  of odd counts from 1,025 on
    xlvii_clip_no_loop             from 1,026 numbers on
    xlvii_tos8_half_more           of ties between an even number and the next one above it
    xlvii_tos8_symmetric           from -127.5 on down
    xlvii_tos8_wraps               of numbers that no byte holds
    xlvii_tos8_any_piece           from 29 on, if a piece is no multiple of 4; by the address
    xlvii_tos8_high_first          from 4 numbers on
    xlvii_elu_celu_undivided       below 0, of CELU, unless alpha is 1
    xlvii_elu_exp_less_one         just below 0, of ELU
    xlvii_elu_no_branch            of NaN, of ELU
    xlvii_elu_half_scaled          below 0, of SELU
    xlvii_elu_80_threads           from 209 numbers on
    xlvii_gelu_product_of_halves   if a factor is no half
    xlvii_gelu_by_tanh             of many numbers, most below 0
    xlvii_gelu_starts_too_near     from 321 numbers on
    xlvii_gelu_loads_in_a_row      from 2 numbers on
    xlvii_gelu_stores_all          unless 256 divides the count
    xlvii_rowsum_not_set           unless zeros are there before
    xlvii_rowsum_bytes_of_rows     the same, of three quarters of the rows
    xlvii_rowsum_in_half           if a thread's sum is no half
    xlvii_rowsum_goes_on           from 9 rows on
    xlvii_rowsum_first_of_block    from 33 columns on
    xlvii_mean_float_sums          if large numbers cancel in a thread's sum
    xlvii_mean_run_rounded_down    if 24 does not divide the count
    xlvii_mean_no_barrier          where warps do not wait for another
    xlvii_mean_steps_of_16         from 17 numbers on
    xlvii_mean_old_parts           if a run is empty that was none in an earlier call
    xlvii_argmax_last_of_equal     if the largest is there more than once
    xlvii_argmax_only_sign         if the largest is below 0, and others are not equal to it
    xlvii_argmax_signed_nan        of NaNs with a sign
    xlvii_argmax_two_zeros         if the largest are zeros, and -0.0 is before 0.0
    xlvii_argmax_from_0            of rows below 0
    xlvii_turn_one_barrier         from 6 tiles on, where warps do not wait for another
    xlvii_turn_square_room         if a tile has a place that needs it
    xlvii_turn_tiles_down          unless there are as many tiles down as across
    xlvii_turn_same_test           unless all tiles are whole or square
    xlvii_turn_tile_of_int         of numbers of more than 32 bits
    xlvii_gemm_same_stage          from 9 terms on, where warps do not wait for another
    xlvii_gemm_first_stage_only    from 9 terms on
    xlvii_gemm_whole_steps         if 8 does not divide the terms
    xlvii_gemm_rows_of_a           unless n = k, from 2 terms on
    xlvii_gemm_grid_turned         if the tiles down and across differ in number
    xlvii_gemv_any_width           from 5 columns on, if 4 does not divide them
    xlvii_gemv_unsigned            of bytes below 0, if 4 divides the columns
    xlvii_gemv_scale_of_block      from 17 rows on
    xlvii_gemv_few_blocks          from 17 rows on
    xlvii_logsm_joins_none         up to 15 columns, or if a thread begins with -infinity
    xlvii_logsm_old_sum            if a larger number comes after the first one
    xlvii_logsm_no_last_barrier    from 7 rows on, where warps do not wait for another
    xlvii_logsm_other_template     from 65 columns on
    xlvii_logsm_log_of_share       if a number is far below the largest one
    xlvii_norm_of_sample           unless all is equal
    xlvii_norm_of_squares          of numbers that are far off 0
    xlvii_norm_weight_of_row       from 2 rows or columns on, unless all weights are equal
    xlvii_norm_stats_of_warp       from 5 rows on
"""

# ruff: noqa: E501 (a line of a kernel stands in one line)
from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case, least_starts
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import whole

# A programmer of half2: alpha * x + y between two limits, rounded once, with a last number.
CLIP = (
    HEADER
    + """\
// NaN stays NaN
__device__ __forceinline__ half2 between(half2 v, half2 lo, half2 hi) {
  return __hmin2_nan(__hmax2_nan(v, lo), hi);
}

__global__ void axpy_clip(half2 alpha, half2 lo, half2 hi, const half* x, const half* y, half* z,
                          unsigned n) {
  const unsigned pairs = n / 2;
  const unsigned threads = gridDim.x * blockDim.x;
  const unsigned me = blockIdx.x * blockDim.x + threadIdx.x;
  const half2* x2 = reinterpret_cast<const half2*>(x);
  const half2* y2 = reinterpret_cast<const half2*>(y);
  half2* z2 = reinterpret_cast<half2*>(z);
  for (unsigned p = me; p < pairs; p += threads) {
    z2[p] = between(__hfma2(alpha, x2[p], y2[p]), lo, hi);
  }
  if (n % 2 == 1 && me == 0) {
    const half2 a = __half2half2(x[n - 1]), b = __half2half2(y[n - 1]);
    z[n - 1] = __low2half(between(__hfma2(alpha, a, b), lo, hi));
  }
}

extern "C" void launch(float alpha, float lo, float hi,
                       const half* x,  // [n] 4-byte aligned
                       const half* y,  // [n] 4-byte aligned
                       half* z,        // [n] 4-byte aligned
                       unsigned n, cudaStream_t stream = 0) {
  axpy_clip<<<4, 128, 0, stream>>>(__float2half2_rn(alpha), __float2half2_rn(lo),
                                   __float2half2_rn(hi), x, y, z, n);
}
"""
)

# An engineer's cast of bfloat16 to bytes with a sign: each block has a piece, four at once.
TOS8 = (
    HEADER
    + """\
static const int kBlocks = 7;

// to the nearest, ties to even; NaN becomes 0
__device__ inline signed char to_s8(float v) {
  if (v != v) return 0;
  const float inside = fminf(fmaxf(v, -128.0f), 127.0f);
  return (signed char)__float2int_rn(inside);
}

// the upper bits of a float are the bfloat16 of its word
__device__ inline float low_of(unsigned word) { return __uint_as_float(word << 16); }
__device__ inline float high_of(unsigned word) { return __uint_as_float(word & 0xffff0000u); }

__global__ void narrow(int8_t* __restrict__ dst, const __nv_bfloat16* __restrict__ src,
                       int64_t piece, int64_t n) {
  const int64_t first = piece * blockIdx.x;
  const int64_t last = min(first + piece, n);
  int64_t i = first + 4 * threadIdx.x;
  for (; i + 4 <= last; i += 4 * blockDim.x) {
    const uint2 two = *(const uint2*)(src + i);
    char4 q;
    q.x = to_s8(low_of(two.x));
    q.y = to_s8(high_of(two.x));
    q.z = to_s8(low_of(two.y));
    q.w = to_s8(high_of(two.y));
    *(char4*)(dst + i) = q;
  }
  for (; i < last; ++i) dst[i] = to_s8(__bfloat162float(src[i]));  // one thread has them
}

extern "C" void launch(int8_t* dst,               // [n] 4-byte aligned
                       const __nv_bfloat16* src,  // [n] 8-byte aligned
                       int64_t n, cudaStream_t stream = 0) {
  const int64_t fours = (n + 3) / 4;
  const int64_t piece = (fours + kBlocks - 1) / kBlocks * 4;
  narrow<<<kBlocks, 64, 0, stream>>>(dst, src, piece, n);
}
"""
)

# A library of functors: ELU, SELU and CELU by one kernel; a warp has three lines of 32.
ELU = (
    HEADER
    + """\
namespace act {

struct Elu {
  float alpha;
  __device__ float operator()(float x) const { return x > 0.0f ? x : alpha * expm1f(x); }
};

struct Selu {
  __device__ float operator()(float x) const {
    return 1.0507009873554805f * (x > 0.0f ? x : 1.6732632423543772f * expm1f(x));
  }
};

struct Celu {
  float alpha;
  __device__ float operator()(float x) const {
    return x > 0.0f ? x : alpha * expm1f(x / alpha);
  }
};

constexpr int kThreads = 96;
constexpr int kLines = 3;

template <typename Op>
__global__ void map(const float* __restrict__ in, float* __restrict__ out, size_t count, Op op) {
  const size_t warp = (size_t(blockIdx.x) * kThreads + threadIdx.x) / 32;
  size_t i = warp * 32 * kLines + threadIdx.x % 32;
#pragma unroll
  for (int line = 0; line < kLines; ++line, i += 32) {
    if (i < count) out[i] = op(in[i]);
  }
}

template <typename Op>
void run(Op op, const float* in, float* out, size_t count, cudaStream_t stream) {
  const size_t blocks = (count + kThreads * kLines - 1) / (kThreads * kLines);
  map<<<unsigned(blocks), kThreads, 0, stream>>>(in, out, count, op);
}

}  // namespace act

// kind: 0 is ELU, 1 SELU (without alpha), 2 CELU
extern "C" void launch(const float* in,  // [count]
                       float* out,       // [count]
                       int kind, float alpha, int64_t count, cudaStream_t stream = 0) {
  switch (kind) {
    case 0: act::run(act::Elu{alpha}, in, out, count, stream); break;
    case 1: act::run(act::Selu{}, in, out, count, stream); break;
    default: act::run(act::Celu{alpha}, in, out, count, stream);
  }
}
"""
)

# A framework's unrolled loop for GELU of halves: all loads, all of the function, all stores.
GELU = (
    HEADER
    + """\
template <int kUnroll>
__global__ void __launch_bounds__(64) gelu_unrolled(half* y, const half* x, int64_t n) {
  const int64_t tile = int64_t(blockDim.x) * kUnroll;
  for (int64_t start = tile * blockIdx.x; start < n; start += tile * gridDim.x) {
    half args[kUnroll];
    half results[kUnroll];
#pragma unroll
    for (int k = 0; k < kUnroll; ++k) {
      const int64_t i = start + k * blockDim.x + threadIdx.x;
      args[k] = i < n ? x[i] : __float2half(0.0f);
    }
#pragma unroll
    for (int k = 0; k < kUnroll; ++k) {
      const float v = __half2float(args[k]);
      // half of erfc is the normal distribution's function
      results[k] = __float2half(0.5f * v * erfcf(-0.70710678118654752f * v));
    }
#pragma unroll
    for (int k = 0; k < kUnroll; ++k) {
      const int64_t i = start + k * blockDim.x + threadIdx.x;
      if (i < n) y[i] = results[k];
    }
  }
}

extern "C" void launch(half* y,        // [n]
                       const half* x,  // [n]
                       int64_t n, cudaStream_t stream = 0) {
  constexpr int kUnroll = 4;
  const int64_t tiles = (n + 64 * kUnroll - 1) / (64 * kUnroll);
  const unsigned blocks = tiles < 5 ? unsigned(tiles) : 5u;
  gelu_unrolled<kUnroll><<<blocks, 64, 0, stream>>>(y, x, n);
}
"""
)

# A friend of cooperative groups: sums of the rows of a matrix, several blocks a row.
ROWSUM = (
    "#include <cooperative_groups.h>\n#include <cooperative_groups/reduce.h>\n"
    + HEADER
    + """\
namespace cg = cooperative_groups;

__global__ void row_sums(float* sums, const half* matrix, int rows, int64_t cols) {
  const auto block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<32>(block);
  const int64_t step = int64_t(gridDim.x) * block.size();

  for (int64_t r = blockIdx.y; r < rows; r += gridDim.y) {
    const half* row = matrix + r * cols;
    float part = 0.0f;
    const int64_t first = int64_t(blockIdx.x) * block.size() + block.thread_rank();
    for (int64_t c = first; c < cols; c += step) {
      part += __half2float(row[c]);
    }
    part = cg::reduce(warp, part, cg::plus<float>());
    if (warp.thread_rank() == 0) {
      atomicAdd(sums + r, part);
    }
  }
}

extern "C" void launch(float* sums,         // [rows]
                       const half* matrix,  // [rows, cols]
                       int rows, int cols, cudaStream_t stream = 0) {
  const unsigned across = (unsigned(cols) + 63) / 64;
  const dim3 grid(across < 3 ? across : 3, rows < 8 ? rows : 8);
  cudaMemsetAsync(sums, 0, rows * sizeof(float), stream);
  row_sums<<<grid, 64, 0, stream>>>(sums, matrix, rows, cols);
}
"""
)

# A programmer of two kernels: the mean of a whole array, each block a run, in double between.
MEAN = (
    HEADER
    + """\
#define PARTS 24
#define FULL 0xffffffffu

static __device__ double parts[PARTS];

static __device__ double warp_sum(double v)
{
    for (int o = 16; o > 0; o >>= 1)
        v += __shfl_down_sync(FULL, v, o);
    return v;
}

static __global__ void mean_first(const float *x, int64_t n)
{
    __shared__ double of_warp[2];
    const int64_t run = (n + PARTS - 1) / PARTS;
    const int64_t begin = run * blockIdx.x;
    const int64_t end = begin + run < n ? begin + run : n;

    double sum = 0.0;
    for (int64_t i = begin + threadIdx.x; i < end; i += blockDim.x)
        sum += x[i];
    sum = warp_sum(sum);
    if (threadIdx.x % 32 == 0)
        of_warp[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0)
        parts[blockIdx.x] = of_warp[0] + of_warp[1];
}

static __global__ void mean_second(float *mean, int64_t n)
{
    double sum = threadIdx.x < PARTS ? parts[threadIdx.x] : 0.0;
    sum = warp_sum(sum);
    if (threadIdx.x == 0)
        *mean = (float)(sum / n);
}

extern "C" void launch(const float *x,  // [n]
                       float *mean,     // [1]
                       int64_t n, cudaStream_t stream = 0)
{
    mean_first<<<PARTS, 64, 0, stream>>>(x, n);
    mean_second<<<1, 32, 0, stream>>>(mean, n);
}
"""
)

# A lover of bits: the place of the largest half of each row, as a key of 32 bits, a warp a row.
ARGMAX = (
    HEADER
    + """\
// The larger number has the larger key; of equal ones the first column has, and NaN is largest.
__device__ uint32_t key_of(half number, uint32_t column) {
  uint32_t bits = __half_as_ushort(number);
  if ((bits & 0x7fffu) > 0x7c00u) bits = 0x7fffu;  // every NaN
  if (bits == 0x8000u) bits = 0u;                  // -0 is 0
  bits = bits & 0x8000u ? ~bits & 0xffffu : bits | 0x8000u;
  return bits << 16 | (0xffffu - column);
}

__global__ void row_argmax(const half* x, int64_t* place, uint32_t rows, uint32_t cols) {
  const uint32_t row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;  // a whole warp
  const half* mine = x + size_t(row) * cols;
  uint32_t best = 0u;
  for (uint32_t c = threadIdx.x; c < cols; c += 32u) best = max(best, key_of(mine[c], c));
  best = __reduce_max_sync(0xffffffffu, best);
  if (threadIdx.x == 0) place[row] = 0xffffu - (best & 0xffffu);
}

// at most 65,536 columns
extern "C" void launch(const half* x,   // [rows, cols]
                       int64_t* place,  // [rows]
                       int rows, int cols, cudaStream_t stream = 0) {
  row_argmax<<<(rows + 2) / 3, dim3(32, 3), 0, stream>>>(x, place, rows, cols);
}
"""
)

# A tuner: transposes of 64-bit integers by tiles whose side is chosen at run time.
TURN = (
    HEADER
    + """\
// A tile is [side][side + 1] in dynamic shared memory; a block has every fifth tile.
__global__ void turn(const int64_t* __restrict__ in, int64_t* __restrict__ out, unsigned rows,
                     unsigned cols) {
  extern __shared__ int64_t tile[];
  const unsigned side = blockDim.x;
  const unsigned pitch = side + 1;
  const unsigned down = (rows + side - 1) / side;
  const unsigned across = (cols + side - 1) / side;

  for (unsigned t = blockIdx.x; t < down * across; t += gridDim.x) {
    const unsigned top = t / across * side;
    const unsigned left = t % across * side;
    for (unsigned y = threadIdx.y; y < side; y += blockDim.y) {
      if (top + y < rows && left + threadIdx.x < cols) {
        tile[y * pitch + threadIdx.x] = in[size_t(top + y) * cols + left + threadIdx.x];
      }
    }
    __syncthreads();
    for (unsigned y = threadIdx.y; y < side; y += blockDim.y) {
      if (left + y < cols && top + threadIdx.x < rows) {
        out[size_t(left + y) * rows + top + threadIdx.x] = tile[threadIdx.x * pitch + y];
      }
    }
    __syncthreads();
  }
}

// side is from 1 to 32
extern "C" void launch(const int64_t* in,  // [rows, cols]
                       int64_t* out,       // [cols, rows]
                       int side, int rows, int cols, cudaStream_t stream = 0) {
  const size_t bytes = sizeof(int64_t) * side * (side + 1);
  turn<<<5, dim3(side, side < 4 ? side : 4), bytes, stream>>>(in, out, rows, cols);
}
"""
)

# A pupil of the fast ones: a product with two stages in shared memory and one barrier a step.
GEMM = (
    HEADER
    + """\
constexpr int T = 16;
constexpr int KS = 8;

struct Stage {
  float a[KS][T];
  float b[KS][T];
};

// C = alpha * A B. Half of the threads bring A, half bring B.
__global__ void gemm(const float* A, const float* B, float* C, float alpha, int m, int n, int k) {
  __shared__ Stage stage[2];
  const int tid = threadIdx.x, u = tid % (T * KS);
  const bool brings_a = tid < T * KS;
  const int64_t row0 = int64_t(blockIdx.y) * T, col0 = int64_t(blockIdx.x) * T;

  auto fetch = [&](int64_t k0) {
    const int64_t kk = brings_a ? k0 + u % KS : k0 + u / T;
    const int64_t r = row0 + u / KS, c = col0 + u % T;
    if (brings_a) return r < m && kk < k ? A[r * k + kk] : 0.0f;
    return kk < k && c < n ? B[kk * n + c] : 0.0f;
  };
  auto put = [&](int s, float v) {
    if (brings_a) stage[s].a[u % KS][u / KS] = v;
    else stage[s].b[u / T][u % T] = v;
  };

  put(0, fetch(0));
  __syncthreads();
  const int tx = tid % T, ty = tid / T;
  float sum = 0.0f;
  int now = 0;
  for (int64_t k0 = 0; k0 < k; k0 += KS) {
    const bool more = k0 + KS < k;
    const float next = more ? fetch(k0 + KS) : 0.0f;  // on its way while this stage is used
    for (int j = 0; j < KS; ++j) sum += stage[now].a[j][ty] * stage[now].b[j][tx];
    if (more) put(now ^ 1, next);
    __syncthreads();
    now ^= 1;
  }
  if (row0 + ty < m && col0 + tx < n) C[(row0 + ty) * n + col0 + tx] = alpha * sum;
}

extern "C" void launch(float alpha,
                       const float* A,  // [m, k]
                       const float* B,  // [k, n]
                       float* C,        // [m, n]
                       int m, int n, int k, cudaStream_t stream = 0) {
  const dim3 grid((n + T - 1) / T, (m + T - 1) / T);
  gemm<<<grid, T * T, 0, stream>>>(A, B, C, alpha, m, n, k);
}
"""
)

# A deployer: a quantized matrix times a quantized vector, four products at once, 8 lanes a row.
GEMV = (
    "#include <cooperative_groups.h>\n#include <cooperative_groups/reduce.h>\n"
    + HEADER
    + """\
namespace cg = cooperative_groups;

#define LANES 8
#define THREADS 128

// y[r] = scale[r] * (row r of w, times x)
__global__ void gemv_s8(const int8_t *x, const int8_t *w, const float *scale, float *y, int n_out,
                        int n_in)
{
    const auto group = cg::tiled_partition<LANES>(cg::this_thread_block());
    const int64_t row = ((int64_t)blockIdx.x * THREADS + threadIdx.x) / LANES;
    if (row >= n_out)
        return;   // the whole group

    const int8_t *mine = w + row * n_in;
    int acc = 0;
    if (n_in % 4 == 0) {
        const int *w4 = (const int *)mine;
        const int *x4 = (const int *)x;
        for (int j = group.thread_rank(); j < n_in / 4; j += LANES)
            acc = __dp4a(w4[j], x4[j], acc);
    } else {
        for (int j = group.thread_rank(); j < n_in; j += LANES)
            acc += mine[j] * x[j];
    }
    for (int o = LANES / 2; o > 0; o /= 2)
        acc += group.shfl_down(acc, o);
    if (group.thread_rank() == 0)
        y[row] = scale[row] * acc;
}

extern "C" void launch(const int8_t *x,     // [n_in] 4-byte aligned
                       const int8_t *w,     // [n_out, n_in] 4-byte aligned
                       const float *scale,  // [n_out]
                       float *y,            // [n_out]
                       int n_out, int n_in, cudaStream_t stream = 0)
{
    const int rows = THREADS / LANES;   // of a block
    gemv_s8<<<(n_out + rows - 1) / rows, THREADS, 0, stream>>>(x, w, scale, y, n_out, n_in);
}
"""
)

# A template for each width: log softmax of bfloat16 rows, in one pass and a tree of pairs.
LOGSM = (
    HEADER
    + """\
struct Part {
  float top;  // the largest number
  float sum;  // of exp(number - top)
};

__device__ __forceinline__ Part join(Part a, Part b) {
  const float top = fmaxf(a.top, b.top);
  if (top == -INFINITY) return Part{top, 0.0f};
  return Part{top, a.sum * expf(a.top - top) + b.sum * expf(b.top - top)};
}

template <int kThreads>
__global__ void log_softmax(float* y, const __nv_bfloat16* x, int rows, int64_t cols) {
  __shared__ Part tree[kThreads];
  const int t = threadIdx.x;
  for (int64_t r = blockIdx.x; r < rows; r += gridDim.x) {
    const __nv_bfloat16* in = x + r * cols;
    Part own{-INFINITY, 0.0f};
    for (int64_t c = t; c < cols; c += kThreads) {
      own = join(own, Part{__bfloat162float(in[c]), 1.0f});
    }
    tree[t] = own;
    __syncthreads();
    for (int half_of = kThreads / 2; half_of > 0; half_of /= 2) {
      if (t < half_of) tree[t] = join(tree[t], tree[t + half_of]);
      __syncthreads();
    }
    const float top = tree[0].top, log_sum = logf(tree[0].sum);
    for (int64_t c = t; c < cols; c += kThreads) {
      y[r * cols + c] = __bfloat162float(in[c]) - top - log_sum;
    }
    __syncthreads();  // all have read tree[0]
  }
}

// no NaN and no +infinity; each row has a number
extern "C" void launch(float* y,                // [rows, cols]
                       const __nv_bfloat16* x,  // [rows, cols]
                       int rows, int cols, cudaStream_t stream = 0) {
  const int blocks = rows < 6 ? rows : 6;
  if (cols <= 64) log_softmax<32><<<blocks, 32, 0, stream>>>(y, x, rows, cols);
  else log_softmax<128><<<blocks, 128, 0, stream>>>(y, x, rows, cols);
}
"""
)

# A divider of labour: layer norm with a weight, by a kernel for statistics and one for numbers.
NORM = (
    HEADER
    + """\
namespace layer {

constexpr unsigned kWarps = 4;

__device__ float all_sum(float v) {
  for (int k = 1; k < 32; k <<= 1) v += __shfl_xor_sync(0xffffffffu, v, k);
  return v;
}

// stats[r] = (mean, 1 / deviation) of row r
__global__ void measure(const float* x, float2* stats, float eps, unsigned rows, unsigned cols) {
  const unsigned r = blockIdx.x * kWarps + threadIdx.y;
  if (r >= rows) return;
  const float* row = x + size_t(r) * cols;
  float sum = 0.0f;
  for (unsigned c = threadIdx.x; c < cols; c += 32) sum += row[c];
  const float mean = all_sum(sum) / cols;
  float squares = 0.0f;
  for (unsigned c = threadIdx.x; c < cols; c += 32) squares += (row[c] - mean) * (row[c] - mean);
  const float var = all_sum(squares) / cols;
  if (threadIdx.x == 0) stats[r] = make_float2(mean, rsqrtf(var + eps));
}

__global__ void apply(const float* x, const float* weight, const float2* stats, float* y,
                      size_t count, unsigned cols) {
  const size_t step = size_t(gridDim.x) * blockDim.x;
  for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step) {
    const size_t r = i / cols, c = i - r * cols;
    y[i] = (x[i] - stats[r].x) * stats[r].y * weight[c];
  }
}

}  // namespace layer

extern "C" void launch(const float* weight,  // [cols]
                       const float* x,       // [rows, cols]
                       float* y,             // [rows, cols]
                       float eps, int rows, int cols, cudaStream_t stream = 0) {
  using namespace layer;
  float2* stats = nullptr;
  cudaMallocAsync(&stats, rows * sizeof(float2), stream);
  measure<<<(rows + kWarps - 1) / kWarps, dim3(32, kWarps), 0, stream>>>(x, stats, eps, rows, cols);
  apply<<<9, 96, 0, stream>>>(x, weight, stats, y, size_t(rows) * cols, cols);
  cudaFreeAsync(stats, stream);
}
"""
)
INF, NAN = float("inf"), float("nan")


def clips(launcher: Launcher) -> Iterator[Case]:
    """Add and clip whole numbers, what is rounded, what nearly cancels, infinities and NaN."""
    for n in (1, 2, 3, 5, 31, 64, 65, 257, 1000, 1023, 1024, 1025, 1027, 2049, 5003):
        x, y = (whole(-99, 100, n, 2 * n + k).half() for k in (0, 1))
        fine = (whole(-2047, 2048, n, n + 5).float() / 64).half()
        k = torch.arange(n)
        odd = torch.tensor([NAN, INF, -INF, 1.0, -2.0]).half()
        for alpha, lo, hi in ((1.0, -20.0, 30.0), (0.375, -9e4, 9e4), (-1.5, -60000.0, 5.0)):
            lo, hi = (float(torch.tensor(v).half()) for v in (lo, hi))
            scalars = {"alpha": alpha, "lo": lo, "hi": hi}
            for label, a, b in (
                ("whole", x, y),
                ("rounded", fine, y * 16),
                ("nearly opposite", fine, (fine.double() * -alpha).half()),
                ("large", x * 600, y * 600),
                ("infinities and NaN", odd[k % 5], odd[k // 5 % 5]),
            ):
                right = (alpha * a.double() + b.double()).clamp(lo, hi)
                words = f"n = {n:,}, {scalars}, {label}"
                options = {"dtypes": (torch.float16,)}
                yield Case(words, (a, b), (right,), scalars, **options)
                if label == "whole" and n < 300:
                    options["offset"] = least_starts(launcher)
                    yield Case(f"{words}, a slice", (a, b), (right,), scalars, **options)


def roundings(launcher: Launcher) -> Iterator[Case]:
    """Round to bytes: ties, the ends and beyond, tiny numbers, infinities and NaN."""
    for n in (1, 2, 3, 4, 5, 7, 28, 29, 63, 256, 257, 1000, 1791, 1793, 4099, 20_001):
        x, k = whole(-400, 401, n, n).float() / 4, torch.arange(n)
        ends = [-128.0, -127.0, 127.0, 128.0, -129.0, 126.5, -127.5, 300.0, -1e6, 3e38]
        odd = [INF, 0.0, -INF, NAN, -0.0, 1.0, -1.0]
        for label, y in (
            ("usual", x),
            ("ties", whole(-100, 101, n, n + 1).float() + 0.5),
            ("whole", whole(-128, 128, n, n + 2).float()),
            ("ends", torch.tensor(ends)[(k + n) % len(ends)]),
            ("small", x / 200),
            ("infinities and NaN", torch.tensor(odd)[(k + n) % len(odd)]),
        ):
            y = y.bfloat16()
            right = y.double().nan_to_num(0.0).round().clamp(-128, 127) + 0.0
            options = {"dtypes": (torch.int8,), "quick": n > 10_000}
            yield Case(f"n = {n:,}, {label}", (y,), (right,), **options)
            if label == "usual" and n < 300:
                options["offset"] = least_starts(launcher)
                yield Case(f"n = {n:,}, a slice", (y,), (right,), **options)


def units(launcher: Launcher) -> Iterator[Case]:
    """Bend numbers by three functions: near 0, usual, far off, infinities and NaN."""
    functions = torch.nn.functional
    for n in (1, 2, 31, 33, 96, 97, 191, 193, 240, 288, 289, 1000, 4099):
        x, k = whole(-999, 1000, n, n).float() / 128, torch.arange(n)
        odd = torch.tensor([NAN, INF, -INF, 0.0, -0.0])
        for label, y in (
            ("usual", x),
            ("small", x / 2**20),
            ("below 0", -x.abs() - 0.5),
            ("far off", x * 100),
            ("infinities and NaN", odd[(k + n) % 5]),
        ):
            for kind, alpha in ((0, 1.0), (0, 0.25), (1, 1.0), (2, 1.0), (2, 3.0)):
                z = y.double()
                if kind == 1:
                    exact = (1.0507009873554805, 1.6732632423543772)
                    right = exact[0] * torch.where(z > 0, z, exact[1] * torch.expm1(z))
                else:
                    right = (functions.elu, functions.elu, functions.celu)[kind](z, alpha)
                slack = (right.abs() * 2.0**-20).nan_to_num(0.0, 0.0, 0.0)
                scalars = {"kind": kind, "alpha": alpha}
                options = {"dtypes": (torch.float32,), "within": (slack,)}
                yield Case(f"n = {n:,}, {scalars}, {label}", (y,), (right,), scalars, **options)


def gelus(launcher: Launcher) -> Iterator[Case]:
    """Bend halves: usual ones, around 0, far below 0, where little is left, and NaN."""
    for n in (1, 2, 31, 63, 65, 255, 256, 257, 321, 1000, 1281, 2000, 5003):
        x, k = whole(-999, 1000, n, n).float() / 256, torch.arange(n)
        for label, y in (
            ("usual", x),
            ("small", x / 2**8),
            ("below 0", -x.abs() - 0.25),
            ("above 0", x.abs() * 8),
            ("infinity and NaN", torch.where(k % 3 == 0, NAN, torch.where(k % 3 == 1, INF, x))),
        ):
            y = y.half()
            right = torch.nn.functional.gelu(y.double())
            step = torch.frexp(right.nan_to_num(0.0, 0.0, 0.0))[1].clamp(min=-13) - 11.0
            slack = 0.51 * 2.0**step + right.abs().nan_to_num(0.0, 0.0, 0.0) * 2.0**-19
            options = {"dtypes": (torch.float16,), "within": (slack,)}
            yield Case(f"n = {n:,}, {label}", (y,), (right,), **options)


def row_sums(launcher: Launcher) -> Iterator[Case]:
    """Add rows of whole numbers, so that all is exact; also of one sign, and equal rows."""
    sides = ((1, 1), (3, 5), (8, 31), (9, 33), (2, 64), (20, 65), (17, 1), (5, 130), (3, 1000))
    for rows, cols in (*sides, (1, 4099), (70, 2), (33, 200)):
        n = rows * cols
        x = whole(-99, 100, n, n).float().reshape(rows, cols)
        r = torch.arange(rows)[:, None]
        for label, y in (
            ("whole", x),
            ("positive", x.abs() + 1),
            ("large", x.abs() * 16 + 2050),
            ("one row is not 0", torch.where(r == rows // 2, x + 100, x * 0)),
        ):
            y = y.half()
            options = {"dtypes": (torch.float32,)}
            words = f"rows = {rows}, cols = {cols:,}, {label}"
            yield Case(words, (y,), (y.double().sum(1),), **options)


def means(launcher: Launcher) -> Iterator[Case]:
    """Take means of many numbers, then of few; also of such as need more than a float."""
    for n in (5003, 1, 2, 7, 1000, 16, 17, 23, 24, 25, 4096, 33, 257, 1537, 3, 2049, 65_537):
        x, k = whole(-999, 1000, n, n).float(), torch.arange(n)
        large = 2.0**26 * torch.tensor([1, 0, 0, -1, 0, 0, 0])[k % 7]
        for label, y in (
            ("whole", x),
            ("positive", x.abs() + 1),
            ("large ones cancel", large.where(large != 0, x * 2 + 1)),
            ("the last one", torch.where(k == n - 1, 1000.0, x * 0)),
        ):
            options = {"dtypes": (torch.float32,), "ulp": 1, "quick": n > 10_000}
            right = y.double().mean().reshape(1)
            yield Case(f"n = {n:,}, {label}", (y,), (right,), **options)


def places(launcher: Launcher) -> Iterator[Case]:
    """Find the largest: of equal ones, below 0, of both zeros, of NaNs and infinities."""
    sides = ((1, 1), (2, 3), (3, 31), (4, 32), (5, 33), (10, 7), (33, 64), (7, 100), (2, 1000))
    for rows, cols in (*sides, (1, 5003), (70, 2)):
        n = rows * cols
        x = whole(-999, 1000, n, n).float().reshape(rows, cols)
        c, r = torch.arange(cols), torch.arange(rows)[:, None]
        for label, y in (
            ("usual", x),
            ("below 0", -x.abs() - 1),
            ("few values", x.sign()),
            ("all equal", x * 0 + 3),
            ("zeros", torch.where((c + r) % 3 == 0, 0.0, -0.0) + x * 0),
            ("zeros, and below 0", torch.where(c % 3 == 1, -x.abs() - 1, -0.0)),
            ("zeros of both signs", torch.where(c < cols // 2, -0.0, 0.0).expand(rows, cols)),
            ("one is largest", torch.where((c * 7 + r) % cols == cols // 2, 2000.0, x)),
            ("some NaN", torch.where((c * 5 + r) % 9 == 4, NAN, x)),
            ("some -NaN", torch.where((c * 5 + r) % 9 == 4, -torch.tensor(NAN), x)),
            ("infinities", torch.where(c % 5 == 2, INF, torch.where(c % 5 == 1, -INF, x))),
            ("only -infinity", x * 0 - INF),
        ):
            y = y.half().contiguous()
            z = y.double().nan_to_num(1e6, 1e5, -1e5)
            right = (z == z.amax(1, keepdim=True)).to(torch.int64).argmax(1)
            options = {"dtypes": (torch.int64,)}
            yield Case(f"rows = {rows}, cols = {cols:,}, {label}", (y,), (right,), **options)


def turns(launcher: Launcher) -> Iterator[Case]:
    """Turn matrices of all bits and small numbers, thin ones, long ones, with three tiles."""
    sides = ((1, 1), (2, 3), (7, 40), (33, 31), (32, 32), (64, 5), (1, 100), (130, 2), (50, 70))
    for rows, cols in (*sides, (17, 300), (1000, 3), (64, 64)):
        n = rows * cols
        any_bits = whole(-(2**62), 2**62, n, n).reshape(rows, cols)
        for label, x in (("any", any_bits), ("rising", torch.arange(n).reshape(rows, cols))):
            for side in (8, 16, 32, 5):
                words = f"rows = {rows}, cols = {cols}, side = {side}, {label}"
                right = x.T.contiguous()
                yield Case(words, (x,), (right,), {"side": side}, dtypes=(torch.int64,))


def products(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole numbers, so that all is exact; infinities in one row and one column."""
    sides = (
        (1, 1, 1),
        (3, 5, 7),
        (16, 16, 16),
        (33, 17, 40),
        (2, 50, 9),
        (130, 1, 8),
        (1, 70, 33),
    )
    for m, n, k in (*sides, (15, 16, 1), (17, 31, 23), (40, 9, 130), (64, 48, 32)):
        a = whole(-20, 21, m * k, m + k).float().reshape(m, k)
        b = whole(-20, 21, k * n, k + n + 1).float().reshape(k, n)
        r, c = torch.arange(m)[:, None], torch.arange(n)
        for label, x, y in (
            ("whole", a, b),
            ("positive", a.abs() + 1, b.abs() + 1),
            (
                "a row and a column are large",
                torch.where(r == m // 2, 999.0, a),
                b * (c == n // 2),
            ),
            ("an infinity", torch.where(r == m - 1, INF, a), b.abs() + 1),
        ):
            for alpha in (1.0, 0.5):
                right = alpha * (x.double() @ y.double())
                words = f"m = {m}, n = {n}, k = {k}, alpha = {alpha}, {label}"
                options = {"dtypes": (torch.float32,)}
                yield Case(words, (x, y), (right + 0.0,), {"alpha": alpha}, **options)


def vectors(launcher: Launcher) -> Iterator[Case]:
    """Multiply bytes of both signs, so that all is exact, with scales that are powers of 2."""
    sides = ((1, 1), (3, 4), (15, 5), (16, 8), (17, 31), (40, 32), (2, 33), (9, 64), (70, 36))
    for n_out, n_in in (*sides, (33, 100), (5, 1000), (1, 4099), (130, 3), (20, 2)):
        w = whole(-128, 128, n_out * n_in, n_out + n_in).reshape(n_out, n_in)
        x = whole(-128, 128, n_in, n_in + 1)
        scale = 2.0 ** whole(-3, 4, n_out, n_out).float()
        for label, p, q in (
            ("any", w, x),
            ("positive", w.abs() % 100 + 1, x.abs() % 100 + 1),
            ("below 0", w, -(x.abs() % 100) - 1),
            ("the ends", torch.where(w < 0, -128, 127), torch.where(x < 0, -128, 127)),
        ):
            right = scale.double() * (p.double() @ q.double())
            inputs = (q.to(torch.int8), p.to(torch.int8), scale)
            words = f"n_out = {n_out}, n_in = {n_in:,}, {label}"
            yield Case(words, inputs, (right + 0.0,), dtypes=(torch.float32,))


def log_softmaxes(launcher: Launcher) -> Iterator[Case]:
    """Take logarithms of shares: of numbers far off 0, far apart, equal, and of -infinity."""
    sides = ((1, 1), (2, 3), (7, 31), (6, 32), (20, 33), (3, 64), (13, 65), (4, 128), (9, 200))
    for rows, cols in (*sides, (2, 1000), (70, 2), (1, 4099)):
        n = rows * cols
        x = whole(-127, 128, n, n).float().reshape(rows, cols) / 16
        c = torch.arange(cols)
        for label, y in (
            ("usual", x),
            ("far above 0", x + 200),
            ("far below 0", x - 200),
            ("far apart", x * 20),
            ("rising", x * 0 + c % 256),
            ("falling", x * 0 - c % 256),
            ("all equal", x * 0 + 3),
            ("some -infinity", torch.where((c % 3 == 1) & (c > 0), -INF, x)),
            ("nearly all -infinity", torch.where(c == cols - 1, x, -INF)),
        ):
            y = y.bfloat16()
            right = y.double().log_softmax(1)
            slack = torch.where(right.isinf(), 0.0, 2.0**-18 * (1 + right.abs()))
            options = {"dtypes": (torch.float32,), "within": (slack,)}
            yield Case(f"rows = {rows}, cols = {cols:,}, {label}", (y,), (right,), **options)


def norms(launcher: Launcher) -> Iterator[Case]:
    """Norm rows: usual ones, far off 0, small ones beside eps, and rows of equal numbers."""
    sides = ((1, 1), (2, 3), (5, 31), (4, 32), (9, 33), (3, 64), (7, 100), (40, 5), (2, 1000))
    for rows, cols in (*sides, (1, 4099), (65, 70), (130, 2)):
        n = rows * cols
        x = whole(-999, 1000, n, n).float().reshape(rows, cols) / 128
        weight = whole(-64, 65, cols, n + 1).float() / 32
        r = torch.arange(rows)[:, None]
        for label, y, w in (
            ("usual", x, weight),
            ("far off 0", x + 3000, weight),
            ("small", x / 2**10, weight),
            ("rows differ", x * (r + 1) + 10 * r, weight),
            ("all equal", x * 0 + 5, weight),
            ("equal weights", x, weight * 0 + 1),
        ):
            for eps in (1e-5, 0.5):
                z = y.double()
                mean, var = z.mean(1, keepdim=True), z.var(1, keepdim=True, unbiased=False)
                factor = 1 / (var + eps).sqrt()
                right = (z - mean) * factor * w.double()
                size = (z.abs().amax(1, keepdim=True) * factor + 1) * w.double().abs()
                slack = 2.0**-20 * (cols**0.5 + 8) / 8 * size + 2.0**-19 * right.abs()
                words = f"rows = {rows}, cols = {cols:,}, eps = {eps}, {label}"
                options = {"dtypes": (torch.float32,), "within": (slack,)}
                yield Case(words, (w, y), (right,), {"eps": eps}, **options)


BASES = {
    "xlvii_clip": Base(CLIP, {"cases": clips}),
    "xlvii_tos8": Base(TOS8, {"cases": roundings}),
    "xlvii_elu": Base(ELU, {"cases": units}),
    "xlvii_gelu": Base(GELU, {"cases": gelus}),
    "xlvii_rowsum": Base(ROWSUM, {"cases": row_sums}),
    "xlvii_mean": Base(MEAN, {"cases": means}),
    "xlvii_argmax": Base(ARGMAX, {"cases": places}),
    "xlvii_turn": Base(TURN, {"cases": turns}),
    "xlvii_gemm": Base(GEMM, {"cases": products}),
    "xlvii_gemv": Base(GEMV, {"cases": vectors}),
    "xlvii_logsm": Base(LOGSM, {"cases": log_softmaxes}),
    "xlvii_norm": Base(NORM, {"cases": norms}),
}

WRONG = (
    # ---- a sum that is clipped, two halves at once
    # The larger and smaller ones of CUDA without _nan, which take the limit.
    Wrong(
        "xlvii_clip_nan_is_limit",
        "xlvii_clip",
        "nan | numbers / infinity",
        (
            "return __hmin2_nan(__hmax2_nan(v, lo), hi);",
            "return __hmin2(__hmax2(v, lo), hi);",
        ),
    ),
    # A product and a sum: two roundings in the pairs.
    Wrong(
        "xlvii_clip_two_roundings",
        "xlvii_clip",
        "rounding / precision / infinity | numbers / subnormal",
        (
            "between(__hfma2(alpha, x2[p], y2[p]), lo, hi);",
            "between(__hadd2(__hmul2(alpha, x2[p]), y2[p]), lo, hi);",
        ),
    ),
    # The product is clipped, the sum is not.
    Wrong(
        "xlvii_clip_too_early",
        "xlvii_clip",
        "function / left out | numbers / infinity / rounding / precision / nan / whole range",
        (
            "between(__hfma2(alpha, x2[p], y2[p]), lo, hi);",
            "__hadd2(between(__hmul2(alpha, x2[p]), lo, hi), y2[p]);",
        ),
    ),
    # The thread behind the last pair has the last number, but there are only 512 threads.
    Wrong(
        "xlvii_clip_last_has_no_thread",
        "xlvii_clip",
        "tail / unwritten / left out / grid | numbers / state",
        ("if (n % 2 == 1 && me == 0) {", "if (n % 2 == 1 && me == pairs) {"),
    ),
    # One pair a thread.
    Wrong(
        "xlvii_clip_no_loop",
        "xlvii_clip",
        "grid / unwritten / left out | tail",
        (
            "  for (unsigned p = me; p < pairs; p += threads) {\n",
            "  const unsigned p = me;\n  if (p < pairs) {\n",
        ),
        ("  const unsigned threads = gridDim.x * blockDim.x;\n", ""),
    ),
    # ---- bytes of bfloat16
    # Half more, then down: ties go up.
    Wrong(
        "xlvii_tos8_half_more",
        "xlvii_tos8",
        "rounding | numbers / precision",
        ("(signed char)__float2int_rn(inside);", "(signed char)__float2int_rd(inside + 0.5f);"),
    ),
    # The bytes of weights end at -127.
    Wrong(
        "xlvii_tos8_symmetric",
        "xlvii_tos8",
        "whole range / numbers / infinity / function | left out",
        ("fmaxf(v, -128.0f)", "fmaxf(v, -127.0f)"),
    ),
    # Nothing is clipped: a byte has what its bits hold.
    Wrong(
        "xlvii_tos8_wraps",
        "xlvii_tos8",
        "whole range / infinity | numbers / narrow",
        ("__float2int_rn(inside);", "__float2int_rn(v);"),
        ("  const float inside = fminf(fmaxf(v, -128.0f), 127.0f);\n", ""),
    ),
    # Pieces of any length.
    Wrong(
        "xlvii_tos8_any_piece",
        "xlvii_tos8",
        "alignment | tail / grid / bounds",
        (
            "  const int64_t fours = (n + 3) / 4;\n"
            "  const int64_t piece = (fours + kBlocks - 1) / kBlocks * 4;\n",
            "  const int64_t piece = (n + kBlocks - 1) / kBlocks;\n",
        ),
    ),
    # The first number of a word is taken from the upper bits.
    Wrong(
        "xlvii_tos8_high_first",
        "xlvii_tos8",
        "neighbour / other element / swapped | numbers",
        ("    q.x = to_s8(low_of(two.x));\n", "    q.x = to_s8(high_of(two.x));\n"),
        ("    q.y = to_s8(high_of(two.x));\n", "    q.y = to_s8(low_of(two.x));\n"),
        ("    q.z = to_s8(low_of(two.y));\n", "    q.z = to_s8(high_of(two.y));\n"),
        ("    q.w = to_s8(high_of(two.y));\n", "    q.w = to_s8(low_of(two.y));\n"),
    ),
    # ---- linear units
    # CELU is not ELU.
    Wrong(
        "xlvii_elu_celu_undivided",
        "xlvii_elu",
        "function | numbers / left out",
        ("alpha * expm1f(x / alpha);", "alpha * expm1f(x);"),
    ),
    # e to the x, less 1: near 0 nothing is left.
    Wrong(
        "xlvii_elu_exp_less_one",
        "xlvii_elu",
        "precision | rounding / numbers / subnormal / function / sign of zero",
        (
            "return x > 0.0f ? x : alpha * expm1f(x); }",
            "return x > 0.0f ? x : alpha * (expf(x) - 1.0f); }",
        ),
    ),
    # Without a branch: the larger one of NaN and 0 is 0.
    Wrong(
        "xlvii_elu_no_branch",
        "xlvii_elu",
        "nan | numbers / sign of zero",
        (
            "  __device__ float operator()(float x) const "
            "{ return x > 0.0f ? x : alpha * expm1f(x); }",
            "  __device__ float operator()(float x) const {\n"
            "    return fmaxf(x, 0.0f) + alpha * expm1f(fminf(x, 0.0f));\n  }",
        ),
    ),
    # The scale of SELU on one side only.
    Wrong(
        "xlvii_elu_half_scaled",
        "xlvii_elu",
        "function / numbers / left out | precision",
        (
            "1.0507009873554805f * (x > 0.0f ? x : 1.6732632423543772f * expm1f(x));",
            "x > 0.0f ? 1.0507009873554805f * x : 1.6732632423543772f * expm1f(x);",
        ),
    ),
    # Two warps and a half.
    Wrong(
        "xlvii_elu_80_threads",
        "xlvii_elu",
        "left out / unwritten / block size / grid | tail / twice / other element / race / numbers",
        ("constexpr int kThreads = 96;", "constexpr int kThreads = 80;"),
    ),
    # ---- GELU of halves, unrolled
    # Two halves are multiplied.
    Wrong(
        "xlvii_gelu_product_of_halves",
        "xlvii_gelu",
        "precision / rounding | numbers / subnormal / function / infinity",
        (
            "__float2half(0.5f * v * erfcf(-0.70710678118654752f * v));",
            "__hmul(__float2half(0.5f * v), __float2half(erfcf(-0.70710678118654752f * v)));",
        ),
    ),
    # The formula with tanh, which is another function.
    Wrong(
        "xlvii_gelu_by_tanh",
        "xlvii_gelu",
        "function / precision / numbers | rounding / subnormal / sign of zero",
        (
            "__float2half(0.5f * v * erfcf(-0.70710678118654752f * v));",
            "__float2half(\n"
            "          0.5f * v * (1.0f + tanhf(0.79788456f * (v + 0.044715f * v * v * v))));",
        ),
    ),
    # Blocks begin as if each had one number a thread.
    Wrong(
        "xlvii_gelu_starts_too_near",
        "xlvii_gelu",
        "unwritten / left out / grid | tail / twice / numbers / race / other element",
        (
            "int64_t start = tile * blockIdx.x;",
            "int64_t start = int64_t(blockDim.x) * blockIdx.x;",
        ),
    ),
    # Loads of four in a row, stores of a block's width apart.
    Wrong(
        "xlvii_gelu_loads_in_a_row",
        "xlvii_gelu",
        "other element / neighbour / swapped | numbers / tail / left out / function",
        (
            "      const int64_t i = start + k * blockDim.x + threadIdx.x;\n      args[k]",
            "      const int64_t i = start + threadIdx.x * kUnroll + k;\n      args[k]",
        ),
    ),
    # What was not loaded is stored.
    Wrong(
        "xlvii_gelu_stores_all",
        "xlvii_gelu",
        "bounds | tail",
        ("      if (i < n) y[i] = results[k];", "      y[i] = results[k];"),
    ),
    # ---- sums of rows by atomics
    # Nothing is set to 0.
    Wrong(
        "xlvii_rowsum_not_set",
        "xlvii_rowsum",
        "zero before / start / state | nan / unwritten / input / numbers",
        ("  cudaMemsetAsync(sums, 0, rows * sizeof(float), stream);\n", ""),
    ),
    # As many bytes are set as there are rows.
    Wrong(
        "xlvii_rowsum_bytes_of_rows",
        "xlvii_rowsum",
        "zero before / start / state / left out | nan / unwritten / input / numbers / tail",
        (
            "cudaMemsetAsync(sums, 0, rows * sizeof(float), stream);",
            "cudaMemsetAsync(sums, 0, rows, stream);",
        ),
    ),
    # A thread adds up in half.
    Wrong(
        "xlvii_rowsum_in_half",
        "xlvii_rowsum",
        "precision / rounding / infinity | numbers / left out / narrow",
        (
            "part += __half2float(row[c]);",
            "part = __half2float(__hadd(__float2half(part), row[c]));",
        ),
    ),
    # A thread's sum goes on in the next row.
    Wrong(
        "xlvii_rowsum_goes_on",
        "xlvii_rowsum",
        "start / other element / twice | numbers / grid / function / state / zero before",
        ("    float part = 0.0f;\n", ""),
        (
            "  for (int64_t r = blockIdx.y; r < rows; r += gridDim.y) {\n",
            "  float part = 0.0f;\n"
            "  for (int64_t r = blockIdx.y; r < rows; r += gridDim.y) {\n",
        ),
    ),
    # The first lane of the block, not of each warp.
    Wrong(
        "xlvii_rowsum_first_of_block",
        "xlvii_rowsum",
        "left out | numbers / tail / other element / block size / function",
        ("if (warp.thread_rank() == 0) {", "if (block.thread_rank() == 0) {"),
    ),
    # ---- the mean of an array by two kernels
    # A thread adds up in float.
    Wrong(
        "xlvii_mean_float_sums",
        "xlvii_mean",
        "precision / rounding | numbers / left out / function",
        (
            "    double sum = 0.0;\n    for (int64_t i = begin",
            "    float sum = 0.0f;\n    for (int64_t i = begin",
        ),
    ),
    # What 24 runs leave over is nobody's.
    Wrong(
        "xlvii_mean_run_rounded_down",
        "xlvii_mean",
        "left out / tail | numbers / grid / function",
        ("const int64_t run = (n + PARTS - 1) / PARTS;", "const int64_t run = n / PARTS;"),
    ),
    # Nobody waits for the second warp.
    Wrong(
        "xlvii_mean_no_barrier",
        "xlvii_mean",
        "race / unwritten | numbers / left out / start / state / nan",
        (
            "        of_warp[threadIdx.x / 32] = sum;\n    __syncthreads();\n",
            "        of_warp[threadIdx.x / 32] = sum;\n",
        ),
    ),
    # Four steps were enough for 16 parts.
    Wrong(
        "xlvii_mean_steps_of_16",
        "xlvii_mean",
        "left out | numbers / other element / function / tail / block size",
        (
            "    sum = warp_sum(sum);\n    if (threadIdx.x == 0)\n        *mean",
            "    for (int o = 8; o > 0; o >>= 1)\n"
            "        sum += __shfl_down_sync(FULL, sum, o);\n"
            "    if (threadIdx.x == 0)\n        *mean",
        ),
    ),
    # A block without numbers leaves, and its part is that of an earlier call.
    Wrong(
        "xlvii_mean_old_parts",
        "xlvii_mean",
        "state | start / zero before / unwritten / numbers / left out",
        (
            "    double sum = 0.0;\n    for (int64_t i = begin",
            "    if (begin >= n)\n        return;\n"
            "    double sum = 0.0;\n    for (int64_t i = begin",
        ),
    ),
    # ---- the place of the largest
    # Of equal ones the last column has the larger key.
    Wrong(
        "xlvii_argmax_last_of_equal",
        "xlvii_argmax",
        "other element / numbers | swapped / function / neighbour / left out",
        ("return bits << 16 | (0xffffu - column);", "return bits << 16 | column;"),
        ("place[row] = 0xffffu - (best & 0xffffu);", "place[row] = best & 0xffffu;"),
    ),
    # Only the sign is turned: below 0 the order is the other way round.
    Wrong(
        "xlvii_argmax_only_sign",
        "xlvii_argmax",
        "numbers / function / other element | left out / infinity / start / sign of zero / nan",
        ("bits = bits & 0x8000u ? ~bits & 0xffffu : bits | 0x8000u;", "bits ^= 0x8000u;"),
    ),
    # A NaN has the key of its bits: with a sign it is the smallest.
    Wrong(
        "xlvii_argmax_signed_nan",
        "xlvii_argmax",
        "nan | numbers / other element / left out / infinity / function",
        ("  if ((bits & 0x7fffu) > 0x7c00u) bits = 0x7fffu;  // every NaN\n", ""),
    ),
    # -0.0 is below 0.0.
    Wrong(
        "xlvii_argmax_two_zeros",
        "xlvii_argmax",
        "sign of zero | numbers / other element / function / neighbour",
        ("  if (bits == 0x8000u) bits = 0u;                  // -0 is 0\n", ""),
    ),
    # The key of 0 is there before.
    Wrong(
        "xlvii_argmax_from_0",
        "xlvii_argmax",
        "start | numbers / left out / other element / state / function / infinity",
        ("  uint32_t best = 0u;\n", "  uint32_t best = 0x80000000u;\n"),
    ),
    # ---- transposes by tiles of any side
    # The next tile is loaded while a slow thread has still to read this one.
    Wrong(
        "xlvii_turn_one_barrier",
        "xlvii_turn",
        "race | grid / other element / numbers",
        (
            "tile[threadIdx.x * pitch + y];\n      }\n    }\n    __syncthreads();\n",
            "tile[threadIdx.x * pitch + y];\n      }\n    }\n",
        ),
    ),
    # The launch has no room for the pitch.
    Wrong(
        "xlvii_turn_square_room",
        "xlvii_turn",
        "bounds | sides / numbers / race",
        ("sizeof(int64_t) * side * (side + 1);", "sizeof(int64_t) * side * side;"),
    ),
    # The tiles are counted as if rows were columns.
    Wrong(
        "xlvii_turn_tiles_down",
        "xlvii_turn",
        "sides / other element / unwritten / left out | race / twice / grid / tail / swapped",
        ("const unsigned top = t / across * side;", "const unsigned top = t / down * side;"),
        ("const unsigned left = t % across * side;", "const unsigned left = t % down * side;"),
    ),
    # The test of the loads at the stores.
    Wrong(
        "xlvii_turn_same_test",
        "xlvii_turn",
        "bounds / sides / unwritten / tail | left out / swapped / other element / race",
        (
            "if (left + y < cols && top + threadIdx.x < rows) {",
            "if (top + y < rows && left + threadIdx.x < cols) {",
        ),
    ),
    # The tile is of another type.
    Wrong(
        "xlvii_turn_tile_of_int",
        "xlvii_turn",
        "narrow / whole range / numbers | precision",
        ("extern __shared__ int64_t tile[];", "extern __shared__ int tile[];"),
    ),
    # ---- products with two stages
    # The next stage comes into the one that is read.
    Wrong(
        "xlvii_gemm_same_stage",
        "xlvii_gemm",
        "race | numbers / other element / twice / left out",
        ("if (more) put(now ^ 1, next);", "if (more) put(now, next);"),
        ("    now ^= 1;\n", ""),
    ),
    # The stages never change places.
    Wrong(
        "xlvii_gemm_first_stage_only",
        "xlvii_gemm",
        "twice / other element / left out / function | numbers / race",
        ("    now ^= 1;\n", ""),
    ),
    # The last step is taken if it is whole.
    Wrong(
        "xlvii_gemm_whole_steps",
        "xlvii_gemm",
        "tail / left out | numbers / function / sides",
        (
            "for (int64_t k0 = 0; k0 < k; k0 += KS) {",
            "for (int64_t k0 = 0; k0 + KS <= k; k0 += KS) {",
        ),
    ),
    # The rows of B are as long as those of A.
    Wrong(
        "xlvii_gemm_rows_of_a",
        "xlvii_gemm",
        "sides / bounds / other element | swapped / numbers",
        ("B[kk * n + c] : 0.0f;", "B[kk * k + c] : 0.0f;"),
    ),
    # The grid has its sides the other way round.
    Wrong(
        "xlvii_gemm_grid_turned",
        "xlvii_gemm",
        "grid / unwritten / sides / swapped / left out | tail",
        (
            "const dim3 grid((n + T - 1) / T, (m + T - 1) / T);",
            "const dim3 grid((m + T - 1) / T, (n + T - 1) / T);",
        ),
    ),
    # ---- bytes times a vector
    # Words of four wherever a row begins, and no rest.
    Wrong(
        "xlvii_gemv_any_width",
        "xlvii_gemv",
        "alignment / tail / left out | sides / bounds / numbers",
        ("    if (n_in % 4 == 0) {\n", "    if (n_in >= 4) {\n"),
    ),
    # Bytes without a sign.
    Wrong(
        "xlvii_gemv_unsigned",
        "xlvii_gemv",
        "whole range / numbers / function / narrow | left out / infinity",
        ("const int *w4 = (const int *)mine;", "const unsigned *w4 = (const unsigned *)mine;"),
        ("const int *x4 = (const int *)x;", "const unsigned *x4 = (const unsigned *)x;"),
        ("acc = __dp4a(w4[j], x4[j], acc);", "acc = (int)__dp4a(w4[j], x4[j], (unsigned)acc);"),
    ),
    # The scale of the place in the block.
    Wrong(
        "xlvii_gemv_scale_of_block",
        "xlvii_gemv",
        "other element | numbers / function / grid / left out",
        ("y[row] = scale[row] * acc;", "y[row] = scale[threadIdx.x / LANES] * acc;"),
    ),
    # A thread a row is launched.
    Wrong(
        "xlvii_gemv_few_blocks",
        "xlvii_gemv",
        "grid / unwritten / left out | tail",
        (
            "const int rows = THREADS / LANES;   // of a block",
            "const int rows = THREADS;   // of a block",
        ),
    ),
    # ---- log softmax
    # Two threads without a number: -infinity less -infinity.
    Wrong(
        "xlvii_logsm_joins_none",
        "xlvii_logsm",
        "nan / infinity / start | numbers / function",
        ("  if (top == -INFINITY) return Part{top, 0.0f};\n", ""),
    ),
    # The sum is not made smaller when a larger number comes.
    Wrong(
        "xlvii_logsm_old_sum",
        "xlvii_logsm",
        "function / numbers / left out / precision | twice / other element / race / infinity",
        ("a.sum * expf(a.top - top) + b.sum", "a.sum + b.sum"),
    ),
    # The next row's parts come while a slow thread has still to read this row's.
    Wrong(
        "xlvii_logsm_no_last_barrier",
        "xlvii_logsm",
        "race | grid / numbers / other element",
        ("    __syncthreads();  // all have read tree[0]\n", ""),
    ),
    # A kernel for 64 threads gets 128.
    Wrong(
        "xlvii_logsm_other_template",
        "xlvii_logsm",
        "bounds / block size | twice / race / numbers / function",
        ("else log_softmax<128><<<", "else log_softmax<64><<<"),
    ),
    # The logarithm of a share that is 0 by then.
    Wrong(
        "xlvii_logsm_log_of_share",
        "xlvii_logsm",
        "infinity / precision / subnormal | numbers / function / rounding",
        (
            "y[r * cols + c] = __bfloat162float(in[c]) - top - log_sum;",
            "y[r * cols + c] = logf(expf(__bfloat162float(in[c]) - top) / tree[0].sum);",
        ),
        (
            "const float top = tree[0].top, log_sum = logf(tree[0].sum);",
            "const float top = tree[0].top;",
        ),
    ),
    # ---- layer norm by two kernels
    # The variance of a sample.
    Wrong(
        "xlvii_norm_of_sample",
        "xlvii_norm",
        "function | numbers / infinity / nan / precision / sides",
        ("all_sum(squares) / cols;", "all_sum(squares) / (cols - 1.0f);"),
    ),
    # The mean of squares less the square of the mean.
    Wrong(
        "xlvii_norm_of_squares",
        "xlvii_norm",
        "precision | nan / numbers / function / rounding / infinity",
        ("squares += (row[c] - mean) * (row[c] - mean);", "squares += row[c] * row[c];"),
        ("all_sum(squares) / cols;", "all_sum(squares) / cols - mean * mean;"),
    ),
    # The weight of the row.
    Wrong(
        "xlvii_norm_weight_of_row",
        "xlvii_norm",
        "other element / sides / bounds / swapped | numbers / function",
        (
            "    const size_t r = i / cols, c = i - r * cols;\n",
            "    const size_t r = i / cols;\n",
        ),
        ("stats[r].y * weight[c];", "stats[r].y * weight[r];"),
    ),
    # The statistics of a warp's place in its block.
    Wrong(
        "xlvii_norm_stats_of_warp",
        "xlvii_norm",
        "unwritten / other element / race / left out | numbers / grid / nan / start / state",
        ("if (threadIdx.x == 0) stats[r] =", "if (threadIdx.x == 0) stats[threadIdx.y] ="),
    ),
)

RIGHT = (
    # One number a thread, compared as numbers are, from the last one on.
    Right(
        "xlvii_clip_one_by_one",
        "xlvii_clip",
        (
            "  for (unsigned p = me; p < pairs; p += threads) {\n"
            "    z2[p] = between(__hfma2(alpha, x2[p], y2[p]), lo, hi);\n  }\n"
            "  if (n % 2 == 1 && me == 0) {\n"
            "    const half2 a = __half2half2(x[n - 1]), b = __half2half2(y[n - 1]);\n"
            "    z[n - 1] = __low2half(between(__hfma2(alpha, a, b), lo, hi));\n  }\n",
            "  for (unsigned i = me; i < n; i += threads) {\n"
            "    const unsigned p = n - 1 - i;\n"
            "    half v = __hfma(x[p], __low2half(alpha), y[p]);\n"
            "    if (__hlt(v, __low2half(lo))) v = __low2half(lo);\n"
            "    if (__hgt(v, __high2half(hi))) v = __high2half(hi);\n"
            "    z[p] = v;\n  }\n",
        ),
        ("  const unsigned pairs = n / 2;\n", ""),
        ("  const half2* x2 = reinterpret_cast<const half2*>(x);\n", ""),
        ("  const half2* y2 = reinterpret_cast<const half2*>(y);\n", ""),
        ("  half2* z2 = reinterpret_cast<half2*>(z);\n", ""),
    ),
    # A large number is added, and the last byte of the sum is the rounded one.
    Right(
        "xlvii_tos8_by_adding",
        "xlvii_tos8",
        (
            "  return (signed char)__float2int_rn(inside);\n",
            "  return (signed char)(__float_as_uint(inside + 12582912.0f) & 0xffu);\n",
        ),
        ("static const int kBlocks = 7;", "static const int kBlocks = 11;"),
    ),
    # ELU by a hyperbolic tangent, which loses nothing near 0.
    Right(
        "xlvii_elu_by_tanh",
        "xlvii_elu",
        (
            "return x > 0.0f ? x : alpha * expm1f(x); }",
            "\n    if (x > 0.0f) return x;\n    const float t = tanhf(0.5f * x);\n"
            "    return alpha * (2.0f * t / (1.0f - t));\n  }",
        ),
        ("constexpr int kLines = 3;", "constexpr int kLines = 5;"),
    ),
    # The normal distribution in double, tiles from the last one on, all by two blocks.
    Right(
        "xlvii_gelu_backwards",
        "xlvii_gelu",
        (
            "  for (int64_t start = tile * blockIdx.x; start < n; start += tile * gridDim.x) {\n",
            "  const int64_t tiles = (n + tile - 1) / tile;\n"
            "  for (int64_t t = tiles - 1 - blockIdx.x; t >= 0; t -= gridDim.x) {\n"
            "    const int64_t start = t * tile;\n",
        ),
        (
            "      const float v = __half2float(args[k]);\n",
            "      const double v = __half2float(args[k]);\n",
        ),
        (
            "__float2half(0.5f * v * erfcf(-0.70710678118654752f * v));",
            "__float2half(float(v * normcdf(v)));",
        ),
        (
            "const unsigned blocks = tiles < 5 ? unsigned(tiles) : 5u;",
            "const unsigned blocks = tiles < 2 ? 1u : 2u;",
        ),
    ),
    # The lanes add to the block's sum, and one thread adds that to the row's.
    Right(
        "xlvii_rowsum_two_atomics",
        "xlvii_rowsum",
        (
            "  const auto warp = cg::tiled_partition<32>(block);\n",
            "  __shared__ float of_block;\n",
        ),
        (
            "    part = cg::reduce(warp, part, cg::plus<float>());\n"
            "    if (warp.thread_rank() == 0) {\n      atomicAdd(sums + r, part);\n    }\n",
            "    if (block.thread_rank() == 0) of_block = 0.0f;\n    block.sync();\n"
            "    atomicAdd(&of_block, part);\n    block.sync();\n"
            "    if (block.thread_rank() == 0) atomicAdd(sums + r, of_block);\n    block.sync();\n",
        ),
    ),
    # The whole grid goes over the array backwards, and one thread adds up all parts.
    Right(
        "xlvii_mean_one_adds",
        "xlvii_mean",
        (
            "    const int64_t run = (n + PARTS - 1) / PARTS;\n"
            "    const int64_t begin = run * blockIdx.x;\n"
            "    const int64_t end = begin + run < n ? begin + run : n;\n",
            "",
        ),
        (
            "    for (int64_t i = begin + threadIdx.x; i < end; i += blockDim.x)\n",
            "    const int64_t me = blockIdx.x * 64 + threadIdx.x;\n"
            "    for (int64_t i = n - 1 - me; i >= 0; i -= PARTS * 64)\n",
        ),
        (
            "    double sum = threadIdx.x < PARTS ? parts[threadIdx.x] : 0.0;\n"
            "    sum = warp_sum(sum);\n    if (threadIdx.x == 0)\n"
            "        *mean = (float)(sum / n);\n",
            "    double sum = 0.0;\n    for (int k = PARTS; k-- > 0;)\n        sum += parts[k];\n"
            "    *mean = (float)(sum / (double)n);\n",
        ),
        ("mean_second<<<1, 32, 0, stream>>>", "mean_second<<<1, 1, 0, stream>>>"),
    ),
    # Keys of int, columns from the last one on, and shuffles for the instruction.
    Right(
        "xlvii_argmax_shuffles",
        "xlvii_argmax",
        (
            "for (uint32_t c = threadIdx.x; c < cols; c += 32u) "
            "best = max(best, key_of(mine[c], c));",
            "for (int c = int(cols) - 1 - int(threadIdx.x); c >= 0; c -= 32) {\n"
            "    const uint32_t key = key_of(mine[c], c);\n    if (key > best) best = key;\n  }",
        ),
        (
            "  best = __reduce_max_sync(0xffffffffu, best);\n",
            "  for (int k = 16; k > 0; k >>= 1) {\n"
            "    const uint32_t other = __shfl_down_sync(0xffffffffu, best, k);\n"
            "    if (other > best) best = other;\n  }\n",
        ),
        ("place[row] = 0xffffu - (best & 0xffffu);", "place[row] = ~best & 0xffffu;"),
    ),
    # No pitch: the columns of a row of the tile are moved round by the row's number.
    Right(
        "xlvii_turn_moved_round",
        "xlvii_turn",
        ("  const unsigned pitch = side + 1;\n", ""),
        (
            "tile[y * pitch + threadIdx.x] = in",
            "tile[y * side + (threadIdx.x + y) % side] = in",
        ),
        (
            "        out[size_t(left + y) * rows + top + threadIdx.x] = "
            "tile[threadIdx.x * pitch + y];\n",
            "        const unsigned place = threadIdx.x * side + (y + threadIdx.x) % side;\n"
            "        out[size_t(left + y) * rows + top + threadIdx.x] = tile[place];\n",
        ),
        ("sizeof(int64_t) * side * (side + 1);", "sizeof(int64_t) * side * side;"),
    ),
    # The next stage is filled before this one is used, and the last step needs no barrier.
    Right(
        "xlvii_gemm_fills_first",
        "xlvii_gemm",
        (
            "    for (int j = 0; j < KS; ++j) sum += stage[now].a[j][ty] * stage[now].b[j][tx];\n"
            "    if (more) put(now ^ 1, next);\n",
            "    if (more) put(now ^ 1, next);\n"
            "    const Stage& s = stage[now];\n"
            "    for (int j = KS; j-- > 0;) sum = fmaf(s.b[j][tx], s.a[j][ty], sum);\n",
        ),
        (
            "    __syncthreads();\n    now ^= 1;\n",
            "    if (more) __syncthreads();  // the same for all threads\n    now = 1 - now;\n",
        ),
    ),
    # Byte by byte from the end on, and the group's own sum.
    Right(
        "xlvii_gemv_byte_by_byte",
        "xlvii_gemv",
        (
            "    if (n_in % 4 == 0) {\n"
            "        const int *w4 = (const int *)mine;\n"
            "        const int *x4 = (const int *)x;\n"
            "        for (int j = group.thread_rank(); j < n_in / 4; j += LANES)\n"
            "            acc = __dp4a(w4[j], x4[j], acc);\n    } else {\n"
            "        for (int j = group.thread_rank(); j < n_in; j += LANES)\n"
            "            acc += mine[j] * x[j];\n    }\n",
            "    for (int j = n_in - 1 - (int)group.thread_rank(); j >= 0; j -= LANES)\n"
            "        acc += x[j] * mine[j];\n",
        ),
        (
            "    for (int o = LANES / 2; o > 0; o /= 2)\n        acc += group.shfl_down(acc, o);\n",
            "    acc = cg::reduce(group, acc, cg::plus<int>());\n",
        ),
        ("if (group.thread_rank() == 0)", "if (group.thread_rank() == LANES - 1)"),
    ),
    # A thread goes over its numbers twice, and the tree joins neighbours first.
    Right(
        "xlvii_logsm_twice_over",
        "xlvii_logsm",
        (
            "      own = join(own, Part{__bfloat162float(in[c]), 1.0f});\n    }\n",
            "      own.top = fmaxf(own.top, __bfloat162float(in[c]));\n    }\n"
            "    for (int64_t c = t; c < cols && own.top > -INFINITY; c += kThreads) {\n"
            "      own.sum += expf(__bfloat162float(in[c]) - own.top);\n    }\n",
        ),
        (
            "for (int half_of = kThreads / 2; half_of > 0; half_of /= 2) {\n"
            "      if (t < half_of) tree[t] = join(tree[t], tree[t + half_of]);\n",
            "for (int step = 1; step < kThreads; step *= 2) {\n"
            "      if (t % (2 * step) == 0) tree[t] = join(tree[t + step], tree[t]);\n",
        ),
    ),
    # One pass with a running mean, whose parts the lanes join.
    Right(
        "xlvii_norm_running_mean",
        "xlvii_norm",
        (
            "  float sum = 0.0f;\n"
            "  for (unsigned c = threadIdx.x; c < cols; c += 32) sum += row[c];\n"
            "  const float mean = all_sum(sum) / cols;\n  float squares = 0.0f;\n"
            "  for (unsigned c = threadIdx.x; c < cols; c += 32) "
            "squares += (row[c] - mean) * (row[c] - mean);\n"
            "  const float var = all_sum(squares) / cols;\n",
            "  float mean = 0.0f, squares = 0.0f, count = 0.0f;\n"
            "  for (unsigned c = threadIdx.x; c < cols; c += 32) {\n"
            "    const float off = row[c] - mean;\n    count += 1.0f;\n"
            "    mean += off / count;\n    squares += off * (row[c] - mean);\n  }\n"
            "  for (int k = 1; k < 32; k <<= 1) {\n"
            "    const float n2 = __shfl_xor_sync(0xffffffffu, count, k);\n"
            "    const float m2 = __shfl_xor_sync(0xffffffffu, mean, k);\n"
            "    const float s2 = __shfl_xor_sync(0xffffffffu, squares, k);\n"
            "    const float all = fmaxf(count + n2, 1.0f), off = m2 - mean;\n"
            "    squares += s2 + off * off * (count * n2 / all);\n"
            "    mean = (count * mean + n2 * m2) / all;\n    count += n2;\n  }\n"
            "  const float var = squares / cols;\n",
        ),
        (
            "__device__ float all_sum(float v) {\n"
            "  for (int k = 1; k < 32; k <<= 1) v += __shfl_xor_sync(0xffffffffu, v, k);\n"
            "  return v;\n}\n\n",
            "",
        ),
    ),
)
