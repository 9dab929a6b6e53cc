"""Hold a thirty-sixth family: additions, casts, activations, fused operators, sums, extremes.

Half of the bases are as students hand in in the first weeks of a course, half as juniors write
for a small library of operators. The causes were written before a member was judged. On the
emulator each member ran beside PyTorch: bases and right ones are right, and all wrong ones but
two wrong, or refused by a fault, some only so:

    xxxvi_add_no_test           if n is no multiple of the block
    xxxvi_add_grid_dim          from 2 blocks on, unless they overlap and reach the end
    xxxvi_ints_packs_only       if n is no multiple of 4, and n / 4 is one of 128, as 0 is
    xxxvi_ints_rest_bit         if n is no multiple of 8
    xxxvi_ints_rest_far         if n is no multiple of 4, from 5 elements on
    xxxvi_axpby_rounded         of products that no bfloat16 holds
    xxxvi_axpby_rest_to_pack    if n is no multiple of 1,024
    xxxvi_axpby_no_promise      from 4 elements on, if `y` starts at no multiple of 8 bytes
    xxxvi_axpby_int_factor      if alpha is no whole number
    xxxvi_axpby_alpha_twice     if the factors differ
    xxxvi_cast_upper_bits       of numbers that no bfloat16 holds
    xxxvi_cast_infinity         of infinities
    xxxvi_cast_nan_rounded      of NaN whose bits are nearly all set, such as 0x7fffffff
    xxxvi_dequant_unsigned      of bytes below 0, in packs
    xxxvi_dequant_order         if the zero point is not 0, and the scale is not 1
    xxxvi_dequant_half_scale    if no half holds the scale, or not the product
    xxxvi_dequant_output_step   from 8 elements on
    xxxvi_leaky_larger          if the slope is above 1
    xxxvi_leaky_no_else         of numbers that are not negative
    xxxvi_gelu_constant         of numbers neither very small nor large
    xxxvi_gelu_own_tanh         of numbers far from 0: their exponential overflows
    xxxvi_silu_half_exp         of numbers of a large magnitude, or where the factor is near 0
    xxxvi_drop_by_p             if p is not one half
    xxxvi_drop_times_mask       of infinities or NaN that are dropped
    xxxvi_drop_mask_int         from 2 elements on
    xxxvi_sum_half_step         from 129 elements on
    xxxvi_sum_stops_at_64       from 33 elements on
    xxxvi_sum_last_warp         from 4 elements on, in the emulator's order of the threads
    xxxvi_max_flt_min           of numbers below 0
    xxxvi_max_block_of_192      if the largest lies with a thread that the tree leaves out
    xxxvi_max_own               if the largest is not the first thread's
    xxxvi_max_barrier_inside    where only part of the block replaces
    xxxvi_norm_no_root          of norms other than 0 and 1
    xxxvi_norm_counter          from the second call on
    xxxvi_norm_never_last       at the first call; later calls write before all parts are there
    xxxvi_norm_float_square     of very large and very small numbers
    xxxvi_total_int             if a warp's sum is past 2^31
    xxxvi_total_float           of sums that no float holds, on the way

Two are wrong by reasoning:

    xxxvi_add_int               from 2^31 elements on
    xxxvi_dot_other_stream      on a stream that does not wait for the default one
"""

# ruff: noqa: E501 (a line of a kernel stands in one line)
from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family import thirtysixth_arrays
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import whole

# A student's first addition, one thread an element.
ADD = (
    HEADER
    + """\
__global__ void vecAdd(const float* A, const float* B, float* C, int64_t N) {
    int64_t i = (int64_t)blockDim.x * blockIdx.x + threadIdx.x;
    if (i < N) {
        C[i] = A[i] + B[i];
    }
}

extern "C" void launch(const float* A /* [N] */, const float* B /* [N] */, float* C /* [N] */, int64_t N, int threadsPerBlock = 256, cudaStream_t stream = 0) {
    int64_t blocksPerGrid = (N + threadsPerBlock - 1) / threadsPerBlock;
    vecAdd<<<(unsigned)blocksPerGrid, threadsPerBlock, 0, stream>>>(A, B, C, N);
}
"""
)

# A junior's addition of integers, four a thread; one more thread has the rest.
INTS = (
    HEADER
    + """\
__global__ void iadd4(int4* dst, const int4* lhs, const int4* rhs, int64_t packs, int rest) {
  const int64_t p = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
  if (p < packs) {
    const int4 l = lhs[p];
    const int4 r = rhs[p];
    dst[p] = make_int4(l.x + r.x, l.y + r.y, l.z + r.z, l.w + r.w);
  } else if (p == packs) {
    const int* l = reinterpret_cast<const int*>(lhs + packs);
    const int* r = reinterpret_cast<const int*>(rhs + packs);
    int* d = reinterpret_cast<int*>(dst + packs);
    for (int k = 0; k < rest; ++k) d[k] = l[k] + r[k];
  }
}

extern "C" void launch(int* dst,        // [n] 16-byte aligned
                       const int* lhs,  // [n] 16-byte aligned
                       const int* rhs,  // [n] 16-byte aligned
                       int64_t n, cudaStream_t stream = 0) {
  const int64_t packs = n / 4;
  const int rest = static_cast<int>(n % 4);
  const int64_t blocks = packs / 128 + 1;
  iadd4<<<static_cast<unsigned>(blocks), 128, 0, stream>>>(
      reinterpret_cast<int4*>(dst), reinterpret_cast<const int4*>(lhs), reinterpret_cast<const int4*>(rhs), packs, rest);
}
"""
)

# A junior's sum of two scaled arrays of bfloat16, four elements a thread.
AXPBY = (
    HEADER
    + """\
using bf16 = __nv_bfloat16;

__device__ __forceinline__ bf16 combine(float alpha, bf16 x, float beta, bf16 y) {
    return __float2bfloat16(alpha * __bfloat162float(x) + beta * __bfloat162float(y));
}

__global__ void axpby_kernel(float alpha, const bf16* __restrict__ x, float beta, const bf16* __restrict__ y, bf16* __restrict__ z, int64_t n) {
    constexpr int V = 4;
    const int64_t base = V * ((int64_t)blockIdx.x * blockDim.x + threadIdx.x);
    if (base + V <= n) {
        const uint2 px = *reinterpret_cast<const uint2*>(x + base);
        const uint2 py = *reinterpret_cast<const uint2*>(y + base);
        uint2 pz;
        const bf16* ex = reinterpret_cast<const bf16*>(&px);
        const bf16* ey = reinterpret_cast<const bf16*>(&py);
        bf16* ez = reinterpret_cast<bf16*>(&pz);
#pragma unroll
        for (int k = 0; k < V; ++k) ez[k] = combine(alpha, ex[k], beta, ey[k]);
        *reinterpret_cast<uint2*>(z + base) = pz;
    } else {
        for (int64_t i = base; i < n; ++i) z[i] = combine(alpha, x[i], beta, y[i]);
    }
}

extern "C" void launch(float alpha,
                       const bf16* x,  // [n] 8-byte aligned
                       float beta,
                       const bf16* y,  // [n] 8-byte aligned
                       bf16* z,        // [n] 8-byte aligned
                       int64_t n, cudaStream_t stream = 0) {
    const int64_t threads = (n + 3) / 4;
    axpby_kernel<<<(unsigned)((threads + 255) / 256), 256, 0, stream>>>(alpha, x, beta, y, z, n);
}
"""
)

# A junior's cast to bfloat16, who rounds the bits himself.
CAST = (
    HEADER
    + """\
__device__ uint16_t bf16_bits(float f) {
  uint32_t u = __float_as_uint(f);
  if ((u & 0x7fffffffu) > 0x7f800000u) return (uint16_t)((u >> 16) | 0x40u);
  u += 0x7fffu + ((u >> 16) & 1u);
  return (uint16_t)(u >> 16);
}

__global__ void cast_f32_bf16(__nv_bfloat16* out, const float* in, int64_t numel) {
  const int64_t total = (int64_t)gridDim.x * blockDim.x;
  int64_t at = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  while (at < numel) {
    out[at] = __ushort_as_bfloat16(bf16_bits(in[at]));
    at += total;
  }
}

extern "C" void launch(__nv_bfloat16* out /* [numel] */, const float* in /* [numel] */, int64_t numel, cudaStream_t stream = 0) {
  const int64_t want = (numel + 511) / 512;
  const int blocks = want < 264 ? (int)want : 264;
  cast_f32_bf16<<<blocks, 512, 0, stream>>>(out, in, numel);
}
"""
)

# A junior's way back from quantised bytes to halves, four at a time.
DEQUANT = (
    HEADER
    + """\
struct Dequant {
    float scale;
    int zero;
    __device__ float operator()(int code) const { return scale * (float)(code - zero); }
};

__global__ void dequantize(const int8_t* codes, half* out, Dequant f, int64_t n) {
    const int64_t step = (int64_t)gridDim.x * blockDim.x;
    const int64_t first = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const int64_t quads = n / 4;
    for (int64_t v = first; v < quads; v += step) {
        const char4 c = reinterpret_cast<const char4*>(codes)[v];
        half2* o = reinterpret_cast<half2*>(out) + 2 * v;
        o[0] = __floats2half2_rn(f(c.x), f(c.y));
        o[1] = __floats2half2_rn(f(c.z), f(c.w));
    }
    for (int64_t i = 4 * quads + first; i < n; i += step) {
        out[i] = __float2half_rn(f(codes[i]));
    }
}

extern "C" void launch(const int8_t* codes,  // [n] 4-byte aligned
                       float scale, int zero,
                       half* out,            // [n] 4-byte aligned
                       int64_t n, cudaStream_t stream = 0) {
    dequantize<<<6, 64, 0, stream>>>(codes, out, Dequant{scale, zero}, n);
}
"""
)

# A student's leaky ReLU of halves.
LEAKY = (
    HEADER
    + """\
__global__ void leakyReLU(const half *in, half *out, const float slope, int64_t len)
{
  int64_t k = threadIdx.x + blockIdx.x * (int64_t)blockDim.x;
  for (; k < len; k += blockDim.x * (int64_t)gridDim.x) {
    float v = __half2float(in[k]);
    if (v < 0.0f)
      out[k] = __float2half(v * slope);
    else
      out[k] = in[k];
  }
}

extern "C" void launch(const half *in /* [len] */, half *out /* [len] */, float slope, int64_t len, cudaStream_t stream = 0)
{
  leakyReLU<<<16, 96, 0, stream>>>(in, out, slope, len);
}
"""
)

# A junior's GELU by tanh, with the residual added.
GELU = (
    HEADER
    + """\
namespace ops {

constexpr float kRootTwoOverPi = 0.7978845608f;
constexpr float kCubic = 0.044715f;

__device__ __forceinline__ float gelu_tanh(float v) {
  const float inner = kRootTwoOverPi * (v + kCubic * v * v * v);
  return 0.5f * v * (1.0f + tanhf(inner));
}

__global__ void gelu_add(const float* __restrict__ x, const float* __restrict__ residual, float* __restrict__ y, const int64_t count) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const float g = gelu_tanh(x[i]);
  y[i] = residual[i] + g;
}

}  // namespace ops

extern "C" void launch(const float* x,         // [count]
                       const float* residual,  // [count]
                       float* y,               // [count]
                       int64_t count, int block_size = 128, cudaStream_t stream = 0) {
  const auto blocks = static_cast<unsigned>((count + block_size - 1) / block_size);
  ops::gelu_add<<<blocks, block_size, 0, stream>>>(x, residual, y, count);
}
"""
)

# A junior's gradient of SiLU, with the loop as a macro.
SILU = (
    HEADER
    + """\
#define KERNEL_LOOP(i, n) \\
  for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += (int64_t)blockDim.x * gridDim.x)

__global__ void silu_backward(int64_t n, const half* grad_out, const half* x, half* grad_in) {
  KERNEL_LOOP(i, n) {
    const float g = __half2float(grad_out[i]);
    const float v = __half2float(x[i]);
    const float s = 1.f / (1.f + __expf(-v));
    grad_in[i] = __float2half(g * s * (1.f + v * (1.f - s)));
  }
}

extern "C" void launch(int64_t n, const half* grad_out /* [n] */, const half* x /* [n] */, half* grad_in /* [n] */, cudaStream_t stream = 0) {
  const int threads = 160;
  silu_backward<<<(unsigned)(n / threads + 1), threads, 0, stream>>>(n, grad_out, x, grad_in);
}
"""
)

# A junior's dropout by a given mask, with the residual added.
DROP = (
    HEADER
    + """\
__global__ void dropout_add(const half* h, const uint8_t* keep, const half* skip, half* out, float scale, int64_t n) {
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < n; i += (int64_t)gridDim.x * blockDim.x) {
        float v = keep[i] ? __half2float(h[i]) * scale : 0.0f;
        out[i] = __float2half(v + __half2float(skip[i]));
    }
}

extern "C" void launch(const half* h /* [n] */, const uint8_t* keep /* [n] */, const half* skip /* [n] */, half* out /* [n] */, float p, int64_t n, cudaStream_t stream = 0) {
    const float scale = 1.0f / (1.0f - p);
    int blocks = (int)((n + 255) / 256 < 32 ? (n + 255) / 256 : 32);
    dropout_add<<<blocks, 256, 0, stream>>>(h, keep, skip, out, scale, n);
}
"""
)

# A student's sum after the slides: the first addition while loading, two passes.
SUM = (
    HEADER
    + """\
#define BLOCK 128
#define GRID 10

__global__ void reduce(const float *g_idata, float *g_odata, int64_t n)
{
    __shared__ float sdata[BLOCK];
    unsigned int tid = threadIdx.x;
    int64_t i = (int64_t)blockIdx.x * (BLOCK * 2) + tid;
    const int64_t gridSize = (int64_t)BLOCK * 2 * gridDim.x;
    float mySum = 0;
    while (i < n) {
        mySum += g_idata[i];
        if (i + BLOCK < n) mySum += g_idata[i + BLOCK];
        i += gridSize;
    }
    sdata[tid] = mySum;
    __syncthreads();
    for (unsigned int s = BLOCK / 2; s >= 32; s >>= 1) {
        if (tid < s) sdata[tid] = mySum = mySum + sdata[tid + s];
        __syncthreads();
    }
    if (tid < 32) {
        for (int offset = 16; offset > 0; offset /= 2)
            mySum += __shfl_down_sync(0xffffffff, mySum, offset);
    }
    if (tid == 0) g_odata[blockIdx.x] = mySum;
}

extern "C" void launch(const float *g_idata /* [n] */, int64_t n, float *sum /* [1] */, cudaStream_t stream = 0)
{
    float *d_part;
    cudaMallocAsync((void **)&d_part, GRID * sizeof(float), stream);
    reduce<<<GRID, BLOCK, 0, stream>>>(g_idata, d_part, n);
    reduce<<<1, BLOCK, 0, stream>>>(d_part, sum, GRID);
    cudaFreeAsync(d_part, stream);
}
"""
)

# A junior's dot product of bfloat16, an atomic addition a warp.
DOT = (
    HEADER
    + """\
__global__ void dot_bf16(const __nv_bfloat16* __restrict__ u, const __nv_bfloat16* __restrict__ v, float* __restrict__ result, int64_t n) {
  float acc = 0.f;
  const int64_t stride = (int64_t)gridDim.x * blockDim.x;
  for (int64_t j = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; j < n; j += stride) {
    acc += __bfloat162float(u[j]) * __bfloat162float(v[j]);
  }
#pragma unroll
  for (int m = 16; m; m >>= 1) acc += __shfl_xor_sync(0xffffffffu, acc, m);
  if ((threadIdx.x & 31) == 0) atomicAdd(result, acc);
}

extern "C" void launch(float* result,           // [1]
                       const __nv_bfloat16* u,  // [n]
                       const __nv_bfloat16* v,  // [n]
                       int64_t n, cudaStream_t stream = 0) {
  cudaMemsetAsync(result, 0, sizeof(float), stream);
  dot_bf16<<<3, 192, 0, stream>>>(u, v, result, n);
}
"""
)

# A student's maximum in one block.
MAX = (
    HEADER
    + """\
#include <math_constants.h>
#define THREADS 256

__global__ void findMax(const float* data, int64_t size, float* result)
{
    __shared__ float best[THREADS];
    int t = threadIdx.x;
    float m = -CUDART_INF_F;
    for (int64_t i = t; i < size; i += THREADS) {
        if (data[i] > m) m = data[i];
    }
    best[t] = m;
    __syncthreads();
    for (int half_way = THREADS / 2; half_way >= 1; half_way = half_way / 2) {
        if (t < half_way && best[t + half_way] > best[t]) {
            best[t] = best[t + half_way];
        }
        __syncthreads();
    }
    if (t == 0) result[0] = best[0];
}

extern "C" void launch(const float* data /* [size] */, float* result /* [1] */, int64_t size, cudaStream_t stream = 0)
{
    findMax<<<1, THREADS, 0, stream>>>(data, size, result);
}
"""
)

# A junior's Euclidean norm: the last block adds the parts.
NORM = (
    HEADER
    + """\
constexpr int kBlocks = 6;
constexpr int kThreads = 128;

__device__ double parts[kBlocks];
__device__ unsigned int done = 0;

__device__ double block_total(double v, double* shared) {
    for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffffu, v, d);
    if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = v;
    __syncthreads();
    v = 0.0;
    for (int w = 0; w < kThreads / 32; ++w) v += shared[w];
    return v;
}

__global__ void l2_norm(const float* x, float* norm, int64_t n) {
    __shared__ double shared[kThreads / 32];
    __shared__ bool last;
    double square = 0.0;
    for (int64_t i = blockIdx.x * (int64_t)kThreads + threadIdx.x; i < n; i += (int64_t)kThreads * gridDim.x) {
        square += (double)x[i] * x[i];
    }
    const double total = block_total(square, shared);
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = total;
        __threadfence();
        last = atomicAdd(&done, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        __threadfence();
        const volatile double* p = parts;
        double all = 0.0;
        for (int b = 0; b < kBlocks; ++b) all += p[b];
        *norm = (float)sqrt(all);
        done = 0;
    }
}

extern "C" void launch(const float* x /* [n] */, float* norm /* [1] */, int64_t n, cudaStream_t stream = 0) {
    l2_norm<<<kBlocks, kThreads, 0, stream>>>(x, norm, n);
}
"""
)

# A student's sum of integers, in 64 bits.
TOTAL = (
    HEADER
    + """\
__global__ void sumInts(const int32_t* values, unsigned long long* total, int64_t N) {
    int64_t idx = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    long long mine = 0;
    if (idx < N) {
        mine = values[idx];
    }
    for (int offset = warpSize / 2; offset > 0; offset /= 2) {
        mine += __shfl_down_sync(0xFFFFFFFF, mine, offset);
    }
    __shared__ long long warpSums[8];
    int lane = threadIdx.x % warpSize;
    int warp = threadIdx.x / warpSize;
    if (lane == 0) {
        warpSums[warp] = mine;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        long long sum = 0;
        for (int w = 0; w < 8; w++) {
            sum += warpSums[w];
        }
        atomicAdd(total, (unsigned long long)sum);
    }
}

extern "C" void launch(const int32_t* values /* [N] */, int64_t N, int64_t* total /* [1] */, cudaStream_t stream = 0) {
    cudaMemsetAsync(total, 0, sizeof(int64_t), stream);
    int64_t numBlocks = (N + 255) / 256;
    sumInts<<<(unsigned int)numBlocks, 256, 0, stream>>>(values, (unsigned long long*)total, N);
}
"""
)


def _add(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a.double() + b.double()


def _cast(x: torch.Tensor) -> torch.Tensor:
    return x.double()


def integers(launcher: Launcher) -> Iterator[Case]:
    """Add integers, small ones and large ones, without an overflow."""
    for n in (1, 2, 3, 4, 5, 31, 512, 513, 1000, 3002):
        for label, end in (("small", 100), ("large", 2**30)):
            a, b = whole(-end, end, n, n), whole(-end, end, n, n + 1)
            right = (a.double() + b.double(),)
            yield Case(f"n = {n:,}, {label}", (a.int(), b.int()), right, dtypes=(torch.int32,))


def combined(launcher: Launcher) -> Iterator[Case]:
    """Add scaled arrays of bfloat16."""
    for n in (1, 2, 3, 4, 5, 31, 1024, 1025, 3003):
        x, y = ((whole(-999, 1000, n, n + k).float() / 64).bfloat16() for k in range(2))
        for alpha, beta in ((1.0, 1.0), (0.5, -2.0), (-1.3, 0.7), (0.0, 3.0)):
            a, b = (torch.tensor(f).double() for f in (alpha, beta))
            left, other = a * x.double(), b * y.double()
            options = {
                "dtypes": (torch.bfloat16,),
                "ulp": 1,
                "within": (2.0**-20 * (left.abs() + other.abs()),),
            }
            scalars = {"alpha": alpha, "beta": beta}
            yield Case(f"n = {n:,}, {scalars}", (x, y), (left + other,), scalars, **options)


def dequantised(launcher: Launcher) -> Iterator[Case]:
    """Take bytes back to halves, with several scales and zeros."""
    for n in (1, 2, 3, 4, 5, 31, 1536, 1537, 3002):
        codes = whole(-128, 128, n, n).to(torch.int8)
        for scale, zero in ((1.0, 0), (0.25, 10), (0.0371, -7), (1.7, 100)):
            right = torch.tensor(scale).double() * (codes.double() - zero)
            scalars = {"scale": scale, "zero": zero}
            options = {
                "dtypes": (torch.float16,),
                "within": (2.0**-11 * 1.001 * right.abs() + 2.0**-25,),
            }
            yield Case(f"n = {n:,}, {scalars}", (codes,), (right,), scalars, **options)


def leaky(launcher: Launcher) -> Iterator[Case]:
    """Apply leaky ReLU to usual, negative and zero numbers, with several slopes."""
    for n in (1, 2, 31, 96, 97, 1536, 1537, 3001):
        x = (whole(-999, 1000, n, n).float() / 32).half()
        for slope in (0.01, 0.5, 0.0, 1.5, -0.25):
            for label, y in (("any", x), ("negative", -x.abs() - 1), ("small", x / 256)):
                factor = torch.tensor(slope).double()
                right = torch.where(y < 0, factor * y.double(), y.double())
                options = {"dtypes": (torch.float16,), "ulp": 1}
                words = f"len = {n:,}, slope = {slope}, {label}"
                yield Case(words, (y,), (right,), {"slope": slope}, **options)


def gelus(launcher: Launcher) -> Iterator[Case]:
    """Apply GELU to usual, small and large numbers, and add a residual."""
    for n in (1, 2, 31, 128, 129, 1000, 3001):
        a, b = whole(-1000, 1001, n, n).float() / 256, whole(-99, 100, n, n + 1).float() / 16
        for label, x in (("usual", a), ("small", a / 64), ("large", a * 10)):
            for block_size in (128, 96):
                right = b.double() + torch.nn.functional.gelu(x.double(), approximate="tanh")
                options = {
                    "dtypes": (torch.float32,),
                    "ulp": 4,
                    "within": (2.0**-21 * (x.double().abs() + b.double().abs()),),
                }
                scalars = {"block_size": block_size}
                words = f"count = {n:,}, {scalars}, {label}"
                yield Case(words, (x, b), (right,), scalars, **options)


def gradients(launcher: Launcher) -> Iterator[Case]:
    """Take the gradient of SiLU of usual, small and large numbers."""
    for n in (1, 2, 31, 159, 160, 161, 1000, 3001):
        g, x = ((whole(-1000, 1001, n, n + k).float() / 256).half() for k in range(2))
        for label, y in (("usual", x), ("small", x / 32), ("large", x * 8)):
            v = y.double()
            s = torch.sigmoid(v)
            right = g.double() * s * (1 + v * (1 - s))
            options = {
                "dtypes": (torch.float16,),
                "ulp": 1,
                "within": (2.0**-16 * g.double().abs() * s * (1 + v.abs()) + 2.0**-24,),
            }
            yield Case(f"n = {n:,}, {label}", (g, y), (right,), **options)


def dropped(launcher: Launcher) -> Iterator[Case]:
    """Drop by a mask, also numbers that are infinite, and add a residual."""
    for n in (1, 2, 31, 256, 257, 1000, 9001):
        h, skip = ((whole(-99, 100, n, n + k).float() / 8).half() for k in range(2))
        keep = whole(0, 3, n, n + 2).clamp(max=1)
        endless = torch.where(keep == 0, torch.tensor(float("inf")), h.float()).half()
        for p in (0.5, 0.25, 0.1):
            for label, x in (("usual", h), ("infinite where dropped", endless)):
                kept = torch.where(keep == 1, x.double() / (1 - p), 0.0)
                options = {
                    "dtypes": (torch.float16,),
                    "ulp": 1,
                    "within": (2.0**-20 * kept.abs(),),
                }
                right = (kept + skip.double(),)
                words = f"n = {n:,}, p = {p}, {label}"
                inputs = (x, keep.to(torch.uint8), skip)
                yield Case(words, inputs, right, {"p": p}, **options)


def totals(launcher: Launcher) -> Iterator[Case]:
    """Add whole numbers and their quarters, whose sums are exact."""
    for n in (1, 2, 31, 33, 128, 129, 256, 257, 2560, 2561, 5003):
        x = whole(-99, 100, n, n).float()
        for label, y in (("any", x), ("quarters", x / 4), ("positive", x.abs() + 1)):
            right = (y.double().sum().reshape(1),)
            yield Case(f"n = {n:,}, {label}", (y,), right, dtypes=(torch.float32,))


def dots(launcher: Launcher) -> Iterator[Case]:
    """Multiply and add whole numbers, whose sums are exact."""
    for n in (1, 2, 31, 33, 192, 193, 576, 577, 3001):
        a, b = whole(-60, 61, n, n), whole(-60, 61, n, n + 1)
        for label, x, y in (("any", a, b), ("positive", a.abs() + 1, b.abs() + 1)):
            right = ((x.double() * y.double()).sum().reshape(1),)
            inputs = (x.bfloat16(), y.bfloat16())
            yield Case(f"n = {n:,}, {label}", inputs, right, dtypes=(torch.float32,))


def largest(launcher: Launcher) -> Iterator[Case]:
    """Find the largest of any, negative, rising and falling numbers."""
    for n in (1, 2, 3, 31, 33, 255, 256, 257, 1000, 3001):
        x = whole(-9999, 10000, n, n).float() / 16
        for label, y in (
            ("any", x),
            ("negative", -x.abs() - 1),
            ("rising", x.sort()[0]),
            ("falling", x.sort(descending=True)[0]),
        ):
            right = (y.double().max().reshape(1),)
            yield Case(f"size = {n:,}, {label}", (y,), right, dtypes=(torch.float32,))


def norms(launcher: Launcher) -> Iterator[Case]:
    """Take the norm of usual, small and large numbers."""
    for n in (1, 2, 31, 33, 128, 129, 768, 769, 3001):
        x = whole(-999, 1000, n, n).float() / 64
        for label, y in (("usual", x), ("large", x * 2.0**66), ("small", x * 2.0**-66)):
            right = (y.double().square().sum().sqrt().reshape(1),)
            options = {"dtypes": (torch.float32,), "ulp": 1}
            yield Case(f"n = {n:,}, {label}", (y,), right, **options)


def sums_of_integers(launcher: Launcher) -> Iterator[Case]:
    """Add small and large integers."""
    for n in (1, 2, 31, 33, 255, 256, 257, 1000, 3001):
        x = whole(-(2**31), 2**31, n, n)
        small = x.remainder(199) - 99
        for label, y in (("any", x), ("small", small), ("large", x.abs() // 2 + 2**30 - 1)):
            right = (y.sum().double().reshape(1),)
            yield Case(f"N = {n:,}, {label}", (y.int(),), right, dtypes=(torch.int64,))


BASES = {
    "xxxvi_add": Base(ADD, {"reference": _add}),
    "xxxvi_ints": Base(INTS, {"cases": integers}),
    "xxxvi_axpby": Base(AXPBY, {"cases": combined}),
    "xxxvi_cast": Base(CAST, {"reference": _cast}),
    "xxxvi_dequant": Base(DEQUANT, {"cases": dequantised}),
    "xxxvi_leaky": Base(LEAKY, {"cases": leaky}),
    "xxxvi_gelu": Base(GELU, {"cases": gelus}),
    "xxxvi_silu": Base(SILU, {"cases": gradients}),
    "xxxvi_drop": Base(DROP, {"cases": dropped}),
    "xxxvi_sum": Base(SUM, {"cases": totals}),
    "xxxvi_dot": Base(DOT, {"cases": dots}),
    "xxxvi_max": Base(MAX, {"cases": largest}),
    "xxxvi_norm": Base(NORM, {"cases": norms}),
    "xxxvi_total": Base(TOTAL, {"cases": sums_of_integers}),
    **thirtysixth_arrays.BASES,
}

WRONG = (
    # ---- addition
    # No test at all.
    Wrong(
        "xxxvi_add_no_test",
        "xxxvi_add",
        "bounds | tail",
        ("    if (i < N) {\n        C[i] = A[i] + B[i];\n    }\n", "    C[i] = A[i] + B[i];\n"),
    ),
    # The grid's size in place of the block's.
    Wrong(
        "xxxvi_add_grid_dim",
        "xxxvi_add",
        "unwritten / left out / tail / block size / grid | race / twice / other element",
        ("(int64_t)blockDim.x * blockIdx.x", "(int64_t)gridDim.x * blockIdx.x"),
    ),
    # A subtraction.
    Wrong(
        "xxxvi_add_minus",
        "xxxvi_add",
        "function / swapped | numbers",
        ("A[i] + B[i]", "A[i] - B[i]"),
    ),
    # The index is an int.
    Wrong(
        "xxxvi_add_int",
        "xxxvi_add",
        "narrow | bounds",
        ("int64_t i = (int64_t)blockDim.x * blockIdx.x", "int i = blockDim.x * blockIdx.x"),
    ),
    # ---- integers
    # Blocks for the packs only.
    Wrong(
        "xxxvi_ints_packs_only",
        "xxxvi_ints",
        "tail / unwritten / grid / refused | left out",
        ("packs / 128 + 1;", "(packs + 127) / 128;"),
    ),
    # A bit in place of the remainder.
    Wrong(
        "xxxvi_ints_rest_bit",
        "xxxvi_ints",
        "tail / unwritten / bounds | left out",
        ("static_cast<int>(n % 4)", "static_cast<int>(n & 4)"),
    ),
    # A pointer to packs moves by elements.
    Wrong(
        "xxxvi_ints_rest_far",
        "xxxvi_ints",
        "bounds | tail",
        ("(rhs + packs);", "(rhs + 4 * packs);"),
    ),
    # ---- two scaled arrays of bfloat16
    # A product is rounded on the way.
    Wrong(
        "xxxvi_axpby_rounded",
        "xxxvi_axpby",
        "rounding / precision | numbers",
        (
            "__float2bfloat16(alpha * __bfloat162float(x) + beta * __bfloat162float(y))",
            "__hadd(__hmul(__float2bfloat16(alpha), x), __hmul(__float2bfloat16(beta), y))",
        ),
    ),
    # The rest goes on to the end of its pack.
    Wrong(
        "xxxvi_axpby_rest_to_pack",
        "xxxvi_axpby",
        "bounds | tail",
        ("i = base; i < n;", "i = base; i < base + V;"),
    ),
    # One input may start anywhere.
    Wrong(
        "xxxvi_axpby_no_promise",
        "xxxvi_axpby",
        "alignment",
        ("const bf16* y,  // [n] 8-byte aligned", "const bf16* y,  // [n]"),
    ),
    # A factor is an integer on the way.
    Wrong(
        "xxxvi_axpby_int_factor",
        "xxxvi_axpby",
        "rounding / function / numbers / precision | left out",
        ("combine(float alpha, bf16 x, float beta,", "combine(int alpha, bf16 x, float beta,"),
    ),
    # One factor for both.
    Wrong(
        "xxxvi_axpby_alpha_twice",
        "xxxvi_axpby",
        "left out / function / swapped / twice | numbers",
        ("+ beta * __bfloat162float(y)", "+ alpha * __bfloat162float(y)"),
    ),
    # ---- cast
    # The upper bits as they are.
    Wrong(
        "xxxvi_cast_upper_bits",
        "xxxvi_cast",
        "rounding | numbers / precision",
        ("  u += 0x7fffu + ((u >> 16) & 1u);\n", ""),
    ),
    # Infinities become NaN.
    Wrong(
        "xxxvi_cast_infinity",
        "xxxvi_cast",
        "infinity / nan | numbers",
        ("> 0x7f800000u", ">= 0x7f800000u"),
    ),
    # NaN is rounded as a number is.
    Wrong(
        "xxxvi_cast_nan_rounded",
        "xxxvi_cast",
        "nan | sign of zero / numbers / infinity",
        (
            "  if ((u & 0x7fffffffu) > 0x7f800000u) return (uint16_t)((u >> 16) | 0x40u);\n",
            "",
        ),
    ),
    # ---- bytes to halves
    # Packs of bytes without a sign.
    Wrong(
        "xxxvi_dequant_unsigned",
        "xxxvi_dequant",
        "whole range / narrow / numbers / function | left out",
        (
            "const char4 c = reinterpret_cast<const char4*>(codes)[v];",
            "const uchar4 c = reinterpret_cast<const uchar4*>(codes)[v];",
        ),
    ),
    # Scaled before the zero point is taken off.
    Wrong(
        "xxxvi_dequant_order",
        "xxxvi_dequant",
        "function | numbers",
        ("scale * (float)(code - zero)", "scale * code - zero"),
    ),
    # The scale as a half.
    Wrong(
        "xxxvi_dequant_half_scale",
        "xxxvi_dequant",
        "precision / rounding | numbers",
        (
            "return scale * (float)(code - zero);",
            "return __half2float(__hmul(__float2half(scale), __int2half_rn(code - zero)));",
        ),
    ),
    # One pair of outputs a pack.
    Wrong(
        "xxxvi_dequant_output_step",
        "xxxvi_dequant",
        "unwritten / other element / race / left out | tail / neighbour / twice",
        ("(out) + 2 * v;", "(out) + v;"),
    ),
    # ---- leaky ReLU
    # The larger of the two.
    Wrong(
        "xxxvi_leaky_larger",
        "xxxvi_leaky",
        "function / numbers | swapped",
        (
            "    if (v < 0.0f)\n      out[k] = __float2half(v * slope);\n    else\n      out[k] = in[k];\n",
            "    out[k] = __float2half(fmaxf(v, v * slope));\n",
        ),
    ),
    # Only negative ones are written.
    Wrong(
        "xxxvi_leaky_no_else",
        "xxxvi_leaky",
        "unwritten | left out / numbers",
        ("    else\n      out[k] = in[k];\n", ""),
    ),
    # ---- GELU and a residual
    # A constant without its zero.
    Wrong(
        "xxxvi_gelu_constant",
        "xxxvi_gelu",
        "function / numbers | precision",
        ("kCubic = 0.044715f", "kCubic = 0.44715f"),
    ),
    # The residual goes through GELU.
    Wrong(
        "xxxvi_gelu_residual_first",
        "xxxvi_gelu",
        "function | numbers / swapped",
        ("gelu_tanh(x[i]);", "gelu_tanh(x[i] + residual[i]);"),
        ("y[i] = residual[i] + g;", "y[i] = g;"),
    ),
    # The input holds what is between.
    Wrong(
        "xxxvi_gelu_in_place",
        "xxxvi_gelu",
        "input",
        (
            "  const float g = gelu_tanh(x[i]);\n  y[i] = residual[i] + g;\n",
            "  float* h = const_cast<float*>(x);\n  h[i] = gelu_tanh(h[i]);\n  y[i] = residual[i] + h[i];\n",
        ),
    ),
    # A tanh of his own overflows.
    Wrong(
        "xxxvi_gelu_own_tanh",
        "xxxvi_gelu",
        "nan / infinity | numbers / precision",
        (
            "(1.0f + tanhf(inner));",
            "(1.0f + (expf(inner) - expf(-inner)) / (expf(inner) + expf(-inner)));",
        ),
    ),
    # ---- gradient of SiLU
    # The sigmoid's own gradient.
    Wrong(
        "xxxvi_silu_of_sigmoid",
        "xxxvi_silu",
        "function | numbers / left out",
        ("g * s * (1.f + v * (1.f - s))", "g * s * (1.f - s)"),
    ),
    # The gradient that comes in is forgotten.
    Wrong(
        "xxxvi_silu_no_chain",
        "xxxvi_silu",
        "left out / function | numbers",
        ("__float2half(g * s *", "__float2half(s *"),
    ),
    # The exponential in half.
    Wrong(
        "xxxvi_silu_half_exp",
        "xxxvi_silu",
        "precision / rounding / infinity | numbers / subnormal",
        ("__expf(-v)", "__half2float(hexp(__hneg(x[i])))"),
    ),
    # ---- dropout
    # No scale.
    Wrong(
        "xxxvi_drop_no_scale",
        "xxxvi_drop",
        "left out / function | numbers",
        ("__half2float(h[i]) * scale", "__half2float(h[i])"),
    ),
    # The share that is dropped, not the one that is kept.
    Wrong(
        "xxxvi_drop_by_p",
        "xxxvi_drop",
        "function | numbers",
        ("1.0f / (1.0f - p)", "1.0f / p"),
    ),
    # Multiplied by the mask.
    Wrong(
        "xxxvi_drop_times_mask",
        "xxxvi_drop",
        "nan / infinity | numbers",
        (
            "keep[i] ? __half2float(h[i]) * scale : 0.0f;",
            "keep[i] * __half2float(h[i]) * scale;",
        ),
    ),
    # The mask is of four bytes each.
    Wrong(
        "xxxvi_drop_mask_int",
        "xxxvi_drop",
        "bounds / other element / alignment | numbers",
        (
            "const half* h, const uint8_t* keep, const half* skip, half* out, float scale",
            "const half* h, const int* keep, const half* skip, half* out, float scale",
        ),
        ("(h, keep, skip, out, scale, n);", "(h, (const int*)keep, skip, out, scale, n);"),
    ),
    # ---- a sum
    # The second load is not tested.
    Wrong(
        "xxxvi_sum_second_load",
        "xxxvi_sum",
        "bounds | tail",
        ("if (i + BLOCK < n) mySum", "mySum"),
    ),
    # Blocks begin where one load would.
    Wrong(
        "xxxvi_sum_half_step",
        "xxxvi_sum",
        "twice / left out | numbers / other element",
        ("blockIdx.x * (BLOCK * 2) + tid", "blockIdx.x * BLOCK + tid"),
    ),
    # The tree's last step in shared memory is missing.
    Wrong(
        "xxxvi_sum_stops_at_64",
        "xxxvi_sum",
        "left out | numbers",
        ("s >= 32;", "s > 32;"),
    ),
    # Shared memory of half a block.
    Wrong(
        "xxxvi_sum_small_shared",
        "xxxvi_sum",
        "bounds",
        ("sdata[BLOCK];", "sdata[BLOCK / 2];"),
    ),
    # The last warp by shared memory, without a barrier of the warp.
    Wrong(
        "xxxvi_sum_last_warp",
        "xxxvi_sum",
        "race | left out / numbers",
        (
            "            mySum += __shfl_down_sync(0xffffffff, mySum, offset);\n",
            "            sdata[tid] = mySum = mySum + sdata[tid + offset];\n",
        ),
    ),
    # ---- a dot product
    # Every lane adds the warp's sum.
    Wrong(
        "xxxvi_dot_every_lane",
        "xxxvi_dot",
        "twice / function | numbers",
        ("if ((threadIdx.x & 31) == 0) atomicAdd", "atomicAdd"),
    ),
    # Cleared on another stream.
    Wrong(
        "xxxvi_dot_other_stream",
        "xxxvi_dot",
        "stream",
        (
            "cudaMemsetAsync(result, 0, sizeof(float), stream);",
            "cudaMemset(result, 0, sizeof(float));",
        ),
    ),
    # ---- a maximum
    # The smallest positive number as the smallest.
    Wrong(
        "xxxvi_max_flt_min",
        "xxxvi_max",
        "start | numbers",
        ("-CUDART_INF_F", "FLT_MIN"),
    ),
    # A block that cannot be halved to the end.
    Wrong(
        "xxxvi_max_block_of_192",
        "xxxvi_max",
        "left out / block size | numbers",
        ("THREADS 256", "THREADS 192"),
    ),
    # The thread's own in place of the block's.
    Wrong(
        "xxxvi_max_own",
        "xxxvi_max",
        "left out | numbers",
        ("result[0] = best[0];", "result[0] = m;"),
    ),
    # The barrier is only for those that replace.
    Wrong(
        "xxxvi_max_barrier_inside",
        "xxxvi_max",
        "race | left out / numbers",
        (
            "            best[t] = best[t + half_way];\n        }\n        __syncthreads();\n",
            "            best[t] = best[t + half_way];\n            __syncthreads();\n        }\n",
        ),
    ),
    # ---- a norm
    # No root.
    Wrong(
        "xxxvi_norm_no_root",
        "xxxvi_norm",
        "function / left out | numbers / infinity / subnormal",
        ("(float)sqrt(all)", "(float)all"),
    ),
    # The counter is not set back.
    Wrong(
        "xxxvi_norm_counter",
        "xxxvi_norm",
        "state | unwritten",
        ("        done = 0;\n", ""),
    ),
    # The square overflows.
    Wrong(
        "xxxvi_norm_float_square",
        "xxxvi_norm",
        "infinity / precision / whole range | numbers / subnormal",
        ("(double)x[i] * x[i];", "x[i] * x[i];"),
    ),
    # Waits for one block too many.
    Wrong(
        "xxxvi_norm_never_last",
        "xxxvi_norm",
        "unwritten / state | grid / numbers",
        ("== gridDim.x - 1;", "== gridDim.x;"),
    ),
    # ---- a sum of integers
    # 32 bits on the way.
    Wrong(
        "xxxvi_total_int",
        "xxxvi_total",
        "narrow / whole range | numbers",
        ("    long long mine = 0;", "    int mine = 0;"),
    ),
    # In float.
    Wrong(
        "xxxvi_total_float",
        "xxxvi_total",
        "precision / rounding / narrow | numbers / whole range",
        ("        long long sum = 0;", "        float sum = 0;"),
        ("(unsigned long long)sum", "(unsigned long long)(long long)sum"),
    ),
    # The first warp is left out.
    Wrong(
        "xxxvi_total_from_one",
        "xxxvi_total",
        "left out | numbers / start",
        ("int w = 0; w < 8;", "int w = 1; w < 8;"),
    ),
    *thirtysixth_arrays.WRONG,
)

RIGHT = (
    # An idle block, and the test turned around.
    Right(
        "xxxvi_add_return",
        "xxxvi_add",
        (
            "    if (i < N) {\n        C[i] = A[i] + B[i];\n    }\n",
            "    if (i >= N) return;\n    C[i] = B[i] + A[i];\n",
        ),
        ("(N + threadsPerBlock - 1) / threadsPerBlock", "N / threadsPerBlock + 1"),
    ),
    # A thread for each of the rest.
    Right(
        "xxxvi_ints_rest_spread",
        "xxxvi_ints",
        ("} else if (p == packs) {", "} else if (p - packs < rest) {"),
        (
            "for (int k = 0; k < rest; ++k) d[k] = l[k] + r[k];",
            "const int k = (int)(p - packs);\n    d[k] = l[k] + r[k];",
        ),
        ("packs / 128 + 1;", "(packs + rest + 127) / 128;"),
    ),
    # The last whole pack goes the slow way.
    Right("xxxvi_axpby_less", "xxxvi_axpby", ("base + V <= n", "base + V < n")),
    # The instruction's rounding.
    Right(
        "xxxvi_cast_intrinsic",
        "xxxvi_cast",
        ("__ushort_as_bfloat16(bf16_bits(in[at]))", "__float2bfloat16_rn(in[at])"),
        ("<<<blocks, 512,", "<<<2 * blocks, 128,"),
    ),
    # All by the loop of the rest.
    Right(
        "xxxvi_dequant_no_packs",
        "xxxvi_dequant",
        ("quads = n / 4;", "quads = 0;"),
        ("<<<6, 64,", "<<<64, 32,"),
    ),
    # By a sigmoid: (1 + tanh(z)) / 2 is that of 2 z.
    Right(
        "xxxvi_gelu_sigmoid",
        "xxxvi_gelu",
        ("0.5f * v * (1.0f + tanhf(inner))", "v / (1.0f + expf(-2.0f * inner))"),
    ),
    # The sum of two terms.
    Right(
        "xxxvi_silu_terms",
        "xxxvi_silu",
        ("g * s * (1.f + v * (1.f - s))", "g * (s + v * s * (1.f - s))"),
        ("threads = 160;", "threads = 32;"),
    ),
    # The residual first.
    Right(
        "xxxvi_drop_residual_first",
        "xxxvi_drop",
        (
            "        float v = keep[i] ? __half2float(h[i]) * scale : 0.0f;\n        out[i] = __float2half(v + __half2float(skip[i]));\n",
            "        float v = __half2float(skip[i]);\n        if (keep[i] != 0) v = fmaf(scale, __half2float(h[i]), v);\n        out[i] = __float2half_rn(v);\n",
        ),
    ),
    # Other shapes.
    Right(
        "xxxvi_sum_shapes",
        "xxxvi_sum",
        ("#define BLOCK 128\n#define GRID 10\n", "#define BLOCK 512\n#define GRID 3\n"),
    ),
    # A block that adds its warps first.
    Right(
        "xxxvi_dot_block",
        "xxxvi_dot",
        (
            "  if ((threadIdx.x & 31) == 0) atomicAdd(result, acc);\n",
            "  __shared__ float warps[6];\n  if (threadIdx.x % 32 == 31) warps[threadIdx.x / 32] = acc;\n  __syncthreads();\n  if (threadIdx.x == 191) atomicAdd(result, warps[0] + warps[1] + warps[2] + warps[3] + warps[4] + warps[5]);\n",
        ),
    ),
    # Each thread begins with the first number.
    Right(
        "xxxvi_max_first",
        "xxxvi_max",
        ("float m = -CUDART_INF_F;", "float m = data[0];"),
        ("data[i] > m) m", "m < data[i]) m"),
        ("THREADS 256", "THREADS 64"),
    ),
    # The counter wraps by itself.
    Right(
        "xxxvi_norm_wraps",
        "xxxvi_norm",
        ("atomicAdd(&done, 1u)", "atomicInc(&done, gridDim.x - 1)"),
        ("        done = 0;\n", ""),
    ),
    # Each warp adds its own.
    Right(
        "xxxvi_total_warps",
        "xxxvi_total",
        (
            "        warpSums[warp] = mine;\n",
            "        atomicAdd(total, (unsigned long long)mine);\n        warpSums[warp] = 0;\n",
        ),
    ),
    *thirtysixth_arrays.RIGHT,
)
