"""Hold a fifty-fifth family: kernels of half a year's practice, and their usual mistakes.

Its bases are momentum of halves, places after a step of time, a float as a sum of two bfloat16,
samples of 16 bits to floats, leaky ReLU of halves, the sine of w * x, the mean hinge loss,
means of rows under a mask of bytes, the hottest point of each map, the transpose of floats as
halves, a product of matrices with a diagonal between, a lower triangle times a vector, softmax
with one more in the sum, and columns of a table about 0 with deviation 1. They have 14 to 48
lines, and are of people with half a year of CUDA: one who trains, a physicist, one who wants
more digits, a reader of sound files, a user of PyTorch, readers of papers and of a note, a
student of learning theory, one who embeds sentences, one who looks for joints in pictures, one
who packs weights, a user of factored matrices, a numerical analyst and a keeper of tables. They
use half2 with a thread more for the last number, float4 in a loop over the grid with threads
for the rest, pairs in two outputs, four numbers or a rest in the same thread, a loop over the
grid, a thread a number, two kernels with one tree, a warp a row with shuffles, a tree of pairs
in shared memory, a tile of 32 with 8 rows of threads, tiles of 16, a maximum and a sum that
grow together, and Welford's means of 8 threads. Their mistakes are spread over alignment,
sizes, grids and integers of 8 and 16 bits, values, rounding, NaN and infinity, inputs that are
written, sums, transposes, products, order, streams and what is left of an earlier call. The
causes were written before a member was judged. On the emulator each ran beside PyTorch,
compared as a case does, called twice on the same tensors, once each with NaN and 1e3 in
floating outputs and with tensors at either end of their pages, inputs that cannot be written in
one of both, on a stream that is not the default one, with the threads in order; bases and right
ones but those of pcm also with threads in a random order and at a hundred other sizes or so, as
far as a few seconds reach. nvcc 13.0 compiles each for 8.0, all members of a base in one file;
none was run on a GPU. Bases and right ones are right, and all wrong ones wrong or refused by a
fault:

    fiftyfive_veloc_g_anywhere            from 2 numbers on, by the address of g
    fiftyfive_veloc_no_thread_more        of odd counts, if the block size divides the pairs
    fiftyfive_veloc_factor_is_half        in pairs, if the factor is no half
    fiftyfive_veloc_keeps_velocity        from 2 numbers on: v is overwritten
    fiftyfive_veloc_blocks_of_128         of other block sizes, if there are several blocks
    fiftyfive_drift_out_of_8_bytes        from 4 numbers on, by the address of out
    fiftyfive_drift_rest_of_one           if 4 leaves 2 or 3 of the count
    fiftyfive_drift_no_loop               from 30,724 numbers on
    fiftyfive_drift_v_for_a               unless both are equal, or have no effect
    fiftyfive_drift_half_is_zero          unless accelerations are 0
    fiftyfive_split_x_anywhere            from 2 numbers on, by the address of x
    fiftyfive_split_bits_without_nan      of NaN, but only of some of its bits
    fiftyfive_split_first_part_cut        in pairs, of what is above a half unit
    fiftyfive_split_pair_of_one           of odd counts: one behind the end is read and written
    fiftyfive_split_difference_turned     in pairs, unless the float is a bfloat16
    fiftyfive_pcm_samples_of_4_bytes      from 4 numbers on, by the address of pcm
    fiftyfive_pcm_largest_is_one          unless all samples are 0
    fiftyfive_pcm_whole_fours             of a rest, if the block size divides the fours
    fiftyfive_pcm_without_sign            from 4 numbers on, of samples below 0
    fiftyfive_pcm_short_block             from 32,769 blocks on
    fiftyfive_leaky_larger_of_both        if the slope is above 1
    fiftyfive_leaky_else_zero             of NaN
    fiftyfive_leaky_half_slope            if the slope is no half
    fiftyfive_leaky_no_stream             on another stream than the default one
    fiftyfive_leaky_one_more              always: a number behind the end is read and written
    fiftyfive_siren_by_cosine             of small angles, and of those near multiples of pi
    fiftyfive_siren_times_pi              unless all are 0
    fiftyfive_siren_whole_blocks          unless the block size divides the count
    fiftyfive_siren_rest_of_two_pi        of angles beyond 2 pi
    fiftyfive_siren_rows_of_blocks        from 65 blocks on, unless 64 divides their number
    fiftyfive_hinge_second_too_short      from 16,385 numbers on
    fiftyfive_hinge_larger_than_zero      of NaN
    fiftyfive_hinge_tree_no_barrier       where threads do not wait for another
    fiftyfive_hinge_mean_elsewhere        on another stream than the default one
    fiftyfive_hinge_parts_grow            from the second call on, unless the loss is 0
    fiftyfive_mmean_ones_alone            of masks with other bytes than 0 and 1
    fiftyfive_mmean_times_zero            if NaN or infinity is behind the mask
    fiftyfive_mmean_zeros_in_x            if the mask takes away anything: x is overwritten
    fiftyfive_mmean_by_none               of rows of which nothing is left
    fiftyfive_mmean_four_rows             of other block sizes than 128
    fiftyfive_hot_from_zero               of maps that are below 0
    fiftyfive_hot_any_of_equals           if the hottest comes again, with a lower thread
    fiftyfive_hot_tree_no_barrier         where threads do not wait for another
    fiftyfive_hot_height_for_width        unless a map is square, or its first point is hottest
    fiftyfive_hot_tree_from_quarter       if the hottest is seen by one of the last 32 threads
    fiftyfive_packt_cut_off               of what is above a half unit
    fiftyfive_packt_sides_not_turned      unless the matrix is square
    fiftyfive_packt_steps_of_16           from 9 columns on
    fiftyfive_packt_no_barrier            from 2 rows or columns on, where threads do not wait
    fiftyfive_packt_tiles_stay            from 33 rows or columns on
    fiftyfive_adb_diagonal_by_rows        unless the diagonal's numbers are equal
    fiftyfive_adb_b_columns               unless 16 divides the columns of b: behind its end
    fiftyfive_adb_first_barrier           where threads do not wait for another
    fiftyfive_adb_grid_turned             unless there are as many tiles in both directions
    fiftyfive_adb_diagonal_twice          unless the diagonal's numbers are 1 (or 0)
    fiftyfive_lower_no_diagonal           unless the products there are 0
    fiftyfive_lower_by_columns            from 2 rows on
    fiftyfive_lower_times_zero            if NaN or infinity is above the diagonal
    fiftyfive_lower_mask_of_16            always: 16 lanes are not in the mask
    fiftyfive_lower_adds_to_y             unless 0 was there
    fiftyfive_quiet_nothing_more          unless the sum is large
    fiftyfive_quiet_one_a_thread          unless the sum is large
    fiftyfive_quiet_one_at_the_end        if the maximum is above 0, and the sum not large
    fiftyfive_quiet_first_barrier         where threads do not wait for another
    fiftyfive_quiet_block_a_column        unless the matrix is square
    fiftyfive_zscore_eps_outside          unless the deviation is 1, or the small number 0
    fiftyfive_zscore_means_alike          unless 8 divides the rows
    fiftyfive_zscore_old_mean             from 2 rows on, unless all are equal
    fiftyfive_zscore_no_barrier           where threads do not wait for another
    fiftyfive_zscore_counts_of_a_byte     from 2,041 rows on
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import whole

# One who trains: momentum of halves, a pair a thread, and a thread more for the last number.
VELOC = (
    HEADER
    + """\
__global__ void momentum(const half* v, const half* g, half* out, float mu, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int pairs = n / 2;
  if (i < pairs) {
    float2 p = __half22float2(((const half2*)v)[i]);
    float2 q = __half22float2(((const half2*)g)[i]);
    ((half2*)out)[i] = __floats2half2_rn(mu * p.x + q.x, mu * p.y + q.y);
  } else if (i == pairs && n % 2) {
    out[n - 1] = __float2half(mu * __half2float(v[n - 1]) + __half2float(g[n - 1]));
  }
}

extern "C" void launch(const half* v,  // [n] 4-byte aligned
                       const half* g,  // [n] 4-byte aligned
                       half* out,      // [n] 4-byte aligned
                       float mu, int n, int block_size = 128, cudaStream_t stream = 0) {
  int blocks = (n / 2 + block_size) / block_size;
  momentum<<<blocks, block_size, 0, stream>>>(v, g, out, mu, n);
}
"""
)

# A physicist: places after a step of time, float4 in a loop over the grid, and a rest.
DRIFT = (
    HEADER
    + """\
__global__ void drift(const float *x, const float *v, const float *a, float *out, float dt,
                      int64_t n)
{
    int64_t quads = n / 4;
    int64_t first = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    int64_t stride = (int64_t)gridDim.x * blockDim.x;
    float h = 0.5f * dt * dt;
    for (int64_t q = first; q < quads; q += stride) {
        float4 p = ((const float4 *)x)[q];
        float4 s = ((const float4 *)v)[q];
        float4 t = ((const float4 *)a)[q];
        p.x += dt * s.x + h * t.x;
        p.y += dt * s.y + h * t.y;
        p.z += dt * s.z + h * t.z;
        p.w += dt * s.w + h * t.w;
        ((float4 *)out)[q] = p;
    }
    int64_t i = 4 * quads + first;
    if (i < n)
        out[i] = x[i] + (dt * v[i] + h * a[i]);
}

extern "C" void launch(const float *x,  // [n] 16-byte aligned
                       const float *v,  // [n] 16-byte aligned
                       const float *a,  // [n] 16-byte aligned
                       float *out,      // [n] 16-byte aligned
                       float dt, int64_t n, cudaStream_t stream = 0)
{
    int64_t blocks = n / 4 / 128 + 1;
    if (blocks > 60)
        blocks = 60;
    drift<<<blocks, 128, 0, stream>>>(x, v, a, out, dt, n);
}
"""
)

# One who wants more digits: a float as a sum of two bfloat16, two numbers a thread.
SPLIT = (
    HEADER
    + """\
__global__ void split(const float* x, __nv_bfloat16* hi, __nv_bfloat16* lo, int n) {
  int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n) return;
  if (i + 1 < n) {
    float2 v = *(const float2*)&x[i];
    __nv_bfloat162 h = __floats2bfloat162_rn(v.x, v.y);
    float2 b = __bfloat1622float2(h);
    *(__nv_bfloat162*)&hi[i] = h;
    *(__nv_bfloat162*)&lo[i] = __floats2bfloat162_rn(v.x - b.x, v.y - b.y);
  } else {
    __nv_bfloat16 h = __float2bfloat16(x[i]);
    hi[i] = h;
    lo[i] = __float2bfloat16(x[i] - __bfloat162float(h));
  }
}

extern "C" void launch(const float* x,     // [n] 8-byte aligned
                       __nv_bfloat16* hi,  // [n] 4-byte aligned
                       __nv_bfloat16* lo,  // [n] 4-byte aligned
                       int n, cudaStream_t stream = 0) {
  int threads = (n + 1) / 2;
  split<<<(threads + 95) / 96, 96, 0, stream>>>(x, hi, lo, n);
}
"""
)

# A reader of sound files: samples of 16 bits to floats from -1 to 1, four at once and a rest.
PCM = (
    HEADER
    + """\
__global__ void samples_to_floats(const int16_t *pcm, float *y, int n)
{
    int block = blockIdx.x;
    int start = (block * blockDim.x + threadIdx.x) * 4;
    if (start + 4 <= n) {
        short4 s = *(const short4 *)(pcm + start);
        float4 f;
        f.x = s.x / 32768.0f;
        f.y = s.y / 32768.0f;
        f.z = s.z / 32768.0f;
        f.w = s.w / 32768.0f;
        *(float4 *)(y + start) = f;
    } else {
        for (int i = start; i < n; i++)
            y[i] = pcm[i] / 32768.0f;
    }
}

extern "C" void launch(const int16_t *pcm,  // [n] 8-byte aligned
                       float *y,            // [n] 16-byte aligned
                       int n, int block_size = 64, cudaStream_t stream = 0)
{
    int threads = (n + 3) / 4;
    int blocks = (threads + block_size - 1) / block_size;
    samples_to_floats<<<blocks, block_size, 0, stream>>>(pcm, y, n);
}
"""
)

# A user of PyTorch: leaky ReLU of halves with any slope, by a loop over the grid.
LEAKY = (
    HEADER
    + """\
__global__ void leaky_relu(const half* x, half* y, float slope, int64_t n) {
    int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        float v = __half2float(x[i]);
        y[i] = __float2half(v > 0.0f ? v : slope * v);
    }
}

extern "C" void launch(const half* x,  // [n]
                       half* y,        // [n]
                       float slope, int64_t n, cudaStream_t stream = 0) {
    int64_t blocks = (n + 255) / 256;
    if (blocks > 40) blocks = 40;
    leaky_relu<<<blocks, 256, 0, stream>>>(x, y, slope, n);
}
"""
)

# A reader of a paper on pictures as functions: the sine of w * x, one number a thread.
SIREN = (
    HEADER
    + """\
__global__ void sine(const float* x, float* y, float w, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float angle = w * x[i];
    y[i] = sinf(angle);
  }
}

extern "C" void launch(const float* x,  // [n]
                       float* y,        // [n]
                       float w, int n, int block_size = 192, cudaStream_t stream = 0) {
  int blocks = (n + block_size - 1) / block_size;
  sine<<<blocks, block_size, 0, stream>>>(x, y, w, n);
}
"""
)

# A student of learning theory: the mean hinge loss, by two kernels with one tree.
HINGE = (
    HEADER
    + """\
#define T 128
#define MOST 64

__device__ float partial[MOST];

__device__ float block_total(float v)
{
    __shared__ float s[T];
    int t = threadIdx.x;
    s[t] = v;
    for (int k = T / 2; k > 0; k /= 2) {
        __syncthreads();
        if (t < k)
            s[t] += s[t + k];
    }
    __syncthreads();
    return s[0];
}

__global__ void hinge_parts(const float *score, const float *label, int n)
{
    float v = 0.0f;
    for (int i = blockIdx.x * T + threadIdx.x; i < n; i += gridDim.x * T) {
        float d = 1.0f - label[i] * score[i];
        v += d < 0.0f ? 0.0f : d;
    }
    v = block_total(v);
    if (threadIdx.x == 0)
        partial[blockIdx.x] = v;
}

__global__ void hinge_mean(float *out, int parts, int n)
{
    float v = threadIdx.x < parts ? partial[threadIdx.x] : 0.0f;
    v = block_total(v);
    if (threadIdx.x == 0)
        *out = v / n;
}

extern "C" void launch(const float *score,  // [n]
                       const float *label,  // [n]
                       float *out,          // [1]
                       int n, cudaStream_t stream = 0)
{
    int blocks = min((n + T - 1) / T, MOST);
    hinge_parts<<<blocks, T, 0, stream>>>(score, label, n);
    hinge_mean<<<1, T, 0, stream>>>(out, blocks, n);
}
"""
)

# One who embeds sentences: the mean of what a mask of bytes leaves of a row, a warp a row.
MMEAN = (
    HEADER
    + """\
__global__ void masked_mean(const float* x, const uint8_t* mask, float* out, int rows,
                            int cols) {
  int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  int lane = threadIdx.x % 32;
  if (row >= rows) return;
  float sum = 0.0f;
  int count = 0;
  for (int c = lane; c < cols; c += 32) {
    size_t i = (size_t)row * cols + c;
    if (mask[i]) {
      sum += x[i];
      count++;
    }
  }
  for (int d = 16; d > 0; d /= 2) {
    sum += __shfl_down_sync(0xffffffffu, sum, d);
    count += __shfl_down_sync(0xffffffffu, count, d);
  }
  if (lane == 0) out[row] = count > 0 ? sum / count : 0.0f;
}

extern "C" void launch(const float* x,       // [rows, cols]
                       const uint8_t* mask,  // [rows, cols]
                       float* out,           // [rows]
                       int rows, int cols, int block_size = 128, cudaStream_t stream = 0) {
  int per_block = block_size / 32;
  masked_mean<<<(rows + per_block - 1) / per_block, block_size, 0, stream>>>(x, mask, out,
                                                                             rows, cols);
}
"""
)

# One who looks for joints in pictures: the hottest point of each map, a block a map.
HOT = (
    HEADER
    + """\
#define T 64

__global__ void hottest(const float *x, float *value, int *row, int *col, int height,
                        int width)
{
    __shared__ float best[T];
    __shared__ int place[T];
    int t = threadIdx.x, count = height * width;
    const float *map = x + (int64_t)blockIdx.x * count;
    float v = map[0];
    int p = 0;
    for (int i = t; i < count; i += T) {
        if (map[i] > v) {
            v = map[i];
            p = i;
        }
    }
    best[t] = v;
    place[t] = p;
    __syncthreads();
    for (int k = T / 2; k > 0; k /= 2) {
        if (t < k) {
            float u = best[t + k];
            int q = place[t + k];
            if (u > best[t] || (u == best[t] && q < place[t])) {
                best[t] = u;
                place[t] = q;
            }
        }
        __syncthreads();
    }
    if (t == 0) {
        value[blockIdx.x] = best[0];
        row[blockIdx.x] = place[0] / width;
        col[blockIdx.x] = place[0] % width;
    }
}

extern "C" void launch(const float *x,  // [maps, height, width]
                       float *value,    // [maps]
                       int *row,        // [maps]
                       int *col,        // [maps]
                       int maps, int height, int width, cudaStream_t stream = 0)
{
    hottest<<<maps, T, 0, stream>>>(x, value, row, col, height, width);
}
"""
)

# One who packs weights: the transpose of floats as halves, by tiles, a thread four numbers.
PACKT = (
    HEADER
    + """\
__global__ void transpose_to_half(const float* in, half* out, int rows, int cols) {
  __shared__ float tile[32][33];
  int tx = threadIdx.x, ty = threadIdx.y;
  int c = blockIdx.x * 32 + tx;
  int r = blockIdx.y * 32 + ty;
  for (int k = 0; k < 32; k += 8) {
    if (r + k < rows && c < cols) tile[ty + k][tx] = in[(size_t)(r + k) * cols + c];
  }
  __syncthreads();
  c = blockIdx.y * 32 + tx;
  r = blockIdx.x * 32 + ty;
  for (int k = 0; k < 32; k += 8) {
    if (r + k < cols && c < rows)
      out[(size_t)(r + k) * rows + c] = __float2half(tile[tx][ty + k]);
  }
}

extern "C" void launch(const float* in,  // [rows, cols]
                       half* out,        // [cols, rows]
                       int rows, int cols, cudaStream_t stream = 0) {
  dim3 grid((cols + 31) / 32, (rows + 31) / 32);
  transpose_to_half<<<grid, dim3(32, 8), 0, stream>>>(in, out, rows, cols);
}
"""
)

# A user of factored matrices: A times a diagonal times B, by tiles of 16.
ADB = (
    HEADER
    + """\
#define S 16

__global__ void a_d_b(const float *a, const float *d, const float *b, float *c, int m, int n,
                      int k)
{
    __shared__ float as[S][S], bs[S][S];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * S + ty;
    int col = blockIdx.x * S + tx;
    float sum = 0.0f;
    for (int p = 0; p < k; p += S) {
        int u = p + tx;
        as[ty][tx] = row < m && u < k ? a[(size_t)row * k + u] * d[u] : 0.0f;
        int v = p + ty;
        bs[ty][tx] = v < k && col < n ? b[(size_t)v * n + col] : 0.0f;
        __syncthreads();
        for (int i = 0; i < S; i++)
            sum += as[ty][i] * bs[i][tx];
        __syncthreads();
    }
    if (row < m && col < n)
        c[(size_t)row * n + col] = sum;
}

extern "C" void launch(const float *a,  // [m, k]
                       const float *d,  // [k]
                       const float *b,  // [k, n]
                       float *c,        // [m, n]
                       int m, int n, int k, cudaStream_t stream = 0)
{
    dim3 grid((n + S - 1) / S, (m + S - 1) / S);
    a_d_b<<<grid, dim3(S, S), 0, stream>>>(a, d, b, c, m, n, k);
}
"""
)

# A numerical analyst: a lower triangle times a vector, a warp a row; what is above is not read.
LOWER = (
    HEADER
    + """\
__global__ void lower_times(const float* l, const float* x, float* y, int n) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    float s = 0.0f;
    if (row < n) {
        const float* line = l + (int64_t)row * n;
        for (int k = lane; k <= row; k += 32) s += line[k] * x[k];
    }
    for (int d = 16; d > 0; d /= 2) s += __shfl_xor_sync(0xffffffffu, s, d);
    if (row < n && lane == 0) y[row] = s;
}

extern "C" void launch(const float* l,  // [n, n]
                       const float* x,  // [n]
                       float* y,        // [n]
                       int n, cudaStream_t stream = 0) {
    lower_times<<<(n + 3) / 4, 128, 0, stream>>>(l, x, y, n);
}
"""
)

# A reader of a note on attention: softmax with one more in the sum, in one pass, a block a row.
QUIET = (
    HEADER
    + """\
#define T 64

__global__ void quiet_softmax(const float *x, float *y, int cols)
{
    __shared__ float tops[T], sums[T];
    int t = threadIdx.x;
    const float *in = x + (size_t)blockIdx.x * cols;
    float *out = y + (size_t)blockIdx.x * cols;
    float m = 0.0f, s = t == 0 ? 1.0f : 0.0f;
    for (int c = t; c < cols; c += T) {
        float top = fmaxf(m, in[c]);
        s = s * expf(m - top) + expf(in[c] - top);
        m = top;
    }
    tops[t] = m;
    sums[t] = s;
    __syncthreads();
    for (int k = T / 2; k > 0; k /= 2) {
        if (t < k) {
            float top = fmaxf(tops[t], tops[t + k]);
            sums[t] *= expf(tops[t] - top);
            sums[t] += sums[t + k] * expf(tops[t + k] - top);
            tops[t] = top;
        }
        __syncthreads();
    }
    for (int c = t; c < cols; c += T)
        out[c] = expf(in[c] - tops[0]) / sums[0];
}

extern "C" void launch(const float *x,  // [rows, cols]
                       float *y,        // [rows, cols]
                       int rows, int cols, cudaStream_t stream = 0)
{
    quiet_softmax<<<rows, T, 0, stream>>>(x, y, cols);
}
"""
)

# A keeper of tables: each column about 0, with Welford's means of 8 threads a column.
ZSCORE = (
    HEADER
    + """\
#define W 32
#define H 8

__global__ void standardize(const float* x, float* y, float eps, int rows, int cols) {
  __shared__ float means[H][W], squares[H][W];
  __shared__ int counts[H][W];
  int tx = threadIdx.x, ty = threadIdx.y;
  int c = blockIdx.x * W + tx;
  float mean = 0.0f, m2 = 0.0f;
  int n = 0;
  if (c < cols) {
    for (int r = ty; r < rows; r += H) {
      float v = x[(size_t)r * cols + c];
      float d = v - mean;
      n++;
      mean += d / n;
      m2 += d * (v - mean);
    }
  }
  means[ty][tx] = mean;
  squares[ty][tx] = m2;
  counts[ty][tx] = n;
  __syncthreads();
  if (c >= cols) return;
  mean = m2 = 0.0f;
  n = 0;
  for (int k = 0; k < min(H, rows); k++) {
    float d = means[k][tx] - mean;
    float share = (float)counts[k][tx] / (n + counts[k][tx]);
    mean += d * share;
    m2 += squares[k][tx] + d * d * n * share;
    n += counts[k][tx];
  }
  float factor = rsqrtf(m2 / rows + eps);
  for (int r = ty; r < rows; r += H)
    y[(size_t)r * cols + c] = (x[(size_t)r * cols + c] - mean) * factor;
}

extern "C" void launch(const float* x,  // [rows, cols]
                       float* y,        // [rows, cols]
                       float eps, int rows, int cols, cudaStream_t stream = 0) {
  standardize<<<(cols + W - 1) / W, dim3(W, H), 0, stream>>>(x, y, eps, rows, cols);
}
"""
)

NAN, INF = float("nan"), float("inf")
LENGTHS = (*range(1, 18), *range(31, 36), *range(63, 71), 95, 96, 97, 127, 128, 129, 191, 193)
LENGTHS += (255, 256, 257, 258, 511, 513, 766, 768, 770, 1000, 1023, 1026, 2049, 4096, 4099)
SIDES = ((1, 1), (1, 3), (2, 3), (5, 31), (4, 32), (9, 33), (33, 9), (3, 64), (64, 3), (7, 98))
SIDES += ((70, 2), (2, 1000), (1, 4099), (66, 70), (130, 5), (50, 40), (32, 32), (16, 48))
MAPS = ((1, 1, 1), (2, 3, 5), (3, 1, 70), (2, 70, 1), (5, 8, 8), (1, 31, 33), (4, 33, 31))
MAPS += ((2, 9, 65), (7, 2, 2), (1, 64, 64), (3, 5, 13), (40, 4, 16))


def momenta(launcher: Launcher) -> Iterator[Case]:
    """Add whole halves with factors of few bits, so that one rounding is left; slices."""
    for n in LENGTHS:
        v, g = (whole(-999, 1000, n, 2 * n + k).half() + 0.0 for k in range(2))
        hole = torch.where(torch.arange(n) % 3 == 1, NAN, v.float()).half()
        for mu in (0.0, 0.5, 0.900390625, 0.9000244140625):
            for label, p, q in (("whole", v, g), ("NaN", hole, g), ("large", v * 60, g * 60)):
                if label == "large" and mu == 0.9000244140625:
                    continue  # would be rounded twice
                right = mu * p.double() + q.double() + 0.0
                for block_size in (128, 32):
                    scalars = {"mu": mu, "block_size": block_size}
                    words = f"n = {n:,}, mu = {mu}, block_size = {block_size}, {label}"
                    options = {"dtypes": (torch.float16,), "quick": label != "whole"}
                    yield Case(words, (p, q), (right,), scalars, **options)
                if n > 300 or label != "whole" or mu != 0.5:
                    continue
                for offsets in ((2, 2, 2), (8, 2, 4), (4, 8, 2)):
                    words = f"n = {n:,}, slices from {offsets}"
                    options = {"offset": offsets, "dtypes": (torch.float16,)}
                    yield Case(words, (p, q), (right,), {"mu": mu}, **options)


def drifts(launcher: Launcher) -> Iterator[Case]:
    """Move whole numbers by steps that are powers of 2, so that all is exact; slices."""
    for n in (*LENGTHS, 30_720, 30_723, 40_001):
        x, v, a = (whole(-999, 1000, n, 3 * n + k).float() for k in range(3))
        hole = torch.where(torch.arange(n) % 3 == 1, NAN, a)
        for label, b in (("usual", a), ("NaN", hole)):
            for dt in (1.0, 0.25, -0.5):
                right = x.double() + dt * v.double() + 0.5 * dt * dt * b.double() + 0.0
                words = f"n = {n:,}, dt = {dt}, {label}"
                options = {"dtypes": (torch.float32,), "quick": n > 5000}
                yield Case(words, (x, v, b), (right,), {"dt": dt}, **options)
                if n > 300 or label != "usual" or dt != 0.25:
                    continue
                for offsets in ((4, 4, 4, 4), (8, 4, 12, 4)):
                    words = f"n = {n:,}, slices from {offsets}"
                    yield Case(
                        words, (x, v, b), (right,), {"dt": dt}, offset=offsets, **options
                    )


def splits(launcher: Launcher) -> Iterator[Case]:
    """Split floats: usual, large, small, halfway, infinite ones, NaN of several bits."""
    for n in LENGTHS:
        x = whole(-(1 << 24), 1 << 24, n, n).float() / 4096
        bits = torch.tensor([0x7FFFFFFF, 0x7F800001, 0x7FC00000, -1, 0x3F808000, 0x3F818000])
        some = bits.int().view(torch.float32)[torch.arange(n) % 6]
        x = torch.where(x == 0, 1.0, x)
        for label, y in (
            ("usual", x),
            ("large", x * 2.0**115),
            ("small", x * 2.0**-100),
            ("bytes", (x % 128).floor() + 1),
            ("infinities", torch.where(torch.arange(n) % 2 == 1, INF, -INF)),
            ("NaN and halfway", some),
        ):
            hi = y.bfloat16()
            right = (y.double() if label != "large" else hi.double(), y.double() - hi.double())
            options = {"dtypes": (torch.bfloat16,) * 2}
            yield Case(f"n = {n:,}, {label}", (y,), right, **options)
            if n < 300 and label == "usual":
                for offsets in ((2, 2, 2), (4, 2, 8)):
                    words = f"n = {n:,}, slices from {offsets}"
                    yield Case(words, (y,), right, offset=offsets, **options)


def sounds(launcher: Launcher) -> Iterator[Case]:
    """Read samples: of any height, at both ends, rising ones; slices, a long one."""
    for n in (*LENGTHS, 4_210_001):
        x = whole(-32768, 32768, n, n)
        for label, y in (
            ("any", x),
            ("ends", torch.where(x % 2 == 1, 32767, -32768)),
            ("rising", torch.arange(n) % 65536 - 32768),
        ):
            y = y.to(torch.int16)
            right = y.double() / 32768
            options = {"dtypes": (torch.float32,), "quick": n > 5000}
            for block_size in (64, 32) if n < 5000 else (32,):
                if n > 5000 and label != "any":
                    continue
                scalars = {"block_size": block_size}
                words = f"n = {n:,}, block_size = {block_size}, {label}"
                yield Case(words, (y,), (right,), scalars, **options)
            if n < 300 and label == "any":
                for offsets in ((4, 4), (4, 8), (12, 4)):
                    words = f"n = {n:,}, slices from {offsets}"
                    yield Case(words, (y,), (right,), offset=offsets, **options)


def leaks(launcher: Launcher) -> Iterator[Case]:
    """Take leaky ReLU with several slopes: of usual, small, large halves, NaN, infinities."""
    for n in (*LENGTHS, 12_001):
        x, k = whole(-2047, 2048, n, n).half(), torch.arange(n)
        for label, y in (
            ("usual", x),
            ("small", x * 2.0**-24),
            ("large", x * 16),
            ("NaN", torch.where(k % 3 == 1, NAN, x.float()).half()),
            ("infinities", torch.where(k % 2 == 1, INF, -INF).half()),
        ):
            for slope in (0.125091552734375, 0.25, 1.5):
                number = float(torch.tensor(slope))
                right = torch.where(y > 0, y.double(), number * y.double())
                right = torch.where(y == 0, 0.0, right)
                words = f"n = {n:,}, slope = {slope}, {label}"
                options = {"dtypes": (torch.float16,), "quick": n > 5000}
                y = torch.where(y == 0, 0.0, y.float()).half()
                yield Case(words, (y,), (right,), {"slope": number}, **options)


def sines(launcher: Launcher) -> Iterator[Case]:
    """Take sines: of usual, small and large angles, NaN, infinities; two block sizes."""
    for n in (*LENGTHS, 9_001, 20_001):
        x, k = whole(-999, 1000, n, n).float() / 512, torch.arange(n)
        x = torch.where(x == 0, 1.0, x)
        for label, y, w in (
            ("usual", x, 1.0),
            ("usual", x, 30.0),
            ("small", x / 4096, 1.0),
            ("large", x * 500, 30.0),
            ("turned", x, -2.0),
            ("NaN", torch.where(k % 3 == 1, NAN, x), 1.0),
            ("infinities", torch.where(k % 2 == 1, INF, x), 1.0),
        ):
            angle = w * y.double()
            slack = 2.0**-23 * angle.abs() + 2.0**-22 * angle.abs().clamp(max=1)
            slack = slack.nan_to_num(0.0, 0.0, 0.0)
            for block_size in (192, 32):
                scalars = {"w": w, "block_size": block_size}
                words = f"n = {n:,}, w = {w}, block_size = {block_size}, {label}"
                options = {"dtypes": (torch.float32,), "within": (slack,), "quick": n > 5000}
                yield Case(words, (y,), (angle.sin(),), scalars, **options)


def hinges(launcher: Launcher) -> Iterator[Case]:
    """Take losses of quarters of whole numbers, so that sums are exact; the last one alone."""
    for n in (*LENGTHS, 8193, 16_384, 16_513, 20_001, 3, 300):
        x, k = whole(-12, 13, n, n).float() / 4, torch.arange(n)
        label = torch.where(whole(0, 2, n, n + 1) == 0, -1.0, 1.0)
        for words, y in (
            ("any", x),
            ("wrong ones", -label * (x.abs() + 1)),
            ("right ones", label * (x.abs() + 1)),
            ("the last one", torch.where(k == n - 1, -label, label * 2)),
            ("NaN", torch.where(k == 3 * n // 4, NAN, x)),
        ):
            right = (1 - label.double() * y.double()).clamp(min=0).mean().reshape(1)
            options = {"dtypes": (torch.float32,), "quick": n > 10_000, "ulp": 1}
            yield Case(f"n = {n:,}, {words}", (y + 0.0, label), (right,), **options)


def masked_means(launcher: Launcher) -> Iterator[Case]:
    """Take means under masks of 0 and 1, of any bytes, of none and all; NaN behind the mask."""
    for rows, cols in (*SIDES, (301, 2), (3, 129)):
        n = rows * cols
        x = whole(-99, 100, n, n).float().reshape(rows, cols)
        half = whole(0, 2, n, n + 1).reshape(rows, cols)
        for label, y, mask in (
            ("any", x, half),
            ("other bytes", x, half * whole(1, 256, n, n + 2).reshape(rows, cols)),
            ("all", x, half * 0 + 1),
            ("none", x, half * 0),
            ("the last", x + 200, half * 0 + (torch.arange(cols) == cols - 1)),
            ("NaN behind the mask", torch.where(half == 0, NAN, x), half),
        ):
            mask = mask.to(torch.uint8)
            count = (mask != 0).sum(1)
            right = torch.where(mask != 0, y.double(), 0.0).sum(1) / count.clamp(min=1)
            for block_size in (128, 64):
                scalars = {"block_size": block_size}
                words = f"rows = {rows}, cols = {cols:,}, block_size = {block_size}, {label}"
                options = {"dtypes": (torch.float32,), "ulp": 1}
                yield Case(words, (y.contiguous(), mask), (right + 0.0,), scalars, **options)


def hot_points(launcher: Launcher) -> Iterator[Case]:
    """Find hottest points: of usual, few, equal, negative values; a later one of equals."""
    for maps, height, width in MAPS:
        n = height * width
        x = whole(-9999, 10_000, maps * n, n).float().reshape(maps, n) / 16
        k = torch.arange(n)
        for label, y in (
            ("usual", x),
            ("few values", (x * 16) % 5 - 2),
            ("all equal", x * 0 - 2.5),
            ("negative", -x.abs() - 1),
            ("rising", x * 0 + k),
            ("one is hot", torch.where(k == 5 * n // 7, 700.0, x)),
            ("two are hot", torch.where(k % max(n // 2, 1) == n // 3, 700.0, x)),
            ("the second row", torch.where(k == min(width, n - 1), 700.0, x)),
        ):
            y = (y + 0.0).contiguous()
            most = y.amax(1)
            first = torch.where(y == most[:, None], k, n).amin(1)
            options = {"dtypes": (torch.float32, torch.int32, torch.int32)}
            words = f"maps = {maps}, height = {height}, width = {width}, {label}"
            right = (most, first // width, first % width)
            yield Case(words, (y.reshape(maps, height, width),), right, **options)


def packed_transposes(launcher: Launcher) -> Iterator[Case]:
    """Turn matrices: any numbers, rising ones, halfway ones, too large ones, NaN."""
    for rows, cols in (*SIDES, (33, 31), (15, 17), (64, 64), (65, 129)):
        n = rows * cols
        x = whole(-(1 << 20), 1 << 20, n, n).float() / 1024
        for label, y in (
            ("any", x),
            ("rising", torch.arange(n).float() % 2048),
            ("halfway", (torch.arange(n) % 500 + 1024.5).float()),
            ("large", x * 100),
            ("small", x * 2.0**-24),
            ("NaN", torch.where(torch.arange(n) % 3 == 1, NAN, x)),
        ):
            y = (y + 0.0).reshape(rows, cols)
            right = y.double().t().contiguous()
            words = f"rows = {rows}, cols = {cols:,}, {label}"
            yield Case(words, (y,), (right,), dtypes=(torch.float16,))


def factored_products(launcher: Launcher) -> Iterator[Case]:
    """Multiply small whole numbers, so that all is exact: thin, long and square matrices."""
    sides = ((1, 1, 1), (3, 5, 7), (16, 16, 16), (33, 17, 40), (2, 50, 3), (70, 1, 9))
    sides += ((1, 70, 33), (7, 9, 8), (9, 15, 17), (5, 4, 301), (48, 16, 32), (3, 2, 1025))
    for m, n, k in sides:
        a = whole(-9, 10, m * k, m + k).reshape(m, k).float()
        b = whole(-9, 10, k * n, n + k).reshape(k, n).float()
        d, terms = whole(1, 9, k, k).float(), torch.arange(k)
        for label, q, e in (
            ("any", b, d),
            ("the last term", torch.where(terms[:, None] == k - 1, b, 0.0), d),
            ("a diagonal of 1", b, d * 0 + 1),
            ("signs", b, torch.where(terms % 2 == 1, -1.0, 1.0)),
        ):
            right = (a.double() * e.double()) @ q.double() + 0.0
            words = f"m = {m}, n = {n}, k = {k:,}, {label}"
            yield Case(words, (a, e, q + 0.0), (right,), dtypes=(torch.float32,))


def lower_products(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole numbers, so that all is exact; above the diagonal are zeros or NaN."""
    for n in (*range(1, 18), 31, 32, 33, 34, 63, 64, 65, 70, 100, 129, 257):
        a = whole(-30, 31, n * n, n).float().reshape(n, n)
        x = whole(-30, 31, n, n + 1).float()
        above = torch.ones(n, n, dtype=torch.bool).triu(1)
        for label, left in (
            ("zeros above", a.tril()),
            ("numbers above", a),
            ("NaN above", torch.where(above, NAN, a)),
            ("the diagonal", torch.where(torch.eye(n) > 0, a.abs() + 1, 0.0)),
        ):
            right = a.double().tril() if label != "the diagonal" else left.double()
            right = right @ x.double() + 0.0
            words = f"n = {n}, {label}"
            yield Case(words, (left.contiguous() + 0.0, x), (right,), dtypes=(torch.float32,))


def quiet_softmaxes(launcher: Launcher) -> Iterator[Case]:
    """Take shares of rows: usual, far off 0, far apart, rising and falling ones."""
    for rows, cols in (*SIDES, (301, 2), (5, 128)):
        n = rows * cols
        x = whole(-127, 128, n, n).float().reshape(rows, cols) / 16
        c = torch.arange(cols)
        for label, y in (
            ("usual", x),
            ("far above 0", x + 300),
            ("a little below 0", x / 8 - 2),
            ("far below 0", x - 300),
            ("far apart", x * 10),
            ("rising", x * 0 + c % 200 / 16),
            ("falling", x * 0 - c % 200 / 16),
        ):
            z = torch.cat((y.double(), torch.zeros(rows, 1, dtype=torch.float64)), 1)
            right = z.softmax(1)[:, :cols].contiguous()
            slack = (2.0**-13 * right + 2.0**-40,)
            options = {"dtypes": (torch.float32,), "within": slack}
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y.contiguous(),), (right,), **options)


def standard_tables(launcher: Launcher) -> Iterator[Case]:
    """Standardize columns: usual, far off 0, small beside eps, equal, one that is not 0."""
    for rows, cols in (*SIDES, (4099, 1), (2500, 3), (8, 5), (9, 5), (17, 40)):
        n = rows * cols
        x = whole(-99, 100, n, n).float().reshape(rows, cols) / 32
        r = torch.arange(rows)[:, None]
        for label, y in (
            ("usual", x),
            ("far off 0", x + 1000),
            ("small", x / 256),
            ("equal", x * 0 + 3),
            ("rising", x / 64 + r % 500 / 16),
            ("one number", torch.where(r == rows // 2, 3.0, 0.0) + x * 0),
        ):
            for eps in (1e-5, 0.5):
                z = y.double()
                mean, var = z.mean(0, keepdim=True), z.var(0, keepdim=True, unbiased=False)
                root = (var + eps).sqrt()
                right = (z - mean) / root + 0.0
                off = 2.0**-20 * z.abs().amax(0, keepdim=True)
                slack = off / root * (1 + (z - mean).abs() / root) + 2.0**-18 * right.abs()
                options = {"dtypes": (torch.float32,), "within": (slack,)}
                words = f"rows = {rows:,}, cols = {cols:,}, eps = {eps}, {label}"
                yield Case(words, (y.contiguous(),), (right,), {"eps": eps}, **options)


BASES = {
    "fiftyfive_veloc": Base(VELOC, {"cases": momenta}),
    "fiftyfive_drift": Base(DRIFT, {"cases": drifts}),
    "fiftyfive_split": Base(SPLIT, {"cases": splits}),
    "fiftyfive_pcm": Base(PCM, {"cases": sounds}),
    "fiftyfive_leaky": Base(LEAKY, {"cases": leaks}),
    "fiftyfive_siren": Base(SIREN, {"cases": sines}),
    "fiftyfive_hinge": Base(HINGE, {"cases": hinges}),
    "fiftyfive_mmean": Base(MMEAN, {"cases": masked_means}),
    "fiftyfive_hot": Base(HOT, {"cases": hot_points}),
    "fiftyfive_packt": Base(PACKT, {"cases": packed_transposes}),
    "fiftyfive_adb": Base(ADB, {"cases": factored_products}),
    "fiftyfive_lower": Base(LOWER, {"cases": lower_products}),
    "fiftyfive_quiet": Base(QUIET, {"cases": quiet_softmaxes}),
    "fiftyfive_zscore": Base(ZSCORE, {"cases": standard_tables}),
}

WRONG = (
    # ---- momentum
    # The gradients may lie anywhere, and are read in pairs.
    Wrong(
        "fiftyfive_veloc_g_anywhere",
        "fiftyfive_veloc",
        "alignment",
        ("const half* g,  // [n] 4-byte aligned", "const half* g,  // [n]"),
    ),
    # No thread more for the last number.
    Wrong(
        "fiftyfive_veloc_no_thread_more",
        "fiftyfive_veloc",
        "grid / tail / unwritten / left out / refused",
        ("(n / 2 + block_size) / block_size;", "(n / 2 + block_size - 1) / block_size;"),
    ),
    # All with halves, the factor, too.
    Wrong(
        "fiftyfive_veloc_factor_is_half",
        "fiftyfive_veloc",
        "precision / rounding | numbers / function / infinity / whole range",
        (
            "    float2 p = __half22float2(((const half2*)v)[i]);\n"
            "    float2 q = __half22float2(((const half2*)g)[i]);\n"
            "    ((half2*)out)[i] = __floats2half2_rn(mu * p.x + q.x, mu * p.y + q.y);\n",
            "    half2 factor = __float2half2_rn(mu);\n"
            "    ((half2*)out)[i] = __hfma2(factor, ((const half2*)v)[i], ((const "
            "half2*)g)[i]);\n",
        ),
    ),
    # The velocity is kept up to date, too.
    Wrong(
        "fiftyfive_veloc_keeps_velocity",
        "fiftyfive_veloc",
        "input | state / numbers / twice",
        (
            "  } else if (i == pairs",
            "    ((half2*)v)[i] = ((half2*)out)[i];\n  } else if (i == pairs",
        ),
    ),
    # A block has 128 threads.
    Wrong(
        "fiftyfive_veloc_blocks_of_128",
        "fiftyfive_veloc",
        "block size / unwritten / left out | race / twice / tail",
        ("blockIdx.x * blockDim.x + threadIdx.x;", "blockIdx.x * 128 + threadIdx.x;"),
    ),
    # ---- a step of time
    # The result lies at multiples of 8 bytes.
    Wrong(
        "fiftyfive_drift_out_of_8_bytes",
        "fiftyfive_drift",
        "alignment",
        ("float *out,      // [n] 16-byte aligned", "float *out,      // [n] 8-byte aligned"),
    ),
    # The rest is one number.
    Wrong(
        "fiftyfive_drift_rest_of_one",
        "fiftyfive_drift",
        "tail / unwritten / left out",
        ("    if (i < n)\n", "    if (first == 0 && i < n)\n"),
    ),
    # No loop, though there are at most 60 blocks.
    Wrong(
        "fiftyfive_drift_no_loop",
        "fiftyfive_drift",
        "grid / unwritten / left out | tail",
        ("    int64_t stride = (int64_t)gridDim.x * blockDim.x;\n", ""),
        (
            "    for (int64_t q = first; q < quads; q += stride) {\n",
            "    int64_t q = first;\n    if (q < quads) {\n",
        ),
    ),
    # Velocities and accelerations change places.
    Wrong(
        "fiftyfive_drift_v_for_a",
        "fiftyfive_drift",
        "swapped | function / numbers / other element",
        ("stream>>>(x, v, a, out, dt, n);", "stream>>>(x, a, v, out, dt, n);"),
    ),
    # The half is a quotient of integers.
    Wrong(
        "fiftyfive_drift_half_is_zero",
        "fiftyfive_drift",
        "function / left out | numbers / precision",
        ("float h = 0.5f * dt * dt;", "float h = 1 / 2 * dt * dt;"),
    ),
    # ---- two bfloat16
    # The floats may lie anywhere.
    Wrong(
        "fiftyfive_split_x_anywhere",
        "fiftyfive_split",
        "alignment",
        ("const float* x,     // [n] 8-byte aligned", "const float* x,     // [n]"),
    ),
    # Its own rounding by bits, which forgets NaN.
    Wrong(
        "fiftyfive_split_bits_without_nan",
        "fiftyfive_split",
        "nan | numbers / infinity / rounding / whole range / sign of zero / copy",
        (
            "__global__ void split(",
            "__device__ __nv_bfloat16 nearest(float x) {\n"
            "  unsigned u = __float_as_uint(x);\n"
            "  u += 0x7fff + ((u >> 16) & 1);\n"
            "  return __ushort_as_bfloat16((unsigned short)(u >> 16));\n"
            "}\n"
            "\n"
            "__global__ void split(",
        ),
        ("__floats2bfloat162_rn(v.x, v.y);", "__halves2bfloat162(nearest(v.x), nearest(v.y));"),
    ),
    # The first part is cut off.
    Wrong(
        "fiftyfive_split_first_part_cut",
        "fiftyfive_split",
        "rounding | numbers / precision / swapped / other element",
        (
            "    __nv_bfloat162 h = __floats2bfloat162_rn(v.x, v.y);\n",
            "    __nv_bfloat162 h =\n"
            "        __halves2bfloat162(__float2bfloat16_rz(v.x), "
            "__float2bfloat16_rz(v.y));\n",
        ),
    ),
    # A pair, though there is but one.
    Wrong(
        "fiftyfive_split_pair_of_one",
        "fiftyfive_split",
        "bounds / tail",
        ("  if (i + 1 < n) {\n", "  if (i + 1 <= n) {\n"),
    ),
    # The difference has the other sign.
    Wrong(
        "fiftyfive_split_difference_turned",
        "fiftyfive_split",
        "swapped / function | numbers",
        (
            "__floats2bfloat162_rn(v.x - b.x, v.y - b.y);",
            "__floats2bfloat162_rn(b.x - v.x, b.y - v.y);",
        ),
    ),
    # ---- sound
    # Samples lie at multiples of 4 bytes.
    Wrong(
        "fiftyfive_pcm_samples_of_4_bytes",
        "fiftyfive_pcm",
        "alignment",
        (
            "const int16_t *pcm,  // [n] 8-byte aligned",
            "const int16_t *pcm,  // [n] 4-byte aligned",
        ),
    ),
    # One less than 32768 in four places.
    Wrong(
        "fiftyfive_pcm_largest_is_one",
        "fiftyfive_pcm",
        "function / precision | numbers / rounding",
        ("f.x = s.x / 32768.0f;", "f.x = s.x / 32767.0f;"),
        ("f.y = s.y / 32768.0f;", "f.y = s.y / 32767.0f;"),
        ("f.z = s.z / 32768.0f;", "f.z = s.z / 32767.0f;"),
        ("f.w = s.w / 32768.0f;", "f.w = s.w / 32767.0f;"),
        ("y[i] = pcm[i] / 32768.0f;", "y[i] = pcm[i] / 32767.0f;"),
    ),
    # Threads for whole fours alone.
    Wrong(
        "fiftyfive_pcm_whole_fours",
        "fiftyfive_pcm",
        "tail / grid / unwritten / left out / refused",
        ("int threads = (n + 3) / 4;", "int threads = n / 4;"),
    ),
    # Samples without a sign.
    Wrong(
        "fiftyfive_pcm_without_sign",
        "fiftyfive_pcm",
        "whole range / function | numbers",
        (
            "short4 s = *(const short4 *)(pcm + start);",
            "ushort4 s = *(const ushort4 *)(pcm + start);",
        ),
    ),
    # The number of the block has 16 bits.
    Wrong(
        "fiftyfive_pcm_short_block",
        "fiftyfive_pcm",
        "narrow / bounds | grid / unwritten / left out / whole range",
        ("    int block = blockIdx.x;\n", "    short block = blockIdx.x;\n"),
    ),
    # ---- leaky ReLU
    # The larger of both.
    Wrong(
        "fiftyfive_leaky_larger_of_both",
        "fiftyfive_leaky",
        "function / numbers | precision",
        ("v > 0.0f ? v : slope * v);", "fmaxf(v, slope * v));"),
    ),
    # What is neither above nor below 0 is 0.
    Wrong(
        "fiftyfive_leaky_else_zero",
        "fiftyfive_leaky",
        "nan | numbers",
        ("v > 0.0f ? v : slope * v);", "v > 0.0f ? v : v < 0.0f ? slope * v : 0.0f);"),
    ),
    # A product of halves.
    Wrong(
        "fiftyfive_leaky_half_slope",
        "fiftyfive_leaky",
        "precision / rounding | numbers / function / subnormal",
        (
            "        float v = __half2float(x[i]);\n"
            "        y[i] = __float2half(v > 0.0f ? v : slope * v);\n",
            "        half v = x[i];\n"
            "        y[i] = __hgt(v, __float2half(0.0f)) ? v : "
            "__hmul(__float2half(slope), v);\n",
        ),
    ),
    # No stream is named.
    Wrong(
        "fiftyfive_leaky_no_stream",
        "fiftyfive_leaky",
        "stream",
        ("<<<blocks, 256, 0, stream>>>", "<<<blocks, 256>>>"),
    ),
    # One number more.
    Wrong(
        "fiftyfive_leaky_one_more",
        "fiftyfive_leaky",
        "bounds / tail",
        ("i < n; i += step", "i <= n; i += step"),
    ),
    # ---- a sine
    # A cosine, a quarter of a turn before.
    Wrong(
        "fiftyfive_siren_by_cosine",
        "fiftyfive_siren",
        "precision | numbers / function / rounding",
        ("sinf(angle);", "cosf(angle - 1.5707963f);"),
    ),
    # The sine of pi times the angle.
    Wrong(
        "fiftyfive_siren_times_pi",
        "fiftyfive_siren",
        "function | numbers / precision",
        ("sinf(angle);", "sinpif(angle);"),
    ),
    # Whole blocks alone.
    Wrong(
        "fiftyfive_siren_whole_blocks",
        "fiftyfive_siren",
        "grid / tail / unwritten / left out / refused",
        ("(n + block_size - 1) / block_size;", "n / block_size;"),
    ),
    # First the rest of two pi, with five digits.
    Wrong(
        "fiftyfive_siren_rest_of_two_pi",
        "fiftyfive_siren",
        "precision / function | numbers / rounding",
        ("float angle = w * x[i];", "float angle = fmodf(w * x[i], 6.2832f);"),
    ),
    # Rows of 64 blocks, whose number is rounded down.
    Wrong(
        "fiftyfive_siren_rows_of_blocks",
        "fiftyfive_siren",
        "grid / unwritten / tail / left out",
        (
            "int i = blockIdx.x * blockDim.x + threadIdx.x;",
            "int block = blockIdx.y * gridDim.x + blockIdx.x;\n"
            "  int i = block * blockDim.x + threadIdx.x;",
        ),
        (
            "  sine<<<blocks,",
            "  dim3 grid(blocks);\n"
            "  if (blocks > 64) grid = dim3(64, blocks / 64);\n"
            "  sine<<<grid,",
        ),
    ),
    # ---- hinge loss
    # 192 blocks, of which the second kernel adds 128.
    Wrong(
        "fiftyfive_hinge_second_too_short",
        "fiftyfive_hinge",
        "left out | numbers / grid / tail / function",
        ("partial[MOST];", "partial[192];"),
        ("(n + T - 1) / T, MOST);", "(n + T - 1) / T, 192);"),
    ),
    # The larger of 0 and NaN is 0.
    Wrong(
        "fiftyfive_hinge_larger_than_zero",
        "fiftyfive_hinge",
        "nan | numbers",
        ("v += d < 0.0f ? 0.0f : d;", "v += fmaxf(0.0f, d);"),
    ),
    # Nobody waits in the tree.
    Wrong(
        "fiftyfive_hinge_tree_no_barrier",
        "fiftyfive_hinge",
        "race | numbers / left out / other element / state / unwritten",
        (
            "    for (int k = T / 2; k > 0; k /= 2) {\n        __syncthreads();\n",
            "    __syncthreads();\n    for (int k = T / 2; k > 0; k /= 2) {\n",
        ),
    ),
    # The second kernel on the default stream.
    Wrong(
        "fiftyfive_hinge_mean_elsewhere",
        "fiftyfive_hinge",
        "stream | race / state",
        ("hinge_mean<<<1, T, 0, stream>>>", "hinge_mean<<<1, T>>>"),
    ),
    # Parts of earlier calls count, too.
    Wrong(
        "fiftyfive_hinge_parts_grow",
        "fiftyfive_hinge",
        "state / zero before | numbers / twice / start",
        ("        partial[blockIdx.x] = v;\n", "        partial[blockIdx.x] += v;\n"),
    ),
    # ---- means under a mask
    # Only bytes that are 1 count.
    Wrong(
        "fiftyfive_mmean_ones_alone",
        "fiftyfive_mmean",
        "left out | numbers / function / whole range",
        ("    if (mask[i]) {", "    if (mask[i] == 1) {"),
    ),
    # What the mask takes away is multiplied by 0.
    Wrong(
        "fiftyfive_mmean_times_zero",
        "fiftyfive_mmean",
        "nan | numbers / infinity / other element",
        (
            "    if (mask[i]) {\n      sum += x[i];\n      count++;\n    }\n",
            "    int on = mask[i] != 0;\n    sum += on * x[i];\n    count += on;\n",
        ),
    ),
    # What the mask takes away becomes 0 in x.
    Wrong(
        "fiftyfive_mmean_zeros_in_x",
        "fiftyfive_mmean",
        "input | state / numbers / nan",
        (
            "    if (mask[i]) {\n      sum += x[i];\n      count++;\n    }\n",
            "    if (!mask[i]) ((float*)x)[i] = 0.0f;\n"
            "    sum += x[i];\n"
            "    count += mask[i] != 0;\n",
        ),
    ),
    # Nobody asks whether anything is left.
    Wrong(
        "fiftyfive_mmean_by_none",
        "fiftyfive_mmean",
        "nan | numbers / function",
        ("count > 0 ? sum / count : 0.0f;", "sum / count;"),
    ),
    # A block has four rows.
    Wrong(
        "fiftyfive_mmean_four_rows",
        "fiftyfive_mmean",
        "block size / unwritten / left out | tail / twice",
        (
            "blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;",
            "blockIdx.x * 4 + threadIdx.x / 32;",
        ),
    ),
    # ---- the hottest point
    # Nothing is below 0.
    Wrong(
        "fiftyfive_hot_from_zero",
        "fiftyfive_hot",
        "start | numbers / copy / function / left out",
        ("    float v = map[0];\n", "    float v = 0.0f;\n"),
    ),
    # Of equals the one with the lower thread.
    Wrong(
        "fiftyfive_hot_any_of_equals",
        "fiftyfive_hot",
        "other element | numbers / neighbour / function",
        ("if (u > best[t] || (u == best[t] && q < place[t])) {", "if (u > best[t]) {"),
    ),
    # Nobody waits in the tree.
    Wrong(
        "fiftyfive_hot_tree_no_barrier",
        "fiftyfive_hot",
        "race | numbers / left out / other element / state",
        (
            "                place[t] = q;\n"
            "            }\n"
            "        }\n"
            "        __syncthreads();\n",
            "                place[t] = q;\n            }\n        }\n",
        ),
    ),
    # The height in place of the width.
    Wrong(
        "fiftyfive_hot_height_for_width",
        "fiftyfive_hot",
        "sides / swapped | function / numbers / other element",
        ("place[0] / width;", "place[0] / height;"),
        ("place[0] % width;", "place[0] % height;"),
    ),
    # The tree begins with a quarter.
    Wrong(
        "fiftyfive_hot_tree_from_quarter",
        "fiftyfive_hot",
        "left out | numbers / other element",
        ("int k = T / 2; k > 0;", "int k = T / 4; k > 0;"),
    ),
    # ---- a transpose into halves
    # Halves are cut off.
    Wrong(
        "fiftyfive_packt_cut_off",
        "fiftyfive_packt",
        "rounding / infinity | numbers / precision",
        ("__float2half(tile", "__float2half_rz(tile"),
    ),
    # Sides are not turned in the second test.
    Wrong(
        "fiftyfive_packt_sides_not_turned",
        "fiftyfive_packt",
        "sides / bounds / unwritten / swapped / left out | tail / other element",
        ("if (r + k < cols && c < rows)\n", "if (r + k < rows && c < cols)\n"),
    ),
    # Two of four lines are written.
    Wrong(
        "fiftyfive_packt_steps_of_16",
        "fiftyfive_packt",
        "unwritten / left out | tail / grid / race",
        ("k += 8) {\n    if (r + k < cols", "k += 16) {\n    if (r + k < cols"),
    ),
    # Nobody waits for the tile.
    Wrong(
        "fiftyfive_packt_no_barrier",
        "fiftyfive_packt",
        "race | numbers / unwritten / other element / state",
        ("  __syncthreads();\n", ""),
    ),
    # Tiles stay where they are.
    Wrong(
        "fiftyfive_packt_tiles_stay",
        "fiftyfive_packt",
        "other element / sides / unwritten / swapped / left out | numbers / tail / neighbour",
        (
            "  c = blockIdx.y * 32 + tx;\n  r = blockIdx.x * 32 + ty;\n",
            "  c = blockIdx.x * 32 + tx;\n  r = blockIdx.y * 32 + ty;\n",
        ),
    ),
    # ---- a product with a diagonal
    # The diagonal is read by rows.
    Wrong(
        "fiftyfive_adb_diagonal_by_rows",
        "fiftyfive_adb",
        "other element / bounds / sides / swapped | numbers / function",
        ("* d[u] : 0.0f;", "* d[row] : 0.0f;"),
    ),
    # Columns of b are not tested.
    Wrong(
        "fiftyfive_adb_b_columns",
        "fiftyfive_adb",
        "bounds | tail",
        ("v < k && col < n ?", "v < k ?"),
    ),
    # Nobody waits for the tiles.
    Wrong(
        "fiftyfive_adb_first_barrier",
        "fiftyfive_adb",
        "race | numbers / other element / state / unwritten / left out",
        ("        __syncthreads();\n        for (int i", "        for (int i"),
    ),
    # The grid's sides change places.
    Wrong(
        "fiftyfive_adb_grid_turned",
        "fiftyfive_adb",
        "grid / sides / swapped / unwritten / left out | tail",
        (
            "dim3 grid((n + S - 1) / S, (m + S - 1) / S);",
            "dim3 grid((m + S - 1) / S, (n + S - 1) / S);",
        ),
    ),
    # The diagonal is in both tiles.
    Wrong(
        "fiftyfive_adb_diagonal_twice",
        "fiftyfive_adb",
        "function / twice | numbers",
        ("b[(size_t)v * n + col] : 0.0f;", "b[(size_t)v * n + col] * d[v] : 0.0f;"),
    ),
    # ---- a triangle times a vector
    # Without the diagonal.
    Wrong(
        "fiftyfive_lower_no_diagonal",
        "fiftyfive_lower",
        "left out | function / numbers / neighbour / tail",
        ("k <= row;", "k < row;"),
    ),
    # By columns.
    Wrong(
        "fiftyfive_lower_by_columns",
        "fiftyfive_lower",
        "sides / swapped / other element | numbers / function / nan",
        ("        const float* line = l + (int64_t)row * n;\n", ""),
        ("line[k] * x[k];", "l[(int64_t)k * n + row] * x[k];"),
    ),
    # What is above is multiplied by 0.
    Wrong(
        "fiftyfive_lower_times_zero",
        "fiftyfive_lower",
        "nan | numbers / infinity / other element",
        (
            "for (int k = lane; k <= row; k += 32) s += line[k] * x[k];",
            "for (int k = lane; k < n; k += 32) s += (k <= row) * line[k] * x[k];",
        ),
    ),
    # The mask has half a warp.
    Wrong(
        "fiftyfive_lower_mask_of_16",
        "fiftyfive_lower",
        "race | refused / left out",
        ("(0xffffffffu, s, d)", "(0xffffu, s, d)"),
    ),
    # The sum is added to what is there.
    Wrong(
        "fiftyfive_lower_adds_to_y",
        "fiftyfive_lower",
        "zero before / state / nan / start | numbers / twice",
        ("y[row] = s;", "y[row] += s;"),
    ),
    # ---- softmax with one more
    # The usual softmax: nothing more is in the sum.
    Wrong(
        "fiftyfive_quiet_nothing_more",
        "fiftyfive_quiet",
        "function / left out / start | numbers / nan / precision / infinity",
        ("float m = 0.0f, s = t == 0 ? 1.0f : 0.0f;", "float m = 0.0f, s = 0.0f;"),
    ),
    # Each thread has one more.
    Wrong(
        "fiftyfive_quiet_one_a_thread",
        "fiftyfive_quiet",
        "function / twice / start | numbers / precision",
        ("s = t == 0 ? 1.0f : 0.0f;", "s = 1.0f;"),
    ),
    # One is added at the end, whatever the maximum is.
    Wrong(
        "fiftyfive_quiet_one_at_the_end",
        "fiftyfive_quiet",
        "function / numbers | precision / left out / twice",
        ("float m = 0.0f, s = t == 0 ? 1.0f : 0.0f;", "float m = 0.0f, s = 0.0f;"),
        ("/ sums[0];", "/ (1.0f + sums[0]);"),
    ),
    # Nobody waits for the threads' sums.
    Wrong(
        "fiftyfive_quiet_first_barrier",
        "fiftyfive_quiet",
        "race | numbers / left out / state / other element / unwritten / nan",
        ("    sums[t] = s;\n    __syncthreads();\n", "    sums[t] = s;\n"),
    ),
    # A block a column.
    Wrong(
        "fiftyfive_quiet_block_a_column",
        "fiftyfive_quiet",
        "grid / sides / unwritten / bounds / swapped / left out | tail",
        ("quiet_softmax<<<rows, T,", "quiet_softmax<<<cols, T,"),
    ),
    # ---- columns about 0
    # The small number is outside of the root.
    Wrong(
        "fiftyfive_zscore_eps_outside",
        "fiftyfive_zscore",
        "function | numbers / precision",
        ("rsqrtf(m2 / rows + eps);", "1.0f / (sqrtf(m2 / rows) + eps);"),
    ),
    # Means of threads count alike.
    Wrong(
        "fiftyfive_zscore_means_alike",
        "fiftyfive_zscore",
        "function / numbers | precision / left out / other element",
        (
            "float share = (float)counts[k][tx] / (n + counts[k][tx]);",
            "float share = 1.0f / (k + 1);",
        ),
    ),
    # Squares about the old mean.
    Wrong(
        "fiftyfive_zscore_old_mean",
        "fiftyfive_zscore",
        "function / numbers | precision / left out",
        ("m2 += d * (v - mean);", "m2 += d * d;"),
    ),
    # Nobody waits for the other threads.
    Wrong(
        "fiftyfive_zscore_no_barrier",
        "fiftyfive_zscore",
        "race | numbers / left out / state / unwritten / nan / other element",
        ("  __syncthreads();\n", ""),
    ),
    # Counts of a byte.
    Wrong(
        "fiftyfive_zscore_counts_of_a_byte",
        "fiftyfive_zscore",
        "narrow / whole range | numbers / function / nan / infinity / left out / precision",
        ("__shared__ int counts[H][W];", "__shared__ uint8_t counts[H][W];"),
    ),
)

RIGHT = (
    # Blocks that have nothing to do; the first thread of all does the last number.
    Right(
        "fiftyfive_veloc_idle_blocks",
        "fiftyfive_veloc",
        ("  } else if (i == pairs && n % 2) {", "  }\n  if (i == 0 && (n & 1)) {"),
        ("(n / 2 + block_size) / block_size;", "n / block_size + 40;"),
    ),
    # Restricted pointers, reads through the read-only cache, and fused steps.
    Right(
        "fiftyfive_drift_restrict_and_ldg",
        "fiftyfive_drift",
        (
            "void drift(const float *x, const float *v, const float *a, float *out, "
            "float dt,\n"
            "                      int64_t n)\n",
            "void drift(const float *__restrict__ x, const float *__restrict__ v,\n"
            "                      const float *__restrict__ a, float *__restrict__ "
            "out, float dt, int64_t n)\n",
        ),
        ("float4 p = ((const float4 *)x)[q];", "float4 p = __ldg((const float4 *)x + q);"),
        (
            "        p.x += dt * s.x + h * t.x;\n",
            "        p.x = fmaf(dt, fmaf(0.5f * dt, t.x, s.x), p.x);\n",
        ),
    ),
    # Its own rounding by bits, which keeps NaN.
    Right(
        "fiftyfive_split_bits_with_nan",
        "fiftyfive_split",
        (
            "__global__ void split(",
            "__device__ __nv_bfloat16 nearest(float x) {\n"
            "  unsigned u = __float_as_uint(x);\n"
            "  if ((u & 0x7fffffff) > 0x7f800000) return __ushort_as_bfloat16(0x7fff);\n"
            "  u += 0x7fff + ((u >> 16) & 1);\n"
            "  return __ushort_as_bfloat16((unsigned short)(u >> 16));\n"
            "}\n"
            "\n"
            "__global__ void split(",
        ),
        ("__floats2bfloat162_rn(v.x, v.y);", "__halves2bfloat162(nearest(v.x), nearest(v.y));"),
    ),
    # A power of 2 by its exponent; the blocks go backwards.
    Right(
        "fiftyfive_pcm_by_exponent",
        "fiftyfive_pcm",
        ("    int block = blockIdx.x;\n", "    int block = gridDim.x - 1 - blockIdx.x;\n"),
        ("f.x = s.x / 32768.0f;", "f.x = ldexpf(s.x, -15);"),
        ("f.y = s.y / 32768.0f;", "f.y = s.y * 0x1p-15f;"),
        ("f.z = s.z / 32768.0f;", "f.z = scalbnf(s.z, -15);"),
    ),
    # The factor is chosen; from the end to the beginning.
    Right(
        "fiftyfive_leaky_factor_chosen",
        "fiftyfive_leaky",
        ("i < n; i += step) {\n", "i < n; i += step) {\n        int64_t j = n - 1 - i;\n"),
        ("__half2float(x[i]);", "__half2float(x[j]);"),
        ("        y[i] =", "        y[j] ="),
        ("v > 0.0f ? v : slope * v);", "v * (v > 0.0f ? 1.0f : slope));"),
    ),
    # Rows of 64 blocks, whose number is rounded up; sine and cosine at once.
    Right(
        "fiftyfive_siren_rows_rounded_up",
        "fiftyfive_siren",
        (
            "int i = blockIdx.x * blockDim.x + threadIdx.x;",
            "int block = blockIdx.y * gridDim.x + blockIdx.x;\n"
            "  int i = block * blockDim.x + threadIdx.x;",
        ),
        (
            "    y[i] = sinf(angle);\n",
            "    float cosine;\n    sincosf(angle, &y[i], &cosine);\n",
        ),
        ("  sine<<<blocks,", "  dim3 grid(64, (blocks + 63) / 64);\n  sine<<<grid,"),
    ),
    # A memset, and an atomic of each block, in the result itself.
    Right(
        "fiftyfive_hinge_memset_and_atomics",
        "fiftyfive_hinge",
        ("__device__ float partial[MOST];\n\n", ""),
        (
            "(const float *score, const float *label, int n)\n{\n    float v",
            "(const float *score, const float *label, float *out, int n)\n{\n    float v",
        ),
        ("        partial[blockIdx.x] = v;\n", "        atomicAdd(out, v);\n"),
        (
            "void hinge_mean(float *out, int parts, int n)\n"
            "{\n"
            "    float v = threadIdx.x < parts ? partial[threadIdx.x] : 0.0f;\n"
            "    v = block_total(v);\n"
            "    if (threadIdx.x == 0)\n"
            "        *out = v / n;\n"
            "}",
            "void hinge_mean(float *out, int n)\n{\n    *out /= n;\n}",
        ),
        (
            "    hinge_parts<<<blocks, T, 0, stream>>>(score, label, n);\n"
            "    hinge_mean<<<1, T, 0, stream>>>(out, blocks, n);\n",
            "    cudaMemsetAsync(out, 0, sizeof(float), stream);\n"
            "    hinge_parts<<<blocks, T, 0, stream>>>(score, label, out, n);\n"
            "    hinge_mean<<<1, 1, 0, stream>>>(out, n);\n",
        ),
    ),
    # Votes are counted, and all lanes take part in each of them.
    Right(
        "fiftyfive_mmean_by_votes",
        "fiftyfive_mmean",
        (
            "  for (int c = lane; c < cols; c += 32) {\n"
            "    size_t i = (size_t)row * cols + c;\n"
            "    if (mask[i]) {\n"
            "      sum += x[i];\n"
            "      count++;\n"
            "    }\n"
            "  }\n",
            "  for (int start = 0; start < cols; start += 32) {\n"
            "    size_t i = (size_t)row * cols + start + lane;\n"
            "    bool on = start + lane < cols && mask[i];\n"
            "    if (on) sum += x[i];\n"
            "    count += __popc(__ballot_sync(0xffffffffu, on));\n"
            "  }\n",
        ),
        ("    count += __shfl_down_sync(0xffffffffu, count, d);\n", ""),
    ),
    # From the end to the beginning, so that the last of equals is the first.
    Right(
        "fiftyfive_hot_backwards",
        "fiftyfive_hot",
        (
            "for (int i = t; i < count; i += T) {\n        if (map[i] > v) {",
            "for (int i = count - 1 - t; i >= 0; i -= T) {\n        if (map[i] >= v) {",
        ),
    ),
    # The tile is of halves, in shared memory whose size the launcher says.
    Right(
        "fiftyfive_packt_dynamic_tile",
        "fiftyfive_packt",
        ("  __shared__ float tile[32][33];\n", "  extern __shared__ half tile[];\n"),
        (
            "tile[ty + k][tx] = in[(size_t)(r + k) * cols + c];",
            "tile[(ty + k) * 34 + tx] = __float2half(in[(size_t)(r + k) * cols + c]);",
        ),
        ("__float2half(tile[tx][ty + k]);", "tile[tx * 34 + ty + k];"),
        ("dim3(32, 8), 0, stream>>>", "dim3(32, 8), 32 * 34 * sizeof(half), stream>>>"),
    ),
    # The diagonal goes with b, and the tile of a is turned.
    Right(
        "fiftyfive_adb_diagonal_with_b",
        "fiftyfive_adb",
        (
            "as[ty][tx] = row < m && u < k ? a[(size_t)row * k + u] * d[u] : 0.0f;",
            "as[tx][ty] = row < m && u < k ? a[(size_t)row * k + u] : 0.0f;",
        ),
        ("b[(size_t)v * n + col] : 0.0f;", "d[v] * b[(size_t)v * n + col] : 0.0f;"),
        ("sum += as[ty][i] * bs[i][tx];", "sum = fmaf(as[i][ty], bs[i][tx], sum);"),
    ),
    # Lanes begin at the diagonal and go to the left, with sums in double.
    Right(
        "fiftyfive_lower_from_diagonal",
        "fiftyfive_lower",
        ("    float s = 0.0f;\n", "    double s = 0.0;\n"),
        (
            "for (int k = lane; k <= row; k += 32) s +=",
            "for (int k = row - lane; k >= 0; k -= 32) s +=",
        ),
        ("s += __shfl_xor_sync(0xffffffffu, s, d);", "s += __shfl_xor_sync(~0u, s, d, 32);"),
    ),
    # Threads but the first begin with the least float.
    Right(
        "fiftyfive_quiet_from_least",
        "fiftyfive_quiet",
        ("float m = 0.0f,", "float m = t == 0 ? 0.0f : -FLT_MAX,"),
    ),
    # Two passes in double: sums, and squares about the mean.
    Right(
        "fiftyfive_zscore_two_passes",
        "fiftyfive_zscore",
        (
            "__shared__ float means[H][W], squares[H][W];\n  __shared__ int counts[H][W];\n",
            "__shared__ double means[H][W], squares[H][W];\n",
        ),
        ("float mean = 0.0f, m2 = 0.0f;\n  int n = 0;\n", "double mean = 0.0, m2 = 0.0;\n"),
        (
            "      float v = x[(size_t)r * cols + c];\n"
            "      float d = v - mean;\n"
            "      n++;\n"
            "      mean += d / n;\n"
            "      m2 += d * (v - mean);\n"
            "    }\n"
            "  }\n"
            "  means[ty][tx] = mean;\n"
            "  squares[ty][tx] = m2;\n"
            "  counts[ty][tx] = n;\n"
            "  __syncthreads();\n"
            "  if (c >= cols) return;\n"
            "  mean = m2 = 0.0f;\n"
            "  n = 0;\n"
            "  for (int k = 0; k < min(H, rows); k++) {\n"
            "    float d = means[k][tx] - mean;\n"
            "    float share = (float)counts[k][tx] / (n + counts[k][tx]);\n"
            "    mean += d * share;\n"
            "    m2 += squares[k][tx] + d * d * n * share;\n"
            "    n += counts[k][tx];\n"
            "  }\n",
            "      mean += x[(size_t)r * cols + c];\n"
            "    }\n"
            "  }\n"
            "  means[ty][tx] = mean;\n"
            "  __syncthreads();\n"
            "  mean = 0.0;\n"
            "  for (int k = 0; k < H; k++) mean += means[k][tx] / rows;\n"
            "  for (int r = ty; c < cols && r < rows; r += H) {\n"
            "    double d = x[(size_t)r * cols + c] - mean;\n"
            "    m2 += d * d;\n"
            "  }\n"
            "  squares[ty][tx] = m2;\n"
            "  __syncthreads();\n"
            "  m2 = 0.0;\n"
            "  for (int k = 0; k < H; k++) m2 += squares[k][tx];\n"
            "  if (c >= cols) return;\n",
        ),
    ),
)
