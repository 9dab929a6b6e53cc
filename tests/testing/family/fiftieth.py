"""Hold a fiftieth family: kernels whose text is short and whose traps are old ones.

Its bases are alpha * x + y of halves, a scaled difference, bfloat16 to float, float to bytes,
ELU, SwiGLU, the sum of squares, means of rows, the largest swing of a track and its place,
transposes of many matrices, a transpose times a matrix, keys times a query, the logarithm of
softmax and layer norm. They have 16 to 44 lines, and are of people with half a year of CUDA: a
maker of pictures, a physicist, an engineer of sound, a student of statistics, users of
quantized weights and of attention, readers of PyTorch, of papers and of a language model's
code. They use half2 where all addresses are even, float4 with a rest by the first threads, four
numbers by shifts, four bytes by one store, one number a thread with a test, two kernels of
which the second adds up what the first left, shuffles and four parts of a block, values and
places in a tree, a tile of 16 with a layer of the grid a matrix, tiles of which the first is
read by columns, a warp a key, a maximum and a sum that grow together, and two passes with one
function for both sums. Their mistakes are spread over alignment, sizes, grids and integers of
16 bits, values, rounding, NaN and infinity, inputs that are written, sums, transposes,
products, order, streams and what is left of an earlier call. The causes were written before a
member was judged. On the emulator each member ran beside PyTorch, compared as a case does,
called twice on the same tensors, once each with NaN and 1e3 in floating outputs and with
tensors at either end of their pages, on a stream that is not the default one, with the threads
in order and in reverse; most bases and right ones also at a hundred other sizes, with the
threads in any order. nvcc 13.0 compiles each for 8.0, all members of a base in one file; none
was run on a GPU. Bases and right ones are right, and all wrong ones wrong or refused by a
fault, those without a barrier in one of the orders at least:

    fifty_axpy_one_address           of slices of y or of the output that begin at an odd half
    fifty_axpy_rest_behind_pairs     from 2 numbers on, if one of three begins at an odd half
    fifty_axpy_half_alpha            if alpha is no half, and of pairs
    fifty_axpy_into_y                from 2 numbers on, where pairs are taken: y is overwritten
    fifty_axpy_alpha_to_y            unless alpha is 1, or x is y
    fifty_diff_one_of_rest           if 2 or 3 numbers are left
    fifty_diff_no_block_for_rest     of 1 to 3 numbers
    fifty_diff_b_anywhere            from 4 numbers on; by the address of b
    fifty_diff_no_parentheses        if 4 does not divide the count, unless s is 1 or b is 0
    fifty_diff_copied_line           from 4 numbers on
    fifty_widen_whole_word           from 4 numbers on, the second one of four, by a little
    fifty_widen_high_first           from 4 numbers on
    fifty_widen_past_end             if 3 numbers are left
    fifty_widen_64                   of other block sizes, from a second block on
    fifty_widen_threads_rounded_down of 1 to 3 numbers; else if the block size divides the fours
    fifty_quant_cut_off              of numbers that are not whole when scaled
    fifty_quant_ties_up              of ties with an even number below
    fifty_quant_no_lower_limit       from -127.5 on down, when scaled
    fifty_quant_to_128               from -127.5 on down, when scaled
    fifty_quant_limited_first        beyond 127, scaled or not, unless the factor is 1
    fifty_elu_exp_less_1             just below 0
    fifty_elu_int_alpha              below 0, if alpha is not whole
    fifty_elu_fmax                   of NaN
    fifty_elu_400_blocks             from 64,001 numbers on
    fifty_elu_short_index            from 65,537 numbers on
    fifty_swiglu_rounded_gate        if SiLU is no bfloat16, of some
    fifty_swiglu_swapped             unless both are equal
    fifty_swiglu_exp_twice           from about 84.3 on
    fifty_swiglu_no_stream           on another stream than the default one
    fifty_swiglu_cut_off             if what is cut off is more than a half, or a tie
    fifty_squares_first_half         from 2,049 numbers on
    fifty_squares_fewer_blocks       of up to 4,032 numbers, after a longer array
    fifty_squares_no_barrier         where threads do not wait for another
    fifty_squares_adds               unless 0 is there before
    fifty_squares_parts_grow         from a second call on
    fifty_rowmean_half_sum           if a sum on the way is no half: from 129 columns on
    fifty_rowmean_from_8             from 9 columns on
    fifty_rowmean_no_barrier         where warps do not wait for another
    fifty_rowmean_by_128             unless there are 128 columns
    fifty_rowmean_swapped_sides      unless there are as many rows as columns
    fifty_peak_any_of_equal          if the largest is there more than once, in some threads
    fifty_peak_highest               if the largest swing is below 0
    fifty_peak_int_best              if the largest differ by less than 1
    fifty_peak_no_barrier_in_tree    where threads do not wait for another
    fifty_peak_no_sign               if the largest swing is below 0
    fifty_turn_out_stays             from 2 matrices on
    fifty_turn_no_barrier            from 2 rows or columns on, where threads do not wait
    fifty_turn_leaves_early          unless 16 divides both sides, or of a small square
    fifty_turn_grid_turned           if the tiles down and across differ in number
    fifty_turn_square_start          from 2 matrices on, unless they are square
    fifty_atb_one_barrier            from 17 terms on, where warps do not wait for another
    fifty_atb_rows_untested          if 16 does not divide the terms, by a read past B
    fifty_atb_new_sum                from 17 terms on
    fifty_atb_pitch                  unless M or K is 1, or A is its own transpose
    fifty_atb_grid_rounded_down      from 17 columns on, if 16 does not divide them
    fifty_score_any_length           of keys of 129 numbers on, if 4 does not divide them
    fifty_score_all_lanes            of all but a few
    fifty_score_rows_untested        if 4 does not divide the keys
    fifty_score_short_row            from 65,537 keys on
    fifty_score_scaled_twice         unless scale is 1 or 0
    fifty_lsm_no_guard               of fewer than 32 columns, or with much -infinity
    fifty_lsm_from_0                 of rows that are far below 0
    fifty_lsm_no_barrier             where warps do not wait for another
    fifty_lsm_sum_as_it_is           from 65 columns on, if a thread's maximum grows
    fifty_lsm_in_place               unless a row's sum is 1: the input is overwritten
    fifty_norm_one_barrier           from 33 columns on, where warps do not wait; on an emulator
                                     only if the threads do not run in order
    fifty_norm_square_of_mean        of rows that are far off 0
    fifty_norm_weight_of_row         unless all weights are equal
    fifty_norm_no_eps                if eps is not far below the variance
    fifty_norm_default_stream        on another stream than the default one
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

# One who has learned that every address counts: alpha * x + y of halves, pairs where possible.
AXPY = (
    HEADER
    + """\
__global__ void axpy_half(float alpha, const half* x, const half* y, half* out, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  int step = gridDim.x * blockDim.x;
  bool even = (((uintptr_t)x | (uintptr_t)y | (uintptr_t)out) & 3) == 0;
  int pairs = even ? n / 2 : 0;
  for (int p = t; p < pairs; p += step) {
    float2 u = __half22float2(((const half2*)x)[p]);
    float2 v = __half22float2(((const half2*)y)[p]);
    ((half2*)out)[p] = __floats2half2_rn(fmaf(alpha, u.x, v.x), fmaf(alpha, u.y, v.y));
  }
  for (int i = 2 * pairs + t; i < n; i += step) {
    out[i] = __float2half(fmaf(alpha, __half2float(x[i]), __half2float(y[i])));
  }
}

extern "C" void launch(float alpha,
                       const half* x,  // [n]
                       const half* y,  // [n]
                       half* out,      // [n]
                       int n, cudaStream_t stream = 0) {
  axpy_half<<<12, 64, 0, stream>>>(alpha, x, y, out, n);
}
"""
)

# A maker of pictures: a scaled difference, a float4 a thread, the rest by the first threads.
DIFF = (
    HEADER
    + """\
__global__ void scaled_diff(const float *a, const float *b, float s, float *out, int64_t n)
{
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    int64_t quads = n / 4;
    if (i < quads) {
        float4 p = ((const float4 *)a)[i];
        float4 q = ((const float4 *)b)[i];
        float4 r;
        r.x = s * (p.x - q.x);
        r.y = s * (p.y - q.y);
        r.z = s * (p.z - q.z);
        r.w = s * (p.w - q.w);
        ((float4 *)out)[i] = r;
    }
    int64_t rest = 4 * quads + i;
    if (rest < n)
        out[rest] = s * (a[rest] - b[rest]);
}

extern "C" void launch(const float *a,  // [n] 16-byte aligned
                       const float *b,  // [n] 16-byte aligned
                       float s,
                       float *out,      // [n] 16-byte aligned
                       int64_t n, cudaStream_t stream = 0)
{
    int64_t quads = n / 4;
    scaled_diff<<<(unsigned)(quads / 96 + 1), 96, 0, stream>>>(a, b, s, out, n);
}
"""
)

# One who knows how a bfloat16 looks: to float by shifts, four numbers a thread.
WIDEN = (
    HEADER
    + """\
__global__ void widen(const __nv_bfloat16* in, float* out, int n) {
    int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i + 3 < n) {
        uint2 w = *(const uint2*)(in + i);
        float4 v;
        v.x = __uint_as_float(w.x << 16);
        v.y = __uint_as_float(w.x & 0xffff0000u);
        v.z = __uint_as_float(w.y << 16);
        v.w = __uint_as_float(w.y & 0xffff0000u);
        *(float4*)(out + i) = v;
    } else {
        for (int k = i; k < n; k++) out[k] = __bfloat162float(in[k]);
    }
}

extern "C" void launch(const __nv_bfloat16* in,  // [n] 8-byte aligned
                       float* out,               // [n] 16-byte aligned
                       int n, int block_size = 64, cudaStream_t stream = 0) {
    int threads = (n + 3) / 4;
    widen<<<(threads + block_size - 1) / block_size, block_size, 0, stream>>>(in, out, n);
}
"""
)

# One who makes models small: float to bytes around 0, from -127 to 127.
QUANT = (
    HEADER
    + """\
__device__ signed char to_byte(float v, float inverse) {
  float r = rintf(v * inverse);
  r = fminf(fmaxf(r, -127.0f), 127.0f);
  return (signed char)(int)r;
}

__global__ void quantize(const float* x, int8_t* q, float inverse, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  int quads = n / 4;
  for (int p = t; p < quads; p += gridDim.x * blockDim.x) {
    float4 v = ((const float4*)x)[p];
    char4 c = make_char4(to_byte(v.x, inverse), to_byte(v.y, inverse), to_byte(v.z, inverse),
                         to_byte(v.w, inverse));
    ((char4*)q)[p] = c;
  }
  int last = 4 * quads + t;
  if (last < n) q[last] = to_byte(x[last], inverse);
}

extern "C" void launch(const float* x,  // [n] 16-byte aligned
                       int8_t* q,       // [n] 4-byte aligned
                       float inverse, int n, cudaStream_t stream = 0) {
  quantize<<<8, 128, 0, stream>>>(x, q, inverse, n);
}
"""
)

# A physicist: ELU, one number a thread.
ELU = (
    HEADER
    + """\
__global__ void elu(float* y, const float* x, float alpha, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float v = x[i];
    y[i] = v > 0.0f ? v : alpha * expm1f(v);
}

extern "C" void launch(float* y,        // [n]
                       const float* x,  // [n]
                       float alpha, int n, cudaStream_t stream = 0)
{
    const int threads = 160;
    elu<<<(n + threads - 1) / threads, threads, 0, stream>>>(y, x, alpha, n);
}
"""
)

# A reader of a language model's code: SwiGLU of bfloat16.
SWIGLU = (
    HEADER
    + """\
typedef __nv_bfloat16 bf16;

__global__ void swiglu(bf16* out, const bf16* gate, const bf16* up, int n) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < n) {
        float g = __bfloat162float(gate[idx]);
        float u = __bfloat162float(up[idx]);
        float s = g / (1.0f + expf(-g));
        out[idx] = __float2bfloat16(s * u);
    }
}

extern "C" void launch(__nv_bfloat16* out,         // [n]
                       const __nv_bfloat16* gate,  // [n]
                       const __nv_bfloat16* up,    // [n]
                       int n, int block_size = 128, cudaStream_t stream = 0) {
    int blocks = (n + block_size - 1) / block_size;
    swiglu<<<blocks, block_size, 0, stream>>>(out, gate, up, n);
}
"""
)

# One who does not trust atomics: the sum of squares by two kernels.
SQUARES = (
    HEADER
    + """\
#define BLOCKS 64
#define THREADS 64

__device__ float partial[BLOCKS];

__global__ void part_of_squares(const float* x, int n) {
  __shared__ float s[THREADS];
  int t = threadIdx.x;
  float sum = 0.0f;
  for (int i = blockIdx.x * THREADS + t; i < n; i += gridDim.x * THREADS) sum += x[i] * x[i];
  s[t] = sum;
  __syncthreads();
  for (int k = THREADS / 2; k > 0; k /= 2) {
    if (t < k) s[t] += s[t + k];
    __syncthreads();
  }
  if (t == 0) partial[blockIdx.x] = s[0];
}

__global__ void all_of_them(float* out) {  // one warp
  float v = partial[threadIdx.x] + partial[threadIdx.x + 32];
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
  if (threadIdx.x == 0) *out = v;
}

extern "C" void launch(const float* x,  // [n]
                       float* out,      // [1]
                       int n, cudaStream_t stream = 0) {
  part_of_squares<<<BLOCKS, THREADS, 0, stream>>>(x, n);
  all_of_them<<<1, 32, 0, stream>>>(out);
}
"""
)

# A student of statistics: means of rows of halves, a block a row.
ROWMEAN = (
    HEADER
    + """\
__global__ void row_means(const half* m, float* means, int rows, int cols) {
    __shared__ float part[4];
    const half* p = m + (size_t)blockIdx.x * cols;
    int lane = threadIdx.x & 31;
    int warp = threadIdx.x >> 5;

    float s = 0.0f;
    for (int c = threadIdx.x; c < cols; c += 128) {
        s += __half2float(p[c]);
    }
    for (int d = 16; d > 0; d >>= 1) {
        s += __shfl_down_sync(0xffffffff, s, d);
    }
    if (lane == 0) part[warp] = s;
    __syncthreads();

    if (threadIdx.x == 0) {
        means[blockIdx.x] = (part[0] + part[1] + part[2] + part[3]) / cols;
    }
}

extern "C" void launch(const half* m,  // [rows, cols]
                       float* means,   // [rows]
                       int rows, int cols, cudaStream_t stream = 0) {
    row_means<<<rows, 128, 0, stream>>>(m, means, rows, cols);
}
"""
)

# An engineer of sound: the largest swing of each track, with its sign, and its first place.
PEAK = (
    HEADER
    + """\
#define T 64

__global__ void peaks(const float *x, float *peak, int *place, int samples)
{
    __shared__ float top[T];
    __shared__ int at[T];
    const float *track = x + (size_t)blockIdx.x * samples;
    int t = threadIdx.x;
    float best = -1.0f;
    int mine = 0;
    for (int i = t; i < samples; i += T) {
        float v = fabsf(track[i]);
        if (v > best) {
            best = v;
            mine = i;
        }
    }
    top[t] = best;
    at[t] = mine;
    __syncthreads();
    for (int s = T / 2; s > 0; s /= 2) {
        if (t < s) {
            bool larger = top[t + s] > top[t];
            bool earlier = top[t + s] == top[t] && at[t + s] < at[t];
            if (larger || earlier) {
                top[t] = top[t + s];
                at[t] = at[t + s];
            }
        }
        __syncthreads();
    }
    if (t == 0) {
        place[blockIdx.x] = at[0];
        peak[blockIdx.x] = track[at[0]];
    }
}

extern "C" void launch(const float *x,  // [tracks, samples]
                       float *peak,     // [tracks]
                       int *place,      // [tracks]
                       int tracks, int samples, cudaStream_t stream = 0)
{
    peaks<<<tracks, T, 0, stream>>>(x, peak, place, samples);
}
"""
)

# One who works on attention: many matrices of halves are turned, one a layer of the grid.
TURN = (
    HEADER
    + """\
#define TILE 16

__global__ void turn_each(const half* in, half* out, int rows, int cols) {
  __shared__ half tile[TILE][TILE + 1];
  size_t start = (size_t)blockIdx.z * rows * cols;
  in += start;
  out += start;
  int x = blockIdx.x * TILE + threadIdx.x;
  int y = blockIdx.y * TILE + threadIdx.y;
  if (x < cols && y < rows) tile[threadIdx.y][threadIdx.x] = in[y * cols + x];
  __syncthreads();
  int u = blockIdx.y * TILE + threadIdx.x;
  int v = blockIdx.x * TILE + threadIdx.y;
  if (u < rows && v < cols) out[v * rows + u] = tile[threadIdx.x][threadIdx.y];
}

extern "C" void launch(const half* in,  // [batch, rows, cols]
                       half* out,       // [batch, cols, rows]
                       int batch, int rows, int cols, cudaStream_t stream = 0) {
  dim3 grid((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE, batch);
  turn_each<<<grid, dim3(TILE, TILE), 0, stream>>>(in, out, rows, cols);
}
"""
)

# One who writes a backward pass: the transpose of A times B, by tiles.
ATB = (
    HEADER
    + """\
#define T 16

__global__ void atb(const float* A, const float* B, float* C, int M, int N, int K) {
    __shared__ float a[T][T], b[T][T];
    int tx = threadIdx.x, ty = threadIdx.y;
    int m = blockIdx.y * T + ty;
    int n = blockIdx.x * T + tx;
    int across = blockIdx.y * T + tx;  // the column of A that it loads
    float sum = 0.0f;
    for (int k0 = 0; k0 < K; k0 += T) {
        int k = k0 + ty;
        a[ty][tx] = (k < K && across < M) ? A[k * M + across] : 0.0f;
        b[ty][tx] = (k < K && n < N) ? B[k * N + n] : 0.0f;
        __syncthreads();
        for (int j = 0; j < T; j++) sum += a[j][ty] * b[j][tx];
        __syncthreads();
    }
    if (m < M && n < N) C[m * N + n] = sum;
}

extern "C" void launch(const float* A,  // [K, M]
                       const float* B,  // [K, N]
                       float* C,        // [M, N]
                       int M, int N, int K, cudaStream_t stream = 0) {
    dim3 grid((N + T - 1) / T, (M + T - 1) / T);
    atb<<<grid, dim3(T, T), 0, stream>>>(A, B, C, M, N, K);
}
"""
)

# One who searches among vectors: how well each key fits the query, a warp a key.
SCORE = (
    HEADER
    + """\
__global__ void scores(const float* query, const float* keys, float* out, float scale, int n,
                       int d) {
  int row = blockIdx.x * 4 + threadIdx.x / 32;
  int lane = threadIdx.x % 32;
  if (row >= n) return;
  const float* key = keys + (size_t)row * d;
  float sum = 0.0f;
  if (d % 4 == 0) {
    for (int i = lane; i < d / 4; i += 32) {
      float4 q = ((const float4*)query)[i];
      float4 k = ((const float4*)key)[i];
      sum += q.x * k.x + q.y * k.y + q.z * k.z + q.w * k.w;
    }
  } else {
    for (int i = lane; i < d; i += 32) sum += query[i] * key[i];
  }
  for (int s = 16; s > 0; s /= 2) sum += __shfl_down_sync(0xffffffffu, sum, s);
  if (lane == 0) out[row] = scale * sum;
}

extern "C" void launch(const float* query,  // [d] 16-byte aligned
                       const float* keys,   // [n, d] 16-byte aligned
                       float* out,          // [n]
                       float scale, int n, int d, cudaStream_t stream = 0) {
  scores<<<(n + 3) / 4, 128, 0, stream>>>(query, keys, out, scale, n, d);
}
"""
)

# A reader of two papers: the logarithm of softmax, maximum and sum in one pass.
LSM = (
    HEADER
    + """\
#define T 64

__global__ void log_softmax(const float* in, float* out, int cols)
{
    __shared__ float ms[T], ss[T];
    const float* x = in + (size_t)blockIdx.x * cols;
    float* y = out + (size_t)blockIdx.x * cols;
    int t = threadIdx.x;
    float m = -INFINITY, s = 0.0f;
    for (int c = t; c < cols; c += T) {
        float top = fmaxf(m, x[c]);
        if (top > -INFINITY)
            s = s * expf(m - top) + expf(x[c] - top);
        m = top;
    }
    ms[t] = m;
    ss[t] = s;
    __syncthreads();
    for (int k = T / 2; k > 0; k /= 2) {
        if (t < k) {
            float top = fmaxf(ms[t], ms[t + k]);
            if (ms[t + k] > -INFINITY)
                ss[t] = ss[t] * expf(ms[t] - top) + ss[t + k] * expf(ms[t + k] - top);
            ms[t] = top;
        }
        __syncthreads();
    }
    float whole = ms[0] + logf(ss[0]);
    for (int c = t; c < cols; c += T)
        y[c] = x[c] - whole;
}

extern "C" void launch(const float* in,  // [rows, cols]
                       float* out,       // [rows, cols]
                       int rows, int cols, cudaStream_t stream = 0)
{
    log_softmax<<<rows, T, 0, stream>>>(in, out, cols);
}
"""
)

# One who has read PyTorch: layer norm of halves in two passes, a block a row.
NORM = (
    HEADER
    + """\
__device__ float block_sum(float v) {
    __shared__ float part[4];
    for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(0xffffffffu, v, d);
    __syncthreads();  // the parts of the last call have been read
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
    __syncthreads();
    return part[0] + part[1] + part[2] + part[3];
}

__global__ void layer_norm(const half* x, const float* weight, half* out, float eps, int cols) {
    const half* in = x + (size_t)blockIdx.x * cols;
    half* to = out + (size_t)blockIdx.x * cols;
    float sum = 0.0f;
    for (int c = threadIdx.x; c < cols; c += 128) sum += __half2float(in[c]);
    float mean = block_sum(sum) / cols;
    float squares = 0.0f;
    for (int c = threadIdx.x; c < cols; c += 128) {
        float d = __half2float(in[c]) - mean;
        squares += d * d;
    }
    float scale = rsqrtf(block_sum(squares) / cols + eps);
    for (int c = threadIdx.x; c < cols; c += 128) {
        to[c] = __float2half((__half2float(in[c]) - mean) * scale * weight[c]);
    }
}

extern "C" void launch(const half* x,        // [rows, cols]
                       const float* weight,  // [cols]
                       half* out,            // [rows, cols]
                       float eps, int rows, int cols, cudaStream_t stream = 0) {
    layer_norm<<<rows, 128, 0, stream>>>(x, weight, out, eps, cols);
}
"""
)

NAN, INF = float("nan"), float("inf")
LENGTHS = (
    *range(1, 10),
    *range(31, 36),
    *range(63, 71),
    127,
    128,
    129,
    255,
    256,
    257,
    258,
    383,
)
LENGTHS += (384, 385, 511, 512, 513, 1000, 1024, 1537, 2048, 2051, 4097, 5003)
SIDES = ((1, 1), (1, 4), (2, 3), (5, 31), (4, 32), (9, 33), (33, 9), (3, 64), (64, 3), (7, 100))
SIDES += ((70, 2), (2, 1000), (1, 4099), (65, 70), (129, 5), (150, 40), (32, 32))


def same(x: torch.Tensor) -> torch.Tensor:
    """Return the numbers themselves."""
    return x.clone()


def as_float(number: float) -> float:
    """Return the number as a float of C."""
    return torch.tensor(number, dtype=torch.float32).item()


def axpys(launcher: Launcher) -> Iterator[Case]:
    """Add multiples of halves: whole ones, and of NaN; also of slices, of one or of all."""
    for n in LENGTHS:
        x, y = (whole(-99, 100, n, 2 * n + k).half() for k in (0, 1))
        hole = torch.where(torch.arange(n) % 3 == 1, NAN, x.float()).half()
        for alpha in (1.0, -0.5, 0.1, 2.0, 0.0):
            for label, p in (("whole", x), ("NaN", hole)):
                right = as_float(alpha) * p.double() + y.double() + 0.0
                step = torch.frexp(right.nan_to_num(0.0))[1].clamp(min=-13) - 11.0
                words = f"n = {n:,}, alpha = {alpha}"
                options = {"dtypes": (torch.float16,), "within": (0.501 * 2.0**step,)}
                yield Case(f"{words}, {label}", (p, y), (right,), {"alpha": alpha}, **options)
                if n > 300 or alpha > 0.5 or label == "NaN":
                    continue
                for k in range(4):
                    offset = tuple(1 if k in (j, 3) else 2 for j in range(3))
                    words = f"n = {n:,}, alpha = {alpha}, slices from {offset}"
                    options["offset"] = offset
                    yield Case(words, (p, y), (right,), {"alpha": alpha}, **options)


def differences(launcher: Launcher) -> Iterator[Case]:
    """Scale differences of whole numbers by eighths, so that all is exact; also of NaN."""
    starts = least_starts(launcher)
    for n in LENGTHS:
        a, b = (whole(-99, 100, n, 2 * n + k).float() for k in (0, 1))
        hole = torch.where(torch.arange(n) % 3 == 1, NAN, a)
        for s in (1.0, 0.5, 2.0, 0.125):
            for label, p in (("whole", a), ("NaN", hole)):
                right = s * (p.double() - b.double()) + 0.0
                options = {"dtypes": (torch.float32,)}
                words = f"n = {n:,}, s = {s}, {label}"
                yield Case(words, (p, b), (right,), {"s": s}, **options)
            if n < 300:
                for k in range(4):
                    options["offset"] = tuple(
                        x if k in (j, 3) else 4 for j, x in enumerate(starts)
                    )
                    words = f"n = {n:,}, s = {s}, slices from {options['offset']}"
                    yield Case(words, (a, b), (s * (a - b) + 0.0,), {"s": s}, **options)


def to_bytes(launcher: Launcher) -> Iterator[Case]:
    """Make bytes: usual numbers, ties, around the limits and far beyond, and infinities."""
    for n in LENGTHS:
        x, k = whole(-999, 1000, n, n).float(), torch.arange(n)
        for label, y, inverse in (
            ("usual", x / 10, 1.0),
            ("ties", x / 2, 0.5),
            ("around the limits", torch.where(k % 2 == 0, 126.0, -126.0) + x / 400, 1.0),
            ("far beyond", x * 1000, 1.0),
            ("large", x, 0.125),
            (
                "infinities",
                torch.where(k % 3 == 0, INF, torch.where(k % 3 == 1, -INF, x)),
                0.25,
            ),
        ):
            right = (y.double() * inverse).round().clamp(-127, 127) + 0.0
            words = f"n = {n:,}, inverse = {inverse}, {label}"
            options = {"dtypes": (torch.int8,)}
            yield Case(words, (y,), (right,), {"inverse": inverse}, **options)


def elus(launcher: Launcher) -> Iterator[Case]:
    """Bend numbers: usual ones, around 0, far above and far below, infinities and NaN."""
    for n in (*LENGTHS, 66_001):
        x, k = whole(-999, 1000, n, n).float() / 100, torch.arange(n)
        for label, y in (
            ("usual", x),
            ("small", x / 4096),
            ("large", x * 100),
            ("infinities", torch.where(k % 3 == 0, INF, torch.where(k % 3 == 1, -INF, x))),
            ("NaN", torch.where(k % 3 == 1, NAN, x)),
        ):
            for alpha in (1.0, 1.75, 0.3):
                z = y.double()
                right = torch.where(z > 0, z, as_float(alpha) * torch.expm1(z))
                slack = (2.0**-21 * right.abs()).nan_to_num(0.0, 0.0, 0.0)
                options = {"dtypes": (torch.float32,), "within": (slack,), "quick": n > 10_000}
                words = f"n = {n:,}, alpha = {alpha}, {label}"
                yield Case(words, (y,), (right,), {"alpha": alpha}, **options)


def swiglus(launcher: Launcher) -> Iterator[Case]:
    """Bend and multiply: usual numbers, small and large ones, NaN; with other block sizes."""
    for n in LENGTHS:
        g = whole(-999, 1000, n, n).float() / 128
        u, k = whole(-999, 1000, n, n + 1).float() / 64, torch.arange(n)
        for label, p, q in (
            ("usual", g, u),
            ("small", g / 1024, u),
            ("large", g.abs() * 1000 + 90, u),
            ("below 0", -g.abs() * 6, u),
            ("NaN", torch.where(k % 3 == 1, NAN, g), u),
        ):
            p, q = p.bfloat16(), q.bfloat16()
            z = p.double()
            right = z * z.sigmoid() * q.double() + 0.0
            step = torch.frexp(right.nan_to_num(0.0))[1].clamp(min=-120) - 8.0
            options = {"dtypes": (torch.bfloat16,), "within": (0.501 * 2.0**step,)}
            yield Case(f"n = {n:,}, {label}", (p, q), (right,), **options)
            if label == "usual":
                for size in (32, 96, 512):
                    words = f"n = {n:,}, block_size = {size}"
                    yield Case(words, (p, q), (right,), {"block_size": size}, **options)


def squares(launcher: Launcher) -> Iterator[Case]:
    """Add up squares of whole numbers, all exact; long arrays, then short ones."""
    for n in (*LENGTHS, 20_001, 7, 300, 1):
        x, k = whole(-20, 21, n, n).float(), torch.arange(n)
        for label, y in (
            ("whole", x),
            ("the last one", torch.where(k == n - 1, 9.0, 0.0)),
            ("quarters", x / 4 + 0.25),
        ):
            right = (y.double() ** 2).sum().reshape(1)
            options = {"dtypes": (torch.float32,), "quick": n > 10_000}
            yield Case(f"n = {n:,}, {label}", (y,), (right,), **options)


def means(launcher: Launcher) -> Iterator[Case]:
    """Take means of rows of whole numbers, whose sums are exact in float, not in half."""
    for rows, cols in SIDES:
        n = rows * cols
        x = whole(-99, 100, n, n).float().reshape(rows, cols)
        c = torch.arange(cols)
        for label, y in (
            ("whole", x),
            ("positive", x.abs() + 1),
            ("large", x.abs() + 1000),
            ("the last one", torch.where(c == cols - 1, x.abs() + 1, 0.0)),
        ):
            right = y.double().mean(1)
            words = f"rows = {rows}, cols = {cols:,}, {label}"
            options = {"dtypes": (torch.float32,), "within": (2.0**-22 * right.abs(),)}
            yield Case(words, (y.half(),), (right,), **options)


def swings(launcher: Launcher) -> Iterator[Case]:
    """Find the largest swing: of usual numbers, close ones, few values, silence, and one."""
    for rows, cols in SIDES:
        n = rows * cols
        x = whole(-9999, 10_000, n, n).float().reshape(rows, cols) / 16
        c, r = torch.arange(cols), torch.arange(rows)[:, None]
        for label, y in (
            ("usual", x),
            ("within 1", x / 1024),
            ("few values", (x * 16) % 3 - 1),
            ("silence", x * 0.0),
            ("below 0", -x.abs() - 1),
            ("the last one", torch.where(c == cols - 1, -700.0, x)),
            ("one is largest", torch.where((c * 7 + r) % cols == cols // 2, -700.0, x)),
        ):
            y = y + 0.0
            top = y.abs().amax(1)
            first = (y.abs() == top[:, None]).to(torch.int64).argmax(1)
            peak = y[torch.arange(rows), first]
            words = f"tracks = {rows}, samples = {cols:,}, {label}"
            yield Case(words, (y,), (peak, first), dtypes=(torch.float32, torch.int32))


def turns(launcher: Launcher) -> Iterator[Case]:
    """Turn matrices of whole numbers, one or several: small, thin, long and square ones."""
    for rows, cols in (*SIDES, (33, 31), (48, 16), (24, 40)):
        for batch in (1, 2, 5) if rows * cols < 3000 else (1,):
            n = batch * rows * cols
            x = whole(-999, 1000, n, n).half().reshape(batch, rows, cols)
            rising = (torch.arange(n) % 2048).half().reshape(batch, rows, cols)
            for label, y in (("any", x), ("rising", rising)):
                words = f"batch = {batch}, rows = {rows}, cols = {cols:,}, {label}"
                right = y.transpose(1, 2).contiguous()
                yield Case(words, (y,), (right,), dtypes=(torch.float16,))


def products(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole numbers, so that all is exact; also one row by one column."""
    sides = ((1, 1, 1), (3, 5, 7), (16, 16, 16), (33, 17, 40), (2, 50, 9), (70, 1, 8))
    for m, n, k in (*sides, (1, 70, 33), (15, 16, 1), (17, 31, 23), (9, 10, 700), (48, 32, 64)):
        a = whole(-20, 21, m * k, m + k).reshape(k, m).float()
        b = whole(-20, 21, n * k, k + n + 1).reshape(k, n).float()
        r, c = torch.arange(k)[:, None], torch.arange(n)
        for label, x, y in (
            ("whole", a, b),
            ("positive", a.abs() + 1, b.abs() + 1),
            ("the last term", torch.where(r == k - 1, 9.0, 0.0) + 0 * a, b),
            ("one column", a, b * (c == n // 2)),
        ):
            right = (x.double().T @ y.double()) + 0.0
            words = f"M = {m}, N = {n}, K = {k}, {label}"
            yield Case(words, (x, y), (right,), dtypes=(torch.float32,))


def fits(launcher: Launcher) -> Iterator[Case]:
    """Multiply keys by a query, of whole numbers, so that all is exact."""
    for n, d in (*SIDES, (3, 65), (5, 128), (6, 257), (7, 132), (66_001, 1)):
        keys = whole(-60, 61, n * d, n + d).float().reshape(n, d)
        query = whole(-60, 61, d, d + 1).float()
        c = torch.arange(d)
        for label, p, q, scale in (
            ("whole", query, keys, 1.0),
            ("positive", query.abs() + 3, keys.abs() + 1, 0.125),
            ("the last one", torch.where(c == d - 1, 7.0, 0.0), keys.abs() + 1, 0.5),
        ):
            right = scale * (q.double() @ p.double()) + 0.0
            words = f"n = {n:,}, d = {d:,}, scale = {scale}, {label}"
            options = {"dtypes": (torch.float32,), "quick": n > 10_000}
            yield Case(words, (p, q), (right,), {"scale": scale}, **options)
            if n > 1000:
                return


def log_softmaxes(launcher: Launcher) -> Iterator[Case]:
    """Take logarithms of shares: of usual rows, far off 0, far apart, rising, -infinity."""
    for rows, cols in SIDES:
        n = rows * cols
        x = whole(-127, 128, n, n).float().reshape(rows, cols) / 16
        c = torch.arange(cols)
        for label, y in (
            ("usual", x),
            ("far above 0", x + 300),
            ("far below 0", x - 300),
            ("far apart", x * 10),
            ("all equal", x * 0 + 2),
            ("rising", x * 0 + c % 200),
            ("some -infinity", torch.where((c % 3 == 0) & (c < cols - 1), -INF, x)),
        ):
            right = y.double().log_softmax(1)
            size = y.nan_to_num(0.0, 0.0, 0.0).abs().amax(1, keepdim=True).double()
            slack = 2.0**-20 * (size + right.nan_to_num(0.0, 0.0, 0.0).abs() + 1)
            options = {"dtypes": (torch.float32,), "within": (slack,)}
            words = f"rows = {rows}, cols = {cols:,}, {label}"
            yield Case(words, (y.contiguous(),), (right,), **options)


def norms(launcher: Launcher) -> Iterator[Case]:
    """Norm rows: usual ones, far off 0, small beside eps, equal ones, and one that is not 0."""
    for rows, cols in SIDES:
        n = rows * cols
        x = whole(-999, 1000, n, n).float().reshape(rows, cols) / 128
        weight = whole(8, 65, cols, n + 1).float() / 32
        c = torch.arange(cols)
        for label, y in (
            ("usual", x),
            ("far off 0", (x / 4).round() + 1024),
            ("small", x / 256),
            ("equal", x * 0 + 3),
            ("one number", torch.where(c == cols // 2, 3.0, 0.0) + x * 0),
        ):
            for eps in (1e-5, 0.5):
                z = y.half().double()
                mean, var = z.mean(1, keepdim=True), z.var(1, keepdim=True, unbiased=False)
                right = (z - mean) / (var + eps).sqrt() * weight.double()
                off = 2.0**-20 * z.abs().amax(1, keepdim=True) / (var + eps).sqrt()
                slack = 2.0**-10 * right.abs() + 2.0**-16 + off * weight.double()
                options = {"dtypes": (torch.float16,), "within": (slack,)}
                words = f"rows = {rows}, cols = {cols:,}, eps = {eps}, {label}"
                inputs = (y.half().contiguous(), weight)
                yield Case(words, inputs, (right,), {"eps": eps}, **options)


BASES = {
    "fifty_axpy": Base(AXPY, {"cases": axpys}),
    "fifty_diff": Base(DIFF, {"cases": differences}),
    "fifty_widen": Base(WIDEN, {"reference": same}),
    "fifty_quant": Base(QUANT, {"cases": to_bytes}),
    "fifty_elu": Base(ELU, {"cases": elus}),
    "fifty_swiglu": Base(SWIGLU, {"cases": swiglus}),
    "fifty_squares": Base(SQUARES, {"cases": squares}),
    "fifty_rowmean": Base(ROWMEAN, {"cases": means}),
    "fifty_peak": Base(PEAK, {"cases": swings}),
    "fifty_turn": Base(TURN, {"cases": turns}),
    "fifty_atb": Base(ATB, {"cases": products}),
    "fifty_score": Base(SCORE, {"cases": fits}),
    "fifty_lsm": Base(LSM, {"cases": log_softmaxes}),
    "fifty_norm": Base(NORM, {"cases": norms}),
}

WRONG = (
    # ---- alpha * x + y of halves
    # Only one address is looked at.
    Wrong(
        "fifty_axpy_one_address",
        "fifty_axpy",
        "alignment",
        (
            "(((uintptr_t)x | (uintptr_t)y | (uintptr_t)out) & 3) == 0;",
            "((uintptr_t)x & 3) == 0;",
        ),
    ),
    # The rest is what pairs leave, where there are no pairs, too.
    Wrong(
        "fifty_axpy_rest_behind_pairs",
        "fifty_axpy",
        "alignment / unwritten / left out | tail",
        ("int i = 2 * pairs + t;", "int i = n / 2 * 2 + t;"),
    ),
    # alpha is a half before it multiplies.
    Wrong(
        "fifty_axpy_half_alpha",
        "fifty_axpy",
        "precision / rounding | numbers / function / tail",
        (
            "__floats2half2_rn(fmaf(alpha, u.x, v.x), fmaf(alpha, u.y, v.y));",
            "__hfma2(__float2half2_rn(alpha), ((const half2*)x)[p], ((const half2*)y)[p]);",
        ),
        ("    float2 u = __half22float2(((const half2*)x)[p]);\n", ""),
        ("    float2 v = __half22float2(((const half2*)y)[p]);\n", ""),
    ),
    # The sum is kept in y, as a library does it.
    Wrong(
        "fifty_axpy_into_y",
        "fifty_axpy",
        "input | numbers / state / race",
        (
            "    ((half2*)out)[p] = __floats2half2_rn(",
            "    ((half2*)out)[p] = ((half2*)y)[p] = __floats2half2_rn(",
        ),
    ),
    # alpha goes to the other array.
    Wrong(
        "fifty_axpy_alpha_to_y",
        "fifty_axpy",
        "swapped / function | numbers / nan / other element / copy",
        (
            "fmaf(alpha, u.x, v.x), fmaf(alpha, u.y, v.y)",
            "fmaf(alpha, v.x, u.x), fmaf(alpha, v.y, u.y)",
        ),
        (
            "fmaf(alpha, __half2float(x[i]), __half2float(y[i]))",
            "fmaf(alpha, __half2float(y[i]), __half2float(x[i]))",
        ),
    ),
    # ---- a scaled difference
    # One number of the rest.
    Wrong(
        "fifty_diff_one_of_rest",
        "fifty_diff",
        "tail / unwritten / left out | neighbour",
        ("    if (rest < n)\n", "    if (i == 0 && rest < n)\n"),
    ),
    # Nobody counts the block for the rest.
    Wrong(
        "fifty_diff_no_block_for_rest",
        "fifty_diff",
        "grid / tail / unwritten / left out / refused",
        ("(quads / 96 + 1), 96,", "((quads + 95) / 96), 96,"),
    ),
    # b may lie anywhere, and is loaded by four.
    Wrong(
        "fifty_diff_b_anywhere",
        "fifty_diff",
        "alignment",
        ("const float *b,  // [n] 16-byte aligned", "const float *b,  // [n] 4-byte aligned"),
    ),
    # s times a, less b.
    Wrong(
        "fifty_diff_no_parentheses",
        "fifty_diff",
        "function / tail | numbers / left out",
        ("s * (a[rest] - b[rest]);", "s * a[rest] - b[rest];"),
    ),
    # A line was copied, and one letter of three changed.
    Wrong(
        "fifty_diff_copied_line",
        "fifty_diff",
        "neighbour / other element | numbers / function / left out",
        ("r.w = s * (p.w - q.w);", "r.w = s * (p.w - q.z);"),
    ),
    # ---- bfloat16 to float
    # The lower half of the word stays.
    Wrong(
        "fifty_widen_whole_word",
        "fifty_widen",
        "precision / rounding / neighbour / other element"
        " | numbers / nan / infinity / sign of zero / subnormal / function",
        ("v.y = __uint_as_float(w.x & 0xffff0000u);", "v.y = __uint_as_float(w.x);"),
    ),
    # High before low.
    Wrong(
        "fifty_widen_high_first",
        "fifty_widen",
        "neighbour / other element / swapped | numbers",
        ("v.z = __uint_as_float(w.y << 16);", "v.z = __uint_as_float(w.y & 0xffff0000u);"),
        ("v.w = __uint_as_float(w.y & 0xffff0000u);", "v.w = __uint_as_float(w.y << 16);"),
    ),
    # Three numbers are left, four are loaded and stored.
    Wrong(
        "fifty_widen_past_end",
        "fifty_widen",
        "bounds | tail / alignment / unwritten",
        ("if (i + 3 < n) {", "if (i + 2 < n) {"),
    ),
    # The usual block size stands in the kernel.
    Wrong(
        "fifty_widen_64",
        "fifty_widen",
        "block size | unwritten / left out / grid / twice / race / bounds / tail",
        ("4 * (blockIdx.x * blockDim.x +", "4 * (blockIdx.x * 64 +"),
    ),
    # No thread is counted for the rest.
    Wrong(
        "fifty_widen_threads_rounded_down",
        "fifty_widen",
        "grid / tail / unwritten / left out / refused",
        ("int threads = (n + 3) / 4;", "int threads = n / 4;"),
    ),
    # ---- float to bytes
    # What is behind the point is cut off.
    Wrong(
        "fifty_quant_cut_off",
        "fifty_quant",
        "rounding | precision / numbers / function",
        ("float r = rintf(v * inverse);", "float r = v * inverse;"),
    ),
    # Ties go up.
    Wrong(
        "fifty_quant_ties_up",
        "fifty_quant",
        "rounding | precision / numbers / function",
        ("rintf(v * inverse);", "floorf(v * inverse + 0.5f);"),
    ),
    # Nothing is limited below.
    Wrong(
        "fifty_quant_no_lower_limit",
        "fifty_quant",
        "whole range / infinity | numbers / function / left out",
        ("r = fminf(fmaxf(r, -127.0f), 127.0f);", "r = fminf(r, 127.0f);"),
    ),
    # The least byte instead of the least that is asked for.
    Wrong(
        "fifty_quant_to_128",
        "fifty_quant",
        "whole range / infinity / function / numbers / copy",
        ("fmaxf(r, -127.0f)", "fmaxf(r, -128.0f)"),
    ),
    # The number is limited, and then it is scaled.
    Wrong(
        "fifty_quant_limited_first",
        "fifty_quant",
        "whole range / infinity / function / numbers",
        ("float r = rintf(v * inverse);", "float r = fminf(fmaxf(v, -127.0f), 127.0f);"),
        ("r = fminf(fmaxf(r, -127.0f), 127.0f);", "r = rintf(r * inverse);"),
    ),
    # ---- ELU
    # exp(x) is rounded before 1 goes.
    Wrong(
        "fifty_elu_exp_less_1",
        "fifty_elu",
        "precision / rounding | numbers / function / subnormal / sign of zero",
        ("alpha * expm1f(v);", "alpha * (expf(v) - 1.0f);"),
    ),
    # A factor that is a whole number.
    Wrong(
        "fifty_elu_int_alpha",
        "fifty_elu",
        "rounding / precision / function / numbers | narrow / whole range / copy / left out",
        (
            "const float* x, float alpha, int n)\n{\n    int i",
            "const float* x, int alpha, int n)\n{\n    int i",
        ),
    ),
    # The larger one of NaN and 0 is 0.
    Wrong(
        "fifty_elu_fmax",
        "fifty_elu",
        "nan | numbers / infinity",
        (
            "v > 0.0f ? v : alpha * expm1f(v);",
            "fmaxf(v, 0.0f) + alpha * expm1f(fminf(v, 0.0f));",
        ),
    ),
    # There are never more than 400 blocks, and no loop.
    Wrong(
        "fifty_elu_400_blocks",
        "fifty_elu",
        "grid / unwritten / left out | tail",
        (
            "    elu<<<(n + threads - 1) / threads, threads,",
            "    int blocks = (n + threads - 1) / threads;\n"
            "    if (blocks > 400)\n        blocks = 400;\n"
            "    elu<<<blocks, threads,",
        ),
    ),
    # An index of 16 bits.
    Wrong(
        "fifty_elu_short_index",
        "fifty_elu",
        "narrow / unwritten / left out | twice / tail / grid / race / whole range",
        ("    int i = blockIdx.x", "    unsigned short i = blockIdx.x"),
    ),
    # ---- SwiGLU
    # SiLU is a bfloat16 before the product.
    Wrong(
        "fifty_swiglu_rounded_gate",
        "fifty_swiglu",
        "rounding / precision | numbers / subnormal / infinity",
        ("__float2bfloat16(s * u);", "__hmul(__float2bfloat16(s), up[idx]);"),
    ),
    # The gate and the other one change places.
    Wrong(
        "fifty_swiglu_swapped",
        "fifty_swiglu",
        "swapped | function / numbers / nan / other element",
        (
            "block_size, 0, stream>>>(out, gate, up, n);",
            "block_size, 0, stream>>>(out, up, gate, n);",
        ),
    ),
    # exp above and below: infinity by infinity.
    Wrong(
        "fifty_swiglu_exp_twice",
        "fifty_swiglu",
        "nan / infinity | numbers",
        ("float s = g / (1.0f + expf(-g));", "float s = g * expf(g) / (1.0f + expf(g));"),
    ),
    # The stream is not passed on.
    Wrong(
        "fifty_swiglu_no_stream",
        "fifty_swiglu",
        "stream",
        ("<<<blocks, block_size, 0, stream>>>", "<<<blocks, block_size>>>"),
    ),
    # The lower bits are cut off.
    Wrong(
        "fifty_swiglu_cut_off",
        "fifty_swiglu",
        "rounding | precision / numbers / nan",
        (
            "__float2bfloat16(s * u);",
            "__ushort_as_bfloat16((unsigned short)(__float_as_uint(s * u) >> 16));",
        ),
    ),
    # ---- the sum of squares
    # Half of the parts.
    Wrong(
        "fifty_squares_first_half",
        "fifty_squares",
        "left out | numbers / tail / function / grid",
        ("partial[threadIdx.x] + partial[threadIdx.x + 32];", "partial[threadIdx.x];"),
    ),
    # Fewer blocks for few numbers: what others left earlier is added.
    Wrong(
        "fifty_squares_fewer_blocks",
        "fifty_squares",
        "state | numbers / start / twice / zero before",
        (
            "  part_of_squares<<<BLOCKS, THREADS,",
            "  int blocks = n < BLOCKS * THREADS ? (n + THREADS - 1) / THREADS : BLOCKS;\n"
            "  part_of_squares<<<blocks, THREADS,",
        ),
    ),
    # Nobody waits for what the others add.
    Wrong(
        "fifty_squares_no_barrier",
        "fifty_squares",
        "race | left out / numbers / unwritten / state / nan / start",
        (
            "    if (t < k) s[t] += s[t + k];\n    __syncthreads();\n",
            "    if (t < k) s[t] += s[t + k];\n",
        ),
    ),
    # Added to what is there.
    Wrong(
        "fifty_squares_adds",
        "fifty_squares",
        "zero before / start / state | nan / unwritten / numbers",
        ("*out = v;", "*out += v;"),
    ),
    # The parts grow from call to call.
    Wrong(
        "fifty_squares_parts_grow",
        "fifty_squares",
        "state / zero before / twice | start / numbers",
        ("partial[blockIdx.x] = s[0];", "partial[blockIdx.x] += s[0];"),
    ),
    # ---- means of rows
    # The sum is a half.
    Wrong(
        "fifty_rowmean_half_sum",
        "fifty_rowmean",
        "precision / rounding / infinity | numbers / left out / nan",
        ("    float s = 0.0f;\n", "    half h = __float2half(0.0f);\n"),
        (
            "        s += __half2float(p[c]);\n    }\n",
            "        h = __hadd(h, p[c]);\n    }\n    float s = __half2float(h);\n",
        ),
    ),
    # Only half of the warp's steps.
    Wrong(
        "fifty_rowmean_from_8",
        "fifty_rowmean",
        "left out | numbers / tail / function / other element",
        ("for (int d = 16; d > 0;", "for (int d = 8; d > 0;"),
    ),
    # Nobody waits for the other warps.
    Wrong(
        "fifty_rowmean_no_barrier",
        "fifty_rowmean",
        "race / unwritten | numbers / left out / start / state / nan",
        ("    __syncthreads();\n", ""),
    ),
    # By the number of threads.
    Wrong(
        "fifty_rowmean_by_128",
        "fifty_rowmean",
        "function / numbers / sides | precision / left out / copy",
        ("part[3]) / cols;", "part[3]) / blockDim.x;"),
    ),
    # Rows and columns change places on the way.
    Wrong(
        "fifty_rowmean_swapped_sides",
        "fifty_rowmean",
        "sides / swapped / bounds | other element / left out / numbers / function / tail",
        ("(m, means, rows, cols);", "(m, means, cols, rows);"),
    ),
    # ---- the largest swing
    # Of equal ones any.
    Wrong(
        "fifty_peak_any_of_equal",
        "fifty_peak",
        "other element / numbers | left out / function / neighbour",
        (
            "            bool earlier = top[t + s] == top[t] && at[t + s] < at[t];\n"
            "            if (larger || earlier) {",
            "            if (larger) {",
        ),
    ),
    # The sign is not taken away.
    Wrong(
        "fifty_peak_highest",
        "fifty_peak",
        "function / numbers / other element | left out / start / neighbour",
        ("float v = fabsf(track[i]);", "float v = track[i];"),
    ),
    # The largest so far is a whole number.
    Wrong(
        "fifty_peak_int_best",
        "fifty_peak",
        "rounding / precision | numbers / other element / narrow / whole range / neighbour",
        ("    float best = -1.0f;\n", "    int best = -1;\n"),
    ),
    # Nobody waits in the tree.
    Wrong(
        "fifty_peak_no_barrier_in_tree",
        "fifty_peak",
        "race | numbers / other element / left out",
        ("            }\n        }\n        __syncthreads();\n", "            }\n        }\n"),
    ),
    # The swing, not the number.
    Wrong(
        "fifty_peak_no_sign",
        "fifty_peak",
        "function / numbers | other element / whole range",
        ("peak[blockIdx.x] = track[at[0]];", "peak[blockIdx.x] = top[0];"),
    ),
    # ---- transposes
    # All matrices go to the first one's place.
    Wrong(
        "fifty_turn_out_stays",
        "fifty_turn",
        "unwritten / twice / race / left out / other element | numbers / sides / tail",
        ("  out += start;\n", ""),
    ),
    # Nobody waits for the tile.
    Wrong(
        "fifty_turn_no_barrier",
        "fifty_turn",
        "race / unwritten | numbers / other element / start / state / nan",
        ("  __syncthreads();\n", ""),
    ),
    # Threads outside leave, though they would store.
    Wrong(
        "fifty_turn_leaves_early",
        "fifty_turn",
        "unwritten / race / left out / tail | sides / bounds",
        (
            "  if (x < cols && y < rows) tile[threadIdx.y][threadIdx.x] = in[y * cols + x];\n",
            "  if (x >= cols || y >= rows) return;\n"
            "  tile[threadIdx.y][threadIdx.x] = in[y * cols + x];\n",
        ),
    ),
    # The grid's sides change places.
    Wrong(
        "fifty_turn_grid_turned",
        "fifty_turn",
        "grid / unwritten / sides / swapped / left out | tail",
        (
            "grid((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE, batch);",
            "grid((rows + TILE - 1) / TILE, (cols + TILE - 1) / TILE, batch);",
        ),
    ),
    # Matrices are a side apart, as if they were square.
    Wrong(
        "fifty_turn_square_start",
        "fifty_turn",
        "sides / other element / bounds / unwritten | numbers / twice / race / left out",
        ("blockIdx.z * rows * cols;", "blockIdx.z * rows * rows;"),
    ),
    # ---- a transpose times a matrix
    # The next tile is loaded over one that is still read.
    Wrong(
        "fifty_atb_one_barrier",
        "fifty_atb",
        "race | numbers / other element",
        (
            "sum += a[j][ty] * b[j][tx];\n        __syncthreads();\n",
            "sum += a[j][ty] * b[j][tx];\n",
        ),
    ),
    # Nobody asks whether there are so many rows.
    Wrong(
        "fifty_atb_rows_untested",
        "fifty_atb",
        "bounds | tail / nan / other element / numbers / left out",
        ("(k < K && n < N) ? B", "n < N ? B"),
    ),
    # Each tile starts a new sum.
    Wrong(
        "fifty_atb_new_sum",
        "fifty_atb",
        "left out / start | numbers / function / sides / tail",
        ("    float sum = 0.0f;\n    for (int k0 = 0;", "    float sum;\n    for (int k0 = 0;"),
        ("        int k = k0 + ty;\n", "        int k = k0 + ty;\n        sum = 0.0f;\n"),
    ),
    # A is read as if it lay the usual way.
    Wrong(
        "fifty_atb_pitch",
        "fifty_atb",
        "sides / other element / swapped | numbers / function",
        ("A[k * M + across]", "A[across * K + k]"),
    ),
    # The number of blocks is rounded down.
    Wrong(
        "fifty_atb_grid_rounded_down",
        "fifty_atb",
        "grid / unwritten / tail / left out / refused | sides",
        ("dim3 grid((N + T - 1) / T,", "dim3 grid(N / T + (N < T),"),
    ),
    # ---- keys and a query
    # Four at a time, wherever the key begins.
    Wrong(
        "fifty_score_any_length",
        "fifty_score",
        "alignment / tail / bounds | left out",
        ("  if (d % 4 == 0) {", "  if (d >= 128) {"),
    ),
    # All lanes store what they have.
    Wrong(
        "fifty_score_all_lanes",
        "fifty_score",
        "race / other element | numbers / left out",
        ("  if (lane == 0) out[row]", "  out[row]"),
    ),
    # Nobody asks whether there is such a key.
    Wrong(
        "fifty_score_rows_untested",
        "fifty_score",
        "bounds | tail / grid",
        ("  if (row >= n) return;\n", ""),
    ),
    # The number of the key has 16 bits.
    Wrong(
        "fifty_score_short_row",
        "fifty_score",
        "narrow / unwritten / left out | tail / twice / race / whole range / grid / numbers",
        ("  int row = blockIdx.x", "  unsigned short row = blockIdx.x"),
    ),
    # Each lane scales, and the first one again.
    Wrong(
        "fifty_score_scaled_twice",
        "fifty_score",
        "function / twice / numbers | precision",
        ("  for (int s = 16;", "  sum *= scale;\n  for (int s = 16;"),
    ),
    # ---- the logarithm of softmax
    # -infinity less -infinity.
    Wrong(
        "fifty_lsm_no_guard",
        "fifty_lsm",
        "nan / infinity | numbers / start / function / sides",
        ("            if (ms[t + k] > -INFINITY)\n", ""),
    ),
    # The maximum begins at 0.
    Wrong(
        "fifty_lsm_from_0",
        "fifty_lsm",
        "start / infinity / numbers | precision / nan / function / subnormal",
        ("float m = -INFINITY, s = 0.0f;", "float m = 0.0f, s = 0.0f;"),
    ),
    # Nobody waits for the others' sums.
    Wrong(
        "fifty_lsm_no_barrier",
        "fifty_lsm",
        "race / unwritten | numbers / left out / start / state / nan / infinity",
        ("    ss[t] = s;\n    __syncthreads();\n", "    ss[t] = s;\n"),
    ),
    # The old sum is not brought to the new maximum.
    Wrong(
        "fifty_lsm_sum_as_it_is",
        "fifty_lsm",
        "function / left out / numbers | precision / other element / twice / infinity",
        ("s = s * expf(m - top) + expf(x[c] - top);", "s += expf(x[c] - top);"),
    ),
    # The result is kept in the input.
    Wrong(
        "fifty_lsm_in_place",
        "fifty_lsm",
        "input | numbers / state",
        ("    const float* x = in +", "    float* x = (float*)in +"),
        ("        y[c] = x[c] - whole;", "        y[c] = x[c] -= whole;"),
    ),
    # ---- layer norm
    # The second call's parts meet the first one's.
    Wrong(
        "fifty_norm_one_barrier",
        "fifty_norm",
        "race | numbers / left out / other element / state / nan",
        ("    __syncthreads();  // the parts of the last call have been read\n", ""),
    ),
    # Squares less the square of the mean.
    Wrong(
        "fifty_norm_square_of_mean",
        "fifty_norm",
        "precision / nan | numbers / infinity / rounding / function",
        ("float d = __half2float(in[c]) - mean;", "float d = __half2float(in[c]);"),
        (
            "block_sum(squares) / cols + eps);",
            "block_sum(squares) / cols - mean * mean + eps);",
        ),
    ),
    # The weight of the row.
    Wrong(
        "fifty_norm_weight_of_row",
        "fifty_norm",
        "other element / sides / bounds | numbers / function / swapped",
        ("* scale * weight[c]);", "* scale * weight[blockIdx.x]);"),
    ),
    # eps is forgotten.
    Wrong(
        "fifty_norm_no_eps",
        "fifty_norm",
        "nan / infinity / left out / function | numbers / precision",
        ("block_sum(squares) / cols + eps);", "block_sum(squares) / cols);"),
    ),
    # The launch goes to the default stream.
    Wrong(
        "fifty_norm_default_stream",
        "fifty_norm",
        "stream",
        ("<<<rows, 128, 0, stream>>>", "<<<rows, 128>>>"),
    ),
)

RIGHT = (
    # The launch by a call, with the addresses of the arguments.
    Right(
        "fifty_axpy_launch_call",
        "fifty_axpy",
        (
            "  axpy_half<<<12, 64, 0, stream>>>(alpha, x, y, out, n);\n",
            "  void* args[] = {&alpha, &x, &y, &out, &n};\n"
            "  cudaLaunchKernel((const void*)axpy_half, dim3(12), dim3(64), args, 0, stream);\n",
        ),
    ),
    # Nearly all blocks do nothing.
    Right(
        "fifty_diff_idle_blocks",
        "fifty_diff",
        (
            "    int64_t quads = n / 4;\n    scaled_diff<<<(unsigned)(quads / 96 + 1), 96,",
            "    scaled_diff<<<(unsigned)(n / 32 + 3), 32,",
        ),
        ("r.x = s * (p.x - q.x);", "r.x = (q.x - p.x) * -s + 0.0f;"),
    ),
    # Bytes are put where they belong by one instruction; the last four, too, one by one.
    Right(
        "fifty_widen_bytes",
        "fifty_widen",
        ("if (i + 3 < n) {", "if (i + 4 < n) {"),
        (
            "v.x = __uint_as_float(w.x << 16);",
            "v.x = __uint_as_float(__byte_perm(w.x, 0, 0x1044));",
        ),
        (
            "v.y = __uint_as_float(w.x & 0xffff0000u);",
            "v.y = __uint_as_float(__byte_perm(w.x, 0, 0x3244));",
        ),
    ),
    # A large number is added and taken away again, which rounds.
    Right(
        "fifty_quant_large_number",
        "fifty_quant",
        ("  float r = rintf(v * inverse);\n", "  float r = v * inverse;\n"),
        (
            "(signed char)(int)r;",
            "(signed char)(int)(__fadd_rn(r, 12582912.0f) - 12582912.0f);",
        ),
    ),
    # In double, from the last number to the first.
    Right(
        "fifty_elu_double_backwards",
        "fifty_elu",
        (
            "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
            "    if (i >= n)\n        return;\n",
            "    int i = n - 1 - (int)(blockIdx.x * blockDim.x + threadIdx.x);\n"
            "    if (i < 0)\n        return;\n",
        ),
        ("alpha * expm1f(v);", "(float)(alpha * expm1((double)v));"),
    ),
    # Two numbers a thread, half of the array apart.
    Right(
        "fifty_swiglu_two_apart",
        "fifty_swiglu",
        (
            "    if (idx < n) {\n",
            "    int half_way = (n + 1) / 2;\n    if (idx >= half_way) return;\n"
            "    for (; idx < n; idx += half_way) {\n",
        ),
    ),
    # The result is set to 0 in the stream, and each block adds its part.
    Right(
        "fifty_squares_set_and_added",
        "fifty_squares",
        (
            "void part_of_squares(const float* x, int n) {",
            "void part_of_squares(const float* x, float* out, int n) {",
        ),
        ("if (t == 0) partial[blockIdx.x] = s[0];", "if (t == 0) atomicAdd(out, s[0]);"),
        (
            "  part_of_squares<<<",
            "  cudaMemsetAsync(out, 0, sizeof(float), stream);\n  part_of_squares<<<",
        ),
        ("(x, n);\n", "(x, out, n);\n"),
        ("  all_of_them<<<1, 32, 0, stream>>>(out);\n", ""),
    ),
    # Each warp adds its part to one shared sum.
    Right(
        "fifty_rowmean_shared_atomic",
        "fifty_rowmean",
        (
            "    __shared__ float part[4];\n",
            "    __shared__ float total;\n    if (threadIdx.x == 0) total = 0.0f;\n"
            "    __syncthreads();\n",
        ),
        ("if (lane == 0) part[warp] = s;", "if (lane == 0) atomicAdd(&total, s);"),
        ("    int warp = threadIdx.x >> 5;\n", ""),
        ("(part[0] + part[1] + part[2] + part[3]) / cols;", "total / cols;"),
    ),
    # Bits of the swing and the place are one number of 64 bits.
    Right(
        "fifty_peak_keys",
        "fifty_peak",
        (
            "    top[t] = best;\n    at[t] = mine;\n    __syncthreads();\n",
            "    __shared__ unsigned long long key;\n    if (t == 0) key = 0;\n"
            "    __syncthreads();\n"
            "    if (best >= 0.0f)\n"
            "        atomicMax(&key, ((unsigned long long)__float_as_uint(best) << 32) |\n"
            "                            (~0u - mine));\n"
            "    __syncthreads();\n    if (t == 0) at[0] = ~0u - (unsigned)key;\n",
        ),
        (
            "    for (int s = T / 2; s > 0; s /= 2) {\n"
            "        if (t < s) {\n"
            "            bool larger = top[t + s] > top[t];\n"
            "            bool earlier = top[t + s] == top[t] && at[t + s] < at[t];\n"
            "            if (larger || earlier) {\n"
            "                top[t] = top[t + s];\n"
            "                at[t] = at[t + s];\n"
            "            }\n        }\n        __syncthreads();\n    }\n",
            "",
        ),
        ("    __shared__ float top[T];\n", ""),
        ("    __shared__ int at[T];\n", "    __shared__ int at[1];\n"),
    ),
    # No tile: each number is read where it lies.
    Right(
        "fifty_turn_no_tile",
        "fifty_turn",
        ("  __shared__ half tile[TILE][TILE + 1];\n", ""),
        (
            "  int x = blockIdx.x * TILE + threadIdx.x;\n"
            "  int y = blockIdx.y * TILE + threadIdx.y;\n"
            "  if (x < cols && y < rows) tile[threadIdx.y][threadIdx.x] = in[y * cols + x];\n"
            "  __syncthreads();\n",
            "",
        ),
        ("tile[threadIdx.x][threadIdx.y];", "__ldg(in + (size_t)u * cols + v);"),
    ),
    # Only A's tile is shared, and the terms end where K ends.
    Right(
        "fifty_atb_one_tile",
        "fifty_atb",
        ("a[T][T], b[T][T];", "a[T][T];"),
        ("        b[ty][tx] = (k < K && n < N) ? B[k * N + n] : 0.0f;\n", ""),
        (
            "for (int j = 0; j < T; j++) sum += a[j][ty] * b[j][tx];",
            "for (int j = 0; j < T && k0 + j < K && n < N; j++)\n"
            "            sum = fmaf(a[j][ty], B[(k0 + j) * N + n], sum);",
        ),
    ),
    # The first thread adds up all pairs.
    Right(
        "fifty_lsm_first_thread",
        "fifty_lsm",
        (
            "    for (int k = T / 2; k > 0; k /= 2) {\n"
            "        if (t < k) {\n"
            "            float top = fmaxf(ms[t], ms[t + k]);\n"
            "            if (ms[t + k] > -INFINITY)\n"
            "                ss[t] = ss[t] * expf(ms[t] - top) +"
            " ss[t + k] * expf(ms[t + k] - top);\n"
            "            ms[t] = top;\n        }\n        __syncthreads();\n    }\n",
            "    if (t == 0) {\n        float top = -INFINITY, sum = 0.0f;\n"
            "        for (int k = 0; k < T; k++)\n            top = fmaxf(top, ms[k]);\n"
            "        for (int k = 0; k < T && k < cols; k++)\n"
            "            sum += ss[k] * expf(ms[k] - top);\n"
            "        ms[0] = top;\n        ss[0] = sum;\n    }\n    __syncthreads();\n",
        ),
    ),
)
