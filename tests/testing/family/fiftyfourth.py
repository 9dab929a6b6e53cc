"""Hold a fifty-fourth family: kernels of half a year's practice, and their usual mistakes.

Its bases are a skip connection of bfloat16 with a weight, from a to b by a share a number, half
to bfloat16, sums of bytes to halves, hard sigmoid, softsign, the mean squared error, sums of
channels, the loudest sample and its first place, a matrix about the other diagonal, a product
of bytes with a zero point, a matrix by columns times a vector, softmax of the beginnings of
rows, and a norm of each channel's plane. They have 14 to 46 lines, and are of people with half
a year of CUDA: one who trains networks, a cutter of films, users of checkpoints, of models for
telephones, of attention and of old libraries, two who make models small, readers of papers, a
statistician, a writer of layers, an amateur of sound, a maker of maps, and one who changes the
style of pictures. They use pairs in a loop over the grid with a last number, float4 with a rest
in the same thread, two pairs a thread with threads for the rest, half2 with a last number, four
numbers a block's width apart, a loop over the grid, a ticket for the last block, two warps a
channel with shuffles, keys of 64 bits with an atomic maximum between two small kernels, a tile
of 16, tiles of 8, pieces of a vector, a maximum and a sum that grow together with a warp a row,
and two passes with one function for both sums. Their mistakes are spread over alignment, sizes,
grids and integers of 16 bits, values, rounding, NaN and infinity, inputs that are written,
sums, transposes, products, order, streams and what is left of an earlier call. The causes were
written before a member was judged. On the emulator each ran beside PyTorch, compared as a case
does, called twice on the same tensors, once each with NaN and 1e3 in floating outputs and with
tensors at either end of their pages, inputs that cannot be written in one of both, on a stream
that is not the default one, with the threads in order; bases and right ones also with threads
in a random order and, but for recast and softsign, at a hundred other sizes or so; those of
recast and short_quads also of 131,072 to 16,842,753 numbers. nvcc 13.0 compiles each for 8.0,
all members of a base in one file; none was run on a GPU. Bases and right ones are right, and
all wrong ones wrong or refused by a fault:

    fiftyfour_skip_out_anywhere           from 2 numbers on, by the address of out
    fiftyfour_skip_rest_of_four           if 4 leaves 3 of the count
    fiftyfour_skip_product_rounded        in pairs, if the product or the weight is no bfloat16
    fiftyfour_skip_no_pair_no_block       of 1 number
    fiftyfour_skip_whole_weight           if the weight has a fraction
    fiftyfour_fade_shares_of_8_bytes      from 4 numbers on, by the address of t
    fiftyfour_fade_one_more               if 4 leaves 3: a number behind the end is written
    fiftyfour_fade_rest_from_second       unless 4 divides the count
    fiftyfour_fade_difference_in_b        from 4 numbers on: b is overwritten
    fiftyfour_fade_from_b_to_a            unless both are equal, or the share is a half
    fiftyfour_recast_second_pair_cut      from 4 numbers on, of what is above a half unit
    fiftyfour_recast_store_of_8_bytes     from 4 numbers on, by the address of y
    fiftyfour_recast_short_quads          from 131,072 numbers on
    fiftyfour_recast_own_float            from 4 numbers on, of subnormal halves
    fiftyfour_recast_rest_from_length     unless 4 divides the count
    fiftyfour_accum_half_first            of sums that are no halves, if second in their pairs
    fiftyfour_accum_largest_half          of what is beyond halves, if not second in its pair
    fiftyfour_accum_sums_of_16_bits       of sums beyond 32,767, if second in their pairs
    fiftyfour_accum_half_the_blocks       of 1 to 96 numbers, 193 to 288, and so on
    fiftyfour_accum_last_pair_is_rest     of even counts
    fiftyfour_hsig_saturated              of NaN
    fiftyfour_hsig_steps_of_256           of other block sizes, if a second step is needed
    fiftyfour_hsig_eight_a_thread         from 4 numbers a thread on, and one more
    fiftyfour_hsig_slope_of_a_fifth       from -3 to 3, but for 0
    fiftyfour_hsig_no_stream              on another stream than the default one
    fiftyfour_softsign_all_halves         if the roundings on the way are more than one unit
    fiftyfour_softsign_short_count        from 32,768 numbers on
    fiftyfour_softsign_blocks_of_first_call  if the first call had fewer blocks
    fiftyfour_softsign_root_of_squares    of numbers that are neither near to 0 nor far from it
    fiftyfour_softsign_limits_first       of NaN and of infinities
    fiftyfour_mse_total_from_out          unless 0 was there
    fiftyfour_mse_tree_ends_at_two        from 2 numbers on, unless what is left out is 0
    fiftyfour_mse_tree_no_barrier         from 3 numbers on, where threads do not wait
    fiftyfour_mse_more_blocks_than_parts  from 12,289 numbers on
    fiftyfour_mse_whole_sum               if a square has a fraction
    fiftyfour_chansum_batch_inside        unless the batch or the channels are one
    fiftyfour_chansum_no_barrier          where threads do not wait for another
    fiftyfour_chansum_half_sum            if a sum of a thread is no half
    fiftyfour_chansum_shuffles_from_8     from 17 pixels on
    fiftyfour_chansum_atomics_alone       unless 0 was there
    fiftyfour_loudest_not_set_back        if an earlier call was louder, or as loud
    fiftyfour_loudest_last_of_equals      if the loudest comes again
    fiftyfour_loudest_reset_elsewhere     on another stream than the default one
    fiftyfour_loudest_from_one            if all samples are below 1
    fiftyfour_loudest_other_of_32_bits    unless the loudest is in the first lane of a warp
    fiftyfour_anti_barrier_in_branch      unless 16 divides both sides
    fiftyfour_anti_old_pitch              unless the matrix is square
    fiftyfour_anti_lines_alone            from 2 rows on
    fiftyfour_anti_grid_turned            unless there are as many tiles in both directions
    fiftyfour_anti_tile_not_turned        from 2 rows or columns on
    fiftyfour_intmm_byte_difference       if a byte does not hold the difference
    fiftyfour_intmm_second_barrier        from 9 terms on, where threads do not wait for another
    fiftyfour_intmm_whole_tiles           if 8 does not divide the terms
    fiftyfour_intmm_float_sum             from 2^24 on
    fiftyfour_intmm_b_by_columns          from 2 terms and 2 columns on
    fiftyfour_masked_all_count            of rows whose end does not count
    fiftyfour_masked_from_zero            of rows that are far below 0
    fiftyfour_masked_rest_unwritten       of rows whose end does not count
    fiftyfour_masked_lanes_not_scaled     from 2 numbers on, if maxima of lanes differ
    fiftyfour_masked_new_maximum_first    from 33 numbers on, if a later one is larger
    fiftyfour_instnorm_sum_no_barrier     where threads do not wait for another
    fiftyfour_instnorm_channel_of_batch   from 2 channels on; from 2 in the batch on
    fiftyfour_instnorm_less_one           unless all are equal; of one pixel
    fiftyfour_instnorm_mean_of_squares    of planes that are far off 0
    fiftyfour_instnorm_differences_in_x   always: x is overwritten
    fiftyfour_gemv_leaves_early           if a last block has fewer rows than columns
    fiftyfour_gemv_factors_turned         unless both factors are equal
    fiftyfour_gemv_first_barrier          from 2 rows or columns on, where threads do not wait
    fiftyfour_gemv_reads_result           unless y0 was there
    fiftyfour_gemv_whole_pieces           unless 64 divides the columns
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

# One who trains: a skip connection of bfloat16 with a weight, by pairs in a loop over the grid.
SKIP = (
    HEADER
    + """\
__global__ void add_scaled(const __nv_bfloat16* x, const __nv_bfloat16* f, __nv_bfloat16* out,
                           float weight, int n) {
  int first = blockIdx.x * blockDim.x + threadIdx.x;
  int stride = gridDim.x * blockDim.x;
  const __nv_bfloat162* xs = (const __nv_bfloat162*)x;
  const __nv_bfloat162* fs = (const __nv_bfloat162*)f;
  __nv_bfloat162* outs = (__nv_bfloat162*)out;
  for (int p = first; p < n / 2; p += stride) {
    float2 u = __bfloat1622float2(xs[p]);
    float2 v = __bfloat1622float2(fs[p]);
    u.x += weight * v.x;
    u.y += weight * v.y;
    outs[p] = __float22bfloat162_rn(u);
  }
  if (first == 0 && n % 2 == 1) {
    float u = __bfloat162float(x[n - 1]);
    out[n - 1] = __float2bfloat16(u + weight * __bfloat162float(f[n - 1]));
  }
}

extern "C" void launch(const __nv_bfloat16* x,  // [n] 4-byte aligned
                       const __nv_bfloat16* f,  // [n] 4-byte aligned
                       __nv_bfloat16* out,      // [n] 4-byte aligned
                       float weight, int n, cudaStream_t stream = 0) {
  int blocks = max(1, min(32, (n / 2 + 127) / 128));
  add_scaled<<<blocks, 128, 0, stream>>>(x, f, out, weight, n);
}
"""
)

# A cutter of films: from a to b, each number by its own share, four at once and a rest.
FADE = (
    HEADER
    + """\
__global__ void fade(const float *a, const float *b, const float *t, float *out, int64_t n)
{
    int64_t i = 4 * ((int64_t)blockIdx.x * blockDim.x + threadIdx.x);
    if (i + 3 < n) {
        float4 p = *(const float4 *)&a[i];
        float4 q = *(const float4 *)&b[i];
        float4 s = *(const float4 *)&t[i];
        p.x += s.x * (q.x - p.x);
        p.y += s.y * (q.y - p.y);
        p.z += s.z * (q.z - p.z);
        p.w += s.w * (q.w - p.w);
        *(float4 *)&out[i] = p;
    } else {
        for (int64_t k = i; k < n; k++)
            out[k] = a[k] + t[k] * (b[k] - a[k]);
    }
}

extern "C" void launch(const float *a,  // [n] 16-byte aligned
                       const float *b,  // [n] 16-byte aligned
                       const float *t,  // [n] 16-byte aligned
                       float *out,      // [n] 16-byte aligned
                       int64_t n, int block_size = 192, cudaStream_t stream = 0)
{
    int64_t threads = (n + 3) / 4;
    fade<<<(threads + block_size - 1) / block_size, block_size, 0, stream>>>(a, b, t, out, n);
}
"""
)

# A user of checkpoints: half to bfloat16, two pairs a thread, and one of the rest.
RECAST = (
    HEADER
    + """\
__global__ void recast(const half* x, __nv_bfloat16* y, int64_t n) {
  int64_t q = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  int64_t quads = n / 4;
  if (q < quads) {
    const half2* from = (const half2*)(x + 4 * q);
    __nv_bfloat162* to = (__nv_bfloat162*)(y + 4 * q);
    float2 low = __half22float2(from[0]);
    float2 high = __half22float2(from[1]);
    to[0] = __float22bfloat162_rn(low);
    to[1] = __float22bfloat162_rn(high);
  }
  if (q < n % 4) {
    int64_t i = 4 * quads + q;
    y[i] = __float2bfloat16(__half2float(x[i]));
  }
}

extern "C" void launch(const half* x,     // [n] 4-byte aligned
                       __nv_bfloat16* y,  // [n] 4-byte aligned
                       int64_t n, int block_size = 128, cudaStream_t stream = 0) {
  int64_t blocks = n / 4 / block_size + 1;
  recast<<<blocks, block_size, 0, stream>>>(x, y, n);
}
"""
)

# One who makes models small: sums of a product of bytes, as halves with a scale, two a thread.
ACCUM = (
    HEADER
    + """\
__global__ void to_halves(const int *acc, half *y, float scale, int n)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * 2;
    if (i >= n)
        return;
    float low = acc[i] * scale;
    if (i + 1 == n) {
        y[i] = __float2half(low);
        return;
    }
    float high = acc[i + 1] * scale;
    ((half2 *)y)[i / 2] = __floats2half2_rn(low, high);
}

extern "C" void launch(const int *acc,  // [n]
                       half *y,         // [n] 4-byte aligned
                       float scale, int n, cudaStream_t stream = 0)
{
    int pairs = (n + 1) / 2;
    to_halves<<<(pairs + 95) / 96, 96, 0, stream>>>(acc, y, scale, n);
}
"""
)

# A user of models for telephones: hard sigmoid, four numbers a thread, a block's width apart.
HSIG = (
    HEADER
    + """\
__device__ float hard_sigmoid(float x) {
    float v = x / 6.0f + 0.5f;
    if (v < 0.0f) v = 0.0f;
    if (v > 1.0f) v = 1.0f;
    return v;
}

__global__ void hard_sigmoids(const float* x, float* y, int64_t n) {
    int64_t start = (int64_t)blockIdx.x * (4 * blockDim.x) + threadIdx.x;
    for (int k = 0; k < 4; k++) {
        int64_t i = start + k * blockDim.x;
        if (i < n) y[i] = hard_sigmoid(x[i]);
    }
}

extern "C" void launch(const float* x,  // [n]
                       float* y,        // [n]
                       int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    int64_t per_block = 4 * block_size;
    hard_sigmoids<<<(n + per_block - 1) / per_block, block_size, 0, stream>>>(x, y, n);
}
"""
)

# A reader of papers: softsign of halves, by a loop over the grid.
SOFTSIGN = (
    HEADER
    + """\
__global__ void softsign(const half* x, half* y, int n) {
  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
    float v = __half2float(x[i]);
    y[i] = __float2half(v / (1.0f + fabsf(v)));
  }
}

extern "C" void launch(const half* x,  // [n]
                       half* y,        // [n]
                       int n, cudaStream_t stream = 0) {
  int blocks = min((n + 127) / 128, 64);
  softsign<<<blocks, 128, 0, stream>>>(x, y, n);
}
"""
)

# A statistician: the mean squared error, of which the block that comes last adds the parts.
MSE = (
    HEADER
    + """\
#define T 256
#define MAX_BLOCKS 48

__device__ float parts[MAX_BLOCKS];
__device__ unsigned arrived = 0;

__global__ void squared_error(const float *a, const float *b, float *out, int n)
{
    __shared__ float sums[T];
    int t = threadIdx.x;
    float s = 0.0f;
    for (int i = blockIdx.x * T + t; i < n; i += gridDim.x * T) {
        float d = a[i] - b[i];
        s += d * d;
    }
    sums[t] = s;
    __syncthreads();
    for (int k = T / 2; k > 0; k /= 2) {
        if (t < k)
            sums[t] += sums[t + k];
        __syncthreads();
    }
    if (t > 0)
        return;
    parts[blockIdx.x] = sums[0];
    __threadfence();
    if (atomicAdd(&arrived, 1) < gridDim.x - 1)
        return;
    __threadfence();
    float total = 0.0f;
    for (int k = 0; k < gridDim.x; k++)
        total += ((volatile float *)parts)[k];
    *out = total / n;
    arrived = 0;
}

extern "C" void launch(const float *a,  // [n]
                       const float *b,  // [n]
                       float *out,      // [1]
                       int n, cudaStream_t stream = 0)
{
    int blocks = (n + T - 1) / T;
    if (blocks > MAX_BLOCKS)
        blocks = MAX_BLOCKS;
    squared_error<<<blocks, T, 0, stream>>>(a, b, out, n);
}
"""
)

# A writer of layers: the gradient of a bias, sums of a channel of halves, two warps a channel.
CHANSUM = (
    HEADER
    + """\
__global__ void channel_sums(const half* x, float* out, int batch, int channels, int pixels) {
  __shared__ float sums[2];
  int c = blockIdx.x;
  float s = 0.0f;
  for (int b = 0; b < batch; b++) {
    const half* plane = x + ((size_t)b * channels + c) * pixels;
    for (int p = threadIdx.x; p < pixels; p += 64) s += __half2float(plane[p]);
  }
  for (int d = 16; d > 0; d /= 2) s += __shfl_xor_sync(0xffffffffu, s, d);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = s;
  __syncthreads();
  if (threadIdx.x == 0) out[c] = sums[0] + sums[1];
}

extern "C" void launch(const half* x,  // [batch, channels, pixels]
                       float* out,     // [channels]
                       int batch, int channels, int pixels, cudaStream_t stream = 0) {
  channel_sums<<<channels, 64, 0, stream>>>(x, out, batch, channels, pixels);
}
"""
)

# An amateur of sound: the loudest sample and its first place, by keys of 64 bits.
LOUDEST = (
    HEADER
    + """\
__device__ unsigned long long best;

__global__ void reset() { best = 0; }

__global__ void search(const float* x, int n) {
    unsigned long long mine = 0;
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        unsigned long long key = __float_as_uint(fabsf(x[i]));
        key = (key << 32) | (0xffffffffu - i);
        if (key > mine) mine = key;
    }
    for (int d = 16; d > 0; d /= 2) {
        unsigned long long other = __shfl_down_sync(0xffffffffu, mine, d);
        if (other > mine) mine = other;
    }
    if (threadIdx.x % 32 == 0) atomicMax(&best, mine);
}

__global__ void report(float* value, int* place) {
    *value = __uint_as_float(best >> 32);
    *place = 0xffffffffu - (unsigned)best;
}

extern "C" void launch(const float* x,  // [n]
                       float* value,    // [1]
                       int* place,      // [1]
                       int n, cudaStream_t stream = 0) {
    int blocks = min((n + 127) / 128, 24);
    reset<<<1, 1, 0, stream>>>();
    search<<<blocks, 128, 0, stream>>>(x, n);
    report<<<1, 1, 0, stream>>>(value, place);
}
"""
)

# A maker of maps: heights of 16 bits, turned about the other diagonal, by tiles of 16.
ANTI = (
    HEADER
    + """\
#define S 16

__global__ void other_diagonal(const int16_t *in, int16_t *out, int rows, int cols)
{
    __shared__ int16_t tile[S][S + 2];
    int c = blockIdx.x * S + threadIdx.x;
    int r = blockIdx.y * S + threadIdx.y;
    if (r < rows && c < cols)
        tile[threadIdx.y][threadIdx.x] = in[(int64_t)r * cols + c];
    __syncthreads();
    c = blockIdx.x * S + threadIdx.y;
    r = blockIdx.y * S + threadIdx.x;
    if (r < rows && c < cols) {
        int64_t line = cols - 1 - c;
        out[line * rows + (rows - 1 - r)] = tile[threadIdx.x][threadIdx.y];
    }
}

extern "C" void launch(const int16_t *in,  // [rows, cols]
                       int16_t *out,       // [cols, rows]
                       int rows, int cols, cudaStream_t stream = 0)
{
    dim3 grid((cols + S - 1) / S, (rows + S - 1) / S);
    other_diagonal<<<grid, dim3(S, S), 0, stream>>>(in, out, rows, cols);
}
"""
)

# A quantizer: a product of bytes, the first of which has a zero point, by tiles of 8.
INTMM = (
    HEADER
    + """\
__global__ void int_product(const int8_t* a, const int8_t* b, int* c, int zero, int m, int n,
                            int k) {
  __shared__ int p[8][8], q[8][8];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * 8 + ty;
  int col = blockIdx.x * 8 + tx;
  int sum = 0;
  for (int start = 0; start < k; start += 8) {
    int u = start + tx, v = start + ty;
    p[ty][tx] = row < m && u < k ? a[(size_t)row * k + u] - zero : 0;
    q[ty][tx] = v < k && col < n ? b[(size_t)v * n + col] : 0;
    __syncthreads();
    for (int i = 0; i < 8; i++) sum += p[ty][i] * q[i][tx];
    __syncthreads();
  }
  if (row < m && col < n) c[(size_t)row * n + col] = sum;
}

extern "C" void launch(const int8_t* a,  // [m, k]
                       const int8_t* b,  // [k, n]
                       int* c,           // [m, n]
                       int zero, int m, int n, int k, cudaStream_t stream = 0) {
  dim3 grid((n + 7) / 8, (m + 7) / 8);
  int_product<<<grid, dim3(8, 8), 0, stream>>>(a, b, c, zero, m, n, k);
}
"""
)

# A user of attention: softmax of the first numbers of each row in one pass, a warp a row.
MASKED = (
    HEADER
    + """\
__global__ void masked_softmax(const float* x, const int* lengths, float* y, int rows,
                               int cols) {
    int row = blockIdx.x * 4 + threadIdx.x / 32;
    int lane = threadIdx.x % 32;
    if (row >= rows) return;
    const float* in = x + (size_t)row * cols;
    int length = lengths[row];
    float m = -FLT_MAX, s = 0.0f;
    for (int c = lane; c < length; c += 32) {
        float v = in[c];
        if (v > m) {
            s *= expf(m - v);
            m = v;
        }
        s += expf(v - m);
    }
    float top = m;
    for (int d = 16; d > 0; d /= 2) top = fmaxf(top, __shfl_xor_sync(~0u, top, d));
    s *= expf(m - top);
    for (int d = 16; d > 0; d /= 2) s += __shfl_xor_sync(~0u, s, d);
    float* to = y + (size_t)row * cols;
    for (int c = lane; c < cols; c += 32) {
        to[c] = c < length ? expf(in[c] - top) / s : 0.0f;
    }
}

extern "C" void launch(const float* x,      // [rows, cols]
                       const int* lengths,  // [rows]
                       float* y,            // [rows, cols]
                       int rows, int cols, cudaStream_t stream = 0) {
    masked_softmax<<<(rows + 3) / 4, 128, 0, stream>>>(x, lengths, y, rows, cols);
}
"""
)

# One who changes the style of pictures: a norm of each channel's plane, in two passes.
INSTNORM = (
    HEADER
    + """\
#define T 128

__device__ float block_sum(float v)
{
    __shared__ float sums[T];
    int t = threadIdx.x;
    sums[t] = v;
    __syncthreads();
    for (int k = T / 2; k > 0; k /= 2) {
        if (t < k)
            sums[t] += sums[t + k];
        __syncthreads();
    }
    float total = sums[0];
    __syncthreads();
    return total;
}

__global__ void instance_norm(const float *x, const float *gamma, const float *beta, float *y,
                              float eps, int channels, int pixels)
{
    const float *in = x + (size_t)blockIdx.x * pixels;
    float *to = y + (size_t)blockIdx.x * pixels;
    int channel = blockIdx.x % channels;
    float s = 0.0f, q = 0.0f;
    for (int p = threadIdx.x; p < pixels; p += T)
        s += in[p];
    float mean = block_sum(s) / pixels;
    for (int p = threadIdx.x; p < pixels; p += T) {
        float d = in[p] - mean;
        q += d * d;
    }
    float factor = gamma[channel] * rsqrtf(block_sum(q) / pixels + eps);
    for (int p = threadIdx.x; p < pixels; p += T)
        to[p] = (in[p] - mean) * factor + beta[channel];
}

extern "C" void launch(const float *x,      // [batch, channels, pixels]
                       const float *gamma,  // [channels]
                       const float *beta,   // [channels]
                       float *y,            // [batch, channels, pixels]
                       float eps, int batch, int channels, int pixels, cudaStream_t stream = 0)
{
    instance_norm<<<batch * channels, T, 0, stream>>>(x, gamma, beta, y, eps, channels, pixels);
}
"""
)

# A user of old libraries: a matrix by columns times a vector, a thread a row, pieces of x.
GEMV = (
    HEADER
    + """\
#define T 64

__global__ void gemv(const float* a, const float* x, const float* y0, float* y, float alpha,
                     float beta, int rows, int cols) {
  __shared__ float piece[T];
  int row = blockIdx.x * T + threadIdx.x;
  float s = 0.0f;
  for (int start = 0; start < cols; start += T) {
    int c = start + threadIdx.x;
    if (c < cols) piece[threadIdx.x] = x[c];
    __syncthreads();
    int count = min(T, cols - start);
    if (row < rows) {
      const float* column = a + (size_t)start * rows;
      for (int k = 0; k < count; k++) s += column[(size_t)k * rows + row] * piece[k];
    }
    __syncthreads();
  }
  if (row < rows) y[row] = alpha * s + beta * y0[row];
}

extern "C" void launch(const float* a,   // [cols, rows]
                       const float* x,   // [cols]
                       const float* y0,  // [rows]
                       float* y,         // [rows]
                       float alpha, float beta, int rows, int cols, cudaStream_t stream = 0) {
  gemv<<<(rows + T - 1) / T, T, 0, stream>>>(a, x, y0, y, alpha, beta, rows, cols);
}
"""
)

NAN, INF = float("nan"), float("inf")
LENGTHS = (*range(1, 10), 15, 16, 17, *range(31, 36), *range(63, 71), 95, 96, 97, 127, 128, 129)
LENGTHS += (
    191,
    193,
    255,
    256,
    257,
    385,
    511,
    513,
    767,
    770,
    1000,
    1023,
    1026,
    2049,
    4099,
    5003,
)
SIDES = ((1, 1), (1, 3), (2, 3), (5, 31), (4, 32), (9, 33), (33, 9), (3, 64), (64, 3), (7, 98))
SIDES += ((70, 2), (2, 1000), (1, 4099), (66, 70), (130, 5), (50, 40), (32, 32), (16, 48))
PLANES = ((1, 1, 1), (2, 3, 5), (3, 2, 31), (1, 4, 33), (4, 1, 64), (5, 2, 65), (2, 7, 1))
PLANES += ((1, 2, 128), (2, 2, 129), (3, 3, 300), (6, 5, 16), (1, 1, 2050), (2, 65, 7))


def same(x: torch.Tensor) -> torch.Tensor:
    """Return the numbers themselves."""
    return x.clone()


def softsigns(x: torch.Tensor) -> torch.Tensor:
    """Return x / (1 + |x|)."""
    return x / (1 + x.abs())


def skips(launcher: Launcher) -> Iterator[Case]:
    """Add whole numbers with weights of few bits, so that one rounding is left; slices."""
    for n in (*LENGTHS, 8195, 9001):
        x, f = ((whole(-99, 100, n, 2 * n + k).float() + 0.0).bfloat16() for k in range(2))
        hole = torch.where(torch.arange(n) % 3 == 1, NAN, f.float()).bfloat16()
        options = {"dtypes": (torch.bfloat16,), "quick": n > 5000}
        for weight in (1.0, -0.5, 0.328125, 1.00390625):
            for label, g in (("whole", f), ("NaN", hole)):
                right = x.double() + weight * g.double() + 0.0
                scalars = {"weight": weight}
                words = f"n = {n:,}, weight = {weight}, {label}"
                yield Case(words, (x, g), (right,), scalars, **options)
                if n > 300 or label != "whole" or weight != 0.328125:
                    continue
                for offsets in ((2, 2, 2), (8, 2, 4), (4, 8, 2)):
                    words = f"n = {n:,}, slices from {offsets}"
                    yield Case(words, (x, g), (right,), scalars, offset=offsets, **options)


def fades(launcher: Launcher) -> Iterator[Case]:
    """Fade whole numbers by shares of 64, so that all is exact; NaN, slices, block sizes."""
    for n in LENGTHS:
        a, b = (whole(-999, 1000, n, 2 * n + k).float() for k in range(2))
        t = whole(0, 65, n, n + 7).float() / 64
        hole = torch.where(torch.arange(n) % 3 == 1, NAN, t)
        for label, s in (("usual", t), ("NaN", hole), ("at b", t * 0 + 1), ("at a", t * 0)):
            right = a.double() + s.double() * (b.double() - a.double()) + 0.0
            for block_size in (192, 32):
                scalars = {"block_size": block_size}
                words = f"n = {n:,}, block_size = {block_size}, {label}"
                yield Case(words, (a, b, s), (right,), scalars, dtypes=(torch.float32,))
            if n > 300 or label != "usual":
                continue
            for offsets in ((4, 4, 4, 4), (8, 4, 12, 4)):
                words = f"n = {n:,}, slices from {offsets}"
                options = {"offset": offsets, "dtypes": (torch.float32,)}
                yield Case(words, (a, b, s), (right,), {}, **options)


def accumulators(launcher: Launcher) -> Iterator[Case]:
    """Scale whole numbers by powers of 2, so that only the half is rounded; beyond it, too."""
    for n in (*LENGTHS, 12_001):
        for label, limit, scale in (
            ("usual", 2000, 0.125),
            ("not scaled", 2000, 1.0),
            ("wide", 1 << 23, 2.0**-8),
            ("small", 1 << 23, 2.0**-30),
            ("beyond halves", 1 << 20, 0.5),
            ("turned", 3000, -2.0),
        ):
            acc = whole(-limit, limit, n, n + limit).int()
            right = acc.double() * scale + 0.0
            words = f"n = {n:,}, scale = {scale}, {label}"
            options = {"dtypes": (torch.float16,), "quick": n > 5000}
            if scale < 0:
                acc = torch.where(acc == 0, 1, acc)
                right = acc.double() * scale
            yield Case(words, (acc,), (right,), {"scale": scale}, **options)


def hard_sigmoids(launcher: Launcher) -> Iterator[Case]:
    """Take hard sigmoid: of usual numbers, around both ends, far off, NaN and infinities."""
    for n in (*LENGTHS, 12_289):
        x, k = whole(-999, 1000, n, n).float() / 200, torch.arange(n)
        for label, y in (
            ("usual", x),
            ("small", x / 4096),
            ("large", x * 5000),
            ("around the ends", torch.sign(x) * 3 + x / 1024),
            ("NaN", torch.where(k % 3 == 1, NAN, x)),
            ("infinities", torch.where(k % 2 == 1, INF, -INF)),
        ):
            right = (y.double() / 6 + 0.5).clamp(0, 1)
            slack = 2.0**-21 * torch.ones(n, dtype=torch.float64)
            for block_size in (256, 64) if n < 2000 else (256,):
                scalars = {"block_size": block_size}
                words = f"n = {n:,}, block_size = {block_size}, {label}"
                options = {"dtypes": (torch.float32,), "within": (slack,), "quick": n > 5000}
                yield Case(words, (y,), (right,), scalars, **options)


def squared_errors(launcher: Launcher) -> Iterator[Case]:
    """Take errors of halves of whole numbers, so that sums are exact; the last one alone."""
    for n in (*LENGTHS, 8193, 12_545, 20_001, 3, 300):
        a, b = (whole(-9, 10, n, 2 * n + k).float() / 2 for k in range(2))
        k = torch.arange(n)
        for label, p, q in (
            ("any", a, b),
            ("equal", a, a),
            ("one apart", a, a + 1),
            ("halves apart", a, a - 0.5),
            ("the last one", torch.where(k == n - 1, a + 3, a), a),
            ("rising", k % 20 / 2, a * 0),
        ):
            right = (p.double() - q.double()).square().mean().reshape(1)
            options = {"dtypes": (torch.float32,), "quick": n > 10_000, "ulp": 1}
            yield Case(f"n = {n:,}, {label}", (p, q), (right,), **options)


def channel_sums(launcher: Launcher) -> Iterator[Case]:
    """Add whole numbers of channels, so that sums are exact; also the last pixels alone."""
    for batch, channels, pixels in PLANES:
        n = batch * channels * pixels
        x = whole(-99, 100, n, n).reshape(batch, channels, pixels).float()
        p = torch.arange(pixels)
        for label, y in (
            ("any", x),
            ("positive", x.abs() + 1),
            ("large", x * 16 + 3000),
            ("the last pixel", torch.where(p == pixels - 1, x.abs() + 1, 0.0)),
        ):
            y = (y + 0.0).half().contiguous()
            right = y.double().sum((0, 2)) + 0.0
            words = f"batch = {batch}, channels = {channels}, pixels = {pixels:,}, {label}"
            yield Case(words, (y,), (right,), dtypes=(torch.float32,))


def loudest(launcher: Launcher) -> Iterator[Case]:
    """Find the loudest: of usual, few, equal, negative, small, rising samples; after loud."""
    for n in (*LENGTHS, 20_001):
        x, k = whole(-9999, 10_000, n, n).float() / 16, torch.arange(n)
        for label, y in (
            ("usual", x),
            ("few values", (x * 16) % 5 - 2),
            ("all equal", x * 0 - 2.5),
            ("positive", x.abs() + 1),
            ("negative", -x.abs() - 1),
            ("small", x / 2**14),
            ("rising", k / 4),
            ("the last one", torch.where(k == n - 1, -700.0, x)),
            ("one is loud", torch.where(k == 5 * n // 7, 700.0, x)),
        ):
            y = y + 0.0
            most = y.abs().amax().reshape(1)
            first = torch.where(y.abs() == most, k, n).amin().reshape(1)
            options = {"dtypes": (torch.float32, torch.int32), "quick": n > 10_000}
            yield Case(f"n = {n:,}, {label}", (y,), (most, first), **options)
            if label == "small" and n < 100:
                words = f"n = {n:,}, after a loud one"
                yield Case(words, (y,), (most, first), before=(y * 9000 + 1,), **options)


def other_diagonals(launcher: Launcher) -> Iterator[Case]:
    """Turn maps: small, thin, long and square ones, of any heights and of rising ones."""
    for rows, cols in (*SIDES, (33, 31), (15, 17), (48, 16), (64, 64)):
        n = rows * cols
        for label, x in (("any", whole(-32768, 32768, n, n)), ("rising", torch.arange(n))):
            x = x.to(torch.int16).reshape(rows, cols)
            right = x.t().flip(0, 1).contiguous()
            words = f"rows = {rows}, cols = {cols:,}, {label}"
            yield Case(words, (x,), (right,), dtypes=(torch.int16,))


def products(launcher: Launcher) -> Iterator[Case]:
    """Multiply bytes with several zero points: thin, long and square matrices."""
    sides = ((1, 1, 1), (3, 5, 7), (8, 8, 8), (33, 17, 40), (2, 50, 3), (70, 1, 9), (1, 70, 33))
    for m, n, k in (
        *sides,
        (7, 9, 8),
        (9, 15, 17),
        (5, 4, 301),
        (24, 16, 20),
        (3, 2, 1025),
        (2, 3, 2050),
    ):
        a = whole(-128, 128, m * k, m + k).reshape(m, k).to(torch.int8)
        b = whole(-128, 128, k * n, n + k).reshape(k, n).to(torch.int8)
        terms = torch.arange(k)
        for label, p, q in (
            ("any", a, b),
            ("large", (a % 8 + 120).to(torch.int8), (b % 8 + 120).to(torch.int8)),
            ("the last term", a, torch.where(terms[:, None] == k - 1, b, 0).to(torch.int8)),
        ):
            for zero in (0, 5, -128):
                right = (p.double() - zero) @ q.double() + 0.0
                words = f"m = {m}, n = {n}, k = {k:,}, zero = {zero}, {label}"
                yield Case(words, (p, q), (right,), {"zero": zero}, dtypes=(torch.int32,))


def masked(launcher: Launcher) -> Iterator[Case]:
    """Take shares of beginnings of rows: usual, far off 0, far apart, rising ones."""
    for rows, cols in (*SIDES, (301, 2), (5, 128)):
        n = rows * cols
        x = whole(-127, 128, n, n).float().reshape(rows, cols) / 16
        c = torch.arange(cols)
        every = torch.full((rows,), cols)
        for label, y, lengths in (
            ("usual", x, whole(1, cols + 1, rows, n + 1)),
            ("whole rows", x, every),
            ("one number", x, every * 0 + 1),
            ("far above 0", x + 300, whole(1, cols + 1, rows, n + 2)),
            ("far below 0", x - 300, whole(1, cols + 1, rows, n + 3)),
            ("far apart", x * 10, every),
            ("rising", x * 0 + c % 200 / 16, (every + 1) // 2),
            ("falling", x * 0 - c % 200 / 16, (every + 1) // 2),
        ):
            z = torch.where(c < lengths[:, None], y.double(), -INF)
            right = z.softmax(1)
            slack = (2.0**-13 * right + 2.0**-40,)
            options = {"dtypes": (torch.float32,), "within": slack}
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y.contiguous(), lengths.int()), (right,), **options)


def instance_norms(launcher: Launcher) -> Iterator[Case]:
    """Norm planes: usual ones, far off 0, small beside eps, equal, one that is not 0."""
    for batch, channels, pixels in PLANES:
        n = batch * channels * pixels
        x = whole(-99, 100, n, n).float().reshape(batch, channels, pixels) / 32
        gamma = whole(8, 65, channels, n + 1).float() / 32
        beta = whole(-64, 65, channels, n + 2).float() / 32
        place = torch.arange(pixels)
        for label, y in (
            ("usual", x),
            ("far off 0", x + 1000),
            ("small", x / 256),
            ("equal", x * 0 + 3),
            ("one number", torch.where(place == pixels // 2, 3.0, 0.0) + x * 0),
        ):
            for eps in (1e-5, 0.5):
                z = y.double()
                mean, var = z.mean(2, keepdim=True), z.var(2, keepdim=True, unbiased=False)
                root = (var + eps).sqrt()
                factor = gamma.double()[:, None] / root
                right = (z - mean) * factor + beta.double()[:, None]
                off = 2.0**-20 * z.abs().amax(2, keepdim=True)
                slack = off * factor * (1 + (z - mean).abs() / root)
                slack = slack + 2.0**-18 * (right.abs() + (beta.double().abs()[:, None]))
                options = {"dtypes": (torch.float32,), "within": (slack,)}
                words = f"batch = {batch}, channels = {channels}, pixels = {pixels:,}"
                words = f"{words}, eps = {eps}, {label}"
                yield Case(words, (y, gamma, beta), (right,), {"eps": eps}, **options)


def gemvs(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole numbers with factors that are powers of 2, so that all is exact."""
    for cols, rows in (*SIDES, (65, 63), (63, 65), (128, 64), (64, 129)):
        n = rows * cols
        a = whole(-30, 31, n, n).float().reshape(cols, rows)
        x, y = whole(-30, 31, cols, n + 1).float(), whole(-999, 1000, rows, n + 2).float()
        for alpha, beta in ((1.0, 1.0), (0.5, -2.0), (-1.0, 0.25)):
            y = torch.where(y == 0, 1.0, y)  # so that no zero has a sign
            right = alpha * (x.double() @ a.double()) + beta * y.double() + 0.0
            words = f"rows = {rows:,}, cols = {cols:,}, alpha = {alpha}, beta = {beta}"
            scalars = {"alpha": alpha, "beta": beta}
            yield Case(words, (a, x, y), (right,), scalars, dtypes=(torch.float32,))


BASES = {
    "fiftyfour_skip": Base(SKIP, {"cases": skips}),
    "fiftyfour_fade": Base(FADE, {"cases": fades}),
    "fiftyfour_recast": Base(RECAST, {"reference": same}),
    "fiftyfour_accum": Base(ACCUM, {"cases": accumulators}),
    "fiftyfour_hsig": Base(HSIG, {"cases": hard_sigmoids}),
    "fiftyfour_softsign": Base(SOFTSIGN, {"reference": softsigns, "ulp": 1}),
    "fiftyfour_mse": Base(MSE, {"cases": squared_errors}),
    "fiftyfour_chansum": Base(CHANSUM, {"cases": channel_sums}),
    "fiftyfour_loudest": Base(LOUDEST, {"cases": loudest}),
    "fiftyfour_anti": Base(ANTI, {"cases": other_diagonals}),
    "fiftyfour_intmm": Base(INTMM, {"cases": products}),
    "fiftyfour_masked": Base(MASKED, {"cases": masked}),
    "fiftyfour_instnorm": Base(INSTNORM, {"cases": instance_norms}),
    "fiftyfour_gemv": Base(GEMV, {"cases": gemvs}),
}

WRONG = (
    # ---- a skip connection
    # The result may lie anywhere, and is written in pairs.
    Wrong(
        "fiftyfour_skip_out_anywhere",
        "fiftyfour_skip",
        "alignment",
        ("__nv_bfloat16* out,      // [n] 4-byte aligned", "__nv_bfloat16* out,      // [n]"),
    ),
    # The last number is done only if 4 leaves one.
    Wrong(
        "fiftyfour_skip_rest_of_four",
        "fiftyfour_skip",
        "tail / unwritten / left out",
        ("n % 2 == 1) {", "n % 4 == 1) {"),
    ),
    # The product is a bfloat16, too.
    Wrong(
        "fiftyfour_skip_product_rounded",
        "fiftyfour_skip",
        "rounding / precision | numbers / function",
        (
            "    float2 u = __bfloat1622float2(xs[p]);\n"
            "    float2 v = __bfloat1622float2(fs[p]);\n    u.x += weight * v.x;\n"
            "    u.y += weight * v.y;\n    outs[p] = __float22bfloat162_rn(u);\n",
            "    __nv_bfloat162 factor = __float2bfloat162_rn(weight);\n"
            "    outs[p] = __hadd2_rn(xs[p], __hmul2_rn(factor, fs[p]));\n",
        ),
    ),
    # No pair, no block.
    Wrong(
        "fiftyfour_skip_no_pair_no_block",
        "fiftyfour_skip",
        "grid / refused / unwritten / left out | tail",
        ("max(1, min(32, (n / 2 + 127) / 128));", "min(32, (n / 2 + 127) / 128);"),
    ),
    # The kernel takes a whole weight.
    Wrong(
        "fiftyfour_skip_whole_weight",
        "fiftyfour_skip",
        "rounding / function / precision / left out | numbers / copy / whole range",
        ("float weight, int n) {\n  int first", "int weight, int n) {\n  int first"),
    ),
    # ---- from a to b
    # The shares lie at multiples of 8 bytes.
    Wrong(
        "fiftyfour_fade_shares_of_8_bytes",
        "fiftyfour_fade",
        "alignment",
        ("const float *t,  // [n] 16-byte aligned", "const float *t,  // [n] 8-byte aligned"),
    ),
    # The test allows one more.
    Wrong(
        "fiftyfour_fade_one_more",
        "fiftyfour_fade",
        "bounds / tail",
        ("if (i + 3 < n) {", "if (i + 3 <= n) {"),
    ),
    # The rest begins with its second.
    Wrong(
        "fiftyfour_fade_rest_from_second",
        "fiftyfour_fade",
        "tail / unwritten / left out",
        ("for (int64_t k = i; k < n; k++)", "for (int64_t k = i + 1; k < n; k++)"),
    ),
    # The difference is kept in b.
    Wrong(
        "fiftyfour_fade_difference_in_b",
        "fiftyfour_fade",
        "input | numbers / state / twice",
        (
            "        p.x += s.x * (q.x - p.x);\n        p.y += s.y * (q.y - p.y);\n"
            "        p.z += s.z * (q.z - p.z);\n        p.w += s.w * (q.w - p.w);\n",
            "        float4 &d = *(float4 *)&b[i];\n"
            "        d = make_float4(q.x - p.x, q.y - p.y, q.z - p.z, q.w - p.w);\n"
            "        p.x += s.x * d.x;\n        p.y += s.y * d.y;\n        p.z += s.z * d.z;\n"
            "        p.w += s.w * d.w;\n",
        ),
    ),
    # a and b change places.
    Wrong(
        "fiftyfour_fade_from_b_to_a",
        "fiftyfour_fade",
        "swapped | function / numbers",
        ("stream>>>(a, b, t, out, n);", "stream>>>(b, a, t, out, n);"),
    ),
    # ---- half to bfloat16
    # The second pair is cut off.
    Wrong(
        "fiftyfour_recast_second_pair_cut",
        "fiftyfour_recast",
        "rounding | numbers / precision",
        (
            "    to[1] = __float22bfloat162_rn(high);\n",
            "    to[1].x = __float2bfloat16_rz(high.x);\n"
            "    to[1].y = __float2bfloat16_rz(high.y);\n",
        ),
    ),
    # Both pairs are one word of 8 bytes.
    Wrong(
        "fiftyfour_recast_store_of_8_bytes",
        "fiftyfour_recast",
        "alignment",
        (
            "    __nv_bfloat162* to = (__nv_bfloat162*)(y + 4 * q);\n",
            "    __nv_bfloat162 to[2];\n",
        ),
        (
            "    to[1] = __float22bfloat162_rn(high);\n",
            "    to[1] = __float22bfloat162_rn(high);\n"
            "    *(uint2*)(y + 4 * q) = make_uint2(*(unsigned*)&to[0], *(unsigned*)&to[1]);\n",
        ),
    ),
    # The number of packs has 16 bits.
    Wrong(
        "fiftyfour_recast_short_quads",
        "fiftyfour_recast",
        "narrow / unwritten / left out | tail / grid / whole range / bounds / other element",
        ("int64_t quads = n / 4;", "short quads = n / 4;"),
    ),
    # Its own float of a half, without subnormal ones.
    Wrong(
        "fiftyfour_recast_own_float",
        "fiftyfour_recast",
        "subnormal | numbers / copy / whole range",
        (
            "__global__ void recast(",
            "__device__ float widen(half x) {\n  unsigned h = __half_as_ushort(x);\n"
            "  unsigned sign = (h & 0x8000) << 16;\n"
            "  unsigned exponent = (h >> 10) & 31, bits = (h & 1023) << 13;\n"
            "  if (exponent == 0) return __uint_as_float(sign);\n"
            "  if (exponent == 31) return __uint_as_float(sign | 0x7f800000 | bits);\n"
            "  return __uint_as_float(sign | (exponent + 112) << 23 | bits);\n}\n\n"
            "__global__ void recast(",
        ),
        ("__half22float2(from[0]);", "make_float2(widen(from[0].x), widen(from[0].y));"),
    ),
    # The rest is counted from the length.
    Wrong(
        "fiftyfour_recast_rest_from_length",
        "fiftyfour_recast",
        "bounds / neighbour / tail | unwritten / left out",
        ("int64_t i = 4 * quads + q;", "int64_t i = n - q;"),
    ),
    # ---- sums of bytes to halves
    # A half first, and then the scale.
    Wrong(
        "fiftyfour_accum_half_first",
        "fiftyfour_accum",
        "infinity / precision / rounding / whole range | numbers / function / nan",
        (
            "float high = acc[i + 1] * scale;",
            "float high = __half2float(__int2half_rn(acc[i + 1])) * scale;",
        ),
    ),
    # The largest half in place of infinity.
    Wrong(
        "fiftyfour_accum_largest_half",
        "fiftyfour_accum",
        "infinity / whole range | numbers",
        (
            "    float low = acc[i] * scale;\n",
            "    float low = fminf(fmaxf(acc[i] * scale, -65504.0f), 65504.0f);\n",
        ),
    ),
    # The sums have 16 bits.
    Wrong(
        "fiftyfour_accum_sums_of_16_bits",
        "fiftyfour_accum",
        "narrow / whole range | numbers / infinity",
        (
            "    float high = acc[i + 1] * scale;\n",
            "    short second = acc[i + 1];\n    float high = second * scale;\n",
        ),
    ),
    # Half of the blocks, rounded down.
    Wrong(
        "fiftyfour_accum_half_the_blocks",
        "fiftyfour_accum",
        "grid / unwritten / tail / left out / refused",
        ("    int pairs = (n + 1) / 2;\n", "    int blocks = (n + 95) / 96;\n"),
        ("<<<(pairs + 95) / 96, 96,", "<<<blocks / 2, 96,"),
    ),
    # The last pair of an even count is taken for a rest.
    Wrong(
        "fiftyfour_accum_last_pair_is_rest",
        "fiftyfour_accum",
        "tail / unwritten / left out",
        ("if (i + 1 == n) {", "if (i + 2 >= n) {"),
    ),
    # ---- hard sigmoid
    # One instruction that makes 0 of NaN.
    Wrong(
        "fiftyfour_hsig_saturated",
        "fiftyfour_hsig",
        "nan | numbers",
        (
            "    float v = x / 6.0f + 0.5f;\n    if (v < 0.0f) v = 0.0f;\n"
            "    if (v > 1.0f) v = 1.0f;\n    return v;\n",
            "    return __saturatef(x / 6.0f + 0.5f);\n",
        ),
    ),
    # Blocks are 256 threads wide.
    Wrong(
        "fiftyfour_hsig_steps_of_256",
        "fiftyfour_hsig",
        "block size / left out / unwritten | twice / tail / race",
        ("start + k * blockDim.x;", "start + k * 256;"),
    ),
    # A block does eight numbers a thread, says the launcher.
    Wrong(
        "fiftyfour_hsig_eight_a_thread",
        "fiftyfour_hsig",
        "grid / unwritten / left out | tail / block size",
        ("per_block = 4 * block_size;", "per_block = 8 * block_size;"),
    ),
    # The slope of another library.
    Wrong(
        "fiftyfour_hsig_slope_of_a_fifth",
        "fiftyfour_hsig",
        "function | numbers / precision",
        ("x / 6.0f + 0.5f;", "0.2f * x + 0.5f;"),
    ),
    # No stream is named.
    Wrong(
        "fiftyfour_hsig_no_stream",
        "fiftyfour_hsig",
        "stream",
        ("block_size, 0, stream>>>(x, y, n);", "block_size>>>(x, y, n);"),
    ),
    # ---- softsign
    # All is computed with halves.
    Wrong(
        "fiftyfour_softsign_all_halves",
        "fiftyfour_softsign",
        "precision / rounding | numbers / function / subnormal",
        (
            "    float v = __half2float(x[i]);\n"
            "    y[i] = __float2half(v / (1.0f + fabsf(v)));\n",
            "    half one = __float2half(1.0f);\n"
            "    y[i] = __hmul(x[i], hrcp(__hadd(one, __habs(x[i]))));\n",
        ),
    ),
    # The kernel takes a count of 16 bits.
    Wrong(
        "fiftyfour_softsign_short_count",
        "fiftyfour_softsign",
        "narrow / unwritten / left out | tail / grid / whole range / timeout",
        ("half* y, int n) {", "half* y, short n) {"),
    ),
    # The blocks of the first call stay.
    Wrong(
        "fiftyfour_softsign_blocks_of_first_call",
        "fiftyfour_softsign",
        "state / grid / left out / unwritten | twice",
        (
            "int blocks = min((n + 127) / 128, 64);",
            "static const int blocks = (n + 127) / 128;",
        ),
        ("  int stride = gridDim.x * blockDim.x;\n", ""),
        (
            "  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {\n",
            "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) {\n",
        ),
    ),
    # The root of a square in place of the absolute value.
    Wrong(
        "fiftyfour_softsign_root_of_squares",
        "fiftyfour_softsign",
        "function | numbers / precision / infinity / nan",
        ("v / (1.0f + fabsf(v))", "v * rsqrtf(1.0f + v * v)"),
    ),
    # Limits that make a number of NaN.
    Wrong(
        "fiftyfour_softsign_limits_first",
        "fiftyfour_softsign",
        "nan / infinity | numbers",
        (
            "float v = __half2float(x[i]);",
            "float v = fmaxf(fminf(__half2float(x[i]), 65504.0f), -65504.0f);",
        ),
    ),
    # ---- mean squared error
    # The total begins with what is there.
    Wrong(
        "fiftyfour_mse_total_from_out",
        "fiftyfour_mse",
        "start / zero before / state / nan | numbers / twice",
        ("float total = 0.0f;", "float total = *out;"),
    ),
    # The tree ends at two.
    Wrong(
        "fiftyfour_mse_tree_ends_at_two",
        "fiftyfour_mse",
        "left out | numbers / function / other element",
        ("k > 0; k /= 2)", "k > 1; k /= 2)"),
    ),
    # Nobody waits between two steps of the tree.
    Wrong(
        "fiftyfour_mse_tree_no_barrier",
        "fiftyfour_mse",
        "race | numbers / left out / state / other element",
        (
            "            sums[t] += sums[t + k];\n        __syncthreads();\n    }\n",
            "            sums[t] += sums[t + k];\n    }\n",
        ),
    ),
    # More blocks than parts.
    Wrong(
        "fiftyfour_mse_more_blocks_than_parts",
        "fiftyfour_mse",
        "bounds | state / grid",
        ("    if (blocks > MAX_BLOCKS)\n        blocks = MAX_BLOCKS;\n", ""),
    ),
    # A sum of integers.
    Wrong(
        "fiftyfour_mse_whole_sum",
        "fiftyfour_mse",
        "rounding / precision / whole range | numbers / left out / function",
        ("    float s = 0.0f;\n", "    int s = 0;\n"),
    ),
    # ---- sums of channels
    # Channels before the batch.
    Wrong(
        "fiftyfour_chansum_batch_inside",
        "fiftyfour_chansum",
        "other element / sides / swapped | numbers",
        ("((size_t)b * channels + c) * pixels;", "((size_t)c * batch + b) * pixels;"),
    ),
    # The first thread does not wait for the second warp.
    Wrong(
        "fiftyfour_chansum_no_barrier",
        "fiftyfour_chansum",
        "race / unwritten | numbers / left out / state / nan / start",
        ("  __syncthreads();\n", ""),
    ),
    # A thread's sum is a half.
    Wrong(
        "fiftyfour_chansum_half_sum",
        "fiftyfour_chansum",
        "precision / rounding | numbers / infinity / function",
        ("  float s = 0.0f;\n", "  half h = __float2half(0.0f);\n"),
        (
            "s += __half2float(plane[p]);\n  }\n",
            "h = __hadd(h, plane[p]);\n  }\n  float s = __half2float(h);\n",
        ),
    ),
    # Shuffles begin at 8.
    Wrong(
        "fiftyfour_chansum_shuffles_from_8",
        "fiftyfour_chansum",
        "left out | numbers / other element",
        ("int d = 16;", "int d = 8;"),
    ),
    # Atomics, and nobody sets to 0 before.
    Wrong(
        "fiftyfour_chansum_atomics_alone",
        "fiftyfour_chansum",
        "zero before / state / nan / start | numbers / twice",
        ("  __shared__ float sums[2];\n", ""),
        (
            "sums[threadIdx.x / 32] = s;\n  __syncthreads();\n"
            "  if (threadIdx.x == 0) out[c] = sums[0] + sums[1];\n",
            "atomicAdd(&out[c], s);\n",
        ),
    ),
    # ---- the loudest sample
    # The key is never set back.
    Wrong(
        "fiftyfour_loudest_not_set_back",
        "fiftyfour_loudest",
        "state / zero before | numbers / other element / start",
        ("    reset<<<1, 1, 0, stream>>>();\n", ""),
    ),
    # The last of equals.
    Wrong(
        "fiftyfour_loudest_last_of_equals",
        "fiftyfour_loudest",
        "other element | numbers / neighbour / function",
        ("(0xffffffffu - i);", "(unsigned)i;"),
        ("*place = 0xffffffffu - (unsigned)best;", "*place = (unsigned)best;"),
    ),
    # Set back on the default stream.
    Wrong(
        "fiftyfour_loudest_reset_elsewhere",
        "fiftyfour_loudest",
        "stream | race / state",
        ("reset<<<1, 1, 0, stream>>>", "reset<<<1, 1>>>"),
    ),
    # Nothing is below 1.
    Wrong(
        "fiftyfour_loudest_from_one",
        "fiftyfour_loudest",
        "start | numbers / other element / copy / function / left out",
        (
            "unsigned long long mine = 0;",
            "unsigned long long mine = (unsigned long long)__float_as_uint(1.0f) << 32;",
        ),
    ),
    # What a lane gets has 32 bits.
    Wrong(
        "fiftyfour_loudest_other_of_32_bits",
        "fiftyfour_loudest",
        "narrow / left out / whole range | numbers / other element",
        ("unsigned long long other =", "unsigned other ="),
    ),
    # ---- the other diagonal
    # Who has no number does not wait.
    Wrong(
        "fiftyfour_anti_barrier_in_branch",
        "fiftyfour_anti",
        "race | refused",
        (
            "    if (r < rows && c < cols)\n"
            "        tile[threadIdx.y][threadIdx.x] = in[(int64_t)r * cols + c];\n"
            "    __syncthreads();\n",
            "    if (r < rows && c < cols) {\n"
            "        tile[threadIdx.y][threadIdx.x] = in[(int64_t)r * cols + c];\n"
            "        __syncthreads();\n    }\n",
        ),
    ),
    # Lines as long as those of the input.
    Wrong(
        "fiftyfour_anti_old_pitch",
        "fiftyfour_anti",
        "sides / bounds / other element | unwritten / race / left out / twice / neighbour / tail",
        ("out[line * rows +", "out[line * cols +"),
    ),
    # Only lines are turned round.
    Wrong(
        "fiftyfour_anti_lines_alone",
        "fiftyfour_anti",
        "other element / function / neighbour | numbers / sides / swapped",
        ("+ (rows - 1 - r)]", "+ r]"),
    ),
    # The grid's sides change places.
    Wrong(
        "fiftyfour_anti_grid_turned",
        "fiftyfour_anti",
        "grid / sides / swapped / unwritten / left out | tail",
        (
            "dim3 grid((cols + S - 1) / S, (rows + S - 1) / S);",
            "dim3 grid((rows + S - 1) / S, (cols + S - 1) / S);",
        ),
    ),
    # The tile is not turned.
    Wrong(
        "fiftyfour_anti_tile_not_turned",
        "fiftyfour_anti",
        "other element / function / unwritten / neighbour | numbers / sides / race / state",
        ("= tile[threadIdx.x][threadIdx.y];", "= tile[threadIdx.y][threadIdx.x];"),
    ),
    # ---- a product of bytes
    # A byte for the difference.
    Wrong(
        "fiftyfour_intmm_byte_difference",
        "fiftyfour_intmm",
        "whole range / narrow | numbers / infinity / function",
        ("  __shared__ int p[8][8], q[8][8];\n", "  __shared__ int8_t p[8][8], q[8][8];\n"),
    ),
    # Nobody waits before the next tile.
    Wrong(
        "fiftyfour_intmm_second_barrier",
        "fiftyfour_intmm",
        "race | numbers / other element / state / left out",
        ("q[i][tx];\n    __syncthreads();\n", "q[i][tx];\n"),
    ),
    # Whole tiles alone.
    Wrong(
        "fiftyfour_intmm_whole_tiles",
        "fiftyfour_intmm",
        "left out / tail | numbers / function / sides",
        ("start < k; start += 8", "start + 8 <= k; start += 8"),
    ),
    # The sum is a float.
    Wrong(
        "fiftyfour_intmm_float_sum",
        "fiftyfour_intmm",
        "precision / narrow / rounding | numbers / whole range",
        ("  int sum = 0;\n", "  float sum = 0.0f;\n"),
    ),
    # b is read by its columns.
    Wrong(
        "fiftyfour_intmm_b_by_columns",
        "fiftyfour_intmm",
        "sides / other element / swapped / bounds | numbers / neighbour / function",
        ("b[(size_t)v * n + col]", "b[(size_t)col * k + v]"),
    ),
    # ---- softmax of beginnings
    # All numbers count in the sum.
    Wrong(
        "fiftyfour_masked_all_count",
        "fiftyfour_masked",
        "left out / function / other element | numbers / precision / infinity / nan",
        (
            "for (int c = lane; c < length; c += 32) {",
            "for (int c = lane; c < cols; c += 32) {",
        ),
    ),
    # The maximum begins at 0.
    Wrong(
        "fiftyfour_masked_from_zero",
        "fiftyfour_masked",
        "start / nan / infinity / precision | numbers / function / subnormal / left out",
        ("float m = -FLT_MAX,", "float m = 0.0f,"),
    ),
    # The rest of a row is not written.
    Wrong(
        "fiftyfour_masked_rest_unwritten",
        "fiftyfour_masked",
        "unwritten / nan / tail / left out | state / numbers / other element",
        (
            "    for (int c = lane; c < cols; c += 32) {\n"
            "        to[c] = c < length ? expf(in[c] - top) / s : 0.0f;\n    }\n",
            "    for (int c = lane; c < length; c += 32) to[c] = expf(in[c] - top) / s;\n",
        ),
    ),
    # Sums of lanes are not scaled.
    Wrong(
        "fiftyfour_masked_lanes_not_scaled",
        "fiftyfour_masked",
        "function / left out / numbers | precision / infinity",
        ("    s *= expf(m - top);\n", ""),
    ),
    # The new maximum comes too early.
    Wrong(
        "fiftyfour_masked_new_maximum_first",
        "fiftyfour_masked",
        "function / left out / numbers | precision / infinity",
        (
            "            s *= expf(m - v);\n            m = v;\n",
            "            m = v;\n            s *= expf(m - v);\n",
        ),
    ),
    # ---- norm of planes
    # The next sum begins while others read the last.
    Wrong(
        "fiftyfour_instnorm_sum_no_barrier",
        "fiftyfour_instnorm",
        "race | numbers / other element / state / function",
        (
            "    float total = sums[0];\n    __syncthreads();\n    return total;\n",
            "    return sums[0];\n",
        ),
    ),
    # The number in the batch in place of the channel.
    Wrong(
        "fiftyfour_instnorm_channel_of_batch",
        "fiftyfour_instnorm",
        "other element / bounds / sides | numbers / function / swapped",
        ("blockIdx.x % channels;", "blockIdx.x / channels;"),
    ),
    # The variance of a sample.
    Wrong(
        "fiftyfour_instnorm_less_one",
        "fiftyfour_instnorm",
        "function | numbers / nan / infinity / precision",
        ("block_sum(q) / pixels + eps", "block_sum(q) / (pixels - 1) + eps"),
    ),
    # Squares less the square of the mean.
    Wrong(
        "fiftyfour_instnorm_mean_of_squares",
        "fiftyfour_instnorm",
        "precision | numbers / function / nan / rounding / infinity",
        (
            "    for (int p = threadIdx.x; p < pixels; p += T)\n        s += in[p];\n",
            "    for (int p = threadIdx.x; p < pixels; p += T) {\n        s += in[p];\n"
            "        q += in[p] * in[p];\n    }\n",
        ),
        (
            "    for (int p = threadIdx.x; p < pixels; p += T) {\n"
            "        float d = in[p] - mean;\n        q += d * d;\n    }\n",
            "",
        ),
        (
            "rsqrtf(block_sum(q) / pixels + eps);",
            "rsqrtf(block_sum(q) / pixels - mean * mean + eps);",
        ),
    ),
    # Differences are kept in x.
    Wrong(
        "fiftyfour_instnorm_differences_in_x",
        "fiftyfour_instnorm",
        "input | state / numbers / function",
        (
            "    const float *in = x + (size_t)blockIdx.x * pixels;\n",
            "    float *in = (float *)x + (size_t)blockIdx.x * pixels;\n",
        ),
        (
            "        float d = in[p] - mean;\n        q += d * d;\n",
            "        in[p] -= mean;\n        q += in[p] * in[p];\n",
        ),
        ("to[p] = (in[p] - mean) * factor", "to[p] = in[p] * factor"),
    ),
    # ---- a matrix by columns times a vector
    # Who has no row leaves.
    Wrong(
        "fiftyfour_gemv_leaves_early",
        "fiftyfour_gemv",
        "unwritten / race / left out | numbers / state / nan / start / tail / other element",
        ("  float s = 0.0f;\n", "  if (row >= rows) return;\n  float s = 0.0f;\n"),
    ),
    # The factors change places.
    Wrong(
        "fiftyfour_gemv_factors_turned",
        "fiftyfour_gemv",
        "swapped / function | numbers",
        ("y, alpha, beta, rows, cols);\n}\n", "y, beta, alpha, rows, cols);\n}\n"),
    ),
    # Nobody waits for the piece.
    Wrong(
        "fiftyfour_gemv_first_barrier",
        "fiftyfour_gemv",
        "race / unwritten | numbers / other element / left out / state / nan",
        ("x[c];\n    __syncthreads();\n", "x[c];\n"),
    ),
    # The result is read in place of y0.
    Wrong(
        "fiftyfour_gemv_reads_result",
        "fiftyfour_gemv",
        "unwritten / zero before / state / nan / start | numbers / function / other element",
        ("beta * y0[row];", "beta * y[row];"),
    ),
    # A piece is always whole.
    Wrong(
        "fiftyfour_gemv_whole_pieces",
        "fiftyfour_gemv",
        "bounds / tail | sides / unwritten / nan / numbers / other element",
        ("int count = min(T, cols - start);", "int count = T;"),
    ),
)

RIGHT = (
    # Words of 32 bits that are taken apart by shifts.
    Right(
        "fiftyfour_skip_by_shifts",
        "fiftyfour_skip",
        (
            "    float2 u = __bfloat1622float2(xs[p]);\n"
            "    float2 v = __bfloat1622float2(fs[p]);\n",
            "    unsigned a = ((const unsigned*)x)[p], b = ((const unsigned*)f)[p];\n"
            "    float2 u = make_float2(__uint_as_float(a << 16), __uint_as_float(a & "
            "0xffff0000u));\n"
            "    float2 v = make_float2(__uint_as_float(b << 16), __uint_as_float(b & "
            "0xffff0000u));\n",
        ),
        (
            "  const __nv_bfloat162* xs = (const __nv_bfloat162*)x;\n"
            "  const __nv_bfloat162* fs = (const __nv_bfloat162*)f;\n",
            "",
        ),
    ),
    # The rest by a switch that falls through.
    Right(
        "fiftyfour_fade_falls_through",
        "fiftyfour_fade",
        (
            "        for (int64_t k = i; k < n; k++)\n"
            "            out[k] = a[k] + t[k] * (b[k] - a[k]);\n",
            "        switch (n - i) {\n        case 3:\n"
            "            out[i + 2] = fmaf(t[i + 2], b[i + 2] - a[i + 2], a[i + 2]);\n"
            "        case 2:\n"
            "            out[i + 1] = fmaf(t[i + 1], b[i + 1] - a[i + 1], a[i + 1]);\n"
            "        case 1:\n            out[i] = fmaf(t[i], b[i] - a[i], a[i]);\n        }\n",
        ),
    ),
    # Its own float of a half, by a product that makes subnormal ones normal.
    Right(
        "fiftyfour_recast_own_float_scaled",
        "fiftyfour_recast",
        (
            "__global__ void recast(",
            "__device__ float widen(half x) {\n  unsigned h = __half_as_ushort(x);\n"
            "  unsigned sign = (h & 0x8000) << 16;\n"
            "  if ((h & 0x7c00) == 0x7c00) return __uint_as_float(sign | 0x7f800000 | (h "
            "& 1023) << 13);\n"
            "  float scaled = __uint_as_float((h & 0x7fff) << 13) * 0x1p112f;\n"
            "  return copysignf(scaled, __uint_as_float(sign));\n}\n\n__global__ void recast(",
        ),
        ("__half22float2(from[0]);", "make_float2(widen(from[0].x), widen(from[0].y));"),
        ("int64_t i = 4 * quads + q;", "int64_t i = n - 1 - q;"),
    ),
    # Blocks that have nothing to do, and the last ones first.
    Right(
        "fiftyfour_accum_idle_blocks",
        "fiftyfour_accum",
        (
            "(blockIdx.x * blockDim.x + threadIdx.x) * 2;",
            "((gridDim.x - 1 - blockIdx.x) * blockDim.x + threadIdx.x) * 2;",
        ),
        ("<<<(pairs + 95) / 96, 96,", "<<<(pairs + 95) / 96 + 50, 96,"),
    ),
    # One instruction, and a branch for NaN; the kernel is a template.
    Right(
        "fiftyfour_hsig_template_saturated",
        "fiftyfour_hsig",
        (
            "    float v = x / 6.0f + 0.5f;\n    if (v < 0.0f) v = 0.0f;\n"
            "    if (v > 1.0f) v = 1.0f;\n    return v;\n",
            "    return x == x ? __saturatef(fmaf(x, 1.0f / 6.0f, 0.5f)) : x;\n",
        ),
        (
            "__global__ void hard_sigmoids(",
            "template <int STEPS>\n__global__ void hard_sigmoids(",
        ),
        ("(4 * blockDim.x) + threadIdx.x;", "(STEPS * blockDim.x) + threadIdx.x;"),
        ("k < 4; k++", "k < STEPS; k++"),
        ("per_block = 4 * block_size;", "per_block = 2 * block_size;"),
        (
            "    hard_sigmoids<<<(n + per_block - 1) / per_block, block_size, 0, "
            "stream>>>(x, y, n);\n",
            "    unsigned blocks = (n + per_block - 1) / per_block;\n"
            "    hard_sigmoids<2><<<blocks, block_size, 0, stream>>>(x, y, n);\n",
        ),
    ),
    # Backwards, by a reciprocal.
    Right(
        "fiftyfour_softsign_backwards",
        "fiftyfour_softsign",
        (
            "for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {",
            "for (int i = n - 1 - (blockIdx.x * blockDim.x + threadIdx.x); i >= 0; i -= "
            "stride) {",
        ),
        ("v / (1.0f + fabsf(v))", "v * (1.0f / (1.0f + fabsf(v)))"),
    ),
    # The ticket wraps, and nobody sets it back.
    Right(
        "fiftyfour_mse_ticket_wraps",
        "fiftyfour_mse",
        ("atomicAdd(&arrived, 1) <", "atomicInc(&arrived, gridDim.x - 1) <"),
        ("    arrived = 0;\n", ""),
    ),
    # A memset, and an atomic of each warp.
    Right(
        "fiftyfour_chansum_memset_and_atomics",
        "fiftyfour_chansum",
        ("  __shared__ float sums[2];\n", ""),
        (
            "sums[threadIdx.x / 32] = s;\n  __syncthreads();\n"
            "  if (threadIdx.x == 0) out[c] = sums[0] + sums[1];\n",
            "atomicAdd(&out[c], s);\n",
        ),
        (
            "  channel_sums<<<",
            "  cudaMemsetAsync(out, 0, channels * sizeof(float), stream);\n  channel_sums<<<",
        ),
    ),
    # Set back by the kernel that reports.
    Right(
        "fiftyfour_loudest_report_sets_back",
        "fiftyfour_loudest",
        ("__global__ void reset() { best = 0; }\n\n", ""),
        ("    reset<<<1, 1, 0, stream>>>();\n", ""),
        (
            "    *place = 0xffffffffu - (unsigned)best;\n",
            "    *place = 0xffffffffu - (unsigned)best;\n    best = 0;\n",
        ),
    ),
    # No tile: a thread reads a number and writes it.
    Right(
        "fiftyfour_anti_no_tile",
        "fiftyfour_anti",
        ("    __shared__ int16_t tile[S][S + 2];\n", ""),
        (
            "    if (r < rows && c < cols)\n"
            "        tile[threadIdx.y][threadIdx.x] = in[(int64_t)r * cols + c];\n"
            "    __syncthreads();\n    c = blockIdx.x * S + threadIdx.y;\n"
            "    r = blockIdx.y * S + threadIdx.x;\n",
            "",
        ),
        ("= tile[threadIdx.x][threadIdx.y];", "= in[(int64_t)r * cols + c];"),
    ),
    # The zero point is taken off outside, too; an unsigned sum that wraps.
    Right(
        "fiftyfour_intmm_unsigned_sum",
        "fiftyfour_intmm",
        (
            "row < m && u < k ? a[(size_t)row * k + u] - zero : 0;",
            "(row < m && u < k ? a[(size_t)row * k + u] : 0) - zero;",
        ),
        ("  int sum = 0;\n", "  unsigned sum = 0;\n"),
    ),
    # The maximum begins with the first number of the row.
    Right(
        "fiftyfour_masked_from_first",
        "fiftyfour_masked",
        ("float m = -FLT_MAX,", "float m = in[0],"),
    ),
    # Sums in double.
    Right(
        "fiftyfour_instnorm_double_sums",
        "fiftyfour_instnorm",
        ("__device__ float block_sum(float v)\n", "__device__ double block_sum(double v)\n"),
        ("    __shared__ float sums[T];\n", "    __shared__ double sums[T];\n"),
        ("    float total = sums[0];\n", "    double total = sums[0];\n"),
        ("    float s = 0.0f, q = 0.0f;\n", "    double s = 0.0, q = 0.0;\n"),
    ),
    # The sum begins with y0, and the vector has its factor.
    Right(
        "fiftyfour_gemv_from_y0",
        "fiftyfour_gemv",
        ("  float s = 0.0f;\n", "  float s = row < rows ? beta * y0[row] : 0.0f;\n"),
        ("piece[threadIdx.x] = x[c];", "piece[threadIdx.x] = alpha * x[c];"),
        ("y[row] = alpha * s + beta * y0[row];", "y[row] = s;"),
    ),
)
