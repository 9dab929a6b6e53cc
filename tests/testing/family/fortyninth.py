"""Hold a forty-ninth family: kernels of people who have written CUDA for half a year.

Its bases are a * b + c of halves, a way from a to b, float to bfloat16, bytes to halves, SiLU,
softplus, a dot product, sums of rows, the least of a row and its place, a transpose, a product
with a transpose, a matrix times a vector, softmax in one pass and layer norm. They have 15 to
40 lines, and are of readers of blogs and papers, C programmers, users of PyTorch and of
quantized weights, a games programmer, a statistician and a numerical analyst: half2 with a last
number, float4 with a rest, pairs by a loop over the grid, four bytes and two stores, one number
a thread with a test, parts that the last block adds up, a warp a row with four rows a block,
values and places by shuffles, a tile of 32 with 8 rows of threads, tiles of 16 whose second
matrix is read by rows, half2 where rows are even, a maximum and a sum that grow together, and
Welford's mean. Their mistakes are spread over alignment, sizes, grids and integers of 16 bits,
values, rounding, NaN and infinity, inputs that are written, sums, transposes, products, streams
and what is left of an earlier call. The causes were written before a member was judged. On the
emulator each member ran beside PyTorch, compared as a case does, called twice on the same
tensors, once each with NaN and 1e3 in floating outputs and with tensors at either end of their
pages, on a stream that is not the default one; most bases and right ones also at a hundred
other sizes. nvcc 13.0 compiles each for 8.0, all members of a base in one file; none was run on
a GPU. Bases and right ones are right, and all wrong ones but one wrong or refused by a fault:

    xlix_fma_mul_then_add         if the product is no half, but of the last of an odd count
    xlix_fma_last_has_no_thread   of odd counts, if the block size divides the pairs
    xlix_fma_c_anywhere           from 2 numbers on; by the address
    xlix_fma_last_of_c            of odd counts; of 1 before the array
    xlix_fma_no_stream            on another stream than the default one
    xlix_lerp_for_two             from 4 numbers on; by the address of b
    xlix_lerp_one_of_rest         if 2 or 3 numbers are left
    xlix_lerp_reference           from 4 numbers on, unless t is 0: a is overwritten
    xlix_lerp_copied_line         from 4 numbers on, unless t is 0
    xlix_lerp_two_of_three        from 4 numbers on, if b alone lies on no multiple of 16
    xlix_tobf_turned_pair         from 2 numbers on
    xlix_tobf_cut_off             from 2 numbers on, of what is above a half; of some NaNs
    xlix_tobf_half_added          of ties with an even number below; of some NaNs
    xlix_tobf_one_pair            from 2,050 numbers on
    xlix_tobf_a_pair_more         of odd counts
    xlix_dequant_no_sign          of bytes below 0, from 4 numbers on
    xlix_dequant_byte_difference  of the first two of four, if no byte holds the difference
    xlix_dequant_scale_first      if 4 does not divide the count, unless zero is 0 or scale is 1
    xlix_dequant_low_again        from 4 numbers on
    xlix_dequant_short_index      from 65,537 numbers on
    xlix_silu_half_share          if the logistic number is no half
    xlix_silu_no_minus            of all but 0 and NaN
    xlix_silu_exp_twice           from about 88.8 on
    xlix_silu_256                 of other block sizes, from a second block on
    xlix_silu_zero_below          from about -17 to -10
    xlix_softplus_plain_log       below 0, and just above it
    xlix_softplus_no_branch       from about 88.8 on
    xlix_softplus_from_2          from 2 to about 14
    xlix_softplus_fmin            of NaN
    xlix_softplus_less_one        of the last number
    xlix_dot_not_set_back         from a second call on
    xlix_dot_waits_for_one_more   in a first call; later the parts of two calls may meet
    xlix_dot_no_barrier           where threads do not wait for another
    xlix_dot_square               unless the arrays are equal, or by chance
    xlix_rowsum_short_sum         if a sum on the way is no bfloat16
    xlix_rowsum_blocks_rounded_down if 4 does not divide the rows
    xlix_rowsum_first_of_block    from 2 rows on
    xlix_rowsum_short_row         from 65,537 rows on
    xlix_rowsum_starts_too_far    from 2 rows on
    xlix_argmin_from_0            of rows without a number below 0
    xlix_argmin_ties              if the least is there more than once, in two lanes
    xlix_argmin_as_floats         if the least differ by less than a float tells, in a lane
    xlix_argmin_place_of_lane     from 33 columns on
    xlix_argmin_grid_down         from 65,536 rows on
    xlix_turn_no_barrier          from 2 rows or columns on, where warps do not wait
    xlix_turn_test_without_j      unless 32 divides the columns
    xlix_turn_half_a_tile         from 17 columns on
    xlix_turn_pitch               from 2 rows on, unless the matrix is square
    xlix_turn_blocks_stay         from 33 rows or columns on
    xlix_abt_turned               of all but a few
    xlix_abt_short_sum            of sums beyond 16 bits
    xlix_abt_one_barrier          from 17 terms on, where warps do not wait for another
    xlix_abt_whole_tiles          if 16 does not divide the terms
    xlix_abt_float_sum            of sums from 2^24 on: from 1,025 terms on
    xlix_matvec_any_row           of odd counts from 3 on
    xlix_matvec_half_product      if a product is no half, and of vectors that are none
    xlix_matvec_first_warp        from 33 columns on; of even counts from 66 on
    xlix_matvec_no_barrier        where warps do not wait for another
    xlix_matvec_adds              unless 0 is there before
    xlix_osoft_other_as_it_is     if maxima of lanes differ
    xlix_osoft_from_0             of rows that are far below 0
    xlix_osoft_too_early          from 33 columns on, if a lane's maximum grows
    xlix_osoft_no_guard           if a lane begins with -infinity
    xlix_osoft_default_stream     on another stream than the default one
    xlix_norm_less_one            if eps is not far above the variance
    xlix_norm_no_delta            if means of lanes differ
    xlix_norm_empty_lanes         of fewer than 16 columns
    xlix_norm_keeps_differences   always: x is overwritten
    xlix_norm_eps_outside         if eps is not far below the variance

One is right on the emulator, and wrong by reasoning:

    xlix_dot_plain_count          where two blocks end at the same time
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

# One who has read of half2: a * b + c, two numbers a thread, and one for the last.
FMA = (
    HEADER
    + """\
__global__ void fma_pairs(const half* a, const half* b, const half* c, half* out, int n) {
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  int pairs = n / 2;
  if (p < pairs) {
    half2 x = ((const half2*)a)[p];
    half2 y = ((const half2*)b)[p];
    half2 z = ((const half2*)c)[p];
    ((half2*)out)[p] = __hfma2(x, y, z);
  }
  if (p == pairs && n % 2 == 1) {
    out[n - 1] = __hfma(a[n - 1], b[n - 1], c[n - 1]);
  }
}

extern "C" void launch(const half* a,  // [n] 4-byte aligned
                       const half* b,  // [n] 4-byte aligned
                       const half* c,  // [n] 4-byte aligned
                       half* out,      // [n] 4-byte aligned
                       int n, int block_size = 128, cudaStream_t stream = 0) {
  int threads = n / 2 + 1;
  int blocks = (threads + block_size - 1) / block_size;
  fma_pairs<<<blocks, block_size, 0, stream>>>(a, b, c, out, n);
}
"""
)

# A games programmer: from a to b by t, a float4 a thread.
LERP = (
    HEADER
    + """\
__global__ void lerp4(float *out, const float *a, const float *b, float t, size_t n)
{
    size_t i = 4 * ((size_t)blockIdx.x * blockDim.x + threadIdx.x);
    if (i + 4 <= n) {
        float4 p = *(const float4 *)(a + i);
        float4 q = *(const float4 *)(b + i);
        p.x += t * (q.x - p.x);
        p.y += t * (q.y - p.y);
        p.z += t * (q.z - p.z);
        p.w += t * (q.w - p.w);
        *(float4 *)(out + i) = p;
    } else {
        while (i < n) {
            out[i] = a[i] + t * (b[i] - a[i]);
            i++;
        }
    }
}

extern "C" void launch(float *out,      // [n] 16-byte aligned
                       const float *a,  // [n] 16-byte aligned
                       const float *b,  // [n] 16-byte aligned
                       float t, int64_t n, cudaStream_t stream = 0)
{
    int64_t quads = (n + 3) / 4;
    lerp4<<<(unsigned)((quads + 127) / 128), 128, 0, stream>>>(out, a, b, t, n);
}
"""
)

# Someone who trains: float to bfloat16, pairs by a loop over the grid.
TOBF = (
    HEADER
    + """\
__global__ void to_bf16(const float* src, __nv_bfloat16* dst, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int step = gridDim.x * blockDim.x;
    for (int k = t; k < n / 2; k += step) {
        float2 v = *(const float2*)(src + 2 * k);
        *(__nv_bfloat162*)(dst + 2 * k) = __floats2bfloat162_rn(v.x, v.y);
    }
    if (t == 0 && n % 2 != 0) dst[n - 1] = __float2bfloat16(src[n - 1]);
}

extern "C" void launch(const float* src,    // [n] 8-byte aligned
                       __nv_bfloat16* dst,  // [n] 4-byte aligned
                       int n, cudaStream_t stream = 0) {
    to_bf16<<<16, 64, 0, stream>>>(src, dst, n);
}
"""
)

# A user of quantized weights: bytes to halves, four a thread.
DEQUANT = (
    HEADER
    + """\
__global__ void dequantize(const int8_t* q, float scale, int zero, half* w, int n) {
  int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n) return;
  if (i + 4 > n) {  // the rest
    for (; i < n; i++) w[i] = __float2half(scale * (q[i] - zero));
    return;
  }
  char4 v = *reinterpret_cast<const char4*>(q + i);
  half2 lo = __floats2half2_rn(scale * (v.x - zero), scale * (v.y - zero));
  half2 hi = __floats2half2_rn(scale * (v.z - zero), scale * (v.w - zero));
  half2* to = reinterpret_cast<half2*>(w + i);
  to[0] = lo;
  to[1] = hi;
}

extern "C" void launch(const int8_t* q,  // [n] 4-byte aligned
                       float scale, int zero,
                       half* w,          // [n] 4-byte aligned
                       int n, cudaStream_t stream = 0) {
  int threads = (n + 3) / 4;
  dequantize<<<(threads + 191) / 192, 192, 0, stream>>>(q, scale, zero, w, n);
}
"""
)

# A user of PyTorch: SiLU of halves, one number a thread.
SILU = (
    HEADER
    + """\
__global__ void silu_kernel(const half* input, half* output, int64_t numel) {
  int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < numel) {
    float v = __half2float(input[i]);
    float s = 1.0f / (1.0f + expf(-v));
    output[i] = __float2half(v * s);
  }
}

extern "C" void launch(const half* input,  // [numel]
                       half* output,       // [numel]
                       int64_t numel, int block_size = 256, cudaStream_t stream = 0) {
  int64_t blocks = (numel + block_size - 1) / block_size;
  silu_kernel<<<(unsigned)blocks, block_size, 0, stream>>>(input, output, numel);
}
"""
)

# A statistician: log(1 + exp(x)), by a loop over the grid.
SOFTPLUS = (
    HEADER
    + """\
__global__ void softplus(float* y, const float* x, int n)
{
    const int step = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        const float v = x[i];
        // far above 0 it is x itself
        y[i] = v > 20.0f ? v : log1pf(expf(v));
    }
}

extern "C" void launch(float* y,        // [n]
                       const float* x,  // [n]
                       int n, cudaStream_t stream = 0)
{
    softplus<<<12, 96, 0, stream>>>(y, x, n);
}
"""
)

# A C programmer: a dot product, whose last block adds up what the others left.
DOT = (
    HEADER
    + """\
#define BLOCKS 6
#define THREADS 128

__device__ float parts[BLOCKS];
__device__ unsigned int finished = 0;

__global__ void dot(const float *x, const float *y, float *result, int n)
{
    __shared__ float sums[THREADS];
    int t = threadIdx.x;
    float sum = 0.0f;
    for (int i = blockIdx.x * THREADS + t; i < n; i += BLOCKS * THREADS)
        sum += x[i] * y[i];
    sums[t] = sum;
    for (int s = THREADS / 2; s > 0; s /= 2) {
        __syncthreads();
        if (t < s)
            sums[t] += sums[t + s];
    }
    if (t == 0) {
        parts[blockIdx.x] = sums[0];
        __threadfence();
        if (atomicAdd(&finished, 1) == BLOCKS - 1) {
            __threadfence();
            float all = 0.0f;
            for (int b = 0; b < BLOCKS; b++)
                all += ((volatile float *)parts)[b];
            *result = all;
            finished = 0;  // for the next call
        }
    }
}

extern "C" void launch(const float *x,  // [n]
                       const float *y,  // [n]
                       float *result,   // [1]
                       int n, cudaStream_t stream = 0)
{
    dot<<<BLOCKS, THREADS, 0, stream>>>(x, y, result, n);
}
"""
)

# One who has just met warps: sums of rows of bfloat16, four rows a block.
ROWSUM = (
    HEADER
    + """\
__global__ void row_sums(const __nv_bfloat16* m, float* sums, int rows, int cols) {
    int row = blockIdx.x * 4 + threadIdx.x / 32;
    int lane = threadIdx.x % 32;
    if (row >= rows) return;  // the whole warp

    const __nv_bfloat16* p = m + (size_t)row * cols;
    float s = 0.0f;
    for (int c = lane; c < cols; c += 32) {
        s += __bfloat162float(p[c]);
    }
    for (int d = 16; d > 0; d >>= 1) {
        s += __shfl_down_sync(0xffffffff, s, d);
    }
    if (lane == 0) sums[row] = s;
}

extern "C" void launch(const __nv_bfloat16* m,  // [rows, cols]
                       float* sums,             // [rows]
                       int rows, int cols, cudaStream_t stream = 0) {
    int blocks = (rows + 3) / 4;
    row_sums<<<blocks, 128, 0, stream>>>(m, sums, rows, cols);
}
"""
)

# A programmer of timetables: the least of each row of integers and its first place.
ARGMIN = (
    HEADER
    + """\
__global__ void first_least(const int* times, int* least, int* where, int cols) {
  const int lane = threadIdx.x;
  const int row = blockIdx.x;
  const int* p = times + (size_t)row * cols;

  int best = INT32_MAX;
  int at = lane;
  for (int c = lane; c < cols; c += 32) {
    if (p[c] < best) {
      best = p[c];
      at = c;
    }
  }
  for (int d = 16; d > 0; d /= 2) {
    int other = __shfl_down_sync(~0u, best, d);
    int place = __shfl_down_sync(~0u, at, d);
    if (other < best || (other == best && place < at)) {
      best = other;
      at = place;
    }
  }
  if (lane == 0) {
    least[row] = best;
    where[row] = at;
  }
}

extern "C" void launch(const int* times,  // [rows, cols]
                       int* least,        // [rows]
                       int* where,        // [rows]
                       int rows, int cols, cudaStream_t stream = 0) {
  first_least<<<rows, 32, 0, stream>>>(times, least, where, cols);
}
"""
)

# A reader of a blog: the transpose by tiles of 32, with 8 rows of threads.
TURN = (
    HEADER
    + """\
__global__ void transpose(const float* in, float* out, int rows, int cols) {
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x;
    int y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) {
        if (x < cols && y + j < rows) {
            tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * cols + x];
        }
    }
    __syncthreads();

    int u = blockIdx.y * 32 + threadIdx.x;
    int v = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) {
        if (u < rows && v + j < cols) {
            out[(v + j) * rows + u] = tile[threadIdx.x][threadIdx.y + j];
        }
    }
}

extern "C" void launch(const float* in,  // [rows, cols]
                       float* out,       // [cols, rows]
                       int rows, int cols, cudaStream_t stream = 0) {
    dim3 grid((cols + 31) / 32, (rows + 31) / 32);
    transpose<<<grid, dim3(32, 8), 0, stream>>>(in, out, rows, cols);
}
"""
)

# A student of machine learning: bytes times bytes, the second matrix by its rows.
ABT = (
    HEADER
    + """\
#define S 16

// C = A * transpose of B
__global__ void abt(const int8_t* A, const int8_t* B, int* C, int M, int N, int K) {
  __shared__ int sA[S][S];
  __shared__ int sB[S][S + 1];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * S + ty;
  int col = blockIdx.x * S + tx;
  int mine = blockIdx.x * S + ty;  // the row of B that it loads
  int sum = 0;
  for (int k0 = 0; k0 < K; k0 += S) {
    int k = k0 + tx;
    sA[ty][tx] = row < M && k < K ? A[row * K + k] : 0;
    sB[ty][tx] = mine < N && k < K ? B[mine * K + k] : 0;
    __syncthreads();
    for (int j = 0; j < S; j++) sum += sA[ty][j] * sB[tx][j];
    __syncthreads();
  }
  if (row < M && col < N) C[row * N + col] = sum;
}

extern "C" void launch(const int8_t* A,  // [M, K]
                       const int8_t* B,  // [N, K]
                       int* C,           // [M, N]
                       int M, int N, int K, cudaStream_t stream = 0) {
  dim3 grid((N + S - 1) / S, (M + S - 1) / S);
  abt<<<grid, dim3(S, S), 0, stream>>>(A, B, C, M, N, K);
}
"""
)

# One who runs a language model at home: a matrix of halves times a vector, a block a row.
MATVEC = (
    HEADER
    + """\
__global__ void matvec(float* y, const half* W, const float* x, int n) {
    __shared__ float part[2];
    const half* w = W + (size_t)blockIdx.x * n;
    float s = 0.0f;
    if (n % 2 == 0) {  // every row begins at a whole half2
        for (int i = 2 * threadIdx.x; i < n; i += 128) {
            half2 h = *(const half2*)(w + i);
            s += __low2float(h) * x[i];
            s += __high2float(h) * x[i + 1];
        }
    } else {
        for (int i = threadIdx.x; i < n; i += 64) s += __half2float(w[i]) * x[i];
    }
    for (int d = 16; d; d /= 2) s += __shfl_xor_sync(0xffffffffu, s, d);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = s;
    __syncthreads();
    if (threadIdx.x == 0) y[blockIdx.x] = part[0] + part[1];
}

extern "C" void launch(float* y,        // [d]
                       const half* W,   // [d, n] 4-byte aligned
                       const float* x,  // [n]
                       int d, int n, cudaStream_t stream = 0) {
    matvec<<<d, 64, 0, stream>>>(y, W, x, n);
}
"""
)

# A reader of a paper: softmax whose maximum and sum come of one pass, a warp a row.
OSOFT = (
    HEADER
    + """\
__global__ void online_softmax(const float* in, float* out, int cols) {
  const float* x = in + (size_t)blockIdx.x * cols;
  float* y = out + (size_t)blockIdx.x * cols;
  float m = -INFINITY;
  float s = 0.0f;
  for (int c = threadIdx.x; c < cols; c += 32) {
    float v = x[c];
    if (v > m) {
      s = s * expf(m - v) + 1.0f;
      m = v;
    } else if (m > -INFINITY) {
      s += expf(v - m);
    }
  }
  for (int d = 16; d > 0; d /= 2) {
    float m2 = __shfl_xor_sync(0xffffffff, m, d);
    float s2 = __shfl_xor_sync(0xffffffff, s, d);
    float top = fmaxf(m, m2);
    if (top > -INFINITY) s = s * expf(m - top) + s2 * expf(m2 - top);
    m = top;
  }
  for (int c = threadIdx.x; c < cols; c += 32) y[c] = expf(x[c] - m) / s;
}

extern "C" void launch(const float* in,  // [rows, cols]
                       float* out,       // [rows, cols]
                       int rows, int cols, cudaStream_t stream = 0) {
  online_softmax<<<rows, 32, 0, stream>>>(in, out, cols);
}
"""
)

# A numerical analyst: layer norm with Welford's mean and squares, a warp a row.
NORM = (
    HEADER
    + """\
__global__ void layer_norm(const float* x, const float* gamma, const float* beta, float* out,
                           float eps, int cols)
{
    const float* in = x + (size_t)blockIdx.x * cols;
    float* to = out + (size_t)blockIdx.x * cols;
    int count = 0;
    float mean = 0.0f, m2 = 0.0f;
    for (int c = threadIdx.x; c < cols; c += 32) {
        count++;
        float d = in[c] - mean;
        mean += d / count;
        m2 += d * (in[c] - mean);
    }
    for (int k = 16; k > 0; k /= 2) {
        int n2 = __shfl_xor_sync(0xffffffff, count, k);
        float mean2 = __shfl_xor_sync(0xffffffff, mean, k);
        float other = __shfl_xor_sync(0xffffffff, m2, k);
        int n = count + n2;
        if (n > 0) {
            float delta = mean2 - mean;
            m2 += other + delta * delta * count * n2 / n;
            mean += delta * n2 / n;
        }
        count = n;
    }
    float scale = rsqrtf(m2 / cols + eps);
    for (int c = threadIdx.x; c < cols; c += 32)
        to[c] = (in[c] - mean) * scale * gamma[c] + beta[c];
}

extern "C" void launch(const float* x,      // [rows, cols]
                       const float* gamma,  // [cols]
                       const float* beta,   // [cols]
                       float* out,          // [rows, cols]
                       float eps, int rows, int cols, cudaStream_t stream = 0)
{
    layer_norm<<<rows, 32, 0, stream>>>(x, gamma, beta, out, eps, cols);
}
"""
)

NAN, INF = float("nan"), float("inf")
LENGTHS = (*range(1, 10), 31, 32, 33, 63, 64, 65, 66, 67, 70, 127, 128, 129, 255, 256, 257, 258)
LENGTHS += (511, 512, 513, 1000, 1024, 1153, 2049, 2051, 5003)
SIDES = ((1, 1), (1, 4), (2, 3), (5, 31), (4, 32), (9, 33), (33, 9), (3, 64), (64, 3), (7, 100))
SIDES += ((70, 2), (2, 1000), (1, 4099), (65, 70), (129, 5), (300, 40), (32, 32))


def fma(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
    """Return a * b + c."""
    return a * b + c


def same(x: torch.Tensor) -> torch.Tensor:
    """Return the numbers themselves."""
    return x.clone()


def lerps(launcher: Launcher) -> Iterator[Case]:
    """Go from whole numbers to others by eighths, so that all is exact; also with NaN."""
    starts = least_starts(launcher)
    for n in LENGTHS:
        a, b = (whole(-99, 100, n, 2 * n + k).float() for k in (0, 1))
        hole = torch.where(torch.arange(n) % 3 == 1, NAN, a)
        for t in (0.0, 1.0, 0.5, 0.125, -2.0):
            for label, p in (("whole", a), ("NaN", hole)):
                right = p.double() + t * (b.double() - p.double())
                options = {"dtypes": (torch.float32,)}
                yield Case(
                    f"n = {n:,}, t = {t}, {label}", (p, b), (right,), {"t": t}, **options
                )
            if n < 300:
                for k in range(4):  # all of them, or one of them
                    options["offset"] = tuple(
                        x if k in (j, 3) else 4 for j, x in enumerate(starts)
                    )
                    words = f"n = {n:,}, t = {t}, slices from {options['offset']}"
                    yield Case(words, (a, b), (a + t * (b - a),), {"t": t}, **options)


def bytes_to_halves(launcher: Launcher) -> Iterator[Case]:
    """Scale all bytes around several zeros, by factors that are halves or none."""
    for n in (*LENGTHS, 66_001):
        x = whole(-128, 128, n, n)
        for scale, zero in ((0.0625, 0), (0.75, -128), (1.0, 127), (0.1, 3), (300.0, -100)):
            factor = torch.tensor(scale, dtype=torch.float32).double()
            right = factor * (x - zero)
            step = torch.frexp(right)[1].clamp(min=-13) - 11.0
            options = {
                "dtypes": (torch.float16,),
                "within": (0.501 * 2.0**step,),
                "quick": n > 10_000,
            }
            arguments = {"scale": scale, "zero": zero}
            words = f"n = {n:,}, scale = {scale}, zero = {zero}"
            yield Case(words, (x.to(torch.int8),), (right + 0.0,), arguments, **options)


def silus(launcher: Launcher) -> Iterator[Case]:
    """Bend halves: usual ones, small, large ones, and NaN; with other block sizes, too."""
    for n in LENGTHS:
        x, k = whole(-999, 1000, n, n).float() / 128, torch.arange(n)
        for label, y in (
            ("usual", x),
            ("small", x / 1024),
            ("large", x * 32),
            ("the largest", torch.where(k % 2 == 0, 65504.0, -65504.0)),
            ("far below 0", -x.abs() - 9.5),
            ("NaN", torch.where(k % 3 == 1, NAN, x)),
        ):
            z = y.half().double()
            right = z * z.sigmoid()
            step = torch.frexp(right.nan_to_num(0.0))[1].clamp(min=-13) - 11.0
            options = {"dtypes": (torch.float16,), "within": (0.501 * 2.0**step,)}
            yield Case(f"n = {n:,}, {label}", (y.half(),), (right,), **options)
            if label == "usual":
                for size in (32, 96, 512):
                    words = f"n = {n:,}, block_size = {size}"
                    yield Case(words, (y.half(),), (right,), {"block_size": size}, **options)


def softpluses(launcher: Launcher) -> Iterator[Case]:
    """Bend numbers: usual ones, around 0, far above and far below, and NaN."""
    for n in LENGTHS:
        x, k = whole(-999, 1000, n, n).float() / 100, torch.arange(n)
        for label, y in (
            ("usual", x),
            ("small", x / 1024),
            ("large", x * 100),
            ("from -80 to 80", x * 8),
            ("infinities", torch.where(k % 3 == 0, INF, torch.where(k % 3 == 1, -INF, x))),
            ("NaN", torch.where(k % 3 == 1, NAN, x)),
        ):
            z = y.double()
            right = torch.where(z > 300, z, z.clamp(max=300).exp().log1p())
            slack = (2.0**-20 * right.abs()).nan_to_num(0.0, 0.0, 0.0) + 1e-37
            options = {"dtypes": (torch.float32,), "within": (slack,)}
            yield Case(f"n = {n:,}, {label}", (y,), (right,), **options)


def dots(launcher: Launcher) -> Iterator[Case]:
    """Multiply and add up whole numbers, so that all is exact."""
    for n in (*LENGTHS, 20_001):
        x, y = (whole(-20, 21, n, 2 * n + k).float() for k in (0, 1))
        k = torch.arange(n)
        for label, p, q in (
            ("whole", x, y),
            ("positive", x.abs() + 1, y.abs() + 2),
            ("the last one", torch.where(k == n - 1, 9.0, 0.0), y.abs() + 1),
        ):
            right = (p.double() * q.double()).sum().reshape(1)
            options = {"dtypes": (torch.float32,), "quick": n > 10_000}
            yield Case(f"n = {n:,}, {label}", (p, q), (right + 0.0,), **options)


def row_sums(launcher: Launcher) -> Iterator[Case]:
    """Add up rows of whole numbers, whose sums are exact in float, not in bfloat16."""
    for rows, cols in (*SIDES, (66_001, 1)):
        n = rows * cols
        x = whole(-99, 100, n, n).float().reshape(rows, cols)
        c = torch.arange(cols)
        for label, y in (
            ("whole", x),
            ("positive", x.abs() + 1),
            ("the last one", torch.where(c == cols - 1, x.abs() + 1, 0.0)),
        ):
            options = {"dtypes": (torch.float32,), "quick": n > 10_000}
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            yield Case(words, (y.bfloat16(),), (y.double().sum(1),), **options)


def places(launcher: Launcher) -> Iterator[Case]:
    """Find the least: of usual numbers, above 0, of any size, few ones, and equal ones."""
    for rows, cols in (*SIDES, (65_537, 2)):
        n = rows * cols
        x = whole(-9999, 10_000, n, n).reshape(rows, cols)
        c, r = torch.arange(cols), torch.arange(rows)[:, None]
        for label, y in (
            ("usual", x),
            ("above 0", x.abs() + 1),
            ("any size", whole(-(2**31), 2**31, n, n + 1).reshape(rows, cols)),
            ("large", 2**30 + x % 50),
            ("few values", x % 3),
            ("the largest", x * 0 + 2**31 - 1),
            ("the last one", torch.where(c == cols - 1, -20_000, x)),
            ("one is least", torch.where((c * 7 + r) % cols == cols // 2, -20_000, x)),
        ):
            least = y.amin(1)
            first = (y == least[:, None]).to(torch.int64).argmax(1)
            words = f"rows = {rows:,}, cols = {cols:,}, {label}"
            options = {"dtypes": (torch.int32, torch.int32), "quick": n > 10_000}
            yield Case(words, (y.to(torch.int32),), (least, first), **options)
            if rows > 1000 and label == "usual":
                return


def turns(launcher: Launcher) -> Iterator[Case]:
    """Turn matrices of whole numbers: small, thin, long and square ones."""
    for rows, cols in (*SIDES, (33, 31), (64, 64), (24, 40)):
        n = rows * cols
        x = whole(-9999, 10_000, n, n).float().reshape(rows, cols)
        rising = torch.arange(n).float().reshape(rows, cols)
        for label, y in (("any", x), ("rising", rising)):
            words = f"rows = {rows}, cols = {cols:,}, {label}"
            yield Case(words, (y,), (y.T.contiguous(),), dtypes=(torch.float32,))


def products(launcher: Launcher) -> Iterator[Case]:
    """Multiply bytes: usual ones, large ones, and one row by one column; also in long sums."""
    sides = (
        (1, 1, 1),
        (3, 5, 7),
        (16, 16, 16),
        (33, 17, 40),
        (2, 50, 9),
        (70, 1, 8),
        (1, 70, 33),
    )
    for m, n, k in (*sides, (15, 16, 1), (17, 31, 23), (9, 10, 1500), (48, 32, 64)):
        a = whole(-20, 21, m * k, m + k).reshape(m, k)
        b = whole(-20, 21, n * k, k + n + 1).reshape(n, k)
        r, c = torch.arange(m)[:, None], torch.arange(n)[:, None]
        for label, x, y in (
            ("whole", a, b),
            ("large", 120 - a.abs() % 7, 121 - b.abs() % 5),
            ("the ends", a * 0 - 128, torch.where(b > 0, 127, -128)),
            ("one row, one column", torch.where(r == m // 2, 99, a), b * (c == n // 2)),
        ):
            right = (x.double() @ y.double().T) + 0.0
            words = f"M = {m}, N = {n}, K = {k}, {label}"
            yield Case(
                words, (x.to(torch.int8), y.to(torch.int8)), (right,), dtypes=(torch.int32,)
            )


def vectors(launcher: Launcher) -> Iterator[Case]:
    """Multiply whole numbers, whose sums are exact in float; some products are no halves."""
    for d, n in (*SIDES, (3, 65), (5, 129), (6, 257), (7, 128)):
        w = whole(-60, 61, d * n, d + n).float().reshape(d, n)
        x = whole(-60, 61, n, n + 1).float()
        c = torch.arange(n)
        for label, p, q in (
            ("whole", w, x),
            ("positive", w.abs() + 1, x.abs() + 3),
            ("the last one", w.abs() + 1, torch.where(c == n - 1, 7.0, 0.0)),
            ("large", w * 16, x.abs() + 1000),
        ):
            right = (p.double() @ q.double()) + 0.0
            yield Case(
                f"d = {d}, n = {n:,}, {label}", (p.half(), q), (right,), dtypes=(torch.float32,)
            )


def softmaxes(launcher: Launcher) -> Iterator[Case]:
    """Take shares: of usual rows, far off 0, far apart, rising and falling, with -infinity."""
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
            ("falling", x * 0 - c % 150),
            ("some -infinity", torch.where((c % 3 == 0) & (c < cols - 1), -INF, x)),
        ):
            right = y.double().softmax(1)
            options = {"dtypes": (torch.float32,), "within": (2.0**-17 * right + 2.0**-120,)}
            yield Case(
                f"rows = {rows}, cols = {cols:,}, {label}",
                (y.contiguous(),),
                (right,),
                **options,
            )


def norms(launcher: Launcher) -> Iterator[Case]:
    """Norm rows: usual ones, far off 0, small beside eps, equal ones, and one that is not 0."""
    for rows, cols in SIDES:
        n = rows * cols
        x = whole(-999, 1000, n, n).float().reshape(rows, cols) / 128
        gamma = whole(8, 65, cols, n + 1).float() / 32
        beta = whole(-64, 65, cols, n + 2).float() / 32
        c = torch.arange(cols)
        for label, y in (
            ("usual", x),
            ("far off 0", x + 1000),
            ("small", x / 256),
            ("equal", x * 0 + 3),
            ("one number", torch.where(c == cols // 2, 3.0, 0.0) + x * 0),
        ):
            for eps in (1e-5, 0.5):
                z = y.double()
                mean, var = z.mean(1, keepdim=True), z.var(1, keepdim=True, unbiased=False)
                scaled = (z - mean) / (var + eps).sqrt() * gamma.double()
                off = 2.0**-19 * z.abs().amax(1, keepdim=True) / (var + eps).sqrt()
                slack = 2.0**-16 * scaled.abs() + 2.0**-18 + off * gamma.double()
                options = {"dtypes": (torch.float32,), "within": (slack,)}
                words = f"rows = {rows}, cols = {cols:,}, eps = {eps}, {label}"
                inputs = (y.contiguous(), gamma, beta)
                yield Case(words, inputs, (scaled + beta.double(),), {"eps": eps}, **options)


BASES = {
    "xlix_fma": Base(FMA, {"reference": fma}),
    "xlix_lerp": Base(LERP, {"cases": lerps}),
    "xlix_tobf": Base(TOBF, {"reference": same}),
    "xlix_dequant": Base(DEQUANT, {"cases": bytes_to_halves}),
    "xlix_silu": Base(SILU, {"cases": silus}),
    "xlix_softplus": Base(SOFTPLUS, {"cases": softpluses}),
    "xlix_dot": Base(DOT, {"cases": dots}),
    "xlix_rowsum": Base(ROWSUM, {"cases": row_sums}),
    "xlix_argmin": Base(ARGMIN, {"cases": places}),
    "xlix_turn": Base(TURN, {"cases": turns}),
    "xlix_abt": Base(ABT, {"cases": products}),
    "xlix_matvec": Base(MATVEC, {"cases": vectors}),
    "xlix_osoft": Base(OSOFT, {"cases": softmaxes}),
    "xlix_norm": Base(NORM, {"cases": norms}),
}

WRONG = (
    # ---- a * b + c of halves
    # The product is rounded, and then the sum.
    Wrong(
        "xlix_fma_mul_then_add",
        "xlix_fma",
        "rounding / precision | numbers / infinity / tail / subnormal",
        ("__hfma2(x, y, z);", "__hadd2_rn(__hmul2_rn(x, y), z);"),
    ),
    # The thread for the last number is not counted.
    Wrong(
        "xlix_fma_last_has_no_thread",
        "xlix_fma",
        "grid / tail / unwritten / left out | refused",
        ("int threads = n / 2 + 1;", "int threads = n / 2;"),
    ),
    # Nobody is told that two halves must lie on a multiple of four bytes.
    Wrong(
        "xlix_fma_c_anywhere",
        "xlix_fma",
        "alignment",
        ("const half* c,  // [n] 4-byte aligned", "const half* c,  // [n]"),
    ),
    # The last of c is the one before it.
    Wrong(
        "xlix_fma_last_of_c",
        "xlix_fma",
        "tail / neighbour / other element | bounds / numbers",
        ("c[n - 1]);", "c[n - 2]);"),
    ),
    # The stream is not passed on.
    Wrong(
        "xlix_fma_no_stream",
        "xlix_fma",
        "stream",
        ("<<<blocks, block_size, 0, stream>>>", "<<<blocks, block_size>>>"),
    ),
    # ---- from a to b by t
    # Aligned for two numbers, loaded by four.
    Wrong(
        "xlix_lerp_for_two",
        "xlix_lerp",
        "alignment",
        ("const float *b,  // [n] 16-byte aligned", "const float *b,  // [n] 8-byte aligned"),
    ),
    # One number of the rest.
    Wrong(
        "xlix_lerp_one_of_rest",
        "xlix_lerp",
        "tail / unwritten / left out | neighbour",
        ("        while (i < n) {", "        if (i < n) {"),
    ),
    # A reference is taken where a copy was meant.
    Wrong(
        "xlix_lerp_reference",
        "xlix_lerp",
        "input | numbers / state",
        ("float4 p = *(const float4 *)(a + i);", "float4 &p = *(float4 *)(a + i);"),
    ),
    # A line was copied, and one letter of two changed.
    Wrong(
        "xlix_lerp_copied_line",
        "xlix_lerp",
        "neighbour / other element | numbers / left out / function",
        ("p.z += t * (q.z - p.z);", "p.z += t * (q.y - p.z);"),
    ),
    # The address of b is not looked at.
    Wrong(
        "xlix_lerp_two_of_three",
        "xlix_lerp",
        "alignment",
        ("float *out,      // [n] 16-byte aligned", "float *out,      // [n]"),
        ("const float *a,  // [n] 16-byte aligned", "const float *a,  // [n]"),
        ("const float *b,  // [n] 16-byte aligned", "const float *b,  // [n]"),
        (
            "    if (i + 4 <= n) {\n",
            "    bool whole = (uintptr_t)a % 16 == 0 && (uintptr_t)out % 16 == 0;\n"
            "    if (whole && i + 4 <= n) {\n",
        ),
        (
            "        while (i < n) {\n",
            "        size_t end = i + 4 < n ? i + 4 : n;\n        while (i < end) {\n",
        ),
    ),
    # ---- float to bfloat16
    # Low and high change places.
    Wrong(
        "xlix_tobf_turned_pair",
        "xlix_tobf",
        "neighbour / other element / swapped | numbers",
        ("__floats2bfloat162_rn(v.x, v.y);", "__floats2bfloat162_rn(v.y, v.x);"),
    ),
    # The lower bits are cut off.
    Wrong(
        "xlix_tobf_cut_off",
        "xlix_tobf",
        "rounding | precision / nan / numbers",
        (
            "*(__nv_bfloat162*)(dst + 2 * k) = __floats2bfloat162_rn(v.x, v.y);",
            "*(unsigned*)(dst + 2 * k) =\n"
            "            (__float_as_uint(v.x) >> 16) | (__float_as_uint(v.y) & 0xffff0000u);",
        ),
    ),
    # Half of the last bit is added: ties go up, and a NaN may turn over.
    Wrong(
        "xlix_tobf_half_added",
        "xlix_tobf",
        "rounding / nan | numbers / tail / sign of zero / precision",
        (
            "dst[n - 1] = __float2bfloat16(src[n - 1]);",
            "{\n        unsigned bits = __float_as_uint(src[n - 1]) + 0x8000u;\n"
            "        dst[n - 1] = __ushort_as_bfloat16(bits >> 16);\n    }",
        ),
        (
            "*(__nv_bfloat162*)(dst + 2 * k) = __floats2bfloat162_rn(v.x, v.y);",
            "dst[2 * k] = __ushort_as_bfloat16((__float_as_uint(v.x) + 0x8000u) >> 16);\n"
            "        dst[2 * k + 1] =\n"
            "            __ushort_as_bfloat16((__float_as_uint(v.y) + 0x8000u) >> 16);",
        ),
    ),
    # One pair a thread.
    Wrong(
        "xlix_tobf_one_pair",
        "xlix_tobf",
        "grid / unwritten / left out | tail",
        ("for (int k = t; k < n / 2; k += step) {", "if (int k = t; k < n / 2) {"),
        ("    int step = gridDim.x * blockDim.x;\n", ""),
    ),
    # The pairs are rounded up.
    Wrong(
        "xlix_tobf_a_pair_more",
        "xlix_tobf",
        "bounds | tail / unwritten",
        ("k < n / 2; k += step", "k < (n + 1) / 2; k += step"),
    ),
    # ---- bytes to halves
    # Bytes without a sign.
    Wrong(
        "xlix_dequant_no_sign",
        "xlix_dequant",
        "whole range / numbers | narrow / function / tail",
        (
            "char4 v = *reinterpret_cast<const char4*>",
            "uchar4 v = *reinterpret_cast<const uchar4*>",
        ),
    ),
    # The difference of two bytes is kept in a byte.
    Wrong(
        "xlix_dequant_byte_difference",
        "xlix_dequant",
        "whole range / narrow | numbers / tail / left out",
        (
            "scale * (v.x - zero), scale * (v.y - zero));",
            "scale * (int8_t)(v.x - zero), scale * (int8_t)(v.y - zero));",
        ),
    ),
    # Without parentheses, in the rest.
    Wrong(
        "xlix_dequant_scale_first",
        "xlix_dequant",
        "function / tail | numbers / infinity",
        ("__float2half(scale * (q[i] - zero));", "__float2half(scale * q[i] - zero);"),
    ),
    # The first two once more.
    Wrong(
        "xlix_dequant_low_again",
        "xlix_dequant",
        "neighbour / other element / twice | numbers / left out",
        ("to[1] = hi;", "to[1] = lo;"),
    ),
    # An index of 16 bits.
    Wrong(
        "xlix_dequant_short_index",
        "xlix_dequant",
        "narrow / unwritten / left out | twice / tail / grid / race / whole range",
        ("  int i = 4 * (blockIdx.x", "  unsigned short i = 4 * (blockIdx.x"),
    ),
    # ---- SiLU of halves
    # The logistic number is a half before the product.
    Wrong(
        "xlix_silu_half_share",
        "xlix_silu",
        "rounding / precision | numbers / subnormal / nan / infinity",
        ("__float2half(v * s);", "__hmul(input[i], __float2half(s));"),
    ),
    # The sign in exp is lost.
    Wrong(
        "xlix_silu_no_minus",
        "xlix_silu",
        "function / numbers | precision / swapped",
        ("expf(-v)", "expf(v)"),
    ),
    # exp above and below: infinity by infinity.
    Wrong(
        "xlix_silu_exp_twice",
        "xlix_silu",
        "nan / infinity | numbers",
        ("float s = 1.0f / (1.0f + expf(-v));", "float s = expf(v) / (1.0f + expf(v));"),
    ),
    # The usual block size stands in the kernel.
    Wrong(
        "xlix_silu_256",
        "xlix_silu",
        "block size | unwritten / left out / grid / twice / race / bounds / tail",
        ("(int64_t)blockIdx.x * blockDim.x +", "(int64_t)blockIdx.x * 256 +"),
    ),
    # Nothing is left below -10.
    Wrong(
        "xlix_silu_zero_below",
        "xlix_silu",
        "numbers / function / subnormal / left out | precision / infinity",
        ("float s = 1.0f /", "float s = v < -10.0f ? 0.0f : 1.0f /"),
    ),
    # ---- log(1 + exp(x))
    # 1 + exp(x) is rounded to 1.
    Wrong(
        "xlix_softplus_plain_log",
        "xlix_softplus",
        "precision / rounding | numbers / function / subnormal",
        ("log1pf(expf(v));", "logf(1.0f + expf(v));"),
    ),
    # exp overflows.
    Wrong(
        "xlix_softplus_no_branch",
        "xlix_softplus",
        "infinity | numbers",
        ("v > 20.0f ? v : log1pf(expf(v));", "log1pf(expf(v));"),
    ),
    # A figure was left out.
    Wrong(
        "xlix_softplus_from_2",
        "xlix_softplus",
        "function / precision / numbers / copy | rounding",
        ("v > 20.0f ?", "v > 2.0f ?"),
    ),
    # The smaller one of NaN and 20 is 20.
    Wrong(
        "xlix_softplus_fmin",
        "xlix_softplus",
        "nan | numbers / infinity",
        ("log1pf(expf(v));", "log1pf(expf(fminf(v, 20.0f)));"),
    ),
    # The last number is not reached.
    Wrong(
        "xlix_softplus_less_one",
        "xlix_softplus",
        "tail / unwritten / left out | grid",
        ("i < n; i += step", "i < n - 1; i += step"),
    ),
    # ---- a dot product
    # The count of finished blocks is not set back.
    Wrong(
        "xlix_dot_not_set_back",
        "xlix_dot",
        "state / unwritten | race / numbers",
        ("            finished = 0;  // for the next call\n", ""),
    ),
    # A block counts one too far.
    Wrong(
        "xlix_dot_waits_for_one_more",
        "xlix_dot",
        "state / unwritten | race / numbers / left out",
        ("== BLOCKS - 1) {", "== BLOCKS) {"),
    ),
    # Nobody waits for the other threads.
    Wrong(
        "xlix_dot_no_barrier",
        "xlix_dot",
        "race | left out / numbers / unwritten / state / nan",
        ("        __syncthreads();\n", ""),
    ),
    # The first array by itself.
    Wrong(
        "xlix_dot_square",
        "xlix_dot",
        "function / left out / swapped / copy | numbers / other element",
        ("sum += x[i] * y[i];", "sum += x[i] * x[i];"),
    ),
    # The count of finished blocks is no atomic.
    Wrong(
        "xlix_dot_plain_count",
        "xlix_dot",
        "race | unwritten / left out / state / numbers",
        ("if (atomicAdd(&finished, 1) == BLOCKS - 1) {", "if (finished++ == BLOCKS - 1) {"),
    ),
    # ---- sums of rows
    # The sum is a bfloat16, as the numbers are.
    Wrong(
        "xlix_rowsum_short_sum",
        "xlix_rowsum",
        "precision / rounding | numbers / left out",
        ("    float s = 0.0f;\n", "    __nv_bfloat16 sum = __float2bfloat16(0.0f);\n"),
        ("        s += __bfloat162float(p[c]);\n", "        sum = __hadd(sum, p[c]);\n"),
        ("    for (int d = 16;", "    float s = __bfloat162float(sum);\n    for (int d = 16;"),
    ),
    # The number of blocks is rounded down.
    Wrong(
        "xlix_rowsum_blocks_rounded_down",
        "xlix_rowsum",
        "grid / unwritten / tail / left out | refused",
        ("int blocks = (rows + 3) / 4;", "int blocks = rows / 4;"),
    ),
    # The first thread of the block, not of the warp.
    Wrong(
        "xlix_rowsum_first_of_block",
        "xlix_rowsum",
        "unwritten / left out | tail / numbers",
        ("if (lane == 0) sums", "if (threadIdx.x == 0) sums"),
    ),
    # The number of the row has 16 bits.
    Wrong(
        "xlix_rowsum_short_row",
        "xlix_rowsum",
        "narrow / unwritten / left out | tail / twice / race / whole range / grid / numbers",
        ("    int row = blockIdx.x", "    unsigned short row = blockIdx.x"),
    ),
    # The lanes begin at their number in the block.
    Wrong(
        "xlix_rowsum_starts_too_far",
        "xlix_rowsum",
        "left out | numbers / start / tail / other element / function",
        ("for (int c = lane; c < cols;", "for (int c = threadIdx.x; c < cols;"),
    ),
    # ---- the least and its place
    # Nothing is less than 0.
    Wrong(
        "xlix_argmin_from_0",
        "xlix_argmin",
        "start | numbers / left out / other element / whole range",
        ("int best = INT32_MAX;", "int best = 0;"),
    ),
    # Of equal ones in two lanes the lower lane's place is kept.
    Wrong(
        "xlix_argmin_ties",
        "xlix_argmin",
        "other element / numbers | left out / function / neighbour",
        ("if (other < best || (other == best && place < at)) {", "if (other < best) {"),
    ),
    # Integers are compared as floats.
    Wrong(
        "xlix_argmin_as_floats",
        "xlix_argmin",
        "precision / narrow / rounding | numbers / other element / whole range / neighbour",
        ("if (p[c] < best) {", "if ((float)p[c] < (float)best) {"),
    ),
    # The place is that of the lane.
    Wrong(
        "xlix_argmin_place_of_lane",
        "xlix_argmin",
        "other element / left out / function | numbers / neighbour",
        ("      at = c;\n", "      at = lane;\n"),
    ),
    # Rows are counted by the grid's second side.
    Wrong(
        "xlix_argmin_grid_down",
        "xlix_argmin",
        "grid / refused | unwritten",
        ("int row = blockIdx.x;", "int row = blockIdx.y;"),
        ("<<<rows, 32, 0,", "<<<dim3(1, rows), 32, 0,"),
    ),
    # ---- transposes
    # Nobody waits for the tile.
    Wrong(
        "xlix_turn_no_barrier",
        "xlix_turn",
        "race / unwritten | numbers / other element / start / state",
        ("    __syncthreads();\n\n", ""),
    ),
    # The test does not know that rows are further down.
    Wrong(
        "xlix_turn_test_without_j",
        "xlix_turn",
        "bounds | tail / race / unwritten / other element",
        ("u < rows && v + j < cols", "u < rows && v < cols"),
    ),
    # Two of the four numbers of a thread.
    Wrong(
        "xlix_turn_half_a_tile",
        "xlix_turn",
        "unwritten / left out / tail | grid",
        (
            "    for (int j = 0; j < 32; j += 8) {\n        if (u < rows",
            "    for (int j = 0; j < 16; j += 8) {\n        if (u < rows",
        ),
    ),
    # Rows of the input as long as its columns.
    Wrong(
        "xlix_turn_pitch",
        "xlix_turn",
        "sides / bounds / other element | swapped / numbers",
        ("in[(y + j) * cols + x]", "in[(y + j) * rows + x]"),
    ),
    # Blocks do not change places.
    Wrong(
        "xlix_turn_blocks_stay",
        "xlix_turn",
        "other element / sides / unwritten / swapped / tail | numbers / bounds / left out / start",
        ("int u = blockIdx.y * 32", "int u = blockIdx.x * 32"),
        ("int v = blockIdx.x * 32", "int v = blockIdx.y * 32"),
    ),
    # ---- bytes times bytes
    # B's tile is read as if it had been turned.
    Wrong(
        "xlix_abt_turned",
        "xlix_abt",
        "other element / sides / swapped | function / numbers / unwritten / left out / start",
        ("sB[tx][j];", "sB[j][tx];"),
    ),
    # The sum has 16 bits.
    Wrong(
        "xlix_abt_short_sum",
        "xlix_abt",
        "narrow / whole range | numbers / infinity / left out",
        ("  int sum = 0;\n", "  short sum = 0;\n"),
    ),
    # The next tile is loaded over one that is still read.
    Wrong(
        "xlix_abt_one_barrier",
        "xlix_abt",
        "race | numbers / other element",
        ("sB[tx][j];\n    __syncthreads();\n", "sB[tx][j];\n"),
    ),
    # Whole tiles only.
    Wrong(
        "xlix_abt_whole_tiles",
        "xlix_abt",
        "tail / left out | numbers / function / sides",
        ("k0 < K; k0 += S", "k0 + S <= K; k0 += S"),
    ),
    # The sum is a float.
    Wrong(
        "xlix_abt_float_sum",
        "xlix_abt",
        "precision / rounding / narrow | numbers / whole range / left out",
        ("  int sum = 0;\n", "  float sum = 0;\n"),
    ),
    # ---- a matrix times a vector
    # Nobody asks whether rows are even.
    Wrong(
        "xlix_matvec_any_row",
        "xlix_matvec",
        "alignment / tail / bounds | left out",
        ("    if (n % 2 == 0) {", "    if (n >= 2) {"),
    ),
    # The product is a half.
    Wrong(
        "xlix_matvec_half_product",
        "xlix_matvec",
        "precision / rounding / infinity | numbers / narrow / nan / left out",
        (
            "s += __low2float(h) * x[i];",
            "s += __half2float(__hmul(__low2half(h), __float2half(x[i])));",
        ),
    ),
    # The first warp's part is all.
    Wrong(
        "xlix_matvec_first_warp",
        "xlix_matvec",
        "left out | numbers / tail / function",
        ("= part[0] + part[1];", "= part[0];"),
    ),
    # Nobody waits for the other warp.
    Wrong(
        "xlix_matvec_no_barrier",
        "xlix_matvec",
        "race / unwritten | numbers / left out / start / state / nan",
        ("    __syncthreads();\n", ""),
    ),
    # Added to what is there.
    Wrong(
        "xlix_matvec_adds",
        "xlix_matvec",
        "zero before / start / state | nan / unwritten / numbers",
        ("y[blockIdx.x] = part[0]", "y[blockIdx.x] += part[0]"),
    ),
    # ---- softmax in one pass
    # -infinity less -infinity.
    Wrong(
        "xlix_osoft_no_guard",
        "xlix_osoft",
        "nan / infinity | numbers / start / function",
        ("    } else if (m > -INFINITY) {\n", "    } else {\n"),
    ),
    # The other lane's sum has another maximum.
    Wrong(
        "xlix_osoft_other_as_it_is",
        "xlix_osoft",
        "function / left out / numbers | precision / other element / twice",
        ("+ s2 * expf(m2 - top);", "+ s2;"),
    ),
    # The maximum begins at 0.
    Wrong(
        "xlix_osoft_from_0",
        "xlix_osoft",
        "start / nan | infinity / numbers / subnormal / function / precision",
        ("float m = -INFINITY;", "float m = 0.0f;"),
    ),
    # The new maximum is there before the old one was used.
    Wrong(
        "xlix_osoft_too_early",
        "xlix_osoft",
        "function / left out / numbers | precision / other element / twice / infinity / nan",
        (
            "      s = s * expf(m - v) + 1.0f;\n      m = v;\n",
            "      m = v;\n      s = s * expf(m - v) + 1.0f;\n",
        ),
    ),
    # The launch goes to the default stream.
    Wrong(
        "xlix_osoft_default_stream",
        "xlix_osoft",
        "stream",
        ("<<<rows, 32, 0, stream>>>", "<<<rows, 32>>>"),
    ),
    # ---- layer norm
    # The variance of a sample.
    Wrong(
        "xlix_norm_less_one",
        "xlix_norm",
        "function / numbers | nan / precision",
        ("rsqrtf(m2 / cols + eps);", "rsqrtf(m2 / (cols - 1) + eps);"),
    ),
    # Two means apart add nothing.
    Wrong(
        "xlix_norm_no_delta",
        "xlix_norm",
        "function / left out / numbers | precision / infinity",
        ("m2 += other + delta * delta * count * n2 / n;", "m2 += other;"),
    ),
    # Lanes without a number: 0 by 0.
    Wrong(
        "xlix_norm_empty_lanes",
        "xlix_norm",
        "nan | numbers / sides / function",
        ("        if (n > 0) {\n", "        {\n"),
    ),
    # The differences are kept in the input.
    Wrong(
        "xlix_norm_keeps_differences",
        "xlix_norm",
        "input | numbers / state",
        ("    const float* in = x +", "    float* in = (float*)x +"),
        (
            "        to[c] = (in[c] - mean) * scale * gamma[c] + beta[c];\n",
            "    {\n        in[c] -= mean;\n"
            "        to[c] = in[c] * scale * gamma[c] + beta[c];\n    }\n",
        ),
    ),
    # eps behind the root.
    Wrong(
        "xlix_norm_eps_outside",
        "xlix_norm",
        "function / numbers | precision / infinity / nan",
        ("rsqrtf(m2 / cols + eps);", "1.0f / (sqrtf(m2 / cols) + eps);"),
    ),
)

RIGHT = (
    # Pairs from the last to the first, and the first thread takes the odd one.
    Right(
        "xlix_fma_backwards",
        "xlix_fma",
        (
            "  int p = blockIdx.x * blockDim.x + threadIdx.x;\n  int pairs = n / 2;\n"
            "  if (p < pairs) {\n",
            "  int pairs = n / 2;\n  int p = pairs - (blockIdx.x * blockDim.x + threadIdx.x);\n"
            "  if (p >= 0 && p < pairs) {\n",
        ),
    ),
    # Nearly all blocks but a few do nothing; the sum by one instruction.
    Right(
        "xlix_lerp_idle_blocks",
        "xlix_lerp",
        ("p.x += t * (q.x - p.x);", "p.x = fmaf(t, q.x - p.x, p.x);"),
        ("p.w += t * (q.w - p.w);", "p.w = fmaf(q.w - p.w, t, p.w);"),
        ("((quads + 127) / 128), 128,", "(quads / 32 + 5), 32,"),
    ),
    # Bits are rounded by hand; a NaN is made quiet.
    Right(
        "xlix_tobf_by_bits",
        "xlix_tobf",
        (
            "__global__ void to_bf16(",
            "__device__ unsigned rounded(float v) {\n    unsigned u = __float_as_uint(v);\n"
            "    if ((u & 0x7fffffffu) > 0x7f800000u) return (u >> 16) | 0x40u;\n"
            "    return (u + 0x7fffu + ((u >> 16) & 1u)) >> 16;\n}\n\n"
            "__global__ void to_bf16(",
        ),
        (
            "*(__nv_bfloat162*)(dst + 2 * k) = __floats2bfloat162_rn(v.x, v.y);",
            "*(unsigned*)(dst + 2 * k) = rounded(v.x) | rounded(v.y) << 16;",
        ),
    ),
    # The last four are taken one by one, too, and each half is stored alone, high ones first.
    Right(
        "xlix_dequant_four_stores",
        "xlix_dequant",
        ("if (i + 4 > n) {", "if (i + 4 >= n) {"),
        (
            "  half2* to = reinterpret_cast<half2*>(w + i);\n  to[0] = lo;\n  to[1] = hi;\n",
            "  w[i + 3] = __high2half(hi);\n  w[i + 2] = __low2half(hi);\n"
            "  w[i + 1] = __high2half(lo);\n  w[i] = __low2half(lo);\n",
        ),
    ),
    # A block more than is needed, and double.
    Right(
        "xlix_silu_double",
        "xlix_silu",
        ("(numel + block_size - 1) / block_size;", "numel / block_size + 1;"),
        (
            "    float s = 1.0f / (1.0f + expf(-v));\n    output[i] = __float2half(v * s);\n",
            "    output[i] = __double2half(v / (1.0 + exp(-(double)v)));\n",
        ),
    ),
    # No branch: what is above 0, and the logarithm of what is not above 2.
    Right(
        "xlix_softplus_two_terms",
        "xlix_softplus",
        (
            "v > 20.0f ? v : log1pf(expf(v));",
            "fmaxf(v, 0.0f) + log1pf(expf(-fabsf(v)));",
        ),
    ),
    # The result is set to 0 in the stream, and each block adds its part.
    Right(
        "xlix_dot_set_and_added",
        "xlix_dot",
        (
            "        parts[blockIdx.x] = sums[0];\n        __threadfence();\n"
            "        if (atomicAdd(&finished, 1) == BLOCKS - 1) {\n"
            "            __threadfence();\n            float all = 0.0f;\n"
            "            for (int b = 0; b < BLOCKS; b++)\n"
            "                all += ((volatile float *)parts)[b];\n"
            "            *result = all;\n            finished = 0;  // for the next call\n"
            "        }\n",
            "        atomicAdd(result, sums[0]);\n",
        ),
        (
            "    dot<<<BLOCKS,",
            "    cudaMemsetAsync(result, 0, sizeof(float), stream);\n    dot<<<BLOCKS,",
        ),
    ),
    # All lanes get the sum, and the last one stores it.
    Right(
        "xlix_rowsum_last_lane",
        "xlix_rowsum",
        (
            "    for (int d = 16; d > 0; d >>= 1) {\n"
            "        s += __shfl_down_sync(0xffffffff, s, d);\n",
            "    for (int d = 1; d < 32; d <<= 1) {\n"
            "        s += __shfl_xor_sync(0xffffffff, s, d);\n",
        ),
        ("if (lane == 0) sums", "if (lane == 31) sums"),
        (
            "for (int c = lane; c < cols; c += 32) {",
            "for (int c = cols - 1 - lane; c >= 0; c -= 32) {",
        ),
    ),
    # Value and place are one number of 64 bits.
    Right(
        "xlix_argmin_keys",
        "xlix_argmin",
        (
            "    int other = __shfl_down_sync(~0u, best, d);\n"
            "    int place = __shfl_down_sync(~0u, at, d);\n"
            "    if (other < best || (other == best && place < at)) {\n"
            "      best = other;\n      at = place;\n    }\n",
            "    long long key = (long long)best * 4294967296LL + at;\n"
            "    key = min(key, __shfl_down_sync(~0u, key, d));\n"
            "    best = (int)(key >> 32);\n    at = (int)(key & 0x7fffffff);\n",
        ),
    ),
    # No column is left empty: rows of the tile begin at different places.
    Right(
        "xlix_turn_rotated",
        "xlix_turn",
        ("float tile[32][33];", "float tile[32][32];"),
        (
            "tile[threadIdx.y + j][threadIdx.x] =",
            "tile[threadIdx.y + j][(threadIdx.x + threadIdx.y + j) % 32] =",
        ),
        (
            "tile[threadIdx.x][threadIdx.y + j];",
            "tile[threadIdx.x][threadIdx.x + threadIdx.y + j & 31];",
        ),
    ),
    # Only A's tile is shared, and B is read where it is.
    Right(
        "xlix_abt_one_tile",
        "xlix_abt",
        ("  __shared__ int sB[S][S + 1];\n", ""),
        ("  int mine = blockIdx.x * S + ty;  // the row of B that it loads\n", ""),
        ("    sB[ty][tx] = mine < N && k < K ? B[mine * K + k] : 0;\n", ""),
        (
            "    for (int j = 0; j < S; j++) sum += sA[ty][j] * sB[tx][j];\n",
            "    for (int j = 0; j < S && k0 + j < K && col < N; j++)\n"
            "      sum += sA[ty][j] * B[col * K + k0 + j];\n",
        ),
    ),
    # The lanes' maxima meet once, and each scales its own sum.
    Right(
        "xlix_osoft_maxima_first",
        "xlix_osoft",
        (
            "  for (int d = 16; d > 0; d /= 2) {\n"
            "    float m2 = __shfl_xor_sync(0xffffffff, m, d);\n"
            "    float s2 = __shfl_xor_sync(0xffffffff, s, d);\n"
            "    float top = fmaxf(m, m2);\n"
            "    if (top > -INFINITY) s = s * expf(m - top) + s2 * expf(m2 - top);\n"
            "    m = top;\n  }\n",
            "  float top = m;\n"
            "  for (int d = 16; d > 0; d /= 2)\n"
            "    top = fmaxf(top, __shfl_xor_sync(0xffffffff, top, d));\n"
            "  if (m > -INFINITY) s *= expf(m - top);\n  m = top;\n"
            "  for (int d = 16; d > 0; d /= 2) s += __shfl_xor_sync(0xffffffff, s, d);\n",
        ),
    ),
)
