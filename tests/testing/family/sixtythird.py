"""Hold a sixty-third family: kernels of half a year's practice, and their plainest mistakes.

Its bases are second differences of three frames, a + b - a * b, halves to bytes of -127 to 127,
steps of a depth camera to metres in halves, the logarithm of cosh, the square of ReLU, how far
a signal goes up and down, the bits in which rows differ from a code, what is farthest from 0 in
a row and its first place, a matrix and a factor times the transpose of another, the transpose
of a times b, a matrix of three diagonals times a vector, softmax of x + bias, and layer norm of
x + r with a weight. They have 14 to 46 lines, and are of people with half a year of CUDA: one
who watches films, one who edits photographs, one who makes models small, one with a depth
camera, two readers of papers, one who smooths signals, one who looks for pictures, one who
measures shocks, one who knows old libraries, one who fits lines, one who solves for heat, one
who writes attention and one who has read Welford. They use float4 where all addresses are round
and a loop where not, half2 with a thread for the last number, char4 and threads for the rest,
ushort2 in a loop over the grid, one number a thread, pairs whose thread does the last number,
parts in a variable of the device with a second kernel, a warp a row with four rows a block,
values and places by shuffles and shared memory, a tile of 32 with 8 rows of threads, tiles of
16 of which one is read by columns, a tile with a number more on either side, pairs of a maximum
and a sum in a tree, and Welford's mean that lanes join. Their mistakes are spread over
alignment, sizes, grids and integers of 16 bits, values, rounding, NaN and infinity, inputs that
are written, sums, transposes, products, order, streams and what is left of an earlier call. The
causes were written before a member was judged. On the emulator each ran beside PyTorch,
compared as a case does, called twice on the same tensors, with NaN and with 1e3 in floating
outputs (-1 and 77 in others), with tensors at either end of their pages, their inputs looked at
afterwards, on a stream that is not the default one, with threads in order, from the last to the
first and in a random order, and in the slices that the cases name. Bases and right ones ran all
cases; wrong ones until they were wrong often enough. The first frames were a mean with weights,
which made of equal bytes behind three tensors those behind the fourth, so that a pack too many
was not seen: hence the differences. Of those that lack a barrier not each is wrong in every
order of threads. nvcc 13.0 compiles each for 8.0, all members of a base in one file; none was
run on a GPU. Bases and right ones are right, and all others wrong or refused by a fault:

    sixtythree_frames_out_anywhere         from 4 numbers on, if out alone is at an odd place
    sixtythree_frames_addresses_added      from 4 numbers on, if odd addresses add up
    sixtythree_frames_last_pack_whole      unless 4 divides the count, where packs are taken
    sixtythree_frames_three_at_most        from 4 numbers on, if an address is odd
    sixtythree_frames_line_swapped         from 3 numbers on in packs, unless b and c are alike
    sixtythree_screen_in_halves            of pairs, if a step is no half
    sixtythree_screen_no_thread_for_last   of odd counts, if the block size divides the pairs
    sixtythree_screen_out_anywhere         from 2 numbers on, by the address of out
    sixtythree_screen_short_index          from 131,073 numbers on
    sixtythree_screen_last_but_one         of odd counts; of 1 before the array
    sixtythree_quant_cut_off               of fractions above a half
    sixtythree_quant_away_from_zero        just between two, if the lower one is even
    sixtythree_quant_least_of_byte         below -127.5
    sixtythree_quant_no_upper_limit        above 127.5
    sixtythree_quant_one_for_rest          if 2 or 3 are left, and blocks are full
    sixtythree_depth_with_sign             of pairs, from 32,768 on
    sixtythree_depth_scaled_in_half        if the step is no half
    sixtythree_depth_zero_for_unseen       of 0
    sixtythree_depth_step_doubled          from 10,242 numbers on
    sixtythree_depth_one_pair              from 10,242 numbers on
    sixtythree_logcosh_as_it_stands        from about 89.4 on
    sixtythree_logcosh_not_doubled         of all that are not far from 0
    sixtythree_logcosh_blocks_down         unless the block size divides n
    sixtythree_logcosh_blocks_of_256       of smaller blocks, from a second one on
    sixtythree_logcosh_with_sign           from about -44.4 down
    sixtythree_relutwo_nan_lost            of NaN
    sixtythree_relutwo_pair_more           of odd counts
    sixtythree_relutwo_clipped_in_place    of pairs with numbers below 0: x is overwritten
    sixtythree_relutwo_stays_finite        from 255.9 on
    sixtythree_relutwo_no_stream           on another stream than the default one
    sixtythree_variation_part_a_lane       from 4,097 numbers on
    sixtythree_variation_all_parts         of a signal that is shorter than an earlier one
    sixtythree_variation_tree_no_barrier   where warps do not wait for another
    sixtythree_variation_past_the_end      always
    sixtythree_variation_finish_no_stream  on another stream than the default one
    sixtythree_hamming_of_both             of nearly all
    sixtythree_hamming_from_eight          from 9 words on, of some
    sixtythree_hamming_added               unless out was 0 before
    sixtythree_hamming_row_untested        unless 4 divides the rows
    sixtythree_hamming_half_words          if upper bits differ
    sixtythree_peak_from_zero              of rows of zeros
    sixtythree_peak_any_of_equal           if what is farthest is there twice
    sixtythree_peak_no_barrier             where warps do not wait for another
    sixtythree_peak_with_sign              if what is farthest is below 0
    sixtythree_peak_last_warp              if what is farthest is another warp's, the last one's
    sixtythree_geam_pitch_of_a             unless rows are as many as columns
    sixtythree_geam_test_of_a              unless rows are as many as columns
    sixtythree_geam_steps_of_16            from 9 columns on
    sixtythree_geam_no_barrier             where threads do not wait for another
    sixtythree_geam_factor_of_b            unless alpha is 1
    sixtythree_crossed_pitch_of_k          from k = 2 on, unless m is k
    sixtythree_crossed_no_first_barrier    where threads do not wait for another
    sixtythree_crossed_whole_tiles         if 16 does not divide k
    sixtythree_crossed_added               unless c was 0 before
    sixtythree_crossed_plain_product       of nearly all
    sixtythree_tridiag_first_again         from 129 numbers on
    sixtythree_tridiag_up_of_before        always
    sixtythree_tridiag_no_barrier          where threads do not wait for another
    sixtythree_tridiag_behind_untested     of the last block
    sixtythree_tridiag_outer_swapped       from 2 numbers on
    sixtythree_biased_from_zero            of rows that are far below 0
    sixtythree_biased_from_infinity        of rows with fewer columns than threads
    sixtythree_biased_not_scaled           from 129 columns on, if a thread's numbers rise
    sixtythree_biased_forgotten            unless the bias is 0
    sixtythree_biased_no_barrier           where threads do not wait for another
    sixtythree_welford_empty_lanes         below 32 columns, if two lanes have none
    sixtythree_welford_between_forgotten   from 2 columns on, unless means are alike
    sixtythree_welford_one_less            always, less so of many columns; of 1 NaN
    sixtythree_welford_sum_in_place        unless r is 0: x is overwritten
    sixtythree_welford_blocks_down         from 5 rows on, unless 4 divides them
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import whole

# One who watches films for shakes: a - 2 * b + c of frames, packs if all addresses are round.
FRAMES = (
    HEADER
    + """\
__device__ float bend(float a, float b, float c) { return a - 2.0f * b + c; }

__global__ void frames(const float* a, const float* b, const float* c, float* out, int n,
                       bool packs) {
  int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (packs && i + 3 < n) {
    float4 u = *(const float4*)(a + i);
    float4 v = *(const float4*)(b + i);
    float4 w = *(const float4*)(c + i);
    float4 o;
    o.x = bend(u.x, v.x, w.x);
    o.y = bend(u.y, v.y, w.y);
    o.z = bend(u.z, v.z, w.z);
    o.w = bend(u.w, v.w, w.w);
    *(float4*)(out + i) = o;
  } else {
    for (int j = i; j < n && j < i + 4; j++) out[j] = bend(a[j], b[j], c[j]);
  }
}

extern "C" void launch(const float* a,  // [n]
                       const float* b,  // [n]
                       const float* c,  // [n]
                       float* out,      // [n]
                       int n, cudaStream_t stream = 0) {
  bool packs = (uintptr_t)a % 16 == 0 && (uintptr_t)b % 16 == 0 && (uintptr_t)c % 16 == 0 &&
               (uintptr_t)out % 16 == 0;
  int threads = (n + 3) / 4;
  frames<<<(threads + 127) / 128, 128, 0, stream>>>(a, b, c, out, n, packs);
}
"""
)

# One who edits photographs: a + b - a * b of halves, a thread a pair and one for the last.
SCREEN = (
    HEADER
    + """\
__device__ float both(float a, float b)
{
    return a + b - a * b;
}

__global__ void screen(const half *a, const half *b, half *out, int n)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p < n / 2) {
        float2 u = __half22float2(((const half2 *)a)[p]);
        float2 v = __half22float2(((const half2 *)b)[p]);
        ((half2 *)out)[p] = __floats2half2_rn(both(u.x, v.x), both(u.y, v.y));
    } else if (2 * p < n) {
        out[n - 1] = __float2half(both(__half2float(a[n - 1]), __half2float(b[n - 1])));
    }
}

extern "C" void launch(const half *a,  // [n] 4-byte aligned
                       const half *b,  // [n] 4-byte aligned
                       half *out,      // [n] 4-byte aligned
                       int n, int block_size = 128, cudaStream_t stream = 0)
{
    int threads = (n + 1) / 2;
    screen<<<(threads + block_size - 1) / block_size, block_size, 0, stream>>>(a, b, out, n);
}
"""
)

# One who makes models small: halves to bytes of -127 to 127, four a thread, then the rest.
QUANT = (
    HEADER
    + """\
__device__ int8_t small(half x, float inv) {
  float v = rintf(__half2float(x) * inv);
  if (v > 127.0f) v = 127.0f;
  if (v < -127.0f) v = -127.0f;
  return isnan(v) ? 0 : (int8_t)v;
}

__global__ void quantize(const half* x, int8_t* q, float inv, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  int packs = n / 4;
  if (t < packs) {
    const half* from = x + 4 * t;
    char4 o;
    o.x = small(from[0], inv);
    o.y = small(from[1], inv);
    o.z = small(from[2], inv);
    o.w = small(from[3], inv);
    ((char4*)q)[t] = o;
  } else {
    int j = 4 * packs + (t - packs);
    if (j < n) q[j] = small(x[j], inv);
  }
}

extern "C" void launch(const half* x,  // [n]
                       int8_t* q,      // [n] 4-byte aligned
                       float inv, int n, int block_size = 128, cudaStream_t stream = 0) {
  int threads = n / 4 + n % 4;
  quantize<<<(threads + block_size - 1) / block_size, block_size, 0, stream>>>(x, q, inv, n);
}
"""
)

# One with a depth camera: steps of 16 bits to metres in halves, NaN where nothing was seen.
DEPTH = (
    HEADER
    + """\
__device__ float metres(unsigned short d, float scale)
{
    return d == 0 ? NAN : d * scale;
}

__global__ void depth(const uint16_t *x, half *y, float scale, int n)
{
    int step = gridDim.x * blockDim.x;
    for (int p = blockIdx.x * blockDim.x + threadIdx.x; p < n / 2; p += step) {
        ushort2 d = ((const ushort2 *)x)[p];
        ((half2 *)y)[p] = __floats2half2_rn(metres(d.x, scale), metres(d.y, scale));
    }
    if (n % 2 && blockIdx.x == 0 && threadIdx.x == 0)
        y[n - 1] = __float2half(metres(x[n - 1], scale));
}

extern "C" void launch(const uint16_t *x,  // [n] 4-byte aligned
                       half *y,            // [n] 4-byte aligned
                       float scale, int n, cudaStream_t stream = 0)
{
    int blocks = (n / 2 + 127) / 128;
    if (blocks == 0)
        blocks = 1;
    if (blocks > 40)
        blocks = 40;
    depth<<<blocks, 128, 0, stream>>>(x, y, scale, n);
}
"""
)

# A reader of a paper on losses: the logarithm of cosh, a thread a number.
LOGCOSH = (
    HEADER
    + """\
__global__ void logcosh(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float v = fabsf(x[i]);
    y[i] = v + log1pf(expf(-2.0f * v)) - 0.69314718f;
  }
}

extern "C" void launch(const float* x,  // [n]
                       float* y,        // [n]
                       int n, int block_size = 256, cudaStream_t stream = 0) {
  int blocks = (n + block_size - 1) / block_size;
  logcosh<<<blocks, block_size, 0, stream>>>(x, y, n);
}
"""
)

# One who tries another model: the square of what ReLU leaves, of halves.
RELUTWO = (
    HEADER
    + """\
__device__ float square(float v)
{
    return v <= 0.0f ? 0.0f : v * v;
}

__global__ void relu2(const half *x, half *y, int n)
{
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i + 1 < n) {
        float2 v = __half22float2(*(const half2 *)(x + i));
        *(half2 *)(y + i) = __floats2half2_rn(square(v.x), square(v.y));
    } else if (i < n) {
        y[i] = __float2half(square(__half2float(x[i])));
    }
}

extern "C" void launch(const half *x,  // [n] 4-byte aligned
                       half *y,        // [n] 4-byte aligned
                       int n, cudaStream_t stream = 0)
{
    int pairs = (n + 1) / 2;
    relu2<<<(pairs + 191) / 192, 192, 0, stream>>>(x, y, n);
}
"""
)

# One who smooths signals: how far a signal goes up and down, parts of blocks, then their sum.
VARIATION = (
    HEADER
    + """\
#define T 128
#define MOST 48

__device__ float parts[MOST];

__global__ void variation(const float* x, int n) {
  __shared__ float s[T];
  int t = threadIdx.x;
  float sum = 0.0f;
  for (int i = blockIdx.x * T + t; i < n - 1; i += gridDim.x * T) sum += fabsf(x[i + 1] - x[i]);
  s[t] = sum;
  __syncthreads();
  for (int h = T / 2; h > 0; h /= 2) {
    if (t < h) s[t] += s[t + h];
    __syncthreads();
  }
  if (t == 0) parts[blockIdx.x] = s[0];
}

__global__ void finish(float* out, int blocks) {
  float sum = 0.0f;
  for (int b = threadIdx.x; b < blocks; b += 32) sum += parts[b];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
  if (threadIdx.x == 0) *out = sum;
}

extern "C" void launch(const float* x,  // [n]
                       float* out,      // [1]
                       int n, cudaStream_t stream = 0) {
  int blocks = (n + T - 1) / T;
  if (blocks > MOST) blocks = MOST;
  variation<<<blocks, T, 0, stream>>>(x, n);
  finish<<<1, 32, 0, stream>>>(out, blocks);
}
"""
)

# One who looks for pictures: in how many bits each row differs from a code, a warp a row.
HAMMING = (
    HEADER
    + """\
#define ROWS 4

__global__ void hamming(const uint32_t *codes, const uint32_t *query, int *out, int rows,
                        int words)
{
    int lane = threadIdx.x;
    int row = blockIdx.x * ROWS + threadIdx.y;
    if (row >= rows)
        return;
    int bits = 0;
    for (int w = lane; w < words; w += 32)
        bits += __popc(codes[(size_t)row * words + w] ^ query[w]);
    for (int d = 16; d > 0; d /= 2)
        bits += __shfl_down_sync(0xffffffff, bits, d);
    if (lane == 0)
        out[row] = bits;
}

extern "C" void launch(const uint32_t *codes,  // [rows, words]
                       const uint32_t *query,  // [words]
                       int *out,               // [rows]
                       int rows, int words, cudaStream_t stream = 0)
{
    int blocks = (rows + ROWS - 1) / ROWS;
    hamming<<<blocks, dim3(32, ROWS), 0, stream>>>(codes, query, out, rows, words);
}
"""
)

# One who measures shocks: of each row what is farthest from 0, with its sign, and where.
PEAK = (
    HEADER
    + """\
#define T 128

__global__ void peaks(const __nv_bfloat16* x, __nv_bfloat16* value, int* place, int cols) {
  __shared__ float vs[T / 32];
  __shared__ int ats[T / 32];
  const __nv_bfloat16* row = x + (size_t)blockIdx.x * cols;
  int t = threadIdx.x;
  float most = -1.0f;
  int at = cols;
  for (int c = t; c < cols; c += T) {
    float v = fabsf(__bfloat162float(row[c]));
    if (v > most) {
      most = v;
      at = c;
    }
  }
  for (int d = 16; d > 0; d /= 2) {
    float v = __shfl_down_sync(0xffffffff, most, d);
    int c = __shfl_down_sync(0xffffffff, at, d);
    if (v > most || (v == most && c < at)) {
      most = v;
      at = c;
    }
  }
  if (t % 32 == 0) {
    vs[t / 32] = most;
    ats[t / 32] = at;
  }
  __syncthreads();
  if (t > 0) return;
  for (int w = 1; w < T / 32; w++) {
    if (vs[w] > most || (vs[w] == most && ats[w] < at)) {
      most = vs[w];
      at = ats[w];
    }
  }
  value[blockIdx.x] = row[at];
  place[blockIdx.x] = at;
}

extern "C" void launch(const __nv_bfloat16* x,  // [rows, cols]
                       __nv_bfloat16* value,    // [rows]
                       int* place,              // [rows]
                       int rows, int cols, cudaStream_t stream = 0) {
  peaks<<<rows, T, 0, stream>>>(x, value, place, cols);
}
"""
)

# One who knows old libraries: a matrix and a factor times the transpose of another.
GEAM = (
    HEADER
    + """\
#define S 32
#define Y 8

__global__ void geam(const float *a, const float *b, float *out, float alpha, int rows,
                     int cols)
{
    __shared__ float tile[S][S + 1];
    int c = blockIdx.x * S + threadIdx.x;
    for (int j = threadIdx.y; j < S; j += Y) {
        int r = blockIdx.y * S + j;
        if (r < rows && c < cols)
            tile[j][threadIdx.x] = a[(size_t)r * cols + c];
    }
    __syncthreads();
    int r = blockIdx.y * S + threadIdx.x;
    for (int j = threadIdx.y; j < S; j += Y) {
        int d = blockIdx.x * S + j;
        if (d < cols && r < rows) {
            size_t at = (size_t)d * rows + r;
            out[at] = b[at] + alpha * tile[threadIdx.x][j];
        }
    }
}

extern "C" void launch(const float *a,  // [rows, cols]
                       const float *b,  // [cols, rows]
                       float *out,      // [cols, rows]
                       float alpha, int rows, int cols, cudaStream_t stream = 0)
{
    dim3 grid((cols + S - 1) / S, (rows + S - 1) / S);
    geam<<<grid, dim3(S, Y), 0, stream>>>(a, b, out, alpha, rows, cols);
}
"""
)

# One who fits lines: the transpose of a times b, tiles of 16.
CROSSED = (
    HEADER
    + """\
#define S 16

__global__ void crossed(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float as[S][S], bs[S][S];
  int tx = threadIdx.x, ty = threadIdx.y;
  int j = blockIdx.x * S + tx;
  int i = blockIdx.y * S + ty;
  int col = blockIdx.y * S + tx;
  float sum = 0.0f;
  for (int p = 0; p < k; p += S) {
    int q = p + ty;
    as[ty][tx] = q < k && col < m ? a[(size_t)q * m + col] : 0.0f;
    bs[ty][tx] = q < k && j < n ? b[(size_t)q * n + j] : 0.0f;
    __syncthreads();
    for (int h = 0; h < S; h++) sum += as[h][ty] * bs[h][tx];
    __syncthreads();
  }
  if (i < m && j < n) c[(size_t)i * n + j] = sum;
}

extern "C" void launch(const float* a,  // [k, m]
                       const float* b,  // [k, n]
                       float* c,        // [m, n]
                       int m, int n, int k, cudaStream_t stream = 0) {
  dim3 grid((n + S - 1) / S, (m + S - 1) / S);
  crossed<<<grid, dim3(S, S), 0, stream>>>(a, b, c, m, n, k);
}
"""
)

# One who solves for heat: a matrix of three diagonals times a vector, with two at the sides.
TRIDIAG = (
    HEADER
    + """\
#define T 128

__global__ void tridiagonal(const float *low, const float *diag, const float *up,
                            const float *x, float *y, int n)
{
    __shared__ float xs[T + 2];
    int t = threadIdx.x;
    int i = blockIdx.x * T + t;
    xs[t + 1] = i < n ? x[i] : 0.0f;
    if (t == 0)
        xs[0] = i > 0 ? x[i - 1] : 0.0f;
    if (t == T - 1)
        xs[T + 1] = i + 1 < n ? x[i + 1] : 0.0f;
    __syncthreads();
    if (i < n)
        y[i] = low[i] * xs[t] + diag[i] * xs[t + 1] + up[i] * xs[t + 2];
}

extern "C" void launch(const float *low,   // [n]
                       const float *diag,  // [n]
                       const float *up,    // [n]
                       const float *x,     // [n]
                       float *y,           // [n]
                       int n, cudaStream_t stream = 0)
{
    tridiagonal<<<(n + T - 1) / T, T, 0, stream>>>(low, diag, up, x, y, n);
}
"""
)

# One who writes attention: softmax of x + bias in one pass, a block a row, pairs in a tree.
BIASED = (
    HEADER
    + """\
#define T 128

__global__ void biased(const float* x, const float* bias, float* y, int cols) {
  __shared__ float ms[T], ss[T];
  const float* from = x + (size_t)blockIdx.x * cols;
  int t = threadIdx.x;
  float m = -FLT_MAX, s = 0.0f;
  for (int c = t; c < cols; c += T) {
    float v = from[c] + bias[c];
    float most = fmaxf(m, v);
    s = s * expf(m - most) + expf(v - most);
    m = most;
  }
  ms[t] = m;
  ss[t] = s;
  __syncthreads();
  for (int h = T / 2; h > 0; h /= 2) {
    if (t < h) {
      float most = fmaxf(ms[t], ms[t + h]);
      ss[t] = ss[t] * expf(ms[t] - most) + ss[t + h] * expf(ms[t + h] - most);
      ms[t] = most;
    }
    __syncthreads();
  }
  for (int c = t; c < cols; c += T)
    y[(size_t)blockIdx.x * cols + c] = expf(from[c] + bias[c] - ms[0]) / ss[0];
}

extern "C" void launch(const float* x,     // [rows, cols]
                       const float* bias,  // [cols]
                       float* y,           // [rows, cols]
                       int rows, int cols, cudaStream_t stream = 0) {
  biased<<<rows, T, 0, stream>>>(x, bias, y, cols);
}
"""
)

# One who has read Welford: layer norm of x + r with a weight, a warp a row, lanes joined.
WELFORD = (
    HEADER
    + """\
__global__ void norm(const float *x, const float *r, const float *weight, float *y, float eps,
                     int rows, int cols)
{
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows)
        return;
    size_t start = (size_t)row * cols;
    float count = 0.0f, mean = 0.0f, m2 = 0.0f;
    for (int c = threadIdx.x; c < cols; c += 32) {
        float v = x[start + c] + r[start + c];
        float d = v - mean;
        count += 1.0f;
        mean += d / count;
        m2 += d * (v - mean);
    }
    for (int k = 1; k < 32; k *= 2) {
        float other = __shfl_xor_sync(0xffffffff, count, k);
        float d = __shfl_xor_sync(0xffffffff, mean, k) - mean;
        m2 += __shfl_xor_sync(0xffffffff, m2, k);
        float all = count + other;
        if (all > 0.0f) {
            mean += d * other / all;
            m2 += d * d * count * other / all;
        }
        count = all;
    }
    float f = rsqrtf(m2 / cols + eps);
    for (int c = threadIdx.x; c < cols; c += 32)
        y[start + c] = (x[start + c] + r[start + c] - mean) * f * weight[c];
}

extern "C" void launch(const float *x,       // [rows, cols]
                       const float *r,       // [rows, cols]
                       const float *weight,  // [cols]
                       float *y,             // [rows, cols]
                       float eps, int rows, int cols, cudaStream_t stream = 0)
{
    int blocks = (rows + 3) / 4;
    norm<<<blocks, dim3(32, 4), 0, stream>>>(x, r, weight, y, eps, rows, cols);
}
"""
)

NAN, INF = float("nan"), float("inf")
LENGTHS = (*range(1, 71), 95, 96, 97, 127, 128, 129, 191, 192, 193, 255, 256, 257, 383, 384)
LENGTHS += (385, 511, 512, 513, 1000, 1023, 1024, 1025, 2047, 2049, 4096, 4099, 4225)
SIDES = ((1, 1), (2, 1), (1, 2), (3, 2), (4, 31), (5, 32), (8, 33), (33, 8), (2, 64), (65, 3))
SIDES += ((9, 70), (70, 1), (3, 1000), (1, 4099), (64, 70), (130, 6), (40, 50), (32, 32))
SIDES += ((301, 2), (3, 129), (7, 128), (5, 63), (65, 65), (6, 6), (7, 10), (2, 130))
FLOAT, HALF, BFLOAT, WHOLE = (
    (torch.float32,),
    (torch.float16,),
    (torch.bfloat16,),
    (torch.int32,),
)


def three_frames(launcher: Launcher) -> Iterator[Case]:
    """Bend whole numbers, so that all is exact; NaN and infinities; slices of all kinds."""
    for n in (*LENGTHS, 9_001, 30_003):
        a, b, c = (whole(-999, 1000, n, 3 * n + k).float() for k in range(3))
        j = torch.arange(n)
        for label, u, v, w in (
            ("usual", a, b, c),
            ("still", a, a, a),
            ("NaN", a, torch.where(j % 4 == 3, NAN, b), c),
            ("infinities", a, b, torch.where(j % 5 == 2, -INF, c)),
        ):
            right = u.double() - 2 * v.double() + w.double()
            options = {"dtypes": FLOAT, "quick": n > 5000}
            yield Case(f"n = {n:,}, {label}", (u, v, w), (right,), **options)
            if n < 300 and label == "usual":
                slices = ((4, 4, 4, 4), (4, 4, 4, 1), (1, 4, 4, 4), (2, 2, 2, 2), (3, 3, 3, 3))
                for offsets in (*slices, (4, 2, 4, 4), (4, 4, 3, 4), (1, 3, 4, 4)):
                    options = {"dtypes": FLOAT, "offset": offsets}
                    words = f"n = {n:,}, slices from {offsets}"
                    yield Case(words, (u, v, w), (right,), **options)


def screened_halves(launcher: Launcher) -> Iterator[Case]:
    """Join halves of few bits, so that only the last step rounds; NaN; slices."""
    for n in (*LENGTHS, 9_001, 140_003):
        a, b = (whole(-99, 100, n, 2 * n + k) for k in range(2))
        j = torch.arange(n)
        for label, p, q in (
            ("usual", a / 8, b / 4),
            ("shares", a.abs() / 128, b.abs() / 128),
            ("with 0", a, b * 0),
            ("NaN", a, torch.where(j % 3 == 1, NAN, b.double())),
        ):
            p, q = p.half(), q.half()
            right = p.double() + q.double() - p.double() * q.double()
            for block_size in (128, 32):
                options = {"dtypes": HALF, "quick": n > 5000}
                words = f"n = {n:,}, block_size = {block_size}, {label}"
                yield Case(words, (p, q), (right,), {"block_size": block_size}, **options)
            if n < 300 and label == "usual":
                for offsets in ((2, 4, 6), (4, 2, 2)):
                    options = {"dtypes": HALF, "offset": offsets}
                    words = f"n = {n:,}, slices from {offsets}"
                    yield Case(words, (p, q), (right,), **options)


def halves_to_bytes(launcher: Launcher) -> Iterator[Case]:
    """Round halves to bytes: any, between two, beyond the range, infinities, NaN."""
    for n in (*LENGTHS, 9_001):
        x, j = whole(-999, 1000, n, n), torch.arange(n)
        for label, y in (
            ("any", x / 8),
            ("between two", x % 100 - 49.5),
            ("beyond the range", x * 8.0),
            ("infinities", torch.where(j % 3 == 1, INF * (1 - j % 2 * 2), x / 16)),
            ("NaN", torch.where(j % 3 == 1, NAN, x / 16)),
        ):
            y = y.half()
            for inv, block_size in ((1.0, 128), (0.5, 32)):
                right = (y.double() * inv).nan_to_num(0.0, INF, -INF).clamp(-127, 127).round()
                scalars = {"inv": inv, "block_size": block_size}
                options = {"dtypes": (torch.int8,), "quick": n > 5000}
                words = f"n = {n:,}, {scalars}, {label}"
                yield Case(words, (y,), (right,), scalars, **options)


def steps_to_metres(launcher: Launcher) -> Iterator[Case]:
    """Scale steps: any, near ones, far ones, with nothing seen; several scales."""
    for n in (*LENGTHS, 9_001, 10_241, 20_003):
        x, j = whole(1, 65_536, n, n), torch.arange(n)
        for label, y in (
            ("any", x),
            ("near", x % 2000 + 1),
            ("far", 65_535 - x % 20),
            ("nothing seen", torch.where(j % 3 == 1, 0, x)),
            ("nothing seen anywhere", x * 0),
        ):
            for scale in (0.125, 0.0009765625, 0.25):
                right = torch.where(y == 0, NAN, y.double() * scale)
                options = {"dtypes": HALF, "quick": n > 5000}
                words = f"n = {n:,}, scale = {scale}, {label}"
                inputs = (y.to(torch.uint16),)
                yield Case(words, inputs, (right,), {"scale": scale}, **options)


def logarithms_of_cosh(launcher: Launcher) -> Iterator[Case]:
    """Take usual, small, large numbers, zeros, infinities, NaN."""
    for n in (*LENGTHS, 9_001):
        x, j = whole(-999, 1000, n, n).float() / 128, torch.arange(n)
        for label, y in (
            ("usual", x),
            ("small", x / 64),
            ("large", x * 64),
            ("zeros", torch.where(j % 2 == 1, 0.0, x)),
            ("infinities", torch.where(j % 2 == 1, INF, -INF)),
            ("NaN", torch.where(j % 3 == 1, NAN, x)),
        ):
            z = y.double().abs()
            right = z + (-2 * z).exp().log1p() - torch.tensor(2.0).double().log()
            slack = ((2.0**-20 * right.abs() + 2.0**-21).nan_to_num(0.0, 0.0, 0.0),)
            for block_size in (256, 64):
                options = {"dtypes": FLOAT, "within": slack, "quick": n > 5000}
                words = f"n = {n:,}, block_size = {block_size}, {label}"
                yield Case(words, (y,), (right,), {"block_size": block_size}, **options)


def squares_of_relu(launcher: Launcher) -> Iterator[Case]:
    """Square halves: usual, those whose square is no half, zeros, infinities, NaN."""
    for n in (*LENGTHS, 9_001):
        x, j = whole(-999, 1000, n, n).float(), torch.arange(n)
        for label, y in (
            ("usual", x / 16),
            ("large", x),
            ("below 0", -x.abs() - 1),
            ("zeros", torch.where(j % 2 == 1, 0.0, x / 16)),
            ("infinities", torch.where(j % 3 == 1, INF * (1 - j % 2 * 2), x / 16)),
            ("NaN", torch.where(j % 3 == 1, NAN, x / 16)),
        ):
            y = y.half()
            z = y.double()
            right = torch.where(z <= 0, 0.0, z * z)
            yield Case(f"n = {n:,}, {label}", (y,), (right,), dtypes=HALF, quick=n > 5000)


def ways_of_signals(launcher: Launcher) -> Iterator[Case]:
    """Add steps of whole numbers, so that all is exact: any, up and down, the last alone.

    Short signals come after long ones, too.
    """
    for n in (*LENGTHS, 6_145, 9_001, 20_001, 77, 300):
        x, j = whole(-99, 100, n, n), torch.arange(n)
        for label, y in (
            ("any", x),
            ("up and down", j % 2 * 7),
            ("rising", j),
            ("level", x * 0 + 5),
            ("the last alone", torch.where(j == n - 1, 9, 2)),
        ):
            right = (y[1:] - y[:-1]).abs().sum().reshape(1)
            options = {"dtypes": FLOAT, "quick": n > 5000}
            yield Case(f"n = {n:,}, {label}", (y.float(),), (right,), **options)


def bits_that_differ(launcher: Launcher) -> Iterator[Case]:
    """Compare codes of all bits: any, equal, opposite ones, one bit of the last word."""
    bit = 2 ** torch.arange(32)
    for rows, cols in (*SIDES, (3, 2_001), (513, 3)):
        n = rows * cols
        x, c = whole(0, 2**32, n, n).reshape(rows, cols), torch.arange(cols)
        query = whole(0, 2**32, cols, n + 1)
        for label, y in (
            ("any", x),
            ("equal", query.expand(rows, cols)),
            ("opposite", (2**32 - 1 - query).expand(rows, cols)),
            ("one bit", (query ^ torch.where(c == cols - 1, 2**31, 0)).expand(rows, cols)),
        ):
            differ = y ^ query
            right = sum(((differ & b) != 0).long() for b in bit).sum(1)
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            inputs = tuple(z.contiguous().to(torch.uint32) for z in (y, query))
            yield Case(words, inputs, (right,), dtypes=WHOLE)


def strongest_shocks(launcher: Launcher) -> Iterator[Case]:
    """Find what is farthest from 0: of any numbers, few values, equal ones, zeros, the last."""
    for rows, cols in (*SIDES, (3, 2_001), (513, 3)):
        n = rows * cols
        x, c = whole(-250, 251, n, n).reshape(rows, cols), torch.arange(cols)
        for label, y in (
            ("any", x),
            ("few values", x % 5 - 2),
            ("equal", x * 0 - 7),
            ("zeros", x * 0),
            ("below 0", -x.abs() - 1),
            ("the last", torch.where(c == cols - 1, -5, x * 0)),
        ):
            size = y.abs()
            place = torch.where(size == size.amax(1, True), c, cols).amin(1)
            value = y.gather(1, place[:, None])[:, 0]
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y.bfloat16(),), (value, place), dtypes=(*BFLOAT, *WHOLE))


def sums_with_transposes(launcher: Launcher) -> Iterator[Case]:
    """Add transposes of whole numbers: any, rising ones; several factors."""
    for rows, cols in (*SIDES, (31, 200), (200, 31), (300, 1), (33, 65)):
        n = rows * cols
        b = whole(-999, 1000, n, n + 1).float().reshape(cols, rows)
        for label, x in (("any", whole(-999, 1000, n, n)), ("rising", torch.arange(n))):
            a = x.float().reshape(rows, cols)
            for alpha in (1.0, -2.0, 0.5):
                right = b.double() + alpha * a.double().T
                words = f"rows = {rows:,}, cols = {cols:,}, alpha = {alpha}, {label}"
                yield Case(words, (a, b), (right,), {"alpha": alpha}, dtypes=FLOAT)


def crossed_products(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole numbers, so that all is exact: any, the last row alone, a NaN."""
    sides = ((1, 1, 1), (2, 3, 1), (3, 2, 5), (16, 16, 16), (17, 16, 15), (5, 40, 33))
    sides += ((40, 5, 17), (33, 31, 70), (1, 70, 3), (70, 1, 100), (65, 20, 48), (20, 65, 31))
    for m, n, k in (*sides, (16, 16, 200), (3, 5, 1000), (32, 16, 32)):
        a = whole(-9, 10, m * k, m + k).reshape(k, m)
        b = whole(-9, 10, k * n, n + k).reshape(k, n)
        last = (torch.arange(k) == k - 1)[:, None]
        for label, p, q in (
            ("any", a, b),
            ("the last row alone", torch.where(last, a.abs() + 1, 0), b),
            ("NaN", torch.where(last & (torch.arange(m) == m // 2), NAN, a.double()), b),
        ):
            p, q = p.float(), q.float()
            words = f"m = {m}, n = {n}, k = {k}, {label}"
            yield Case(words, (p, q), (p.double().T @ q.double(),), dtypes=FLOAT)


def three_diagonals(launcher: Launcher) -> Iterator[Case]:
    """Multiply odd numbers, so that all is exact: any, two diagonals of 1, NaN."""
    for n in (*LENGTHS, 9_001):
        a, b, c, x = (whole(-99, 99, n, 4 * n + k).float() * 2 + 1 for k in range(4))
        j = torch.arange(n)
        for label, p, q, r, y in (
            ("any", a, b, c, x),
            ("from below", a, b * 0 + 1, c * 0 + 1, x),
            ("from above", a * 0 + 1, b * 0 + 1, c, x),
            ("NaN", a, b, c, torch.where(j % 64 == 63, NAN, x)),
        ):
            z = torch.nn.functional.pad(y.double(), (1, 1))
            right = p.double() * z[:-2] + q.double() * z[1:-1] + r.double() * z[2:]
            options = {"dtypes": FLOAT, "quick": n > 5000}
            yield Case(f"n = {n:,}, {label}", (p, q, r, y), (right,), **options)


def shares_with_bias(launcher: Launcher) -> Iterator[Case]:
    """Take shares: any, equal, far above and below 0, rising, falling ones, a mask."""
    for rows, cols in (*SIDES, (3, 2_001), (513, 3)):
        n = rows * cols
        x, c = whole(-40, 41, n, n).reshape(rows, cols) / 8.0, torch.arange(cols)
        bias = whole(-40, 41, cols, n + 1) / 16.0
        for label, y, b in (
            ("any", x, bias),
            ("equal", x * 0 + 3, bias * 0),
            ("far above 0", x + 1000, bias),
            ("far below 0", x - 1000, bias),
            ("rising", x * 0 + c / 4, bias),
            ("falling", x * 0, -c / 4.0),
            ("a mask", x, torch.where(c % 3 == 1, -INF, bias)),
        ):
            y, b = y.float(), b.float()
            right = (y.double() + b.double()).softmax(1)
            slack = (2.0**-16 * right + 1e-38,)
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y, b), (right,), dtypes=FLOAT, within=slack)


def normed_sums(launcher: Launcher) -> Iterator[Case]:
    """Norm whole numbers: any, about a large mean, one apart from all others, equal ones."""
    for rows, cols in (*SIDES, (3, 2_001), (129, 130)):
        n = rows * cols
        x, c = whole(-99, 100, n, n).reshape(rows, cols), torch.arange(cols)
        r = whole(-99, 100, n, n + 1).reshape(rows, cols)
        weight = whole(1, 17, cols, n + 2).float() / 8
        for label, y, z in (
            ("any", x, r),
            ("small", x / 1024, r / 1024),
            ("about 4,096", 4096 + x // 10, r // 10),
            ("one apart", torch.where(c == cols // 3, 1032, x * 0 + 1024), r * 0),
            ("equal", x * 0 + 5, r * 0 + 2),
            ("NaN", torch.where((x % 9 == 4) & (c == cols // 2), NAN, x.double()), r),
        ):
            y, z = y.float(), z.float()
            v = y.double() + z.double()
            d = v - v.mean(1, keepdim=True)
            for eps in (1e-5, 0.25):
                f = 1 / ((d * d).mean(1, keepdim=True) + eps).sqrt()
                right = d * f * weight.double()
                off = 2.0**-15 * right.abs() + 2.0**-20 * f * v.abs().amax(1, True) * 2
                slack = (off.nan_to_num(0.0),)
                words = f"rows = {rows:,}, cols = {cols:,}, eps = {eps}, {label}"
                inputs = (y, z, weight)
                yield Case(words, inputs, (right,), {"eps": eps}, dtypes=FLOAT, within=slack)


BASES = {
    "sixtythree_frames": Base(FRAMES, {"cases": three_frames}),
    "sixtythree_screen": Base(SCREEN, {"cases": screened_halves}),
    "sixtythree_quant": Base(QUANT, {"cases": halves_to_bytes}),
    "sixtythree_depth": Base(DEPTH, {"cases": steps_to_metres}),
    "sixtythree_logcosh": Base(LOGCOSH, {"cases": logarithms_of_cosh}),
    "sixtythree_relutwo": Base(RELUTWO, {"cases": squares_of_relu}),
    "sixtythree_variation": Base(VARIATION, {"cases": ways_of_signals}),
    "sixtythree_hamming": Base(HAMMING, {"cases": bits_that_differ}),
    "sixtythree_peak": Base(PEAK, {"cases": strongest_shocks}),
    "sixtythree_geam": Base(GEAM, {"cases": sums_with_transposes}),
    "sixtythree_crossed": Base(CROSSED, {"cases": crossed_products}),
    "sixtythree_tridiag": Base(TRIDIAG, {"cases": three_diagonals}),
    "sixtythree_biased": Base(BIASED, {"cases": shares_with_bias}),
    "sixtythree_welford": Base(WELFORD, {"cases": normed_sums}),
}

WRONG = (
    # ---- frames
    # The address of the result is not looked at.
    Wrong(
        "sixtythree_frames_out_anywhere",
        "sixtythree_frames",
        "alignment",
        (
            " && (uintptr_t)c % 16 == 0 &&\n               (uintptr_t)out % 16 == 0;",
            " && (uintptr_t)c % 16 == 0;",
        ),
    ),
    # Addresses are added before they are tested.
    Wrong(
        "sixtythree_frames_addresses_added",
        "sixtythree_frames",
        "alignment",
        (
            "(uintptr_t)a % 16 == 0 && (uintptr_t)b % 16 == 0 && (uintptr_t)c % 16 "
            "== 0 &&\n"
            "               (uintptr_t)out % 16 == 0;",
            "((uintptr_t)a + (uintptr_t)b + (uintptr_t)c + (uintptr_t)out) % 16 == 0;",
        ),
    ),
    # A pack is taken where it only begins inside.
    Wrong(
        "sixtythree_frames_last_pack_whole",
        "sixtythree_frames",
        "bounds / tail | unwritten",
        ("if (packs && i + 3 < n) {", "if (packs && i < n) {"),
    ),
    # What is left are three numbers at most, but all go this way where addresses are odd.
    Wrong(
        "sixtythree_frames_three_at_most",
        "sixtythree_frames",
        "unwritten / left out / tail / alignment | numbers / nan",
        ("j < i + 4; j++", "j < i + 3; j++"),
    ),
    # The second and third frame are swapped in one line.
    Wrong(
        "sixtythree_frames_line_swapped",
        "sixtythree_frames",
        "swapped / other element / function | numbers",
        ("o.z = bend(u.z, v.z, w.z);", "o.z = bend(u.z, w.z, v.z);"),
    ),
    # ---- screen
    # All is done in halves, each step of which rounds.
    Wrong(
        "sixtythree_screen_in_halves",
        "sixtythree_screen",
        "rounding / precision | numbers / tail",
        (
            "        float2 u = __half22float2(((const half2 *)a)[p]);\n"
            "        float2 v = __half22float2(((const half2 *)b)[p]);\n"
            "        ((half2 *)out)[p] = __floats2half2_rn(both(u.x, v.x), both(u.y, "
            "v.y));\n",
            "        half2 u = ((const half2 *)a)[p], v = ((const half2 *)b)[p];\n"
            "        ((half2 *)out)[p] = __hsub2(__hadd2(u, v), __hmul2(u, v));\n",
        ),
    ),
    # The last number of an odd count has no thread where pairs fill their blocks.
    Wrong(
        "sixtythree_screen_no_thread_for_last",
        "sixtythree_screen",
        "tail / unwritten / left out / grid | block size",
        ("int threads = (n + 1) / 2;", "int threads = n / 2 > 0 ? n / 2 : 1;"),
    ),
    # The result may lie anywhere.
    Wrong(
        "sixtythree_screen_out_anywhere",
        "sixtythree_screen",
        "alignment",
        ("half *out,      // [n] 4-byte aligned", "half *out,      // [n]"),
    ),
    # The number of a pair has 16 bits.
    Wrong(
        "sixtythree_screen_short_index",
        "sixtythree_screen",
        "narrow / unwritten / left out | tail / grid",
        ("    int p = blockIdx.x", "    unsigned short p = blockIdx.x"),
    ),
    # The last number is that before it.
    Wrong(
        "sixtythree_screen_last_but_one",
        "sixtythree_screen",
        "neighbour / tail / other element / bounds | numbers",
        (
            "both(__half2float(a[n - 1]), __half2float(b[n - 1]))",
            "both(__half2float(a[n - 1]), __half2float(b[n - 2]))",
        ),
    ),
    # ---- quant
    # The fraction is cut off.
    Wrong(
        "sixtythree_quant_cut_off",
        "sixtythree_quant",
        "rounding | numbers / precision / function",
        ("rintf(__half2float(x) * inv)", "truncf(__half2float(x) * inv)"),
    ),
    # What lies between two is rounded away from 0.
    Wrong(
        "sixtythree_quant_away_from_zero",
        "sixtythree_quant",
        "rounding | numbers",
        ("rintf(__half2float(x) * inv)", "roundf(__half2float(x) * inv)"),
    ),
    # The least is that of a byte.
    Wrong(
        "sixtythree_quant_least_of_byte",
        "sixtythree_quant",
        "whole range / infinity / function | numbers",
        ("if (v < -127.0f) v = -127.0f;", "if (v < -128.0f) v = -128.0f;"),
    ),
    # The first limit is missing, so that bytes wrap.
    Wrong(
        "sixtythree_quant_no_upper_limit",
        "sixtythree_quant",
        "whole range / infinity | numbers",
        ("  if (v > 127.0f) v = 127.0f;\n", ""),
        ("return isnan(v) ? 0 : (int8_t)v;", "return isnan(v) ? 0 : (int8_t)(int)v;"),
    ),
    # The rest has one thread.
    Wrong(
        "sixtythree_quant_one_for_rest",
        "sixtythree_quant",
        "tail / unwritten / left out / grid | block size",
        ("int threads = n / 4 + n % 4;", "int threads = (n + 3) / 4;"),
    ),
    # ---- depth
    # Steps are read with a sign.
    Wrong(
        "sixtythree_depth_with_sign",
        "sixtythree_depth",
        "whole range / function | numbers / narrow",
        ("ushort2 d = ((const ushort2 *)x)[p];", "short2 d = ((const short2 *)x)[p];"),
        ("float metres(unsigned short d, float scale)", "float metres(int d, float scale)"),
    ),
    # Steps become halves before they are scaled.
    Wrong(
        "sixtythree_depth_scaled_in_half",
        "sixtythree_depth",
        "rounding / precision / infinity | numbers / whole range",
        ("d * scale;", "__half2float(__float2half((float)d)) * scale;"),
    ),
    # What was not seen is 0.
    Wrong(
        "sixtythree_depth_zero_for_unseen",
        "sixtythree_depth",
        "function / nan | numbers",
        ("return d == 0 ? NAN : d * scale;", "return d * scale;"),
    ),
    # A thread goes on by pairs, and its step is twice too wide.
    Wrong(
        "sixtythree_depth_step_doubled",
        "sixtythree_depth",
        "unwritten / left out / grid | tail",
        ("p < n / 2; p += step)", "p < n / 2; p += 2 * step)"),
    ),
    # A thread has one pair, though blocks are 40 at most.
    Wrong(
        "sixtythree_depth_one_pair",
        "sixtythree_depth",
        "grid / unwritten / left out | tail",
        (
            "    for (int p = blockIdx.x * blockDim.x + threadIdx.x; p < n / 2; p += step) {\n",
            "    int p = blockIdx.x * blockDim.x + threadIdx.x;\n    if (p < n / 2) {\n",
        ),
        ("    int step = gridDim.x * blockDim.x;\n", ""),
    ),
    # ---- logcosh
    # The formula is written as it stands.
    Wrong(
        "sixtythree_logcosh_as_it_stands",
        "sixtythree_logcosh",
        "infinity / precision | numbers / subnormal",
        ("v + log1pf(expf(-2.0f * v)) - 0.69314718f;", "logf(coshf(v));"),
    ),
    # The exponent is not doubled.
    Wrong(
        "sixtythree_logcosh_not_doubled",
        "sixtythree_logcosh",
        "function | numbers / precision",
        ("expf(-2.0f * v)", "expf(-v)"),
    ),
    # Blocks are rounded down, but for one at least.
    Wrong(
        "sixtythree_logcosh_blocks_down",
        "sixtythree_logcosh",
        "tail / unwritten / grid / left out | block size",
        (
            "int blocks = (n + block_size - 1) / block_size;",
            "int blocks = n < block_size ? 1 : n / block_size;",
        ),
    ),
    # Blocks are taken for those of 256 threads.
    Wrong(
        "sixtythree_logcosh_blocks_of_256",
        "sixtythree_logcosh",
        "block size / unwritten | tail / left out / grid",
        ("blockIdx.x * blockDim.x", "blockIdx.x * 256"),
    ),
    # The sign is not taken off.
    Wrong(
        "sixtythree_logcosh_with_sign",
        "sixtythree_logcosh",
        "infinity / function | numbers / nan",
        ("fabsf(x[i])", "x[i]"),
    ),
    # ---- relutwo
    # A maximum with 0 is taken, which leaves no NaN.
    Wrong(
        "sixtythree_relutwo_nan_lost",
        "sixtythree_relutwo",
        "nan | numbers",
        (
            "    return v <= 0.0f ? 0.0f : v * v;\n",
            "    v = fmaxf(v, 0.0f);\n    return v * v;\n",
        ),
    ),
    # An odd count is a pair more.
    Wrong(
        "sixtythree_relutwo_pair_more",
        "sixtythree_relutwo",
        "bounds / tail | unwritten",
        ("if (i + 1 < n)", "if (i < n)"),
        ("else if (i < n)", "else if (i + 1 == n)"),
    ),
    # What ReLU leaves is stored to x on the way.
    Wrong(
        "sixtythree_relutwo_clipped_in_place",
        "sixtythree_relutwo",
        "input | numbers / state",
        (
            "float2 v = __half22float2(*(const half2 *)(x + i));",
            "float2 v = __half22float2(*(const half2 *)(x + i));\n"
            "        v.x = v.x < 0.0f ? 0.0f : v.x;\n"
            "        v.y = v.y < 0.0f ? 0.0f : v.y;\n"
            "        *(half2 *)(x + i) = __floats2half2_rn(v.x, v.y);",
        ),
    ),
    # Squares stay finite.
    Wrong(
        "sixtythree_relutwo_stays_finite",
        "sixtythree_relutwo",
        "infinity / whole range | numbers / function",
        ("v * v;", "(v > 255.0f ? 65025.0f : v * v);"),
    ),
    # The launch has no stream.
    Wrong(
        "sixtythree_relutwo_no_stream",
        "sixtythree_relutwo",
        "stream",
        ("192, 0, stream>>>", "192>>>"),
    ),
    # ---- variation
    # The second kernel has one part for each lane.
    Wrong(
        "sixtythree_variation_part_a_lane",
        "sixtythree_variation",
        "left out | numbers / grid / tail",
        (
            "for (int b = threadIdx.x; b < blocks; b += 32) sum += parts[b];",
            "int b = threadIdx.x;\n  if (b < blocks) sum = parts[b];",
        ),
    ),
    # All parts are added, those of an earlier call too.
    Wrong(
        "sixtythree_variation_all_parts",
        "sixtythree_variation",
        "state | numbers / start / twice / other element",
        ("b < blocks; b += 32)", "b < MOST; b += 32)"),
    ),
    # The tree has no barrier between its steps.
    Wrong(
        "sixtythree_variation_tree_no_barrier",
        "sixtythree_variation",
        "race | numbers / left out / other element",
        (
            "    if (t < h) s[t] += s[t + h];\n    __syncthreads();\n",
            "    if (t < h) s[t] += s[t + h];\n",
        ),
    ),
    # The last number has a neighbour behind it, too.
    Wrong(
        "sixtythree_variation_past_the_end",
        "sixtythree_variation",
        "bounds | numbers / tail",
        ("i < n - 1; i +=", "i < n; i +="),
    ),
    # The second launch has no stream.
    Wrong(
        "sixtythree_variation_finish_no_stream",
        "sixtythree_variation",
        "stream",
        ("finish<<<1, 32, 0, stream>>>", "finish<<<1, 32>>>"),
    ),
    # ---- hamming
    # Bits are counted that both have.
    Wrong(
        "sixtythree_hamming_of_both",
        "sixtythree_hamming",
        "function | numbers",
        ("words + w] ^ query[w]", "words + w] & query[w]"),
    ),
    # Lanes are added from the eighth on.
    Wrong(
        "sixtythree_hamming_from_eight",
        "sixtythree_hamming",
        "left out / other element | numbers",
        ("for (int d = 16;", "for (int d = 8;"),
    ),
    # Results are added to what lies there.
    Wrong(
        "sixtythree_hamming_added",
        "sixtythree_hamming",
        "zero before / state",
        ("out[row] = bits;", "atomicAdd(&out[row], bits);"),
    ),
    # Rows are not tested.
    Wrong(
        "sixtythree_hamming_row_untested",
        "sixtythree_hamming",
        "bounds | tail",
        ("    if (row >= rows)\n        return;\n", ""),
    ),
    # Words are taken for 16 bits.
    Wrong(
        "sixtythree_hamming_half_words",
        "sixtythree_hamming",
        "whole range / left out / narrow | numbers / function",
        (
            "__popc(codes[(size_t)row * words + w] ^ query[w])",
            "__popc((uint16_t)(codes[(size_t)row * words + w] ^ query[w]))",
        ),
    ),
    # ---- peak
    # The largest begins with 0, and rows of zeros have no place.
    Wrong(
        "sixtythree_peak_from_zero",
        "sixtythree_peak",
        "start / bounds | numbers / other element",
        ("float most = -1.0f;", "float most = 0.0f;"),
    ),
    # Of equal ones any place will do.
    Wrong(
        "sixtythree_peak_any_of_equal",
        "sixtythree_peak",
        "other element | numbers / race / left out / function",
        ("if (v > most || (v == most && c < at)) {", "if (v >= most) {"),
    ),
    # Thread 0 reads what warps may not have stored.
    Wrong(
        "sixtythree_peak_no_barrier",
        "sixtythree_peak",
        "race | numbers / left out / unwritten / bounds / other element",
        ("  __syncthreads();\n", ""),
    ),
    # The sign is not taken off.
    Wrong(
        "sixtythree_peak_with_sign",
        "sixtythree_peak",
        "function / start / bounds | numbers / other element / left out",
        ("float v = fabsf(__bfloat162float(row[c]));", "float v = __bfloat162float(row[c]);"),
    ),
    # The last warp is left out.
    Wrong(
        "sixtythree_peak_last_warp",
        "sixtythree_peak",
        "left out | numbers / tail / other element",
        ("w < T / 32; w++", "w < T / 32 - 1; w++"),
    ),
    # ---- geam
    # The pitch of the result is that of a.
    Wrong(
        "sixtythree_geam_pitch_of_a",
        "sixtythree_geam",
        "sides / bounds / other element / swapped | unwritten / race / left out",
        ("(size_t)d * rows + r;", "(size_t)d * cols + r;"),
    ),
    # The test of the result is that of a.
    Wrong(
        "sixtythree_geam_test_of_a",
        "sixtythree_geam",
        "sides / bounds / swapped / unwritten | left out / other element / race",
        ("if (d < cols && r < rows)", "if (d < rows && r < cols)"),
    ),
    # Rows of threads are taken for 16.
    Wrong(
        "sixtythree_geam_steps_of_16",
        "sixtythree_geam",
        "left out / unwritten / block size | race / tail / numbers / nan",
        (
            "    int r = blockIdx.y * S + threadIdx.x;\n"
            "    for (int j = threadIdx.y; j < S; j += Y) {",
            "    int r = blockIdx.y * S + threadIdx.x;\n"
            "    for (int j = threadIdx.y; j < S; j += 16) {",
        ),
    ),
    # Tiles are read while they are filled.
    Wrong(
        "sixtythree_geam_no_barrier",
        "sixtythree_geam",
        "race | numbers / left out / unwritten / other element / nan",
        ("    __syncthreads();\n", ""),
    ),
    # The factor is that of b.
    Wrong(
        "sixtythree_geam_factor_of_b",
        "sixtythree_geam",
        "function / swapped | numbers",
        ("b[at] + alpha * tile", "alpha * b[at] + tile"),
    ),
    # ---- crossed
    # The pitch of a is k.
    Wrong(
        "sixtythree_crossed_pitch_of_k",
        "sixtythree_crossed",
        "sides / bounds / other element / swapped | numbers / left out",
        ("a[(size_t)q * m + col]", "a[(size_t)q * k + col]"),
    ),
    # Tiles are read while they are filled.
    Wrong(
        "sixtythree_crossed_no_first_barrier",
        "sixtythree_crossed",
        "race | numbers / other element / left out / unwritten / nan",
        ("n + j] : 0.0f;\n    __syncthreads();\n", "n + j] : 0.0f;\n"),
    ),
    # Only whole tiles are looked at.
    Wrong(
        "sixtythree_crossed_whole_tiles",
        "sixtythree_crossed",
        "tail / left out | numbers / start / nan",
        ("p < k; p += S", "p + S <= k; p += S"),
    ),
    # Products are added to what lies there.
    Wrong(
        "sixtythree_crossed_added",
        "sixtythree_crossed",
        "zero before / state",
        ("c[(size_t)i * n + j] = sum;", "c[(size_t)i * n + j] += sum;"),
    ),
    # The tile of a is read as it is for a plain product.
    Wrong(
        "sixtythree_crossed_plain_product",
        "sixtythree_crossed",
        "other element / swapped / sides / function | numbers / left out",
        ("as[h][ty] * bs", "as[ty][h] * bs"),
    ),
    # ---- tridiag
    # The number before a block is its first one.
    Wrong(
        "sixtythree_tridiag_first_again",
        "sixtythree_tridiag",
        "neighbour / other element | numbers / nan",
        ("i > 0 ? x[i - 1]", "i > 0 ? x[i]"),
    ),
    # What is above is read a row too early.
    Wrong(
        "sixtythree_tridiag_up_of_before",
        "sixtythree_tridiag",
        "neighbour / bounds / other element | numbers",
        ("up[i] * xs[t + 2]", "up[i - 1] * xs[t + 2]"),
    ),
    # Threads read what others may not have stored.
    Wrong(
        "sixtythree_tridiag_no_barrier",
        "sixtythree_tridiag",
        "race | numbers / other element / left out / unwritten / nan",
        ("    __syncthreads();\n", ""),
    ),
    # The number behind a block is not tested.
    Wrong(
        "sixtythree_tridiag_behind_untested",
        "sixtythree_tridiag",
        "bounds | tail",
        ("xs[T + 1] = i + 1 < n ? x[i + 1] : 0.0f;", "xs[T + 1] = x[i + 1];"),
    ),
    # The outer diagonals are swapped.
    Wrong(
        "sixtythree_tridiag_outer_swapped",
        "sixtythree_tridiag",
        "swapped / other element / neighbour | numbers / function",
        ("low[i] * xs[t] +", "up[i] * xs[t] +"),
        ("up[i] * xs[t + 2]", "low[i] * xs[t + 2]"),
    ),
    # ---- biased
    # The largest begins with 0.
    Wrong(
        "sixtythree_biased_from_zero",
        "sixtythree_biased",
        "start / nan / infinity | numbers / precision / subnormal",
        ("float m = -FLT_MAX,", "float m = 0.0f,"),
    ),
    # The largest begins with an infinity, which is taken from itself.
    Wrong(
        "sixtythree_biased_from_infinity",
        "sixtythree_biased",
        "nan / infinity / start | numbers",
        ("float m = -FLT_MAX,", "float m = -INFINITY,"),
    ),
    # The sum is not made less when a larger number comes.
    Wrong(
        "sixtythree_biased_not_scaled",
        "sixtythree_biased",
        "function / left out | numbers / infinity / nan",
        ("s = s * expf(m - most) + expf(v - most);", "s += expf(v - most);"),
    ),
    # The last loop forgets the bias.
    Wrong(
        "sixtythree_biased_forgotten",
        "sixtythree_biased",
        "function / left out | numbers / infinity / nan",
        ("expf(from[c] + bias[c] - ms[0])", "expf(from[c] - ms[0])"),
    ),
    # The first step of the tree does not wait.
    Wrong(
        "sixtythree_biased_no_barrier",
        "sixtythree_biased",
        "race | numbers / left out / other element / unwritten / nan",
        ("  ss[t] = s;\n  __syncthreads();\n", "  ss[t] = s;\n"),
    ),
    # ---- welford
    # Lanes without a number are joined, too.
    Wrong(
        "sixtythree_welford_empty_lanes",
        "sixtythree_welford",
        "nan | numbers / sides / infinity",
        (
            "        if (all > 0.0f) {\n"
            "            mean += d * other / all;\n"
            "            m2 += d * d * count * other / all;\n"
            "        }\n",
            "        mean += d * other / all;\n        m2 += d * d * count * other / all;\n",
        ),
    ),
    # What lies between two means is not counted.
    Wrong(
        "sixtythree_welford_between_forgotten",
        "sixtythree_welford",
        "function / left out | numbers / precision",
        ("            m2 += d * d * count * other / all;\n", ""),
    ),
    # The variance is that of a sample.
    Wrong(
        "sixtythree_welford_one_less",
        "sixtythree_welford",
        "function | numbers / nan / infinity / sides / precision",
        ("rsqrtf(m2 / cols + eps)", "rsqrtf(m2 / (cols - 1) + eps)"),
    ),
    # The sum is kept where x lies, for the last loop.
    Wrong(
        "sixtythree_welford_sum_in_place",
        "sixtythree_welford",
        "input | numbers / state",
        (
            "        float d = v - mean;\n        count",
            "        ((float *)x)[start + c] = v;\n        float d = v - mean;\n        count",
        ),
        ("(x[start + c] + r[start + c] - mean)", "(x[start + c] - mean)"),
    ),
    # Blocks are rounded down, but for one at least.
    Wrong(
        "sixtythree_welford_blocks_down",
        "sixtythree_welford",
        "grid / tail / unwritten / left out | sides / numbers",
        ("int blocks = (rows + 3) / 4;", "int blocks = rows < 4 ? 1 : rows / 4;"),
    ),
)

RIGHT = (
    # Packs are copied by memcpy, wherever they lie.
    Right(
        "sixtythree_frames_by_memcpy",
        "sixtythree_frames",
        (
            "    float4 u = *(const float4*)(a + i);\n"
            "    float4 v = *(const float4*)(b + i);\n"
            "    float4 w = *(const float4*)(c + i);\n"
            "    float4 o;\n",
            "    float u[4], v[4], w[4], o[4];\n"
            "    memcpy(u, a + i, 16);\n"
            "    memcpy(v, b + i, 16);\n"
            "    memcpy(w, c + i, 16);\n",
        ),
        (
            "    o.x = bend(u.x, v.x, w.x);\n"
            "    o.y = bend(u.y, v.y, w.y);\n"
            "    o.z = bend(u.z, v.z, w.z);\n"
            "    o.w = bend(u.w, v.w, w.w);\n"
            "    *(float4*)(out + i) = o;\n",
            "    for (int k = 0; k < 4; k++) o[k] = bend(u[k], v[k], w[k]);\n"
            "    memcpy(out + i, o, 16);\n",
        ),
        (
            "  bool packs = (uintptr_t)a % 16 == 0 && (uintptr_t)b % 16 == 0 && "
            "(uintptr_t)c % 16 == 0 &&\n"
            "               (uintptr_t)out % 16 == 0;\n",
            "  bool packs = true;\n",
        ),
    ),
    # What is missing to 1 is multiplied, in doubles, which hold all of it.
    Right(
        "sixtythree_screen_of_what_is_missing",
        "sixtythree_screen",
        (
            "__device__ float both(float a, float b)\n{\n    return a + b - a * b;",
            "__device__ double both(double a, double b)\n"
            "{\n"
            "    return 1.0 - (1.0 - a) * (1.0 - b);",
        ),
        (
            "__floats2half2_rn(both(u.x, v.x), both(u.y, v.y))",
            "__halves2half2(__double2half(both(u.x, v.x)),\n"
            "                                           __double2half(both(u.y, v.y)))",
        ),
        (
            "__float2half(both(__half2float(a[n - 1]), __half2float(b[n - 1])))",
            "__double2half(both(__half2float(a[n - 1]), __half2float(b[n - 1])))",
        ),
    ),
    # One instruction rounds, makes 0 of NaN and stays in range; integers are limited.
    Right(
        "sixtythree_quant_by_integers",
        "sixtythree_quant",
        (
            "  float v = rintf(__half2float(x) * inv);\n"
            "  if (v > 127.0f) v = 127.0f;\n"
            "  if (v < -127.0f) v = -127.0f;\n"
            "  return isnan(v) ? 0 : (int8_t)v;\n",
            "  return max(-127, min(127, __float2int_rn(__half2float(x) * inv)));\n",
        ),
    ),
    # Threads take the pairs from their end, and the last block has the last number.
    Right(
        "sixtythree_depth_from_the_end",
        "sixtythree_depth",
        (
            "        ushort2 d = ((const ushort2 *)x)[p];\n        ((half2 *)y)[p] =",
            "        int q = n / 2 - 1 - p;\n"
            "        ushort2 d = ((const ushort2 *)x)[q];\n"
            "        ((half2 *)y)[q] =",
        ),
        ("blockIdx.x == 0 &&", "blockIdx.x == gridDim.x - 1 &&"),
    ),
    # Neighbours in a block are far apart in the array.
    Right(
        "sixtythree_logcosh_dealt_out",
        "sixtythree_logcosh",
        (
            "int i = blockIdx.x * blockDim.x + threadIdx.x;",
            "int i = threadIdx.x * gridDim.x + blockIdx.x;",
        ),
    ),
    # A maximum that keeps NaN, and a product of halves.
    Right(
        "sixtythree_relutwo_in_halves",
        "sixtythree_relutwo",
        (
            "        float2 v = __half22float2(*(const half2 *)(x + i));\n"
            "        *(half2 *)(y + i) = __floats2half2_rn(square(v.x), square(v.y));\n",
            "        half2 v = __hmax2_nan(*(const half2 *)(x + i), "
            "__float2half2_rn(0.0f));\n"
            "        *(half2 *)(y + i) = __hmul2(v, v);\n",
        ),
    ),
    # The launcher sets the result to 0, and blocks add to it.
    Right(
        "sixtythree_variation_memset",
        "sixtythree_variation",
        ("__device__ float parts[MOST];\n\n", ""),
        (
            "variation(const float* x, int n) {",
            "variation(const float* x, float* out, int n) {",
        ),
        ("if (t == 0) parts[blockIdx.x] = s[0];", "if (t == 0) atomicAdd(out, s[0]);"),
        (
            "__global__ void finish(float* out, int blocks) {\n"
            "  float sum = 0.0f;\n"
            "  for (int b = threadIdx.x; b < blocks; b += 32) sum += parts[b];\n"
            "  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, "
            "sum, d);\n"
            "  if (threadIdx.x == 0) *out = sum;\n"
            "}\n"
            "\n",
            "",
        ),
        (
            "  variation<<<blocks, T, 0, stream>>>(x, n);\n"
            "  finish<<<1, 32, 0, stream>>>(out, blocks);\n",
            "  cudaMemsetAsync(out, 0, sizeof(float), stream);\n"
            "  variation<<<blocks, T, 0, stream>>>(x, out, n);\n",
        ),
    ),
    # One instruction adds the lanes, and the last one stores.
    Right(
        "sixtythree_hamming_one_instruction",
        "sixtythree_hamming",
        (
            "    for (int d = 16; d > 0; d /= 2)\n"
            "        bits += __shfl_down_sync(0xffffffff, bits, d);\n"
            "    if (lane == 0)",
            "    bits = __reduce_add_sync(0xffffffff, bits);\n    if (lane == 31)",
        ),
    ),
    # One thread of the block goes through warps from the last, and equal ones give way.
    Right(
        "sixtythree_peak_warps_from_last",
        "sixtythree_peak",
        (
            "  if (t > 0) return;\n"
            "  for (int w = 1; w < T / 32; w++) {\n"
            "    if (vs[w] > most || (vs[w] == most && ats[w] < at)) {",
            "  if (t < T - 1) return;\n"
            "  most = vs[0];\n"
            "  at = ats[0];\n"
            "  for (int w = T / 32 - 1; w > 0; w--) {\n"
            "    if (vs[w] > most || (vs[w] == most && ats[w] < at)) {",
        ),
    ),
    # There is no tile: each thread reads where its number lies.
    Right(
        "sixtythree_geam_no_tile",
        "sixtythree_geam",
        (
            "    __shared__ float tile[S][S + 1];\n"
            "    int c = blockIdx.x * S + threadIdx.x;\n"
            "    for (int j = threadIdx.y; j < S; j += Y) {\n"
            "        int r = blockIdx.y * S + j;\n"
            "        if (r < rows && c < cols)\n"
            "            tile[j][threadIdx.x] = a[(size_t)r * cols + c];\n"
            "    }\n"
            "    __syncthreads();\n",
            "",
        ),
        ("alpha * tile[threadIdx.x][j];", "alpha * a[(size_t)r * cols + d];"),
    ),
    # Two tiles take turns, so that one barrier a step is enough.
    Right(
        "sixtythree_crossed_two_tiles",
        "sixtythree_crossed",
        ("as[S][S], bs[S][S];", "tiles[2][2][S][S];"),
        (
            "    int q = p + ty;\n",
            "    int q = p + ty;\n"
            "    float(*as)[S] = tiles[p / S % 2][0], (*bs)[S] = tiles[p / S % 2][1];\n",
        ),
        ("bs[h][tx];\n    __syncthreads();\n", "bs[h][tx];\n"),
    ),
    # There is no shared memory: the cache has the neighbours.
    Right(
        "sixtythree_tridiag_no_tile",
        "sixtythree_tridiag",
        ("    __shared__ float xs[T + 2];\n", ""),
        (
            "    xs[t + 1] = i < n ? x[i] : 0.0f;\n"
            "    if (t == 0)\n"
            "        xs[0] = i > 0 ? x[i - 1] : 0.0f;\n"
            "    if (t == T - 1)\n"
            "        xs[T + 1] = i + 1 < n ? x[i + 1] : 0.0f;\n"
            "    __syncthreads();\n"
            "    if (i < n)\n"
            "        y[i] = low[i] * xs[t] + diag[i] * xs[t + 1] + up[i] * xs[t + 2];\n",
            "    if (i >= n)\n"
            "        return;\n"
            "    float sum = diag[i] * x[i];\n"
            "    if (i > 0)\n"
            "        sum += low[i] * x[i - 1];\n"
            "    if (i < n - 1)\n"
            "        sum += up[i] * x[i + 1];\n"
            "    y[i] = sum;\n",
        ),
    ),
    # The tree goes from neighbours to those who are far apart.
    Right(
        "sixtythree_biased_tree_from_neighbours",
        "sixtythree_biased",
        (
            "for (int h = T / 2; h > 0; h /= 2) {\n    if (t < h) {",
            "for (int h = 1; h < T; h *= 2) {\n    if (t % (2 * h) == 0) {",
        ),
    ),
    # Each lane goes through its columns from the last one.
    Right(
        "sixtythree_welford_from_the_last",
        "sixtythree_welford",
        (
            "    for (int c = threadIdx.x; c < cols; c += 32) {\n        float v",
            "    for (int c = cols - 1 - threadIdx.x; c >= 0; c -= 32) {\n        float v",
        ),
    ),
)
