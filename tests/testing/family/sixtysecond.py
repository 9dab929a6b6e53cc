"""Hold a sixty-second family: kernels of half a year's practice, and their plainest mistakes.

Its bases are the power of a spectrum, a layer over a layer, bytes with a scale a row to
bfloat16, doubles to halves that stay finite, x * tanh(x), cap * tanh(x / cap), the changes of
sign of a signal, the squared distances of rows from a centre, the widest step between
neighbours of a row and its first place, the transposes of a batch, products of matrices in
which a maximum is in the place of the sum and a sum in that of the product, layers of pictures
of one pixel with a bias, softmax with a temperature, and layer norm with a weight. They have 13
to 41 lines, and are of people with half a year of CUDA: one who tunes radios, one who draws
layers, one who serves models, one who keeps old tables small, a reader of a paper, one who
copies a language model, one who listens to signals, one who groups points, one who checks
clocks, one who moves heads of attention, one who plans routes, one who writes layers for
pictures, one who samples words and one who trains in bfloat16. They use float4 and a second
kernel for the rest, or for all where an address is odd, half2 in a loop over the grid, char4
where rows are of fours, a double2 and a half2 with one thread for the last number, one number a
thread, pairs whose thread does the last number, a ticket with which the last block stores, a
warp a row with four rows a block, a tree of values and places, tiles of 32 with a third side of
the grid, tiles of 16, a row of weights in shared memory whose size the launcher gives, a
maximum and a sum that grow together and that lanes join, and sums by a function of a block that
is called twice. Their mistakes are spread over alignment, sizes, grids and integers of 16 bits,
values, rounding, NaN and infinity, inputs that are written, sums, transposes, products, order,
streams and what is left of an earlier call. The causes were written before a member was judged.
On the emulator each ran beside PyTorch, compared as a case does, called twice on the same
tensors, with NaN and with 1e3 in floating outputs (-1 and 77 in others), with tensors at either
end of their pages, their inputs looked at afterwards, on a stream that is not the default one,
with threads in order, from the last to the first and in a random order, and in the slices that
the cases name. Bases and right ones ran all cases; wrong ones until they were wrong often
enough. Of those that lack a barrier not each is wrong in every order of threads. nvcc 13.0
compiles each for 8.0, all members of a base in one file; none was run on a GPU. Bases and right
ones are right, and all others wrong or refused by a fault:

    sixtytwo_power_out_untested          from 4 numbers on, if out alone is at an odd place
    sixtytwo_power_one_is_enough         from 4 numbers on, if some addresses are odd, one not
    sixtytwo_power_rest_from_start       if 4 does not divide the count, where packs are taken
    sixtytwo_power_rest_no_stream        of a rest, on another stream than the default one
    sixtytwo_power_copied_line           from 4 numbers on, unless im[3] and im[2] are alike
    sixtytwo_over_in_halves              of pairs, if a step is no half
    sixtytwo_over_last_of_even           of odd counts
    sixtytwo_over_first_share            from 2 numbers on, unless shares are equal
    sixtytwo_over_b_anywhere             from 2 numbers on, by the address of b
    sixtytwo_over_one_pair               from 10,242 numbers on
    sixtytwo_unrow_even_columns          if 2 divides the columns and 4 does not
    sixtytwo_unrow_no_sign               of bytes below 0, if 4 divides the columns
    sixtytwo_unrow_scale_rounded         if the scale has more than 8 bits
    sixtytwo_unrow_rows_in_y             from 65,536 rows on
    sixtytwo_unrow_pairs_swapped         if 4 divides the columns, unless pairs are equal
    sixtytwo_fromdouble_by_float         just beside the middle of two halves
    sixtytwo_fromdouble_nan_lost         of NaN
    sixtytwo_fromdouble_limit_65536      from 65,520 on, and below -65,520
    sixtytwo_fromdouble_pair_more        of odd counts
    sixtytwo_fromdouble_short_number     from 131,073 numbers on
    sixtytwo_lisht_by_exponentials       from about 44.4 on, and of small numbers
    sixtytwo_lisht_of_absolute           below 0
    sixtytwo_lisht_up_to_n               unless the block size divides n
    sixtytwo_lisht_blocks_down           unless the block size divides n
    sixtytwo_lisht_sign_off_in_place     of numbers below 0: x is overwritten
    sixtytwo_cap_not_back                of all but 0 and NaN
    sixtytwo_cap_quotient_rounded        if the quotient is no bfloat16
    sixtytwo_cap_nan_limited             of NaN
    sixtytwo_cap_odd_forgotten           of odd counts
    sixtytwo_cap_blocks_of_96            of other block sizes, from a second block on
    sixtytwo_crossings_total_stays       from a second call on, unless an earlier one counts 0
    sixtytwo_crossings_tickets_stay      from a second call on
    sixtytwo_crossings_no_barrier        where warps do not wait for another
    sixtytwo_crossings_past_the_last     always
    sixtytwo_crossings_from_eight        from 18 numbers on, of some
    sixtytwo_ssd_one_row_more            unless 4 divides the rows
    sixtytwo_ssd_whole_groups            unless 4 divides the rows
    sixtytwo_ssd_not_squared             unless differences are 0 or 1
    sixtytwo_ssd_centre_of_row           unless there is a row and a column alone
    sixtytwo_ssd_added                   unless out was 0 before
    sixtytwo_gap_from_flt_min            of equal numbers
    sixtytwo_gap_any_of_equal            if a later one of equal steps is another thread's
    sixtytwo_gap_upwards_alone           if the widest step is one downwards
    sixtytwo_gap_no_barrier              where threads or warps do not wait for another
    sixtytwo_gap_next_row                by what is behind a row; of the last row always
    sixtytwo_batch_out_of_first          from 2 matrices on
    sixtytwo_batch_no_barrier            where threads do not wait for another
    sixtytwo_batch_grid_swapped          unless rows and columns make equally many tiles
    sixtytwo_batch_tile_not_turned       from 2 rows or columns on
    sixtytwo_batch_pitch_of_input        unless rows are as many as columns
    sixtytwo_tropic_filled_with_zero     if 16 does not divide k, of sums below 0
    sixtytwo_tropic_from_zero            of sums below 0
    sixtytwo_tropic_one_barrier          from k = 17 on, where warps do not wait for another
    sixtytwo_tropic_whole_tiles          if 16 does not divide k
    sixtytwo_tropic_swapped_test         unless m and n are equal
    sixtytwo_pointwise_sum_in_half       if a sum on the way is no half
    sixtytwo_pointwise_shared_of_halves  unless few channels fit in what memory is rounded up to
    sixtytwo_pointwise_one_weight        if there are more channels than threads in a block
    sixtytwo_pointwise_bias_of_pixel     unless biases are equal
    sixtytwo_pointwise_gone_too_early    if the last block has fewer pixels than channels
    sixtytwo_temper_once                 unless t is 1
    sixtytwo_temper_from_flt_min         of rows that are far below 0
    sixtytwo_temper_multiplied           unless t is 1
    sixtytwo_temper_down                 from 2 columns on
    sixtytwo_temper_no_stream            on another stream than the default one
    sixtytwo_centre_of_squares           if the mean is large beside the deviation
    sixtytwo_centre_eps_outside          unless the deviation is large
    sixtytwo_centre_weight_of_thread     from 129 columns on
    sixtytwo_centre_no_barrier           from 2 columns on, where warps do not wait for another
    sixtytwo_centre_in_place             always: x is overwritten
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import whole

# One who tunes radios: power of a spectrum, a kernel for packs, one for the rest or for all.
POWER = (
    HEADER
    + """\
__device__ float power(float re, float im, float scale) { return scale * (re * re + im * im); }

__global__ void power4(const float4* re, const float4* im, float4* out, float scale,
                       int packs) {
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= packs) return;
  float4 a = re[p], b = im[p], o;
  o.x = power(a.x, b.x, scale);
  o.y = power(a.y, b.y, scale);
  o.z = power(a.z, b.z, scale);
  o.w = power(a.w, b.w, scale);
  out[p] = o;
}

__global__ void power1(const float* re, const float* im, float* out, float scale, int first,
                       int n) {
  int i = first + blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = power(re[i], im[i], scale);
}

extern "C" void launch(const float* re,  // [n]
                       const float* im,  // [n]
                       float* out,       // [n]
                       float scale, int n, cudaStream_t stream = 0) {
  uintptr_t bits = (uintptr_t)re | (uintptr_t)im | (uintptr_t)out;
  int packs = bits % 16 == 0 ? n / 4 : 0;
  if (packs > 0)
    power4<<<(packs + 127) / 128, 128, 0, stream>>>((const float4*)re, (const float4*)im,
                                                    (float4*)out, scale, packs);
  int rest = n - 4 * packs;
  if (rest > 0)
    power1<<<(rest + 127) / 128, 128, 0, stream>>>(re, im, out, scale, 4 * packs, n);
}
"""
)

# One who draws layers: a + (1 - alpha) * b of halves, pairs in a loop; the last block's last.
OVER = (
    HEADER
    + """\
__device__ float over(float a, float alpha, float b)
{
    return a + (1.0f - alpha) * b;
}

__global__ void compose(const half *a, const half *alpha, const half *b, half *out, int n)
{
    const half2 *as = (const half2 *)a;
    const half2 *ws = (const half2 *)alpha;
    const half2 *bs = (const half2 *)b;
    int step = gridDim.x * blockDim.x;
    for (int p = blockIdx.x * blockDim.x + threadIdx.x; p < n / 2; p += step) {
        float2 u = __half22float2(as[p]);
        float2 w = __half22float2(ws[p]);
        float2 v = __half22float2(bs[p]);
        ((half2 *)out)[p] = __floats2half2_rn(over(u.x, w.x, v.x), over(u.y, w.y, v.y));
    }
    if (n % 2 == 1 && blockIdx.x == gridDim.x - 1 && threadIdx.x == 0) {
        int i = n - 1;
        out[i] = __float2half(
            over(__half2float(a[i]), __half2float(alpha[i]), __half2float(b[i])));
    }
}

extern "C" void launch(const half *a,      // [n] 4-byte aligned
                       const half *alpha,  // [n] 4-byte aligned
                       const half *b,      // [n] 4-byte aligned
                       half *out,          // [n] 4-byte aligned
                       int n, cudaStream_t stream = 0)
{
    int blocks = (n / 2 + 255) / 256;
    if (blocks < 1)
        blocks = 1;
    if (blocks > 20)
        blocks = 20;
    compose<<<blocks, 256, 0, stream>>>(a, alpha, b, out, n);
}
"""
)

# One who serves models: bytes with a sign to bfloat16, a scale a row; char4 where rows allow.
UNROW = (
    HEADER
    + """\
__global__ void unrow(const int8_t* x, const float* scale, __nv_bfloat16* y, int cols) {
  int row = blockIdx.x;
  float s = scale[row];
  const int8_t* from = x + (size_t)row * cols;
  __nv_bfloat16* to = y + (size_t)row * cols;
  if (cols % 4 == 0) {
    for (int p = threadIdx.x; p < cols / 4; p += blockDim.x) {
      char4 v = ((const char4*)from)[p];
      __nv_bfloat162* out = (__nv_bfloat162*)to + 2 * p;
      out[0] = __floats2bfloat162_rn(s * v.x, s * v.y);
      out[1] = __floats2bfloat162_rn(s * v.z, s * v.w);
    }
  } else {
    for (int c = threadIdx.x; c < cols; c += blockDim.x) to[c] = __float2bfloat16(s * from[c]);
  }
}

extern "C" void launch(const int8_t* x,     // [rows, cols] 4-byte aligned
                       const float* scale,  // [rows]
                       __nv_bfloat16* y,    // [rows, cols] 4-byte aligned
                       int rows, int cols, cudaStream_t stream = 0) {
  unrow<<<rows, 64, 0, stream>>>(x, scale, y, cols);
}
"""
)

# One who keeps old tables small: doubles to halves that stay finite, two a thread, and one.
FROMDOUBLE = (
    HEADER
    + """\
__device__ half narrow(double x)
{
    if (x > 65504.0)
        x = 65504.0;
    if (x < -65504.0)
        x = -65504.0;
    return __double2half(x);
}

__global__ void to_half(const double *x, half *y, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < n / 2) {
        double2 v = ((const double2 *)x)[t];
        ((half2 *)y)[t] = __halves2half2(narrow(v.x), narrow(v.y));
    } else if (t == n / 2 && n % 2 != 0) {
        y[n - 1] = narrow(x[n - 1]);
    }
}

extern "C" void launch(const double *x,  // [n] 16-byte aligned
                       half *y,          // [n] 4-byte aligned
                       int n, int block_size = 128, cudaStream_t stream = 0)
{
    int threads = (n + 1) / 2;
    to_half<<<(threads + block_size - 1) / block_size, block_size, 0, stream>>>(x, y, n);
}
"""
)

# A reader of a paper: x * tanh(x), a thread a number.
LISHT = (
    HEADER
    + """\
__global__ void lisht(const float* x, float* y, int64_t n) {
  int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float v = x[i];
    y[i] = v * tanhf(v);
  }
}

extern "C" void launch(const float* x,  // [n]
                       float* y,        // [n]
                       int64_t n, int block_size = 256, cudaStream_t stream = 0) {
  int64_t blocks = (n + block_size - 1) / block_size;
  lisht<<<blocks, block_size, 0, stream>>>(x, y, n);
}
"""
)

# One who copies a language model: cap * tanh(x / cap) of bfloat16, two a thread.
CAP = (
    HEADER
    + """\
__device__ __nv_bfloat16 soft(__nv_bfloat16 x, float cap)
{
    float v = __bfloat162float(x) / cap;
    return __float2bfloat16(cap * tanhf(v));
}

__global__ void softcap(const __nv_bfloat16 *x, __nv_bfloat16 *y, float cap, int n)
{
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i + 1 < n) {
        __nv_bfloat162 v = *(const __nv_bfloat162 *)(x + i);
        __nv_bfloat162 o;
        o.x = soft(v.x, cap);
        o.y = soft(v.y, cap);
        *(__nv_bfloat162 *)(y + i) = o;
    } else if (i < n) {
        y[i] = soft(x[i], cap);
    }
}

extern "C" void launch(const __nv_bfloat16 *x,  // [n] 4-byte aligned
                       __nv_bfloat16 *y,        // [n] 4-byte aligned
                       float cap, int n, int block_size = 96, cudaStream_t stream = 0)
{
    int pairs = (n + 1) / 2;
    softcap<<<(pairs + block_size - 1) / block_size, block_size, 0, stream>>>(x, y, cap, n);
}
"""
)

# One who listens: how often a signal changes its sign, by warps, blocks and a ticket.
CROSSINGS = (
    HEADER
    + """\
#define T 128

__device__ int total;
__device__ unsigned int tickets;

__global__ void crossings(const float* x, int* out, int n) {
  __shared__ int parts[T / 32];
  int count = 0;
  for (int i = blockIdx.x * T + threadIdx.x; i < n - 1; i += gridDim.x * T)
    count += (x[i] < 0.0f) != (x[i + 1] < 0.0f);
  for (int d = 16; d > 0; d >>= 1) count += __shfl_down_sync(0xffffffff, count, d);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = count;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < T / 32; w++) count += parts[w];
    atomicAdd(&total, count);
    __threadfence();
    if (atomicAdd(&tickets, 1) == gridDim.x - 1) {
      *out = atomicExch(&total, 0);
      tickets = 0;
    }
  }
}

extern "C" void launch(const float* x,  // [n]
                       int* out,        // [1]
                       int n, cudaStream_t stream = 0) {
  int blocks = (n + T - 1) / T;
  crossings<<<blocks < 32 ? blocks : 32, T, 0, stream>>>(x, out, n);
}
"""
)

# One who groups points: the squared distance of each row from a centre, a warp a row.
SSD = (
    HEADER
    + """\
#define ROWS 4

__global__ void distances(const float *x, const float *centre, float *out, int rows, int cols)
{
    int lane = threadIdx.x;
    int row = blockIdx.x * ROWS + threadIdx.y;
    if (row >= rows)
        return;
    float sum = 0.0f;
    for (int c = lane; c < cols; c += 32) {
        float d = x[(size_t)row * cols + c] - centre[c];
        sum += d * d;
    }
    for (int k = 16; k >= 1; k /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, k);
    if (lane == 0)
        out[row] = sum;
}

extern "C" void launch(const float *x,       // [rows, cols]
                       const float *centre,  // [cols]
                       float *out,           // [rows]
                       int rows, int cols, cudaStream_t stream = 0)
{
    dim3 block(32, ROWS);
    distances<<<(rows + ROWS - 1) / ROWS, block, 0, stream>>>(x, centre, out, rows, cols);
}
"""
)

# One who checks clocks: the widest step between neighbours of a row, and its first place.
GAP = (
    HEADER
    + """\
#define T 64

__global__ void gaps(const float* x, float* width, int* place, int cols) {
  __shared__ float vs[T];
  __shared__ int ats[T];
  const float* row = x + (size_t)blockIdx.x * cols;
  int t = threadIdx.x;
  float most = -1.0f;
  int at = cols;
  for (int c = t; c < cols - 1; c += T) {
    float d = fabsf(row[c + 1] - row[c]);
    if (d > most) {
      most = d;
      at = c;
    }
  }
  vs[t] = most;
  ats[t] = at;
  __syncthreads();
  for (int h = T / 2; h > 0; h /= 2) {
    if (t < h) {
      float d = vs[t + h];
      if (d > vs[t] || (d == vs[t] && ats[t + h] < ats[t])) {
        vs[t] = d;
        ats[t] = ats[t + h];
      }
    }
    __syncthreads();
  }
  if (t == 0) {
    width[blockIdx.x] = vs[0];
    place[blockIdx.x] = ats[0];
  }
}

extern "C" void launch(const float* x,  // [rows, cols]
                       float* width,    // [rows]
                       int* place,      // [rows]
                       int rows, int cols, cudaStream_t stream = 0) {
  gaps<<<rows, T, 0, stream>>>(x, width, place, cols);
}
"""
)

# One who moves heads of attention: each matrix of a batch is turned, tiles of 32.
BATCH = (
    HEADER
    + """\
#define S 32
#define Y 8

__global__ void turn(const __nv_bfloat16 *in, __nv_bfloat16 *out, int rows, int cols)
{
    __shared__ __nv_bfloat16 tile[S][S + 1];
    size_t start = (size_t)blockIdx.z * rows * cols;
    in += start;
    out += start;
    int c = blockIdx.x * S + threadIdx.x;
    for (int j = threadIdx.y; j < S; j += Y) {
        int r = blockIdx.y * S + j;
        if (r < rows && c < cols)
            tile[j][threadIdx.x] = in[(size_t)r * cols + c];
    }
    __syncthreads();
    int r = blockIdx.y * S + threadIdx.x;
    for (int j = threadIdx.y; j < S; j += Y) {
        int d = blockIdx.x * S + j;
        if (d < cols && r < rows)
            out[(size_t)d * rows + r] = tile[threadIdx.x][j];
    }
}

extern "C" void launch(const __nv_bfloat16 *in,  // [count, rows, cols]
                       __nv_bfloat16 *out,       // [count, cols, rows]
                       int count, int rows, int cols, cudaStream_t stream = 0)
{
    dim3 grid((cols + S - 1) / S, (rows + S - 1) / S, count);
    turn<<<grid, dim3(S, Y), 0, stream>>>(in, out, rows, cols);
}
"""
)

# One who plans routes: max of a[i][p] + b[p][j] in the place of a sum of products, tiles.
TROPIC = (
    HEADER
    + """\
#define S 16

__global__ void longest(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float as[S][S], bs[S][S];
  int tx = threadIdx.x, ty = threadIdx.y;
  int j = blockIdx.x * S + tx;
  int i = blockIdx.y * S + ty;
  float most = -INFINITY;
  for (int p = 0; p < k; p += S) {
    as[ty][tx] = i < m && p + tx < k ? a[(size_t)i * k + p + tx] : -INFINITY;
    bs[ty][tx] = p + ty < k && j < n ? b[(size_t)(p + ty) * n + j] : 0.0f;
    __syncthreads();
    for (int q = 0; q < S; q++) most = fmaxf(most, as[ty][q] + bs[q][tx]);
    __syncthreads();
  }
  if (i < m && j < n) c[(size_t)i * n + j] = most;
}

extern "C" void launch(const float* a,  // [m, k]
                       const float* b,  // [k, n]
                       float* c,        // [m, n]
                       int m, int n, int k, cudaStream_t stream = 0) {
  dim3 grid((n + S - 1) / S, (m + S - 1) / S);
  longest<<<grid, dim3(S, S), 0, stream>>>(a, b, c, m, n, k);
}
"""
)

# One who writes layers for pictures: w * x + bias of halves, a row of w in shared memory.
POINTWISE = (
    HEADER
    + """\
__global__ void pointwise(const half *w, const half *x, const float *bias, half *out,
                          int chans, int pixels)
{
    extern __shared__ float ws[];
    int o = blockIdx.y;
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    for (int c = threadIdx.x; c < chans; c += blockDim.x)
        ws[c] = __half2float(w[(size_t)o * chans + c]);
    __syncthreads();
    if (p >= pixels)
        return;
    float sum = bias[o];
    for (int c = 0; c < chans; c++)
        sum += ws[c] * __half2float(x[(size_t)c * pixels + p]);
    out[(size_t)o * pixels + p] = __float2half(sum);
}

extern "C" void launch(const half *w,      // [outs, chans]
                       const half *x,      // [chans, pixels]
                       const float *bias,  // [outs]
                       half *out,          // [outs, pixels]
                       int outs, int chans, int pixels, int block_size = 64,
                       cudaStream_t stream = 0)
{
    dim3 grid((pixels + block_size - 1) / block_size, outs);
    pointwise<<<grid, block_size, chans * sizeof(float), stream>>>(w, x, bias, out, chans,
                                                                   pixels);
}
"""
)

# One who samples words: softmax of x / t in one pass, a warp a row, four rows a block.
TEMPER = (
    HEADER
    + """\
__global__ void temper(const float* x, float* y, float t, int rows, int cols) {
  int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  const float* from = x + (size_t)row * cols;
  float m = -FLT_MAX, s = 0.0f;
  for (int c = threadIdx.x; c < cols; c += 32) {
    float v = from[c] / t;
    if (v > m) {
      s = s * expf(m - v) + 1.0f;
      m = v;
    } else {
      s += expf(v - m);
    }
  }
  for (int k = 16; k > 0; k /= 2) {
    float m2 = __shfl_xor_sync(0xffffffff, m, k);
    float s2 = __shfl_xor_sync(0xffffffff, s, k);
    float most = fmaxf(m, m2);
    s = s * expf(m - most) + s2 * expf(m2 - most);
    m = most;
  }
  for (int c = threadIdx.x; c < cols; c += 32)
    y[(size_t)row * cols + c] = expf(from[c] / t - m) / s;
}

extern "C" void launch(const float* x,  // [rows, cols]
                       float* y,        // [rows, cols]
                       float t, int rows, int cols, cudaStream_t stream = 0) {
  temper<<<(rows + 3) / 4, dim3(32, 4), 0, stream>>>(x, y, t, rows, cols);
}
"""
)

# One who trains in bfloat16: layer norm with a weight, two passes, a block a row.
CENTRE = (
    HEADER
    + """\
#define T 128

__device__ float block_sum(float v, float *s)
{
    int t = threadIdx.x;
    s[t] = v;
    __syncthreads();
    for (int h = T / 2; h > 0; h >>= 1) {
        if (t < h)
            s[t] += s[t + h];
        __syncthreads();
    }
    float sum = s[0];
    __syncthreads();
    return sum;
}

__global__ void centre(const __nv_bfloat16 *x, const float *weight, __nv_bfloat16 *y, float eps,
                       int cols)
{
    __shared__ float s[T];
    const __nv_bfloat16 *from = x + (size_t)blockIdx.x * cols;
    float sum = 0.0f, squares = 0.0f;
    for (int c = threadIdx.x; c < cols; c += T)
        sum += __bfloat162float(from[c]);
    float mean = block_sum(sum, s) / cols;
    for (int c = threadIdx.x; c < cols; c += T) {
        float d = __bfloat162float(from[c]) - mean;
        squares += d * d;
    }
    float r = rsqrtf(block_sum(squares, s) / cols + eps);
    for (int c = threadIdx.x; c < cols; c += T) {
        float d = __bfloat162float(from[c]) - mean;
        y[(size_t)blockIdx.x * cols + c] = __float2bfloat16(d * r * weight[c]);
    }
}

extern "C" void launch(const __nv_bfloat16 *x,  // [rows, cols]
                       const float *weight,     // [cols]
                       __nv_bfloat16 *y,        // [rows, cols]
                       float eps, int rows, int cols, cudaStream_t stream = 0)
{
    centre<<<rows, T, 0, stream>>>(x, weight, y, eps, cols);
}
"""
)

NAN, INF = float("nan"), float("inf")
LENGTHS = (*range(1, 71), 95, 96, 97, 127, 128, 129, 191, 192, 193, 255, 256, 257, 383, 384)
LENGTHS += (511, 512, 513, 1000, 1023, 1024, 1025, 2047, 2049, 4096, 4099)
SIDES = ((1, 1), (2, 1), (1, 2), (3, 2), (4, 31), (5, 32), (8, 33), (33, 8), (2, 64), (65, 3))
SIDES += ((9, 70), (70, 1), (3, 1000), (1, 4099), (64, 70), (130, 6), (40, 50), (32, 32))
SIDES += ((301, 2), (3, 129), (7, 128), (5, 63), (65, 65), (6, 6), (7, 10), (2, 130))
FLOAT, HALF, BFLOAT = (torch.float32,), (torch.float16,), (torch.bfloat16,)


def powers_of_spectra(launcher: Launcher) -> Iterator[Case]:
    """Square whole numbers, so that all is exact; NaN and infinities; slices of all kinds."""
    for n in (*LENGTHS, 9_001, 30_003):
        a, b = (whole(-99, 100, n, 2 * n + k).float() for k in range(2))
        j = torch.arange(n)
        for label, re, im in (
            ("usual", a, b),
            ("zeros", a * 0, b),
            ("NaN", a, torch.where(j % 4 == 3, NAN, b)),
            ("infinities", torch.where(j % 5 == 2, -INF, a), b),
        ):
            for scale in (1.0, 0.125):
                right = scale * (re.double() ** 2 + im.double() ** 2)
                options = {"dtypes": FLOAT, "quick": n > 5000}
                words = f"n = {n:,}, scale = {scale}, {label}"
                yield Case(words, (re, im), (right,), {"scale": scale}, **options)
            if n < 300 and label == "usual":
                right = re.double() ** 2 + im.double() ** 2
                for offsets in ((4, 4, 4), (4, 4, 1), (1, 4, 4), (4, 2, 4), (3, 3, 3)):
                    options = {"dtypes": FLOAT, "offset": offsets}
                    words = f"n = {n:,}, slices from {offsets}"
                    yield Case(words, (re, im), (right,), {"scale": 1.0}, **options)


def layers_over_layers(launcher: Launcher) -> Iterator[Case]:
    """Compose halves of few bits, so that only the last step rounds; NaN; slices."""
    for n in (*LENGTHS, 10_239, 10_241, 20_001):
        a, b = (whole(-999, 1000, n, 3 * n + k) for k in range(2))
        w, j = whole(0, 65, n, 3 * n + 2) / 64.0, torch.arange(n)
        for label, p, q, r in (
            ("usual", a, w, b),
            ("fractions", a / 64, w, b / 16),
            ("opaque", a, w * 0 + 1, b),
            ("clear", a * 0, w * 0, b),
            ("NaN", a, w, torch.where(j % 3 == 1, NAN, b.double())),
        ):
            p, q, r = p.half(), q.half(), r.half()
            right = p.double() + (1 - q.double()) * r.double() + 0.0
            options = {"dtypes": HALF, "quick": n > 5000}
            yield Case(f"n = {n:,}, {label}", (p, q, r), (right,), **options)
            if n < 300 and label == "usual":
                for offsets in ((2, 4, 6, 8), (4, 2, 2, 2)):
                    options = {"dtypes": HALF, "offset": offsets}
                    words = f"n = {n:,}, slices from {offsets}"
                    yield Case(words, (p, q, r), (right,), **options)


def rows_of_bytes(launcher: Launcher) -> Iterator[Case]:
    """Scale bytes of the whole range, with few bits, many bits and other scales; many rows."""
    for rows, cols in (*SIDES, (3, 2_004), (5, 12), (65_541, 1)):
        n = rows * cols
        x = whole(-128, 128, n, n).reshape(rows, cols)
        r = torch.arange(rows)
        for label, y, scale in (
            ("any", x, (r % 7 + 1) / 8.0),
            ("scales of many bits", x, whole(1000, 9999, rows, n + 1) / 4096.0),
            ("least and largest", 255 * (x % 2) - 128, (r % 3 + 1) * 0.5),
        ):
            scale = scale.float()
            right = y.double() * scale.double()[:, None] + 0.0
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            options = {"dtypes": BFLOAT, "quick": n > 5000}
            yield Case(words, (y.to(torch.int8), scale), (right,), **options)


def doubles_to_halves(launcher: Launcher) -> Iterator[Case]:
    """Round doubles: usual, just beside the middle, beyond the range, infinities, NaN."""
    for n in (*LENGTHS, 9_001, 140_003):
        x, j = whole(1025, 2048, n, n).double(), torch.arange(n)
        sign = 1 - 2 * (j % 2).double()
        for label, y in (
            ("usual", (x - 1500) / 7),
            ("beside the middle", (x + 0.5 + (j % 3 - 1) * 2.0**-30) * sign),
            ("small", x * 2.0**-33 * sign),
            ("beyond the range", (65_400 + x / 8) * sign),
            ("infinities", torch.where(j % 3 == 1, INF * sign, x)),
            ("NaN", torch.where(j % 3 == 1, NAN, x)),
        ):
            right = y.clamp(-65504.0, 65504.0)
            for block_size in (128, 32):
                options = {"dtypes": HALF, "quick": n > 5000}
                words = f"n = {n:,}, block_size = {block_size}, {label}"
                yield Case(words, (y,), (right,), {"block_size": block_size}, **options)


def numbers_by_tanh(launcher: Launcher) -> Iterator[Case]:
    """Activate numbers: usual, small, large ones, zeros, infinities, NaN."""
    for n in (*LENGTHS, 9_001):
        x, j = whole(-999, 1000, n, n).float() / 128, torch.arange(n)
        for label, y in (
            ("usual", x),
            ("small", x / 2**12),
            ("large", x * 64),
            ("zeros", torch.where(j % 2 == 1, 0.0, x)),
            ("infinities", torch.where(j % 2 == 1, INF, -INF)),
            ("NaN", torch.where(j % 3 == 1, NAN, x)),
        ):
            z = y.double()
            right = z * z.tanh() + 0.0
            slack = ((2.0**-20 * right.abs()).nan_to_num(0.0, 0.0, 0.0),)
            for block_size in (256, 64):
                options = {"dtypes": FLOAT, "within": slack, "quick": n > 5000}
                words = f"n = {n:,}, block_size = {block_size}, {label}"
                yield Case(words, (y,), (right,), {"block_size": block_size}, **options)


def capped_scores(launcher: Launcher) -> Iterator[Case]:
    """Cap numbers: usual, small, large ones, infinities, NaN; slices."""
    for n in (*LENGTHS, 9_001):
        x, j = whole(-999, 1000, n, n).float() / 16 + 1 / 128, torch.arange(n)
        for label, y in (
            ("usual", x),
            ("small", x / 2**12),
            ("large", x * 2**12),
            ("infinities", torch.where(j % 4 == 1, -INF, x)),
            ("NaN", torch.where(j % 3 == 1, NAN, x)),
        ):
            y = y.bfloat16()
            for cap, block_size in ((50.0, 96), (30.0, 256)):
                right = cap * (y.double() / cap).tanh()
                slack = ((2.0**-8 * 1.01 * right.abs()).nan_to_num(0.0),)
                scalars = {"cap": cap, "block_size": block_size}
                options = {"dtypes": BFLOAT, "within": slack, "quick": n > 5000}
                words = f"n = {n:,}, {scalars}, {label}"
                yield Case(words, (y,), (right,), scalars, **options)


def changes_of_sign(launcher: Launcher) -> Iterator[Case]:
    """Count in any signals, in one that always changes, never, at the last number alone."""
    for n in (*LENGTHS, 9_001, 20_001):
        x, j = whole(-99, 100, n, n), torch.arange(n)
        for label, y in (
            ("any", x),
            ("always", 1 - j % 2 * 2),
            ("never, below 0", -x.abs() - 1),
            ("the last", torch.where(j == n - 1, -1, 1)),
            ("the first", torch.where(j == 0, -1, 1)),
        ):
            right = ((y[1:] < 0) != (y[:-1] < 0)).sum().reshape(1)
            options = {"dtypes": (torch.int32,), "quick": n > 5000}
            yield Case(f"n = {n:,}, {label}", (y.float(),), (right,), **options)


def distances_from_centre(launcher: Launcher) -> Iterator[Case]:
    """Measure whole numbers, so that all is exact: any, the last column alone, the centre."""
    for rows, cols in (*SIDES, (513, 3), (3, 2_001)):
        n = rows * cols
        x, c = whole(-30, 31, n, n).reshape(rows, cols), torch.arange(cols)
        centre = whole(-30, 31, cols, n + 1)
        for label, y in (
            ("any", x),
            ("the last column alone", torch.where(c == cols - 1, x, centre)),
            ("at the centre", centre.expand(rows, cols)),
            ("NaN", torch.where((x % 9 == 4) & (c == cols // 2), NAN, x.double())),
        ):
            y, z = y.float().contiguous(), centre.float()
            right = ((y.double() - z.double()) ** 2).sum(1)
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y, z), (right,), dtypes=FLOAT)


def widest_steps(launcher: Launcher) -> Iterator[Case]:
    """Find the widest steps: of any numbers, of few values, of equal, rising, falling ones."""
    for rows, cols in (*SIDES, (3, 2_001), (513, 3)):
        if cols == 1:
            continue
        n = rows * cols
        x, c = whole(-9999, 10_000, n, n).reshape(rows, cols), torch.arange(cols)
        for label, y in (
            ("any", x),
            ("few values", x % 4),
            ("equal", x * 0 - 7),
            ("rising", x * 0 + c),
            ("falling faster", x * 0 - c * c),
            ("the last", torch.where(c == cols - 1, -5, x * 0)),
        ):
            y = y.float()
            step = (y[:, 1:] - y[:, :-1]).abs()
            most = step.amax(1)
            place = torch.where(step == most[:, None], c[:-1], cols).amin(1)
            options = {"dtypes": (torch.float32, torch.int32)}
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y,), (most, place), **options)


def turned_batches(launcher: Launcher) -> Iterator[Case]:
    """Turn matrices of whole numbers, one and several: any, rising ones."""
    for rows, cols in (*SIDES[:-1], (31, 200), (200, 31), (300, 1), (33, 65)):
        for count in (1, 3):
            n = rows * cols * count
            for label, x in (("any", whole(-250, 251, n, n)), ("rising", torch.arange(n))):
                x = (x % 251 + 1).reshape(count, rows, cols).bfloat16()
                right = x.double().transpose(1, 2).contiguous()
                words = f"count = {count}, rows = {rows:,}, cols = {cols:,}, {label}"
                yield Case(words, (x,), (right,), dtypes=BFLOAT)


def longest_ways(launcher: Launcher) -> Iterator[Case]:
    """Add whole numbers and take the largest: any, negative, positive ones, the last alone."""
    sides = ((1, 1, 1), (2, 3, 1), (3, 2, 5), (16, 16, 16), (17, 16, 15), (5, 40, 33))
    sides += ((40, 5, 17), (33, 31, 70), (1, 70, 3), (70, 1, 100), (65, 20, 48), (20, 65, 31))
    for m, n, k in sides:
        a = whole(-999, 1000, m * k, m + k).reshape(m, k)
        b = whole(-999, 1000, k * n, n + k).reshape(k, n)
        last = torch.arange(k) == k - 1
        for label, p, q in (
            ("any", a, b),
            ("negative", -a.abs() - 1, -b.abs() - 1),
            ("positive", a.abs(), b.abs()),
            ("the last alone", torch.where(last, a.abs() + 9, -9999), b),
        ):
            p, q = p.float(), q.float()
            right = (p.double()[:, :, None] + q.double()[None]).amax(1) + 0.0
            words = f"m = {m}, n = {n}, k = {k}, {label}"
            yield Case(words, (p, q), (right,), dtypes=FLOAT)


def layers_of_pictures(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole numbers, so that only the last step rounds: any, small, large ones; NaN.

    The large ones cancel, so that sums on the way are no halves.
    """
    sides = ((1, 1, 1), (2, 3, 5), (3, 2, 64), (4, 70, 65), (5, 33, 63), (1, 100, 130))
    sides += ((17, 16, 96), (40, 7, 3), (3, 200, 40), (2, 129, 257), (9, 64, 64))
    for outs, chans, pixels in sides:
        w = whole(-9, 10, outs * chans, outs + chans).reshape(outs, chans)
        x = whole(-9, 10, chans * pixels, chans + pixels).reshape(chans, pixels)
        bias = whole(-99, 100, outs, pixels).float() / 4
        c = torch.arange(chans)
        for label, p, q in (
            ("any", w, x),
            ("one channel alone", torch.where(c == chans - 1, 3, w * 0), x),
            ("cancelling", w * 0 + 17 - c % 2 * 34, (x.abs() + 99) * 7),
            ("NaN", w, torch.where(x % 50 == 8, NAN, x.double())),
        ):
            p, q = p.half(), q.half()
            right = p.double() @ q.double() + bias.double()[:, None] + 0.0
            for block_size in (64, 32, 128):
                words = f"outs = {outs}, chans = {chans}, pixels = {pixels}, {block_size = }"
                scalars = {"block_size": block_size}
                inputs = (p, q, bias)
                yield Case(f"{words}, {label}", inputs, (right,), scalars, dtypes=HALF)


def tempered_words(launcher: Launcher) -> Iterator[Case]:
    """Take shares: of any numbers, equal, far above and below 0, rising, falling ones."""
    for rows, cols in (*SIDES, (3, 2_001), (513, 3)):
        n = rows * cols
        x, c = whole(-40, 41, n, n).reshape(rows, cols) / 8.0, torch.arange(cols)
        for label, y in (
            ("any", x),
            ("equal", x * 0 + 3),
            ("far above 0", x + 1000),
            ("far below 0", x - 1000),
            ("rising", x * 0 + c / 4),
            ("falling", x * 0 - c / 4),
        ):
            y = y.float()
            for t in (1.0, 0.5, 4.0):
                right = (y.double() / t).softmax(1)
                slack = (2.0**-16 * right + 1e-38,)
                words = f"rows = {rows:,}, cols = {cols:,}, t = {t}, {label}"
                yield Case(words, (y,), (right,), {"t": t}, dtypes=FLOAT, within=slack)


def centred_rows(launcher: Launcher) -> Iterator[Case]:
    """Norm whole numbers: any, about a large mean, one apart from all others, equal ones."""
    for rows, cols in (*SIDES, (3, 2_001), (129, 130)):
        n = rows * cols
        x, c = whole(-99, 100, n, n).reshape(rows, cols), torch.arange(cols)
        weight = whole(1, 17, cols, n + 1).float() / 8
        for label, y in (
            ("any", x),
            ("small", x / 1024),
            ("about 1,024", 1024 + x // 25 * 8),
            ("one apart", torch.where(c == cols // 3, 1032, x * 0 + 1024)),
            ("equal", x * 0 + 5),
            ("NaN", torch.where((x % 9 == 4) & (c == cols // 2), NAN, x.double())),
        ):
            y = y.bfloat16()
            z = y.double()
            d = z - z.mean(1, keepdim=True)
            for eps in (1e-5, 0.25):
                right = d / ((d * d).mean(1, keepdim=True) + eps).sqrt() * weight.double()
                off = 2.0**-8 * 1.01 * right.abs() + 2.0**-18 * z.abs().amax(1, True)
                slack = (off.nan_to_num(0.0),)
                words = f"rows = {rows:,}, cols = {cols:,}, eps = {eps}, {label}"
                yield Case(
                    words, (y, weight), (right,), {"eps": eps}, dtypes=BFLOAT, within=slack
                )


BASES = {
    "sixtytwo_power": Base(POWER, {"cases": powers_of_spectra}),
    "sixtytwo_over": Base(OVER, {"cases": layers_over_layers}),
    "sixtytwo_unrow": Base(UNROW, {"cases": rows_of_bytes}),
    "sixtytwo_fromdouble": Base(FROMDOUBLE, {"cases": doubles_to_halves}),
    "sixtytwo_lisht": Base(LISHT, {"cases": numbers_by_tanh}),
    "sixtytwo_cap": Base(CAP, {"cases": capped_scores}),
    "sixtytwo_crossings": Base(CROSSINGS, {"cases": changes_of_sign}),
    "sixtytwo_ssd": Base(SSD, {"cases": distances_from_centre}),
    "sixtytwo_gap": Base(GAP, {"cases": widest_steps}),
    "sixtytwo_batch": Base(BATCH, {"cases": turned_batches}),
    "sixtytwo_tropic": Base(TROPIC, {"cases": longest_ways}),
    "sixtytwo_pointwise": Base(POINTWISE, {"cases": layers_of_pictures}),
    "sixtytwo_temper": Base(TEMPER, {"cases": tempered_words}),
    "sixtytwo_centre": Base(CENTRE, {"cases": centred_rows}),
}

WRONG = (
    # ---- power
    # The address of the result is not looked at.
    Wrong(
        "sixtytwo_power_out_untested",
        "sixtytwo_power",
        "alignment",
        ("(uintptr_t)re | (uintptr_t)im | (uintptr_t)out;", "(uintptr_t)re | (uintptr_t)im;"),
    ),
    # Addresses are joined so that a single round one is enough.
    Wrong(
        "sixtytwo_power_one_is_enough",
        "sixtytwo_power",
        "alignment",
        (
            "(uintptr_t)re | (uintptr_t)im | (uintptr_t)out;",
            "(uintptr_t)re & (uintptr_t)im & (uintptr_t)out;",
        ),
    ),
    # The rest is taken from the beginning.
    Wrong(
        "sixtytwo_power_rest_from_start",
        "sixtytwo_power",
        "tail / unwritten / left out | numbers / nan",
        ("(re, im, out, scale, 4 * packs, n);", "(re, im, out, scale, 0, rest);"),
    ),
    # The launch of the rest has no stream.
    Wrong(
        "sixtytwo_power_rest_no_stream",
        "sixtytwo_power",
        "stream",
        (
            "power1<<<(rest + 127) / 128, 128, 0, stream>>>",
            "power1<<<(rest + 127) / 128, 128>>>",
        ),
    ),
    # A line was copied, and one letter stayed.
    Wrong(
        "sixtytwo_power_copied_line",
        "sixtytwo_power",
        "other element / neighbour | numbers / function",
        ("power(a.w, b.w, scale)", "power(a.w, b.z, scale)"),
    ),
    # ---- over
    # All is done in halves, each step of which rounds.
    Wrong(
        "sixtytwo_over_in_halves",
        "sixtytwo_over",
        "rounding / precision | numbers / tail",
        (
            "        float2 u = __half22float2(as[p]);\n"
            "        float2 w = __half22float2(ws[p]);\n"
            "        float2 v = __half22float2(bs[p]);\n"
            "        ((half2 *)out)[p] = __floats2half2_rn(over(u.x, w.x, v.x), "
            "over(u.y, w.y, v.y));\n",
            "        half2 share = __hsub2(__float2half2_rn(1.0f), ws[p]);\n"
            "        ((half2 *)out)[p] = __hadd2(as[p], __hmul2(share, bs[p]));\n",
        ),
    ),
    # The test for a last number is turned round.
    Wrong(
        "sixtytwo_over_last_of_even",
        "sixtytwo_over",
        "tail / unwritten / left out | bounds",
        ("n % 2 == 1 &&", "n % 2 == 0 &&"),
    ),
    # Both numbers of a pair have the first one's share.
    Wrong(
        "sixtytwo_over_first_share",
        "sixtytwo_over",
        "other element / neighbour | numbers",
        ("over(u.y, w.y, v.y)", "over(u.y, w.x, v.y)"),
    ),
    # The layer below may lie anywhere.
    Wrong(
        "sixtytwo_over_b_anywhere",
        "sixtytwo_over",
        "alignment",
        ("const half *b,      // [n] 4-byte aligned", "const half *b,      // [n]"),
    ),
    # A thread has one pair, and blocks are 20 at most.
    Wrong(
        "sixtytwo_over_one_pair",
        "sixtytwo_over",
        "grid / unwritten / left out | tail",
        (
            "for (int p = blockIdx.x * blockDim.x + threadIdx.x; p < n / 2; p += step) {",
            "int p = blockIdx.x * blockDim.x + threadIdx.x;\n    if (p < n / 2) {",
        ),
        ("    int step = gridDim.x * blockDim.x;\n", ""),
    ),
    # ---- unrow
    # Rows of an even number of columns are taken for rows of fours.
    Wrong(
        "sixtytwo_unrow_even_columns",
        "sixtytwo_unrow",
        "alignment / tail / unwritten / left out / sides",
        ("if (cols % 4 == 0)", "if (cols % 2 == 0)"),
    ),
    # Bytes are read without their sign.
    Wrong(
        "sixtytwo_unrow_no_sign",
        "sixtytwo_unrow",
        "whole range / function | numbers / other element",
        ("char4 v = ((const char4*)from)[p];", "uchar4 v = ((const uchar4*)from)[p];"),
    ),
    # The scale is rounded before it is used.
    Wrong(
        "sixtytwo_unrow_scale_rounded",
        "sixtytwo_unrow",
        "rounding / precision | numbers",
        ("float s = scale[row];", "float s = __bfloat162float(__float2bfloat16(scale[row]));"),
    ),
    # Rows are blocks of the grid's second side, of which there are 65,535 at most.
    Wrong(
        "sixtytwo_unrow_rows_in_y",
        "sixtytwo_unrow",
        "grid / refused / unwritten | left out",
        ("int row = blockIdx.x;", "int row = blockIdx.y;"),
        ("unrow<<<rows, 64, 0, stream>>>", "unrow<<<dim3(1, rows), 64, 0, stream>>>"),
    ),
    # The two pairs of a pack change places.
    Wrong(
        "sixtytwo_unrow_pairs_swapped",
        "sixtytwo_unrow",
        "swapped / other element / neighbour | numbers",
        (
            "out[0] = __floats2bfloat162_rn(s * v.x, s * v.y)",
            "out[0] = __floats2bfloat162_rn(s * v.z, s * v.w)",
        ),
        (
            "out[1] = __floats2bfloat162_rn(s * v.z, s * v.w)",
            "out[1] = __floats2bfloat162_rn(s * v.x, s * v.y)",
        ),
    ),
    # ---- fromdouble
    # Doubles become floats first.
    Wrong(
        "sixtytwo_fromdouble_by_float",
        "sixtytwo_fromdouble",
        "rounding | numbers / precision",
        ("return __double2half(x);", "return __float2half((float)x);"),
    ),
    # The limits are taken by a minimum and a maximum, which leave no NaN.
    Wrong(
        "sixtytwo_fromdouble_nan_lost",
        "sixtytwo_fromdouble",
        "nan | numbers",
        (
            "    if (x > 65504.0)\n"
            "        x = 65504.0;\n"
            "    if (x < -65504.0)\n"
            "        x = -65504.0;\n",
            "    x = fmin(fmax(x, -65504.0), 65504.0);\n",
        ),
    ),
    # The limit is a power of two, which is no half.
    Wrong(
        "sixtytwo_fromdouble_limit_65536",
        "sixtytwo_fromdouble",
        "infinity / whole range | numbers",
        (
            "    if (x > 65504.0)\n"
            "        x = 65504.0;\n"
            "    if (x < -65504.0)\n"
            "        x = -65504.0;\n",
            "    if (x > 65536.0)\n"
            "        x = 65536.0;\n"
            "    if (x < -65536.0)\n"
            "        x = -65536.0;\n",
        ),
    ),
    # An odd count is a pair more.
    Wrong(
        "sixtytwo_fromdouble_pair_more",
        "sixtytwo_fromdouble",
        "bounds | tail",
        ("if (t < n / 2) {", "if (t < (n + 1) / 2) {"),
    ),
    # The thread's number has 16 bits.
    Wrong(
        "sixtytwo_fromdouble_short_number",
        "sixtytwo_fromdouble",
        "narrow / left out / unwritten / grid | tail / bounds",
        (
            "int t = blockIdx.x * blockDim.x + threadIdx.x;",
            "unsigned short t = blockIdx.x * blockDim.x + threadIdx.x;",
        ),
    ),
    # ---- lisht
    # The hyperbolic tangent is written with e to the 2x.
    Wrong(
        "sixtytwo_lisht_by_exponentials",
        "sixtytwo_lisht",
        "nan / infinity / precision | numbers / function",
        (
            "    y[i] = v * tanhf(v);\n",
            "    float e = expf(2.0f * v);\n    y[i] = v * (e - 1.0f) / (e + 1.0f);\n",
        ),
    ),
    # The tangent is that of |x|.
    Wrong(
        "sixtytwo_lisht_of_absolute",
        "sixtytwo_lisht",
        "function | numbers / infinity",
        ("tanhf(v)", "tanhf(fabsf(v))"),
    ),
    # The last index is n.
    Wrong(
        "sixtytwo_lisht_up_to_n",
        "sixtytwo_lisht",
        "bounds",
        ("if (i < n)", "if (i <= n)"),
    ),
    # The number of blocks is rounded down.
    Wrong(
        "sixtytwo_lisht_blocks_down",
        "sixtytwo_lisht",
        "tail / grid / unwritten / left out | refused",
        ("(n + block_size - 1) / block_size;", "n / block_size;"),
    ),
    # The sign is taken off where the number lies.
    Wrong(
        "sixtytwo_lisht_sign_off_in_place",
        "sixtytwo_lisht",
        "input | numbers / state / sign of zero",
        ("    float v = x[i];\n", "    float v = ((float*)x)[i] = fabsf(x[i]);\n"),
    ),
    # ---- cap
    # The result is not multiplied by the cap.
    Wrong(
        "sixtytwo_cap_not_back",
        "sixtytwo_cap",
        "function / left out | numbers",
        ("(cap * tanhf(v))", "(tanhf(v))"),
    ),
    # The quotient is rounded to bfloat16.
    Wrong(
        "sixtytwo_cap_quotient_rounded",
        "sixtytwo_cap",
        "rounding / precision | numbers / subnormal",
        (
            "float v = __bfloat162float(x) / cap;",
            "float v = __bfloat162float(x / __float2bfloat16(cap));",
        ),
    ),
    # The quotient is limited, which loses NaN.
    Wrong(
        "sixtytwo_cap_nan_limited",
        "sixtytwo_cap",
        "nan | numbers",
        (
            "__bfloat162float(x) / cap;",
            "fminf(fmaxf(__bfloat162float(x) / cap, -10.0f), 10.0f);",
        ),
    ),
    # The last number of an odd count is forgotten.
    Wrong(
        "sixtytwo_cap_odd_forgotten",
        "sixtytwo_cap",
        "tail / unwritten / left out",
        ("    } else if (i < n) {\n        y[i] = soft(x[i], cap);\n    }\n", "    }\n"),
    ),
    # Blocks are taken to have 96 threads.
    Wrong(
        "sixtytwo_cap_blocks_of_96",
        "sixtytwo_cap",
        "block size / unwritten / left out / grid | tail / numbers / race",
        ("blockIdx.x * blockDim.x + threadIdx.x", "blockIdx.x * 96 + threadIdx.x"),
    ),
    # ---- crossings
    # The sum is not set back for the next call.
    Wrong(
        "sixtytwo_crossings_total_stays",
        "sixtytwo_crossings",
        "state | numbers / twice / zero before",
        ("atomicExch(&total, 0);", "total;"),
    ),
    # Tickets are not set back for the next call.
    Wrong(
        "sixtytwo_crossings_tickets_stay",
        "sixtytwo_crossings",
        "state / unwritten | numbers / left out",
        ("      tickets = 0;\n", ""),
    ),
    # The first thread does not wait for the other warps' parts.
    Wrong(
        "sixtytwo_crossings_no_barrier",
        "sixtytwo_crossings",
        "race | numbers / left out / other element",
        ("= count;\n  __syncthreads();\n", "= count;\n"),
    ),
    # The last number is compared with what is behind it.
    Wrong(
        "sixtytwo_crossings_past_the_last",
        "sixtytwo_crossings",
        "bounds",
        ("i < n - 1;", "i < n;"),
    ),
    # The lanes' sum begins with a distance of 8.
    Wrong(
        "sixtytwo_crossings_from_eight",
        "sixtytwo_crossings",
        "left out | numbers",
        ("int d = 16;", "int d = 8;"),
    ),
    # ---- ssd
    # One row more passes the test.
    Wrong(
        "sixtytwo_ssd_one_row_more",
        "sixtytwo_ssd",
        "bounds | race",
        ("if (row >= rows)", "if (row > rows)"),
    ),
    # Only whole groups of rows get a block.
    Wrong(
        "sixtytwo_ssd_whole_groups",
        "sixtytwo_ssd",
        "tail / grid / unwritten / left out / refused",
        ("(rows + ROWS - 1) / ROWS, block", "rows / ROWS, block"),
    ),
    # Differences are not squared.
    Wrong(
        "sixtytwo_ssd_not_squared",
        "sixtytwo_ssd",
        "function | numbers",
        ("sum += d * d;", "sum += fabsf(d);"),
    ),
    # The centre is read by the row.
    Wrong(
        "sixtytwo_ssd_centre_of_row",
        "sixtytwo_ssd",
        "other element / bounds | numbers / sides",
        ("- centre[c];", "- centre[row];"),
    ),
    # Sums are added to what is there.
    Wrong(
        "sixtytwo_ssd_added",
        "sixtytwo_ssd",
        "zero before / state / start | numbers / twice / nan",
        ("        out[row] = sum;\n", "        atomicAdd(&out[row], sum);\n"),
    ),
    # ---- gap
    # The widest step begins with the smallest positive number.
    Wrong(
        "sixtytwo_gap_from_flt_min",
        "sixtytwo_gap",
        "start | numbers / other element / subnormal / unwritten",
        ("float most = -1.0f;", "float most = FLT_MIN;"),
    ),
    # Of equal steps the tree keeps any.
    Wrong(
        "sixtytwo_gap_any_of_equal",
        "sixtytwo_gap",
        "other element / function | numbers",
        ("if (d > vs[t] || (d == vs[t] && ats[t + h] < ats[t])) {", "if (d > vs[t]) {"),
    ),
    # Steps downwards are not counted.
    Wrong(
        "sixtytwo_gap_upwards_alone",
        "sixtytwo_gap",
        "function / left out | numbers / start / other element",
        ("fabsf(row[c + 1] - row[c])", "row[c + 1] - row[c]"),
    ),
    # Threads do not wait between the steps of the tree.
    Wrong(
        "sixtytwo_gap_no_barrier",
        "sixtytwo_gap",
        "race | numbers / left out / other element",
        (
            "      }\n    }\n    __syncthreads();\n  }\n  if (t == 0)",
            "      }\n    }\n  }\n  if (t == 0)",
        ),
    ),
    # The last number's neighbour is the next row's first.
    Wrong(
        "sixtytwo_gap_next_row",
        "sixtytwo_gap",
        "bounds / other element | numbers",
        ("c < cols - 1;", "c < cols;"),
    ),
    # ---- batch
    # Results of all matrices go to the first one's place.
    Wrong(
        "sixtytwo_batch_out_of_first",
        "sixtytwo_batch",
        "unwritten / left out / other element | race",
        ("    out += start;\n", ""),
    ),
    # Tiles are stored before all of one is there.
    Wrong(
        "sixtytwo_batch_no_barrier",
        "sixtytwo_batch",
        "race | numbers / left out / unwritten / other element",
        ("    __syncthreads();\n", ""),
    ),
    # The sides of the grid are swapped.
    Wrong(
        "sixtytwo_batch_grid_swapped",
        "sixtytwo_batch",
        "grid / sides / unwritten / left out / swapped | tail",
        (
            "dim3 grid((cols + S - 1) / S, (rows + S - 1) / S, count);",
            "dim3 grid((rows + S - 1) / S, (cols + S - 1) / S, count);",
        ),
    ),
    # The tile is read as it was written.
    Wrong(
        "sixtytwo_batch_tile_not_turned",
        "sixtytwo_batch",
        "other element / sides / swapped / unwritten | numbers / race",
        ("tile[threadIdx.x][j];", "tile[j][threadIdx.x];"),
    ),
    # The pitch of the result is that of the input.
    Wrong(
        "sixtytwo_batch_pitch_of_input",
        "sixtytwo_batch",
        "sides / bounds / other element / swapped | unwritten / race / left out",
        ("out[(size_t)d * rows + r]", "out[(size_t)d * cols + r]"),
    ),
    # ---- tropic
    # Tiles are filled up with 0, as for a sum.
    Wrong(
        "sixtytwo_tropic_filled_with_zero",
        "sixtytwo_tropic",
        "start / tail / function | numbers / other element",
        ("a[(size_t)i * k + p + tx] : -INFINITY;", "a[(size_t)i * k + p + tx] : 0.0f;"),
    ),
    # The largest begins with 0.
    Wrong(
        "sixtytwo_tropic_from_zero",
        "sixtytwo_tropic",
        "start | numbers",
        ("float most = -INFINITY;", "float most = 0.0f;"),
    ),
    # The next tile is loaded while others read this one.
    Wrong(
        "sixtytwo_tropic_one_barrier",
        "sixtytwo_tropic",
        "race | numbers / other element / left out",
        ("bs[q][tx]);\n    __syncthreads();\n", "bs[q][tx]);\n"),
    ),
    # Only whole tiles are looked at.
    Wrong(
        "sixtytwo_tropic_whole_tiles",
        "sixtytwo_tropic",
        "tail / left out | numbers / infinity / start",
        ("p < k; p += S", "p + S <= k; p += S"),
    ),
    # The last test has rows and columns swapped.
    Wrong(
        "sixtytwo_tropic_swapped_test",
        "sixtytwo_tropic",
        "sides / bounds / swapped / unwritten | left out / other element / race",
        ("if (i < m && j < n) c[", "if (i < n && j < m) c["),
    ),
    # ---- pointwise
    # Sums are halves.
    Wrong(
        "sixtytwo_pointwise_sum_in_half",
        "sixtytwo_pointwise",
        "precision / rounding | numbers / infinity",
        ("    float sum = bias[o];\n", "    half sum = __float2half(bias[o]);\n"),
        (
            "        sum += ws[c] * __half2float(x[(size_t)c * pixels + p]);\n",
            "        sum = __hfma(__float2half(ws[c]), x[(size_t)c * pixels + p], sum);\n",
        ),
        ("= __float2half(sum);", "= sum;"),
    ),
    # Shared memory is asked for halves, and holds floats.
    Wrong(
        "sixtytwo_pointwise_shared_of_halves",
        "sixtytwo_pointwise",
        "bounds | refused",
        ("chans * sizeof(float)", "chans * sizeof(half)"),
    ),
    # A thread loads one weight at most.
    Wrong(
        "sixtytwo_pointwise_one_weight",
        "sixtytwo_pointwise",
        "left out / unwritten / block size / race | numbers / nan",
        (
            "for (int c = threadIdx.x; c < chans; c += blockDim.x)\n",
            "int c = threadIdx.x;\n    if (c < chans)\n",
        ),
    ),
    # The bias is that of the pixel.
    Wrong(
        "sixtytwo_pointwise_bias_of_pixel",
        "sixtytwo_pointwise",
        "other element / bounds | numbers / sides",
        ("float sum = bias[o];", "float sum = bias[p];"),
    ),
    # Who has no pixel goes before the weights are loaded.
    Wrong(
        "sixtytwo_pointwise_gone_too_early",
        "sixtytwo_pointwise",
        "race / left out / unwritten / tail | numbers / nan / block size",
        (
            "    for (int c = threadIdx.x;",
            "    if (p >= pixels)\n        return;\n    for (int c = threadIdx.x;",
        ),
        (
            "    __syncthreads();\n    if (p >= pixels)\n        return;\n",
            "    __syncthreads();\n",
        ),
    ),
    # ---- temper
    # The second loop forgets the temperature.
    Wrong(
        "sixtytwo_temper_once",
        "sixtytwo_temper",
        "function / left out | numbers / infinity / nan",
        ("expf(from[c] / t - m)", "expf(from[c] - m)"),
    ),
    # The largest begins with the smallest positive number.
    Wrong(
        "sixtytwo_temper_from_flt_min",
        "sixtytwo_temper",
        "start / nan / infinity | numbers / precision / subnormal",
        ("float m = -FLT_MAX,", "float m = FLT_MIN,"),
    ),
    # Numbers are multiplied by the temperature.
    Wrong(
        "sixtytwo_temper_multiplied",
        "sixtytwo_temper",
        "function / swapped | numbers",
        ("float v = from[c] / t;", "float v = from[c] * t;"),
        ("expf(from[c] / t - m)", "expf(from[c] * t - m)"),
    ),
    # Only the first lane gets the whole sum, and all use theirs.
    Wrong(
        "sixtytwo_temper_down",
        "sixtytwo_temper",
        "left out / function / other element | numbers",
        ("__shfl_xor_sync(0xffffffff, m, k)", "__shfl_down_sync(0xffffffff, m, k)"),
        ("__shfl_xor_sync(0xffffffff, s, k)", "__shfl_down_sync(0xffffffff, s, k)"),
    ),
    # The launch has no stream.
    Wrong(
        "sixtytwo_temper_no_stream",
        "sixtytwo_temper",
        "stream",
        ("dim3(32, 4), 0, stream>>>", "dim3(32, 4)>>>"),
    ),
    # ---- centre
    # The variance is the mean of squares less the square of the mean.
    Wrong(
        "sixtytwo_centre_of_squares",
        "sixtytwo_centre",
        "precision | numbers / nan / infinity / function",
        (
            "        float d = __bfloat162float(from[c]) - mean;\n        squares += d * d;\n",
            "        float v = __bfloat162float(from[c]);\n        squares += v * v;\n",
        ),
        (
            "rsqrtf(block_sum(squares, s) / cols + eps)",
            "rsqrtf(block_sum(squares, s) / cols - mean * mean + eps)",
        ),
    ),
    # eps is added to the root.
    Wrong(
        "sixtytwo_centre_eps_outside",
        "sixtytwo_centre",
        "function | numbers / precision / nan / infinity",
        (
            "float r = rsqrtf(block_sum(squares, s) / cols + eps);",
            "float r = 1.0f / (sqrtf(block_sum(squares, s) / cols) + eps);",
        ),
    ),
    # The weight is the thread's, not the column's.
    Wrong(
        "sixtytwo_centre_weight_of_thread",
        "sixtytwo_centre",
        "other element | numbers / function / left out",
        ("weight[c])", "weight[threadIdx.x])"),
    ),
    # The second sum is begun while others read the first.
    Wrong(
        "sixtytwo_centre_no_barrier",
        "sixtytwo_centre",
        "race | numbers / other element / left out",
        (
            "    float sum = s[0];\n    __syncthreads();\n    return sum;\n",
            "    return s[0];\n",
        ),
    ),
    # The mean is taken off where the numbers lie.
    Wrong(
        "sixtytwo_centre_in_place",
        "sixtytwo_centre",
        "input | numbers / state / rounding / precision",
        (
            "    const __nv_bfloat16 *from = x + (size_t)blockIdx.x * cols;\n",
            "    __nv_bfloat16 *from = (__nv_bfloat16 *)x + (size_t)blockIdx.x * cols;\n",
        ),
        (
            "        squares += d * d;\n",
            "        from[c] = __float2bfloat16(d);\n        squares += d * d;\n",
        ),
        (
            "        float d = __bfloat162float(from[c]) - mean;\n        y[",
            "        float d = __bfloat162float(from[c]);\n        y[",
        ),
    ),
)

RIGHT = (
    # There are four times the blocks, most of which have nothing to do.
    Right(
        "sixtytwo_power_idle_blocks",
        "sixtytwo_power",
        ("power4<<<(packs + 127) / 128,", "power4<<<4 * ((packs + 127) / 128),"),
        ("power1<<<(rest + 127) / 128,", "power1<<<4 * ((rest + 127) / 128),"),
    ),
    # Threads take the pairs from their end, and the first one has the last number.
    Right(
        "sixtytwo_over_from_the_end",
        "sixtytwo_over",
        (
            "        float2 u = __half22float2(as[p]);\n",
            "        int q = n / 2 - 1 - p;\n        float2 u = __half22float2(as[q]);\n",
        ),
        ("(ws[p])", "(ws[q])"),
        ("(bs[p])", "(bs[q])"),
        ("((half2 *)out)[p]", "((half2 *)out)[q]"),
        ("blockIdx.x == gridDim.x - 1 &&", "blockIdx.x == 0 &&"),
    ),
    # Four bytes are one integer, of which shifts take the signs along.
    Right(
        "sixtytwo_unrow_by_shifts",
        "sixtytwo_unrow",
        ("char4 v = ((const char4*)from)[p];", "int v = ((const int*)from)[p];"),
        ("(s * v.x, s * v.y)", "(s * (v << 24 >> 24), s * (v << 16 >> 24))"),
        ("(s * v.z, s * v.w)", "(s * (v << 8 >> 24), s * (v >> 24))"),
    ),
    # Doubles become floats towards 0, and a last bit keeps that something was cut off.
    Right(
        "sixtytwo_fromdouble_to_odd",
        "sixtytwo_fromdouble",
        (
            "    return __double2half(x);\n",
            "    float f = __double2float_rz(x);\n"
            "    if ((double)f != x && !isnan(x))\n"
            "        f = __int_as_float(__float_as_int(f) | 1);\n"
            "    return __float2half_rn(f);\n",
        ),
    ),
    # Both factors are without a sign.
    Right(
        "sixtytwo_lisht_even",
        "sixtytwo_lisht",
        ("float v = x[i];", "float v = fabsf(x[i]);"),
    ),
    # The tangent is made of e to the -2|x|, less 1.
    Right(
        "sixtytwo_cap_by_expm1",
        "sixtytwo_cap",
        (
            "    return __float2bfloat16(cap * tanhf(v));\n",
            "    float e = expm1f(-2.0f * fabsf(v));\n"
            "    return __float2bfloat16(copysignf(cap * (-e / (e + 2.0f)), v));\n",
        ),
    ),
    # The launcher sets the result to 0, and blocks add to it.
    Right(
        "sixtytwo_crossings_memset",
        "sixtytwo_crossings",
        ("__device__ int total;\n__device__ unsigned int tickets;\n\n", ""),
        (
            "    atomicAdd(&total, count);\n"
            "    __threadfence();\n"
            "    if (atomicAdd(&tickets, 1) == gridDim.x - 1) {\n"
            "      *out = atomicExch(&total, 0);\n"
            "      tickets = 0;\n"
            "    }\n",
            "    atomicAdd(out, count);\n",
        ),
        (
            "  int blocks = (n + T - 1) / T;\n",
            "  int blocks = (n + T - 1) / T;\n"
            "  cudaMemsetAsync(out, 0, sizeof(int), stream);\n",
        ),
    ),
    # All lanes have the sum, and the last one stores it.
    Right(
        "sixtytwo_ssd_last_lane",
        "sixtytwo_ssd",
        ("__shfl_down_sync", "__shfl_xor_sync"),
        ("if (lane == 0)", "if (lane == 31)"),
    ),
    # One thread goes through the parts in the place of a tree.
    Right(
        "sixtytwo_gap_one_thread",
        "sixtytwo_gap",
        (
            "  for (int h = T / 2; h > 0; h /= 2) {\n"
            "    if (t < h) {\n"
            "      float d = vs[t + h];\n"
            "      if (d > vs[t] || (d == vs[t] && ats[t + h] < ats[t])) {\n"
            "        vs[t] = d;\n"
            "        ats[t] = ats[t + h];\n"
            "      }\n"
            "    }\n"
            "    __syncthreads();\n"
            "  }\n",
            "",
        ),
        (
            "  if (t == 0) {\n",
            "  if (t == 0) {\n"
            "    for (int k = 1; k < T; k++) {\n"
            "      if (vs[k] < vs[0] || (vs[k] == vs[0] && ats[k] > ats[0])) continue;\n"
            "      vs[0] = vs[k];\n"
            "      ats[0] = ats[k];\n"
            "    }\n",
        ),
    ),
    # Places in the tile are mixed in the place of a column more.
    Right(
        "sixtytwo_batch_mixed_places",
        "sixtytwo_batch",
        ("tile[S][S + 1];", "tile[S][S];"),
        ("tile[j][threadIdx.x] = in", "tile[j][threadIdx.x ^ j] = in"),
        ("tile[threadIdx.x][j];", "tile[threadIdx.x][j ^ threadIdx.x];"),
    ),
    # The second matrix is read where it lies, by those who have a result.
    Right(
        "sixtytwo_tropic_one_tile",
        "sixtytwo_tropic",
        ("as[S][S], bs[S][S];", "as[S][S];"),
        ("    bs[ty][tx] = p + ty < k && j < n ? b[(size_t)(p + ty) * n + j] : 0.0f;\n", ""),
        (
            "for (int q = 0; q < S; q++) most = fmaxf(most, as[ty][q] + bs[q][tx]);",
            "for (int q = 0; q < S && p + q < k && j < n; q++)\n"
            "      most = fmaxf(most, as[ty][q] + b[(size_t)(p + q) * n + j]);",
        ),
    ),
    # Channels are added from the last one, and the bias at the end.
    Right(
        "sixtytwo_pointwise_bias_last",
        "sixtytwo_pointwise",
        ("float sum = bias[o];", "float sum = 0.0f;"),
        ("for (int c = 0; c < chans; c++)", "for (int c = chans - 1; c >= 0; c--)"),
        ("__float2half(sum);", "__float2half(sum + bias[o]);"),
    ),
    # Shares are made of the logarithm of the sum.
    Right(
        "sixtytwo_temper_by_logarithm",
        "sixtytwo_temper",
        (
            "  for (int c = threadIdx.x; c < cols; c += 32)\n    y[",
            "  s = logf(s);\n  for (int c = threadIdx.x; c < cols; c += 32)\n    y[",
        ),
        ("expf(from[c] / t - m) / s;", "expf(from[c] / t - m - s);"),
    ),
    # Sums are doubles, and squares are counted in the first pass, too.
    Right(
        "sixtytwo_centre_in_doubles",
        "sixtytwo_centre",
        (
            "__device__ float block_sum(float v, float *s)",
            "__device__ double block_sum(double v, double *s)",
        ),
        ("    float sum = s[0];\n", "    double sum = s[0];\n"),
        ("__shared__ float s[T];", "__shared__ double s[T];"),
        ("    float sum = 0.0f, squares = 0.0f;\n", "    double sum = 0, squares = 0;\n"),
        (
            "        sum += __bfloat162float(from[c]);\n",
            "    {\n"
            "        double v = __bfloat162float(from[c]);\n"
            "        sum += v;\n"
            "        squares += v * v;\n"
            "    }\n",
        ),
        (
            "    float mean = block_sum(sum, s) / cols;\n"
            "    for (int c = threadIdx.x; c < cols; c += T) {\n"
            "        float d = __bfloat162float(from[c]) - mean;\n"
            "        squares += d * d;\n"
            "    }\n"
            "    float r = rsqrtf(block_sum(squares, s) / cols + eps);\n",
            "    double mean = block_sum(sum, s) / cols;\n"
            "    double r = 1.0 / sqrt(fmax(block_sum(squares, s) / cols - mean * "
            "mean, 0.0) + eps);\n",
        ),
        (
            "        float d = __bfloat162float(from[c]) - mean;\n        y[",
            "        double d = __bfloat162float(from[c]) - mean;\n        y[",
        ),
        ("__float2bfloat16(d * r * weight[c])", "__float2bfloat16((float)(d * r * weight[c]))"),
    ),
)
