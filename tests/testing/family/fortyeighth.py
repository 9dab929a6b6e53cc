"""Hold a forty-eighth family: plain kernels of a course's first weeks, one idea each.

Its bases are alpha * x + y, the gradient of ReLU, halves that are clipped, bytes of pictures,
GELU with tanh, hard swish, the sum of an array, means of columns, the place of the largest, a
transpose, a product of matrices, a vector times a matrix, softmax and RMS norm. They have 13 to
36 lines, and are of C programmers, Python programmers, users of PyTorch, readers of blogs,
slides and language models' code: two numbers a thread, one number a thread with a test, four
bytes by one store, a loop over the whole grid, one shared sum with atomics, a thread a column,
a tree in shared memory with values and places, tiles of 16 and of 8, pieces of a vector, a warp
a row, and the sums of four warps. Their mistakes are the plainest: an index, a test, a barrier,
a type, a constant, the number of blocks, an initial value, a rounding, arguments that change
places, NaN and infinity, sizes that are no multiple of a block. The causes were written before
a member was judged. On the emulator each member ran beside PyTorch, compared as a case does,
called twice on the same tensors, once each with NaN and 1e3 in floating outputs and with
tensors at either end of their pages; most bases and right ones also at a hundred other sizes.
nvcc 13.0 compiles each for 8.0; none was run on a GPU. Bases and right ones are right, and all
wrong ones but one wrong or refused by a fault:

    xlviii_axpy_next_one            from 130 numbers on
    xlviii_axpy_blocks_rounded_down if 256 does not divide the count
    xlviii_axpy_second_untested     the same
    xlviii_axpy_swapped             unless a is 1, or x is y
    xlviii_axpy_int_factor          if a is not whole
    xlviii_relugrad_at_zero         where x is 0
    xlviii_relugrad_times_mask      where x is not above 0: of NaN, infinity, and below 0
    xlviii_relugrad_sign_of_gradient where one of x and the gradient is above 0
    xlviii_relugrad_one_more        unless the block size divides the count
    xlviii_relugrad_256             of other block sizes, from a second block on
    xlviii_tohalf_no_branch         of NaN
    xlviii_tohalf_toward_zero       of numbers that no half has
    xlviii_tohalf_limit_65535       from 65,520 on, and from -65,520 on down
    xlviii_tohalf_above_only        from -65,520 on down
    xlviii_tohalf_1024_blocks       from 65,537 numbers on
    xlviii_pixels_cut_off           if what is cut off is more than a half, or a tie
    xlviii_pixels_not_clipped       below 0 and above 1
    xlviii_pixels_not_said          from 4 numbers on; by the address
    xlviii_pixels_copied_line       from 4 numbers on
    xlviii_pixels_first_tested      if 4 does not divide the count
    xlviii_gelu_other_root          of nearly all numbers
    xlviii_gelu_no_loop             from 1,281 numbers on
    xlviii_gelu_own_tanh            from about 10.1 on
    xlviii_gelu_integer_half        of all but 0 and NaN
    xlviii_gelu_quick               of nearly all numbers, by 0.02 at most
    xlviii_hswish_product_first     from about 5.7e37 on
    xlviii_hswish_short_sum         if the sum is no bfloat16, of some
    xlviii_hswish_sixth             of few numbers between -3 and 3
    xlviii_hswish_upper_bits        of half of what no bfloat16 is
    xlviii_hswish_no_upper_end      above 3
    xlviii_total_not_set            unless 0 is there before
    xlviii_total_no_wait            where warps do not wait for another
    xlviii_total_all_from_first     unless the sum is 0
    xlviii_total_int_sum            if there are numbers that are not whole
    xlviii_colmean_turned           from 2 rows and 2 columns on
    xlviii_colmean_by_columns       unless there are as many rows as columns
    xlviii_colmean_grid_of_rows     from 33 columns on, if there are fewer rows
    xlviii_colmean_short_sum        of sums beyond 65,535: from 258 rows on
    xlviii_colmean_integer_quotient if a mean is not whole
    xlviii_argmax_ties              if the largest is there more than once
    xlviii_argmax_flt_min           if nothing is above 0, and the first is not the largest
    xlviii_argmax_barrier_inside    by a barrier that half of the threads reach
    xlviii_argmax_one_warp          from 33 classes on, if a thread of the second warp has it
    xlviii_argmax_place_stays       if another thread than the first one has the largest
    xlviii_turn_no_barrier          from a side of 2 on, where threads do not wait for another
    xlviii_turn_same_test           unless all tiles are whole, or the matrix is square
    xlviii_turn_pitch_of_input      from a width of 2 on, unless the matrix is square
    xlviii_turn_tile_not_turned     of all but one number
    xlviii_turn_grid_turned         if the tiles down and across differ in number
    xlviii_matmul_one_barrier       from 9 terms on, where warps do not wait for another
    xlviii_matmul_whole_tiles       if 8 does not divide the terms
    xlviii_matmul_no_zeros          the same
    xlviii_matmul_half_sum          if a sum on the way is no half
    xlviii_matmul_rows_of_b         from 2 rows on, unless N = K
    xlviii_vecmat_leave_early       if the last block has fewer threads than a piece has numbers
    xlviii_vecmat_whole_pieces      if 128 does not divide the rows
    xlviii_vecmat_turned            from 2 rows and 2 columns on
    xlviii_vecmat_first_piece       from 129 rows on
    xlviii_vecmat_adds              unless 0 is there before
    xlviii_softmax_no_max           of numbers that are far above 0, or rows that are far below
    xlviii_softmax_max_from_0       of rows that are far below 0
    xlviii_softmax_sum_goes_down    from 2 columns on
    xlviii_softmax_whole_lines      if 32 does not divide the columns
    xlviii_softmax_max_once         unless the largest is 0
    xlviii_rms_eps_outside          if eps is not far below the squares
    xlviii_rms_half_squares         of 256 and more; if the squares are no halves, by less
    xlviii_rms_weight_of_row        from 2 rows or columns on, unless all weights are equal
    xlviii_rms_no_barrier           where warps do not wait for another
    xlviii_rms_four_steps           from 17 columns on

One is right on the emulator, and wrong by reasoning:

    xlviii_total_plain_add          where threads add at the same time, from 2 numbers on
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

# A C programmer: alpha * x + y, two numbers a thread, a block's width apart.
AXPY = (
    HEADER
    + """\
__global__ void axpy(float a, const float *x, const float *y, float *z, int n)
{
    int i = blockIdx.x * (2 * blockDim.x) + threadIdx.x;
    if (i < n)
        z[i] = a * x[i] + y[i];
    int j = i + blockDim.x;
    if (j < n)
        z[j] = a * x[j] + y[j];
}

extern "C" void launch(float a,
                       const float *x,  // [n]
                       const float *y,  // [n]
                       float *z,        // [n]
                       int n, cudaStream_t stream = 0)
{
    int per_block = 2 * 128;
    int blocks = (n + per_block - 1) / per_block;
    axpy<<<blocks, 128, 0, stream>>>(a, x, y, z, n);
}
"""
)

# A user of PyTorch: the gradient of ReLU in half, one number a thread.
RELUGRAD = (
    HEADER
    + """\
__global__ void relu_backward(const half* grad_out, const half* x, half* grad_in, int64_t n) {
  int64_t idx = threadIdx.x + (int64_t)blockIdx.x * blockDim.x;
  if (idx >= n) return;
  // 0 where x is 0, below 0, or NaN
  grad_in[idx] = __half2float(x[idx]) > 0.0f ? grad_out[idx] : __float2half(0.0f);
}

extern "C" void launch(const half* grad_out,  // [n]
                       const half* x,         // [n]
                       half* grad_in,         // [n]
                       int64_t n, int block_size = 256, cudaStream_t stream = 0) {
  int64_t blocks = (n + block_size - 1) / block_size;
  relu_backward<<<(unsigned)blocks, block_size, 0, stream>>>(grad_out, x, grad_in, n);
}
"""
)

# A trainer who met an infinity once: float to half, clipped to what half holds.
TOHALF = (
    HEADER
    + """\
// The largest half is 65504. NaN stays NaN.
__global__ void clip_to_half(half* dst, const float* src, int64_t count) {
  int64_t k = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (k < count) {
    float v = src[k];
    if (v > 65504.0f) v = 65504.0f;
    if (v < -65504.0f) v = -65504.0f;
    dst[k] = __float2half(v);
  }
}

extern "C" void launch(half* dst,         // [count]
                       const float* src,  // [count]
                       int64_t count, cudaStream_t stream = 0) {
  int64_t blocks = (count + 63) / 64;
  clip_to_half<<<(unsigned)blocks, 64, 0, stream>>>(dst, src, count);
}
"""
)

# A friend of pictures: numbers from 0 to 1 to bytes, four of them by one store.
PIXELS = (
    HEADER
    + """\
__device__ unsigned char toByte(float v) {
    v = rintf(v * 255.0f);
    return (unsigned char)fminf(fmaxf(v, 0.0f), 255.0f);
}

__global__ void toPixels(const float* img, unsigned char* out, int n) {
    int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i + 3 < n) {
        uchar4 p;
        p.x = toByte(img[i]);
        p.y = toByte(img[i + 1]);
        p.z = toByte(img[i + 2]);
        p.w = toByte(img[i + 3]);
        *(uchar4*)(out + i) = p;
    } else {
        for (; i < n; i++) out[i] = toByte(img[i]);
    }
}

extern "C" void launch(const float* img,    // [n]
                       unsigned char* out,  // [n] 4-byte aligned
                       int n, cudaStream_t stream = 0) {
    int threads = (n + 3) / 4;
    toPixels<<<(threads + 95) / 96, 96, 0, stream>>>(img, out, n);
}
"""
)

# A reader of language models: GELU with tanh, by a loop over the whole grid.
GELU = (
    HEADER
    + """\
__device__ float gelu(float x) {
    const float c = 0.7978845608f;  // sqrt(2 / pi)
    float inner = c * (x + 0.044715f * x * x * x);
    return 0.5f * x * (1.0f + tanhf(inner));
}

__global__ void gelu_forward(float* out, const float* inp, int N) {
    int step = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += step) {
        out[i] = gelu(inp[i]);
    }
}

extern "C" void launch(float* out,        // [N]
                       const float* inp,  // [N]
                       int N, cudaStream_t stream = 0) {
    gelu_forward<<<10, 128, 0, stream>>>(out, inp, N);
}
"""
)

# A deployer on small devices: hard swish of bfloat16, computed in float.
HSWISH = (
    HEADER
    + """\
typedef __nv_bfloat16 bf16;

__global__ void hard_swish(const bf16* x, bf16* y, long n) {
  long i = (long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float v = __bfloat162float(x[i]);
    float gate = fminf(fmaxf(v + 3.0f, 0.0f), 6.0f) / 6.0f;
    y[i] = __float2bfloat16(v * gate);
  }
}

extern "C" void launch(const __nv_bfloat16* x,  // [n]
                       __nv_bfloat16* y,        // [n]
                       int64_t n, cudaStream_t stream = 0) {
  const int threads = 256;
  const long blocks = (n + threads - 1) / threads;
  hard_swish<<<(unsigned)blocks, threads, 0, stream>>>(x, y, n);
}
"""
)

# A Python programmer: the sum of an array, with a block's sum in one shared variable.
TOTAL = (
    HEADER
    + """\
__global__ void array_sum(const float* values, float* total, int n) {
    __shared__ float block_total;
    if (threadIdx.x == 0) {
        block_total = 0.0f;
    }
    __syncthreads();

    float mine = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        mine += values[i];
    }
    atomicAdd(&block_total, mine);
    __syncthreads();

    if (threadIdx.x == 0) {
        atomicAdd(total, block_total);
    }
}

extern "C" void launch(const float* values,  // [n]
                       float* total,         // [1]
                       int n, cudaStream_t stream = 0) {
    cudaMemsetAsync(total, 0, sizeof(float), stream);
    array_sum<<<8, 192, 0, stream>>>(values, total, n);
}
"""
)

# A C programmer: the mean of each column of a grey picture, one thread a column.
COLMEAN = (
    HEADER
    + """\
__global__ void column_means(const uint8_t *picture, float *means, int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols)
        return;

    unsigned int sum = 0;
    for (int r = 0; r < rows; r++)
        sum += picture[r * cols + c];
    means[c] = (float)sum / rows;
}

extern "C" void launch(const uint8_t *picture,  // [rows, cols]
                       float *means,            // [cols]
                       int rows, int cols, cudaStream_t stream = 0)
{
    column_means<<<(cols + 31) / 32, 32, 0, stream>>>(picture, means, rows, cols);
}
"""
)

# Someone who classifies: the first place of the largest score of a row, a block a row.
ARGMAX = (
    HEADER
    + """\
__global__ void predict(const float* scores, int* best, int classes) {
    __shared__ float val[64];
    __shared__ int pos[64];
    const int t = threadIdx.x;
    const float* row = scores + (size_t)blockIdx.x * classes;

    float v = -INFINITY;
    int p = 0;
    for (int c = t; c < classes; c += 64) {
        if (row[c] > v) {
            v = row[c];
            p = c;
        }
    }
    val[t] = v;
    pos[t] = p;
    __syncthreads();

    for (int s = 32; s > 0; s /= 2) {
        if (t < s) {
            float w = val[t + s];
            int q = pos[t + s];
            if (w > val[t] || (w == val[t] && q < pos[t])) {
                val[t] = w;
                pos[t] = q;
            }
        }
        __syncthreads();
    }
    if (t == 0) best[blockIdx.x] = pos[0];
}

extern "C" void launch(const float* scores,  // [rows, classes]
                       int* best,            // [rows]
                       int rows, int classes, cudaStream_t stream = 0) {
    predict<<<rows, 64, 0, stream>>>(scores, best, classes);
}
"""
)

# A reader of a blog: the transpose of a matrix of halves by tiles.
TURN = (
    HEADER
    + """\
const int TILE_DIM = 16;

__global__ void transposeTiles(half *odata, const half *idata, int width, int height)
{
  __shared__ half tile[TILE_DIM][TILE_DIM + 1];

  int x = blockIdx.x * TILE_DIM + threadIdx.x;
  int y = blockIdx.y * TILE_DIM + threadIdx.y;
  if (x < width && y < height)
    tile[threadIdx.y][threadIdx.x] = idata[(size_t)y * width + x];

  __syncthreads();

  int u = blockIdx.y * TILE_DIM + threadIdx.x;  // across odata
  int v = blockIdx.x * TILE_DIM + threadIdx.y;  // down odata
  if (u < height && v < width)
    odata[(size_t)v * height + u] = tile[threadIdx.x][threadIdx.y];
}

extern "C" void launch(half *odata,        // [width, height]
                       const half *idata,  // [height, width]
                       int width, int height, cudaStream_t stream = 0)
{
  dim3 block(TILE_DIM, TILE_DIM);
  dim3 grid((width + TILE_DIM - 1) / TILE_DIM, (height + TILE_DIM - 1) / TILE_DIM);
  transposeTiles<<<grid, block, 0, stream>>>(odata, idata, width, height);
}
"""
)

# Someone with a lecture's slides: a product of matrices of halves by small tiles.
MATMUL = (
    HEADER
    + """\
#define T 8

__global__ void matmul(const half* A, const half* B, float* C, int M, int N, int K) {
  __shared__ float sA[T][T];
  __shared__ float sB[T][T];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * T + ty;
  int col = blockIdx.x * T + tx;
  float acc = 0.0f;

  for (int m = 0; m < (K + T - 1) / T; m++) {
    int ka = m * T + tx;
    int kb = m * T + ty;
    sA[ty][tx] = (row < M && ka < K) ? __half2float(A[row * K + ka]) : 0.0f;
    sB[ty][tx] = (kb < K && col < N) ? __half2float(B[kb * N + col]) : 0.0f;
    __syncthreads();
    for (int k = 0; k < T; k++) {
      acc += sA[ty][k] * sB[k][tx];
    }
    __syncthreads();
  }
  if (row < M && col < N) C[row * N + col] = acc;
}

extern "C" void launch(const half* A,  // [M, K]
                       const half* B,  // [K, N]
                       float* C,       // [M, N]
                       int M, int N, int K, cudaStream_t stream = 0) {
  dim3 threads(T, T);
  dim3 blocks((N + T - 1) / T, (M + T - 1) / T);
  matmul<<<blocks, threads, 0, stream>>>(A, B, C, M, N, K);
}
"""
)

# A physicist: a vector times a matrix, a thread a column, parts of the vector in shared memory.
VECMAT = (
    HEADER
    + """\
constexpr int PIECE = 128;

// y[j] = sum of x[i] * W[i][j]
__global__ void vecmat(const float* x, const float* W, float* y, int rows, int cols) {
  __shared__ float xs[PIECE];
  const int t = threadIdx.x;
  const int j = blockIdx.x * PIECE + t;
  float sum = 0.0f;
  for (int first = 0; first < rows; first += PIECE) {
    if (first + t < rows) xs[t] = x[first + t];
    __syncthreads();
    const int count = min(PIECE, rows - first);
    if (j < cols) {
      for (int i = 0; i < count; ++i) sum += xs[i] * W[(first + i) * cols + j];
    }
    __syncthreads();
  }
  if (j < cols) y[j] = sum;
}

extern "C" void launch(const float* x,  // [rows]
                       const float* W,  // [rows, cols]
                       float* y,        // [cols]
                       int rows, int cols, cudaStream_t stream = 0) {
  vecmat<<<(cols + PIECE - 1) / PIECE, PIECE, 0, stream>>>(x, W, y, rows, cols);
}
"""
)

# One who has just learnt of shuffles: softmax of rows, a warp a row.
SOFTMAX = (
    HEADER
    + """\
__global__ void softmax_rows(const float* input, float* output, int n_cols) {
    int lane = threadIdx.x;
    const float* in = input + (size_t)blockIdx.x * n_cols;
    float* out = output + (size_t)blockIdx.x * n_cols;

    float row_max = -INFINITY;
    for (int c = lane; c < n_cols; c += 32) row_max = fmaxf(row_max, in[c]);
    for (int offset = 16; offset > 0; offset /= 2)
        row_max = fmaxf(row_max, __shfl_xor_sync(0xffffffff, row_max, offset));

    float row_sum = 0.0f;
    for (int c = lane; c < n_cols; c += 32) row_sum += expf(in[c] - row_max);
    for (int offset = 16; offset > 0; offset /= 2)
        row_sum += __shfl_xor_sync(0xffffffff, row_sum, offset);

    for (int c = lane; c < n_cols; c += 32) out[c] = expf(in[c] - row_max) / row_sum;
}

extern "C" void launch(const float* input,  // [n_rows, n_cols]
                       float* output,       // [n_rows, n_cols]
                       int n_rows, int n_cols, cudaStream_t stream = 0) {
    softmax_rows<<<n_rows, 32, 0, stream>>>(input, output, n_cols);
}
"""
)

# A student of a language model's code: RMS norm of rows of halves, a block of four warps a row.
RMS = (
    HEADER
    + """\
__global__ void rmsnorm(half* o, const half* x, const float* weight, float eps, int size) {
  __shared__ float parts[4];
  const half* xr = x + (size_t)blockIdx.x * size;
  half* out = o + (size_t)blockIdx.x * size;

  float ss = 0.0f;
  for (int j = threadIdx.x; j < size; j += blockDim.x) {
    float v = __half2float(xr[j]);
    ss += v * v;
  }
  for (int d = 16; d >= 1; d /= 2) ss += __shfl_down_sync(0xffffffffu, ss, d);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = ss;
  __syncthreads();
  float all = parts[0] + parts[1] + parts[2] + parts[3];
  float scale = 1.0f / sqrtf(all / size + eps);

  for (int j = threadIdx.x; j < size; j += blockDim.x) {
    out[j] = __float2half(__half2float(xr[j]) * scale * weight[j]);
  }
}

extern "C" void launch(half* o,              // [tokens, size]
                       const half* x,        // [tokens, size]
                       const float* weight,  // [size]
                       float eps, int tokens, int size, cudaStream_t stream = 0) {
  rmsnorm<<<tokens, 128, 0, stream>>>(o, x, weight, eps, size);
}
"""
)
NAN, INF = float("nan"), float("inf")
LENGTHS = (1, 2, 3, 5, 31, 32, 33, 64, 65, 70, 127, 128, 129, 255, 256, 257, 1000, 1024, 1281)
LENGTHS += (1537, 2049, 5003)
SIDES = ((1, 1), (1, 4), (2, 3), (5, 31), (4, 32), (9, 33), (33, 9), (3, 64), (64, 3), (7, 100))
SIDES += ((70, 2), (2, 1000), (1, 4099), (65, 70), (129, 5), (300, 40))


def axpys(launcher: Launcher) -> Iterator[Case]:
    """Add multiples of whole numbers, so that all is exact; also of infinities and NaN."""
    for n in LENGTHS:
        x, y = (whole(-99, 100, n, 2 * n + k).float() for k in (0, 1))
        k = torch.arange(n)
        odd = torch.tensor([INF, 1.0, -INF, NAN, -2.0])
        for a in (1.0, -2.0, 0.375):
            for label, p, q in (
                ("whole", x, y),
                ("large", x * 2.0**90, y * 2.0**90),
                ("infinities and NaN", odd[k % 5], odd[k // 5 % 5]),
            ):
                right = a * p.double() + q.double()
                words = f"n = {n:,}, a = {a}, {label}"
                options = {"dtypes": (torch.float32,)}
                yield Case(words, (p, q), (right,), {"a": a}, **options)
            if n < 300:
                options["offset"] = least_starts(launcher)
                words = f"n = {n:,}, a = {a}, a slice"
                yield Case(words, (x, y), (a * x + y,), {"a": a}, **options)


def relu_grad(grad: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    """Return the gradient where x is above 0, else 0."""
    return torch.where(x > 0, grad, torch.zeros_like(grad))


def clipped(x: torch.Tensor) -> torch.Tensor:
    """Return what lies between the least half and the largest one; NaN stays."""
    return x.clamp(-65504.0, 65504.0)


def pixels(launcher: Launcher) -> Iterator[Case]:
    """Make bytes: of all 256, of what is between, below 0 and above 1, and of infinities."""
    for n in (*LENGTHS, 383, 385, 20_001):
        x, k = whole(-100, 1124, n, n).float() / 1024, torch.arange(n)
        for label, y in (
            ("usual", x.clamp(0, 1)),
            ("bytes", (k * 7 % 256).float() / 255),
            ("below 0 and above 1", x * 3 - 1),
            ("far off", torch.where(k % 3 == 0, x * 1e6, x)),
            ("infinities", torch.tensor([INF, 0.5, -INF, 1.0])[(k + n) % 4]),
        ):
            right = (y * 255.0).double().round().clamp(0, 255)  # of a float32
            options = {"dtypes": (torch.uint8,), "quick": n > 10_000}
            yield Case(f"n = {n:,}, {label}", (y,), (right,), **options)
            if label == "bytes" and n < 300:
                options["offset"] = least_starts(launcher)
                yield Case(f"n = {n:,}, a slice", (y,), (right,), **options)


def gelus(launcher: Launcher) -> Iterator[Case]:
    """Bend numbers: usual ones, around 0, large ones, and NaN."""
    for n in LENGTHS:
        x, k = whole(-999, 1000, n, n).float() / 200, torch.arange(n)
        for label, y in (
            ("usual", x),
            ("small", x / 1024),
            ("large", x * 20),
            ("NaN", torch.where(k % 3 == 1, NAN, x)),
        ):
            right = torch.nn.functional.gelu(y.double(), approximate="tanh")
            slack = (2.0**-21 * y.double().abs()).nan_to_num(0.0)
            options = {"dtypes": (torch.float32,), "within": (slack,)}
            yield Case(f"n = {n:,}, {label}", (y,), (right,), **options)


def hard_swishes(launcher: Launcher) -> Iterator[Case]:
    """Bend numbers: between the corners and at them, beyond, the largest ones, and NaN."""
    for n in LENGTHS:
        x, k = whole(-999, 1000, n, n).float() / 250, torch.arange(n)
        for label, y in (
            ("usual", x),
            ("small", x / 1024),
            ("whole", (k % 9 - 4).float()),
            ("large", x * 64),
            ("the largest", torch.where(k % 2 == 0, 3e38, -1e38) + x * 0),
            ("NaN", torch.where(k % 3 == 1, NAN, x)),
        ):
            y = y.bfloat16()
            z = y.double()
            right = z * ((z + 3).clamp(0, 6) / 6)
            step = torch.frexp(right.nan_to_num(0.0))[1].clamp(min=-125) - 8.0
            slack = 0.501 * 2.0**step
            options = {"dtypes": (torch.bfloat16,), "within": (slack,)}
            yield Case(f"n = {n:,}, {label}", (y,), (right + 0.0,), **options)


def totals(launcher: Launcher) -> Iterator[Case]:
    """Add up numbers whose sums are exact: whole ones, quarters, and one that is not 0."""
    for n in (*LENGTHS, 20_001):
        x, k = whole(-99, 100, n, n).float(), torch.arange(n)
        for label, y in (
            ("whole", x),
            ("positive", x.abs() + 1),
            ("quarters", x / 4),
            ("the last one", torch.where(k == n - 1, 1000.0, 0.0)),
        ):
            options = {"dtypes": (torch.float32,), "quick": n > 10_000}
            yield Case(f"n = {n:,}, {label}", (y,), (y.double().sum().reshape(1),), **options)


def column_means(launcher: Launcher) -> Iterator[Case]:
    """Take means of the columns of any picture, a white one, and one with a bright row."""
    for rows, cols in SIDES:
        n = rows * cols
        x, r = whole(0, 256, n, n).reshape(rows, cols), torch.arange(rows)[:, None]
        for label, y in (
            ("any", x),
            ("white", x * 0 + 255),
            ("bright", 255 - x // 16),
            ("one row", torch.where(r == rows - 1, x, 0)),
        ):
            right = y.double().mean(0)
            options = {"dtypes": (torch.float32,), "ulp": 1}
            words = f"rows = {rows}, cols = {cols:,}, {label}"
            yield Case(words, (y.to(torch.uint8),), (right,), **options)


def places(launcher: Launcher) -> Iterator[Case]:
    """Find the largest: of usual scores, below 0, of equal ones, and of infinities."""
    for rows, cols in SIDES:
        n = rows * cols
        x = whole(-9999, 10_000, n, n).float().reshape(rows, cols)
        c, r = torch.arange(cols), torch.arange(rows)[:, None]
        for label, y in (
            ("usual", x),
            ("below 0", -x.abs() - 1),
            ("few values", x % 3),
            ("all equal", x * 0 - 3),
            ("one is largest", torch.where((c * 7 + r) % cols == cols // 2, 20_000.0, x)),
            ("the last one", torch.where(c == cols - 1, 20_000.0, x)),
            ("infinities", torch.where((c + r) % 3 == 0, -INF, x)),
        ):
            right = (y == y.amax(1, keepdim=True)).to(torch.int64).argmax(1)
            words = f"rows = {rows}, classes = {cols:,}, {label}"
            yield Case(words, (y.contiguous(),), (right,), dtypes=(torch.int32,))


def turns(launcher: Launcher) -> Iterator[Case]:
    """Turn matrices whose numbers are whole: small, thin, long and square ones."""
    for height, width in (*SIDES, (16, 16), (17, 15), (64, 64)):
        n = height * width
        x = whole(-2048, 2049, n, n).half().reshape(height, width)
        rising = (torch.arange(n) % 2039).half().reshape(height, width)
        for label, y in (("any", x), ("rising", rising)):
            words = f"height = {height}, width = {width:,}, {label}"
            yield Case(words, (y,), (y.T.contiguous(),), dtypes=(torch.float16,))


def products(launcher: Launcher) -> Iterator[Case]:
    """Multiply matrices of whole numbers, whose products are exact in float, not in half."""
    sides = ((1, 1, 1), (3, 5, 7), (8, 8, 8), (33, 17, 40), (2, 50, 9), (70, 1, 8), (1, 70, 33))
    for m, n, k in (*sides, (15, 16, 1), (17, 31, 23), (9, 10, 300), (64, 48, 32)):
        a = whole(-20, 21, m * k, m + k).reshape(m, k)
        b = whole(-20, 21, k * n, k + n + 1).reshape(k, n)
        r, c = torch.arange(m)[:, None], torch.arange(n)
        for label, x, y in (
            ("whole", a, b),
            ("positive", a.abs() + 30, b.abs() + 31),
            ("one row, one column", torch.where(r == m // 2, 99, a), b * (c == n // 2)),
        ):
            words = f"M = {m}, N = {n}, K = {k}, {label}"
            right = x.double() @ y.double()
            yield Case(words, (x.half(), y.half()), (right + 0.0,), dtypes=(torch.float32,))


def vectors(launcher: Launcher) -> Iterator[Case]:
    """Multiply vectors and matrices of whole numbers, so that all is exact."""
    for rows, cols in (*SIDES, (128, 128), (257, 130), (1000, 7)):
        n = rows * cols
        w = whole(-20, 21, n, n).float().reshape(rows, cols)
        x = whole(-20, 21, rows, rows + 1).float()
        r = torch.arange(rows)
        for label, p, q in (
            ("whole", x, w),
            ("positive", x.abs() + 1, w.abs() + 1),
            ("the last row", torch.where(r == rows - 1, 7.0, 0.0), w),
        ):
            words = f"rows = {rows}, cols = {cols:,}, {label}"
            right = p.double() @ q.double()
            yield Case(words, (p, q), (right + 0.0,), dtypes=(torch.float32,))


def softmaxes(launcher: Launcher) -> Iterator[Case]:
    """Take shares: of usual rows, far off 0, far apart, all equal, and with -infinity."""
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
            ("some -infinity", torch.where((c % 3 == 1) & (c > 0), -INF, x)),
        ):
            right = y.double().softmax(1)
            slack = 2.0**-18 * right + 2.0**-120
            options = {"dtypes": (torch.float32,), "within": (slack,)}
            words = f"n_rows = {rows}, n_cols = {cols:,}, {label}"
            yield Case(words, (y,), (right,), **options)


def norms(launcher: Launcher) -> Iterator[Case]:
    """Norm rows: usual ones, large, small beside eps, of zeros, and of one number."""
    for rows, cols in SIDES:
        n = rows * cols
        x = whole(-999, 1000, n, n).float().reshape(rows, cols) / 128
        weight = whole(8, 65, cols, n + 1).float() / 32
        c = torch.arange(cols)
        for label, y in (
            ("usual", x),
            ("large", x * 1000),
            ("small", x / 256),
            ("zeros", x * 0),
            ("one number", torch.where(c == cols // 2, 3.0, 0.0) + x * 0),
        ):
            for eps in (1e-5, 0.5):
                y = y.half()
                z = y.double()
                right = z / (z.square().mean(1, keepdim=True) + eps).sqrt() * weight.double()
                step = torch.frexp(right)[1].clamp(min=-13) - 11.0
                slack = 0.51 * 2.0**step + right.abs() * 2.0**-18
                options = {"dtypes": (torch.float16,), "within": (slack,)}
                words = f"tokens = {rows}, size = {cols:,}, eps = {eps}, {label}"
                yield Case(words, (y, weight), (right,), {"eps": eps}, **options)


BASES = {
    "xlviii_axpy": Base(AXPY, {"cases": axpys}),
    "xlviii_relugrad": Base(RELUGRAD, {"reference": relu_grad}),
    "xlviii_tohalf": Base(TOHALF, {"reference": clipped}),
    "xlviii_pixels": Base(PIXELS, {"cases": pixels}),
    "xlviii_gelu": Base(GELU, {"cases": gelus}),
    "xlviii_hswish": Base(HSWISH, {"cases": hard_swishes}),
    "xlviii_total": Base(TOTAL, {"cases": totals}),
    "xlviii_colmean": Base(COLMEAN, {"cases": column_means}),
    "xlviii_argmax": Base(ARGMAX, {"cases": places}),
    "xlviii_turn": Base(TURN, {"cases": turns}),
    "xlviii_matmul": Base(MATMUL, {"cases": products}),
    "xlviii_vecmat": Base(VECMAT, {"cases": vectors}),
    "xlviii_softmax": Base(SOFTMAX, {"cases": softmaxes}),
    "xlviii_rms": Base(RMS, {"cases": norms}),
}

WRONG = (
    # ---- alpha * x + y
    # The second number is the next one, not the one a block's width further.
    Wrong(
        "xlviii_axpy_next_one",
        "xlviii_axpy",
        "unwritten / left out / twice / neighbour | race / tail / other element / numbers / grid",
        ("    int j = i + blockDim.x;\n", "    int j = i + 1;\n"),
    ),
    # The number of blocks is rounded down.
    Wrong(
        "xlviii_axpy_blocks_rounded_down",
        "xlviii_axpy",
        "grid / tail / unwritten / left out | refused",
        ("int blocks = (n + per_block - 1) / per_block;", "int blocks = n / per_block;"),
    ),
    # Only the first number is tested.
    Wrong(
        "xlviii_axpy_second_untested",
        "xlviii_axpy",
        "bounds | tail",
        ("    if (j < n)\n        z[j] =", "    z[j] ="),
    ),
    # The inputs change places in the call.
    Wrong(
        "xlviii_axpy_swapped",
        "xlviii_axpy",
        "swapped | numbers / function / other element",
        ("stream>>>(a, x, y, z, n);", "stream>>>(a, y, x, z, n);"),
    ),
    # The factor is an integer on its way.
    Wrong(
        "xlviii_axpy_int_factor",
        "xlviii_axpy",
        "rounding / precision / function / narrow | numbers / whole range",
        ("void axpy(float a, const", "void axpy(int a, const"),
    ),
    # ---- the gradient of ReLU
    # At 0 the gradient goes through.
    Wrong(
        "xlviii_relugrad_at_zero",
        "xlviii_relugrad",
        "numbers / function / sign of zero | copy",
        ("__half2float(x[idx]) > 0.0f ?", "__half2float(x[idx]) >= 0.0f ?"),
    ),
    # Times 0 or 1: of NaN and infinity that is NaN.
    Wrong(
        "xlviii_relugrad_times_mask",
        "xlviii_relugrad",
        "nan / infinity / sign of zero | numbers",
        (
            "__half2float(x[idx]) > 0.0f ? grad_out[idx] : __float2half(0.0f);",
            "__hmul(grad_out[idx], __float2half(__half2float(x[idx]) > 0.0f));",
        ),
    ),
    # The gradient's own sign decides.
    Wrong(
        "xlviii_relugrad_sign_of_gradient",
        "xlviii_relugrad",
        "function / left out / copy | numbers / swapped",
        ("__half2float(x[idx]) > 0.0f ?", "__half2float(grad_out[idx]) > 0.0f ?"),
    ),
    # The thread of number n stays.
    Wrong(
        "xlviii_relugrad_one_more",
        "xlviii_relugrad",
        "bounds | tail / neighbour",
        ("if (idx >= n) return;", "if (idx > n) return;"),
    ),
    # The usual block size stands in the kernel.
    Wrong(
        "xlviii_relugrad_256",
        "xlviii_relugrad",
        "block size | unwritten / left out / grid / twice / race / bounds / tail",
        ("(int64_t)blockIdx.x * blockDim.x;", "(int64_t)blockIdx.x * 256;"),
    ),
    # ---- float to half, clipped
    # The smaller and larger ones of NaN and a limit are the limit.
    Wrong(
        "xlviii_tohalf_no_branch",
        "xlviii_tohalf",
        "nan | numbers / infinity",
        (
            "    if (v > 65504.0f) v = 65504.0f;\n    if (v < -65504.0f) v = -65504.0f;\n",
            "    v = fminf(fmaxf(v, -65504.0f), 65504.0f);\n",
        ),
    ),
    # Rounded toward 0.
    Wrong(
        "xlviii_tohalf_toward_zero",
        "xlviii_tohalf",
        "rounding | precision / numbers / subnormal",
        ("dst[k] = __float2half(v);", "dst[k] = __float2half_rz(v);"),
    ),
    # A limit that no half has.
    Wrong(
        "xlviii_tohalf_limit_65535",
        "xlviii_tohalf",
        "infinity | numbers / whole range / function",
        ("if (v > 65504.0f) v = 65504.0f;", "if (v > 65535.0f) v = 65535.0f;"),
        ("if (v < -65504.0f) v = -65504.0f;", "if (v < -65535.0f) v = -65535.0f;"),
    ),
    # Clipped above only.
    Wrong(
        "xlviii_tohalf_above_only",
        "xlviii_tohalf",
        "infinity / left out | numbers / whole range / function",
        ("    if (v < -65504.0f) v = -65504.0f;\n", ""),
    ),
    # At most 1,024 blocks, and no loop.
    Wrong(
        "xlviii_tohalf_1024_blocks",
        "xlviii_tohalf",
        "grid / unwritten / left out | tail / narrow",
        (
            "  int64_t blocks = (count + 63) / 64;\n",
            "  int64_t blocks = (count + 63) / 64;\n  if (blocks > 1024) blocks = 1024;\n",
        ),
    ),
    # ---- bytes of pictures
    # Cut off, not rounded.
    Wrong(
        "xlviii_pixels_cut_off",
        "xlviii_pixels",
        "rounding | precision / numbers",
        ("v = rintf(v * 255.0f);", "v = v * 255.0f;"),
    ),
    # Nothing is clipped.
    Wrong(
        "xlviii_pixels_not_clipped",
        "xlviii_pixels",
        "whole range / infinity | numbers / narrow / left out / function",
        (
            "return (unsigned char)fminf(fmaxf(v, 0.0f), 255.0f);",
            "return (unsigned char)(int)v;",
        ),
    ),
    # Nobody is told that four bytes must lie on a multiple of four.
    Wrong(
        "xlviii_pixels_not_said",
        "xlviii_pixels",
        "alignment",
        ("unsigned char* out,  // [n] 4-byte aligned", "unsigned char* out,  // [n]"),
    ),
    # A line was copied, and its index not changed.
    Wrong(
        "xlviii_pixels_copied_line",
        "xlviii_pixels",
        "neighbour / other element / twice | numbers / left out",
        ("p.z = toByte(img[i + 2]);", "p.z = toByte(img[i + 1]);"),
    ),
    # Four numbers wherever there is one.
    Wrong(
        "xlviii_pixels_first_tested",
        "xlviii_pixels",
        "bounds | tail / alignment",
        ("    if (i + 3 < n) {\n", "    if (i < n) {\n"),
    ),
    # ---- GELU with tanh
    # The root of 2 by pi, not of 2 / pi.
    Wrong(
        "xlviii_gelu_other_root",
        "xlviii_gelu",
        "function / numbers | precision",
        (
            "const float c = 0.7978845608f;  // sqrt(2 / pi)",
            "const float c = sqrtf(2.0f) / 3.14159265f;",
        ),
    ),
    # One number a thread.
    Wrong(
        "xlviii_gelu_no_loop",
        "xlviii_gelu",
        "grid / unwritten / left out | tail",
        (
            "    int step = gridDim.x * blockDim.x;\n"
            "    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += step) {\n",
            "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < N) {\n",
        ),
    ),
    # A tanh of one's own, whose exp overflows.
    Wrong(
        "xlviii_gelu_own_tanh",
        "xlviii_gelu",
        "nan / infinity | numbers / function / precision",
        (
            "    return 0.5f * x * (1.0f + tanhf(inner));\n",
            "    float e = expf(2.0f * inner);\n"
            "    return 0.5f * x * (1.0f + (e - 1.0f) / (e + 1.0f));\n",
        ),
    ),
    # Half of x by integers, which is nothing.
    Wrong(
        "xlviii_gelu_integer_half",
        "xlviii_gelu",
        "function / copy / numbers | precision / rounding / left out / sign of zero",
        ("return 0.5f * x *", "return 1 / 2 * x *"),
    ),
    # The formula with a logistic function, which is another one.
    Wrong(
        "xlviii_gelu_quick",
        "xlviii_gelu",
        "function / precision / numbers | rounding",
        (
            "    float inner = c * (x + 0.044715f * x * x * x);\n"
            "    return 0.5f * x * (1.0f + tanhf(inner));\n",
            "    return x / (1.0f + expf(-1.702f * x));\n",
        ),
        ("    const float c = 0.7978845608f;  // sqrt(2 / pi)\n", ""),
    ),
    # ---- hard swish of bfloat16
    # The product comes before the division.
    Wrong(
        "xlviii_hswish_product_first",
        "xlviii_hswish",
        "infinity | numbers / whole range / nan / precision / function",
        ("6.0f) / 6.0f;\n", "6.0f);\n"),
        ("__float2bfloat16(v * gate);", "__float2bfloat16(v * gate / 6.0f);"),
    ),
    # The sum is a bfloat16.
    Wrong(
        "xlviii_hswish_short_sum",
        "xlviii_hswish",
        "precision / rounding | numbers / function",
        (
            "fminf(fmaxf(v + 3.0f, 0.0f), 6.0f)",
            "fminf(fmaxf(__bfloat162float(x[i] + __float2bfloat16(3.0f)), 0.0f), 6.0f)",
        ),
    ),
    # A sixth of four digits.
    Wrong(
        "xlviii_hswish_sixth",
        "xlviii_hswish",
        "precision / rounding / function | numbers",
        ("6.0f) / 6.0f;", "6.0f) * 0.1667f;"),
    ),
    # The upper half of a float's bits.
    Wrong(
        "xlviii_hswish_upper_bits",
        "xlviii_hswish",
        "rounding | precision / numbers / nan",
        (
            "y[i] = __float2bfloat16(v * gate);",
            "unsigned bits = __float_as_uint(v * gate);\n"
            "    ((unsigned short*)y)[i] = bits >> 16;",
        ),
    ),
    # The gate has no upper end.
    Wrong(
        "xlviii_hswish_no_upper_end",
        "xlviii_hswish",
        "function / left out / numbers | infinity / whole range",
        ("fminf(fmaxf(v + 3.0f, 0.0f), 6.0f) / 6.0f;", "fmaxf(v + 3.0f, 0.0f) / 6.0f;"),
    ),
    # ---- the sum of an array
    # Nobody sets the sum to 0.
    Wrong(
        "xlviii_total_not_set",
        "xlviii_total",
        "zero before / start / state | nan / unwritten / numbers",
        ("    cudaMemsetAsync(total, 0, sizeof(float), stream);\n", ""),
    ),
    # The threads of a block add without an atomic.
    Wrong(
        "xlviii_total_plain_add",
        "xlviii_total",
        "race | left out / numbers",
        ("    atomicAdd(&block_total, mine);\n", "    block_total += mine;\n"),
    ),
    # The first thread does not wait for the others.
    Wrong(
        "xlviii_total_no_wait",
        "xlviii_total",
        "race | left out / numbers",
        (
            "    atomicAdd(&block_total, mine);\n    __syncthreads();\n",
            "    atomicAdd(&block_total, mine);\n",
        ),
    ),
    # Every block begins at the first number.
    Wrong(
        "xlviii_total_all_from_first",
        "xlviii_total",
        "twice / left out / other element | numbers / grid / function",
        (
            "int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;",
            "int i = threadIdx.x; i < n;",
        ),
    ),
    # A thread adds up integers.
    Wrong(
        "xlviii_total_int_sum",
        "xlviii_total",
        "rounding / precision / narrow / whole range | numbers / left out / function",
        ("    float mine = 0.0f;\n", "    int mine = 0;\n"),
    ),
    # ---- means of columns
    # The index of the turned picture.
    Wrong(
        "xlviii_colmean_turned",
        "xlviii_colmean",
        "sides / swapped / other element | numbers / bounds",
        ("picture[r * cols + c];", "picture[c * rows + r];"),
    ),
    # Divided by the number of columns.
    Wrong(
        "xlviii_colmean_by_columns",
        "xlviii_colmean",
        "function / sides / swapped | numbers",
        ("(float)sum / rows;", "(float)sum / cols;"),
    ),
    # As many threads as there are rows.
    Wrong(
        "xlviii_colmean_grid_of_rows",
        "xlviii_colmean",
        "grid / unwritten / sides / left out | tail / swapped",
        ("<<<(cols + 31) / 32, 32,", "<<<(rows + 31) / 32, 32,"),
    ),
    # The sum has 16 bits.
    Wrong(
        "xlviii_colmean_short_sum",
        "xlviii_colmean",
        "narrow / whole range / infinity | numbers / left out",
        ("unsigned int sum = 0;", "unsigned short sum = 0;"),
    ),
    # A quotient of integers.
    Wrong(
        "xlviii_colmean_integer_quotient",
        "xlviii_colmean",
        "rounding / precision | numbers / function",
        ("(float)sum / rows;", "sum / rows;"),
    ),
    # ---- the place of the largest
    # Of equal ones in two threads the first thread's place is kept.
    Wrong(
        "xlviii_argmax_ties",
        "xlviii_argmax",
        "other element / numbers | left out / function / neighbour",
        ("if (w > val[t] || (w == val[t] && q < pos[t])) {", "if (w > val[t]) {"),
    ),
    # The smallest float above 0.
    Wrong(
        "xlviii_argmax_flt_min",
        "xlviii_argmax",
        "start | numbers / infinity / left out / other element",
        ("float v = -INFINITY;", "float v = FLT_MIN;"),
    ),
    # Only those who work wait.
    Wrong(
        "xlviii_argmax_barrier_inside",
        "xlviii_argmax",
        "race | numbers / left out / other element / timeout / refused",
        (
            "            }\n        }\n        __syncthreads();\n    }\n",
            "            }\n            __syncthreads();\n        }\n    }\n",
        ),
    ),
    # The steps are those of one warp.
    Wrong(
        "xlviii_argmax_one_warp",
        "xlviii_argmax",
        "left out | numbers / other element / block size / function / start / tail",
        ("for (int s = 32; s > 0; s /= 2) {", "for (int s = 16; s > 0; s /= 2) {"),
    ),
    # The value changes its place, and the place stays.
    Wrong(
        "xlviii_argmax_place_stays",
        "xlviii_argmax",
        "other element / left out / function | numbers / neighbour",
        ("                pos[t] = q;\n", ""),
    ),
    # ---- transposes by tiles
    # Nobody waits for the tile.
    Wrong(
        "xlviii_turn_no_barrier",
        "xlviii_turn",
        "race / unwritten | numbers / other element / start / state",
        ("  __syncthreads();\n\n", ""),
    ),
    # The first test once more.
    Wrong(
        "xlviii_turn_same_test",
        "xlviii_turn",
        "bounds / sides / unwritten / tail | left out / swapped / other element",
        ("if (u < height && v < width)", "if (u < width && v < height)"),
    ),
    # Rows of the result as long as those of the input.
    Wrong(
        "xlviii_turn_pitch_of_input",
        "xlviii_turn",
        "sides / bounds / other element | swapped / unwritten / race / numbers",
        ("odata[(size_t)v * height + u]", "odata[(size_t)v * width + u]"),
    ),
    # The tile is read as it was written.
    Wrong(
        "xlviii_turn_tile_not_turned",
        "xlviii_turn",
        "other element / swapped / sides / unwritten | numbers / start / race / neighbour",
        ("= tile[threadIdx.x][threadIdx.y];", "= tile[threadIdx.y][threadIdx.x];"),
    ),
    # The grid has its sides the other way round.
    Wrong(
        "xlviii_turn_grid_turned",
        "xlviii_turn",
        "grid / unwritten / sides / swapped / left out | tail",
        (
            "dim3 grid((width + TILE_DIM - 1) / TILE_DIM, (height + TILE_DIM - 1) / TILE_DIM);",
            "dim3 grid((height + TILE_DIM - 1) / TILE_DIM, (width + TILE_DIM - 1) / TILE_DIM);",
        ),
    ),
    # ---- products by tiles
    # A fast thread loads the next tiles while a slow one still multiplies.
    Wrong(
        "xlviii_matmul_one_barrier",
        "xlviii_matmul",
        "race | numbers / other element",
        ("    }\n    __syncthreads();\n  }\n", "    }\n  }\n"),
    ),
    # The last tile is taken if it is whole.
    Wrong(
        "xlviii_matmul_whole_tiles",
        "xlviii_matmul",
        "tail / left out | numbers / function / sides",
        ("m < (K + T - 1) / T;", "m < K / T;"),
    ),
    # What is outside keeps what was there.
    Wrong(
        "xlviii_matmul_no_zeros",
        "xlviii_matmul",
        "tail / unwritten / start / twice / other element | left out / numbers / state / nan",
        (
            "    sA[ty][tx] = (row < M && ka < K) ? __half2float(A[row * K + ka]) : 0.0f;\n",
            "    if (row < M && ka < K) sA[ty][tx] = __half2float(A[row * K + ka]);\n",
        ),
        (
            "    sB[ty][tx] = (kb < K && col < N) ? __half2float(B[kb * N + col]) : 0.0f;\n",
            "    if (kb < K && col < N) sB[ty][tx] = __half2float(B[kb * N + col]);\n",
        ),
    ),
    # The sum is a half, as the inputs are.
    Wrong(
        "xlviii_matmul_half_sum",
        "xlviii_matmul",
        "precision / rounding / infinity | numbers / narrow / left out",
        ("  float acc = 0.0f;\n", "  half acc = __float2half(0.0f);\n"),
        (
            "acc += sA[ty][k] * sB[k][tx];",
            "acc = __float2half(__half2float(acc) + sA[ty][k] * sB[k][tx]);",
        ),
        ("C[row * N + col] = acc;", "C[row * N + col] = __half2float(acc);"),
    ),
    # Rows of A as long as those of B.
    Wrong(
        "xlviii_matmul_rows_of_b",
        "xlviii_matmul",
        "sides / bounds / other element | swapped / numbers",
        ("A[row * K + ka]", "A[row * N + ka]"),
    ),
    # ---- a vector times a matrix
    # Threads without a column leave, and bring nothing.
    Wrong(
        "xlviii_vecmat_leave_early",
        "xlviii_vecmat",
        "unwritten / left out / race | numbers / start / state / nan / tail / other element",
        (
            "  const int j = blockIdx.x * PIECE + t;\n",
            "  const int j = blockIdx.x * PIECE + t;\n  if (j >= cols) return;\n",
        ),
    ),
    # Every piece is whole.
    Wrong(
        "xlviii_vecmat_whole_pieces",
        "xlviii_vecmat",
        "bounds / tail | unwritten / twice / other element",
        ("const int count = min(PIECE, rows - first);", "const int count = PIECE;"),
    ),
    # The matrix is taken for its transpose.
    Wrong(
        "xlviii_vecmat_turned",
        "xlviii_vecmat",
        "sides / swapped / other element | numbers / bounds",
        ("W[(first + i) * cols + j];", "W[j * rows + first + i];"),
    ),
    # The first piece again and again.
    Wrong(
        "xlviii_vecmat_first_piece",
        "xlviii_vecmat",
        "other element / twice / left out | numbers / tail",
        ("xs[t] = x[first + t];", "xs[t] = x[t];"),
    ),
    # Added to what is there.
    Wrong(
        "xlviii_vecmat_adds",
        "xlviii_vecmat",
        "zero before / start / state | nan / unwritten / numbers",
        ("if (j < cols) y[j] = sum;", "if (j < cols) y[j] += sum;"),
    ),
    # ---- softmax
    # Nothing is subtracted.
    Wrong(
        "xlviii_softmax_no_max",
        "xlviii_softmax",
        "infinity / nan | numbers / function / subnormal / left out",
        ("row_sum += expf(in[c] - row_max);", "row_sum += expf(in[c]);"),
        ("out[c] = expf(in[c] - row_max) / row_sum;", "out[c] = expf(in[c]) / row_sum;"),
    ),
    # The largest one is at least 0.
    Wrong(
        "xlviii_softmax_max_from_0",
        "xlviii_softmax",
        "start / nan | infinity / numbers / subnormal / function / precision",
        ("float row_max = -INFINITY;", "float row_max = 0.0f;"),
    ),
    # The first lane alone has the sum of all.
    Wrong(
        "xlviii_softmax_sum_goes_down",
        "xlviii_softmax",
        "left out / other element / twice | numbers / function / race",
        (
            "row_sum += __shfl_xor_sync(0xffffffff, row_sum, offset);",
            "row_sum += __shfl_down_sync(0xffffffff, row_sum, offset);",
        ),
    ),
    # The sum takes whole lines of 32.
    Wrong(
        "xlviii_softmax_whole_lines",
        "xlviii_softmax",
        "tail / left out | numbers / infinity / nan / function",
        (
            "for (int c = lane; c < n_cols; c += 32) row_sum +=",
            "for (int c = lane; c < n_cols / 32 * 32; c += 32) row_sum +=",
        ),
    ),
    # The maximum is subtracted in the sum only.
    Wrong(
        "xlviii_softmax_max_once",
        "xlviii_softmax",
        "function / infinity / left out | numbers / subnormal / nan",
        ("out[c] = expf(in[c] - row_max) / row_sum;", "out[c] = expf(in[c]) / row_sum;"),
    ),
    # ---- RMS norm
    # eps is added to the root.
    Wrong(
        "xlviii_rms_eps_outside",
        "xlviii_rms",
        "function | numbers / precision / infinity / nan",
        ("1.0f / sqrtf(all / size + eps);", "1.0f / (sqrtf(all / size) + eps);"),
    ),
    # The squares are halves.
    Wrong(
        "xlviii_rms_half_squares",
        "xlviii_rms",
        "infinity / precision / rounding | numbers / subnormal / left out / function",
        (
            "    float v = __half2float(xr[j]);\n    ss += v * v;\n",
            "    ss += __half2float(xr[j] * xr[j]);\n",
        ),
    ),
    # The weight of the row.
    Wrong(
        "xlviii_rms_weight_of_row",
        "xlviii_rms",
        "other element / sides / bounds / swapped | numbers / function",
        ("* scale * weight[j]);", "* scale * weight[blockIdx.x]);"),
    ),
    # Nobody waits for the other warps.
    Wrong(
        "xlviii_rms_no_barrier",
        "xlviii_rms",
        "race / unwritten | numbers / left out / start / state / nan",
        ("  __syncthreads();\n", ""),
    ),
    # The parts are added before the warp's sums are whole.
    Wrong(
        "xlviii_rms_four_steps",
        "xlviii_rms",
        "left out | numbers / other element / function / tail",
        ("for (int d = 16; d >= 1; d /= 2) ss +=", "for (int d = 8; d >= 1; d /= 2) ss +="),
    ),
)

RIGHT = (
    # The bits of what is above 0 are from 1 to those of infinity.
    Right(
        "xlviii_relugrad_by_bits",
        "xlviii_relugrad",
        (
            "  grad_in[idx] = __half2float(x[idx]) > 0.0f ? grad_out[idx] : __float2half(0.0f);\n",
            "  unsigned bits = __half_as_ushort(x[idx]);\n"
            "  grad_in[idx] = bits - 1u < 0x7c00u ? grad_out[idx] : __ushort_as_half(0);\n",
        ),
    ),
    # Converted first, and an infinity is made the largest half then.
    Right(
        "xlviii_tohalf_clips_halves",
        "xlviii_tohalf",
        (
            "    float v = src[k];\n    if (v > 65504.0f) v = 65504.0f;\n"
            "    if (v < -65504.0f) v = -65504.0f;\n    dst[k] = __float2half(v);\n",
            "    unsigned short bits = __half_as_ushort(__float2half(src[k]));\n"
            "    if ((bits & 0x7fff) == 0x7c00) bits -= 1;  // infinity\n"
            "    dst[k] = __ushort_as_half(bits);\n",
        ),
    ),
    # Integers are clipped, and each byte is stored alone.
    Right(
        "xlviii_pixels_integers",
        "xlviii_pixels",
        (
            "    v = rintf(v * 255.0f);\n"
            "    return (unsigned char)fminf(fmaxf(v, 0.0f), 255.0f);\n",
            "    int k = __float2int_rn(v * 255.0f);\n"
            "    return k < 0 ? 0 : k > 255 ? 255 : k;\n",
        ),
        (
            "    if (i + 3 < n) {\n        uchar4 p;\n        p.x = toByte(img[i]);\n"
            "        p.y = toByte(img[i + 1]);\n        p.z = toByte(img[i + 2]);\n"
            "        p.w = toByte(img[i + 3]);\n        *(uchar4*)(out + i) = p;\n"
            "    } else {\n        for (; i < n; i++) out[i] = toByte(img[i]);\n    }\n",
            "    for (int k = 3; k >= 0; k--) {\n"
            "        if (i + k < n) out[i + k] = toByte(img[i + k]);\n    }\n",
        ),
    ),
    # The same function by a logistic one.
    Right(
        "xlviii_gelu_logistic",
        "xlviii_gelu",
        (
            "return 0.5f * x * (1.0f + tanhf(inner));",
            "return x / (1.0f + expf(-2.0f * inner));",
        ),
        ("gelu_forward<<<10, 128,", "gelu_forward<<<3, 224,"),
    ),
    # Branches for the three parts, and neighbours are in different blocks.
    Right(
        "xlviii_hswish_branches",
        "xlviii_hswish",
        (
            "long i = (long)blockIdx.x * blockDim.x + threadIdx.x;",
            "long i = (long)threadIdx.x * gridDim.x + blockIdx.x;",
        ),
        (
            "    float gate = fminf(fmaxf(v + 3.0f, 0.0f), 6.0f) / 6.0f;\n"
            "    y[i] = __float2bfloat16(v * gate);\n",
            "    if (v <= -3.0f) v = 0.0f;\n"
            "    else if (v < 3.0f) v = v * (v + 3.0f) / 6.0f;\n"
            "    y[i] = __float2bfloat16(v);\n",
        ),
    ),
    # Every thread adds to the sum itself.
    Right(
        "xlviii_total_straight",
        "xlviii_total",
        (
            "    __shared__ float block_total;\n    if (threadIdx.x == 0) {\n"
            "        block_total = 0.0f;\n    }\n    __syncthreads();\n\n",
            "",
        ),
        (
            "    atomicAdd(&block_total, mine);\n    __syncthreads();\n\n"
            "    if (threadIdx.x == 0) {\n        atomicAdd(total, block_total);\n    }\n",
            "    if (mine != 0.0f) {\n        atomicAdd(total, mine);\n    }\n",
        ),
    ),
    # Two blocks for all columns, from the last row to the first, in 64 bits and double.
    Right(
        "xlviii_colmean_upwards",
        "xlviii_colmean",
        (
            "    int c = blockIdx.x * blockDim.x + threadIdx.x;\n"
            "    if (c >= cols)\n        return;\n\n"
            "    unsigned int sum = 0;\n    for (int r = 0; r < rows; r++)\n"
            "        sum += picture[r * cols + c];\n    means[c] = (float)sum / rows;\n",
            "    for (int c = 32 * blockIdx.x + threadIdx.x; c < cols; c += 64) {\n"
            "        const uint8_t *p = picture + (size_t)rows * cols + c;\n"
            "        unsigned long long sum = 0;\n"
            "        for (int r = rows; r-- > 0;) {\n"
            "            p -= cols;\n            sum += *p;\n"
            "        }\n        means[c] = (float)((double)sum / rows);\n    }\n",
        ),
        ("<<<(cols + 31) / 32, 32,", "<<<2, 32,"),
    ),
    # The first thread looks through what all have found.
    Right(
        "xlviii_argmax_one_looks",
        "xlviii_argmax",
        (
            "    for (int s = 32; s > 0; s /= 2) {\n        if (t < s) {\n"
            "            float w = val[t + s];\n            int q = pos[t + s];\n"
            "            if (w > val[t] || (w == val[t] && q < pos[t])) {\n"
            "                val[t] = w;\n                pos[t] = q;\n            }\n        }\n"
            "        __syncthreads();\n    }\n    if (t == 0) best[blockIdx.x] = pos[0];\n",
            "    if (t != 63) return;\n    for (int s = 62; s >= 0; s--) {\n"
            "        if (val[s] > v || (val[s] == v && pos[s] < p)) {\n"
            "            v = val[s];\n            p = pos[s];\n        }\n    }\n"
            "    best[blockIdx.x] = p;\n",
        ),
    ),
    # B's tile is turned, terms from the last one on, and no barrier behind the last tile.
    Right(
        "xlviii_matmul_turned_tile",
        "xlviii_matmul",
        ("    sB[ty][tx] = (kb", "    sB[tx][ty] = (kb"),
        ("for (int k = 0; k < T; k++) {", "for (int k = T - 1; k >= 0; k--) {"),
        ("acc += sA[ty][k] * sB[k][tx];", "acc = fmaf(sB[tx][k], sA[ty][k], acc);"),
        (
            "    }\n    __syncthreads();\n  }\n",
            "    }\n    if ((m + 1) * T < K) __syncthreads();  // there is another one\n  }\n",
        ),
    ),
    # No shared memory: all threads read the vector, two sums, threads without a column leave.
    Right(
        "xlviii_vecmat_two_sums",
        "xlviii_vecmat",
        ("  __shared__ float xs[PIECE];\n", ""),
        (
            "  float sum = 0.0f;\n",
            "  if (j >= cols) return;\n  float even = 0.0f, odd = 0.0f;\n",
        ),
        (
            "  for (int first = 0; first < rows; first += PIECE) {\n"
            "    if (first + t < rows) xs[t] = x[first + t];\n    __syncthreads();\n"
            "    const int count = min(PIECE, rows - first);\n    if (j < cols) {\n"
            "      for (int i = 0; i < count; ++i) sum += xs[i] * W[(first + i) * cols + j];\n"
            "    }\n    __syncthreads();\n  }\n  if (j < cols) y[j] = sum;\n",
            "  for (int i = 0; i < rows; i += 2) {\n    even += x[i] * W[i * cols + j];\n"
            "    if (i + 1 < rows) odd += x[i + 1] * W[(i + 1) * cols + j];\n  }\n"
            "  y[j] = even + odd;\n",
        ),
    ),
    # Shares are written first, and read again by the lane that wrote them.
    Right(
        "xlviii_softmax_keeps_shares",
        "xlviii_softmax",
        (
            "    for (int c = lane; c < n_cols; c += 32) row_sum += expf(in[c] - row_max);\n",
            "    for (int c = lane; c < n_cols; c += 32) {\n"
            "        out[c] = expf(in[c] - row_max);\n        row_sum += out[c];\n    }\n",
        ),
        ("out[c] = expf(in[c] - row_max) / row_sum;", "out[c] *= 1.0f / row_sum;"),
    ),
    # Every thread adds its squares to one shared sum.
    Right(
        "xlviii_rms_shared_sum",
        "xlviii_rms",
        (
            "  __shared__ float parts[4];\n",
            "  __shared__ float all;\n  if (threadIdx.x == 32) all = 0.0f;\n",
        ),
        (
            "  for (int d = 16; d >= 1; d /= 2) ss += __shfl_down_sync(0xffffffffu, ss, d);\n"
            "  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = ss;\n  __syncthreads();\n"
            "  float all = parts[0] + parts[1] + parts[2] + parts[3];\n"
            "  float scale = 1.0f / sqrtf(all / size + eps);\n",
            "  __syncthreads();\n  atomicAdd(&all, ss);\n  __syncthreads();\n"
            "  float scale = rsqrtf(all / size + eps);\n",
        ),
    ),
)
