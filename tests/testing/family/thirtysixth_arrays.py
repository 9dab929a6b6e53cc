"""Hold half of a thirty-sixth family: transposes, products, softmax, norms, sums, scans.

The causes were written before a member was judged. On the emulator each was run beside PyTorch:
bases and right ones are right, and all wrong ones but three wrong, or refused by a fault, some
only so:

    xxxvi_turn_tiles_not_awaited          from 2 elements on each side on
    xxxvi_turn_tiles_same_block           if a side is more than 16
    xxxvi_turn_tiles_whole_blocks         if the rows are no multiple of 16, refused below
    xxxvi_turn_last_sides_of_input        if both channels and length are more than 1
    xxxvi_turn_last_first_sample          from 2 samples on
    xxxvi_turn_last_no_rest               from 2 samples on
    xxxvi_mm_naive_added                  of outputs that are not 0 before
    xxxvi_mm_naive_step                   if inner side and columns differ
    xxxvi_mm_epilogue_inner_not_tested    if the inner side is no multiple of 16
    xxxvi_mm_epilogue_no_beta             if beta is not 1
    xxxvi_mm_epilogue_half_on_the_way     of products that no half has
    xxxvi_mm_epilogue_sum_of_last_part    from an inner side of 17 on
    xxxvi_mv_pairs_odd_rows               of an odd number of columns, from 2 rows on
    xxxvi_mv_pairs_half_products          of products that no half has
    xxxvi_mv_pairs_from_eight             from 17 columns on, by pairs from 34 on
    xxxvi_soft_trees_no_maximum           of rows far from 0
    xxxvi_soft_trees_flt_min              of rows far below 0
    xxxvi_soft_trees_used_again           of more than one column
    xxxvi_soft_trees_divided_once         from 129 columns on
    xxxvi_soft_entropy_not_ignored        of targets to be ignored
    xxxvi_soft_entropy_not_scaled         from 33 columns on
    xxxvi_soft_entropy_not_added_back     of rows whose largest is not 0
    xxxvi_soft_entropy_first_row          from 2 rows on
    xxxvi_ln_block_gamma_of_row           of gammas that differ, or of more rows than columns
    xxxvi_ln_add_rms_input_normed         of residuals that are not 0
    xxxvi_ln_add_rms_half_sum             of sums past the largest half
    xxxvi_ln_add_rms_one_warp             from 33 columns on
    xxxvi_rows_part_dense                 of a part of the columns, from 2 rows on
    xxxvi_rows_part_by_ld                 of a part of the columns
    xxxvi_rows_part_float                 of sums that no float has
    xxxvi_cols_sum_quarter_zero           of outputs that are not 0 before
    xxxvi_cols_sum_whole_parts            if the rows are no multiple of 16
    xxxvi_cols_argmax_last                of equal numbers
    xxxvi_cols_argmax_no_nan              of NaN
    xxxvi_cols_argmax_not_kept            from 3 rows on
    xxxvi_scan_two_greater                from 2 columns on
    xxxvi_scan_two_last_carry             from 129 columns on

Three are wrong by reasoning:

    xxxvi_ln_block_total_not_awaited      where warps run at once
    xxxvi_cols_sum_no_atomic              where blocks run at once, from 17 rows on
    xxxvi_scan_two_too_early              where warps run at once, from 65 columns on
"""

# ruff: noqa: E501 (a line of a kernel stands in one line)
from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong

# A student's transpose by square tiles, after a sample of an old toolkit.
TILES = """\
#define T 16

__global__ void transposeShared(int *odata, const int *idata, int width, int height)
{
    __shared__ int block[T][T + 1];

    int xIndex = blockIdx.x * T + threadIdx.x;
    int yIndex = blockIdx.y * T + threadIdx.y;
    if (xIndex < width && yIndex < height) {
        size_t index_in = (size_t)yIndex * width + xIndex;
        block[threadIdx.y][threadIdx.x] = idata[index_in];
    }

    __syncthreads();

    xIndex = blockIdx.y * T + threadIdx.x;
    yIndex = blockIdx.x * T + threadIdx.y;
    if (xIndex < height && yIndex < width) {
        size_t index_out = (size_t)yIndex * height + xIndex;
        odata[index_out] = block[threadIdx.x][threadIdx.y];
    }
}

extern "C" void launch(int *odata /* [width, height] */, const int *idata /* [height, width] */, int height, int width, cudaStream_t stream = 0)
{
    dim3 grid((width + T - 1) / T, (height + T - 1) / T);
    dim3 threads(T, T);
    transposeShared<<<grid, threads, 0, stream>>>(odata, idata, width, height);
}
"""

# A junior's change of layout, channels last: one thread an output, by a grid-stride loop.
PERMUTE = """\
using bf16 = __nv_bfloat16;

__global__ void ncl_to_nlc_kernel(const bf16* __restrict__ in, bf16* __restrict__ out, int64_t total, int C, int L) {
  const int64_t step = static_cast<int64_t>(blockDim.x) * gridDim.x;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < total; i += step) {
    const int64_t c = i % C;
    const int64_t l = i / C % L;
    const int64_t n = i / C / L;
    out[i] = in[(n * C + c) * L + l];
  }
}

extern "C" void launch(const bf16* in /* [N, C, L] */, bf16* out /* [N, L, C] */, int N, int C, int L, cudaStream_t stream = 0) {
  const int64_t total = static_cast<int64_t>(N) * C * L;
  int64_t blocks = (total + 191) / 192;
  if (blocks > 2048) blocks = 2048;
  ncl_to_nlc_kernel<<<static_cast<unsigned>(blocks), 192, 0, stream>>>(in, out, total, C, L);
}
"""

# A student's naive product: x are the rows.
NAIVE = """\
__global__ void MatMulKernel(float* C, const float* A, const float* B, int m, int k, int n)
{
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  int col = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || col >= n)
    return;
  float value = 0.0f;
  for (int i = 0; i < k; ++i)
    value += A[row * k + i] * B[i * n + col];
  C[row * n + col] = value;
}

extern "C" void launch(float* C /* [m, n] */, const float* A /* [m, k] */, const float* B /* [k, n] */, int m, int k, int n, cudaStream_t stream = 0)
{
  dim3 threads(4, 32);
  dim3 blocks((m + threads.x - 1) / threads.x, (n + threads.y - 1) / threads.y);
  MatMulKernel<<<blocks, threads, 0, stream>>>(C, A, B, m, k, n);
}
"""

# A junior's product with the second factor turned, and the usual epilogue.
EPILOGUE = """\
template <int BM>
__global__ void gemm_nt_kernel(const half* __restrict__ a, const half* __restrict__ b, const half* __restrict__ c, half* __restrict__ d, int M, int N, int K, float alpha, float beta) {
    __shared__ float as[BM][BM + 1], bs[BM][BM + 1];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int m = blockIdx.y * BM + ty, n = blockIdx.x * BM + tx;
    const int nb = blockIdx.x * BM + ty;
    float acc = 0.f;
    for (int k0 = 0; k0 < K; k0 += BM) {
        const int k = k0 + tx;
        as[ty][tx] = m < M && k < K ? __half2float(a[(int64_t)m * K + k]) : 0.f;
        bs[ty][tx] = nb < N && k < K ? __half2float(b[(int64_t)nb * K + k]) : 0.f;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < BM; ++i) acc += as[ty][i] * bs[tx][i];
        __syncthreads();
    }
    if (m < M && n < N) {
        const int64_t o = (int64_t)m * N + n;
        d[o] = __float2half_rn(alpha * acc + beta * __half2float(c[o]));
    }
}

extern "C" void launch(const half* a /* [M, K] */, const half* b /* [N, K] */, const half* c /* [M, N] */, half* d /* [M, N] */, int M, int N, int K, float alpha, float beta, cudaStream_t stream = 0) {
    constexpr int BM = 16;
    const dim3 grid((N + BM - 1) / BM, (M + BM - 1) / BM);
    gemm_nt_kernel<BM><<<grid, dim3(BM, BM), 0, stream>>>(a, b, c, d, M, N, K, alpha, beta);
}
"""

# A junior's matrix of halves times a vector: a warp a row, by pairs.
GEMV = """\
__global__ void hgemv(const half* W, const half* v, half* y, int rows, int cols, bool pairs)
{
    const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
    const int r = blockIdx.x * 8 + warp;
    if (r >= rows) return;
    const half* w = W + (size_t)r * cols;
    const int n2 = pairs ? cols / 2 : 0;

    float sum = 0.f;
    for (int i = lane; i < n2; i += 32) {
        const float2 p = __half22float2(((const half2*)w)[i]);
        const float2 q = __half22float2(((const half2*)v)[i]);
        sum += p.x * q.x + p.y * q.y;
    }
    for (int i = 2 * n2 + lane; i < cols; i += 32) sum += __half2float(w[i]) * __half2float(v[i]);

    for (int m = 16; m; m >>= 1) sum += __shfl_xor_sync(0xffffffff, sum, m);
    if (lane == 0) y[r] = __float2half(sum);
}

extern "C" void launch(const half* W /* [rows, cols] */, const half* v /* [cols] */, half* y /* [rows] */, int rows, int cols, cudaStream_t stream = 0)
{
    const bool even = (((uintptr_t)W | (uintptr_t)v) & 3) == 0;
    hgemv<<<(rows + 7) / 8, 256, 0, stream>>>(W, v, y, rows, cols, even && cols % 2 == 0);
}
"""

# A student's softmax: a block a row, two trees in shared memory.
SOFT = """\
__global__ void softmax_shared(const float* input, float* output, int cols) {
  extern __shared__ float buf[];
  int tid = threadIdx.x;
  const float* x = input + (size_t)blockIdx.x * cols;
  float* y = output + (size_t)blockIdx.x * cols;

  // 1. the maximum
  float m = -INFINITY;
  for (int i = tid; i < cols; i += blockDim.x) m = fmaxf(m, x[i]);
  buf[tid] = m;
  __syncthreads();
  for (int s = blockDim.x / 2; s >= 1; s /= 2) {
    if (tid < s) buf[tid] = fmaxf(buf[tid], buf[tid + s]);
    __syncthreads();
  }
  m = buf[0];
  __syncthreads();  // before buf is used again

  // 2. the sum
  float sum = 0.0f;
  for (int i = tid; i < cols; i += blockDim.x) {
    y[i] = expf(x[i] - m);
    sum += y[i];
  }
  buf[tid] = sum;
  __syncthreads();
  for (int s = blockDim.x / 2; s >= 1; s /= 2) {
    if (tid < s) buf[tid] += buf[tid + s];
    __syncthreads();
  }
  sum = buf[0];

  // 3. divide
  for (int i = tid; i < cols; i += blockDim.x) y[i] /= sum;
}

extern "C" void launch(const float* input /* [rows, cols] */, float* output /* [rows, cols] */, int rows, int cols, cudaStream_t stream = 0) {
  int threads = 128;
  softmax_shared<<<rows, threads, threads * sizeof(float), stream>>>(input, output, cols);
}
"""

# A junior's cross entropy of rows: a warp a row, maximum and sum in one pass.
ENTROPY = """\
constexpr int kRowsPerBlock = 4;

__global__ void cross_entropy_fwd(float* __restrict__ loss, const float* __restrict__ logits, const int64_t* __restrict__ target, int64_t n, int classes, int64_t ignore_index) {
  const int64_t row = int64_t(blockIdx.x) * kRowsPerBlock + threadIdx.y;
  if (row >= n) return;
  const float* z = logits + row * classes;
  float top = -INFINITY, sum = 0.f;
  for (int c = threadIdx.x; c < classes; c += 32) {
    const float v = z[c];
    if (v > top) {
      sum *= expf(top - v);
      top = v;
    }
    if (top > -INFINITY) sum += expf(v - top);
  }
  for (int d = 16; d > 0; d >>= 1) {
    const float top2 = __shfl_xor_sync(0xffffffffu, top, d);
    const float sum2 = __shfl_xor_sync(0xffffffffu, sum, d);
    const float both = fmaxf(top, top2);
    if (both > -INFINITY) sum = sum * expf(top - both) + sum2 * expf(top2 - both);
    top = both;
  }
  if (threadIdx.x == 0) {
    const int64_t t = target[row];
    loss[row] = t == ignore_index ? 0.f : logf(sum) + top - z[t];
  }
}

extern "C" void launch(float* loss /* [n] */, const float* logits /* [n, classes] */, const int64_t* target /* [n] */, int64_t n, int classes, int64_t ignore_index = -100, cudaStream_t stream = 0) {
  const dim3 threads(32, kRowsPerBlock);
  const unsigned blocks = unsigned((n + kRowsPerBlock - 1) / kRowsPerBlock);
  cross_entropy_fwd<<<blocks, threads, 0, stream>>>(loss, logits, target, n, classes, ignore_index);
}
"""

# A student's layer norm: a block a row, a function that adds what the block has.
LAYER = """\
#define BLOCK 128

__device__ float blockSum(float v)
{
    __shared__ float warpSums[BLOCK / 32];
    __shared__ float total;
    for (int o = 16; o > 0; o >>= 1)
        v += __shfl_down_sync(0xffffffff, v, o);
    if (threadIdx.x % 32 == 0)
        warpSums[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x == 0) {
        total = 0.0f;
        for (int i = 0; i < BLOCK / 32; i++)
            total += warpSums[i];
    }
    __syncthreads();  // total
    return total;
}

__global__ void layerNorm(float *out, const float *inp, const float *gamma, const float *beta, int N, float eps)
{
    int row = blockIdx.x;
    const float *x = inp + (size_t)row * N;
    float *y = out + (size_t)row * N;

    float s = 0.0f;
    for (int i = threadIdx.x; i < N; i += BLOCK)
        s += x[i];
    float mean = blockSum(s) / N;

    float s2 = 0.0f;
    for (int i = threadIdx.x; i < N; i += BLOCK)
        s2 += (x[i] - mean) * (x[i] - mean);
    float var = blockSum(s2) / N;

    float inv = 1.0f / sqrtf(var + eps);
    for (int i = threadIdx.x; i < N; i += BLOCK)
        y[i] = (x[i] - mean) * inv * gamma[i] + beta[i];
}

extern "C" void launch(float *out /* [M, N] */, const float *inp /* [M, N] */, const float *gamma /* [N] */, const float *beta /* [N] */, int M, int N, float eps, cudaStream_t stream = 0)
{
    layerNorm<<<M, BLOCK, 0, stream>>>(out, inp, gamma, beta, N, eps);
}
"""

# A junior's residual addition and RMS norm in one, of two outputs.
ADD_RMS = """\
namespace {
constexpr int kThreads = 64;

__global__ void __launch_bounds__(kThreads) add_rmsnorm(const half* __restrict__ x, const half* __restrict__ residual, const float* __restrict__ weight, half* __restrict__ y, half* __restrict__ hidden, int dim, float eps) {
  __shared__ float partial[kThreads / 32];
  const int64_t at = static_cast<int64_t>(blockIdx.x) * dim;
  float acc = 0.0f;
  for (int i = threadIdx.x; i < dim; i += kThreads) {
    const half h = __hadd(x[at + i], residual[at + i]);
    hidden[at + i] = h;
    const float f = __half2float(h);
    acc += f * f;
  }
#pragma unroll
  for (int mask = 1; mask < 32; mask <<= 1) acc += __shfl_xor_sync(0xffffffffu, acc, mask);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = acc;
  __syncthreads();
  const float scale = rsqrtf((partial[0] + partial[1]) / dim + eps);
  for (int i = threadIdx.x; i < dim; i += kThreads) {
    y[at + i] = __float2half_rn(__half2float(hidden[at + i]) * scale * weight[i]);
  }
}
}  // namespace

extern "C" void launch(const half* x /* [tokens, dim] */, const half* residual /* [tokens, dim] */, const float* weight /* [dim] */, half* y /* [tokens, dim] */, half* hidden /* [tokens, dim] */, int tokens, int dim, float eps = 1e-6f, cudaStream_t stream = 0) {
  add_rmsnorm<<<tokens, kThreads, 0, stream>>>(x, residual, weight, y, hidden, dim, eps);
}
"""

# A junior's means of the rows of a part of a matrix: one thread a row.
PART = """\
__global__ void row_mean_ld(const float* __restrict__ x, int64_t ld, int64_t cols, int64_t rows, float* __restrict__ mean)
{
    const int64_t r = threadIdx.x + int64_t(blockDim.x) * blockIdx.x;
    if (r < rows) {
        double acc = 0.0;
        for (int64_t c = 0; c < cols; ++c) acc += x[r * ld + c];
        mean[r] = float(acc / cols);
    }
}

extern "C" void launch(const float* x /* [rows, ld] */, int64_t ld, int64_t cols, int64_t rows, float* mean /* [rows] */, cudaStream_t stream = 0)
{
    row_mean_ld<<<(rows + 63) / 64, 64, 0, stream>>>(x, ld, cols, rows, mean);
}
"""

# A student's sums of columns: a thread adds 16 rows of a column, and the rest is an atomic's.
COLSUM = """\
#define ROWS_PER_THREAD 16

__global__ void colSum(const float *in, float *out, int nrow, int ncol) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int first = blockIdx.y * ROWS_PER_THREAD;
    if (j >= ncol) return;

    float s = 0;
    for (int i = first; i < first + ROWS_PER_THREAD && i < nrow; i++) {
        s += in[i * ncol + j];
    }
    atomicAdd(&out[j], s);
}

extern "C" void launch(const float *in /* [nrow, ncol] */, float *out /* [ncol] */, int nrow, int ncol, cudaStream_t stream = 0) {
    cudaMemsetAsync(out, 0, ncol * sizeof(float), stream);
    dim3 grid((ncol + 63) / 64, (nrow + ROWS_PER_THREAD - 1) / ROWS_PER_THREAD);
    colSum<<<grid, 64, 0, stream>>>(in, out, nrow, ncol);
}
"""

# A junior's argmax along the first side, as torch has it: a NaN is the largest.
ARGMAX = """\
__global__ void argmax_dim0(const float* x, int64_t* idx, int R, int C) {
  for (int c = blockIdx.x * blockDim.x + threadIdx.x; c < C; c += gridDim.x * blockDim.x) {
    float best = x[c];
    int at = 0;
    for (int r = 1; r < R; r++) {
      const float v = x[(int64_t)r * C + c];
      if (v > best || (isnan(v) && !isnan(best))) {
        best = v;
        at = r;
      }
    }
    idx[c] = at;
  }
}

extern "C" void launch(const float* x /* [R, C] */, int64_t* idx /* [C] */, int R, int C, cudaStream_t stream = 0) {
  const int blocks = C < 32 * 128 ? (C + 31) / 32 : 128;
  argmax_dim0<<<blocks, 32, 0, stream>>>(x, idx, R, C);
}
"""

# A student's running sums of rows: two buffers, after Hillis and Steele, 64 at a time.
SCAN = """\
#define N_T 64

__global__ void scan_rows(int *g_odata, const int *g_idata, int n)
{
    __shared__ int temp[2 * N_T];
    int thid = threadIdx.x;
    const int *in = g_idata + (size_t)blockIdx.x * n;
    int *out = g_odata + (size_t)blockIdx.x * n;
    int carry = 0;

    for (int base = 0; base < n; base += N_T) {
        int pout = 0, pin = 1;
        temp[thid] = (base + thid < n) ? in[base + thid] : 0;
        __syncthreads();
        for (int offset = 1; offset < N_T; offset *= 2) {
            pout = 1 - pout;
            pin = 1 - pout;
            if (thid >= offset)
                temp[pout * N_T + thid] = temp[pin * N_T + thid] + temp[pin * N_T + thid - offset];
            else
                temp[pout * N_T + thid] = temp[pin * N_T + thid];
            __syncthreads();
        }
        if (base + thid < n)
            out[base + thid] = carry + temp[pout * N_T + thid];
        carry += temp[pout * N_T + N_T - 1];
        __syncthreads();  // the next part
    }
}

extern "C" void launch(int *g_odata /* [m, n] */, const int *g_idata /* [m, n] */, int m, int n, cudaStream_t stream = 0)
{
    scan_rows<<<m, N_T, 0, stream>>>(g_odata, g_idata, n);
}
"""

FLOAT, HALF, BF16 = (torch.float32,), (torch.float16,), (torch.bfloat16,)
INT, LONG = (torch.int32,), (torch.int64,)
SIDES = ((1, 1), (1, 40), (6, 5), (35, 3), (4, 99), (3, 310), (9, 64), (40, 26))
PRODUCTS = ((1, 1, 1), (4, 6, 5), (16, 16, 16), (39, 45, 17), (20, 7, 41), (9, 90, 34))


def _numbers(*size: int, limit: int = 20) -> torch.Tensor:
    generator = torch.Generator().manual_seed(sum(13 * side for side in size) + limit)
    return torch.randint(-limit, limit + 1, size, generator=generator).float()


def _case(words: str, inputs: tuple, right, dtypes: tuple, scalars=None, **options) -> Case:
    sizes = ", ".join(" x ".join(map(str, tensor.shape)) for tensor in inputs)
    label = f"{sizes} {words} {scalars or ''}".strip()
    right = right if isinstance(right, tuple) else (right,)
    return Case(label, inputs, right, *([scalars] if scalars else []), dtypes=dtypes, **options)


def tiles(launcher: Launcher) -> Iterator[Case]:
    """Turn integers: square and not, whole blocks and not."""
    for size in ((1, 1), (16, 16), (32, 16), (9, 70), (70, 9), (1, 150), (150, 1), (35, 50)):
        x = _numbers(*size, limit=30_000).int()
        yield _case("", (x,), x.T.contiguous(), INT)


def permute(launcher: Launcher) -> Iterator[Case]:
    """Turn the last two sides of a batch."""
    for size in ((1, 1, 1), (1, 8, 8), (3, 5, 7), (2, 40, 3), (4, 1, 60), (2, 33, 50)):
        x = _numbers(*size, limit=120).bfloat16()
        yield _case("", (x,), x.transpose(1, 2).contiguous(), BF16)


def naive(launcher: Launcher) -> Iterator[Case]:
    """Multiply floats: all is exact."""
    for m, k, n in PRODUCTS:
        a, b = _numbers(m, k) / 4, _numbers(k, n) / 2
        yield _case("", (a, b), a.double() @ b.double(), FLOAT)


def epilogue(launcher: Launcher) -> Iterator[Case]:
    """Multiply halves, scale and add: exact in float, so that only one half is right."""
    for m, k, n in (*PRODUCTS, (5, 300, 3)):
        a, b, c = _numbers(m, k).half(), _numbers(n, k).half(), _numbers(m, n, limit=900).half()
        for alpha, beta in ((1.0, 1.0), (0.25, 2.0), (0.5, 0.0), (0.125, -1.0)):
            right = (alpha * (a.double() @ b.double().T) + beta * c.double()).half().double()
            yield _case("", (a, b, c), right, HALF, {"alpha": alpha, "beta": beta})


def gemv(launcher: Launcher) -> Iterator[Case]:
    """Multiply halves by a vector: exact in float, so that only one half is right."""
    for m, n in (*SIDES, (5, 700)):
        for words, w in (("", _numbers(m, n)), ("fine", _numbers(m, n, limit=1000) / 32)):
            w, v = w.half(), (_numbers(n, limit=30) / 8).half()
            yield _case(words, (w, v), (w.double() @ v.double()).half().double(), HALF)


def soft(launcher: Launcher) -> Iterator[Case]:
    """Take softmax of usual and of distant rows."""
    for m, n in SIDES:
        for words, shift in (("", 0), ("200 less", -200), ("200 more", 200)):
            x = _numbers(m, n) / 8 + shift
            right = torch.softmax(x.double(), dim=1)
            yield _case(words, (x,), right, FLOAT, ulp=2, within=(2.0**-18 * right,))


def entropy(launcher: Launcher) -> Iterator[Case]:
    """Take the loss of usual and of distant rows, some of them ignored."""
    for m, n in SIDES:
        for words, shift in (("", 0), ("200 less", -200), ("200 more", 200)):
            x, at = _numbers(m, n) / 8 + shift, _numbers(m, limit=n * 3).long() % n
            for ignored in (False, True):
                target = at.clone()
                if ignored:
                    target[::3] = -100
                right = torch.nn.functional.cross_entropy(
                    x.double(), target, reduction="none", ignore_index=-100
                )
                slack = 2.0**-20 * (x.abs().amax(dim=1) + right + 1)
                name = words + (" some ignored" if ignored else "")
                scalars = {"ignore_index": -100}
                yield _case(name, (x, target), right, FLOAT, scalars, ulp=2, within=(slack,))


def layer(launcher: Launcher) -> Iterator[Case]:
    """Norm usual, distant, small and equal rows."""
    for m, n in SIDES:
        for scale, shift in ((1.0, 0.0), (1.0, 900.0), (2.0**-9, 0.0), (0.0, 5.0)):
            x = _numbers(m, n) * scale + shift
            gamma, beta = _numbers(n, limit=3) + 5.0, _numbers(n)
            away = x.double() - x.double().mean(dim=1, keepdim=True)
            inverse = 1 / torch.sqrt(away.square().mean(dim=1, keepdim=True) + 2.0**-14)
            right = away * inverse * gamma.double() + beta.double()
            largest = x.double().abs().amax(dim=1, keepdim=True)
            slack = 2.0**-19 * (largest * inverse * gamma + 30)
            words = f"about {shift}, times {scale}"
            yield _case(
                words, (x, gamma, beta), right, FLOAT, {"eps": 2.0**-14}, within=(slack,)
            )


def add_rms(launcher: Launcher) -> Iterator[Case]:
    """Add and norm zeros, small, usual and large rows of halves."""
    for m, n in SIDES:
        for scale in (0.0, 2.0**-8, 1.0, 50.0):
            x, residual = (
                (_numbers(m, n) * scale).half(),
                (_numbers(m, n, limit=9) * scale).half(),
            )
            weight = _numbers(n, limit=3) + 5.0
            h = (x.double() + residual.double()).half()
            root = torch.sqrt(h.double().square().mean(dim=1, keepdim=True) + 2.0**-12)
            right = h.double() / root * weight.double()
            options = {"ulp": 1, "within": (2.0**-10 * right.abs(), 0 * right)}
            inputs, scalars = (x, residual, weight), {"eps": 2.0**-12}
            yield _case(
                f"times {scale}", inputs, (right, h.double()), HALF * 2, scalars, **options
            )


def part(launcher: Launcher) -> Iterator[Case]:
    """Take means of all and of some columns, of small numbers and about a large one."""
    for m, n in (*SIDES, (70, 500)):
        for less in (0, 3):
            for words, shift in (("", 0), ("large", 2**20)):
                x = _numbers(m, n + less, limit=50) + shift
                if less:
                    x[:, n:] = 7777.0
                right = x[:, :n].double().mean(dim=1)
                yield _case(words, (x,), right, FLOAT, {"cols": n}, ulp=1)


def colsum(launcher: Launcher) -> Iterator[Case]:
    """Add columns of whole numbers: all is exact."""
    for m, n in (*SIDES, (100, 70), (17, 130)):
        x = _numbers(m, n, limit=300)
        for words, y in (("", x), ("positive", x.abs() + 1)):
            yield _case(words, (y,), y.double().sum(dim=0), FLOAT)


def argmax(launcher: Launcher) -> Iterator[Case]:
    """Find the first largest: mixed, equal, negative numbers, and NaN."""
    for m, n in (*SIDES, (90, 70)):
        x = _numbers(m, n, limit=3000)
        holes = x.clone()
        holes[m // 2 :: 3, ::2] = float("nan")
        equal, rising = x.clamp(max=5), x.sort(dim=0)[0]
        kinds = (("", x), ("equal", equal), ("negative", x - 5000), ("rising", rising))
        for words, y in (*kinds, ("with NaN", holes)):
            z = torch.where(y.isnan(), float("inf"), y)
            top = z.amax(dim=0, keepdim=True)
            right = torch.where(z == top, torch.arange(m)[:, None], m).amin(dim=0)
            yield _case(words, (y,), right, LONG)


def scan(launcher: Launcher) -> Iterator[Case]:
    """Take running sums of integers."""
    for m, n in SIDES:
        x = _numbers(m, n, limit=1000).int() + 400
        yield _case("", (x,), x.cumsum(dim=1).int(), INT)


BASES = {
    "xxxvi_turn_tiles": Base(HEADER + TILES, {"cases": tiles}),
    "xxxvi_turn_last": Base(HEADER + PERMUTE, {"cases": permute}),
    "xxxvi_mm_naive": Base(HEADER + NAIVE, {"cases": naive}),
    "xxxvi_mm_epilogue": Base(HEADER + EPILOGUE, {"cases": epilogue}),
    "xxxvi_mv_pairs": Base(HEADER + GEMV, {"cases": gemv}),
    "xxxvi_soft_trees": Base(HEADER + SOFT, {"cases": soft}),
    "xxxvi_soft_entropy": Base(HEADER + ENTROPY, {"cases": entropy}),
    "xxxvi_ln_block": Base(HEADER + LAYER, {"cases": layer}),
    "xxxvi_ln_add_rms": Base(HEADER + ADD_RMS, {"cases": add_rms}),
    "xxxvi_rows_part": Base(HEADER + PART, {"cases": part}),
    "xxxvi_cols_sum": Base(HEADER + COLSUM, {"cases": colsum}),
    "xxxvi_cols_argmax": Base(HEADER + ARGMAX, {"cases": argmax}),
    "xxxvi_scan_two": Base(HEADER + SCAN, {"cases": scan}),
}

WRONG = (
    # ---- a transpose by tiles
    # Nobody waits for the tile.
    Wrong(
        "xxxvi_turn_tiles_not_awaited",
        "xxxvi_turn_tiles",
        "race | other element / unwritten / numbers / sides / left out",
        ("    __syncthreads();\n", ""),
    ),
    # The block writes to its own place, not to the mirrored one.
    Wrong(
        "xxxvi_turn_tiles_same_block",
        "xxxvi_turn_tiles",
        "sides / other element / unwritten / swapped / left out | bounds / race / function / numbers",
        ("    xIndex = blockIdx.y * T", "    xIndex = blockIdx.x * T"),
        ("    yIndex = blockIdx.x * T", "    yIndex = blockIdx.y * T"),
    ),
    # The blocks of rows are rounded down.
    Wrong(
        "xxxvi_turn_tiles_whole_blocks",
        "xxxvi_turn_tiles",
        "grid / tail / unwritten / refused | left out / sides",
        (
            "grid((width + T - 1) / T, (height + T - 1) / T)",
            "grid((width + T - 1) / T, height / T)",
        ),
    ),
    # ---- channels last
    # The place is taken apart as the input's.
    Wrong(
        "xxxvi_turn_last_sides_of_input",
        "xxxvi_turn_last",
        "copy / sides / swapped / other element / function | numbers / left out",
        ("c = i % C;", "c = i / L % C;"),
        ("l = i / C % L;", "l = i % L;"),
    ),
    # The sample is forgotten.
    Wrong(
        "xxxvi_turn_last_first_sample",
        "xxxvi_turn_last",
        "other element / left out | function / sides / numbers",
        ("in[(n * C + c) * L + l]", "in[c * L + l]"),
    ),
    # The rest by the length is forgotten.
    Wrong(
        "xxxvi_turn_last_no_rest",
        "xxxvi_turn_last",
        "bounds | other element / sides / numbers",
        ("l = i / C % L;", "l = i / C;"),
    ),
    # ---- a naive product
    # Added to what the output was.
    Wrong(
        "xxxvi_mm_naive_added",
        "xxxvi_mm_naive",
        "zero before / state | start",
        ("C[row * n + col] = value;", "C[row * n + col] += value;"),
    ),
    # The step of the second factor is that of the first.
    Wrong(
        "xxxvi_mm_naive_step",
        "xxxvi_mm_naive",
        "sides / bounds / other element / swapped | function / numbers / left out",
        ("B[i * n + col]", "B[i * k + col]"),
    ),
    # One row and one column too many.
    Wrong(
        "xxxvi_mm_naive_greater",
        "xxxvi_mm_naive",
        "bounds | race / sides / twice",
        ("row >= m || col >= n", "row > m || col > n"),
    ),
    # 2,048 threads a block.
    Wrong(
        "xxxvi_mm_naive_large_block",
        "xxxvi_mm_naive",
        "refused / block size | unwritten",
        ("threads(4, 32);", "threads(32, 64);"),
    ),
    # ---- a product with an epilogue
    # No test of the inner side.
    Wrong(
        "xxxvi_mm_epilogue_inner_not_tested",
        "xxxvi_mm_epilogue",
        "bounds / tail / other element | function / numbers / sides / twice",
        ("m < M && k < K ?", "m < M ?"),
        ("nb < N && k < K ?", "nb < N ?"),
    ),
    # What is added has no factor.
    Wrong(
        "xxxvi_mm_epilogue_no_beta",
        "xxxvi_mm_epilogue",
        "left out / function | numbers",
        ("alpha * acc + beta * __half2float(c[o])", "alpha * acc + __half2float(c[o])"),
    ),
    # The product becomes a half on the way.
    Wrong(
        "xxxvi_mm_epilogue_half_on_the_way",
        "xxxvi_mm_epilogue",
        "rounding / precision | numbers / infinity / sides",
        ("(alpha * acc +", "(alpha * __half2float(__float2half_rn(acc)) +"),
    ),
    # The sum is new in each part.
    Wrong(
        "xxxvi_mm_epilogue_sum_of_last_part",
        "xxxvi_mm_epilogue",
        "left out | function / sides / numbers / other element",
        ("    float acc = 0.f;\n", "    float acc;\n"),
        (
            "        const int k = k0 + tx;\n",
            "        const int k = k0 + tx;\n        acc = 0.f;\n",
        ),
    ),
    # ---- a matrix times a vector, by pairs
    # Only the start of the matrix is tested.
    Wrong(
        "xxxvi_mv_pairs_odd_rows",
        "xxxvi_mv_pairs",
        "alignment | sides / tail",
        ("even && cols % 2 == 0)", "even)"),
    ),
    # Products of halves.
    Wrong(
        "xxxvi_mv_pairs_half_products",
        "xxxvi_mv_pairs",
        "precision / rounding | numbers / sides / infinity / alignment",
        (
            "        const float2 p = __half22float2(((const half2*)w)[i]);\n        const float2 q = __half22float2(((const half2*)v)[i]);\n        sum += p.x * q.x + p.y * q.y;\n",
            "        const float2 p = __half22float2(__hmul2(((const half2*)w)[i], ((const half2*)v)[i]));\n        sum += p.x + p.y;\n",
        ),
    ),
    # The mask of half a warp.
    Wrong(
        "xxxvi_mv_pairs_half_mask",
        "xxxvi_mv_pairs",
        "race | left out",
        ("__shfl_xor_sync(0xffffffff, sum, m)", "__shfl_xor_sync(0xffff, sum, m)"),
    ),
    # The steps begin with 8.
    Wrong(
        "xxxvi_mv_pairs_from_eight",
        "xxxvi_mv_pairs",
        "left out | function / sides / numbers",
        ("int m = 16; m; m >>= 1", "int m = 8; m; m >>= 1"),
    ),
    # ---- softmax by trees
    # The maximum is not subtracted.
    Wrong(
        "xxxvi_soft_trees_no_maximum",
        "xxxvi_soft_trees",
        "infinity / nan / numbers / function | left out",
        ("y[i] = expf(x[i] - m);", "y[i] = expf(x[i]);"),
    ),
    # The least positive float is not the least float.
    Wrong(
        "xxxvi_soft_trees_flt_min",
        "xxxvi_soft_trees",
        "start / numbers / nan | infinity / function",
        ("float m = -INFINITY;", "float m = FLT_MIN;"),
    ),
    # The array is used again at once.
    Wrong(
        "xxxvi_soft_trees_used_again",
        "xxxvi_soft_trees",
        "race | function / numbers / other element / infinity / nan",
        ("  __syncthreads();  // before buf is used again\n", ""),
    ),
    # Bytes are taken for floats.
    Wrong(
        "xxxvi_soft_trees_few_bytes",
        "xxxvi_soft_trees",
        "bounds | race / block size",
        ("threads * sizeof(float), stream", "threads, stream"),
    ),
    # One element a thread is divided.
    Wrong(
        "xxxvi_soft_trees_divided_once",
        "xxxvi_soft_trees",
        "left out / tail / function | numbers / sides / other element",
        (
            "for (int i = tid; i < cols; i += blockDim.x) y[i] /= sum;",
            "if (tid < cols) y[tid] /= sum;",
        ),
    ),
    # ---- cross entropy
    # A target to be ignored is an index, too.
    Wrong(
        "xxxvi_soft_entropy_not_ignored",
        "xxxvi_soft_entropy",
        "bounds / left out / numbers | other element / function",
        ("t == ignore_index ? 0.f : logf(sum)", "logf(sum)"),
    ),
    # What was added before is not scaled anew.
    Wrong(
        "xxxvi_soft_entropy_not_scaled",
        "xxxvi_soft_entropy",
        "function / numbers | sides / left out",
        ("      sum *= expf(top - v);\n", ""),
    ),
    # The maximum is not added back.
    Wrong(
        "xxxvi_soft_entropy_not_added_back",
        "xxxvi_soft_entropy",
        "function / left out | numbers",
        ("logf(sum) + top - z[t]", "logf(sum) - z[t]"),
    ),
    # The target's logit is that of the first row.
    Wrong(
        "xxxvi_soft_entropy_first_row",
        "xxxvi_soft_entropy",
        "other element / function / left out | numbers / sides",
        ("top - z[t]", "top - logits[t]"),
    ),
    # ---- layer norm
    # n - 1.
    Wrong(
        "xxxvi_ln_block_n_less_one",
        "xxxvi_ln_block",
        "function | numbers / infinity / nan / sides",
        ("blockSum(s2) / N;", "blockSum(s2) / (N - 1);"),
    ),
    # Nobody waits for the total.
    Wrong(
        "xxxvi_ln_block_total_not_awaited",
        "xxxvi_ln_block",
        "race | function / numbers / other element / left out / infinity / nan",
        ("    __syncthreads();  // total\n", ""),
    ),
    # A gamma a row.
    Wrong(
        "xxxvi_ln_block_gamma_of_row",
        "xxxvi_ln_block",
        "sides / bounds / other element | function / numbers / swapped / left out",
        ("* gamma[i]", "* gamma[row]"),
    ),
    # The second total goes on from the first.
    Wrong(
        "xxxvi_ln_block_total_not_reset",
        "xxxvi_ln_block",
        "start / state / zero before / unwritten | function / numbers / twice / infinity / nan",
        ("        total = 0.0f;\n", ""),
    ),
    # ---- residual and RMS norm
    # The residual is updated in its place.
    Wrong(
        "xxxvi_ln_add_rms_in_place",
        "xxxvi_ln_add_rms",
        "input / unwritten",
        ("    hidden[at + i] = h;\n", "    const_cast<half*>(residual)[at + i] = h;\n"),
        ("__half2float(hidden[at + i]) * scale", "__half2float(residual[at + i]) * scale"),
    ),
    # What is normed is not the sum.
    Wrong(
        "xxxvi_ln_add_rms_input_normed",
        "xxxvi_ln_add_rms",
        "function / left out | numbers / other element",
        ("__half2float(hidden[at + i]) * scale", "__half2float(x[at + i]) * scale"),
    ),
    # Epsilon is added to the quotient.
    Wrong(
        "xxxvi_ln_add_rms_epsilon_after",
        "xxxvi_ln_add_rms",
        "function / numbers / nan / infinity | left out",
        ("/ dim + eps);", "/ dim) + eps;"),
    ),
    # A sum of halves.
    Wrong(
        "xxxvi_ln_add_rms_half_sum",
        "xxxvi_ln_add_rms",
        "infinity / precision / rounding | numbers / function / whole range / narrow",
        ("  float acc = 0.0f;\n", "  half squares = __float2half(0.0f);\n"),
        (
            "    const float f = __half2float(h);\n    acc += f * f;\n",
            "    squares = __hadd(squares, __hmul(h, h));\n",
        ),
        ("#pragma unroll\n", "  float acc = __half2float(squares);\n#pragma unroll\n"),
    ),
    # One warp of two.
    Wrong(
        "xxxvi_ln_add_rms_one_warp",
        "xxxvi_ln_add_rms",
        "left out / function | numbers / sides",
        ("(partial[0] + partial[1]) / dim", "acc / dim"),
    ),
    # ---- means of a part of the columns
    # The rows follow each other at once.
    Wrong(
        "xxxvi_rows_part_dense",
        "xxxvi_rows_part",
        "sides / other element / function | numbers / left out",
        ("x[r * ld + c]", "x[r * cols + c]"),
    ),
    # The mean of another count.
    Wrong(
        "xxxvi_rows_part_by_ld",
        "xxxvi_rows_part",
        "function / sides | numbers",
        ("acc / cols", "acc / ld"),
    ),
    # A sum of floats.
    Wrong(
        "xxxvi_rows_part_float",
        "xxxvi_rows_part",
        "precision / rounding | numbers / narrow / sides",
        ("double acc = 0.0;", "float acc = 0.0f;"),
    ),
    # ---- sums of columns
    # Several blocks add without an atomic.
    Wrong(
        "xxxvi_cols_sum_no_atomic",
        "xxxvi_cols_sum",
        "race | left out / numbers / sides",
        ("    atomicAdd(&out[j], s);", "    out[j] += s;"),
    ),
    # A quarter is set to zero.
    Wrong(
        "xxxvi_cols_sum_quarter_zero",
        "xxxvi_cols_sum",
        "zero before / state / start | left out",
        ("ncol * sizeof(float), stream", "ncol, stream"),
    ),
    # The last part has fewer rows.
    Wrong(
        "xxxvi_cols_sum_whole_parts",
        "xxxvi_cols_sum",
        "bounds | tail",
        ("i < first + ROWS_PER_THREAD && i < nrow;", "i < first + ROWS_PER_THREAD;"),
    ),
    # ---- argmax of columns
    # The last of equals.
    Wrong(
        "xxxvi_cols_argmax_last",
        "xxxvi_cols_argmax",
        "numbers / other element / function | sides / twice",
        ("if (v > best ||", "if (v >= best ||"),
    ),
    # A NaN is never larger.
    Wrong(
        "xxxvi_cols_argmax_no_nan",
        "xxxvi_cols_argmax",
        "nan | numbers / other element",
        ("if (v > best || (isnan(v) && !isnan(best))) {", "if (v > best) {"),
    ),
    # The largest so far is not kept.
    Wrong(
        "xxxvi_cols_argmax_not_kept",
        "xxxvi_cols_argmax",
        "function / other element / numbers | left out / sides / nan",
        ("        best = v;\n", ""),
    ),
    # ---- running sums
    # The next part comes too early.
    Wrong(
        "xxxvi_scan_two_too_early",
        "xxxvi_scan_two",
        "race | other element / function / numbers / left out / sides",
        ("        __syncthreads();  // the next part\n", ""),
    ),
    # One thread a step is left out.
    Wrong(
        "xxxvi_scan_two_greater",
        "xxxvi_scan_two",
        "left out | function / numbers / other element / sides",
        ("if (thid >= offset)", "if (thid > offset)"),
    ),
    # Only the part before is carried.
    Wrong(
        "xxxvi_scan_two_last_carry",
        "xxxvi_scan_two",
        "left out / function | numbers / sides / state",
        ("carry += temp[", "carry = temp["),
    ),
    # The first ones are not taken over into the other buffer.
    Wrong(
        "xxxvi_scan_two_not_copied",
        "xxxvi_scan_two",
        "unwritten / start / left out / function / state | numbers / other element / sides / race",
        (
            "            else\n                temp[pout * N_T + thid] = temp[pin * N_T + thid];\n",
            "",
        ),
    ),
)

RIGHT = (
    # Smaller tiles without padding, more blocks than needed.
    Right(
        "xxxvi_turn_tiles_idle_blocks",
        "xxxvi_turn_tiles",
        ("#define T 16", "#define T 8"),
        ("block[T][T + 1];", "block[T][T];"),
        (
            "grid((width + T - 1) / T, (height + T - 1) / T)",
            "grid(width / T + 2, height / T + 1)",
        ),
    ),
    # Read in order, written apart, by few blocks.
    Right(
        "xxxvi_turn_last_by_inputs",
        "xxxvi_turn_last",
        ("c = i % C;", "l = i % L;"),
        ("l = i / C % L;", "c = i / L % C;"),
        ("out[i] = in[(n * C + c) * L + l];", "out[(n * L + l) * C + c] = in[i];"),
        ("if (blocks > 2048) blocks = 2048;", "if (blocks > 3) blocks = 3;"),
    ),
    # From the last product, columns in x.
    Right(
        "xxxvi_mm_naive_from_behind",
        "xxxvi_mm_naive",
        ("int row = blockIdx.x * blockDim.x + threadIdx.x;", "unsigned row = blockIdx.y;"),
        (
            "int col = blockIdx.y * blockDim.y + threadIdx.y;",
            "int col = blockIdx.x * 96 + threadIdx.x;",
        ),
        ("int i = 0; i < k; ++i", "int i = k - 1; i >= 0; --i"),
        ("dim3 threads(4, 32);", "dim3 threads(96);"),
        (
            "blocks((m + threads.x - 1) / threads.x, (n + threads.y - 1) / threads.y)",
            "blocks((n + 95) / 96, m)",
        ),
    ),
    # The second tile lies turned; two parts of the sum.
    Right(
        "xxxvi_mm_epilogue_turned_tile",
        "xxxvi_mm_epilogue",
        ("        bs[ty][tx] = nb", "        bs[tx][ty] = nb"),
        ("acc += as[ty][i] * bs[tx][i];", "(i % 2 ? odd : acc) += as[ty][i] * bs[i][tx];"),
        ("    float acc = 0.f;\n", "    float acc = 0.f, odd = 0.f;\n"),
        ("alpha * acc +", "alpha * (acc + odd) +"),
    ),
    # Other steps, three warps a block.
    Right(
        "xxxvi_mv_pairs_three_warps",
        "xxxvi_mv_pairs",
        ("blockIdx.x * 8 + warp", "blockIdx.x * 3 + warp"),
        ("<<<(rows + 7) / 8, 256,", "<<<rows / 3 + 1, 96,"),
        (
            "for (int m = 16; m; m >>= 1) sum += __shfl_xor_sync(0xffffffff, sum, m);",
            "for (int m = 1; m < 32; m += m) sum += __shfl_down_sync(0xffffffff, sum, m);",
        ),
    ),
    # One warp a row, and a product by the inverse.
    Right(
        "xxxvi_soft_trees_inverse",
        "xxxvi_soft_trees",
        ("float m = -INFINITY;", "float m = x[0];"),
        ("sum = buf[0];", "sum = 1.0f / buf[0];"),
        ("y[i] /= sum;", "y[i] *= sum;"),
        ("int threads = 128;", "int threads = 32;"),
    ),
    # The logit first, then the rest; two rows a block.
    Right(
        "xxxvi_soft_entropy_other_order",
        "xxxvi_soft_entropy",
        ("kRowsPerBlock = 4;", "kRowsPerBlock = 2;"),
        ("logf(sum) + top - z[t]", "(top - z[t]) + log1pf(sum - 1.f)"),
        ("int d = 16; d > 0; d >>= 1", "int d = 1; d <= 16; d <<= 1"),
    ),
    # The sum is in double, added by an atomic.
    Right(
        "xxxvi_ln_block_atomics",
        "xxxvi_ln_block",
        (
            "    for (int o = 16; o > 0; o >>= 1)\n        v += __shfl_down_sync(0xffffffff, v, o);\n    if (threadIdx.x % 32 == 0)\n        warpSums[threadIdx.x / 32] = v;\n    __syncthreads();\n    if (threadIdx.x == 0) {\n        total = 0.0f;\n        for (int i = 0; i < BLOCK / 32; i++)\n            total += warpSums[i];\n    }\n",
            "    __syncthreads();\n    if (threadIdx.x == 0)\n        total = 0.0;\n    __syncthreads();\n    atomicAdd(&total, (double)v);\n",
        ),
        (
            "    __shared__ float warpSums[BLOCK / 32];\n    __shared__ float total;",
            "    __shared__ double total;",
        ),
    ),
    # The sum is computed twice rather than read back.
    Right(
        "xxxvi_ln_add_rms_added_again",
        "xxxvi_ln_add_rms",
        (
            "__half2float(hidden[at + i]) * scale",
            "__half2float(__float2half_rn(__half2float(residual[at + i]) + __half2float(x[at + i]))) * scale",
        ),
        ("mask = 1; mask < 32; mask <<= 1", "mask = 16; mask; mask /= 2"),
    ),
    # One thread a column and nothing to add.
    Right(
        "xxxvi_cols_sum_one_thread",
        "xxxvi_cols_sum",
        ("i < first + ROWS_PER_THREAD && i < nrow; i++", "i < nrow; i += 1"),
        ("    atomicAdd(&out[j], s);", "    out[j] = s;"),
        ("    cudaMemsetAsync(out, 0, ncol * sizeof(float), stream);\n", ""),
        ("(nrow + ROWS_PER_THREAD - 1) / ROWS_PER_THREAD);", "1);"),
    ),
    # From the last row.
    Right(
        "xxxvi_cols_argmax_from_below",
        "xxxvi_cols_argmax",
        (
            "    float best = x[c];\n    int at = 0;\n",
            "    float best = -INFINITY;\n    int at = 0;\n",
        ),
        ("int r = 1; r < R; r++", "int r = R - 1; r >= 0; r--"),
        ("if (v > best || (isnan(v) && !isnan(best))) {", "if (v >= best || v != v) {"),
    ),
)
