"""Hold a thirty-first family: additions, casts, activations, fused operators, sums, extremes.

Half of the bases are as students hand in in the first weeks of a course, half as juniors write
for a small library of operators. The causes were written before a member was judged. On the
emulator each member ran beside PyTorch: bases and right ones are right, and all wrong ones but
one wrong, or refused by a fault, some only so:

    xxxi_plus_three_no_stride        from 897 elements on
    xxxi_plus_three_no_block         from 65 elements on
    xxxi_plus_long_no_cast           of sums that 32 bits do not have
    xxxi_plus_long_through_float     of numbers or sums that no float has
    xxxi_plus_long_rounded_down      if n is no multiple of the block size
    xxxi_minus_pairs_swapped         from 2 elements on
    xxxi_minus_pairs_odd_added       if the number is odd
    xxxi_minus_pairs_first_only      likewise
    xxxi_minus_pairs_four_each       past one block's pairs, unless the rounding up covers them
    xxxi_minus_pairs_overlap         from 3 elements on
    xxxi_widen_halves_base           from 641 elements on
    xxxi_widen_halves_step_one       from 132 elements on
    xxxi_widen_halves_test_base      if n is no multiple of 512
    xxxi_quantise_truncated          of quotients that are no whole numbers
    xxxi_quantise_away               of quotients halfway between whole numbers
    xxxi_quantise_wraps              of numbers past 127
    xxxi_quantise_symmetric          of numbers at or past -128
    xxxi_quantise_times              if the scale is not 1
    xxxi_quantise_zero_point_last    of numbers past an end, if the zero point is not 0
    xxxi_quantise_no_zero_point      if the zero point is not 0
    xxxi_silu_plain_64               if the block size is not 64, from a second block on
    xxxi_hard_swish_from_zero        of numbers from -3 to 0
    xxxi_gate_limit_none             of gates past the limit
    xxxi_gate_limit_64_threads       from 65 elements on
    xxxi_sgd_step_fields             if momentum and decay differ
    xxxi_sgd_step_brackets           if momentum is not 1
    xxxi_lerp_fours_other_end        if the weight is not a half
    xxxi_lerp_fours_lane_y           from 3 elements on, in whole vectors
    xxxi_lerp_fours_no_tail          if the vectors fill their blocks and n is no multiple of 4
    xxxi_lerp_fours_past_end         if n is 2 or 3 more than a multiple of 4
    xxxi_lerp_fours_tail_formula     if n is no multiple of 4
    xxxi_total_long_int              of sums that 32 bits do not have
    xxxi_total_long_first_warp       from 33 elements on
    xxxi_total_long_from_eight       from 17 elements on
    xxxi_total_long_half_set         if the output's upper half was not zero before
    xxxi_mean_halves_half_tree       of sums that no half has
    xxxi_mean_halves_by_parts        if n is no multiple of the block size, or past 200 blocks
    xxxi_mean_halves_128_parts       from 16,385 elements on
    xxxi_dot_atomic_assigned         from 897 elements on
    xxxi_dot_atomic_96               from 3 elements on
    xxxi_least_int_zero              of positive numbers only
    xxxi_least_int_million           of numbers past a million only
    xxxi_least_int_two_warps         if the smallest is a third warp's
    xxxi_least_int_not_set           if the output was smaller before
    xxxi_peak_scale_no_abs           if a negative number has the largest magnitude
    xxxi_peak_scale_from_two         if a later warp has the largest
    xxxi_peak_scale_zero             of zeros

One is wrong by reasoning, where threads run at once:

    xxxi_total_long_plus             from a second warp on, if two add at the same time
"""

# ruff: noqa: E501 (a line of a kernel stands in one line)
from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family import thirtyfirst_arrays
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import whole

# A student's sum of three arrays, in a loop.
THREE = (
    HEADER
    + """\
__global__ void sum3(const float* u, const float* v, const float* w, float* res, int64_t count) {
  const int64_t stride = (int64_t)blockDim.x * gridDim.x;
  int64_t k = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  while (k < count) {
    res[k] = u[k] + v[k] + w[k];
    k += stride;
  }
}

extern "C" void launch(const float* u /* [count] */, const float* v /* [count] */, const float* w /* [count] */, float* res /* [count] */, int64_t count, cudaStream_t stream = 0) {
  sum3<<<14, 64, 0, stream>>>(u, v, w, res, count);
}
"""
)

# A student's integers: their sum has no room in 32 bits.
WIDE_SUM = (
    HEADER
    + """\
__global__ void addToLong(int64_t n, int64_t *out, const int *a, const int *b)
{
    const int64_t i = threadIdx.x + blockIdx.x * (int64_t)blockDim.x;
    if (i < n) {
        out[i] = (int64_t)a[i] + b[i];
    }
}

extern "C" void launch(int64_t n, int64_t *out /* [n] */, const int *a /* [n] */, const int *b /* [n] */, int block_size = 256, cudaStream_t stream = 0)
{
    const dim3 block(block_size);
    const dim3 grid((unsigned)((n + block.x - 1) / block.x));
    addToLong<<<grid, block, 0, stream>>>(n, out, a, b);
}
"""
)

# A junior's difference of bfloat16, two at a time; the last thread does the odd one.
BF_DIFF = (
    HEADER
    + """\
using bf16 = __nv_bfloat16;
using bf162 = __nv_bfloat162;

__global__ void bf16_sub(bf16* __restrict__ dst, const bf16* __restrict__ lhs, const bf16* __restrict__ rhs, int64_t numel)
{
    const int64_t t = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
    const int64_t first = 2 * t;
    if (first + 1 < numel) {
        const bf162 l = *reinterpret_cast<const bf162*>(lhs + first);
        const bf162 r = *reinterpret_cast<const bf162*>(rhs + first);
        *reinterpret_cast<bf162*>(dst + first) = __hsub2(l, r);
    } else if (first < numel) {
        dst[first] = __hsub(lhs[first], rhs[first]);
    }
}

extern "C" void launch(bf16* dst,        // [numel] 4-byte aligned
                       const bf16* lhs,  // [numel] 4-byte aligned
                       const bf16* rhs,  // [numel] 4-byte aligned
                       int64_t numel, int block_size = 128, cudaStream_t stream = 0)
{
    const int64_t per_block = 2 * int64_t(block_size);
    bf16_sub<<<unsigned((numel + per_block - 1) / per_block), block_size, 0, stream>>>(dst, lhs, rhs, numel);
}
"""
)

# A junior's cast of halves to floats, four a thread, without vectors.
TO_FLOAT = (
    HEADER
    + """\
#define PER_THREAD 4
#define TPB 128

__global__ void half_to_float_kernel(const half *h, float *f, int64_t n) {
    int64_t base = (int64_t)blockIdx.x * TPB * PER_THREAD;
#pragma unroll
    for (int j = 0; j < PER_THREAD; j++) {
        int64_t i = base + j * TPB + threadIdx.x;
        if (i < n) f[i] = __half2float(h[i]);
    }
}

extern "C" void launch(const half *h /* [n] */, float *f /* [n] */, int64_t n, cudaStream_t stream = 0) {
    int64_t per_block = TPB * PER_THREAD;
    int64_t blocks = (n + per_block - 1) / per_block;
    half_to_float_kernel<<<(unsigned int)blocks, TPB, 0, stream>>>(h, f, n);
}
"""
)

# A junior's quantisation to signed bytes.
QUANT = (
    HEADER
    + """\
__device__ __forceinline__ int8_t quantize_one(float v, float scale, int zero_point) {
    int q = (int)rintf(v / scale) + zero_point;
    q = max(q, -128);
    q = min(q, 127);
    return (int8_t)q;
}

__global__ void quantize_kernel(const float* __restrict__ x, int8_t* __restrict__ q, float scale, int zero_point, int64_t n) {
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < n; i += (int64_t)gridDim.x * blockDim.x) {
        q[i] = quantize_one(x[i], scale, zero_point);
    }
}

extern "C" void launch(int8_t* q /* [n] */, const float* x /* [n] */, float scale, int zero_point, int64_t n, cudaStream_t stream = 0) {
    const int threads = 128;
    int64_t blocks = (n + threads - 1) / threads;
    if (blocks > 11) blocks = 11;
    quantize_kernel<<<(int)blocks, threads, 0, stream>>>(x, q, scale, zero_point, n);
}
"""
)

# A student's SiLU, one thread an element.
SILU = (
    HEADER
    + """\
__device__ float sigmoidf(float z) { return 1.0f / (1.0f + expf(-z)); }

__global__ void silu(const float* input, float* output, int64_t size) {
    int64_t tid = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    if (tid >= size) {
        return;
    }
    float z = input[tid];
    output[tid] = z * sigmoidf(z);
}

extern "C" void launch(const float* input /* [size] */, float* output /* [size] */, int64_t size, int block_size = 64, cudaStream_t stream = 0) {
    unsigned numBlocks = (unsigned)((size + block_size - 1) / block_size);
    silu<<<numBlocks, block_size, 0, stream>>>(input, output, size);
}
"""
)

# A student's hard swish on halves.
HARD = (
    HEADER
    + """\
__global__ void hardswish_f16(half *y, half *x, int64_t N) {
    int64_t idx = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < N) {
        float v = __half2float(x[idx]);
        float gate;
        if (v <= -3.f) gate = 0.f;
        else if (v >= 3.f) gate = 1.f;
        else gate = (v + 3.f) / 6.f;
        y[idx] = __float2half(v * gate);
    }
}

extern "C" void launch(half *y /* [N] */, const half *x /* [N] */, int64_t N, cudaStream_t stream = 0) {
    int threads = 224;
    hardswish_f16<<<(unsigned)((N + threads - 1) / threads), threads, 0, stream>>>(y, (half *)x, N);
}
"""
)

# A junior's gate of a network: SiLU of one half of the numbers times the other.
GATE = (
    HEADER
    + """\
template <int kThreads>
__global__ void silu_mul(const __nv_bfloat16* __restrict__ gate, const __nv_bfloat16* __restrict__ up, __nv_bfloat16* __restrict__ out, const float limit, const int64_t n) {
    const int64_t step = int64_t(gridDim.x) * kThreads;
    for (int64_t i = int64_t(blockIdx.x) * kThreads + threadIdx.x; i < n; i += step) {
        const float g = fminf(__bfloat162float(gate[i]), limit);
        const float u = __bfloat162float(up[i]);
        const float s = g / (1.0f + __expf(-g));
        out[i] = __float2bfloat16_rn(s * u);
    }
}

extern "C" void launch(const __nv_bfloat16* gate,  // [n]
                       const __nv_bfloat16* up,    // [n]
                       float limit, int64_t n,
                       __nv_bfloat16* out,  // [n]
                       cudaStream_t stream = 0) {
    silu_mul<96><<<15, 96, 0, stream>>>(gate, up, out, limit, n);
}
"""
)

# A junior's step of an optimiser: momentum, decay, and two outputs.
STEP = (
    HEADER
    + """\
struct Sgd {
    float lr, momentum, decay;
};

__global__ void sgd_step(const float* p, const float* g, const float* m, float* p_new, float* m_new, Sgd o, int64_t n) {
    const int64_t i = threadIdx.x + (int64_t)blockDim.x * blockIdx.x;
    if (i >= n) return;
    const float grad = g[i] + o.decay * p[i];
    const float vel = o.momentum * m[i] + grad;
    m_new[i] = vel;
    p_new[i] = p[i] - o.lr * vel;
}

extern "C" void launch(const float* p /* [n] */, const float* g /* [n] */, const float* m /* [n] */, float* p_new /* [n] */, float* m_new /* [n] */, float lr, float momentum, float decay, int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    Sgd o;
    o.lr = lr;
    o.momentum = momentum;
    o.decay = decay;
    sgd_step<<<(unsigned)((n + block_size - 1) / block_size), block_size, 0, stream>>>(p, g, m, p_new, m_new, o, n);
}
"""
)

# A junior's blend of two arrays by a weight, four floats a thread and the tail by the same one.
LERP = (
    HEADER
    + """\
__global__ void lerp_vec(const float* __restrict__ from, const float* __restrict__ to, float weight, float* __restrict__ result, int64_t n) {
    const int64_t at = 4 * (blockIdx.x * (int64_t)blockDim.x + threadIdx.x);
    if (at + 4 <= n) {
        float4 s = *(const float4*)(from + at);
        float4 e = *(const float4*)(to + at);
        float4 r;
        r.x = s.x + weight * (e.x - s.x);
        r.y = s.y + weight * (e.y - s.y);
        r.z = s.z + weight * (e.z - s.z);
        r.w = s.w + weight * (e.w - s.w);
        *(float4*)(result + at) = r;
    } else {
        for (int64_t i = at; i < n; i++) {
            result[i] = from[i] + weight * (to[i] - from[i]);
        }
    }
}

extern "C" void launch(float weight, const float* from /* [n] 16-byte aligned */, const float* to /* [n] 16-byte aligned */, float* result /* [n] 16-byte aligned */, int64_t n, cudaStream_t stream = 0) {
    const int64_t threads = (n + 3) / 4;
    lerp_vec<<<(unsigned)((threads + 63) / 64), 64, 0, stream>>>(from, to, weight, result, n);
}
"""
)

# A student's sum of integers: a loop, a warp's shuffles, and an addition a warp.
COUNT = (
    HEADER
    + """\
__global__ void total_kernel(const int* __restrict__ nums, unsigned long long* total, int64_t n)
{
    long long mine = 0;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (int64_t)blockDim.x * gridDim.x)
        mine += nums[i];

    for (int d = 16; d > 0; d >>= 1)
        mine += __shfl_down_sync(0xffffffff, mine, d);

    if (threadIdx.x % 32 == 0)
        atomicAdd(total, (unsigned long long)mine);
}

extern "C" void launch(const int* nums /* [n] */, int64_t* total /* [1] */, int64_t n, cudaStream_t stream = 0)
{
    cudaMemsetAsync(total, 0, sizeof(int64_t), stream);
    total_kernel<<<6, 160, 0, stream>>>(nums, (unsigned long long*)total, n);
}
"""
)

# A junior's mean of halves: the blocks' parts, and one block for these.
MEAN = (
    HEADER
    + """\
namespace {

constexpr int kBlock = 128;
constexpr int kMaxBlocks = 200;

__device__ float block_reduce(float v) {
    __shared__ float cache[kBlock];
    cache[threadIdx.x] = v;
    __syncthreads();
    for (int gap = kBlock / 2; gap > 0; gap >>= 1) {
        if (threadIdx.x < gap) cache[threadIdx.x] += cache[threadIdx.x + gap];
        __syncthreads();
    }
    return cache[0];
}

__global__ void mean_parts(const half* x, float* parts, int64_t n) {
    float v = 0.f;
    for (int64_t i = int64_t(blockIdx.x) * kBlock + threadIdx.x; i < n; i += int64_t(gridDim.x) * kBlock) v += __half2float(x[i]);
    v = block_reduce(v);
    if (threadIdx.x == 0) parts[blockIdx.x] = v;
}

__global__ void mean_finish(const float* parts, int nparts, float* mean, int64_t n) {
    float v = 0.f;
    for (int i = threadIdx.x; i < nparts; i += kBlock) v += parts[i];
    v = block_reduce(v);
    if (threadIdx.x == 0) mean[0] = v / static_cast<float>(n);
}

}  // namespace

extern "C" void launch(const half* x /* [n] */, int64_t n, float* mean /* [1] */, cudaStream_t stream = 0) {
    int64_t nparts = (n + kBlock - 1) / kBlock;
    if (nparts > kMaxBlocks) nparts = kMaxBlocks;
    float* parts = nullptr;
    cudaMallocAsync(&parts, nparts * sizeof(float), stream);
    mean_parts<<<(int)nparts, kBlock, 0, stream>>>(x, parts, n);
    mean_finish<<<1, kBlock, 0, stream>>>(parts, (int)nparts, mean, n);
    cudaFreeAsync(parts, stream);
}
"""
)

# A student's dot product: a block's tree of any size that is a power of two.
DOT = (
    HEADER
    + """\
__global__ void dotProduct(float *a, float *b, float *result, int64_t N) {
    extern __shared__ float cache[];
    int cacheIndex = threadIdx.x;
    float temp = 0;
    for (int64_t tid = threadIdx.x + (int64_t)blockIdx.x * blockDim.x; tid < N; tid += (int64_t)blockDim.x * gridDim.x) {
        temp += a[tid] * b[tid];
    }
    cache[cacheIndex] = temp;
    __syncthreads();
    int i = blockDim.x / 2;
    while (i != 0) {
        if (cacheIndex < i)
            cache[cacheIndex] += cache[cacheIndex + i];
        __syncthreads();
        i /= 2;
    }
    if (cacheIndex == 0)
        atomicAdd(result, cache[0]);
}

extern "C" void launch(const float *a /* [N] */, const float *b /* [N] */, int64_t N, float *result /* [1] */, cudaStream_t stream = 0) {
    cudaMemsetAsync(result, 0, 4, stream);
    dotProduct<<<7, 128, 128 * sizeof(float), stream>>>((float *)a, (float *)b, result, N);
}
"""
)

# A student's smallest integer.
SMALLEST = (
    HEADER
    + """\
__global__ void setMin(int *m) { *m = 0x7fffffff; }

__global__ void findMin(const int *arr, int *m, int64_t n) {
    __shared__ int best[96];
    const int t = threadIdx.x;
    int low = 0x7fffffff;
    for (int64_t i = blockIdx.x * (int64_t)96 + t; i < n; i += gridDim.x * (int64_t)96)
        if (arr[i] < low) low = arr[i];
    best[t] = low;
    __syncthreads();
    if (t < 32) {
        low = min(min(best[t], best[t + 32]), best[t + 64]);
        for (int lanes = 16; lanes >= 1; lanes /= 2) low = min(low, __shfl_xor_sync(~0u, low, lanes));
        if (t == 0) atomicMin(m, low);
    }
}

extern "C" void launch(const int *arr /* [n] */, int *m /* [1] */, int64_t n, cudaStream_t stream = 0) {
    setMin<<<1, 1, 0, stream>>>(m);
    findMin<<<9, 96, 0, stream>>>(arr, m, n);
}
"""
)

# A junior's largest magnitude, for scales of quantisation: bits of floats are compared.
PEAK = (
    HEADER
    + """\
__global__ void amax_kernel(const __nv_bfloat16* __restrict__ x, unsigned* __restrict__ amax_bits, int64_t n) {
    float amax = 0.0f;
    const int64_t tid = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
    for (int64_t i = tid; i < n; i += int64_t(blockDim.x) * gridDim.x) {
        amax = fmaxf(amax, fabsf(__bfloat162float(x[i])));
    }
    for (int off = 16; off >= 1; off >>= 1) amax = fmaxf(amax, __shfl_xor_sync(0xffffffffu, amax, off));
    __shared__ float warp_max[8];
    const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
    if (lane == 0) warp_max[warp] = amax;
    __syncthreads();
    if (warp == 0) {
        amax = lane < 8 ? warp_max[lane] : 0.0f;
        for (int off = 4; off >= 1; off >>= 1) amax = fmaxf(amax, __shfl_xor_sync(0xffffffffu, amax, off));
        if (lane == 0) atomicMax(amax_bits, __float_as_uint(amax));
    }
}

__global__ void scale_kernel(const unsigned* amax_bits, float* scale) {
    const float amax = __uint_as_float(*amax_bits);
    *scale = amax > 0.0f ? amax / 127.0f : 1.0f;
}

extern "C" void launch(const __nv_bfloat16* x /* [n] */, float* scale /* [1] */, int64_t n, cudaStream_t stream = 0) {
    unsigned* bits;
    cudaMallocAsync((void**)&bits, sizeof(unsigned), stream);
    cudaMemsetAsync(bits, 0, sizeof(unsigned), stream);
    amax_kernel<<<5, 256, 0, stream>>>(x, bits, n);
    scale_kernel<<<1, 1, 0, stream>>>(bits, scale);
    cudaFreeAsync(bits, stream);
}
"""
)


def _minus(lhs: torch.Tensor, rhs: torch.Tensor) -> torch.Tensor:
    return lhs.double() - rhs.double()


def _exact(number: float) -> torch.Tensor:
    """Return what a float has of a number."""
    return torch.tensor(number, dtype=torch.float32).double()


def triples(launcher: Launcher) -> Iterator[Case]:
    """Add three arrays of whole numbers."""
    for n in (1, 2, 31, 64, 65, 896, 897, 3001):
        x = [whole(-5000, 5001, n, n + k).float() for k in range(3)]
        for label, factor in (("whole", 1.0), ("fractions", 1 / 64)):
            inputs = tuple(y * factor for y in x)
            right = (sum(y.double() for y in inputs),)
            yield Case(f"count = {n:,}, {label}", inputs, right, dtypes=(torch.float32,))


def long_sums(launcher: Launcher) -> Iterator[Case]:
    """Add small integers, and some that are near the ends of their range."""
    for n in (1, 2, 31, 256, 257, 1000, 3001):
        a, b = whole(-(2**31), 2**31, n, n), whole(-(2**31), 2**31, n, n + 1)
        for block_size in (256, 96):
            for label, x, y in (("any", a, b), ("small", a >> 20, b >> 20)):
                scalars = {"block_size": block_size}
                words = f"n = {n:,}, {scalars}, {label}"
                inputs = x.int(), y.int()
                yield Case(words, inputs, ((x + y).double(),), scalars, dtypes=(torch.int64,))


def quantised(launcher: Launcher) -> Iterator[Case]:
    """Quantise numbers of which many are halfway between two, and some too large."""
    for n in (1, 2, 31, 128, 129, 1408, 1409, 3001):
        x = whole(-160, 161, n, n).float() / 2
        for scale, zero_point in ((1.0, 0), (0.5, 10), (0.25, -7)):
            for label, y in (("halves", x), ("large", x * 8)):
                q = (y.double() / scale).round() + zero_point
                scalars = {"scale": scale, "zero_point": zero_point}
                words = f"n = {n:,}, {scalars}, {label}"
                yield Case(words, (y,), (q.clamp(-128, 127),), scalars, dtypes=(torch.int8,))


def silus(launcher: Launcher) -> Iterator[Case]:
    """Apply SiLU to usual, small and large numbers, by blocks of two sizes."""
    for n in (1, 2, 31, 64, 65, 1000, 3001):
        x = whole(-2000, 2001, n, n).float() / 256
        for block_size in (64, 160):
            for label, y in (("usual", x), ("small", x / 64), ("large", x * 10)):
                v = y.double()
                scalars = {"block_size": block_size}
                options = {
                    "dtypes": (torch.float32,),
                    "ulp": 2,
                    "within": (2.0**-20 * v.abs(),),
                }
                words = f"size = {n:,}, {scalars}, {label}"
                yield Case(words, (y,), (v * torch.sigmoid(v),), scalars, **options)


def hard(launcher: Launcher) -> Iterator[Case]:
    """Apply hard swish to usual and large numbers."""
    for n in (1, 2, 31, 224, 225, 1000, 3001):
        x = (whole(-1500, 1501, n, n).float() / 256).half()
        for label, y in (("usual", x), ("large", x * 50), ("small", x / 64)):
            v = y.double()
            right = v * (v + 3).clamp(0, 6) / 6
            yield Case(f"N = {n:,}, {label}", (y,), (right,), dtypes=(torch.float16,), ulp=1)


def gates(launcher: Launcher) -> Iterator[Case]:
    """Multiply gates by numbers, for several limits."""
    for n in (1, 2, 31, 96, 97, 1440, 1441, 3001):
        g = (whole(-1024, 1025, n, n).float() / 128).bfloat16()
        u = (whole(-256, 257, n, n + 1).float() / 64).bfloat16()
        for limit in (100.0, 7.0, 0.5):
            for label, y in (("usual", g), ("large", g * 8)):
                v = y.double().clamp(max=limit)
                right = v * torch.sigmoid(v) * u.double()
                slack = (2.0**-18 * (v * u.double()).abs(),)
                options = {"dtypes": (torch.bfloat16,), "ulp": 1, "within": slack}
                words = f"n = {n:,}, limit = {limit}, {label}"
                yield Case(words, (y, u), (right,), {"limit": limit}, **options)


def steps(launcher: Launcher) -> Iterator[Case]:
    """Take steps of several rates: all numbers and products are exact."""
    settings = (0.5, 0.0, 0.0), (0.25, 0.5, 0.0), (0.125, 0.75, 0.25)
    for n in (1, 2, 31, 256, 257, 1000, 3001):
        p, g, m = (whole(-200, 201, n, n + k).float() / 8 for k in range(3))
        for lr, momentum, decay in settings:
            v = momentum * m.double() + g.double() + decay * p.double()
            scalars = {"lr": lr, "momentum": momentum, "decay": decay}
            right, dtypes = (p.double() - lr * v, v), (torch.float32, torch.float32)
            yield Case(f"n = {n:,}, {scalars}", (p, g, m), right, scalars, dtypes=dtypes)


def blends(launcher: Launcher) -> Iterator[Case]:
    """Blend whole numbers by weights that are powers of two, and by none."""
    for n in (1, 2, 3, 4, 5, 31, 256, 257, 1000, 3002):
        a, b = whole(-999, 1000, n, n).float(), whole(-999, 1000, n, n + 1).float()
        for weight in (0.0, 0.25, 0.5, 1.0):
            right = (a.double() + weight * (b.double() - a.double()),)
            scalars = {"weight": weight}
            yield Case(f"n = {n:,}, {scalars}", (a, b), right, scalars, dtypes=(torch.float32,))


def counts(launcher: Launcher) -> Iterator[Case]:
    """Add small integers, large ones, and ones."""
    for n in (1, 2, 31, 33, 160, 161, 960, 961, 5003):
        x = whole(-999, 1000, n, n)
        for label, y in (("any", x), ("large", x.abs() * 2_000_003), ("ones", x * 0 + 1)):
            right = (y.sum().double().reshape(1),)
            yield Case(f"n = {n:,}, {label}", (y.int(),), right, dtypes=(torch.int64,))


def means(launcher: Launcher) -> Iterator[Case]:
    """Take means of halves, whose sums are exact."""
    for n in (1, 2, 31, 128, 129, 1000, 16_385, 30_011):
        x = whole(-99, 100, n, n)
        for label, y in (("any", x), ("positive", x.abs() + 1), ("ones", x * 0 + 1)):
            right = (y.double().mean().reshape(1),)
            yield Case(
                f"n = {n:,}, {label}", (y.half(),), right, dtypes=(torch.float32,), ulp=1
            )


def dots(launcher: Launcher) -> Iterator[Case]:
    """Multiply and add whole numbers, whose sums are exact."""
    for n in (1, 2, 31, 33, 128, 129, 896, 897, 5003):
        a, b = whole(-30, 31, n, n), whole(-30, 31, n, n + 1)
        for label, x, y in (("any", a, b), ("positive", a.abs() + 1, b.abs() + 1)):
            right = ((x * y).sum().double().reshape(1),)
            yield Case(
                f"N = {n:,}, {label}", (x.float(), y.float()), right, dtypes=(torch.float32,)
            )


def lows(launcher: Launcher) -> Iterator[Case]:
    """Find the smallest of any, of positive and of large integers, in several orders."""
    for n in (1, 2, 31, 33, 96, 97, 864, 865, 5003):
        x = whole(-9999, 10_000, n, n)
        kinds = (
            ("any", x),
            ("positive", x.abs() + 7),
            ("large", x.abs() + 2_000_000_000),
            ("rising", x.sort()[0]),
            ("falling", x.sort(descending=True)[0]),
        )
        for label, y in kinds:
            right = (y.min().double().reshape(1),)
            yield Case(f"n = {n:,}, {label}", (y.int(),), right, dtypes=(torch.int32,))


def peaks(launcher: Launcher) -> Iterator[Case]:
    """Scale by the largest magnitude, at either end, and of zeros."""
    for n in (1, 2, 31, 33, 256, 257, 1280, 1281, 5003):
        x = (whole(-999, 1000, n, n).float() / 16).bfloat16()
        kinds = (
            ("any", x),
            ("zeros", x * 0),
            ("negative", -x.abs()),
            ("rising", x.abs().sort()[0]),
            ("falling", x.abs().sort(descending=True)[0]),
        )
        for label, y in kinds:
            amax = y.double().abs().max()
            right = ((amax / 127 if amax > 0 else amax + 1).reshape(1),)
            yield Case(f"n = {n:,}, {label}", (y,), right, dtypes=(torch.float32,), ulp=1)


BASES = {
    "xxxi_plus_three": Base(THREE, {"cases": triples}),
    "xxxi_plus_long": Base(WIDE_SUM, {"cases": long_sums}),
    "xxxi_minus_pairs": Base(BF_DIFF, {"reference": _minus}),
    "xxxi_widen_halves": Base(TO_FLOAT, {"reference": lambda h: h.double()}),
    "xxxi_quantise": Base(QUANT, {"cases": quantised}),
    "xxxi_silu_plain": Base(SILU, {"cases": silus}),
    "xxxi_hard_swish": Base(HARD, {"cases": hard}),
    "xxxi_gate_limit": Base(GATE, {"cases": gates}),
    "xxxi_sgd_step": Base(STEP, {"cases": steps}),
    "xxxi_lerp_fours": Base(LERP, {"cases": blends}),
    "xxxi_total_long": Base(COUNT, {"cases": counts}),
    "xxxi_mean_halves": Base(MEAN, {"cases": means}),
    "xxxi_dot_atomic": Base(DOT, {"cases": dots}),
    "xxxi_least_int": Base(SMALLEST, {"cases": lows}),
    "xxxi_peak_scale": Base(PEAK, {"cases": peaks}),
    **thirtyfirst_arrays.BASES,
}

WRONG = (
    # ---- additions and differences
    # One too far.
    Wrong(
        "xxxi_plus_three_to_and_with",
        "xxxi_plus_three",
        "bounds | tail",
        ("while (k < count)", "while (k <= count)"),
    ),
    # A condition, and a fixed grid.
    Wrong(
        "xxxi_plus_three_no_stride",
        "xxxi_plus_three",
        "grid / unwritten / left out | tail",
        ("  while (k < count) {", "  if (k < count) {"),
    ),
    # The third array is a copy of the line above.
    Wrong(
        "xxxi_plus_three_v_again",
        "xxxi_plus_three",
        "left out / twice / function | numbers",
        ("v[k] + w[k]", "v[k] + v[k]"),
    ),
    # The index is of the thread only: every block does the same.
    Wrong(
        "xxxi_plus_three_no_block",
        "xxxi_plus_three",
        "unwritten / left out / grid | tail / race / twice",
        ("(int64_t)blockIdx.x * blockDim.x + threadIdx.x;", "threadIdx.x;"),
    ),
    # Added in 32 bits, and widened then.
    Wrong(
        "xxxi_plus_long_no_cast",
        "xxxi_plus_long",
        "whole range / narrow / infinity | numbers",
        ("(int64_t)a[i] + b[i]", "a[i] + b[i]"),
    ),
    # The way is by floats.
    Wrong(
        "xxxi_plus_long_through_float",
        "xxxi_plus_long",
        "precision / narrow / rounding | numbers / whole range",
        ("(int64_t)a[i] + b[i]", "(int64_t)((float)a[i] + b[i])"),
    ),
    # Integer division without rounding up.
    Wrong(
        "xxxi_plus_long_rounded_down",
        "xxxi_plus_long",
        "tail / grid / unwritten / refused | left out / block size",
        ("(n + block.x - 1) / block.x", "n / block.x"),
    ),
    # The next element of the second array.
    Wrong(
        "xxxi_plus_long_next",
        "xxxi_plus_long",
        "bounds / neighbour / other element | tail",
        ("+ b[i];", "+ b[i + 1];"),
    ),
    # The operands are in the wrong order.
    Wrong(
        "xxxi_minus_pairs_swapped",
        "xxxi_minus_pairs",
        "swapped / function | numbers",
        ("__hsub2(l, r)", "__hsub2(r, l)"),
    ),
    # Only the pairs were changed when addition became subtraction.
    Wrong(
        "xxxi_minus_pairs_odd_added",
        "xxxi_minus_pairs",
        "tail / function | numbers",
        ("__hsub(lhs[first]", "__hadd(lhs[first]"),
    ),
    # The pair's second half is not tested.
    Wrong(
        "xxxi_minus_pairs_first_only",
        "xxxi_minus_pairs",
        "bounds / tail",
        ("if (first + 1 < numel)", "if (first < numel)"),
    ),
    # Half of the blocks.
    Wrong(
        "xxxi_minus_pairs_four_each",
        "xxxi_minus_pairs",
        "grid / unwritten / left out | tail / block size",
        ("per_block = 2 * int64_t", "per_block = 4 * int64_t"),
    ),
    # A pair begins at the thread's index.
    Wrong(
        "xxxi_minus_pairs_overlap",
        "xxxi_minus_pairs",
        "alignment / unwritten / left out | tail / race / twice / refused",
        ("first = 2 * t;", "first = t;"),
    ),
    # ---- casts
    # A block's elements follow each other, but blocks overlap.
    Wrong(
        "xxxi_widen_halves_base",
        "xxxi_widen_halves",
        "unwritten / left out / grid | tail / race / twice",
        ("blockIdx.x * TPB * PER_THREAD;", "blockIdx.x * TPB;"),
    ),
    # The step is one, as if the thread's elements were neighbours.
    Wrong(
        "xxxi_widen_halves_step_one",
        "xxxi_widen_halves",
        "unwritten / left out | tail / race / twice",
        ("base + j * TPB + threadIdx.x", "base + j + threadIdx.x"),
    ),
    # The test is of the block.
    Wrong(
        "xxxi_widen_halves_test_base",
        "xxxi_widen_halves",
        "bounds | tail",
        ("if (i < n) f[i]", "if (base < n) f[i]"),
    ),
    # The bits are read as an integer's.
    Wrong(
        "xxxi_widen_halves_bits",
        "xxxi_widen_halves",
        "function / numbers | whole range",
        ("__half2float(h[i]);", "(float)__half_as_short(h[i]);"),
    ),
    # Truncated by the cast.
    Wrong(
        "xxxi_quantise_truncated",
        "xxxi_quantise",
        "rounding | numbers / function / precision",
        ("(int)rintf(v / scale)", "(int)(v / scale)"),
    ),
    # Halves go away from zero.
    Wrong(
        "xxxi_quantise_away",
        "xxxi_quantise",
        "rounding | numbers / function",
        ("rintf(v / scale)", "roundf(v / scale)"),
    ),
    # No upper end.
    Wrong(
        "xxxi_quantise_wraps",
        "xxxi_quantise",
        "whole range / infinity / narrow | numbers",
        ("    q = min(q, 127);\n", ""),
    ),
    # A symmetric range.
    Wrong(
        "xxxi_quantise_symmetric",
        "xxxi_quantise",
        "whole range / numbers / infinity / function",
        ("max(q, -128)", "max(q, -127)"),
    ),
    # The scale is of the other direction.
    Wrong(
        "xxxi_quantise_times",
        "xxxi_quantise",
        "function | numbers / whole range",
        ("rintf(v / scale)", "rintf(v * scale)"),
    ),
    # The zero point comes after the clamp.
    Wrong(
        "xxxi_quantise_zero_point_last",
        "xxxi_quantise",
        "whole range / function / infinity / narrow | numbers",
        ("(int)rintf(v / scale) + zero_point;", "(int)rintf(v / scale);"),
        ("return (int8_t)q;", "return (int8_t)(q + zero_point);"),
    ),
    # The zero point is forgotten.
    Wrong(
        "xxxi_quantise_no_zero_point",
        "xxxi_quantise",
        "left out / function | numbers",
        ("(int)rintf(v / scale) + zero_point;", "(int)rintf(v / scale);"),
    ),
    # ---- activations
    # The sign in the exponent.
    Wrong(
        "xxxi_silu_plain_sign",
        "xxxi_silu_plain",
        "function | numbers / nan / infinity / swapped",
        ("expf(-z)", "expf(z)"),
    ),
    # A sigmoid only.
    Wrong(
        "xxxi_silu_plain_sigmoid",
        "xxxi_silu_plain",
        "function / left out | numbers",
        ("= z * sigmoidf(z);", "= sigmoidf(z);"),
    ),
    # A return for the wrong threads.
    Wrong(
        "xxxi_silu_plain_no_return",
        "xxxi_silu_plain",
        "bounds | tail",
        ("    if (tid >= size) {\n        return;\n    }\n", ""),
    ),
    # The sigmoid is made of an integer quotient.
    Wrong(
        "xxxi_silu_plain_integer",
        "xxxi_silu_plain",
        "function / precision / rounding | numbers / whole range / narrow",
        ("float sigmoidf(float z)", "int sigmoidf(float z)"),
    ),
    # A block size of another launcher.
    Wrong(
        "xxxi_silu_plain_64",
        "xxxi_silu_plain",
        "block size / unwritten / grid | left out / tail / race",
        ("blockIdx.x * (int64_t)blockDim.x", "blockIdx.x * (int64_t)64"),
    ),
    # By three.
    Wrong(
        "xxxi_hard_swish_third",
        "xxxi_hard_swish",
        "function | numbers",
        ("(v + 3.f) / 6.f", "(v + 3.f) / 3.f"),
    ),
    # The hard sigmoid.
    Wrong(
        "xxxi_hard_swish_no_v",
        "xxxi_hard_swish",
        "function / left out | numbers",
        ("__float2half(v * gate)", "__float2half(gate)"),
    ),
    # Below zero is nothing.
    Wrong(
        "xxxi_hard_swish_from_zero",
        "xxxi_hard_swish",
        "function / numbers",
        ("v <= -3.f", "v <= 0.f"),
    ),
    # Brackets are missing.
    Wrong(
        "xxxi_hard_swish_brackets",
        "xxxi_hard_swish",
        "function | numbers",
        ("(v + 3.f) / 6.f", "v + 3.f / 6.f"),
    ),
    # In place, by a cast that took const away.
    Wrong(
        "xxxi_hard_swish_in_place",
        "xxxi_hard_swish",
        "input | unwritten",
        (
            "y[idx] = __float2half(v * gate);",
            "x[idx] = __float2half(v * gate);\n        y[idx] = x[idx];",
        ),
    ),
    # ---- fused operators
    # A limit from below.
    Wrong(
        "xxxi_gate_limit_fmaxf",
        "xxxi_gate_limit",
        "function / swapped / copy | numbers / left out",
        ("fminf(__bfloat162float(gate[i]), limit)", "fmaxf(__bfloat162float(gate[i]), limit)"),
    ),
    # SiLU of the other half.
    Wrong(
        "xxxi_gate_limit_roles",
        "xxxi_gate_limit",
        "swapped / function | numbers",
        ("fminf(__bfloat162float(gate[i]), limit)", "fminf(__bfloat162float(up[i]), limit)"),
        ("u = __bfloat162float(up[i])", "u = __bfloat162float(gate[i])"),
    ),
    # The limit is forgotten.
    Wrong(
        "xxxi_gate_limit_none",
        "xxxi_gate_limit",
        "left out / function | numbers",
        ("fminf(__bfloat162float(gate[i]), limit)", "__bfloat162float(gate[i])"),
    ),
    # Fewer threads than the template's argument says.
    Wrong(
        "xxxi_gate_limit_64_threads",
        "xxxi_gate_limit",
        "unwritten / left out / grid / block size | tail",
        ("<<<15, 96, 0, stream>>>", "<<<15, 64, 0, stream>>>"),
    ),
    # The step is taken by the old velocity.
    Wrong(
        "xxxi_sgd_step_old_velocity",
        "xxxi_sgd_step",
        "function / left out | numbers",
        ("o.lr * vel;", "o.lr * m[i];"),
    ),
    # Uphill.
    Wrong(
        "xxxi_sgd_step_uphill",
        "xxxi_sgd_step",
        "function | numbers",
        ("p[i] - o.lr", "p[i] + o.lr"),
    ),
    # The velocity is never written.
    Wrong(
        "xxxi_sgd_step_velocity_kept",
        "xxxi_sgd_step",
        "unwritten / left out",
        ("    m_new[i] = vel;\n", ""),
    ),
    # Fields are filled in the wrong order.
    Wrong(
        "xxxi_sgd_step_fields",
        "xxxi_sgd_step",
        "swapped / function | numbers",
        ("o.momentum = momentum;", "o.momentum = decay;"),
        ("o.decay = decay;", "o.decay = momentum;"),
    ),
    # The momentum takes the gradient, too.
    Wrong(
        "xxxi_sgd_step_brackets",
        "xxxi_sgd_step",
        "function | numbers",
        ("o.momentum * m[i] + grad", "o.momentum * (m[i] + grad)"),
    ),
    # Weights of the ends are swapped.
    Wrong(
        "xxxi_lerp_fours_other_end",
        "xxxi_lerp_fours",
        "swapped / function | numbers",
        (
            "lerp_vec<<<(unsigned)((threads + 63) / 64), 64, 0, stream>>>(from, to,",
            "lerp_vec<<<(unsigned)((threads + 63) / 64), 64, 0, stream>>>(to, from,",
        ),
    ),
    # One lane takes its neighbour's end.
    Wrong(
        "xxxi_lerp_fours_lane_y",
        "xxxi_lerp_fours",
        "other element / neighbour / function | numbers",
        ("weight * (e.z - s.z)", "weight * (e.y - s.z)"),
    ),
    # No thread for the tail where the vectors fill their blocks.
    Wrong(
        "xxxi_lerp_fours_no_tail",
        "xxxi_lerp_fours",
        "tail / unwritten | left out / grid",
        ("threads = (n + 3) / 4;", "threads = n / 4;"),
    ),
    # The last vector reaches past the end.
    Wrong(
        "xxxi_lerp_fours_past_end",
        "xxxi_lerp_fours",
        "bounds / tail",
        ("if (at + 4 <= n)", "if (at + 2 <= n)"),
    ),
    # The tail's difference has no bracket.
    Wrong(
        "xxxi_lerp_fours_tail_formula",
        "xxxi_lerp_fours",
        "tail / function | numbers",
        ("weight * (to[i] - from[i])", "weight * to[i] - from[i]"),
    ),
    # ---- sums
    # Each thread's sum has 32 bits.
    Wrong(
        "xxxi_total_long_int",
        "xxxi_total_long",
        "whole range / narrow / infinity | numbers",
        ("long long mine = 0;", "int mine = 0;"),
    ),
    # Every lane adds.
    Wrong(
        "xxxi_total_long_every_lane",
        "xxxi_total_long",
        "twice | function / numbers",
        ("    if (threadIdx.x % 32 == 0)\n", ""),
    ),
    # Only the first warp adds.
    Wrong(
        "xxxi_total_long_first_warp",
        "xxxi_total_long",
        "left out | numbers / other element",
        ("threadIdx.x % 32 == 0", "threadIdx.x == 0"),
    ),
    # Steps from eight.
    Wrong(
        "xxxi_total_long_from_eight",
        "xxxi_total_long",
        "left out | numbers / other element",
        ("int d = 16;", "int d = 8;"),
    ),
    # An addition without an atomic.
    Wrong(
        "xxxi_total_long_plus",
        "xxxi_total_long",
        "race | left out / numbers",
        ("atomicAdd(total, (unsigned long long)mine);", "*total += (unsigned long long)mine;"),
    ),
    # Four bytes of eight are set.
    Wrong(
        "xxxi_total_long_half_set",
        "xxxi_total_long",
        "zero before / state | start / numbers / unwritten",
        ("sizeof(int64_t), stream", "sizeof(int), stream"),
    ),
    # The tree is in halves.
    Wrong(
        "xxxi_mean_halves_half_tree",
        "xxxi_mean_halves",
        "precision / infinity / rounding | numbers / whole range",
        ("__shared__ float cache[kBlock];", "__shared__ half cache[kBlock];"),
        (
            "cache[threadIdx.x] += cache[threadIdx.x + gap];",
            "cache[threadIdx.x] = __hadd(cache[threadIdx.x], cache[threadIdx.x + gap]);",
        ),
    ),
    # One less.
    Wrong(
        "xxxi_mean_halves_n_minus_one",
        "xxxi_mean_halves",
        "function | numbers / nan / infinity",
        ("static_cast<float>(n)", "static_cast<float>(n - 1)"),
    ),
    # The mean of the blocks' means.
    Wrong(
        "xxxi_mean_halves_by_parts",
        "xxxi_mean_halves",
        "function | numbers",
        ("static_cast<float>(n)", "static_cast<float>(nparts * kBlock)"),
    ),
    # Only as many parts as threads.
    Wrong(
        "xxxi_mean_halves_128_parts",
        "xxxi_mean_halves",
        "left out | numbers / grid / other element",
        (
            "for (int i = threadIdx.x; i < nparts; i += kBlock) v += parts[i];",
            "if (threadIdx.x < nparts) v = parts[threadIdx.x];",
        ),
    ),
    # The tree is not awaited in its first step.
    Wrong(
        "xxxi_mean_halves_no_barrier",
        "xxxi_mean_halves",
        "race | left out / numbers / unwritten / bounds",
        (
            "    cache[threadIdx.x] = v;\n    __syncthreads();\n",
            "    cache[threadIdx.x] = v;\n",
        ),
    ),
    # Parts are of the size of the array's numbers.
    Wrong(
        "xxxi_mean_halves_short_parts",
        "xxxi_mean_halves",
        "bounds",
        ("nparts * sizeof(float)", "nparts * sizeof(half)"),
    ),
    # The first array, squared.
    Wrong(
        "xxxi_dot_atomic_squares",
        "xxxi_dot_atomic",
        "left out / function / twice | numbers / copy",
        ("a[tid] * b[tid]", "a[tid] * a[tid]"),
    ),
    # Only the last product counts.
    Wrong(
        "xxxi_dot_atomic_assigned",
        "xxxi_dot_atomic",
        "left out | numbers / function",
        ("temp += a[tid]", "temp = a[tid]"),
    ),
    # The barrier stands in the branch.
    Wrong(
        "xxxi_dot_atomic_barrier_inside",
        "xxxi_dot_atomic",
        "race / timeout / refused | left out / numbers",
        (
            "        if (cacheIndex < i)\n            cache[cacheIndex] += cache[cacheIndex + i];\n        __syncthreads();\n",
            "        if (cacheIndex < i) {\n            cache[cacheIndex] += cache[cacheIndex + i];\n            __syncthreads();\n        }\n",
        ),
    ),
    # The tree's halves overlap.
    Wrong(
        "xxxi_dot_atomic_block_less",
        "xxxi_dot_atomic",
        "bounds / race | left out / numbers / twice",
        ("int i = blockDim.x / 2;", "int i = blockDim.x;"),
    ),
    # A block that is no power of two.
    Wrong(
        "xxxi_dot_atomic_96",
        "xxxi_dot_atomic",
        "left out / block size | numbers / other element",
        (
            "<<<7, 128, 128 * sizeof(float), stream>>>",
            "<<<7, 96, 96 * sizeof(float), stream>>>",
        ),
    ),
    # ---- smallest and largest
    # Zero is a start for sums only.
    Wrong(
        "xxxi_least_int_zero",
        "xxxi_least_int",
        "start | numbers",
        ("int low = 0x7fffffff;", "int low = 0;"),
    ),
    # A start that somebody thought large enough.
    Wrong(
        "xxxi_least_int_million",
        "xxxi_least_int",
        "start | numbers / whole range",
        ("*m = 0x7fffffff;", "*m = 1000000;"),
    ),
    # The third warp is forgotten.
    Wrong(
        "xxxi_least_int_two_warps",
        "xxxi_least_int",
        "left out | numbers / other element",
        ("min(min(best[t], best[t + 32]), best[t + 64])", "min(best[t], best[t + 32])"),
    ),
    # Not set for each call.
    Wrong(
        "xxxi_least_int_not_set",
        "xxxi_least_int",
        "state / start / zero before | numbers",
        ("    setMin<<<1, 1, 0, stream>>>(m);\n", ""),
    ),
    # The shared array is of two warps.
    Wrong(
        "xxxi_least_int_short_shared",
        "xxxi_least_int",
        "bounds",
        ("__shared__ int best[96];", "__shared__ int best[64];"),
    ),
    # Largest in place of smallest, in the lanes.
    Wrong(
        "xxxi_least_int_max_lanes",
        "xxxi_least_int",
        "function / numbers / left out | swapped",
        ("low = min(low, __shfl", "low = max(low, __shfl"),
    ),
    # No magnitude.
    Wrong(
        "xxxi_peak_scale_no_abs",
        "xxxi_peak_scale",
        "function / numbers / left out | start / copy",
        ("fabsf(__bfloat162float(x[i]))", "__bfloat162float(x[i])"),
    ),
    # Four of eight warps.
    Wrong(
        "xxxi_peak_scale_from_two",
        "xxxi_peak_scale",
        "left out | numbers / other element",
        ("int off = 4;", "int off = 2;"),
    ),
    # Of unsigned bytes.
    Wrong(
        "xxxi_peak_scale_255",
        "xxxi_peak_scale",
        "function | numbers / precision",
        ("/ 127.0f", "/ 255.0f"),
    ),
    # The bits become a number by a cast.
    Wrong(
        "xxxi_peak_scale_cast",
        "xxxi_peak_scale",
        "precision / rounding / function / narrow | numbers",
        ("__float_as_uint(amax)", "(unsigned)amax"),
        ("__uint_as_float(*amax_bits)", "(float)*amax_bits"),
    ),
    # Zeros have no scale.
    Wrong(
        "xxxi_peak_scale_zero",
        "xxxi_peak_scale",
        "numbers / function | start / left out / unwritten",
        ("amax > 0.0f ? amax / 127.0f : 1.0f", "amax / 127.0f"),
    ),
    *thirtyfirst_arrays.WRONG,
)

RIGHT = (
    # From the last element, by a few threads.
    Right(
        "xxxi_plus_three_backwards",
        "xxxi_plus_three",
        (
            "res[k] = u[k] + v[k] + w[k];",
            "int64_t at = count - 1 - k;\n    res[at] = u[at] + v[at] + w[at];",
        ),
        ("<<<14, 64, 0, stream>>>", "<<<3, 33, 0, stream>>>"),
    ),
    # A long zero widens both, and there are idle blocks.
    Right(
        "xxxi_plus_long_longs",
        "xxxi_plus_long",
        ("(int64_t)a[i] + b[i];", "a[i] + 0ll + b[i];"),
        ("((n + block.x - 1) / block.x)", "(n / block.x + 2)"),
    ),
    # One a time, in float.
    Right(
        "xxxi_minus_pairs_by_floats",
        "xxxi_minus_pairs",
        (
            "= __hsub2(l, r);",
            "= __floats2bfloat162_rn(__low2float(l) - __low2float(r), __high2float(l) - __high2float(r));",
        ),
    ),
    # The thread's elements are neighbours.
    Right(
        "xxxi_widen_halves_neighbours",
        "xxxi_widen_halves",
        ("base + j * TPB + threadIdx.x", "base + j + PER_THREAD * (int)threadIdx.x"),
    ),
    # Clamped as floats.
    Right(
        "xxxi_quantise_floats",
        "xxxi_quantise",
        (
            "int q = (int)rintf(v / scale) + zero_point;",
            "float q = nearbyintf(v / scale) + zero_point;",
        ),
        ("max(q, -128)", "fmaxf(q, -128.0f)"),
        ("min(q, 127)", "fminf(q, 127.0f)"),
    ),
    # A quotient.
    Right(
        "xxxi_silu_plain_quotient",
        "xxxi_silu_plain",
        ("= z * sigmoidf(z);", "= z / (1.0f + expf(-z));"),
    ),
    # A clamp in place of branches.
    Right(
        "xxxi_hard_swish_clamp",
        "xxxi_hard_swish",
        (
            "        if (v <= -3.f) gate = 0.f;\n        else if (v >= 3.f) gate = 1.f;\n        else gate = (v + 3.f) / 6.f;\n",
            "        gate = fminf(fmaxf(v + 3.f, 0.f), 6.f) / 6.f;\n",
        ),
        ("int threads = 224;", "int threads = 1024;"),
    ),
    # By tanh.
    Right(
        "xxxi_gate_limit_tanh",
        "xxxi_gate_limit",
        ("g / (1.0f + __expf(-g))", "0.5f * g * (1.0f + tanhf(0.5f * g))"),
        ("silu_mul<96><<<15, 96, 0, stream>>>", "silu_mul<256><<<4, 256, 0, stream>>>"),
    ),
    # In other steps.
    Right(
        "xxxi_sgd_step_expanded",
        "xxxi_sgd_step",
        (
            "    const float grad = g[i] + o.decay * p[i];\n    const float vel = o.momentum * m[i] + grad;\n",
            "    const float w = p[i];\n    const float vel = fmaf(o.momentum, m[i], fmaf(o.decay, w, g[i]));\n",
        ),
        (
            "    m_new[i] = vel;\n    p_new[i] = p[i] - o.lr * vel;",
            "    p_new[i] = fmaf(-o.lr, vel, w);\n    m_new[i] = vel;",
        ),
    ),
    # A block more, which has nothing to do.
    Right(
        "xxxi_lerp_fours_idle",
        "xxxi_lerp_fours",
        ("threads = (n + 3) / 4;", "threads = n / 4 + 70;"),
        ("if (at + 4 <= n)", "if (at < n - 3)"),
    ),
    # All lanes have the sum; the last one adds it.
    Right(
        "xxxi_total_long_last_lane",
        "xxxi_total_long",
        ("__shfl_down_sync(", "__shfl_xor_sync("),
        ("threadIdx.x % 32 == 0", "threadIdx.x % 32 == 31"),
    ),
    # Divided before, in double.
    Right(
        "xxxi_mean_halves_double",
        "xxxi_mean_halves",
        ("v / static_cast<float>(n);", "(float)((double)v / (double)n);"),
        ("kMaxBlocks = 200;", "kMaxBlocks = 3;"),
    ),
    # The last two are added by one thread.
    Right(
        "xxxi_dot_atomic_last_two",
        "xxxi_dot_atomic",
        ("while (i != 0) {", "while (i > 1) {"),
        ("atomicAdd(result, cache[0]);", "atomicAdd(result, cache[0] + cache[1]);"),
    ),
    # The first element is the start.
    Right(
        "xxxi_least_int_bytes",
        "xxxi_least_int",
        (
            "    setMin<<<1, 1, 0, stream>>>(m);\n",
            "    cudaMemcpyAsync(m, arr, sizeof(int), cudaMemcpyDeviceToDevice, stream);\n",
        ),
    ),
    # Warps are compared by atomics.
    Right(
        "xxxi_peak_scale_atomics",
        "xxxi_peak_scale",
        (
            "if (lane == 0) warp_max[warp] = amax;",
            "if (lane == 0) atomicMax(amax_bits, __float_as_uint(amax)), warp_max[warp] = 0.0f;",
        ),
    ),
    *thirtyfirst_arrays.RIGHT,
)
