"""Hold a fifty-first family: kernels of one idea each, whose mistakes people make every week.

Its bases are a blend of two pictures of halves by a mask, c + value * a * b, float to half,
float to bytes without a sign, Mish, x * sigmoid(1.702 x), the mean absolute error, how many
numbers are above a limit, the largest of each column and its row, the conjugate of the
transpose, a linear layer, squares of distances, softmax with a scale and layer norm. They have
14 to 41 lines, and are of people with half a year of CUDA: a maker of pictures, a writer of an
optimizer, users of quantized models and of PyTorch, one who fears large grids, one who has just
read of votes, a statistician, a physicist, a sorter of points, readers of papers and a
numerical analyst. They use packs of four halves where all addresses allow it, float4 with a
second launch for the rest, float4 with a rest in the same thread, four bytes by shifts, rows of
blocks, half2 with a last number, a ticket for the last block, votes and one atomic a warp
behind a memset, 8 threads a column, a tile of pairs, tiles of 16 with two rows a thread, one
thread a pair of points, a maximum and a sum that grow together, and Welford's mean with a tree.
Their mistakes are spread over alignment, sizes, grids, values, rounding, NaN and infinity,
inputs that are written, sums, transposes, products, order, streams and what is left of an
earlier call. The causes were written before a member was judged. On the emulator each member
ran beside PyTorch, compared as a case does, called twice on the same tensors, once each with
NaN and 1e3 in floating outputs and with tensors at either end of their pages, on a stream that
is not the default one, with the threads in order; the bases mask, mae, count, colarg, herm,
soft and norm and their right ones also at a hundred other sizes or so, with the threads in any
order. nvcc 13.0 compiles each for 8.0, all members of a base in one file; none was run on a
GPU. Bases and right ones are right, and all wrong ones wrong or refused by a fault:

    fiftyone_mask_not_its_address       of slices of the mask alone, from 4 numbers on
    fiftyone_mask_even_is_enough        of slices from even halves that are no fours
    fiftyone_mask_other_picture         from 4 numbers on, unless all shares are a half
    fiftyone_mask_half_arithmetic       from 4 numbers on, if a difference or product is no half
    fiftyone_mask_in_place              from 4 numbers on: a is overwritten
    fiftyone_addc_rest_from_quads       from 43 numbers on, if 4 does not divide the count
    fiftyone_addc_rest_without_stream   if 4 does not divide the count
    fiftyone_addc_step_of_32_blocks     from 10,241 numbers on
    fiftyone_addc_static_quads          if the first call had another number of packs
    fiftyone_addc_rest_first            from 5 numbers on, if 4 does not divide the count
    fiftyone_tohalf_rest_cut_off        if 4 does not divide the count, of what is no half
    fiftyone_tohalf_limited             beyond 65,504, and of NaN, from 4 numbers on
    fiftyone_tohalf_small_are_zero      below 2^-14, from 4 numbers on
    fiftyone_tohalf_always_four         from 5 numbers on, if 4 does not divide the count
    fiftyone_tohalf_quarter_of_blocks   if 4 does not divide the count's block sizes, rounded up
    fiftyone_uquant_int_sum             from about 2^31 on, when scaled, unless the zero is 0
    fiftyone_uquant_times_scale         unless the scale is 1
    fiftyone_uquant_zero_first          of ties, if the zero is odd
    fiftyone_uquant_no_upper_limit      from 256 on, with the zero
    fiftyone_uquant_one_more            always, by one byte
    fiftyone_mish_other_side_of_grid    from 16,513 numbers on
    fiftyone_mish_plain_log             below 0, and just above it
    fiftyone_mish_quotient              from about 44.4 on
    fiftyone_mish_whole_rows            from 16,385 numbers on, if a row of blocks is not full
    fiftyone_mish_one_past              unless 64 divides the count
    fiftyone_quick_shorter_constant     of all but 0, large and small numbers
    fiftyone_quick_half_exponential     where the exponential is no half
    fiftyone_quick_last_by_its_thread   of odd counts from 1,281 on
    fiftyone_quick_no_loop              from 1,282 numbers on
    fiftyone_quick_any_address          of slices of the output that begin at an odd half
    fiftyone_mae_inc_too_far            from 129 numbers on, from a second call on
    fiftyone_mae_by_threads             unless there are as many numbers as threads
    fiftyone_mae_sign_of_sum            from 4,097 numbers on, of differences of both signs
    fiftyone_mae_no_barrier             where threads do not wait for another
    fiftyone_mae_int_sum                if a difference is not whole
    fiftyone_count_one_byte             unless the upper bytes are 0 before
    fiftyone_count_plain_add            where two warps add at the same time
    fiftyone_count_first_warp           from 33 numbers on, if others are above
    fiftyone_count_at_least             if a number is equal to the limit
    fiftyone_count_last_block           if 96 divides all but the last, which is above
    fiftyone_colarg_flt_min             of columns without a number above 0
    fiftyone_colarg_first_thread        if the largest is there more than once, in two threads
    fiftyone_colarg_no_barrier          where warps do not wait for another
    fiftyone_colarg_seven_of_eight      if the largest is in a row of which 8 leaves 7
    fiftyone_colarg_pitch               from 2 rows on, unless the matrix is square
    fiftyone_herm_no_barrier            from 2 rows or columns on, where warps do not wait
    fiftyone_herm_same_test             unless 16 divides both sides, or of a small square
    fiftyone_herm_pitch_stays           unless the matrix is square, or has one column
    fiftyone_herm_tile_stays            from 2 rows or columns on
    fiftyone_herm_minus_both            unless the first part is 0
    fiftyone_linear_bias_once           from 9 rows on
    fiftyone_linear_rounded_first       if the sum or the bias is no half, by a little
    fiftyone_linear_second_untested     unless 16 divides the rows
    fiftyone_linear_first_barrier       where warps do not wait for another
    fiftyone_linear_half_a_tile         from 9 rows or terms on; of fewer by what is in the tile
    fiftyone_dist_binomial              of points that are far off 0
    fiftyone_dist_root                  unless the square is 0 or 1
    fiftyone_dist_both_outside          unless 16 divides both counts
    fiftyone_dist_pitch                 from 2 points on, unless d is n
    fiftyone_dist_two_a_step            of points with an odd number of sides
    fiftyone_soft_flt_min               of rows that are far below 0
    fiftyone_soft_no_barrier            where warps do not wait for another
    fiftyone_soft_unscaled_sum          unless the scale is 1
    fiftyone_soft_keeps_scaled          unless the scale is 1: the input is overwritten
    fiftyone_soft_1024_rows             from 1,025 rows on
    fiftyone_norm_half_way              unless all that meet count alike
    fiftyone_norm_int_quotient          if means of threads differ
    fiftyone_norm_no_barrier_in_tree    where warps do not wait for another
    fiftyone_norm_gamma_for_beta        unless both are equal
    fiftyone_norm_stream_0              on another stream than the default one
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

# A maker of pictures: two pictures of halves, one shown where the mask says so.
MASK = (
    HEADER
    + """\
struct __align__(8) Four { half v[4]; };

__device__ half mix(half a, half b, half m) {
  float x = __half2float(a);
  return __float2half(fmaf(__half2float(m), __half2float(b) - x, x));
}

__global__ void blend(const half* a, const half* b, const half* mask, half* out, int n) {
  int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  bool round = (((size_t)a | (size_t)b | (size_t)mask | (size_t)out) % 8) == 0;
  if (round && i + 4 <= n) {
    Four p = *(const Four*)(a + i);
    Four q = *(const Four*)(b + i);
    Four m = *(const Four*)(mask + i);
    Four r;
    for (int k = 0; k < 4; k++) r.v[k] = mix(p.v[k], q.v[k], m.v[k]);
    *(Four*)(out + i) = r;
  } else {
    for (int k = i; k < n && k < i + 4; k++) out[k] = mix(a[k], b[k], mask[k]);
  }
}

extern "C" void launch(const half* a,     // [n]
                       const half* b,     // [n]
                       const half* mask,  // [n]
                       half* out,         // [n]
                       int n, cudaStream_t stream = 0) {
  blend<<<(n + 255) / 256, 64, 0, stream>>>(a, b, mask, out, n);
}
"""
)

# A writer of an optimizer: c + value * a * b by float4, and a second launch for the rest.
ADDC = (
    HEADER
    + """\
__global__ void addcmul(const float4 *c, const float4 *a, const float4 *b, float4 *out,
                        float value, int quads)
{
    for (int q = blockIdx.x * blockDim.x + threadIdx.x; q < quads; q += gridDim.x * blockDim.x) {
        float4 z = c[q], x = a[q], y = b[q];
        z.x += value * x.x * y.x;
        z.y += value * x.y * y.y;
        z.z += value * x.z * y.z;
        z.w += value * x.w * y.w;
        out[q] = z;
    }
}

__global__ void addcmul_rest(const float *c, const float *a, const float *b, float *out,
                             float value, int from, int n)
{
    int i = from + threadIdx.x;
    if (i < n)
        out[i] = c[i] + value * a[i] * b[i];
}

extern "C" void launch(const float *c,  // [n] 16-byte aligned
                       const float *a,  // [n] 16-byte aligned
                       const float *b,  // [n] 16-byte aligned
                       float *out,      // [n] 16-byte aligned
                       float value, int n, cudaStream_t stream = 0)
{
    int quads = n / 4;
    int blocks = (quads + 127) / 128;
    if (quads > 0)
        addcmul<<<blocks < 20 ? blocks : 20, 128, 0, stream>>>(
            (const float4 *)c, (const float4 *)a, (const float4 *)b, (float4 *)out, value, quads);
    if (n % 4)
        addcmul_rest<<<1, 32, 0, stream>>>(c, a, b, out, value, 4 * quads, n);
}
"""
)

# One who saves memory: float to half, four numbers a thread.
TOHALF = (
    HEADER
    + """\
__global__ void to_half(const float* x, half* y, int64_t n) {
    int64_t i = 4 * ((int64_t)blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n) return;
    if (n - i >= 4) {
        float4 v = *(const float4*)(x + i);
        half2* to = (half2*)(y + i);
        to[0] = __floats2half2_rn(v.x, v.y);
        to[1] = __floats2half2_rn(v.z, v.w);
    } else {
        while (i < n) {
            y[i] = __float2half_rn(x[i]);
            i++;
        }
    }
}

extern "C" void launch(const float* x,  // [n] 16-byte aligned
                       half* y,         // [n] 4-byte aligned
                       int64_t n, int block_size = 128, cudaStream_t stream = 0) {
    int64_t per_block = 4 * block_size;
    unsigned blocks = (n + per_block - 1) / per_block;
    to_half<<<blocks, block_size, 0, stream>>>(x, y, n);
}
"""
)

# One who ships models: float to bytes without a sign, with a zero of their own.
UQUANT = (
    HEADER
    + """\
__device__ unsigned level(float v, float scale, int zero) {
  float q = rintf(v / scale) + zero;
  return (unsigned)fminf(fmaxf(q, 0.0f), 255.0f);
}

__global__ void quantize(const float* x, uint8_t* q, float scale, int zero, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  int words = n / 4;
  if (t < words) {
    float4 v = ((const float4*)x)[t];
    unsigned w = level(v.x, scale, zero);
    w |= level(v.y, scale, zero) << 8;
    w |= level(v.z, scale, zero) << 16;
    w |= level(v.w, scale, zero) << 24;
    ((unsigned*)q)[t] = w;
  }
  if (t < n - 4 * words) q[4 * words + t] = (uint8_t)level(x[4 * words + t], scale, zero);
}

extern "C" void launch(const float* x,  // [n] 16-byte aligned
                       uint8_t* q,      // [n] 4-byte aligned
                       float scale, int zero, int n, cudaStream_t stream = 0) {
  quantize<<<n / 4 / 96 + 1, 96, 0, stream>>>(x, q, scale, zero, n);
}
"""
)

# One who fears large grids: Mish, with rows of 256 blocks.
MISH = (
    HEADER
    + """\
__device__ float mish(float x)
{
    float softplus = x > 20.0f ? x : log1pf(expf(x));
    return x * tanhf(softplus);
}

__global__ void mish_all(const float *x, float *y, int n)
{
    int block = blockIdx.y * gridDim.x + blockIdx.x;
    int i = block * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    y[i] = mish(x[i]);
}

extern "C" void launch(const float *x,  // [n]
                       float *y,        // [n]
                       int n, cudaStream_t stream = 0)
{
    int blocks = (n + 63) / 64;
    dim3 grid(blocks < 256 ? blocks : 256, (blocks + 255) / 256);
    mish_all<<<grid, 64, 0, stream>>>(x, y, n);
}
"""
)

# A reader of a picture model's code: x * sigmoid(1.702 x) of halves, two by two.
QUICK = (
    HEADER
    + """\
__device__ float quick(float x) { return x / (1.0f + expf(-1.702f * x)); }

__global__ void quick_gelu(const half* x, half* y, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int pairs = n / 2;
    for (int p = t; p < pairs; p += gridDim.x * blockDim.x) {
        float2 v = __half22float2(((const half2*)x)[p]);
        ((half2*)y)[p] = __floats2half2_rn(quick(v.x), quick(v.y));
    }
    if (n % 2 == 1 && t == 0) {
        y[n - 1] = __float2half(quick(__half2float(x[n - 1])));
    }
}

extern "C" void launch(const half* x,  // [n] 4-byte aligned
                       half* y,        // [n] 4-byte aligned
                       int n, cudaStream_t stream = 0) {
    quick_gelu<<<10, 64, 0, stream>>>(x, y, n);
}
"""
)

# A statistician: the mean absolute error, with a ticket for the last block.
MAE = (
    HEADER
    + """\
#define T 128

__device__ float parts[32];
__device__ unsigned ticket;

__global__ void mean_error(const float *a, const float *b, float *out, int n)
{
    __shared__ float s[T];
    int t = threadIdx.x;
    float sum = 0.0f;
    for (int i = blockIdx.x * T + t; i < n; i += gridDim.x * T)
        sum += fabsf(a[i] - b[i]);
    s[t] = sum;
    __syncthreads();
    for (int k = T / 2; k > 0; k >>= 1) {
        if (t < k)
            s[t] += s[t + k];
        __syncthreads();
    }
    if (t > 0)
        return;
    parts[blockIdx.x] = s[0];
    __threadfence();
    if (atomicAdd(&ticket, 1u) == gridDim.x - 1) {
        float all = 0.0f;
        for (int k = 0; k < gridDim.x; k++)
            all += ((volatile float *)parts)[k];
        *out = all / n;
        ticket = 0;
    }
}

extern "C" void launch(const float *a,  // [n]
                       const float *b,  // [n]
                       float *out,      // [1]
                       int n, cudaStream_t stream = 0)
{
    int blocks = (n + T - 1) / T;
    mean_error<<<blocks < 32 ? blocks : 32, T, 0, stream>>>(a, b, out, n);
}
"""
)

# One who has just read of votes: how many numbers are above a limit.
COUNT = (
    HEADER
    + """\
__global__ void count_above(const float* x, float limit, int* count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool above = i < n && x[i] > limit;
  unsigned votes = __ballot_sync(0xffffffffu, above);
  if (threadIdx.x % 32 == 0) atomicAdd(count, __popc(votes));
}

extern "C" void launch(const float* x,  // [n]
                       float limit,
                       int* count,      // [1]
                       int n, cudaStream_t stream = 0) {
  cudaMemsetAsync(count, 0, sizeof(int), stream);
  count_above<<<(n + 95) / 96, 96, 0, stream>>>(x, limit, count, n);
}
"""
)

# One who looks for peaks: the largest of each column and its first row, 8 threads a column.
COLARG = (
    HEADER
    + """\
#define W 32
#define H 8

__global__ void top_of_columns(const float* x, float* value, int* row, int rows, int cols) {
    __shared__ float best[H][W];
    __shared__ int where[H][W];
    int tx = threadIdx.x, ty = threadIdx.y;
    int c = blockIdx.x * W + tx;
    float b = -INFINITY;
    int at = ty;
    if (c < cols) {
        for (int r = ty; r < rows; r += H) {
            float v = x[(size_t)r * cols + c];
            if (v > b) {
                b = v;
                at = r;
            }
        }
    }
    best[ty][tx] = b;
    where[ty][tx] = at;
    __syncthreads();
    if (ty == 0 && c < cols) {
        for (int k = 1; k < H; k++) {
            float v = best[k][tx];
            if (v > b || (v == b && where[k][tx] < at)) {
                b = v;
                at = where[k][tx];
            }
        }
        value[c] = b;
        row[c] = at;
    }
}

extern "C" void launch(const float* x,  // [rows, cols]
                       float* value,    // [cols]
                       int* row,        // [cols]
                       int rows, int cols, cudaStream_t stream = 0) {
    top_of_columns<<<(cols + W - 1) / W, dim3(W, H), 0, stream>>>(x, value, row, rows, cols);
}
"""
)

# A physicist with complex numbers: the conjugate of the transpose.
HERM = (
    HEADER
    + """\
const int TILE = 16;

__global__ void hermitian(const float2 *a, float2 *h, int rows, int cols)
{
    __shared__ float2 tile[TILE][TILE + 1];
    int c = blockIdx.x * TILE + threadIdx.x;
    int r = blockIdx.y * TILE + threadIdx.y;
    if (r < rows && c < cols)
        tile[threadIdx.y][threadIdx.x] = a[(size_t)r * cols + c];
    __syncthreads();
    int to_c = blockIdx.y * TILE + threadIdx.x;
    int to_r = blockIdx.x * TILE + threadIdx.y;
    if (to_r < cols && to_c < rows) {
        float2 z = tile[threadIdx.x][threadIdx.y];
        h[(size_t)to_r * rows + to_c] = make_float2(z.x, -z.y);
    }
}

extern "C" void launch(const float *a,  // [rows, cols, 2] 8-byte aligned
                       float *h,        // [cols, rows, 2] 8-byte aligned
                       int rows, int cols, cudaStream_t stream = 0)
{
    dim3 block(TILE, TILE);
    dim3 grid((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
    hermitian<<<grid, block, 0, stream>>>((const float2 *)a, (float2 *)h, rows, cols);
}
"""
)

# A user of PyTorch: a linear layer of halves, two rows a thread.
LINEAR = (
    HEADER
    + """\
#define T 16

__global__ void linear(const half* x, const half* w, const float* bias, half* y, int M, int N,
                       int K) {
  __shared__ float a[T][T], b[T][T];
  int tx = threadIdx.x, ty = threadIdx.y;
  int col = blockIdx.x * T + tx;
  int row = blockIdx.y * T + ty;
  float s0 = 0.0f, s1 = 0.0f;
  for (int k0 = 0; k0 < K; k0 += T) {
    for (int j = ty; j < T; j += T / 2) {
      int r = blockIdx.y * T + j, k = k0 + tx;
      a[j][tx] = (r < M && k < K) ? __half2float(x[r * K + k]) : 0.0f;
      k = k0 + j;
      b[j][tx] = (k < K && col < N) ? __half2float(w[k * N + col]) : 0.0f;
    }
    __syncthreads();
    for (int k = 0; k < T; k++) {
      s0 += a[ty][k] * b[k][tx];
      s1 += a[ty + T / 2][k] * b[k][tx];
    }
    __syncthreads();
  }
  if (col >= N) return;
  if (row < M) y[row * N + col] = __float2half(s0 + bias[col]);
  row += T / 2;
  if (row < M) y[row * N + col] = __float2half(s1 + bias[col]);
}

extern "C" void launch(const half* x,      // [M, K]
                       const half* w,      // [K, N]
                       const float* bias,  // [N]
                       half* y,            // [M, N]
                       int M, int N, int K, cudaStream_t stream = 0) {
  dim3 grid((N + T - 1) / T, (M + T - 1) / T);
  linear<<<grid, dim3(T, T / 2), 0, stream>>>(x, w, bias, y, M, N, K);
}
"""
)

# One who sorts points into clusters: the square of the distance of each pair.
DIST = (
    HEADER
    + """\
__global__ void distances(const float *a, const float *b, float *out, int m, int n, int d)
{
    int j = blockIdx.x * 16 + threadIdx.x;
    int i = blockIdx.y * 16 + threadIdx.y;
    if (i >= m || j >= n)
        return;
    const float *p = a + (size_t)i * d;
    const float *q = b + (size_t)j * d;
    float sum = 0.0f;
    for (int k = 0; k < d; ++k) {
        float diff = p[k] - q[k];
        sum += diff * diff;
    }
    out[(size_t)i * n + j] = sum;
}

extern "C" void launch(const float *a,  // [m, d]
                       const float *b,  // [n, d]
                       float *out,      // [m, n]
                       int m, int n, int d, cudaStream_t stream = 0)
{
    dim3 grid((n + 15) / 16, (m + 15) / 16);
    distances<<<grid, dim3(16, 16), 0, stream>>>(a, b, out, m, n, d);
}
"""
)

# A reader of a paper: softmax of halves with a scale, maximum and sum in one pass.
SOFT = (
    HEADER
    + """\
__global__ void softmax(const half* x, half* y, float scale, int cols) {
  __shared__ float ms[4], ss[4];
  const half* in = x + (size_t)blockIdx.x * cols;
  half* out = y + (size_t)blockIdx.x * cols;
  float m = -FLT_MAX, s = 0.0f;
  for (int c = threadIdx.x; c < cols; c += 128) {
    float v = scale * __half2float(in[c]);
    if (v > m) {
      s = s * expf(m - v) + 1.0f;
      m = v;
    } else {
      s += expf(v - m);
    }
  }
  for (int d = 16; d > 0; d /= 2) {
    float om = __shfl_xor_sync(0xffffffffu, m, d), os = __shfl_xor_sync(0xffffffffu, s, d);
    float top = fmaxf(m, om);
    s = s * expf(m - top) + os * expf(om - top);
    m = top;
  }
  if (threadIdx.x % 32 == 0) {
    ms[threadIdx.x / 32] = m;
    ss[threadIdx.x / 32] = s;
  }
  __syncthreads();
  float top = fmaxf(fmaxf(ms[0], ms[1]), fmaxf(ms[2], ms[3]));
  float sum = 0.0f;
  for (int k = 0; k < 4; k++) sum += ss[k] * expf(ms[k] - top);
  for (int c = threadIdx.x; c < cols; c += 128)
    out[c] = __float2half(expf(scale * __half2float(in[c]) - top) / sum);
}

extern "C" void launch(const half* x,  // [rows, cols]
                       half* y,        // [rows, cols]
                       float scale, int rows, int cols, cudaStream_t stream = 0) {
  softmax<<<rows, 128, 0, stream>>>(x, y, scale, cols);
}
"""
)

# A numerical analyst: layer norm with Welford's mean, and a tree of means.
NORM = (
    HEADER
    + """\
#define T 64

__global__ void layer_norm(const float* x, const float* gamma, const float* beta, float* y,
                           float eps, int cols) {
    __shared__ float means[T], m2s[T];
    __shared__ int counts[T];
    const float* in = x + (size_t)blockIdx.x * cols;
    int t = threadIdx.x;
    float mean = 0.0f, m2 = 0.0f;
    int count = 0;
    for (int c = t; c < cols; c += T) {
        float d = in[c] - mean;
        count++;
        mean += d / count;
        m2 += d * (in[c] - mean);
    }
    means[t] = mean; m2s[t] = m2; counts[t] = count;
    __syncthreads();
    for (int k = T / 2; k > 0; k /= 2) {
        if (t < k && counts[t + k] > 0) {
            int na = counts[t], nb = counts[t + k];
            float d = means[t + k] - means[t];
            means[t] += d * nb / (na + nb);
            m2s[t] += m2s[t + k] + d * d * na * nb / (na + nb);
            counts[t] = na + nb;
        }
        __syncthreads();
    }
    float scale = rsqrtf(m2s[0] / cols + eps);
    for (int c = t; c < cols; c += T) {
        y[(size_t)blockIdx.x * cols + c] = (in[c] - means[0]) * scale * gamma[c] + beta[c];
    }
}

extern "C" void launch(const float* x,      // [rows, cols]
                       const float* gamma,  // [cols]
                       const float* beta,   // [cols]
                       float* y,            // [rows, cols]
                       float eps, int rows, int cols, cudaStream_t stream = 0) {
    layer_norm<<<rows, T, 0, stream>>>(x, gamma, beta, y, eps, cols);
}
"""
)

NAN, INF = float("nan"), float("inf")
LENGTHS = (*range(1, 10), 15, 16, 17, *range(31, 36), *range(63, 71), 95, 96, 97, 127, 128, 129)
LENGTHS += (255, 256, 257, 259, 385, 511, 512, 1000, 1023, 1279, 1281, 2048, 2051, 4097, 5003)
SIDES = ((1, 1), (1, 3), (2, 3), (5, 31), (4, 32), (9, 33), (33, 9), (3, 64), (64, 3), (7, 98))
SIDES += ((70, 2), (2, 1000), (1, 4099), (66, 70), (130, 5), (150, 40), (32, 32), (16, 48))


def same(x: torch.Tensor) -> torch.Tensor:
    """Return the numbers themselves."""
    return x.clone()


def as_float(number: float) -> float:
    """Return the number as a float of C."""
    return torch.tensor(number, dtype=torch.float32).item()


def blends(launcher: Launcher) -> Iterator[Case]:
    """Blend halves by eighths, which is exact, and by any share; also NaN, and slices."""
    for n in LENGTHS:
        a, b, m = (whole(-99, 100, n, 3 * n + k).float() for k in range(3))
        share = ((m.abs() % 9) / 8).half()
        hole = torch.where(torch.arange(n) % 3 == 1, NAN, a)
        for label, p, q in (("whole", a, b), ("fine", a / 101, b + a / 77), ("NaN", hole, b)):
            p, q = p.half(), q.half()
            x = p.double()
            right = x + share.double() * (q.double() - x) + 0.0
            step = torch.frexp(right.nan_to_num(0.0))[1].clamp(min=-13) - 11.0
            options = {"dtypes": (torch.float16,), "within": (0.505 * 2.0**step + 2.0**-17,)}
            yield Case(f"n = {n:,}, {label}", (p, q, share), (right,), **options)
            if n > 300 or label != "whole":
                continue
            for k in range(5):
                for off in (1, 2):
                    options["offset"] = tuple(off if k in (j, 4) else 4 for j in range(4))
                    words = f"n = {n:,}, slices from {options['offset']}"
                    yield Case(words, (p, q, share), (right,), **options)


def addcmuls(launcher: Launcher) -> Iterator[Case]:
    """Add products of whole numbers and eighths, so that all is exact; also of NaN."""
    starts = least_starts(launcher)
    for n in (*LENGTHS, 12_003):
        c, a, b = (whole(-60, 61, n, 3 * n + k).float() for k in range(3))
        hole = torch.where(torch.arange(n) % 3 == 1, NAN, c)
        for value in (1.0, -0.5, 0.125, 3.0):
            for label, p in (("whole", c), ("NaN", hole)):
                right = p.double() + value * a.double() * b.double() + 0.0
                options = {"dtypes": (torch.float32,), "quick": n > 5000}
                words = f"n = {n:,}, value = {value}, {label}"
                yield Case(words, (p, a, b), (right,), {"value": value}, **options)
            if n < 300 and value == 3:
                options["offset"] = starts
                words = f"n = {n:,}, value = {value}, slices from {starts}"
                right = c.double() + value * a.double() * b.double() + 0.0
                yield Case(words, (c, a, b), (right,), {"value": value}, **options)


def to_levels(launcher: Launcher) -> Iterator[Case]:
    """Make bytes: usual numbers, ties, around both limits, far beyond, and infinities."""
    for n in LENGTHS:
        x, k = whole(-999, 1000, n, n).float(), torch.arange(n)
        far = torch.where(k % 3 == 0, INF, torch.where(k % 3 == 1, -INF, x))
        for label, y, scale in (
            ("usual", x / 8, 1.0),
            ("ties", x / 4, 0.5),
            ("around 0", x / 200, 0.25),
            ("far beyond", x * 1e8, 0.5),
            ("large", x, 4.0),
            ("infinities", far, 2.0),
        ):
            for zero in (0, 127, 200):
                right = ((y.double() / scale).round() + zero).clamp(0, 255)
                words = f"n = {n:,}, scale = {scale}, zero = {zero}, {label}"
                scalars = {"scale": scale, "zero": zero}
                yield Case(words, (y,), (right,), scalars, dtypes=(torch.uint8,))


def mishes(launcher: Launcher) -> Iterator[Case]:
    """Bend numbers: usual ones, around 0, far above and below, and NaN; also many."""
    for n in (*LENGTHS, 16_385, 40_001):
        x, k = whole(-999, 1000, n, n).float() / 100, torch.arange(n)
        for label, y in (
            ("usual", x),
            ("small", x / 4096),
            ("large", x * 20),
            ("NaN", torch.where(k % 3 == 1, NAN, x)),
        ):
            z = y.double()
            right = z * torch.tanh(torch.log1p(torch.exp(z)).where(z < 40, z))
            slack = (2.0**-20 * right.abs() + 2.0**-140).nan_to_num(0.0)
            options = {"dtypes": (torch.float32,), "within": (slack,), "quick": n > 10_000}
            yield Case(f"n = {n:,}, {label}", (y,), (right,), **options)


def quicks(launcher: Launcher) -> Iterator[Case]:
    """Bend halves: usual ones, around 0, far above and below, and NaN."""
    starts = least_starts(launcher)
    for n in LENGTHS:
        x, k = whole(-999, 1000, n, n).float() / 128, torch.arange(n)
        for label, y in (
            ("usual", x),
            ("small", x / 1024),
            ("large", x.abs() * 1000 + 30),
            ("far below 0", -x.abs() * 1000 - 30),
            ("NaN", torch.where(k % 3 == 1, NAN, x)),
        ):
            y = y.half()
            z = y.double()
            right = z * (1.702 * z).sigmoid()
            step = torch.frexp(right.nan_to_num(0.0))[1].clamp(min=-13) - 11.0
            options = {"dtypes": (torch.float16,), "within": (0.55 * 2.0**step,)}
            yield Case(f"n = {n:,}, {label}", (y,), (right,), **options)
            if n < 300 and label == "usual":
                words = f"n = {n:,}, slices from {starts}"
                yield Case(words, (y,), (right,), offset=starts, **options)


def errors(launcher: Launcher) -> Iterator[Case]:
    """Take mean errors of whole numbers and of eighths, whose sums are exact."""
    for n in (*LENGTHS, 20_001, 7, 300, 1):
        a, b = (whole(-20, 21, n, 2 * n + k).float() for k in (0, 1))
        k = torch.arange(n)
        for label, p, q in (
            ("whole", a, b),
            ("eighths", a / 8, b / 8 + 0.25),
            ("the last one", torch.where(k == n - 1, 9.0, 0.0), b * 0),
        ):
            right = (p.double() - q.double()).abs().mean().reshape(1)
            options = {"dtypes": (torch.float32,), "within": (2.0**-23 * right,)}
            yield Case(f"n = {n:,}, {label}", (p, q), (right,), quick=n > 10_000, **options)


def counts(launcher: Launcher) -> Iterator[Case]:
    """Count numbers above a limit: whole ones, some equal to it, all, none, and NaN."""
    for n in (*LENGTHS, 20_001):
        x, k = whole(-9, 10, n, n).float(), torch.arange(n)
        for label, y, limit in (
            ("whole", x, 0.0),
            ("whole", x, 2.5),
            ("all above", x.abs() + 1, 0.5),
            ("none above", -x.abs(), 0.0),
            ("the last one", torch.where(k == n - 1, 9.0, 0.0), 3.0),
            ("NaN", torch.where(k % 3 == 1, NAN, x), -2.0),
        ):
            right = (y > limit).sum().reshape(1)
            words = f"n = {n:,}, limit = {limit}, {label}"
            options = {"dtypes": (torch.int32,), "quick": n > 10_000}
            yield Case(words, (y,), (right,), {"limit": limit}, **options)


def tops(launcher: Launcher) -> Iterator[Case]:
    """Find the largest of columns: of usual numbers, few values, below 0, and one."""
    for rows, cols in (*SIDES, (9, 1), (17, 31), (64, 64)):
        n = rows * cols
        x = whole(-9999, 10_000, n, n).float().reshape(rows, cols) / 16
        c, r = torch.arange(cols), torch.arange(rows)[:, None]
        for label, y in (
            ("usual", x),
            ("few values", (x * 16) % 3 - 1),
            ("all equal", x * 0 + 2),
            ("below 0", -x.abs() - 1),
            ("the last one", torch.where(r == rows - 1, 700.0, x)),
            ("one is largest", torch.where((r * 7 + c) % rows == rows // 2, 700.0, x)),
        ):
            y = y + 0.0
            top = y.amax(0)
            first = (y == top).to(torch.int64).argmax(0)
            words = f"rows = {rows}, cols = {cols:,}, {label}"
            yield Case(words, (y,), (top, first), dtypes=(torch.float32, torch.int32))


def turns(launcher: Launcher) -> Iterator[Case]:
    """Turn matrices of complex numbers: small, thin, long and square ones."""
    for rows, cols in (*SIDES, (33, 31), (48, 16), (24, 40)):
        n = 2 * rows * cols
        x = whole(1, 1000, n, n).float()
        x = torch.where(whole(0, 2, n, n + 1) == 0, x, -x).reshape(rows, cols, 2)
        rising = (torch.arange(n) + 1.0).reshape(rows, cols, 2)
        for label, y in (("any", x), ("rising", rising)):
            right = y.transpose(0, 1) * torch.tensor((1.0, -1.0))
            words = f"rows = {rows}, cols = {cols:,}, {label}"
            yield Case(words, (y,), (right.contiguous(),), dtypes=(torch.float32,))


def layers(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole numbers and add what is none, so that sums are exact before rounding."""
    sides = ((1, 1, 1), (3, 5, 7), (16, 16, 16), (33, 17, 40), (2, 50, 9), (70, 1, 8))
    for m, n, k in (*sides, (1, 70, 33), (15, 16, 1), (17, 31, 23), (9, 10, 300), (48, 32, 64)):
        x = whole(-20, 21, m * k, m + k).reshape(m, k).float()
        w = whole(-20, 21, n * k, k + n + 1).reshape(k, n).float()
        bias = whole(-999, 1000, n, n).float() / 64 + 0.5
        r = torch.arange(k)
        for label, p, q in (
            ("whole", x, w),
            ("positive", x.abs() + 1, w.abs() + 1),
            ("the last term", torch.where(r == k - 1, 9.0, 0.0) + 0 * x, w),
        ):
            right = (p.double() @ q.double()) + bias.double()
            words = f"M = {m}, N = {n}, K = {k}, {label}"
            options = {"dtypes": (torch.float16,)}
            yield Case(words, (p.half(), q.half(), bias), (right,), **options)


def pairs(launcher: Launcher) -> Iterator[Case]:
    """Take distances of whole points, so that all is exact; also of points far off 0."""
    sides = ((1, 1, 1), (3, 5, 7), (16, 16, 16), (33, 17, 4), (2, 50, 9), (70, 1, 8))
    for m, n, d in (*sides, (1, 70, 33), (15, 16, 1), (17, 31, 2), (9, 10, 301), (48, 32, 3)):
        a = whole(-20, 21, m * d, m + d).reshape(m, d).float()
        b = whole(-20, 21, n * d, d + n + 1).reshape(n, d).float()
        k = torch.arange(d)
        for label, p, q in (
            ("whole", a, b),
            ("far off 0", a + 60_001, b + 60_000),
            ("the last side", torch.where(k == d - 1, 5.0, 0.0) + 0 * a, b * 0),
        ):
            right = ((p.double()[:, None] - q.double()) ** 2).sum(2)
            words = f"m = {m}, n = {n}, d = {d}, {label}"
            yield Case(words, (p, q), (right,), dtypes=(torch.float32,))


def softmaxes(launcher: Launcher) -> Iterator[Case]:
    """Take shares: of usual rows, far off 0, far apart, rising, with some -infinity."""
    for rows, cols in (*SIDES, (1500, 2)):
        n = rows * cols
        x = whole(-127, 128, n, n).float().reshape(rows, cols) / 16
        c = torch.arange(cols)
        for label, y in (
            ("usual", x),
            ("far above 0", x + 300),
            ("far below 0", x - 300),
            ("far apart", x * 10),
            ("all equal", x * 0 + 2),
            ("rising", x * 0 + c % 200 / 16),
            ("some -infinity", torch.where((c % 3 == 0) & (c < cols - 1), -INF, x)),
        ):
            for scale in (1.0, 0.25):
                z = y.half()
                right = (scale * z.double()).softmax(1)
                slack = 2.0**-10 * right + 2.0**-24
                options = {"dtypes": (torch.float16,), "within": (slack,)}
                words = f"rows = {rows}, cols = {cols:,}, scale = {scale}, {label}"
                yield Case(words, (z.contiguous(),), (right,), {"scale": scale}, **options)


def norms(launcher: Launcher) -> Iterator[Case]:
    """Norm rows: usual ones, far off 0, small beside eps, equal ones, and one that is not 0."""
    for rows, cols in SIDES:
        n = rows * cols
        x = whole(-999, 1000, n, n).float().reshape(rows, cols) / 128
        gamma, beta = (whole(8, 65, cols, n + k).float() / 32 for k in (1, 2))
        c = torch.arange(cols)
        for label, y in (
            ("usual", x),
            ("far off 0", x + 1024),
            ("small", x / 256),
            ("equal", x * 0 + 3),
            ("one number", torch.where(c == cols // 2, 3.0, 0.0) + x * 0),
        ):
            for eps in (1e-5, 0.5):
                z = y.double()
                mean, var = z.mean(1, keepdim=True), z.var(1, keepdim=True, unbiased=False)
                right = (z - mean) / (var + eps).sqrt() * gamma.double() + beta.double()
                off = 2.0**-20 * z.abs().amax(1, keepdim=True) / (var + eps).sqrt()
                slack = 2.0**-16 * (right.abs() + 1) + off * gamma.double()
                options = {"dtypes": (torch.float32,), "within": (slack,)}
                words = f"rows = {rows}, cols = {cols:,}, eps = {eps}, {label}"
                inputs = (y.contiguous(), gamma, beta)
                yield Case(words, inputs, (right,), {"eps": eps}, **options)


BASES = {
    "fiftyone_mask": Base(MASK, {"cases": blends}),
    "fiftyone_addc": Base(ADDC, {"cases": addcmuls}),
    "fiftyone_tohalf": Base(TOHALF, {"reference": same}),
    "fiftyone_uquant": Base(UQUANT, {"cases": to_levels}),
    "fiftyone_mish": Base(MISH, {"cases": mishes}),
    "fiftyone_quick": Base(QUICK, {"cases": quicks}),
    "fiftyone_mae": Base(MAE, {"cases": errors}),
    "fiftyone_count": Base(COUNT, {"cases": counts}),
    "fiftyone_colarg": Base(COLARG, {"cases": tops}),
    "fiftyone_herm": Base(HERM, {"cases": turns}),
    "fiftyone_linear": Base(LINEAR, {"cases": layers}),
    "fiftyone_dist": Base(DIST, {"cases": pairs}),
    "fiftyone_soft": Base(SOFT, {"cases": softmaxes}),
    "fiftyone_norm": Base(NORM, {"cases": norms}),
}

WRONG = (
    # ---- a blend of halves
    # The mask's address is forgotten.
    Wrong(
        "fiftyone_mask_not_its_address",
        "fiftyone_mask",
        "alignment",
        ("(size_t)b | (size_t)mask | (size_t)out", "(size_t)b | (size_t)out"),
    ),
    # Packs of four ask for the address of a pair.
    Wrong(
        "fiftyone_mask_even_is_enough",
        "fiftyone_mask",
        "alignment",
        ("(size_t)out) % 8) == 0;", "(size_t)out) % 4) == 0;"),
    ),
    # Packs show the other picture.
    Wrong(
        "fiftyone_mask_other_picture",
        "fiftyone_mask",
        "swapped / function | numbers / nan / other element / copy",
        ("mix(p.v[k], q.v[k], m.v[k]);", "mix(q.v[k], p.v[k], m.v[k]);"),
    ),
    # All is computed in half.
    Wrong(
        "fiftyone_mask_half_arithmetic",
        "fiftyone_mask",
        "precision / rounding | numbers / function",
        (
            "  float x = __half2float(a);\n"
            "  return __float2half(fmaf(__half2float(m), __half2float(b) - x, x));\n",
            "  return __hadd(a, __hmul(m, __hsub(b, a)));\n",
        ),
    ),
    # The pack of a is changed where it lies.
    Wrong(
        "fiftyone_mask_in_place",
        "fiftyone_mask",
        "input | numbers / state",
        ("    Four p = *(const Four*)(a + i);\n", "    Four& p = *(Four*)(a + i);\n"),
        ("    Four r;\n", ""),
        ("r.v[k] = mix(", "p.v[k] = mix("),
        ("*(Four*)(out + i) = r;", "*(Four*)(out + i) = p;"),
    ),
    # ---- c + value * a * b
    # The rest begins at the number of packs.
    Wrong(
        "fiftyone_addc_rest_from_quads",
        "fiftyone_addc",
        "tail / unwritten / left out | race / twice",
        ("value, 4 * quads, n);", "value, quads, n);"),
    ),
    # The second launch goes to the default stream.
    Wrong(
        "fiftyone_addc_rest_without_stream",
        "fiftyone_addc",
        "stream",
        ("addcmul_rest<<<1, 32, 0, stream>>>", "addcmul_rest<<<1, 32>>>"),
    ),
    # The loop counts on more blocks than there are.
    Wrong(
        "fiftyone_addc_step_of_32_blocks",
        "fiftyone_addc",
        "unwritten / left out / grid | tail",
        ("q += gridDim.x * blockDim.x)", "q += 32 * blockDim.x)"),
    ),
    # The number of packs of the first call stays.
    Wrong(
        "fiftyone_addc_static_quads",
        "fiftyone_addc",
        "state / bounds / unwritten | left out / tail",
        ("    int quads = n / 4;\n", "    static const int quads = n / 4;\n"),
    ),
    # The rest comes first, and the packs lie behind it.
    Wrong(
        "fiftyone_addc_rest_first",
        "fiftyone_addc",
        "alignment",
        (
            "(const float4 *)c, (const float4 *)a, (const float4 *)b, (float4 *)out, value,"
            " quads);",
            "(const float4 *)(c + n % 4), (const float4 *)(a + n % 4),\n"
            "            (const float4 *)(b + n % 4), (float4 *)(out + n % 4), value, quads);",
        ),
        ("value, 4 * quads, n);", "value, 0, n % 4);"),
    ),
    # ---- float to half
    # The rest is rounded toward 0.
    Wrong(
        "fiftyone_tohalf_rest_cut_off",
        "fiftyone_tohalf",
        "rounding / tail | precision / numbers / infinity",
        ("__float2half_rn(x[i]);", "__float2half_rz(x[i]);"),
    ),
    # No infinities, whatever comes in.
    Wrong(
        "fiftyone_tohalf_limited",
        "fiftyone_tohalf",
        "infinity / nan | whole range / numbers",
        (
            "        half2* to = (half2*)(y + i);\n",
            "        v.x = fminf(fmaxf(v.x, -65504.0f), 65504.0f);\n"
            "        v.y = fminf(fmaxf(v.y, -65504.0f), 65504.0f);\n"
            "        v.z = fminf(fmaxf(v.z, -65504.0f), 65504.0f);\n"
            "        v.w = fminf(fmaxf(v.w, -65504.0f), 65504.0f);\n"
            "        half2* to = (half2*)(y + i);\n",
        ),
    ),
    # Numbers that are no normal halves become 0.
    Wrong(
        "fiftyone_tohalf_small_are_zero",
        "fiftyone_tohalf",
        "subnormal | numbers / precision / rounding / sign of zero",
        (
            "        half2* to = (half2*)(y + i);\n",
            "        if (fabsf(v.x) < 0x1p-14f) v.x = 0.0f;\n"
            "        if (fabsf(v.y) < 0x1p-14f) v.y = 0.0f;\n"
            "        if (fabsf(v.z) < 0x1p-14f) v.z = 0.0f;\n"
            "        if (fabsf(v.w) < 0x1p-14f) v.w = 0.0f;\n"
            "        half2* to = (half2*)(y + i);\n",
        ),
    ),
    # Nobody asks whether there are four.
    Wrong(
        "fiftyone_tohalf_always_four",
        "fiftyone_tohalf",
        "bounds | tail / alignment",
        ("if (n - i >= 4) {", "if (n > 4) {"),
    ),
    # A quarter of the blocks, rounded down.
    Wrong(
        "fiftyone_tohalf_quarter_of_blocks",
        "fiftyone_tohalf",
        "grid / unwritten / tail / left out / refused",
        (
            "(n + per_block - 1) / per_block;",
            "((n + block_size - 1) / block_size) / 4;",
        ),
    ),
    # ---- float to bytes without a sign
    # An int and the zero: more than an int holds.
    Wrong(
        "fiftyone_uquant_int_sum",
        "fiftyone_uquant",
        "whole range / infinity | numbers / narrow",
        (
            "  float q = rintf(v / scale) + zero;\n",
            "  int q = __float2int_rn(v / scale) + zero;\n",
        ),
        ("(unsigned)fminf(fmaxf(q, 0.0f), 255.0f);", "min(max(q, 0), 255);"),
    ),
    # A product instead of a quotient.
    Wrong(
        "fiftyone_uquant_times_scale",
        "fiftyone_uquant",
        "function | numbers / whole range",
        ("rintf(v / scale)", "rintf(v * scale)"),
    ),
    # The zero is added before the number is rounded.
    Wrong(
        "fiftyone_uquant_zero_first",
        "fiftyone_uquant",
        "rounding | precision / numbers / function",
        ("rintf(v / scale) + zero;", "rintf(v / scale + zero);"),
    ),
    # Nothing is limited above.
    Wrong(
        "fiftyone_uquant_no_upper_limit",
        "fiftyone_uquant",
        "whole range / infinity | numbers / neighbour / other element",
        ("(unsigned)fminf(fmaxf(q, 0.0f), 255.0f);", "(unsigned)fmaxf(q, 0.0f);"),
    ),
    # One byte more than are left.
    Wrong(
        "fiftyone_uquant_one_more",
        "fiftyone_uquant",
        "bounds | tail",
        ("if (t < n - 4 * words)", "if (t <= n - 4 * words)"),
    ),
    # ---- Mish
    # Rows of blocks are as long as there are rows.
    Wrong(
        "fiftyone_mish_other_side_of_grid",
        "fiftyone_mish",
        "unwritten / twice / grid / left out | tail / race / sides",
        ("blockIdx.y * gridDim.x +", "blockIdx.y * gridDim.y +"),
    ),
    # The logarithm of a sum that has been rounded.
    Wrong(
        "fiftyone_mish_plain_log",
        "fiftyone_mish",
        "precision / rounding | numbers / function / subnormal / sign of zero",
        ("log1pf(expf(x));", "logf(1.0f + expf(x));"),
    ),
    # A way without tanh: infinity by infinity.
    Wrong(
        "fiftyone_mish_quotient",
        "fiftyone_mish",
        "nan / infinity | numbers",
        ("    float softplus = x > 20.0f ? x : log1pf(expf(x));\n", "    float e = expf(x);\n"),
        ("x * tanhf(softplus);", "x * (e * (e + 2.0f)) / (e * (e + 2.0f) + 2.0f);"),
    ),
    # Rows of blocks are rounded down.
    Wrong(
        "fiftyone_mish_whole_rows",
        "fiftyone_mish",
        "grid / unwritten / tail / left out",
        ("(blocks + 255) / 256);", "blocks < 256 ? 1 : blocks / 256);"),
    ),
    # The index is tested for more than the count.
    Wrong(
        "fiftyone_mish_one_past",
        "fiftyone_mish",
        "bounds",
        ("if (i >= n)", "if (i > n)"),
    ),
    # ---- x * sigmoid(1.702 x)
    # A shorter constant.
    Wrong(
        "fiftyone_quick_shorter_constant",
        "fiftyone_quick",
        "function / precision | numbers / rounding",
        ("-1.702f * x", "-1.7f * x"),
    ),
    # The exponential is a half.
    Wrong(
        "fiftyone_quick_half_exponential",
        "fiftyone_quick",
        "precision / rounding / infinity | numbers / function / subnormal",
        ("expf(-1.702f * x));", "__half2float(hexp(__float2half(-1.702f * x))));"),
    ),
    # The last number waits for a thread that is not always there.
    Wrong(
        "fiftyone_quick_last_by_its_thread",
        "fiftyone_quick",
        "tail / unwritten / left out",
        ("if (n % 2 == 1 && t == 0) {", "if (n % 2 == 1 && t == pairs) {"),
    ),
    # One pair a thread.
    Wrong(
        "fiftyone_quick_no_loop",
        "fiftyone_quick",
        "unwritten / grid / left out | tail",
        (
            "    for (int p = t; p < pairs; p += gridDim.x * blockDim.x) {\n",
            "    int p = t;\n    if (p < pairs) {\n",
        ),
    ),
    # Halves may lie anywhere, and are stored two by two.
    Wrong(
        "fiftyone_quick_any_address",
        "fiftyone_quick",
        "alignment",
        ("half* y,        // [n] 4-byte aligned", "half* y,        // [n] 2-byte aligned"),
    ),
    # ---- the mean absolute error
    # The ticket goes back one too late.
    Wrong(
        "fiftyone_mae_inc_too_far",
        "fiftyone_mae",
        "state / unwritten | numbers / left out",
        ("atomicAdd(&ticket, 1u)", "atomicInc(&ticket, gridDim.x)"),
        ("        ticket = 0;\n", ""),
    ),
    # By the number of threads.
    Wrong(
        "fiftyone_mae_by_threads",
        "fiftyone_mae",
        "function | numbers / left out / precision / twice",
        ("*out = all / n;", "*out = all / (gridDim.x * T);"),
    ),
    # The sign goes from a thread's sum, not from each difference.
    Wrong(
        "fiftyone_mae_sign_of_sum",
        "fiftyone_mae",
        "function / numbers | left out / precision",
        ("sum += fabsf(a[i] - b[i]);", "sum += a[i] - b[i];"),
        ("    s[t] = sum;\n", "    s[t] = fabsf(sum);\n"),
    ),
    # Nobody waits for the sums of the others.
    Wrong(
        "fiftyone_mae_no_barrier",
        "fiftyone_mae",
        "race / unwritten | numbers / left out / start / state / nan",
        ("    s[t] = sum;\n    __syncthreads();\n", "    s[t] = sum;\n"),
    ),
    # A sum of whole numbers.
    Wrong(
        "fiftyone_mae_int_sum",
        "fiftyone_mae",
        "rounding / precision / numbers | narrow / whole range / left out / function",
        ("    float sum = 0.0f;\n", "    int sum = 0;\n"),
    ),
    # ---- numbers above a limit
    # One byte of four is set to 0.
    Wrong(
        "fiftyone_count_one_byte",
        "fiftyone_count",
        "zero before / start / state | numbers / whole range / narrow",
        (
            "cudaMemsetAsync(count, 0, sizeof(int), stream);",
            "cudaMemsetAsync(count, 0, 1, stream);",
        ),
    ),
    # Warps add where others do.
    Wrong(
        "fiftyone_count_plain_add",
        "fiftyone_count",
        "race | numbers / left out",
        ("atomicAdd(count, __popc(votes));", "*count += __popc(votes);"),
    ),
    # One warp of each block adds.
    Wrong(
        "fiftyone_count_first_warp",
        "fiftyone_count",
        "left out | numbers / tail / function / race",
        ("if (threadIdx.x % 32 == 0)", "if (threadIdx.x == 0)"),
    ),
    # The limit itself counts.
    Wrong(
        "fiftyone_count_at_least",
        "fiftyone_count",
        "function / numbers | twice / other element",
        ("x[i] > limit;", "x[i] >= limit;"),
    ),
    # The last number is forgotten where it begins a block.
    Wrong(
        "fiftyone_count_last_block",
        "fiftyone_count",
        "grid / tail / left out / refused | unwritten / numbers",
        ("<<<(n + 95) / 96, 96,", "<<<(n + 94) / 96, 96,"),
    ),
    # ---- the largest of columns
    # The least float above 0 as the least of all.
    Wrong(
        "fiftyone_colarg_flt_min",
        "fiftyone_colarg",
        "start | numbers / other element / subnormal / left out",
        ("float b = -INFINITY;", "float b = FLT_MIN;"),
    ),
    # Of equal ones the one whose thread comes first.
    Wrong(
        "fiftyone_colarg_first_thread",
        "fiftyone_colarg",
        "other element / numbers | left out / function / neighbour",
        ("if (v > b || (v == b && where[k][tx] < at)) {", "if (v > b) {"),
    ),
    # Nobody waits for the other rows of threads.
    Wrong(
        "fiftyone_colarg_no_barrier",
        "fiftyone_colarg",
        "race / unwritten | numbers / left out / start / state / nan / other element",
        ("    __syncthreads();\n", ""),
    ),
    # One row of threads too few.
    Wrong(
        "fiftyone_colarg_seven_of_eight",
        "fiftyone_colarg",
        "left out | numbers / tail / other element / function",
        ("for (int k = 1; k < H; k++) {", "for (int k = 1; k < H - 1; k++) {"),
    ),
    # Rows are as long as columns.
    Wrong(
        "fiftyone_colarg_pitch",
        "fiftyone_colarg",
        "sides / bounds / other element | numbers / left out / tail / swapped",
        ("x[(size_t)r * cols + c];", "x[(size_t)r * rows + c];"),
    ),
    # ---- the conjugate of the transpose
    # Nobody waits for the tile.
    Wrong(
        "fiftyone_herm_no_barrier",
        "fiftyone_herm",
        "race / unwritten | numbers / other element / start / state / nan / function",
        ("    __syncthreads();\n", ""),
    ),
    # The test of the way in stands for the way out, too.
    Wrong(
        "fiftyone_herm_same_test",
        "fiftyone_herm",
        "unwritten / bounds / sides / tail / left out | race / other element",
        ("if (to_r < cols && to_c < rows) {", "if (r < rows && c < cols) {"),
    ),
    # Rows of the result are as long as those of the matrix.
    Wrong(
        "fiftyone_herm_pitch_stays",
        "fiftyone_herm",
        "sides / bounds / other element / unwritten | numbers / left out / tail / race / twice",
        ("h[(size_t)to_r * rows + to_c]", "h[(size_t)to_r * cols + to_c]"),
    ),
    # The tile is read as it was written.
    Wrong(
        "fiftyone_herm_tile_stays",
        "fiftyone_herm",
        "other element / sides / swapped / unwritten | numbers / function / race / nan / tail",
        ("tile[threadIdx.x][threadIdx.y];", "tile[threadIdx.y][threadIdx.x];"),
    ),
    # Both parts change their sign.
    Wrong(
        "fiftyone_herm_minus_both",
        "fiftyone_herm",
        "function / numbers | other element / copy",
        ("make_float2(z.x, -z.y);", "make_float2(-z.x, -z.y);"),
    ),
    # ---- a linear layer
    # The second row goes without bias.
    Wrong(
        "fiftyone_linear_bias_once",
        "fiftyone_linear",
        "left out / function | numbers / sides / tail / precision / other element",
        ("__float2half(s1 + bias[col]);", "__float2half(s1);"),
    ),
    # A half and a half: rounded two times more.
    Wrong(
        "fiftyone_linear_rounded_first",
        "fiftyone_linear",
        "rounding / precision | numbers / infinity / function",
        ("__float2half(s0 + bias[col]);", "__hadd(__float2half(s0), __float2half(bias[col]));"),
    ),
    # Nobody asks whether there is a second row.
    Wrong(
        "fiftyone_linear_second_untested",
        "fiftyone_linear",
        "bounds | tail / race / twice",
        (
            "  if (row < M) y[row * N + col] = __float2half(s1 +",
            "  y[row * N + col] = __float2half(s1 +",
        ),
    ),
    # Nobody waits for the tiles.
    Wrong(
        "fiftyone_linear_first_barrier",
        "fiftyone_linear",
        "race / unwritten | numbers / other element / start / state / nan / left out",
        ("    }\n    __syncthreads();\n    for (int k = 0;", "    }\n    for (int k = 0;"),
    ),
    # Tiles are loaded by half.
    Wrong(
        "fiftyone_linear_half_a_tile",
        "fiftyone_linear",
        "unwritten / left out | numbers / nan / state / start / sides / infinity / race",
        ("for (int j = ty; j < T; j += T / 2) {", "for (int j = ty; j < T / 2; j += T / 2) {"),
    ),
    # ---- distances
    # Squares less twice the product.
    Wrong(
        "fiftyone_dist_binomial",
        "fiftyone_dist",
        "precision / rounding | numbers / function",
        ("        float diff = p[k] - q[k];\n", ""),
        ("sum += diff * diff;", "sum += p[k] * p[k] + q[k] * q[k] - 2.0f * p[k] * q[k];"),
    ),
    # The distance, not its square.
    Wrong(
        "fiftyone_dist_root",
        "fiftyone_dist",
        "function | numbers / precision / left out / whole range",
        ("+ j] = sum;", "+ j] = sqrtf(sum);"),
    ),
    # Only who is outside of both leaves.
    Wrong(
        "fiftyone_dist_both_outside",
        "fiftyone_dist",
        "bounds | tail / sides / race / twice / other element",
        ("if (i >= m || j >= n)", "if (i >= m && j >= n)"),
    ),
    # Points are as far apart as there are points.
    Wrong(
        "fiftyone_dist_pitch",
        "fiftyone_dist",
        "sides / bounds / other element | numbers / swapped / function / left out",
        ("b + (size_t)j * d;", "b + (size_t)j * n;"),
    ),
    # Two terms a step, without the last of an odd count.
    Wrong(
        "fiftyone_dist_two_a_step",
        "fiftyone_dist",
        "left out / tail | numbers / function / sides",
        ("for (int k = 0; k < d; ++k) {", "for (int k = 0; k + 1 < d; k += 2) {"),
        (
            "        sum += diff * diff;\n",
            "        float next = p[k + 1] - q[k + 1];\n"
            "        sum += diff * diff + next * next;\n",
        ),
    ),
    # ---- softmax
    # The least float above 0 as the least of all.
    Wrong(
        "fiftyone_soft_flt_min",
        "fiftyone_soft",
        "start / nan / infinity | numbers / precision / function / subnormal",
        ("float m = -FLT_MAX,", "float m = FLT_MIN,"),
    ),
    # Nobody waits for the other warps.
    Wrong(
        "fiftyone_soft_no_barrier",
        "fiftyone_soft",
        "race / unwritten | numbers / left out / start / state / nan / infinity",
        ("  __syncthreads();\n", ""),
    ),
    # The scale is forgotten in the first pass.
    Wrong(
        "fiftyone_soft_unscaled_sum",
        "fiftyone_soft",
        "function / left out / numbers | precision / copy / twice",
        ("float v = scale * __half2float(in[c]);", "float v = __half2float(in[c]);"),
    ),
    # Scaled numbers are kept in the input.
    Wrong(
        "fiftyone_soft_keeps_scaled",
        "fiftyone_soft",
        "input | numbers / state / function / precision",
        (
            "    float v = scale * __half2float(in[c]);\n",
            "    float v = scale * __half2float(in[c]);\n    ((half*)in)[c] = __float2half(v);\n",
        ),
        ("expf(scale * __half2float(in[c]) - top)", "expf(__half2float(in[c]) - top)"),
    ),
    # There are never more than 1,024 blocks.
    Wrong(
        "fiftyone_soft_1024_rows",
        "fiftyone_soft",
        "grid / unwritten / left out | tail / sides",
        ("softmax<<<rows, 128,", "softmax<<<rows < 1024 ? rows : 1024, 128,"),
    ),
    # ---- layer norm
    # The mean of two means, whatever they count.
    Wrong(
        "fiftyone_norm_half_way",
        "fiftyone_norm",
        "function / numbers / sides | left out / precision / tail",
        ("means[t] += d * nb / (na + nb);", "means[t] += d / 2;"),
    ),
    # A quotient of whole numbers.
    Wrong(
        "fiftyone_norm_int_quotient",
        "fiftyone_norm",
        "rounding / function / numbers | precision / left out / narrow",
        ("d * nb / (na + nb);", "d * (nb / (na + nb));"),
    ),
    # Nobody waits in the tree.
    Wrong(
        "fiftyone_norm_no_barrier_in_tree",
        "fiftyone_norm",
        "race | numbers / left out / other element / state",
        (
            "            counts[t] = na + nb;\n        }\n        __syncthreads();\n",
            "            counts[t] = na + nb;\n        }\n",
        ),
    ),
    # Factors and summands change places.
    Wrong(
        "fiftyone_norm_gamma_for_beta",
        "fiftyone_norm",
        "swapped | function / numbers / other element",
        ("stream>>>(x, gamma, beta, y,", "stream>>>(x, beta, gamma, y,"),
    ),
    # The launch goes to the default stream.
    Wrong(
        "fiftyone_norm_stream_0",
        "fiftyone_norm",
        "stream",
        ("<<<rows, T, 0, stream>>>", "<<<rows, T, 0, 0>>>"),
    ),
)

RIGHT = (
    # Packs are taken of many numbers only.
    Right(
        "fiftyone_mask_packs_of_many",
        "fiftyone_mask",
        ("if (round && i + 4 <= n) {", "if (round && n > 1000 && i + 4 <= n) {"),
        (
            "fmaf(__half2float(m), __half2float(b) - x, x));",
            "(float)(x + (double)__half2float(m) * (__half2float(b) - x)));",
        ),
    ),
    # The kernel's address, and many threads for a rest of three.
    Right(
        "fiftyone_addc_pointer",
        "fiftyone_addc",
        (
            "    if (n % 4)\n        addcmul_rest<<<1, 32,",
            "    auto rest = addcmul_rest;\n    if (n % 4)\n        rest<<<1, 256,",
        ),
    ),
    # The last block begins.
    Right(
        "fiftyone_tohalf_last_block_first",
        "fiftyone_tohalf",
        (
            "(int64_t)blockIdx.x * blockDim.x",
            "(int64_t)(gridDim.x - 1 - blockIdx.x) * blockDim.x",
        ),
        (
            "y[i] = __float2half_rn(x[i]);",
            "((__half_raw*)y)[i] = (__half_raw)__float2half(x[i]);",
        ),
    ),
    # Limits before rounding, moved by the zero.
    Right(
        "fiftyone_uquant_limits_moved",
        "fiftyone_uquant",
        ("  float q = rintf(v / scale) + zero;\n", "  float q = v / scale;\n"),
        (
            "(unsigned)fminf(fmaxf(q, 0.0f), 255.0f);",
            "__float2int_rn(fminf(fmaxf(q, 0.0f - zero), 255.0f - zero)) + zero;",
        ),
    ),
    # No tanh, and a quotient that does not overflow.
    Right(
        "fiftyone_mish_small_quotient",
        "fiftyone_mish",
        (
            "    float softplus = x > 20.0f ? x : log1pf(expf(x));\n",
            "    if (x > 20.0f)\n        return x;\n    float e = expf(x), t = e * (e + 2.0f);\n",
        ),
        ("x * tanhf(softplus);", "x * (t / (t + 2.0f));"),
    ),
    # A power of two, and the last number by the last thread.
    Right(
        "fiftyone_quick_power_of_two",
        "fiftyone_quick",
        ("expf(-1.702f * x)", "exp2f(-2.45546696f * x)"),
        ("&& t == 0) {", "&& t == gridDim.x * blockDim.x - 1) {"),
    ),
    # The larger of both differences.
    Right(
        "fiftyone_mae_larger_difference",
        "fiftyone_mae",
        ("fabsf(a[i] - b[i]);", "fmaxf(a[i] - b[i], b[i] - a[i]);"),
        ("i += gridDim.x * T)", "i += 32 * T)"),
    ),
    # Threads outside leave before the vote.
    Right(
        "fiftyone_count_leaves_early",
        "fiftyone_count",
        (
            "  bool above = i < n && x[i] > limit;\n",
            "  if (i >= n) return;\n  bool above = x[i] > limit;\n",
        ),
    ),
    # From the last row to the first, with at least.
    Right(
        "fiftyone_colarg_upwards",
        "fiftyone_colarg",
        (
            "for (int r = ty; r < rows; r += H) {",
            "for (int r = rows - 1 - ty; r >= 0; r -= H) {",
        ),
        (
            "            if (v > b) {\n                b = v;",
            "            if (v >= b) {\n                b = v;",
        ),
        ("int at = ty;", "int at = 0x7fffffff;"),
    ),
    # Both parts have a tile of their own.
    Right(
        "fiftyone_herm_two_tiles",
        "fiftyone_herm",
        (
            "__shared__ float2 tile[TILE][TILE + 1];",
            "__shared__ float re[TILE][TILE + 1], im[TILE][TILE + 1];",
        ),
        (
            "    if (r < rows && c < cols)\n"
            "        tile[threadIdx.y][threadIdx.x] = a[(size_t)r * cols + c];\n",
            "    float2 v = make_float2(0.0f, 0.0f);\n"
            "    if (r < rows && c < cols)\n        v = a[(size_t)r * cols + c];\n"
            "    re[threadIdx.x][threadIdx.y] = v.x;\n    im[threadIdx.x][threadIdx.y] = -v.y;\n",
        ),
        ("        float2 z = tile[threadIdx.x][threadIdx.y];\n", ""),
        (
            "make_float2(z.x, -z.y);",
            "make_float2(re[threadIdx.y][threadIdx.x], im[threadIdx.y][threadIdx.x]);",
        ),
    ),
    # Sums in double that begin with the bias.
    Right(
        "fiftyone_linear_from_bias",
        "fiftyone_linear",
        (
            "  float s0 = 0.0f, s1 = 0.0f;\n",
            "  double s0 = col < N ? bias[col] : 0.0f, s1 = s0;\n",
        ),
        ("__float2half(s0 + bias[col]);", "__double2half(s0);"),
        ("__float2half(s1 + bias[col]);", "__double2half(s1);"),
    ),
    # One dimension of blocks, of which each finds its place.
    Right(
        "fiftyone_dist_flat_grid",
        "fiftyone_dist",
        (
            "int j = blockIdx.x * 16 +",
            "int across = (n + 15) / 16;\n    int j = blockIdx.x % across * 16 +",
        ),
        ("int i = blockIdx.y * 16 +", "int i = blockIdx.x / across * 16 +"),
        (
            "dim3 grid((n + 15) / 16, (m + 15) / 16);",
            "dim3 grid((n + 15) / 16 * ((m + 15) / 16));",
        ),
    ),
    # Down instead of across, as only the first lane stores.
    Right(
        "fiftyone_soft_down",
        "fiftyone_soft",
        (
            "__shfl_xor_sync(0xffffffffu, m, d), os = __shfl_xor_sync(0xffffffffu, s, d);",
            "__shfl_down_sync(~0u, m, d);\n    float os = __shfl_down_sync(~0u, s, d);",
        ),
    ),
)
