"""Hold a thirty-seventh family: additions, casts, activations, fused operators, sums, extremes.

Half of the bases are as students hand in in the first weeks of a course, half as juniors write
for a small library of operators. The causes were written before a member was judged. On the
emulator each member ran beside PyTorch: bases and right ones are right, and all wrong ones but
one wrong, or refused by a fault, some only so:

    xxxvii_iadd_floor             if n is no multiple of the block size
    xxxvii_iadd_grid_dim          from 3 blocks on, if fewer than a block has threads
    xxxvii_iadd_in_float          of integers past 2^24
    xxxvii_axpy_untested          if an address is no multiple of 16, from 8 elements on
    xxxvii_axpy_n_by_4            if n is 4 or more
    xxxvii_axpy_rest_of_4         if n modulo 8 is 4 or more, and the addresses are aligned
    xxxvii_axpy_rounded_twice     if the product is no bfloat16
    xxxvii_cast_rz                of numbers that no half has
    xxxvii_cast_fminf             of NaN
    xxxvii_cast_65536             of numbers from 65,520 on
    xxxvii_leaky_int_slope        if the slope is not whole
    xxxvii_leaky_larger           if the slope is above 1
    xxxvii_leaky_from_block       from 110 elements on
    xxxvii_gelu_digit             of numbers neither very small nor large
    xxxvii_gelu_own_tanh          of large positive numbers
    xxxvii_gelu_half_tanh         of negative and of small numbers
    xxxvii_gelu_one_more          if n is no multiple of 128
    xxxvii_drop_by_p              if p is not 0.5
    xxxvii_drop_times_mask        if what is dropped is infinite or NaN
    xxxvii_softplus_undivided     if beta is not 1
    xxxvii_softplus_x_threshold   between the two thresholds, if beta is not 1
    xxxvii_softplus_log           of numbers far below 0
    xxxvii_softplus_overflows     where beta times x is above 88
    xxxvii_isum_int               of large integers, from 641 elements on
    xxxvii_isum_block_step        from 129 elements on
    xxxvii_isum_last_warp         from 4 elements on
    xxxvii_norm_no_root           of vectors whose length is neither 0 nor 1
    xxxvii_norm_ticket            from the second call on
    xxxvii_norm_square_of_sum     from 2 elements on
    xxxvii_norm_from_two          from 129 elements on
    xxxvii_hdot_in_half           of sums that no half has
    xxxvii_hdot_odd_often         if n is odd
    xxxvii_fmax_flt_min           if no number is positive
    xxxvii_fmax_96                if the largest is where a tree of 96 does not look
    xxxvii_fmax_n_again           from 21 elements on
    xxxvii_fmax_no_barrier        from 33 elements on, if the largest is not in the first warp
    xxxvii_imin_zero              of positive integers only
    xxxvii_imin_leaves            if n is no multiple of 32
    xxxvii_imin_unsigned          if a negative integer is there

One is right on the emulator, and wrong by reasoning:

    xxxvii_iadd_no_stream         on every stream but the default one
"""

# ruff: noqa: E501 (a line of a kernel stands in one line)
from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family import thirtyseventh_arrays
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import whole

# A student's addition of integers, one thread an element.
IADD = (
    HEADER
    + """\
__global__ void vectorAdd(const int *A, const int *B, int *C, int64_t numElements)
{
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (i < numElements)
    {
        C[i] = A[i] + B[i];
    }
}

extern "C" void launch(const int *A /* [numElements] */, const int *B /* [numElements] */, int *C /* [numElements] */, int64_t numElements, int threadsPerBlock = 256, cudaStream_t stream = 0)
{
    int64_t blocksPerGrid = (numElements + threadsPerBlock - 1) / threadsPerBlock;
    vectorAdd<<<(unsigned int)blocksPerGrid, threadsPerBlock, 0, stream>>>(A, B, C, numElements);
}
"""
)

# A junior's y + alpha x of bfloat16, eight at a time where the addresses allow it.
AXPY = (
    HEADER
    + """\
using bf16 = __nv_bfloat16;

struct alignas(16) Vec8 {
  bf16 v[8];
};

__device__ __forceinline__ bf16 axpy_one(float alpha, bf16 x, bf16 y) {
  return __float2bfloat16(alpha * __bfloat162float(x) + __bfloat162float(y));
}

__device__ __forceinline__ bool aligned16(const void* p) { return (reinterpret_cast<uintptr_t>(p) & 15) == 0; }

__global__ void axpy_kernel(int64_t n, float alpha, const bf16* __restrict__ x, const bf16* __restrict__ y, bf16* __restrict__ z) {
  const int64_t t = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
  const int64_t total = gridDim.x * int64_t(blockDim.x);
  int64_t done = 0;
  if (aligned16(x) && aligned16(y) && aligned16(z)) {
    const int64_t packs = n / 8;
    for (int64_t p = t; p < packs; p += total) {
      const Vec8 a = reinterpret_cast<const Vec8*>(x)[p];
      const Vec8 b = reinterpret_cast<const Vec8*>(y)[p];
      Vec8 c;
#pragma unroll
      for (int k = 0; k < 8; ++k) c.v[k] = axpy_one(alpha, a.v[k], b.v[k]);
      reinterpret_cast<Vec8*>(z)[p] = c;
    }
    done = packs * 8;
  }
  for (int64_t i = done + t; i < n; i += total) z[i] = axpy_one(alpha, x[i], y[i]);
}

extern "C" void launch(int64_t n, float alpha,
                       const bf16* x,  // [n]
                       const bf16* y,  // [n]
                       bf16* z,        // [n]
                       cudaStream_t stream = 0) {
  axpy_kernel<<<6, 64, 0, stream>>>(n, alpha, x, y, z);
}
"""
)

# A junior's cast to half, which stays finite for finite numbers and for infinities.
CAST = (
    HEADER
    + """\
__global__ void cast_saturate(half* dst, const float* src, int64_t numel) {
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < numel; i += (int64_t)gridDim.x * blockDim.x) {
        float f = src[i];
        if (f > 65504.0f) f = 65504.0f;
        if (f < -65504.0f) f = -65504.0f;
        dst[i] = __float2half_rn(f);
    }
}

extern "C" void launch(half* dst /* [numel] */, const float* src /* [numel] */, int64_t numel, cudaStream_t stream = 0) {
    const int64_t need = (numel + 511) / 512;
    const int blocks = need < 132 ? (int)need : 132;
    cast_saturate<<<blocks, 512, 0, stream>>>(dst, src, numel);
}
"""
)

# A student's leaky ReLU with a loop.
LEAKY = (
    HEADER
    + """\
__global__ void leakyReLU(float *out, const float *in, float slope, int64_t len)
{
    int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t k = threadIdx.x + (int64_t)blockIdx.x * blockDim.x; k < len; k += step)
    {
        float val = in[k];
        out[k] = val > 0 ? val : slope * val;
    }
}

extern "C" void launch(const float *in /* [len] */, int64_t len, float slope, float *out /* [len] */, cudaStream_t stream = 0)
{
    leakyReLU<<<dim3(10), dim3(100), 0, stream>>>(out, in, slope, len);
}
"""
)

# A junior's GELU of halves by the hyperbolic tangent.
GELU = (
    HEADER
    + """\
#define DIV_UP(a, b) (((a) + (b) - 1) / (b))

static constexpr float kAlpha = 0.7978845608028654f;
static constexpr float kBeta = 0.044715f;

template <typename T>
__device__ T gelu_tanh(T v) {
  const float x = static_cast<float>(v);
  const float cube = x * x * x;
  const float t = tanhf(kAlpha * (x + kBeta * cube));
  return static_cast<T>(0.5f * x * (1.f + t));
}

template <typename T, int THREADS>
__global__ void gelu_fwd(int64_t n, const T* __restrict__ x, T* __restrict__ y) {
  const int64_t i = int64_t(blockIdx.x) * THREADS + threadIdx.x;
  if (i < n) y[i] = gelu_tanh(x[i]);
}

extern "C" void launch(int64_t n, const half* x /* [n] */, half* y /* [n] */, cudaStream_t stream = 0) {
  gelu_fwd<half, 128><<<(unsigned)DIV_UP(n, 128), 128, 0, stream>>>(n, x, y);
}
"""
)

# A student's way back through a sigmoid.
SIGB = (
    HEADER
    + """\
// dL/dx = dL/dy * y * (1 - y), where y = sigmoid(x)
__global__ void sigmoid_backward(const float* grad_out, const float* y, float* grad_in, int64_t N) {
    int64_t tid = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (tid >= N) return;
    float s = y[tid];
    grad_in[tid] = grad_out[tid] * s * (1.0f - s);
}

extern "C" void launch(const float* y /* [N] */, const float* grad_out /* [N] */, float* grad_in /* [N] */, int64_t N, int BLOCK = 128, cudaStream_t stream = 0) {
    int64_t GRID = N / BLOCK;
    if (N % BLOCK != 0) GRID++;
    sigmoid_backward<<<(unsigned)GRID, BLOCK, 0, stream>>>(grad_out, y, grad_in, N);
}
"""
)

# A junior's dropout with a given mask, added to a residual.
DROP = (
    HEADER
    + """\
__global__ void dropout_add(const half* __restrict__ inp, const uint8_t* __restrict__ keep, const half* __restrict__ residual,
                            half* __restrict__ out, float scale, int64_t total) {
    const int64_t idx = threadIdx.x + blockIdx.x * static_cast<int64_t>(blockDim.x);
    if (idx < total) {
        const float dropped = keep[idx] ? __half2float(inp[idx]) * scale : 0.0f;
        out[idx] = __float2half(dropped + __half2float(residual[idx]));
    }
}

extern "C" void launch(const half* inp,       // [total]
                       const half* residual,  // [total]
                       const uint8_t* keep,   // [total]
                       half* out,             // [total]
                       float p, int64_t total, cudaStream_t stream = 0) {
    const float scale = 1.0f / (1.0f - p);
    const int threads = 256;
    const int64_t blocks = (total + threads - 1) / threads;
    dropout_add<<<static_cast<unsigned>(blocks), threads, 0, stream>>>(inp, keep, residual, out, scale, total);
}
"""
)

# A junior's softplus with PyTorch's beta and threshold.
SOFTPLUS = (
    HEADER
    + """\
namespace ops {

struct Softplus {
    float beta, threshold;
    __device__ float operator()(float x) const {
        const float z = beta * x;
        return z > threshold ? x : log1pf(expf(z)) / beta;
    }
};

template <class F>
__global__ void map(F f, const float* src, float* dst, int64_t n) {
    const int64_t first = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (int64_t i = first; i < n; i += (int64_t)blockDim.x * gridDim.x) dst[i] = f(src[i]);
}

}  // namespace ops

extern "C" void launch(const float* src, float* dst, int64_t n, float beta, float threshold, int block_size = 256, cudaStream_t stream = 0) {
    const int64_t blocks = (n + block_size - 1) / block_size;
    ops::map<<<(unsigned)(blocks > 8 ? 8 : blocks), block_size, 0, stream>>>(ops::Softplus{beta, threshold}, src, dst, n);
}
"""
)

# A student's sum of integers in 64 bits: a loop, a tree, one atomic addition a block.
ISUM = (
    HEADER
    + """\
#define N_THREADS 128

__global__ void sum_kernel(const int* in, unsigned long long* total, int64_t size) {
    __shared__ long long buf[N_THREADS];
    int t = threadIdx.x;

    long long local = 0;
    for (int64_t i = (int64_t)blockIdx.x * N_THREADS + t; i < size; i += (int64_t)N_THREADS * gridDim.x)
        local += in[i];
    buf[t] = local;
    __syncthreads();

    for (int half_size = N_THREADS / 2; half_size >= 1; half_size /= 2) {
        if (t < half_size) {
            buf[t] += buf[t + half_size];
        }
        __syncthreads();
    }

    if (t == 0) atomicAdd(total, (unsigned long long)buf[0]);
}

extern "C" void launch(int64_t* total /* [1] */, const int* in /* [size] */, int64_t size, cudaStream_t stream = 0) {
    cudaMemsetAsync(total, 0, sizeof(int64_t), stream);
    sum_kernel<<<5, N_THREADS, 0, stream>>>(in, (unsigned long long*)total, size);
}
"""
)

# A junior's length of a vector: the last block to finish adds the blocks' sums.
NORM = (
    HEADER
    + """\
constexpr int kThreads = 256;
constexpr int kMaxBlocks = 48;

__device__ float g_partial[kMaxBlocks];
__device__ unsigned int g_ticket = 0;

__device__ float block_sum(float v) {
  __shared__ float per_warp[kThreads / 32];
  for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffffu, v, d);
  if ((threadIdx.x & 31) == 0) per_warp[threadIdx.x >> 5] = v;
  __syncthreads();
  v = threadIdx.x < kThreads / 32 ? per_warp[threadIdx.x] : 0.f;
  if (threadIdx.x < 32) {
    for (int d = 4; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffffu, v, d);
  }
  __syncthreads();
  return v;
}

__global__ void l2_norm(const float* __restrict__ x, float* __restrict__ norm, int64_t n) {
  __shared__ bool am_last;
  float acc = 0.f;
  for (int64_t i = int64_t(blockIdx.x) * kThreads + threadIdx.x; i < n; i += int64_t(gridDim.x) * kThreads) acc += x[i] * x[i];
  acc = block_sum(acc);
  if (threadIdx.x == 0) {
    g_partial[blockIdx.x] = acc;
    __threadfence();
    am_last = atomicAdd(&g_ticket, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!am_last) return;
  __threadfence();
  acc = 0.f;
  for (int b = threadIdx.x; b < gridDim.x; b += kThreads) acc += reinterpret_cast<volatile float*>(g_partial)[b];
  acc = block_sum(acc);
  if (threadIdx.x == 0) {
    *norm = sqrtf(acc);
    g_ticket = 0;
  }
}

extern "C" void launch(const float* x /* [n] */, int64_t n, float* norm /* [1] */, cudaStream_t stream = 0) {
  const int64_t wanted = (n + kThreads - 1) / kThreads;
  const int blocks = wanted < kMaxBlocks ? int(wanted) : kMaxBlocks;
  l2_norm<<<blocks, kThreads, 0, stream>>>(x, norm, n);
}
"""
)

# A junior's dot product of halves, a pair at a time.
HDOT = (
    HEADER
    + """\
__global__ void hdot(const half2* __restrict__ a, const half2* __restrict__ b, int64_t n, float* __restrict__ dot) {
    const int64_t n2 = n / 2;
    const int64_t me = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    float s = 0.0f;
    for (int64_t j = me; j < n2; j += static_cast<int64_t>(blockDim.x) * gridDim.x) {
        const float2 u = __half22float2(a[j]);
        const float2 w = __half22float2(b[j]);
        s += u.x * w.x + u.y * w.y;
    }
    if ((n & 1) && me == 0) {
        s += __half2float(reinterpret_cast<const half*>(a)[n - 1]) * __half2float(reinterpret_cast<const half*>(b)[n - 1]);
    }
    for (int lanes = warpSize / 2; lanes > 0; lanes /= 2) s += __shfl_xor_sync(~0u, s, lanes);
    if (threadIdx.x % warpSize == 0) atomicAdd(dot, s);
}

extern "C" void launch(const half* a,  // [n] 4-byte aligned
                       const half* b,  // [n] 4-byte aligned
                       float* dot,     // [1]
                       int64_t n, cudaStream_t stream = 0) {
    cudaMemsetAsync(dot, 0, sizeof(*dot), stream);
    hdot<<<4, 192, 0, stream>>>(reinterpret_cast<const half2*>(a), reinterpret_cast<const half2*>(b), n, dot);
}
"""
)

# A student's largest element: the same kernel for the array and for the blocks' results.
FMAX = (
    HEADER
    + """\
__global__ void reduceMax(const float *d_in, float *d_out, int64_t n)
{
    extern __shared__ float sh[];
    float best = -INFINITY;
    for (int64_t i = threadIdx.x + (int64_t)blockIdx.x * blockDim.x; i < n; i += (int64_t)blockDim.x * gridDim.x)
        if (d_in[i] > best) best = d_in[i];
    sh[threadIdx.x] = best;
    __syncthreads();
    for (int stride = blockDim.x >> 1; stride > 0; stride >>= 1)
    {
        if (threadIdx.x < stride)
            sh[threadIdx.x] = fmaxf(sh[threadIdx.x], sh[threadIdx.x + stride]);
        __syncthreads();
    }
    if (threadIdx.x == 0)
        d_out[blockIdx.x] = sh[0];
}

extern "C" void launch(const float *d_in /* [n] */, float *d_out /* [1] */, int64_t n, cudaStream_t stream = 0)
{
    const int threads = 64;
    const int blocks = 20;
    float *d_tmp;
    cudaMallocAsync(&d_tmp, blocks * sizeof(float), stream);
    reduceMax<<<blocks, threads, threads * sizeof(float), stream>>>(d_in, d_tmp, n);
    reduceMax<<<1, threads, threads * sizeof(float), stream>>>(d_tmp, d_out, blocks);
    cudaFreeAsync(d_tmp, stream);
}
"""
)

# A junior's smallest of short integers, by warps and atomic operations.
IMIN = (
    HEADER
    + """\
#include <climits>

__global__ void min_i16(const int16_t* __restrict__ values, int64_t count, int* __restrict__ result) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  int m = INT_MAX;
  if (i < count) m = values[i];
#pragma unroll
  for (int k = 16; k != 0; k >>= 1) m = min(m, __shfl_down_sync(0xffffffff, m, k));
  if ((threadIdx.x & 31) == 0) atomicMin(result, m);
}

extern "C" void launch(int* result,            // [1]
                       const int16_t* values,  // [count]
                       int64_t count, cudaStream_t stream = 0) {
  cudaMemsetAsync(result, 0x7f, sizeof(int), stream);  // larger than any short
  const unsigned blocks = static_cast<unsigned>((count + 223) / 224);
  min_i16<<<blocks, 224, 0, stream>>>(values, count, result);
}
"""
)


def sums_of_integers(launcher: Launcher) -> Iterator[Case]:
    """Add small and large integers, whose sums have 32 bits."""
    for n in (1, 2, 31, 255, 256, 257, 1000, 3001):
        a, b = whole(-(2**30), 2**30, n, n), whole(-(2**30), 2**30, n, n + 1)
        for block_size in (256, 96):
            for label, x, y in (("large", a, b), ("small", a % 1000, b % 1000 - 500)):
                scalars = {"threadsPerBlock": block_size}
                words = f"numElements = {n:,}, {scalars}, {label}"
                right = ((x + y).double(),)
                yield Case(words, (x.int(), y.int()), right, scalars, dtypes=(torch.int32,))


def scaled_sums(launcher: Launcher) -> Iterator[Case]:
    """Add scaled bfloat16, aligned and not: exact in float, so that only one is right."""
    for n in (1, 2, 7, 8, 9, 31, 384, 1000, 3077):
        x, y = whole(-250, 251, n, n).bfloat16(), whole(-250, 251, n, n + 1).bfloat16()
        for alpha in (1.0, -2.5, 0.125, 1.015625):
            right = (alpha * x.double() + y.double()).bfloat16().double()
            for offset in (0, 1) if n > 8 else (0,):
                words = f"n = {n:,}, alpha = {alpha}, from element {offset}"
                options = {"dtypes": (torch.bfloat16,), "offset": offset}
                yield Case(words, (x, y), (right,), {"alpha": alpha}, **options)


def casts(launcher: Launcher) -> Iterator[Case]:
    """Cast usual, tiny and too large numbers, ties, infinities and NaN."""
    strange = (float("inf"), float("-inf"), float("nan"), 65519.0, 65520.0, -65536.0, 1e30)
    for n in (1, 2, 31, 512, 513, 1000, 3001):
        x = whole(-(2**20), 2**20, n, n).float()
        special = torch.tensor([strange[k % len(strange)] for k in range(n)])
        for label, y in (
            ("usual", x / 1024),
            ("large", x / 4),
            ("tiny", x / 2**38),
            ("ties", (x % 512) + 2048.5),
            ("strange", special),
        ):
            right = y.clamp(-65504, 65504).half().double()
            yield Case(f"numel = {n:,}, {label}", (y,), (right,), dtypes=(torch.float16,))


def leaks(launcher: Launcher) -> Iterator[Case]:
    """Take usual and large numbers with slopes below and above 1."""
    for n in (1, 2, 31, 100, 101, 999, 1000, 1001, 3001):
        x = whole(-1000, 1001, n, n).float() / 8
        for slope in (0.25, 0.0, 0.01, 1.5, -0.5):
            for label, y in (("usual", x), ("large", x * 1e30)):
                product = y * torch.tensor(slope)
                right = torch.where(y > 0, y, product).double()
                words = f"len = {n:,}, slope = {slope}, {label}"
                yield Case(words, (y,), (right,), {"slope": slope}, dtypes=(torch.float32,))


def gelus(launcher: Launcher) -> Iterator[Case]:
    """Apply GELU to usual, small and large numbers."""
    for n in (1, 2, 31, 128, 129, 1000, 3001):
        x = whole(-1000, 1001, n, n).float() / 250
        for label, factor in (("usual", 1), ("small", 1 / 64), ("large", 15), ("huge", 4000)):
            y = (x * factor).half()
            right = torch.nn.functional.gelu(y.double(), approximate="tanh")
            options = {
                "dtypes": (torch.float16,),
                "ulp": 1,
                "within": (2.0**-21 * y.double().abs(),),
            }
            yield Case(f"n = {n:,}, {label}", (y,), (right,), **options)


def slopes(launcher: Launcher) -> Iterator[Case]:
    """Go back through a sigmoid, in its middle and at its ends."""
    for n in (1, 2, 31, 128, 129, 1000, 3001):
        x, grad = whole(-800, 801, n, n).float() / 100, whole(-99, 100, n, n + 1).float() / 8
        for block_size in (128, 256):
            for label, s in (
                ("usual", torch.sigmoid(x)),
                ("small", torch.sigmoid(x - 12)),
                ("ends", (x > 0).float()),
            ):
                right = grad.double() * s.double() * (1 - s.double())
                words = f"N = {n:,}, BLOCK = {block_size}, {label}"
                options = {"dtypes": (torch.float32,), "ulp": 3}
                yield Case(words, (s, grad), (right,), {"BLOCK": block_size}, **options)


def drops(launcher: Launcher) -> Iterator[Case]:
    """Drop some, all or none of the elements, also infinite ones."""
    for n in (1, 2, 31, 256, 257, 1000, 3001):
        x, rest = (whole(-400, 401, n, n + k).float().half() / 8 for k in range(2))
        mask = whole(0, 2, n, n + 2)
        infinite = torch.where(mask > 0, x, torch.full_like(x, float("inf")))
        for p in (0.5, 0.0, 0.75, 0.875):
            for label, y, keep in (
                ("some", x, mask),
                ("all", x, mask * 0 + 1),
                ("none", x, mask * 0),
                ("infinite ones", infinite, mask),
            ):
                scaled = torch.where(keep > 0, y.double() / (1 - p), 0.0)
                right = (scaled + rest.double()).half().double()
                words = f"total = {n:,}, p = {p}, {label} kept"
                inputs = (y, rest, keep.to(torch.uint8))
                yield Case(words, inputs, (right,), {"p": p}, dtypes=(torch.float16,))


def softplus(launcher: Launcher) -> Iterator[Case]:
    """Take numbers about 0, far below and far above, with several betas and thresholds."""
    for n in (1, 2, 31, 256, 257, 1000, 3001):
        x = whole(-1000, 1001, n, n).float() / 64
        for beta, threshold in ((1.0, 20.0), (0.25, 20.0), (4.0, 20.0), (2.0, 8.0)):
            for label, y in (("usual", x), ("negative", -x.abs() - 1), ("large", x * 60)):
                right = torch.nn.functional.softplus(y.double(), beta, threshold)
                # Where beta x is below the threshold, its rounding is that of the exponent.
                slack = 2.0**-22 * (1 + (beta * y.double()).abs()) * right
                options = {"dtypes": (torch.float32,), "ulp": 4, "within": (slack + 1e-37,)}
                scalars = {"beta": beta, "threshold": threshold}
                yield Case(f"n = {n:,}, {scalars}, {label}", (y,), (right,), scalars, **options)


def long_totals(launcher: Launcher) -> Iterator[Case]:
    """Add small and large integers: all sums are exact."""
    for n in (1, 2, 31, 33, 128, 129, 640, 641, 3001):
        x = whole(-(2**31), 2**31, n, n)
        for label, y in (("any", x), ("large", x.abs() // 4 + 2**30), ("small", x % 100 - 30)):
            right = (y.sum().double().reshape(1),)
            yield Case(f"size = {n:,}, {label}", (y.int(),), right, dtypes=(torch.int64,))


def lengths(launcher: Launcher) -> Iterator[Case]:
    """Take the length of vectors of small whole numbers: the sums of squares are exact."""
    for n in (1, 2, 31, 33, 256, 257, 1000, 8001, 12_289):
        x = whole(-20, 21, n, n).float()
        for label, y in (("any", x), ("positive", x.abs() + 1), ("quarters", x / 4)):
            right = (y.double().square().sum().sqrt().reshape(1),)
            yield Case(f"n = {n:,}, {label}", (y,), right, dtypes=(torch.float32,), ulp=1)


def dots(launcher: Launcher) -> Iterator[Case]:
    """Multiply and add halves: all is exact."""
    for n in (1, 2, 3, 31, 64, 65, 383, 384, 1537, 5001):
        a, b = whole(-50, 51, n, n).float(), whole(-50, 51, n, n + 1).float()
        for label, x, y in (("any", a, b), ("positive", a.abs() + 1, b.abs() + 1)):
            right = ((x.double() * y.double()).sum().reshape(1),)
            inputs = (x.half(), y.half())
            yield Case(f"n = {n:,}, {label}", inputs, right, dtypes=(torch.float32,))


def largest(launcher: Launcher) -> Iterator[Case]:
    """Find the largest of mixed, negative, rising and falling numbers, and of infinities."""
    for n in (1, 2, 31, 64, 65, 1279, 1280, 1281, 5001):
        x = whole(-(10**6), 10**6, n, n).float() / 16
        for label, y in (
            ("any", x),
            ("negative", -x.abs() - 1),
            ("rising", x.sort()[0]),
            ("falling", x.sort(descending=True)[0]),
            ("minus infinity", x * 0 - float("inf")),
        ):
            right = (y.double().max().reshape(1),)
            yield Case(f"n = {n:,}, {label}", (y,), right, dtypes=(torch.float32,))


def smallest(launcher: Launcher) -> Iterator[Case]:
    """Find the smallest of mixed, positive, rising and falling short integers."""
    for n in (1, 2, 31, 33, 223, 224, 225, 1000, 3001):
        x = whole(-(2**15), 2**15, n, n)
        for label, y in (
            ("any", x),
            ("positive", x.abs() // 2 + 1),
            ("rising", x.sort()[0]),
            ("falling", x.sort(descending=True)[0]),
        ):
            right = (y.min().double().reshape(1),)
            yield Case(f"count = {n:,}, {label}", (y.short(),), right, dtypes=(torch.int32,))


BASES = {
    "xxxvii_iadd": Base(IADD, {"cases": sums_of_integers}),
    "xxxvii_axpy": Base(AXPY, {"cases": scaled_sums}),
    "xxxvii_cast": Base(CAST, {"cases": casts}),
    "xxxvii_leaky": Base(LEAKY, {"cases": leaks}),
    "xxxvii_gelu": Base(GELU, {"cases": gelus}),
    "xxxvii_sigb": Base(SIGB, {"cases": slopes}),
    "xxxvii_drop": Base(DROP, {"cases": drops}),
    "xxxvii_softplus": Base(SOFTPLUS, {"cases": softplus}),
    "xxxvii_isum": Base(ISUM, {"cases": long_totals}),
    "xxxvii_norm": Base(NORM, {"cases": lengths}),
    "xxxvii_hdot": Base(HDOT, {"cases": dots}),
    "xxxvii_fmax": Base(FMAX, {"cases": largest}),
    "xxxvii_imin": Base(IMIN, {"cases": smallest}),
    **thirtyseventh_arrays.BASES,
}

WRONG = (
    # ---- addition of integers
    # The number of blocks is rounded down.
    Wrong(
        "xxxvii_iadd_floor",
        "xxxvii_iadd",
        "tail / unwritten / grid / refused | left out",
        (
            "(numElements + threadsPerBlock - 1) / threadsPerBlock;",
            "numElements / threadsPerBlock;",
        ),
    ),
    # The number of blocks in place of their size.
    Wrong(
        "xxxvii_iadd_grid_dim",
        "xxxvii_iadd",
        "block size / unwritten / left out | tail / race / grid / twice / other element",
        ("(int64_t)blockIdx.x * blockDim.x", "(int64_t)blockIdx.x * gridDim.x"),
    ),
    # Added in float.
    Wrong(
        "xxxvii_iadd_in_float",
        "xxxvii_iadd",
        "precision / rounding | numbers / whole range / narrow",
        ("A[i] + B[i];", "(float)A[i] + (float)B[i];"),
    ),
    # The stream is not handed on.
    Wrong(
        "xxxvii_iadd_no_stream",
        "xxxvii_iadd",
        "stream",
        ("threadsPerBlock, 0, stream>>>", "threadsPerBlock>>>"),
    ),
    # ---- y + alpha x
    # The length is tested, not the addresses.
    Wrong(
        "xxxvii_axpy_untested",
        "xxxvii_axpy",
        "alignment",
        ("aligned16(x) && aligned16(y) && aligned16(z)", "n >= 8"),
    ),
    # Packs of four are counted.
    Wrong(
        "xxxvii_axpy_n_by_4",
        "xxxvii_axpy",
        "bounds | tail",
        ("packs = n / 8;", "packs = n / 4;"),
    ),
    # The rest is at most three elements.
    Wrong(
        "xxxvii_axpy_rest_of_4",
        "xxxvii_axpy",
        "tail / unwritten | left out",
        ("done = packs * 8;", "done = n - n % 4;"),
    ),
    # The product is rounded to bfloat16.
    Wrong(
        "xxxvii_axpy_rounded_twice",
        "xxxvii_axpy",
        "rounding / precision | numbers",
        (
            "__float2bfloat16(alpha * __bfloat162float(x) + __bfloat162float(y));",
            "__hadd(__float2bfloat16(alpha * __bfloat162float(x)), y);",
        ),
    ),
    # ---- cast
    # Toward zero.
    Wrong(
        "xxxvii_cast_rz",
        "xxxvii_cast",
        "rounding | numbers",
        ("__float2half_rn(f)", "__float2half_rz(f)"),
    ),
    # The limits by functions that drop NaN.
    Wrong(
        "xxxvii_cast_fminf",
        "xxxvii_cast",
        "nan | infinity / numbers / whole range",
        (
            "        if (f > 65504.0f) f = 65504.0f;\n        if (f < -65504.0f) f = -65504.0f;\n",
            "        f = fminf(fmaxf(f, -65504.0f), 65504.0f);\n",
        ),
    ),
    # The limits of another type.
    Wrong(
        "xxxvii_cast_65536",
        "xxxvii_cast",
        "infinity / whole range | numbers",
        ("(f > 65504.0f) f = 65504.0f;", "(f > 65536.0f) f = 65536.0f;"),
        ("(f < -65504.0f) f = -65504.0f;", "(f < -65536.0f) f = -65536.0f;"),
    ),
    # ---- leaky ReLU
    # The slope as an integer.
    Wrong(
        "xxxvii_leaky_int_slope",
        "xxxvii_leaky",
        "rounding / left out / function / narrow / precision / whole range | numbers",
        (
            "float *out, const float *in, float slope,",
            "float *out, const float *in, int slope,",
        ),
    ),
    # The larger one, which needs a slope below one.
    Wrong(
        "xxxvii_leaky_larger",
        "xxxvii_leaky",
        "function / numbers | swapped / sign of zero",
        ("val > 0 ? val : slope * val;", "fmaxf(val, slope * val);"),
    ),
    # The block's number is not multiplied by its size.
    Wrong(
        "xxxvii_leaky_from_block",
        "xxxvii_leaky",
        "unwritten / left out / tail / other element | race / twice / block size",
        (
            "threadIdx.x + (int64_t)blockIdx.x * blockDim.x;",
            "threadIdx.x + (int64_t)blockIdx.x;",
        ),
    ),
    # ---- GELU by tanh
    # A digit slipped.
    Wrong(
        "xxxvii_gelu_digit",
        "xxxvii_gelu",
        "function / numbers | precision",
        ("0.044715f", "0.44715f"),
    ),
    # The hyperbolic tangent by a quotient that overflows.
    Wrong(
        "xxxvii_gelu_own_tanh",
        "xxxvii_gelu",
        "nan / infinity | numbers",
        (
            "  const float t = tanhf(kAlpha * (x + kBeta * cube));\n",
            "  const float e = expf(2.f * kAlpha * (x + kBeta * cube));\n  const float t = (e - 1.f) / (e + 1.f);\n",
        ),
    ),
    # The tangent in half.
    Wrong(
        "xxxvii_gelu_half_tanh",
        "xxxvii_gelu",
        "precision / rounding / narrow | numbers / function",
        (
            "const float t = tanhf(kAlpha * (x + kBeta * cube));",
            "const T t = static_cast<T>(tanhf(kAlpha * (x + kBeta * cube)));",
        ),
        ("(1.f + t)", "(1.f + static_cast<float>(t))"),
    ),
    # A bound that lets one thread more pass.
    Wrong(
        "xxxvii_gelu_one_more",
        "xxxvii_gelu",
        "bounds | tail",
        ("if (i < n) y", "if (i > n) return;\n  y"),
    ),
    # ---- sigmoid, backwards
    # No parentheses.
    Wrong(
        "xxxvii_sigb_no_parentheses",
        "xxxvii_sigb",
        "function / numbers | precision",
        ("* s * (1.0f - s);", "* s * 1.0f - s;"),
    ),
    # In the launcher's order, not the kernel's.
    Wrong(
        "xxxvii_sigb_swapped",
        "xxxvii_sigb",
        "swapped / function | numbers",
        ("(grad_out, y, grad_in, N);\n}", "(y, grad_out, grad_in, N);\n}"),
    ),
    # Added to what is there, as a framework's backward does.
    Wrong(
        "xxxvii_sigb_accumulates",
        "xxxvii_sigb",
        "zero before / state | numbers",
        ("grad_in[tid] = ", "grad_in[tid] += "),
    ),
    # 1 - y is kept in y.
    Wrong(
        "xxxvii_sigb_overwrites",
        "xxxvii_sigb",
        "input",
        (
            "    grad_in[tid] = grad_out[tid] * s * (1.0f - s);\n",
            "    float* rest = const_cast<float*>(y);\n    rest[tid] = 1.0f - s;\n    grad_in[tid] = grad_out[tid] * s * rest[tid];\n",
        ),
    ),
    # ---- dropout
    # The scale is that of what is dropped.
    Wrong(
        "xxxvii_drop_by_p",
        "xxxvii_drop",
        "function / infinity / nan | numbers",
        ("1.0f / (1.0f - p)", "1.0f / p"),
    ),
    # Multiplied by the mask.
    Wrong(
        "xxxvii_drop_times_mask",
        "xxxvii_drop",
        "nan / infinity | numbers",
        (
            "keep[idx] ? __half2float(inp[idx]) * scale : 0.0f;",
            "__half2float(inp[idx]) * scale * keep[idx];",
        ),
    ),
    # The residual is dropped, too.
    Wrong(
        "xxxvii_drop_residual",
        "xxxvii_drop",
        "left out / function / numbers | copy",
        (
            "__half2float(inp[idx]) * scale : 0.0f;",
            "__half2float(inp[idx]) * scale + __half2float(residual[idx]) : 0.0f;",
        ),
        ("__float2half(dropped + __half2float(residual[idx]))", "__float2half(dropped)"),
    ),
    # ---- softplus
    # Not divided by beta.
    Wrong(
        "xxxvii_softplus_undivided",
        "xxxvii_softplus",
        "function / left out | numbers",
        ("log1pf(expf(z)) / beta;", "log1pf(expf(z));"),
    ),
    # The threshold is for x.
    Wrong(
        "xxxvii_softplus_x_threshold",
        "xxxvii_softplus",
        "function / numbers | precision / left out",
        ("z > threshold", "x > threshold"),
    ),
    # The logarithm of nearly one.
    Wrong(
        "xxxvii_softplus_log",
        "xxxvii_softplus",
        "precision / rounding | numbers / function",
        ("log1pf(expf(z))", "logf(1.0f + expf(z))"),
    ),
    # No threshold.
    Wrong(
        "xxxvii_softplus_overflows",
        "xxxvii_softplus",
        "infinity | numbers / function / left out",
        ("z > threshold ? x : log1pf(expf(z)) / beta;", "log1pf(expf(z)) / beta;"),
    ),
    # ---- a sum of integers
    # Each thread's sum has 32 bits.
    Wrong(
        "xxxvii_isum_int",
        "xxxvii_isum",
        "narrow / whole range / infinity | numbers",
        ("long long local = 0;", "int local = 0;"),
    ),
    # The step is one block.
    Wrong(
        "xxxvii_isum_block_step",
        "xxxvii_isum",
        "twice | numbers / function",
        ("i += (int64_t)N_THREADS * gridDim.x)", "i += (int64_t)N_THREADS)"),
    ),
    # The last warp without barriers.
    Wrong(
        "xxxvii_isum_last_warp",
        "xxxvii_isum",
        "race | left out / numbers",
        (
            "        __syncthreads();\n    }\n",
            "        if (half_size > 32) __syncthreads();\n    }\n",
        ),
    ),
    # The barrier is where only some threads come.
    Wrong(
        "xxxvii_isum_barrier_inside",
        "xxxvii_isum",
        "race | timeout / left out",
        (
            "            buf[t] += buf[t + half_size];\n        }\n        __syncthreads();\n",
            "            buf[t] += buf[t + half_size];\n            __syncthreads();\n        }\n",
        ),
    ),
    # ---- a length
    # The root is forgotten.
    Wrong(
        "xxxvii_norm_no_root",
        "xxxvii_norm",
        "function / left out | numbers",
        ("*norm = sqrtf(acc);", "*norm = acc;"),
    ),
    # The ticket is not set back.
    Wrong(
        "xxxvii_norm_ticket",
        "xxxvii_norm",
        "state | unwritten / left out",
        ("    g_ticket = 0;\n", ""),
    ),
    # The squares of the blocks' sums.
    Wrong(
        "xxxvii_norm_square_of_sum",
        "xxxvii_norm",
        "function / numbers",
        (
            "acc += x[i] * x[i];\n  acc = block_sum(acc);",
            "acc += x[i];\n  acc = block_sum(acc);\n  acc *= acc;",
        ),
    ),
    # Room for four warps.
    Wrong(
        "xxxvii_norm_four_warps",
        "xxxvii_norm",
        "bounds | race / left out / numbers",
        ("per_warp[kThreads / 32];", "per_warp[4];"),
    ),
    # The warps' sums by shuffles of two and one.
    Wrong(
        "xxxvii_norm_from_two",
        "xxxvii_norm",
        "left out | numbers",
        ("int d = 4; d > 0;", "int d = 2; d > 0;"),
    ),
    # ---- a dot product of halves
    # Added in half.
    Wrong(
        "xxxvii_hdot_in_half",
        "xxxvii_hdot",
        "precision / rounding / narrow / infinity | numbers",
        ("float s = 0.0f;", "half2 h = __float2half2_rn(0.0f);"),
        (
            "        const float2 u = __half22float2(a[j]);\n        const float2 w = __half22float2(b[j]);\n        s += u.x * w.x + u.y * w.y;\n    }\n",
            "        h = __hfma2(a[j], b[j], h);\n    }\n    float s = __low2float(h) + __high2float(h);\n",
        ),
    ),
    # The odd one is added by each block.
    Wrong(
        "xxxvii_hdot_odd_often",
        "xxxvii_hdot",
        "twice | tail / numbers",
        ("(n & 1) && me == 0", "(n & 1) && threadIdx.x == 0"),
    ),
    # Every lane adds.
    Wrong(
        "xxxvii_hdot_every_lane",
        "xxxvii_hdot",
        "twice / function | numbers",
        ("if (threadIdx.x % warpSize == 0) atomicAdd", "atomicAdd"),
    ),
    # ---- a largest element
    # The smallest positive number.
    Wrong(
        "xxxvii_fmax_flt_min",
        "xxxvii_fmax",
        "start | numbers",
        ("float best = -INFINITY;", "float best = FLT_MIN;"),
    ),
    # Bytes and elements.
    Wrong(
        "xxxvii_fmax_shared_bytes",
        "xxxvii_fmax",
        "bounds",
        (
            "<<<blocks, threads, threads * sizeof(float), stream>>>",
            "<<<blocks, threads, threads, stream>>>",
        ),
    ),
    # Blocks that are no power of two.
    Wrong(
        "xxxvii_fmax_96",
        "xxxvii_fmax",
        "left out | numbers / block size",
        ("threads = 64;", "threads = 96;"),
    ),
    # The second launch takes the length of the array.
    Wrong(
        "xxxvii_fmax_n_again",
        "xxxvii_fmax",
        "bounds | unwritten / numbers",
        ("(d_tmp, d_out, blocks);", "(d_tmp, d_out, n);"),
    ),
    # No barrier before the tree.
    Wrong(
        "xxxvii_fmax_no_barrier",
        "xxxvii_fmax",
        "race | left out / numbers / unwritten",
        ("= best;\n    __syncthreads();\n", "= best;\n"),
    ),
    # ---- a smallest element
    # It starts with zero.
    Wrong(
        "xxxvii_imin_zero",
        "xxxvii_imin",
        "start | numbers",
        ("(result, 0x7f, sizeof(int), stream);", "(result, 0, sizeof(int), stream);"),
    ),
    # Threads past the end leave before the shuffles.
    Wrong(
        "xxxvii_imin_leaves",
        "xxxvii_imin",
        "race | left out / tail / numbers",
        ("  if (i < count) m = values[i];\n", "  if (i >= count) return;\n  m = values[i];\n"),
    ),
    # Without a sign.
    Wrong(
        "xxxvii_imin_unsigned",
        "xxxvii_imin",
        "whole range / function / numbers / narrow",
        ("m = values[i];", "m = static_cast<uint16_t>(values[i]);"),
    ),
    *thirtyseventh_arrays.WRONG,
)

RIGHT = (
    # Idle blocks, and a sum without a sign.
    Right(
        "xxxvii_iadd_idle",
        "xxxvii_iadd",
        (
            "(numElements + threadsPerBlock - 1) / threadsPerBlock;",
            "numElements / threadsPerBlock + 3;",
        ),
        ("A[i] + B[i];", "(int)((unsigned)A[i] + (unsigned)B[i]);"),
    ),
    # One thread does the rest.
    Right(
        "xxxvii_axpy_one_rest",
        "xxxvii_axpy",
        (
            "int64_t i = done + t; i < n; i += total)",
            "int64_t i = n - 1 - t; i >= done; i -= total)",
        ),
        ("<<<6, 64,", "<<<3, 40,"),
    ),
    # By the magnitude.
    Right(
        "xxxvii_cast_copysign",
        "xxxvii_cast",
        (
            "        if (f > 65504.0f) f = 65504.0f;\n        if (f < -65504.0f) f = -65504.0f;\n",
            "        if (fabsf(f) > 65504.0f) f = copysignf(65504.0f, f);\n",
        ),
        ("(numel + 511) / 512;", "numel / 100 + 1;"),
    ),
    # By the sigmoid of twice the argument.
    Right(
        "xxxvii_gelu_by_sigmoid",
        "xxxvii_gelu",
        ("tanhf(kAlpha * (x + kBeta * cube))", "kAlpha * (x + kBeta * cube)"),
        ("0.5f * x * (1.f + t)", "x / (1.f + expf(-2.f * t))"),
    ),
    # Of one factor less.
    Right(
        "xxxvii_sigb_fma",
        "xxxvii_sigb",
        ("* s * (1.0f - s);", "* fmaf(-s, s, s);"),
        (
            "int64_t tid = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;",
            "uint64_t tid = (uint64_t)blockIdx.x * blockDim.x + (blockDim.x - 1 - threadIdx.x);",
        ),
    ),
    # Divided by what is kept.
    Right(
        "xxxvii_drop_divides",
        "xxxvii_drop",
        ("1.0f / (1.0f - p)", "1.0f - p"),
        ("(inp[idx]) * scale", "(inp[idx]) / scale"),
        ("threads = 256;", "threads = 33;"),
    ),
    # The larger part outside.
    Right(
        "xxxvii_softplus_larger",
        "xxxvii_softplus",
        ("log1pf(expf(z)) / beta;", "fmaxf(x, 0.0f) + log1pf(expf(-fabsf(z))) / beta;"),
        ("blocks > 8 ? 8 : blocks", "blocks > 2 ? 2 : blocks"),
    ),
    # Every thread adds its own sum.
    Right(
        "xxxvii_isum_each_adds",
        "xxxvii_isum",
        (
            "    buf[t] = local;\n",
            "    atomicAdd(total, (unsigned long long)local);\n    buf[t] = 0;\n",
        ),
        ("    if (t == 0) atomicAdd(total, (unsigned long long)buf[0]);\n", ""),
    ),
    # One thread adds the partial sums, in double.
    Right(
        "xxxvii_norm_one_adds",
        "xxxvii_norm",
        (
            "  acc = 0.f;\n  for (int b = threadIdx.x; b < gridDim.x; b += kThreads) acc += reinterpret_cast<volatile float*>(g_partial)[b];\n  acc = block_sum(acc);\n  if (threadIdx.x == 0) {\n    *norm = sqrtf(acc);\n",
            "  if (threadIdx.x == 0) {\n    double all = 0.0;\n    for (unsigned b = gridDim.x; b-- > 0;) all += reinterpret_cast<volatile float*>(g_partial)[b];\n    *norm = (float)sqrt(all);\n",
        ),
    ),
    # Fused steps, and the odd one by the last thread.
    Right(
        "xxxvii_hdot_last_thread",
        "xxxvii_hdot",
        ("s += u.x * w.x + u.y * w.y;", "s = fmaf(u.y, w.y, fmaf(u.x, w.x, s));"),
        ("me == 0)", "me == static_cast<int64_t>(blockDim.x) * gridDim.x - 1)"),
        ("<<<4, 192,", "<<<9, 32,"),
    ),
    # It starts with the first element.
    Right(
        "xxxvii_fmax_first",
        "xxxvii_fmax",
        ("float best = -INFINITY;", "float best = d_in[0];"),
        ("threads = 64;", "threads = 512;"),
        ("blocks = 20;", "blocks = 3;"),
    ),
    # Every lane gets the smallest, and the last one hands it on.
    Right(
        "xxxvii_imin_xor",
        "xxxvii_imin",
        ("__shfl_down_sync(0xffffffff, m, k)", "__shfl_xor_sync(0xffffffff, m, k)"),
        ("(threadIdx.x & 31) == 0", "(threadIdx.x & 31) == 31"),
        ("(count + 223) / 224", "count / 224 + 2"),
    ),
    *thirtyseventh_arrays.RIGHT,
)
