"""Hold a fifty-sixth family: kernels of half a year's practice, and their usual mistakes.

Its bases are what a line leaves of halves, places along rays, bytes times a scale as bfloat16,
halves to floats, SELU, ReLU6 of halves, the mean Huber loss, lengths of rows, the largest
difference of two arrays and its first place, the transpose of bytes, products of many matrices,
b - A x, softmax down columns, and layer norm of halves. They have 16 to 48 lines, and are of
people with half a year of CUDA: one who fits lines and one who fits with outliers, one who
follows rays, users of small models and of attention, a reader of checkpoints and one of a
paper, one who writes for telephones, one who searches among vectors, one who compares results,
one who handles grey pictures, one who solves linear systems, a user of tables and one who ports
a model. They use half2 with the last number in the same branch, float4 with what is left in the
same thread, a loop over the grid with the rest from the end, 16 bytes by one load and two
stores, a number a thread, a ticket whose last holder adds the parts, a warp a row with
shuffles, keys of 64 bits and an atomic maximum between two small kernels, tiles of 32 and of
16, a tree in shared memory, maxima and sums of 8 threads a column that grow together, and two
passes with sums of a block. Their mistakes are spread over alignment, sizes, grids and integers
of 16 bits, values, rounding, NaN and infinity, inputs that are written, sums, transposes,
products, order, streams and what is left of an earlier call. The causes were written before a
member was judged. On the emulator each ran beside PyTorch, compared as a case does, called
twice on the same tensors, once each with NaN and 1e3 in floating outputs and with tensors at
either end of their pages, inputs that cannot be written in one of both, on a stream that is not
the default one, with the threads in order; those of huber, lnhalf, worst, colsoft and bmm also
with threads in a random order, and so bases and right ones but those of selu and bmm at a
hundred other sizes or so, as far as a few seconds reach. nvcc 13.0 compiles each for 8.0, all
members of a base in one file; none was run on a GPU. Bases and right ones are right, and all
wrong ones but one wrong or refused by a fault; softmax first had `if (c >= cols) return;` after
its barrier, and the emulator took that for a read out of bounds:

    fiftysix_resid_x_anywhere             from 2 numbers on, by the address of x
    fiftysix_resid_last_pair              of even counts
    fiftysix_resid_no_brackets            unless the offset is 0
    fiftysix_resid_line_of_halves         in pairs, if the line is no half
    fiftysix_resid_blocks_for_256         of blocks below 256 threads, from several blocks on
    fiftysix_ray_t_of_8_bytes             from 4 numbers on, by the address of t
    fiftysix_ray_copied_line              from 4 numbers on, unless both times are equal
    fiftysix_ray_rest_not_behind          from 5 numbers on, if 4 does not divide them
    fiftysix_ray_256_blocks               from 131,073 numbers on
    fiftysix_ray_d_for_o                  unless both are equal, or times are 1
    fiftysix_dq_y_of_4_bytes              from 4 numbers on, by the address of y
    fiftysix_dq_no_sign                   from 4 numbers on, of bytes below 0
    fiftysix_dq_short_scale               if the scale is no bfloat16
    fiftysix_dq_rest_of_beginning         from 5 numbers on, if 4 does not divide them
    fiftysix_dq_cut_off                   in fours, of what is above a half unit
    fiftysix_widen_x_of_4_bytes           from 8 numbers on, by the address of x
    fiftysix_widen_seven                  if 8 leaves 7 of the count
    fiftysix_widen_threads_rounded        if 8 leaves 1 to 3, and the blocks are full
    fiftysix_widen_exponent_moved         in eights, of subnormal numbers, infinity, NaN
    fiftysix_widen_second_pair_twice      from 8 numbers on
    fiftysix_selu_exp_less_one            of small numbers below 0
    fiftysix_selu_blocks_in_y             from 65,536 blocks on
    fiftysix_selu_alpha_alone             of numbers below 0
    fiftysix_selu_place_of_float          from 16,777,218 numbers on
    fiftysix_selu_no_branch               of NaN
    fiftysix_relu_bits_compared           of NaN
    fiftysix_relu_no_stream               on another stream than the default one
    fiftysix_relu_pair_for_last           of odd counts: one behind the end is read and written
    fiftysix_relu_no_block                of fewer than 256 numbers
    fiftysix_relu_one_before              of odd counts, unless both numbers are equal
    fiftysix_huber_ticket_stays           from the second call on
    fiftysix_huber_who_is_last            where threads do not wait for another
    fiftysix_huber_not_smooth             of what is beyond the limit, unless that is 1
    fiftysix_huber_step_of_block          from 129 numbers on
    fiftysix_huber_own_sum_kept           unless the last block's sum is 0
    fiftysix_length_from_8                from 17 columns on
    fiftysix_length_last_lane             unless both lanes have the same
    fiftysix_length_rounded_down          if the warps of a block do not divide the rows
    fiftysix_length_short_row             from 65,537 rows on
    fiftysix_length_whole_warps           if 32 does not divide the columns
    fiftysix_worst_not_cleared            if an earlier call had a larger difference
    fiftysix_worst_last_of_equals         if the largest is there more than once
    fiftysix_worst_no_atomic              right on the emulator; wrong where warps meet
    fiftysix_worst_sign_kept              if a difference is below 0
    fiftysix_worst_unpacked_elsewhere     on another stream than the default one
    fiftysix_turn_pitch                   from 2 columns on, unless the matrix is square
    fiftysix_turn_leave_early             if 32 does not divide the columns, for some rows
    fiftysix_turn_rows_down               if 32 does not divide the rows
    fiftysix_turn_tile_as_it_is           from 2 rows or columns on
    fiftysix_turn_warp_waits              from 2 rows or columns on, where warps do not wait
    fiftysix_bmm_b_stays                  from the second product on
    fiftysix_bmm_whole_tiles              if 16 does not divide the terms
    fiftysix_bmm_pitch_of_a               from the second product on, unless n is k
    fiftysix_bmm_whole_sum                of fractions and NaN
    fiftysix_bmm_second_barrier           from 17 terms on, where warps do not wait for another
    fiftysix_defect_tree_of_96            from 3 columns on
    fiftysix_defect_barrier_in_branch     always: threads do not meet
    fiftysix_defect_square                unless the matrix is square
    fiftysix_defect_kept_in_b             always: b is overwritten
    fiftysix_defect_turned_round          unless all is 0
    fiftysix_colsoft_from_zero            of columns that are far below 0
    fiftysix_colsoft_not_scaled           from 9 rows on, if a thread's maximum grows
    fiftysix_colsoft_cols_for_rows        of fewer than 8 columns and more rows
    fiftysix_colsoft_grid_of_rows         if the rows have fewer tiles of 32 than the columns
    fiftysix_colsoft_no_barrier           where threads do not wait for another
    fiftysix_lnhalf_second_barrier        from 33 columns on, where warps do not wait
    fiftysix_lnhalf_less_one              if eps is not far above the variance
    fiftysix_lnhalf_gamma_of_row          unless factors are equal
    fiftysix_lnhalf_mean_of_squares       of rows that are far off 0
    fiftysix_lnhalf_input_restored        always: x is overwritten for a while
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import whole

# One who fits lines: what is left of y without slope * x + offset, in halves, a pair a thread.
RESID = (
    HEADER
    + """\
__global__ void residual(const half* x, const half* y, half* r, float slope, float offset,
                         int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (2 * i + 1 < n) {
    float2 p = __half22float2(reinterpret_cast<const half2*>(x)[i]);
    float2 q = __half22float2(reinterpret_cast<const half2*>(y)[i]);
    q.x = q.x - (slope * p.x + offset);
    q.y = q.y - (slope * p.y + offset);
    reinterpret_cast<half2*>(r)[i] = __float22half2_rn(q);
  } else if (2 * i < n) {
    float p = __half2float(x[2 * i]);
    r[2 * i] = __float2half(__half2float(y[2 * i]) - (slope * p + offset));
  }
}

extern "C" void launch(const half* x,  // [n] 4-byte aligned
                       const half* y,  // [n] 4-byte aligned
                       half* r,        // [n] 4-byte aligned
                       float slope, float offset, int n, int block_size = 256,
                       cudaStream_t stream = 0) {
  int threads = (n + 1) / 2;
  int blocks = (threads + block_size - 1) / block_size;
  residual<<<blocks, block_size, 0, stream>>>(x, y, r, slope, offset, n);
}
"""
)

# One who follows rays: o + t * d, four numbers a thread, or what is left of them.
RAY = (
    HEADER
    + """\
__global__ void along(const float *o, const float *d, const float *t, float *p, int n)
{
    int q = blockIdx.x * blockDim.x + threadIdx.x;
    int left = n - 4 * q;
    if (left >= 4) {
        float4 u = ((const float4 *)o)[q];
        float4 v = ((const float4 *)d)[q];
        float4 w = ((const float4 *)t)[q];
        u.x = fmaf(w.x, v.x, u.x);
        u.y = fmaf(w.y, v.y, u.y);
        u.z = fmaf(w.z, v.z, u.z);
        u.w = fmaf(w.w, v.w, u.w);
        ((float4 *)p)[q] = u;
    } else {
        for (int k = 0; k < left; k++) {
            int i = 4 * q + k;
            p[i] = fmaf(t[i], d[i], o[i]);
        }
    }
}

extern "C" void launch(const float *o,  // [n] 16-byte aligned
                       const float *d,  // [n] 16-byte aligned
                       const float *t,  // [n] 16-byte aligned
                       float *p,        // [n] 16-byte aligned
                       int n, cudaStream_t stream = 0)
{
    int threads = (n + 3) / 4;
    int blocks = (threads + 127) / 128;
    along<<<blocks, 128, 0, stream>>>(o, d, t, p, n);
}
"""
)

# A user of small models: bytes with a sign times a scale, as bfloat16, four in a loop.
DQ = (
    HEADER
    + """\
__global__ void dequantize(const int8_t* q, __nv_bfloat16* y, float scale, int64_t n) {
  int64_t first = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  int64_t step = (int64_t)gridDim.x * blockDim.x;
  for (int64_t i = first; i < n / 4; i += step) {
    char4 v = ((const char4*)q)[i];
    alignas(8) __nv_bfloat162 pair[2];
    pair[0] = __floats2bfloat162_rn(scale * v.x, scale * v.y);
    pair[1] = __floats2bfloat162_rn(scale * v.z, scale * v.w);
    ((uint2*)y)[i] = *(const uint2*)pair;
  }
  if (first < n % 4) {
    int64_t i = n - 1 - first;
    y[i] = __float2bfloat16(scale * q[i]);
  }
}

extern "C" void launch(const int8_t* q,   // [n] 4-byte aligned
                       __nv_bfloat16* y,  // [n] 8-byte aligned
                       float scale, int64_t n, cudaStream_t stream = 0) {
  int64_t blocks = n / 4 / 64 + 1;
  if (blocks > 48) blocks = 48;
  dequantize<<<blocks, 64, 0, stream>>>(q, y, scale, n);
}
"""
)

# One who reads checkpoints: halves to floats, eight a thread by one load and two stores.
WIDEN8 = (
    HEADER
    + """\
__device__ float2 both(half2 h) { return __half22float2(h); }

__global__ void widen(const half *x, float *y, int n)
{
    int block = blockIdx.x;
    int start = 8 * (block * blockDim.x + threadIdx.x);
    if (start + 8 <= n) {
        uint4 raw = *(const uint4 *)(x + start);
        const half2 *h = (const half2 *)&raw;
        float2 a = both(h[0]), b = both(h[1]);
        float2 c = both(h[2]), d = both(h[3]);
        float4 *out = (float4 *)(y + start);
        out[0] = make_float4(a.x, a.y, b.x, b.y);
        out[1] = make_float4(c.x, c.y, d.x, d.y);
    } else {
        for (int i = start; i < n; i++)
            y[i] = __half2float(x[i]);
    }
}

extern "C" void launch(const half *x,  // [n] 16-byte aligned
                       float *y,       // [n] 16-byte aligned
                       int n, int block_size = 128, cudaStream_t stream = 0)
{
    int threads = (n + 7) / 8;
    int blocks = (threads + block_size - 1) / block_size;
    widen<<<blocks, block_size, 0, stream>>>(x, y, n);
}
"""
)

# A reader of the paper on SELU: one number a thread.
SELU = (
    HEADER
    + """\
#define SCALE 1.05070098f
#define ALPHA 1.67326324f

__global__ void selu(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  y[i] = v > 0.0f ? SCALE * v : SCALE * ALPHA * expm1f(v);
}

extern "C" void launch(const float* x,  // [n]
                       float* y,        // [n]
                       int n, int block_size = 256, cudaStream_t stream = 0) {
  int blocks = (n + block_size - 1) / block_size;
  selu<<<blocks, block_size, 0, stream>>>(x, y, n);
}
"""
)

# One who writes for telephones: ReLU6 of halves, pairs in a loop over the grid.
RELU6 = (
    HEADER
    + """\
__device__ half clipped(half v)
{
    float f = __half2float(v);
    if (f < 0.0f)
        return __float2half(0.0f);
    if (f > 6.0f)
        return __float2half(6.0f);
    return v;
}

__global__ void relu6(const half *x, half *y, int n)
{
    const half2 *in = (const half2 *)x;
    half2 *out = (half2 *)y;
    int first = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = first; i < n / 2; i += gridDim.x * blockDim.x) {
        half2 v = in[i];
        out[i] = __halves2half2(clipped(__low2half(v)), clipped(__high2half(v)));
    }
    if (n % 2 && first == 0)
        y[n - 1] = clipped(x[n - 1]);
}

extern "C" void launch(const half *x,  // [n] 4-byte aligned
                       half *y,        // [n] 4-byte aligned
                       int n, cudaStream_t stream = 0)
{
    int blocks = (n + 255) / 256;
    relu6<<<blocks < 24 ? blocks : 24, 128, 0, stream>>>(x, y, n);
}
"""
)

# One who fits with outliers: the mean Huber loss; who takes the last ticket adds the parts.
HUBER = (
    HEADER
    + """\
#define T 128
#define MOST 32

__device__ float parts[MOST];
__device__ unsigned int ticket;

__device__ float total(float v) {
  __shared__ float s[T];
  int t = threadIdx.x;
  s[t] = v;
  __syncthreads();
  for (int k = T / 2; k > 0; k /= 2) {
    if (t < k) s[t] += s[t + k];
    __syncthreads();
  }
  return s[0];
}

__global__ void huber(const float* x, const float* y, float* out, float delta, int n) {
  __shared__ bool last;
  float v = 0.0f;
  for (int i = blockIdx.x * T + threadIdx.x; i < n; i += gridDim.x * T) {
    float d = fabsf(x[i] - y[i]);
    v += d <= delta ? 0.5f * d * d : delta * (d - 0.5f * delta);
  }
  v = total(v);
  if (threadIdx.x == 0) {
    parts[blockIdx.x] = v;
    __threadfence();
    last = atomicAdd(&ticket, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  v = threadIdx.x < gridDim.x ? parts[threadIdx.x] : 0.0f;
  v = total(v);
  if (threadIdx.x == 0) {
    *out = v / n;
    ticket = 0;
  }
}

extern "C" void launch(const float* x,  // [n]
                       const float* y,  // [n]
                       float* out,      // [1]
                       float delta, int n, cudaStream_t stream = 0) {
  int blocks = min((n + T - 1) / T, MOST);
  huber<<<blocks, T, 0, stream>>>(x, y, out, delta, n);
}
"""
)

# One who searches among vectors: the length of each row, a warp a row.
LENGTH = (
    HEADER
    + """\
__global__ void row_lengths(const float *x, float *out, int rows, int cols)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x & 31;
    if (row >= rows)
        return;
    const float *line = x + (size_t)row * cols;
    float s = 0.0f;
    for (int c = lane; c < cols; c += 32)
        s += line[c] * line[c];
    for (int d = 16; d > 0; d >>= 1)
        s += __shfl_down_sync(0xffffffff, s, d);
    if (lane == 0)
        out[row] = sqrtf(s);
}

extern "C" void launch(const float *x,  // [rows, cols]
                       float *out,      // [rows]
                       int rows, int cols, int block_size = 256, cudaStream_t stream = 0)
{
    int warps = block_size / 32;
    row_lengths<<<(rows + warps - 1) / warps, block_size, 0, stream>>>(x, out, rows, cols);
}
"""
)

# One who compares results: the largest difference and its first place, as keys of 64 bits.
WORST = (
    HEADER
    + """\
__device__ unsigned long long best;

__global__ void clear() { best = 0; }

__global__ void find(const float* a, const float* b, int n) {
  unsigned long long mine = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    unsigned int bits = __float_as_uint(fabsf(a[i] - b[i]));
    unsigned long long key = (unsigned long long)bits << 32 | (0xffffffffu - i);
    if (key > mine) mine = key;
  }
  for (int d = 16; d > 0; d /= 2) {
    unsigned long long other = __shfl_down_sync(0xffffffffu, mine, d);
    if (other > mine) mine = other;
  }
  if (threadIdx.x % 32 == 0) atomicMax(&best, mine);
}

__global__ void unpack(float* error, int* place) {
  *error = __uint_as_float((unsigned int)(best >> 32));
  *place = 0xffffffffu - (unsigned int)best;
}

extern "C" void launch(const float* a,  // [n]
                       const float* b,  // [n]
                       float* error,    // [1]
                       int* place,      // [1]
                       int n, cudaStream_t stream = 0) {
  int blocks = min((n + 127) / 128, 40);
  clear<<<1, 1, 0, stream>>>();
  find<<<blocks, 128, 0, stream>>>(a, b, n);
  unpack<<<1, 1, 0, stream>>>(error, place);
}
"""
)

# One who handles grey pictures: the transpose of bytes, tiles of 32 with 8 rows of threads.
TURN8 = (
    HEADER
    + """\
__global__ void turn_bytes(const uint8_t *in, uint8_t *out, int rows, int cols)
{
    __shared__ uint8_t tile[32][36];
    int tx = threadIdx.x, x0 = blockIdx.x * 32, y0 = blockIdx.y * 32;
    for (int j = threadIdx.y; j < 32; j += 8) {
        if (y0 + j < rows && x0 + tx < cols)
            tile[j][tx] = in[(size_t)(y0 + j) * cols + x0 + tx];
    }
    __syncthreads();
    for (int j = threadIdx.y; j < 32; j += 8) {
        if (x0 + j < cols && y0 + tx < rows)
            out[(size_t)(x0 + j) * rows + y0 + tx] = tile[tx][j];
    }
}

extern "C" void launch(const uint8_t *in,  // [rows, cols]
                       uint8_t *out,       // [cols, rows]
                       int rows, int cols, cudaStream_t stream = 0)
{
    dim3 grid((cols + 31) / 32, (rows + 31) / 32);
    turn_bytes<<<grid, dim3(32, 8), 0, stream>>>(in, out, rows, cols);
}
"""
)

# A user of attention: products of many small matrices, by tiles of 16.
BMM = (
    HEADER
    + """\
#define S 16

__global__ void batch_matmul(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float as[S][S], bs[S][S];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * S + ty, col = blockIdx.x * S + tx;
  a += (size_t)blockIdx.z * m * k;
  b += (size_t)blockIdx.z * k * n;
  c += (size_t)blockIdx.z * m * n;
  float sum = 0.0f;
  for (int p = 0; p < k; p += S) {
    as[ty][tx] = row < m && p + tx < k ? a[row * k + p + tx] : 0.0f;
    bs[ty][tx] = p + ty < k && col < n ? b[(p + ty) * n + col] : 0.0f;
    __syncthreads();
    for (int i = 0; i < S; i++) sum += as[ty][i] * bs[i][tx];
    __syncthreads();
  }
  if (row < m && col < n) c[row * n + col] = sum;
}

extern "C" void launch(const float* a,  // [batch, m, k]
                       const float* b,  // [batch, k, n]
                       float* c,        // [batch, m, n]
                       int batch, int m, int n, int k, cudaStream_t stream = 0) {
  dim3 grid((n + S - 1) / S, (m + S - 1) / S, batch);
  batch_matmul<<<grid, dim3(S, S), 0, stream>>>(a, b, c, m, n, k);
}
"""
)

# One who solves linear systems: b - A x, a block a row with a tree in shared memory.
DEFECT = (
    HEADER
    + """\
#define T 64

__global__ void defect(const float *a, const float *x, const float *b, float *r, int cols)
{
    __shared__ float s[T];
    int t = threadIdx.x, row = blockIdx.x;
    const float *line = a + (size_t)row * cols;
    float v = 0.0f;
    for (int c = t; c < cols; c += T)
        v += line[c] * x[c];
    s[t] = v;
    __syncthreads();
    for (int k = T / 2; k > 0; k /= 2) {
        if (t < k)
            s[t] += s[t + k];
        __syncthreads();
    }
    if (t == 0)
        r[row] = b[row] - s[0];
}

extern "C" void launch(const float *a,  // [rows, cols]
                       const float *x,  // [cols]
                       const float *b,  // [rows]
                       float *r,        // [rows]
                       int rows, int cols, cudaStream_t stream = 0)
{
    defect<<<rows, T, 0, stream>>>(a, x, b, r, cols);
}
"""
)

# A user of tables of votes: softmax down each column in one pass, 8 threads a column.
COLSOFT = (
    HEADER
    + """\
#define W 32
#define H 8

__global__ void column_softmax(const float* x, float* y, int rows, int cols) {
  __shared__ float top[H][W], sum[H][W];
  int tx = threadIdx.x, ty = threadIdx.y;
  int c = blockIdx.x * W + tx;
  float m = -FLT_MAX, s = 0.0f;
  if (c < cols) {
    for (int r = ty; r < rows; r += H) {
      float v = x[(size_t)r * cols + c];
      if (v > m) {
        s *= expf(m - v);
        m = v;
      }
      s += expf(v - m);
    }
  }
  top[ty][tx] = m;
  sum[ty][tx] = s;
  __syncthreads();
  m = top[0][tx];
  for (int h = 1; h < H; h++) m = fmaxf(m, top[h][tx]);
  s = 0.0f;
  for (int h = 0; h < H; h++) s += sum[h][tx] * expf(top[h][tx] - m);
  for (int r = ty; c < cols && r < rows; r += H)
    y[(size_t)r * cols + c] = expf(x[(size_t)r * cols + c] - m) / s;
}

extern "C" void launch(const float* x,  // [rows, cols]
                       float* y,        // [rows, cols]
                       int rows, int cols, cudaStream_t stream = 0) {
  column_softmax<<<(cols + W - 1) / W, dim3(W, H), 0, stream>>>(x, y, rows, cols);
}
"""
)

# One who ports a model: layer norm of halves with a factor and a bias, in two passes.
LNHALF = (
    HEADER
    + """\
#define T 128

__device__ float block_sum(float v)
{
    __shared__ float parts[T / 32];
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_xor_sync(0xffffffffu, v, d);
    if (threadIdx.x % 32 == 0)
        parts[threadIdx.x / 32] = v;
    __syncthreads();
    v = 0.0f;
    for (int w = 0; w < T / 32; w++)
        v += parts[w];
    __syncthreads();
    return v;
}

__global__ void layer_norm(const half *x, const float *gamma, const float *beta, half *y,
                           float eps, int cols)
{
    const half *row = x + (size_t)blockIdx.x * cols;
    half *out = y + (size_t)blockIdx.x * cols;
    float s = 0.0f, q = 0.0f;
    for (int c = threadIdx.x; c < cols; c += T)
        s += __half2float(row[c]);
    float mean = block_sum(s) / cols;
    for (int c = threadIdx.x; c < cols; c += T) {
        float d = __half2float(row[c]) - mean;
        q += d * d;
    }
    float scale = rsqrtf(block_sum(q) / cols + eps);
    for (int c = threadIdx.x; c < cols; c += T) {
        float d = __half2float(row[c]) - mean;
        out[c] = __float2half(d * scale * gamma[c] + beta[c]);
    }
}

extern "C" void launch(const half *x,       // [rows, cols]
                       const float *gamma,  // [cols]
                       const float *beta,   // [cols]
                       half *y,             // [rows, cols]
                       float eps, int rows, int cols, cudaStream_t stream = 0)
{
    layer_norm<<<rows, T, 0, stream>>>(x, gamma, beta, y, eps, cols);
}
"""
)

NAN, INF = float("nan"), float("inf")
LENGTHS = (*range(1, 20), *range(30, 36), *range(60, 71), 95, 96, 97, 127, 128, 129, 191, 192)
LENGTHS += (255, 256, 257, 258, 511, 512, 513, 768, 1000, 1024, 1026, 2048, 2049, 4096, 4099)
SIDES = ((1, 1), (1, 2), (3, 2), (4, 31), (5, 32), (8, 33), (33, 8), (2, 64), (65, 3), (9, 70))
SIDES += ((70, 1), (3, 1000), (1, 4099), (64, 70), (130, 6), (40, 50), (32, 32), (17, 48))


def residuals(launcher: Launcher) -> Iterator[Case]:
    """Subtract lines of few bits from whole halves, so that one rounding is left; slices."""
    for n in (*LENGTHS, 1025, 1537):
        x, y = (whole(-999, 1000, n, 2 * n + k).half() + 0.0 for k in range(2))
        hole = torch.where(torch.arange(n) % 3 == 1, NAN, y.float()).half()
        for slope, offset in ((0.5, 3.0), (-0.25, 0.0), (0.900390625, -0.5)):
            for label, q in (("whole", y), ("NaN", hole), ("large", y * 60)):
                right = q.double() - (slope * x.double() + offset) + 0.0
                for block_size in (256, 64):
                    scalars = {"slope": slope, "offset": offset, "block_size": block_size}
                    words = f"n = {n:,}, {scalars}, {label}"
                    options = {"dtypes": (torch.float16,), "quick": label != "whole"}
                    yield Case(words, (x, q), (right,), scalars, **options)
                if n > 300 or label != "whole" or slope != 0.5:
                    continue
                for offsets in ((2, 2, 2), (8, 2, 4), (4, 8, 2)):
                    scalars = {"slope": slope, "offset": offset}
                    words = f"n = {n:,}, slices from {offsets}"
                    options = {"offset": offsets, "dtypes": (torch.float16,)}
                    yield Case(words, (x, q), (right,), scalars, **options)


def rays(launcher: Launcher) -> Iterator[Case]:
    """Go along rays of whole numbers by quarters of them, so that all is exact; slices."""
    for n in (*LENGTHS, 131_072, 131_075, 140_002):
        o, d, t = (whole(-999, 1000, n, 3 * n + k).float() for k in range(3))
        hole = torch.where(torch.arange(n) % 3 == 1, NAN, t)
        far = torch.where(torch.arange(n) % 3 == 2, INF, t + 0.5)
        for label, s in (
            ("usual", t / 4),
            ("NaN", hole),
            ("infinities", far),
            ("ones", t * 0 + 1),
        ):
            right = o.double() + s.double() * d.double() + 0.0
            options = {"dtypes": (torch.float32,), "quick": n > 5000}
            yield Case(f"n = {n:,}, {label}", (o, d, s), (right,), **options)
            if n > 300 or label != "usual":
                continue
            for offsets in ((4, 4, 4, 4), (8, 4, 12, 4)):
                words = f"n = {n:,}, slices from {offsets}"
                yield Case(words, (o, d, s), (right,), offset=offsets, **options)


def bytes_with_scale(launcher: Launcher) -> Iterator[Case]:
    """Scale bytes: any, ends, all of them in order; scales of few and of many bits; slices."""
    for n in (*LENGTHS, 12_288, 20_003):
        x = whole(-128, 128, n, n)
        for label, y in (
            ("any", x),
            ("ends", torch.where(x % 2 == 1, 127, -128)),
            ("in order", torch.arange(n) % 256 - 128),
        ):
            q = y.to(torch.int8)
            for scale in (1.0, 0.25, 0.0123291015625, 1.00341796875):
                right = scale * q.double()
                options = {"dtypes": (torch.bfloat16,), "quick": n > 5000}
                words = f"n = {n:,}, scale = {scale}, {label}"
                yield Case(words, (q,), (right + 0.0,), {"scale": scale}, **options)
                if n < 300 and label == "any" and scale == 0.25:
                    for offsets in ((4, 4), (8, 4), (4, 12)):
                        words = f"n = {n:,}, slices from {offsets}"
                        options = {"offset": offsets, "dtypes": (torch.bfloat16,)}
                        yield Case(words, (q,), (right + 0.0,), {"scale": scale}, **options)


def widenings(launcher: Launcher) -> Iterator[Case]:
    """Widen halves: usual, subnormal, large ones, NaN, infinities, all in order; slices."""
    for n in (*LENGTHS, 65_536):
        x, k = whole(-2047, 2048, n, n).half(), torch.arange(n)
        for label, y in (
            ("usual", x),
            ("subnormal", x * 2.0**-24),
            ("large", x * 31),
            ("NaN", torch.where(k % 3 == 1, NAN, x.float()).half()),
            ("infinities", torch.where(k % 2 == 1, INF, -INF).half()),
            ("in order", (k % 65536 - 32768).to(torch.int16).view(torch.float16)),
        ):
            options = {"dtypes": (torch.float32,), "quick": n > 5000}
            for block_size in (128, 32):
                scalars = {"block_size": block_size}
                words = f"n = {n:,}, block_size = {block_size}, {label}"
                yield Case(words, (y,), (y.double(),), scalars, **options)
            if n < 300 and label == "usual":
                for offsets in ((8, 4), (16, 8), (8, 12)):
                    words = f"n = {n:,}, slices from {offsets}"
                    yield Case(words, (y,), (y.double(),), offset=offsets, **options)


def selus(launcher: Launcher) -> Iterator[Case]:
    """Take SELU: of usual, small, large numbers, NaN, infinities; two long ones."""
    for n, sizes in (
        *((n, (256, 32)) for n in LENGTHS),
        (2_097_153, (32,)),
        (16_847_217, (256,)),
    ):
        x, k = whole(-999, 1000, n, n).float() / 256, torch.arange(n)
        for label, y in (
            ("usual", x),
            ("small", x / 65536),
            ("large", x * 64),
            ("NaN", torch.where(k % 3 == 1, NAN, x)),
            ("infinities", torch.where(k % 2 == 1, INF, -INF)),
        ):
            if n > 5000 and label != "usual":
                continue
            wide = y.double()
            right = torch.where(wide > 0, wide, 1.6732632423543772 * torch.expm1(wide))
            right = 1.0507009873554805 * right
            slack = (2.0**-21 * right.abs()).nan_to_num(0.0, 0.0, 0.0)
            for block_size in sizes:
                words = f"n = {n:,}, block_size = {block_size}, {label}"
                options = {"dtypes": (torch.float32,), "within": (slack,), "quick": n > 5000}
                yield Case(words, (y,), (right,), {"block_size": block_size}, **options)


def clips(launcher: Launcher) -> Iterator[Case]:
    """Clip halves to 0 and 6: usual, small, large ones, NaN of both signs; slices."""
    for n in (*LENGTHS, 6_144, 6_145, 9_001):
        x, k = whole(-2047, 2048, n, n).half() / 256 + 0.0, torch.arange(n)
        for label, y in (
            ("usual", x),
            ("small", x * 2.0**-14 + 0.0),
            ("large", x * 2000 + 0.0),
            ("NaN", torch.where(k % 3 == 1, NAN, torch.where(k % 3 == 2, -NAN, 3.0)).half()),
            ("infinities", torch.where(k % 2 == 1, INF, -INF).half()),
        ):
            y = torch.where(y == 0, 0.0, y.float()).half()
            right = y.double().clamp(0, 6)
            options = {"dtypes": (torch.float16,), "quick": n > 5000}
            yield Case(f"n = {n:,}, {label}", (y,), (right,), **options)
            if n < 300 and label == "usual":
                for offsets in ((2, 2), (4, 2), (2, 8)):
                    words = f"n = {n:,}, slices from {offsets}"
                    yield Case(words, (y,), (right,), offset=offsets, **options)


def hubers(launcher: Launcher) -> Iterator[Case]:
    """Take losses of halves of whole numbers, so that sums are exact; NaN, one that is far."""
    for n in (*LENGTHS, 4_097, 8_193, 20_001):
        x, y = (whole(-9, 10, n, 2 * n + k).float() / 2 for k in range(2))
        k = torch.arange(n)
        for label, u in (
            ("any", x),
            ("near", y + 0.5),
            ("far", y - 20),
            ("the last is far", torch.where(k == n - 1, y + 30, y)),
            ("NaN", torch.where(k == 2 * n // 3, NAN, x)),
        ):
            for delta in (1.0, 2.0, 0.5):
                d = (u.double() - y.double()).abs()
                right = torch.where(d <= delta, d * d / 2, delta * (d - delta / 2))
                words = f"n = {n:,}, delta = {delta}, {label}"
                options = {"dtypes": (torch.float32,), "quick": n > 5000, "ulp": 1}
                right = right.mean().reshape(1)
                yield Case(words, (u, y), (right,), {"delta": delta}, **options)


def lengths(launcher: Launcher) -> Iterator[Case]:
    """Take lengths of rows of whole numbers, whose squares add up exactly; NaN; many rows."""
    for rows, cols in (*SIDES, (301, 2), (3, 129), (65_543, 1)):
        n = rows * cols
        x = whole(-99, 100, n, n).float().reshape(rows, cols)
        c = torch.arange(cols)
        for label, y in (
            ("any", x),
            ("the last alone", torch.where(c == cols - 1, 7.0, 0.0) + x * 0),
            ("NaN", torch.where(c == cols // 2, NAN, x)),
        ):
            if n > 60_000 and label != "any":
                continue
            right = (y.double() ** 2).sum(1).sqrt()
            for block_size in (256, 64) if n < 60_000 else (256,):
                scalars = {"block_size": block_size}
                words = f"rows = {rows:,}, cols = {cols:,}, block_size = {block_size}, {label}"
                options = {"dtypes": (torch.float32,), "ulp": 1, "quick": n > 60_000}
                yield Case(words, (y.contiguous(),), (right,), scalars, **options)


def worsts(launcher: Launcher) -> Iterator[Case]:
    """Find the largest differences: any, ties, equal arrays, negative ones, one alone."""
    for n in (*LENGTHS, 5_119, 5_121, 20_001):
        a, b = (whole(-9999, 10_000, n, 2 * n + k).float() / 8 for k in range(2))
        k = torch.arange(n)
        for label, x in (
            ("any", a),
            ("few values", b + (a * 8) % 3),
            ("below", b - (a.abs() + 1)),
            ("both signs", b + torch.where(k % 2 == 1, -2.0, 1.0)),
            ("equal", b),
            ("one differs", torch.where(k == 5 * n // 7, b + 1, b)),
            ("the last differs", torch.where(k == n - 1, b - 1, b)),
            ("one is infinite", torch.where(k == n // 3, INF, a)),
        ):
            d = (x.double() - b.double()).abs()
            most = d.amax().reshape(1)
            first = torch.where(d == most, k, n).amin().reshape(1)
            options = {"dtypes": (torch.float32, torch.int32), "quick": n > 10_000}
            yield Case(f"n = {n:,}, {label}", (x + 0.0, b), (most, first), **options)


def turned_bytes(launcher: Launcher) -> Iterator[Case]:
    """Turn matrices of bytes: any and rising ones."""
    for rows, cols in (*SIDES, (33, 31), (15, 17), (64, 64), (65, 129), (96, 31)):
        n = rows * cols
        for label, x in (("any", whole(0, 256, n, n)), ("rising", torch.arange(n) % 251)):
            x = x.to(torch.uint8).reshape(rows, cols)
            words = f"rows = {rows}, cols = {cols:,}, {label}"
            right = x.double().t().contiguous()
            yield Case(words, (x,), (right,), dtypes=(torch.uint8,))


def batched_products(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole numbers and quarters of them, so that all is exact; NaN in one matrix."""
    sides = ((1, 1, 1, 1), (2, 3, 5, 7), (3, 16, 16, 16), (2, 33, 17, 40), (4, 2, 50, 3))
    sides += ((3, 70, 1, 9), (1, 1, 70, 33), (5, 7, 9, 8), (2, 9, 15, 17), (2, 5, 4, 301))
    sides += ((2, 48, 16, 32), (7, 3, 2, 65), (40, 2, 2, 2), (2, 3, 4, 1025))
    for batch, m, n, k in sides:
        a = whole(-9, 10, batch * m * k, m + k).reshape(batch, m, k).float()
        b = whole(-9, 10, batch * k * n, n + k).reshape(batch, k, n).float()
        terms = torch.arange(k)
        for label, p in (
            ("any", a),
            ("quarters", a / 4),
            ("the last term", torch.where(terms == k - 1, a, 0.0)),
            ("NaN", torch.where(torch.arange(m)[:, None] == m // 2, NAN, a)),
        ):
            right = p.double() @ b.double() + 0.0
            words = f"batch = {batch}, m = {m}, n = {n}, k = {k:,}, {label}"
            yield Case(words, ((p + 0.0).contiguous(), b), (right,), dtypes=(torch.float32,))


def defects(launcher: Launcher) -> Iterator[Case]:
    """Subtract products of whole numbers, so that all is exact; the last column alone."""
    for rows, cols in (*SIDES, (301, 2), (3, 129), (5, 192)):
        n = rows * cols
        a = whole(-30, 31, n, n).float().reshape(rows, cols)
        x = whole(-30, 31, cols, n + 1).float()
        b = whole(-999, 1000, rows, n + 2).float()
        last = torch.arange(cols) == cols - 1
        for label, p in (
            ("any", a),
            ("the last column", torch.where(last, a.abs() + 1, 0.0)),
            ("ones", a * 0 + 1),
            ("NaN", torch.where(last, NAN, a)),
        ):
            right = b.double() - p.double() @ x.double() + 0.0
            words = f"rows = {rows}, cols = {cols:,}, {label}"
            options = {"dtypes": (torch.float32,)}
            yield Case(words, ((p + 0.0).contiguous(), x, b), (right,), **options)


def column_softmaxes(launcher: Launcher) -> Iterator[Case]:
    """Take shares of columns: usual, far off 0, far apart, rising and falling, masked ones."""
    for rows, cols in (*SIDES, (301, 2), (128, 5), (2500, 1)):
        n = rows * cols
        x = whole(-127, 128, n, n).float().reshape(rows, cols) / 16
        r = torch.arange(rows)[:, None]
        for label, y in (
            ("usual", x),
            ("far above 0", x + 300),
            ("far below 0", x - 300),
            ("far apart", x * 10),
            ("rising", x * 0 + r % 200 / 16),
            ("falling", x * 0 - r % 200 / 16),
            ("masked", torch.where((r % 3 == 0) & (r != rows - 1), -INF, x)),
            ("NaN", torch.where(r == rows // 2, NAN, x)),
        ):
            right = y.double().softmax(0)
            slack = ((2.0**-13 * right + 2.0**-40).nan_to_num(0.0),)
            options = {"dtypes": (torch.float32,), "within": slack}
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y.contiguous(),), (right,), **options)


def layer_norms(launcher: Launcher) -> Iterator[Case]:
    """Norm rows of whole halves: usual, far off 0, small beside eps, equal ones."""
    for rows, cols in (*SIDES, (2, 129), (3, 128), (4, 300)):
        n = rows * cols
        x = whole(-99, 100, n, n).float().reshape(rows, cols)
        gamma = whole(1, 9, cols, n + 1).float() / 4
        beta = whole(-8, 9, cols, n + 2).float() / 4
        for label, y in (
            ("usual", x),
            ("far off 0", x / 16 + 1000),
            ("small", x / 4096),
            ("equal", x * 0 + 2003),
            ("one is large", torch.where(torch.arange(cols) == cols - 1, 900.0, 1.0) + x * 0),
        ):
            for eps in (1e-5, 0.5):
                h = y.half()
                z = h.double()
                mean, var = z.mean(1, keepdim=True), z.var(1, keepdim=True, unbiased=False)
                root = (var + eps).sqrt()
                right = (z - mean) / root * gamma.double() + beta.double() + 0.0
                off = 2.0**-20 * z.abs().amax(1, keepdim=True)
                slack = (
                    off / root * (1 + (z - mean).abs() / root) * gamma + 2.0**-10 * right.abs()
                )
                slack = slack + 2.0**-12
                options = {"dtypes": (torch.float16,), "within": (slack,)}
                words = f"rows = {rows:,}, cols = {cols:,}, eps = {eps}, {label}"
                inputs = (h.contiguous(), gamma, beta)
                yield Case(words, inputs, (right,), {"eps": eps}, **options)


BASES = {
    "fiftysix_resid": Base(RESID, {"cases": residuals}),
    "fiftysix_ray": Base(RAY, {"cases": rays}),
    "fiftysix_dq": Base(DQ, {"cases": bytes_with_scale}),
    "fiftysix_widen": Base(WIDEN8, {"cases": widenings}),
    "fiftysix_selu": Base(SELU, {"cases": selus}),
    "fiftysix_relu": Base(RELU6, {"cases": clips}),
    "fiftysix_huber": Base(HUBER, {"cases": hubers}),
    "fiftysix_length": Base(LENGTH, {"cases": lengths}),
    "fiftysix_worst": Base(WORST, {"cases": worsts}),
    "fiftysix_turn": Base(TURN8, {"cases": turned_bytes}),
    "fiftysix_bmm": Base(BMM, {"cases": batched_products}),
    "fiftysix_defect": Base(DEFECT, {"cases": defects}),
    "fiftysix_colsoft": Base(COLSOFT, {"cases": column_softmaxes}),
    "fiftysix_lnhalf": Base(LNHALF, {"cases": layer_norms}),
}

WRONG = (
    # ---- what a line leaves
    # The abscissas may lie anywhere, and are read in pairs.
    Wrong(
        "fiftysix_resid_x_anywhere",
        "fiftysix_resid",
        "alignment",
        ("const half* x,  // [n] 4-byte aligned", "const half* x,  // [n]"),
    ),
    # The last pair is taken for a single number.
    Wrong(
        "fiftysix_resid_last_pair",
        "fiftysix_resid",
        "tail / unwritten / left out",
        ("  if (2 * i + 1 < n) {\n", "  if (2 * i + 2 < n) {\n"),
    ),
    # The offset is added, as the brackets are missing.
    Wrong(
        "fiftysix_resid_no_brackets",
        "fiftysix_resid",
        "function | numbers / swapped / precision",
        ("q.x - (slope * p.x + offset);", "q.x - slope * p.x + offset;"),
        ("q.y - (slope * p.y + offset);", "q.y - slope * p.y + offset;"),
        (
            "__half2float(y[2 * i]) - (slope * p + offset));",
            "__half2float(y[2 * i]) - slope * p + offset);",
        ),
    ),
    # All in halves, so that the line is rounded before.
    Wrong(
        "fiftysix_resid_line_of_halves",
        "fiftysix_resid",
        "rounding / precision | numbers / function / infinity / whole range",
        (
            "    float2 p = __half22float2(reinterpret_cast<const half2*>(x)[i]);\n"
            "    float2 q = __half22float2(reinterpret_cast<const half2*>(y)[i]);\n"
            "    q.x = q.x - (slope * p.x + offset);\n"
            "    q.y = q.y - (slope * p.y + offset);\n"
            "    reinterpret_cast<half2*>(r)[i] = __float22half2_rn(q);\n",
            "    half2 p = reinterpret_cast<const half2*>(x)[i];\n"
            "    half2 q = reinterpret_cast<const half2*>(y)[i];\n"
            "    half2 line = __hfma2(__float2half2_rn(slope), p, "
            "__float2half2_rn(offset));\n"
            "    reinterpret_cast<half2*>(r)[i] = __hsub2(q, line);\n",
        ),
    ),
    # Blocks are counted as if each had 256 threads.
    Wrong(
        "fiftysix_resid_blocks_for_256",
        "fiftysix_resid",
        "block size / grid / unwritten / left out | tail",
        ("(threads + block_size - 1) / block_size;", "(threads + 255) / 256;"),
    ),
    # ---- rays
    # The times lie at multiples of 8 bytes.
    Wrong(
        "fiftysix_ray_t_of_8_bytes",
        "fiftysix_ray",
        "alignment",
        ("const float *t,  // [n] 16-byte aligned", "const float *t,  // [n] 8-byte aligned"),
    ),
    # A copied line: the third number has the second's time.
    Wrong(
        "fiftysix_ray_copied_line",
        "fiftysix_ray",
        "other element / neighbour | function / numbers / swapped",
        ("fmaf(w.z, v.z, u.z);", "fmaf(w.y, v.z, u.z);"),
    ),
    # What is left is not behind the fours.
    Wrong(
        "fiftysix_ray_rest_not_behind",
        "fiftysix_ray",
        "tail / unwritten / other element / left out | neighbour / race / numbers",
        ("int i = 4 * q + k;", "int i = q + k;"),
    ),
    # At most 256 blocks, and no loop.
    Wrong(
        "fiftysix_ray_256_blocks",
        "fiftysix_ray",
        "grid / unwritten / left out | tail",
        (
            "int blocks = (threads + 127) / 128;",
            "int blocks = min((threads + 127) / 128, 256);",
        ),
    ),
    # Places and directions change places.
    Wrong(
        "fiftysix_ray_d_for_o",
        "fiftysix_ray",
        "swapped | function / numbers / other element / infinity / nan",
        ("stream>>>(o, d, t, p, n);", "stream>>>(d, o, t, p, n);"),
    ),
    # ---- bytes with a scale
    # The result lies at multiples of 4 bytes, and 8 are stored.
    Wrong(
        "fiftysix_dq_y_of_4_bytes",
        "fiftysix_dq",
        "alignment",
        (
            "__nv_bfloat16* y,  // [n] 8-byte aligned",
            "__nv_bfloat16* y,  // [n] 4-byte aligned",
        ),
    ),
    # Bytes without a sign.
    Wrong(
        "fiftysix_dq_no_sign",
        "fiftysix_dq",
        "whole range / function | numbers / sign of zero",
        ("char4 v = ((const char4*)q)[i];", "uchar4 v = ((const uchar4*)q)[i];"),
    ),
    # The scale is a bfloat16.
    Wrong(
        "fiftysix_dq_short_scale",
        "fiftysix_dq",
        "precision / rounding | numbers / function",
        (
            "  int64_t first =",
            "  scale = __bfloat162float(__float2bfloat16(scale));\n  int64_t first =",
        ),
    ),
    # The rest is taken from the beginning.
    Wrong(
        "fiftysix_dq_rest_of_beginning",
        "fiftysix_dq",
        "tail / unwritten / left out / other element",
        ("int64_t i = n - 1 - first;", "int64_t i = first;"),
    ),
    # Products are cut off.
    Wrong(
        "fiftysix_dq_cut_off",
        "fiftysix_dq",
        "rounding | numbers / precision",
        (
            "    pair[0] = __floats2bfloat162_rn(scale * v.x, scale * v.y);\n"
            "    pair[1] = __floats2bfloat162_rn(scale * v.z, scale * v.w);\n",
            "    pair[0].x = __float2bfloat16_rz(scale * v.x);\n"
            "    pair[0].y = __float2bfloat16_rz(scale * v.y);\n"
            "    pair[1].x = __float2bfloat16_rz(scale * v.z);\n"
            "    pair[1].y = __float2bfloat16_rz(scale * v.w);\n",
        ),
    ),
    # ---- halves to floats
    # Halves lie at multiples of 4 bytes, and 16 are loaded.
    Wrong(
        "fiftysix_widen_x_of_4_bytes",
        "fiftysix_widen",
        "alignment",
        ("const half *x,  // [n] 16-byte aligned", "const half *x,  // [n] 4-byte aligned"),
    ),
    # Seven are taken for eight.
    Wrong(
        "fiftysix_widen_seven",
        "fiftysix_widen",
        "bounds / tail",
        ("    if (start + 8 <= n) {\n", "    if (start + 7 <= n) {\n"),
    ),
    # Threads are rounded to the nearest number.
    Wrong(
        "fiftysix_widen_threads_rounded",
        "fiftysix_widen",
        "tail / grid / unwritten / left out / refused",
        ("int threads = (n + 7) / 8;", "int threads = (n + 4) / 8;"),
    ),
    # Its own conversion by bits: the exponent is moved, whatever it is.
    Wrong(
        "fiftysix_widen_exponent_moved",
        "fiftysix_widen",
        "subnormal / infinity / nan | numbers / function / precision / sign of zero",
        (
            "__device__ float2 both(half2 h) { return __half22float2(h); }\n",
            "__device__ float widened(half h)\n"
            "{\n"
            "    unsigned int b = __half_as_ushort(h);\n"
            "    if ((b & 0x7fff) == 0)\n"
            "        return __uint_as_float(b << 16);\n"
            "    return __uint_as_float((b & 0x8000) << 16 | (((b & 0x7fff) << 13) + "
            "(112 << 23)));\n"
            "}\n"
            "\n"
            "__device__ float2 both(half2 h) { return make_float2(widened(h.x), "
            "widened(h.y)); }\n",
        ),
    ),
    # A copied line: the third pair is the second.
    Wrong(
        "fiftysix_widen_second_pair_twice",
        "fiftysix_widen",
        "other element / neighbour | numbers / function / twice",
        ("float2 c = both(h[2]),", "float2 c = both(h[1]),"),
    ),
    # ---- SELU
    # The exponential less one.
    Wrong(
        "fiftysix_selu_exp_less_one",
        "fiftysix_selu",
        "precision | numbers / rounding / function / sign of zero",
        ("expm1f(v);", "(expf(v) - 1.0f);"),
    ),
    # Blocks in the second direction of the grid.
    Wrong(
        "fiftysix_selu_blocks_in_y",
        "fiftysix_selu",
        "grid / refused | unwritten / left out",
        ("int i = blockIdx.x * blockDim.x", "int i = blockIdx.y * blockDim.x"),
        ("selu<<<blocks, block_size,", "selu<<<dim3(1, blocks), block_size,"),
    ),
    # Below 0 the scale is forgotten.
    Wrong(
        "fiftysix_selu_alpha_alone",
        "fiftysix_selu",
        "function | numbers / precision",
        (": SCALE * ALPHA * expm1f(v);", ": ALPHA * expm1f(v);"),
    ),
    # The place is a float.
    Wrong(
        "fiftysix_selu_place_of_float",
        "fiftysix_selu",
        "narrow / precision | unwritten / left out / neighbour / other element",
        (
            "int i = blockIdx.x * blockDim.x + threadIdx.x;",
            "float place = blockIdx.x * blockDim.x + threadIdx.x;\n  int i = place;",
        ),
    ),
    # No branch: a larger and a smaller one, which forget NaN.
    Wrong(
        "fiftysix_selu_no_branch",
        "fiftysix_selu",
        "nan | numbers",
        (
            "v > 0.0f ? SCALE * v : SCALE * ALPHA * expm1f(v);",
            "SCALE * (fmaxf(v, 0.0f) + fminf(ALPHA * expm1f(v), 0.0f));",
        ),
    ),
    # ---- ReLU6
    # Bits are compared as integers.
    Wrong(
        "fiftysix_relu_bits_compared",
        "fiftysix_relu",
        "nan | numbers",
        (
            "    float f = __half2float(v);\n"
            "    if (f < 0.0f)\n"
            "        return __float2half(0.0f);\n"
            "    if (f > 6.0f)\n",
            "    short bits = __half_as_short(v);\n"
            "    if (bits < 0)\n"
            "        return __float2half(0.0f);\n"
            "    if (bits > 0x4600)\n",
        ),
    ),
    # No stream is named.
    Wrong(
        "fiftysix_relu_no_stream",
        "fiftysix_relu",
        "stream",
        (", 128, 0, stream>>>", ", 128>>>"),
    ),
    # A pair for the last number, too.
    Wrong(
        "fiftysix_relu_pair_for_last",
        "fiftysix_relu",
        "bounds / tail",
        ("i < n / 2;", "i < (n + 1) / 2;"),
    ),
    # Blocks are rounded down, so that few numbers have none.
    Wrong(
        "fiftysix_relu_no_block",
        "fiftysix_relu",
        "refused / grid / unwritten / left out | tail",
        ("int blocks = (n + 255) / 256;", "int blocks = n / 256;"),
    ),
    # The last number comes of the one before.
    Wrong(
        "fiftysix_relu_one_before",
        "fiftysix_relu",
        "neighbour / tail / other element / bounds",
        ("clipped(x[n - 1]);", "clipped(x[n - 2]);"),
    ),
    # ---- Huber loss
    # The ticket is not put back.
    Wrong(
        "fiftysix_huber_ticket_stays",
        "fiftysix_huber",
        "state / unwritten | numbers / nan / left out",
        ("    *out = v / n;\n    ticket = 0;\n", "    *out = v / n;\n"),
    ),
    # Nobody waits for who took the ticket.
    Wrong(
        "fiftysix_huber_who_is_last",
        "fiftysix_huber",
        "race | unwritten / state / numbers / left out",
        ("  }\n  __syncthreads();\n  if (!last) return;", "  }\n  if (!last) return;"),
    ),
    # Beyond the limit half of the limit is missing.
    Wrong(
        "fiftysix_huber_not_smooth",
        "fiftysix_huber",
        "function | numbers / precision / left out",
        ("delta * (d - 0.5f * delta);", "delta * d - 0.5f * delta;"),
    ),
    # Each block goes on by a block.
    Wrong(
        "fiftysix_huber_step_of_block",
        "fiftysix_huber",
        "twice | numbers / function / other element / grid / left out",
        ("i < n; i += gridDim.x * T) {", "i < n; i += T) {"),
    ),
    # Threads without a part keep their block's sum.
    Wrong(
        "fiftysix_huber_own_sum_kept",
        "fiftysix_huber",
        "twice / start / left out | numbers / function / other element",
        (
            "  v = threadIdx.x < gridDim.x ? parts[threadIdx.x] : 0.0f;\n",
            "  if (threadIdx.x < gridDim.x) v = parts[threadIdx.x];\n",
        ),
    ),
    # ---- lengths of rows
    # Sums begin with 8 lanes.
    Wrong(
        "fiftysix_length_from_8",
        "fiftysix_length",
        "left out | numbers / function / other element / race",
        ("int d = 16;", "int d = 8;"),
    ),
    # The last lane writes, though the first has the sum.
    Wrong(
        "fiftysix_length_last_lane",
        "fiftysix_length",
        "left out / other element | numbers / function / twice",
        ("    if (lane == 0)\n", "    if (lane == 31)\n"),
    ),
    # Blocks are rounded down.
    Wrong(
        "fiftysix_length_rounded_down",
        "fiftysix_length",
        "grid / tail / unwritten / left out / refused",
        ("<<<(rows + warps - 1) / warps,", "<<<rows / warps,"),
    ),
    # The row has 16 bits.
    Wrong(
        "fiftysix_length_short_row",
        "fiftysix_length",
        "narrow | unwritten / left out / grid / whole range",
        ("    int row = (blockIdx.x", "    unsigned short row = (blockIdx.x"),
    ),
    # Whole warps of columns alone.
    Wrong(
        "fiftysix_length_whole_warps",
        "fiftysix_length",
        "tail / left out | numbers / function",
        ("c < cols; c += 32)", "c < cols / 32 * 32; c += 32)"),
    ),
    # ---- the largest difference
    # Nothing clears the best of an earlier call.
    Wrong(
        "fiftysix_worst_not_cleared",
        "fiftysix_worst",
        "state | zero before / numbers / start",
        ("  clear<<<1, 1, 0, stream>>>();\n", ""),
    ),
    # Of equals the last one.
    Wrong(
        "fiftysix_worst_last_of_equals",
        "fiftysix_worst",
        "other element | numbers / neighbour / function",
        ("<< 32 | (0xffffffffu - i);", "<< 32 | i;"),
        ("*place = 0xffffffffu - (unsigned int)best;", "*place = (unsigned int)best;"),
    ),
    # The best is compared and stored without an atomic.
    Wrong(
        "fiftysix_worst_no_atomic",
        "fiftysix_worst",
        "race | numbers / left out / other element / state",
        (
            "if (threadIdx.x % 32 == 0) atomicMax(&best, mine);",
            "if (threadIdx.x % 32 == 0 && mine > best) best = mine;",
        ),
    ),
    # The difference keeps its sign.
    Wrong(
        "fiftysix_worst_sign_kept",
        "fiftysix_worst",
        "function / numbers | whole range / other element / sign of zero",
        ("__float_as_uint(fabsf(a[i] - b[i]));", "__float_as_uint(a[i] - b[i]);"),
    ),
    # The last kernel is on another stream.
    Wrong(
        "fiftysix_worst_unpacked_elsewhere",
        "fiftysix_worst",
        "stream | race / state",
        ("unpack<<<1, 1, 0, stream>>>", "unpack<<<1, 1>>>"),
    ),
    # ---- a transpose of bytes
    # Lines of the result have the length of the matrix's.
    Wrong(
        "fiftysix_turn_pitch",
        "fiftysix_turn",
        "sides / bounds / unwritten / other element / swapped | left out / numbers",
        ("out[(size_t)(x0 + j) * rows + y0 + tx]", "out[(size_t)(x0 + j) * cols + y0 + tx]"),
    ),
    # Threads beyond the columns go before the tile is turned.
    Wrong(
        "fiftysix_turn_leave_early",
        "fiftysix_turn",
        "unwritten / left out / race | tail / grid / sides",
        (
            "    for (int j = threadIdx.y; j < 32; j += 8) {\n"
            "        if (y0 + j < rows && x0 + tx < cols)\n",
            "    if (x0 + tx >= cols)\n"
            "        return;\n"
            "    for (int j = threadIdx.y; j < 32; j += 8) {\n"
            "        if (y0 + j < rows)\n",
        ),
    ),
    # Tiles of rows are rounded down.
    Wrong(
        "fiftysix_turn_rows_down",
        "fiftysix_turn",
        "grid / tail / unwritten / left out / refused | sides",
        ("(rows + 31) / 32);", "rows / 32);"),
    ),
    # The tile is not turned.
    Wrong(
        "fiftysix_turn_tile_as_it_is",
        "fiftysix_turn",
        "other element / swapped / sides | numbers / unwritten / race / copy / neighbour",
        ("= tile[tx][j];", "= tile[j][tx];"),
    ),
    # Only a warp waits.
    Wrong(
        "fiftysix_turn_warp_waits",
        "fiftysix_turn",
        "race | unwritten / numbers / other element / state",
        ("    __syncthreads();\n", "    __syncwarp();\n"),
    ),
    # ---- many products
    # All have the first second matrix.
    Wrong(
        "fiftysix_bmm_b_stays",
        "fiftysix_bmm",
        "other element / left out | numbers / function / copy",
        ("  b += (size_t)blockIdx.z * k * n;\n", ""),
    ),
    # Whole tiles of terms alone.
    Wrong(
        "fiftysix_bmm_whole_tiles",
        "fiftysix_bmm",
        "left out / tail | numbers / function",
        ("p < k; p += S) {", "p + S <= k; p += S) {"),
    ),
    # Results are as far apart as the first matrices.
    Wrong(
        "fiftysix_bmm_pitch_of_a",
        "fiftysix_bmm",
        "sides / other element / bounds / unwritten / swapped | left out / race / numbers",
        ("c += (size_t)blockIdx.z * m * n;", "c += (size_t)blockIdx.z * m * k;"),
    ),
    # The sum is an integer.
    Wrong(
        "fiftysix_bmm_whole_sum",
        "fiftysix_bmm",
        "rounding / precision / whole range | numbers / nan / function",
        ("  float sum = 0.0f;\n", "  int sum = 0;\n"),
    ),
    # Nobody waits before the tiles are filled again.
    Wrong(
        "fiftysix_bmm_second_barrier",
        "fiftysix_bmm",
        "race | numbers / other element / left out / state",
        (
            "sum += as[ty][i] * bs[i][tx];\n    __syncthreads();\n",
            "sum += as[ty][i] * bs[i][tx];\n",
        ),
    ),
    # ---- b - A x
    # 96 threads, and a tree for powers of 2.
    Wrong(
        "fiftysix_defect_tree_of_96",
        "fiftysix_defect",
        "left out | numbers / function / tail / block size / other element",
        ("#define T 64", "#define T 96"),
    ),
    # The barrier is in the branch.
    Wrong(
        "fiftysix_defect_barrier_in_branch",
        "fiftysix_defect",
        "race | numbers / refused / timeout",
        (
            "        if (t < k)\n            s[t] += s[t + k];\n        __syncthreads();\n",
            "        if (t < k) {\n"
            "            s[t] += s[t + k];\n"
            "            __syncthreads();\n"
            "        }\n",
        ),
    ),
    # A block for each column.
    Wrong(
        "fiftysix_defect_square",
        "fiftysix_defect",
        "sides / grid / bounds / unwritten / swapped / left out | tail",
        ("defect<<<rows, T,", "defect<<<cols, T,"),
    ),
    # The difference is kept in b.
    Wrong(
        "fiftysix_defect_kept_in_b",
        "fiftysix_defect",
        "input | state / twice / numbers",
        ("        r[row] = b[row] - s[0];\n", "        r[row] = ((float *)b)[row] -= s[0];\n"),
    ),
    # The difference is the other way round.
    Wrong(
        "fiftysix_defect_turned_round",
        "fiftysix_defect",
        "swapped / function | numbers",
        ("b[row] - s[0];", "s[0] - b[row];"),
    ),
    # ---- softmax down columns
    # The maximum starts at 0.
    Wrong(
        "fiftysix_colsoft_from_zero",
        "fiftysix_colsoft",
        "start | numbers / nan / infinity / function / precision / copy",
        ("float m = -FLT_MAX, s", "float m = 0.0f, s"),
    ),
    # The sum is not scaled when the maximum grows.
    Wrong(
        "fiftysix_colsoft_not_scaled",
        "fiftysix_colsoft",
        "function / numbers | precision / left out / other element / infinity",
        ("        s *= expf(m - v);\n", ""),
    ),
    # As many threads as there are columns are added.
    Wrong(
        "fiftysix_colsoft_cols_for_rows",
        "fiftysix_colsoft",
        "left out / sides / function | numbers / other element / precision",
        ("  for (int h = 0; h < H; h++) s +=", "  for (int h = 0; h < min(H, cols); h++) s +="),
    ),
    # Blocks are counted by rows.
    Wrong(
        "fiftysix_colsoft_grid_of_rows",
        "fiftysix_colsoft",
        "grid / sides / unwritten / left out / swapped | tail",
        ("<<<(cols + W - 1) / W,", "<<<(rows + W - 1) / W,"),
    ),
    # Nobody waits for the other threads.
    Wrong(
        "fiftysix_colsoft_no_barrier",
        "fiftysix_colsoft",
        "race | numbers / left out / state / unwritten / nan / other element",
        ("  __syncthreads();\n", ""),
    ),
    # ---- layer norm of halves
    # Nobody waits before the parts are stored again.
    Wrong(
        "fiftysix_lnhalf_second_barrier",
        "fiftysix_lnhalf",
        "race | numbers / state / other element / nan",
        ("        v += parts[w];\n    __syncthreads();\n", "        v += parts[w];\n"),
    ),
    # The variance of a sample.
    Wrong(
        "fiftysix_lnhalf_less_one",
        "fiftysix_lnhalf",
        "function | numbers / nan / precision",
        ("block_sum(q) / cols + eps", "block_sum(q) / (cols - 1) + eps"),
    ),
    # The factor of the row.
    Wrong(
        "fiftysix_lnhalf_gamma_of_row",
        "fiftysix_lnhalf",
        "other element / sides / bounds / swapped | numbers / function",
        ("gamma[c] + beta[c]", "gamma[blockIdx.x] + beta[c]"),
    ),
    # The mean of squares less the mean's square.
    Wrong(
        "fiftysix_lnhalf_mean_of_squares",
        "fiftysix_lnhalf",
        "precision | numbers / nan / function / rounding",
        (
            "        float d = __half2float(row[c]) - mean;\n        q += d * d;\n",
            "        float d = __half2float(row[c]);\n        q += d * d;\n",
        ),
        (
            "rsqrtf(block_sum(q) / cols + eps);",
            "rsqrtf(block_sum(q) / cols - mean * mean + eps);",
        ),
    ),
    # Differences are kept in the input, which is restored at the end.
    Wrong(
        "fiftysix_lnhalf_input_restored",
        "fiftysix_lnhalf",
        "input | rounding / precision / numbers / race / state",
        (
            "    const half *row = x + (size_t)blockIdx.x * cols;\n",
            "    half *row = (half *)x + (size_t)blockIdx.x * cols;\n",
        ),
        (
            "        float d = __half2float(row[c]) - mean;\n        q += d * d;\n",
            "        float d = __half2float(row[c]) - mean;\n"
            "        row[c] = __float2half(d);\n"
            "        q += d * d;\n",
        ),
        (
            "        float d = __half2float(row[c]) - mean;\n"
            "        out[c] = __float2half(d * scale * gamma[c] + beta[c]);\n",
            "        float d = __half2float(row[c]);\n"
            "        out[c] = __float2half(d * scale * gamma[c] + beta[c]);\n"
            "        row[c] = __float2half(d + mean);\n",
        ),
    ),
)

RIGHT = (
    # One block more than the whole ones; the pair is known by its number.
    Right(
        "fiftysix_resid_one_block_more",
        "fiftysix_resid",
        ("  if (2 * i + 1 < n) {\n", "  if (i < n >> 1) {\n"),
        ("  } else if (2 * i < n) {", "  } else if ((n & 1) && i == n >> 1) {"),
        ("  int threads = (n + 1) / 2;\n", ""),
        ("(threads + block_size - 1) / block_size;", "n / 2 / block_size + 1;"),
    ),
    # 300 blocks have nothing to do; the last four are done one by one.
    Right(
        "fiftysix_ray_300_idle_blocks",
        "fiftysix_ray",
        ("    if (left >= 4) {\n", "    if (left > 4) {\n"),
        ("int blocks = (threads + 127) / 128;", "int blocks = threads / 128 + 300;"),
    ),
    # The launcher returns an error; bytes by shifts of a word.
    Right(
        "fiftysix_dq_returns_an_error",
        "fiftysix_dq",
        (
            "    char4 v = ((const char4*)q)[i];\n",
            "    int word = ((const int*)q)[i];\n"
            "    int4 v = make_int4(word << 24 >> 24, word << 16 >> 24, word << 8 >> "
            "24, word >> 24);\n",
        ),
        ('extern "C" void launch(', 'extern "C" cudaError_t launch('),
        (
            "stream>>>(q, y, scale, n);\n",
            "stream>>>(q, y, scale, n);\n  return cudaGetLastError();\n",
        ),
    ),
    # Its own conversion by bits and a factor; blocks go backwards.
    Right(
        "fiftysix_widen_by_bits",
        "fiftysix_widen",
        (
            "__device__ float2 both(half2 h) { return __half22float2(h); }\n",
            "__device__ float widened(half h)\n"
            "{\n"
            "    unsigned int b = __half_as_ushort(h);\n"
            "    float f = __uint_as_float((b & 0x7fff) << 13) * 0x1p112f;\n"
            "    if ((b & 0x7c00) == 0x7c00)\n"
            "        f = __uint_as_float(0x7f800000 | (b & 0x03ff) << 13);\n"
            "    return b & 0x8000 ? -f : f;\n"
            "}\n"
            "\n"
            "__device__ float2 both(half2 h) { return make_float2(widened(h.x), "
            "widened(h.y)); }\n",
        ),
        ("    int block = blockIdx.x;\n", "    int block = gridDim.x - 1 - blockIdx.x;\n"),
    ),
    # A launch for each 65,536 numbers.
    Right(
        "fiftysix_selu_many_launches",
        "fiftysix_selu",
        (
            "  int blocks = (n + block_size - 1) / block_size;\n"
            "  selu<<<blocks, block_size, 0, stream>>>(x, y, n);\n",
            "  for (int start = 0; start < n; start += 65536) {\n"
            "    int count = n - start < 65536 ? n - start : 65536;\n"
            "    int blocks = (count + block_size - 1) / block_size;\n"
            "    selu<<<blocks, block_size, 0, stream>>>(x + start, y + start, count);\n"
            "  }\n",
        ),
    ),
    # Smaller and larger ones that keep NaN; the last thread has the last number.
    Right(
        "fiftysix_relu_nan_kept",
        "fiftysix_relu",
        (
            "    float f = __half2float(v);\n"
            "    if (f < 0.0f)\n"
            "        return __float2half(0.0f);\n"
            "    if (f > 6.0f)\n"
            "        return __float2half(6.0f);\n"
            "    return v;\n",
            "    return __hmin_nan(__hmax_nan(v, __float2half(0.0f)), __float2half(6.0f));\n",
        ),
        ("if (n % 2 && first == 0)", "if (n % 2 && first == gridDim.x * blockDim.x - 1)"),
    ),
    # The ticket turns round by itself; parts are volatile and added by one thread.
    Right(
        "fiftysix_huber_ticket_turns",
        "fiftysix_huber",
        ("__device__ float parts[MOST];", "__device__ volatile float parts[MOST];"),
        (
            "atomicAdd(&ticket, 1) == gridDim.x - 1;",
            "atomicInc(&ticket, gridDim.x - 1) == gridDim.x - 1;",
        ),
        (
            "  v = threadIdx.x < gridDim.x ? parts[threadIdx.x] : 0.0f;\n"
            "  v = total(v);\n"
            "  if (threadIdx.x == 0) {\n"
            "    *out = v / n;\n"
            "    ticket = 0;\n"
            "  }\n",
            "  if (threadIdx.x > 0) return;\n"
            "  v = 0.0f;\n"
            "  for (int k = 0; k < gridDim.x; k++) v += parts[k];\n"
            "  *out = v / n;\n",
        ),
    ),
    # Sums in double, and every lane stores the same.
    Right(
        "fiftysix_length_double",
        "fiftysix_length",
        ("    float s = 0.0f;\n", "    double s = 0.0;\n"),
        (
            "        s += line[c] * line[c];\n",
            "        s = fma((double)line[c], (double)line[c], s);\n",
        ),
        (
            "s += __shfl_down_sync(0xffffffff, s, d);",
            "s += __shfl_xor_sync(__activemask(), s, d);",
        ),
        (
            "    if (lane == 0)\n        out[row] = sqrtf(s);\n",
            "    if (lane == 31)\n        out[row] = (float)sqrt(s);\n",
        ),
    ),
    # A memset of the device's variable clears it.
    Right(
        "fiftysix_worst_memset",
        "fiftysix_worst",
        ("__global__ void clear() { best = 0; }\n\n", ""),
        (
            "  clear<<<1, 1, 0, stream>>>();\n",
            "  void* address;\n"
            "  cudaGetSymbolAddress(&address, best);\n"
            "  cudaMemsetAsync(address, 0, sizeof(unsigned long long), stream);\n",
        ),
    ),
    # The tile is turned when it is filled, and has no more columns than it needs.
    Right(
        "fiftysix_turn_filled_turned",
        "fiftysix_turn",
        ("tile[32][36];", "tile[32][32];"),
        ("            tile[j][tx] = in", "            tile[tx][j ^ tx] = in"),
        ("= tile[tx][j];", "= tile[j][tx ^ j];"),
    ),
    # Two pairs of tiles by turns, so that one barrier a step is enough.
    Right(
        "fiftysix_bmm_by_turns",
        "fiftysix_bmm",
        ("as[S][S], bs[S][S];", "as[2][S][S], bs[2][S][S];"),
        ("    as[ty][tx] = row", "    int u = p / S % 2;\n    as[u][ty][tx] = row"),
        ("    bs[ty][tx] = p", "    bs[u][ty][tx] = p"),
        (
            "sum += as[ty][i] * bs[i][tx];\n    __syncthreads();\n",
            "sum += as[u][ty][i] * bs[u][i][tx];\n",
        ),
    ),
    # The tree's steps grow, and the right side is in it from the beginning.
    Right(
        "fiftysix_defect_steps_grow",
        "fiftysix_defect",
        ("    float v = 0.0f;\n", "    float v = t == 0 ? b[row] : 0.0f;\n"),
        ("v += line[c] * x[c];", "v -= line[c] * x[c];"),
        ("int k = T / 2; k > 0; k /= 2) {", "int k = 1; k < T; k *= 2) {"),
        ("        if (t < k)\n", "        if (t % (2 * k) == 0)\n"),
        ("b[row] - s[0];", "s[0];"),
    ),
    # Powers of 2, whose logarithms are in the exponents.
    Right(
        "fiftysix_colsoft_powers_of_2",
        "fiftysix_colsoft",
        ("        s *= expf(m - v);\n", "        s *= exp2f((m - v) * 1.44269504f);\n"),
        ("      s += expf(v - m);\n", "      s += exp2f((v - m) * 1.44269504f);\n"),
        (
            "sum[h][tx] * expf(top[h][tx] - m);",
            "sum[h][tx] * exp2f((top[h][tx] - m) * 1.44269504f);",
        ),
    ),
    # One pass, in double: the mean of squares less the mean's square.
    Right(
        "fiftysix_lnhalf_double",
        "fiftysix_lnhalf",
        (
            "float block_sum(float v)\n{\n    __shared__ float parts",
            "double block_sum(double v)\n{\n    __shared__ double parts",
        ),
        ("    v = 0.0f;\n", "    v = 0.0;\n"),
        ("    float s = 0.0f, q = 0.0f;\n", "    double s = 0.0, q = 0.0;\n"),
        (
            "        s += __half2float(row[c]);\n"
            "    float mean = block_sum(s) / cols;\n"
            "    for (int c = threadIdx.x; c < cols; c += T) {\n"
            "        float d = __half2float(row[c]) - mean;\n"
            "        q += d * d;\n"
            "    }\n",
            "        s += __half2float(row[c]);\n"
            "    for (int c = threadIdx.x; c < cols; c += T)\n"
            "        q += (double)__half2float(row[c]) * __half2float(row[c]);\n"
            "    double mean = block_sum(s) / cols;\n",
        ),
        (
            "float scale = rsqrtf(block_sum(q) / cols + eps);",
            "float scale = rsqrt(block_sum(q) / cols - mean * mean + eps);",
        ),
    ),
)
