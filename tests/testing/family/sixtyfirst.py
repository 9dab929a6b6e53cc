"""Hold a sixty-first family: kernels of half a year's practice, and their plainest mistakes.

Its bases are the energy of masses, the middle of three frames, bfloat16 to bytes with a sign,
numbers of four bits to halves, (x + sqrt(x * x + b)) / 2, x bent about 0, the area below lines,
the bits in which rows differ from a key, the peak of each column and its first row, results of
integers that are turned and get a scale, covariances about given means, a symmetric Toeplitz
matrix times a vector, softmax with a slope over the columns, and layer norm with 1 + scale and
a shift. They have 19 to 41 lines, and are of people with half a year of CUDA: one who teaches
mechanics, one who cuts films, one who keeps old answers small, one who runs models at home, a
reader of a paper, one who collects activations, one who measures curves, one who finds copies
of photos, one who reads spectra, one who multiplies in integers, a student of portfolios, one
who predicts signals, a reader of a paper on positions and one who makes pictures of noise. They
use float4 with a thread a number for the rest, half2 in a loop where the launcher finds that
all addresses allow it, two pairs and a char4 with one thread for the rest, a uchar4 and four
pairs of halves, one number a thread, pairs in a loop with the last number by the first thread,
parts by a tree and their sum by a second kernel, a warp a row with eight rows a block, eight
threads a column, tiles of 32 and of 16, parts of a vector in shared memory, a maximum and a sum
that grow together with a tree, and Welford's means that lanes merge. Their mistakes are spread
over alignment, sizes, grids and integers of 8 and 16 bits, values, rounding, NaN and infinity,
inputs that are written, sums, transposes, products, order, streams and what is left of an
earlier call. The causes were written before a member was judged. On the emulator each ran
beside PyTorch, compared as a case does, called twice on the same tensors, with NaN and with 1e3
in floating outputs (-1 and 77 in others), with tensors at either end of their pages, with
inputs that cannot be written, on a stream that is not the default one, with threads in order,
from the last to the first and in a random order, and in the slices that the cases name. Bases
and right ones ran as many cases as a few seconds reach from either end; wrong ones until they
were wrong often enough. Of those that lack a barrier not each is wrong in every order of
threads. nvcc 13.0 compiles each for 8.0, all members of a base in one file; none was run on a
GPU. Bases and right ones are right, and all others wrong or refused by a fault:

    sixtyone_energy_h_anywhere          from 4 numbers on, by the address of h
    sixtyone_energy_one_of_rest         if 4 leaves 2 or 3, and blocks have no thread more
    sixtyone_energy_64_blocks           beyond 256 times the block size, about
    sixtyone_energy_half_of_integers    unless m or v is 0
    sixtyone_energy_copied_line         from 4 numbers on, unless heights are equal
    sixtyone_frames_out_unasked         from 2 numbers on, if out alone is at an odd place
    sixtyone_frames_two_bytes           from 2 numbers on, if one is at an odd place
    sixtyone_frames_sum_in_half         of pairs, if a sum is rounded or no half
    sixtyone_frames_all_done            of odd counts, where pairs are taken
    sixtyone_frames_middle_first        unless a and b are equal
    sixtyone_toint8_half_added          halfway between two, if the lower one is even
    sixtyone_toint8_no_lower_limit      below -127.5
    sixtyone_toint8_nan_is_least        of NaN
    sixtyone_toint8_pairs_turned        from 4 numbers on, unless pairs are equal
    sixtyone_toint8_y_anywhere          from 4 numbers on, by the address of y
    sixtyone_nibbles_high_first         unless both are equal
    sixtyone_nibbles_signed             of bytes from 128 on
    sixtyone_nibbles_whole_fours        if 4 does not divide the bytes
    sixtyone_nibbles_scale_in_half      if the scale is no half
    sixtyone_nibbles_no_stream          on another stream than the default one
    sixtyone_squareplus_cancels         far below 0
    sixtyone_squareplus_plain_root      from about 1.8e19 on
    sixtyone_squareplus_b_squared       unless b is 1
    sixtyone_squareplus_grid_for_block  from 2 blocks on
    sixtyone_squareplus_nan_is_zero     of NaN
    sixtyone_bent_root_in_bfloat        of most numbers that are neither small nor large
    sixtyone_bent_step_of_256           beyond 48 times a block size that is below 256
    sixtyone_bent_bracket_too_late      of all but large ones
    sixtyone_bent_last_in_place         of odd counts: x is overwritten, y is not written
    sixtyone_bent_y_anywhere            from 2 numbers on, by the address of y
    sixtyone_trapez_n_lines             always
    sixtyone_trapez_all_parts           from a larger call to a later, smaller one
    sixtyone_trapez_no_barrier          where threads or warps do not wait for another
    sixtyone_trapez_no_half             unless the area is 0
    sixtyone_trapez_second_no_stream    on another stream than the default one
    sixtyone_hamming_one_row_more       unless 8 divides the rows
    sixtyone_hamming_step_of_16         from 17 columns on
    sixtyone_hamming_byte_count         of sums from 256 on
    sixtyone_hamming_odd_lanes          from 2 columns on
    sixtyone_hamming_key_of_lane        from 33 columns on
    sixtyone_peaks_from_flt_min         of columns without a number above 1.2e-38
    sixtyone_peaks_no_barrier           from 2 rows on, where warps do not wait for another
    sixtyone_peaks_last_of_equal        if equal peaks are a multiple of 8 rows apart
    sixtyone_peaks_four_of_eight        from 5 rows on
    sixtyone_peaks_whole_groups         if 32 does not divide the columns
    sixtyone_unscale_scale_of_row       from 2 rows or columns on
    sixtyone_unscale_no_barrier         where threads do not wait for another
    sixtyone_unscale_short_tile         beyond 16 bits
    sixtyone_unscale_turned_test        unless rows are as many as columns
    sixtyone_unscale_every_other_eight  from 9 rows on
    sixtyone_cov_by_all_rows            unless the sum is 0
    sixtyone_cov_one_barrier            from 17 rows on, where warps do not wait
    sixtyone_cov_zero_less_mean         if 16 does not divide the rows
    sixtyone_cov_one_mean               from 2 columns on, unless means are equal
    sixtyone_cov_upper_alone            from 2 columns on
    sixtyone_toeplitz_no_abs            from 2 numbers on
    sixtyone_toeplitz_gone_too_early    if 128 does not divide n, from 129 numbers on
    sixtyone_toeplitz_whole_parts       if 128 does not divide n
    sixtyone_toeplitz_one_barrier       from 129 numbers on, where warps do not wait
    sixtyone_toeplitz_added             unless y was 0 before
    sixtyone_alibi_from_zero            of rows that are far below 0
    sixtyone_alibi_slope_once           from 2 columns on
    sixtyone_alibi_sum_stays            from 2 columns on, unless the largest stays
    sixtyone_alibi_no_barrier           from 2 columns on, where threads do not wait
    sixtyone_alibi_in_place             always: x is overwritten
    sixtyone_modulate_equal_counts      if 32 does not divide the columns
    sixtyone_modulate_of_sample         always, but for large numbers of columns
    sixtyone_modulate_no_distance       from 2 columns on
    sixtyone_modulate_rows_in_y         from 65,536 rows on
    sixtyone_modulate_no_stream         on another stream than the default one
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import whole

# One who teaches mechanics: m * (v * v / 2 + g * h), float4 a thread, then a thread a number.
ENERGY = (
    HEADER
    + """\
__device__ float energy(float m, float v, float h, float g) {
  return m * (0.5f * v * v + g * h);
}

__global__ void energies(const float* m, const float* v, const float* h, float* e, float g,
                         int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  int packs = n / 4;
  if (t < packs) {
    float4 a = ((const float4*)m)[t];
    float4 b = ((const float4*)v)[t];
    float4 c = ((const float4*)h)[t];
    float4 o;
    o.x = energy(a.x, b.x, c.x, g);
    o.y = energy(a.y, b.y, c.y, g);
    o.z = energy(a.z, b.z, c.z, g);
    o.w = energy(a.w, b.w, c.w, g);
    ((float4*)e)[t] = o;
    return;
  }
  int i = 4 * packs + (t - packs);
  if (i < n) e[i] = energy(m[i], v[i], h[i], g);
}

extern "C" void launch(const float* m,  // [n] 16-byte aligned
                       const float* v,  // [n] 16-byte aligned
                       const float* h,  // [n] 16-byte aligned
                       float* e,        // [n] 16-byte aligned
                       float g, int n, int block_size = 128, cudaStream_t stream = 0) {
  int threads = n / 4 + n % 4;
  int blocks = (threads + block_size - 1) / block_size;
  energies<<<blocks, block_size, 0, stream>>>(m, v, h, e, g, n);
}
"""
)

# One who cuts films: (a + 2 b + c) / 4 of three frames, half2 where all addresses allow it.
FRAMES = (
    HEADER
    + """\
__device__ float middle(float a, float b, float c)
{
    return 0.25f * (a + 2.0f * b + c);
}

__global__ void smooth(const half *a, const half *b, const half *c, half *out, int n,
                       bool pairs)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int step = gridDim.x * blockDim.x;
    int done = 0;
    if (pairs) {
        for (int p = t; p < n / 2; p += step) {
            float2 u = __half22float2(((const half2 *)a)[p]);
            float2 v = __half22float2(((const half2 *)b)[p]);
            float2 w = __half22float2(((const half2 *)c)[p]);
            ((half2 *)out)[p] = __floats2half2_rn(middle(u.x, v.x, w.x),
                                                  middle(u.y, v.y, w.y));
        }
        done = n / 2 * 2;
    }
    for (int i = done + t; i < n; i += step)
        out[i] = __float2half(middle(__half2float(a[i]), __half2float(b[i]),
                                     __half2float(c[i])));
}

extern "C" void launch(const half *a,  // [n]
                       const half *b,  // [n]
                       const half *c,  // [n]
                       half *out,      // [n]
                       int n, cudaStream_t stream = 0)
{
    uintptr_t all = (uintptr_t)a | (uintptr_t)b | (uintptr_t)c | (uintptr_t)out;
    int blocks = (n + 255) / 256;
    if (blocks > 48)
        blocks = 48;
    smooth<<<blocks, 128, 0, stream>>>(a, b, c, out, n, all % 4 == 0);
}
"""
)

# One who keeps old answers small: bfloat16 to bytes with a sign, four a thread; NaN is 0.
TOINT8 = (
    HEADER
    + """\
__device__ signed char quantum(__nv_bfloat16 x, float steps) {
  float v = rintf(__bfloat162float(x) * steps);
  if (isnan(v)) return 0;
  v = fminf(fmaxf(v, -127.0f), 127.0f);
  return (signed char)v;
}

__global__ void to_bytes(const __nv_bfloat16* x, int8_t* y, float steps, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  int packs = n / 4;
  if (t < packs) {
    __nv_bfloat162 a = ((const __nv_bfloat162*)x)[2 * t];
    __nv_bfloat162 b = ((const __nv_bfloat162*)x)[2 * t + 1];
    ((char4*)y)[t] = make_char4(quantum(a.x, steps), quantum(a.y, steps),
                                quantum(b.x, steps), quantum(b.y, steps));
  }
  if (t == packs) {
    for (int i = 4 * packs; i < n; i++) y[i] = quantum(x[i], steps);
  }
}

extern "C" void launch(const __nv_bfloat16* x,  // [n] 4-byte aligned
                       int8_t* y,               // [n] 4-byte aligned
                       float steps, int n, int block_size = 192, cudaStream_t stream = 0) {
  int blocks = n / 4 / block_size + 1;
  to_bytes<<<blocks, block_size, 0, stream>>>(x, y, steps, n);
}
"""
)

# One who runs models at home: two numbers of four bits a byte become halves, with a scale.
NIBBLES = (
    HEADER
    + """\
__device__ half2 both(uint8_t b, float scale)
{
    int low = (b & 15) - 8;
    int high = (b >> 4) - 8;
    return __floats2half2_rn(scale * low, scale * high);
}

__global__ void unpack(const uint8_t *x, half *y, float scale, int k)
{
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    half2 *to = (half2 *)y;
    if (first + 3 < k) {
        uchar4 b = *(const uchar4 *)(x + first);
        to[first] = both(b.x, scale);
        to[first + 1] = both(b.y, scale);
        to[first + 2] = both(b.z, scale);
        to[first + 3] = both(b.w, scale);
    } else {
        while (first < k) {
            to[first] = both(x[first], scale);
            first++;
        }
    }
}

extern "C" void launch(const uint8_t *x,  // [k] 4-byte aligned
                       half *y,           // [k, 2] 4-byte aligned
                       float scale, int k, int block_size = 64, cudaStream_t stream = 0)
{
    int threads = (k + 3) / 4;
    int blocks = (threads + block_size - 1) / block_size;
    unpack<<<blocks, block_size, 0, stream>>>(x, y, scale, k);
}
"""
)

# A reader of a paper: (x + sqrt(x * x + b)) / 2, of negative x by the other root; one a thread.
SQUAREPLUS = (
    HEADER
    + """\
__device__ float squareplus(float x, float b) {
  float r = hypotf(x, sqrtf(b));
  if (x < 0.0f) return 0.5f * b / (r - x);
  return 0.5f * (x + r);
}

__global__ void activate(const float* x, float* y, float b, int64_t n) {
  int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = squareplus(x[i], b);
  }
}

extern "C" void launch(const float* x,  // [n]
                       float* y,        // [n]
                       float b, int64_t n, int block_size = 256, cudaStream_t stream = 0) {
  int64_t blocks = (n + block_size - 1) / block_size;
  activate<<<blocks, block_size, 0, stream>>>(x, y, b, n);
}
"""
)

# One who collects activations: x + (sqrt(x * x + 1) - 1) / 2 of bfloat16, pairs in a loop.
BENT = (
    HEADER
    + """\
__device__ float bent(float v)
{
    return v + (hypotf(v, 1.0f) - 1.0f) / 2.0f;
}

__global__ void bend(const __nv_bfloat16 *x, __nv_bfloat16 *y, int n)
{
    const __nv_bfloat162 *from = (const __nv_bfloat162 *)x;
    __nv_bfloat162 *to = (__nv_bfloat162 *)y;
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int step = blockDim.x * gridDim.x;
    for (int p = t; p < n / 2; p += step) {
        float2 v = __bfloat1622float2(from[p]);
        to[p] = __floats2bfloat162_rn(bent(v.x), bent(v.y));
    }
    if (t == 0 && (n & 1))
        y[n - 1] = __float2bfloat16(bent(__bfloat162float(x[n - 1])));
}

extern "C" void launch(const __nv_bfloat16 *x,  // [n] 4-byte aligned
                       __nv_bfloat16 *y,        // [n] 4-byte aligned
                       int n, int block_size = 128, cudaStream_t stream = 0)
{
    int blocks = (n + 2 * block_size - 1) / (2 * block_size);
    bend<<<blocks < 24 ? blocks : 24, block_size, 0, stream>>>(x, y, n);
}
"""
)

# One who measures curves: the area below lines between points, parts and then their sum.
TRAPEZ = (
    HEADER
    + """\
#define T 256
#define MOST 32

__device__ double parts[MOST];

__global__ void areas(const float* x, const float* y, int n) {
  __shared__ double s[T];
  double sum = 0;
  for (int i = blockIdx.x * T + threadIdx.x; i < n - 1; i += gridDim.x * T)
    sum += ((double)x[i + 1] - x[i]) * ((double)y[i + 1] + y[i]);
  s[threadIdx.x] = sum;
  __syncthreads();
  for (int h = T / 2; h > 0; h >>= 1) {
    if (threadIdx.x < h) s[threadIdx.x] += s[threadIdx.x + h];
    __syncthreads();
  }
  if (threadIdx.x == 0) parts[blockIdx.x] = s[0];
}

__global__ void finish(double* area, int count) {
  double sum = threadIdx.x < count ? parts[threadIdx.x] : 0.0;
  for (int d = 16; d > 0; d >>= 1) sum += __shfl_down_sync(0xffffffff, sum, d);
  if (threadIdx.x == 0) *area = 0.5 * sum;
}

extern "C" void launch(const float* x,  // [n]
                       const float* y,  // [n]
                       double* area,    // [1]
                       int n, cudaStream_t stream = 0) {
  int blocks = (n + T - 1) / T;
  if (blocks > MOST) blocks = MOST;
  areas<<<blocks, T, 0, stream>>>(x, y, n);
  finish<<<1, MOST, 0, stream>>>(area, blocks);
}
"""
)

# One who finds copies of photos: in how many bits each row differs from a key, a warp a row.
HAMMING = (
    HEADER
    + """\
__global__ void distances(const int *x, const int *key, int *out, int rows, int cols)
{
    int lane = threadIdx.x;
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows)
        return;
    const int *mine = x + (size_t)row * cols;
    int bits = 0;
    for (int c = lane; c < cols; c += 32)
        bits += __popc(mine[c] ^ key[c]);
    for (int d = 16; d >= 1; d /= 2)
        bits += __shfl_down_sync(0xffffffff, bits, d);
    if (lane == 0)
        out[row] = bits;
}

extern "C" void launch(const int *x,    // [rows, cols]
                       const int *key,  // [cols]
                       int *out,        // [rows]
                       int rows, int cols, cudaStream_t stream = 0)
{
    dim3 block(32, 8);
    distances<<<(rows + 7) / 8, block, 0, stream>>>(x, key, out, rows, cols);
}
"""
)

# One who reads spectra: the peak of each column and the first row that has it.
PEAKS = (
    HEADER
    + """\
#define X 32
#define Y 8

__global__ void peaks(const float* x, float* value, int* place, int rows, int cols) {
  __shared__ float vs[Y][X];
  __shared__ int ats[Y][X];
  int c = blockIdx.x * X + threadIdx.x;
  float v = -INFINITY;
  int at = rows;
  if (c < cols) {
    for (int r = threadIdx.y; r < rows; r += Y) {
      float w = x[(size_t)r * cols + c];
      if (w > v || at == rows) {
        v = w;
        at = r;
      }
    }
  }
  vs[threadIdx.y][threadIdx.x] = v;
  ats[threadIdx.y][threadIdx.x] = at;
  __syncthreads();
  if (threadIdx.y == 0 && c < cols) {
    for (int k = 1; k < Y; k++) {
      float w = vs[k][threadIdx.x];
      int where = ats[k][threadIdx.x];
      if (w > v || (w == v && where < at)) {
        v = w;
        at = where;
      }
    }
    value[c] = v;
    place[c] = at;
  }
}

extern "C" void launch(const float* x,  // [rows, cols]
                       float* value,    // [cols]
                       int* place,      // [cols]
                       int rows, int cols, cudaStream_t stream = 0) {
  peaks<<<(cols + X - 1) / X, dim3(X, Y), 0, stream>>>(x, value, place, rows, cols);
}
"""
)

# One who multiplies in integers: results are turned, and each column has a scale.
UNSCALE = (
    HEADER
    + """\
#define S 32
#define Y 8

__global__ void unscale(const int *in, const float *scale, float *out, int rows, int cols)
{
    __shared__ int tile[S][S + 1];
    int c0 = blockIdx.x * S, r0 = blockIdx.y * S;
    for (int j = threadIdx.y; j < S; j += Y) {
        int r = r0 + j, c = c0 + threadIdx.x;
        if (r < rows && c < cols)
            tile[j][threadIdx.x] = in[(size_t)r * cols + c];
    }
    __syncthreads();
    for (int j = threadIdx.y; j < S; j += Y) {
        int r = r0 + threadIdx.x, c = c0 + j;
        if (r < rows && c < cols)
            out[(size_t)c * rows + r] = tile[threadIdx.x][j] * scale[c];
    }
}

extern "C" void launch(const int *in,       // [rows, cols]
                       const float *scale,  // [cols]
                       float *out,          // [cols, rows]
                       int rows, int cols, cudaStream_t stream = 0)
{
    dim3 grid((cols + S - 1) / S, (rows + S - 1) / S);
    unscale<<<grid, dim3(S, Y), 0, stream>>>(in, scale, out, rows, cols);
}
"""
)

# A student of portfolios: covariances of columns about given means, by tiles of 16.
COV = (
    HEADER
    + """\
#define S 16

__global__ void covariances(const float* x, const float* means, float* cov, int rows,
                            int cols) {
  __shared__ float as[S][S], bs[S][S];
  int tx = threadIdx.x, ty = threadIdx.y;
  int b = blockIdx.x * S + tx;
  int a = blockIdx.y * S + ty;
  int other = blockIdx.y * S + tx;
  float sum = 0.0f;
  for (int p = 0; p < rows; p += S) {
    int r = p + ty;
    as[ty][tx] = r < rows && other < cols ? x[(size_t)r * cols + other] - means[other] : 0.0f;
    bs[ty][tx] = r < rows && b < cols ? x[(size_t)r * cols + b] - means[b] : 0.0f;
    __syncthreads();
    for (int k = 0; k < S; k++) sum += as[k][ty] * bs[k][tx];
    __syncthreads();
  }
  if (a < cols && b < cols) cov[(size_t)a * cols + b] = sum / (rows - 1);
}

extern "C" void launch(const float* x,      // [rows, cols]
                       const float* means,  // [cols]
                       float* cov,          // [cols, cols]
                       int rows, int cols, cudaStream_t stream = 0) {
  int tiles = (cols + S - 1) / S;
  covariances<<<dim3(tiles, tiles), dim3(S, S), 0, stream>>>(x, means, cov, rows, cols);
}
"""
)

# One who predicts signals: a symmetric Toeplitz matrix times a vector, by shared parts.
TOEPLITZ = (
    HEADER
    + """\
#define T 128

__global__ void toeplitz(const float *t, const float *x, float *y, int n)
{
    __shared__ float part[T];
    int i = blockIdx.x * T + threadIdx.x;
    float sum = 0.0f;
    for (int p = 0; p < n; p += T) {
        int j = p + threadIdx.x;
        if (j < n)
            part[threadIdx.x] = x[j];
        __syncthreads();
        int count = n - p < T ? n - p : T;
        if (i < n)
            for (int k = 0; k < count; k++)
                sum += t[abs(i - p - k)] * part[k];
        __syncthreads();
    }
    if (i < n)
        y[i] = sum;
}

extern "C" void launch(const float *t,  // [n]
                       const float *x,  // [n]
                       float *y,        // [n]
                       int n, cudaStream_t stream = 0)
{
    toeplitz<<<(n + T - 1) / T, T, 0, stream>>>(t, x, y, n);
}
"""
)

# A reader of a paper on positions: softmax of x + slope * column in one pass, a block a row.
ALIBI = (
    HEADER
    + """\
#define T 128

__device__ void join(float& m, float& s, float other, float sum) {
  float most = fmaxf(m, other);
  s = s * expf(m - most) + sum * expf(other - most);
  m = most;
}

__global__ void alibi(const float* x, float* y, float slope, int cols) {
  __shared__ float ms[T], ss[T];
  int t = threadIdx.x;
  const float* row = x + (size_t)blockIdx.x * cols;
  float m = -FLT_MAX, s = 0.0f;
  for (int c = t; c < cols; c += T) {
    float v = row[c] + slope * c;
    join(m, s, v, 1.0f);
  }
  ms[t] = m;
  ss[t] = s;
  __syncthreads();
  for (int h = T / 2; h > 0; h /= 2) {
    if (t < h) join(ms[t], ss[t], ms[t + h], ss[t + h]);
    __syncthreads();
  }
  for (int c = t; c < cols; c += T)
    y[(size_t)blockIdx.x * cols + c] = expf(row[c] + slope * c - ms[0]) / ss[0];
}

extern "C" void launch(const float* x,  // [rows, cols]
                       float* y,        // [rows, cols]
                       float slope, int rows, int cols, cudaStream_t stream = 0) {
  alibi<<<rows, T, 0, stream>>>(x, y, slope, cols);
}
"""
)

# One who makes pictures of noise: layer norm by Welford, 1 + scale and shift, a warp a row.
MODULATE = (
    HEADER
    + """\
__global__ void modulate(const float *x, const float *scale, const float *shift, float *y,
                         float eps, int cols)
{
    int row = blockIdx.x;
    size_t start = (size_t)row * cols;
    float count = 0.0f, mean = 0.0f, m2 = 0.0f;
    for (int c = threadIdx.x; c < cols; c += 32) {
        float v = x[start + c];
        float d = v - mean;
        count += 1.0f;
        mean += d / count;
        m2 += d * (v - mean);
    }
    for (int k = 16; k > 0; k >>= 1) {
        float count2 = __shfl_xor_sync(0xffffffff, count, k);
        float mean2 = __shfl_xor_sync(0xffffffff, mean, k);
        float other = __shfl_xor_sync(0xffffffff, m2, k);
        float all = count + count2;
        if (all > 0.0f) {
            float d = mean2 - mean;
            m2 += other + d * d * count * count2 / all;
            mean = (mean * count + mean2 * count2) / all;
            count = all;
        }
    }
    float r = rsqrtf(m2 / cols + eps);
    for (int c = threadIdx.x; c < cols; c += 32)
        y[start + c] = (x[start + c] - mean) * r * (1.0f + scale[c]) + shift[c];
}

extern "C" void launch(const float *x,      // [rows, cols]
                       const float *scale,  // [cols]
                       const float *shift,  // [cols]
                       float *y,            // [rows, cols]
                       float eps, int rows, int cols, cudaStream_t stream = 0)
{
    modulate<<<rows, 32, 0, stream>>>(x, scale, shift, y, eps, cols);
}
"""
)
NAN, INF = float("nan"), float("inf")
LENGTHS = (*range(1, 71), 95, 96, 97, 127, 128, 129, 130, 191, 192, 193, 255, 256, 257, 258)
LENGTHS += (384, 385, 511, 512, 513, 768, 1000, 1023, 1024, 1027, 2048, 2049, 4096, 4099)
SIDES = ((1, 1), (1, 2), (3, 2), (4, 31), (5, 32), (8, 33), (33, 8), (2, 64), (65, 3), (9, 70))
SIDES += ((70, 1), (3, 1000), (1, 4099), (64, 70), (130, 6), (40, 50), (32, 32), (17, 48))
SIDES += ((301, 2), (3, 129), (7, 128), (5, 63), (65, 65), (64, 64))
FLOAT, HALF, BFLOAT = (torch.float32,), (torch.float16,), (torch.bfloat16,)


def energies_of_masses(launcher: Launcher) -> Iterator[Case]:
    """Take whole numbers and factors of few bits, so that all is exact; NaN; slices."""
    for n in (*LENGTHS, 8_195, 40_003):
        v, h = (whole(-99, 100, n, 3 * n + k).float() for k in range(2))
        m = whole(1, 100, n, 3 * n + 2).float()
        j = torch.arange(n)
        for label, w in (
            ("usual", v),
            ("at rest", v * 0),
            ("NaN", torch.where(j % 4 == 3, NAN, v)),
            ("infinities", torch.where(j % 5 == 2, INF, v)),
        ):
            for g, block_size in ((9.75, 128), (-0.5, 32)):
                a, b, c = m.double(), w.double(), h.double()
                right = a * (b * b / 2 + g * c) + 0.0
                scalars = {"g": g, "block_size": block_size}
                options = {"dtypes": FLOAT, "quick": n > 5000}
                words = f"n = {n:,}, {scalars}, {label}"
                yield Case(words, (m, w, h), (right,), scalars, **options)
            if n < 300 and label == "usual":
                right = m.double() * (v.double() ** 2 / 2 + 2.0 * h.double()) + 0.0
                for offsets in ((4, 4, 4, 4), (8, 4, 12, 4)):
                    options = {"dtypes": FLOAT, "offset": offsets}
                    words = f"n = {n:,}, slices from {offsets}"
                    yield Case(words, (m, v, h), (right,), {"g": 2.0}, **options)


def frames_between(launcher: Launcher) -> Iterator[Case]:
    """Smooth halves of few bits, large ones whose sum is no half, NaN; slices of all kinds."""
    for n in (*LENGTHS, 12_291, 30_001):
        a, b, c = (whole(-2047, 2048, n, 3 * n + k).half() for k in range(3))
        j = torch.arange(n)
        for label, p, q, r in (
            ("whole", a, b, c),
            ("fractions", a / 64, b / 4, c / 16),
            ("large", a * 30, b * 30, c * 30),
            ("NaN", a, torch.where(j % 3 == 1, NAN, b.float()).half(), c),
        ):
            right = (p.double() + 2 * q.double() + r.double()) / 4 + 0.0
            options = {"dtypes": HALF, "quick": n > 5000}
            yield Case(f"n = {n:,}, {label}", (p, q, r), (right,), **options)
            if n < 300 and label == "whole":
                for offsets in ((2, 2, 2, 2), (2, 2, 2, 3), (3, 2, 2, 2), (1, 1, 1, 1)):
                    options = {"dtypes": HALF, "offset": offsets}
                    words = f"n = {n:,}, slices from {offsets}"
                    yield Case(words, (p, q, r), (right,), **options)


def answers_in_bytes(launcher: Launcher) -> Iterator[Case]:
    """Store numbers as bytes: usual, halfway, far beyond the range, infinities, NaN; slices."""
    for n in (*LENGTHS, 10_243):
        x, j = whole(-120, 121, n, n), torch.arange(n)
        for label, y in (
            ("usual", x / 4),
            ("halfway", x - x % 2 + 0.5),
            ("far", x * 40.0),
            ("infinities", torch.where(j % 2 == 1, INF, -INF)),
            ("NaN", torch.where(j % 3 == 1, NAN, x)),
        ):
            y = y.bfloat16()
            for steps, block_size in ((1.0, 192), (3.0, 32)):
                right = (y.double() * steps).round().clamp(-127, 127).nan_to_num(0.0)
                scalars = {"steps": steps, "block_size": block_size}
                options = {"dtypes": (torch.int8,), "quick": n > 5000}
                words = f"n = {n:,}, {scalars}, {label}"
                yield Case(words, (y,), (right,), scalars, **options)
            if n < 300 and label == "usual":
                right = y.double().round().clamp(-127, 127)
                for offsets in ((2, 4), (6, 4), (4, 8)):
                    options = {"dtypes": (torch.int8,), "offset": offsets}
                    words = f"n = {n:,}, slices from {offsets}"
                    yield Case(words, (y,), (right,), {"steps": 1.0}, **options)


def numbers_of_four_bits(launcher: Launcher) -> Iterator[Case]:
    """Unpack bytes of any bits, of equal halves, the least and the largest; slices."""
    for k in (*LENGTHS, 10_241, 70_001):
        x = whole(0, 256, k, k)
        for label, y in (
            ("any", x),
            ("equal halves", x % 16 * 17),
            ("least and largest", x % 2 * 255),
        ):
            pairs = torch.stack((y % 16 - 8, y // 16 - 8), 1).double()
            for scale, block_size in ((0.25, 64), (1.0009765625 + 2.0**-12, 256)):
                right = pairs * scale + 0.0
                scalars = {"scale": scale, "block_size": block_size}
                options = {"dtypes": HALF, "quick": k > 5000}
                words = f"k = {k:,}, {scalars}, {label}"
                yield Case(words, (y.to(torch.uint8),), (right,), scalars, **options)
            if k < 300 and label == "any":
                for offsets in ((4, 2), (8, 6)):
                    options = {"dtypes": HALF, "offset": offsets}
                    words, right = f"k = {k:,}, slices from {offsets}", pairs * 0.5
                    inputs = (y.to(torch.uint8),)
                    yield Case(words, inputs, (right,), {"scale": 0.5}, **options)


def rounded_corners(launcher: Launcher) -> Iterator[Case]:
    """Activate numbers: usual, far below 0, huge ones, zeros, infinities, NaN."""
    for n in (*LENGTHS, 9_001):
        x, j = whole(-999, 1000, n, n).float() / 128, torch.arange(n)
        for label, y in (
            ("usual", x),
            ("far below 0", -x.abs() * 512 - 9),
            ("huge", x * 2.0**90),
            ("zeros", torch.where(j % 2 == 1, 0.0, x)),
            ("infinities", torch.where(j % 2 == 1, INF, -INF)),
            ("NaN", torch.where(j % 3 == 1, NAN, x)),
        ):
            for b, block_size in ((4.0, 256), (0.5, 64)):
                z = y.double()
                r = (z * z + b).sqrt()
                right = torch.where(z < 0, b / 2 / (r - z), (z + r) / 2)
                slack = ((2.0**-20 * right.abs()).nan_to_num(0.0, 0.0, 0.0),)
                scalars = {"b": b, "block_size": block_size}
                options = {"dtypes": FLOAT, "within": slack, "quick": n > 5000}
                words = f"n = {n:,}, {scalars}, {label}"
                yield Case(words, (y,), (right,), scalars, **options)


def bent_lines(launcher: Launcher) -> Iterator[Case]:
    """Bend numbers: usual, small, large ones, infinities, NaN; slices."""
    for n in (*LENGTHS, 10_241, 20_003):
        x, j = whole(-999, 1000, n, n).float() / 128, torch.arange(n)
        for label, y in (
            ("usual", x),
            ("small", x / 2**12),
            ("large", x * 2**12),
            ("infinities", torch.where(j % 4 == 1, INF, x)),
            ("NaN", torch.where(j % 3 == 1, NAN, x)),
        ):
            y = y.bfloat16()
            z = y.double()
            right = z + ((z * z + 1).sqrt() - 1) / 2
            slack = ((2.0**-8 * 1.01 * right.abs()).nan_to_num(0.0, 0.0, 0.0),)
            for block_size in (128, 64):
                options = {"dtypes": BFLOAT, "within": slack, "quick": n > 5000}
                words = f"n = {n:,}, block_size = {block_size}, {label}"
                yield Case(words, (y,), (right,), {"block_size": block_size}, **options)
            if n < 300 and label == "usual":
                for offsets in ((2, 2), (4, 6)):
                    options = {"dtypes": BFLOAT, "within": slack, "offset": offsets}
                    yield Case(f"n = {n:,}, slices from {offsets}", (y,), (right,), **options)


def areas_below(launcher: Launcher) -> Iterator[Case]:
    """Measure whole numbers, so that all is exact: any, rising, the last, large ones, NaN."""
    for n in (*LENGTHS, 8_193, 9_300, 20_001):
        x, y, j = whole(-99, 100, n, n), whole(-99, 100, n, n + 1), torch.arange(n)
        for label, p, q in (
            ("any", x, y),
            ("rising", j, y),
            ("the last", j, torch.where(j == n - 1, 7, 0)),
            ("large", x * 401 + 7, y * 401 + 5),
            ("NaN", j, torch.where(j == n // 3, NAN, y.double())),
        ):
            p, q = p.float(), q.float()
            a, b = p.double(), q.double()
            right = ((a[1:] - a[:-1]) * (b[1:] + b[:-1])).sum().reshape(1) / 2 + 0.0
            options = {"dtypes": (torch.float64,), "quick": n > 5000}
            yield Case(f"n = {n:,}, {label}", (p, q), (right,), **options)


def copies_of_photos(launcher: Launcher) -> Iterator[Case]:
    """Count bits: of any words, of equal rows, of rows that differ in all bits; long rows."""
    for rows, cols in (*SIDES, (3, 2_001), (513, 3)):
        n = rows * cols
        x = whole(-(2**31), 2**31, n, n).reshape(rows, cols)
        key = whole(-(2**31), 2**31, cols, n + 1)
        for label, y in (
            ("any", x),
            ("equal to the key", key.expand(rows, cols)),
            ("all bits differ", (-1 - key).expand(rows, cols)),
            ("the last differs", torch.where(torch.arange(cols) == cols - 1, x, key)),
        ):
            differ = (y ^ key) % 2**32
            right = sum(differ >> k & 1 for k in range(32)).sum(1)
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            inputs = (y.int().contiguous(), key.int())
            yield Case(words, inputs, (right,), dtypes=(torch.int32,))


def peaks_of_columns(launcher: Launcher) -> Iterator[Case]:
    """Find peaks: any, few values, negative, equal, rising, falling, zeros, infinities."""
    for rows, cols in (*SIDES, (2_001, 2), (2, 2_001), (16, 5)):
        n = rows * cols
        x, r = whole(-9999, 10_000, n, n).reshape(rows, cols), torch.arange(rows)[:, None]
        for label, y in (
            ("any", x),
            ("few values", x % 5 - 2),
            ("negative", -x.abs() - 5),
            ("equal", x * 0 - 7),
            ("rising", x * 0 + r),
            ("falling", x * 0 + rows - r),
            ("zeros", x * 0),
            ("infinities", torch.where(r % 7 == 3, INF, x.double())),
            ("all -infinity", x.double() - INF),
        ):
            y = y.float()
            most = y.amax(0)
            place = torch.where(y == most, r, rows).amin(0)
            options = {"dtypes": (torch.float32, torch.int32)}
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y,), (most, place), **options)


def turned_results(launcher: Launcher) -> Iterator[Case]:
    """Turn matrices of integers: any, large ones, rising ones; each column with its scale."""
    for rows, cols in (*SIDES, (31, 200), (200, 31), (300, 1), (33, 65), (8, 129), (128, 64)):
        n = rows * cols
        scale = whole(1, 16, cols, n).float() / 8
        for label, x in (
            ("any", whole(-999, 1000, n, n)),
            ("large", whole(-(2**20), 2**20, n, n + 1)),
            ("rising", torch.arange(n) + 1),
        ):
            x = x.reshape(rows, cols)
            right = (x.double() * scale.double()).T.contiguous() + 0.0
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (x.int(), scale), (right,), dtypes=FLOAT)


def columns_about_means(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole numbers about whole means; the last row alone; equal rows; NaN."""
    sides = ((2, 1), (3, 5), (17, 16), (33, 32), (5, 33), (65, 9), (2, 70), (9, 40), (16, 17))
    sides += ((257, 3), (31, 31), (129, 20), (64, 15), (15, 64), (1_025, 2), (18, 18), (40, 6))
    for rows, cols in sides:
        n = rows * cols
        x, r = whole(-99, 100, n, n).reshape(rows, cols), torch.arange(rows)[:, None]
        means = whole(-20, 21, cols, n + 1).float()
        for label, y in (
            ("any", x),
            ("the last row", torch.where(r == rows - 1, x, 3)),
            ("equal rows", x * 0 + 5),
            ("NaN", torch.where((r == rows // 2) & (torch.arange(cols) == 0), NAN, x.double())),
        ):
            y = y.float()
            d = y.double() - means.double()
            right = d.T @ d / (rows - 1) + 0.0
            slack = ((2.0**-22 * right.abs()).nan_to_num(0.0),)
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y, means), (right,), dtypes=FLOAT, within=slack)


def predicted_signals(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole numbers, so that all is exact; a diagonal, the last number alone; NaN."""
    for n in LENGTHS[:-2]:
        t, x, j = (
            whole(-30, 31, n, n).float(),
            whole(-30, 31, n, n + 1).float(),
            torch.arange(n),
        )
        matrix = t.double()[(j[:, None] - j).abs()]
        for label, a, b, full in (
            ("any", t, x, matrix),
            ("the last alone", t, torch.where(j == n - 1, 5.0, 0.0), matrix),
            ("diagonal", torch.where(j == 0, 3.0, 0.0), x, torch.eye(n).double() * 3),
            ("NaN", t, torch.where(j == n // 2, NAN, x), matrix),
        ):
            right = full @ b.double() + 0.0
            options = {"dtypes": FLOAT, "quick": n > 600}
            yield Case(f"n = {n:,}, {label}", (a, b), (right,), **options)


def shares_by_places(launcher: Launcher) -> Iterator[Case]:
    """Take softmax of rows: usual, far off 0, far apart, rising, falling, NaN."""
    for rows, cols in (*SIDES, (2, 130), (3, 257)):
        n = rows * cols
        x, c = whole(-127, 128, n, n).float().reshape(rows, cols) / 16, torch.arange(cols)
        for label, y in (
            ("usual", x),
            ("far above 0", x + 300),
            ("far below 0", x - 300),
            ("far apart", x * 10),
            ("rising", x * 0 + c % 200 / 16),
            ("falling", x * 0 - c % 200 / 16),
            ("NaN", torch.where(c == cols // 2, NAN, x)),
        ):
            for slope in (0.0625, -0.25):
                right = (y.double() + slope * c).softmax(1)
                slack = ((2.0**-13 * right + 2.0**-120).nan_to_num(0.0),)
                options = {"dtypes": FLOAT, "within": slack}
                words = f"rows = {rows:,}, cols = {cols:,}, slope = {slope}, {label}"
                yield Case(words, (y.contiguous(),), (right,), {"slope": slope}, **options)


def modulated_rows(launcher: Launcher) -> Iterator[Case]:
    """Norm rows: usual, far off 0, small beside eps, equal ones, one far, rising ones."""
    for rows, cols in (*SIDES, (65_540, 1)):
        n = rows * cols
        x = whole(-99, 100, n, n).float().reshape(rows, cols)
        scale, shift = (whole(-30, 31, cols, n + k).float() / 8 for k in (1, 2))
        c = torch.arange(cols)
        for label, y in (
            ("usual", x),
            ("far off 0", x / 8 + 2000),
            ("small", x / 4096),
            ("equal", x * 0 + 2000),
            ("one is large", torch.where(c == cols - 1, 900.0, 1.0) + x * 0),
            ("rising", x * 0 + c % 256),
        ):
            if rows > 60_000 and label != "usual":
                continue
            for eps in (1e-5, 0.5):
                y, z = y.contiguous(), y.double()
                mean, var = z.mean(1, keepdim=True), z.var(1, unbiased=False, keepdim=True)
                root = (var + eps).rsqrt()
                normed = (z - mean) * root
                right = normed * (1 + scale.double()) + shift.double() + 0.0
                off = 2.0**-20 * z.abs().amax(1, keepdim=True)
                slack = (off * root + 2.0**-18) * (1 + normed.abs())
                slack = slack * (3 + scale.double().abs())
                options = {"dtypes": FLOAT, "within": (slack,), "quick": rows > 60_000}
                words = f"rows = {rows:,}, cols = {cols:,}, eps = {eps}, {label}"
                yield Case(words, (y, scale, shift), (right,), {"eps": eps}, **options)


BASES = {
    "sixtyone_energy": Base(ENERGY, {"cases": energies_of_masses}),
    "sixtyone_frames": Base(FRAMES, {"cases": frames_between}),
    "sixtyone_toint8": Base(TOINT8, {"cases": answers_in_bytes}),
    "sixtyone_nibbles": Base(NIBBLES, {"cases": numbers_of_four_bits}),
    "sixtyone_squareplus": Base(SQUAREPLUS, {"cases": rounded_corners}),
    "sixtyone_bent": Base(BENT, {"cases": bent_lines}),
    "sixtyone_trapez": Base(TRAPEZ, {"cases": areas_below}),
    "sixtyone_hamming": Base(HAMMING, {"cases": copies_of_photos}),
    "sixtyone_peaks": Base(PEAKS, {"cases": peaks_of_columns}),
    "sixtyone_unscale": Base(UNSCALE, {"cases": turned_results}),
    "sixtyone_cov": Base(COV, {"cases": columns_about_means}),
    "sixtyone_toeplitz": Base(TOEPLITZ, {"cases": predicted_signals}),
    "sixtyone_alibi": Base(ALIBI, {"cases": shares_by_places}),
    "sixtyone_modulate": Base(MODULATE, {"cases": modulated_rows}),
}

WRONG = (
    # ---- energies
    # Heights may lie anywhere.
    Wrong(
        "sixtyone_energy_h_anywhere",
        "sixtyone_energy",
        "alignment",
        ("const float* h,  // [n] 16-byte aligned", "const float* h,  // [n]"),
    ),
    # One thread for a rest that takes up to three.
    Wrong(
        "sixtyone_energy_one_of_rest",
        "sixtyone_energy",
        "tail / grid / unwritten / left out | refused",
        ("int threads = n / 4 + n % 4;", "int threads = n / 4 + 1;"),
    ),
    # No more than 64 blocks, and no loop over the packs.
    Wrong(
        "sixtyone_energy_64_blocks",
        "sixtyone_energy",
        "grid / unwritten / left out | tail",
        (
            "  energies<<<blocks, block_size",
            "  if (blocks > 64) blocks = 64;\n  energies<<<blocks, block_size",
        ),
    ),
    # A half is a quotient of integers, which is 0.
    Wrong(
        "sixtyone_energy_half_of_integers",
        "sixtyone_energy",
        "function / left out | numbers / nan / infinity",
        ("0.5f * v * v", "1 / 2 * v * v"),
    ),
    # The last line of four was copied: its height is that of the third.
    Wrong(
        "sixtyone_energy_copied_line",
        "sixtyone_energy",
        "other element / neighbour | numbers",
        ("energy(a.w, b.w, c.w, g)", "energy(a.w, b.w, c.z, g)"),
    ),
    # ---- frames
    # Nobody looks where the result lies.
    Wrong(
        "sixtyone_frames_out_unasked",
        "sixtyone_frames",
        "alignment",
        (" | (uintptr_t)c | (uintptr_t)out;", " | (uintptr_t)c;"),
    ),
    # The address is tested against a half's bytes, not against those of a pair.
    Wrong(
        "sixtyone_frames_two_bytes",
        "sixtyone_frames",
        "alignment",
        ("all % 4 == 0", "all % sizeof(half) == 0"),
    ),
    # The pairs are added as halves.
    Wrong(
        "sixtyone_frames_sum_in_half",
        "sixtyone_frames",
        "infinity / rounding / precision | numbers / tail",
        (
            "            float2 w = __half22float2(((const half2 *)c)[p]);\n",
            "            float2 w = __half22float2(__hadd2(((const half2 *)a)[p],\n"
            "                                              ((const half2 *)c)[p]));\n",
        ),
        ("middle(u.x, v.x, w.x)", "middle(0.0f, v.x, w.x)"),
        ("middle(u.y, v.y, w.y)", "middle(0.0f, v.y, w.y)"),
    ),
    # After the pairs all is taken to be done.
    Wrong(
        "sixtyone_frames_all_done",
        "sixtyone_frames",
        "tail / unwritten / left out",
        ("done = n / 2 * 2;", "done = n;"),
    ),
    # The launch has the middle frame first, so that another one counts twice.
    Wrong(
        "sixtyone_frames_middle_first",
        "sixtyone_frames",
        "swapped / function / other element | numbers / nan / infinity / twice",
        ("stream>>>(a, b, c, out, n,", "stream>>>(b, a, c, out, n,"),
    ),
    # ---- bfloat16 to bytes
    # A half is added and what is behind the point is cut off downwards.
    Wrong(
        "sixtyone_toint8_half_added",
        "sixtyone_toint8",
        "rounding | numbers / precision",
        ("rintf(__bfloat162float(x) * steps);", "floorf(__bfloat162float(x) * steps + 0.5f);"),
    ),
    # Only what is too large is limited.
    Wrong(
        "sixtyone_toint8_no_lower_limit",
        "sixtyone_toint8",
        "whole range / infinity | numbers / function",
        ("v = fminf(fmaxf(v, -127.0f), 127.0f);", "v = fminf(v, 127.0f);"),
    ),
    # Nobody asks for NaN, which becomes the least.
    Wrong(
        "sixtyone_toint8_nan_is_least",
        "sixtyone_toint8",
        "nan | numbers / whole range",
        ("  if (isnan(v)) return 0;\n", ""),
    ),
    # The pairs of a pack are stored the wrong way round.
    Wrong(
        "sixtyone_toint8_pairs_turned",
        "sixtyone_toint8",
        "swapped / other element / neighbour | numbers",
        ("2 * t];", "2 * t + 1];"),
        (
            "((const __nv_bfloat162*)x)[2 * t + 1];\n    ((char4",
            "((const __nv_bfloat162*)x)[2 * t];\n    ((char4",
        ),
    ),
    # Bytes may lie anywhere.
    Wrong(
        "sixtyone_toint8_y_anywhere",
        "sixtyone_toint8",
        "alignment",
        ("int8_t* y,               // [n] 4-byte aligned", "int8_t* y,               // [n]"),
    ),
    # ---- numbers of four bits
    # The upper four bits come first.
    Wrong(
        "sixtyone_nibbles_high_first",
        "sixtyone_nibbles",
        "swapped / neighbour / other element | numbers / function",
        (
            "__floats2half2_rn(scale * low, scale * high)",
            "__floats2half2_rn(scale * high, scale * low)",
        ),
    ),
    # Bytes have a sign, so that the upper bits have one, too.
    Wrong(
        "sixtyone_nibbles_signed",
        "sixtyone_nibbles",
        "whole range / function | numbers",
        ("half2 both(uint8_t b,", "half2 both(int8_t b,"),
    ),
    # What four does not divide is left.
    Wrong(
        "sixtyone_nibbles_whole_fours",
        "sixtyone_nibbles",
        "tail / unwritten / left out | grid",
        (
            "    } else {\n"
            "        while (first < k) {\n"
            "            to[first] = both(x[first], scale);\n"
            "            first++;\n"
            "        }\n"
            "    }\n",
            "    }\n",
        ),
    ),
    # The scale is rounded to a half before it is a factor.
    Wrong(
        "sixtyone_nibbles_scale_in_half",
        "sixtyone_nibbles",
        "rounding / precision | numbers",
        (
            "__floats2half2_rn(scale * low, scale * high)",
            "__hmul2(__float2half2_rn(scale), __floats2half2_rn(low, high))",
        ),
    ),
    # The launch ends before the stream.
    Wrong(
        "sixtyone_nibbles_no_stream",
        "sixtyone_nibbles",
        "stream",
        ("<<<blocks, block_size, 0, stream>>>", "<<<blocks, block_size>>>"),
    ),
    # ---- squareplus
    # The formula as the paper has it: far below 0 two large numbers cancel.
    Wrong(
        "sixtyone_squareplus_cancels",
        "sixtyone_squareplus",
        "precision / rounding | numbers / function / nan / infinity / subnormal",
        ("  if (x < 0.0f) return 0.5f * b / (r - x);\n", ""),
    ),
    # The square overflows.
    Wrong(
        "sixtyone_squareplus_plain_root",
        "sixtyone_squareplus",
        "infinity | numbers / precision / function / subnormal",
        ("hypotf(x, sqrtf(b))", "sqrtf(x * x + b)"),
    ),
    # The root of b is forgotten.
    Wrong(
        "sixtyone_squareplus_b_squared",
        "sixtyone_squareplus",
        "function | numbers / precision",
        ("hypotf(x, sqrtf(b))", "hypotf(x, b)"),
    ),
    # Blocks are as wide as there are blocks.
    Wrong(
        "sixtyone_squareplus_grid_for_block",
        "sixtyone_squareplus",
        "block size / grid / unwritten / left out | race / twice / tail",
        ("blockIdx.x * (int64_t)blockDim.x", "blockIdx.x * (int64_t)gridDim.x"),
    ),
    # Results are 0 at least, also where they are no numbers.
    Wrong(
        "sixtyone_squareplus_nan_is_zero",
        "sixtyone_squareplus",
        "nan | numbers",
        ("return 0.5f * (x + r);", "return fmaxf(0.5f * (x + r), 0.0f);"),
    ),
    # ---- bent lines
    # The root is rounded to bfloat16 before 1 is taken off.
    Wrong(
        "sixtyone_bent_root_in_bfloat",
        "sixtyone_bent",
        "rounding / precision | numbers",
        (
            "(hypotf(v, 1.0f) - 1.0f) / 2.0f",
            "(__bfloat162float(__float2bfloat16(hypotf(v, 1.0f))) - 1.0f) / 2.0f",
        ),
    ),
    # Threads go on by as many as there would be in blocks of 256.
    Wrong(
        "sixtyone_bent_step_of_256",
        "sixtyone_bent",
        "block size / unwritten / left out / grid | tail / numbers",
        ("int step = blockDim.x * gridDim.x;", "int step = 256 * gridDim.x;"),
    ),
    # The quotient by 2 is that of 1 alone.
    Wrong(
        "sixtyone_bent_bracket_too_late",
        "sixtyone_bent",
        "function | numbers / infinity / precision",
        ("v + (hypotf(v, 1.0f) - 1.0f) / 2.0f", "v + (hypotf(v, 1.0f) - 1.0f / 2.0f)"),
    ),
    # The last number is stored where it came from.
    Wrong(
        "sixtyone_bent_last_in_place",
        "sixtyone_bent",
        "input / unwritten / tail / left out | state / numbers",
        (
            "        y[n - 1] = __float2bfloat16(bent(",
            "        ((__nv_bfloat16 *)x)[n - 1] = __float2bfloat16(bent(",
        ),
    ),
    # The results may lie anywhere.
    Wrong(
        "sixtyone_bent_y_anywhere",
        "sixtyone_bent",
        "alignment",
        ("__nv_bfloat16 *y,        // [n] 4-byte aligned", "__nv_bfloat16 *y,        // [n]"),
    ),
    # ---- areas
    # There are as many lines as points.
    Wrong(
        "sixtyone_trapez_n_lines",
        "sixtyone_trapez",
        "bounds | numbers",
        ("i < n - 1;", "i < n;"),
    ),
    # All parts are added, also those that only an earlier, larger call has set.
    Wrong(
        "sixtyone_trapez_all_parts",
        "sixtyone_trapez",
        "state | numbers / other element / start",
        ("threadIdx.x < count ? parts[threadIdx.x] : 0.0;", "parts[threadIdx.x];"),
    ),
    # Threads do not wait between the steps of the tree.
    Wrong(
        "sixtyone_trapez_no_barrier",
        "sixtyone_trapez",
        "race | numbers / left out / twice / other element",
        ("s[threadIdx.x + h];\n    __syncthreads();\n", "s[threadIdx.x + h];\n"),
    ),
    # The half of the formula is forgotten.
    Wrong(
        "sixtyone_trapez_no_half",
        "sixtyone_trapez",
        "function / twice | numbers",
        ("*area = 0.5 * sum;", "*area = sum;"),
    ),
    # The second kernel is launched on the default stream.
    Wrong(
        "sixtyone_trapez_second_no_stream",
        "sixtyone_trapez",
        "stream",
        ("finish<<<1, MOST, 0, stream>>>", "finish<<<1, MOST>>>"),
    ),
    # ---- bits that differ
    # One row too many gets through.
    Wrong(
        "sixtyone_hamming_one_row_more",
        "sixtyone_hamming",
        "bounds",
        ("if (row >= rows)", "if (row > rows)"),
    ),
    # Lanes go on by half a warp.
    Wrong(
        "sixtyone_hamming_step_of_16",
        "sixtyone_hamming",
        "twice / other element | numbers",
        ("c += 32)", "c += 16)"),
    ),
    # Bits are counted in a byte.
    Wrong(
        "sixtyone_hamming_byte_count",
        "sixtyone_hamming",
        "narrow / whole range | numbers",
        ("    int bits = 0;\n", "    unsigned char bits = 0;\n"),
    ),
    # The last step of the shuffles is forgotten.
    Wrong(
        "sixtyone_hamming_odd_lanes",
        "sixtyone_hamming",
        "left out | numbers / other element",
        ("d >= 1; d /= 2", "d > 1; d /= 2"),
    ),
    # Each lane has one word of the key for all of its columns.
    Wrong(
        "sixtyone_hamming_key_of_lane",
        "sixtyone_hamming",
        "other element / bounds | numbers",
        ("mine[c] ^ key[c]", "mine[c] ^ key[lane]"),
    ),
    # ---- peaks of columns
    # The start is the least float above 0.
    Wrong(
        "sixtyone_peaks_from_flt_min",
        "sixtyone_peaks",
        "start | numbers / unwritten / other element / infinity / whole range",
        ("float v = -INFINITY;", "float v = FLT_MIN;"),
        ("if (w > v || at == rows) {", "if (w > v) {"),
    ),
    # The first row of threads does not wait for the others.
    Wrong(
        "sixtyone_peaks_no_barrier",
        "sixtyone_peaks",
        "race | numbers / left out / unwritten / other element",
        ("  __syncthreads();\n", ""),
    ),
    # A thread keeps the last of equal peaks.
    Wrong(
        "sixtyone_peaks_last_of_equal",
        "sixtyone_peaks",
        "other element / function | numbers",
        ("if (w > v || at == rows) {", "if (w >= v || at == rows) {"),
    ),
    # Half of the threads of a column are asked.
    Wrong(
        "sixtyone_peaks_four_of_eight",
        "sixtyone_peaks",
        "left out | numbers / other element",
        ("for (int k = 1; k < Y; k++)", "for (int k = 1; k < Y / 2; k++)"),
    ),
    # Blocks for whole groups of columns alone.
    Wrong(
        "sixtyone_peaks_whole_groups",
        "sixtyone_peaks",
        "tail / grid / unwritten / left out / refused | sides",
        ("peaks<<<(cols + X - 1) / X,", "peaks<<<cols / X,"),
    ),
    # ---- turned results
    # The scale is that of the row.
    Wrong(
        "sixtyone_unscale_scale_of_row",
        "sixtyone_unscale",
        "other element / sides / bounds / swapped | numbers",
        ("* scale[c];", "* scale[r];"),
    ),
    # Threads do not wait for the tile.
    Wrong(
        "sixtyone_unscale_no_barrier",
        "sixtyone_unscale",
        "race | numbers / unwritten / left out / other element",
        ("    __syncthreads();\n", ""),
    ),
    # The tile has 16 bits a number.
    Wrong(
        "sixtyone_unscale_short_tile",
        "sixtyone_unscale",
        "narrow / whole range | numbers",
        ("__shared__ int tile", "__shared__ short tile"),
    ),
    # The test of the second loop has the sides of the result.
    Wrong(
        "sixtyone_unscale_turned_test",
        "sixtyone_unscale",
        "sides / bounds / swapped | unwritten / left out / other element / race / tail",
        (
            "        if (r < rows && c < cols)\n            out",
            "        if (r < cols && c < rows)\n            out",
        ),
    ),
    # The first loop goes on by 16 in the place of 8.
    Wrong(
        "sixtyone_unscale_every_other_eight",
        "sixtyone_unscale",
        "left out / race / unwritten | numbers / other element / grid",
        (
            "    for (int j = threadIdx.y; j < S; j += Y) {\n        int r = r0 + j,",
            "    for (int j = threadIdx.y; j < S; j += 2 * Y) {\n        int r = r0 + j,",
        ),
    ),
    # ---- covariances
    # The quotient is by all rows.
    Wrong(
        "sixtyone_cov_by_all_rows",
        "sixtyone_cov",
        "function | numbers / precision",
        ("sum / (rows - 1);", "sum / rows;"),
    ),
    # The next rows are loaded while others read these.
    Wrong(
        "sixtyone_cov_one_barrier",
        "sixtyone_cov",
        "race | numbers / other element / left out / twice",
        ("bs[k][tx];\n    __syncthreads();\n", "bs[k][tx];\n"),
    ),
    # Behind the last row 0 is loaded, of which the mean is taken off as well.
    Wrong(
        "sixtyone_cov_zero_less_mean",
        "sixtyone_cov",
        "tail / function / other element | numbers / start / left out",
        (
            "    as[ty][tx] = r < rows && other < cols ? x[(size_t)r * cols + other] - "
            "means[other] : 0.0f;\n"
            "    bs[ty][tx] = r < rows && b < cols ? x[(size_t)r * cols + b] - means[b] : "
            "0.0f;\n",
            "    as[ty][tx] = r < rows && other < cols ? x[(size_t)r * cols + other] : 0.0f;\n"
            "    bs[ty][tx] = r < rows && b < cols ? x[(size_t)r * cols + b] : 0.0f;\n"
            "    if (other < cols) as[ty][tx] -= means[other];\n"
            "    if (b < cols) bs[ty][tx] -= means[b];\n",
        ),
    ),
    # The mean of the second column is taken off the first one, too.
    Wrong(
        "sixtyone_cov_one_mean",
        "sixtyone_cov",
        "other element / bounds / function | numbers / tail",
        (
            "x[(size_t)r * cols + other] - means[other]",
            "x[(size_t)r * cols + other] - means[b]",
        ),
    ),
    # Only what is on and above the diagonal is stored.
    Wrong(
        "sixtyone_cov_upper_alone",
        "sixtyone_cov",
        "unwritten / left out | sides / tail",
        ("if (a < cols && b < cols) cov", "if (a <= b && b < cols) cov"),
    ),
    # ---- Toeplitz
    # The distance keeps its sign.
    Wrong(
        "sixtyone_toeplitz_no_abs",
        "sixtyone_toeplitz",
        "bounds",
        ("t[abs(i - p - k)]", "t[i - p - k]"),
    ),
    # Who has no result goes before the parts are loaded.
    Wrong(
        "sixtyone_toeplitz_gone_too_early",
        "sixtyone_toeplitz",
        "race / left out / unwritten / tail | numbers / other element / nan",
        (
            "    float sum = 0.0f;\n    for",
            "    float sum = 0.0f;\n    if (i >= n)\n        return;\n    for",
        ),
    ),
    # Only whole parts are multiplied.
    Wrong(
        "sixtyone_toeplitz_whole_parts",
        "sixtyone_toeplitz",
        "tail / left out | numbers / nan",
        ("for (int p = 0; p < n; p += T) {", "for (int p = 0; p + T <= n; p += T) {"),
    ),
    # The next part is loaded while others read this one.
    Wrong(
        "sixtyone_toeplitz_one_barrier",
        "sixtyone_toeplitz",
        "race | numbers / other element / left out / twice",
        ("part[k];\n        __syncthreads();\n", "part[k];\n"),
    ),
    # Results are added to what is there.
    Wrong(
        "sixtyone_toeplitz_added",
        "sixtyone_toeplitz",
        "zero before / state / start | numbers / twice / nan",
        ("        y[i] = sum;\n", "        y[i] += sum;\n"),
    ),
    # ---- softmax by places
    # The largest is 0 at least.
    Wrong(
        "sixtyone_alibi_from_zero",
        "sixtyone_alibi",
        "start / nan / infinity | numbers / precision / subnormal",
        ("float m = -FLT_MAX, s", "float m = 0.0f, s"),
    ),
    # The second loop forgets the slope.
    Wrong(
        "sixtyone_alibi_slope_once",
        "sixtyone_alibi",
        "function / left out | numbers / infinity / other element",
        ("expf(row[c] + slope * c - ms[0])", "expf(row[c] - ms[0])"),
    ),
    # What has been added is not made smaller when the largest grows.
    Wrong(
        "sixtyone_alibi_sum_stays",
        "sixtyone_alibi",
        "function / numbers | infinity / other element / left out",
        ("s = s * expf(m - most) + sum", "s = s + sum"),
    ),
    # Threads do not wait between the steps of the tree.
    Wrong(
        "sixtyone_alibi_no_barrier",
        "sixtyone_alibi",
        "race | numbers / left out / other element / nan",
        ("ss[t + h]);\n    __syncthreads();\n", "ss[t + h]);\n"),
    ),
    # The slope is added where the numbers lie, so that no later loop has to.
    Wrong(
        "sixtyone_alibi_in_place",
        "sixtyone_alibi",
        "input | numbers / state",
        (
            "  const float* row = x + (size_t)blockIdx.x * cols;\n",
            "  float* row = (float*)x + (size_t)blockIdx.x * cols;\n",
        ),
        ("float v = row[c] + slope * c;", "float v = row[c] += slope * c;"),
        ("expf(row[c] + slope * c - ms[0])", "expf(row[c] - ms[0])"),
    ),
    # ---- modulated rows
    # Both lanes are taken to have as many numbers.
    Wrong(
        "sixtyone_modulate_equal_counts",
        "sixtyone_modulate",
        "function / numbers | precision / other element / left out / sides / nan",
        (
            "mean = (mean * count + mean2 * count2) / all;",
            "mean = (mean + mean2) / 2.0f;",
        ),
    ),
    # The variance is that of a sample.
    Wrong(
        "sixtyone_modulate_of_sample",
        "sixtyone_modulate",
        "function | numbers / precision / nan / infinity",
        ("rsqrtf(m2 / cols + eps)", "rsqrtf(m2 / (cols - 1) + eps)"),
    ),
    # What the means of two lanes differ by is not counted.
    Wrong(
        "sixtyone_modulate_no_distance",
        "sixtyone_modulate",
        "function / left out | numbers / precision / infinity",
        (
            "            m2 += other + d * d * count * count2 / all;\n",
            "            m2 += other;\n",
        ),
        ("            float d = mean2 - mean;\n", ""),
    ),
    # Rows are blocks of the grid's second side, of which there are 65,535 at most.
    Wrong(
        "sixtyone_modulate_rows_in_y",
        "sixtyone_modulate",
        "grid / refused / unwritten | left out",
        ("int row = blockIdx.x;", "int row = blockIdx.y;"),
        ("modulate<<<rows, 32, 0, stream>>>", "modulate<<<dim3(1, rows), 32, 0, stream>>>"),
    ),
    # The launch has no stream.
    Wrong(
        "sixtyone_modulate_no_stream",
        "sixtyone_modulate",
        "stream",
        ("modulate<<<rows, 32, 0, stream>>>", "modulate<<<rows, 32>>>"),
    ),
)

RIGHT = (
    # Few blocks go through the packs from their end, and the first threads do the rest.
    Right(
        "sixtyone_energy_few_blocks",
        "sixtyone_energy",
        ("  if (t < packs) {\n", "  for (int s = gridDim.x * blockDim.x; packs > 0;) {\n"),
        (
            "float4 a = ((const float4*)m)[t];",
            "float4 a = ((const float4*)m)[packs - 1 - t % packs];",
        ),
        (
            "float4 b = ((const float4*)v)[t];",
            "float4 b = ((const float4*)v)[packs - 1 - t % packs];",
        ),
        (
            "float4 c = ((const float4*)h)[t];",
            "float4 c = ((const float4*)h)[packs - 1 - t % packs];",
        ),
        (
            "    ((float4*)e)[t] = o;\n    return;\n  }\n",
            "    if (t < packs) ((float4*)e)[packs - 1 - t] = o;\n"
            "    t += s;\n"
            "    if (t >= packs) break;\n"
            "  }\n",
        ),
        (
            "  int i = 4 * packs + (t - packs);\n",
            "  int i = 4 * packs + blockIdx.x * blockDim.x + threadIdx.x;\n",
        ),
        (
            "  energies<<<blocks, block_size",
            "  if (blocks > 5) blocks = 5;\n  energies<<<blocks, block_size",
        ),
    ),
    # Where addresses are odd alike, the first number is done alone, and pairs begin behind it.
    Right(
        "sixtyone_frames_first_alone",
        "sixtyone_frames",
        (
            "int n,\n                       bool pairs)",
            "int n,\n                       bool pairs, int head)",
        ),
        (
            "    int done = 0;\n",
            "    int done = 0;\n"
            "    if (t == 0 && head)\n"
            "        out[0] = __float2half(middle(a[0], b[0], c[0]));\n"
            "    a += head, b += head, c += head, out += head, n -= head;\n",
        ),
        (
            "(uintptr_t)a | (uintptr_t)b | (uintptr_t)c | (uintptr_t)out;\n",
            "((uintptr_t)a ^ (uintptr_t)out) |\n"
            "                    ((uintptr_t)b ^ (uintptr_t)out) |\n"
            "                    ((uintptr_t)c ^ (uintptr_t)out);\n",
        ),
        ("all % 4 == 0);", "all % 4 == 0, (uintptr_t)out % 4 == 2);"),
    ),
    # Integers are limited, and NaN is what the conversion makes of it.
    Right(
        "sixtyone_toint8_integers",
        "sixtyone_toint8",
        (
            "  float v = rintf(__bfloat162float(x) * steps);\n"
            "  if (isnan(v)) return 0;\n"
            "  v = fminf(fmaxf(v, -127.0f), 127.0f);\n"
            "  return (signed char)v;\n",
            "  int v = __float2int_rn(__bfloat162float(x) * steps);\n"
            "  return max(-127, min(v, 127));\n",
        ),
    ),
    # Four bits are put below the bits of 1024, and 1032 is taken off, in halves: all is exact.
    Right(
        "sixtyone_nibbles_by_bits",
        "sixtyone_nibbles",
        (
            "    int low = (b & 15) - 8;\n    int high = (b >> 4) - 8;\n",
            "    unsigned int bits = 0x64006400u | (b & 15u) | (b & 240u) << 12;\n"
            "    half2 v = __hsub2(*(half2 *)&bits, __float2half2_rn(1032.0f));\n",
        ),
        ("(scale * low, scale * high)", "(scale * __low2float(v), scale * __high2float(v))"),
    ),
    # Neighbours in a block are as far apart as there are blocks.
    Right(
        "sixtyone_squareplus_strided",
        "sixtyone_squareplus",
        (
            "blockIdx.x * (int64_t)blockDim.x + threadIdx.x",
            "threadIdx.x * (int64_t)gridDim.x + blockIdx.x",
        ),
    ),
    # Threads take the pairs from their end, and the last thread has the last number.
    Right(
        "sixtyone_bent_last_thread",
        "sixtyone_bent",
        ("    if (t == 0 && (n & 1))", "    if (t == step - 1 && n % 2 != 0)"),
        (
            "for (int p = t; p < n / 2; p += step)",
            "for (int p = step - 1 - t; 2 * p + 1 < n; p += step)",
        ),
    ),
    # Blocks add their areas to the result, which the launcher sets to 0.
    Right(
        "sixtyone_trapez_atomic",
        "sixtyone_trapez",
        ("__device__ double parts[MOST];\n\n", ""),
        (
            "areas(const float* x, const float* y, int n)",
            "areas(const float* x, const float* y, double* area, int n)",
        ),
        (
            "if (threadIdx.x == 0) parts[blockIdx.x] = s[0];",
            "if (threadIdx.x == 0) atomicAdd(area, s[0] / 2);",
        ),
        (
            "__global__ void finish(double* area, int count) {\n"
            "  double sum = threadIdx.x < count ? parts[threadIdx.x] : 0.0;\n"
            "  for (int d = 16; d > 0; d >>= 1) sum += __shfl_down_sync(0xffffffff, sum, d);\n"
            "  if (threadIdx.x == 0) *area = 0.5 * sum;\n"
            "}\n\n",
            "",
        ),
        (
            "  areas<<<blocks, T, 0, stream>>>(x, y, n);\n"
            "  finish<<<1, MOST, 0, stream>>>(area, blocks);\n",
            "  cudaMemsetAsync(area, 0, sizeof(double), stream);\n"
            "  areas<<<blocks, T, 0, stream>>>(x, y, area, n);\n",
        ),
    ),
    # Equal bits are counted and taken off all, and each lane has the sum.
    Right(
        "sixtyone_hamming_equal_bits",
        "sixtyone_hamming",
        ("bits += __popc(mine[c] ^ key[c]);", "bits -= __popc(~(mine[c] ^ key[c]));"),
        ("__shfl_down_sync(0xffffffff, bits, d)", "__shfl_xor_sync(0xffffffff, bits, d)"),
        ("        out[row] = bits;\n", "        out[row] = 32 * cols + bits;\n"),
    ),
    # Threads come from the last row, and keep what they meet last.
    Right(
        "sixtyone_peaks_from_below",
        "sixtyone_peaks",
        (
            "for (int r = threadIdx.y; r < rows; r += Y) {",
            "for (int r = rows - 1 - threadIdx.y; r >= 0; r -= Y) {",
        ),
        ("if (w > v || at == rows) {", "if (w >= v) {"),
    ),
    # The tile holds products, with places that are mixed in the place of a column more.
    Right(
        "sixtyone_unscale_mixed_places",
        "sixtyone_unscale",
        ("__shared__ int tile[S][S + 1];", "__shared__ float tile[S][S];"),
        (
            "tile[j][threadIdx.x] = in[(size_t)r * cols + c];",
            "tile[j][threadIdx.x ^ j] = in[(size_t)r * cols + c] * scale[c];",
        ),
        ("tile[threadIdx.x][j] * scale[c];", "tile[threadIdx.x][j ^ threadIdx.x];"),
    ),
    # Blocks below the diagonal have nothing to do: the others store their results twice.
    Right(
        "sixtyone_cov_both_at_once",
        "sixtyone_cov",
        (
            "  float sum = 0.0f;\n",
            "  float sum = 0.0f;\n  if (blockIdx.y > blockIdx.x) return;\n",
        ),
        (
            "  if (a < cols && b < cols) cov[(size_t)a * cols + b] = sum / (rows - 1);\n",
            "  if (a > b || b >= cols) return;\n"
            "  sum /= rows - 1;\n"
            "  cov[(size_t)a * cols + b] = sum;\n"
            "  if (a < b) cov[(size_t)b * cols + a] = sum;\n",
        ),
    ),
    # Parts are filled up with zeros, and what is behind the matrix has no factor but 0.
    Right(
        "sixtyone_toeplitz_padded",
        "sixtyone_toeplitz",
        (
            "        if (j < n)\n            part[threadIdx.x] = x[j];\n",
            "        part[threadIdx.x] = j < n ? x[j] : 0.0f;\n",
        ),
        (
            "        int count = n - p < T ? n - p : T;\n        if (i < n)\n"
            "            for (int k = 0; k < count; k++)\n"
            "                sum += t[abs(i - p - k)] * part[k];\n",
            "        for (int k = T - 1; k >= 0; k--) {\n"
            "            int d = abs(i - p - k);\n"
            "            sum = fmaf(d < n ? t[d] : 0.0f, part[k], sum);\n"
            "        }\n",
        ),
    ),
    # The slope is counted from the last column, as in the paper, which changes no share.
    Right(
        "sixtyone_alibi_from_the_end",
        "sixtyone_alibi",
        ("float v = row[c] + slope * c;", "float v = row[c] - slope * (cols - 1 - c);"),
        (
            "expf(row[c] + slope * c - ms[0]) / ss[0];",
            "\n        expf(row[c] - slope * (cols - 1 - c) - (ms[0] + logf(ss[0])));",
        ),
    ),
    # Two passes in the place of Welford's: the mean first, then squares about it.
    Right(
        "sixtyone_modulate_two_passes",
        "sixtyone_modulate",
        (
            "    float count = 0.0f, mean = 0.0f, m2 = 0.0f;\n",
            "    float mean = 0.0f, m2 = 0.0f;\n",
        ),
        (
            "        float v = x[start + c];\n"
            "        float d = v - mean;\n"
            "        count += 1.0f;\n"
            "        mean += d / count;\n"
            "        m2 += d * (v - mean);\n"
            "    }\n"
            "    for (int k = 16; k > 0; k >>= 1) {\n"
            "        float count2 = __shfl_xor_sync(0xffffffff, count, k);\n"
            "        float mean2 = __shfl_xor_sync(0xffffffff, mean, k);\n"
            "        float other = __shfl_xor_sync(0xffffffff, m2, k);\n"
            "        float all = count + count2;\n"
            "        if (all > 0.0f) {\n"
            "            float d = mean2 - mean;\n"
            "            m2 += other + d * d * count * count2 / all;\n"
            "            mean = (mean * count + mean2 * count2) / all;\n"
            "            count = all;\n"
            "        }\n"
            "    }\n",
            "        mean += x[start + c];\n"
            "    }\n"
            "    for (int k = 1; k < 32; k *= 2)\n"
            "        mean += __shfl_xor_sync(0xffffffff, mean, k);\n"
            "    mean /= cols;\n"
            "    for (int c = threadIdx.x; c < cols; c += 32) {\n"
            "        float d = x[start + c] - mean;\n"
            "        m2 += d * d;\n"
            "    }\n"
            "    for (int k = 1; k < 32; k *= 2) m2 += __shfl_xor_sync(0xffffffff, m2, k);\n",
        ),
    ),
)
