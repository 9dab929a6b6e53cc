"""Hold a thirty-fifth family: additions, casts, activations, fused operators, sums, extremes.

Half of the bases are as students hand in in the first weeks of a course, half as juniors write
for a small library of operators. The causes were written before a member was judged. On the
emulator each member ran beside PyTorch: bases and right ones are right, and all wrong ones but
three wrong, or refused by a fault, some only so:

    xxxv_ints_float_alpha      of integers past 2^24
    xxxv_ints_greater          if n is no multiple of the block size
    xxxv_ints_grid_dim         from 2 blocks on, if there are not as many as threads in one
    xxxv_ints_ceil_of_int      if n is no multiple of the block size
    xxxv_axpby_seven           from 8 elements on
    xxxv_axpby_whole_rest      if n is no multiple of 512
    xxxv_axpby_in_bf16         of factors, products or sums that bfloat16 rounds
    xxxv_cast_rz               of numbers that no half holds
    xxxv_cast_thread           from 5 elements on
    xxxv_cast_three            if n is 3 more than a multiple of 4
    xxxv_cast_any_address      of tensors that start at no multiple of 16 bytes, if n > 3
    xxxv_cast_clamped          of numbers past 65,504
    xxxv_bytes_signed          of bytes from 128 on
    xxxv_bytes_zero_after      if the zero point is not 0, and the scale not 1
    xxxv_bytes_int_scale       of scales that are not whole
    xxxv_leaky_slope_alone     of numbers that are not positive, if the slope is not 0
    xxxv_leaky_larger          of slopes past 1
    xxxv_leaky_in_place        of negative numbers
    xxxv_tanh_quotient         of numbers past 88
    xxxv_tanh_half_steps       of most numbers, small ones above all
    xxxv_tanh_no_test          if n is no multiple of 128
    xxxv_bias_of_row           from 2 elements on
    xxxv_bias_constant         of numbers neither very small nor large
    xxxv_drop_by_p             if p is not 0.5
    xxxv_drop_times_mask       of infinities (and NaN) that are dropped
    xxxv_drop_mask_of_ints     of masks that are not all 1, or fewer bytes than threads read
    xxxv_sigmoid_odd_at_n      if n is odd
    xxxv_sigmoid_whole_pairs   if n is 1 more than a multiple of 128
    xxxv_isum_int              of sums past 2^31
    xxxv_isum_half_set         if the output was not zero before
    xxxv_isum_step             from 5 elements on
    xxxv_norm_count_kept       from the second call on
    xxxv_norm_never_last       in the first call, and in some later ones
    xxxv_max_flt_min           if no number is positive
    xxxv_max_second_n          from 6 elements on, on the emulator surely from 65 on
    xxxv_max_192               if the largest lies where the tree does not look
    xxxv_min_fminf             of arrays with NaN
    xxxv_min_idle_zero         of positive numbers only
    xxxv_mse_int_quotient      from 2 elements on
    xxxv_mse_square_last       from 513 elements on
    xxxv_mse_n_less_one        if the two differ, or of one element

Three are wrong by reasoning:

    xxxv_tanh_int              from 2^31 elements on
    xxxv_norm_no_fence         where another block's part is seen later than its count
    xxxv_mse_set_inside        where another block adds before the first one sets
"""

# ruff: noqa: E501 (a line of a kernel stands in one line)
from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family import thirtyfifth_arrays
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import whole

# A student's addition of integers, with a factor.
INTS = (
    HEADER
    + """\
// c = a + alpha * b
__global__ void vecAdd(const int *a, const int *b, int *c, int alpha, int64_t n) {
    int64_t i = blockDim.x * (int64_t)blockIdx.x + threadIdx.x;
    if (i >= n) return;
    c[i] = a[i] + alpha * b[i];
}

extern "C" void launch(const int *a /* [n] */, const int *b /* [n] */, int *c /* [n] */, int alpha, int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    int64_t grid_size = (n + block_size - 1) / block_size;
    vecAdd<<<grid_size, block_size, 0, stream>>>(a, b, c, alpha, n);
}
"""
)

# A junior's combination of bfloat16, in packs of eight.
AXPBY = (
    HEADER
    + """\
using bf16 = __nv_bfloat16;

struct alignas(16) Bf16x8 {
    bf16 v[8];
};

__device__ inline bf16 axpby_one(float alpha, bf16 x, float beta, bf16 y) {
    return __float2bfloat16(alpha * __bfloat162float(x) + beta * __bfloat162float(y));
}

__global__ void axpby_kernel(int64_t n, float alpha, const bf16* x, float beta, const bf16* y, bf16* z) {
    int64_t base = (int64_t(blockIdx.x) * blockDim.x + threadIdx.x) * 8;
    if (base + 8 <= n) {
        Bf16x8 px = *reinterpret_cast<const Bf16x8*>(x + base);
        Bf16x8 py = *reinterpret_cast<const Bf16x8*>(y + base);
        Bf16x8 pz;
        for (int k = 0; k < 8; ++k) pz.v[k] = axpby_one(alpha, px.v[k], beta, py.v[k]);
        *reinterpret_cast<Bf16x8*>(z + base) = pz;
    } else {
        for (int64_t j = base; j < n; ++j) z[j] = axpby_one(alpha, x[j], beta, y[j]);
    }
}

extern "C" void launch(int64_t n, float alpha,
                       const bf16* x,  // [n] 16-byte aligned
                       float beta,
                       const bf16* y,  // [n] 16-byte aligned
                       bf16* z,        // [n] 16-byte aligned
                       cudaStream_t stream = 0) {
    const int threads = 64;
    const int64_t per_block = threads * 8;
    axpby_kernel<<<unsigned((n + per_block - 1) / per_block), threads, 0, stream>>>(n, alpha, x, beta, y, z);
}
"""
)

# A student's cast to half, four at a time.
CAST = (
    HEADER
    + """\
__global__ void float_to_half(const float *in, half *out, int64_t n)
{
    int64_t thread = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    int64_t total_threads = gridDim.x * (int64_t)blockDim.x;
    for (int64_t i = thread * 4; i < n; i += total_threads * 4) {
        if (i + 3 < n) {
            float4 f = *(const float4 *)&in[i];
            half2 *o = (half2 *)&out[i];
            o[0] = __floats2half2_rn(f.x, f.y);
            o[1] = __floats2half2_rn(f.z, f.w);
        } else {
            for (int64_t j = i; j < n; j++)
                out[j] = __float2half_rn(in[j]);
        }
    }
}

extern "C" void launch(const float *in,  // [n] 16-byte aligned
                       half *out,        // [n] 8-byte aligned
                       int64_t n, cudaStream_t stream = 0)
{
    float_to_half<<<6, 64, 0, stream>>>(in, out, n);
}
"""
)

# A junior's bytes, taken back to floats.
BYTES = (
    HEADER
    + """\
namespace quant {
__global__ void dequantize(float* __restrict__ dst, const uint8_t* __restrict__ q, int64_t numel, float scale, int zero_point) {
  const int64_t idx = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t k = idx; k < numel; k += step) {
    const int centered = static_cast<int>(q[k]) - zero_point;
    dst[k] = static_cast<float>(centered) * scale;
  }
}
}  // namespace quant

extern "C" void launch(float* dst /* [numel] */, const uint8_t* q /* [numel] */, float scale, int zero_point, int64_t numel, cudaStream_t stream = 0) {
  constexpr int kThreads = 128;
  int64_t blocks = (numel + kThreads - 1) / kThreads;
  blocks = blocks < 8 ? blocks : 8;
  quant::dequantize<<<static_cast<unsigned>(blocks), kThreads, 0, stream>>>(dst, q, numel, scale, zero_point);
}
"""
)

# A student's leaky ReLU.
LEAKY = (
    HEADER
    + """\
__global__ void leakyRelu(const float* x, float* y, float slope, int64_t n)
{
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (int64_t)blockDim.x * gridDim.x) {
        float val = x[i];
        if (val > 0)
            y[i] = val;
        else
            y[i] = slope * val;
    }
}

extern "C" void launch(const float* x /* [n] */, float* y /* [n] */, float slope, int64_t n, cudaStream_t stream = 0)
{
    leakyRelu<<<10, 100, 0, stream>>>(x, y, slope, n);
}
"""
)

# A student's tanh of halves.
TANH = (
    HEADER
    + """\
__global__ void tanh_fp16(const __half* X, __half* Y, int64_t N) {
    int64_t idx = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < N) {
        float x = __half2float(X[idx]);
        float y = tanhf(x);
        Y[idx] = __float2half(y);
    }
}

extern "C" void launch(const __half* X /* [N] */, __half* Y /* [N] */, int64_t N, cudaStream_t stream = 0) {
    const int BLOCK = 128;
    int64_t GRID = N / BLOCK + (N % BLOCK != 0);
    tanh_fp16<<<GRID, BLOCK, 0, stream>>>(X, Y, N);
}
"""
)

# A junior's bias, GELU by tanh, and residual.
BIAS = (
    HEADER
    + """\
constexpr float kAlpha = 0.7978845608f;  // sqrt(2 / pi)
constexpr float kBeta = 0.044715f;

__device__ __forceinline__ float gelu_tanh(float h) {
  const float inner = kAlpha * (h + kBeta * h * h * h);
  return 0.5f * h * (1.0f + tanhf(inner));
}

__global__ void bias_gelu_residual(const float* __restrict__ x, const float* __restrict__ bias, const float* __restrict__ residual, float* __restrict__ out, int64_t rows, int64_t cols) {
  const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= rows * cols) return;
  const float h = x[i] + bias[i % cols];
  out[i] = gelu_tanh(h) + residual[i];
}

extern "C" void launch(const float* x /* [rows, cols] */, const float* bias /* [cols] */, const float* residual /* [rows, cols] */, float* out /* [rows, cols] */, int64_t rows, int64_t cols, cudaStream_t stream = 0) {
  const int64_t total = rows * cols;
  bias_gelu_residual<<<dim3((total + 255) / 256), dim3(256), 0, stream>>>(x, bias, residual, out, rows, cols);
}
"""
)

# A junior's dropout of halves, whose mask is given.
DROP = (
    HEADER
    + """\
__global__ void dropout_fwd(__half* y, const __half* x, const uint8_t* mask, float p, int64_t len) {
    int64_t pos = threadIdx.x + int64_t(blockDim.x) * blockIdx.x;
    if (pos >= len) return;
    const float keep_scale = 1.f / (1.f - p);
    if (mask[pos]) {
        y[pos] = __float2half(__half2float(x[pos]) * keep_scale);
    } else {
        y[pos] = __float2half(0.f);
    }
}

extern "C" void launch(__half* y /* [len] */, const __half* x /* [len] */, const uint8_t* mask /* [len] */, float p, int64_t len, int block_size = 128, cudaStream_t stream = 0) {
    const unsigned nblk = unsigned((len - 1) / block_size + 1);
    dropout_fwd<<<nblk, block_size, 0, stream>>>(y, x, mask, p, len);
}
"""
)

# A junior's sigmoid of bfloat16, in pairs.
SIGMOID = (
    HEADER
    + """\
__device__ float sigmoid(float v) { return 1.0f / (1.0f + expf(-v)); }

__global__ void sigmoid_bf16x2(const __nv_bfloat16* src, __nv_bfloat16* dst, int64_t n) {
    int64_t p = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (p < n / 2) {
        float2 f = __bfloat1622float2(((const __nv_bfloat162*)src)[p]);
        f.x = sigmoid(f.x);
        f.y = sigmoid(f.y);
        ((__nv_bfloat162*)dst)[p] = __float22bfloat162_rn(f);
    }
    if (p == n / 2 && n % 2 == 1)
        dst[n - 1] = __float2bfloat16(sigmoid(__bfloat162float(src[n - 1])));
}

extern "C" void launch(const __nv_bfloat16* src,  // [n] 4-byte aligned
                       __nv_bfloat16* dst,        // [n] 4-byte aligned
                       int64_t n, cudaStream_t stream = 0) {
    int64_t pairs = (n + 1) / 2;
    sigmoid_bf16x2<<<(pairs + 63) / 64, 64, 0, stream>>>(src, dst, n);
}
"""
)

# A junior's sum of integers in 64 bits, by shuffles.
ISUM = (
    HEADER
    + """\
__global__ void sum_i32(const int32_t* __restrict__ values, int64_t count, unsigned long long* __restrict__ result) {
  long long mine = 0;
  for (int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x; i < count; i += int64_t(gridDim.x) * blockDim.x) {
    mine += values[i];
  }
  for (int delta = 16; delta > 0; delta >>= 1) {
    mine += __shfl_down_sync(0xffffffffu, mine, delta);
  }
  if (threadIdx.x % 32 == 0) atomicAdd(result, (unsigned long long)mine);
}

extern "C" void launch(const int32_t* values /* [count] */, int64_t count, int64_t* result /* [1] */, cudaStream_t stream = 0) {
  cudaMemsetAsync(result, 0, sizeof(int64_t), stream);
  sum_i32<<<4, 128, 0, stream>>>(values, count, reinterpret_cast<unsigned long long*>(result));
}
"""
)

# A junior's norm: the last block to come finishes.
NORM = (
    HEADER
    + """\
constexpr int kBlocks = 6;
constexpr int kThreads = 64;

__device__ float g_partial[kBlocks];
__device__ unsigned int g_arrived = 0;

__global__ void l2norm_kernel(const float* v, float* norm, int64_t n) {
    __shared__ float buf[kThreads];
    __shared__ bool is_last;
    float acc = 0.0f;
    for (int64_t i = blockIdx.x * (int64_t)kThreads + threadIdx.x; i < n; i += (int64_t)kBlocks * kThreads)
        acc += v[i] * v[i];
    buf[threadIdx.x] = acc;
    __syncthreads();
    for (int half_size = kThreads / 2; half_size > 0; half_size /= 2) {
        if (threadIdx.x < half_size) buf[threadIdx.x] += buf[threadIdx.x + half_size];
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        g_partial[blockIdx.x] = buf[0];
        __threadfence();
        unsigned int before = atomicAdd(&g_arrived, 1u);
        is_last = before == kBlocks - 1;
    }
    __syncthreads();
    if (is_last && threadIdx.x == 0) {
        __threadfence();
        volatile float* partial = g_partial;
        float total = 0.0f;
        for (int b = 0; b < kBlocks; ++b) total += partial[b];
        *norm = sqrtf(total);
        g_arrived = 0;
    }
}

extern "C" void launch(const float* v /* [n] */, float* norm /* [1] */, int64_t n, cudaStream_t stream = 0) {
    l2norm_kernel<<<kBlocks, kThreads, 0, stream>>>(v, norm, n);
}
"""
)

# A student's largest number: the same kernel twice.
MAX = (
    HEADER
    + """\
#include <cmath>

__global__ void maxKernel(const float *in, float *out, int64_t n)
{
    extern __shared__ float s[];
    int t = threadIdx.x;
    float m = -INFINITY;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + t; i < n; i += (int64_t)gridDim.x * blockDim.x)
        if (in[i] > m) m = in[i];
    s[t] = m;
    __syncthreads();
    for (int k = blockDim.x / 2; k > 0; k = k / 2) {
        if (t < k) {
            if (s[t + k] > s[t]) s[t] = s[t + k];
        }
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}

extern "C" void launch(const float *in /* [n] */, float *result /* [1] */, int64_t n, cudaStream_t stream = 0)
{
    int threads = 128;
    int blocks = 5;
    float *tmp;
    cudaMallocAsync((void **)&tmp, blocks * sizeof(float), stream);
    maxKernel<<<blocks, threads, threads * sizeof(float), stream>>>(in, tmp, n);
    maxKernel<<<1, threads, threads * sizeof(float), stream>>>(tmp, result, blocks);
    cudaFreeAsync(tmp, stream);
}
"""
)

# A junior's smallest bfloat16, which keeps NaN, in one block.
MIN = (
    HEADER
    + """\
#include <cmath>

#define WARPS 8

// like torch.min: a NaN wins
__device__ __forceinline__ float nan_min(float a, float b) { return (a < b || a != a) ? a : b; }

__device__ __forceinline__ float warp_min(float m) {
    for (int w = 16; w > 0; w /= 2) m = nan_min(m, __shfl_xor_sync(0xffffffff, m, w));
    return m;
}

__global__ void min_bf16(__nv_bfloat16* out, const __nv_bfloat16* in, int64_t size) {
    __shared__ float smem[WARPS];
    float m = INFINITY;
    for (int64_t e = threadIdx.x; e < size; e += WARPS * 32) m = nan_min(m, __bfloat162float(in[e]));
    m = warp_min(m);
    int warp_id = threadIdx.x / 32, lane_id = threadIdx.x % 32;
    if (lane_id == 0) smem[warp_id] = m;
    __syncthreads();
    if (warp_id == 0) {
        m = warp_min(lane_id < WARPS ? smem[lane_id] : INFINITY);
        if (lane_id == 0) out[0] = __float2bfloat16(m);
    }
}

extern "C" void launch(__nv_bfloat16* out /* [1] */, const __nv_bfloat16* in /* [size] */, int64_t size, cudaStream_t stream = 0) {
    min_bf16<<<1, WARPS * 32, 0, stream>>>(out, in, size);
}
"""
)

# A student's mean squared error.
MSE = (
    HEADER
    + """\
const int TPB = 64;

__global__ void mse(const float* pred, const float* target, float* loss, int64_t n) {
    __shared__ float partial[TPB];
    int64_t i = blockIdx.x * (int64_t)TPB + threadIdx.x;
    float sum = 0.0f;
    while (i < n) {
        float d = pred[i] - target[i];
        sum += d * d;
        i += gridDim.x * (int64_t)TPB;
    }
    partial[threadIdx.x] = sum;
    for (int s = TPB / 2; s >= 1; s /= 2) {
        __syncthreads();
        if (threadIdx.x < s) partial[threadIdx.x] += partial[threadIdx.x + s];
    }
    if (threadIdx.x == 0) atomicAdd(loss, partial[0] / n);
}

extern "C" void launch(const float* pred /* [n] */, const float* target /* [n] */, float* loss /* [1] */, int64_t n, cudaStream_t stream = 0) {
    cudaMemsetAsync(loss, 0, 4, stream);
    mse<<<8, TPB, 0, stream>>>(pred, target, loss, n);
}
"""
)


def added(launcher: Launcher) -> Iterator[Case]:
    """Add multiples of small and of large integers."""
    for n in (1, 2, 31, 96, 97, 256, 257, 1000, 3001):
        for label, limit in (("small", 100), ("large", 2**28)):
            a, b = whole(-limit, limit, n, n), whole(-limit, limit, n, n + 1)
            for alpha in (1, -3, 2):
                for block_size in (256, 96):
                    scalars = {"alpha": alpha, "block_size": block_size}
                    words = f"n = {n:,}, {scalars}, {label}"
                    right = (a.double() + alpha * b.double(),)
                    yield Case(words, (a.int(), b.int()), right, scalars, dtypes=(torch.int32,))


def combined(launcher: Launcher) -> Iterator[Case]:
    """Combine bfloat16, with several factors."""
    for n in (1, 7, 8, 9, 31, 512, 513, 1000, 3001):
        x = (whole(-127, 128, n, n).float() / 16).bfloat16()
        y = (whole(-127, 128, n, n + 1).float() / 16).bfloat16()
        for alpha, beta in ((1.0, 1.0), (0.5, -2.0), (1.001953125, 0.0), (0.3, 0.7)):
            first = torch.tensor(alpha).double() * x.double()
            second = torch.tensor(beta).double() * y.double()
            options = {
                "dtypes": (torch.bfloat16,),
                "within": (2.0**-22 * (first.abs() + second.abs()),),
            }
            scalars = {"alpha": alpha, "beta": beta}
            yield Case(f"n = {n:,}, {scalars}", (x, y), (first + second,), scalars, **options)


def halved(launcher: Launcher) -> Iterator[Case]:
    """Cast numbers that are exact, that are not, and that are past the largest half."""
    for n in (1, 2, 3, 4, 5, 31, 1535, 1536, 1537, 3002):
        x = whole(-999, 1000, n, n).float()
        for label, y in (
            ("exact", x),
            ("thirds", x / 3),
            ("small", x / 7e6),
            ("large", x * 1e3),
        ):
            yield Case(
                f"n = {n:,}, {label}", (y,), (y.half().double(),), dtypes=(torch.float16,)
            )


def restored(launcher: Launcher) -> Iterator[Case]:
    """Take bytes back to floats: all results are exact."""
    for n in (1, 2, 31, 128, 129, 1024, 1025, 3001):
        q = whole(0, 256, n, n)
        for label, x in (("any", q), ("dark", q // 4), ("light", 255 - q // 8)):
            for scale, zero_point in ((1.0, 0), (0.125, 128), (2.5, 3)):
                right = ((x.double() - zero_point) * scale,)
                scalars = {"scale": scale, "zero_point": zero_point}
                words = f"numel = {n:,}, {scalars}, {label}"
                yield Case(words, (x.to(torch.uint8),), right, scalars, dtypes=(torch.float32,))


def leaks(launcher: Launcher) -> Iterator[Case]:
    """Apply leaky ReLU, with several slopes."""
    for n in (1, 2, 31, 100, 101, 1000, 1001, 3001):
        x = whole(-500, 501, n, n).float() / 8
        for slope in (0.25, 0.01, 0.0, 1.5):
            factor = torch.tensor(slope).double()
            for label, y in (("any", x), ("negative", -x.abs() - 1), ("positive", x.abs() + 1)):
                right = (torch.where(y > 0, y.double(), factor * y.double()),)
                words = f"n = {n:,}, slope = {slope}, {label}"
                yield Case(words, (y,), right, {"slope": slope}, dtypes=(torch.float32,))


def tanhs(launcher: Launcher) -> Iterator[Case]:
    """Take tanh of usual, small and large halves."""
    for n in (1, 2, 31, 128, 129, 1000, 3001):
        x = (whole(-1000, 1001, n, n).float() / 256).half()
        for label, y in (("usual", x), ("small", x / 512), ("large", x * 64)):
            right = (torch.tanh(y.double()),)
            yield Case(f"N = {n:,}, {label}", (y,), right, dtypes=(torch.float16,), ulp=1)


def biased(launcher: Launcher) -> Iterator[Case]:
    """Add a bias, apply GELU, add a residual."""
    for m, n in ((1, 1), (1, 40), (40, 1), (3, 5), (5, 3), (16, 16), (7, 300), (65, 33)):
        x = whole(-1000, 1001, m * n, m * n).float().reshape(m, n) / 256
        bias = whole(-400, 401, n, n + 1).float() / 128
        residual = whole(-500, 501, m * n, n + 2).float().reshape(m, n) / 64
        for label, factor in (("usual", 1.0), ("small", 1 / 16), ("large", 8.0)):
            y, b = x * factor, bias * factor
            h = y.double() + b.double()
            right = torch.nn.functional.gelu(h, approximate="tanh") + residual.double()
            options = {
                "dtypes": (torch.float32,),
                "ulp": 2,
                "within": (2.0**-20 * (h.abs() + residual.abs()),),
            }
            yield Case(f"{m} x {n}, {label}", (y, b, residual), (right,), **options)


def dropped(launcher: Launcher) -> Iterator[Case]:
    """Drop some, all and none, also of infinities."""
    for n in (1, 2, 31, 64, 65, 128, 129, 1000, 3001):
        x = (whole(-999, 1000, n, n).float() / 64).half()
        some = (whole(0, 4, n, n + 1) > 0).to(torch.uint8)
        strange = x.clone()
        strange[n // 2] = float("inf")
        hidden = some.clone()
        hidden[n // 2] = 0
        kinds = (
            ("some", x, some),
            ("none", x, some * 0 + 1),
            ("all", x, some * 0),
            ("an infinity dropped", strange, hidden),
        )
        for label, y, mask in kinds:
            for p, block_size in ((0.25, 128), (0.5, 64), (0.0, 128)):
                right = (torch.where(mask > 0, y.double() / (1 - p), 0.0),)
                options = {"dtypes": (torch.float16,), "ulp": 1}
                scalars = {"p": p, "block_size": block_size}
                yield Case(
                    f"len = {n:,}, {scalars}, {label}", (y, mask), right, scalars, **options
                )


def sigmoids(launcher: Launcher) -> Iterator[Case]:
    """Take the sigmoid of usual, small and large bfloat16."""
    for n in (1, 2, 3, 31, 128, 129, 1000, 3001):
        x = (whole(-1000, 1001, n, n).float() / 256).bfloat16()
        for label, y in (("usual", x), ("small", x / 64), ("large", x * 16)):
            right = torch.sigmoid(y.double())
            options = {"dtypes": (torch.bfloat16,), "within": (2.0**-18 * right + 1e-30,)}
            yield Case(f"n = {n:,}, {label}", (y,), (right,), **options)


def counts(launcher: Launcher) -> Iterator[Case]:
    """Add small and large integers."""
    for n in (1, 2, 31, 33, 128, 129, 512, 513, 3001):
        x = whole(-1000, 1001, n, n)
        large = whole(-(2**31), 2**31, n, n)
        for label, y in (
            ("any", x),
            ("negative", -x.abs() - 1),
            ("large", large.abs() // 2 + 2**29),
        ):
            right = (y.sum().double().reshape(1),)
            yield Case(f"count = {n:,}, {label}", (y.int(),), right, dtypes=(torch.int64,))


def norms(launcher: Launcher) -> Iterator[Case]:
    """Take norms of whole numbers, whose sums of squares are exact."""
    for n in (1, 2, 31, 33, 64, 65, 384, 385, 3001):
        x = whole(-50, 51, n, n).float()
        for label, y in (("any", x), ("eighths", x / 8), ("negative", -x.abs() - 1)):
            right = (y.double().square().sum().sqrt().reshape(1),)
            yield Case(f"n = {n:,}, {label}", (y,), right, dtypes=(torch.float32,), ulp=1)


def largest(launcher: Launcher) -> Iterator[Case]:
    """Find the largest of mixed, of negative and of rising numbers, and of infinities."""
    for n in (1, 2, 31, 33, 128, 129, 640, 641, 3001):
        x = whole(-99999, 100000, n, n).float() / 8
        kinds = (
            ("any", x),
            ("negative", -x.abs() - 1),
            ("rising", x.sort()[0]),
            ("falling", x.sort(descending=True)[0]),
            ("least", x * 0 - float("inf")),
        )
        for label, y in kinds:
            right = (y.max().double().reshape(1),)
            yield Case(f"n = {n:,}, {label}", (y,), right, dtypes=(torch.float32,))


def smallest(launcher: Launcher) -> Iterator[Case]:
    """Find the smallest of mixed and of positive numbers, and of some with NaN."""
    for n in (1, 2, 31, 33, 255, 256, 257, 3001):
        x = (whole(-999, 1000, n, n).float() / 16).bfloat16()
        strange = x.clone()
        strange[n // 2] = float("nan")
        kinds = (
            ("any", x),
            ("positive", x.abs() + 1),
            ("rising", x.sort()[0]),
            ("falling", x.sort(descending=True)[0]),
            ("NaN", strange),
        )
        for label, y in kinds:
            right = (y.min().double().reshape(1),)
            yield Case(f"size = {n:,}, {label}", (y,), right, dtypes=(torch.bfloat16,))


def errors(launcher: Launcher) -> Iterator[Case]:
    """Take mean squared errors."""
    for n in (1, 2, 31, 33, 64, 65, 512, 513, 3001):
        a, b = whole(-60, 61, n, n).float() / 4, whole(-60, 61, n, n + 1).float() / 4
        for label, x, y in (("any", a, b), ("above", b + a.abs() + 1, b), ("equal", a, a)):
            right = ((x.double() - y.double()).square().mean().reshape(1),)
            options = {"dtypes": (torch.float32,), "within": (2.0**-20 * right[0],)}
            yield Case(f"n = {n:,}, {label}", (x, y), right, ulp=2, **options)


BASES = {
    "xxxv_ints": Base(INTS, {"cases": added}),
    "xxxv_axpby": Base(AXPBY, {"cases": combined}),
    "xxxv_cast": Base(CAST, {"cases": halved}),
    "xxxv_bytes": Base(BYTES, {"cases": restored}),
    "xxxv_leaky": Base(LEAKY, {"cases": leaks}),
    "xxxv_tanh": Base(TANH, {"cases": tanhs}),
    "xxxv_bias": Base(BIAS, {"cases": biased}),
    "xxxv_drop": Base(DROP, {"cases": dropped}),
    "xxxv_sigmoid": Base(SIGMOID, {"cases": sigmoids}),
    "xxxv_isum": Base(ISUM, {"cases": counts}),
    "xxxv_norm": Base(NORM, {"cases": norms}),
    "xxxv_max": Base(MAX, {"cases": largest}),
    "xxxv_min": Base(MIN, {"cases": smallest}),
    "xxxv_mse": Base(MSE, {"cases": errors}),
    **thirtyfifth_arrays.BASES,
}

WRONG = (
    # ---- addition of integers
    # The factor is a float in the kernel.
    Wrong(
        "xxxv_ints_float_alpha",
        "xxxv_ints",
        "precision / narrow / rounding / whole range | numbers",
        (
            "int *c, int alpha, int64_t n) {\n    int64_t",
            "int *c, float alpha, int64_t n) {\n    int64_t",
        ),
    ),
    # Only greater ones leave.
    Wrong("xxxv_ints_greater", "xxxv_ints", "bounds | tail", ("if (i >= n)", "if (i > n)")),
    # The grid's size in place of the block's.
    Wrong(
        "xxxv_ints_grid_dim",
        "xxxv_ints",
        "unwritten / left out / block size / grid / tail | race / twice / bounds",
        ("blockDim.x * (int64_t)", "gridDim.x * (int64_t)"),
    ),
    # The quotient is rounded up after it was rounded down.
    Wrong(
        "xxxv_ints_ceil_of_int",
        "xxxv_ints",
        "tail / unwritten / grid / refused | left out",
        ("(n + block_size - 1) / block_size;", "(int64_t)ceil(n / block_size);"),
    ),
    # ---- bfloat16, packs of eight
    # Seven of eight.
    Wrong(
        "xxxv_axpby_seven",
        "xxxv_axpby",
        "unwritten / left out | numbers / tail / other element",
        ("k < 8; ++k", "k < 7; ++k"),
    ),
    # The rest is as long as a pack.
    Wrong(
        "xxxv_axpby_whole_rest",
        "xxxv_axpby",
        "bounds | tail",
        ("j < n; ++j", "j < base + 8; ++j"),
    ),
    # The factors are rounded to bfloat16, and so is the product.
    Wrong(
        "xxxv_axpby_in_bf16",
        "xxxv_axpby",
        "rounding / precision / narrow | numbers",
        (
            "__float2bfloat16(alpha * __bfloat162float(x) + beta * __bfloat162float(y))",
            "__hadd(__hmul(__float2bfloat16(alpha), x), __hmul(__float2bfloat16(beta), y))",
        ),
    ),
    # ---- a cast
    # Toward zero.
    Wrong(
        "xxxv_cast_rz",
        "xxxv_cast",
        "rounding | numbers / infinity",
        (
            "__floats2half2_rn(f.x, f.y)",
            "__halves2half2(__float2half_rz(f.x), __float2half_rz(f.y))",
        ),
        (
            "__floats2half2_rn(f.z, f.w)",
            "__halves2half2(__float2half_rz(f.z), __float2half_rz(f.w))",
        ),
        ("__float2half_rn(in[j])", "__float2half_rz(in[j])"),
    ),
    # The first index is not multiplied.
    Wrong(
        "xxxv_cast_thread",
        "xxxv_cast",
        "alignment | unwritten / race / left out / tail",
        ("i = thread * 4;", "i = thread;"),
    ),
    # Three are enough.
    Wrong("xxxv_cast_three", "xxxv_cast", "bounds | tail", ("i + 3 < n", "i + 2 < n")),
    # The launcher takes every address.
    Wrong(
        "xxxv_cast_any_address",
        "xxxv_cast",
        "alignment",
        ("// [n] 16-byte aligned", "// [n]"),
        ("// [n] 8-byte aligned", "// [n]"),
    ),
    # Past the largest half, the largest.
    Wrong(
        "xxxv_cast_clamped",
        "xxxv_cast",
        "infinity / whole range | numbers / nan / function / tail",
        (
            "float4 f = *(const float4 *)&in[i];",
            "float4 f = *(const float4 *)&in[i];\n            f.x = fminf(fmaxf(f.x, -65504.f), 65504.f);\n            f.y = fminf(fmaxf(f.y, -65504.f), 65504.f);\n            f.z = fminf(fmaxf(f.z, -65504.f), 65504.f);\n            f.w = fminf(fmaxf(f.w, -65504.f), 65504.f);",
        ),
        ("__float2half_rn(in[j])", "__float2half_rn(fminf(fmaxf(in[j], -65504.f), 65504.f))"),
    ),
    # ---- bytes
    # Bytes with a sign.
    Wrong(
        "xxxv_bytes_signed",
        "xxxv_bytes",
        "whole range / narrow | numbers",
        ("static_cast<int>(q[k])", "static_cast<int8_t>(q[k])"),
    ),
    # The zero point after the scale.
    Wrong(
        "xxxv_bytes_zero_after",
        "xxxv_bytes",
        "function | numbers / swapped",
        ("(q[k]) - zero_point;", "(q[k]);"),
        ("(centered) * scale;", "(centered) * scale - zero_point;"),
    ),
    # The kernel takes a whole scale.
    Wrong(
        "xxxv_bytes_int_scale",
        "xxxv_bytes",
        "rounding / narrow / precision / function / whole range | numbers / left out / copy",
        ("numel, float scale, int zero_point)", "numel, int scale, int zero_point)"),
    ),
    # ---- leaky ReLU
    # The slope alone.
    Wrong(
        "xxxv_leaky_slope_alone",
        "xxxv_leaky",
        "function / left out / copy | numbers",
        ("slope * val;", "slope;"),
    ),
    # The larger of the two, which is right for slopes up to 1 only.
    Wrong(
        "xxxv_leaky_larger",
        "xxxv_leaky",
        "function / numbers",
        (
            "        if (val > 0)\n            y[i] = val;\n        else\n            y[i] = slope * val;\n",
            "        y[i] = fmaxf(val, slope * val);\n",
        ),
    ),
    # In the place of the input.
    Wrong(
        "xxxv_leaky_in_place",
        "xxxv_leaky",
        "input | state",
        ("(const float* x, float* y, float slope", "(float* x, float* y, float slope"),
        (
            "        float val = x[i];\n        if (val > 0)\n            y[i] = val;\n        else\n            y[i] = slope * val;\n",
            "        if (x[i] < 0)\n            x[i] *= slope;\n        y[i] = x[i];\n",
        ),
        ("(x, y, slope, n);", "((float*)x, y, slope, n);"),
    ),
    # ---- tanh
    # By its formula, which overflows.
    Wrong(
        "xxxv_tanh_quotient",
        "xxxv_tanh",
        "infinity / nan | numbers / precision / function",
        ("tanhf(x);", "(expf(x) - expf(-x)) / (expf(x) + expf(-x));"),
    ),
    # In half on the way.
    Wrong(
        "xxxv_tanh_half_steps",
        "xxxv_tanh",
        "precision / rounding | numbers / infinity / nan",
        (
            "float y = tanhf(x);",
            "__half e = __float2half(expf(2.0f * fminf(x, 5.0f)));\n        __half one = __float2half(1.0f);",
        ),
        ("__float2half(y);", "__hdiv(__hsub(e, one), __hadd(e, one));"),
    ),
    # No test.
    Wrong("xxxv_tanh_no_test", "xxxv_tanh", "bounds | tail", ("    if (idx < N) {", "    {")),
    # An index of 32 bits.
    Wrong(
        "xxxv_tanh_int",
        "xxxv_tanh",
        "narrow | bounds / unwritten",
        ("int64_t idx = (int64_t)blockIdx.x", "int idx = blockIdx.x"),
    ),
    # ---- bias, GELU, residual
    # The wrong side.
    Wrong(
        "xxxv_bias_of_row",
        "xxxv_bias",
        "sides / other element / bounds / neighbour | numbers / swapped",
        ("bias[i % cols]", "bias[i / cols]"),
    ),
    # A zero was lost.
    Wrong(
        "xxxv_bias_constant",
        "xxxv_bias",
        "function / numbers | precision",
        ("0.044715f", "0.44715f"),
    ),
    # The residual goes through the activation.
    Wrong(
        "xxxv_bias_residual_inside",
        "xxxv_bias",
        "function / swapped | numbers",
        ("gelu_tanh(h) + residual[i]", "gelu_tanh(h + residual[i])"),
    ),
    # ---- dropout
    # Kept what should go.
    Wrong(
        "xxxv_drop_other_way",
        "xxxv_drop",
        "swapped / function / numbers / left out | copy",
        ("if (mask[pos])", "if (!mask[pos])"),
    ),
    # The other share.
    Wrong(
        "xxxv_drop_by_p",
        "xxxv_drop",
        "function / numbers / infinity | nan",
        ("1.f / (1.f - p)", "1.f / p"),
    ),
    # Times a mask that is 0.
    Wrong(
        "xxxv_drop_times_mask",
        "xxxv_drop",
        "nan / infinity | numbers",
        (
            "    if (mask[pos]) {\n        y[pos] = __float2half(__half2float(x[pos]) * keep_scale);\n    } else {\n        y[pos] = __float2half(0.f);\n    }\n",
            "    y[pos] = __float2half(__half2float(x[pos]) * mask[pos] * keep_scale);\n",
        ),
    ),
    # The mask is read as integers.
    Wrong(
        "xxxv_drop_mask_of_ints",
        "xxxv_drop",
        "bounds / alignment | other element / numbers",
        (
            "const uint8_t* mask, float p, int64_t len) {",
            "const int* mask, float p, int64_t len) {",
        ),
        ("(y, x, mask, p, len);", "(y, x, (const int*)mask, p, len);"),
    ),
    # ---- sigmoid
    # Brackets are missing.
    Wrong(
        "xxxv_sigmoid_brackets",
        "xxxv_sigmoid",
        "function / numbers | infinity",
        ("1.0f / (1.0f + expf(-v))", "1.0f / 1.0f + expf(-v)"),
    ),
    # The odd one by one further.
    Wrong(
        "xxxv_sigmoid_odd_at_n",
        "xxxv_sigmoid",
        "bounds | tail / neighbour / unwritten",
        ("dst[n - 1] = ", "dst[n] = "),
        ("(src[n - 1])", "(src[n])"),
    ),
    # Threads for whole pairs only.
    Wrong(
        "xxxv_sigmoid_whole_pairs",
        "xxxv_sigmoid",
        "tail / unwritten / grid / refused | left out",
        ("pairs = (n + 1) / 2;", "pairs = n / 2;"),
    ),
    # ---- a sum of integers
    # A sum in 32 bits.
    Wrong(
        "xxxv_isum_int",
        "xxxv_isum",
        "narrow / whole range / infinity | numbers",
        ("long long mine = 0;", "int mine = 0;"),
    ),
    # The sum is in the first lane.
    Wrong(
        "xxxv_isum_last_lane",
        "xxxv_isum",
        "left out / other element / twice | numbers / race",
        ("threadIdx.x % 32 == 0", "threadIdx.x % 32 == 31"),
    ),
    # Half of the output is set.
    Wrong(
        "xxxv_isum_half_set",
        "xxxv_isum",
        "zero before / state / start / unwritten | whole range / numbers / narrow",
        ("0, sizeof(int64_t), stream", "0, sizeof(int), stream"),
    ),
    # The step forgets the threads.
    Wrong(
        "xxxv_isum_step",
        "xxxv_isum",
        "twice | numbers / grid / block size",
        ("i += int64_t(gridDim.x) * blockDim.x", "i += gridDim.x"),
    ),
    # A mask of half a warp.
    Wrong(
        "xxxv_isum_mask",
        "xxxv_isum",
        "race / refused | left out / numbers",
        ("__shfl_down_sync(0xffffffffu,", "__shfl_down_sync(0xffffu,"),
    ),
    # ---- a norm
    # The count of blocks is kept.
    Wrong(
        "xxxv_norm_count_kept",
        "xxxv_norm",
        "state | unwritten",
        ("        g_arrived = 0;\n", ""),
    ),
    # No block is ever the last one.
    Wrong(
        "xxxv_norm_never_last",
        "xxxv_norm",
        "unwritten / state | left out",
        ("before == kBlocks - 1;", "before == kBlocks;"),
    ),
    # The parts are not made visible before the count.
    Wrong(
        "xxxv_norm_no_fence",
        "xxxv_norm",
        "race | left out / state / numbers",
        ("buf[0];\n        __threadfence();\n", "buf[0];\n"),
    ),
    # ---- largest
    # The smallest positive float.
    Wrong(
        "xxxv_max_flt_min",
        "xxxv_max",
        "start | numbers",
        ("m = -INFINITY;", "m = FLT_MIN;"),
    ),
    # The second launch still has n.
    Wrong(
        "xxxv_max_second_n",
        "xxxv_max",
        "bounds | numbers",
        ("(tmp, result, blocks);", "(tmp, result, n);"),
    ),
    # Bytes of shared memory were counted as floats.
    Wrong(
        "xxxv_max_shared_bytes",
        "xxxv_max",
        "bounds",
        (
            "<<<blocks, threads, threads * sizeof(float), stream>>>",
            "<<<blocks, threads, threads, stream>>>",
        ),
    ),
    # The tree is for powers of two.
    Wrong(
        "xxxv_max_192",
        "xxxv_max",
        "left out / block size | numbers / other element",
        ("int threads = 128;", "int threads = 192;"),
    ),
    # The barrier is for some.
    Wrong(
        "xxxv_max_barrier_inside",
        "xxxv_max",
        "race | timeout / refused",
        (
            "s[t] = s[t + k];\n        }\n        __syncthreads();\n",
            "s[t] = s[t + k];\n            __syncthreads();\n        }\n",
        ),
    ),
    # ---- smallest
    # NaN is dropped.
    Wrong(
        "xxxv_min_fminf",
        "xxxv_min",
        "nan | numbers",
        ("return (a < b || a != a) ? a : b;", "return fminf(a, b);"),
    ),
    # Idle lanes have zero.
    Wrong(
        "xxxv_min_idle_zero",
        "xxxv_min",
        "start | numbers / left out",
        ("smem[lane_id] : INFINITY)", "smem[lane_id] : 0.0f)"),
    ),
    # No barrier before the first warp's turn.
    Wrong(
        "xxxv_min_no_barrier",
        "xxxv_min",
        "race | unwritten / left out / numbers",
        ("    __syncthreads();\n", ""),
    ),
    # ---- mean squared error
    # An integer quotient.
    Wrong(
        "xxxv_mse_int_quotient",
        "xxxv_mse",
        "function / copy / unwritten / left out / rounding | numbers / tail",
        ("partial[0] / n);", "partial[0] * (1 / n));"),
    ),
    # The square of the sum.
    Wrong(
        "xxxv_mse_square_last",
        "xxxv_mse",
        "function | numbers",
        ("sum += d * d;", "sum += d;"),
        ("= sum;\n", "= sum * sum;\n"),
    ),
    # One less.
    Wrong(
        "xxxv_mse_n_less_one",
        "xxxv_mse",
        "function | numbers / nan / infinity",
        ("partial[0] / n);", "partial[0] / (n - 1));"),
    ),
    # A block sets the output, perhaps after others.
    Wrong(
        "xxxv_mse_set_inside",
        "xxxv_mse",
        "race / zero before | state / numbers / start / left out",
        ("    cudaMemsetAsync(loss, 0, 4, stream);\n", ""),
        (
            "    __shared__ float partial[TPB];\n",
            "    __shared__ float partial[TPB];\n    if (blockIdx.x == 0 && threadIdx.x == 0) *loss = 0.0f;\n",
        ),
    ),
    *thirtyfifth_arrays.WRONG,
)

RIGHT = (
    # Through more bits, with an idle block at times.
    Right(
        "xxxv_ints_long",
        "xxxv_ints",
        ("a[i] + alpha * b[i];", "(int)((long long)alpha * b[i] + a[i]);"),
        ("grid_size = (n + block_size - 1) / block_size;", "grid_size = n / block_size + 1;"),
    ),
    # The last whole pack goes one by one.
    Right(
        "xxxv_axpby_strict",
        "xxxv_axpby",
        ("if (base + 8 <= n)", "if (base + 8 < n)"),
        ("threads = 64;", "threads = 96;"),
    ),
    # Read as a pack, written one by one.
    Right(
        "xxxv_cast_one_by_one",
        "xxxv_cast",
        ("            half2 *o = (half2 *)&out[i];\n", ""),
        (
            "o[0] = __floats2half2_rn(f.x, f.y);",
            "out[i] = __float2half(f.x); out[i + 1] = __float2half(f.y);",
        ),
        (
            "o[1] = __floats2half2_rn(f.z, f.w);",
            "out[i + 2] = __float2half(f.z); out[i + 3] = __float2half(f.w);",
        ),
    ),
    # All in float, which has all bytes.
    Right(
        "xxxv_bytes_float",
        "xxxv_bytes",
        (
            "const int centered = static_cast<int>(q[k]) - zero_point;",
            "const float centered = float(q[k]) - float(zero_point);",
        ),
        ("kThreads = 128;", "kThreads = 32;"),
    ),
    # A sum of two parts.
    Right(
        "xxxv_leaky_two_parts",
        "xxxv_leaky",
        (
            "        if (val > 0)\n            y[i] = val;\n        else\n            y[i] = slope * val;\n",
            "        y[i] = fmaxf(val, 0.0f) + slope * fminf(val, 0.0f);\n",
        ),
        ("<<<10, 100,", "<<<3, 352,"),
    ),
    # The formula, of a number that is not positive.
    Right(
        "xxxv_tanh_negative",
        "xxxv_tanh",
        (
            "float y = tanhf(x);",
            "float e = expm1f(-2.0f * fabsf(x));\n        float y = copysignf(-e / (e + 2.0f), x);",
        ),
    ),
    # By the sigmoid.
    Right(
        "xxxv_bias_by_sigmoid",
        "xxxv_bias",
        (
            "return 0.5f * h * (1.0f + tanhf(inner));",
            "return h / (1.0f + expf(-2.0f * inner));",
        ),
        ("bias[i % cols]", "bias[i - i / cols * cols]"),
    ),
    # A value first, and one store.
    Right(
        "xxxv_drop_value_first",
        "xxxv_drop",
        (
            "    if (mask[pos]) {\n        y[pos] = __float2half(__half2float(x[pos]) * keep_scale);\n    } else {\n        y[pos] = __float2half(0.f);\n    }\n",
            "    float kept = 0.f;\n    if (mask[pos] != 0) kept = keep_scale * __half2float(x[pos]);\n    y[pos] = __float2half(kept);\n",
        ),
    ),
    # Of the magnitude, with idle blocks.
    Right(
        "xxxv_sigmoid_exp_of_magnitude",
        "xxxv_sigmoid",
        (
            "return 1.0f / (1.0f + expf(-v));",
            "float e = expf(-fabsf(v)); return (v >= 0 ? 1.0f : e) / (1.0f + e);",
        ),
        ("<<<(pairs + 63) / 64, 64,", "<<<pairs / 64 + 2, 64,"),
    ),
    # Every lane has the sum, and the last one passes it on.
    Right(
        "xxxv_isum_xor",
        "xxxv_isum",
        (
            "__shfl_down_sync(0xffffffffu, mine, delta)",
            "__shfl_xor_sync(0xffffffffu, mine, delta)",
        ),
        ("threadIdx.x % 32 == 0", "(threadIdx.x & 31) == 31"),
    ),
    # The count goes round by itself.
    Right(
        "xxxv_norm_inc",
        "xxxv_norm",
        ("atomicAdd(&g_arrived, 1u);", "atomicInc(&g_arrived, kBlocks - 1);"),
        ("        g_arrived = 0;\n", ""),
    ),
    # Starts from the first number.
    Right(
        "xxxv_max_from_first",
        "xxxv_max",
        ("m = -INFINITY;", "m = in[0];"),
        ("int blocks = 5;", "int blocks = 40;"),
    ),
    # Sixteen warps.
    Right("xxxv_min_more_warps", "xxxv_min", ("#define WARPS 8", "#define WARPS 16")),
    # The quotient of each square.
    Right(
        "xxxv_mse_quotients",
        "xxxv_mse",
        ("sum += d * d;", "sum += d * d / n;"),
        ("partial[0] / n);", "partial[0]);"),
    ),
    *thirtyfifth_arrays.RIGHT,
)
