"""Hold a fifty-seventh family: kernels of half a year's practice, and their usual mistakes.

Its bases are the screen of two layers, forces of damped springs, halves to bytes by a step,
bfloat16 to floats by the bits, a radial function, the gradient of the logistic function of
halves, total variation, cosines of rows, the label of each row and its margin, the transposes
of many matrices of doubles, the product of matrices with sums and least ones, a vector times a
matrix, what softmax of a row expects, and a normed row that is added to another. They have 14
to 44 lines, and are of people with half a year of CUDA: one who composes pictures, one who
simulates cloth, a user of small models, one who unpacks weights, readers of two papers, one who
writes gradients by hand, one who smooths signals, one who compares texts, one who trusts no
classifier, one who solves in double precision, one who plans routes, one who weighs rows and
one who builds networks with shortcuts. They use half2 with a thread more for the last number,
float4 in a loop over the grid with a rest for the first threads, two half2 and a store of four
bytes, words that are moved by bits, a number a thread, pairs in a loop with the last number in
it, parts by one kernel and their sum by another, a warp a row with shuffles, a tree of
structures in shared memory, tiles of 16 in a grid of three sides, tiles that are filled with
infinity, 32 rows a block with atomics after a memset, a maximum and two sums that grow
together, and Welford's mean with a tree. Their mistakes are spread over alignment, sizes, grids
and integers of 16 bits, values, rounding, NaN and infinity, inputs that are written, sums,
transposes, products, order, streams and what is left of an earlier call. The causes were
written before a member was judged. On the emulator each ran beside PyTorch, compared as a case
does, called twice on the same tensors, once each with NaN and 1e3 in floating outputs and with
tensors at either end of their pages, inputs that cannot be written in one of both, on a stream
that is not the default one, with the threads in order; those of tv, cos, margin, turnd, routes,
vecmat, expect and short also from the last thread to the first, where those of tv and margin
that lack a barrier, and that of vecmat without an atomic, are right; those of tv, cos, margin
and short also with threads in a random order; bases and right ones but those of turnd and
routes at a hundred other sizes or so, as far as a few seconds reach. nvcc 13.0 compiles each
for 8.0, all members of a base in one file; none was run on a GPU. Bases and right ones are
right, and all wrong ones but one wrong or refused by a fault:

    fiftyseven_screen_a_anywhere          from 2 numbers on, by the address of a
    fiftyseven_screen_blocks_for_pairs    of odd counts, if the block size divides the pairs
    fiftyseven_screen_all_in_halves       in pairs, if a step is no half
    fiftyseven_screen_stored_at_pairs     of odd counts from 3 on
    fiftyseven_screen_no_stream           on another stream than the default one
    fiftyseven_spring_v_of_8_bytes        from 4 numbers on, by the address of v
    fiftyseven_spring_no_loop             from 16,388 numbers on
    fiftyseven_spring_third_speed         from 4 numbers on, unless both speeds are equal
    fiftyseven_spring_three_of_rest       unless 4 leaves 3 of the count
    fiftyseven_spring_rest_for_x          unless both are equal
    fiftyseven_hq_roundf                  halfway, if the step nearer to 0 is even
    fiftyseven_hq_no_limits               beyond 127 steps
    fiftyseven_hq_q_anywhere              from 4 numbers on, by the address of q
    fiftyseven_hq_turned_pair             from 4 numbers on, unless both are equal
    fiftyseven_hq_threads_for_fours       if 4 leaves some, and no block of fours is partly full
    fiftyseven_bfup_mask_without_sign     from 4 numbers on, if the second is below 0
    fiftyseven_bfup_y_of_8_bytes          from 4 numbers on, by the address of y
    fiftyseven_bfup_high_first            from 4 numbers on, unless both are equal
    fiftyseven_bfup_last_alone            if 4 leaves 2 or 3 of the count
    fiftyseven_bfup_no_block              of fewer than 256 numbers
    fiftyseven_gauss_no_minus             of all but 0, what is near it, and NaN
    fiftyseven_gauss_limit                of NaN, and from about 13.2 on
    fiftyseven_gauss_256                  of blocks below 256 threads, from several blocks on
    fiftyseven_gauss_short_blocks         from 65,536 blocks on
    fiftyseven_gauss_half_exponent        if the exponent is no half
    fiftyseven_dsig_of_tanh               unless y is 1
    fiftyseven_dsig_kept_in_g             from 2 numbers on: g is overwritten
    fiftyseven_dsig_dx_anywhere           from 2 numbers on, by the address of dx
    fiftyseven_dsig_pair_for_last         of odd counts: one behind the end is read and written
    fiftyseven_dsig_all_in_halves         in pairs, if a step is no half
    fiftyseven_tv_behind_the_end          always: one behind the end is read
    fiftyseven_tv_no_barrier              where warps do not wait for another
    fiftyseven_tv_parts_added             from the second call on, unless all numbers are equal
    fiftyseven_tv_second_stream           on another stream than the default one
    fiftyseven_tv_32_parts                from 4,097 numbers on
    fiftyseven_cos_one_root               if the product of both squares is no usual float
    fiftyseven_cos_from_8                 if lanes from 16 on have other sums
    fiftyseven_cos_whole_fours            if 4 does not divide the rows
    fiftyseven_cos_by_zero                of rows of zeros
    fiftyseven_cos_step_of_block          from 33 columns on
    fiftyseven_margin_last_of_equals      if the largest is there more than once
    fiftyseven_margin_from_zero           of all but rows with two numbers above 0
    fiftyseven_margin_loser_forgotten     from 2 columns on
    fiftyseven_margin_no_barrier          where warps do not wait for another
    fiftyseven_margin_from_a_quarter      from 33 columns on
    fiftyseven_turnd_float_tile           of numbers that are no floats
    fiftyseven_turnd_grid_turned          if rows have more or fewer tiles than columns
    fiftyseven_turnd_no_barrier           where warps do not wait for another
    fiftyseven_turnd_tested_as_read       unless 16 divides both sides, or a tile has a square
    fiftyseven_turnd_one_result           from the second matrix on
    fiftyseven_routes_zero_pads           if 16 does not divide the terms of sums above 0
    fiftyseven_routes_from_zero           if all sums are above 0
    fiftyseven_routes_second_barrier      from 17 terms on, where warps do not wait
    fiftyseven_routes_whole_tiles         if 16 does not divide the terms
    fiftyseven_routes_pitch_of_b          from 2 rows on, unless n is k
    fiftyseven_vecmat_no_memset           always: y is added to
    fiftyseven_vecmat_few_bytes           always: of three quarters of y, or of their bytes
    fiftyseven_vecmat_no_atomic           from 33 rows on, where blocks meet
    fiftyseven_vecmat_32_rows             if 32 does not divide the rows
    fiftyseven_vecmat_rounded_down        if 32 does not divide the rows
    fiftyseven_expect_not_scaled          from 33 columns on, if a lane's maximum grows
    fiftyseven_expect_from_zero           of rows that are far below 0
    fiftyseven_expect_four_rows           of blocks below 128 threads, from 2 rows on
    fiftyseven_expect_weight_of_lane      from 33 columns on
    fiftyseven_expect_merged_wrong        if lanes have other maxima
    fiftyseven_short_no_distance          from 2 columns on, unless means are equal
    fiftyseven_short_no_barrier           from 3 columns on, where warps do not wait
    fiftyseven_short_less_one             if eps is not far above the variance
    fiftyseven_short_off_in_x             always: x is overwritten for a while
    fiftyseven_short_plain_middle         unless 64 divides the columns or means are equal
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import whole

# One who composes pictures: a + b - a * b of two layers, in halves, a pair a thread.
SCREEN = (
    HEADER
    + """\
__global__ void screen(const half2* a, const half2* b, half2* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int pairs = n / 2;
  if (i < pairs) {
    float2 p = __half22float2(a[i]);
    float2 q = __half22float2(b[i]);
    out[i] = __floats2half2_rn(p.x + q.x - p.x * q.x, p.y + q.y - p.y * q.y);
  }
  if (i == pairs && n % 2 == 1) {
    float p = __half2float(((const half*)a)[n - 1]);
    float q = __half2float(((const half*)b)[n - 1]);
    ((half*)out)[n - 1] = __float2half(p + q - p * q);
  }
}

extern "C" void launch(const half* a,  // [n] 4-byte aligned
                       const half* b,  // [n] 4-byte aligned
                       half* out,      // [n] 4-byte aligned
                       int n, int block_size = 128, cudaStream_t stream = 0) {
  int blocks = n / 2 / block_size + 1;
  screen<<<blocks, block_size, 0, stream>>>((const half2*)a, (const half2*)b, (half2*)out, n);
}
"""
)

# One who simulates cloth: the force of damped springs, four numbers in a loop over the grid.
SPRING = (
    HEADER
    + """\
__global__ void spring(const float *x, const float *rest, const float *v, float *f, float k,
                       float c, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int threads = gridDim.x * blockDim.x;
    for (int i = t; i < n / 4; i += threads) {
        float4 p = ((const float4 *)x)[i];
        float4 r = ((const float4 *)rest)[i];
        float4 w = ((const float4 *)v)[i];
        float4 s;
        s.x = k * (r.x - p.x) - c * w.x;
        s.y = k * (r.y - p.y) - c * w.y;
        s.z = k * (r.z - p.z) - c * w.z;
        s.w = k * (r.w - p.w) - c * w.w;
        ((float4 *)f)[i] = s;
    }
    int done = n / 4 * 4;
    if (t < n - done)
        f[done + t] = k * (rest[done + t] - x[done + t]) - c * v[done + t];
}

extern "C" void launch(const float *x,     // [n] 16-byte aligned
                       const float *rest,  // [n] 16-byte aligned
                       const float *v,     // [n] 16-byte aligned
                       float *f,           // [n] 16-byte aligned
                       float k, float c, int n, cudaStream_t stream = 0)
{
    int blocks = (n + 511) / 512;
    if (blocks > 32)
        blocks = 32;
    spring<<<blocks, 128, 0, stream>>>(x, rest, v, f, k, c, n);
}
"""
)

# A user of small models: halves to bytes with a sign, to the nearest step, four a thread.
H2Q = (
    HEADER
    + """\
__device__ signed char quantized(float v, float inverse) {
  float q = rintf(v * inverse);
  q = fminf(fmaxf(q, -127.0f), 127.0f);
  return (signed char)q;
}

__global__ void to_bytes(const half* x, int8_t* q, float inverse, int n) {
  int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (i + 4 <= n) {
    const half2* two = (const half2*)(x + i);
    float2 a = __half22float2(two[0]);
    float2 b = __half22float2(two[1]);
    *(char4*)(q + i) = make_char4(quantized(a.x, inverse), quantized(a.y, inverse),
                                  quantized(b.x, inverse), quantized(b.y, inverse));
    return;
  }
  for (; i < n; i++) q[i] = quantized(__half2float(x[i]), inverse);
}

extern "C" void launch(const half* x,  // [n] 4-byte aligned
                       int8_t* q,      // [n] 4-byte aligned
                       float inverse, int n, int block_size = 256, cudaStream_t stream = 0) {
  int threads = (n + 3) / 4;
  int blocks = (threads + block_size - 1) / block_size;
  to_bytes<<<blocks, block_size, 0, stream>>>(x, q, inverse, n);
}
"""
)

# One who unpacks weights: bfloat16 to float by the bits, four in a loop over the grid.
BFUP = (
    HEADER
    + """\
__global__ void lengthen(const __nv_bfloat16 *x, float *y, int64_t n)
{
    int64_t first = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = first; i < n / 4; i += step) {
        uint2 raw = ((const uint2 *)x)[i];
        float4 f;
        f.x = __uint_as_float(raw.x << 16);
        f.y = __uint_as_float(raw.x & 0xffff0000u);
        f.z = __uint_as_float(raw.y << 16);
        f.w = __uint_as_float(raw.y & 0xffff0000u);
        ((float4 *)y)[i] = f;
    }
    for (int64_t i = n / 4 * 4 + first; i < n; i += step)
        y[i] = __bfloat162float(x[i]);
}

extern "C" void launch(const __nv_bfloat16 *x,  // [n] 8-byte aligned
                       float *y,                // [n] 16-byte aligned
                       int64_t n, cudaStream_t stream = 0)
{
    int64_t blocks = n / 256 + 1;
    lengthen<<<blocks < 40 ? blocks : 40, 64, 0, stream>>>(x, y, n);
}
"""
)

# A reader of a paper on radial functions: exp(-x * x / 2), one number a thread.
GAUSS = (
    HEADER
    + """\
__global__ void gauss(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float v = x[i];
    y[i] = expf(-0.5f * v * v);
  }
}

extern "C" void launch(const float* x,  // [n]
                       float* y,        // [n]
                       int n, int block_size = 256, cudaStream_t stream = 0) {
  int blocks = (n + block_size - 1) / block_size;
  gauss<<<blocks, block_size, 0, stream>>>(x, y, n);
}
"""
)

# One who writes gradients by hand: that of the logistic function, halves in a loop by pairs.
DSIG = (
    HEADER
    + """\
__device__ float slope(float g, float y)
{
    return g * y * (1.0f - y);
}

__global__ void backward(const half *g, const half *y, half *dx, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int step = 2 * gridDim.x * blockDim.x;
    for (int i = 2 * t; i < n; i += step) {
        if (i + 1 < n) {
            float2 u = __half22float2(*(const half2 *)(g + i));
            float2 v = __half22float2(*(const half2 *)(y + i));
            *(half2 *)(dx + i) = __floats2half2_rn(slope(u.x, v.x), slope(u.y, v.y));
        } else {
            dx[i] = __float2half(slope(__half2float(g[i]), __half2float(y[i])));
        }
    }
}

extern "C" void launch(const half *g,  // [n] 4-byte aligned
                       const half *y,  // [n] 4-byte aligned
                       half *dx,       // [n] 4-byte aligned
                       int n, cudaStream_t stream = 0)
{
    int blocks = min((n + 255) / 256, 24);
    backward<<<blocks, 128, 0, stream>>>(g, y, dx, n);
}
"""
)

# One who smooths signals: the total variation, parts by one kernel and their sum by another.
TV = (
    HEADER
    + """\
#define T 128
#define MOST 48

__device__ float parts[MOST];

__device__ float total(float v) {
  __shared__ float s[T / 32];
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
  __syncthreads();
  v = 0.0f;
  for (int w = 0; w < T / 32; w++) v += s[w];
  return v;
}

__global__ void variation(const float* x, int n) {
  float v = 0.0f;
  for (int i = blockIdx.x * T + threadIdx.x; i + 1 < n; i += gridDim.x * T)
    v += fabsf(x[i + 1] - x[i]);
  v = total(v);
  if (threadIdx.x == 0) parts[blockIdx.x] = v;
}

__global__ void add_parts(float* out, int count) {
  float v = threadIdx.x < count ? parts[threadIdx.x] : 0.0f;
  v = total(v);
  if (threadIdx.x == 0) *out = v;
}

extern "C" void launch(const float* x,  // [n]
                       float* out,      // [1]
                       int n, cudaStream_t stream = 0) {
  int blocks = min((n + T - 1) / T, MOST);
  variation<<<blocks, T, 0, stream>>>(x, n);
  add_parts<<<1, T, 0, stream>>>(out, blocks);
}
"""
)

# One who compares texts: the cosine between rows, a warp a row and four rows a block.
COSINE = (
    HEADER
    + """\
__device__ float warp_sum(float v)
{
    for (int d = 16; d > 0; d >>= 1)
        v += __shfl_xor_sync(0xffffffff, v, d);
    return v;
}

__global__ void cosine(const float *a, const float *b, float *out, int rows, int cols)
{
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows)
        return;
    const float *p = a + (size_t)row * cols;
    const float *q = b + (size_t)row * cols;
    float pq = 0.0f, pp = 0.0f, qq = 0.0f;
    for (int c = threadIdx.x; c < cols; c += 32) {
        pq += p[c] * q[c];
        pp += p[c] * p[c];
        qq += q[c] * q[c];
    }
    pq = warp_sum(pq);
    pp = warp_sum(pp);
    qq = warp_sum(qq);
    if (threadIdx.x == 0)
        out[row] = pq / fmaxf(sqrtf(pp) * sqrtf(qq), 1e-8f);
}

extern "C" void launch(const float *a,  // [rows, cols]
                       const float *b,  // [rows, cols]
                       float *out,      // [rows]
                       int rows, int cols, cudaStream_t stream = 0)
{
    cosine<<<(rows + 3) / 4, dim3(32, 4), 0, stream>>>(a, b, out, rows, cols);
}
"""
)

# One who trusts no classifier: the label of each row, and by how much it is ahead.
MARGIN = (
    HEADER
    + """\
#define T 64

struct Two {
  float first, second;
  int place;
};

__device__ Two better(Two a, Two b) {
  if (b.first > a.first || (b.first == a.first && b.place < a.place)) {
    Two c = a;
    a = b;
    b = c;
  }
  a.second = fmaxf(a.second, b.first);
  return a;
}

__global__ void margin(const float* x, float* gap, int* label, int cols) {
  __shared__ Two s[T];
  int t = threadIdx.x;
  const float* row = x + (size_t)blockIdx.x * cols;
  Two mine = {-INFINITY, -INFINITY, 0x7fffffff};
  for (int c = t; c < cols; c += T) {
    Two one = {row[c], -INFINITY, c};
    mine = better(mine, one);
  }
  s[t] = mine;
  __syncthreads();
  for (int h = T / 2; h > 0; h /= 2) {
    if (t < h) s[t] = better(s[t], s[t + h]);
    __syncthreads();
  }
  if (t == 0) {
    gap[blockIdx.x] = s[0].first - s[0].second;
    label[blockIdx.x] = s[0].place;
  }
}

extern "C" void launch(const float* x,  // [rows, cols]
                       float* gap,      // [rows]
                       int* label,      // [rows]
                       int rows, int cols, cudaStream_t stream = 0) {
  margin<<<rows, T, 0, stream>>>(x, gap, label, cols);
}
"""
)

# One who solves in double precision: the transposes of many matrices, tiles of 16.
TURND = (
    HEADER
    + """\
#define S 16

__global__ void turn_all(const double *in, double *out, int rows, int cols)
{
    __shared__ double tile[S][S + 1];
    size_t start = (size_t)blockIdx.z * rows * cols;
    int c = blockIdx.x * S + threadIdx.x;
    int r = blockIdx.y * S + threadIdx.y;
    if (r < rows && c < cols)
        tile[threadIdx.y][threadIdx.x] = in[start + (size_t)r * cols + c];
    __syncthreads();
    int to_row = blockIdx.x * S + threadIdx.y;
    int to_col = blockIdx.y * S + threadIdx.x;
    if (to_row < cols && to_col < rows)
        out[start + (size_t)to_row * rows + to_col] = tile[threadIdx.x][threadIdx.y];
}

extern "C" void launch(const double *in,  // [batch, rows, cols]
                       double *out,       // [batch, cols, rows]
                       int batch, int rows, int cols, cudaStream_t stream = 0)
{
    dim3 grid((cols + S - 1) / S, (rows + S - 1) / S, batch);
    turn_all<<<grid, dim3(S, S), 0, stream>>>(in, out, rows, cols);
}
"""
)

# One who plans routes: the product of matrices with sums for products and least for sums.
ROUTES = (
    HEADER
    + """\
#define S 16

__global__ void min_plus(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float as[S][S], bs[S][S];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * S + ty, col = blockIdx.x * S + tx;
  float best = INFINITY;
  for (int p = 0; p < k; p += S) {
    as[ty][tx] = row < m && p + tx < k ? a[(size_t)row * k + p + tx] : INFINITY;
    bs[ty][tx] = p + ty < k && col < n ? b[(size_t)(p + ty) * n + col] : INFINITY;
    __syncthreads();
    for (int i = 0; i < S; i++) best = fminf(best, as[ty][i] + bs[i][tx]);
    __syncthreads();
  }
  if (row < m && col < n) c[(size_t)row * n + col] = best;
}

extern "C" void launch(const float* a,  // [m, k]
                       const float* b,  // [k, n]
                       float* c,        // [m, n]
                       int m, int n, int k, cudaStream_t stream = 0) {
  dim3 grid((n + S - 1) / S, (m + S - 1) / S);
  min_plus<<<grid, dim3(S, S), 0, stream>>>(a, b, c, m, n, k);
}
"""
)

# One who weighs rows: a vector times a matrix, 32 rows a block that are added by atomics.
VECMAT = (
    HEADER
    + """\
#define ROWS 32

__global__ void vector_matrix(const float *x, const float *a, float *y, int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols)
        return;
    int r = blockIdx.y * ROWS;
    int end = min(r + ROWS, rows);
    float s = 0.0f;
    for (; r < end; r++)
        s += x[r] * a[(size_t)r * cols + c];
    atomicAdd(y + c, s);
}

extern "C" void launch(const float *x,  // [rows]
                       const float *a,  // [rows, cols]
                       float *y,        // [cols]
                       int rows, int cols, cudaStream_t stream = 0)
{
    dim3 grid((cols + 63) / 64, (rows + ROWS - 1) / ROWS);
    cudaMemsetAsync(y, 0, cols * sizeof(float), stream);
    vector_matrix<<<grid, 64, 0, stream>>>(x, a, y, rows, cols);
}
"""
)

# A reader of the paper on attention: what softmax of a row expects of v, in one pass.
EXPECT = (
    HEADER
    + """\
__global__ void expected(const float* x, const float* v, float* out, int rows, int cols) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  int lane = threadIdx.x % 32;
  if (row >= rows) return;
  const float* line = x + (size_t)row * cols;
  float m = -FLT_MAX, s = 0.0f, o = 0.0f;
  for (int c = lane; c < cols; c += 32) {
    float u = line[c];
    if (u > m) {
      float f = expf(m - u);
      s *= f;
      o *= f;
      m = u;
    }
    float e = expf(u - m);
    s += e;
    o += e * v[c];
  }
  for (int d = 16; d > 0; d /= 2) {
    float m2 = __shfl_xor_sync(0xffffffffu, m, d);
    float s2 = __shfl_xor_sync(0xffffffffu, s, d);
    float o2 = __shfl_xor_sync(0xffffffffu, o, d);
    float top = fmaxf(m, m2);
    float f = expf(m - top), f2 = expf(m2 - top);
    s = s * f + s2 * f2;
    o = o * f + o2 * f2;
    m = top;
  }
  if (lane == 0) out[row] = o / s;
}

extern "C" void launch(const float* x,  // [rows, cols]
                       const float* v,  // [cols]
                       float* out,      // [rows]
                       int rows, int cols, int block_size = 128, cudaStream_t stream = 0) {
  int warps = block_size / 32;
  expected<<<(rows + warps - 1) / warps, block_size, 0, stream>>>(x, v, out, rows, cols);
}
"""
)

# One who builds networks with shortcuts: a normed row is added, Welford's mean and a tree.
SHORTCUT = (
    HEADER
    + """\
#define T 64

__global__ void norm_add(const float *x, const float *rest, float *y, float eps, int cols)
{
    __shared__ float mean[T], square[T];
    __shared__ int count[T];
    int t = threadIdx.x, k = 0;
    size_t start = (size_t)blockIdx.x * cols;
    float m = 0.0f, q = 0.0f;
    for (int c = t; c < cols; c += T) {
        float v = x[start + c], d = v - m;
        m += d / ++k;
        q += d * (v - m);
    }
    mean[t] = m;
    square[t] = q;
    count[t] = k;
    __syncthreads();
    for (int h = T / 2; h > 0; h /= 2) {
        if (t < h && count[t + h] > 0) {
            int both = count[t] + count[t + h];
            float d = mean[t + h] - mean[t], share = (float)count[t + h] / both;
            mean[t] += d * share;
            square[t] += square[t + h] + d * d * share * count[t];
            count[t] = both;
        }
        __syncthreads();
    }
    float scale = rsqrtf(square[0] / cols + eps);
    for (int c = t; c < cols; c += T)
        y[start + c] = rest[start + c] + (x[start + c] - mean[0]) * scale;
}

extern "C" void launch(const float *x,     // [rows, cols]
                       const float *rest,  // [rows, cols]
                       float *y,           // [rows, cols]
                       float eps, int rows, int cols, cudaStream_t stream = 0)
{
    norm_add<<<rows, T, 0, stream>>>(x, rest, y, eps, cols);
}
"""
)

NAN, INF = float("nan"), float("inf")
LENGTHS = (*range(1, 20), *range(30, 36), *range(60, 71), 95, 96, 97, 127, 128, 129, 191, 192)
LENGTHS += (255, 256, 257, 258, 511, 512, 513, 768, 1000, 1024, 1026, 2048, 2049, 4096, 4099)
SIDES = ((1, 1), (1, 2), (3, 2), (4, 31), (5, 32), (8, 33), (33, 8), (2, 64), (65, 3), (9, 70))
SIDES += ((70, 1), (3, 1000), (1, 4099), (64, 70), (130, 6), (40, 50), (32, 32), (17, 48))


def screens(launcher: Launcher) -> Iterator[Case]:
    """Screen numbers of few bits, so that one rounding is left; NaN, large ones; slices."""
    for n in LENGTHS:
        x, y = (whole(0, 17, n, 2 * n + k).half() / 16 for k in range(2))
        u, v = (whole(-99, 100, n, 2 * n + k).half() / 8 + 0.0 for k in range(2))
        hole = torch.where(torch.arange(n) % 3 == 1, NAN, y.float()).half()
        for label, p, q in (
            ("shares", x, y),
            ("beyond 1", u, v),
            ("large", u * 128, v * 128),
            ("NaN", x, hole),
        ):
            wide, other = p.double(), q.double()
            right = wide + other - wide * other + 0.0
            for block_size in (128, 32):
                scalars = {"block_size": block_size}
                words = f"n = {n:,}, block_size = {block_size}, {label}"
                yield Case(words, (p, q), (right,), scalars, dtypes=(torch.float16,))
            if n < 300 and label == "shares":
                for offsets in ((2, 2, 2), (8, 2, 4), (4, 8, 2)):
                    words = f"n = {n:,}, slices from {offsets}"
                    options = {"offset": offsets, "dtypes": (torch.float16,)}
                    yield Case(words, (p, q), (right,), **options)


def springs(launcher: Launcher) -> Iterator[Case]:
    """Pull at springs of whole numbers, so that all is exact; NaN, infinite speeds; slices."""
    for n in (*LENGTHS, 16_384, 16_387, 33_001):
        x, rest, v = (whole(-999, 1000, n, 3 * n + k).float() for k in range(3))
        j = torch.arange(n)
        for label, s in (
            ("usual", v),
            ("NaN", torch.where(j % 4 == 3, NAN, v)),
            ("infinities", torch.where(j % 5 == 2, INF, v)),
        ):
            for k, c in ((0.5, 0.25), (3.0, 1.0)):
                right = k * (rest.double() - x.double()) - c * s.double() + 0.0
                scalars = {"k": k, "c": c}
                options = {"dtypes": (torch.float32,), "quick": n > 5000}
                words = f"n = {n:,}, k = {k}, c = {c}, {label}"
                yield Case(words, (x, rest, s), (right,), scalars, **options)
                if n < 300 and label == "usual" and k == 0.5:
                    for offsets in ((4, 4, 4, 4), (8, 4, 12, 4)):
                        words = f"n = {n:,}, slices from {offsets}"
                        options = {"dtypes": (torch.float32,), "offset": offsets}
                        yield Case(words, (x, rest, s), (right,), scalars, **options)


def quantizations(launcher: Launcher) -> Iterator[Case]:
    """Round halves to steps: any, halfway ones, large ones, infinities, rising ones; slices."""
    for n in (*LENGTHS, 20_003):
        x, k = whole(-999, 1000, n, n).half() / 8 + 0.0, torch.arange(n)
        for label, y in (
            ("any", x),
            ("halfway", (whole(-120, 120, n, n + 1).float() + 0.5).half()),
            ("large", x * 300),
            ("infinities", torch.where(k % 2 == 1, INF, -INF).half()),
            ("rising", (k % 1999 - 999).half() / 8),
        ):
            for inverse in (1.0, 0.25, 3.0):
                right = (y.double() * inverse).round().clamp(-127, 127) + 0.0
                for block_size in (256, 64):
                    scalars = {"inverse": inverse, "block_size": block_size}
                    words = f"n = {n:,}, {scalars}, {label}"
                    options = {"dtypes": (torch.int8,), "quick": n > 5000}
                    yield Case(words, (y,), (right,), scalars, **options)
                if n < 300 and label == "any" and inverse == 1.0:
                    for offsets in ((2, 4), (4, 12), (8, 4)):
                        words = f"n = {n:,}, slices from {offsets}"
                        options = {"dtypes": (torch.int8,), "offset": offsets}
                        yield Case(words, (y,), (right,), {"inverse": inverse}, **options)


def lengthened(launcher: Launcher) -> Iterator[Case]:
    """Lengthen bfloat16: usual, subnormal, large ones, NaN, infinities, all; slices."""
    for n in (*LENGTHS, 10_240, 65_536):
        x, k = whole(-255, 256, n, n).bfloat16(), torch.arange(n)
        for label, y in (
            ("usual", x),
            ("subnormal", x * 2.0**-133),
            ("large", x * 2.0**119),
            ("NaN", torch.where(k % 3 == 1, NAN, x.float()).bfloat16()),
            ("infinities", torch.where(k % 2 == 1, -INF, INF).bfloat16()),
            ("in order", (k % 65536 - 32768).to(torch.int16).view(torch.bfloat16)),
        ):
            options = {"dtypes": (torch.float32,), "quick": n > 5000}
            yield Case(f"n = {n:,}, {label}", (y,), (y.double(),), **options)
            if n < 300 and label == "usual":
                for offsets in ((4, 4), (8, 4), (4, 12)):
                    words = f"n = {n:,}, slices from {offsets}"
                    yield Case(words, (y,), (y.double(),), offset=offsets, **options)


def gausses(launcher: Launcher) -> Iterator[Case]:
    """Take exp(-x * x / 2): of usual, small, large numbers, NaN, infinities; a long one."""
    for n, sizes in (*((n, (256, 32, 512)) for n in LENGTHS), (2_097_185, (32,))):
        x, k = whole(-999, 1000, n, n).float() / 256, torch.arange(n)
        for label, y in (
            ("usual", x),
            ("small", x / 65536),
            ("large", x * 64),
            ("huge", x * 2.0**100),
            ("NaN", torch.where(k % 3 == 1, NAN, x)),
            ("infinities", torch.where(k % 2 == 1, INF, -INF)),
        ):
            if n > 5000 and label != "usual":
                continue
            right = torch.exp(-(y.double() ** 2) / 2)
            slack = (2.0**-22 * right * (1 + y.double() ** 2)).nan_to_num(0.0, 0.0, 0.0)
            slack = slack + 2.0**-127
            for block_size in sizes:
                words = f"n = {n:,}, block_size = {block_size}, {label}"
                options = {"dtypes": (torch.float32,), "within": (slack,), "quick": n > 5000}
                yield Case(words, (y,), (right,), {"block_size": block_size}, **options)


def gradients(launcher: Launcher) -> Iterator[Case]:
    """Take gradients of few bits, so that one rounding is left; NaN, large ones; slices."""
    for n in (*LENGTHS, 6_144, 6_145, 9_001):
        g = whole(-99, 100, n, n).half()
        y = whole(0, 65, n, n + 1).half() / 64
        k = torch.arange(n)
        for label, u in (
            ("usual", g),
            ("small", g * 2.0**-20),
            ("large", g * 512),
            ("NaN", torch.where(k % 3 == 1, NAN, g.float()).half()),
        ):
            right = u.double() * y.double() * (1 - y.double())
            options = {"dtypes": (torch.float16,), "quick": n > 5000}
            yield Case(f"n = {n:,}, {label}", (u, y), (right,), **options)
            if n < 300 and label == "usual":
                for offsets in ((2, 2, 2), (8, 2, 4), (4, 8, 2)):
                    words = f"n = {n:,}, slices from {offsets}"
                    yield Case(words, (u, y), (right,), offset=offsets, **options)


def variations(launcher: Launcher) -> Iterator[Case]:
    """Add differences of neighbours, halves of whole numbers, so that all is exact; NaN."""
    for n in (*LENGTHS, 6_143, 6_145, 12_300):
        x, k = whole(-99, 100, n, n).float() / 2, torch.arange(n)
        for label, y in (
            ("any", x),
            ("equal", x * 0 + 3),
            ("one step at the end", torch.where(k == n - 1, 5.0, 0.0)),
            ("rising", k.float()),
            ("NaN", torch.where(k == n // 3, NAN, x)),
        ):
            if n == 1 and label == "NaN":
                continue
            right = y.double().diff().abs().sum().reshape(1)
            options = {"dtypes": (torch.float32,), "quick": n > 5000}
            yield Case(f"n = {n:,}, {label}", (y,), (right,), **options)


def cosines(launcher: Launcher) -> Iterator[Case]:
    """Compare rows: any, equal, opposite, large, zeros; the last column alone; NaN."""
    for rows, cols in (*SIDES, (301, 2), (3, 129), (7, 128)):
        n = rows * cols
        a, b = (whole(-30, 31, n, n + k).float().reshape(rows, cols) for k in range(2))
        c = torch.arange(cols)
        for label, p, q in (
            ("any", a, b),
            ("equal", b, b),
            ("opposite", -b, b * 2),
            ("large", a * 2.0**34, b * 2.0**36),
            ("small", (a.abs() + 1) * 2.0**-8, (b.abs() + 1) * 2.0**-9),
            ("zeros", a * 0 + 0.0, b),
            ("the last alone", torch.where(c == cols - 1, 7.0, 0.0) + a * 0, b),
            ("NaN", torch.where(c == cols // 2, NAN, a), b),
        ):
            u, v = p.double(), q.double()
            root = (u**2).sum(1).sqrt() * (v**2).sum(1).sqrt()
            right = (u * v).sum(1) / root.clamp(min=1e-8) + 0.0
            slack = ((2.0**-21 * right.abs()).nan_to_num(0.0),)
            options = {"dtypes": (torch.float32,), "within": slack}
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (p.contiguous(), q.contiguous()), (right,), **options)


def margins(launcher: Launcher) -> Iterator[Case]:
    """Find labels and margins: any, few values, negative, equal, sorted, masked rows."""
    for rows, cols in (*SIDES, (301, 2), (3, 129), (7, 128), (5, 63)):
        n = rows * cols
        x, c = whole(-9999, 10_000, n, n).float().reshape(rows, cols) / 8, torch.arange(cols)
        for label, y in (
            ("any", x),
            ("few values", (x * 8).fmod(3)),
            ("negative", -x.abs() - 1),
            ("equal", x * 0 - 2),
            ("rising", x * 0 + c),
            ("falling", x * 0 - c),
            ("masked", torch.where((c % 3 == 1) & (c > 0), -INF, x)),
        ):
            y = y + 0.0
            most = y.double().amax(1)
            place = torch.where(y == y.amax(1, keepdim=True), c, cols).amin(1)
            others = torch.where(c == place[:, None], -INF, y).double()
            gap = most - others.amax(1)
            dtypes = (torch.float32, torch.int32)
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y.contiguous(),), (gap, place), dtypes=dtypes)


def turned_doubles(launcher: Launcher) -> Iterator[Case]:
    """Turn matrices of doubles, whose digits need them all; rising ones."""
    sides = ((1, 1, 1), (2, 1, 7), (3, 5, 2), (2, 16, 16), (2, 15, 17), (3, 40, 9), (1, 70, 33))
    sides += ((5, 3, 64), (2, 1, 300), (2, 300, 1), (1, 64, 64), (2, 31, 100), (9, 8, 8))
    for batch, rows, cols in sides:
        n = batch * rows * cols
        for label, x in (
            ("any", whole(-(2**50), 2**50, n, n).double() / 3),
            ("rising", torch.arange(n).double()),
            ("small", whole(-99, 100, n, n).double() * 2.0**-1000 + 0.0),
        ):
            x = x.reshape(batch, rows, cols)
            words = f"batch = {batch}, rows = {rows}, cols = {cols}, {label}"
            right = x.transpose(1, 2).contiguous()
            yield Case(words, (x,), (right,), dtypes=(torch.float64,))


def least_sums(launcher: Launcher) -> Iterator[Case]:
    """Find ways of whole numbers: short, long, negative ones, some that are closed."""
    sides = ((1, 1, 1), (3, 5, 7), (16, 16, 16), (33, 17, 40), (2, 50, 3), (70, 1, 9))
    sides += ((1, 70, 33), (7, 9, 8), (9, 15, 17), (5, 4, 301), (48, 16, 32), (3, 2, 65))
    for m, n, k in sides:
        a = whole(1, 1000, m * k, m + k).reshape(m, k).float()
        b = whole(1, 1000, k * n, n + k).reshape(k, n).float()
        closed = torch.where(whole(0, 3, m * k, m).reshape(m, k) == 1, INF, a)
        last = torch.where(torch.arange(k) == k - 1, 1.0, a + 5000)
        for label, p, q in (
            ("any", a, b),
            ("negative", -a, -b),
            ("both signs", a - 500, b - 500),
            ("closed", closed, b),
            ("the last term", last, b),
        ):
            right = (p.double()[:, :, None] + q.double()[None]).amin(1) + 0.0
            words = f"m = {m}, n = {n}, k = {k}, {label}"
            inputs = ((p + 0.0).contiguous(), (q + 0.0).contiguous())
            yield Case(words, inputs, (right,), dtypes=(torch.float32,))


def weighed_rows(launcher: Launcher) -> Iterator[Case]:
    """Add rows by whole weights, so that all is exact; the last row alone; NaN."""
    for rows, cols in (*SIDES, (301, 2), (129, 3), (96, 31), (1000, 5)):
        n = rows * cols
        a = whole(-30, 31, n, n).float().reshape(rows, cols)
        x, r = whole(-30, 31, rows, n + 1).float(), torch.arange(rows)
        for label, p in (
            ("any", x),
            ("the last row", torch.where(r == rows - 1, 3.0, 0.0)),
            ("ones", x * 0 + 1),
            ("NaN", torch.where(r == rows // 2, NAN, x)),
        ):
            right = (p.double() + 0.0) @ a.double() + 0.0
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (p + 0.0, a), (right,), dtypes=(torch.float32,))


def expectations(launcher: Launcher) -> Iterator[Case]:
    """Expect weights of rows: usual, far off 0, far apart, rising and falling, masked ones."""
    for rows, cols in (*SIDES, (301, 2), (3, 129), (7, 128)):
        n = rows * cols
        x = whole(-127, 128, n, n).float().reshape(rows, cols) / 16
        v = whole(-30, 31, cols, n + 1).float()
        c = torch.arange(cols)
        for label, y in (
            ("usual", x),
            ("far above 0", x + 300),
            ("far below 0", x - 300),
            ("far apart", x * 10),
            ("rising", x * 0 + c % 200 / 16),
            ("falling", x * 0 - c % 200 / 16),
            ("masked", torch.where((c % 3 == 0) & (c != cols - 1), -INF, x)),
            ("NaN", torch.where(c == cols // 2, NAN, x)),
        ):
            share = y.double().softmax(1)
            right = share @ v.double() + 0.0
            slack = ((2.0**-13 * (share @ v.double().abs()) + 2.0**-40).nan_to_num(0.0),)
            for block_size in (128, 32):
                options = {"dtypes": (torch.float32,), "within": slack}
                scalars = {"block_size": block_size}
                words = f"rows = {rows:,}, cols = {cols:,}, block_size = {block_size}, {label}"
                yield Case(words, (y.contiguous(), v), (right,), scalars, **options)


def shortcuts(launcher: Launcher) -> Iterator[Case]:
    """Norm rows and add others: usual, far off 0, small beside eps, equal ones, one far."""
    for rows, cols in (*SIDES, (2, 129), (3, 128), (4, 300)):
        n = rows * cols
        x = whole(-99, 100, n, n).float().reshape(rows, cols)
        rest = whole(-99, 100, n, n + 1).float().reshape(rows, cols) / 16
        c = torch.arange(cols)
        for label, y in (
            ("usual", x),
            ("far off 0", x / 16 + 1000),
            ("small", x / 4096),
            ("equal", x * 0 + 2003),
            ("one is large", torch.where(c == cols - 1, 900.0, 1.0) + x * 0),
            ("rising", x * 0 + c),
        ):
            for eps in (1e-5, 0.5):
                z = y.double()
                mean, var = z.mean(1, keepdim=True), z.var(1, keepdim=True, unbiased=False)
                root = (var + eps).sqrt()
                normed = (z - mean) / root
                right = rest.double() + normed + 0.0
                off = 2.0**-20 * z.abs().amax(1, keepdim=True)
                slack = off / root * (1 + normed.abs()) + 2.0**-18
                options = {"dtypes": (torch.float32,), "within": (slack,)}
                words = f"rows = {rows:,}, cols = {cols:,}, eps = {eps}, {label}"
                inputs = ((y + 0.0).contiguous(), rest)
                yield Case(words, inputs, (right,), {"eps": eps}, **options)


BASES = {
    "fiftyseven_screen": Base(SCREEN, {"cases": screens}),
    "fiftyseven_spring": Base(SPRING, {"cases": springs}),
    "fiftyseven_hq": Base(H2Q, {"cases": quantizations}),
    "fiftyseven_bfup": Base(BFUP, {"cases": lengthened}),
    "fiftyseven_gauss": Base(GAUSS, {"cases": gausses}),
    "fiftyseven_dsig": Base(DSIG, {"cases": gradients}),
    "fiftyseven_tv": Base(TV, {"cases": variations}),
    "fiftyseven_cos": Base(COSINE, {"cases": cosines}),
    "fiftyseven_margin": Base(MARGIN, {"cases": margins}),
    "fiftyseven_turnd": Base(TURND, {"cases": turned_doubles}),
    "fiftyseven_routes": Base(ROUTES, {"cases": least_sums}),
    "fiftyseven_vecmat": Base(VECMAT, {"cases": weighed_rows}),
    "fiftyseven_expect": Base(EXPECT, {"cases": expectations}),
    "fiftyseven_short": Base(SHORTCUT, {"cases": shortcuts}),
}

WRONG = (
    # ---- the screen of two layers
    # The first layer may lie anywhere, and is read in pairs.
    Wrong(
        "fiftyseven_screen_a_anywhere",
        "fiftyseven_screen",
        "alignment",
        ("const half* a,  // [n] 4-byte aligned", "const half* a,  // [n]"),
    ),
    # Blocks for the pairs alone, rounded up.
    Wrong(
        "fiftyseven_screen_blocks_for_pairs",
        "fiftyseven_screen",
        "tail / grid / unwritten / left out / refused | other element",
        (
            "int blocks = n / 2 / block_size + 1;",
            "int blocks = (n / 2 + block_size - 1) / block_size;",
        ),
    ),
    # All in halves.
    Wrong(
        "fiftyseven_screen_all_in_halves",
        "fiftyseven_screen",
        "rounding / precision | infinity / numbers / function / whole range / nan",
        (
            "    float2 p = __half22float2(a[i]);\n"
            "    float2 q = __half22float2(b[i]);\n"
            "    out[i] = __floats2half2_rn(p.x + q.x - p.x * q.x, p.y + q.y - p.y * "
            "q.y);\n",
            "    out[i] = __hsub2(__hadd2(a[i], b[i]), __hmul2(a[i], b[i]));\n",
        ),
    ),
    # The last number is stored where its pair's number points.
    Wrong(
        "fiftyseven_screen_stored_at_pairs",
        "fiftyseven_screen",
        "tail / unwritten / other element | race / left out",
        ("((half*)out)[n - 1] =", "((half*)out)[pairs] ="),
    ),
    # The stream is forgotten.
    Wrong(
        "fiftyseven_screen_no_stream",
        "fiftyseven_screen",
        "stream",
        ("<<<blocks, block_size, 0, stream>>>", "<<<blocks, block_size>>>"),
    ),
    # ---- damped springs
    # Speeds lie at multiples of 8 bytes.
    Wrong(
        "fiftyseven_spring_v_of_8_bytes",
        "fiftyseven_spring",
        "alignment",
        (
            "const float *v,     // [n] 16-byte aligned",
            "const float *v,     // [n] 8-byte aligned",
        ),
    ),
    # A test in the place of the loop, although there are 32 blocks at most.
    Wrong(
        "fiftyseven_spring_no_loop",
        "fiftyseven_spring",
        "grid / unwritten / left out | tail",
        (
            "    for (int i = t; i < n / 4; i += threads) {\n",
            "    int i = t;\n    if (i < n / 4) {\n",
        ),
        ("    int threads = gridDim.x * blockDim.x;\n", ""),
    ),
    # A copied line: the last number has the third's speed.
    Wrong(
        "fiftyseven_spring_third_speed",
        "fiftyseven_spring",
        "other element / neighbour | function / numbers / swapped / nan / infinity",
        ("- c * w.w;", "- c * w.z;"),
    ),
    # The rest has always three numbers.
    Wrong(
        "fiftyseven_spring_three_of_rest",
        "fiftyseven_spring",
        "bounds / tail",
        ("    if (t < n - done)\n", "    if (t < 3)\n"),
    ),
    # Places and places at rest change places.
    Wrong(
        "fiftyseven_spring_rest_for_x",
        "fiftyseven_spring",
        "swapped | function / numbers / other element / sign of zero / nan",
        ("stream>>>(x, rest, v, f, k, c, n);", "stream>>>(rest, x, v, f, k, c, n);"),
    ),
    # ---- halves to bytes
    # Half a step goes away from 0.
    Wrong(
        "fiftyseven_hq_roundf",
        "fiftyseven_hq",
        "rounding | numbers",
        ("rintf(v * inverse)", "roundf(v * inverse)"),
    ),
    # Nothing limits what is too large for a byte.
    Wrong(
        "fiftyseven_hq_no_limits",
        "fiftyseven_hq",
        "whole range / infinity | numbers / function / sign of zero",
        (
            "  q = fminf(fmaxf(q, -127.0f), 127.0f);\n  return (signed char)q;\n",
            "  return (signed char)(int)q;\n",
        ),
    ),
    # Bytes may lie anywhere, and four are stored.
    Wrong(
        "fiftyseven_hq_q_anywhere",
        "fiftyseven_hq",
        "alignment",
        ("int8_t* q,      // [n] 4-byte aligned", "int8_t* q,      // [n]"),
    ),
    # The second pair is turned.
    Wrong(
        "fiftyseven_hq_turned_pair",
        "fiftyseven_hq",
        "other element / neighbour / swapped | numbers",
        (
            "quantized(b.x, inverse), quantized(b.y, inverse));",
            "quantized(b.y, inverse), quantized(b.x, inverse));",
        ),
    ),
    # Threads for whole fours.
    Wrong(
        "fiftyseven_hq_threads_for_fours",
        "fiftyseven_hq",
        "tail / grid / unwritten / left out / refused",
        ("int threads = (n + 3) / 4;", "int threads = n / 4;"),
    ),
    # ---- bfloat16 to floats
    # The mask of the second number has no sign.
    Wrong(
        "fiftyseven_bfup_mask_without_sign",
        "fiftyseven_bfup",
        "function / sign of zero | numbers / whole range / other element / infinity / nan",
        (
            "f.y = __uint_as_float(raw.x & 0xffff0000u);",
            "f.y = __uint_as_float(raw.x & 0x7fff0000u);",
        ),
    ),
    # Floats lie at multiples of 8 bytes, and 16 are stored.
    Wrong(
        "fiftyseven_bfup_y_of_8_bytes",
        "fiftyseven_bfup",
        "alignment",
        (
            "float *y,                // [n] 16-byte aligned",
            "float *y,                // [n] 8-byte aligned",
        ),
    ),
    # The high half of a word is taken for the first number.
    Wrong(
        "fiftyseven_bfup_high_first",
        "fiftyseven_bfup",
        "other element / neighbour / swapped | numbers",
        ("f.z = __uint_as_float(raw.y << 16);", "f.z = __uint_as_float(raw.y & 0xffff0000u);"),
        ("f.w = __uint_as_float(raw.y & 0xffff0000u);", "f.w = __uint_as_float(raw.y << 16);"),
    ),
    # Of the rest the last number alone is done.
    Wrong(
        "fiftyseven_bfup_last_alone",
        "fiftyseven_bfup",
        "tail / unwritten / left out",
        (
            "    for (int64_t i = n / 4 * 4 + first; i < n; i += step)\n"
            "        y[i] = __bfloat162float(x[i]);\n",
            "    if (first == 0 && n % 4 != 0)\n"
            "        y[n - 1] = __bfloat162float(x[n - 1]);\n",
        ),
    ),
    # Fewer than 256 numbers have no block.
    Wrong(
        "fiftyseven_bfup_no_block",
        "fiftyseven_bfup",
        "grid / unwritten / refused / left out | tail",
        ("int64_t blocks = n / 256 + 1;", "int64_t blocks = n / 256;"),
    ),
    # ---- a radial function
    # The square has no minus.
    Wrong(
        "fiftyseven_gauss_no_minus",
        "fiftyseven_gauss",
        "function / infinity | numbers / other element / whole range",
        ("expf(-0.5f * v * v)", "expf(0.5f * v * v)"),
    ),
    # A limit for the exponent, which a NaN passes as the limit.
    Wrong(
        "fiftyseven_gauss_limit",
        "fiftyseven_gauss",
        "nan / whole range / subnormal / infinity / function | numbers / precision",
        ("expf(-0.5f * v * v)", "expf(-fminf(0.5f * v * v, 87.0f))"),
    ),
    # 256 in the place of the block size.
    Wrong(
        "fiftyseven_gauss_256",
        "fiftyseven_gauss",
        "block size / unwritten / left out | tail / grid / other element",
        ("blockIdx.x * blockDim.x + threadIdx.x;", "blockIdx.x * 256 + threadIdx.x;"),
    ),
    # The number of blocks has 16 bits.
    Wrong(
        "fiftyseven_gauss_short_blocks",
        "fiftyseven_gauss",
        "grid / narrow / unwritten / left out / refused | tail",
        ("int blocks = (n + block_size", "unsigned short blocks = (n + block_size"),
    ),
    # Exponents are rounded to halves.
    Wrong(
        "fiftyseven_gauss_half_exponent",
        "fiftyseven_gauss",
        "precision / rounding | numbers / infinity / function",
        ("expf(-0.5f * v * v)", "expf(__half2float(__float2half(-0.5f * v * v)))"),
    ),
    # ---- the logistic function's gradient
    # The derivative of the hyperbolic tangent.
    Wrong(
        "fiftyseven_dsig_of_tanh",
        "fiftyseven_dsig",
        "function | numbers",
        ("return g * y * (1.0f - y);", "return g * (1.0f - y * y);"),
    ),
    # The product is kept in the gradient that was given.
    Wrong(
        "fiftyseven_dsig_kept_in_g",
        "fiftyseven_dsig",
        "input | numbers / state / race / other element",
        (
            "            *(half2 *)(dx + i) = __floats2half2_rn(slope(u.x, v.x), "
            "slope(u.y, v.y));\n",
            "            *(half2 *)(g + i) = __floats2half2_rn(slope(u.x, v.x), "
            "slope(u.y, v.y));\n"
            "            *(half2 *)(dx + i) = *(const half2 *)(g + i);\n",
        ),
    ),
    # The result may lie anywhere, and is stored in pairs.
    Wrong(
        "fiftyseven_dsig_dx_anywhere",
        "fiftyseven_dsig",
        "alignment",
        ("half *dx,       // [n] 4-byte aligned", "half *dx,       // [n]"),
    ),
    # The last of an odd count is taken for a pair.
    Wrong(
        "fiftyseven_dsig_pair_for_last",
        "fiftyseven_dsig",
        "bounds / tail",
        ("        if (i + 1 < n) {\n", "        if (i < n) {\n"),
    ),
    # All in halves, so that each step rounds.
    Wrong(
        "fiftyseven_dsig_all_in_halves",
        "fiftyseven_dsig",
        "rounding / precision | numbers / infinity / subnormal / function / sign of zero",
        (
            "            float2 u = __half22float2(*(const half2 *)(g + i));\n"
            "            float2 v = __half22float2(*(const half2 *)(y + i));\n"
            "            *(half2 *)(dx + i) = __floats2half2_rn(slope(u.x, v.x), "
            "slope(u.y, v.y));\n",
            "            half2 v = *(const half2 *)(y + i);\n"
            "            half2 product = __hmul2(*(const half2 *)(g + i), v);\n"
            "            *(half2 *)(dx + i) = __hmul2(product, "
            "__hsub2(__float2half2_rn(1.0f), v));\n",
        ),
    ),
    # ---- total variation
    # The last number is compared with what is behind the end.
    Wrong(
        "fiftyseven_tv_behind_the_end",
        "fiftyseven_tv",
        "bounds",
        ("i + 1 < n; i +=", "i < n; i +="),
    ),
    # Nobody waits for the sums of the other warps.
    Wrong(
        "fiftyseven_tv_no_barrier",
        "fiftyseven_tv",
        "race | numbers / left out / state / unwritten / start",
        ("  __syncthreads();\n", ""),
    ),
    # Parts are added to those of an earlier call.
    Wrong(
        "fiftyseven_tv_parts_added",
        "fiftyseven_tv",
        "state / zero before | start / numbers",
        ("parts[blockIdx.x] = v;", "parts[blockIdx.x] += v;"),
    ),
    # The second kernel is on the default stream.
    Wrong(
        "fiftyseven_tv_second_stream",
        "fiftyseven_tv",
        "stream",
        ("add_parts<<<1, T, 0, stream>>>", "add_parts<<<1, T>>>"),
    ),
    # A warp's worth of parts is added.
    Wrong(
        "fiftyseven_tv_32_parts",
        "fiftyseven_tv",
        "left out / grid | tail / numbers",
        ("v = threadIdx.x < count ?", "v = threadIdx.x < min(count, 32) ?"),
    ),
    # ---- cosines of rows
    # One root of the product of both squares.
    Wrong(
        "fiftyseven_cos_one_root",
        "fiftyseven_cos",
        "infinity / whole range / precision / subnormal | numbers / function / nan",
        ("sqrtf(pp) * sqrtf(qq)", "sqrtf(pp * qq)"),
    ),
    # The first step of the shuffles is left out.
    Wrong(
        "fiftyseven_cos_from_8",
        "fiftyseven_cos",
        "left out | numbers / other element / function",
        ("int d = 16;", "int d = 8;"),
    ),
    # Blocks for whole fours of rows.
    Wrong(
        "fiftyseven_cos_whole_fours",
        "fiftyseven_cos",
        "tail / grid / unwritten / left out / refused",
        ("<<<(rows + 3) / 4,", "<<<rows / 4,"),
    ),
    # Rows of zeros are divided by 0.
    Wrong(
        "fiftyseven_cos_by_zero",
        "fiftyseven_cos",
        "nan | numbers / function / infinity / start",
        ("pq / fmaxf(sqrtf(pp) * sqrtf(qq), 1e-8f)", "pq / (sqrtf(pp) * sqrtf(qq))"),
    ),
    # Steps of a block where a warp has the row.
    Wrong(
        "fiftyseven_cos_step_of_block",
        "fiftyseven_cos",
        "left out | numbers / other element / block size",
        ("c += 32)", "c += blockDim.x * blockDim.y)"),
    ),
    # ---- labels and margins
    # Of equal numbers the later one wins.
    Wrong(
        "fiftyseven_margin_last_of_equals",
        "fiftyseven_margin",
        "other element | numbers / swapped / neighbour",
        (
            "  if (b.first > a.first || (b.first == a.first && b.place < a.place)) {\n",
            "  if (b.first >= a.first) {\n",
        ),
    ),
    # The search starts with 0.
    Wrong(
        "fiftyseven_margin_from_zero",
        "fiftyseven_margin",
        "start | numbers / function",
        ("Two mine = {-INFINITY, -INFINITY, 0x7fffffff};", "Two mine = {0.0f, 0.0f, 0};"),
    ),
    # Who loses is forgotten.
    Wrong(
        "fiftyseven_margin_loser_forgotten",
        "fiftyseven_margin",
        "function / left out | numbers / infinity / nan",
        ("a.second = fmaxf(a.second, b.first);", "a.second = fmaxf(a.second, b.second);"),
    ),
    # No barrier between the steps of the tree.
    Wrong(
        "fiftyseven_margin_no_barrier",
        "fiftyseven_margin",
        "race | numbers / left out / other element",
        (
            "    if (t < h) s[t] = better(s[t], s[t + h]);\n    __syncthreads();\n",
            "    if (t < h) s[t] = better(s[t], s[t + h]);\n",
        ),
    ),
    # The tree begins with a quarter.
    Wrong(
        "fiftyseven_margin_from_a_quarter",
        "fiftyseven_margin",
        "left out | numbers / other element / function",
        ("int h = T / 2;", "int h = T / 4;"),
    ),
    # ---- transposes of doubles
    # The tile is of floats.
    Wrong(
        "fiftyseven_turnd_float_tile",
        "fiftyseven_turnd",
        "precision / rounding | numbers / infinity / whole range / subnormal",
        ("__shared__ double tile", "__shared__ float tile"),
    ),
    # The sides of the grid change places.
    Wrong(
        "fiftyseven_turnd_grid_turned",
        "fiftyseven_turnd",
        "grid / sides / unwritten / left out / swapped | tail",
        (
            "dim3 grid((cols + S - 1) / S, (rows + S - 1) / S, batch);",
            "dim3 grid((rows + S - 1) / S, (cols + S - 1) / S, batch);",
        ),
    ),
    # Nobody waits for the tile.
    Wrong(
        "fiftyseven_turnd_no_barrier",
        "fiftyseven_turnd",
        "race | numbers / unwritten / other element / state",
        ("    __syncthreads();\n", ""),
    ),
    # The second test is the first one.
    Wrong(
        "fiftyseven_turnd_tested_as_read",
        "fiftyseven_turnd",
        "bounds / sides / unwritten / left out | tail / swapped / other element",
        ("    if (to_row < cols && to_col < rows)\n", "    if (r < rows && c < cols)\n"),
    ),
    # All matrices are stored over the first.
    Wrong(
        "fiftyseven_turnd_one_result",
        "fiftyseven_turnd",
        "unwritten / other element / left out / race | numbers",
        ("out[start + (size_t)to_row", "out[(size_t)to_row"),
    ),
    # ---- least sums
    # What is not there is 0.
    Wrong(
        "fiftyseven_routes_zero_pads",
        "fiftyseven_routes",
        "start / tail | numbers / left out / sides / function / bounds",
        ("a[(size_t)row * k + p + tx] : INFINITY;", "a[(size_t)row * k + p + tx] : 0.0f;"),
        ("b[(size_t)(p + ty) * n + col] : INFINITY;", "b[(size_t)(p + ty) * n + col] : 0.0f;"),
    ),
    # The least starts with 0.
    Wrong(
        "fiftyseven_routes_from_zero",
        "fiftyseven_routes",
        "start | numbers / function / infinity / whole range",
        ("float best = INFINITY;", "float best = 0.0f;"),
    ),
    # Nobody waits before the tiles are filled again.
    Wrong(
        "fiftyseven_routes_second_barrier",
        "fiftyseven_routes",
        "race | numbers / left out / other element",
        ("as[ty][i] + bs[i][tx]);\n    __syncthreads();\n", "as[ty][i] + bs[i][tx]);\n"),
    ),
    # Whole tiles of terms alone.
    Wrong(
        "fiftyseven_routes_whole_tiles",
        "fiftyseven_routes",
        "left out / tail | numbers / infinity / start / sides",
        ("p < k; p += S", "p + S <= k; p += S"),
    ),
    # The rows of a are as long as those of b.
    Wrong(
        "fiftyseven_routes_pitch_of_b",
        "fiftyseven_routes",
        "sides / other element / bounds | numbers / swapped",
        ("a[(size_t)row * k + p + tx]", "a[(size_t)row * n + p + tx]"),
    ),
    # ---- a vector times a matrix
    # Nobody sets the result to 0 before.
    Wrong(
        "fiftyseven_vecmat_no_memset",
        "fiftyseven_vecmat",
        "zero before / state / start | numbers / nan",
        ("    cudaMemsetAsync(y, 0, cols * sizeof(float), stream);\n", ""),
    ),
    # So many bytes as numbers are set to 0.
    Wrong(
        "fiftyseven_vecmat_few_bytes",
        "fiftyseven_vecmat",
        "zero before / state / start / unwritten / left out | numbers / nan / tail",
        ("cols * sizeof(float), stream", "cols, stream"),
    ),
    # No atomic.
    Wrong(
        "fiftyseven_vecmat_no_atomic",
        "fiftyseven_vecmat",
        "race | numbers / left out / state / zero before",
        ("atomicAdd(y + c, s);", "y[c] += s;"),
    ),
    # Every block has 32 rows.
    Wrong(
        "fiftyseven_vecmat_32_rows",
        "fiftyseven_vecmat",
        "bounds | tail",
        ("int end = min(r + ROWS, rows);", "int end = r + ROWS;"),
    ),
    # Rows are rounded down to whole blocks.
    Wrong(
        "fiftyseven_vecmat_rounded_down",
        "fiftyseven_vecmat",
        "tail / grid / left out / refused / unwritten | numbers",
        ("(rows + ROWS - 1) / ROWS);", "rows / ROWS);"),
    ),
    # ---- what softmax expects
    # The weighted sum is not scaled when the maximum grows.
    Wrong(
        "fiftyseven_expect_not_scaled",
        "fiftyseven_expect",
        "function / left out | numbers / other element",
        ("      o *= f;\n", ""),
    ),
    # The maximum starts with 0.
    Wrong(
        "fiftyseven_expect_from_zero",
        "fiftyseven_expect",
        "start / nan | numbers / infinity / precision / whole range",
        ("float m = -FLT_MAX,", "float m = 0.0f,"),
    ),
    # Four rows a block, whatever its size.
    Wrong(
        "fiftyseven_expect_four_rows",
        "fiftyseven_expect",
        "block size / grid / unwritten / left out | tail",
        ("<<<(rows + warps - 1) / warps,", "<<<(rows + 3) / 4,"),
        ("  int warps = block_size / 32;\n", ""),
    ),
    # The weight of the lane.
    Wrong(
        "fiftyseven_expect_weight_of_lane",
        "fiftyseven_expect",
        "other element | numbers / function / bounds",
        ("o += e * v[c];", "o += e * v[lane];"),
    ),
    # Only the other lane's sums are scaled.
    Wrong(
        "fiftyseven_expect_merged_wrong",
        "fiftyseven_expect",
        "function | numbers / left out / race / other element",
        ("    s = s * f + s2 * f2;\n", "    s = s + s2 * f2;\n"),
        ("    o = o * f + o2 * f2;\n", "    o = o + o2 * f2;\n"),
    ),
    # ---- a normed row is added
    # The distance of both means is left out.
    Wrong(
        "fiftyseven_short_no_distance",
        "fiftyseven_short",
        "function / left out | numbers / precision",
        ("square[t + h] + d * d * share * count[t];", "square[t + h];"),
    ),
    # No barrier between the steps of the tree.
    Wrong(
        "fiftyseven_short_no_barrier",
        "fiftyseven_short",
        "race | numbers / left out / other element",
        (
            "            count[t] = both;\n        }\n        __syncthreads();\n",
            "            count[t] = both;\n        }\n",
        ),
    ),
    # The variance of a sample.
    Wrong(
        "fiftyseven_short_less_one",
        "fiftyseven_short",
        "function | numbers / nan / precision",
        ("square[0] / cols + eps", "square[0] / (cols - 1) + eps"),
    ),
    # The mean is taken off in the input, and added again.
    Wrong(
        "fiftyseven_short_off_in_x",
        "fiftyseven_short",
        "input | numbers / state / precision / rounding / race",
        (
            "        y[start + c] = rest[start + c] + (x[start + c] - mean[0]) * scale;\n",
            "    {\n"
            "        float *own = (float *)x + start + c;\n"
            "        *own -= mean[0];\n"
            "        y[start + c] = rest[start + c] + *own * scale;\n"
            "        *own += mean[0];\n"
            "    }\n",
        ),
    ),
    # Means count alike, whatever number they are of.
    Wrong(
        "fiftyseven_short_plain_middle",
        "fiftyseven_short",
        "function / numbers | other element / sides / tail",
        ("mean[t] += d * share;", "mean[t] += d / 2;"),
    ),
)

RIGHT = (
    # The first thread does the last number.
    Right(
        "fiftyseven_screen_first_does_last",
        "fiftyseven_screen",
        ("  if (i == pairs && n % 2 == 1) {\n", "  if (n % 2 != 0 && i == 0) {\n"),
        (
            "p.x + q.x - p.x * q.x, p.y + q.y - p.y * q.y)",
            "fmaf(-p.x, q.x, p.x + q.x), fmaf(-p.y, q.y, p.y + q.y))",
        ),
    ),
    # 400 blocks, most of which have nothing to do, and the rest from the end.
    Right(
        "fiftyseven_spring_400_blocks",
        "fiftyseven_spring",
        (
            "    int blocks = (n + 511) / 512;\n    if (blocks > 32)\n        blocks = 32;\n",
            "    int blocks = 400;\n",
        ),
        (
            "    int done = n / 4 * 4;\n"
            "    if (t < n - done)\n"
            "        f[done + t] = k * (rest[done + t] - x[done + t]) - c * v[done + "
            "t];\n",
            "    for (int i = n - 1 - t; i >= n - n % 4; i -= threads)\n"
            "        f[i] = k * (rest[i] - x[i]) - c * v[i];\n",
        ),
    ),
    # Integers are limited, bytes are packed by shifts, and the launcher returns an error.
    Right(
        "fiftyseven_hq_packed",
        "fiftyseven_hq",
        (
            "  float q = rintf(v * inverse);\n"
            "  q = fminf(fmaxf(q, -127.0f), 127.0f);\n"
            "  return (signed char)q;\n",
            "  int q = __float2int_rn(v * inverse);\n  return max(-127, min(127, q));\n",
        ),
        (
            "    *(char4*)(q + i) = make_char4(quantized(a.x, inverse), "
            "quantized(a.y, inverse),\n"
            "                                  quantized(b.x, inverse), "
            "quantized(b.y, inverse));\n",
            "    float each[4] = {a.x, a.y, b.x, b.y};\n"
            "    unsigned int word = 0;\n"
            "    for (int k = 0; k < 4; k++) word |= (quantized(each[k], inverse) & "
            "0xffu) << 8 * k;\n"
            "    *(unsigned int*)(q + i) = word;\n",
        ),
        ('extern "C" void launch(', 'extern "C" int launch('),
        (
            "stream>>>(x, q, inverse, n);\n",
            "stream>>>(x, q, inverse, n);\n  return (int)cudaGetLastError();\n",
        ),
    ),
    # Pairs by the library; the rest is done by the last threads.
    Right(
        "fiftyseven_bfup_library",
        "fiftyseven_bfup",
        (
            "        float4 f;\n"
            "        f.x = __uint_as_float(raw.x << 16);\n"
            "        f.y = __uint_as_float(raw.x & 0xffff0000u);\n"
            "        f.z = __uint_as_float(raw.y << 16);\n"
            "        f.w = __uint_as_float(raw.y & 0xffff0000u);\n"
            "        ((float4 *)y)[i] = f;\n",
            "        float2 low = __bfloat1622float2(*(__nv_bfloat162 *)&raw.x);\n"
            "        float2 high = __bfloat1622float2(*(__nv_bfloat162 *)&raw.y);\n"
            "        ((float4 *)y)[i] = make_float4(low.x, low.y, high.x, high.y);\n",
        ),
        ("int64_t i = n / 4 * 4 + first;", "int64_t i = n / 4 * 4 + step - 1 - first;"),
    ),
    # Powers of 2, and a launch for each 32,768 numbers.
    Right(
        "fiftyseven_gauss_many_launches",
        "fiftyseven_gauss",
        ("expf(-0.5f * v * v)", "exp2f(-0.72134752f * (v * v))"),
        (
            "  int blocks = (n + block_size - 1) / block_size;\n"
            "  gauss<<<blocks, block_size, 0, stream>>>(x, y, n);\n",
            "  const int most = 1 << 15;\n"
            "  while (n > 0) {\n"
            "    int now = n < most ? n : most;\n"
            "    gauss<<<(now + block_size - 1) / block_size, block_size, 0, "
            "stream>>>(x, y, now);\n"
            "    x += now;\n"
            "    y += now;\n"
            "    n -= now;\n"
            "  }\n",
        ),
    ),
    # Another order of the product; the pairs are visited from the last one.
    Right(
        "fiftyseven_dsig_from_the_end",
        "fiftyseven_dsig",
        ("return g * y * (1.0f - y);", "return fmaf(-y, y, y) * g;"),
        (
            "    for (int i = 2 * t; i < n; i += step) {\n",
            "    for (int i = (n - 1) / 2 * 2 - 2 * t; i >= 0; i -= step) {\n",
        ),
    ),
    # Parts are volatile and added by one thread, backwards.
    Right(
        "fiftyseven_tv_one_thread",
        "fiftyseven_tv",
        ("__device__ float parts[MOST];", "__device__ volatile float parts[MOST];"),
        (
            "  float v = threadIdx.x < count ? parts[threadIdx.x] : 0.0f;\n"
            "  v = total(v);\n"
            "  if (threadIdx.x == 0) *out = v;\n",
            "  float v = 0.0f;\n  while (count > 0) v += parts[--count];\n  *out = v;\n",
        ),
        ("add_parts<<<1, T, 0, stream>>>", "add_parts<<<1, 1, 0, stream>>>"),
    ),
    # Sums in double, and seven rows a block.
    Right(
        "fiftyseven_cos_double",
        "fiftyseven_cos",
        ("float pq = 0.0f, pp = 0.0f, qq = 0.0f;", "double pq = 0.0, pp = 0.0, qq = 0.0;"),
        ("__device__ float warp_sum(float v)", "__device__ double warp_sum(double v)"),
        ("pq += p[c] * q[c];", "pq += (double)p[c] * q[c];"),
        ("pp += p[c] * p[c];", "pp += (double)p[c] * p[c];"),
        ("qq += q[c] * q[c];", "qq += (double)q[c] * q[c];"),
        ("pq / fmaxf(sqrtf(pp) * sqrtf(qq), 1e-8f)", "(float)(pq / fmax(sqrt(pp * qq), 1e-8))"),
        ("<<<(rows + 3) / 4, dim3(32, 4), 0,", "<<<(rows + 6) / 7, dim3(32, 7), 0,"),
    ),
    # The tree's steps grow, and rows are read from the end.
    Right(
        "fiftyseven_margin_steps_grow",
        "fiftyseven_margin",
        ("int h = T / 2; h > 0; h /= 2) {", "int h = 1; h < T; h *= 2) {"),
        ("    if (t < h) s[t] =", "    if (t % (2 * h) == 0) s[t] ="),
        (
            "    Two one = {row[c], -INFINITY, c};\n",
            "    Two one = {row[cols - 1 - c], -INFINITY, cols - 1 - c};\n",
        ),
    ),
    # The tile is filled turned, with no column more, and the batch is walked backwards.
    Right(
        "fiftyseven_turnd_filled_turned",
        "fiftyseven_turnd",
        ("tile[S][S + 1];", "tile[S][S];"),
        ("blockIdx.z * rows", "(gridDim.z - 1 - blockIdx.z) * rows"),
        (
            "        tile[threadIdx.y][threadIdx.x] = in",
            "        tile[threadIdx.x][threadIdx.y] = in",
        ),
        ("= tile[threadIdx.x][threadIdx.y];", "= tile[threadIdx.y][threadIdx.x];"),
    ),
    # Two pairs of tiles by turns, so that one barrier a step is enough.
    Right(
        "fiftyseven_routes_by_turns",
        "fiftyseven_routes",
        ("as[S][S], bs[S][S];", "as[2][S][S], bs[2][S][S];"),
        ("    as[ty][tx] = row", "    int u = p / S & 1;\n    as[u][ty][tx] = row"),
        ("    bs[ty][tx] = p", "    bs[u][ty][tx] = p"),
        ("as[ty][i] + bs[i][tx]);\n    __syncthreads();\n", "as[u][ty][i] + bs[u][i][tx]);\n"),
    ),
    # A kernel sets the result to 0, and rows are taken by turns.
    Right(
        "fiftyseven_vecmat_kernel_clears",
        "fiftyseven_vecmat",
        (
            "__global__ void vector_matrix(",
            "__global__ void clear(float *y, int cols)\n"
            "{\n"
            "    int c = blockIdx.x * 64 + threadIdx.x;\n"
            "    if (c < cols)\n"
            "        y[c] = 0.0f;\n"
            "}\n"
            "\n"
            "__global__ void vector_matrix(",
        ),
        (
            "    int r = blockIdx.y * ROWS;\n    int end = min(r + ROWS, rows);\n",
            "    int r = blockIdx.y;\n",
        ),
        ("    for (; r < end; r++)\n", "    for (; r < rows; r += gridDim.y)\n"),
        (
            "    cudaMemsetAsync(y, 0, cols * sizeof(float), stream);\n",
            "    clear<<<(cols + 63) / 64, 64, 0, stream>>>(y, cols);\n",
        ),
    ),
    # Shuffles go down, and the first lane alone has the result.
    Right(
        "fiftyseven_expect_down",
        "fiftyseven_expect",
        ("__shfl_xor_sync(0xffffffffu, m, d);", "__shfl_down_sync(0xffffffffu, m, d);"),
        ("__shfl_xor_sync(0xffffffffu, s, d);", "__shfl_down_sync(0xffffffffu, s, d);"),
        ("__shfl_xor_sync(0xffffffffu, o, d);", "__shfl_down_sync(0xffffffffu, o, d);"),
    ),
    # Means, squares and the scale are doubles.
    Right(
        "fiftyseven_short_double",
        "fiftyseven_short",
        ("__shared__ float mean[T], square[T];", "__shared__ double mean[T], square[T];"),
        ("float m = 0.0f, q = 0.0f;", "double m = 0.0, q = 0.0;"),
        ("float v = x[start + c], d = v - m;", "double v = x[start + c], d = v - m;"),
        (
            "float d = mean[t + h] - mean[t], share = (float)count[t + h] / both;",
            "double d = mean[t + h] - mean[t], share = (double)count[t + h] / both;",
        ),
        (
            "float scale = rsqrtf(square[0] / cols + eps);",
            "double scale = 1.0 / sqrt(square[0] / cols + eps);",
        ),
    ),
)
