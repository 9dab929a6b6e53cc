"""Hold a sixty-eighth family: kernels of half a year's practice, and their plainest mistakes.

Its bases are a speed after a push and a drag, heat that goes to a room at rates of its own,
bfloat16 to signed bytes, bytes to halves with a scale for each 32, a number times the tanh of
its exponential, two limits beyond which a slope goes on, all gains and all losses, each row
times itself read backwards, the farthest from the aim of a row and its place, pictures of bytes
turned and made negative, the widest way between two matrices, a matrix of sums of places times
a vector, softmax less 1 for the right answer, and layer norm of which only what is above 0
stays. They have 12 to 50 lines, and are of people with half a year of CUDA: one who sails, one
who brews, one who plays the harp, one who packs weights, one who skates on thin ice, one who
reads gauges, one who keeps a purse, one who likes palindromes, one who shoots arrows, one who
cuts hedges, one who drives wide loads, one who sings, one who marks exams and one who planes
wood. They use float4 with a kernel of four threads for the rest, half2 where all addresses are
even to 4 and single numbers elsewhere, four bytes a thread that also takes the rest, packs in a
loop over the grid, a number a thread, four numbers a thread a block apart, a ticket with parts
of 64 bits, a warp a row with shuffles across, a tree of values and places, a tile of 16 with a
plane in z, tiles of 16 with fillers below all, pieces of two vectors in shared memory, a
maximum and a sum in one pass that shuffles join, and two passes whose sums a function makes.
Their mistakes are spread over alignment, sizes, grids, integers of 8, 16 and 32 bits, values,
rounding, NaN, infinity and the least integer, inputs that are written, sums, transposes,
products, order, streams and what is left of an earlier call. The causes were written before a
member was judged. On the emulator each ran beside PyTorch, compared as a case does, called
twice on the same tensors, with NaN and with 1e3 in floating outputs (-1 and 77 in others), with
tensors at either end of their pages, the bytes behind them and their inputs looked at
afterwards, on a stream that is not the default one, with threads in order, from the last to the
first and in a random order, and in the slices that the cases name. Bases and right ones ran all
cases; wrong ones until they were wrong often enough. Of those that lack a barrier not each is
wrong in every order of threads. nvcc 13.0 compiles each for 8.0, all members of a base in one
file; none was run on a GPU. Bases and right ones are right, and all others wrong or refused by
a fault:

    sixtyeight_sail_rest_no_stream          on another stream, unless 4 divides n
    sixtyeight_sail_packs_rounded_up        unless 4 divides n
    sixtyeight_sail_square                  of speeds below 0
    sixtyeight_sail_rest_of_two             if 3 numbers are left
    sixtyeight_sail_a_anywhere              from 4 numbers on, by the address of a
    sixtyeight_brew_two_of_three            from 2 numbers on, by the address of y alone
    sixtyeight_brew_in_halves               of differences that are not halves
    sixtyeight_brew_odd_forgotten           of odd counts, where pairs are taken
    sixtyeight_brew_every_other_step        from 2,050 numbers on at 32, where pairs are taken
    sixtyeight_brew_first_room              if an earlier call had another room
    sixtyeight_pluck_half_added             of every other tie
    sixtyeight_pluck_not_the_least          from -127.5 down
    sixtyeight_pluck_nan_runs_into_limit    of NaN
    sixtyeight_pluck_three_are_a_pack       if 3 numbers are left
    sixtyeight_pluck_first_pair_again       from 4 numbers on
    sixtyeight_crumb_group_of_packs         from 36 numbers on
    sixtyeight_crumb_rest_with_first_scale  from 33 numbers on, unless 4 divides n
    sixtyeight_crumb_unsigned_packs         of bytes below 0, from 4 numbers on
    sixtyeight_crumb_zeros_skipped          if a scale is 0, from 4 numbers on
    sixtyeight_crumb_y_anywhere             from 4 numbers on, by the address of y
    sixtyeight_thaw_by_exponentials         from about 3.8 on, and far below 0
    sixtyeight_thaw_no_factor               of nearly all
    sixtyeight_thaw_always_192              of other block sizes, from a second block on
    sixtyeight_thaw_one_too_many            unless the block size divides n
    sixtyeight_thaw_limit_of_blocks         from 65,536 blocks on: 2,097,121 numbers at 32
    sixtyeight_gauge_blocks_overlap         from a second block on
    sixtyeight_gauge_limits_swapped         of nearly all
    sixtyeight_gauge_slope_from_0           beyond a limit that is not 0, unless the slope is 0
    sixtyeight_gauge_steps_of_a_warp        from 161 numbers on at 64
    sixtyeight_gauge_rounded_on_the_way     beyond a limit, where what is added is no half
    sixtyeight_purse_not_set_back           from a second call on
    sixtyeight_purse_magnitude_of_int       of the least integer
    sixtyeight_purse_last_part_left_out     unless the last part is 0
    sixtyeight_purse_no_barrier             where threads do not wait for another
    sixtyeight_purse_no_stream              on another stream than the default one
    sixtyeight_mirror_one_too_far           of nearly all
    sixtyeight_mirror_product_of_halves     of products that are not halves
    sixtyeight_mirror_no_middle             of an odd number of columns
    sixtyeight_mirror_four_steps            from 17 columns on
    sixtyeight_mirror_rows_rounded_down     unless 4 divides the rows
    sixtyeight_stray_starts_at_0            of rows that are all at the aim
    sixtyeight_stray_later_of_equal         from 129 columns on, of equal ones of a thread
    sixtyeight_stray_first_aim              from 2 rows on
    sixtyeight_stray_half_a_tree            from 65 columns on
    sixtyeight_stray_shifts_in_place        unless all aims are 0: x is overwritten
    sixtyeight_hedge_no_barrier             where threads do not wait for another
    sixtyeight_hedge_square_planes          from 2 planes on, unless they are square
    sixtyeight_hedge_indices_of_way_in      of nearly all
    sixtyeight_hedge_grid_swapped           unless the tiles are as many each way
    sixtyeight_hedge_first_picture          from 2 planes on
    sixtyeight_widest_starts_at_0           if all ways are below 0
    sixtyeight_widest_pitch_of_a            unless n and k are alike
    sixtyeight_widest_no_second_barrier     from k = 17 on, where threads do not wait
    sixtyeight_widest_short_tiles           beyond 16 bits, and if 16 does not divide k
    sixtyeight_widest_or_for_and            unless 16 divides both sides
    sixtyeight_choir_one_load               from 2 rows on, where a place beyond a piece is read
    sixtyeight_choir_no_first_barrier       where threads do not wait for another
    sixtyeight_choir_first_piece            from n = 65 on
    sixtyeight_choir_whole_pieces           unless 64 divides n
    sixtyeight_choir_last_not_loaded        unless the last of h or of x is 0
    sixtyeight_blame_answer_of_block        from 2 rows on
    sixtyeight_blame_starts_at_0            of rows that are far below 0
    sixtyeight_blame_less_before_division   from 2 columns on
    sixtyeight_blame_shuffles_down          from 2 columns on
    sixtyeight_blame_one_column_a_lane      from 33 columns on
    sixtyeight_plane_no_last_barrier        where threads do not wait for another
    sixtyeight_plane_nan_is_flat            of NaN
    sixtyeight_plane_eps_outside            of nearly all
    sixtyeight_plane_squares_less_square    of rows with a mean far from 0
    sixtyeight_plane_centred_in_x           unless the mean is 0: x is overwritten
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import whole

# One who sails: a speed after a push and a drag, float4 by one kernel, the rest by another.
SAIL = (
    HEADER
    + """\
__device__ float slowed(float v, float a, float k) { return v + a - k * v * fabsf(v); }

__global__ void sail_packs(const float4* v, const float4* a, float4* y, float k, int packs) {
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= packs) return;
  float4 u = v[p];
  float4 w = a[p];
  y[p] = make_float4(slowed(u.x, w.x, k), slowed(u.y, w.y, k), slowed(u.z, w.z, k),
                     slowed(u.w, w.w, k));
}

__global__ void sail_rest(const float* v, const float* a, float* y, float k, int from, int n) {
  int i = from + threadIdx.x;
  if (i < n) y[i] = slowed(v[i], a[i], k);
}

extern "C" void launch(const float* v,  // [n] 16-byte aligned
                       const float* a,  // [n] 16-byte aligned
                       float* y,        // [n] 16-byte aligned
                       float k, int n, int block_size = 128, cudaStream_t stream = 0) {
  int packs = n / 4;
  int blocks = (packs + block_size - 1) / block_size;
  if (blocks > 0)
    sail_packs<<<blocks, block_size, 0, stream>>>((const float4*)v, (const float4*)a,
                                                  (float4*)y, k, packs);
  if (n % 4 > 0) sail_rest<<<1, 4, 0, stream>>>(v, a, y, k, 4 * packs, n);
}
"""
)

# One who brews: heat that goes to the room, each at a rate of its own; half2 where it may.
BREW = (
    HEADER
    + """\
__device__ float cooled(float a, float r, float room)
{
    return a + r * (room - a);
}

__global__ void brew(const half *a, const half *r, half *y, float room, bool pairs, int n)
{
    int first = blockIdx.x * blockDim.x + threadIdx.x;
    int step = gridDim.x * blockDim.x;
    int done = 0;
    if (pairs) {
        for (int p = first; p < n / 2; p += step) {
            float2 u = __half22float2(((const half2 *)a)[p]);
            float2 v = __half22float2(((const half2 *)r)[p]);
            ((half2 *)y)[p] =
                __floats2half2_rn(cooled(u.x, v.x, room), cooled(u.y, v.y, room));
        }
        done = n / 2 * 2;
    }
    for (int i = done + first; i < n; i += step)
        y[i] = __float2half(cooled(__half2float(a[i]), __half2float(r[i]), room));
}

static bool round4(const void *p)
{
    return (uintptr_t)p % 4 == 0;
}

extern "C" void launch(const half *a,  // [n]
                       const half *r,  // [n]
                       half *y,        // [n]
                       float room, int n, int block_size = 64, cudaStream_t stream = 0)
{
    bool pairs = round4(a) && round4(r) && round4(y);
    int blocks = (n + 2 * block_size - 1) / (2 * block_size);
    if (blocks > 32)
        blocks = 32;
    brew<<<blocks, block_size, 0, stream>>>(a, r, y, room, pairs, n);
}
"""
)

# One who plays the harp: bfloat16 to signed bytes, four a thread, which also takes the rest.
PLUCK = (
    HEADER
    + """\
__device__ int8_t fret(float v, float steps) {
  float q = rintf(v * steps);
  if (q != q) return 0;
  return (int8_t)fminf(fmaxf(q, -128.0f), 127.0f);
}

__global__ void pluck(const __nv_bfloat16* x, int8_t* y, float steps, int n) {
  int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (i + 3 < n) {
    const __nv_bfloat162* p = (const __nv_bfloat162*)(x + i);
    float2 u = __bfloat1622float2(p[0]);
    float2 v = __bfloat1622float2(p[1]);
    *(char4*)(y + i) =
        make_char4(fret(u.x, steps), fret(u.y, steps), fret(v.x, steps), fret(v.y, steps));
  } else {
    for (; i < n; i++) y[i] = fret(__bfloat162float(x[i]), steps);
  }
}

extern "C" void launch(const __nv_bfloat16* x,  // [n] 4-byte aligned
                       int8_t* y,               // [n] 4-byte aligned
                       float steps, int n, cudaStream_t stream = 0) {
  int threads = (n + 3) / 4;
  pluck<<<(threads + 63) / 64, 64, 0, stream>>>(x, y, steps, n);
}
"""
)

# One who packs weights: bytes to halves with a scale for each 32, packs in a grid's loop.
CRUMB = (
    HEADER
    + """\
#define GROUP 32

__global__ void crumb(const int8_t *x, const half *s, half *y, int n)
{
    int first = blockIdx.x * blockDim.x + threadIdx.x;
    for (int p = first; p < n / 4; p += gridDim.x * blockDim.x) {
        char4 q = ((const char4 *)x)[p];
        float f = __half2float(s[4 * p / GROUP]);
        half2 *out = (half2 *)y + 2 * p;
        out[0] = __floats2half2_rn(q.x * f, q.y * f);
        out[1] = __floats2half2_rn(q.z * f, q.w * f);
    }
    int i = n / 4 * 4 + first;
    if (i < n)
        y[i] = __float2half(x[i] * __half2float(s[i / GROUP]));
}

extern "C" void launch(const int8_t *x,  // [n] 4-byte aligned
                       const half *s,    // [groups]
                       half *y,          // [n] 4-byte aligned
                       int n, int groups, int block_size = 64, cudaStream_t stream = 0)
{
    int blocks = n / (4 * block_size) + 1;
    if (blocks > 24)
        blocks = 24;
    crumb<<<blocks, block_size, 0, stream>>>(x, s, y, n);
}
"""
)

# One who skates on thin ice: a number times the tanh of its exponential, one a thread.
THAW = (
    HEADER
    + """\
__global__ void thaw(const float* __restrict__ x, float* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  y[i] = v * tanhf(expf(v));
}

extern "C" void launch(const float* x,  // [n]
                       float* y,        // [n]
                       int n, int block_size = 192, cudaStream_t stream = 0) {
  int blocks = (n + block_size - 1) / block_size;
  thaw<<<blocks, block_size, 0, stream>>>(x, y, n);
}
"""
)

# One who reads gauges: what lies beyond two limits goes on with a slope, four a thread.
GAUGE = (
    HEADER
    + """\
#define EACH 4

__device__ float eased(float v, float lo, float hi, float slope)
{
    if (v < lo)
        return lo + slope * (v - lo);
    if (v > hi)
        return hi + slope * (v - hi);
    return v;
}

__global__ void gauge(const half *x, half *y, float lo, float hi, float slope, int n)
{
    int start = EACH * blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < EACH; k++) {
        int i = start + k * blockDim.x;
        if (i < n)
            y[i] = __float2half(eased(__half2float(x[i]), lo, hi, slope));
    }
}

extern "C" void launch(const half *x,  // [n]
                       half *y,        // [n]
                       float lo, float hi, float slope, int n, int block_size = 96,
                       cudaStream_t stream = 0)
{
    int each = EACH * block_size;
    gauge<<<(n + each - 1) / each, block_size, 0, stream>>>(x, y, lo, hi, slope, n);
}
"""
)

# One who keeps a purse: all gains and all losses, by a ticket for the block that is last.
PURSE = (
    HEADER
    + """\
#define T 128
#define MOST 64

__device__ long long gain_of[MOST], loss_of[MOST];
__device__ unsigned int finished;

__global__ void purse(const int* x, int64_t* gains, int64_t* losses, int n) {
  __shared__ long long g[T], l[T];
  int t = threadIdx.x;
  long long up = 0, down = 0;
  for (int i = blockIdx.x * T + t; i < n; i += gridDim.x * T) {
    long long v = x[i];
    if (v > 0) up += v;
    if (v < 0) down -= v;
  }
  g[t] = up;
  l[t] = down;
  __syncthreads();
  for (int h = T / 2; h > 0; h /= 2) {
    if (t < h) {
      g[t] += g[t + h];
      l[t] += l[t + h];
    }
    __syncthreads();
  }
  if (t > 0) return;
  gain_of[blockIdx.x] = g[0];
  loss_of[blockIdx.x] = l[0];
  __threadfence();
  if (atomicAdd(&finished, 1u) != gridDim.x - 1) return;
  __threadfence();
  long long a = 0, b = 0;
  for (int k = 0; k < gridDim.x; k++) {
    a += ((volatile long long*)gain_of)[k];
    b += ((volatile long long*)loss_of)[k];
  }
  gains[0] = a;
  losses[0] = b;
  finished = 0;
}

extern "C" void launch(const int* x,     // [n]
                       int64_t* gains,   // [1]
                       int64_t* losses,  // [1]
                       int n, cudaStream_t stream = 0) {
  int blocks = n < MOST * T ? (n + T - 1) / T : MOST;
  purse<<<blocks, T, 0, stream>>>(x, gains, losses, n);
}
"""
)

# One who likes palindromes: each row times itself read backwards, a warp a row.
MIRROR = (
    HEADER
    + """\
__global__ void mirror(const half *x, float *y, int rows, int cols)
{
    int r = blockIdx.x * blockDim.y + threadIdx.y;
    if (r >= rows)
        return;
    const half *row = x + (size_t)r * cols;
    float sum = 0.0f;
    for (int c = threadIdx.x; c < cols; c += 32)
        sum += __half2float(row[c]) * __half2float(row[cols - 1 - c]);
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, d);
    if (threadIdx.x == 0)
        y[r] = sum;
}

extern "C" void launch(const half *x,  // [rows, cols]
                       float *y,       // [rows]
                       int rows, int cols, cudaStream_t stream = 0)
{
    dim3 block(32, 4);
    mirror<<<(rows + 3) / 4, block, 0, stream>>>(x, y, rows, cols);
}
"""
)

# One who shoots arrows: the farthest from the aim of each row and its place, a block a row.
STRAY = (
    HEADER
    + """\
#define T 128

__global__ void stray(const float* x, const float* aim, float* far, int* place, int cols) {
  __shared__ float best[T];
  __shared__ int where[T];
  int t = threadIdx.x;
  const float* row = x + (size_t)blockIdx.x * cols;
  float a = aim[blockIdx.x];
  best[t] = -1.0f;
  where[t] = cols;
  for (int c = t; c < cols; c += T) {
    float d = fabsf(row[c] - a);
    if (d > best[t]) {
      best[t] = d;
      where[t] = c;
    }
  }
  __syncthreads();
  for (int h = T / 2; h > 0; h /= 2) {
    if (t < h) {
      bool equal = best[t + h] == best[t];
      if (best[t + h] > best[t] || (equal && where[t + h] < where[t])) {
        best[t] = best[t + h];
        where[t] = where[t + h];
      }
    }
    __syncthreads();
  }
  if (t == 0) {
    far[blockIdx.x] = best[0];
    place[blockIdx.x] = where[0];
  }
}

extern "C" void launch(const float* x,    // [rows, cols]
                       const float* aim,  // [rows]
                       float* far,        // [rows]
                       int* place,        // [rows]
                       int rows, int cols, cudaStream_t stream = 0) {
  stray<<<rows, T, 0, stream>>>(x, aim, far, place, cols);
}
"""
)

# One who cuts hedges: pictures of bytes turned and made negative, a plane each in z.
HEDGE = (
    HEADER
    + """\
#define S 16

__global__ void hedge(const uint8_t *x, uint8_t *y, int rows, int cols)
{
    __shared__ uint8_t tile[S][S + 4];
    int tx = threadIdx.x, ty = threadIdx.y;
    size_t plane = (size_t)blockIdx.z * rows * cols;
    int r = blockIdx.y * S + ty;
    int c = blockIdx.x * S + tx;
    if (r < rows && c < cols)
        tile[ty][tx] = 255 - x[plane + (size_t)r * cols + c];
    __syncthreads();
    r = blockIdx.y * S + tx;
    c = blockIdx.x * S + ty;
    if (r < rows && c < cols)
        y[plane + (size_t)c * rows + r] = tile[tx][ty];
}

extern "C" void launch(const uint8_t *x,  // [planes, rows, cols]
                       uint8_t *y,        // [planes, cols, rows]
                       int planes, int rows, int cols, cudaStream_t stream = 0)
{
    dim3 grid((cols + S - 1) / S, (rows + S - 1) / S, planes);
    hedge<<<grid, dim3(S, S), 0, stream>>>(x, y, rows, cols);
}
"""
)

# One who drives wide loads: the widest of all ways over k, each as wide as its narrower half.
WIDEST = (
    HEADER
    + """\
#define S 16
#define NONE (-2147483647 - 1)

__global__ void widest(const int* a, const int* b, int* c, int m, int n, int k) {
  __shared__ int as[S][S], bs[S][S];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * S + ty;
  int col = blockIdx.x * S + tx;
  int best = NONE;
  for (int q = 0; q < k; q += S) {
    as[ty][tx] = row < m && q + tx < k ? a[(size_t)row * k + q + tx] : NONE;
    bs[ty][tx] = q + ty < k && col < n ? b[(size_t)(q + ty) * n + col] : NONE;
    __syncthreads();
    for (int h = 0; h < S; h++) best = max(best, min(as[ty][h], bs[h][tx]));
    __syncthreads();
  }
  if (row < m && col < n) c[(size_t)row * n + col] = best;
}

extern "C" void launch(const int* a,  // [m, k]
                       const int* b,  // [k, n]
                       int* c,        // [m, n]
                       int m, int n, int k, cudaStream_t stream = 0) {
  dim3 grid((n + S - 1) / S, (m + S - 1) / S);
  widest<<<grid, dim3(S, S), 0, stream>>>(a, b, c, m, n, k);
}
"""
)

# One who sings: a matrix whose places i, j hold h[i + j], times a vector, in pieces of both.
CHOIR = (
    HEADER
    + """\
#define T 64

__global__ void choir(const float *h, const float *x, float *y, int m, int n, int len)
{
    __shared__ float hs[2 * T], xs[T];
    int t = threadIdx.x;
    int i0 = blockIdx.x * T;
    float sum = 0.0f;
    for (int q = 0; q < n; q += T) {
        if (q + t < n)
            xs[t] = x[q + t];
        for (int k = t; k < 2 * T; k += T)
            hs[k] = i0 + q + k < len ? h[i0 + q + k] : 0.0f;
        __syncthreads();
        for (int j = 0; j < T && q + j < n; j++)
            sum += hs[t + j] * xs[j];
        __syncthreads();
    }
    if (i0 + t < m)
        y[i0 + t] = sum;
}

extern "C" void launch(const float *h,  // [len]
                       const float *x,  // [n]
                       float *y,        // [m]
                       int m, int n, int len, cudaStream_t stream = 0)
{
    choir<<<(m + T - 1) / T, T, 0, stream>>>(h, x, y, m, n, len);
}
"""
)

# One who marks exams: softmax in one pass less 1 for the right answer, a warp a row.
BLAME = (
    HEADER
    + """\
__global__ void blame(const float* x, const int* answer, float* y, int rows, int cols) {
  int r = blockIdx.x * blockDim.y + threadIdx.y;
  if (r >= rows) return;
  const float* row = x + (size_t)r * cols;
  float* out = y + (size_t)r * cols;
  float m = -FLT_MAX, s = 0.0f;
  for (int c = threadIdx.x; c < cols; c += 32) {
    float v = row[c];
    if (v > m) {
      s = s * expf(m - v) + 1.0f;
      m = v;
    } else {
      s += expf(v - m);
    }
  }
  for (int d = 16; d > 0; d /= 2) {
    float m2 = __shfl_xor_sync(0xffffffff, m, d);
    float s2 = __shfl_xor_sync(0xffffffff, s, d);
    float most = fmaxf(m, m2);
    s = s * expf(m - most) + s2 * expf(m2 - most);
    m = most;
  }
  int right = answer[r];
  for (int c = threadIdx.x; c < cols; c += 32)
    out[c] = expf(row[c] - m) / s - (c == right ? 1.0f : 0.0f);
}

extern "C" void launch(const float* x,     // [rows, cols]
                       const int* answer,  // [rows]
                       float* y,           // [rows, cols]
                       int rows, int cols, cudaStream_t stream = 0) {
  blame<<<(rows + 7) / 8, dim3(32, 8), 0, stream>>>(x, answer, y, rows, cols);
}
"""
)

# One who planes wood: layer norm in two passes and what is above 0 of it, a block a row.
PLANE = (
    HEADER
    + """\
#define T 64

__device__ float all_of(float v, float *s)
{
    int t = threadIdx.x;
    s[t] = v;
    __syncthreads();
    for (int h = T / 2; h > 0; h /= 2) {
        if (t < h)
            s[t] += s[t + h];
        __syncthreads();
    }
    float total = s[0];
    __syncthreads();
    return total;
}

__global__ void plane(const float *x, const float *g, const float *b, float *y, float eps,
                      int cols)
{
    __shared__ float s[T];
    const float *row = x + (size_t)blockIdx.x * cols;
    float sum = 0.0f, sq = 0.0f;
    for (int c = threadIdx.x; c < cols; c += T)
        sum += row[c];
    float mean = all_of(sum, s) / cols;
    for (int c = threadIdx.x; c < cols; c += T)
        sq += (row[c] - mean) * (row[c] - mean);
    float f = rsqrtf(all_of(sq, s) / cols + eps);
    for (int c = threadIdx.x; c < cols; c += T) {
        float v = (row[c] - mean) * f * g[c] + b[c];
        y[(size_t)blockIdx.x * cols + c] = v < 0.0f ? 0.0f : v;
    }
}

extern "C" void launch(const float *x,  // [rows, cols]
                       const float *g,  // [cols]
                       const float *b,  // [cols]
                       float *y,        // [rows, cols]
                       float eps, int rows, int cols, cudaStream_t stream = 0)
{
    plane<<<rows, T, 0, stream>>>(x, g, b, y, eps, cols);
}
"""
)

NAN, INF = float("nan"), float("inf")
LENGTHS = (*range(1, 71), 95, 96, 97, 127, 128, 129, 191, 192, 193, 255, 256, 257, 383, 384)
LENGTHS += (385, 511, 512, 513, 1000, 1023, 1024, 1025, 2047, 2049, 4096, 4099, 4225)
SIDES = ((1, 1), (2, 1), (1, 2), (3, 2), (4, 31), (5, 32), (8, 33), (33, 8), (2, 64), (65, 3))
SIDES += ((9, 70), (70, 1), (3, 1000), (1, 4099), (64, 70), (130, 6), (40, 50), (32, 32))
SIDES += ((301, 2), (3, 129), (7, 128), (5, 63), (65, 65), (6, 6), (7, 10), (2, 130))
FLOAT, HALF, WHOLE = (torch.float32,), (torch.float16,), (torch.int32,)


def sails(launcher: Launcher) -> Iterator[Case]:
    """Slow whole numbers, so that all is exact: usual, no drag, zeros, infinities, NaN."""
    for n in (*LENGTHS, 9_001, 20_003):
        v, a = (whole(-999, 1000, n, 2 * n + k).float() for k in range(2))
        j = torch.arange(n)
        for label, p, q, k in (
            ("usual", v, a, 0.25),
            ("no drag", v, a, 0.0),
            ("zeros", torch.where(j % 2 == 1, 0.0, -0.0), a * 0, 0.5),
            ("infinities", torch.where(j % 5 == 2, -INF, v), a, 0.5),
            ("NaN", v, torch.where(j % 3 == 1, NAN, a), 0.125),
        ):
            right = p.double() + q.double() - k * p.double() * p.double().abs()
            for block_size in (128, 32):
                scalars = {"k": k, "block_size": block_size}
                options = {"dtypes": FLOAT, "quick": n > 5000}
                words = f"n = {n:,}, {scalars}, {label}"
                yield Case(words, (p, q), (right,), scalars, **options)
            if n < 300 and label == "usual":
                words = f"n = {n:,}, slices from (4, 8, 4)"
                more = {**options, "offset": (4, 8, 4)}
                yield Case(words, (p, q), (right,), {"k": k}, **more)


def brews(launcher: Launcher) -> Iterator[Case]:
    """Cool, where only the last step rounds: usual, a fine room, hot, NaN; slices."""
    for n in (*LENGTHS, 9_001):
        a, r, j = whole(0, 2048, n, 2 * n), whole(0, 17, n, 2 * n + 1), torch.arange(n)
        for label, p, q, room in (
            ("usual", a, r / 16, 20.0),
            ("small", a / 64, r / 16, 1.25),
            ("hot", a * 16, r / 16, 300.0),
            ("a large room", a, r / 8, 4097.0),
            ("NaN", torch.where(j % 3 == 1, NAN, a.double()), r / 16, 8.0),
            ("NaN in rates", a, torch.where(j % 4 == 2, NAN, r / 16), 8.0),
            ("infinities", torch.where(j % 3 == 1, INF, a.double()), r / 16, 8.0),
        ):
            p, q = p.half(), q.half()
            right = p.double() + q.double() * (room - p.double())
            for block_size in (64, 32):
                scalars = {"room": room, "block_size": block_size}
                options = {"dtypes": HALF, "quick": n > 5000}
                words = f"n = {n:,}, {scalars}, {label}"
                yield Case(words, (p, q), (right,), scalars, **options)
            if n < 300 and label == "usual":
                for offsets in ((2, 4, 1), (1, 2, 2), (4, 1, 2), (2, 2, 4), (1, 1, 1)):
                    words = f"n = {n:,}, slices from {offsets}"
                    more = {**options, "offset": offsets}
                    yield Case(words, (p, q), (right,), {"room": room}, **more)


def plucks(launcher: Launcher) -> Iterator[Case]:
    """Round to frets: any, between two, beyond the range, infinities, NaN."""
    for n in (*LENGTHS, 9_001):
        x, j = whole(-255, 256, n, n), torch.arange(n)
        for label, y, steps in (
            ("any", x / 8, 3.0),
            ("between two", x % 100 - 49.5, 1.0),
            ("beyond the range", x.float(), 1.0),
            ("at the ends", x % 5 - 130.0, 1.0),
            ("infinities", torch.where(j % 3 == 1, INF * (1 - j % 2 * 2), x / 16), 0.5),
            ("NaN", torch.where(j % 3 == 1, NAN, x / 16), 2.0),
        ):
            y = y.bfloat16()
            right = (y.double() * steps).round().nan_to_num(0.0, INF, -INF).clamp(-128, 127)
            options = {"dtypes": (torch.int8,), "quick": n > 5000}
            words = f"n = {n:,}, steps = {steps}, {label}"
            yield Case(words, (y,), (right,), {"steps": steps}, **options)
            if n < 200 and label == "any":
                words = f"n = {n:,}, slices from (2, 4)"
                yield Case(words, (y,), (right,), {"steps": steps}, offset=(2, 4), **options)


def crumbs(launcher: Launcher) -> Iterator[Case]:
    """Widen bytes, where only the last step rounds: any, alike, large, zeros, NaN; slices."""
    for n in (*LENGTHS, 9_001):
        x, groups = whole(-128, 128, n, n).to(torch.int8), (n + 31) // 32
        s, j = whole(1, 2000, groups, n + 1).double() / 64, torch.arange(groups)
        for label, t in (
            ("any", s),
            ("scale 1", s * 0 + 1),
            ("large scales", s * 1000),
            ("some zeros", torch.where(j % 2 == 0, 0.0, s)),
            ("negative", -s),
            ("NaN", torch.where(j % 2 == 0, NAN, s)),
        ):
            t = t.half()
            right = x.double() * t.double().repeat_interleave(32)[:n]
            for block_size in (64, 32):
                scalars = {"block_size": block_size}
                options = {"dtypes": HALF, "quick": n > 5000}
                words = f"n = {n:,}, {scalars}, {label}"
                yield Case(words, (x, t), (right,), scalars, **options)
            if n < 300 and label == "any":
                words = f"n = {n:,}, slices from (4, 1, 2)"
                yield Case(words, (x, t), (right,), {}, offset=(4, 1, 2), **options)


def thaws(launcher: Launcher) -> Iterator[Case]:
    """Thaw: usual, small, large and far below 0, infinities, zeros, NaN; many blocks."""
    for n in (*LENGTHS, 9_001, 70_003, 2_097_185):
        x, j = whole(-999, 1000, n, n).float() / 128, torch.arange(n)
        for label, y in (
            ("usual", x),
            ("small", x / 8192),
            ("large", x.abs() * 16),
            ("far below 0", -x.abs() * 8),
            ("infinity", torch.where(j % 2 == 1, INF, x)),
            ("zeros", torch.where(j % 2 == 1, 0.0, -0.0)),
            ("NaN", torch.where(j % 3 == 1, NAN, x)),
        ):
            for block_size in (192, 256, 32):
                if n > 100_000 and (label != "usual" or block_size > 32):
                    continue
                v = y.double()
                right = v * v.exp().tanh()
                slack = (2.0**-20 * right.abs() * (1 + v.abs() / 16)).nan_to_num(0.0, 0.0)
                slack = ((slack + 2.0**-126) * (v != 0),)
                scalars = {"block_size": block_size}
                options = {"dtypes": FLOAT, "within": slack, "quick": n > 5000}
                yield Case(f"n = {n:,}, {scalars}, {label}", (y,), (right,), scalars, **options)


def gauges(launcher: Launcher) -> Iterator[Case]:
    """Ease, where only the last step rounds: usual, no slope, narrow, far, infinities, NaN."""
    for n in (*LENGTHS, 9_001):
        x, j = whole(-2047, 2048, n, n), torch.arange(n)
        for label, y, lo, hi, slope in (
            ("usual", x / 64, -10.0, 12.0, 0.125),
            ("no slope", x / 64, 0.0, 6.0, 0.0),
            ("narrow limits", x / 16, -0.25, 1.5, 0.375),
            ("far beyond", x * 16, 3.0, 2049.0, 0.5),
            ("infinities", torch.where(j % 2 == 1, INF * (1 - j % 4), x / 64), -1.0, 1.0, 0.25),
            ("NaN", torch.where(j % 3 == 1, NAN, x / 64), -4.0, 4.0, 0.25),
        ):
            y = y.half()
            v = y.double()
            right = torch.where(v > hi, hi + slope * (v - hi), v)
            right = torch.where(v < lo, lo + slope * (v - lo), right)
            for block_size in (96, 64, 256):
                scalars = {"lo": lo, "hi": hi, "slope": slope, "block_size": block_size}
                words = f"n = {n:,}, {scalars}, {label}"
                options = {"dtypes": HALF, "quick": n > 5000}
                yield Case(words, (y,), (right,), scalars, **options)


def purses(launcher: Launcher) -> Iterator[Case]:
    """Add up: any, gains, losses, large ones, the least of all, the last alone."""
    for n in (*LENGTHS, 9_001, 20_001, 77, 300):
        x, j = whole(-99, 100, n, n), torch.arange(n)
        for label, y in (
            ("any", x),
            ("gains", x.abs() + 1),
            ("losses", -x.abs() - 1),
            ("large", x * 20_000_000),
            ("the least", torch.where(j % 3 == 0, -(2**31), x)),
            ("the last alone", torch.where(j == n - 1, 7, 0)),
        ):
            right = y.clamp(min=0).sum().reshape(1), -y.clamp(max=0).sum().reshape(1)
            options = {"dtypes": (torch.int64, torch.int64), "quick": n > 5000}
            yield Case(f"n = {n:,}, {label}", (y.int(),), right, **options)


def mirrors(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole numbers, so that all is exact: any, ones, rising, large, one, NaN."""
    for rows, cols in (*SIDES, (3, 2_001), (513, 3)):
        n = rows * cols
        x, c = whole(-30, 31, n, n).reshape(rows, cols).double(), torch.arange(cols)
        for label, y in (
            ("any", x),
            ("ones", x * 0 + 1),
            ("rising", x * 0 + c % 50),
            ("large", x.clamp(-9, 9) * 1024),
            ("the ends alone", torch.where((c == 0) | (c == cols - 1), 5.0, 0.0) + 0 * x),
            ("NaN", torch.where(c == cols // 2, NAN, x)),
        ):
            y = y.half()
            right = (y.double() * y.double().flip(1)).sum(1)
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y,), (right,), dtypes=FLOAT)


def strays(launcher: Launcher) -> Iterator[Case]:
    """Look for the farthest: any, few values, all at the aim, below it, the last, infinity."""
    for rows, cols in (*SIDES, (3, 2_001), (513, 3)):
        n = rows * cols
        x, c = whole(-999, 1000, n, n).reshape(rows, cols).double(), torch.arange(cols)
        aim = whole(-99, 100, rows, rows).double()
        for label, y, a in (
            ("any", x, aim),
            ("few values", x % 3, aim * 0 + 1),
            ("at the aim", x * 0 + aim[:, None], aim),
            ("below the aim", x, aim + 2000),
            ("the last", torch.where(c == cols - 1, -5000.0, x), aim),
            ("infinity", torch.where(c == cols // 2, -INF, x), aim),
        ):
            d = (y - a[:, None]).abs()
            best = d.amax(1)
            place = (d == best[:, None]).int().argmax(1)
            words, inputs = f"rows = {rows:,}, cols = {cols:,}, {label}", (y.float(), a.float())
            yield Case(words, inputs, (best, place), dtypes=(torch.float32, torch.int32))


def hedges(launcher: Launcher) -> Iterator[Case]:
    """Turn pictures: one, two and several planes of any bytes, and all white ones."""
    for rows, cols in (*SIDES, (31, 200), (200, 31), (300, 1), (33, 65), (16, 16), (17, 15)):
        for planes in (1, 2, 5):
            n = planes * rows * cols
            x = whole(0, 256, n, n).reshape(planes, rows, cols)
            for label, y in (("any", x), ("white", x * 0 + 255), ("black", x * 0)):
                words = f"planes = {planes}, rows = {rows:,}, cols = {cols:,}, {label}"
                right = 255 - y.transpose(1, 2)
                yield Case(words, (y.to(torch.uint8),), (right,), dtypes=(torch.uint8,))


def widths(launcher: Launcher) -> Iterator[Case]:
    """Look for ways: any, small, all below 0, large, alike, the last alone."""
    sides = ((1, 1, 1), (1, 2, 3), (2, 1, 40), (3, 5, 7), (16, 16, 16), (17, 15, 33))
    sides += ((15, 17, 65), (5, 40, 1), (40, 5, 2), (33, 31, 20), (1, 70, 31), (70, 1, 32))
    sides += ((20, 65, 48), (65, 20, 5), (3, 2, 1000), (2, 3, 300))
    for m, n, k in (*sides, *((7, 9, k) for k in range(2, 64, 3))):
        a = whole(-999, 1000, m * k, m + k).reshape(m, k)
        b = whole(-999, 1000, k * n, n).reshape(k, n)
        h = torch.arange(k)
        for label, s, t in (
            ("any", a, b),
            ("small", a % 7, b % 7),
            ("all below 0", -a.abs() - 1, -b.abs() - 1),
            ("large", a * 2_000_000, b * 2_000_000),
            ("alike", a * 0 - 8, b * 0 - 8),
            ("the last alone", torch.where(h == k - 1, 1000, a), b + 1000),
        ):
            right = torch.minimum(s[:, :, None], t[None, :, :]).amax(1)
            words = f"m = {m}, n = {n}, k = {k}, {label}"
            yield Case(words, (s.int(), t.int()), (right,), dtypes=WHOLE)


def choirs(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole numbers, so that all is exact: any, ones, the last alone, NaN."""
    sides = [(n, n) for n in (*range(1, 71), 95, 128, 129, 257)]
    sides += [(1, 200), (200, 1), (64, 128), (130, 65), (65, 130), (3, 1000), (1000, 3)]
    for m, n in sides:
        length = m + n - 1
        h, x = whole(-30, 31, length, m + n).double(), whole(-30, 31, n, n).double()
        j, i = torch.arange(n), torch.arange(length)
        places = torch.arange(m)[:, None] + j
        for label, p, q in (
            ("any", h, x),
            ("ones", h, x * 0 + 1),
            ("the last of x alone", h, torch.where(j == n - 1, 3.0, 0.0)),
            ("the last of h alone", torch.where(i == length - 1, 2.0, 0.0), x * 0 + 5),
            ("NaN in x", h, torch.where(j == n // 2, NAN, x)),
            ("NaN at the end of h", torch.where(i == length - 1, NAN, h), x),
        ):
            right = (p[places] * q).sum(1)
            words = f"m = {m:,}, n = {n:,}, {label}"
            yield Case(words, (p.float(), q.float()), (right,), dtypes=FLOAT)


def blames(launcher: Launcher) -> Iterator[Case]:
    """Mark: any, equal, far above and below 0, rising, falling, a mask, a NaN."""
    for rows, cols in (*SIDES, (3, 2_001), (513, 3)):
        n = rows * cols
        x, c = whole(-40, 41, n, n).reshape(rows, cols) / 8.0, torch.arange(cols)
        answer = whole(0, cols, rows, n + 1).int()
        for label, y in (
            ("any", x),
            ("equal", x * 0 + 3),
            ("far above 0", x + 1000),
            ("far below 0", x - 1000),
            ("rising", x * 0 + c / 8.0),
            ("falling", x * 0 - c / 8.0),
            ("a mask", torch.where((c % 3 == 1) & (c > 0), -INF, x)),
            ("NaN", torch.where(c == cols // 2, NAN, x)),
        ):
            y = y.float()
            p = torch.exp(y.double() - y.double().amax(1, True))
            p = p / p.sum(1, keepdim=True)
            one = (c == answer[:, None]).double()
            slack = ((2.0**-18 * p + 2.0**-22 * one + 2.0**-126).nan_to_num(0.0),)
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y, answer), (p - one,), dtypes=FLOAT, within=slack)


def planes(launcher: Launcher) -> Iterator[Case]:
    """Norm whole numbers: any, small, about a large mean, one apart, a NaN; with gains."""
    for rows, cols in (*SIDES, (3, 2_001), (129, 130)):
        n = rows * cols
        x, c = whole(-99, 100, n, n).reshape(rows, cols), torch.arange(cols)
        gain, bias = (whole(-9, 10, cols, cols + k).double() / 4 for k in range(2))
        for label, y, g, b, eps in (
            ("any", x, gain, bias, 1.0),
            ("plain", x, gain * 0 + 1, bias * 0, 0.001),
            ("small", x / 1024, gain, bias, 0.25),
            ("about 4,096", 4096 + x // 10, gain, bias, 0.5),
            ("one apart", torch.where(c == cols // 3, 1032, x * 0 + 1024), gain, bias, 0.125),
            ("all above 0", x, gain * 0 + 1, bias * 0 + 9, 0.5),
            ("NaN", torch.where((x % 9 == 4) & (c == cols // 2), NAN, x), gain, bias, 1.0),
        ):
            v = y.double()
            d = v - v.mean(1, keepdim=True)
            f = 1 / ((d * d).mean(1, keepdim=True) + eps).sqrt()
            right = d * f * g + b
            fine = 2.0**-14 * (d * f * g).abs() + 2.0**-21 * f * v.abs().amax(1, True) * g.abs()
            slack = 2.0**-21 * (right.abs() + b.abs()) + fine + 2.0**-24
            right = torch.where(right < 0, 0.0, right)
            words = f"rows = {rows:,}, cols = {cols:,}, eps = {eps}, {label}"
            inputs, within = (y.float(), g.float(), b.float()), (slack.nan_to_num(0.0),)
            yield Case(words, inputs, (right,), {"eps": eps}, dtypes=FLOAT, within=within)


BASES = {
    "sixtyeight_sail": Base(SAIL, {"cases": sails}),
    "sixtyeight_brew": Base(BREW, {"cases": brews}),
    "sixtyeight_pluck": Base(PLUCK, {"cases": plucks}),
    "sixtyeight_crumb": Base(CRUMB, {"cases": crumbs}),
    "sixtyeight_thaw": Base(THAW, {"cases": thaws}),
    "sixtyeight_gauge": Base(GAUGE, {"cases": gauges}),
    "sixtyeight_purse": Base(PURSE, {"cases": purses}),
    "sixtyeight_mirror": Base(MIRROR, {"cases": mirrors}),
    "sixtyeight_stray": Base(STRAY, {"cases": strays}),
    "sixtyeight_hedge": Base(HEDGE, {"cases": hedges}),
    "sixtyeight_widest": Base(WIDEST, {"cases": widths}),
    "sixtyeight_choir": Base(CHOIR, {"cases": choirs}),
    "sixtyeight_blame": Base(BLAME, {"cases": blames}),
    "sixtyeight_plane": Base(PLANE, {"cases": planes}),
}

WRONG = (
    # ---- sail
    # The rest is launched on the default stream.
    Wrong(
        "sixtyeight_sail_rest_no_stream",
        "sixtyeight_sail",
        "stream",
        ("sail_rest<<<1, 4, 0, stream>>>", "sail_rest<<<1, 4>>>"),
    ),
    # The number of packs is rounded up.
    Wrong(
        "sixtyeight_sail_packs_rounded_up",
        "sixtyeight_sail",
        "bounds / tail | alignment",
        ("int packs = n / 4;", "int packs = (n + 3) / 4;"),
    ),
    # The drag has no sign.
    Wrong(
        "sixtyeight_sail_square",
        "sixtyeight_sail",
        "function | numbers / sign of zero / nan / infinity",
        ("k * v * fabsf(v)", "k * v * v"),
    ),
    # Two threads take the rest, which may have three numbers.
    Wrong(
        "sixtyeight_sail_rest_of_two",
        "sixtyeight_sail",
        "tail / unwritten / left out | nan / numbers / grid",
        ("sail_rest<<<1, 4, 0", "sail_rest<<<1, 2, 0"),
    ),
    # The push may lie anywhere.
    Wrong(
        "sixtyeight_sail_a_anywhere",
        "sixtyeight_sail",
        "alignment",
        ("const float* a,  // [n] 16-byte aligned", "const float* a,  // [n]"),
    ),
    # ---- brew
    # Two of three addresses are asked.
    Wrong(
        "sixtyeight_brew_two_of_three",
        "sixtyeight_brew",
        "alignment",
        ("round4(a) && round4(r) && round4(y)", "round4(a) && round4(r)"),
    ),
    # The difference from the room is a half.
    Wrong(
        "sixtyeight_brew_in_halves",
        "sixtyeight_brew",
        "precision / rounding | numbers / infinity",
        (
            "return a + r * (room - a);",
            "half d = __float2half(room - a);\n    return a + r * __half2float(d);",
        ),
    ),
    # After the pairs nothing is left to do.
    Wrong(
        "sixtyeight_brew_odd_forgotten",
        "sixtyeight_brew",
        "tail / unwritten / left out | nan / numbers",
        ("        done = n / 2 * 2;", "        done = n;"),
    ),
    # The step counts numbers, not pairs.
    Wrong(
        "sixtyeight_brew_every_other_step",
        "sixtyeight_brew",
        "unwritten / left out / grid / other element | nan / tail / numbers",
        ("p < n / 2; p += step", "p < n / 2; p += 2 * step"),
    ),
    # The room is that of the first call.
    Wrong(
        "sixtyeight_brew_first_room",
        "sixtyeight_brew",
        "state | numbers / function",
        (
            "    bool pairs = round4(a)",
            "    static const float at = room;\n    bool pairs = round4(a)",
        ),
        ("(a, r, y, room, pairs, n);", "(a, r, y, at, pairs, n);"),
    ),
    # ---- pluck
    # A half is added and what follows the point cut off.
    Wrong(
        "sixtyeight_pluck_half_added",
        "sixtyeight_pluck",
        "rounding | numbers",
        ("rintf(v * steps)", "floorf(v * steps + 0.5f)"),
    ),
    # The lower limit is that of symmetric bytes.
    Wrong(
        "sixtyeight_pluck_not_the_least",
        "sixtyeight_pluck",
        "infinity / whole range / function | numbers",
        ("fmaxf(q, -128.0f)", "fmaxf(q, -127.0f)"),
    ),
    # NaN runs into a limit.
    Wrong(
        "sixtyeight_pluck_nan_runs_into_limit",
        "sixtyeight_pluck",
        "nan",
        ("  if (q != q) return 0;\n", ""),
    ),
    # A pack is taken where three numbers are left.
    Wrong(
        "sixtyeight_pluck_three_are_a_pack",
        "sixtyeight_pluck",
        "bounds / tail",
        ("if (i + 3 < n)", "if (i + 2 < n)"),
    ),
    # The first pair is loaded twice.
    Wrong(
        "sixtyeight_pluck_first_pair_again",
        "sixtyeight_pluck",
        "other element / neighbour / twice / left out | numbers",
        ("__bfloat1622float2(p[1])", "__bfloat1622float2(p[0])"),
    ),
    # ---- crumb
    # The group is counted as if packs were numbers.
    Wrong(
        "sixtyeight_crumb_group_of_packs",
        "sixtyeight_crumb",
        "other element | numbers / nan / left out / sign of zero",
        ("s[4 * p / GROUP]", "s[p / GROUP]"),
    ),
    # The rest takes the scale by its thread.
    Wrong(
        "sixtyeight_crumb_rest_with_first_scale",
        "sixtyeight_crumb",
        "other element / tail | numbers / nan / sign of zero",
        ("s[i / GROUP]", "s[first / GROUP]"),
    ),
    # Bytes of a pack have no sign.
    Wrong(
        "sixtyeight_crumb_unsigned_packs",
        "sixtyeight_crumb",
        "whole range | numbers / infinity / sign of zero / function",
        ("char4 q = ((const char4 *)x)[p];", "uchar4 q = ((const uchar4 *)x)[p];"),
    ),
    # Groups with a scale of 0 are skipped.
    Wrong(
        "sixtyeight_crumb_zeros_skipped",
        "sixtyeight_crumb",
        "unwritten / left out | nan / numbers",
        (
            "        half2 *out =",
            "        if (f == 0.0f)\n            continue;\n        half2 *out =",
        ),
    ),
    # The result may lie anywhere.
    Wrong(
        "sixtyeight_crumb_y_anywhere",
        "sixtyeight_crumb",
        "alignment",
        ("half *y,          // [n] 4-byte aligned", "half *y,          // [n]"),
    ),
    # ---- thaw
    # The tanh is written with exponentials.
    Wrong(
        "sixtyeight_thaw_by_exponentials",
        "sixtyeight_thaw",
        "infinity / nan / precision | numbers / function",
        (
            "  y[i] = v * tanhf(expf(v));",
            "  float e = expf(2.0f * expf(v));\n  y[i] = v * (e - 1.0f) / (e + 1.0f);",
        ),
    ),
    # The factor is left out.
    Wrong(
        "sixtyeight_thaw_no_factor",
        "sixtyeight_thaw",
        "function | numbers / sign of zero / infinity / nan",
        ("v * tanhf(expf(v))", "tanhf(expf(v))"),
    ),
    # The block size is a number.
    Wrong(
        "sixtyeight_thaw_always_192",
        "sixtyeight_thaw",
        "block size | unwritten / left out / bounds / nan / tail / other element",
        ("blockIdx.x * blockDim.x + threadIdx.x", "blockIdx.x * 192 + threadIdx.x"),
    ),
    # One too many is allowed.
    Wrong(
        "sixtyeight_thaw_one_too_many",
        "sixtyeight_thaw",
        "bounds / tail",
        ("if (i >= n) return;", "if (i > n) return;"),
    ),
    # No more blocks are launched than old cards had.
    Wrong(
        "sixtyeight_thaw_limit_of_blocks",
        "sixtyeight_thaw",
        "grid / unwritten | nan / tail / left out / narrow",
        ("  thaw<<<", "  if (blocks > 65535) blocks = 65535;\n  thaw<<<"),
    ),
    # ---- gauge
    # Blocks begin one after another, though threads take four.
    Wrong(
        "sixtyeight_gauge_blocks_overlap",
        "sixtyeight_gauge",
        "unwritten / left out / twice / other element / tail | nan / grid / neighbour",
        ("int start = EACH * blockIdx.x", "int start = blockIdx.x"),
    ),
    # The limits are in the other order.
    Wrong(
        "sixtyeight_gauge_limits_swapped",
        "sixtyeight_gauge",
        "swapped / function | numbers / infinity",
        ("__half2float(x[i]), lo, hi, slope)", "__half2float(x[i]), hi, lo, slope)"),
    ),
    # The slope is from 0, not from the limit.
    Wrong(
        "sixtyeight_gauge_slope_from_0",
        "sixtyeight_gauge",
        "function | numbers / infinity",
        ("return lo + slope * (v - lo);", "return lo + slope * v;"),
        ("return hi + slope * (v - hi);", "return hi + slope * v;"),
    ),
    # Steps are those of a warp.
    Wrong(
        "sixtyeight_gauge_steps_of_a_warp",
        "sixtyeight_gauge",
        "block size / unwritten / left out / other element / twice | nan / tail",
        ("i = start + k * blockDim.x", "i = start + k * 32"),
    ),
    # What lies beyond the limit is rounded, too.
    Wrong(
        "sixtyeight_gauge_rounded_on_the_way",
        "sixtyeight_gauge",
        "rounding / precision | numbers / infinity",
        ("hi + slope * (v - hi)", "hi + __half2float(__float2half(slope * (v - hi)))"),
        ("lo + slope * (v - lo)", "lo + __half2float(__float2half(slope * (v - lo)))"),
    ),
    # ---- purse
    # Tickets go on in the next call.
    Wrong(
        "sixtyeight_purse_not_set_back",
        "sixtyeight_purse",
        "state | unwritten / numbers",
        ("  finished = 0;\n", ""),
    ),
    # The magnitude is that of an int.
    Wrong(
        "sixtyeight_purse_magnitude_of_int",
        "sixtyeight_purse",
        "whole range / infinity / narrow | numbers",
        ("down -= v;", "down += abs(x[i]);"),
    ),
    # The last part is left out.
    Wrong(
        "sixtyeight_purse_last_part_left_out",
        "sixtyeight_purse",
        "left out / tail | numbers / start / state",
        ("k < gridDim.x; k++", "k < gridDim.x - 1; k++"),
    ),
    # The tree begins before all have stored.
    Wrong(
        "sixtyeight_purse_no_barrier",
        "sixtyeight_purse",
        "race | numbers / left out / unwritten / other element / state",
        ("  l[t] = down;\n  __syncthreads();\n", "  l[t] = down;\n"),
    ),
    # The launch forgets the stream.
    Wrong(
        "sixtyeight_purse_no_stream",
        "sixtyeight_purse",
        "stream | state",
        ("purse<<<blocks, T, 0, stream>>>", "purse<<<blocks, T>>>"),
    ),
    # ---- mirror
    # The row backwards begins one too far.
    Wrong(
        "sixtyeight_mirror_one_too_far",
        "sixtyeight_mirror",
        "neighbour / other element / bounds | numbers",
        ("row[cols - 1 - c]", "row[cols - c]"),
    ),
    # Products are halves.
    Wrong(
        "sixtyeight_mirror_product_of_halves",
        "sixtyeight_mirror",
        "precision / rounding / infinity | numbers",
        (
            "__half2float(row[c]) * __half2float(row[cols - 1 - c])",
            "__half2float(row[c] * row[cols - 1 - c])",
        ),
    ),
    # One half of the row is doubled, and the middle left out.
    Wrong(
        "sixtyeight_mirror_no_middle",
        "sixtyeight_mirror",
        "left out / tail | numbers / nan",
        ("c < cols; c += 32", "c < cols / 2; c += 32"),
        ("        y[r] = sum;", "        y[r] = 2.0f * sum;"),
    ),
    # Four steps of shuffles are taken.
    Wrong(
        "sixtyeight_mirror_four_steps",
        "sixtyeight_mirror",
        "left out / other element | numbers / race / nan",
        ("int d = 16; d > 0;", "int d = 8; d > 0;"),
    ),
    # The number of blocks is rounded down.
    Wrong(
        "sixtyeight_mirror_rows_rounded_down",
        "sixtyeight_mirror",
        "grid / unwritten / tail / left out | refused / nan",
        ("(rows + 3) / 4, block", "rows / 4, block"),
    ),
    # ---- stray
    # The farthest begins with 0.
    Wrong(
        "sixtyeight_stray_starts_at_0",
        "sixtyeight_stray",
        "start | numbers / other element / left out",
        ("best[t] = -1.0f;", "best[t] = 0.0f;"),
    ),
    # Of equal ones the later wins.
    Wrong(
        "sixtyeight_stray_later_of_equal",
        "sixtyeight_stray",
        "other element | numbers / left out",
        ("if (d > best[t]) {", "if (d >= best[t]) {"),
    ),
    # All rows have the first aim.
    Wrong(
        "sixtyeight_stray_first_aim",
        "sixtyeight_stray",
        "other element | numbers / left out",
        ("aim[blockIdx.x]", "aim[0]"),
    ),
    # The tree begins a step too late.
    Wrong(
        "sixtyeight_stray_half_a_tree",
        "sixtyeight_stray",
        "left out | numbers / other element / nan",
        ("int h = T / 2; h > 0;", "int h = T / 4; h > 0;"),
    ),
    # Differences are stored where the numbers were.
    Wrong(
        "sixtyeight_stray_shifts_in_place",
        "sixtyeight_stray",
        "input | state / numbers",
        ("__global__ void stray(const float* x,", "__global__ void stray(float* x,"),
        ("const float* row = x", "float* row = x"),
        ("    float d = fabsf(row[c] - a);", "    row[c] -= a;\n    float d = fabsf(row[c]);"),
        ("stream>>>(x, aim,", "stream>>>((float*)x, aim,"),
    ),
    # ---- hedge
    # The tile is read before all have stored.
    Wrong(
        "sixtyeight_hedge_no_barrier",
        "sixtyeight_hedge",
        "race | numbers / unwritten / other element",
        ("    __syncthreads();\n", ""),
    ),
    # Planes are taken for squares.
    Wrong(
        "sixtyeight_hedge_square_planes",
        "sixtyeight_hedge",
        "sides / other element / bounds / unwritten | numbers / nan / left out / twice",
        ("(size_t)blockIdx.z * rows * cols", "(size_t)blockIdx.z * rows * rows"),
    ),
    # Row and column are those of the way in.
    Wrong(
        "sixtyeight_hedge_indices_of_way_in",
        "sixtyeight_hedge",
        "swapped / other element / sides | numbers / unwritten",
        ("    r = blockIdx.y * S + tx;\n    c = blockIdx.x * S + ty;\n", ""),
    ),
    # Rows are counted in x of the grid.
    Wrong(
        "sixtyeight_hedge_grid_swapped",
        "sixtyeight_hedge",
        "grid / sides / swapped / unwritten / left out | numbers / tail",
        (
            "dim3 grid((cols + S - 1) / S, (rows + S - 1) / S, planes);",
            "dim3 grid((rows + S - 1) / S, (cols + S - 1) / S, planes);",
        ),
    ),
    # Each plane is that of the first picture.
    Wrong(
        "sixtyeight_hedge_first_picture",
        "sixtyeight_hedge",
        "other element / left out | numbers",
        ("x[plane + (size_t)r * cols + c]", "x[(size_t)r * cols + c]"),
    ),
    # ---- widest
    # The widest begins with 0.
    Wrong(
        "sixtyeight_widest_starts_at_0",
        "sixtyeight_widest",
        "start | numbers",
        ("int best = NONE;", "int best = 0;"),
    ),
    # Rows of b have the pitch of a.
    Wrong(
        "sixtyeight_widest_pitch_of_a",
        "sixtyeight_widest",
        "sides / other element / bounds / swapped | numbers",
        ("b[(size_t)(q + ty) * n + col]", "b[(size_t)(q + ty) * k + col]"),
    ),
    # Tiles are filled while they are read.
    Wrong(
        "sixtyeight_widest_no_second_barrier",
        "sixtyeight_widest",
        "race | numbers / other element / left out",
        ("bs[h][tx]));\n    __syncthreads();\n", "bs[h][tx]));\n"),
    ),
    # Tiles have 16 bits.
    Wrong(
        "sixtyeight_widest_short_tiles",
        "sixtyeight_widest",
        "whole range / narrow | numbers / start / tail",
        ("__shared__ int as[S][S], bs[S][S];", "__shared__ short as[S][S], bs[S][S];"),
    ),
    # One of the tests is enough.
    Wrong(
        "sixtyeight_widest_or_for_and",
        "sixtyeight_widest",
        "bounds / sides / other element / race | numbers / tail / left out / start",
        ("if (row < m && col < n) c", "if (row < m || col < n) c"),
    ),
    # ---- choir
    # Each thread loads one of h, though two are needed.
    Wrong(
        "sixtyeight_choir_one_load",
        "sixtyeight_choir",
        "unwritten / left out / other element | numbers / nan / race / tail / bounds",
        ("k = t; k < 2 * T; k += T", "k = t; k < T; k += T"),
    ),
    # Pieces are read before all have stored them.
    Wrong(
        "sixtyeight_choir_no_first_barrier",
        "sixtyeight_choir",
        "race | numbers / unwritten / other element / nan / left out",
        (": 0.0f;\n        __syncthreads();\n", ": 0.0f;\n"),
    ),
    # Each piece of h is the first one.
    Wrong(
        "sixtyeight_choir_first_piece",
        "sixtyeight_choir",
        "other element / left out | numbers / nan",
        (
            "hs[k] = i0 + q + k < len ? h[i0 + q + k] : 0.0f;",
            "hs[k] = i0 + k < len ? h[i0 + k] : 0.0f;",
        ),
    ),
    # The last piece is taken for a whole one.
    Wrong(
        "sixtyeight_choir_whole_pieces",
        "sixtyeight_choir",
        "tail / twice / other element / bounds / unwritten | numbers / nan / state / race",
        ("j < T && q + j < n; j++", "j < T; j++"),
    ),
    # The last of h is not loaded.
    Wrong(
        "sixtyeight_choir_last_not_loaded",
        "sixtyeight_choir",
        "tail / left out | numbers / nan / bounds",
        ("i0 + q + k < len ?", "i0 + q + k < len - 1 ?"),
    ),
    # ---- blame
    # The answer is that of the block.
    Wrong(
        "sixtyeight_blame_answer_of_block",
        "sixtyeight_blame",
        "other element | numbers / left out",
        ("answer[r]", "answer[blockIdx.x]"),
    ),
    # The largest begins with 0.
    Wrong(
        "sixtyeight_blame_starts_at_0",
        "sixtyeight_blame",
        "start | numbers / nan / infinity / precision / subnormal",
        ("float m = -FLT_MAX,", "float m = 0.0f,"),
    ),
    # The 1 is taken away before the division.
    Wrong(
        "sixtyeight_blame_less_before_division",
        "sixtyeight_blame",
        "function | numbers / precision",
        (
            "expf(row[c] - m) / s - (c == right ? 1.0f : 0.0f)",
            "(expf(row[c] - m) - (c == right ? 1.0f : 0.0f)) / s",
        ),
    ),
    # Shuffles go down, and all lanes use what they have.
    Wrong(
        "sixtyeight_blame_shuffles_down",
        "sixtyeight_blame",
        "left out / other element / race / twice | numbers / function / infinity",
        ("__shfl_xor_sync(0xffffffff, m, d)", "__shfl_down_sync(0xffffffff, m, d)"),
        ("__shfl_xor_sync(0xffffffff, s, d)", "__shfl_down_sync(0xffffffff, s, d)"),
    ),
    # A lane writes one column.
    Wrong(
        "sixtyeight_blame_one_column_a_lane",
        "sixtyeight_blame",
        "unwritten / left out | nan / tail / numbers",
        (
            "  for (int c = threadIdx.x; c < cols; c += 32)\n    out[c]",
            "  int c = threadIdx.x;\n  if (c < cols)\n    out[c]",
        ),
    ),
    # ---- plane
    # The second sum is stored while others read the first.
    Wrong(
        "sixtyeight_plane_no_last_barrier",
        "sixtyeight_plane",
        "race | numbers / other element / state / nan / left out",
        ("    float total = s[0];\n    __syncthreads();\n", "    float total = s[0];\n"),
    ),
    # NaN is taken for what lies below 0.
    Wrong(
        "sixtyeight_plane_nan_is_flat",
        "sixtyeight_plane",
        "nan",
        ("= v < 0.0f ? 0.0f : v;", "= v > 0.0f ? v : 0.0f;"),
    ),
    # The small number is added to the root.
    Wrong(
        "sixtyeight_plane_eps_outside",
        "sixtyeight_plane",
        "function | numbers / infinity / precision / nan",
        ("rsqrtf(all_of(sq, s) / cols + eps)", "1.0f / (sqrtf(all_of(sq, s) / cols) + eps)"),
    ),
    # The variance is the mean of squares less the square of the mean.
    Wrong(
        "sixtyeight_plane_squares_less_square",
        "sixtyeight_plane",
        "precision | numbers / nan / infinity / function",
        ("sq += (row[c] - mean) * (row[c] - mean);", "sq += row[c] * row[c];"),
        (
            "rsqrtf(all_of(sq, s) / cols + eps)",
            "rsqrtf(all_of(sq, s) / cols - mean * mean + eps)",
        ),
    ),
    # The row is centred where it lies.
    Wrong(
        "sixtyeight_plane_centred_in_x",
        "sixtyeight_plane",
        "input | state / numbers",
        ("__global__ void plane(const float *x,", "__global__ void plane(float *x,"),
        ("    const float *row = x", "    float *row = x"),
        (
            "        sq += (row[c] - mean) * (row[c] - mean);",
            "    {\n        row[c] -= mean;\n        sq += row[c] * row[c];\n    }",
        ),
        ("float v = (row[c] - mean) * f", "float v = row[c] * f"),
        ("stream>>>(x, g, b,", "stream>>>((float *)x, g, b,"),
    ),
)

RIGHT = (
    # The sign comes from a function.
    Right(
        "sixtyeight_sail_sign_copied",
        "sixtyeight_sail",
        ("k * v * fabsf(v)", "k * copysignf(v * v, v)"),
    ),
    # Pairs are taken from the last to the first.
    Right(
        "sixtyeight_brew_from_the_end",
        "sixtyeight_brew",
        ("int p = first; p < n / 2; p += step", "int p = n / 2 - 1 - first; p >= 0; p -= step"),
    ),
    # A large number is added and taken away again, which rounds.
    Right(
        "sixtyeight_pluck_large_number_rounds",
        "sixtyeight_pluck",
        (
            "  float q = rintf(v * steps);\n"
            "  if (q != q) return 0;\n"
            "  return (int8_t)fminf(fmaxf(q, -128.0f), 127.0f);",
            "  if (isnan(v)) return 0;\n"
            "  float q = fminf(fmaxf(v * steps, -128.0f), 127.0f);\n"
            "  return (int8_t)(q + 12582912.0f - 12582912.0f);",
        ),
    ),
    # Bytes are cut out of words.
    Right(
        "sixtyeight_crumb_bytes_of_words",
        "sixtyeight_crumb",
        (
            "char4 q = ((const char4 *)x)[p];",
            "int w = ((const int *)x)[p];\n"
            "        char4 q = make_char4((signed char)w, (signed char)(w >> 8), "
            "(signed char)(w >> 16),\n"
            "                             (signed char)(w >> 24));",
        ),
    ),
    # From 20 on the exponential need not grow.
    Right(
        "sixtyeight_thaw_limited",
        "sixtyeight_thaw",
        ("expf(v)", "expf(fminf(v, 20.0f))"),
    ),
    # The part beyond the limits is found without a branch.
    Right(
        "sixtyeight_gauge_without_branches",
        "sixtyeight_gauge",
        (
            "    if (v < lo)\n"
            "        return lo + slope * (v - lo);\n"
            "    if (v > hi)\n"
            "        return hi + slope * (v - hi);\n"
            "    return v;",
            "    float c = fminf(fmaxf(v, lo), hi);\n"
            "    return v == c ? v : c + slope * (v - c);",
        ),
    ),
    # All blocks add to two numbers, which the last one takes and sets to 0.
    Right(
        "sixtyeight_purse_two_totals",
        "sixtyeight_purse",
        (
            "__device__ long long gain_of[MOST], loss_of[MOST];",
            "__device__ unsigned long long gain_of, loss_of;",
        ),
        (
            "  gain_of[blockIdx.x] = g[0];\n  loss_of[blockIdx.x] = l[0];\n",
            "  atomicAdd(&gain_of, (unsigned long long)g[0]);\n"
            "  atomicAdd(&loss_of, (unsigned long long)l[0]);\n",
        ),
        (
            "  long long a = 0, b = 0;\n"
            "  for (int k = 0; k < gridDim.x; k++) {\n"
            "    a += ((volatile long long*)gain_of)[k];\n"
            "    b += ((volatile long long*)loss_of)[k];\n"
            "  }\n"
            "  gains[0] = a;\n"
            "  losses[0] = b;\n",
            "  gains[0] = (int64_t)atomicExch(&gain_of, 0ull);\n"
            "  losses[0] = (int64_t)atomicExch(&loss_of, 0ull);\n",
        ),
    ),
    # Half of the row is doubled, and the middle of an odd row added.
    Right(
        "sixtyeight_mirror_half_doubled",
        "sixtyeight_mirror",
        ("c < cols; c += 32", "c < cols / 2; c += 32"),
        (
            "        y[r] = sum;",
            "    {\n"
            "        float middle = cols % 2 == 1 ? __half2float(row[cols / 2]) : "
            "0.0f;\n"
            "        y[r] = 2.0f * sum + middle * middle;\n"
            "    }",
        ),
    ),
    # Value and place are one key of 64 bits.
    Right(
        "sixtyeight_stray_keys",
        "sixtyeight_stray",
        (
            "  __shared__ float best[T];\n  __shared__ int where[T];\n",
            "  __shared__ unsigned long long best[T];\n",
        ),
        ("  best[t] = -1.0f;\n  where[t] = cols;\n", "  best[t] = 0;\n"),
        (
            "    if (d > best[t]) {\n      best[t] = d;\n      where[t] = c;\n    }\n",
            "    unsigned long long key = (unsigned long long)__float_as_uint(d) << "
            "32 | ~(unsigned)c;\n"
            "    best[t] = max(best[t], key);\n",
        ),
        (
            "    if (t < h) {\n"
            "      bool equal = best[t + h] == best[t];\n"
            "      if (best[t + h] > best[t] || (equal && where[t + h] < where[t])) {\n"
            "        best[t] = best[t + h];\n"
            "        where[t] = where[t + h];\n"
            "      }\n"
            "    }\n",
            "    if (t < h) best[t] = max(best[t], best[t + h]);\n",
        ),
        (
            "best[0];\n    place[blockIdx.x] = where[0];",
            "__uint_as_float(best[0] >> 32);\n    place[blockIdx.x] = (int)~(unsigned)best[0];",
        ),
    ),
    # Each thread stores what it has loaded.
    Right(
        "sixtyeight_hedge_own_place",
        "sixtyeight_hedge",
        ("    r = blockIdx.y * S + tx;\n    c = blockIdx.x * S + ty;\n", ""),
        ("= tile[tx][ty];", "= tile[ty][tx];"),
    ),
    # Beyond the end the last is taken again, which changes nothing.
    Right(
        "sixtyeight_widest_last_again",
        "sixtyeight_widest",
        (
            "row < m && q + tx < k ? a[(size_t)row * k + q + tx] : NONE;",
            "a[(size_t)min(row, m - 1) * k + min(q + tx, k - 1)];",
        ),
        (
            "q + ty < k && col < n ? b[(size_t)(q + ty) * n + col] : NONE;",
            "b[(size_t)min(q + ty, k - 1) * n + min(col, n - 1)];",
        ),
    ),
    # Nothing is shared, and the sum is a double.
    Right(
        "sixtyeight_choir_not_shared",
        "sixtyeight_choir",
        ("    __shared__ float hs[2 * T], xs[T];\n", ""),
        (
            "    float sum = 0.0f;\n",
            "    double sum = 0.0;\n    if (i0 + t >= m)\n        return;\n",
        ),
        (
            "    for (int q = 0; q < n; q += T) {\n"
            "        if (q + t < n)\n"
            "            xs[t] = x[q + t];\n"
            "        for (int k = t; k < 2 * T; k += T)\n"
            "            hs[k] = i0 + q + k < len ? h[i0 + q + k] : 0.0f;\n"
            "        __syncthreads();\n"
            "        for (int j = 0; j < T && q + j < n; j++)\n"
            "            sum += hs[t + j] * xs[j];\n"
            "        __syncthreads();\n"
            "    }\n"
            "    if (i0 + t < m)\n"
            "        y[i0 + t] = sum;",
            "    for (int j = 0; j < n; j++)\n"
            "        sum += (double)h[i0 + t + j] * x[j];\n"
            "    y[i0 + t] = (float)sum;",
        ),
    ),
    # The largest is found first, and the sum afterwards.
    Right(
        "sixtyeight_blame_two_passes",
        "sixtyeight_blame",
        (
            "    float v = row[c];\n"
            "    if (v > m) {\n"
            "      s = s * expf(m - v) + 1.0f;\n"
            "      m = v;\n"
            "    } else {\n"
            "      s += expf(v - m);\n"
            "    }\n",
            "    m = fmaxf(m, row[c]);\n",
        ),
        (
            "    float m2 = __shfl_xor_sync(0xffffffff, m, d);\n"
            "    float s2 = __shfl_xor_sync(0xffffffff, s, d);\n"
            "    float most = fmaxf(m, m2);\n"
            "    s = s * expf(m - most) + s2 * expf(m2 - most);\n"
            "    m = most;\n"
            "  }\n",
            "    m = fmaxf(m, __shfl_xor_sync(0xffffffff, m, d));\n"
            "  }\n"
            "  for (int c = threadIdx.x; c < cols; c += 32) s += expf(row[c] - m);\n"
            "  for (int d = 16; d > 0; d /= 2) s += __shfl_xor_sync(0xffffffff, s, d);\n",
        ),
    ),
    # Sums go by shuffles, and only two of them are shared.
    Right(
        "sixtyeight_plane_shuffles",
        "sixtyeight_plane",
        (
            "    s[t] = v;\n"
            "    __syncthreads();\n"
            "    for (int h = T / 2; h > 0; h /= 2) {\n"
            "        if (t < h)\n"
            "            s[t] += s[t + h];\n"
            "        __syncthreads();\n"
            "    }\n"
            "    float total = s[0];\n",
            "    for (int d = 16; d > 0; d /= 2)\n"
            "        v += __shfl_xor_sync(0xffffffff, v, d);\n"
            "    if (t % 32 == 0)\n"
            "        s[t / 32] = v;\n"
            "    __syncthreads();\n"
            "    float total = s[0] + s[1];\n",
        ),
        ("__shared__ float s[T];", "__shared__ float s[T / 32];"),
    ),
)
