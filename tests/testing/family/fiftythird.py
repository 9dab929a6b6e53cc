"""Hold a fifty-third family: kernels of half a year's practice, and their usual mistakes.

Its bases are the middle of two arrays of halves, a step of descent with weight decay, float to
bfloat16, halves to bytes with a sign, GELU by the error function, what is beyond a limit, a
weighted mean, sums of absolute values of rows, the least of an array and its first place, a
quarter turn of a grey picture, a matrix and the product of two vectors, a layer of bfloat16
with a bias, softmax with the logarithm of each row's sum, and layer norm of bfloat16. They have
14 to 50 lines, and are of people with half a year of CUDA: two who handle pictures, one who
trains networks, two who save memory, readers of a model's code and of a paper, one who removes
noise, one who counts votes, one who has just met shuffles, a reader of thermometers, a user of
a library for matrices, a student, and a numerical analyst. They use half2 with a last number,
float4 where all addresses allow it and a loop for the rest, two words a store, bytes in a word
with threads for the rest, a loop over the grid, one number a thread, two kernels with parts
between them, eight warps a row, one block for all with values and places by shuffles, a tile of
bytes, rows by a loop over the grid with a factor in shared memory, tiles of 16, a maximum and a
sum that grow together with a tree of pairs, and Welford's mean with a warp a row. Their
mistakes are spread over alignment, sizes, grids, values, rounding, NaN and overflow, inputs
that are written, sums, transposes, products, order, streams and what is left of an earlier
call. The causes were written before a member was judged. On the emulator each ran beside
PyTorch, compared as a case does, called twice on the same tensors, once each with NaN and 1e3
in floating outputs and with tensors at either end of their pages, inputs that cannot be written
in one of both, on a stream that is not the default one, with the threads in order; bases and
right ones also with threads in a random order and, but for mid, shrink and layer, at a hundred
other sizes or so; those of shrink also of 16,842,753 numbers. nvcc 13.0 compiles each for 8.0,
all members of a base in one file; none was run on a GPU. Bases and right ones are right, and
all wrong ones but one wrong or refused by a fault:

    fiftythree_mid_b_anywhere           from 2 numbers on, by the address of b
    fiftythree_mid_half_sum             if the sum of two in a pair is beyond 65,504
    fiftythree_mid_pairs_down           of 1 number; of odd counts whose pairs fill blocks
    fiftythree_mid_cut_off              if the middle is no half, but of the last of odd counts
    fiftythree_mid_first_again          from 2 numbers on, unless both of b are equal
    fiftythree_sgd_sum_of_addresses     of slices whose addresses together are a multiple of 16
    fiftythree_sgd_one_of_rest          if 4 leaves 2 or 3, and all begin at multiples of 16
    fiftythree_sgd_no_loop              from 10,244 numbers on, if all begin at multiples of 16
    fiftythree_sgd_moves_weights        from 4 numbers on: w is overwritten
    fiftythree_sgd_decay_first          unless both are equal
    fiftythree_shrink_upper_first       from 4 numbers on
    fiftythree_shrink_by_bits           of some NaNs, from 4 numbers on
    fiftythree_shrink_65535_blocks      from 16,776,961 numbers on, in blocks of 64 threads
    fiftythree_shrink_always_three      if 4 leaves 1 or 2 of the count
    fiftythree_shrink_result_as_pairs   from 4 numbers on, by the address of y
    fiftythree_tobyte_sign_spreads      if the second of four is below 0
    fiftythree_tobyte_no_upper_limit    from 127.5 on
    fiftythree_tobyte_ties_away         of ties whose even number is nearer to 0
    fiftythree_tobyte_half_product      if the scale or the product is no half, near a tie
    fiftythree_tobyte_rounded_packs     of 251, 254, 255 numbers, and of 256 more, and so on
    fiftythree_gelu_no_stream           on another stream than the default one
    fiftythree_gelu_root_of_two         unless the number is 0, or far from 0
    fiftythree_gelu_by_tanh             of numbers that are neither near to 0 nor far from it
    fiftythree_gelu_blocks_of_128       from 385 numbers on
    fiftythree_gelu_scratch_in_x        always: x is written, and is as before when all is done
    fiftythree_limit_stays_outside      of what is outside, unless the limit is 0
    fiftythree_limit_nan_between        of NaN
    fiftythree_limit_above_alone        below 0, unless the limit is 0
    fiftythree_limit_short_blocks       from 65,536 blocks on
    fiftythree_limit_first_limit        if the first call had another limit
    fiftythree_wmean_one_part_a_lane    from 4,097 numbers on
    fiftythree_wmean_parts_grow         from a second call on, unless the mean is the same
    fiftythree_wmean_no_barrier         where threads do not wait for another
    fiftythree_wmean_half_sums          if a sum on the way is no half
    fiftythree_wmean_own_width          from 129 numbers on
    fiftythree_rowabs_of_the_sum        from 257 columns on, if a thread has both signs
    fiftythree_rowabs_four_warps        from 129 columns on
    fiftythree_rowabs_half_mask         always
    fiftythree_rowabs_short_sums        if a warp's sum is no bfloat16
    fiftythree_coldest_ten_thousand     if all numbers are above 10,000
    fiftythree_coldest_last_of_thread   if the least comes again, 256 places apart
    fiftythree_coldest_any_of_lanes     if the least is there more than once, in two lanes
    fiftythree_coldest_no_barrier       from 33 numbers on, where warps do not wait for another
    fiftythree_coldest_whole_degrees    of numbers with a fraction, and of infinities
    fiftythree_rotate_transpose         from 2 rows on
    fiftythree_rotate_old_pitch         unless the picture is square
    fiftythree_rotate_no_barrier        where threads do not wait for another
    fiftythree_rotate_from_length       always
    fiftythree_rotate_four_lines        from 5 rows or columns on
    fiftythree_outer_rows_in_y          from 65,536 rows on
    fiftythree_outer_y_first            unless x and y are equal
    fiftythree_outer_stream_zero        on another stream than the default one
    fiftythree_outer_second_barrier     from 41 rows on, where threads do not wait for another
    fiftythree_outer_added              unless 0 was there
    fiftythree_layer_bias_of_row        from 2 rows or columns on
    fiftythree_layer_whole_tiles        if 16 does not divide the terms
    fiftythree_layer_first_barrier      where threads do not wait for another
    fiftythree_layer_rounded_before     if the product is no bfloat16, or the bias is none
    fiftythree_layer_pitch_of_a         from 2 terms on, unless there are as many columns
    fiftythree_softlog_log_of_sum       unless the largest number is 0
    fiftythree_softlog_own_sum_stays    from 2 columns on, if maxima of threads differ
    fiftythree_softlog_tree_no_barrier  from 3 columns on, where threads do not wait for another
    fiftythree_softlog_from_minus_50    of rows that are far below -50
    fiftythree_softlog_own_maximum      from 2 columns on
    fiftythree_warpnorm_old_difference  from 2 columns on, unless all are equal
    fiftythree_warpnorm_equal_means     if means of lanes differ
    fiftythree_warpnorm_gamma_of_lane   from 33 columns on
    fiftythree_warpnorm_own_eps         unless eps is 1e-5, or far below the variance
    fiftythree_warpnorm_any_row         unless 4 divides the rows

One is right on the emulator, and wrong by reasoning:

    fiftythree_rowabs_no_atomic         where two warps add to the sum at the same time
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

# A maker of pictures: the middle between two pictures of halves, two numbers a thread.
MID = (
    HEADER
    + """\
__global__ void middle(const half* a, const half* b, half* out, int64_t n) {
  int64_t i = 2 * ((int64_t)blockIdx.x * blockDim.x + threadIdx.x);
  if (i + 1 < n) {
    float2 p = __half22float2(*(const half2*)(a + i));
    float2 q = __half22float2(*(const half2*)(b + i));
    *(half2*)(out + i) = __floats2half2_rn(0.5f * (p.x + q.x), 0.5f * (p.y + q.y));
  } else if (i < n) {
    out[i] = __float2half(0.5f * (__half2float(a[i]) + __half2float(b[i])));
  }
}

extern "C" void launch(const half* a,  // [n] 4-byte aligned
                       const half* b,  // [n] 4-byte aligned
                       half* out,      // [n] 4-byte aligned
                       int64_t n, int block_size = 256, cudaStream_t stream = 0) {
  int64_t pairs = (n + 1) / 2;
  middle<<<(pairs + block_size - 1) / block_size, block_size, 0, stream>>>(a, b, out, n);
}
"""
)

# One who trains: a step of descent with weight decay, by float4 where all addresses allow it.
SGD = (
    HEADER
    + """\
__device__ float step(float w, float g, float lr, float decay) {
    return w - lr * (g + decay * w);
}

__global__ void descend(const float* w, const float* g, float* out, float lr, float decay,
                        int n) {
    int first = blockIdx.x * blockDim.x + threadIdx.x;
    int stride = gridDim.x * blockDim.x;
    bool packs = ((uintptr_t)w % 16 | (uintptr_t)g % 16 | (uintptr_t)out % 16) == 0;
    int quads = packs ? n / 4 : 0;
    for (int q = first; q < quads; q += stride) {
        float4 a = ((const float4*)w)[q];
        float4 b = ((const float4*)g)[q];
        a.x = step(a.x, b.x, lr, decay);
        a.y = step(a.y, b.y, lr, decay);
        a.z = step(a.z, b.z, lr, decay);
        a.w = step(a.w, b.w, lr, decay);
        ((float4*)out)[q] = a;
    }
    for (int i = 4 * quads + first; i < n; i += stride) out[i] = step(w[i], g[i], lr, decay);
}

extern "C" void launch(const float* w,  // [n]
                       const float* g,  // [n]
                       float* out,      // [n]
                       float lr, float decay, int n, cudaStream_t stream = 0) {
    int blocks = (n + 511) / 512;
    if (blocks > 20) blocks = 20;
    descend<<<blocks, 128, 0, stream>>>(w, g, out, lr, decay, n);
}
"""
)

# One who saves memory: float to bfloat16, four numbers a thread, two words a store.
SHRINK = (
    HEADER
    + """\
__device__ unsigned pack(float low, float high)
{
    __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
    return *(unsigned *)&pair;
}

__global__ void shrink(const float *x, __nv_bfloat16 *y, int64_t n)
{
    int64_t i = 4 * ((int64_t)blockIdx.x * blockDim.x + threadIdx.x);
    if (i + 4 <= n) {
        float4 v = *(const float4 *)(x + i);
        *(uint2 *)(y + i) = make_uint2(pack(v.x, v.y), pack(v.z, v.w));
    } else {
        for (int k = 0; k < 4 && i + k < n; k++)
            y[i + k] = __float2bfloat16(x[i + k]);
    }
}

extern "C" void launch(const float *x,    // [n] 16-byte aligned
                       __nv_bfloat16 *y,  // [n] 8-byte aligned
                       int64_t n, int block_size = 64, cudaStream_t stream = 0)
{
    int64_t blocks = (n + 4 * block_size - 1) / (4 * block_size);
    shrink<<<blocks, block_size, 0, stream>>>(x, y, n);
}
"""
)

# One who makes models small: halves to bytes with a sign, four in a word, threads for the rest.
TOBYTE = (
    HEADER
    + """\
__device__ int to_byte(half x, float scale) {
  float v = rintf(__half2float(x) * scale);
  v = fminf(fmaxf(v, -128.0f), 127.0f);
  return (int)v;
}

__global__ void to_bytes(const half* x, int8_t* y, float scale, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int quads = n / 4;
  if (i < quads) {
    const half* from = x + 4 * i;
    unsigned word = to_byte(from[0], scale) & 255;
    word |= (to_byte(from[1], scale) & 255) << 8;
    word |= (to_byte(from[2], scale) & 255) << 16;
    word |= (unsigned)to_byte(from[3], scale) << 24;
    ((unsigned*)y)[i] = word;
  } else {
    int k = 4 * quads + (i - quads);
    if (k < n) y[k] = to_byte(x[k], scale);
  }
}

extern "C" void launch(const half* x,  // [n]
                       int8_t* y,      // [n] 4-byte aligned
                       float scale, int n, cudaStream_t stream = 0) {
  int threads = n / 4 + n % 4;
  to_bytes<<<(threads + 63) / 64, 64, 0, stream>>>(x, y, scale, n);
}
"""
)

# A reader of a language model's code: GELU by the error function, by a loop over the grid.
GELU = (
    HEADER
    + """\
__device__ float gelu(float x) { return 0.5f * x * (1.0f + erff(x * 0.70710678f)); }

__global__ void gelus(const float* x, float* y, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        y[i] = gelu(x[i]);
    }
}

extern "C" void launch(const float* x,  // [n]
                       float* y,        // [n]
                       int n, cudaStream_t stream = 0) {
    int blocks = min((n + 255) / 256, 48);
    gelus<<<blocks, 256, 0, stream>>>(x, y, n);
}
"""
)

# One who removes noise: what is beyond a limit, less the limit; a half a thread.
SHRINKAGE = (
    HEADER
    + """\
__global__ void soft_shrink(const half *x, half *y, float limit, int64_t n)
{
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float v = __half2float(x[i]);
    float inside = fminf(fmaxf(v, -limit), limit);
    y[i] = __float2half(v - inside);
}

extern "C" void launch(const half *x,  // [n]
                       half *y,        // [n]
                       float limit, int64_t n, int block_size = 128, cudaStream_t stream = 0)
{
    unsigned blocks = (n + block_size - 1) / block_size;
    soft_shrink<<<blocks, block_size, 0, stream>>>(x, y, limit, n);
}
"""
)

# One who counts votes: a weighted mean by two kernels, the second of which is one warp.
WMEAN = (
    HEADER
    + """\
#define T 128
#define MAX_BLOCKS 64

__device__ float parts_a[MAX_BLOCKS], parts_b[MAX_BLOCKS];

__global__ void sum_parts(const float* x, const float* w, int n) {
    __shared__ float a[T], b[T];
    int t = threadIdx.x;
    a[t] = b[t] = 0.0f;
    for (int i = blockIdx.x * T + t; i < n; i += gridDim.x * T) {
        a[t] += w[i] * x[i];
        b[t] += w[i];
    }
    __syncthreads();
    for (int k = T / 2; k > 0; k /= 2) {
        if (t < k) {
            a[t] += a[t + k];
            b[t] += b[t + k];
        }
        __syncthreads();
    }
    if (t == 0) {
        parts_a[blockIdx.x] = a[0];
        parts_b[blockIdx.x] = b[0];
    }
}

__global__ void divide(float* out, int count) {
    float a = 0.0f, b = 0.0f;
    for (int k = threadIdx.x; k < count; k += 32) {
        a += parts_a[k];
        b += parts_b[k];
    }
    for (int d = 16; d > 0; d /= 2) {
        a += __shfl_down_sync(0xffffffffu, a, d);
        b += __shfl_down_sync(0xffffffffu, b, d);
    }
    if (threadIdx.x == 0) *out = a / b;
}

extern "C" void launch(const float* x,  // [n]
                       const float* w,  // [n]
                       float* out,      // [1]
                       int n, cudaStream_t stream = 0) {
    int blocks = (n + T - 1) / T;
    if (blocks > MAX_BLOCKS) blocks = MAX_BLOCKS;
    sum_parts<<<blocks, T, 0, stream>>>(x, w, n);
    divide<<<1, 32, 0, stream>>>(out, blocks);
}
"""
)

# One who has just met shuffles: sums of absolute values of rows of bfloat16, eight warps a row.
ROWABS = (
    HEADER
    + """\
__device__ float warp_sum(float s) {
  for (int d = 16; d > 0; d >>= 1) s += __shfl_down_sync(0xffffffffu, s, d);
  return s;
}

__global__ void row_abs(const __nv_bfloat16* x, float* out, int cols) {
  __shared__ float sums[8];
  int lane = threadIdx.x % 32;
  int warp = threadIdx.x / 32;
  const __nv_bfloat16* row = x + (size_t)blockIdx.x * cols;
  float s = 0.0f;
  for (int c = threadIdx.x; c < cols; c += 256) s += fabsf(__bfloat162float(row[c]));
  s = warp_sum(s);
  if (lane == 0) sums[warp] = s;
  __syncthreads();
  if (warp == 0) {
    float total = lane < 8 ? sums[lane] : 0.0f;
    total = warp_sum(total);
    if (lane == 0) out[blockIdx.x] = total;
  }
}

extern "C" void launch(const __nv_bfloat16* x,  // [rows, cols]
                       float* out,              // [rows]
                       int rows, int cols, cudaStream_t stream = 0) {
  row_abs<<<rows, 256, 0, stream>>>(x, out, cols);
}
"""
)

# A reader of thermometers: the least number of an array and its first place, in one block.
COLDEST = (
    HEADER
    + """\
__device__ bool colder(float v, int at, float other, int other_at)
{
    return v < other || (v == other && at < other_at);
}

__global__ void coldest(const float *x, float *value, int *place, int n)
{
    __shared__ float values[8];
    __shared__ int places[8];
    float best = INFINITY;
    int at = n;
    for (int i = threadIdx.x; i < n; i += 256) {
        float v = x[i];
        if (v < best || at == n) {
            best = v;
            at = i;
        }
    }
    for (int d = 16; d > 0; d /= 2) {
        float v = __shfl_down_sync(0xffffffffu, best, d);
        int p = __shfl_down_sync(0xffffffffu, at, d);
        if (colder(v, p, best, at)) {
            best = v;
            at = p;
        }
    }
    if (threadIdx.x % 32 == 0) {
        values[threadIdx.x / 32] = best;
        places[threadIdx.x / 32] = at;
    }
    __syncthreads();
    if (threadIdx.x > 0)
        return;
    for (int k = 1; k < 8; k++) {
        if (colder(values[k], places[k], best, at)) {
            best = values[k];
            at = places[k];
        }
    }
    *value = best;
    *place = at;
}

extern "C" void launch(const float *x,  // [n]
                       float *value,    // [1]
                       int *place,      // [1]
                       int n, cudaStream_t stream = 0)
{
    coldest<<<1, 256, 0, stream>>>(x, value, place, n);
}
"""
)

# An amateur of pictures: a grey one, turned to the right by a quarter, by tiles.
ROTATE = (
    HEADER
    + """\
__global__ void rotate(const uint8_t *in, uint8_t *out, int rows, int cols)
{
    __shared__ uint8_t tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x;
    for (int j = threadIdx.y; j < 32; j += 8) {
        int y = blockIdx.y * 32 + j;
        if (y < rows && x < cols)
            tile[j][threadIdx.x] = in[(size_t)y * cols + x];
    }
    __syncthreads();
    int from = blockIdx.y * 32 + threadIdx.x;
    for (int j = threadIdx.y; j < 32; j += 8) {
        int line = blockIdx.x * 32 + j;
        if (line < cols && from < rows)
            out[(size_t)line * rows + (rows - 1 - from)] = tile[threadIdx.x][j];
    }
}

extern "C" void launch(const uint8_t *in,  // [rows, cols]
                       uint8_t *out,       // [cols, rows]
                       int rows, int cols, cudaStream_t stream = 0)
{
    dim3 grid((cols + 31) / 32, (rows + 31) / 32);
    rotate<<<grid, dim3(32, 8), 0, stream>>>(in, out, rows, cols);
}
"""
)

# A user of a library for matrices: a + alpha * x * y^T, a block for parts of several rows.
OUTER = (
    HEADER
    + """\
__global__ void add_outer(const float* a, const float* x, const float* y, float* out,
                          float alpha, int rows, int cols) {
  __shared__ float factor;
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  for (int r = blockIdx.y; r < rows; r += gridDim.y) {
    if (threadIdx.x == 0) factor = alpha * x[r];
    __syncthreads();
    if (c < cols) {
      size_t at = (size_t)r * cols + c;
      out[at] = a[at] + factor * y[c];
    }
    __syncthreads();
  }
}

extern "C" void launch(const float* a,  // [rows, cols]
                       const float* x,  // [rows]
                       const float* y,  // [cols]
                       float* out,      // [rows, cols]
                       float alpha, int rows, int cols, cudaStream_t stream = 0) {
  dim3 grid((cols + 63) / 64, min(rows, 40));
  add_outer<<<grid, 64, 0, stream>>>(a, x, y, out, alpha, rows, cols);
}
"""
)

# A student of deep learning: a product of matrices of bfloat16 and a bias, by tiles of 16.
LAYER = (
    HEADER
    + """\
#define S 16
typedef __nv_bfloat16 bf16;

__global__ void layer(const bf16* a, const bf16* b, const float* bias, bf16* c, int m, int n,
                      int k) {
    __shared__ float p[S][S], q[S][S];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * S + ty;
    int col = blockIdx.x * S + tx;
    float sum = 0.0f;
    int steps = (k + S - 1) / S;
    for (int s = 0; s < steps; s++) {
        int ka = s * S + tx;
        int kb = s * S + ty;
        p[ty][tx] = row < m && ka < k ? __bfloat162float(a[(size_t)row * k + ka]) : 0.0f;
        q[ty][tx] = kb < k && col < n ? __bfloat162float(b[(size_t)kb * n + col]) : 0.0f;
        __syncthreads();
        for (int i = 0; i < S; i++) sum += p[ty][i] * q[i][tx];
        __syncthreads();
    }
    if (row < m && col < n) c[(size_t)row * n + col] = __float2bfloat16(sum + bias[col]);
}

extern "C" void launch(const __nv_bfloat16* a,  // [m, k]
                       const __nv_bfloat16* b,  // [k, n]
                       const float* bias,       // [n]
                       __nv_bfloat16* c,        // [m, n]
                       int m, int n, int k, cudaStream_t stream = 0) {
    dim3 grid((n + S - 1) / S, (m + S - 1) / S);
    layer<<<grid, dim3(S, S), 0, stream>>>(a, b, bias, c, m, n, k);
}
"""
)

# A reader of a paper on attention: softmax in one pass, with the logarithm of each row's sum.
SOFTLOG = (
    HEADER
    + """\
#define T 64

__global__ void softmax(const float *x, float *y, float *logs, int cols)
{
    __shared__ float tops[T], sums[T];
    int t = threadIdx.x;
    size_t start = (size_t)blockIdx.x * cols;
    float m = -FLT_MAX, s = 0.0f;
    for (int c = t; c < cols; c += T) {
        float v = x[start + c];
        float top = fmaxf(m, v);
        s = s * expf(m - top) + expf(v - top);
        m = top;
    }
    tops[t] = m;
    sums[t] = s;
    __syncthreads();
    for (int k = T / 2; k > 0; k /= 2) {
        if (t < k) {
            float top = fmaxf(tops[t], tops[t + k]);
            sums[t] = sums[t] * expf(tops[t] - top) + sums[t + k] * expf(tops[t + k] - top);
            tops[t] = top;
        }
        __syncthreads();
    }
    m = tops[0];
    s = sums[0];
    for (int c = t; c < cols; c += T)
        y[start + c] = expf(x[start + c] - m) / s;
    if (t == 0)
        logs[blockIdx.x] = m + logf(s);
}

extern "C" void launch(const float *x,  // [rows, cols]
                       float *y,        // [rows, cols]
                       float *logs,     // [rows]
                       int rows, int cols, cudaStream_t stream = 0)
{
    softmax<<<rows, T, 0, stream>>>(x, y, logs, cols);
}
"""
)

# A numerical analyst: layer norm of bfloat16 with Welford's mean, a warp a row, four a block.
WARPNORM = (
    HEADER
    + """\
__global__ void norm(const __nv_bfloat16* x, const float* gamma, const float* beta,
                     __nv_bfloat16* y, float eps, int rows, int cols) {
  int lane = threadIdx.x;
  int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  const __nv_bfloat16* in = x + (size_t)row * cols;
  float mean = 0.0f, m2 = 0.0f, count = 0.0f;
  for (int c = lane; c < cols; c += 32) {
    float v = __bfloat162float(in[c]);
    count += 1.0f;
    float d = v - mean;
    mean += d / count;
    m2 += d * (v - mean);
  }
  for (int k = 16; k > 0; k /= 2) {
    float other_mean = __shfl_xor_sync(0xffffffffu, mean, k);
    float other_m2 = __shfl_xor_sync(0xffffffffu, m2, k);
    float other_count = __shfl_xor_sync(0xffffffffu, count, k);
    float all = count + other_count;
    float d = other_mean - mean;
    if (all > 0.0f) {
      mean = (count * mean + other_count * other_mean) / all;
      m2 += other_m2 + d * d * (count * other_count / all);
    }
    count = all;
  }
  float factor = rsqrtf(m2 / cols + eps);
  for (int c = lane; c < cols; c += 32) {
    float v = (__bfloat162float(in[c]) - mean) * factor;
    y[(size_t)row * cols + c] = __float2bfloat16(v * gamma[c] + beta[c]);
  }
}

extern "C" void launch(const __nv_bfloat16* x,  // [rows, cols]
                       const float* gamma,      // [cols]
                       const float* beta,       // [cols]
                       __nv_bfloat16* y,        // [rows, cols]
                       float eps, int rows, int cols, cudaStream_t stream = 0) {
  norm<<<(rows + 3) / 4, dim3(32, 4), 0, stream>>>(x, gamma, beta, y, eps, rows, cols);
}
"""
)

NAN, INF = float("nan"), float("inf")
LENGTHS = (*range(1, 10), 15, 16, 17, *range(31, 36), *range(63, 71), 95, 96, 97, 127, 128, 129)
LENGTHS += (255, 256, 257, 258, 385, 511, 512, 514, 1000, 1023, 1026, 2048, 2051, 4097, 5003)
SIDES = ((1, 1), (1, 3), (2, 3), (5, 31), (4, 32), (9, 33), (33, 9), (3, 64), (64, 3), (7, 98))
SIDES += ((70, 2), (2, 1000), (1, 4099), (66, 70), (130, 5), (50, 40), (32, 32), (16, 48))


def same(x: torch.Tensor) -> torch.Tensor:
    """Return the numbers themselves."""
    return x.clone()


def middles(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Return what lies in the middle of two numbers."""
    return (a + b) / 2


def steps(launcher: Launcher) -> Iterator[Case]:
    """Make steps of whole numbers with powers of 2, so that all is exact; NaN, and slices."""
    for n in (*LENGTHS, 10_241, 12_003):
        w, g = (8.0 * whole(-99, 100, n, 2 * n + k).float() for k in range(2))
        hole = torch.where(torch.arange(n) % 3 == 1, NAN, g)
        options = {"dtypes": (torch.float32,), "quick": n > 5000}
        for lr, decay in ((1.0, 0.0), (0.5, 0.25), (0.125, 2.0)):
            for label, p in (("whole", g), ("NaN", hole)):
                right = w.double() - lr * (p.double() + decay * w.double()) + 0.0
                words = f"n = {n:,}, lr = {lr}, decay = {decay}, {label}"
                scalars = {"lr": lr, "decay": decay}
                yield Case(words, (w, p), (right,), scalars, **options)
                if n > 300 or label != "whole" or decay != 0.25:
                    continue
                for offsets in (
                    (1, 1, 1),
                    (4, 4, 4),
                    (1, 4, 4),
                    (4, 1, 4),
                    (4, 4, 2),
                    (1, 3, 4),
                ):
                    words = f"n = {n:,}, slices from {offsets}"
                    yield Case(words, (w, p), (right,), scalars, offset=offsets, **options)


def to_bytes(launcher: Launcher) -> Iterator[Case]:
    """Make bytes: of usual numbers, fine ones, ties, around both limits, and infinities."""
    for n in (*LENGTHS, 10_001):
        x, k = whole(-999, 1000, n, n).float(), torch.arange(n)
        for label, scale, y in (
            ("usual", 8.0, x / 64),
            ("fine", 12.34, x / 100),
            ("positive", 4.0, x.abs() / 64),
            ("ties", 1.0, x.remainder(200) - 99.5),
            ("around the limits", 2.0, torch.sign(x) * 63.5 + x / 1024),
            ("far beyond", 100.0, x * 60),
            ("infinities", 0.5, torch.where(k % 2 == 0, INF, -INF)),
        ):
            y = (y + 0.0).half()
            factor = torch.tensor(scale).double()
            right = (y.float() * factor.float()).double().round().clamp(-128, 127) + 0.0
            options = {"dtypes": (torch.int8,), "quick": n > 5000}
            yield Case(
                f"n = {n:,}, scale = {scale}, {label}",
                (y,),
                (right,),
                {"scale": scale},
                **options,
            )


def gelus(launcher: Launcher) -> Iterator[Case]:
    """Take GELU: of usual numbers, around 0, far above and below, and of NaN."""
    for n in (*LENGTHS, 12_289, 30_001):
        x, k = whole(-999, 1000, n, n).float() / 200, torch.arange(n)
        for label, y in (
            ("usual", x),
            ("small", x / 4096),
            ("large", x * 50),
            ("NaN", torch.where(k % 3 == 1, NAN, x)),
        ):
            z = y.double()
            right = 0.5 * z * (1 + torch.erf(z * 0.5**0.5))
            slack = (2.0**-20 * right.abs() + 2.0**-22 * z.abs()).nan_to_num(0.0)
            options = {"dtypes": (torch.float32,), "within": (slack,), "quick": n > 10_000}
            yield Case(f"n = {n:,}, {label}", (y,), (right,), **options)


def shrinkages(launcher: Launcher) -> Iterator[Case]:
    """Shrink: usual numbers, small and large ones, NaN and infinities, in several blocks."""
    for n in (*LENGTHS, 2_097_252):
        x, k = whole(-999, 1000, n, n).float() / 256, torch.arange(n)
        strange = torch.where(k % 3 == 1, NAN, torch.where(k % 5 == 1, INF, -INF))
        for label, limit, y in (
            ("usual", 0.5, x),
            ("small", 0.25, x / 64),
            ("large", 1.5, x * 4096),
            ("no limit", 0.0, x),
            ("NaN and infinities", 0.5, strange),
        ):
            y = (y + 0.0).half()
            z = y.double()
            right = torch.where(z.abs() <= limit, 0.0, z - torch.sign(z) * limit)
            options = {"dtypes": (torch.float16,), "quick": n > 10_000}
            for block_size in (32,) if n > 10_000 else (128, 32):
                if n > 10_000 and label != "usual":
                    continue
                scalars = {"limit": limit, "block_size": block_size}
                words = f"n = {n:,}, limit = {limit}, block_size = {block_size}, {label}"
                yield Case(words, (y,), (right,), scalars, **options)


def means(launcher: Launcher) -> Iterator[Case]:
    """Take weighted means of whole numbers, so that both sums are exact; only the last, too."""
    for n in (*LENGTHS, 8193, 20_001, 9, 300):
        x, w = whole(-99, 100, n, n).float(), whole(1, 9, n, n + 1).float()
        k = torch.arange(n)
        for label, p, q in (
            ("any", x, w),
            ("positive", x.abs() + 1, w),
            ("equal weights", x, w * 0 + 1),
            ("the last one weighs", x, torch.where(k == n - 1, 4.0, 0.0)),
            ("rising", k % 500 + 1.0, w),
        ):
            total = (p.double() * q.double()).sum() / q.double().sum()
            right = total.reshape(1) + 0.0
            options = {"dtypes": (torch.float32,), "quick": n > 10_000, "ulp": 1}
            yield Case(f"n = {n:,}, {label}", (p, q), (right,), **options)


def absolute_sums(launcher: Launcher) -> Iterator[Case]:
    """Add absolute values of whole numbers, so that sums are exact; also only the last one."""
    for rows, cols in (*SIDES, (3, 129), (2, 255), (5, 300)):
        n = rows * cols
        x = whole(-99, 100, n, n).reshape(rows, cols).float()
        c = torch.arange(cols)
        for label, y in (
            ("any", x),
            ("positive", x.abs() + 1),
            ("negative", -x.abs() - 1),
            ("the last column", torch.where(c == cols - 1, -9.0, 0.0) + 0 * x),
        ):
            y = (y + 0.0).bfloat16()
            right = y.double().abs().sum(1)
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y,), (right,), dtypes=(torch.float32,))


def coldest(launcher: Launcher) -> Iterator[Case]:
    """Find the least number: of usual ones, few values, all equal, far above 0, and one."""
    for n in (*LENGTHS, 40_000):
        x, k = whole(-9999, 10_000, n, n).float() / 16, torch.arange(n)
        for label, y in (
            ("usual", x),
            ("few values", (x * 16) % 5 - 2),
            ("all equal", x * 0 + 2.5),
            ("far above 0", x.abs() + 20_000),
            ("far below 0", -x.abs() - 20_000),
            ("all infinite", x * 0 + INF),
            ("the last one", torch.where(k == n - 1, -700.0, x)),
            ("one is least", torch.where(k == 5 * n // 7, -700.0, x)),
        ):
            y = y + 0.0
            least = y.amin().reshape(1)
            first = torch.where(y == least, k, n).amin().reshape(1)
            options = {"dtypes": (torch.float32, torch.int32), "quick": n > 20_000}
            yield Case(f"n = {n:,}, {label}", (y,), (least, first), **options)


def quarters(launcher: Launcher) -> Iterator[Case]:
    """Turn pictures: small, thin, long and square ones, of any bytes and of rising ones."""
    for rows, cols in (*SIDES, (33, 31), (31, 33), (48, 16), (64, 64)):
        n = rows * cols
        for label, x in (("any", whole(0, 256, n, n)), ("rising", torch.arange(n) % 251)):
            x = x.to(torch.uint8).reshape(rows, cols)
            right = torch.rot90(x, -1).contiguous()
            words = f"rows = {rows}, cols = {cols:,}, {label}"
            yield Case(words, (x,), (right,), dtypes=(torch.uint8,))


def outers(launcher: Launcher) -> Iterator[Case]:
    """Add products of whole numbers, so that all is exact: thin, long and square matrices."""
    for rows, cols in (*SIDES, (41, 65), (40, 63), (100, 129), (66_000, 2)):
        n = rows * cols
        a = whole(-999, 1000, n, n).float().reshape(rows, cols)
        x, y = whole(-30, 31, rows, n + 1).float(), whole(-30, 31, cols, n + 2).float()
        for alpha in (1.0, -0.5, 3.0):
            right = a.double() + alpha * x.double()[:, None] * y.double() + 0.0
            words = f"rows = {rows:,}, cols = {cols:,}, alpha = {alpha}"
            options = {"dtypes": (torch.float32,), "quick": n > 10_000}
            yield Case(words, (a, x, y), (right,), {"alpha": alpha}, **options)


def layers(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole numbers and add a bias, so that only the result is rounded."""
    sides = (
        (1, 1, 1),
        (3, 5, 7),
        (16, 16, 16),
        (33, 17, 40),
        (2, 50, 3),
        (70, 1, 9),
        (1, 70, 33),
    )
    for m, n, k in (
        *sides,
        (15, 17, 16),
        (17, 31, 15),
        (9, 4, 300),
        (48, 32, 20),
        (5, 6, 1025),
    ):
        a = whole(-12, 13, m * k, m + k).reshape(m, k).float()
        b = whole(-12, 13, k * n, n + k).reshape(k, n).float()
        bias = whole(-99, 100, n, n).float() / 4 + 0.125
        terms = torch.arange(k)
        for label, p, q in (
            ("whole", a, b),
            ("positive", a.abs() + 1, b.abs() + 1),
            ("the last term", torch.where(terms == k - 1, a, 0.0), b),
        ):
            p, q = (p + 0.0).bfloat16(), q.bfloat16()
            right = p.double() @ q.double() + bias.double() + 0.0
            words = f"m = {m}, n = {n}, k = {k:,}, {label}"
            yield Case(words, (p, q, bias), (right,), dtypes=(torch.bfloat16,))


def softmaxes(launcher: Launcher) -> Iterator[Case]:
    """Take shares: of usual rows, far off 0, far apart, rising, falling, with -infinity."""
    for rows, cols in (*SIDES, (301, 2)):
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
            ("falling", x * 0 - c % 200 / 16),
            ("some -infinity", torch.where((c % 3 == 0) & (c < cols - 1), -INF, x)),
        ):
            z = y.double()
            right, logs = z.softmax(1), z.logsumexp(1)
            slack = 2.0**-13 * right + 2.0**-40, 2.0**-20 * (logs.abs() + 1)
            options = {"dtypes": (torch.float32,) * 2, "within": slack}
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y.contiguous(),), (right, logs), **options)


def norms(launcher: Launcher) -> Iterator[Case]:
    """Norm rows: usual ones, far off 0, small beside eps, equal ones, and one that is not 0."""
    for rows, cols in SIDES:
        n = rows * cols
        x = whole(-99, 100, n, n).float().reshape(rows, cols) / 32
        gamma = whole(8, 65, cols, n + 1).float() / 32
        beta = whole(-64, 65, cols, n + 2).float() / 32
        c = torch.arange(cols)
        for label, p in (
            ("usual", x),
            ("far off 0", x * 4 + 100),
            ("small", x / 256),
            ("equal", x * 0 + 3),
            ("one number", torch.where(c == cols // 2, 3.0, 0.0) + x * 0),
        ):
            p = p.bfloat16()
            for eps in (1e-5, 0.5):
                z = p.double()
                mean, var = z.mean(1, keepdim=True), z.var(1, keepdim=True, unbiased=False)
                scaled = (z - mean) / (var + eps).sqrt() * gamma.double()
                right = scaled + beta.double()
                off = 2.0**-20 * z.abs().amax(1, keepdim=True) / (var + eps).sqrt()
                slack = 2.0**-16 * (scaled.abs() + 1) + off * gamma.double()
                slack = slack + 2.0**-8 * right.abs()
                options = {"dtypes": (torch.bfloat16,), "within": (slack,)}
                words = f"rows = {rows}, cols = {cols:,}, eps = {eps}, {label}"
                yield Case(words, (p, gamma, beta), (right,), {"eps": eps}, **options)


BASES = {
    "fiftythree_mid": Base(MID, {"reference": middles}),
    "fiftythree_sgd": Base(SGD, {"cases": steps}),
    "fiftythree_shrink": Base(SHRINK, {"reference": same}),
    "fiftythree_tobyte": Base(TOBYTE, {"cases": to_bytes}),
    "fiftythree_gelu": Base(GELU, {"cases": gelus}),
    "fiftythree_limit": Base(SHRINKAGE, {"cases": shrinkages}),
    "fiftythree_wmean": Base(WMEAN, {"cases": means}),
    "fiftythree_rowabs": Base(ROWABS, {"cases": absolute_sums}),
    "fiftythree_coldest": Base(COLDEST, {"cases": coldest}),
    "fiftythree_rotate": Base(ROTATE, {"cases": quarters}),
    "fiftythree_outer": Base(OUTER, {"cases": outers}),
    "fiftythree_layer": Base(LAYER, {"cases": layers}),
    "fiftythree_softlog": Base(SOFTLOG, {"cases": softmaxes}),
    "fiftythree_warpnorm": Base(WARPNORM, {"cases": norms}),
}

WRONG = (
    # ---- the middle of two
    # b may lie anywhere, and is read in pairs.
    Wrong(
        "fiftythree_mid_b_anywhere",
        "fiftythree_mid",
        "alignment",
        ("const half* b,  // [n] 4-byte aligned", "const half* b,  // [n]"),
    ),
    # The sum is a half.
    Wrong(
        "fiftythree_mid_half_sum",
        "fiftythree_mid",
        "infinity | whole range / numbers / rounding / precision / function",
        (
            "    float2 p = __half22float2(*(const half2*)(a + i));\n"
            "    float2 q = __half22float2(*(const half2*)(b + i));\n",
            "    half2 s = __hadd2(*(const half2*)(a + i), *(const half2*)(b + i));\n",
        ),
        (
            "__floats2half2_rn(0.5f * (p.x + q.x), 0.5f * (p.y + q.y));",
            "__hmul2(s, __float2half2_rn(0.5f));",
        ),
    ),
    # Half of the numbers, rounded down.
    Wrong(
        "fiftythree_mid_pairs_down",
        "fiftythree_mid",
        "tail / unwritten / left out / grid / refused",
        ("int64_t pairs = (n + 1) / 2;", "int64_t pairs = n / 2;"),
    ),
    # Both are cut off.
    Wrong(
        "fiftythree_mid_cut_off",
        "fiftythree_mid",
        "rounding | precision / numbers / function / subnormal",
        (
            "__floats2half2_rn(0.5f * (p.x + q.x), 0.5f * (p.y + q.y));",
            "\n"
            "        __halves2half2(__float2half_rz(0.5f * (p.x + q.x)), "
            "__float2half_rz(0.5f * (p.y + q.y)));",
        ),
    ),
    # The second of b is the first.
    Wrong(
        "fiftythree_mid_first_again",
        "fiftythree_mid",
        "neighbour / other element | numbers / function / tail",
        ("0.5f * (p.y + q.y));", "0.5f * (p.y + q.x));"),
    ),
    # ---- a step of descent
    # The sum of the addresses is asked.
    Wrong(
        "fiftythree_sgd_sum_of_addresses",
        "fiftythree_sgd",
        "alignment",
        (
            "((uintptr_t)w % 16 | (uintptr_t)g % 16 | (uintptr_t)out % 16) == 0;",
            "((uintptr_t)w + (uintptr_t)g + (uintptr_t)out) % 16 == 0;",
        ),
    ),
    # One number is left, at most.
    Wrong(
        "fiftythree_sgd_one_of_rest",
        "fiftythree_sgd",
        "tail / unwritten / left out",
        (
            "    for (int i = 4 * quads + first; i < n; i += stride) out[i] = step(w[i], "
            "g[i], lr, decay);\n",
            "    if (packs) {\n        int i = 4 * quads;\n"
            "        if (first == 0 && i < n) out[i] = step(w[i], g[i], lr, decay);\n"
            "        return;\n    }\n"
            "    for (int i = first; i < n; i += stride) out[i] = step(w[i], g[i], lr, "
            "decay);\n",
        ),
    ),
    # No loop for what a grid of 20 blocks leaves.
    Wrong(
        "fiftythree_sgd_no_loop",
        "fiftythree_sgd",
        "grid / unwritten / left out | tail / block size",
        (
            "    for (int q = first; q < quads; q += stride) {\n",
            "    int q = first;\n    if (q < quads) {\n",
        ),
    ),
    # The weights are moved, too.
    Wrong(
        "fiftythree_sgd_moves_weights",
        "fiftythree_sgd",
        "input | numbers / state / twice",
        ("descend(const float* w,", "descend(float* w,"),
        (
            "        ((float4*)out)[q] = a;\n",
            "        ((float4*)w)[q] = a;\n        ((float4*)out)[q] = a;\n",
        ),
        ("stream>>>(w, g, out,", "stream>>>((float*)w, g, out,"),
    ),
    # Decay and rate change places.
    Wrong(
        "fiftythree_sgd_decay_first",
        "fiftythree_sgd",
        "swapped / function | numbers / other element",
        ("(w, g, out, lr, decay, n);", "(w, g, out, decay, lr, n);"),
    ),
    # ---- float to bfloat16
    # The first of a pair is the upper one.
    Wrong(
        "fiftythree_shrink_upper_first",
        "fiftythree_shrink",
        "neighbour / other element / swapped | numbers / function",
        ("__floats2bfloat162_rn(low, high);", "__floats2bfloat162_rn(high, low);"),
    ),
    # By bits, as of a number, though it may be none.
    Wrong(
        "fiftythree_shrink_by_bits",
        "fiftythree_shrink",
        "nan | infinity / numbers / rounding / sign of zero",
        (
            "__device__ unsigned pack(",
            "__device__ unsigned upper(float x)\n{\n    unsigned bits = __float_as_uint(x);\n"
            "    return (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;\n}\n\n"
            "__device__ unsigned pack(",
        ),
        (
            "    __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);\n"
            "    return *(unsigned *)&pair;\n",
            "    return upper(low) | upper(high) << 16;\n",
        ),
    ),
    # As many blocks as the other sides of a grid may have.
    Wrong(
        "fiftythree_shrink_65535_blocks",
        "fiftythree_shrink",
        "grid / unwritten / left out | tail / block size",
        (
            "    shrink<<<blocks,",
            "    if (blocks > 65535)\n        blocks = 65535;\n    shrink<<<blocks,",
        ),
    ),
    # Three numbers behind the last pack, be they there or not.
    Wrong(
        "fiftythree_shrink_always_three",
        "fiftythree_shrink",
        "bounds | tail",
        ("k < 4 && i + k < n; k++)", "k < 3 && i < n; k++)"),
    ),
    # The result may lie as a pair does.
    Wrong(
        "fiftythree_shrink_result_as_pairs",
        "fiftythree_shrink",
        "alignment",
        ("// [n] 8-byte aligned", "// [n] 4-byte aligned"),
    ),
    # ---- halves to bytes
    # The sign of one byte spreads over the others.
    Wrong(
        "fiftythree_tobyte_sign_spreads",
        "fiftythree_tobyte",
        "whole range / other element / neighbour | numbers / function / sign of zero",
        (
            "word |= (to_byte(from[1], scale) & 255) << 8;",
            "word |= to_byte(from[1], scale) << 8;",
        ),
    ),
    # No upper limit.
    Wrong(
        "fiftythree_tobyte_no_upper_limit",
        "fiftythree_tobyte",
        "whole range / infinity | numbers / function",
        ("  v = fminf(fmaxf(v, -128.0f), 127.0f);\n", "  v = fmaxf(v, -128.0f);\n"),
    ),
    # Ties go away from 0.
    Wrong(
        "fiftythree_tobyte_ties_away",
        "fiftythree_tobyte",
        "rounding | numbers / function / precision",
        ("rintf(__half2float(x) * scale);", "roundf(__half2float(x) * scale);"),
    ),
    # The product is a half.
    Wrong(
        "fiftythree_tobyte_half_product",
        "fiftythree_tobyte",
        "precision / rounding | infinity / numbers / function / whole range",
        (
            "rintf(__half2float(x) * scale);",
            "rintf(__half2float(__hmul(x, __float2half(scale))));",
        ),
    ),
    # A thread for each pack, be it whole or not; the rest has one for each number.
    Wrong(
        "fiftythree_tobyte_rounded_packs",
        "fiftythree_tobyte",
        "tail / unwritten / left out / grid | block size",
        ("int threads = n / 4 + n % 4;", "int threads = (n + 3) / 4;"),
    ),
    # ---- GELU
    # The stream was forgotten.
    Wrong(
        "fiftythree_gelu_no_stream",
        "fiftythree_gelu",
        "stream",
        ("<<<blocks, 256, 0, stream>>>", "<<<blocks, 256>>>"),
    ),
    # The root of 2, and not 1 through it.
    Wrong(
        "fiftythree_gelu_root_of_two",
        "fiftythree_gelu",
        "function | numbers / precision",
        ("erff(x * 0.70710678f)", "erff(x * 1.41421356f)"),
    ),
    # The formula with tanh.
    Wrong(
        "fiftythree_gelu_by_tanh",
        "fiftythree_gelu",
        "function / precision | numbers",
        (
            "{ return 0.5f * x * (1.0f + erff(x * 0.70710678f)); }",
            "{\n    float z = 0.79788456f * (x + 0.044715f * x * x * x);\n"
            "    return 0.5f * x * (1.0f + tanhf(z));\n}",
        ),
    ),
    # A block is taken for one of 128 threads.
    Wrong(
        "fiftythree_gelu_blocks_of_128",
        "fiftythree_gelu",
        "block size / unwritten / left out | twice / tail / grid / race",
        (
            "int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;",
            "int i = blockIdx.x * 128 + threadIdx.x; i < n;",
        ),
    ),
    # x is kept for a while in its own place.
    Wrong(
        "fiftythree_gelu_scratch_in_x",
        "fiftythree_gelu",
        "input | race / numbers / state",
        ("gelus(const float* x,", "gelus(float* x,"),
        (
            "        y[i] = gelu(x[i]);\n",
            "        float v = x[i];\n        x[i] = v * 0.70710678f;\n"
            "        y[i] = 0.5f * v * (1.0f + erff(x[i]));\n        x[i] = v;\n",
        ),
        ("stream>>>(x, y, n);", "stream>>>((float*)x, y, n);"),
        (
            "__device__ float gelu(float x) { return 0.5f * x * (1.0f + erff(x * "
            "0.70710678f)); }\n\n",
            "",
        ),
    ),
    # ---- beyond a limit
    # What is outside stays as it is.
    Wrong(
        "fiftythree_limit_stays_outside",
        "fiftythree_limit",
        "function | numbers / copy / left out",
        ("v - inside);", "v == inside ? 0.0f : v);"),
    ),
    # NaN is neither above nor below.
    Wrong(
        "fiftythree_limit_nan_between",
        "fiftythree_limit",
        "nan | numbers / start",
        (
            "    float inside = fminf(fmaxf(v, -limit), limit);\n"
            "    y[i] = __float2half(v - inside);\n",
            "    float r = 0.0f;\n    if (v > limit)\n        r = v - limit;\n"
            "    if (v < -limit)\n        r = v + limit;\n    y[i] = __float2half(r);\n",
        ),
    ),
    # Only what is above 0 has a limit.
    Wrong(
        "fiftythree_limit_above_alone",
        "fiftythree_limit",
        "function | numbers / left out / sign of zero / whole range / infinity",
        ("fminf(fmaxf(v, -limit), limit);", "fminf(fmaxf(v, 0.0f), limit);"),
    ),
    # The number of blocks has 16 bits.
    Wrong(
        "fiftythree_limit_short_blocks",
        "fiftythree_limit",
        "narrow / grid / unwritten / left out | tail / block size / whole range",
        ("    unsigned blocks =", "    unsigned short blocks ="),
    ),
    # The limit of the first call stays.
    Wrong(
        "fiftythree_limit_first_limit",
        "fiftythree_limit",
        "state | function / numbers / left out",
        (
            "    unsigned blocks =",
            "    static const float first = limit;\n    unsigned blocks =",
        ),
        ("stream>>>(x, y, limit, n);", "stream>>>(x, y, first, n);"),
    ),
    # ---- a weighted mean
    # The warp takes one part a lane.
    Wrong(
        "fiftythree_wmean_one_part_a_lane",
        "fiftythree_wmean",
        "left out | numbers / tail / grid / function",
        (
            "    for (int k = threadIdx.x; k < count; k += 32) {\n",
            "    int k = threadIdx.x;\n    if (k < count) {\n",
        ),
    ),
    # The parts are added to what an earlier call left.
    Wrong(
        "fiftythree_wmean_parts_grow",
        "fiftythree_wmean",
        "state / zero before | numbers / twice / start",
        (
            "        parts_a[blockIdx.x] = a[0];\n        parts_b[blockIdx.x] = b[0];\n",
            "        parts_a[blockIdx.x] += a[0];\n        parts_b[blockIdx.x] += b[0];\n",
        ),
    ),
    # Nobody waits before the tree.
    Wrong(
        "fiftythree_wmean_no_barrier",
        "fiftythree_wmean",
        "race / unwritten | numbers / left out / start / state / nan",
        (
            "    }\n    __syncthreads();\n    for (int k = T / 2;",
            "    }\n    for (int k = T / 2;",
        ),
    ),
    # Sums are halves in shared memory.
    Wrong(
        "fiftythree_wmean_half_sums",
        "fiftythree_wmean",
        "precision / rounding | numbers / infinity / nan / narrow / function",
        ("    __shared__ float a[T], b[T];\n", "    __shared__ half a[T], b[T];\n"),
        ("    a[t] = b[t] = 0.0f;\n", "    a[t] = b[t] = __float2half(0.0f);\n"),
        (
            "        a[t] += w[i] * x[i];\n        b[t] += w[i];\n",
            "        a[t] += __float2half(w[i] * x[i]);\n        b[t] += __float2half(w[i]);\n",
        ),
        ("parts_a[blockIdx.x] = a[0];", "parts_a[blockIdx.x] = __half2float(a[0]);"),
        ("parts_b[blockIdx.x] = b[0];", "parts_b[blockIdx.x] = __half2float(b[0]);"),
    ),
    # A block goes on by its own width.
    Wrong(
        "fiftythree_wmean_own_width",
        "fiftythree_wmean",
        "twice | numbers / function / other element / grid / left out",
        ("i += gridDim.x * T) {", "i += T) {"),
    ),
    # ---- absolute values of rows
    # The absolute value of a thread's sum.
    Wrong(
        "fiftythree_rowabs_of_the_sum",
        "fiftythree_rowabs",
        "function | numbers / left out",
        (
            "s += fabsf(__bfloat162float(row[c]));\n  s = warp_sum(s);",
            "s += __bfloat162float(row[c]);\n  s = warp_sum(fabsf(s));",
        ),
    ),
    # Four of eight warps.
    Wrong(
        "fiftythree_rowabs_four_warps",
        "fiftythree_rowabs",
        "left out | numbers / tail / function",
        ("lane < 8 ? sums[lane]", "lane < 4 ? sums[lane]"),
    ),
    # Half a mask.
    Wrong(
        "fiftythree_rowabs_half_mask",
        "fiftythree_rowabs",
        "race | left out / numbers / refused",
        ("__shfl_down_sync(0xffffffffu, s, d);", "__shfl_down_sync(0xffffu, s, d);"),
    ),
    # One sum for all warps, without an atomic.
    Wrong(
        "fiftythree_rowabs_no_atomic",
        "fiftythree_rowabs",
        "race | numbers / left out",
        (
            "  __shared__ float sums[8];\n",
            "  __shared__ float total;\n  if (threadIdx.x == 0) total = 0.0f;\n"
            "  __syncthreads();\n",
        ),
        ("  if (lane == 0) sums[warp] = s;\n", "  if (lane == 0) total += s;\n"),
        ("  int warp = threadIdx.x / 32;\n", ""),
        (
            "  if (warp == 0) {\n    float total = lane < 8 ? sums[lane] : 0.0f;\n"
            "    total = warp_sum(total);\n    if (lane == 0) out[blockIdx.x] = total;\n  }\n",
            "  if (threadIdx.x == 0) out[blockIdx.x] = total;\n",
        ),
    ),
    # Warps' sums are kept as bfloat16.
    Wrong(
        "fiftythree_rowabs_short_sums",
        "fiftythree_rowabs",
        "precision / rounding | numbers / function",
        ("__shared__ float sums[8];", "__shared__ __nv_bfloat16 sums[8];"),
        ("if (lane == 0) sums[warp] = s;", "if (lane == 0) sums[warp] = __float2bfloat16(s);"),
        ("lane < 8 ? sums[lane]", "lane < 8 ? __bfloat162float(sums[lane])"),
    ),
    # ---- the least number
    # Nothing is above ten thousand.
    Wrong(
        "fiftythree_coldest_ten_thousand",
        "fiftythree_coldest",
        "start | numbers / other element / infinity / left out / copy / function",
        (
            "    float best = INFINITY;\n    int at = n;\n",
            "    float best = 10000.0f;\n    int at = n;\n",
        ),
        ("if (v < best || at == n) {", "if (v < best) {"),
    ),
    # The last of equals in a thread.
    Wrong(
        "fiftythree_coldest_last_of_thread",
        "fiftythree_coldest",
        "other element / numbers | left out / function / neighbour",
        ("if (v < best || at == n) {", "if (v <= best) {"),
    ),
    # Lanes do not compare places.
    Wrong(
        "fiftythree_coldest_any_of_lanes",
        "fiftythree_coldest",
        "other element / numbers | left out / function / neighbour / infinity",
        ("        if (colder(v, p, best, at)) {", "        if (v <= best) {"),
    ),
    # Nobody waits for the other warps.
    Wrong(
        "fiftythree_coldest_no_barrier",
        "fiftythree_coldest",
        "race / unwritten | numbers / left out / start / state / other element / nan",
        ("    __syncthreads();\n    if (threadIdx.x > 0)", "    if (threadIdx.x > 0)"),
    ),
    # As in the kernel for integers.
    Wrong(
        "fiftythree_coldest_whole_degrees",
        "fiftythree_coldest",
        "rounding / precision / whole range | numbers / other element / infinity / function",
        ("        float v = x[i];\n", "        int v = x[i];\n"),
    ),
    # ---- a quarter turn
    # A transpose, and no turn.
    Wrong(
        "fiftythree_rotate_transpose",
        "fiftythree_rotate",
        "function / other element / neighbour | numbers / sides / swapped / copy",
        ("+ (rows - 1 - from)]", "+ from]"),
    ),
    # Lines of the result are as long as those of the picture.
    Wrong(
        "fiftythree_rotate_old_pitch",
        "fiftythree_rotate",
        "sides / bounds / other element | unwritten / left out / twice / race / tail / neighbour",
        ("(size_t)line * rows +", "(size_t)line * cols +"),
    ),
    # Nobody waits for the tile.
    Wrong(
        "fiftythree_rotate_no_barrier",
        "fiftythree_rotate",
        "race / unwritten | numbers / other element / left out / state",
        ("    __syncthreads();\n", ""),
    ),
    # Counted from the length, not from the last place.
    Wrong(
        "fiftythree_rotate_from_length",
        "fiftythree_rotate",
        "neighbour / bounds / other element | unwritten / left out / race / tail / twice / sides",
        ("(rows - 1 - from)", "(rows - from)"),
    ),
    # A block has four lines of threads.
    Wrong(
        "fiftythree_rotate_four_lines",
        "fiftythree_rotate",
        "block size / unwritten / left out | tail / sides / race / state",
        ("dim3(32, 8)", "dim3(32, 4)"),
    ),
    # ---- a product of two vectors
    # A block for each row in the second direction.
    Wrong(
        "fiftythree_outer_rows_in_y",
        "fiftythree_outer",
        "grid / refused | narrow",
        ("min(rows, 40));", "rows);"),
    ),
    # x and y change places.
    Wrong(
        "fiftythree_outer_y_first",
        "fiftythree_outer",
        "swapped / bounds / sides / other element | numbers / function",
        ("(a, x, y, out, alpha,", "(a, y, x, out, alpha,"),
    ),
    # On the default stream.
    Wrong(
        "fiftythree_outer_stream_zero",
        "fiftythree_outer",
        "stream",
        ("<<<grid, 64, 0, stream>>>", "<<<grid, 64, 0, 0>>>"),
    ),
    # The factor of a row is replaced while others need it.
    Wrong(
        "fiftythree_outer_second_barrier",
        "fiftythree_outer",
        "race | numbers / other element / state / neighbour",
        ("y[c];\n    }\n    __syncthreads();\n", "y[c];\n    }\n"),
    ),
    # The result is added to.
    Wrong(
        "fiftythree_outer_added",
        "fiftythree_outer",
        "zero before / state / nan | numbers / twice / function / start",
        ("out[at] = a[at]", "out[at] += a[at]"),
    ),
    # ---- a layer
    # The bias of a row.
    Wrong(
        "fiftythree_layer_bias_of_row",
        "fiftythree_layer",
        "other element / sides / bounds / swapped | numbers / function / neighbour",
        ("sum + bias[col]);", "sum + bias[row]);"),
    ),
    # Only whole tiles of terms.
    Wrong(
        "fiftythree_layer_whole_tiles",
        "fiftythree_layer",
        "left out / tail | numbers / sides / function",
        ("(k + S - 1) / S;", "k / S;"),
    ),
    # Nobody waits for the tiles.
    Wrong(
        "fiftythree_layer_first_barrier",
        "fiftythree_layer",
        "race / unwritten | numbers / other element / left out / state / nan",
        ("        __syncthreads();\n        for (int i = 0;", "        for (int i = 0;"),
    ),
    # The product is rounded before the bias is added.
    Wrong(
        "fiftythree_layer_rounded_before",
        "fiftythree_layer",
        "rounding / precision | numbers / function",
        (
            "    if (row < m && col < n) c[(size_t)row * n + col] = __float2bfloat16(sum "
            "+ bias[col]);\n",
            "    if (row < m && col < n)\n"
            "        c[(size_t)row * n + col] = __float2bfloat16(sum) + "
            "__float2bfloat16(bias[col]);\n",
        ),
    ),
    # Rows of b are as long as those of a.
    Wrong(
        "fiftythree_layer_pitch_of_a",
        "fiftythree_layer",
        "sides / bounds / other element | numbers / swapped / neighbour",
        ("b[(size_t)kb * n + col]", "b[(size_t)kb * k + col]"),
    ),
    # ---- softmax with logarithms
    # The logarithm without the maximum.
    Wrong(
        "fiftythree_softlog_log_of_sum",
        "fiftythree_softlog",
        "function / left out | numbers / precision",
        ("= m + logf(s);", "= logf(s);"),
    ),
    # Its own sum is not scaled in the tree.
    Wrong(
        "fiftythree_softlog_own_sum_stays",
        "fiftythree_softlog",
        "function / left out / numbers | precision / infinity",
        ("sums[t] = sums[t] * expf(tops[t] - top) +", "sums[t] = sums[t] +"),
    ),
    # Nobody waits between two steps of the tree.
    Wrong(
        "fiftythree_softlog_tree_no_barrier",
        "fiftythree_softlog",
        "race | numbers / left out / other element / state",
        (
            "            tops[t] = top;\n        }\n        __syncthreads();\n    }\n",
            "            tops[t] = top;\n        }\n    }\n    __syncthreads();\n",
        ),
    ),
    # Nothing is below -50.
    Wrong(
        "fiftythree_softlog_from_minus_50",
        "fiftythree_softlog",
        "start / nan / infinity | numbers / precision / function / subnormal / left out",
        ("float m = -FLT_MAX,", "float m = -50.0f,"),
    ),
    # The thread's own maximum and sum.
    Wrong(
        "fiftythree_softlog_own_maximum",
        "fiftythree_softlog",
        "function / left out / other element / numbers | precision / infinity / nan / race",
        ("    m = tops[0];\n    s = sums[0];\n", ""),
        ("= m + logf(s);", "= tops[0] + logf(sums[0]);"),
    ),
    # ---- layer norm
    # The old difference twice.
    Wrong(
        "fiftythree_warpnorm_old_difference",
        "fiftythree_warpnorm",
        "function / precision | numbers / twice / left out",
        ("m2 += d * (v - mean);", "m2 += d * d;"),
    ),
    # Means of lanes are taken for equal.
    Wrong(
        "fiftythree_warpnorm_equal_means",
        "fiftythree_warpnorm",
        "function / left out / precision | numbers",
        ("m2 += other_m2 + d * d * (count * other_count / all);", "m2 += other_m2;"),
        ("    float d = other_mean - mean;\n", ""),
    ),
    # The weight of the lane.
    Wrong(
        "fiftythree_warpnorm_gamma_of_lane",
        "fiftythree_warpnorm",
        "other element | numbers / function / tail / left out",
        ("gamma[c]", "gamma[lane]"),
    ),
    # Its own eps.
    Wrong(
        "fiftythree_warpnorm_own_eps",
        "fiftythree_warpnorm",
        "function / left out | numbers / precision",
        ("rsqrtf(m2 / cols + eps);", "rsqrtf(m2 / cols + 1e-5f);"),
    ),
    # No test of the row.
    Wrong(
        "fiftythree_warpnorm_any_row",
        "fiftythree_warpnorm",
        "bounds | sides / tail",
        ("  if (row >= rows) return;\n", ""),
    ),
)

RIGHT = (
    # Integers of 32 bits without a sign as pairs, blocks in the reverse order, and idle ones.
    Right(
        "fiftythree_mid_words_backwards",
        "fiftythree_mid",
        (
            "((int64_t)blockIdx.x * blockDim.x + threadIdx.x);",
            "((int64_t)(gridDim.x - 1 - blockIdx.x) * blockDim.x + threadIdx.x);",
        ),
        (
            "    float2 p = __half22float2(*(const half2*)(a + i));\n",
            "    uint32_t u = *(const uint32_t*)(a + i);\n"
            "    float2 p = __half22float2(*(half2*)&u);\n",
        ),
        (
            "<<<(pairs + block_size - 1) / block_size, block_size,",
            "<<<pairs / block_size + 3, block_size,",
        ),
    ),
    # The weight has one factor; the kernel is launched by its address.
    Right(
        "fiftythree_sgd_one_factor",
        "fiftythree_sgd",
        ("w - lr * (g + decay * w);", "fmaf(1.0f - lr * decay, w, -lr * g);"),
        (
            "    descend<<<blocks, 128, 0, stream>>>(w, g, out, lr, decay, n);\n",
            "    void* arguments[] = {&w, &g, &out, &lr, &decay, &n};\n"
            "    cudaLaunchKernel((const void*)descend, dim3(blocks), dim3(96), "
            "arguments, 0, stream);\n",
        ),
    ),
    # By bits, with a branch for NaN.
    Right(
        "fiftythree_shrink_bits_with_nan",
        "fiftythree_shrink",
        (
            "__device__ unsigned pack(",
            "__device__ unsigned upper(float x)\n{\n    unsigned bits = __float_as_uint(x);\n"
            "    if (x != x)\n        return 0x7fff;\n"
            "    return (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;\n}\n\n"
            "__device__ unsigned pack(",
        ),
        (
            "    __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);\n"
            "    return *(unsigned *)&pair;\n",
            "    return upper(low) | upper(high) << 16;\n",
        ),
    ),
    # Limits are integers, and a char4 is stored.
    Right(
        "fiftythree_tobyte_char4",
        "fiftythree_tobyte",
        (
            "  float v = rintf(__half2float(x) * scale);\n"
            "  v = fminf(fmaxf(v, -128.0f), 127.0f);\n  return (int)v;\n",
            "  return min(max(__float2int_rn(__half2float(x) * scale), -128), 127);\n",
        ),
        (
            "    unsigned word = to_byte(from[0], scale) & 255;\n"
            "    word |= (to_byte(from[1], scale) & 255) << 8;\n"
            "    word |= (to_byte(from[2], scale) & 255) << 16;\n"
            "    word |= (unsigned)to_byte(from[3], scale) << 24;\n"
            "    ((unsigned*)y)[i] = word;\n",
            "    ((char4*)y)[i] = make_char4(to_byte(from[0], scale), to_byte(from[1], "
            "scale),\n"
            "                                to_byte(from[2], scale), to_byte(from[3], "
            "scale));\n",
        ),
    ),
    # The other error function, from the last number to the first, a launch for each half.
    Right(
        "fiftythree_gelu_two_launches",
        "fiftythree_gelu",
        ("0.5f * x * (1.0f + erff(x * 0.70710678f));", "0.5f * x * erfcf(x * -0.70710678f);"),
        (
            "    gelus<<<blocks, 256, 0, stream>>>(x, y, n);\n",
            "    int half_n = n / 2;\n"
            "    if (half_n > 0) gelus<<<blocks, 256, 0, stream>>>(x, y, half_n);\n"
            "    gelus<<<blocks, 192, 0, stream>>>(x + half_n, y + half_n, n - half_n);\n",
        ),
    ),
    # With the absolute value and its sign; the launcher returns an error code.
    Right(
        "fiftythree_limit_by_sign",
        "fiftythree_limit",
        (
            "    float inside = fminf(fmaxf(v, -limit), limit);\n"
            "    y[i] = __float2half(v - inside);\n",
            "    float rest = fabsf(v) - limit;\n"
            "    y[i] = __float2half(rest <= 0.0f ? 0.0f : copysignf(rest, v));\n",
        ),
        ('extern "C" void launch(', 'extern "C" cudaError_t launch('),
        (
            "stream>>>(x, y, limit, n);\n",
            "stream>>>(x, y, limit, n);\n    return cudaGetLastError();\n",
        ),
    ),
    # One block for all, and the second kernel adds in double.
    Right(
        "fiftythree_wmean_one_block",
        "fiftythree_wmean",
        (
            "    int blocks = (n + T - 1) / T;\n"
            "    if (blocks > MAX_BLOCKS) blocks = MAX_BLOCKS;\n",
            "    int blocks = 1;\n",
        ),
        ("    float a = 0.0f, b = 0.0f;\n", "    double a = 0.0, b = 0.0;\n"),
        ("*out = a / b;", "*out = (float)a / (float)b;"),
    ),
    # A memset, and an atomic of each warp in the result.
    Right(
        "fiftythree_rowabs_memset_and_atomics",
        "fiftythree_rowabs",
        ("  __shared__ float sums[8];\n", ""),
        ("  int warp = threadIdx.x / 32;\n", ""),
        (
            "  if (lane == 0) sums[warp] = s;\n  __syncthreads();\n  if (warp == 0) {\n"
            "    float total = lane < 8 ? sums[lane] : 0.0f;\n    total = warp_sum(total);\n"
            "    if (lane == 0) out[blockIdx.x] = total;\n  }\n",
            "  if (lane == 0) atomicAdd(&out[blockIdx.x], s);\n",
        ),
        (
            "  row_abs<<<",
            "  cudaMemsetAsync(out, 0, rows * sizeof(float), stream);\n  row_abs<<<",
        ),
    ),
    # From the last number to the first.
    Right(
        "fiftythree_coldest_backwards",
        "fiftythree_coldest",
        (
            "for (int i = threadIdx.x; i < n; i += 256) {",
            "for (int i = n - 1 - (int)threadIdx.x; i >= 0; i -= 256) {",
        ),
        ("if (v < best || at == n) {", "if (v <= best) {"),
    ),
    # The tile is turned when it is written.
    Right(
        "fiftythree_rotate_turned_first",
        "fiftythree_rotate",
        ("tile[j][threadIdx.x] = in[", "tile[threadIdx.x][31 - j] = in["),
        ("= tile[threadIdx.x][j];", "= tile[j][31 - threadIdx.x];"),
    ),
    # A thread reads its factor itself; nobody waits; the launch is in a lambda.
    Right(
        "fiftythree_outer_no_shared",
        "fiftythree_outer",
        ("  __shared__ float factor;\n", ""),
        ("    if (threadIdx.x == 0) factor = alpha * x[r];\n    __syncthreads();\n", ""),
        (
            "out[at] = a[at] + factor * y[c];\n    }\n    __syncthreads();\n",
            "out[at] = fmaf(alpha * x[r], y[c], a[at]);\n    }\n",
        ),
        (
            "  add_outer<<<grid, 64, 0, stream>>>(a, x, y, out, alpha, rows, cols);\n",
            "  auto go = [=](int width) {\n"
            "    add_outer<<<grid, width, 0, stream>>>(a, x, y, out, alpha, rows, cols);\n"
            "  };\n  go(64);\n",
        ),
    ),
    # The bias is where the sum begins, terms come from the last tile on, in double.
    Right(
        "fiftythree_layer_bias_first",
        "fiftythree_layer",
        ("    float sum = 0.0f;\n", "    double sum = col < n ? bias[col] : 0.0f;\n"),
        ("for (int s = 0; s < steps; s++) {", "for (int s = steps - 1; s >= 0; s--) {"),
        ("sum += p[ty][i] * q[i][tx];", "sum += (double)p[ty][i] * q[i][tx];"),
        ("__float2bfloat16(sum + bias[col]);", "__float2bfloat16((float)sum);"),
    ),
    # Shares by the logarithm of the sum.
    Right(
        "fiftythree_softlog_by_logarithm",
        "fiftythree_softlog",
        (
            "    m = tops[0];\n    s = sums[0];\n",
            "    float log_sum = tops[0] + logf(sums[0]);\n",
        ),
        ("expf(x[start + c] - m) / s;", "expf(x[start + c] - log_sum);"),
        ("logs[blockIdx.x] = m + logf(s);", "logs[blockIdx.x] = log_sum;"),
    ),
    # Down to the first lane, which tells the others.
    Right(
        "fiftythree_warpnorm_first_tells",
        "fiftythree_warpnorm",
        ("__shfl_xor_sync(0xffffffffu, mean, k);", "__shfl_down_sync(~0u, mean, k);"),
        ("__shfl_xor_sync(0xffffffffu, m2, k);", "__shfl_down_sync(~0u, m2, k);"),
        ("__shfl_xor_sync(0xffffffffu, count, k);", "__shfl_down_sync(~0u, count, k);"),
        (
            "  float factor = rsqrtf(",
            "  mean = __shfl_sync(~0u, mean, 0);\n  m2 = __shfl_sync(~0u, m2, 0);\n"
            "  float factor = rsqrtf(",
        ),
    ),
)
